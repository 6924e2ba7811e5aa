//! Command-line arguments: one subcommand per file of [`crate::commands`].

use clap::{Parser, Subcommand};
use emilia::cli::exit_of;
use emilia::commands::Exit;

use crate::commands::{dataset, evaltest, games, human, selfplay, train, tune};

/// The arguments of `emilia-lab`.
#[derive(Parser, Debug)]
#[command(name = "emilia-lab", version, about)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

/// What `emilia-lab` does.
#[derive(Subcommand, Debug)]
enum Command {
    /// Play games against itself, to train on
    Selfplay(selfplay::Arguments),
    /// Show, count or pack the games of self-play
    Games(games::Arguments),
    /// Label the positions of games, to train on
    Dataset(dataset::Arguments),
    /// Fit the evaluation's weights to labelled positions
    Train(train::Arguments),
    /// Fit the errors of shallow searches, by which a search prunes
    Tune(tune::Arguments),
    /// Measure estimates against exact scores
    Evaltest(evaltest::Arguments),
    /// Fit and measure the model of what people play (see docs/HUMAN.md)
    Human(human::Arguments),
}

/// Reads the arguments, runs the subcommand, and says how the process ends:
/// an error is printed on standard error; of bad usage clap ends the process.
pub fn run() -> Exit {
    exit_of(match Arguments::parse().command {
        Command::Selfplay(arguments) => selfplay::run(&arguments),
        Command::Games(arguments) => games::run(&arguments),
        Command::Dataset(arguments) => dataset::run(&arguments),
        Command::Train(arguments) => train::run(&arguments),
        Command::Tune(arguments) => tune::run(&arguments),
        Command::Evaltest(arguments) => evaltest::run(&arguments),
        Command::Human(arguments) => human::run(&arguments),
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_arguments_are_well_formed() {
        Arguments::command().debug_assert();
    }
}
