//! The model: from a board and a rating to probabilities.

use std::path::Path;
use std::sync::Arc;

use super::Rating;
use super::candidates::{Candidate, FACTS, LOSSES, candidates, of_loss};
use super::file::{self, ModelError, ModelProvenance};
use super::openings::Openings;
use super::stages::{StageWeights, dot, softmax, stage};
use crate::container::read_file;
use crate::embedded::MODEL;
use crate::eval::Evaluator;
use crate::rules::{Board, Square};
use crate::score::Score;

/// The numbers of a row: a weight, and how it changes with the rating, in units of [`ROW_UNIT`].
pub type Row = [i8; 2];

/// The unit of rows.
pub const ROW_UNIT: f32 = 1.0 / 64.0;

/// Features of a move that a search has valued: the logarithm of its probability without the search, and what it loses.
pub const SEARCHED: usize = 1 + LOSSES;

/// What people of any strength play.
///
/// ```
/// use emilia::eval::Evaluator;
/// use emilia::human::{Model, Rating};
/// use emilia::rules::Board;
///
/// let model = Model::embedded(Evaluator::embedded());
/// let shares = model.probabilities(Board::START, Rating::new(1500.0), None);
/// assert_eq!(shares.len(), 4);
/// let sum: f32 = shares.iter().map(|share| share.probability).sum();
/// assert!((sum - 1.0).abs() < 1e-5);
/// ```
pub struct Model {
    #[doc(hidden)]
    pub numbers: Numbers,
    evaluator: Arc<Evaluator>,
}

/// What a model has fitted.
#[derive(Clone, PartialEq, Debug)]
pub struct Numbers {
    pub provenance: ModelProvenance,
    /// By configuration, then by mobility pair.
    pub rows: Vec<Row>,
    pub facts: StageWeights<FACTS>,
    pub searched: StageWeights<SEARCHED>,
    pub openings: Openings,
}

/// A legal move, and how likely it is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MoveShare {
    /// The move.
    pub square: Square,
    /// Its probability, 0 to 1.
    pub probability: f32,
}

impl MoveShare {
    /// The probability of the move to `square`; `None` if it is not among `shares`.
    pub fn of(square: Square, shares: &[MoveShare]) -> Option<f32> {
        let found = shares.iter().find(|share| share.square == square);
        found.map(|share| share.probability)
    }
}

impl Model {
    /// The model inside the binary.
    pub fn embedded(evaluator: Arc<Evaluator>) -> Model {
        let model = Model::from_bytes(MODEL.bytes(), evaluator);
        model.expect("the embedded model is good; a test reads it")
    }

    /// The model of the file at `path`.
    ///
    /// # Errors
    /// If it cannot be read, or is no model that fits this build.
    pub fn load(path: &Path, evaluator: Arc<Evaluator>) -> Result<Model, ModelError> {
        Model::from_bytes(&read_file(path, file::MAX_FILE)?, evaluator)
    }

    /// The model of a file's bytes.
    ///
    /// # Errors
    /// If they are no model that fits this build.
    pub fn from_bytes(bytes: &[u8], evaluator: Arc<Evaluator>) -> Result<Model, ModelError> {
        Ok(Model::new(Numbers::from_bytes(bytes)?, evaluator))
    }

    #[doc(hidden)]
    pub const fn new(numbers: Numbers, evaluator: Arc<Evaluator>) -> Model {
        Model { numbers, evaluator }
    }

    /// Where it comes from.
    pub const fn provenance(&self) -> &ModelProvenance {
        &self.numbers.provenance
    }

    /// The evaluation by which it sees what moves lose.
    pub const fn evaluator(&self) -> &Arc<Evaluator> {
        &self.evaluator
    }

    /// How likely a player of this `rating` is to choose each legal move of `board`, in the order of their squares; none
    /// where there is none. Takes a few microseconds.
    ///
    /// `searched` has the scores of moves by a search, for the side to move, which make the answer better: a search of 8 plies is what the model
    /// is fitted to. A legal move that is not among them counts as the worst of them.
    pub fn probabilities(
        &self,
        board: Board,
        rating: Rating,
        searched: Option<&[(Square, Score)]>,
    ) -> Vec<MoveShare> {
        let candidates = candidates(board, &self.evaluator);
        let mut shares = self.unsearched(board, rating, &candidates);
        let losses = searched.and_then(|searched| losses(&candidates, searched));
        if let Some(losses) = losses {
            let weights = self.numbers.searched.at(stage(board.empty_count()), rating);
            for (share, loss) in shares.iter_mut().zip(losses) {
                *share = dot(&weights, &searched_features(*share, loss));
            }
            softmax(&mut shares);
        }
        let squares = candidates.iter().map(|candidate| candidate.square);
        squares
            .zip(shares)
            .map(|(square, probability)| MoveShare {
                square,
                probability,
            })
            .collect()
    }

    /// The probabilities without a search.
    #[doc(hidden)]
    pub fn unsearched(&self, board: Board, rating: Rating, candidates: &[Candidate]) -> Vec<f32> {
        let weights = self.numbers.facts.at(stage(board.empty_count()), rating);
        let score = |candidate: &Candidate| {
            let [mut level, mut slope] = [0; 2];
            for &row in &candidate.rows {
                let [a, b] = self.numbers.rows[row as usize];
                level += i32::from(a);
                slope += i32::from(b);
            }
            let rows = rating.factor().mul_add(slope as f32, level as f32) * ROW_UNIT;
            rows + dot(&weights, &candidate.facts)
        };
        let mut shares: Vec<f32> = candidates.iter().map(score).collect();
        softmax(&mut shares);
        let squares = candidates.iter().map(|candidate| candidate.square);
        self.numbers.openings.mix(board, squares, &mut shares);
        shares
    }
}

