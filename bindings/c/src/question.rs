//! What is asked about a score.

use emilia::search::Goal;

use crate::error::Failure;

/// What is asked about the score of the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Question {
    Exact,
    Wld,
    AtLeast(i32),
    AtMost(i32),
}

/// Reads a question.
pub(crate) fn parse(text: &str) -> Result<Question, Failure> {
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
    parsed.ok_or_else(|| Failure::parse(1, expected))
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

    /// Do the bounds decide the claim?
    pub(crate) const fn claim_is_decided_by(self, (lower, upper): (i32, i32)) -> bool {
        match self {
            Question::AtLeast(discs) => lower >= discs || upper < discs,
            Question::AtMost(discs) => upper <= discs || lower > discs,
            Question::Exact | Question::Wld => false,
        }
    }
}
