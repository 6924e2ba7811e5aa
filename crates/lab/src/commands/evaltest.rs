//! `emilia-lab evaltest`: estimates against exact scores.

use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use clap::Args;

use crate::training::{Sample, sample};
use emilia::commands::Exit;
use emilia::commands::files;
use emilia::formats::obf::{self, Problem};
use emilia::rules::{Board, Color, Move, Position};
use emilia::score::Score;
use emilia::search::{Control, Limits, SearchOptions, Searcher, Selectivity, parse_hash_mb};
use emilia::text::read_all;

/// The arguments of `emilia-lab evaltest`.
#[derive(Args, Debug)]
pub struct Arguments {
    /// Plies to search; 0: the static evaluation
    #[arg(long, default_value_t = 0)]
    depth: u32,
    /// How much the search may prune: nothing at 100; at 73, 87, 95, 98 and 99 about 9, 3, 1.4, 0.5
    /// and 0.2 percent of the cuts are wrong
    #[arg(long, default_value = "100", value_parser = selectivity)]
    selectivity: Selectivity,
    /// Take one position in N
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    every: u64,
    /// Weights instead of the embedded ones
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// Threads of the search
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=SearchOptions::MAX_THREADS as i64))]
    threads: u16,
    /// Memory of the hash table in MB
    #[arg(long, value_name = "MB", default_value_t = 64, value_parser = parse_hash_mb)]
    hash: usize,
    /// OBF files of positions with exact scores (`.gz` is unpacked), or samples of `emilia-lab dataset`
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

fn selectivity(text: &str) -> Result<Selectivity, String> {
    let level = text.parse().ok().and_then(Selectivity::from_percent);
    level.ok_or_else(|| "expected 73, 87, 95, 98, 99 or 100".to_owned())
}

/// Sums over positions.
#[derive(Clone, Copy, Default)]
struct ErrorTally {
    positions: u64,
    error: f64,
    absolute: f64,
    square: f64,
    within: [u64; WITHIN.len()],
    /// Positions whose every move has a known score, and those of them where a best one was found.
    listed: u64,
    best: u64,
    nodes: u64,
}

/// Errors, in discs, up to which positions are counted.
const WITHIN: [f64; 3] = [3.0, 6.0, 9.0];

impl ErrorTally {
    /// Adds a position: its exact score, the estimate of it, and the move that seems best.
    fn add(&mut self, problem: &Problem, exact: i32, score: Score, best: Option<Move>) {
        let error = score.to_f64() - f64::from(exact);
        self.positions += 1;
        self.error += error;
        self.absolute += error.abs();
        self.square += error * error;
        for (count, limit) in self.within.iter_mut().zip(WITHIN) {
            *count += u64::from(error.abs() <= limit);
        }
        if let Some(score) = best.and_then(|best| problem.move_score(best)) {
            self.listed += 1;
            self.best += u64::from(score == exact);
        }
    }
}

/// Searches every position and prints one line of errors for each file.
///
/// # Errors
/// If a file cannot be read, or holds a position without a known score.
pub fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let evaluator = files::evaluator(arguments.weights.as_deref())?;
    let options = SearchOptions {
        threads: arguments.threads.into(),
        hash_mb: arguments.hash,
    };
    let mut searcher = Searcher::new(evaluator, options)?;
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "positions\tmae\trmse\tbias\twithin 3\twithin 6\twithin 9\tbest\tnodes\tseconds\tfile"
    )?;
    for path in &arguments.files {
        let problems = read_problems(path)?;
        let start = Instant::now();
        let mut tally = ErrorTally::default();
        for problem in problems.iter().step_by(arguments.every as usize) {
            let exact = problem.score();
            let exact = exact.with_context(|| format!("no score: {problem}"))?;
            let (score, best, nodes) = estimate(arguments, &mut searcher, problem.position.board);
            tally.add(problem, exact, score, best);
            tally.nodes += nodes;
        }
        ensure!(tally.positions > 0, "no positions in {}", path.display());
        writeln!(out, "{}\t{}", row(&tally, start.elapsed()), path.display())?;
        out.flush()?;
    }
    Ok(Exit::SUCCESS)
}

/// The positions of an OBF file or of a file of samples.
fn read_problems(path: &Path) -> anyhow::Result<Vec<Problem>> {
    let mut file = files::open(path)?;
    if (sample::KIND.is)(file.fill_buf()?) {
        let samples = super::read_samples(&[path])?;
        return Ok(samples.iter().map(problem_of).collect());
    }
    read_all(file, obf::parse_line).with_context(|| format!("cannot read {}", path.display()))
}

/// A sample's board, black to move, and its score in whole discs.
fn problem_of(sample: &Sample) -> Problem {
    let (board, side) = (sample.board, Color::Black);
    let mut problem = Problem::new(Position { board, side });
    problem.value = Some(sample.score.round() as i32); // at most 64
    problem
}

/// The estimate of a board, the best move where it was searched, and the nodes of the search.
fn estimate(
    arguments: &Arguments,
    searcher: &mut Searcher,
    board: Board,
) -> (Score, Option<Move>, u64) {
    if arguments.depth == 0 {
        return (searcher.evaluator().evaluate(board), None, 0);
    }
    let limits = Limits {
        depth: Some(arguments.depth),
        selectivity: arguments.selectivity,
        ..Limits::default()
    };
    searcher.forget();
    let outcome = searcher.search(board, &limits, &Control::new(), &mut |_| {});
    let score = outcome.lines.first().map_or(Score::DRAW, |line| line.score);
    (score, outcome.best, outcome.nodes)
}

/// The columns before the file's name.
fn row(tally: &ErrorTally, time: Duration) -> String {
    let positions = tally.positions as f64;
    let percent = |count: u64, of: u64| match of {
        0 => "-".to_owned(),
        _ => format!("{:.1}%", 100.0 * count as f64 / of as f64),
    };
    let [mae, bias] = [tally.absolute, tally.error].map(|sum| sum / positions);
    let rmse = (tally.square / positions).sqrt();
    let [three, six, nine] = tally.within.map(|count| percent(count, tally.positions));
    let best = percent(tally.best, tally.listed);
    let (nodes, seconds) = (tally.nodes, time.as_secs_f64());
    format!(
        "{}\t{mae:.3}\t{rmse:.3}\t{bias:+.3}\t{three}\t{six}\t{nine}\t{best}\t{nodes}\t{seconds:.2}",
        tally.positions
    )
}
