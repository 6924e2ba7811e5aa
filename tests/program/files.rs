//! Files, folders and the end of child processes, for the tests of all programs of the workspace.

use std::io::Write;
use std::path::Path;
use std::process::Child;
use std::thread;
use std::time::Duration;

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
}
