//! An engine in another process: lines go in, stamped lines come out, and however it
//! behaves, nothing here waits longer than it was told to.

use std::io::{BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};

use super::Fault;
use crate::formats::{Line, Lines};

/// Lines that may wait to be looked at; an engine that writes more has to wait.
const WAITING_LINES: usize = 4096;

/// A running engine. Dropping it kills the process.
pub(super) struct Process {
    child: Child,
    stdin: ChildStdin,
    lines: Receiver<Stamped>,
}

/// A line of an engine, and when it came. What is no text has no letters.
#[derive(Debug)]
pub(super) struct Stamped {
    pub(super) text: String,
    pub(super) at: Instant,
}

impl Process {
    /// Starts `command`, a program and its arguments.
    pub(super) fn start(command: &[String]) -> Result<Process, Fault> {
        let (program, arguments) = command
            .split_first()
            .ok_or_else(|| Fault::Crash("no command".to_owned()))?;
        let crash = |error: &dyn std::fmt::Display| Fault::Crash(format!("{program}: {error}"));
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| crash(&error))?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(crash(&"no pipes"));
        };
        let (sender, lines) = bounded(WAITING_LINES);
        thread::Builder::new()
            .name(format!("read {program}"))
            .spawn(move || read(Lines::new(BufReader::new(stdout)), &sender))
            .map_err(|error| crash(&error))?;
        Ok(Process {
            child,
            stdin,
            lines,
        })
    }

    /// Sends one line. Answers when it was sent.
    pub(super) fn send(&mut self, line: &str) -> Result<Instant, Fault> {
        log::trace!("> {line}");
        let sent = writeln!(self.stdin, "{line}").and_then(|()| self.stdin.flush());
        match sent {
            Ok(()) => Ok(Instant::now()),
            Err(_) => Err(self.gone()),
        }
    }

    /// The next line, if one comes before `deadline`.
    pub(super) fn receive(&mut self, deadline: Instant) -> Result<Stamped, Fault> {
        match self.lines.recv_deadline(deadline) {
            Ok(line) => {
                log::trace!("< {}", line.text);
                Ok(line)
            }
            Err(RecvTimeoutError::Timeout) => Err(Fault::Hang("no answer in time".to_owned())),
            Err(RecvTimeoutError::Disconnected) => Err(self.gone()),
        }
    }

    /// Waits for the first line that `parse` takes; others are passed over.
    pub(super) fn wait_for<T>(
        &mut self,
        deadline: Instant,
        mut parse: impl FnMut(&str) -> Option<T>,
    ) -> Result<(T, Instant), Fault> {
        loop {
            let line = self.receive(deadline)?;
            if let Some(found) = parse(&line.text) {
                return Ok((found, line.at));
            }
            // An engine that floods us must not keep us beyond the deadline.
            if Instant::now() > deadline {
                return Err(Fault::Hang("nothing but other lines".to_owned()));
            }
        }
    }

    /// Why the pipes are closed.
    fn gone(&mut self) -> Fault {
        // The process may close its output a moment before it ends.
        for _ in 0..20 {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Fault::Crash(format!("the engine ended, {status}"));
            }
            thread::sleep(Duration::from_millis(5));
        }
        Fault::Crash("the engine closed its output".to_owned())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already; then there is nothing to kill.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads lines until the engine or the tournament has no more use for them.
fn read(mut lines: Lines<BufReader<std::process::ChildStdout>>, sender: &Sender<Stamped>) {
    while let Ok(Some(Line { text, .. })) = lines.next_line() {
        let line = Stamped {
            text: text.unwrap_or_default().to_owned(),
            at: Instant::now(),
        };
        if sender.send(line).is_err() {
            break;
        }
    }
}
