//! The rows of one stage, by stochastic gradient descent.
//!
//! The sums of vectors are squared, so that this is no linear problem. Vectors
//! and weights are changed together, for one random sample after the other, against the gradient of
//! the squared error; the step of each number shrinks with its earlier gradients (J. Duchi, E. Hazan
//! and Y. Singer, "Adaptive Subgradient Methods for Online Learning and Stochastic
//! Optimization", JMLR 12, 2011). These sums do not start at zero, which keeps rare
//! configurations near what their parts say (`parts`).

use std::f32::consts::PI;
use std::ops::RangeInclusive;

use super::parts::Parts;
use super::{FitOptions, StageError, StageFit};
use crate::training::sample::{Sample, SampleFileError, SampleSource};
use emilia::eval::patterns::{INSTANCE_LIST, INSTANCES, MOBILITY_PAIRS, mobility_pair};
use emilia::eval::rows::{
    ADDED, FACTORS, LENGTH, ORIGIN, Row, Rows, UNIT, in_steps, row, shifted, stage, turned, weight,
};
use emilia::eval::{BIASES, Features, PHASES, Packing, phase};
use emilia::random::SplitMix64;
use emilia::rules::{Board, Symmetry};
use emilia::score::Score;
use emilia::simd::hints;

/// Phases before and after a stage that its rows are fitted to as well.
const REACH: usize = 3;

/// Squared gradients that the weight of each part starts with, in discs².
const WEIGHT_HEAD_START: f32 = 768.0;

/// Squared gradients that the numbers of vectors start with, in discs³.
const VECTOR_HEAD_START: f32 = 49_152.0;

/// What is a row's own starts with so many times these: the parts learn first.
const OWN_HEAD_START: f32 = 64.0;

/// Step of a vector's number at the start, in √disc, of a weight 8 times that, in discs;
/// both times gradient over root of the squared gradients.
const RATE: f32 = 0.04;

/// The share of the first step that is left at the end.
const LAST_RATE: f32 = 0.02;

/// A fit that continues from rows: [`RATE`], and so many times the head starts, for what the rows have learned already.
const CONTINUED_RATE: f32 = 0.02;
const CONTINUED_HEAD_START: f32 = 5.0;

/// The largest error that one step goes by, in discs, so that lost games with wide scores count no more than others
/// (P. J. Huber, "Robust Estimation of a Location Parameter", Annals of Mathematical Statistics 35, 1964).
const MAX_ERROR: f32 = 12.0;

/// The largest weight of one sample, in average samples.
const MAX_WEIGHT: f32 = 8.0;

/// Vectors start at random numbers within this, in √disc, so that they develop differently.
const NOISE: f32 = 0.02;

/// Fits the rows of stage `number`.
pub(super) fn fit_stage(
    train: &dyn SampleSource,
    validation: &dyn SampleSource,
    number: usize,
    options: &FitOptions,
) -> Result<StageFit, SampleFileError> {
    let samples = train.read(phases(number, REACH))?;
    let own = |sample: &&Sample| stage(phase(sample.board.empty_count())) == number;
    let own = samples.iter().filter(own);
    let count = Packing::get().len();
    let from = options.from.as_deref();
    let from = from.map(|rows| &rows[number * count..][..count]);
    let rows = if samples.is_empty() {
        from.map_or_else(|| vec![[0; LENGTH]; count], <[Row]>::to_vec)
    } else {
        let mut machine = from.map_or_else(|| Machine::new(number as u64), Machine::continued);
        machine.descend(&samples, number as u64, options.passes);
        centred(machine.rounded(), own.clone())
    };
    let (train_rmse, _) = errors(&rows, own.clone());
    let (rmse, mae) = errors(&rows, validation.read(phases(number, 0))?.iter());
    Ok(StageFit {
        stage: number,
        rows,
        error: StageError {
            samples: own.count(),
            train_rmse,
            rmse,
            mae,
        },
    })
}

/// The phases of stage `number`, and `reach` more on either side.
fn phases(number: usize, reach: usize) -> RangeInclusive<usize> {
    let own = || (0..PHASES).filter(|&phase| stage(phase) == number);
    let (first, last) = (own().next(), own().next_back());
    let first = first.unwrap_or(0).saturating_sub(reach);
    first..=last.unwrap_or(0).saturating_add(reach).min(PHASES - 1)
}

/// The part of the first step size that is left after a `share` of all steps: half a cosine.
fn rate_left(share: f32) -> f32 {
    (0.5 + 0.5 * (PI * share).cos()).max(LAST_RATE)
}

/// The numbers of a row while they are fitted: its weight stands behind its vector, and the last one is not used.
type Vector = [f32; LENGTH];

