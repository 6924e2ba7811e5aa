//! What a run counts: for its progress, and to audit it afterwards.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::HumanDuration;
use serde::{Serialize, Serializer};

use super::answer::{Answer, Content};
use super::check::Tally;
use super::outlook::Outlook;
use crate::batch::resume::Run;

/// Time between two lines of progress where nobody watches.
const LINE_INTERVAL: Duration = Duration::from_secs(60);

/// Time between two changes of the line on a terminal.
const SHOW_INTERVAL: Duration = Duration::from_millis(200);

/// What some answers were.
#[derive(Clone, Debug, Default)]
pub(super) struct Counted {
    pub(super) tally: Tally,
    results: Results,
    /// Of each number of empties that came.
    by_empties: Vec<Effort>,
}

/// Names of results, in the order of the alphabet.
const RESULTS: [&str; 8] = [
    "copied", "draw", "error", "loss", "proven", "refuted", "unsolved", "win",
];

/// How many answers there were of each result.
#[derive(Clone, Debug, Default)]
struct Results([u64; RESULTS.len()]);

impl Results {
    fn add(&mut self, name: &str, count: u64) {
        if let Some(place) = RESULTS.iter().position(|result| *result == name) {
            self.0[place] += count;
        }
    }

    /// Those that came, with their names.
    fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let all = RESULTS.into_iter().zip(self.0);
        all.filter(|&(_, count)| count > 0)
    }
}

impl Serialize for Results {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

/// The positions of one number of empties.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Effort {
    pub(super) empties: u32,
    /// All that were answered.
    pub(super) lines: u64,
    /// Those that were solved for their line, not remembered.
    solved: u64,
    pub(super) nodes: u64,
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
            Content::Fault(..) => return self.results.add("error", 1),
            Content::Copied(_) => return self.results.add("copied", 1),
        };
        self.results.add(solved.result().name(), 1);
        let effort = self.effort(solved.position.board.empty_count());
        effort.lines += 1;
        if !solved.is_fresh {
            return;
        }
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
    pub(super) fn add(&mut self, other: &Counted) {
        self.tally.add(&other.tally);
        for (result, count) in other.results.iter() {
            self.results.add(result, count);
        }
        for other in &other.by_empties {
            let own = self.effort(other.empties);
            own.lines += other.lines;
            own.solved += other.solved;
            own.nodes += other.nodes;
            own.most_nodes = own.most_nodes.max(other.most_nodes);
            own.microseconds += other.microseconds;
            let length = own.by_log2_nodes.len().max(other.by_log2_nodes.len());
            own.by_log2_nodes.resize(length, 0);
            for (own, other) in own.by_log2_nodes.iter_mut().zip(&other.by_log2_nodes) {
                *own += other;
            }
        }
    }

    /// Of so many lines of these empties, which took so many nodes in all.
    #[cfg(test)]
    pub(super) fn of_efforts(efforts: &[(u32, u64, u64)]) -> Counted {
        let mut counted = Counted::default();
        for &(empties, lines, nodes) in efforts {
            let effort = counted.effort(empties);
            (effort.lines, effort.nodes) = (lines, nodes);
        }
        counted
    }

    /// What was counted of each number of empties that came.
    pub(super) fn efforts(&self) -> &[Effort] {
        &self.by_empties
    }

    pub(super) fn nodes(&self) -> u64 {
        self.by_empties.iter().map(|effort| effort.nodes).sum()
    }

    fn effort(&mut self, empties: u32) -> &mut Effort {
        let mut efforts = self.by_empties.iter();
        let place = efforts.position(|effort| effort.empties == empties);
        let place = place.unwrap_or_else(|| {
            self.by_empties.push(Effort {
                empties,
                ..Effort::default()
            });
            self.by_empties.len() - 1
        });
        &mut self.by_empties[place]
    }
}

