//! Command-line arguments: one subcommand per file of [`crate::commands`].
//!
//! Each subcommand owns its arguments (a `clap::Args` struct) and a `run` that
//! takes them; this file only lists them and turns their results into exit codes.

use std::env;
use std::ffi::OsString;
use std::io;
use std::sync::LazyLock;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::commands::{
    Exit, analyze, batch, bench, board, book, ggs, match_, openings, perft, play, positions, proof,
    puzzles, report, serve, solve, verify,
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
Without a command, emilia plays in a terminal, as `emilia play` does; on a pipe it serves any host, and
finds out by its first line which protocol it speaks (see PROTOCOL.md).";

/// What `emilia` does; without a subcommand it plays in a terminal, and serves the host on a pipe.
#[derive(Subcommand, Debug)]
enum Command {
    /// Play against Emilia in this terminal, and study games and positions
    Play(play::Arguments),
    /// Speak the native protocol in its UCI words (see PROTOCOL.md)
    Uci,
    /// Speak the native protocol in its UGI words (see PROTOCOL.md)
    Ugi,
    /// Speak the Go Text Protocol, as Quarry and GoGui do (see PROTOCOL.md)
    Gtp(serve::GtpArguments),
    /// Speak the protocol of NBoard (see PROTOCOL.md)
    #[command(name = "nboard")]
    NBoard(serve::Playing),
    /// Speak the protocol of Cassio (see PROTOCOL.md)
    Cassio(serve::Resources),
    /// Play on the Generic Game Server, where engines and people meet (see docs/HOSTS.md)
    Ggs(ggs::Arguments),
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

const DRAWN: &str = "'---XXXXX--XXXOOO-OOXOXOXOOOOXXOXOOOXXXXXXOXXOXXX--OXXX----OOX--- O'";

/// What follows the name of a command in the example with which its help begins.
const EXAMPLES: [(&str, &str); 54] = [
    ("", ""),
    ("play", "--rating 1500"),
    ("uci", ""),
    ("ugi", ""),
    ("gtp", "--threads 2 --level 8"),
    ("nboard", "--threads 2 --hash 512"),
    ("cassio", "--threads 4 --hash 1024"),
    ("ggs", "--config ggs.toml"),
    ("board", ""),
    ("solve", "--wld positions.txt"),
    ("proof", "make POSITION --claim draw --output draw.proof"),
    ("proof make", "POSITION --claim draw --output draw.proof"),
    ("proof show", "draw.proof POSITION"),
    ("proof play", "draw.proof"),
    ("proof cut", "draw.proof POSITION --output part.proof"),
    (
        "proof join",
        "--state split.json --output whole.proof part-1.proof part-2.proof",
    ),
    ("proof stats", "draw.proof"),
    ("verify", "draw.proof"),
    (
        "batch",
        "merge --input positions.txt answers-1.txt answers-2.txt",
    ),
    (
        "batch merge",
        "--input positions.txt answers-1.txt answers-2.txt",
    ),
    (
        "batch merge-caches",
        "--into all.cache one.cache other.cache",
    ),
    ("batch split", "POSITION --claim '>=0' --state split.json"),
    ("batch join", "--state split.json answers.txt"),
    ("batch probe", "claims.txt --limit 1e6 --count 100"),
    ("batch fit", "answers.jsonl"),
    ("book", "show builtin f5d6c3"),
    ("book grow", "mine.book --time 3600"),
    ("book jobs", "mine.book --count 100"),
    ("book take", "mine.book answers.txt"),
    ("book show", "builtin f5d6c3"),
    ("book stats", "mine.book"),
    ("book check", "mine.book"),
    ("book learn", "mine.book games.ggf"),
    ("book deepen", "mine.book --depth 20"),
    ("book prune", "mine.book small.book --error 2"),
    ("book lines", "builtin f5d6c3d3c4 --side white --slack 1"),
    ("book repertoire", "mine.book f5 --force f6"),
    ("book find", "builtin --name Tiger"),
    ("book compare", "one.book other.book --error 1"),
    ("book merge", "both.book one.book other.book"),
    ("book repair", "damaged.book whole.book"),
    ("book import", "--format edax book.dat mine.book"),
    ("book export", "--format edax mine.book book.dat"),
    ("analyze", "f5d6c3d3c4f4"),
    (
        "match",
        "--opponent mobility --openings openings.txt --games 100",
    ),
    ("report", "games.jsonl"),
    ("openings", "--count 100 --plies 8"),
    ("positions", "--count 100 --max-empties 12 --scores value"),
    ("puzzles", "show my.puzzles"),
    ("puzzles make", "--games 1000 --output my.puzzles"),
    ("puzzles check", "my.puzzles"),
    ("puzzles show", "my.puzzles"),
    ("perft", "9"),
    ("bench", ""),
];

/// The command line: the help of each command begins with an example.
fn command_line() -> clap::Command {
    with_examples(Arguments::command(), "")
}

fn with_examples(command: clap::Command, path: &str) -> clap::Command {
    let example = EXAMPLES.iter().find(|(of, _)| *of == path);
    let names = command
        .get_subcommands()
        .map(|command| command.get_name().to_owned());
    let names: Vec<String> = names.collect();
    let command = match example {
        Some((path, rest)) => {
            let words = ["emilia", path, rest]
                .into_iter()
                .filter(|word| !word.is_empty());
            let words = Vec::from_iter(words).join(" ");
            command.before_help(format!("Example: {}", words.replace("POSITION", DRAWN)))
        }
        None => command,
    };
    names.iter().fold(command, |command, name| {
        let path = format!("{path} {name}");
        command.mut_subcommand(name, |command| with_examples(command, path.trim()))
    })
}

/// Reads the arguments, runs the subcommand, and says how the process ends:
/// an error is printed on standard error; of bad usage clap ends the process.
pub fn run() -> Exit {
    run_with(env::args_os())
}

/// Runs as [`run`], with these arguments, the first of which is the name of the program.
pub fn run_with(arguments: impl IntoIterator<Item = OsString>) -> Exit {
    #[cfg(unix)]
    outlive_file_limits();
    let arguments = arguments.into_iter().map(as_value);
    let matches = command_line().get_matches_from(arguments);
    let parsed = Arguments::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let result = match parsed.command {
        None if play::has_terminal() => return run_with(["emilia", "play"].map(Into::into)),
        None => serve::run(None, serve::Start::default()),
        Some(Command::Play(arguments)) => play::run(arguments),
        Some(Command::Uci | Command::Ugi) => {
            serve::run(Some(&native::PROTOCOL), serve::Start::default())
        }
        Some(Command::Gtp(arguments)) => serve::run(Some(&gtp::PROTOCOL), arguments),
        Some(Command::NBoard(arguments)) => serve::run(Some(&nboard::PROTOCOL), arguments),
        Some(Command::Cassio(arguments)) => serve::run(Some(&cassio::PROTOCOL), arguments),
        Some(Command::Ggs(arguments)) => ggs::run(&arguments),
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

/// A file that grows beyond the limit of the process is an error of its writer, as a full disk is; by default the signal
/// that tells it would end the process.
#[cfg(unix)]
fn outlive_file_limits() {
    let told = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default());
    if let Err(error) = told {
        log::warn!("limits of files end this process: {error}");
    }
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
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<io::Error>()
            .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_are_well_formed() {
        command_line().debug_assert();
    }

    /// The words of a line, with those between quotes as one.
    fn words(line: &str) -> Vec<String> {
        let parts = line.split('\'').enumerate();
        let words = parts.flat_map(|(number, part)| match number % 2 {
            0 => part.split_whitespace().map(str::to_owned).collect(),
            _ => vec![part.to_owned()],
        });
        words.collect()
    }

    #[test]
    fn the_help_of_each_command_begins_with_an_example_that_can_be_run() {
        let mut open = vec![(String::from("emilia"), command_line())];
        let mut seen = 0;
        while let Some((path, command)) = open.pop() {
            let example = command.get_before_help().map(ToString::to_string);
            let example = example.unwrap_or_else(|| panic!("{path} has none"));
            let example = example.strip_prefix("Example: ").expect("its heading");
            assert!(example.starts_with(&path), "{path}: {example}");
            let words = words(example).into_iter().map(|word| as_value(word.into()));
            let parsed = Arguments::try_parse_from(words);
            assert!(parsed.is_ok(), "{example}: {:?}", parsed.err());
            let commands = command
                .get_subcommands()
                .filter(|one| one.get_name() != "help");
            open.extend(commands.map(|one| (format!("{path} {}", one.get_name()), one.clone())));
            seen += 1;
        }
        assert_eq!(seen, EXAMPLES.len());
        let help = command_line().render_help().to_string();
        assert!(help.starts_with("Example: emilia\n"), "{help}");
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
            help.contains("Without a command, emilia plays in a terminal"),
            "{help}"
        );
    }
}
