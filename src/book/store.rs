//! Reading a book: positioned reads of single blocks, and the latest changes in memory.
//!
//! A file is two equal headers, blocks of entries in the order of their keys, an index with the first key of each,
//! and a journal. The journal is short: a writer that finds it long writes a new file, so what a reader
//! keeps in memory is bounded by the index (16 bytes for about 280 positions) and [`MAX_JOURNAL`] entries, and what it
//! reads when it opens by [`MAX_JOURNAL_BLOCKS`].

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::block::{self, BLOCK, BlockKind, FileBlock, MAGIC, ROOM};
use super::entry::BookEntry;
use super::record::{KEY_BYTES, Key, Records, allowed_by, pack, read_key, rule_key, unpack};
use crate::embedded::BOOK;
use crate::rules::{Bitboard, Board, Symmetry};

/// The version of the format. Blocks say themselves how their records stand, so version 1 is read as well.
pub(super) const VERSION: usize = 2;

/// Blocks in front of the entries: a header, and another one in case that the first is damaged.
pub(super) const HEADERS: u64 = 2;

/// Keys in a block of the index.
pub(super) const INDEX_KEYS: usize = ROOM / KEY_BYTES;

/// Positions that the journal changes, before a writer writes a new file.
pub(super) const MAX_JOURNAL: usize = 50_000;

/// Blocks of the journal, before a writer writes a new file: a commit takes one, however little has changed.
pub(super) const MAX_JOURNAL_BLOCKS: u64 = if cfg!(test) { 64 } else { 2048 };

/// Why a book cannot be read or written.
#[derive(Debug, Error)]
pub enum BookError {
    /// The operating system refuses.
    #[error("cannot {verb} {path}", path = path.display())]
    Io {
        /// What was tried.
        verb: &'static str,
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The file is something else.
    #[error("{path} is no book of Emilia (`emilia book import` reads books of other programs, `emilia book repair` what is left of a damaged one)", path = .0.display())]
    NotABook(PathBuf),
    /// Another version of Emilia wrote it.
    #[error("{path} is a book of version {version}; this program reads versions up to {VERSION}", path = path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: usize,
    },
    /// A part is damaged. A writer would lose for good what it cannot read.
    #[error("{path} is damaged: {damage}{more}; `emilia book repair {path} OUT` saves what can be read", path = path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The first damage.
        damage: Damage,
        /// What else there is.
        more: String,
    },
    /// It is part of the program.
    #[error("the built-in book cannot be changed: name a file")]
    Builtin,
    /// It is being changed.
    #[error("another process is changing {path}", path = .0.display())]
    InUse(PathBuf),
}

/// A damaged part of a book.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("block {block} (bytes {first} to {last}, {kind}) is not what was written", first = block * BLOCK as u64, last = (block + 1) * BLOCK as u64 - 1)]
pub struct Damage {
    /// The number of the block, from 0.
    pub block: u64,
    /// What it held.
    pub kind: &'static str,
}

/// Kinds of blocks.
pub(super) const HEADER: &str = "the header";
pub(super) const INDEX: &str = "index";
pub(super) const JOURNAL: &str = "journal";

/// The name of the book inside the program.
pub const BUILTIN: &str = "builtin";

/// The book inside the program where that is not compiled in but comes later, as these bytes.
///
/// # Errors
/// If they are no book.
#[cfg(feature = "lent-weights")]
pub fn builtin_of(bytes: Vec<u8>) -> Result<Book, BookError> {
    BOOK.lend(bytes.leak());
    Book::open(Path::new(BUILTIN))
}

/// Where the bytes of a book are.
#[derive(Debug)]
pub(super) enum BookSource {
    File(File),
    Bytes(&'static [u8]),
}

impl BookSource {
    /// A file, or the book inside the program.
    pub(super) fn open(path: &Path) -> Result<BookSource, BookError> {
        if path == Path::new(BUILTIN) {
            return Ok(BookSource::Bytes(BOOK.bytes()));
        }
        let file = File::open(path).map_err(io_error(path, "open"))?;
        Ok(BookSource::File(file))
    }

