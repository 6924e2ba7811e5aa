//! `emilia solve`: exact or win/loss/draw results of a stream of positions, and claims about them.
//!
//! The work and its options are those of `crate::batch::run`; here is what is said to a person.

mod dry_run;
mod estimate;
mod hopeless;
mod progress;

use std::io::{self, IsTerminal, Write};

use clap::Args;

use hopeless::Hopeless;
use progress::ProgressLine;

use super::Exit;
use crate::batch::run::{RunOptions, SolveRun, Summary};
use crate::logging;

/// The arguments of `emilia solve`.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct Arguments {
    #[command(flatten)]
    options: RunOptions,
    /// Solve nothing: estimate the nodes and the time that it would take
    #[arg(long, conflicts_with_all = ["output", "stats", "cache", "check", "reference", "json", "obf", "proof"])]
    estimate: bool,
    /// Solve nothing: read everything, and say what was found
    #[arg(long, conflicts_with_all = ["output", "stats", "cache", "check", "reference", "json", "obf", "proof",
        "estimate", "retry", "shard"])]
    dry_run: bool,
}

const AFTER_HELP: &str = "\
Input: files of one position a line, or files of games. A line is a board: 64 cells a1..h1, a2..h8
(black X x * B b, white O o W w, empty - . _) and the side to move (a letter, black or white; --side
where no line says it), [8 .. *] as GGS writes it, or the FEN of flipello (P is black, which it calls
w); then, after a semicolon, the known scores of OBF, or moves from the board; then a comment after %.
In files named *.scr or *.script everything after the side is a comment. Or a line is a game: a
transcript (f5d6c3; 1. f5 d6 2. c3; P@e3 of flipello counts ranks from below, and is e6), or GGF, of
which the last game of the line counts. A number may stand before a board or moves. After a tab may
follow what is asked of this line (exact, wld, or a claim such as >=0, <=-2, =0), perhaps about the best of
some moves only (exact of d3 f5), after another one a name, which comes back with the answer. Blank lines and lines that begin with % or # have no answer.
Of a file of games (SGF, GGF over several lines, PGN, WTHOR, pages) each game has an answer, and its
line is that at which it begins, of WTHOR its number. --dry-run says what files are read as.
Text output, tab-separated: line result score best key nodes ms pv. The line is FILE:LINE where there
are several files. The result is win, draw or loss, for a claim proven or refuted, or unsolved
where a limit was reached. The score is such as +6, with --wld `-`, with --score-bound, for a claim
and where unsolved the proven bounds, such as >=+6, <=-4, +0 or -2..+6 (in JSON `at_least`,
`at_most`). With --depth the result is estimate where no proof is affordable, and the score is such as
~+1.500@18: discs and depth; proven bounds may stand behind it. Then come with --all-moves the move scores (with --wld results, such as
c4:win d3:loss), with --check `ok`, `unknown` or the
mismatch, and the name. A line that cannot be read is answered by `FILE:LINE error column reason key`.
The key binds the answer to its position, question, result, score, best move and move scores:
`batch merge`, `batch join`, --retry and --resume refuse an answer whose line or key does not fit. OBF
has no keys.
Exit status: 1 if a line or a file could not be read, a --check failed or a proof is missing, else 3 if a line is
unsolved, else 0.";

/// Answers every position of the input.
///
/// # Errors
/// If the answers cannot be written, a file cannot be used, or the hash tables cannot be allocated.
pub fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let options = &arguments.options;
    if arguments.dry_run {
        return Ok(dry_run::run(&options.reader(), &options.files)?);
    }
    if arguments.estimate {
        return estimate::run(options);
    }
    let mut run = SolveRun::open(options.clone())?;
    // Not where the answers are seen on the same terminal.
    let are_seen = options.output.is_none() && io::stdout().is_terminal();
    let is_hidden = are_seen && io::stderr().is_terminal();
    let mut progress = (!is_hidden).then(|| ProgressLine::new(run.outlook()));
    let has_limit =
        options.max_nodes.is_some() || options.max_time.is_some() || options.depth.is_some();
    let mut hopeless = (!has_limit).then(|| Hopeless::new(&options.files));
    run.start(move |task| {
        if let Some(hopeless) = &mut hopeless {
            hopeless.note(task);
        }
    })?;
    let counted = run.write_answers(|counted| {
        if let Some(progress) = &mut progress {
            progress.update(counted);
        }
    })?;
    drop(progress);
    let summary = run.finish(counted)?;
    report(options, &summary)?;
    run.write_statistics(&summary.counted)?;
    Ok(Exit::of_answers(summary.has_faults(), summary.unsolved()))
}

/// Says on standard error what went wrong, and what was counted.
fn report(options: &RunOptions, summary: &Summary) -> anyhow::Result<()> {
    for error in &summary.errors {
        logging::error(error);
    }
    // Standard error may be closed.
    let mut out = io::stderr();
    if options.check {
        let _ = writeln!(out, "{}", summary.counted.check_text());
    }
    if let Some(counts) = &summary.counts {
        let _ = match options.json {
            true => writeln!(out, "{}", serde_json::to_string(counts)?),
            false => writeln!(out, "{counts}"),
        };
    }
    Ok(())
}
