//! Weights from samples: regularised least squares by conjugate gradients.
//!
//! Each phase is fitted to its own samples and, less strongly, to those of its
//! neighbours, so that rare configurations and changes from phase to phase are
//! smooth. The equations are solved by the method of conjugate gradients for least
//! squares, scaled by the diagonal (Å. Björck, "Numerical Methods for Least
//! Squares Problems", SIAM 1996, chapter 7); it needs no learning rate. A ridge
//! pulls weights towards zero, so that a configuration seen once moves little; and
//! the iteration stops when the error on validation samples has stopped falling.

use std::ops::Range;

use rayon::prelude::*;

use super::Sample;
use crate::eval::patterns::{INSTANCE_LIST, INSTANCES, class_offset};
use crate::eval::{BIASES, Features, PHASES, Packing, ProbCut, Provenance, Weights, phase};
use crate::score::Score;

/// How to fit.
#[derive(Clone, Debug)]
pub struct FitOptions {
    /// Steps of the solver for each phase at most.
    pub iterations: usize,
    /// Steps without a smaller validation error after which a phase is done.
    pub patience: usize,
    /// The pull towards zero, in samples: as if each weight had been seen that often to be 0.
    pub ridge: f32,
    /// How much samples count that are 0, 1, 2, .. phases away.
    pub window: Vec<f32>,
}

impl Default for FitOptions {
    fn default() -> FitOptions {
        FitOptions {
            iterations: 60,
            patience: 3,
            ridge: 12.0,
            window: vec![1.0, 0.5, 0.2],
        }
    }
}

/// How well one phase is fitted: errors in discs.
#[derive(Clone, Copy, Debug, Default)]
pub struct PhaseError {
    /// Samples of the phase itself.
    pub samples: usize,
    /// Steps that the solver took.
    pub iterations: usize,
    /// Root of the mean squared error on the phase's training samples.
    pub train_rmse: f64,
    /// The same on its validation samples; 0 where there are none.
    pub rmse: f64,
    /// Mean absolute error on its validation samples.
    pub mae: f64,
}

/// What a fit gives: the weights, and the errors by phase.
pub struct Fitted {
    /// Rounded to units of 1/128 disc; without provenance.
    pub weights: Weights,
    /// One entry for each phase.
    pub errors: Vec<PhaseError>,
}

/// Fits weights to `train`, watching the error on `validation`; calls `report`
/// with each phase that is done, in any order.
pub fn fit(
    train: &[Sample],
    validation: &[Sample],
    options: &FitOptions,
    report: &(dyn Fn(usize, &PhaseError) + Sync),
) -> Fitted {
    let train = Rows::new(train);
    let validation = Rows::new(validation);
    let phases: Vec<(Vec<f32>, PhaseError)> = (0..PHASES)
        .into_par_iter()
        .map(|phase| {
            let (columns, error) = fit_phase(&train, &validation, phase, options);
            report(phase, &error);
            (columns, error)
        })
        .collect();
    Fitted {
        weights: round(phases.iter().map(|(columns, _)| columns.as_slice())),
        errors: phases.into_iter().map(|(_, error)| error).collect(),
    }
}

/// The columns of all phases as 16-bit weights.
fn round<'a>(phases: impl Iterator<Item = &'a [f32]>) -> Weights {
    let slots = Packing::get().len();
    let unit = |x: f32| (x * Score::PER_DISC as f32).round() as i16; // saturates
    let mut patterns = Vec::with_capacity(PHASES * slots);
    let mut biases = vec![0; BIASES];
    for (number, columns) in phases.enumerate() {
        let (weights, own) = columns.split_at(slots);
        patterns.extend(weights.iter().map(|&x| unit(x)));
        for empties in 0..BIASES {
            if phase(empties as u32) == number {
                biases[empties] = unit(own[empties]);
            }
        }
    }
    Weights {
        provenance: Provenance::default(),
        probcut: ProbCut::default(),
        patterns,
        biases,
    }
}

/// Samples as rows of the system: which columns are 1, and what they should add up to.
struct Rows {
    /// For each instance the number of its weight within its class.
    slots: Vec<[u16; INSTANCES]>,
    empties: Vec<u8>,
    target: Vec<f32>,
    weight: Vec<f32>,
    /// Where each phase's rows are.
    phases: Vec<Range<usize>>,
    /// For each instance the first column of its class.
    bases: [usize; INSTANCES],
}