    pub(super) fn length(&self) -> io::Result<u64> {
        match self {
            BookSource::File(file) => Ok(file.metadata()?.len()),
            BookSource::Bytes(bytes) => Ok(bytes.len() as u64),
        }
    }

    pub(super) fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        let bytes = match self {
            BookSource::File(file) => return read_at(file, buffer, offset),
            BookSource::Bytes(bytes) => bytes.get(offset as usize..),
        };
        let found = bytes.and_then(|bytes| bytes.get(..buffer.len()));
        buffer.copy_from_slice(found.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }
}

/// A book that is read. What a writer changes later, it does not see.
#[derive(Debug)]
pub struct Book {
    pub(super) path: PathBuf,
    source: BookSource,
    /// The first key of each block of entries.
    first_keys: Vec<Key>,
    /// Changes in the journal; `None`: removed.
    pub(super) changes: BTreeMap<Key, Option<BookEntry>>,
    /// Blocks up to the end of the last commit.
    pub(super) blocks: u64,
    /// The first block of the journal.
    journal_start: u64,
    /// What is damaged of index and journal.
    damaged: Vec<Damage>,
    /// The first block of entries that is missing, where the file is cut short.
    cut: Option<u64>,
}

impl Book {
    /// Opens a book; `builtin` is the one inside the program, not a file.
    ///
    /// # Errors
    /// If it cannot be read, is no book, or both headers are damaged.
    pub fn open(path: &Path) -> Result<Book, BookError> {
        let book = Book::of(path, BookSource::open(path)?)?;
        for damage in &book.damaged {
            log::warn!("{} is damaged: {damage}", path.display());
        }
        Ok(book)
    }

    pub(super) fn of(path: &Path, source: BookSource) -> Result<Book, BookError> {
        let mut book = Book {
            path: path.to_owned(),
            source,
            first_keys: Vec::new(),
            changes: BTreeMap::new(),
            blocks: HEADERS,
            journal_start: HEADERS,
            damaged: Vec::new(),
            cut: None,
        };
        let header = book.header()?;
        let length = book.source.length().map_err(book.io("read"))? / BLOCK as u64;
        let base = header.data_blocks.checked_add(header.index_blocks);
        let end = base.and_then(|blocks| blocks.checked_add(HEADERS));
        let Some(end) = end else {
            return book.damage(0, HEADER);
        };
        let present = length.saturating_sub(HEADERS).min(header.data_blocks);
        if present < header.data_blocks {
            let block = HEADERS + present;
            book.cut = Some(block);
            book.damaged.push(Damage {
                block,
                kind: "positions, and all behind it",
            });
        }
        book.read_index(header, present)?;
        book.blocks = end;
        book.journal_start = end;
        book.read_journal(length)?;
        Ok(book)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is known to be damaged; [`Book::for_each`] finds the rest.
    pub fn damaged(&self) -> &[Damage] {
        &self.damaged
    }

    /// Blocks of the journal.
    pub(super) const fn journal_blocks(&self) -> u64 {
        self.blocks - self.journal_start
    }

    pub(super) fn io(&self, verb: &'static str) -> impl Fn(io::Error) -> BookError + use<> {
        io_error(&self.path, verb)
    }

    fn damage<T>(&self, block: u64, kind: &'static str) -> Result<T, BookError> {
        self.damages(Damage { block, kind }, String::new())
    }

    fn damages<T>(&self, damage: Damage, more: String) -> Result<T, BookError> {
        let path = self.path.clone();
        Err(BookError::Damaged { path, damage, more })
    }

    /// What stands in the first whole header; the other one should be equal.
    fn header(&mut self) -> Result<BookHeader, BookError> {
        let mut buffer = [0; BLOCK];
        let mut is_ours = false;
        let mut found = [None; HEADERS as usize];
        for number in 0..HEADERS {
            match self.source.read_at(&mut buffer, number * BLOCK as u64) {
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => continue,
                read => read.map_err(self.io("read"))?,
            }
            is_ours |= buffer.starts_with(&MAGIC);
            let Some(block) = block::open(number, &buffer) else {
                continue;
            };
            if !(1..=VERSION).contains(&block.count) {
                return Err(BookError::Version {
                    path: self.path.clone(),
                    version: block.count,
                });
            }
            found[number as usize] = BookHeader::read(&block);
        }
        let header = found.iter().flatten().next().copied();
        let Some(header) = header else {
            return match is_ours {
                true => self.damage(0, HEADER),
                false => Err(BookError::NotABook(self.path.clone())),
            };
        };
        let differs = (0..HEADERS)
            .zip(found)
            .filter(|(_, found)| *found != Some(header));
        let kind = HEADER;
        self.damaged
            .extend(differs.map(|(block, _)| Damage { block, kind }));
        Ok(header)
    }

    /// Reads a block and checks it; `None`: it is damaged.
    fn block<'a>(
        &self,
        number: u64,
        buffer: &'a mut [u8; BLOCK],
    ) -> Result<Option<FileBlock<'a>>, BookError> {
        match self.source.read_at(buffer, number * BLOCK as u64) {
            Ok(()) => Ok(block::open(number, buffer)),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(self.io("read")(error)),
        }
    }

