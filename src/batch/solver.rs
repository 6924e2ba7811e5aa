//! Solving one position of a batch: from memory, from what earlier runs have kept, with the search, or with the
//! reference solver.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::memo::Memo;
use super::problem::{MoveValue, Problem, Solution, Status};
use crate::eval::Evaluator;
use crate::host::Instant;
use crate::locks::lock;
use crate::oracle::reference;
use crate::rules::{Board, Move};
use crate::score::{Bounds, GameValue, Question, Score};
use crate::search::{
    Control, Counts, Effort, Goal, Info, Limits, Outcome, Proof, SearchOptions, Searcher, Stage,
    TableError, TimeLimit,
};

/// Fewer empties are solved sooner than they are looked up.
const MIN_REMEMBERED: u32 = 10;

/// How positions are solved.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Method {
    pub(crate) all_moves: bool,
    pub(crate) reference: bool,
    /// Do the searches note the wins of positions with so many empties or more, for proofs of the answers?
    pub(crate) noted_wins: Option<u32>,
    /// Limits of a position.
    pub(crate) max_nodes: Option<u64>,
    pub(crate) max_time: Option<Duration>,
    /// Where a search of so many plies affords no proof, an estimate of it is enough.
    pub(crate) depth: Option<u32>,
}

impl Method {
    /// May a position be left unsolved?
    #[cfg(feature = "program")]
    pub(crate) const fn has_limit(&self) -> bool {
        self.max_nodes.is_some() || self.max_time.is_some() || self.depth.is_some()
    }
}

/// What is kept of solved positions beyond the run. It deals with its errors itself.
pub(crate) trait Store: Send + Sync {
    fn recall(&self, board: Board) -> Option<Solution>;

    /// Keeps what was found out about a board.
    fn remember(&self, board: Board, found: &Solution);
}

/// How the threads of a batch solve positions, and what they know together.
pub(crate) struct Solver {
    method: Method,
    memo: Memo,
    pub(crate) store: Option<Arc<dyn Store>>,
    /// What the searches count, where they do.
    pub(crate) counts: Option<Mutex<Counts>>,
}

impl Solver {
    /// A solver that remembers so many megabytes. `deterministic`: what it remembers has the nodes of a solve.
    pub(crate) fn new(method: Method, memo_mb: usize, deterministic: bool) -> Solver {
        Solver {
            method,
            memo: Memo::new(memo_mb.saturating_mul(1 << 20), deterministic),
            store: None,
            counts: None,
        }
    }

    /// A searcher for a thread of the batch.
    pub(crate) fn searcher(&self, options: SearchOptions) -> Result<Searcher, TableError> {
        let mut searcher = match self.counts {
            Some(_) => Searcher::counting(Evaluator::embedded(), options)?,
            None => Searcher::new(Evaluator::embedded(), options)?,
        };
        if let Some(empties) = self.method.noted_wins {
            searcher.note_wins(empties)?;
        }
        Ok(searcher)
    }

    /// Finds out what is asked, within the limits.
    pub(crate) fn solve(
        &self,
        searcher: &mut Searcher,
        asked: &Problem,
        control: &Control,
    ) -> Solution {
        let found = self.find(searcher, asked, control);
        self.add_counts(searcher);
        match found {
            Ok(mut found) => {
                let is_claim = !matches!(asked.question, Question::Exact | Question::Wld);
                let has_all =
                    |found: &Vec<_>| is_claim || found.len() == asked.asked_moves().count();
                if asked.question.is_answered_by(found.bounds)
                    && found.moves.as_ref().is_none_or(has_all)
                {
                    found.status = Status::Solved;
                }
                found
            }
            Err(reason) => Solution::unknown(Status::Failed(reason)),
        }
    }

    /// Helps with what another searcher solves by this control, until that is over or it is recalled.
    pub(crate) fn help(&self, searcher: &mut Searcher, control: &Control, recalled: &AtomicBool) {
        // A fault is the other one's as well: the search is aborted.
        let helped = searcher.guarded(|searcher| searcher.help(control, recalled));
        if let Err(reason) = helped {
            log::error!("a helper failed: {reason}");
        }
        self.add_counts(searcher);
    }

