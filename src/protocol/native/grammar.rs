//! The grammar of the native protocol: bytes of a line to a [`NativeCommand`].

use std::time::Duration;

use nom::Parser;
use nom::branch::alt;
use nom::combinator::{map, map_opt, opt, rest, value};
use nom::multi::many1;
use nom::sequence::preceded;

use super::{Go, NativeCommand, Query, Setting};
use crate::engine::Level;
use crate::human::Rating;
use crate::rules::{Game, Move, Position};
use crate::search::{Goal, SearchOptions, Selectivity};
use crate::text::words::{
    self, Checked, Parsed, Reads, blanks, converted, expect, failure, finish, is_blank, keyword,
    nothing_behind, number_in, time_left, word,
};
use crate::text::{Line, TextError, values};

/// Most megabytes of the table: 256 TB, more than a process can address.
pub(super) const MAX_HASH: usize = SearchOptions::MAX_HASH_MB;

/// Longest time of a clock or a move, in milliseconds: about 31 years.
const MAX_MILLISECONDS: u64 = 1_000_000_000_000;

const A_MOVE: &str = "expected a move a1..h8 or pass";

/// Reads a line; a blank one is no command.
///
/// # Errors
/// If the line is no command, or one with broken arguments or an illegal move.
pub fn parse(line: &Line) -> Result<Option<NativeCommand>, TextError> {
    check_controls(line.whole()?)?;
    let text = line.text()?.trim_end_matches(is_blank);
    if text.chars().all(is_blank) {
        return Ok(None);
    }
    let command = preceded(blanks, command).parse(text);
    finish(text, command).map(Some)
}

/// Refuses control characters before the first byte that is not text; tabs are blanks.
fn check_controls(bytes: &[u8]) -> Result<(), TextError> {
    let text = bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let is_control = |byte: &u8| byte.is_ascii_control() && *byte != b'\t';
    let control = text.as_bytes().iter().position(is_control);
    control.map_or(Ok(()), |at| {
        let reason = format!("control character 0x{:02x}", bytes[at]);
        Err(TextError::new(at + 1, reason))
    })
}

/// A command and the end of the line.
fn command(input: &str) -> Parsed<'_, NativeCommand> {
    let (arguments, name) = word(input)?;
    let found = match name {
        "uci" => (arguments, NativeCommand::Uci),
        "ugi" => (arguments, NativeCommand::Ugi),
        "isready" => (arguments, NativeCommand::IsReady),
        "ucinewgame" | "uginewgame" => (arguments, NativeCommand::NewGame),
        "setoption" => map(setting, NativeCommand::SetOption).parse(arguments)?,
        "position" => map(position, NativeCommand::Position).parse(arguments)?,
        "go" => map(go, NativeCommand::Go).parse(arguments)?,
        "stop" => (arguments, NativeCommand::Stop),
        "ponderhit" => (arguments, NativeCommand::PonderHit),
        "quit" => (arguments, NativeCommand::Quit),
        "query" => map(query, NativeCommand::Query).parse(arguments)?,
        "d" => (arguments, NativeCommand::Draw),
        "moves" => (arguments, NativeCommand::Moves),
        "eval" => (arguments, NativeCommand::Eval),
        "perft" => map(number_in(0..=60), NativeCommand::Perft).parse(arguments)?,
        "bench" => (arguments, NativeCommand::Bench),
        "help" => (arguments, NativeCommand::Help),
        _ => return failure(input, "unknown command (try help)"),
    };
    nothing_behind(found, format!("expected nothing more after {name}"))
}

fn query(input: &str) -> Parsed<'_, Query> {
    let known = alt((
        value(Query::GameOver, keyword("gameover")),
        value(Query::Result, keyword("result")),
        value(Query::P1Turn, keyword("p1turn")),
    ));
    expect("expected gameover, result or p1turn", known)(input)
}

/// How the list of options ends, of which hosts of UCI know more.
pub(super) const LAST_OPTIONS: &str = "BookStyle or BookSeed";