/// Enough to reproduce and to audit a run.
#[derive(Serialize)]
struct Report<'r> {
    program: &'r str,
    weights: &'r str,
    options: &'r BTreeMap<String, String>,
    machine: Machine,
    threads: usize,
    seconds: f64,
    answers: u64,
    results: &'r Results,
    nodes: u64,
    by_empties: &'r [Effort],
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
    counted.by_empties.sort_by_key(|effort| effort.empties);
    serde_json::to_string_pretty(&Report {
        program: &run.program,
        weights: &run.weights,
        options: &run.options,
        machine: Machine::this(),
        threads,
        seconds: time.as_secs_f64(),
        answers: counted.tally.answers(),
        results: &counted.results,
        nodes: counted.nodes(),
        by_empties: &counted.by_empties,
    })
}

/// Progress on standard error: a line that changes on a terminal, else a line a minute.
pub(super) struct ProgressLine {
    start: Instant,
    last: Instant,
    is_terminal: bool,
    is_hidden: bool,
    shown: bool,
    /// How much there is to do, where that can be known.
    outlook: Option<Outlook>,
}

impl ProgressLine {
    /// Hidden where the answers are seen on the same terminal.
    pub(super) fn new(answers_are_seen: bool, outlook: Option<Outlook>) -> ProgressLine {
        let is_terminal = io::stderr().is_terminal();
        ProgressLine {
            start: Instant::now(),
            last: Instant::now(),
            is_terminal,
            is_hidden: is_terminal && answers_are_seen,
            shown: false,
            outlook,
        }
    }

    /// Shows how far the run is, if it is time to.
    pub(super) fn update(&mut self, counted: &Counted) {
        let interval = if self.is_terminal {
            SHOW_INTERVAL
        } else {
            LINE_INTERVAL
        };
        let elapsed = self.start.elapsed();
        if self.is_hidden {
            return;
        }
        // Before the first line is shown, so that it has a total.
        if let Some(outlook) = &mut self.outlook {
            outlook.begin(elapsed);
        }
        if self.last.elapsed() < interval {
            return;
        }
        self.last = Instant::now();
        self.shown = true;
        let outlook = self.outlook.as_ref();
        let line = Line {
            counted,
            elapsed,
            total: outlook.and_then(Outlook::lines),
            left: outlook.and_then(|outlook| outlook.time_left(counted, elapsed)),
        };
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

/// How far a run is after some time, and how much it will still take.
struct Line<'c> {
    counted: &'c Counted,
    elapsed: Duration,
    /// The answers that the run has to give.
    total: Option<u64>,
    left: Option<Duration>,
}

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let &Line {
            counted,
            elapsed,
            total,
            left,
        } = self;
        let seconds = elapsed.as_secs_f64();
        let answers = counted.tally.answers();
        let rate = answers as f64 / seconds.max(1e-3);
        write!(f, "{answers} ")?;
        if let Some(total) = total {
            // Never 100% before all are there.
            let percent = 100 * answers.min(total) / total.max(1);
            write!(f, "of {total} answers ({percent}%)")?;
        } else {
            write!(f, "answers")?;
        }
        write!(f, ", {rate:.1}/s, {seconds:.0} s")?;
        for (result, count) in counted.results.iter() {
            write!(f, ", {count} {result}")?;
        }
        match (left, total) {
            (Some(left), _) => write!(f, ", about {} left", HumanDuration(left)),
            (None, Some(_)) => write!(f, ", time left not yet known"),
            (None, None) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_says_what_was_done() {
        let mut counted = Counted::default();
        counted.results.add("win", 3);
        counted.results.add("unsolved", 1);
        let line = |total, left| {
            let elapsed = Duration::from_secs(2);
            let counted = &counted;
            let line = Line {
                counted,
                elapsed,
                total,
                left,
            };
            line.to_string()
        };
        assert_eq!(line(None, None), "0 answers, 0.0/s, 2 s, 1 unsolved, 3 win");
        let unknown =
            "0 of 40 answers (0%), 0.0/s, 2 s, 1 unsolved, 3 win, time left not yet known";
        assert_eq!(line(Some(40), None), unknown);
        let hours = line(Some(40), Some(Duration::from_secs(7300)));
        assert!(hours.ends_with("3 win, about 2 hours left"), "{hours}");
    }
}
