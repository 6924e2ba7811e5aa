//! `emilia-lab human only`: where just one move wins, how many find it, and what the model says of that.

use std::io;
use std::num::NonZeroUsize;
use std::sync::Arc;

use anyhow::ensure;
use clap::Args;
use rayon::prelude::*;

use super::games::{self, GameFiles};
use super::test::{shares, stated_and_played};
use crate::people::choices::Choice;
use crate::people::measure::{Calibration, Prediction, search_all};
use emilia::commands::Exit;
use emilia::commands::files;
use emilia::commands::progress::Progress;
use emilia::human::Model;
use emilia::puzzles::CHOICES;
use emilia::puzzles::make::{DEPTH, EMPTIES};
use emilia::rules::{Board, Square};
use emilia::search::{Control, Goal, Limits, Searcher, Searchers};

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
    let late = choices.filter(|choice| {
        EMPTIES.contains(&choice.board.empty_count())
            && choice.board.legal_moves().count() as usize >= CHOICES
    });
    let late: Vec<Choice> = late.collect();
    evaluator.unpack();
    let searchers = Searchers::new(Arc::clone(&evaluator));
    files::working_pool(arguments.threads)?.install(|| {
        let progress = Progress::new(late.len() as u64, "positions", 0);
        let only = late.par_iter().map(|choice| {
            let winner = searchers.with(|searcher| only_winner(searcher, choice.board))?;
            progress.step();
            anyhow::Ok(winner.map(|winner| (*choice, winner)))
        });
        let only: Vec<(Choice, Square)> = only
            .filter_map(Result::transpose)
            .collect::<Result<_, _>>()?;
        drop(progress);
        ensure!(!only.is_empty(), "no move is the only one that wins");
        let choices: Vec<Choice> = only.iter().map(|&(choice, _)| choice).collect();
        let progress = Progress::new(choices.len() as u64, "searches", 0);
        let searched = search_all(&searchers, &choices, DEPTH, &|| progress.step())?;
        drop(progress);
        let mut found = Calibration::default();
        for ((choice, winner), values) in only.iter().zip(&searched) {
            let shares = shares(&model, choice, choice.rating, Some(&values.values));
            // The prediction of the winner: the chosen one need not be it.
            let stated = Prediction::new(
                &Choice {
                    square: *winner,
                    ..*choice
                },
                shares,
            )
            .chosen();
            found.add_one(stated, choice.square == *winner);
        }
        stated_and_played(&mut io::stdout().lock(), "only moves", &found)
    })?;
    Ok(Exit::SUCCESS)
}

/// The only move that wins, if there is just one.
fn only_winner(searcher: &mut Searcher, board: Board) -> Option<Square> {
    let limits = Limits {
        goal: Goal::WLD,
        ..Limits::default()
    };
    let mut wins = board.legal_moves().filter(|&square| {
        let after = board.play(square);
        if after.is_over() {
            return after.final_score() < 0;
        }
        let outcome = searcher.search(after, &limits, &Control::new(), &mut |_| {});
        outcome.proven.upper() < 0
    });
    wins.next().filter(|_| wins.next().is_none())
}
