//! The results, as text.

use crate::formats::ggf::move_text;
use crate::rules::{Color, Move, Position};
use crate::score::GameValue;
use crate::search::{Bound, Info, Proof};

/// `<pos>, move D3, depth 8, @73%, B+1.00 <= v <= B+1.00, D3c5F6, node 5941, time 0.012`
pub(super) fn result(position: Position, info: &Info) -> String {
    let cells = position.to_string().replace(' ', "");
    let side = position.side.pick('B', 'W');
    let best = info.pv.first().copied().map(move_text);
    let best = best.as_deref().unwrap_or("--");
    let percent = match info.proof {
        Proof::None => info.selectivity.percent(),
        Proof::Exact(_) | Proof::Wld(_) => 100,
    };
    let (low, high) = bounds(info);
    format!(
        "{cells}, move {best}, depth {}, @{percent}%, {side}{low:+.2} <= v <= {side}{high:+.2}, {}, node {}, time {:.3}",
        info.depth,
        line_of_play(position.side, &info.pv),
        info.nodes,
        info.time.as_secs_f64()
    )
}

/// The bounds of the score; ±64 where they are not known.
fn bounds(info: &Info) -> (f64, f64) {
    const ALL: f64 = 64.0;
    let score = info.score.to_f64();
    match (info.proof, info.bound) {
        (Proof::Wld(GameValue::Win), _) | (_, Bound::Lower) => (score, ALL),
        (Proof::Wld(GameValue::Loss), _) | (_, Bound::Upper) => (-ALL, score),
        (_, Bound::Exact) => (score, score),
    }
}

/// Black's moves in upper, white's in lower case.
fn line_of_play(mut side: Color, moves: &[Move]) -> String {
    let word = |&mv: &Move| {
        let word = side.pick(move_text(mv), move_text(mv).to_ascii_lowercase());
        side = side.opponent();
        word
    };
    moves.iter().map(word).collect()
}
