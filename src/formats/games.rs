//! The games of a file of any kind, one after the other, each with its place: what all commands that want games read.
//!
//! ```
//! use emilia::formats::games::{Lines, Names, Source};
//!
//! let text = "[Black \"ann\"]\n[White \"ben\"]\n\n1. f5 d6 2. c3 *\n\n[Black \"eve\"]\n1. a1 *\n";
//! let source = Source::whole(text.as_bytes())?;
//! assert_eq!(source.kind().to_string(), "games of PGN");
//! let games: Vec<_> = source.games(Lines::OneGame, Names::default()).collect();
//! assert_eq!(games[0].game.as_ref().map(|game| game.black.name.as_str()).ok(), Some("ann"));
//! let error = games[1].game.as_ref().expect_err("illegal");
//! assert_eq!(error.to_string(), "line 7, column 4: illegal move a1");
//! # Ok::<(), std::io::Error>(())
//! ```

use std::borrow::Cow;
use std::fmt;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use thiserror::Error;

use super::detect::{HEAD, Kind, detect};
use super::facts;
use super::ggf::{self, End, GameResult, GgfGame};
use super::page::{self, Joined, Joiner, MoveLine, PageLine};
use super::transcript::{self, Transcript};
use super::wthor::{self, WthorError, WthorGame};
use super::{json, openings, pgn, sgf, table};
use crate::text::{self, BYTE_ORDER_MARK, Head, ReadError, TextError, decoded, latin1, open, peek};

/// Longest file of a kind that is read whole, in bytes.
const MAX_WHOLE: u64 = 1 << 28;

/// Longest game of GGF, in bytes.
const MAX_GAME: usize = 1 << 20;

/// Empties from which on the third column of a transcript, WTHOR's theoretical score, is exact.
const THEORETICAL_EMPTIES: u32 = 24;

/// A file or stream of which it is known what it holds.
pub struct Source {
    kind: Kind,
    reader: Box<dyn BufRead>,
}

/// May lines of moves make one game together?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lines {
    /// Each line is a game.
    OneGame,
    /// As people paste them: a line that continues the game before it does, unless it is a game by itself. A blank line ends a game.
    MayContinue,
}

/// A game of a file, or why it cannot be read.
#[derive(Debug)]
pub struct Found {
    /// Where it stands.
    pub place: Place,
    /// The game, and what the file says about it.
    pub game: Result<GgfGame, GameError>,
    /// The score for black with best play from so many empties on, if the file has it.
    pub theoretical: Option<(u32, i32)>,
}

/// Where a game stands in its file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// The line at which it begins; the first is 1.
    Line(u64),
    /// Its number among the games; the first is 1.
    Game(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Line(number) => write!(f, "line {number}"),
            Place::Game(number) => write!(f, "game {number}"),
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

/// The games of a [`Source`].
pub struct Games {
    found: Box<dyn Iterator<Item = Found>>,
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
    pub fn whole(reader: impl Read + 'static) -> io::Result<Source> {
        Source::new(decoded(reader)?, None, Head::Bytes(HEAD))
    }

    /// A stream that may be written line by line: its first line, and what is there with it, tells what it is.
    ///
    /// # Errors
    /// As for [`Source::open`].
    pub fn stream(reader: impl Read + 'static) -> io::Result<Source> {
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
        })
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
    pub fn games(self, lines: Lines, names: Names) -> Games {
        let reader = self.reader;
        let found: Box<dyn Iterator<Item = Found>> = match self.kind {
            Kind::Lines => Box::new(Pieces::new(LineGames::new(reader, lines))),
            Kind::Ggf => Box::new(Pieces::new(GgfGames::new(reader))),
            Kind::Pgn => Box::new(Pieces::new(PgnGames {
                lines: text::Lines::new(reader),
                piece: Piece::default(),
            })),
            Kind::Table => Box::new(Pieces::new(TableGames {
                lines: text::Lines::new(reader),
                layout: None,
            })),
            Kind::Json => Box::new(Pieces::new(JsonGames { reader, line: 0 })),
            Kind::Wthor => of_database(reader, names),
            Kind::Sgf => of_text(reader, sgf::parse),
            Kind::Page => of_text(reader, page::parse),
            Kind::Unknown => of_text(reader, unknown),
            Kind::SelfPlay => {
                refusal("these are games of emilia selfplay: emilia games FILE prints them")
            }
        };
        Games { found }
    }
}

impl Iterator for Games {
    type Item = Found;

