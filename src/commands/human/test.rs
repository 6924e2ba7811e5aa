//! `emilia human test`: how well a model foretells the moves of people, beside baselines.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::ensure;
use clap::Args;
use rayon::prelude::*;

use super::games::{self, GameFiles};
use crate::commands::Exit;
use crate::commands::files;
use crate::commands::progress::Progress;
use crate::human::choices::{Choice, PeopleGame};
use crate::human::measure::{
    BANDS, Calibration, Foretold, FrequencyTable, PHASES, SearchedChoice, Tally, band, part_names,
    search_all,
};
use crate::human::ratings::Ratings;
use crate::human::{Model, Rating};
use crate::search::Searchers;

/// The arguments of `emilia human test`.
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
    #[arg(long, value_name = "N", value_parser = crate::commands::at_least_one)]
    threads: Option<NonZeroUsize>,
    #[command(flatten)]
    files: GameFiles,
}

const AFTER_HELP: &str = "\
Forced moves are left out, and moves that are equal up to symmetry are one. The first table has a line for each method and part: moves, the share of them
that was the most likely one, that was among the three most likely ones, and the mean logarithm of the probability; behind each its 95%
interval, by games. Then follow, for bands of ratings, the likelihood with the model set to the mean of each
band, and in ten bins how often moves of a stated probability were played.";

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
        let foretold = |at: usize| shares(&model, &all[at], all[at].rating, None);
        print(&mut out, "chance", all, |at| vec![1.0; table(at).len()])?;
        print(&mut out, "frequencies", all, table)?;
        print(&mut out, "model", all, foretold)?;
        if !arguments.depths.is_empty() {
            searches(&mut out, arguments, &model, &tested)?;
        }
        bands(&mut out, &model, all)?;
        calibration(&mut out, &model, all)
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
            // So many of the first ones that their number grows evenly to the wanted one.
            (at + 1) * wanted / count > at * wanted / count
        };
        self.choices.iter().filter(is_in).copied().collect()
    }
}

/// The model's shares of the legal moves.
fn shares(
    model: &Model,
    choice: &Choice,
    rating: Rating,
    searched: Option<&SearchedChoice>,
) -> Vec<f32> {
    let values = searched.map(|searched| &searched.values[..]);
    let shares = model.probabilities(choice.board, rating, values);
    shares.iter().map(|share| share.probability).collect()
}

type Out<'a> = io::StdoutLock<'a>;

/// What a method foretells of each choice, by its number.
fn foretell(choices: &[Choice], shares: impl Fn(usize) -> Vec<f32> + Sync) -> Vec<Foretold> {
    let numbers = (0..choices.len()).into_par_iter();
    numbers
        .map(|at| Foretold::new(&choices[at], shares(at)))
        .collect()
}

/// Prints the lines of a method.
fn print(
    out: &mut Out,
    method: &str,
    choices: &[Choice],
    shares: impl Fn(usize) -> Vec<f32> + Sync,
) -> anyhow::Result<()> {
    let mut tally = Tally::default();
    for (choice, foretold) in choices.iter().zip(foretell(choices, shares)) {
        tally.add(choice, &foretold);
    }
    for (name, figures) in part_names().zip(tally.figures()) {
        write!(out, "{method}\t{name}\t{}", figures.count)?;
        for (mean, half) in [figures.top1, figures.top3] {
            write!(out, "\t{:.2}%\t{:.2}", 100.0 * mean, 100.0 * half)?;
        }
        let (mean, half) = figures.likelihood;
        writeln!(out, "\t{mean:.4}\t{half:.4}")?;
    }
    Ok(out.flush()?)
}

/// Shares by what searches say of moves alone, and mixed with the table: p^a exp(−loss / T).
#[derive(Clone, Copy)]
struct Mix {
    /// The power of the table's share.
    power: f32,
    /// Discs.
    temperature: f32,
}

impl Mix {
    const TEMPERATURES: [f32; 9] = [0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0];
    const POWERS: [f32; 6] = [0.25, 0.5, 0.75, 1.0, 1.25, 1.5];

    fn shares(self, table: &[f32], losses: &[f32]) -> Vec<f32> {
        let share =
            |(share, loss): (&f32, &f32)| share.powf(self.power) * (-loss / self.temperature).exp();
        table.iter().zip(losses).map(share).collect()
    }
}

