//! What the opening book and people say of a position, and the lines to know by heart, as JSON.

use std::cell::OnceCell;

use emilia::book::lines::{HeartLine, HeartLines, Turn};
use emilia::book::{Certainty, PositionStudy, Tree, builtin_of};
use emilia::human::{MoveShare, Rating, players_model};
use emilia::rules::{Bitboard, Board, Move, Position};
use serde::Deserialize;
use serde_json::{Value, json};

thread_local! {
    static TREE: OnceCell<Tree> = const { OnceCell::new() };
}

/// Takes the bytes of the book. `false`: they are none.
pub(crate) fn take(bytes: Vec<u8>) -> bool {
    let tree = builtin_of(bytes).and_then(|book| Tree::load(&book));
    tree.is_ok_and(|tree| TREE.with(|taken| taken.set(tree).is_ok()))
}

/// The position that is asked about, and players of which rating.
#[derive(Deserialize)]
struct Request {
    /// 64 cells and the side to move, which has a move.
    position: String,
    rating: u16,
    /// Does the side to move learn lines by heart? If this is left out, the moves are asked for.
    learns: Option<bool>,
    /// Discs that a move of the other side may lose in a line.
    #[serde(default)]
    slack: f64,
    /// Lines at most.
    #[serde(default)]
    most: usize,
}

/// What is known: `{"moves": ..}`, `{"lines": ..}`, or `{"error": ..}`.
pub(crate) fn look(request: &[u8]) -> String {
    let found = found(request).unwrap_or_else(|error| json!({ "error": error }));
    found.to_string()
}

fn found(request: &[u8]) -> Result<Value, String> {
    let request: Request = serde_json::from_slice(request).map_err(|error| error.to_string())?;
    let position: Position = request.position.parse().map_err(|_| "no such position")?;
    let board = position.board;
    let rating = Rating::new(request.rating.into());
    let model = players_model().map_err(|error| error.to_string())?;
    let shares = |board: Board| model.probabilities(board, rating, None);
    let Some(learns) = request.learns else {
        return Ok(json!({ "moves": moves(board, &shares(board)) }));
    };
    let turn = if learns { Turn::Own } else { Turn::Other };
    let holds = |board: Board, moves: Bitboard| {
        let shares = shares(board);
        let share = |square| MoveShare::of(square, &shares).map_or(0.0, f64::from);
        moves.map(share).sum::<f64>().min(1.0)
    };
    TREE.with(|tree| {
        let tree = tree.get().ok_or("there is no book")?;
        let lines = HeartLines::best(tree, board, turn, request.slack);
        let mut lines = lines.ok_or("the book does not have this position")?;
        let mut found = lines.lines(board, turn, MOST_LINES, &holds);
        found.truncate(request.most);
        let lines: Vec<Value> = found.iter().map(of_line).collect();
        Ok(json!({ "lines": lines }))
    })
}

/// Of no more lines the worst traps are looked for.
const MOST_LINES: usize = 10_000;

fn of_line(line: &HeartLine) -> Value {
    let moves: String = line
        .moves
        .iter()
        .filter(|&&mv| mv != Move::Pass)
        .map(|mv| mv.name())
        .collect();
    json!({ "moves": moves, "wrong": line.wrong })
}

/// All moves: the share of people who choose each, and what the book says of it.
fn moves(board: Board, shares: &[MoveShare]) -> Vec<Value> {
    let study = TREE.with(|tree| PositionStudy::of_tree(tree.get()?, board));
    let replies = study.map_or(Vec::new(), |study| study.replies);
    let of_move = |share: &MoveShare| {
        let reply = replies.iter().find(|reply| reply.square == share.square);
        json!({
            "move": share.square.name(),
            "share": share.probability,
            "score": reply.map(|reply| reply.score.to_f64()),
            "exact": reply.is_some_and(|reply| reply.certainty == Certainty::Exact),
            "games": reply.map_or(0, |reply| reply.counts.games()),
            "goesOn": reply.is_some_and(|reply| reply.is_link),
        })
    };
    shares.iter().map(of_move).collect()
}
