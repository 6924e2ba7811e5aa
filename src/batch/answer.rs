//! Lines of answers, as `solve` writes them: one grammar for all that read them again.
//!
//! An answer has a *key*: a checksum of the position, the question, the result, the score or its bounds, and the
//! best move. So an answer that was changed, or that stands at another line than its own, is found out by whoever
//! has the line. It finds mistakes, not forgers: anybody can compute it.
//!
//! The key is the CRC-32 (that of zlib) of `POSITION QUESTION RESULT SCORE BEST` with tabs between them, each as the
//! text form has it, in 8 hexadecimal digits. The key of an error is that of `LINE error COLUMN REASON`, where LINE is
//! the line of the input; of a fault of the solver, the position and `-`.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::fmt::Write as _;
use std::io::{self, BufRead, Read};
use std::str::FromStr;

use anyhow::anyhow;
use crc32fast::Hasher;
use nom::Parser;
use nom::bytes::complete::take_till;
use nom::character::complete::char;
use nom::combinator::opt;
use nom::multi::many0;
use nom::sequence::preceded;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::problem::Problem;
use super::stated::{self, Stated};
use crate::rules::{Bitboard, Move, Position};
use crate::score::{Bounds, GameValue, Question};
use crate::text::TextError;
use crate::text::words::{Parsed, end, expect, failure, finish};

/// Longest answer that is read, in bytes: a name of the longest line with escapes, and what the answer adds.
const MAX_ANSWER: u64 = 1 << 20;

/// The first line of answers in OBF.
pub(crate) const OBF_HEAD: &str =
    "% answers of emilia solve in OBF have no keys: batch and --retry take text or JSON";

const EXPECTED_KEY: &str = "expected a key of 8 hexadecimal digits";

/// What binds an answer to its line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Key(u32);

impl Key {
    /// The key of a result. `score` is what is said of the score, `None` where only who wins is.
    pub(crate) fn of_result(
        problem: &Problem,
        result: &str,
        score: Option<Stated>,
        best: Option<Move>,
    ) -> Key {
        let mut text = String::with_capacity(96);
        let best = best.map_or("-", Move::name);
        // Text in memory cannot fail.
        let _ = write!(
            text,
            "{}\t{}\t{result}\t",
            problem.position,
            problem.asked()
        );
        let _ = match score {
            Some(score) => write!(text, "{score}\t{best}"),
            None => write!(text, "-\t{best}"),
        };
        Key::of_bytes([text.as_bytes()])
    }

    /// The key of an error in the line `line`.
    pub(crate) fn of_error(line: &[u8], column: usize, reason: &str) -> Key {
        let error = format!("\terror\t{column}\t{reason}");
        Key::of_bytes([line, error.as_bytes()])
    }

    /// The key where the solver failed at a position.
    pub(crate) fn of_fault(position: Position, reason: &str) -> Key {
        Key::of_bytes([format!("{position}\terror\t-\t{reason}").as_bytes()])
    }

    fn of_bytes<const N: usize>(parts: [&[u8]; N]) -> Key {
        let mut crc = Hasher::new();
        parts.iter().for_each(|part| crc.update(part));
        Key(crc.finalize())
    }
}

/// 8 hexadecimal digits.
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}", self.0)
    }
}

impl FromStr for Key {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Key, &'static str> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let has_digits = text.len() == 8 && text.bytes().all(is_digit);
        let value = u32::from_str_radix(text, 16).ok().filter(|_| has_digits);
        value.map(Key).ok_or(EXPECTED_KEY)
    }
}

/// The word of a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ResultWord {
    /// Who wins, the side to move is meant.
    Value(GameValue),
    /// The claim is true, or it is not.
    Verdict(bool),
    /// An estimate, since nothing more was affordable.
    Estimate,
    /// A limit was reached.
    Unsolved,
}

impl ResultWord {
    /// `win`, `draw`, `loss`, `proven`, `refuted`, `estimate` or `unsolved`.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            ResultWord::Value(value) => value.name(),
            ResultWord::Verdict(true) => "proven",
            ResultWord::Verdict(false) => "refuted",
            ResultWord::Estimate => "estimate",
            ResultWord::Unsolved => "unsolved",
        }
    }

    fn of_name(name: &str) -> Option<ResultWord> {
        let values = [GameValue::Win, GameValue::Draw, GameValue::Loss].map(ResultWord::Value);
        let others = [
            ResultWord::Verdict(true),
            ResultWord::Verdict(false),
            ResultWord::Estimate,
            ResultWord::Unsolved,
        ];
        let mut all = values.into_iter().chain(others);
        all.find(|word| word.name() == name)
    }

    /// Can this be said of a question, with this said of the score?
    fn fits(self, question: Question, score: Option<Stated>) -> bool {
        let is_estimated = score.is_some_and(Stated::is_estimated);
        if is_estimated || self == ResultWord::Estimate {
            return is_estimated && self == ResultWord::Estimate;
        }
        match (self, question, score.map(Stated::bounds)) {
            (ResultWord::Value(value), Question::Exact, Some(bounds)) => {
                bounds.score().is_some() && bounds.value() == Some(value)
            }
            (ResultWord::Value(_), Question::Wld, None) => true,
            (ResultWord::Value(value), Question::Wld, Some(bounds)) => {
                bounds.value() == Some(value)
            }
            (
                ResultWord::Verdict(holds),
                Question::AtLeast(_) | Question::AtMost(_) | Question::Equal(_),
                Some(bounds),
            ) => question.verdict(bounds) == Some(holds),
            (ResultWord::Unsolved, _, Some(_)) => true,
            _ => false,
        }
    }
}

