//! The tournament as an NBoard host.
//!
//! A game begins with `set game`; after that each move is told as NBoard tells it,
//! `move F5/EVALUATION/SECONDS`, so that the engine can keep the clocks. Passes are always
//! told. NBoard has a depth and a game clock, but neither nodes nor a time for a move.

use std::time::Duration;

use super::process::Process;
use super::{Action, Budget, Choice, Entrant, Fault, MoveRecord, Player, Turn};
use crate::formats::ggf::{self, Annotation, GameClock, GgfGame};
use crate::rules::{Color, Game};

/// An engine that speaks the NBoard protocol, version 2.
pub(super) struct NBoard {
    process: Process,
    name: String,
    patience: Duration,
    pings: u64,
    /// Moves of this game that the engine knows; `None`: it does not know the game.
    known_moves: Option<usize>,
    /// The depth that it was told.
    depth: Option<u32>,
}

impl NBoard {
    /// Starts the engine. `patience` is the longest time without an answer, beside the
    /// time for thinking.
    pub(super) fn start(
        command: &[String],
        entrant: &Entrant,
        patience: Duration,
    ) -> Result<NBoard, Fault> {
        let settings = &entrant.settings;
        let mut engine = NBoard {
            process: Process::start(command, settings.dir.as_deref())?,
            name: entrant.name.clone(),
            patience,
            pings: 0,
            known_moves: None,
            depth: None,
        };
        engine.process.send("nboard 2")?;
        for line in &settings.init {
            engine.process.send(line)?;
        }
        engine.ping()?;
        Ok(engine)
    }

    /// Waits until the engine has taken in everything that was sent.
    fn ping(&mut self) -> Result<(), Fault> {
        self.pings += 1;
        let pong = format!("pong {}", self.pings);
        let deadline = self.process.send(&format!("ping {}", self.pings))? + self.patience;
        let is_pong = |line: &str| (line.trim_end() == pong).then_some(());
        self.process.wait_for(deadline, is_pong).map(|_| ())
    }

    /// Tells the game, or what is new in it.
    fn tell_game(&mut self, turn: &Turn<'_>) -> Result<(), Fault> {
        let moves = turn.game.moves();
        match self.known_moves {
            None => {
                let game = game_text(turn, &self.name);
                self.process.send(&format!("set game {game}"))?;
            }
            Some(known) => {
                let told = moves.iter().zip(notes(turn));
                for (mv, note) in told.skip(known) {
                    let line = format!("move {}{note}", ggf::move_text(*mv));
                    self.process.send(&line)?;
                }
            }
        }
        self.known_moves = Some(moves.len());
        Ok(())
    }
}

impl Player for NBoard {
    fn new_game(&mut self) -> Result<(), Fault> {
        self.known_moves = None;
        self.ping()
    }

    fn choose(&mut self, turn: &Turn<'_>) -> Result<Choice, Fault> {
        self.tell_game(turn)?;
        if let Budget::Depth(depth) = turn.clock().budget()
            && self.depth != Some(depth)
        {
            self.process.send(&format!("set depth {depth}"))?;
            self.depth = Some(depth);
        }
        self.ping()?;
        let allowed = turn.clock().allowed().unwrap_or_default();
        let started = self.process.send("go")?;
        let deadline = started + allowed + self.patience;
        let (answer, at) = self.process.wait_for(deadline, answer)?;
        let (mv, note) = ggf::parse_move(&answer)
            .map_err(|error| Fault::Garbage(format!("=== {answer}: {error}")))?;
        Ok(Choice {
            action: Action::Play(mv),
            time: at.saturating_duration_since(started),
            score: note.evaluation,
            depth: None,
        })
    }
}

/// What follows `===`.
fn answer(line: &str) -> Option<String> {
    let rest = line.strip_prefix("===")?;
    rest.starts_with(char::is_whitespace)
        .then(|| rest.trim().to_owned())
}

/// The game so far, with the clocks as they were at its start.
fn game_text(turn: &Turn<'_>, name: &str) -> GgfGame {
    let mut ggf = GgfGame::new(Game::new(turn.game.start()));
    for (&mv, note) in turn.game.moves().iter().zip(notes(turn)) {
        // The moves come from a game, so they are legal.
        let _ = ggf.play(mv, note);
    }
    let [black, white] = [turn.black, turn.white].map(|clock| game_clock(clock.budget()));
    (ggf.black.clock, ggf.white.clock) = (black, white);
    let player = match turn.game.position().side {
        Color::Black => &mut ggf.black,
        Color::White => &mut ggf.white,
    };
    player.name = name.to_owned();
    ggf
}

/// What is told beside each move. In NBoard every move brings its increment, so a move that
/// nobody thought about (of the opening, or a pass) is said to have taken just that.
fn notes(turn: &Turn<'_>) -> Vec<Annotation> {
    let mut color = turn.game.start().side;
    let mut notes = Vec::with_capacity(turn.records.len());
    for record in turn.records {
        let clock = match color {
            Color::Black => turn.black,
            Color::White => turn.white,
        };
        let mut note = annotation(record);
        if let (None, Budget::Clock { increment, .. }) = (note.time, clock.budget()) {
            note.time = (!increment.is_zero()).then_some(increment);
        }
        notes.push(note);
        color = color.opponent();
    }
    notes
}

/// The clock of a budget, if it is one.
pub(super) const fn game_clock(budget: Budget) -> Option<GameClock> {
    match budget {
        Budget::Clock { base, increment } => Some(GameClock::new(base, increment)),
        _ => None,
    }
}

/// What a record says beside its move.
pub(super) fn annotation(record: &MoveRecord) -> Annotation {
    let time = record
        .ms
        .map(|ms| Duration::from_secs_f64(ms.max(0.0) / 1000.0));
    Annotation {
        evaluation: record.score,
        time,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Move, Position};
    use crate::tournament::Clock;

    #[test]
    fn the_game_is_told_with_times_and_evaluations() {
        let mut game = Game::new(Position::START);
        let mut records = Vec::new();
        for (text, score) in [("f5", None), ("d6", Some(-1.5)), ("c3", None)] {
            let mv: Move = text.parse().expect(text);
            game.play(mv).expect("legal");
            records.push(MoveRecord {
                ms: score.map(|_| 250.0),
                score,
                ..MoveRecord::given(text.to_owned())
            });
        }
        let clock = Clock::new("tc=60+0.5".parse().expect("a clock"));
        let turn = Turn {
            game: &game,
            records: &records,
            black: clock,
            white: clock,
        };
        let text = game_text(&turn, "me").to_string();
        assert!(text.contains("PW[me]"), "{text}");
        assert!(text.contains("TI[1:00/0:00.5]"), "{text}");
        let moves = "B[F5//0.500]W[D6/-1.50/0.250]B[C3//0.500];)";
        assert!(text.ends_with(moves), "{text}");
        // White has had one increment, for the move that it thought about.
        let left = |color| game_text(&turn, "me").time_left(color);
        assert_eq!(left(Color::Black), Some(Duration::from_secs(60)));
        assert_eq!(left(Color::White), Some(Duration::from_millis(60_250)));
    }

    #[test]
    fn only_an_answer_is_an_answer() {
        assert_eq!(answer("=== F5/1/2"), Some("F5/1/2".to_owned()));
        assert_eq!(answer("===F5"), None);
        assert_eq!(answer("status ==="), None);
    }
}
