//! Games that take some lines each, or one: PGN, the rows of a table, values of JSON.

use std::io::{BufRead, Read};

use super::piece::{MAX_WHOLE, Piece, whole};
use super::{AllFound, FoundGame, GameError, GamePlace, in_steps};
use crate::formats::{json, pgn, table};
use crate::text::{self, TextError, latin1};

/// Most bytes of games that are kept at once.
const MAX_PIECE: usize = 1 << 20;

/// Games of PGN: a game, or some without headers, at a time.
pub(super) fn of_pgn(reader: Box<dyn BufRead>) -> AllFound {
    let mut lines = text::Lines::new(reader);
    let mut piece = Piece::default();
    in_steps(move |found| {
        let mut has_moves = false;
        while let Some(line) = lines.next_line()? {
            let is_header = pgn::is_header(&latin1(line.bytes()));
            if (is_header && has_moves) || piece.bytes.len() > MAX_PIECE {
                found.extend(std::mem::take(&mut piece).games(pgn::parse));
                has_moves = false;
            }
            if piece.bytes.is_empty() {
                piece.line = line.number;
            }
            has_moves |= !is_header && !line.is_blank();
            if let Err(error) = line.whole() {
                found.push(FoundGame::bad(line.number, error.into()));
            }
            piece.bytes.extend_from_slice(line.bytes());
            piece.bytes.push(b'\n');
            if !found.is_empty() {
                return Ok(true);
            }
        }
        found.extend(std::mem::take(&mut piece).games(pgn::parse));
        Ok(false)
    })
}

pub(super) fn of_table(reader: Box<dyn BufRead>) -> AllFound {
    let mut lines = text::Lines::new(reader);
    let mut layout = None;
    in_steps(move |found| {
        let Some(layout) = &layout else {
            layout = first_rows(&mut lines, found)?;
            return Ok(layout.is_some());
        };
        let line = lines.next_line()?;
        if let Some(line) = line.as_ref().filter(|line| is_row(line)) {
            found.push(match line.whole() {
                Ok(bytes) => row(layout, line.number, &latin1(bytes)),
                Err(error) => FoundGame::bad(line.number, error.into()),
            });
        }
        Ok(line.is_some())
    })
}

/// Reads the first lines of a table, which show how it is laid out, and their games.
fn first_rows(
    reader: &mut text::Lines<Box<dyn BufRead>>,
    found: &mut Vec<FoundGame>,
) -> Result<Option<table::Layout>, GameError> {
    const FIRST: usize = 32;
    let mut lines = Vec::new();
    while lines.len() < FIRST
        && let Some(line) = reader.next_line()?
    {
        if is_row(&line) {
            lines.push((line.number, latin1(line.bytes()).into_owned()));
        }
    }
    let layout = table::detect(lines.iter().map(|(_, line)| line.as_str()));
    if let Some(layout) = &layout {
        let rows = lines.iter().skip(usize::from(layout.has_headings));
        found.extend(rows.map(|(number, line)| row(layout, *number, line)));
    } else {
        let error = TextError::new(1, "expected a column of transcripts");
        let number = lines.first().map_or(1, |(number, _)| *number);
        found.push(FoundGame::bad(number, error.into()));
    }
    Ok(layout)
}

fn is_row(line: &text::Line) -> bool {
    let bytes = line.bytes();
    !line.is_blank() && !bytes.trim_ascii_start().starts_with(b"#") && !bytes.starts_with(b"%")
}

fn row(layout: &table::Layout, number: u64, line: &str) -> FoundGame {
    match layout.game(line) {
        Ok(game) => FoundGame::new(GamePlace::Line(number), Ok(game)),
        Err(bad) => FoundGame::bad(number, bad),
    }
}

/// JSON: one value a line, or one over all lines.
pub(super) fn of_json(mut reader: Box<dyn BufRead>) -> AllFound {
    let mut number = 0;
    in_steps(move |found| {
        let mut bytes = Vec::new();
        let mut limited = (&mut reader).take(MAX_WHOLE);
        limited.read_until(b'\n', &mut bytes)?;
        number += 1;
        if bytes.trim_ascii().is_empty() {
            return Ok(!bytes.is_empty());
        }
        let mut read = serde_json::from_slice(&bytes);
        if number == 1 && read.is_err() {
            bytes.extend(whole(&mut reader)?.bytes);
            read = serde_json::from_slice(&bytes);
        }
        if read.is_err() && bytes.iter().any(|byte| b"'(".contains(byte)) {
            read = serde_json::from_slice(&json::of_python(&bytes)).or(read);
        }
        match read {
            Ok(value) => found.extend(of_value(number, &value)),
            Err(error) => {
                let line = number + error.line().max(1) as u64 - 1;
                found.push(FoundGame::bad(line, TextError::from(error).into()));
            }
        }
        Ok(true)
    })
}

/// The games of a value that begins in this line.
fn of_value(line: u64, value: &serde_json::Value) -> Vec<FoundGame> {
    let mut games = json::games(value);
    if games.is_empty() {
        games.push(Err(TextError::new(1, "there are no moves").into()));
    }
    let found = games.into_iter().map(|game| match game {
        Ok(game) => FoundGame::new(GamePlace::Line(line), Ok(game)),
        Err(bad) => FoundGame::bad(line, bad),
    });
    found.collect()
}
