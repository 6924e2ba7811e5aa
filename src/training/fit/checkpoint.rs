//! The finished parts of a fit in a file, so that a fit that was killed can be continued.
//!
//! A sealed container that grows. Its header has the samples and the options of the fit; each part is a block:
//! the length of its description (32 bits), the description (JSON), and its numbers (a phase's
//! weights as 32-bit floats, a stage's vectors as bytes). An incomplete last block is
//! removed.

use std::io::Read;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{FitOptions, Part, PhaseError, PhaseFit, Rows, StageFit};
use crate::container::{ContainerError, Format, Reader, Sealer};
use crate::eval::PHASES;
use crate::eval::factors::{FACTORS, Row, STAGES, packed_rows};
use crate::files::{FileError, FileKind, GrowingFile};

const FORMAT: Format = Format {
    magic: *b"EMILIACP",
    version: 2,
    name: "a checkpoint of a fit",
};

/// What is fitted, and how.
#[derive(Serialize, Deserialize, PartialEq)]
struct Header {
    /// Checksum of the samples.
    samples: u64,
    /// As JSON text, which is compared.
    options: String,
}

/// The description of a part.
#[derive(Serialize, Deserialize)]
enum Title {
    Stage(usize),
    Phase(usize, PhaseError),
}

impl Title {
    /// Bytes of the part's numbers; `None` if there is no such part.
    fn length(&self) -> Option<usize> {
        match *self {
            Title::Stage(stage) => (stage < STAGES).then(|| FACTORS * packed_rows()),
            Title::Phase(phase, _) => (phase < PHASES).then(|| 4 * Rows::columns()),
        }
    }
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

    /// The checkpoint in `file` of a fit of samples with the checksum `samples`, and the parts in
    /// it: none if it is new.
    ///
    /// # Errors
    /// If the file cannot be read or written, or belongs to another fit.
    pub fn open(
        mut file: GrowingFile,
        samples: u64,
        options: &FitOptions,
    ) -> Result<(Checkpoint, Vec<Part>), CheckpointError> {
        let options = serde_json::to_string(options).expect("plain numbers always serialise");
        let header = Header { samples, options };
        let path = file.path().to_owned();
        let read = match file.reader() {
            Ok(reader) => Contents::read(reader),
            Err(error) => Err(error.into()),
        };
        let is_new = file.is_empty()? || matches!(read, Err(ContainerError::ShortHeader));
        if is_new {
            let (sealer, head) = Sealer::new(&FORMAT, &header);
            file.truncate(0)?;
            file.append(&head)?;
            return Ok((Checkpoint { file, sealer }, Vec::new()));
        }
        let contents = match read {
            Ok(contents) => contents,
            Err(source) => return Err(CheckpointError::Read { path, source }),
        };
        if contents.header != header {
            return Err(CheckpointError::OtherFit(path));
        }
        file.truncate(contents.whole)?;
        let sealer = contents.sealer;
        Ok((Checkpoint { file, sealer }, contents.parts))
    }

    /// Adds a part.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn add(&mut self, part: &Part) -> Result<(), CheckpointError> {
        let block = self.sealer.block(&encode(part));
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
    header: Header,
    parts: Vec<Part>,
    /// The end of the last whole part.
    whole: u64,
    /// What makes the blocks that follow.
    sealer: Sealer,
}

impl Contents {
    fn read(reader: impl Read) -> Result<Contents, ContainerError> {
        let (mut reader, header) = Reader::new::<Header>(&FORMAT, reader)?;
        let mut parts = Vec::new();
        loop {
            let whole = reader.position();
            match reader.block() {
                Ok(Some(block)) => parts.push(decode(&block).ok_or(ContainerError::Header)?),
                Ok(None) | Err(ContainerError::Truncated(_)) => {
                    let sealer = reader.into_sealer();
                    return Ok(Contents {
                        header,
                        parts,
                        whole,
                        sealer,
                    });
                }
                Err(error) => return Err(error),
            }
        }
    }
}

/// The whole parts in the bytes of a checkpoint.
///
/// # Errors
/// If they are no checkpoint.
pub fn parts(bytes: &[u8]) -> Result<Vec<Part>, ContainerError> {
    Contents::read(bytes).map(|contents| contents.parts)
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
    bytes
}

/// The part in a block; `None` if it is none.
fn decode(block: &[u8]) -> Option<Part> {
    let (length, rest) = block.split_first_chunk()?;
    let (title, numbers) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    let title: Title = serde_json::from_slice(title).ok()?;
    if title.length()? != numbers.len() {
        return None;
    }
    Some(match title {
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
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::*;
    use crate::container;
    use crate::files::UsedFiles;

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
    fn the_whole_parts_of_a_cut_file_are_read() {
        let path = std::env::temp_dir().join(format!("emilia-checkpoint-{}", std::process::id()));
        let try_open = |samples| {
            let file = UsedFiles::default().growing(&path, Checkpoint::KIND);
            let file = file.expect("a writable place");
            Checkpoint::open(file, samples, &FitOptions::default())
        };
        let open = |samples| try_open(samples).expect("a checkpoint");
        let (mut checkpoint, done) = open(1);
        assert!(done.is_empty());
        checkpoint.add(&stage(1)).expect("written");
        checkpoint.add(&phase(2)).expect("written");
        drop(checkpoint);
        assert_eq!(open(1).1, [stage(1), phase(2)]);

        let length = fs::metadata(&path).expect("there").len();
        let file = fs::OpenOptions::new().write(true).open(&path);
        let file = file.expect("there");
        file.set_len(length - 1).expect("cut");
        drop(file);
        let (mut checkpoint, done) = open(1);
        assert_eq!(done, [stage(1)]);
        checkpoint.add(&phase(3)).expect("written");
        drop(checkpoint);
        assert_eq!(open(1).1, [stage(1), phase(3)]);

        let error = try_open(2).err().expect("other samples").to_string();
        assert!(error.contains("another fit"), "{error}");

        let mut bytes = fs::read(&path).expect("there");
        bytes[100] ^= 1;
        assert!(parts(&bytes).is_err());
        container::reseal(&mut bytes);
        let _ = parts(&bytes);
        open(1).0.remove().expect("deleted");
        assert!(!path.exists());
    }

    proptest! {
        #[test]
        fn any_sealed_block_is_a_part_or_an_error(
            length in prop_oneof![0..40_u32, any::<u32>()],
            title in prop_oneof![
                Just(r#"{"Stage":0}"#.as_bytes().to_vec()),
                Just(r#"{"Stage":4}"#.as_bytes().to_vec()),
                Just(r#"{"Phase":[0,{"samples":1,"rmse":1.5}]}"#.as_bytes().to_vec()),
                any::<Vec<u8>>(),
            ],
            numbers: Vec<u8>,
            has_own_length: bool,
        ) {
            let length = if has_own_length { title.len() as u32 } else { length };
            let header = Header { samples: 1, options: String::new() };
            let (mut sealer, mut bytes) = Sealer::new(&FORMAT, &header);
            bytes.extend(sealer.block(&[&length.to_le_bytes(), &title[..], &numbers[..]].concat()));
            // A whole part is far longer.
            prop_assert!(parts(&bytes).is_err());
        }
    }
}
