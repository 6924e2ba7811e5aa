//! The grammar of GTP: bytes of a line to an [`Inquiry`].
//!
//! Control characters are dropped, tabs are blanks, and what follows a `#` is a
//! comment, as the protocol's specification says.

use nom::branch::alt;
use nom::bytes::complete::tag_no_case;
use nom::character::complete::digit1;
use nom::combinator::{all_consuming, map, map_opt, opt, peek, value, verify};
use nom::sequence::terminated;
use nom::{Finish, IResult, Parser};

use super::{Command, RulesQuestion, TimeLeft, TimeSettings};
use crate::engine::Level;
use crate::protocol::words::{self, blanks, is_blank};
use crate::protocol::{Line, MAX_LINE};
use crate::rules::{Color, Move};

/// Deepest search that can be asked for, in plies: there are no longer games.
const MAX_DEPTH: u32 = 60;

/// What a line says.
#[derive(Clone, PartialEq, Debug)]
pub enum Heard {
    /// Nothing: it is blank, or a comment.
    Nothing,
    /// `# interrupt`: the answer of the running command is wanted now.
    Interrupt,
    /// Something that has to be answered.
    Inquiry(Inquiry),
}

/// A line that has to be answered.
#[derive(Clone, PartialEq, Debug)]
pub struct Inquiry {
    /// The number before the command, as it was written; empty if there is none.
    pub id: String,
    /// What is asked for, or why that makes no sense.
    pub command: Result<Command, String>,
}

/// Reads a line. Whatever the bytes, it is something.
pub fn parse(line: &Line) -> Heard {
    let (bytes, is_whole) = match line {
        Line::Bytes(bytes) => (bytes, true),
        Line::TooLong(start) => (start, false),
    };
    let text = plain(bytes);
    let (before, comment) = text.split_once('#').unwrap_or((&text, ""));
    let before = before.trim();
    if before.is_empty() {
        let interrupts = text.starts_with('#') && comment.trim() == "interrupt";
        return if interrupts {
            Heard::Interrupt
        } else {
            Heard::Nothing
        };
    }
    let (rest, id) = id(before);
    let command = if is_whole {
        command(rest)
    } else {
        Err(format!("syntax error: line of more than {MAX_LINE} bytes"))
    };
    Heard::Inquiry(Inquiry {
        id: id.to_owned(),
        command,
    })
}

