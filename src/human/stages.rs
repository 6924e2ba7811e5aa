//! Weights of features that change with the stage of the game and with the rating.

use super::Rating;

/// Stages of the game.
pub const STAGES: usize = 15;

/// The stage of a board with so many `empties`: four plies each.
pub const fn stage(empties: u32) -> usize {
    let ply = 60u32.saturating_sub(empties) as usize;
    let stage = ply / 4;
    if stage < STAGES { stage } else { STAGES - 1 }
}

/// The largest weight that a file may have.
const LARGEST: f32 = 1000.0;

/// For each stage the weights of `N` features, and how they change with the rating.
#[derive(Clone, PartialEq, Debug)]
pub struct StageWeights<const N: usize>(pub Vec<[[f32; N]; 2]>);

impl<const N: usize> StageWeights<N> {
    /// Numbers in all.
    pub const LENGTH: usize = STAGES * 2 * N;

    /// All weights are `same`, at any rating.
    pub fn new(same: [f32; N]) -> StageWeights<N> {
        StageWeights(vec![[same, [0.0; N]]; STAGES])
    }

    /// The weights of a stage for a player of this rating.
    pub fn at(&self, stage: usize, rating: Rating) -> [f32; N] {
        let [level, slope] = &self.0[stage];
        let factor = rating.factor();
        std::array::from_fn(|k| slope[k].mul_add(factor, level[k]))
    }

    /// All numbers.
    #[cfg(feature = "program")]
    pub fn numbers(&self) -> impl Iterator<Item = f32> {
        self.0.as_flattened().as_flattened().iter().copied()
    }

    /// The weights with these [numbers](StageWeights::numbers); `None` if there are more or fewer, or one is no weight.
    pub fn from_numbers(numbers: &[f32]) -> Option<StageWeights<N>> {
        let are_weights = numbers.iter().all(|weight| weight.abs() <= LARGEST);
        if numbers.len() != Self::LENGTH || !are_weights {
            return None;
        }
        let mut weights = Self::new([0.0; N]);
        weights
            .0
            .as_flattened_mut()
            .as_flattened_mut()
            .copy_from_slice(numbers);
        Some(weights)
    }
}

/// The sum of products.
pub fn dot<const N: usize>(a: &[f32; N], b: &[f32; N]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Turns scores into probabilities.
pub fn softmax(scores: &mut [f32]) {
    let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for score in scores.iter_mut() {
        *score = (*score - most).exp();
        sum += *score;
    }
    for score in scores {
        *score /= sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_follow_the_game() {
        assert_eq!((stage(60), stage(57), stage(56)), (0, 0, 1));
        assert_eq!((stage(1), stage(0), stage(64)), (14, 14, 0));
    }

    #[test]
    fn weights_change_with_the_rating() {
        let mut weights = StageWeights::new([1.0, 2.0]);
        weights.0[3][1] = [0.5, 0.0];
        assert_eq!(weights.at(3, Rating::new(1700.0)), [1.5, 2.0]);
        assert_eq!(weights.at(2, Rating::new(1700.0)), [1.0, 2.0]);
        let numbers: Vec<f32> = weights.numbers().collect();
        assert_eq!(StageWeights::from_numbers(&numbers), Some(weights));
        assert_eq!(StageWeights::<2>::from_numbers(&numbers[1..]), None);
        let bad = [&[f32::NAN], &numbers[1..]].concat();
        assert_eq!(StageWeights::<2>::from_numbers(&bad), None);
    }

    #[test]
    fn probabilities_add_up_to_one() {
        let mut scores = [1000.0, 999.0, -1000.0];
        softmax(&mut scores);
        assert!((scores.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert!(scores[0] > 2.0 * scores[1] && scores[2] == 0.0);
    }
}
