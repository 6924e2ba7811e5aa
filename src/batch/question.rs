//! What is asked about a position's score, and which proven bounds answer it.
//!
//! A question is a set of thresholds: even numbers of discs of which one wants to know
//! whether the score reaches them. Each is one null window of the search. A claim is one
//! threshold, `wld` is two (0 and +2), `exact` is all of them. Bounds answer a question
//! when they decide each of its thresholds, whatever question they were proven for.

use std::fmt;
use std::str::FromStr;

use nom::branch::alt;
use nom::bytes::complete::tag;
use nom::character::complete::{char, digit1, space0};
use nom::combinator::{all_consuming, opt, recognize, value};
use nom::error::Error;
use nom::{Finish, IResult, Parser};
use thiserror::Error as ThisError;

use crate::search::GameValue;

/// What is asked about the score of the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Question {
    /// Which score is it?
    Exact,
    /// Who wins?
    Wld,
    /// Is it at least this, an even number of discs?
    AtLeast(i32),
    /// Is it at most this, an even number of discs?
    AtMost(i32),
}

impl Question {
    /// Every question that there is.
    pub fn all() -> impl Iterator<Item = Question> {
        let claims = (-64..=64).step_by(2);
        let claims = claims.flat_map(|discs| [Question::AtLeast(discs), Question::AtMost(discs)]);
        [Question::Exact, Question::Wld].into_iter().chain(claims)
    }

    /// The thresholds that `bounds` leave open, the lowest first: even numbers of discs that
    /// the score may or may not reach. None: the question is answered.
    pub fn open_thresholds(self, bounds: Bounds) -> impl Iterator<Item = i32> {
        let (first, last) = match self {
            Question::Exact => (-62, 64),
            Question::Wld => (0, 2),
            Question::AtLeast(discs) => (discs, discs),
            Question::AtMost(discs) => (discs + 2, discs + 2),
        };
        let (lower, upper) = (i32::from(bounds.lower), i32::from(bounds.upper));
        (first.max(lower + 2)..=last.min(upper)).step_by(2)
    }

    /// Do the bounds say all that was asked?
    pub fn is_answered_by(self, bounds: Bounds) -> bool {
        self.open_thresholds(bounds).next().is_none()
    }

    /// Is the claim true? `None` for other questions, and where the bounds do not decide it.
    pub fn verdict(self, bounds: Bounds) -> Option<bool> {
        let (lower, upper) = (i32::from(bounds.lower), i32::from(bounds.upper));
        match self {
            Question::AtLeast(discs) if lower >= discs => Some(true),
            Question::AtLeast(discs) if upper < discs => Some(false),
            Question::AtMost(discs) if upper <= discs => Some(true),
            Question::AtMost(discs) if lower > discs => Some(false),
            _ => None,
        }
    }

    /// The question about the other side's score that has the same answer.
    pub const fn opposite(self) -> Question {
        match self {
            Question::Exact | Question::Wld => self,
            Question::AtLeast(discs) => Question::AtMost(-discs),
            Question::AtMost(discs) => Question::AtLeast(-discs),
        }
    }
}

/// `exact`, `wld`, `>=4` or `<=-2`.
impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Question::Exact => f.write_str("exact"),
            Question::Wld => f.write_str("wld"),
            Question::AtLeast(discs) => write!(f, ">={discs}"),
            Question::AtMost(discs) => write!(f, "<={discs}"),
        }
    }
}

/// Why a text is no question.
#[derive(Clone, PartialEq, Eq, Debug, ThisError)]
#[error("{reason}")]
pub struct QuestionError {
    /// 1-based byte at which the text stops making sense.
    pub column: usize,
    /// What is wrong there.
    pub reason: &'static str,
}

/// Reads `exact`, `wld`, or a claim: `>=`, `<=`, `>` or `<` and an even number of discs.
/// `>0` is `>=2`, and `<0` is `<=-2`.
impl FromStr for Question {
    type Err = QuestionError;

    fn from_str(text: &str) -> Result<Question, QuestionError> {
        let error = |column, reason| Err(QuestionError { column, reason });
        let (discs, form) = match all_consuming(form).parse(text).finish() {
            Ok((_, Form::Named(question))) => return Ok(question),
            Ok((_, Form::Claim(form, discs))) => (discs, form),
            Err(stopped) => {
                let column = text.len() - stopped.input.len() + 1;
                return error(
                    column,
                    "expected exact, wld, or a claim such as >=0 or <=-2",
                );
            }
        };
        let column = form.len() + 1;
        // Longer texts of digits are no score either.
        let discs: i32 = discs.parse().unwrap_or(i32::MAX / 2);
        if discs % 2 != 0 && discs.abs() <= 64 {
            return error(column, "a claim names an even number of discs");
        }
        let question = match form {
            ">=" => Question::AtLeast(discs),
            ">" => Question::AtLeast(discs + 2),
            "<=" => Question::AtMost(discs),
            _ => Question::AtMost(discs - 2),
        };
        match question {
            Question::AtLeast(discs) | Question::AtMost(discs) if discs.abs() > 64 => {
                error(column, "a score lies between -64 and +64")
            }
            _ => Ok(question),
        }
    }
}

