//! Iterative deepening at the root: which depth, which selectivity and which
//! window come next, and what is reported.

use super::ahead::{Ahead, LastLine};
use super::budget::Pace;
use super::midgame::hash_move;
use super::moves::{NO_MOVE, place};
use super::node::Node;
use super::observer::Observer;
use super::pool::MANY_THREADS;
use super::report::{Bound, Info, Outcome, Proof};
use super::window::Best;
use super::worker::Worker;
use super::{Goal, Limits, Selectivity};
use crate::rules::{Bitboard, Board, Move, Square};
use crate::score::{Bounds, Discs, GameValue, Question, Score};
use crate::simd;

/// Half width of the first window of a midgame iteration.
const ASPIRATION: Discs = Discs::new(3);

/// Discs beyond the thresholds that a solve asks about, farther from which its midgame iterations
/// look for no score: to tell +58 from +62 can cost a thousand times as much as to prove a win.
const FAR: Discs = Discs::new(50);

/// Empties up to which the solver needs no search before it.
const SOLVE_DIRECTLY: i32 = 12;

/// Fewest empties at which iterations approach the end of the game in play.
const APPROACHED_FROM: i32 = 20;

/// Plies short of the end of the game of the iterations that approach it. Found together in 260 games: 53.8% (f8ab0a5).
const APPROACHES: [i32; 2] = [7, 4];

/// The deepest iterations that begin with an open window: they cost nothing, and their scores swing.
const OPEN_TO: i32 = 4;

/// The parts of an iteration and of those before it in the mean of all: each depth has 3/5 of the weight of the next.
/// Found on boards of 20 to 30 empties with known scores: errors are 2 to 5% smaller (9249c47).
const MEAN_PARTS: [i32; 2] = [2, 3];

/// Wider than any score: an open window.
pub(super) const INFINITE: Discs = Discs::new(65);

/// The root of a search, and its limits.
pub(super) struct Root<'r> {
    pub(super) board: Board,
    /// Legal moves that may be played.
    pub(super) moves: u64,
    pub(super) limits: &'r Limits,
}

/// What one iteration at the root found.
pub(super) struct Iteration {
    pub(super) score: Discs,
    pub(super) bound: Bound,
    pub(super) pv: Vec<Move>,
}

/// What the iteration of a line alone found.
fn minimax(line: &Info) -> Discs {
    Discs::new(line.minimax.discs())
}

/// One search at the root.
pub(super) struct Deepening<'w, 'a, O> {
    pub(super) worker: &'w mut Worker<'a, O>,
    limits: &'w Limits,
    pace: Pace,
    pub(super) root: Node,
    moves: u64,
    /// The lines of the last complete iteration, the best first.
    lines: Vec<Info>,
    /// The lines so far of the iteration that runs.
    current: Vec<Info>,
    /// The move that was the first above the window's lower end in the last search of the line that
    /// is being searched.
    leading: u8,
    /// What an iteration of so many plies that was stopped had found: a move that is better than those before it,
    /// the best move of the last iteration among them.
    pub(super) unfinished: Option<(i32, Iteration)>,
    /// The proven bounds of the root's score, both even.
    proven: Bounds,
}

impl<'w, 'a, O: Observer> Deepening<'w, 'a, O> {
    pub(super) fn new(worker: &'w mut Worker<'a, O>, root: &Root<'w>) -> Deepening<'w, 'a, O> {
        Deepening {
            worker,
            limits: root.limits,
            pace: Pace::default(),
            root: Node::new(root.board),
            moves: root.moves,
            lines: Vec::new(),
            current: Vec::new(),
            leading: NO_MOVE,
            unfinished: None,
            proven: Bounds::UNKNOWN,
        }
    }

    fn empties(&self) -> i32 {
        self.root.board.empty_count() as i32
    }

    /// Runs until the goal is reached or a limit says stop.
    pub(super) fn run(mut self) -> Outcome {
        let empties = self.empties();
        let deepest = match self.limits.goal {
            Goal::Play => self
                .limits
                .depth
                .map_or(empties, |depth| (depth as i32).clamp(1, empties)),
            Goal::Solve(_) => empties,
        };
        let complete = if deepest < empties {
            self.deepen(deepest)
        } else {
            self.deepen(plies_before_solve(empties, self.limits.goal))
                && self.approach_the_end()
                && self.solve()
        };
        self.keep_unfinished();
        Outcome::of(self.lines, complete, self.proven)
    }

