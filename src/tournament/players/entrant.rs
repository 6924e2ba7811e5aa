//! An engine as it is entered: `name|protocol|command|settings`.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use clap::ValueEnum;
use nom::Parser;
use nom::branch::alt;
use nom::bytes::complete::{is_not, tag, take_till, take_while1};
use nom::character::complete::char;
use nom::combinator::{eof, map, not, opt, peek, value};
use nom::multi::{fold_many0, many1};
use nom::sequence::{delimited, preceded, separated_pair, terminated};

use super::Budget;
use crate::search::SearchOptions;
use crate::text::values::BookStyle;
use crate::text::words::{self, Parsed, blanks, expect};
use crate::text::{TextError, values};

/// An engine that takes part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entrant {
    /// Its name in the tables, not empty.
    pub name: String,
    /// What kind of player it is.
    pub kind: EntrantKind,
    /// How it plays, and how the tournament communicates with it.
    pub settings: Settings,
}

/// A kind of player.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EntrantKind {
    /// Emilia's own search, in this process.
    Internal,
    /// The baseline player: mobility and corners.
    Mobility,
    /// Another process.
    Process {
        /// Its protocol.
        protocol: EngineProtocol,
        /// The program and its arguments, at least one word.
        command: Vec<String>,
    },
}

/// The protocols that the tournament speaks as a host.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum EngineProtocol {
    /// UCI words.
    Uci,
    /// UGI words.
    Ugi,
    /// The NBoard protocol, version 2.
    #[value(name = "nboard")]
    NBoard,
    /// The Go Text Protocol, version 2.
    Gtp,
}

/// Whether passes are sent to an engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum PassStyle {
    /// Every pass is sent.
    #[default]
    Explicit,
    /// Passes are left out; the engine plays them by itself.
    Implied,
}

/// How exactly times are sent to a GTP engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum Seconds {
    /// In whole seconds, rounded down, as GTP has it.
    #[default]
    Whole,
    /// In seconds with three decimals.
    Decimal,
}

/// How an engine plays, and how the tournament communicates with it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Settings {
    /// Its budget; `None`: that of the tournament.
    pub budget: Option<Budget>,
    /// Are passes sent to it?
    pub passes: PassStyle,
    /// How are times sent to it?
    pub seconds: Seconds,
    /// The folder in which its process runs; `None`: the tournament's.
    pub dir: Option<PathBuf>,
    /// Search threads of the internal engine, at least 1.
    pub threads: Option<usize>,
    /// Simulated cores of the internal engine, at least 1: its limit of nodes is then their time, in nodes of one core.
    pub simulated_threads: Option<usize>,
    /// Table memory of the internal engine in megabytes.
    pub hash: Option<usize>,
    /// A proof whose moves the internal engine plays where it has one.
    pub proof: Option<PathBuf>,
    /// An opening book that the internal engine plays from.
    pub book: Option<PathBuf>,
    /// Hundredths of a disc that moves of the book may cost in a game, on average.
    pub book_variety: usize,
    /// Which moves of the book are drawn.
    pub book_style: BookStyle,
    /// What moves of the book are drawn from; 0: another one each time.
    pub book_seed: usize,
    /// Options by name, for the protocols that have them.
    pub options: Vec<(String, String)>,
    /// Lines sent as they are at the start.
    pub init: Vec<String>,
    /// Time over the limit that is still no forfeit; `None`: [`MARGIN`].
    pub margin: Option<Duration>,
}

/// The margin of an entry that does not set one: about the longest that an engine or this process
/// has to wait for a processor on a busy machine.
pub const MARGIN: Duration = Duration::from_millis(20);

impl Entrant {
    /// Its budget, or that of the tournament.
    pub fn budget_or(&self, usual: Budget) -> Budget {
        self.settings.budget.unwrap_or(usual)
    }

    /// The protocol of its process and the program that runs there, if it has one.
    pub fn process(&self) -> Option<(EngineProtocol, &Path)> {
        match &self.kind {
            EntrantKind::Process { protocol, command } => {
                Some((*protocol, Path::new(command.first()?)))
            }
            EntrantKind::Internal | EntrantKind::Mobility => None,
        }
    }

