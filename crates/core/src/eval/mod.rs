//! Static evaluation of a board: what its pattern configurations, its mobility and its number of empties
//! are worth, one by one and together.
//!
//! [`patterns`] defines which squares are looked at, `features` has their indices, [`rows`]
//! adds and multiplies what belongs to them, `scale` enlarges the sum, `packing` knows which are mirror images, and `weights` reads and writes the file. The result is an estimate of the final score, in units of 1/128 disc for the side to move.

use std::path::Path;
use std::sync::Arc;
use std::thread;

use crate::checksum::checksum;
use crate::lazy::Lazy;
use crate::rules::Board;
use crate::score::{Score, Units};
use crate::threads::{self, Stack};

pub mod patterns;
pub mod probcut;
pub mod rows;

mod features;
mod packing;
mod phases;
mod scale;
mod weights;

pub use features::{Features, Lanes, Replies};
pub use packing::Packing;
pub use phases::{BIASES, PHASES, phase};
pub use probcut::ProbCut;
pub use scale::Scale;
#[cfg(feature = "lent-weights")]
pub use weights::lend_part;
pub use weights::{Model, Provenance, WeightError, Weights};

use patterns::mobility_pair;
use rows::{Rows, stage};
use weights::{embedded_model, embedded_stages};

/// The largest estimate, in units of 1/128 disc: only a finished game is worth 64 discs.
pub const LIMIT: i32 = 63 * Score::PER_DISC;

/// Evaluates boards with pattern weights.
///
/// ```
/// use emilia_core::eval::Evaluator;
/// use emilia_core::rules::Board;
/// use emilia_core::score::Score;
///
/// let evaluator = Evaluator::embedded();
/// let estimate = evaluator.evaluate(Board::START);
/// assert!(Score::from_discs(-8) < estimate && estimate < Score::from_discs(8));
/// println!("{estimate} discs for the side to move");
/// ```
pub struct Evaluator {
    rows: Rows,
    model: Model,
}

impl Evaluator {
    /// The weights inside the binary, shared by the whole process. Each stage is
    /// unpacked when it is first needed, which takes some 30 milliseconds, or by [`Evaluator::unpack`].
    pub fn embedded() -> Arc<Evaluator> {
        static SHARED: Lazy<Arc<Evaluator>> = Lazy::new(|| {
            let rows = Rows::lazy(embedded_stages());
            let model = embedded_model();
            Arc::new(Evaluator { rows, model })
        });
        Arc::clone(&SHARED)
    }

    /// Unpacks what no search has needed yet, each stage on a thread of its own. A search that does so
    /// hears no stop meanwhile, and may exceed its time; so does one whose stage finds no thread here.
    pub fn unpack(&self) {
        let mut packed = self.rows.packed_stages();
        let Some(first) = packed.next() else {
            return;
        };
        thread::scope(|scope| {
            for stage in packed {
                let unpack = move || self.rows.unpack(stage);
                let _ = threads::spawn_scoped(scope, "weights", Stack::Small, unpack);
            }
            self.rows.unpack(first);
        });
    }

    /// The weights of the file at `path`.
    pub fn load(path: &Path) -> Result<Evaluator, WeightError> {
        Weights::load(path).map(|weights| Evaluator::new(&weights))
    }

