//! Reading the lines of an input: files one after the other, or standard input. What a file holds is decided by
//! [`crate::formats::detect`], and a line is read by the grammar of [`crate::formats::line`].

use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::{Form, Task};
use crate::batch::answer::parse_asked;
use crate::batch::problem::{Place, Problem};
use crate::formats::detect::Kind;
use crate::formats::games::{self, FoundGame, GameError, Names, Source};
use crate::formats::ggf;
use crate::formats::line::{self, Entry};
use crate::formats::obf;
use crate::rules::{Color, Game, Position};
use crate::score::Question;
use crate::text::words::is_nothing;
use crate::text::{Line, Lines, ReadError, TextError, latin1, latin1_error};

/// Bytes that are read at once.
const BUFFER: usize = 1 << 16;

/// Most lines that are handed over at once.
const MAX_LINES: usize = 64;

/// What a line asks, and what it knows of the position. Does it state the question?
type Asked = (Problem, obf::Problem, bool);

/// How a line is written, and what it asks.
type Parsed = (Form, Asked);

/// What is read, and how.
#[derive(Clone, Debug)]
pub(crate) struct PositionReader {
    /// None: standard input.
    pub(crate) files: Vec<PathBuf>,
    /// What is asked about positions whose line does not say it.
    pub(crate) question: Question,
    /// The position of a game that is asked about: the first with at most so many empties; `None`: the last.
    pub(crate) empties: Option<u32>,
    /// The side to move on boards whose line does not say it.
    pub(crate) side: Option<Color>,
}

/// Where the lines go.
pub(crate) trait Sink {
    /// Learns what the next file, or standard input, is read as.
    fn begin(&mut self, _kind: Kind) {}

    /// Takes what a line holds. `false`: no more is wanted.
    fn take(&mut self, line: &[u8], task: Task) -> bool;

    /// Nothing more may come for a while: what was taken must not wait.
    fn flush(&mut self) {}
}

impl PositionReader {
    /// The names of the files, as the user gave them.
    pub(crate) fn names(&self) -> Vec<String> {
        let names = self.files.iter().map(|path| path.display().to_string());
        names.collect()
    }

    /// Reads the files, or standard input if there is none.
    /// Returns why files could not be read: those that can be read are read all the same.
    pub(crate) fn read(&self, sink: &mut dyn Sink) -> Vec<anyhow::Error> {
        let mut errors = Vec::new();
        if self.files.is_empty() {
            let source = Source::stream(io::stdin());
            let read = source.and_then(|source| self.read_source(source, None, false, sink));
            errors.extend(read.context("cannot read standard input").err());
        }
        for (number, path) in self.files.iter().enumerate() {
            errors.extend(self.read_file(number, path, sink).err());
        }
        sink.flush();
        errors
    }

    fn read_file(&self, number: usize, path: &Path, sink: &mut dyn Sink) -> anyhow::Result<()> {
        let name = path.display();
        let source = Source::open(path).with_context(|| format!("cannot open {name}"))?;
        self.read_source(source, Some(number), obf::is_script(path), sink)
            .with_context(|| format!("cannot read {name}"))
    }

    fn read_source(
        &self,
        mut source: Source,
        file: Option<usize>,
        is_script: bool,
        sink: &mut dyn Sink,
    ) -> io::Result<()> {
        let kind = self.kind_of(&mut source)?;
        sink.begin(kind);
        match kind {
            Kind::Lines | Kind::Unknown => self.read_lines(source, file, is_script, sink),
            _ if is_script => self.read_lines(source, file, is_script, sink),
            _ => self.read_games(source, file, sink),
        }
    }

    /// What a source is read as: lines, if it begins with one, though that is wrong or has fields behind it.
    fn kind_of(&self, source: &mut Source) -> io::Result<Kind> {
        let kind = source.kind();
        if matches!(
            kind,
            Kind::Lines | Kind::Wthor | Kind::Json | Kind::SelfPlay
        ) {
            return Ok(kind);
        }
        let head = String::from_utf8_lossy(source.first_bytes()?);
        let head = head.trim_start_matches('\u{feff}');
        let first = head.lines().map(str::trim).find(|line| !is_nothing(line));
        let is_line = first.is_some_and(|first| {
            line::is_begun(first) || !ggf::is_ggf(first) && self.parse(first, false).is_ok()
        });
        Ok(if is_line { Kind::Lines } else { kind })
    }

