//! The grammar of the native protocol: bytes of a line to a [`Command`].

use std::ops::RangeInclusive;
use std::time::Duration;

use nom::branch::alt;
use nom::bytes::complete::{tag, take_while, take_while1};
use nom::combinator::{map, map_opt, opt, peek, rest, value, verify};
use nom::error::{ErrorKind, ParseError};
use nom::multi::many1;
use nom::sequence::{preceded, terminated};
use nom::{Finish, Parser};

use super::{Command, CommandError, Go, Query, Setting};
use crate::protocol::{Line, MAX_LINE};
use crate::rules::{Game, Move, ParsePositionError, Position};
use crate::search::{Goal, SearchOptions, Selectivity};

/// Most megabytes of the table: 256 TB, more than a process can address.
pub(super) const MAX_HASH: u64 = SearchOptions::MAX_HASH_MB as u64;

/// Longest time of a clock or a move, in milliseconds: about 31 years.
const MAX_MILLISECONDS: u64 = 1_000_000_000_000;

/// Reads a line; a blank one is no command.
///
/// # Errors
/// If the line is no command, or one with broken arguments or an illegal move.
pub fn parse(line: &Line) -> Result<Option<Command>, CommandError> {
    let bytes = match line {
        Line::Bytes(bytes) => bytes,
        Line::TooLong(start) => {
            let reason = format!("line of more than {MAX_LINE} bytes");
            return Err(CommandError::new(start, MAX_LINE + 1, reason));
        }
    };
    let text = printable(bytes)?.trim_end_matches(is_blank);
    if text.chars().all(is_blank) {
        return Ok(None);
    }
    match preceded(blanks, command).parse(text).finish() {
        Ok((_, command)) => Ok(Some(command)),
        Err(trouble) => {
            let column = text.len() - trouble.at.len() + 1;
            Err(CommandError::new(bytes, column, trouble.reason))
        }
    }
}

/// The line as text, if it is UTF-8 without control characters (tabs are blanks).
fn printable(bytes: &[u8]) -> Result<&str, CommandError> {
    let control = |&byte: &u8| byte < b' ' && byte != b'\t' || byte == 0x7f;
    let (valid, end) = match std::str::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(error) => ("", Some(error.valid_up_to())),
    };
    let searched = &bytes[..end.unwrap_or(bytes.len())];
    if let Some((at, byte)) = searched.iter().enumerate().find(|(_, byte)| control(byte)) {
        let reason = format!("control character 0x{byte:02x}");
        return Err(CommandError::new(bytes, at + 1, reason));
    }
    end.map_or(Ok(valid), |at| {
        Err(CommandError::new(bytes, at + 1, "bytes that are not UTF-8"))
    })
}

/// What the grammar could not read: the rest of the line from there, and why.
#[derive(Debug)]
struct Trouble<'a> {
    at: &'a str,
    reason: String,
}

type Parsed<'a, O> = nom::IResult<&'a str, O, Trouble<'a>>;

impl<'a> ParseError<&'a str> for Trouble<'a> {
    fn from_error_kind(at: &'a str, kind: ErrorKind) -> Trouble<'a> {
        let reason = kind.description().to_owned();
        Trouble { at, reason }
    }

    fn append(_at: &'a str, _kind: ErrorKind, inner: Trouble<'a>) -> Trouble<'a> {
        inner
    }
}

/// The line ends in failure here.
fn fail<O>(at: &str, reason: impl Into<String>) -> Parsed<'_, O> {
    let reason = reason.into();
    Err(nom::Err::Failure(Trouble { at, reason }))
}

/// `parser`, or failure with this reason.
fn expect<'a, O>(
    reason: &str,
    mut parser: impl Parser<&'a str, Output = O, Error = Trouble<'a>>,
) -> impl FnMut(&'a str) -> Parsed<'a, O> {
    move |input| match parser.parse(input) {
        Err(nom::Err::Error(_)) => fail(input, format!("expected {reason}")),
        result => result,
    }
}

const fn is_blank(letter: char) -> bool {
    matches!(letter, ' ' | '\t')
}

fn blanks(input: &str) -> Parsed<'_, &str> {
    take_while(is_blank).parse(input)
}

/// A word, and the blanks behind it.
fn word(input: &str) -> Parsed<'_, &str> {
    terminated(take_while1(|letter| !is_blank(letter)), blanks).parse(input)
}

/// This word, and the blanks behind it.
fn keyword<'a>(name: &'static str) -> impl Parser<&'a str, Output = &'a str, Error = Trouble<'a>> {
    verify(word, move |found: &str| found == name)
}