    fn next(&mut self) -> Option<Found> {
        self.found.next()
    }
}

impl Found {
    fn new(place: Place, game: Result<GgfGame, GameError>) -> Found {
        Found {
            place,
            game,
            theoretical: None,
        }
    }

    fn syntax(line: u64, source: TextError) -> Found {
        Found::new(
            Place::Line(line),
            Err(ReadError::Syntax { line, source }.into()),
        )
    }
}

fn refusal(reason: &str) -> Box<dyn Iterator<Item = Found>> {
    let error = io::Error::new(io::ErrorKind::InvalidData, reason);
    Box::new(std::iter::once(Found::new(
        Place::Game(1),
        Err(error.into()),
    )))
}

/// A reader that gives some games at a time.
trait Step {
    /// Adds what it reads next to `found`. `false`: there is no more.
    fn step(&mut self, found: &mut Vec<Found>) -> Result<bool, GameError>;
}

/// The games of a [`Step`], one by one.
struct Pieces<S> {
    step: S,
    ready: std::vec::IntoIter<Found>,
    is_over: bool,
}

impl<S: Step> Pieces<S> {
    fn new(step: S) -> Pieces<S> {
        Pieces {
            step,
            ready: Vec::new().into_iter(),
            is_over: false,
        }
    }
}

impl<S: Step> Iterator for Pieces<S> {
    type Item = Found;

    fn next(&mut self) -> Option<Found> {
        loop {
            if let Some(found) = self.ready.next() {
                return Some(found);
            }
            if self.is_over {
                return None;
            }
            let mut found = Vec::new();
            match self.step.step(&mut found) {
                Ok(more) => self.is_over = !more,
                Err(error) => {
                    self.is_over = true;
                    found.push(Found::new(Place::Game(1), Err(error)));
                }
            }
            self.ready = found.into_iter();
        }
    }
}

/// Games, one a line.
struct LineGames {
    lines: text::Lines<Box<dyn BufRead>>,
    /// `None`: lines are not joined.
    joiner: Option<Joiner<u64>>,
}

impl LineGames {
    const fn new(reader: Box<dyn BufRead>, lines: Lines) -> LineGames {
        LineGames {
            lines: text::Lines::new(reader),
            joiner: match lines {
                Lines::OneGame => None,
                Lines::MayContinue => Some(Joiner::new()),
            },
        }
    }

    fn end(&mut self, found: &mut Vec<Found>) {
        add(found, self.joiner.as_mut().and_then(Joiner::end));
    }

    fn line(&mut self, number: u64, line: &str, found: &mut Vec<Found>) -> Result<(), TextError> {
        let text = line.trim();
        if text.is_empty() || text.starts_with(['%', '#']) {
            if text.is_empty() {
                self.end(found);
            }
            return Ok(());
        }
        if ggf::is_ggf(line) {
            self.end(found);
            let games = ggf::parse_line(line)?;
            found.extend(
                games
                    .into_iter()
                    .map(|game| Found::new(Place::Line(number), Ok(game))),
            );
            return Ok(());
        }
        let Some(joiner) = &mut self.joiner else {
            let (game, theoretical) = of_line(line)?;
            found.push(Found {
                theoretical,
                ..Found::new(Place::Line(number), Ok(game))
            });
            return Ok(());
        };
        let moves = match page::line(line, 0) {
            PageLine::Moves(moves) => Some(moves),
            _ => None,
        };
        let alone = pasted(line, moves.as_ref());
        match joiner.take(number, moves.as_ref(), alone) {
            Joined::Continued => log::info!("line {number} continues the game before it"),
            Joined::Begun(before) => add(found, before),
            Joined::Bad(before, error) => {
                add(found, before);
                return Err(error);
            }
            Joined::Lost(error) => return Err(error),
            Joined::Skipped => log::info!("line {number} belongs to a game that cannot be read"),
        }
        Ok(())
    }
}

fn add(found: &mut Vec<Found>, block: Option<page::Block<u64>>) {
    found.extend(block.map(|block| Found::new(Place::Line(block.place), Ok(block.game))));
}

impl Step for LineGames {
    fn step(&mut self, found: &mut Vec<Found>) -> Result<bool, GameError> {
        let Some(line) = self.lines.next_line()? else {
            self.end(found);
            return Ok(false);
        };
        let number = line.number;
        if line.whole().is_err() && ggf::is_ggf(&latin1(line.bytes())) {
            self.end(found);
        }
        let read = line.whole().and_then(|bytes| {
            let text = latin1(bytes);
            self.line(number, &text, found)
                .map_err(|error| in_bytes(&text, bytes, error))
        });
        found.extend(read.err().map(|error| Found::syntax(number, error)));
        Ok(true)
    }
}

