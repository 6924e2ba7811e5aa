//! Static evaluation of a board: the sum of the weights of its pattern
//! configurations and of its mobility, by phase of the game, and what these
//! features are worth together.
//!
//! [`patterns`] defines which squares are looked at, `features` has their indices, [`factors`]
//! multiplies them, `weights` reads and writes the file, and `lazy` unpacks tables when they are
//! needed. The sum is an estimate of the final score, in units of 1/128 disc for the side to move.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use crate::checksum::{checksum, seeded_checksum};
use crate::rules::Board;
use crate::score::{Score, Units};
use crate::simd::memory;

pub mod factors;
pub mod patterns;
pub mod probcut;

mod features;
mod lazy;
mod weights;

pub use features::{Features, Lanes};
pub use probcut::ProbCut;
pub use weights::{BIASES, PHASES, Packing, Provenance, WeightError, Weights, phase};
#[cfg(feature = "program")]
pub(crate) use weights::{embedded_weights, lend_weights};

use factors::{Factors, stage};
use lazy::LazyTables;
use patterns::{
    CLASSES, CONFIGURATIONS, INSTANCES, LANES, OFFSETS, WEIGHTS, class_offset, mobility_pair,
};
use weights::PackedWeights;

/// The largest estimate, in units of 1/128 disc: only a finished game is worth 64 discs.
pub const LIMIT: i32 = 63 * Score::PER_DISC;

/// Length of one phase's table. It ends where no 16-bit index can reach beyond,
/// so that the compiler drops the bounds checks of the lookups.
const STRIDE: usize = {
    let last = class_offset(CLASSES.len() - 1) + 0x1_0000;
    if last > WEIGHTS { last } else { WEIGHTS }
};

/// The weights of one phase: the configurations of all classes, the pairs of mobilities, padding.
type PhaseTable = [i16; STRIDE];

/// Evaluates boards with pattern weights.
///
/// ```
/// use emilia::eval::Evaluator;
/// use emilia::rules::Board;
/// use emilia::score::Score;
///
/// let evaluator = Evaluator::embedded();
/// let estimate = evaluator.evaluate(Board::START);
/// assert!(Score::from_discs(-8) < estimate && estimate < Score::from_discs(8));
/// println!("{estimate} discs for the side to move");
/// ```
pub struct Evaluator {
    /// The table of each phase.
    tables: LazyTables<PhaseTable, PHASES>,
    biases: [i16; BIASES],
    factors: Factors,
    provenance: Provenance,
    probcut: ProbCut,
}

impl Evaluator {
    /// The weights inside the binary, shared by the whole process. Each phase and stage is
    /// unpacked when it is first needed, which takes a few milliseconds.
    pub fn embedded() -> Arc<Evaluator> {
        static SHARED: LazyLock<Arc<Evaluator>> = LazyLock::new(|| {
            let packed = PackedWeights::embedded();
            Arc::new(Evaluator {
                biases: packed.biases,
                factors: Factors::packed(packed.clone()),
                provenance: packed.provenance.clone(),
                probcut: packed.probcut.clone(),
                tables: LazyTables::packed(packed, |packed, phase| {
                    Ok(unpack(packed.phase(phase)?.iter()))
                }),
            })
        });
        Arc::clone(&SHARED)
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
        let phases = weights.patterns.chunks_exact(Packing::get().len());
        let mut biases = [0; BIASES];
        biases.copy_from_slice(&weights.biases);
        Evaluator {
            tables: LazyTables::ready(phases.map(|phase| unpack(phase.iter().copied()))),
            biases,
            factors: Factors::new(&weights.factors),
            provenance: weights.provenance.clone(),
            probcut: weights.probcut.clone(),
        }
    }

    /// Where the weights come from.
    pub fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    /// How far estimates lie from what deeper searches find.
    pub fn probcut(&self) -> &ProbCut {
        &self.probcut
    }

