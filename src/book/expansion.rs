//! Which positions a book lacks most: those that a game is most likely to reach.
//!
//! Drop-out expansion (T. R. Lincke, Strategies for the Automatic Construction of Opening Books, CG 2000, LNCS
//! 2063), with one formula for both sides: a line costs 1 for each of its moves, and [`Expansion::weight`] for each disc
//! that a move gives up against the best one. Games are a second way to a position: one that a part of them reached costs
//! [`Expansion::halving`] for each time that their number was halved, whatever the moves gave up. The
//! cheaper of both counts, and lines go on from there. What is proven is not expanded.

use std::collections::HashSet;

use super::entry::{BookEntry, Certainty};
use super::played::PlayedGames;
use super::reply::AfterMove;
use super::tree::Tree;
use crate::rules::Board;
use crate::score::Score;

/// What positions cost.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Expansion {
    /// What a disc that is given up costs, in plies.
    pub weight: f64,
    /// What it costs that half as many games reached a position, in plies.
    pub halving: f64,
    /// Discs that both sides together may give up along a line. Where games reach a position, the sum begins anew.
    pub max_error: f64,
}

impl Default for Expansion {
    fn default() -> Expansion {
        Expansion {
            weight: 1.5,
            halving: 1.0,
            max_error: 6.0,
        }
    }
}

/// A position that is to be searched: it is not in the book, or not all of its moves are known.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Wish {
    /// What the cheapest line there costs, in plies.
    pub(super) cost: f64,
    /// The position, in its canonical form.
    pub(super) board: Board,
}

/// Positions of which something is not known come before all others, by so many plies.
const FIRST: f64 = 1000.0;

/// How a position is reached.
#[derive(Clone, Copy, Debug)]
struct Way {
    /// What the cheapest line costs.
    cost: f64,
    /// What the best line gives up, in discs.
    lost: f64,
}

impl Way {
    const NONE: Way = Way {
        cost: f64::INFINITY,
        lost: f64::INFINITY,
    };

    fn or(self, other: Way) -> Way {
        Way {
            cost: self.cost.min(other.cost),
            lost: self.lost.min(other.lost),
        }
    }
}

impl Expansion {
    /// The cheapest positions that are worth a search, at most so many. At most `room` of them are new to the book.
    pub(super) fn wishes(
        &self,
        tree: &Tree,
        played: &PlayedGames,
        most: usize,
        mut room: usize,
    ) -> Vec<Wish> {
        let mut wishes = self.all_wishes(tree, played);
        let mut chosen = HashSet::new();
        wishes.retain(|wish| {
            let is_new = tree.find(wish.board).is_none();
            if chosen.len() >= most || is_new && room == 0 || !chosen.insert(wish.board) {
                return false;
            }
            room -= usize::from(is_new);
            true
        });
        wishes
    }

    /// Positions that are worth a search, the cheapest first; some of them twice.
    fn all_wishes(&self, tree: &Tree, played: &PlayedGames) -> Vec<Wish> {
        let ways = self.ways(tree, played);
        let mut wishes = Vec::new();
        for (number, way) in ways.into_iter().enumerate() {
            let (board, entry) = tree.at(number);
            let outside = tree.outside(board);
            if entry.leaf.is_none() && !outside.is_empty() {
                // Nothing is known of some of its moves, whether lines still reach it or not.
                let cost = way.cost.min(FIRST / 2.0) - FIRST;
                wishes.push(Wish { cost, board });
                continue;
            }
            if way.cost.is_infinite() || entry.certainty == Certainty::Exact {
                continue;
            }
            for square in outside {
                let Some(board) = AfterMove::to(board, square).board() else {
                    continue;
                };
                let leaf = entry.leaf.filter(|leaf| leaf.square == square);
                if leaf.is_some_and(|leaf| leaf.certainty == Certainty::Exact) {
                    continue;
                }
                let line = leaf.and_then(|leaf| self.step(way, entry, leaf.score));
                let cost = line
                    .unwrap_or(Way::NONE)
                    .or(self.by_games(played, board))
                    .cost;
                if cost.is_finite() {
                    let board = board.canonical();
                    wishes.push(Wish { cost, board });
                }
            }
        }
        let place = |board: Board| (board.player, board.opponent);
        wishes.sort_by(|a, b| {
            a.cost
                .total_cmp(&b.cost)
                .then(place(a.board).cmp(&place(b.board)))
        });
        wishes
    }

    /// How each position is reached, from the start position or by games.
    fn ways(&self, tree: &Tree, played: &PlayedGames) -> Vec<Way> {
        let mut ways = vec![Way::NONE; tree.len()];
        if let Some(start) = tree.find(Board::START) {
            ways[start] = Way {
                cost: 0.0,
                lost: 0.0,
            };
        }
        for number in tree.by_empties().into_iter().rev().flatten() {
            let (board, entry) = tree.at(number);
            let way = ways[number];
            if way.cost.is_infinite() || entry.certainty == Certainty::Exact {
                continue;
            }
            for (_, reply, link) in tree.all_links(board) {
                let (board, next) = tree.at(link);
                let score = if next.is_known() {
                    reply.own(next.score)
                } else {
                    entry.score
                };
                let line = self.step(way, entry, score).unwrap_or(Way::NONE);
                ways[link] = ways[link].or(line).or(self.by_games(played, board));
            }
        }
        ways
    }

    /// The way on by a move with this score; `None`: the line gives up too much.
    fn step(&self, way: Way, entry: &BookEntry, score: Score) -> Option<Way> {
        let loss = (entry.score.to_f64() - score.to_f64()).max(0.0);
        let way = Way {
            cost: way.cost + 1.0 + self.weight * loss,
            lost: way.lost + loss,
        };
        (way.lost <= self.max_error).then_some(way)
    }

    /// The way of the games to a position.
    fn by_games(&self, played: &PlayedGames, board: Board) -> Way {
        played.halvings(board).map_or(Way::NONE, |halvings| Way {
            cost: self.halving * halvings,
            lost: 0.0,
        })
    }
}
