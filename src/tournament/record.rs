//! The record of a game.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Budget;
use crate::formats::ggf::{self, Annotation, End, GameClock, GameResult, GgfGame};
use crate::rules::{Color, Game, Move, Position};

/// A finished game.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct GameRecord {
    /// Its number in the schedule, the first is 1.
    pub game: u64,
    /// The number of its opening in the list, the first is 1.
    pub opening: u64,
    /// Name of the first player.
    pub black: String,
    /// Name of the second player.
    pub white: String,
    /// What the first player may spend, such as `tc=60+0.5`.
    pub black_budget: String,
    /// What the second player may spend.
    pub white_budget: String,
    /// When it started.
    pub date: String,
    /// Cells and side to move at the start.
    pub start: String,
    /// All moves, those of the opening first.
    pub moves: Vec<MoveRecord>,
    /// Milliseconds of CPU time of the first player, where the system tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub black_cpu_ms: Option<f64>,
    /// Milliseconds of CPU time of the second player, where the system tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub white_cpu_ms: Option<f64>,
    /// The result in discs for black, even, −64..=64. A forfeit is a loss by 64.
    pub score: i32,
    /// How it ended.
    pub ending: GameEnding,
    /// Who forfeited, if anyone did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forfeit: Option<Color>,
    /// Milliseconds of the move that came too late, where that was the forfeit; it is not among the moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub late_ms: Option<f64>,
    /// The reason of a forfeit.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub note: String,
}

impl GameRecord {
    /// A game between two players, the first player first, after `opening`. Game and opening
    /// have no number yet.
    pub(super) fn begin(
        [black, white]: [&str; 2],
        [black_budget, white_budget]: [String; 2],
        opening: &Game,
    ) -> GameRecord {
        let given = opening.moves().iter().map(Move::to_string);
        GameRecord {
            black: black.to_owned(),
            white: white.to_owned(),
            black_budget,
            white_budget,
            date: ggf::date_of_now(),
            start: opening.start().to_string(),
            moves: given.map(MoveRecord::given).collect(),
            ..GameRecord::default()
        }
    }

    /// The moves up to the first one that cannot be read or played: all, unless the record was
    /// changed.
    pub fn game(&self) -> Option<Game> {
        let mut game = Game::new(self.start.parse().ok()?);
        for record in &self.moves {
            let mv: Move = record.name.parse().ok()?;
            game.position().play(mv)?;
            game.play(mv).ok()?;
        }
        Some(game)
    }

    /// The position before each move; none if the moves cannot be played.
    pub fn positions(&self) -> Vec<Position> {
        let positions = |game: Game| game.positions().take(game.moves().len()).collect();
        self.game().map_or_else(Vec::new, positions)
    }

    /// The game in GGF; `None` if its moves cannot be played.
    pub fn to_ggf(&self) -> Option<GgfGame> {
        let clock = |budget: &str| budget.parse::<Budget>().ok()?.game_clock();
        let mut ggf = GgfGame::new(self.game()?);
        ggf.place = "Emilia match".to_owned();
        ggf.date = self.date.clone();
        ggf.black.name = self.black.clone();
        ggf.white.name = self.white.clone();
        ggf.black.clock = clock(&self.black_budget);
        ggf.white.clock = clock(&self.white_budget);
        ggf.notes = self.moves.iter().map(MoveRecord::annotation).collect();
        ggf.result = Some(GameResult {
            score: f64::from(self.score),
            end: match self.ending {
                GameEnding::Over | GameEnding::Adjudicated => End::Over,
                GameEnding::Resigned => End::Resigned,
                GameEnding::Time => End::Timeout,
                GameEnding::Illegal
                | GameEnding::Crash
                | GameEnding::Hang
                | GameEnding::Garbage => End::Left,
            },
        });
        Some(ggf)
    }

