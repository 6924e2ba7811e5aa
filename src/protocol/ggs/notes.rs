//! What a conversation reports: a line for each thing that happens, and games. What others say is cut, and counted
//! where it is too much.

use std::time::Duration;

use crossbeam_channel::{Sender, unbounded};

use super::Report;
use crate::formats::ggf::GgfGame;
use crate::host::Instant;
use crate::text::printable;

/// Letters of a line.
const MAX_LETTERS: usize = 300;

/// Lines of others in each [`WINDOW`].
const MAX_LINES: u32 = 10;
const WINDOW: Duration = Duration::from_secs(5);

pub(super) struct Notes {
    reports: Sender<Report>,
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

/// Nobody listens.
impl Default for Notes {
    fn default() -> Notes {
        Notes::new(unbounded().0)
    }
}

impl Notes {
    pub(super) fn new(reports: Sender<Report>) -> Notes {
        let window = Timer::default();
        Notes {
            reports,
            window,
            lines: 0,
        }
    }

    /// What happens to us.
    pub(super) fn say(&self, text: &str) {
        let text: String = text.chars().take(MAX_LETTERS).collect();
        let _ = self
            .reports
            .send(Report::Note(printable(&text).into_owned()));
    }

    /// What others say.
    pub(super) fn tell(&mut self, text: &str) {
        self.lines = self.lines.saturating_add(1);
        if self.lines <= MAX_LINES {
            self.say(text);
        }
    }

    pub(super) fn tick(&mut self) {
        if self.window.has_run(WINDOW) {
            let dropped = self.lines.saturating_sub(MAX_LINES);
            if dropped > 0 {
                self.say(&format!("{dropped} more lines of others"));
            }
            self.window.restart();
            self.lines = 0;
        }
    }

    pub(super) fn save(&self, is_ours: bool, game: GgfGame) {
        let game = Box::new(game);
        let _ = self.reports.send(Report::Game { game, is_ours });
    }
}
