//! A model from choices, by stochastic gradient descent.
//!
//! Rows and weights of facts are changed together, for one random choice after the other, against the gradient of the negative log-likelihood of the
//! move that was chosen; the step of each number shrinks with its earlier gradients (J. Duchi, E. Hazan and Y. Singer, "Adaptive
//! Subgradient Methods for Online Learning and Stochastic Optimization", JMLR 12, 2011). The openings are counts. What a search says is
//! weighed last, on games that the rest has not seen, so that the rest is believed no more than it deserves.

use std::array;
use std::sync::Arc;

use rayon::prelude::*;

use super::choices::{Choice, is_symmetric};
use super::measure::{SearchedChoice, search_all};
use emilia::eval::Evaluator;
use emilia::eval::patterns::{CONFIGURATIONS, MOBILITY_PAIRS};
use emilia::human::candidates::{Candidate, FACTS, LOOKUPS, candidates};
use emilia::human::file::{all_rows, distinct_row, distinct_rows};
use emilia::human::model::{Model, Numbers, ROW_UNIT, Row, SEARCHED, searched_features};
use emilia::human::openings::{CountedMoves, Openings};
use emilia::human::stages::{StageWeights, dot, softmax, stage};
use emilia::human::{ModelProvenance, Rating};
use emilia::random::SplitMix64;
use emilia::search::{Searchers, TableError};

/// The options of a fit.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FitOptions {
    /// How often each choice is used.
    pub passes: u32,
    /// Plies of the searches.
    pub depth: u32,
    /// The order of the choices.
    pub seed: u64,
}

impl Default for FitOptions {
    fn default() -> FitOptions {
        FitOptions {
            passes: 1,
            depth: 8,
            seed: 1,
        }
    }
}

/// One game of so many is kept back from rows, facts and openings, for what a search says.
const KEPT_BACK: u32 = 200;

/// Steps of rows, and of the weights of stages: both times gradient over root of the squared gradients.
const ROW_RATE: f32 = 0.05;
const WEIGHT_RATE: f32 = 0.02;
const SEARCHED_RATE: f32 = 0.1;

/// The share of the first step that is left at the end.
const LAST_RATE: f32 = 0.05;

/// Squared gradients that the numbers of a row start with.
const ROW_HEAD_START: f32 = 1e-6;

/// Squared gradients that the weights of stages start with.
const WEIGHT_HEAD_START: f32 = 1e-3;

/// How often each choice with search values is used.
const SEARCHED_PASSES: u32 = 8;

/// Plies of the openings, and how often a position of theirs must have been played.
const OPENING_PLIES: u32 = 24;
const FEWEST_IN_OPENINGS: u32 = 5;

/// Calls of `done` by a [`fit`], about.
pub fn steps(choices: &[Choice], options: &FitOptions) -> u64 {
    choices.len() as u64 * u64::from(options.passes)
}

/// Fits a model to choices. `done` is called after each step of the descent and after each search.
///
/// The same choices and options always give the same model.
///
/// # Errors
/// If the memory for the searches cannot be allocated.
pub fn fit(
    choices: &[Choice],
    evaluator: &Arc<Evaluator>,
    options: &FitOptions,
    done: &(dyn Fn() + Sync),
) -> Result<Model, TableError> {
    let is_kept_back = |choice: &&Choice| choice.game % KEPT_BACK == KEPT_BACK - 1;
    let (kept_back, used): (Vec<&Choice>, Vec<&Choice>) = choices.iter().partition(is_kept_back);
    let mut counted = CountedMoves::default();
    for choice in &used {
        if 60 - choice.board.empty_count().min(60) < OPENING_PLIES {
            counted.add(choice.board, choice.square);
        }
    }
    // The rows of a symmetric board cannot tell which of the equal moves was chosen.
    let tells = |choice: &&Choice| !is_symmetric(choice.board);
    let used: Vec<&Choice> = used.into_iter().filter(tells).collect();
    let mut machine = Machine::new();
    machine.descend(&used, evaluator, options, done);
    let numbers = Numbers {
        provenance: provenance(choices, evaluator, options),
        rows: all_rows(&machine.rounded()),
        facts: machine.facts.weights,
        searched: StageWeights::new([0.0; SEARCHED]),
        openings: Openings::new(&counted, FEWEST_IN_OPENINGS),
    };
    let mut model = Model::new(numbers, Arc::clone(evaluator));
    let kept_back: Vec<Choice> = kept_back.into_iter().filter(tells).copied().collect();
    let searchers = Searchers::new(Arc::clone(evaluator));
    let searched = search_all(&searchers, &kept_back, options.depth, done)?;
    model.numbers.searched = weigh_searches(&model, &kept_back, &searched, options.seed);
    Ok(model)
}

