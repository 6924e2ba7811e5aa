//! What is asked about a score: `exact`, `wld`, `>=2`, `<=-4`; and the name of what is proven.

use emilia::search::Goal;
use pyo3::prelude::*;

use crate::errors::emilia_error;

/// What is asked about the score of the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Question {
    Exact,
    Wld,
    AtLeast(i32),
    AtMost(i32),
}

/// Reads a question.
pub(crate) fn parse(text: &str) -> PyResult<Question> {
    let discs = |text: &str| {
        let number = text.trim().parse::<i32>().ok();
        number.filter(|discs| discs % 2 == 0 && (-64..=64).contains(discs))
    };
    let parsed = match text.trim() {
        "exact" => Some(Question::Exact),
        "wld" => Some(Question::Wld),
        other => match (other.strip_prefix(">="), other.strip_prefix("<=")) {
            (Some(number), _) => discs(number).map(Question::AtLeast),
            (_, Some(number)) => discs(number).map(Question::AtMost),
            _ => None,
        },
    };
    let expected = "expected 'exact', 'wld', '>=N' or '<=N' with an even N from -64 to 64";
    parsed.ok_or_else(|| emilia_error(format!("{expected}, found {text:?}")))
}

impl Question {
    pub(crate) const fn goal(self) -> Goal {
        match self {
            Question::Exact => Goal::Exact,
            Question::Wld => Goal::Wld,
            Question::AtLeast(discs) => Goal::Claim(discs),
            Question::AtMost(discs) => Goal::Claim(discs + 2),
        }
    }

    const fn is_claim(self) -> bool {
        matches!(self, Question::AtLeast(_) | Question::AtMost(_))
    }

    /// Do the bounds decide the claim?
    const fn is_decided_by(self, (lower, upper): (i32, i32)) -> bool {
        match self {
            Question::AtLeast(discs) => lower >= discs || upper < discs,
            Question::AtMost(discs) => upper <= discs || lower > discs,
            Question::Exact => lower == upper,
            Question::Wld => winner_is_known((lower, upper)),
        }
    }
}

const fn winner_is_known((lower, upper): (i32, i32)) -> bool {
    lower > 0 || upper < 0 || lower == upper
}

/// What proven bounds say, after this question was asked, if any: `exact`, `wld`, `claim` or `none`.
pub(crate) fn proven(asked: Option<Question>, bounds: (i32, i32)) -> &'static str {
    let claim = asked.filter(|question| question.is_claim());
    if bounds.0 == bounds.1 {
        "exact"
    } else if claim.is_some_and(|question| question.is_decided_by(bounds)) {
        "claim"
    } else if winner_is_known(bounds) {
        "wld"
    } else {
        "none"
    }
}
