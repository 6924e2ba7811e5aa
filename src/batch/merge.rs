//! One output of the outputs of several parts: complete, in order, and without contradiction.
//!
//! The answers of each part stand in the order of the input, and each fits its line ([`super::answer`]). A line
//! may have several: those that were solved must agree, and one that was solved stands for those that were not.
//! One answer of each output is in memory, however many there are.

use std::io::{BufRead, Write};

use anyhow::bail;

use super::answer::{Answer, AnswerError, Answers, InputLine, agree};
use super::input::Seen;
use super::shard::Shard;
use crate::score::Question;

/// An output of a part, which is read.
pub(crate) struct PartOutput<R> {
    answers: Answers<R>,
    /// Which part it is of, where that was noted, or shown by its answers.
    shard: Option<Shard>,
    /// The line of the last answer that was taken.
    last: Option<String>,
}

impl<R: BufRead> PartOutput<R> {
    /// Reads its first answer. `name`: as errors name it.
    pub(crate) fn open(name: String, reader: R, shard: Option<Shard>) -> anyhow::Result<Self> {
        let mut answers = Answers::new(name, reader);
        answers.peek()?;
        Ok(PartOutput {
            answers,
            shard,
            last: None,
        })
    }

    /// The next answer, if it is that of this line. `stated`: the question that the line states.
    fn take(
        &mut self,
        line: &InputLine<'_>,
        stated: Option<Question>,
        likely: &mut Option<Question>,
    ) -> anyhow::Result<Option<Answer>> {
        let Some((answer, found)) = self.answers.take(line, *likely, true)? else {
            return Ok(None);
        };
        let fits = answer.check_question(found, stated);
        fits.map_err(|error| self.answers.bad(&error))?;
        *likely = found.or(*likely);
        self.last = Some(answer.place_text());
        // Nothing is written before what follows is known to be an answer.
        self.answers.peek()?;
        Ok(Some(answer))
    }

    /// How far it goes.
    fn summary(&self) -> String {
        let cut = if self.answers.is_cut {
            ", and its last line is cut off and counts for nothing"
        } else {
            ""
        };
        let name = &self.answers.name;
        match &self.last {
            Some(last) => format!("{name} ends with the answer to line {last}{cut}"),
            None => format!("{name} has no answer{cut}"),
        }
    }
}

/// Merges outputs line by line.
pub(crate) struct Merger<R> {
    sources: Vec<PartOutput<R>>,
    /// The question of the last answer to a line that does not state one.
    likely: Option<Question>,
    /// Lines without an answer, of all parts and of each.
    missing: u64,
    first_missing: Option<String>,
    missing_of: Vec<u64>,
    /// What the answers that were written are.
    seen: Seen,
}

impl<R: BufRead> Merger<R> {
    pub(crate) fn new(outputs: Vec<PartOutput<R>>) -> Merger<R> {
        Merger {
            sources: outputs,
            likely: None,
            missing: 0,
            first_missing: None,
            missing_of: Vec::new(),
            seen: Seen::default(),
        }
    }

    /// Into how many parts the input was cut, if all outputs that have a note say the same.
    pub(crate) fn parts(&self) -> Option<u32> {
        let shards = self.sources.iter().filter_map(|source| source.shard);
        let mut counts = shards.map(Shard::count);
        let first = counts.next()?;
        counts.all(|count| count == first).then_some(first)
    }

    /// Writes the answer to the next line of the input, which states this question if any, and belongs to the part
    /// `part` where that is known. After a line without an answer no more is written: what is there is the start of
    /// the whole.
    pub(crate) fn write(
        &mut self,
        line: &InputLine<'_>,
        stated: Option<Question>,
        part: Option<Shard>,
        out: &mut impl Write,
    ) -> anyhow::Result<()> {
        // Beside the answer, where it stands: the output and its line.
        let mut chosen: Option<(Answer, (usize, u64))> = None;
        for index in 0..self.sources.len() {
            loop {
                let place = (index, self.sources[index].answers.number);
                let Some(answer) = self.sources[index].take(line, stated, &mut self.likely)? else {
                    break;
                };
                let shard = &mut self.sources[index].shard;
                *shard = shard.or(part);
                let better = match &chosen {
                    Some((known, one)) if !agree(&answer, known) => {
                        let [one, other] = [*one, place].map(|(index, number)| {
                            format!("{}, line {number}", self.sources[index].answers.name)
                        });
                        bail!("line {line}: {one} and {other} disagree");
                    }
                    Some((known, _)) => worth(&answer) > worth(known),
                    None => true,
                };
                if better {
                    chosen = Some((answer, place));
                }
            }
        }
        let Some((answer, _)) = chosen else {
            self.miss(line, part);
            return Ok(());
        };
        if self.missing == 0 {
            writeln!(out, "{}", answer.text)?;
            self.seen.count(&answer);
        }
        Ok(())
    }

