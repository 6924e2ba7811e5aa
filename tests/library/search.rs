//! The search as a whole: limits, stops, lines, passes and ends, any number of threads, and
//! full-width searches against a plain minimax of the same evaluation.
//!
//! `tests/library/endgame.rs` has the proven scores of positions with few empties; here are those
//! with so many that selective stages, the shared table and split points take part.

use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use emilia::eval::Evaluator;
use emilia::formats::obf;
use emilia::oracle::reference;
use emilia::rules::{Bitboard, Board, Move, Position, Square, Symmetry};
use emilia::score::{GameValue, Score};
use emilia::search::{
    Bound, Control, Goal, Info, Limits, Outcome, Proof, SearchOptions, Searcher, Selectivity,
    TimeLimit,
};
use emilia::text::read_all;

/// Positions of Emilia's own games, from the opening to the late midgame.
const MIDGAME: [&str; 6] = [
    "---------------------------OX------XO--------------------------- X",
    "----------OO------XOXX-----XO-----OOXO------XX------------------ X",
    "-------------------OOO----XOOO-----XXOX---XXXXO-----X----------- O",
    "--XXO-----XXOO----XXOXX--XXOOXO---OOOX------OX------O----------- O",
    "----------------X-OX----XXOXXX--XOXXXX--XXOOXO--X-OOOO---OOOOO-- O",
    "----------OXXX---XXOXX---XXXOXO--XOXXOOO-XOOOXOO--OOOOX----O---- O",
];

/// A position that takes long to solve: 36 empties.
const HARD: &str = "--XXO-----XXOO----XXOXX--XXOOXO---OOOX------OX------O----------- O";

/// How long a stopped search may take before the test fails.
const WATCHDOG: Duration = Duration::from_secs(120);

fn board(text: &str) -> Board {
    let position: Position = text.parse().expect("a position");
    position.board
}

fn problems(file: &str) -> Vec<obf::Problem> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(file);
    let text = std::fs::read(path).expect("test data");
    let problems = read_all(&*text, obf::parse_line).expect("well formed");
    assert!(!problems.is_empty());
    problems
}

/// Few empties, with the score of every move.
fn small_endgames() -> Vec<obf::Problem> {
    problems("endgames-12.obf")
}

/// 13 to 17 empties, with the value.
fn large_endgames() -> Vec<obf::Problem> {
    problems("endgames-17.obf")
}

fn searcher(threads: usize, hash_mb: usize) -> Searcher {
    let options = SearchOptions { threads, hash_mb };
    Searcher::new(Evaluator::embedded(), options).expect("memory")
}

/// Searches without the results of earlier searches.
fn search(searcher: &mut Searcher, board: Board, limits: &Limits) -> Outcome {
    searcher.forget();
    searcher.search(board, limits, &Control::new(), &mut |_| {})
}

fn solve(goal: Goal) -> Limits {
    Limits {
        goal,
        ..Limits::default()
    }
}

fn to_depth(depth: u32, selectivity: Selectivity) -> Limits {
    Limits {
        depth: Some(depth),
        selectivity,
        ..Limits::default()
    }
}

fn best_line(outcome: &Outcome) -> &Info {
    outcome.lines.first().expect("a line")
}

/// The discs of a proven score.
fn exact(line: &Info) -> i32 {
    match line.proof {
        Proof::Exact(discs) => discs,
        other => panic!("not proven: {other:?}"),
    }
}

/// The proven result.
fn value(line: &Info) -> GameValue {
    match line.proof {
        Proof::Exact(discs) => GameValue::of_discs(discs),
        Proof::Wld(value) => value,
        Proof::None => panic!("not proven"),
    }
}

/// The board at the end of a line, and whether its mover is the one to move at the start.
fn follow(start: Board, line: &[Move]) -> (Board, bool) {
    let mut position = Position {
        board: start,
        ..Position::START
    };
    for &mv in line {
        position = position
            .play(mv)
            .unwrap_or_else(|| panic!("{mv} is illegal in {line:?}"));
    }
    (position.board, position.side == Position::START.side)
}

/// The parts of an outcome that must be equal in each run: all but the times.
fn fingerprint(outcome: Outcome) -> Outcome {
    let lines = outcome.lines.into_iter().map(|line| Info {
        time: Duration::ZERO,
        ..line
    });
    Outcome {
        lines: lines.collect(),
        time: Duration::ZERO,
        ..outcome
    }
}

