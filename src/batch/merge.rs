//! One output of the outputs of several parts: complete, in order, and without contradiction.
//!
//! The answers of each part stand in the order of the input. A line may have several: those
//! that were solved must agree, and one that was solved stands for those that were not.

use std::io::{self, BufRead, Lines, Write};

use serde_json::Value;
use thiserror::Error;

use super::question::{Bounds, Question};

/// Why outputs cannot be merged.
#[derive(Debug, Error)]
pub enum MergeError {
    /// A file cannot be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A line of the input has no answer.
    #[error("line {line} of the input has no answer")]
    Missing {
        /// As the answers name it.
        line: String,
    },
    /// An answer has no line, or comes too early or too late.
    #[error(
        "{file}: the answer of line {line} has no place here: is it the output of another input, or was it made with --unordered?"
    )]
    Unexpected {
        /// The output.
        file: String,
        /// As the answer names it.
        line: String,
    },
    /// Two answers contradict each other.
    #[error("line {line}: {one} and {other} disagree")]
    Disagree {
        /// As the answers name it.
        line: String,
        /// An output.
        one: String,
        /// Another one.
        other: String,
    },
}

/// An answer of an output, in any of its forms.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer {
    /// As it was written, without its line end.
    pub text: String,
    /// `FILE:LINE`, or the line alone.
    pub line: String,
    result: String,
    bounds: Option<Bounds>,
}

impl Answer {
    /// What a line of an output says.
    pub fn parse(text: String) -> Answer {
        if let Ok(Value::Object(fields)) = serde_json::from_str(&text) {
            let discs = |name: &str| fields.get(name).and_then(Value::as_i64).map(|n| n as i32);
            let word = |name: &str| match fields.get(name) {
                Some(Value::String(word)) => word.clone(),
                Some(other) => other.to_string(),
                None => String::new(),
            };
            let is_error = fields.contains_key("error");
            let lower = discs("score").or(discs("at_least")).unwrap_or(-64);
            let upper = discs("score").or(discs("at_most")).unwrap_or(64);
            let line = match fields.get("file") {
                Some(Value::String(file)) => format!("{file}:{}", word("line")),
                _ => word("line"),
            };
            return Answer {
                line,
                result: word(if is_error { "error" } else { "result" }),
                bounds: Bounds::new(lower, upper),
                text,
            };
        }
        let mut fields = text.split('\t').map(str::to_owned);
        let (line, result) = (fields.next(), fields.next());
        let bounds = fields.next().and_then(|score| score.parse().ok());
        Answer {
            line: line.unwrap_or_default(),
            result: result.unwrap_or_default(),
            bounds,
            text,
        }
    }

    /// Is it the answer to this line, of a file or of standard input? Of a single file, the number
    /// may stand alone.
    pub fn is_of(&self, file: Option<&str>, line: u64) -> bool {
        match (self.line.rsplit_once(':'), file) {
            (Some((named, number)), Some(file)) => named == file && number.parse() == Ok(line),
            (None, _) => self.line.parse() == Ok(line),
            (Some(_), None) => false,
        }
    }

    fn is_solved(&self) -> bool {
        self.result != "unsolved"
    }

    /// Does it answer this question?
    pub fn answers(&self, question: Question) -> bool {
        let by_bounds = || {
            self.bounds
                .is_some_and(|bounds| question.is_answered_by(bounds))
        };
        match question {
            Question::Wld => ["win", "draw", "loss"].contains(&self.result.as_str()),
            Question::Exact => self.is_solved() && by_bounds(),
            Question::AtLeast(_) | Question::AtMost(_) => {
                ["proven", "refuted"].contains(&self.result.as_str()) && by_bounds()
            }
        }
    }

    /// Is it in JSON?
    pub fn is_json(&self) -> bool {
        self.text.starts_with('{')
    }

    /// Can both be true?
    fn agrees_with(&self, other: &Answer) -> bool {
        let bounds = match (self.bounds, other.bounds) {
            (Some(own), Some(others)) => own.and(others).is_some(),
            _ => true,
        };
        let results = !self.is_solved() || !other.is_solved() || self.result == other.result;
        bounds && results
    }
}

/// An output that is read.
struct Output<R> {
    name: String,
    lines: Lines<R>,
    next: Option<Answer>,
}

impl<R: BufRead> Output<R> {
    fn advance(&mut self) -> io::Result<Option<Answer>> {
        let text = self.lines.next().transpose()?;
        Ok(std::mem::replace(&mut self.next, text.map(Answer::parse)))
    }
}

/// Merges outputs line by line.
pub struct Merger<R> {
    outputs: Vec<Output<R>>,
    written: u64,
    unsolved: u64,
}

impl<R: BufRead> Merger<R> {
    /// Merges `outputs`, each with its name.
    ///
    /// # Errors
    /// If one cannot be read.
    pub fn new(outputs: Vec<(String, R)>) -> io::Result<Merger<R>> {
        let open = |(name, reader): (String, R)| -> io::Result<Output<R>> {
            let mut output = Output {
                name,
                lines: reader.lines(),
                next: None,
            };
            output.advance()?;
            Ok(output)
        };
        Ok(Merger {
            outputs: outputs.into_iter().map(open).collect::<io::Result<_>>()?,
            written: 0,
            unsolved: 0,
        })
    }

