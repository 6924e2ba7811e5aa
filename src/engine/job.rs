//! One search: the job of the search thread, and the handle of its owner.

use crossbeam_channel::{Receiver, Sender, bounded};

use super::from_book::{self, BookMove};
use super::person::Person;
use crate::rules::Board;
use crate::search::{Control, Info, Limits, Outcome, Searcher, TimeLimit};

/// When a search gives its answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Patience {
    /// As soon as it is done.
    Bounded,
    /// Only when it is stopped, even if it was done before.
    Infinite,
    /// As soon as it is done after the ponder hit.
    Ponder,
}

/// A search for the search thread to do.
#[derive(Debug)]
pub struct SearchJob {
    board: Board,
    /// What ends or bounds it.
    pub limits: Limits,
    /// Who chooses the move; `None`: the engine at its best.
    pub(super) person: Option<Person>,
    /// The move of a book, which is checked before it is played.
    book: Option<Box<BookMove>>,
    handle: SearchHandle,
    woken: Receiver<()>,
}

/// The owner's handle on a [`SearchJob`]; it may be used before the search begins and after it ends.
#[derive(Clone, Debug)]
pub struct SearchHandle {
    control: Control,
    patience: Patience,
    wake: Sender<()>,
}

impl SearchJob {
    /// A search of `board` by the engine at its best.
    pub fn new(board: Board, limits: Limits, patience: Patience) -> SearchJob {
        let (wake, woken) = bounded(1);
        let control = match patience {
            Patience::Ponder => Control::pondering(),
            Patience::Bounded | Patience::Infinite => Control::new(),
        };
        SearchJob {
            board,
            limits,
            person: None,
            book: None,
            handle: SearchHandle {
                control,
                patience,
                wake,
            },
            woken,
        }
    }

    /// The job, with the move chosen by a player of a rating.
    pub(super) fn chosen_by(self, person: Option<Person>) -> SearchJob {
        SearchJob { person, ..self }
    }

    /// The job, with the move of a book, if there is one.
    pub(super) fn with_book(self, book: Option<BookMove>) -> SearchJob {
        let book = book.map(Box::new);
        SearchJob { book, ..self }
    }

    /// What a book says, where it has a move: that move, its score and how certain it is.
    pub fn book_text(&self) -> Option<String> {
        self.book.as_deref().map(from_book::text)
    }

    /// The job, ended by this control.
    pub fn controlled_by(mut self, control: Control) -> SearchJob {
        self.handle.control = control;
        self
    }

    /// The position to search.
    pub const fn board(&self) -> Board {
        self.board
    }

    /// The handle that ends it.
    pub const fn handle(&self) -> &SearchHandle {
        &self.handle
    }

    /// Does nothing but time bound the search for the best move? Then a search that ponders on the same
    /// board can go on as this one.
    pub fn is_bounded_by_time_alone(&self) -> bool {
        let by_time = Limits {
            time: self.limits.time,
            ..Limits::default()
        };
        self.person.is_none() && self.book.is_none() && self.limits == by_time
    }

    /// Does the search, and does not wait for its stop.
    pub fn run(&self, searcher: &mut Searcher, report: &mut dyn FnMut(&Info)) -> Outcome {
        match &self.book {
            Some(book) => from_book::play(book, self, searcher, report),
            None => self.search(&self.limits, searcher, report),
        }
    }

    /// The search without a book.
    pub(super) fn search(
        &self,
        limits: &Limits,
        searcher: &mut Searcher,
        report: &mut dyn FnMut(&Info),
    ) -> Outcome {
        let control = self.handle.control();
        let Some(person) = &self.person else {
            return searcher.search(self.board, limits, control, report);
        };
        let outcome = person.choose(searcher, self.board, limits, control);
        outcome.lines.iter().for_each(report);
        outcome
    }

    /// Waits until the search may give its answer.
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

    /// As [`SearchHandle::ponderhit`], with this time instead of that of its limits.
    pub fn ponderhit_with(&self, time: TimeLimit) {
        self.control.ponderhit_with(time);
        self.wake();
    }

    /// Does it search on the opponent's time, or wait for the hit after that?
    pub fn ponders(&self) -> bool {
        self.control.is_pondering() && self.is_open()
    }

    /// Would the search run or wait for ever?
    pub fn is_open(&self) -> bool {
        let held = self.patience == Patience::Infinite || self.control.is_pondering();
        held && !self.control.is_stopped()
    }

    /// The flags that the search itself polls.
    pub const fn control(&self) -> &Control {
        &self.control
    }

    fn wake(&self) {
        // A full channel has a message that was not received yet: this change will be seen with it.
        let _ = self.wake.try_send(());
    }
}