    /// Reads a file of games: each is a line of its own.
    fn read_games(
        &self,
        source: Source,
        file: Option<usize>,
        sink: &mut dyn Sink,
    ) -> io::Result<()> {
        let kind = source.kind();
        let mut pending: Option<(Vec<u8>, Task)> = None;
        let source = source.with_side(self.side);
        for found in source.games(games::LineGrouping::OneGame, Names::default()) {
            let (line, mut task) = self.game_task(found, file, kind)?;
            if let Some((before, earlier)) = pending.take() {
                if earlier.place == task.place {
                    task.problem = at_one_place(kind, earlier.problem, task.problem);
                } else if !sink.take(&before, earlier) {
                    return Ok(());
                }
            }
            pending = Some((line, task));
        }
        if let Some((line, task)) = pending {
            sink.take(&line, task);
        }
        Ok(())
    }

    /// What a game asks, and bytes that are its line.
    fn game_task(
        &self,
        found: FoundGame,
        file: Option<usize>,
        kind: Kind,
    ) -> io::Result<(Vec<u8>, Task)> {
        let line = match found.place {
            games::GamePlace::Line(number) | games::GamePlace::Game(number) => number,
        };
        let (text, content) = match found.game {
            Ok(game) => (text_of(&game.game), self.position_of(&game.game)),
            Err(error) => {
                let error = hinted(error_of(error, line)?);
                (error.to_string(), Err(error))
            }
        };
        let parsed = content.map(|position| {
            let asked = self.asked(obf::Problem::new(position));
            (Form::Game(kind), asked)
        });
        let task = task(Place { file, line }, parsed);
        Ok((text.into_bytes(), task))
    }

