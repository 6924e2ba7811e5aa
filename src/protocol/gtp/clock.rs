//! Time in GTP.
//!
//! `time_settings MAIN PERIOD STONES` means Canadian overtime in GTP's specification:
//! after the main time, `PERIOD` seconds for each `STONES` moves. Othello's match
//! runners add that without stones the period is an increment for each move (Fischer),
//! or, without a main time, the time for each move.

use std::time::Duration;

use crate::rules::Color;
use crate::search::TimeLimit;

/// Reserve where the host sends whole seconds, and may have rounded them up.
const ROUNDING: Duration = Duration::from_millis(500);

/// Time of a move on the host's clock that the engine cannot measure, for hosts that do not send
/// `time_left`: pipes, and waiting for a processor on both sides. Hosts counted 4 to 7 ms a move
/// more than the engine; this is for a loaded machine. It is reserved for all own moves to come:
/// 0.75 s of a game of 2 s.
const OVERHEAD: Duration = Duration::from_millis(25);

/// The arguments of `time_settings`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeSettings {
    /// For the game.
    pub main: Duration,
    /// Overtime: for `stones` moves, or added or given for each if `stones` is 0.
    pub period: Duration,
    /// Moves for each period.
    pub stones: u32,
}

/// The arguments of `time_left`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeLeft {
    /// On the clock.
    pub time: Duration,
    /// Moves until the period ends; 0: it is main time.
    pub stones: u32,
    /// How exact it is.
    pub precision: Precision,
}

/// How exactly a time is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Precision {
    /// The host sent it, with a fraction of a second.
    Exact,
    /// The host sent it in whole seconds.
    Rounded,
    /// The host sent nothing: the engine measured it.
    Measured,
}

/// The clocks of both sides.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clocks {
    settings: Option<TimeSettings>,
    black: Option<TimeLeft>,
    white: Option<TimeLeft>,
}

impl TimeSettings {
    /// Do they mean that there is no clock?
    pub const fn is_none(&self) -> bool {
        self.main.is_zero() && self.period.is_zero()
    }

    const fn start(&self) -> TimeLeft {
        match self.main.is_zero() {
            true => TimeLeft::measured(self.period, self.stones),
            false => TimeLeft::measured(self.main, 0),
        }
    }

    /// The time that is left after a move that took `time`.
    fn after(&self, left: TimeLeft, time: Duration) -> TimeLeft {
        let rest = left.time.saturating_sub(time);
        let (time, stones) = match (self.stones, left.stones) {
            (0, _) if self.main.is_zero() => (self.period, 0),
            (0, _) => (rest + self.period, 0),
            (_, 0) if !rest.is_zero() => (rest, 0),
            (_, 0 | 1) => (self.period, self.stones),
            (_, stones) => (rest, stones - 1),
        };
        TimeLeft::measured(time, stones)
    }

    fn limit(&self, left: TimeLeft, empties: u32) -> TimeLimit {
        let is_each_move = self.main.is_zero() && self.stones == 0;
        let time = left.safe(match left.stones {
            0 if is_each_move => 1,
            0 => empties / 2 + 1,
            stones => stones,
        });
        let clock = |remaining, increment, moves_to_go| TimeLimit::Clock {
            remaining,
            increment,
            moves_to_go,
        };
        match (left.stones, self.period.checked_div(self.stones)) {
            (0, None) if is_each_move => TimeLimit::Move(time),
            (0, None) => clock(time, self.period, None),
            // Main time followed by overtime is like an increment, until little is left.
            (0, Some(share)) if time > share => clock(time, share, None),
            (0, Some(_)) => clock(time + self.period, Duration::ZERO, Some(self.stones)),
            (stones, _) => clock(time, Duration::ZERO, Some(stones)),
        }
    }
}

impl Clocks {
    /// Clocks with these settings at the start of a game. `None`: there are no clocks.
    pub fn new(settings: Option<TimeSettings>) -> Clocks {
        let start = settings.map(|settings| settings.start());
        Clocks {
            settings,
            black: start,
            white: start,
        }
    }

    /// Sets the clocks back to the start of a game.
    pub fn restart(&mut self) {
        *self = Clocks::new(self.settings);
    }

    /// The host sent the time that is left on a clock.
    pub fn tell(&mut self, color: Color, left: TimeLeft) {
        *self.clock(color) = Some(left);
    }

    /// A side took `time` for a move: for hosts that do not send `time_left`.
    pub fn spend(&mut self, color: Color, time: Duration) {
        let Some(settings) = self.settings else {
            return;
        };
        let clock = self.clock(color);
        if let Some(left) = *clock {
            *clock = Some(settings.after(left, time + OVERHEAD));
        }
    }

    /// The time limit of a move of this side on a board with so many empties.
    pub fn limit(&self, color: Color, empties: u32) -> TimeLimit {
        let Some(left) = color.pick(self.black, self.white) else {
            return TimeLimit::Unlimited;
        };
        let settings = self.settings.unwrap_or(TimeSettings {
            main: left.time,
            period: Duration::ZERO,
            stones: 0,
        });
        settings.limit(left, empties)
    }

