//! WTHOR databases of tournament games, `.wtb`: the FFO's binary format, little-endian.
//!
//! A header of 16 bytes (date of the file, number of games, year of the games, board size,
//! and the empties from which the theoretical score is exact) and 68 bytes for each game:
//! tournament and players by number, black's discs as played and with best play, and up
//! to 60 moves as 10 × rank + file. Passes are left out, as in transcripts. The names are
//! in other files.

use std::path::Path;

use nom::bytes::complete::take;
use nom::number::complete::{le_u16, le_u32, u8};
use nom::{IResult, Parser};
use thiserror::Error;

use crate::rules::{Game, Move, Position, Square};

/// A database.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Database {
    /// The year in which the games were played.
    pub year: u16,
    /// Empties from which on the theoretical scores are exact.
    pub empties: u8,
    /// The games.
    pub games: Vec<WthorGame>,
}

/// A game and what the database says about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WthorGame {
    /// Number of the tournament in its list of names.
    pub tournament: u16,
    /// Number of the first player in the list of names.
    pub black: u16,
    /// Number of the second player.
    pub white: u16,
    /// Discs of black at the end, the empties counted for the winner, 0..=64.
    pub black_discs: u8,
    /// The same with best play of both sides from `Database::empties` on.
    pub theoretical: u8,
    /// The moves from the start, with every pass in its place.
    pub game: Game,
}

impl WthorGame {
    /// The result in discs for black, even, −64..=64.
    pub fn score(&self) -> i32 {
        2 * i32::from(self.black_discs) - 64
    }

    /// The result with best play, in discs for black.
    pub fn theoretical_score(&self) -> i32 {
        2 * i32::from(self.theoretical) - 64
    }
}

/// Why bytes are not a database.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum WthorError {
    /// The file is shorter than its header.
    #[error("the file is shorter than its header")]
    NoHeader,
    /// Boards of another size.
    #[error("the games are on boards of {0} x {0} squares, not 8 x 8")]
    Size(u8),
    /// The file ends too early.
    #[error("the file ends in game {game} of {games}")]
    CutShort {
        /// The first game is 1.
        game: u32,
        /// The number of games in the header.
        games: u32,
    },
    /// A list of names that ends too early.
    #[error("the file ends before the last of {names} names")]
    NamesCutShort {
        /// The number of names in the header.
        names: usize,
    },
    /// A year in which nobody played.
    #[error("the games are said to be of the year {0}")]
    Year(u16),
    /// More bytes than games.
    #[error("{bytes} bytes follow the last of {games} games")]
    TooLong {
        /// Those that are left.
        bytes: usize,
        /// The number of games in the header.
        games: u32,
    },
    /// An impossible number of discs.
    #[error("game {game} ends with {discs} black discs")]
    Discs {
        /// The first game is 1.
        game: u32,
        /// More than 64.
        discs: u8,
    },
    /// A move behind the end of the moves.
    #[error("game {game} has a move after its end, at move {ply}")]
    AfterEnd {
        /// The first game is 1.
        game: u32,
        /// The place of the move.
        ply: usize,
    },
    /// A move that is not legal, or not a square.
    #[error("move {ply} of game {game} is {found}, which is not legal")]
    Illegal {
        /// The first game is 1.
        game: u32,
        /// The first move is 1; passes are not counted.
        ply: usize,
        /// The byte: 10 × rank + file.
        found: u8,
    },
}

/// What comes before the games.
struct Header {
    games: u32,
    year: u16,
    size: u8,
    empties: u8,
}

/// A game as it is in the file.
struct RawGame<'a> {
    tournament: u16,
    black: u16,
    white: u16,
    discs: [u8; 2],
    moves: &'a [u8],
}

/// Is this the name of a database, `.wtb`, perhaps packed as `.wtb.gz`?
pub fn is_database(path: &Path) -> bool {
    let has = |path: &Path, wanted: &str| {
        let extension = path.extension();
        extension.is_some_and(|extension| extension.eq_ignore_ascii_case(wanted))
    };
    has(path, "wtb") || has(path, "gz") && has(&path.with_extension(""), "wtb")
}

/// Bytes of the header of any file of WTHOR.
const HEADER: usize = 16;

/// Years in which there may be games.
const YEARS: std::ops::RangeInclusive<u16> = 1900..=2200;

/// Do these bytes begin as a database does? A file of text does not.
pub(super) fn is_header(head: &[u8]) -> bool {
    let Ok((rest, header)) = header(head) else {
        return false;
    };
    let is_first = head.len() < HEADER + 8 || raw_game(rest).is_ok();
    matches!(header.size, 0 | 8 | 10)
        && (1..1 << 24).contains(&header.games)
        && YEARS.contains(&header.year)
        && is_first
}