/// The error with the column of the bytes from which `text` was made.
fn in_bytes(text: &str, bytes: &[u8], error: TextError) -> TextError {
    if text.len() == bytes.len() {
        return error;
    }
    let before = text.floor_char_boundary(error.column - 1);
    TextError::new(text[..before].chars().count() + 1, error.reason)
}

/// The game of a line, and the theoretical score behind it: a transcript, perhaps with score, year and
/// theoretical score, or a position, perhaps with moves.
fn of_line(line: &str) -> Result<(GgfGame, Option<(u32, i32)>), TextError> {
    let found: Result<Transcript, TextError> = line.parse();
    let Some(found) = found.ok().filter(|found| !found.game.moves().is_empty()) else {
        let nothing = || TextError::new(1, "the line holds no game");
        let game = openings::parse_line(line)?.ok_or_else(nothing)?;
        return Ok((GgfGame::new(game), None));
    };
    let mut words = found.note.split_ascii_whitespace();
    let year: Option<u16> = words.next().and_then(|word| word.parse().ok());
    let theoretical: Option<i32> = words.next().and_then(|word| word.parse().ok());
    let mut game = GgfGame::new(found.game);
    if let Some(score) = found.score.filter(|score| score.abs() <= 64) {
        game.result = Some(GameResult {
            score: f64::from(score),
            end: End::Over,
        });
    }
    if let Some((year, _)) = year.zip(theoretical) {
        game.date = year.to_string();
    }
    let theoretical = theoretical.filter(|_| year.is_some());
    Ok((game, theoretical.map(|score| (THEORETICAL_EMPTIES, score))))
}

/// The game of a line by itself, in the form of [`of_line`] or as people paste moves.
fn pasted(line: &str, moves: Option<&MoveLine>) -> Result<GgfGame, TextError> {
    let error = match of_line(line) {
        Ok((game, _)) => return Ok(game),
        Err(error) => error,
    };
    if moves.is_none() {
        return Err(error);
    }
    match transcript::parse_pasted(line) {
        Ok(game) => Ok(GgfGame::new(game)),
        Err(other) if other.column > error.column => Err(other),
        Err(_) => Err(error),
    }
}

/// Games of GGF that may have any number of lines, or share one.
struct GgfGames {
    reader: Box<dyn BufRead>,
    /// What has been read, and is no game yet.
    bytes: Vec<u8>,
    /// Where it stands: the line, and the bytes before it in the line.
    line: u64,
    column: usize,
    /// The games that a number has promised, and how many have come since.
    promised: Option<(u32, u32)>,
}

impl GgfGames {
    const fn new(reader: Box<dyn BufRead>) -> GgfGames {
        GgfGames {
            reader,
            bytes: Vec::new(),
            line: 1,
            column: 0,
            promised: None,
        }
    }

    /// Takes so many bytes away.
    fn consume(&mut self, length: usize) -> Vec<u8> {
        let rest = self.bytes.split_off(length);
        let taken = std::mem::replace(&mut self.bytes, rest);
        let ends = taken.iter().filter(|&&byte| byte == b'\n').count();
        self.line += ends as u64;
        match taken.iter().rposition(|&byte| byte == b'\n') {
            Some(end) => self.column = taken.len() - end - 1,
            None => self.column += taken.len(),
        }
        taken
    }

    /// Reads on. `false`: there is no more.
    fn fill(&mut self) -> io::Result<bool> {
        let more = self.reader.fill_buf()?;
        let length = more.len();
        self.bytes.extend_from_slice(more);
        self.reader.consume(length);
        Ok(length > 0)
    }

    /// The length of the game that `bytes` begin with; `None`: its end is not there yet.
    fn length(&self) -> Option<usize> {
        // A game that is cut off ends where the next one begins, at the start of a line.
        let next =
            starts(&self.bytes).find(|&start| start > 0 && begins_line(&self.bytes[..start]));
        let bytes = &self.bytes[..next.unwrap_or(self.bytes.len())];
        let (mut is_inside, mut after_semicolon) = (false, false);
        for (at, &byte) in bytes.iter().enumerate() {
            match byte {
                b']' => is_inside = false,
                _ if is_inside => {}
                b'[' => is_inside = true,
                b')' if after_semicolon => return Some(at + 1),
                _ => {}
            }
            after_semicolon = byte == b';' || after_semicolon && byte.is_ascii_whitespace();
        }
        next
    }

