//! Simulated cores: the threads of a search run in turn, and time is counted in nodes.
//!
//! Each thread has a core with a clock of its own: the nodes that it has searched, and what it spent
//! otherwise, in nodes. Always the thread runs whose clock shows least, [`SLICE`] nodes at a time; before it
//! takes the lock of the pool it lets all others catch up. A thread that waits goes on at the time of what
//! woke it. So a search on many cores is repeatable to the node, and one real core is enough to
//! measure how it scales: its waits, and what is searched in vain. What the memory, the caches and the
//! clock rates of a real machine add is not simulated.
//!
//! [`SimulatedCore`] is what the search sees of it: a [`Core`] like a real one. Only a search that is watched can be
//! simulated ([`super::observer`]).

use std::fmt;
use std::ops::AddAssign;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};

use super::cores::Core;
use super::limits::Goal;
use super::pool::{OpenNodes, Pool, SplitPoint};
use crate::locks::{lock, wait};

/// Most nodes by which the thread that runs is ahead of the others.
const SLICE: u64 = 100;

/// What a search with several threads spends beside its nodes, in nanoseconds: estimates for a server with
/// one processor, whose cores exchange a cache line in about 100 ns.
#[derive(Clone, Copy)]
struct Costs {
    /// To hold the lock of the pool: its line and those of the open split points come from other cores.
    lock: u64,
    /// To make a split point: two allocations, and copies of the node and of its moves.
    split: u64,
    /// Until a spinning thread has seen that something changed.
    seen: u64,
    /// Until a sleeping thread runs again: the system wakes its core first.
    woken: u64,
    /// For the thread that wakes another: a system call.
    wake: u64,
    /// How long a waiting thread spins before it sleeps.
    spin: u64,
}

const NANOSECONDS: Costs = Costs {
    lock: 200,
    split: 500,
    seen: 200,
    woken: 20_000,
    wake: 5_000,
    spin: 500_000,
};

/// Nodes that a thread searches in a microsecond before the end of the game: 9.6 million a second on an
/// Intel Xeon with AVX-512.
const MIDGAME_SPEED: u64 = 10;

/// Nodes that a thread searches in a microsecond of a solve: 31 million a second.
const SOLVE_SPEED: u64 = 31;

impl Costs {
    /// In nodes.
    fn of(goal: Goal) -> Costs {
        let speed = match goal {
            Goal::Play => MIDGAME_SPEED,
            Goal::Solve(_) => SOLVE_SPEED,
        };
        let nodes = |nanoseconds: u64| nanoseconds * speed / 1000;
        let Costs {
            lock,
            split,
            seen,
            woken,
            wake,
            spin,
        } = NANOSECONDS;
        Costs {
            lock: nodes(lock),
            split: nodes(split),
            seen: nodes(seen),
            woken: nodes(woken),
            wake: nodes(wake),
            spin: nodes(spin),
        }
    }
}

/// What the simulated cores of searches did, in nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CoreUse {
    /// From the start of the searches to their ends.
    pub time: u64,
    /// Time of all cores together.
    pub total: u64,
    /// Nodes that were searched.
    pub searched: u64,
    /// Those of them that were for a move of a node which another thread decided meanwhile.
    pub vain: u64,
    /// Those of them that threads without work searched ahead.
    pub ahead: u64,
    /// Without work.
    pub idle: u64,
    /// Waiting for others that searched moves of a node of this thread.
    pub waited: u64,
    /// Getting and holding the lock, making split points, waking others.
    pub sharing: u64,
}

impl AddAssign for CoreUse {
    fn add_assign(&mut self, other: CoreUse) {
        self.time += other.time;
        self.total += other.total;
        self.searched += other.searched;
        self.vain += other.vain;
        self.ahead += other.ahead;
        self.idle += other.idle;
        self.waited += other.waited;
        self.sharing += other.sharing;
    }
}

