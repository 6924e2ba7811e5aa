//! What the parsers of this module share: their error, and the small pieces
//! (positions, moves, numbers) that several formats are made of.

use std::borrow::Cow;

use nom::branch::alt;
use nom::bytes::complete::{tag_no_case, take_while1};
use nom::character::complete::{char, one_of};
use nom::combinator::{opt, value};
use nom::error::{ErrorKind, ParseError};
use nom::{Err, IResult, Parser};
use thiserror::Error;

use crate::rules::{Move, Position, Square};

/// Why a line cannot be read, and where.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("column {column}: {reason}")]
pub struct SyntaxError {
    /// 1-based byte at which the line stops making sense.
    pub column: usize,
    /// What was expected there, or what is wrong with it.
    pub reason: String,
}

impl SyntaxError {
    /// An error at the 1-based byte `column`.
    pub fn new(column: usize, reason: impl Into<String>) -> SyntaxError {
        SyntaxError {
            column,
            reason: reason.into(),
        }
    }
}

/// A parser's failure: the text that is left, and what is wrong at its start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Failure<'a> {
    rest: &'a str,
    reason: Cow<'static, str>,
}

impl<'a> Failure<'a> {
    /// The text from where it stops making sense.
    pub(super) const fn rest(&self) -> &'a str {
        self.rest
    }

    /// What is wrong there.
    pub(super) fn reason(&self) -> &str {
        &self.reason
    }
}

/// What the parsers of this module return.
pub(super) type Parsed<'a, T> = IResult<&'a str, T, Failure<'a>>;

impl<'a> ParseError<&'a str> for Failure<'a> {
    fn from_error_kind(rest: &'a str, _: ErrorKind) -> Failure<'a> {
        Failure {
            rest,
            reason: Cow::Borrowed("unexpected text"),
        }
    }

    fn append(_: &'a str, _: ErrorKind, other: Failure<'a>) -> Failure<'a> {
        other
    }

    /// The alternative that came farther knows best.
    fn or(self, other: Failure<'a>) -> Failure<'a> {
        if self.rest.len() < other.rest.len() {
            self
        } else {
            other
        }
    }
}

/// A failure that no other alternative can mend.
pub(super) fn failure<T>(rest: &str, reason: impl Into<Cow<'static, str>>) -> Parsed<'_, T> {
    let reason = reason.into();
    Err(Err::Failure(Failure { rest, reason }))
}

/// `parser`, whose failure is final and says `reason` where it began.
pub(super) fn expect<'a, T>(
    reason: &'static str,
    mut parser: impl Parser<&'a str, Output = T, Error = Failure<'a>>,
) -> impl FnMut(&'a str) -> Parsed<'a, T> {
    move |input| match parser.parse(input) {
        Err(Err::Error(_)) => failure(input, reason),
        other => other,
    }
}

/// The outcome of a parser that had to read the whole of `line`.
pub(super) fn finish<'a, T>(line: &'a str, parsed: Parsed<'a, T>) -> Result<T, SyntaxError> {
    match parsed {
        Ok((_, result)) => Ok(result),
        Err(Err::Error(found) | Err::Failure(found)) => Err(SyntaxError::new(
            line.len() - found.rest.len() + 1,
            found.reason,
        )),
        Err(Err::Incomplete(_)) => Err(SyntaxError::new(line.len() + 1, "the line is cut short")),
    }
}

/// 64 cells and the side to move.
pub(super) fn position(input: &str) -> Parsed<'_, Position> {
    match Position::parse_prefix(input) {
        Ok((position, used)) => Ok((&input[used..], position)),
        Err(error) => {
            let at = input.floor_char_boundary(error.column() - 1);
            failure(&input[at..], error.to_string())
        }
    }
}

/// A square in any case.
pub(super) fn square(input: &str) -> Parsed<'_, Square> {
    let (rest, file) = one_of("abcdefghABCDEFGH").parse(input)?;
    let (rest, rank) = one_of("12345678").parse(rest)?;
    let file = file.to_ascii_lowercase() as u32 - 'a' as u32;
    let rank = rank as u32 - '1' as u32;
    Ok((rest, Square::wrapping(8 * rank + file)))
}

/// A pass in any of its spellings.
fn pass(input: &str) -> Parsed<'_, Move> {
    let spelling = alt((
        tag_no_case("pass"),
        tag_no_case("pas"),
        tag_no_case("pa"),
        tag_no_case("ps"),
        tag_no_case("--"),
        tag_no_case("@@@@"),
        tag_no_case("0000"),
    ));
    value(Move::Pass, spelling).parse(input)
}

/// A square or a pass.
pub(super) fn a_move(input: &str) -> Parsed<'_, Move> {
    alt((square.map(Move::Place), pass)).parse(input)
}

/// A whole number with an optional sign, of at most six digits.
pub(super) fn integer(input: &str) -> Parsed<'_, i32> {
    let (rest, sign) = opt(alt((char('+'), char('-')))).parse(input)?;
    let (rest, digits) = take_while1(|c: char| c.is_ascii_digit()).parse(rest)?;
    match digits.parse::<i32>() {
        Ok(number) if digits.len() <= 6 => {
            Ok((rest, if sign == Some('-') { -number } else { number }))
        }
        _ => failure(input, "the number is out of range"),
    }
}

/// A disc difference, −64..=64.
pub(super) fn score(input: &str) -> Parsed<'_, i32> {
    let (rest, number) = expect("expected a score such as +4", integer)(input)?;
    if (-64..=64).contains(&number) {
        Ok((rest, number))
    } else {
        failure(input, "a score lies between -64 and +64")
    }
}