impl Rows {
    fn new(samples: &[Sample]) -> Rows {
        let slots = Packing::get().slots();
        let mut order: Vec<u32> = (0..samples.len() as u32).collect();
        let phase_of = |&i: &u32| phase(samples[i as usize].board.empty_count());
        order.sort_by_key(phase_of);
        let phases = (0..PHASES)
            .map(|p| {
                order.partition_point(|i| phase_of(i) < p)
                    ..order.partition_point(|i| phase_of(i) <= p)
            })
            .collect();
        let bases = INSTANCE_LIST.map(|instance| slots[class_offset(instance.class)] as usize);
        let row = |&i: &u32| {
            let indices = Features::of(samples[i as usize].board).indices();
            let mut row = [0; INSTANCES];
            for (lane, instance) in INSTANCE_LIST.iter().enumerate() {
                let slot = slots[instance.offset + indices.0[lane] as usize] as usize;
                row[lane] = (slot - bases[lane]) as u16; // a class has at most 3^10 slots
            }
            row
        };
        let sample = |&i: &u32| samples[i as usize];
        Rows {
            slots: order.par_iter().map(row).collect(),
            empties: order
                .iter()
                .map(|i| sample(i).board.empty_count().min(60) as u8)
                .collect(),
            target: order.iter().map(|i| sample(i).score).collect(),
            weight: order.iter().map(|i| sample(i).weight).collect(),
            phases,
            bases,
        }
    }

    fn columns() -> usize {
        Packing::get().len() + BIASES
    }

    /// The columns that are 1 in row `i`.
    #[inline(always)]
    fn columns_of(&self, i: usize) -> impl Iterator<Item = usize> {
        let bias = Packing::get().len() + self.empties[i] as usize;
        let slots = self.slots[i].iter().zip(&self.bases);
        slots
            .map(|(&slot, base)| base + slot as usize)
            .chain([bias])
    }

    /// What `x` adds up to in row `i`.
    #[inline(always)]
    fn product(&self, i: usize, x: &[f32]) -> f32 {
        self.columns_of(i).map(|column| x[column]).sum()
    }

    /// Adds `value` to the columns of row `i`.
    #[inline(always)]
    fn scatter(&self, i: usize, value: f32, into: &mut [f32]) {
        for column in self.columns_of(i) {
            into[column] += value;
        }
    }

    /// Root of the mean squared error and mean absolute error of `x` on the rows of `phase`.
    fn errors(&self, phase: usize, x: &[f32]) -> (f64, f64) {
        let rows = self.phases[phase].clone();
        let (mut square, mut absolute, mut total) = (0.0, 0.0, 0.0);
        for i in rows {
            let weight = f64::from(self.weight[i]);
            let error = f64::from(self.target[i] - self.product(i, x));
            square += weight * error * error;
            absolute += weight * error.abs();
            total += weight;
        }
        if total == 0.0 {
            return (0.0, 0.0);
        }
        ((square / total).sqrt(), absolute / total)
    }
}

/// The rows that one phase is fitted to, with their weights.
struct Window {
    rows: Range<usize>,
    weight: Vec<f32>,
}

impl Window {
    fn new(rows: &Rows, phase: usize, factors: &[f32]) -> Window {
        let reach = factors.len().saturating_sub(1);
        let (first, last) = (phase.saturating_sub(reach), (phase + reach).min(PHASES - 1));
        let mut weight = Vec::new();
        for near in first..=last {
            let factor = factors[near.abs_diff(phase)];
            weight.extend(rows.phases[near].clone().map(|i| factor * rows.weight[i]));
        }
        Window {
            rows: rows.phases[first].start..rows.phases[last].end,
            weight,
        }
    }
}

/// Conjugate gradients on the window of one phase, from zero.
fn fit_phase(
    rows: &Rows,
    validation: &Rows,
    phase: usize,
    options: &FitOptions,
) -> (Vec<f32>, PhaseError) {
    let window = Window::new(rows, phase, &options.window);
    let mut solver = Solver::new(rows, &window, options.ridge);
    let mut best = solver.x.clone();
    let mut error = PhaseError {
        samples: rows.phases[phase].len(),
        rmse: f64::INFINITY,
        ..PhaseError::default()
    };
    let watched = !validation.phases[phase].is_empty();
    for iteration in 1..=options.iterations {
        solver.step(rows, &window);
        let (rmse, mae) = validation.errors(phase, &solver.x);
        if !watched || rmse < error.rmse {
            best.clone_from(&solver.x);
            (error.rmse, error.mae, error.iterations) = (rmse, mae, iteration);
        } else if iteration >= error.iterations + options.patience {
            break;
        }
    }
    error.train_rmse = rows.errors(phase, &best).0;
    (best, error)
}

/// The state of the iteration. The letters are those of the textbook: x the
/// solution, r the residuals, s the gradient, p the direction.
struct Solver {
    x: Vec<f32>,
    residual: Vec<f32>,
    direction: Vec<f32>,
    /// One over the diagonal of the normal equations.
    scale: Vec<f32>,
    ridge: f32,
    /// Squared length of the scaled gradient.
    gamma: f64,
}

