//! By how much the scores of searches are too near to a draw.
//!
//! A fit makes estimates right on average over its samples, among which many boards follow from poor moves. A
//! search ends on boards to which good moves led, and there the side that is ahead wins by more than
//! the estimate.

use super::study::Study;

/// Farthest score from a draw, in discs, that counts. Beyond, final scores cannot grow much, as there are 64.
const FARTHEST: i32 = 32;

/// Deepest searches of each position that count: one for each parity.
const DEEPEST: usize = 2;

/// How many times as far from a draw final scores are as searches say that end with `least` empties
/// or more: the slope of the line of least squares through both. 1 where there is none.
pub fn growth(solved: &[Study], least: u32) -> f64 {
    let points = solved.iter().flat_map(|study| points(study, least));
    slope(&points.collect::<Vec<_>>()).unwrap_or(1.0)
}

/// The scores of the deepest searches of `study`, each with the final score.
fn points(study: &Study, least: u32) -> impl Iterator<Item = (f64, f64)> {
    let horizon = study.board.empty_count().saturating_sub(least) as usize;
    let searches = study.scores.iter().enumerate().rev().take(DEEPEST);
    searches
        .filter(move |&(depth, score)| depth <= horizon && score.abs() <= FARTHEST)
        .filter_map(|(_, &score)| Some((f64::from(score), f64::from(study.exact?))))
}

fn slope(points: &[(f64, f64)]) -> Option<f64> {
    let count = points.len() as f64;
    let sums = |sums: (f64, f64), (x, y): &(f64, f64)| (sums.0 + x, sums.1 + y);
    let (x_sum, y_sum) = points.iter().fold((0.0, 0.0), sums);
    let (mut squares, mut products) = (0.0, 0.0);
    for (x, y) in points {
        let x = x - x_sum / count;
        squares += x * x;
        products += x * (y - y_sum / count);
    }
    (squares > 0.0).then_some(products / squares)
}

#[cfg(test)]
mod tests {
    use super::*;
    use emilia::rules::Board;

    /// A study of a board of 60 empties with these scores.
    fn study(scores: &[i32], exact: i32) -> Study {
        Study {
            board: Board::START,
            scores: scores.to_vec(),
            exact: Some(exact),
        }
    }

    #[test]
    fn final_scores_grow_with_those_of_the_deepest_searches() {
        let grown = [
            study(&[50, 10, 10], 13),
            study(&[-50, -10, -10], -11),
            study(&[0, 0, 40], 3),
        ];
        // The points (10, 13) twice, (-10, -11) twice and (0, 3).
        assert!((growth(&grown, 8) - 1.2).abs() < 1e-9);
        // With 59 empties at the horizon only a search of one ply ends.
        assert!((growth(&grown, 59) - 1.2).abs() < 1e-9);
    }

    #[test]
    fn nothing_to_compare_is_no_growth() {
        assert_eq!(growth(&[], 8), 1.0);
        assert_eq!(growth(&[study(&[0, 4, 4], 9)], 8), 1.0);
        assert_eq!(growth(&[study(&[0, 4, 5], 9)], 60), 1.0);
        let unsolved = Study {
            exact: None,
            ..study(&[0, 4, 8], 0)
        };
        assert_eq!(growth(&[unsolved], 8), 1.0);
    }
}
