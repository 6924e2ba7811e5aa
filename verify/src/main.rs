//! `emilia-verify FILE..`: do files prove what they claim?

use std::io::{self, Write};
use std::panic::catch_unwind;
use std::path::Path;
use std::process::ExitCode;

use emilia_verify::file::Failure;
use emilia_verify::verify_file;

const USAGE: &str = "\
usage: emilia-verify FILE..

Checks proofs of Othello scores. The exit status is 0 if every file proves its claims, 1 if one does
not, 2 if one cannot be checked. FORMAT.md says what is checked, and why that suffices.";

/// Bytes of memory for positions; more go to temporary files.
const MEMORY: usize = 1 << 30;

fn main() -> ExitCode {
    match check_all() {
        Ok(status) => ExitCode::from(status),
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Checks the files, one after the other. Answers the worst exit status.
fn check_all() -> io::Result<u8> {
    let files: Vec<_> = std::env::args_os().skip(1).collect();
    let is_option = |file: &std::ffi::OsString| file.as_encoded_bytes().starts_with(b"-");
    if files.is_empty() || files.iter().any(is_option) {
        writeln!(io::stderr(), "{USAGE}")?;
        return Ok(2);
    }
    let mut worst = 0;
    for file in files {
        let path = Path::new(&file);
        let name = path.display().to_string().replace(char::is_control, "?");
        let checked = catch_unwind(|| verify_file(path, MEMORY, &mut |_| {}));
        let fault = || Failure::System("the checker has a fault".to_owned());
        let status = match checked.unwrap_or_else(|_| Err(fault())) {
            Ok(report) => {
                writeln!(io::stdout(), "{name}: {report}")?;
                0
            }
            Err(Failure::Wrong(reason)) => {
                writeln!(io::stdout(), "{name}: not proven: {reason}")?;
                1
            }
            Err(Failure::System(reason)) => {
                writeln!(io::stderr(), "error: cannot check {name}: {reason}")?;
                2
            }
        };
        worst = worst.max(status);
    }
    Ok(worst)
}
