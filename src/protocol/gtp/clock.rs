//! Time as GTP hosts tell of it.
//!
//! `time_settings MAIN PERIOD STONES` means Canadian overtime in GTP's specification:
//! after the main time, `PERIOD` seconds for each `STONES` moves. Othello's match
//! runners add that without stones the period is an increment for each move (Fischer),
//! or, without a main time, the time for each move.

use std::time::Duration;

use crate::rules::Color;
use crate::search::TimeLimit;

/// Kept back where the host tells whole seconds, and may have rounded them up.
const ROUNDING: Duration = Duration::from_millis(500);

/// What `time_settings` says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeSettings {
    /// For the game.
    pub main: Duration,
    /// Overtime: for `stones` moves, or added or given for each if `stones` is 0.
    pub period: Duration,
    /// Moves for each period.
    pub stones: u32,
}

/// What `time_left` says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeLeft {
    /// On the clock.
    pub time: Duration,
    /// Moves until the period ends; 0: it is main time.
    pub stones: u32,
    /// Was it a whole number of seconds?
    pub is_whole: bool,
}

/// The clocks of both sides.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clocks {
    settings: Option<TimeSettings>,
    black: Option<TimeLeft>,
    white: Option<TimeLeft>,
}

impl TimeSettings {
    /// Does it say that there is no clock?
    pub const fn is_none(&self) -> bool {
        self.main.is_zero() && self.period.is_zero()
    }

    /// What is on a clock at the start of a game.
    const fn start(&self) -> TimeLeft {
        if self.main.is_zero() {
            TimeLeft {
                time: self.period,
                stones: self.stones,
                is_whole: false,
            }
        } else {
            TimeLeft {
                time: self.main,
                stones: 0,
                is_whole: false,
            }
        }
    }
}

impl Clocks {
    /// Clocks of this kind, all time on them. `None`: there are no clocks.
    pub fn new(settings: Option<TimeSettings>) -> Clocks {
        let start = settings.map(|settings| settings.start());
        Clocks {
            settings,
            black: start,
            white: start,
        }
    }

    /// The same clocks at the start of a game.
    pub fn restart(&mut self) {
        *self = Clocks::new(self.settings);
    }

    /// The host told what is on a clock.
    pub fn tell(&mut self, color: Color, left: TimeLeft) {
        *self.clock(color) = Some(left);
    }

    /// A side took so long for a move: for hosts that do not tell what is left.
    pub fn spend(&mut self, color: Color, time: Duration) {
        let Some(settings) = self.settings else {
            return;
        };
        let clock = self.clock(color);
        if let Some(left) = *clock {
            *clock = Some(settings.after(left, time));
        }
    }

    /// The time for a move of this side.
    pub fn limit(&self, color: Color) -> TimeLimit {
        let left = match color {
            Color::Black => self.black,
            Color::White => self.white,
        };
        let Some(left) = left else {
            return TimeLimit::Unlimited;
        };
        let settings = self.settings.unwrap_or(TimeSettings {
            main: left.time,
            period: Duration::ZERO,
            stones: 0,
        });
        settings.limit(left)
    }

    fn clock(&mut self, color: Color) -> &mut Option<TimeLeft> {
        match color {
            Color::Black => &mut self.black,
            Color::White => &mut self.white,
        }
    }
}

impl TimeSettings {
    /// What is left after a move that took `time`.
    fn after(&self, left: TimeLeft, time: Duration) -> TimeLeft {
        let rest = left.time.saturating_sub(time);
        let with = |time, stones| TimeLeft {
            time,
            stones,
            ..left
        };
        if self.stones == 0 {
            // An increment, or a time for each move.
            return with(
                if self.main.is_zero() {
                    self.period
                } else {
                    rest + self.period
                },
                0,
            );
        }
        match left.stones {
            0 if rest.is_zero() => with(self.period, self.stones),
            0 => with(rest, 0),
            1 => with(self.period, self.stones),
            stones => with(rest, stones - 1),
        }
    }

