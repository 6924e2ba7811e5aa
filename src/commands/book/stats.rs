//! `emilia book stats` and `check`.

use std::fmt::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhow::anyhow;
use clap::Args;
use serde_json::{Value, json};

use super::BookFile;
use crate::book::grade::grade;
use crate::book::{BookLeaf, Certainty, Damage, LeafSearch, LeafSearcher, Tree};
use crate::commands::Exit;
use crate::commands::files::read_games;
use crate::formats::corpus::SourceGame;
use crate::random::SplitMix64;
use crate::rules::Board;
use crate::search::Control;
use crate::text::values;

/// The arguments of `emilia book stats`.
#[derive(Args, Debug)]
pub(super) struct Stats {
    #[command(flatten)]
    file: BookFile,
    #[command(flatten)]
    sample: Sample,
    /// Games of any kind: how many of their plies the book covers, on average
    #[arg(long, value_name = "FILE", num_args = 1..)]
    games: Vec<PathBuf>,
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
    sampled: Sampled,
}

impl Ply {
    fn add(&mut self, leaf: Option<BookLeaf>) {
        let is = |least| leaf.is_some_and(|leaf| leaf.certainty >= least);
        self.positions += 1;
        self.leaves += u64::from(leaf.is_some());
        self.proven += u64::from(is(Certainty::Winner));
        self.exact += u64::from(is(Certainty::Exact));
    }

    fn text(&self, number: usize) -> String {
        let share = |part: u64| 100.0 * part as f64 / self.leaves.max(1) as f64;
        let mut text = format!(
            "{number:5} {:10} {:10} {:12.1}% {:9.1}%",
            self.positions,
            self.leaves,
            share(self.proven),
            share(self.exact),
        );
        let Sampled { leaves, worst, .. } = self.sampled;
        if leaves > 0 {
            let mean = self.sampled.mean();
            let _ = write!(text, " {leaves:9} {mean:10.2} {worst:10.2}");
        }
        text + "\n"
    }

    fn json(&self, number: usize) -> Value {
        let sample = (self.sampled.leaves > 0).then(|| self.sampled.json());
        json!({
            "ply": number, "positions": self.positions, "leaves": self.leaves, "proven": self.proven,
            "exact": self.exact, "sample": sample,
        })
    }
}

/// The number of plies before a board, no pass counted.
fn ply_of(board: Board) -> usize {
    60usize.saturating_sub(board.empty_count() as usize)
}

/// After how many plies of games, on average, the book still knows the position; `None`: of no games.
fn mean_covered(tree: &Tree, games: &[SourceGame]) -> Option<f64> {
    let covered = |game: &SourceGame| {
        let positions = game.game.positions().map(|position| position.board);
        let positions = positions.filter(|board| !board.must_pass());
        let is_known = |board: &Board| tree.get(*board).is_some_and(|entry| entry.is_known());
        positions.take_while(is_known).count().saturating_sub(1)
    };
    let sum: usize = games.iter().map(covered).sum();
    (!games.is_empty()).then(|| sum as f64 / games.len() as f64)
}