// Endgames with selective stages before the proof.

/// Solves the large endgames both ways, and compares with the known scores.
fn check_large(threads: usize, hash_mb: usize, symmetry: Symmetry) {
    let mut searcher = searcher(threads, hash_mb);
    for problem in large_endgames() {
        let known = problem.score().expect("the file has scores");
        let board = problem.position.board.transform(symmetry);

        let outcome = search(&mut searcher, board, &solve(Goal::EXACT));
        let line = best_line(&outcome);
        assert_eq!(exact(line), known, "{problem}");
        assert_eq!(line.score, Score::from_discs(known), "{problem}");
        assert_eq!(line.bound, Bound::Exact, "{problem}");
        let (end, same_side) = follow(board, &line.pv);
        assert!(end.is_over(), "{problem}");
        let sign = if same_side { 1 } else { -1 };
        assert_eq!(sign * end.final_score(), known, "{problem}");

        let outcome = search(&mut searcher, board, &solve(Goal::WLD));
        let line = best_line(&outcome);
        let result = GameValue::of_discs(known);
        assert_eq!(value(line), result, "{problem}");
        let (end, same_side) = follow(board, &line.pv);
        assert!(end.is_over(), "{problem}");
        let sign = if same_side { 1 } else { -1 };
        let reached = GameValue::of_discs(sign * end.final_score());
        assert_eq!(reached, result, "{problem}");
    }
}

#[test]
fn large_endgames_have_their_proven_scores() {
    check_large(1, 16, Symmetry::IDENTITY);
}

#[test]
fn large_endgames_have_their_scores_in_the_smallest_table() {
    check_large(1, 1, Symmetry::ALL[3]);
}

#[test]
fn large_endgames_have_their_scores_with_more_threads() {
    check_large(2, 16, Symmetry::ALL[5]);
    check_large(4, 1, Symmetry::ALL[6]);
}

#[test]
fn large_nodes_that_helpers_join_keep_their_score() {
    // 22 empties, from `emilia positions --seed 11`; one thread finds the same.
    let board = board("-OOOOOO---XXXO-O---OOOOO--XOOXOO--XOOOOO--XOXOO---OXOO---OOOOO-- X");
    for threads in [1, 2, 16] {
        let mut searcher = searcher(threads, 16);
        let outcome = search(&mut searcher, board, &solve(Goal::EXACT));
        assert_eq!(exact(best_line(&outcome)), 26, "{threads} threads");
        let outcome = search(&mut searcher, board, &solve(Goal::WLD));
        assert_eq!(
            value(best_line(&outcome)),
            GameValue::Win,
            "{threads} threads"
        );
    }
}

#[test]
fn a_move_of_a_game_near_its_end_is_exact() {
    let mut searcher = searcher(1, 16);
    for problem in large_endgames() {
        let outcome = search(&mut searcher, problem.position.board, &solve(Goal::Play));
        let line = best_line(&outcome);
        assert_eq!(Some(exact(line)), problem.score(), "{problem}");
        assert!(outcome.complete);
    }
}

#[test]
fn nodes_of_a_solve_do_not_depend_on_what_came_before() {
    let problems = large_endgames();
    for goal in [Goal::EXACT, Goal::WLD] {
        let mut used = searcher(1, 1);
        let mut solve_again = |board: Board| {
            used.search(board, &solve(goal), &Control::new(), &mut |_| {})
                .nodes
        };
        // Each twice in a row, so that the second one meets the entries of the first.
        let again: Vec<[u64; 2]> = problems
            .iter()
            .map(|problem| [(); 2].map(|()| solve_again(problem.position.board)))
            .collect();
        for (problem, again) in problems.iter().zip(again) {
            let fresh = search(&mut searcher(1, 1), problem.position.board, &solve(goal)).nodes;
            assert_eq!(again, [fresh; 2], "{problem} {goal:?}");
        }
    }
}

// Root moves.

#[test]
fn every_line_has_the_score_of_a_search_of_its_move_alone() {
    let mut searcher = searcher(1, 4);
    for problem in small_endgames().iter().step_by(4) {
        let board = problem.position.board;
        if board.must_pass() {
            continue;
        }
        for goal in [Goal::EXACT, Goal::WLD] {
            let all = Limits {
                multipv: 64,
                ..solve(goal)
            };
            let all = search(&mut searcher, board, &all);
            assert_eq!(all.lines.len(), problem.moves.len());
            for line in &all.lines {
                let square = line.pv[0].square().expect("a square");
                let alone = Limits {
                    moves: Some(Bitboard(square.bit())),
                    ..solve(goal)
                };
                let alone = search(&mut searcher, board, &alone);
                assert_eq!(line.proof, best_line(&alone).proof, "{square} in {problem}");
                assert_eq!(alone.best, Some(Move::Place(square)));
            }
        }
    }
}

