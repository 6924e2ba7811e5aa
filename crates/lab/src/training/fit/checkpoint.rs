//! The finished stages of a fit in a file, so that a fit that was killed can be continued.
//!
//! A sealed container that grows. Its header has the samples and the options of the fit; each stage is a block:
//! the length of its description (32 bits), the description (JSON), and its rows. An incomplete last block is
//! removed.

use std::io::Read;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{FitOptions, StageFit};
use emilia::container::{ContainerError, ContainerFormat, ContainerReader, Sealer};
use emilia::eval::Packing;
use emilia::eval::rows::{LENGTH, STAGES};
use emilia::files::{FileError, FileKind, GrowingFile};

const FORMAT: ContainerFormat = ContainerFormat {
    magic: *b"EMILIACP",
    version: 3,
    name: "a checkpoint of a fit",
};

/// What is fitted, and how.
#[derive(Serialize, Deserialize, PartialEq)]
struct FitHeader {
    /// Checksum of the samples.
    samples: u64,
    /// As JSON text, which is compared.
    options: String,
}

/// An open checkpoint.
pub struct Checkpoint {
    file: GrowingFile,
    sealer: Sealer,
}

/// Why a checkpoint cannot be used.
#[derive(Debug, Error)]
pub enum CheckpointError {
    /// It cannot be written.
    #[error(transparent)]
    Write(#[from] FileError),
    /// It is damaged.
    #[error("cannot continue with {path}", path = path.display())]
    Read {
        /// Its path.
        path: PathBuf,
        /// What is wrong with it.
        source: ContainerError,
    },
    /// It belongs to other samples or options.
    #[error("{path} belongs to another fit; delete it to start again", path = .0.display())]
    OtherFit(PathBuf),
}

impl Checkpoint {
    /// The kind of file that commands write checkpoints to.
    pub const KIND: FileKind = FileKind {
        name: FORMAT.name,
        is: |head| FORMAT.matches(head),
    };

    /// The checkpoint in `file` of a fit of samples with the checksum `samples`, and the stages in
    /// it: none if it is new.
    ///
    /// # Errors
    /// If the file cannot be read or written, or belongs to another fit.
    pub fn open(
        mut file: GrowingFile,
        samples: u64,
        options: &FitOptions,
    ) -> Result<(Checkpoint, Vec<StageFit>), CheckpointError> {
        let options = serde_json::to_string(options).expect("plain numbers always serialise");
        let header = FitHeader { samples, options };
        let path = file.path().to_owned();
        let is_empty = file.is_empty()?;
        let reader = file.reader().map_err(ContainerError::from);
        match reader.and_then(Contents::read) {
            Err(ContainerError::ShortHeader) => {}
            _ if is_empty => {}
            Err(source) => return Err(CheckpointError::Read { path, source }),
            Ok(contents) if contents.header != header => {
                return Err(CheckpointError::OtherFit(path));
            }
            Ok(contents) => {
                file.truncate(contents.whole)?;
                let sealer = contents.sealer;
                return Ok((Checkpoint { file, sealer }, contents.stages));
            }
        }
        let (sealer, head) = Sealer::new(&FORMAT, &header);
        file.truncate(0)?;
        file.append(&head)?;
        Ok((Checkpoint { file, sealer }, Vec::new()))
    }

    /// Adds a stage.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn add(&mut self, fit: &StageFit) -> Result<(), CheckpointError> {
        let block = self.sealer.block(&encode(fit));
        Ok(self.file.append(&block)?)
    }

    /// Deletes it: the fit is done.
    ///
    /// # Errors
    /// If the file cannot be deleted.
    pub fn remove(self) -> Result<(), CheckpointError> {
        Ok(self.file.remove()?)
    }
}

/// What a checkpoint holds.
struct Contents {
    header: FitHeader,
    stages: Vec<StageFit>,
    /// The end of the last whole stage.
    whole: u64,
    /// What makes the blocks that follow.
    sealer: Sealer,
}

impl Contents {
    fn read(reader: impl Read) -> Result<Contents, ContainerError> {
        let (mut reader, header) = ContainerReader::new::<FitHeader>(&FORMAT, reader)?;
        let mut stages = Vec::new();
        loop {
            match reader.block() {
                Ok(Some(block)) => stages.push(decode(&block).ok_or(ContainerError::Header)?),
                Ok(None) | Err(ContainerError::Truncated(_)) => break,
                Err(error) => return Err(error),
            }
        }
        Ok(Contents {
            header,
            stages,
            whole: reader.position(),
            sealer: reader.into_sealer(),
        })
    }
}

