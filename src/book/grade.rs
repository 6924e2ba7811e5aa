//! Smaller and better books: what only bad moves reach, and how far a book can be trusted.

use std::cmp::Reverse;

use super::entry::{BookLeaf, Certainty};
use super::reply::AfterMove;
use super::tree::Tree;
use crate::rules::Board;
use crate::score::Score;

/// Which positions lines from the start reach. `give_up` says how much a line has given up after one more move, from what
/// it has given up before and what the move loses, in discs; `None`: the line is left out.
fn reached(tree: &Tree, give_up: impl Fn(f64, f64) -> Option<f64>) -> Vec<bool> {
    let mut given_up = vec![f64::INFINITY; tree.len()];
    if let Some(start) = tree.find(Board::START) {
        given_up[start] = 0.0;
    }
    for number in tree.by_empties().into_iter().rev().flatten() {
        let (board, entry) = tree.at(number);
        for (_, reply, link) in tree.links(board) {
            let score = reply.own(tree.at(link).1.score);
            let loss = entry.score.to_f64() - score.to_f64();
            if given_up[number].is_finite()
                && let Some(after) = give_up(given_up[number], loss)
            {
                given_up[link] = given_up[link].min(after);
            }
        }
    }
    given_up.into_iter().map(f64::is_finite).collect()
}

/// Removes what only lines reach along which both sides together lose more discs than this. A move that is no link
/// any more is a leaf again where it is the best one.
pub fn prune(tree: &mut Tree, error: f64) {
    let kept = reached(tree, |before, loss| {
        Some(before + loss).filter(|&after| after <= error)
    });
    for (number, _) in kept.iter().enumerate().filter(|(_, kept)| **kept) {
        let (board, entry) = tree.at(number);
        let removed = tree.links(board).filter(|&(_, _, link)| !kept[link]);
        let best = removed.map(|(square, reply, link)| {
            let link = tree.at(link).1;
            let (score, certainty, depth) = (reply.own(link.score), link.certainty, link.depth);
            BookLeaf {
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
    let reached = reached(tree, |_, loss| (loss < TOO_MUCH).then_some(0.0));
    let mut grade = Grade {
        letter: 'F',
        ends: 0,
        proven: 0,
        exact: 0,
    };
    for (number, _) in reached.iter().enumerate().filter(|(_, reached)| **reached) {
        let (_, entry) = tree.at(number);
        let is_good = |leaf: &BookLeaf| entry.score.to_f64() - leaf.score.to_f64() < TOO_MUCH;
        if let Some(leaf) = entry.leaf.filter(is_good) {
            grade.ends += 1;
            grade.proven += usize::from(leaf.certainty.is_proven());
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

/// Between which scores something lies, in discs.
#[derive(Clone, Copy, Debug)]
struct Range {
    lower: f64,
    upper: f64,
}

impl Range {
    const ALL: Range = Range {
        lower: -64.0,
        upper: 64.0,
    };

    /// Of a leaf whose search is wrong by at most so many discs.
    fn of_leaf(leaf: &BookLeaf, error: f64) -> Range {
        let bounds = leaf.certainty.bounds(leaf.score);
        let score = leaf.score.to_f64();
        Range {
            lower: (score - error).max(f64::from(bounds.lower())),
            upper: (score + error).min(f64::from(bounds.upper())),
        }
    }

    /// The range of a position, for the side that moved there.
    fn own(self, reply: AfterMove) -> Range {
        match reply.changes_sides() {
            true => Range {
                lower: -self.upper,
                upper: -self.lower,
            },
            false => self,
        }
    }
}

/// What the best move of each position can lose at most, in discs, if scores of leaves that are estimates are wrong by
/// at most `leaf_error`, and proofs are right: the best that any move can be worth, less the worst that
/// this one can be worth.
pub fn possible_losses(tree: &Tree, leaf_error: f64) -> Vec<f64> {
    let mut ranges = vec![Range::ALL; tree.len()];
    let mut losses = vec![0.0; tree.len()];
    for number in tree.by_empties().into_iter().flatten() {
        let (board, entry) = tree.at(number);
        let links = tree.links(board).map(|(_, reply, link)| {
            let score = reply.own(tree.at(link).1.score);
            (score, ranges[link].own(reply))
        });
        let outside = tree.outside(board);
        let leaf = entry.leaf.filter(|leaf| outside.contains(leaf.square));
        let other = match leaf {
            Some(leaf) => Some((leaf.score, Range::of_leaf(&leaf, leaf_error))),
            // Nothing is known of them.
            None => (!outside.is_empty()).then_some((Score::MIN, Range::ALL)),
        };
        let moves: Vec<(Score, Range)> = links.chain(other).collect();
        let most = |end: fn(&Range) -> f64| {
            let ends = moves.iter().map(|(_, range)| end(range));
            ends.fold(-64.0, f64::max)
        };
        ranges[number] = Range {
            lower: most(|range| range.lower),
            upper: most(|range| range.upper),
        };
        let best = moves.iter().max_by_key(|(score, _)| *score);
        losses[number] = best.map_or(0.0, |(_, best)| ranges[number].upper - best.lower);
    }
    losses
}
