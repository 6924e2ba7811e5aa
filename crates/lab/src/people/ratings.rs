//! Ratings of players from the results of their games.
//!
//! Each player has a rating for each year in which he played. The results are those of R. Bradley and M. Terry's model ("Rank Analysis of
//! Incomplete Block Designs", Biometrika 39, 1952), a draw counted as half a win, and a rating changes from year to year as in
//! a random walk (R. Coulom, "Whole-History Rating: A Bayesian Rating System for Players of Time-Varying Strength", Computers and
//! Games 2008). The most likely ratings are found by Newton's steps, one rating after the other.

use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::LN_10;
use std::ops::RangeInclusive;

use emilia::human::Rating;

/// A game that was played out.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RatedGame<'a> {
    /// The first player.
    pub black: &'a str,
    /// The second player.
    pub white: &'a str,
    /// The year of the game.
    pub year: u16,
    /// The points of the first player: 1, a half or 0.
    pub points: f64,
}

/// The ratings of all players who have met.
#[derive(Clone, Debug, Default)]
pub struct Ratings(BTreeMap<String, BTreeMap<u16, Rating>>);

/// Elo in one unit of the model.
const ELO: f64 = 400.0 / LN_10;

/// The standard deviation of a player's first rating, in units of the model.
const SPREAD: f64 = 1.5;

/// The standard deviation of the change of a rating in one year: 35 Elo.
const YEARLY: f64 = 0.2;

/// The years, and the fewest games in them, of the players whose mean rating is [`MEAN`], each counted once for each game.
const ANCHOR_YEARS: RangeInclusive<u16> = 2013..=2017;
const ANCHOR_GAMES: usize = 100;
const MEAN: f64 = 1500.0;

/// Sweeps end when no rating moves by more, in units of the model. Ratings that move slowly together are then still on
/// their way, some 200 times as far as they moved last: 0.03 Elo.
const SETTLED: f64 = 1e-6;

/// Sweeps over all ratings at most; the games of WTHOR need 2,000.
const MAX_SWEEPS: usize = 100_000;

/// The rating of a player in a year, while it is fitted.
struct PlayerYear {
    rating: f64,
    year: u16,
    /// The other player's node and the points, for each game.
    games: Vec<(usize, f64)>,
    /// The same player in the years before and after, if he played.
    before: Option<usize>,
    after: Option<usize>,
}

impl Ratings {
    /// Rates the players of these games.
    pub fn new(results: &[RatedGame]) -> Ratings {
        let sides = results
            .iter()
            .flat_map(|result| [result.black, result.white].map(|name| (name, result.year)));
        let keys: Vec<(&str, u16)> = sides.collect::<BTreeSet<_>>().into_iter().collect();
        let mut nodes = nodes(&keys, results);
        settle(&mut nodes);
        let mean = mean(&keys, &nodes);
        let mut ratings = Ratings::default();
        for ((name, year), node) in keys.into_iter().zip(nodes) {
            let elo = MEAN + ELO * (node.rating - mean);
            let of_player = ratings.0.entry(name.to_owned()).or_default();
            of_player.insert(year, Rating::new(elo as f32));
        }
        ratings
    }

    /// The rating of a player in a year; `None` if he played no game then.
    pub fn get(&self, player: &str, year: u16) -> Option<Rating> {
        self.0.get(player)?.get(&year).copied()
    }

    /// Players.
    pub fn players(&self) -> usize {
        self.0.len()
    }

    /// All ratings, by player and year.
    pub fn all(&self) -> impl Iterator<Item = (&str, u16, Rating)> {
        let players = self.0.iter();
        players.flat_map(|(name, years)| {
            years
                .iter()
                .map(move |(&year, &elo)| (&name[..], year, elo))
        })
    }
}

/// Finds the most likely ratings.
fn settle(nodes: &mut [PlayerYear]) {
    for _ in 0..MAX_SWEEPS {
        let mut longest: f64 = 0.0;
        for at in 0..nodes.len() {
            let step = step(nodes, at);
            nodes[at].rating += step;
            longest = longest.max(step.abs());
        }
        if longest < SETTLED {
            break;
        }
    }
}

/// The nodes of `keys`, which are in order, with their games.
fn nodes(keys: &[(&str, u16)], results: &[RatedGame]) -> Vec<PlayerYear> {
    let is_same = |a: usize, b: usize| keys.get(a).map(|key| key.0) == keys.get(b).map(|key| key.0);
    let node = |at: usize| PlayerYear {
        rating: 0.0,
        year: keys[at].1,
        games: Vec::new(),
        before: at.checked_sub(1).filter(|&before| is_same(before, at)),
        after: Some(at + 1).filter(|&after| is_same(after, at)),
    };
    let mut nodes: Vec<PlayerYear> = (0..keys.len()).map(node).collect();
    let find = |name, year| keys.binary_search(&(name, year)).ok();
    for result in results {
        let black = find(result.black, result.year);
        let white = find(result.white, result.year);
        if let (Some(black), Some(white)) = (black, white)
            && black != white
        {
            nodes[black].games.push((white, result.points));
            nodes[white].games.push((black, 1.0 - result.points));
        }
    }
    nodes
}