#[test]
fn only_the_chosen_moves_are_searched() {
    let mut searcher = searcher(1, 4);
    for problem in small_endgames() {
        let (best, _) = problem.moves[0];
        let others: Vec<(Move, i32)> = problem
            .moves
            .iter()
            .copied()
            .filter(|&(mv, _)| mv != best)
            .collect();
        let chosen = others.iter().filter_map(|(mv, _)| mv.square());
        let chosen = Bitboard(chosen.map(Square::bit).fold(0, |all, bit| all | bit));
        let Some(known) = others.iter().map(|&(_, score)| score).max() else {
            continue;
        };
        let limits = Limits {
            moves: Some(chosen),
            ..solve(Goal::EXACT)
        };
        let outcome = search(&mut searcher, problem.position.board, &limits);
        assert_eq!(exact(best_line(&outcome)), known, "{problem}");
        assert_ne!(outcome.best, Some(best), "{problem}");
    }
    for text in MIDGAME {
        let board = board(text);
        for square in board.legal_moves() {
            let limits = Limits {
                moves: Some(Bitboard(square.bit())),
                ..to_depth(4, Selectivity::P73)
            };
            let outcome = search(&mut searcher, board, &limits);
            assert_eq!(outcome.best, Some(Move::Place(square)), "{text}");
            assert_eq!(best_line(&outcome).pv[0], Move::Place(square), "{text}");
        }
    }
}

#[test]
fn lines_are_different_moves_in_the_order_of_their_scores() {
    let mut searcher = searcher(1, 4);
    for text in MIDGAME {
        let board = board(text);
        for multipv in [1, 2, 4, 64] {
            let limits = Limits {
                multipv,
                ..to_depth(7, Selectivity::P87)
            };
            let outcome = search(&mut searcher, board, &limits);
            let moves = board.legal_moves().count() as usize;
            assert_eq!(outcome.lines.len(), multipv.min(moves), "{text}");
            assert_eq!(outcome.best, outcome.lines[0].pv.first().copied(), "{text}");
            assert!(outcome.lines.is_sorted_by_key(|line| -line.score), "{text}");
            let mut seen = Vec::new();
            for (rank, line) in (1..).zip(&outcome.lines) {
                assert_eq!(line.multipv, rank, "{text}");
                assert!(!seen.contains(&line.pv[0]), "{text}");
                seen.push(line.pv[0]);
                follow(board, &line.pv);
            }
        }
    }
}

// Limits.

#[test]
fn iterations_end_at_the_given_depth() {
    let mut searcher = searcher(1, 4);
    for text in MIDGAME {
        for depth in [1, 2, 5, 8] {
            let mut depths = Vec::new();
            let mut nodes = 0;
            searcher.forget();
            let outcome = searcher.search(
                board(text),
                &to_depth(depth, Selectivity::P73),
                &Control::new(),
                &mut |info| {
                    depths.push(info.depth);
                    assert!(info.nodes >= nodes, "nodes count upwards");
                    nodes = info.nodes;
                },
            );
            depths.dedup();
            assert_eq!(depths, (1..=depth).collect::<Vec<u32>>(), "{text}");
            assert_eq!(best_line(&outcome).depth, depth, "{text}");
            assert!(outcome.complete && outcome.nodes >= nodes, "{text}");
        }
    }
}

#[test]
fn a_depth_beyond_the_end_of_the_game_is_a_solve() {
    let problem = &small_endgames()[0];
    let outcome = search(
        &mut searcher(1, 1),
        problem.position.board,
        &to_depth(60, Selectivity::P73),
    );
    assert_eq!(Some(exact(best_line(&outcome))), problem.score());
}

/// The most nodes between two checks of the limits.
const SLACK: u64 = 50_000;