impl Solver {
    fn new(rows: &Rows, window: &Window, ridge: f32) -> Solver {
        let mut scale = vec![ridge.max(f32::MIN_POSITIVE); Rows::columns()];
        for (i, &weight) in window.rows.clone().zip(&window.weight) {
            rows.scatter(i, weight, &mut scale);
        }
        scale.iter_mut().for_each(|x| *x = x.recip());
        let mut solver = Solver {
            x: vec![0.0; Rows::columns()],
            residual: rows.target[window.rows.clone()].to_vec(),
            direction: Vec::new(),
            scale,
            ridge,
            gamma: 0.0,
        };
        let gradient = solver.gradient(rows, window);
        solver.direction = product(&gradient, &solver.scale);
        solver.gamma = dot(&gradient, &solver.direction);
        solver
    }

    /// Half the negative gradient of the squared error with its ridge.
    fn gradient(&self, rows: &Rows, window: &Window) -> Vec<f32> {
        let mut gradient: Vec<f32> = self.x.iter().map(|x| -self.ridge * x).collect();
        let weighted = window.weight.iter().zip(&self.residual);
        for (i, (weight, residual)) in window.rows.clone().zip(weighted) {
            rows.scatter(i, weight * residual, &mut gradient);
        }
        gradient
    }

    /// One step of the iteration; none where the gradient has vanished.
    fn step(&mut self, rows: &Rows, window: &Window) {
        let image: Vec<f32> = window
            .rows
            .clone()
            .map(|i| rows.product(i, &self.direction))
            .collect();
        let weighted = image.iter().zip(&window.weight);
        let curvature = weighted
            .map(|(q, weight)| f64::from(*weight) * f64::from(*q) * f64::from(*q))
            .sum::<f64>()
            + f64::from(self.ridge) * dot(&self.direction, &self.direction);
        if curvature <= 0.0 {
            return;
        }
        let alpha = (self.gamma / curvature) as f32;
        add(&mut self.x, alpha, &self.direction);
        add(&mut self.residual, -alpha, &image);

        let gradient = self.gradient(rows, window);
        let scaled = product(&gradient, &self.scale);
        let gamma = dot(&gradient, &scaled);
        let beta = (gamma / self.gamma) as f32;
        self.gamma = gamma;
        for (p, z) in self.direction.iter_mut().zip(&scaled) {
            *p = z + beta * *p;
        }
    }
}

fn product(a: &[f32], b: &[f32]) -> Vec<f32> {
    a.iter().zip(b).map(|(a, b)| a * b).collect()
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(a, b)| f64::from(a * b)).sum()
}

fn add(to: &mut [f32], factor: f32, from: &[f32]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to += factor * from;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;
    use crate::rules::Board;

    /// Positions of random games, scored by a rule that patterns can learn: three
    /// discs for each corner more than the opponent's, and one for having the move.
    fn samples(seed: u64, games: usize) -> Vec<Sample> {
        const CORNERS: u64 = 0x8100_0000_0000_0081;
        let corners = |discs: u64| (discs & CORNERS).count_ones() as f32;
        let mut random = SplitMix64::new(seed);
        let mut samples = Vec::new();
        for _ in 0..games {
            let mut board = Board::START;
            while !board.is_over() {
                let mut moves = board.legal_moves();
                let chosen = random.below(u64::from(moves.count().max(1))) as usize;
                board = moves.nth(chosen).map_or(board.pass(), |sq| board.play(sq));
                samples.push(Sample {
                    board,
                    score: 1.0 + 3.0 * (corners(board.player) - corners(board.opponent)),
                    weight: 1.0,
                });
            }
        }
        samples
    }

    fn mean_absolute_error(weights: &Weights, samples: &[Sample]) -> f32 {
        let evaluator = crate::eval::Evaluator::new(weights);
        let error = |s: &Sample| (evaluator.evaluate(s.board).to_f64() as f32 - s.score).abs();
        samples.iter().map(error).sum::<f32>() / samples.len() as f32
    }

    #[test]
    fn a_fit_finds_the_rule_behind_the_scores() {
        let (train, validation) = (samples(1, 250), samples(2, 40));
        let options = FitOptions {
            ridge: 1.0,
            ..FitOptions::default()
        };
        let fitted = fit(&train, &validation, &options, &|_, _| ());
        let before = mean_absolute_error(&Weights::zero(), &validation);
        let after = mean_absolute_error(&fitted.weights, &validation);
        assert!(after < before / 2.0, "{before} to {after}");
        let phases = fitted.errors.iter().map(|error| error.samples);
        assert_eq!(phases.sum::<usize>(), train.len());
    }

    #[test]
    fn without_samples_all_weights_are_zero() {
        let fitted = fit(&[], &[], &FitOptions::default(), &|_, _| ());
        assert!(fitted.weights == Weights::zero());
    }
}
