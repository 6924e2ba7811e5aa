//! A player of a rating: it draws its move, as people of that rating choose theirs.
//!
//! The weight of a move is p^a · exp(−c · loss): p is the share of people of the rating who play it
//! ([`Model`](crate::human::Model)), the loss in discs is what a search says. Where people are, a is 1 and c is 0.
//! Above them a falls to 0, c rises and searches are deeper; below them a falls too, and there is no search: the loss is
//! that of the static evaluation.
//! Moves that lose more than nearly all people of the rating lose are never played. The draw is from a seed, so no two
//! games need be the same.

use std::fmt;

use crate::eval::Evaluator;
use crate::host::Instant;
use crate::human::bands::most_lost;
use crate::human::{MoveShare, Rating, players_model};
use crate::random::SplitMix64;
use crate::rules::{Bitboard, Board, Move, Square};
use crate::score::{Bounds, Score};
use crate::search::{Bound, Control, Info, Limits, Outcome, Proof, Searcher, Selectivity};

/// How a player of a rating chooses.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Skill {
    /// Plies that it looks ahead in the middle of the game; 0: it does not search.
    pub(super) depth: u32,
    /// Empties from which on it solves the game.
    pub(super) solves: u32,
    /// The power of the share of people who play a move: 1 as they do, 0 whatever they do.
    likeness: f32,
    /// How much it dislikes to lose a disc: a move that loses one has e^−care of the weight.
    care: f32,
}

/// Skills at some ratings, linear between them: the Elo, plies, empties from which on it solves, likeness, care.
/// To 850 nobody searches; from there on the search is that of 8 plies that the model was fitted with: shallower ones play worse than none.
const SKILLS: [(f32, [f32; 4]); 8] = [
    (0.0, [0.0, 0.0, 0.1, 0.0]),
    (850.0, [0.0, 0.0, 1.0, 0.0]),
    (851.0, [8.0, 8.0, 1.0, 0.0]),
    (1800.0, [8.0, 8.0, 1.0, 0.0]),
    (2100.0, [8.0, 12.0, 0.6, 0.5]),
    (2400.0, [9.0, 15.0, 0.3, 1.0]),
    (2700.0, [11.0, 18.0, 0.1, 2.0]),
    (3000.0, [14.0, 21.0, 0.0, 4.0]),
];

/// Care per disc from which on moves that are not among the best [`FEW`] do not count.
const CAREFUL: f32 = 0.9;

/// Moves that a careful player compares.
const FEW: usize = 4;

/// How much more a corner weighs for a player without a search who does not go by what people play, as a power of e.
const CORNERS_PULL: f32 = 2.5;

/// Until so many empties the moves of a player vary who does not go by what people play.
const VARIES: u32 = 40;

impl Skill {
    /// That of a rating.
    pub(super) fn of(rating: Rating) -> Skill {
        let elo = rating.elo();
        let above = SKILLS.iter().position(|&(at, _)| at >= elo);
        let above = above.map_or(SKILLS.len() - 1, |above| above.max(1));
        let ((low, from), (high, to)) = (SKILLS[above - 1], SKILLS[above]);
        let part = (elo - low) / (high - low);
        let [depth, solves, likeness, care] =
            std::array::from_fn(|k| (to[k] - from[k]).mul_add(part, from[k]));
        Skill {
            depth: depth.round() as u32,
            solves: solves.round() as u32,
            likeness,
            care,
        }
    }

    /// Moves of a board that it compares.
    const fn lines(&self, board: Board) -> usize {
        if self.care < CAREFUL {
            64
        } else if self.likeness > 0.0 || board.empty_count() > VARIES {
            FEW
        } else {
            1
        }
    }
}

/// `looks 8 plies ahead, solves the last 8 squares, plays as people do`
impl fmt::Display for Skill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let manner = match self.likeness {
            0.95.. => "plays as people do",
            0.0 => "plays as the engine does",
            _ if self.care == 0.0 => "knows a little of what people play",
            _ => "errs less than people do",
        };
        if self.depth == 0 {
            return write!(f, "does not look ahead, {manner}");
        }
        let plies = if self.depth == 1 { "ply" } else { "plies" };
        let (depth, solves) = (self.depth, self.solves);
        write!(f, "looks {depth} {plies} ahead, ")?;
        write!(f, "solves the last {solves} squares, {manner}")
    }
}

/// A player in one search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Person {
    /// How strong it is.
    pub(super) rating: Rating,
    /// What its choice is drawn from.
    pub(super) seed: u64,
}

