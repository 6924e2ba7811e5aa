//! The answers, as text. Numbers have a decimal point and no exponent; a field has no blanks.

use std::time::Duration;

use crate::analysis::Judged;
use crate::engine::BookHint;
use crate::formats::ggf::{Annotation, move_text};
use crate::rules::Move;
use crate::score::GameValue;
use crate::search::{Info, Proof};

/// One hint: `search F5D6C3 2.00 0 12`.
pub(super) fn search(info: &Info, eval: f64, empties: u32) -> String {
    let moves: String = info.pv.iter().copied().map(move_text).collect();
    format!("search {moves} {eval:.2} 0 {}", depth(info, empties))
}

/// What a book says of a move: `book F5D6C3 0.50 12 16`: its score, games and depth.
pub(super) fn book(hint: &BookHint) -> String {
    /// Moves that are shown.
    const MOVES: usize = 8;
    let moves: String = hint
        .line
        .iter()
        .take(MOVES)
        .copied()
        .map(move_text)
        .collect();
    let (eval, games, depth) = (hint.score.to_f64() + 0.0, hint.games, hint.depth);
    format!("book {moves} {eval:.2} {games} {depth}")
}

/// `12`, `73%` (solved, probably), `100%` (exactly) or `100%W` (win, loss or draw).
/// `empties` are those of the position.
fn depth(info: &Info, empties: u32) -> String {
    match info.proof {
        Proof::Exact(_) => "100%".to_owned(),
        Proof::Wld(_) => "100%W".to_owned(),
        Proof::None if info.depth >= empties => info.selectivity.to_string(),
        Proof::None => info.depth.to_string(),
    }
}

/// In discs for the side to move; a win whose score is not known is +2, a loss −2. `contempt`
/// is what a proven draw counts for that side, in hundredths.
pub(super) fn eval(info: &Info, contempt: i32) -> f64 {
    match info.proof {
        Proof::Exact(0) | Proof::Wld(GameValue::Draw) => f64::from(contempt) / 100.0,
        Proof::Wld(GameValue::Win) => 2.0,
        Proof::Wld(GameValue::Loss) => -2.0,
        Proof::Exact(_) | Proof::None => info.score.to_f64(),
    }
}

/// `=== F5/1.00/0.52`
pub(super) fn chosen(mv: Move, eval: Option<f64>, time: Duration) -> String {
    let note = Annotation {
        evaluation: eval,
        time: Some(time),
    };
    format!("=== {}{note}", move_text(mv))
}

/// `nodestats 52605 0.10`
pub(super) fn node_stats(nodes: u64, time: Duration) -> String {
    format!("nodestats {nodes} {:.3}", time.as_secs_f64())
}

/// `analysis 12 -2.00`: the position after that many moves. NBoard draws the number as
/// black's score.
pub(super) fn analysis(judged: &Judged) -> String {
    let score = judged.worth.score.to_f64();
    let score = judged.side.pick(score, -score);
    // Not `-0.00`.
    format!("analysis {} {:.2}", judged.moves, score + 0.0)
}
