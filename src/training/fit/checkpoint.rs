//! The phases of a fit that are done, on disk, so that a fit that was killed goes on.
//!
//! Layout, little-endian: the magic `EMILIACP` and a hash of what is fitted and how;
//! then for each phase the length of its errors (32 bits) and the errors (JSON), its
//! weights as 32-bit floats, and the FNV-1a hash of all that. What follows the last
//! whole phase is not read, and overwritten.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::{FitOptions, PhaseError, PhaseFit, Rows};
use crate::checksum::fnv1a;
use crate::eval::PHASES;

const MAGIC: [u8; 8] = *b"EMILIACP";

/// Longest description of a phase that is read, in bytes.
const MAX_ERRORS: usize = 4096;

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
    /// returns the phases in it: none if it is new.
    ///
    /// # Errors
    /// If the file cannot be read or written, or belongs to another fit.
    pub fn open(
        path: &Path,
        samples: u64,
        options: &FitOptions,
    ) -> Result<(Checkpoint, Vec<PhaseFit>), CheckpointError> {
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

    /// Adds a phase.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn add(&mut self, fit: &PhaseFit) -> Result<(), CheckpointError> {
        let written = self.file.write_all(&encode(fit));
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

/// The phases of `file`, which is left ready for more.
fn resume(file: &mut File, head: &[u8]) -> io::Result<Vec<PhaseFit>> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let mut done: Vec<PhaseFit> = Vec::new();
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
    while let Some((fit, length)) = decode(rest) {
        done.push(fit);
        rest = &rest[length..];
        whole += length;
    }
    file.set_len(whole as u64)?;
    file.seek(SeekFrom::Start(whole as u64))?;
    Ok(done)
}

fn encode(fit: &PhaseFit) -> Vec<u8> {
    let errors = serde_json::to_vec(&(fit.phase, fit.error)).expect("numbers always serialise");
    let mut bytes = (errors.len() as u32).to_le_bytes().to_vec();
    bytes.extend_from_slice(&errors);
    bytes.extend(fit.columns.iter().flat_map(|x| x.to_le_bytes()));
    let hash = fnv1a(&bytes);
    bytes.extend_from_slice(&hash.to_le_bytes());
    bytes
}

/// The phase at the start of `bytes` and its length there; `None` if there is no whole one.
fn decode(bytes: &[u8]) -> Option<(PhaseFit, usize)> {
    let (length, rest) = bytes.split_first_chunk()?;
    let errors = u32::from_le_bytes(*length) as usize;
    if errors > MAX_ERRORS {
        return None;
    }
    let (json, rest) = rest.split_at_checked(errors)?;
    let (columns, rest) = rest.split_at_checked(4 * Rows::columns())?;
    let (hash, rest) = rest.split_first_chunk()?;
    let length = bytes.len() - rest.len();
    if u64::from_le_bytes(*hash) != fnv1a(&bytes[..length - 8]) {
        return None;
    }
    let (phase, error): (usize, PhaseError) = serde_json::from_slice(json).ok()?;
    let (columns, _) = columns.as_chunks();
    let fit = PhaseFit {
        phase,
        columns: columns.iter().map(|x| f32::from_le_bytes(*x)).collect(),
        error,
    };
    (phase < PHASES).then_some((fit, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(phase: usize) -> PhaseFit {
        let error = PhaseError {
            samples: 7,
            rmse: 1.25,
            ..PhaseError::default()
        };
        PhaseFit {
            phase,
            columns: (0..Rows::columns()).map(|i| i as f32 / 3.0).collect(),
            error,
        }
    }

    #[test]
    fn phases_are_found_again_up_to_where_it_was_cut() {
        let path = std::env::temp_dir().join(format!("emilia-checkpoint-{}", std::process::id()));
        let open = |samples| {
            Checkpoint::open(&path, samples, &FitOptions::default()).expect("a writable place")
        };
        let (mut checkpoint, done) = open(1);
        assert!(done.is_empty());
        checkpoint.add(&fit(5)).expect("written");
        checkpoint.add(&fit(2)).expect("written");
        drop(checkpoint);
        assert_eq!(open(1).1, [fit(5), fit(2)]);

        let length = std::fs::metadata(&path).expect("there").len();
        let file = OpenOptions::new().write(true).open(&path).expect("there");
        file.set_len(length - 1).expect("cut");
        let (mut checkpoint, done) = open(1);
        assert_eq!(done, [fit(5)]);
        checkpoint.add(&fit(3)).expect("written");
        assert_eq!(open(1).1, [fit(5), fit(3)]);

        let other = Checkpoint::open(&path, 2, &FitOptions::default());
        let error = other.err().expect("other samples").to_string();
        assert!(error.contains("another fit"), "{error}");
        open(1).0.remove().expect("deleted");
        assert!(!path.exists());
    }
}
