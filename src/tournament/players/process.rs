//! An engine in another process: lines are sent, and lines are received with the time of their
//! arrival. No wait is longer than its deadline, whatever the engine does.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};

use super::{PlayerFault, Stop, cpu};
use crate::text::{Lines, printable};
use crate::threads::{self, Stack};

/// Lines that may wait to be read; an engine that writes more has to wait.
const WAITING_LINES: usize = 4096;

/// Lines of an engine's standard error that are kept, the last ones, and characters of each.
const ERROR_LINES: usize = 5;
const ERROR_LENGTH: usize = 200;

/// Time in which an engine may end by itself after `quit`.
const TIME_TO_QUIT: Duration = Duration::from_millis(300);

/// A running engine. Dropping it ends the process, and on Unix also its child processes.
pub(super) struct Process {
    child: Running,
    stdin: ChildStdin,
    /// Its lines, and when each came. Bytes that are not text are an empty line.
    lines: Receiver<(String, Instant)>,
    /// Reads standard error; its last lines, joined to one, are known when the engine has ended.
    errors: Option<JoinHandle<String>>,
    /// Longest silence of the engine beyond its time for thinking.
    patience: Duration,
    /// When the wait for answers ends.
    deadline: Instant,
    /// The last line that was sent, for messages.
    last_sent: String,
}

impl Process {
    /// Starts `command`, a program and its arguments, in the folder `dir` if there is one.
    pub(super) fn start(
        command: &[String],
        dir: Option<&Path>,
        patience: Duration,
        stop: &Stop,
    ) -> Result<Process, PlayerFault> {
        let split = command.split_first();
        let (program, arguments) =
            split.ok_or_else(|| PlayerFault::Crash("no command".to_owned()))?;
        let words = command.iter().map(String::as_str);
        let crash = |error: io::Error| PlayerFault::Crash(format!("{program}: {error}"));
        let mut command = Command::new(program);
        command
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(dir) = dir {
            command.current_dir(dir);
        }
        // A group of its own: a script is ended together with the engine that it started.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let child = command.spawn().map_err(crash)?;
        let stop = stop.clone();
        let mut running = Running { child, stop };
        let id = running.child.id();
        log::trace!("{id} is {}", Vec::from_iter(words).join(" "));
        running.stop.enter(id);
        let child = &mut running.child;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(crash(io::ErrorKind::BrokenPipe.into()));
        };
        let (sender, lines) = bounded(WAITING_LINES);
        spawn_reader(program, stdout, move |lines| read(lines, &sender))?;
        let errors = Some(spawn_reader(program, stderr, move |lines| {
            last_lines(id, lines)
        })?);
        Ok(Process {
            child: running,
            stdin,
            lines,
            errors,
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
        cpu::of_process(self.child.child.id())
    }

    /// Sends one line.
    pub(super) fn send(&mut self, line: &str) -> Result<(), PlayerFault> {
        log::trace!("{} > {line}", self.child.child.id());
        line.clone_into(&mut self.last_sent);
        writeln!(self.stdin, "{line}")
            .and_then(|()| self.stdin.flush())
            .map_err(|_| self.ended())
    }

    /// Sends a line, and waits for the first one that `parse` accepts.
    pub(super) fn ask<T>(
        &mut self,
        line: &str,
        parse: impl FnMut(&str) -> Option<T>,
    ) -> Result<T, PlayerFault> {
        self.send(line)?;
        Ok(self.wait_for(parse)?.0)
    }

    /// Sends a line, and waits for `answer`, a line of its own.
    pub(super) fn expect(&mut self, line: &str, answer: &str) -> Result<(), PlayerFault> {
        self.ask(line, |text| (text.trim() == answer).then_some(()))
    }

    /// Waits for the first line that `parse` accepts, and returns the time of its arrival;
    /// others are skipped.
    pub(super) fn wait_for<T>(
        &mut self,
        mut parse: impl FnMut(&str) -> Option<T>,
    ) -> Result<(T, Instant), PlayerFault> {
        let sent = &self.last_sent;
        loop {
            let (line, at) = match self.lines.recv_deadline(self.deadline) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => {
                    return Err(PlayerFault::Hang(format!("no answer to {sent:?} in time")));
                }
                Err(RecvTimeoutError::Disconnected) => return Err(self.ended()),
            };
            log::trace!("{} < {line}", self.child.child.id());
            if let Some(found) = parse(&line) {
                return Ok((found, at));
            }
            // An endless output must not delay the match beyond the deadline.
            if Instant::now() > self.deadline {
                return Err(PlayerFault::Hang(format!(
                    "only other lines after {sent:?}"
                )));
            }
        }
    }

