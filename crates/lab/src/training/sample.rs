//! Positions with the scores they should get, and the file that holds them.
//!
//! A sealed container. Its header has the number of samples of each phase. The phases stand one
//! after the other, each in blocks of `PER_BLOCK` samples, the last of a phase shorter, so that a
//! reader of some phases skips the blocks of the others. A sample takes 24 bytes: the discs
//! of the side to move, those of its opponent, the score in discs and the weight, both as 32-bit
//! floats, all little-endian.

use std::cmp::Reverse;
use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek, Write};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use emilia::checksum::checksum;
use emilia::container::{ContainerError, ContainerFormat, ContainerReader, Sealer};
use emilia::eval::{PHASES, phase};
use emilia::files::FileKind;
use emilia::rules::Board;

const FORMAT: ContainerFormat = ContainerFormat {
    magic: *b"EMILIASP",
    version: 3,
    name: "a file of samples",
};

/// The kind of file that commands write samples to.
pub const KIND: FileKind = FileKind {
    name: FORMAT.name,
    is: |head| FORMAT.matches(head),
};

const RECORD_BYTES: usize = 24;

/// Samples of a block, except the last one of a phase.
const PER_BLOCK: usize = 1 << 16;

/// The header of a file.
#[derive(Serialize, Deserialize)]
struct SampleHeader {
    /// Samples of each phase.
    counts: Vec<usize>,
    /// Checksum of all samples, which distinguishes files.
    checksum: u64,
}

/// One position to learn from.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sample {
    /// The position.
    pub board: Board,
    /// Final disc difference to aim at, for the side to move, −64..=64.
    pub score: f32,
    /// Its weight, above 0.
    pub weight: f32,
}

impl Sample {
    /// The phase of the evaluation for it.
    pub fn phase(&self) -> usize {
        phase(self.board.empty_count())
    }
}

