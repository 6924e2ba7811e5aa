//! PGN: headers such as `[Black "ann"]`, then the moves with their numbers and a result, as PlayOK writes them.
//!
//! Black, the first player, stands first also in results: `38-26`, `1-0`. `--` is a pass. Comments (`{..}`, `; ..`),
//! variations in round brackets, `$3` and `!?` are skipped.

use std::borrow::Cow;

use super::facts;
use super::ggf::{Annotation, End, GameResult, GgfGame};
use super::{BadGame, PlacedGame};
use crate::rules::{Game, Move};
use crate::text::TextError;
use crate::text::words::{a_move, decimal_prefix, split_digits, whole};

/// Does the line hold a header, `[Name "value"]`?
pub(super) fn is_header(line: &str) -> bool {
    header(line).is_some()
}

/// The name of a header, and its value with its column.
fn header(line: &str) -> Option<(&str, Cow<'_, str>)> {
    let inner = line.trim().strip_prefix('[')?.trim_start();
    let length = inner.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')?;
    let (name, rest) = inner.split_at(length);
    let value = rest
        .trim_start_matches([' ', '\t', ':'])
        .strip_prefix('"')?;
    let value = value.trim_end().strip_suffix(']').unwrap_or(value);
    let value = value
        .trim_end()
        .strip_suffix('"')
        .unwrap_or(value.trim_end());
    let is_name = name.starts_with(|letter: char| letter.is_ascii_alphabetic());
    let value = match value.contains('\\') {
        true => Cow::Owned(value.replace("\\\"", "\"").replace("\\\\", "\\")),
        false => Cow::Borrowed(value),
    };
    is_name.then_some((name, value))
}

/// The games of a text, each with the column at which it begins; columns count the bytes from the start of the text.
pub fn parse(text: &str) -> Vec<PlacedGame> {
    let mut reading = PgnReading::default();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        reading.line(line, at);
        at += line.len();
    }
    reading.end();
    reading.games
}

#[derive(Default)]
struct PgnReading {
    games: Vec<PlacedGame>,
    /// Where the game begins.
    start: Option<usize>,
    game: Option<GgfGame>,
    result: Option<GameResult>,
    bad: Option<BadGame>,
    /// Have its moves begun, and has its result been read?
    has_moves: bool,
    is_over: bool,
    /// Where the comment began that is open.
    comment: Option<usize>,
    /// Was the last number a 1, with which the next game may begin, without headers?
    at_first: bool,
    /// Round brackets that are open.
    depth: usize,
}

impl PgnReading {
    fn line(&mut self, line: &str, at: usize) {
        if line.starts_with('%') {
            return;
        }
        if self.comment.is_none()
            && let Some((name, value)) = header(line)
        {
            if self.has_moves || self.is_over {
                self.end();
            }
            self.header(name, &value, at);
            return;
        }
        let mut offset = 0;
        while offset < line.len() {
            offset += self.word(&line[offset..], at + offset).max(1);
        }
    }

    fn game(&mut self, at: usize) -> &mut GgfGame {
        self.start.get_or_insert(at);
        self.game.get_or_insert_default()
    }

    fn refuse(&mut self, at: usize, reason: impl Into<String>) {
        let error = TextError::new(at + 1, reason);
        if self.bad.is_none() {
            let before = self.game(at).clone();
            self.bad = Some(BadGame::after(before, error));
        }
    }

    fn header(&mut self, name: &str, value: &str, at: usize) {
        let is_known = !matches!(value.trim(), "" | "?" | "-" | "????.??.??");
        let text = if is_known { value.trim() } else { "" }.to_owned();
        let game = self.game(at);
        match name.to_ascii_lowercase().as_str() {
            "black" => game.black.name = text,
            "white" => game.white.name = text,
            "date" | "utcdate" if game.date.is_empty() => game.date = facts::date(&text),
            "site" => game.place = text,
            "event" if game.place.is_empty() => game.place = text,
            "blackelo" => game.black.rating = whole(&text, decimal_prefix),
            "whiteelo" => game.white.rating = whole(&text, decimal_prefix),
            "result" => self.result = facts::result(&text),
            "fen" if is_known => match text.parse() {
                Ok(start) => game.game = Game::new(start),
                Err(_) => self.refuse(at, "the start position of FEN cannot be read"),
            },
            "variant" | "gametype" if text.to_ascii_lowercase().contains("anti") => {
                self.refuse(at, "anti-Othello, where fewer discs win, is not read");
            }
            "size" | "boardsize" if is_known && !matches!(text.as_str(), "8" | "8x8") => {
                self.refuse(at, "not a board of 8 x 8 squares");
            }
            _ => {}
        }
    }

