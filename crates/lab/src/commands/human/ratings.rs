//! `emilia-lab human ratings`: players rated by the results of their games.

use std::io::{self, Write};

use anyhow::ensure;
use clap::Args;

use super::games::{self, GameFiles};
use emilia::commands::Exit;

/// The arguments of `emilia-lab human ratings`.
#[derive(Args, Debug)]
pub(super) struct Arguments {
    #[command(flatten)]
    files: GameFiles,
}

/// Prints a line for each player and year: name, year and rating, with tabs between them.
///
/// # Errors
/// If a file cannot be read, or no game has two names, a year and a result.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let ratings = games::ratings(&arguments.files.read()?);
    ensure!(
        ratings.players() > 0,
        "no game has two names, a year and a result"
    );
    let mut out = io::stdout().lock();
    for (name, year, rating) in ratings.all() {
        writeln!(out, "{name}\t{year}\t{rating}")?;
    }
    out.flush()?;
    Ok(Exit::SUCCESS)
}
