//! The grammar of GTP: bytes of a line to a [`Numbered`] command.
//!
//! Control characters are dropped, tabs are blanks, and what follows a `#` is a
//! comment, as the protocol's specification says.

use std::convert::identity;

use nom::Parser;
use nom::branch::alt;
use nom::bytes::complete::tag_no_case;
use nom::character::complete::digit1;
use nom::combinator::{map, map_opt, opt, peek, value, verify};
use nom::sequence::terminated;

use super::{GtpCommand, Precision, RulesQuestion, TimeLeft, TimeSettings};
use crate::engine::{Level, Strength};
use crate::human::Rating;
use crate::protocol::MAX_DEPTH;
use crate::rules::Color;
use crate::text::Line;
use crate::text::words::{
    self, Parsed, Reads, blank, blanks, end, expect, failure, finish, is_blank, nothing_behind,
    word,
};

const COLOR: &str = "a colour (b, w, black, white)";

/// A parsed line.
#[derive(Clone, PartialEq, Debug)]
pub enum GtpLine {
    /// Nothing: it is blank, or a comment.
    Nothing,
    /// `# interrupt`: the running command must answer now.
    Interrupt,
    /// A command, which has to be answered.
    Command(Numbered),
}

/// A command and its number.
#[derive(Clone, PartialEq, Debug)]
pub struct Numbered {
    /// The number before the command, as it was written; empty if there is none.
    pub id: String,
    /// The command, or why it cannot be read.
    pub command: Result<GtpCommand, String>,
}

/// Reads a line; this never fails.
pub fn parse(line: &Line) -> GtpLine {
    let text = plain(line.bytes());
    let (before, comment) = text.split_once('#').unwrap_or((&text, ""));
    let before = before.trim();
    if before.is_empty() {
        let interrupts = text.starts_with('#') && comment.trim() == "interrupt";
        return match interrupts {
            true => GtpLine::Interrupt,
            false => GtpLine::Nothing,
        };
    }
    let (rest, id) = id(before);
    let command = match line.whole() {
        Ok(_) => finish(rest, command(rest)).map_err(|error| error.reason),
        Err(error) => Err(format!("syntax error: {}", error.reason)),
    };
    GtpLine::Command(Numbered {
        id: id.to_owned(),
        command,
    })
}

/// Does a conversation in GTP begin with this line? It does with a comment, a number
/// before a command, or a command that is no native one.
pub(super) fn begins(line: &Line) -> bool {
    let text = plain(line.bytes());
    let text = text.trim();
    if text.starts_with('#') {
        return true;
    }
    let (rest, id) = id(text);
    let name = rest.split(is_blank).next().unwrap_or_default();
    let is_known = GtpCommand::names().any(|known| known == name);
    match id {
        "" => is_known && name != "quit",
        _ => is_known || name.starts_with(|letter: char| letter.is_ascii_alphabetic()),
    }
}

/// The text of a line without its control characters.
fn plain(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let tabs_are_blanks = text.chars().map(|c| if c == '\t' { ' ' } else { c });
    tabs_are_blanks.filter(|c| !c.is_control()).collect()
}

/// The rest of the line, and the number that stood before it.
fn id(text: &str) -> (&str, &str) {
    let number = terminated(digit1, peek(alt((blank, end))));
    let parsed: Parsed<'_, &str> = terminated(number, blanks).parse(text);
    parsed.unwrap_or((text, ""))
}

/// The whole command in `text`, which is not blank at its ends. The reason of a failure is
/// the answer of GTP.
fn command(text: &str) -> Parsed<'_, GtpCommand> {
    let (input, name) = word(text)?;
    match COMMANDS.iter().find(|(known, _)| *known == name) {
        Some((_, arguments)) => {
            nothing_behind(arguments(input)?, "syntax error: expected nothing more")
        }
        None => failure(text, "unknown command"),
    }
}

type Arguments = for<'a> fn(&'a str) -> Parsed<'a, GtpCommand>;