    fn find(
        &self,
        searcher: &mut Searcher,
        asked: &Problem,
        control: &Control,
    ) -> Result<Solution, String> {
        let (board, question) = (asked.position.board, asked.question);
        if board.is_over() {
            let bounds = Bounds::exactly(board.final_score());
            return Ok(Solution {
                moves: self.method.all_moves.then(Vec::new),
                ..Solution::proven(bounds, Vec::new(), 0)
            });
        }
        if self.method.reference {
            return match asked.moves {
                None => Ok(by_reference(board, question, self.method.all_moves)),
                Some(_) => Err("the reference solver looks at all moves".to_owned()),
            };
        }
        let depth = self.method.depth;
        let Some((depth, affordable)) = depth
            .map(|depth| (depth, affordable(question, depth, board)))
            .filter(|(_, affordable)| *affordable != Some(question))
        else {
            return self.prove(searcher, asked, question, control);
        };
        let estimated = estimate(searcher, asked, depth, control)?;
        let Some(question) = affordable else {
            return Ok(estimated);
        };
        let proven = self.prove(searcher, asked, question, control)?;
        Ok(joined(estimated, proven))
    }

    /// Finds proven bounds that answer `question`.
    fn prove(
        &self,
        searcher: &mut Searcher,
        asked: &Problem,
        question: Question,
        control: &Control,
    ) -> Result<Solution, String> {
        let board = asked.position.board;
        if asked.moves.is_some() {
            return self.search(searcher, asked, (question, Bounds::UNKNOWN), control);
        }
        let mut known = Bounds::UNKNOWN;
        if let Some(mut recalled) = self.recall(board, question) {
            if question.is_answered_by(recalled.bounds) {
                if !self.memo.keeps_nodes {
                    recalled.nodes = 0;
                }
                recalled.is_remembered = true;
                return Ok(recalled);
            }
            known = recalled.bounds;
        }
        let found = self.search(searcher, asked, (question, known), control)?;
        self.remember(board, question, &found);
        Ok(found)
    }

    /// Searches for what is not yet known of a question.
    fn search(
        &self,
        searcher: &mut Searcher,
        asked: &Problem,
        (question, known): (Question, Bounds),
        control: &Control,
    ) -> Result<Solution, String> {
        let left = reduced(question, known);
        let max_time = self.method.max_time;
        let limits = Limits {
            goal: Goal::Solve(left),
            moves: asked.moves,
            multipv: if self.method.all_moves { 64 } else { 1 },
            nodes: self.method.max_nodes,
            time: max_time.map_or(TimeLimit::Unlimited, TimeLimit::Move),
            ..Limits::default()
        };
        // A solve forgets what was found before: its nodes must not depend on that.
        let board = asked.position.board;
        let search =
            |searcher: &mut Searcher| searcher.search(board, &limits, control, &mut |_| {});
        let outcome = searcher.guarded(search)?;
        let is_complete = outcome.complete;
        let mut found = found(outcome, self.method.all_moves.then_some(question));
        let joined = found.bounds.and(known);
        found.bounds = joined.ok_or("the search contradicts what was known")?;
        if !left.is_answered_by(found.bounds) && is_complete {
            return Err("the search proved too little".to_owned());
        }
        Ok(found)
    }

    fn recall(&self, board: Board, question: Question) -> Option<Solution> {
        // What is only remembered is not in the table, so a proof of it takes longer than a solve.
        if self.method.all_moves || self.method.noted_wins.is_some() {
            return None;
        }
        if board.empty_count() >= MIN_REMEMBERED
            && let Some(found) = self.memo.recall(board, question)
        {
            return Some(found);
        }
        self.store.as_ref()?.recall(board)
    }

    fn remember(&self, board: Board, question: Question, found: &Solution) {
        if board.empty_count() >= MIN_REMEMBERED {
            self.memo.remember(board, question, found);
        }
        if let Some(store) = &self.store {
            store.remember(board, found);
        }
    }

    /// The sums of what the searches counted, where they do.
    #[cfg(feature = "program")]
    pub(crate) fn counts(&self) -> Option<Counts> {
        Some(lock(self.counts.as_ref()?).clone())
    }

    fn add_counts(&self, searcher: &mut Searcher) {
        if let (Some(sum), Some(counts)) = (&self.counts, searcher.take_counts()) {
            *lock(sum) += &counts;
        }
    }
}

/// What is left of a question for a board of which something is known: of who wins, perhaps one claim.
fn reduced(question: Question, known: Bounds) -> Question {
    let mut open = question.open_thresholds(known);
    match (question, open.next(), open.next()) {
        (Question::Wld | Question::Equal(_), Some(threshold), None) => Question::AtLeast(threshold),
        _ => question,
    }
}