    fn limit(&self, left: TimeLeft) -> TimeLimit {
        let time = left.safe();
        if left.stones > 0 {
            return TimeLimit::Clock {
                remaining: time,
                increment: Duration::ZERO,
                moves_to_go: Some(left.stones),
            };
        }
        if self.stones == 0 {
            return if self.main.is_zero() {
                TimeLimit::Move(time)
            } else {
                TimeLimit::Clock {
                    remaining: time,
                    increment: self.period,
                    moves_to_go: None,
                }
            };
        }
        // Main time with overtime behind it: that is like an increment, until little is left.
        let share = self.period / self.stones;
        if time <= share {
            TimeLimit::Clock {
                remaining: time + self.period,
                increment: Duration::ZERO,
                moves_to_go: Some(self.stones),
            }
        } else {
            TimeLimit::Clock {
                remaining: time,
                increment: share,
                moves_to_go: None,
            }
        }
    }
}

impl TimeLeft {
    /// What is certainly left.
    fn safe(&self) -> Duration {
        if self.is_whole {
            self.time - ROUNDING.min(self.time / 4)
        } else {
            self.time
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn seconds(n: u64) -> Duration {
        Duration::from_secs(n)
    }

    fn clocks(main: u64, period: u64, stones: u32) -> Clocks {
        Clocks::new(Some(TimeSettings {
            main: seconds(main),
            period: seconds(period),
            stones,
        }))
    }

    fn clock(remaining: u64, increment: u64, moves_to_go: Option<u32>) -> TimeLimit {
        TimeLimit::Clock {
            remaining: seconds(remaining),
            increment: seconds(increment),
            moves_to_go,
        }
    }

    #[test]
    fn each_kind_of_clock_has_its_limit() {
        let limit = |main, period, stones| clocks(main, period, stones).limit(Color::Black);
        assert_eq!(limit(300, 0, 0), clock(300, 0, None), "for the game");
        assert_eq!(limit(300, 5, 0), clock(300, 5, None), "with an increment");
        assert_eq!(limit(0, 5, 0), TimeLimit::Move(seconds(5)), "for each move");
        assert_eq!(limit(0, 5, 1), clock(5, 0, Some(1)), "Japanese overtime");
        assert_eq!(
            limit(0, 60, 10),
            clock(60, 0, Some(10)),
            "Canadian overtime"
        );
        assert_eq!(limit(300, 60, 10), clock(300, 6, None), "before it");
        let none = Clocks::new(None).limit(Color::White);
        assert_eq!(none, TimeLimit::Unlimited);
    }

    #[test]
    fn time_spent_is_gone() {
        let mut clocks = clocks(60, 2, 0);
        clocks.spend(Color::Black, seconds(10));
        assert_eq!(clocks.limit(Color::Black), clock(52, 2, None));
        assert_eq!(clocks.limit(Color::White), clock(60, 2, None));
        clocks.restart();
        assert_eq!(clocks.limit(Color::Black), clock(60, 2, None));
    }

    #[test]
    fn main_time_goes_over_into_periods() {
        let mut clocks = clocks(10, 30, 3);
        clocks.spend(Color::White, seconds(5));
        assert_eq!(clocks.limit(Color::White), clock(35, 0, Some(3)));
        clocks.spend(Color::White, seconds(6));
        assert_eq!(clocks.limit(Color::White), clock(30, 0, Some(3)));
        clocks.spend(Color::White, seconds(6));
        assert_eq!(clocks.limit(Color::White), clock(24, 0, Some(2)));
    }

    #[test]
    fn what_the_host_tells_goes_before_what_was_counted() {
        let mut clocks = clocks(60, 0, 0);
        let left = |time, is_whole| TimeLeft {
            time: seconds(time),
            stones: 0,
            is_whole,
        };
        clocks.tell(Color::Black, left(20, false));
        assert_eq!(clocks.limit(Color::Black), clock(20, 0, None));
        clocks.tell(Color::Black, left(20, true));
        let limit = clocks.limit(Color::Black);
        let TimeLimit::Clock { remaining, .. } = limit else {
            panic!("{limit:?}");
        };
        assert_eq!(remaining, Duration::from_millis(19_500), "rounding");
    }
}
