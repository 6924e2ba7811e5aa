//! Many positions at once.

use std::ffi::{c_char, c_void};
use std::num::NonZeroUsize;
use std::ptr;
use std::task::Poll;
use std::time::{Duration, Instant};

use emilia::batch::{PoolError, Problem, Solution, Solutions, SolveOptions, Status, solve_all};
use emilia::binding::Proven;
use emilia::score::Question;
use emilia::search::SearchOptions;

use crate::error::{
    EMILIA_ERROR_FAULT, EMILIA_ERROR_RESOURCES, EmiliaError, Failure, guard, required, text,
};
use crate::position::{EMILIA_NO_MOVE, EmiliaPosition, number_of};
use crate::question;
use crate::result::number_of_proof;

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

    /// What is found out about a position.
    fn of(problem: &Problem, solution: &Solution) -> Result<EmiliaSolved, Failure> {
        let status = match &solution.status {
            Status::Solved => EMILIA_STATUS_SOLVED,
            Status::Cancelled => EMILIA_STATUS_STOPPED,
            Status::Failed(reason) => return Err(Failure::new(EMILIA_ERROR_FAULT, reason)),
            _ => EMILIA_STATUS_LIMIT,
        };
        Ok(EmiliaSolved {
            nodes: solution.nodes,
            // Bounds are discs, -64 to 64.
            lower: solution.bounds.lower() as i8,
            upper: solution.bounds.upper() as i8,
            proven: number_of_proof(Proven::of(Some(problem.question), solution.bounds)),
            best: number_of(solution.best()),
            status,
        })
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
            batch.solve(positions, question, answers)
        })
    }
}

/// How often the caller hears how far it is.
const TOLD_EVERY: Duration = Duration::from_millis(100);

impl EmiliaBatch {
    /// Solves the positions, and says which are none.
    fn solve(
        &self,
        positions: &[EmiliaPosition],
        question: Question,
        answers: &mut [EmiliaSolved],
    ) -> Result<(), Failure> {
        let options = self.options()?;
        let indices = 0..positions.len();
        let (legal, illegal): (Vec<usize>, Vec<usize>) =
            indices.partition(|&index| positions[index].checked().is_ok());
        for &index in &illegal {
            answers[index] = EmiliaSolved::unknown(EMILIA_STATUS_ILLEGAL);
        }
        let asked = legal.iter().filter_map(|&index| {
            let position = positions[index].checked().ok()?;
            Some(Problem::new(position, question).numbered(index as u64))
        });
        let solutions = solve_all(asked, &options);
        let missing = |error: PoolError| Failure::new(EMILIA_ERROR_RESOURCES, error.to_string());
        let solutions = solutions.map_err(missing)?;
        let progress = Progress {
            batch: *self,
            positions: positions.len(),
            done: illegal.len(),
        };
        progress.take_all(solutions, |problem, solution| {
            answers[problem.place.line as usize] = EmiliaSolved::of(problem, solution)?;
            Ok(())
        })
    }

    fn options(&self) -> Result<SolveOptions, Failure> {
        let hash_mb = self.hash_mb as usize;
        if !(1..=SearchOptions::MAX_HASH_MB).contains(&hash_mb) {
            return Err(Failure::argument("hash_mb must be at least 1"));
        }
        let threads = (self.threads as usize).min(SearchOptions::MAX_THREADS);
        Ok(SolveOptions {
            threads: NonZeroUsize::new(threads),
            hash_mb,
            nodes: (self.max_nodes > 0).then_some(self.max_nodes),
            deterministic: true,
            ordered: false,
            ..SolveOptions::default()
        })
    }
}

/// How far a batch is.
struct Progress {
    batch: EmiliaBatch,
    positions: usize,
    done: usize,
}

impl Progress {
    /// Takes all solutions, those that are stopped as well, and tells the caller.
    fn take_all<I: Iterator<Item = Problem>>(
        mut self,
        mut solutions: Solutions<I>,
        mut take: impl FnMut(&Problem, &Solution) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let cancel = solutions.canceller();
        let mut told = Instant::now();
        loop {
            match solutions.poll_next(TOLD_EVERY) {
                Poll::Ready(Some((problem, solution))) => {
                    take(&problem, &solution)?;
                    self.done += usize::from(solution.status != Status::Cancelled);
                }
                Poll::Ready(None) => break,
                Poll::Pending => {}
            }
            if told.elapsed() >= TOLD_EVERY {
                told = Instant::now();
                if self.tell() {
                    cancel.cancel();
                }
            }
        }
        self.tell();
        Ok(())
    }

    /// Tells the caller how far it is. Does it want the work to end?
    fn tell(&self) -> bool {
        let EmiliaBatch { progress, user, .. } = self.batch;
        let Some(progress) = progress else {
            return false;
        };
        // SAFETY: the caller gave the function to be called with two numbers and this pointer of its own.
        unsafe { progress(self.done, self.positions, user) != 0 }
    }
}
