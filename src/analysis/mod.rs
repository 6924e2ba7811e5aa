//! What went wrong in a game: for each move the score before it and after it, what it lost, and
//! what was better.
//!
//! A game is looked at from its end. What a position is worth follows from the moves behind it,
//! which are known already: the move that was played is worth what the position after it is, and
//! a search says how much better the best move is. So the scores of one line never contradict
//! each other. Where scores are estimates, a search of all moves names the best one, and searches of the
//! best and of the played move alone, alike in all else, say what is lost, at most what the best move is worth
//! beyond the score of the played one. Boards that are equal up to symmetry are searched as one. Near the
//! end the scores are exact; a null window asks first whether any other move is better than the played
//! one, whose score is known.

pub mod remarks;
pub mod strength;

pub mod people;

pub mod page;
pub mod summary;
pub mod table;

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::host::Instant;
use crate::rules::{Bitboard, Color, Game, Move, Position};
use crate::score::{GameValue, Question, Score};
use crate::search::{Control, Effort, Goal, Limits, Outcome, Searcher, Stage, TimeLimit};

/// What is known of a position, for one side.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Worth {
    /// The score; an estimate unless it is exact.
    pub score: Score,
    /// Is the score proven?
    pub is_exact: bool,
    /// Who wins, where that is proven.
    pub value: Option<GameValue>,
}

impl Worth {
    pub(crate) const fn exact(discs: i32) -> Worth {
        Worth {
            score: Score::from_discs(discs),
            is_exact: true,
            value: Some(GameValue::of_discs(discs)),
        }
    }

    pub(crate) const fn estimate(score: Score) -> Worth {
        Worth {
            score,
            is_exact: false,
            value: None,
        }
    }

    /// What it is worth to the other side.
    fn opposite(self) -> Worth {
        Worth {
            score: -self.score,
            is_exact: self.is_exact,
            value: self.value.map(GameValue::opposite),
        }
    }

    /// An estimate that agrees with who wins, where that is known.
    fn agreeing_with(self, value: Option<GameValue>) -> Worth {
        let Some(bounds) = value.map(GameValue::bounds) else {
            return self;
        };
        let [least, most] = [bounds.lower(), bounds.upper()].map(Score::from_discs);
        Worth {
            score: self.score.clamp(least, most),
            is_exact: self.is_exact || value == Some(GameValue::Draw),
            value,
        }
    }
}

/// What there is to say about one move; passes are left out.
#[derive(Clone, PartialEq, Debug)]
pub struct Verdict {
    /// The number of the move, passes not counted; the first is 1.
    pub number: usize,
    /// Before the move.
    pub position: Position,
    /// The move.
    pub played: Move,
    /// With best play, for the player.
    pub before: Worth,
    /// After the move, for the player.
    pub after: Worth,
    /// A best move: the played one, unless another is better.
    pub best: Move,
    /// Best play from the position, as far as it is known.
    pub line: Vec<Move>,
}

/// What a move gives away.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Gift {
    /// A won game is drawn.
    WinForDraw,
    /// A drawn game is lost.
    Draw,
    /// A won game is lost.
    Win,
}

impl Gift {
    /// In words.
    pub const fn text(self) -> &'static str {
        match self {
            Gift::WinForDraw => "a win becomes a draw",
            Gift::Draw => "gives away the draw",
            Gift::Win => "gives away the win",
        }
    }
}

impl Verdict {
    /// Who moved.
    pub const fn side(&self) -> Color {
        self.position.side
    }

    /// What the move lost, in discs, at least 0.
    pub fn loss(&self) -> f64 {
        (self.before.score.to_f64() - self.after.score.to_f64()).max(0.0)
    }

    /// Is the loss proven?
    pub const fn is_exact(&self) -> bool {
        self.before.is_exact && self.after.is_exact
    }

