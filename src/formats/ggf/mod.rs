//! GGF, the Generic Game Format in which NBoard and the GGS archives keep Othello games:
//! `(;GM[Othello]PB[..]PW[..]TI[5:00]TY[8]BO[8 <cells> *]B[F5/0.5/1.2]W[D6]..;)`.
//!
//! Times, passes and evaluations are read in all the forms that NBoard and GGS write;
//! tags that do not describe the game are ignored. NBoard reads what is written here.

mod reader;

mod writer;

#[cfg(test)]
mod tests;

use std::iter;
use std::time::Duration;

use crate::rules::{Color, Game, IllegalMove, Move, Position};

pub(super) use reader::{bad, miscounted, parse_counted};
pub use reader::{is_ggf, parse, parse_clock, parse_line, parse_move};
pub use writer::move_text;

/// A game with what its file has besides the moves.
#[derive(Clone, PartialEq, Debug)]
pub struct GgfGame {
    /// `PC`: where it was played.
    pub place: String,
    /// `DT`: when, in whatever form.
    pub date: String,
    /// The first player.
    pub black: GgfPlayer,
    /// The second player.
    pub white: GgfPlayer,
    /// `RE`: the result; `None` if the game is not over or the result is not known.
    pub result: Option<GameResult>,
    /// `TY`: the kind of game, `8` for a plain one, `s8r20` for a synchro game from 20 discs.
    pub kind: String,
    /// The start position and the moves, with every pass in its place.
    pub game: Game,
    /// The annotation of each move of `game`; as long as its list of moves.
    pub notes: Vec<Annotation>,
}

/// A player in the file.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct GgfPlayer {
    /// `PB`, `PW`.
    pub name: String,
    /// `RB`, `RW`: the rating.
    pub rating: Option<f64>,
    /// `TI`, or `TB` and `TW`: the clock at the start; `None` without a clock.
    pub clock: Option<GameClock>,
}

/// A clock as it is set before the game: `main[/increment[/grace]]`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameClock {
    /// Time for the game.
    pub main: Duration,
    /// Added after each own move.
    pub increment: Duration,
    /// Time after the main time is used up, in which the game cannot be won any more.
    pub grace: Duration,
}

/// Now, as `DT` has it.
#[cfg(feature = "program")]
pub fn date_of_now() -> String {
    let now = std::time::SystemTime::UNIX_EPOCH.elapsed();
    super::facts::date(&now.unwrap_or_default().as_secs().to_string())
}

/// The grace of a clock that does not give one.
const DEFAULT_GRACE: Duration = Duration::from_secs(120);

impl GameClock {
    /// A clock with the usual grace of two minutes.
    pub const fn new(main: Duration, increment: Duration) -> GameClock {
        GameClock {
            main,
            increment,
            grace: DEFAULT_GRACE,
        }
    }
}

/// The annotation of a move: `F5/EVALUATION/SECONDS`.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Annotation {
    /// The mover's estimate in discs for itself.
    pub evaluation: Option<f64>,
    /// How long the move took.
    pub time: Option<Duration>,
}

/// `RE`: a score for black, and why the game ended if it was not played out.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct GameResult {
    /// In discs for black.
    pub score: f64,
    /// Why.
    pub end: End,
}

impl GameResult {
    /// The result of a game that was played out: `score` discs for black.
    pub const fn over(score: f64) -> GameResult {
        let end = End::Over;
        GameResult { score, end }
    }
}

/// Why a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// Neither side could move.
    Over,
    /// `:r`: the loser resigned.
    Resigned,
    /// `:t`: the loser's time ran out.
    Timeout,
    /// `:l`: a player left.
    Left,
    /// `:s`: both agreed on the score.
    Agreed,
}

/// No moves from the start, and nothing else.
impl Default for GgfGame {
    fn default() -> GgfGame {
        GgfGame::anonymous(Game::new(Position::START))
    }
}

impl GgfGame {
    /// `game` without names, clocks, result or annotations.
    pub fn new(game: Game) -> GgfGame {
        GgfGame {
            place: "Emilia".to_owned(),
            date: String::new(),
            black: GgfPlayer::default(),
            white: GgfPlayer::default(),
            result: None,
            kind: "8".to_owned(),
            notes: vec![Annotation::default(); game.moves().len()],
            game,
        }
    }

    /// `game` as it is read from a file that says nothing else about it.
    pub(in crate::formats) fn anonymous(game: Game) -> GgfGame {
        GgfGame {
            place: String::new(),
            ..GgfGame::new(game)
        }
    }

    /// The game with other moves, none of which has an annotation.
    pub(in crate::formats) fn with_moves_of(self, game: Game) -> GgfGame {
        GgfGame {
            notes: vec![Annotation::default(); game.moves().len()],
            game,
            ..self
        }
    }

    /// The result: the file's, or that of a game that was played out.
    pub fn outcome(&self) -> Option<GameResult> {
        let played_out = self.game.position().result_for_black();
        self.result
            .or(played_out.map(|score| GameResult::over(score.into())))
    }

    /// The player of that colour.
    pub fn player(&self, color: Color) -> &GgfPlayer {
        color.pick(&self.black, &self.white)
    }

    /// The time that is left to this player after the last move: the main time and the
    /// increments, less the seconds of its moves. `None` without a clock.
    pub fn time_left(&self, color: Color) -> Option<Duration> {
        let clock = self.player(color).clock?;
        let mut left = clock.main;
        for (&mover, note) in self.movers().iter().zip(&self.notes) {
            if mover == color {
                left = left.saturating_sub(note.time.unwrap_or_default());
                left = left.saturating_add(clock.increment);
            }
        }
        Some(left)
    }

    /// The side that made each move.
    fn movers(&self) -> Vec<Color> {
        let sides = iter::successors(Some(self.game.start().side), |side| Some(side.opponent()));
        sides.take(self.game.moves().len()).collect()
    }

    /// Adds a move. A pass that was left out before it is inserted, and one after the end of the game is
    /// no move.
    ///
    /// # Errors
    /// If the move is not legal; the game is not changed then.
    pub fn play(&mut self, mv: Move, note: Annotation) -> Result<(), IllegalMove> {
        self.game.accept(mv)?;
        let moves = self.game.moves().len();
        if moves > self.notes.len() {
            self.notes.resize(moves - 1, Annotation::default());
            self.notes.push(note);
        }
        Ok(())
    }
}
