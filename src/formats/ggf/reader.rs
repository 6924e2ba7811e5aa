//! Reading GGF: a game, the games of a line, one move, one clock.

use std::borrow::Cow;
use std::mem;
use std::str::FromStr;
use std::time::Duration;

use nom::Parser;
use nom::branch::alt;
use nom::bytes::complete::{is_not, tag, take_till, take_while1};
use nom::character::complete::{char, digit1, multispace0, one_of, space0, u32};
use nom::combinator::{map, map_opt, opt, peek, recognize, verify};
use nom::multi::{many0, separated_list1};
use nom::sequence::{delimited, preceded, terminated};

use super::super::{BadGame, facts};
use super::{Annotation, DEFAULT_GRACE, End, GameClock, GameResult, GgfGame};
use crate::rules::{Color, Game, Move, Position};
use crate::text::words::{
    Checked, Parsed, decimal_prefix, expect, failure, finish, nothing_behind, position,
    split_digits, square, whole,
};
use crate::text::{ReadError, TextError, read_all};

/// The games of one line, usually one; a line of a match has `2 (;..;)(;..;)`.
/// Blank lines and comments (`#`, `%`) hold none.
///
/// # Errors
/// If the line has something else, or a game cannot be read.
pub fn parse_line(line: &str) -> Result<Vec<GgfGame>, TextError> {
    if line.trim_start().starts_with(['#', '%']) {
        return Ok(Vec::new());
    }
    let (count, games) = parse_counted(line)?;
    if let Some(warning) = miscounted(count, games.len()) {
        log::warn!("{warning}");
    }
    Ok(games)
}

/// The games of one line that is no comment, and their number, if the line says it.
pub(in crate::formats) fn parse_counted(
    line: &str,
) -> Result<(Option<u32>, Vec<GgfGame>), TextError> {
    finish(line, games(line))
}

/// An error in a text of GGF, and what stands before an illegal move of its last game.
pub(in crate::formats) fn bad(error: TextError, text: &str) -> BadGame {
    BadGame::of(error, text, |before| {
        let start = before.rfind("(;").unwrap_or(0);
        let end = before.rfind(']').map_or(before.len(), |end| end + 1);
        format!("{};)", before.get(start..end).unwrap_or("")).parse()
    })
}

/// What is wrong with the number of games that a text says it has.
pub(in crate::formats) fn miscounted(said: Option<u32>, found: usize) -> Option<String> {
    let said = said.filter(|&said| said as usize != found)?;
    Some(format!("{said} games are announced, and there are {found}"))
}

/// Does a line hold GGF, `(;GM[Othello]..;)`, perhaps with the number of its games before it?
pub fn is_ggf(line: &str) -> bool {
    let (_, games) = split_digits(line.trim_start());
    games.trim_start().starts_with("(;")
}

/// Reads whole text: the games of all lines.
///
/// # Errors
/// At the first line that holds something else.
pub fn parse(text: &[u8]) -> Result<Vec<GgfGame>, ReadError> {
    let lines = read_all(text, |line| parse_line(line).map(Some))?;
    Ok(lines.into_iter().flatten().collect())
}

/// One game, with nothing before or after it but blanks.
impl FromStr for GgfGame {
    type Err = TextError;

    fn from_str(text: &str) -> Result<GgfGame, TextError> {
        let game = preceded(multispace0, ggf_game).parse(text);
        finish(text, game.and_then(end))
    }
}

fn games(input: &str) -> Parsed<'_, (Option<u32>, Vec<GgfGame>)> {
    let count = delimited(multispace0, opt(terminated(u32, space0)), multispace0);
    let each = terminated(ggf_game, multispace0);
    let (rest, (count, games)) = (count, many0(each)).parse(input)?;
    end((rest, (count, games)))
}

/// Only blanks may be left.
fn end<T>((rest, value): (&str, T)) -> Parsed<'_, T> {
    let rest = rest.trim_start();
    nothing_behind((rest, value), "expected a game, (;GM[Othello]..;)")
}

