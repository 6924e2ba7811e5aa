//! The parts of a fit that are done, on disk, so that a fit that was killed goes on.
//!
//! Layout, little-endian: the magic `EMILIACP` and a hash of what is fitted and how;
//! then for each part the length of its description (32 bits) and the description (JSON), its
//! numbers (a phase's weights as 32-bit floats, a stage's vectors as bytes), and the FNV-1a
//! hash of all that. What follows the last whole part is not read, and overwritten.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{FitOptions, Part, PhaseError, PhaseFit, Rows, StageFit};
use crate::checksum::fnv1a;
use crate::eval::PHASES;
use crate::eval::factors::{FACTORS, Row, STAGES, packed_rows};

const MAGIC: [u8; 8] = *b"EMILIACP";

/// Longest description of a part that is read, in bytes.
const MAX_TITLE: usize = 4096;

/// The description of a part.
#[derive(Serialize, Deserialize)]
enum Title {
    Stage(usize),
    Phase(usize, PhaseError),
}

impl Title {
    /// Bytes of the part's numbers; `None` where there is no such part.
    fn length(&self) -> Option<usize> {
        match *self {
            Title::Stage(stage) => (stage < STAGES).then(|| FACTORS * packed_rows()),
            Title::Phase(phase, _) => (phase < PHASES).then(|| 4 * Rows::columns()),
        }
    }
}

/// An open checkpoint.
pub struct Checkpoint {
    path: PathBuf,
    file: File,
}

/// Why a checkpoint cannot be used.
#[derive(Debug, Error)]
#[error("checkpoint {path}: {source}")]
pub struct CheckpointError {
    path: PathBuf,
    source: io::Error,
}

impl Checkpoint {
    /// Opens the checkpoint at `path` of a fit of samples with the hash `samples`, and
    /// returns the parts in it: none if it is new.
    ///
    /// # Errors
    /// If the file cannot be read or written, or belongs to another fit.
    pub fn open(
        path: &Path,
        samples: u64,
        options: &FitOptions,
    ) -> Result<(Checkpoint, Vec<Part>), CheckpointError> {
        let options = serde_json::to_vec(options).expect("plain numbers always serialise");
        let mut head = MAGIC.to_vec();
        head.extend_from_slice(&(samples ^ fnv1a(&options)).to_le_bytes());
        let failed = |source| CheckpointError {
            path: path.to_owned(),
            source,
        };
        let mut open = OpenOptions::new();
        open.read(true).write(true).create(true).truncate(false);
        let mut file = open.open(path).map_err(failed)?;
        let done = resume(&mut file, &head).map_err(failed)?;
        let path = path.to_owned();
        Ok((Checkpoint { path, file }, done))
    }

    /// Adds a part.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn add(&mut self, part: &Part) -> Result<(), CheckpointError> {
        let written = self.file.write_all(&encode(part));
        written
            .and_then(|()| self.file.flush())
            .map_err(|source| CheckpointError {
                path: self.path.clone(),
                source,
            })
    }

    /// Deletes it: the fit is done.
    ///
    /// # Errors
    /// If the file cannot be deleted.
    pub fn remove(self) -> Result<(), CheckpointError> {
        std::fs::remove_file(&self.path).map_err(|source| CheckpointError {
            path: self.path,
            source,
        })
    }
}

/// The parts of `file`, which is left ready for more.
fn resume(file: &mut File, head: &[u8]) -> io::Result<Vec<Part>> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let mut done: Vec<Part> = Vec::new();
    let Some(mut rest) = bytes.strip_prefix(head) else {
        if !head.starts_with(&bytes) {
            return Err(io::Error::other(
                "belongs to another fit; delete it to begin anew",
            ));
        }
        file.set_len(0)?;
        file.seek(SeekFrom::Start(0))?;
        file.write_all(head)?;
        return Ok(done);
    };
    let mut whole = head.len();
    while let Some((part, length)) = decode(rest) {
        done.push(part);
        rest = &rest[length..];
        whole += length;
    }
    file.set_len(whole as u64)?;
    file.seek(SeekFrom::Start(whole as u64))?;
    Ok(done)
}