    fn read_lines(
        &self,
        source: Source,
        file: Option<usize>,
        is_script: bool,
        sink: &mut dyn Sink,
    ) -> io::Result<()> {
        let mut lines = Lines::new(Watched {
            reader: BufReader::with_capacity(BUFFER, source.into_reader()),
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
            let parsed = self.parse_bytes(&line, is_script);
            let wanted = match parsed.transpose() {
                None => true,
                Some(parsed) => watched.sink.take(line.bytes(), task(place, parsed)),
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

    /// Parses a line as it is in its file: old ones have names and comments in Latin-1.
    fn parse_bytes(&self, line: &Line, is_script: bool) -> Result<Option<Parsed>, TextError> {
        let bytes = line.whole()?;
        let text = latin1(bytes);
        let parsed = self.parse(&text, is_script);
        parsed.map_err(|error| latin1_error(bytes, &text, error))
    }

    /// What a line asks. `None`: it is blank or a comment.
    fn parse(&self, line: &str, is_script: bool) -> Result<Option<Parsed>, TextError> {
        if is_script {
            let problem = obf::parse_script_line(line)?;
            return Ok(problem.map(|problem| (Form::Script, self.asked(problem))));
        }
        let (first, rest) = line.split_at(end_of_position(line));
        let Some((known, form)) = self.parse_position(first)? else {
            return Ok(None);
        };
        let asked = self.parse_fields(known, rest, first.len() + 2)?;
        Ok(Some((form, asked)))
    }

    /// What the fields behind the position ask: the question and the name. The first begins at `column`.
    fn parse_fields(
        &self,
        known: obf::Problem,
        rest: &str,
        mut column: usize,
    ) -> Result<Asked, TextError> {
        let mut fields = rest.splitn(4, '\t').skip(1);
        let (mut problem, known, mut states_question) = self.asked(known);
        if let Some(field) = fields.next() {
            let text = field.trim();
            let before = field.len() - field.trim_start().len();
            if !text.is_empty() {
                let parsed = parse_asked(text, problem.position.board);
                (problem.question, problem.moves) = parsed.map_err(|error| {
                    TextError::new(column + before + error.column - 1, error.reason)
                })?;
                states_question = true;
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
        problem.name = name.map(Box::from);
        Ok((problem, known, states_question))
    }

    /// The question about a position whose line does not say it.
    const fn asked(&self, known: obf::Problem) -> Asked {
        (Problem::new(known.position, self.question), known, false)
    }

    /// The position of a field, and how it is written: a board, moves, or games of GGF, of which the last one counts.
    fn parse_position(&self, field: &str) -> Result<Option<(obf::Problem, Form)>, TextError> {
        if ggf::is_ggf(field.trim_start()) {
            let games = ggf::parse_line(field)?;
            let position = games.last().map(|game| self.position_of(&game.game));
            let position = position.transpose()?;
            return Ok(position.map(|position| (obf::Problem::new(position), Form::Ggf)));
        }
        let entry = line::parse_line(field, self.side).map_err(hinted)?;
        let Some(entry) = entry else {
            return Ok(None);
        };
        let form = Form::Line(entry.form());
        let problem = match entry {
            Entry::Board(_, problem) => problem,
            Entry::Continued(_, transcript) | Entry::Game(transcript) => {
                obf::Problem::new(self.position_of(&transcript.game)?)
            }
        };
        Ok(Some((problem, form)))
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

/// What a line of the input asks.
fn task(place: Place, parsed: Result<Parsed, TextError>) -> Task {
    let (form, problem, known, states_question) = match parsed {
        Ok((form, (problem, known, states_question))) => {
            let problem = Problem { place, ..problem };
            (Some(form), Ok(problem), Some(known), states_question)
        }
        Err(error) => (None, Err(error), None, false),
    };
    Task {
        place,
        form,
        problem,
        known,
        states_question,
        answer: None,
        replaces: None,
    }
}

/// Where the first field of a line ends: at a tab, unless there is no more than a number before it. A comment ends with
/// the line, and may have tabs.
fn end_of_position(line: &str) -> usize {
    let text = &line[..line.find('%').unwrap_or(line.len())];
    let mut tabs = text.match_indices('\t').map(|(at, _)| at);
    let end = tabs.find(|&at| !line::is_number(&text[..at]));
    end.unwrap_or(line.len())
}

/// The text of a game, by which its answer is bound to it.
fn text_of(game: &Game) -> String {
    match game.start() {
        Position::START => game.transcript(),
        start => format!("{start} {}", game.transcript()),
    }
}

/// Why a game that begins at this line of its file, or is the one of this number, cannot be read.
fn error_of(error: GameError, line: u64) -> io::Result<TextError> {
    match error {
        GameError::Text(ReadError::Io(error)) => Err(error),
        GameError::Text(ReadError::Syntax { line: at, error }) if at == line => Ok(error),
        GameError::Text(ReadError::Syntax { line: at, error }) => {
            let TextError { column, reason } = error;
            Ok(TextError::new(column, format!("line {at}: {reason}")))
        }
        GameError::Wthor(error) => Ok(TextError::new(1, error.to_string())),
    }
}

/// Where who moves is not said, how to say it.
fn hinted(error: TextError) -> TextError {
    let hint = line::side_hint(&error.reason);
    TextError::new(error.column, error.reason + hint)
}

/// What is asked where several games begin in one line, which has one answer: of GGF, as one line of it, the last game.
fn at_one_place(
    kind: Kind,
    earlier: Result<Problem, TextError>,
    later: Result<Problem, TextError>,
) -> Result<Problem, TextError> {
    match (earlier, later) {
        (Err(error), _) => Err(error),
        (Ok(_), later) if kind == Kind::Ggf => later,
        (Ok(_), _) => {
            let reason = "several games begin in this line: put each on lines of its own";
            Err(TextError::new(1, reason))
        }
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

    type Read = (Position, Question, Option<Box<str>>);

    const START: &str = "---------------------------OX------XO--------------------------- X";

    fn parse(line: &str) -> Result<Option<Read>, (usize, String)> {
        let reader = PositionReader {
            files: Vec::new(),
            question: Question::Wld,
            empties: Some(58),
            side: None,
        };
        let parsed = reader
            .parse(line, false)
            .map_err(|error| (error.column, error.reason))?;
        Ok(parsed.map(|(_, (problem, ..))| (problem.position, problem.question, problem.name)))
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
            ("f5 3 d6 12 c3 5".to_owned(), after, Question::Wld, None),
            (
                format!("40\t{START}\t>0\tname"),
                Position::START,
                Question::AtLeast(2),
                Some("name"),
            ),
            ("7\tf5d6\texact".to_owned(), after, Question::Exact, None),
            (format!("{START} f5d6c3"), after, Question::Wld, None),
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
        assert_eq!(column("5"), 2, "a number is no game");
        assert_eq!(column("12 34"), 4);
        assert_eq!(column("12\t34"), 4);
        let (at, reason) = parse(&START[..64]).expect_err("no side");
        assert_eq!(at, 65);
        assert!(
            reason.ends_with("or give --side black or --side white"),
            "{reason}"
        );
    }
}
