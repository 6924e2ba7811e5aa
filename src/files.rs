//! Files that a command writes: none destroys an input or a file of another kind, and none turns
//! out to be unwritable only at the end.
//!
//! [`UsedFiles`] knows every file of a command. A file that is written in one go is an
//! [`OutputFile`]: it is checked before the work, written beside and renamed into place. A file
//! that grows is a [`GrowingFile`]: it is locked while the process lives. Devices and pipes are
//! written directly.

use std::fmt::Display;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

pub use emilia_core::file_kind::FileKind;

use crate::file_lock;
use crate::part_file;

/// Why a file cannot be written.
#[derive(Debug, Error)]
#[error("cannot write {path}{reason}", path = path.display())]
pub struct FileError {
    /// As the user named it.
    path: PathBuf,
    /// Behind a colon; empty where the operating system refuses.
    reason: String,
    source: Option<io::Error>,
}

impl FileError {
    fn io(path: &Path) -> impl FnOnce(io::Error) -> FileError {
        let path = path.to_owned();
        |source| FileError {
            path,
            reason: String::new(),
            source: Some(source),
        }
    }

    fn refused<T>(path: &Path, reason: impl Display) -> Result<T, FileError> {
        Err(FileError {
            path: path.to_owned(),
            reason: format!(": {reason}"),
            source: None,
        })
    }

    fn exists<T>(path: &Path) -> Result<T, FileError> {
        FileError::refused(path, "it exists: remove it, or name another file")
    }
}

/// Which file a path leads to, through links.
#[derive(Clone, Debug)]
struct Identity {
    /// The path without links.
    path: Option<PathBuf>,
    /// Device and inode of a file that existed: it may have several such paths.
    inode: Option<(u64, u64)>,
}

impl Identity {
    /// `None` for devices, pipes and folders, which nothing replaces.
    fn of(path: &Path) -> Option<Identity> {
        let metadata = fs::metadata(path).ok();
        if metadata.as_ref().is_some_and(|found| !found.is_file()) {
            return None;
        }
        Some(Identity {
            path: resolve(path).ok(),
            inode: metadata.as_ref().and_then(inode_of),
        })
    }