/// What can be proven of a question beside a search of so many plies, if anything.
fn affordable(question: Question, depth: u32, board: Board) -> Option<Question> {
    match (Effort::at_depth(depth).stage(board.empty_count()), question) {
        (Stage::Exact, _) => Some(question),
        (Stage::Wld, Question::Exact) => Some(Question::Wld),
        (Stage::Wld, _) => Some(question),
        (Stage::Estimate, _) => None,
    }
}

/// A search to this depth, which depends on nothing that was found before.
fn estimate(
    searcher: &mut Searcher,
    asked: &Problem,
    depth: u32,
    control: &Control,
) -> Result<Solution, String> {
    let limits = Limits {
        moves: asked.moves,
        depth: Some(depth),
        ..Limits::default()
    };
    let outcome = searcher.guarded(|searcher| {
        searcher.forget();
        searcher.search(asked.position.board, &limits, control, &mut |_| {})
    })?;
    let line = outcome.lines.first();
    let bounds = line.map_or(Bounds::UNKNOWN, |line| line.proof.bounds());
    Ok(Solution {
        bounds,
        estimate: line.map(|line| (line.score, line.depth)),
        ..found(outcome, None)
    })
}

/// An estimate, and what is proven beside it. The best move is the one that is known to win or to draw.
fn joined(estimated: Solution, proven: Solution) -> Solution {
    let bounds = proven.bounds;
    let [low, high] = [bounds.lower(), bounds.upper()].map(Score::from_discs);
    let estimate = estimated.estimate;
    let line = match bounds.lower() >= 0 {
        true => proven.line,
        false => estimated.line,
    };
    Solution {
        estimate: estimate.map(|(score, depth)| (score.clamp(low, high), depth)),
        time: estimated.time + proven.time,
        ..Solution::proven(bounds, line, estimated.nodes + proven.nodes)
    }
}

/// What a search found; with the value of each move, where this question is asked of all moves.
fn found(outcome: Outcome, all_moves: Option<Question>) -> Solution {
    let moves = all_moves.map(|question| {
        let lines = outcome.lines.iter();
        let moves = lines.filter_map(|line| valued_move(line, question));
        moves.collect()
    });
    let line = outcome.lines.into_iter().next();
    let line = line.map_or_else(Vec::new, |line| line.pv);
    Solution {
        moves,
        time: outcome.time,
        ..Solution::proven(outcome.proven, line, outcome.nodes)
    }
}

/// The first move of a line and what is proven of it, if that answers the question.
fn valued_move(line: &Info, question: Question) -> Option<(Move, MoveValue)> {
    let value = match line.proof {
        Proof::Exact(discs) => value_of(discs, question),
        Proof::Wld(value) if question == Question::Wld => MoveValue::Result(value),
        _ => return None,
    };
    Some((*line.pv.first()?, value))
}

/// What a question asks of an exact score.
const fn value_of(discs: i32, question: Question) -> MoveValue {
    match question {
        Question::Wld => MoveValue::Result(GameValue::of_discs(discs)),
        _ => MoveValue::Score(discs),
    }
}

fn by_reference(board: Board, question: Question, all_moves: bool) -> Solution {
    let (low, high) = question.thresholds();
    let (alpha, beta) = match low == high {
        true => (low - 1, low),
        false => (low - 1, high - 1),
    };
    let start = Instant::now();
    let solution = match question {
        Question::Exact => reference::solve(board),
        _ => reference::solve_window(board, alpha, beta),
    };
    let score = solution.score;
    let bounds = match question {
        Question::Exact => Bounds::exactly(score),
        _ if score <= alpha => Bounds::at_most(score),
        _ if score >= beta => Bounds::at_least(score),
        _ => Bounds::exactly(score),
    };
    let moves = all_moves.then(|| {
        let scores = reference::score_moves(board).into_iter();
        let values = scores.map(|(mv, discs)| (mv, value_of(discs, question)));
        values.collect()
    });
    Solution {
        moves,
        time: start.elapsed(),
        ..Solution::proven(bounds, solution.pv, solution.nodes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_leaves_less_to_ask() {
        let wld = |lower, upper| {
            let known = Bounds::new(lower, upper).expect("bounds");
            reduced(Question::Wld, known)
        };
        assert_eq!(wld(-64, 64), Question::Wld);
        assert_eq!(wld(0, 64), Question::AtLeast(2));
        assert_eq!(wld(-64, 0), Question::AtLeast(0));
        assert_eq!(
            reduced(Question::Exact, Bounds::at_least(2)),
            Question::Exact
        );
    }
}
