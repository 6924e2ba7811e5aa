//! A file that is written beside another one, whose name it takes at the end: whole, or not at all.
//!
//! On Linux it has no name before, so that a process that is killed leaves nothing behind. Elsewhere, and where a
//! file system knows no such files, it is called `NAME.*.part` and removed when it is dropped.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, TempPath};

/// The name that a new file will have.
#[derive(Debug)]
pub(crate) struct FinalName {
    target: PathBuf,
    /// What it is called before.
    part: Option<TempPath>,
}

/// A new file, open for reading and writing, that will be called `target`. Unlike a temporary file it has the usual
/// permissions.
pub(crate) fn create(target: &Path) -> io::Result<(File, FinalName)> {
    let (file, part) = match unnamed(folder(target)) {
        Some(file) => (file, None),
        None => {
            let (file, part) = beside(target, create_new)?.into_parts();
            (file, Some(part))
        }
    };
    let target = target.to_owned();
    Ok((file, FinalName { target, part }))
}

impl FinalName {
    /// Gives it to the file when all is on the disk, with the permissions of the file that had it.
    pub(crate) fn give_to(self, file: &File) -> io::Result<()> {
        let FinalName { target, part } = self;
        if let Ok(before) = fs::metadata(&target) {
            file.set_permissions(before.permissions())?;
        }
        file.sync_all()?;
        match part {
            Some(part) => part.persist(&target)?,
            None => link(file, &target)?,
        }
        // Not every system can do that.
        let _ = File::open(folder(&target)).and_then(|folder| folder.sync_all());
        Ok(())
    }
}

fn folder(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    folder.unwrap_or(Path::new("."))
}

/// A name beside `target` that is not used, for what `make` makes there.
fn beside<R>(
    target: &Path,
    make: impl FnMut(&Path) -> io::Result<R>,
) -> io::Result<NamedTempFile<R>> {
    let mut prefix = target.file_name().unwrap_or_default().to_owned();
    prefix.push(".");
    let mut names = tempfile::Builder::new();
    names.prefix(&prefix).suffix(".part");
    names.make_in(folder(target), make)
}

fn create_new(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true).open(path)
}

/// A file without a name that can get one; `None`: there is no such thing here.
#[cfg(target_os = "linux")]
fn unnamed(folder: &Path) -> Option<File> {
    use rustix::fs::{Mode, OFlags, open};
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    let file = File::from(open(folder, flags, Mode::from_raw_mode(0o666)).ok()?);
    open_name(&file).exists().then_some(file)
}

/// The name by which this process can reach an open file.
#[cfg(target_os = "linux")]
fn open_name(file: &File) -> PathBuf {
    use std::os::fd::AsRawFd;
    format!("/proc/self/fd/{}", file.as_raw_fd()).into()
}

/// Gives an unnamed file this name, whatever had it before.
#[cfg(target_os = "linux")]
fn link(file: &File, target: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    let link = |name: &Path| {
        let follow = AtFlags::SYMLINK_FOLLOW;
        linkat(CWD, open_name(file), CWD, name, follow).map_err(io::Error::from)
    };
    match link(target) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            Ok(beside(target, link)?.into_temp_path().persist(target)?)
        }
        linked => linked,
    }
}

#[cfg(not(target_os = "linux"))]
fn unnamed(_: &Path) -> Option<File> {
    None
}

#[cfg(not(target_os = "linux"))]
fn link(_: &File, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
