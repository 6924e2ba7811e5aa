//! Starts the program in the build that suits the CPU.
//!
//! The archives for x86-64 hold `emilia`, which runs on any such CPU and has weights, model and book inside, and
//! beside it the same program as a library for each higher tier. `emilia` loads the library of the
//! highest tier that the CPU can run, and calls its entry with these files: one process, with the
//! arguments, streams and signals that it had. Where there is no such library, as beside a build
//! for one CPU, the program runs as it is. `EMILIA_TIER` demands a tier.

use std::array;
use std::env::{self, consts::DLL_SUFFIX};
use std::ffi::OsString;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::process;
use std::slice;

use anyhow::{Context, bail};
use libloading::{Library, Symbol};

use crate::cli;
use crate::commands::Exit;
use crate::embedded;
use crate::logging;
use crate::tier::Tier;

/// Names the tier that must run: `baseline`, `v3` or `v4`.
const VARIABLE: &str = "EMILIA_TIER";

/// The symbol of [`tier_library`]. It has the version, so that no library of another version is called.
macro_rules! entry_symbol {
    () => {
        concat!(
            "emilia_files_",
            env!("CARGO_PKG_VERSION_MAJOR"),
            "_",
            env!("CARGO_PKG_VERSION_MINOR"),
            "_",
            env!("CARGO_PKG_VERSION_PATCH")
        )
    };
}

/// A file as it is handed over.
#[repr(C)]
#[doc(hidden)]
pub struct Handed {
    start: *const u8,
    length: usize,
}

/// The type of [`tier_library`].
type Entry = unsafe extern "C" fn(*const Handed) -> !;

/// Runs the program, and says how the process ends: see [`cli::run`].
pub fn run() -> Exit {
    logging::start();
    let code = run_tier();
    logging::finish();
    code
}

/// Runs the program in the build that suits the CPU.
fn run_tier() -> Exit {
    match env::var_os(VARIABLE) {
        None => load_fastest(),
        Some(wanted) => {
            if let Err(error) = demand(&wanted.to_string_lossy()) {
                logging::tell(&format!("error: {VARIABLE}: {error:#}"));
                return Exit::UNUSABLE;
            }
        }
    }
    cli::run()
}

/// Continues in the library of the fastest tier that is there and that the CPU can run. Returns if
/// there is none.
fn load_fastest() {
    if Tier::OWN != Tier::Baseline {
        return;
    }
    let libraries = [Tier::V4, Tier::V3].into_iter().filter(|t| t.runs_here());
    for path in libraries.filter_map(library_path).filter(|p| p.exists()) {
        log::error!("{}: {}", path.display(), enter(&path));
    }
}

/// Continues in the build of the tier `wanted`. Returns if it is this one.
fn demand(wanted: &str) -> anyhow::Result<()> {
    let wanted: Tier = wanted.parse()?;
    if wanted == Tier::OWN {
        return Ok(());
    }
    if !wanted.runs_here() {
        bail!("this CPU cannot run {wanted}");
    }
    if Tier::OWN != Tier::Baseline {
        bail!("this build is for {} alone, not {wanted}", Tier::OWN);
    }
    let path = library_path(wanted).context("this program's folder is unknown")?;
    Err(enter(&path)).with_context(|| format!("cannot load {}", path.display()))
}

/// Where the library of a tier must be: in the folder of this program.
fn library_path(tier: Tier) -> Option<PathBuf> {
    let program = env::current_exe().ok()?;
    Some(program.with_file_name(format!("emilia-{tier}{DLL_SUFFIX}")))
}

/// Continues in the library at `path`. Returns only if it cannot be loaded.
fn enter(path: &Path) -> libloading::Error {
    let handed = embedded::files().map(|file| Handed {
        start: file.as_ptr(),
        length: file.len(),
    });
    // SAFETY: the library was built from these sources, or at least from this version of them, as
    // its symbol says: loading it runs nothing but Rust's start, and the entry has this type. It
    // never returns, and the files last as long as the process.
    unsafe {
        let library = match Library::new(path) {
            Ok(library) => library,
            Err(error) => return error,
        };
        let entry: Result<Symbol<'_, Entry>, _> = library.get(entry_symbol!().as_bytes());
        match entry {
            Ok(entry) => entry(handed.as_ptr()),
            Err(error) => error,
        }
    }
}

/// The entry of the library of a tier: runs the program in it, and ends the process.
///
/// # Safety
/// `files` are as many as [`Files`](embedded::Files) has, in its order; their bytes never change, and last as long as the
/// process.
#[doc(hidden)]
#[cfg_attr(tier_library, unsafe(export_name = entry_symbol!()))]
pub unsafe extern "C" fn tier_library(files: *const Handed) -> ! {
    embedded::lend(array::from_fn(|number| {
        // SAFETY: the caller says so.
        unsafe {
            let file = &*files.add(number);
            slice::from_raw_parts(file.start, file.length)
        }
    }));
    run_inside(env::args_os().collect())
}

/// Runs the program inside another one, such as Python, with these arguments, the first of which is its
/// name, and ends the process.
pub fn run_inside(arguments: Vec<OsString>) -> ! {
    logging::start();
    // The exit code of a panic in a program's main thread.
    const PANICKED: i32 = 101;
    let exit = catch_unwind(|| cli::run_with(arguments));
    let code = exit.map_or(PANICKED, |exit| exit.code().into());
    logging::finish();
    // Not returned: the standard output of the library is not flushed by the program that loaded it.
    process::exit(code)
}
