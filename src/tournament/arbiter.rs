//! The arbiter: plays one game, keeps the clocks and the rules, and decides.

use std::time::Duration;

use super::players::{self, Action, MARGIN, Player, PlayerFault, PlayerTurn, StartError};
use super::record::{GameEnding, GameRecord, MoveRecord};
use super::{Budget, Entrant, PlayerClock, Stop};
use crate::eval::Evaluator;
use crate::rules::{Board, Color, Game, Move};
use crate::search::{Goal, Limits, Proof, SearchOptions, Searcher, TableError};

/// Memory of the adjudicator's table in megabytes.
const ADJUDICATOR_HASH_MB: usize = 64;

/// A place at the board: an entrant, and its engine while it runs.
pub struct Seat {
    entrant: Entrant,
    budget: Budget,
    player: Option<Box<dyn Player>>,
    stop: Stop,
}

impl Seat {
    /// A seat whose engine is started for its first game, and ended by `stop`.
    pub const fn new(entrant: Entrant, budget: Budget, stop: Stop) -> Seat {
        Seat {
            entrant,
            budget,
            player: None,
            stop,
        }
    }

    /// Starts the engine if it does not run.
    ///
    /// # Errors
    /// If it cannot be started, or does not complete its handshake.
    pub fn start(&mut self, patience: Duration) -> Result<(), StartError> {
        if self.player.is_none() {
            let player = players::start(&self.entrant, self.budget, patience, &self.stop);
            self.player = Some(player?);
        }
        Ok(())
    }

    /// Asks the running engine. If it fails it is ended; the next game starts it again.
    fn ask<T>(
        &mut self,
        question: impl FnOnce(&mut dyn Player) -> Result<T, PlayerFault>,
    ) -> Result<T, PlayerFault> {
        let ended = || PlayerFault::Crash("it does not run".to_owned());
        let player = self.player.as_mut().ok_or_else(ended)?;
        question(player.as_mut()).inspect_err(|_| self.player = None)
    }

    /// CPU time of the engine so far, if it runs.
    fn cpu_time(&self) -> Option<Duration> {
        self.player.as_ref()?.cpu_time()
    }
}

/// What all games have in common.
pub struct Arbiter {
    patience: Duration,
    adjudicator: Option<(u32, Searcher)>,
    stop: Stop,
}

impl Arbiter {
    /// An arbiter. `patience` is the longest silence of an engine beyond its time for
    /// thinking. Games end at `adjudicate` empties, by an exact solve. After `stop` no game goes on.
    ///
    /// # Errors
    /// If the memory for the solver cannot be allocated.
    pub fn new(
        patience: Duration,
        adjudicate: Option<u32>,
        stop: Stop,
    ) -> Result<Arbiter, TableError> {
        let options = SearchOptions {
            threads: 1,
            hash_mb: ADJUDICATOR_HASH_MB,
        };
        let searcher = || Searcher::new(Evaluator::embedded(), options);
        let adjudicator = adjudicate.map(|empties| Ok((empties, searcher()?)));
        Ok(Arbiter {
            patience,
            adjudicator: adjudicator.transpose()?,
            stop,
        })
    }

    /// The exact score for the side to move, if the game is far enough for that.
    fn adjudicate(&mut self, board: Board) -> Option<i32> {
        let (empties, searcher) = self.adjudicator.as_mut()?;
        if board.empty_count() > *empties {
            return None;
        }
        let limits = Limits {
            goal: Goal::EXACT,
            ..Limits::default()
        };
        let outcome = searcher.search(board, &limits, self.stop.control(), &mut |_| {});
        match outcome.lines.first()?.proof {
            Proof::Exact(score) => Some(score),
            Proof::Wld(_) | Proof::None => None,
        }
    }
}

/// A game that was lost by anything but the score on the board.
struct Forfeit {
    by: Color,
    ending: GameEnding,
    /// The time of a move that came too late.
    late: Option<Duration>,
    note: String,
}

impl Forfeit {
    fn new(by: Color, ending: GameEnding, note: String) -> Forfeit {
        Forfeit {
            by,
            ending,
            late: None,
            note,
        }
    }

    fn fault(by: Color, fault: &PlayerFault) -> Forfeit {
        let ending = match fault {
            PlayerFault::Crash(_) => GameEnding::Crash,
            PlayerFault::Hang(_) => GameEnding::Hang,
            PlayerFault::Garbage(_) => GameEnding::Garbage,
        };
        Forfeit::new(by, ending, fault.to_string())
    }
}

