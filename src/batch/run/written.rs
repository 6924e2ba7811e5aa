//! The answers of a run, and their text, JSON and OBF forms.

use super::check::Verdict;
use crate::batch::answer::{Fields, Key, MoveFields, ResultWord};
use crate::batch::problem::{Place, Problem, Solution, Status};
use crate::batch::stated::Stated;
use crate::formats::obf;
use crate::rules::{Move, Position};
use crate::score::{Bounds, Question, Score};
use crate::text::TextError;

/// How answers are written.
#[derive(Clone, Debug)]
pub(crate) struct Format {
    pub(crate) style: Style,
    /// The names of the files that the lines are from; none: standard input.
    pub(crate) files: Vec<String>,
    /// The bounds on the score that a proof of who wins came upon.
    pub(crate) score_bound: bool,
    pub(crate) times: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Style {
    Text,
    Json,
    Obf,
}

/// The answer to one line of the input.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) place: Place,
    pub(crate) name: Option<Box<str>>,
    pub(crate) content: Content,
}

#[derive(Debug)]
pub(crate) enum Content {
    Solved(Solved),
    Fault(Key, Fault),
    /// The line of an earlier output.
    Copied(String),
}

/// A position that was solved, or not within its limits. Scores are in discs, for the side to move.
#[derive(Debug)]
pub(crate) struct Solved {
    pub(crate) problem: Problem,
    pub(crate) found: Solution,
    pub(crate) verdict: Option<Verdict>,
}

/// Why there is no result.
#[derive(Debug)]
pub(crate) enum Fault {
    Syntax(TextError),
    /// The solver failed, or the proof that was asked for is not made.
    Failed {
        position: Position,
        reason: String,
    },
}

impl Solved {
    /// Was the question answered, and the answer proven where that was asked for?
    pub(crate) fn is_solved(&self) -> bool {
        self.found.status == Status::Solved
    }

    pub(crate) fn result(&self) -> ResultWord {
        let bounds = self.found.bounds;
        if !self.is_solved() {
            return match self.found.estimate {
                Some(_) => ResultWord::Estimate,
                None => ResultWord::Unsolved,
            };
        }
        match (self.problem.question.verdict(bounds), bounds.value()) {
            (Some(holds), _) => ResultWord::Verdict(holds),
            (None, Some(value)) => ResultWord::Value(value),
            (None, None) => ResultWord::Unsolved,
        }
    }

    /// The best move; `None` where the game is over or nothing is known.
    pub(crate) fn best(&self) -> Option<Move> {
        self.found.best()
    }

    /// The score, if it was asked for and found.
    pub(crate) fn score(&self) -> Option<i32> {
        let score = self.found.bounds.score()?;
        (self.problem.question == Question::Exact && self.is_solved()).then_some(score)
    }

    /// What the answer says of the score.
    fn stated(&self, format: &Format) -> Option<Stated> {
        if let Some((score, depth)) = self.estimate() {
            let bounds = self.found.bounds;
            return Some(Stated::Estimated {
                score,
                depth,
                bounds,
            });
        }
        let score = self.score().map(Bounds::exactly);
        score.or_else(|| self.bounds(format)).map(Stated::Proven)
    }

    /// The estimate, if that is all that there is.
    fn estimate(&self) -> Option<(Score, u32)> {
        self.found.estimate.filter(|_| !self.is_solved())
    }

    fn key(&self, format: &Format) -> Key {
        let result = self.result().name();
        Key::of_result(&self.problem, result, self.stated(format), self.best())
    }

    /// The bounds on the score, if they are to be shown: for who wins only what proves that.
    fn bounds(&self, format: &Format) -> Option<Bounds> {
        let bounds = self.found.bounds;
        match self.problem.question {
            Question::Exact if self.is_solved() => None,
            Question::Wld if !self.is_solved() => Some(bounds),
            Question::Wld if !format.score_bound => None,
            Question::Wld if bounds.lower() > 0 => Some(Bounds::at_least(bounds.lower())),
            Question::Wld if bounds.upper() < 0 => Some(Bounds::at_most(bounds.upper())),
            _ => Some(bounds),
        }
    }
}

impl Answer {
    /// Adds the answer and a line end to `out`.
    pub(crate) fn write(&self, format: &Format, out: &mut Vec<u8>) {
        match (format.style, &self.content) {
            (_, Content::Copied(text)) => push(out, text),
            (Style::Text, Content::Solved(solved)) => self.write_text(format, solved, out),
            (Style::Text, Content::Fault(key, fault)) => {
                self.write_text_fault(format, *key, fault, out);
            }
            (Style::Json, Content::Solved(solved)) => write_json(&self.json(format, solved), out),
            (Style::Json, Content::Fault(key, fault)) => {
                write_json(&self.json_fault(format, *key, fault), out);
            }
            (Style::Obf, Content::Solved(solved)) => push(out, &obf(solved)),
            // A comment, so that the output stays an OBF file.
            (Style::Obf, Content::Fault(key, fault)) => {
                push(out, "% ");
                self.write_text_fault(format, *key, fault, out);
            }
        }
        out.push(b'\n');
    }

