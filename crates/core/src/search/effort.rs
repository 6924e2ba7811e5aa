//! How hard positions are looked at that a search cannot all solve: how deep the middle of the game is searched, and
//! from where the end is solved.

use std::time::Duration;

/// How hard to look.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// Plies of the searches before the scores are exact.
    pub depth: u32,
    /// Most empties of a position that is solved exactly.
    pub exact: u32,
    /// Most empties of a position of which is found out who wins.
    pub wld: u32,
    /// Time for the whole game: what cannot be solved within its share is estimated.
    pub time: Option<Duration>,
}

/// What is tried for a position, the most first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stage {
    /// The final score.
    Exact,
    /// Who wins, and an estimate of the score.
    Wld,
    /// An estimate.
    Estimate,
}

/// Empties by which the winner can be found earlier than the exact score.
const WLD_AHEAD: u32 = 2;

impl Default for Effort {
    fn default() -> Effort {
        Effort::solving_at(14, 24)
    }
}

impl Effort {
    /// Searches of `depth` plies before the end, and the end from where it costs no more.
    pub const fn at_depth(depth: u32) -> Effort {
        Effort::solving_at(depth, Effort::solved_at(depth))
    }

    /// Searches of `depth` plies, and exact scores from so many empties.
    pub const fn solving_at(depth: u32, exact: u32) -> Effort {
        Effort {
            depth,
            exact,
            wld: exact + WLD_AHEAD,
            time: None,
        }
    }

    /// Empties at which a search of `depth` plies in the middle of the game becomes a
    /// solution to its end: that far, the end costs no more than the middle does.
    pub const fn solved_at(depth: u32) -> u32 {
        const STRAIGHT: u32 = 10;
        if depth <= STRAIGHT {
            return 2 * depth;
        }
        let flatter = 2 * STRAIGHT + (depth - STRAIGHT) / 2;
        if flatter > depth { flatter } else { depth }
    }

    /// What is tried for a position with so many empties.
    pub const fn stage(&self, empties: u32) -> Stage {
        if empties <= self.exact {
            Stage::Exact
        } else if empties <= self.wld {
            Stage::Wld
        } else {
            Stage::Estimate
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deeper_searches_solve_no_later() {
        let solved_at = Effort::solved_at;
        assert!((1..60).all(|depth| solved_at(depth) <= solved_at(depth + 1)));
        assert!((1..=60).all(|depth| solved_at(depth) >= depth));
    }
}