    fn clock(&mut self, color: Color) -> &mut Option<TimeLeft> {
        color.pick(&mut self.black, &mut self.white)
    }
}

impl TimeLeft {
    const fn measured(time: Duration, stones: u32) -> TimeLeft {
        let precision = Precision::Measured;
        TimeLeft {
            time,
            stones,
            precision,
        }
    }

    /// The time that is certainly left for so many own moves.
    fn safe(&self, moves: u32) -> Duration {
        let kept = match self.precision {
            Precision::Exact => Duration::ZERO,
            Precision::Rounded => ROUNDING.min(self.time / 4),
            Precision::Measured => (OVERHEAD * moves).min(self.time * 7 / 8),
        };
        self.time - kept
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

    /// A clock that the engine measures, with a reserve for so many moves.
    fn clock(left: Duration, increment: u64, moves_to_go: Option<u32>) -> TimeLimit {
        TimeLimit::Clock {
            remaining: left - OVERHEAD * moves_to_go.unwrap_or(1),
            increment: seconds(increment),
            moves_to_go,
        }
    }

    fn limit(clocks: &Clocks, color: Color) -> TimeLimit {
        clocks.limit(color, 0)
    }

    #[test]
    fn each_kind_of_clock_has_its_limit() {
        let limit = |main, period, stones| limit(&clocks(main, period, stones), Color::Black);
        let clock = |left, increment, moves| clock(seconds(left), increment, moves);
        let each = TimeLimit::Move(seconds(5) - OVERHEAD);
        assert_eq!(limit(300, 0, 0), clock(300, 0, None), "for the game");
        assert_eq!(limit(300, 5, 0), clock(300, 5, None), "with an increment");
        assert_eq!(limit(0, 5, 0), each, "for each move");
        assert_eq!(limit(0, 5, 1), clock(5, 0, Some(1)), "Japanese overtime");
        let canadian = clock(60, 0, Some(10));
        assert_eq!(limit(0, 60, 10), canadian, "Canadian overtime");
        assert_eq!(limit(300, 60, 10), clock(300, 6, None), "before it");
        let none = Clocks::new(None).limit(Color::White, 60);
        assert_eq!(none, TimeLimit::Unlimited);
    }

    #[test]
    fn measured_time_has_a_reserve_for_each_move() {
        let mut clocks = clocks(60, 2, 0);
        clocks.spend(Color::Black, seconds(10));
        let after = clock(seconds(52) - OVERHEAD, 2, None);
        assert_eq!(limit(&clocks, Color::Black), after);
        let full = clock(seconds(60), 2, None);
        assert_eq!(limit(&clocks, Color::White), full);
        clocks.restart();
        assert_eq!(limit(&clocks, Color::Black), full);
    }

    #[test]
    fn a_clock_that_the_host_never_sends_is_not_exceeded() {
        for main in [1, 2, 5] {
            let mut clocks = clocks(main, 0, 0);
            let mut by_the_host = Duration::ZERO;
            for empties in (1..=60).rev().step_by(2) {
                let limit = clocks.limit(Color::Black, empties);
                let TimeLimit::Clock { remaining, .. } = limit else {
                    panic!("{limit:?}");
                };
                // Each search takes all its time, and the way to the host is slow.
                let share = f64::from(empties.saturating_sub(18) / 2 + 2);
                let thought = remaining.mul_f64((2.25 / share).min(0.5));
                by_the_host += thought + OVERHEAD * 4 / 5;
                clocks.spend(Color::Black, thought);
            }
            assert!(by_the_host < seconds(main), "{main}: {by_the_host:?}");
        }
    }

    #[test]
    fn main_time_is_followed_by_periods() {
        let mut clocks = clocks(10, 30, 3);
        clocks.spend(Color::White, seconds(5));
        // The rest of the main time, less the overhead of one move, and a period.
        let overtime = TimeLimit::Clock {
            remaining: seconds(35) - 2 * OVERHEAD,
            increment: Duration::ZERO,
            moves_to_go: Some(3),
        };
        assert_eq!(limit(&clocks, Color::White), overtime);
        clocks.spend(Color::White, seconds(6));
        let period = clock(seconds(30), 0, Some(3));
        assert_eq!(limit(&clocks, Color::White), period);
        clocks.spend(Color::White, seconds(6));
        let later = clock(seconds(24) - OVERHEAD, 0, Some(2));
        assert_eq!(limit(&clocks, Color::White), later);
    }

    #[test]
    fn the_time_that_the_host_sends_replaces_the_measured_one() {
        let mut clocks = clocks(60, 0, 0);
        for (precision, expected) in [
            (Precision::Exact, 20_000),
            (Precision::Rounded, 19_500),
            (Precision::Measured, 19_975),
        ] {
            let left = TimeLeft {
                time: seconds(20),
                stones: 0,
                precision,
            };
            clocks.tell(Color::Black, left);
            let limit = limit(&clocks, Color::Black);
            let TimeLimit::Clock { remaining, .. } = limit else {
                panic!("{limit:?}");
            };
            assert_eq!(remaining, Duration::from_millis(expected), "{precision:?}");
        }
    }
}