fn provenance(choices: &[Choice], evaluator: &Evaluator, options: &FitOptions) -> ModelProvenance {
    let mut games: Vec<u32> = choices.iter().map(|choice| choice.game).collect();
    games.dedup();
    ModelProvenance {
        games: games.len() as u64,
        moves: choices.len() as u64,
        depth: options.depth,
        seed: options.seed,
        evaluation: format!("{:016x}", evaluator.fingerprint()),
        ..ModelProvenance::default()
    }
}

/// Weights of stages that are fitted, with the sums of their squared gradients.
struct FittedWeights<const N: usize> {
    weights: StageWeights<N>,
    squares: StageWeights<N>,
}

impl<const N: usize> FittedWeights<N> {
    fn new(same: [f32; N]) -> FittedWeights<N> {
        let mut squares = StageWeights::new([WEIGHT_HEAD_START; N]);
        squares
            .0
            .iter_mut()
            .for_each(|[level, slope]| *slope = *level);
        FittedWeights {
            weights: StageWeights::new(same),
            squares,
        }
    }

    /// Goes against the gradient of a choice: the sum of the features of its moves, each times the error of its probability.
    fn step(&mut self, stage: usize, rating: Rating, gradient: &[f32; N], rate: f32) {
        for (part, factor) in [1.0, rating.factor()].into_iter().enumerate() {
            let weights = &mut self.weights.0[stage][part];
            let squares = &mut self.squares.0[stage][part];
            for k in 0..N {
                let gradient = factor * gradient[k];
                squares[k] += gradient * gradient;
                weights[k] -= rate * gradient / squares[k].sqrt();
            }
        }
    }
}

/// The sum of the features of moves, each times the error of its probability.
fn gradient<'a, const N: usize>(
    errors: &[f32],
    features: impl Iterator<Item = &'a [f32; N]>,
) -> [f32; N] {
    let mut sum = [0.0; N];
    for (error, features) in errors.iter().zip(features) {
        for k in 0..N {
            sum[k] += error * features[k];
        }
    }
    sum
}

/// The part of the first step size that is left after a `share` of all steps.
fn rate_left(share: f32) -> f32 {
    1.0 - (1.0 - LAST_RATE) * share
}

/// A row while it is fitted, with the sums of its squared gradients.
#[derive(Clone, Copy)]
struct FittedRow {
    numbers: [f32; 2],
    squares: [f32; 2],
}

/// Rows and weights of facts while they are fitted.
struct Machine {
    rows: Vec<FittedRow>,
    /// The number of the distinct row of each row.
    distinct: Vec<u32>,
    facts: FittedWeights<FACTS>,
}

impl Machine {
    fn new() -> Machine {
        let row = FittedRow {
            numbers: [0.0; 2],
            squares: [ROW_HEAD_START; 2],
        };
        let all = 0..CONFIGURATIONS + MOBILITY_PAIRS;
        Machine {
            rows: vec![row; distinct_rows()],
            distinct: all.map(|row| distinct_row(row) as u32).collect(),
            facts: FittedWeights::new([0.0; FACTS]),
        }
    }

