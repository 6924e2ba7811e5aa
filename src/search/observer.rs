//! Who watches a search at its nodes: nobody, or what counts and draws samples for training.
//!
//! The search is compiled twice, for [`Off`] and for [`On`]; the version that is not watched has no
//! trace of this.

use super::counters::Counts;
use super::horizon::HorizonSample;
use crate::rules::Board;
use crate::score::Discs;

/// What a search tells at its nodes.
pub(super) trait Observer: Default + Send + 'static {
    /// The counters, if it counts.
    #[inline(always)]
    fn counts(&mut self) -> Option<&mut Counts> {
        None
    }

    /// The sample of boards at the horizon, if it draws one.
    #[inline(always)]
    fn horizon(&mut self) -> Option<&mut HorizonSample> {
        None
    }

    /// Counts something, if it counts.
    #[inline(always)]
    fn count(&mut self, note: impl FnOnce(&mut Counts)) {
        if let Some(counts) = self.counts() {
            note(counts);
        }
    }

    /// Sees a board at the horizon whose score is so many discs better than the lower end of a null window.
    #[inline(always)]
    fn at_horizon(&mut self, board: Board, above: Discs) {
        if let Some(sample) = self.horizon() {
            sample.note(board, above);
        }
    }
}

/// Nobody.
#[derive(Default)]
pub(super) struct Off;

impl Observer for Off {}

/// Counters, and a sample.
#[derive(Default)]
pub(super) struct On {
    counts: Counts,
    horizon: HorizonSample,
}

impl Observer for On {
    fn counts(&mut self) -> Option<&mut Counts> {
        Some(&mut self.counts)
    }

    fn horizon(&mut self) -> Option<&mut HorizonSample> {
        Some(&mut self.horizon)
    }
}
