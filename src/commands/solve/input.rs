//! Reading the positions of `solve`: files one after the other, or standard input.

use std::io::{self, BufRead};
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::answer::{Answer, Fault, Place};
use super::queue::{Queue, Weigh};
use crate::formats::obf::{self, ParseLine, Problem};
use crate::text::{Lines, open};

/// From this many empties on, a position is worth all threads.
const TEAM_EMPTIES: u32 = 19;

/// A line to solve.
#[derive(Debug)]
pub(super) struct Task {
    /// Where it is.
    pub(super) line: Place,
    /// What it holds.
    pub(super) problem: Problem,
}

impl Weigh for Task {
    fn is_hard(&self) -> bool {
        self.problem.position.board.empty_count() >= TEAM_EMPTIES
    }
}

/// Reads `files`, or standard input if there is none, into the queue, and ends it.
/// Returns why files could not be read: those that can be read are read all the same.
pub(super) fn read_into(queue: &Queue<Task, Answer>, files: &[PathBuf]) -> Vec<anyhow::Error> {
    let mut errors = Vec::new();
    if files.is_empty() {
        let read = read_lines(queue, io::stdin().lock(), None, obf::parse_line);
        errors.extend(read.context("cannot read standard input").err());
    }
    for (number, path) in files.iter().enumerate() {
        errors.extend(read_file(queue, number, path).err());
    }
    queue.end();
    errors
}

fn read_file(queue: &Queue<Task, Answer>, number: usize, path: &Path) -> anyhow::Result<()> {
    let name = path.display();
    let file = open(path).with_context(|| format!("cannot open {name}"))?;
    read_lines(queue, file, Some(number), obf::reader_of(path))
        .with_context(|| format!("cannot read {name}"))
}

/// Queues what the lines hold.
fn read_lines(
    queue: &Queue<Task, Answer>,
    input: impl BufRead,
    file: Option<usize>,
    parse: ParseLine,
) -> io::Result<()> {
    let mut lines = Lines::new(input);
    while let Some(read) = lines.next_line()? {
        let line = Place {
            file,
            line: read.number,
        };
        match read.text().and_then(parse) {
            Ok(Some(problem)) => queue.push(Task { line, problem }),
            Ok(None) => {}
            Err(error) => queue.push_answer(Answer::fault(line, Fault::Syntax(error))),
        }
    }
    Ok(())
}
