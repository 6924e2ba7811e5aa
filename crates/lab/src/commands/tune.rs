//! `emilia-lab tune`: what searches are off the final score, and the model of Multi-ProbCut, from the engine's own searches.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::ensure;
use clap::Args;

use crate::training::tune::Pair;
use crate::training::tune::check::{LevelTally, check};
use crate::training::tune::fit::fit;
use crate::training::tune::growth::growth;
use crate::training::tune::report;
use crate::training::tune::study::{Study, draw, study};
use emilia::commands::Exit;
use emilia::commands::files::{self, MaybeOutput};
use emilia::commands::progress::Progress;
use emilia::eval::probcut::Horizon;
use emilia::eval::{BIASES, Evaluator, ProbCut, Scale, Weights};
use emilia::files::{FileKind, UsedFiles};
use emilia::formats::corpus::SourceGame;
use emilia::random::SplitMix64;
use emilia::rules::Board;
use emilia::search::selectivity::{MIN_DEPTH_END, probe_depth};

/// Empties of the positions whose searches are compared with deeper searches.
const MIDGAME_EMPTIES: std::ops::RangeInclusive<u32> = 14..=50;

/// Plies of the deepest search of those positions that are checked.
const CHECKED_DEPTHS: std::ops::RangeInclusive<u32> = 6..=10;

/// Empties of the checked positions whose final score is found.
const CHECKED_EMPTIES: std::ops::RangeInclusive<u32> = 14..=17;

/// Deepest probe before a final score.
const DEEPEST_END_PROBE: u32 = 8;

/// Deepest search by which estimates are scaled.
const SCALED_DEPTH: u32 = 10;

/// Fewest empties where estimates are shifted. With fewer, no search of use ends.
const FEWEST_SHIFTED: u32 = 8;

/// Fewest empties at the end of the searches by which estimates are scaled.
const FEWEST_SCALED: u32 = 10;

/// Numbers of empties over which one shift becomes the other, on either side of the most of a position to solve: a step would
/// be an error between searches that end on either side of it.
const FADING: u32 = 3;

/// One in this many positions is searched [`DEEPER`] plies deeper than the others.
const DEEPER_ONE_OF: usize = 8;

/// Plies deeper.
const DEEPER: u32 = 2;

/// The arguments of `emilia-lab tune`.
#[derive(Args, Debug)]
pub struct Arguments {
    /// Weights to search with [default: the embedded ones]
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// Where to write these weights, shifted, with the fitted model; without it both are only printed
    #[arg(long, value_name = "FILE", conflicts_with = "check")]
    output: Option<PathBuf>,
    /// Where to write each measured error: probe, depth or `end`, empties, discs
    #[arg(long, value_name = "FILE", conflicts_with = "check")]
    pairs: Option<PathBuf>,
    /// Only scale the estimates: shift none, and leave the model as it is
    #[arg(long, conflicts_with_all = ["check", "pairs"])]
    only_scale: bool,
    /// Fit nothing: count how often a cut by the model of the weights would be wrong, on
    /// positions of games that the fit leaves out
    #[arg(long)]
    check: bool,
    /// Positions to search, and positions to solve [default: 2500, with --check 5100]
    #[arg(long, value_name = "N", value_parser = emilia::commands::at_least_one)]
    positions: Option<NonZeroUsize>,
    /// Plies of the deepest search of most positions
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(4..=20), conflicts_with = "check")]
    depth: u32,
    /// Most empties of a position to solve
    #[arg(long, value_name = "EMPTIES", default_value_t = 21, value_parser = clap::value_parser!(u32).range(14..=30), conflicts_with = "check")]
    solve: u32,
    /// Seed of the draw of games and positions
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Threads, each of which searches positions of its own [default: all cores]
    #[arg(long, value_name = "N", value_parser = emilia::commands::at_least_one)]
    threads: Option<NonZeroUsize>,
    /// Games, as `emilia-lab dataset` reads them
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

/// Searches positions of the games, scales and shifts the estimates by what the searches are off the final score, searches
/// again, fits the model, prints it beside the errors found, and writes the weights; or checks the
/// levels of selectivity.
///
/// # Errors
/// If a file cannot be read or written, or the games have no position to search.
pub fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let used = &mut UsedFiles::reading(arguments.files.iter().chain(&arguments.weights));
    let weights_file = MaybeOutput::open(used, arguments.output.as_ref(), Weights::KIND)?;
    let pairs_file = MaybeOutput::open(used, arguments.pairs.as_ref(), PAIRS)?;
    let weights = files::weights(arguments.weights.as_deref())?;
    let evaluator = Arc::new(Evaluator::new(&weights));
    let pool = files::working_pool(arguments.threads)?;
    let games = games(arguments)?;
    pool.install(|| {
        if arguments.check {
            return check_levels(arguments, &games, &evaluator);
        }
        let (weights, pairs, report) = fit_model(arguments, &games, weights, &evaluator)?;
        // Each is written also if another fails.
        let pairs_written = pairs_file.write(|file| write_pairs(file, &pairs));
        let weights_written = weights_file.write(|file| file.write_all(&weights.to_bytes()));
        io::stdout().write_all(report.as_bytes())?;
        weights_written?;
        pairs_written?;
        Ok(Exit::SUCCESS)
    })
}

