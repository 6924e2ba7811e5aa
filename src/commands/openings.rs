//! `emilia openings`: balanced opening lines, chosen by Emilia's own search.
//!
//! Lines are drawn at random among all distinct positions of the wanted length, where
//! positions that are images of each other under a symmetry of the board are one. A short
//! search removes the lopsided ones, the full search decides.

use std::collections::HashSet;
use std::io::{self, Write};
use std::num::NonZeroUsize;

use anyhow::ensure;
use clap::Args;

use super::Exit;
use super::progress::Progress;
use crate::eval::Evaluator;
use crate::formats::transcript::Transcript;
use crate::pool::{self, Team};
use crate::random::SplitMix64;
use crate::rules::{Board, Game, Move};
use crate::search::{Control, Limits, SearchOptions, Searcher};
use crate::text::{counted, values};

/// The arguments of `emilia openings`.
#[derive(Args, Debug)]
pub struct Arguments {
    /// Lines to make
    #[arg(long, value_name = "N", default_value_t = 1000)]
    count: usize,
    /// Moves of each line
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=10))]
    plies: u32,
    /// Depth of the search that decides, in plies
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=40))]
    depth: u32,
    /// Largest score of a balanced line, either way, in discs
    #[arg(long, value_name = "DISCS", default_value_t = 1.0, allow_negative_numbers = true, value_parser = values::discs)]
    limit: f64,
    /// Draw the lines from this seed
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// Positions searched at once
    #[arg(long, value_name = "N", default_value = "1", value_parser = super::at_least_one)]
    threads: NonZeroUsize,
}

/// The first move of all lines.
const FIRST: &str = "f5";

/// Depth of the search that removes lopsided lines, in plies.
const SHORT_DEPTH: u32 = 4;

/// How far the short search may be off, in discs.
const SHORT_ERROR: f64 = 5.0;

/// Each searcher.
const OPTIONS: SearchOptions = SearchOptions {
    threads: 1,
    hash_mb: 32,
};

/// Prints the lines as they are found, one a line, under a comment that says how they were made.
///
/// # Errors
/// If there are not enough balanced lines, or there is no memory for a search.
pub fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let mut lines = distinct_lines(arguments.plies);
    let total = lines.len();
    SplitMix64::new(arguments.seed).shuffle(&mut lines);
    let (count, plies, seed) = (arguments.count, arguments.plies, arguments.seed);
    let (depth, limit) = (arguments.depth, arguments.limit);
    ensure!(
        count <= total,
        "there are only {} after {}",
        counted(total, "position"),
        counted(plies as usize, "move")
    );
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "% emilia openings --count {count} --plies {plies} --depth {depth} --limit {limit} --seed {seed}\n\
         % {count} of the {total} positions after {plies} moves, no two alike under symmetry;\n\
         % at depth {depth} the score of each is at most {limit} (in discs, either way)."
    )?;
    out.flush()?;
    let progress = Progress::new(count as u64, "lines", 0);
    let found = search(arguments, &lines, |game| {
        progress.suspend(|| {
            writeln!(out, "{}", game.transcript())?;
            out.flush()
        })?;
        progress.step();
        Ok(())
    })?;
    ensure!(
        found == count,
        "only {found} of {total} lines are balanced: a larger --limit allows more"
    );
    Ok(Exit::SUCCESS)
}

/// One line to each distinct position after `plies` moves, at least 1, in a fixed order.
/// All lines begin with f5; the other first moves are its images. Lines with a pass are
/// left out.
fn distinct_lines(plies: u32) -> Vec<Game> {
    let first: Transcript = FIRST.parse().expect("a legal move");
    let mut level = vec![first.game];
    for _ in 1..plies {
        let mut seen = HashSet::new();
        let is_new = |game: &Game| {
            let board = game.position().board;
            !board.legal_moves().is_empty() && seen.insert(board.canonical())
        };
        level = level
            .iter()
            .flat_map(longer_by_one)
            .filter(is_new)
            .collect();
    }
    level
}

/// The games with one more move.
fn longer_by_one(game: &Game) -> impl Iterator<Item = Game> {
    let longer = |square| {
        let mut longer = game.clone();
        longer.play(Move::Place(square)).ok().map(|_| longer)
    };
    game.position().board.legal_moves().filter_map(longer)
}

/// Gives `take` the first balanced lines in their order, as many as are wanted if there are as many;
/// returns how many. They do not depend on the number of threads.
fn search(
    arguments: &Arguments,
    lines: &[Game],
    mut take: impl FnMut(&Game) -> io::Result<()>,
) -> anyhow::Result<usize> {
    let team = Team {
        name: "openings",
        threads: arguments.threads.get(),
        ordered: true,
    };
    let make = || Ok(Searcher::new(Evaluator::embedded(), OPTIONS)?);
    let work = |searcher: &mut Searcher, number: usize| {
        let game = &lines[number];
        Some(is_balanced(arguments, searcher, game.position().board).then_some(game))
    };
    pool::run(team, 0..lines.len(), make, work, |verdicts| {
        let mut taken = 0;
        while taken < arguments.count
            && let Some(verdict) = verdicts.next().transpose()?
        {
            if let Some(game) = verdict {
                take(game)?;
                taken += 1;
            }
        }
        Ok(taken)
    })
}

fn is_balanced(arguments: &Arguments, searcher: &mut Searcher, board: Board) -> bool {
    let mut score = |depth| {
        let limits = Limits {
            depth: Some(depth),
            ..Limits::default()
        };
        // What one line left in the table must not change what is said of another.
        searcher.forget();
        let outcome = searcher.search(board, &limits, &Control::new(), &mut |_| {});
        outcome.lines.first().map(|line| line.score.to_f64().abs())
    };
    let within = |score: Option<f64>, limit| score.is_some_and(|score| score <= limit);
    let short = SHORT_DEPTH.min(arguments.depth);
    within(score(short), arguments.limit + SHORT_ERROR)
        && within(score(arguments.depth), arguments.limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_distinct_under_symmetry() {
        // The first move is always the same; three replies (parallel, diagonal,
        // perpendicular); published counts of distinct positions follow.
        let counts: Vec<usize> = (1..=5).map(|plies| distinct_lines(plies).len()).collect();
        assert_eq!(counts, [1, 3, 14, 60, 322]);
    }
}