    /// Reads the index of the blocks of entries that are there.
    fn read_index(&mut self, header: BookHeader, present: u64) -> Result<(), BookError> {
        let mut buffer = [0; BLOCK];
        let index = HEADERS + header.data_blocks;
        for (number, first) in (index..).zip((0..present).step_by(INDEX_KEYS)) {
            let keys = (header.data_blocks - first).min(INDEX_KEYS as u64) as usize;
            let wanted = (present - first).min(INDEX_KEYS as u64) as usize;
            let found = self.block(number, &mut buffer)?;
            let is_index =
                |block: &FileBlock<'_>| block.kind == BlockKind::Index as u8 && block.count == keys;
            if let Some(block) = found.filter(is_index) {
                let chunks = block.payload.chunks_exact(KEY_BYTES).take(wanted);
                self.first_keys.extend(chunks.filter_map(read_key));
            } else {
                self.damaged.push(Damage {
                    block: number,
                    kind: INDEX,
                });
                self.rebuild_index(first, wanted)?;
            }
        }
        Ok(())
    }

    /// Reads the first keys of so many blocks from the blocks themselves.
    fn rebuild_index(&mut self, first: u64, count: usize) -> Result<(), BookError> {
        let mut buffer = [0; BLOCK];
        for at in first..first + count as u64 {
            let block = self.block(HEADERS + at, &mut buffer)?;
            let key = block.and_then(|block| Records::of(&block).first_key());
            // Of a damaged block nothing is found anyway.
            let before = self.first_keys.last().copied().unwrap_or_default();
            self.first_keys.push(key.unwrap_or(before));
        }
        Ok(())
    }

