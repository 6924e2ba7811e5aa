//! The file of played games: compact, with checksums, and continued after a killed run.
//!
//! A sealed container that grows. Its header has the origin of the games. A block is the number
//! of its first game (64 bits), how many games it has (32 bits), both little-endian, and one deflate
//! stream. In the stream each game is
//!
//! | bytes | what |
//! |---|---|
//! | 1 | plies at the start that were drawn at random |
//! | 1 | empties from which on both sides played perfectly |
//! | 1 + n | the moves: see `packing` |
//! | 1 + n | the scores of the searches behind the moves after the random ones, in discs for the side to move; none in a file without scores |
//!
//! The result is not stored: it follows from the moves. Files of version 1, such as those of
//! `data/games`, differ only in how header and blocks are sealed: see `version1`.

use std::fmt;
use std::io::{self, Cursor, Read};

use flate2::read::DeflateDecoder;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::container::{ContainerError, ContainerFormat, ContainerReader, Sealer, deflate};
use crate::files::FileKind;
use crate::rules::Game;

mod packing;
mod version1;

use version1::OldReader;

const FORMAT: ContainerFormat = ContainerFormat {
    magic: *b"EMILIAGM",
    version: 2,
    name: "a file of games",
};

/// The kind of file that commands write games to.
pub const KIND: FileKind = FileKind {
    name: FORMAT.name,
    is: |head| FORMAT.matches(head),
};

/// Most games in a block.
const MAX_GAMES: u32 = 1 << 20;

/// How games are played.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PlayOptions {
    /// Depth of the search for each move, at least 1.
    pub depth: u32,
    /// Empties from which on play is exact.
    pub exact: u32,
    /// Fewest plies at the start that are drawn at random.
    pub min_random: u32,
    /// Most such plies, at least `min_random`. The smaller of two draws between the bounds is used.
    pub max_random: u32,
}

/// A game, and how it was played.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlayedGame {
    /// The moves from the start position to the end.
    pub game: Game,
    /// Plies at the start that were given or drawn at random.
    pub random: usize,
    /// Empties from which on both sides played perfectly.
    pub exact: u32,
    /// The scores of the searches of the positions from ply `random` on, in discs for
    /// the side to move, up to where perfect play begins; empty if it was not kept.
    pub scores: Vec<i8>,
}

/// One line without its end: the moves, the final score for black, the number of random plies, and
/// the empties from which on play was perfect.
impl fmt::Display for PlayedGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let score = self.game.position().result_for_black().unwrap_or(0);
        let (random, exact) = (self.random, self.exact);
        let moves = self.game.transcript();
        write!(f, "{moves} {score:+} random {random} exact {exact}")
    }
}

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
    /// The version of the rules by which seed and options determine a game; 0 in old files.
    #[serde(default)]
    pub rules: u32,
    /// Were duplicates left out? Then the numbers of the games are new ones, and no run can
    /// continue the file.
    #[serde(default)]
    pub packed: bool,
}

/// Why a file of games cannot be read.
#[derive(Debug, Error)]
pub enum RecordError {
    /// It is something else, damaged or truncated.
    #[error(transparent)]
    Container(#[from] ContainerError),
    /// A game of a whole block that cannot be decoded, or is not legal.
    #[error("game {0} is not legal")]
    Game(u64),
}

/// What makes the bytes of a file of games.
pub struct RecordWriter(Sealer);

impl RecordWriter {
    /// Begins a file; also returns the bytes of its head.
    pub fn new(header: &RecordHeader) -> (RecordWriter, Vec<u8>) {
        let (sealer, head) = Sealer::new(&FORMAT, header);
        (RecordWriter(sealer), head)
    }

    /// The bytes of the next block: `games`, the first of which has the number `first`.
    ///
    /// # Errors
    /// If the moves of a game do not begin at the start position and end with the game.
    pub fn block(&mut self, first: u64, games: &[PlayedGame]) -> Result<Vec<u8>, RecordError> {
        let mut plain = Vec::new();
        for (number, game) in (first..).zip(games) {
            encode(game, &mut plain).ok_or(RecordError::Game(number))?;
        }
        let mut contents = first.to_le_bytes().to_vec();
        contents.extend_from_slice(&(games.len() as u32).to_le_bytes());
        contents.extend(deflate(&plain));
        Ok(self.0.block(&contents))
    }
}

/// Reads the games of a file, block after block.
pub struct RecordReader<R> {
    blocks: Blocks<R>,
    header: RecordHeader,
}

/// The sealed blocks of a file.
enum Blocks<R> {
    Version1(OldReader<R>),
    Container(ContainerReader<io::Chain<Cursor<Vec<u8>>, R>>),
}

/// Games of one block.
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
        let mut start = Vec::new();
        let length = FORMAT.magic.len() as u64 + 4;
        let read = reader.by_ref().take(length).read_to_end(&mut start);
        read.map_err(ContainerError::Io)?;
        let (blocks, header) = if FORMAT.version_of(&start) == Some(version1::VERSION) {
            let (reader, header) = OldReader::new(start, reader)?;
            (Blocks::Version1(reader), header)
        } else {
            let (reader, header) = ContainerReader::new(&FORMAT, Cursor::new(start).chain(reader))?;
            (Blocks::Container(reader), header)
        };
        Ok(RecordReader { blocks, header })
    }

    /// How the games were made.
    pub fn header(&self) -> &RecordHeader {
        &self.header
    }

    /// Bytes of the file up to the end of the last block that was read.
    pub fn position(&self) -> u64 {
        match &self.blocks {
            Blocks::Version1(reader) => reader.position(),
            Blocks::Container(reader) => reader.position(),
        }
    }

    /// What makes the blocks that follow those that were read; `None` for a file of version 1,
    /// which no run continues.
    pub fn into_writer(self) -> Option<RecordWriter> {
        match self.blocks {
            Blocks::Version1(_) => None,
            Blocks::Container(reader) => Some(RecordWriter(reader.into_sealer())),
        }
    }

    /// The next block; `None` at the end of the file.
    ///
    /// # Errors
    /// If it cannot be read, is damaged, or has a game that is not legal.
    pub fn block(&mut self) -> Result<Option<Block>, RecordError> {
        let contents = match &mut self.blocks {
            Blocks::Version1(reader) => reader.block()?,
            Blocks::Container(reader) => reader.block()?,
        };
        contents.map(|contents| unpack(&contents)).transpose()
    }
}