impl Person {
    /// Its move. `limits` are those of the search for it. As many lines are reported as they want; the first one is that of the move only where they want one.
    pub(super) fn choose(
        &self,
        searcher: &mut Searcher,
        board: Board,
        limits: &Limits,
        control: &Control,
    ) -> Outcome {
        let skill = Skill::of(self.rating);
        let has_choice = board.legal_moves().count() > 1;
        let mut outcome = if has_choice && skill.depth == 0 {
            glance(searcher.evaluator(), board, limits)
        } else {
            let limits = Limits {
                multipv: skill.lines(board).max(limits.multipv),
                ..limits.clone()
            };
            searcher.search(board, &limits, control, &mut |_| {})
        };
        if let Some(chosen) = self.draw(&skill, board, &outcome.lines) {
            let line = &outcome.lines[chosen];
            outcome.best = line.pv.first().copied();
            outcome.ponder = line.pv.get(1).copied();
            if limits.multipv <= 1 {
                outcome.lines.swap(0, chosen);
                outcome.lines[0].multipv = 1;
            }
        }
        outcome.lines.truncate(limits.multipv.max(1));
        outcome
    }

    /// The number of the line to play; `None`: there is no choice.
    fn draw(&self, skill: &Skill, board: Board, lines: &[Info]) -> Option<usize> {
        let square = |line: &Info| line.pv.first().and_then(|mv| mv.square());
        let values: Vec<(Square, Score)> = lines
            .iter()
            .filter_map(|line| Some((square(line)?, line.score)))
            .collect();
        if values.len() < 2 || values.len() < lines.len() {
            return None;
        }
        let best = values.iter().map(|&(_, score)| score).max()?;
        let most = most_lost(self.rating, board);
        let shares = self.shares(skill, board, &values);
        let pull = if skill.depth == 0 {
            CORNERS_PULL * (1.0 - skill.likeness)
        } else {
            0.0
        };
        let weight = |(&(square, score), share): (&(Square, Score), f32)| {
            let pull = if Bitboard::CORNERS.contains(square) {
                pull
            } else {
                0.0
            };
            let loss = (best.to_f64() - score.to_f64()) as f32;
            if loss > most {
                return 0.0;
            }
            share.powf(skill.likeness) * (pull - skill.care * loss).exp()
        };
        let weights: Vec<f32> = values.iter().zip(shares).map(weight).collect();
        Some(SplitMix64::new(self.seed).weighted(&weights))
    }

    /// The share of people who play each move.
    fn shares(&self, skill: &Skill, board: Board, values: &[(Square, Score)]) -> Vec<f32> {
        /// No move is less likely.
        const LEAST: f32 = 1e-6;
        let none = || vec![1.0; values.len()];
        if skill.likeness == 0.0 {
            return none();
        }
        // Whoever gives a player its rating has made sure that there is a model.
        let Ok(model) = players_model() else {
            return none();
        };
        let rating = self.rating.min(Rating::TOP_OF_PEOPLE);
        let searched = (skill.depth > 0).then_some(values);
        let shares = model.probabilities(board, rating, searched);
        let share = |&(square, _): &(Square, Score)| {
            MoveShare::of(square, &shares).map_or(LEAST, |share| share.max(LEAST))
        };
        values.iter().map(share).collect()
    }
}

