//! The answers of `solve`: one record, which is written and read again as text or JSON, and written as OBF.
//!
//! An [`Answer`] is the place of its line, its key and a [`Solution`]. Its forms are in `text`, `json` and `obf`; a
//! file of them is read by [`Answers`], and whether one is the answer to a line of an input is decided in `fits`:
//! `--resume`, `--retry` and `emilia batch` all ask there.

mod fits;
mod json;
mod key;
mod obf;
mod reader;
mod text;

#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use thiserror::Error;

use super::problem::{Place, Problem, Solution, Status};
use crate::rules::{Bitboard, Move, Position};
use crate::score::{Bounds, GameValue, Question};
use crate::text::TextError;

pub(crate) use fits::{InputLine, agree};
pub(crate) use key::Key;
pub(crate) use obf::OBF_HEAD;
pub(crate) use reader::Answers;
pub(crate) use text::{asked, parse_asked, place_text};

#[cfg(test)]
pub(super) use text::answer_text;

/// An answer to a line of an input.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Answer {
    /// Its file, where that is named.
    file: Option<Arc<str>>,
    /// The number of its line.
    pub(crate) line: u64,
    /// What its line calls itself.
    name: Option<Box<str>>,
    key: Key,
    pub(crate) result: ResultWord,
    /// What is found out, as far as the answer says it. Of an error, the reason.
    pub(crate) solution: Solution,
    /// Where the error of a line stands.
    column: Option<usize>,
    /// Is the score stated? If not, its bounds are those of the result.
    pub(crate) says_score: bool,
    says_time: bool,
    pub(crate) verdict: Option<Verdict>,
    /// In text not stated.
    pub(crate) position: Option<Position>,
    /// The question and the moves that it is about; in text not stated.
    pub(crate) asked: Option<(Question, Option<Bitboard>)>,
    /// Fields of text that the name of the line tells apart: scores of moves, a verdict, the name.
    unread: Vec<String>,
    /// As it was read, without its line end; empty: it is new.
    pub(crate) text: String,
}

/// How answers are written.
#[derive(Clone, Debug)]
pub(crate) struct Format {
    pub(crate) style: Style,
    /// The names of the files that the lines are from; none: standard input.
    pub(crate) files: Vec<Arc<str>>,
    /// The bounds on the score that a proof of who wins came upon.
    pub(crate) score_bound: bool,
    pub(crate) times: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Style {
    Text,
    Json,
    Obf,
}

/// The word of a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ResultWord {
    /// Who wins, the side to move is meant.
    Value(GameValue),
    /// The claim is true, or it is not.
    Verdict(bool),
    /// An estimate, since nothing more was affordable.
    Estimate,
    /// A limit was reached.
    Unsolved,
    /// The line cannot be read, or the solver failed.
    Error,
}

impl ResultWord {
    const ALL: [ResultWord; 8] = [
        ResultWord::Value(GameValue::Win),
        ResultWord::Value(GameValue::Draw),
        ResultWord::Value(GameValue::Loss),
        ResultWord::Verdict(true),
        ResultWord::Verdict(false),
        ResultWord::Estimate,
        ResultWord::Unsolved,
        ResultWord::Error,
    ];

    /// `win`, `draw`, `loss`, `proven`, `refuted`, `estimate`, `unsolved` or `error`.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            ResultWord::Value(value) => value.name(),
            ResultWord::Verdict(true) => "proven",
            ResultWord::Verdict(false) => "refuted",
            ResultWord::Estimate => "estimate",
            ResultWord::Unsolved => "unsolved",
            ResultWord::Error => "error",
        }
    }

    fn of_name(name: &str) -> Option<ResultWord> {
        ResultWord::ALL.into_iter().find(|word| word.name() == name)
    }

    /// The result of a solution.
    fn of(question: Question, solution: &Solution) -> ResultWord {
        match (&solution.status, solution.estimate) {
            (Status::Failed(_), _) => return ResultWord::Error,
            (Status::Solved, _) => {}
            (_, Some(_)) => return ResultWord::Estimate,
            (_, None) => return ResultWord::Unsolved,
        }
        let bounds = solution.bounds;
        match (question.verdict(bounds), bounds.value()) {
            (Some(holds), _) => ResultWord::Verdict(holds),
            (None, Some(value)) => ResultWord::Value(value),
            (None, None) => ResultWord::Unsolved,
        }
    }

    /// What it says of the score by itself.
    fn bounds(self) -> Bounds {
        match self {
            ResultWord::Value(value) => value.bounds(),
            _ => Bounds::UNKNOWN,
        }
    }

    /// What became of the problem, where this is no error.
    const fn status(self) -> Status {
        match self {
            ResultWord::Value(_) | ResultWord::Verdict(_) => Status::Solved,
            _ => Status::Unsolved,
        }
    }
}