#[test]
fn a_search_ends_soon_after_its_node_limit() {
    for threads in [1, 2] {
        let mut searcher = searcher(threads, 4);
        for text in MIDGAME {
            for nodes in [1, 1_000, 100_000] {
                let limits = Limits {
                    nodes: Some(nodes),
                    ..Limits::default()
                };
                let outcome = search(&mut searcher, board(text), &limits);
                assert!(outcome.nodes <= nodes + SLACK, "{text} {}", outcome.nodes);
                assert!(!outcome.complete, "{text}");
                let best = outcome.best.and_then(Move::square).expect("a move");
                assert!(board(text).legal_moves().contains(best), "{text}");
            }
        }
    }
}

/// Ways to set the time of a search that ponders: by its limits, or by the hit.
fn pondering_with(time: TimeLimit) -> [(Limits, impl Fn(&Control)); 2] {
    let by_the_hit = |named: Option<TimeLimit>| {
        move |control: &Control| match named {
            Some(time) => control.ponderhit_with(time),
            None => control.ponderhit(),
        }
    };
    let limits = Limits {
        time,
        ..Limits::default()
    };
    [
        (limits, by_the_hit(None)),
        (Limits::default(), by_the_hit(Some(time))),
    ]
}

#[test]
fn pondering_has_no_time_limit_until_the_hit() {
    for (limits, hit) in pondering_with(TimeLimit::Move(Duration::from_millis(1))) {
        let control = Control::pondering();
        let mut deepest = 0;
        let outcome = searcher(1, 4).search(board(HARD), &limits, &control, &mut |info| {
            deepest = info.depth;
            if deepest >= 9 {
                hit(&control);
            }
        });
        assert!(deepest >= 9, "ended at depth {deepest}");
        assert!(!outcome.complete);
    }
}

#[test]
fn a_move_that_was_thought_about_for_long_comes_with_the_hit() {
    let clock = TimeLimit::Clock {
        remaining: Duration::from_secs(8),
        increment: Duration::ZERO,
        moves_to_go: None,
    };
    for (limits, hit) in pondering_with(clock) {
        let control = Control::pondering();
        let mut at = None;
        let outcome = searcher(1, 4).search(board(HARD), &limits, &control, &mut |info| {
            if at.is_none() && info.time >= Duration::from_secs(2) {
                hit(&control);
                at = Some(info.nodes);
            }
        });
        let after_hit = at.map(|at| outcome.nodes - at).expect("a report");
        assert!(!outcome.complete && after_hit <= SLACK, "{after_hit} nodes");
    }
}

// Stops.

/// Searches in a thread of its own, which `act` may stop; fails if it does not end then.
fn watched(
    threads: usize,
    goal: Goal,
    multipv: usize,
    act: impl Fn(&Control, Option<&Info>) + Send + 'static,
) -> Outcome {
    let (send, receive) = mpsc::channel();
    thread::spawn(move || {
        let limits = Limits {
            multipv,
            ..solve(goal)
        };
        let control = Control::new();
        act(&control, None);
        let outcome = searcher(threads, 16).search(board(HARD), &limits, &control, &mut |info| {
            act(&control, Some(info));
        });
        send.send(outcome)
    });
    receive.recv_timeout(WATCHDOG).expect("the search ends")
}

fn check_stopped(outcome: &Outcome) {
    assert!(!outcome.complete);
    let best = outcome.best.and_then(Move::square).expect("a move");
    assert!(board(HARD).legal_moves().contains(best));
    for line in &outcome.lines {
        assert_eq!(line.proof, Proof::None);
        follow(board(HARD), &line.pv);
    }
}

#[test]
fn a_stop_ends_every_kind_of_search() {
    for threads in [1, 2] {
        for goal in [Goal::Play, Goal::EXACT, Goal::WLD] {
            for multipv in [1, 3] {
                let outcome = watched(threads, goal, multipv, |control, info| {
                    if info.is_some_and(|info| info.depth >= 8) {
                        control.stop();
                    }
                });
                check_stopped(&outcome);
                assert_eq!(outcome.lines.len(), multipv);
            }
        }
    }
}

#[test]
fn a_stop_from_another_thread_is_noticed_in_the_middle_of_an_iteration() {
    for threads in [1, 2] {
        for goal in [Goal::Play, Goal::EXACT, Goal::WLD] {
            let outcome = watched(threads, goal, 1, |control, info| {
                if info.is_none() {
                    let control = control.clone();
                    thread::spawn(move || {
                        thread::sleep(Duration::from_millis(100));
                        control.stop();
                    });
                }
            });
            check_stopped(&outcome);
        }
    }
}

