//! One output of the outputs of several parts: complete, in order, and without contradiction.
//!
//! The answers of each part stand in the order of the input, and each fits its line ([`super::answer`]). A line
//! may have several: those that were solved must agree, and one that was solved stands for those that were not.
//! One answer of each output is in memory, however many there are.

use std::cmp::Ordering;
use std::io::{self, BufRead, Write};

use thiserror::Error;

use super::answer::{Answer, AnswerError, Answers, AnswersError, Asked, BadAnswer, agree};
use super::shard::Shard;
use crate::score::Question;

/// Why outputs cannot be merged.
#[derive(Debug, Error)]
pub enum MergeError {
    /// A file cannot be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// An answer of an output is none, or not to its line.
    #[error(transparent)]
    Bad(#[from] BadAnswer),
    /// Lines of the input have no answer.
    #[error("{0}")]
    Missing(Missing),
    /// Two answers contradict each other.
    #[error("line {line}: {one} and {other} disagree")]
    Disagree {
        /// As the answers name it.
        line: String,
        /// An output and its line.
        one: String,
        /// Another one.
        other: String,
    },
}

impl From<AnswersError> for MergeError {
    fn from(error: AnswersError) -> MergeError {
        match error {
            AnswersError::Io(error) => MergeError::Io(error),
            AnswersError::Bad(error) => MergeError::Bad(error),
        }
    }
}

/// Lines that have no answer, and where it should be.
#[derive(Debug)]
pub struct Missing {
    count: u64,
    /// The first of them.
    first: String,
    /// What is known of each output, or of each part.
    parts: Vec<String>,
}

impl std::fmt::Display for Missing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Missing {
            count,
            first,
            parts,
        } = self;
        match count {
            1 => write!(f, "line {first} of the input has no answer")?,
            _ => write!(
                f,
                "{count} lines of the input have no answer, the first is line {first}"
            )?,
        }
        parts.iter().try_for_each(|part| write!(f, "\n  {part}"))
    }
}

/// An output of a part.
pub struct PartOutput<R> {
    /// As errors name it.
    pub name: String,
    /// Its lines.
    pub reader: R,
    /// Which part it is of, where that was noted.
    pub shard: Option<Shard>,
}

/// An output that is read.
struct Source<R> {
    answers: Answers<R>,
    shard: Option<Shard>,
    next: Option<Answer>,
    /// The line of the last answer that was taken.
    last: Option<String>,
}

impl<R: BufRead> Source<R> {
    fn open(output: PartOutput<R>) -> Result<Source<R>, AnswersError> {
        let mut source = Source {
            answers: Answers::new(output.name, output.reader),
            shard: output.shard,
            next: None,
            last: None,
        };
        source.next = source.answers.next_answer()?;
        Ok(source)
    }

    /// The next answer, if it is that of this line.
    fn take(
        &mut self,
        asked: &Asked<'_>,
        likely: &mut Option<Question>,
    ) -> Result<Option<Answer>, AnswersError> {
        let Some(next) = &self.next else {
            return Ok(None);
        };
        match next.order(asked) {
            Some(Ordering::Greater) => return Ok(None),
            Some(Ordering::Equal) => {}
            Some(Ordering::Less) | None => {
                return Err(self.answers.bad(next.misplaced(asked)).into());
            }
        }
        let question = next
            .fits(asked, *likely)
            .map_err(|error| self.answers.bad(error))?;
        *likely = question.or(*likely);
        self.last = Some(next.place_text());
        let following = self.answers.next_answer()?;
        Ok(std::mem::replace(&mut self.next, following))
    }

    /// How far it goes.
    fn summary(&self) -> String {
        let cut = if self.answers.is_cut() {
            "; its last line is cut off, and counts for nothing"
        } else {
            ""
        };
        let name = self.answers.name();
        match &self.last {
            Some(last) => format!("{name} ends with the answer to line {last}{cut}"),
            None => format!("{name} has no answer{cut}"),
        }
    }
}

/// Merges outputs line by line.
pub struct Merger<R> {
    sources: Vec<Source<R>>,
    /// The question of the last answer to a line that does not state one.
    likely: Option<Question>,
    /// Lines without an answer, of all parts and of each.
    missing: u64,
    first_missing: Option<String>,
    missing_of: Vec<u64>,
    written: u64,
    unsolved: u64,
}

impl<R: BufRead> Merger<R> {
    /// Merges `outputs`.
    ///
    /// # Errors
    /// If one cannot be read.
    pub fn new(outputs: Vec<PartOutput<R>>) -> Result<Merger<R>, MergeError> {
        let sources = outputs.into_iter().map(Source::open);
        Ok(Merger {
            sources: sources.collect::<Result<_, _>>()?,
            likely: None,
            missing: 0,
            first_missing: None,
            missing_of: Vec::new(),
            written: 0,
            unsolved: 0,
        })
    }

