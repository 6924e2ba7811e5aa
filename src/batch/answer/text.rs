//! The text form: fields with tabs between them, `LINE RESULT SCORE BEST KEY NODES MS LINE-OF-PLAY`, then the scores of
//! moves, the verdict and the name, each of which may be missing; of an error `LINE error COLUMN REASON KEY` and the
//! name.
//!
//! Which of the last fields are there only the name of the line tells: `fits` reads them.

use std::fmt;
use std::time::Duration;

use nom::Parser;
use nom::bytes::complete::take_till;
use nom::character::complete::char;
use nom::combinator::opt;
use nom::multi::many0;
use nom::sequence::preceded;

use super::{Answer, AnswerError, ResultWord};
use crate::batch::problem::{MoveValue, Solution, Status};
use crate::rules::{Bitboard, Board, Move, Square};
use crate::score::{Bounds, GameValue, Question, QuestionError, Score};
use crate::text::TextError;
use crate::text::words::{Parsed, end, expect, failure, finish};

/// Adds an answer without its line end. Text is put together without the formatting of the standard library, which
/// would take longer than the solve of an easy position.
pub(super) fn write(answer: &Answer, out: &mut Vec<u8>) {
    let mut number = itoa::Buffer::new();
    if let Some(file) = &answer.file {
        push(out, file);
        out.push(b':');
    }
    push(out, number.format(answer.line));
    push_field(out, answer.result.name());
    let key = answer.key.to_string();
    if let Some(reason) = answer.reason() {
        push_field(
            out,
            answer.column.map_or("-", |column| number.format(column)),
        );
        push_field(out, reason);
        push_field(out, &key);
    } else {
        let Solution { line, nodes, .. } = &answer.solution;
        match answer.says_score {
            true => push_field(out, &score_of(&answer.solution).to_string()),
            false => push_field(out, "-"),
        }
        push_field(out, answer.solution.best().map_or("-", Move::name));
        push_field(out, &key);
        push_field(out, number.format(*nodes));
        write_time(answer, out);
        push_field(out, line.first().map_or("-", |mv| mv.name()));
        for mv in line.iter().skip(1) {
            out.push(b' ');
            push(out, mv.name());
        }
        if let Some(moves) = &answer.solution.moves {
            push_field(out, &moves_text(moves));
        }
        if let Some(verdict) = &answer.verdict {
            push_field(out, &verdict.to_string());
        }
    }
    if let Some(name) = &answer.name {
        push_field(out, name);
    }
}

/// Milliseconds with three digits behind the point.
fn write_time(answer: &Answer, out: &mut Vec<u8>) {
    if !answer.says_time {
        return push_field(out, "-");
    }
    let micros = answer.solution.time.as_micros() as u64;
    push_field(out, itoa::Buffer::new().format(micros / 1000));
    let digits = [100, 10, 1].map(|unit| b'0' + (micros / unit % 10) as u8);
    out.push(b'.');
    out.extend_from_slice(&digits);
}

fn push(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
}

/// A tab and a field.
fn push_field(out: &mut Vec<u8>, text: &str) {
    out.push(b'\t');
    push(out, text);
}

/// What is said of a score: `+6` and `>=+2`; an estimate of depth 18 is `~+1.500@18`, and where more is proven
/// `~+1.500@18 >=+2`.
pub(super) fn score_of(solution: &Solution) -> impl fmt::Display + use<> {
    let (estimate, bounds) = (solution.estimate, solution.bounds);
    fmt::from_fn(move |f| match estimate {
        None => write!(f, "{bounds}"),
        Some((score, depth)) => {
            write!(f, "~{:+.3}@{depth}", score.to_f64())?;
            match bounds == Bounds::UNKNOWN {
                true => Ok(()),
                false => write!(f, " {bounds}"),
            }
        }
    })
}

/// An estimate, if there is one, and what is proven.
type Said = (Option<(Score, u32)>, Bounds);

/// Reads what is said of a score, written as [`score_of`] does.
pub(super) fn parse_score(text: &str) -> Option<Said> {
    let (estimate, bounds) = match text.strip_prefix('~') {
        None => (None, text.parse().ok()?),
        Some(rest) => {
            let (estimate, known) = rest.split_once(' ').unzip();
            let (discs, depth) = estimate.unwrap_or(rest).split_once('@')?;
            let estimate = estimated(discs.parse().ok()?, depth.parse().ok()?)?;
            let known = known.map_or(Ok(Bounds::UNKNOWN), str::parse);
            (Some(estimate), known.ok()?)
        }
    };
    let said = Solution {
        estimate,
        ..Solution::proven(bounds, Vec::new(), 0)
    };
    (score_of(&said).to_string() == text).then_some((estimate, bounds))
}

