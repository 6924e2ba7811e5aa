//! A host for the real binary, and the transcripts that it replays.
//!
//! A transcript is a text file of these lines:
//!
//! | line | means |
//! |---|---|
//! | `# ..` | a comment |
//! | `$ emilia ..` | the arguments of the engine, in the first line that is no comment |
//! | `> ..` | is sent; `\t`, `\r`, `\\` and `\xNN` are bytes, and `\{70000}x` is 70000 times `x` |
//! | `^D` | the input ends |
//! | `..` on its own | any number of answers, also none |
//! | any other | the next answer, in which `*` stands for any text |
//!
//! A line is sent only when all answers before it have come. After the last line the
//! engine has to end by itself, with exit code 0 and without another answer.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Time without an answer after which the engine counts as hung. It is long, since it only turns a
/// hang into a failure.
const WATCHDOG: Duration = Duration::from_secs(30);

/// The engine's binary with `arguments`, its log switched off; under the emulator that
/// `EMILIA_RUNNER` names, if there is one.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let runner = std::env::var("EMILIA_RUNNER").unwrap_or_default();
    let mut words = runner
        .split_whitespace()
        .chain([env!("CARGO_BIN_EXE_emilia")]);
    let mut command = Command::new(words.next().expect("one word at least"));
    command.args(words).args(arguments).env("RUST_LOG", "off");
    command
}

/// How many of `lines` start with `start`.
pub(crate) fn count(lines: &[String], start: &str) -> usize {
    lines.iter().filter(|line| line.starts_with(start)).count()
}

/// Waits for the end of `child`; panics if it does not come in time.
pub(crate) fn exit_code(mut child: Child) -> i32 {
    let start = Instant::now();
    while start.elapsed() < WATCHDOG {
        if let Some(status) = child.try_wait().expect("the engine can be waited for") {
            return status.code().unwrap_or(-1);
        }
        thread::sleep(Duration::from_millis(2));
    }
    let _ = child.kill();
    panic!("the engine does not end");
}

/// The engine and the pipes to it.
pub(crate) struct Host {
    child: Option<Child>,
    input: Option<ChildStdin>,
    answers: Receiver<String>,
}

