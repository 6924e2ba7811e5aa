//! The vectors of one stage, by stochastic gradient descent.
//!
//! The sums of vectors are squared, so this problem is not linear as that of the weights is. Vectors
//! and weights are changed together, for one random sample after the other, against the gradient of
//! the squared error; the step of each number shrinks with its earlier gradients (J. Duchi, E. Hazan
//! and Y. Singer, "Adaptive Subgradient Methods for Online Learning and Stochastic
//! Optimization", JMLR 12, 2011). These sums do not start at zero, which keeps rare
//! configurations near zero. The weights found here are those of a whole stage; they are discarded, and
//! fitted again by phase.

use std::f32::consts::PI;
use std::ops::RangeInclusive;

use super::rows::{Rows, columns};
use super::{FitOptions, Sample, around};
use crate::eval::factors::{FACTORS, Row, UNIT, packed_rows, stage};
use crate::eval::patterns::{INSTANCES, INSTANCES_WITH_FACTORS, MOBILITY_PAIRS};
use crate::eval::{BIASES, PHASES, Packing};
use crate::random::SplitMix64;
use crate::training::sample::{SampleFileError, SampleSource};

/// Squared gradients that each weight starts with, in discs².
const WEIGHT_HEAD_START: f32 = 768.0;

/// The same for the numbers of vectors, in discs³.
const VECTOR_HEAD_START: f32 = 49_152.0;

/// Step of a vector's number at the start, in √disc, of a weight 8 times that, in discs;
/// both times gradient over root of the squared gradients.
const RATE: f32 = 0.04;

/// The share of [`RATE`] that is left at the end.
const LAST_RATE: f32 = 0.02;

/// The largest weight of one sample, in average samples.
const MAX_WEIGHT: f32 = 8.0;

/// Vectors start at random numbers within this, in √disc, so that they develop differently.
const NOISE: f32 = 0.02;

/// The vectors for the number of empties start here, in √disc, where a square has a slope.
const BIAS: f32 = 1.0;

/// The vectors of one stage.
#[derive(Clone, PartialEq, Debug)]
pub struct StageFit {
    /// Which stage.
    pub stage: usize,
    /// Its vectors, as [`packed_rows`] counts them.
    pub rows: Vec<Row>,
}

/// Fits the vectors of stage `number`.
pub(super) fn fit_stage(
    train: &dyn SampleSource,
    number: usize,
    options: &FitOptions,
) -> Result<StageFit, SampleFileError> {
    let samples = match options.passes {
        0 => Vec::new(),
        _ => train.read(phases(number, options.reach))?,
    };
    let rows = if samples.is_empty() {
        vec![[0; FACTORS]; packed_rows()]
    } else {
        descend(&samples, number as u64, options.passes)
    };
    Ok(StageFit {
        stage: number,
        rows,
    })
}

/// Vectors fitted to `samples`, each seen `passes` times on average.
fn descend(samples: &[Sample], seed: u64, passes: usize) -> Vec<Row> {
    let mut machine = Machine::new(seed);
    let mut order = SplitMix64::new(seed);
    let mean = samples.iter().map(|s| f64::from(s.weight)).sum::<f64>() / samples.len() as f64;
    let steps = passes.saturating_mul(samples.len());
    for step in 0..steps {
        let sample = &samples[order.below(samples.len() as u64) as usize];
        let weight = (sample.weight / mean as f32).min(MAX_WEIGHT);
        machine.learn(sample, weight, rate(step as f32 / steps as f32));
    }
    machine.rounded()
}

/// The phases of stage `number`, and `reach` more on either side.
fn phases(number: usize, reach: usize) -> RangeInclusive<usize> {
    let own = || (0..PHASES).filter(|&phase| stage(phase) == number);
    around(
        own().next().unwrap_or(0),
        own().next_back().unwrap_or(0),
        reach,
    )
}

/// The step size after a `share` of all steps: half a cosine.
fn rate(share: f32) -> f32 {
    RATE * (0.5 + 0.5 * (PI * share).cos()).max(LAST_RATE)
}

type Vector = [f32; FACTORS];

/// Weights and vectors while they are fitted, with the sums of their squared gradients.
struct Machine {
    weights: Vec<f32>,
    weight_squares: Vec<f32>,
    vectors: Vec<Vector>,
    vector_squares: Vec<Vector>,
}

impl Machine {
    fn new(seed: u64) -> Machine {
        let mut random = SplitMix64::new(seed);
        let mut noise = || (random.below(1 << 20) as f32 / (1 << 19) as f32 - 1.0) * NOISE;
        let mut vectors = vec![[0.0; FACTORS]; packed_rows()];
        for x in vectors.as_flattened_mut() {
            *x = noise();
        }
        let biases = vectors.len() - BIASES;
        for x in vectors[biases..].as_flattened_mut() {
            *x += BIAS;
        }
        let columns = Rows::columns();
        Machine {
            weights: vec![0.0; columns],
            weight_squares: vec![WEIGHT_HEAD_START; columns],
            vector_squares: vec![[VECTOR_HEAD_START; FACTORS]; vectors.len()],
            vectors,
        }
    }

