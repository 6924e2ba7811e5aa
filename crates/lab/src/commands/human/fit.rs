//! `emilia-lab human fit`: a model from games between people.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhow::ensure;
use clap::Args;

use super::games::{self, GameFiles};
use crate::people::choices::Choice;
use crate::people::fit::{self, FitOptions};
use emilia::commands::Exit;
use emilia::commands::files;
use emilia::commands::progress::Progress;
use emilia::files::UsedFiles;
use emilia::human::model::Numbers;

/// The arguments of `emilia-lab human fit`.
#[derive(Args, Debug)]
pub(super) struct Fit {
    /// Where to write the model
    #[arg(long, value_name = "MODEL")]
    output: PathBuf,
    /// Only games up to this year
    #[arg(long, value_name = "YEAR")]
    until: Option<u16>,
    /// How often each move is used
    #[arg(long, value_name = "N", default_value_t = FitOptions::default().passes, value_parser = clap::value_parser!(u32).range(1..=100))]
    passes: u32,
    /// Plies of the searches that the model is fitted to
    #[arg(long, value_name = "PLIES", default_value_t = FitOptions::default().depth, value_parser = clap::value_parser!(u32).range(1..=24))]
    depth: u32,
    /// The order in which moves are used
    #[arg(long, default_value_t = FitOptions::default().seed)]
    seed: u64,
    /// Description of the games, for the model file
    #[arg(long, value_name = "TEXT", default_value = "")]
    data: String,
    /// Weights instead of the embedded ones
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// Threads of the searches [default: all cores]; the model is the same with any number
    #[arg(long, value_name = "N", value_parser = emilia::commands::at_least_one)]
    threads: Option<NonZeroUsize>,
    #[command(flatten)]
    games: GameFiles,
}

/// Fits a model and writes it.
///
/// # Errors
/// If a file cannot be read or written, or no player of the games has a rating.
pub(super) fn run(arguments: &Fit) -> anyhow::Result<Exit> {
    let inputs = arguments.games.paths().chain(arguments.weights.as_deref());
    let mut used = UsedFiles::reading(inputs);
    let output = used.output(&arguments.output, Numbers::KIND)?;
    let evaluator = files::evaluator(arguments.weights.as_deref())?;
    let mut people = arguments.games.read()?;
    let until = arguments.until.unwrap_or(u16::MAX);
    people.retain(|game| game.year.is_some_and(|year| year <= until));
    let ratings = games::ratings(&people);
    let numbered = (0..).zip(&people);
    let choices = numbered.flat_map(|(number, game)| game.choices(number, &ratings, None));
    let choices: Vec<Choice> = choices.collect();
    ensure!(
        !choices.is_empty(),
        "no game has two people, a year and a result: there is nothing to fit"
    );
    let last = people.iter().filter_map(|game| game.year).max();
    drop(people);
    let options = FitOptions {
        passes: arguments.passes,
        depth: arguments.depth,
        seed: arguments.seed,
    };
    evaluator.unpack();
    let pool = files::working_pool(arguments.threads)?;
    let progress = Progress::new(fit::steps(&choices, &options), "moves", 0);
    let fitted = pool.install(|| fit::fit(&choices, &evaluator, &options, &|| progress.step()));
    drop(progress);
    let mut model = fitted?;
    let numbers = &mut model.numbers;
    numbers.provenance.until = last.unwrap_or(0);
    numbers.provenance.data.clone_from(&arguments.data);
    let bytes = numbers.to_bytes();
    output.write(|file| file.write_all(&bytes))?;
    let from = model.provenance();
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "games {} moves {} players {} bytes {}",
        from.games,
        from.moves,
        ratings.players(),
        bytes.len()
    )?;
    Ok(Exit::SUCCESS)
}
