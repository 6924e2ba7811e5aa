//! What a conversation reports: a line for each thing that happens, and games. What others say is cut, and counted
//! where it is too much.

use std::time::Duration;

use crossbeam_channel::Sender;

use super::Report;
use crate::formats::ggf::GgfGame;
use crate::host::Instant;
use crate::text::printable;

/// Letters of a line of others.
const MAX_LETTERS: usize = 300;

/// Lines of others in each [`WINDOW`].
const MAX_LINES: u32 = 10;
const WINDOW: Duration = Duration::from_secs(5);

pub(super) struct Notes {
    reports: Sender<Report>,
    window: Instant,
    /// Lines of others in this window.
    lines: u32,
}

impl Notes {
    pub(super) fn new(reports: Sender<Report>) -> Notes {
        Notes {
            reports,
            window: Instant::now(),
            lines: 0,
        }
    }

    /// What happens to us.
    pub(super) fn say(&self, text: String) {
        let text: String = text.chars().take(MAX_LETTERS).collect();
        let text = printable(&text).into_owned();
        // Nobody may listen any more.
        let _ = self.reports.send(Report::Note(text));
    }

    /// What others say.
    pub(super) fn tell(&mut self, text: &str) {
        self.tick();
        self.lines = self.lines.saturating_add(1);
        if self.lines <= MAX_LINES {
            self.say(text.to_owned());
        }
    }

    pub(super) fn tick(&mut self) {
        if self.window.elapsed() < WINDOW {
            return;
        }
        let dropped = self.lines.saturating_sub(MAX_LINES);
        if dropped > 0 {
            self.say(format!("{dropped} more lines of others"));
        }
        (self.window, self.lines) = (Instant::now(), 0);
    }

    pub(super) fn save(&self, is_ours: bool, game: GgfGame) {
        let game = Box::new(game);
        let _ = self.reports.send(Report::Game { game, is_ours });
    }
}