/// All moves as they look without a search, the best first.
fn glance(evaluator: &Evaluator, board: Board, limits: &Limits) -> Outcome {
    let start = Instant::now();
    let is_allowed = |square: &Square| limits.moves.is_none_or(|moves| moves.contains(*square));
    let moves = board.legal_moves().filter(is_allowed);
    let mut values: Vec<(Square, Score)> = moves
        .map(|square| (square, -evaluator.estimate(board.play(square))))
        .collect();
    values.sort_by_key(|&(_, score)| std::cmp::Reverse(score));
    let (nodes, time) = (values.len() as u64, start.elapsed());
    let line = |(rank, (square, score))| Info {
        depth: 1,
        selectivity: Selectivity::Full,
        multipv: rank,
        score,
        unrounded: score,
        minimax: score,
        bound: Bound::Exact,
        proof: Proof::None,
        nodes,
        time,
        hashfull: 0,
        pv: vec![Move::Place(square)],
    };
    Outcome::of((1..).zip(values).map(line).collect(), true, Bounds::UNKNOWN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Strength;
    use crate::rules::{Game, Position};
    use crate::search::Goal;

    fn searcher() -> Searcher {
        Searcher::small(Evaluator::embedded()).expect("memory")
    }

    fn choose(searcher: &mut Searcher, elo: f32, board: Board, seed: u64, host: Limits) -> Outcome {
        let strength = Strength::Rating(Rating::new(elo));
        let limits = strength.limits(board.empty_count(), host);
        let person = strength.person(seed).expect("a rating is a person");
        person.choose(searcher, board, &limits, &Control::new())
    }

    /// The first plies of a game of a rating against itself.
    fn game(searcher: &mut Searcher, elo: f32, seed: u64, plies: usize) -> Game {
        searcher.forget();
        let mut seeds = SplitMix64::new(seed);
        let mut game = Game::new(Position::START);
        while game.moves().len() < plies && !game.position().board.is_over() {
            let board = game.position().board;
            let outcome = choose(searcher, elo, board, seeds.next_u64(), Limits::default());
            let best = outcome.best.expect("a move");
            game.play(best).expect("a legal move");
        }
        game
    }

    #[test]
    fn a_seed_repeats_its_game_and_others_play_others() {
        let mut searcher = searcher();
        for elo in [0.0, 600.0, 860.0] {
            let mut played = |seed| game(&mut searcher, elo, seed, 24).transcript();
            let games: Vec<String> = (0..6).map(&mut played).collect();
            let different: std::collections::BTreeSet<&String> = games.iter().collect();
            assert_eq!(different.len(), games.len(), "{elo}");
            assert_eq!(played(0), games[0]);
        }
    }

    #[test]
    fn whole_games_are_played() {
        let mut searcher = searcher();
        for elo in [0.0, 300.0, 600.0] {
            assert!(game(&mut searcher, elo, 1, 100).position().board.is_over());
        }
    }

    #[test]
    fn even_a_beginner_wins_at_once() {
        let mut searcher = searcher();
        let text = "-OX------------------------------------------------------------- X";
        let board = text.parse::<Position>().expect("well formed").board;
        for elo in [0.0, 600.0, 1000.0, 3000.0] {
            for seed in 0..20 {
                let outcome = choose(&mut searcher, elo, board, seed, Limits::default());
                assert_eq!(
                    outcome.best,
                    Some(Move::Place(Square::wrapping(0))),
                    "{elo}"
                );
            }
        }
    }

    #[test]
    fn a_choice_that_is_solved_is_reported_as_what_it_is_worth() {
        let mut searcher = searcher();
        let game = game(&mut searcher, 600.0, 3, 54);
        let position = game.position();
        for elo in [1000.0, 2700.0] {
            let outcome = choose(&mut searcher, elo, position.board, 5, Limits::default());
            let after = position.play(outcome.best.expect("a move")).expect("legal");
            let exact = Limits {
                goal: Goal::EXACT,
                ..Limits::default()
            };
            let found = searcher.search(after.board, &exact, &Control::new(), &mut |_| {});
            assert_eq!(outcome.lines[0].score, -found.lines[0].score, "{elo}");
        }
    }

    #[test]
    fn hosts_get_the_lines_and_the_moves_that_they_ask_for() {
        let mut searcher = searcher();
        let board = game(&mut searcher, 600.0, 3, 10).position().board;
        let moves: Vec<Square> = board.legal_moves().take(3).collect();
        let allowed = moves.iter().fold(0, |all, square| all | square.bit());
        for elo in [0.0, 1000.0] {
            for (multipv, count) in [(1, 1), (2, 2), (9, 3)] {
                let host = Limits {
                    multipv,
                    moves: Some(Bitboard(allowed)),
                    ..Limits::default()
                };
                let outcome = choose(&mut searcher, elo, board, 1, host);
                assert_eq!(outcome.lines.len(), count);
                let best = outcome.best.and_then(|mv| mv.square());
                assert!(best.is_some_and(|best| moves.contains(&best)));
            }
        }
    }

    #[test]
    fn a_stopped_search_still_has_a_move() {
        let mut searcher = searcher();
        let person = Person {
            rating: Rating::new(1500.0),
            seed: 1,
        };
        let control = Control::new();
        control.stop();
        let outcome = person.choose(&mut searcher, Board::START, &Limits::default(), &control);
        assert!(outcome.best.is_some());
    }

    #[test]
    fn what_people_do_not_lose_is_not_lost() {
        let mut searcher = searcher();
        let board = game(&mut searcher, 600.0, 4, 20).position().board;
        let person = Person {
            rating: Rating::new(1000.0),
            seed: 0,
        };
        let mut lines = glance(searcher.evaluator(), board, &Limits::default()).lines;
        let most = most_lost(person.rating, board);
        let best = lines[0].score.to_f64() as f32;
        for (at, line) in lines.iter_mut().enumerate().skip(2) {
            let units = (best - most - at as f32) * f32::from(Score::PER_DISC as i16);
            line.score = Score::from_raw(units as i32);
        }
        let skill = Skill::of(person.rating);
        for seed in 0..500 {
            let chosen = Person { seed, ..person }.draw(&skill, board, &lines);
            assert!(chosen.is_some_and(|chosen| chosen < 2));
        }
    }

    #[test]
    fn skills_change_evenly() {
        let skills: Vec<Skill> = (0..=3000)
            .map(|elo| Skill::of(Rating::new(elo as f32)))
            .collect();
        assert!(
            skills.is_sorted_by(|a, b| a.depth <= b.depth
                && a.solves <= b.solves
                && a.care <= b.care)
        );
        assert_eq!(Skill::of(Rating::new(1500.0)).likeness, 1.0);
        assert_eq!(skills[3000].likeness, 0.0);
        assert_eq!(skills[0].depth, 0);
    }
}
