//! Many positions at once.

use std::ffi::{c_char, c_void};
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use emilia::eval::Evaluator;
use emilia::score::Question;
use emilia::search::{Control, Goal, Limits, Outcome, SearchOptions, Searcher};
use emilia::threads::{Stack, cores, spawn_scoped};

use crate::error::{
    EMILIA_ERROR_FAULT, EMILIA_ERROR_RESOURCES, EmiliaError, Failure, guard, required, text,
};
use crate::position::{EMILIA_NO_MOVE, EmiliaPosition, number_of};
use crate::question;
use crate::result::proven;

/// The question is answered.
pub const EMILIA_STATUS_SOLVED: u8 = 0;
/// The nodes were used up before.
pub const EMILIA_STATUS_LIMIT: u8 = 1;
/// It was stopped before.
pub const EMILIA_STATUS_STOPPED: u8 = 2;
/// It is no position.
pub const EMILIA_STATUS_ILLEGAL: u8 = 3;

/// Called some ten times a second with the positions that are done and all positions; what is not 0 ends the work.
pub type EmiliaProgress =
    Option<unsafe extern "C" fn(done: usize, positions: usize, user: *mut c_void) -> i32>;

/// How a batch is solved.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct EmiliaBatch {
    /// Positions visited after which one of the batch is given up; 0: none.
    pub max_nodes: u64,
    /// Threads, each with positions of its own; 0: one for each processor.
    pub threads: u32,
    /// Megabytes of memory for each thread.
    pub hash_mb: u32,
    /// Hears how far it is.
    pub progress: EmiliaProgress,
    /// Given to `progress`.
    pub user: *mut c_void,
}

/// What a batch says of a position. Scores are discs for the side to move.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct EmiliaSolved {
    /// Positions visited.
    pub nodes: u64,
    /// The score is at least this; -64 says nothing.
    pub lower: i8,
    /// The score is at most this; 64 says nothing.
    pub upper: i8,
    /// One of `EMILIA_PROVEN_..`.
    pub proven: u8,
    /// A best move, as far as it is known.
    pub best: u8,
    /// One of `EMILIA_STATUS_..`.
    pub status: u8,
}

impl EmiliaSolved {
    const fn unknown(status: u8) -> EmiliaSolved {
        EmiliaSolved {
            nodes: 0,
            lower: -64,
            upper: 64,
            proven: 0,
            best: EMILIA_NO_MOVE,
            status,
        }
    }
}

/// All processors, 32 megabytes for each thread, no limit.
#[unsafe(no_mangle)]
pub extern "C" fn emilia_batch_default() -> EmiliaBatch {
    EmiliaBatch {
        max_nodes: 0,
        threads: 0,
        hash_mb: 32,
        progress: None,
        user: ptr::null_mut(),
    }
}

/// Solves `count` positions on all threads, each as `emilia_solve` does, and writes as many answers. `batch` may be NULL. A position with two discs on
/// a square is no error: its status says so.
///
/// # Safety
/// `count` positions at `positions`; `question` is a text ended by 0; `batch` is NULL or a batch; `count` answers at `solved`, and `error`, may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn emilia_solve_batch(
    positions: *const EmiliaPosition,
    count: usize,
    question: *const c_char,
    batch: *const EmiliaBatch,
    solved: *mut EmiliaSolved,
    error: *mut EmiliaError,
) -> i32 {
    // SAFETY: the caller keeps what is said above.
    unsafe {
        guard(error, || {
            let question = question::parse(text(question)?)?;
            let batch = batch
                .as_ref()
                .copied()
                .unwrap_or_else(|| emilia_batch_default());
            if count == 0 {
                return Ok(());
            }
            required(positions, "positions")?;
            required(solved, "solved")?;
            let positions = std::slice::from_raw_parts(positions, count);
            for index in 0..count {
                solved
                    .add(index)
                    .write(EmiliaSolved::unknown(EMILIA_STATUS_STOPPED));
            }
            let answers = std::slice::from_raw_parts_mut(solved, count);
            Solve {
                positions,
                question,
                batch,
                control: Control::new(),
            }
            .run(answers)
        })
    }
}

/// One batch.
struct Solve<'a> {
    positions: &'a [EmiliaPosition],
    question: Question,
    batch: EmiliaBatch,
    control: Control,
}

/// The number of a position and its answer, or why a thread ends.
type Done = Result<(usize, EmiliaSolved), Failure>;

/// The part of a batch that its threads share: no pointer of the caller.
struct Shared<'a> {
    positions: &'a [EmiliaPosition],
    question: Question,
    limits: Limits,
    options: SearchOptions,
    control: &'a Control,
    next: AtomicUsize,
}

