//! The words that grammars are made of, as nom parsers with one error.
//!
//! A parser that fails says where and why ([`ParseFailure`]); [`finish`] turns that into a
//! [`TextError`] with its column. A *word* ends at a blank (space or tab) or at the end,
//! and takes the blanks behind it along.

use std::borrow::Cow;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

use nom::branch::alt;
use nom::bytes::complete::{tag_no_case, take_while, take_while1};
use nom::character::complete::{digit1, one_of};
use nom::combinator::{eof, map_opt, opt, recognize, verify};
use nom::error::{ErrorKind, ParseError};
use nom::sequence::terminated;
use nom::{Err, IResult, Parser};

use super::TextError;
use crate::rules::{Color, Move, ParsePositionError, Position, Square};

/// Longest time that is read, in seconds: about 31 years.
const MAX_SECONDS: f64 = 1e9;

/// A parser's failure: the text that is left, and what is wrong at its start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseFailure<'a> {
    /// The text from the error on.
    pub rest: &'a str,
    /// What is wrong there.
    pub reason: Cow<'static, str>,
}

/// What the parsers of all grammars return.
pub type Parsed<'a, T> = IResult<&'a str, T, ParseFailure<'a>>;

impl<'a> ParseError<&'a str> for ParseFailure<'a> {
    fn from_error_kind(rest: &'a str, _: ErrorKind) -> ParseFailure<'a> {
        let reason = Cow::Borrowed("unexpected text");
        ParseFailure { rest, reason }
    }

    fn append(_: &'a str, _: ErrorKind, other: ParseFailure<'a>) -> ParseFailure<'a> {
        other
    }

    /// The error of the alternative that read farther is kept.
    fn or(self, other: ParseFailure<'a>) -> ParseFailure<'a> {
        if self.rest.len() < other.rest.len() {
            self
        } else {
            other
        }
    }
}

/// A parser of text with the one error.
pub trait Reads<'a, T>: Parser<&'a str, Output = T, Error = ParseFailure<'a>> {}

impl<'a, T, P: Parser<&'a str, Output = T, Error = ParseFailure<'a>>> Reads<'a, T> for P {}

/// What a step that need not read any text returns.
pub type Checked<'a, T> = Result<T, Err<ParseFailure<'a>>>;

/// A failure after which no other alternative is tried.
pub fn failure<T>(rest: &str, reason: impl Into<Cow<'static, str>>) -> Checked<'_, T> {
    let reason = reason.into();
    Err(Err::Failure(ParseFailure { rest, reason }))
}

/// `parser`, whose failure is final and has `reason` at its start.
pub fn expect<'a, T>(
    reason: impl Into<Cow<'static, str>>,
    mut parser: impl Reads<'a, T>,
) -> impl FnMut(&'a str) -> Parsed<'a, T> {
    let reason = reason.into();
    move |input| match parser.parse(input) {
        Err(Err::Error(_)) => failure(input, reason.clone()),
        other => other,
    }
}

/// What was found, if nothing is left behind it; otherwise the failure has `reason`.
pub fn nothing_behind<T>(
    (rest, found): (&str, T),
    reason: impl Into<Cow<'static, str>>,
) -> Parsed<'_, T> {
    match rest.is_empty() {
        true => Ok((rest, found)),
        false => failure(rest, reason),
    }
}

/// The outcome of a parser that had to read the whole of `line`.
pub fn finish<'a, T>(line: &'a str, parsed: Parsed<'a, T>) -> Result<T, TextError> {
    match parsed {
        Ok((_, result)) => Ok(result),
        Err(Err::Error(found) | Err::Failure(found)) => {
            let column = line.len() - found.rest.len() + 1;
            Err(TextError::new(column, found.reason))
        }
        Err(Err::Incomplete(_)) => Err(TextError::new(line.len() + 1, "the line is cut short")),
    }
}

/// The result of `parser` for the whole of `text`, if it can read that.
pub fn whole<'a, T>(text: &'a str, mut parser: impl Reads<'a, T>) -> Option<T> {
    match parser.parse(text) {
        Ok(("", found)) => Some(found),
        _ => None,
    }
}

/// The ASCII letter that a full-width one (`ｆ`, `５`), as Japanese pages have them, stands for.
pub fn narrow(letter: char) -> char {
    match letter {
        '\u{ff01}'..='\u{ff5e}' => char::from((u32::from(letter) - 0xff01 + 0x21) as u8),
        _ => letter,
    }
}

/// A space or a tab.
pub const fn is_blank(letter: char) -> bool {
    matches!(letter, ' ' | '\t')
}

/// The digits that a text begins with, and what follows them.
pub fn split_digits(text: &str) -> (&str, &str) {
    let is_other = |letter: char| !letter.is_ascii_digit();
    text.split_at(text.find(is_other).unwrap_or(text.len()))
}

