//! What the features of a board are worth, one by one and together.
//!
//! Each configuration of a pattern, each pair of mobilities and each number of empties has a
//! row: a vector of [`FACTORS`] small numbers, and a weight. The rows of all features of a board are
//! added up. The sum of weights is what the features are worth one by one. The sum of vectors is h: the squares
//! of its first [`ADDED`] numbers are added to the estimate, those of the others taken away.
//! Multiplied out, that is a weight for each pair of features on the board, so that two advantages
//! can be worth less than their sum; and these weights are products of vectors, so that pairs which never
//! occurred together in training have one too.
//!
//! Each number of a vector has a place: a corner, a side, or the whole board. The instances of a class
//! share their rows, but the symmetry that makes an instance of the first one takes
//! the numbers to other places as well, so that two corners side by side are worth something else than two
//! opposite ones. Symmetric images of a board have sums whose numbers are exchanged within
//! four whose squares count alike: their estimates are equal.
//!
//! A factorisation machine: S. Rendle, "Factorization Machines", ICDM 2010; with signs, and
//! the squares of single features left in.

use std::hint::black_box;
use std::sync::OnceLock;

use super::features::{Features, Lanes};
use super::packing::Packing;
use super::patterns::{
    CLASSES, CONFIGURATIONS, INSTANCE_LIST, INSTANCES, MOBILITY_PAIRS, class_offset, mobility_pair,
};
use super::phases::{BIASES, PHASES};
use crate::checksum::seeded_checksum;
use crate::lazy;
use crate::rules::{Board, Symmetry};
use crate::score::Score;
use crate::simd::hints;
use crate::threads;

/// Numbers in one vector.
pub const FACTORS: usize = 14;

/// Numbers of a vector, the first ones, whose squares are added.
pub const ADDED: usize = 8;

/// Stages of the game with rows of their own.
pub const STAGES: usize = 3;

/// Units of a vector's entry: its square is in discs.
pub const UNIT: f32 = 1.0 / 128.0;

/// log2 of the squared units that make 1/128 disc.
const SHIFT: u32 = 7;

/// What sums of vectors start with, in units of [`UNIT`]. Squares have a slope there: a single feature counts.
pub const ORIGIN: i16 = 128;

/// The stage that phase number `phase` belongs to.
pub const fn stage(phase: usize) -> usize {
    phase * STAGES / PHASES
}

/// One stage's rows: those of the configurations, pairs of mobilities, numbers of empties.
pub(super) const ROWS: usize = CONFIGURATIONS + MOBILITY_PAIRS + BIASES;

/// Length of one stage's table. No 16-bit index reaches beyond it, so that the compiler
/// drops the bounds checks of the lookups.
const STRIDE: usize = {
    let last = class_offset(CLASSES.len() - 1) + 0x1_0000;
    if last > ROWS { last } else { ROWS }
};

/// A vector, and a weight in 1/128 disc: as a multiple of −256, and the rest.
pub type Row = [i8; LENGTH];

/// Numbers in a row.
pub const LENGTH: usize = FACTORS + 2;

/// What the first number of a weight counts: −256, for `256 << SHIFT` is one more than 16 bits hold.
const HIGH: i16 = -256;

/// The largest weight that two signed bytes hold.
const MAX_WEIGHT: i16 = 0x7F7F;

/// The row of a vector and a weight, of at most 255 discs.
pub fn row(vector: [i8; FACTORS], weight: i16) -> Row {
    let weight = weight.clamp(-MAX_WEIGHT, MAX_WEIGHT);
    let mut row = [0; LENGTH];
    row[..FACTORS].copy_from_slice(&vector);
    let low = weight as i8;
    row[FACTORS] = ((weight - i16::from(low)) / HIGH) as i8;
    row[FACTORS + 1] = low;
    row
}

/// The weight of a row.
pub fn weight(row: &Row) -> i16 {
    HIGH * i16::from(row[FACTORS]) + i16::from(row[FACTORS + 1])
}

/// Units of 1/128 disc between two values of a weight: finer ones would be lost in the noise of a fit, and make
/// the file longer.
const STEP: f32 = 4.0;

/// `discs` as a weight.
pub fn in_steps(discs: f32) -> i16 {
    let steps = discs * Score::PER_DISC as f32 / STEP;
    (STEP * steps.round_ties_even()) as i16 // saturates
}

/// The row with so many `discs` added to its weight.
pub fn shifted(old: &Row, discs: f64) -> Row {
    let [vector @ .., _, _] = *old;
    row(vector, weight(old).saturating_add(in_steps(discs as f32)))
}