/// `searched 80.1% (in vain 3.0%, ahead 9.0%), without work 10.2%, waiting for others 5.0%, sharing 4.7%`: of the time
/// of all cores.
impl fmt::Display for CoreUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |nodes: u64| 100.0 * nodes as f64 / self.total.max(1) as f64;
        write!(
            f,
            "searched {:.1}% (in vain {:.1}%, ahead {:.1}%), without work {:.1}%, waiting for others {:.1}%, sharing {:.1}%",
            percent(self.searched),
            percent(self.vain),
            percent(self.ahead),
            percent(self.idle),
            percent(self.waited),
            percent(self.sharing)
        )
    }
}

/// Why a thread waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Wait {
    /// It has no work.
    Idle,
    /// Others search moves of a node of its own.
    ForOthers,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Activity {
    Runs,
    Waits(Wait),
    HasLeft,
}

struct CoreState {
    clock: u64,
    activity: Activity,
}

struct Cores {
    cores: Vec<CoreState>,
    /// Cores whose threads have joined, the leader aside.
    joined: usize,
    /// The core whose thread runs.
    turn: Option<usize>,
    /// When the lock is free.
    unlocked: u64,
    /// Has the leader left?
    over: bool,
    used: CoreUse,
}

impl Cores {
    /// The core that is due: of those that run, the first whose clock shows least.
    fn due(&self) -> Option<usize> {
        let cores = self.cores.iter().enumerate();
        let running = cores.filter(|(_, core)| core.activity == Activity::Runs);
        running.min_by_key(|(_, core)| core.clock).map(|(id, _)| id)
    }

    /// Moves a core that waits on to this time, from which on it runs.
    fn resume(&mut self, id: usize, time: u64) {
        let core = &mut self.cores[id];
        if let Activity::Waits(wait) = core.activity {
            let waited = time.saturating_sub(core.clock);
            core.clock += waited;
            core.activity = Activity::Runs;
            match wait {
                Wait::Idle => self.used.idle += waited,
                Wait::ForOthers => self.used.waited += waited,
            }
        }
    }
}

/// The cores of one search.
pub(super) struct Simulation {
    state: Mutex<Cores>,
    /// One for each core: it is its turn, or all is over.
    turns: Vec<Condvar>,
    costs: Costs,
}

impl Simulation {
    /// A simulation of `cores` cores, at least 1: that of the thread that leads, and those of its helpers.
    pub(super) fn new(cores: usize, goal: Goal) -> Arc<Simulation> {
        let costs = Costs::of(goal);
        let core = |id: usize| CoreState {
            // Helpers sleep before a search.
            clock: if id == 0 { 0 } else { costs.woken },
            activity: Activity::Runs,
        };
        Arc::new(Simulation {
            state: Mutex::new(Cores {
                cores: (0..cores).map(core).collect(),
                joined: 0,
                turn: None,
                unlocked: 0,
                over: false,
                used: CoreUse::default(),
            }),
            turns: (0..cores).map(|_| Condvar::new()).collect(),
            costs,
        })
    }

    /// The core of the thread that leads. Waits until all others have joined.
    pub(super) fn lead(self: &Arc<Simulation>) -> SimulatedCore {
        let mut state = lock(&self.state);
        while state.joined + 1 < state.cores.len() {
            state = wait(&self.turns[0], state);
        }
        state.turn = Some(0);
        SimulatedCore::new(self, 0, &state)
    }

    /// The core of one more thread, from its first turn on; `None` if there is none left.
    pub(super) fn join(self: &Arc<Simulation>) -> Option<SimulatedCore> {
        let mut state = lock(&self.state);
        let id = state.joined + 1;
        if id >= state.cores.len() {
            return None;
        }
        state.joined = id;
        self.turns[0].notify_one();
        state = self.await_turn(state, id);
        Some(SimulatedCore::new(self, id, &state))
    }

    /// The time, in nodes, on the core whose thread runs.
    pub(super) fn now(&self) -> u64 {
        let state = lock(&self.state);
        let core = state.turn.and_then(|id| state.cores.get(id));
        core.map_or(0, |core| core.clock)
    }

    /// What the cores of a search that is over did.
    pub(super) fn used(&self) -> CoreUse {
        lock(&self.state).used
    }

