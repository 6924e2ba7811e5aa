//! The tournament as a GTP host, for every engine that plays Othello over GTP 2.
//!
//! Engines differ about passes: with `passes=explicit` each one is sent as `play C pass`,
//! with `passes=implied` (GRhino, Quarry) none is. Times are whole seconds, rounded down,
//! unless the entry says `seconds=decimal`. A byo-yomi period without stones is an
//! increment, as Othello's match runners mean it. The depth of an entry reaches engines
//! that know `emilia-depth`; others play at their own level.

use std::time::{Duration, Instant};

use super::process::Process;
use super::{Action, Budget, Choice, Clock, Entrant, Fault, PassStyle, Player, Seconds, Turn};
use crate::rules::{Color, Move, Position};

/// An engine that speaks GTP.
pub(super) struct Gtp {
    process: Process,
    passes: PassStyle,
    seconds: Seconds,
    patience: Duration,
    /// What `list_commands` names; empty if the engine does not know that command.
    commands: Vec<String>,
    /// Moves of this game that the engine knows.
    known_moves: usize,
    /// Does the engine know what it may spend in this game?
    knows_budget: bool,
}

/// The answer to a command, and when its first line came.
struct Reply {
    result: Result<String, String>,
    at: Instant,
}

impl Gtp {
    /// Starts the engine and tells it the game. `patience` is the longest time without
    /// an answer, beside the time for thinking.
    pub(super) fn start(
        command: &[String],
        entrant: &Entrant,
        patience: Duration,
    ) -> Result<Gtp, Fault> {
        let settings = &entrant.settings;
        let mut engine = Gtp {
            process: Process::start(command, settings.dir.as_deref())?,
            passes: settings.passes,
            seconds: settings.seconds,
            patience,
            commands: Vec::new(),
            known_moves: 0,
            knows_budget: false,
        };
        let listed = engine.ask("list_commands", patience)?.result;
        let listed = listed.unwrap_or_default();
        engine.commands = listed.split_whitespace().map(str::to_owned).collect();
        if engine.knows("set_game") {
            engine.command("set_game Othello")?;
        }
        engine.command("boardsize 8")?;
        for line in &settings.init {
            engine.command(line)?;
        }
        Ok(engine)
    }

    fn knows(&self, command: &str) -> bool {
        self.commands.iter().any(|known| known == command)
    }

    /// Sends a command, and reads its answer, up to the empty line that ends it.
    fn ask(&mut self, command: &str, time: Duration) -> Result<Reply, Fault> {
        let deadline = self.process.send(command)? + time;
        let (first, at) = self.process.wait_for(deadline, first_line)?;
        let mut lines = vec![first.text];
        let mut is_last = |line: &str| {
            let is_last = line.trim().is_empty();
            if !is_last {
                lines.push(line.to_owned());
            }
            is_last.then_some(())
        };
        self.process.wait_for(deadline, &mut is_last)?;
        let text = lines.join("\n");
        let result = if first.is_success {
            Ok(text)
        } else {
            Err(text)
        };
        Ok(Reply { result, at })
    }

    /// Sends a command that has to succeed.
    fn command(&mut self, command: &str) -> Result<(), Fault> {
        match self.ask(command, self.patience)?.result {
            Ok(_) => Ok(()),
            Err(reason) => Err(Fault::Garbage(format!("{command:?} was refused: {reason}"))),
        }
    }

    fn tell_budget(&mut self, clock: Clock) -> Result<(), Fault> {
        for line in budget_lines(clock.budget(), self.seconds) {
            let name = line.split(' ').next().unwrap_or_default();
            // Who has no list of commands may still know the usual ones.
            if self.knows(name) || (self.commands.is_empty() && name == "time_settings") {
                self.command(&line)?;
                break;
            }
        }
        Ok(())
    }

    /// Tells the moves that the engine does not know yet.
    fn tell_moves(&mut self, turn: &Turn<'_>) -> Result<(), Fault> {
        let moves = turn.game.moves();
        for (ply, &mv) in moves.iter().enumerate().skip(self.known_moves) {
            if mv != Move::Pass || self.passes == PassStyle::Explicit {
                let color = color_of_ply(ply);
                self.command(&format!("play {color} {mv}"))?;
            }
        }
        self.known_moves = moves.len();
        Ok(())
    }

    fn tell_clocks(&mut self, turn: &Turn<'_>) -> Result<(), Fault> {
        let can_be_told = self.commands.is_empty() || self.knows("time_left");
        if !can_be_told || !matches!(turn.clock().budget(), Budget::Clock { .. }) {
            return Ok(());
        }
        for (color, clock) in [(Color::Black, turn.black), (Color::White, turn.white)] {
            let left = seconds_text(clock.remaining(), self.seconds);
            self.command(&format!("time_left {color} {left} 0"))?;
        }
        Ok(())
    }
}

impl Player for Gtp {
    fn new_game(&mut self) -> Result<(), Fault> {
        self.known_moves = 0;
        self.knows_budget = false;
        self.command("clear_board")
    }

