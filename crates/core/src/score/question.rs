//! What is asked about a position's score, and which proven bounds answer it.
//!
//! A question is a set of thresholds: even numbers of discs of which one wants to know
//! whether the score reaches them. Each is one null window of the search. A claim is one
//! threshold, or two for one score; `wld` is two (0 and +2), `exact` is all of them. Bounds answer a question
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

use super::Bounds;

/// What is asked about the score of the side to move. Scores are even, so "at least 3" asks whether it is
/// at least 4; it is always at least −64, and never at least 66.
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
    /// Is it just this, an even number of discs?
    Equal(i32),
}

impl Question {
    /// Every question that there is.
    pub fn all() -> impl Iterator<Item = Question> {
        let claims = (-64..=64).step_by(2);
        let claims = claims.flat_map(|discs| {
            [Question::AtLeast, Question::AtMost, Question::Equal].map(|claim| claim(discs))
        });
        [Question::Exact, Question::Wld].into_iter().chain(claims)
    }

    /// The lowest and the highest threshold: even discs, −64..=66.
    pub fn thresholds(self) -> (i32, i32) {
        match self {
            Question::Exact => (-62, 64),
            Question::Wld => (0, 2),
            Question::AtLeast(discs) => (even(discs), even(discs)),
            Question::AtMost(discs) => (even_above(discs), even_above(discs)),
            Question::Equal(discs) => (even(discs), even_above(discs)),
        }
    }

    /// Is it about one score, true or false?
    pub const fn is_claim(self) -> bool {
        !matches!(self, Question::Exact | Question::Wld)
    }

    /// The thresholds that `bounds` leave open, the lowest first: even numbers of discs that
    /// the score may or may not reach. None: the question is answered.
    pub fn open_thresholds(self, bounds: Bounds) -> impl Iterator<Item = i32> {
        let (first, last) = self.thresholds();
        (first.max(bounds.lower() + 2)..=last.min(bounds.upper())).step_by(2)
    }

    /// Do the bounds say all that was asked?
    pub fn is_answered_by(self, bounds: Bounds) -> bool {
        self.open_thresholds(bounds).next().is_none()
    }

    /// Is the claim true? `None` for other questions, and where the bounds do not decide it.
    pub fn verdict(self, bounds: Bounds) -> Option<bool> {
        let (lower, upper) = (bounds.lower(), bounds.upper());
        match self {
            Question::AtLeast(discs) if lower >= discs => Some(true),
            Question::AtLeast(discs) if upper < discs => Some(false),
            Question::AtMost(discs) if upper <= discs => Some(true),
            Question::AtMost(discs) if lower > discs => Some(false),
            Question::Equal(discs) if lower == discs && upper == discs => Some(true),
            Question::Equal(discs) if lower > discs || upper < discs => Some(false),
            _ => None,
        }
    }

    /// The question about the other side's score that has the same answer.
    pub const fn opposite(self) -> Question {
        match self {
            Question::Exact | Question::Wld => self,
            Question::AtLeast(discs) => Question::AtMost(-discs),
            Question::AtMost(discs) => Question::AtLeast(-discs),
            Question::Equal(discs) => Question::Equal(-discs),
        }
    }

    /// The claim that is true where this one is false; `None` where no single one is.
    pub const fn negation(self) -> Option<Question> {
        match self {
            Question::AtLeast(discs) => Some(Question::AtMost(discs - 2)),
            Question::AtMost(discs) => Some(Question::AtLeast(discs + 2)),
            Question::Exact | Question::Wld | Question::Equal(_) => None,
        }
    }
}

/// The least score that is not below so many discs.
fn even(discs: i32) -> i32 {
    (discs.clamp(-64, 66) + 1) & !1
}

/// The least score that is above so many discs.
fn even_above(discs: i32) -> i32 {
    even(discs.saturating_add(1))
}

/// `exact`, `wld`, `>=4`, `<=-2` or `=0`.
impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Question::Exact => f.write_str("exact"),
            Question::Wld => f.write_str("wld"),
            Question::AtLeast(discs) => write!(f, ">={discs}"),
            Question::AtMost(discs) => write!(f, "<={discs}"),
            Question::Equal(discs) => write!(f, "={discs}"),
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

