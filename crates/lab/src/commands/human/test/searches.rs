//! What needs searches in `emilia-lab human test`.

use std::sync::Arc;

use super::tables::{self, Out, predict, print, shares};
use crate::people::choices::Choice;
use crate::people::measure::{FrequencyTable, SearchedChoice, Tally, search_all};
use crate::people::profile::{Profile, band_means};
use emilia::commands::progress::Progress;
use emilia::human::Model;
use emilia::human::bands::{band, most_lost};
use emilia::search::Searchers;

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
pub(super) fn print_all(
    out: &mut Out,
    model: &Model,
    choices: &[Choice],
    table: &FrequencyTable,
    depths: &[u32],
) -> anyhow::Result<()> {
    let table = choices.iter().map(|choice| table.shares(choice.board));
    let table: Vec<Vec<f32>> = table.collect();
    print(out, "frequencies, sample", choices, |at| table[at].clone())?;
    let unsearched = |at: usize| shares(model, &choices[at], choices[at].rating, None);
    print(out, "model, sample", choices, unsearched)?;
    let searchers = Searchers::new(Arc::clone(model.evaluator()));
    let mut with_values = Vec::new();
    for &depth in depths {
        let progress = Progress::new(choices.len() as u64, "moves", 0);
        let found = search_all(&searchers, choices, depth, &|| progress.step())?;
        drop(progress);
        baselines(out, choices, &table, (depth, &found))?;
        let name = format!("model and search {depth}");
        let predictions = print(out, &name, choices, |at| {
            let values = Some(&found[at].values[..]);
            shares(model, &choices[at], choices[at].rating, values)
        })?;
        with_values.push((name, predictions, profile(model, choices, &found)));
    }
    for (name, predictions, profile) in with_values {
        tables::calibration(out, &name, &predictions)?;
        tables::profile(out, &name, &profile)?;
    }
    Ok(())
}

/// Prints searches of one depth alone, and mixed with the table.
fn baselines(
    out: &mut Out,
    choices: &[Choice],
    table: &[Vec<f32>],
    (depth, found): (u32, &[SearchedChoice]),
) -> anyhow::Result<()> {
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
    Ok(())
}

/// What people lose by the searches, beside players of the mean rating of each band: the model with the values of the searches, without the
/// moves that lose more than such players may.
fn profile(model: &Model, choices: &[Choice], found: &[SearchedChoice]) -> Profile {
    let means = band_means(choices);
    let mut profile = Profile::default();
    for (choice, found) in choices.iter().zip(found) {
        let rating = means[band(choice.rating)];
        let shares = shares(model, choice, rating, Some(&found.values));
        let most = most_lost(rating, choice.board);
        profile.add(choice, &found.losses, &within(&shares, &found.losses, most));
    }
    profile
}

/// The shares of the moves that lose `most` discs or less, which add up to one; the others have none.
fn within(shares: &[f32], losses: &[f32], most: f32) -> Vec<f32> {
    let allowed = shares.iter().zip(losses);
    let allowed: Vec<f32> = allowed
        .map(|(&share, &loss)| if loss <= most { share } else { 0.0 })
        .collect();
    let sum: f32 = allowed.iter().sum();
    allowed.iter().map(|share| share / sum).collect()
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
        for (choice, prediction) in choices.iter().zip(predict(choices, |at| shares(mix, at))) {
            tally.add(choice, &prediction);
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
