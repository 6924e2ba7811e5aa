//! The file of played games: compact, checksummed, and good to go on with after
//! the program was killed.
//!
//! Layout, little-endian: the magic `EMILIAGM`, the version, the length of the
//! header and the header (JSON: how the games were made), the FNV-1a hash of all
//! that; then blocks. A block is the number of its first game (64 bits), its games
//! and its bytes (32 bits each), one deflate stream of that many bytes, and the
//! FNV-1a hash of all that. In the stream each game is
//!
//! | bytes | what |
//! |---|---|
//! | 1 | plies at the start that were drawn at random |
//! | 1 | empties from which on both sides played perfectly |
//! | 1 + n | the moves: see `packing` |
//! | 1 + n | the scores of the searches behind the moves after the random ones, in discs for the side to move; none in a file without scores |
//!
//! The result is not stored: it is what the moves lead to. A block is written in
//! one piece and is whole or worthless, so whoever goes on with a file cuts off
//! what follows its last whole block.

use std::io::{self, Read, Write};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::selfplay::{PlayOptions, PlayedGame};
use crate::checksum::fnv1a;

mod packing;

const MAGIC: [u8; 8] = *b"EMILIAGM";
const VERSION: u32 = 1;

/// Longest header that is read, in bytes.
const MAX_HEADER: u32 = 1 << 16;

/// Longest block that is read, in bytes of the file.
const MAX_BLOCK: u32 = 1 << 26;

/// Most games in a block.
const MAX_GAMES: u32 = 1 << 20;

/// How the games of a file were made.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RecordHeader {
    /// The seed of the run; game `n` depends on this, `n` and what follows only.
    pub seed: u64,
    /// How they were played.
    pub options: PlayOptions,
    /// Hash of the weights they were played with.
    pub weights: String,
    /// Hash of the opening file, empty if there was none.
    pub openings: String,
    /// Version of the engine.
    pub version: String,
    /// Which rules of drawing and playing: [`super::selfplay::RULES`]; 0 before there were any.
    #[serde(default)]
    pub rules: u32,
    /// Were duplicates left out? Then the numbers of the games are new ones, and no run can
    /// go on with the file.
    #[serde(default)]
    pub packed: bool,
}