/// Does a line hold nothing: is it blank, or a comment?
pub fn is_nothing(line: &str) -> bool {
    let line = line.trim_start();
    line.is_empty() || line.starts_with(['%', '#'])
}

/// Any number of blanks.
pub fn blanks(input: &str) -> Parsed<'_, &str> {
    take_while(is_blank).parse(input)
}

/// At least one blank.
pub fn blank(input: &str) -> Parsed<'_, &str> {
    take_while1(is_blank).parse(input)
}

/// The end of the line.
pub fn end(input: &str) -> Parsed<'_, &str> {
    eof.parse(input)
}

/// A word, and the blanks behind it.
pub fn word(input: &str) -> Parsed<'_, &str> {
    terminated(take_while1(|letter| !is_blank(letter)), blanks).parse(input)
}

/// This word, and the blanks behind it.
pub fn keyword<'a>(name: &'static str) -> impl Reads<'a, &'a str> {
    verify(word, move |found: &str| found == name)
}

/// A word that `convert` accepts; otherwise the failure is final and has `reason`.
pub fn converted<'a, T>(
    reason: impl Into<Cow<'static, str>>,
    convert: impl Fn(&str) -> Option<T>,
) -> impl FnMut(&'a str) -> Parsed<'a, T> {
    expect(reason, map_opt(word, move |found: &str| convert(found)))
}

/// A word that is a number in `range`; otherwise the failure is final and names the range.
pub fn number_in<T: FromStr + PartialOrd + Display>(
    range: RangeInclusive<T>,
) -> impl FnMut(&str) -> Parsed<'_, T> {
    move |input| {
        let reason = format!("expected a number {}..{}", range.start(), range.end());
        let in_range = |found: &str| found.parse().ok().filter(|n| range.contains(n));
        converted(reason, in_range)(input)
    }
}

/// A word that is a whole number which fits.
pub fn number(input: &str) -> Parsed<'_, u32> {
    let digits = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    map_opt(verify(word, digits), |word: &str| word.parse().ok()).parse(input)
}

/// A whole number with an optional sign, of at most six digits.
pub fn integer(input: &str) -> Parsed<'_, i32> {
    let (rest, text) = recognize((opt(one_of("+-")), digit1)).parse(input)?;
    match text.parse() {
        Ok(number @ -999_999..=999_999) => Ok((rest, number)),
        _ => failure(input, "the number is out of range"),
    }
}

/// A finite decimal number such as `-1.5`, `+.5` or, in some languages, `1,5`, with an
/// exponent or not. No blank need follow.
pub fn decimal_prefix(input: &str) -> Parsed<'_, f64> {
    let point = || one_of(".,");
    let digits = alt((
        recognize((digit1, opt((point(), opt(digit1))))),
        recognize((point(), digit1)),
    ));
    let exponent = (one_of("eE"), opt(one_of("+-")), digit1);
    let number = recognize((opt(one_of("+-")), digits, opt(exponent)));
    let finite = |text: &str| {
        let number: Option<f64> = text.replace(',', ".").parse().ok();
        number.filter(|number| number.is_finite())
    };
    map_opt(number, finite).parse(input)
}

/// A word that is a decimal number.
pub fn decimal(input: &str) -> Parsed<'_, f64> {
    terminated(decimal_prefix, alt((blank, end))).parse(input)
}

/// A number of seconds.
pub fn seconds(input: &str) -> Parsed<'_, Duration> {
    let duration = |seconds: f64| {
        let is_time = (0.0..=MAX_SECONDS).contains(&seconds);
        is_time.then(|| Duration::from_secs_f64(seconds))
    };
    map_opt(decimal, duration).parse(input)
}

/// `time`, or the same after a `-`, which means zero: a clock that has run out.
pub fn time_left<'a>(
    time: impl Fn(&'a str) -> Parsed<'a, Duration>,
) -> impl FnMut(&'a str) -> Parsed<'a, Duration> {
    move |input| {
        let overstepped = input.strip_prefix('-').map(&time);
        match overstepped {
            Some(Ok((rest, _))) => Ok((rest, Duration::ZERO)),
            _ => time(input),
        }
    }
}

/// A square in any case. No blank need follow.
pub fn square(input: &str) -> Parsed<'_, Square> {
    let text = recognize((one_of("abcdefghABCDEFGH"), one_of("12345678")));
    map_opt(text, |text: &str| text.parse().ok()).parse(input)
}

/// A square or a pass, in any of its spellings. No blank need follow.
pub fn a_move(input: &str) -> Parsed<'_, Move> {
    if let Ok((rest, square)) = square(input) {
        return Ok((rest, Move::Place(square)));
    }
    // Longer spellings come first.
    let pass = |pass| {
        tag_no_case::<_, _, ParseFailure<'_>>(pass)
            .parse(input)
            .ok()
    };
    // Most texts begin with no letter of a pass, which is seen sooner.
    let first = input.as_bytes().first();
    let begins_alike =
        |pass: &&str| first.is_some_and(|first| first.eq_ignore_ascii_case(&pass.as_bytes()[0]));
    match Move::PASSES.into_iter().filter(begins_alike).find_map(pass) {
        Some((rest, _)) => Ok((rest, Move::Pass)),
        None => Err(Err::Error(ParseFailure::from_error_kind(
            input,
            ErrorKind::Tag,
        ))),
    }
}

