//! The grammar: bytes of a line to a [`NBoardCommand`].

use nom::Parser;
use nom::branch::alt;
use nom::character::complete::{i64, u32};
use nom::combinator::{map, map_opt, verify};
use nom::sequence::{preceded, terminated};

use super::{NBoardCommand, Version};
use crate::formats::ggf::{self, GgfGame};
use crate::protocol::MAX_DEPTH;
use crate::text::words::{
    Parsed, Reads, blanks, decimal, end, expect, failure, finish, keyword, nothing_behind, word,
};
use crate::text::{Line, TextError};

/// Reads a line; a blank one is no command.
///
/// # Errors
/// What is wrong with it, for the log.
pub fn parse(line: &Line) -> Result<Option<NBoardCommand>, TextError> {
    let text = line.text()?.trim_end();
    if text.is_empty() {
        return Ok(None);
    }
    finish(text, preceded(blanks, command).parse(text)).map(Some)
}

pub(super) fn begins(line: &Line) -> bool {
    matches!(parse(line), Ok(Some(NBoardCommand::Hello(_))))
}

fn command(input: &str) -> Parsed<'_, NBoardCommand> {
    let (arguments, name) = word(input)?;
    let found = match name {
        "nboard" => {
            map(expect("expected a version", version), NBoardCommand::Hello).parse(arguments)?
        }
        "set" => set(arguments)?,
        "move" => a_move(arguments)?,
        "ping" => map(
            expect("expected a number", number(i64)),
            NBoardCommand::Ping,
        )
        .parse(arguments)?,
        "hint" => {
            let count = verify(number(u32), |&count| count >= 1);
            let count = expect("expected a number of moves", count);
            map(count, |count| NBoardCommand::Hint(count.min(64) as usize)).parse(arguments)?
        }
        "go" => (arguments, NBoardCommand::Go),
        "learn" => (arguments, NBoardCommand::Learn),
        "analyze" => (arguments, NBoardCommand::Analyze),
        "quit" => (arguments, NBoardCommand::Quit),
        // Version 1 sends a move without the word `move`.
        _ if arguments.is_empty() => {
            a_move(input).or_else(|_| failure(input, "unknown command"))?
        }
        _ => return failure(input, "unknown command"),
    };
    nothing_behind(found, "expected nothing more")
}

/// A whole number and the blanks behind it.
fn number<'a, T>(digits: fn(&'a str) -> Parsed<'a, T>) -> impl Reads<'a, T> {
    terminated(digits, blanks)
}

/// `1`, or anything newer.
fn version(input: &str) -> Parsed<'_, Version> {
    let known = |number| match number {
        0 => None,
        1 => Some(Version::One),
        _ => Some(Version::Two),
    };
    map_opt(number(u32), known).parse(input)
}

fn set(input: &str) -> Parsed<'_, NBoardCommand> {
    let depth = verify(number(u32), |&depth| depth >= 1);
    let depth = map(depth, |depth| NBoardCommand::SetDepth(depth.min(MAX_DEPTH)));
    let contempt = terminated(decimal, end);
    let contempt = map(contempt, |contempt| {
        NBoardCommand::SetContempt(contempt.clamp(-100.0, 100.0) as i32)
    });
    let known = alt((
        preceded(keyword("game"), game),
        preceded(keyword("depth"), depth),
        preceded(keyword("contempt"), contempt),
    ));
    expect("expected game, depth N or contempt N", known)(input)
}

fn game(input: &str) -> Parsed<'_, NBoardCommand> {
    let game = input.parse::<GgfGame>();
    within(
        input,
        game.map(|game| NBoardCommand::SetGame(Box::new(game))),
    )
}

fn a_move(input: &str) -> Parsed<'_, NBoardCommand> {
    let found = ggf::parse_move(input);
    within(input, found.map(|(mv, note)| NBoardCommand::Move(mv, note)))
}

/// The result of a reader of the whole `input`, as that of a parser.
fn within(input: &str, read: Result<NBoardCommand, TextError>) -> Parsed<'_, NBoardCommand> {
    read.map(|found| ("", found)).or_else(|error| {
        let at = input.floor_char_boundary(error.column - 1);
        failure(&input[at..], error.reason)
    })
}
