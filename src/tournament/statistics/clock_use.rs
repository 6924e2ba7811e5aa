//! How the players used their time.

use crate::rules::{Color, Position};
use crate::tournament::GameRecord;

/// How one player used its time, all its games together. Times are in seconds.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct ClockUse {
    /// Time by phase: with 60 to 51 squares empty, 50 to 41, .., 10 to 1.
    pub phases: [f64; PHASES],
    /// Moves that the player chose.
    pub moves: u64,
    /// Those of them where only one square was legal.
    pub forced: u64,
    /// Time for these.
    pub forced_time: f64,
    /// The longest time for a move.
    pub longest: f64,
    /// CPU time of the games of which it is known; `None` if there are none.
    pub cpu: Option<f64>,
}

/// Phases of a game, each of ten moves.
pub const PHASES: usize = 6;

impl ClockUse {
    /// Adds the time of the player of `color` in a game.
    pub fn add(&mut self, record: &GameRecord, color: Color) {
        let cpu_ms = match color {
            Color::Black => record.black_cpu_ms,
            Color::White => record.white_cpu_ms,
        };
        if let Some(ms) = cpu_ms {
            *self.cpu.get_or_insert_default() += ms / 1000.0;
        }
        for (position, mv) in record.positions().iter().zip(&record.moves) {
            if let Some(ms) = mv.ms
                && position.side == color
            {
                self.add_move(position, ms / 1000.0);
            }
        }
        if let (Some(ms), true) = (record.late_ms, record.forfeit == Some(color))
            && let Some(game) = record.game()
        {
            self.add_move(&game.position(), ms / 1000.0);
        }
    }

    fn add_move(&mut self, position: &Position, seconds: f64) {
        let played = 60u32.saturating_sub(position.board.empty_count());
        self.phases[(played as usize / 10).min(PHASES - 1)] += seconds;
        self.moves += 1;
        self.longest = self.longest.max(seconds);
        if position.board.legal_moves().len() == 1 {
            self.forced += 1;
            self.forced_time += seconds;
        }
    }

    /// The sum of all times.
    pub fn total(&self) -> f64 {
        self.phases.iter().sum()
    }

    /// Shares of the time by phase, 0..=1.
    pub fn shares(&self) -> [f64; PHASES] {
        let total = self.total();
        let share = |time| if total > 0.0 { time / total } else { 0.0 };
        self.phases.map(share)
    }

    /// Mean time of a move.
    pub fn mean(&self) -> f64 {
        self.total() / self.moves.max(1) as f64
    }

    /// Mean time of a move where only one square was legal; 0 if there was none.
    pub fn mean_forced(&self) -> f64 {
        self.forced_time / self.forced.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_that_lost_on_time_counts() {
        let mut record = GameRecord::test("f5d6");
        record.moves[0].ms = Some(500.0);
        (record.late_ms, record.forfeit) = (Some(3000.0), Some(Color::Black));
        let [black, white] = [Color::Black, Color::White].map(|color| {
            let mut used = ClockUse::default();
            used.add(&record, color);
            used
        });
        assert_eq!((black.moves, black.longest), (2, 3.0));
        assert_eq!((white.moves, white.longest), (0, 0.0));
    }

    #[test]
    fn time_is_counted_for_the_mover_by_phase() {
        let mut record = GameRecord::test("f5d6c3d3c4");
        for (ply, ms) in [(0, 500.0), (1, 9000.0), (4, 1500.0)] {
            record.moves[ply].ms = Some(ms);
        }
        record.black_cpu_ms = Some(1250.0);
        let mut used = ClockUse::default();
        used.add(&record, Color::Black);
        used.add(&GameRecord::test("f5"), Color::Black);
        assert_eq!(used.phases, [2.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!((used.moves, used.forced), (2, 0));
        assert_eq!((used.mean(), used.longest), (1.0, 1.5));
        assert_eq!((used.total(), used.cpu), (2.0, Some(1.25)));
        assert_eq!(used.shares()[0], 1.0);
    }
}