    /// Into how many parts the input was cut, if all outputs say the same.
    pub fn parts(&self) -> Option<u32> {
        let mut counts = self
            .sources
            .iter()
            .map(|source| Some(source.shard?.count()));
        let first = counts.next()??;
        counts.all(|count| count == Some(first)).then_some(first)
    }

    /// Writes the answer to the next line of the input, which belongs to the part `part` where that is known. After
    /// a line without an answer no more is written: what is there is the start of the whole.
    ///
    /// # Errors
    /// If there is one that does not fit, if there are several that disagree, or a file fails.
    pub fn write(
        &mut self,
        asked: &Asked<'_>,
        part: Option<u32>,
        out: &mut impl Write,
    ) -> Result<(), MergeError> {
        // Beside the answer, where it stands: the output and its line.
        let mut chosen: Option<(Answer, (usize, u64))> = None;
        for index in 0..self.sources.len() {
            loop {
                let place = (index, self.sources[index].answers.number());
                let Some(answer) = self.sources[index].take(asked, &mut self.likely)? else {
                    break;
                };
                let better = match &chosen {
                    Some((known, one)) if !agree(&answer, known) => {
                        return Err(self.disagreement(asked, *one, place));
                    }
                    Some((known, _)) => answer.is_solved() && !known.is_solved(),
                    None => true,
                };
                if better {
                    chosen = Some((answer, place));
                }
            }
        }
        let Some((answer, _)) = chosen else {
            self.miss(asked, part);
            return Ok(());
        };
        if self.missing == 0 {
            writeln!(out, "{}", answer.text)?;
            self.written += 1;
            self.unsolved += u64::from(!answer.is_solved());
        }
        Ok(())
    }

    fn disagreement(
        &self,
        asked: &Asked<'_>,
        one: (usize, u64),
        other: (usize, u64),
    ) -> MergeError {
        let text = |(index, line): (usize, u64)| {
            format!("{}, line {line}", self.sources[index].answers.name())
        };
        MergeError::Disagree {
            line: asked.to_string(),
            one: text(one),
            other: text(other),
        }
    }

    /// Notes that a line has no answer.
    fn miss(&mut self, asked: &Asked<'_>, part: Option<u32>) {
        self.missing += 1;
        self.first_missing.get_or_insert_with(|| asked.to_string());
        let Some(part) = part.map(|part| part as usize) else {
            return;
        };
        if self.missing_of.len() <= part {
            self.missing_of.resize(part + 1, 0);
        }
        self.missing_of[part] += 1;
    }

    /// Returns how many answers were written, and how many of them are unsolved.
    ///
    /// # Errors
    /// If an answer is left over, or lines have none.
    pub fn finish(mut self) -> Result<(u64, u64), MergeError> {
        for source in &mut self.sources {
            if let Some(next) = source.next.take() {
                let error = AnswerError::Left {
                    found: next.place_text(),
                };
                return Err(source.answers.bad(error).into());
            }
        }
        match self.first_missing.take() {
            Some(first) => Err(MergeError::Missing(Missing {
                count: self.missing,
                first,
                parts: self.gaps(),
            })),
            None => Ok((self.written, self.unsolved)),
        }
    }

    /// Where answers are missing: by part, where that is known, else how far each output goes.
    fn gaps(&self) -> Vec<String> {
        let Some(count) = self.parts() else {
            return self.sources.iter().map(Source::summary).collect();
        };
        let lacking = (0_u32..)
            .zip(&self.missing_of)
            .filter(|(_, missing)| **missing > 0);
        let text = |(part, missing): (u32, &u64)| {
            let is_of =
                |source: &&Source<R>| source.shard.is_some_and(|shard| shard.number() == part);
            let files: Vec<String> = self
                .sources
                .iter()
                .filter(is_of)
                .map(Source::summary)
                .collect();
            let files = if files.is_empty() {
                "no output was given".to_owned()
            } else {
                files.join("; ")
            };
            format!("part {}/{count} lacks {missing}: {files}", part + 1)
        };
        lacking.map(text).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::slice::from_ref;

    use super::*;
    use crate::batch::answer::answer_text;
    use crate::rules::Position;

    /// Another position for each line.
    fn position(line: u64) -> Position {
        let mut position = Position::START;
        for _ in 0..line {
            let square = position.board.legal_moves().first().expect("a move");
            position = position.play(square.into()).expect("legal");
        }
        position
    }

    fn first_move(position: Position) -> &'static str {
        position.board.legal_moves().first().expect("a move").name()
    }

