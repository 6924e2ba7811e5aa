//! Going on with an output where a killed run has stopped.
//!
//! Beside the output `FILE` stands `FILE.run`: what the run was made of ([`Run`]) and how
//! far it was when that was last noted. Whole lines of the output count, a part of a line is
//! cut off. The answers stand in the order of the input: their number says where to go on.
//! The note has a hash of the input up to an answer that was written: a resumed run reads
//! that part of the input again, and finds out whether it is still the same. Each answer that is there has to fit its
//! line as well ([`super::answer`]).

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, BufRead};
use std::sync::Mutex;

use serde::{Deserialize, Serialize};

use crate::eval::Evaluator;
use crate::locks::lock;

/// The form of answers.
const FORM: u32 = 2;

/// That of answers with the scores of all moves.
const FORM_WITH_MOVES: u32 = 3;

/// The option that makes them.
pub(crate) const ALL_MOVES: &str = "all-moves";

/// The option of answers that follow a head.
pub(crate) const OBF: &str = "obf";

/// What a run was made of.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Run {
    /// The program and its version.
    pub(crate) program: String,
    /// The fingerprint of the weights.
    pub(crate) weights: String,
    /// [`FORM`], or [`FORM_WITH_MOVES`].
    pub(crate) form: u32,
    /// The options that the answers depend on.
    pub(crate) options: BTreeMap<String, String>,
    /// How far it was.
    pub(crate) progress: Progress,
}

/// How far a run was.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Progress {
    pub(crate) answers: u64,
    /// Hash of the lines of the input, up to the one of the last of these answers.
    pub(crate) input: u64,
}

/// How far an earlier run was.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Done {
    /// Answers that are there already.
    pub(crate) answers: u64,
    /// The last note.
    pub(crate) noted: Progress,
}

impl Run {
    /// A run of this program with these options.
    pub(crate) fn new(evaluator: &Evaluator, options: BTreeMap<String, String>) -> Run {
        Run {
            program: format!("emilia {}", env!("CARGO_PKG_VERSION")),
            weights: format!("{:016x}", evaluator.fingerprint()),
            form: match options.contains_key(ALL_MOVES) {
                true => FORM_WITH_MOVES,
                false => FORM,
            },
            options,
            progress: Progress::default(),
        }
    }

    /// Can a run made of `self` continue the output of `before`?
    pub(crate) fn can_continue(&self, before: &Run) -> Result<(), String> {
        let forms = [before.form, self.form].map(|form| form.to_string());
        for (what, before, now) in [
            ("the program", &before.program, &self.program),
            ("the weights", &before.weights, &self.weights),
            ("the form of answers", &forms[0], &forms[1]),
        ] {
            if before != now {
                return Err(changed(what, before, now));
            }
        }
        let names = self.options.keys().chain(before.options.keys());
        for name in names {
            let (old, new) = (before.options.get(name), self.options.get(name));
            if old != new {
                let text = |value: Option<&String>| value.map_or("-", String::as_str).to_owned();
                let name = match name.as_str() {
                    "question" => "the question (--exact, --wld or --claim)".to_owned(),
                    name => format!("--{name}"),
                };
                return Err(changed(&name, &text(old), &text(new)));
            }
        }
        Ok(())
    }
}

fn changed(what: &str, before: &str, now: &str) -> String {
    format!("{what} was {before} and is {now}")
}

/// Counts the lines of an output that are whole, and their bytes.
pub(crate) fn whole_lines(mut output: impl BufRead) -> io::Result<(u64, u64)> {
    let (mut lines, mut whole, mut bytes) = (0, 0, 0);
    loop {
        let chunk = output.fill_buf()?;
        if chunk.is_empty() {
            return Ok((lines, whole));
        }
        for (place, _) in chunk.iter().enumerate().filter(|&(_, &byte)| byte == b'\n') {
            lines += 1;
            whole = bytes + place as u64 + 1;
        }
        let length = chunk.len();
        bytes += length as u64;
        output.consume(length);
    }
}

/// Hash of the input so far, line by line with their numbers: FNV-1a, 64 bits. Lines without an answer are not
/// in it, but move the numbers of others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InputHash(u64);

