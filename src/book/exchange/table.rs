//! A book for scripts: a line of JSON for each position, or a row of CSV for each of its moves.

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::book::entry::BookEntry;
use crate::book::study::{BookReply, PositionStudy};
use crate::book::tree::Tree;
use crate::rules::{Board, Color, Position};

/// The moves that a book knows, the best first.
fn moves(tree: &Tree, board: Board) -> Vec<BookReply> {
    PositionStudy::of_tree(tree, board).map_or(Vec::new(), |study| study.replies)
}

/// The side to move is X.
pub const fn position(board: Board) -> Position {
    let side = Color::Black;
    Position { board, side }
}

/// A position and its moves.
pub fn json_of(tree: &Tree, board: Board, entry: &BookEntry) -> Value {
    let one = |mv: BookReply| {
        json!({
            "move": mv.square.name(), "score": mv.score.to_f64(), "certainty": mv.certainty.to_string(),
            "depth": mv.depth, "book": mv.is_link,
        })
    };
    let moves: Vec<Value> = moves(tree, board).into_iter().map(one).collect();
    let counts = entry.counts;
    json!({
        "position": position(board).to_string(), "score": entry.score.to_f64(),
        "certainty": entry.certainty.to_string(), "depth": entry.searched_depth(), "wins": counts.wins,
        "draws": counts.draws, "losses": counts.losses, "lines": counts.lines, "moves": moves,
    })
}

pub(super) fn write_json(tree: &Tree, out: &mut impl Write) -> io::Result<()> {
    for (board, entry) in tree.iter() {
        writeln!(out, "{}", json_of(tree, board, entry))?;
    }
    Ok(())
}

pub(super) fn write_csv(tree: &Tree, out: &mut impl Write) -> io::Result<()> {
    writeln!(
        out,
        "position,score,certainty,wins,draws,losses,move,move_score,move_certainty,move_depth,book"
    )?;
    for (board, entry) in tree.iter() {
        let (position, counts) = (position(board), entry.counts);
        for mv in moves(tree, board) {
            let depth = mv.depth.map(|depth| depth.to_string()).unwrap_or_default();
            writeln!(
                out,
                "{position},{},{},{},{},{},{},{},{},{depth},{}",
                entry.score.to_f64(),
                entry.certainty,
                counts.wins,
                counts.draws,
                counts.losses,
                mv.square.name(),
                mv.score.to_f64(),
                mv.certainty,
                mv.is_link
            )?;
        }
    }
    Ok(())
}
