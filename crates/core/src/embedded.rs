//! Files inside the binary: here the weights, in the crate `emilia` the model of people and the opening book.
//!
//! The library of a tier has none of its own: the program that loads it lends those that it has inside. A build
//! with the feature `lent-weights` has none either; its program lends weights and model as it receives them.

use std::sync::OnceLock;

/// A file inside this binary or, once it is lent, inside the one that loaded it.
#[derive(Debug)]
pub struct EmbeddedFile {
    own: &'static [u8],
    lent: OnceLock<&'static [u8]>,
}

impl EmbeddedFile {
    /// That of these bytes; of none where they will be lent.
    pub const fn new(own: &'static [u8]) -> EmbeddedFile {
        EmbeddedFile {
            own,
            lent: OnceLock::new(),
        }
    }

    /// Its contents.
    pub fn bytes(&self) -> &'static [u8] {
        self.lent.get().copied().unwrap_or(self.own)
    }

    /// Uses the same file of another binary of the same version, from its first use on.
    /// Only a build with `--cfg tier_library` needs it.
    pub fn lend(&self, bytes: &'static [u8]) {
        let _ = self.lent.set(bytes);
    }
}

/// The weight file; with `--cfg packed_weights` that at the path `EMILIA_WEIGHTS` of the build, which has the same
/// contents, packed smaller.
pub static WEIGHTS: EmbeddedFile = EmbeddedFile::new(cfg_select! {
    any(tier_library, feature = "lent-weights") => { &[] }
    packed_weights => { include_bytes!(env!("EMILIA_WEIGHTS")) }
    _ => { include_bytes!("eval/weights.bin") }
});
