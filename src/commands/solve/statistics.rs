//! What a run counts: for its progress, and to audit it afterwards.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use serde::Serialize;

use super::answer::{Answer, Content};
use super::check::Tally;
use crate::batch::resume::Run;

/// Time between two lines of progress where nobody watches.
const LINE_INTERVAL: Duration = Duration::from_secs(60);

/// Time between two changes of the line on a terminal.
const SHOW_INTERVAL: Duration = Duration::from_millis(200);

/// Numbers of empties are 0..=60.
const ROWS: usize = 65;

/// What some answers were.
#[derive(Clone, Debug, Default)]
pub(super) struct Counted {
    pub(super) tally: Tally,
    results: BTreeMap<&'static str, u64>,
    by_empties: Vec<Effort>,
}

/// The solves of one number of empties.
#[derive(Clone, Debug, Default, Serialize)]
struct Effort {
    empties: usize,
    /// Positions that were solved for their line, not remembered.
    solved: u64,
    nodes: u64,
    most_nodes: u64,
    /// How many of them took at least 2^n and less than 2^(n+1) nodes, for n = 0, 1, 2..
    by_log2_nodes: Vec<u64>,
    microseconds: u64,
}

impl Counted {
    /// Counts one answer.
    pub(super) fn count(&mut self, answer: &Answer) {
        self.tally.count(answer);
        let solved = match &answer.content {
            Content::Solved(solved) => solved,
            Content::Fault(_) => return *self.results.entry("error").or_default() += 1,
            Content::Copied(_) => return *self.results.entry("copied").or_default() += 1,
        };
        *self.results.entry(solved.result()).or_default() += 1;
        if !solved.is_fresh {
            return;
        }
        self.by_empties.resize_with(ROWS, Effort::default);
        let effort = &mut self.by_empties[solved.position.board.empty_count() as usize];
        let nodes = solved.finding.nodes;
        effort.solved += 1;
        effort.nodes += nodes;
        effort.most_nodes = effort.most_nodes.max(nodes);
        effort.microseconds += solved.time.as_micros() as u64;
        let log2 = nodes.max(1).ilog2() as usize;
        if effort.by_log2_nodes.len() <= log2 {
            effort.by_log2_nodes.resize(log2 + 1, 0);
        }
        effort.by_log2_nodes[log2] += 1;
    }

    /// Adds what another thread counted.
    pub(super) fn add(&mut self, other: Counted) {
        self.tally.add(&other.tally);
        for (result, count) in other.results {
            *self.results.entry(result).or_default() += count;
        }
        self.by_empties.resize_with(ROWS, Effort::default);
        for (own, other) in self.by_empties.iter_mut().zip(other.by_empties) {
            own.solved += other.solved;
            own.nodes += other.nodes;
            own.most_nodes = own.most_nodes.max(other.most_nodes);
            own.microseconds += other.microseconds;
            let length = own.by_log2_nodes.len().max(other.by_log2_nodes.len());
            own.by_log2_nodes.resize(length, 0);
            for (own, other) in own.by_log2_nodes.iter_mut().zip(other.by_log2_nodes) {
                *own += other;
            }
        }
    }

    fn nodes(&self) -> u64 {
        self.by_empties.iter().map(|effort| effort.nodes).sum()
    }
}

/// Enough to reproduce and to audit a run.
#[derive(Serialize)]
struct Report<'r> {
    #[serde(flatten)]
    run: &'r Run,
    machine: Machine,
    threads: usize,
    seconds: f64,
    answers: u64,
    results: &'r BTreeMap<&'static str, u64>,
    nodes: u64,
    by_empties: Vec<&'r Effort>,
}

#[derive(Serialize)]
struct Machine {
    processor: Option<String>,
    architecture: &'static str,
    system: &'static str,
    cores: Option<usize>,
}

impl Machine {
    fn this() -> Machine {
        let processors = std::fs::read_to_string("/proc/cpuinfo").ok();
        let model = processors.as_deref().and_then(|text| {
            let line = text.lines().find(|line| line.starts_with("model name"))?;
            Some(line.split_once(':')?.1.trim().to_owned())
        });
        Machine {
            processor: model,
            architecture: std::env::consts::ARCH,
            system: std::env::consts::OS,
            cores: std::thread::available_parallelism()
                .ok()
                .map(std::num::NonZero::get),
        }
    }
}

/// The counts of a run as JSON.
pub(super) fn report(
    counted: &mut Counted,
    run: &Run,
    threads: usize,
    time: Duration,
) -> serde_json::Result<String> {
    for (effort, empties) in counted.by_empties.iter_mut().zip(0..) {
        effort.empties = empties;
    }
    let efforts = counted.by_empties.iter();
    serde_json::to_string_pretty(&Report {
        run,
        machine: Machine::this(),
        threads,
        seconds: time.as_secs_f64(),
        answers: counted.tally.answers(),
        results: &counted.results,
        nodes: counted.nodes(),
        by_empties: efforts.filter(|effort| effort.solved > 0).collect(),
    })
}

/// Progress on standard error: a line that changes on a terminal, else a line a minute.
pub(super) struct ProgressLine {
    start: Instant,
    last: Instant,
    is_terminal: bool,
    is_hidden: bool,
    shown: bool,
}

impl ProgressLine {
    /// Hidden where the answers are seen on the same terminal.
    pub(super) fn new(answers_are_seen: bool) -> ProgressLine {
        let is_terminal = io::stderr().is_terminal();
        ProgressLine {
            start: Instant::now(),
            last: Instant::now(),
            is_terminal,
            is_hidden: is_terminal && answers_are_seen,
            shown: false,
        }
    }

    /// Shows how far the run is, if it is time to.
    pub(super) fn update(&mut self, counted: &Counted) {
        let interval = if self.is_terminal {
            SHOW_INTERVAL
        } else {
            LINE_INTERVAL
        };
        if self.is_hidden || self.last.elapsed() < interval {
            return;
        }
        self.last = Instant::now();
        self.shown = true;
        let line = Line(counted, self.start.elapsed());
        let (before, after) = if self.is_terminal {
            ("\r", "\x1b[K")
        } else {
            ("", "\n")
        };
        // Standard error may be closed; then there is no place for a message.
        let _ = write!(io::stderr(), "{before}{line}{after}");
    }

    /// Takes the line off the terminal.
    pub(super) fn end(&self) {
        if self.shown && self.is_terminal {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

/// How far a run is after some time.
struct Line<'c>(&'c Counted, Duration);

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Line(counted, time) = self;
        let seconds = time.as_secs_f64();
        let answers = counted.tally.answers();
        let rate = answers as f64 / seconds.max(1e-3);
        write!(f, "{answers} answers, {rate:.1}/s, {:.0} s", seconds)?;
        for (result, count) in &counted.results {
            write!(f, ", {count} {result}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_says_what_was_done() {
        let mut counted = Counted::default();
        counted.results.insert("win", 3);
        counted.results.insert("unsolved", 1);
        let line = Line(&counted, Duration::from_secs(2)).to_string();
        assert_eq!(line, "0 answers, 0.0/s, 2 s, 1 unsolved, 3 win");
    }
}
