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
use std::path::PathBuf;

pub(crate) use earlier::{Before, Earlier, Order, Seen, Wanted};
pub(crate) use feeder::{Feeder, Job};
pub(crate) use part::Part;
pub(crate) use reader::{PositionReader, Sink};

use crate::batch::answer::{self, Asked};
use crate::batch::estimate::{Estimate, Model};
use crate::eval::Evaluator;
use crate::formats::detect::Kind;
use crate::formats::line;
use crate::formats::obf::Problem;
use crate::rules::Bitboard;
use crate::score::Question;
use crate::text::TextError;

/// Where a line stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    /// The number of its file, the first is 0; none: standard input.
    pub(crate) file: Option<usize>,
    /// The number of the line in its file, the first is 1; of a game of several lines, the first of them. Of a WTHOR
    /// file, the number of the game.
    pub(crate) line: u64,
}

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
    /// What it calls itself, in its third field.
    pub(crate) name: Option<Box<str>>,
    /// How it is written; none: it cannot be read.
    pub(crate) form: Option<Form>,
    /// What it asks, or why it cannot be read.
    pub(crate) content: Result<Ask, TextError>,
}

/// What a line asks.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    /// The position, and what the line knows of it.
    pub(crate) problem: Problem,
    pub(crate) question: Question,
    /// The moves that it is about; `None`: all.
    pub(crate) only: Option<Bitboard>,
    /// Does the line say so itself?
    pub(crate) states_question: bool,
}

impl Place {
    /// `FILE:LINE` with the name of its file, or the line alone.
    pub(crate) fn text(self, files: &[String]) -> String {
        let file = self.file.and_then(|number| files.get(number));
        answer::place_text(file.map(String::as_str), self.line)
    }
}

impl Task {
    /// The empty squares of its board.
    pub(crate) fn empties(&self) -> Option<u32> {
        let ask = self.content.as_ref().ok()?;
        Some(ask.problem.position.board.empty_count())
    }

    /// What it is expected to cost: a line that cannot be read nothing.
    pub(crate) fn estimate(&self, evaluator: &Evaluator) -> Estimate {
        self.content.as_ref().map_or(Estimate::NONE, |ask| {
            let board = ask.problem.position.board;
            Model::embedded().estimate(evaluator, board, ask.question)
        })
    }

    /// What an answer to it has to fit. `line`: as it stands in the input.
    pub(crate) fn asked<'a>(&'a self, line: &'a [u8], files: &'a [String]) -> Asked<'a> {
        let ask = self.content.as_ref().ok();
        Asked {
            files,
            file: self.place.file,
            line: self.place.line,
            bytes: line,
            position: ask.map(|ask| ask.problem.position),
            question: ask.map(|ask| ask.question),
            only: ask.and_then(|ask| ask.only),
            name: self.name.as_deref(),
        }
    }
}

/// The names of files, as the user gave them.
pub(crate) fn names_of(files: &[PathBuf]) -> Vec<String> {
    let names = files.iter().map(|path| path.display().to_string());
    names.collect()
}

/// A text without characters that end a line or a field.
pub(crate) fn one_line(text: &str) -> String {
    text.replace(char::is_control, " ")
}
