//! What a run counts: for its progress, and to audit it afterwards.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Serialize, Serializer};

use crate::batch::answer::{Answer, Verdict};
use crate::batch::resume::Run;
use crate::threads;

/// What some answers were.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counted {
    /// How many there were of each result, in the order of the alphabet.
    pub(crate) results: BTreeMap<&'static str, u64>,
    /// Those that agree with what their lines know, and those that do not.
    agreeing: u64,
    mismatching: u64,
    /// The positions of each number of empties that came.
    pub(crate) by_empties: BTreeMap<u32, Effort>,
}

/// The positions of one number of empties.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Effort {
    empties: u32,
    /// All that were answered.
    pub(crate) lines: u64,
    /// Those that were solved for their line, not remembered.
    solved: u64,
    pub(crate) nodes: u64,
    most_nodes: u64,
    /// How many of them took at least 2^n and less than 2^(n+1) nodes, for n = 0, 1, 2..
    by_log2_nodes: Vec<u64>,
    microseconds: u64,
}

impl Counted {
    /// Counts one answer.
    pub(super) fn count(&mut self, answer: &Answer) {
        let name = match answer.is_copied() {
            true => "copied",
            false => answer.result.name(),
        };
        *self.results.entry(name).or_default() += 1;
        let is_counted = !answer.is_copied() && !answer.is_error();
        let Some(position) = answer.position.filter(|_| is_counted) else {
            return;
        };
        match answer.verdict {
            Some(Verdict::Agrees) => self.agreeing += 1,
            Some(Verdict::Mismatch(_)) => self.mismatching += 1,
            Some(Verdict::Unknown) | None => {}
        }
        let mut effort = Effort {
            lines: 1,
            ..Effort::default()
        };
        let solution = &answer.solution;
        if !solution.is_remembered {
            let nodes = solution.nodes;
            (effort.solved, effort.nodes, effort.most_nodes) = (1, nodes, nodes);
            effort.by_log2_nodes = vec![0; nodes.max(1).ilog2() as usize];
            effort.by_log2_nodes.push(1);
            effort.microseconds = solution.time.as_micros() as u64;
        }
        self.effort(position.board.empty_count()).add(&effort);
    }

    /// Adds what another thread counted.
    pub(super) fn add(&mut self, other: &Counted) {
        for (result, count) in &other.results {
            *self.results.entry(result).or_default() += count;
        }
        self.agreeing += other.agreeing;
        self.mismatching += other.mismatching;
        for (&empties, other) in &other.by_empties {
            self.effort(empties).add(other);
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

    /// Answers in all.
    pub(crate) fn answers(&self) -> u64 {
        self.results.values().sum()
    }

    pub(super) fn nodes(&self) -> u64 {
        self.by_empties.values().map(|effort| effort.nodes).sum()
    }

    /// Lines that have no result within their limits.
    pub(super) fn unsolved(&self) -> u64 {
        self.of("unsolved")
    }

    /// Was any line bad or any result wrong?
    pub(super) fn has_faults(&self) -> bool {
        self.of("error") + self.mismatching > 0
    }

    /// What `--check` found.
    pub(crate) fn check_text(&self) -> String {
        let (agreeing, mismatching, errors) = (self.agreeing, self.mismatching, self.of("error"));
        let unknown = self.answers() - agreeing - mismatching - errors;
        format!(
            "check: {agreeing} agree, {mismatching} mismatch, {unknown} unknown, {errors} errors"
        )
    }

    fn of(&self, result: &str) -> u64 {
        self.results.get(result).copied().unwrap_or_default()
    }

    fn effort(&mut self, empties: u32) -> &mut Effort {
        self.by_empties.entry(empties).or_insert_with(|| Effort {
            empties,
            ..Effort::default()
        })
    }
}

impl Effort {
    fn add(&mut self, other: &Effort) {
        self.lines += other.lines;
        self.solved += other.solved;
        self.nodes += other.nodes;
        self.most_nodes = self.most_nodes.max(other.most_nodes);
        self.microseconds += other.microseconds;
        let length = self.by_log2_nodes.len().max(other.by_log2_nodes.len());
        self.by_log2_nodes.resize(length, 0);
        for (own, other) in self.by_log2_nodes.iter_mut().zip(&other.by_log2_nodes) {
            *own += other;
        }
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
    results: &'r BTreeMap<&'static str, u64>,
    nodes: u64,
    #[serde(serialize_with = "values")]
    by_empties: &'r BTreeMap<u32, Effort>,
}

fn values<S: Serializer>(all: &BTreeMap<u32, Effort>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(all.values())
}

#[derive(Serialize)]
struct Machine {
    processor: Option<String>,
    architecture: &'static str,
    system: &'static str,
    cores: usize,
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
            cores: threads::cores().get(),
        }
    }
}

/// The counts of a run as JSON.
pub(super) fn report(
    counted: &Counted,
    run: &Run,
    threads: usize,
    time: Duration,
) -> serde_json::Result<String> {
    serde_json::to_string_pretty(&Report {
        program: &run.program,
        weights: &run.weights,
        options: &run.options,
        machine: Machine::this(),
        threads,
        seconds: time.as_secs_f64(),
        answers: counted.answers(),
        results: &counted.results,
        nodes: counted.nodes(),
        by_empties: &counted.by_empties,
    })
}
