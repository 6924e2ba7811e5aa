//! The search against proven scores: exact and WLD results, best moves and lines, under
//! the eight symmetries, with one and two threads, and with the smallest table.

use std::path::Path;

use emilia::eval::Evaluator;
use emilia::formats::obf;
use emilia::rules::{Board, Position, Symmetry};
use emilia::score::GameValue;
use emilia::search::{Control, Goal, Limits, Outcome, Proof, SearchOptions, Searcher};
use emilia::text::read_all;

/// Positions with more empties are left to the scripts.
const MOST_EMPTIES: u32 = 12;

fn problems() -> Vec<obf::Problem> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/endgames-12.obf");
    let text = std::fs::read(path).expect("test data");
    let mut problems = read_all(&*text, obf::parse_line).expect("well formed");
    problems.retain(|problem| problem.position.board.empty_count() <= MOST_EMPTIES);
    assert!(!problems.is_empty());
    problems
}

fn searcher(threads: usize, hash_mb: usize) -> Searcher {
    let options = SearchOptions { threads, hash_mb };
    Searcher::new(Evaluator::embedded(), options).expect("memory")
}

fn search(searcher: &mut Searcher, board: Board, goal: Goal, multipv: usize) -> Outcome {
    let limits = Limits {
        goal,
        multipv,
        ..Limits::default()
    };
    searcher.forget();
    searcher.search(board, &limits, &Control::new(), &mut |_| {})
}

/// The exact score that a search proved.
fn exact(outcome: &Outcome) -> i32 {
    match outcome.lines.first().map(|line| line.proof) {
        Some(Proof::Exact(discs)) => discs,
        other => panic!("not proven: {other:?}"),
    }
}

/// The result that a search proved.
fn value(outcome: &Outcome) -> GameValue {
    match outcome.lines.first().map(|line| line.proof) {
        Some(Proof::Exact(discs)) => GameValue::of_discs(discs),
        Some(Proof::Wld(value)) => value,
        other => panic!("not proven: {other:?}"),
    }
}

/// Solves every problem both ways, and compares with the known scores.
fn check(threads: usize, hash_mb: usize, symmetry: Symmetry) {
    let mut searcher = searcher(threads, hash_mb);
    for problem in problems() {
        let known = problem.score().expect("the file has scores");
        let board = problem.position.board.transform(symmetry);
        let outcome = search(&mut searcher, board, Goal::EXACT, 1);
        assert_eq!(exact(&outcome), known, "{problem}, {symmetry:?}");
        let outcome = search(&mut searcher, board, Goal::WLD, 1);
        assert_eq!(
            value(&outcome),
            GameValue::of_discs(known),
            "{problem}, {symmetry:?}"
        );
    }
}

#[test]
fn results_are_the_proven_ones() {
    check(1, 16, Symmetry::IDENTITY);
}

#[test]
fn two_threads_find_the_same_results() {
    check(2, 16, Symmetry::IDENTITY);
}

#[test]
fn the_smallest_table_does_not_change_results() {
    check(1, 1, Symmetry::IDENTITY);
}

#[test]
fn symmetric_boards_have_the_same_results() {
    for symmetry in Symmetry::all() {
        check(1, 4, symmetry);
    }
}

#[test]
fn the_best_move_is_a_known_best_one_and_its_line_leads_to_the_score() {
    let mut searcher = searcher(1, 16);
    for problem in problems() {
        let outcome = search(&mut searcher, problem.position.board, Goal::EXACT, 1);
        let known = problem.score().expect("the file has scores");
        let best = outcome.best.expect("the game is on");
        assert_eq!(problem.move_score(best), Some(known), "{best} in {problem}");
        let line = &outcome.lines[0].pv;
        assert_eq!(line.first(), Some(&best), "{problem}");
        let start = Position {
            board: problem.position.board,
            ..Position::START
        };
        let end = line
            .iter()
            .try_fold(start, |position, &mv| position.play(mv));
        let end = end.unwrap_or_else(|| panic!("illegal line {line:?} in {problem}"));
        assert_eq!(end.result_for_black(), Some(known), "{line:?} in {problem}");
    }
}

#[test]
fn every_move_gets_its_score() {
    let mut searcher = searcher(1, 16);
    for problem in problems() {
        let outcome = search(&mut searcher, problem.position.board, Goal::EXACT, 64);
        assert_eq!(outcome.lines.len(), problem.moves.len(), "{problem}");
        for line in &outcome.lines {
            let mv = *line.pv.first().expect("a move");
            let known = problem.move_score(mv).map(Proof::Exact);
            assert_eq!(Some(line.proof), known, "{mv} in {problem}");
        }
    }
}

#[test]
fn one_thread_visits_the_same_nodes_after_any_other_search() {
    let problems = problems();
    let mut used = searcher(1, 4);
    for problem in &problems {
        let board = problem.position.board;
        let fresh = search(&mut searcher(1, 4), board, Goal::EXACT, 1).nodes;
        let again = search(&mut used, board, Goal::EXACT, 1).nodes;
        assert_eq!(again, fresh, "{problem}");
    }
}

/// By how much the winner wins does not matter, and to find out would cost millions of nodes here.
#[test]
fn a_game_won_by_far_is_proven_in_few_nodes() {
    let boards = [
        (
            "------------------XX-----XXXXXX--XXXXX---XXOXO----XOOOX---XOXXX- X",
            GameValue::Loss,
        ),
        (
            "--------------O-XOOOOO--XOOOO---XXXOO---XOXOO----XOO----X-O-X--- O",
            GameValue::Loss,
        ),
        (
            "-----O-----OOOO---OOOXO--OOOOOOO--OOOOO---OOOOO---O------------- X",
            GameValue::Win,
        ),
        (
            "OOXX----OOXX----OOXOX---OOOXXX---OXXXXX----XXX------------------ X",
            GameValue::Loss,
        ),
    ];
    for (board, expected) in boards {
        let position: Position = board.parse().expect("a position");
        let outcome = search(&mut searcher(1, 16), position.board, Goal::WLD, 1);
        assert_eq!(value(&outcome), expected, "{board}");
        assert!(outcome.nodes < 200_000, "{board}: {}", outcome.nodes);
    }
}
