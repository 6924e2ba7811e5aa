//! The progress of `solve` on standard error.

use std::time::{Duration, Instant};

use indicatif::HumanDuration;

use crate::batch::run::{Counted, Outlook};
use crate::commands::progress::Progress;

/// How far a run is.
pub(super) struct ProgressLine {
    start: Instant,
    progress: Progress,
    /// How much there is to do, where that can be known.
    outlook: Option<Outlook>,
}

impl ProgressLine {
    pub(super) fn new(outlook: Option<Outlook>) -> ProgressLine {
        ProgressLine {
            start: Instant::now(),
            progress: Progress::in_words(),
            outlook,
        }
    }

    /// Shows how far the run is, if it is time to.
    pub(super) fn update(&mut self, counted: &Counted) {
        let elapsed = self.start.elapsed();
        // Before the first line is shown, so that it has a total.
        if let Some(outlook) = &mut self.outlook {
            outlook.begin(elapsed);
        }
        let outlook = self.outlook.as_ref();
        self.progress.show(|| {
            let total = outlook.and_then(Outlook::lines);
            let left = outlook.and_then(|outlook| outlook.time_left(counted, elapsed));
            line(counted, elapsed, total, left)
        });
    }
}

/// How far a run is after some time: of `total` answers, where that is known, and how much it will still take.
fn line(
    counted: &Counted,
    elapsed: Duration,
    total: Option<u64>,
    left: Option<Duration>,
) -> String {
    let seconds = elapsed.as_secs_f64();
    let answers = counted.answers();
    let rate = answers as f64 / seconds.max(1e-3);
    let mut line = match total {
        // Never 100% before all are there.
        Some(total) => {
            let percent = 100 * answers.min(total) / total.max(1);
            format!("{answers} of {total} answers ({percent}%)")
        }
        None => format!("{answers} answers"),
    };
    line += &format!(", {rate:.1} answers/s, {seconds:.0} s");
    for (result, count) in &counted.results {
        line += &format!(", {count} {result}");
    }
    match (left, total) {
        (Some(left), _) => line + &format!(", about {} left", HumanDuration(left)),
        (None, Some(_)) => line + ", time left not yet known",
        (None, None) => line,
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
        let line = |total, left| line(&counted, Duration::from_secs(2), total, left);
        assert_eq!(
            line(None, None),
            "4 answers, 2.0 answers/s, 2 s, 1 unsolved, 3 win"
        );
        let unknown =
            "4 of 40 answers (10%), 2.0 answers/s, 2 s, 1 unsolved, 3 win, time left not yet known";
        assert_eq!(line(Some(40), None), unknown);
        let hours = line(Some(40), Some(Duration::from_secs(7300)));
        assert!(hours.ends_with("3 win, about 2 hours left"), "{hours}");
    }
}
