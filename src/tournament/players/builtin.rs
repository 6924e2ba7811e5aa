//! Players inside this process: Emilia's own search, and the baseline player.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::time::{Duration, Instant};

use super::{
    Action, Budget, ChosenMove, Player, PlayerClock, PlayerFault, PlayerTurn, Settings, Stop, cpu,
};
use crate::engine::{self, Patience};
use crate::eval::Evaluator;
use crate::oracle::baseline;
use crate::proof::strategy::{self, Strategy};
use crate::random::SplitMix64;
use crate::rules::{Move, Position};
use crate::search::{Control, Limits, SearchOptions, Searcher, TimeLimit};

/// Table memory of the internal engine in megabytes, unless set.
const HASH_MB: usize = 64;

/// Depth of the baseline player where its budget is not a depth, in plies.
const BASELINE_DEPTH: u32 = 6;

/// A player that chooses its moves in the calling thread.
#[derive(Default)]
pub(super) struct Builtin {
    /// Emilia and its search; `None`: the baseline player, which has no memory.
    emilia: Option<(engine::Player, Searcher)>,
    /// What is played by look-up.
    proven: Vec<Strategy>,
    /// CPU time of its moves; `None` with helper threads, whose time is not known.
    used: Option<Duration>,
    reserve: TimeReserve,
    /// What moves of the book are drawn from in all games; 0: from something else each time.
    book_seed: u64,
    /// Ends its searches.
    control: Control,
}

/// What is kept of a fixed time for a move, as the machine may be busy with other work; `None`: no move has
/// shown it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct TimeReserve(Option<Duration>);

impl TimeReserve {
    /// The time to search where `time` is allowed.
    fn of(self, time: Duration) -> Duration {
        time - self.kept(time)
    }

    fn kept(self, time: Duration) -> Duration {
        self.0.unwrap_or(time / 8).min(time / 2)
    }

    /// A move took so long, where `time` was allowed: twice what the search was late is kept of the next moves,
    /// and a little less with each one in time. A busy machine stays busy for a while.
    fn note(&mut self, time: Duration, took: Duration) {
        let late = took.saturating_sub(self.of(time));
        let kept = self.kept(time);
        self.0 = Some((2 * late).max(kept - kept / 64));
    }
}

impl Builtin {
    /// Emilia's search, a searcher of its own for each player.
    pub(super) fn search(settings: &Settings, stop: &Stop) -> Result<Builtin, PlayerFault> {
        let simulated = settings.simulated_threads;
        let options = SearchOptions {
            threads: simulated.or(settings.threads).unwrap_or(1),
            hash_mb: settings.hash.unwrap_or(HASH_MB),
        };
        let evaluator = Evaluator::embedded();
        // Before the clock of its first move runs.
        evaluator.unpack();
        let searcher = match simulated {
            Some(_) => Searcher::simulating(evaluator, options),
            None => Searcher::new(evaluator, options),
        };
        let searcher = searcher.map_err(|error| PlayerFault::Crash(error.to_string()))?;
        let proven = settings.proof.as_deref().map(read_proof).transpose()?;
        let mut player = engine::Player::default();
        player.set_book_variety(settings.book_variety as f64 / 100.0);
        player.set_book_style(settings.book_style);
        let opened = player.set_book(settings.book.as_deref());
        opened.map_err(PlayerFault::Crash)?;
        Ok(Builtin {
            emilia: Some((player, searcher)),
            proven: proven.unwrap_or_default(),
            used: (options.threads == 1).then_some(Duration::ZERO),
            reserve: TimeReserve::default(),
            book_seed: settings.book_seed as u64,
            control: stop.control().clone(),
        })
    }

    /// The baseline player, at a fixed depth.
    pub(super) fn baseline() -> Builtin {
        Builtin {
            used: Some(Duration::ZERO),
            ..Builtin::default()
        }
    }

    /// The move of a proof, if one knows the position.
    fn proven_move(&self, position: Position) -> Option<Move> {
        let is_ours = |strategy: &&Strategy| strategy.claimant == position.side;
        let mut ours = self.proven.iter().filter(is_ours);
        let chosen = ours.find_map(|strategy| strategy.choose(position.board));
        chosen.map(Move::Place)
    }
}