    /// Plays the better move that a stopped iteration had found.
    fn keep_unfinished(&mut self) {
        let Some((depth, found)) = self.unfinished.take() else {
            return;
        };
        let is_new = |line: &Info| line.pv.first() != found.pv.first();
        if self.limits.goal == Goal::Play
            && self.line_count() == 1
            && self.lines.first().is_some_and(is_new)
        {
            self.current.clear();
            self.report(depth, 0, found, Proof::None);
            self.finish_iteration();
        }
    }

    /// Midgame iterations up to `to` plies, or those of its parity. Did they all end?
    fn deepen(&mut self, to: i32) -> bool {
        let step = self.step();
        let first = if step == 2 && to > 1 { 2 - (to & 1) } else { 1 };
        self.iterate_all((first..=to).step_by(step))
    }

    /// Plies from one midgame iteration to the next.
    fn step(&self) -> usize {
        let is_play = self.limits.goal == Goal::Play;
        if is_play && !self.is_tested() { 1 } else { 2 }
    }

    /// Do many threads search for play? Then the iterations are null-window questions ([`super::root_tests`]).
    fn is_tested(&self) -> bool {
        self.limits.goal == Goal::Play && self.worker.shared.threads() >= MANY_THREADS
    }

    /// Midgame iterations of these depths. Did they all end?
    fn iterate_all(&mut self, depths: impl Iterator<Item = i32>) -> bool {
        self.worker.selectivity = self.limits.selectivity;
        for depth in depths {
            let aspired = |this: &mut Self, moves, rank| {
                let found = this.aspirate(depth, moves, rank)?;
                Some((found, Proof::None))
            };
            if !self.has_time() {
                return false;
            }
            let _ahead = self.offer_ahead(depth);
            if !self.each_line(depth, aspired) {
                return false;
            }
        }
        true
    }

