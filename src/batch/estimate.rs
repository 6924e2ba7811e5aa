//! How many nodes a solve will take, before it is begun.
//!
//! The logarithm of the nodes is fitted by least squares to the solves of this engine
//! ([`fit`]), as a sum over what is known of a board at once: its empties, the mobility of
//! both sides, and the static evaluation's distance from what is asked. How far the solves scatter round this
//! sum is fitted as well: it decides the mean, since few hard solves are most of the nodes. The numbers are in
//! `estimate.json`, which names the bench signature of the solver that they were fitted to and their error.

use std::f64::consts::LN_2;

use serde::{Deserialize, Serialize};

use crate::eval::Evaluator;
use crate::lazy::Lazy;
#[cfg(feature = "program")]
use crate::linear;
use crate::linear::dot;
use crate::rules::Board;
use crate::score::Question;

/// Terms of the sum.
const TERMS: usize = 8;

/// Terms of the variance.
const SPREAD_TERMS: usize = 4;

/// The variance of the binary logarithm is never taken to be less.
const LEAST_VARIANCE: f64 = 0.01;

/// Above so many empties each further one costs the same factor.
const KNEE: f64 = 14.0;

/// Numbers of empties with fewer solves count less in a fit.
#[cfg(feature = "program")]
const FEW: u32 = 60;

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
    /// Standard deviation of the binary logarithm of the nodes from the sum, all solves together.
    pub sigma: f64,
    /// What the terms of the variance are multiplied by: 1, empties, empties below the knee, distance.
    /// The sum is the variance of the binary logarithm of a solve.
    pub spread: [f64; SPREAD_TERMS],
    /// How much of the variance raises the mean, and how much more for each empty square: all of it if the logarithms
    /// were normally distributed.
    pub tail: [f64; 2],
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
        static MODEL: Lazy<Model> = Lazy::new(|| {
            serde_json::from_str(include_str!("estimate.json")).expect("a test reads this file")
        });
        &MODEL
    }

    /// The microseconds that a solve takes on one thread, roughly: by the empties alone, at once.
    pub fn weight(board: Board, question: Question) -> u64 {
        /// As in solves of 8 to 24 empties.
        const NODES_PER_MICROSECOND: f64 = 100.0;
        /// Asked for each line, under the lock of the queue too: so by kind of question and empties.
        static WEIGHTS: Lazy<[[u64; 65]; KINDS]> = Lazy::new(|| {
            Model::embedded().curves().map(|curve| {
                let nodes = |empties| curve.typical(empties as u32);
                std::array::from_fn(|empties| (nodes(empties) / NODES_PER_MICROSECOND) as u64 + 1)
            })
        });
        WEIGHTS[kind_of(question)][board.empty_count() as usize]
    }

    /// The nodes that a solve takes on average.
    pub fn nodes(&self, evaluator: &Evaluator, board: Board, question: Question) -> f64 {
        self.estimate(evaluator, board, question).nodes
    }

    /// The nodes that a solve takes on average, and how much solves scatter.
    pub fn estimate(&self, evaluator: &Evaluator, board: Board, question: Question) -> Estimate {
        let terms = terms(evaluator, board, question);
        self.curve(question).estimate(&terms)
    }

    /// The numbers for a question of this kind.
    pub const fn curve(&self, question: Question) -> &Curve {
        self.curves()[kind_of(question)]
    }

    const fn curves(&self) -> [&Curve; KINDS] {
        [&self.exact, &self.wld, &self.claim]
    }
}

/// Kinds of questions.
const KINDS: usize = 3;

const fn kind_of(question: Question) -> usize {
    match question {
        Question::Exact => 0,
        Question::Wld | Question::Equal(_) => 1,
        Question::AtLeast(_) | Question::AtMost(_) => 2,
    }
}

/// What a solve is expected to take.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// Nodes on average.
    pub nodes: f64,
    /// The variance of the nodes of such solves, in squares of `nodes`.
    pub variance: f64,
}

impl Estimate {
    /// Of nothing.
    pub const NONE: Estimate = Estimate {
        nodes: 0.0,
        variance: 0.0,
    };
}

impl Curve {
    fn estimate(&self, terms: &[f64; TERMS]) -> Estimate {
        // The mean and the variance of numbers whose logarithm is nearly normally distributed.
        let [at_none, for_each] = self.tail;
        let tail = (at_none + for_each * terms[1]).max(0.0);
        let variance = tail * self.variance(terms) * LN_2 * LN_2;
        let log2 = dot(&self.factors, terms) + variance / 2.0 / LN_2;
        Estimate {
            nodes: log2.clamp(0.0, MAX_LOG2_NODES).exp2(),
            variance: variance.exp_m1(),
        }
    }