/// A line of an input, which an answer has to fit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked<'a> {
    /// The names of all files of the input; none: standard input.
    pub(crate) files: &'a [String],
    /// The number of its file, the first is 0.
    pub(crate) file: Option<usize>,
    pub(crate) line: u64,
    pub(crate) bytes: &'a [u8],
    /// The position; `None`: the line cannot be read.
    pub(crate) position: Option<Position>,
    /// What is asked; `None`: the answer may be to any question.
    pub(crate) question: Option<Question>,
    /// The moves that the question is about; `None`: all.
    pub(crate) only: Option<Bitboard>,
    /// What the line calls itself.
    pub(crate) name: Option<&'a str>,
}

impl<'a> Asked<'a> {
    /// Any question about a position whose line is not at hand.
    pub(crate) const fn alone(position: Position, name: Option<&'a str>) -> Asked<'a> {
        Asked {
            files: &[],
            file: None,
            line: 0,
            bytes: &[],
            position: Some(position),
            question: None,
            only: None,
            name,
        }
    }
}

/// The file, where there are several, and the line.
impl fmt::Display for Asked<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = self.file.and_then(|file| self.files.get(file));
        let file = file.filter(|_| self.files.len() > 1);
        f.write_str(&place_text(file.map(String::as_str), self.line))
    }
}

/// `FILE:LINE`, or the line alone.
pub(crate) fn place_text(file: Option<&str>, line: u64) -> String {
    match file {
        Some(file) => format!("{file}:{line}"),
        None => line.to_string(),
    }
}

/// The file of a line, if it is named, and its number.
type Place = (Option<String>, u64);

/// An answer that was read.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Answer {
    /// As it was written, without its line end.
    pub(crate) text: String,
    /// `FILE:LINE`, or the line alone.
    place: Place,
    content: Content,
    key: Key,
    /// What follows a result: scores of moves, a verdict and the name, each of which may be missing; of an error
    /// only the name.
    rest: Vec<String>,
    pub(crate) is_json: bool,
}

#[derive(Clone, PartialEq, Debug)]
enum Content {
    Result(Statement),
    Error {
        /// `None`: the solver failed.
        column: Option<usize>,
        reason: String,
    },
}

/// What a result says.
#[derive(Clone, PartialEq, Debug)]
struct Statement {
    result: ResultWord,
    score: Option<Stated>,
    best: Option<Move>,
    pv: Vec<Move>,
    nodes: u64,
    /// In JSON only.
    position: Option<Position>,
    /// In JSON only.
    question: Option<Question>,
}

/// Why a line is no answer, or not the one to its line.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub(crate) enum AnswerError {
    /// It has not the form of an answer.
    #[error(transparent)]
    Syntax(#[from] TextError),
    /// Answers in OBF.
    #[error("answers in OBF have no keys: solve the input again as text or with --json")]
    Obf,
    /// The parts of the answer contradict each other.
    #[error("{0}")]
    Senseless(&'static str),
    /// The key, which the answer states, says something else.
    #[error("the key {0} does not fit: this is the answer to another line, or it was changed")]
    Key(Key),
    /// Another number of a line, or another file.
    #[error(
        "the answer of line {found} stands where that of line {expected} is expected: is it of another input or part, or in another order?"
    )]
    Place { found: String, expected: String },
    /// An answer after the last line.
    #[error("the answer of line {0} is of no line of the input")]
    Left(String),
    /// Another question.
    #[error("this answers the question {found}, and {expected} is asked")]
    Question { found: Question, expected: Question },
    /// Another name; empty: none.
    #[error("the answer names {found:?}, its line {expected:?}")]
    Name { found: String, expected: String },
}

impl Answer {
    /// Reads a line without its end.
    pub(crate) fn parse(text: &str) -> Result<Answer, AnswerError> {
        if is_obf(text) {
            return Err(AnswerError::Obf);
        }
        if text.starts_with('{') {
            return json(text);
        }
        Ok(finish(text, plain(text))?)
    }

    /// What the line calls itself, where that is the last field of the answer.
    pub(crate) fn last_field(&self) -> Option<&str> {
        self.rest.last().map(String::as_str)
    }

