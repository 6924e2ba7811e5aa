//! Games for training: random moves, then the engine against itself.
//!
//! Games between good players have few bad moves, but a search visits bad moves
//! all the time. So each game begins with moves that are drawn at random: an opening
//! from a list in half of the games, then moves that are best after noise was
//! added to every move's estimate, more in some games than in others, or moves of equal
//! probability. The rest is played well, so that the result is a good score of the position.

use emilia::eval::Evaluator;
use emilia::formats::records::{PlayOptions, PlayedGame};
use emilia::random::SplitMix64;
use emilia::rules::{Board, Game, Move, Position};
use emilia::score::Score;
use emilia::search::Searcher;

/// The version of the rules by which seed and options determine a game: raised when [`play`]
/// changes, so that no file gets games of two kinds.
pub const RULES: u32 = 1;

/// The noise in the estimates of a game's first moves, as standard deviation in discs; each
/// game draws one of these, or none: then all moves are equally likely.
const NOISE: [i32; 7] = [1, 2, 2, 3, 4, 6, 10];

/// Plays game number `number` of the run with this `seed`: the same numbers give
/// the same game. It starts from a position of a random one of `openings` half of
/// the time, if there are any.
pub fn play(
    solver: &mut Searcher,
    options: &PlayOptions,
    openings: &[Game],
    seed: u64,
    number: u64,
) -> PlayedGame {
    let mut random = SplitMix64::new(seed ^ number.wrapping_mul(0xd129_0ddb_53c4_3e49));
    random = random.split();
    let mut game = loop {
        let game = prefix(solver.evaluator(), options, openings, &mut random);
        if !game.position().board.is_over() {
            break game;
        }
    };
    let random_plies = game.moves().len();
    solver.forget();
    let mut scores = Vec::new();
    while !game.position().board.is_over() {
        let board = game.position().board;
        let line = if board.empty_count() <= options.exact {
            solver.solve_line(board).0
        } else {
            let (best, score) = solver.best_move(board, options.depth);
            scores.push(score as i8);
            Vec::from_iter(best)
        };
        // The search returns a legal move.
        if line.is_empty() || line.iter().any(|&mv| game.play(mv).is_err()) {
            break;
        }
    }
    PlayedGame {
        game,
        random: random_plies,
        exact: options.exact,
        scores,
    }
}

/// The beginning of a game.
fn prefix(
    evaluator: &Evaluator,
    options: &PlayOptions,
    openings: &[Game],
    random: &mut SplitMix64,
) -> Game {
    let plies = plies(options, random);
    let noise = NOISE.get(random.below(NOISE.len() as u64 + 1) as usize);
    let from_opening = !openings.is_empty() && random.below(2) == 1;
    let mut game = Game::new(Position::START);
    if from_opening && let Some(opening) = random.choose(openings) {
        game = Game::new(opening.start());
        for &mv in opening.moves().iter().take(plies.saturating_sub(1)) {
            if game.play(mv).is_err() {
                break; // an opening holds legal moves only
            }
        }
    }
    while game.moves().len() < plies {
        let mv = loose_move(evaluator, game.position().board, noise, random);
        if game.play(mv).is_err() {
            break; // the game is over
        }
    }
    game
}

/// How many plies are drawn at random.
fn plies(options: &PlayOptions, random: &mut SplitMix64) -> usize {
    let mut draw = || random.within(options.min_random..=options.max_random);
    draw().min(draw()) as usize
}

/// The move with the best estimate after `noise` is added; without noise any move.
fn loose_move(
    evaluator: &Evaluator,
    board: Board,
    noise: Option<&i32>,
    random: &mut SplitMix64,
) -> Move {
    let moves = board.legal_moves();
    let chosen = if let Some(noise) = noise {
        let deviation = i64::from(noise * Score::PER_DISC);
        moves.max_by_key(|&square| {
            let estimate = -i64::from(evaluator.evaluate(board.play(square)).raw());
            estimate + deviation * bell(random) / BELL_DEVIATION
        })
    } else {
        random.choose(moves)
    };
    chosen.map_or(Move::Pass, Move::Place)
}

/// The standard deviation of [`bell`]: four times the variance 2^32 / 12 of one draw,
/// and the root of that.
const BELL_DEVIATION: i64 = 37_837;

/// A random number with nearly a normal distribution around 0: the sum of four uniform ones. Whole
/// numbers, so that it is the same on every machine.
fn bell(random: &mut SplitMix64) -> i64 {
    let draws: u64 = (0..4).map(|_| random.below(1 << 16)).sum();
    draws as i64 - (1 << 17)
}

#[cfg(test)]
mod tests {
    use super::*;
    use emilia::formats::transcript;

    const OPTIONS: PlayOptions = PlayOptions {
        depth: 1,
        exact: 6,
        min_random: 4,
        max_random: 50,
    };

    fn solver() -> Searcher {
        Searcher::small(Evaluator::embedded()).expect("memory for a small table")
    }

    #[test]
    fn a_number_always_gives_the_same_game() {
        let game = |number| play(&mut solver(), &OPTIONS, &[], 1, number);
        assert_eq!(game(3), game(3));
        assert_ne!(game(3), game(4));
    }

    #[test]
    fn games_end_and_their_searches_are_kept() {
        let opening = transcript::parse_line("f5d6c3d3c4f4").expect("legal moves");
        let openings = [opening.expect("a game").game];
        let mut solver = solver();
        for number in 0..8 {
            let played = play(&mut solver, &OPTIONS, &openings, 7, number);
            assert!(played.game.position().board.is_over());
            assert!((4..=50).contains(&played.random), "{}", played.random);
            let searched = played.game.moves().len() - played.random - played.scores.len();
            assert!(searched <= 6 + 6, "perfect plies and passes: {searched}");
            let line = transcript::parse_line(&played.to_string()).expect("a good line");
            let game = line.expect("a game").game;
            assert_eq!(game.moves(), played.game.moves());
        }
    }

    #[test]
    fn noise_has_the_stated_mean_and_deviation() {
        let mut random = SplitMix64::new(3);
        let draws: Vec<i64> = (0..10_000).map(|_| bell(&mut random)).collect();
        let mean = draws.iter().sum::<i64>() / 10_000;
        let variance = draws.iter().map(|x| x * x).sum::<i64>() / 10_000;
        assert!(mean.abs() < 1500, "{mean}");
        let deviation = (variance as f64).sqrt() / BELL_DEVIATION as f64;
        assert!((deviation - 1.0).abs() < 0.03, "{deviation}");
    }
}
