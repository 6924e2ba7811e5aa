//! Positions that nobody solves in reasonable time: `solve` says so before it begins.

use std::sync::Arc;

use super::input::{Place, Task};
use crate::batch::answer;
use crate::logging;

/// A solve of more empty squares than these takes days at least.
pub(super) const MOST_EMPTIES: u32 = 40;

/// Warns of the first such position, and counts the others.
#[derive(Debug)]
pub(super) struct Hopeless {
    files: Arc<Vec<String>>,
    /// Is there no limit that ends such a solve?
    is_wanted: bool,
    count: u64,
}

impl Hopeless {
    /// For lines of these files. Without `is_wanted` it says nothing.
    pub(super) const fn new(files: Arc<Vec<String>>, is_wanted: bool) -> Hopeless {
        Hopeless {
            files,
            is_wanted,
            count: 0,
        }
    }

    /// Looks at a line that is to be solved.
    pub(super) fn note(&mut self, task: &Task) {
        let Some(empties) = empties_of(task).filter(|_| self.is_wanted) else {
            return;
        };
        self.count += 1;
        if self.count == 1 {
            logging::warning(&format!(
                "line {} has {empties} empty squares: with more than {MOST_EMPTIES} a solve takes days or years; \
                 --max-time SECONDS or --max-nodes N ends it, --dry-run counts such lines",
                place_text(task.place, &self.files)
            ));
        }
    }

    /// Says how many there were, where there was more than one.
    pub(super) fn end(&self) {
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
    let ask = task.content.as_ref().ok()?;
    let empties = ask.problem.position.board.empty_count();
    (empties > MOST_EMPTIES).then_some(empties)
}

/// `FILE:LINE`, or the line alone.
pub(super) fn place_text(place: Place, files: &[String]) -> String {
    let file = place.file.and_then(|number| files.get(number));
    answer::place_text(file.map(String::as_str), place.line)
}
