//! How much more time a host's clock counts for a move than its search took.

use std::time::Duration;

use super::TimeLimit;
use crate::rules::Board;

/// The most that one move can show, in seconds: a clock in whole seconds is off by up to one.
const MOST: f64 = 1.0;

/// From so many moves on, the later ones count more and more.
const MOVES: f64 = 16.0;

/// So much of a move without a lag is taken as seen before the first one, which may be late for reasons
/// of its own: the host or the engine has just started.
const FIRST: f64 = 0.5;

/// What is expected, in terms of what was seen: too little loses games, too much costs a little time.
const CAUTION: f64 = 1.15;

/// What the clock of a host has shown, from move to move: pipes, networks, and a host that is busy
/// cost time that no search can measure.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lag {
    /// The last search that ran on the own clock.
    last: Option<Search>,
    /// How much more was counted than was searched, in seconds, in so many moves.
    total: f64,
    moves: f64,
}

#[derive(Clone, Copy, Debug)]
struct Search {
    occupied: u64,
    clock: TimeLimit,
    took: Duration,
}

impl Lag {
    /// What a move costs beside its search.
    pub(super) fn expected(&self) -> Duration {
        let seen = self.total / (self.moves + FIRST);
        Duration::from_secs_f64((CAUTION * seen).clamp(0.0, MOST))
    }

    /// Notes what the clock showed when the search of `board` began to run on it.
    pub(super) fn asked(&mut self, board: Board, clock: TimeLimit) {
        let last = self.last.take();
        let Some(counted) = last.and_then(|last| last.counted(board, clock)) else {
            return;
        };
        if self.moves >= MOVES {
            self.total /= 2.0;
            self.moves /= 2.0;
        }
        self.total += counted.clamp(-MOST, MOST);
        self.moves += 1.0;
    }

    /// Notes that the search of `board` took so much of this clock.
    pub(super) fn answered(&mut self, board: Board, clock: TimeLimit, took: Duration) {
        self.last = Some(Search {
            occupied: !board.empties(),
            clock,
            took,
        });
    }
}

impl Search {
    /// By how many seconds more than the search took the clock has gone down, where `board` may be the
    /// next one for the same side of the same game, and no other time was given than the increment.
    fn counted(&self, board: Board, clock: TimeLimit) -> Option<f64> {
        let added = !board.empties() ^ self.occupied;
        if board.empties() & self.occupied != 0 || added.count_ones() != 2 {
            return None;
        }
        let (
            TimeLimit::Clock {
                remaining,
                increment,
                moves_to_go,
            },
            TimeLimit::Clock {
                remaining: now,
                increment: same,
                moves_to_go: left,
            },
        ) = (self.clock, clock)
        else {
            return None;
        };
        let gone = remaining.saturating_add(increment).checked_sub(now)?;
        let is_one_period = left == moves_to_go.map(|moves| moves.saturating_sub(1));
        let is_next = same == increment && is_one_period;
        is_next.then_some(gone.as_secs_f64() - self.took.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Square;

    const INCREMENT: Duration = Duration::from_millis(100);

    const fn clock(milliseconds: u64) -> TimeLimit {
        TimeLimit::Clock {
            remaining: Duration::from_millis(milliseconds),
            increment: INCREMENT,
            moves_to_go: None,
        }
    }

    /// The boards of a game in turn.
    fn boards() -> Vec<Board> {
        let play = |board: &Board| board.legal_moves().first().map(|square| board.play(square));
        std::iter::successors(Some(Board::START), play).collect()
    }

    /// What a host shows that counts each search 40 ms longer than the 200 ms that it took, and
    /// sends its clock as `shown`.
    fn after_moves(moves: usize, shown: impl Fn(u64) -> u64) -> Duration {
        let mut lag = Lag::default();
        let mut left = 60_000;
        for board in boards().into_iter().step_by(2).take(moves) {
            lag.asked(board, clock(shown(left)));
            lag.answered(board, clock(shown(left)), Duration::from_millis(200));
            left -= 240 - 100;
        }
        lag.expected()
    }

    #[test]
    fn a_lag_is_seen_from_the_second_move_on() {
        let milliseconds = |moves| after_moves(moves, |left| left).as_secs_f64() * 1e3;
        for (moves, share) in [(1, 0.0), (2, 1.0 / 1.5), (3, 2.0 / 2.5), (9, 8.0 / 8.5)] {
            let expected = 40.0 * CAUTION * share;
            assert!((milliseconds(moves) - expected).abs() < 0.1, "{moves}");
        }
    }

    #[test]
    fn whole_seconds_do_no_more_harm_than_one_second_in_all() {
        let up = |left: u64| left.div_ceil(1000) * 1000;
        let expected = after_moves(boards().len() / 2, up).as_secs_f64();
        assert!(expected < CAUTION * (0.04 + 2.0 / MOVES), "{expected}");
    }

    #[test]
    fn only_the_next_move_of_the_same_side_and_period_counts() {
        let boards = boards();
        let take = Duration::from_millis(200);
        let expected = |board: Board, next: TimeLimit| {
            let mut lag = Lag::default();
            lag.answered(boards[4], clock(10_000), take);
            lag.asked(board, next);
            lag.expected()
        };
        let other_game = Board::START.play(Square::wrapping(19));
        let period = TimeLimit::Clock {
            remaining: Duration::from_secs(5),
            increment: INCREMENT,
            moves_to_go: Some(3),
        };
        assert!(!expected(boards[6], clock(9_000)).is_zero());
        for (board, next) in [
            (boards[5], clock(9_000)),
            (boards[4], clock(9_000)),
            (boards[8], clock(9_000)),
            (other_game, clock(9_000)),
            (boards[6], clock(10_200)),
            (boards[6], clock(9_950)),
            (boards[6], period),
            (boards[6], TimeLimit::Unlimited),
        ] {
            assert_eq!(expected(board, next), Duration::ZERO, "{board:?} {next:?}");
        }
    }
}
