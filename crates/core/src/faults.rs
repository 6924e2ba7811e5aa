//! Faults as errors: a panic ends the work that it happens in, and its reason goes to whoever waits
//! for that work.

use std::any::Any;
use std::cell::Cell;
use std::error::Error;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::sync::Once;

/// Does `work`. A panic in it, which the log tells as well, becomes an error with its message.
///
/// # Errors
/// If `work` panics. What it has changed half may not be used any more.
pub fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| message_of(&*panic))
}

/// Runs `work` as [`caught`], where a panic is expected, of code that is not ours on data that may be damaged: it is
/// no fault of the program, and only the error tells of it.
///
/// # Errors
/// As for [`caught`].
pub fn caught_quietly<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let loud = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                loud(info);
            }
        }));
    });
    let before = QUIET.replace(true);
    let done = caught(work);
    QUIET.set(before);
    done
}

/// From now on no panic prints anything: errors alone tell of it. For libraries inside other programs.
pub fn silence() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| panic::set_hook(Box::new(|_| {})));
}

thread_local! {
    /// Is a panic of this thread told by an error alone?
    static QUIET: Cell<bool> = const { Cell::new(false) };

    static FATAL: Cell<bool> = const { Cell::new(false) };
}

/// From now on a panic of this thread is the end of the process, which [`is_fatal`] tells the one who
/// reports it: for threads of runs that cannot go on without each of them, and that keep what they have
/// done on the disk.
pub fn make_panics_fatal() {
    FATAL.set(true);
}

/// Is a panic of this thread the end of the process?
pub fn is_fatal() -> bool {
    FATAL.get()
}

/// An error and what it comes from, in one line.
pub fn with_causes(error: &dyn Error) -> String {
    let causes = std::iter::successors(Some(error), |&error| error.source());
    let texts: Vec<String> = causes.map(ToString::to_string).collect();
    texts.join(": ")
}

/// What a panic says.
pub fn message_of(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("a panic without a message").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_with_its_message() {
        assert_eq!(caught(|| 7), Ok(7));
        assert_eq!(caught_quietly(|| 7), Ok(7));
        let number = 3;
        let error = caught_quietly(|| panic!("fault {number}")).map(|()| 7);
        assert_eq!(error, Err("fault 3".to_owned()));
        assert!(!QUIET.get(), "later panics are told");
    }
}
