//! What a search of a few plies says of all moves of a board, which makes the answers of a model better.

use crate::rules::{Board, Square};
use crate::score::Score;
use crate::search::{Control, Limits, Searcher};

/// The scores of all legal moves of `board` by searches of what follows each, of `depth` plies with the move, for the side to move. Earlier searches do
/// not change them; if `control` has stopped one, they say nothing.
///
/// Each move has a window of its own: a search of several lines gives the same but for noise, and takes more nodes.
pub fn search_values(
    searcher: &mut Searcher,
    board: Board,
    depth: u32,
    control: &Control,
) -> Vec<(Square, Score)> {
    searcher.forget();
    let value = |square| {
        let after = board.play(square);
        (
            square,
            -value_of(searcher, after, depth.saturating_sub(1), control),
        )
    };
    board.legal_moves().map(value).collect()
}

/// The score of a board by a search of `depth` plies, for the side to move.
fn value_of(searcher: &mut Searcher, board: Board, depth: u32, control: &Control) -> Score {
    if depth == 0 || board.is_over() {
        return searcher.evaluator().estimate(board);
    }
    let limits = Limits {
        depth: Some(depth),
        ..Limits::default()
    };
    let outcome = searcher.search(board, &limits, control, &mut |_| {});
    let line = outcome.lines.first();
    line.map_or(Score::DRAW, |line| line.score)
}