/// An estimate of so many discs; `None`: no score is so high or low.
pub(super) fn estimated(discs: f64, depth: u32) -> Option<(Score, u32)> {
    let raw = (discs * f64::from(Score::PER_DISC)).round();
    (discs.abs() <= 64.0 && depth <= 64).then(|| (Score::from_raw(raw as i32), depth))
}

/// A question and the moves that it is about, as text.
pub(crate) fn asked(question: Question, moves: Option<Bitboard>) -> impl fmt::Display {
    fmt::from_fn(move |f| {
        write!(f, "{question}")?;
        let Some(moves) = moves else {
            return Ok(());
        };
        f.write_str(" of")?;
        let mut squares = moves.into_iter();
        squares.try_for_each(|square| write!(f, " {}", square.name()))
    })
}

/// Reads a question about a board, perhaps about some of its moves (`None`: all).
pub(crate) fn parse_asked(
    text: &str,
    board: Board,
) -> Result<(Question, Option<Bitboard>), TextError> {
    let (question, moves) = match text.split_once(" of ") {
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

/// `FILE:LINE`, or the line alone.
pub(crate) fn place_text(file: Option<&str>, line: u64) -> String {
    match file {
        Some(file) => format!("{file}:{line}"),
        None => line.to_string(),
    }
}

pub(super) fn parse(text: &str) -> Result<Answer, AnswerError> {
    let (answer, best) = finish(text, answer(text))?;
    super::check_best(best, &answer.solution)?;
    Ok(answer)
}

/// An answer, and the best move that it names.
fn answer(text: &str) -> Parsed<'_, (Answer, Option<Move>)> {
    let (rest, (file, line)) = place(text)?;
    let (rest, word) = preceded(tab, field).parse(rest)?;
    let Some(result) = ResultWord::of_name(word) else {
        return failure(
            &text[text.len() - rest.len() - word.len()..],
            "expected a result",
        );
    };
    let (rest, (answer, best)) = match result {
        ResultWord::Error => error(rest)?,
        _ => result_of(rest, result)?,
    };
    let file = file.map(Into::into);
    Ok((
        rest,
        (
            Answer {
                file,
                line,
                ..answer
            },
            best,
        ),
    ))
}

fn result_of(rest: &str, result: ResultWord) -> Parsed<'_, (Answer, Option<Move>)> {
    let (rest, score) = typed("expected a score, bounds or -", optional(parse_score))(rest)?;
    let (rest, best) = typed("expected a move or -", optional(a_move))(rest)?;
    let (rest, key) = key(rest)?;
    let (rest, nodes) = typed("expected a number of nodes", digits)(rest)?;
    let (rest, time) = typed("expected milliseconds or -", optional(milliseconds))(rest)?;
    let (rest, line) = typed("expected a line of play or -", optional(moves))(rest)?;
    let (rest, unread) = many0(preceded(char('\t'), field)).parse(rest)?;
    let (estimate, bounds) = score.unwrap_or((None, result.bounds()));
    let solution = Solution {
        status: result.status(),
        estimate,
        time: time.unwrap_or_default(),
        ..Solution::proven(bounds, line.unwrap_or_default(), nodes)
    };
    let answer = Answer {
        says_score: score.is_some(),
        says_time: time.is_some(),
        unread: unread.into_iter().map(str::to_owned).collect(),
        ..Answer::bare(None, 0, key, result, solution)
    };
    Ok((rest, (answer, best)))
}

fn error(rest: &str) -> Parsed<'_, (Answer, Option<Move>)> {
    let column = optional(|column| digits(column).map(|column| column as usize));
    let (rest, column) = typed("expected a column or -", column)(rest)?;
    let (rest, reason) = preceded(tab, field).parse(rest)?;
    let (rest, key) = key(rest)?;
    let (rest, name) = opt(preceded(char('\t'), field)).parse(rest)?;
    let (rest, _) = expect("expected the end of the answer", end)(rest)?;
    let solution = Solution::unknown(Status::Failed(reason.to_owned()));
    let answer = Answer {
        column,
        unread: name.into_iter().map(str::to_owned).collect(),
        ..Answer::bare(None, 0, key, ResultWord::Error, solution)
    };
    Ok((rest, (answer, None)))
}

