//! Players inside this process: Emilia's own search, and the baseline player.

use std::time::{Duration, Instant};

use super::{Action, Budget, Choice, Fault, Player, Settings, Turn, cpu};
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
    /// CPU time of its moves; `None` with helper threads, whose time is not known.
    used: Option<Duration>,
}

impl Internal {
    /// A searcher of its own for each player.
    pub(super) fn new(settings: &Settings) -> Result<Internal, Fault> {
        let options = SearchOptions {
            threads: settings.threads.unwrap_or(1),
            hash_mb: settings.hash.unwrap_or(HASH_MB),
        };
        let used = (options.threads == 1).then_some(Duration::ZERO);
        let searcher = Searcher::new(Evaluator::embedded(), options);
        let searcher = searcher.map_err(|error| Fault::Crash(error.to_string()))?;
        Ok(Internal { searcher, used })
    }
}

impl Player for Internal {
    fn new_game(&mut self) -> Result<(), Fault> {
        self.searcher.forget();
        Ok(())
    }

    fn choose(&mut self, turn: &Turn<'_>) -> Result<(Choice, Duration), Fault> {
        let clock = turn.clock();
        let mut limits = Limits::default();
        match clock.budget() {
            Budget::Untimed => {}
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
        timed(&mut self.used, || {
            let outcome = self
                .searcher
                .search(board, &limits, &Control::new(), &mut |_| {});
            let line = outcome.lines.first();
            Ok(Choice {
                score: line.map(|line| line.score.to_f64()),
                depth: line.map(|line| line.depth),
                ..play(outcome.best)?
            })
        })
    }

    fn cpu_time(&self) -> Option<Duration> {
        self.used
    }
}

/// The baseline player: no memory, a fixed depth.
pub(super) struct Baseline {
    used: Option<Duration>,
}

impl Default for Baseline {
    fn default() -> Baseline {
        Baseline {
            used: Some(Duration::ZERO),
        }
    }
}

impl Player for Baseline {
    fn new_game(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    fn choose(&mut self, turn: &Turn<'_>) -> Result<(Choice, Duration), Fault> {
        let depth = match turn.clock().budget() {
            Budget::Depth(depth) => depth,
            _ => BASELINE_DEPTH,
        };
        timed(&mut self.used, || {
            let best = baseline::best_move(turn.game.position().board, depth);
            Ok(Choice {
                depth: Some(depth),
                ..play(best)?
            })
        })
    }

    fn cpu_time(&self) -> Option<Duration> {
        self.used
    }
}

/// Makes a choice, measures its time, and adds its CPU time to `used`.
fn timed(
    used: &mut Option<Duration>,
    choose: impl FnOnce() -> Result<Choice, Fault>,
) -> Result<(Choice, Duration), Fault> {
    let (start, cpu_start) = (Instant::now(), cpu::of_this_thread());
    let choice = choose()?;
    let time = start.elapsed();
    let since = |start| Some(cpu::of_this_thread()?.saturating_sub(start?));
    *used = used.and_then(|used| Some(used + since(cpu_start)?));
    Ok((choice, time))
}

fn play(mv: Option<Move>) -> Result<Choice, Fault> {
    let no_move = || Fault::Garbage("no move".to_owned());
    mv.map(|mv| Choice::of(Action::Play(mv)))
        .ok_or_else(no_move)
}