/// `name Hash value 64`, or `name Clear Hash`
fn setting(input: &str) -> Parsed<'_, Setting> {
    let (name_at, _) = expect("expected name", keyword("name"))(input)?;
    let names = "expected Threads, Hash, MultiPV, Ponder, EvalFile, Selectivity, Level, Rating, Book, BookVariety, BookStyle or BookSeed";
    debug_assert!(names.ends_with(LAST_OPTIONS));
    let (value_at, name) = expect(names, word)(name_at)?;
    if name.eq_ignore_ascii_case("clear") {
        let hash = converted("expected Hash", |found: &str| {
            found.eq_ignore_ascii_case("hash").then_some(())
        });
        return map(hash, |()| Setting::ClearHash).parse(value_at);
    }
    let (value_at, _) = expect("expected value", keyword("value"))(value_at)?;
    match name.to_ascii_lowercase().as_str() {
        "threads" => map(number_in(1..=256), Setting::Threads).parse(value_at),
        "hash" => map(number_in(1..=MAX_HASH), Setting::Hash).parse(value_at),
        "multipv" => map(number_in(1..=64), Setting::MultiPv).parse(value_at),
        "ponder" => map(boolean, Setting::Ponder).parse(value_at),
        "evalfile" => map(file, Setting::EvalFile).parse(value_at),
        "level" => {
            let level = number_in(0..=Level::COUNT).map(Level::new);
            map(level, Setting::Level).parse(value_at)
        }
        "rating" => {
            let rating = |elo: u16| (elo > 0).then(|| Rating::new(elo.into()));
            let rating = number_in(0..=Rating::MAX_ELO).map(rating);
            map(rating, Setting::Rating).parse(value_at)
        }
        "uci_elo" => {
            let rating = number_in(1..=Rating::MAX_ELO).map(|elo| Rating::new(elo.into()));
            map(rating, Setting::Elo).parse(value_at)
        }
        "uci_limitstrength" => map(boolean, Setting::LimitStrength).parse(value_at),
        "uci_showwdl" => map(boolean, Setting::ShowWdl).parse(value_at),
        "selectivity" => map(selectivity, Setting::Selectivity).parse(value_at),
        "book" => map(book, Setting::Book).parse(value_at),
        "bookvariety" => map(variety, Setting::BookVariety).parse(value_at),
        "bookstyle" => {
            let style = converted("expected best, people or wide", |word| word.parse().ok());
            map(style, Setting::BookStyle).parse(value_at)
        }
        "bookseed" => map(number_in(0..=u64::MAX), Setting::BookSeed).parse(value_at),
        _ => failure(name_at, names),
    }
}

fn boolean(input: &str) -> Parsed<'_, bool> {
    let known = |found: &str| found.to_ascii_lowercase().parse().ok();
    converted("expected true or false", known)(input)
}

/// A path with or without blanks; nothing and `<empty>` mean no file.
fn file(input: &str) -> Parsed<'_, Option<String>> {
    let named = |path: &str| (!matches!(path, "" | "<empty>")).then(|| path.to_owned());
    map(rest, named).parse(input)
}

/// As [`file()`]; `none` is no book.
fn book(input: &str) -> Parsed<'_, Option<String>> {
    map(file, |path| path.filter(|path| path != "none")).parse(input)
}

/// Discs, as hundredths.
fn variety(input: &str) -> Parsed<'_, u32> {
    let known = |found: &str| {
        let discs = values::discs(found).ok()?;
        Some((discs * 100.0).round() as u32)
    };
    converted("expected discs, 0 to 64", known)(input)
}

fn selectivity(input: &str) -> Parsed<'_, Selectivity> {
    let known = |found: &str| found.parse().ok().and_then(Selectivity::from_percent);
    converted("expected 73, 87, 95, 98, 99 or 100", known)(input)
}

/// `startpos moves f5 d6`
fn position(input: &str) -> Parsed<'_, Game> {
    let start = alt((
        value(Position::START, keyword("startpos")),
        preceded(alt((keyword("board"), keyword("fen"))), cells),
    ));
    let (input, start) = expect("expected startpos, board or fen", start)(input)?;
    let (input, moves) = opt(keyword("moves")).parse(input)?;
    match moves {
        Some(_) => played(Game::new(start), input),
        None if input.is_empty() => Ok((input, Game::new(start))),
        None => failure(input, "expected moves"),
    }
}