    /// Is it the same file? One of them may have been made since the other was looked at.
    fn is(&self, other: &Identity) -> bool {
        let is_same_path = self.path.is_some() && self.path == other.path;
        is_same_path || (self.inode.is_some() && self.inode == other.inode)
    }
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other systems have none")]
fn inode_of(metadata: &fs::Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn inode_of(_: &fs::Metadata) -> Option<(u64, u64)> {
    None
}

/// Most links that are followed to a file that does not exist yet.
const MAX_LINKS: usize = 40;

/// The path without links; its last part need not exist.
fn resolve(path: &Path) -> io::Result<PathBuf> {
    let last = path.as_os_str().as_encoded_bytes().last();
    if last.is_some_and(|&last| std::path::is_separator(last.into())) {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        if let Ok(resolved) = fs::canonicalize(&path) {
            return Ok(resolved);
        }
        let parent = path.parent().filter(|parent| *parent != Path::new(""));
        let parent = fs::canonicalize(parent.unwrap_or(Path::new(".")))?;
        match fs::read_link(&path) {
            Ok(target) => path = parent.join(target),
            Err(_) => {
                let name = path.file_name();
                let name = name.ok_or_else(|| io::Error::other("it is not a file name"))?;
                return Ok(parent.join(name));
            }
        }
    }
    Err(io::Error::other("too many links"))
}

/// The paths, without those that name a file that an earlier one names.
pub fn different(paths: &[PathBuf]) -> Vec<&Path> {
    let mut seen: Vec<Identity> = Vec::new();
    let mut is_new = |path: &&Path| {
        let identity = Identity::of(path);
        let is_new = !seen
            .iter()
            .any(|file| identity.as_ref().is_some_and(|own| file.is(own)));
        seen.extend(identity);
        is_new
    };
    paths
        .iter()
        .map(PathBuf::as_path)
        .filter(|path| is_new(path))
        .collect()
}

/// The files of a command. Inputs are named before outputs are opened, so that each output is
/// checked against all of them.
#[derive(Default, Debug)]
pub struct UsedFiles {
    inputs: Vec<Identity>,
    outputs: Vec<Identity>,
}

impl UsedFiles {
    /// The files of a command that reads `inputs`.
    pub fn reading<P: AsRef<Path>>(inputs: impl IntoIterator<Item = P>) -> UsedFiles {
        let identities = inputs.into_iter().filter_map(|p| Identity::of(p.as_ref()));
        UsedFiles {
            inputs: identities.collect(),
            outputs: Vec::new(),
        }
    }

    /// A file that will be written in one go.
    ///
    /// # Errors
    /// If it is in use, exists and is of another kind, or cannot be written.
    pub fn output(&mut self, path: &Path, kind: FileKind) -> Result<OutputFile, FileError> {
        self.claim(path)?;
        OutputFile::prepare(path, kind)
    }

    /// An output that replaces no file that is not empty.
    ///
    /// # Errors
    /// Also if there is one.
    pub fn new_output(&mut self, path: &Path, kind: FileKind) -> Result<OutputFile, FileError> {
        let output = self.output(path, kind)?;
        let found = fs::metadata(path);
        match found.is_ok_and(|found| found.is_file() && found.len() > 0) {
            true => FileError::exists(path),
            false => Ok(output),
        }
    }

    /// Claims a place for a file that another writer makes: there is nothing but an empty file.
    ///
    /// # Errors
    /// If it is in use, or something is there.
    pub fn claim_new(&mut self, path: &Path) -> Result<(), FileError> {
        self.claim(path)?;
        let found = fs::metadata(path);
        match found.is_ok_and(|found| !found.is_file() || found.len() > 0) {
            true => FileError::exists(path),
            false => Ok(()),
        }
    }

    /// A file that grows: locked, and made if it does not exist.
    ///
    /// # Errors
    /// If it is in use, locked by another process, of another kind, or cannot be written.
    pub fn growing(&mut self, path: &Path, kind: FileKind) -> Result<GrowingFile, FileError> {
        self.claim(path)?;
        GrowingFile::open(path, kind)
    }

    /// A file that is written beside an output, by a name that is made from its name.
    ///
    /// # Errors
    /// If it is in use.
    pub fn claim(&mut self, path: &Path) -> Result<(), FileError> {
        let Some(identity) = Identity::of(path) else {
            return Ok(());
        };
        for (files, role) in [(&self.inputs, "input"), (&self.outputs, "another output")] {
            if files.iter().any(|file| file.is(&identity)) {
                let reason = format!("this command uses the same file as {role}");
                return FileError::refused(path, reason);
            }
        }
        self.outputs.push(identity);
        Ok(())
    }
}

/// A file that is written in one go, at the end of the work.
#[derive(Debug)]
pub struct OutputFile {
    /// As the user named it.
    path: PathBuf,
    place: Destination,
}

#[derive(Debug)]
enum Destination {
    /// To a temporary file beside this one, which then takes its name.
    Beside(PathBuf),
    /// To a device or pipe.
    Direct(File),
}

impl OutputFile {
    fn prepare(path: &Path, kind: FileKind) -> Result<OutputFile, FileError> {
        let place = Destination::find(path).map_err(FileError::io(path))?;
        if let Destination::Beside(target) = &place {
            check_kind(path, target, kind)?;
            // Removed at once, so that an interrupted command leaves nothing behind.
            part_file::create(target).map_err(FileError::io(path))?;
        }
        let path = path.to_owned();
        Ok(OutputFile { path, place })
    }

    /// As the user named it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the file by `write`. What was there before stays if that fails.
    ///
    /// # Errors
    /// If it cannot be written after all.
    pub fn write(
        self,
        write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
    ) -> Result<(), FileError> {
        let OutputFile { path, place } = self;
        let written = match place {
            Destination::Direct(file) => fill(file, write).map(drop),
            Destination::Beside(target) => replace(&target, write),
        };
        written.map_err(FileError::io(&path))
    }
}

impl Destination {
    fn find(path: &Path) -> io::Result<Destination> {
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
            Ok(metadata) if !metadata.is_file() => {
                let device = OpenOptions::new().write(true).open(path);
                device.map(Destination::Direct)
            }
            Ok(metadata) => match own_stream(&metadata)? {
                Some(stream) => Ok(Destination::Direct(stream)),
                None => resolve(path).map(Destination::Beside),
            },
            Err(_) => resolve(path).map(Destination::Beside),
        }
    }
}

/// Standard output or error, if the file is what they were redirected to: a rename would
/// throw away what was printed.
#[cfg(unix)]
fn own_stream(metadata: &fs::Metadata) -> io::Result<Option<File>> {
    use std::os::fd::AsFd;
    let wanted = inode_of(metadata);
    for descriptor in [io::stdout().as_fd(), io::stderr().as_fd()] {
        let Ok(stream) = descriptor.try_clone_to_owned().map(File::from) else {
            continue; // it is closed
        };
        let metadata = stream.metadata()?;
        if metadata.is_file() && inode_of(&metadata) == wanted {
            return Ok(Some(stream));
        }
    }
    Ok(None)
}

#[cfg(not(unix))]
fn own_stream(_: &fs::Metadata) -> io::Result<Option<File>> {
    Ok(None)
}

/// Is what exists at `target` of this kind, and writable?
fn check_kind(path: &Path, target: &Path, kind: FileKind) -> Result<(), FileError> {
    let mut file = match OpenOptions::new().read(true).write(true).open(target) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        opened => opened.map_err(FileError::io(path))?,
    };
    check_head(path, &mut file, kind)
}

