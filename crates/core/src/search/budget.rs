//! How long to think about one move.

use std::time::Duration;

use super::TimeLimit;
use super::lag::Lag;
use crate::rules::{Board, Move};
use crate::score::Discs;

/// Reserved for the way from the search to the host, beside the lag that its clock has shown.
const RESERVE: Duration = Duration::from_millis(15);

/// More time than any clock has, and little enough to calculate with.
const MOST: Duration = Duration::from_secs(1 << 40);

/// Empties of an even game whose result one thread of a usual machine knows after
/// [`RESULT_SECONDS`], nearly always.
const RESULT_EMPTIES: i32 = 26;

/// The time that the result takes with [`RESULT_EMPTIES`], in seconds.
const RESULT_SECONDS: f64 = 0.5;

/// How many times as much time it takes with one more empty square.
const RESULT_GROWTH: f64 = 1.8;

/// The share of the time on the opponent's clock that counts after a hit as if the own clock had paid for
/// it: such a move is thought about for longer, and costs less.
const PONDERED: f64 = 0.5;

/// The part of the usable time that the lag of later moves leaves at least: 1/64.
const LEFT_BY_LAG: u32 = 64;

// How a move's share of a clock becomes its budget. Found in games of 0.3 s and 0.003 s a move (f8ab0a5); that a move gets
// 95% of its share, or that all factors are larger, won no more games of 1 s and 0.01 s a move (bf95151).

/// How many times its share of the usable time a move gets: most end before it is used up.
const OVER_SHARE: f64 = 1.05;

/// The part of its increment that a move uses.
const USED_INCREMENT: f64 = 0.8;

/// The part of the usable time that no move is planned to exceed.
const MOST_PLANNED: f64 = 0.7;

/// The part of its time after which a move starts no new iteration: the next one takes longer than all before it.
const SOFT_PART: f64 = 0.7;

/// How many times its time a move may take to end an iteration.
const HARD_TIMES: f64 = 2.5;

/// The part of the usable time that ends an iteration; of the last move before the clock is set again.
const HARD_PART: f64 = 0.5;
const HARD_PART_OF_LAST: f64 = 0.9;

/// The time for one move.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct TimeBudget {
    /// Start no new iteration after this, where nothing speaks for more or less time.
    pub(super) soft: Option<Duration>,
    /// Stop a running iteration after this.
    pub(super) hard: Option<Duration>,
    /// The share of the time on the opponent's clock that counts, once that has ended.
    pub(super) pondered: f64,
}

/// A move that time is needed for.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimedMove {
    pub(super) board: Board,
    /// Moves to choose from.
    pub(super) choices: u32,
    /// The lag that the host has shown before this move.
    pub(super) lag: Lag,
}

impl TimedMove {
    /// The time for it, where this is what its clock shows. What that says of the lag counts here alone.
    pub(super) fn budget(mut self, time: TimeLimit) -> TimeBudget {
        self.lag.asked(self.board, time);
        let empties = self.board.empty_count();
        budget(time, empties, self.choices, self.lag.expected())
    }
}

/// The time for a move of a board with so many empties, which is one of `choices`. Each move costs
/// `lag` beside its search.
fn budget(limit: TimeLimit, empties: u32, choices: u32, lag: Duration) -> TimeBudget {
    match limit {
        TimeLimit::Unlimited => TimeBudget::default(),
        TimeLimit::Move(time) => TimeBudget {
            soft: None,
            hard: Some(time.saturating_sub(margin(time))),
            pondered: 0.0,
        },
        TimeLimit::Clock {
            remaining,
            increment,
            moves_to_go,
        } => {
            let (remaining, increment) = (remaining.min(MOST), increment.min(MOST));
            let moves = moves_to_go.map_or(u32::MAX, |moves| moves.max(1));
            let later = moves.min(empties / 2 + 1) - 1;
            // Increments pay for the lag of later moves first.
            let lags = lag + lag.saturating_sub(increment) * later;
            let increment = increment.saturating_sub(lag);
            let usable = remaining.saturating_sub(RESERVE.min(remaining / 4));
            let usable = usable.saturating_sub(lags.min(usable - usable / LEFT_BY_LAG));
            let settled = settled(usable, increment, empties, moves);
            let share = share(empties, moves, settled);
            let target = usable.mul_f64(OVER_SHARE * share) + increment.mul_f64(USED_INCREMENT);
            let target = target.min(usable.mul_f64(MOST_PLANNED));
            let is_last = share >= 1.0;
            let most = if is_last {
                HARD_PART_OF_LAST
            } else {
                HARD_PART
            };
            let hard = target.mul_f64(HARD_TIMES).min(usable.mul_f64(most));
            let soft = if choices > 1 {
                target.mul_f64(SOFT_PART)
            } else {
                Duration::ZERO
            };
            TimeBudget {
                soft: Some(soft.min(hard)),
                hard: Some(hard),
                pondered: PONDERED,
            }
        }
    }
}

