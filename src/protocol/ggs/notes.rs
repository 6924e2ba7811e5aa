//! What a conversation reports: a line for each thing that happens, and games. What others say is cut, and counted
//! where it is too much.

use std::time::Duration;

use crossbeam_channel::Sender;

use super::Report;
use crate::formats::ggf::GgfGame;
use crate::host::Instant;
use crate::text::printable;

/// Letters of a line.
const MAX_LETTERS: usize = 300;

/// Lines of others in each [`WINDOW`].
const MAX_LINES: u32 = 10;
const WINDOW: Duration = Duration::from_secs(5);

#[derive(Default)]
pub(super) struct Notes {
    /// Nobody listens by default.
    reports: Option<Sender<Report>>,
    /// What is never told.
    password: String,
    window: Timer,
    /// Lines of others in this window.
    lines: u32,
}

/// Since something was done; at first it never was.
#[derive(Default)]
pub(super) struct Timer(Option<Instant>);

impl Timer {
    pub(super) fn restart(&mut self) {
        self.0 = Some(Instant::now());
    }

    pub(super) fn has_run(&self, pause: Duration) -> bool {
        self.0.is_none_or(|start| start.elapsed() >= pause)
    }
}

impl Notes {
    pub(super) fn new(reports: Sender<Report>, password: &str) -> Notes {
        Notes {
            reports: Some(reports),
            password: password.to_owned(),
            ..Notes::default()
        }
    }

    fn report(&self, report: Report) {
        // Whoever listened may be gone.
        let _ = self.reports.as_ref().map(|reports| reports.send(report));
    }

    /// The text without the password, which the server may have quoted.
    pub(super) fn masked(&self, text: &str) -> String {
        match self.password.is_empty() {
            true => text.to_owned(),
            false => text.replace(&self.password, "***"),
        }
    }

    /// What happens to us.
    pub(super) fn say(&self, text: &str) {
        let text: String = self.masked(text).chars().take(MAX_LETTERS).collect();
        self.report(Report::Note(printable(&text).into_owned()));
    }

    /// What others say.
    pub(super) fn tell(&mut self, text: &str) {
        if self.window.has_run(WINDOW) {
            if self.lines > MAX_LINES {
                let dropped = self.lines - MAX_LINES;
                self.say(&format!("{dropped} lines of others were left out here"));
            }
            self.window.restart();
            self.lines = 0;
        }
        self.lines = self.lines.saturating_add(1);
        if self.lines <= MAX_LINES {
            self.say(text);
        }
    }

    pub(super) fn save(&self, is_ours: bool, game: GgfGame) {
        let game = Box::new(game);
        self.report(Report::Game { game, is_ours });
    }
}
