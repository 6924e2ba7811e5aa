//! How many nodes a solve will take, before it is begun.
//!
//! The logarithm of the nodes is fitted by least squares to the solves of this engine
//! ([`fit`]), as a sum over what is known of a board at once: its empties, the mobility of
//! both sides, and the static evaluation's distance from what is asked. The numbers are in
//! `estimate.json`, which names the bench signature of the solver that they were fitted to and their error.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::question::Question;
use crate::eval::Evaluator;
use crate::rules::Board;

/// Terms of the sum.
const TERMS: usize = 7;

/// From so many discs on, the distance of the evaluation says nothing more.
const FAR: f64 = 24.0;

/// Above so many empties each further one costs the same factor.
const KNEE: f64 = 14.0;

/// The largest binary logarithm of nodes that is ever estimated.
const MAX_LOG2_NODES: f64 = 100.0;

/// The fitted numbers.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Model {
    /// The bench signature of the solver whose solves these are.
    pub signature: u64,
    /// For the exact score.
    pub exact: Curve,
    /// For who wins.
    pub wld: Curve,
    /// For a claim.
    pub claim: Curve,
}

/// One kind of question.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Curve {
    /// What each term is multiplied by; the sum is the binary logarithm of the nodes.
    pub factors: [f64; TERMS],
    /// Standard deviation of the binary logarithm of the nodes from the sum.
    pub sigma: f64,
    /// Solves that it was fitted to.
    pub solves: usize,
    /// On every fifth solve, which the fit for this number left out: the estimated nodes of all
    /// together, by those that they took.
    pub held_out: f64,
    /// Most empties of these solves: beyond, the estimate is extrapolated.
    pub most_empties: u32,
}

/// A solve and what it took.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// What was solved.
    pub board: Board,
    /// What was asked.
    pub question: Question,
    /// What it took.
    pub nodes: u64,
}

impl Model {
    /// The numbers inside the binary.
    pub fn embedded() -> &'static Model {
        static MODEL: LazyLock<Model> = LazyLock::new(|| {
            serde_json::from_str(include_str!("estimate.json")).expect("a test reads this file")
        });
        &MODEL
    }

    /// The nodes that a solve takes on average.
    pub fn nodes(&self, evaluator: &Evaluator, board: Board, question: Question) -> f64 {
        let curve = self.curve(question);
        // The mean of numbers whose logarithm is normally distributed.
        let log2 = curve.log2(&terms(evaluator, board, question))
            + curve.sigma * curve.sigma * std::f64::consts::LN_2 / 2.0;
        log2.clamp(0.0, MAX_LOG2_NODES).exp2()
    }

    /// The numbers for a question of this kind.
    pub const fn curve(&self, question: Question) -> &Curve {
        match question {
            Question::Exact => &self.exact,
            Question::Wld => &self.wld,
            Question::AtLeast(_) | Question::AtMost(_) => &self.claim,
        }
    }
}

impl Curve {
    fn log2(&self, terms: &[f64; TERMS]) -> f64 {
        self.factors.iter().zip(terms).map(|(a, b)| a * b).sum()
    }

    /// By what factor one more empty square makes a solve longer, where there are many.
    pub fn growth(&self) -> f64 {
        self.factors[1].exp2()
    }

    /// By what factor a single estimate is usually off, up or down.
    pub fn error(&self) -> f64 {
        self.sigma.exp2()
    }
}

/// What the factors are multiplied with.
fn terms(evaluator: &Evaluator, board: Board, question: Question) -> [f64; TERMS] {
    let empties = f64::from(board.empty_count());
    let mobility = |board: Board| f64::from(1 + board.legal_moves().count()).log2();
    let score = evaluator.evaluate(board).to_f64();
    let asked = match question {
        Question::Exact | Question::Wld => 0.0,
        Question::AtLeast(discs) => f64::from(discs) - 1.0,
        Question::AtMost(discs) => f64::from(discs) + 1.0,
    };
    let distance = (score - asked).abs().min(FAR);
    [
        1.0,
        empties,
        (KNEE - empties).max(0.0),
        mobility(board),
        mobility(board.pass()),
        distance,
        distance * distance,
    ]
}

