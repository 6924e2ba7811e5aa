//! Changing a book: one writer at a time, and a kill at any moment loses only what was not committed.
//!
//! A commit appends blocks to the journal, down to the disk; a block that ends a commit is marked, and
//! readers leave out what follows the last mark. When the journal is long, everything is written
//! into a new file ([`NewBook`]) that then takes the name of the old one.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::block::{self, BLOCK, BlockKind, ROOM};
use super::entry::BookEntry;
use super::record::{self, Key, pack};
use super::store::{
    BUILTIN, Book, BookError, BookHeader, BookSource, HEADERS, INDEX_KEYS, MAX_JOURNAL,
    MAX_JOURNAL_BLOCKS, io_error,
};
use crate::file_lock;
use crate::part_file::{self, FinalName};
use crate::rules::{Bitboard, Board};

/// A book that is being changed.
#[derive(Debug)]
pub struct BookWriter {
    book: Book,
    /// The file of `book`, open for writing.
    file: File,
    /// Changes since the last commit.
    pending: BTreeMap<Key, Option<BookEntry>>,
}

impl BookWriter {
    /// Opens a book that is there to change it.
    ///
    /// # Errors
    /// If there is none, and as of [`BookWriter::open`].
    pub fn open_existing(path: &Path) -> Result<BookWriter, BookError> {
        let source = BookSource::open(path)?;
        if source.length().map_err(io_error(path, "read"))? == 0 {
            return Err(BookError::NotABook(path.to_owned()));
        }
        BookWriter::open(path)
    }

    /// Opens a book to change it, and makes an empty one if there is none.
    ///
    /// # Errors
    /// If it cannot be read or written, is no book, is damaged, or is being changed by another process: the file is
    /// as it was then.
    pub fn open(path: &Path) -> Result<BookWriter, BookError> {
        if path == Path::new(BUILTIN) {
            return Err(BookError::Builtin);
        }
        // A link keeps leading to the book when a new file takes its name.
        let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if fs::metadata(path).is_ok_and(|found| found.is_file() && found.len() == 0)
            || !fs::exists(path).unwrap_or(true)
        {
            let _first = lock(path, open_or_make(path)?)?;
            if fs::metadata(path).is_ok_and(|found| found.len() == 0) {
                NewBook::create(path)?.finish()?;
            }
        }
        loop {
            let file = lock(path, open_file(path)?)?;
            let book = reader_of(path, &file)?;
            // Between opening and locking, a new file may have taken the name.
            if is_same_file(path, &file) {
                book.check_whole()?;
                return Ok(BookWriter {
                    book,
                    file,
                    pending: BTreeMap::new(),
                });
            }
        }
    }

    /// What was committed.
    pub const fn book(&self) -> &Book {
        &self.book
    }

    /// What is known of a position, changes that are not committed included.
    ///
    /// # Errors
    /// As of [`Book::get`].
    pub fn get(&self, board: Board) -> Result<Option<BookEntry>, BookError> {
        let (canonical, symmetry) = board.canonical_with_symmetry();
        let key = pack(canonical);
        let entry = match self.pending.get(&key) {
            Some(change) => *change,
            None => self.book.get_key(key)?,
        };
        Ok(entry.map(|entry| entry.transform(symmetry.inverse())))
    }

    /// Says what is known of a position; `None` removes it.
    pub fn set(&mut self, board: Board, entry: Option<BookEntry>) {
        let (canonical, symmetry) = board.canonical_with_symmetry();
        let entry = entry.map(|entry| entry.transform(symmetry));
        self.pending.insert(pack(canonical), entry);
    }

    /// Says which moves of a position the repertoire allows; all of them: it says nothing.
    pub fn allow(&mut self, board: Board, allowed: Bitboard) {
        let (canonical, symmetry) = board.canonical_with_symmetry();
        let turned = allowed.map(|square| symmetry.apply_square(square).bit());
        let turned = Bitboard(turned.fold(0, |all, bit| all | bit));
        let (key, entry) = record::rule(pack(canonical), turned);
        self.pending.insert(key, Some(entry));
    }