    /// The game that begins here.
    fn game(&mut self, length: usize, found: &mut Vec<Found>) {
        let (line, column) = (self.line, self.column);
        let bytes = self.consume(length);
        let text = latin1(&bytes);
        let game: Result<GgfGame, TextError> = text.parse();
        if let Some((_, come)) = &mut self.promised {
            *come += 1;
        }
        let piece = Piece {
            line,
            column,
            bytes: Cow::Borrowed(&bytes),
        };
        found.push(Found::new(
            Place::Line(line),
            game.map_err(|error| piece.error(&text, error)),
        ));
    }

    /// Text between games: a number of games, comments, whatever stands in a mail.
    fn between(&mut self, length: usize, found: &mut Vec<Found>) {
        let line = self.line;
        let bytes = self.consume(length);
        let text = latin1(&bytes);
        let last = text.lines().last().unwrap_or("");
        if let Ok(number) = last.trim().parse() {
            self.end_promise();
            self.promised = Some((number, 0));
        }
        for (number, text) in (line..).zip(text.lines()) {
            let is_comment = text.trim_start().starts_with(['#', '%']);
            if !is_comment && let Some(at) = text.find('[').filter(|_| text.contains(']')) {
                found.push(Found::syntax(
                    number,
                    TextError::new(at + 1, "expected a game, (;GM[Othello]..;)"),
                ));
            }
        }
    }

    fn end_promise(&mut self) {
        if let Some((number, come)) = self.promised.take().filter(|(number, come)| number != come) {
            log::warn!("the text says that it has {number} games, and has {come}");
        }
    }
}

/// Where games begin: at `(;`.
fn starts(bytes: &[u8]) -> impl Iterator<Item = usize> {
    let brackets = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'(');
    brackets
        .map(|(at, _)| at)
        .filter(|&at| bytes[at + 1..].trim_ascii_start().starts_with(b";"))
}

fn first_start(bytes: &[u8]) -> Option<usize> {
    starts(bytes).next()
}

/// Is there nothing in the line yet, but perhaps a number?
fn begins_line(before: &[u8]) -> bool {
    let is_number = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b' ' | b'\t');
    let line = before.iter().rposition(|byte| !is_number(byte));
    line.is_some_and(|end| before[end] == b'\n')
}

impl Step for GgfGames {
    fn step(&mut self, found: &mut Vec<Found>) -> Result<bool, GameError> {
        let is_more = self.fill()?;
        while let Some(start) = first_start(&self.bytes) {
            if start > 0 {
                self.between(start, found);
            } else if let Some(length) = self.length() {
                self.game(length, found);
            } else {
                break;
            }
        }
        if self.bytes.len() > MAX_GAME || !is_more {
            let length = self.bytes.len();
            match first_start(&self.bytes) {
                Some(_) => self.game(length, found),
                None => self.between(length, found),
            }
        }
        if !is_more {
            self.end_promise();
        }
        Ok(is_more)
    }
}

/// A piece of a file, and where it stands.
#[derive(Default)]
struct Piece<'a> {
    /// The line of its first byte, and the bytes before it in that line.
    line: u64,
    column: usize,
    bytes: Cow<'a, [u8]>,
}

impl Piece<'_> {
    /// Line and column of byte `at` of its text.
    fn place(&self, text: &str, at: usize) -> (u64, usize) {
        let before = &text[..text.floor_char_boundary(at)];
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        let lines = before[..start].matches('\n').count() as u64;
        // Letters of Latin-1 are one byte in the file.
        let length = match text.len() == self.bytes.len() {
            true => before.len() - start,
            false => before[start..].chars().count(),
        };
        let first = if start == 0 { self.column } else { 0 };
        (self.line + lines, first + length + 1)
    }

    fn error(&self, text: &str, error: TextError) -> GameError {
        let (line, column) = self.place(text, error.column - 1);
        ReadError::Syntax {
            line,
            source: TextError::new(column, error.reason),
        }
        .into()
    }

    /// The games of a reader of whole texts.
    fn games(
        &self,
        parse: impl Fn(&str) -> Vec<(usize, Result<GgfGame, TextError>)>,
    ) -> Vec<Found> {
        let text = latin1(&self.bytes);
        let games = parse(&text).into_iter().map(|(column, game)| {
            let (line, _) = self.place(&text, column - 1);
            Found::new(
                Place::Line(line),
                game.map_err(|error| self.error(&text, error)),
            )
        });
        games.collect()
    }
}

