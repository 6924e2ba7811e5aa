//! One output of the outputs of several parts: complete, in order, and without contradiction.
//!
//! The answers of each part stand in the order of the input. A line may have several: those
//! that were solved must agree, and one that was solved stands for those that were not.

use std::io::{self, BufRead, Lines, Write};

use serde_json::Value;
use thiserror::Error;

use super::question::Bounds;

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
struct Answer {
    text: String,
    line: String,
    result: String,
    bounds: Option<Bounds>,
}

impl Answer {
    fn parse(text: String) -> Answer {
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
            return Answer {
                line: word("line"),
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

    fn is_solved(&self) -> bool {
        self.result != "unsolved"
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

/// Merges `outputs`, each with its name, in the order of `lines`: what the answers are named by.
/// Answers how many were written, and how many of them are unsolved.
///
/// # Errors
/// If answers are missing, in excess or in disagreement, or a file fails.
pub fn merge<R: BufRead>(
    lines: impl Iterator<Item = io::Result<String>>,
    outputs: Vec<(String, R)>,
    mut out: impl Write,
) -> Result<(u64, u64), MergeError> {
    let open = |(name, reader): (String, R)| -> io::Result<Output<R>> {
        let mut output = Output {
            name,
            lines: reader.lines(),
            next: None,
        };
        output.advance()?;
        Ok(output)
    };
    let mut outputs = outputs
        .into_iter()
        .map(open)
        .collect::<io::Result<Vec<_>>>()?;
    let (mut written, mut unsolved) = (0, 0);
    for line in lines {
        let line = line?;
        let mut chosen: Option<(Answer, usize)> = None;
        for index in 0..outputs.len() {
            while outputs[index]
                .next
                .as_ref()
                .is_some_and(|next| next.line == line)
            {
                let Some(answer) = outputs[index].advance()? else {
                    break;
                };
                let better = match &chosen {
                    Some((known, holder)) if !answer.agrees_with(known) => {
                        return Err(MergeError::Disagree {
                            line,
                            one: outputs[*holder].name.clone(),
                            other: outputs[index].name.clone(),
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
        let (answer, _) = chosen.ok_or(MergeError::Missing { line })?;
        writeln!(out, "{}", answer.text)?;
        written += 1;
        unsolved += u64::from(!answer.is_solved());
    }
    match outputs
        .into_iter()
        .find_map(|output| Some((output.name, output.next?)))
    {
        Some((file, answer)) => Err(MergeError::Unexpected {
            file,
            line: answer.line,
        }),
        None => Ok((written, unsolved)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(lines: &[&str], outputs: &[&str]) -> Result<String, String> {
        let lines = lines.iter().map(|line| Ok((*line).to_owned()));
        let named = (b'a'..).map(|name| char::from(name).to_string());
        let outputs = named
            .zip(outputs.iter().map(|text| text.as_bytes()))
            .collect();
        let mut out = Vec::new();
        merge(lines, outputs, &mut out).map_err(|error| error.to_string())?;
        Ok(String::from_utf8(out).expect("text"))
    }

    #[test]
    fn parts_become_one_output_in_order() {
        let parts = ["1\twin\t+2\n4\terror\t1\tbad\n", "3\tloss\t-\n"];
        let whole = "1\twin\t+2\n3\tloss\t-\n4\terror\t1\tbad\n";
        assert_eq!(merged(&["1", "3", "4"], &parts), Ok(whole.to_owned()));
        assert_eq!(merged(&[], &[]), Ok(String::new()));
    }

    #[test]
    fn a_missing_answer_is_named_and_so_is_one_too_many() {
        let missing = merged(&["1", "2"], &["1\twin\t+2\n"]).expect_err("incomplete");
        assert_eq!(missing, "line 2 of the input has no answer");
        let excess = merged(&["1"], &["1\twin\t+2\n", "7\twin\t+2\n"]).expect_err("too many");
        assert!(
            excess.starts_with("b: the answer of line 7 has no place"),
            "{excess}"
        );
        let order = merged(&["1", "2"], &["2\twin\t+2\n1\twin\t+2\n"]).expect_err("order");
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
            let both = merged(&["1"], &[one, other]);
            assert_eq!(both, Ok(format!("{one}\n")));
        }
        let disagree = [
            ("1\twin\t+2", "1\twin\t+4"),
            ("1\twin\t-", "1\tdraw\t-"),
            ("1\tproven\t>=+2", "1\tunsolved\t-64..-2"),
            ("{\"line\":1,\"result\":\"win\",\"score\":2}", "1\twin\t+6"),
        ];
        for (one, other) in disagree {
            let error = merged(&["1"], &[one, other]).expect_err(one);
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
        assert_eq!(merged(&["1", "2"], &parts), Ok(whole.to_owned()));
    }
}