/// The whole stages in the bytes of a checkpoint.
///
/// # Errors
/// If they are no checkpoint.
pub fn stages(bytes: &[u8]) -> Result<Vec<StageFit>, ContainerError> {
    Contents::read(bytes).map(|contents| contents.stages)
}

fn encode(fit: &StageFit) -> Vec<u8> {
    let title = serde_json::to_vec(fit).expect("numbers always serialise");
    let length = (title.len() as u32).to_le_bytes();
    [&length, &title[..], bytemuck::cast_slice(&fit.rows)].concat()
}

/// The stage in a block; `None` if it is none.
fn decode(block: &[u8]) -> Option<StageFit> {
    let (length, rest) = block.split_first_chunk()?;
    let (title, numbers) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    let mut fit: StageFit = serde_json::from_slice(title).ok()?;
    let is_whole = fit.stage < STAGES && numbers.len() == LENGTH * Packing::get().len();
    fit.rows = is_whole.then(|| bytemuck::cast_slice(numbers).to_vec())?;
    Some(fit)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::*;
    use crate::training::fit::StageError;
    use emilia::container;
    use emilia::files::UsedFiles;

    fn stage(stage: usize) -> StageFit {
        let row = |i: usize| std::array::from_fn(|k| (i + k) as i8);
        StageFit {
            stage,
            rows: (0..Packing::get().len()).map(row).collect(),
            error: StageError {
                samples: 7,
                rmse: 1.25,
                ..StageError::default()
            },
        }
    }

    #[test]
    fn the_whole_stages_of_a_cut_file_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("checkpoint");
        let try_open = |samples| {
            let file = UsedFiles::default().growing(&path, Checkpoint::KIND);
            let file = file.expect("a writable place");
            Checkpoint::open(file, samples, &FitOptions::default())
        };
        let open = |samples| try_open(samples).expect("a checkpoint");
        let (mut checkpoint, done) = open(1);
        assert!(done.is_empty());
        checkpoint.add(&stage(1)).expect("written");
        checkpoint.add(&stage(2)).expect("written");
        drop(checkpoint);
        assert_eq!(open(1).1, [stage(1), stage(2)]);

        let length = fs::metadata(&path).expect("there").len();
        let file = fs::OpenOptions::new().write(true).open(&path);
        let file = file.expect("there");
        file.set_len(length - 1).expect("cut");
        drop(file);
        let (mut checkpoint, done) = open(1);
        assert_eq!(done, [stage(1)]);
        checkpoint.add(&stage(0)).expect("written");
        drop(checkpoint);
        assert_eq!(open(1).1, [stage(1), stage(0)]);

        let error = try_open(2).err().expect("other samples").to_string();
        assert!(error.contains("another fit"), "{error}");

        let mut bytes = fs::read(&path).expect("there");
        bytes[100] ^= 1;
        assert!(stages(&bytes).is_err());
        container::reseal(&mut bytes);
        let _ = stages(&bytes);
        open(1).0.remove().expect("deleted");
        assert!(!path.exists());
    }

    const TITLE: &str =
        r#"{"stage":0,"error":{"samples":1,"train_rmse":1.5,"rmse":1.5,"mae":1.5}}"#;

    proptest! {
        #[test]
        fn any_sealed_block_is_a_stage_or_an_error(
            length in prop_oneof![0..40_u32, any::<u32>()],
            title in prop_oneof![
                Just(TITLE.as_bytes().to_vec()),
                Just(TITLE.replace(":0", ":3").into_bytes()),
                any::<Vec<u8>>(),
            ],
            numbers: Vec<u8>,
            has_own_length: bool,
        ) {
            let length = if has_own_length { title.len() as u32 } else { length };
            let header = FitHeader { samples: 1, options: String::new() };
            let (mut sealer, mut bytes) = Sealer::new(&FORMAT, &header);
            bytes.extend(sealer.block(&[&length.to_le_bytes(), &title[..], &numbers[..]].concat()));
            // A whole stage is far longer.
            prop_assert!(stages(&bytes).is_err());
        }
    }
}
