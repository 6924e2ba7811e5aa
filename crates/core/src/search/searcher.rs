//! The interface of the search: [`Searcher`].

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::budget::TimedMove;
use super::clock::Deadline;
use super::control::Control;
use super::counters::Counts;
use super::deepening::Root;
use super::few_empties::is_solve_of_few;
use super::helpers::FewerThreads;
use super::lag::Lag;
use super::limits::{Goal, Limits, Selectivity};
use super::observer::{Observer, Off, On};
use super::options::{SearchOptions, TableError};
use super::report::{Info, Outcome, Proof};
use super::search_threads::{SearchThreads, Threads};
use super::selectivity::ProbCutTable;
use super::shared::{Knowledge, Shared};
use super::simulation::{CoreUse, Simulation};
use super::table::{Generation, TranspositionTable};
use crate::eval::Evaluator;
use crate::faults;
use crate::host::Instant;
use crate::rules::{Bitboard, Board, Move, Square};
use crate::score::{Bounds, GameValue};

/// Searches boards, one at a time, and keeps what it learned between them.
///
/// To play or to analyse, search within [`Limits`]; another thread may end the search by its [`Control`]:
///
/// ```
/// use std::time::Duration;
///
/// use emilia_core::eval::Evaluator;
/// use emilia_core::rules::Board;
/// use emilia_core::search::{Control, Limits, SearchOptions, Searcher, TimeLimit};
///
/// let options = SearchOptions { threads: 1, hash_mb: 16 };
/// let mut searcher = Searcher::new(Evaluator::embedded(), options)?;
/// let limits = Limits {
///     depth: Some(8),
///     time: TimeLimit::Move(Duration::from_secs(10)),
///     multipv: 2,
///     ..Limits::default()
/// };
/// let control = Control::new();
/// let from_elsewhere = control.clone();
/// let outcome = searcher.search(Board::START, &limits, &control, &mut |info| {
///     if info.depth >= 5 {
///         from_elsewhere.stop();
///     }
/// });
/// assert!(outcome.best.is_some());
/// assert!(!outcome.complete);
/// assert_eq!(outcome.lines.len(), 2);
/// # Ok::<(), emilia_core::search::TableError>(())
/// ```
///
/// To solve an endgame, set another [`Goal`]: the exact score, only who wins, or whether a claim holds.
///
/// ```
/// use emilia_core::eval::Evaluator;
/// use emilia_core::rules::Position;
/// use emilia_core::score::{Bounds, GameValue, Question};
/// use emilia_core::search::{Control, Goal, Limits, Proof, SearchOptions, Searcher};
///
/// let text = "---XXXXX--XXXOOO-OOXOXOXOOOOXXOXOOOXXXXXXOXXOXXX--OXXX----OOX--- O";
/// let board = text.parse::<Position>()?.board;
/// let options = SearchOptions { threads: 1, hash_mb: 16 };
/// let mut searcher = Searcher::new(Evaluator::embedded(), options)?;
/// let mut solve = |goal| {
///     let limits = Limits { goal, ..Limits::default() };
///     searcher.search(board, &limits, &Control::new(), &mut |_| {})
/// };
///
/// assert_eq!(solve(Goal::EXACT).proven, Bounds::exactly(0));
/// assert_eq!(solve(Goal::WLD).lines[0].proof, Proof::Wld(GameValue::Draw));
/// let claim = Question::AtLeast(2);
/// assert_eq!(claim.verdict(solve(Goal::Solve(claim)).proven), Some(false));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Searcher {
    pub(super) known: Knowledge,
    options: SearchOptions,
    /// What the host's clock counts beside the searches.
    lag: Lag,
    pub(super) threads: Box<dyn SearchThreads>,
    fewer_threads: Option<FewerThreads>,
    /// What simulated cores did, if its threads run on such.
    core_use: Option<CoreUse>,
}

impl Searcher {
    /// A searcher with an empty table. It works with fewer threads where the system
    /// has no more: see [`Searcher::fewer_threads`].
    ///
    /// # Errors
    /// If the table's memory cannot be allocated.
    pub fn new(evaluator: Arc<Evaluator>, options: SearchOptions) -> Result<Searcher, TableError> {
        Searcher::with_counters::<Off>(evaluator, options)
    }

