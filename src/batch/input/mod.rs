//! The lines of an input, from files or standard input into the queue.
//!
//! A [`PositionReader`] finds the positions of any files, and hands each as a [`Task`] to a [`Sink`]. The sink of a run is
//! the [`Feeder`]: it leaves out what another run does or has done ([`Part`]), and checks the answers of earlier runs
//! against their lines ([`Earlier`], [`Before`]).

mod earlier;
mod feeder;
mod part;
mod reader;

use std::fmt;

pub(crate) use earlier::{Before, Earlier, Seen, Wanted};
pub(crate) use feeder::Feeder;
pub(crate) use part::Part;
pub(crate) use reader::{PositionReader, Sink};

use crate::batch::answer::{self, Answer, InputLine};
use crate::batch::estimate::{Estimate, Model};
use crate::batch::problem::{Place, Problem};
use crate::eval::Evaluator;
use crate::formats::detect::Kind;
use crate::formats::line;
use crate::formats::obf;
use crate::pool::queue::Weigh;
use crate::text::TextError;

/// How a position is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    /// A line of boards or moves.
    Line(line::LineForm),
    Ggf,
    Script,
    /// A game of a file of this kind.
    Game(Kind),
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Form::Line(form) => form.fmt(f),
            Form::Ggf => f.write_str("lines of GGF"),
            Form::Script => f.write_str("boards of scripts"),
            Form::Game(kind) => write!(f, "games of {kind}"),
        }
    }
}

/// A line that has an answer.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    pub(crate) place: Place,
    /// How it is written; none: it cannot be read.
    pub(crate) form: Option<Form>,
    /// What it asks, or why it cannot be read.
    pub(crate) problem: Result<Problem, TextError>,
    /// What it knows of the position.
    pub(crate) known: Option<obf::Problem>,
    /// Does it say the question itself?
    pub(crate) states_question: bool,
    /// Its answer, if there is nothing to solve: that of an earlier run, or the error.
    pub(crate) answer: Option<Box<Answer>>,
    /// An answer of the output that is to be made anew.
    pub(crate) replaces: Option<Replaced>,
}

/// An answer that an output has already, and that lacks something.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Replaced {
    /// The number of the answer, the first is 1.
    pub(crate) number: u64,
    /// Is it a result, whose proof alone is not there?
    pub(crate) is_solved: bool,
}

impl Weigh for Task {
    fn weight(&self) -> u64 {
        match (&self.problem, &self.answer) {
            (Ok(problem), None) => Model::weight(problem.position.board, problem.question),
            _ => 1,
        }
    }
}

impl Task {
    /// `FILE:LINE` with the name of its file, or the line alone.
    pub(crate) fn place_text(&self, files: &[String]) -> String {
        let file = self.place.file.and_then(|number| files.get(number));
        answer::place_text(file.map(String::as_str), self.place.line)
    }

    /// The empty squares of its board.
    pub(crate) fn empties(&self) -> Option<u32> {
        let problem = self.problem.as_ref().ok()?;
        Some(problem.position.board.empty_count())
    }

    /// What it is expected to cost: a line that cannot be read nothing.
    pub(crate) fn estimate(&self, evaluator: &Evaluator) -> Estimate {
        self.problem.as_ref().map_or(Estimate::NONE, |problem| {
            let board = problem.position.board;
            Model::embedded().estimate(evaluator, board, problem.question)
        })
    }

    /// What an answer to it has to fit. `bytes`: as it stands in the input.
    pub(crate) fn line<'a>(&'a self, bytes: &'a [u8], files: &'a [String]) -> InputLine<'a> {
        InputLine {
            files,
            place: self.place,
            bytes,
            problem: self.problem.as_ref().ok(),
        }
    }
}