#[derive(Clone, Copy)]
struct Tag<'a> {
    name: &'a str,
    value: &'a str,
    /// The input from the value on.
    from_value: &'a str,
}

impl<'a> Tag<'a> {
    /// The result of `parser` for the value; failures keep their column in the line.
    fn read<T>(self, parser: impl Fn(&'a str) -> Parsed<'a, T>) -> Checked<'a, T> {
        match parser(self.value) {
            Ok((_, found)) => Ok(found),
            Err(nom::Err::Error(found) | nom::Err::Failure(found)) => {
                let at = self.value.len() - found.rest.len();
                self.refuse(at, found.reason)
            }
            Err(incomplete) => Err(incomplete),
        }
    }

    /// A failure at that byte of the value.
    fn refuse<T>(self, at: usize, reason: impl Into<Cow<'static, str>>) -> Checked<'a, T> {
        failure(&self.from_value[at..], reason)
    }
}

fn ggf_tag(input: &str) -> Parsed<'_, Tag<'_>> {
    let name = take_while1(|c: char| c.is_ascii_alphabetic());
    let (rest, name) = terminated(name, multispace0).parse(input)?;
    let (from_value, _) = expect("expected [value]", char('['))(rest)?;
    let (rest, value) = take_till(|c| c == ']').parse(from_value)?;
    let (rest, _) = expect("expected ]", char(']'))(rest)?;
    let tag = Tag {
        name,
        value,
        from_value,
    };
    Ok((rest, tag))
}

fn ggf_game(input: &str) -> Parsed<'_, GgfGame> {
    let (mut rest, _) = (char('('), multispace0, char(';')).parse(input)?;
    let mut reading = GgfReading::default();
    loop {
        rest = multispace0(rest)?.0;
        if let (after, Some(_)) = opt((char(';'), multispace0, char(')'))).parse(rest)? {
            return match (reading.is_othello, reading.lacks_start()) {
                (true, false) => Ok((after, reading.found)),
                (true, true) => {
                    let reason = "expected BO[8 ..]: the game began at a random position";
                    failure(rest, reason)
                }
                (false, _) => failure(rest, "expected GM[Othello] before the end"),
            };
        }
        let (after, tag) = expect("expected a tag such as B[f5], or the end ;)", ggf_tag)(rest)?;
        reading.take(tag)?;
        rest = after;
    }
}

#[derive(Default)]
struct GgfReading {
    is_othello: bool,
    has_start: bool,
    found: GgfGame,
}

impl GgfReading {
    fn take<'a>(&mut self, tag: Tag<'a>) -> Checked<'a, ()> {
        let found = &mut self.found;
        let text = tag.value.trim();
        match tag.name.to_ascii_uppercase().as_str() {
            "GM" if !text.eq_ignore_ascii_case("othello") => {
                return tag.refuse(0, "expected the game Othello");
            }
            "GM" => self.is_othello = true,
            // What is read is on 8 x 8 squares, whether the kind says it or not.
            "TY" => match kind(text) {
                Ok(kind) => found.kind = kind.unwrap_or("8").to_owned(),
                Err(reason) => return tag.refuse(0, reason),
            },
            "PC" => found.place = text.to_owned(),
            "DT" => found.date = facts::date(text),
            "PB" => found.black.name = text.to_owned(),
            "PW" => found.white.name = text.to_owned(),
            "RB" => found.black.rating = whole(text, decimal_prefix),
            "RW" => found.white.rating = whole(text, decimal_prefix),
            "TI" => {
                found.black.clock = tag.read(opt_clock)?;
                found.white.clock = found.black.clock;
            }
            "TB" => found.black.clock = tag.read(opt_clock)?,
            "TW" => found.white.clock = tag.read(opt_clock)?,
            "RE" => found.result = whole(text, game_result),
            "BO" if self.has_start => return tag.refuse(0, "expected one BO"),
            "BO" => {
                let start = Game::new(tag.read(start)?);
                self.found = mem::take(found).with_moves_of(start);
                self.has_start = true;
            }
            "B" => self.play(Color::Black, tag)?,
            "W" => self.play(Color::White, tag)?,
            _ => {}
        }
        Ok(())
    }

    fn play<'a>(&mut self, color: Color, tag: Tag<'a>) -> Checked<'a, ()> {
        if let Some(at) = junk_of_move(tag.value) {
            let reason = "expected the end of the move, or its evaluation after a /";
            return tag.refuse(at, reason);
        }
        let (mv, note) = tag.read(annotated)?;
        let position = self.found.game.position();
        // Both sides may pass where the game is over.
        let ends = mv == Move::Pass && position.board.is_over();
        if position.mover(mv) != color && !ends || self.found.play(mv, note).is_err() {
            return tag.refuse(0, format!("illegal move {mv} of {color}"));
        }
        Ok(())
    }

    /// Did the game begin at a random position that is not told?
    fn lacks_start(&self) -> bool {
        self.found.kind.contains(['r', 'R']) && !self.has_start
    }
}