#[test]
fn a_search_stopped_before_it_began_has_a_legal_move() {
    for goal in [Goal::Play, Goal::EXACT, Goal::WLD] {
        let outcome = watched(2, goal, 1, |control, _| control.stop());
        check_stopped(&outcome);
    }
}

#[test]
fn a_stopped_search_leaves_no_wrong_entries() {
    let mut searcher = searcher(2, 4);
    for problem in large_endgames() {
        // Without forgetting: what the stopped search stored is used.
        for stop_at in 1..=2 {
            let control = Control::new();
            let mut reports = 0;
            searcher.search(
                problem.position.board,
                &solve(Goal::Play),
                &control,
                &mut |_| {
                    reports += 1;
                    if reports == stop_at {
                        control.stop();
                    }
                },
            );
        }
        let outcome = searcher.search(
            problem.position.board,
            &solve(Goal::Play),
            &Control::new(),
            &mut |_| {},
        );
        assert_eq!(
            Some(exact(best_line(&outcome))),
            problem.score(),
            "{problem}"
        );
    }
}

// Passes and ends.

/// Boards whose mover must pass, out of the small endgames.
fn forced_passes() -> Vec<Board> {
    let children = small_endgames().into_iter().flat_map(|problem| {
        let board = problem.position.board;
        board.legal_moves().map(move |square| board.play(square))
    });
    let passes: Vec<Board> = children
        .filter(|&board| board.must_pass() && !board.is_over())
        .collect();
    assert!(passes.len() >= 10, "only {}", passes.len());
    passes
}

#[test]
fn a_forced_pass_has_the_score_of_the_next_board() {
    let mut searcher = searcher(1, 4);
    for board in forced_passes() {
        let known = -reference::solve(board.pass()).score;
        for (goal, multipv) in [(Goal::Play, 1), (Goal::EXACT, 3), (Goal::WLD, 1)] {
            let limits = Limits {
                multipv,
                ..solve(goal)
            };
            let outcome = search(&mut searcher, board, &limits);
            let line = best_line(&outcome);
            assert_eq!(outcome.best, Some(Move::Pass), "{board:?}");
            assert_eq!(outcome.lines.len(), 1, "{board:?}");
            assert_eq!(value(line), GameValue::of_discs(known), "{board:?}");
            if goal != Goal::WLD {
                assert_eq!(exact(line), known, "{board:?}");
            }
            let (scores, bound) = match (goal, GameValue::of_discs(known)) {
                (Goal::WLD, GameValue::Win) => (2..=known, Bound::Lower),
                (Goal::WLD, GameValue::Loss) => (known..=-2, Bound::Upper),
                _ => (known..=known, Bound::Exact),
            };
            assert!(scores.contains(&line.score.discs()), "{board:?}");
            assert_eq!(line.bound, bound, "{board:?}");
            assert_eq!(line.pv[0], Move::Pass, "{board:?}");
            assert!(follow(board, &line.pv).0.is_over(), "{board:?}");
        }
        let outcome = search(&mut searcher, board, &to_depth(2, Selectivity::P73));
        assert_eq!(outcome.best, Some(Move::Pass), "{board:?}");
        follow(board, &best_line(&outcome).pv);
    }
}

#[test]
fn a_finished_game_has_no_move() {
    let ends = [
        Board::new(u64::MAX, 0),
        Board::new(0x0f0f_0f0f_0f0f_0f0f, 0xf0f0_f0f0_f0f0_f0f0),
        // Wiped out; and discs that do not touch.
        Board::new(0, 0x0000_0018_1800_0000),
        Board::new(1, 1 << 63),
    ];
    for end in ends {
        let board = end.expect("disjoint");
        assert!(board.is_over());
        for goal in [Goal::Play, Goal::EXACT, Goal::WLD] {
            let outcome =
                searcher(1, 1).search(board, &solve(goal), &Control::new(), &mut |info| {
                    panic!("nothing to report: {info:?}");
                });
            assert_eq!(outcome.best, None);
            assert!(outcome.complete && outcome.lines.is_empty());
            assert_eq!(outcome.nodes, 0);
        }
    }
}

// The midgame.