/// A row that is fitted, with the sums of its squared gradients.
struct FittedRow {
    numbers: Vector,
    squares: Vector,
}

impl FittedRow {
    /// Goes against `gradient`.
    fn step(&mut self, gradient: &Vector, rates: &Vector) {
        for k in 0..LENGTH {
            self.squares[k] += gradient[k] * gradient[k];
            self.numbers[k] -= rates[k] * gradient[k] / self.squares[k].sqrt();
        }
    }
}

/// Rows whose squared gradients start with so many times [`HEAD_STARTS`].
fn table(rows: impl ExactSizeIterator<Item = Vector>, head_start: f32) -> Vec<FittedRow> {
    let squares = HEAD_STARTS.map(|start| head_start * start);
    let mut table = Vec::with_capacity(rows.len());
    hints::prefer_huge_pages(table.spare_capacity_mut());
    table.extend(rows.map(|numbers| FittedRow { numbers, squares }));
    table
}

/// Vectors and weights while they are fitted: a row is the sum of its own and of those of its parts.
struct Machine {
    own: Vec<FittedRow>,
    parts: Vec<FittedRow>,
    parts_of: Parts,
    /// Did any step go by this row?
    seen: Vec<bool>,
    /// The noise that the own rows were at first.
    noise: Vec<Vector>,
    /// The first step size: [`RATE`] or [`CONTINUED_RATE`].
    rate: f32,
}

/// The number of a vector that is the weight.
const WEIGHT: usize = FACTORS;

/// What the squared gradients of a part start with.
const HEAD_STARTS: Vector = {
    let mut starts = [VECTOR_HEAD_START; LENGTH];
    starts[WEIGHT] = WEIGHT_HEAD_START;
    starts
};

impl Machine {
    fn new(seed: u64) -> Machine {
        let packing = Packing::get();
        let mut random = SplitMix64::new(seed);
        let mut noise = || (random.below(1 << 20) as f32 / (1 << 19) as f32 - 1.0) * NOISE;
        let mut rows = vec![[0.0; LENGTH]; packing.len()];
        for (slot, row) in rows.iter_mut().enumerate() {
            row[..FACTORS].fill_with(&mut noise);
            *row = symmetric(row, slot);
        }
        Machine::of(rows.clone(), rows, 1.0, RATE)
    }

    /// One that continues from these rows.
    fn continued(from: &[Row]) -> Machine {
        let noise = vec![[0.0; LENGTH]; from.len()];
        let rows = from.iter().map(unrounded).collect();
        Machine::of(rows, noise, CONTINUED_HEAD_START, CONTINUED_RATE)
    }

    /// One whose own rows begin as `own`, of which `noise` is to go, and whose parts begin at zero.
    fn of(own: Vec<Vector>, noise: Vec<Vector>, head_start: f32, rate: f32) -> Machine {
        let parts_of = Parts::new();
        let parts = (0..parts_of.len()).map(|_| [0.0; LENGTH]);
        Machine {
            seen: vec![false; own.len()],
            own: table(own.into_iter(), head_start * OWN_HEAD_START),
            parts: table(parts, head_start),
            parts_of,
            noise,
            rate,
        }
    }

    /// The whole row of a slot.
    fn row(&self, slot: usize) -> Vector {
        let mut row = self.own[slot].numbers;
        for part in self.parts_of.of(slot) {
            add(&mut row, &self.parts[part].numbers);
        }
        symmetric(&row, slot)
    }

    /// Steps for `samples` in random order, `passes` for each on average.
    fn descend(&mut self, samples: &[Sample], seed: u64, passes: usize) {
        let mut order = SplitMix64::new(seed);
        let mean = samples.iter().map(|s| f64::from(s.weight)).sum::<f64>() / samples.len() as f64;
        let steps = passes.saturating_mul(samples.len());
        for step in 0..steps {
            let sample = &samples[order.below(samples.len() as u64) as usize];
            let weight = (sample.weight / mean as f32).min(MAX_WEIGHT);
            let rate = self.rate * rate_left(step as f32 / steps as f32);
            self.learn(sample, weight, rate);
        }
    }

    /// One step for `sample` with this weight.
    fn learn(&mut self, sample: &Sample, weight: f32, rate: f32) {
        let features = features(sample.board);
        let sum = self.sum(&features);
        let error = (value(&sum) - sample.score).clamp(-MAX_ERROR, MAX_ERROR);
        let error = weight * error;

        let mut gradient = signed(&sum).map(|x| 2.0 * error * x);
        gradient[WEIGHT] = error;
        // What each symmetry of a row makes of the gradient.
        let gradients = Symmetry::ALL.map(|turn| turned(&gradient, turn.inverse()));
        let mut rates = [rate; LENGTH];
        rates[WEIGHT] *= 8.0;
        for (slot, turn) in features {
            let gradient = symmetric(&gradients[turn.index()], slot);
            self.seen[slot] = true;
            self.own[slot].step(&gradient, &rates);
            for part in self.parts_of.of(slot) {
                self.parts[part].step(&gradient, &rates);
            }
        }
    }