pub(super) fn stats(arguments: &Stats) -> anyhow::Result<Exit> {
    let games_to_cover = read_games(&arguments.games)?;
    let tree = arguments.file.load()?;
    let covered = mean_covered(&tree, &games_to_cover);
    let mut plies = [Ply::default(); 61];
    let mut games = 0;
    for (board, entry) in tree.iter() {
        plies[ply_of(board)].add(entry.leaf);
        games = games.max(entry.counts.games());
    }
    arguments.sample.search(&tree, |board, leaf, again| {
        plies[ply_of(board)].sampled.add(leaf, again);
    })?;
    let grade = grade(&tree, &tree.roots());
    let mut text = String::from("  ply  positions     leaves  wld or exact      exact");
    if arguments.sample.sample.is_some() {
        text += "    sample   mean off  worst off";
    }
    text.push('\n');
    let plies = plies.iter().enumerate();
    let plies: Vec<_> = plies.filter(|(_, ply)| ply.positions > 0).collect();
    text.extend(plies.iter().map(|(number, ply)| ply.text(*number)));
    let positions = tree.len();
    let _ = write!(
        text,
        "{positions} positions, at most {games} games through one of them\ngrade {}: {}\n",
        grade.letter,
        grade.reason()
    );
    if arguments.sample.sample.is_some() {
        text += "mean off, worst off: discs between the scores of leaves and those of searches ten times as long\n";
    }
    if let Some(covered) = covered {
        let _ = writeln!(
            text,
            "of {} games it covers {covered:.2} plies on average",
            games_to_cover.len()
        );
    }
    let lines: Vec<Value> = plies
        .iter()
        .map(|(number, ply)| ply.json(*number))
        .collect();
    let value = json!({
        "positions": positions, "games": games, "plies": lines,
        "covered_games": games_to_cover.len(), "mean_covered_plies": covered,
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
    #[command(flatten)]
    sample: Sample,
    /// Fail as well where moves of some positions are not searched
    #[arg(long)]
    complete: bool,
    /// As a line of JSON
    #[arg(long)]
    json: bool,
}

/// Leaves that are searched again.
#[derive(Args, Debug)]
struct Sample {
    /// Search so many leaves again, ten times as long
    #[arg(long, value_name = "N", value_parser = values::at_least_one)]
    sample: Option<NonZeroUsize>,
    /// Depth of these searches in plies [default: 7 more than that of the leaf]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=60))]
    depth: Option<u32>,
    /// Draw the sample from this seed
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
}

/// What was searched again.
#[derive(Clone, Copy, Default)]
struct Sampled {
    leaves: usize,
    other_moves: usize,
    sum: f64,
    worst: f64,
}

impl Sampled {
    fn add(&mut self, leaf: BookLeaf, again: BookLeaf) {
        let error = (again.score.to_f64() - leaf.score.to_f64()).abs();
        self.leaves += 1;
        self.other_moves += usize::from(again.square != leaf.square);
        self.sum += error;
        self.worst = self.worst.max(error);
    }

    fn mean(&self) -> f64 {
        self.sum / self.leaves.max(1) as f64
    }

    fn json(&self) -> Value {
        json!({
            "leaves": self.leaves, "other_moves": self.other_moves, "mean_error": self.mean(),
            "largest_error": self.worst,
        })
    }
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
    let (unsearched, wrong) = (tree.unsearched(), tree.wrong_scores());
    let mut sampled = Sampled::default();
    arguments
        .sample
        .search(&tree, |_, leaf, again| sampled.add(leaf, again))?;
    let is_incomplete = arguments.complete && unsearched > 0;
    let is_bad = !damaged.is_empty() || illegal + turned + wrong > 0 || is_incomplete;
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
    if sampled.leaves > 0 {
        let _ = writeln!(
            text,
            "{} leaves searched ten times as long: another best move in {}; scores differ by {:.2} discs on average, at most {:.2}",
            sampled.leaves,
            sampled.other_moves,
            sampled.mean(),
            sampled.worst
        );
    }
    let value = json!({
        "positions": tree.len(), "damaged": damaged.iter().map(Damage::to_string).collect::<Vec<_>>(),
        "illegal": illegal, "not_canonical": turned, "wrong_scores": wrong, "unsearched": unsearched,
        "sample": (sampled.leaves > 0).then(|| sampled.json()),
    });
    super::print(arguments.json, &value, &text)?;
    Ok(Exit::failed_if(is_bad))
}

impl Sample {
    /// Calls `found` with each position of the sample, its leaf, and what the longer search found.
    fn search(
        &self,
        tree: &Tree,
        mut found: impl FnMut(Board, BookLeaf, BookLeaf),
    ) -> anyhow::Result<()> {
        let Some(count) = self.sample else {
            return Ok(());
        };
        let open = |leaf: &BookLeaf| leaf.certainty != Certainty::Exact;
        let leaves =
            (0..tree.len()).filter(|&number| tree.at(number).1.leaf.as_ref().is_some_and(open));
        let mut leaves: Vec<usize> = leaves.collect();
        SplitMix64::new(self.seed).shuffle(&mut leaves);
        for number in leaves.into_iter().take(count.get()) {
            let (board, entry) = tree.at(number);
            let Some(leaf) = entry.leaf else { continue };
            let before = LeafSearch::Depth(u32::from(leaf.depth.clamp(1, 56)));
            let longer = self.depth.map_or(before.ten_times(), LeafSearch::Depth);
            let searcher = LeafSearcher::new(longer, 64);
            let mut searcher = searcher.map_err(|reason| anyhow!(reason))?;
            if let Some(again) = searcher.best_of(board, tree.outside(board), &Control::new()) {
                found(board, leaf, again);
            }
        }
        Ok(())
    }
}