    /// Steps for the choices in random order.
    fn descend(
        &mut self,
        choices: &[&Choice],
        evaluator: &Evaluator,
        options: &FitOptions,
        done: &(dyn Fn() + Sync),
    ) {
        let mut order: Vec<u32> = (0..choices.len() as u32).collect();
        let mut random = SplitMix64::new(options.seed);
        let steps = choices.len() * options.passes as usize;
        let mut step = 0;
        for _ in 0..options.passes {
            random.shuffle(&mut order);
            for &number in &order {
                let rate = rate_left(step as f32 / steps as f32);
                self.step(choices[number as usize], evaluator, rate);
                step += 1;
                done();
            }
        }
    }

    fn step(&mut self, choice: &Choice, evaluator: &Evaluator, rate: f32) {
        let (board, rating) = (choice.board, choice.rating);
        let mut moves = candidates(board, evaluator);
        for row in moves.iter_mut().flat_map(|candidate| &mut candidate.rows) {
            *row = self.distinct[*row as usize];
        }
        let stage = stage(board.empty_count());
        let weights = self.facts.weights.at(stage, rating);
        let score = |candidate: &Candidate| {
            let [level, slope] = self.sum(&candidate.rows);
            level + rating.factor() * slope + dot(&weights, &candidate.facts)
        };
        let mut errors: Vec<f32> = moves.iter().map(score).collect();
        softmax(&mut errors);
        for (error, candidate) in errors.iter_mut().zip(&moves) {
            *error -= f32::from(u8::from(candidate.square == choice.square));
        }
        let facts = gradient(&errors, moves.iter().map(|candidate| &candidate.facts));
        self.facts.step(stage, rating, &facts, WEIGHT_RATE * rate);
        for lookup in 0..LOOKUPS {
            self.step_rows(&moves, &errors, lookup, [rate, rating.factor()]);
        }
    }

    fn sum(&self, rows: &[u32; LOOKUPS]) -> [f32; 2] {
        let mut sum = [0.0; 2];
        for &row in rows {
            let numbers = self.rows[row as usize].numbers;
            sum = array::from_fn(|k| sum[k] + numbers[k]);
        }
        sum
    }

    /// Steps of the rows that moves have in one of their lookups: most moves leave a pattern as it is, and have the same row.
    fn step_rows(
        &mut self,
        moves: &[Candidate],
        errors: &[f32],
        lookup: usize,
        [rate, factor]: [f32; 2],
    ) {
        let row_of = |candidate: &Candidate| candidate.rows[lookup];
        let mut done = 0_u64;
        for (at, candidate) in moves.iter().enumerate() {
            if done >> at & 1 == 1 {
                continue;
            }
            let row = row_of(candidate);
            let mut sum = 0.0;
            for (other, error) in errors.iter().enumerate().skip(at) {
                if row_of(&moves[other]) == row {
                    done |= 1 << other;
                    sum += error;
                }
            }
            let row = &mut self.rows[row as usize];
            for (k, gradient) in [sum, sum * factor].into_iter().enumerate() {
                row.squares[k] += gradient * gradient;
                row.numbers[k] -= ROW_RATE * rate * gradient / row.squares[k].sqrt();
            }
        }
    }

    /// The distinct rows in their units.
    fn rounded(&self) -> Vec<Row> {
        let round = |row: &FittedRow| row.numbers.map(|number| (number / ROW_UNIT).round() as i8);
        self.rows.iter().map(round).collect()
    }
}

