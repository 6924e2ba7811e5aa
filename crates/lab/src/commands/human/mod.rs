//! `emilia-lab human`: the model of what people play, fitted and measured.

mod fit;
mod games;
mod only;
mod ratings;
mod test;

use clap::{Args, Subcommand};

use emilia::commands::Exit;

/// The arguments of `emilia-lab human`.
#[derive(Args, Debug)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Fit a model to games between people
    Fit(fit::Fit),
    /// Compare a model with people where just one move wins, as in puzzles
    Only(only::Only),
    /// Rate players by the results of their games
    Ratings(ratings::Arguments),
    /// Measure how well a model predicts the moves of people, beside baselines
    Test(test::Test),
}

/// Does what is asked.
///
/// # Errors
/// If a file cannot be read or written, or has no games to use.
pub fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    match &arguments.command {
        Command::Fit(arguments) => fit::run(arguments),
        Command::Only(arguments) => only::run(arguments),
        Command::Ratings(arguments) => ratings::run(arguments),
        Command::Test(arguments) => test::run(arguments),
    }
}
