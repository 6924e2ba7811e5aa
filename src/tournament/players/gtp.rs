//! The tournament as a GTP host, for every engine that plays Othello over GTP 2.
//!
//! Engines differ about passes: with `passes=explicit` each one is sent as `play C pass`,
//! with `passes=implied` (GRhino, Quarry) none is. Times are whole seconds, rounded down,
//! unless the entry says `seconds=decimal`. A byo-yomi period without stones is an
//! increment, as Othello's match runners use it. A depth is sent as `emilia-depth`.

use std::time::Duration;

use super::external::Dialect;
use super::process::Process;
use super::{Action, Budget, ChosenMove, PassStyle, PlayerFault, PlayerTurn, Seconds, Settings};
use crate::rules::{Color, Move, Position};

/// GTP.
#[derive(Default)]
pub(super) struct GtpPlayer {
    settings: Settings,
    budget: Budget,
    /// The answer of `list_commands`; empty if the engine does not know that command.
    commands: Vec<String>,
    /// The command that sends the budget, if there is one.
    budget_line: Option<String>,
    /// Moves of this game that the engine knows.
    known_moves: usize,
    /// The lines of the answer to `genmove` so far.
    reply: GtpReply,
}

impl GtpPlayer {
    pub(super) fn new(settings: &Settings, budget: Budget) -> GtpPlayer {
        GtpPlayer {
            settings: settings.clone(),
            budget,
            ..GtpPlayer::default()
        }
    }

    /// Does the engine know the command? Without a list it may know the usual ones.
    fn knows(&self, command: &str) -> bool {
        self.commands.iter().any(|known| known == command)
            || self.commands.is_empty() && command.starts_with("time_")
    }

    /// The first way to send the budget that the engine knows.
    fn choose_budget_line(&self) -> Result<Option<String>, PlayerFault> {
        if self.budget == Budget::Untimed {
            return Ok(None);
        }
        let lines = budget_lines(self.budget, self.settings.seconds);
        let names = lines
            .iter()
            .map(|line| line.split(' ').next().unwrap_or_default());
        if let Some(known) = names.clone().position(|name| self.knows(name)) {
            return Ok(lines.get(known).cloned());
        }
        let unknown = || format!("it does not know {}", Vec::from_iter(names).join(" or "));
        let mut reasons = Vec::from_iter((!lines.is_empty()).then(unknown));
        let is_time = matches!(self.budget, Budget::Clock { .. } | Budget::MoveTime(_));
        if is_time && self.settings.seconds == Seconds::Whole {
            reasons.push("GTP has whole seconds, unless seconds=decimal is set".to_owned());
        }
        let (budget, reasons) = (self.budget, reasons.join("; "));
        let reason = format!(
            "{budget} cannot be sent to it: {reasons}; with untimed it plays at its own level"
        );
        Err(PlayerFault::Garbage(reason))
    }
}

/// Sends a command that has to succeed, and returns its answer.
fn command(engine: &mut Process, line: &str) -> Result<String, PlayerFault> {
    let mut reply = GtpReply::default();
    let answer = engine.ask(line, |text| reply.push(text))?;
    answer.map_err(|reason| PlayerFault::Garbage(format!("{line:?} was refused: {reason}")))
}

impl Dialect for GtpPlayer {
    fn handshake(&mut self, engine: &mut Process) -> Result<(), PlayerFault> {
        let listed = match command(engine, "list_commands") {
            Err(PlayerFault::Garbage(_)) => String::new(),
            listed => listed?,
        };
        self.commands = listed.split_whitespace().map(str::to_owned).collect();
        if self.knows("set_game") {
            command(engine, "set_game Othello")?;
        }
        command(engine, "boardsize 8")?;
        for line in &self.settings.init {
            command(engine, line)?;
        }
        self.budget_line = self.choose_budget_line()?;
        self.new_game(engine)
    }

    fn new_game(&mut self, engine: &mut Process) -> Result<(), PlayerFault> {
        self.known_moves = 0;
        command(engine, "clear_board")?;
        if let Some(line) = &self.budget_line {
            command(engine, line)?;
        }
        Ok(())
    }

    fn prepare(
        &mut self,
        engine: &mut Process,
        turn: &PlayerTurn<'_>,
    ) -> Result<String, PlayerFault> {
        if turn.game.start() != Position::START {
            let reason = "GTP has no command to set up a position";
            return Err(PlayerFault::Garbage(reason.to_owned()));
        }
        let moves = turn.game.moves().iter().zip(COLORS.into_iter().cycle());
        for (&mv, color) in moves.skip(self.known_moves) {
            if mv != Move::Pass || self.settings.passes == PassStyle::Explicit {
                command(engine, &format!("play {color} {mv}"))?;
            }
        }
        // And the move that it will answer, which it also plays on its own board.
        self.known_moves = turn.game.moves().len() + 1;
        if matches!(self.budget, Budget::Clock { .. }) && self.knows("time_left") {
            for color in COLORS {
                let left = seconds_text(turn.clock_of(color).remaining(), self.settings.seconds);
                command(engine, &format!("time_left {color} {left} 0"))?;
            }
        }
        self.reply = GtpReply::default();
        Ok(format!("genmove {}", turn.game.position().side))
    }

    fn read(&mut self, line: &str) -> Option<Result<ChosenMove, String>> {
        let answer = self.reply.push(line)?;
        let answer = answer.map_err(|reason| format!("genmove was refused: {reason}"));
        Some(answer.and_then(|answer| {
            let action = action(&answer).map(ChosenMove::of);
            action.ok_or_else(|| format!("genmove was answered {answer:?}"))
        }))
    }
}

