//! The JSON form: one object a line.

use std::borrow::Cow;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::text::{a_move, asked, estimated, game_value, parse_asked};
use super::{Answer, AnswerError, ResultWord};
use crate::batch::problem::{MoveValue, Solution, Status};
use crate::rules::{Move, Position};
use crate::score::{Bounds, Score};
use crate::text::TextError;

type Text<'a> = Cow<'a, str>;

/// The fields, in the order in which they are written.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<Text<'a>>,
    line: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<i32>,
    /// In discs, with the depth of its search in plies.
    #[serde(skip_serializing_if = "Option::is_none")]
    estimate: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at_least: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at_most: Option<i32>,
    /// `null` where there is no move.
    #[serde(skip_serializing_if = "Option::is_none")]
    best: Option<Option<Text<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pv: Option<Vec<Text<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<Vec<MoveFields<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    check: Option<Text<'a>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MoveFields<'a> {
    #[serde(rename = "move")]
    name: Text<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Text<'a>>,
}

/// Adds an answer without its line end.
pub(super) fn write(answer: &Answer, out: &mut Vec<u8>) {
    let head = Fields {
        file: answer.file.as_deref().map(Into::into),
        line: answer.line,
        name: answer.name.as_deref().map(Into::into),
        position: answer.position.map(|position| position.to_string().into()),
        key: Some(answer.key.to_string().into()),
        ..Fields::default()
    };
    let fields = match answer.reason() {
        Some(reason) => Fields {
            error: Some(reason.into()),
            column: answer.column,
            ..head
        },
        None => Fields::of_result(answer, head),
    };
    let written = serde_json::to_writer(out, &fields);
    debug_assert!(written.is_ok(), "memory does not fail");
}

pub(super) fn parse(text: &str) -> Result<Answer, AnswerError> {
    const SENSELESS: AnswerError = AnswerError::Senseless(
        "expected the fields of a result or of an error, with values that a score can have",
    );
    let fields: Fields<'_> = serde_json::from_str(text).map_err(TextError::from)?;
    let key = fields.key.as_deref().unwrap_or_default();
    let key = key.parse().map_err(AnswerError::Senseless)?;
    // As they are printed: in other letters, the text of an answer would be another one with the same key.
    let position = fields.position.as_deref().map(|text| {
        let position = text.parse().ok();
        position.filter(|position: &Position| position.to_string() == text)
    });
    let position = position.map(|found| found.ok_or(SENSELESS)).transpose()?;
    let (result, solution) = fields.found().ok_or(SENSELESS)?;
    let says_time = fields.time_ms.is_some();
    let mut answer = Answer {
        name: fields.name.as_deref().map(Into::into),
        column: fields.column,
        says_score: fields.says_score(),
        says_time,
        position,
        ..Answer::bare(
            fields.file.as_deref().map(Into::into),
            fields.line,
            key,
            result,
            solution,
        )
    };
    if let Some(verdict) = fields.check.as_deref() {
        answer.verdict = Some(verdict.parse().map_err(AnswerError::Senseless)?);
    }
    if !answer.is_error() {
        let mode = fields.mode.as_deref().zip(position);
        let asked_of = |(mode, position): (&str, Position)| {
            let found = parse_asked(mode, position.board).ok();
            found.filter(|&(question, moves)| asked(question, moves).to_string() == mode)
        };
        answer.asked = Some(mode.and_then(asked_of).ok_or(SENSELESS)?);
        let best = fields.best.flatten();
        let best = best
            .map(|best| a_move(&best).ok_or(SENSELESS))
            .transpose()?;
        super::check_best(best, &answer.solution)?;
    }
    Ok(answer)
}