/// Fits the curve of one kind of question; `None` if there are too few solves.
pub fn fit(evaluator: &Evaluator, samples: &[Sample]) -> Option<Curve> {
    let rows: Vec<([f64; TERMS], f64)> = samples
        .iter()
        .filter(|sample| sample.nodes > 0)
        .map(|sample| {
            let terms = terms(evaluator, sample.board, sample.question);
            (terms, (sample.nodes as f64).log2())
        })
        .collect();
    if rows.len() < 10 * TERMS {
        return None;
    }
    let factors = least_squares(rows.iter())?;
    let sigma = deviation(&factors, rows.iter());
    let is_held = |index: usize| index % 5 == 4;
    let part = |held: bool| {
        let numbered = rows.iter().enumerate();
        numbered.filter_map(move |(index, row)| (is_held(index) == held).then_some(row))
    };
    let partial = least_squares(part(false))?;
    let bias = deviation(&partial, part(false)).powi(2) * std::f64::consts::LN_2 / 2.0;
    let estimated: f64 = part(true)
        .map(|(terms, _)| (dot(&partial, terms) + bias).exp2())
        .sum();
    let taken: f64 = part(true).map(|(_, log2)| log2.exp2()).sum();
    Some(Curve {
        factors,
        sigma,
        solves: rows.len(),
        held_out: estimated / taken,
        most_empties: samples
            .iter()
            .map(|sample| sample.board.empty_count())
            .max()?,
    })
}

fn dot(a: &[f64; TERMS], b: &[f64; TERMS]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

type Row = ([f64; TERMS], f64);

fn deviation<'a>(factors: &[f64; TERMS], rows: impl Iterator<Item = &'a Row>) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for (terms, log2) in rows {
        sum += (log2 - dot(factors, terms)).powi(2);
        count += 1.0;
    }
    (sum / count).sqrt()
}

/// The factors with the least sum of squared errors: the normal equations, by elimination.
fn least_squares<'a>(rows: impl Iterator<Item = &'a Row>) -> Option<[f64; TERMS]> {
    // The last column is the right side. A term that is the same in all rows must not make
    // the equations unsolvable.
    const DAMPING: f64 = 1e-6;
    let mut matrix = [[0.0; TERMS + 1]; TERMS];
    for (terms, log2) in rows {
        for (line, a) in matrix.iter_mut().zip(terms) {
            for (cell, b) in line.iter_mut().zip(terms.iter().chain([log2])) {
                *cell += a * b;
            }
        }
    }
    for (index, line) in matrix.iter_mut().enumerate() {
        line[index] += DAMPING;
    }
    for pivot in 0..TERMS {
        let best = (pivot..TERMS)
            .max_by(|&a, &b| f64::total_cmp(&matrix[a][pivot].abs(), &matrix[b][pivot].abs()))?;
        matrix.swap(pivot, best);
        let row = matrix[pivot];
        if row[pivot].abs() < f64::MIN_POSITIVE {
            return None;
        }
        for (index, line) in matrix.iter_mut().enumerate() {
            if index != pivot {
                let times = line[pivot] / row[pivot];
                for (cell, above) in line.iter_mut().zip(row) {
                    *cell -= times * above;
                }
            }
        }
    }
    Some(std::array::from_fn(|index| {
        matrix[index][TERMS] / matrix[index][index]
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    fn boards(count: usize) -> Vec<Board> {
        let mut random = SplitMix64::new(3);
        let mut boards = Vec::new();
        while boards.len() < count {
            let mut board = Board::START;
            let empties = 8 + random.below(30) as u32;
            while board.empty_count() > empties && !board.legal_moves().is_empty() {
                let moves: Vec<_> = board.legal_moves().collect();
                board = board.play(moves[random.below(moves.len() as u64) as usize]);
            }
            boards.push(board);
        }
        boards
    }

    #[test]
    fn a_known_law_is_found_again() {
        let evaluator = Evaluator::embedded();
        let law = [3.0, 1.2, -0.2, 0.5, 0.25, -0.04, 0.001];
        let sample = |board| {
            let log2 = dot(&law, &terms(&evaluator, board, Question::Wld));
            Sample {
                board,
                question: Question::Wld,
                nodes: log2.exp2() as u64,
            }
        };
        let samples: Vec<Sample> = boards(300).into_iter().map(sample).collect();
        let curve = fit(&evaluator, &samples).expect("enough");
        assert!(curve.sigma < 0.01, "{curve:?}");
        assert!((curve.held_out - 1.0).abs() < 0.01, "{curve:?}");
        assert!((curve.factors[1] - 1.2).abs() < 0.01, "{curve:?}");
        assert_eq!(fit(&evaluator, &samples[..20]), None);
    }

    #[test]
    fn the_numbers_of_the_binary_are_sane() {
        let (model, evaluator) = (Model::embedded(), Evaluator::embedded());
        for board in boards(200) {
            let nodes = |question| model.nodes(&evaluator, board, question);
            let (exact, wld) = (nodes(Question::Exact), nodes(Question::Wld));
            assert!(exact >= 1.0 && wld >= 1.0 && nodes(Question::AtLeast(0)) >= 1.0);
            if board.empty_count() > 20 {
                assert!(exact > wld && exact > 1e4, "{board:?} {exact} {wld}");
            }
        }
    }
}