    fn await_turn<'s>(
        &'s self,
        mut state: MutexGuard<'s, Cores>,
        id: usize,
    ) -> MutexGuard<'s, Cores> {
        while !state.over && state.turn != Some(id) {
            state = wait(&self.turns[id], state);
        }
        state
    }

    /// Gives the turn to the core that is due. Where all wait, they look again at what they wait for, as
    /// real threads do.
    fn pass_turn(&self, state: &mut Cores) {
        if state.due().is_none() {
            let latest = state.cores.iter().map(|core| core.clock).max();
            for id in 0..state.cores.len() {
                state.resume(id, latest.unwrap_or(0) + self.costs.spin);
            }
        }
        if let Some(id) = state.due() {
            state.turn = Some(id);
            self.turns[id].notify_one();
        }
    }
}

/// The core of one thread, which leaves the simulation when it is dropped; with that of the leader all is
/// over.
pub(super) struct SimulatedCore {
    simulation: Arc<Simulation>,
    id: usize,
    /// Nodes of the thread, when it last asked its core for something: its time.
    nodes: u64,
    /// Nodes of the thread that are counted.
    counted: u64,
    /// Nodes of the thread after which it may be another's turn.
    until: u64,
    /// Nodes of the thread that were for nothing.
    vain: u64,
    /// Those that were searched ahead, up to the start of what is being searched so.
    ahead: u64,
    /// Nodes of the thread when it began to search ahead.
    ahead_from: Option<u64>,
}

impl SimulatedCore {
    fn new(simulation: &Arc<Simulation>, id: usize, state: &Cores) -> SimulatedCore {
        let mut core = SimulatedCore {
            simulation: Arc::clone(simulation),
            id,
            nodes: 0,
            counted: 0,
            until: 0,
            vain: 0,
            ahead: 0,
            ahead_from: None,
        };
        core.plan(state);
        core
    }

    /// The core, after so many nodes of its thread.
    #[inline]
    pub(super) fn at(&mut self, nodes: u64) -> &mut SimulatedCore {
        self.nodes = nodes;
        self
    }

    /// Counts the nodes up to now.
    pub(super) fn finish(&mut self) {
        let simulation = Arc::clone(&self.simulation);
        let mut state = lock(&simulation.state);
        self.count(&mut state);
        state.used.vain += self.vain;
        state.used.ahead += self.ahead;
    }

    /// Spends the time that the lock of the pool costs, when the others have had theirs.
    fn take_lock(&mut self) {
        self.let_others_run(0);
        let simulation = Arc::clone(&self.simulation);
        let mut state = lock(&simulation.state);
        let now = state.cores[self.id].clock;
        let done = now.max(state.unlocked) + simulation.costs.lock;
        state.unlocked = done;
        self.spend(&mut state, done - now);
    }

    /// Wakes so many of the threads without work, those first that began to wait last, and lets the owners of
    /// split points see that there is a new one.
    fn call(&mut self, count: usize) {
        let simulation = Arc::clone(&self.simulation);
        let mut state = lock(&simulation.state);
        self.count(&mut state);
        for _ in 0..count {
            let cores = state.cores.iter().enumerate();
            let idle = cores.filter(|(_, core)| core.activity == Activity::Waits(Wait::Idle));
            let last = idle.max_by_key(|(_, core)| core.clock);
            if let Some((id, _)) = last {
                self.wake(&mut state, id);
            }
        }
        for id in 0..state.cores.len() {
            if state.cores[id].activity == Activity::Waits(Wait::ForOthers) {
                self.wake(&mut state, id);
            }
        }
        self.plan(&state);
    }

    /// Wakes the thread of a core that waits.
    fn wake(&self, state: &mut Cores, id: usize) {
        let costs = self.simulation.costs;
        let now = state.cores[self.id].clock;
        let is_asleep = now.saturating_sub(state.cores[id].clock) >= costs.spin;
        let (delay, cost) = if is_asleep {
            (costs.woken, costs.wake)
        } else {
            (costs.seen, 0)
        };
        state.resume(id, now + delay);
        state.cores[self.id].clock += cost;
        state.used.sharing += cost;
    }

