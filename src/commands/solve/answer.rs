//! The answers of `solve`, and their text, JSON and OBF forms.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;

use super::check::Verdict;
use super::input::Place;
use crate::batch::memo::Finding;
use crate::batch::question::{Bounds, Question};
use crate::formats::obf::Problem;
use crate::rules::{Move, Position};
use crate::text::TextError;

/// How answers are written.
#[derive(Clone, Debug)]
pub(super) struct Format {
    pub(super) style: Style,
    /// The files that the lines are from; none: standard input.
    pub(super) files: Vec<PathBuf>,
    /// The bounds on the score that a proof of who wins came upon.
    pub(super) score_bound: bool,
    /// How long each answer took.
    pub(super) times: bool,
}

/// See [`Format`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Style {
    Text,
    Json,
    Obf,
}

/// The answer to one line of the input.
#[derive(Debug)]
pub(super) struct Answer {
    /// Where the line stands.
    pub(super) place: Place,
    /// What it calls itself.
    pub(super) name: Option<Box<str>>,
    /// A result, or what went wrong.
    pub(super) content: Content,
}

/// See [`Answer`].
#[derive(Debug)]
pub(super) enum Content {
    Solved(Box<Solved>),
    Fault(Fault),
    /// The line of an earlier output.
    Copied(String),
}

/// A position that was solved, or not within its limits. Scores are in discs, for the side to move.
#[derive(Debug)]
pub(super) struct Solved {
    pub(super) position: Position,
    pub(super) question: Question,
    pub(super) finding: Finding,
    /// Was it solved for this line, and so has a whole line of play?
    pub(super) is_fresh: bool,
    /// With `--all-moves` only.
    pub(super) moves: Option<Vec<(Move, i32)>>,
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
    /// The proof that was asked for is not made.
    NoProof { position: Position, reason: String },
}

impl Solved {
    /// Was the question answered?
    pub(super) fn is_solved(&self) -> bool {
        self.question.is_answered_by(self.finding.bounds)
    }

    /// `win`, `draw`, `loss`, `proven`, `refuted` or `unsolved`.
    pub(super) fn result(&self) -> &'static str {
        let bounds = self.finding.bounds;
        if !self.is_solved() {
            return "unsolved";
        }
        match self.question.verdict(bounds) {
            Some(true) => "proven",
            Some(false) => "refuted",
            None => bounds.value().map_or("unsolved", |value| value.name()),
        }
    }

    /// The best move; `None` where the game is over or nothing is known.
    pub(super) fn best(&self) -> Option<Move> {
        self.finding.pv.first().copied()
    }

    /// The score, if it was asked for and found.
    pub(super) fn score(&self) -> Option<i32> {
        let score = self.finding.bounds.score()?;
        (self.question == Question::Exact).then_some(score)
    }

    /// The bounds on the score, if they are to be shown: for who wins only what proves that.
    fn bounds(&self, format: &Format) -> Option<Bounds> {
        let bounds = self.finding.bounds;
        match self.question {
            Question::Exact if self.is_solved() => None,
            Question::Wld if !self.is_solved() => Some(bounds),
            Question::Wld if !format.score_bound => None,
            Question::Wld if bounds.lower() > 0 => Some(Bounds::at_least(bounds.lower())),
            Question::Wld if bounds.upper() < 0 => Some(Bounds::at_most(bounds.upper())),
            _ => Some(bounds),
        }
    }
}

impl Answer {
    /// A result.
    pub(super) fn solved(place: Place, name: Option<Box<str>>, solved: Solved) -> Answer {
        let content = Content::Solved(Box::new(solved));
        Answer {
            place,
            name,
            content,
        }
    }

    /// A failure.
    pub(super) const fn fault(place: Place, name: Option<Box<str>>, fault: Fault) -> Answer {
        let content = Content::Fault(fault);
        Answer {
            place,
            name,
            content,
        }
    }

    /// The answer that an earlier run has given.
    pub(super) const fn copied(place: Place, text: String) -> Answer {
        Answer {
            place,
            name: None,
            content: Content::Copied(text),
        }
    }

    /// Writes the answer and a line end.
    pub(super) fn write(&self, format: &Format, out: &mut impl Write) -> io::Result<()> {
        match (format.style, &self.content) {
            (_, Content::Copied(text)) => writeln!(out, "{text}"),
            (Style::Text, Content::Solved(solved)) => self.write_text(format, solved, out),
            (Style::Text, Content::Fault(fault)) => self.write_text_fault(format, fault, out),
            (Style::Json, Content::Solved(solved)) => write_json(&self.json(format, solved), out),
            (Style::Json, Content::Fault(fault)) => {
                write_json(&self.json_fault(format, fault), out)
            }
            (Style::Obf, Content::Solved(solved)) => write_obf(solved, out),
            // A comment, so that the output stays an OBF file.
            (Style::Obf, Content::Fault(fault)) => {
                write!(out, "% ")?;
                self.write_text_fault(format, fault, out)
            }
        }
    }

