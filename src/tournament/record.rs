//! What is kept of a game.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Budget, date};
use crate::formats::ggf::{Annotation, End, GameResult, GgfGame};
use crate::rules::{Color, Game, Move, Position};

/// A finished game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
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
    /// When it began.
    pub date: String,
    /// Cells and side to move at the start.
    pub start: String,
    /// All moves, those of the opening first.
    pub moves: Vec<MoveRecord>,
    /// Milliseconds of CPU time of the first player, where the system tells.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub black_cpu_ms: Option<f64>,
    /// Milliseconds of CPU time of the second player, where the system tells.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub white_cpu_ms: Option<f64>,
    /// The result in discs for black, even, −64..=64. Who forfeits loses by 64.
    pub score: i32,
    /// How it ended.
    pub ending: Ending,
    /// Who forfeited, if anyone did.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub forfeit: Option<Side>,
    /// What happened then.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub note: String,
}

impl GameRecord {
    /// A game between `black` and `white` that goes on from `opening`. Game and opening
    /// have no number yet.
    pub(super) fn begin(
        (black, black_budget): (&str, Budget),
        (white, white_budget): (&str, Budget),
        opening: &Game,
    ) -> GameRecord {
        let given = opening.moves().iter().map(Move::to_string);
        GameRecord {
            game: 0,
            opening: 0,
            black: black.to_owned(),
            white: white.to_owned(),
            black_budget: black_budget.to_string(),
            white_budget: white_budget.to_string(),
            date: date::now(),
            start: opening.start().to_string(),
            moves: given.map(MoveRecord::given).collect(),
            black_cpu_ms: None,
            white_cpu_ms: None,
            score: 0,
            ending: Ending::Over,
            forfeit: None,
            note: String::new(),
        }
    }

    /// The moves that can be read and played; all of them, unless the record was changed.
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
        let Some(game) = self.game() else {
            return Vec::new();
        };
        game.positions().take(game.moves().len()).collect()
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
                Ending::Over | Ending::Adjudicated => End::Over,
                Ending::Resigned => End::Resigned,
                Ending::Time => End::Timeout,
                Ending::Illegal | Ending::Crash | Ending::Hang | Ending::Garbage => End::Left,
            },
        });
        Some(ggf)
    }

    /// A game out of a GGF file; `None` if it has no result.
    pub fn from_ggf(ggf: &GgfGame, number: u64) -> Option<GameRecord> {
        let played_out = ggf.game.position().result_for_black();
        let result = ggf.result.or(played_out.map(|score| GameResult {
            score: f64::from(score),
            end: End::Over,
        }))?;
        let ending = match result.end {
            End::Over => Ending::Over,
            End::Agreed => Ending::Adjudicated,
            End::Resigned => Ending::Resigned,
            End::Timeout => Ending::Time,
            End::Left => Ending::Crash,
        };
        let loser = if result.score < 0.0 {
            Side::Black
        } else {
            Side::White
        };
        let moves = ggf.game.moves().iter().zip(&ggf.notes);
        let budget = |color| {
            let clock = ggf.player(color).clock;
            clock.map_or_else(String::new, |clock| {
                let (base, increment) = (clock.main, clock.increment);
                Budget::Clock { base, increment }.to_string()
            })
        };
        Some(GameRecord {
            game: number,
            opening: number,
            black: ggf.black.name.clone(),
            white: ggf.white.name.clone(),
            black_budget: budget(Color::Black),
            white_budget: budget(Color::White),
            date: ggf.date.clone(),
            start: ggf.game.start().to_string(),
            moves: moves
                .map(|(mv, note)| MoveRecord {
                    ms: note.time.map(|time| time.as_secs_f64() * 1000.0),
                    score: note.evaluation,
                    ..MoveRecord::given(mv.to_string())
                })
                .collect(),
            black_cpu_ms: None,
            white_cpu_ms: None,
            score: result.score.round().clamp(-64.0, 64.0) as i32,
            ending,
            forfeit: ending.is_forfeit().then_some(loser),
            note: String::new(),
        })
    }

    /// A game of these moves, for tests.
    #[cfg(test)]
    pub(crate) fn test(moves: &str) -> GameRecord {
        let transcript: crate::formats::transcript::Transcript = moves.parse().expect(moves);
        let budget = Budget::Depth(1);
        GameRecord {
            date: String::new(),
            ..GameRecord::begin(("black", budget), ("white", budget), &transcript.game)
        }
    }
}