    /// Is it a result, and one that was found and is no estimate?
    pub(crate) fn is_solved(&self) -> bool {
        !self.is(ResultWord::Unsolved) && !self.is(ResultWord::Estimate)
    }

    /// Was a limit reached?
    pub(crate) fn is_unsolved(&self) -> bool {
        self.is(ResultWord::Unsolved)
    }

    fn is(&self, result: ResultWord) -> bool {
        matches!(&self.content, Content::Result(said) if said.result == result)
    }

    /// The best move and what is said of the score, of a result.
    pub(crate) fn said(&self) -> Option<(Option<Move>, Option<Stated>)> {
        match &self.content {
            Content::Result(said) => Some((said.best, said.score)),
            Content::Error { .. } => None,
        }
    }

    /// Does it, the answer to a line of this name, have a score for each move?
    pub(crate) fn has_moves(&self, name: Option<&str>) -> bool {
        self.scored_moves(name).is_some()
    }

    /// What `--check` said of it, the answer to a line of this name, if that was asked.
    pub(crate) fn verdict(&self, name: Option<&str>) -> Option<&str> {
        let fields = self.before_name(name)?.iter().map(String::as_str);
        fields.rev().find(|field| is_verdict(field))
    }

    /// Does it say something of the score?
    pub(crate) const fn has_score(&self) -> bool {
        matches!(&self.content, Content::Result(said) if said.score.is_some())
    }

    /// The scores of moves, the first field behind the line of play.
    fn scored_moves(&self, name: Option<&str>) -> Option<&str> {
        let first = self.before_name(name)?.first().map(String::as_str);
        first.filter(|field| *field != "-" && is_moves(field))
    }

    /// What follows the line of play, without the name of its line. `None`: it has another name.
    fn before_name(&self, name: Option<&str>) -> Option<&[String]> {
        match (self.rest.split_last(), name) {
            (_, None) => Some(&self.rest),
            (Some((last, others)), Some(name)) if last == name => Some(others),
            (_, Some(_)) => None,
        }
    }

    pub(crate) fn is_error(&self) -> bool {
        matches!(self.content, Content::Error { .. })
    }

    /// The bounds that it states or that follow from who wins; none of an error.
    pub(crate) fn bounds(&self) -> Option<Bounds> {
        let Content::Result(said) = &self.content else {
            return None;
        };
        Some(match (said.score, said.result) {
            (Some(score), _) => score.bounds(),
            (None, ResultWord::Value(GameValue::Win)) => Bounds::at_least(2),
            (None, ResultWord::Value(GameValue::Draw)) => Bounds::exactly(0),
            (None, ResultWord::Value(GameValue::Loss)) => Bounds::at_most(-2),
            (None, _) => Bounds::UNKNOWN,
        })
    }

    /// The position, question and nodes of a result in JSON.
    pub(crate) fn solve(&self) -> Option<(Position, Question, u64)> {
        match &self.content {
            Content::Result(said) => Some((said.position?, said.question?, said.nodes)),
            Content::Error { .. } => None,
        }
    }

    /// Is this the answer to that line? Returns the question that it answers, none of an error; `likely` is tried first.
    pub(crate) fn fits(
        &self,
        asked: &Asked<'_>,
        likely: Option<Question>,
    ) -> Result<Option<Question>, AnswerError> {
        if self.order(asked) != Some(Ordering::Equal) {
            return Err(self.misplaced(asked));
        }
        self.fits_content(asked, likely)
    }

    /// Checks the answer as [`Answer::fits`], whatever the number of the line.
    pub(crate) fn fits_content(
        &self,
        asked: &Asked<'_>,
        likely: Option<Question>,
    ) -> Result<Option<Question>, AnswerError> {
        let said = match &self.content {
            Content::Error { column, reason } => {
                let key = match (column, asked.position) {
                    (Some(column), _) => Key::of_error(asked.bytes, *column, reason),
                    (None, Some(position)) => Key::of_fault(position, reason),
                    (None, None) => return Err(self.bad_key()),
                };
                self.check_name(asked.name.filter(|_| column.is_none()))?;
                return (key == self.key).then_some(None).ok_or(self.bad_key());
            }
            Content::Result(said) => said,
        };
        self.check_name(asked.name)?;
        let position = asked.position.ok_or_else(|| self.bad_key())?;
        if said.position.is_some_and(|said| said != position) {
            return Err(self.bad_key());
        }
        let stated = [said.question, likely].into_iter().flatten();
        let mut all = stated.chain(Question::all());
        let name = said.result.name();
        let key = |question| {
            let problem = Problem::new(position, question).about(asked.only);
            Key::of_result(&problem, name, said.score, said.best)
        };
        let question = all.find(|&question| {
            said.question.is_none_or(|said| said == question)
                && said.result.fits(question, said.score)
                && key(question) == self.key
        });
        let question = question.ok_or_else(|| self.bad_key())?;
        said.check_moves(position)?;
        if let Some(moves) = self.scored_moves(asked.name) {
            said.check_scored(moves, position)?;
        }
        match asked.question {
            Some(expected) if !self.answers(question, expected) && question != expected => {
                let found = question;
                Err(AnswerError::Question { found, expected })
            }
            _ => Ok(Some(question)),
        }
    }