    fn write_text(&self, format: &Format, solved: &Solved, out: &mut impl Write) -> io::Result<()> {
        write_place(self.place, format, format.files.len() > 1, out)?;
        write!(out, "\t{}\t", solved.result())?;
        match (solved.score(), solved.bounds(format)) {
            (Some(score), _) => write!(out, "{score:+}\t")?,
            (None, Some(bounds)) => write!(out, "{bounds}\t")?,
            (None, None) => write!(out, "-\t")?,
        }
        match solved.best() {
            Some(best) => write!(out, "{best}")?,
            None => write!(out, "-")?,
        }
        write!(out, "\t{}\t", solved.finding.nodes)?;
        if format.times {
            // Thousandths of a millisecond, without the cost of printing a fraction.
            let micros = solved.time.as_micros();
            write!(out, "{}.{:03}\t", micros / 1000, micros % 1000)?;
        } else {
            write!(out, "-\t")?;
        }
        write_moves(&solved.finding.pv, out)?;
        if let Some(moves) = &solved.moves {
            let moves = moves.iter().map(|(mv, score)| format!("{mv}:{score:+}"));
            let moves: Vec<String> = moves.collect();
            let none = if moves.is_empty() { "-" } else { "" };
            write!(out, "\t{none}{}", moves.join(" "))?;
        }
        if let Some(verdict) = &solved.verdict {
            write!(out, "\t{verdict}")?;
        }
        self.write_name(out)
    }

    fn write_text_fault(
        &self,
        format: &Format,
        fault: &Fault,
        out: &mut impl Write,
    ) -> io::Result<()> {
        write_place(self.place, format, true, out)?;
        match fault {
            Fault::Syntax(TextError { column, reason }) => {
                write!(out, "\terror\t{column}\t{reason}")?;
            }
            Fault::Internal { reason, .. } => {
                write!(out, "\terror\t-\tinternal fault: {reason}")?;
            }
            Fault::NoProof { reason, .. } => write!(out, "\terror\t-\t{reason}")?,
        }
        self.write_name(out)
    }

    fn write_name(&self, out: &mut impl Write) -> io::Result<()> {
        match &self.name {
            Some(name) => writeln!(out, "\t{name}"),
            None => writeln!(out),
        }
    }

    fn json<'a>(&'a self, format: &Format, solved: &'a Solved) -> JsonAnswer<'a> {
        let named = |&(mv, score): &(Move, i32)| JsonMove {
            name: mv.to_string(),
            score,
        };
        let bounds = solved.bounds(format);
        JsonAnswer {
            file: file(self.place, format),
            line: self.place.line,
            name: self.name.as_deref(),
            position: solved.position.to_string(),
            mode: solved.question.to_string(),
            result: solved.result(),
            score: solved.score(),
            at_least: bounds.map(Bounds::lower).filter(|&lower| lower > -64),
            at_most: bounds.map(Bounds::upper).filter(|&upper| upper < 64),
            best: solved.best().map(|best| best.to_string()),
            pv: solved.finding.pv.iter().map(Move::to_string).collect(),
            moves: solved
                .moves
                .as_ref()
                .map(|moves| moves.iter().map(named).collect()),
            nodes: solved.finding.nodes,
            time_ms: format
                .times
                .then(|| solved.time.as_micros() as f64 / 1000.0),
            check: solved.verdict.as_ref().map(Verdict::to_string),
        }
    }

    fn json_fault<'a>(&'a self, format: &Format, fault: &'a Fault) -> JsonFault<'a> {
        let (position, error, column) = match fault {
            Fault::Syntax(TextError { column, reason }) => (None, reason, Some(*column)),
            Fault::Internal { position, reason } | Fault::NoProof { position, reason } => {
                (Some(position.to_string()), reason, None)
            }
        };
        JsonFault {
            file: file(self.place, format),
            line: self.place.line,
            name: self.name.as_deref(),
            position,
            error,
            column,
        }
    }
}

/// A result in JSON.
#[derive(Serialize)]
struct JsonAnswer<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    line: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    position: String,
    mode: String,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    time_ms: Option<f64>,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    line: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
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
        _ => problem.value = solved.score(),
    }
    problem.comment = solved.verdict.as_ref().map(Verdict::to_string);
    writeln!(out, "{problem}")
}

/// The file that a line is from.
fn file(place: Place, format: &Format) -> Option<String> {
    let path = format.files.get(place.file?)?;
    Some(path.display().to_string())
}

/// `file:line`, or the line alone.
fn write_place(place: Place, format: &Format, full: bool, out: &mut impl Write) -> io::Result<()> {
    if let Some(file) = file(place, format).filter(|_| full) {
        write!(out, "{file}:")?;
    }
    write!(out, "{}", place.line)
}

/// The moves with blanks between them, a dash if there are none.
fn write_moves(moves: &[Move], out: &mut impl Write) -> io::Result<()> {
    if moves.is_empty() {
        return write!(out, "-");
    }
    for (index, mv) in moves.iter().enumerate() {
        let blank = if index > 0 { " " } else { "" };
        write!(out, "{blank}{mv}")?;
    }
    Ok(())
}
