//! Counters of what a search does at its nodes: how often the table, the move ordering and
//! each kind of cutoff helped.

use std::fmt;
use std::ops::AddAssign;

use serde::Serialize;

/// Ranks of moves that are counted apart; the last one stands for all later moves too.
pub const RANKS: usize = 6;

/// Numbers of empties, 0..=60.
const EMPTIES: usize = 61;

/// Counts of one layer of the search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct LayerCounts {
    /// Nodes where the stable discs were counted.
    pub stability_tries: u64,
    /// Nodes that these decided.
    pub stability_cuts: u64,
    /// Nodes looked up in the table.
    pub table_probes: u64,
    /// Nodes found there.
    pub table_hits: u64,
    /// Nodes that the table decided.
    pub table_cuts: u64,
    /// Nodes whose children were looked up before they were searched.
    pub etc_tries: u64,
    /// Nodes that a child decided (enhanced transposition cutoffs).
    pub etc_cuts: u64,
    /// Nodes that their static score decided, far outside the window.
    pub static_cuts: u64,
    /// Shallow searches of ProbCut.
    pub probcut_probes: u64,
    /// Nodes that they decided.
    pub probcut_cuts: u64,
    /// Nodes that the move of this rank decided.
    pub cuts_by_rank: [u64; RANKS],
    /// Nodes that no move decided.
    pub uncut: u64,
}

impl LayerCounts {
    /// Counts a node that was looked up in the table.
    pub(super) fn probed(&mut self, is_there: bool) {
        self.table_probes += 1;
        self.table_hits += u64::from(is_there);
    }

    /// Counts a node that the move of this rank decided, 0 the first, or none.
    pub(super) fn decided_by(&mut self, rank: Option<usize>) {
        match rank {
            Some(rank) => self.cuts_by_rank[rank.min(RANKS - 1)] += 1,
            None => self.uncut += 1,
        }
    }

    /// All of them by name.
    fn rows(&mut self) -> impl Iterator<Item = (&'static str, &mut u64)> {
        let first = [
            ("stability tries", &mut self.stability_tries),
            ("stability cuts", &mut self.stability_cuts),
            ("table probes", &mut self.table_probes),
            ("table hits", &mut self.table_hits),
            ("table cuts", &mut self.table_cuts),
            ("ETC tries", &mut self.etc_tries),
            ("ETC cuts", &mut self.etc_cuts),
            ("static cuts", &mut self.static_cuts),
            ("ProbCut probes", &mut self.probcut_probes),
            ("ProbCut cuts", &mut self.probcut_cuts),
        ];
        let ranks = RANK_NAMES.into_iter().zip(&mut self.cuts_by_rank);
        let last = [("no cut", &mut self.uncut)];
        first.into_iter().chain(ranks).chain(last)
    }
}

/// Names of [`LayerCounts::cuts_by_rank`].
const RANK_NAMES: [&str; RANKS] = [
    "cuts by move 1",
    "cuts by move 2",
    "cuts by move 3",
    "cuts by move 4",
    "cuts by move 5",
    "cuts by later moves",
];

impl AddAssign<&LayerCounts> for LayerCounts {
    fn add_assign(&mut self, other: &LayerCounts) {
        let mut other = *other;
        for ((_, to), (_, from)) in self.rows().zip(other.rows()) {
            *to += *from;
        }
    }
}

/// All counts. Only null-window nodes are counted by layer: nodes with an open window are few.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Counts {
    /// Nodes before the end of the game, with the shared table.
    pub midgame: LayerCounts,
    /// Nodes of searches to the end of the game, with the shared table.
    pub end: LayerCounts,
    /// Nodes with few empties, with a cache of each thread; below seven empties only stability is counted, below four nothing.
    pub solver: LayerCounts,
    /// Calls of the evaluation.
    pub evaluations: u64,
    /// Nodes by the number of empties, 0..=60; together they are the nodes of the search.
    pub nodes_by_empties: Vec<u64>,
}

impl Counts {
    /// Nodes in all.
    pub fn nodes(&self) -> u64 {
        self.nodes_by_empties.iter().sum()
    }

    /// The layer of nodes with the shared table.
    pub(super) fn upper<const END: bool>(&mut self) -> &mut LayerCounts {
        if END {
            &mut self.end
        } else {
            &mut self.midgame
        }
    }

    pub(super) fn add_nodes(&mut self, nodes: u64, empties: u32) {
        self.nodes_by_empties.resize(EMPTIES, 0);
        self.nodes_by_empties[(empties as usize).min(EMPTIES - 1)] += nodes;
    }
}

impl AddAssign<&Counts> for Counts {
    fn add_assign(&mut self, other: &Counts) {
        self.midgame += &other.midgame;
        self.end += &other.end;
        self.solver += &other.solver;
        self.evaluations += other.evaluations;
        self.nodes_by_empties.resize(EMPTIES, 0);
        let nodes = self.nodes_by_empties.iter_mut();
        for (to, from) in nodes.zip(&other.nodes_by_empties) {
            *to += from;
        }
    }
}

/// A table of the layers, and one of the nodes by empties.
impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:20}{:>14}{:>14}{:>14}", "", "midgame", "end", "solver")?;
        let [mut midgame, mut end, mut solver] = [self.midgame, self.end, self.solver];
        let layers = midgame.rows().zip(end.rows()).zip(solver.rows());
        for (((name, midgame), (_, end)), (_, solver)) in layers {
            writeln!(f, "{name:20}{midgame:>14}{end:>14}{solver:>14}")?;
        }
        writeln!(f, "{:20}{:>14}", "evaluations", self.evaluations)?;
        write!(f, "{:20}{:>14}", "nodes", self.nodes())?;
        for (empties, nodes) in self.nodes_by_empties.iter().enumerate().rev() {
            if *nodes > 0 {
                write!(f, "\nnodes, {empties:2} empties   {nodes:>14}")?;
            }
        }
        Ok(())
    }
}
