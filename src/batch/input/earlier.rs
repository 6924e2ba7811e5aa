//! The answers of earlier runs, read in step with the input: each has to fit its line.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use anyhow::{Context, bail, ensure};

use super::Task;
use crate::batch::answer::{Answer, Answers, Asked, OBF_HEAD};

/// The answers of an earlier run to the whole input or to the same part of it. They are read in step with
/// the input.
pub(crate) struct Earlier {
    answers: Answers<BufReader<File>>,
    wanted: Wanted,
    /// The next answer, if it was read already and is of none of the lines so far.
    next: Option<Answer>,
}

/// What an answer has to have besides its result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    pub(crate) json: bool,
    pub(crate) moves: bool,
    pub(crate) verdict: bool,
    pub(crate) score_bound: bool,
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
    pub(crate) fn open(path: &Path, wanted: Wanted) -> anyhow::Result<Earlier> {
        Ok(Earlier {
            answers: open(path)?,
            wanted,
            next: None,
        })
    }

    /// The answer to this line, if it answers its question. Of a line that is not `own`, which is one of another
    /// part, there need not be an answer.
    pub(super) fn next(&mut self, asked: &Asked<'_>, own: bool) -> anyhow::Result<Option<String>> {
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
        let found = found.map_err(|error| self.answers.bad(&error))?;
        if answer.is_json != self.wanted.json {
            let name = &self.answers.name;
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
pub(crate) struct Before {
    answers: Answers<BufReader<File>>,
    order: Order,
    pub(crate) seen: Seen,
    /// Answers that were not yet read.
    left: u64,
    /// Lines whose answers come later in the output.
    lines: BTreeMap<(usize, u64), (Task, Vec<u8>)>,
    /// Answers whose lines come later in the input, and their lines in the output.
    early: BTreeMap<(usize, u64), (Answer, u64)>,
}

/// What the answers of an earlier run were: the exit status is that of the whole output.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Seen {
    /// Lines that were bad or whose result was wrong.
    pub(crate) faults: u64,
    /// Lines that had no result within their limits.
    pub(crate) unsolved: u64,
}

impl Seen {
    fn count(&mut self, answer: &Answer, name: Option<&str>) {
        let verdict = answer.verdict(name);
        let is_wrong = verdict.is_some_and(|text| text.starts_with("mismatch"));
        self.faults += u64::from(answer.is_error() || is_wrong);
        self.unsolved += u64::from(answer.is_unsolved());
    }
}

/// How answers stand in an output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Order {
    /// In the order of the input.
    Input,
    /// In the order of the input, in OBF: without numbers and keys, but with the positions.
    Obf,
    /// In any.
    Any,
}

impl Before {
    /// The first `count` answers of `path`.
    pub(crate) fn open(path: &Path, count: u64, order: Order) -> anyhow::Result<Before> {
        let mut answers = open(path)?;
        if order == Order::Obf {
            ensure!(
                answers.next_line()? == Some(OBF_HEAD),
                "{}: not the answers of this version in OBF",
                answers.name
            );
        }
        Ok(Before {
            answers,
            order,
            seen: Seen::default(),
            left: count,
            lines: BTreeMap::new(),
            early: BTreeMap::new(),
        })
    }

    /// Is each answer known to fit its line?
    pub(super) fn is_checked(&self) -> bool {
        self.left == 0 && self.lines.is_empty()
    }

    /// This line of one of the files has an answer.
    pub(super) fn take(
        &mut self,
        task: &Task,
        line: &[u8],
        files: &[String],
    ) -> anyhow::Result<()> {
        self.left = self.left.saturating_sub(1);
        let asked = &task.asked(line, files);
        if self.order == Order::Obf {
            return self.take_obf(asked);
        }
        let next = self.answers.next_answer()?;
        let answer = next.context("it has fewer answers than before")?;
        if self.order == Order::Input {
            let fits = answer.fits(asked, asked.question);
            fits.map_err(|error| self.answers.bad(&error))?;
            self.seen.count(&answer, asked.name);
            return Ok(());
        }
        let here = (asked.file.unwrap_or(0), asked.line);
        let file = answer.files(files).next();
        let file = file.ok_or_else(|| self.answers.bad(&answer.misplaced(asked)))?;
        let number = self.answers.number;
        let place = (file, answer.line());
        self.early.insert(place, (answer, number));
        self.lines.insert(here, (task.clone(), line.to_vec()));
        self.check(place, files)?;
        self.check(here, files)
    }

    /// Compares a line with its answer, when both have come.
    fn check(&mut self, place: (usize, u64), files: &[String]) -> anyhow::Result<()> {
        if !self.lines.contains_key(&place) || !self.early.contains_key(&place) {
            return Ok(());
        }
        let both = self.early.remove(&place).zip(self.lines.remove(&place));
        let Some(((answer, number), (task, line))) = both else {
            return Ok(());
        };
        let asked = task.asked(&line, files);
        let fits = answer.fits(&asked, asked.question);
        fits.map_err(|reason| self.answers.bad_at(number, &reason))?;
        self.seen.count(&answer, asked.name);
        Ok(())
    }

    fn take_obf(&mut self, asked: &Asked<'_>) -> anyhow::Result<()> {
        let expected = asked.position.map(|position| format!("{position};"));
        let expected = expected.unwrap_or_else(|| "% ".to_owned());
        let line = self.answers.next_line()?;
        let line = line.context("it has fewer answers than before")?;
        let number = |place: &str| place.rsplit(':').next() == Some(&asked.line.to_string());
        let fault = line
            .strip_prefix("% ")
            .and_then(|line| line.split_once("\terror\t"));
        let fits = match fault {
            Some((place, _)) => {
                self.seen.faults += 1;
                number(place)
            }
            None => line.starts_with(&expected),
        };
        ensure!(
            fits,
            "{}, line {}: this is not the position of line {asked}",
            self.answers.name,
            self.answers.number
        );
        Ok(())
    }
}
