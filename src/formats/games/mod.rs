//! The games of a file of any kind, one after the other, each with its place: what all commands that want games read.
//!
//! ```
//! use emilia::formats::games::{LineGrouping, Names, Source};
//!
//! let text = "[Black \"ann\"]\n[White \"ben\"]\n\n1. f5 d6 2. c3 *\n\n[Black \"eve\"]\n1. a1 *\n";
//! let source = Source::whole(text.as_bytes())?;
//! assert_eq!(source.kind().to_string(), "games of PGN");
//! let games: Vec<_> = source.games(LineGrouping::OneGame, Names::default()).collect();
//! assert_eq!(games[0].game.as_ref().map(|game| game.black.name.as_str()).ok(), Some("ann"));
//! let error = games[1].game.as_ref().expect_err("illegal");
//! assert_eq!(error.to_string(), "line 7, column 4: illegal move a1");
//! # Ok::<(), std::io::Error>(())
//! ```

mod of_ggf;

mod of_lines;

mod of_records;

mod piece;

use std::cell::RefCell;
use std::fmt;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::rc::Rc;

use thiserror::Error;

use super::detect::{HEAD, Kind, detect};
use super::facts;
use super::ggf::{GameResult, GgfGame};
use super::wthor::{self, WthorError, WthorGame};
use super::{BadGame, PlacedGame};
use super::{drawn, page, sgf};
use crate::rules::Color;
use crate::text::words::is_nothing;
use crate::text::{Head, ReadError, TextError, decoded, open, peek};

use of_ggf::GgfGames;
use of_lines::{LineGames, pasted};
use of_records::{of_json, of_pgn, of_table};
use piece::whole;

#[cfg(test)]
mod tests;

/// A file or stream of which it is known what it holds.
pub struct Source {
    kind: Kind,
    reader: Box<dyn BufRead>,
    side: Option<Color>,
    /// What warnings call it.
    name: String,
}

/// May lines of moves make one game together?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineGrouping {
    /// Each line is a game.
    OneGame,
    /// As people paste them: a line that continues the game before it does, unless it is a game by itself. A blank line ends a game.
    MayContinue,
}

/// A game of a file, or why it cannot be read.
#[derive(Debug)]
pub struct FoundGame {
    /// Where it stands.
    pub place: GamePlace,
    /// The game, and what the file says about it.
    pub game: Result<GgfGame, GameError>,
    /// Of a game that cannot be read to its end, what stands before an illegal move.
    pub before: Option<GgfGame>,
    /// The score for black with best play from so many empties on, if the file has it.
    pub theoretical: Option<(u32, i32)>,
}

/// Where a game stands in its file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GamePlace {
    /// The line at which it begins; the first is 1.
    Line(u64),
    /// Its number among the games; the first is 1.
    Game(u64),
}

impl fmt::Display for GamePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GamePlace::Line(number) => write!(f, "line {number}"),
            GamePlace::Game(number) => write!(f, "game {number}"),
        }
    }
}

