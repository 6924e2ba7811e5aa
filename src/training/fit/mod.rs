//! Weights from samples.
//!
//! First the vectors of the factors are fitted, stage by stage (`stages`); then, by regularised
//! least squares, the weights of each phase, to the scores minus the values of the vectors.
//!
//! Each phase is fitted to its own samples and, less strongly, to those of its
//! neighbours, so that rare configurations and changes from phase to phase are
//! smooth. The equations are solved by the method of conjugate gradients for least
//! squares, scaled by the diagonal (Å. Björck, "Numerical Methods for Least
//! Squares Problems", SIAM 1996, chapter 7); it needs no learning rate. A ridge
//! pulls weights towards zero, so that a configuration seen once moves little; and
//! the iteration stops when the error on validation samples has stopped falling.

use std::ops::RangeInclusive;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::Sample;
use super::sample::{SampleFileError, SampleSource};
use crate::eval::factors::{Factors, Row, STAGES};
use crate::eval::{BIASES, PHASES, Packing, ProbCut, Provenance, Weights, phase};
use crate::score::Score;

pub mod checkpoint;
mod gradients;
mod rows;
mod stages;

pub use checkpoint::{Checkpoint, CheckpointError};
pub use stages::StageFit;

use gradients::ConjugateGradients;
use rows::Rows;

/// Units of 1/128 disc between two values of a weight.
const STEP: f32 = 4.0;

/// The options of a fit.
#[derive(Clone, Debug, Serialize)]
pub struct FitOptions {
    /// Most steps of the conjugate gradients for each phase.
    pub iterations: usize,
    /// Steps without a smaller validation error after which a phase is done.
    pub patience: usize,
    /// The ridge, in samples: as if so many samples had shown that each weight is 0.
    pub ridge: f32,
    /// The weights of samples that are 0, 1, 2, .. phases away.
    pub window: Vec<f32>,
    /// How often each sample is used, on average, while vectors are fitted; 0 fits no vectors.
    pub passes: usize,
    /// Phases before and after a stage that its vectors are fitted to as well.
    pub reach: usize,
}

impl Default for FitOptions {
    fn default() -> FitOptions {
        FitOptions {
            iterations: 25,
            patience: 2,
            ridge: 8.0,
            window: vec![1.0, 0.7, 0.4, 0.1],
            passes: 4,
            reach: 3,
        }
    }
}

/// The errors of one phase, in discs.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct PhaseError {
    /// Samples of the phase itself.
    pub samples: usize,
    /// Steps taken.
    pub iterations: usize,
    /// Root of the mean squared error on the phase's training samples.
    pub train_rmse: f64,
    /// The same on its validation samples; 0 where there are none.
    pub rmse: f64,
    /// Mean absolute error on its validation samples.
    pub mae: f64,
}

/// The result of a fit: the weights, and the errors by phase.
pub struct Fitted {
    /// Rounded to multiples of 1/32 disc; without provenance.
    pub weights: Weights,
    /// One entry for each phase.
    pub errors: Vec<PhaseError>,
}

/// The weights of one phase in discs, those of its biases last, and their errors.
#[derive(Clone, PartialEq, Debug)]
pub struct PhaseFit {
    /// Which phase.
    pub phase: usize,
    /// Its weights.
    pub columns: Vec<f32>,
    /// Their errors.
    pub error: PhaseError,
}

/// A part of a fit.
#[derive(Clone, PartialEq, Debug)]
pub enum Part {
    /// The vectors of a stage.
    Stage(StageFit),
    /// The weights of a phase.
    Phase(PhaseFit),
}

/// Fits weights to `train`, until the error on `validation` stops falling; parts in `done` are not
/// fitted again. Calls `report` with each finished part, the stages first, otherwise in any order; an
/// error from it ends the fit. Only the samples near the stages or phases that are being fitted,
/// one for each thread, are in memory.
///
/// # Errors
/// If samples cannot be read, or that of `report`.
pub fn fit<E: From<SampleFileError> + Send>(
    train: &dyn SampleSource,
    validation: &dyn SampleSource,
    options: &FitOptions,
    done: Vec<Part>,
    report: &(dyn Fn(&Part) -> Result<(), E> + Sync),
) -> Result<Fitted, E> {
    let (mut stages, mut phases) = (Vec::new(), Vec::new());
    for part in done {
        match part {
            Part::Stage(fit) => stages.push(fit),
            Part::Phase(fit) => phases.push(fit),
        }
    }
    let stages = complete(
        stages,
        STAGES,
        |fit: &StageFit| fit.stage,
        |stage| -> Result<_, E> {
            let fit = stages::fit_stage(train, stage, options)?;
            report(&Part::Stage(fit.clone()))?;
            Ok(fit)
        },
    )?;
    let rows: Vec<Row> = stages.into_iter().flat_map(|fit| fit.rows).collect();
    let factors = Factors::new(&rows);
    let phases = complete(
        phases,
        PHASES,
        |fit: &PhaseFit| fit.phase,
        |phase| -> Result<_, E> {
            let fit = fit_phase(train, validation, &factors, phase, options)?;
            report(&Part::Phase(fit.clone()))?;
            Ok(fit)
        },
    )?;
    Ok(Fitted {
        weights: round(phases.iter().map(|fit| fit.columns.as_slice()), rows),
        errors: phases.into_iter().map(|fit| fit.error).collect(),
    })
}