    /// Waits until another thread wakes it. `false`: all is over.
    fn wait(&mut self, why: Wait) -> bool {
        let simulation = Arc::clone(&self.simulation);
        let mut state = lock(&simulation.state);
        if state.over {
            return false;
        }
        self.count(&mut state);
        state.cores[self.id].activity = Activity::Waits(why);
        simulation.pass_turn(&mut state);
        state = simulation.await_turn(state, self.id);
        self.plan(&state);
        !state.over
    }

    /// Lets others run that are more than `ahead` nodes behind.
    fn let_others_run(&mut self, ahead: u64) {
        let simulation = Arc::clone(&self.simulation);
        let mut state = lock(&simulation.state);
        self.count(&mut state);
        let clock = state.cores[self.id].clock;
        let due = state
            .due()
            .filter(|&id| state.cores[id].clock + ahead < clock);
        if due.is_some() && !state.over {
            simulation.pass_turn(&mut state);
            state = simulation.await_turn(state, self.id);
        }
        self.plan(&state);
    }

    fn count(&mut self, state: &mut Cores) {
        let new = self.nodes - self.counted;
        self.counted = self.nodes;
        if !state.over {
            state.cores[self.id].clock += new;
            state.used.searched += new;
        }
    }

    /// Spends time on something else than nodes.
    fn spend(&mut self, state: &mut Cores, time: u64) {
        if !state.over {
            state.cores[self.id].clock += time;
            state.used.sharing += time;
        }
        self.plan(state);
    }

    /// How many nodes may it search before it must look whose turn it is?
    fn plan(&mut self, state: &Cores) {
        let others = state.cores.iter().enumerate();
        let others = others.filter(|&(id, core)| id != self.id && core.activity == Activity::Runs);
        let least = others.map(|(_, core)| core.clock).min();
        let clock = state.cores[self.id].clock;
        self.until = match least {
            _ if state.over => u64::MAX,
            Some(least) => self.counted + (least + SLICE + 1).saturating_sub(clock),
            // Time goes on all the same.
            None => self.counted + SLICE,
        };
    }
}

impl Core for SimulatedCore {
    fn lock<'p>(&mut self, pool: &'p Pool) -> MutexGuard<'p, OpenNodes> {
        self.take_lock();
        lock(&pool.open)
    }

    fn wake_helpers(&mut self, _pool: &Pool, _open: &OpenNodes, count: usize) {
        let simulation = Arc::clone(&self.simulation);
        self.spend(&mut lock(&simulation.state), simulation.costs.split);
        self.call(count);
    }

    fn wake_owner(&mut self, _pool: &Pool, split: &SplitPoint) {
        let simulation = Arc::clone(&self.simulation);
        let mut state = lock(&simulation.state);
        self.count(&mut state);
        let waits = |id: &usize| state.cores[*id].activity == Activity::Waits(Wait::ForOthers);
        if let Some(id) = split.owner.filter(waits) {
            self.wake(&mut state, id);
        }
        self.plan(&state);
    }

    fn wait_for_call<'p>(
        &mut self,
        pool: &'p Pool,
        open: MutexGuard<'p, OpenNodes>,
    ) -> MutexGuard<'p, OpenNodes> {
        drop(open);
        pool.begin_wait();
        // A call that is open already is answered at once, as by a real thread.
        let is_called = pool.answer_call();
        let is_simulated = is_called || self.wait(Wait::Idle);
        if !is_called && !pool.answer_call() {
            pool.end_wait();
        }
        let open = self.lock(pool);
        if is_simulated {
            open
        } else {
            pool.wait_for_call(open)
        }
    }

    fn wait_for_others(
        &mut self,
        pool: &Pool,
        open: MutexGuard<'_, OpenNodes>,
        split: &SplitPoint,
    ) {
        if split.helpers.load(Ordering::SeqCst) == 0 {
            return;
        }
        drop(open);
        pool.begin_wait_for_others();
        self.wait(Wait::ForOthers);
        pool.end_wait_for_others();
    }

    fn are_enough(&self, _pool: &Pool) -> bool {
        true
    }

    fn id(&self) -> Option<usize> {
        Some(self.id)
    }

    #[inline]
    fn keep_pace(&mut self) {
        if self.nodes >= self.until {
            self.let_others_run(SLICE);
        }
    }

    fn useful(&self) -> u64 {
        self.nodes - self.vain
    }

    fn note_vain(&mut self, useful: u64) {
        self.vain = self.nodes - useful;
    }

    fn set_ahead(&mut self, is_ahead: bool) {
        if let Some(from) = self.ahead_from.take() {
            self.ahead += self.nodes - from;
        }
        self.ahead_from = is_ahead.then_some(self.nodes);
    }
}