    /// In play, lets threads without work search ahead while an iteration of `depth` plies runs. Those before a solve
    /// are over too soon.
    fn offer_ahead(&mut self, depth: i32) -> Option<Ahead<'a>> {
        let (is_play, step) = (self.limits.goal == Goal::Play, self.step());
        let best = self.lines.first().filter(|_| is_play)?;
        let line = LastLine {
            root: &self.root,
            moves: self.moves,
            pv: &best.pv,
            score: minimax(best),
        };
        self.worker.offer_ahead(&line, depth, step)
    }

    /// In play, the iterations between the midgame and the end of the game, which may be out of
    /// reach: one that is stopped helps little.
    fn approach_the_end(&mut self) -> bool {
        let empties = self.empties();
        let is_far = self.limits.goal == Goal::Play && empties >= APPROACHED_FROM;
        let left = is_far.then_some(APPROACHES);
        self.iterate_all(left.into_iter().flatten().map(|left| empties - left))
    }

    /// One iteration over all lines asked for, each found by `search` among the moves that are left. Did it end?
    fn each_line(
        &mut self,
        depth: i32,
        search: impl Fn(&mut Self, u64, usize) -> Option<(Iteration, Proof)>,
    ) -> bool {
        let mut left = self.moves;
        for rank in 0..self.line_count() {
            let Some((found, proof)) = search(self, left, rank) else {
                return false;
            };
            left &= !first_square(&found.pv);
            self.report(depth, rank, found, proof);
        }
        self.finish_iteration();
        true
    }

    /// Number of lines to report.
    fn line_count(&self) -> usize {
        self.limits
            .multipv
            .clamp(1, self.moves.count_ones() as usize)
    }

    /// The score the line of this rank had last time.
    fn guess(&self, rank: usize) -> Option<Discs> {
        self.lines.get(rank).map(minimax)
    }

    /// What iterations up to this one say of the move that it found: the mean of this one and of those before
    /// it ([`MEAN_PARTS`]), where it is selective, they went up to a ply less, and neither ended with a bound
    /// or a certain score. A move that had no line there counts as the least of those that had one: it was
    /// not better.
    fn estimate(&self, depth: i32, found: &Iteration) -> Score {
        let same_move = |line: &&Info| line.pv.first() == found.pv.first();
        let least = || self.lines.iter().min_by_key(|line| line.unrounded);
        let before = self.lines.iter().find(same_move).or_else(least);
        let earlier = before.filter(|line| {
            line.depth as i32 + 1 == depth
                && self.worker.selectivity < Selectivity::Full
                && is_estimate(minimax(line), line.bound)
                && is_estimate(found.score, found.bound)
        });
        let now = found.score.units().score();
        let [new, old] = MEAN_PARTS;
        let mean = |before: Score| (new * now.raw() + old * before.raw()) / (new + old);
        earlier.map_or(now, |line| Score::from_raw(mean(line.unrounded)))
    }

    /// The score of the best of `moves`, by windows that widen around the last one; a bound [`FAR`] from
    /// what a solve asks about.
    fn aspirate(&mut self, depth: i32, moves: u64, rank: usize) -> Option<Iteration> {
        if let Some(guess) = self
            .guess(rank)
            .filter(|_| depth > OPEN_TO && self.is_tested())
        {
            return self.test(depth, moves, rank, guess);
        }
        let (mut alpha, mut beta) = (-INFINITE, INFINITE);
        let mut width = ASPIRATION;
        let (floor, ceiling) = match self.limits.goal.thresholds() {
            Some((low, high)) => ((low - FAR).max(Discs::MIN), (high + FAR).min(Discs::MAX)),
            None => (Discs::MIN, Discs::MAX),
        };
        if let Some(guess) = self.guess(rank).filter(|_| depth > OPEN_TO) {
            let guess = guess.clamp(floor, ceiling);
            (alpha, beta) = (guess - width, guess + width);
        }
        loop {
            let (score, pv) = self.search::<false>(depth, (alpha, beta), moves, rank)?;
            width = width + width;
            if score <= alpha && alpha > floor {
                alpha = score - width;
            } else if score >= beta && beta < ceiling {
                beta = score + width;
            } else {
                let bound = match score {
                    _ if score <= alpha && alpha > Discs::MIN => Bound::Upper,
                    _ if score >= beta && beta < Discs::MAX => Bound::Lower,
                    _ => Bound::Exact,
                };
                return Some(Iteration {
                    score: score.clamp(Discs::MIN, Discs::MAX),
                    bound,
                    pv,
                });
            }
        }
    }

    /// Searches the root's `moves` with one window. `None`: aborted.
    pub(super) fn search<const END: bool>(
        &mut self,
        depth: i32,
        window: (Discs, Discs),
        moves: u64,
        rank: usize,
    ) -> Option<(Discs, Vec<Move>)> {
        let first = self.first_move(moves, rank);
        let root = &self.root;
        let (Best { score, square }, mut pv) = self
            .worker
            .pv_moves::<END>(root, depth, window, moves, first);
        if self.worker.aborted() {
            let found = Iteration {
                score,
                bound: Bound::Lower,
                pv,
            };
            let is_better = score > window.0 && !found.pv.is_empty();
            self.unfinished = is_better.then_some((depth, found));
            return None;
        }
        if score > window.0 {
            self.leading = square;
        }
        if END && self.worker.selectivity == Selectivity::Full && moves == self.moves {
            let found = Bound::of(score, window.0, window.1).proven(score.get());
            // A contradiction would be a fault of the search: then nothing is proven.
            self.proven = self.proven.and(found).unwrap_or(Bounds::UNKNOWN);
        }
        if pv.is_empty() {
            // All moves failed low: the best bound names one.
            pv.push(place(square));
        }
        Some((score, pv))
    }

    /// The move to search first: the one that the last window was too low for, else the last
    /// iteration's, else the table's.
    fn first_move(&self, moves: u64, rank: usize) -> u8 {
        let line = self.lines.get(rank);
        let last = line.and_then(|line| line.pv.first()?.square());
        let last = last.map_or(NO_MOVE, |square| square.index() as u8);
        let is_there = |square: &u8| *square != NO_MOVE && moves >> square & 1 != 0;
        let first = [self.leading, last].into_iter().find(is_there);
        first.unwrap_or_else(|| hash_move(self.worker.shared.known.table.probe(self.root.board)))
    }

    /// Searches to the end of the game: selective stages, then the proof.
    fn solve(&mut self) -> bool {
        for &selectivity in stages(self.empties(), self.limits.goal) {
            if !self.has_time() {
                return false;
            }
            self.worker.selectivity = selectivity;
            let done = match self.limits.goal.thresholds() {
                Some((low, high)) => self.solve_thresholds(low, high, selectivity),
                None => self.solve_exact(selectivity),
            };
            if !done {
                return false;
            }
        }
        true
    }

    /// One stage towards the exact score of each line.
    fn solve_exact(&mut self, selectivity: Selectivity) -> bool {
        self.each_line(self.empties(), |this, left, rank| {
            let found = this.close_in(left, rank)?;
            let proof = match selectivity {
                Selectivity::Full => Proof::Exact(found.score.get()),
                _ => Proof::None,
            };
            Some((found, proof))
        })
    }

    /// The final score of the best of `moves`, by odd windows around even guesses.
    fn close_in(&mut self, moves: u64, rank: usize) -> Option<Iteration> {
        let depth = self.empties();
        let guess = self
            .guess(rank)
            .or_else(|| self.guess(rank.wrapping_sub(1)))
            .unwrap_or_else(|| self.worker.horizon_score(&self.root))
            .clamp(Discs::MIN, Discs::MAX);
        let even = even_below(guess);
        let (mut alpha, mut beta) = (even - Discs::ONE, even + Discs::ONE);
        let mut width = Discs::new(2);
        let (mut failed_low, mut failed_high) = (false, false);
        loop {
            let (score, pv) = self.search::<true>(depth, (alpha, beta), moves, rank)?;
            let is_low = score <= alpha && alpha > Discs::MIN;
            let is_high = score >= beta && beta < Discs::MAX;
            if !is_low && !is_high {
                return Some(Iteration {
                    score,
                    bound: Bound::Exact,
                    pv,
                });
            }
            failed_low |= is_low;
            failed_high |= is_high;
            let (below, above) = (score - Discs::ONE - width, score + Discs::ONE + width);
            (alpha, beta) = if failed_low && failed_high {
                // Selective results can contradict each other: open both sides.
                (below, above)
            } else if is_low {
                (below, alpha)
            } else {
                (beta, above)
            };
            (alpha, beta) = (alpha.max(-INFINITE), beta.min(INFINITE));
            width = width + width;
        }
    }

    /// One stage towards which of two thresholds the score of each line reaches: even discs, the
    /// next to each other or equal.
    fn solve_thresholds(&mut self, low: Discs, high: Discs, selectivity: Selectivity) -> bool {
        self.each_line(self.empties(), |this, left, rank| {
            let mut found = this.place_between(low, high, left, rank)?;
            if selectivity < Selectivity::Full || this.limits.goal != Goal::WLD {
                return Some((found, Proof::None));
            }
            let value = match found.bound {
                Bound::Lower => GameValue::Win,
                Bound::Exact => GameValue::Draw,
                Bound::Upper => GameValue::Loss,
            };
            found.pv = this.winning_line(value, &found.pv)?;
            Some((found, Proof::Wld(value)))
        })
    }

    /// Is the score of the best of `moves` below both thresholds, at least both, or exactly
    /// the lower one? The likelier question comes first. The line shows the answer.
    fn place_between(
        &mut self,
        low: Discs,
        high: Discs,
        moves: u64,
        rank: usize,
    ) -> Option<Iteration> {
        let guess = self
            .guess(rank)
            .unwrap_or_else(|| self.worker.horizon_score(&self.root));
        let depth = self.empties();
        let mut reaches = |threshold: Discs| {
            let window = (threshold - Discs::ONE, threshold);
            let (score, pv) = self.search::<true>(depth, window, moves, rank)?;
            Some((Bound::of(score, window.0, window.1), score, pv))
        };
        let beside = |(bound, score, pv)| Some(Iteration { score, bound, pv });
        let high_first = guess > low;
        let (first, second) = if high_first { (high, low) } else { (low, high) };
        // At least the higher one, or less than the lower one: that is all.
        let outside = if high_first {
            Bound::Lower
        } else {
            Bound::Upper
        };
        let found = reaches(first)?;
        if found.0 == outside || low == high {
            return beside(found);
        }
        let found_too = reaches(second)?;
        if found_too.0 != outside {
            return beside(found_too);
        }
        let (_, _, pv) = if high_first { found_too } else { found };
        beside((Bound::Exact, low, pv))
    }

    /// A line from the root to the end of the game on which the side that can
    /// keep `value` keeps it, beginning with the move of `pv`.
    fn winning_line(&mut self, mut value: GameValue, pv: &[Move]) -> Option<Vec<Move>> {
        let mut line = vec![*pv.first()?];
        let mut node = self.root.clone();
        let mut next = pv.first()?.square();
        while let Some(square) = next {
            node = node.play(square.index(), node.board.play(square));
            value = value.opposite();
            if node.board.must_pass() {
                line.push(Move::Pass);
                node = node.pass();
                value = value.opposite();
            }
            next = self.keeping_move(&node, value)?;
            line.extend(next.map(Move::Place));
        }
        Some(line)
    }

    /// A move of `node` after which its `value` still stands; `Some(None)` at the end of the game.
    fn keeping_move(&mut self, node: &Node, value: GameValue) -> Option<Option<Square>> {
        let board = node.board;
        let moves = simd::legal_moves(board.player, board.opponent);
        let hint = self
            .worker
            .best_known_move(board)
            .filter(|square| moves & square.bit() != 0);
        let depth = board.empty_count() as i32 - 1;
        let mut others = Bitboard(moves);
        // What the opponent may at most have: his score must not be better than this.
        let most = match value {
            GameValue::Win => Discs::new(-1),
            GameValue::Draw => Discs::ONE,
            GameValue::Loss => return Some(hint.or_else(|| others.next())),
        };
        let others = others.filter(|&square| Some(square) != hint);
        for square in hint.into_iter().chain(others) {
            let child = node.play(square.index(), board.play(square));
            let score = self.worker.null_window::<true>(&child, depth, most);
            if self.worker.aborted() {
                return None;
            }
            if score <= most {
                return Some(Some(square));
            }
        }
        Some(None)
    }

    /// Is there time for one more iteration?
    fn has_time(&self) -> bool {
        let shared = self.worker.shared;
        let is_first = self.lines.is_empty();
        shared.clock.begin_iteration(is_first, self.pace.factor()) && !shared.is_aborted()
    }

    /// Notes one line of the iteration that runs.
    fn report(&mut self, depth: i32, rank: usize, found: Iteration, proof: Proof) {
        self.worker.publish_nodes();
        let shared = self.worker.shared;
        let selectivity = self.worker.selectivity;
        let estimate = self.estimate(depth, &found);
        let info = Info {
            depth: depth as u32,
            selectivity,
            multipv: rank + 1,
            score: Score::from_discs(estimate.discs()),
            unrounded: estimate,
            minimax: found.score.units().score(),
            bound: found.bound,
            proof,
            nodes: shared.nodes(),
            time: shared.clock.elapsed(),
            hashfull: shared.known.table.permille_full(),
            pv: found.pv,
        };
        self.current.push(info);
        self.leading = NO_MOVE;
    }

    /// Puts the lines of a finished iteration in order of their estimates, keeps and sends them.
    fn finish_iteration(&mut self) {
        self.lines = std::mem::take(&mut self.current);
        self.lines
            .sort_by_key(|line| std::cmp::Reverse(line.unrounded));
        let best = self.lines.first();
        if let Some((line, &square)) = best.and_then(|line| Some((line, line.pv.first()?))) {
            self.pace.note(square, minimax(line));
        }
        for (rank, info) in self.lines.iter_mut().enumerate() {
            info.multipv = rank + 1;
            if let Some(reporter) = &mut self.worker.reporter {
                reporter.send(info.clone());
            }
        }
    }
}

