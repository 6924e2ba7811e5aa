//! Which positions a book lacks most: those that a game is most likely to reach.
//!
//! Drop-out expansion (T. R. Lincke, Strategies for the Automatic Construction of Opening Books, CG 2000, LNCS
//! 2063), with one formula for both sides: a line costs 1 for each of its moves, and [`Expansion::weight`] for each disc
//! that a move gives up against the best one. Games are a second way to a position: one that a part of them reached costs
//! [`Expansion::halving`] for each time that their number was halved, whatever the moves gave up. The
//! cheaper of both counts, and lines go on from there. What is proven is not expanded.
//!
//! A bound ends it: what both sides together give up along a line, or what each of them does. In the second case growth
//! ends by itself, with all such lines in the book.

use std::collections::HashSet;

use super::entry::Certainty;
use super::played::PlayedGames;
use super::reply::AfterMove;
use super::tree::Tree;
use crate::rules::{Bitboard, Board, Color};
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
    /// Instead, discs that each side may give up along a line, whatever games say.
    pub until_error: Option<f64>,
    /// The position below which the book grows.
    pub root: Board,
    /// Positions with fewer empties do not enter the book.
    pub least_empties: u32,
    /// The side whose repertoire is obeyed; `None`: that of both.
    pub side: Option<Color>,
    /// The side to move at the root.
    pub root_side: Color,
}

impl Default for Expansion {
    fn default() -> Expansion {
        Expansion {
            weight: 1.5,
            halving: 1.0,
            max_error: 6.0,
            until_error: None,
            root: Board::START,
            least_empties: 0,
            side: None,
            root_side: Color::Black,
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
#[derive(Clone, Debug)]
struct Way {
    /// What the cheapest line costs.
    cost: f64,
    /// What lines give up, in discs: by the side to move there, and by the other one. Each of them is less than all others
    /// for one side. Where the sum of both counts, it stands first.
    lost: Vec<[f64; 2]>,
}

impl Way {
    const NONE: Way = Way {
        cost: f64::INFINITY,
        lost: Vec::new(),
    };

    /// A way that gives up nothing.
    fn free(cost: f64) -> Way {
        let lost = vec![[0.0; 2]];
        Way { cost, lost }
    }

    fn add(&mut self, other: Way) {
        self.cost = self.cost.min(other.cost);
        for lost in other.lost {
            let covers = |a: &[f64; 2], b: &[f64; 2]| a[0] <= b[0] && a[1] <= b[1];
            if !self.lost.iter().any(|known| covers(known, &lost)) {
                self.lost.retain(|known| !covers(&lost, known));
                self.lost.push(lost);
            }
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
            let is_last = board.empty_count() <= self.least_empties;
            if way.cost.is_infinite() || entry.certainty == Certainty::Exact || is_last {
                continue;
            }
            let allowed = self.allowed(tree, board);
            for square in outside {
                if allowed.is_some_and(|allowed| !allowed.contains(square)) {
                    continue;
                }
                let reply = AfterMove::to(board, square);
                let Some(board) = reply.board() else {
                    continue;
                };
                let leaf = entry.leaf.filter(|leaf| leaf.square == square);
                if leaf.is_some_and(|leaf| leaf.certainty == Certainty::Exact) {
                    continue;
                }
                // What a repertoire allows gives up nothing.
                let score = match allowed {
                    Some(_) => Some(entry.score),
                    None => leaf.map(|leaf| leaf.score),
                };
                let line = score.map(|score| self.step(&way, reply, entry.score, score));
                let line = line.map_or(f64::INFINITY, |line| line.cost);
                let cost = line.min(self.by_games(played, board).cost);
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

    /// How each position is reached, from the root or by games.
    fn ways(&self, tree: &Tree, played: &PlayedGames) -> Vec<Way> {
        let mut ways = vec![Way::NONE; tree.len()];
        if let Some(root) = tree.find(self.root) {
            ways[root] = Way::free(0.0);
        }
        for number in tree.by_empties().into_iter().rev().flatten() {
            let (board, entry) = tree.at(number);
            let way = ways[number].clone();
            if way.cost.is_infinite() || entry.certainty == Certainty::Exact {
                continue;
            }
            let allowed = self.allowed(tree, board);
            for (square, reply, link) in tree.all_links(board) {
                if allowed.is_some_and(|allowed| !allowed.contains(square)) {
                    continue;
                }
                let (board, next) = tree.at(link);
                let score = if next.is_known() && allowed.is_none() {
                    reply.own(next.score)
                } else {
                    entry.score
                };
                ways[link].add(self.step(&way, reply, entry.score, score));
                ways[link].add(self.by_games(played, board));
            }
        }
        ways
    }

    /// The moves that the repertoire allows there; `None`: it says nothing, or is not obeyed. No pass is counted.
    fn allowed(&self, tree: &Tree, board: Board) -> Option<Bitboard> {
        let plies = self.root.empty_count().abs_diff(board.empty_count());
        let side = match plies % 2 {
            0 => self.root_side,
            _ => self.root_side.opponent(),
        };
        let is_obeyed = self.side.is_none_or(|wanted| wanted == side);
        tree.allowed(board).filter(|_| is_obeyed)
    }

    /// The way on by a move with this score, where the best one has the other; none if all lines give up too much.
    fn step(&self, way: &Way, reply: AfterMove, best: Score, score: Score) -> Way {
        let loss = (best.to_f64() - score.to_f64()).max(0.0);
        let most = self.until_error.unwrap_or(self.max_error);
        let swaps = self.until_error.is_some() && reply.changes_sides();
        let lost = way.lost.iter().filter_map(|&[own, other]| {
            let own = own + loss;
            let after = if swaps { [other, own] } else { [own, other] };
            (own <= most).then_some(after)
        });
        let lost: Vec<[f64; 2]> = lost.collect();
        match lost.is_empty() {
            true => Way::NONE,
            false => Way {
                cost: way.cost + 1.0 + self.weight * loss,
                lost,
            },
        }
    }

    /// The way of the games to a position.
    fn by_games(&self, played: &PlayedGames, board: Board) -> Way {
        let halvings = played
            .halvings(board)
            .filter(|_| self.until_error.is_none());
        let before = || played.halvings(self.root).unwrap_or(0.0);
        halvings.map_or(Way::NONE, |halvings| {
            Way::free(self.halving * (halvings - before()).max(0.0))
        })
    }
}