    /// Reads the changes up to the last whole commit. What stands behind it is a commit that was cut short, which is no
    /// damage: whole blocks, and nothing or zeros behind them. No writer makes a journal of more than
    /// [`MAX_JOURNAL_BLOCKS`]: what stands behind them is not read.
    fn read_journal(&mut self, length: u64) -> Result<(), BookError> {
        let mut buffer = [0; BLOCK];
        let mut pending = Vec::new();
        let mut doubts = Vec::new();
        let end = self.blocks.saturating_add(MAX_JOURNAL_BLOCKS).min(length);
        for number in self.blocks..end {
            let block = self.block(number, &mut buffer)?;
            let is_journal = |block: &FileBlock<'_>| {
                [BlockKind::Journal as u8, BlockKind::Commit as u8].contains(&block.kind)
            };
            let Some(block) = block.filter(is_journal) else {
                let damage = Damage {
                    block: number,
                    kind: JOURNAL,
                };
                doubts.push((damage, buffer.iter().any(|&byte| byte != 0)));
                continue;
            };
            pending.extend(Records::of(&block).flatten());
            if block.kind == BlockKind::Commit as u8 {
                self.changes.extend(pending.drain(..));
                self.damaged
                    .extend(doubts.drain(..).map(|(damage, _)| damage));
                self.blocks = number + 1;
            }
        }
        let before = self.damaged.len();
        let unlike_a_kill = doubts.into_iter().filter(|(_, is_written)| *is_written);
        self.damaged.extend(unlike_a_kill.map(|(damage, _)| damage));
        if self.blocks < length && self.damaged.len() == before {
            log::warn!(
                "{}: what stands from block {} on is left out: a change that is not complete",
                self.path.display(),
                self.blocks
            );
        }
        Ok(())
    }

    /// Reads all of it: a writer needs that.
    ///
    /// # Errors
    /// If it is damaged anywhere, or cannot be read.
    pub(super) fn check_whole(&self) -> Result<(), BookError> {
        let damaged = self.for_each(|_, _| {})?;
        self.refuse(&damaged)
    }

    /// The error of who needs all of it and meets such damage.
    pub(super) fn refuse(&self, damaged: &[Damage]) -> Result<(), BookError> {
        let Some((&damage, others)) = damaged.split_first() else {
            return Ok(());
        };
        let more = match others.len() {
            0 => String::new(),
            1 => ", and another block".to_owned(),
            others => format!(", and {others} more blocks"),
        };
        self.damages(damage, more)
    }

    /// What is known of a position, for this board and not for its canonical image.
    ///
    /// # Errors
    /// If the block in which it stands is damaged or cannot be read.
    pub fn get(&self, board: Board) -> Result<Option<BookEntry>, BookError> {
        let (canonical, symmetry) = board.canonical_with_symmetry();
        let entry = self.get_key(pack(canonical))?;
        Ok(entry.map(|entry| entry.transform(symmetry.inverse())))
    }

    /// The moves that the repertoire of the book allows in a position; `None`: it says nothing.
    ///
    /// # Errors
    /// If it is damaged there, or cannot be read.
    pub fn allowed(&self, board: Board) -> Result<Option<Bitboard>, BookError> {
        let (canonical, symmetry) = board.canonical_with_symmetry();
        let key = rule_key(pack(canonical));
        let entry = self.get_key(key)?;
        let allowed = entry.and_then(|entry| allowed_by(key, &entry));
        Ok(allowed.and_then(|allowed| restricting(board, allowed, symmetry.inverse())))
    }

    pub(super) fn get_key(&self, key: Key) -> Result<Option<BookEntry>, BookError> {
        if let Some(change) = self.changes.get(&key) {
            return Ok(*change);
        }
        let behind = self.first_keys.partition_point(|&first| first <= key);
        if behind == 0 {
            let missing = self.cut.filter(|_| self.first_keys.is_empty());
            return missing.map_or(Ok(None), |missing| self.damage(missing, "positions"));
        }
        let number = HEADERS + behind as u64 - 1;
        let mut buffer = [0; BLOCK];
        let block = self.block(number, &mut buffer)?;
        let block = block.filter(|block| block.kind == BlockKind::Data as u8);
        let found = block
            .ok_or(())
            .and_then(|block| Records::of(&block).find(key));
        match (found, self.cut) {
            (Err(()), _) => self.damage(number, "positions"),
            // Behind the last block that is there, nothing is known.
            (Ok(None), Some(missing)) if missing == number + 1 => self.damage(missing, "positions"),
            (Ok(entry), _) => Ok(entry),
        }
    }

    /// Calls `visit` with all canonical positions, in a fixed order. Returns all that is damaged of the file.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn for_each(
        &self,
        mut visit: impl FnMut(Board, BookEntry),
    ) -> Result<Vec<Damage>, BookError> {
        self.for_each_key(|key, entry| {
            if let Some(board) = unpack(key) {
                visit(board, entry);
            }
            Ok(())
        })
    }

    /// Calls `visit` with each position as [`Book::for_each`], and then with each game, until it fails.
    pub(super) fn for_each_key(
        &self,
        mut visit: impl FnMut(Key, BookEntry) -> Result<(), BookError>,
    ) -> Result<Vec<Damage>, BookError> {
        let mut damaged = self.damaged.clone();
        let mut changes = self.changes.iter().peekable();
        let mut visit = |key: Key, entry: Option<BookEntry>| match entry {
            Some(entry) => visit(key, entry),
            None => Ok(()),
        };
        let mut buffer = [0; BLOCK];
        for at in 0..self.first_keys.len() as u64 {
            let number = HEADERS + at;
            let block = self.block(number, &mut buffer)?;
            let block = block.filter(|block| block.kind == BlockKind::Data as u8);
            let records = block.map(|block| Records::of(&block));
            let is_damaged = Some(Damage {
                block: number,
                kind: "positions",
            });
            damaged.extend(is_damaged.filter(|_| records.is_none()));
            for record in records.into_iter().flatten() {
                let Some((key, entry)) = record else {
                    damaged.extend(is_damaged);
                    break;
                };
                while let Some((&changed, change)) = changes.next_if(|&(&change, _)| change < key) {
                    visit(changed, *change)?;
                }
                let change = changes.next_if(|&(&change, _)| change == key);
                visit(key, change.map_or(entry, |(_, change)| *change))?;
            }
        }
        for (&key, change) in changes {
            visit(key, *change)?;
        }
        Ok(damaged)
    }
}