/// `8 <64 cells> *`; here `0` is a white disc.
fn start(value: &str) -> Parsed<'_, Position> {
    let mut size = (space0, expect("expected an 8x8 board", tag("8")));
    let (cells, _) = size.parse(value)?;
    // Archives put the rows on lines of their own.
    let letters = cells.replace('0', "O").replace(['\n', '\r'], " ");
    match position(&letters) {
        Ok((rest, found)) => Ok((&cells[cells.len() - rest.len()..], found)),
        // The replaced letters have the same length, so columns stay right.
        Err(nom::Err::Error(found) | nom::Err::Failure(found)) => {
            failure(&cells[cells.len() - found.rest.len()..], found.reason)
        }
        Err(nom::Err::Incomplete(needed)) => Err(nom::Err::Incomplete(needed)),
    }
}

/// A kind of game on an 8 x 8 board by the rules of Othello: `8`, `8k`, `s8r20`; `None` if it says no size, as `0`.
fn kind(text: &str) -> Result<Option<&str>, &'static str> {
    let size = text.trim_start_matches(['s', 'S']);
    let (number, options) = split_digits(size);
    if options.contains(['a', 'A']) {
        return Err("anti-Othello, where fewer discs win, is not read");
    }
    match number {
        "8" => Ok(Some(text)),
        "" | "0" if options.is_empty() => Ok(None),
        _ => Err("expected a game on 8 x 8 squares"),
    }
}

/// A move as GGF and NBoard write it: `F5`, `F5/1.5`, `f5//0.2`, `PA`, `F5/-2/1.25`.
/// Blanks may replace the slashes, and a field that is no number is ignored.
///
/// # Errors
/// If it does not begin with a square or a pass.
pub fn parse_move(text: &str) -> Result<(Move, Annotation), TextError> {
    finish(text, annotated(text))
}

fn annotated(input: &str) -> Parsed<'_, (Move, Annotation)> {
    let reason = "expected a move such as F5 or PA";
    let (rest, mv) = preceded(multispace0, expect(reason, ggf_move)).parse(input)?;
    let mut fields = annotation_fields(rest).map(|field| whole(field.trim(), decimal_prefix));
    let evaluation = fields.next().flatten();
    let seconds = fields.next().flatten();
    let time = seconds.and_then(|s| Duration::try_from_secs_f64(s.max(0.0)).ok());
    Ok(("", (mv, Annotation { evaluation, time })))
}

/// The fields between the slashes; without slashes, the words.
fn annotation_fields(text: &str) -> Box<dyn Iterator<Item = &str> + '_> {
    if text.contains('/') {
        Box::new(text.split('/').skip(1))
    } else {
        Box::new(text.split_whitespace())
    }
}

