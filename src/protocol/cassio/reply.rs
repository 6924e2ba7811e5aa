//! The results, as text.

use crate::rules::{Color, Move, Position};
use crate::score::GameValue;
use crate::search::{Bound, Info, Proof};

/// `<pos>, move D3, depth 8, @73%, B+1.00 <= v <= B+1.00, D3c5F6, node 5941, time 0.012`
pub(super) fn result(position: Position, info: &Info) -> String {
    let cells = position.to_string().replace(' ', "");
    let side = match position.side {
        Color::Black => 'B',
        Color::White => 'W',
    };
    let best = info
        .pv
        .first()
        .map_or_else(|| "--".to_owned(), |&mv| upper(mv));
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
fn line_of_play(side: Color, moves: &[Move]) -> String {
    let mut side = side;
    let mut text = String::new();
    for &mv in moves {
        let word = match side {
            Color::Black => upper(mv),
            Color::White => upper(mv).to_ascii_lowercase(),
        };
        text.push_str(&word);
        side = side.opponent();
    }
    text
}

fn upper(mv: Move) -> String {
    match mv {
        Move::Place(square) => format!("{square:#}"),
        Move::Pass => "PA".to_owned(),
    }
}
