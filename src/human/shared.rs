//! The model that all players of the process go by: that inside the binary, or one that the embedding program lends.

#[cfg(not(feature = "lent-weights"))]
use crate::lazy::Lazy;
#[cfg(feature = "lent-weights")]
use std::sync::OnceLock;

use super::{Model, ModelError};
use crate::eval::Evaluator;

/// The model inside the binary. Whatever weights a search evaluates with, the model goes by those that it was fitted with.
///
/// # Errors
/// None, where the model is inside.
#[cfg(not(feature = "lent-weights"))]
pub fn players_model() -> Result<&'static Model, ModelError> {
    static SHARED: Lazy<Model> = Lazy::new(|| Model::embedded(Evaluator::embedded()));
    Ok(&SHARED)
}

/// The model that the program has lent.
#[cfg(feature = "lent-weights")]
static LENT: OnceLock<Model> = OnceLock::new();

/// The model that the program has lent.
///
/// # Errors
/// If it has lent none yet.
#[cfg(feature = "lent-weights")]
pub fn players_model() -> Result<&'static Model, ModelError> {
    LENT.get().ok_or(ModelError::Missing)
}

/// Lends the bytes of a model, which players with a rating or a level go by from now on; a second model changes nothing.
/// The first part of the weights has to be lent before ([`lend_part`](crate::eval::lend_part)).
///
/// # Errors
/// If they are no model that fits this build.
#[cfg(feature = "lent-weights")]
pub fn lend_model(bytes: &[u8]) -> Result<(), ModelError> {
    let model = Model::from_bytes(bytes, Evaluator::embedded())?;
    let _ = LENT.set(model);
    Ok(())
}