fn tab(input: &str) -> Parsed<'_, char> {
    expect(
        "expected another field: the answer is cut short",
        char('\t'),
    )(input)
}

fn field(input: &str) -> Parsed<'_, &str> {
    take_till(|letter| letter == '\t').parse(input)
}

/// A tab and a field that `convert` takes.
fn typed<'a, T>(
    reason: &'static str,
    convert: impl Fn(&'a str) -> Option<T>,
) -> impl FnMut(&'a str) -> Parsed<'a, T> {
    move |input| {
        let (start, _) = tab(input)?;
        let (rest, found) = field(start)?;
        match convert(found) {
            Some(value) => Ok((rest, value)),
            None => failure(start, reason),
        }
    }
}

fn key(input: &str) -> Parsed<'_, super::Key> {
    typed("expected a key of 8 hexadecimal digits", |key| {
        key.parse().ok()
    })(input)
}

/// `-` is none.
fn optional<T>(convert: impl Fn(&str) -> Option<T>) -> impl Fn(&str) -> Option<Option<T>> {
    move |text| match text {
        "-" => Some(None),
        _ => convert(text).map(Some),
    }
}

/// `FILE:LINE`, or the line alone.
fn place(input: &str) -> Parsed<'_, (Option<&str>, u64)> {
    let (rest, text) = field(input)?;
    let (file, line) = match text.rsplit_once(':') {
        Some((file, line)) => (Some(file), line),
        None => (None, text),
    };
    match digits(line) {
        Some(line) => Ok((rest, (file, line))),
        None => failure(input, "expected the number of a line"),
    }
}

/// A number as it is printed.
fn digits(text: &str) -> Option<u64> {
    let number: u64 = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}

pub(super) fn a_move(text: &str) -> Option<Move> {
    let mv: Move = text.parse().ok()?;
    (mv.name() == text).then_some(mv)
}

fn moves(text: &str) -> Option<Vec<Move>> {
    text.split(' ').map(a_move).collect()
}

fn milliseconds(text: &str) -> Option<Duration> {
    let (whole, part) = text.split_once('.')?;
    let is_part = part.len() == 3 && part.bytes().all(|byte| byte.is_ascii_digit());
    let micros = digits(whole)?.checked_mul(1000)?;
    let part: u64 = part.parse().ok().filter(|_| is_part)?;
    Some(Duration::from_micros(micros.checked_add(part)?))
}

/// Moves with their scores, or `-`.
pub(super) fn moves_text(moves: &[(Move, MoveValue)]) -> String {
    let moves = moves.iter().map(|(mv, value)| format!("{mv}:{value}"));
    let moves = moves.collect::<Vec<_>>().join(" ");
    if moves.is_empty() {
        return "-".to_owned();
    }
    moves
}

/// Reads what [`moves_text`] writes.
pub(super) fn scored_moves(text: &str) -> Option<Vec<(Move, MoveValue)>> {
    let scored = |text: &str| {
        let (mv, value) = text.split_once(':')?;
        Some((a_move(mv)?, move_value(value)?))
    };
    match text {
        "-" => Some(Vec::new()),
        _ => text.split(' ').map(scored).collect(),
    }
}

fn move_value(text: &str) -> Option<MoveValue> {
    if let Some(ResultWord::Value(value)) = ResultWord::of_name(text) {
        return Some(MoveValue::Result(value));
    }
    let score = parse_score(text).filter(|(estimate, _)| estimate.is_none());
    Some(MoveValue::Score(score?.1.score()?))
}

/// Who wins by a move.
pub(super) fn game_value(name: &str) -> Option<GameValue> {
    match ResultWord::of_name(name) {
        Some(ResultWord::Value(value)) => Some(value),
        _ => None,
    }
}

/// An answer in text, as `solve` writes it, to a line of the start position or another one.
#[cfg(test)]
pub(in crate::batch) fn answer_text(
    line: &str,
    position: crate::rules::Position,
    question: &str,
    (result, score, pv): (&str, &str, &str),
) -> String {
    let question = question.parse().expect("a question");
    let best = pv.split(' ').next().and_then(a_move);
    let stated = Some(score).filter(|score| *score != "-");
    let problem = crate::batch::problem::Problem::new(position, question);
    let key = super::Key::of_result(&problem, result, stated, best, None);
    let best = best.map_or("-", Move::name);
    format!("{line}\t{result}\t{score}\t{best}\t{key}\t90\t0.120\t{pv}")
}
