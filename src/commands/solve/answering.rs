//! Answering one line: from memory, from the cache, with the search, or with the reference solver.

use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};

use super::Job;
use super::answer::{Answer, Fault, MoveValue, Solved};
use super::check;
use super::feeder::one_line;
use super::input::{Ask, Place, Task};
use super::proof::{ProofStatus, Prover};
use crate::batch::answer::Key;
use crate::batch::cache::{Cache, CacheError};
use crate::batch::memo::{Finding, Memo};
use crate::eval::Evaluator;
use crate::oracle::reference;
use crate::proof::make::LEAF_EMPTIES;
use crate::rules::{Board, Move};
use crate::score::{Bounds, GameValue, Question};
use crate::search::{
    Control, Counts, Goal, Info, Limits, Outcome, Proof, SearchOptions, Searcher, TableError,
    TimeLimit,
};

/// Fewer empties are solved sooner than they are looked up.
const MIN_REMEMBERED: u32 = 10;

/// How positions are solved.
#[derive(Clone, Copy, Debug)]
pub(super) struct Method {
    pub(super) all_moves: bool,
    pub(super) check: bool,
    pub(super) reference: bool,
    /// Limits of a position.
    pub(super) max_nodes: Option<u64>,
    pub(super) max_time: Option<Duration>,
}

/// How the threads of a run answer lines, and what they know together.
pub(super) struct Answering {
    pub(super) method: Method,
    /// Makes a proof of each answer, where proofs are wanted.
    pub(super) prover: Option<Prover>,
    pub(super) memo: Memo,
    pub(super) cache: Option<Cache>,
    /// What the searches count, where they do.
    pub(super) counts: Option<Mutex<Counts>>,
    /// Why the cache failed: the run goes on without it, and ends with this error.
    pub(super) cache_error: OnceLock<CacheError>,
}

/// What is found out about a board, and about its moves.
struct Found {
    finding: Finding,
    /// With `--all-moves` only.
    moves: Vec<(Move, MoveValue)>,
    /// Does the line of play come from this solve, and so is whole?
    is_fresh: bool,
    /// How long the solve took.
    time: Duration,
}

impl Answering {
    /// A searcher for a thread of the run.
    ///
    /// # Errors
    /// If its table cannot be allocated.
    pub(super) fn searcher(&self, options: SearchOptions) -> Result<Searcher, TableError> {
        let mut searcher = match self.counts {
            Some(_) => Searcher::counting(Evaluator::embedded(), options)?,
            None => Searcher::new(Evaluator::embedded(), options)?,
        };
        if self.prover.is_some() {
            searcher.note_wins(u32::from(LEAF_EMPTIES))?;
        }
        Ok(searcher)
    }

    /// Answers a line. A fault inside the search becomes the line's answer.
    pub(super) fn answer(&self, searcher: &mut Searcher, job: Job, control: &Control) -> Answer {
        let Job {
            task,
            copied,
            error_key,
        } = job;
        let Task {
            place,
            name,
            content,
            ..
        } = task;
        if let Some(text) = copied {
            return Answer::copied(place, text);
        }
        let ask = match content {
            Ok(ask) => ask,
            Err(error) => {
                let key =
                    error_key.unwrap_or_else(|| Key::of_error(b"", error.column, &error.reason));
                return Answer::fault(place, name, key, Fault::Syntax(error));
            }
        };
        let position = ask.problem.position;
        let found = self.find(searcher, &ask, control);
        self.add_counts(searcher);
        let found = match found {
            Ok(found) => found,
            Err(reason) => {
                let reason = format!("internal fault: {}", one_line(&reason));
                return Answer::failed(place, name, position, reason);
            }
        };
        let proof = match self.prove(searcher, place, &ask, &found, control) {
            Ok(proof) => proof,
            Err(reason) => return Answer::failed(place, name, position, one_line(&reason)),
        };
        let mut solved = Solved {
            position,
            question: ask.question,
            finding: found.finding,
            is_fresh: found.is_fresh,
            moves: self.method.all_moves.then_some(found.moves),
            time: found.time,
            lacks_proof: proof == ProofStatus::Unfinished,
            verdict: None,
        };
        if self.method.check {
            solved.verdict = Some(check::compare(&ask.problem, &solved));
        }
        Answer::solved(place, name, solved)
    }

    /// Helps with what another searcher solves by this control, until that is over or it is recalled.
    pub(super) fn help(&self, searcher: &mut Searcher, control: &Control, recalled: &AtomicBool) {
        // A fault is the other one's as well: the search is aborted.
        let helped = searcher.guarded(|searcher| searcher.help(control, recalled));
        if let Err(reason) = helped {
            log::error!("a helper failed: {reason}");
        }
        self.add_counts(searcher);
    }

    /// Writes what is to be kept, at the end of the run.
    ///
    /// # Errors
    /// If the cache has failed, or fails now.
    pub(super) fn finish(&self) -> anyhow::Result<()> {
        if let Some(cache) = self.cache() {
            cache.commit().context("cannot finish the cache")?;
        }
        match self.cache_error.get() {
            Some(error) => Err(anyhow!("{error}")),
            None => Ok(()),
        }
    }

