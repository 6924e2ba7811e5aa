//! How well models and baselines predict what people choose: hits, likelihood, and their intervals.

use std::iter;

use rayon::prelude::*;

use super::choices::{Choice, groups};
use emilia::human::bands::{BAND_STARTS, BANDS, PHASES, band, phase};
use emilia::human::openings::CountedMoves;
use emilia::human::search_values;
use emilia::rules::{Board, Square};
use emilia::score::Score;
use emilia::search::{Control, Searchers, TableError};

/// What a search says of the moves of a choice.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchedChoice {
    /// The scores, for the side to move, in the order of the search.
    pub values: Vec<(Square, Score)>,
    /// What each legal move loses against the best one, in discs, in the order of their squares.
    pub losses: Vec<f32>,
}

/// Searches the boards of all choices, on all threads of the pool; `done` is called after each.
///
/// # Errors
/// If the memory for the searches cannot be allocated.
pub fn search_all(
    searchers: &Searchers,
    choices: &[Choice],
    depth: u32,
    done: &(dyn Fn() + Sync),
) -> Result<Vec<SearchedChoice>, TableError> {
    let search = |choice: &Choice| {
        let board = choice.board;
        let control = Control::new();
        let values = searchers.with(|searcher| search_values(searcher, board, depth, &control))?;
        done();
        let of = |square| {
            let found = values.iter().find(|&&(other, _)| other == square);
            found.map_or(f32::MIN, |&(_, score)| score.to_f64() as f32)
        };
        let best = board.legal_moves().map(of).fold(f32::MIN, f32::max);
        let losses = board
            .legal_moves()
            .map(|square| best - of(square))
            .collect();
        Ok(SearchedChoice { values, losses })
    };
    choices.par_iter().map(search).collect()
}

/// The parts of a measurement: all choices, phases of ten plies, bands of ratings.
pub const PARTS: usize = 1 + PHASES + BANDS;

/// The names of the parts, in their order.
pub fn part_names() -> impl Iterator<Item = String> {
    let phases = (0..PHASES).map(|phase| format!("plies {}-{}", 10 * phase + 1, 10 * phase + 10));
    let bands = (0..BANDS).map(|band| match band {
        0 => format!("rated to {}", BAND_STARTS[0] - 1),
        _ if band == BANDS - 1 => format!("rated {} on", BAND_STARTS[band - 1]),
        _ => format!("rated {}-{}", BAND_STARTS[band - 1], BAND_STARTS[band] - 1),
    });
    iter::once("all".to_owned()).chain(phases).chain(bands)
}

/// Probabilities of the moves of a choice, those that are equal up to symmetry taken together.
#[derive(Clone, PartialEq, Debug)]
pub struct Prediction {
    /// By move, or by the first one that is equal to it.
    shares: Vec<f64>,
    chosen: usize,
}

impl Prediction {
    /// The shares of the legal moves of a choice, in the order of their squares; they need not add up to one.
    pub fn new(choice: &Choice, shares: impl IntoIterator<Item = f32>) -> Prediction {
        let groups = groups(choice.board);
        let at = choice
            .board
            .legal_moves()
            .position(|square| square == choice.square);
        let mut together = vec![0.0; groups.len()];
        for (&group, share) in groups.iter().zip(shares) {
            together[group] += f64::from(share);
        }
        let chosen = at.map_or(0, |at| groups[at]);
        let chosen = (0..chosen).filter(|&group| groups.contains(&group)).count();
        let is_first = |group: &usize| groups.contains(group);
        let mut shares: Vec<f64> = (0..groups.len())
            .filter(is_first)
            .map(|group| together[group])
            .collect();
        let sum: f64 = shares.iter().sum();
        shares.iter_mut().for_each(|share| *share /= sum);
        Prediction { shares, chosen }
    }

    /// The probability of the move that was chosen.
    pub fn chosen(&self) -> f64 {
        self.shares[self.chosen]
    }

    /// For each move its probability, and whether it was chosen.
    pub fn each(&self) -> impl Iterator<Item = (f64, bool)> {
        let is_chosen = |at| at == self.chosen;
        self.shares
            .iter()
            .enumerate()
            .map(move |(at, &share)| (share, is_chosen(at)))
    }

    /// Is the chosen move among the `first` most likely? Of equally likely moves each has its part.
    fn hit(&self, first: usize) -> f64 {
        let chosen = self.chosen();
        let better = self.shares.iter().filter(|&&share| share > chosen).count();
        let equal = self.shares.iter().filter(|&&share| share == chosen).count();
        (first.saturating_sub(better) as f64 / equal as f64).min(1.0)
    }

