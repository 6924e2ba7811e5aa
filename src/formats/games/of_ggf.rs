//! Games of GGF over any number of lines, or many in one, in the memory of one game.

use std::io::{self, BufRead};
use std::mem;

use super::piece::Piece;
use super::{AllFound, FoundGame, GameError, Warnings, in_steps};
use crate::formats::ggf;
use crate::text::{TextError, latin1};

/// Longest game of GGF, in bytes.
const MAX_GAME: usize = 1 << 20;

/// Games of GGF that may have any number of lines, or share one.
pub(super) struct GgfGames {
    reader: Box<dyn BufRead>,
    /// What has been read, and is no game yet.
    bytes: Vec<u8>,
    /// Where it stands: the line, and the bytes before it in the line.
    line: u64,
    column: usize,
    /// The games that a number has promised, and how many have come since.
    promised: Option<(u32, usize)>,
    warnings: Warnings,
}

impl GgfGames {
    pub(super) fn of(reader: Box<dyn BufRead>, warnings: Warnings) -> AllFound {
        let mut games = GgfGames {
            reader,
            bytes: Vec::new(),
            line: 1,
            column: 0,
            promised: None,
            warnings,
        };
        in_steps(move |found| games.step(found))
    }

    fn step(&mut self, found: &mut Vec<FoundGame>) -> Result<bool, GameError> {
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

    fn take(&mut self, length: usize) -> Piece {
        let bytes = self.bytes.split_off(length);
        let taken = mem::replace(&mut self.bytes, bytes);
        let (line, column) = (self.line, self.column);
        let ends = taken.iter().filter(|&&byte| byte == b'\n').count();
        self.line += ends as u64;
        match taken.iter().rposition(|&byte| byte == b'\n') {
            Some(end) => self.column = taken.len() - end - 1,
            None => self.column += taken.len(),
        }
        Piece {
            line,
            column,
            bytes: taken,
        }
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
        let mut starts = starts(&self.bytes).skip_while(|&start| start == 0);
        let next = starts.find(|&start| begins_line(&self.bytes[..start]));
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

    fn game(&mut self, length: usize, found: &mut Vec<FoundGame>) {
        if let Some((_, come)) = &mut self.promised {
            *come += 1;
        }
        let piece = self.take(length);
        found.extend(piece.games(|text| {
            let game: Result<ggf::GgfGame, _> = text.parse();
            vec![(1, game.map_err(|error| ggf::bad(error, text)))]
        }));
    }

    /// Text between games: a number of games, comments, whatever stands in a mail.
    fn between(&mut self, length: usize, found: &mut Vec<FoundGame>) {
        let piece = self.take(length);
        let text = latin1(&piece.bytes);
        let last = text.lines().last().unwrap_or("");
        if let Ok(number) = last.trim().parse() {
            self.end_promise();
            self.promised = Some((number, 0));
        }
        for (number, text) in (piece.line..).zip(text.lines()) {
            let is_comment = text.trim_start().starts_with(['#', '%']);
            if !is_comment && let Some(at) = text.find('[').filter(|_| text.contains(']')) {
                let error = TextError::new(at + 1, "expected a game, (;GM[Othello]..;)");
                found.push(FoundGame::bad(number, error.into()));
            }
        }
    }

    fn end_promise(&mut self) {
        let (said, come) = self.promised.take().unzip();
        if let Some(warning) = ggf::miscounted(said, come.unwrap_or(0)) {
            self.warnings
                .add(format!("before line {}: {warning}", self.line));
        }
    }
}

/// Where games begin: at `(;`.
fn starts(bytes: &[u8]) -> impl Iterator<Item = usize> {
    let begins = |at: usize| bytes[at + 1..].trim_ascii_start().starts_with(b";");
    (0..bytes.len()).filter(move |&at| bytes[at] == b'(' && begins(at))
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
