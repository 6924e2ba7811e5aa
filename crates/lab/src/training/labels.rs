//! Scores for the positions of a played game.
//!
//! A game's result says little about its early positions if a player made errors late. So
//! wherever the true score of a position is known (from the source, or from our solver
//! near the end), all positions before it take that score.

use super::Sample;
use emilia::formats::corpus::Facts;
use emilia::rules::{Board, Color, Game, Position};

/// Variance of scores that no evaluation can predict, in squared discs: a label with this
/// variance counts half.
const NATURAL_VARIANCE: f64 = 64.0;

/// A judgement of a board by a search, in discs for the side to move.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Judgement {
    /// The true score.
    Exact(i32),
    /// The score of a search of some depth.
    Estimate(f64),
    /// None: the search would take too long.
    Unknown,
}

/// The positions of `game` with a legal move, last to first, each with the best
/// score known for it.
///
/// A position whose exact score `judge` or `facts` knows has that score. Any other
/// takes the next known score after it, or, between two known ones, their mean,
/// which counts less the further they are apart. Where `judge` has an estimate, the
/// position takes the mean of that and the estimate: the estimate counts as much if the
/// known score is `even` plies of imperfect play away, and less if it is nearer.
pub fn samples(
    game: &Game,
    facts: &Facts,
    even: f64,
    mut judge: impl FnMut(Board, Option<i8>) -> Judgement,
) -> Vec<Sample> {
    let random = facts.random.min(game.moves().len());
    let positions: Vec<Position> = game.positions().skip(random).collect();
    let over = positions.last().and_then(|last| last.result_for_black());
    // For each position what is known of it, for black, and the last true score before it.
    let mut earlier = None;
    let judged = positions.iter().enumerate().map(|(ply, &position)| {
        let known = score_of(position, facts, over);
        let kept = facts.scores.get(ply).copied();
        let judged = match known {
            Some(score) => Judgement::Exact(score),
            None if position.board.legal_moves().is_empty() => Judgement::Unknown,
            None => judge(position.board, kept).for_black(position),
        };
        let before = earlier;
        if let Judgement::Exact(score) = judged {
            earlier = Some(score);
        }
        (position, judged, before)
    });
    let judged: Vec<_> = judged.collect();

    let mut later = facts.result;
    let mut plies = 0; // from the position to where `later` is known
    let sample = |(position, judged, mut earlier): (Position, Judgement, Option<i32>)| {
        plies += 1;
        if let Judgement::Exact(score) = judged {
            (later, earlier, plies) = (Some(score), None, 0);
        }
        let later = later?;
        let other = earlier.unwrap_or(later);
        let played = f64::from(other + later) / 2.0;
        let black = match judged {
            Judgement::Estimate(estimate) => {
                let share = f64::from(plies) / (f64::from(plies) + even);
                (1.0 - share) * played + share * estimate
            }
            _ => played,
        };
        let variance = (f64::from(other - later) / 2.0).powi(2);
        let sample = Sample {
            board: position.board,
            score: for_black(position, black) as f32,
            weight: (NATURAL_VARIANCE / (NATURAL_VARIANCE + variance)) as f32,
        };
        (!position.board.legal_moves().is_empty()).then_some(sample)
    };
    judged.into_iter().rev().filter_map(sample).collect()
}

/// The true score of a position for black, as far as it is known; `over` is that of the end of its game.
fn score_of(position: Position, facts: &Facts, over: Option<i32>) -> Option<i32> {
    let empties = position.board.empty_count();
    let perfect = over.filter(|_| empties <= facts.perfect);
    let stated = facts.known.filter(|known| known.0 == empties);
    let known = perfect.or(position.result_for_black());
    known.or(stated.map(|known| known.1))
}

