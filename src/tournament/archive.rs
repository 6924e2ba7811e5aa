//! The files of a tournament: every game is written as soon as it is finished, as JSON
//! lines (with all data, and read again to resume) and as GGF (for other programs).

use std::collections::HashSet;
use std::io::{self, BufRead, Read};
use std::path::Path;

use anyhow::{Context, bail, ensure};

use super::GameRecord;
use crate::files::{FileKind, GrowingFile, UsedFiles};
use crate::formats::games::{GameError, LineGrouping, Names, Source};
use crate::text::{self, ReadError, TextError};

/// Games as JSON lines.
const JSON_LINES: FileKind = FileKind {
    name: "a file of saved games",
    is: |head| head.starts_with(b"{\"game\":"),
};

/// The open files, which are locked until it is dropped.
#[derive(Debug)]
pub struct Archive {
    json_lines: GrowingFile,
    ggf: GrowingFile,
}

impl Archive {
    /// Opens `STEM.jsonl` and `STEM.ggf`, and returns the games that are in them if the match is
    /// to be resumed. An incomplete last line is removed.
    ///
    /// # Errors
    /// If there are games and the match is not resumed, a line cannot be read, a game is
    /// there twice, another process writes the files, or one cannot be read or written.
    pub fn open(
        files: &mut UsedFiles,
        stem: &Path,
        resume: bool,
    ) -> anyhow::Result<(Archive, Vec<GameRecord>)> {
        let path = stem.with_added_extension("jsonl");
        let mut json_lines = files.growing(&path, JSON_LINES)?;
        if !resume && !json_lines.is_empty()? {
            let path = path.display();
            bail!("{path} has games already: add --resume to continue, or use another name");
        }
        let mut ggf = files.growing(&stem.with_added_extension("ggf"), FileKind::GGF)?;
        let records = saved_games(&mut json_lines)
            .with_context(|| format!("cannot read {}", path.display()))?;
        ggf.truncate(0)?;
        let lines: String = records.iter().filter_map(ggf_line).collect();
        ggf.append(lines.as_bytes())?;
        Ok((Archive { json_lines, ggf }, records))
    }

    /// Adds a game. When this returns, the game is safe.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn add(&mut self, record: &GameRecord) -> anyhow::Result<()> {
        let line = serde_json::to_string(record).context("cannot write a game as JSON")?;
        self.json_lines.append(format!("{line}\n").as_bytes())?;
        if let Some(line) = ggf_line(record) {
            self.ggf.append(line.as_bytes())?;
        }
        Ok(())
    }
}

fn ggf_line(record: &GameRecord) -> Option<String> {
    Some(format!("{}\n", record.to_ggf()?))
}

/// The games of an open file of JSON lines. Removes an incomplete last line.
fn saved_games(file: &mut GrowingFile) -> anyhow::Result<Vec<GameRecord>> {
    let mut bytes = Vec::new();
    file.reader()?.read_to_end(&mut bytes)?;
    let last_end = bytes.iter().rposition(|&byte| byte == b'\n');
    let end = last_end.map_or(0, |at| at + 1);
    if end < bytes.len() {
        log::warn!("a game whose line is incomplete is played again");
        file.truncate(end as u64)?;
    }
    let records = text::read_all(&bytes[..end], parse_json_line)?;
    let mut games = HashSet::new();
    for GameRecord { game, .. } in &records {
        ensure!(games.insert(*game), "game {game} is there twice");
    }
    Ok(records)
}

/// What a file of games holds.
#[derive(Debug, Default)]
pub struct Loaded {
    /// The games that have a result.
    pub records: Vec<GameRecord>,
    /// Why some games cannot be read.
    pub bad: Vec<GameError>,
    /// What is doubtful, though it was read.
    pub warnings: Vec<String>,
    /// The file is of a match and says all of its games.
    pub is_of_match: bool,
}

/// Games of a file: JSON lines of a match, or games of any other kind. A bad game does not spoil the others.
///
/// # Errors
/// If the file cannot be read.
pub fn load(path: &Path) -> anyhow::Result<Loaded> {
    let read = || -> io::Result<Loaded> {
        let mut source = Source::open(path)?;
        if (JSON_LINES.is)(source.first_bytes()?) {
            return json_lines(source.into_reader());
        }
        Ok(game_file(source))
    };
    read().with_context(|| format!("cannot read {}", path.display()))
}

/// The games of a file that knows nothing of matches.
fn game_file(source: Source) -> Loaded {
    let mut loaded = Loaded::default();
    let mut unfinished = 0;
    let mut games = source.games(LineGrouping::OneGame, Names::default());
    for found in games.by_ref() {
        // Files of games do not tell which are pairs: only odd numbers are used.
        let number = 2 * loaded.records.len() as u64 + 1;
        match found.game.map(|game| GameRecord::from_ggf(&game, number)) {
            Ok(Some(record)) => loaded.records.push(record),
            Ok(None) => unfinished += 1,
            Err(error) => loaded.bad.push(error),
        }
    }
    loaded.warnings = games.take_warnings();
    let warning = || format!("{unfinished} games have no result and do not count");
    loaded.warnings.extend((unfinished > 0).then(warning));
    loaded
}

