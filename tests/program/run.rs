//! The program as a child process.

use std::io::Write;
use std::process::{Child, Command, Output, Stdio};
use std::thread;

pub(crate) use crate::files::{File, Folder, kill_when};

/// The program with these arguments, and pipes.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_emilia"));
    command
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Runs the program with this input to its end.
pub(crate) fn run(arguments: &[&str], input: impl AsRef<[u8]>) -> Output {
    let child = command(arguments).spawn().expect("the binary starts");
    finish(child, input)
}

/// Sends `input` to a child with pipes, and waits for its end.
pub(crate) fn finish(mut child: Child, input: impl AsRef<[u8]>) -> Output {
    let mut stdin = child.stdin.take().expect("piped");
    let input = input.as_ref().to_owned();
    let writer = thread::spawn(move || {
        // The process may end before it has read everything.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().expect("the process ends");
    writer.join().expect("written");
    output
}

impl Folder {
    pub(crate) fn path(&self, name: &str) -> String {
        let path = self.root().join(name);
        path.to_str().expect("a plain path").to_owned()
    }

    /// The path of a new file there.
    pub(crate) fn file(&self, name: &str, contents: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        std::fs::write(&path, contents).expect("written");
        path
    }
}
