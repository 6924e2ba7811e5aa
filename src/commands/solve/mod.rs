//! `emilia solve`: exact or win/loss/draw results of a stream of positions, and claims about them.
//!
//! The work is that of `crate::batch::run`; here is what is asked of it, and what is said to a person.

mod arguments;
mod dry_run;
mod estimate;
mod hopeless;
mod progress;

use std::io::{self, IsTerminal, Write};

pub use arguments::Arguments;
use hopeless::Hopeless;
use progress::ProgressLine;

use super::Exit;
use super::files::say_what_is_awaited;
use crate::batch::run::{SolveRun, Summary};
use crate::logging;

/// Answers every position of the input.
///
/// # Errors
/// If the answers cannot be written, a file cannot be used, or the hash tables cannot be allocated.
pub fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let options = arguments.options()?;
    if options.input.files.is_empty() {
        say_what_is_awaited("positions, each a line of 64 cells X O - and the side to move");
    }
    if arguments.dry_run {
        return Ok(dry_run::run(&options.input)?);
    }
    if arguments.estimate {
        return estimate::run(&options);
    }
    // Not where the answers are seen on the same terminal.
    let are_seen = options.output.is_none() && io::stdout().is_terminal();
    let is_hidden = are_seen && io::stderr().is_terminal();
    let mut hopeless = (!options.method.has_limit()).then(|| Hopeless::new(&options.input));
    let mut run = SolveRun::open(options)?;
    let mut progress = (!is_hidden).then(|| ProgressLine::new(run.outlook()));
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
    report(arguments, &summary)?;
    run.write_statistics(&summary.counted)?;
    Ok(Exit::of_answers(summary.has_faults(), summary.unsolved()))
}

/// Says on standard error what went wrong, and what was counted.
fn report(arguments: &Arguments, summary: &Summary) -> anyhow::Result<()> {
    for error in &summary.errors {
        logging::error(error);
    }
    // Standard error may be closed.
    let mut out = io::stderr();
    if arguments.check {
        let _ = writeln!(out, "{}", summary.counted.check_text());
    }
    if let Some(counts) = &summary.counts {
        let _ = match arguments.json {
            true => writeln!(out, "{}", serde_json::to_string(counts)?),
            false => writeln!(out, "{counts}"),
        };
    }
    Ok(())
}