    // Text is put together without the formatting of the standard library, which would take
    // longer than the solve of an easy position.
    fn write_text(&self, format: &Format, solved: &Solved, out: &mut Vec<u8>) {
        let found = &solved.found;
        let pv = &found.line;
        self.write_place(format, format.files.len() > 1, out);
        push_field(out, solved.result().name());
        let stated = solved.stated(format).map(|bounds| bounds.to_string());
        push_field(out, stated.as_deref().unwrap_or("-"));
        push_field(out, solved.best().map_or("-", Move::name));
        push_field(out, &solved.key(format).to_string());
        push_field(out, itoa::Buffer::new().format(found.nodes));
        if format.times {
            let micros = found.time.as_micros() as u64;
            push_field(out, itoa::Buffer::new().format(micros / 1000));
            let digits = [100, 10, 1].map(|unit| b'0' + (micros / unit % 10) as u8);
            out.push(b'.');
            out.extend_from_slice(&digits);
        } else {
            push_field(out, "-");
        }
        push_field(out, pv.first().map_or("-", |mv| mv.name()));
        for mv in pv.iter().skip(1) {
            out.push(b' ');
            push(out, mv.name());
        }
        if let Some(moves) = &found.moves {
            let moves = moves.iter().map(|(mv, value)| format!("{mv}:{value}"));
            let moves = moves.collect::<Vec<_>>().join(" ");
            push_field(out, if moves.is_empty() { "-" } else { &moves });
        }
        if let Some(verdict) = &solved.verdict {
            push_field(out, &verdict.to_string());
        }
        self.write_name(out);
    }

    fn write_text_fault(&self, format: &Format, key: Key, fault: &Fault, out: &mut Vec<u8>) {
        self.write_place(format, true, out);
        push_field(out, "error");
        let (column, reason) = match fault {
            Fault::Syntax(TextError { column, reason }) => (Some(column.to_string()), reason),
            Fault::Failed { reason, .. } => (None, reason),
        };
        push_field(out, column.as_deref().unwrap_or("-"));
        push_field(out, reason);
        push_field(out, &key.to_string());
        self.write_name(out);
    }

    /// `file:line`, or the line alone.
    fn write_place(&self, format: &Format, full: bool, out: &mut Vec<u8>) {
        if let Some(file) = file(self.place, format).filter(|_| full) {
            push(out, file);
            out.push(b':');
        }
        push(out, itoa::Buffer::new().format(self.place.line));
    }

    fn write_name(&self, out: &mut Vec<u8>) {
        if let Some(name) = &self.name {
            push_field(out, name);
        }
    }

    fn fields(&self, format: &Format, key: Key) -> Fields {
        Fields {
            file: file(self.place, format).map(|file| file.to_owned().into()),
            line: self.place.line,
            name: self.name.as_deref().map(|name| name.to_owned().into()),
            key: Some(key.to_string().into()),
            ..Fields::default()
        }
    }

    fn json(&self, format: &Format, solved: &Solved) -> Fields {
        let bounds = solved.bounds(format);
        let found = &solved.found;
        let name = |mv: Move| mv.name().into();
        let moves = found.moves.iter().flatten().map(|&(mv, value)| MoveFields {
            name: name(mv),
            score: value.score(),
            result: value.result().map(|value| value.name().into()),
        });
        Fields {
            position: Some(solved.problem.position.to_string().into()),
            mode: Some(solved.problem.asked().to_string().into()),
            result: Some(solved.result().name().into()),
            score: solved.score(),
            estimate: solved.estimate().map(|(score, _)| score.to_f64()),
            depth: solved.estimate().map(|(_, depth)| depth),
            at_least: bounds.map(Bounds::lower).filter(|&lower| lower > -64),
            at_most: bounds.map(Bounds::upper).filter(|&upper| upper < 64),
            best: Some(solved.best().map(name)),
            pv: Some(found.line.iter().map(|&mv| name(mv)).collect()),
            moves: found.moves.is_some().then(|| moves.collect()),
            nodes: Some(found.nodes),
            time_ms: format.times.then(|| found.time.as_micros() as f64 / 1000.0),
            check: solved
                .verdict
                .as_ref()
                .map(|verdict| verdict.to_string().into()),
            ..self.fields(format, solved.key(format))
        }
    }

    fn json_fault(&self, format: &Format, key: Key, fault: &Fault) -> Fields {
        let mut fields = self.fields(format, key);
        let reason = match fault {
            Fault::Syntax(error) => {
                fields.column = Some(error.column);
                &error.reason
            }
            Fault::Failed { position, reason } => {
                fields.position = Some(position.to_string().into());
                reason
            }
        };
        fields.error = Some(reason.clone().into());
        fields
    }
}

fn write_json(value: &Fields, out: &mut Vec<u8>) {
    let written = serde_json::to_writer(out, value);
    debug_assert!(written.is_ok(), "memory does not fail");
}

/// The position with its scores: of all moves where they are known, else of the best one.
fn obf(solved: &Solved) -> String {
    let mut problem = obf::Problem::new(solved.problem.position);
    match &solved.found.moves {
        Some(moves) if !moves.is_empty() => {
            let scores = moves.iter();
            let scores = scores.filter_map(|&(mv, value)| Some((mv, value.score()?)));
            problem.moves = scores.collect();
        }
        _ => problem.value = solved.score(),
    }
    problem.comment = solved.verdict.as_ref().map(Verdict::to_string);
    problem.to_string()
}

/// The file that a line is from.
fn file(place: Place, format: &Format) -> Option<&str> {
    format.files.get(place.file?).map(String::as_str)
}

fn push(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
}

/// A tab and a field.
fn push_field(out: &mut Vec<u8>, text: &str) {
    out.push(b'\t');
    push(out, text);
}
