//! The log of the program: plain lines on standard error that never hold up the work.
//!
//! A host that does not read standard error would stop a program that writes there, once the pipe is
//! full. So lines go to a thread that writes them. A few wait for it, and what is too much is dropped
//! and counted. Warnings and errors that repeat are counted as well. `RUST_LOG` decides what is logged;
//! without it these are warnings and errors, without the places in the source that they come from.

use std::collections::HashMap;
use std::io::{self, Write};
use std::mem;
use std::panic;
use std::process;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};
use env_logger::{Builder, Env, Target};
use log::{Level, Record};

use crate::faults;
use crate::locks::lock;
use crate::text::printable;
use crate::threads::{self, Stack};

/// The variable that decides what is logged.
const VARIABLE: &str = "RUST_LOG";

/// Lines that may wait to be written.
const MAX_WAITING: usize = 1024;

/// How long a line is waited for where standard error is read, so that it stands before what is
/// written there directly, and how long the last lines are waited for at the end.
const PATIENCE: Duration = Duration::from_millis(300);

/// Different warnings and errors that are counted.
const MAX_COUNTED: usize = 256;

static LOG: LazyLock<Log> = LazyLock::new(Log::default);

/// Starts the log: from now on it takes what the program logs, and the panics of its threads.
pub fn start() {
    let is_plain = std::env::var_os(VARIABLE).is_none();
    let started = Builder::from_env(Env::default().default_filter_or("warn"))
        .format(move |out, record| out.write_all(&LOG.lines_of(record, is_plain)))
        .target(Target::Pipe(Box::new(Writer)))
        .try_init();
    // It may run already.
    if started.is_ok() {
        take_panics();
    }
}

/// Logs the panics of threads, and ends the process where one is fatal.
fn take_panics() {
    let default = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        match thread::current().name() {
            Some("main") | None => default(info),
            Some(name) => log::error!("thread {name:?} {info}"),
        }
        if faults::is_fatal() {
            let what = "error: a thread of the program has failed; what was written before is kept";
            tell(what);
            finish();
            process::exit(1);
        }
    }));
}

/// Writes an error for the user, whatever is logged.
pub fn error(error: &anyhow::Error) {
    tell(&printable(&format!("error: {error:#}")));
}

/// Writes a warning for the user, whatever is logged.
pub fn warning(text: &str) {
    tell(&printable(&format!("warning: {text}")));
}

/// Writes a line for the user, whatever is logged.
pub fn tell(line: &str) {
    LOG.pipe.write(format!("{line}\n").into_bytes());
}

/// Waits a moment until all is written: to be called before the process ends.
pub fn finish() {
    let rest = LOG.repeats().rest();
    if !rest.is_empty() {
        LOG.pipe.write(rest.concat().into_bytes());
    }
    LOG.pipe.wait();
}

#[derive(Default)]
struct Log {
    pipe: Arc<Pipe>,
    repeats: Mutex<Repeats>,
}

impl Log {
    /// What is written of a record: nothing if it repeats an earlier one.
    fn lines_of(&self, record: &Record<'_>, is_plain: bool) -> Vec<u8> {
        let text = record.args().to_string();
        let text = printable(&text);
        let line = match record.level() {
            Level::Error if is_plain => format!("error: {text}"),
            Level::Warn if is_plain => format!("warning: {text}"),
            level => format!("[{level} {}] {text}", record.target()),
        };
        let lines = match record.level() {
            Level::Error | Level::Warn => self.repeats().take(line),
            _ => line + "\n",
        };
        lines.into_bytes()
    }

    fn repeats(&self) -> MutexGuard<'_, Repeats> {
        lock(&self.repeats)
    }
}

struct Writer;

impl Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        LOG.pipe.write(bytes.to_vec());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[derive(Default)]
struct Repeats {
    counts: HashMap<String, u64>,
}

impl Repeats {
    /// What is written of a line that has come: itself, and from the second time on only its count, the
    /// 10th, the 100th time and so on.
    fn take(&mut self, line: String) -> String {
        let mut lines = String::new();
        if self.counts.len() >= MAX_COUNTED && !self.counts.contains_key(&line) {
            lines = self.rest().concat();
        }
        let count = self.counts.entry(line.clone()).or_default();
        *count += 1;
        match *count {
            1 => lines += &format!("{line}\n"),
            count if is_told(count) => lines += &counted(&line, count),
            _ => {}
        }
        lines
    }

    /// The counts that were not written yet. They begin anew.
    fn rest(&mut self) -> Vec<String> {
        let counts = mem::take(&mut self.counts).into_iter();
        let open = counts.filter(|&(_, count)| !is_told(count));
        let mut lines: Vec<String> = open.map(|(line, count)| counted(&line, count)).collect();
        lines.sort();
        lines
    }
}

/// Is this count written when it is reached?
const fn is_told(count: u64) -> bool {
    let mut power = 1;
    while power < count {
        power *= 10;
    }
    power == count
}

fn counted(line: &str, count: u64) -> String {
    format!("{line} ({count} times)\n")
}

/// The way to standard error.
struct Pipe {
    lines: Sender<Waiting>,
    queue: Receiver<Waiting>,
    /// Does the thread run that writes?
    is_started: Mutex<bool>,
    /// Has nobody read for a while?
    is_stuck: AtomicBool,
    /// Lines that were too many.
    dropped: AtomicU64,
}