/// 64 cells and the side to move. No blank need follow.
pub fn position(input: &str) -> Parsed<'_, Position> {
    position_or(input, None)
}

/// A position, of a text that need not say who moves: then it is `side`.
pub fn position_or(input: &str, side: Option<Color>) -> Parsed<'_, Position> {
    let error = match Position::parse_prefix_or(input, side) {
        Ok((position, used)) => return Ok((&input[used..], position)),
        Err(error) => error,
    };
    let at = input.floor_char_boundary(error.column() - 1);
    // Where cells are missing, the side to move was taken for one.
    let cells = match error {
        ParsePositionError::NoSide { .. } => 64,
        ParsePositionError::TooFewCells { found, .. } => found,
        _ => return failure(&input[at..], error.to_string()),
    };
    let before = input[..at].trim_end_matches(is_blank);
    let board = before.trim_end_matches(|letter| !is_blank(letter));
    let has_side = before.len() == board.len() + 1 && !before.ends_with(['-', '.', '_']);
    let board = board.trim_end_matches(is_blank);
    let is_spaced = input.trim_start_matches(is_blank).find(is_blank) == Some(1);
    if has_side && !is_spaced && !board.is_empty() {
        let reason = format!("expected 64 cells, found {}", cells - 1);
        return failure(&input[board.len()..], reason);
    }
    failure(&input[at..], error.to_string())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn decimals_are_read_in_every_form() {
        for (text, number) in [
            ("1", 1.0),
            ("-1.5", -1.5),
            ("+2.", 2.0),
            (".5", 0.5),
            ("1,25", 1.25),
            ("1e3", 1000.0),
        ] {
            assert_eq!(decimal(text), Ok(("", number)), "{text}");
        }
        for text in ["", "-", ".", "x", "1.2.3", "1e999", "nan", "inf"] {
            assert!(decimal(text).is_err(), "{text}");
        }
    }

    #[test]
    fn overstepped_clocks_have_no_time() {
        let left = |text| time_left(seconds)(text);
        assert_eq!(left("-3 0"), Ok(("0", Duration::ZERO)));
        assert_eq!(left("2.5"), Ok(("", Duration::from_millis(2500))));
        assert!(left("1e10").is_err());
    }

    #[test]
    fn numbers_keep_their_range() {
        assert_eq!(integer("+4;"), Ok((";", 4)));
        assert_eq!(integer("-127"), Ok(("", -127)));
        for text in ["", "+", "x", "1000000", "99999999999"] {
            assert!(integer(text).is_err(), "{text}");
        }
        assert_eq!(number("12 x"), Ok(("x", 12)));
        for text in ["", "-1", "+1", "1x", "99999999999"] {
            assert!(number(text).is_err(), "{text}");
        }
    }

    #[test]
    fn moves_are_read_in_every_spelling() {
        for pass in Move::PASSES {
            let text = format!("{}/x", pass.to_uppercase());
            assert_eq!(a_move(&text), Ok(("/x", Move::Pass)), "{pass}");
        }
        assert_eq!(a_move("F5d6"), Ok(("d6", "f5".parse().expect("a move"))));
        for text in ["", "f", "f9", "i1", "-"] {
            assert!(a_move(text).is_err(), "{text}");
        }
    }

    #[test]
    fn missing_cells_are_counted_without_the_side() {
        let error = |text: &str| finish(text, position(text)).expect_err(text);
        let cells = |count: usize| "-".repeat(count);
        for count in [2, 60, 63] {
            let found = error(&format!("{} X", cells(count)));
            let expected = format!("expected 64 cells, found {count}");
            assert_eq!((found.column, found.reason), (count + 1, expected));
        }
        assert_eq!(error("").reason, "expected 64 cells, found 0");
        assert_eq!(error(&cells(63)).reason, "expected 64 cells, found 63");
        let no_side = "expected the side to move (X or O)";
        assert_eq!(error(&cells(64)).reason, no_side);
        assert_eq!(error(&"- ".repeat(64)).reason, no_side);
        assert_eq!(error(&format!("{} Q", cells(64))).column, 66);
    }

    proptest! {
        #[test]
        fn any_text_is_a_position_or_an_error(
            cells in "[XO.\\- ]{0,70}",
            rest in "\\PC{0,6}",
        ) {
            let text = format!("{cells}{rest}");
            if let Err(error) = finish(&text, position(&text)) {
                prop_assert!((1..=text.len() + 1).contains(&error.column), "{error} in {text:?}");
            }
        }
    }
}
