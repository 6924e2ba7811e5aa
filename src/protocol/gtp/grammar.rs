//! The grammar of GTP: bytes of a line to a [`Numbered`] command.
//!
//! Control characters are dropped, tabs are blanks, and what follows a `#` is a
//! comment, as the protocol's specification says.

use nom::Parser;
use nom::branch::alt;
use nom::bytes::complete::tag_no_case;
use nom::character::complete::digit1;
use nom::combinator::{map, map_opt, opt, peek, value, verify};
use nom::sequence::terminated;

use super::{Command, Precision, RulesQuestion, TimeLeft, TimeSettings};
use crate::engine::{Level, Strength};
use crate::rules::{Color, Move};
use crate::text::Line;
use crate::text::words::{self, blank, blanks, end, expect, failure, finish, is_blank, word};

type Text<'a, T> = words::Parsed<'a, T>;

/// Deepest search, in plies: no game is longer.
const MAX_DEPTH: u32 = 60;

const COLOR: &str = "syntax error: expected a colour (b, w, black, white)";

/// A parsed line.
#[derive(Clone, PartialEq, Debug)]
pub enum Parsed {
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
    pub command: Result<Command, String>,
}

/// Reads a line; this never fails.
pub fn parse(line: &Line) -> Parsed {
    let text = plain(line.bytes());
    let (before, comment) = text.split_once('#').unwrap_or((&text, ""));
    let before = before.trim();
    if before.is_empty() {
        let interrupts = text.starts_with('#') && comment.trim() == "interrupt";
        return if interrupts {
            Parsed::Interrupt
        } else {
            Parsed::Nothing
        };
    }
    let (rest, id) = id(before);
    let command = match line.whole() {
        Ok(_) => finish(rest, command(rest)).map_err(|error| error.reason),
        Err(error) => Err(format!("syntax error: {}", error.reason)),
    };
    Parsed::Command(Numbered {
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
    let is_known = Command::NAMES.contains(&name);
    if id.is_empty() {
        is_known && name != "quit"
    } else {
        is_known || name.starts_with(|letter: char| letter.is_ascii_alphabetic())
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
    let parsed: Text<'_, &str> = terminated(number, blanks).parse(text);
    parsed.unwrap_or((text, ""))
}

/// The whole command in `text`, which is not blank at its ends. The reason of a failure is
/// the answer of GTP.
fn command(text: &str) -> Text<'_, Command> {
    let (arguments, name) = word(text).or_else(|_| failure(text, "unknown command"))?;
    let (rest, command) = match bare(name, arguments.is_empty()) {
        Some(command) => (arguments, command),
        None => with_arguments(name, arguments)?,
    };
    if rest.is_empty() {
        Ok((rest, command))
    } else {
        failure(rest, "syntax error: expected nothing more")
    }
}

/// A command without arguments.
fn bare(name: &str, is_alone: bool) -> Option<Command> {
    Some(match name {
        "protocol_version" => Command::ProtocolVersion,
        "name" => Command::Name,
        "version" => Command::Version,
        "list_commands" => Command::ListCommands,
        "list_games" => Command::ListGames,
        "quit" => Command::Quit,
        "clear_board" => Command::ClearBoard,
        "undo" => Command::Undo,
        "showboard" => Command::ShowBoard,
        "final_score" => Command::FinalScore,
        "emilia-levels" => Command::Levels,
        "emilia-level" | "set_level" if is_alone => Command::Strength(None),
        "emilia-hint" if is_alone => Command::Hint(64),
        "emilia-gfx_hint" => Command::DrawHint,
        "gogui-analyze_commands" => Command::AnalyzeCommands,
        "gogui-interrupt" => Command::Interrupt,
        "gogui-rules_game_id" => Command::Rules(RulesQuestion::GameId),
        "gogui-rules_board" => Command::Rules(RulesQuestion::Board),
        "gogui-rules_board_size" => Command::Rules(RulesQuestion::BoardSize),
        "gogui-rules_legal_moves" => Command::Rules(RulesQuestion::LegalMoves),
        "gogui-rules_side_to_move" => Command::Rules(RulesQuestion::SideToMove),
        "gogui-rules_final_result" => Command::Rules(RulesQuestion::FinalResult),
        _ => return None,
    })
}

fn with_arguments<'a>(name: &'a str, arguments: &'a str) -> Text<'a, Command> {
    match name {
        "known_command" => {
            let reason = "syntax error: expected the name of a command";
            let named = |name: &str| Command::KnownCommand(name.to_owned());
            map(expect(reason, word), named).parse(arguments)
        }
        "set_game" => {
            let game = alt((tag_no_case("othello"), tag_no_case("reversi")));
            let game = terminated(game, end);
            let reason = "unsupported game: expected Othello";
            value(Command::SetGame, expect(reason, game)).parse(arguments)
        }
        "boardsize" => {
            let size = expect("syntax error: expected a size", words::number);
            let eight = expect("unacceptable size", verify(size, |&size| size == 8));
            value(Command::BoardSize, eight).parse(arguments)
        }
        "komi" => {
            let komi = expect("syntax error: expected a number", words::decimal);
            value(Command::Komi, komi).parse(arguments)
        }
        "time_settings" => expect("syntax error: expected three times", time_settings)(arguments),
        "time_left" => {
            let reason = "syntax error: expected a colour, a time and a number of moves";
            expect(reason, time_left)(arguments)
        }
        "play" => {
            let reason = "syntax error: expected a colour, then a square a1..h8 or pass";
            let a_move = map_opt(word, |word: &str| word.parse::<Move>().ok());
            let play = map((color, a_move), |(color, mv)| Command::Play(color, mv));
            expect(reason, play)(arguments)
        }
        "genmove" => expect(COLOR, map(color, Command::GenMove))(arguments),
        "reg_genmove" => expect(COLOR, map(color, Command::RegGenMove))(arguments),
        "emilia-level" | "set_level" => {
            let reason = format!("syntax error: expected a level 1..{}", Level::COUNT);
            let level = |number| u8::try_from(number).ok().and_then(Level::new);
            let level = map_opt(words::number, level);
            let chosen = |level| Command::Strength(Some(Strength::Level(level)));
            map(expect(reason, level), chosen).parse(arguments)
        }
        "emilia-depth" => {
            let depth = verify(words::number, |depth| (1..=MAX_DEPTH).contains(depth));
            let reason = format!("syntax error: expected a depth 1..{MAX_DEPTH}");
            let chosen = |depth| Command::Strength(Some(Strength::Depth(depth)));
            map(expect(reason, depth), chosen).parse(arguments)
        }
        "emilia-move_time" => {
            let time = expect("syntax error: expected seconds", words::seconds);
            let chosen = |time| Command::Strength(Some(Strength::MoveTime(time)));
            map(time, chosen).parse(arguments)
        }
        "emilia-ponder" => {
            let switch = expect("syntax error: expected on or off", switch);
            map(switch, Command::Ponder).parse(arguments)
        }
        "emilia-hint" => {
            let reason = "syntax error: expected a number of moves 1..64";
            let count = verify(words::number, |count| (1..=64).contains(count));
            map(expect(reason, count), |count| Command::Hint(count as usize)).parse(arguments)
        }
        _ => failure(name, "unknown command"),
    }
}

fn color(input: &str) -> Text<'_, Color> {
    map_opt(word, |word: &str| {
        match word.to_ascii_lowercase().as_str() {
            "b" | "black" => Some(Color::Black),
            "w" | "white" => Some(Color::White),
            _ => None,
        }
    })
    .parse(input)
}

fn switch(input: &str) -> Text<'_, bool> {
    map_opt(word, |word: &str| {
        match word.to_ascii_lowercase().as_str() {
            "on" | "true" | "1" => Some(true),
            "off" | "false" | "0" => Some(false),
            _ => None,
        }
    })
    .parse(input)
}

fn time_settings(input: &str) -> Text<'_, Command> {
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

fn time_left(input: &str) -> Text<'_, Command> {
    let (input, color) = color(input)?;
    // Hosts send whole seconds, rounded up or down.
    let is_whole = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let (_, is_whole) = map(peek(word), is_whole).parse(input)?;
    let (input, time) = words::time_left(words::seconds)(input)?;
    let (input, stones) = opt(words::number).parse(input)?;
    let left = TimeLeft {
        time,
        stones: stones.unwrap_or(0),
        precision: if is_whole {
            Precision::Rounded
        } else {
            Precision::Exact
        },
    };
    Ok((input, Command::TimeLeft(color, left)))
}