    /// Writes the answer to the next line of the input.
    ///
    /// # Errors
    /// If it is missing, if there are several that disagree, or a file fails.
    pub fn write(
        &mut self,
        file: Option<&str>,
        line: u64,
        out: &mut impl Write,
    ) -> Result<(), MergeError> {
        let name = || file.map_or_else(|| line.to_string(), |file| format!("{file}:{line}"));
        let mut chosen: Option<(Answer, usize)> = None;
        for index in 0..self.outputs.len() {
            let is_next = |output: &Output<R>| {
                let next = output.next.as_ref();
                next.is_some_and(|next| next.is_of(file, line))
            };
            while is_next(&self.outputs[index]) {
                let Some(answer) = self.outputs[index].advance()? else {
                    break;
                };
                let better = match &chosen {
                    Some((known, holder)) if !answer.agrees_with(known) => {
                        return Err(MergeError::Disagree {
                            line: name(),
                            one: self.outputs[*holder].name.clone(),
                            other: self.outputs[index].name.clone(),
                        });
                    }
                    Some((known, _)) => answer.is_solved() && !known.is_solved(),
                    None => true,
                };
                if better {
                    chosen = Some((answer, index));
                }
            }
        }
        let (answer, _) = chosen.ok_or_else(|| MergeError::Missing { line: name() })?;
        writeln!(out, "{}", answer.text)?;
        self.written += 1;
        self.unsolved += u64::from(!answer.is_solved());
        Ok(())
    }

    /// Returns how many answers were written, and how many of them are unsolved.
    ///
    /// # Errors
    /// If an answer is left over.
    pub fn finish(self) -> Result<(u64, u64), MergeError> {
        let mut outputs = self.outputs.into_iter();
        match outputs.find_map(|output| Some((output.name, output.next?))) {
            Some((file, answer)) => Err(MergeError::Unexpected {
                file,
                line: answer.line,
            }),
            None => Ok((self.written, self.unsolved)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(lines: &[u64], outputs: &[&str]) -> Result<String, String> {
        let named = (b'a'..).map(|name| char::from(name).to_string());
        let outputs = named
            .zip(outputs.iter().map(|text| text.as_bytes()))
            .collect();
        let mut out = Vec::new();
        let mut merger = Merger::new(outputs).expect("memory does not fail");
        let mut merge = || -> Result<(), MergeError> {
            for &line in lines {
                merger.write(None, line, &mut out)?;
            }
            Ok(())
        };
        merge().map_err(|error| error.to_string())?;
        merger.finish().map_err(|error| error.to_string())?;
        Ok(String::from_utf8(out).expect("text"))
    }

    #[test]
    fn lines_of_several_files_have_their_names() {
        let text = "x:1\twin\t+2\ny:1\tloss\t-2\n{\"file\":\"y\",\"line\":2,\"result\":\"win\"}\n";
        let outputs = vec![("a".to_owned(), text.as_bytes())];
        let mut merger = Merger::new(outputs).expect("memory does not fail");
        let mut out = Vec::new();
        for (file, line) in [("x", 1), ("y", 1), ("y", 2)] {
            merger
                .write(Some(file), line, &mut out)
                .expect("it is there");
        }
        assert_eq!(merger.finish().expect("complete"), (3, 0));
        assert_eq!(String::from_utf8(out).expect("text"), text);
    }

    #[test]
    fn parts_become_one_output_in_order() {
        let parts = ["1\twin\t+2\n4\terror\t1\tbad\n", "3\tloss\t-\n"];
        let whole = "1\twin\t+2\n3\tloss\t-\n4\terror\t1\tbad\n";
        assert_eq!(merged(&[1, 3, 4], &parts), Ok(whole.to_owned()));
        assert_eq!(merged(&[], &[]), Ok(String::new()));
    }

    #[test]
    fn a_missing_answer_is_named_and_so_is_one_too_many() {
        let missing = merged(&[1, 2], &["1\twin\t+2\n"]).expect_err("incomplete");
        assert_eq!(missing, "line 2 of the input has no answer");
        let excess = merged(&[1], &["1\twin\t+2\n", "7\twin\t+2\n"]).expect_err("too many");
        assert!(
            excess.starts_with("b: the answer of line 7 has no place"),
            "{excess}"
        );
        let order = merged(&[1, 2], &["2\twin\t+2\n1\twin\t+2\n"]).expect_err("order");
        assert_eq!(order, "line 1 of the input has no answer");
    }

    #[test]
    fn answers_to_one_line_must_agree_but_not_in_time_or_nodes() {
        let agree = [
            ("1\twin\t+2\tc4\t10\t1.0", "1\twin\t+2\tc4\t99\t7.0"),
            ("1\twin\t>=+2\tc4", "1\twin\t>=+8\td3"),
            (
                "{\"line\":1,\"result\":\"win\",\"score\":2}",
                "1\twin\t+2\tc4",
            ),
        ];
        for (one, other) in agree {
            let both = merged(&[1], &[one, other]);
            assert_eq!(both, Ok(format!("{one}\n")));
        }
        let disagree = [
            ("1\twin\t+2", "1\twin\t+4"),
            ("1\twin\t-", "1\tdraw\t-"),
            ("1\tproven\t>=+2", "1\tunsolved\t-64..-2"),
            ("{\"line\":1,\"result\":\"win\",\"score\":2}", "1\twin\t+6"),
        ];
        for (one, other) in disagree {
            let error = merged(&[1], &[one, other]).expect_err(one);
            assert_eq!(error, "line 1: a and b disagree");
        }
    }

    #[test]
    fn what_is_solved_stands_for_what_is_not() {
        let parts = [
            "1\tunsolved\t-2..+6\n2\tunsolved\t-64..+64\n",
            "1\twin\t+6\n",
        ];
        let whole = "1\twin\t+6\n2\tunsolved\t-64..+64\n";
        assert_eq!(merged(&[1, 2], &parts), Ok(whole.to_owned()));
    }
}
