//! The answers of `solve`, and their text, JSON and OBF forms.

use std::io::{self, Write};
use std::time::Duration;

use serde::Serialize;

use super::Mode;
use super::check::Verdict;
use crate::formats::obf::Problem;
use crate::rules::{Move, Position};
use crate::search::GameValue;
use crate::text::TextError;

/// How answers are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Style {
    Text,
    Json,
    Obf,
}

/// The answer to one line of the input.
#[derive(Debug)]
pub(super) struct Answer {
    /// The line's number, the first is 1.
    pub(super) line: u64,
    /// A result, or what went wrong.
    pub(super) content: Content,
}

/// See [`Answer`].
#[derive(Debug)]
pub(super) enum Content {
    Solved(Box<Solved>),
    Fault(Fault),
}

/// A solved position. Scores are in discs, for the side to move.
#[derive(Debug)]
pub(super) struct Solved {
    pub(super) position: Position,
    pub(super) mode: Mode,
    pub(super) value: GameValue,
    /// In exact mode only.
    pub(super) score: Option<i32>,
    /// With `--score-bound` only: the score is at least this for a winner, at most this for
    /// a loser.
    pub(super) bound: Option<i32>,
    /// `None` where the game is over.
    pub(super) best: Option<Move>,
    pub(super) pv: Vec<Move>,
    /// With `--all-moves` only.
    pub(super) moves: Option<Vec<(Move, i32)>>,
    pub(super) nodes: u64,
    pub(super) time: Duration,
    /// With `--check` only.
    pub(super) verdict: Option<Verdict>,
}

/// Why there is no result.
#[derive(Debug)]
pub(super) enum Fault {
    /// The line cannot be read.
    Syntax(TextError),
    /// The solver failed.
    Internal { position: Position, reason: String },
}

impl Solved {
    /// What `--score-bound` shows.
    fn bound_text(&self) -> Option<String> {
        let bound = self.bound?;
        Some(match self.value {
            GameValue::Win => format!(">={bound:+}"),
            GameValue::Draw => format!("{bound:+}"),
            GameValue::Loss => format!("<={bound:+}"),
        })
    }
}

impl Answer {
    /// A result.
    pub(super) fn solved(line: u64, solved: Solved) -> Answer {
        let content = Content::Solved(Box::new(solved));
        Answer { line, content }
    }

    /// A failure.
    pub(super) const fn fault(line: u64, fault: Fault) -> Answer {
        let content = Content::Fault(fault);
        Answer { line, content }
    }

    /// Writes the answer and a line end.
    pub(super) fn write(&self, style: Style, out: &mut impl Write) -> io::Result<()> {
        match (style, &self.content) {
            (Style::Text, Content::Solved(solved)) => self.write_text(solved, out),
            (Style::Text, Content::Fault(fault)) => self.write_text_fault(fault, out),
            (Style::Json, Content::Solved(solved)) => write_json(&self.json(solved), out),
            (Style::Json, Content::Fault(fault)) => write_json(&self.json_fault(fault), out),
            (Style::Obf, Content::Solved(solved)) => write_obf(solved, out),
            // A comment, so that the output stays an OBF file.
            (Style::Obf, Content::Fault(fault)) => {
                write!(out, "% ")?;
                self.write_text_fault(fault, out)
            }
        }
    }

    fn write_text(&self, solved: &Solved, out: &mut impl Write) -> io::Result<()> {
        let Answer { line, .. } = self;
        let result = solved.value.name();
        let score = solved.score.map(|score| format!("{score:+}"));
        let score = or_dash(score.or_else(|| solved.bound_text()));
        let best = or_dash(solved.best.map(|best| best.to_string()));
        let (nodes, milliseconds) = (solved.nodes, milliseconds(solved.time));
        let pv = or_dash(joined(solved.pv.iter().map(Move::to_string)));
        write!(
            out,
            "{line}\t{result}\t{score}\t{best}\t{nodes}\t{milliseconds:.3}\t{pv}"
        )?;
        if let Some(moves) = &solved.moves {
            let moves = moves.iter().map(|(mv, score)| format!("{mv}:{score:+}"));
            write!(out, "\t{}", or_dash(joined(moves)))?;
        }
        if let Some(verdict) = &solved.verdict {
            write!(out, "\t{verdict}")?;
        }
        writeln!(out)
    }

    fn write_text_fault(&self, fault: &Fault, out: &mut impl Write) -> io::Result<()> {
        let line = self.line;
        match fault {
            Fault::Syntax(TextError { column, reason }) => {
                writeln!(out, "{line}\terror\t{column}\t{reason}")
            }
            Fault::Internal { reason, .. } => {
                writeln!(out, "{line}\terror\t-\tinternal fault: {reason}")
            }
        }
    }

    fn json(&self, solved: &Solved) -> JsonAnswer {
        let named = |&(mv, score): &(Move, i32)| JsonMove {
            name: mv.to_string(),
            score,
        };
        JsonAnswer {
            line: self.line,
            position: solved.position.to_string(),
            mode: match solved.mode {
                Mode::Exact => "exact",
                Mode::Wld => "wld",
            },
            result: solved.value.name(),
            score: solved.score,
            at_least: solved.bound.filter(|_| solved.value != GameValue::Loss),
            at_most: solved.bound.filter(|_| solved.value != GameValue::Win),
            best: solved.best.map(|best| best.to_string()),
            pv: solved.pv.iter().map(Move::to_string).collect(),
            moves: solved
                .moves
                .as_ref()
                .map(|moves| moves.iter().map(named).collect()),
            nodes: solved.nodes,
            time_ms: (milliseconds(solved.time) * 1000.0).round() / 1000.0,
            check: solved.verdict.as_ref().map(Verdict::to_string),
        }
    }

    fn json_fault<'a>(&self, fault: &'a Fault) -> JsonFault<'a> {
        match fault {
            Fault::Syntax(TextError { column, reason }) => JsonFault {
                line: self.line,
                position: None,
                error: reason,
                column: Some(*column),
            },
            Fault::Internal { position, reason } => JsonFault {
                line: self.line,
                position: Some(position.to_string()),
                error: reason,
                column: None,
            },
        }
    }
}

/// A result in JSON.
#[derive(Serialize)]
struct JsonAnswer {
    line: u64,
    position: String,
    mode: &'static str,
    result: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at_least: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at_most: Option<i32>,
    best: Option<String>,
    pv: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<Vec<JsonMove>>,
    nodes: u64,
    time_ms: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    check: Option<String>,
}

#[derive(Serialize)]
struct JsonMove {
    #[serde(rename = "move")]
    name: String,
    score: i32,
}

/// A failure in JSON.
#[derive(Serialize)]
struct JsonFault<'a> {
    line: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<String>,
    error: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
}

fn write_json(value: &impl Serialize, out: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    writeln!(out)
}

/// The position with its scores: of all moves where they are known, else of the best one.
fn write_obf(solved: &Solved, out: &mut impl Write) -> io::Result<()> {
    let mut problem = Problem::new(solved.position);
    match &solved.moves {
        Some(moves) if !moves.is_empty() => problem.moves.clone_from(moves),
        _ => problem.value = solved.score,
    }
    problem.comment = solved.verdict.as_ref().map(Verdict::to_string);
    writeln!(out, "{problem}")
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn or_dash(text: Option<String>) -> String {
    text.unwrap_or_else(|| "-".to_owned())
}

/// The words with blanks between them, `None` if there are none.
fn joined(words: impl Iterator<Item = String>) -> Option<String> {
    words.reduce(|text, word| text + " " + &word)
}