    /// The sum of these rows.
    fn sum(&self, features: &[Feature; FEATURES]) -> Vector {
        let mut sums = [[0.0; LENGTH]; 8];
        for (slot, turn) in features {
            add(&mut sums[turn.index()], &self.row(*slot));
        }
        let mut sum = [f32::from(ORIGIN) * UNIT; LENGTH];
        sum[WEIGHT..].fill(0.0);
        for (turn, part) in Symmetry::all().zip(&sums) {
            add(&mut sum, &turned(part, turn));
        }
        sum
    }

    /// The rows with vectors in units of [`UNIT`] and weights in 1/128 disc. What is left of the noise is taken
    /// away. Rows that no sample has stay as they were without it, whatever their parts are.
    fn rounded(&self) -> Vec<Row> {
        let slots = self.noise.iter().zip(&self.own).zip(&self.seen).enumerate();
        slots
            .map(|(slot, ((noise, own), &seen))| {
                let numbers = if seen { self.row(slot) } else { own.numbers };
                // A fit that continues from rows has no noise.
                let start = |k: usize| OWN_HEAD_START * HEAD_STARTS[k];
                let left = |k: usize| noise[k] * (start(k) / own.squares[k]).sqrt();
                rounded(&std::array::from_fn(|k| numbers[k] - left(k)))
            })
            .collect()
    }
}

/// A row with its vector in units of [`UNIT`] and its weight in 1/128 disc.
fn rounded(numbers: &Vector) -> Row {
    let entry = |k: usize| (numbers[k] / UNIT).round().clamp(-127.0, 127.0) as i8;
    row(std::array::from_fn(entry), in_steps(numbers[WEIGHT]))
}

/// A row as it was before it was rounded, as far as that is known.
fn unrounded(rounded: &Row) -> Vector {
    let mut numbers = rounded.map(|x| f32::from(x) * UNIT);
    numbers[WEIGHT..].fill(0.0);
    numbers[WEIGHT] = f32::from(weight(rounded)) / Score::PER_DISC as f32;
    numbers
}

/// The weights of the numbers of empties shifted so that the estimates of `samples` are right on average
/// for each number. Of the first boards of a game there are too few samples for small steps.
fn centred<'a>(mut rows: Vec<Row>, samples: impl Iterator<Item = &'a Sample>) -> Vec<Row> {
    let evaluate = estimates(&rows);
    let mut sums = [(0.0, 0.0); BIASES];
    for sample in samples {
        let (errors, weights) = &mut sums[(sample.board.empty_count() as usize).min(BIASES - 1)];
        *errors += f64::from(sample.weight) * (f64::from(sample.score) - evaluate(sample.board));
        *weights += f64::from(sample.weight);
    }
    let biases = rows.len() - BIASES;
    for (bias, (errors, weights)) in rows[biases..].iter_mut().zip(sums) {
        if weights > 0.0 {
            *bias = shifted(bias, errors / weights);
        }
    }
    rows
}

/// Root of the mean squared error of the rows of a stage, and their mean absolute error.
fn errors<'a>(rows: &[Row], samples: impl Iterator<Item = &'a Sample>) -> (f64, f64) {
    let evaluate = estimates(rows);
    let (mut square, mut absolute, mut total) = (0.0, 0.0, 0.0);
    for sample in samples {
        let weight = f64::from(sample.weight);
        let error = evaluate(sample.board) - f64::from(sample.score);
        square += weight * error * error;
        absolute += weight * error.abs();
        total += weight;
    }
    if total == 0.0 {
        return (0.0, 0.0);
    }
    ((square / total).sqrt(), absolute / total)
}

/// The estimates by the rows of one stage, in discs.
fn estimates(rows: &[Row]) -> impl Fn(Board) -> f64 + use<> {
    let stage = Rows::new(rows);
    move |board| f64::from(stage.evaluate_board(0, board)) / f64::from(Score::PER_DISC)
}

/// The slot of a feature's row, and the symmetry that takes its numbers to their places.
type Feature = (usize, Symmetry);

/// Features of a board: its configurations, its pair of mobilities, its number of empties.
const FEATURES: usize = INSTANCES + 2;