    /// Reads one word at byte `at`; returns how many bytes it took.
    fn word(&mut self, text: &str, at: usize) -> usize {
        if self.comment.is_some() || self.depth > 0 {
            return self.aside(text, at);
        }
        let length = |stop: &[char]| text.find(stop).unwrap_or(text.len());
        match text.chars().next().unwrap_or(' ') {
            letter if letter.is_whitespace() => letter.len_utf8(),
            ';' => text.len(),
            '{' => {
                self.comment = Some(at);
                1
            }
            '(' => {
                self.depth = 1;
                1
            }
            '$' => length(&[' ', '\t', '\n', ')', '{']),
            '!' | '?' | '.' | ',' | '+' | '#' => 1,
            _ => {
                let word = length(&[' ', '\t', '\n', '{', '(', ';', '$', '!', '?', ',']);
                self.token(&text[..word], at);
                word
            }
        }
    }

    /// Skips a part of a comment or of a variation.
    fn aside(&mut self, text: &str, at: usize) -> usize {
        let is_mark = |letter| match self.comment {
            Some(_) => letter == '}',
            None => matches!(letter, '(' | ')' | '{'),
        };
        let Some(mark) = text.find(is_mark) else {
            return text.len();
        };
        match text.as_bytes()[mark] {
            b'}' => self.comment = None,
            b'(' => self.depth += 1,
            b')' => self.depth -= 1,
            _ => self.comment = Some(at + mark),
        }
        mark + 1
    }

    /// A number, a move, or a result.
    fn token(&mut self, word: &str, at: usize) {
        let (number, behind) = split_digits(word);
        let is_number = !number.is_empty() && (behind.is_empty() || behind.starts_with(['.', '…']));
        if is_number {
            // `1... d6` goes on behind a comment.
            self.at_first = number == "1" && !behind.starts_with("..") && !behind.starts_with('…');
            let moves = behind.trim_start_matches(['.', '…']);
            if !moves.is_empty() {
                self.token(moves, at + word.len() - moves.len());
            }
            return;
        }
        let is_result = word == "*" || !number.is_empty() && facts::result(word).is_some();
        if is_result || word.starts_with('½') {
            self.game(at);
            self.is_over = true;
            self.result = self.result.or_else(|| facts::result(word));
            return;
        }
        let mut rest = word;
        while !rest.is_empty() {
            let offset = at + word.len() - rest.len();
            let Ok((after, mv)) = a_move(rest) else {
                let reason = format!("expected a move, a number or a result, found {rest:?}");
                return self.refuse(offset, reason);
            };
            self.play(mv, offset);
            rest = after;
        }
    }

    /// Is this the first move of another game, and not the answer to the only one, whose number is repeated?
    fn begins_next(&mut self, mv: Move) -> bool {
        let may_begin = std::mem::take(&mut self.at_first) && (self.is_over || self.has_moves);
        let game = self.game.as_ref().map(|game| &game.game);
        let is_answer = |game: &Game| game.moves().len() == 1 && game.clone().play(mv).is_ok();
        may_begin && (self.is_over || !game.is_some_and(is_answer))
    }

    fn play(&mut self, mv: Move, at: usize) {
        if self.begins_next(mv) {
            self.end();
        }
        if self.is_over {
            return self.refuse(at, format!("move {mv} after the result"));
        }
        self.has_moves = true;
        if self.game(at).play(mv, Annotation::default()).is_err() {
            self.refuse(at, format!("illegal move {mv}"));
        }
    }