/// Games of PGN: a game, or some without headers, at a time.
struct PgnGames {
    lines: text::Lines<Box<dyn BufRead>>,
    piece: Piece<'static>,
}

impl PgnGames {
    fn flush(&mut self, line: u64, found: &mut Vec<Found>) {
        let piece = std::mem::take(&mut self.piece);
        found.extend(piece.games(pgn::parse));
        self.piece.line = line;
    }
}

impl Step for PgnGames {
    fn step(&mut self, found: &mut Vec<Found>) -> Result<bool, GameError> {
        let mut has_moves = false;
        while let Some(line) = self.lines.next_line()? {
            let is_header = pgn::is_header(&latin1(line.bytes()));
            if (is_header && has_moves) || self.piece.bytes.len() > MAX_GAME {
                self.flush(line.number, found);
                has_moves = false;
            }
            if self.piece.bytes.is_empty() {
                self.piece.line = line.number;
            }
            has_moves |= !is_header && !line.is_blank();
            if let Err(error) = line.whole() {
                found.push(Found::syntax(line.number, error));
            }
            let bytes = self.piece.bytes.to_mut();
            bytes.extend_from_slice(line.bytes());
            bytes.push(b'\n');
            if !found.is_empty() {
                return Ok(true);
            }
        }
        self.flush(0, found);
        Ok(false)
    }
}

/// The rows of a table.
struct TableGames {
    lines: text::Lines<Box<dyn BufRead>>,
    layout: Option<table::Layout>,
}

impl TableGames {
    /// Reads the first lines, which show how the table is laid out, and their games.
    fn begin(&mut self, found: &mut Vec<Found>) -> Result<bool, GameError> {
        const FIRST: usize = 32;
        let mut lines = Vec::new();
        while lines.len() < FIRST
            && let Some(line) = self.lines.next_line()?
        {
            let is_comment =
                line.bytes().trim_ascii_start().starts_with(b"#") || line.bytes().starts_with(b"%");
            if !line.is_blank() && !is_comment {
                lines.push((line.number, latin1(line.bytes()).into_owned()));
            }
        }
        let Some(layout) = table::detect(lines.iter().map(|(_, line)| line.as_str())) else {
            let (number, _) = lines.first().cloned().unwrap_or((1, String::new()));
            found.push(Found::syntax(
                number,
                TextError::new(1, "expected a column of transcripts"),
            ));
            return Ok(false);
        };
        for (number, line) in lines.iter().skip(usize::from(layout.has_headings)) {
            found.push(row(&layout, *number, line));
        }
        self.layout = Some(layout);
        Ok(true)
    }
}

fn row(layout: &table::Layout, number: u64, line: &str) -> Found {
    match layout.game(line) {
        Ok(game) => Found::new(Place::Line(number), Ok(game)),
        Err(error) => Found::syntax(number, error),
    }
}

impl Step for TableGames {
    fn step(&mut self, found: &mut Vec<Found>) -> Result<bool, GameError> {
        let Some(layout) = &self.layout else {
            return self.begin(found);
        };
        let Some(line) = self.lines.next_line()? else {
            return Ok(false);
        };
        if line.is_blank() {
            return Ok(true);
        }
        found.push(match line.whole() {
            Ok(bytes) => row(layout, line.number, &latin1(bytes)),
            Err(error) => Found::syntax(line.number, error),
        });
        Ok(true)
    }
}

/// JSON: one value a line, or one over all lines.
struct JsonGames {
    reader: Box<dyn BufRead>,
    line: u64,
}

impl JsonGames {
    fn value(found: &mut Vec<Found>, line: u64, value: &serde_json::Value) {
        let nowhere = |reason| Found::syntax(line, TextError::new(1, reason));
        let games = json::games(value);
        if games.is_empty() {
            found.push(nowhere("there are no moves".to_owned()));
        }
        found.extend(games.into_iter().map(|game| match game {
            Ok(game) => Found::new(Place::Line(line), Ok(game)),
            Err(reason) => nowhere(reason),
        }));
    }

    /// The next line, with its end.
    fn next_line(&mut self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        (&mut self.reader)
            .take(MAX_WHOLE)
            .read_until(b'\n', &mut bytes)?;
        self.line += 1;
        if self.line == 1 && bytes.starts_with(BYTE_ORDER_MARK) {
            bytes.drain(..BYTE_ORDER_MARK.len());
        }
        Ok(bytes)
    }
}

