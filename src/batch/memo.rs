//! What was found out about positions, in bounded memory, for those that come again.
//!
//! Symmetric positions are one. What was asked last stays longest: each part of the memory
//! has a young and an old half; a full young half becomes the old one, which is dropped.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};

use crate::locks::lock;
use crate::rules::{Board, Move, Symmetry};
use crate::score::{Bounds, Question};

/// What is known of a board, for its side to move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Finding {
    /// The proven bounds of its score.
    pub(crate) bounds: Bounds,
    /// The line of play that shows them, as far as it is known. Empty where the game is over.
    pub(crate) pv: Vec<Move>,
    /// Nodes visited to prove it.
    pub(crate) nodes: u64,
}

impl Finding {
    /// The finding for the board seen through `symmetry`.
    pub(crate) fn transform(&self, symmetry: Symmetry) -> Finding {
        let transform = |mv: &Move| match mv {
            Move::Place(square) => Move::Place(symmetry.apply_square(*square)),
            Move::Pass => Move::Pass,
        };
        Finding {
            pv: self.pv.iter().map(transform).collect(),
            ..*self
        }
    }

    /// What both say together. Of two lines the one that answers more is kept; the nodes are added.
    pub(crate) fn and(&self, other: &Finding) -> Option<Finding> {
        let bounds = self.bounds.and(other.bounds)?;
        let width = |finding: &Finding| finding.bounds.upper() - finding.bounds.lower();
        let narrow = if width(other) < width(self) {
            other
        } else {
            self
        };
        Some(Finding {
            bounds,
            pv: narrow.pv.clone(),
            nodes: self.nodes + other.nodes,
        })
    }
}

/// Bytes of an entry, roughly: its key and value with the slack of the map, and its line.
const ENTRY_BYTES: usize = 160;

/// Parts of the memory, each with a lock of its own.
const PARTS: usize = 16;

pub(crate) struct Memo {
    /// Is only an equal board the same, with the same question? The nodes of all others differ.
    pub(crate) keeps_nodes: bool,
    /// Most entries of a half of a part.
    half: usize,
    parts: Vec<Mutex<Part>>,
}

#[derive(Default)]
struct Part {
    young: HashMap<Key, Finding>,
    old: HashMap<Key, Finding>,
}

/// A board, and what was asked about it, where it matters.
type Key = (Board, Option<Question>);

impl Memo {
    /// A memory of so many bytes, roughly; it takes them as it fills. `keeps_nodes`: the nodes that it remembers are
    /// those that a solve would take again.
    pub(crate) fn new(bytes: usize, keeps_nodes: bool) -> Memo {
        Memo {
            keeps_nodes,
            half: bytes / ENTRY_BYTES / PARTS / 2,
            parts: (0..PARTS).map(|_| Mutex::default()).collect(),
        }
    }

    fn key(&self, board: Board, question: Question) -> (Key, Symmetry) {
        if self.keeps_nodes {
            return ((board, Some(question)), Symmetry::IDENTITY);
        }
        let (board, symmetry) = board.canonical_with_symmetry();
        ((board, None), symmetry)
    }

    /// What is remembered of `board`, if it answers `question`.
    pub(crate) fn recall(&self, board: Board, question: Question) -> Option<Finding> {
        let (key, symmetry) = self.key(board, question);
        let mut part = self.part(key);
        let found = part.recall(key, self.half)?;
        let answers = question.is_answered_by(found.bounds);
        answers.then(|| found.transform(symmetry.inverse()))
    }

    /// Remembers what was found out when `question` was asked, beside what is known already.
    pub(crate) fn remember(&self, board: Board, question: Question, finding: &Finding) {
        if self.half == 0 {
            return;
        }
        let (key, symmetry) = self.key(board, question);
        let finding = finding.transform(symmetry);
        let mut part = self.part(key);
        let known = part.recall(key, self.half);
        // Two threads that solve equal boards at once find the same with the same nodes, which count once.
        if self.keeps_nodes && known.is_some() {
            return;
        }
        let joined = known.and_then(|known| known.and(&finding));
        part.insert(key, joined.unwrap_or(finding), self.half);
    }

