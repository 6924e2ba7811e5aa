//! `emilia ggs`: plays on the Generic Game Server, by a file of settings.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail, ensure};
use clap::{Args, Parser};
use crossbeam_channel::unbounded;

use super::interrupt::Interrupt;
use super::{Exit, serve};
use crate::files::{FileKind, UsedFiles};
use crate::logging;
use crate::protocol::ggs::settings::EXAMPLE;
use crate::protocol::ggs::{self, Ended, Report, Settings};

/// The variable that has the password, if no file has it.
const PASSWORD: &str = "EMILIA_GGS_PASSWORD";

/// The signal that ends the process at once: the third.
const LAST_SIGNAL: usize = 3;

/// The arguments of `emilia ggs`.
#[derive(Args, Debug)]
pub struct Arguments {
    /// The settings, in TOML; without them an example is printed (docs/HOSTS.md)
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Add the games of others that the server shows to this file of GGF
    #[arg(long, value_name = "FILE", requires = "config")]
    observe: Option<PathBuf>,
}

/// `engine` of the settings.
#[derive(Parser)]
#[command(name = "engine", no_binary_name = true)]
struct EngineFlags {
    #[command(flatten)]
    flags: serve::GtpArguments,
}

/// Plays until the person interrupts it.
///
/// # Errors
/// If the settings cannot be read or used, the first connection cannot be made, or the login is refused.
pub fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let Some(path) = &arguments.config else {
        io::stdout().write_all(EXAMPLE.as_bytes())?;
        logging::tell("Write these settings to ggs.toml, and start emilia ggs --config ggs.toml");
        return Ok(Exit::UNUSABLE);
    };
    let settings = read_settings(path);
    let mut settings = settings.with_context(|| format!("cannot use {}", path.display()))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    settings.password = read_password(&folder.join(&settings.password_file))?;
    settings.observes = arguments.observe.is_some();
    let preferences = serve::Start::from(engine_flags(&settings)?).preferences()?;
    let mut files = UsedFiles::reading([path]);
    let mut growing = |path: &PathBuf| files.growing(path, FileKind::GGF);
    let mut ours = Some(growing(&folder.join(&settings.games))?);
    let mut others = arguments.observe.as_ref().map(&mut growing).transpose()?;
    let (sender, interrupts) = unbounded();
    let interrupt = Interrupt::watch_until(LAST_SIGNAL, move || {
        let _ = sender.send(());
    });
    let interrupt = interrupt.context("cannot watch for signals")?;
    let mut report = |report| match report {
        Report::Note(text) => logging::tell(&text),
        Report::Game { game, is_ours } => {
            let file = if is_ours { &mut ours } else { &mut others };
            // A game that cannot be saved does not end the others.
            if let Some(file) = file
                && let Err(error) = file.append(format!("{game}\n").as_bytes())
            {
                logging::warning(&error.to_string());
            }
        }
    };
    match ggs::run(settings, preferences, interrupts, &mut report)? {
        Ended::Left => Ok(Exit::SUCCESS),
        Ended::Interrupted => Ok(interrupt.status().map_or(Exit::FAILURE, Exit::from)),
        Ended::Refused(reason) => bail!(reason),
    }
}

fn read_settings(path: &Path) -> anyhow::Result<Settings> {
    let text = fs::read_to_string(path)?;
    // On one line, as all that is logged.
    let read = Settings::read(&text);
    let settings = read.map_err(|error| anyhow!(one_line(&error.to_string())))?;
    settings.check().map_err(anyhow::Error::msg)?;
    Ok(settings)
}

fn one_line(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join(" ")
}

fn engine_flags(settings: &Settings) -> anyhow::Result<serve::GtpArguments> {
    let flags = EngineFlags::try_parse_from(settings.engine.split_whitespace());
    let refused = |error: clap::Error| {
        let text = error.to_string();
        let reason = text.lines().next().unwrap_or_default();
        anyhow!(
            "cannot use engine: {}",
            reason.trim_start_matches("error: ")
        )
    };
    flags.map(|engine| engine.flags).map_err(refused)
}

/// The password of the variable, or of the file, which only its owner may be able to read.
fn read_password(path: &Path) -> anyhow::Result<String> {
    let text = std::env::var(PASSWORD).or_else(|_| read_secret(path));
    let text = text.with_context(|| {
        let path = path.display();
        format!("no password: {PASSWORD} is not set, and {path} cannot be used")
    })?;
    let password = text.trim_end_matches(['\r', '\n']).to_owned();
    let is_one_line = !password.is_empty() && !password.contains(char::is_control);
    ensure!(is_one_line, "the password is not one line of text");
    Ok(password)
}

fn read_secret(path: &Path) -> anyhow::Result<String> {
    let mut file = File::open(path)?;
    ensure!(file.metadata()?.is_file(), "it is no file");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = file.metadata()?.permissions().mode();
        ensure!(mode & 0o077 == 0, "others can read it: use chmod 600");
    }
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_can_be_used() {
        let settings = Settings::read(EXAMPLE).expect("settings");
        assert!(engine_flags(&settings).is_ok());
        let few = Settings::read("name = \"lynx\"\nengine = \"--threads 0\"").expect("settings");
        assert_eq!((few.name.as_str(), few.port), ("lynx", settings.port));
        let error = format!("{:#}", engine_flags(&few).expect_err("no thread"));
        assert!(error.contains("invalid value '0'"), "{error}");
    }

    #[test]
    fn what_cannot_be_used_is_an_error() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("ggs.toml");
        for (text, expected) in [
            ("password = \"x\"", "unknown field `password`"),
            ("port = 5000", "name: expected"),
            ("name = \"x\"", "2 to 8"),
            ("name = \"a b\"", "2 to 8"),
            ("name = \"emilia\"\nseconds = [9, 5]", "the shortest clock"),
            ("name = \"emilia\"\ntypes = []", "types: expected"),
            ("name = \"emilia\"\nat_once = 0", "1 or more"),
            ("name = \"emilia\"\nport = 0", "1 to 65535"),
            ("name = \"emilia\"\nhost = \"\"", "host: expected"),
            ("name = \"emilia\"\nask = [\"8\\nquit\"]", "one line"),
            ("name = \"emilia\"\ntypes = [\"8z\"]", "s8r14-20"),
            ("name = \"emilia\"\nport = \"x\"", "port"),
            ("name = ", "line 1"),
        ] {
            fs::write(&path, text).expect("a file");
            let error = format!("{:#}", read_settings(&path).err().expect(text));
            assert!(error.contains(expected) && !error.contains('\n'), "{error}");
        }
    }
}