impl Step for JsonGames {
    fn step(&mut self, found: &mut Vec<Found>) -> Result<bool, GameError> {
        let mut bytes = self.next_line()?;
        if bytes.is_empty() {
            return Ok(false);
        }
        if bytes.trim_ascii().is_empty() {
            return Ok(true);
        }
        let first = self.line;
        let mut read = serde_json::from_slice(&bytes);
        if first == 1 && read.is_err() {
            bytes.extend(whole(&mut self.reader)?.bytes.iter());
            read = serde_json::from_slice(&bytes);
        }
        match read {
            Ok(value) => JsonGames::value(found, first, &value),
            Err(error) => {
                let line = first + error.line().max(1) as u64 - 1;
                let source = TextError::new(error.column().max(1), error.to_string());
                found.push(Found::syntax(line, source));
            }
        }
        Ok(true)
    }
}

/// All bytes of a file of a kind that cannot be read in pieces.
fn whole(reader: &mut dyn BufRead) -> io::Result<Piece<'static>> {
    let mut bytes = Vec::new();
    reader.take(MAX_WHOLE + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_WHOLE {
        let reason = format!("a file of this kind is read up to {} MB", MAX_WHOLE >> 20);
        return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
    }
    if bytes.starts_with(BYTE_ORDER_MARK) {
        bytes.drain(..BYTE_ORDER_MARK.len());
    }
    Ok(Piece {
        line: 1,
        column: 0,
        bytes: Cow::Owned(bytes),
    })
}

fn of_text(
    mut reader: Box<dyn BufRead>,
    parse: fn(&str) -> Vec<(usize, Result<GgfGame, TextError>)>,
) -> Box<dyn Iterator<Item = Found>> {
    let games = match whole(&mut reader) {
        Ok(piece) => piece.games(parse),
        Err(error) => vec![Found::new(Place::Game(1), Err(error.into()))],
    };
    Box::new(games.into_iter())
}

/// Text of which nothing can be read: the error of its first line.
fn unknown(text: &str) -> Vec<(usize, Result<GgfGame, TextError>)> {
    let mut at = 0;
    let mut bad = Vec::new();
    for line in text.split_inclusive('\n') {
        let content = line.trim();
        if !content.is_empty() && !content.starts_with(['%', '#']) {
            let error = pasted(line.trim_end(), None).err();
            let error = error.unwrap_or_else(|| TextError::new(1, "the line holds no game"));
            bad.push((at + 1, TextError::new(at + error.column, error.reason)));
        }
        at += line.len();
    }
    let others = bad.len().saturating_sub(1);
    let Some((at, mut error)) = bad.into_iter().next() else {
        return Vec::new();
    };
    if others > 0 {
        error.reason = format!("{}, and no other line holds a game", error.reason);
    }
    vec![(at, Err(error))]
}

/// The games of a database.
fn of_database(mut reader: Box<dyn BufRead>, names: Names) -> Box<dyn Iterator<Item = Found>> {
    let failed = |error: GameError| -> Box<dyn Iterator<Item = Found>> {
        Box::new(std::iter::once(Found::new(Place::Game(1), Err(error))))
    };
    let bytes = match whole(&mut reader) {
        Ok(piece) => piece.bytes.into_owned(),
        Err(error) => return failed(error.into()),
    };
    let (database, each) = match wthor::Each::new(bytes) {
        Ok(read) => read,
        Err(error) => return failed(error.into()),
    };
    let year = if database.year == 0 {
        String::new()
    } else {
        database.year.to_string()
    };
    let empties = u32::from(database.empties);
    Box::new((1..).zip(each).map(move |(number, game)| {
        let place = Place::Game(number);
        match game {
            Ok(game) => Found {
                theoretical: Some((empties, game.theoretical_score())),
                ..Found::new(place, Ok(of_wthor(game, &year, &names)))
            },
            Err(error) => Found::new(place, Err(error.into())),
        }
    }))
}

fn of_wthor(found: WthorGame, year: &str, names: &Names) -> GgfGame {
    let score = f64::from(found.score());
    let mut game = GgfGame::new(found.game);
    game.black.name = name_of(&names.players, found.black, "player");
    game.white.name = name_of(&names.players, found.white, "player");
    game.place = name_of(&names.tournaments, found.tournament, "tournament");
    game.date = year.to_owned();
    game.result = Some(GameResult {
        score,
        end: End::Over,
    });
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
