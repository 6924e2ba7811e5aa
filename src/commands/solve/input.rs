//! Reading the positions of `solve`: files one after the other, or standard input.

use std::io::{self, BufRead};
use std::path::PathBuf;

use super::answer::{Answer, Fault};
use super::queue::{Queue, Weigh};
use crate::formats::obf::{self, Problem};
use crate::text::{Lines, open};

/// From so many empties on, a position is worth all threads.
const TEAM_EMPTIES: u32 = 19;

/// A line to solve.
#[derive(Debug)]
pub(super) struct Task {
    /// Its number in the input, counted through all files; the first is 1.
    pub(super) line: u64,
    /// What it holds.
    pub(super) problem: Problem,
}

impl Weigh for Task {
    fn is_hard(&self) -> bool {
        self.problem.position.board.empty_count() >= TEAM_EMPTIES
    }
}

/// Reads `files`, or standard input if there is none, into the queue, and ends it.
/// Answers whether all could be read; what could not is logged.
pub(super) fn read_into(queue: &Queue<Task, Answer>, files: &[PathBuf]) -> bool {
    let mut lines_before = 0;
    let mut well = true;
    let mut read = |name: &str, input: io::Result<Box<dyn BufRead>>| {
        let result = input.and_then(|input| read_lines(queue, input, &mut lines_before));
        if let Err(error) = result {
            log::error!("cannot read {name}: {error}");
            well = false;
        }
    };
    if files.is_empty() {
        read("standard input", Ok(Box::new(io::stdin().lock())));
    }
    for path in files {
        read(&path.display().to_string(), open(path));
    }
    queue.end();
    well
}

/// Queues what the lines hold. `lines_before` is the number of lines read so far, and is kept up.
fn read_lines(
    queue: &Queue<Task, Answer>,
    input: impl BufRead,
    lines_before: &mut u64,
) -> io::Result<()> {
    let mut lines = Lines::new(input);
    while let Some(read) = lines.next_line()? {
        *lines_before += 1;
        let line = *lines_before;
        match read.text().and_then(obf::parse_line) {
            Ok(Some(problem)) => queue.push(Task { line, problem }),
            Ok(None) => {}
            Err(error) => queue.push_answer(Answer::fault(line, Fault::Syntax(error))),
        }
    }
    Ok(())
}
