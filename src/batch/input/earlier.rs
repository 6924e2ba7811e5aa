//! The answers of earlier runs, read in step with the input: each has to fit its line.

use std::io::BufRead;
use std::path::Path;

use anyhow::{Context, bail, ensure};

use crate::batch::answer::{Answer, Answers, InputLine, OBF_HEAD, ResultWord, Style, Verdict};
use crate::text;

/// A file of answers: packed with gzip or not, in UTF-8 or UTF-16.
type File = Box<dyn BufRead + Send>;

/// The answers of an earlier run to the whole input or to the same part of it. They are read in step with
/// the input.
pub(crate) struct Earlier {
    answers: Answers<File>,
    wanted: Wanted,
}

/// What an answer has to have besides its result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    pub(crate) style: Style,
    pub(crate) moves: bool,
    pub(crate) verdict: bool,
    pub(crate) score_bound: bool,
}

impl Wanted {
    /// Of a finished game there are no moves, and what was wrong is looked at again: both are answered anew.
    fn is_in(self, answer: &Answer) -> bool {
        let moves = answer.solution.moves.as_ref();
        let is_right = matches!(answer.verdict, Some(Verdict::Agrees | Verdict::Unknown));
        (moves.is_some_and(|moves| !moves.is_empty()) || !self.moves)
            && (is_right || !self.verdict)
            && (answer.says_score || !self.score_bound)
    }
}

impl Earlier {
    pub(crate) fn open(path: &Path, wanted: Wanted) -> anyhow::Result<Earlier> {
        Ok(Earlier {
            answers: open(path)?,
            wanted,
        })
    }

    /// The answer to this line, if it answers its question. Of a line that is not `own`, which is one of another
    /// part, there need not be an answer.
    pub(super) fn next(
        &mut self,
        line: &InputLine<'_>,
        own: bool,
    ) -> anyhow::Result<Option<Answer>> {
        let asked = line.question();
        let Some((answer, found)) = self.answers.take(line, asked, !own)? else {
            return Ok(None);
        };
        if answer.is_json() != (self.wanted.style == Style::Json) {
            let name = &self.answers.name;
            bail!("{name}: some answers are in JSON and some are not: give or leave out --json");
        }
        let is_answered = found
            .zip(asked)
            .is_some_and(|(own, asked)| answer.answers(own, asked) && self.wanted.is_in(&answer));
        Ok(is_answered.then_some(answer))
    }
}

fn open(path: &Path) -> anyhow::Result<Answers<File>> {
    let name = path.display().to_string();
    let file = text::open(path).with_context(|| format!("cannot open {name}"))?;
    Ok(Answers::new(name, file))
}

/// The answers that an output has before its run goes on, in the order of the input.
pub(crate) struct Before {
    answers: Answers<File>,
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

/// What became of a line that has an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Was {
    Solved,
    /// Something failed that the line is not to blame for.
    Fault,
    Other,
}

impl Seen {
    pub(crate) fn count(&mut self, answer: &Answer) {
        let is_wrong = matches!(answer.verdict, Some(Verdict::Mismatch(_)));
        self.faults += u64::from(answer.is_error() || is_wrong);
        self.unsolved += u64::from(answer.result == ResultWord::Unsolved);
    }
}

impl Before {
    /// The first `count` answers of `path`.
    pub(crate) fn open(path: &Path, count: u64, style: Style) -> anyhow::Result<Before> {
        let is_obf = style == Style::Obf;
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

    /// This line has an answer. Returns what became of it.
    pub(super) fn take(&mut self, line: &InputLine<'_>) -> anyhow::Result<Was> {
        self.left = self.left.saturating_sub(1);
        if self.is_obf {
            return self.take_obf(line);
        }
        let asked = line.question();
        let taken = self.answers.take(line, asked, false)?;
        let (answer, found) = taken.context("it has fewer answers than before")?;
        let fits = answer.check_question(found, asked);
        fits.map_err(|error| self.answers.bad(&error))?;
        if answer.is_fault() {
            return Ok(Was::Fault);
        }
        self.seen.count(&answer);
        Ok(match answer.is_solved() {
            true => Was::Solved,
            false => Was::Other,
        })
    }

    fn take_obf(&mut self, asked: &InputLine<'_>) -> anyhow::Result<Was> {
        let position = asked.problem.map(|problem| problem.position);
        let expected = position.map(|position| format!("{position};"));
        let expected = expected.unwrap_or_else(|| "% ".to_owned());
        let line = self.answers.next_line()?;
        let line = line.context("it has fewer answers than before")?;
        let number = |place: &str| place.rsplit(':').next() == Some(&asked.place.line.to_string());
        let fault = line
            .strip_prefix("% ")
            .and_then(|line| line.split_once("\terror\t"));
        let (fits, was) = match fault {
            Some((place, error)) if error.starts_with("-\t") => (number(place), Was::Fault),
            Some((place, _)) => {
                self.seen.faults += 1;
                (number(place), Was::Other)
            }
            None => (line.starts_with(&expected), Was::Other),
        };
        ensure!(
            fits,
            "{}, line {}: this is not the position of line {asked}",
            self.answers.name,
            self.answers.number
        );
        Ok(was)
    }
}
