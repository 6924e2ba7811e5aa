//! The files inside the binary: the weights, the model of people, the opening book.
//!
//! The library of a tier has none of its own: the program that loads it lends those that it has inside. A build
//! with the feature `lent-weights` has none either; its program lends weights and model as it receives them.

#[cfg(feature = "program")]
use std::sync::OnceLock;

/// The bytes of the weight file, of the model of people and of the opening book.
pub type Files = [&'static [u8]; 3];

/// The weight file; with `--cfg packed_weights` that at the path `EMILIA_WEIGHTS` of the build, which has the same
/// contents, packed smaller.
#[cfg(not(any(tier_library, feature = "lent-weights")))]
static WEIGHTS: &[u8] = cfg_select! {
    packed_weights => { include_bytes!(env!("EMILIA_WEIGHTS")) }
    _ => { include_bytes!("eval/weights.bin") }
};

/// Those inside this binary.
static OWN: Files = cfg_select! {
    any(tier_library, feature = "lent-weights") => { [&[], &[], &[]] }
    feature = "book" => {
        [
            WEIGHTS,
            include_bytes!("human/model.bin"),
            include_bytes!("book/builtin.book"),
        ]
    }
    _ => { [WEIGHTS, include_bytes!("human/model.bin"), &[]] }
};

/// Those of the program that loaded this library.
#[cfg(feature = "program")]
static LENT: OnceLock<Files> = OnceLock::new();

/// All files.
pub fn files() -> Files {
    #[cfg(feature = "program")]
    if let Some(files) = LENT.get() {
        return *files;
    }
    OWN
}

/// Uses the files inside another binary of the same version as if they were inside this one, from their first use on.
/// Only a build with `--cfg tier_library` needs it.
#[cfg(feature = "program")]
pub fn lend(files: Files) {
    let _ = LENT.set(files);
}

/// The weight file.
pub(crate) fn weights() -> &'static [u8] {
    files()[0]
}

/// The file of the model of people.
pub(crate) fn model() -> &'static [u8] {
    files()[1]
}

/// The file of the opening book.
#[cfg(feature = "book")]
pub(crate) fn book() -> &'static [u8] {
    files()[2]
}