    /// Is it solved, and so that an answer to `own`, its question, says all that `asked` wants to know?
    pub(crate) fn answers(&self, own: Question, asked: Question) -> bool {
        let covers = own == asked || (own, asked) == (Question::Exact, Question::Wld);
        covers && self.is_solved() && !self.is_error()
    }

    fn bad_key(&self) -> AnswerError {
        AnswerError::Key(self.key)
    }

    /// The files of an input that its line may be of, by their numbers: a file may be named several times.
    pub(crate) fn files<'a>(&'a self, files: &'a [String]) -> impl Iterator<Item = usize> {
        let name = self.place.0.as_ref();
        // Of a single file, or of standard input, the number of the line may stand alone.
        // There the name may be spelled in another way too: the key tells what the answer is about.
        let single = (files.len() == 1 || name.is_none() && files.is_empty()).then_some(0);
        let several = if files.len() > 1 { files } else { &[] };
        let named = several
            .iter()
            .enumerate()
            .filter(move |(_, file)| name == Some(file));
        single.into_iter().chain(named.map(|(number, _)| number))
    }

    pub(crate) const fn line(&self) -> u64 {
        self.place.1
    }

    /// Does its line come before the asked one, is it that, or does it come later? `None`: it is of another input.
    pub(crate) fn order(&self, asked: &Asked<'_>) -> Option<Ordering> {
        let here = (asked.file.unwrap_or(0), asked.line);
        let places = || self.files(asked.files).map(|file| (file, self.line()));
        let next = places().find(|&place| place >= here);
        next.or(places().next()).map(|place| place.cmp(&here))
    }

    pub(crate) fn place_text(&self) -> String {
        place_text(self.place.0.as_deref(), self.place.1)
    }

    /// The error of an answer that is not that of the asked line.
    pub(crate) fn misplaced(&self, asked: &Asked<'_>) -> AnswerError {
        AnswerError::Place {
            found: self.place_text(),
            expected: asked.to_string(),
        }
    }

    /// Scores of moves and a verdict may stand before the name.
    fn check_name(&self, name: Option<&str>) -> Result<(), AnswerError> {
        let is_known = match self.before_name(name) {
            Some([]) => true,
            Some([one]) => is_moves(one) || is_verdict(one),
            Some([moves, verdict]) => is_moves(moves) && is_verdict(verdict),
            _ => false,
        };
        if is_known {
            return Ok(());
        }
        Err(AnswerError::Name {
            found: self.last_field().unwrap_or_default().to_owned(),
            expected: name.unwrap_or_default().to_owned(),
        })
    }
}

impl Statement {
    /// The best move and all that follow must be legal.
    fn check_moves(&self, mut position: Position) -> Result<(), AnswerError> {
        const ILLEGAL: AnswerError =
            AnswerError::Senseless("a move of the line of play is not legal");
        if self.best != self.pv.first().copied() {
            return Err(AnswerError::Senseless(
                "the best move does not begin the line of play",
            ));
        }
        for &mv in &self.pv {
            position = position.play(mv).ok_or(ILLEGAL)?;
        }
        Ok(())
    }

    /// The moves with scores must be legal, and none may be better than the result.
    fn check_scored(&self, moves: &str, position: Position) -> Result<(), AnswerError> {
        let best = self.score.and_then(|score| score.bounds().score());
        for (mv, score) in moves.split(' ').filter_map(|scored| scored.split_once(':')) {
            let legal = a_move(mv).is_some_and(|mv| position.play(mv).is_some());
            let score = score.parse().ok().and_then(Bounds::score);
            if !legal || best.is_some() && score > best {
                return Err(AnswerError::Senseless(
                    "a move has a score that the result rules out, or is not legal",
                ));
            }
        }
        Ok(())
    }
}

/// Can both be true?
pub(crate) fn agree(one: &Answer, other: &Answer) -> bool {
    let bounds = match (one.bounds(), other.bounds()) {
        (Some(one), Some(other)) => one.and(other).is_some(),
        (one, other) => one.is_some() == other.is_some(),
    };
    let results = match (&one.content, &other.content) {
        // Words of other questions say the same in other ways; the bounds decide.
        (Content::Result(one), Content::Result(other)) => match (one.result, other.result) {
            (ResultWord::Value(one), ResultWord::Value(other)) => one == other,
            _ => true,
        },
        _ => true,
    };
    bounds && results
}

