//! Command-line arguments: one subcommand per file of [`crate::commands`].
//!
//! Each subcommand owns its arguments (a `clap::Args` struct) and a `run` that
//! takes them; this file only lists them and turns their results into exit codes.

use std::env;
use std::ffi::OsString;
use std::io;
use std::sync::LazyLock;

use clap::{Parser, Subcommand};

use crate::commands::{
    Exit, analyze, batch, bench, board, book, match_, openings, perft, play, positions, proof,
    puzzles, report, solve, verify,
};
use crate::logging;
use crate::protocol::{cassio, gtp, native, nboard};
use crate::tier;

/// The arguments of `emilia`.
#[derive(Parser, Debug)]
#[command(name = "emilia", version = VERSION.as_str(), about, after_help = AFTER_HELP)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

/// What `--version` prints behind the name: the version, and the tier of CPU that it is built for.
static VERSION: LazyLock<String> =
    LazyLock::new(|| format!("{} ({})", env!("CARGO_PKG_VERSION"), tier::NAME));

const AFTER_HELP: &str = "\
Without a command, emilia serves any host on standard input and output, and finds out by its first
line which protocol it speaks; `help` lists the commands for people (see PROTOCOL.md).";

/// What `emilia` does; without a subcommand it serves the host on standard input.
#[derive(Subcommand, Debug)]
enum Command {
    /// Speak the native protocol in its UCI words (see PROTOCOL.md)
    Uci,
    /// Speak the native protocol in its UGI words (see PROTOCOL.md)
    Ugi,
    /// Speak the Go Text Protocol, as Quarry and GoGui do (see PROTOCOL.md)
    Gtp(play::GtpArguments),
    /// Speak the protocol of NBoard (see PROTOCOL.md)
    #[command(name = "nboard")]
    NBoard(play::Playing),
    /// Speak the protocol of Cassio (see PROTOCOL.md)
    Cassio(play::Resources),
    /// Open the board in a browser: play, study, check proofs
    Board(board::Arguments),
    /// Solve positions, one a line: the final score or who wins
    Solve(solve::Arguments),
    /// Prove who wins a position in a file that anyone can check, and use such files
    Proof(proof::Arguments),
    /// Check proofs, without the engine
    Verify(verify::Arguments),
    /// Merge the outputs of several machines, and split one hard position over them
    Batch(batch::Arguments),
    /// Make, study and exchange opening books (see docs/BOOK.md)
    Book(book::Arguments),
    /// Say what went wrong in games: the score of each move, what it lost, what was better
    Analyze(analyze::Arguments),
    /// Play games between engines, each opening with both colours
    Match(match_::Arguments),
    /// Rate players by the games in files, or draw a game
    Report(report::Arguments),
    /// Make balanced opening lines by search
    Openings(openings::Arguments),
    /// Make endgame positions with proven scores, from seeded games
    Positions(positions::Arguments),
    /// Make, check and show puzzles for people, each with one proven answer
    Puzzles(puzzles::Arguments),
    /// Count the lines of play of a given length
    Perft(perft::Arguments),
    /// Search fixed positions and print the signature and the speed
    Bench(bench::Arguments),
}

/// Reads the arguments, runs the subcommand, and says how the process ends:
/// an error is printed on standard error; of bad usage clap ends the process.
pub fn run() -> Exit {
    run_with(env::args_os())
}

