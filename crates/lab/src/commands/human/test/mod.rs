//! `emilia-lab human test`: how well a model predicts the moves of people, beside baselines.

mod searches;
mod tables;

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::ensure;
use clap::Args;

pub(super) use self::tables::stated_and_played;
use self::tables::{print, shares};
use super::games::{self, GameFiles};
use crate::people::choices::{Choice, PeopleGame};
use crate::people::measure::FrequencyTable;
use crate::people::ratings::Ratings;
use emilia::commands::Exit;
use emilia::commands::files;
use emilia::human::{Model, Rating};

/// The arguments of `emilia-lab human test`.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Test {
    /// The model instead of the embedded one
    #[arg(long, value_name = "MODEL")]
    model: Option<PathBuf>,
    /// Measure on games of this year and later ones; those before are only used for ratings and for the table of frequencies
    #[arg(long, value_name = "YEAR")]
    from: Option<u16>,
    /// Only games up to this year
    #[arg(long, value_name = "YEAR")]
    until: Option<u16>,
    /// The strength of players without a rating, such as those of files without names [default: their moves are left out]
    #[arg(long, value_name = "ELO")]
    rating: Option<Rating>,
    /// Also measure searches of so many plies, such as 1,4,8, and what the model makes of them
    #[arg(long, value_name = "PLIES", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=24))]
    depths: Vec<u32>,
    /// Games for what needs searches, spread over all
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    games: u32,
    /// Threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = emilia::commands::at_least_one)]
    threads: Option<NonZeroUsize>,
    #[command(flatten)]
    files: GameFiles,
}

const AFTER_HELP: &str = "\
Forced moves are left out, and moves that are equal up to symmetry are one. The first table has a line for each method and part: moves, the share of them
that was the most likely one, that was among the three most likely ones, and the mean logarithm of the probability; behind each its 95%
interval, by games. Then follow, for each depth, in ten bins how often moves of a stated probability were played, and
what people lose by the search, with what the model set to the mean rating of their band would lose: in discs a move, and as shares of moves. The
distance is that of Kolmogorov and Smirnov; the percentile is that of people. Last are, without searches, the
likelihood for bands of ratings with the model set to the mean of each, and the ten bins.";

/// Measures and prints.
///
/// # Errors
/// If a file cannot be read, or there is nothing to measure.
pub(super) fn run(arguments: &Test) -> anyhow::Result<Exit> {
    let evaluator = files::evaluator(None)?;
    let model = match &arguments.model {
        Some(path) => Model::load(path, Arc::clone(&evaluator))?,
        None => Model::embedded(Arc::clone(&evaluator)),
    };
    let mut people = arguments.files.read()?;
    let until = arguments.until.unwrap_or(u16::MAX);
    people.retain(|game| game.year.is_none_or(|year| year <= until));
    let ratings = games::ratings(&people);
    let tested = Tested::new(arguments, &people, &ratings);
    ensure!(
        !tested.choices.is_empty(),
        "there is no move to measure: players without a rating need --rating"
    );
    drop(people);
    evaluator.unpack();
    let pool = files::working_pool(arguments.threads)?;
    pool.install(|| {
        let mut out = io::stdout().lock();
        writeln!(
            out,
            "method\tpart\tmoves\ttop-1\t±\ttop-3\t±\tlikelihood\t±"
        )?;
        let all = &tested.choices[..];
        let table = |at: usize| tested.table.shares(all[at].board);
        let by_model = |at: usize| shares(&model, &all[at], all[at].rating, None);
        print(&mut out, "chance", all, |at| vec![1.0; table(at).len()])?;
        print(&mut out, "frequencies", all, table)?;
        let predictions = print(&mut out, "model", all, by_model)?;
        if !arguments.depths.is_empty() {
            let sample = tested.sample(arguments.games);
            searches::print_all(&mut out, &model, &sample, &tested.table, &arguments.depths)?;
        }
        tables::bands(&mut out, &model, all)?;
        tables::calibration(&mut out, "model", &predictions)
    })?;
    Ok(Exit::SUCCESS)
}

/// What is measured, and the baseline of earlier games.
struct Tested {
    choices: Vec<Choice>,
    table: FrequencyTable,
}

impl Tested {
    fn new(arguments: &Test, people: &[PeopleGame], ratings: &Ratings) -> Tested {
        let from = arguments.from.unwrap_or(0);
        let mut tested = Tested {
            choices: Vec::new(),
            table: FrequencyTable::default(),
        };
        for (number, game) in (0..).zip(people) {
            let is_earlier = game.year.is_some_and(|year| year < from);
            let default = match is_earlier {
                true => Some(Rating::MAX), // of no account in the table
                false => arguments.rating,
            };
            let choices = game.choices(number, ratings, default);
            match is_earlier {
                true => choices.for_each(|choice| tested.table.add(&choice)),
                false => tested.choices.extend(choices),
            }
        }
        tested
    }

    /// The choices of so many games, spread over all.
    fn sample(&self, games: u32) -> Vec<Choice> {
        let mut numbers: Vec<u32> = self.choices.iter().map(|choice| choice.game).collect();
        numbers.dedup();
        let count = numbers.len();
        let wanted = (games as usize).min(count);
        let is_in = |choice: &&Choice| {
            let at = numbers.binary_search(&choice.game).unwrap_or(0);
            // Of each beginning of the list an even share is taken.
            (at + 1) * wanted / count > at * wanted / count
        };
        self.choices.iter().filter(is_in).copied().collect()
    }
}