    /// One step for `sample` with this weight.
    fn learn(&mut self, sample: &Sample, weight: f32, rate: f32) {
        let columns = columns(sample.board);
        let rows = rows(&columns);
        let mut sum = [0.0; FACTORS];
        for &row in &rows {
            let vector = &self.vectors[row];
            sum.iter_mut().zip(vector).for_each(|(sum, x)| *sum += x);
        }
        let together: f32 = signed(&sum).iter().zip(&sum).map(|(a, b)| a * b).sum();
        let alone: f32 = columns.iter().map(|&column| self.weights[column]).sum();
        let error = weight * (alone + together - sample.score);

        for column in columns {
            let squares = &mut self.weight_squares[column];
            *squares += error * error;
            self.weights[column] -= 8.0 * rate * error / squares.sqrt();
        }
        let gradient = signed(&sum).map(|x| 2.0 * error * x);
        for row in rows {
            let squares = &mut self.vector_squares[row];
            for (x, (squares, g)) in self.vectors[row]
                .iter_mut()
                .zip(squares.iter_mut().zip(&gradient))
            {
                *squares += g * g;
                *x -= rate * g / squares.sqrt();
            }
        }
    }

    /// The vectors in units of [`UNIT`].
    fn rounded(&self) -> Vec<Row> {
        let unit = |x: f32| (x / UNIT).round().clamp(-127.0, 127.0) as i8;
        self.vectors.iter().map(|vector| vector.map(unit)).collect()
    }
}

/// `sum` with the sign that each square has in the estimate.
fn signed(sum: &Vector) -> Vector {
    std::array::from_fn(|i| if i < FACTORS / 2 { sum[i] } else { -sum[i] })
}

/// The vectors that belong to these weights.
fn rows(columns: &[usize; INSTANCES + 2]) -> [usize; INSTANCES_WITH_FACTORS + 2] {
    let packing = Packing::get();
    let without = packing.len() - MOBILITY_PAIRS - packing.with_factors();
    std::array::from_fn(|i| match i.checked_sub(INSTANCES_WITH_FACTORS) {
        None => columns[i],
        Some(other) => columns[INSTANCES + other] - without,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::factors::{Factors, STAGES};
    use crate::eval::patterns::mobility_pair;
    use crate::rules::{Board, Square};
    use crate::score::Score;

    #[test]
    fn stages_reach_into_their_neighbours() {
        assert_eq!(phases(0, 3), 0..=PHASES / STAGES + 2);
        assert_eq!(*phases(STAGES - 1, 3).end(), PHASES - 1);
        assert_eq!(phases(1, 0), PHASES / STAGES..=2 * PHASES / STAGES - 1);
    }

    #[test]
    fn steps_get_smaller_to_the_end() {
        let rates: Vec<f32> = (0..=10).map(|i| rate(i as f32 / 10.0)).collect();
        assert!(rates.is_sorted_by(|a, b| a >= b));
        assert_eq!((rates[0], rates[10]), (RATE, RATE * LAST_RATE));
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
        let stages = (0..STAGES).map(|stage| fit_stage(&samples.as_slice(), stage, &options));
        let rows = stages.flat_map(|fit| fit.expect("samples in memory").rows);
        let factors = Factors::new(&rows.collect::<Vec<Row>>());
        let together =
            samples.map(|sample| factors.evaluate_board(0, sample.board) / Score::PER_DISC);
        let [both, neither, first, second] = together;
        assert!(
            (16..=24).contains(&((both + neither - first - second) / 2)),
            "{together:?}"
        );
    }

    #[test]
    fn vectors_belong_to_the_features_of_their_weights() {
        let sample = Sample {
            board: Board::START,
            score: 0.0,
            weight: 1.0,
        };
        let columns = columns(sample.board);
        let rows = rows(&columns);
        let configurations = Packing::get().with_factors();
        assert!(
            rows[..INSTANCES_WITH_FACTORS]
                .iter()
                .all(|&row| row < configurations)
        );
        assert_eq!(
            rows[..INSTANCES_WITH_FACTORS],
            columns[..INSTANCES_WITH_FACTORS]
        );
        let pair = mobility_pair(sample.board);
        assert_eq!(rows[INSTANCES_WITH_FACTORS], configurations + pair);
        assert_eq!(rows[INSTANCES_WITH_FACTORS + 1], packed_rows() - 1);
    }
}
