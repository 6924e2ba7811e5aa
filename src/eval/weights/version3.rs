//! Weight files of version 3, which are only read.
//!
//! After magic and version: the length of the header and the header (JSON), the length of the
//! payload and the payload, and the FNV-1a hash of all bytes before it. The payload is one deflate
//! stream: the weights of phase after phase as steps from the phase before, and the biases, all low
//! bytes, then all high bytes; then the vectors of the stages.

use super::{BIASES, Header, PHASES, Packing, WeightError, Weights, inflate, packed_rows, unfold};
use super::{FACTORS, STAGES};
use crate::checksum::fnv1a;
use crate::container::ContainerError;

pub(super) const VERSION: u32 = 3;

/// Reads the bytes of a file.
pub(super) fn read(bytes: &[u8]) -> Result<Weights, WeightError> {
    let truncated = || WeightError::Broken(ContainerError::Truncated(0));
    let (body, hash) = bytes.split_last_chunk().ok_or_else(truncated)?;
    if fnv1a(body) != u64::from_le_bytes(*hash) {
        return Err(WeightError::Broken(ContainerError::Damaged(0)));
    }
    let (_, rest) = body.split_at_checked(12).ok_or_else(truncated)?;
    let (header, rest) = split_block(rest).ok_or_else(truncated)?;
    let (payload, _) = split_block(rest).ok_or_else(truncated)?;
    let damaged = |_| WeightError::Broken(ContainerError::Header);
    let header: Header = serde_json::from_slice(header).map_err(damaged)?;
    header.check()?;
    let halves = 2 * (PHASES * Packing::get().len() + BIASES);
    let mut planes = vec![0; halves + STAGES * packed_rows() * FACTORS];
    inflate(payload, &mut planes)?;
    let (halves, vectors) = planes.split_at(halves);
    Ok(from_planes(halves, vectors, header))
}

/// A block after its length, and the rest.
fn split_block(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    rest.split_at_checked(u32::from_le_bytes(*length) as usize)
}

fn from_planes(halves: &[u8], vectors: &[u8], header: Header) -> Weights {
    let stride = Packing::get().len();
    let (low, high) = halves.split_at(halves.len() / 2);
    let steps = low.iter().zip(high);
    let mut steps = steps.map(|(&low, &high)| unfold(u16::from_le_bytes([low, high])));
    let mut patterns: Vec<i16> = steps.by_ref().take(PHASES * stride).collect();
    for i in stride..patterns.len() {
        patterns[i] = patterns[i].wrapping_add(patterns[i - stride]);
    }
    Weights {
        provenance: header.provenance,
        probcut: header.probcut,
        patterns,
        biases: steps.collect(),
        factors: bytemuck::cast_slice(vectors).to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::weights::{FORMAT, deflate, fold};

    /// The file as version 3 wrote it.
    fn write(weights: &Weights) -> Vec<u8> {
        let stride = Packing::get().len();
        let before = std::iter::repeat_n(&0, stride).chain(&weights.patterns);
        let steps = weights.patterns.iter().zip(before);
        let folded: Vec<u16> = steps
            .map(|(weight, before)| fold(weight.wrapping_sub(*before)))
            .chain(weights.biases.iter().map(|&bias| fold(bias)))
            .collect();
        let low = folded.iter().map(|&x| x as u8);
        let high = folded.iter().map(|&x| (x >> 8) as u8);
        let vectors = weights.factors.as_flattened().iter().map(|&x| x as u8);
        let payload = deflate(&low.chain(high).chain(vectors).collect::<Vec<u8>>());
        let header = Header {
            biases: Vec::new(),
            ..Header::new(weights)
        };
        let header = serde_json::to_vec(&header).expect("plain values");
        let mut bytes = FORMAT.magic.to_vec();
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        for block in [&header, &payload] {
            bytes.extend_from_slice(&(block.len() as u32).to_le_bytes());
            bytes.extend_from_slice(block);
        }
        let hash = fnv1a(&bytes);
        bytes.extend_from_slice(&hash.to_le_bytes());
        bytes
    }

    #[test]
    fn its_files_stay_readable() {
        let mut weights = Weights::zero();
        for (i, weight) in weights.patterns.iter_mut().enumerate().step_by(97) {
            *weight = (i as i64 * 7919 % 65536 - 32768) as i16;
        }
        weights.biases[30] = -300;
        weights.factors[5] = [-7; FACTORS];
        weights.provenance.games = 12;
        let bytes = write(&weights);
        assert!(Weights::from_bytes(&bytes).expect("a good file") == weights);
        for end in [12, 40, bytes.len() / 2, bytes.len() - 1] {
            assert!(Weights::from_bytes(&bytes[..end]).is_err(), "cut at {end}");
        }
        let mut changed = bytes.clone();
        changed[bytes.len() / 2] ^= 1;
        let error = Weights::from_bytes(&changed).expect_err("damaged");
        assert!(matches!(
            error,
            WeightError::Broken(ContainerError::Damaged(_))
        ));
    }
}
