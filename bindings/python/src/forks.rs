//! Forks of the process: none happens while a thread computes what all engines share. The child would wait for it for ever.

use emilia::binding::{hold_for_fork, release_after_fork};
use pyo3::prelude::*;
use pyo3::types::PyDict;

#[pyfunction]
fn before_fork() {
    hold_for_fork();
}

#[pyfunction]
fn after_fork() {
    release_after_fork();
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
