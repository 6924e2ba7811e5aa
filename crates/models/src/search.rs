//! Split points: threads share the moves of a node, and the owner has its score when all have left.

use std::sync::Arc;

use shuttle::thread;

use crate::locks::atomic::Ordering;
use crate::locks::lock;
use crate::score::Discs;

mod limits {
    #[derive(Clone, Copy)]
    pub enum Selectivity {
        Full,
    }
}

mod moves {
    /// A move, and what it is worth.
    #[derive(Clone)]
    pub struct MoveEntry {
        pub square: u8,
        pub score: i8,
    }
}

mod node {
    #[derive(Clone)]
    pub struct Node;
}

mod window {
    use crate::score::Discs;

    #[derive(Clone, Copy)]
    pub struct Best {
        pub score: Discs,
        pub square: u8,
    }

    impl Best {
        pub const NONE: Best = Best {
            score: Discs::MIN,
            square: 64,
        };

        pub fn improve(&mut self, other: Best) {
            if other.score > self.score {
                *self = other;
            }
        }
    }
}

#[path = "../../core/src/search/pool.rs"]
mod pool;

use moves::MoveEntry;
use node::Node;
use pool::{Pool, SplitPoint};

/// Its moves beyond the first have this value of the move behind a split of their own.
const BELOW: i8 = 5;

/// As `Worker::split`.
fn split(
    pool: &Pool,
    parent: Option<&Arc<SplitPoint>>,
    depth: i32,
    scores: &[i8],
    alpha: Discs,
) -> Discs {
    let moves = (0..).zip(scores);
    let moves = moves.map(|(square, &score)| MoveEntry { square, score });
    let mut split = SplitPoint::new(Node, depth, alpha, moves.collect());
    split.parent = parent.cloned();
    split.is_large = pool.is_large(split.end, depth);
    let split = Arc::new(split);
    let mut open = lock(&pool.open);
    let called = pool.add(&mut open, &split);
    pool.wake_helpers(&open, called);
    drop(open);

    work_on(pool, &split, usize::MAX);

    let mut open = lock(&pool.open);
    open.splits.retain(|other| !Arc::ptr_eq(other, &split));
    drop(open);
    while split.helpers.load(Ordering::SeqCst) > 0 {
        let open = lock(&pool.open);
        if let Some(below) = Pool::join(&open, Some(&split)) {
            drop(open);
            assist(pool, &below);
        } else {
            pool.wait_for_others(open, &split);
        }
    }
    assert_eq!(
        split.helpers.load(Ordering::SeqCst),
        0,
        "the owner goes on before its helpers have left"
    );
    lock(&split.best).score
}

/// As `Worker::work_on`.
fn work_on(pool: &Pool, split: &Arc<SplitPoint>, most: usize) {
    for _ in 0..most {
        let Some(mv) = split.take() else { break };
        let mut score = mv.score;
        if score == BELOW {
            score = self::split(
                pool,
                Some(split),
                split.depth - 2,
                &[1, BELOW - 1, 2],
                Discs::MAX,
            ) + 1;
        }
        thread::yield_now();
        if split.is_cut() {
            break;
        }
        if split.update(score, mv.square) {
            pool.cuts.fetch_add(1, Ordering::Release);
        }
    }
}

/// As `Worker::assist`.
fn assist(pool: &Pool, split: &Arc<SplitPoint>) {
    let most = if split.is_large { 1 } else { usize::MAX };
    work_on(pool, split, most);
    if split.leave() {
        pool.wake_owners();
    }
}

/// As `Worker::help`.
fn help(pool: &Pool) {
    pool.helpers.fetch_add(1, Ordering::Relaxed);
    let mut open = lock(&pool.open);
    while !pool.is_finished() {
        if let Some(split) = Pool::join(&open, None) {
            drop(open);
            assist(pool, &split);
            open = lock(&pool.open);
        } else {
            open = pool.wait_for_call(open);
        }
    }
    pool.helpers.fetch_sub(1, Ordering::Relaxed);
}

/// A node with a node below it, of this depth, and two helpers: first without a cut, then with one.
pub fn a_split_has_its_score(depth: i32) {
    let pool = Arc::new(Pool::default());
    let helpers = [(); 2].map(|()| {
        let pool = Arc::clone(&pool);
        thread::spawn(move || help(&pool))
    });
    assert_eq!(split(&pool, None, depth, &[3, BELOW, 4], Discs::MAX), BELOW);
    assert!(split(&pool, None, depth, &[1, 7, 9, 2], 6) > 6);
    pool.finish();
    for helper in helpers {
        helper.join().expect("no panic");
    }
}