/// The place of each number of a row, as a set of squares: four for the corners, four for the sides, four
/// for the corners, and the whole board.
const PLACES: [u64; LENGTH] = {
    const CORNERS: [u64; 4] = [1, 1 << 7, 1 << 56, 1 << 63];
    const FILE: u64 = 0x0101_0101_0101_0101;
    const SIDES: [u64; 4] = [0xFF, 0xFF << 56, FILE, FILE << 7];
    let mut places = [u64::MAX; LENGTH];
    let mut i = 0;
    while i < 4 {
        places[i] = CORNERS[i];
        places[4 + i] = SIDES[i];
        places[8 + i] = CORNERS[i];
        i += 1;
    }
    places
};

/// For each symmetry and each number of a row, which number comes to its place.
const SOURCES: [[usize; LENGTH]; 8] = {
    let mut sources = [[0; LENGTH]; 8];
    let mut symmetry = 0;
    while symmetry < 8 {
        let mut from = 0;
        while from < LENGTH {
            let image = Symmetry::ALL[symmetry].apply(PLACES[from]);
            // Numbers of four places are exchanged among each other, those of the whole board stay.
            let mut to = if image == u64::MAX { from } else { from & !3 };
            while PLACES[to] != image {
                to += 1;
            }
            sources[symmetry][to] = from;
            from += 1;
        }
        symmetry += 1;
    }
    sources
};

/// The numbers of a row or of a sum of rows, where `symmetry` takes their places.
#[inline(always)]
pub fn turned<T: Copy>(numbers: &[T; LENGTH], symmetry: Symmetry) -> [T; LENGTH] {
    let mut turned = *numbers;
    if symmetry == Symmetry::IDENTITY {
        return turned;
    }
    for (to, &from) in turned.iter_mut().zip(&SOURCES[symmetry.index()]) {
        *to = numbers[from];
    }
    turned
}

/// The row of a feature that these symmetries leave as it is: of numbers that they exchange, the first
/// counts for all.
fn symmetric(row: &Row, fixed: impl ExactSizeIterator<Item = Symmetry> + Clone) -> Row {
    // Most features have no symmetry but the identity.
    if fixed.len() == 1 {
        return *row;
    }
    std::array::from_fn(|k| {
        let sources = fixed.clone().map(|symmetry| SOURCES[symmetry.index()][k]);
        row[sources.min().unwrap_or(k)]
    })
}

/// The rows of one stage, mirror images included, padded at the end.
type StageTable = [Row; STRIDE];

/// The rows of all stages, each unpacked when it is first needed.
pub struct Rows {
    stages: [OnceLock<Box<StageTable>>; STAGES],
    /// The distinct rows of a stage, where its table may be missing.
    distinct: Box<dyn Fn(usize) -> Vec<Row> + Send + Sync>,
}

impl Rows {
    /// The rows of `distinct`, as many for each stage as [`Packing::len`] says, all unpacked.
    pub fn new(distinct: &[Row]) -> Rows {
        let rows = Rows::lazy(|_| unreachable!("all stages are there"));
        let stages = distinct.chunks_exact(Packing::get().len());
        for (table, distinct) in rows.stages.iter().zip(stages) {
            table.get_or_init(|| unpack(distinct));
        }
        rows
    }

    /// Rows of which none is unpacked yet; `distinct` has those of a stage.
    pub(super) fn lazy(distinct: impl Fn(usize) -> Vec<Row> + Send + Sync + 'static) -> Rows {
        Rows {
            stages: Default::default(),
            distinct: Box::new(distinct),
        }
    }

    /// The table of a stage.
    #[inline(always)]
    fn get(&self, stage: usize) -> &StageTable {
        match self.stages[stage].get() {
            Some(table) => table,
            None => self.unpack(stage),
        }
    }

    /// Unpacks a stage, unless that is done; other threads that need it wait.
    #[cold]
    #[inline(never)]
    pub(super) fn unpack(&self, stage: usize) -> &StageTable {
        let make = || unpack(&(self.distinct)(stage));
        lazy::get_or_init::<Box<StageTable>>(&self.stages[stage], make)
    }

    /// The stages that no search has needed yet.
    pub(super) fn packed_stages(&self) -> impl Iterator<Item = usize> {
        (0..STAGES).filter(|&stage| self.stages[stage].get().is_none())
    }

    /// A hash of all numbers, on top of `seed`.
    pub(super) fn fingerprint(&self, seed: u64) -> u64 {
        (0..STAGES).fold(seed, |hash, stage| {
            let rows = &self.get(stage)[..ROWS];
            seeded_checksum(hash, bytemuck::cast_slice(rows))
        })
    }

