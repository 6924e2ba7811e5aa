//! The arbiter: plays one game, keeps the clocks and the rules, and decides.

use std::time::Duration;

use super::player::{self, Action, Choice, Fault, Player, Turn};
use super::record::{Ending, GameRecord, MoveRecord};
use super::{Budget, Clock, Entrant};
use crate::eval::Evaluator;
use crate::rules::{Board, Color, Game, Move};
use crate::search::{Control, Goal, Limits, Proof, SearchOptions, Searcher, TableError};

/// Memory of the adjudicator's table in megabytes.
const ADJUDICATOR_HASH_MB: usize = 64;

/// A place at the board: an entrant, and its engine while it runs.
pub struct Seat {
    entrant: Entrant,
    player: Option<Box<dyn Player>>,
}

impl Seat {
    /// A seat whose engine is started when it is first needed.
    pub const fn new(entrant: Entrant) -> Seat {
        Seat {
            entrant,
            player: None,
        }
    }

    /// What it may spend; `common` is for everyone whose entry does not say.
    fn budget(&self, common: Budget) -> Budget {
        self.entrant.settings.budget.unwrap_or(common)
    }

    /// The engine, started if it does not run.
    fn player(&mut self, patience: Duration) -> Result<&mut Box<dyn Player>, Fault> {
        if self.player.is_none() {
            self.player = Some(player::start(&self.entrant, patience)?);
        }
        self.player
            .as_mut()
            .ok_or_else(|| Fault::Crash("the engine does not run".to_owned()))
    }

    fn new_game(&mut self, patience: Duration) -> Result<(), Fault> {
        let result = self.player(patience).and_then(|player| player.new_game());
        result.inspect_err(|_| self.player = None)
    }

    /// Asks for a move. An engine that fails is ended; the next game starts it anew.
    fn choose(&mut self, turn: &Turn<'_>, patience: Duration) -> Result<Choice, Fault> {
        let result = self.player(patience).and_then(|player| player.choose(turn));
        result.inspect_err(|_| self.player = None)
    }
}

/// What all games have in common.
pub struct Arbiter {
    /// What a player may spend if its entry does not say.
    pub budget: Budget,
    /// Longest silence beyond the time for thinking.
    pub patience: Duration,
    adjudicator: Option<(u32, Searcher)>,
}

impl Arbiter {
    /// An arbiter who lets games be played to their end.
    pub const fn new(budget: Budget, patience: Duration) -> Arbiter {
        Arbiter {
            budget,
            patience,
            adjudicator: None,
        }
    }

    /// Ends games at this many empties, by an exact solve.
    ///
    /// # Errors
    /// If the memory for the solver cannot be allocated.
    pub fn adjudicate_at(&mut self, empties: u32) -> Result<(), TableError> {
        let options = SearchOptions {
            threads: 1,
            hash_mb: ADJUDICATOR_HASH_MB,
        };
        let searcher = Searcher::new(Evaluator::embedded(), options)?;
        self.adjudicator = Some((empties, searcher));
        Ok(())
    }

    /// The exact score for the side to move, if the game is far enough for that.
    fn adjudicate(&mut self, board: Board) -> Option<i32> {
        let (empties, searcher) = self.adjudicator.as_mut()?;
        if board.empty_count() > *empties {
            return None;
        }
        let limits = Limits {
            goal: Goal::Exact,
            ..Limits::default()
        };
        let outcome = searcher.search(board, &limits, &Control::new(), &mut |_| {});
        match outcome.lines.first()?.proof {
            Proof::Exact(score) => Some(score),
            Proof::Wld(_) | Proof::None => None,
        }
    }
}

/// How a game ended, the score in discs for black.
struct Verdict {
    score: i32,
    ending: Ending,
    forfeit: Option<Color>,
    note: String,
}

impl Verdict {
    const fn regular(score: i32, ending: Ending) -> Verdict {
        Verdict {
            score,
            ending,
            forfeit: None,
            note: String::new(),
        }
    }

