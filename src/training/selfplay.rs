//! Games for training: some moves at random, then the engine against itself.
//!
//! Games between good players show few bad moves, yet a search looks at bad moves
//! all the time. So each game begins with random moves, as many as a draw decides,
//! from the start or from a position of an opening list; what follows is played
//! well, so that the result says what the random position was worth.
//!
//! A game is one line of text: its moves, the final score for black, and how it was
//! made (`random R exact E`: the first R plies do not count as played well; from E
//! empties on play was perfect).

use std::fmt;
use std::str::FromStr;

use super::solver::Solver;
use crate::random::SplitMix64;
use crate::rules::{Board, Game, Move, Position};

/// How games are played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlayOptions {
    /// Depth of the search for each move, at least 1.
    pub depth: u32,
    /// Empties from which on play is exact.
    pub exact: u32,
    /// Random plies from the start position are drawn from 0..=this.
    pub max_random: u32,
    /// Random plies after an opening are drawn from 1..=this.
    pub max_deviation: u32,
}

/// A game with what is known about how it was played.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlayedGame {
    /// The moves from the start position to the end.
    pub game: Game,
    /// The final score for black.
    pub score: i32,
    /// How it was made.
    pub origin: Origin,
}

/// How a game was made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Origin {
    /// Plies at the start that were given or drawn at random.
    pub random: usize,
    /// Empties from which on both sides played perfectly.
    pub exact: u32,
}

/// Plays game number `number` of the run with this `seed`: the same numbers give
/// the same game. It starts from a random position of a random one of `openings`
/// half of the time, if there are any.
pub fn play(
    solver: &mut Solver,
    options: &PlayOptions,
    openings: &[Game],
    seed: u64,
    number: u64,
) -> PlayedGame {
    let mut random = SplitMix64::new(seed ^ number.wrapping_mul(0xd129_0ddb_53c4_3e49));
    random = random.split();
    let mut game = loop {
        let game = prefix(options, openings, &mut random);
        if !game.position().board.is_over() {
            break game;
        }
    };
    let random_plies = game.moves().len();
    solver.forget();
    while let Some(mv) = good_move(solver, game.position().board, options) {
        if game.play(mv).is_err() {
            break; // the search gives legal moves only
        }
    }
    PlayedGame {
        score: game.position().result_for_black().unwrap_or(0),
        origin: Origin {
            random: random_plies,
            exact: options.exact,
        },
        game,
    }
}

/// The random beginning of a game.
fn prefix(options: &PlayOptions, openings: &[Game], random: &mut SplitMix64) -> Game {
    let from_opening = !openings.is_empty() && random.below(2) == 1;
    if !from_opening {
        let plies = random.below(u64::from(options.max_random) + 1);
        return with_random_moves(Game::new(Position::START), plies, random);
    }
    let opening = &openings[random.below(openings.len() as u64) as usize];
    let kept = random.below(opening.moves().len() as u64 + 1) as usize;
    let mut game = Game::new(opening.start());
    for &mv in &opening.moves()[..kept] {
        if game.play(mv).is_err() {
            break; // an opening holds legal moves only
        }
    }
    let plies = 1 + random.below(u64::from(options.max_deviation.max(1)));
    with_random_moves(game, plies, random)
}

/// `game` continued by up to `plies` random moves; fewer where it ends.
fn with_random_moves(mut game: Game, plies: u64, random: &mut SplitMix64) -> Game {
    for _ in 0..plies {
        let mut moves = game.position().board.legal_moves();
        let mv = if moves.is_empty() {
            Move::Pass
        } else {
            let chosen = random.below(u64::from(moves.count())) as usize;
            moves.nth(chosen).map_or(Move::Pass, Move::Place)
        };
        if game.play(mv).is_err() {
            break; // the game is over
        }
    }
    game
}

/// The move to play; `None` at the end of the game.
fn good_move(solver: &mut Solver, board: Board, options: &PlayOptions) -> Option<Move> {
    if board.empty_count() <= options.exact {
        solver.solve_move(board).0
    } else {
        solver.best_move(board, options.depth).0
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "random {} exact {}", self.random, self.exact)
    }
}

/// Text that does not say how a game was made.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("expected \"random R exact E\", found {0:?}")]
pub struct ParseOriginError(String);

impl FromStr for Origin {
    type Err = ParseOriginError;

    fn from_str(text: &str) -> Result<Origin, ParseOriginError> {
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        let parsed = match words[..] {
            ["random", random, "exact", exact] => random.parse().ok().zip(exact.parse().ok()),
            _ => None,
        };
        parsed
            .map(|(random, exact)| Origin { random, exact })
            .ok_or_else(|| ParseOriginError(text.to_owned()))
    }
}

/// One line, without its end: moves, score, origin.
impl fmt::Display for PlayedGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PlayedGame {
            game,
            score,
            origin,
        } = self;
        write!(f, "{} {score:+} {origin}", game.transcript())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Evaluator;
    use crate::formats::transcript;

    const OPTIONS: PlayOptions = PlayOptions {
        depth: 1,
        exact: 6,
        max_random: 50,
        max_deviation: 4,
    };

    fn solver() -> Solver {
        Solver::new(Evaluator::embedded()).expect("memory for a small table")
    }

    #[test]
    fn a_number_always_gives_the_same_game() {
        let game = |number| play(&mut solver(), &OPTIONS, &[], 1, number);
        assert_eq!(game(3), game(3));
        assert_ne!(game(3), game(4));
    }

    #[test]
    fn games_end_and_read_back() {
        let opening = transcript::parse_line("f5d6c3d3c4f4").expect("legal moves");
        let openings = [opening.expect("a game").game];
        let mut solver = solver();
        for number in 0..8 {
            let played = play(&mut solver, &OPTIONS, &openings, 7, number);
            assert!(played.game.position().board.is_over());
            let line = transcript::parse_line(&played.to_string()).expect("a good line");
            let line = line.expect("a game");
            assert_eq!(line.score, Some(played.score));
            assert_eq!(line.note.parse(), Ok(played.origin));
            assert_eq!(line.game.moves(), played.game.moves());
        }
    }

    #[test]
    fn other_notes_are_no_origin() {
        assert!("1977 +18".parse::<Origin>().is_err());
        assert!("random x exact 3".parse::<Origin>().is_err());
    }
}
