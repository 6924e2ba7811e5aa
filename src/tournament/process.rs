//! An engine in another process: lines go in, stamped lines come out, and however it
//! behaves, nothing here waits longer than it was told to.

use std::io::{BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};

use super::Fault;
use crate::text::Lines;

/// Lines that may wait to be looked at; an engine that writes more has to wait.
const WAITING_LINES: usize = 4096;

/// Time in which an engine that behaved may end by itself.
const GOODBYE: Duration = Duration::from_millis(300);

/// A running engine. Dropping it ends the process, and on Unix what it has started.
pub(super) struct Process {
    child: Child,
    /// Has it failed to do as it should?
    failed: bool,
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
    /// Starts `command`, a program and its arguments, in the folder `dir` if there is one.
    pub(super) fn start(command: &[String], dir: Option<&Path>) -> Result<Process, Fault> {
        let (program, arguments) = command
            .split_first()
            .ok_or_else(|| Fault::Crash("no command".to_owned()))?;
        let crash = |error: &dyn std::fmt::Display| Fault::Crash(format!("{program}: {error}"));
        let mut command = Command::new(program);
        command
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        if let Some(dir) = dir {
            command.current_dir(dir);
        }
        // A group of its own: a script is ended with the engine that it started.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(|error| crash(&error))?;
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
            failed: false,
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
            Err(RecvTimeoutError::Timeout) => {
                self.failed = true;
                Err(Fault::Hang("no answer in time".to_owned()))
            }
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
                self.failed = true;
                return Err(Fault::Hang("nothing but other lines".to_owned()));
            }
        }
    }

    /// Why the pipes are closed.
    fn gone(&mut self) -> Fault {
        self.failed = true;
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

impl Process {
    /// Asks the engine to end, and gives it a moment to do so.
    fn say_goodbye(&mut self) -> bool {
        let deadline = Instant::now() + GOODBYE;
        // Every protocol here knows this word.
        if writeln!(self.stdin, "quit").is_err() {
            return false;
        }
        while Instant::now() < deadline {
            if let Ok(Some(_)) = self.child.try_wait() {
                return true;
            }
            thread::sleep(Duration::from_millis(2));
        }
        false
    }

    /// Ends what the engine has started: the processes of its group.
    #[cfg(unix)]
    fn kill_group(&self) {
        let group = format!("-{}", self.child.id());
        let _ = Command::new("kill")
            .args(["-KILL", "--", &group])
            .stderr(Stdio::null())
            .status();
    }

    #[cfg(not(unix))]
    fn kill_group(&self) {}
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.failed || !self.say_goodbye() {
            self.kill_group();
            // It may have ended already; then there is nothing to kill.
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// Reads lines until the engine or the tournament has no more use for them.
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