    /// The variance of the binary logarithm. Beyond the solves that it was fitted to, it grows no more.
    fn variance(&self, terms: &[f64; TERMS]) -> f64 {
        let mut terms = spread_terms(terms);
        terms[1] = terms[1].min(f64::from(self.most_empties));
        dot(&self.spread, &terms).max(LEAST_VARIANCE)
    }

    /// With the tail by which the estimates are right on average, and for each number of empties most nearly: the few
    /// hardest solves must not decide, so each number counts by the logarithm of its sum.
    #[cfg(feature = "program")]
    fn with_tail(self, rows: &[Row]) -> Curve {
        /// Steps in which the tail of an empty square is tried.
        const STEP: f64 = 0.005;
        let tried = |tail| Curve {
            tail,
            ..self.clone()
        };
        let tails = (0..7).map(|steps| {
            let for_each = STEP * f64::from(steps);
            let (mut low, mut high) = (-2.0, 2.0);
            for _ in 0..20 {
                let middle = (low + high) / 2.0;
                let (above, _) = tried([middle, for_each]).bias(rows);
                match above > 0.0 {
                    true => high = middle,
                    false => low = middle,
                }
            }
            tried([(low + high) / 2.0, for_each])
        });
        let best = tails.min_by(|a, b| a.bias(rows).1.total_cmp(&b.bias(rows).1));
        best.unwrap_or_else(|| tried([1.0, 0.0]))
    }

    /// By how much the logarithms of the estimated sums of each number of empties are above those that were taken: the sum
    /// of all, and the sum of their squares, where numbers with few solves count less.
    #[cfg(feature = "program")]
    fn bias(&self, rows: &[Row]) -> (f64, f64) {
        let mut sums = [(0.0, 0.0, 0); 65];
        for (terms, log2) in rows {
            let (estimated, taken, count) = &mut sums[terms[1] as usize];
            *estimated += self.estimate(terms).nodes;
            *taken += log2.exp2();
            *count += 1;
        }
        let sums = sums.iter().filter(|(_, _, count)| *count > 0);
        sums.fold((0.0, 0.0), |(all, squares), &(estimated, taken, count)| {
            let above = f64::ln(estimated / taken);
            (
                all + above,
                squares + above * above * f64::from(count.min(FEW)),
            )
        })
    }

    /// The nodes of a solve of so many empties of which nothing else is known.
    pub fn typical(&self, empties: u32) -> f64 {
        let empties = f64::from(empties);
        let mobility = (1.0 + 0.4 * empties).min(11.0).log2();
        /// As far as the evaluation of positions usually is from what is asked.
        const DISTANCE: f64 = 8.0;
        self.estimate(&terms_of(empties, [mobility; 2], DISTANCE))
            .nodes
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
        Question::Equal(discs) => f64::from(discs),
    };
    let mobilities = [mobility(board), mobility(board.pass())];
    terms_of(empties, mobilities, (score - asked).abs())
}

fn terms_of(empties: f64, [own, other]: [f64; 2], distance: f64) -> [f64; TERMS] {
    let below = (KNEE - empties).max(0.0);
    [
        1.0,
        empties,
        below,
        own,
        other,
        distance,
        distance * distance,
        distance * empties,
    ]
}

/// Those of the terms that the variance depends on.
const fn spread_terms(terms: &[f64; TERMS]) -> [f64; SPREAD_TERMS] {
    [terms[0], terms[1], terms[2], terms[5]]
}

/// Fits the curve of one kind of question; `None` if there are too few solves.
#[cfg(feature = "program")]
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
    let most_empties = samples
        .iter()
        .map(|sample| sample.board.empty_count())
        .max()?;
    let curve = |rows: &[Row]| {
        let weights = weights(rows);
        let factors = least_squares(rows, &weights);
        let error = |row: &Row| (row.1 - dot(&factors, &row.0)).powi(2);
        let squares = rows.iter().map(|row| (spread_terms(&row.0), error(row)));
        let squares: Vec<([f64; SPREAD_TERMS], f64)> = squares.collect();
        let sum: f64 = squares.iter().map(|(_, square)| square).sum();
        let curve = Curve {
            factors,
            sigma: (sum / rows.len() as f64).sqrt(),
            spread: least_squares(&squares, &weights),
            tail: [1.0, 0.0],
            solves: rows.len(),
            held_out: f64::NAN,
            most_empties,
        };
        curve.with_tail(rows)
    };
    // Each fifth of the solves, estimated by the others.
    let (mut estimated, mut taken) = (0.0, 0.0);
    for held in 0..5 {
        let part = |is_held: bool| -> Vec<Row> {
            let numbered = rows.iter().enumerate();
            let part = numbered.filter(|(index, _)| (index % 5 == held) == is_held);
            part.map(|(_, row)| *row).collect()
        };
        let others = curve(&part(false));
        for (terms, log2) in part(true) {
            estimated += others.estimate(&terms).nodes;
            taken += log2.exp2();
        }
    }
    Some(Curve {
        held_out: estimated / taken,
        ..curve(&rows)
    })
}

