//! How several threads search one node.
//!
//! Young brothers wait (Feldmann, 1993): a node's first move is searched by one
//! thread; if it does not cut, the others are shared with idle threads. A
//! thread whose split point has no moves left, but is not done, helps below it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, MutexGuard};

use super::join::is_recalled;
use super::moves::MoveEntry;
use super::node::Node;
use super::observer::Observer;
use super::pool::{OpenNodes, Pool, SplitPoint};
use super::shared::Shared;
use super::window::Best;
use super::worker::Worker;
use crate::locks::lock;
use crate::score::Discs;

/// Fewest plies of a node worth sharing, to the end of the game.
const MIN_SPLIT_END: i32 = 12;

/// Fewest plies of a node worth sharing, before it.
const MIN_SPLIT_MIDGAME: i32 = 4;

/// A thread's part in a split point that is not its own. Where the thread panics, this ends it
/// and aborts the search, so that no other thread waits for its results.
struct Membership<'a>(&'a Shared, &'a SplitPoint);

impl Drop for Membership<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.abort();
            self.1.leave();
            self.0.pool.wake_owners();
        }
    }
}

impl<'a, O: Observer> Worker<'a, O> {
    /// Should the `rest` unsearched moves of a node be shared now?
    #[inline]
    pub(super) fn can_split<const END: bool>(&self, depth: i32, rest: usize) -> bool {
        let least = if END {
            MIN_SPLIT_END
        } else {
            MIN_SPLIT_MIDGAME
        };
        rest >= 2 && depth >= least && !self.is_ahead && self.shared.pool.wants::<END>(depth)
    }

    /// Has a split point that this thread works for been decided, or one above?
    #[inline]
    pub(super) fn split_is_cut(&self) -> bool {
        let Some(split) = &self.split else {
            return false;
        };
        // A thread that sees the new count also sees the cut that came before it.
        let cuts = self.shared.pool.cuts.load(Ordering::Acquire);
        if self.cuts_seen.get() == Some(cuts) {
            return false;
        }
        let is_cut = split.is_cut();
        if !is_cut {
            self.cuts_seen.set(Some(cuts));
        }
        is_cut
    }

    /// Changes the split point that this thread works for, if any; returns the one before.
    fn change_split(&mut self, split: Option<Arc<SplitPoint>>) -> Option<Arc<SplitPoint>> {
        self.cuts_seen.set(None);
        std::mem::replace(&mut self.split, split)
    }

    /// Searches `moves` of `node` together with idle threads, each with the null
    /// window at `alpha`, until one is better. Returns the best score and its square.
    pub(super) fn split<const END: bool>(
        &mut self,
        node: &Node,
        depth: i32,
        alpha: Discs,
        moves: &[MoveEntry],
    ) -> Best {
        let pool = &self.shared.pool;
        let mut split = SplitPoint::new(node.clone(), depth, alpha, moves.to_vec());
        split.parent = self.split.clone();
        split.end = END;
        split.is_large = pool.is_large(END, depth);
        (split.selectivity, split.probes) = (self.selectivity, self.probes);
        split.owner = self.core().id();
        let split = Arc::new(split);
        let mut open = self.lock_open();
        let called = pool.add(&mut open, &split);
        self.core().wake_helpers(pool, &open, called);
        drop(open);

        self.work_on(&split, usize::MAX);

        let mut open = self.lock_open();
        open.splits.retain(|other| !Arc::ptr_eq(other, &split));
        drop(open);
        while split.helpers.load(Ordering::SeqCst) > 0 {
            let open = self.lock_open();
            if let Some(below) = self.join(&open, Some(&split)) {
                drop(open);
                self.assist(&below);
            } else {
                self.core().wait_for_others(pool, open, &split);
                self.poll_now();
            }
        }
        *lock(&split.best)
    }

    /// Joins a split point as [`Pool::join`] does, but none once the search is aborted: idle
    /// threads then sleep, and leave the processors to those that finish.
    pub(super) fn join(
        &self,
        open: &OpenNodes,
        ancestor: Option<&Arc<SplitPoint>>,
    ) -> Option<Arc<SplitPoint>> {
        if self.shared.is_aborted() {
            return None;
        }
        Pool::join(open, ancestor)
    }

    /// Works on a split point of another thread, which it has joined: for one move if it is large, as there
    /// may be one nearer to the leaves after it.
    pub(super) fn assist(&mut self, split: &Arc<SplitPoint>) {
        let membership = Membership(self.shared, split);
        let most = if split.is_large { 1 } else { usize::MAX };
        self.work_on(split, most);
        self.publish_nodes();
        self.keep_pace();
        drop(membership);
        if split.leave() {
            let pool = &self.shared.pool;
            self.core().wake_owner(pool, split);
        }
    }

    /// Takes the lock of the pool.
    pub(super) fn lock_open(&mut self) -> MutexGuard<'a, OpenNodes> {
        let pool = &self.shared.pool;
        self.core().lock(pool)
    }

    /// Searches up to `most` moves of `split`: fewer where none are left or it is decided.
    pub(super) fn work_on(&mut self, split: &Arc<SplitPoint>, most: usize) {
        let outer = self.change_split(Some(Arc::clone(split)));
        let selectivity = std::mem::replace(&mut self.selectivity, split.selectivity);
        let probes = std::mem::replace(&mut self.probes, split.probes);
        for _ in 0..most {
            if self.aborted() {
                break;
            }
            let Some(mv) = split.take() else { break };
            let is_wanted = !self.is_ahead;
            let useful = self.core().useful();
            let score = if split.end {
                self.brother::<true>(&split.node, mv, split.depth, split.alpha)
            } else {
                self.brother::<false>(&split.node, mv, split.depth, split.alpha)
            };
            if self.aborted() {
                if is_wanted {
                    self.core().note_vain(useful);
                }
                break;
            }
            if split.update(score, mv.square) {
                self.shared.pool.cuts.fetch_add(1, Ordering::Release);
            }
        }
        self.change_split(outer);
        self.selectivity = selectivity;
        self.probes = probes;
    }

    /// The work of a helper: searches wherever there are moves, until the search is over, or it
    /// is recalled and has finished what it works on.
    pub(super) fn help(&mut self, recalled: Option<&AtomicBool>) {
        self.answer_questions();
        let pool = &self.shared.pool;
        pool.helpers.fetch_add(1, Ordering::Relaxed);
        let mut open = self.lock_open();
        while !pool.is_finished() && !is_recalled(recalled) {
            if let Some(split) = self.join(&open, None) {
                drop(open);
                self.assist(&split);
                open = self.lock_open();
            } else if recalled.is_none()
                && let Some(node) = self.node_ahead(&open)
            {
                // A thread that can be recalled has other work soon.
                drop(open);
                self.search_ahead(&node);
                open = self.lock_open();
            } else {
                open = self.core().wait_for_call(pool, open);
            }
        }
        pool.helpers.fetch_sub(1, Ordering::Relaxed);
    }
}
