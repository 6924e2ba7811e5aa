//! How many lines a run over files has to answer, and how long it will still take: by the nodes that positions of
//! as many empties have taken so far, not by the number of lines.
//!
//! What is still to come is counted by a thread that reads the files ahead, once a run has lasted
//! for a while.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use super::counted::Counted;
use crate::batch::estimate::{Curve, Model};
use crate::batch::input::{Part, PositionReader, Sink, Task};
use crate::threads::{self, Stack};

/// A run that is over sooner is not worth reading ahead for.
const LONG: Duration = Duration::from_secs(5);

/// What a run has to answer.
#[derive(Default)]
struct Total {
    lines: u64,
    /// The positions of these lines, by their empties. A line that cannot be read has none.
    by_empties: BTreeMap<u32, u64>,
}

/// What a run has to do.
pub(crate) struct Outlook {
    /// Until it is begun.
    count: Option<Count>,
    total: Arc<OnceLock<Total>>,
    /// How much longer solves of other empties take, where none has come so far.
    curve: &'static Curve,
}

/// Counts what a run has to do.
struct Count {
    input: PositionReader,
    part: Part,
    total: Total,
}

impl Outlook {
    /// Of a run that answers `part` of the lines of `input`.
    pub(crate) fn new(input: PositionReader, part: Part) -> Outlook {
        let curve = Model::embedded().curve(input.question);
        Outlook {
            count: Some(Count {
                input,
                part,
                total: Total::default(),
            }),
            total: Arc::default(),
            curve,
        }
    }

    /// Begins to count what there is to do, once the run has lasted for a while.
    pub(crate) fn begin(&mut self, elapsed: Duration) {
        if elapsed < LONG {
            return;
        }
        if let Some(mut count) = self.count.take() {
            let total = Arc::clone(&self.total);
            // Without a thread the total stays unknown.
            let _ = threads::spawn("outlook", Stack::Small, move || {
                let input = count.input.clone();
                let errors = input.read(&mut count);
                if errors.is_empty() {
                    let _ = total.set(count.total);
                }
            });
        }
    }

    /// The lines that the run has to answer, if that is known by now.
    pub(crate) fn lines(&self) -> Option<u64> {
        self.total.get().map(|total| total.lines)
    }

    /// How long it will still take, if that is known by now.
    pub(crate) fn time_left(&self, counted: &Counted, elapsed: Duration) -> Option<Duration> {
        let typical = |empties| self.curve.typical(empties);
        time_left(self.total.get()?, counted, elapsed, typical)
    }
}

impl Sink for Count {
    fn take(&mut self, _: &[u8], task: Task) -> bool {
        if self.part.takes(&task) && !self.part.has_answer() {
            self.total.lines += 1;
            if let Some(empties) = task.empties() {
                *self.total.by_empties.entry(empties).or_default() += 1;
            }
        }
        true
    }
}

/// `typical`: the nodes of a solve of so many empties, where nothing is known of others.
fn time_left(
    total: &Total,
    counted: &Counted,
    elapsed: Duration,
    typical: impl Fn(u32) -> f64,
) -> Option<Duration> {
    let nodes_done = counted.nodes() as f64;
    if nodes_done == 0.0 {
        return None;
    }
    let mut nodes_left = 0.0;
    for (&empties, &total) in &total.by_empties {
        let known = counted.by_empties.iter();
        let (&nearest, effort) = known.min_by_key(|(known, _)| known.abs_diff(empties))?;
        let done = if nearest == empties { effort.lines } else { 0 };
        let each = effort.nodes as f64 / effort.lines as f64 * typical(empties) / typical(nearest);
        nodes_left += total.saturating_sub(done) as f64 * each;
    }
    Duration::try_from_secs_f64(elapsed.as_secs_f64() * nodes_left / nodes_done).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hard_positions_that_are_left_count_by_their_nodes() {
        let counted = Counted::of_efforts(&[(10, 100, 1_000), (20, 1, 9_000)]);
        let mut total = Total::default();
        total.by_empties.extend([(10, 200), (20, 11)]);
        let doubled = |empties: u32| f64::from(empties).exp2();
        let left = |total: &Total| time_left(total, &counted, Duration::from_secs(10), doubled);
        // 100 of 10 nodes and 10 of 9,000, after 10,000 nodes in 10 s.
        assert_eq!(left(&total), Some(Duration::from_secs(91)));
        // Two of 22 empties, where none has been solved, take four times as long as one of 20.
        let mut total = Total::default();
        total.by_empties.insert(22, 2);
        assert_eq!(left(&total), Some(Duration::from_secs(72)));
        assert_eq!(time_left(&total, &Counted::default(), LONG, doubled), None);
    }
}
