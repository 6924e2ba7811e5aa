//! What people type for options: each kind of value is read here, whichever command asks for it.

use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

use super::words;
use crate::score::{Question, QuestionError};

/// Seconds, 0 or more.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let time = words::whole(text, words::seconds);
    time.ok_or_else(|| "expected seconds, such as 0.5 or 60".to_owned())
}

/// Seconds after which something ends; none at all are refused.
pub fn some_seconds(text: &str) -> Result<Duration, String> {
    match seconds(text)? {
        Duration::ZERO => Err("expected seconds above 0, such as 0.5 or 60".to_owned()),
        time => Ok(time),
    }
}

/// Which moves of an opening book are drawn, where variety may cost something.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum BookStyle {
    /// Only the best one, or one of equal ones.
    Best,
    /// Near equal ones as strong players choose them.
    People,
    /// Near equal ones evenly.
    #[default]
    Wide,
}

/// `best`, `people` or `wide`.
impl FromStr for BookStyle {
    type Err = String;

    fn from_str(text: &str) -> Result<BookStyle, String> {
        match text {
            "best" => Ok(BookStyle::Best),
            "people" => Ok(BookStyle::People),
            "wide" => Ok(BookStyle::Wide),
            _ => Err("expected best, people or wide".to_owned()),
        }
    }
}

/// Discs that may be lost.
pub fn discs(text: &str) -> Result<f64, String> {
    within(0.0..=64.0, text).ok_or_else(|| "expected discs, 0 to 64".to_owned())
}

/// A score in discs.
pub fn score(text: &str) -> Result<f64, String> {
    within(-64.0..=64.0, text).ok_or_else(|| "expected discs, -64 to 64".to_owned())
}

/// Plies that something costs.
pub fn plies(text: &str) -> Result<f64, String> {
    within(0.0..=128.0, text).ok_or_else(|| "expected plies, 0 to 128".to_owned())
}

fn within(range: RangeInclusive<f64>, text: &str) -> Option<f64> {
    let number = text.parse().ok();
    number.filter(|number| range.contains(number))
}

/// A number of threads, games or lines: `0` is none.
pub fn at_least_one(text: &str) -> Result<NonZeroUsize, String> {
    let number = text.parse::<NonZeroUsize>();
    number.map_err(|_| "expected a whole number, 1 or more".to_owned())
}

/// A claim about the score of the side to move: `win`, `draw`, `loss`, or a comparison such as `>=4`.
pub fn claim(text: &str) -> Result<Question, String> {
    let text = text.trim();
    match text {
        "win" => Ok(Question::AtLeast(2)),
        "draw" => Ok(Question::Equal(0)),
        "loss" => Ok(Question::AtMost(-2)),
        _ if text.starts_with(['<', '=', '>']) => text
            .parse()
            .map_err(|error: QuestionError| error.to_string()),
        _ => Err("expected win, draw, loss, or a claim such as >=0 or <=-2".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_decimal_and_a_limit_has_some() {
        assert_eq!(seconds("0"), Ok(Duration::ZERO));
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        assert_eq!(some_seconds("1e-6"), Ok(Duration::from_micros(1)));
        for wrong in ["", "-1", "1s", "nan", "inf", "1e300"] {
            assert!(seconds(wrong).is_err(), "{wrong:?}");
        }
        for wrong in ["0", "0.0", "1e-12", "-1"] {
            assert!(some_seconds(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn claims_are_words_or_comparisons() {
        let cases = [
            ("win", Question::AtLeast(2)),
            ("draw", Question::Equal(0)),
            ("loss", Question::AtMost(-2)),
            (" >=0", Question::AtLeast(0)),
            ("<-2", Question::AtMost(-4)),
            (">0", Question::AtLeast(2)),
            ("<= -6", Question::AtMost(-6)),
            ("=+8", Question::Equal(8)),
        ];
        for (text, expected) in cases {
            assert_eq!(claim(text), Ok(expected), "{text:?}");
        }
        for wrong in [
            "", "exact", "wld", "0", "won", ">=", ">=3", "=66", ">64", "<-64",
        ] {
            assert!(claim(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn discs_and_plies_have_a_range() {
        assert_eq!((discs("0.5"), plies("128")), (Ok(0.5), Ok(128.0)));
        assert_eq!((score("-64"), score("+2.5")), (Ok(-64.0), Ok(2.5)));
        for wrong in ["-65", "65", "nan", "x", "--1"] {
            assert!(discs(wrong).is_err() && score(wrong).is_err(), "{wrong:?}");
        }
    }
}