/// Terms of a solve, and the binary logarithm of its nodes.
#[cfg(feature = "program")]
type Row = ([f64; TERMS], f64);

/// What each solve counts: so that each number of empties counts alike, unless there are few solves of it.
#[cfg(feature = "program")]
fn weights(rows: &[Row]) -> Vec<f64> {
    let mut counts = [0; 65];
    for (terms, _) in rows {
        counts[terms[1] as usize] += 1;
    }
    let weight = |(terms, _): &Row| 1.0 / f64::from(FEW.max(counts[terms[1] as usize]));
    rows.iter().map(weight).collect()
}

/// The factors with the least weighted sum of squared errors: the normal equations, by elimination.
#[cfg(feature = "program")]
fn least_squares<const N: usize>(rows: &[([f64; N], f64)], weights: &[f64]) -> [f64; N] {
    // A term that is the same in all rows must not make the equations unsolvable.
    const DAMPING: f64 = 1e-8;
    let mut matrix = [[0.0; N]; N];
    let mut right = [0.0; N];
    for ((terms, value), weight) in rows.iter().zip(weights) {
        for (index, a) in terms.iter().enumerate() {
            for (cell, b) in matrix[index].iter_mut().zip(terms) {
                *cell += weight * a * b;
            }
            right[index] += weight * a * value;
        }
    }
    for (index, line) in matrix.iter_mut().enumerate() {
        line[index] += DAMPING;
    }
    linear::solve(&mut matrix, &mut right);
    right
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
            let empties = random.within(8..=37);
            while board.empty_count() > empties && !board.legal_moves().is_empty() {
                let square = random.choose(board.legal_moves()).expect("a move");
                board = board.play(square);
            }
            boards.push(board);
        }
        boards
    }

    #[test]
    fn a_known_law_is_found_again() {
        let evaluator = Evaluator::embedded();
        let law = [3.0, 1.2, -0.2, 0.5, 0.25, -0.04, 0.001, -0.002];
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
    fn few_hard_solves_count_in_the_mean() {
        let evaluator = Evaluator::embedded();
        // Slow growth: no single board is most of the nodes.
        let law = [3.0, 0.3, 0.0, 0.1, 0.05, 0.0, 0.0, 0.0];
        let mut random = SplitMix64::new(7);
        // The more empties, the more they scatter: the sum of twelve numbers is nearly normal.
        let mut sample = |board: Board| {
            let normal = (0..12)
                .map(|_| random.below(1000) as f64 / 1000.0)
                .sum::<f64>()
                - 6.0;
            let sigma = 0.04 * f64::from(board.empty_count());
            let log2 = dot(&law, &terms(&evaluator, board, Question::Wld)) + sigma * normal;
            Sample {
                board,
                question: Question::Wld,
                nodes: log2.exp2() as u64,
            }
        };
        let samples: Vec<Sample> = boards(2000).into_iter().map(&mut sample).collect();
        let curve = fit(&evaluator, &samples).expect("enough");
        assert!((0.85..1.15).contains(&curve.held_out), "{curve:?}");
        let of = |empties: f64| {
            curve
                .variance(&[1.0, empties, 0.0, 0.0, 0.0, 10.0, 100.0, 0.0])
                .sqrt()
        };
        assert!(
            (0.7..0.95).contains(&of(20.0)) && (1.1..1.35).contains(&of(30.0)),
            "{curve:?}"
        );
    }

    #[test]
    fn an_exact_solve_weighs_about_what_it_takes() {
        for empties in 8..=24 {
            let board = Board {
                player: u64::MAX << empties,
                opponent: 0,
            };
            let (weight, usual) = (Model::weight(board, Question::Exact), 1 << (empties - 5));
            assert!(
                (usual / 2..=2 * usual).contains(&weight),
                "{empties}: {weight}"
            );
            assert!(Model::weight(board, Question::Wld) < usual * 4, "{empties}");
        }
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
