//! The program as a child process.
#![allow(dead_code, reason = "each test needs a part of it")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Output};
use std::thread;
use std::time::Duration;

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