/// The weights of what a search says, fitted to choices with search values.
fn weigh_searches(
    model: &Model,
    choices: &[Choice],
    searched: &[SearchedChoice],
    seed: u64,
) -> StageWeights<SEARCHED> {
    let features = |(choice, searched): (&Choice, &SearchedChoice)| {
        let candidates = candidates(choice.board, model.evaluator());
        let shares = model.unsearched(choice.board, choice.rating, &candidates);
        let losses = searched.losses.iter();
        let features = shares.into_iter().zip(losses);
        let features = features.map(|(share, &loss)| searched_features(share, loss));
        features.collect::<Vec<[f32; SEARCHED]>>()
    };
    let features: Vec<Vec<[f32; SEARCHED]>> =
        choices.par_iter().zip(searched).map(features).collect();
    // At first the search does not count.
    let mut fitted = FittedWeights::new(array::from_fn(|k| f32::from(u8::from(k == 0))));
    let mut order: Vec<usize> = (0..choices.len()).collect();
    let mut random = SplitMix64::new(seed);
    for pass in 0..SEARCHED_PASSES {
        random.shuffle(&mut order);
        let rate = SEARCHED_RATE * rate_left(pass as f32 / SEARCHED_PASSES as f32);
        for &number in &order {
            let (choice, features) = (&choices[number], &features[number]);
            let stage = stage(choice.board.empty_count());
            let weights = fitted.weights.at(stage, choice.rating);
            let mut errors: Vec<f32> = features.iter().map(|f| dot(&weights, f)).collect();
            softmax(&mut errors);
            for (error, square) in errors.iter_mut().zip(choice.board.legal_moves()) {
                *error -= f32::from(u8::from(square == choice.square));
            }
            let gradient = gradient(&errors, features.iter());
            fitted.step(stage, choice.rating, &gradient, rate);
        }
    }
    fitted.weights
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::people::measure::{Prediction, Tally};
    use emilia::rules::Board;

    /// So that one of the games is kept back.
    const FIRST_GAME: u32 = KEPT_BACK - 10;

    /// Moves of random games, of which those are chosen that turn the most discs, by weak players, or the fewest, by strong ones.
    fn choices(seed: u64, games: u32) -> Vec<Choice> {
        let mut random = SplitMix64::new(seed);
        let mut choices = Vec::new();
        for game in FIRST_GAME..FIRST_GAME + games {
            let mut board = Board::START;
            let is_strong = game % 2 == 0;
            while !board.is_over() {
                let flips = |square: &_| {
                    let flips = board.flips(*square).count() as i32;
                    if is_strong { -flips } else { flips }
                };
                if let Some(square) = board.legal_moves().max_by_key(flips) {
                    choices.push(Choice {
                        board,
                        square,
                        rating: Rating::new(if is_strong { 1700.0 } else { 1100.0 }),
                        game,
                    });
                }
                let next = random.choose(board.legal_moves());
                board = next.map_or(board.pass(), |square| board.play(square));
            }
        }
        choices
    }

    #[test]
    fn a_fit_finds_what_weak_and_strong_players_prefer() {
        let evaluator = Evaluator::embedded();
        let options = FitOptions {
            passes: 1,
            depth: 1,
            seed: 1,
        };
        let fit = |choices: &[Choice]| {
            fit(choices, &evaluator, &options, &|| ()).expect("memory for searches")
        };
        let train = choices(1, 60);
        let model = fit(&train);
        assert!(model.numbers == fit(&train).numbers, "always the same");
        assert_eq!(model.provenance().games, 60);
        let mut tallies = [Tally::default(), Tally::default()];
        for choice in choices(2, 20) {
            let shares = model.probabilities(choice.board, choice.rating, None);
            let shares: Vec<f32> = shares.iter().map(|share| share.probability).collect();
            let even = vec![1.0; shares.len()];
            for (tally, shares) in tallies.iter_mut().zip([shares, even]) {
                tally.add(&choice, &Prediction::new(&choice, shares));
            }
        }
        let hits = tallies.map(|tally| tally.figures().next().expect("all").top1.0);
        assert!(hits[0] > 1.5 * hits[1], "{hits:?}");
    }

    #[test]
    fn no_choices_give_a_model_of_equal_moves() {
        let options = FitOptions::default();
        let fitted = fit(&[], &Evaluator::embedded(), &options, &|| ());
        let model = fitted.expect("memory for searches");
        let shares = model.probabilities(Board::START, Rating::MAX, None);
        assert!(shares.iter().all(|share| share.probability == 0.25));
    }
}
