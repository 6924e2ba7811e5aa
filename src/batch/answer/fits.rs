//! Is this the answer to that line? Its place, its name and its key have to fit, and what it says has to make sense.

use std::cmp::Ordering;
use std::fmt;
use std::path::Path;

use super::text::scored_moves;
use super::{Answer, AnswerError, Key, ResultWord, place_text};
use crate::batch::problem::{MoveValue, Place, Problem, Solution, Status};
use crate::rules::{Move, Position};
use crate::score::Question;

/// A line of an input, which an answer has to fit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InputLine<'a> {
    /// The names of all files of the input; none: standard input.
    pub(crate) files: &'a [String],
    pub(crate) place: Place,
    pub(crate) bytes: &'a [u8],
    /// `None`: the line cannot be read.
    pub(crate) problem: Option<&'a Problem>,
}

impl InputLine<'_> {
    pub(crate) fn question(&self) -> Option<Question> {
        self.problem.map(|problem| problem.question)
    }
}

/// The file, where there are several, and the line.
impl fmt::Display for InputLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = self.place.file.and_then(|file| self.files.get(file));
        let file = file.filter(|_| self.files.len() > 1);
        f.write_str(&place_text(file.map(String::as_str), self.place.line))
    }
}

impl Answer {
    /// Is this the answer to that line? Returns the question that it answers, none of an error; `likely` is tried first.
    pub(crate) fn fits(
        &mut self,
        line: &InputLine<'_>,
        likely: Option<Question>,
    ) -> Result<Option<Question>, AnswerError> {
        if self.order(line) != Some(Ordering::Equal) {
            return Err(self.misplaced(line));
        }
        self.fits_content(line.problem, line.bytes, likely)
    }

    /// Checks the answer as [`Answer::fits`], whatever the number of the line, to any question about the position and
    /// the moves of `problem`.
    pub(crate) fn fits_content(
        &mut self,
        problem: Option<&Problem>,
        bytes: &[u8],
        likely: Option<Question>,
    ) -> Result<Option<Question>, AnswerError> {
        let is_readable = self.column.is_none();
        let name = problem.and_then(|problem| problem.name.as_deref());
        self.read_name(name.filter(|_| is_readable))?;
        if let Some(reason) = self.reason() {
            let key = match (self.column, problem) {
                (Some(column), _) => Key::of_error(bytes, column, reason),
                (None, Some(problem)) => Key::of_fault(problem.position, reason),
                (None, None) => return Err(self.bad_key()),
            };
            return (key == self.key).then_some(None).ok_or(self.bad_key());
        }
        let problem = problem.ok_or_else(|| self.bad_key())?;
        let position = problem.position;
        if self.position.is_some_and(|said| said != position) {
            return Err(self.bad_key());
        }
        let moves = self.solution.moves.as_deref();
        let question = self.question_of(problem, likely, moves);
        let question = question.ok_or_else(|| {
            let is_unbound = moves.is_some() && self.question_of(problem, likely, None).is_some();
            match is_unbound {
                true => AnswerError::UnboundMoves(self.key),
                false => self.bad_key(),
            }
        })?;
        check_line(&self.solution, position)?;
        check_moves(&self.solution, problem, question)?;
        Ok(Some(question))
    }

    /// The question by which the key is the one of this answer with these scores of moves.
    fn question_of(
        &self,
        problem: &Problem,
        likely: Option<Question>,
        moves: Option<&[(Move, MoveValue)]>,
    ) -> Option<Question> {
        let stated = self.asked.map(|(question, _)| question);
        let mut all = stated.into_iter().chain(likely).chain(Question::all());
        let score = self
            .says_score
            .then(|| super::text::score_of(&self.solution));
        let key = |question| {
            let asked = Problem::new(problem.position, question).about(problem.moves);
            Key::of_result(
                &asked,
                self.result.name(),
                score.as_ref(),
                self.solution.best(),
                moves,
            )
        };
        all.find(|&question| {
            let is_stated = self
                .asked
                .is_none_or(|asked| asked == (question, problem.moves));
            is_stated && self.makes_sense(question) && key(question) == self.key
        })
    }

