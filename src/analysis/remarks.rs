//! What is worth saying of moves as people find them: hard positions, common mistakes, moves that set a problem.

use serde::{Deserialize, Serialize};

use super::Verdict;
use crate::rules::Square;

/// A move that loses so many discs goes wrong: the least that two exact scores can differ by.
pub const WRONG: f64 = 2.0;

/// A position is hard if so large a share of players goes wrong there.
pub const HARD: f64 = 0.6;

/// A mistake is common if so large a share of players makes it.
pub const COMMON: f64 = 0.35;

/// A move that sets a problem loses at least and at most so many discs.
const PROBLEM: (f64, f64) = (0.5, 2.0);

/// Remarks of one kind in a game.
const MOST: usize = 3;

/// What players of one rating find in a position.
#[derive(Clone, PartialEq, Debug)]
pub struct RatingFinding {
    /// Their rating, in Elo.
    pub rating: u16,
    /// The share of them that plays the move that was played, 0 to 1.
    pub share: f64,
    /// The share of them that loses two discs or more, as far as that is known.
    pub hard: Option<f64>,
    /// The share of them that plays each legal move.
    pub shares: Vec<(Square, f64)>,
}

/// What is special about a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Remark {
    /// Most players go wrong in the position.
    Hard,
    /// It goes wrong, and many do the same.
    Common,
    /// It loses little, and most players go wrong after it.
    Problem,
}

/// A remark, and how much there is to it.
struct Weighed {
    remark: Remark,
    weight: f64,
    text: String,
}

/// A remark on each move of a game of which there is one, with its sentence: the strongest of each kind.
pub(super) fn remarks(
    verdicts: &[Verdict],
    findings: &[Option<RatingFinding>],
) -> Vec<Option<(Remark, String)>> {
    let next =
        (1..=verdicts.len()).map(|at| Some((verdicts.get(at)?, findings.get(at)?.as_ref()?)));
    let moves = verdicts.iter().zip(findings).zip(next);
    let mut found: Vec<Option<Weighed>> = moves
        .map(|((verdict, finding), next)| {
            let next = next.filter(|(next, _)| next.side() != verdict.side());
            let problem = next.and_then(|(_, answer)| problem(verdict, answer));
            problem.or_else(|| {
                let finding = finding.as_ref()?;
                common(verdict, finding).or_else(|| hard(verdict, finding))
            })
        })
        .collect();
    for kind in [Remark::Hard, Remark::Common, Remark::Problem] {
        let of_kind = |found: &&Weighed| found.remark == kind;
        let mut weights: Vec<f64> = found
            .iter()
            .flatten()
            .filter(of_kind)
            .map(|found| found.weight)
            .collect();
        weights.sort_by(|a, b| b.total_cmp(a));
        let Some(&least) = weights.get(MOST - 1) else {
            continue;
        };
        for remark in &mut found {
            remark.take_if(|found| found.remark == kind && found.weight < least);
        }
    }
    let sentence = |found: Option<Weighed>| found.map(|found| (found.remark, found.text));
    found.into_iter().map(sentence).collect()
}

fn problem(verdict: &Verdict, answer: &RatingFinding) -> Option<Weighed> {
    let (loss, wrong) = (verdict.loss(), answer.hard?);
    let is_one = wrong >= HARD && (PROBLEM.0..=PROBLEM.1).contains(&loss);
    is_one.then(|| Weighed {
        remark: Remark::Problem,
        weight: wrong,
        text: format!(
            "loses {}, but {} of players of {} go wrong after it",
            discs(verdict),
            percent(wrong),
            answer.rating
        ),
    })
}

fn hard(verdict: &Verdict, finding: &RatingFinding) -> Option<Weighed> {
    let wrong = finding.hard.filter(|&hard| hard >= HARD)?;
    let found = match verdict.loss() < WRONG {
        true => ", and well found",
        false => "",
    };
    Some(Weighed {
        remark: Remark::Hard,
        weight: wrong,
        text: format!(
            "hard{found}: {} of players of {} go wrong here",
            percent(wrong),
            finding.rating
        ),
    })
}

fn common(verdict: &Verdict, finding: &RatingFinding) -> Option<Weighed> {
    let is_one = verdict.loss() >= WRONG && finding.share >= COMMON;
    is_one.then(|| Weighed {
        remark: Remark::Common,
        weight: finding.share * verdict.loss(),
        text: format!(
            "loses {}, a common mistake: {} of players of {} play it",
            discs(verdict),
            percent(finding.share),
            finding.rating
        ),
    })
}

/// What a move lost, in words.
fn discs(verdict: &Verdict) -> String {
    let loss = verdict.loss();
    match verdict.is_exact() {
        true => format!("{loss:.0} discs"),
        false => format!("{loss:.1} discs"),
    }
}

/// `70%`.
pub fn percent(share: f64) -> String {
    format!("{:.0}%", 100.0 * share)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Worth;
    use crate::rules::{Color, Move, Position};
    use crate::score::Score;

    const SIDES: [Color; 2] = [Color::Black, Color::White];

    /// Moves by turns: what each loses, the share of players who play it, and of those who go wrong in its position.
    fn said(moves: &[(f64, f64, f64)]) -> Vec<Option<(Remark, String)>> {
        let verdict = |at: usize, loss: f64| Verdict {
            number: at + 1,
            position: Position {
                side: SIDES[at % 2],
                ..Position::START
            },
            played: Move::Pass,
            before: Worth::estimate(Score::from_raw((loss * 128.0) as i32)),
            after: Worth::estimate(Score::from_raw(0)),
            best: Move::Pass,
            line: Vec::new(),
        };
        let finding = |share, hard| RatingFinding {
            rating: 1600,
            share,
            hard: Some(hard),
            shares: Vec::new(),
        };
        let moves = moves.iter().enumerate();
        let (verdicts, findings): (Vec<Verdict>, Vec<Option<RatingFinding>>) = moves
            .map(|(at, &(loss, share, hard))| (verdict(at, loss), Some(finding(share, hard))))
            .unzip();
        remarks(&verdicts, &findings)
    }

    #[test]
    fn problems_hard_positions_and_common_mistakes_are_named() {
        let text = |found: &Option<(Remark, String)>| found.as_ref().map(|found| found.1.clone());
        let found = said(&[
            (1.0, 0.1, 0.2),
            (0.0, 0.2, 0.7),
            (4.0, 0.5, 0.5),
            (0.0, 0.9, 0.1),
            (3.0, 0.1, 0.1),
            (2.5, 0.3, 0.65),
        ]);
        let found: Vec<Option<String>> = found.iter().map(text).collect();
        let sentences = [
            "loses 1.0 discs, but 70% of players of 1600 go wrong after it",
            "hard, and well found: 70% of players of 1600 go wrong here",
            "loses 4.0 discs, a common mistake: 50% of players of 1600 play it",
            "",
            "",
            "hard: 65% of players of 1600 go wrong here",
        ];
        let sentences = sentences.map(|text| (!text.is_empty()).then(|| text.to_owned()));
        assert_eq!(found, sentences);
    }

    #[test]
    fn remarks_of_a_kind_are_few() {
        let hard: Vec<(f64, f64, f64)> = (0..20)
            .map(|at| (0.0, 0.1, 0.6 + 0.01 * f64::from(at)))
            .collect();
        let found = said(&hard);
        assert_eq!(found.iter().flatten().count(), MOST);
        assert!(found[17..].iter().all(Option::is_some));
    }

    #[test]
    fn without_findings_there_is_nothing_to_say() {
        assert_eq!(remarks(&[], &[]), []);
    }
}