/// Prints what needs searches: the model with their values, the searches alone, and mixed with the table. The numbers of the
/// mixes are those that are best on the very moves that are measured, of which the baselines have the advantage.
fn searches(out: &mut Out, arguments: &Test, model: &Model, tested: &Tested) -> anyhow::Result<()> {
    let choices = &tested.sample(arguments.games)[..];
    let table: Vec<Vec<f32>> = choices
        .iter()
        .map(|c| tested.table.shares(c.board))
        .collect();
    print(out, "frequencies, sample", choices, |at| table[at].clone())?;
    let unsearched = |at: usize| shares(model, &choices[at], choices[at].rating, None);
    print(out, "model, sample", choices, unsearched)?;
    let searchers = Searchers::new(Arc::clone(model.evaluator()));
    for &depth in &arguments.depths {
        let progress = Progress::new(choices.len() as u64, "moves", 0);
        let found = search_all(&searchers, choices, depth, &|| progress.step())?;
        drop(progress);
        let by = |mix: Mix, at: usize| mix.shares(&table[at], &found[at].losses);
        for (name, powers) in [
            ("search", &[0.0][..]),
            ("search and frequencies", &Mix::POWERS),
        ] {
            for (goal, is_hits) in [("hits", true), ("likelihood", false)] {
                let mix = best(choices, powers, is_hits, &by);
                let name = format!(
                    "{name} {depth}, best {goal}: power {}, T {}",
                    mix.power, mix.temperature
                );
                print(out, &name, choices, |at| by(mix, at))?;
            }
        }
        print(out, &format!("model and search {depth}"), choices, |at| {
            shares(model, &choices[at], choices[at].rating, Some(&found[at]))
        })?;
    }
    Ok(())
}

/// The mix with the most hits or the largest likelihood.
fn best(
    choices: &[Choice],
    powers: &[f32],
    is_hits: bool,
    shares: &(impl Fn(Mix, usize) -> Vec<f32> + Sync),
) -> Mix {
    let mixes = powers.iter().flat_map(|&power| {
        let mix = move |temperature| Mix { power, temperature };
        Mix::TEMPERATURES.into_iter().map(mix)
    });
    let figure = |mix: Mix| {
        let mut tally = Tally::default();
        for (choice, foretold) in choices.iter().zip(foretell(choices, |at| shares(mix, at))) {
            tally.add(choice, &foretold);
        }
        let all = tally.figures().next();
        all.map_or(f64::MIN, |all| {
            if is_hits {
                all.top1.0
            } else {
                all.likelihood.0
            }
        })
    };
    let measured = mixes.map(|mix| (figure(mix), mix));
    let best = measured.max_by(|a, b| a.0.total_cmp(&b.0));
    best.map_or(
        Mix {
            power: 0.0,
            temperature: 1.0,
        },
        |(_, mix)| mix,
    )
}

/// Prints the likelihood of the moves of each band, with the model set to the mean rating of each band.
fn bands(out: &mut Out, model: &Model, choices: &[Choice]) -> anyhow::Result<()> {
    let of_band = |wanted: usize| {
        choices
            .iter()
            .filter(move |choice| band(choice.rating) == wanted)
    };
    let mean = |wanted: usize| {
        let sum: f32 = of_band(wanted).map(|choice| choice.rating.elo()).sum();
        Rating::new(sum / of_band(wanted).count() as f32)
    };
    write!(out, "\nplayers")?;
    for set in 0..BANDS {
        write!(out, "\tmodel {}", mean(set))?;
    }
    writeln!(out)?;
    for (players, name) in part_names().skip(1 + PHASES).enumerate() {
        let choices: Vec<Choice> = of_band(players).copied().collect();
        write!(out, "{name}")?;
        for set in 0..BANDS {
            let rating = mean(set);
            let of = |at: usize| shares(model, &choices[at], rating, None);
            let foretold = foretell(&choices, of);
            let sum: f64 = foretold
                .iter()
                .map(|foretold| foretold.chosen().max(1e-4).ln())
                .sum();
            write!(out, "\t{:.4}", sum / choices.len() as f64)?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Prints how often moves of a stated probability were played.
fn calibration(out: &mut Out, model: &Model, choices: &[Choice]) -> anyhow::Result<()> {
    let of = |at: usize| shares(model, &choices[at], choices[at].rating, None);
    let mut calibration = Calibration::default();
    for foretold in foretell(choices, of) {
        calibration.add(&foretold);
    }
    writeln!(out, "\nmoves\tstated\tplayed")?;
    for (moves, stated, played) in calibration.bins() {
        writeln!(
            out,
            "{moves}\t{:.2}%\t{:.2}%",
            100.0 * stated,
            100.0 * played
        )?;
    }
    Ok(())
}
