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
    /// Counts a node that was decided by the move of this rank, 0 the first.
    pub(super) fn cut_by(&mut self, rank: usize) {
        self.cuts_by_rank[rank.min(RANKS - 1)] += 1;
    }

    fn rows(&self) -> impl Iterator<Item = u64> + use<> {
        let first = [
            self.stability_tries,
            self.stability_cuts,
            self.table_probes,
            self.table_hits,
            self.table_cuts,
            self.etc_tries,
            self.etc_cuts,
            self.static_cuts,
            self.probcut_probes,
            self.probcut_cuts,
        ];
        let rest = self.cuts_by_rank.into_iter().chain([self.uncut]);
        first.into_iter().chain(rest)
    }
}

/// Names of [`LayerCounts::rows`].
const ROWS: [&str; 10 + RANKS + 1] = [
    "stability tries",
    "stability cuts",
    "table probes",
    "table hits",
    "table cuts",
    "ETC tries",
    "ETC cuts",
    "static cuts",
    "ProbCut probes",
    "ProbCut cuts",
    "cuts by move 1",
    "cuts by move 2",
    "cuts by move 3",
    "cuts by move 4",
    "cuts by move 5",
    "cuts by later moves",
    "no cut",
];

impl AddAssign<&LayerCounts> for LayerCounts {
    fn add_assign(&mut self, other: &LayerCounts) {
        self.stability_tries += other.stability_tries;
        self.stability_cuts += other.stability_cuts;
        self.table_probes += other.table_probes;
        self.table_hits += other.table_hits;
        self.table_cuts += other.table_cuts;
        self.etc_tries += other.etc_tries;
        self.etc_cuts += other.etc_cuts;
        self.static_cuts += other.static_cuts;
        self.probcut_probes += other.probcut_probes;
        self.probcut_cuts += other.probcut_cuts;
        self.uncut += other.uncut;
        add(&mut self.cuts_by_rank, &other.cuts_by_rank);
    }
}

fn add(to: &mut [u64], from: &[u64]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to += from;
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
    pub(super) fn new() -> Counts {
        Counts {
            nodes_by_empties: vec![0; EMPTIES],
            ..Counts::default()
        }
    }

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
        add(&mut self.nodes_by_empties, &other.nodes_by_empties);
    }
}

/// A table of the layers, and one of the nodes by empties.
impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:20}{:>14}{:>14}{:>14}", "", "midgame", "end", "solver")?;
        let layers = self.midgame.rows().zip(self.end.rows());
        let layers = layers.zip(self.solver.rows());
        for (name, ((midgame, end), solver)) in ROWS.iter().zip(layers) {
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