impl<'a> Fields<'a> {
    fn of_result(answer: &'a Answer, head: Fields<'a>) -> Fields<'a> {
        let Solution {
            bounds, estimate, ..
        } = answer.solution;
        let score = answer.score();
        let bounds = Some(bounds).filter(|_| score.is_none() && answer.says_score);
        let name = |mv: Move| mv.name().into();
        let line = answer.solution.line.iter();
        let scored = |&(mv, value): &(Move, MoveValue)| MoveFields {
            name: name(mv),
            score: value.score(),
            result: value.result().map(|value| value.name().into()),
        };
        let moves = answer.solution.moves.as_ref();
        let asked = answer.asked.map(|(question, moves)| asked(question, moves));
        Fields {
            mode: asked.map(|asked| asked.to_string().into()),
            result: Some(answer.result.name().into()),
            score,
            estimate: estimate.map(|(score, _)| score.to_f64()),
            depth: estimate.map(|(_, depth)| depth),
            at_least: bounds.map(Bounds::lower).filter(|&lower| lower > -64),
            at_most: bounds.map(Bounds::upper).filter(|&upper| upper < 64),
            best: Some(answer.solution.best().map(name)),
            pv: Some(line.map(|&mv| name(mv)).collect()),
            moves: moves.map(|moves| moves.iter().map(scored).collect()),
            nodes: Some(answer.solution.nodes),
            time_ms: (answer.says_time).then(|| answer.solution.time.as_micros() as f64 / 1000.0),
            check: (answer.verdict.as_ref()).map(|verdict| verdict.to_string().into()),
            ..head
        }
    }

    /// The result and what is found out; `None`: that makes no sense.
    fn found(&self) -> Option<(ResultWord, Solution)> {
        if let Some(reason) = &self.error {
            let is_alone = self.result.is_none() && self.pv.is_none();
            let failed = Solution::unknown(Status::Failed(reason.clone().into_owned()));
            return is_alone.then_some((ResultWord::Error, failed));
        }
        let result = ResultWord::of_name(self.result.as_deref()?);
        let result = result.filter(|result| *result != ResultWord::Error)?;
        let line = self.pv.as_ref()?.iter().map(|mv| a_move(mv));
        let line: Option<Vec<Move>> = line.collect();
        let moves = self.moves.as_ref().map(|moves| {
            let moves = moves.iter().map(MoveFields::value);
            moves.collect::<Option<Vec<_>>>()
        });
        let micros = self.time_ms.map(|time| (time * 1000.0).round() as u64);
        let solution = Solution {
            status: result.status(),
            estimate: self.estimate()?,
            moves: match moves {
                Some(moves) => Some(moves?),
                None => None,
            },
            time: Duration::from_micros(micros.unwrap_or_default()),
            ..Solution::proven(self.bounds(result)?, line?, self.nodes?)
        };
        Some((result, solution))
    }

    /// What is said of the score: `None` if that makes no sense.
    fn bounds(&self, result: ResultWord) -> Option<Bounds> {
        match (self.score, self.at_least, self.at_most) {
            (Some(score), None, None) => Bounds::new(score, score),
            (Some(_), _, _) => None,
            (None, None, None) => Some(result.bounds()),
            (None, lower, upper) => Bounds::new(lower.unwrap_or(-64), upper.unwrap_or(64)),
        }
    }

    /// The estimate, if there is one: `None` if it makes no sense.
    #[expect(
        clippy::option_option,
        reason = "no estimate is fine, a wrong one is not"
    )]
    fn estimate(&self) -> Option<Option<(Score, u32)>> {
        match (self.estimate, self.depth) {
            (None, None) => Some(None),
            (Some(discs), Some(depth)) => estimated(discs, depth).map(Some),
            _ => None,
        }
    }

    /// Who wins needs no score; of everything else nothing at all is known where none is said.
    fn says_score(&self) -> bool {
        let value = self.result.as_deref().and_then(game_value);
        let is_said = (self.score.or(self.at_least).or(self.at_most)).is_some();
        self.error.is_none() && (is_said || value.is_none())
    }
}

impl MoveFields<'_> {
    fn value(&self) -> Option<(Move, MoveValue)> {
        let value = match (self.score, self.result.as_deref()) {
            (Some(score), None) => MoveValue::Score(Bounds::new(score, score)?.lower()),
            (None, Some(result)) => MoveValue::Result(game_value(result)?),
            _ => return None,
        };
        Some((a_move(&self.name)?, value))
    }
}
