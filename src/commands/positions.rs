//! `emilia positions`: endgame positions from seeded games, with proven scores.
//!
//! The games are the baseline player's (or those of a file), and the scores the reference solver's, so the
//! same arguments write the same file in every version of Emilia.

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::ensure;
use clap::{Args, ValueEnum};

use super::Exit;
use super::files;
use crate::formats::obf::Problem;
use crate::oracle::{baseline, reference};
use crate::random::SplitMix64;
use crate::rules::{Game, Position};
use crate::text::counted;

/// The arguments of `emilia positions`.
#[derive(Args, Debug)]
pub struct Arguments {
    /// Seed of the games
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of positions, no two of them symmetric
    #[arg(long, default_value_t = 100)]
    count: usize,
    /// Fewest empty squares
    #[arg(long, default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..=50))]
    min_empties: u32,
    /// Most empty squares
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..=50))]
    max_empties: u32,
    /// Take the positions from the games of this file, of any kind that `analyze` reads
    #[arg(long, value_name = "FILE")]
    games: Option<PathBuf>,
    /// Random plies at the start of each game
    #[arg(long, default_value_t = 10, conflicts_with = "games")]
    random_plies: usize,
    /// Search depth of both players in plies
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=10), conflicts_with = "games")]
    depth: u32,
    /// What to prove (up to about 16 empties)
    #[arg(long, value_enum, default_value_t = Scores::None)]
    scores: Scores,
}

/// Which scores are proven and written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Scores {
    /// None: boards alone
    None,
    /// The value of each position
    Value,
    /// The score of each move
    Moves,
}

/// Writes OBF lines under a comment with the command that makes them again.
///
/// # Errors
/// If standard output cannot be written, or the games have too few positions.
pub fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    ensure!(
        arguments.min_empties <= arguments.max_empties,
        "--min-empties is larger than --max-empties"
    );
    let mut out = io::stdout().lock();
    writeln!(out, "% {}", arguments.command_line())?;
    let games = arguments.read_games()?;
    let mut random = SplitMix64::new(arguments.seed);
    let mut seen = HashSet::new();
    // Deep in the game nearly every position is new; near the start few are.
    let most_games = 100 * arguments.count + 1000;
    for _ in 0..most_games {
        if seen.len() == arguments.count {
            break;
        }
        let Some(position) = arguments.draw(&games, &mut random) else {
            continue;
        };
        if seen.insert(position.board.canonical()) {
            writeln!(out, "{}", arguments.problem(position))?;
            out.flush()?;
        }
    }
    ensure!(
        seen.len() == arguments.count,
        "only {} in {most_games} games drawn",
        counted(seen.len(), "different position")
    );
    Ok(Exit::SUCCESS)
}

impl Arguments {
    /// The command that makes the same file.
    fn command_line(&self) -> String {
        let scores = self.scores.to_possible_value().expect("none is hidden");
        let scores = scores.get_name();
        let games = match &self.games {
            Some(path) => format!("--games {}", path.display()),
            None => format!(
                "--random-plies {} --depth {}",
                self.random_plies, self.depth
            ),
        };
        format!(
            "emilia positions --seed {} --count {} --min-empties {} --max-empties {} \
             {games} --scores {scores}",
            self.seed, self.count, self.min_empties, self.max_empties
        )
    }

    /// The games of the file, none if there is no file.
    fn read_games(&self) -> anyhow::Result<Vec<Game>> {
        let Some(path) = &self.games else {
            return Ok(Vec::new());
        };
        let games = files::read_openings(path)?;
        ensure!(!games.is_empty(), "{} holds no game", path.display());
        Ok(games)
    }

    /// One position of one of `games`, or of a new game if there are none; nothing if
    /// that game is over before.
    fn draw(&self, games: &[Game], random: &mut SplitMix64) -> Option<Position> {
        let empties = random.within(self.min_empties..=self.max_empties);
        if games.is_empty() {
            let game = baseline::self_play(random, self.random_plies, self.depth);
            return position_with(&game, empties);
        }
        position_with(random.choose(games)?, empties)
    }

    /// The problem line of a position.
    fn problem(&self, position: Position) -> Problem {
        let mut problem = Problem::new(position);
        match self.scores {
            Scores::None => {}
            Scores::Value => problem.value = Some(reference::solve(position.board).score),
            Scores::Moves => problem.moves = reference::score_moves(position.board),
        }
        problem
    }
}

/// The first position of `game` with this many empties, if the game is not over there.
fn position_with(game: &Game, empties: u32) -> Option<Position> {
    let mut positions = game.positions().take(game.moves().len());
    positions.find(|position| position.board.empty_count() == empties)
}