fn encode(part: &Part) -> Vec<u8> {
    let title = match part {
        Part::Stage(fit) => Title::Stage(fit.stage),
        Part::Phase(fit) => Title::Phase(fit.phase, fit.error),
    };
    let title = serde_json::to_vec(&title).expect("numbers always serialise");
    let mut bytes = (title.len() as u32).to_le_bytes().to_vec();
    bytes.extend_from_slice(&title);
    match part {
        Part::Stage(fit) => bytes.extend_from_slice(bytemuck::cast_slice(&fit.rows)),
        Part::Phase(fit) => bytes.extend(fit.columns.iter().flat_map(|x| x.to_le_bytes())),
    }
    let hash = fnv1a(&bytes);
    bytes.extend_from_slice(&hash.to_le_bytes());
    bytes
}

/// The part at the start of `bytes` and its length there; `None` if there is no whole one.
fn decode(bytes: &[u8]) -> Option<(Part, usize)> {
    let (length, rest) = bytes.split_first_chunk()?;
    let length = u32::from_le_bytes(*length) as usize;
    if length > MAX_TITLE {
        return None;
    }
    let (title, rest) = rest.split_at_checked(length)?;
    let title: Title = serde_json::from_slice(title).ok()?;
    let (numbers, rest) = rest.split_at_checked(title.length()?)?;
    let (hash, rest) = rest.split_first_chunk()?;
    let length = bytes.len() - rest.len();
    if u64::from_le_bytes(*hash) != fnv1a(&bytes[..length - 8]) {
        return None;
    }
    let part = match title {
        Title::Stage(stage) => {
            let rows: &[Row] = bytemuck::cast_slice(numbers);
            let rows = rows.to_vec();
            Part::Stage(StageFit { stage, rows })
        }
        Title::Phase(phase, error) => {
            let (columns, _) = numbers.as_chunks();
            let columns = columns.iter().map(|x| f32::from_le_bytes(*x)).collect();
            Part::Phase(PhaseFit {
                phase,
                columns,
                error,
            })
        }
    };
    Some((part, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phase(phase: usize) -> Part {
        let error = PhaseError {
            samples: 7,
            rmse: 1.25,
            ..PhaseError::default()
        };
        Part::Phase(PhaseFit {
            phase,
            columns: (0..Rows::columns()).map(|i| i as f32 / 3.0).collect(),
            error,
        })
    }

    fn stage(stage: usize) -> Part {
        let row = |i: usize| std::array::from_fn(|k| (i + k) as i8);
        let rows = (0..packed_rows()).map(row).collect();
        Part::Stage(StageFit { stage, rows })
    }

    #[test]
    fn parts_are_found_again_up_to_where_it_was_cut() {
        let path = std::env::temp_dir().join(format!("emilia-checkpoint-{}", std::process::id()));
        let open = |samples| {
            Checkpoint::open(&path, samples, &FitOptions::default()).expect("a writable place")
        };
        let (mut checkpoint, done) = open(1);
        assert!(done.is_empty());
        checkpoint.add(&stage(1)).expect("written");
        checkpoint.add(&phase(2)).expect("written");
        drop(checkpoint);
        assert_eq!(open(1).1, [stage(1), phase(2)]);

        let length = std::fs::metadata(&path).expect("there").len();
        let file = OpenOptions::new().write(true).open(&path).expect("there");
        file.set_len(length - 1).expect("cut");
        let (mut checkpoint, done) = open(1);
        assert_eq!(done, [stage(1)]);
        checkpoint.add(&phase(3)).expect("written");
        assert_eq!(open(1).1, [stage(1), phase(3)]);

        let other = Checkpoint::open(&path, 2, &FitOptions::default());
        let error = other.err().expect("other samples").to_string();
        assert!(error.contains("another fit"), "{error}");
        open(1).0.remove().expect("deleted");
        assert!(!path.exists());
    }
}
