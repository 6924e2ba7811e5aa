//! What a line asks and what an answer states, as text: both are in the key that binds the one to the other.

use std::fmt;
use std::str::FromStr;

use crate::rules::{Bitboard, Board, Square};
use crate::score::{Bounds, Question, QuestionError, Score};
use crate::text::TextError;

/// Between the question and the moves that it is about.
const OF: &str = " of ";

/// The question of a text, whatever moves it is about.
pub(super) fn question_of(text: &str) -> Option<Question> {
    let question = text.split_once(OF).map_or(text, |(question, _)| question);
    question.parse().ok()
}

/// Reads a question about a board, perhaps about some of its moves (`None`: all).
pub(crate) fn parse_asked(
    text: &str,
    board: Board,
) -> Result<(Question, Option<Bitboard>), TextError> {
    let (question, moves) = match text.split_once(OF) {
        Some((question, moves)) => (question, Some(moves)),
        None => (text, None),
    };
    let parsed = question.parse::<Question>();
    let question =
        parsed.map_err(|error: QuestionError| TextError::new(error.column, error.reason))?;
    let Some(moves) = moves else {
        return Ok((question, None));
    };
    let mut only = Bitboard::EMPTY;
    let mut column = text.len() - moves.len() + 1;
    for name in moves.split(' ') {
        let square: Option<Square> = name.parse().ok();
        let is_new =
            |square: &Square| board.legal_moves().contains(*square) && !only.contains(*square);
        let square = square.filter(is_new);
        let square =
            square.ok_or_else(|| TextError::new(column, "expected legal moves, each once"))?;
        only = Bitboard(only.0 | square.bit());
        column += name.len() + 1;
    }
    Ok((question, Some(only)))
}

/// What is said of a score.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Stated {
    /// What is proven.
    Proven(Bounds),
    /// A search of so many plies, and what is proven besides.
    Estimated {
        score: Score,
        depth: u32,
        bounds: Bounds,
    },
}

impl Stated {
    /// An estimate of so many discs; `None`: no score is so high or low.
    pub(crate) fn estimate(discs: f64, depth: u32, bounds: Bounds) -> Option<Stated> {
        let raw = (discs * f64::from(Score::PER_DISC)).round();
        (discs.abs() <= 64.0 && depth <= 64).then(|| Stated::Estimated {
            score: Score::from_raw(raw as i32),
            depth,
            bounds,
        })
    }

    /// What is proven.
    pub(crate) const fn bounds(self) -> Bounds {
        match self {
            Stated::Proven(bounds) | Stated::Estimated { bounds, .. } => bounds,
        }
    }

    pub(crate) const fn is_estimated(self) -> bool {
        matches!(self, Stated::Estimated { .. })
    }
}

/// `+6` and `>=+2`; an estimate of depth 18 is `~+1.500@18`, and where more is proven `~+1.500@18 >=+2`.
impl fmt::Display for Stated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stated::Proven(bounds) => write!(f, "{bounds}"),
            Stated::Estimated {
                score,
                depth,
                bounds,
            } => {
                write!(f, "~{:+.3}@{depth}", score.to_f64())?;
                match *bounds == Bounds::UNKNOWN {
                    true => Ok(()),
                    false => write!(f, " {bounds}"),
                }
            }
        }
    }
}

/// What is printed reads back.
impl FromStr for Stated {
    type Err = ();

    fn from_str(text: &str) -> Result<Stated, ()> {
        let bounds = |text: &str| text.parse::<Bounds>().map_err(drop);
        let Some(estimate) = text.strip_prefix('~') else {
            return bounds(text).map(Stated::Proven);
        };
        let (estimate, known) = match estimate.split_once(' ') {
            Some((estimate, known)) => (estimate, bounds(known)?),
            None => (estimate, Bounds::UNKNOWN),
        };
        let (discs, depth) = estimate.split_once('@').ok_or(())?;
        let discs: f64 = discs.parse().map_err(drop)?;
        let depth = depth.parse().map_err(drop)?;
        Stated::estimate(discs, depth, known).ok_or(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::problem::asked;

    #[test]
    fn what_is_printed_reads_back() {
        let bounds = [
            Bounds::UNKNOWN,
            Bounds::at_least(2),
            Bounds::at_most(-2),
            Bounds::exactly(0),
        ];
        for raw in -8192..=8192 {
            let score = Score::from_raw(raw);
            for bounds in bounds {
                let (depth, proven) = (18, Stated::Proven(bounds));
                let estimated = Stated::Estimated {
                    score,
                    depth,
                    bounds,
                };
                for stated in [proven, estimated] {
                    assert_eq!(stated.to_string().parse(), Ok(stated), "{stated}");
                }
            }
        }
        for bad in [
            "",
            "~",
            "~1",
            "~+1.0@",
            "~+65.000@4",
            "~+1.000@99",
            "~+1.000@9 >=3",
        ] {
            assert_eq!(bad.parse::<Stated>(), Err(()), "{bad:?}");
        }
    }

    #[test]
    fn a_question_may_be_about_some_moves() {
        let moves = ["f5", "d3"].map(|name| name.parse::<crate::rules::Square>());
        let only = moves
            .into_iter()
            .flatten()
            .fold(0, |set, square| set | square.bit());
        let text = asked(Question::Exact, Some(Bitboard(only))).to_string();
        assert_eq!(text, "exact of d3 f5");
        assert_eq!(
            parse_asked(&text, Board::START),
            Ok((Question::Exact, Some(Bitboard(only))))
        );
        assert_eq!(question_of("exact of d3 f5"), Some(Question::Exact));
        assert_eq!(asked(Question::Wld, None).to_string(), "wld");
    }
}
