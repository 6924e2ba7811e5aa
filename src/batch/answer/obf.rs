//! The OBF form: the position with its scores. It has no keys, and is not read again as answers.

use super::{Answer, text};
use crate::formats::obf::Problem;
use crate::rules::Position;

/// The first line of answers in OBF.
pub(crate) const OBF_HEAD: &str =
    "% answers of emilia solve in OBF have no keys: batch and --retry take text or JSON";

pub(super) fn is_obf(text: &str) -> bool {
    let is_position = |head: &str| head.parse::<Position>().is_ok();
    text.starts_with('%') || text.get(..66).is_some_and(is_position)
}

/// The position with the scores of all moves where they are known, else of the best one. An error is a comment.
pub(super) fn write(answer: &Answer, out: &mut Vec<u8>) {
    let Some(position) = answer.position.filter(|_| !answer.is_error()) else {
        out.extend_from_slice(b"% ");
        return text::write(answer, out);
    };
    let mut problem = Problem::new(position);
    match &answer.solution.moves {
        Some(moves) if !moves.is_empty() => {
            let scores = moves.iter();
            let scores = scores.filter_map(|&(mv, value)| Some((mv, value.score()?)));
            problem.moves = scores.collect();
        }
        _ => problem.value = answer.score(),
    }
    problem.comment = answer.verdict.as_ref().map(ToString::to_string);
    out.extend_from_slice(problem.to_string().as_bytes());
}