    /// Can `budget` be sent to this player?
    ///
    /// # Errors
    /// If its protocol has no command for it, or its simulated cores have no such limit.
    pub fn check_budget(&self, budget: Budget) -> Result<(), String> {
        if self.settings.simulated_threads.is_some()
            && !matches!(budget, Budget::Depth(_) | Budget::Nodes(_))
        {
            return Err(format!(
                "simulated threads have no time for {budget}: use depth or nodes"
            ));
        }
        let protocol = self.process().map(|(protocol, _)| protocol);
        let words = match (protocol, budget) {
            _ if self.kind == EntrantKind::Mobility => return Ok(()),
            (Some(EngineProtocol::NBoard), Budget::Nodes(_) | Budget::MoveTime(_)) => {
                "depth, tc or untimed"
            }
            (Some(EngineProtocol::Gtp), Budget::Nodes(_)) => "depth, st, tc or untimed",
            (Some(EngineProtocol::NBoard | EngineProtocol::Gtp), _) => return Ok(()),
            (_, Budget::Untimed) => "depth, nodes, st or tc",
            _ => return Ok(()),
        };
        let reason = format!("its protocol has no command for {budget}: use {words}");
        Err(reason)
    }
}

impl FromStr for Entrant {
    type Err = TextError;

    fn from_str(line: &str) -> Result<Entrant, TextError> {
        words::finish(line, entrant(line))
    }
}

/// `name|protocol|command|settings`; what is empty at the end may be left out.
fn entrant(input: &str) -> Parsed<'_, Entrant> {
    let name = expect("expected a name", preceded(blanks, is_not("|")));
    let (rest, (name, kind, settings)) = (name, kind, settings).parse(input)?;
    let entrant = Entrant {
        name: name.trim_end().to_owned(),
        kind,
        settings,
    };
    Ok((rest, entrant))
}

/// The end of a field, and the blanks after it.
fn bar(input: &str) -> Parsed<'_, &str> {
    expect("expected \"|\"", terminated(alt((tag("|"), eof)), blanks))(input)
}

fn kind(input: &str) -> Parsed<'_, EntrantKind> {
    let (start, _) = bar(input)?;
    let (rest, name) = take_till(|c| c == '|').parse(start)?;
    let no_command = (
        bar,
        expect(
            "expected \"|\": this player has no command",
            peek(alt((tag("|"), eof))),
        ),
    );
    match name.trim() {
        "internal" => value(EntrantKind::Internal, no_command).parse(rest),
        "mobility" => value(EntrantKind::Mobility, no_command).parse(rest),
        name => {
            let Ok(protocol) = EngineProtocol::from_str(name, false) else {
                let reason = "expected uci, ugi, nboard, gtp, internal or mobility";
                return words::failure(start, reason);
            };
            let command = expect("expected a command", many1(terminated(word, blanks)));
            let process = |command| EntrantKind::Process { protocol, command };
            map(preceded(bar, command), process).parse(rest)
        }
    }
}

/// A word; single or double quotes keep blanks in it.
fn word(input: &str) -> Parsed<'_, String> {
    let (rest, first) = piece(input)?;
    fold_many0(piece, || first.to_owned(), |word, piece| word + piece).parse(rest)
}

/// A part of a word, in quotes or without.
fn piece(input: &str) -> Parsed<'_, &str> {
    let double = delimited(char('"'), take_till(|c| c == '"'), char('"'));
    let single = delimited(char('\''), take_till(|c| c == '\''), char('\''));
    alt((double, single, is_not(" \t\"'|"))).parse(input)
}

/// `key=value` pairs, and single words, with blanks between them.
fn settings(input: &str) -> Parsed<'_, Settings> {
    let mut settings = Settings::default();
    let (mut rest, _) = bar(input)?;
    while !rest.is_empty() {
        let expected = "expected a setting such as depth=8 or passes=implied";
        let (after, (key, value)) = expect(expected, terminated(setting, blanks))(rest)?;
        if let Err(reason) = settings.set(key, &value) {
            return words::failure(rest, reason);
        }
        rest = after;
    }
    Ok((rest, settings))
}

fn setting(input: &str) -> Parsed<'_, (&str, String)> {
    let untimed = terminated(tag("untimed"), not(char('=')));
    let key = take_while1(|c: char| c.is_alphanumeric() || "._-".contains(c));
    let value = map(opt(word), Option::unwrap_or_default);
    let pair = separated_pair(key, char('='), value);
    alt((map(untimed, |word| (word, String::new())), pair)).parse(input)
}