    /// The estimate for `board`, computed from its squares.
    pub fn evaluate_board(&self, stage: usize, board: Board) -> i32 {
        let indices = Features::of(board).indices();
        self.evaluate(stage, &indices, mobility_pair(board), board.empty_count())
    }

    /// The estimate for a board, in 1/128 disc for the side to move: by the indices
    /// of the patterns, the number of the pair of mobilities, and the number of empties.
    #[inline(never)]
    pub fn evaluate(&self, stage: usize, indices: &Lanes, pair: usize, empties: u32) -> i32 {
        let rows = self.get(stage);
        let mut sum = [0; LENGTH];
        add(&mut sum, &rows[CONFIGURATIONS + pair]);
        let bias = (empties as usize).min(BIASES - 1);
        add(&mut sum, &rows[CONFIGURATIONS + MOBILITY_PAIRS + bias]);
        add_instances::<0>(rows, indices, &mut sum);
        add_instances::<1>(rows, indices, &mut sum);
        add_instances::<2>(rows, indices, &mut sum);
        add_instances::<3>(rows, indices, &mut sum);
        add_instances::<4>(rows, indices, &mut sum);
        add_instances::<5>(rows, indices, &mut sum);
        add_instances::<6>(rows, indices, &mut sum);
        add_instances::<7>(rows, indices, &mut sum);
        worth(&sum)
    }
}

/// The sum of no rows. The compiler must not know it, as with [`MULTIPLIERS`].
static EMPTY_SUM: [i16; LENGTH] = {
    let mut sum = [ORIGIN; LENGTH];
    sum[FACTORS] = 0;
    sum[FACTORS + 1] = 0;
    sum
};

/// For each symmetry the first of its instances; then the end of all.
const FIRST: [usize; 9] = {
    let mut first = [0; 9];
    let mut lane = 0;
    while lane < INSTANCES {
        let mut later = INSTANCE_LIST[lane].symmetry.index() + 1;
        while later < first.len() {
            first[later] += 1;
            later += 1;
        }
        lane += 1;
    }
    first
};

/// Adds the rows of the instances that symmetry number `S` makes of the first ones.
#[inline(always)]
fn add_instances<const S: usize>(rows: &StageTable, indices: &Lanes, sum: &mut [i16; LENGTH]) {
    let mut own = [0; LENGTH];
    let mut add_lanes = |from: usize, to: usize| {
        for lane in from..to {
            let class = reach(rows, INSTANCE_LIST[lane].offset);
            add(&mut own, &class[indices.0[lane] as usize]);
        }
    };
    // Two short loops: the compiler unrolls both, and turns the sum alone, not each row.
    let middle = (FIRST[S] + FIRST[S + 1]) / 2;
    add_lanes(FIRST[S], middle);
    add_lanes(middle, FIRST[S + 1]);
    let own = turned(&own, Symmetry::ALL[S]);
    for (sum, x) in sum.iter_mut().zip(own) {
        *sum = sum.wrapping_add(x);
    }
}

/// What 16-bit indices reach from `offset` on.
#[inline(always)]
fn reach(table: &StageTable, offset: usize) -> &[Row; 0x1_0000] {
    let part = &table[offset..][..0x1_0000];
    hints::based(part.try_into().expect("as long as that"))
}

/// 64 instances at most and two more rows: no overflow.
#[inline(always)]
fn add(sum: &mut [i16; LENGTH], row: &Row) {
    for (sum, &x) in sum.iter_mut().zip(row) {
        *sum = sum.wrapping_add(i16::from(x));
    }
}

/// What each number of a sum is multiplied with: itself times the first, plus the second. So
/// [`ADDED`] numbers have their squares added, those after them have them taken away, and the numbers of the weight count
/// [`HIGH`] and 1, in 1/128 disc.
static MULTIPLIERS: [[i16; LENGTH]; 2] = {
    let mut multipliers = [[0; LENGTH]; 2];
    let mut i = 0;
    while i < FACTORS {
        multipliers[0][i] = if i < ADDED { 1 } else { -1 };
        i += 1;
    }
    multipliers[1][FACTORS] = HIGH << SHIFT;
    multipliers[1][FACTORS + 1] = 1 << SHIFT;
    multipliers
};

