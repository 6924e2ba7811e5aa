//! `emilia-lab human only`: where just one move wins, how many find it, and what the model says of that.

use std::io;
use std::num::NonZeroUsize;
use std::sync::Arc;

use anyhow::ensure;
use clap::Args;
use rayon::prelude::*;

use super::games::{self, GameFiles};
use super::test::stated_and_played;
use crate::people::choices::Choice;
use crate::people::measure::Calibration;
use emilia::commands::Exit;
use emilia::commands::files;
use emilia::commands::progress::Progress;
use emilia::human::Model;
use emilia::puzzles::make::{EMPTIES, found_by, proven_scores};
use emilia::puzzles::{Kind, Scores, kind_of};
use emilia::search::Searchers;

/// The arguments of `emilia-lab human only`.
#[derive(Args, Debug)]
pub(super) struct Only {
    /// Measure on games of this year and later ones; all are used for ratings
    #[arg(long, value_name = "YEAR")]
    from: Option<u16>,
    /// Only games up to this year
    #[arg(long, value_name = "YEAR")]
    until: Option<u16>,
    /// Threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = emilia::commands::at_least_one)]
    threads: Option<NonZeroUsize>,
    #[command(flatten)]
    files: GameFiles,
}

/// Prints in ten bins how often the only winning move of three and more was stated to be played, and was.
///
/// # Errors
/// If a file cannot be read, or has no such position.
pub(super) fn run(arguments: &Only) -> anyhow::Result<Exit> {
    let evaluator = files::evaluator(None)?;
    let model = Model::embedded(Arc::clone(&evaluator));
    let mut people = arguments.files.read()?;
    let until = arguments.until.unwrap_or(u16::MAX);
    people.retain(|game| game.year.is_none_or(|year| year <= until));
    let ratings = games::ratings(&people);
    people.retain(|game| game.year >= arguments.from);
    let numbered = (0..).zip(&people);
    let choices = numbered.flat_map(|(number, game)| game.choices(number, &ratings, None));
    let late = choices.filter(|choice| EMPTIES.contains(&choice.board.empty_count()));
    let late: Vec<Choice> = late.collect();
    evaluator.unpack();
    let searchers = Searchers::new(Arc::clone(&evaluator));
    files::working_pool(arguments.threads)?.install(|| {
        let progress = Progress::new(late.len() as u64, "positions", 0);
        let only = late.par_iter().map(|choice| {
            let scores = searchers.with(|searcher| proven_scores(searcher, choice.board))?;
            progress.step();
            anyhow::Ok(stated(&model, choice, &scores))
        });
        let only = only.filter_map(Result::transpose);
        let only: Vec<(f64, bool)> = only.collect::<Result<_, _>>()?;
        drop(progress);
        ensure!(!only.is_empty(), "no move is the only one that wins");
        let mut found = Calibration::default();
        for (share, is_chosen) in only {
            found.add_one(share, is_chosen);
        }
        stated_and_played(&mut io::stdout().lock(), "only moves", &found)
    })?;
    Ok(Exit::SUCCESS)
}

/// Where just one move wins: how likely the model says it is, and whether it was played.
fn stated(model: &Model, choice: &Choice, scores: &Scores) -> Option<(f64, bool)> {
    let (_, winner, _) = kind_of(scores).filter(|(kind, ..)| *kind == Kind::OnlyWin)?;
    let stated = found_by(model, choice.rating, choice.board, winner, scores);
    Some((stated.into(), choice.square == winner))
}