    /// A hash of all weights and of the ProbCut model: that of others differs.
    pub fn fingerprint(&self) -> u64 {
        let probcut = serde_json::to_vec(&self.probcut).expect("plain numbers always serialise");
        let little_endian = |weights: &[i16]| -> Vec<u8> {
            weights
                .iter()
                .flat_map(|weight| weight.to_le_bytes())
                .collect()
        };
        let hash = seeded_checksum(checksum(&probcut), &little_endian(&self.biases));
        let hash = (0..PHASES).fold(hash, |hash, phase| {
            seeded_checksum(hash, &little_endian(&self.tables.get(phase)[..WEIGHTS]))
        });
        self.factors.fingerprint(hash)
    }

    /// The estimated final score of `board` for the side to move.
    pub fn evaluate(&self, board: Board) -> Score {
        self.evaluate_features(board, &Features::of(board)).score()
    }

    /// The estimate for a board with these features, for the side to move:
    /// −[`LIMIT`]..=[`LIMIT`].
    #[inline]
    pub fn evaluate_features(&self, board: Board, features: &Features) -> Units {
        let empties = board.empty_count();
        let phase = phase(empties);
        let table = self.tables.get(phase);
        let indices = features.indices();
        let bias = i32::from(self.biases[(empties as usize).min(BIASES - 1)]);
        let pair = mobility_pair(board);
        let mobility = i32::from(table[CONFIGURATIONS + pair]);
        let patterns = quarter::<0>(table, &indices)
            + quarter::<1>(table, &indices)
            + quarter::<2>(table, &indices)
            + quarter::<3>(table, &indices);
        let together = self
            .factors
            .evaluate(stage(phase), &indices, pair, empties as usize);
        Units::new((bias + mobility + patterns + together).clamp(-LIMIT, LIMIT))
    }
}

/// The table of a phase from its distinct weights.
fn unpack(distinct: impl Iterator<Item = i16>) -> Box<PhaseTable> {
    let table = vec![0; STRIDE].into_boxed_slice();
    let mut table: Box<PhaseTable> = table.try_into().expect("as long as that");
    Packing::get().unpack(CLASSES.len(), distinct, &mut table[..WEIGHTS]);
    table
}

/// The sum of the weights of a quarter of the lanes. So few are unrolled by the compiler,
/// which then knows each offset and needs no bounds checks; and four sums do not wait for each other.
#[inline(always)]
fn quarter<const N: usize>(table: &[i16; STRIDE], indices: &Lanes) -> i32 {
    const LENGTH: usize = LANES / 4;
    let mut sum = 0;
    let mut class = reach(table, OFFSETS[N * LENGTH]);
    for lane in N * LENGTH..((N + 1) * LENGTH).min(INSTANCES) {
        if lane > N * LENGTH && OFFSETS[lane] != OFFSETS[lane - 1] {
            class = reach(table, OFFSETS[lane]);
            sum = memory::settled(sum);
        }
        sum += i32::from(class[indices.0[lane] as usize]);
    }
    memory::settled(sum)
}

/// What 16-bit indices reach from `offset` on.
#[inline(always)]
fn reach<T>(table: &[T], offset: usize) -> &[T; 0x1_0000] {
    let part = &table[offset..][..0x1_0000];
    memory::based(part.try_into().expect("as long as that"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Symmetry;
    use proptest::prelude::*;

    /// Weights that are different from 0 nearly everywhere, so that a wrong lookup is noticed.
    fn busy() -> Evaluator {
        let mut weights = Weights::zero();
        for (i, weight) in weights.patterns.iter_mut().enumerate() {
            *weight = (i as u32).wrapping_mul(2_654_435_761).to_le_bytes()[3] as i16 - 128;
        }
        for (i, x) in weights.factors.as_flattened_mut().iter_mut().enumerate() {
            *x = (i as u32).wrapping_mul(2_654_435_761).to_le_bytes()[3] as i8 / 8;
        }
        Evaluator::new(&weights)
    }

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
        weights.patterns.fill(i16::MAX);
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
            let evaluator = busy();
            let score = evaluator.evaluate(board);
            for symmetry in Symmetry::all() {
                prop_assert_eq!(evaluator.evaluate(board.transform(symmetry)), score);
            }
        }
    }
}