/// What `--pairs` writes: see [`write_pairs`].
const PAIRS: FileKind = FileKind {
    name: "a table of errors",
    is: |head| {
        let fields = |line: &[u8]| line.split(|&byte| byte == b'\t').count();
        let first = head.split(|&byte| byte == b'\n').next();
        head[0].is_ascii_digit() && first.is_some_and(|line| fields(line) == 4)
    },
};

/// The games to fit, or those to check: two halves, split by the seed.
fn games(arguments: &Arguments) -> anyhow::Result<Vec<SourceGame>> {
    let mut random = SplitMix64::new(arguments.seed);
    let mut games = files::read_games(&arguments.files)?;
    games.retain(|_| (random.below(2) == 1) == arguments.check);
    Ok(games)
}

/// The fitted weights, the errors that they were fitted to, and what there is to say about both.
fn fit_model(
    arguments: &Arguments,
    games: &[SourceGame],
    mut weights: Weights,
    evaluator: &Arc<Evaluator>,
) -> anyhow::Result<(Weights, Vec<Pair>, String)> {
    let count = arguments.positions.map_or(2500, NonZeroUsize::get);
    let seed = arguments.seed;
    let midgame = draw(games, count, MIDGAME_EMPTIES, seed);
    let end = draw(games, count, MIN_DEPTH_END..=arguments.solve, seed + 1);
    let depths = |number: usize| {
        let is_deeper = number.is_multiple_of(DEEPER_ONE_OF);
        arguments.depth + DEEPER * u32::from(is_deeper)
    };
    let solved = watch(&end, evaluator, true, |_| SCALED_DEPTH)?;
    let growth = growth(&solved, FEWEST_SCALED);
    weights.model.scale = Scale::new(weights.model.scale.factor() * growth);
    let scaled = format!("scaled {growth:.4}\n");
    if arguments.only_scale {
        return Ok((weights, Vec::new(), scaled));
    }
    let evaluator = Arc::new(Evaluator::new(&weights));
    let unshifted = watch(&midgame, &evaluator, false, depths)?;
    let grown = |study: &Study| study.grown(growth, DEEPEST_END_PROBE).pairs();
    let grown: Vec<Pair> = solved.iter().flat_map(grown).collect();
    let shifts = shifts(&grown, &unshifted, arguments.solve);
    for &(empties, discs) in &shifts {
        weights.shift(empties, discs);
    }
    let evaluator = Arc::new(Evaluator::new(&weights));
    let mut studies = watch(&midgame, &evaluator, false, depths)?;
    let mut again = watch(&end, &evaluator, false, |_| DEEPEST_END_PROBE)?;
    // The final scores are what they were.
    let solved = again.iter_mut().zip(solved);
    solved.for_each(|(study, solved)| study.exact = solved.exact);
    studies.append(&mut again);
    let pairs: Vec<Pair> = studies.iter().flat_map(Study::pairs).collect();
    weights.model.probcut = fit(&pairs);
    let shifted = shifts
        .iter()
        .map(|(empties, discs)| format!(" {empties}:{discs:+.2}"));
    let shifted = String::from_iter(shifted);
    let model = model_text(&weights.model.probcut, &pairs);
    Ok((weights, pairs, format!("{scaled}shifted{shifted}\n{model}")))
}

/// By how many discs to shift the estimates of boards with each number of empties, so that searches that end there
/// are right on average. `solved` compares searches with final scores, on boards of up to `most` empties; around
/// that number these shifts fade into that of [`tempo`].
fn shifts(solved: &[Pair], searched: &[Study], most: u32) -> Vec<(u32, f64)> {
    let model = fit(solved);
    let none = most + FADING;
    let tempo = tempo(searched, none);
    let shift = |empties: u32| {
        let share = f64::from(none.saturating_sub(empties)) / f64::from(2 * FADING);
        let share = share.min(1.0);
        let shift = share * model.mean_at_leaves(empties) + (1.0 - share) * tempo;
        (empties, shift)
    };
    (FEWEST_SHIFTED..BIASES as u32).map(shift).collect()
}

