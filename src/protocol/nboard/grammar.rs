//! The grammar: bytes of a line to a [`Command`].

use nom::branch::alt;
use nom::bytes::complete::tag;
use nom::character::complete::{i64 as integer, u32 as natural};
use nom::combinator::{all_consuming, map, map_opt, value, verify};
use nom::error::Error;
use nom::sequence::{preceded, terminated};
use nom::{Finish, IResult, Parser};

use super::{Command, Version};
use crate::formats::ggf;
use crate::protocol::words::{blank, blanks, decimal, end, word};
use crate::protocol::{Line, MAX_LINE};

/// Deepest search that can be asked for, in plies: there are no longer games.
const MAX_DEPTH: u32 = 60;

/// Reads a line; a blank one is no command.
///
/// # Errors
/// What is wrong with it, for the log.
pub fn parse(line: &Line) -> Result<Option<Command>, String> {
    let Line::Bytes(bytes) = line else {
        return Err(format!("a line of more than {MAX_LINE} bytes"));
    };
    let text = std::str::from_utf8(bytes).map_err(|_| "bytes that are not UTF-8".to_owned())?;
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    command(text).map(Some)
}

/// Does NBoard begin with this line?
pub fn begins(line: &Line) -> bool {
    matches!(parse(line), Ok(Some(Command::Hello(_))))
}

fn command(text: &str) -> Result<Command, String> {
    let (arguments, name) = word(text).finish().map_err(|_| "no word".to_owned())?;
    match name {
        "nboard" => all(arguments, "a version", version),
        "set" => set(arguments),
        "move" => a_move(arguments),
        "ping" => all(
            arguments,
            "a number",
            map(terminated(integer, blanks), Command::Ping),
        ),
        "hint" => all(arguments, "a number of moves", hint),
        "go" => all(arguments, "nothing more", value(Command::Go, end)),
        "learn" => all(arguments, "nothing more", value(Command::Learn, end)),
        "analyze" => all(arguments, "nothing more", value(Command::Analyze, end)),
        "quit" => all(arguments, "nothing more", value(Command::Quit, end)),
        // Version 1 sends a move without a word before it.
        _ if arguments.is_empty() => a_move(name).map_err(|_| "unknown command".to_owned()),
        _ => Err("unknown command".to_owned()),
    }
}

fn all<'a>(
    arguments: &'a str,
    expected: &str,
    parser: impl Parser<&'a str, Output = Command, Error = Error<&'a str>>,
) -> Result<Command, String> {
    let (_, command) = all_consuming(parser)
        .parse(arguments)
        .finish()
        .map_err(|_| format!("expected {expected}"))?;
    Ok(command)
}

/// `1`, or anything newer.
fn version(input: &str) -> IResult<&str, Command> {
    let known = |number| match number {
        0 => None,
        1 => Some(Command::Hello(Version::One)),
        _ => Some(Command::Hello(Version::Two)),
    };
    map_opt(natural, known).parse(input)
}

fn set(arguments: &str) -> Result<Command, String> {
    let name = |name: &'static str| preceded(tag(name), blank);
    let named: IResult<&str, &str> = name("game").parse(arguments);
    if let Ok((text, _)) = named {
        let game = text
            .parse()
            .map_err(|error| format!("{error} of the game"))?;
        return Ok(Command::SetGame(Box::new(game)));
    }
    let depth =
        verify(natural, |&depth| depth >= 1).map(|depth| Command::SetDepth(depth.min(MAX_DEPTH)));
    let contempt =
        decimal.map(|contempt| Command::SetContempt(contempt.clamp(-100.0, 100.0) as i32));
    let known = alt((
        preceded(name("depth"), depth),
        preceded(name("contempt"), contempt),
    ));
    all(arguments, "game, depth N or contempt N", known)
}

fn a_move(arguments: &str) -> Result<Command, String> {
    let (mv, note) = ggf::parse_move(arguments).map_err(|error| error.reason)?;
    Ok(Command::Move(mv, note))
}

fn hint(input: &str) -> IResult<&str, Command> {
    let count = verify(natural, |&count| count >= 1);
    map(count, |count| Command::Hint(count.min(64) as usize)).parse(input)
}