impl Drop for SimulatedCore {
    fn drop(&mut self) {
        let simulation = Arc::clone(&self.simulation);
        let mut state = lock(&simulation.state);
        if state.over {
            return;
        }
        state.cores[self.id].activity = Activity::HasLeft;
        if self.id > 0 && !std::thread::panicking() {
            return simulation.pass_turn(&mut state);
        }
        // A panic ends the search, and nothing more is measured.
        let now = state.cores[0].clock;
        for id in 0..state.cores.len() {
            state.resume(id, now);
        }
        state.used.time = now;
        state.used.total = now * state.cores.len() as u64;
        state.over = true;
        for turn in &simulation.turns {
            turn.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Evaluator;
    use crate::rules::Position;
    use crate::search::{Control, Limits, SearchOptions, Searcher};

    #[test]
    fn a_limit_of_nodes_is_one_of_time_on_any_number_of_cores() {
        for threads in [1, 2, 8] {
            let options = SearchOptions {
                threads,
                hash_mb: 1,
            };
            let limits = Limits {
                nodes: Some(3000),
                ..Limits::default()
            };
            let mut searcher =
                Searcher::simulating(Evaluator::embedded(), options).expect("memory");
            let board = Position::START.board;
            searcher.search(board, &limits, &Control::new(), &mut |_| {});
            let time = searcher.take_core_use().expect("cores").time;
            assert!((3000..6000).contains(&time), "{threads}: {time}");
        }
    }

    #[test]
    fn a_core_alone_never_waits() {
        let simulation = Simulation::new(1, Goal::Play);
        let mut core = simulation.lead();
        core.at(1_000_000).keep_pace();
        core.at(1_000_001).finish();
        drop(core);
        let used = simulation.used();
        assert_eq!((used.time, used.searched), (1_000_001, 1_000_001));
    }

    #[test]
    fn threads_run_in_turn_and_a_waiting_one_goes_on_when_it_is_woken() {
        let simulation = Simulation::new(2, Goal::Play);
        let order = Mutex::new(Vec::new());
        let note = |thread: char, nodes: u64| lock(&order).push((thread, nodes));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut core = simulation.join().expect("a core");
                note('h', 0);
                assert!(core.wait(Wait::Idle));
                note('h', 0);
                assert!(!core.wait(Wait::Idle));
            });
            let mut core = simulation.lead();
            for nodes in (0..=1000).step_by(250) {
                core.at(nodes).keep_pace();
                note('l', nodes);
            }
            core.at(1000).call(1);
            core.at(1150).keep_pace();
            core.at(1150).finish();
        });
        let seen = order.into_inner().expect("no panic");
        let leader = [0, 250].map(|nodes| ('l', nodes)).to_vec();
        assert_eq!(seen[..2], leader);
        assert_eq!(seen[2], ('h', 0), "{seen:?}");
        assert_eq!(seen[6], ('h', 0), "{seen:?}");
        let used = simulation.used();
        assert_eq!((used.time, used.searched), (1150, 1150));
    }

    #[test]
    fn a_helper_that_panics_holds_up_nobody() {
        let simulation = Simulation::new(2, Goal::Play);
        std::thread::scope(|scope| {
            let helper = scope.spawn(|| {
                let _core = simulation.join();
                panic!("a helper's fault");
            });
            let mut core = simulation.lead();
            core.at(1_000_000).keep_pace();
            assert!(helper.join().is_err());
            core.at(2_000_000).keep_pace();
        });
    }
}
