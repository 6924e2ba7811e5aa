//! `emilia book stats` and `check`.

use std::fmt::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhow::anyhow;
use clap::Args;
use serde_json::{Value, json};

use super::{BookFile, counted, ply_of};
use crate::book::grade::grade;
use crate::book::{BookLeaf, Certainty, Damage, LeafSearch, LeafSearcher, PositionStudy, Tree};
use crate::commands::Exit;
use crate::commands::files::read_good_games;
use crate::formats::corpus::SourceGame;
use crate::random::SplitMix64;
use crate::rules::{Bitboard, Board};
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
        let Sampled { moves, .. } = self.sampled;
        if moves > 0 {
            let [off, worst_off, regret, worst] = self.sampled.figures();
            let _ = write!(
                text,
                " {moves:7} {off:9.2} {worst_off:6.2} {regret:7.2} {worst:6.2}"
            );
        }
        text + "\n"
    }

    fn json(&self, number: usize) -> Value {
        let sample = (self.sampled.moves > 0).then(|| self.sampled.json());
        json!({
            "ply": number, "positions": self.positions, "leaves": self.leaves, "proven": self.proven,
            "exact": self.exact, "sample": sample,
        })
    }
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
    let (games_to_cover, bad) = read_good_games(&arguments.games)?;
    let tree = arguments.file.load()?;
    let covered = mean_covered(&tree, &games_to_cover);
    let mut plies = [Ply::default(); 61];
    let mut games = 0;
    for (board, entry) in tree.iter() {
        plies[ply_of(board) as usize].add(entry.leaf);
        games = games.max(entry.counts.games());
    }
    let mut sampled = Sampled::default();
    arguments.sample.search(&tree, |board, off, regret| {
        plies[ply_of(board) as usize].sampled.add(off, regret);
        sampled.add(off, regret);
    })?;
    let grade = grade(&tree, &tree.roots());
    let mut text = String::from("  ply  positions     leaves  wld or exact      exact");
    if sampled.moves > 0 {
        text += "   moves  mean off  worst  regret  worst";
    }
    text.push('\n');
    let plies = plies.iter().enumerate();
    let plies: Vec<_> = plies.filter(|(_, ply)| ply.positions > 0).collect();
    text.extend(plies.iter().map(|(number, ply)| ply.text(*number)));
    let positions = tree.len();
    let _ = write!(
        text,
        "{}, at most {} through one of them\ngrade {}: {}\n",
        counted(positions, "position"),
        counted(games as usize, "game"),
        grade.letter,
        grade.reason()
    );
    if sampled.moves > 0 {
        let [off, worst_off, regret, worst] = sampled.figures();
        let _ = writeln!(
            text,
            "longer searches of {}: the scores are off by {off:.2} discs on average, at most {worst_off:.2}; \
             the moves of the book lose {regret:.3}, at most {worst:.2}",
            counted(sampled.moves, "position")
        );
    }
    if let Some(covered) = covered {
        let _ = writeln!(
            text,
            "of {} it covers {covered:.2} plies on average",
            counted(games_to_cover.len(), "game")
        );
    }
    let lines: Vec<Value> = plies
        .iter()
        .map(|(number, ply)| ply.json(*number))
        .collect();
    let value = json!({
        "positions": positions, "games": games, "plies": lines,
        "covered_games": games_to_cover.len(), "unreadable_games": bad, "mean_covered_plies": covered,
        "sample": (sampled.moves > 0).then(|| sampled.json()),
        "grade": grade.letter.to_string(), "grade_rests_on": grade.reason(),
    });
    super::print(arguments.json, &value, &text)?;
    Ok(Exit::failed_if(bad > 0))
}

/// The arguments of `emilia book check`.
#[derive(Args, Debug)]
pub(super) struct Check {
    #[command(flatten)]
    file: BookFile,
    /// Fail as well where moves of some positions are not searched
    #[arg(long)]
    complete: bool,
    /// As a line of JSON
    #[arg(long)]
    json: bool,
}

