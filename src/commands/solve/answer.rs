//! The answers of `solve`, and their text, JSON and OBF forms.

use std::fmt::{self, Display};
use std::sync::Arc;
use std::time::Duration;

use serde::{Serialize, Serializer};

use super::check::Verdict;
use super::input::Place;
use crate::batch::answer::{Key, ResultWord};
use crate::batch::memo::Finding;
use crate::formats::obf::Problem;
use crate::rules::{Move, Position};
use crate::score::{Bounds, GameValue, Question};
use crate::text::TextError;

/// How answers are written.
#[derive(Clone, Debug)]
pub(super) struct Format {
    pub(super) style: Style,
    /// The names of the files that the lines are from; none: standard input.
    pub(super) files: Arc<Vec<String>>,
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
    Solved(Solved),
    Fault(Key, Fault),
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
    pub(super) moves: Option<Vec<(Move, MoveValue)>>,
    pub(super) time: Duration,
    /// Did a limit end the making of the proof that was asked for? Then it counts as unsolved.
    pub(super) lacks_proof: bool,
    /// With `--check` only.
    pub(super) verdict: Option<Verdict>,
}

/// What is proven of one move, as far as the question goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum MoveValue {
    /// The score in discs.
    Score(i32),
    /// Who wins.
    Result(GameValue),
}

impl Display for MoveValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MoveValue::Score(discs) => write!(f, "{discs:+}"),
            MoveValue::Result(value) => f.write_str(value.name()),
        }
    }
}

/// Why there is no result.
#[derive(Debug)]
pub(super) enum Fault {
    /// The line cannot be read.
    Syntax(TextError),
    /// The solver failed, or the proof that was asked for is not made.
    Failed { position: Position, reason: String },
}

impl Solved {
    /// Was the question answered, and the answer proven where that was asked for?
    pub(super) fn is_solved(&self) -> bool {
        !self.lacks_proof && self.question.is_answered_by(self.finding.bounds)
    }

    /// The word of the result.
    pub(super) fn result(&self) -> ResultWord {
        let bounds = self.finding.bounds;
        if !self.is_solved() {
            return ResultWord::Unsolved;
        }
        match (self.question.verdict(bounds), bounds.value()) {
            (Some(holds), _) => ResultWord::Verdict(holds),
            (None, Some(value)) => ResultWord::Value(value),
            (None, None) => ResultWord::Unsolved,
        }
    }

    /// The best move; `None` where the game is over or nothing is known.
    pub(super) fn best(&self) -> Option<Move> {
        self.finding.pv.first().copied()
    }

    /// The score, if it was asked for and found.
    pub(super) fn score(&self) -> Option<i32> {
        let score = self.finding.bounds.score()?;
        (self.question == Question::Exact && self.is_solved()).then_some(score)
    }

    /// What the answer says of the score.
    fn stated(&self, format: &Format) -> Option<Bounds> {
        self.score()
            .map(Bounds::exactly)
            .or_else(|| self.bounds(format))
    }

    fn key(&self, format: &Format) -> Key {
        let result = self.result().name();
        Key::of_result(
            self.position,
            self.question,
            result,
            self.stated(format),
            self.best(),
        )
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
        let content = Content::Solved(solved);
        Answer {
            place,
            name,
            content,
        }
    }

    /// A failure, with the key of its answer.
    pub(super) const fn fault(
        place: Place,
        name: Option<Box<str>>,
        key: Key,
        fault: Fault,
    ) -> Answer {
        Answer {
            place,
            name,
            content: Content::Fault(key, fault),
        }
    }

    /// The solver failed at a position.
    pub(super) fn failed(
        place: Place,
        name: Option<Box<str>>,
        position: Position,
        reason: String,
    ) -> Answer {
        let key = Key::of_fault(position, &reason);
        Answer::fault(place, name, key, Fault::Failed { position, reason })
    }

    /// The answer that an earlier run has given.
    pub(super) const fn copied(place: Place, text: String) -> Answer {
        Answer {
            place,
            name: None,
            content: Content::Copied(text),
        }
    }

    /// Adds the answer and a line end to `out`.
    pub(super) fn write(&self, format: &Format, out: &mut Vec<u8>) {
        match (format.style, &self.content) {
            (_, Content::Copied(text)) => push(out, text),
            (Style::Text, Content::Solved(solved)) => self.write_text(format, solved, out),
            (Style::Text, Content::Fault(key, fault)) => {
                self.write_text_fault(format, *key, fault, out);
            }
            (Style::Json, Content::Solved(solved)) => write_json(&self.json(format, solved), out),
            (Style::Json, Content::Fault(key, fault)) => {
                write_json(&self.json_fault(format, *key, fault), out);
            }
            (Style::Obf, Content::Solved(solved)) => push(out, &obf(solved)),
            // A comment, so that the output stays an OBF file.
            (Style::Obf, Content::Fault(key, fault)) => {
                push(out, "% ");
                self.write_text_fault(format, *key, fault, out);
            }
        }
        out.push(b'\n');
    }

