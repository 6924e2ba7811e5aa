//! From the reader into the queue: the lines that have no answer yet. Answers of an earlier run are read in step with
//! the input, and each has to fit its line.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, anyhow, bail, ensure};

use super::hopeless::Hopeless;
use super::input::{Place, Reader, Sink, Task};
use super::part::Part;
use super::{Job, SolveQueue};
use crate::batch::answer::{Answer, Answers, Asked, Key, OBF_HEAD};
use crate::batch::resume::{InputHash, Milestones, Progress};
use crate::rules::Position;
use crate::score::Question;

/// Puts lines into the queue.
pub(super) struct Feeder {
    pub(super) queue: Arc<SolveQueue>,
    /// What is not yet in the queue.
    pub(super) jobs: Vec<Job>,
    /// Which lines are to be answered.
    pub(super) part: Part,
    /// Of the input so far, where somebody may continue the output.
    pub(super) hash: Option<InputHash>,
    pub(super) milestones: Arc<Milestones>,
    /// The answers of another run, to be copied.
    pub(super) earlier: Option<Earlier>,
    /// What the output has already.
    pub(super) before: Option<Before>,
    pub(super) files: Arc<Vec<String>>,
    pub(super) hopeless: Hopeless,
    /// The input is not the one that was answered.
    pub(super) error: Option<anyhow::Error>,
}

impl Feeder {
    fn try_take(&mut self, line: &[u8], mut task: Task) -> anyhow::Result<()> {
        if let Some(hash) = &mut self.hash {
            hash.add(task.place.line, line);
        }
        let own = self.part.takes(&task);
        let asked = asked(&task, line, &self.files);
        let copied = match &mut self.earlier {
            Some(earlier) => earlier.next(&asked, own)?,
            None => None,
        };
        if !own {
            return Ok(());
        }
        if let Some(hash) = self.hash {
            let Progress { answers, input } = self.part.done.noted;
            ensure!(
                self.part.lines != answers || hash.value() == input,
                "the output cannot be continued: the input is not the one that it answers"
            );
            self.milestones.note(self.part.lines, hash);
        }
        if self.part.has_answer(task.place) {
            let before = self.before.as_mut();
            return before.map_or(Ok(()), |before| {
                let taken = before.take(&asked);
                taken.context("the output cannot be continued")
            });
        }
        self.hopeless.note(&task);
        let error_key = match &mut task.content {
            Ok(_) => None,
            Err(error) => {
                error.reason = one_line(&error.reason);
                Some(Key::of_error(line, error.column, &error.reason))
            }
        };
        self.jobs.push(Job {
            task,
            copied,
            error_key,
        });
        Ok(())
    }
}

impl Sink for Feeder {
    fn take(&mut self, line: &[u8], task: Task) -> bool {
        if self.error.is_none() {
            self.error = self.try_take(line, task).err();
        }
        self.error.is_none()
    }

    fn flush(&mut self) {
        // Nothing is added to an output before all that it has is known to fit.
        let may_begin = self.before.as_ref().is_none_or(Before::is_checked);
        if !self.jobs.is_empty() && may_begin && self.error.is_none() {
            self.queue.push(&mut self.jobs);
        }
    }
}

/// Reads everything into the queue, and ends it. Returns what went wrong.
pub(super) fn read_into(
    reader: &Reader,
    files: &[PathBuf],
    mut feeder: Feeder,
) -> Vec<anyhow::Error> {
    let mut errors = reader.read(files, &mut feeder);
    errors.extend(feeder.error.take());
    feeder.hopeless.end();
    let is_checked = feeder.before.as_ref().is_none_or(Before::is_checked);
    if errors.is_empty() && (feeder.part.lines < feeder.part.done.answers || !is_checked) {
        errors.push(anyhow!(
            "the output cannot be continued: it has more answers than the input has lines"
        ));
    }
    feeder.queue.end();
    errors
}

/// What an answer to a line has to fit.
pub(in crate::commands) fn asked<'a>(
    task: &'a Task,
    line: &'a [u8],
    files: &'a [String],
) -> Asked<'a> {
    let Place { file, line: number } = task.place;
    let ask = task.content.as_ref().ok();
    Asked {
        files,
        file,
        line: number,
        bytes: line,
        position: ask.map(|ask| ask.problem.position),
        question: ask.map(|ask| ask.question),
        name: task.name.as_deref(),
    }
}