    /// A searcher that also counts what it does at its nodes: see [`Searcher::take_counts`].
    ///
    /// # Errors
    /// As for [`Searcher::new`].
    pub fn counting(
        evaluator: Arc<Evaluator>,
        options: SearchOptions,
    ) -> Result<Searcher, TableError> {
        Searcher::with_counters::<On>(evaluator, options)
    }

    /// A searcher whose threads run in turn, on simulated cores: its searches are repeatable to the node, and
    /// [`Searcher::take_core_use`] says how long they would have taken. Limits of time mean nothing to it.
    ///
    /// # Errors
    /// As for [`Searcher::new`].
    pub fn simulating(
        evaluator: Arc<Evaluator>,
        options: SearchOptions,
    ) -> Result<Searcher, TableError> {
        let mut searcher = Searcher::counting(evaluator, options)?;
        searcher.core_use = Some(CoreUse::default());
        Ok(searcher)
    }

    fn with_counters<O: Observer>(
        evaluator: Arc<Evaluator>,
        options: SearchOptions,
    ) -> Result<Searcher, TableError> {
        let megabytes = options.hash_mb;
        let table = TranspositionTable::new(megabytes)?;
        let threads = Threads::<O>::new().ok_or(TableError { megabytes })?;
        let mut searcher = Searcher {
            known: Knowledge {
                table: Arc::new(table),
                probcut: Arc::new(ProbCutTable::new(evaluator.probcut())),
                evaluator,
                wins: None,
            },
            options,
            lag: Lag::default(),
            threads: Box::new(threads),
            fewer_threads: None,
            core_use: None,
        };
        searcher.start_helpers();
        Ok(searcher)
    }

    fn start_helpers(&mut self) {
        self.fewer_threads = self.threads.start_helpers(self.options.threads);
        if let Some(fewer) = &self.fewer_threads {
            log::error!("{fewer}");
        }
    }

    /// What was counted since this was last called, if it counts.
    pub fn take_counts(&mut self) -> Option<Counts> {
        let on = self.threads.observed();
        on.map(|on| std::mem::take(&mut on.counts))
    }

    /// What the simulated cores did since this was last called, if cores are simulated.
    pub fn take_core_use(&mut self) -> Option<CoreUse> {
        self.core_use.as_mut().map(std::mem::take)
    }

    /// How many threads are missing, where fewer search than were asked for.
    pub fn fewer_threads(&self) -> Option<&FewerThreads> {
        self.fewer_threads.as_ref()
    }

    /// The evaluator of the search.
    pub fn evaluator(&self) -> &Arc<Evaluator> {
        &self.known.evaluator
    }

    /// The options that it was given: the threads may be fewer.
    pub fn options(&self) -> SearchOptions {
        self.options
    }

    /// Changes threads and table size. The table is emptied if its size changes. Where not
    /// all threads can be started, it works with those that can.
    ///
    /// # Errors
    /// If the table's memory cannot be allocated; nothing is changed then.
    pub fn set_options(&mut self, options: SearchOptions) -> Result<(), TableError> {
        if options.hash_mb != self.options.hash_mb {
            self.known.table = Arc::new(TranspositionTable::new(options.hash_mb)?);
        }
        let threads = std::mem::replace(&mut self.options, options).threads;
        if options.threads != threads || self.fewer_threads.is_some() {
            self.start_helpers();
        }
        Ok(())
    }

    /// Evaluates with other weights from now on, and forgets everything.
    pub fn set_evaluator(&mut self, evaluator: Arc<Evaluator>) {
        self.known.probcut = Arc::new(ProbCutTable::new(evaluator.probcut()));
        self.known.evaluator = evaluator;
        self.forget();
    }

    /// Forgets all results of earlier searches: the next search is as if it were
    /// the first. Takes no time: the table is renewed, not cleared.
    pub fn forget(&mut self) {
        self.table_mut().renew();
    }