/// A question as it was read.
#[derive(Clone)]
enum Form<'a> {
    Named(Question),
    /// The comparison and the number.
    Claim(&'a str, &'a str),
}

fn form(input: &str) -> IResult<&str, Form<'_>, Error<&str>> {
    let exact = value(Form::Named(Question::Exact), tag("exact"));
    let wld = value(Form::Named(Question::Wld), tag("wld"));
    let comparison = alt((tag(">="), tag("<="), tag(">"), tag("<")));
    let number = recognize((opt(alt((char('+'), char('-')))), digit1));
    let claim =
        (comparison, space0, number).map(|(comparison, _, number)| Form::Claim(comparison, number));
    alt((exact, wld, claim)).parse(input)
}

/// What is proven of a score: it lies between two even numbers of discs, for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Bounds {
    lower: i8,
    upper: i8,
}

impl Bounds {
    /// Nothing is proven.
    pub const UNKNOWN: Bounds = Bounds {
        lower: -64,
        upper: 64,
    };

    /// Bounds in even discs, −64..=64; `None` if they are no such pair.
    pub const fn new(lower: i32, upper: i32) -> Option<Bounds> {
        if -64 <= lower && lower <= upper && upper <= 64 && lower % 2 == 0 && upper % 2 == 0 {
            Some(Bounds {
                lower: lower as i8,
                upper: upper as i8,
            })
        } else {
            None
        }
    }

    /// The score is `discs`, which is even, −64..=64.
    pub const fn exactly(discs: i32) -> Bounds {
        debug_assert!(-64 <= discs && discs <= 64 && discs % 2 == 0);
        Bounds {
            lower: discs as i8,
            upper: discs as i8,
        }
    }

    /// The score is at least so many discs; an odd number is rounded up, as scores are even.
    pub fn at_least(discs: i32) -> Bounds {
        let even = discs + discs.rem_euclid(2);
        Bounds {
            lower: even.clamp(-64, 64) as i8,
            upper: 64,
        }
    }

    /// The score is at most so many discs; an odd number is rounded down.
    pub fn at_most(discs: i32) -> Bounds {
        Bounds::at_least(-discs).opposite()
    }

    /// The score is at least this.
    pub const fn lower(self) -> i32 {
        self.lower as i32
    }

    /// The score is at most this.
    pub const fn upper(self) -> i32 {
        self.upper as i32
    }

    /// The score, if only one is left.
    pub fn score(self) -> Option<i32> {
        (self.lower == self.upper).then_some(self.lower())
    }

    /// Who wins, if that is known.
    pub fn value(self) -> Option<GameValue> {
        let (low, high) = (
            GameValue::of_discs(self.lower()),
            GameValue::of_discs(self.upper()),
        );
        (low == high).then_some(low)
    }

    /// What both say together; `None` if they contradict each other.
    pub fn and(self, other: Bounds) -> Option<Bounds> {
        let (lower, upper) = (self.lower.max(other.lower), self.upper.min(other.upper));
        (lower <= upper).then_some(Bounds { lower, upper })
    }

    /// The bounds of the other side's score.
    pub const fn opposite(self) -> Bounds {
        Bounds {
            lower: -self.upper,
            upper: -self.lower,
        }
    }
}

/// `+6`, `>=+2`, `<=-4`, `-2..+6`, or `-64..+64` where nothing is proven.
impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Bounds { lower, upper } = self;
        match (lower, upper) {
            _ if lower == upper => write!(f, "{lower:+}"),
            (-64, 64) => write!(f, "{lower:+}..{upper:+}"),
            (_, 64) => write!(f, ">={lower:+}"),
            (-64, _) => write!(f, "<={upper:+}"),
            _ => write!(f, "{lower:+}..{upper:+}"),
        }
    }
}

/// What [`Bounds`] print reads back.
impl FromStr for Bounds {
    type Err = BoundsError;

    fn from_str(text: &str) -> Result<Bounds, BoundsError> {
        let discs = |text: &str| text.parse::<i32>().ok();
        let pair = if let Some(lower) = text.strip_prefix(">=") {
            (discs(lower), Some(64))
        } else if let Some(upper) = text.strip_prefix("<=") {
            (Some(-64), discs(upper))
        } else if let Some((lower, upper)) = text.split_once("..") {
            (discs(lower), discs(upper))
        } else {
            (discs(text), discs(text))
        };
        match pair {
            (Some(lower), Some(upper)) => Bounds::new(lower, upper).ok_or(BoundsError),
            _ => Err(BoundsError),
        }
    }
}