/// Why a file of samples cannot be read.
#[derive(Debug, Error)]
pub enum SampleFileError {
    /// It cannot be opened.
    #[error("cannot read samples")]
    Io(#[from] io::Error),
    /// It is something else, damaged or truncated.
    #[error(transparent)]
    Container(#[from] ContainerError),
    /// Its phases or blocks are not those of its header.
    #[error("the file has fewer or more samples than its header says")]
    Length,
    /// A record that is not a position with a score.
    #[error("block {0} has a sample that is not a position with a score")]
    Sample(u64),
}

/// Samples that can be read by phase.
pub trait SampleSource: Sync {
    /// The samples of these phases.
    ///
    /// # Errors
    /// If they cannot be read.
    fn read(&self, phases: RangeInclusive<usize>) -> Result<Vec<Sample>, SampleFileError>;
}

/// Files of samples, which stay on disk: their paths and headers.
pub struct SampleFiles(Vec<(PathBuf, SampleHeader)>);

impl SampleFiles {
    /// The files at `paths`.
    ///
    /// # Errors
    /// If one cannot be read or is no such file.
    pub fn open(paths: &[impl AsRef<Path>]) -> Result<SampleFiles, SampleFileError> {
        let open = |path: &Path| {
            let file = File::open(path)?;
            let length = file.metadata()?.len();
            Ok((path.to_owned(), check(BufReader::new(file), length)?))
        };
        let files: Result<_, SampleFileError> =
            paths.iter().map(|path| open(path.as_ref())).collect();
        Ok(SampleFiles(files?))
    }

    /// A checksum of all samples.
    pub fn checksum(&self) -> u64 {
        let checksums = self.0.iter().map(|(_, header)| header.checksum);
        checksum(&checksums.flat_map(u64::to_le_bytes).collect::<Vec<u8>>())
    }

    /// How many samples each phase has.
    pub fn counts(&self) -> [usize; PHASES] {
        let count = |phase: usize| self.0.iter().map(|(_, header)| header.counts[phase]).sum();
        std::array::from_fn(count)
    }
}

impl SampleSource for SampleFiles {
    fn read(&self, phases: RangeInclusive<usize>) -> Result<Vec<Sample>, SampleFileError> {
        let mut samples = Vec::new();
        for (path, _) in &self.0 {
            let reader = BufReader::new(File::open(path)?);
            read_phases(reader, &phases, &mut samples)?;
        }
        Ok(samples)
    }
}

/// The header of a file of `length` bytes, which must have all its blocks: missing blocks are an
/// error at once, not after hours of a fit.
fn check(reader: impl Read + Seek, length: u64) -> Result<SampleHeader, SampleFileError> {
    let (mut reader, header) = ContainerReader::new::<SampleHeader>(&FORMAT, reader)?;
    let mut is_whole = header.counts.len() == PHASES;
    let blocks = |count: &usize| 0..count.div_ceil(PER_BLOCK);
    for _ in header.counts.iter().flat_map(blocks) {
        is_whole = is_whole && reader.position() < length && reader.skip()?;
        if !is_whole {
            break;
        }
    }
    is_whole &= reader.position() == length;
    is_whole.then_some(header).ok_or(SampleFileError::Length)
}

/// Adds the samples of `phases` to `to`, from a file that was [`check`]ed.
fn read_phases(
    reader: impl Read + Seek,
    phases: &RangeInclusive<usize>,
    to: &mut Vec<Sample>,
) -> Result<(), SampleFileError> {
    let (mut reader, header) = ContainerReader::new::<SampleHeader>(&FORMAT, reader)?;
    let phases_to_end = header.counts.into_iter().enumerate().take(phases.end() + 1);
    let blocks = phases_to_end.flat_map(|(phase, count)| {
        let starts = (0..count).step_by(PER_BLOCK);
        starts.map(move |start| (phase, PER_BLOCK.min(count - start)))
    });
    for (number, (phase, wanted)) in (0..).zip(blocks) {
        if !phases.contains(&phase) {
            reader.skip()?;
            continue;
        }
        let block = reader.block()?.ok_or(SampleFileError::Length)?;
        let (records, rest) = block.as_chunks::<RECORD_BYTES>();
        if records.len() != wanted || !rest.is_empty() {
            return Err(SampleFileError::Length);
        }
        for record in records {
            to.push(decode(record).ok_or(SampleFileError::Sample(number))?);
        }
    }
    Ok(())
}

/// The samples in the bytes of a file.
///
/// # Errors
/// If they are no such file.
pub fn from_bytes(bytes: &[u8]) -> Result<Vec<Sample>, SampleFileError> {
    check(Cursor::new(bytes), bytes.len() as u64)?;
    let mut samples = Vec::new();
    read_phases(Cursor::new(bytes), &(0..=PHASES - 1), &mut samples)?;
    Ok(samples)
}

/// Writes `samples`, which must be in [`order`], as a file.
///
/// # Errors
/// Those of the writer.
pub fn write(mut writer: impl Write, samples: &[Sample]) -> io::Result<()> {
    let header = SampleHeader {
        counts: counts(samples).to_vec(),
        checksum: checksum(&encode(samples)),
    };
    let (mut sealer, head) = Sealer::new(&FORMAT, &header);
    writer.write_all(&head)?;
    for phase in samples.chunk_by(|a, b| a.phase() == b.phase()) {
        for block in phase.chunks(PER_BLOCK) {
            writer.write_all(&sealer.block(&encode(block)))?;
        }
    }
    writer.flush()
}

/// Samples in each phase.
pub fn counts(samples: &[Sample]) -> [usize; PHASES] {
    let mut counts = [0; PHASES];
    samples
        .iter()
        .for_each(|sample| counts[sample.phase()] += 1);
    counts
}

/// Reads the whole file at `path`.
///
/// # Errors
/// If it cannot be read or is not such a file.
pub fn read(path: &Path) -> Result<Vec<Sample>, SampleFileError> {
    SampleFiles::open(&[path])?.read(0..=PHASES - 1)
}

fn encode(samples: &[Sample]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(samples.len() * RECORD_BYTES);
    for Sample {
        board,
        score,
        weight,
    } in samples
    {
        bytes.extend(
            [board.player, board.opponent]
                .map(u64::to_le_bytes)
                .as_flattened(),
        );
        bytes.extend([*score, *weight].map(f32::to_le_bytes).as_flattened());
    }
    bytes
}

fn decode(record: &[u8; RECORD_BYTES]) -> Option<Sample> {
    let [player, opponent, numbers] = *record.as_chunks().0 else {
        return None;
    };
    let numbers = u64::from_le_bytes(numbers);
    let sample = Sample {
        board: Board::new(u64::from_le_bytes(player), u64::from_le_bytes(opponent))?,
        score: f32::from_bits(numbers as u32),
        weight: f32::from_bits((numbers >> 32) as u32),
    };
    let sane = sample.score.abs() <= 64.0 && sample.weight > 0.0 && sample.weight.is_finite();
    sane.then_some(sample)
}

/// One sample for each position up to symmetry, scored by the weighted mean, in
/// [`order`]. The weight of a position with `n` samples of weight 1 is √n: repeated positions
/// are known better, but must not dominate the others.
pub fn merge(mut samples: Vec<Sample>) -> Vec<Sample> {
    for sample in &mut samples {
        sample.board = sample.board.canonical();
    }
    samples.sort_by_key(order); // stable, so that the sums never change
    samples
        .chunk_by(|a, b| a.board == b.board)
        .map(|same| {
            let (mut score, mut weight, mut squares) = (0.0, 0.0, 0.0);
            for sample in same {
                let own = f64::from(sample.weight);
                score += own * f64::from(sample.score);
                weight += own;
                squares += own * own;
            }
            Sample {
                board: same[0].board,
                score: (score / weight) as f32,
                weight: f64::sqrt(squares) as f32,
            }
        })
        .collect()
}

/// By stage of the game, the opening first; then by board.
pub fn order(sample: &Sample) -> (Reverse<u32>, Board) {
    (Reverse(sample.board.empty_count()), sample.board)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use emilia::container;

    impl SampleSource for &[Sample] {
        fn read(&self, phases: RangeInclusive<usize>) -> Result<Vec<Sample>, SampleFileError> {
            let wanted = |sample: &&Sample| phases.contains(&sample.phase());
            Ok(self.iter().filter(wanted).copied().collect())
        }
    }

    fn sample(score: f32, weight: f32) -> Sample {
        Sample {
            board: Board::START,
            score,
            weight,
        }
    }

    fn late(score: f32) -> Sample {
        let board = Board::new(0xffff_ffff, 0xff_0000_0000).expect("disjoint");
        Sample {
            board,
            ..sample(score, 1.0)
        }
    }

    /// What `use_it` makes of a file with these bytes.
    fn with_file<T>(bytes: &[u8], use_it: impl Fn(&Path) -> T) -> T {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("samples");
        std::fs::write(&path, bytes).expect("a writable place");
        use_it(&path)
    }

    #[test]
    fn samples_survive_the_file() {
        let samples = [sample(2.5, 1.0), sample(-64.0, 0.25), late(3.0)];
        let mut bytes = Vec::new();
        write(&mut bytes, &samples).expect("writing to memory");
        with_file(&bytes, |path| {
            assert_eq!(read(path).expect("a good file"), samples);
            let counts = SampleFiles::open(&[path, path]).map(|files| files.counts());
            let counts = counts.expect("a good file");
            assert_eq!((counts.iter().sum::<usize>(), counts[0]), (6, 4));
            let files = SampleFiles::open(&[path, path]).expect("a good file");
            let phase = late(3.0).phase();
            let read = files.read(phase..=phase).expect("a good file");
            assert_eq!(read, [late(3.0), late(3.0)]);
        });
        for broken in [&bytes[..bytes.len() - 1], &[&bytes[..], b"x"].concat()] {
            assert!(matches!(from_bytes(broken), Err(SampleFileError::Length)));
        }
    }

    #[test]
    fn broken_files_are_errors() {
        let mut bytes = Vec::new();
        write(&mut bytes, &[sample(99.0, 1.0)]).expect("writing to memory");
        let error = |bytes: &[u8]| from_bytes(bytes).expect_err("broken").to_string();
        assert!(error(&bytes).starts_with("block 0 has a sample"));
        bytes[0] = b'x';
        assert_eq!(error(&bytes), "not a file of samples");
    }

    proptest! {
        #[test]
        fn any_change_is_noticed_unless_the_checksums_are_made_right(at: prop::sample::Index, change in 1..=255_u8) {
            let mut bytes = Vec::new();
            write(&mut bytes, &[sample(2.5, 1.0), late(3.0)]).expect("writing to memory");
            let at = at.index(bytes.len());
            bytes[at] ^= change;
            prop_assert!(from_bytes(&bytes).is_err());
            container::reseal(&mut bytes);
            let _ = from_bytes(&bytes);
        }
    }

    #[test]
    fn equal_positions_are_merged_into_their_mean() {
        let turned = Sample {
            board: Board::START.canonical(),
            ..sample(4.0, 1.0)
        };
        let merged = merge(vec![sample(0.0, 1.0), turned]);
        assert_eq!(merged.len(), 1);
        assert_eq!(merged[0].score, 2.0);
        assert!((merged[0].weight - 2f32.sqrt()).abs() < 1e-6);
    }
}