    /// Why the pipes are closed.
    fn ended(&mut self) -> PlayerFault {
        // The process may close its output a moment before it ends.
        let sent = &self.last_sent;
        let mut reason = match self.child.wait_for(Duration::from_millis(100)) {
            Some(status) => format!("it ended after {sent:?}, {status}"),
            None => format!("it closed its output after {sent:?}"),
        };
        // A child of the engine may keep it open.
        let is_read = |thread: &JoinHandle<String>| thread.is_finished().then_some(());
        if let Some(errors) = &self.errors
            && poll(Duration::from_millis(100), || is_read(errors)).is_some()
            && let Some(Ok(lines)) = self.errors.take().map(JoinHandle::join)
            && !lines.is_empty()
        {
            reason.push_str("; its standard error ends with: ");
            reason.push_str(&lines);
        }
        PlayerFault::Crash(reason)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Every protocol here has this command.
        if writeln!(self.stdin, "quit").is_ok() {
            self.child.wait_for(TIME_TO_QUIT);
        }
    }
}

/// A child process that is killed when it is dropped, with its group.
struct Running {
    child: Child,
    stop: Stop,
}

impl Running {
    /// How the process ended, if it does so within `time`.
    fn wait_for(&mut self, time: Duration) -> Option<ExitStatus> {
        poll(time, || ended(&mut self.child))
    }
}

/// How a child has ended, if it has. On Unix nobody else gets its number yet: its group, which may have
/// more processes, is ended first.
#[cfg(unix)]
fn ended(child: &mut Child) -> Option<ExitStatus> {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    use std::os::unix::process::ExitStatusExt;
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    let found = waitid(WaitId::Pid(Pid::from_child(child)), options);
    let status = found.ok().flatten()?;
    let code = status.exit_status().map(|code| code << 8);
    let raw = code.or_else(|| status.terminating_signal());
    Some(ExitStatus::from_raw(raw.unwrap_or_default()))
}

/// How a child has ended, if it has.
#[cfg(not(unix))]
fn ended(child: &mut Child) -> Option<ExitStatus> {
    child.try_wait().ok().flatten()
}

/// The first result of `attempt` within `time`.
fn poll<T>(time: Duration, mut attempt: impl FnMut() -> Option<T>) -> Option<T> {
    let deadline = Instant::now() + time;
    loop {
        match attempt() {
            None if Instant::now() < deadline => thread::sleep(Duration::from_millis(2)),
            result => return result,
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.end(self.child.id());
        // It may have ended; then there is nothing to kill.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts a thread that reads the lines of a pipe.
fn spawn_reader<P: Read + Send + 'static, T: Send + 'static>(
    program: &str,
    pipe: P,
    work: impl FnOnce(Lines<BufReader<P>>) -> T + Send + 'static,
) -> Result<JoinHandle<T>, PlayerFault> {
    let work = move || work(Lines::new(BufReader::new(pipe)));
    threads::spawn(&format!("read {program}"), Stack::Small, work)
        .map_err(|error| PlayerFault::Crash(format!("no thread to read its output: {error}")))
}

/// Reads lines until the engine ends or the match no longer needs its lines.
fn read(mut lines: Lines<impl BufRead>, sender: &Sender<(String, Instant)>) {
    while let Ok(Some(line)) = lines.next_line() {
        let text = line.text().unwrap_or_default().to_owned();
        if sender.send((text, Instant::now())).is_err() {
            break;
        }
    }
}

/// The last lines, joined to one.
fn last_lines(id: u32, mut lines: Lines<impl BufRead>) -> String {
    let mut last = Vec::new();
    while let Ok(Some(line)) = lines.next_line() {
        let text = line.text().unwrap_or_default().trim();
        log::trace!("{id} ! {text}");
        let text: String = text.chars().take(ERROR_LENGTH).collect();
        last.push(printable(&text).into_owned());
        last.drain(..last.len().saturating_sub(ERROR_LINES));
    }
    last.join(" / ")
}