/// The games in the contents of a block.
fn unpack(contents: &[u8]) -> Result<Block, RecordError> {
    let split = || {
        let (first, rest) = contents.split_first_chunk()?;
        let (games, packed) = rest.split_first_chunk()?;
        let (first, games) = (u64::from_le_bytes(*first), u32::from_le_bytes(*games));
        let is_sane = games <= MAX_GAMES && first.checked_add(games.into()).is_some();
        is_sane.then_some((first, u64::from(games), packed))
    };
    let (first, games, packed) = split().ok_or(RecordError::Game(0))?;
    let most = games * 3 * 256;
    let mut plain = Vec::new();
    DeflateDecoder::new(packed)
        .take(most)
        .read_to_end(&mut plain)
        .map_err(|_| RecordError::Game(first))?;
    let mut rest = &plain[..];
    let games = (0..games)
        .map(|index| decode(&mut rest).ok_or(RecordError::Game(first + index)))
        .collect::<Result<_, _>>()?;
    Ok(Block { first, games })
}

/// Adds the bytes of `played`; `None` if it is not a whole game.
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

/// Takes the bytes of a game from the front of `rest`; `None` if they are not a game.
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
    let sane = played.random + played.scores.len() <= played.game.moves().len()
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
    use crate::container;
    use crate::formats::transcript;
    use crate::random::SplitMix64;
    use crate::rules::{Move, Position};

    const OPTIONS: PlayOptions = PlayOptions {
        depth: 1,
        exact: 6,
        min_random: 8,
        max_random: 40,
    };

    fn games() -> Vec<PlayedGame> {
        (0..6).map(game).collect()
    }

    /// A game of random moves.
    fn game(seed: u64) -> PlayedGame {
        let mut random = SplitMix64::new(seed);
        let mut game = Game::new(Position::START);
        while !game.position().board.is_over() {
            let square = random.choose(game.position().board.legal_moves());
            game.play(square.map_or(Move::Pass, Move::Place))
                .expect("legal");
        }
        PlayedGame {
            game,
            random: 12,
            exact: OPTIONS.exact,
            scores: vec![3, -3, seed as i8],
        }
    }

    #[test]
    fn a_game_is_printed_as_a_transcript() {
        let played = game(1);
        let text = played.to_string();
        assert!(text.ends_with(" random 12 exact 6"), "{text}");
        let line = transcript::parse_line(&text).expect("a good line");
        assert_eq!(line.expect("a game").game.moves(), played.game.moves());
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
        let (mut writer, mut bytes) = RecordWriter::new(&about);
        bytes.extend(writer.block(0, &games[..4]).expect("whole games"));
        let first = bytes.len();
        bytes.extend(writer.block(4, &games[4..]).expect("whole games"));
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
    fn changed_bytes_are_noticed() {
        let (bytes, _) = file(&games());
        for at in (0..bytes.len()).step_by(3) {
            let mut changed = bytes.clone();
            changed[at] ^= 0x10;
            assert!(read(&changed).is_err(), "byte {at}");
            // With the right checksums it may be other games.
            container::reseal(&mut changed);
            if let Ok(mut reader) = RecordReader::new(&changed[..]) {
                while let Ok(Some(_)) = reader.block() {}
            }
        }
    }

    /// A file of version 1 with the header and the blocks of this one of the present version.
    fn written_before(file: &[u8]) -> Vec<u8> {
        let seal = |mut bytes: Vec<u8>| {
            bytes.extend(crate::checksum::fnv1a(&bytes).to_le_bytes());
            bytes
        };
        let (mut reader, header) =
            container::ContainerReader::new::<serde_json::Value>(&FORMAT, file)
                .expect("a good file");
        let header = serde_json::to_vec(&header).expect("plain values");
        let mut start = FORMAT.magic.to_vec();
        start.extend(version1::VERSION.to_le_bytes());
        start.extend((header.len() as u32).to_le_bytes());
        let mut old = seal([start, header].concat());
        while let Some(contents) = reader.block().expect("a good file") {
            let length = (contents.len() as u32 - 12).to_le_bytes();
            old.extend(seal(
                [&contents[..12], &length[..], &contents[12..]].concat(),
            ));
        }
        old
    }

    #[test]
    fn files_of_version_1_stay_readable() {
        let games = games();
        let (bytes, _) = file(&games);
        let old = written_before(&bytes);
        let mut reader = RecordReader::new(&old[..]).expect("a good file");
        let blocks = [reader.block(), reader.block()].map(|block| {
            let block = block.expect("a good block");
            block.expect("two blocks").games
        });
        assert_eq!(blocks.concat(), games);
        assert!(reader.block().expect("the end").is_none());
        assert_eq!(reader.position(), old.len() as u64);
        assert!(reader.into_writer().is_none());
        for at in (0..old.len()).step_by(3) {
            let mut changed = old.clone();
            changed[at] ^= 0x10;
            assert!(read(&changed).is_err(), "byte {at}");
        }
    }
}
