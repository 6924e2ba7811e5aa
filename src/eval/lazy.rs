//! Tables of weights that are unpacked when they are first needed.

use std::sync::OnceLock;

use super::weights::{PackedWeights, WeightError};

/// `N` tables, one for each part of the game.
pub(super) struct LazyTables<T, const N: usize> {
    tables: [OnceLock<Box<T>>; N],
    source: Option<Source<T>>,
}

/// What missing tables are unpacked from, and how.
struct Source<T> {
    packed: PackedWeights<'static>,
    unpack: fn(&PackedWeights<'static>, usize) -> Result<Box<T>, WeightError>,
}

impl<T, const N: usize> LazyTables<T, N> {
    /// Tables that are there already, `N` of them.
    pub(super) fn ready(mut tables: impl Iterator<Item = Box<T>>) -> LazyTables<T, N> {
        LazyTables {
            tables: std::array::from_fn(|_| {
                tables.next().map_or_else(OnceLock::new, OnceLock::from)
            }),
            source: None,
        }
    }

    /// Tables of the embedded weights, none of them unpacked yet.
    pub(super) fn packed(
        packed: PackedWeights<'static>,
        unpack: fn(&PackedWeights<'static>, usize) -> Result<Box<T>, WeightError>,
    ) -> LazyTables<T, N> {
        LazyTables {
            tables: std::array::from_fn(|_| OnceLock::new()),
            source: Some(Source { packed, unpack }),
        }
    }

    /// The table of this number.
    #[inline(always)]
    pub(super) fn get(&self, number: usize) -> &T {
        match self.tables[number].get() {
            Some(table) => table,
            None => self.unpack(number),
        }
    }

    /// Is the table of this number there?
    pub(super) fn is_ready(&self, number: usize) -> bool {
        self.tables[number].get().is_some()
    }

    /// Unpacks a table; other threads that need it wait.
    #[cold]
    #[inline(never)]
    fn unpack(&self, number: usize) -> &T {
        self.tables[number].get_or_init(|| {
            let source = self.source.as_ref();
            let unpacked = source.and_then(|from| (from.unpack)(&from.packed, number).ok());
            unpacked.expect("the embedded weights are good; a test reads them")
        })
    }
}
