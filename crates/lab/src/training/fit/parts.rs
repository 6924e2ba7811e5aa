//! Which parts a configuration has: configurations of fewer squares.
//!
//! Of the configurations of ten squares most are rare, and a fit knows little of each. But what it knows of a part of one
//! holds for all that have this part. So while rows are fitted each is the sum of a row of its own and of
//! rows that it shares with others; afterwards the sum alone is kept, and a search has none of the work. The
//! networks of chess engines are trained like this ("feature factorization": Y. Nasu,
//! "Efficiently Updatable Neural-Network-based Evaluation Functions for Computer Shogi", 2018, and Stockfish's trainer).

use emilia::eval::patterns::{CLASSES, MOBILITIES, MOBILITY_PAIRS, class_offset};
use emilia::eval::{BIASES, Packing};
use emilia::rules::Symmetry;

/// Squares that a part lacks.
const LACKED: u32 = 3;

/// The parts of each row of a stage.
pub(super) struct Parts {
    /// For each row the numbers of its two parts.
    of: Vec<[u32; 2]>,
    count: usize,
}

impl Parts {
    /// The parts of a configuration lack the three squares that change most often in a search, or those that
    /// change least. The parts of a pair of mobilities are either number; those of a number of empties, whether it is
    /// odd, and that it is one.
    pub(super) fn new() -> Parts {
        let packing = Packing::get();
        let mut of = vec![[0; 2]; packing.len()];
        let mut count = 0;
        let lacked = 3u32.pow(LACKED);
        for (number, class) in CLASSES.iter().enumerate() {
            let kinds = class.configurations() as u32 / lacked;
            // Digits of an index that stand lowest are those of squares that change most.
            for (index, at) in (0..).zip(class_offset(number)..class_offset(number + 1)) {
                if packing.turns()[at] == Symmetry::IDENTITY {
                    let slot = packing.slots()[at] as usize;
                    of[slot] = [count + index / lacked, count + kinds + index % kinds];
                }
            }
            count += 2 * kinds;
        }
        let biases = packing.len() - BIASES;
        let pairs = biases - MOBILITY_PAIRS;
        for (pair, parts) in (0..).zip(&mut of[pairs..biases]) {
            let (own, others) = (pair / MOBILITIES, pair % MOBILITIES);
            *parts = [count + own, count + MOBILITIES + others];
        }
        count += 2 * MOBILITIES;
        for (empties, parts) in (0..).zip(&mut of[biases..]) {
            *parts = [count + empties % 2, count + 2];
        }
        Parts {
            of,
            count: count as usize + 3,
        }
    }

    /// The parts of all rows together.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// The parts of row `slot`.
    pub(super) fn of(&self, slot: usize) -> [usize; 2] {
        self.of[slot].map(|part| part as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_numbered_one_by_one() {
        let parts = Parts::new();
        let mut seen = vec![false; parts.len()];
        assert_eq!(parts.of.len(), Packing::get().len());
        for part in parts.of.iter().flatten() {
            seen[*part as usize] = true;
        }
        // Of mirror images one row is stored, so that some parts are never needed.
        assert!(seen.iter().filter(|seen| **seen).count() > parts.len() / 2);
        assert!(*seen.last().expect("parts"));
    }

    #[test]
    fn rows_share_the_part_that_they_have_in_common() {
        let parts = Parts::new();
        let of = |slot: usize| parts.of(slot);
        let packing = Packing::get();
        let last = class_offset(CLASSES.len() - 1);
        let row = |index: usize| of(packing.slots()[last + index] as usize);
        // Two that differ in the square that changes most / in the one that changes least.
        let [empty, inner, outer] = [0, 1, 3usize.pow(7)].map(row);
        assert_eq!((empty[0] == inner[0], empty[1] == inner[1]), (true, false));
        assert_eq!((empty[0] == outer[0], empty[1] == outer[1]), (false, true));
        let pairs = packing.len() - BIASES - MOBILITY_PAIRS;
        let pair = |own: usize, others: usize| of(pairs + own * MOBILITIES as usize + others);
        assert_eq!(pair(3, 8)[0], pair(3, 5)[0]);
        assert_eq!(pair(3, 8)[1], pair(7, 8)[1]);
        assert_ne!(pair(3, 8)[0], pair(8, 3)[1]);
        assert_eq!(of(packing.len() - 1)[0], of(packing.len() - 3)[0]);
    }
}
