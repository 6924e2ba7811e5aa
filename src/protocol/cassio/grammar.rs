//! The commands, and their grammar.

use nom::Parser;
use nom::branch::alt;
use nom::bytes::complete::tag;
use nom::combinator::{map, opt, success, value, verify};
use nom::sequence::{preceded, terminated};

use crate::rules::Position;
use crate::search::Selectivity;
use crate::text::words::{
    self, Parsed, Reads, blank, blanks, decimal_prefix, end, expect, finish, nothing_behind, number,
};
use crate::text::{Line, TextError};

/// The word before each command.
const PREFIX: &str = "ENGINE-PROTOCOL";

/// One line of Cassio.
#[derive(Clone, PartialEq, Debug)]
pub enum CassioCommand {
    /// An empty line, which asks whether the engine is alive.
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
    Search(SearchCommand),
}

/// What to search.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SearchCommand {
    /// The position.
    pub position: Position,
    /// The lower end of the window, in discs for the side to move.
    pub alpha: f64,
    /// The upper end of the window.
    pub beta: f64,
    /// Plies; `None`: to the end of the game.
    pub depth: Option<u32>,
    /// The least selectivity.
    pub precision: Selectivity,
}

/// Reads a line.
///
/// # Errors
/// What is wrong with it, for the log. If the line starts with the first word, the host still waits
/// for an answer (`is_command`).
pub fn parse(line: &Line) -> Result<CassioCommand, TextError> {
    let text = line.text()?.trim_end();
    if text.is_empty() {
        return Ok(CassioCommand::Alive);
    }
    finish(text, command(text))
}

/// Does the line begin with the first word of all commands?
pub(super) fn is_command(line: &Line) -> bool {
    let text = String::from_utf8_lossy(line.bytes());
    prefix(&text).is_ok()
}

/// `ENGINE-PROTOCOL` and the blanks around it.
fn prefix(input: &str) -> Parsed<'_, &str> {
    preceded(blanks, terminated(tag(PREFIX), alt((blank, end)))).parse(input)
}

pub(super) fn begins(line: &Line) -> bool {
    line.bytes()
        .trim_ascii_start()
        .starts_with(PREFIX.as_bytes())
}

fn command(input: &str) -> Parsed<'_, CassioCommand> {
    let (input, _) = expect("expected ENGINE-PROTOCOL", prefix)(input)?;
    let plain = |name: &'static str, command: CassioCommand| value(command, (tag(name), end));
    let search = |name: &'static str| preceded(tag(name), blank);
    let known = alt((
        plain("init", CassioCommand::Init),
        plain("get-version", CassioCommand::Version),
        plain("new-position", CassioCommand::NewPosition),
        plain("empty-hash", CassioCommand::EmptyHash),
        plain("quit", CassioCommand::Quit),
        plain("stop", CassioCommand::Stop),
        plain("get-search-infos", CassioCommand::SearchInfos),
        map(
            preceded(search("midgame-search"), midgame),
            CassioCommand::Search,
        ),
        map(
            preceded(search("endgame-search"), endgame),
            CassioCommand::Search,
        ),
    ));
    let found = expect("unknown command", known)(input)?;
    nothing_behind(found, "expected nothing more")
}

fn midgame(input: &str) -> Parsed<'_, SearchCommand> {
    let plies = map(verify(number, |&plies| plies >= 1), Some);
    search_command(plies).parse(input)
}

fn endgame(input: &str) -> Parsed<'_, SearchCommand> {
    search_command(success(None)).parse(input)
}

fn search_command<'a>(depth: impl Reads<'a, Option<u32>>) -> impl Reads<'a, SearchCommand> {
    let parts = (position, bound, bound, depth, precision);
    map(parts, |(position, alpha, beta, depth, precision)| {
        SearchCommand {
            position,
            alpha,
            beta,
            depth,
            precision,
        }
    })
}

fn position(input: &str) -> Parsed<'_, Position> {
    terminated(words::position, blanks).parse(input)
}

fn bound(input: &str) -> Parsed<'_, f64> {
    terminated(decimal_prefix, blank).parse(input)
}

/// Percent: the least sure level that is sure enough.
fn precision(input: &str) -> Parsed<'_, Selectivity> {
    let percent = terminated(decimal_prefix, (opt(tag("%")), blanks));
    map(percent, |percent| {
        let mut levels = Selectivity::ALL.into_iter();
        let enough = levels.find(|level| f64::from(level.percent()) >= percent);
        enough.unwrap_or(Selectivity::Full)
    })
    .parse(input)
}
