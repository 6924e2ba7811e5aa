//! One search, as the search thread and its owner hold it.

use crossbeam_channel::{Receiver, Sender, bounded};

use crate::rules::Board;
use crate::search::{Control, Limits};

/// When a search gives its answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Patience {
    /// As soon as it is done.
    Bounded,
    /// Only when it is stopped, even if it was done before.
    Infinite,
    /// As soon as it is done, but not before the ponder hit.
    Ponder,
}

/// A search for the search thread to do.
#[derive(Debug)]
pub struct SearchJob {
    pub(super) board: Board,
    pub(super) limits: Limits,
    pub(super) handle: SearchHandle,
    woken: Receiver<()>,
}

/// The owner's end of a [`SearchJob`], good from before it begins until after it ends.
#[derive(Clone, Debug)]
pub struct SearchHandle {
    control: Control,
    patience: Patience,
    wake: Sender<()>,
}

impl SearchJob {
    /// A search of `board`, and the handle that ends it.
    pub fn new(board: Board, limits: Limits, patience: Patience) -> (SearchJob, SearchHandle) {
        let (wake, woken) = bounded(1);
        let control = match patience {
            Patience::Ponder => Control::pondering(),
            Patience::Bounded | Patience::Infinite => Control::new(),
        };
        let handle = SearchHandle {
            control,
            patience,
            wake,
        };
        let job = SearchJob {
            board,
            limits,
            handle: handle.clone(),
            woken,
        };
        (job, handle)
    }

    /// What is searched.
    pub const fn board(&self) -> Board {
        self.board
    }

    /// What ends it.
    pub const fn handle(&self) -> &SearchHandle {
        &self.handle
    }

    /// Sleeps until the search may give its answer.
    pub(super) fn wait_until_due(&self) {
        // `handle` holds a sender, so the channel cannot be disconnected.
        while self.handle.is_open() && self.woken.recv().is_ok() {}
    }
}

impl SearchHandle {
    /// Ends the search, also one that has not begun.
    pub fn stop(&self) {
        self.control.stop();
        self.wake();
    }

    /// The opponent played the expected move: the search runs on its own time now.
    pub fn ponderhit(&self) {
        self.control.ponderhit();
        self.wake();
    }

    /// Would the search go on, or wait, for ever?
    pub fn is_open(&self) -> bool {
        let held = self.patience == Patience::Infinite || self.control.is_pondering();
        held && !self.control.is_stopped()
    }

    /// The flags that the search itself polls.
    pub const fn control(&self) -> &Control {
        &self.control
    }

    fn wake(&self) {
        // A full channel holds a wake-up that is still to be seen: it will see this change too.
        let _ = self.wake.try_send(());
    }
}
