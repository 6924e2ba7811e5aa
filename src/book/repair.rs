//! What can be read of a damaged book, wherever its blocks stand.
//!
//! A block says by its checksum which number it has. So it is found also where bytes were lost or came in before it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::block::{self, BLOCK, BlockKind, FileBlock, MAGIC};
use super::entry::BookLeaf;
use super::record::{Records, pack, unpack};
use super::store::{
    Book, BookError, BookSource, Damage, HEADER, HEADERS, INDEX, JOURNAL, io_error,
};
use super::tree::Tree;
use crate::rules::Board;

/// What could be read.
#[derive(Debug)]
pub struct Rescue {
    /// The positions; their scores follow from their moves.
    pub tree: Tree,
    /// Blocks that were not in their place.
    pub moved: usize,
    /// Blocks of positions that cannot be read.
    pub lost: Vec<Damage>,
}

/// Reads what can be read of a book.
///
/// # Errors
/// If the file cannot be read.
pub fn rescue(path: &Path) -> Result<Rescue, BookError> {
    let Scan {
        blocks,
        moved,
        places,
        ..
    } = Scan::new(path)?.run()?;
    let mut lost = match Book::of(path, BookSource::open(path)?) {
        Ok(book) => book.for_each(|_, _| {})?,
        Err(BookError::Damaged { .. } | BookError::NotABook(_)) => missing(&blocks),
        Err(error) => return Err(error),
    };
    // A block that stands where a journal would be may have come from elsewhere.
    let is_found = |damage: &Damage| {
        let is_other = damage.kind == JOURNAL && places.contains(&damage.block);
        blocks.contains_key(&damage.block) || is_other
    };
    lost.retain(|damage| ![HEADER, INDEX].contains(&damage.kind) && !is_found(damage));
    let mut tree = tree_of(&blocks);
    tree.negamax();
    Ok(Rescue { tree, moved, lost })
}

/// Blocks by their numbers.
type Blocks = BTreeMap<u64, Vec<u8>>;

/// Numbers of blocks that are not there, where no header says how many there were.
fn missing(blocks: &Blocks) -> Vec<Damage> {
    let end = blocks.keys().next_back().map_or(HEADERS, |last| last + 1);
    let missing = (HEADERS..end).filter(|number| !blocks.contains_key(number));
    let kind = "positions or changes";
    missing.map(|block| Damage { block, kind }).collect()
}

/// The positions in these blocks, after all changes.
fn tree_of(blocks: &Blocks) -> Tree {
    let mut tree = Tree::default();
    let mut removed = BTreeSet::new();
    // Changes come last, as their blocks do.
    for (&number, bytes) in blocks {
        let Some(block) = block::open(number, bytes) else {
            continue;
        };
        for (key, entry) in Records::of(&block).flatten() {
            let legal = unpack(key).map(Board::legal_moves);
            if legal.is_some_and(|legal| legal.is_empty()) {
                continue;
            }
            removed.remove(&key);
            let Some(mut entry) = entry else {
                removed.insert(key);
                continue;
            };
            let is_legal = |leaf: &BookLeaf| legal.is_none_or(|legal| legal.contains(leaf.square));
            entry.leaf = entry.leaf.filter(is_legal);
            tree.insert_key(key, entry);
        }
    }
    let kept: Vec<bool> = tree
        .iter()
        .map(|(board, _)| !removed.contains(&pack(board)))
        .collect();
    tree.retain(|number| kept[number]);
    tree
}

/// Looks for blocks from the start of a file to its end.
struct Scan {
    path: PathBuf,
    source: BookSource,
    length: u64,
    /// By how many blocks the last one stood before its place.
    shift: u64,
    /// Those with positions or changes.
    blocks: Blocks,
    /// How many of these were not in their place.
    moved: usize,
    /// Places where whole blocks of any kind stand.
    places: BTreeSet<u64>,
}

/// Numbers that are tried for a block that stands at another place.
const MAX_NUMBERS: u64 = 1 << 16;

impl Scan {
    fn new(path: &Path) -> Result<Scan, BookError> {
        let source = BookSource::open(path)?;
        let failed = io_error(path, "read");
        let length = source.length().map_err(failed)?;
        Ok(Scan {
            path: path.to_owned(),
            source,
            length,
            shift: 0,
            blocks: Blocks::new(),
            moved: 0,
            places: BTreeSet::new(),
        })
    }

    fn run(mut self) -> Result<Scan, BookError> {
        let mut offset = 0;
        let mut buffer = [0; BLOCK];
        while offset + BLOCK as u64 <= self.length {
            let read = self.source.read_at(&mut buffer, offset);
            read.map_err(io_error(&self.path, "read"))?;
            let Some((number, block)) = self.recognise(&buffer, offset) else {
                offset += next_magic(&buffer);
                continue;
            };
            let kinds = [BlockKind::Data, BlockKind::Journal, BlockKind::Commit];
            if kinds.iter().any(|&kind| kind as u8 == block.kind) {
                self.moved += usize::from(number * BLOCK as u64 != offset);
                self.blocks.insert(number, buffer.to_vec());
            }
            let last = offset + BLOCK as u64 - 1;
            self.places
                .extend([offset, last].map(|offset| offset / BLOCK as u64));
            offset += BLOCK as u64;
        }
        Ok(self)
    }

    /// The number of a whole block, and the block.
    fn recognise<'a>(&mut self, bytes: &'a [u8], offset: u64) -> Option<(u64, FileBlock<'a>)> {
        if !bytes.starts_with(&MAGIC) {
            return None;
        }
        let place = offset / BLOCK as u64;
        let most = (self.length / BLOCK as u64 + MAX_NUMBERS / 64).min(MAX_NUMBERS);
        let likely = [place.wrapping_sub(self.shift), place];
        let mut numbers = likely.into_iter().chain(0..most);
        let (number, block) =
            numbers.find_map(|number| Some((number, block::open(number, bytes)?)))?;
        self.shift = place.wrapping_sub(number);
        Some((number, block))
    }
}

/// How far it is to where the next block may begin.
fn next_magic(bytes: &[u8]) -> u64 {
    let mut places = bytes.windows(MAGIC.len()).skip(1);
    let place = places.position(|window| window == MAGIC);
    place.map_or(BLOCK - MAGIC.len() + 1, |place| place + 1) as u64
}
