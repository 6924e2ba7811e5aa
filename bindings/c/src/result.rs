//! What searches and solves tell.

use emilia::eval::Evaluator;
use emilia::rules::{Board, Move};
use emilia::score::{Bounds, Question};
use emilia::search::{Info, Outcome};

use crate::position::{EMILIA_NO_MOVE, number_of};

/// Nothing is proven: the score is an estimate.
pub const EMILIA_PROVEN_NONE: u8 = 0;
/// The claim that was asked is true or false.
pub const EMILIA_PROVEN_CLAIM: u8 = 1;
/// Who wins is proven.
pub const EMILIA_PROVEN_WLD: u8 = 2;
/// The score is proven to the disc.
pub const EMILIA_PROVEN_EXACT: u8 = 3;

/// Most moves of a line.
pub const EMILIA_LINE: usize = 96;

/// What a search found. Scores are discs for the side to move.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct EmiliaResult {
    /// The score: exact, a proven bound, or an estimate, as `proven` says.
    pub score: f64,
    /// Positions visited.
    pub nodes: u64,
    /// Plies searched; 0 where there was no search.
    pub depth: u32,
    /// The final score with best play is at least this, for certain; -64 says nothing.
    pub lower: i8,
    /// The final score is at most this, for certain; 64 says nothing.
    pub upper: i8,
    /// One of `EMILIA_PROVEN_..`.
    pub proven: u8,
    /// The best move, a square or `EMILIA_PASS`; `EMILIA_NO_MOVE` where the game is over.
    pub best: u8,
    /// Moves of `line`.
    pub line_length: u8,
    /// The expected line of play, passes included.
    pub line: [u8; EMILIA_LINE],
}

impl EmiliaResult {
    fn new(score: f64, bounds: Bounds, asked: Option<Question>, line: &[Move]) -> EmiliaResult {
        let mut moves = [EMILIA_NO_MOVE; EMILIA_LINE];
        for (to, &mv) in moves.iter_mut().zip(line) {
            *to = number_of(Some(mv));
        }
        EmiliaResult {
            score,
            nodes: 0,
            depth: 0,
            // Bounds are discs, -64 to 64.
            lower: bounds.lower() as i8,
            upper: bounds.upper() as i8,
            proven: proven(asked, bounds),
            best: moves[0],
            line_length: line.len().min(EMILIA_LINE) as u8,
            line: moves,
        }
    }

    pub(crate) fn of_info(info: &Info, asked: Option<Question>) -> EmiliaResult {
        EmiliaResult {
            nodes: info.nodes,
            depth: info.depth,
            ..EmiliaResult::new(info.score.to_f64(), info.proof.bounds(), asked, &info.pv)
        }
    }

    /// The lines of an outcome, the best first: at least one.
    pub(crate) fn of_outcome(
        board: Board,
        outcome: &Outcome,
        asked: Option<Question>,
    ) -> Vec<EmiliaResult> {
        let mut results: Vec<EmiliaResult> = outcome
            .lines
            .iter()
            .map(|info| EmiliaResult::of_info(info, asked))
            .collect();
        let bounds = outcome.proven;
        if let Some(first) = results.first_mut() {
            (first.lower, first.upper) = (bounds.lower() as i8, bounds.upper() as i8);
            first.proven = proven(asked, bounds);
            first.best = number_of(outcome.best);
            first.nodes = outcome.nodes;
            return results;
        }
        // The game is over, or the search was stopped before its first iteration.
        let score = bounds
            .score()
            .map_or_else(|| Evaluator::embedded().estimate(board).to_f64(), f64::from);
        let line: Vec<Move> = outcome.best.into_iter().collect();
        let result = EmiliaResult::new(score, bounds, asked, &line);
        vec![EmiliaResult {
            nodes: outcome.nodes,
            ..result
        }]
    }
}

/// What bounds prove, after this question was asked, if any.
pub(crate) fn proven(asked: Option<Question>, bounds: Bounds) -> u8 {
    let claim = asked.filter(|question| question.is_claim());
    if bounds.score().is_some() {
        EMILIA_PROVEN_EXACT
    } else if claim.is_some_and(|question| question.is_answered_by(bounds)) {
        EMILIA_PROVEN_CLAIM
    } else if bounds.value().is_some() {
        EMILIA_PROVEN_WLD
    } else {
        EMILIA_PROVEN_NONE
    }
}
