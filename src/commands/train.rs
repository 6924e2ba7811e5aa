//! `emilia train`: fits the weights to samples.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use super::files;
use crate::eval::{ProbCut, Provenance, WeightError, Weights};
use crate::training::fit::{self, FitOptions, Fitted};

/// The arguments of `emilia train`.
#[derive(Args, Debug)]
pub struct Arguments {
    /// Where to write the weights
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
    /// Samples held out: each phase ends where its error on these stops falling
    #[arg(long, value_name = "FILE")]
    validation: Option<PathBuf>,
    /// Steps of the solver for each phase at most
    #[arg(long, default_value_t = FitOptions::default().iterations)]
    iterations: usize,
    /// Steps without a smaller validation error after which a phase is done
    #[arg(long, default_value_t = FitOptions::default().patience)]
    patience: usize,
    /// The pull of weights towards zero, in samples
    #[arg(long, default_value_t = FitOptions::default().ridge)]
    ridge: f32,
    /// How much samples count that are 0, 1, 2, .. phases away
    #[arg(long, value_delimiter = ',', default_values_t = FitOptions::default().window)]
    window: Vec<f32>,
    /// What the weight file says about its data
    #[arg(long, value_name = "TEXT", default_value = "")]
    data: String,
    /// Games behind the samples, for the weight file
    #[arg(long, default_value_t = 0)]
    games: u64,
    /// Seed behind the samples, for the weight file
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Commit of the sources, for the weight file
    #[arg(long, default_value = "")]
    commit: String,
    /// Take the ProbCut model of these weights over, until `emilia tune` fits another
    /// [default: that of the embedded ones]
    #[arg(long, value_name = "WEIGHTS")]
    probcut_from: Option<PathBuf>,
    /// Threads, each of which fits one phase at a time [default: all cores]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Files of samples, as `emilia dataset` writes them
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

/// Fits, writes the weights, and prints the errors by phase.
///
/// # Errors
/// If a file cannot be read or written.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let probcut = probcut(arguments.probcut_from.as_deref())?;
    let mut train = Vec::new();
    for path in &arguments.files {
        train.append(&mut files::read_samples(path)?);
    }
    let validation = arguments
        .validation
        .as_deref()
        .map_or(Ok(Vec::new()), files::read_samples)?;
    let options = FitOptions {
        iterations: arguments.iterations,
        patience: arguments.patience,
        ridge: arguments.ridge,
        window: arguments.window.clone(),
    };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(arguments.threads.map_or(0, NonZeroUsize::get))
        .build()?;
    let mut fitted = pool.install(|| {
        fit::fit(&train, &validation, &options, &|phase, error| {
            log::info!("phase {phase}: {error:?}");
        })
    });
    fitted.weights.provenance = Provenance {
        commit: arguments.commit.clone(),
        seed: arguments.seed,
        games: arguments.games,
        positions: train.len() as u64,
        data: arguments.data.clone(),
    };
    fitted.weights.probcut = probcut;
    let bytes = fitted.weights.to_bytes();
    files::create(&arguments.output, |file| file.write_all(&bytes))?;
    print(&fitted)?;
    Ok(ExitCode::SUCCESS)
}

/// The ProbCut model of the weights at `path`, or of the embedded ones.
fn probcut(path: Option<&Path>) -> Result<ProbCut, WeightError> {
    let weights = path.map_or_else(|| Ok(Weights::embedded()), Weights::load)?;
    Ok(weights.probcut)
}

/// The errors by phase and over all phases, tab-separated, in discs.
fn print(fitted: &Fitted) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "phase\tsamples\tsteps\ttrain rmse\trmse\tmae")?;
    for (phase, error) in fitted.errors.iter().enumerate() {
        writeln!(
            out,
            "{phase}\t{}\t{}\t{:.3}\t{:.3}\t{:.3}",
            error.samples, error.iterations, error.train_rmse, error.rmse, error.mae
        )?;
    }
    let phases = fitted.errors.len() as f64;
    let mean = |of: fn(&fit::PhaseError) -> f64| fitted.errors.iter().map(of).sum::<f64>() / phases;
    writeln!(
        out,
        "mean\t\t\t{:.3}\t{:.3}\t{:.3}",
        mean(|e| e.train_rmse),
        mean(|e| e.rmse),
        mean(|e| e.mae)
    )
}