/// What `--check` says of an answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    /// It agrees with what is known.
    Agrees,
    /// Nothing is known.
    Unknown,
    /// What does not agree.
    Mismatch(String),
}

/// `ok`, `unknown`, or the mismatch.
impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Agrees => f.write_str("ok"),
            Verdict::Unknown => f.write_str("unknown"),
            Verdict::Mismatch(reason) => write!(f, "mismatch: {reason}"),
        }
    }
}

impl FromStr for Verdict {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Verdict, &'static str> {
        match (text, text.strip_prefix("mismatch: ")) {
            ("ok", _) => Ok(Verdict::Agrees),
            ("unknown", _) => Ok(Verdict::Unknown),
            (_, Some(reason)) => Ok(Verdict::Mismatch(reason.to_owned())),
            _ => Err("expected ok, unknown or a mismatch"),
        }
    }
}

/// Why a line is no answer, or not the one to its line.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub(crate) enum AnswerError {
    /// It has not the form of an answer.
    #[error(transparent)]
    Syntax(#[from] TextError),
    /// Answers in OBF.
    #[error("answers in OBF have no keys: solve the input again as text or with --json")]
    Obf,
    /// The parts of the answer contradict each other.
    #[error("{0}")]
    Senseless(&'static str),
    /// The key, which the answer states, says something else.
    #[error("the key {0} does not fit: this is the answer to another line, or it was changed")]
    Key(Key),
    /// A list of moves that an earlier form of the key does not bind.
    #[error(
        "the key {0} says nothing of the scores of the moves: these answers are of an earlier version, solve the input again"
    )]
    UnboundMoves(Key),
    /// Another number of a line, or another file.
    #[error(
        "the answer of line {found} stands where that of line {expected} is expected: is it of another input or part, or in another order?"
    )]
    Place { found: String, expected: String },
    /// An answer after the last line.
    #[error("the answer of line {0} is of no line of the input")]
    Left(String),
    /// Another question.
    #[error("this answers the question {found}, and {expected} is asked")]
    Question { found: Question, expected: Question },
    /// Another name; empty: none.
    #[error("the answer names {found:?}, its line {expected:?}")]
    Name { found: String, expected: String },
}

impl Answer {
    /// The answer to a problem: of its solution what `format` shows.
    pub(crate) fn new(
        format: &Format,
        problem: Problem,
        mut solution: Solution,
        verdict: Option<Verdict>,
    ) -> Answer {
        let Problem {
            position, question, ..
        } = problem;
        let result = ResultWord::of(question, &solution);
        if solution.status == Status::Solved {
            solution.estimate = None;
        }
        let shown = shown(format, question, &solution);
        solution.bounds = shown.unwrap_or_else(|| result.bounds());
        let score = shown.map(|_| text::score_of(&solution));
        let key = match &mut solution.status {
            Status::Failed(reason) => {
                *reason = one_line(reason);
                Key::of_fault(position, reason)
            }
            _ => Key::of_result(
                &problem,
                result.name(),
                score.as_ref(),
                solution.best(),
                solution.moves.as_deref(),
            ),
        };
        Answer {
            name: problem.name,
            says_score: shown.is_some(),
            says_time: format.times && result != ResultWord::Error,
            verdict,
            position: Some(position),
            asked: Some((question, problem.moves)).filter(|_| result != ResultWord::Error),
            ..Answer::bare(
                format.file(problem.place, result),
                problem.place.line,
                key,
                result,
                solution,
            )
        }
    }

