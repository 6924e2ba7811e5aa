//! Positions with the scores they should get, and the file that holds them.
//!
//! Layout of the file, little-endian: the magic `EMILIASP`, the version, the
//! number of samples, then 24 bytes for each: the discs of the side to move, those
//! of its opponent, the score in discs and the weight, both as 32-bit floats.

use std::cmp::Reverse;
use std::io::{self, Read, Write};

use thiserror::Error;

use crate::rules::Board;

const MAGIC: [u8; 8] = *b"EMILIASP";
const VERSION: u32 = 1;
const RECORD_BYTES: usize = 24;

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

/// Why a file of samples cannot be read.
#[derive(Debug, Error)]
pub enum SampleFileError {
    /// The file could not be read; also where it ends too early.
    #[error("cannot read samples: {0}")]
    Io(#[from] io::Error),
    /// It is something else, or of another version.
    #[error("not a file of samples of version {VERSION}")]
    Format,
    /// A record that is no position with a score.
    #[error("sample {0} is broken")]
    Sample(u64),
}

/// Writes `samples` as a file.
///
/// # Errors
/// Those of the writer.
pub fn write(mut writer: impl Write, samples: &[Sample]) -> io::Result<()> {
    writer.write_all(&MAGIC)?;
    writer.write_all(&VERSION.to_le_bytes())?;
    writer.write_all(&(samples.len() as u64).to_le_bytes())?;
    for sample in samples {
        writer.write_all(&sample.board.player.to_le_bytes())?;
        writer.write_all(&sample.board.opponent.to_le_bytes())?;
        writer.write_all(&sample.score.to_le_bytes())?;
        writer.write_all(&sample.weight.to_le_bytes())?;
    }
    writer.flush()
}

/// Reads a file of samples.
///
/// # Errors
/// If it cannot be read or is not such a file.
pub fn read(mut reader: impl Read) -> Result<Vec<Sample>, SampleFileError> {
    let (magic, version, count) = (
        field(&mut reader)?,
        field(&mut reader)?,
        field(&mut reader)?,
    );
    if magic != MAGIC || version != VERSION.to_le_bytes() {
        return Err(SampleFileError::Format);
    }
    (0..u64::from_le_bytes(count))
        .map(|number| {
            let record: [u8; RECORD_BYTES] = field(&mut reader)?;
            decode(record).ok_or(SampleFileError::Sample(number))
        })
        .collect()
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

    #[test]
    fn samples_survive_the_file() {
        let samples = [sample(2.5, 1.0), sample(-64.0, 0.25)];
        let mut bytes = Vec::new();
        write(&mut bytes, &samples).expect("writing to memory");
        assert_eq!(read(&bytes[..]).expect("a good file"), samples);
        assert!(read(&bytes[..bytes.len() - 1]).is_err());
    }

    #[test]
    fn broken_files_are_errors() {
        let mut bytes = Vec::new();
        write(&mut bytes, &[sample(99.0, 1.0)]).expect("writing to memory");
        assert!(matches!(read(&bytes[..]), Err(SampleFileError::Sample(0))));
        bytes[0] = b'x';
        assert!(matches!(read(&bytes[..]), Err(SampleFileError::Format)));
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