/// The byte of a move in a game at which other text begins: behind the move only blanks and fields between slashes
/// stand, and none of them is a move or opens a bracket.
fn junk_of_move(value: &str) -> Option<usize> {
    let (rest, _) = preceded(multispace0, ggf_move).parse(value).ok()?;
    let at = value.len() - rest.len();
    let is_end = rest.is_empty() || rest.starts_with(['/', ' ', '\t', '\n', '\r']);
    let plain = rest.split('/').next().unwrap_or_default();
    let is_move = |word: &str| matches!(ggf_move(word.trim()), Ok(("", _)));
    let mut words = rest.split(['/', ' ', '\t', '\n', '\r']);
    let has_words = rest.contains('/') && !plain.trim().is_empty();
    (!is_end || has_words || rest.contains('[') || words.any(is_move)).then_some(at)
}

/// A square or a pass, which must end there.
fn ggf_move(input: &str) -> Parsed<'_, Move> {
    let word = take_while1(|c: char| c.is_ascii_alphabetic() || c == '-' || c == '@');
    let pass = map_opt(word, |word: &str| word.parse().ok());
    alt((square.map(Move::Place), pass)).parse(input)
}

fn opt_clock(value: &str) -> Parsed<'_, Option<GameClock>> {
    match value.trim().is_empty() {
        true => Ok(("", None)),
        false => map(clock, Some).parse(value),
    }
}

/// A clock: `main[/increment[/grace]]` with times `[[[d.]h:]m:]s`.
///
/// # Errors
/// If it is something else.
pub fn parse_clock(text: &str) -> Result<GameClock, TextError> {
    finish(text, clock(text))
}

fn clock(input: &str) -> Parsed<'_, GameClock> {
    let part = || preceded(char('/'), opt(clock_time));
    let main = expect("expected a time such as 5:00", clock_time);
    let (rest, main) = preceded(space0, main).parse(input)?;
    let (rest, increment) = opt(part()).parse(rest)?;
    let (rest, grace) = opt(part()).parse(rest)?;
    if !rest.trim().is_empty() {
        return failure(rest, "expected a clock such as 5:00/0:05/2:00");
    }
    let clock = GameClock {
        main,
        increment: increment.flatten().unwrap_or_default(),
        grace: grace.flatten().unwrap_or(DEFAULT_GRACE),
    };
    Ok((rest, clock))
}

/// `[[[d.]h:]m:]s[.fraction]`; the move counts of GGS, `,N:1`, are ignored.
fn clock_time(input: &str) -> Parsed<'_, Duration> {
    let days = terminated(u32, char('.'));
    let hours_follow = (digit1, char(':'), digit1, char(':'));
    let days = terminated(days, peek(hours_follow));
    let (rest, days) = opt(days).parse(input)?;
    let (rest, whole) = separated_list1(char(':'), verify(u32, |&n| n < 10_000_000)).parse(rest)?;
    let (rest, fraction) = opt(preceded(one_of(".,"), digit1)).parse(rest)?;
    let counts = recognize((char(','), opt(is_not("/"))));
    let (rest, _) = opt(counts).parse(rest)?;
    if whole.len() > 3 {
        return failure(input, "expected a time such as 1:05:00");
    }
    let seconds = whole.iter().fold(0, |sum, &n| 60 * sum + u64::from(n));
    let days = u64::from(days.unwrap_or(0)).min(10_000);
    let fraction: Result<f64, _> = format!("0.{}", fraction.unwrap_or("0")).parse();
    let time = Duration::from_secs(86_400 * days + seconds);
    let fraction = Duration::from_secs_f64(fraction.unwrap_or(0.0));
    Ok((rest, time + fraction))
}

fn game_result(input: &str) -> Parsed<'_, GameResult> {
    let (rest, score) = opt(decimal_prefix).parse(input)?;
    let (rest, letter) = opt(preceded(char(':'), one_of("rtlsRTLS"))).parse(rest)?;
    let end = match letter.map(|letter| letter.to_ascii_lowercase()) {
        Some('r') => End::Resigned,
        Some('t') => End::Timeout,
        Some('l') => End::Left,
        Some(_) => End::Agreed,
        None => End::Over,
    };
    if (score, letter) == (None, None) {
        return failure(input, "expected a result such as +12 or -8:r");
    }
    let score = score.unwrap_or(0.0);
    Ok((rest, GameResult { score, end }))
}