    /// The answer to a line, which says this of its result and score.
    fn answer(line: u64, question: &str, result: &str, score: &str) -> String {
        let position = position(line);
        let said = (result, score, first_move(position));
        answer_text(&line.to_string(), position, question, said)
    }

    fn text(answers: &[String]) -> String {
        answers.iter().map(|answer| format!("{answer}\n")).collect()
    }

    fn merger(outputs: &[String]) -> Result<Merger<&[u8]>, MergeError> {
        let named = (b'a'..).map(|name| char::from(name).to_string());
        let outputs = named.zip(outputs).map(|(name, text)| PartOutput {
            name,
            reader: text.as_bytes(),
            shard: None,
        });
        Merger::new(outputs.collect())
    }

    fn merged(lines: &[u64], outputs: &[String]) -> Result<String, String> {
        let mut out = Vec::new();
        let mut merge = || -> Result<(), MergeError> {
            let mut merger = merger(outputs)?;
            for &line in lines {
                let asked = Asked {
                    line,
                    ..Asked::alone(position(line), None)
                };
                merger.write(&asked, None, &mut out)?;
            }
            merger.finish().map(drop)
        };
        merge().map_err(|error| error.to_string())?;
        Ok(String::from_utf8(out).expect("text"))
    }

    #[test]
    fn parts_become_one_output_in_order() {
        let all = [1, 3, 4].map(|line| answer(line, "exact", "win", "+2"));
        let parts = [text(&[all[0].clone(), all[2].clone()]), text(&all[1..2])];
        assert_eq!(merged(&[1, 3, 4], &parts), Ok(text(&all)));
        assert_eq!(merged(&[], &[]), Ok(String::new()));
    }

    #[test]
    fn missing_answers_are_counted_and_so_is_where_each_output_ends() {
        let parts = [
            text(&[answer(1, "wld", "win", "-"), answer(4, "wld", "win", "-")]),
            answer(2, "wld", "win", "-"),
        ];
        let error = merged(&[1, 2, 3, 4], &parts).expect_err("incomplete");
        assert_eq!(
            error,
            "2 lines of the input have no answer, the first is line 2\n  a ends with the answer to line 4\n  \
             b has no answer; its last line is cut off, and counts for nothing"
        );
    }

    #[test]
    fn an_answer_in_a_wrong_place_is_named_with_its_line() {
        let answers = [2, 1].map(|line| answer(line, "exact", "win", "+2"));
        let error = merged(&[1, 2], &[text(&answers)]).expect_err("order");
        assert!(
            error.starts_with("a, line 2: the answer of line 1 stands where"),
            "{error}"
        );
        let error =
            merged(&[1], &[text(&answers[1..]), text(&answers[..1])]).expect_err("one too many");
        assert!(
            error.starts_with("b, line 1: the answer of line 2 is of no line"),
            "{error}"
        );
        // All answers at the number of the line before.
        let rotated = answer(2, "exact", "win", "+2").replacen('2', "1", 1);
        let error = merged(&[1], &[text(&[rotated])]).expect_err("of another line");
        assert!(error.starts_with("a, line 1: the key"), "{error}");
    }

    #[test]
    fn answers_to_one_line_must_agree() {
        let wld = |result, score| answer(1, "wld", result, score);
        let exact = |result, score| answer(1, "exact", result, score);
        for (one, other) in [
            (wld("win", ">=+2"), wld("win", ">=+8")),
            (wld("win", "-"), exact("win", "+6")),
            (exact("unsolved", "-2..+6"), exact("win", "+6")),
        ] {
            let both = merged(&[1], &[text(from_ref(&one)), text(from_ref(&other))]);
            let kept = if one.contains("unsolved") { other } else { one };
            assert_eq!(both, Ok(text(&[kept])));
        }
        for (one, other) in [
            (exact("win", "+2"), exact("win", "+4")),
            (wld("win", "-"), wld("draw", "-")),
            (wld("win", "-"), exact("unsolved", "<=-2")),
            (
                answer(1, ">=2", "proven", ">=+2"),
                exact("unsolved", "<=-2"),
            ),
        ] {
            let error = merged(&[1], &[text(&[one]), text(&[other])]).expect_err("they disagree");
            assert_eq!(error, "line 1: a, line 1 and b, line 1 disagree");
        }
    }

    #[test]
    fn every_cut_of_the_last_line_leaves_it_unanswered() {
        let whole = text(&[
            answer(1, "exact", "win", "+2"),
            answer(2, "exact", "win", "+2"),
        ]);
        let first = whole.find('\n').expect("two lines") + 1;
        for end in first..whole.len() {
            let error = merged(&[1, 2], &[whole[..end].to_owned()]).expect_err("cut");
            assert!(
                error.starts_with("line 2 of the input has no answer"),
                "{error}"
            );
        }
    }
}
