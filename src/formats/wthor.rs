//! WTHOR databases of tournament games, `.wtb`: the FFO's binary format, little-endian.
//!
//! A header of 16 bytes (date of the file, number of games, year of the games, board size,
//! and the empties from which the theoretical score is exact) and 68 bytes for each game:
//! tournament and players by number, black's discs as played and with best play, and up
//! to 60 moves as 10 × rank + file. Passes are left out, as in transcripts. The names are
//! in other files.

use std::path::Path;

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
    /// Discs of black at the end with best play of both sides from `Database::empties` on.
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

/// Why bytes are not a database, or one of its games is none: games and moves are counted from 1, passes are not.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("{reason}")]
pub struct WthorError {
    reason: String,
    /// Of a game with an illegal move, what stands before it.
    pub before: Option<Box<WthorGame>>,
}

impl WthorError {
    fn no_header() -> WthorError {
        WthorError::from("the file is shorter than its header".to_owned())
    }
}

impl From<String> for WthorError {
    fn from(reason: String) -> WthorError {
        WthorError {
            reason,
            before: None,
        }
    }
}

/// What comes before the games.
struct DatabaseHeader {
    games: u32,
    year: u16,
    size: u8,
    empties: u8,
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

const GAME: usize = 68;

const YEARS: std::ops::RangeInclusive<u16> = 1900..=2200;

/// Do these bytes begin as a database does? A file of text does not.
pub(super) fn is_header(head: &[u8]) -> bool {
    let is_first = head.len() < HEADER + 8 || head.len() >= HEADER + GAME;
    let is_likely = |header: DatabaseHeader| {
        matches!(header.size, 0 | 8 | 10)
            && (1..1 << 24).contains(&header.games)
            && YEARS.contains(&header.year)
    };
    is_first && header(head).is_some_and(is_likely)
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

/// Parses a database of which a bad game does not spoil the others: the database without its games, and each game or why it
/// cannot be read. They are read when they are asked for.
///
/// # Errors
/// If it is no database of games on 8 x 8 squares.
pub fn parse_each<B: AsRef<[u8]>>(
    bytes: B,
) -> Result<
    (
        Database,
        impl Iterator<Item = Result<WthorGame, WthorError>>,
    ),
    WthorError,
> {
    let header = header(bytes.as_ref()).ok_or_else(WthorError::no_header)?;
    let DatabaseHeader { size, year, .. } = header;
    if !matches!(size, 0 | 8) {
        let reason = format!("the games are on boards of {size} x {size} squares, not 8 x 8");
        return Err(reason.into());
    }
    // Files of mixed years have none.
    if year != 0 && !YEARS.contains(&year) {
        let reason = format!("the games are said to be of the year {year}");
        return Err(reason.into());
    }
    let database = Database {
        year,
        empties: header.empties,
        games: Vec::new(),
    };
    let games = header.games;
    let (mut game, mut at) = (0, HEADER);
    let each = std::iter::from_fn(move || {
        let rest = bytes.as_ref().get(at..).unwrap_or(&[]);
        let left = rest.len();
        if game == games {
            at += left;
            let reason = || format!("{left} bytes follow the last of {games} games");
            return (left > 0).then(|| Err(reason().into()));
        }
        game += 1;
        let Some(bytes) = rest.first_chunk() else {
            let reason = format!("the file ends in game {game} of {games}");
            (game, at) = (games, at + left);
            return Some(Err(reason.into()));
        };
        at += GAME;
        Some(read_game(bytes, game))
    });
    Ok((database, each))
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
    let count = bytes.get(8..10).ok_or_else(WthorError::no_header)?;
    let count = usize::from(word(count, 0));
    let names = bytes.get(HEADER..HEADER + count * NAME);
    let cut_short = || format!("the file ends before the last of {count} names");
    let names = names.ok_or_else(cut_short)?;
    let text = |name: &[u8]| {
        let letters = name.iter().take_while(|&&byte| byte != 0);
        // Latin 1, as its first readers wrote it.
        letters.map(|&byte| char::from(byte)).collect()
    };
    Ok(names.chunks_exact(NAME).map(text).collect())
}

fn header(bytes: &[u8]) -> Option<DatabaseHeader> {
    let bytes: &[u8; HEADER] = bytes.first_chunk()?;
    Some(DatabaseHeader {
        games: u32::from(word(bytes, 4)) | u32::from(word(bytes, 6)) << 16,
        year: word(bytes, 10),
        size: bytes[12],
        // Old files have no such number; it is 22.
        empties: if bytes[14] == 0 { 22 } else { bytes[14] },
    })
}

const fn word(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn read_game(bytes: &[u8; GAME], number: u32) -> Result<WthorGame, WthorError> {
    let (discs, moves) = bytes[6..].split_at(2);
    if let Some(discs) = discs.iter().find(|&&discs| discs > 64) {
        return Err(format!("game {number} ends with {discs} black discs").into());
    }
    let mut read = WthorGame {
        tournament: word(bytes, 0),
        black: word(bytes, 2),
        white: word(bytes, 4),
        black_discs: discs[0],
        theoretical: discs[1],
        game: Game::new(Position::START),
    };
    let length = moves.iter().position(|&byte| byte == 0);
    let (moves, after) = moves.split_at(length.unwrap_or(moves.len()));
    if let Some(at) = after.iter().position(|&byte| byte != 0) {
        let ply = moves.len() + at + 1;
        return Err(format!("game {number} has a move after its end, at move {ply}").into());
    }
    for (ply, &found) in (1..).zip(moves) {
        let square = Square::of_digits(found.into());
        if square.is_none_or(|square| read.game.play(Move::Place(square)).is_err()) {
            let what = format!("move {ply} of game {number} is {found}");
            return Err(WthorError {
                before: Some(Box::new(read)).filter(|read| !read.game.moves().is_empty()),
                ..format!("{what}, which is not legal").into()
            });
        }
    }
    Ok(read)
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
        let error = |bytes: &[u8]| parse(bytes).expect_err("no database").to_string();
        assert_eq!(error(&[1, 2, 3]), "the file is shorter than its header");
        let cut = &file(&[65])[..80];
        assert_eq!(error(cut), "the file ends in game 1 of 1");
        for found in [65, 11, 19, 99] {
            let expected = format!("move 2 of game 1 is {found}, which is not legal");
            let error = parse(&file(&[65, found])).expect_err("an illegal move");
            assert_eq!(error.to_string(), expected);
            let before = error.before.expect("the first move");
            assert_eq!(before.game.transcript(), "e6");
        }
        let mut bytes = file(&[65]);
        bytes[22] = 65;
        assert_eq!(error(&bytes), "game 1 ends with 65 black discs");
        bytes[12] = 10;
        let size = "the games are on boards of 10 x 10 squares, not 8 x 8";
        assert_eq!(error(&bytes), size);
        let bytes = [&file(&[65])[..], &[0; 3]].concat();
        assert_eq!(error(&bytes), "3 bytes follow the last of 1 games");
        let mut bytes = file(&[65, 0, 33]);
        assert_eq!(error(&bytes), "game 1 has a move after its end, at move 3");
        bytes[11] = 0xff;
        assert_eq!(error(&bytes), "the games are said to be of the year 65514");
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