impl Solve<'_> {
    fn run(&self, answers: &mut [EmiliaSolved]) -> Result<(), Failure> {
        let hash_mb = self.batch.hash_mb as usize;
        if !(1..=SearchOptions::MAX_HASH_MB).contains(&hash_mb) {
            return Err(Failure::argument("hash_mb must be at least 1"));
        }
        let all = cores().get();
        let wanted = if self.batch.threads == 0 {
            all
        } else {
            self.batch.threads as usize
        };
        let threads = wanted
            .min(SearchOptions::MAX_THREADS)
            .min(self.positions.len());
        let shared = Shared {
            positions: self.positions,
            question: self.question,
            limits: Limits {
                goal: Goal::Solve(self.question),
                nodes: (self.batch.max_nodes > 0).then_some(self.batch.max_nodes),
                ..Limits::default()
            },
            options: SearchOptions {
                threads: 1,
                hash_mb,
            },
            control: &self.control,
            next: AtomicUsize::new(0),
        };
        let (results, done) = channel();
        thread::scope(|scope| {
            let mut started = 0;
            for _ in 0..threads {
                let (results, shared) = (results.clone(), &shared);
                let work = move || shared.work(&results);
                started += usize::from(spawn_scoped(scope, "batch", Stack::Search, work).is_ok());
            }
            drop(results);
            if started == 0 {
                return Err(Failure::new(
                    EMILIA_ERROR_RESOURCES,
                    "no thread could be started",
                ));
            }
            let collected = self.collect(&done, answers);
            if collected.is_err() {
                self.control.stop();
            }
            collected
        })
    }

    fn collect(
        &self,
        done: &std::sync::mpsc::Receiver<Done>,
        answers: &mut [EmiliaSolved],
    ) -> Result<(), Failure> {
        let mut finished = 0;
        let mut told = std::time::Instant::now();
        let every = Duration::from_millis(100);
        loop {
            match done.recv_timeout(every) {
                Ok(Ok((index, solved))) => {
                    answers[index] = solved;
                    finished += 1;
                }
                Ok(Err(failure)) => return Err(failure),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if told.elapsed() >= every {
                told = std::time::Instant::now();
                self.tell(finished);
            }
        }
        self.tell(finished);
        Ok(())
    }

    fn tell(&self, finished: usize) {
        if let Some(progress) = self.batch.progress {
            // SAFETY: the caller gave the function to be called with two numbers and this pointer of its own.
            let ends = unsafe { progress(finished, self.positions.len(), self.batch.user) } != 0;
            if ends {
                self.control.stop();
            }
        }
    }
}

impl Shared<'_> {
    fn work(&self, results: &Sender<Done>) {
        let done = emilia::faults::caught(|| self.all(results));
        let done = done.unwrap_or_else(|reason| Err(Failure::new(EMILIA_ERROR_FAULT, reason)));
        if let Err(failure) = done {
            let _ = results.send(Err(failure));
        }
    }

    fn all(&self, results: &Sender<Done>) -> Result<(), Failure> {
        let searcher = Searcher::new(Evaluator::embedded(), self.options);
        let missing = |error: emilia::search::TableError| {
            Failure::new(EMILIA_ERROR_RESOURCES, error.to_string())
        };
        let mut searcher = searcher.map_err(missing)?;
        while !self.control.is_stopped() {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(position) = self.positions.get(index) else {
                break;
            };
            let solved = match position.checked() {
                Err(_) => EmiliaSolved::unknown(EMILIA_STATUS_ILLEGAL),
                Ok(position) => {
                    let control = self.control;
                    let outcome =
                        searcher.search(position.board, &self.limits, control, &mut |_| {});
                    self.solved(&outcome)
                }
            };
            if results.send(Ok((index, solved))).is_err() {
                break;
            }
        }
        Ok(())
    }

    fn solved(&self, outcome: &Outcome) -> EmiliaSolved {
        EmiliaSolved {
            nodes: outcome.nodes,
            // Bounds are discs, -64 to 64.
            lower: outcome.proven.lower() as i8,
            upper: outcome.proven.upper() as i8,
            proven: proven(Some(self.question), outcome.proven),
            best: number_of(outcome.best),
            status: match outcome.complete {
                true => EMILIA_STATUS_SOLVED,
                false if self.control.is_stopped() => EMILIA_STATUS_STOPPED,
                false => EMILIA_STATUS_LIMIT,
            },
        }
    }
}
