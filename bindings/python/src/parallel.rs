//! Rows of arrays on all threads, while the calling thread waits for signals, reports progress and looks whether it
//! shall cancel. The threads live as long as the call: none is left behind for a fork to lose.

use std::ops::Range;
use std::time::{Duration, Instant};

use emilia::binding::pool::{self, Answers, Next, PoolError, Team};
use emilia::binding::{TICK, caught, cores};
use emilia::search::Control;
use pyo3::prelude::*;

use crate::errors::emilia_error;

/// How often progress is told.
const TOLD_EVERY: Duration = Duration::from_millis(100);

/// How rows are shared.
#[derive(Clone, Copy)]
pub(crate) struct Sharing {
    /// Threads; `None`: all.
    pub(crate) threads: Option<usize>,
    /// Rows that a thread takes at once.
    pub(crate) chunk: usize,
    /// Does a chunk take so little time that the calling thread may do it, and look for signals after it?
    pub(crate) is_quick: bool,
}

impl Sharing {
    fn threads(self, rows: usize) -> PyResult<usize> {
        let threads = match self.threads {
            Some(0) => return Err(emilia_error("threads must be at least 1")),
            Some(threads) => threads,
            None => cores().get(),
        };
        Ok(threads.min(rows.div_ceil(self.chunk)).min(256))
    }
}

/// What the caller gave to watch and to end the work.
pub(crate) struct Watch<'a, 'py> {
    pub(crate) py: Python<'py>,
    /// All rows.
    rows: usize,
    /// Called with the rows done and all rows.
    progress: Option<&'a Bound<'py, PyAny>>,
    /// Has a method `is_set`, as `threading.Event`.
    cancel: Option<&'a Bound<'py, PyAny>>,
    /// When it last looked for signals.
    looked: Option<Instant>,
    /// When it last told of its progress.
    told: Instant,
}

/// What a thread does with rows.
pub(crate) trait Work: Sync {
    /// What a thread has of its own.
    type Own: Send;
    /// What becomes of a row.
    type Row: Send;

    /// Made once on each thread.
    fn own(&self) -> Result<Self::Own, String>;

    /// Does these rows, in their order.
    fn rows(&self, own: &mut Self::Own, rows: Range<usize>) -> Vec<Self::Row>;
}

/// Does all rows; `take` gets each chunk. Without an error, a cancelled work has taken some of them.
pub(crate) fn share<W: Work>(
    sharing: Sharing,
    work: &W,
    stop: &Control,
    watch: &mut Watch<'_, '_>,
    mut take: impl FnMut(usize, Vec<W::Row>),
) -> PyResult<()> {
    let rows = watch.rows;
    let threads = sharing.threads(rows)?;
    if threads <= 1 && sharing.is_quick {
        return on_this_thread(sharing.chunk, work, watch, take);
    }
    let (py, chunk) = (watch.py, sharing.chunk);
    let team = Team {
        name: "batch",
        threads,
        ordered: false,
    };
    let make = || py.detach(|| work.own().map_err(PoolError::Worker));
    let do_chunk = |own: &mut W::Own, first: usize| {
        let range = first..rows.min(first + chunk);
        (!stop.is_stopped()).then(|| (first, work.rows(own, range)))
    };
    let starts = (0..rows).step_by(chunk);
    let shared = pool::run(team, starts, make, do_chunk, |done| {
        let collected = collect(done, stop, watch, &mut take);
        if collected.is_err() {
            stop.stop();
        }
        Ok(collected)
    });
    shared.map_err(|error: PoolError| emilia_error(error.to_string()))?
}

/// Does all rows without another thread, whose start would take longer than some thousand of them.
fn on_this_thread<W: Work>(
    chunk: usize,
    work: &W,
    watch: &mut Watch<'_, '_>,
    mut take: impl FnMut(usize, Vec<W::Row>),
) -> PyResult<()> {
    let (py, rows) = (watch.py, watch.rows);
    let mut own = work.own().map_err(emilia_error)?;
    for first in (0..rows).step_by(chunk) {
        if watch.is_ended(first)? {
            return watch.tell(first);
        }
        let range = first..rows.min(first + chunk);
        let done = py.detach(|| caught(|| work.rows(&mut own, range)));
        take(first, done.map_err(emilia_error)?);
    }
    watch.tell(rows)
}

/// Takes what the threads hand in, until all have ended.
fn collect<R: Send>(
    done: &mut Answers<'_, usize, (usize, Vec<R>), impl Iterator<Item = usize> + Send>,
    stop: &Control,
    watch: &mut Watch<'_, '_>,
    take: &mut impl FnMut(usize, Vec<R>),
) -> PyResult<()> {
    let mut finished = 0;
    loop {
        match watch.py.detach(|| done.next_within(TICK)) {
            Ok(Next::Answer((first, chunk))) => {
                finished += chunk.len();
                take(first, chunk);
            }
            Ok(Next::Nothing) => {}
            Ok(Next::End) => return watch.tell(finished),
            Err(PoolError::Failed(reason)) => return Err(emilia_error(reason)),
            Err(error) => return Err(emilia_error(error.to_string())),
        }
        if watch.is_ended(finished)? {
            stop.stop();
        }
    }
}

impl<'a, 'py> Watch<'a, 'py> {
    pub(crate) fn new(
        (py, rows): (Python<'py>, usize),
        progress: Option<&'a Bound<'py, PyAny>>,
        cancel: Option<&'a Bound<'py, PyAny>>,
    ) -> Watch<'a, 'py> {
        Watch {
            py,
            rows,
            progress,
            cancel,
            looked: None,
            told: Instant::now(),
        }
    }

    /// Looks for signals, tells of the rows that are done, and says whether the rest is cancelled; where it is time for
    /// that. Call it at least every [`TICK`].
    ///
    /// # Errors
    /// What a handler of a signal or a callback raises.
    pub(crate) fn is_ended(&mut self, done: usize) -> PyResult<bool> {
        let now = Instant::now();
        if self.looked.is_some_and(|looked| now - looked < TICK) {
            return Ok(false);
        }
        self.looked = Some(now);
        self.py.check_signals()?;
        if now - self.told >= TOLD_EVERY {
            self.told = now;
            self.tell(done)?;
        }
        self.is_cancelled()
    }

    /// Tells of the rows that are done.
    ///
    /// # Errors
    /// What the callback raises.
    pub(crate) fn tell(&self, done: usize) -> PyResult<()> {
        match self.progress {
            Some(progress) => progress.call1((done, self.rows)).map(drop),
            None => Ok(()),
        }
    }

    fn is_cancelled(&self) -> PyResult<bool> {
        match self.cancel {
            Some(cancel) => cancel.call_method0("is_set")?.is_truthy(),
            None => Ok(false),
        }
    }
}
