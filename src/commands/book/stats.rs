//! `emilia book stats` and `check`.

use std::fmt::Write;
use std::num::NonZeroUsize;

use anyhow::anyhow;
use clap::Args;
use serde_json::json;

use super::BookFile;
use crate::book::grade::grade;
use crate::book::grow::{LeafSearch, LeafSearcher};
use crate::book::{Certainty, Damage, Leaf, Tree};
use crate::commands::Exit;
use crate::random::SplitMix64;
use crate::search::Control;

/// The arguments of `emilia book stats`.
#[derive(Args, Debug)]
pub(super) struct Stats {
    #[command(flatten)]
    file: BookFile,
    /// As a line of JSON
    #[arg(long)]
    json: bool,
}

/// Of the positions after so many plies.
#[derive(Clone, Copy, Default)]
struct Ply {
    positions: u64,
    leaves: u64,
    proven: u64,
    exact: u64,
}

pub(super) fn stats(arguments: &Stats) -> anyhow::Result<Exit> {
    let tree = arguments.file.load()?;
    let mut plies = [Ply::default(); 61];
    let mut games = 0;
    for (board, entry) in tree.iter() {
        let ply = &mut plies[60usize.saturating_sub(board.empty_count() as usize)];
        ply.positions += 1;
        ply.leaves += u64::from(entry.leaf.is_some());
        ply.proven += u64::from(
            entry
                .leaf
                .is_some_and(|leaf| leaf.certainty != Certainty::Estimate),
        );
        ply.exact += u64::from(
            entry
                .leaf
                .is_some_and(|leaf| leaf.certainty == Certainty::Exact),
        );
        games = games.max(entry.counts.games());
    }
    let grade = grade(&tree);
    let mut text = String::from("  ply  positions     leaves  wld or exact      exact\n");
    let mut lines = Vec::new();
    for (number, ply) in plies
        .iter()
        .enumerate()
        .filter(|(_, ply)| ply.positions > 0)
    {
        let share = |part: u64| 100.0 * part as f64 / ply.leaves.max(1) as f64;
        let _ = writeln!(
            text,
            "{number:5} {:10} {:10} {:12.1}% {:9.1}%",
            ply.positions,
            ply.leaves,
            share(ply.proven),
            share(ply.exact)
        );
        lines.push(json!({
            "ply": number, "positions": ply.positions, "leaves": ply.leaves, "proven": ply.proven, "exact": ply.exact,
        }));
    }
    let positions = tree.len();
    let _ = writeln!(
        text,
        "{positions} positions, at most {games} games through one of them"
    );
    let _ = writeln!(text, "grade {}: {}", grade.letter, grade.reason());
    let value = json!({
        "positions": positions, "games": games, "plies": lines,
        "grade": grade.letter.to_string(), "grade_rests_on": grade.reason(),
    });
    super::print(arguments.json, &value, &text)?;
    Ok(Exit::SUCCESS)
}

/// The arguments of `emilia book check`.
#[derive(Args, Debug)]
pub(super) struct Check {
    #[command(flatten)]
    file: BookFile,
    /// Search so many leaves again, ten times as long
    #[arg(long, value_name = "N")]
    sample: Option<NonZeroUsize>,
    /// Depth of these searches in plies [default: 4 more than that of the leaf]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=60))]
    depth: Option<u32>,
    /// Draw the sample from this seed
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// As a line of JSON
    #[arg(long)]
    json: bool,
}

/// What was searched again.
#[derive(Default)]
struct Sampled {
    leaves: usize,
    other_moves: usize,
    sum: f64,
    largest: f64,
}

pub(super) fn check(arguments: &Check) -> anyhow::Result<Exit> {
    let book = arguments.file.open()?;
    let mut tree = Tree::default();
    let (mut illegal, mut turned) = (0, 0);
    let damaged = book.for_each(|board, entry| {
        let legal = board.legal_moves();
        let is_legal =
            !legal.is_empty() && entry.leaf.is_none_or(|leaf| legal.contains(leaf.square));
        illegal += usize::from(!is_legal);
        turned += usize::from(board.canonical() != board);
        if is_legal {
            tree.insert(board, entry);
        }
    })?;
    let unsearched = tree
        .iter()
        .filter(|(board, entry)| entry.leaf.is_none() && !tree.outside(*board).is_empty());
    let unsearched = unsearched.count();
    let sampled = sample(arguments, &tree)?;
    let wrong = tree.negamax().len();
    let is_bad = !damaged.is_empty() || illegal + turned + wrong > 0;
    let mut text = String::new();
    for damage in &damaged {
        let _ = writeln!(text, "damaged: {damage}");
    }
    let _ = writeln!(
        text,
        "{} positions; {illegal} with an illegal move, {turned} not in their canonical form, {wrong} with a score \
         that does not follow from their moves; {unsearched} whose other moves are not searched",
        tree.len()
    );
    if let Some(sampled) = &sampled {
        let _ = writeln!(
            text,
            "{} leaves searched ten times as long: another best move in {}; scores differ by {:.2} discs on average, at most {:.2}",
            sampled.leaves,
            sampled.other_moves,
            sampled.sum / sampled.leaves.max(1) as f64,
            sampled.largest
        );
    }
    let value = json!({
        "positions": tree.len(), "damaged": damaged.iter().map(Damage::to_string).collect::<Vec<_>>(),
        "illegal": illegal, "not_canonical": turned, "wrong_scores": wrong, "unsearched": unsearched,
        "sample": sampled.map(|sampled| json!({
            "leaves": sampled.leaves, "other_moves": sampled.other_moves,
            "mean_error": sampled.sum / sampled.leaves.max(1) as f64, "largest_error": sampled.largest,
        })),
    });
    super::print(arguments.json, &value, &text)?;
    Ok(Exit::failed_if(is_bad))
}

fn sample(arguments: &Check, tree: &Tree) -> anyhow::Result<Option<Sampled>> {
    let Some(count) = arguments.sample else {
        return Ok(None);
    };
    let open = |leaf: &Leaf| leaf.certainty != Certainty::Exact;
    let leaves =
        (0..tree.len()).filter(|&number| tree.at(number).1.leaf.as_ref().is_some_and(open));
    let mut leaves: Vec<usize> = leaves.collect();
    SplitMix64::new(arguments.seed).shuffle(&mut leaves);
    let mut sampled = Sampled::default();
    for number in leaves.into_iter().take(count.get()) {
        let (board, entry) = tree.at(number);
        let Some(leaf) = entry.leaf else { continue };
        let before = LeafSearch::Depth(u32::from(leaf.depth.clamp(1, 56)));
        let longer = arguments
            .depth
            .map_or_else(|| before.ten_times(), LeafSearch::Depth);
        let searcher = LeafSearcher::new(longer, 64);
        let mut searcher = searcher.map_err(|reason| anyhow!(reason))?;
        if let Some(again) = searcher.best_of(board, tree.outside(board), &Control::new()) {
            let error = (again.score.to_f64() - leaf.score.to_f64()).abs();
            sampled.leaves += 1;
            sampled.other_moves += usize::from(again.square != leaf.square);
            sampled.sum += error;
            sampled.largest = sampled.largest.max(error);
        }
    }
    Ok(Some(sampled))
}