    fn end(&mut self) {
        if let Some(at) = self.comment {
            self.refuse(at, "expected } at the end of the comment");
        } else if self.depth > 0 {
            let at = self.start.unwrap_or(0);
            self.refuse(at, "expected ) at the end of a variation");
        }
        let done = std::mem::take(self);
        self.games = done.games;
        let (Some(at), Some(mut game)) = (done.start, done.game) else {
            return;
        };
        game.result = done.result;
        let is_ended = done.result.is_some_and(|result| result.end != End::Over);
        let game = match done.bad {
            Some(bad) => Err(bad),
            // Given up before the first move.
            None if done.has_moves || is_ended => Ok(game),
            None => Err(TextError::new(at + 1, "there is no move").into()),
        };
        self.games.push((at + 1, game));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<GgfGame> {
        parse(text)
            .into_iter()
            .map(|(_, game)| game.expect(text))
            .collect()
    }

    const HEADERS: &str = "[Event \"?\"]\n[Site \"PlayOK\"]\n[Date \"2021.01.01\"]\n[Black \"ann \\\"a\\\"\"]\n\
        [White \"ben\"]\n[Result \"38-26\"]\n[BlackElo \"1100\"]\n\n";

    #[test]
    fn headers_say_who_played() {
        let game = &read(&format!("{HEADERS}1. f5 d6 2. c3 d3\n3. c4 38-26\n"))[0];
        assert_eq!(game.game.transcript(), "f5d6c3d3c4");
        assert_eq!(
            (game.black.name.as_str(), game.white.name.as_str()),
            ("ann \"a\"", "ben")
        );
        assert_eq!(
            (game.date.as_str(), game.place.as_str()),
            ("2021.01.01", "PlayOK")
        );
        assert_eq!(
            (game.black.rating, game.result.map(|result| result.score)),
            (Some(1100.0), Some(12.0))
        );
    }

    #[test]
    fn several_games_stand_in_a_file() {
        let text = format!(
            "{HEADERS}1. f5 d6 *\n\n{HEADERS}1.F5 {{a [White \"x\"]\n remark}} d6 (1... f4 (1... f6) {{)}} 2. d3) 2.c3! $1 ; more\n1-0\n1. e6 f4\n2. c3"
        );
        let transcripts: Vec<_> = read(&text)
            .iter()
            .map(|game| game.game.transcript())
            .collect();
        assert_eq!(transcripts, ["f5d6", "f5d6c3", "e6f4c3"]);
    }

    #[test]
    fn a_number_may_be_repeated_after_a_comment() {
        for (text, games) in [
            ("1. f5 {a} 1... d6 2. c3 {b} 2... d3 *", &["f5d6c3d3"][..]),
            ("1. f5 {a} 1. d6 2. c3", &["f5d6c3"]),
            ("1. f5 {a} 1.. d6", &["f5d6"]),
            ("1. f5 1. d3 c3", &["f5", "d3c3"]),
            ("1. f5 d6 1. f5 f6", &["f5d6", "f5f6"]),
        ] {
            let found = read(text);
            let found: Vec<_> = found.iter().map(|game| game.game.transcript()).collect();
            assert_eq!(found, games, "{text}");
        }
        let game = &read("[ Black: \"ann\" ]\n[BlackType : \"x\"]\n1. f5")[0];
        assert_eq!(game.black.name, "ann", "some sites write a colon");
    }

    #[test]
    fn a_bad_game_does_not_spoil_the_others() {
        let text = "[Black \"a\"]\n1. f5 f5\n\n[Black \"b\"]\n1. f5 d6 1-0\n[Black \"c\"]\n1. f5 hello 2. d6\n";
        let found: Vec<_> = parse(text)
            .into_iter()
            .map(|(at, game)| (at, game.map_err(|bad| bad.error.column)))
            .collect();
        assert_eq!(found[0], (1, Err(19)));
        assert!(found[1].1.is_ok());
        assert_eq!(found[2], (48, Err(66)));
        for text in [
            "[Black \"a\"]\n",
            "[Size \"10\"]\n1. f5",
            "[Variant \"Anti\"]\n1. f5",
            "[Black \"a\"]\n1. f5 {no end",
            "[FEN \"x\"]\n1. f5",
        ] {
            assert!(parse(text)[0].1.is_err(), "{text}");
        }
    }
}
