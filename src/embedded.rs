//! The files inside the binary: the weights, which `emilia-core` has, the model of people, the opening book.

use emilia_core::embedded::{EmbeddedFile, WEIGHTS};

/// The model of people.
pub(crate) static MODEL: EmbeddedFile = EmbeddedFile::new(cfg_select! {
    any(tier_library, feature = "lent-weights") => { &[] }
    _ => { include_bytes!("human/model.bin") }
});

/// The opening book.
pub(crate) static BOOK: EmbeddedFile = EmbeddedFile::new(cfg_select! {
    any(tier_library, feature = "lent-weights", not(feature = "book")) => { &[] }
    _ => { include_bytes!("book/builtin.book") }
});

/// The bytes of the weight file, of the model of people and of the opening book.
pub type Files = [&'static [u8]; 3];

const ALL: [&EmbeddedFile; 3] = [&WEIGHTS, &MODEL, &BOOK];

/// All files.
pub fn files() -> Files {
    ALL.map(EmbeddedFile::bytes)
}

/// Uses the files inside another binary of the same version as if they were inside this one, from their first use on.
/// Only a build with `--cfg tier_library` needs it.
pub fn lend(files: Files) {
    for (own, lent) in ALL.into_iter().zip(files) {
        own.lend(lent);
    }
}