    /// Can this be said of a question?
    fn makes_sense(&self, question: Question) -> bool {
        let is_estimated = self.solution.estimate.is_some();
        if is_estimated || self.result == ResultWord::Estimate {
            return is_estimated && self.result == ResultWord::Estimate;
        }
        let bounds = self.solution.bounds;
        match (self.result, question, self.says_score) {
            (ResultWord::Value(value), Question::Exact, true) => {
                bounds.score().is_some() && bounds.value() == Some(value)
            }
            (ResultWord::Value(value), Question::Wld, _) => bounds.value() == Some(value),
            (
                ResultWord::Verdict(holds),
                Question::AtLeast(_) | Question::AtMost(_) | Question::Equal(_),
                true,
            ) => question.verdict(bounds) == Some(holds),
            (ResultWord::Unsolved, _, true) => true,
            _ => false,
        }
    }

    /// Fails if it, which answers the question `own`, does not say what `asked` wants to know.
    pub(crate) fn check_question(
        &self,
        own: Option<Question>,
        asked: Option<Question>,
    ) -> Result<(), AnswerError> {
        match (own, asked) {
            (Some(found), Some(expected))
                if found != expected && !self.answers(found, expected) =>
            {
                Err(AnswerError::Question { found, expected })
            }
            _ => Ok(()),
        }
    }

    /// Is it solved, and so that an answer to `own`, its question, says all that `asked` wants to know?
    pub(crate) fn answers(&self, own: Question, asked: Question) -> bool {
        let covers = own == asked || (own, asked) == (Question::Exact, Question::Wld);
        covers && self.is_solved()
    }

    fn bad_key(&self) -> AnswerError {
        AnswerError::Key(self.key)
    }

    /// The files of an input that its line may be of, by their numbers: a file may be named several times.
    fn files<'a>(&'a self, files: &'a [String]) -> impl Iterator<Item = usize> {
        let name = self.file.as_deref();
        // Of a single file, or of standard input, the number of the line may stand alone.
        // There its folder may be spelled in another way too: the key tells what the answer is about.
        let is_alone = match files {
            [] => name.is_none(),
            [file] => {
                name.is_none_or(|name| Path::new(name).file_name() == Path::new(file).file_name())
            }
            _ => false,
        };
        let single = is_alone.then_some(0);
        let several = if files.len() > 1 { files } else { &[] };
        let named = several
            .iter()
            .enumerate()
            .filter(move |(_, file)| name == Some(file));
        single.into_iter().chain(named.map(|(number, _)| number))
    }

    /// Does its line come before the given one, is it that, or does it come later? `None`: it is of another input.
    pub(crate) fn order(&self, line: &InputLine<'_>) -> Option<Ordering> {
        let here = (line.place.file.unwrap_or(0), line.place.line);
        let places = || self.files(line.files).map(|file| (file, self.line));
        let next = places().find(|&place| place >= here);
        next.or(places().next()).map(|place| place.cmp(&here))
    }

    pub(crate) fn place_text(&self) -> String {
        place_text(self.file.as_deref(), self.line)
    }

    /// The error of an answer that is not that of the given line.
    pub(crate) fn misplaced(&self, line: &InputLine<'_>) -> AnswerError {
        AnswerError::Place {
            found: self.place_text(),
            expected: line.to_string(),
        }
    }

    /// What its line calls itself, if it has a name: in text the last field, which may be another one.
    pub(crate) fn last_field(&self) -> Option<&str> {
        self.unread
            .last()
            .map(String::as_str)
            .or(self.name.as_deref())
    }

    /// Reads the last fields of text: scores of moves and a verdict may stand before the name.
    fn read_name(&mut self, name: Option<&str>) -> Result<(), AnswerError> {
        if !self.unread.is_empty() && self.read_fields(name).is_some() {
            self.name = name.map(Into::into);
            self.unread.clear();
        }
        if self.unread.is_empty() && self.name.as_deref() == name {
            return Ok(());
        }
        Err(AnswerError::Name {
            found: self.last_field().unwrap_or_default().to_owned(),
            expected: name.unwrap_or_default().to_owned(),
        })
    }

    /// Reads what stands before the name, which is the last field. `None`: that has another form.
    fn read_fields(&mut self, name: Option<&str>) -> Option<()> {
        let fields = match (self.unread.split_last(), name) {
            (_, None) => &self.unread[..],
            (Some((last, others)), Some(name)) if last == name => others,
            (_, Some(_)) => return None,
        };
        let (moves, verdict) = match fields {
            [] => (None, None),
            _ if self.is_error() => return None,
            [moves, verdict] => (Some(scored_moves(moves)?), Some(verdict.parse().ok()?)),
            [one] => match scored_moves(one) {
                Some(moves) => (Some(moves), None),
                None => (None, Some(one.parse().ok()?)),
            },
            _ => return None,
        };
        (self.solution.moves, self.verdict) = (moves, verdict);
        Some(())
    }
}

