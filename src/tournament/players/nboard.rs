//! The tournament as an NBoard host.
//!
//! A game starts with `set game`; after that each move is sent as NBoard sends it,
//! `move F5/EVALUATION/SECONDS`, so that the engine can keep the clocks. Passes are always
//! sent. NBoard has a depth and a game clock, but neither nodes nor a time for a move.

use super::external::Dialect;
use super::process::Process;
use super::{Action, Budget, ChosenMove, Entrant, MoveRecord, PlayerFault, PlayerTurn};
use crate::formats::ggf::{self, Annotation, GgfGame};
use crate::rules::{Color, Game};

/// The NBoard protocol, version 2.
#[derive(Default)]
pub(super) struct NBoardPlayer {
    name: String,
    /// Lines that follow the handshake.
    init: Vec<String>,
    pings: u64,
    /// Moves of this game that the engine knows; `None`: it does not know the game.
    known_moves: Option<usize>,
    /// The depth that was sent to it.
    depth: Option<u32>,
}

impl NBoardPlayer {
    pub(super) fn new(entrant: &Entrant) -> NBoardPlayer {
        NBoardPlayer {
            name: entrant.name.clone(),
            init: entrant.settings.init.clone(),
            ..NBoardPlayer::default()
        }
    }

    /// Waits until the engine has read everything that was sent.
    fn ping(&mut self, engine: &mut Process) -> Result<(), PlayerFault> {
        self.pings += 1;
        let number = self.pings;
        engine.expect(&format!("ping {number}"), &format!("pong {number}"))
    }
}

impl Dialect for NBoardPlayer {
    fn handshake(&mut self, engine: &mut Process) -> Result<(), PlayerFault> {
        engine.send("nboard 2")?;
        for line in &self.init {
            engine.send(line)?;
        }
        self.ping(engine)
    }

    fn new_game(&mut self, engine: &mut Process) -> Result<(), PlayerFault> {
        self.known_moves = None;
        self.ping(engine)
    }

    fn prepare(
        &mut self,
        engine: &mut Process,
        turn: &PlayerTurn<'_>,
    ) -> Result<String, PlayerFault> {
        let moves = turn.game.moves();
        match self.known_moves {
            None => engine.send(&format!("set game {}", game_text(turn, &self.name)))?,
            Some(known) => {
                for (mv, note) in moves.iter().zip(notes(turn)).skip(known) {
                    engine.send(&format!("move {}{note}", ggf::move_text(*mv)))?;
                }
            }
        }
        self.known_moves = Some(moves.len());
        if let Budget::Depth(depth) = turn.clock().budget()
            && self.depth != Some(depth)
        {
            engine.send(&format!("set depth {depth}"))?;
            self.depth = Some(depth);
        }
        self.ping(engine)?;
        Ok("go".to_owned())
    }

    fn read(&mut self, line: &str) -> Option<Result<ChosenMove, String>> {
        let answer = answer(line)?;
        let choice = |(mv, note): (_, Annotation)| ChosenMove {
            score: note.evaluation,
            ..ChosenMove::of(Action::Play(mv))
        };
        let error = |error| format!("=== {answer}: {error}");
        Some(ggf::parse_move(answer).map(choice).map_err(error))
    }
}

/// What follows `===`.
fn answer(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("===")?;
    rest.starts_with(char::is_whitespace).then(|| rest.trim())
}

/// The game so far, with the clocks as they were at its start.
fn game_text(turn: &PlayerTurn<'_>, name: &str) -> GgfGame {
    let mut ggf = GgfGame::new(Game::new(turn.game.start()));
    for (&mv, note) in turn.game.moves().iter().zip(notes(turn)) {
        // The moves come from a game, so they are legal.
        let _ = ggf.play(mv, note);
    }
    ggf.black.clock = turn.clock_of(Color::Black).budget().game_clock();
    ggf.white.clock = turn.clock_of(Color::White).budget().game_clock();
    match turn.game.position().side {
        Color::Black => ggf.black.name = name.to_owned(),
        Color::White => ggf.white.name = name.to_owned(),
    }
    ggf
}

/// The annotation of each move. In NBoard every move adds the increment, so a move of the opening
/// or a pass is sent with a time equal to the increment.
fn notes(turn: &PlayerTurn<'_>) -> Vec<Annotation> {
    let first = turn.game.start().side;
    let sides = [first, first.opponent()].into_iter().cycle();
    let note = |(record, side): (&MoveRecord, Color)| {
        let note = record.annotation();
        let increment = turn.clock_of(side).budget().increment();
        let time = note.time.or(increment.filter(|time| !time.is_zero()));
        Annotation { time, ..note }
    };
    turn.records.iter().zip(sides).map(note).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::rules::{Move, Position};
    use crate::tournament::{MoveRecord, PlayerClock};

    #[test]
    fn the_game_is_sent_with_times_and_evaluations() {
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
        let clock = PlayerClock::new("tc=60+0.5".parse().expect("a clock"));
        let turn = PlayerTurn {
            game: &game,
            records: &records,
            clocks: [clock; 2],
        };
        let text = game_text(&turn, "me").to_string();
        assert!(text.contains("PW[me]"), "{text}");
        assert!(text.contains("TI[1:00/0:00.5]"), "{text}");
        let moves = "B[F5//0.500]W[D6/-1.50/0.250]B[C3//0.500];)";
        assert!(text.ends_with(moves), "{text}");
        // White got one increment, for the move that it chose.
        let left = |color| game_text(&turn, "me").time_left(color);
        assert_eq!(left(Color::Black), Some(Duration::from_secs(60)));
        assert_eq!(left(Color::White), Some(Duration::from_millis(60_250)));
    }

    #[test]
    fn other_lines_are_not_answers() {
        assert_eq!(answer("=== F5/1/2"), Some("F5/1/2"));
        assert_eq!(answer("===F5"), None);
        assert_eq!(answer("status ==="), None);
    }
}
