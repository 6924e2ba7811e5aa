//! What people chose, from files of games.

use super::ratings::{RatedGame, Ratings};
use emilia::formats::games::{self, GameError, GamePlace, Games};
use emilia::formats::ggf::End;
use emilia::human::Rating;
use emilia::rules::{Board, Color, Game, Move, Square, Symmetry};

/// A game between people.
#[derive(Clone, PartialEq, Debug)]
pub struct PeopleGame {
    /// The first player; empty if the file does not tell.
    pub black: String,
    /// The second player.
    pub white: String,
    /// The year, if the file tells.
    pub year: Option<u16>,
    /// The moves.
    pub game: Game,
    /// The points of the first player, 1, a half or 0, if the game has a result.
    pub points: Option<f64>,
}

/// A choice of a person between moves that are not all equal up to symmetry.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Choice {
    /// The position.
    pub board: Board,
    /// The move.
    pub square: Square,
    /// The strength of the player.
    pub rating: Rating,
    /// The number of the game.
    pub game: u32,
}

/// The games between people among those that a file has; those that cannot be read are given to `refused`.
pub fn between_people(
    games: &mut Games,
    mut refused: impl FnMut(GamePlace, GameError),
) -> Vec<PeopleGame> {
    let mut people = Vec::new();
    for found in games {
        match found.game {
            Ok(game) if is_person(&game.black.name) && is_person(&game.white.name) => {
                let result = game.result.filter(|result| result.end == End::Over);
                people.push(PeopleGame {
                    year: games::year(&game),
                    points: result.map(|result| 0.5 + 0.5 * result.score.clamp(-1.0, 1.0).trunc()),
                    black: game.black.name,
                    white: game.white.name,
                    game: game.game,
                });
            }
            Ok(_) => {}
            Err(error) => refused(found.place, error),
        }
    }
    people
}

/// Is this the name of a person, or none? WTHOR names the author of a program behind it, in brackets, and has `???` for people of whom nothing is known.
fn is_person(name: &str) -> bool {
    let name = name.trim();
    !(name.starts_with("???") || name.contains('(') && name.ends_with(')'))
}

impl PeopleGame {
    /// The result, if the players, the year and the points are known.
    pub fn result(&self) -> Option<RatedGame<'_>> {
        let is_named = !self.black.is_empty() && !self.white.is_empty();
        Some(RatedGame {
            black: &self.black,
            white: &self.white,
            year: self.year?,
            points: self.points.filter(|_| is_named)?,
        })
    }

    /// The choices of the game, which has this `number`. A player without a rating has the `default` one; without it his choices are left out.
    pub fn choices(
        &self,
        number: u32,
        ratings: &Ratings,
        default: Option<Rating>,
    ) -> impl Iterator<Item = Choice> {
        let rating = |name| {
            self.year
                .and_then(|year| ratings.get(name, year))
                .or(default)
        };
        let (black, white) = (rating(&self.black), rating(&self.white));
        let played = self.game.positions().zip(self.game.moves());
        played.filter_map(move |(position, mv)| {
            let Move::Place(square) = *mv else {
                return None;
            };
            let rating = match position.side {
                Color::Black => black,
                Color::White => white,
            };
            let board = position.board;
            let is_choice = groups(board).iter().any(|&group| group > 0);
            let choice = |rating| Choice {
                board,
                square,
                rating,
                game: number,
            };
            rating.filter(|_| is_choice).map(choice)
        })
    }
}

/// Is the board its own image by a symmetry?
pub(super) fn is_symmetric(board: Board) -> bool {
    let mut others = Symmetry::all().skip(1);
    others.any(|symmetry| board.transform(symmetry) == board)
}

/// For each legal move the number of the first one that is equal to it up to symmetry.
pub(super) fn groups(board: Board) -> Vec<usize> {
    let moves = board.legal_moves();
    if !is_symmetric(board) {
        return (0..moves.count() as usize).collect();
    }
    let boards: Vec<Board> = moves.map(|square| board.play(square).canonical()).collect();
    let first = |after: &Board| boards.iter().position(|other| other == after);
    boards.iter().filter_map(first).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use emilia::formats::games::{LineGrouping, Names, Source};

    #[test]
    fn programs_and_unknown_people_are_no_people() {
        for name in ["", "ann", "De Ann B.", "ben (j"] {
            assert!(is_person(name), "{name}");
        }
        for name in ["???", "thor (smith)", "Prog (a.b.) "] {
            assert!(!is_person(name), "{name}");
        }
    }

    #[test]
    fn games_between_people_have_choices_and_results() {
        let text = "[Black \"ann\"]\n[White \"ben\"]\n[Date \"2015.01.02\"]\n[Result \"40-24\"]\n\n1. f5 d6 2. c3 *\n\n\
            [Black \"ann\"]\n[White \"thor (smith)\"]\n\n1. f5 *\n\n[Black \"ann\"]\n1. a1 *\n";
        let source = Source::whole(text.as_bytes()).expect("games");
        let mut refused = 0;
        let mut games = source.games(LineGrouping::OneGame, Names::default());
        let people = between_people(&mut games, |_, _| refused += 1);
        assert_eq!((people.len(), refused), (1, 1));
        let result = people[0].result().expect("all is known");
        assert_eq!(
            (result.black, result.year, result.points),
            ("ann", 2015, 1.0)
        );
        let ratings = Ratings::new(&[result]);
        let choices: Vec<Choice> = people[0].choices(7, &ratings, None).collect();
        // The first move is none: all four are equal.
        assert_eq!(choices.len(), 2);
        assert_eq!(choices[0].square.name(), "d6");
        assert!(choices[0].rating < choices[1].rating && choices[0].game == 7);
    }

    #[test]
    fn moves_that_are_equal_up_to_symmetry_are_one_group() {
        assert_eq!(groups(Board::START), [0; 4]);
        let next = Board::START.play(Square::wrapping(37)); // f5
        assert_eq!(groups(next), [0, 1, 2]);
    }
}
