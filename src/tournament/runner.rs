//! Running a tournament: workers take games off the schedule, several at once, and the
//! results come to one place as they are finished.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::Context;
use crossbeam_channel::{Receiver, Sender, bounded};

use super::arbiter::Seat;
use super::{Arbiter, Budget, Entrant, Fixture, GameRecord, Schedule, play_game};
use crate::rules::Game;

/// A tournament, before it is played.
pub struct Plan {
    /// Who takes part, at least two.
    pub entrants: Vec<Entrant>,
    /// Where games begin, at least one.
    pub openings: Vec<Game>,
    /// Who plays whom.
    pub schedule: Schedule,
    /// What players may spend whose entry does not say.
    pub budget: Budget,
    /// Longest silence of an engine beyond its time for thinking.
    pub patience: Duration,
    /// Games end at this many empties, by an exact solve.
    pub adjudicate: Option<u32>,
    /// Games played at once, at least 1.
    pub at_once: usize,
}

/// What to do after a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// Go on.
    Continue,
    /// Finish the games that are being played, and stop.
    Stop,
}

/// Plays the games of these numbers, and calls `finished` with each as it ends, in no
/// fixed order.
///
/// # Errors
/// If a worker cannot be set up, or `finished` fails; no further games are begun then.
pub fn run(
    plan: &Plan,
    games: impl Iterator<Item = u64> + Send,
    mut finished: impl FnMut(GameRecord) -> anyhow::Result<Next>,
) -> anyhow::Result<()> {
    let stopped = AtomicBool::new(false);
    let (fixtures_in, fixtures) = bounded(0);
    let (records_in, records) = bounded(plan.at_once);
    thread::scope(|scope| {
        for _ in 0..plan.at_once {
            let (fixtures, records_in) = (fixtures.clone(), records_in.clone());
            let mut arbiter = Arbiter::new(plan.budget, plan.patience);
            if let Some(empties) = plan.adjudicate {
                arbiter.adjudicate_at(empties)?;
            }
            thread::Builder::new()
                .name("game".to_owned())
                .stack_size(16 << 20)
                .spawn_scoped(scope, move || work(plan, arbiter, &fixtures, &records_in))
                .context("cannot start a thread")?;
        }
        drop((fixtures, records_in));
        let (schedule, stopped) = (&plan.schedule, &stopped);
        scope.spawn(move || {
            for game in games {
                let fixture = schedule.fixture(game);
                if stopped.load(Ordering::Relaxed) || fixtures_in.send(fixture).is_err() {
                    break;
                }
            }
        });
        let mut result = Ok(());
        for record in records {
            // After a failure or a stop the games in play are still taken in.
            match finished(record) {
                Ok(Next::Continue) => {}
                Ok(Next::Stop) => stopped.store(true, Ordering::Relaxed),
                Err(error) => {
                    stopped.store(true, Ordering::Relaxed);
                    result = result.and(Err(error));
                }
            }
        }
        result
    })
}

/// A worker has a seat for every entrant, so that engines run on from game to game.
fn work(
    plan: &Plan,
    mut arbiter: Arbiter,
    fixtures: &Receiver<Fixture>,
    records: &Sender<GameRecord>,
) {
    let mut seats: Vec<Seat> = plan.entrants.iter().cloned().map(Seat::new).collect();
    for fixture in fixtures {
        let opening = &plan.openings[fixture.opening];
        let Ok([black, white]) = seats.get_disjoint_mut([fixture.black, fixture.white]) else {
            continue;
        };
        let mut record = play_game(&mut arbiter, opening, black, white);
        record.game = fixture.game;
        record.opening = fixture.opening as u64 + 1;
        if records.send(record).is_err() {
            break;
        }
    }
}