    fn part(&self, key: Key) -> MutexGuard<'_, Part> {
        // The map hashes well by itself; this only spreads the boards.
        let (board, _) = key;
        let mixed =
            (board.player ^ board.opponent.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        lock(&self.parts[(mixed >> 60) as usize % PARTS])
    }
}

impl Part {
    fn recall(&mut self, key: Key, half: usize) -> Option<&Finding> {
        if let Some(found) = self.old.remove(&key) {
            self.insert(key, found, half);
        }
        self.young.get(&key)
    }

    fn insert(&mut self, key: Key, finding: Finding, half: usize) {
        if self.young.len() >= half && !self.young.contains_key(&key) {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, finding);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;
    use crate::rules::Position;

    fn finding(bounds: Bounds, pv: &[&str]) -> Finding {
        Finding {
            bounds,
            pv: pv.iter().map(|mv| mv.parse().expect("a move")).collect(),
            nodes: 7,
        }
    }

    /// The start position after f5: no symmetry takes it to itself.
    fn board() -> Board {
        let position = Position::START.play("f5".parse().expect("a move"));
        position.expect("legal").board
    }

    #[test]
    fn a_symmetric_board_has_the_same_answer_turned() {
        let memo = Memo::new(1 << 20, false);
        memo.remember(
            board(),
            Question::Exact,
            &finding(Bounds::exactly(4), &["d6", "c5"]),
        );
        for symmetry in Symmetry::all() {
            let turned = board().transform(symmetry);
            let found = memo.recall(turned, Question::Wld).expect("remembered");
            assert_eq!(found.bounds, Bounds::exactly(4));
            let first = found.pv[0].square().expect("a square");
            let child = turned.play(first);
            let expected = board()
                .play("d6".parse().expect("a square"))
                .transform(symmetry);
            assert_eq!(child, expected, "{symmetry:?}");
        }
    }

    #[test]
    fn where_nodes_count_only_equal_boards_are_the_same() {
        let memo = Memo::new(1 << 20, true);
        memo.remember(board(), Question::Exact, &finding(Bounds::exactly(4), &[]));
        assert!(memo.recall(board(), Question::Exact).is_some());
        let turned = board().transform(Symmetry::ALL[1]);
        assert!(memo.recall(turned, Question::Exact).is_none());
    }

    #[test]
    fn bounds_answer_what_they_decide_and_join() {
        let memo = Memo::new(1 << 20, false);
        memo.remember(
            board(),
            Question::Exact,
            &finding(Bounds::at_least(2), &["d6"]),
        );
        assert!(memo.recall(board(), Question::Wld).is_some());
        assert!(memo.recall(board(), Question::AtMost(0)).is_some());
        assert!(memo.recall(board(), Question::AtLeast(4)).is_none());
        memo.remember(
            board(),
            Question::Exact,
            &finding(Bounds::at_most(2), &["f6"]),
        );
        let found = memo.recall(board(), Question::Exact).expect("joined");
        assert_eq!((found.bounds, found.nodes), (Bounds::exactly(2), 14));
    }

    #[test]
    fn the_memory_is_bounded_and_keeps_what_was_asked_last() {
        const ENTRIES: usize = 32 * PARTS;
        let memo = Memo::new(ENTRIES * ENTRY_BYTES, false);
        let mut random = SplitMix64::new(1);
        memo.remember(board(), Question::Exact, &finding(Bounds::exactly(0), &[]));
        for _ in 0..100 * ENTRIES {
            let player = random.next_u64();
            let other = Board::new(player, random.next_u64() & !player).expect("disjoint");
            memo.remember(other, Question::Exact, &finding(Bounds::exactly(0), &[]));
            assert!(memo.recall(board(), Question::Exact).is_some());
        }
        let count = |part: &Mutex<Part>| {
            let part = part.lock().expect("no panic");
            part.young.len() + part.old.len()
        };
        assert!(memo.parts.iter().map(count).sum::<usize>() <= ENTRIES);
        let none = Memo::new(0, false);
        none.remember(board(), Question::Exact, &finding(Bounds::exactly(0), &[]));
        assert!(none.recall(board(), Question::Exact).is_none());
    }
}