/// Why a file of games cannot be read.
#[derive(Debug, Error)]
pub enum RecordError {
    /// The file could not be read.
    #[error("cannot read games: {0}")]
    Io(#[from] io::Error),
    /// It is something else, or of another version.
    #[error("not a file of games of version {VERSION}")]
    Format,
    /// Its header is damaged.
    #[error("the header of the games is damaged")]
    Header,
    /// The file ends within a block.
    #[error("the games are cut short after game {0}")]
    Cut(u64),
    /// A block whose bytes were changed.
    #[error("the games are damaged from game {0} on")]
    Block(u64),
    /// A block with good checksum that holds no legal games.
    #[error("game {0} is not legal")]
    Game(u64),
}

/// The bytes at the start of a file of games.
pub fn header(header: &RecordHeader) -> Vec<u8> {
    let json = serde_json::to_vec(header).expect("plain strings and numbers always serialise");
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&(json.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&json);
    seal(bytes)
}

/// The bytes of a block of `games`, the first of which has the number `first`.
///
/// # Errors
/// If the moves of a game do not begin at the start position and end with the game.
pub fn block(first: u64, games: &[PlayedGame]) -> Result<Vec<u8>, RecordError> {
    let mut plain = Vec::new();
    for (number, game) in (first..).zip(games) {
        encode(game, &mut plain).ok_or(RecordError::Game(number))?;
    }
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    let payload = encoder.write_all(&plain).and_then(|()| encoder.finish())?;
    let mut bytes = first.to_le_bytes().to_vec();
    bytes.extend_from_slice(&(games.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&(payload.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&payload);
    Ok(seal(bytes))
}

/// Reads the games of a file, block after block.
pub struct RecordReader<R> {
    reader: R,
    header: RecordHeader,
    /// Bytes of the file up to the end of the last whole block.
    read: u64,
    next: u64,
}

/// Games that stand together in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// The number of the first in its run.
    pub first: u64,
    /// The games.
    pub games: Vec<PlayedGame>,
}

impl<R: Read> RecordReader<R> {
    /// Reads the header.
    ///
    /// # Errors
    /// If it cannot be read or is not that of a file of games.
    pub fn new(mut reader: R) -> Result<RecordReader<R>, RecordError> {
        let mut bytes = vec![0; MAGIC.len() + 8];
        fill(&mut reader, &mut bytes)?.ok_or(RecordError::Format)?;
        let (version, length) = (u32_at(&bytes, 8), u32_at(&bytes, 12));
        if !bytes.starts_with(&MAGIC) || version != VERSION || length > MAX_HEADER {
            return Err(RecordError::Format);
        }
        let Sealed::Whole(json) = sealed(&mut reader, &mut bytes, length)? else {
            return Err(RecordError::Header);
        };
        Ok(RecordReader {
            header: serde_json::from_slice(&json).map_err(|_| RecordError::Header)?,
            reader,
            read: bytes.len() as u64 + 8,
            next: 0,
        })
    }

    /// How the games were made.
    pub fn header(&self) -> &RecordHeader {
        &self.header
    }

    /// Bytes of the file up to the end of the last block that was read.
    pub fn position(&self) -> u64 {
        self.read
    }

    /// The next block; `None` at the end of the file.
    ///
    /// # Errors
    /// If it cannot be read, is damaged, or holds what is no game.
    pub fn block(&mut self) -> Result<Option<Block>, RecordError> {
        let mut bytes = vec![0; 16];
        match fill(&mut self.reader, &mut bytes)? {
            None if bytes.is_empty() => return Ok(None),
            None => return Err(RecordError::Cut(self.next)),
            Some(()) => (),
        }
        let (first, games, length) = (u64_at(&bytes, 0), u32_at(&bytes, 8), u32_at(&bytes, 12));
        let Some(next) = first.checked_add(u64::from(games)) else {
            return Err(RecordError::Block(self.next));
        };
        if length > MAX_BLOCK || games > MAX_GAMES {
            return Err(RecordError::Block(self.next));
        }
        let payload = match sealed(&mut self.reader, &mut bytes, length)? {
            Sealed::Whole(payload) => payload,
            Sealed::Cut => return Err(RecordError::Cut(self.next)),
            Sealed::Changed => return Err(RecordError::Block(self.next)),
        };
        let most = u64::from(games) * 3 * 256;
        let mut plain = Vec::new();
        DeflateDecoder::new(&payload[..])
            .take(most)
            .read_to_end(&mut plain)
            .map_err(|_| RecordError::Block(first))?;
        let mut rest = &plain[..];
        let games: Vec<PlayedGame> = (0..u64::from(games))
            .map(|index| decode(&mut rest).ok_or(RecordError::Game(first + index)))
            .collect::<Result<_, _>>()?;
        self.read += bytes.len() as u64 + 8;
        self.next = next;
        Ok(Some(Block { first, games }))
    }
}

/// `bytes` and their hash.
fn seal(mut bytes: Vec<u8>) -> Vec<u8> {
    let hash = fnv1a(&bytes);
    bytes.extend_from_slice(&hash.to_le_bytes());
    bytes
}

/// Bytes that a hash follows.
enum Sealed {
    /// With the right one.
    Whole(Vec<u8>),
    /// The file ends within them.
    Cut,
    /// Their hash is another.
    Changed,
}

/// Reads `length` bytes that follow `bytes`, and adds them there; the hash after them is
/// that of both.
fn sealed(reader: &mut impl Read, bytes: &mut Vec<u8>, length: u32) -> Result<Sealed, io::Error> {
    let mut body = Vec::new();
    reader
        .by_ref()
        .take(u64::from(length))
        .read_to_end(&mut body)?;
    bytes.extend_from_slice(&body);
    let mut hash = vec![0; 8];
    if fill(reader, &mut hash)?.is_none() {
        return Ok(Sealed::Cut);
    }
    let whole = u64_at(&hash, 0) == fnv1a(bytes);
    Ok(if whole {
        Sealed::Whole(body)
    } else {
        Sealed::Changed
    })
}

/// Fills `bytes` from `reader`; where it ends too early, cuts them to what there
/// was and returns `None`.
fn fill(reader: &mut impl Read, bytes: &mut Vec<u8>) -> Result<Option<()>, io::Error> {
    let wanted = bytes.len();
    bytes.clear();
    reader
        .by_ref()
        .take(wanted as u64)
        .read_to_end(bytes)
        .map(|read| (read == wanted).then_some(()))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes[at..]
        .first_chunk()
        .map_or(0, |field| u32::from_le_bytes(*field))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes[at..]
        .first_chunk()
        .map_or(0, |field| u64::from_le_bytes(*field))
}

/// Adds the bytes of `played`; `None` if it is no whole game.
fn encode(played: &PlayedGame, to: &mut Vec<u8>) -> Option<()> {
    let moves = packing::pack(&played.game);
    packing::unpack(&moves).filter(|game| *game == played.game)?;
    to.push(u8::try_from(played.random).ok()?);
    to.push(u8::try_from(played.exact).ok()?);
    to.push(u8::try_from(moves.len()).ok()?);
    to.extend_from_slice(&moves);
    to.push(u8::try_from(played.scores.len()).ok()?);
    to.extend(played.scores.iter().map(|&score| score as u8));
    Some(())
}

/// Takes the bytes of a game from the front of `rest`; `None` if they are none.
fn decode(rest: &mut &[u8]) -> Option<PlayedGame> {
    let [random, exact, length] = *take(rest, 3)? else {
        return None;
    };
    let game = packing::unpack(take(rest, usize::from(length))?)?;
    let scores = take(rest, 1)?[0];
    let scores = take(rest, usize::from(scores))?;
    let played = PlayedGame {
        random: usize::from(random),
        exact: u32::from(exact),
        scores: scores.iter().map(|&score| score as i8).collect(),
        game,
    };
    let sane = played.random <= played.game.moves().len()
        && played.random + played.scores.len() <= played.game.moves().len()
        && played.scores.iter().all(|score| (-64..=64).contains(score));
    sane.then_some(played)
}

fn take<'a>(rest: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (head, tail) = rest.split_at_checked(length)?;
    *rest = tail;
    Some(head)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Evaluator;
    use crate::training::selfplay;
    use crate::training::solver::Solver;

    const OPTIONS: PlayOptions = PlayOptions {
        depth: 1,
        exact: 6,
        min_random: 8,
        max_random: 40,
    };

    fn games() -> Vec<PlayedGame> {
        let evaluator = Evaluator::embedded();
        let mut solver = Solver::new(evaluator).expect("memory for a small table");
        (0..6)
            .map(|number| selfplay::play(&mut solver, &OPTIONS, &[], 1, number))
            .collect()
    }

    fn file(games: &[PlayedGame]) -> (Vec<u8>, usize) {
        let about = RecordHeader {
            seed: 1,
            options: OPTIONS,
            weights: "0123".to_owned(),
            openings: String::new(),
            version: "1".to_owned(),
            rules: 1,
            packed: false,
        };
        let mut bytes = header(&about);
        bytes.extend(block(0, &games[..4]).expect("whole games"));
        let first = bytes.len();
        bytes.extend(block(4, &games[4..]).expect("whole games"));
        (bytes, first)
    }

    fn read(bytes: &[u8]) -> Result<Vec<PlayedGame>, RecordError> {
        let mut reader = RecordReader::new(bytes)?;
        let mut games = Vec::new();
        while let Some(block) = reader.block()? {
            assert_eq!(block.first, games.len() as u64);
            games.extend(block.games);
        }
        assert_eq!(reader.position(), bytes.len() as u64);
        Ok(games)
    }

    #[test]
    fn games_survive_the_file() {
        let games = games();
        assert_eq!(read(&file(&games).0).expect("a good file"), games);
    }

    #[test]
    fn a_file_cut_anywhere_keeps_its_whole_blocks() {
        let (bytes, first) = file(&games());
        for end in 0..bytes.len() {
            match RecordReader::new(&bytes[..end]) {
                Err(_) => assert!(end < first),
                Ok(mut reader) => {
                    let mut whole = reader.position();
                    while let Ok(Some(_)) = reader.block() {
                        whole = reader.position();
                    }
                    assert!(whole as usize <= end);
                    assert_eq!(whole as usize >= first, end >= first, "cut at {end}");
                }
            }
        }
    }

    #[test]
    fn changed_bytes_are_noticed() {
        let (bytes, _) = file(&games());
        for at in (0..bytes.len()).step_by(3) {
            let mut changed = bytes.clone();
            changed[at] ^= 0x10;
            assert!(read(&changed).is_err(), "byte {at}");
        }
    }
}
