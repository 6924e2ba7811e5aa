//! The tables of `emilia-lab human test`.

use std::io::{StdoutLock, Write};

use rayon::prelude::*;

use crate::people::choices::Choice;
use crate::people::measure::{Calibration, Prediction, Tally, part_names};
use crate::people::profile::{Lost, Profile, band_means};
use emilia::human::bands::{PHASES, band};
use emilia::human::{Model, Rating};
use emilia::rules::Square;
use emilia::score::Score;

pub(in crate::commands::human) type Out<'a> = StdoutLock<'a>;

/// The model's shares of the legal moves, with or without the scores of a search.
pub(super) fn shares(
    model: &Model,
    choice: &Choice,
    rating: Rating,
    searched: Option<&[(Square, Score)]>,
) -> Vec<f32> {
    let shares = model.probabilities(choice.board, rating, searched);
    shares.iter().map(|share| share.probability).collect()
}

/// What a method predicts of each choice, by its number.
pub(super) fn predict(
    choices: &[Choice],
    shares: impl Fn(usize) -> Vec<f32> + Sync,
) -> Vec<Prediction> {
    let numbers = (0..choices.len()).into_par_iter();
    numbers
        .map(|at| Prediction::new(&choices[at], shares(at)))
        .collect()
}

/// Prints the lines of a method, and returns what it predicts.
pub(super) fn print(
    out: &mut Out,
    method: &str,
    choices: &[Choice],
    shares: impl Fn(usize) -> Vec<f32> + Sync,
) -> anyhow::Result<Vec<Prediction>> {
    let predictions = predict(choices, shares);
    let mut tally = Tally::default();
    for (choice, prediction) in choices.iter().zip(&predictions) {
        tally.add(choice, prediction);
    }
    for (name, figures) in part_names().zip(tally.figures()) {
        write!(out, "{method}\t{name}\t{}", figures.count)?;
        for (mean, half) in [figures.top1, figures.top3] {
            write!(out, "\t{:.2}%\t{:.2}", 100.0 * mean, 100.0 * half)?;
        }
        let (mean, half) = figures.likelihood;
        writeln!(out, "\t{mean:.4}\t{half:.4}")?;
    }
    out.flush()?;
    Ok(predictions)
}

/// Prints the likelihood of the moves of each band, with the model set to the mean rating of each band.
pub(super) fn bands(out: &mut Out, model: &Model, choices: &[Choice]) -> anyhow::Result<()> {
    let means = band_means(choices);
    write!(out, "\nplayers")?;
    for mean in means {
        write!(out, "\tmodel {mean}")?;
    }
    writeln!(out)?;
    for (players, name) in part_names().skip(1 + PHASES).enumerate() {
        let of_band = |choice: &&Choice| band(choice.rating) == players;
        let choices: Vec<Choice> = choices.iter().filter(of_band).copied().collect();
        write!(out, "{name}")?;
        for rating in means {
            let predictions = predict(&choices, |at| shares(model, &choices[at], rating, None));
            let sum: f64 = predictions.iter().map(Prediction::likelihood).sum();
            write!(out, "\t{:.4}", sum / choices.len() as f64)?;
        }
        writeln!(out)?;
    }
    Ok(out.flush()?)
}

/// Prints how often moves of a stated probability were played.
pub(super) fn calibration(
    out: &mut Out,
    method: &str,
    predictions: &[Prediction],
) -> anyhow::Result<()> {
    let mut calibration = Calibration::default();
    for prediction in predictions {
        calibration.add(prediction);
    }
    writeln!(out)?;
    stated_and_played(out, method, &calibration)
}

/// Prints the bins.
pub(in crate::commands::human) fn stated_and_played(
    out: &mut Out,
    method: &str,
    calibration: &Calibration,
) -> anyhow::Result<()> {
    writeln!(out, "{method}, moves\tstated\tplayed\tdifference")?;
    for (moves, stated, played) in calibration.bins() {
        let [stated, played] = [100.0 * stated, 100.0 * played];
        let difference = played - stated;
        writeln!(out, "{moves}\t{stated:.2}%\t{played:.2}%\t{difference:+.2}")?;
    }
    Ok(out.flush()?)
}

/// Prints what people lose, by band and phase, and what the model does: two numbers for each.
pub(super) fn profile(out: &mut Out, method: &str, profile: &Profile) -> anyhow::Result<()> {
    write!(out, "\n{method}, players\tpart\tmoves")?;
    let columns = ["discs a move", "0", "1-3", "4-9", "10+"];
    for column in columns {
        write!(out, "\t{column}\tmodel")?;
    }
    writeln!(out, "\tdistance\t99th percentile")?;
    let names: Vec<String> = part_names().collect();
    for (band, players) in names[1 + PHASES..].iter().enumerate() {
        for (part, name) in names[..=PHASES].iter().enumerate() {
            let lost = profile.lost(band, part.checked_sub(1));
            write!(out, "{players}\t{name}\t")?;
            line_of_losses(out, &lost)?;
        }
    }
    Ok(out.flush()?)
}

fn line_of_losses(out: &mut Out, lost: &Lost) -> anyhow::Result<()> {
    let [people, model] = lost.means;
    write!(out, "{}\t{people:.3}\t{model:.3}", lost.choices)?;
    for shares in lost.classes {
        let [people, model] = shares.map(|share| 100.0 * share);
        write!(out, "\t{people:.2}%\t{model:.2}%")?;
    }
    writeln!(out, "\t{:.4}\t{}", lost.distance, lost.percentile_99)?;
    Ok(())
}
