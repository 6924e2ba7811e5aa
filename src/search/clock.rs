//! How long to think about one move.

use std::time::Duration;

use super::TimeLimit;

/// Reserved for the way from the search to the host.
const LAG: Duration = Duration::from_millis(15);

/// More time than any clock has, and little enough to calculate with.
const MOST: Duration = Duration::from_secs(1 << 40);

/// Empties from which on the rest of a game is solved in almost no time.
const SOLVED_AT: u32 = 18;

/// The time for one move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Budget {
    /// Start no new iteration after this.
    pub(super) soft: Option<Duration>,
    /// Stop a running iteration after this.
    pub(super) hard: Option<Duration>,
}

/// The time for a move of a board with so many empties.
pub(super) fn budget(limit: TimeLimit, empties: u32) -> Budget {
    match limit {
        TimeLimit::Unlimited => Budget::default(),
        TimeLimit::Move(time) => {
            let hard = time.saturating_sub(margin(time));
            Budget {
                soft: Some(hard.mul_f64(0.7)),
                hard: Some(hard),
            }
        }
        TimeLimit::Clock {
            remaining,
            increment,
            moves_to_go,
        } => {
            let (remaining, increment) = (remaining.min(MOST), increment.min(MOST));
            let own_moves = empties.saturating_sub(SOLVED_AT) / 2 + 2;
            let share = f64::from(moves_to_go.map_or(own_moves, |moves| moves.clamp(1, own_moves)));
            let usable = remaining.saturating_sub(LAG.min(remaining / 4));
            let soft =
                (usable.mul_f64(0.9 / share) + increment.mul_f64(0.7)).min(usable.mul_f64(0.7));
            let most = if share <= 1.0 { 0.9 } else { 0.5 };
            let hard = soft.mul_f64(2.5).min(usable.mul_f64(most));
            Budget {
                soft: Some(soft.mul_f64(0.7).min(hard)),
                hard: Some(hard),
            }
        }
    }
}

/// Part of a fixed move time that is not used.
fn margin(time: Duration) -> Duration {
    (time / 8).min(Duration::from_millis(10))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn milliseconds(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn a_move_never_gets_more_time_than_is_left() {
        for remaining in [0, 1, 5, 20, 100, 1_000, 60_000] {
            for increment in [0, 50, 10_000] {
                for moves_to_go in [None, Some(0), Some(1), Some(40)] {
                    for empties in 0..=60 {
                        let limit = TimeLimit::Clock {
                            remaining: milliseconds(remaining),
                            increment: milliseconds(increment),
                            moves_to_go,
                        };
                        let budget = budget(limit, empties);
                        assert!(
                            budget.hard <= Some(milliseconds(remaining)),
                            "{limit:?} {empties}"
                        );
                        assert!(budget.soft <= budget.hard, "{limit:?} {empties}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_fixed_time_has_a_reserve() {
        let budget = budget(TimeLimit::Move(milliseconds(10)), 40);
        assert!(budget.hard < Some(milliseconds(10)));
        assert!(budget.hard > Some(milliseconds(5)));
    }

    #[test]
    fn without_a_limit_there_is_no_budget() {
        assert_eq!(budget(TimeLimit::Unlimited, 40), Budget::default());
    }
}
