//! What one thread has for the last empties: its caches, and its count of nodes.

use std::sync::Arc;

use super::cache::EndgameCache;
use super::counters::LayerCounts;
use super::observer::Observer;
use super::wins::Wins;
use crate::rules::Board;
use crate::score::Discs;

/// Most empties of the layers with private caches; above them stands the shared table.
pub(super) const CACHED_MAX: u32 = 12;

/// One thread's solver for few empties: its node counter and its caches.
pub(super) struct EndgameSolver<O> {
    /// Boards reached by a move or a pass, since the counter was last reset.
    pub(super) nodes: u64,
    /// Boards of more than 6 empties. Its places, 24 bytes each, are 768 KiB, which stay in
    /// the second-level cache of one core where that has a megabyte.
    pub(super) cache: EndgameCache<15>,
    /// Bounds of boards of fewer empties, in 96 KiB.
    pub(super) small_cache: EndgameCache<12>,
    pub(super) observer: O,
    /// Where the moves that are better than an `alpha` are noted.
    pub(super) wins: Option<Arc<Wins>>,
}

impl<O: Observer> EndgameSolver<O> {
    /// A solver with an empty cache; `None` where there is no memory for that.
    pub(super) fn new() -> Option<EndgameSolver<O>> {
        Some(EndgameSolver {
            nodes: 0,
            cache: EndgameCache::new()?,
            small_cache: EndgameCache::new()?,
            observer: O::default(),
            wins: None,
        })
    }

    /// Forgets what an earlier search left, and counts from 0 again.
    pub(super) fn renew(&mut self) {
        self.nodes = 0;
        self.cache.renew();
        self.small_cache.renew();
    }

    /// Counts `nodes` boards that have this many empties.
    #[inline(always)]
    pub(super) fn visit(&mut self, nodes: u64, empties: impl FnOnce() -> u32) {
        self.nodes += nodes;
        self.observer
            .count(|counts| counts.add_nodes(nodes, empties()));
    }

    /// Counts something of the layer of few empties, if counting is on.
    #[inline(always)]
    pub(super) fn count(&mut self, note: impl FnOnce(&mut LayerCounts)) {
        self.observer.count(|counts| note(&mut counts.solver));
    }

    /// Notes that `board` is better than `alpha` by this move, where that is wanted.
    #[inline]
    pub(super) fn note_win(&self, board: Board, alpha: Discs, square: u8) {
        if let Some(wins) = &self.wins {
            wins.note(board, alpha, square);
        }
    }
}