/// The text form: fields with tabs between them.
fn plain(text: &str) -> Parsed<'_, Answer> {
    let (rest, place) = place(text)?;
    let (rest, word) = preceded(tab, field).parse(rest)?;
    if word == "error" {
        return plain_error(text, place, rest);
    }
    let Some(result) = ResultWord::of_name(word) else {
        return failure(
            &text[text.len() - rest.len() - word.len()..],
            "expected a result",
        );
    };
    let (rest, score) = typed("expected a score, bounds or -", stated_score)(rest)?;
    let (rest, best) = typed("expected a move or -", optional(a_move))(rest)?;
    let (rest, key) = key(rest)?;
    let (rest, nodes) = typed("expected a number of nodes", digits)(rest)?;
    let (rest, _) = typed("expected milliseconds or -", milliseconds)(rest)?;
    let (rest, pv) = typed("expected a line of play or -", optional(moves))(rest)?;
    let (rest, others) = many0(preceded(char('\t'), field)).parse(rest)?;
    let content = Content::Result(Statement {
        result,
        score,
        best,
        pv: pv.unwrap_or_default(),
        nodes,
        position: None,
        question: None,
    });
    let rest_fields = others.into_iter().map(str::to_owned).collect();
    Ok((rest, answer(text, place, content, key, rest_fields)))
}

fn plain_error<'a>(text: &'a str, place: Place, rest: &'a str) -> Parsed<'a, Answer> {
    let column = optional(|column| digits(column).map(|column| column as usize));
    let (rest, column) = typed("expected a column or -", column)(rest)?;
    let (rest, reason) = preceded(tab, field).parse(rest)?;
    let (rest, key) = key(rest)?;
    let (rest, name) = opt(preceded(char('\t'), field)).parse(rest)?;
    let reason = reason.to_owned();
    let name = name.into_iter().map(str::to_owned).collect();
    let content = Content::Error { column, reason };
    let (rest, _) = expect("expected the end of the answer", end)(rest)?;
    Ok((rest, answer(text, place, content, key, name)))
}

fn answer(text: &str, place: Place, content: Content, key: Key, rest: Vec<String>) -> Answer {
    Answer {
        text: text.to_owned(),
        place,
        content,
        key,
        rest,
        is_json: false,
    }
}

fn tab(input: &str) -> Parsed<'_, char> {
    expect(
        "expected another field: the answer is cut short",
        char('\t'),
    )(input)
}

fn field(input: &str) -> Parsed<'_, &str> {
    take_till(|letter| letter == '\t').parse(input)
}

/// A tab and a field that `convert` takes.
fn typed<'a, T>(
    reason: &'static str,
    convert: impl Fn(&'a str) -> Option<T>,
) -> impl FnMut(&'a str) -> Parsed<'a, T> {
    move |input| {
        let (start, _) = tab(input)?;
        let (rest, found) = field(start)?;
        match convert(found) {
            Some(value) => Ok((rest, value)),
            None => failure(start, reason),
        }
    }
}

fn key(input: &str) -> Parsed<'_, Key> {
    typed(EXPECTED_KEY, |key| key.parse().ok())(input)
}

/// `-` is none.
fn optional<T>(convert: impl Fn(&str) -> Option<T>) -> impl Fn(&str) -> Option<Option<T>> {
    move |text| match text {
        "-" => Some(None),
        _ => convert(text).map(Some),
    }
}

/// `FILE:LINE`, or the line alone.
fn place(input: &str) -> Parsed<'_, Place> {
    let (rest, text) = field(input)?;
    let (file, line) = match text.rsplit_once(':') {
        Some((file, line)) => (Some(file.to_owned()), line),
        None => (None, text),
    };
    match digits(line) {
        Some(line) => Ok((rest, (file, line))),
        None => failure(input, "expected the number of a line"),
    }
}

/// A number as it is printed.
fn digits(text: &str) -> Option<u64> {
    let number: u64 = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}

fn stated_score(text: &str) -> Option<Option<Stated>> {
    let stated = |text: &str| {
        let stated: Stated = text.parse().ok()?;
        (stated.to_string() == text).then_some(stated)
    };
    optional(stated)(text)
}

fn a_move(text: &str) -> Option<Move> {
    let mv: Move = text.parse().ok()?;
    (mv.name() == text).then_some(mv)
}

fn moves(text: &str) -> Option<Vec<Move>> {
    text.split(' ').map(a_move).collect()
}

fn milliseconds(text: &str) -> Option<()> {
    let Some((whole, thousandths)) = text.split_once('.') else {
        return (text == "-").then_some(());
    };
    let is_part = thousandths.len() == 3 && thousandths.bytes().all(|byte| byte.is_ascii_digit());
    digits(whole).filter(|_| is_part).map(|_| ())
}

/// Moves with their scores, or `-`.
fn is_moves(text: &str) -> bool {
    let is_scored = |text: &str| {
        let Some((mv, score)) = text.split_once(':') else {
            return false;
        };
        let is_score = ResultWord::of_name(score).is_some() || stated_score(score).is_some();
        a_move(mv).is_some() && is_score
    };
    text == "-" || text.split(' ').all(is_scored)
}