    fn table_mut(&mut self) -> &mut TranspositionTable {
        Arc::get_mut(&mut self.known.table)
            .expect("the helpers of a search that is over share nothing")
    }

    /// Does `work`. A panic in it becomes an error with its message, and the table is renewed,
    /// since its contents may be wrong.
    ///
    /// # Errors
    /// If `work` panics.
    pub fn guarded<T>(&mut self, work: impl FnOnce(&mut Searcher) -> T) -> Result<T, String> {
        faults::caught(|| work(self)).inspect_err(|_| self.forget())
    }

    /// Searches `board` within `limits`; calls `report` with each line of each
    /// completed iteration, and about once a second while one lasts.
    ///
    /// Where the side to move must pass, the board after the pass is searched.
    /// Exact and WLD goals forget what was found before, unless the limits say otherwise, so that their node
    /// counts (with one thread) depend on nothing but the board and the options. Those of few
    /// empties are solved at once, whatever the limits.
    pub fn search(
        &mut self,
        board: Board,
        limits: &Limits,
        control: &Control,
        report: &mut dyn FnMut(&Info),
    ) -> Outcome {
        if is_solve_of_few(board, limits) && !control.is_stopped() {
            return self.solve_few(board, limits.goal, report);
        }
        self.table_mut()
            .begin(if limits.goal == Goal::Play || limits.warm {
                Generation::Next
            } else {
                let megabytes = solve_megabytes(board.empty_count(), limits.goal);
                Generation::First { megabytes }
            });
        if !board.legal_moves().is_empty() {
            return self.search_moves(board, limits, false, control, report);
        }
        let passed = board.pass();
        if passed.legal_moves().is_empty() {
            return Outcome::of(Vec::new(), true, Bounds::exactly(board.final_score()));
        }
        let limits = Limits {
            moves: None,
            multipv: 1,
            goal: limits.goal.opposite(),
            ..limits.clone()
        };
        let outcome = self.search_moves(passed, &limits, true, control, &mut |info| {
            report(&before_pass(info))
        });
        let lines: Vec<Info> = outcome.lines.iter().map(before_pass).collect();
        let nodes = outcome.nodes + 1;
        if let Some(on) = self.threads.observed() {
            on.counts.add_nodes(1, board.empty_count());
        }
        Outcome {
            best: Some(Move::Pass),
            ponder: outcome.best,
            lines,
            nodes,
            proven: outcome.proven.opposite(),
            ..outcome
        }
    }

    /// Solves a board of few empties. Neither the table nor other threads have a part in it.
    fn solve_few(&mut self, board: Board, goal: Goal, report: &mut dyn FnMut(&Info)) -> Outcome {
        let start = Instant::now();
        let (solved, nodes) = self.threads.solve_few(board, goal);
        let (score, bound) = (solved.score, solved.bound);
        let line = solved.line.moves();
        if line.is_empty() {
            return Outcome::of(Vec::new(), true, Bounds::exactly(score.get()));
        }
        let proof = match goal {
            Goal::Play | Goal::EXACT => Proof::Exact(score.get()),
            Goal::WLD => Proof::Wld(GameValue::of_discs(score.get())),
            Goal::Solve(_) => Proof::None,
        };
        let info = Info {
            depth: board.empty_count(),
            selectivity: Selectivity::Full,
            multipv: 1,
            score: score.units().score(),
            unrounded: score.units().score(),
            minimax: score.units().score(),
            bound,
            proof,
            nodes,
            time: start.elapsed(),
            hashfull: 0,
            pv: line.to_vec(),
        };
        report(&info);
        Outcome::of(vec![info], true, bound.proven(score.get()))
    }

    /// Helps with the searches of other searchers under `control`, on the thread that calls,
    /// until there will be no more or it is recalled.
    pub fn help(&mut self, control: &Control, recalled: &AtomicBool) {
        if let Some(join_point) = &control.join_point {
            self.threads.help(join_point, recalled);
        }
    }

    /// What the threads of one search share.
    pub(super) fn shared(&self, control: &Control, deadline: Deadline) -> Shared {
        let (known, signals) = (self.known.clone(), control.signals.clone());
        Shared::new(known, signals, self.options.threads, deadline)
    }