    /// Remembers a game, so that it is counted once; `false`: it was counted before.
    ///
    /// # Errors
    /// As of [`Book::get`].
    pub(super) fn add_game(&mut self, fingerprint: u64) -> Result<bool, BookError> {
        let key = record::game_key(fingerprint);
        let is_new = !self.pending.contains_key(&key) && self.book.get_key(key)?.is_none();
        if is_new {
            self.pending.insert(key, Some(BookEntry::default()));
        }
        Ok(is_new)
    }

    /// Writes the changes, down to the disk.
    ///
    /// # Errors
    /// If that fails. The book is as it was then, and the changes still wait.
    pub fn commit(&mut self) -> Result<(), BookError> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let bytes = self.journal_blocks();
        let blocks = (bytes.len() / BLOCK) as u64;
        let changes = self.book.changes.len() + self.pending.len();
        if changes > MAX_JOURNAL || self.book.journal_blocks() + blocks > MAX_JOURNAL_BLOCKS {
            return self.commit_to_new_file();
        }
        self.append(&bytes).map_err(self.book.io("write"))?;
        self.book.blocks += blocks;
        self.book.changes.append(&mut self.pending);
        Ok(())
    }

    /// Writes the changes into a new file: the journal would be too long for readers.
    fn commit_to_new_file(&mut self) -> Result<(), BookError> {
        let before = self.book.changes.clone();
        let pending = self.pending.iter();
        self.book
            .changes
            .extend(pending.map(|(&key, &change)| (key, change)));
        match self.compact() {
            Ok(()) => self.pending.clear(),
            Err(error) => {
                self.book.changes = before;
                return Err(error);
            }
        }
        Ok(())
    }

    fn append(&self, bytes: &[u8]) -> io::Result<()> {
        let end = self.book.blocks * BLOCK as u64;
        let mut file = &self.file;
        // A commit that was cut short may stand there, and none of its blocks may follow those of this one.
        if file.metadata()?.len() != end {
            file.set_len(end)?;
        }
        file.seek(SeekFrom::Start(end))?;
        let written = file.write_all(bytes);
        let written = written.and_then(|()| file.sync_data());
        written.inspect_err(|_| {
            let _ = file.set_len(end);
        })
    }

    /// The changes as blocks; the last one ends the commit.
    fn journal_blocks(&self) -> Vec<u8> {
        let mut blocks = Vec::new();
        let mut number = self.book.blocks;
        let mut full = Payload::default();
        for (&key, change) in &self.pending {
            if !full.add(key, change.as_ref()) {
                blocks.extend(full.seal(number, BlockKind::Journal));
                number += 1;
                full.add(key, change.as_ref());
            }
        }
        blocks.extend(full.seal(number, BlockKind::Commit));
        blocks
    }

    /// Writes a new file without a journal, which takes the place of this one.
    ///
    /// # Errors
    /// If that fails: the book is as it was then.
    pub fn compact(&mut self) -> Result<(), BookError> {
        if self.book.changes.is_empty() {
            return Ok(());
        }
        let mut new = NewBook::create(&self.book.path)?;
        let damaged = self
            .book
            .for_each_key(|key, entry| new.push_key(key, entry))?;
        self.book.refuse(&damaged)?;
        let file = new.finish()?;
        self.book = reader_of(&self.book.path, &file)?;
        self.file = file;
        Ok(())
    }
}

/// Records that fill a block.
#[derive(Default)]
struct Payload {
    bytes: Vec<u8>,
    count: usize,
    /// The key of the last record.
    last: Key,
}

impl Payload {
    /// Adds a record, if there is room.
    fn add(&mut self, key: Key, entry: Option<&BookEntry>) -> bool {
        let before = self.bytes.len();
        record::write(self.last, key, entry, &mut self.bytes);
        let fits = self.bytes.len() <= ROOM;
        if fits {
            self.count += 1;
            self.last = key;
        } else {
            self.bytes.truncate(before);
        }
        fits
    }

    /// The block, and begins the next one.
    fn seal(&mut self, number: u64, kind: BlockKind) -> Vec<u8> {
        let block = block::seal(number, kind, self.count, &self.bytes);
        *self = Payload::default();
        block
    }
}

/// A book that is written in one go, in the order of its positions. It appears whole or not at all.
pub struct NewBook {
    path: PathBuf,
    name: FinalName,
    out: BufWriter<File>,
    first_keys: Vec<Key>,
    full: Payload,
    last: Option<Key>,
}

