//! `solve --dry-run`: reads everything, says what was found, and solves nothing.

use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write};

use super::hopeless::{MOST_EMPTIES, empties_of};
use crate::batch::input::{Form, PositionReader, Sink, Task};
use crate::commands::Exit;
use crate::formats::detect::Kind;
use crate::logging;
use crate::rules::{Board, Color};
use crate::text::printable;

/// Errors that are shown; the others are counted.
pub(super) const MOST_ERRORS: usize = 20;

/// Different positions that are remembered, in 16 bytes or less each: those that come later are not compared.
const MOST_POSITIONS: usize = 1 << 22;

/// Reads an input, and writes what it holds.
pub(super) fn run(input: &PositionReader) -> io::Result<Exit> {
    let mut survey = Survey {
        names: input.names(),
        ..Survey::default()
    };
    let failed = input.read(&mut survey);
    for error in &failed {
        logging::error(error);
    }
    let mut text = String::new();
    survey.write(&mut text);
    io::stdout().lock().write_all(text.as_bytes())?;
    Ok(Exit::failed_if(
        !failed.is_empty() || survey.error_count > 0,
    ))
}

/// What the input holds.
#[derive(Default)]
struct Survey {
    /// The names of the files; none: standard input.
    names: Vec<String>,
    files: Vec<FileCounts>,
    /// How many lines have each form, in the order in which forms came.
    forms: Vec<(Form, u64)>,
    by_empties: BTreeMap<u32, u64>,
    /// Lines with black to move.
    black: u64,
    errors: Vec<String>,
    error_count: u64,
    positions: Positions,
    /// Where the first hopeless line stands, and how many there are.
    hopeless: Option<(String, u64)>,
}

/// What one file holds.
struct FileCounts {
    kind: Kind,
    lines: u64,
    errors: u64,
}

/// Which positions came, up to symmetry, as far as memory goes.
#[derive(Default)]
struct Positions {
    seen: HashSet<u64>,
    repeated: u64,
    /// Positions that came after the memory was full, and were not among the first ones.
    unknown: u64,
}

impl Positions {
    fn add(&mut self, board: Board, most: usize) {
        let mut hasher = DefaultHasher::new();
        board.canonical().hash(&mut hasher);
        let hash = hasher.finish();
        if self.seen.contains(&hash) {
            self.repeated += 1;
        } else if self.seen.len() < most {
            self.seen.insert(hash);
        } else {
            self.unknown += 1;
        }
    }
}

impl Sink for Survey {
    fn begin(&mut self, kind: Kind) {
        self.files.push(FileCounts {
            kind,
            lines: 0,
            errors: 0,
        });
    }

    fn take(&mut self, _: &[u8], task: Task) -> bool {
        if let Some(file) = self.files.last_mut() {
            file.lines += 1;
            file.errors += u64::from(task.problem.is_err());
        }
        let position = match &task.problem {
            Ok(problem) => problem.position,
            Err(error) => {
                self.error_count += 1;
                if self.errors.len() < MOST_ERRORS {
                    let place = task.place_text(&self.names);
                    let error = format!("{place}: {error}");
                    self.errors.push(printable(&error).into_owned());
                }
                return true;
            }
        };
        if let Some(form) = task.form {
            match self.forms.iter_mut().find(|(other, _)| *other == form) {
                Some((_, count)) => *count += 1,
                None => self.forms.push((form, 1)),
            }
        }
        let empties = position.board.empty_count();
        *self.by_empties.entry(empties).or_default() += 1;
        self.black += u64::from(position.side == Color::Black);
        self.positions.add(position.board, MOST_POSITIONS);
        if empties_of(&task).is_some() {
            let first = self.hopeless.get_or_insert_with(|| {
                let place = task.place_text(&self.names);
                (printable(&place).into_owned(), 0)
            });
            first.1 += 1;
        }
        true
    }
}

impl Survey {
    /// Tables with a head each, separated by tabs.
    fn write(&self, out: &mut String) {
        let mut line = |text: String| {
            out.push_str(&text);
            out.push('\n');
        };
        line("file\tread as\tlines\terrors".to_owned());
        for (number, file) in self.files.iter().enumerate() {
            let name = self.names.get(number);
            let name = name.map_or("-".into(), |name| printable(name));
            let (kind, lines) = (file.kind, file.lines);
            line(format!("{name}\t{kind}\t{lines}\t{}", file.errors));
        }
        line("form\tlines".to_owned());
        for (form, count) in &self.forms {
            line(format!("{form}\t{count}"));
        }
        let positions: u64 = self.by_empties.values().sum();
        let white = positions - self.black;
        line(format!(
            "to move\tblack (X) {}, white (O) {white}",
            self.black
        ));
        line("empties\tlines".to_owned());
        for (empties, count) in &self.by_empties {
            line(format!("{empties}\t{count}"));
        }
        line(self.repeated_text());
        line(match &self.hopeless {
            None => format!("hopeless\t0 lines with more than {MOST_EMPTIES} empty squares"),
            Some((first, count)) => format!(
                "hopeless\t{count} lines with more than {MOST_EMPTIES} empty squares, the first {first}"
            ),
        });
        line(match self.errors.len() {
            shown if (shown as u64) < self.error_count => {
                format!("errors\t{}, the first {shown}:", self.error_count)
            }
            _ => format!("errors\t{}", self.error_count),
        });
        for error in &self.errors {
            line(error.clone());
        }
    }

    fn repeated_text(&self) -> String {
        let (repeated, unknown) = (self.positions.repeated, self.positions.unknown);
        match unknown {
            0 => format!("repeated\t{repeated} positions that came before, up to symmetry"),
            _ => format!(
                "repeated\tat least {repeated} positions that came before, up to symmetry: the first {} different ones \
                 are remembered, and {unknown} later positions are not among them",
                self.positions.seen.len()
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_the_same_up_to_symmetry_and_memory_is_bounded() {
        let mut positions = Positions::default();
        let first = Board::START.play("f5".parse().expect("a square"));
        let mirrored = Board::START.play("c4".parse().expect("a square"));
        for board in [
            Board::START,
            first,
            mirrored,
            Board::START,
            first.play("d6".parse().expect("d6")),
        ] {
            positions.add(board, 2);
        }
        assert_eq!((positions.repeated, positions.unknown), (2, 1));
        assert_eq!(positions.seen.len(), 2);
    }
}