impl Host {
    /// Starts the engine.
    pub(crate) fn start(arguments: &[&str]) -> Host {
        let mut child = command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the engine starts");
        let output = BufReader::new(child.stdout.take().expect("its output"));
        let (sender, answers) = channel();
        thread::spawn(move || {
            for line in output.lines() {
                let line = line.expect("answers are text");
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let input = child.stdin.take();
        Host {
            child: Some(child),
            input,
            answers,
        }
    }

    /// Sends bytes as they are.
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("the input is open");
        input.write_all(bytes).expect("the engine reads");
        input.flush().expect("the engine reads");
    }

    /// Ends the input.
    pub(crate) fn close_input(&mut self) {
        self.input = None;
    }

    /// The next answer; `None` if there are no more.
    ///
    /// # Errors
    /// If the engine hangs.
    pub(crate) fn try_read(&mut self) -> Result<Option<String>, &'static str> {
        match self.answers.recv_timeout(WATCHDOG) {
            Ok(line) => Ok(Some(line)),
            Err(RecvTimeoutError::Disconnected) => Ok(None),
            Err(RecvTimeoutError::Timeout) => Err("silence"),
        }
    }

    /// The next answer; `None` if there are no more. Panics if the engine hangs.
    pub(crate) fn read(&mut self) -> Option<String> {
        self.try_read().expect("an answer or the end")
    }

    /// The answers up to the first that is `wanted`.
    pub(crate) fn read_until(&mut self, wanted: impl Fn(&str) -> bool) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line = self.read().unwrap_or_else(|| panic!("only {lines:?}"));
            let found = wanted(&line);
            lines.push(line);
            if found {
                return lines;
            }
        }
    }

    /// All answers that are left.
    pub(crate) fn lines_to_the_end(&mut self) -> Vec<String> {
        std::iter::from_fn(|| self.read()).collect()
    }

    /// Waits for the end of the engine.
    pub(crate) fn exit_code(&mut self) -> i32 {
        exit_code(self.child.take().expect("the engine was not waited for"))
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// One line of a transcript.
enum Step {
    Send(Vec<u8>),
    EndInput,
    Any,
    Expect(String),
}

/// A session: the lines that are sent, and the expected answers.
pub(crate) struct Transcript {
    arguments: Vec<String>,
    steps: Vec<Step>,
}

impl Transcript {
    /// Reads the text of a transcript.
    ///
    /// # Errors
    /// If an escape is broken.
    pub(crate) fn parse(text: &str) -> Result<Transcript, String> {
        let mut arguments = Vec::new();
        let mut steps = Vec::new();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            if let Some(command) = line.strip_prefix("$ emilia") {
                arguments = command.split_whitespace().map(str::to_owned).collect();
            } else if let Some(sent) = line.strip_prefix('>') {
                let mut bytes = unescape(sent.strip_prefix(' ').unwrap_or(sent))?;
                bytes.push(b'\n');
                steps.push(Step::Send(bytes));
            } else {
                steps.push(match line {
                    "^D" => Step::EndInput,
                    ".." => Step::Any,
                    answer => Step::Expect(answer.to_owned()),
                });
            }
        }
        Ok(Transcript { arguments, steps })
    }

    /// Plays the session with the real binary.
    ///
    /// # Errors
    /// If an answer is not the expected one, or the engine does not end with exit code 0.
    pub(crate) fn replay(&self) -> Result<(), String> {
        let arguments: Vec<&str> = self.arguments.iter().map(String::as_str).collect();
        let mut host = Host::start(&arguments);
        let mut heard: Vec<String> = Vec::new();
        let mut any = false;
        for step in &self.steps {
            match step {
                Step::Send(bytes) => host.write(bytes),
                Step::EndInput => host.close_input(),
                Step::Any => any = true,
                Step::Expect(pattern) => loop {
                    let answer = match host.try_read() {
                        Ok(Some(answer)) => answer,
                        Ok(None) => return Err(story(pattern, "the end", &heard)),
                        Err(silence) => return Err(story(pattern, silence, &heard)),
                    };
                    let matched = matches(pattern, &answer);
                    if !matched && !any {
                        return Err(story(pattern, &answer, &heard));
                    }
                    heard.push(answer);
                    if matched {
                        any = false;
                        break;
                    }
                },
            }
        }
        let rest = host.lines_to_the_end();
        if !rest.is_empty() && !any {
            return Err(story("the end", &rest[0], &heard));
        }
        match host.exit_code() {
            0 => Ok(()),
            code => Err(format!("exit code {code}")),
        }
    }
}

fn story(expected: &str, found: &str, heard: &[String]) -> String {
    let before = heard.join("\n  ");
    format!("after\n  {before}\nexpected {expected}\nfound    {found}")
}

/// Does `text` match `pattern`, in which `*` stands for any text?
fn matches(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((start, rest)) => text.strip_prefix(start).is_some_and(|left| {
            let mut ends = (0..=left.len()).filter(|&at| left.is_char_boundary(at));
            ends.any(|at| matches(rest, &left[at..]))
        }),
    }
}

/// The bytes of a line that is sent.
fn unescape(text: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some((plain, escape)) = rest.split_once('\\') {
        bytes.extend(plain.as_bytes());
        let broken = || format!("broken escape \\{escape}");
        let mut letters = escape.chars();
        match letters.next() {
            Some('t') => bytes.push(b'\t'),
            Some('r') => bytes.push(b'\r'),
            Some('\\') => bytes.push(b'\\'),
            Some('x') => {
                let digits = escape.get(1..3).ok_or_else(broken)?;
                bytes.push(u8::from_str_radix(digits, 16).map_err(|_| broken())?);
                letters = escape[3..].chars();
            }
            Some('{') => {
                let (count, after) = escape[1..].split_once('}').ok_or_else(broken)?;
                let count: usize = count.parse().map_err(|_| broken())?;
                letters = after.chars();
                let repeated = letters.next().ok_or_else(broken)?;
                bytes.extend(repeated.to_string().repeat(count).bytes());
            }
            _ => return Err(broken()),
        }
        rest = letters.as_str();
    }
    bytes.extend(rest.as_bytes());
    Ok(bytes)
}