/// The most empties at which the result will be known by the time that a move then has: an equal
/// part for each move until then, that move, and one in reserve.
fn settled(usable: Duration, increment: Duration, empties: u32, moves: u32) -> u32 {
    let is_known = |left: &u32| {
        let parts = ((empties - left) / 2 + 2).min(moves);
        let time = usable.as_secs_f64() / f64::from(parts) + increment.as_secs_f64();
        time >= RESULT_SECONDS * RESULT_GROWTH.powi(*left as i32 - RESULT_EMPTIES)
    };
    (1..=empties).rev().find(is_known).unwrap_or(0)
}

/// The share of the time left that a move should get.
fn share(empties: u32, moves: u32, settled: u32) -> f64 {
    let need = |empties| need(empties, settled);
    let rest = (1..=empties).rev().step_by(2).take(moves as usize);
    need(empties) / rest.map(need).sum::<f64>().max(need(empties))
}

/// How much time a move is worth, in moves of the early middle game. The moves before the result is
/// known decide most games; after it there is little to search. Found in 400 games of 5 s and 0.05 s a move (2c31006).
fn need(empties: u32, settled: u32) -> f64 {
    match empties as i32 - settled as i32 {
        21.. => 0.8,
        11..21 => 1.0,
        1..11 => 1.3,
        -2..1 => 0.7,
        -6..-2 => 0.25,
        _ => 0.05,
    }
}

/// What the iterations of a search say about the time that its move needs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pace {
    last: Option<(Move, Discs)>,
    /// Iterations in a row whose best move was the same as that of the iteration before.
    unchanged: u32,
    /// By how many discs the score fell in the last iteration.
    fall: i32,
}

impl Pace {
    /// Notes the best move of an iteration and its score.
    pub(super) fn note(&mut self, best: Move, score: Discs) {
        if let Some((last, before)) = self.last {
            self.unchanged = if last == best { self.unchanged + 1 } else { 0 };
            self.fall = (before - score).get();
        }
        self.last = Some((best, score));
    }

    /// How many times its usual time the search should have: less where the best move is steady, more where it changes or its
    /// score falls. Found with the factors of [`budget`].
    pub(super) fn factor(&self) -> f64 {
        let stability = match self.unchanged {
            0 => 1.5,
            1 => 1.2,
            2..=3 => 1.0,
            4..=6 => 0.8,
            _ => 0.65,
        };
        let danger = match self.fall {
            4.. => 1.6,
            2..4 => 1.3,
            _ => 1.0,
        };
        stability * danger
    }
}