    /// Notes that a line has no answer.
    fn miss(&mut self, line: &InputLine<'_>, part: Option<Shard>) {
        self.missing += 1;
        self.first_missing.get_or_insert_with(|| line.to_string());
        let Some(part) = part.map(|part| part.number() as usize) else {
            return;
        };
        if self.missing_of.len() <= part {
            self.missing_of.resize(part + 1, 0);
        }
        self.missing_of[part] += 1;
    }

    /// Returns what the answers that were written are. It fails if one is left over, or lines have none.
    pub(crate) fn finish(mut self) -> anyhow::Result<Seen> {
        for source in &mut self.sources {
            if let Some(next) = source.answers.next_answer()? {
                return Err(source.answers.bad(&AnswerError::Left(next.place_text())));
            }
        }
        let Some(first) = &self.first_missing else {
            return Ok(self.seen);
        };
        let gaps: String = self.gaps().iter().map(|gap| format!("; {gap}")).collect();
        match self.missing {
            1 => bail!("line {first} of the input has no answer{gaps}"),
            count => {
                bail!("{count} lines of the input have no answer, the first is line {first}{gaps}")
            }
        }
    }

    /// Where answers are missing: by part, where that is known, else how far each output goes.
    fn gaps(&self) -> Vec<String> {
        let Some(count) = self.parts() else {
            let unknown =
                "whose they are is in the notes FILE.run of the outputs, which are not there";
            let summaries = self.sources.iter().map(PartOutput::summary);
            return summaries.chain([unknown.to_owned()]).collect();
        };
        let text = |(part, missing): (u32, &u64)| {
            let is_of = |shard: Shard| shard.number() == part;
            let files = self.sources.iter();
            let files = files.filter(|source| source.shard.is_some_and(is_of));
            let mut files = files
                .map(PartOutput::summary)
                .collect::<Vec<_>>()
                .join(", ");
            if files.is_empty() {
                "no output was given".clone_into(&mut files);
            }
            format!("part {}/{count} lacks {missing}: {files}", part + 1)
        };
        let missing = (0..).zip(&self.missing_of);
        missing
            .filter(|(_, missing)| **missing > 0)
            .map(text)
            .collect()
    }
}

/// Of two answers to a line the one that says more is kept: a result, what was not solved, an error.
fn worth(answer: &Answer) -> u8 {
    u8::from(!answer.is_error()) + u8::from(answer.is_solved())
}

#[cfg(test)]
mod tests {
    use std::slice::from_ref;

    use super::*;
    use crate::batch::answer::answer_text;
    use crate::batch::problem::Problem;
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

    fn merger(outputs: &[String]) -> anyhow::Result<Merger<&[u8]>> {
        let named = (b'a'..).map(|name| char::from(name).to_string());
        let outputs = named.zip(outputs);
        let outputs = outputs.map(|(name, text)| PartOutput::open(name, text.as_bytes(), None));
        Ok(Merger::new(outputs.collect::<Result<_, _>>()?))
    }

    fn merged(lines: &[u64], outputs: &[String]) -> Result<String, String> {
        let mut out = Vec::new();
        let mut merge = || -> anyhow::Result<()> {
            let mut merger = merger(outputs)?;
            for &line in lines {
                let problem = Problem::new(position(line), Question::Exact).numbered(line);
                let line = InputLine {
                    files: &[],
                    place: problem.place,
                    bytes: &[],
                    problem: Some(&problem),
                };
                merger.write(&line, None, None, &mut out)?;
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
            "2 lines of the input have no answer, the first is line 2; a ends with the answer to line 4; \
             b has no answer, and its last line is cut off and counts for nothing; \
             whose they are is in the notes FILE.run of the outputs, which are not there"
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