    /// The cores for a search of this goal, if they are simulated.
    fn simulation(&self, goal: Goal) -> Option<Arc<Simulation>> {
        self.core_use?;
        let fewer = self.fewer_threads.as_ref();
        let threads = fewer.map_or(self.options.threads, |fewer| fewer.started);
        Some(Simulation::new(threads.max(1), goal))
    }

    /// Searches a board with legal moves, which may be that after a pass.
    fn search_moves(
        &mut self,
        board: Board,
        limits: &Limits,
        is_pass: bool,
        control: &Control,
        report: &mut dyn FnMut(&Info),
    ) -> Outcome {
        let legal = board.legal_moves().0;
        let chosen = limits.moves.map_or(legal, |moves| moves.0 & legal);
        let moves = if chosen == 0 { legal } else { chosen };

        let choices = if is_pass { 1 } else { moves.count_ones() };
        let turn = TimedMove {
            board,
            choices,
            lag: self.lag,
        };
        let deadline = Deadline {
            budget: turn.budget(limits.time),
            turn: Some(turn),
            nodes: limits.nodes,
        };
        let mut shared = self.shared(control, deadline);
        shared.simulation = self.simulation(limits.goal);
        let shared = Arc::new(shared);
        let root = Root {
            board,
            moves,
            limits,
        };
        let mut found = self.threads.search(&shared, control, &root, report);
        if let Some((sum, simulation)) = self.core_use.as_mut().zip(shared.simulation.as_ref()) {
            *sum += simulation.used();
        }
        if !control.is_pondering() {
            // Only now, as a ponder hit may have brought another clock than that of the limits.
            let time = control.time_at_hit().unwrap_or(limits.time);
            self.lag.asked(board, time);
            self.lag.answered(board, time, shared.clock.own_time());
        }
        let (nodes, time) = (shared.nodes(), shared.clock.elapsed());
        for line in &mut found.lines {
            line.nodes = line.nodes.min(nodes);
        }
        // A search that was stopped before its first iteration plays the move with the best estimate.
        let estimate = |square: &Square| self.known.evaluator.evaluate(board.play(*square));
        let fallback = || Bitboard(moves).min_by_key(estimate).map(Move::Place);
        Outcome {
            best: found.best.or_else(fallback),
            nodes,
            time,
            ..found
        }
    }
}

/// Megabytes of the table that a solve with so many empties uses: somewhat more than it
/// usually fills. Memory that is touched for the first time or is in no cache of the processor
/// costs more than a few lost entries. WLD takes about a fifth of the nodes of the exact score.
fn solve_megabytes(empties: u32, goal: Goal) -> usize {
    let one_megabyte = match goal {
        Goal::EXACT | Goal::Play => 19,
        Goal::Solve(_) => 21,
    };
    let doublings = empties.saturating_sub(one_megabyte);
    1_usize.checked_shl(doublings).unwrap_or(usize::MAX)
}