/// A text without characters that end a line or a field.
pub(super) fn one_line(text: &str) -> String {
    text.replace(char::is_control, " ")
}

/// The answers of an earlier run to the whole input or to the same part of it. They are read in step with
/// the input.
pub(super) struct Earlier {
    answers: Answers<BufReader<File>>,
    /// How answers are written.
    wanted: Wanted,
    /// The next answer, if it was read already and is of none of the lines so far.
    next: Option<Answer>,
}

/// What an answer has to have besides its result.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    pub(super) json: bool,
    pub(super) moves: bool,
    pub(super) verdict: bool,
    pub(super) score_bound: bool,
}

impl Wanted {
    /// Of a finished game there are no moves, and what was wrong is looked at again: both are answered anew.
    fn is_in(self, answer: &Answer, name: Option<&str>) -> bool {
        let is_right = |verdict: &str| !verdict.starts_with("mismatch");
        (answer.has_moves(name) || !self.moves)
            && (answer.verdict(name).is_some_and(is_right) || !self.verdict)
            && (answer.has_score() || !self.score_bound)
    }
}

impl Earlier {
    pub(super) fn open(path: &Path, wanted: Wanted) -> anyhow::Result<Earlier> {
        Ok(Earlier {
            answers: open(path)?,
            wanted,
            next: None,
        })
    }

    /// The answer to this line, if it answers its question. Of a line that is not `own`, which is one of another
    /// part, there need not be an answer.
    fn next(&mut self, asked: &Asked<'_>, own: bool) -> anyhow::Result<Option<String>> {
        let next = match self.next.take() {
            Some(answer) => Some(answer),
            None => self.answers.next_answer()?,
        };
        let Some(answer) = next else {
            return Ok(None);
        };
        if !own && answer.order(asked) == Some(std::cmp::Ordering::Greater) {
            self.next = Some(answer);
            return Ok(None);
        }
        let any = Asked {
            question: None,
            ..*asked
        };
        let found = answer.fits(&any, asked.question);
        let found = found.map_err(|error| self.answers.bad(error))?;
        if answer.is_json != self.wanted.json {
            let name = self.answers.name();
            bail!("{name}: some answers are in JSON and some are not: give or leave out --json");
        }
        let is_answered = match (found, asked.question) {
            (Some(own), Some(asked)) => {
                answer.answers(own, asked) && self.wanted.is_in(&answer, any.name)
            }
            _ => false,
        };
        Ok(is_answered.then_some(answer.text))
    }
}

fn open(path: &Path) -> anyhow::Result<Answers<BufReader<File>>> {
    let name = path.display().to_string();
    let file = File::open(path).with_context(|| format!("cannot open {name}"))?;
    Ok(Answers::new(name, BufReader::new(file)))
}

/// The answers that an output has before its run goes on. For each line that has one, one of them is read: so in
/// whatever order they stand, only those that come much too early or too late wait in memory.
pub(super) struct Before {
    answers: Answers<BufReader<File>>,
    order: Order,
    seen: Arc<Seen>,
    /// Answers that were not yet read.
    left: u64,
    /// Lines whose answers come later in the output.
    lines: BTreeMap<(usize, u64), Line>,
    /// Answers whose lines come later in the input, and their lines in the output.
    early: BTreeMap<(usize, u64), (Answer, u64)>,
}

/// What the answers of an earlier run were: the exit status is that of the whole output.
#[derive(Debug, Default)]
pub(super) struct Seen {
    faults: AtomicU64,
    unsolved: AtomicU64,
}

impl Seen {
    fn count(&self, answer: &Answer, name: Option<&str>) {
        let is_wrong = answer
            .verdict(name)
            .is_some_and(|text| text.starts_with("mismatch"));
        let is_fault = answer.is_error() || is_wrong;
        self.faults.fetch_add(is_fault.into(), Ordering::Relaxed);
        let is_unsolved = !answer.is_solved();
        self.unsolved
            .fetch_add(is_unsolved.into(), Ordering::Relaxed);
    }

    /// Lines that were bad or whose result was wrong.
    pub(super) fn faults(&self) -> u64 {
        self.faults.load(Ordering::Relaxed)
    }

    /// Lines that had no result within their limits.
    pub(super) fn unsolved(&self) -> u64 {
        self.unsolved.load(Ordering::Relaxed)
    }
}