/// The value of a sum of rows, in 1/128 disc. If the compiler knew the multipliers, it would split
/// all the additions before into those that it treats alike.
#[inline(always)]
fn worth(sum: &[i16; LENGTH]) -> i32 {
    let [signs, weights] = black_box(&MULTIPLIERS);
    let start = black_box(&EMPTY_SUM);
    let mut sum = *sum;
    for (sum, start) in sum.iter_mut().zip(start) {
        *sum = sum.wrapping_add(*start);
    }
    let multipliers = sum
        .iter()
        .zip(signs.iter().zip(weights))
        .map(|(x, (sign, weight))| x.wrapping_mul(*sign).wrapping_add(*weight));
    let products = multipliers
        .zip(&sum)
        .map(|(a, &b)| i32::from(a) * i32::from(b));
    products.sum::<i32>() >> SHIFT
}

/// The table of a stage from its distinct rows.
fn unpack(distinct: &[Row]) -> Box<StageTable> {
    let packing = Packing::get();
    let stored = |slot: usize| symmetric(&distinct[slot], packing.fixed(slot));
    let table = vec![[0; LENGTH]; STRIDE].into_boxed_slice();
    hints::prefer_huge_pages(&table);
    let mut table: Box<StageTable> = table.try_into().expect("as long as that");
    let (configurations, others) = table.split_at_mut(CONFIGURATIONS);
    let fill = |rows: &mut [Row], from: usize| {
        let images = packing.slots()[from..].iter().zip(&packing.turns()[from..]);
        for (row, (&slot, &turn)) in rows.iter_mut().zip(images) {
            *row = turned(&stored(slot as usize), turn);
        }
    };
    let (first, second) = configurations.split_at_mut(CONFIGURATIONS / 2);
    let from = first.len();
    threads::both("rows", || fill(first, 0), || fill(second, from));
    let unshared = packing.len() - MOBILITY_PAIRS - BIASES..packing.len();
    for (row, slot) in others.iter_mut().zip(unshared) {
        *row = stored(slot);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    #[test]
    fn stages_cover_the_phases_in_order() {
        let stages: Vec<usize> = (0..PHASES).map(stage).collect();
        assert!(stages.is_sorted());
        assert_eq!((stages[0], stages[PHASES - 1]), (0, STAGES - 1));
    }

    #[test]
    fn numbers_go_where_their_places_go() {
        let numbers: [usize; LENGTH] = std::array::from_fn(|k| k);
        for first in Symmetry::all() {
            let turned_once = turned(&numbers, first);
            for (to, &from) in turned_once.iter().enumerate() {
                assert_eq!(first.apply(PLACES[from]), PLACES[to]);
            }
            for second in Symmetry::all() {
                let twice = turned(&turned_once, second);
                assert_eq!(twice, turned(&numbers, second.after(first)));
            }
        }
    }

    #[test]
    fn a_row_is_worth_its_weight_and_its_signed_squares() {
        let mut random = SplitMix64::new(3);
        let mut draw = || random.next_u64();
        let packing = Packing::get();
        let mut packed = Vec::new();
        for slot in 0..STAGES * packing.len() {
            let any = row(std::array::from_fn(|_| draw() as i8), draw() as i16);
            packed.push(symmetric(&any, packing.fixed(slot % packing.len())));
        }
        let rows = Rows::new(&packed);
        let board = Board::START.play(crate::rules::Square::wrapping(19));
        let (pair, empties) = (mobility_pair(board), board.empty_count());
        let indices = Features::of(board).indices();
        let patterns = INSTANCE_LIST
            .iter()
            .zip(indices.0)
            .map(|(instance, index)| {
                let at = instance.offset + usize::from(index);
                let turn = instance.symmetry.after(packing.turns()[at]);
                (packing.slots()[at] as usize, turn)
            });
        let others = packing.len() - MOBILITY_PAIRS - BIASES;
        let alone = [others + pair, others + MOBILITY_PAIRS + empties as usize];
        let features = patterns.chain(alone.map(|slot| (slot, Symmetry::IDENTITY)));
        for (stage, packed) in packed.chunks_exact(packing.len()).enumerate() {
            let mut sum = EMPTY_SUM.map(i32::from);
            for (slot, turn) in features.clone() {
                let row = turned(&packed[slot], turn);
                sum.iter_mut()
                    .zip(row)
                    .for_each(|(sum, x)| *sum += i32::from(x));
            }
            let squares = |numbers: &[i32]| numbers.iter().map(|x| x * x).sum::<i32>();
            let together = squares(&sum[..ADDED]) - squares(&sum[ADDED..FACTORS]);
            let weights = i32::from(HIGH) * sum[FACTORS] + sum[FACTORS + 1];
            let expected = weights + (together >> SHIFT);
            assert_eq!(rows.evaluate_board(stage, board), expected);
        }
    }
}
