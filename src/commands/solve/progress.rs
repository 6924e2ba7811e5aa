//! The progress of `solve` on standard error.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::HumanDuration;

use crate::batch::run::{Counted, Outlook};

/// Time between two lines of progress where nobody watches.
const LINE_INTERVAL: Duration = Duration::from_secs(60);

/// Time between two changes of the line on a terminal.
const SHOW_INTERVAL: Duration = Duration::from_millis(200);

/// Progress on standard error: a line that changes on a terminal, else a line a minute.
pub(super) struct ProgressLine {
    start: Instant,
    last: Instant,
    is_terminal: bool,
    is_hidden: bool,
    shown: bool,
    /// How much there is to do, where that can be known.
    outlook: Option<Outlook>,
}

impl ProgressLine {
    /// Hidden where the answers are seen on the same terminal.
    pub(super) fn new(answers_are_seen: bool, outlook: Option<Outlook>) -> ProgressLine {
        let is_terminal = io::stderr().is_terminal();
        ProgressLine {
            start: Instant::now(),
            last: Instant::now(),
            is_terminal,
            is_hidden: is_terminal && answers_are_seen,
            shown: false,
            outlook,
        }
    }

    /// Shows how far the run is, if it is time to.
    pub(super) fn update(&mut self, counted: &Counted) {
        let interval = if self.is_terminal {
            SHOW_INTERVAL
        } else {
            LINE_INTERVAL
        };
        let elapsed = self.start.elapsed();
        if self.is_hidden {
            return;
        }
        // Before the first line is shown, so that it has a total.
        if let Some(outlook) = &mut self.outlook {
            outlook.begin(elapsed);
        }
        if self.last.elapsed() < interval {
            return;
        }
        self.last = Instant::now();
        self.shown = true;
        let outlook = self.outlook.as_ref();
        let line = Line {
            counted,
            elapsed,
            total: outlook.and_then(Outlook::lines),
            left: outlook.and_then(|outlook| outlook.time_left(counted, elapsed)),
        };
        let (before, after) = if self.is_terminal {
            ("\r", "\x1b[K")
        } else {
            ("", "\n")
        };
        // Standard error may be closed; then there is no place for a message.
        let _ = write!(io::stderr(), "{before}{line}{after}");
    }

    /// Takes the line off the terminal.
    pub(super) fn end(&self) {
        if self.shown && self.is_terminal {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

/// How far a run is after some time, and how much it will still take.
struct Line<'c> {
    counted: &'c Counted,
    elapsed: Duration,
    /// The answers that the run has to give.
    total: Option<u64>,
    left: Option<Duration>,
}

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let &Line {
            counted,
            elapsed,
            total,
            left,
        } = self;
        let seconds = elapsed.as_secs_f64();
        let answers = counted.answers();
        let rate = answers as f64 / seconds.max(1e-3);
        write!(f, "{answers} ")?;
        if let Some(total) = total {
            // Never 100% before all are there.
            let percent = 100 * answers.min(total) / total.max(1);
            write!(f, "of {total} answers ({percent}%)")?;
        } else {
            write!(f, "answers")?;
        }
        write!(f, ", {rate:.1}/s, {seconds:.0} s")?;
        for (result, count) in &counted.results {
            write!(f, ", {count} {result}")?;
        }
        match (left, total) {
            (Some(left), _) => write!(f, ", about {} left", HumanDuration(left)),
            (None, Some(_)) => write!(f, ", time left not yet known"),
            (None, None) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_says_what_was_done() {
        let mut counted = Counted::default();
        counted.results.insert("win", 3);
        counted.results.insert("unsolved", 1);
        let line = |total, left| {
            let elapsed = Duration::from_secs(2);
            let counted = &counted;
            let line = Line {
                counted,
                elapsed,
                total,
                left,
            };
            line.to_string()
        };
        assert_eq!(line(None, None), "4 answers, 2.0/s, 2 s, 1 unsolved, 3 win");
        let unknown =
            "4 of 40 answers (10%), 2.0/s, 2 s, 1 unsolved, 3 win, time left not yet known";
        assert_eq!(line(Some(40), None), unknown);
        let hours = line(Some(40), Some(Duration::from_secs(7300)));
        assert!(hours.ends_with("3 win, about 2 hours left"), "{hours}");
    }
}
