//! An engine as it is entered: `name|protocol|command|settings`.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use nom::branch::alt;
use nom::bytes::complete::{is_not, take_till, take_while1};
use nom::character::complete::{char, multispace0, space0};
use nom::combinator::{map, opt, recognize};
use nom::multi::{fold_many0, many0};
use nom::sequence::{delimited, preceded, terminated};
use nom::{IResult, Parser};

use super::Budget;
use crate::formats::SyntaxError;
use crate::search::SearchOptions;

/// An engine that takes part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entrant {
    /// Its name in the tables, not empty.
    pub name: String,
    /// What plays.
    pub kind: Kind,
    /// How it plays and how it is spoken to.
    pub settings: Settings,
}

/// What plays.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Emilia's own search, in this process.
    Internal,
    /// The baseline player: mobility and corners.
    Mobility,
    /// Another process.
    Process {
        /// How it is spoken to.
        protocol: Protocol,
        /// The program and its arguments, at least one word.
        command: Vec<String>,
    },
}

/// The protocols that the tournament speaks as a host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Protocol {
    /// UCI words.
    Uci,
    /// UGI words.
    Ugi,
    /// The NBoard protocol, version 2.
    NBoard,
    /// The Go Text Protocol, version 2.
    Gtp,
}

impl Protocol {
    /// All of them.
    pub const ALL: [Protocol; 4] = [
        Protocol::Uci,
        Protocol::Ugi,
        Protocol::NBoard,
        Protocol::Gtp,
    ];

    /// The name in an entry.
    pub const fn name(self) -> &'static str {
        match self {
            Protocol::Uci => "uci",
            Protocol::Ugi => "ugi",
            Protocol::NBoard => "nboard",
            Protocol::Gtp => "gtp",
        }
    }
}

/// Whether an engine is told of passes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PassStyle {
    /// Every pass is sent.
    #[default]
    Explicit,
    /// Passes are left out; the engine goes over them by itself.
    Implied,
}

/// How exactly a GTP engine is told of times.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Seconds {
    /// In whole seconds, rounded down, as GTP has it.
    #[default]
    Whole,
    /// In seconds with three decimals.
    Decimal,
}

/// How an engine plays, and how it is spoken to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Settings {
    /// What it may spend; `None`: what the tournament gives everyone.
    pub budget: Option<Budget>,
    /// Is it told of passes?
    pub passes: PassStyle,
    /// How is it told of times?
    pub seconds: Seconds,
    /// The folder in which its process runs; `None`: the tournament's.
    pub dir: Option<PathBuf>,
    /// Search threads of the internal engine, at least 1.
    pub threads: Option<usize>,
    /// Table memory of the internal engine in megabytes.
    pub hash: Option<usize>,
    /// Options by name, for the protocols that have them.
    pub options: Vec<(String, String)>,
    /// Lines sent as they are at the start.
    pub init: Vec<String>,
    /// Time beyond the allowed that is forgiven.
    pub margin: Duration,
}

impl FromStr for Entrant {
    type Err = SyntaxError;

    fn from_str(line: &str) -> Result<Entrant, SyntaxError> {
        let mut fields = Fields::new(line);
        let (name, _) = fields.next();
        if name.is_empty() {
            return Err(SyntaxError::new(1, "expected a name"));
        }
        let (protocol, at) = fields.next();
        let (command, command_at) = fields.next();
        let kind = match protocol {
            "internal" => Kind::Internal,
            "mobility" => Kind::Mobility,
            word => match Protocol::ALL.into_iter().find(|p| p.name() == word) {
                Some(protocol) => process(protocol, command, command_at)?,
                None => {
                    let reason = "expected uci, ugi, nboard, gtp, internal or mobility";
                    return Err(SyntaxError::new(at, reason));
                }
            },
        };
        let (settings, settings_at) = fields.next();
        Ok(Entrant {
            name: name.to_owned(),
            kind,
            settings: parse_settings(settings, settings_at)?,
        })
    }
}

/// Fields between bars, each with its 1-based column; empty ones at the end.
struct Fields<'a> {
    line: &'a str,
    rest: Option<&'a str>,
}

impl<'a> Fields<'a> {
    const fn new(line: &'a str) -> Fields<'a> {
        Fields {
            line,
            rest: Some(line),
        }
    }

    fn next(&mut self) -> (&'a str, usize) {
        let Some(text) = self.rest else {
            return ("", self.line.len() + 1);
        };
        let column = self.line.len() - text.len() + 1;
        let (field, rest) = match text.split_once('|') {
            Some((field, rest)) => (field, Some(rest)),
            None => (text, None),
        };
        self.rest = rest;
        let blanks = field.len() - field.trim_start().len();
        (field.trim(), column + blanks)
    }
}

fn process(protocol: Protocol, command: &str, column: usize) -> Result<Kind, SyntaxError> {
    match words(command) {
        Ok(("", command)) if !command.is_empty() => Ok(Kind::Process { protocol, command }),
        Ok((rest, _)) => Err(SyntaxError::new(
            column + command.len() - rest.len(),
            "expected a command",
        )),
        Err(_) => Err(SyntaxError::new(column, "expected a command")),
    }
}

/// Words with blanks between them; single or double quotes keep blanks in a word.
fn words(input: &str) -> IResult<&str, Vec<String>> {
    many0(preceded(multispace0, word)).parse(input)
}

fn word(input: &str) -> IResult<&str, String> {
    let (rest, first) = piece(input)?;
    fold_many0(piece, || first.to_owned(), |word, piece| word + piece).parse(rest)
}

/// A part of a word, in quotes or without.
fn piece(input: &str) -> IResult<&str, &str> {
    let double = delimited(char('"'), take_till(|c| c == '"'), char('"'));
    let single = delimited(char('\''), take_till(|c| c == '\''), char('\''));
    alt((double, single, is_not(" \t\"'"))).parse(input)
}

/// `key=value` pairs with blanks between them.
fn parse_settings(text: &str, column: usize) -> Result<Settings, SyntaxError> {
    let mut settings = Settings::default();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let at = column + text.len() - rest.len();
        let expected = "expected a setting such as depth=8 or passes=implied";
        let (after, (key, value)) = setting(rest).map_err(|_| SyntaxError::new(at, expected))?;
        settings
            .set(key, &value)
            .map_err(|reason| SyntaxError::new(at, reason))?;
        rest = after.trim_start();
    }
    Ok(settings)
}