/// The depth of the last midgame iteration before a solve; 0: none.
fn plies_before_solve(empties: i32, goal: Goal) -> i32 {
    if empties <= SOLVE_DIRECTLY {
        return 0;
    }
    let left = match (goal, empties) {
        (Goal::Solve(_), 22..) => 16,
        (Goal::Play | Goal::EXACT, _) => 10,
        (Goal::Solve(_), _) => 12,
    };
    (empties - left).max(4)
}

/// The selective stages of a solve, and the proof at the end.
fn stages(empties: i32, goal: Goal) -> &'static [Selectivity] {
    use Selectivity::{Full, P73, P87, P95, P98, P99};
    match (goal, empties) {
        (_, ..=SOLVE_DIRECTLY) => &[Full],
        (Goal::Solve(question), ..=16) if question != Question::Exact => &[Full],
        (Goal::Play, ..=24) | (_, ..=21) => &[P73, Full],
        (Goal::Play, _) => &[P73, P87, P95, P98, P99, Full],
        (_, ..=24) => &[P87, Full],
        _ => &[P73, P95, Full],
    }
}

/// The greatest even number of discs that is at most `discs`.
const fn even_below(discs: Discs) -> Discs {
    Discs::new(discs.get() & !1)
}

/// Did a search to a depth estimate this score? Who has no disc left has lost all 64 for certain.
fn is_estimate(score: Discs, bound: Bound) -> bool {
    bound == Bound::Exact && Discs::MIN < score && score < Discs::MAX
}

/// The bit of the first move of a line, 0 for a pass.
fn first_square(pv: &[Move]) -> u64 {
    pv.first()
        .and_then(|mv| mv.square())
        .map_or(0, |square| square.bit())
}