/// Runs as [`run`], with these arguments, the first of which is the name of the program.
pub fn run_with(arguments: impl IntoIterator<Item = OsString>) -> Exit {
    let arguments = arguments.into_iter().map(as_value);
    let result = match Arguments::parse_from(arguments).command {
        None => play::run(None, play::Start::default()),
        Some(Command::Uci | Command::Ugi) => {
            play::run(Some(&native::PROTOCOL), play::Start::default())
        }
        Some(Command::Gtp(arguments)) => play::run(Some(&gtp::PROTOCOL), arguments),
        Some(Command::NBoard(arguments)) => play::run(Some(&nboard::PROTOCOL), arguments),
        Some(Command::Cassio(arguments)) => play::run(Some(&cassio::PROTOCOL), arguments),
        Some(Command::Board(arguments)) => board::run(&arguments),
        Some(Command::Solve(arguments)) => solve::run(&arguments),
        Some(Command::Proof(arguments)) => proof::run(&arguments),
        Some(Command::Verify(arguments)) => verify::run(&arguments),
        Some(Command::Batch(arguments)) => batch::run(&arguments),
        Some(Command::Book(arguments)) => book::run(&arguments),
        Some(Command::Analyze(arguments)) => analyze::run(&arguments),
        Some(Command::Match(arguments)) => match_::run(&arguments),
        Some(Command::Report(arguments)) => report::run(&arguments),
        Some(Command::Openings(arguments)) => openings::run(&arguments),
        Some(Command::Positions(arguments)) => positions::run(&arguments),
        Some(Command::Puzzles(arguments)) => puzzles::run(&arguments),
        Some(Command::Perft(arguments)) => perft::run(&arguments),
        Some(Command::Bench(arguments)) => bench::run(&arguments),
    };
    exit_of(result)
}

/// A board may begin with `-`, as an option does: a blank before it makes it a value.
fn as_value(argument: OsString) -> OsString {
    const ROW: usize = 8;
    let is_cell = |letter: &char| "-._*XxOo ".contains(*letter);
    match argument.to_str() {
        Some(text) if text.starts_with('-') && text.chars().take_while(is_cell).count() >= ROW => {
            format!(" {text}").into()
        }
        _ => argument,
    }
}

/// How the process ends after a command: an error is printed on standard error.
#[doc(hidden)]
pub fn exit_of(result: anyhow::Result<Exit>) -> Exit {
    result.unwrap_or_else(|error| {
        if is_broken_pipe(&error) {
            return Exit::SUCCESS;
        }
        logging::error(&error);
        Exit::FAILURE
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

    fn error(line: &str) -> clap::error::ErrorKind {
        let arguments = Arguments::try_parse_from(line.split(' '));
        arguments.expect_err(line).kind()
    }

    #[test]
    fn a_number_below_zero_is_a_bad_value_and_no_flag() {
        use clap::error::ErrorKind::ValueValidation;
        for flag in ["--move-time", "--depth", "--level", "--threads", "--hash"] {
            assert_eq!(
                error(&format!("emilia gtp {flag} -1")),
                ValueValidation,
                "{flag}"
            );
        }
    }

    #[test]
    fn a_board_is_no_option() {
        let board = format!("{}OX------XO{} X f5", "-".repeat(27), "-".repeat(27));
        for (argument, value) in [
            (board.as_str(), true),
            ("--rating-black", false),
            ("--", false),
        ] {
            let found = as_value(argument.into());
            assert_eq!(
                found.to_string_lossy().starts_with(' '),
                value,
                "{argument}"
            );
        }
    }

    #[test]
    fn flags_that_a_protocol_does_not_use_are_not_taken() {
        use clap::error::ErrorKind::UnknownArgument;
        for line in [
            "emilia cassio --level 3",
            "emilia cassio --ponder",
            "emilia nboard --ponder",
            "emilia ugi --hash 3",
        ] {
            assert_eq!(error(line), UnknownArgument, "{line}");
        }
        for line in [
            "emilia gtp --ponder --level 3",
            "emilia nboard --depth 3 --hash 1",
        ] {
            assert!(Arguments::try_parse_from(line.split(' ')).is_ok(), "{line}");
        }
    }

    #[test]
    fn the_help_says_what_happens_without_a_command() {
        let help = Arguments::command().render_help().to_string();
        assert!(
            help.contains("Without a command, emilia serves any host"),
            "{help}"
        );
    }
}
