//! What was found out about positions, in bounded memory, for those that come again.
//!
//! Symmetric positions are one. What was asked last stays longest: each part of the memory
//! has a young and an old half; a full young half becomes the old one, which is dropped.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};

use super::problem::{Solution, transformed};
use crate::locks::lock;
use crate::rules::{Board, Move, Symmetry};
use crate::score::{Bounds, Question};

/// What is known of a board, for its side to move: proven bounds of its score, the line of play that shows them as
/// far as it is known, and the nodes visited to prove it.
type Known = (Bounds, Vec<Move>, u64);

/// What both say together. Of two lines the one that answers more is kept; the nodes are added.
fn joined(one: &Known, other: &Known) -> Option<Known> {
    let bounds = one.0.and(other.0)?;
    let width = |known: &Known| known.0.upper() - known.0.lower();
    let narrow = if width(other) < width(one) {
        other
    } else {
        one
    };
    Some((bounds, narrow.1.clone(), one.2 + other.2))
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
    young: HashMap<Key, Known>,
    old: HashMap<Key, Known>,
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
    pub(crate) fn recall(&self, board: Board, question: Question) -> Option<Solution> {
        let (key, symmetry) = self.key(board, question);
        let mut part = self.part(key);
        let (bounds, line, nodes) = part.recall(key, self.half)?;
        let line = || transformed(line, symmetry.inverse());
        let answers = question.is_answered_by(*bounds);
        answers.then(|| Solution::proven(*bounds, line(), *nodes))
    }

    /// Remembers what was found out when `question` was asked, beside what is known already.
    pub(crate) fn remember(&self, board: Board, question: Question, found: &Solution) {
        if self.half == 0 {
            return;
        }
        let (key, symmetry) = self.key(board, question);
        let line = transformed(&found.line, symmetry);
        let found = (found.bounds, line, found.nodes);
        let mut part = self.part(key);
        let known = part.recall(key, self.half);
        // Two threads that solve equal boards at once find the same with the same nodes, which count once.
        if self.keeps_nodes && known.is_some() {
            return;
        }
        let joined = known.and_then(|known| joined(known, &found));
        part.insert(key, joined.unwrap_or(found), self.half);
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
    fn recall(&mut self, key: Key, half: usize) -> Option<&Known> {
        if let Some(found) = self.old.remove(&key) {
            self.insert(key, found, half);
        }
        self.young.get(&key)
    }

    fn insert(&mut self, key: Key, known: Known, half: usize) {
        if self.young.len() >= half && !self.young.contains_key(&key) {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, known);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;
    use crate::rules::Position;

    fn found(bounds: Bounds, line: &[&str]) -> Solution {
        let line = line.iter().map(|mv| mv.parse().expect("a move"));
        Solution::proven(bounds, line.collect(), 7)
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
            &found(Bounds::exactly(4), &["d6", "c5"]),
        );
        for symmetry in Symmetry::all() {
            let turned = board().transform(symmetry);
            let found = memo.recall(turned, Question::Wld).expect("remembered");
            assert_eq!(found.bounds, Bounds::exactly(4));
            let first = found.line[0].square().expect("a square");
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
        memo.remember(board(), Question::Exact, &found(Bounds::exactly(4), &[]));
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
            &found(Bounds::at_least(2), &["d6"]),
        );
        assert!(memo.recall(board(), Question::Wld).is_some());
        assert!(memo.recall(board(), Question::AtMost(0)).is_some());
        assert!(memo.recall(board(), Question::AtLeast(4)).is_none());
        memo.remember(
            board(),
            Question::Exact,
            &found(Bounds::at_most(2), &["f6"]),
        );
        let found = memo.recall(board(), Question::Exact).expect("joined");
        assert_eq!((found.bounds, found.nodes), (Bounds::exactly(2), 14));
    }

    #[test]
    fn the_memory_is_bounded_and_keeps_what_was_asked_last() {
        const ENTRIES: usize = 32 * PARTS;
        let memo = Memo::new(ENTRIES * ENTRY_BYTES, false);
        let mut random = SplitMix64::new(1);
        memo.remember(board(), Question::Exact, &found(Bounds::exactly(0), &[]));
        for _ in 0..100 * ENTRIES {
            let player = random.next_u64();
            let other = Board::new(player, random.next_u64() & !player).expect("disjoint");
            memo.remember(other, Question::Exact, &found(Bounds::exactly(0), &[]));
            assert!(memo.recall(board(), Question::Exact).is_some());
        }
        let count = |part: &Mutex<Part>| {
            let part = part.lock().expect("no panic");
            part.young.len() + part.old.len()
        };
        assert!(memo.parts.iter().map(count).sum::<usize>() <= ENTRIES);
        let none = Memo::new(0, false);
        none.remember(board(), Question::Exact, &found(Bounds::exactly(0), &[]));
        assert!(none.recall(board(), Question::Exact).is_none());
    }
}