    /// The logarithm of the probability of the move that was chosen.
    pub fn likelihood(&self) -> f64 {
        /// What is not predicted at all counts as this.
        const LEAST: f64 = 1e-4;
        self.chosen().max(LEAST).ln()
    }

    /// One more choice: hits among the first and the first three, and the logarithm of the probability.
    fn figures(&self) -> [f64; FIGURES] {
        [self.hit(1), self.hit(3), self.likelihood()]
    }
}

/// Figures of a part: top-1, top-3, mean log-likelihood.
const FIGURES: usize = 3;

/// Sums over the choices of a part, and over games, whose choices are not independent.
#[derive(Clone, Copy, Default, Debug)]
struct Sums {
    count: f64,
    sums: [f64; FIGURES],
    games: f64,
    game: Option<u32>,
    of_game: (f64, [f64; FIGURES]),
    /// Over games: squares of counts, of sums, and the products of both.
    squares: (f64, [f64; FIGURES], [f64; FIGURES]),
}

impl Sums {
    fn add(&mut self, game: u32, figures: [f64; FIGURES]) {
        if self.game != Some(game) {
            self.end_game();
            self.game = Some(game);
            self.games += 1.0;
        }
        self.count += 1.0;
        self.of_game.0 += 1.0;
        for (k, figure) in figures.into_iter().enumerate() {
            self.sums[k] += figure;
            self.of_game.1[k] += figure;
        }
    }

    fn end_game(&mut self) {
        let (count, sums) = std::mem::take(&mut self.of_game);
        let (counts, squares, products) = &mut self.squares;
        *counts += count * count;
        for k in 0..FIGURES {
            squares[k] += sums[k] * sums[k];
            products[k] += count * sums[k];
        }
    }

    /// Each mean, and half of its 95% interval.
    fn estimates(mut self) -> [(f64, f64); FIGURES] {
        self.end_game();
        let (counts, squares, products) = self.squares;
        std::array::from_fn(|k| {
            let mean = self.sums[k] / self.count;
            let sum = squares[k] - 2.0 * mean * products[k] + mean * mean * counts;
            let variance = sum.max(0.0) * self.games / (self.games - 1.0);
            (mean, 1.96 * variance.sqrt() / self.count) // no number, of one game
        })
    }
}

/// How well a method predicts choices, by part.
#[derive(Clone, Default, Debug)]
pub struct Tally([Sums; PARTS]);

/// What was measured in a part. Each figure is a mean and half of its 95% interval, in which games and not choices are independent.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Figures {
    /// Choices.
    pub count: u64,
    /// The share of choices whose move was the most likely one.
    pub top1: (f64, f64),
    /// The share of choices whose move was among the three most likely ones.
    pub top3: (f64, f64),
    /// The mean of the logarithm of the probability.
    pub likelihood: (f64, f64),
}

impl Tally {
    /// Adds a choice. Those of a game come one after the other.
    pub fn add(&mut self, choice: &Choice, prediction: &Prediction) {
        let phase = phase(choice.board);
        let figures = prediction.figures();
        for part in [0, 1 + phase, 1 + PHASES + band(choice.rating)] {
            self.0[part].add(choice.game, figures);
        }
    }

    /// The figures of each part, in the order of [`part_names`].
    pub fn figures(&self) -> impl Iterator<Item = Figures> {
        self.0.iter().map(|sums| {
            let [top1, top3, likelihood] = sums.estimates();
            Figures {
                count: sums.count as u64,
                top1,
                top3,
                likelihood,
            }
        })
    }
}

/// The baseline of openings: how often each move was played in a position before.
#[derive(Default)]
pub struct FrequencyTable(CountedMoves);

impl FrequencyTable {
    /// Counts a choice.
    pub fn add(&mut self, choice: &Choice) {
        self.0.add(choice.board, choice.square);
    }

    /// The shares of the legal moves of a board; all are equal where nothing was counted.
    pub fn shares(&self, board: Board) -> Vec<f32> {
        let even = 1.0 / board.legal_moves().count() as f32;
        let share = |square| even + self.0.times(board, square) as f32;
        board.legal_moves().map(share).collect()
    }
}

/// How often moves of a stated probability are chosen, in ten bins.
#[derive(Clone, Copy, Default, Debug)]
pub struct Calibration([(u64, f64, u64); 10]);

impl Calibration {
    /// Adds all moves of a choice.
    pub fn add(&mut self, prediction: &Prediction) {
        for (share, is_chosen) in prediction.each() {
            self.add_one(share, is_chosen);
        }
    }

    /// Adds a move of a stated probability.
    pub fn add_one(&mut self, share: f64, is_chosen: bool) {
        let bin = ((10.0 * share) as usize).min(9);
        let (moves, sum, chosen) = &mut self.0[bin];
        *moves += 1;
        *sum += share;
        *chosen += u64::from(is_chosen);
    }