/// Bytes of memory for the positions of a proof while it is read; more go to temporary files.
const PROOF_MEMORY: usize = 256 << 20;

fn read_proof(path: &Path) -> Result<Vec<Strategy>, PlayerFault> {
    let fault = |error: &dyn std::fmt::Display| {
        let name = path.display();
        PlayerFault::Crash(format!("cannot read the proof {name}: {error}"))
    };
    let file = File::open(path).map_err(|error| fault(&error))?;
    let read = strategy::read(BufReader::new(file), PROOF_MEMORY);
    read.map(|(_, strategies)| strategies)
        .map_err(|error| fault(&error))
}

impl Player for Builtin {
    fn new_game(&mut self, number: u64) -> Result<(), PlayerFault> {
        if let Some((player, searcher)) = &mut self.emilia {
            searcher.forget();
            // A game has its own draws, whoever plays it and whatever came before.
            if self.book_seed != 0 {
                let mut seeds = SplitMix64::new(self.book_seed ^ number.rotate_left(32));
                player.set_book_seed(seeds.next_u64() | 1);
            }
        }
        Ok(())
    }

    fn choose(&mut self, turn: &PlayerTurn<'_>) -> Result<(ChosenMove, Duration), PlayerFault> {
        let (start, cpu_start) = (Instant::now(), cpu::of_this_thread());
        let (position, budget) = (turn.game.position(), turn.clock().budget());
        let board = position.board;
        let proven = self.proven_move(position);
        let (best, score, depth) = match &mut self.emilia {
            _ if proven.is_some() => (proven, None, None),
            Some((player, searcher)) => {
                let limits = limits(&turn.clock(), self.reserve);
                let job = player.choose_within(board, limits, Patience::Bounded);
                let job = job.controlled_by(self.control.clone());
                let outcome = job.run(searcher, &mut |_| {});
                let line = outcome.lines.first();
                let score = line.map(|line| line.score.to_f64());
                (outcome.best, score, line.map(|line| line.depth))
            }
            None => {
                let depth = match budget {
                    Budget::Depth(depth) => depth,
                    _ => BASELINE_DEPTH,
                };
                (baseline::best_move(board, depth), None, Some(depth))
            }
        };
        let time = start.elapsed();
        if let Budget::MoveTime(allowed) = budget {
            self.reserve.note(allowed, time);
        }
        let since = |start| Some(cpu::of_this_thread()?.saturating_sub(start?));
        self.used = self.used.and_then(|used| Some(used + since(cpu_start)?));
        let best = best.ok_or_else(|| PlayerFault::Garbage("no move".to_owned()))?;
        let choice = ChosenMove {
            action: Action::Play(best),
            score,
            depth,
        };
        Ok((choice, time))
    }

    fn cpu_time(&self) -> Option<Duration> {
        self.used
    }
}

/// The limits of the search by the clock.
fn limits(clock: &PlayerClock, reserve: TimeReserve) -> Limits {
    let mut limits = Limits::default();
    match clock.budget() {
        Budget::Untimed => {}
        Budget::Depth(depth) => limits.depth = Some(depth),
        Budget::Nodes(nodes) => limits.nodes = Some(nodes),
        Budget::MoveTime(time) => limits.time = TimeLimit::Move(reserve.of(time)),
        Budget::Clock { increment, .. } => {
            limits.time = TimeLimit::Clock {
                remaining: clock.remaining(),
                increment,
                moves_to_go: None,
            }
        }
    }
    limits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_that_was_late_leaves_a_reserve_that_shrinks_again() {
        let milliseconds = Duration::from_millis;
        let allowed = milliseconds(100);
        let mut reserve = TimeReserve::default();
        assert_eq!(reserve.of(allowed), allowed - allowed / 8);
        reserve.note(allowed, milliseconds(80));
        assert!(
            reserve.of(allowed) > allowed - allowed / 8,
            "it was in time"
        );
        reserve.0 = Some(Duration::ZERO);
        reserve.note(allowed, milliseconds(115));
        assert_eq!(reserve.of(allowed), milliseconds(70));
        reserve.note(allowed, milliseconds(200));
        assert_eq!(reserve.of(allowed), milliseconds(50), "at most a half");
        for _ in 0..400 {
            reserve.note(allowed, milliseconds(20));
        }
        assert!(reserve.of(allowed) > milliseconds(99));
    }
}
