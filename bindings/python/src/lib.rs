//! The native half of the Python package `emilia_othello`: positions, the core of the engine, and batches over
//! NumPy. Each is a thin skin over the library; names, defaults and named tuples are those of the Python files.

mod batch;
mod engine;
mod errors;
mod forks;
mod games;
mod parallel;
mod position;
mod question;
mod readers;
mod solve;

use std::ffi::OsString;
use std::panic;

use emilia::binding::tier::{self, Tier};
use emilia::binding::{embedded, silence};
use emilia::launcher;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use engine::Core;
use errors::{EmiliaError, ParseError};
use position::PyPosition;

/// Features of x86-64 that no tier has: a build that may use one of them was made for its builder's CPU alone.
const BEYOND_TIERS: &[(&str, bool)] = &[
    ("adx", cfg!(target_feature = "adx")),
    ("aes", cfg!(target_feature = "aes")),
    ("gfni", cfg!(target_feature = "gfni")),
    ("pclmulqdq", cfg!(target_feature = "pclmulqdq")),
    ("rdrand", cfg!(target_feature = "rdrand")),
    ("rdseed", cfg!(target_feature = "rdseed")),
    ("sha", cfg!(target_feature = "sha")),
    ("vaes", cfg!(target_feature = "vaes")),
    ("xsavec", cfg!(target_feature = "xsavec")),
];

/// Names of CPU features that this build may use although its tier does not have them: none.
#[pyfunction]
fn features_beyond_tier() -> Vec<&'static str> {
    let used = BEYOND_TIERS.iter().filter(|(_, is_used)| *is_used);
    used.map(|(name, _)| *name).collect()
}

/// The tiers that this CPU can run, the fastest first: of `v4`, `v3` and `baseline`.
#[pyfunction]
fn tiers_of_cpu() -> Vec<String> {
    let tiers = Tier::FASTEST_FIRST.into_iter();
    tiers
        .filter(|tier| tier.runs_here())
        .map(|tier| tier.to_string())
        .collect()
}

/// The files inside this library.
#[pyfunction]
fn embedded_files(py: Python<'_>) -> [Bound<'_, PyBytes>; 3] {
    embedded::files().map(|file| PyBytes::new(py, file))
}

/// Uses these files, which another library of the same version has inside. They are kept for ever.
#[pyfunction]
fn lend_files(files: [Bound<'_, PyBytes>; 3]) {
    embedded::lend(files.map(|file| &*file.as_bytes().to_vec().leak()));
}

/// Runs the command-line program with these arguments, the first of which is its name, and ends the process.
#[pyfunction]
fn run_program(py: Python<'_>, arguments: Vec<OsString>) {
    // The program tells of panics itself.
    drop(panic::take_hook());
    py.detach(|| launcher::run_inside(arguments))
}

/// The functions and classes that the Python files use.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    silence();
    let py = module.py();
    module.add("VERSION", env!("CARGO_PKG_VERSION"))?;
    module.add("TIER", tier::NAME)?;
    module.add("LEVELS", engine::LEVELS)?;
    module.add("MOST_RATING", engine::MOST_RATING)?;
    module.add("EmiliaError", py.get_type::<EmiliaError>())?;
    module.add("ParseError", py.get_type::<ParseError>())?;
    module.add_class::<PyPosition>()?;
    module.add_class::<Core>()?;
    module.add_function(wrap_pyfunction!(features_beyond_tier, module)?)?;
    module.add_function(wrap_pyfunction!(tiers_of_cpu, module)?)?;
    module.add_function(wrap_pyfunction!(embedded_files, module)?)?;
    module.add_function(wrap_pyfunction!(lend_files, module)?)?;
    module.add_function(wrap_pyfunction!(run_program, module)?)?;
    module.add_function(wrap_pyfunction!(position::parse_game, module)?)?;
    module.add_function(wrap_pyfunction!(games::read_games, module)?)?;
    forks::add_to(module)?;
    batch::add_to(module)?;
    readers::add_to(module)
}
