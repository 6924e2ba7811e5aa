//! What a searcher is built with: its threads, and the memory of its table.

use thiserror::Error;

use crate::reserve::Reserve;

/// What a searcher is built with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SearchOptions {
    /// Threads that search one position, at least 1.
    pub threads: usize,
    /// Memory of the transposition table in megabytes, at least 1.
    pub hash_mb: usize,
}

impl SearchOptions {
    /// The largest table that is accepted, in megabytes: 2^48 bytes, more than today's
    /// processors can address.
    pub const MAX_HASH_MB: usize = 1 << 28;

    /// The most threads that a host may set.
    pub const MAX_THREADS: usize = 256;

    /// Is there memory for the table now?
    ///
    /// # Errors
    /// If there is not.
    pub fn check(self) -> Result<(), TableError> {
        let megabytes = self.hash_mb;
        let bytes = megabytes.checked_mul(1 << 20);
        let free = bytes.and_then(Reserve::hold_beside);
        free.map(drop).ok_or(TableError { megabytes })
    }
}

/// Reads the megabytes of a table.
///
/// # Errors
/// If it is not a number from 1 to [`SearchOptions::MAX_HASH_MB`].
pub fn parse_hash_mb(text: &str) -> Result<usize, String> {
    let most = SearchOptions::MAX_HASH_MB;
    let megabytes = text.parse().ok().filter(|mb| (1..=most).contains(mb));
    megabytes.ok_or_else(|| format!("expected megabytes, 1 to {most}"))
}

impl Default for SearchOptions {
    fn default() -> SearchOptions {
        SearchOptions {
            threads: 1,
            hash_mb: 256,
        }
    }
}

/// There is no memory for a table.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("cannot allocate {megabytes} MB for the hash table")]
pub struct TableError {
    /// Megabytes asked for.
    pub megabytes: usize,
}
