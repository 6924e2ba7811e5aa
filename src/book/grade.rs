//! Smaller and better books: what only bad moves reach, and how far a book can be trusted.

use std::cmp::Reverse;

use super::entry::{Certainty, Leaf};
use super::tree::Tree;
use crate::rules::Board;
use crate::score::Score;

/// Which positions good moves of both sides reach from the start: each move loses at most so many discs.
pub fn reached(tree: &Tree, error: f64) -> Vec<bool> {
    let mut reached = vec![false; tree.len()];
    if let Some(start) = tree.find(Board::START) {
        reached[start] = true;
    }
    for number in tree.by_empties().into_iter().rev().flatten() {
        if !reached[number] {
            continue;
        }
        let (board, entry) = tree.at(number);
        for (_, reply, link) in tree.links(board) {
            let score = reply.own(tree.at(link).1.score);
            reached[link] |= entry.score.to_f64() - score.to_f64() <= error;
        }
    }
    reached
}

/// Removes what only moves reach that lose more discs than this. A move that is no link any more is a leaf
/// again where it is the best one.
pub fn prune(tree: &mut Tree, error: f64) {
    let kept = reached(tree, error);
    for (number, _) in kept.iter().enumerate().filter(|(_, kept)| **kept) {
        let (board, entry) = tree.at(number);
        let removed = tree.links(board).filter(|&(_, _, link)| !kept[link]);
        let best = removed.map(|(square, reply, link)| {
            let link = tree.at(link).1;
            let (score, certainty, depth) = (reply.own(link.score), link.certainty, link.depth);
            Leaf {
                square,
                score,
                certainty,
                depth,
            }
        });
        // Of equal ones the first: the same each time.
        let best = best
            .chain(entry.leaf)
            .min_by_key(|leaf| (Reverse(leaf.score), leaf.square.index()));
        tree.entry_mut(number).leaf = best;
    }
    tree.retain(|number| kept[number]);
    tree.negamax();
}

/// How far a book can be trusted where both sides lose less than 2 discs with each move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Grade {
    /// `A` to `F`.
    pub letter: char,
    /// Ends of such lines.
    pub ends: usize,
    /// Of them it is proven who wins.
    pub proven: usize,
    /// Of them the score is proven.
    pub exact: usize,
}

/// A loss that such lines do not have, in discs.
const TOO_MUCH: f64 = 2.0;

/// Grades a book: `A`: the scores of all ends are proven; `B`: of all ends it is proven who wins, and of some the
/// score; `C`: of all it is proven who wins; `D`: some scores are; `E`: of some it is who wins; `F`: none.
pub fn grade(tree: &Tree) -> Grade {
    let reached = reached(tree, TOO_MUCH - 1.0 / f64::from(Score::PER_DISC));
    let mut grade = Grade {
        letter: 'F',
        ends: 0,
        proven: 0,
        exact: 0,
    };
    for (number, _) in reached.iter().enumerate().filter(|(_, reached)| **reached) {
        let (_, entry) = tree.at(number);
        let is_good = |leaf: &Leaf| entry.score.to_f64() - leaf.score.to_f64() < TOO_MUCH;
        if let Some(leaf) = entry.leaf.filter(is_good) {
            grade.ends += 1;
            grade.proven += usize::from(leaf.certainty != Certainty::Estimate);
            grade.exact += usize::from(leaf.certainty == Certainty::Exact);
        }
    }
    let Grade {
        ends,
        proven,
        exact,
        ..
    } = grade;
    grade.letter = match () {
        () if ends == 0 => 'F',
        () if exact == ends => 'A',
        () if proven == ends && exact > 0 => 'B',
        () if proven == ends => 'C',
        () if exact > 0 => 'D',
        () if proven > 0 => 'E',
        () => 'F',
    };
    grade
}

impl Grade {
    /// What it rests on.
    pub fn reason(&self) -> String {
        let Grade {
            ends,
            proven,
            exact,
            ..
        } = self;
        format!(
            "where each move loses less than 2 discs, the book has {ends} ends; the winner is proven of {proven}, the score of {exact}"
        )
    }
}
