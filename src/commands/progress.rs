//! How far long work has come, on standard error: a bar on a terminal, elsewhere a plain line
//! now and then.

use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressState, ProgressStyle};

/// Time between two plain lines.
const LINE_EVERY: Duration = Duration::from_secs(60);

/// The progress of work of a known number of steps. Threads may share it.
pub struct Progress {
    bar: ProgressBar,
    /// What a step makes: "games".
    unit: String,
    /// Steps that were done when the work began.
    before: u64,
    start: Instant,
    /// Milliseconds from the start to the last plain line.
    last_line: AtomicU64,
}

impl Progress {
    /// The progress of `length` steps; `before` of them are done.
    pub fn new(length: u64, unit: &str, before: u64) -> Progress {
        let template = format!(
            "{{bar:30}} {{pos}} of {{len}} {unit} ({{percent}}%){{msg}}, {{rate}} {unit}/s, {{eta}} left"
        );
        Progress::of_bar(ProgressBar::new(length), &template, unit, before)
    }

    /// The progress of work that is told in a line of its own, by [`show`](Self::show).
    pub(super) fn in_words() -> Progress {
        Progress::of_bar(ProgressBar::no_length(), "{msg}", "", 0)
    }

    fn of_bar(bar: ProgressBar, template: &str, unit: &str, before: u64) -> Progress {
        if let Ok(style) = ProgressStyle::with_template(template) {
            let rate = |state: &ProgressState, out: &mut dyn std::fmt::Write| {
                let _ = write!(out, "{:.1}", state.per_sec());
            };
            bar.set_style(style.with_key("rate", rate));
        }
        bar.set_position(before);
        bar.reset_eta();
        Progress {
            bar,
            unit: unit.to_owned(),
            before,
            start: Instant::now(),
            last_line: AtomicU64::new(0),
        }
    }

    /// Says more behind the number of steps: `2 of 12 games`.
    pub fn note(&self, text: &str) {
        self.bar.set_message(format!(", {text}"));
    }

    /// One more step is done.
    pub fn step(&self) {
        self.bar.inc(1);
        self.show_line();
    }

    /// `done` steps are done.
    pub fn set(&self, done: u64) {
        self.bar.set_position(done);
        self.show_line();
    }

    /// Shows this line, if it is time to.
    pub(super) fn show(&self, line: impl FnOnce() -> String) {
        if self.bar.is_hidden() {
            self.show_plain(line);
        } else {
            self.bar.set_message(line());
        }
    }

    fn show_line(&self) {
        if self.bar.is_hidden() {
            self.show_plain(|| self.line());
        }
    }

    fn show_plain(&self, line: impl FnOnce() -> String) {
        if self.is_line_due() {
            // Standard error may be closed.
            let _ = writeln!(io::stderr(), "{}", line());
        }
    }

    /// Is it time for a plain line? Only one of several threads gets `true`.
    fn is_line_due(&self) -> bool {
        let now = self.start.elapsed().as_millis() as u64;
        let last = self.last_line.load(Ordering::Relaxed);
        let due = now.saturating_sub(last) >= LINE_EVERY.as_millis() as u64;
        let exchange = || {
            self.last_line
                .compare_exchange(last, now, Ordering::Relaxed, Ordering::Relaxed)
        };
        due && exchange().is_ok()
    }

    fn line(&self) -> String {
        let (done, unit, note) = (self.bar.position(), &self.unit, self.bar.message());
        let elapsed = self.start.elapsed();
        let here = done.saturating_sub(self.before).max(1) as f64;
        let Some(length) = self.bar.length() else {
            let rate = here / elapsed.as_secs_f64().max(1e-3);
            return format!("{done} {unit}{note}, {rate:.1} {unit}/s");
        };
        let left = elapsed.mul_f64(length.saturating_sub(done) as f64 / here);
        let percent = 100 * done / length.max(1);
        let left = HumanDuration(left);
        format!("{done} of {length} {unit} ({percent}%){note}, {left} left")
    }

    /// Hides the bar while `print` writes to the terminal.
    pub fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }
}

/// The bar is removed at the end of the work, also after an error.
impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_line_comes_once_a_minute() {
        let mut progress = Progress::new(300, "games", 100);
        progress.bar.set_position(150);
        assert!(!progress.is_line_due(), "just begun");
        let Some(earlier) = progress.start.checked_sub(2 * LINE_EVERY) else {
            return; // this computer has just been started
        };
        progress.start = earlier;
        assert!(progress.is_line_due());
        assert!(!progress.is_line_due(), "printed already");
        let line = progress.line();
        assert!(
            line.starts_with("150 of 300 games (50%), 6 minutes left"),
            "{line}"
        );
        progress.note("2 of 12 rounds");
        let line = progress.line();
        assert!(line.contains("(50%), 2 of 12 rounds, 6"), "{line}");
    }
}