/// Part of a fixed move time that is not used: so long a busy machine may keep a thread waiting.
fn margin(time: Duration) -> Duration {
    (time / 8).min(Duration::from_millis(50))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Square;

    fn milliseconds(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// The budget of one of two moves on a clock without lag.
    fn budget(limit: TimeLimit, empties: u32) -> TimeBudget {
        super::budget(limit, empties, 2, Duration::ZERO)
    }

    #[test]
    fn a_move_never_gets_more_time_than_is_left() {
        for remaining in [0, 1, 5, 20, 100, 1_000, 60_000] {
            for increment in [0, 50, 10_000] {
                for moves_to_go in [None, Some(0), Some(1), Some(40)] {
                    for (empties, lag) in (0..=60).zip([0, 1, 30, 1_000].into_iter().cycle()) {
                        let limit = TimeLimit::Clock {
                            remaining: milliseconds(remaining),
                            increment: milliseconds(increment),
                            moves_to_go,
                        };
                        let budget = super::budget(limit, empties, 2, milliseconds(lag));
                        assert!(
                            budget.hard <= Some(milliseconds(remaining)),
                            "{limit:?} {empties} {lag}"
                        );
                        assert!(budget.soft <= budget.hard, "{limit:?} {empties} {lag}");
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
    fn a_forced_move_takes_no_time_from_the_clock() {
        let limit = TimeLimit::Clock {
            remaining: milliseconds(10_000),
            increment: milliseconds(100),
            moves_to_go: None,
        };
        let forced = super::budget(limit, 40, 1, Duration::ZERO);
        assert_eq!(forced.soft, Some(Duration::ZERO));
        assert!(budget(limit, 40).soft > Some(milliseconds(100)));
    }

    #[test]
    fn most_of_a_clock_is_spent_before_the_result_is_known() {
        for seconds in [1, 10, 60, 600, 3_600] {
            let whole = Duration::from_secs(seconds);
            let mut remaining = whole;
            for empties in (20..=60).rev().step_by(2) {
                let limit = TimeLimit::Clock {
                    remaining,
                    increment: Duration::ZERO,
                    moves_to_go: None,
                };
                let soft = budget(limit, empties).soft.unwrap_or_default();
                remaining = remaining.saturating_sub(soft);
            }
            let left = remaining.as_secs_f64() / whole.as_secs_f64();
            assert!((0.02..0.2).contains(&left), "{left} of {seconds} s");
        }
    }

    /// The time that is left after a game in which each search takes all its time, and each move besides
    /// that costs so many milliseconds, which `lag` sees; `None`: it was lost on time.
    fn left(seconds: u64, increment: u64, cost: u64, mut lag: Option<Lag>) -> Option<Duration> {
        let increment = milliseconds(increment);
        let mut remaining = Duration::from_secs(seconds);
        for discs in (4..64).step_by(2) {
            let board = Board {
                player: (1 << discs) - 1,
                opponent: 0,
            };
            let limit = TimeLimit::Clock {
                remaining,
                increment,
                moves_to_go: None,
            };
            let expected = lag.as_mut().map_or(Duration::ZERO, |lag| {
                lag.asked(board, limit);
                lag.expected()
            });
            let search = super::budget(limit, board.empty_count(), 2, expected).hard?;
            if let Some(lag) = &mut lag {
                lag.answered(board, limit, search);
            }
            remaining = remaining.checked_sub(search + milliseconds(cost))? + increment;
        }
        Some(remaining)
    }

    #[test]
    fn a_host_far_away_wins_no_game_on_time() {
        for (seconds, increment, cost) in [
            (5, 0, 100),
            (10, 0, 200),
            (60, 0, 1_000),
            (5, 100, 200),
            (8, 100, 250),
        ] {
            let left = |lag| left(seconds, increment, cost, lag);
            assert_eq!(left(None), None, "{seconds} s, {cost} ms");
            let left = left(Some(Lag::default()));
            assert!(left.is_some(), "{seconds} s, {cost} ms");
        }
        // An increment pays for it.
        assert!(left(5, 100, 90, Some(Lag::default())).is_some());
    }

    #[test]
    fn longer_games_know_their_result_earlier() {
        let settled = |seconds| {
            let whole = Duration::from_secs(seconds);
            settled(whole, Duration::ZERO, 60, u32::MAX)
        };
        let lengths = [1, 10, 60, 600, 3_600].map(settled);
        assert!(lengths.is_sorted());
        assert!((18..24).contains(&lengths[0]) && (30..44).contains(&lengths[4]));
    }

    #[test]
    fn a_change_of_mind_and_a_falling_score_take_more_time() {
        let [a, b] = [0, 1].map(|square| Move::Place(Square::wrapping(square)));
        let factor = |iterations: &[(Move, i32)]| {
            let mut pace = Pace::default();
            for &(best, score) in iterations {
                pace.note(best, Discs::new(score));
            }
            pace.factor()
        };
        let steady = factor(&[(a, 2); 9]);
        assert!(steady < 1.0);
        assert!(factor(&[(a, 2), (a, 2), (a, 2), (b, 2)]) > 1.0);
        assert!(factor(&[(a, 2), (a, 2), (a, 2), (a, -3)]) > 1.0);
    }

    #[test]
    fn without_a_limit_there_is_no_budget() {
        assert_eq!(budget(TimeLimit::Unlimited, 40), TimeBudget::default());
    }
}
