//! The end of a tournament before its time: no engine outlives it.

use std::sync::{Arc, Mutex, MutexGuard};

use crate::locks::lock;
use crate::search::Control;

/// A shared handle on all that plays: ends it at once, whatever it does.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    /// Of the searches in this process.
    control: Control,
    /// The engines that run, each by the number of its process, which leads a group.
    engines: Arc<Mutex<Vec<u32>>>,
}

impl Stop {
    /// Ends all engines and searches. None starts any more.
    pub fn all(&self) {
        let engines = self.engines();
        self.control.stop();
        engines.iter().for_each(|&engine| kill_group(engine));
    }

    /// Has everything ended?
    pub fn is_over(&self) -> bool {
        self.control.is_stopped()
    }

    /// For the searches in this process.
    pub(in crate::tournament) const fn control(&self) -> &Control {
        &self.control
    }

    /// An engine has started: it is ended at once if everything has.
    pub(super) fn enter(&self, engine: u32) {
        let mut engines = self.engines();
        engines.push(engine);
        if self.is_over() {
            kill_group(engine);
        }
    }

    /// Ends an engine and whatever it has started. Nobody may have waited for its process, or the number
    /// would be that of another one.
    pub(super) fn end(&self, engine: u32) {
        let mut engines = self.engines();
        engines.retain(|&other| other != engine);
        kill_group(engine);
    }

    fn engines(&self) -> MutexGuard<'_, Vec<u32>> {
        lock(&self.engines)
    }
}

#[cfg(unix)]
fn kill_group(leader: u32) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let group = i32::try_from(leader).ok().and_then(Pid::from_raw);
    if let Some(group) = group {
        // All of it may have ended.
        let _ = kill_process_group(group, Signal::KILL);
    }
}

/// Elsewhere an engine ends with its input.
#[cfg(not(unix))]
fn kill_group(_: u32) {}
