//! What features are worth together: the part of an estimate that a sum over them misses.
//!
//! Each configuration of the first classes, each pair of mobilities and each number of
//! empties has, beside its weight, a vector of [`FACTORS`] small numbers. The vectors of
//! all features of a board add up to one, h; the squares of its first half are added to the
//! estimate, those of the second taken away. Multiplied out, that is a weight for each
//! pair of features on the board, so that two advantages can be worth less than their sum; and these
//! weights are products of vectors, so that pairs which never occurred together in training have
//! one too. As instances of a class share their vectors, h is the same for all
//! symmetric images of a board.
//!
//! A factorisation machine: S. Rendle, "Factorization Machines", ICDM 2010; with signs, and
//! the squares of single features left in.

use super::features::{Features, Lanes};
use super::lazy::LazyTables;
use super::patterns::{
    CLASSES_WITH_FACTORS, CONFIGURATIONS_WITH_FACTORS, INSTANCES_WITH_FACTORS, MOBILITY_PAIRS,
    OFFSETS, mobility_pair,
};
use super::reach;
use super::weights::{BIASES, PHASES, PackedWeights, Packing};
use crate::checksum::seeded_checksum;
use crate::rules::Board;
use crate::simd::memory;

/// Numbers in one vector.
pub const FACTORS: usize = 16;

/// Stages of the game with vectors of their own.
pub const STAGES: usize = 4;

/// Units of a vector's entry: its square is in discs.
pub const UNIT: f32 = 1.0 / 64.0;

/// log2 of the squared units that make 1/128 disc.
const SHIFT: u32 = 5;

/// The stage that phase number `phase` belongs to.
pub const fn stage(phase: usize) -> usize {
    phase * STAGES / PHASES
}

/// One stage's vectors: those of the configurations, pairs of mobilities, numbers of empties.
const ROWS: usize = CONFIGURATIONS_WITH_FACTORS + MOBILITY_PAIRS + BIASES;

/// Length of one stage's table. No 16-bit index reaches beyond it, so that the compiler
/// drops the bounds checks of the lookups.
const STRIDE: usize = {
    let last = OFFSETS[INSTANCES_WITH_FACTORS - 1] + 0x1_0000;
    if last > ROWS { last } else { ROWS }
};

/// A vector.
pub type Row = [i8; FACTORS];

/// The vectors of one stage, mirror images included, padded at the end.
type StageTable = [Row; STRIDE];

/// The vectors of all stages.
pub struct Factors(LazyTables<StageTable, STAGES>);

impl Factors {
    /// The vectors of `packed`, [`packed_rows`] for each stage.
    pub fn new(packed: &[Row]) -> Factors {
        let stages = packed.chunks_exact(packed_rows());
        Factors(LazyTables::ready(stages.map(unpack)))
    }

    /// The vectors of a weight file, each stage unpacked when it is first needed.
    pub(super) fn packed(packed: PackedWeights<'static>) -> Factors {
        let unpack_stage =
            |packed: &PackedWeights<'static>, stage| Ok(unpack(&packed.stage(stage)?));
        Factors(LazyTables::packed(packed, unpack_stage))
    }

    /// A hash of all numbers, on top of `seed`.
    pub(super) fn fingerprint(&self, seed: u64) -> u64 {
        (0..STAGES).fold(seed, |hash, stage| {
            let rows = &self.0.get(stage)[..ROWS];
            seeded_checksum(hash, bytemuck::cast_slice(rows))
        })
    }

    /// What the features of `board` are worth together, computed from its squares.
    pub fn evaluate_board(&self, stage: usize, board: Board) -> i32 {
        let indices = Features::of(board).indices();
        let empties = board.empty_count() as usize;
        self.evaluate(stage, &indices, mobility_pair(board), empties)
    }

    /// What the features are worth together, in 1/128 disc for the side to move: the indices
    /// of the patterns, the number of the pair of mobilities, and the number of empties.
    ///
    /// Never inlined: together with the sum of weights the compiler would load everything
    /// first and spill it.
    #[inline(never)]
    pub fn evaluate(&self, stage: usize, indices: &Lanes, pair: usize, empties: usize) -> i32 {
        let rows = self.0.get(stage);
        let mut sum = [0; FACTORS];
        add(&mut sum, &rows[CONFIGURATIONS_WITH_FACTORS + pair]);
        let bias = empties.min(BIASES - 1);
        add(
            &mut sum,
            &rows[CONFIGURATIONS_WITH_FACTORS + MOBILITY_PAIRS + bias],
        );
        add_part::<0>(rows, indices, &mut sum);
        add_part::<1>(rows, indices, &mut sum);
        add_part::<2>(rows, indices, &mut sum);
        add_part::<3>(rows, indices, &mut sum);
        add_part::<4>(rows, indices, &mut sum);
        add_part::<5>(rows, indices, &mut sum);
        signed_squares(&sum) >> SHIFT
    }
}