    /// A game of a GGF file; `None` if it has no result.
    pub fn from_ggf(ggf: &GgfGame, number: u64) -> Option<GameRecord> {
        let result = ggf.outcome()?;
        let ending = match result.end {
            End::Over => GameEnding::Over,
            End::Agreed => GameEnding::Adjudicated,
            End::Resigned => GameEnding::Resigned,
            End::Timeout => GameEnding::Time,
            End::Left => GameEnding::Crash,
        };
        let loser = [Color::White, Color::Black][usize::from(result.score < 0.0)];
        let budget = |clock: GameClock| Budget::Clock {
            base: clock.main,
            increment: clock.increment,
        };
        let budgets = [&ggf.black, &ggf.white].map(|player| player.clock.map(budget));
        let budgets = budgets.map(|budget| budget.map_or_else(String::new, |b| b.to_string()));
        let mut record = GameRecord {
            game: number,
            opening: number,
            date: ggf.date.clone(),
            score: result.score.round().clamp(-64.0, 64.0) as i32,
            ending,
            forfeit: ending.is_forfeit().then_some(loser),
            ..GameRecord::begin([&ggf.black.name, &ggf.white.name], budgets, &ggf.game)
        };
        for (mv, note) in record.moves.iter_mut().zip(&ggf.notes) {
            mv.ms = note.time.map(|time| time.as_secs_f64() * 1000.0);
            mv.score = note.evaluation;
        }
        Some(record)
    }
}

/// One move of a game.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct MoveRecord {
    /// A square or `pass`.
    #[serde(rename = "move")]
    pub name: String,
    /// Milliseconds that it took; none in the opening and for passes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ms: Option<f64>,
    /// The player's estimate in discs for itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Plies searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
}

impl MoveRecord {
    /// A move that was not chosen by a player.
    pub fn given(name: String) -> MoveRecord {
        MoveRecord {
            name,
            ..MoveRecord::default()
        }
    }

    /// The annotation of the move in a GGF file.
    pub(super) fn annotation(&self) -> Annotation {
        let seconds = self.ms.map(|ms| ms.max(0.0) / 1000.0);
        Annotation {
            evaluation: self.score,
            time: seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
        }
    }
}

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GameEnding {
    /// Neither side could move.
    #[default]
    Over,
    /// The rest was solved.
    Adjudicated,
    /// Forfeit: the engine gave up.
    Resigned,
    /// Forfeit: a move that is not legal.
    Illegal,
    /// Forfeit: loss on time.
    Time,
    /// Forfeit: the engine ended.
    Crash,
    /// Forfeit: no answer in time.
    Hang,
    /// Forfeit: an answer that cannot be understood.
    Garbage,
}

impl GameEnding {
    /// Was the game lost by forfeit?
    pub const fn is_forfeit(self) -> bool {
        !matches!(self, GameEnding::Over | GameEnding::Adjudicated)
    }
}

/// The word for it, as in the files.
impl fmt::Display for GameEnding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format!("{self:?}").to_lowercase())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl GameRecord {
        /// A short game between these players, for tests.
        pub(crate) fn test_between(black: &str, white: &str) -> GameRecord {
            GameRecord {
                black: black.to_owned(),
                white: white.to_owned(),
                ..GameRecord::test("f5d6c3")
            }
        }

        /// A game of these moves, for tests.
        pub(crate) fn test(moves: &str) -> GameRecord {
            let transcript: crate::formats::transcript::Transcript = moves.parse().expect(moves);
            let budget = Budget::Depth(1).to_string();
            GameRecord {
                date: String::new(),
                ..GameRecord::begin(
                    ["black", "white"],
                    [budget.clone(), budget],
                    &transcript.game,
                )
            }
        }
    }

    #[test]
    fn a_game_goes_through_ggf() {
        let mut record = GameRecord::test("f5d6c3d3c4");
        record.black_budget = "tc=60+0.5".to_owned();
        record.white_budget = "tc=60+0.5".to_owned();
        record.moves[4].ms = Some(1250.0);
        record.moves[4].score = Some(-2.5);
        (record.score, record.ending) = (-64, GameEnding::Time);
        record.forfeit = Some(Color::Black);
        (record.game, record.opening) = (7, 7);
        let text = record.to_ggf().expect("a game").to_string();
        let ggf: GgfGame = text.parse().expect("GGF");
        assert_eq!(GameRecord::from_ggf(&ggf, 7), Some(record), "{text}");
    }

    #[test]
    fn an_unfinished_game_has_no_record() {
        let ggf = GgfGame::new(Game::new(Position::START));
        assert_eq!(GameRecord::from_ggf(&ggf, 1), None);
    }
}
