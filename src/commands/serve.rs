//! `emilia`, `emilia uci` and the other names of protocols: serves a host on standard
//! input and output. Each protocol has the flags that its hosts have no words for.

use std::io::{self, Read};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::Exit;
use crate::engine::{Level, Player, Strength};
use crate::human::Rating;
use crate::protocol::{self, Preferences, Protocol};
use crate::random::SplitMix64;
use crate::search::parse_hash_mb;
use crate::text::values::{BookStyle, discs, some_seconds};

/// The opening book.
#[derive(Args, Clone, Debug)]
struct FromBook {
    /// Play from this opening book: a file (`emilia book grow` makes one), or `builtin`
    #[arg(long, value_name = "FILE")]
    book: Option<PathBuf>,
    /// Discs that moves of the book may cost in a game, on average: with more, games differ more
    #[arg(long, value_name = "DISCS", default_value_t = 0.0, requires = "book", allow_negative_numbers = true, value_parser = discs)]
    book_variety: f64,
    /// Which moves vary: `wide` draws near equal ones evenly, `people` as strong players choose them, `best` only equal ones
    #[arg(long, value_name = "STYLE", default_value = "wide", requires = "book")]
    book_style: BookStyle,
    /// Draw moves of the book from this number [default: another each time]
    #[arg(long, value_name = "N", requires = "book")]
    book_seed: Option<u64>,
}

/// What any host may be given.
#[derive(Args, Clone, Debug)]
pub struct Resources {
    /// Threads that search one position
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,
    /// Megabytes of the transposition table [default: 256]
    #[arg(long, value_name = "MB", allow_negative_numbers = true, value_parser = parse_hash_mb)]
    hash: Option<usize>,
    #[command(flatten)]
    book: FromBook,
}

/// For hosts that tell how strongly to play in their own way, or not at all.
#[derive(Args, Clone, Debug)]
pub struct Playing {
    /// Strength, 1 the weakest (docs/HOSTS.md has the table), 0 full strength: it plays as people do, and no two games are the same
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = level, conflicts_with_all = ["rating", "depth", "move_time"])]
    level: Option<Strength>,
    /// The same by rating, 1 to 3000: an average tournament player has 1500
    #[arg(long, value_name = "ELO", allow_negative_numbers = true, value_parser = rating, conflicts_with_all = ["depth", "move_time"])]
    rating: Option<Strength>,
    /// Plies to search; the end of the game is solved from about twice as far
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=60), conflicts_with = "move_time")]
    depth: Option<u32>,
    /// Seconds for each move
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = some_seconds)]
    move_time: Option<Duration>,
    /// Draw what varies between the games of a level from this number, so that they can be repeated [default: another each time]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    #[command(flatten)]
    resources: Resources,
}

/// For GTP.
#[derive(Args, Clone, Debug)]
pub struct GtpArguments {
    /// Think on the opponent's time
    #[arg(long)]
    ponder: bool,
    #[command(flatten)]
    playing: Playing,
}

/// How to start.
#[derive(Clone, Debug)]
pub struct Start {
    preferences: Preferences,
    /// Was the size of the table chosen? Then a smaller one will not do.
    needs_table: bool,
    /// The book to play from, if one was chosen.
    book: Option<FromBook>,
}

impl Default for Start {
    fn default() -> Start {
        Start {
            preferences: Preferences {
                player: Player::new(Strength::default(), fresh_seed()),
                ..Preferences::default()
            },
            needs_table: false,
            book: None,
        }
    }
}

impl Start {
    /// What conversations need, with the book opened.
    pub(super) fn preferences(mut self) -> anyhow::Result<Preferences> {
        if let Some(book) = &self.book {
            book.give_to(&mut self.preferences.player)?;
        }
        if self.needs_table {
            self.preferences.options.check()?;
        }
        Ok(self.preferences)
    }
}

fn fresh_seed() -> u64 {
    SplitMix64::fresh().next_u64()
}

impl From<Resources> for Start {
    fn from(arguments: Resources) -> Start {
        let mut start = Start::default();
        let options = &mut start.preferences.options;
        options.threads = arguments.threads.into();
        options.hash_mb = arguments.hash.unwrap_or(options.hash_mb);
        start.needs_table = arguments.hash.is_some();
        start.book = Some(arguments.book);
        start
    }
}

impl From<Playing> for Start {
    fn from(arguments: Playing) -> Start {
        let depth = arguments.depth.map(Strength::Depth);
        let time = arguments.move_time.map(Strength::MoveTime);
        let chosen = arguments.level.or(arguments.rating);
        let strength = chosen.or(depth).or(time).unwrap_or_default();
        let seed = arguments.seed.unwrap_or_else(fresh_seed);
        let mut start = Start::from(arguments.resources);
        start.preferences.player = Player::new(strength, seed);
        start
    }
}

impl From<GtpArguments> for Start {
    fn from(arguments: GtpArguments) -> Start {
        let mut start = Start::from(arguments.playing);
        start.preferences.ponders = arguments.ponder;
        start
    }
}

impl FromBook {
    /// Lets a player play from the book, if one was chosen.
    fn give_to(&self, player: &mut Player) -> anyhow::Result<()> {
        player.set_book_variety(self.book_variety);
        player.set_book_style(self.book_style);
        player.set_book_seed(self.book_seed.unwrap_or(0));
        let opened = player.set_book(self.book.as_deref());
        opened.map_err(anyhow::Error::msg)
    }
}

/// Serves a host until it quits or its input ends; without a protocol, the host's first
/// line tells which one it is.
///
/// # Errors
/// If the book cannot be read, the engine cannot be started, there is no memory for the table that was asked for, or
/// standard output cannot be written.
pub fn run(protocol: Option<&Protocol>, start: impl Into<Start>) -> anyhow::Result<Exit> {
    talk(protocol, start.into().preferences()?, io::stdin())
}

/// Serves a host that sends `input`.
pub(super) fn talk(
    protocol: Option<&Protocol>,
    preferences: Preferences,
    input: impl Read + Send + 'static,
) -> anyhow::Result<Exit> {
    protocol::serve(protocol, preferences, input, io::stdout(), is_output_closed)?;
    Ok(Exit::SUCCESS)
}

/// Has everyone who could read standard output gone?
#[cfg(unix)]
fn is_output_closed() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let output = io::stdout();
    let mut states = [PollFd::new(&output, PollFlags::empty())];
    let polled = poll(&mut states, Some(&Timespec::default()));
    let gone = PollFlags::ERR | PollFlags::HUP;
    polled.is_ok() && states[0].revents().intersects(gone)
}

/// Other systems tell it only when something is written.
#[cfg(not(unix))]
const fn is_output_closed() -> bool {
    false
}

fn level(text: &str) -> Result<Strength, String> {
    let known = text.parse().ok();
    let known = known.and_then(|number| Strength::chosen(number, 0).ok());
    known.ok_or_else(|| format!("expected 0..{}", Level::COUNT))
}

fn rating(text: &str) -> Result<Strength, String> {
    let known = text.parse().ok();
    let known = known.and_then(|elo| Strength::chosen(0, elo).ok());
    known.ok_or_else(|| format!("expected 0..{}", Rating::MAX_ELO))
}
