//! Positions with the scores they should get, and the file that holds them.
//!
//! Layout of the file, little-endian: the magic `EMILIASP`, the version, the FNV-1a hash
//! of what follows, the number of samples of each phase (64 bits each), then 24 bytes for
//! each sample: the discs of the side to move, those of its opponent, the score in discs
//! and the weight, both as 32-bit floats. The phases stand one after the other, so that
//! a reader who wants some of them reads no more.

use std::cmp::Reverse;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::checksum::fnv1a;
use crate::eval::{PHASES, phase};
use crate::rules::Board;

const MAGIC: [u8; 8] = *b"EMILIASP";
const VERSION: u32 = 2;
const RECORD_BYTES: usize = 24;

/// Bytes before the first sample.
const HEAD_BYTES: usize = 8 + 4 + 8 + 8 * PHASES;

/// One position to learn from.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sample {
    /// The position.
    pub board: Board,
    /// Final disc difference to aim at, for the side to move, −64..=64.
    pub score: f32,
    /// How much it counts, above 0.
    pub weight: f32,
}

impl Sample {
    /// The phase of the evaluation that judges it.
    fn phase(&self) -> usize {
        phase(self.board.empty_count())
    }
}

/// Why a file of samples cannot be read.
#[derive(Debug, Error)]
pub enum SampleFileError {
    /// The file could not be read; also where it ends too early.
    #[error("cannot read samples: {0}")]
    Io(#[from] io::Error),
    /// It is something else, or of another version.
    #[error("not a file of samples of version {VERSION}")]
    Format,
    /// It is shorter or longer than its samples.
    #[error("the file of samples is cut short, or something follows it")]
    Length,
    /// A record that is no position with a score.
    #[error("sample {0} is broken")]
    Sample(u64),
}

/// Samples, those of each phase at hand.
pub trait SampleSource: Sync {
    /// How many the phase has.
    fn count(&self, phase: usize) -> usize;

    /// The samples of these phases.
    ///
    /// # Errors
    /// If they cannot be read.
    fn read(&self, phases: RangeInclusive<usize>) -> Result<Vec<Sample>, SampleFileError>;
}

impl SampleSource for &[Sample] {
    fn count(&self, phase: usize) -> usize {
        self.iter().filter(|sample| sample.phase() == phase).count()
    }

    fn read(&self, phases: RangeInclusive<usize>) -> Result<Vec<Sample>, SampleFileError> {
        let wanted = |sample: &&Sample| phases.contains(&sample.phase());
        Ok(self.iter().filter(wanted).copied().collect())
    }
}

/// Files of samples, which stay on disk.
#[derive(Default)]
pub struct SampleFiles {
    files: Vec<Head>,
}

/// The beginning of a file.
struct Head {
    path: PathBuf,
    /// As the file states it: it tells files apart, and is not checked.
    hash: u64,
    counts: [usize; PHASES],
}

impl SampleFiles {
    /// The files at `paths`.
    ///
    /// # Errors
    /// If one cannot be read or is no such file.
    pub fn open(paths: &[impl AsRef<Path>]) -> Result<SampleFiles, SampleFileError> {
        let open = |path| {
            let file = File::open(path)?;
            let length = file.metadata()?.len();
            Head::read(path, file).and_then(|head| head.check(length))
        };
        let files: Result<_, _> = paths.iter().map(AsRef::as_ref).map(open).collect();
        Ok(SampleFiles { files: files? })
    }

    /// A hash of all samples.
    pub fn hash(&self) -> u64 {
        let hashes = self.files.iter().flat_map(|file| file.hash.to_le_bytes());
        fnv1a(&hashes.collect::<Vec<u8>>())
    }