/// Searches of every kind, also with helpers, with a node limit, with what the last one found, and stopped before they began.
fn search_all_kinds(searcher: &mut Searcher, board: Board) {
    let limited = Limits {
        nodes: Some(3000),
        warm: true,
        ..solve(Goal::WLD)
    };
    let lines = Limits {
        multipv: 3,
        ..to_depth(5, Selectivity::P95)
    };
    let options = searcher.options();
    for (threads, limits) in [(2, &lines), (1, &limited), (3, &limited)] {
        let changed = SearchOptions { threads, ..options };
        searcher.set_options(changed).expect("threads");
        searcher.search(board, limits, &Control::new(), &mut |_| {});
    }
    searcher.set_options(options).expect("threads");
    let stopped = Control::new();
    stopped.stop();
    searcher.search(board, &lines, &stopped, &mut |_| {});
}

#[test]
fn one_thread_searches_the_same_after_any_other_searches_and_a_new_game() {
    for selectivity in [Selectivity::P73, Selectivity::Full] {
        for multipv in [1, 3] {
            let limits = Limits {
                multipv,
                ..to_depth(8, selectivity)
            };
            let mut used = searcher(1, 1);
            for text in MIDGAME {
                let fresh = fingerprint(search(&mut searcher(1, 1), board(text), &limits));
                search_all_kinds(&mut used, board(text));
                let first = fingerprint(search(&mut used, board(text), &limits));
                let again = fingerprint(search(&mut used, board(text), &limits));
                assert_eq!(first, fresh, "{text}");
                assert_eq!(again, fresh, "{text}");
            }
        }
    }
}

/// The whole game tree to `depth`, without any pruning: discs for the side to move.
fn minimax(evaluator: &Evaluator, board: Board, depth: u32) -> i32 {
    if depth == 0 {
        return evaluator.evaluate(board).discs();
    }
    if board.is_over() {
        return board.final_score();
    }
    if board.must_pass() {
        return -minimax(evaluator, board.pass(), depth);
    }
    board
        .legal_moves()
        .map(|square| -minimax(evaluator, board.play(square), depth - 1))
        .max()
        .expect("a legal move")
}

#[test]
fn a_full_width_search_finds_the_minimax_score() {
    let evaluator = Evaluator::embedded();
    let mut searcher = searcher(1, 4);
    for text in MIDGAME {
        let board = board(text);
        for depth in 1..=5 {
            let known = minimax(&evaluator, board, depth);
            let outcome = search(&mut searcher, board, &to_depth(depth, Selectivity::Full));
            let line = best_line(&outcome);
            assert_eq!(line.score, Score::from_discs(known), "{text} depth {depth}");
            assert_eq!(line.bound, Bound::Exact);
            assert_eq!(line.proof, Proof::None);
        }
    }
}

#[test]
fn every_line_of_a_full_width_search_has_its_minimax_score() {
    let evaluator = Evaluator::embedded();
    let mut searcher = searcher(1, 4);
    for text in MIDGAME {
        let board = board(text);
        let limits = Limits {
            multipv: 64,
            ..to_depth(4, Selectivity::Full)
        };
        for line in &search(&mut searcher, board, &limits).lines {
            let square = line.pv[0].square().expect("a square");
            let known = -minimax(&evaluator, board.play(square), 3);
            assert_eq!(line.score, Score::from_discs(known), "{square} in {text}");
        }
    }
}

#[test]
fn a_full_width_line_leads_to_its_score() {
    let evaluator = Evaluator::embedded();
    let mut searcher = searcher(1, 4);
    for text in MIDGAME {
        for depth in 1..=8 {
            let outcome = search(
                &mut searcher,
                board(text),
                &to_depth(depth, Selectivity::Full),
            );
            let line = best_line(&outcome);
            let (end, same_side) = follow(board(text), &line.pv);
            let score = evaluator.evaluate(end).discs();
            let score = if same_side { score } else { -score };
            assert_eq!(line.score, Score::from_discs(score), "{text} depth {depth}");
        }
    }
}

#[test]
fn a_full_width_score_depends_on_neither_threads_nor_symmetry_nor_table() {
    let limits = to_depth(8, Selectivity::Full);
    for text in MIDGAME {
        let board = board(text);
        let known = best_line(&search(&mut searcher(1, 16), board, &limits)).score;
        for (symmetry, threads) in Symmetry::all().zip([1, 2, 3, 4, 1, 2, 3, 4]) {
            let board = board.transform(symmetry);
            let outcome = search(&mut searcher(threads, 1), board, &limits);
            let line = best_line(&outcome);
            assert_eq!(line.score, known, "{text} {symmetry:?} {threads} threads");
            assert!(outcome.complete);
            follow(board, &line.pv);
        }
    }
}
