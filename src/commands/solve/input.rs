//! Reading the positions of `solve`: files one after the other, or standard input.

use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::batch::question::Question;
use crate::batch::queue::Weigh;
use crate::formats::obf::{self, Problem};
use crate::formats::{ggf, transcript, wthor};
use crate::rules::{Game, Position};
use crate::text::{Line, Lines, TextError, open};

/// Bytes that are read at once.
const BUFFER: usize = 1 << 16;

/// Most lines that are handed over at once.
const MAX_LINES: usize = 64;

/// Where a line stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::commands) struct Place {
    /// The number of its file, the first is 0; none: standard input.
    pub(in crate::commands) file: Option<usize>,
    /// The number of the line in its file, the first is 1. Of a WTHOR file, the number of the game.
    pub(in crate::commands) line: u64,
}

/// A line that has an answer.
#[derive(Debug)]
pub(in crate::commands) struct Task {
    /// Where it stands.
    pub(in crate::commands) place: Place,
    /// What it calls itself, in its third field.
    pub(in crate::commands) name: Option<Box<str>>,
    /// What it asks, or why it cannot be read.
    pub(in crate::commands) content: Result<Ask, TextError>,
}

/// What a line asks.
#[derive(Debug)]
pub(in crate::commands) struct Ask {
    /// The position, and what the line knows of it.
    pub(in crate::commands) problem: Problem,
    /// What to find out.
    pub(in crate::commands) question: Question,
    /// Does the line say so itself?
    pub(in crate::commands) states_question: bool,
}

impl Weigh for Task {
    fn weight(&self) -> u64 {
        match &self.content {
            // About what an exact solve takes at 8 to 24 empties.
            Ok(ask) => {
                1 << ask
                    .problem
                    .position
                    .board
                    .empty_count()
                    .saturating_sub(5)
                    .min(40)
            }
            Err(_) => 1,
        }
    }
}

/// What a line asks, and its name.
type Named = (Ask, Option<Box<str>>);

/// How lines are read.
#[derive(Clone, Debug)]
pub(in crate::commands) struct Reader {
    /// What is asked about positions whose line does not say it.
    pub(in crate::commands) question: Question,
    /// The position of a game that is asked about: the first with at most so many empties; `None`: the last.
    pub(in crate::commands) empties: Option<u32>,
}

/// Where the lines go.
pub(in crate::commands) trait Sink {
    /// Takes what a line holds. `false`: no more is wanted.
    fn take(&mut self, line: &[u8], task: Task) -> bool;

    /// Nothing more may come for a while: what was taken must not wait.
    fn flush(&mut self);
}

impl Reader {
    /// Reads `files`, or standard input if there is none.
    /// Returns why files could not be read: those that can be read are read all the same.
    pub(in crate::commands) fn read(
        &self,
        files: &[PathBuf],
        sink: &mut dyn Sink,
    ) -> Vec<anyhow::Error> {
        let mut errors = Vec::new();
        if files.is_empty() {
            let read = self.read_lines(io::stdin().lock(), None, false, sink);
            errors.extend(read.context("cannot read standard input").err());
        }
        for (number, path) in files.iter().enumerate() {
            errors.extend(self.read_file(number, path, sink).err());
        }
        sink.flush();
        errors
    }

