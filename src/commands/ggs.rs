//! `emilia ggs`: plays on the Generic Game Server, by a file of settings.

use std::env;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use clap::{Args, Parser};
use crossbeam_channel::unbounded;

use super::interrupt::Interrupt;
use super::{Exit, play};
use crate::files::{FileKind, GrowingFile, UsedFiles};
use crate::formats::ggf::GgfGame;
use crate::logging;
use crate::protocol::ggs::{self, Ended, Password, Report, Settings};

/// The variable that has the password, if no file has it.
const PASSWORD: &str = "EMILIA_GGS_PASSWORD";

/// Settings to begin with.
const EXAMPLE: &str = include_str!("ggs.toml");

/// The third signal ends the process at once.
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

/// `[engine]` as flags, which are those of `emilia gtp`.
#[derive(Parser)]
#[command(name = "[engine]", disable_help_flag = true)]
struct EngineFlags {
    #[command(flatten)]
    flags: play::GtpArguments,
}

/// Plays until the person interrupts it.
///
/// # Errors
/// If the settings cannot be read or used, the first connection cannot be made, or the login is refused.
pub fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let Some(path) = &arguments.config else {
        io::stdout().write_all(EXAMPLE.as_bytes())?;
        logging::tell(
            "Save these settings as ggs.toml, put in your name, and start emilia ggs --config ggs.toml",
        );
        return Ok(Exit::UNUSABLE);
    };
    let mut settings =
        read_settings(path).with_context(|| format!("cannot use {}", path.display()))?;
    settings.observes = arguments.observe.is_some();
    let folder = path.parent().unwrap_or(Path::new(""));
    let password = read_password(&settings, folder)?;
    let preferences = engine_flags(&settings)?.preferences()?;
    let mut files = UsedFiles::reading([path]);
    let mut open = |path: Option<PathBuf>| {
        path.map(|path| files.growing(&path, FileKind::GGF))
            .transpose()
    };
    let mut ours = open(settings.games.as_ref().map(|path| folder.join(path)))?;
    let mut others = open(arguments.observe.clone())?;
    let (sender, interrupts) = unbounded();
    let interrupt = Interrupt::watch_until(LAST_SIGNAL, move || {
        let _ = sender.send(());
    });
    let interrupt = interrupt.context("cannot watch for signals")?;
    let ended = ggs::run(
        settings,
        password,
        preferences,
        interrupts,
        &mut |report| match report {
            Report::Note(text) => logging::tell(&text),
            Report::Game { game, is_ours } => {
                save(&game, if is_ours { &mut ours } else { &mut others })
            }
        },
    )?;
    match ended {
        Ended::Left => Ok(Exit::SUCCESS),
        Ended::Interrupted => Ok(interrupt.status().map_or(Exit::FAILURE, Exit::from)),
        Ended::Refused(reason) => bail!(reason),
    }
}

/// A game that cannot be saved does not end the others.
fn save(game: &GgfGame, file: &mut Option<GrowingFile>) {
    if let Some(file) = file
        && let Err(error) = file.append(format!("{game}\n").as_bytes())
    {
        logging::warning(&format!("{:#}", anyhow::Error::from(error)));
    }
}

fn read_settings(path: &Path) -> anyhow::Result<Settings> {
    let text = fs::read_to_string(path)?;
    let settings: Settings = toml::from_str(&text)?;
    settings.check().map_err(anyhow::Error::msg)?;
    Ok(settings)
}

/// The flags that the keys of `[engine]` name.
fn engine_flags(settings: &Settings) -> anyhow::Result<play::Start> {
    let mut flags = vec!["[engine]".to_owned()];
    for (key, value) in &settings.engine {
        let flag = format!("--{}", key.replace('_', "-"));
        match value {
            toml::Value::Boolean(false) => {}
            toml::Value::Boolean(true) => flags.push(flag),
            toml::Value::String(text) => flags.push(format!("{flag}={text}")),
            toml::Value::Integer(number) => flags.push(format!("{flag}={number}")),
            toml::Value::Float(number) => flags.push(format!("{flag}={number}")),
            _ => bail!("[engine] {key}: expected a number, a text, true or false"),
        }
    }
    let parsed = EngineFlags::try_parse_from(flags);
    let parsed = parsed.map_err(|error| {
        let text = error.to_string();
        let first = text.lines().next().unwrap_or_default();
        anyhow::anyhow!("[engine] {}", first.trim_start_matches("error: "))
    })?;
    Ok(parsed.flags.into())
}

/// The password of the variable, or of the file, which only its owner may be able to read.
fn read_password(settings: &Settings, folder: &Path) -> anyhow::Result<Password> {
    let text = match (env::var(PASSWORD), &settings.password_file) {
        (Ok(text), _) => text,
        (Err(_), Some(path)) => {
            let path = folder.join(path);
            read_secret(&path)
                .with_context(|| format!("cannot use the password in {}", path.display()))?
        }
        (Err(_), None) => bail!("there is no password: name a password_file, or set {PASSWORD}"),
    };
    let password = text.trim_end_matches(['\r', '\n']);
    let is_one_line = !password.is_empty() && !password.contains(|c: char| c.is_control());
    ensure!(is_one_line, "the password is not one line of text");
    Ok(Password(password.to_owned()))
}

fn read_secret(path: &Path) -> anyhow::Result<String> {
    let mut file = File::open(path)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = file.metadata()?.permissions().mode();
        ensure!(
            mode & 0o077 == 0,
            "others can read it: chmod 600 {}",
            path.display()
        );
    }
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(engine: &str) -> anyhow::Result<play::Start> {
        engine_flags(&Settings {
            engine: toml::from_str(engine)?,
            ..Settings::default()
        })
    }

    #[test]
    fn the_example_can_be_used() {
        let settings: Settings = toml::from_str(EXAMPLE).expect("settings");
        assert_eq!(settings.check(), Ok(()));
        assert!(engine_flags(&settings).is_ok());
    }

    #[test]
    fn the_keys_of_the_engine_are_flags() {
        assert!(flags("threads = 2\nhash = 64\nponder = true\nlevel = 3").is_ok());
        for (engine, expected) in [
            ("threds = 2", "unexpected argument '--threds'"),
            ("threads = 0", "invalid value '0'"),
            ("threads = [1]", "threads: expected"),
        ] {
            let error = flags(engine).expect_err(engine).to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn what_is_misspelt_or_refused_by_the_server_is_an_error() {
        for (text, expected) in [
            ("password = \"x\"", "unknown field `password`"),
            ("name = \"x\"", "2 to 8"),
            ("name = \"emilia\"\ntypes = [\"10\"]", "only boards of 8x8"),
            ("name = \"emilia\"\ntypes = [\"8a\"]", "anti"),
            ("name = \"emilia\"\nat_once = 0", "at_once"),
            ("name = \"emilia\"\nshortest = \"5\"", "05:00//02:00"),
            ("name = \"emilia\"\ndform = \"a\\nquit\"", "dform"),
            (
                "name = \"emilia\"\n[[ask]]\ntype = \"s8r14-20\"\nclock = \"5:00\"",
                "cannot ask",
            ),
        ] {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("ggs.toml");
            fs::write(&path, text).expect("a file");
            let error = format!("{:#}", read_settings(&path).expect_err(text));
            assert!(error.contains(expected), "{error}");
        }
    }
}