/// Why a game cannot be read.
#[derive(Debug, Error)]
pub enum GameError {
    /// The file cannot be read, or its text makes no sense.
    #[error(transparent)]
    Text(#[from] ReadError),
    /// A game of a database makes no sense.
    #[error(transparent)]
    Wthor(#[from] WthorError),
}

impl From<io::Error> for GameError {
    fn from(error: io::Error) -> GameError {
        GameError::Text(ReadError::Io(error))
    }
}

type AllFound = Box<dyn Iterator<Item = FoundGame>>;

/// The games of a [`Source`].
pub struct Games {
    found: AllFound,
    /// Is the result of a game that was played out that of its board?
    settles: bool,
    warnings: Warnings,
    name: String,
}

/// What is doubtful, though it was read: shared by the games and their readers.
#[derive(Clone, Default)]
struct Warnings(Rc<RefCell<Vec<String>>>);

impl Warnings {
    fn add(&self, warning: String) {
        self.0.borrow_mut().push(warning);
    }
}

/// The names to which the numbers of a database belong.
#[derive(Clone, Default, Debug)]
pub struct Names {
    /// `WTHOR.JOU`.
    pub players: Vec<String>,
    /// `WTHOR.TRN`.
    pub tournaments: Vec<String>,
}

impl Source {
    /// Opens a file.
    ///
    /// # Errors
    /// If it cannot be opened, is packed in an unknown way, or holds nothing that can be read.
    pub fn open(path: &Path) -> io::Result<Source> {
        Source::new(open(path)?, Some(path), Head::Bytes(HEAD))
    }

    /// All of a stream, such as a pasted text on standard input; it is waited for.
    ///
    /// # Errors
    /// As for [`Source::open`].
    pub fn whole(reader: impl Read + Send + 'static) -> io::Result<Source> {
        Source::new(decoded(reader)?, None, Head::Bytes(HEAD))
    }

    /// A stream that may be written line by line: its first line, and what is there with it, tells what it is.
    ///
    /// # Errors
    /// As for [`Source::open`].
    pub fn stream(reader: impl Read + Send + 'static) -> io::Result<Source> {
        Source::new(decoded(reader)?, None, Head::Line(HEAD))
    }

    fn new(reader: Box<dyn BufRead>, path: Option<&Path>, head: Head) -> io::Result<Source> {
        let (head, reader) = peek(reader, head)?;
        let refused = |reason| io::Error::new(io::ErrorKind::InvalidData, reason);
        let kind = detect(&head, path).map_err(refused)?;
        match path {
            Some(path) => log::info!("{} is read as {kind}", path.display()),
            None => log::info!("the input is read as {kind}"),
        }
        Ok(Source {
            kind,
            reader: Box::new(BufReader::with_capacity(HEAD, reader)),
            side: None,
            name: path.map_or_else(|| "the input".to_owned(), |path| path.display().to_string()),
        })
    }

    /// The same, where `side` moves on boards that do not say who does.
    pub fn with_side(self, side: Option<Color>) -> Source {
        Source { side, ..self }
    }

    /// What it holds.
    pub const fn kind(&self) -> Kind {
        self.kind
    }

    /// Some of the bytes with which it begins.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn first_bytes(&mut self) -> io::Result<&[u8]> {
        self.reader.fill_buf()
    }

    /// The bytes, for a reader of lines.
    pub fn into_reader(self) -> Box<dyn BufRead> {
        self.reader
    }

    /// The games. Those of lines, databases and large files are read when they are asked for, in bounded memory.
    pub fn games(self, lines: LineGrouping, names: Names) -> Games {
        let (reader, side) = (self.reader, self.side);
        let warnings = Warnings::default();
        let doubts = warnings.clone();
        let found: AllFound = match self.kind {
            Kind::Lines => LineGames::of(reader, lines, side, doubts),
            Kind::Ggf => GgfGames::of(reader, doubts),
            Kind::Pgn => of_pgn(reader),
            Kind::Table => of_table(reader),
            Kind::Json => of_json(reader),
            Kind::Wthor => of_database(reader, names),
            Kind::Sgf => of_text(reader, sgf::parse),
            Kind::Page => of_text(reader, page::parse),
            Kind::Drawn => of_text(reader, move |text| drawn::parse(text, side)),
            Kind::Unknown => of_text(reader, unknown),
            Kind::SelfPlay => {
                let reason =
                    "these are games of emilia-lab selfplay: emilia-lab games FILE prints them";
                failed(io::Error::new(io::ErrorKind::InvalidData, reason))
            }
        };
        let settles = matches!(self.kind, Kind::Pgn | Kind::Sgf | Kind::Json | Kind::Page);
        Games {
            found,
            settles,
            warnings,
            name: self.name,
        }
    }
}

impl Games {
    /// What was doubtful in the games so far; complete after the last one.
    pub fn take_warnings(&mut self) -> Vec<String> {
        self.warnings.0.take()
    }
}

impl Iterator for Games {
    type Item = FoundGame;

    fn next(&mut self) -> Option<FoundGame> {
        let mut found = self.found.next()?;
        if let Ok(game) = &mut found.game
            && self.settles
            && let Some(doubt) = facts::settle(game)
        {
            self.warnings.add(format!("{}: {doubt}", found.place));
        }
        Some(found)
    }
}

/// Warnings that nobody took are logged.
impl Drop for Games {
    fn drop(&mut self) {
        for warning in self.take_warnings() {
            log::warn!("in {}, {warning}", self.name);
        }
    }
}

impl FoundGame {
    fn new(place: GamePlace, game: Result<GgfGame, GameError>) -> FoundGame {
        FoundGame {
            place,
            game,
            before: None,
            theoretical: None,
        }
    }

