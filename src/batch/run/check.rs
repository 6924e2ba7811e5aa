//! Comparing an answer with what its OBF line knows, and with itself.

use crate::batch::answer::Verdict;
use crate::batch::problem::{MoveValue, Solution, Status};
use crate::formats::obf;
use crate::rules::{Color, Position};
use crate::score::{GameValue, Question};

/// Compares the value, the best move, every move's score where both sides have it, and
/// plays the principal variation out.
pub(crate) fn compare(known: &obf::Problem, question: Question, solution: &Solution) -> Verdict {
    let found = value_error(known, solution)
        .or_else(|| best_move_error(known, question, solution))
        .or_else(|| move_scores_error(known, solution))
        .or_else(|| variation_error(known.position, question, solution));
    match (found, known.score()) {
        (Some(reason), _) => Verdict::Mismatch(reason),
        (None, Some(_)) => Verdict::Agrees,
        (None, None) => Verdict::Unknown,
    }
}

fn value_error(known: &obf::Problem, solution: &Solution) -> Option<String> {
    let known = known.score()?;
    let bounds = solution.bounds;
    let agrees = (bounds.lower()..=bounds.upper()).contains(&known);
    (!agrees).then(|| format!("the known score is {known:+}"))
}

/// What a question makes of a score: those that it does not tell apart are equal.
const fn answer(question: Question, score: i32) -> i32 {
    match question {
        Question::Exact => score,
        Question::Wld => score.signum(),
        Question::AtLeast(discs) => (score >= discs) as i32,
        Question::AtMost(discs) => (score <= discs) as i32,
        Question::Equal(discs) => (score == discs) as i32,
    }
}

/// The move claimed best must be as good as the best known one, as far as the question goes.
fn best_move_error(
    known: &obf::Problem,
    question: Question,
    solution: &Solution,
) -> Option<String> {
    let best = solution
        .best()
        .filter(|_| solution.status == Status::Solved)?;
    let (known, score) = (known.score()?, known.move_score(best)?);
    let agrees = answer(question, score) == answer(question, known);
    (!agrees).then(|| format!("{best} is known to score {score:+}, the best move {known:+}"))
}

fn move_scores_error(known: &obf::Problem, solution: &Solution) -> Option<String> {
    let moves = solution.moves.as_ref()?;
    known.moves.iter().find_map(|&(mv, known)| {
        match moves.iter().find(|&&(found, _)| found == mv) {
            Some(&(_, MoveValue::Score(score))) if score == known => None,
            Some(&(_, MoveValue::Result(value))) if value == GameValue::of_discs(known) => None,
            Some(&(_, MoveValue::Result(value))) => {
                Some(format!("{mv} is a {}, known is {known:+}", value.name()))
            }
            Some(&(_, MoveValue::Score(score))) => {
                Some(format!("{mv} scores {score:+}, known is {known:+}"))
            }
            None => Some(format!("{mv} has no score, known is {known:+}")),
        }
    })
}

/// The variation must be legal. That of a solve to the disc must end with the game, and lead to the
/// score; of who wins it may stop before, and of a claim, and of what was only remembered, it need
/// not show more than the move.
fn variation_error(start: Position, question: Question, solution: &Solution) -> Option<String> {
    let mut position = start;
    for &mv in &solution.line {
        position = match position.play(mv) {
            Some(next) => next,
            None => return Some(format!("the variation has the illegal move {mv}")),
        };
    }
    let must_show = matches!(question, Question::Exact | Question::Wld);
    if !must_show || solution.is_remembered || solution.status != Status::Solved {
        return None;
    }
    let Some(end) = position.result_for_black() else {
        return (question == Question::Exact)
            .then(|| "the variation stops before the game is over".to_owned());
    };
    let score = match start.side {
        Color::Black => end,
        Color::White => -end,
    };
    let bounds = solution.bounds;
    let agrees = answer(question, score) == answer(question, bounds.lower());
    // A loss is known by its upper bound alone.
    let agrees = agrees || question == Question::Wld && bounds.upper() < 0 && score < 0;
    (!agrees).then(|| format!("the variation leads to {score:+}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Move;
    use crate::score::Bounds;

    /// White has one move, h8, and wins by it: 2 empties after a pass would be wrong.
    const LINE: &str = "OXXXXXXXOXXXXXXXOXXXXXXXOXXXXXXXOXXXXXXXOXXXXXXXOXXXXXXXXXXXXXX- O";

    fn solved(text: &str, score: i32, line: &[&str]) -> (obf::Problem, Solution) {
        let known: obf::Problem = text.parse().expect(text);
        let line: Vec<Move> = line.iter().map(|mv| mv.parse().expect("a move")).collect();
        let solution = Solution {
            status: Status::Solved,
            ..Solution::proven(Bounds::exactly(score), line, 1)
        };
        (known, solution)
    }

    fn compare(known: &obf::Problem, solution: &Solution) -> Verdict {
        super::compare(known, Question::Exact, solution)
    }

    /// The score of the only line from `LINE`.
    fn truth() -> i32 {
        let problem: obf::Problem = LINE.parse().expect("a problem");
        crate::oracle::reference::solve(problem.position.board).score
    }

    fn verdict(known: i32, claimed: i32, pv: &[&str]) -> Verdict {
        let (problem, solved) = solved(&format!("{LINE}; H8:{known:+};"), claimed, pv);
        compare(&problem, &solved)
    }

    #[test]
    fn agreement_and_mismatch_are_told_apart() {
        let truth = truth();
        let is_mismatch = |verdict| matches!(verdict, Verdict::Mismatch(_));
        assert_eq!(verdict(truth, truth, &["h8"]), Verdict::Agrees);
        assert!(is_mismatch(verdict(truth + 2, truth, &["h8"])), "score");
        assert!(is_mismatch(verdict(truth + 2, truth + 2, &["h8"])), "line");
        assert!(is_mismatch(verdict(truth, truth, &[])), "short");
        assert!(is_mismatch(verdict(truth, truth, &["h8", "a1"])), "illegal");
    }

    #[test]
    fn without_a_known_score_the_line_is_still_played_out() {
        let (problem, right) = solved(LINE, truth(), &["h8"]);
        assert_eq!(compare(&problem, &right), Verdict::Unknown);
        let (problem, wrong) = solved(LINE, truth() - 2, &["h8"]);
        assert!(matches!(compare(&problem, &wrong), Verdict::Mismatch(_)));
    }

    #[test]
    fn every_known_move_needs_its_score() {
        let (problem, mut solved) = solved(&format!("{LINE}; H8:{:+};", truth()), truth(), &["h8"]);
        solved.moves = Some(vec![(
            "h8".parse().expect("a move"),
            MoveValue::Score(truth()),
        )]);
        assert_eq!(compare(&problem, &solved), Verdict::Agrees);
        solved.moves = Some(Vec::new());
        assert!(matches!(compare(&problem, &solved), Verdict::Mismatch(_)));
    }
}
