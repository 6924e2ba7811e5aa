//! How the process ends.

use std::process::ExitCode;

/// The exit status of a command; a worse one is larger.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Exit(u8);

impl Exit {
    /// All is well.
    pub const SUCCESS: Exit = Exit(0);

    /// An error, or something that was checked is wrong.
    pub const FAILURE: Exit = Exit(1);

    /// The arguments make no sense, or what was to be checked cannot be.
    pub const UNUSABLE: Exit = Exit(2);

    /// Something is left unsolved.
    pub const UNSOLVED: Exit = Exit(3);

    /// [`Exit::FAILURE`] if something is wrong, else [`Exit::SUCCESS`].
    pub const fn failed_if(is_wrong: bool) -> Exit {
        if is_wrong {
            Exit::FAILURE
        } else {
            Exit::SUCCESS
        }
    }

    /// Of answers: whether some are wrong, and how many are left unsolved.
    pub(super) const fn of_answers(are_wrong: bool, unsolved: u64) -> Exit {
        match unsolved {
            _ if are_wrong => Exit::FAILURE,
            0 => Exit::SUCCESS,
            _ => Exit::UNSOLVED,
        }
    }

    /// The number.
    pub const fn code(self) -> u8 {
        self.0
    }
}

/// Of other meanings: a command says which.
impl From<u8> for Exit {
    fn from(code: u8) -> Exit {
        Exit(code)
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.0)
    }
}
