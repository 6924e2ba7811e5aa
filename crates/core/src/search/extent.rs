//! Which clusters of the table are in use: a part that grows with what is stored.
//!
//! Memory that is touched for the first time costs more than the rest of a node, above all in virtual
//! machines, and boards are spread over all clusters in use. So a search begins with a small part. Linear hashing
//! (W. Litwin, VLDB 1980) lets that grow a little at a time: each cluster in turn hands about half of its
//! boards to a twin, and after the last one the part has doubled.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use crossbeam_utils::CachePadded;

/// Most clusters that are in use at the start of a part that grows: 4 MB.
const FIRST: usize = 1 << 15;

/// Boards for two clusters in use, above which more clusters are taken. While the part doubles, clusters
/// without a twin have up to twice as many; of random boards 3% find no place of five in theirs. With twice as many
/// boards they are 26%.
const BOARDS: usize = 3;

/// Clusters that are taken at once. Copying them takes some 50 microseconds.
const STEP: usize = 1 << 10;

/// One cluster in so many is watched to know how many boards there are.
const WATCHED: usize = 64;

/// The bits of a hash from this one on choose between a cluster and its twins.
const TWIN_BITS: u32 = 20;

/// The part in use. Clusters are numbered from 0, those in use are the first ones.
pub(super) struct Extent {
    /// Clusters in use at the start.
    first: usize,
    /// How often these may double.
    doublings: u32,
    grown: CachePadded<AtomicU64>,
    /// Boards in watched clusters.
    boards: CachePadded<AtomicUsize>,
    /// Is a thread growing the part?
    grows: AtomicBool,
}

/// How far a part has grown.
#[derive(Clone, Copy)]
struct PartGrowth {
    /// Doublings that are complete.
    doublings: u32,
    /// Clusters in use.
    clusters: usize,
}

impl PartGrowth {
    /// Clusters fit into the lower bits.
    const SHIFT: u32 = 56;

    const fn pack(self) -> u64 {
        (self.doublings as u64) << Self::SHIFT | self.clusters as u64
    }

    #[inline]
    const fn unpack(word: u64) -> PartGrowth {
        PartGrowth {
            doublings: (word >> Self::SHIFT) as u32,
            clusters: (word & ((1 << Self::SHIFT) - 1)) as usize,
        }
    }
}

/// Clusters that hand boards to their twins, which are taken for that.
pub(super) struct Handover {
    /// The first of the clusters.
    pub(super) from: usize,
    /// The first of their twins.
    pub(super) to: usize,
    pub(super) count: usize,
    /// The bit of a hash that is set where the twin gets the board.
    bit: u32,
}

impl Handover {
    /// Does the twin get the board of this hash?
    pub(super) const fn moves(&self, hash: u64) -> bool {
        hash >> self.bit & 1 != 0
    }
}

impl Extent {
    /// A part of so many clusters.
    pub(super) fn fixed(clusters: usize) -> Extent {
        Extent::new(clusters, 0)
    }

    /// A part that may grow to `clusters`, apart from a remainder of less than a thousandth.
    pub(super) fn growing(clusters: usize) -> Extent {
        let mut doublings = 0;
        while clusters >> doublings > FIRST {
            doublings += 1;
        }
        Extent::new(clusters >> doublings, doublings)
    }

    fn new(first: usize, doublings: u32) -> Extent {
        let grown = PartGrowth {
            doublings: 0,
            clusters: first,
        };
        Extent {
            first,
            doublings,
            grown: CachePadded::new(AtomicU64::new(grown.pack())),
            boards: CachePadded::default(),
            grows: AtomicBool::new(false),
        }
    }

    /// Clusters that may come into use.
    const fn most(&self) -> usize {
        self.first << self.doublings
    }

    /// Clusters in use at the start.
    pub(super) const fn first(&self) -> usize {
        self.first
    }

    /// Clusters in use.
    pub(super) fn clusters(&self) -> usize {
        self.grown().clusters
    }

    /// Do both put the boards into the same clusters, as far as both have grown?
    pub(super) fn is_like(&self, other: &Extent) -> bool {
        (self.first, self.doublings) == (other.first, other.doublings)
    }

    #[inline]
    fn grown(&self) -> PartGrowth {
        PartGrowth::unpack(self.grown.load(Ordering::Relaxed))
    }

    /// The cluster of a board with this hash.
    #[inline]
    pub(super) fn cluster(&self, hash: u64) -> usize {
        let PartGrowth {
            doublings,
            clusters,
        } = self.grown();
        let first = ((u128::from(hash) * self.first as u128) >> 64) as usize;
        let bits = (hash >> TWIN_BITS) as usize;
        let cluster = first + self.first * (bits & ((1 << doublings) - 1));
        let twin = cluster + (self.first << doublings);
        if twin < clusters && bits >> doublings & 1 != 0 {
            twin
        } else {
            cluster
        }
    }

    /// Notes that a cluster has one board more. Are more clusters wanted?
    #[inline]
    pub(super) fn note(&self, cluster: usize) -> bool {
        cluster.is_multiple_of(WATCHED) && self.note_watched()
    }

    fn note_watched(&self) -> bool {
        self.boards.fetch_add(1, Ordering::Relaxed);
        self.wants_more()
    }

    fn wants_more(&self) -> bool {
        let PartGrowth {
            doublings,
            clusters,
        } = self.grown();
        let boards = self.boards.load(Ordering::Relaxed) * WATCHED;
        doublings < self.doublings && boards * 2 > clusters * BOARDS
    }

    /// Takes more clusters, if they are wanted and no other thread does so: their boards are to be copied, and erased in
    /// the old place when they are looked for in the new one. A board that another thread stores meanwhile may be lost.
    #[cold]
    pub(super) fn grow(&self, copy: impl FnOnce(&Handover), erase: impl FnOnce(&Handover)) {
        if self.grows.swap(true, Ordering::Acquire) {
            return;
        }
        if self.wants_more() {
            let (step, grown) = self.next_step();
            copy(&step);
            // Who sees it before the copies finds nothing there: no word of theirs belongs to another board.
            self.grown.store(grown.pack(), Ordering::Release);
            erase(&step);
        }
        self.grows.store(false, Ordering::Release);
    }

    /// The clusters to take next, and how far the part has grown then.
    fn next_step(&self) -> (Handover, PartGrowth) {
        let PartGrowth {
            doublings,
            clusters,
        } = self.grown();
        let doubled = self.first << doublings;
        let from = clusters - doubled;
        let step = Handover {
            from,
            to: clusters,
            count: STEP.min(doubled - from),
            bit: TWIN_BITS + doublings,
        };
        let is_doubled = from + step.count == doubled;
        let grown = PartGrowth {
            doublings: doublings + u32::from(is_doubled),
            clusters: clusters + step.count,
        };
        (step, grown)
    }

    /// Thousandths of the table that are full, where so many of the first clusters are.
    pub(super) fn share_of_whole(&self, permille: u64) -> u64 {
        let PartGrowth {
            doublings,
            clusters,
        } = self.grown();
        // The first clusters have their twins before the others.
        let complete = self.first << doublings;
        let equally_full = if clusters > complete {
            2 * complete
        } else {
            complete
        };
        permille * equally_full as u64 / self.most() as u64
    }
}
