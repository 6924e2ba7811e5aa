//! A sample of the boards that a search evaluates where its plies end.

use crate::random::SplitMix64;
use crate::rules::Board;
use crate::score::Discs;

/// Boards whose static score a search asked for at its horizon, each as likely as the others. Where an error of
/// the score changes nothing, as it is far outside the window, a board is not among them.
#[derive(Clone, Debug)]
pub struct HorizonSample {
    /// Boards at most.
    count: usize,
    /// Farthest distance of their scores from the window.
    reach: Discs,
    random: SplitMix64,
    seen: u64,
    boards: Vec<Board>,
}

/// Draws nothing.
impl Default for HorizonSample {
    fn default() -> HorizonSample {
        HorizonSample::new(0, 0, 0)
    }
}

impl HorizonSample {
    /// At most `count` boards with scores at most `reach` discs outside the window, drawn by `seed`.
    pub fn new(count: usize, reach: i32, seed: u64) -> HorizonSample {
        HorizonSample {
            count,
            reach: Discs::new(reach),
            random: SplitMix64::new(seed),
            seen: 0,
            boards: Vec::new(),
        }
    }

    /// Notes a board whose score is so many discs better than the lower end of a null window
    /// (J. S. Vitter, "Random Sampling with a Reservoir", ACM Transactions on Mathematical Software 11, 1985).
    pub(super) fn note(&mut self, board: Board, above: Discs) {
        if self.count == 0 || above > self.reach || Discs::ONE - above > self.reach {
            return;
        }
        self.seen += 1;
        if self.boards.len() < self.count {
            self.boards.push(board);
            return;
        }
        let place = self.random.below(self.seen) as usize;
        if let Some(kept) = self.boards.get_mut(place) {
            *kept = board;
        }
    }

    /// The boards.
    pub(super) fn into_boards(self) -> Vec<Board> {
        self.boards
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The boards of a sample of `count` among a thousand, as numbers.
    fn drawn(count: usize, seed: u64) -> Vec<u64> {
        let mut sample = HorizonSample::new(count, 8, seed);
        for number in 0..1000 {
            let board = Board::new(number, 0).expect("disjoint");
            sample.note(board, Discs::new(9 + (number % 2) as i32 * -17));
            sample.note(board, Discs::new(if number % 2 == 0 { 8 } else { -7 }));
        }
        let boards = sample.into_boards();
        boards.into_iter().map(|board| board.player).collect()
    }

    #[test]
    fn each_board_within_reach_is_as_likely() {
        assert_eq!(drawn(1000, 1), Vec::from_iter(0..1000));
        assert!(drawn(0, 1).is_empty());
        assert_eq!(drawn(10, 1).len(), 10);
        assert_ne!(drawn(10, 1), drawn(10, 2));
        let late = (0..100).flat_map(|seed| drawn(10, seed));
        let late = late.filter(|&number| number >= 500).count();
        assert!((440..=560).contains(&late), "{late} of 1000");
    }
}