/// 64 cells and the side to move.
fn cells(input: &str) -> Parsed<'_, Position> {
    let (behind, position) = words::position(input)?;
    let (left, _) = blanks(behind)?;
    if left.len() == behind.len() && !left.is_empty() {
        return failure(left, "expected a blank after the side to move");
    }
    Ok((left, position))
}

/// The game after the moves in the rest of the line.
fn played(mut game: Game, input: &str) -> Parsed<'_, Game> {
    let mut input = input;
    while !input.is_empty() {
        let (left, mv) = expect(A_MOVE, known_move)(input)?;
        if let Err(error) = game.accept(mv) {
            return failure(input, error.to_string());
        }
        input = left;
    }
    Ok((input, game))
}

fn known_move(input: &str) -> Parsed<'_, Move> {
    map_opt(word, |found: &str| found.parse().ok()).parse(input)
}

/// The limits in the rest of the line, in any order, each once.
fn go(input: &str) -> Parsed<'_, Go> {
    let mut go = Go::default();
    let mut goal = None;
    let mut input = input;
    while !input.is_empty() {
        let (argument, name) = word(input)?;
        let slot = LimitSlot { at: input, name };
        input = match name {
            "exact" => slot.set(&mut goal, |rest| Ok((rest, Goal::EXACT)), argument)?,
            "wld" => slot.set(&mut goal, |rest| Ok((rest, Goal::WLD)), argument)?,
            "depth" => slot.set(&mut go.depth, number_in(1..=255), argument)?,
            "movetime" => slot.set(&mut go.movetime, time, argument)?,
            "nodes" => slot.set(&mut go.nodes, number_in(1..=u64::MAX), argument)?,
            "infinite" => slot.raise(&mut go.infinite, argument)?,
            "ponder" => slot.raise(&mut go.ponder, argument)?,
            "wtime" | "p1time" => slot.set(&mut go.first.time, time_left(time), argument)?,
            "btime" | "p2time" => slot.set(&mut go.second.time, time_left(time), argument)?,
            "winc" | "p1inc" => slot.set(&mut go.first.increment, time, argument)?,
            "binc" | "p2inc" => slot.set(&mut go.second.increment, time, argument)?,
            "movestogo" => slot.set(&mut go.moves_to_go, number_in(1..=1000), argument)?,
            "multipv" => slot.set(&mut go.multipv, number_in(1..=64), argument)?,
            "searchmoves" => {
                let moves = expect(A_MOVE, many1(known_move));
                slot.set(&mut go.search_moves, moves, argument)?
            }
            _ => {
                let reason = "expected depth, movetime, nodes, infinite, ponder, wtime, btime, winc, binc, \
                              movestogo, multipv, searchmoves, exact or wld";
                return failure(input, reason);
            }
        };
    }
    go.goal = goal.unwrap_or_default();
    Ok((input, go))
}

/// A limit's name in the line, for a value that may be given once.
#[derive(Clone, Copy)]
struct LimitSlot<'a> {
    at: &'a str,
    name: &'a str,
}

impl<'a> LimitSlot<'a> {
    /// Stores the result of `parser` in `slot`; returns the rest of the line.
    fn set<T>(
        self,
        slot: &mut Option<T>,
        mut parser: impl Reads<'a, T>,
        argument: &'a str,
    ) -> Checked<'a, &'a str> {
        if slot.is_some() {
            return failure(self.at, format!("second {}", self.name));
        }
        let (rest, parsed) = parser.parse(argument)?;
        *slot = Some(parsed);
        Ok(rest)
    }

    /// Sets a flag without a value.
    fn raise(self, flag: &mut bool, argument: &'a str) -> Checked<'a, &'a str> {
        let mut slot = flag.then_some(());
        let rest = self.set(&mut slot, |rest| Ok((rest, ())), argument)?;
        *flag = true;
        Ok(rest)
    }
}

/// Milliseconds.
fn time(input: &str) -> Parsed<'_, Duration> {
    map(number_in(0..=MAX_MILLISECONDS), Duration::from_millis).parse(input)
}
