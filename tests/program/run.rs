//! The program as a child process.

use std::io::Write;
use std::path::Path;
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

/// Kills a child as soon as `is_time`.
///
/// # Panics
/// If the child ends before.
pub(crate) fn kill_when(mut child: Child, is_time: impl Fn() -> bool) {
    while !is_time() {
        let ended = child.try_wait().expect("a child");
        assert!(ended.is_none(), "it ended before it was killed");
        thread::sleep(Duration::from_millis(2));
    }
    child.kill().expect("it runs");
    child.wait().expect("it ends");
}

/// A file, removed at the end.
pub(crate) struct File(tempfile::NamedTempFile);

impl File {
    /// Its name ends with `name`.
    pub(crate) fn new(name: &str, bytes: impl AsRef<[u8]>) -> File {
        let mut builder = tempfile::Builder::new();
        let mut file = builder.suffix(name).tempfile().expect("a writable place");
        file.write_all(bytes.as_ref()).expect("written");
        File(file)
    }

    pub(crate) fn name(&self) -> &str {
        self.0.path().to_str().expect("a plain path")
    }
}

/// A folder, removed at the end with all that is in it.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Folder {
        Folder(tempfile::tempdir().expect("a writable place"))
    }

    /// Where it is.
    pub(crate) fn root(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn path(&self, name: &str) -> String {
        let path = self.0.path().join(name);
        path.to_str().expect("a plain path").to_owned()
    }

    /// The path of a new file there.
    pub(crate) fn file(&self, name: &str, contents: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        std::fs::write(&path, contents).expect("written");
        path
    }
}