/// Lines that wait to be written.
struct Waiting {
    bytes: Vec<u8>,
    /// Dropped when they are.
    written: Sender<()>,
}

impl Default for Pipe {
    fn default() -> Pipe {
        let (lines, queue) = bounded(MAX_WAITING);
        Pipe {
            lines,
            queue,
            is_started: Mutex::default(),
            is_stuck: AtomicBool::default(),
            dropped: AtomicU64::default(),
        }
    }
}

impl Pipe {
    /// Takes lines, and waits until they are written unless that takes long.
    fn write(self: &Arc<Pipe>, bytes: Vec<u8>) {
        let (written, is_written) = bounded(0);
        if self.lines.try_send(Waiting { bytes, written }).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        } else if !self.start() {
            // There is no thread to be had: the one that logs writes.
            let lines: Vec<u8> = self.queue.try_iter().flat_map(|line| line.bytes).collect();
            let _ = io::stderr().write_all(&lines);
        } else if !self.is_stuck.load(Ordering::Relaxed) {
            let is_late = is_written.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout);
            self.is_stuck.store(is_late, Ordering::Relaxed);
        }
    }

    /// Starts the thread, if there is none.
    fn start(self: &Arc<Pipe>) -> bool {
        let mut is_started = lock(&self.is_started);
        if !*is_started {
            let pipe = Arc::clone(self);
            let started = threads::spawn("log", Stack::Small, move || pipe.work(io::stderr()));
            *is_started = started.is_ok();
        }
        *is_started
    }

    /// Waits until all is written, but not long.
    fn wait(&self) {
        let (written, is_written) = bounded(0);
        let bytes = Vec::new();
        if *lock(&self.is_started)
            && let Ok(()) = self
                .lines
                .send_timeout(Waiting { bytes, written }, PATIENCE)
        {
            let _ = is_written.recv_timeout(PATIENCE);
        }
    }

    /// Writes what comes, for ever.
    fn work(&self, mut out: impl Write) {
        for Waiting { mut bytes, written } in &self.queue {
            let dropped = self.dropped.swap(0, Ordering::Relaxed);
            if dropped > 0 {
                let note = format!("warning: {dropped} lines of the log were not read in time\n");
                bytes.extend(note.into_bytes());
            }
            // Standard error may be closed.
            let _ = out.write_all(&bytes);
            self.is_stuck.store(false, Ordering::Relaxed);
            drop(written);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_repeats_is_counted() {
        let mut repeats = Repeats::default();
        let mut log = String::new();
        for _ in 0..705 {
            log += &repeats.take("error: no".to_owned());
            log += &repeats.take("error: number".to_owned());
        }
        log += &repeats.take("error: once".to_owned());
        let expected = "error: no\nerror: number\nerror: no (10 times)\nerror: number (10 times)\n\
                        error: no (100 times)\nerror: number (100 times)\nerror: once\n";
        assert_eq!(log, expected);
        let rest = ["error: no (705 times)\n", "error: number (705 times)\n"];
        assert_eq!(repeats.rest(), rest);
        assert!(repeats.rest().is_empty());
    }

    #[test]
    fn any_number_of_different_lines_takes_bounded_memory() {
        let mut repeats = Repeats::default();
        for number in 0..10 * MAX_COUNTED {
            let line = format!("error: {number}");
            assert_eq!(repeats.take(line.clone()), format!("{line}\n"));
            assert!(repeats.counts.len() <= MAX_COUNTED);
        }
    }

    /// The work of a process of its own: a thread of it panics.
    fn panic_fatally() {
        start();
        let work = || {
            faults::make_panics_fatal();
            panic!("a fault of a worker");
        };
        threads::spawn("worker", Stack::Small, work).expect("a thread");
        thread::sleep(Duration::from_secs(60));
    }

    #[test]
    fn a_fatal_panic_of_a_thread_ends_the_process() {
        /// Set where this test runs in the process that is to end.
        const INSIDE: &str = "EMILIA_TEST_PANICS";
        if std::env::var_os(INSIDE).is_some() {
            panic_fatally();
        }
        let name = "logging::tests::a_fatal_panic_of_a_thread_ends_the_process";
        let test = process::Command::new(std::env::current_exe().expect("a program"))
            .args(["--exact", name, "--nocapture"])
            .env(INSIDE, "yes")
            .env_remove(VARIABLE)
            .output()
            .expect("started");
        let errors = String::from_utf8_lossy(&test.stderr);
        assert_eq!(test.status.code(), Some(1), "{errors}");
        assert!(errors.contains("a fault of a worker"), "{errors}");
        assert!(
            errors.contains("error: a thread of the program has failed"),
            "{errors}"
        );
    }

    /// A pipe that nobody reads.
    struct Full;

    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            loop {
                thread::park();
            }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn nobody_waits_for_a_pipe_that_is_not_read() {
        let pipe = Arc::new(Pipe::default());
        *lock(&pipe.is_started) = true;
        let other = Arc::clone(&pipe);
        threads::spawn("log", Stack::Small, move || other.work(Full)).expect("a thread");
        // Only the first line is waited for.
        for _ in 0..MAX_WAITING + 100 {
            pipe.write(b"error: no\n".to_vec());
        }
        assert_eq!(pipe.queue.len(), MAX_WAITING);
        let dropped = pipe.dropped.load(Ordering::Relaxed);
        assert!(dropped > 90, "{dropped}");
    }
}
