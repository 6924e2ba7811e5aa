//! The lock of a file that only one process at a time writes.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// How long another one may hold the lock: a process that is being started has a copy of all files that are open
/// here, locks that are given up included, until its own program begins.
const PATIENCE: Duration = Duration::from_millis(500);

/// Locks the file until it is closed, and says whether it could: `false` where another process holds the lock.
/// Not every file system has locks: there, the file counts as locked.
pub(crate) fn lock(file: &File, path: &Path) -> bool {
    let deadline = Instant::now() + PATIENCE;
    loop {
        match file.try_lock() {
            Ok(()) => return true,
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                thread::sleep(PATIENCE / 100);
            }
            Err(TryLockError::WouldBlock) => return false,
            Err(TryLockError::Error(error)) => {
                log::warn!("cannot lock {}: {error}", path.display());
                return true;
            }
        }
    }
}