/// Both sides, the first to move first.
const COLORS: [Color; 2] = [Color::Black, Color::White];

/// The answer to a command, as its lines come: `=[id] text` or `?[id] text`, more lines, and
/// an empty one at the end.
#[derive(Default)]
struct GtpReply(Vec<String>);

impl GtpReply {
    /// Takes a line. Returns the text once it is complete, as an error after `?`.
    fn push(&mut self, line: &str) -> Option<Result<String, String>> {
        let line = line.trim_end();
        if self.0.is_empty() && !line.starts_with(['=', '?']) {
            return None;
        }
        if !line.is_empty() {
            self.0.push(line.to_owned());
            return None;
        }
        let all = std::mem::take(&mut self.0).join("\n");
        let text = all[1..].trim_start_matches(|c: char| c.is_ascii_digit());
        let text = text.trim().to_owned();
        Some(if all.starts_with('=') {
            Ok(text)
        } else {
            Err(text)
        })
    }
}

/// The action of an answer to `genmove`.
fn action(answer: &str) -> Option<Action> {
    let word = answer.split_whitespace().next()?;
    if word.eq_ignore_ascii_case("resign") {
        return Some(Action::Resign);
    }
    word.parse().ok().map(Action::Play)
}

/// The ways to send a budget, the best first; a time that is rounded to nothing is left out.
fn budget_lines(budget: Budget, seconds: Seconds) -> Vec<String> {
    match budget {
        Budget::Untimed | Budget::Nodes(_) => Vec::new(),
        Budget::Depth(depth) => vec![format!("emilia-depth {depth}")],
        Budget::MoveTime(time) => {
            let [exactly, text] =
                [Seconds::Decimal, seconds].map(|style| seconds_text(time, style));
            let mut lines = vec![format!("emilia-move_time {exactly}")];
            lines.extend(is_some_time(&text).then(|| format!("time_settings 0 {text} 1")));
            lines
        }
        Budget::Clock { base, increment } => {
            let [base, increment] = [base, increment].map(|time| seconds_text(time, seconds));
            let line = format!("time_settings {base} {increment} 0");
            Vec::from_iter(is_some_time(&base).then_some(line))
        }
    }
}

/// Is it more than zero after rounding? A time of zero would mean that there is no limit.
fn is_some_time(text: &str) -> bool {
    text.contains(|c: char| ('1'..='9').contains(&c))
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
    fn a_reply_is_complete_with_its_empty_line() {
        let read = |lines: &[&str]| {
            let mut reply = GtpReply::default();
            let replies = lines.iter().filter_map(|line| reply.push(line));
            replies.collect::<Vec<_>>()
        };
        let ok = |text: &str| Ok(text.to_owned());
        assert_eq!(read(&["= F5", ""]), [ok("F5")]);
        assert_eq!(read(&["", "info", "=12 pass\t", ""]), [ok("pass")]);
        assert_eq!(read(&["=", "", "= d3", ""]), [ok(""), ok("d3")]);
        assert_eq!(read(&["=7 name", "version", ""]), [ok("name\nversion")]);
        assert_eq!(read(&["? no", ""]), [Err("no".to_owned())]);
        assert_eq!(read(&["= F5"]), []);
    }

    #[test]
    fn genmove_is_answered_by_a_move_or_resign() {
        assert_eq!(action("pass"), Some(Action::Play(Move::Pass)));
        assert_eq!(action("RESIGN"), Some(Action::Resign));
        assert_eq!((action("zz"), action("")), (None, None));
    }

    #[test]
    fn budgets_are_sent_in_seconds() {
        let lines = |text: &str, seconds| budget_lines(text.parse().expect(text), seconds);
        assert_eq!(lines("tc=10+1", Seconds::Whole), ["time_settings 10 1 0"]);
        let decimal = lines("tc=1+0.05", Seconds::Decimal);
        assert_eq!(decimal, ["time_settings 1.000 0.050 0"]);
        let move_time = lines("st=2.25", Seconds::Whole);
        assert_eq!(move_time, ["emilia-move_time 2.250", "time_settings 0 2 1"]);
        assert_eq!(lines("depth=8", Seconds::Whole), ["emilia-depth 8"]);
        // "time_settings 0 0 0" would mean that there is no clock.
        assert_eq!(lines("tc=0.9+1", Seconds::Whole).len(), 0);
        assert_eq!(lines("st=0.25", Seconds::Whole), ["emilia-move_time 0.250"]);
    }

    #[test]
    fn a_budget_that_cannot_be_sent_is_refused() {
        let line = |budget: &str, commands: &[&str]| {
            let mut gtp = GtpPlayer::new(&Settings::default(), budget.parse().expect(budget));
            gtp.commands = commands.iter().map(|&name| name.to_owned()).collect();
            gtp.choose_budget_line()
        };
        let sent = |text: &str| Ok(Some(text.to_owned()));
        assert_eq!(line("untimed", &[]), Ok(None));
        assert_eq!(line("tc=5", &[]), sent("time_settings 5 0 0"));
        assert_eq!(line("depth=3", &["emilia-depth"]), sent("emilia-depth 3"));
        for (budget, commands, reason) in [
            ("depth=3", &["play"][..], "it does not know emilia-depth"),
            ("st=1", &["play"], "emilia-move_time or time_settings"),
            ("tc=0.5", &["time_settings"], "seconds=decimal"),
        ] {
            let error = line(budget, commands).expect_err(budget).to_string();
            assert!(error.contains(reason), "{error}");
            assert!(
                error.ends_with("; with untimed it plays at its own level"),
                "{error}"
            );
        }
    }
}
