//! `emilia board`: opens the page on which people play and study, the file `emilia.html` beside the program.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};
use clap::Args;

use super::Exit;

/// The file, in every archive beside the program.
const PAGE: &str = "emilia.html";

/// The variable that names the file where it lies elsewhere: the program of the Python package is Python.
const PAGE_VARIABLE: &str = "EMILIA_PAGE";

/// The arguments of `emilia board`.
#[derive(Args, Debug)]
pub struct Arguments {
    /// Print where the page is, and open nothing
    #[arg(long)]
    print: bool,
}

/// Opens the page in the browser that the system has for it.
///
/// # Errors
/// If there is no page, or no program opens it.
pub fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let program = env::current_exe().context("cannot find the folder of the program")?;
    let page = match env::var_os(PAGE_VARIABLE).map(PathBuf::from) {
        Some(page) if page.is_file() => page,
        Some(page) => bail!("{PAGE_VARIABLE}: there is no file {}", page.display()),
        None => page_beside(&program)?,
    };
    if arguments.print {
        use std::io::Write;
        writeln!(std::io::stdout(), "{}", page.display())?;
        return Ok(Exit::SUCCESS);
    }
    open(&page)?;
    Ok(Exit::SUCCESS)
}

/// The page beside the program, or the one that was built in the sources that the program was built in.
fn page_beside(program: &Path) -> anyhow::Result<PathBuf> {
    let folders = || program.ancestors().skip(1);
    let beside = folders().take(1).map(|folder| folder.join(PAGE));
    // target/release/emilia lies three below the sources, target/TARGET/release/emilia four.
    let built = folders()
        .take(5)
        .map(|folder| folder.join("web/dist").join(PAGE));
    match beside.chain(built).find(|page| page.is_file()) {
        Some(page) => Ok(page),
        None => bail!(
            "there is no {PAGE} beside {}; in the sources `cd web && npm ci && npm run build` makes web/dist/{PAGE}, \
             and {PAGE_VARIABLE} names one that lies elsewhere",
            program.display()
        ),
    }
}

/// Hands the page to the system.
fn open(page: &Path) -> anyhow::Result<()> {
    let mut command = if cfg!(windows) {
        // `explorer` takes a path as it is; `start` of cmd reads `&` and `^`.
        Command::new("explorer")
    } else if cfg!(target_os = "macos") {
        Command::new("open")
    } else {
        Command::new("xdg-open")
    };
    let opener = command.get_program().to_string_lossy().into_owned();
    let nothing = || Stdio::null();
    command
        .arg(page)
        .stdin(nothing())
        .stdout(nothing())
        .stderr(nothing());
    let failed = || {
        format!(
            "cannot open {} with {opener}: open it in a browser",
            page.display()
        )
    };
    let status = command.status().with_context(failed)?;
    // `explorer` reports a failure whatever it did.
    if !status.success() && !cfg!(windows) {
        bail!(failed());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_page_lies_beside_the_program_or_was_built() {
        let folder = tempfile::tempdir().expect("a folder");
        let target = folder.path().join("target/release");
        let built = folder.path().join("web/dist");
        fs::create_dir_all(&target).expect("a folder");
        fs::create_dir_all(&built).expect("a folder");
        let program = target.join("emilia");
        let error = page_beside(&program).expect_err("no page").to_string();
        assert!(error.contains("npm run build"), "{error}");
        fs::write(built.join(PAGE), "").expect("a file");
        assert_eq!(page_beside(&program).expect("a page"), built.join(PAGE));
        fs::write(target.join(PAGE), "").expect("a file");
        assert_eq!(page_beside(&program).expect("a page"), target.join(PAGE));
    }
}
