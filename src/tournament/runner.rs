//! Running a tournament: workers play the games of the schedule, several at once, and one thread
//! collects the results.

use std::iter;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crossbeam_channel::bounded;

use super::arbiter::Seat;
use super::{Arbiter, Budget, Entrant, GameRecord, Schedule, Stop, play_game};
use crate::pool::{self, PoolError, Team};
use crate::rules::Game;

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
    let stopped = AtomicBool::new(false);
    // Dropped with an error: workers without seats end.
    let (seat_sender, seats) = bounded(plan.at_once);
    let team = Team {
        name: "games",
        threads: plan.at_once,
        ordered: false,
    };
    // Before the engines, which may take all threads that there are.
    let make = || {
        let arbiter = Arbiter::new(plan.patience, plan.adjudicate, plan.stop.clone());
        let refused = |error| format!("cannot set up the solver that adjudicates: {error}");
        Ok(Worker {
            plan,
            arbiter: arbiter.map_err(|error| PoolError::Worker(refused(error)))?,
            seats: Vec::new(),
        })
    };
    let work = |worker: &mut Worker<'_>, game| {
        if stopped.load(Ordering::Relaxed) || plan.stop.is_over() {
            return None;
        }
        if worker.seats.is_empty() {
            worker.seats = seats.recv().ok()?;
        }
        let played = worker.play(game)?;
        stopped.fetch_or(played.is_err(), Ordering::Relaxed);
        Some(played)
    };
    pool::run(team, games, make, work, |records| {
        // A match that cannot be played fails before its first game.
        let mut first = plan.seats();
        first
            .iter_mut()
            .try_for_each(|seat| seat.start(plan.patience))?;
        let others = iter::repeat_with(|| plan.seats());
        for seats in iter::once(first).chain(others).take(plan.at_once) {
            let _ = seat_sender.send(seats);
        }
        let mut result = Ok(());
        for record in records {
            let record = record.inspect_err(|_| plan.stop.all())?;
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

/// Its engines keep running from game to game.
struct Worker<'a> {
    plan: &'a Plan,
    arbiter: Arbiter,
    seats: Vec<Seat>,
}

impl Worker<'_> {
    /// Plays a game; `None` if it was stopped.
    fn play(&mut self, game: u64) -> Option<anyhow::Result<GameRecord>> {
        let fixture = self.plan.schedule.fixture(game);
        let opening = &self.plan.openings[fixture.opening];
        let seats = [fixture.black, fixture.white];
        let [black, white] = self.seats.get_disjoint_mut(seats).ok()?;
        let played = play_game(&mut self.arbiter, game, opening, black, white);
        let numbered = played.map(|record| GameRecord {
            opening: fixture.opening as u64 + 1,
            ..record
        });
        (!self.plan.stop.is_over()).then(|| numbered.map_err(Into::into))
    }
}
