//! The samples of a few phases as rows of a system of equations: their scores minus the values of
//! the vectors.

use rayon::prelude::*;

use super::Sample;
use crate::eval::factors::{Factors, stage};
use crate::eval::patterns::{
    INSTANCE_LIST, INSTANCES, MOBILITY_PAIRS, class_offset, mobility_pair,
};
use crate::eval::{BIASES, Features, Packing, phase};
use crate::rules::Board;
use crate::score::Score;

/// The columns of a board's features: its configurations, its pair of mobilities, its number of empties.
pub(super) fn columns(board: Board) -> [usize; INSTANCES + 2] {
    let packing = Packing::get();
    let indices = Features::of(board).indices();
    let empties = (board.empty_count() as usize).min(BIASES - 1);
    let mut columns = [0; INSTANCES + 2];
    for (lane, instance) in INSTANCE_LIST.iter().enumerate() {
        columns[lane] = packing.slots()[instance.offset + indices.0[lane] as usize] as usize;
    }
    columns[INSTANCES] = packing.len() - MOBILITY_PAIRS + mobility_pair(board);
    columns[INSTANCES + 1] = packing.len() + empties;
    columns
}

/// The columns that are 1 in each row, and the value that their sum should have.
pub(super) struct Rows {
    /// For each instance the number of its weight within its class.
    slots: Vec<[u16; INSTANCES]>,
    mobility: Vec<u16>,
    empties: Vec<u8>,
    pub(super) target: Vec<f32>,
    pub(super) weight: Vec<f32>,
    /// For each instance the first column of its class.
    bases: [usize; INSTANCES],
}

impl Rows {
    /// The rows of `samples`, in their order; a sample `d` phases from `phase` has its
    /// weight times `window[d]`.
    pub(super) fn new(samples: &[Sample], phase: usize, window: &[f32], factors: &Factors) -> Rows {
        let slots = Packing::get().slots();
        let bases = INSTANCE_LIST.map(|instance| slots[class_offset(instance.class)] as usize);
        let row = |sample: &Sample| {
            let columns = columns(sample.board);
            std::array::from_fn(|lane| (columns[lane] - bases[lane]) as u16) // at most 3^10 a class
        };
        let empties = |sample: &Sample| sample.board.empty_count().min(60);
        let factor = |sample: &Sample| window[phase.abs_diff(super::phase(empties(sample)))];
        let rest = |sample: &Sample| {
            let together = factors.evaluate_board(stage(phase), sample.board);
            sample.score - together as f32 / Score::PER_DISC as f32
        };
        Rows {
            mobility: samples
                .iter()
                .map(|s| mobility_pair(s.board) as u16)
                .collect(),
            slots: samples.par_iter().map(row).collect(),
            empties: samples.iter().map(|s| empties(s) as u8).collect(),
            target: samples.par_iter().map(rest).collect(),
            weight: samples.iter().map(|s| factor(s) * s.weight).collect(),
            bases,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    pub(super) fn columns() -> usize {
        Packing::get().len() + BIASES
    }

    /// The columns that are 1 in row `i`.
    #[inline(always)]
    fn columns_of(&self, i: usize) -> impl Iterator<Item = usize> {
        let bias = Packing::get().len() + self.empties[i] as usize;
        let first_pair = Packing::get().len() - MOBILITY_PAIRS;
        let slots = self.slots[i].iter().zip(&self.bases);
        slots
            .map(|(&slot, base)| base + slot as usize)
            .chain([first_pair + self.mobility[i] as usize, bias])
    }

    /// The sum of `x` in row `i`.
    #[inline(always)]
    pub(super) fn product(&self, i: usize, x: &[f32]) -> f32 {
        self.columns_of(i).map(|column| x[column]).sum()
    }

    /// Adds `value` to the columns of row `i`.
    #[inline(always)]
    pub(super) fn scatter(&self, i: usize, value: f32, into: &mut [f32]) {
        for column in self.columns_of(i) {
            into[column] += value;
        }
    }

    /// Root of the mean squared error and mean absolute error of `x` on the rows of
    /// `number`, a phase.
    pub(super) fn errors(&self, number: usize, x: &[f32]) -> (f64, f64) {
        let (mut square, mut absolute, mut total) = (0.0, 0.0, 0.0);
        for i in (0..self.len()).filter(|&i| phase(u32::from(self.empties[i])) == number) {
            let weight = f64::from(self.weight[i]);
            let error = f64::from(self.target[i] - self.product(i, x));
            square += weight * error * error;
            absolute += weight * error.abs();
            total += weight;
        }
        if total == 0.0 {
            return (0.0, 0.0);
        }
        ((square / total).sqrt(), absolute / total)
    }
}