fn features(board: Board) -> [Feature; FEATURES] {
    let packing = Packing::get();
    let indices = Features::of(board).indices();
    let biases = packing.len() - BIASES;
    std::array::from_fn(|lane| {
        let slot = match INSTANCE_LIST.get(lane) {
            Some(instance) => {
                let at = instance.offset + usize::from(indices.0[lane]);
                let turn = instance.symmetry.after(packing.turns()[at]);
                return (packing.slots()[at] as usize, turn);
            }
            None if lane == INSTANCES => biases - MOBILITY_PAIRS + mobility_pair(board),
            None => biases + (board.empty_count() as usize).min(BIASES - 1),
        };
        (slot, Symmetry::IDENTITY)
    })
}

/// The estimate of a sum of rows, in discs.
fn value(sum: &Vector) -> f32 {
    let products = signed(sum).into_iter().zip(sum).map(|(a, b)| a * b);
    sum[WEIGHT] + products.sum::<f32>()
}

/// The numbers of a sum of vectors with the sign that each square has in the estimate, and 0 for the weight.
fn signed(sum: &Vector) -> Vector {
    std::array::from_fn(|k| match k {
        0..ADDED => sum[k],
        ADDED..FACTORS => -sum[k],
        _ => 0.0,
    })
}

fn add(sum: &mut Vector, vector: &Vector) {
    sum.iter_mut().zip(vector).for_each(|(sum, x)| *sum += x);
}

/// The mean of what the symmetries that leave the feature of a row as it is make of these numbers.
fn symmetric(numbers: &Vector, slot: usize) -> Vector {
    let fixed = Packing::get().fixed(slot);
    let count = fixed.len() as f32;
    // Most features have no symmetry but the identity.
    if count == 1.0 {
        return *numbers;
    }
    let mut sum = [0.0; LENGTH];
    fixed.for_each(|symmetry| add(&mut sum, &turned(numbers, symmetry)));
    sum.map(|x| x / count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use emilia::eval::rows::STAGES;
    use emilia::rules::Square;

    #[test]
    fn stages_reach_into_their_neighbours() {
        assert_eq!(phases(0, REACH), 0..=PHASES / STAGES + 2);
        assert_eq!(*phases(STAGES - 1, REACH).end(), PHASES - 1);
        assert_eq!(phases(1, 0), PHASES / STAGES..=2 * PHASES / STAGES - 1);
    }

    #[test]
    fn steps_get_smaller_to_the_end() {
        let rates: Vec<f32> = (0..=10).map(|i| rate_left(i as f32 / 10.0)).collect();
        assert!(rates.is_sorted_by(|a, b| a >= b));
        assert_eq!((rates[0], rates[10]), (1.0, LAST_RATE));
    }

    #[test]
    fn the_mean_of_each_number_of_empties_is_right() {
        let after = Board::START.play(Square::wrapping(19));
        let sample = |board, score| Sample {
            board,
            score,
            weight: 1.0,
        };
        let samples = [
            sample(Board::START, 3.0),
            sample(after, -7.0),
            sample(after, -9.0),
        ];
        let rows = vec![row([1; FACTORS], -300); Packing::get().len()];
        let estimate = estimates(&centred(rows, samples.iter()));
        assert!((estimate(Board::START) - 3.0).abs() < 0.02);
        assert!((estimate(after) + 8.0).abs() < 0.02);
    }

    /// A disc on a1 and one on c7, which no pattern sees together, are worth 10 discs if one side has
    /// both, and −10 if not: one by one they are worth nothing.
    #[test]
    fn vectors_learn_what_no_sum_of_weights_can_express() {
        let (a1, c7) = (Square::wrapping(0).bit(), Square::wrapping(50).bit());
        let sample = |player, opponent, score| Sample {
            board: Board::new(player, opponent).expect("disjoint"),
            score,
            weight: 1.0,
        };
        let samples = [
            sample(a1 | c7, 0, 10.0),
            sample(0, a1 | c7, 10.0),
            sample(a1, c7, -10.0),
            sample(c7, a1, -10.0),
        ];
        let options = FitOptions {
            passes: 5000,
            ..FitOptions::default()
        };
        let train = &samples.as_slice();
        let stages = (0..STAGES).map(|stage| fit_stage(train, train, stage, &options));
        let rows = stages.flat_map(|fit| fit.expect("samples in memory").rows);
        let rows = Rows::new(&rows.collect::<Vec<Row>>());
        let together = samples.map(|sample| rows.evaluate_board(0, sample.board) / Score::PER_DISC);
        let [both, neither, first, second] = together;
        assert!(
            (16..=24).contains(&((both + neither - first - second) / 2)),
            "{together:?}"
        );
    }
}
