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
    /// What was seen, if it watches.
    #[inline(always)]
    fn on(&mut self) -> Option<&mut On> {
        None
    }

    /// Counts something, if it watches.
    #[inline(always)]
    fn count(&mut self, note: impl FnOnce(&mut Counts)) {
        if let Some(on) = self.on() {
            note(&mut on.counts);
        }
    }

    /// Sees a board at the horizon whose score is so many discs better than the lower end of a null window.
    #[inline(always)]
    fn at_horizon(&mut self, board: Board, above: Discs) {
        if let Some(on) = self.on() {
            on.horizon.note(board, above);
        }
    }
}

/// Nobody.
#[derive(Default)]
pub(super) struct Off;

impl Observer for Off {}

/// Counters, and the sample of boards at the horizon, which is empty unless one is asked for.
#[derive(Default)]
pub(super) struct On {
    pub(super) counts: Counts,
    pub(super) horizon: HorizonSample,
}

impl Observer for On {
    fn on(&mut self) -> Option<&mut On> {
        Some(self)
    }
}
