//! The files of a tournament: every game goes to them as soon as it is finished, as JSON
//! lines (all that is known, read again to go on) and as GGF (for other programs).

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};

use super::GameRecord;
use crate::formats::{self, SyntaxError};

/// The open files.
#[derive(Debug)]
pub struct Archive {
    json_lines: File,
    ggf: File,
}

impl Archive {
    /// New files, `STEM.jsonl` and `STEM.ggf`.
    ///
    /// # Errors
    /// If there is a `STEM.jsonl`, or a file cannot be written.
    pub fn create(stem: &Path) -> anyhow::Result<Archive> {
        let path = json_lines_path(stem);
        let json_lines = OpenOptions::new()
            .create_new(true)
            .append(true)
            .open(&path)
            .with_context(|| format!("cannot begin {}", path.display()))?;
        lock(&json_lines, &path)?;
        let ggf = rewrite_ggf(stem, &[])?;
        Ok(Archive { json_lines, ggf })
    }

    /// The files of a tournament that was cut off, and its finished games. A line that was
    /// cut short is taken off. If there are no files, they are made.
    ///
    /// # Errors
    /// If a line makes no sense, a game is there twice, another process writes the files,
    /// or a file cannot be read or written.
    pub fn resume(stem: &Path) -> anyhow::Result<(Archive, Vec<GameRecord>)> {
        let path = json_lines_path(stem);
        let mut json_lines = OpenOptions::new()
            .create(true)
            .read(true)
            .append(true)
            .open(&path)
            .with_context(|| format!("cannot open {}", path.display()))?;
        lock(&json_lines, &path)?;
        drop_partial_line(&mut json_lines)
            .with_context(|| format!("cannot mend {}", path.display()))?;
        let records = load(&path)?;
        let mut games = HashSet::new();
        for record in &records {
            let is_new = games.insert(record.game);
            ensure!(is_new, "{} has game {} twice", path.display(), record.game);
        }
        let ggf = rewrite_ggf(stem, &records)?;
        Ok((Archive { json_lines, ggf }, records))
    }

    /// Adds a game. When this returns, the game is safe.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn add(&mut self, record: &GameRecord) -> anyhow::Result<()> {
        let line = serde_json::to_string(record).context("cannot write a game as JSON")?;
        write_line(&mut self.json_lines, &line).context("cannot save a game")?;
        if let Some(ggf) = record.to_ggf() {
            write_line(&mut self.ggf, &ggf.to_string()).context("cannot save a game")?;
        }
        Ok(())
    }
}

/// Games of a file, JSON lines or, if its name ends in `.ggf` or `.ggf.gz`, GGF.
///
/// # Errors
/// If the file cannot be read, or a line makes no sense.
pub fn load(path: &Path) -> anyhow::Result<Vec<GameRecord>> {
    let name = path.to_string_lossy();
    let is_ggf = name.ends_with(".ggf") || name.ends_with(".ggf.gz");
    let read = || {
        let file = formats::open(path)?;
        if is_ggf {
            let lines = formats::read_all(file, |line| formats::ggf::parse_line(line).map(Some))?;
            let games = lines.iter().flatten().enumerate();
            // Nothing says which games are pairs: only odd numbers are used.
            let record = |(i, ggf)| GameRecord::from_ggf(ggf, 2 * i as u64 + 1);
            return Ok(games.filter_map(record).collect());
        }
        formats::read_all(file, parse_json_line)
    };
    let records: Result<_, formats::ReadError> = read();
    records.with_context(|| format!("cannot read {}", path.display()))
}

fn parse_json_line(line: &str) -> Result<Option<GameRecord>, SyntaxError> {
    if line.trim().is_empty() {
        return Ok(None);
    }
    let parsed: Result<GameRecord, _> = serde_json::from_str(line);
    let record =
        parsed.map_err(|error| SyntaxError::new(error.column().max(1), error.to_string()))?;
    if record.game == 0 {
        return Err(SyntaxError::new(1, "games are counted from 1"));
    }
    Ok(Some(record))
}

