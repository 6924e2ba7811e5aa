//! Players inside this process: Emilia's own search, and the baseline player.

use std::time::Instant;

use super::{Action, Budget, Choice, Fault, Player, Settings, Turn};
use crate::eval::Evaluator;
use crate::oracle::baseline;
use crate::rules::Move;
use crate::search::{Control, Limits, SearchOptions, Searcher, TimeLimit};

/// Table memory of the internal engine in megabytes, unless set.
const HASH_MB: usize = 64;

/// Depth of the baseline player where its budget is not a depth, in plies.
const BASELINE_DEPTH: u32 = 6;

/// Emilia's search.
pub(super) struct Internal {
    searcher: Searcher,
}

impl Internal {
    /// A searcher of its own for each player.
    pub(super) fn new(settings: &Settings) -> Result<Internal, Fault> {
        let options = SearchOptions {
            threads: settings.threads.unwrap_or(1),
            hash_mb: settings.hash.unwrap_or(HASH_MB),
        };
        let searcher = Searcher::new(Evaluator::embedded(), options);
        let searcher = searcher.map_err(|error| Fault::Crash(error.to_string()))?;
        Ok(Internal { searcher })
    }
}

impl Player for Internal {
    fn new_game(&mut self) -> Result<(), Fault> {
        self.searcher.forget();
        Ok(())
    }

    fn choose(&mut self, turn: &Turn<'_>) -> Result<Choice, Fault> {
        let start = Instant::now();
        let clock = turn.clock();
        let mut limits = Limits::default();
        match clock.budget() {
            Budget::Depth(depth) => limits.depth = Some(depth),
            Budget::Nodes(nodes) => limits.nodes = Some(nodes),
            Budget::MoveTime(time) => limits.time = TimeLimit::Move(time),
            Budget::Clock { increment, .. } => {
                limits.time = TimeLimit::Clock {
                    remaining: clock.remaining(),
                    increment,
                    moves_to_go: None,
                }
            }
        }
        let board = turn.game.position().board;
        let outcome = self
            .searcher
            .search(board, &limits, &Control::new(), &mut |_| {});
        let line = outcome.lines.first();
        Ok(Choice {
            action: play(outcome.best)?,
            time: start.elapsed(),
            score: line.map(|line| line.score.to_f64()),
            depth: line.map(|line| line.depth),
        })
    }
}

/// The baseline player: no memory, a fixed depth.
pub(super) struct Baseline;

impl Player for Baseline {
    fn new_game(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    fn choose(&mut self, turn: &Turn<'_>) -> Result<Choice, Fault> {
        let start = Instant::now();
        let depth = match turn.clock().budget() {
            Budget::Depth(depth) => depth,
            _ => BASELINE_DEPTH,
        };
        let best = baseline::best_move(turn.game.position().board, depth);
        Ok(Choice {
            action: play(best)?,
            time: start.elapsed(),
            score: None,
            depth: Some(depth),
        })
    }
}

fn play(mv: Option<Move>) -> Result<Action, Fault> {
    let garbage = || Fault::Garbage("no move".to_owned());
    mv.map(Action::Play).ok_or_else(garbage)
}