/// What a repertoire allows, seen through `symmetry`; `None`: all moves of the board, or none of them.
pub(super) fn restricting(board: Board, allowed: Bitboard, symmetry: Symmetry) -> Option<Bitboard> {
    let turned = allowed.map(|square| symmetry.apply_square(square).bit());
    let (legal, turned) = (board.legal_moves().0, turned.fold(0, |all, bit| all | bit));
    let allowed = Bitboard(legal & turned);
    (!allowed.is_empty() && allowed.0 != legal).then_some(allowed)
}

pub(super) fn io_error(path: &Path, verb: &'static str) -> impl Fn(io::Error) -> BookError + use<> {
    let path = path.to_owned();
    move |source| BookError::Io {
        verb,
        path: path.clone(),
        source,
    }
}

/// What a header says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct BookHeader {
    pub(super) data_blocks: u64,
    pub(super) index_blocks: u64,
}

impl BookHeader {
    fn read(block: &FileBlock<'_>) -> Option<BookHeader> {
        let number = |at: usize| {
            let bytes = block.payload.get(8 * at..8 * at + 8)?;
            Some(u64::from_le_bytes(bytes.try_into().ok()?))
        };
        (block.kind == BlockKind::Header as u8).then_some(())?;
        let header = BookHeader {
            data_blocks: number(0)?,
            index_blocks: number(1)?,
        };
        let needed = header.data_blocks.div_ceil(INDEX_KEYS as u64);
        (header.index_blocks == needed).then_some(header)
    }

    pub(super) fn seal(self, number: u64) -> Vec<u8> {
        let numbers = [self.data_blocks, self.index_blocks];
        let payload: Vec<u8> = numbers
            .iter()
            .flat_map(|number| number.to_le_bytes())
            .collect();
        block::seal(number, BlockKind::Header, VERSION, &payload)
    }
}

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, offset)
}

#[cfg(not(unix))]
fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
    use std::io::{Read, Seek, SeekFrom};
    // Readers of several threads share one place in the file.
    static PLACE: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _alone = PLACE.lock();
    let mut file = file;
    file.seek(SeekFrom::Start(offset))?;
    file.read_exact(buffer)
}