    fn read_file(&self, number: usize, path: &Path, sink: &mut dyn Sink) -> anyhow::Result<()> {
        let name = path.display();
        let mut file = open(path).with_context(|| format!("cannot open {name}"))?;
        let cannot_read = || format!("cannot read {name}");
        if wthor::is_database(path) {
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes).with_context(cannot_read)?;
            let database = wthor::parse(&bytes).with_context(cannot_read)?;
            for (game, line) in database.games.iter().zip(1..) {
                let place = Place {
                    file: Some(number),
                    line,
                };
                let position = self.position_of(&game.game);
                let content = position.map(|position| self.ask(Problem::new(position)));
                let task = Task {
                    place,
                    name: None,
                    content,
                };
                if !sink.take(game.game.transcript().as_bytes(), task) {
                    break;
                }
            }
            return Ok(());
        }
        self.read_lines(file, Some(number), obf::is_script(path), sink)
            .with_context(cannot_read)
    }

    fn read_lines(
        &self,
        input: impl Read,
        file: Option<usize>,
        is_script: bool,
        sink: &mut dyn Sink,
    ) -> io::Result<()> {
        let mut lines = Lines::new(Watched {
            reader: BufReader::with_capacity(BUFFER, input),
            sink,
            taken: 0,
        });
        let mut line = Line::default();
        while lines.read_line(&mut line)? {
            let place = Place {
                file,
                line: line.number,
            };
            let watched = lines.reader();
            let wanted = match line.text().and_then(|text| self.parse(text, is_script)) {
                Ok(None) => true,
                Ok(Some((ask, name))) => {
                    let task = Task {
                        place,
                        name,
                        content: Ok(ask),
                    };
                    watched.sink.take(line.bytes(), task)
                }
                Err(error) => {
                    let task = Task {
                        place,
                        name: None,
                        content: Err(error),
                    };
                    watched.sink.take(line.bytes(), task)
                }
            };
            watched.taken += 1;
            if watched.taken >= MAX_LINES {
                watched.taken = 0;
                watched.sink.flush();
            }
            if !wanted {
                break;
            }
        }
        Ok(())
    }

    /// What a line asks, and its name. `None`: it is blank or a comment.
    fn parse(&self, line: &str, is_script: bool) -> Result<Option<Named>, TextError> {
        if is_script {
            let problem = obf::parse_script_line(line)?;
            return Ok(problem.map(|problem| (self.ask(problem), None)));
        }
        // A comment ends with the line, and may have tabs.
        let end = line.find('%').unwrap_or(line.len());
        let end = line[..end].find('\t').unwrap_or(line.len());
        let (first, rest) = line.split_at(end);
        let Some(problem) = self.parse_position(first)? else {
            return Ok(None);
        };
        if rest.is_empty() {
            return Ok(Some((self.ask(problem), None)));
        }
        let mut fields = rest.splitn(4, '\t').skip(1);
        let mut column = first.len() + 2;
        let mut question = None;
        if let Some(field) = fields.next() {
            let text = field.trim();
            let before = field.len() - field.trim_start().len();
            if !text.is_empty() {
                let parsed = text.parse();
                let parsed = parsed.map_err(|error: crate::batch::question::QuestionError| {
                    TextError::new(column + before + error.column - 1, error.reason)
                });
                question = Some(parsed?);
            }
            column += field.len() + 1;
        }
        let name = fields.next();
        if fields.next().is_some() {
            let column = column + name.map_or(0, str::len);
            let reason = "expected at most three fields: position, question and name";
            return Err(TextError::new(column, reason));
        }
        let name = name.map(str::trim).filter(|name| !name.is_empty());
        let ask = Ask {
            question: question.unwrap_or(self.question),
            states_question: question.is_some(),
            problem,
        };
        Ok(Some((ask, name.map(Box::from))))
    }

    /// The question about a position whose line does not say it.
    fn ask(&self, problem: Problem) -> Ask {
        Ask {
            problem,
            question: self.question,
            states_question: false,
        }
    }

    /// The position of a field: 64 cells with what OBF knows, a transcript, or a game of GGF.
    fn parse_position(&self, field: &str) -> Result<Option<Problem>, TextError> {
        let text = field.trim_start();
        if ggf::is_ggf(text) {
            let games = ggf::parse_line(field)?;
            return match games.last() {
                None => Ok(None),
                Some(game) => self.position_of(&game.game).map(Problem::new).map(Some),
            };
        }
        let mut letters = text.bytes();
        let is_square = |file: Option<u8>, rank: Option<u8>| {
            matches!(
                (file, rank),
                (Some(b'a'..=b'h' | b'A'..=b'H'), Some(b'1'..=b'8'))
            )
        };
        let is_transcript = is_square(letters.next(), letters.next())
            || text.starts_with(|first: char| first.is_ascii_digit());
        if is_transcript {
            let Some(played) = transcript::parse_line(field)? else {
                return Ok(None);
            };
            return self.position_of(&played.game).map(Problem::new).map(Some);
        }
        obf::parse_line(field)
    }

    /// The position of a game that is asked about.
    fn position_of(&self, game: &Game) -> Result<Position, TextError> {
        let Some(empties) = self.empties else {
            return Ok(game.position());
        };
        let mut positions = game.positions().chain([game.position()]);
        let found = positions.find(|position| position.board.empty_count() <= empties);
        found.ok_or_else(|| {
            let reason = format!("the game ends before it has {empties} empties");
            TextError::new(1, reason)
        })
    }
}