    /// For each bin the moves, their mean probability and the share of them that was chosen.
    pub fn bins(&self) -> impl Iterator<Item = (u64, f64, f64)> {
        let mean = |&(moves, sum, chosen): &(u64, f64, u64)| {
            let count = moves.max(1) as f64;
            (moves, sum / count, chosen as f64 / count)
        };
        self.0.iter().map(mean)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use emilia::eval::Evaluator;
    use emilia::human::Rating;

    /// A choice of the square of this index after f5.
    fn choice(chosen: usize, game: u32) -> Choice {
        let board = Board::START.play(Square::wrapping(37));
        Choice {
            board,
            square: board.legal_moves().nth(chosen).expect("three moves"),
            rating: Rating::new(1500.0),
            game,
        }
    }

    #[test]
    fn hits_are_shared_by_equal_moves() {
        let hit = |shares: [f32; 3], first| Prediction::new(&choice(1, 0), shares).hit(first);
        assert_eq!(hit([0.2, 0.5, 0.3], 1), 1.0);
        assert_eq!(hit([0.4, 0.4, 0.2], 1), 0.5);
        assert_eq!(
            (hit([0.5, 0.2, 0.3], 1), hit([0.5, 0.2, 0.3], 3)),
            (0.0, 1.0)
        );
        assert_eq!(hit([1.0, 1.0, 1.0], 1), 1.0 / 3.0);
    }

    #[test]
    fn equal_moves_of_a_symmetric_board_are_one() {
        let choice = Choice {
            board: Board::START,
            square: Square::wrapping(37),
            rating: Rating::new(0.0),
            game: 0,
        };
        let prediction = Prediction::new(&choice, [0.25; 4]);
        assert_eq!((prediction.chosen(), prediction.each().count()), (1.0, 1));
    }

    #[test]
    fn choices_of_one_game_are_not_independent() {
        let width = |games: &[u32]| {
            let mut tally = Tally::default();
            for (number, &game) in games.iter().enumerate() {
                let choice = choice(usize::from(number >= games.len() / 2), game);
                tally.add(&choice, &Prediction::new(&choice, [0.6, 0.3, 0.1]));
            }
            let all = tally.figures().next().expect("all");
            assert_eq!(
                (all.count, all.top1.0, all.top3.0),
                (games.len() as u64, 0.5, 1.0)
            );
            all.top1.1
        };
        let apart = width(&[0, 1, 2, 3, 4, 5, 6, 7]);
        let together = width(&[0, 0, 0, 0, 1, 1, 1, 1]);
        assert!((apart - 1.96 * 0.5 / 7_f64.sqrt()).abs() < 1e-9);
        assert!((together - 1.96 * 0.5).abs() < 1e-9);
        assert!(width(&[0, 0]).is_nan(), "of one game nothing is known");
    }

    #[test]
    fn parts_have_names() {
        let names: Vec<String> = part_names().collect();
        assert_eq!(names.len(), PARTS);
        assert_eq!(
            (&*names[1], &*names[7], &*names[11]),
            ("plies 1-10", "rated to 1149", "rated 1600 on")
        );
        assert_eq!(
            (band(Rating::new(1149.0)), band(Rating::new(1150.0))),
            (0, 1)
        );
    }

    #[test]
    fn the_table_knows_what_was_played() {
        let mut table = FrequencyTable::default();
        assert_eq!(table.shares(choice(0, 0).board), [1.0 / 3.0; 3]);
        table.add(&choice(2, 0));
        let shares = table.shares(choice(0, 0).board);
        assert!(shares[2] > 3.0 * shares[1] && shares[0] == shares[1]);
    }

    #[test]
    fn stated_probabilities_are_compared_with_what_happens() {
        let mut calibration = Calibration::default();
        for chosen in [0, 0, 1] {
            calibration.add(&Prediction::new(&choice(chosen, 0), [0.65, 0.35, 0.0]));
        }
        let bins: Vec<_> = calibration.bins().collect();
        assert_eq!((bins[6].0, bins[3].0, bins[0].0), (3, 3, 3));
        assert!((bins[6].1 - 0.65).abs() < 1e-6 && (bins[6].2 - 2.0 / 3.0).abs() < 1e-9);
    }

    #[test]
    fn a_search_values_every_move() {
        let searchers = Searchers::new(Evaluator::embedded());
        let found = search_all(&searchers, &[choice(0, 0)], 2, &|| ()).expect("memory");
        assert_eq!((found[0].values.len(), found[0].losses.len()), (3, 3));
        assert!(found[0].losses.contains(&0.0));
    }
}