/// The best move and all that follow must be legal.
fn check_line(solution: &Solution, position: Position) -> Result<(), AnswerError> {
    const ILLEGAL: AnswerError = AnswerError::Senseless("a move of the line of play is not legal");
    let mut line = solution.line.iter();
    let played = line.try_fold(position, |position, &mv| position.play(mv));
    played.ok_or(ILLEGAL)?;
    Ok(())
}

/// Moves with scores must be among those that are asked about, each once, and none better than the result. A result has
/// all of them, and the best is the answer.
fn check_moves(
    solution: &Solution,
    problem: &Problem,
    question: Question,
) -> Result<(), AnswerError> {
    let Some(moves) = &solution.moves else {
        return Ok(());
    };
    let bad = |reason| Err(AnswerError::Senseless(reason));
    let mut lacking: Vec<Move> = problem.asked_moves().collect();
    let bounds = solution.bounds;
    for (mv, value) in moves {
        let Some(at) = lacking.iter().position(|legal| legal == mv) else {
            return bad("a move with a score is not legal, not asked about, or there twice");
        };
        lacking.swap_remove(at);
        let is_wld = value.result().is_some();
        if is_wld != (question == Question::Wld) || value.bounds().lower() > bounds.upper() {
            return bad("a move has a score that the result rules out");
        }
    }
    if solution.status != Status::Solved || !matches!(question, Question::Exact | Question::Wld) {
        return Ok(());
    }
    let best = moves.iter().find(|(mv, _)| Some(*mv) == solution.best());
    let is_best = |(_, best): &(Move, MoveValue)| {
        let is_highest =
            |(_, value): &(Move, MoveValue)| value.bounds().lower() <= best.bounds().lower();
        best.bounds().value() == bounds.value()
            && best
                .score()
                .is_none_or(|score| Some(score) == bounds.score())
            && moves.iter().all(is_highest)
    };
    match (lacking.is_empty(), best.map_or(moves.is_empty(), is_best)) {
        (false, _) => bad("a legal move has no score"),
        (true, false) => bad("the best of the moves is not the answer"),
        (true, true) => Ok(()),
    }
}

/// Can both be true?
pub(crate) fn agree(one: &Answer, other: &Answer) -> bool {
    if one.is_error() || other.is_error() {
        return true;
    }
    // Words of other questions say the same in other ways; the bounds decide.
    let results = match (one.result, other.result) {
        (ResultWord::Value(one), ResultWord::Value(other)) => one == other,
        _ => true,
    };
    results && one.solution.bounds.and(other.solution.bounds).is_some()
}
