//! `solve --estimate`: how much work the input is.

use std::collections::BTreeMap;
use std::io::{self, Write};

use anyhow::{Context, anyhow};

use super::dry_run::MOST_ERRORS;
use crate::batch::estimate::{Estimate, Model};
use crate::batch::input::{Sink, Task};
use crate::batch::run::RunOptions;
use crate::batch::shard::{Chooser, Shard};
use crate::commands::Exit;
use crate::eval::Evaluator;
use crate::logging;
use crate::rules::Position;
use crate::score::Question;
use crate::search::{Control, Goal, Limits, Outcome, SearchOptions, Searcher};

/// Estimates the lines of the input, and prints the sum.
pub(super) fn run(options: &RunOptions) -> anyhow::Result<Exit> {
    let mut sum = Sum {
        evaluator: &Evaluator::embedded(),
        chooser: options.shard.map(Shard::chooser),
        names: options.input.names(),
        lines: 0,
        faults: 0,
        extrapolated: 0,
        nodes: 0.0,
        variance: 0.0,
        by_empties: BTreeMap::new(),
    };
    let errors = options.input.read(&mut sum);
    for error in &errors {
        logging::error(error);
    }
    if sum.faults > 0 {
        logging::warning(&format!(
            "{} lines cannot be read, and count nothing",
            sum.faults
        ));
    }
    let mut out = io::stdout().lock();
    sum.write_table(&mut out)?;
    write_time(sum.nodes, options.plan.threads, &mut out)?;
    sum.write_error(options.input.question, &mut out)?;
    Ok(Exit::failed_if(!errors.is_empty() || sum.faults > 0))
}

/// The estimates of the lines so far.
struct Sum<'e> {
    evaluator: &'e Evaluator,
    chooser: Option<Chooser>,
    /// The names of the files; none: standard input.
    names: Vec<String>,
    lines: u64,
    /// Lines that cannot be read.
    faults: u64,
    /// Lines with more empties than the solves of the fit had.
    extrapolated: u64,
    nodes: f64,
    /// The variance of the sum.
    variance: f64,
    /// Lines and nodes.
    by_empties: BTreeMap<u32, (u64, f64)>,
}

impl Sink for Sum<'_> {
    fn take(&mut self, _: &[u8], task: Task) -> bool {
        let problem = match &task.problem {
            Ok(problem) => problem,
            Err(error) => {
                self.faults += 1;
                if self.faults <= MOST_ERRORS as u64 {
                    let error = format!("{}: {error}", task.place_text(&self.names));
                    logging::error(&anyhow!(error));
                }
                return true;
            }
        };
        let Estimate { nodes, variance } = task.estimate(self.evaluator);
        let chooser = self.chooser.as_mut();
        if chooser.is_some_and(|chooser| !chooser.takes(nodes as u64)) {
            return true;
        }
        self.lines += 1;
        self.nodes += nodes;
        self.variance += variance * nodes * nodes;
        let empties = problem.position.board.empty_count();
        let row = self.by_empties.entry(empties).or_default();
        *row = (row.0 + 1, row.1 + nodes);
        let curve = Model::embedded().curve(problem.question);
        self.extrapolated += u64::from(empties > curve.most_empties);
        true
    }
}

impl Sum<'_> {
    fn write_table(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "empties\tlines\tnodes")?;
        for (empties, (lines, nodes)) in &self.by_empties {
            writeln!(out, "{empties}\t{lines}\t{nodes:.3e}")?;
        }
        writeln!(out, "all\t{}\t{:.3e}", self.lines, self.nodes)
    }

    /// By how much the sum may be off.
    fn write_error(&self, question: Question, out: &mut impl Write) -> io::Result<()> {
        let curve = Model::embedded().curve(question);
        writeln!(
            out,
            "in nine of ten cases the sum is off by less than a factor of {:.1}, and a single line usually by less than {:.1} \
             (fitted to {} solves of up to {} empties)",
            sum_error(self.nodes, self.variance, curve.held_out),
            curve.error(),
            curve.solves,
            curve.most_empties
        )?;
        let lines = self.extrapolated;
        if lines > 0 {
            writeln!(
                out,
                "{lines} lines have more empties than such solves: they may take ten times less or more; solve some of them"
            )?;
        }
        Ok(())
    }
}

/// How long a search of so many nodes takes on this machine.
fn write_time(nodes: f64, threads: usize, out: &mut impl Write) -> anyhow::Result<()> {
    let solve = sample_solve()?;
    let rate = solve.nodes as f64 / solve.time.as_secs_f64().max(1e-6);
    let seconds = nodes / rate;
    writeln!(
        out,
        "{rate:.3e} nodes/s a thread here: {} of one core, {} with {threads} threads",
        time_text(seconds),
        time_text(seconds / threads as f64)
    )?;
    Ok(())
}

/// By what factor an estimated sum is off in one of ten cases: its solves scatter, and the model has missed the sum of
/// solves that it did not know.
fn sum_error(nodes: f64, variance: f64, held_out: f64) -> f64 {
    /// Nine of ten values of a normal distribution are within so many standard deviations.
    const NINE_OF_TEN: f64 = 1.645;
    let scatter = (variance / (nodes * nodes).max(1.0)).ln_1p();
    (NINE_OF_TEN * (scatter + held_out.ln().powi(2)).sqrt()).exp()
}

/// Seconds in words: hours where there are several.
fn time_text(seconds: f64) -> String {
    if seconds < 7200.0 {
        format!("{seconds:.1} seconds")
    } else {
        format!("{:.1} hours", seconds / 3600.0)
    }
}

/// A solve of some tenths of a second: in a shorter one the start of the tables would weigh.
fn sample_solve() -> anyhow::Result<Outcome> {
    /// Black to move, 22 empties.
    const POSITION: &str = "----------------OO-----XXXXXX-OXXXXXXOOXOOXOOXOXOOOOOOXXXXXXXXXX X";
    let position: Position = POSITION.parse().context("a position of the program")?;
    let options = SearchOptions {
        threads: 1,
        hash_mb: 16,
    };
    let mut searcher = Searcher::new(Evaluator::embedded(), options)?;
    let limits = Limits {
        goal: Goal::EXACT,
        ..Limits::default()
    };
    Ok(searcher.search(position.board, &limits, &Control::new(), &mut |_| {}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_measured_on_enough_nodes() {
        let outcome = sample_solve().expect("a small table");
        assert!(outcome.nodes > 1_000_000, "{} nodes", outcome.nodes);
    }
}
