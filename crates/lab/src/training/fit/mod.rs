//! Weights from samples: the rows of each stage, fitted one by one (`stages`).
//!
//! The rows of a stage are fitted to the samples of the phases before and after it as well, so that rare
//! configurations and changes from stage to stage are smooth.

use std::sync::Arc;

use rayon::prelude::*;
use serde::{Deserialize, Serialize, Serializer};

use super::sample::{SampleFileError, SampleSource};
use emilia::checksum::checksum;
use emilia::eval::rows::{Row, STAGES};
use emilia::eval::{Model, Weights};

pub mod checkpoint;
mod parts;
mod stages;

pub use checkpoint::{Checkpoint, CheckpointError};

/// The options of a fit.
#[derive(Clone, Debug, Serialize)]
pub struct FitOptions {
    /// How often each sample is used, on average.
    pub passes: usize,
    /// Continue from the rows of all stages, in smaller steps.
    #[serde(serialize_with = "as_checksum")]
    pub from: Option<Arc<[Row]>>,
}

/// Rows stand in a checkpoint by their checksum.
fn as_checksum<S: Serializer>(rows: &Option<Arc<[Row]>>, to: S) -> Result<S::Ok, S::Error> {
    let sum = |rows: &Arc<[Row]>| checksum(bytemuck::cast_slice(rows));
    rows.as_ref().map(sum).serialize(to)
}

impl Default for FitOptions {
    fn default() -> FitOptions {
        FitOptions {
            passes: 4,
            from: None,
        }
    }
}

/// The errors of one stage, in discs.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct StageError {
    /// Samples of the stage itself.
    pub samples: usize,
    /// Root of the mean squared error on them.
    pub train_rmse: f64,
    /// Root of the mean squared error on the validation samples of the stage; 0 where there are none.
    pub rmse: f64,
    /// Mean absolute error on its validation samples.
    pub mae: f64,
}

/// The rows of one stage.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct StageFit {
    /// Which stage.
    pub stage: usize,
    /// Its distinct rows, which a checkpoint has behind the rest.
    #[serde(skip)]
    pub rows: Vec<Row>,
    /// Their errors.
    pub error: StageError,
}

/// The result of a fit: the weights, and the errors by stage.
pub struct Fitted {
    /// Without provenance.
    pub weights: Weights,
    /// One entry for each stage.
    pub errors: Vec<StageError>,
}