/// Plays the game of this number from `opening` between `black` and `white`. Whatever running engines do, it
/// ends, and has a score, which says nothing after a stop. The number of the opening is left at 0.
///
/// # Errors
/// If an engine that does not run cannot be started: then there is no game.
pub fn play_game(
    arbiter: &mut Arbiter,
    number: u64,
    opening: &Game,
    black: &mut Seat,
    white: &mut Seat,
) -> Result<GameRecord, StartError> {
    let mut record = GameRecord::begin(
        [&black.entrant.name, &white.entrant.name],
        [black.budget.to_string(), white.budget.to_string()],
        opening,
    );
    record.game = number;
    let mut seats = [black, white];
    for seat in &mut seats {
        seat.start(arbiter.patience)?;
    }
    let cpu = seats.each_ref().map(|seat| seat.cpu_time());
    match play(arbiter, opening.clone(), &mut seats, &mut record) {
        Ok((score, ending)) => (record.score, record.ending) = (score, ending),
        Err(forfeit) => {
            record.score = for_black(-64, forfeit.by);
            record.late_ms = forfeit.late.map(milliseconds);
            (record.ending, record.forfeit) = (forfeit.ending, Some(forfeit.by));
            record.note = forfeit.note;
        }
    }
    let since = |side: Color| {
        let (start, now) = (cpu[side as usize]?, seats[side as usize].cpu_time()?);
        Some(milliseconds(now.saturating_sub(start)))
    };
    record.black_cpu_ms = since(Color::Black);
    record.white_cpu_ms = since(Color::White);
    Ok(record)
}

/// The score for black of a game that ends by the rules, and the kind of its end.
fn play(
    arbiter: &mut Arbiter,
    mut game: Game,
    seats: &mut [&mut Seat; 2],
    record: &mut GameRecord,
) -> Result<(i32, GameEnding), Forfeit> {
    // Both are asked, whatever the first one answers.
    let ready = seats
        .each_mut()
        .map(|seat| seat.ask(|player| player.new_game(record.game)));
    for (side, ready) in [Color::Black, Color::White].into_iter().zip(ready) {
        ready.map_err(|fault| Forfeit::fault(side, &fault))?;
    }
    let mut clocks = seats.each_ref().map(|seat| PlayerClock::new(seat.budget));
    loop {
        let position = game.position();
        if arbiter.stop.is_over() {
            let fault = PlayerFault::Crash("the tournament was stopped".to_owned());
            return Err(Forfeit::fault(position.side, &fault));
        }
        if let Some(score) = position.result_for_black() {
            return Ok((score, GameEnding::Over));
        }
        if let Some(score) = arbiter.adjudicate(position.board) {
            return Ok((for_black(score, position.side), GameEnding::Adjudicated));
        }
        // A forced pass is not a choice of the player.
        if position.board.must_pass() && game.play(Move::Pass).is_ok() {
            record.moves.push(MoveRecord::given(Move::Pass.to_string()));
            continue;
        }
        let seat = &mut *seats[position.side as usize];
        let played = turn(&mut game, seat, &record.moves, &mut clocks)?;
        record.moves.push(played);
    }
}

/// The next move of `seat`, which is played.
fn turn(
    game: &mut Game,
    seat: &mut Seat,
    records: &[MoveRecord],
    clocks: &mut [PlayerClock; 2],
) -> Result<MoveRecord, Forfeit> {
    let position = game.position();
    let by = position.side;
    let turn = PlayerTurn {
        game,
        records,
        clocks: *clocks,
    };
    let choice = seat.ask(|player| player.choose(&turn));
    let (choice, time) = choice.map_err(|fault| Forfeit::fault(by, &fault))?;
    let clock = &mut clocks[by as usize];
    let allowed = clock.allowed().unwrap_or_default();
    if let Some(over) = clock.spend(time, seat.entrant.settings.margin.unwrap_or(MARGIN)) {
        let (over, allowed) = (over.as_millis(), allowed.as_secs_f64());
        let note = format!("lost on time: {over} ms over, {allowed:.3} s allowed");
        return Err(Forfeit {
            late: Some(time),
            ..Forfeit::new(by, GameEnding::Time, note)
        });
    }
    let Action::Play(mv) = choice.action else {
        return Err(Forfeit::new(by, GameEnding::Resigned, String::new()));
    };
    if position.play(mv).is_none() || game.play(mv).is_err() {
        let note = format!("illegal move {mv}");
        return Err(Forfeit::new(by, GameEnding::Illegal, note));
    }
    Ok(MoveRecord {
        name: mv.to_string(),
        ms: Some(milliseconds(time)),
        score: choice.score.map(round),
        depth: choice.depth,
    })
}

/// A score for `side`, as one for black.
const fn for_black(score: i32, side: Color) -> i32 {
    match side {
        Color::Black => score,
        Color::White => -score,
    }
}

/// To three decimals.
fn round(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

fn milliseconds(time: Duration) -> f64 {
    round(time.as_secs_f64() * 1000.0)
}