    /// The weights of a file's bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Evaluator, WeightError> {
        Weights::from_bytes(bytes).map(|weights| Evaluator::new(&weights))
    }

    /// An evaluator with `weights`, each mirror image filled in.
    pub fn new(weights: &Weights) -> Evaluator {
        Evaluator {
            rows: Rows::new(&weights.rows),
            model: weights.model.clone(),
        }
    }

    /// Where the weights come from.
    pub fn provenance(&self) -> &Provenance {
        &self.model.provenance
    }

    /// How far estimates lie from what deeper searches find.
    pub fn probcut(&self) -> &ProbCut {
        &self.model.probcut
    }

    /// A hash of all weights, their scale and the ProbCut model: that of others differs.
    pub fn fingerprint(&self) -> u64 {
        let numbers = (&self.model.probcut, self.model.scale);
        let numbers = serde_json::to_vec(&numbers).expect("plain numbers always serialise");
        self.rows.fingerprint(checksum(&numbers))
    }

    /// The estimated final score of `board` for the side to move.
    pub fn evaluate(&self, board: Board) -> Score {
        self.evaluate_features(board, &Features::of(board)).score()
    }

    /// What any board is worth without a search, for the side to move: a finished game its score, and where that side
    /// must pass, what the board after the pass is worth.
    pub fn estimate(&self, board: Board) -> Score {
        if !board.legal_moves().is_empty() {
            return self.evaluate(board);
        }
        let passed = board.pass();
        if passed.legal_moves().is_empty() {
            return Score::from_discs(board.final_score());
        }
        -self.evaluate(passed)
    }

    /// The estimate for a board with these features, for the side to move:
    /// −[`LIMIT`]..=[`LIMIT`].
    #[inline]
    pub fn evaluate_features(&self, board: Board, features: &Features) -> Units {
        self.evaluate_indices(board, &features.indices())
    }

    /// The static score of a board with these indices.
    #[inline]
    pub fn evaluate_indices(&self, board: Board, indices: &Lanes) -> Units {
        let empties = board.empty_count();
        let pair = mobility_pair(board);
        let stage = stage(phase(empties));
        let sum = self.rows.evaluate(stage, indices, pair, empties);
        let estimate = self.model.scale.apply(sum);
        Units::new(estimate.clamp(-LIMIT, LIMIT))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Symmetry;
    use proptest::prelude::*;

    /// Weights that are different from 0 nearly everywhere, so that a wrong lookup is noticed.
    static BUSY: Lazy<Evaluator> = Lazy::new(|| {
        let mut weights = Weights::zero();
        for (i, x) in weights.rows.as_flattened_mut().iter_mut().enumerate() {
            *x = (i as u32).wrapping_mul(2_654_435_761).to_le_bytes()[3] as i8 / 8;
        }
        Evaluator::new(&weights)
    });

    #[cfg(unix)]
    #[test]
    fn only_a_regular_file_is_read() {
        for path in ["/dev/zero", "/"] {
            let refused = Evaluator::load(Path::new(path));
            assert!(matches!(refused, Err(WeightError::Io(_))), "{path}");
        }
    }

    #[test]
    fn estimates_stay_below_64_discs() {
        let mut weights = Weights::zero();
        weights.rows.fill(rows::row([0; rows::FACTORS], i16::MAX));
        let evaluator = Evaluator::new(&weights);
        assert_eq!(evaluator.evaluate(Board::START), Score::from_discs(63));
    }

    #[test]
    fn a_missing_file_is_an_error() {
        let missing = Evaluator::load(Path::new("no/such/weights.bin"));
        let message = missing.err().map(|e| e.to_string()).unwrap_or_default();
        assert!(
            message.starts_with("cannot read the weight file"),
            "{message}"
        );
    }

    #[test]
    fn weights_unpacked_when_needed_are_those_of_the_file() {
        let (lazy, whole) = (Evaluator::embedded(), Evaluator::new(&Weights::embedded()));
        assert_eq!(lazy.fingerprint(), whole.fingerprint());
        assert_ne!(
            lazy.fingerprint(),
            Evaluator::new(&Weights::zero()).fingerprint()
        );
    }

    proptest! {
        #[test]
        fn symmetric_boards_have_equal_estimates(player: u64, opponent: u64) {
            let board = Board { player: player & !opponent, opponent };
            let score = BUSY.evaluate(board);
            for symmetry in Symmetry::all() {
                prop_assert_eq!(BUSY.evaluate(board.transform(symmetry)), score);
            }
        }
    }
}