impl Settings {
    /// Changes one setting.
    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        match key {
            "depth" | "nodes" | "st" | "tc" => {
                self.budget = Some(format!("{key}={value}").parse()?);
            }
            "untimed" => self.budget = Some(Budget::Untimed),
            "passes" => self.passes = choice(key, value)?,
            "seconds" => self.seconds = choice(key, value)?,
            "dir" => self.dir = Some(PathBuf::from(value)),
            "threads" => self.threads = Some(number(key, value, 1, 1024)?),
            "simulated-threads" => self.simulated_threads = Some(number(key, value, 1, 64)?),
            "hash" => self.hash = Some(number(key, value, 1, SearchOptions::MAX_HASH_MB)?),
            "proof" => self.proof = Some(PathBuf::from(value)),
            "book" => self.book = Some(PathBuf::from(value)),
            "book-variety" => self.book_variety = hundredths(key, value)?,
            "book-style" => {
                let style = value.parse();
                self.book_style = style.map_err(|reason: String| format!("{key}: {reason}"))?;
            }
            "book-seed" => self.book_seed = number(key, value, 0, usize::MAX)?,
            "margin" => {
                let milliseconds = number(key, value, 0, 1_000_000)? as u64;
                self.margin = Some(Duration::from_millis(milliseconds));
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

/// Discs, as hundredths.
fn hundredths(key: &str, value: &str) -> Result<usize, String> {
    let hundredths = values::discs(value).map(|discs| (discs * 100.0).round() as usize);
    hundredths.map_err(|_| format!("expected {key}=0..64, in discs"))
}

fn number(key: &str, value: &str, least: usize, most: usize) -> Result<usize, String> {
    let number = value
        .parse()
        .ok()
        .filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| format!("expected {key}={least}..{most}"))
}

fn choice<T: ValueEnum>(key: &str, value: &str) -> Result<T, String> {
    let names = T::value_variants().iter().filter_map(T::to_possible_value);
    let all: Vec<_> = names
        .map(|name| format!("{key}={}", name.get_name()))
        .collect();
    T::from_str(value, false).map_err(|_| format!("expected {}", all.join(" or ")))
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
        let protocol = EngineProtocol::Ugi;
        assert_eq!(entrant.kind, EntrantKind::Process { protocol, command });
        assert_eq!(entrant.settings.budget, Some(Budget::Depth(8)));
        assert_eq!(entrant.settings.passes, PassStyle::Implied);
        assert_eq!(entrant.settings.margin, Some(Duration::from_millis(50)));
        let option = ("Threads".to_owned(), "2".to_owned());
        assert_eq!(entrant.settings.options, [option]);
        let process = |protocol| EntrantKind::Process {
            protocol,
            command: vec!["x".to_owned()],
        };
        assert_eq!(read("a|nboard|x").kind, process(EngineProtocol::NBoard));
        let gtp = read("a|gtp|x|seconds=decimal dir='/my engines'").settings;
        assert_eq!(gtp.seconds, Seconds::Decimal);
        assert_eq!(gtp.dir, Some(PathBuf::from("/my engines")));
        assert_eq!(read("self|internal").kind, EntrantKind::Internal);
        assert_eq!(read("mob|mobility||depth=6").kind, EntrantKind::Mobility);
        let level = read("a|gtp|x|untimed passes=implied").settings;
        assert_eq!(level.budget, Some(Budget::Untimed));
        assert_eq!((level.passes, level.margin), (PassStyle::Implied, None));
    }

    #[test]
    fn a_budget_needs_a_command_of_the_protocol() {
        let check = |entry: &str, budget: &str| {
            let budget = budget.parse().expect(budget);
            read(entry).check_budget(budget)
        };
        for (entry, budgets) in [
            ("a|internal", "depth=1 nodes=1 st=1 tc=1"),
            ("a|internal||simulated-threads=8", "depth=1 nodes=1"),
            ("a|mobility", "depth=1 nodes=1 st=1 tc=1 untimed"),
            ("a|ugi|x", "depth=1 nodes=1 st=1 tc=1"),
            ("a|uci|x", "depth=1 nodes=1 st=1 tc=1"),
            ("a|nboard|x", "depth=1 tc=1 untimed"),
            ("a|gtp|x", "depth=1 st=1 tc=1 untimed"),
        ] {
            for budget in ["depth=1", "nodes=1", "st=1", "tc=1", "untimed"] {
                let can_be_sent = budgets.split(' ').any(|word| word == budget);
                let result = check(entry, budget);
                assert_eq!(result.is_ok(), can_be_sent, "{entry} {budget}");
            }
        }
    }

    #[test]
    fn values_may_be_quoted() {
        let entrant = read("a|mobility||init=\"set level 6\" init='x|y'");
        assert_eq!(entrant.settings.init, ["set level 6", "x|y"]);
    }

    #[test]
    fn errors_name_the_column() {
        for (column, line) in [
            (1, ""),
            (3, "a|chess|x"),
            (6, "a|ugi"),
            (7, "a|ugi|'open"),
            (9, "a|ugi|x 'open"),
            (20, "a|mobility||depth=8|more"),
            (17, "a|ugi|x|depth=8 y"),
            (9, "a|ugi|x|y=1"),
            (9, "a|ugi|x|depth=0"),
        ] {
            let error = line.parse::<Entrant>().expect_err(line);
            assert_eq!(error.column, column, "{line}: {error}");
        }
        let error = "a|gtp|x|passes=no".parse::<Entrant>().expect_err("a style");
        assert_eq!(error.reason, "expected passes=explicit or passes=implied");
    }
}