/// The parts of the numbers below `all`, in order: those `done`, and the results of `fit` for the
/// others, one at a time for each thread.
fn complete<T: Send, E: Send>(
    mut done: Vec<T>,
    all: usize,
    number: impl Fn(&T) -> usize,
    fit: impl Fn(usize) -> Result<T, E> + Sync + Send,
) -> Result<Vec<T>, E> {
    let missing = (0..all).filter(|&wanted| done.iter().all(|part| number(part) != wanted));
    let missing: Vec<usize> = missing.collect();
    let fitted: Result<Vec<T>, E> = missing.into_par_iter().with_max_len(1).map(fit).collect();
    done.append(&mut fitted?);
    done.sort_by_key(number);
    Ok(done)
}

/// `discs` as a weight: rounded to [`STEP`] units of 1/128 disc. Finer steps would be lost in the
/// noise of the fit, and make the file longer.
fn unit(discs: f32) -> i16 {
    let steps = discs * Score::PER_DISC as f32 / STEP;
    (STEP * steps.round_ties_even()) as i16 // saturates
}

/// The columns of all phases as 16-bit weights, with the vectors of all stages.
fn round<'a>(phases: impl Iterator<Item = &'a [f32]>, factors: Vec<Row>) -> Weights {
    let slots = Packing::get().len();
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
        factors,
    }
}

/// Conjugate gradients on the window of one phase, starting from zero.
fn fit_phase(
    train: &dyn SampleSource,
    validation: &dyn SampleSource,
    factors: &Factors,
    phase: usize,
    options: &FitOptions,
) -> Result<PhaseFit, SampleFileError> {
    let samples = train.read(window(phase, options))?;
    let rows = Rows::new(&samples, phase, &options.window, factors);
    drop(samples);
    let validation = Rows::new(&validation.read(phase..=phase)?, phase, &[1.0], factors);
    let mut state = ConjugateGradients::new(&rows, options.ridge);
    let mut columns = state.x.clone();
    let mut error = PhaseError {
        samples: train.count(phase),
        rmse: f64::INFINITY,
        ..PhaseError::default()
    };
    let watched = validation.len() > 0;
    for iteration in 1..=options.iterations {
        state.step(&rows);
        let (rmse, mae) = validation.errors(phase, &state.x);
        if !watched || rmse < error.rmse {
            columns.clone_from(&state.x);
            (error.rmse, error.mae, error.iterations) = (rmse, mae, iteration);
        } else if iteration >= error.iterations + options.patience {
            break;
        }
    }
    error.train_rmse = rows.errors(phase, &columns).0;
    Ok(PhaseFit {
        phase,
        columns,
        error,
    })
}

/// The phases whose samples count for `phase`.
fn window(phase: usize, options: &FitOptions) -> RangeInclusive<usize> {
    let reach = options.window.len().saturating_sub(1);
    around(phase, phase, reach)
}

/// The phases `first` to `last`, and `reach` more on either side.
fn around(first: usize, last: usize, reach: usize) -> RangeInclusive<usize> {
    first.saturating_sub(reach)..=last.saturating_add(reach).min(PHASES - 1)
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

    fn fit_all(train: &[Sample], validation: &[Sample], options: &FitOptions) -> Fitted {
        let report = &|_: &Part| Ok::<(), SampleFileError>(());
        fit(&train, &validation, options, Vec::new(), report).expect("samples in memory")
    }

    #[test]
    fn phases_that_are_done_are_not_fitted_again() {
        let done = PhaseFit {
            phase: 3,
            columns: vec![1.0; Rows::columns()],
            error: PhaseError::default(),
        };
        let seen = std::sync::Mutex::new(Vec::new());
        let report = &|part: &Part| {
            if let Part::Phase(fit) = part {
                seen.lock().expect("no panic").push(fit.phase);
            }
            Ok::<(), SampleFileError>(())
        };
        let nothing: &[Sample] = &[];
        let fitted = fit(
            &nothing,
            &nothing,
            &FitOptions::default(),
            vec![Part::Phase(done)],
            report,
        );
        let slots = Packing::get().len();
        let weights = fitted.expect("samples in memory").weights.patterns;
        assert!(weights[3 * slots..4 * slots].iter().all(|&x| x == 128));
        assert!(weights[4 * slots..].iter().all(|&x| x == 0));
        let mut seen = seen.into_inner().expect("no panic");
        seen.sort_unstable();
        assert_eq!(seen, (0..PHASES).filter(|&p| p != 3).collect::<Vec<_>>());
    }

    #[test]
    fn a_fit_finds_the_rule_behind_the_scores() {
        let (train, validation) = (samples(1, 250), samples(2, 40));
        let options = FitOptions {
            ridge: 1.0,
            ..FitOptions::default()
        };
        let fitted = fit_all(&train, &validation, &options);
        let before = mean_absolute_error(&Weights::zero(), &validation);
        let after = mean_absolute_error(&fitted.weights, &validation);
        assert!(after < before / 2.0, "{before} to {after}");
        let phases = fitted.errors.iter().map(|error| error.samples);
        assert_eq!(phases.sum::<usize>(), train.len());
    }

    #[test]
    fn without_samples_all_weights_are_zero() {
        let fitted = fit_all(&[], &[], &FitOptions::default());
        assert!(fitted.weights == Weights::zero());
    }
}