impl NewBook {
    /// Begins a book that will have this name.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn create(path: &Path) -> Result<NewBook, BookError> {
        let failed = io_error(path, "write");
        let (mut file, name) = part_file::create(path).map_err(&failed)?;
        // Room for the headers.
        let room = file.write_all(&[0; HEADERS as usize * BLOCK]);
        room.map_err(failed)?;
        Ok(NewBook {
            path: path.to_owned(),
            name,
            out: BufWriter::with_capacity(1 << 20, file),
            first_keys: Vec::new(),
            full: Payload::default(),
            last: None,
        })
    }

    /// Adds a canonical position, after all that sort before it ([`super::Tree::sort`] has the order).
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn push(&mut self, board: Board, entry: BookEntry) -> Result<(), BookError> {
        self.push_key(pack(board), entry)
    }

    /// The same with a key, which may be that of a game.
    pub(super) fn push_key(&mut self, key: Key, entry: BookEntry) -> Result<(), BookError> {
        debug_assert!(
            self.last.is_none_or(|last| last < key),
            "positions are not sorted"
        );
        self.last = Some(key);
        if !self.full.add(key, Some(&entry)) {
            self.end_block()?;
            self.full.add(key, Some(&entry));
        }
        if self.full.count == 1 {
            self.first_keys.push(key);
        }
        Ok(())
    }

    fn end_block(&mut self) -> Result<(), BookError> {
        let number = HEADERS + self.first_keys.len() as u64 - 1;
        let block = self.full.seal(number, BlockKind::Data);
        let written = self.out.write_all(&block);
        written.map_err(io_error(&self.path, "write"))
    }

    /// Gives it its name, and returns the file, which is locked.
    ///
    /// # Errors
    /// If that fails: what has this name stays as it was.
    pub fn finish(mut self) -> Result<File, BookError> {
        if self.full.count > 0 {
            self.end_block()?;
        }
        let path = self.path.clone();
        self.write_rest().map_err(io_error(&path, "write"))
    }

    fn write_rest(mut self) -> io::Result<File> {
        let data_blocks = self.first_keys.len() as u64;
        let mut index_blocks = 0;
        for keys in self.first_keys.chunks(INDEX_KEYS) {
            let mut payload = Vec::with_capacity(ROOM);
            keys.iter()
                .for_each(|&key| record::write_key(key, &mut payload));
            let number = HEADERS + data_blocks + index_blocks;
            self.out
                .write_all(&block::seal(number, BlockKind::Index, keys.len(), &payload))?;
            index_blocks += 1;
        }
        let header = BookHeader {
            data_blocks,
            index_blocks,
        };
        self.out.seek(SeekFrom::Start(0))?;
        for number in 0..HEADERS {
            self.out.write_all(&header.seal(number))?;
        }
        let file = self.out.into_inner();
        let file = file.map_err(io::IntoInnerError::into_error)?;
        // Whoever opens it when it has its name finds it locked, as the old file is.
        let _ = file.try_lock();
        self.name.give_to(&file)?;
        Ok(file)
    }
}

fn open_file(path: &Path) -> Result<File, BookError> {
    let opened = OpenOptions::new().read(true).write(true).open(path);
    opened.map_err(io_error(path, "write"))
}

/// A book that reads a file that is open.
fn reader_of(path: &Path, file: &File) -> Result<Book, BookError> {
    let file = file.try_clone().map_err(io_error(path, "open"))?;
    Book::of(path, BookSource::File(file))
}

fn open_or_make(path: &Path) -> Result<File, BookError> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    options.open(path).map_err(io_error(path, "write"))
}

fn lock(path: &Path, file: File) -> Result<File, BookError> {
    match file_lock::lock(&file, path) {
        true => Ok(file),
        false => Err(BookError::InUse(path.to_owned())),
    }
}

#[cfg(unix)]
fn is_same_file(path: &Path, file: &File) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    let named = fs::metadata(path).map(identity).ok();
    named.is_some() && named == file.metadata().map(identity).ok()
}

/// Elsewhere an open file keeps its name.
#[cfg(not(unix))]
fn is_same_file(_: &Path, _: &File) -> bool {
    true
}