    fn find(&self, searcher: &mut Searcher, ask: &Ask, control: &Control) -> Result<Found, String> {
        let (board, question) = (ask.problem.position.board, ask.question);
        if board.is_over() {
            return Ok(fresh(Finding {
                bounds: Bounds::exactly(board.final_score()),
                pv: Vec::new(),
                nodes: 0,
            }));
        }
        if self.method.reference {
            return Ok(by_reference(board, question, self.method.all_moves));
        }
        let mut known = Bounds::UNKNOWN;
        if let Some(mut recalled) = self.recall(board, question) {
            if question.is_answered_by(recalled.bounds) {
                if !self.memo.keeps_nodes() {
                    recalled.nodes = 0;
                }
                return Ok(Found {
                    is_fresh: false,
                    ..fresh(recalled)
                });
            }
            known = recalled.bounds;
        }
        let question = reduced(question, known);
        let limits = limits(self.method, question);
        // A solve forgets what was found before: its nodes must not depend on that.
        let search =
            |searcher: &mut Searcher| searcher.search(board, &limits, control, &mut |_| {});
        let outcome = searcher.guarded(search)?;
        let is_complete = outcome.complete;
        let all_moves = self.method.all_moves.then_some(ask.question);
        let mut found = found(outcome, all_moves)?;
        let joined = found.finding.bounds.and(known);
        found.finding.bounds = joined.ok_or("the search contradicts what was known")?;
        if !question.is_answered_by(found.finding.bounds) && is_complete {
            return Err("the search proved too little".to_owned());
        }
        self.remember(board, ask.question, &found.finding);
        Ok(found)
    }

    fn recall(&self, board: Board, question: Question) -> Option<Finding> {
        // What is only remembered is not in the table, so a proof of it takes longer than a solve.
        if self.method.all_moves || self.method.reference || self.prover.is_some() {
            return None;
        }
        if board.empty_count() >= MIN_REMEMBERED
            && let Some(found) = self.memo.recall(board, question)
        {
            return Some(found);
        }
        let recalled = self.cache()?.recall(board);
        recalled.unwrap_or_else(|error| {
            self.fail(error);
            None
        })
    }

    fn remember(&self, board: Board, question: Question, found: &Finding) {
        if self.method.reference {
            return;
        }
        if board.empty_count() >= MIN_REMEMBERED {
            self.memo.remember(board, question, found);
        }
        if let Some(cache) = self.cache()
            && let Err(error) = cache.remember(board, found)
        {
            self.fail(error);
        }
    }

    /// The cache, as long as it works.
    fn cache(&self) -> Option<&Cache> {
        let works = self.cache_error.get().is_none();
        self.cache.as_ref().filter(|_| works)
    }

    fn fail(&self, error: CacheError) {
        // Only the first error is told: others follow from it.
        if self.cache_error.set(error).is_ok() {
            log::warn!("the cache has failed: the run goes on without it");
        }
    }

    /// Makes the proof of an answer, where proofs are wanted.
    fn prove(
        &self,
        searcher: &mut Searcher,
        place: Place,
        ask: &Ask,
        found: &Found,
        control: &Control,
    ) -> Result<ProofStatus, String> {
        let (position, question) = (ask.problem.position, ask.question);
        let bounds = found.finding.bounds;
        let prover = self.prover.as_ref();
        if let Some(prover) = prover.filter(|_| question.is_answered_by(bounds)) {
            let prove = |searcher: &mut Searcher| {
                prover.prove(searcher, place, position, question, bounds, control)
            };
            return searcher.guarded(prove)?;
        }
        Ok(ProofStatus::None)
    }

    fn add_counts(&self, searcher: &mut Searcher) {
        if let (Some(sum), Some(counts)) = (&self.counts, searcher.take_counts()) {
            *sum.lock().unwrap_or_else(PoisonError::into_inner) += &counts;
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

fn limits(method: Method, question: Question) -> Limits {
    Limits {
        goal: Goal::Solve(question),
        multipv: if method.all_moves { 64 } else { 1 },
        nodes: method.max_nodes,
        time: method
            .max_time
            .map_or(TimeLimit::Unlimited, TimeLimit::Move),
        ..Limits::default()
    }
}

const fn fresh(finding: Finding) -> Found {
    Found {
        finding,
        moves: Vec::new(),
        is_fresh: true,
        time: Duration::ZERO,
    }
}

/// What a search found; with the value of each move, where this question is asked of all moves.
fn found(outcome: Outcome, all_moves: Option<Question>) -> Result<Found, String> {
    let moves = match all_moves {
        Some(question) => {
            let lines = outcome.lines.iter();
            lines
                .filter_map(|line| valued_move(line, question))
                .collect()
        }
        None => Vec::new(),
    };
    let line = outcome.lines.into_iter().next();
    let finding = Finding {
        bounds: outcome.proven,
        pv: line.map_or_else(Vec::new, |line| line.pv),
        nodes: outcome.nodes,
    };
    Ok(Found {
        moves,
        time: outcome.time,
        ..fresh(finding)
    })
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

fn by_reference(board: Board, question: Question, all_moves: bool) -> Found {
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
    Found {
        finding: Finding {
            bounds,
            pv: solution.pv,
            nodes: solution.nodes,
        },
        moves: if all_moves {
            let scores = reference::score_moves(board).into_iter();
            let values = scores.map(|(mv, discs)| (mv, value_of(discs, question)));
            values.collect()
        } else {
            Vec::new()
        },
        is_fresh: true,
        time: start.elapsed(),
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