/// What `--check` says.
fn is_verdict(text: &str) -> bool {
    ["ok", "unknown"].contains(&text) || text.starts_with("mismatch: ")
}

fn is_obf(text: &str) -> bool {
    let is_position = |head: &str| head.parse::<Position>().is_ok();
    text.starts_with('%') || text.get(..66).is_some_and(is_position)
}

type Text = Cow<'static, str>;

/// The JSON form.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Fields {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) file: Option<Text>,
    pub(crate) line: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) position: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mode: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) result: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) score: Option<i32>,
    /// In discs, with the depth of its search in plies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) estimate: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) depth: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) at_least: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) at_most: Option<i32>,
    /// `null` where there is no move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) best: Option<Option<Text>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) column: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) key: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) pv: Option<Vec<Text>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) moves: Option<Vec<MoveFields>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) nodes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) time_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) check: Option<Text>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MoveFields {
    #[serde(rename = "move")]
    pub(crate) name: Text,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) score: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) result: Option<Text>,
}

fn json(text: &str) -> Result<Answer, AnswerError> {
    let bad = |error: serde_json::Error| TextError::new(error.column().max(1), error.to_string());
    let fields: Fields = serde_json::from_str(text).map_err(bad)?;
    let key = fields.key.as_deref().unwrap_or_default();
    let key = key.parse().map_err(AnswerError::Senseless)?;
    let rest = fields.rest();
    let file = fields.file.as_deref().map(str::to_owned);
    let place = (file, fields.line);
    let content = fields.content().ok_or(AnswerError::Senseless(
        "expected the fields of a result or of an error, with values that a score can have",
    ))?;
    Ok(Answer {
        is_json: true,
        ..answer(text, place, content, key, rest)
    })
}

impl Fields {
    /// What text has behind the line of play.
    fn rest(&self) -> Vec<String> {
        let scored = |mv: &MoveFields| match (mv.score, &mv.result) {
            (Some(score), _) => format!("{}:{score:+}", mv.name),
            (None, result) => format!("{}:{}", mv.name, result.as_deref().unwrap_or_default()),
        };
        let moves = self.moves.as_ref().map(|moves| match &moves[..] {
            [] => "-".to_owned(),
            moves => moves.iter().map(scored).collect::<Vec<_>>().join(" "),
        });
        let others = [
            moves.as_deref(),
            self.check.as_deref(),
            self.name.as_deref(),
        ];
        others.into_iter().flatten().map(str::to_owned).collect()
    }

    fn content(self) -> Option<Content> {
        let score = self.stated_score();
        if let Some(reason) = self.error {
            let column = self.column;
            let is_alone = self.result.is_none() && self.pv.is_none();
            let reason = reason.into_owned();
            return is_alone.then_some(Content::Error { column, reason });
        }
        let result = ResultWord::of_name(&self.result?)?;
        let best = match self.best.flatten() {
            Some(best) => Some(a_move(&best)?),
            None => None,
        };
        let pv = self.pv?;
        let pv: Option<Vec<Move>> = pv.iter().map(|mv| a_move(mv)).collect();
        Some(Content::Result(Statement {
            result,
            score: score?,
            best,
            pv: pv?,
            nodes: self.nodes?,
            position: Some(self.position?.parse().ok()?),
            question: Some(stated::question_of(&self.mode?)?),
        }))
    }

    /// What is said of the score: `None` if that makes no sense, `Some(None)` if nothing is.
    fn stated_score(&self) -> Option<Option<Stated>> {
        let is_value = ["win", "draw", "loss"].contains(&self.result.as_deref()?);
        let bounds = match (self.score, self.at_least, self.at_most) {
            (Some(score), None, None) => Bounds::new(score, score)?,
            (Some(_), _, _) => return None,
            (None, None, None) if is_value => return Some(None),
            (None, lower, upper) => Bounds::new(lower.unwrap_or(-64), upper.unwrap_or(64))?,
        };
        Some(Some(match (self.estimate, self.depth) {
            (None, None) => Stated::Proven(bounds),
            (Some(discs), Some(depth)) => Stated::estimate(discs, depth, bounds)?,
            _ => return None,
        }))
    }
}

/// The answers of a file, one after the other.
pub(crate) struct Answers<R> {
    pub(crate) name: String,
    reader: R,
    /// Lines that were read so far.
    pub(crate) number: u64,
    bytes: Vec<u8>,
    /// Has the last line no end? Then it is no answer: it may have been cut anywhere.
    pub(crate) is_cut: bool,
}

impl<R: BufRead> Answers<R> {
    pub(crate) const fn new(name: String, reader: R) -> Answers<R> {
        Answers {
            name,
            reader,
            number: 0,
            bytes: Vec::new(),
            is_cut: false,
        }
    }