/// All commands, in the order of `list_commands`.
const COMMANDS: [(&str, Arguments); 36] = [
    ("protocol_version", |i| Ok((i, GtpCommand::ProtocolVersion))),
    ("name", |i| Ok((i, GtpCommand::Name))),
    ("version", |i| Ok((i, GtpCommand::Version))),
    ("known_command", |i| {
        let command = |name: &str| GtpCommand::KnownCommand(name.to_owned());
        read("the name of a command", word, command, i)
    }),
    ("list_commands", |i| Ok((i, GtpCommand::ListCommands))),
    ("list_games", |i| Ok((i, GtpCommand::ListGames))),
    ("set_game", |i| {
        let game = alt((tag_no_case("othello"), tag_no_case("reversi")));
        let game = expect("unsupported game: expected Othello", (game, end));
        value(GtpCommand::SetGame, game).parse(i)
    }),
    ("quit", |i| Ok((i, GtpCommand::Quit))),
    ("boardsize", |i| {
        let size = expect("syntax error: expected a size", words::number);
        let eight = expect("unacceptable size", verify(size, |&size| size == 8));
        value(GtpCommand::BoardSize, eight).parse(i)
    }),
    ("clear_board", |i| Ok((i, GtpCommand::ClearBoard))),
    ("komi", |i| {
        read("a number", words::decimal, |_| GtpCommand::Komi, i)
    }),
    ("time_settings", |i| {
        read("three times", time_settings, GtpCommand::TimeSettings, i)
    }),
    ("time_left", |i| {
        let command = |(color, left)| GtpCommand::TimeLeft(color, left);
        let expected = "a colour, a time and a number of moves";
        read(expected, (color, time_left), command, i)
    }),
    ("play", |i| {
        let play = (color, map_opt(word, |word: &str| word.parse().ok()));
        let command = |(color, mv)| GtpCommand::Play(color, mv);
        let expected = "a colour, then a square a1..h8 or pass";
        read(expected, play, command, i)
    }),
    ("genmove", |i| read(COLOR, color, GtpCommand::GenMove, i)),
    ("reg_genmove", |i| {
        read(COLOR, color, GtpCommand::RegGenMove, i)
    }),
    ("undo", |i| Ok((i, GtpCommand::Undo))),
    ("showboard", |i| Ok((i, GtpCommand::ShowBoard))),
    ("final_score", |i| Ok((i, GtpCommand::FinalScore))),
    ("emilia-levels", |i| Ok((i, GtpCommand::Levels))),
    ("emilia-level", level),
    ("set_level", level),
    ("emilia-rating", |i| {
        let rating = map_opt(words::number, |elo| Strength::chosen(0, elo).ok());
        let expected = format!("a rating 0..{}", Rating::MAX_ELO);
        strength(&expected, rating, identity, i)
    }),
    ("emilia-depth", |i| {
        let depth = verify(words::number, |depth| (1..=MAX_DEPTH).contains(depth));
        let expected = format!("a depth 1..{MAX_DEPTH}");
        strength(&expected, depth, Strength::Depth, i)
    }),
    ("emilia-move_time", |i| {
        strength("seconds", words::seconds, Strength::MoveTime, i)
    }),
    ("emilia-ponder", |i| {
        read("on or off", switch, GtpCommand::Ponder, i)
    }),
    ("emilia-hint", |i| {
        let count = verify(words::number, |count| (1..=64).contains(count));
        let command = |count| GtpCommand::Hint(count as usize);
        match i.is_empty() {
            true => Ok((i, GtpCommand::Hint(64))),
            false => read("a number of moves 1..64", count, command, i),
        }
    }),
    ("emilia-gfx_hint", |i| Ok((i, GtpCommand::DrawHint))),
    ("gogui-analyze_commands", |i| {
        Ok((i, GtpCommand::AnalyzeCommands))
    }),
    ("gogui-interrupt", |i| Ok((i, GtpCommand::Interrupt))),
    ("gogui-rules_game_id", |i| rules(RulesQuestion::GameId, i)),
    ("gogui-rules_board", |i| rules(RulesQuestion::Board, i)),
    ("gogui-rules_board_size", |i| {
        rules(RulesQuestion::BoardSize, i)
    }),
    ("gogui-rules_legal_moves", |i| {
        rules(RulesQuestion::LegalMoves, i)
    }),
    ("gogui-rules_side_to_move", |i| {
        rules(RulesQuestion::SideToMove, i)
    }),
    ("gogui-rules_final_result", |i| {
        rules(RulesQuestion::FinalResult, i)
    }),
];