/// One move of a game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MoveRecord {
    /// A square or `pass`.
    #[serde(rename = "move")]
    pub name: String,
    /// Milliseconds that it took; none in the opening and for passes.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ms: Option<f64>,
    /// The player's estimate in discs for itself.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub score: Option<f64>,
    /// Plies searched.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub depth: Option<u32>,
}

impl MoveRecord {
    /// A move that nobody thought about.
    pub const fn given(name: String) -> MoveRecord {
        MoveRecord {
            name,
            ms: None,
            score: None,
            depth: None,
        }
    }

    /// What game files have beside the move.
    pub(super) fn annotation(&self) -> Annotation {
        let seconds = self.ms.map(|ms| ms.max(0.0) / 1000.0);
        Annotation {
            evaluation: self.score,
            time: seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
        }
    }
}

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ending {
    /// Neither side could move.
    Over,
    /// The rest was solved.
    Adjudicated,
    /// Forfeit: the engine gave up.
    Resigned,
    /// Forfeit: a move that is not legal.
    Illegal,
    /// Forfeit: too late.
    Time,
    /// Forfeit: the engine ended.
    Crash,
    /// Forfeit: no answer in time.
    Hang,
    /// Forfeit: an answer that cannot be understood.
    Garbage,
}

impl Ending {
    /// Was the game lost by anything but the score on the board?
    pub const fn is_forfeit(self) -> bool {
        !matches!(self, Ending::Over | Ending::Adjudicated)
    }

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Ending::Over => "over",
            Ending::Adjudicated => "adjudicated",
            Ending::Resigned => "resigned",
            Ending::Illegal => "illegal",
            Ending::Time => "time",
            Ending::Crash => "crash",
            Ending::Hang => "hang",
            Ending::Garbage => "garbage",
        }
    }
}

/// A side in a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The first player.
    Black,
    /// The second player.
    White,
}

impl From<Color> for Side {
    fn from(color: Color) -> Side {
        match color {
            Color::Black => Side::Black,
            Color::White => Side::White,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_goes_through_ggf() {
        let mut record = GameRecord::test("f5d6c3d3c4");
        record.black_budget = "tc=60+0.5".to_owned();
        record.white_budget = "tc=60+0.5".to_owned();
        record.moves[4].ms = Some(1250.0);
        record.moves[4].score = Some(-2.5);
        (record.score, record.ending) = (-64, Ending::Time);
        record.forfeit = Some(Side::Black);
        (record.game, record.opening) = (7, 7);
        let text = record.to_ggf().expect("a game").to_string();
        let ggf: GgfGame = text.parse().expect("GGF");
        assert_eq!(GameRecord::from_ggf(&ggf, 7), Some(record), "{text}");
    }

    #[test]
    fn a_game_that_goes_on_has_no_record() {
        let ggf = GgfGame::new(Game::new(Position::START));
        assert_eq!(GameRecord::from_ggf(&ggf, 1), None);
    }

    #[test]
    fn a_record_goes_through_json() {
        let record = GameRecord::test("f5d6");
        let text = serde_json::to_string(&record).expect("JSON");
        assert_eq!(
            serde_json::from_str::<GameRecord>(&text).expect("a game"),
            record
        );
        assert!(text.contains("{\"move\":\"f5\"}"), "{text}");
    }
}