    fn bad(line: u64, bad: BadGame) -> FoundGame {
        let error = bad.error;
        let error = ReadError::Syntax { line, error };
        FoundGame {
            before: bad.before.map(|before| *before),
            ..FoundGame::new(GamePlace::Line(line), Err(error.into()))
        }
    }
}

/// No game, but why there is none.
fn failed(error: impl Into<GameError>) -> AllFound {
    let found = FoundGame::new(GamePlace::Game(1), Err(error.into()));
    Box::new(std::iter::once(found))
}

/// The games that `step` adds to a list, some at a time, until it says `false`: there are no more.
fn in_steps(
    mut step: impl FnMut(&mut Vec<FoundGame>) -> Result<bool, GameError> + 'static,
) -> AllFound {
    let mut is_over = false;
    let steps = std::iter::from_fn(move || {
        let mut found = Vec::new();
        if is_over {
            return None;
        }
        is_over = !step(&mut found).unwrap_or_else(|error| {
            found.push(FoundGame::new(GamePlace::Game(1), Err(error)));
            false
        });
        Some(found)
    });
    Box::new(steps.flatten())
}

fn of_text(mut reader: Box<dyn BufRead>, parse: impl Fn(&str) -> Vec<PlacedGame>) -> AllFound {
    match whole(&mut reader) {
        Ok(piece) => Box::new(piece.games(parse).into_iter()),
        Err(error) => failed(error),
    }
}

/// Text of which nothing can be read: the error of its first line.
fn unknown(text: &str) -> Vec<PlacedGame> {
    let starts = text.split_inclusive('\n').scan(0, |at, line| {
        *at += line.len();
        Some((*at - line.len(), line.trim_end()))
    });
    let mut lines = starts.filter(|(_, line)| !is_nothing(line));
    let Some((at, line)) = lines.next() else {
        return Vec::new();
    };
    let read = |text: &str| pasted(text, None);
    let error = read(line).err();
    let error = error.unwrap_or_else(|| TextError::new(1, "the line holds no game"));
    let BadGame { error, before } = BadGame::of(error, line, read);
    let mut error = error.behind(at);
    if lines.next().is_some() {
        error.reason.push_str(", and no other line holds a game");
    }
    vec![(at + 1, Err(BadGame { error, before }))]
}

/// The games of a database.
fn of_database(mut reader: Box<dyn BufRead>, names: Names) -> AllFound {
    let bytes = match whole(&mut reader) {
        Ok(piece) => piece.bytes,
        Err(error) => return failed(error),
    };
    let (database, each) = match wthor::parse_each(bytes) {
        Ok(read) => read,
        Err(error) => return failed(error),
    };
    let year = Some(database.year).filter(|&year| year != 0);
    let year = year.map_or_else(String::new, |year| year.to_string());
    let empties = u32::from(database.empties);
    Box::new((1..).zip(each).map(move |(number, game)| {
        let place = GamePlace::Game(number);
        match game {
            Ok(game) => FoundGame {
                theoretical: Some((empties, game.theoretical_score())),
                ..FoundGame::new(place, Ok(of_wthor(game, &year, &names)))
            },
            Err(mut error) => {
                // Its result is that of the whole game.
                let before = error.before.take().map(|before| GgfGame {
                    result: None,
                    ..of_wthor(*before, &year, &names)
                });
                FoundGame {
                    before,
                    ..FoundGame::new(place, Err(error.into()))
                }
            }
        }
    }))
}

fn of_wthor(found: WthorGame, year: &str, names: &Names) -> GgfGame {
    let score = f64::from(found.score());
    let mut game = GgfGame::anonymous(found.game);
    game.black.name = name_of(&names.players, found.black, "player");
    game.white.name = name_of(&names.players, found.white, "player");
    game.place = name_of(&names.tournaments, found.tournament, "tournament");
    game.date = year.to_owned();
    game.result = Some(GameResult::over(score));
    game
}

/// The name of this number, or what it is of and the number.
fn name_of(names: &[String], number: u16, kind: &str) -> String {
    let name = names.get(usize::from(number));
    name.map_or_else(|| format!("{kind} {number}"), Clone::clone)
}

/// The year in which a game was played, if its file tells.
pub fn year(game: &GgfGame) -> Option<u16> {
    facts::year(&game.date)
}