    fn choose(&mut self, turn: &Turn<'_>) -> Result<Choice, Fault> {
        if turn.game.start() != Position::START {
            let reason = "GTP has no command to set up a position";
            return Err(Fault::Garbage(reason.to_owned()));
        }
        if !self.knows_budget {
            self.tell_budget(turn.clock())?;
            self.knows_budget = true;
        }
        self.tell_moves(turn)?;
        self.tell_clocks(turn)?;
        let question = format!("genmove {}", turn.game.position().side);
        let allowed = turn.clock().allowed().unwrap_or_default();
        let started = Instant::now();
        let reply = self.ask(&question, allowed + self.patience)?;
        // The engine has played its move on its own board.
        self.known_moves += 1;
        let answer = match reply.result {
            Ok(text) => text,
            Err(reason) => {
                return Err(Fault::Garbage(format!(
                    "{question:?} was refused: {reason}"
                )));
            }
        };
        Ok(Choice {
            action: action(&answer)
                .ok_or_else(|| Fault::Garbage(format!("{question:?} gave {answer:?}")))?,
            time: reply.at.saturating_duration_since(started),
            score: None,
            depth: None,
        })
    }
}

/// The first line of an answer.
struct FirstLine {
    is_success: bool,
    text: String,
}

/// `=[id] text` or `?[id] text`.
fn first_line(line: &str) -> Option<FirstLine> {
    let is_success = match line.chars().next() {
        Some('=') => true,
        Some('?') => false,
        _ => return None,
    };
    let text = line[1..].trim_start_matches(|c: char| c.is_ascii_digit());
    Some(FirstLine {
        is_success,
        text: text.trim().to_owned(),
    })
}

/// The meaning of what `genmove` gave.
fn action(answer: &str) -> Option<Action> {
    let word = answer.split_whitespace().next()?;
    if word.eq_ignore_ascii_case("resign") {
        return Some(Action::Resign);
    }
    word.parse().ok().map(Action::Play)
}

/// Who makes the move after `ply` others, passes included.
const fn color_of_ply(ply: usize) -> Color {
    if ply.is_multiple_of(2) {
        Color::Black
    } else {
        Color::White
    }
}

/// The ways to tell a budget, the best first.
fn budget_lines(budget: Budget, seconds: Seconds) -> Vec<String> {
    match budget {
        Budget::Depth(depth) => vec![format!("emilia-depth {depth}")],
        Budget::Nodes(_) => Vec::new(),
        Budget::MoveTime(time) => {
            let text = seconds_text(time.max(Duration::from_secs(1)), Seconds::Whole);
            vec![
                format!("emilia-move_time {}", seconds_text(time, Seconds::Decimal)),
                format!("time_settings 0 {text} 1"),
            ]
        }
        Budget::Clock { base, increment } => {
            let [base, increment] = [base, increment].map(|time| seconds_text(time, seconds));
            vec![format!("time_settings {base} {increment} 0")]
        }
    }
}

/// Seconds, rounded down.
fn seconds_text(time: Duration, seconds: Seconds) -> String {
    match seconds {
        Seconds::Whole => time.as_secs().to_string(),
        Seconds::Decimal => format!("{}.{:03}", time.as_secs(), time.subsec_millis()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_told_from_other_lines() {
        let read = |line| first_line(line).map(|first| (first.is_success, first.text));
        assert_eq!(read("= F5"), Some((true, "F5".to_owned())));
        assert_eq!(read("=12 pass"), Some((true, "pass".to_owned())));
        assert_eq!(read("="), Some((true, String::new())));
        assert_eq!(
            read("? syntax error"),
            Some((false, "syntax error".to_owned()))
        );
        assert_eq!(read("info depth 3"), None);
        assert_eq!(read(""), None);
    }

    #[test]
    fn genmove_gives_a_move_or_resigns() {
        let square = Action::Play("f5".parse().expect("a move"));
        assert_eq!(action("F5"), Some(square));
        assert_eq!(action("pass"), Some(Action::Play(Move::Pass)));
        assert_eq!(action("RESIGN"), Some(Action::Resign));
        assert_eq!(action("zz"), None);
        assert_eq!(action(""), None);
    }

    #[test]
    fn budgets_are_told_in_seconds() {
        let lines = |text: &str, seconds| budget_lines(text.parse().expect(text), seconds);
        assert_eq!(lines("tc=10+1", Seconds::Whole), ["time_settings 10 1 0"]);
        let decimal = lines("tc=1+0.05", Seconds::Decimal);
        assert_eq!(decimal, ["time_settings 1.000 0.050 0"]);
        let move_time = lines("st=0.25", Seconds::Whole);
        assert_eq!(move_time, ["emilia-move_time 0.250", "time_settings 0 1 1"]);
        assert_eq!(lines("depth=8", Seconds::Whole), ["emilia-depth 8"]);
    }
}
