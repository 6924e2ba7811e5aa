//! Forks of the process: none happens while a thread computes what all engines share. The child would wait for it for ever.

use std::cell::RefCell;

use emilia::lazy::{self, Held};
use pyo3::prelude::*;
use pyo3::types::PyDict;

thread_local! {
    /// What the thread that forks holds back meanwhile.
    static HELD: RefCell<Option<Held>> = const { RefCell::new(None) };
}

#[pyfunction]
fn before_fork() {
    HELD.set(Some(lazy::hold()));
}

#[pyfunction]
fn after_fork() {
    HELD.set(None);
}

/// Has Python call the functions above, where the system has forks.
pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let os = module.py().import("os")?;
    let Some(register) = os.getattr_opt("register_at_fork")? else {
        return Ok(());
    };
    let after = wrap_pyfunction!(after_fork, module)?;
    let hooks = PyDict::new(module.py());
    hooks.set_item("before", wrap_pyfunction!(before_fork, module)?)?;
    hooks.set_item("after_in_parent", &after)?;
    hooks.set_item("after_in_child", &after)?;
    register.call((), Some(&hooks))?;
    Ok(())
}
