//! What a player may spend on a move or on a game.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::formats::ggf::GameClock;
use crate::text::values;

/// The limit of a player's thinking.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Budget {
    /// The player's own level.
    #[default]
    Untimed,
    /// Plies to search.
    Depth(u32),
    /// Nodes for each move.
    Nodes(u64),
    /// Time for each move.
    MoveTime(Duration),
    /// Time for the game, and more after each move.
    Clock {
        /// At the start.
        base: Duration,
        /// Added after each own move.
        increment: Duration,
    },
}

/// `depth=8`, `nodes=100000`, `st=1.5` or `tc=60+0.5` (both in seconds), or `untimed`.
impl FromStr for Budget {
    type Err = String;

    fn from_str(text: &str) -> Result<Budget, String> {
        if text == "untimed" {
            return Ok(Budget::Untimed);
        }
        let budget = text.split_once('=').and_then(|(key, value)| match key {
            "depth" => at_least_one(value).map(Budget::Depth),
            "nodes" => at_least_one(value).map(Budget::Nodes),
            "st" => values::some_seconds(value).ok().map(Budget::MoveTime),
            "tc" => {
                let (base, increment) = value.split_once('+').unwrap_or((value, "0"));
                let base = values::some_seconds(base).ok()?;
                let increment = values::seconds(increment).ok()?;
                Some(Budget::Clock { base, increment })
            }
            _ => None,
        });
        let words = "depth=N, nodes=N, st=SECONDS, tc=SECONDS[+SECONDS] or untimed";
        budget.ok_or_else(|| format!("expected {words}, found {text:?}"))
    }
}

fn at_least_one<T: FromStr + PartialOrd + Default>(text: &str) -> Option<T> {
    text.parse().ok().filter(|number| *number > T::default())
}

/// A text that reads back.
impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Budget::Untimed => f.write_str("untimed"),
            Budget::Depth(depth) => write!(f, "depth={depth}"),
            Budget::Nodes(nodes) => write!(f, "nodes={nodes}"),
            Budget::MoveTime(time) => write!(f, "st={}", time.as_secs_f64()),
            Budget::Clock { base, increment } => {
                let (base, increment) = (base.as_secs_f64(), increment.as_secs_f64());
                write!(f, "tc={base}+{increment}")
            }
        }
    }
}

impl Budget {
    /// Time that is added after each own move, if this is a clock.
    pub const fn increment(self) -> Option<Duration> {
        match self {
            Budget::Clock { increment, .. } => Some(increment),
            _ => None,
        }
    }

    /// The clock as game files have it, if it is one.
    pub const fn game_clock(self) -> Option<GameClock> {
        match self {
            Budget::Clock { base, increment } => Some(GameClock::new(base, increment)),
            _ => None,
        }
    }
}

/// One player's clock in one game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlayerClock {
    budget: Budget,
    remaining: Duration,
}

impl PlayerClock {
    /// The clock at the start of a game.
    pub const fn new(budget: Budget) -> PlayerClock {
        let remaining = match budget {
            Budget::Clock { base, .. } => base,
            _ => Duration::ZERO,
        };
        PlayerClock { budget, remaining }
    }

    /// The budget.
    pub const fn budget(&self) -> Budget {
        self.budget
    }

    /// Time left for the game; zero if the budget is not a clock.
    pub const fn remaining(&self) -> Duration {
        self.remaining
    }

    /// Time that the next move may take; `None` if no time is set.
    pub const fn allowed(&self) -> Option<Duration> {
        match self.budget {
            Budget::Untimed | Budget::Depth(_) | Budget::Nodes(_) => None,
            Budget::MoveTime(time) => Some(time),
            Budget::Clock { .. } => Some(self.remaining),
        }
    }

    /// Subtracts the time of a move, and adds the increment. Returns by how much the time was
    /// exceeded, if that is more than `margin`.
    pub fn spend(&mut self, time: Duration, margin: Duration) -> Option<Duration> {
        let over = time.saturating_sub(self.allowed().unwrap_or(time));
        if let Some(increment) = self.budget.increment() {
            self.remaining = self.remaining.saturating_sub(time) + increment;
        }
        (over > margin).then_some(over)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_read_back() {
        let texts = "depth=8 nodes=100000 st=1.5 tc=60+0.5 tc=1+0 untimed";
        for text in texts.split(' ') {
            let budget: Budget = text.parse().expect(text);
            assert_eq!(budget.to_string(), text);
        }
        assert_eq!("tc=60".parse(), "tc=60+0".parse::<Budget>());
    }

    #[test]
    fn other_texts_are_refused() {
        let texts = " depth depth=0 depth=-1 st=0 st=-1 st=nan tc=0+1 tc=x untimed=1";
        for text in texts.split(' ') {
            assert!(text.parse::<Budget>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_clock_runs_down_and_gets_its_increment() {
        let second = Duration::from_secs(1);
        let mut clock = PlayerClock::new("tc=3+1".parse().expect("a clock"));
        for just_in_time in [3 * second, second] {
            assert_eq!(clock.spend(just_in_time, Duration::ZERO), None);
            assert_eq!(clock.remaining(), second);
        }
        assert_eq!(clock.spend(3 * second, Duration::ZERO), Some(2 * second));
        assert_eq!(clock.spend(2 * second, second), None, "within the margin");
    }

    #[test]
    fn a_depth_has_no_limit_of_time() {
        for budget in [Budget::Depth(8), Budget::Untimed] {
            let mut clock = PlayerClock::new(budget);
            assert_eq!(clock.spend(Duration::from_secs(1000), Duration::ZERO), None);
        }
    }
}
