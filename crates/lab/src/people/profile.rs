//! What people's moves lose, beside what those of a model would.

use super::choices::Choice;
use emilia::human::Rating;
use emilia::human::bands::{BANDS, PHASES, band, phase};

/// Whole discs that a move can lose: 0 to so many less one; more counts as the most.
const DISCS: usize = 65;

/// The classes of losses: so many discs and more, up to the next.
const CLASS_STARTS: [usize; CLASSES] = [0, 1, 4, 10];

/// Classes of losses: 0, 1 to 3, 4 to 9, 10 and more discs.
pub const CLASSES: usize = 4;

/// What the moves of choices lose, by band of ratings and by phase: those that people chose, and what a model expects of them.
#[derive(Clone, Debug)]
pub struct Profile([[LossShares; PHASES]; BANDS]);

/// Shares of losses in whole discs.
#[derive(Clone, Debug)]
struct LossShares {
    choices: u64,
    people: [f64; DISCS],
    model: [f64; DISCS],
}

/// The losses of the choices of a part.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Lost {
    /// Choices.
    pub choices: u64,
    /// What people lose, then what the model does.
    pub means: [f64; 2],
    /// The shares of moves in each class, of people and of the model.
    pub classes: [[f64; 2]; CLASSES],
    /// The distance of both by Kolmogorov and Smirnov: the largest difference of the shares of moves that lose so many discs or fewer.
    pub distance: f64,
    /// The discs that 99 of 100 moves of people do not lose more than.
    pub percentile_99: usize,
}

impl Default for Profile {
    fn default() -> Profile {
        let none = LossShares {
            choices: 0,
            people: [0.0; DISCS],
            model: [0.0; DISCS],
        };
        Profile(std::array::from_fn(|_| {
            std::array::from_fn(|_| none.clone())
        }))
    }
}

impl Profile {
    /// Adds a choice: what each legal move loses, in discs, and how likely the model makes it.
    pub fn add(&mut self, choice: &Choice, losses: &[f32], shares: &[f32]) {
        let part = &mut self.0[band(choice.rating)][phase(choice.board)];
        part.choices += 1;
        for ((square, &loss), &share) in choice.board.legal_moves().zip(losses).zip(shares) {
            let discs = (loss.round() as usize).min(DISCS - 1);
            part.model[discs] += f64::from(share);
            if square == choice.square {
                part.people[discs] += 1.0;
            }
        }
    }

    /// The losses of a band in one phase, or in all.
    pub fn lost(&self, band: usize, phase: Option<usize>) -> Lost {
        let phases = match phase {
            Some(phase) => &self.0[band][phase..=phase],
            None => &self.0[band][..],
        };
        let choices = phases.iter().map(|part| part.choices).sum();
        let sum = |of: fn(&LossShares) -> &[f64; DISCS]| -> [f64; DISCS] {
            std::array::from_fn(|discs| {
                let sum: f64 = phases.iter().map(|part| of(part)[discs]).sum();
                sum / choices as f64
            })
        };
        Lost::new(
            choices,
            &[sum(|part| &part.people), sum(|part| &part.model)],
        )
    }
}

impl Lost {
    fn new(choices: u64, shares: &[[f64; DISCS]; 2]) -> Lost {
        let mean = |shares: &[f64; DISCS]| {
            let discs = shares.iter().enumerate();
            discs.map(|(discs, share)| discs as f64 * share).sum()
        };
        let class = |class: usize| {
            let end = CLASS_STARTS.get(class + 1).copied().unwrap_or(DISCS);
            let range = CLASS_STARTS[class]..end;
            shares
                .each_ref()
                .map(|shares| shares[range.clone()].iter().sum())
        };
        let (mut distance, mut percentile_99) = (0.0_f64, 0);
        let [mut people, mut model] = [0.0; 2];
        let each = shares[0].iter().zip(&shares[1]);
        for (discs, (of_people, of_model)) in each.enumerate() {
            if people < 0.99 {
                percentile_99 = discs;
            }
            people += of_people;
            model += of_model;
            distance = distance.max((people - model).abs());
        }
        Lost {
            choices,
            means: shares.each_ref().map(mean),
            classes: std::array::from_fn(class),
            distance,
            percentile_99,
        }
    }
}

/// The mean ratings of the players of each band, the least where there are none: each choice counts.
pub fn band_means(choices: &[Choice]) -> [Rating; BANDS] {
    std::array::from_fn(|wanted| {
        let of_band = choices.iter().map(|choice| choice.rating);
        let of_band = of_band.filter(|&rating| band(rating) == wanted);
        let (mut sum, mut count) = (0.0, 0.0);
        for rating in of_band {
            sum += f64::from(rating.elo());
            count += 1.0;
        }
        Rating::new((sum / count) as f32)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use emilia::rules::{Board, Square};

    /// A choice of the first move after f5, by a player of this rating.
    fn choice(elo: f32) -> Choice {
        let board = Board::START.play(Square::wrapping(37));
        Choice {
            board,
            square: board.legal_moves().next().expect("three moves"),
            rating: Rating::new(elo),
            game: 0,
        }
    }

    #[test]
    fn losses_of_people_and_model_are_compared() {
        let mut profile = Profile::default();
        for _ in 0..3 {
            profile.add(&choice(1500.0), &[0.0, 2.4, 12.0], &[0.5, 0.25, 0.25]);
        }
        profile.add(&choice(1500.0), &[4.0, 0.0, 90.0], &[0.5, 0.5, 0.0]);
        let lost = profile.lost(band(Rating::new(1500.0)), None);
        assert_eq!(lost, profile.lost(3, Some(0)));
        assert_eq!((lost.choices, lost.percentile_99), (4, 4));
        assert_eq!(lost.means, [1.0, 0.75 * 3.5 + 0.25 * 2.0]);
        assert_eq!(lost.classes[0], [0.75, 0.5]);
        assert_eq!(lost.classes[1], [0.0, 0.1875]);
        assert_eq!(lost.classes[2], [0.25, 0.125]);
        assert_eq!(lost.classes[3], [0.0, 0.1875]);
        assert_eq!(lost.distance, 0.25);
        assert_eq!(profile.lost(0, None).choices, 0);
    }

    #[test]
    fn bands_have_means() {
        let means = band_means(&[choice(1500.0), choice(1540.0), choice(900.0)]);
        assert_eq!(means.map(Rating::elo), [900.0, 1.0, 1.0, 1520.0, 1.0]);
    }
}