/// Fits weights to `train`, and measures their error on `validation`; stages in `done` are
/// not fitted again. Calls `report` with each finished stage, in any order; an
/// error from it ends the fit. Only the samples near the stages that are being fitted,
/// one for each thread, are in memory.
///
/// # Errors
/// If samples cannot be read, or that of `report`.
pub fn fit<E: From<SampleFileError> + Send>(
    train: &dyn SampleSource,
    validation: &dyn SampleSource,
    options: &FitOptions,
    mut done: Vec<StageFit>,
    report: &(dyn Fn(&StageFit) -> Result<(), E> + Sync),
) -> Result<Fitted, E> {
    let missing = (0..STAGES).filter(|&stage| done.iter().all(|fit| fit.stage != stage));
    let missing: Vec<usize> = missing.collect();
    let fit_one = |stage| {
        let fit = stages::fit_stage(train, validation, stage, options)?;
        report(&fit)?;
        Ok(fit)
    };
    let fitted = missing.into_par_iter().with_max_len(1).map(fit_one);
    done.append(&mut fitted.collect::<Result<Vec<_>, E>>()?);
    done.sort_by_key(|fit| fit.stage);
    Ok(Fitted {
        errors: done.iter().map(|fit| fit.error).collect(),
        weights: Weights {
            model: Model::default(),
            rows: done.into_iter().flat_map(|fit| fit.rows).collect(),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::Sample;
    use emilia::eval::Packing;
    use emilia::eval::rows::LENGTH;
    use emilia::random::SplitMix64;
    use emilia::rules::{Bitboard, Board};

    /// Positions of random games, scored by a rule that patterns can learn: three
    /// discs for each corner more than the opponent's, and one for having the move.
    fn samples(seed: u64, games: usize) -> Vec<Sample> {
        let corners = |discs: u64| (discs & Bitboard::CORNERS.0).count_ones() as f32;
        let mut random = SplitMix64::new(seed);
        let mut samples = Vec::new();
        for _ in 0..games {
            let mut board = Board::START;
            while !board.is_over() {
                let chosen = random.choose(board.legal_moves());
                board = chosen.map_or(board.pass(), |sq| board.play(sq));
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
        let evaluator = emilia::eval::Evaluator::new(weights);
        let error = |s: &Sample| (evaluator.evaluate(s.board).to_f64() as f32 - s.score).abs();
        samples.iter().map(error).sum::<f32>() / samples.len() as f32
    }

    fn fit_all(train: &[Sample], validation: &[Sample], options: &FitOptions) -> Fitted {
        let report = &|_: &StageFit| Ok::<(), SampleFileError>(());
        fit(&train, &validation, options, Vec::new(), report).expect("samples in memory")
    }

    #[test]
    fn stages_that_are_done_are_not_fitted_again() {
        let count = Packing::get().len();
        let done = StageFit {
            stage: 1,
            rows: vec![[1; LENGTH]; count],
            error: StageError::default(),
        };
        let seen = std::sync::Mutex::new(Vec::new());
        let report = &|fit: &StageFit| {
            seen.lock().expect("no panic").push(fit.stage);
            Ok::<(), SampleFileError>(())
        };
        let nothing: &[Sample] = &[];
        let options = FitOptions::default();
        let fitted = fit(&nothing, &nothing, &options, vec![done], report);
        let rows = fitted.expect("samples in memory").weights.rows;
        assert!(rows[count..2 * count].iter().all(|row| *row == [1; LENGTH]));
        assert!(rows[2 * count..].iter().all(|row| *row == [0; LENGTH]));
        let mut seen = seen.into_inner().expect("no panic");
        seen.sort_unstable();
        assert_eq!(seen, (0..STAGES).filter(|&s| s != 1).collect::<Vec<_>>());
    }

    #[test]
    fn a_fit_finds_the_rule_behind_the_scores() {
        let (train, validation) = (samples(1, 250), samples(2, 40));
        let options = FitOptions {
            passes: 20,
            ..FitOptions::default()
        };
        let fitted = fit_all(&train, &validation, &options);
        let before = mean_absolute_error(&Weights::zero(), &validation);
        let after = mean_absolute_error(&fitted.weights, &validation);
        assert!(after < before / 2.0, "{before} to {after}");
        let stages = fitted.errors.iter().map(|error| error.samples);
        assert_eq!(stages.sum::<usize>(), train.len());
    }

    #[test]
    fn a_fit_that_continues_is_better_at_once() {
        let (train, validation) = (samples(1, 250), samples(2, 40));
        let passes = |passes, from| FitOptions { passes, from };
        let error = |options: &FitOptions| {
            let fitted = fit_all(&train, &validation, options).weights;
            (mean_absolute_error(&fitted, &validation), fitted)
        };
        let (before, from) = error(&passes(10, None));
        let (anew, _) = error(&passes(1, None));
        let options = passes(1, Some(from.rows.into()));
        let (continued, _) = error(&options);
        assert!(
            continued < anew.min(before),
            "{continued} against {anew}, {before}"
        );
        // Without samples the rows stay as they are.
        let rows = fit_all(&[], &[], &options).weights.rows;
        assert!(*rows == **options.from.as_ref().expect("rows"));
    }

    #[test]
    fn without_samples_all_weights_are_zero() {
        let fitted = fit_all(&[], &[], &FitOptions::default());
        assert!(fitted.weights == Weights::zero());
    }
}