/// A line of the board after a pass, as a line of the board before it.
fn before_pass(info: &Info) -> Info {
    let mut pv = vec![Move::Pass];
    pv.extend(&info.pv);
    let proof = match info.proof {
        Proof::None => Proof::None,
        Proof::Exact(score) => Proof::Exact(-score),
        Proof::Wld(value) => Proof::Wld(value.opposite()),
    };
    Info {
        score: -info.score,
        minimax: -info.minimax,
        bound: info.bound.opposite(),
        proof,
        pv,
        nodes: info.nodes + 1,
        ..info.clone()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::TimeLimit;
    use super::*;
    use crate::rules::Position;
    use crate::score::{Question, Score};
    use crate::threads::tests::with_starts;

    fn searcher(threads: usize) -> Searcher {
        let options = SearchOptions {
            threads,
            hash_mb: 1,
        };
        Searcher::new(Evaluator::embedded(), options).expect("memory")
    }

    fn board(text: &str) -> Board {
        text.parse::<Position>().expect("a position").board
    }

    fn sixteen_empties() -> Board {
        board("-XXXXXX---XXXX-X--XXXOOX--XXOXXX-OOOXOXXXOOXXXXX-OOOXX---OOOOOO- O")
    }

    fn six_empties() -> Board {
        board("XXXXXXXXXXXXOXXXXXXOOOXXXXOOOOXXXXOOOXXXXXXOXXXXX-XXO-XXX-X---XX O")
    }

    fn solve(searcher: &mut Searcher) -> Option<Proof> {
        let limits = Limits {
            goal: Goal::WLD,
            ..Limits::default()
        };
        let outcome = searcher.search(sixteen_empties(), &limits, &Control::new(), &mut |_| {});
        outcome.lines.first().map(|line| line.proof)
    }

    #[test]
    fn a_search_uses_the_threads_that_can_be_started() {
        let mut searcher = with_starts(2, || searcher(8));
        let fewer = searcher.fewer_threads().expect("five are missing");
        assert_eq!((fewer.started, fewer.wanted), (3, 8));
        let proof = solve(&mut searcher);
        assert!(matches!(proof, Some(Proof::Wld(_))), "{proof:?}");

        let options = SearchOptions {
            threads: 2,
            hash_mb: 1,
        };
        assert_eq!(searcher.set_options(options), Ok(()));
        assert_eq!(searcher.fewer_threads(), None);
        assert_eq!(solve(&mut searcher), proof);
    }

    /// The lines that a search of this board reports, those of an iteration together.
    fn iterations(board: Board, limits: &Limits) -> Vec<Vec<Info>> {
        let mut lines = Vec::new();
        let mut record = |info: &Info| lines.push(info.clone());
        searcher(1).search(board, limits, &Control::new(), &mut record);
        let same = lines.chunk_by(|a, b| a.multipv < b.multipv);
        same.map(<[Info]>::to_vec).collect()
    }

    #[test]
    fn a_score_is_a_mean_over_the_iterations() {
        let limits = Limits {
            depth: Some(9),
            multipv: 3,
            ..Limits::default()
        };
        let found = iterations(sixteen_empties(), &limits);
        assert_eq!(found.len(), 9);
        assert!(found[0].iter().all(|line| line.score == line.minimax));
        let mut means: Vec<(Move, Score)> = Vec::new();
        for lines in &found {
            let least = means.iter().map(|before| before.1).min();
            let mean = |line: &Info| {
                let same_move = means.iter().find(|before| before.0 == line.pv[0]);
                let before = same_move.map(|before| before.1).or(least);
                let now = line.minimax;
                let parts = |before: Score| 2 * now.raw() + 3 * before.raw();
                let mean = before.map_or(now, |before| Score::from_raw(parts(before) / 5));
                (line.pv[0], mean)
            };
            means = lines.iter().map(mean).collect();
            assert!(
                means
                    .iter()
                    .map(|mean| mean.1)
                    .eq(lines.iter().map(|line| line.unrounded))
            );
            let rounded = |mean: &(Move, Score)| Score::from_discs(mean.1.discs());
            let scores: Vec<Score> = lines.iter().map(|line| line.score).collect();
            assert_eq!(scores, means.iter().map(rounded).collect::<Vec<_>>());
            assert!(means.is_sorted_by(|a, b| a.1 >= b.1), "{means:?}");
            assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
        }
    }

    #[test]
    fn at_full_width_and_in_solves_a_score_is_that_of_its_iteration() {
        let full_width = Limits {
            depth: Some(6),
            selectivity: Selectivity::Full,
            ..Limits::default()
        };
        let exact = Limits {
            goal: Goal::EXACT,
            ..Limits::default()
        };
        for limits in [full_width, exact] {
            let found = iterations(sixteen_empties(), &limits).concat();
            assert!(found.len() > 3);
            assert!(found.iter().all(|line| line.score == line.minimax));
        }
    }

    #[test]
    fn a_line_after_a_pass_is_worth_the_opposite_before_it() {
        let limits = Limits {
            depth: Some(5),
            ..Limits::default()
        };
        let found = iterations(sixteen_empties(), &limits).concat();
        let line = found.last().expect("an iteration");
        let before = before_pass(line);
        assert_eq!((before.score, before.minimax), (-line.score, -line.minimax));
    }

    #[test]
    fn limits_that_make_no_sense_are_no_panic() {
        let (most, none) = (Duration::MAX, Duration::ZERO);
        let clock = |remaining, increment, moves_to_go| TimeLimit::Clock {
            remaining,
            increment,
            moves_to_go,
        };
        let times = [
            TimeLimit::Move(none),
            TimeLimit::Move(most),
            clock(most, most, Some(0)),
            clock(none, none, Some(u32::MAX)),
        ];
        let claims = [i32::MIN, -65, -64, -3, 1, 65, 66, i32::MAX]
            .map(|discs| Goal::Solve(Question::AtLeast(discs)));
        let short = Limits {
            depth: Some(2),
            nodes: Some(1000),
            ..Limits::default()
        };
        let with_time = times.map(|time| Limits {
            time,
            ..short.clone()
        });
        let with_claim = claims.map(|goal| Limits {
            goal,
            ..short.clone()
        });
        let others = [
            Limits {
                depth: Some(0),
                multipv: 0,
                ..short.clone()
            },
            Limits {
                depth: Some(u32::MAX),
                multipv: usize::MAX,
                ..short.clone()
            },
            Limits {
                nodes: Some(0),
                moves: Some(Bitboard::EMPTY),
                ..short.clone()
            },
            Limits {
                moves: Some(Bitboard(1)),
                ..short
            },
        ];
        let boards = [
            Board::START,
            Board {
                player: 0,
                opponent: 0,
            },
            Board {
                player: 1,
                opponent: 2,
            },
            Board {
                player: !0,
                opponent: !0,
            },
            six_empties(),
        ];
        let mut searcher = searcher(0);
        for limits in with_time.iter().chain(&with_claim).chain(&others) {
            for board in boards {
                let outcome = searcher.search(board, limits, &Control::new(), &mut |_| {});
                assert_eq!(
                    outcome.best.is_none(),
                    board.is_over(),
                    "{board:?} {limits:?}"
                );
            }
        }
    }

    #[test]
    fn a_pass_takes_no_time_from_the_clock() {
        let board = board("-----OOO-X--XXX--X--XXXX-XXXXX-O---XXXOO---X--OO---X--OO-------O X");
        let limits = Limits {
            time: TimeLimit::Clock {
                remaining: Duration::from_secs(600),
                increment: Duration::ZERO,
                moves_to_go: None,
            },
            ..Limits::default()
        };
        let outcome = searcher(1).search(board, &limits, &Control::new(), &mut |_| {});
        assert_eq!(outcome.best, Some(Move::Pass));
        assert!(outcome.time < Duration::from_secs(5), "{:?}", outcome.time);
    }

    #[test]
    fn an_odd_claim_is_the_next_even_one() {
        let mut searcher = searcher(1);
        for board in [six_empties(), sixteen_empties()] {
            let mut bounds = |goal| {
                let limits = Limits {
                    goal,
                    ..Limits::default()
                };
                searcher
                    .search(board, &limits, &Control::new(), &mut |_| {})
                    .proven
            };
            let score = bounds(Goal::EXACT).score().expect("solved");
            for (claim, holds) in [(score - 1, true), (score, true), (score + 1, false)] {
                let claim = Question::AtLeast(claim);
                assert_eq!(
                    claim.verdict(bounds(Goal::Solve(claim))),
                    Some(holds),
                    "{claim}"
                );
            }
        }
    }

    #[test]
    fn after_a_panic_it_searches_again() {
        let mut searcher = searcher(3);
        let proof = solve(&mut searcher);
        let caught = searcher.guarded(|searcher| {
            let control = Control::new();
            searcher.search(Board::START, &Limits::default(), &control, &mut |_| {
                panic!("no such square: {}", 65)
            })
        });
        assert_eq!(caught.err().as_deref(), Some("no such square: 65"));
        assert_eq!(searcher.guarded(solve), Ok(proof));
    }
}
