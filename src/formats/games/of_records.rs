//! Games that take some lines each, or one: PGN, the rows of a table, values of JSON.

use std::io::{self, BufRead, Read};

use super::piece::{MAX_WHOLE, Piece, whole};
use super::{Found, GameError, Place, Step};
use crate::formats::{json, pgn, table};
use crate::text::{self, BYTE_ORDER_MARK, TextError, latin1};

/// Most bytes of games that are kept at once.
const MAX_PIECE: usize = 1 << 20;

/// Games of PGN: a game, or some without headers, at a time.
pub(super) struct PgnGames {
    lines: text::Lines<Box<dyn BufRead>>,
    piece: Piece<'static>,
}

impl PgnGames {
    pub(super) fn new(reader: Box<dyn BufRead>) -> PgnGames {
        PgnGames {
            lines: text::Lines::new(reader),
            piece: Piece::default(),
        }
    }

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
            if (is_header && has_moves) || self.piece.bytes.len() > MAX_PIECE {
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
pub(super) struct TableGames {
    lines: text::Lines<Box<dyn BufRead>>,
    layout: Option<table::Layout>,
}

impl TableGames {
    pub(super) const fn new(reader: Box<dyn BufRead>) -> TableGames {
        TableGames {
            lines: text::Lines::new(reader),
            layout: None,
        }
    }

    /// Reads the first lines, which show how the table is laid out, and their games.
    fn begin(&mut self, found: &mut Vec<Found>) -> Result<bool, GameError> {
        const FIRST: usize = 32;
        let mut lines = Vec::new();
        while lines.len() < FIRST
            && let Some(line) = self.lines.next_line()?
        {
            if is_row(&line) {
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

/// Is the line neither blank nor a comment?
fn is_row(line: &text::Line) -> bool {
    let bytes = line.bytes();
    !line.is_blank() && !bytes.trim_ascii_start().starts_with(b"#") && !bytes.starts_with(b"%")
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
        if !is_row(&line) {
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
pub(super) struct JsonGames {
    reader: Box<dyn BufRead>,
    line: u64,
}

impl JsonGames {
    pub(super) const fn new(reader: Box<dyn BufRead>) -> JsonGames {
        JsonGames { reader, line: 0 }
    }

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