fn json_lines_path(stem: &Path) -> PathBuf {
    with_suffix(stem, ".jsonl")
}

fn with_suffix(stem: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(stem);
    name.push(suffix);
    PathBuf::from(name)
}

/// Nobody else may write the file while this process runs.
fn lock(file: &File, path: &Path) -> anyhow::Result<()> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(std::fs::TryLockError::WouldBlock) => {
            bail!("{} is being written by another match", path.display())
        }
        // Not every file system has locks.
        Err(std::fs::TryLockError::Error(error)) => {
            log::warn!("cannot lock {}: {error}", path.display());
            Ok(())
        }
    }
}

/// Takes off what follows the last line end: a line that was not finished.
fn drop_partial_line(file: &mut File) -> io::Result<()> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    BufReader::new(&mut *file).read_to_end(&mut bytes)?;
    let end = bytes
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |at| at + 1);
    if end < bytes.len() {
        log::warn!("a game that was cut short is played again");
        file.set_len(end as u64)?;
    }
    Ok(())
}

/// The GGF file with the games so far, open for more.
fn rewrite_ggf(stem: &Path, records: &[GameRecord]) -> anyhow::Result<File> {
    let path = with_suffix(stem, ".ggf");
    let write = || {
        let mut file = File::create(&path)?;
        let mut text = String::new();
        for ggf in records.iter().filter_map(GameRecord::to_ggf) {
            text.push_str(&format!("{ggf}\n"));
        }
        file.write_all(text.as_bytes())?;
        Ok::<_, io::Error>(file)
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}

/// In one piece, and down to the disk.
fn write_line(file: &mut File, line: &str) -> io::Result<()> {
    file.write_all(format!("{line}\n").as_bytes())?;
    file.sync_data()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stem in a folder of its own, which is empty.
    fn stem(test: &str) -> PathBuf {
        let dir =
            std::env::temp_dir().join(format!("emilia-archive-{test}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir).expect("a folder");
        dir.join("games.v1")
    }

    fn game(number: u64) -> GameRecord {
        GameRecord {
            game: number,
            ..GameRecord::test("f5d6c3")
        }
    }

    #[test]
    fn games_are_there_again_and_a_partial_line_is_not() {
        let stem = stem("again");
        let mut archive = Archive::create(&stem).expect("new files");
        archive.add(&game(1)).expect("saved");
        archive.add(&game(3)).expect("saved");
        drop(archive);
        let path = json_lines_path(&stem);
        let mut file = OpenOptions::new().append(true).open(&path).expect("open");
        file.write_all(b"{\"game\":2,\"op").expect("written");
        drop(file);
        let (mut archive, records) = Archive::resume(&stem).expect("read");
        assert_eq!(records, [game(1), game(3)]);
        archive.add(&game(2)).expect("saved");
        drop(archive);
        let numbers = |path: &Path| -> Vec<u64> {
            let records = load(path).expect("read");
            records.iter().map(|record| record.game).collect()
        };
        assert_eq!(numbers(&path), [1, 3, 2]);
        assert_eq!(numbers(&with_suffix(&stem, ".ggf")).len(), 3);
    }

    #[test]
    fn files_are_neither_overwritten_nor_written_twice_at_once() {
        let stem = stem("once");
        let archive = Archive::create(&stem).expect("new files");
        assert!(Archive::create(&stem).is_err());
        assert!(Archive::resume(&stem).is_err(), "it is still being written");
        drop(archive);
        assert!(Archive::resume(&stem).is_ok());
    }

    #[test]
    fn a_line_that_makes_no_sense_is_an_error_with_its_number() {
        let stem = stem("sense");
        let good = serde_json::to_string(&game(1)).expect("JSON");
        let path = json_lines_path(&stem);
        std::fs::write(&path, format!("{good}\nnonsense\n")).expect("written");
        let error = Archive::resume(&stem).expect_err("no game");
        assert!(format!("{error:#}").contains("line 2, column"), "{error:#}");
        std::fs::write(&path, format!("{good}\n{good}\n")).expect("written");
        assert!(Archive::resume(&stem).is_err(), "a game twice");
    }
}