/// How answers stand in an output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Order {
    /// In the order of the input.
    Input,
    /// The same, in OBF: without numbers and keys, but with the positions.
    Obf,
    /// In any.
    Any,
}

/// A line that waits for its answer.
struct Line {
    bytes: Vec<u8>,
    position: Option<Position>,
    question: Option<Question>,
    name: Option<String>,
}

impl Before {
    /// The first `count` answers of `path`.
    pub(super) fn open(
        path: &Path,
        count: u64,
        order: Order,
        seen: &Arc<Seen>,
    ) -> anyhow::Result<Before> {
        let mut answers = open(path)?;
        if order == Order::Obf {
            ensure!(
                answers.next_line()? == Some(OBF_HEAD),
                "{}: not the answers of this version in OBF",
                answers.name()
            );
        }
        Ok(Before {
            answers,
            order,
            seen: Arc::clone(seen),
            left: count,
            lines: BTreeMap::new(),
            early: BTreeMap::new(),
        })
    }

    /// Is each answer known to fit its line?
    fn is_checked(&self) -> bool {
        self.left == 0 && self.lines.is_empty()
    }

    /// A line has an answer.
    fn take(&mut self, asked: &Asked<'_>) -> anyhow::Result<()> {
        self.left = self.left.saturating_sub(1);
        if self.order == Order::Obf {
            return self.take_obf(asked);
        }
        let next = self.answers.next_answer()?;
        let answer = next.context("it has fewer answers than before")?;
        if self.order == Order::Input {
            let fits = answer.fits(asked, asked.question);
            fits.map_err(|error| self.answers.bad(error))?;
            self.seen.count(&answer, asked.name);
            return Ok(());
        }
        let here = (asked.file.unwrap_or(0), asked.line);
        let file = answer.files(asked.files).next();
        let file = file.ok_or_else(|| self.answers.bad(answer.misplaced(asked)))?;
        let number = self.answers.number();
        let place = (file, answer.line());
        self.early.insert(place, (answer, number));
        self.lines.insert(here, Line::of(asked));
        self.check(place, asked.files)?;
        self.check(here, asked.files)
    }

    /// Compares a line with its answer, when both have come.
    fn check(&mut self, place: (usize, u64), files: &[String]) -> anyhow::Result<()> {
        if !self.lines.contains_key(&place) {
            return Ok(());
        }
        let Some((answer, number)) = self.early.remove(&place) else {
            return Ok(());
        };
        let Some(line) = self.lines.remove(&place) else {
            return Ok(());
        };
        let asked = line.asked(place, files);
        let fits = answer.fits(&asked, asked.question);
        fits.map_err(|reason| crate::batch::answer::BadAnswer {
            file: self.answers.name().to_owned(),
            line: number,
            reason,
        })?;
        self.seen.count(&answer, asked.name);
        Ok(())
    }

    fn take_obf(&mut self, asked: &Asked<'_>) -> anyhow::Result<()> {
        let mut expected = Vec::new();
        match asked.position {
            Some(position) => write!(expected, "{position};")?,
            None => write!(expected, "% ")?,
        }
        let line = self.answers.next_line()?;
        let line = line.context("it has fewer answers than before")?;
        let number = |place: &str| place.rsplit(':').next() == Some(&asked.line.to_string());
        let fault = line
            .strip_prefix("% ")
            .and_then(|line| line.split_once("\terror\t"));
        let fits = match fault {
            Some((place, _)) => {
                self.seen.faults.fetch_add(1, Ordering::Relaxed);
                number(place)
            }
            None => line.as_bytes().starts_with(&expected),
        };
        ensure!(
            fits,
            "{}, line {}: this is not the position of line {asked}",
            self.answers.name(),
            self.answers.number()
        );
        Ok(())
    }
}

impl Line {
    fn of(asked: &Asked<'_>) -> Line {
        Line {
            bytes: asked.bytes.to_vec(),
            position: asked.position,
            question: asked.question,
            name: asked.name.map(str::to_owned),
        }
    }

    fn asked<'a>(&'a self, (file, line): (usize, u64), files: &'a [String]) -> Asked<'a> {
        Asked {
            files,
            file: (!files.is_empty()).then_some(file),
            line,
            bytes: &self.bytes,
            position: self.position,
            question: self.question,
            name: self.name.as_deref(),
        }
    }
}