/// Reads a file.
///
/// # Errors
/// If it is no database of games on 8 x 8 squares, or one of its games is not legal.
pub fn parse(bytes: &[u8]) -> Result<Database, WthorError> {
    let (mut database, games) = parse_each(bytes)?;
    database.games = games.collect::<Result<_, _>>()?;
    Ok(database)
}

/// The same, but a bad game does not spoil the others: the database without its games, and each game.
///
/// # Errors
/// If it is no database of games on 8 x 8 squares.
pub fn parse_each(bytes: &[u8]) -> Result<(Database, Each<&[u8]>), WthorError> {
    Each::new(bytes)
}

/// The games of a database, each or why it cannot be read. They are read when they are asked for.
#[derive(Clone, Debug)]
pub struct Each<B> {
    bytes: B,
    at: usize,
    game: u32,
    games: u32,
}

impl<B: AsRef<[u8]>> Each<B> {
    /// The database without its games, and the games.
    ///
    /// # Errors
    /// If it is no database of games on 8 x 8 squares.
    pub fn new(bytes: B) -> Result<(Database, Each<B>), WthorError> {
        let (_, header) = header(bytes.as_ref()).map_err(|_| WthorError::NoHeader)?;
        if !matches!(header.size, 0 | 8) {
            return Err(WthorError::Size(header.size));
        }
        // Files of mixed years have none.
        if header.year != 0 && !YEARS.contains(&header.year) {
            return Err(WthorError::Year(header.year));
        }
        let database = Database {
            year: header.year,
            empties: header.empties,
            games: Vec::new(),
        };
        let each = Each {
            bytes,
            at: HEADER,
            game: 0,
            games: header.games,
        };
        Ok((database, each))
    }
}

impl<B: AsRef<[u8]>> Iterator for Each<B> {
    type Item = Result<WthorGame, WthorError>;

    fn next(&mut self) -> Option<Result<WthorGame, WthorError>> {
        let rest = self.bytes.as_ref().get(self.at..).unwrap_or(&[]);
        let games = self.games;
        if self.game == games {
            let bytes = rest.len();
            self.at += bytes;
            return (bytes > 0).then_some(Err(WthorError::TooLong { bytes, games }));
        }
        self.game += 1;
        let game = self.game;
        let Ok((after, raw)) = raw_game(rest) else {
            (self.game, self.at) = (games, self.at + rest.len());
            return Some(Err(WthorError::CutShort { game, games }));
        };
        self.at += rest.len() - after.len();
        Some(raw.replay(game))
    }
}

/// Reads the list of players, `WTHOR.JOU`: names by number, each in 20 bytes.
///
/// # Errors
/// If it is shorter than it says.
pub fn parse_players(bytes: &[u8]) -> Result<Vec<String>, WthorError> {
    parse_names::<20>(bytes)
}

/// Reads the list of tournaments, `WTHOR.TRN`: names by number, each in 26 bytes.
///
/// # Errors
/// If it is shorter than it says.
pub fn parse_tournaments(bytes: &[u8]) -> Result<Vec<String>, WthorError> {
    parse_names::<26>(bytes)
}

fn parse_names<const NAME: usize>(bytes: &[u8]) -> Result<Vec<String>, WthorError> {
    let count = bytes.get(8..10).ok_or(WthorError::NoHeader)?;
    let count = usize::from(u16::from_le_bytes([count[0], count[1]]));
    let names = bytes.get(HEADER..HEADER + count * NAME);
    let names = names.ok_or(WthorError::NamesCutShort { names: count })?;
    let text = |name: &[u8]| {
        let letters = name.iter().take_while(|&&byte| byte != 0);
        // Latin 1, as its first readers wrote it.
        letters.map(|&byte| char::from(byte)).collect()
    };
    Ok(names.chunks_exact(NAME).map(text).collect())
}

fn header(input: &[u8]) -> IResult<&[u8], Header> {
    let (input, _date) = take(4usize).parse(input)?;
    let (input, (games, _, year)) = (le_u32, le_u16, le_u16).parse(input)?;
    let (input, (size, _kind, depth, _)) = (u8, u8, u8, u8).parse(input)?;
    let header = Header {
        games,
        year,
        size,
        // Old files have no such number; it is 22.
        empties: if depth == 0 { 22 } else { depth },
    };
    Ok((input, header))
}