/// The games of JSON lines.
fn json_lines(reader: impl BufRead) -> io::Result<Loaded> {
    let mut loaded = Loaded {
        is_of_match: true,
        ..Loaded::default()
    };
    let mut lines = text::Lines::new(reader);
    while let Some(read) = lines.next_line()? {
        let line = read.number;
        match read.text().and_then(parse_json_line) {
            Ok(record) => loaded.records.extend(record),
            Err(error) => loaded.bad.push(ReadError::Syntax { line, error }.into()),
        }
    }
    Ok(loaded)
}

/// No match is longer.
const MAX_GAMES: u64 = u32::MAX as u64;

fn parse_json_line(line: &str) -> Result<Option<GameRecord>, TextError> {
    if line.trim().is_empty() {
        return Ok(None);
    }
    match serde_json::from_str::<GameRecord>(line) {
        Ok(record) if !(1..=MAX_GAMES).contains(&record.game) => {
            Err(TextError::new(1, "games are counted from 1"))
        }
        Ok(record) if !(-64..=64).contains(&record.score) => {
            Err(TextError::new(1, "a score is beyond 64 discs"))
        }
        Ok(record) => Ok(Some(record)),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, OpenOptions};
    use std::io::Write;
    use std::path::PathBuf;

    use tempfile::TempDir;

    use super::*;

    /// A folder, and the stem of files in it.
    fn folder() -> (TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a writable place");
        let stem = folder.path().join("games.v1");
        (folder, stem)
    }

    fn open(stem: &Path, resume: bool) -> anyhow::Result<(Archive, Vec<GameRecord>)> {
        Archive::open(&mut UsedFiles::default(), stem, resume)
    }

    fn game(number: u64) -> GameRecord {
        GameRecord {
            game: number,
            ..GameRecord::test("f5d6c3")
        }
    }

    #[test]
    fn saved_games_are_read_again_without_an_incomplete_line() {
        let (_folder, stem) = folder();
        let (mut archive, none) = open(&stem, false).expect("new files");
        assert_eq!(none, []);
        archive.add(&game(1)).expect("saved");
        archive.add(&game(3)).expect("saved");
        drop(archive);
        let path = stem.with_added_extension("jsonl");
        let mut file = OpenOptions::new().append(true).open(&path).expect("open");
        file.write_all(b"{\"game\":2,\"op").expect("written");
        drop(file);
        let (mut archive, records) = open(&stem, true).expect("read");
        assert_eq!(records, [game(1), game(3)]);
        archive.add(&game(2)).expect("saved");
        drop(archive);
        let numbers = |path: &Path| -> Vec<u64> {
            let Loaded { records, bad, .. } = load(path).expect("read");
            assert!(bad.is_empty(), "{bad:?}");
            records.iter().map(|record| record.game).collect()
        };
        assert_eq!(numbers(&path), [1, 3, 2]);
        assert_eq!(numbers(&stem.with_added_extension("ggf")).len(), 3);
    }

    #[test]
    fn files_are_not_overwritten_and_have_one_writer() {
        let (_folder, stem) = folder();
        let (mut archive, _) = open(&stem, false).expect("new files");
        assert!(open(&stem, true).is_err(), "it is still being written");
        archive.add(&game(1)).expect("saved");
        drop(archive);
        let error = open(&stem, false).expect_err("there is a game").to_string();
        assert!(error.contains("--resume"), "{error}");
        assert!(open(&stem, true).is_ok());
        fs::write(stem.with_added_extension("ggf"), "something else").expect("written");
        assert!(open(&stem, true).is_err(), "no GGF file");
    }

    #[test]
    fn a_wrong_line_is_an_error_with_its_number() {
        let (_folder, stem) = folder();
        let good = serde_json::to_string(&game(1)).expect("JSON");
        let path = stem.with_added_extension("jsonl");
        fs::write(&path, format!("{good}\nnonsense\n")).expect("written");
        let error = open(&stem, true).expect_err("not a game");
        assert!(format!("{error:#}").contains("line 2, column"), "{error:#}");
        fs::write(&path, format!("{good}\n{good}\n")).expect("written");
        assert!(open(&stem, true).is_err(), "a game twice");
        for (key, value, reason) in [
            (
                "game",
                u64::MAX.into(),
                "line 1, column 1: games are counted",
            ),
            (
                "score",
                i32::MIN.into(),
                "line 1, column 1: a score is beyond",
            ),
            ("ending", "rain".into(), "garbage`"),
        ] {
            let mut changed = serde_json::to_value(game(1)).expect("JSON");
            changed[key] = value;
            fs::write(&path, format!("{changed}\n{good}\n")).expect("written");
            let loaded = json_lines(&fs::read(&path).expect("written")[..]).expect("read");
            let error = loaded.bad[0].to_string();
            assert!(
                error.contains(reason) && !error.contains("at line"),
                "{error}"
            );
        }
    }
}