/// Reads `exact`, `wld`, or a claim: `>=`, `<=`, `>`, `<` or `=` and an even number of discs.
/// `>0` is `>=2`, and `<0` is `<=-2`.
impl FromStr for Question {
    type Err = QuestionError;

    fn from_str(text: &str) -> Result<Question, QuestionError> {
        let error = |column, reason| Err(QuestionError { column, reason });
        let (discs, form) = match all_consuming(form).parse(text).finish() {
            Ok((_, QuestionForm::Named(question))) => return Ok(question),
            Ok((_, QuestionForm::Claim(form, discs))) => (discs, form),
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
            "=" => Question::Equal(discs),
            _ => Question::AtMost(discs - 2),
        };
        match question {
            Question::AtLeast(discs) | Question::AtMost(discs) | Question::Equal(discs)
                if discs.abs() > 64 =>
            {
                error(column, "a score lies between -64 and +64")
            }
            _ => Ok(question),
        }
    }
}

/// A question as it was read.
#[derive(Clone)]
enum QuestionForm<'a> {
    Named(Question),
    /// The comparison and the number.
    Claim(&'a str, &'a str),
}

fn form(input: &str) -> IResult<&str, QuestionForm<'_>, Error<&str>> {
    let exact = value(QuestionForm::Named(Question::Exact), tag("exact"));
    let wld = value(QuestionForm::Named(Question::Wld), tag("wld"));
    let comparison = alt((tag(">="), tag("<="), tag(">"), tag("<"), tag("=")));
    let number = recognize((opt(alt((char('+'), char('-')))), digit1));
    let claim = (comparison, space0, number)
        .map(|(comparison, _, number)| QuestionForm::Claim(comparison, number));
    alt((exact, wld, claim)).parse(input)
}

#[cfg(test)]
mod tests {
    use super::super::bounds::all_bounds;
    use super::*;

    fn question(text: &str) -> Question {
        text.parse().expect(text)
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
            ("=0", Question::Equal(0), "=0"),
            ("= -6", Question::Equal(-6), "=-6"),
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
            ("==0", 2),
            ("=1", 2),
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
        for asked in Question::all() {
            let text = asked.to_string();
            assert_eq!(question(&text), asked);
            let answer = |score: i32| match asked {
                Question::Exact => score,
                Question::Wld => score.signum(),
                Question::AtLeast(discs) => i32::from(score >= discs),
                Question::AtMost(discs) => i32::from(score <= discs),
                Question::Equal(discs) => i32::from(score == discs),
            };
            for bounds in all_bounds() {
                let mut scores = (bounds.lower()..=bounds.upper()).step_by(2).map(answer);
                let first = scores.next().expect("not empty");
                let agreed = scores.all(|score| score == first);
                assert_eq!(asked.is_answered_by(bounds), agreed, "{text} {bounds}");
                let verdict = asked.verdict(bounds);
                let expected = (agreed && asked.is_claim()).then_some(first == 1);
                assert_eq!(verdict, expected, "{text} {bounds}");
                let turned = asked.opposite().is_answered_by(bounds.opposite());
                assert_eq!(turned, agreed, "{text} {bounds} turned");
            }
        }
    }

    #[test]
    fn numbers_beyond_all_scores_are_asked_as_the_next_ones() {
        let thresholds = |question: Question| question.thresholds();
        for (discs, at_least, at_most) in [
            (i32::MIN, -64, -64),
            (-65, -64, -64),
            (-64, -64, -62),
            (-3, -2, -2),
            (1, 2, 2),
            (64, 64, 66),
            (66, 66, 66),
            (i32::MAX, 66, 66),
        ] {
            assert_eq!(thresholds(Question::AtLeast(discs)), (at_least, at_least));
            assert_eq!(thresholds(Question::AtMost(discs)), (at_most, at_most));
            assert_eq!(thresholds(Question::Equal(discs)), (at_least, at_most));
        }
    }
}