impl Default for InputHash {
    fn default() -> InputHash {
        InputHash(0xcbf2_9ce4_8422_2325)
    }
}

impl InputHash {
    /// Adds a line and its number.
    pub(crate) fn add(&mut self, number: u64, line: &[u8]) {
        let number = number.to_le_bytes();
        let bytes = number.iter().chain(line).chain(b"\n");
        self.0 = bytes.fold(self.0, |hash, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
    }

    pub(crate) const fn value(self) -> u64 {
        self.0
    }
}

/// What the reader tells the writer about the input: its hash at some answers.
#[derive(Default, Debug)]
pub(crate) struct Milestones {
    queue: Mutex<VecDeque<Progress>>,
}

impl Milestones {
    /// A line was read that has the answer of this number, the first is 1.
    pub(crate) fn note(&self, answers: u64, input: InputHash) {
        let input = input.value();
        self.lock().push_back(Progress { answers, input });
    }

    /// The last milestone within the first `answers`, if one has come since the last call.
    pub(crate) fn reached(&self, answers: u64) -> Option<Progress> {
        let mut queue = self.lock();
        let mut last = None;
        while let Some(next) = queue.pop_front_if(|next| next.answers <= answers) {
            last = Some(next);
        }
        last
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, VecDeque<Progress>> {
        lock(&self.queue)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(weights: &str, options: &[(&str, &str)]) -> Run {
        let options = options
            .iter()
            .map(|(name, value)| ((*name).into(), (*value).into()));
        Run {
            program: "emilia 1".to_owned(),
            weights: weights.to_owned(),
            form: FORM,
            options: options.collect(),
            progress: Progress::default(),
        }
    }

    #[test]
    fn what_has_changed_is_named() {
        let before = run("abc", &[("wld", "yes")]);
        let error = |now: Run| now.can_continue(&before).expect_err("it has changed");
        assert_eq!(run("abc", &[("wld", "yes")]).can_continue(&before), Ok(()));
        assert_eq!(
            error(run("def", &[("wld", "yes")])),
            "the weights was abc and is def"
        );
        assert_eq!(error(run("abc", &[])), "--wld was yes and is -");
        let more = run("abc", &[("hash", "4"), ("wld", "yes")]);
        assert_eq!(error(more), "--hash was - and is 4");
        let asked = |question| run("abc", &[("question", question)]);
        assert_eq!(
            asked("exact").can_continue(&asked("wld")),
            Err("the question (--exact, --wld or --claim) was wld and is exact".to_owned())
        );
    }

    #[test]
    fn only_whole_lines_count() {
        let count = |text: &str| whole_lines(text.as_bytes()).expect("memory does not fail");
        assert_eq!(count(""), (0, 0));
        assert_eq!(count("one"), (0, 0));
        assert_eq!(count("one\ntwo\nthr"), (2, 8));
        assert_eq!(count("one\n"), (1, 4));
    }

    #[test]
    fn the_writer_learns_of_the_input_up_to_what_it_has_written() {
        let milestones = Milestones::default();
        let mut hash = InputHash::default();
        let mut hashes = Vec::new();
        for answers in 1..=20 {
            hash.add(answers, b"line");
            milestones.note(answers, hash);
            hashes.push(hash.value());
        }
        assert_eq!(milestones.reached(0), None);
        let expected = Progress {
            answers: 13,
            input: hashes[12],
        };
        assert_eq!(milestones.reached(13), Some(expected));
        assert_eq!(milestones.reached(13), None);
    }

    #[test]
    fn the_hash_tells_lines_apart() {
        let hash = |lines: &[(u64, &str)]| {
            let mut hash = InputHash::default();
            for (number, line) in lines {
                hash.add(*number, line.as_bytes());
            }
            hash.value()
        };
        assert_ne!(hash(&[(1, "ab"), (2, "c")]), hash(&[(1, "a"), (2, "bc")]));
        assert_ne!(hash(&[(1, "a"), (2, "")]), hash(&[(1, "a")]));
        assert_ne!(hash(&[(1, "a")]), hash(&[(2, "a")]));
    }
}