/// A word that `convert` understands, or failure.
fn converted<'a, O>(
    reason: &str,
    convert: impl Fn(&str) -> Option<O>,
) -> impl FnMut(&'a str) -> Parsed<'a, O> {
    expect(reason, map_opt(word, move |found: &'a str| convert(found)))
}

/// A number in `range`, or failure.
fn number(range: RangeInclusive<u64>) -> impl FnMut(&str) -> Parsed<'_, u64> {
    move |input| {
        let reason = format!("a number {}..{}", range.start(), range.end());
        let in_range = |found: &str| found.parse().ok().filter(|n| range.contains(n));
        converted(&reason, in_range)(input)
    }
}

/// A command and the end of the line.
fn command(input: &str) -> Parsed<'_, Command> {
    let (arguments, name) = word(input)?;
    let (rest, command) = match name {
        "uci" => (arguments, Command::Uci),
        "ugi" => (arguments, Command::Ugi),
        "isready" => (arguments, Command::IsReady),
        "ucinewgame" | "uginewgame" => (arguments, Command::NewGame),
        "setoption" => map(setting, Command::SetOption).parse(arguments)?,
        "position" => map(position, Command::Position).parse(arguments)?,
        "go" => map(go, Command::Go).parse(arguments)?,
        "stop" => (arguments, Command::Stop),
        "ponderhit" => (arguments, Command::PonderHit),
        "quit" => (arguments, Command::Quit),
        "query" => map(query, Command::Query).parse(arguments)?,
        "d" => (arguments, Command::Draw),
        "moves" => (arguments, Command::Moves),
        "eval" => (arguments, Command::Eval),
        "perft" => map(number(0..=60), |depth| Command::Perft(depth as u32)).parse(arguments)?,
        "bench" => (arguments, Command::Bench),
        "help" => (arguments, Command::Help),
        _ => return fail(input, "unknown command (try help)"),
    };
    if rest.is_empty() {
        Ok((rest, command))
    } else {
        fail(rest, format!("expected nothing more after {name}"))
    }
}

fn query(input: &str) -> Parsed<'_, Query> {
    let known = alt((
        value(Query::GameOver, keyword("gameover")),
        value(Query::Result, keyword("result")),
        value(Query::P1Turn, keyword("p1turn")),
    ));
    expect("gameover, result or p1turn", known)(input)
}

/// `name Hash value 64`
fn setting(input: &str) -> Parsed<'_, Setting> {
    let (name_at, _) = expect("name", keyword("name"))(input)?;
    let names = "Threads, Hash, MultiPV, Ponder, EvalFile or Selectivity";
    let (value_at, name) = expect(names, word)(name_at)?;
    let (value_at, _) = expect("value", keyword("value"))(value_at)?;
    match name.to_ascii_lowercase().as_str() {
        "threads" => map(number(1..=256), |n| Setting::Threads(n as usize)).parse(value_at),
        "hash" => map(number(1..=MAX_HASH), |n| Setting::Hash(n as usize)).parse(value_at),
        "multipv" => map(number(1..=64), |n| Setting::MultiPv(n as usize)).parse(value_at),
        "ponder" => map(boolean, Setting::Ponder).parse(value_at),
        "evalfile" => map(file, Setting::EvalFile).parse(value_at),
        "selectivity" => map(selectivity, Setting::Selectivity).parse(value_at),
        _ => fail(name_at, format!("expected {names}")),
    }
}

fn boolean(input: &str) -> Parsed<'_, bool> {
    let known = |found: &str| found.to_ascii_lowercase().parse().ok();
    converted("true or false", known)(input)
}

/// A path with or without blanks; nothing and `<empty>` mean no file.
fn file(input: &str) -> Parsed<'_, Option<String>> {
    let named = |path: &str| (!matches!(path, "" | "<empty>")).then(|| path.to_owned());
    map(rest, named).parse(input)
}

fn selectivity(input: &str) -> Parsed<'_, Selectivity> {
    let known = |found: &str| found.parse().ok().and_then(Selectivity::from_percent);
    converted("73, 87, 95, 98, 99 or 100", known)(input)
}

/// `startpos moves f5 d6`
fn position(input: &str) -> Parsed<'_, Game> {
    let start = alt((
        value(Position::START, keyword("startpos")),
        preceded(alt((keyword("board"), keyword("fen"))), cells),
    ));
    let (input, start) = expect("startpos, board or fen", start)(input)?;
    let (input, moves) = opt(keyword("moves")).parse(input)?;
    match moves {
        Some(_) => played(Game::new(start), input),
        None if input.is_empty() => Ok((input, Game::new(start))),
        None => fail(input, "expected moves"),
    }
}

/// 64 cells and the side to move.
fn cells(input: &str) -> Parsed<'_, Position> {
    match Position::parse_prefix(input) {
        Ok((position, used)) => {
            let (left, _) = blanks(&input[used..])?;
            let glued = left.len() == input.len() - used && !left.is_empty();
            if glued {
                return fail(left, "expected a blank after the side to move");
            }
            Ok((left, position))
        }
        Err(error) => {
            // One cell short, the side is taken for a cell: say what is really missing.
            let (_, first) = peek(opt(take_while1(|c| !is_blank(c)))).parse(input)?;
            let first = first.unwrap_or_default();
            if matches!(error, ParsePositionError::NoSide { .. }) && first.len() < 64 {
                let reason = format!("expected 64 cells, found {}", first.len());
                return fail(&input[first.len()..], reason);
            }
            fail(&input[error.column() - 1..], error.to_string())
        }
    }
}