impl Judgement {
    /// The judgement for black instead of the side to move.
    fn for_black(self, position: Position) -> Judgement {
        match self {
            Judgement::Exact(score) => Judgement::Exact(for_black(position, score)),
            Judgement::Estimate(score) => Judgement::Estimate(for_black(position, score)),
            Judgement::Unknown => Judgement::Unknown,
        }
    }
}

/// Turns a score for the side to move into one for black, or back.
fn for_black<T: std::ops::Neg<Output = T>>(position: Position, score: T) -> T {
    match position.side {
        Color::Black => score,
        Color::White => -score,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use emilia::oracle::reference;
    use emilia::rules::Move;

    /// A game of `plies` moves, always the first legal one.
    fn game(plies: usize) -> Game {
        let mut game = Game::new(Position::START);
        while game.moves().len() < plies && !game.position().board.is_over() {
            let mv = game.position().board.legal_moves().next();
            game.play(mv.map_or(Move::Pass, Move::Place))
                .expect("legal");
        }
        game
    }

    const FACTS: Facts = Facts {
        result: Some(10),
        known: None,
        random: 0,
        perfect: 0,
        scores: Vec::new(),
    };

    #[test]
    fn a_game_without_known_scores_takes_its_result() {
        let samples = samples(&game(16), &FACTS, 20.0, |_, _| Judgement::Unknown);
        assert_eq!(samples.len(), 17);
        assert_eq!(samples[16].board, Board::START);
        assert_eq!((samples[16].score, samples[15].score), (10.0, -10.0));
    }

    #[test]
    fn random_plies_are_left_out() {
        let facts = Facts {
            random: 10,
            ..FACTS
        };
        let samples = samples(&game(16), &facts, 20.0, |_, _| Judgement::Unknown);
        assert_eq!(samples.len(), 7);
    }

    #[test]
    fn known_scores_label_the_positions_before_them_and_mix_in_between() {
        let facts = Facts {
            known: Some((50, -6)),
            ..FACTS
        };
        for sample in samples(&game(16), &facts, 20.0, |_, _| Judgement::Unknown) {
            let empties = sample.board.empty_count();
            let sign = if empties % 2 == 0 { 1.0 } else { -1.0 };
            let (score, weight) = if empties >= 50 {
                (-6.0, 1.0)
            } else {
                (2.0, 0.5)
            };
            assert_eq!(
                (sign * sample.score, sample.weight),
                (score, weight),
                "{empties} empties"
            );
        }
    }

    #[test]
    fn estimates_count_more_after_more_imperfect_plies() {
        let game = game(16);
        let samples = samples(&game, &FACTS, 17.0, |_, _| Judgement::Estimate(4.0));
        // 17 plies before the result it is (10 + 4) / 2 for black, the side to move.
        assert_eq!((samples[16].board, samples[16].score), (Board::START, 7.0));
        assert!(samples[0].score.abs() > 9.0);
    }

    #[test]
    fn solved_positions_have_their_own_scores() {
        let game = game(99);
        let solve = |board: Board, _| match board.empty_count() {
            0..=6 => Judgement::Exact(reference::solve(board).score),
            _ => Judgement::Unknown,
        };
        let samples = samples(&game, &Facts::default(), 20.0, solve);
        let late = samples.iter().filter(|s| s.board.empty_count() <= 6);
        assert!(late.clone().count() > 0);
        for sample in late {
            assert_eq!(sample.score, reference::solve(sample.board).score as f32);
        }
    }

    #[test]
    fn perfect_play_needs_no_solver() {
        let facts = Facts {
            perfect: 20,
            ..Facts::default()
        };
        let game = game(99);
        let result = game
            .position()
            .result_for_black()
            .expect("the game is over") as f32;
        let asked = std::cell::Cell::new(64);
        let samples = samples(&game, &facts, 20.0, |board, _| {
            asked.set(asked.get().min(board.empty_count()));
            Judgement::Unknown
        });
        assert!(asked.get() > 20);
        assert!(samples.iter().all(|s| s.score.abs() == result.abs()));
    }
}