    const fn forfeit(by: Color, ending: Ending, note: String) -> Verdict {
        let score = match by {
            Color::Black => -64,
            Color::White => 64,
        };
        Verdict {
            score,
            ending,
            forfeit: Some(by),
            note,
        }
    }

    fn fault(by: Color, fault: &Fault) -> Verdict {
        let ending = match fault {
            Fault::Crash(_) => Ending::Crash,
            Fault::Hang(_) => Ending::Hang,
            Fault::Garbage(_) => Ending::Garbage,
        };
        Verdict::forfeit(by, ending, fault.to_string())
    }
}

/// Plays a game from `opening` between `black` and `white`. Whatever the engines do, it
/// ends, and has a score. The numbers of game and opening are left at 0.
pub fn play_game(
    arbiter: &mut Arbiter,
    opening: &Game,
    black: &mut Seat,
    white: &mut Seat,
) -> GameRecord {
    let mut record = GameRecord::begin(
        (&black.entrant.name, black.budget(arbiter.budget)),
        (&white.entrant.name, white.budget(arbiter.budget)),
        opening,
    );
    let verdict = ready(arbiter, black, white)
        .unwrap_or_else(|| play(arbiter, opening.clone(), black, white, &mut record.moves));
    record.score = verdict.score;
    record.ending = verdict.ending;
    record.forfeit = verdict.forfeit.map(Into::into);
    record.note = verdict.note;
    record
}

/// Tells both players of the new game. A verdict is there if one fails.
fn ready(arbiter: &Arbiter, black: &mut Seat, white: &mut Seat) -> Option<Verdict> {
    for (color, seat) in [(Color::Black, black), (Color::White, white)] {
        if let Err(fault) = seat.new_game(arbiter.patience) {
            return Some(Verdict::fault(color, &fault));
        }
    }
    None
}

fn play(
    arbiter: &mut Arbiter,
    mut game: Game,
    black: &mut Seat,
    white: &mut Seat,
    moves: &mut Vec<MoveRecord>,
) -> Verdict {
    let (mut black_clock, mut white_clock) = (
        Clock::new(black.budget(arbiter.budget)),
        Clock::new(white.budget(arbiter.budget)),
    );
    loop {
        let position = game.position();
        if let Some(score) = position.result_for_black() {
            return Verdict::regular(score, Ending::Over);
        }
        if let Some(score) = arbiter.adjudicate(position.board) {
            let score = if position.side == Color::Black {
                score
            } else {
                -score
            };
            return Verdict::regular(score, Ending::Adjudicated);
        }
        // A forced pass is nobody's choice.
        if position.board.must_pass() && game.play(Move::Pass).is_ok() {
            moves.push(MoveRecord::given(Move::Pass.to_string()));
            continue;
        }
        let turn = Turn {
            game: &game,
            records: moves,
            black: black_clock,
            white: white_clock,
        };
        let (seat, clock) = match position.side {
            Color::Black => (&mut *black, &mut black_clock),
            Color::White => (&mut *white, &mut white_clock),
        };
        let choice = match seat.choose(&turn, arbiter.patience) {
            Ok(choice) => choice,
            Err(fault) => return Verdict::fault(position.side, &fault),
        };
        if !clock.spend(choice.time, seat.entrant.settings.margin) {
            let note = format!("a move took {:.3} s", choice.time.as_secs_f64());
            return Verdict::forfeit(position.side, Ending::Time, note);
        }
        let Action::Play(mv) = choice.action else {
            return Verdict::forfeit(position.side, Ending::Resigned, String::new());
        };
        if position.play(mv).is_none() || game.play(mv).is_err() {
            let note = format!("illegal move {mv}");
            return Verdict::forfeit(position.side, Ending::Illegal, note);
        }
        moves.push(MoveRecord {
            name: mv.to_string(),
            ms: Some(round(choice.time.as_secs_f64() * 1000.0)),
            score: choice.score.map(round),
            depth: choice.depth,
        });
    }
}

/// To three decimals.
fn round(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}