    /// How many samples there are.
    pub fn len(&self) -> usize {
        self.files.iter().flat_map(|file| file.counts).sum()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl SampleSource for SampleFiles {
    fn count(&self, phase: usize) -> usize {
        self.files.iter().map(|file| file.counts[phase]).sum()
    }

    fn read(&self, phases: RangeInclusive<usize>) -> Result<Vec<Sample>, SampleFileError> {
        let mut samples = Vec::new();
        for file in &self.files {
            file.read_phases(phases.clone(), &mut samples)?;
        }
        Ok(samples)
    }
}

impl Head {
    fn read(path: &Path, mut reader: impl Read) -> Result<Head, SampleFileError> {
        let (magic, version): ([u8; 8], [u8; 4]) = (field(&mut reader)?, field(&mut reader)?);
        if magic != MAGIC || version != VERSION.to_le_bytes() {
            return Err(SampleFileError::Format);
        }
        let hash = u64::from_le_bytes(field(&mut reader)?);
        let mut counts = [0; PHASES];
        for count in &mut counts {
            let read = u64::from_le_bytes(field(&mut reader)?);
            *count = usize::try_from(read).map_err(|_| SampleFileError::Format)?;
        }
        Ok(Head {
            path: path.to_owned(),
            hash,
            counts,
        })
    }

    /// Itself, if a file of `length` bytes holds as many samples as it says.
    fn check(self, length: u64) -> Result<Head, SampleFileError> {
        let records = self
            .counts
            .iter()
            .try_fold(0_usize, |sum, &count| sum.checked_add(count));
        let bytes = records.and_then(|records| records.checked_mul(RECORD_BYTES));
        let whole = bytes.is_some_and(|bytes| bytes as u64 + HEAD_BYTES as u64 == length);
        if whole {
            Ok(self)
        } else {
            Err(SampleFileError::Length)
        }
    }

    /// Adds the samples of `phases` to `to`.
    fn read_phases(
        &self,
        phases: RangeInclusive<usize>,
        to: &mut Vec<Sample>,
    ) -> Result<(), SampleFileError> {
        let first: usize = self.counts[..*phases.start()].iter().sum();
        let wanted: usize = self.counts[phases].iter().sum();
        let mut file = File::open(&self.path)?;
        let at =
            (HEAD_BYTES as u64).saturating_add((first as u64).saturating_mul(RECORD_BYTES as u64));
        file.seek(SeekFrom::Start(at))?;
        let mut reader = BufReader::new(file);
        for number in first..first.saturating_add(wanted) {
            let record = field(&mut reader)?;
            to.push(decode(record).ok_or(SampleFileError::Sample(number as u64))?);
        }
        Ok(())
    }
}

/// Writes `samples`, which must be in [`order`], as a file.
///
/// # Errors
/// Those of the writer.
pub fn write(mut writer: impl Write, samples: &[Sample]) -> io::Result<()> {
    let mut counts = [0_u64; PHASES];
    samples
        .iter()
        .for_each(|sample| counts[sample.phase()] += 1);
    let mut body = Vec::with_capacity(8 * PHASES + samples.len() * RECORD_BYTES);
    body.extend(counts.iter().flat_map(|count| count.to_le_bytes()));
    for sample in samples {
        body.extend_from_slice(&sample.board.player.to_le_bytes());
        body.extend_from_slice(&sample.board.opponent.to_le_bytes());
        body.extend_from_slice(&sample.score.to_le_bytes());
        body.extend_from_slice(&sample.weight.to_le_bytes());
    }
    writer.write_all(&MAGIC)?;
    writer.write_all(&VERSION.to_le_bytes())?;
    writer.write_all(&fnv1a(&body).to_le_bytes())?;
    writer.write_all(&body)?;
    writer.flush()
}

/// Reads the whole file at `path`.
///
/// # Errors
/// If it cannot be read or is not such a file.
pub fn read(path: &Path) -> Result<Vec<Sample>, SampleFileError> {
    SampleFiles::open(&[path])?.read(0..=PHASES - 1)
}

fn field<const N: usize>(reader: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    reader.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn decode(mut record: [u8; RECORD_BYTES]) -> Option<Sample> {
    record.reverse(); // so that the fields, read as big-endian, come last to first
    let (weight, rest) = record.split_first_chunk()?;
    let (score, rest) = rest.split_first_chunk()?;
    let (opponent, rest) = rest.split_first_chunk()?;
    let player = rest.first_chunk()?;
    let sample = Sample {
        board: Board::new(u64::from_be_bytes(*player), u64::from_be_bytes(*opponent))?,
        score: f32::from_be_bytes(*score),
        weight: f32::from_be_bytes(*weight),
    };
    let sane = sample.score.abs() <= 64.0 && sample.weight > 0.0 && sample.weight.is_finite();
    sane.then_some(sample)
}

/// One sample for each position up to symmetry, scored by the weighted mean, in
/// [`order`]. The weight of one seen `n` times with weight 1 is √n: repeated positions
/// are better known, but must not drown the others.
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
    use super::*;

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

    /// A file with these bytes, which `use_it` may open.
    fn with_file<T>(name: &str, bytes: &[u8], use_it: impl Fn(&Path) -> T) -> T {
        let path = std::env::temp_dir().join(format!("emilia-{name}-{}", std::process::id()));
        std::fs::write(&path, bytes).expect("a writable place");
        let result = use_it(&path);
        std::fs::remove_file(&path).expect("just written");
        result
    }

    #[test]
    fn samples_survive_the_file() {
        let samples = [sample(2.5, 1.0), sample(-64.0, 0.25), late(3.0)];
        let mut bytes = Vec::new();
        write(&mut bytes, &samples).expect("writing to memory");
        with_file("samples", &bytes, |path| {
            assert_eq!(read(path).expect("a good file"), samples);
            let files = SampleFiles::open(&[path, path]).expect("a good file");
            assert_eq!((files.len(), files.count(0)), (6, 4));
            let phase = late(3.0).phase();
            let read = files.read(phase..=phase).expect("a good file");
            assert_eq!(read, [late(3.0), late(3.0)]);
        });
        let cut = |path: &Path| assert!(read(path).is_err());
        with_file("cut-samples", &bytes[..bytes.len() - 1], cut);
    }

    #[test]
    fn broken_files_are_errors() {
        let mut bytes = Vec::new();
        write(&mut bytes, &[sample(99.0, 1.0)]).expect("writing to memory");
        with_file("broken-samples", &bytes, |path| {
            assert!(matches!(read(path), Err(SampleFileError::Sample(0))));
        });
        bytes[0] = b'x';
        with_file("no-samples", &bytes, |path| {
            assert!(matches!(read(path), Err(SampleFileError::Format)));
        });
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