    /// What the move gave away for certain.
    pub fn gift(&self) -> Option<Gift> {
        match (self.before.value?, self.after.value?) {
            (GameValue::Win, GameValue::Draw) => Some(Gift::WinForDraw),
            (GameValue::Win, GameValue::Loss) => Some(Gift::Win),
            (GameValue::Draw, GameValue::Loss) => Some(Gift::Draw),
            _ => None,
        }
    }
}

/// What a position of the game is worth, told before the verdicts are complete.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Judged {
    /// Moves played before it, passes counted.
    pub moves: usize,
    /// Whose turn it is.
    pub side: Color,
    /// For that side.
    pub worth: Worth,
}

/// The verdicts on all moves of `game`, in playing order; `report` hears of each position, from
/// the last to the first. `None` if `control` stopped it.
///
/// ```
/// use emilia::analysis::analyze;
/// use emilia::eval::Evaluator;
/// use emilia::formats::transcript::Transcript;
/// use emilia::search::{Control, Effort, SearchOptions, Searcher};
///
/// let options = SearchOptions { threads: 1, hash_mb: 16 };
/// let mut searcher = Searcher::new(Evaluator::embedded(), options)?;
/// let game = "f5d6c3d3c4".parse::<Transcript>()?.game;
/// let effort = Effort { depth: 6, ..Effort::default() };
/// let verdicts = analyze(&mut searcher, &game, &effort, &Control::new(), &mut |_| {});
/// for verdict in verdicts.ok_or("stopped")? {
///     println!("{} {} loses {} discs", verdict.number, verdict.played, verdict.loss());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn analyze(
    searcher: &mut Searcher,
    game: &Game,
    effort: &Effort,
    control: &Control,
    report: &mut dyn FnMut(Judged),
) -> Option<Vec<Verdict>> {
    let positions: Vec<Position> = game.positions().collect();
    let mut report = |moves: usize, side, worth| {
        if !control.is_stopped() {
            report(Judged { moves, side, worth });
        }
    };
    let mut analyst = Analyst::new(searcher, *effort, control);
    let mut next = analyst.last(game.position());
    report(game.moves().len(), game.position().side, next.worth);
    let squares = game.moves().iter().filter(|mv| mv.square().is_some());
    let mut number = squares.count();
    let mut verdicts = Vec::with_capacity(number);
    for (moves, (&position, &played)) in positions.iter().zip(game.moves()).enumerate().rev() {
        if control.is_stopped() {
            return None;
        }
        next.worth = next.worth.opposite();
        if played == Move::Pass {
            next.line.insert(0, Move::Pass);
        } else {
            analyst.moves_left = number;
            let verdict = analyst.verdict(number, position, played, next);
            number -= 1;
            let line = verdict.line.clone();
            next = Continuation {
                worth: verdict.before,
                line,
            };
            verdicts.push(verdict);
        }
        report(moves, position.side, next.worth);
    }
    verdicts.reverse();
    (!control.is_stopped()).then_some(verdicts)
}

/// What is known of a position, or of one after a move.
#[derive(Clone)]
struct Continuation {
    worth: Worth,
    line: Vec<Move>,
}

/// Share of a game's time in which all exact scores must be found, and all that is proven.
const SHARES: [f64; 2] = [0.6, 0.75];

/// One game's analysis.
struct Analyst<'s> {
    searcher: &'s mut Searcher,
    effort: Effort,
    control: &'s Control,
    start: Instant,
    /// It only moves on: what took too long for a position takes longer before it.
    stage: Stage,
    moves_left: usize,
}