    /// The next line, without its end. `None`: there is no more that is whole.
    pub(crate) fn next_line(&mut self) -> io::Result<Option<&str>> {
        self.bytes.clear();
        let mut limited = (&mut self.reader).take(MAX_ANSWER);
        let length = limited.read_until(b'\n', &mut self.bytes);
        let length = length.map_err(|error| {
            io::Error::new(error.kind(), format!("cannot read {}: {error}", self.name))
        })?;
        let bad = |reason: &str| {
            let place = format!("{}, line {}: {reason}", self.name, self.number + 1);
            io::Error::new(io::ErrorKind::InvalidData, place)
        };
        if length as u64 == MAX_ANSWER && self.bytes.last() != Some(&b'\n') {
            return Err(bad("too long for an answer"));
        }
        if self.bytes.pop_if(|last| *last == b'\n').is_none() {
            self.is_cut = length > 0;
            return Ok(None);
        }
        match std::str::from_utf8(&self.bytes) {
            Ok(text) => {
                self.number += 1;
                Ok(Some(text))
            }
            Err(_) => Err(bad("bytes that are no text")),
        }
    }

    pub(crate) fn next_answer(&mut self) -> anyhow::Result<Option<Answer>> {
        let Some(text) = self.next_line()? else {
            return Ok(None);
        };
        let parsed = Answer::parse(text);
        parsed.map(Some).map_err(|reason| self.bad(&reason))
    }

    /// The error of the answer that was read last.
    pub(crate) fn bad(&self, reason: &AnswerError) -> anyhow::Error {
        anyhow!("{}, line {}: {reason}", self.name, self.number)
    }
}

