//! The program as a child process.
#![allow(dead_code, reason = "each test needs a part of it")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

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

/// Kills a child as soon as `is_time`, unless it ends before.
pub(crate) fn kill_when(mut child: Child, is_time: impl Fn() -> bool) {
    while !is_time() && child.try_wait().expect("a child").is_none() {
        thread::sleep(Duration::from_millis(2));
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// A file in a folder of the tests, removed at the end.
pub(crate) struct File(PathBuf);

impl File {
    pub(crate) fn new(name: &str, bytes: impl AsRef<[u8]>) -> File {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let path = folder.join(format!("{}-{name}", std::process::id()));
        std::fs::write(&path, bytes).expect("written");
        File(path)
    }

    pub(crate) fn name(&self) -> &str {
        self.0.to_str().expect("a plain path")
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}