fn setting(input: &str) -> IResult<&str, (&str, String)> {
    let key = recognize(take_while1(|c: char| {
        c.is_alphanumeric() || "._-".contains(c)
    }));
    let value = map(opt(word), Option::unwrap_or_default);
    (terminated(key, char('=')), terminated(value, space0)).parse(input)
}

impl Settings {
    /// Changes one setting.
    ///
    /// # Errors
    /// If there is none of that name, or the value does not fit.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        match key {
            "depth" | "nodes" | "st" | "tc" => {
                let budget: Budget = format!("{key}={value}")
                    .parse()
                    .map_err(|error: super::budget::ParseBudgetError| error.to_string())?;
                self.budget = Some(budget);
            }
            "passes" => {
                self.passes = match value {
                    "explicit" => PassStyle::Explicit,
                    "implied" => PassStyle::Implied,
                    _ => return Err("expected passes=explicit or passes=implied".to_owned()),
                }
            }
            "seconds" => {
                self.seconds = match value {
                    "whole" => Seconds::Whole,
                    "decimal" => Seconds::Decimal,
                    _ => return Err("expected seconds=whole or seconds=decimal".to_owned()),
                }
            }
            "dir" => self.dir = Some(PathBuf::from(value)),
            "threads" => self.threads = Some(number(key, value, 1, 1024)?),
            "hash" => self.hash = Some(number(key, value, 1, SearchOptions::MAX_HASH_MB)?),
            "margin" => {
                let milliseconds = number(key, value, 0, 1_000_000)? as u64;
                self.margin = Duration::from_millis(milliseconds);
            }
            "init" => self.init.push(value.to_owned()),
            _ => match key.strip_prefix("option.") {
                Some(name) if !name.is_empty() => {
                    self.options.push((name.to_owned(), value.to_owned()));
                }
                _ => return Err(format!("unknown setting {key:?}")),
            },
        }
        Ok(())
    }
}

fn number(key: &str, value: &str, least: usize, most: usize) -> Result<usize, String> {
    match value.parse() {
        Ok(number) if (least..=most).contains(&number) => Ok(number),
        _ => Err(format!("expected {key}={least}..{most}")),
    }
}

/// The name.
impl fmt::Display for Entrant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Entrant {
        line.parse().expect(line)
    }

    #[test]
    fn entries_are_read() {
        let entrant = read(
            "new | ugi | './my engine' --level=2 | depth=8 passes=implied option.Threads=2 margin=50",
        );
        assert_eq!(entrant.name, "new");
        let command = vec!["./my engine".to_owned(), "--level=2".to_owned()];
        let protocol = Protocol::Ugi;
        assert_eq!(entrant.kind, Kind::Process { protocol, command });
        assert_eq!(entrant.settings.budget, Some(Budget::Depth(8)));
        assert_eq!(entrant.settings.passes, PassStyle::Implied);
        assert_eq!(entrant.settings.margin, Duration::from_millis(50));
        assert_eq!(
            entrant.settings.options,
            [("Threads".to_owned(), "2".to_owned())]
        );
        for protocol in Protocol::ALL {
            let entrant = read(&format!("a|{}|x", protocol.name()));
            let command = vec!["x".to_owned()];
            assert_eq!(entrant.kind, Kind::Process { protocol, command });
        }
        let gtp = read("a|gtp|x|seconds=decimal dir='/my engines'").settings;
        assert_eq!(gtp.seconds, Seconds::Decimal);
        assert_eq!(gtp.dir, Some(PathBuf::from("/my engines")));
        assert_eq!(read("self|internal").kind, Kind::Internal);
        assert_eq!(read("mob|mobility||depth=6").kind, Kind::Mobility);
    }

    #[test]
    fn values_may_be_quoted() {
        let entrant = read("a|mobility||init=\"set level 6\" init='x'");
        assert_eq!(entrant.settings.init, ["set level 6", "x"]);
    }

    #[test]
    fn errors_name_the_column() {
        let column = |line: &str| line.parse::<Entrant>().map_err(|error| error.column);
        assert_eq!(column(""), Err(1));
        assert_eq!(column("a|chess|x"), Err(3));
        assert_eq!(column("a|ugi"), Err(6));
        assert_eq!(column("a|ugi|'open"), Err(7));
        assert_eq!(column("a|ugi|x|depth=8 y"), Err(17));
        assert_eq!(column("a|ugi|x|y=1"), Err(9));
        assert_eq!(column("a|ugi|x|depth=0"), Err(9));
    }
}