    // Text is put together without the formatting of the standard library, which would take
    // longer than the solve of an easy position.
    fn write_text(&self, format: &Format, solved: &Solved, out: &mut Vec<u8>) {
        self.write_place(format, format.files.len() > 1, out);
        out.push(b'\t');
        push(out, solved.result().name());
        out.push(b'\t');
        match (solved.score(), solved.bounds(format)) {
            (Some(score), _) => {
                push(out, if score < 0 { "-" } else { "+" });
                push_number(out, score.unsigned_abs());
            }
            (None, Some(bounds)) => push(out, &bounds.to_string()),
            (None, None) => out.push(b'-'),
        }
        out.push(b'\t');
        push(out, solved.best().map_or("-", Move::name));
        out.push(b'\t');
        push(out, &solved.key(format).to_string());
        out.push(b'\t');
        push_number(out, solved.finding.nodes);
        out.push(b'\t');
        if format.times {
            let micros = solved.time.as_micros() as u64;
            push_number(out, micros / 1000);
            let digits = [100, 10, 1].map(|unit| b'0' + (micros / unit % 10) as u8);
            out.push(b'.');
            out.extend_from_slice(&digits);
        } else {
            out.push(b'-');
        }
        let mut before = "\t";
        for mv in &solved.finding.pv {
            push(out, before);
            push(out, mv.name());
            before = " ";
        }
        if solved.finding.pv.is_empty() {
            push(out, "\t-");
        }
        if let Some(moves) = &solved.moves {
            let moves = moves.iter().map(|(mv, value)| format!("{mv}:{value}"));
            let moves: Vec<String> = moves.collect();
            push(out, if moves.is_empty() { "\t-" } else { "\t" });
            push(out, &moves.join(" "));
        }
        if let Some(verdict) = &solved.verdict {
            out.push(b'\t');
            push(out, &verdict.to_string());
        }
        self.write_name(out);
    }

    fn write_text_fault(&self, format: &Format, key: Key, fault: &Fault, out: &mut Vec<u8>) {
        self.write_place(format, true, out);
        push(out, "\terror\t");
        match fault {
            Fault::Syntax(TextError { column, reason }) => {
                push_number(out, *column);
                out.push(b'\t');
                push(out, reason);
            }
            Fault::Failed { reason, .. } => {
                push(out, "-\t");
                push(out, reason);
            }
        }
        out.push(b'\t');
        push(out, &key.to_string());
        self.write_name(out);
    }

    /// `file:line`, or the line alone.
    fn write_place(&self, format: &Format, full: bool, out: &mut Vec<u8>) {
        if let Some(file) = file(self.place, format).filter(|_| full) {
            push(out, file);
            out.push(b':');
        }
        push_number(out, self.place.line);
    }

    fn write_name(&self, out: &mut Vec<u8>) {
        if let Some(name) = &self.name {
            out.push(b'\t');
            push(out, name);
        }
    }

    fn json<'a>(&'a self, format: &'a Format, solved: &'a Solved) -> JsonAnswer<'a> {
        let named = |&(mv, value): &(Move, MoveValue)| JsonMove {
            name: mv.name(),
            score: match value {
                MoveValue::Score(discs) => Some(discs),
                MoveValue::Result(_) => None,
            },
            result: match value {
                MoveValue::Score(_) => None,
                MoveValue::Result(value) => Some(value.name()),
            },
        };
        let bounds = solved.bounds(format);
        JsonAnswer {
            file: file(self.place, format),
            line: self.place.line,
            name: self.name.as_deref(),
            position: solved.position,
            mode: solved.question,
            result: solved.result().name(),
            score: solved.score(),
            at_least: bounds.map(Bounds::lower).filter(|&lower| lower > -64),
            at_most: bounds.map(Bounds::upper).filter(|&upper| upper < 64),
            best: solved.best().map(Move::name),
            key: solved.key(format),
            pv: &solved.finding.pv,
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

    fn json_fault<'a>(&'a self, format: &'a Format, key: Key, fault: &'a Fault) -> JsonFault<'a> {
        let (position, error, column) = match fault {
            Fault::Syntax(TextError { column, reason }) => (None, reason, Some(*column)),
            Fault::Failed { position, reason } => (Some(position.to_string()), reason, None),
        };
        JsonFault {
            file: file(self.place, format),
            line: self.place.line,
            name: self.name.as_deref(),
            position,
            error,
            column,
            key,
        }
    }
}

/// A result in JSON.
#[derive(Serialize)]
struct JsonAnswer<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    line: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(serialize_with = "as_text")]
    position: Position,
    #[serde(serialize_with = "as_text")]
    mode: Question,
    result: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at_least: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at_most: Option<i32>,
    best: Option<&'static str>,
    #[serde(serialize_with = "as_text")]
    key: Key,
    #[serde(serialize_with = "as_names")]
    pv: &'a [Move],
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
    name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'static str>,
}

/// A failure in JSON.
#[derive(Serialize)]
struct JsonFault<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    line: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<String>,
    error: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
    #[serde(serialize_with = "as_text")]
    key: Key,
}

fn as_text<S: Serializer>(value: &impl Display, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

fn as_names<S: Serializer>(moves: &[Move], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(moves.iter().map(|mv| mv.name()))
}

fn write_json(value: &impl Serialize, out: &mut Vec<u8>) {
    let written = serde_json::to_writer(out, value);
    debug_assert!(written.is_ok(), "memory does not fail");
}

/// The position with its scores: of all moves where they are known, else of the best one.
fn obf(solved: &Solved) -> String {
    let mut problem = Problem::new(solved.position);
    match &solved.moves {
        Some(moves) if !moves.is_empty() => {
            let scores = moves.iter().filter_map(|&(mv, value)| match value {
                MoveValue::Score(discs) => Some((mv, discs)),
                MoveValue::Result(_) => None,
            });
            problem.moves = scores.collect();
        }
        _ => problem.value = solved.score(),
    }
    problem.comment = solved.verdict.as_ref().map(Verdict::to_string);
    problem.to_string()
}

/// The file that a line is from.
fn file(place: Place, format: &Format) -> Option<&str> {
    format.files.get(place.file?).map(String::as_str)
}

fn push(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
}

fn push_number(out: &mut Vec<u8>, number: impl itoa::Integer) {
    push(out, itoa::Buffer::new().format(number));
}