fn raw_game(input: &[u8]) -> IResult<&[u8], RawGame<'_>> {
    let (input, (tournament, black, white)) = (le_u16, le_u16, le_u16).parse(input)?;
    let (input, (played, theoretical)) = (u8, u8).parse(input)?;
    let (input, moves) = take(60usize).parse(input)?;
    let raw = RawGame {
        tournament,
        black,
        white,
        discs: [played, theoretical],
        moves,
    };
    Ok((input, raw))
}

impl RawGame<'_> {
    fn replay(&self, number: u32) -> Result<WthorGame, WthorError> {
        if let Some(&discs) = self.discs.iter().find(|&&discs| discs > 64) {
            let game = number;
            return Err(WthorError::Discs { game, discs });
        }
        let mut game = Game::new(Position::START);
        let length = self.moves.iter().position(|&byte| byte == 0);
        let (moves, after) = self.moves.split_at(length.unwrap_or(self.moves.len()));
        if let Some(at) = after.iter().position(|&byte| byte != 0) {
            let (game, ply) = (number, moves.len() + at + 1);
            return Err(WthorError::AfterEnd { game, ply });
        }
        for (ply, &found) in (1..).zip(moves) {
            let played = square(found).and_then(|square| game.play(Move::Place(square)).ok());
            if played.is_none() {
                let game = number;
                return Err(WthorError::Illegal { game, ply, found });
            }
        }
        Ok(WthorGame {
            tournament: self.tournament,
            black: self.black,
            white: self.white,
            black_discs: self.discs[0],
            theoretical: self.discs[1],
            game,
        })
    }
}

/// 11 is a1, 18 is h1, 81 is a8.
fn square(byte: u8) -> Option<Square> {
    let (rank, file) = (u32::from(byte) / 10, u32::from(byte) % 10);
    let is_square = (1..=8).contains(&rank) && (1..=8).contains(&file);
    is_square.then(|| Square::wrapping(8 * (rank - 1) + file - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of one game with those moves.
    fn file(moves: &[u8]) -> Vec<u8> {
        let mut bytes = vec![20, 26, 11, 21, 1, 0, 0, 0, 0, 0, 0xea, 0x07, 8, 0, 24, 0];
        bytes.extend([7, 0, 1, 2, 3, 0, 40, 31]);
        bytes.extend(moves);
        bytes.resize(16 + 68, 0);
        bytes
    }

    #[test]
    fn a_game_is_read() {
        let database = parse(&file(&[65, 46, 33])).expect("a database");
        assert_eq!((database.year, database.empties), (2026, 24));
        let game = &database.games[0];
        assert_eq!((game.tournament, game.black, game.white), (7, 513, 3));
        assert_eq!((game.score(), game.theoretical_score()), (16, -2));
        assert_eq!(game.game.transcript(), "e6f4c3");
    }

    #[test]
    fn errors_name_the_game_and_the_move() {
        let error = |bytes: &[u8]| parse(bytes).expect_err("no database");
        assert_eq!(error(&[1, 2, 3]), WthorError::NoHeader);
        let cut = &file(&[65])[..80];
        assert_eq!(error(cut), WthorError::CutShort { game: 1, games: 1 });
        let (game, ply) = (1, 2);
        for found in [65, 11, 19, 99] {
            let expected = WthorError::Illegal { game, ply, found };
            assert_eq!(error(&file(&[65, found])), expected);
        }
        let mut bytes = file(&[65]);
        bytes[22] = 65;
        assert_eq!(error(&bytes), WthorError::Discs { game, discs: 65 });
        bytes[12] = 10;
        assert_eq!(error(&bytes), WthorError::Size(10));
        let bytes = [&file(&[65])[..], &[0; 3]].concat();
        assert_eq!(error(&bytes), WthorError::TooLong { bytes: 3, games: 1 });
        let mut bytes = file(&[65, 0, 33]);
        assert_eq!(error(&bytes), WthorError::AfterEnd { game, ply: 3 });
        bytes[11] = 0xff;
        assert_eq!(error(&bytes), WthorError::Year(0xffea));
    }

    #[test]
    fn a_bad_game_does_not_spoil_the_others() {
        let mut bytes = file(&[65]);
        bytes[4] = 4;
        for moves in [&[11][..], &[65, 46]] {
            bytes.extend(&file(moves)[16..]);
        }
        let (_, games) = parse_each(&bytes).expect("a database");
        let read: Vec<bool> = games.map(|game| game.is_ok()).collect();
        assert_eq!(read, [true, false, true, false], "and the last is missing");
    }
}
