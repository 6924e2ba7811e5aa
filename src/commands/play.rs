//! `emilia`, `emilia uci` and the other names of hosts: serves one on standard input and output.

use std::io;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;

use crate::engine::{Level, Strength};
use crate::protocol::{self, Host, Preferences};
use crate::search::{SearchOptions, parse_hash_mb};

/// How the engine plays, for hosts that cannot set it.
#[derive(Args, Clone, Copy, Debug)]
pub struct Arguments {
    /// Strength, 1 the weakest to 12 (emilia-levels in GTP tells what they are)
    #[arg(long, value_name = "N", value_parser = level, conflicts_with_all = ["depth", "move_time"])]
    level: Option<Level>,
    /// Plies to search; the end of the game is solved from about twice as far
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=60), conflicts_with = "move_time")]
    depth: Option<u32>,
    /// Seconds for each move
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    move_time: Option<Duration>,
    /// Think on the opponent's time (GTP)
    #[arg(long)]
    ponder: bool,
    /// Threads that search one position
    #[arg(long, value_name = "N", default_value_t = SearchOptions::default().threads as u16, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,
    /// Megabytes of the transposition table [default: 256]
    #[arg(long, value_name = "MB", value_parser = parse_hash_mb)]
    hash: Option<usize>,
}

impl Arguments {
    fn preferences(&self) -> Preferences {
        let level = self.level.map(Strength::Level);
        let depth = self.depth.map(Strength::Depth);
        let time = self.move_time.map(Strength::MoveTime);
        Preferences {
            options: SearchOptions {
                threads: self.threads.into(),
                hash_mb: self.hash.unwrap_or(SearchOptions::default().hash_mb),
            },
            strength: level.or(depth).or(time).unwrap_or_default(),
            ponders: self.ponder,
        }
    }
}

/// Speaks with `host` until it quits or its input ends.
///
/// # Errors
/// If standard input cannot be read or standard output cannot be written.
pub fn run(host: Host) -> anyhow::Result<ExitCode> {
    serve(host, Preferences::default())
}

/// The same as [`run`], with the strength that `arguments` choose.
///
/// # Errors
/// As for [`run`]; if there is no memory for a table that was asked for.
pub fn run_with(host: Host, arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let preferences = arguments.preferences();
    if arguments.hash.is_some() {
        preferences.options.check()?;
    }
    serve(host, preferences)
}

fn serve(host: Host, preferences: Preferences) -> anyhow::Result<ExitCode> {
    protocol::serve(host, preferences, io::stdin(), io::stdout())?;
    Ok(ExitCode::SUCCESS)
}

fn level(text: &str) -> Result<Level, String> {
    let known = text.parse().ok().and_then(Level::new);
    known.ok_or_else(|| format!("expected 1..{}", Level::COUNT))
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok();
    seconds
        .filter(|seconds| (0.001..=1e6).contains(seconds))
        .map(Duration::from_secs_f64)
        .ok_or_else(|| "expected seconds such as 0.5".to_owned())
}
