//! The answers of earlier runs, read in step with the input: each has to fit its line.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use anyhow::{Context, bail, ensure};

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

/// The answers that an output has before its run goes on, in the order of the input.
pub(crate) struct Before {
    answers: Answers<BufReader<File>>,
    /// In OBF there are no numbers and keys, but the positions.
    is_obf: bool,
    pub(crate) seen: Seen,
    /// Answers that were not yet read.
    left: u64,
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

impl Before {
    /// The first `count` answers of `path`.
    pub(crate) fn open(path: &Path, count: u64, is_obf: bool) -> anyhow::Result<Before> {
        let mut answers = open(path)?;
        if is_obf {
            ensure!(
                answers.next_line()? == Some(OBF_HEAD),
                "{}: not the answers of this version in OBF",
                answers.name
            );
        }
        Ok(Before {
            answers,
            is_obf,
            seen: Seen::default(),
            left: count,
        })
    }

    /// Is each answer known to fit its line?
    pub(super) const fn is_checked(&self) -> bool {
        self.left == 0
    }

    /// This line has an answer.
    pub(super) fn take(&mut self, asked: &Asked<'_>) -> anyhow::Result<()> {
        self.left = self.left.saturating_sub(1);
        if self.is_obf {
            return self.take_obf(asked);
        }
        let next = self.answers.next_answer()?;
        let answer = next.context("it has fewer answers than before")?;
        let fits = answer.fits(asked, asked.question);
        fits.map_err(|error| self.answers.bad(&error))?;
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
