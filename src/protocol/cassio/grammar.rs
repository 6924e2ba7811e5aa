//! The commands, and their grammar.

use nom::branch::alt;
use nom::bytes::complete::tag;
use nom::combinator::{all_consuming, map, opt, value, verify};
use nom::error::{Error, ErrorKind};
use nom::sequence::{preceded, terminated};
use nom::{Finish, IResult, Parser};

use crate::protocol::words::{blank, blanks, decimal_prefix, end, number};
use crate::protocol::{Line, MAX_LINE};
use crate::rules::Position;
use crate::search::Selectivity;

/// The word before each command.
const PREFIX: &str = "ENGINE-PROTOCOL";

/// One line of Cassio.
#[derive(Clone, PartialEq, Debug)]
pub enum Command {
    /// An empty line: are you there?
    Alive,
    /// `init`
    Init,
    /// `get-version`
    Version,
    /// `new-position`: the next position has nothing to do with the last one.
    NewPosition,
    /// `empty-hash`: forget everything.
    EmptyHash,
    /// `quit`
    Quit,
    /// `stop`: end the search.
    Stop,
    /// `get-search-infos`: nodes and time.
    SearchInfos,
    /// `midgame-search ..`, `endgame-search ..`
    Search(Order),
}

/// What to search.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Order {
    /// Where.
    pub position: Position,
    /// The score is wanted if it lies above this, in discs for the side to move.
    pub alpha: f64,
    /// And below this.
    pub beta: f64,
    /// How deep.
    pub depth: Depth,
    /// How sure.
    pub precision: Selectivity,
}

/// How deep to search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Depth {
    /// So many plies.
    Plies(u32),
    /// To the end of the game.
    End,
}

/// Reads a line.
///
/// # Errors
/// What is wrong with it, and whether the host waits for an answer: it does after `PREFIX`.
pub fn parse(line: &Line) -> Result<Command, (String, bool)> {
    let Line::Bytes(bytes) = line else {
        return Err((format!("a line of more than {MAX_LINE} bytes"), false));
    };
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim();
    if text.is_empty() {
        return Ok(Command::Alive);
    }
    let prefix: IResult<&str, &str> = terminated(tag(PREFIX), alt((blank, end))).parse(text);
    let (rest, _) = prefix.map_err(|_| (format!("expected {PREFIX}"), false))?;
    let parsed = all_consuming(command).parse(rest).finish();
    let (_, command) = parsed.map_err(|_| (format!("unknown command {rest:?}"), true))?;
    Ok(command)
}

/// Does Cassio begin with this line?
pub fn begins(line: &Line) -> bool {
    matches!(line, Line::Bytes(bytes) if bytes.trim_ascii_start().starts_with(PREFIX.as_bytes()))
}

fn command(input: &str) -> IResult<&str, Command> {
    let plain = |name: &'static str, command: Command| value(command, (tag(name), end));
    let search = |name: &'static str| preceded(tag(name), blank);
    alt((
        plain("init", Command::Init),
        plain("get-version", Command::Version),
        plain("new-position", Command::NewPosition),
        plain("empty-hash", Command::EmptyHash),
        plain("quit", Command::Quit),
        plain("stop", Command::Stop),
        plain("get-search-infos", Command::SearchInfos),
        map(preceded(search("midgame-search"), midgame), Command::Search),
        map(preceded(search("endgame-search"), endgame), Command::Search),
    ))
    .parse(input)
}

fn midgame(input: &str) -> IResult<&str, Order> {
    let plies = verify(number, |&plies| plies >= 1);
    let parts = (position, bound, bound, plies, precision);
    map(parts, |(position, alpha, beta, plies, precision)| Order {
        position,
        alpha,
        beta,
        depth: Depth::Plies(plies),
        precision,
    })
    .parse(input)
}

fn endgame(input: &str) -> IResult<&str, Order> {
    let parts = (position, bound, bound, precision);
    map(parts, |(position, alpha, beta, precision)| Order {
        position,
        alpha,
        beta,
        depth: Depth::End,
        precision,
    })
    .parse(input)
}

fn position(input: &str) -> IResult<&str, Position> {
    let (position, used) = Position::parse_prefix(input)
        .map_err(|_| nom::Err::Error(Error::new(input, ErrorKind::Verify)))?;
    let (rest, _) = blanks(&input[used..])?;
    Ok((rest, position))
}

fn bound(input: &str) -> IResult<&str, f64> {
    terminated(decimal_prefix, blank).parse(input)
}

/// Percent: the least sure level that is sure enough.
fn precision(input: &str) -> IResult<&str, Selectivity> {
    let percent = terminated(decimal_prefix, (opt(tag("%")), blanks));
    map(percent, |percent| {
        let mut levels = Selectivity::ALL.into_iter();
        let enough = levels.find(|level| f64::from(level.percent()) >= percent);
        enough.unwrap_or(Selectivity::Full)
    })
    .parse(input)
}