/// Newton's step of one rating, the others as they are.
fn step(nodes: &[PlayerYear], at: usize) -> f64 {
    let node = &nodes[at];
    let (mut slope, mut bend) = (0.0, 0.0);
    for &(other, points) in &node.games {
        let expected = 1.0 / (1.0 + (nodes[other].rating - node.rating).exp());
        slope += points - expected;
        bend += expected * (1.0 - expected);
    }
    if node.before.is_none() {
        slope -= node.rating / SPREAD.powi(2);
        bend += 1.0 / SPREAD.powi(2);
    }
    for other in [node.before, node.after].into_iter().flatten() {
        let other = &nodes[other];
        let variance = YEARLY.powi(2) * f64::from(node.year.abs_diff(other.year));
        slope += (other.rating - node.rating) / variance;
        bend += 1.0 / variance;
    }
    (slope / bend).clamp(-1.0, 1.0)
}

/// The mean of the players by whom the scale is fixed; of all players where there are none of these.
fn mean(keys: &[(&str, u16)], nodes: &[PlayerYear]) -> f64 {
    let mut games: BTreeMap<&str, usize> = BTreeMap::new();
    for (&(name, year), node) in keys.iter().zip(nodes) {
        if ANCHOR_YEARS.contains(&year) {
            *games.entry(name).or_default() += node.games.len();
        }
    }
    let is_anchor = |&(name, year): &(&str, u16)| {
        ANCHOR_YEARS.contains(&year) && games.get(name).is_some_and(|&games| games >= ANCHOR_GAMES)
    };
    let has_anchors = keys.iter().any(is_anchor);
    let counted = keys
        .iter()
        .zip(nodes)
        .filter(|(key, _)| !has_anchors || is_anchor(key));
    let (mut sum, mut weight) = (0.0, 0.0);
    for (_, node) in counted {
        let games = node.games.len() as f64;
        sum += games * node.rating;
        weight += games;
    }
    if weight > 0.0 { sum / weight } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game<'a>(black: &'a str, white: &'a str, year: u16, points: f64) -> RatedGame<'a> {
        RatedGame {
            black,
            white,
            year,
            points,
        }
    }

    #[test]
    fn results_make_ratings() {
        let mut games = Vec::new();
        for number in 0..100 {
            let points = f64::from(u8::from(number % 4 != 0));
            games.push(game("ann", "ben", 2015, points));
            games.push(game("ben", "eve", 2015, points));
        }
        let ratings = Ratings::new(&games);
        let elo = |name| ratings.get(name, 2015).expect("he played").elo();
        // Three of four are 191 Elo; the first ratings are drawn together a little.
        assert!((185.0..192.0).contains(&(elo("ann") - elo("ben"))));
        assert!((185.0..192.0).contains(&(elo("ben") - elo("eve"))));
        assert!((elo("ben") - 1500.0).abs() < 1.0);
        assert_eq!(ratings.get("ann", 2014), None);
        assert_eq!(ratings.players(), 3);
    }

    #[test]
    fn ratings_follow_the_years() {
        let mut games = Vec::new();
        for year in 2000..2010 {
            for _ in 0..30 {
                games.push(game("ann", "ben", year, f64::from(u8::from(year >= 2005))));
            }
        }
        let ratings = Ratings::new(&games);
        let elo = |year| ratings.get("ann", year).expect("she played").elo();
        assert!((2000..2009).all(|year| elo(year) < elo(year + 1)));
        assert!(elo(2009) - elo(2000) > 100.0);
    }

    /// In a long chain of players, each of whom wins three of four games against the next one, ratings settle slowly.
    #[test]
    fn the_ratings_are_the_most_likely_ones() {
        let names: Vec<String> = (10..40).map(|number| number.to_string()).collect();
        let mut games = Vec::new();
        for both in names.windows(2) {
            let points = (0..400).map(|number| f64::from(u8::from(number % 4 != 0)));
            games.extend(points.map(|points| game(&both[0], &both[1], 2015, points)));
        }
        let keys: Vec<(&str, u16)> = names.iter().map(|name| (name.as_str(), 2015)).collect();
        let mut nodes = nodes(&keys, &games);
        settle(&mut nodes);
        let steps = (0..nodes.len()).map(|at| step(&nodes, at).abs());
        assert!(steps.fold(0.0, f64::max) < SETTLED);
    }

    #[test]
    fn no_games_give_no_ratings() {
        assert_eq!(Ratings::new(&[]).players(), 0);
        let alone = Ratings::new(&[game("ann", "ann", 2000, 1.0)]);
        assert_eq!(alone.get("ann", 2000), Some(Rating::new(1500.0)));
    }
}