/// Adds the vectors of a sixth of the instances: so few are unrolled by the compiler, which then
/// knows each offset.
#[inline(always)]
fn add_part<const N: usize>(rows: &[Row; STRIDE], indices: &Lanes, sum: &mut [i16; FACTORS]) {
    const LENGTH: usize = INSTANCES_WITH_FACTORS.div_ceil(6);
    let mut class = reach(rows, OFFSETS[N * LENGTH]);
    for lane in N * LENGTH..((N + 1) * LENGTH).min(INSTANCES_WITH_FACTORS) {
        if lane > N * LENGTH && OFFSETS[lane] != OFFSETS[lane - 1] {
            class = reach(rows, OFFSETS[lane]);
        }
        add(sum, &class[indices.0[lane] as usize]);
    }
}

/// 64 instances at most and two more vectors: no overflow.
#[inline(always)]
fn add(sum: &mut [i16; FACTORS], row: &Row) {
    for (sum, &x) in sum.iter_mut().zip(row) {
        *sum = sum.wrapping_add(i16::from(x));
    }
}

/// The sign of each entry's square: + for the first half, − for the second.
const SIGNS: [i16; FACTORS] = {
    let mut signs = [1; FACTORS];
    let mut i = FACTORS / 2;
    while i < FACTORS {
        signs[i] = -1;
        i += 1;
    }
    signs
};

/// The squares of the first half less those of the second. Written as a product with signs:
/// the compiler would otherwise split all the sums before into halves.
#[inline(always)]
fn signed_squares(sum: &[i16; FACTORS]) -> i32 {
    let signed = sum
        .iter()
        .zip(&SIGNS)
        .map(|(x, sign)| x.wrapping_mul(*sign));
    signed
        .zip(sum)
        .map(|(a, &b)| i32::from(a) * i32::from(b))
        .sum()
}

/// The table of a stage from its distinct vectors.
fn unpack(distinct: &[Row]) -> Box<StageTable> {
    let table = vec![[0; FACTORS]; STRIDE].into_boxed_slice();
    memory::prefer_huge_pages(&table);
    let mut table: Box<StageTable> = table.try_into().expect("as long as that");
    let distinct = distinct.iter().copied();
    Packing::get().unpack(CLASSES_WITH_FACTORS, distinct, &mut table[..ROWS]);
    table
}

/// Distinct vectors of one stage: mirror images share one.
pub fn packed_rows() -> usize {
    Packing::get().with_factors() + MOBILITY_PAIRS + BIASES
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::patterns::INSTANCE_LIST;
    use crate::random::SplitMix64;

    #[test]
    fn stages_cover_the_phases_in_order() {
        let stages: Vec<usize> = (0..PHASES).map(stage).collect();
        assert!(stages.is_sorted());
        assert_eq!((stages[0], stages[PHASES - 1]), (0, STAGES - 1));
    }

    #[test]
    fn the_estimate_is_the_sum_of_signed_squares() {
        let mut random = SplitMix64::new(3);
        let mut packed = vec![[0i8; FACTORS]; STAGES * packed_rows()];
        for x in packed.as_flattened_mut() {
            *x = random.next_u64() as i8;
        }
        let factors = Factors::new(&packed);
        let board = Board::START.play(crate::rules::Square::wrapping(19));
        let (pair, empties) = (mobility_pair(board), board.empty_count() as usize);
        let indices = Features::of(board).indices();
        let slots = Packing::get().slots();
        let patterns = (0..INSTANCES_WITH_FACTORS)
            .map(|lane| slots[INSTANCE_LIST[lane].offset + indices.0[lane] as usize] as usize);
        let others = Packing::get().with_factors();
        let rows = patterns.chain([others + pair, others + MOBILITY_PAIRS + empties]);
        for stage in 0..STAGES {
            let mut sum = [0i64; FACTORS];
            for row in rows.clone() {
                let row = &packed[stage * packed_rows() + row];
                sum.iter_mut()
                    .zip(row)
                    .for_each(|(sum, &x)| *sum += i64::from(x));
            }
            let squares = sum.iter().enumerate();
            let signed = squares.map(|(i, x)| if i < FACTORS / 2 { x * x } else { -x * x });
            let expected = signed.sum::<i64>() >> SHIFT;
            let found = factors.evaluate_board(stage, board);
            assert_eq!(i64::from(found), expected);
        }
    }
}
