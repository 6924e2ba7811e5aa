//! The checker of proofs as a WebAssembly module, for `../src/checker-worker.ts`: a host writes the bytes of a
//! proof, has them checked, and looks positions up in what was checked.

use std::cell::RefCell;

use emilia_verify::board::{Board, Square, squares};
use emilia_verify::file::{Claim, Failure};
use emilia_verify::strategy::{Said, Strategy, verified};
use emilia_verify::walk::Turn;
use serde_json::{Value, json};

/// Bytes of positions that a proof may have: a page of a phone has little more.
const MEMORY: usize = 512 << 20;

mod imports {
    #[link(wasm_import_module = "host")]
    unsafe extern "C" {
        /// Takes an answer: JSON.
        pub(super) fn answer(bytes: *const u8, length: usize);
    }
}

thread_local! {
    static BYTES: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static PROVEN: RefCell<Vec<Strategy>> = const { RefCell::new(Vec::new()) };
}

fn answer(value: &Value) {
    let text = value.to_string();
    // SAFETY: the bytes live until the call returns, and the host only reads them.
    unsafe { imports::answer(text.as_ptr(), text.len()) };
}

/// Where the host writes a proof of `length` bytes.
#[unsafe(no_mangle)]
pub extern "C" fn buffer(length: usize) -> *mut u8 {
    BYTES.with_borrow_mut(|bytes| {
        bytes.clear();
        bytes.resize(length, 0);
        bytes.as_mut_ptr()
    })
}

/// Checks the proof in the buffer. Answers say how far it is, the last one what is proven.
#[unsafe(no_mangle)]
pub extern "C" fn check() {
    let bytes = BYTES.take();
    let mut last = 0;
    let checked = verified(bytes.as_slice(), MEMORY, &mut |progress| {
        let percent = 100 * progress.done / progress.total.max(1);
        if percent > last {
            last = percent;
            answer(&json!({ "percent": percent }));
        }
    });
    match checked {
        Ok((report, strategies)) => {
            let header = &report.header;
            answer(&json!({
                "proven": header.statement(),
                "report": report.to_string(),
                "mover": sixteen(header.root.mover),
                "other": sixteen(header.root.other),
                "black_to_move": header.black_to_move,
                "positions": report.positions(),
                "leaves": report.leaves(),
            }));
            PROVEN.set(strategies);
        }
        Err(Failure::Wrong(reason)) => answer(&json!({ "wrong": reason })),
        Err(Failure::System(reason)) => answer(&json!({ "error": reason })),
    }
}

/// A set of squares in hexadecimal digits: JavaScript has no whole numbers of 64 bits in JSON.
fn sixteen(set: u64) -> String {
    format!("{set:016x}")
}

/// Says what the checked proofs do at a board, where it is the root's mover's turn (1) or the other's (0): for each claim
/// whether it has the board, and the move of its claimant.
#[unsafe(no_mangle)]
pub extern "C" fn look_up(mover: u64, other: u64, roots_turn: u32) {
    if mover & other != 0 {
        return answer(&json!([]));
    }
    let board = Board { mover, other };
    let found = PROVEN.with_borrow(|strategies| {
        let said = strategies
            .iter()
            .map(|strategy| said(strategy, board, roots_turn == 1));
        said.collect::<Vec<Value>>()
    });
    answer(&Value::Array(found));
}

/// What one claim's proof says. "score >= N" is claimed by the root's mover, "score <= N" by its opponent.
fn said(strategy: &Strategy, board: Board, is_roots_turn: bool) -> Value {
    let is_claimants = matches!(strategy.claim, Claim::AtLeast(_)) == is_roots_turn;
    let turn = if is_claimants {
        Turn::Claimant
    } else {
        Turn::Opponent
    };
    let claim = strategy.claim.to_string();
    let word = match strategy.look_up(board, turn) {
        Said::Move(_) => "move",
        Said::Reply => "reply",
        Said::Pass => "pass",
        Said::Leaf => "leaf",
        Said::Over => "over",
        Said::Absent => "absent",
    };
    // Below its leaves the proof does not know the board: whoever kept to it until then is looked after by the leaf solver.
    let is_below = word == "absent" && board.empties().count_ones() < leaf_empties(strategy);
    let choice = match is_claimants {
        true if is_below => best_reply(strategy, board),
        true => strategy.choose(board),
        false => None,
    };
    json!({ "claim": claim, "claimant": is_claimants, "said": if is_below { "below" } else { word }, "move": choice.map(|square| square.to_string()) })
}

fn leaf_empties(strategy: &Strategy) -> u32 {
    (strategy.root_empties + 1).saturating_sub(strategy.layers.len() as u32)
}

fn best_reply(strategy: &Strategy, board: Board) -> Option<Square> {
    let keeps = |square: &u64| {
        let child = board.after(*square, board.flips(*square));
        strategy.holds_at_leaf(child, Turn::Opponent, &mut 0)
    };
    squares(board.legal_moves()).find(keeps).map(Square::of)
}
