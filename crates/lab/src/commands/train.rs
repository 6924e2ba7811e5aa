//! `emilia-lab train`: fits the weights to samples.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Mutex;

use anyhow::{Context, anyhow};
use clap::Args;

use crate::training::fit::{self, Checkpoint, FitOptions, Fitted, StageError, StageFit};
use crate::training::sample::SampleFiles;
use emilia::commands::Exit;
use emilia::commands::files;
use emilia::eval::{Provenance, Weights};
use emilia::files::UsedFiles;

/// The arguments of `emilia-lab train`.
#[derive(Args, Debug)]
pub struct Arguments {
    /// Where to write the weights
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
    /// Samples held out, of one file or several, on which the errors are measured
    #[arg(long, value_name = "FILE")]
    validation: Vec<PathBuf>,
    /// How often each sample is seen, on average
    #[arg(long, default_value_t = FitOptions::default().passes, value_parser = passes)]
    passes: usize,
    /// Continue from the rows of these weights, in smaller steps, instead of from nothing
    #[arg(long, value_name = "WEIGHTS")]
    from: Option<PathBuf>,
    /// Description of the data, for the weight file
    #[arg(long, value_name = "TEXT", default_value = "")]
    data: String,
    /// Games behind the samples, for the weight file
    #[arg(long, default_value_t = 0)]
    games: u64,
    /// Seed behind the samples, for the weight file
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Threads, each of which fits one stage at a time [default: all cores]
    #[arg(long, value_name = "N", value_parser = emilia::commands::at_least_one)]
    threads: Option<NonZeroUsize>,
    /// Files of samples, as `emilia-lab dataset` writes them
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

fn passes(text: &str) -> Result<usize, String> {
    emilia::commands::at_least_one(text).map(NonZeroUsize::get)
}

/// Fits, writes the weights, and prints the errors by stage as they come. Finished stages
/// stay in a file beside the output until all are done, so that the same command continues after
/// a kill. The ProbCut model is that of the embedded weights, until `emilia-lab tune` fits another.
///
/// # Errors
/// If a file cannot be read or written.
pub fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let inputs = arguments.files.iter().chain(&arguments.validation);
    let mut used = UsedFiles::reading(inputs.chain(&arguments.from));
    let output = used.output(&arguments.output, Weights::KIND)?;
    let from = arguments.from.as_deref().map(Weights::load).transpose()?;
    let train = SampleFiles::open(&arguments.files)?;
    let validation = SampleFiles::open(&arguments.validation)?;
    let options = FitOptions {
        passes: arguments.passes,
        from: from.map(|weights| weights.rows.into()),
    };
    let pool = files::working_pool(arguments.threads)?;
    let path = arguments.output.with_added_extension("checkpoint");
    let samples = train.checksum() ^ validation.checksum().rotate_left(1);
    let file = used.growing(&path, Checkpoint::KIND)?;
    let (checkpoint, done) = Checkpoint::open(file, samples, &options)?;
    let checkpoint = Mutex::new(checkpoint);
    let failed = "a thread failed";
    let report = |fit: &StageFit| -> anyhow::Result<()> {
        let mut checkpoint = checkpoint.lock().map_err(|_| anyhow!(failed))?;
        checkpoint.add(fit)?;
        print_stage(fit).context("cannot write to standard output")
    };
    writeln!(io::stdout(), "stage\tsamples\ttrain rmse\trmse\tmae")?;
    for fit in &done {
        print_stage(fit)?;
    }
    let mut fitted = pool.install(|| fit::fit(&train, &validation, &options, done, &report))?;
    fitted.weights.model.provenance = Provenance {
        commit: String::new(),
        seed: arguments.seed,
        games: arguments.games,
        positions: train.counts().iter().sum::<usize>() as u64,
        data: arguments.data.clone(),
    };
    fitted.weights.model.probcut = Weights::embedded().model.probcut;
    let bytes = fitted.weights.to_bytes();
    let written = output.write(|file| file.write_all(&bytes));
    print_mean(&fitted)?;
    written?;
    let checkpoint = checkpoint.into_inner().map_err(|_| anyhow!(failed))?;
    checkpoint.remove()?;
    Ok(Exit::SUCCESS)
}

/// A line with the errors of a stage.
fn print_stage(StageFit { stage, error, .. }: &StageFit) -> io::Result<()> {
    print_errors(&format!("{stage}\t{}", error.samples), |of| of(error))
}

/// A line with the mean errors of all stages.
fn print_mean(fitted: &Fitted) -> io::Result<()> {
    let stages = fitted.errors.len() as f64;
    print_errors("mean\t", |of| {
        fitted.errors.iter().map(of).sum::<f64>() / stages
    })
}

/// A line with errors, tab-separated, in discs.
fn print_errors(name: &str, value: impl Fn(fn(&StageError) -> f64) -> f64) -> io::Result<()> {
    let train_rmse = value(|error| error.train_rmse);
    let (rmse, mae) = (value(|error| error.rmse), value(|error| error.mae));
    writeln!(io::stdout(), "{name}\t{train_rmse:.3}\t{rmse:.3}\t{mae:.3}")
}
