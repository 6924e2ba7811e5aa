//! `emilia`, `emilia uci` and the other names of protocols: serves a host on standard
//! input and output. Each protocol has the flags that its hosts have no words for.

use std::io;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;

use crate::engine::{Level, Strength};
use crate::protocol::{self, Preferences, Protocol};
use crate::search::SearchOptions;

/// Most megabytes of the table.
const MAX_HASH_MB: u64 = 1 << 28;

/// What any host may be given.
#[derive(Args, Clone, Copy, Debug)]
pub struct Resources {
    /// Threads that search one position
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,
    /// Megabytes of the transposition table
    #[arg(long, value_name = "MB", default_value_t = 256, allow_negative_numbers = true, value_parser = clap::value_parser!(u64).range(1..=MAX_HASH_MB))]
    hash: u64,
}

/// For hosts that tell how strongly to play in their own way, or not at all.
#[derive(Args, Clone, Copy, Debug)]
pub struct Playing {
    /// Strength, 1 the weakest to 12 (emilia-levels in GTP tells what they are)
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = level, conflicts_with_all = ["depth", "move_time"])]
    level: Option<Level>,
    /// Plies to search; the end of the game is solved from about twice as far
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=60), conflicts_with = "move_time")]
    depth: Option<u32>,
    /// Seconds for each move
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = seconds)]
    move_time: Option<Duration>,
    #[command(flatten)]
    resources: Resources,
}

/// For GTP.
#[derive(Args, Clone, Copy, Debug)]
pub struct GtpArguments {
    /// Think on the opponent's time
    #[arg(long)]
    ponder: bool,
    #[command(flatten)]
    playing: Playing,
}

impl From<Resources> for Preferences {
    fn from(arguments: Resources) -> Preferences {
        Preferences {
            options: SearchOptions {
                threads: arguments.threads.into(),
                hash_mb: arguments.hash as usize,
            },
            ..Preferences::default()
        }
    }
}

impl From<Playing> for Preferences {
    fn from(arguments: Playing) -> Preferences {
        let level = arguments.level.map(Strength::Level);
        let depth = arguments.depth.map(Strength::Depth);
        let time = arguments.move_time.map(Strength::MoveTime);
        Preferences {
            strength: level.or(depth).or(time).unwrap_or_default(),
            ..arguments.resources.into()
        }
    }
}

impl From<GtpArguments> for Preferences {
    fn from(arguments: GtpArguments) -> Preferences {
        Preferences {
            ponders: arguments.ponder,
            ..arguments.playing.into()
        }
    }
}

/// Serves a host until it quits or its input ends; without a protocol, the host's first
/// line tells which one it is.
///
/// # Errors
/// If the engine cannot be started, or standard output cannot be written.
pub fn run(
    protocol: Option<&Protocol>,
    preferences: impl Into<Preferences>,
) -> anyhow::Result<ExitCode> {
    protocol::serve(protocol, preferences.into(), io::stdin(), io::stdout())?;
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
