//! Running a tournament: workers play the games of the schedule, several at once, and one thread
//! collects the results.

use std::iter;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Context, anyhow};
use crossbeam_channel::{Sender, bounded};

use super::arbiter::Seat;
use super::{Arbiter, Budget, Entrant, GameRecord, Schedule, Stop, play_game};
use crate::faults;
use crate::rules::Game;
use crate::threads::{self, Stack};

/// A tournament, before it is played.
pub struct Plan {
    /// Who takes part, at least two.
    pub entrants: Vec<Entrant>,
    /// The openings, at least one.
    pub openings: Vec<Game>,
    /// Who plays whom.
    pub schedule: Schedule,
    /// The budget of players whose entry has none.
    pub budget: Budget,
    /// Longest silence of an engine beyond its time for thinking.
    pub patience: Duration,
    /// Games end at this many empties, by an exact solve.
    pub adjudicate: Option<u32>,
    /// Games played at once, at least 1.
    pub at_once: usize,
    /// Ends it before its time.
    pub stop: Stop,
}

impl Plan {
    /// The budget of this entrant.
    pub fn budget_of(&self, entrant: &Entrant) -> Budget {
        entrant.budget_or(self.budget)
    }

    /// A seat for every entrant; no engine is started yet.
    fn seats(&self) -> Vec<Seat> {
        let seat = |entrant: &Entrant| {
            Seat::new(entrant.clone(), self.budget_of(entrant), self.stop.clone())
        };
        self.entrants.iter().map(seat).collect()
    }
}

/// Starts the engines, and plays the games of these numbers. Calls `finished` with each as it ends, in no
/// fixed order; it returns whether more games are to be started.
///
/// # Errors
/// If no worker can be set up, an engine cannot be started, also later, or `finished` fails. Games
/// that are being played are finished then, and no others are started. If a worker panics, all end at
/// once, as when `plan.stop` says so; games that were not finished are then as if never begun.
pub fn run(
    plan: &Plan,
    games: impl Iterator<Item = u64> + Send,
    mut finished: impl FnMut(GameRecord) -> anyhow::Result<ControlFlow<()>>,
) -> anyhow::Result<()> {
    let queue = &Mutex::new(games);
    let stopped = &AtomicBool::new(false);
    let next_game = move || {
        let goes_on = !stopped.load(Ordering::Relaxed) && !plan.stop.is_over();
        goes_on.then(|| queue.lock().ok()?.next()).flatten()
    };
    let (sender, results) = bounded(plan.at_once);
    thread::scope(|scope| {
        // Dropped with an error: workers without seats end.
        let (seat_sender, seats) = bounded(plan.at_once);
        // Before the engines, which may take all threads that there are.
        let start = |number: usize| -> anyhow::Result<()> {
            let arbiter = Arbiter::new(plan.patience, plan.adjudicate, plan.stop.clone());
            let arbiter = arbiter.context("cannot set up the solver that adjudicates")?;
            let (seats, sender) = (seats.clone(), sender.clone());
            let work = move || {
                let Ok(seats) = seats.recv() else {
                    return;
                };
                let worked = faults::caught(|| work(plan, arbiter, seats, next_game, &sender));
                if let Err(reason) = worked {
                    plan.stop.all();
                    let _ = sender.send(Err(anyhow!("a thread has failed: {reason}")));
                }
            };
            let name = format!("games {number}");
            let thread = threads::spawn_scoped(scope, &name, Stack::Search, work);
            thread.map(drop).context("cannot start a thread")
        };
        let workers = start_workers(plan.at_once, start)?;
        drop(sender);
        // A match that cannot be played fails before its first game.
        let mut first = plan.seats();
        first
            .iter_mut()
            .try_for_each(|seat| seat.start(plan.patience))?;
        let others = iter::repeat_with(|| plan.seats());
        for seats in iter::once(first).chain(others).take(workers) {
            let _ = seat_sender.send(seats);
        }
        let mut result = Ok(());
        for record in results {
            // After a failure or a stop the games that are being played are still counted.
            let next = record.and_then(&mut finished);
            if !matches!(next, Ok(ControlFlow::Continue(()))) {
                stopped.store(true, Ordering::Relaxed);
            }
            result = result.and(next.map(|_| ()));
        }
        result
    })
}

/// Starts this many workers, or as many as there can be, at least one; returns how many.
fn start_workers(
    wanted: usize,
    start: impl Fn(usize) -> anyhow::Result<()>,
) -> anyhow::Result<usize> {
    for number in 0..wanted {
        match start(number) {
            Err(error) if number > 0 => {
                log::warn!("only {number} games at once, not {wanted}: {error:#}");
                return Ok(number);
            }
            started => started?,
        }
    }
    Ok(wanted)
}

/// A worker; its engines keep running from game to game.
fn work(
    plan: &Plan,
    mut arbiter: Arbiter,
    mut seats: Vec<Seat>,
    mut next_game: impl FnMut() -> Option<u64>,
    results: &Sender<anyhow::Result<GameRecord>>,
) {
    while let Some(game) = next_game() {
        let fixture = plan.schedule.fixture(game);
        let opening = &plan.openings[fixture.opening];
        let Ok([black, white]) = seats.get_disjoint_mut([fixture.black, fixture.white]) else {
            continue;
        };
        let played = play_game(&mut arbiter, game, opening, black, white);
        if plan.stop.is_over() {
            break;
        }
        let failed = played.is_err();
        let numbered = played.map(|record| GameRecord {
            opening: fixture.opening as u64 + 1,
            ..record
        });
        if results.send(numbered.map_err(Into::into)).is_err() || failed {
            break;
        }
    }
}