/// The features of a move of which a search says what it loses, in discs.
pub fn searched_features(share: f32, loss: f32) -> [f32; SEARCHED] {
    /// The smallest probability that is told from 0.
    const LEAST: f32 = 1e-7;
    let [a, b, c, d] = of_loss(loss);
    [share.max(LEAST).ln(), a, b, c, d]
}

/// What each move loses against the best one, in discs; `None` if no legal move has a score.
fn losses(
    candidates: &[Candidate],
    searched: &[(Square, Score)],
) -> Option<impl Iterator<Item = f32>> {
    let score = |square: Square| {
        let found = searched.iter().find(|&&(other, _)| other == square);
        found.map(|&(_, score)| score.to_f64() as f32)
    };
    let scores: Vec<Option<f32>> = candidates.iter().map(|c| score(c.square)).collect();
    let best = scores.iter().copied().flatten().reduce(f32::max)?;
    let worst = scores.iter().copied().flatten().reduce(f32::min)?;
    Some(
        scores
            .into_iter()
            .map(move |score| best - score.unwrap_or(worst)),
    )
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::eval::patterns::{CONFIGURATIONS, MOBILITY_PAIRS};
    use crate::human::file::{all_rows, distinct_rows};
    use crate::human::stages::STAGES;
    use crate::rules::Symmetry;
    use proptest::prelude::*;

    /// Numbers that are different from 0 nearly everywhere, so that a wrong lookup is noticed.
    pub(crate) fn busy() -> Numbers {
        let number = |at: usize| (at as u32).wrapping_mul(2_654_435_761).to_le_bytes()[3] as i8 / 4;
        let rows: Vec<Row> = (0..distinct_rows())
            .map(|row| [number(2 * row), number(2 * row + 1)])
            .collect();
        let mut facts = StageWeights::new([0.0; FACTS]);
        for (at, weight) in facts
            .0
            .as_flattened_mut()
            .as_flattened_mut()
            .iter_mut()
            .enumerate()
        {
            *weight = f32::from(number(at)) / 64.0;
        }
        let mut searched = StageWeights::new([1.0, -1.0, 0.5, 0.25, 0.1]);
        searched.0[STAGES - 1][1] = [0.1; SEARCHED];
        Numbers {
            provenance: ModelProvenance {
                data: "numbers".to_owned(),
                ..ModelProvenance::default()
            },
            rows: all_rows(&rows),
            facts,
            searched,
            openings: Openings::default(),
        }
    }

    fn model() -> Model {
        Model::new(busy(), Evaluator::embedded())
    }

    fn square(index: u32) -> Square {
        Square::wrapping(index)
    }

    #[test]
    fn each_legal_move_has_a_share() {
        let board = Board::START.play(square(37)); // f5
        let shares = model().probabilities(board, Rating::new(1200.0), None);
        assert!(
            shares
                .iter()
                .map(|share| share.square)
                .eq(board.legal_moves())
        );
        let sum: f32 = shares.iter().map(|share| share.probability).sum();
        assert!((sum - 1.0).abs() < 1e-5);
        let others = model().probabilities(board, Rating::new(1800.0), None);
        assert_ne!(shares, others);
        let nothing = Board::new(1, 0).expect("disjoint");
        assert!(model().probabilities(nothing, Rating::MAX, None).is_empty());
        assert_eq!(model().numbers.rows.len(), CONFIGURATIONS + MOBILITY_PAIRS);
    }

    #[test]
    fn a_move_that_a_search_prefers_is_likelier_and_one_without_a_score_is_among_the_worst() {
        let board = Board::START.play(square(37));
        let rating = Rating::new(1500.0);
        let of = |searched: &[(usize, i32)]| {
            let squares: Vec<Square> = board.legal_moves().collect();
            let searched = searched.iter();
            let searched = searched.map(|&(at, discs)| (squares[at], Score::from_discs(discs)));
            let searched: Vec<(Square, Score)> = searched.collect();
            let shares = model().probabilities(board, rating, Some(&searched));
            shares
                .iter()
                .map(|share| share.probability)
                .collect::<Vec<f32>>()
        };
        let plain = model().probabilities(board, rating, None);
        let plain: Vec<f32> = plain.iter().map(|share| share.probability).collect();
        assert!(of(&[(0, 4), (1, -6), (2, -6)])[0] > plain[0]);
        assert_eq!(of(&[(0, 4), (1, -6), (2, -6)]), of(&[(0, 4), (2, -6)]));
        assert_eq!(of(&[]), plain);
    }

    #[test]
    fn the_embedded_model_knows_openings_and_ratings() {
        let model = Model::embedded(Evaluator::embedded());
        let board = Board::START.play(square(37)); // f5
        let share = |elo| {
            let shares = model.probabilities(board, Rating::new(elo), None);
            // d6, f4, f6: the parallel opening f4 is rare.
            shares
                .iter()
                .map(|share| share.probability)
                .fold(f32::INFINITY, f32::min)
        };
        assert!(share(1600.0) < 0.05, "{}", share(1600.0));
        assert!(model.provenance().games > 50_000);
    }

    proptest! {
        #[test]
        fn symmetric_boards_have_equal_shares(player: u64, opponent: u64, rating in 0_u16..3000) {
            let board = Board { player: player & !opponent, opponent };
            let rating = Rating::new(rating.into());
            let model = model();
            let shares = model.probabilities(board, rating, None);
            for symmetry in Symmetry::all() {
                let images = model.probabilities(board.transform(symmetry), rating, None);
                for share in &shares {
                    let square = symmetry.apply_square(share.square);
                    let image = images.iter().find(|image| image.square == square);
                    let image = image.expect("legal as well").probability;
                    prop_assert!((image - share.probability).abs() < 1e-4);
                }
            }
        }
    }
}