/// A text is no bounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ThisError)]
#[error("expected bounds of a score, such as +6, >=+2 or -2..+6")]
pub struct BoundsError;

#[cfg(test)]
mod tests {
    use super::*;

    fn question(text: &str) -> Question {
        text.parse().expect(text)
    }

    fn all_bounds() -> impl Iterator<Item = Bounds> {
        let evens = || (-64..=64).step_by(2);
        evens().flat_map(move |lower| evens().filter_map(move |upper| Bounds::new(lower, upper)))
    }

    #[test]
    fn questions_are_read_and_printed() {
        let cases = [
            ("exact", Question::Exact, "exact"),
            ("wld", Question::Wld, "wld"),
            (">=0", Question::AtLeast(0), ">=0"),
            (">=+12", Question::AtLeast(12), ">=12"),
            ("<=-2", Question::AtMost(-2), "<=-2"),
            ("> 0", Question::AtLeast(2), ">=2"),
            ("<0", Question::AtMost(-2), "<=-2"),
            (">-66", Question::AtLeast(-64), ">=-64"),
            (">=64", Question::AtLeast(64), ">=64"),
        ];
        for (text, expected, printed) in cases {
            assert_eq!(question(text), expected, "{text}");
            assert_eq!(expected.to_string(), printed);
            assert_eq!(question(printed), expected);
        }
    }

    #[test]
    fn what_is_no_question_says_where() {
        let cases = [
            ("", 1),
            ("exactly", 6),
            ("=0", 1),
            (">=", 3),
            (">=x", 3),
            (">=0 ", 4),
            (">=3", 3),
            (">=66", 3),
            (">64", 2),
            ("<-64", 2),
            (">=99999999999", 3),
            (">=-", 4),
        ];
        for (text, column) in cases {
            let error = text.parse::<Question>().expect_err(text);
            assert_eq!(error.column, column, "{text:?}: {error}");
        }
    }

    #[test]
    fn a_question_is_answered_when_all_scores_within_the_bounds_agree() {
        let questions = ["exact", "wld", ">=0", ">0", "<=-6", ">=-64", "<=64", ">=64"];
        for text in questions {
            let asked = question(text);
            let answer = |score: i32| match asked {
                Question::Exact => score,
                Question::Wld => score.signum(),
                Question::AtLeast(discs) => i32::from(score >= discs),
                Question::AtMost(discs) => i32::from(score <= discs),
            };
            for bounds in all_bounds() {
                let mut scores = (bounds.lower()..=bounds.upper()).step_by(2).map(answer);
                let first = scores.next().expect("not empty");
                let agreed = scores.all(|score| score == first);
                assert_eq!(asked.is_answered_by(bounds), agreed, "{text} {bounds}");
                let verdict = asked.verdict(bounds);
                let is_claim = !matches!(asked, Question::Exact | Question::Wld);
                assert_eq!(verdict, (agreed && is_claim).then_some(first == 1));
                let turned = asked.opposite().is_answered_by(bounds.opposite());
                assert_eq!(turned, agreed, "{text} {bounds} turned");
            }
        }
    }

    #[test]
    fn bounds_are_even_and_join() {
        assert_eq!(
            (Bounds::at_least(1), Bounds::at_least(3).lower()),
            (Bounds::at_least(2), 4)
        );
        assert_eq!(
            (Bounds::at_most(-1).upper(), Bounds::at_most(5).upper()),
            (-2, 4)
        );
        let joined = Bounds::at_least(0).and(Bounds::at_most(1));
        assert_eq!(joined, Some(Bounds::exactly(0)));
        assert_eq!(joined.and_then(Bounds::value), Some(GameValue::Draw));
        assert_eq!(Bounds::at_least(2).and(Bounds::at_most(0)), None);
        assert_eq!(Bounds::new(1, 3), None);
    }

    #[test]
    fn bounds_print_what_is_known() {
        let text = |lower, upper| Bounds::new(lower, upper).expect("bounds").to_string();
        assert_eq!(text(6, 6), "+6");
        assert_eq!(text(2, 64), ">=+2");
        assert_eq!(text(-64, -4), "<=-4");
        assert_eq!(text(-2, 6), "-2..+6");
        assert_eq!(text(-64, 64), "-64..+64");
        for bounds in all_bounds() {
            assert_eq!(bounds.to_string().parse(), Ok(bounds));
        }
        for text in ["", "-", "+3", ">=", "2..-2", ">=+66", "a..b"] {
            assert_eq!(text.parse::<Bounds>(), Err(BoundsError), "{text}");
        }
    }
}
