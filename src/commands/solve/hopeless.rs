//! Positions that nobody solves in reasonable time: `solve` says so before it begins.

use crate::batch::input::{PositionReader, Task};
use crate::logging;

/// A solve of more empty squares than these takes days at least.
pub(super) const MOST_EMPTIES: u32 = 40;

/// Warns of the first such position, and at the end says how many there were.
#[derive(Debug)]
pub(super) struct Hopeless {
    files: Vec<String>,
    count: u64,
}

impl Hopeless {
    /// For the lines of an input.
    pub(super) fn new(input: &PositionReader) -> Hopeless {
        Hopeless {
            files: input.names(),
            count: 0,
        }
    }

    /// Looks at a line that is to be solved.
    pub(super) fn note(&mut self, task: &Task) {
        let Some(empties) = empties_of(task) else {
            return;
        };
        self.count += 1;
        if self.count == 1 {
            logging::warning(&format!(
                "line {} has {empties} empty squares: with more than {MOST_EMPTIES} a solve takes days or years; \
                 --max-time SECONDS or --max-nodes N ends it, --dry-run counts such lines",
                task.place_text(&self.files)
            ));
        }
    }
}

impl Drop for Hopeless {
    fn drop(&mut self) {
        if self.count > 1 {
            let count = self.count;
            logging::warning(&format!(
                "{count} lines have more than {MOST_EMPTIES} empty squares"
            ));
        }
    }
}

/// The empty squares of a line that is hopeless.
pub(super) fn empties_of(task: &Task) -> Option<u32> {
    task.empties().filter(|&empties| empties > MOST_EMPTIES)
}
