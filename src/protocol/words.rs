//! Small pieces of text that the grammars of several hosts are made of.

use std::time::Duration;

use nom::branch::alt;
use nom::bytes::complete::{tag, take_while, take_while1};
use nom::character::complete::{digit1, one_of};
use nom::combinator::{eof, map, map_opt, opt, recognize, value, verify};
use nom::sequence::{preceded, terminated};
use nom::{IResult, Parser};

/// Longest time that is read, in seconds: about 31 years.
const MAX_SECONDS: f64 = 1e9;

pub(super) const fn is_blank(letter: char) -> bool {
    matches!(letter, ' ' | '\t')
}

/// Any number of blanks.
pub(super) fn blanks(input: &str) -> IResult<&str, &str> {
    take_while(is_blank).parse(input)
}

/// At least one blank.
pub(super) fn blank(input: &str) -> IResult<&str, &str> {
    take_while1(is_blank).parse(input)
}

/// The end of the line.
pub(super) fn end(input: &str) -> IResult<&str, &str> {
    eof.parse(input)
}

/// A word, and the blanks behind it.
pub(super) fn word(input: &str) -> IResult<&str, &str> {
    terminated(take_while1(|letter| !is_blank(letter)), blanks).parse(input)
}

/// A word that is a whole number which fits.
pub(super) fn number(input: &str) -> IResult<&str, u32> {
    let digits = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let number = verify(word, digits);
    map_opt(number, |word: &str| word.parse().ok()).parse(input)
}

/// A decimal number such as `-1.5`, `+.5` or, in some languages, `1,5`, with an exponent or not.
pub(super) fn decimal_prefix(input: &str) -> IResult<&str, f64> {
    let point = || one_of(".,");
    let digits = alt((
        recognize((digit1, opt((point(), opt(digit1))))),
        recognize((point(), digit1)),
    ));
    let exponent = (one_of("eE"), opt(one_of("+-")), digit1);
    let number = recognize((opt(one_of("+-")), digits, opt(exponent)));
    let finite = |text: &str| {
        text.replace(',', ".")
            .parse()
            .ok()
            .filter(|n: &f64| n.is_finite())
    };
    map_opt(number, finite).parse(input)
}

/// A word that is a decimal number.
pub(super) fn decimal(input: &str) -> IResult<&str, f64> {
    terminated(decimal_prefix, alt((blank, end))).parse(input)
}

/// A number of seconds.
pub(super) fn seconds(input: &str) -> IResult<&str, Duration> {
    map_opt(decimal, duration).parse(input)
}

/// A number of seconds on a clock; an overstepped one has none.
pub(super) fn time_left(input: &str) -> IResult<&str, Duration> {
    let overstepped = preceded(tag("-"), seconds);
    alt((
        value(Duration::ZERO, overstepped),
        map(seconds, |time| time),
    ))
    .parse(input)
}

/// Seconds from none to [`MAX_SECONDS`].
pub(super) fn duration(seconds: f64) -> Option<Duration> {
    (0.0..=MAX_SECONDS)
        .contains(&seconds)
        .then(|| Duration::from_secs_f64(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_read_in_every_dress() {
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
        assert_eq!(time_left("-3 0"), Ok(("0", Duration::ZERO)));
        assert_eq!(time_left("2.5"), Ok(("", Duration::from_millis(2500))));
        assert!(time_left("1e10").is_err());
    }
}