/// Is the open `file`, read from its start, of this kind?
fn check_head(path: &Path, file: &mut File, kind: FileKind) -> Result<(), FileError> {
    let mut head = Vec::new();
    let read = file.take(FileKind::HEAD as u64).read_to_end(&mut head);
    read.map_err(FileError::io(path))?;
    if head.is_empty() || (kind.is)(&head) {
        return Ok(());
    }
    FileError::refused(path, format!("it exists and is not {}", kind.name))
}

fn fill(
    file: File,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<File> {
    let mut writer = BufWriter::new(file);
    write(&mut writer)?;
    writer.into_inner().map_err(io::IntoInnerError::into_error)
}

fn replace(
    target: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    let (file, name) = part_file::create(target)?;
    name.give_to(&fill(file, write)?)
}

/// A file that one process at a time appends to. The system releases the lock when the process
/// ends, however it ends.
#[derive(Debug)]
pub struct GrowingFile {
    path: PathBuf,
    file: File,
    /// A device or pipe has neither contents nor a length.
    is_regular: bool,
}

impl GrowingFile {
    fn open(path: &Path, kind: FileKind) -> Result<GrowingFile, FileError> {
        let metadata = fs::metadata(path).ok();
        let is_file = metadata.as_ref().is_none_or(fs::Metadata::is_file);
        // What standard output was redirected to continues where that stands.
        let stream = match metadata.filter(|_| is_file) {
            Some(metadata) => own_stream(&metadata).map_err(FileError::io(path))?,
            None => None,
        };
        let is_regular = is_file && stream.is_none();
        let mut options = OpenOptions::new();
        if is_regular {
            options.read(true).create(true).truncate(false);
        }
        let opened = stream.map_or_else(|| options.write(true).open(path), Ok);
        let mut growing = GrowingFile {
            path: path.to_owned(),
            file: opened.map_err(FileError::io(path))?,
            is_regular,
        };
        if is_regular {
            if !file_lock::lock(&growing.file, path) {
                return FileError::refused(path, "another process is writing it");
            }
            check_head(path, &mut growing.file, kind)?;
        }
        Ok(growing)
    }

    /// The path as the user named it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Is it empty?
    ///
    /// # Errors
    /// If the system does not tell.
    pub fn is_empty(&self) -> Result<bool, FileError> {
        let metadata = self.file.metadata().map_err(FileError::io(&self.path))?;
        Ok(metadata.len() == 0)
    }

    /// Its contents, from the start. They are read through this open file: elsewhere the
    /// lock may keep its own process from reading.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn reader(&mut self) -> io::Result<Box<dyn Read + '_>> {
        if !self.is_regular {
            return Ok(Box::new(io::empty()));
        }
        self.file.seek(SeekFrom::Start(0))?;
        Ok(Box::new(io::BufReader::new(&mut self.file)))
    }

    /// Does it keep what is written, unlike a device, a pipe or a redirected standard output?
    pub const fn is_regular(&self) -> bool {
        self.is_regular
    }

    /// Cuts off what follows the first `length` bytes.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn truncate(&mut self, length: u64) -> Result<(), FileError> {
        if !self.is_regular {
            return Ok(());
        }
        let cut = self.file.set_len(length);
        cut.map_err(FileError::io(&self.path))
    }

    /// Adds `bytes` at the end, down to the disk.
    ///
    /// # Errors
    /// If it cannot be written. A part that was written is cut off again, if possible.
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        self.try_append(bytes).map_err(FileError::io(&self.path))
    }

    /// Puts in place of its contents what `write` makes of them, whole or not at all.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn rewrite(
        &mut self,
        write: impl FnOnce(&mut dyn Read, &mut BufWriter<File>) -> io::Result<()>,
    ) -> Result<(), FileError> {
        self.try_rewrite(write).map_err(FileError::io(&self.path))
    }

    /// Deletes it.
    ///
    /// # Errors
    /// If that fails.
    pub fn remove(self) -> Result<(), FileError> {
        // Deleted before it is closed: nobody else can have locked it yet.
        fs::remove_file(&self.path).map_err(FileError::io(&self.path))
    }

    fn try_rewrite(
        &mut self,
        write: impl FnOnce(&mut dyn Read, &mut BufWriter<File>) -> io::Result<()>,
    ) -> io::Result<()> {
        let target = resolve(&self.path)?;
        let (file, name) = part_file::create(&target)?;
        let mut before = self.reader()?;
        let file = fill(file, |out| write(&mut before, out))?;
        drop(before);
        // Locked before it has the name: nobody else writes it in between.
        if !file_lock::lock(&file, &target) {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        name.give_to(&file)?;
        self.file = file;
        Ok(())
    }

    fn try_append(&mut self, bytes: &[u8]) -> io::Result<()> {
        if !self.is_regular {
            return self.file.write_all(bytes);
        }
        let before = self.file.seek(SeekFrom::End(0))?;
        let written = self.file.write_all(bytes);
        if written.is_err() {
            let _ = self.file.set_len(before);
        }
        written.and_then(|()| self.file.sync_data())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIND: FileKind = FileKind {
        name: "a list of xs",
        is: |head| head.starts_with(b"x"),
    };

    /// A folder of a test, gone at its end.
    struct Folder(tempfile::TempDir);

    impl Folder {
        fn new() -> Folder {
            Folder(tempfile::tempdir().expect("a writable place"))
        }

        fn path(&self) -> &Path {
            self.0.path()
        }

        fn file(&self, name: &str, text: &str) -> PathBuf {
            let path = self.path().join(name);
            fs::write(&path, text).expect("a writable place");
            path
        }

        fn names(&self) -> Vec<String> {
            let entries = fs::read_dir(self.path()).expect("a folder");
            let name = |entry: io::Result<fs::DirEntry>| entry.expect("an entry").file_name();
            let mut names: Vec<String> = entries
                .map(|entry| name(entry).to_string_lossy().into_owned())
                .collect();
            names.sort();
            names
        }
    }

    fn text(path: &Path) -> String {
        fs::read_to_string(path).expect("a text file")
    }

    fn refused(path: &Path, inputs: &[&Path]) -> String {
        let output = UsedFiles::reading(inputs).output(path, KIND);
        output.expect_err("refused").to_string()
    }

    #[test]
    fn an_output_is_whole_or_untouched() {
        let folder = Folder::new();
        let path = folder.file("out", "xold");
        let output = || UsedFiles::default().output(&path, KIND).expect("writable");
        let broken = output().write(|file| {
            file.write_all(b"xha")?;
            Err(io::Error::other("no space"))
        });
        assert!(broken.is_err());
        assert_eq!(
            (text(&path).as_str(), folder.names()),
            ("xold", vec!["out".to_owned()])
        );
        output()
            .write(|file| file.write_all(b"xnew"))
            .expect("written");
        assert_eq!(
            (text(&path).as_str(), folder.names()),
            ("xnew", vec!["out".to_owned()])
        );
    }

    #[test]
    fn an_input_is_never_an_output_under_any_name() {
        let folder = Folder::new();
        let input = folder.file("in", "x");
        assert!(refused(&input, &[&input]).ends_with("uses the same file as input"));
        assert!(refused(&folder.path().join("./in"), &[&input]).contains("input"));
        let missing = folder.path().join("missing");
        assert!(refused(&missing, &[&missing]).contains("input"));
        // Elsewhere the new file replaces the link, and the input stays.
        #[cfg(unix)]
        {
            fs::hard_link(&input, folder.path().join("hard")).expect("links");
            assert!(refused(&folder.path().join("hard"), &[&input]).contains("input"));
        }
        let mut files = UsedFiles::default();
        files.output(&missing, KIND).expect("writable");
        let twice = files.output(&missing, KIND).expect_err("in use");
        assert!(twice.to_string().contains("another output"), "{twice}");
        let note = folder.path().join("note");
        files.claim(&note).expect("free");
        files
            .growing(&folder.path().join("log"), KIND)
            .expect("new");
        assert!(
            files.growing(&folder.path().join("log"), KIND).is_err(),
            "it is made"
        );
        folder.file("note", "it is made, too");
        let around = folder
            .path()
            .join("..")
            .join(folder.path().file_name().expect("a name"));
        for folder in [folder.path().to_owned(), folder.path().join("."), around] {
            assert!(
                files.output(&folder.join("note"), KIND).is_err(),
                "{folder:?}"
            );
        }
    }

    #[test]
    fn what_is_precious_is_not_replaced() {
        let folder = Folder::new();
        let output = |path: &Path| UsedFiles::default().new_output(path, KIND);
        assert!(output(&folder.path().join("new")).is_ok());
        assert!(output(&folder.file("empty", "")).is_ok());
        let error = output(&folder.file("old", "x")).expect_err("it exists");
        assert!(error.to_string().contains(": it exists: "), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed() {
        let folder = Folder::new();
        let input = folder.file("in", "x");
        let link = |name: &str, to: &str| {
            let path = folder.path().join(name);
            std::os::unix::fs::symlink(to, &path).expect("links");
            path
        };
        assert!(refused(&link("soft", "in"), &[&input]).contains("input"));
        let dangling = link("dangling", "new");
        let mut files = UsedFiles::reading([&input]);
        let output = files.output(&dangling, KIND).expect("writable");
        assert!(
            files.output(&folder.path().join("new"), KIND).is_err(),
            "the same file"
        );
        output.write(|file| file.write_all(b"x1")).expect("written");
        assert_eq!(text(&folder.path().join("new")), "x1");
        assert!(dangling.is_symlink());
        let around = link("around", "around");
        assert!(UsedFiles::default().output(&around, KIND).is_err());
    }

    #[test]
    fn a_file_of_another_kind_is_refused() {
        let folder = Folder::new();
        let other = folder.file("other", "letters");
        assert!(refused(&other, &[]).ends_with("it exists and is not a list of xs"));
        let growing = UsedFiles::default().growing(&other, KIND);
        let error = growing.expect_err("another kind").to_string();
        assert!(error.ends_with("it exists and is not a list of xs"));
        assert_eq!(text(&other), "letters");
        let empty = folder.file("empty", "");
        assert!(UsedFiles::default().output(&empty, KIND).is_ok());
    }

    #[test]
    fn what_cannot_be_written_is_an_error_at_the_start() {
        let folder = Folder::new();
        refused(folder.path(), &[]);
        refused(&folder.path().join("missing/out"), &[]);
        refused(&folder.file("plain", "x").join("out"), &[]);
        refused(Path::new(""), &[]);
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_written_directly() {
        let null = Path::new("/dev/null");
        let mut files = UsedFiles::reading([null]);
        let output = files.output(null, KIND).expect("writable");
        output.write(|file| file.write_all(b"y")).expect("written");
        let mut growing = files.growing(null, KIND).expect("writable");
        growing.append(b"y").expect("written");
        let full = UsedFiles::default().output(Path::new("/dev/full"), KIND);
        let written = full.map(|file| file.write(|file| file.write_all(b"x")));
        assert!(written.is_ok_and(|written| written.is_err()));
    }

    #[test]
    fn a_growing_file_has_one_owner() {
        let folder = Folder::new();
        let path = folder.path().join("log");
        let mut first = UsedFiles::default().growing(&path, KIND).expect("new");
        first.append(b"x1").expect("written");
        let second = UsedFiles::default().growing(&path, KIND);
        let error = second.expect_err("locked").to_string();
        assert!(
            error.ends_with("log: another process is writing it"),
            "{error}"
        );
        first.append(b"x2").expect("written");
        drop(first);
        let mut again = UsedFiles::default().growing(&path, KIND).expect("unlocked");
        let mut contents = String::new();
        let mut reader = again.reader().expect("readable");
        reader.read_to_string(&mut contents).expect("text");
        drop(reader);
        assert_eq!(contents, "x1x2");
        again.truncate(2).expect("cut");
        again.append(b"x3").expect("written");
        assert_eq!(text(&path), "x1x3");
    }
}
