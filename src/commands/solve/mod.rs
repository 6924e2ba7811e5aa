//! `emilia solve`: exact or win/loss/draw results of a stream of positions, and claims about them.
//!
//! The work is that of `crate::batch::run`; here are the arguments, and what is said to a person.

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
use crate::batch::run::{SolveRun, Summary};
use crate::logging;

/// Answers every position of the input.
///
/// # Errors
/// If the answers cannot be written, a file cannot be used, or the hash tables cannot be allocated.
pub fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    if arguments.dry_run {
        return Ok(dry_run::run(&arguments.reader(), &arguments.files)?);
    }
    if arguments.estimate {
        return estimate::run(arguments);
    }
    arguments.check_names()?;
    let mut run = SolveRun::open(arguments.options())?;
    let are_seen = arguments.output.is_none() && io::stdout().is_terminal();
    let mut progress = ProgressLine::new(are_seen, run.outlook());
    let has_limit = arguments.max_nodes.is_some() || arguments.max_time.is_some();
    let mut hopeless = (!has_limit).then(|| Hopeless::new(&arguments.files));
    run.start(move |task| {
        if let Some(hopeless) = &mut hopeless {
            hopeless.note(task);
        }
    })?;
    let counted = run.write_answers(|counted| progress.update(counted))?;
    progress.end();
    let summary = run.finish(counted)?;
    report(arguments, &summary)?;
    run.write_statistics(&summary.counted)?;
    Ok(match summary.unsolved() {
        _ if summary.has_faults() => Exit::FAILURE,
        0 => Exit::SUCCESS,
        _ => Exit::UNSOLVED,
    })
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