/// A reader that flushes the sink before it may have to wait for more input.
struct Watched<'s, R> {
    reader: BufReader<R>,
    sink: &'s mut dyn Sink,
    /// Lines since the last flush.
    taken: usize,
}

impl<R: Read> Read for Watched<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.fill_buf()?.read(buffer)?;
        self.consume(length);
        Ok(length)
    }
}

impl<R: Read> BufRead for Watched<'_, R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.reader.buffer().is_empty() {
            self.taken = 0;
            self.sink.flush();
        }
        self.reader.fill_buf()
    }

    fn consume(&mut self, length: usize) {
        self.reader.consume(length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Parsed = (Position, Question, Option<Box<str>>);

    const START: &str = "---------------------------OX------XO--------------------------- X";

    fn parse(line: &str) -> Result<Option<Parsed>, (usize, String)> {
        let reader = Reader {
            question: Question::Wld,
            empties: Some(58),
        };
        let parsed = reader
            .parse(line, false)
            .map_err(|error| (error.column, error.reason))?;
        Ok(parsed.map(|(ask, name)| (ask.problem.position, ask.question, name)))
    }

    #[test]
    fn every_line_that_names_a_position_is_read() {
        let after = "f5d6"
            .parse::<crate::formats::transcript::Transcript>()
            .expect("moves");
        let after = after.game.position();
        let lines = [
            (START.to_owned(), Position::START, Question::Wld, None),
            (
                format!("{START}\texact"),
                Position::START,
                Question::Exact,
                None,
            ),
            (
                format!("{START}\t\tq7"),
                Position::START,
                Question::Wld,
                Some("q7"),
            ),
            (
                format!("{START}; F5:+0;\t>0\ta b"),
                Position::START,
                Question::AtLeast(2),
                Some("a b"),
            ),
            ("f5d6c3".to_owned(), after, Question::Wld, None),
            (
                "1. f5 d6 2. c3\t<=-2".to_owned(),
                after,
                Question::AtMost(-2),
                None,
            ),
        ];
        for (line, position, question, name) in lines {
            let parsed = parse(&line).expect(&line).expect(&line);
            assert_eq!(parsed, (position, question, name.map(Box::from)), "{line}");
        }
        for line in ["", "  ", "# note", "% note"] {
            assert_eq!(parse(line), Ok(None), "{line:?}");
        }
    }

    #[test]
    fn errors_name_the_column_of_the_line() {
        let column = |line: &str| parse(line).expect_err(line).0;
        assert_eq!(column(&format!("{START}\t wlf")), 69);
        assert_eq!(column(&format!("{START}\twld\tname\tmore")), 76);
        assert_eq!(
            column("f5"),
            1,
            "it has 58 empties only after one more move"
        );
        assert_eq!(column("f5f6zz"), 5);
        assert_eq!(column("hello"), 1);
    }
}
