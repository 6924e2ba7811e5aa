//! An engine in another process: lines are sent, lines come back with the time of their
//! arrival. No wait here is longer than its deadline, whatever the engine does.

use std::io::{self, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};

use super::{Fault, cpu};
use crate::text::Lines;
use crate::threads::{self, Stack};

/// Lines that may wait to be looked at; an engine that writes more has to wait.
const WAITING_LINES: usize = 4096;

/// Time in which an engine that behaved may end by itself.
const TIME_TO_QUIT: Duration = Duration::from_millis(300);

/// A running engine. Dropping it ends the process, and on Unix also what it has started.
pub(super) struct Process {
    child: Running,
    stdin: ChildStdin,
    lines: Receiver<Stamped>,
    /// Longest silence of the engine beyond its time for thinking.
    patience: Duration,
    /// When the wait for answers ends.
    deadline: Instant,
    /// The last line that was sent, for messages.
    last_sent: String,
}

/// A line of an engine, and when it came. Bytes that are not text are an empty line.
struct Stamped {
    text: String,
    at: Instant,
}

impl Process {
    /// Starts `command`, a program and its arguments, in the folder `dir` if there is one.
    pub(super) fn start(
        command: &[String],
        dir: Option<&Path>,
        patience: Duration,
    ) -> Result<Process, Fault> {
        let (program, arguments) = command
            .split_first()
            .ok_or_else(|| Fault::Crash("no command".to_owned()))?;
        let crash = |error: io::Error| Fault::Crash(format!("{program}: {error}"));
        let mut command = Command::new(program);
        command
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        if let Some(dir) = dir {
            command.current_dir(dir);
        }
        // A group of its own: a script is ended together with the engine that it started.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = Running(command.spawn().map_err(crash)?);
        let (Some(stdin), Some(stdout)) = (child.0.stdin.take(), child.0.stdout.take()) else {
            return Err(crash(io::ErrorKind::BrokenPipe.into()));
        };
        let (sender, lines) = bounded(WAITING_LINES);
        let work = move || read(Lines::new(BufReader::new(stdout)), &sender);
        threads::spawn(&format!("read {program}"), Stack::Small, work)
            .map_err(|error| Fault::Crash(format!("no thread to read its output: {error}")))?;
        Ok(Process {
            child,
            stdin,
            lines,
            patience,
            deadline: Instant::now() + patience,
            last_sent: String::new(),
        })
    }

    /// Gives the engine `time`, and its patience beyond it, for all answers from now on.
    pub(super) fn allow(&mut self, time: Duration) {
        self.deadline = Instant::now() + time + self.patience;
    }

    /// CPU time of the engine and of what it has started.
    pub(super) fn cpu_time(&self) -> Option<Duration> {
        cpu::of_process(self.child.0.id())
    }

    /// Sends one line.
    pub(super) fn send(&mut self, line: &str) -> Result<(), Fault> {
        log::trace!("> {line}");
        line.clone_into(&mut self.last_sent);
        writeln!(self.stdin, "{line}")
            .and_then(|()| self.stdin.flush())
            .map_err(|_| self.ended())
    }

    /// Sends a line, and waits for the first one that `parse` takes.
    pub(super) fn ask<T>(
        &mut self,
        line: &str,
        parse: impl FnMut(&str) -> Option<T>,
    ) -> Result<T, Fault> {
        self.send(line)?;
        Ok(self.wait_for(parse)?.0)
    }

    /// Sends a line, and waits for `answer`, a line of its own.
    pub(super) fn expect(&mut self, line: &str, answer: &str) -> Result<(), Fault> {
        self.ask(line, |text| (text.trim() == answer).then_some(()))
    }

    /// Waits for the first line that `parse` takes, and gives the time of its arrival;
    /// others are skipped.
    pub(super) fn wait_for<T>(
        &mut self,
        mut parse: impl FnMut(&str) -> Option<T>,
    ) -> Result<(T, Instant), Fault> {
        loop {
            let line = match self.lines.recv_deadline(self.deadline) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => {
                    let reason = format!("no answer to {:?} in time", self.last_sent);
                    return Err(Fault::Hang(reason));
                }
                Err(RecvTimeoutError::Disconnected) => return Err(self.ended()),
            };
            log::trace!("< {}", line.text);
            if let Some(found) = parse(&line.text) {
                return Ok((found, line.at));
            }
            // Lines without end must not keep the match beyond the deadline.
            if Instant::now() > self.deadline {
                let reason = format!("only other lines after {:?}", self.last_sent);
                return Err(Fault::Hang(reason));
            }
        }
    }

    /// Why the pipes are closed.
    fn ended(&mut self) -> Fault {
        // The process may close its output a moment before it ends.
        Fault::Crash(match self.child.wait_for(Duration::from_millis(100)) {
            Some(status) => format!("it ended after {:?}, {status}", self.last_sent),
            None => format!("it closed its output after {:?}", self.last_sent),
        })
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Every protocol here knows this word.
        if writeln!(self.stdin, "quit").is_ok() {
            self.child.wait_for(TIME_TO_QUIT);
        }
    }
}

/// A child process that is killed when it is dropped, with its group.
struct Running(Child);

impl Running {
    /// How the process ended, if it does so within `time`.
    fn wait_for(&mut self, time: Duration) -> Option<std::process::ExitStatus> {
        let deadline = Instant::now() + time;
        loop {
            match self.0.try_wait() {
                Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(2)),
                ended => return ended.ok().flatten(),
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if matches!(self.0.try_wait(), Ok(Some(_))) {
            return;
        }
        #[cfg(unix)]
        {
            use rustix::process::{Pid, Signal, kill_process_group};
            let _ = kill_process_group(Pid::from_child(&self.0), Signal::KILL);
        }
        // It may have ended in between; then there is nothing to kill.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Reads lines until the engine ends or the match no longer needs its lines.
fn read(mut lines: Lines<BufReader<std::process::ChildStdout>>, sender: &Sender<Stamped>) {
    while let Ok(Some(line)) = lines.next_line() {
        let line = Stamped {
            text: line.text().unwrap_or_default().to_owned(),
            at: Instant::now(),
        };
        if sender.send(line).is_err() {
            break;
        }
    }
}