/// The game after the moves up to the end of the line.
fn played(mut game: Game, input: &str) -> Parsed<'_, Game> {
    let mut input = input;
    while !input.is_empty() {
        let (left, mv) = a_move(input)?;
        if let Err(error) = game.play(mv) {
            return fail(input, error.to_string());
        }
        input = left;
    }
    Ok((input, game))
}

fn a_move(input: &str) -> Parsed<'_, Move> {
    expect("a move a1..h8 or pass", known_move)(input)
}

fn known_move(input: &str) -> Parsed<'_, Move> {
    map_opt(word, |found: &str| found.parse().ok()).parse(input)
}

/// The limits up to the end of the line, in any order, each once.
fn go(input: &str) -> Parsed<'_, Go> {
    let mut go = Go::default();
    let mut goal = None;
    let mut input = input;
    while !input.is_empty() {
        let (argument, name) = word(input)?;
        let slot = Slot { at: input, name };
        input = match name {
            "exact" => slot.set(&mut goal, |rest| Ok((rest, Goal::Exact)), argument)?,
            "wld" => slot.set(&mut goal, |rest| Ok((rest, Goal::Wld)), argument)?,
            "depth" => slot.set(&mut go.depth, small(1..=255), argument)?,
            "movetime" => slot.set(&mut go.movetime, time, argument)?,
            "nodes" => slot.set(&mut go.nodes, number(1..=u64::MAX), argument)?,
            "infinite" => slot.raise(&mut go.infinite, argument)?,
            "ponder" => slot.raise(&mut go.ponder, argument)?,
            "wtime" | "p1time" => slot.set(&mut go.first.time, time_left, argument)?,
            "btime" | "p2time" => slot.set(&mut go.second.time, time_left, argument)?,
            "winc" | "p1inc" => slot.set(&mut go.first.increment, time, argument)?,
            "binc" | "p2inc" => slot.set(&mut go.second.increment, time, argument)?,
            "movestogo" => slot.set(&mut go.moves_to_go, small(1..=1000), argument)?,
            "multipv" => {
                let lines = map(number(1..=64), |n| n as usize);
                slot.set(&mut go.multipv, lines, argument)?
            }
            "searchmoves" => {
                let moves = expect("a move a1..h8 or pass", many1(known_move));
                slot.set(&mut go.search_moves, moves, argument)?
            }
            _ => {
                return fail(
                    input,
                    "expected depth, movetime, nodes, infinite, ponder, wtime, btime, winc, binc, \
                     movestogo, multipv, searchmoves, exact or wld",
                );
            }
        };
    }
    go.goal = goal.unwrap_or_default();
    Ok((input, go))
}

/// A limit's name in the line, for a value that may be given once.
#[derive(Clone, Copy)]
struct Slot<'a> {
    at: &'a str,
    name: &'a str,
}

impl<'a> Slot<'a> {
    /// Puts what `parser` reads into `slot`; returns the rest of the line.
    fn set<T>(
        self,
        slot: &mut Option<T>,
        mut parser: impl Parser<&'a str, Output = T, Error = Trouble<'a>>,
        argument: &'a str,
    ) -> Result<&'a str, nom::Err<Trouble<'a>>> {
        if slot.is_some() {
            return fail(self.at, format!("second {}", self.name)).map(|(rest, ())| rest);
        }
        let (rest, parsed) = parser.parse(argument)?;
        *slot = Some(parsed);
        Ok(rest)
    }

    /// Raises a flag that needs no value.
    fn raise(self, flag: &mut bool, argument: &'a str) -> Result<&'a str, nom::Err<Trouble<'a>>> {
        let mut slot = flag.then_some(());
        let rest = self.set(&mut slot, |rest| Ok((rest, ())), argument)?;
        *flag = true;
        Ok(rest)
    }
}

/// A number in `range`, which fits in 32 bits.
fn small(range: RangeInclusive<u64>) -> impl FnMut(&str) -> Parsed<'_, u32> {
    let mut number = number(range);
    move |input| {
        let (rest, number) = number(input)?;
        Ok((rest, number as u32))
    }
}

/// Milliseconds.
fn time(input: &str) -> Parsed<'_, Duration> {
    map(number(0..=MAX_MILLISECONDS), Duration::from_millis).parse(input)
}

/// Milliseconds on a clock. Hosts send less than nothing when it was overstepped: that is nothing.
fn time_left(input: &str) -> Parsed<'_, Duration> {
    let overstepped = verify(word, |found: &str| {
        let digits = found.strip_prefix('-').unwrap_or_default();
        digits.parse().is_ok_and(|n: u64| n <= MAX_MILLISECONDS)
    });
    alt((value(Duration::ZERO, (peek(tag("-")), overstepped)), time)).parse(input)
}