impl Analyst<'_> {
    fn new<'s>(searcher: &'s mut Searcher, effort: Effort, control: &'s Control) -> Analyst<'s> {
        searcher.forget();
        Analyst {
            searcher,
            effort,
            control,
            start: Instant::now(),
            stage: Stage::Exact,
            moves_left: 1,
        }
    }

    /// The end of the game; of a game that was not played out, its last position.
    fn last(&mut self, position: Position) -> Continuation {
        let board = position.board;
        if board.is_over() {
            return Continuation {
                worth: Worth::exact(board.final_score()),
                line: Vec::new(),
            };
        }
        self.stage = self.stage.max(self.effort.stage(board.empty_count()));
        if self.stage == Stage::Exact
            && let Some(found) = self.solve(position, None)
        {
            return found;
        }
        let mut found = self.estimate(position, None);
        let value = self.value(position, None).map(|(value, _)| value);
        found.worth = found.worth.agreeing_with(value);
        found
    }

    fn verdict(
        &mut self,
        number: usize,
        position: Position,
        played: Move,
        next: Continuation,
    ) -> Verdict {
        let empties = position.board.empty_count();
        self.stage = self.stage.max(self.effort.stage(empties));
        let after = next.worth;
        let mut as_played = next;
        as_played.line.insert(0, played);
        let others = others(position, played);
        let best = match self.stage {
            _ if others.is_empty() => Some(as_played.clone()),
            Stage::Exact if after.is_exact => self.improve(position, others, &as_played),
            _ => None,
        };
        // It is not asked for, or time has run out.
        let best = best.unwrap_or_else(|| self.compare(position, played, others, as_played));
        Verdict {
            number,
            position,
            played,
            before: best.worth,
            after,
            best: best.line.first().copied().unwrap_or(played),
            line: best.line,
        }
    }

    /// The best of `others` if it is better than the played move, whose score is proven; otherwise that.
    /// `None`: there was not enough time.
    fn improve(
        &mut self,
        position: Position,
        others: Bitboard,
        as_played: &Continuation,
    ) -> Option<Continuation> {
        let discs = as_played.worth.score.discs();
        if discs < 64 {
            let better = Goal::Solve(Question::AtLeast(discs + 2));
            let claim = self.search(position, better, Some(others))?;
            if claim.proven.upper() > discs {
                return self.solve(position, Some(others));
            }
        }
        Some(as_played.clone())
    }

    /// The exact score and best play with one of these moves, or any; `None`: there was not enough time.
    fn solve(&mut self, position: Position, moves: Option<Bitboard>) -> Option<Continuation> {
        let outcome = self.search(position, Goal::EXACT, moves)?;
        let score = outcome.proven.score()?;
        let line = outcome.lines.into_iter().next();
        Some(Continuation {
            worth: Worth::exact(score),
            line: line.map_or_else(Vec::new, |line| line.pv),
        })
    }

    /// Who wins with one of these moves, or any, and how; `None`: it is not asked, or there was not enough time.
    fn value(
        &mut self,
        position: Position,
        moves: Option<Bitboard>,
    ) -> Option<(GameValue, Vec<Move>)> {
        if self.stage > Stage::Wld {
            return None;
        }
        let outcome = self.search(position, Goal::WLD, moves)?;
        let line = outcome.lines.into_iter().next()?;
        Some((line.proof.bounds().value()?, line.pv))
    }

    /// The best move by searches of one depth, and what it is worth more than the played one.
    fn compare(
        &mut self,
        position: Position,
        played: Move,
        others: Bitboard,
        as_played: Continuation,
    ) -> Continuation {
        let after = as_played.worth;
        let best = self.estimate(position, None);
        let best = best.line.first().and_then(|best| best.square());
        let mut before = as_played.clone();
        if let Some((best, played)) = best.zip(played.square())
            && others.contains(best)
        {
            let [best, played] =
                [best, played].map(|square| self.estimate(position, Some(square.into())));
            let [better, only] = [best.worth, played.worth].map(|worth| worth.score.raw());
            // What later searches found out about the played move is no fault of it.
            let gain = (better - only).min(better - after.score.raw());
            if gain > 0 {
                before.worth.score = Score::from_raw(after.score.raw() + gain);
                before.line = best.line;
            }
        }
        // A played move that wins proves that the position is won.
        if let Some(value) = after.value.filter(|&value| value != GameValue::Win) {
            let other = self.value(position, Some(others));
            before.worth.value = other.as_ref().map(|(other, _)| value.max(*other));
            before.line = match other {
                Some((other, line)) if other > value => line,
                _ => before.line,
            };
        }
        before.worth.is_exact = false;
        before.worth = before.worth.agreeing_with(before.worth.value);
        match before.worth.score > after.score {
            true => before,
            false => Continuation {
                worth: Worth {
                    score: after.score,
                    ..before.worth
                },
                ..as_played
            },
        }
    }

    /// What a search of the usual depth says of all moves, or of these alone.
    fn estimate(&mut self, position: Position, moves: Option<Bitboard>) -> Continuation {
        // Each move that is left has three searches.
        let parts = 3 * self.moves_left as u32 + 1;
        let limits = Limits {
            depth: Some(self.effort.depth),
            time: self.time_left(|all| all, parts),
            moves,
            ..Limits::default()
        };
        let outcome = self.run(position, &limits);
        let (score, line) = match outcome.lines.into_iter().next() {
            Some(line) => (line.score, line.pv),
            None => {
                let estimate = self.searcher.evaluator().evaluate(position.board);
                (estimate, outcome.best.into_iter().collect())
            }
        };
        let worth = Worth::estimate(score);
        Continuation { worth, line }
    }

    /// A solve within the time that its stage has left. Where that does not suffice, the stage is over.
    fn search(
        &mut self,
        position: Position,
        goal: Goal,
        moves: Option<Bitboard>,
    ) -> Option<Outcome> {
        let share = SHARES[usize::from(self.stage == Stage::Wld)];
        let limits = Limits {
            goal,
            time: self.time_left(|all| all.mul_f64(share), 1),
            moves,
            warm: true,
            ..Limits::default()
        };
        let outcome = self.run(position, &limits);
        if outcome.complete {
            return Some(outcome);
        }
        self.stage = match self.stage {
            Stage::Exact => Stage::Wld,
            _ => Stage::Estimate,
        };
        None
    }

    /// Searches the board as one and the same, however it is turned.
    fn run(&mut self, position: Position, limits: &Limits) -> Outcome {
        let (board, symmetry) = position.board.canonical_with_symmetry();
        let limits = Limits {
            moves: (limits.moves).map(|moves| Bitboard(symmetry.apply(moves.0))),
            ..limits.clone()
        };
        let mut outcome = (self.searcher).search(board, &limits, self.control, &mut |_| {});
        let (empties, nodes) = (board.empty_count(), outcome.nodes);
        log::debug!("{empties} empties, {:?}: {nodes} nodes", limits.goal);
        let moves = outcome.lines.iter_mut().flat_map(|line| &mut line.pv);
        for mv in moves.chain(&mut outcome.best) {
            if let Move::Place(square) = mv {
                *square = symmetry.inverse().apply_square(*square);
            }
        }
        outcome
    }

    /// One of so many equal parts of what is left of this share of the game's time.
    fn time_left(&self, share: impl Fn(Duration) -> Duration, parts: u32) -> TimeLimit {
        let left = |all| share(all).saturating_sub(self.start.elapsed()) / parts;
        let time = self.effort.time;
        time.map_or(TimeLimit::Unlimited, |all| TimeLimit::Move(left(all)))
    }
}

/// The legal moves but the played one, and those that lead to the same board up to symmetry.
fn others(position: Position, played: Move) -> Bitboard {
    let after = |mv| Some(position.play(mv)?.board.canonical());
    let moves = position
        .board
        .moves()
        .filter(|&mv| after(mv) != after(played));
    Bitboard(
        moves
            .filter_map(Move::square)
            .fold(0, |set, square| set | square.bit()),
    )
}

#[cfg(test)]
mod tests;
