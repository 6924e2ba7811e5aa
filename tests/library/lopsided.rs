//! Boards on which one side has nearly no discs: wipe-outs must be found by search, at the boldest
//! selectivity and at the depth that just reaches them.
//!
//! The evaluation is wrong there. It overrates the mobility of the side with few discs: it takes
//! the first nine of these boards for undecided, or even the loser for the winner.

use emilia::eval::Evaluator;
use emilia::rules::{Board, Move, Position};
use emilia::score::Score;
use emilia::search::{Control, Limits, SearchOptions, Searcher, Selectivity};

/// Which side can wipe out the other within the depth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verdict {
    /// The side to move its opponent.
    Wins,
    /// The opponent the side to move, after any move.
    Loses,
    /// The opponent, after some moves but not after all.
    MustTakeCare,
}
use Verdict::{Loses, MustTakeCare, Wins};

/// From seeded games of a random player against one that leaves it the fewest discs.
const BOARDS: [(&str, u32, Verdict); 10] = [
    (
        "-X---X--X-X-XX---X-X-XXX-XXXXXXX---XXXOX-XXXXXXX-----O-X-------X O",
        4,
        Loses,
    ),
    (
        "XO-------O-------OOO-X-----XX------XXX----XX--X---XX---X---X---- O",
        6,
        Loses,
    ),
    (
        "----XXXX---O-XX-XXXOXXX--X-OXXXX-XXOXXX--X-O-X--X--OOO-----X---- X",
        6,
        Wins,
    ),
    (
        "-O------OO-O-----OOOOOOOOOOOOO---O-OOOO--OO-O----O-XXX---------- O",
        4,
        Wins,
    ),
    (
        "XXXXO----XXX-----XXX-----O-XX------XXX-----X-XX----X--XX-------- X",
        4,
        Wins,
    ),
    (
        "XX---X-X-XXX-XX---XXXX----XXXX-OXXXXXXXX-X---X-X----OXXX-----X-X X",
        4,
        Wins,
    ),
    (
        "-X-XX--X--XXXXXX-X-XXXXX--XXXXXXO--XXXXX-OXXXXXX--OXXX-XXXXXXXXX X",
        5,
        Wins,
    ),
    (
        "O-OO--OO-OOO-OO---OOOOXO---OO--XOOOOOO---O-O--O-O-O------------- X",
        6,
        MustTakeCare,
    ),
    (
        "--O------OXX----OOOO---OO-OOO-O-OOOOOOO---O-OOO----O-OOO----O-OO X",
        6,
        MustTakeCare,
    ),
    (
        "-OOO-OO---OOO-OOOOOO--O-OOOOOOOOOOOOOOOO--OO-OOO-XXOO-----OO---- X",
        6,
        MustTakeCare,
    ),
];

/// The boards after each move of `board`.
fn children(board: Board) -> Vec<(Move, Board)> {
    if board.must_pass() {
        return vec![(Move::Pass, board.pass())];
    }
    let played = |square| (Move::Place(square), board.play(square));
    board.legal_moves().map(played).collect()
}

/// Can the side to move wipe its opponent out within this many plies, not counting passes?
fn wins(board: Board, plies: u32) -> bool {
    let wiped_out = |&(_, child): &(Move, Board)| child.player == 0;
    plies > 0
        && (children(board).iter().any(wiped_out)
            || children(board)
                .iter()
                .any(|&(mv, child)| loses(child, left(plies, mv))))
}

/// Will it be wiped out itself after any move?
fn loses(board: Board, plies: u32) -> bool {
    plies > 1
        && !board.is_over()
        && children(board)
            .iter()
            .all(|&(mv, child)| wins(child, left(plies, mv)))
}

fn left(plies: u32, mv: Move) -> u32 {
    plies - u32::from(mv != Move::Pass)
}

fn verdict(board: Board, depth: u32) -> Option<Verdict> {
    if wins(board, depth) {
        return Some(Wins);
    }
    let bad = |&(mv, child): &(Move, Board)| wins(child, left(depth, mv));
    let children = children(board);
    match children.iter().filter(|child| bad(child)).count() {
        0 => None,
        all if all == children.len() => Some(Loses),
        _ => Some(MustTakeCare),
    }
}

#[test]
fn wipe_outs_are_found_by_search() {
    let options = SearchOptions {
        threads: 1,
        hash_mb: 4,
    };
    let mut searcher = Searcher::new(Evaluator::embedded(), options).expect("memory");
    for (text, depth, expected) in BOARDS {
        let board = text.parse::<Position>().expect("a position").board;
        assert_eq!(verdict(board, depth), Some(expected), "{text}");
        let limits = Limits {
            depth: Some(depth),
            selectivity: Selectivity::P73,
            ..Limits::default()
        };
        searcher.forget();
        let outcome = searcher.search(board, &limits, &Control::new(), &mut |_| {});
        let score = outcome.lines[0].score;
        match expected {
            Wins => assert_eq!(score, Score::from_discs(64), "{text}"),
            Loses => assert_eq!(score, Score::from_discs(-64), "{text}"),
            MustTakeCare => {
                let chosen = outcome.best.expect("a move");
                let child = children(board).into_iter().find(|child| child.0 == chosen);
                let child = child.expect("a legal move").1;
                assert!(!wins(child, depth - 1), "{text}: {chosen}");
            }
        }
    }
}