/// By how many discs to shift estimates where no final score is known, so that searches of odd and of even depths, which end with
/// `least` empties or more, are as high as each other. For the side to move at the horizon: the other
/// one chose its last move by its estimate, and the best of many estimates is too high.
fn tempo(searched: &[Study], least: u32) -> f64 {
    let differences = searched.iter().flat_map(|study| study.odd_over_even(least));
    let differences: Vec<f64> = differences.collect();
    differences.iter().sum::<f64>() / (2 * differences.len().max(1)) as f64
}

/// Studies `boards` and shows the progress.
fn watch(
    boards: &[Board],
    evaluator: &Arc<Evaluator>,
    solve: bool,
    depths: impl Fn(usize) -> u32 + Sync,
) -> anyhow::Result<Vec<Study>> {
    let done = if solve { "solved" } else { "searched" };
    ensure!(
        !boards.is_empty(),
        "no position of these games can be {done}"
    );
    let progress = Progress::new(boards.len() as u64, &format!("positions {done}"), 0);
    Ok(study(boards, evaluator, solve, depths, || progress.step())?)
}

/// One pair a line, tab-separated.
fn write_pairs(file: &mut impl Write, pairs: &[Pair]) -> io::Result<()> {
    for pair in pairs {
        let (probe, to) = (pair.probe, horizon_name(pair.horizon));
        writeln!(file, "{probe}\t{to}\t{}\t{}", pair.empties, pair.error)?;
    }
    Ok(())
}

fn horizon_name(horizon: Horizon) -> String {
    match horizon {
        Horizon::Plies(depth) => depth.to_string(),
        Horizon::End => "end".to_owned(),
    }
}

/// The coefficients, and the rows of the report, tab-separated, in discs.
fn model_text(model: &ProbCut, pairs: &[Pair]) -> String {
    let mut lines = Vec::new();
    for (name, error) in [("midgame", &model.midgame), ("end", &model.end)] {
        lines.push(format!("{name} mean {:?}", error.mean));
        lines.push(format!("{name} log sigma {:?}", error.log_sigma));
    }
    lines.push("probe\tto\tempties\tpairs\tmean\tmodel\tsigma\tmodel".to_owned());
    lines.extend(report::rows(model, pairs).iter().map(|row| {
        let (probe, empties, pairs) = (row.probe, row.empties, row.pairs);
        let ([mean, model_mean], [sigma, model_sigma]) = (row.mean, row.sigma);
        let to = horizon_name(row.horizon);
        format!(
            "{probe}\t{to}\t{empties}\t{pairs}\t{mean:+.2}\t{model_mean:+.2}\t{sigma:.2}\t{model_sigma:.2}"
        )
    }));
    let sigma = model.sigma(30, 0, Horizon::Plies(10));
    lines.push(format!(
        "sigma of static against depth 10 at 30 empties {sigma:.2}\n"
    ));
    lines.join("\n")
}

fn check_levels(
    arguments: &Arguments,
    games: &[SourceGame],
    evaluator: &Arc<Evaluator>,
) -> anyhow::Result<Exit> {
    let count = arguments.positions.map_or(5100, NonZeroUsize::get);
    let midgame = draw(games, count, MIDGAME_EMPTIES, arguments.seed);
    let end = draw(games, count, CHECKED_EMPTIES, arguments.seed + 1);
    let depths = CHECKED_DEPTHS;
    let depth_of = |number: usize| depths.start() + (number % depths.clone().count()) as u32;
    let beyond_probe = probe_depth(*CHECKED_EMPTIES.end(), Horizon::End) + 1;
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "against\tlevel\tpositions\tclaims\twrong\tshare\tat most\tholds"
    )?;
    let mut all_hold = true;
    for (name, studies) in [
        ("search", watch(&midgame, evaluator, false, depth_of)?),
        ("end", watch(&end, evaluator, true, |_| beyond_probe)?),
    ] {
        for tally in check(evaluator.probcut(), &studies) {
            writeln!(out, "{name}\t{}", row(&tally))?;
            all_hold &= tally.holds();
        }
    }
    Ok(if all_hold {
        Exit::SUCCESS
    } else {
        Exit::FAILURE
    })
}

fn row(tally: &LevelTally) -> String {
    format!(
        "{}\t{}\t{}\t{}\t{:.2}%\t{}%\t{}",
        tally.level,
        tally.positions,
        tally.claims,
        tally.failures,
        tally.rate(),
        tally.allowed(),
        if tally.holds() { "yes" } else { "no" }
    )
}
