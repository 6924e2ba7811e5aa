//! How often games reached a position. That steers how a book grows; it never says what a position is worth.

use std::collections::HashMap;

use super::learn::positions_of;
use super::record::{Key, pack};
use super::tree::Tree;
use crate::rules::{Board, Game};

/// The games that reached each position, up to symmetry.
#[derive(Clone, Debug, Default)]
pub struct PlayedGames {
    /// All games.
    games: u64,
    counts: HashMap<Key, u64>,
}

impl PlayedGames {
    /// The games that a book has counted.
    pub fn of(tree: &Tree) -> PlayedGames {
        let counts = tree.iter().filter_map(|(board, entry)| {
            let games = entry.counts.games();
            (games > 0).then(|| (pack(board), games))
        });
        let counts: HashMap<Key, u64> = counts.collect();
        PlayedGames {
            games: counts.values().copied().max().unwrap_or(0),
            counts,
        }
    }

    /// Counts one more game; `false`: it does not begin with the usual start, and is left out.
    pub fn add(&mut self, game: &Game) -> bool {
        let before = self.games;
        for position in positions_of(game) {
            self.games = before + 1;
            let key = pack(position.board.canonical());
            *self.counts.entry(key).or_default() += 1;
        }
        self.games > before
    }

    /// How rare a position is: how often the number of games was halved on the way there. `None`: no game
    /// reached it.
    pub fn halvings(&self, board: Board) -> Option<f64> {
        let count = self.counts.get(&pack(board.canonical()))?;
        Some((self.games as f64 / *count as f64).log2())
    }
}