    /// The answer to a line that cannot be read.
    pub(crate) fn unreadable(
        format: &Format,
        place: Place,
        line: &[u8],
        error: &TextError,
    ) -> Answer {
        let (result, reason) = (ResultWord::Error, one_line(&error.reason));
        let key = Key::of_error(line, error.column, &reason);
        let solution = Solution::unknown(Status::Failed(reason));
        Answer {
            column: Some(error.column),
            ..Answer::bare(
                format.file(place, result),
                place.line,
                key,
                result,
                solution,
            )
        }
    }

    const fn bare(
        file: Option<Arc<str>>,
        line: u64,
        key: Key,
        result: ResultWord,
        solution: Solution,
    ) -> Answer {
        Answer {
            file,
            line,
            name: None,
            key,
            result,
            solution,
            column: None,
            says_score: false,
            says_time: false,
            verdict: None,
            position: None,
            asked: None,
            unread: Vec::new(),
            text: String::new(),
        }
    }

    /// Reads a line without its end.
    pub(crate) fn parse(text: &str) -> Result<Answer, AnswerError> {
        if obf::is_obf(text) {
            return Err(AnswerError::Obf);
        }
        let answer = match text.starts_with('{') {
            true => json::parse(text)?,
            false => text::parse(text)?,
        };
        Ok(Answer {
            text: text.to_owned(),
            ..answer
        })
    }

    /// Adds the answer and a line end to `out`.
    pub(crate) fn write(&self, style: Style, out: &mut Vec<u8>) {
        match style {
            _ if self.is_copied() => out.extend_from_slice(self.text.as_bytes()),
            Style::Text => text::write(self, out),
            Style::Json => json::write(self, out),
            Style::Obf => obf::write(self, out),
        }
        out.push(b'\n');
    }

    /// Was it read? Then it is written as it was.
    pub(crate) const fn is_copied(&self) -> bool {
        !self.text.is_empty()
    }

    pub(crate) fn is_json(&self) -> bool {
        self.text.starts_with('{')
    }

    /// Is it a result, and one that was found and is no estimate?
    pub(crate) fn is_solved(&self) -> bool {
        self.solution.status == Status::Solved
    }

    pub(crate) fn is_error(&self) -> bool {
        self.result == ResultWord::Error
    }

    /// Did something fail that its line is not to blame for?
    pub(crate) fn is_fault(&self) -> bool {
        self.is_error() && self.column.is_none()
    }

    /// The score, where that is the result.
    fn score(&self) -> Option<i32> {
        let is_asked = matches!(self.asked, Some((Question::Exact, _))) && self.is_solved();
        self.solution.bounds.score().filter(|_| is_asked)
    }

    /// Why there is no result.
    fn reason(&self) -> Option<&str> {
        match &self.solution.status {
            Status::Failed(reason) => Some(reason),
            _ => None,
        }
    }
}

impl Format {
    /// The name of a file, where answers have it: in text those to a single file only if they are errors.
    fn file(&self, place: Place, result: ResultWord) -> Option<Arc<str>> {
        let is_named =
            self.style == Style::Json || self.files.len() > 1 || result == ResultWord::Error;
        self.files.get(place.file?).filter(|_| is_named).cloned()
    }
}

/// The bounds on the score that are shown: for who wins only what proves that, and only if that is wanted.
fn shown(format: &Format, question: Question, solution: &Solution) -> Option<Bounds> {
    let bounds = solution.bounds;
    match question {
        _ if matches!(solution.status, Status::Failed(_)) => None,
        Question::Wld if solution.status != Status::Solved => Some(bounds),
        Question::Wld if !format.score_bound => None,
        Question::Wld if bounds.lower() > 0 => Some(Bounds::at_least(bounds.lower())),
        Question::Wld if bounds.upper() < 0 => Some(Bounds::at_most(bounds.upper())),
        _ => Some(bounds),
    }
}

/// The best move must begin the line of play.
fn check_best(best: Option<Move>, solution: &Solution) -> Result<(), AnswerError> {
    match best == solution.best() {
        true => Ok(()),
        false => Err(AnswerError::Senseless(
            "the best move does not begin the line of play",
        )),
    }
}

/// A text without characters that end a line or a field.
fn one_line(text: &str) -> String {
    text.replace(char::is_control, " ")
}