/// Does a conversation in GTP begin with this line? It does with a comment, a number
/// before a command, or a command that is no native one.
pub fn begins(line: &Line) -> bool {
    let Line::Bytes(bytes) = line else {
        return false;
    };
    let text = plain(bytes);
    let text = text.trim();
    if text.starts_with('#') {
        return true;
    }
    let (rest, id) = id(text);
    let name = rest.split(is_blank).next().unwrap_or_default();
    let known = Command::NAMES.contains(&name);
    if id.is_empty() {
        known && name != "quit"
    } else {
        known || name.starts_with(|letter: char| letter.is_ascii_alphabetic())
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
    let number = terminated(digit1, peek(alt((words::blank, words::end))));
    let parsed: IResult<&str, &str> = terminated(number, blanks).parse(text);
    parsed.unwrap_or((text, ""))
}

/// The command in `text`, which is not blank at its ends.
fn command(text: &str) -> Result<Command, String> {
    let (arguments, name) = words::word(text)
        .finish()
        .map_err(|_| "unknown command".to_owned())?;
    let plain = |command: Command| all(arguments, "nothing more", value(command, words::end));
    let rules = |question| plain(Command::Rules(question));
    match name {
        "protocol_version" => plain(Command::ProtocolVersion),
        "name" => plain(Command::Name),
        "version" => plain(Command::Version),
        "known_command" => {
            let named = map(words::word, |name: &str| {
                Command::KnownCommand(name.to_owned())
            });
            all(arguments, "the name of a command", named)
        }
        "list_commands" => plain(Command::ListCommands),
        "list_games" => plain(Command::ListGames),
        "set_game" => set_game(arguments),
        "quit" => plain(Command::Quit),
        "boardsize" => match all(arguments, "a size", words::number) {
            Ok(8) => Ok(Command::BoardSize),
            Ok(_) => Err("unacceptable size".to_owned()),
            Err(error) => Err(error),
        },
        "clear_board" => plain(Command::ClearBoard),
        "komi" => all(arguments, "a number", value(Command::Komi, words::decimal)),
        "time_settings" => all(arguments, "three times", time_settings),
        "time_left" => all(
            arguments,
            "a colour, a time and a number of moves",
            time_left,
        ),
        "play" => play(arguments),
        "genmove" => all(arguments, COLOR, map(color, Command::GenMove)),
        "reg_genmove" => all(arguments, COLOR, map(color, Command::RegGenMove)),
        "undo" => plain(Command::Undo),
        "showboard" => plain(Command::ShowBoard),
        "final_score" => plain(Command::FinalScore),
        "emilia-levels" => plain(Command::Levels),
        "emilia-level" | "set_level" => {
            let expected = format!("a level 1..{}", Level::COUNT);
            all(arguments, &expected, map(opt(level), Command::Level))
        }
        "emilia-depth" => {
            let depth = verify(words::number, |depth| (1..=MAX_DEPTH).contains(depth));
            all(arguments, "a depth 1..60", map(depth, Command::Depth))
        }
        "emilia-move_time" => all(arguments, "seconds", map(words::seconds, Command::MoveTime)),
        "emilia-ponder" => all(arguments, "on or off", map(switch, Command::Ponder)),
        "emilia-hint" => {
            let count = opt(verify(words::number, |count| (1..=64).contains(count)));
            let hint = map(count, |count| Command::Hint(count.unwrap_or(64) as usize));
            all(arguments, "a number of moves 1..64", hint)
        }
        "emilia-gfx_hint" => plain(Command::DrawHint),
        "gogui-analyze_commands" => plain(Command::AnalyzeCommands),
        "gogui-interrupt" => plain(Command::Interrupt),
        "gogui-rules_game_id" => rules(RulesQuestion::GameId),
        "gogui-rules_board" => rules(RulesQuestion::Board),
        "gogui-rules_board_size" => rules(RulesQuestion::BoardSize),
        "gogui-rules_legal_moves" => rules(RulesQuestion::LegalMoves),
        "gogui-rules_side_to_move" => rules(RulesQuestion::SideToMove),
        "gogui-rules_final_result" => rules(RulesQuestion::FinalResult),
        _ => Err("unknown command".to_owned()),
    }
}

const COLOR: &str = "a colour (b, w, black, white)";

/// What `parser` makes of all `arguments`, or what was expected instead.
fn all<'a, O>(
    arguments: &'a str,
    expected: &str,
    parser: impl Parser<&'a str, Output = O, Error = nom::error::Error<&'a str>>,
) -> Result<O, String> {
    let (_, found) = all_consuming(parser)
        .parse(arguments)
        .finish()
        .map_err(|_| format!("syntax error: expected {expected}"))?;
    Ok(found)
}

fn set_game(arguments: &str) -> Result<Command, String> {
    let game = alt((tag_no_case("othello"), tag_no_case("reversi")));
    let known = all(arguments, "Othello", value(Command::SetGame, game));
    known.map_err(|_| "unsupported game: expected Othello".to_owned())
}

fn play(arguments: &str) -> Result<Command, String> {
    let a_move = map_opt(words::word, |word: &str| word.parse::<Move>().ok());
    let play = map((color, a_move), |(color, mv)| Command::Play(color, mv));
    all(arguments, "a colour, then a square a1..h8 or pass", play)
}

fn color(input: &str) -> IResult<&str, Color> {
    map_opt(words::word, |word: &str| {
        let is = |name: &str| word.eq_ignore_ascii_case(name);
        if is("b") || is("black") {
            Some(Color::Black)
        } else if is("w") || is("white") {
            Some(Color::White)
        } else {
            None
        }
    })
    .parse(input)
}

fn level(input: &str) -> IResult<&str, Level> {
    let known = |number: u32| Level::new(u8::try_from(number).ok()?);
    map_opt(words::number, known).parse(input)
}

fn switch(input: &str) -> IResult<&str, bool> {
    let word = |name| terminated(tag_no_case(name), blanks);
    alt((
        value(true, alt((word("on"), word("true"), word("1")))),
        value(false, alt((word("off"), word("false"), word("0")))),
    ))
    .parse(input)
}

fn time_settings(input: &str) -> IResult<&str, Command> {
    let times = (words::seconds, words::seconds, words::number);
    map(times, |(main, period, stones)| {
        let settings = TimeSettings {
            main,
            period,
            stones,
        };
        Command::TimeSettings(Some(settings).filter(|settings| !settings.is_none()))
    })
    .parse(input)
}

fn time_left(input: &str) -> IResult<&str, Command> {
    let (input, color) = color(input)?;
    // Hosts send whole seconds, rounded this way or that.
    let whole = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let (_, is_whole) = map(peek(words::word), whole).parse(input)?;
    let (input, time) = words::time_left(input)?;
    let (input, stones) = opt(words::number).parse(input)?;
    let left = TimeLeft {
        time,
        stones: stones.unwrap_or(0),
        is_whole,
    };
    Ok((input, Command::TimeLeft(color, left)))
}