/// An answer in text, as `solve` writes it, to a line of the start position or another one.
#[cfg(test)]
pub(super) fn answer_text(
    line: &str,
    position: Position,
    question: &str,
    (result, score, pv): (&str, &str, &str),
) -> String {
    let question = question.parse().expect("a question");
    let best = pv.split(' ').next().and_then(a_move);
    let stated = stated_score(score).expect("a score");
    let question: Question = question;
    let problem = Problem::new(position, question);
    let key = Key::of_result(&problem, result, stated, best);
    let best = best.map_or("-", Move::name);
    format!("{line}\t{result}\t{score}\t{best}\t{key}\t90\t0.120\t{pv}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// White to move, 12 empties: c8 scores -52.
    const LOST: &str = "XXXXXXXXXXXOOOOXXXXOXXXX-OOXXXXX-OOXXXXX--OXXXXX--XOXXXX-X--XXXX O";

    fn lost() -> Position {
        LOST.parse().expect("a position")
    }

    fn asked() -> Asked<'static> {
        Asked {
            line: 1,
            bytes: LOST.as_bytes(),
            ..Asked::alone(lost(), None)
        }
    }

    fn text(question: &str, said: (&str, &str, &str)) -> String {
        answer_text("1", lost(), question, said)
    }

    fn json(text: &str) -> String {
        let answer = Answer::parse(text).expect(text);
        let Content::Result(said) = &answer.content else {
            panic!("no result: {text}");
        };
        let question = answer
            .fits(&asked(), None)
            .expect("it fits")
            .expect("a result");
        let (key, result) = (answer.key, said.result.name());
        format!(
            "{{\"line\":1,\"position\":\"{LOST}\",\"mode\":\"{question}\",\"result\":\"{result}\",\"score\":-52,\
             \"best\":\"c8\",\"key\":\"{key}\",\"pv\":[\"c8\"],\"nodes\":9}}"
        )
    }

    #[test]
    fn an_answer_fits_its_line_and_no_other() {
        let cases = [
            ("exact", ("loss", "-52", "c8")),
            ("wld", ("loss", "-", "c8")),
            ("wld", ("loss", "<=-2", "c8")),
            (">=0", ("refuted", "<=-2", "c8")),
            ("<=0", ("proven", "<=+0", "-")),
            ("exact", ("unsolved", "-60..+4", "c8")),
        ];
        let start = Asked {
            position: Some(Position::START),
            ..asked()
        };
        let next = Asked { line: 2, ..asked() };
        for (question, said) in cases {
            let answer = Answer::parse(&text(question, said)).expect(question);
            let question = question.parse().expect("a question");
            assert_eq!(answer.fits(&asked(), None), Ok(Some(question)), "{said:?}");
            assert!(matches!(
                answer.fits(&start, None),
                Err(AnswerError::Key(_))
            ));
            assert!(matches!(
                answer.fits(&next, None),
                Err(AnswerError::Place { .. })
            ));
            let named = Asked {
                name: Some("a"),
                ..asked()
            };
            assert!(matches!(
                answer.fits(&named, None),
                Err(AnswerError::Name { .. })
            ));
        }
    }

    #[test]
    fn a_part_of_an_answer_is_none_and_neither_is_a_changed_one() {
        let text = text("exact", ("loss", "-52", "c8"));
        for (whole, said) in [(text.clone(), "text"), (json(&text), "JSON")] {
            let fits = |text: &str| {
                let answer = Answer::parse(text)?;
                answer.fits(&asked(), None)
            };
            assert_eq!(fits(&whole), Ok(Some(Question::Exact)), "{said}");
            for end in 0..whole.len() {
                assert!(fits(&whole[..end]).is_err(), "{}", &whole[..end]);
            }
            for (from, to) in [
                ("-52", "-50"),
                ("loss", "draw"),
                ("loss", "win"),
                ("c8", "b7"),
                ("exact", "wld"),
            ] {
                let changed = whole.replace(from, to);
                assert!(changed == whole || fits(&changed).is_err(), "{changed}");
            }
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused_even_with_its_key() {
        let cases = [
            ("exact", ("win", "-52", "c8")),
            ("exact", ("loss", "<=-2", "c8")),
            ("exact", ("loss", "-", "c8")),
            ("wld", ("draw", "<=-2", "c8")),
            (">=0", ("proven", "<=-2", "c8")),
            (">=0", ("loss", "-52", "c8")),
            ("exact", ("loss", "-52", "a1")),
            ("exact", ("loss", "-52", "c8 c8")),
        ];
        for (question, said) in cases {
            let parsed = Answer::parse(&text(question, said));
            let fits = parsed.and_then(|answer| answer.fits(&asked(), None));
            assert!(fits.is_err(), "{question}: {said:?}");
        }
    }

    #[test]
    fn other_lines_are_named() {
        let error = |text: &str| Answer::parse(text).map(|_| ()).expect_err(text);
        for text in [
            "38",
            "38\twin",
            "1\thello\tx",
            "1\twin\t+77\tc4\t00000000\t1\t0.100\tc4",
            "1\tloss\t-52\tc8\t13244\t0.412\tc8 b7",
            "1\terror\t3\texpected a cell",
            "",
            "\0\0",
        ] {
            assert!(matches!(error(text), AnswerError::Syntax(_)), "{text:?}");
        }
        let keyless = "{\"line\":1,\"result\":\"win\"}";
        assert_eq!(error(keyless), AnswerError::Senseless(EXPECTED_KEY));
        assert_eq!(error(&format!("{LOST}; C8:-52;")), AnswerError::Obf);
        assert_eq!(error(OBF_HEAD), AnswerError::Obf);
    }

    #[test]
    fn errors_are_bound_to_the_bytes_of_their_line() {
        let key = Key::of_error(b"nonsense", 1, "expected a cell");
        let text = format!("x:1\terror\t1\texpected a cell\t{key}");
        let answer = Answer::parse(&text).expect("an error");
        let files = ["x".to_owned()];
        let line = |bytes| Asked {
            files: &files,
            file: Some(0),
            position: None,
            bytes,
            ..asked()
        };
        assert_eq!(answer.fits(&line(b"nonsense"), None), Ok(None));
        assert!(answer.fits(&line(b"nonsens"), None).is_err());
    }

    #[test]
    fn what_stands_before_the_name_has_a_form() {
        let text = text("exact", ("loss", "-52", "c8"));
        let fits = |rest: &str, name| {
            let answer = Answer::parse(&format!("{text}{rest}")).expect(rest);
            answer.fits(&Asked { name, ..asked() }, None).is_ok()
        };
        assert!(fits("\tc8:-52 b7:-58", None));
        assert!(fits("\tc8:-52 b7:-58\tok\tq 7", Some("q 7")));
        assert!(fits("\tmismatch: the known score is +2\tq", Some("q")));
        assert!(fits("\tok", Some("ok")));
        assert!(fits("\ta1:+64", Some("a1:+64")), "a name, and no score");
        let named = Answer::parse(&format!("{text}\tok")).expect("an answer");
        assert_eq!(
            (named.verdict(Some("ok")), named.verdict(None)),
            (None, Some("ok"))
        );
        for (rest, name) in [
            ("\tq", None),
            ("\tq 7", Some("q")),
            ("", Some("q")),
            ("\tok\tc8:-52", None),
        ] {
            assert!(!fits(rest, name), "{rest:?}");
        }
    }

    #[test]
    fn the_key_is_the_checksum_that_others_compute() {
        // Python: zlib.crc32(b"..position.. X\texact\tdraw\t+0\tf5")
        let start = Position::START;
        let square = "f5".parse().ok();
        let key = Key::of_result(
            &Problem::new(start, Question::Exact),
            "draw",
            Some(Stated::Proven(Bounds::exactly(0))),
            square,
        );
        assert_eq!(key.to_string(), "62a847b1");
        assert_eq!(key.to_string().parse(), Ok(key));
        assert!("12345".parse::<Key>().is_err() && "1234567G".parse::<Key>().is_err());
    }
}
