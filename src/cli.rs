//! Command-line arguments: one subcommand per file of [`crate::commands`].
//!
//! Each subcommand owns its arguments (a `clap::Args` struct) and a `run` that
//! takes them; this file only lists them and turns their results into exit codes.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::commands::{
    batch, bench, dataset, evaltest, games, match_, openings, perft, play, positions, report,
    selfplay, solve, train, tune,
};
use crate::protocol::Host;

/// The arguments of `emilia`.
#[derive(Parser, Debug)]
#[command(name = "emilia", version, about)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

/// What `emilia` does; without a subcommand it serves the host on standard input.
#[derive(Subcommand, Debug)]
enum Command {
    /// Speak the native protocol in its UCI words (see PROTOCOL.md)
    Uci,
    /// Speak the native protocol in its UGI words (see PROTOCOL.md)
    Ugi,
    /// Speak the Go Text Protocol, as Quarry and GoGui do (see PROTOCOL.md)
    Gtp(play::Arguments),
    /// Speak the protocol of NBoard (see PROTOCOL.md)
    #[command(name = "nboard")]
    NBoard(play::Arguments),
    /// Speak the protocol of Cassio (see PROTOCOL.md)
    Cassio(play::Arguments),
    /// Solve positions, one a line: the final score or who wins
    Solve(solve::Arguments),
    /// Merge the outputs of several machines, and split one hard position over them
    Batch(batch::Arguments),
    /// Play games between engines, each opening with both colours
    Match(match_::Arguments),
    /// Rate players by the games in files, or draw a game
    Report(report::Arguments),
    /// Make balanced opening lines by search
    Openings(openings::Arguments),
    /// Make endgame positions with proven scores, from seeded games
    Positions(positions::Arguments),
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
    /// Count the lines of play of a given length
    Perft(perft::Arguments),
    /// Search fixed positions and print the signature and the speed
    Bench(bench::Arguments),
}

/// Reads the arguments, runs the subcommand, and says how the process ends:
/// 0 is well, 1 is an error (printed on standard error), 2 is bad usage.
pub fn run() -> ExitCode {
    let result = match Arguments::parse().command {
        None => play::run(Host::Recognise),
        Some(Command::Uci | Command::Ugi) => play::run(Host::Native),
        Some(Command::Gtp(arguments)) => play::run_with(Host::Gtp, &arguments),
        Some(Command::NBoard(arguments)) => play::run_with(Host::NBoard, &arguments),
        Some(Command::Cassio(arguments)) => play::run_with(Host::Cassio, &arguments),
        Some(Command::Solve(arguments)) => solve::run(&arguments),
        Some(Command::Batch(arguments)) => batch::run(&arguments),
        Some(Command::Match(arguments)) => match_::run(&arguments),
        Some(Command::Report(arguments)) => report::run(&arguments),
        Some(Command::Openings(arguments)) => openings::run(&arguments),
        Some(Command::Positions(arguments)) => positions::run(&arguments),
        Some(Command::Selfplay(arguments)) => selfplay::run(&arguments),
        Some(Command::Games(arguments)) => games::run(&arguments),
        Some(Command::Dataset(arguments)) => dataset::run(&arguments),
        Some(Command::Train(arguments)) => train::run(&arguments),
        Some(Command::Tune(arguments)) => tune::run(&arguments),
        Some(Command::Evaltest(arguments)) => evaltest::run(&arguments),
        Some(Command::Perft(arguments)) => perft::run(&arguments),
        Some(Command::Bench(arguments)) => bench::run(&arguments),
    };
    result.unwrap_or_else(|error| {
        if is_broken_pipe(&error) {
            return ExitCode::SUCCESS;
        }
        // Standard error may be closed as well; then nobody is there to be told.
        let _ = writeln!(io::stderr(), "error: {error:#}");
        ExitCode::FAILURE
    })
}

/// Did the reader of standard output go away? That is no fault of ours.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<io::Error>()
            .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
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