impl GtpCommand {
    /// All names, in the order of `list_commands`.
    pub fn names() -> impl Iterator<Item = &'static str> {
        COMMANDS.iter().map(|(name, _)| *name)
    }
}

/// The command of what `parser` reads; it is an error where that is not `expected`.
fn read<'a, T>(
    expected: &str,
    parser: impl Reads<'a, T>,
    command: impl Fn(T) -> GtpCommand,
    input: &'a str,
) -> Parsed<'a, GtpCommand> {
    let reason = format!("syntax error: expected {expected}");
    map(expect(reason, parser), command).parse(input)
}

fn strength<'a, T>(
    expected: &str,
    parser: impl Reads<'a, T>,
    strength: fn(T) -> Strength,
    input: &'a str,
) -> Parsed<'a, GtpCommand> {
    let command = |chosen| GtpCommand::Strength(Some(strength(chosen)));
    read(expected, parser, command, input)
}

fn level(input: &str) -> Parsed<'_, GtpCommand> {
    if input.is_empty() {
        return Ok((input, GtpCommand::Strength(None)));
    }
    let level = map_opt(words::number, |level| Strength::chosen(level, 0).ok());
    let expected = format!("a level 0..{}", Level::COUNT);
    strength(&expected, level, identity, input)
}

const fn rules(question: RulesQuestion, input: &str) -> Parsed<'_, GtpCommand> {
    Ok((input, GtpCommand::Rules(question)))
}

fn color(input: &str) -> Parsed<'_, Color> {
    use Color::{Black, White};
    let words = [
        ("b", Black),
        ("black", Black),
        ("w", White),
        ("white", White),
    ];
    one_of(&words, input)
}

fn switch(input: &str) -> Parsed<'_, bool> {
    let on = [("on", true), ("true", true), ("1", true)];
    let off = [("off", false), ("false", false), ("0", false)];
    one_of([on, off].as_flattened(), input)
}

/// A word of those, in any case.
fn one_of<'a, T: Copy>(words: &[(&str, T)], input: &'a str) -> Parsed<'a, T> {
    map_opt(word, |word: &str| {
        let mut known = words.iter();
        let found = known.find(|(known, _)| known.eq_ignore_ascii_case(word))?;
        Some(found.1)
    })
    .parse(input)
}

fn time_settings(input: &str) -> Parsed<'_, Option<TimeSettings>> {
    let mut times = (words::seconds, words::seconds, words::number);
    let (input, (main, period, stones)) = times.parse(input)?;
    let settings = TimeSettings {
        main,
        period,
        stones,
    };
    Ok((input, Some(settings).filter(|settings| !settings.is_none())))
}

fn time_left(input: &str) -> Parsed<'_, TimeLeft> {
    // Hosts send whole seconds, rounded up or down.
    let is_whole = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let (_, is_whole) = map(peek(word), is_whole).parse(input)?;
    let (input, time) = words::time_left(words::seconds)(input)?;
    let (input, stones) = opt(words::number).parse(input)?;
    let left = TimeLeft {
        time,
        stones: stones.unwrap_or(0),
        precision: match is_whole {
            true => Precision::Rounded,
            false => Precision::Exact,
        },
    };
    Ok((input, left))
}