/// Moves of the book that are compared with what longer searches find.
#[derive(Args, Debug)]
struct Sample {
    /// Of so many moves that the book plays, what they lose against the best one of a search ten times as long
    #[arg(long, value_name = "N", value_parser = values::at_least_one)]
    sample: Option<NonZeroUsize>,
    /// Depth of these searches in plies [default: 7 more than that of the position]
    #[arg(long, value_name = "N", requires = "sample", value_parser = clap::value_parser!(u32).range(1..=60))]
    depth: Option<u32>,
    /// Draw the sample from this seed
    #[arg(long, value_name = "SEED", requires = "sample", default_value_t = 1)]
    seed: u64,
}

/// What was found of the moves, in discs: sums and maxima.
#[derive(Clone, Copy, Default)]
struct Sampled {
    moves: usize,
    /// Between the scores of the positions and those of the searches.
    off: f64,
    worst_off: f64,
    /// What the moves lose.
    regret: f64,
    worst_regret: f64,
}

impl Sampled {
    fn add(&mut self, off: f64, regret: f64) {
        self.moves += 1;
        self.off += off;
        self.worst_off = self.worst_off.max(off);
        self.regret += regret;
        self.worst_regret = self.worst_regret.max(regret);
    }

    /// How far scores are off, on average and at most, and what moves lose.
    fn figures(&self) -> [f64; 4] {
        let mean = |sum: f64| sum / self.moves.max(1) as f64;
        [
            mean(self.off),
            self.worst_off,
            mean(self.regret),
            self.worst_regret,
        ]
    }

    fn json(&self) -> Value {
        let [off, worst_off, regret, worst] = self.figures();
        json!({
            "moves": self.moves, "mean_error": off, "largest_error": worst_off,
            "mean_regret": regret, "largest_regret": worst,
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
    let is_incomplete = arguments.complete && unsearched > 0;
    let is_bad = !damaged.is_empty() || illegal + turned + wrong > 0 || is_incomplete;
    let mut text = String::new();
    for damage in &damaged {
        let _ = writeln!(text, "damaged: {damage}");
    }
    let _ = writeln!(
        text,
        "{}; {illegal} with an illegal move, {turned} not in their canonical form, {wrong} with a score \
         that does not follow from their moves; {unsearched} whose other moves are not searched",
        counted(tree.len(), "position")
    );
    let value = json!({
        "positions": tree.len(), "damaged": damaged.iter().map(Damage::to_string).collect::<Vec<_>>(),
        "illegal": illegal, "not_canonical": turned, "wrong_scores": wrong, "unsearched": unsearched,
    });
    super::print(arguments.json, &value, &text)?;
    Ok(Exit::failed_if(is_bad))
}

impl Sample {
    /// Calls `found` with each position of the sample, how far its score is off, and what its move of the book loses.
    fn search(&self, tree: &Tree, mut found: impl FnMut(Board, f64, f64)) -> anyhow::Result<()> {
        let Some(count) = self.sample else {
            return Ok(());
        };
        let mut numbers: Vec<usize> = (0..tree.len()).collect();
        SplitMix64::new(self.seed).shuffle(&mut numbers);
        // Where the best move leaves the book, it plays none.
        let studies = numbers.into_iter().filter_map(|number| {
            let study = PositionStudy::of_tree(tree, tree.at(number).0)?;
            let best = study.replies.first().filter(|reply| reply.is_link)?.square;
            Some((study, best))
        });
        for (study, played) in studies.take(count.get()) {
            let board = study.board;
            let depth = u32::from(study.entry.searched_depth().unwrap_or(1).clamp(1, 56));
            let longer = LeafSearch::Depth(depth).ten_times();
            let longer = self.depth.map_or(longer, LeafSearch::Depth);
            let searcher = LeafSearcher::new(longer, 64);
            let mut searcher = searcher.map_err(|reason| anyhow!(reason))?;
            let mut best_of = |moves| {
                let best = searcher.best_of(board, moves, &Control::new());
                best.map(|leaf| (leaf.square, leaf.score.to_f64()))
            };
            let Some((square, score)) = best_of(board.legal_moves()) else {
                continue;
            };
            let own = (square != played).then(|| best_of(Bitboard(played.bit())));
            let off = (study.entry.score.to_f64() - score).abs();
            let regret = own.flatten().map_or(0.0, |(_, own)| score - own);
            found(board, off, regret.max(0.0));
        }
        Ok(())
    }
}
