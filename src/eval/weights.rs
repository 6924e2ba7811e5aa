//! The weight file: weights by phase and configuration, with their origin.
//!
//! Layout, little-endian: the magic `EMILIAWT`, the version, the length of the
//! header and the header (JSON: shape, provenance, and the ProbCut model where there is
//! one), the length of the payload and the payload, and the FNV-1a hash (64 bits) of
//! all bytes before it.
//!
//! The payload is one deflate stream. It holds the weights of each distinct
//! configuration (mirror images once) for phase after phase as 16-bit steps from
//! the phase before, then the biases; first all low bytes, then all high bytes,
//! negative steps folded onto odd numbers, because that packs smallest. Then the vectors
//! of the factors, stage after stage, one byte a number.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::LazyLock;

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::factors::{FACTORS, Row, STAGES, UNIT, packed_rows};
use super::patterns::{CLASSES, CLASSES_WITH_FACTORS, MOBILITY_PAIRS, WEIGHTS, class_offset};
use super::probcut::ProbCut;
use crate::checksum::fnv1a;
use crate::score::Score;

/// The weights that travel inside the binary.
static EMBEDDED: &[u8] = include_bytes!("weights.bin");

/// Bytes of a weight file that are read: far more than it has. A device without an end is
/// then no weight file, and not a wait without an end.
const MAX_FILE: u64 = 64 << 20;

const MAGIC: [u8; 8] = *b"EMILIAWT";

/// Version of the file's layout.
pub(crate) const VERSION: u32 = 3;

/// Stages of the game with weights of their own.
pub const PHASES: usize = 24;

/// Biases: one for each number of empties, 0..=60.
pub const BIASES: usize = 61;

/// The phase of a board with `empties` free squares: 0 in the opening, then one
/// for every two plies, the last for the last squares.
#[inline]
pub const fn phase(empties: u32) -> usize {
    let phase = 51u32.saturating_sub(empties) as usize / 2;
    if phase < PHASES { phase } else { PHASES - 1 }
}

/// Where weights come from.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Provenance {
    /// Commit of the sources that fitted them.
    pub commit: String,
    /// Seed of the self-play or of the split into training and validation.
    pub seed: u64,
    /// Games that the positions come from.
    pub games: u64,
    /// Positions fitted.
    pub positions: u64,
    /// What the data were, for people.
    pub data: String,
}

/// Weights in units of 1/128 disc for the side to move, mirror images stored once.
#[derive(Clone, PartialEq, Debug)]
pub struct Weights {
    /// Where they come from.
    pub provenance: Provenance,
    /// How far estimates by them lie from what deeper searches find.
    pub probcut: ProbCut,
    /// For each phase the weights of all slots of [`Packing`].
    pub patterns: Vec<i16>,
    /// What is added for each number of empties.
    pub biases: Vec<i16>,
    /// For each stage the vectors of all slots, pairs of mobilities and numbers of empties:
    /// see [`packed_rows`].
    pub factors: Vec<Row>,
}

/// Why a weight file cannot be used.
#[derive(Debug, Error)]
pub enum WeightError {
    /// The file could not be read.
    #[error("cannot read the weight file: {0}")]
    Io(#[from] std::io::Error),
    /// It does not begin with the magic bytes.
    #[error("not a weight file of Emilia")]
    Magic,
    /// It has another layout.
    #[error("weight file of version {0}, expected version {VERSION}")]
    Version(u32),
    /// It ends too early.
    #[error("the weight file is truncated")]
    Truncated,
    /// Its bytes were changed.
    #[error("the weight file is damaged: wrong checksum")]
    Checksum,
    /// Its header makes no sense.
    #[error("the weight file has a broken header: {0}")]
    Header(#[from] serde_json::Error),
    /// It was made for other patterns or phases.
    #[error("the weight file has another shape: {0}")]
    Shape(String),
    /// Its payload does not unpack to the weights of its shape.
    #[error("the weight file has a broken payload")]
    Payload,
}

/// Shape and origin, as the header of the file holds them.
#[derive(Serialize, Deserialize)]
struct Header {
    patterns: Vec<String>,
    mobility_pairs: usize,
    phases: usize,
    units_per_disc: i32,
    factors: FactorShape,
    provenance: Provenance,
    #[serde(default)]
    probcut: ProbCut,
}

/// Which features have vectors, and of which length.
#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct FactorShape {
    patterns: usize,
    stages: usize,
    length: usize,
    unit: f32,
}

impl FactorShape {
    const OWN: FactorShape = FactorShape {
        patterns: CLASSES_WITH_FACTORS,
        stages: STAGES,
        length: FACTORS,
        unit: UNIT,
    };
}

impl Header {
    fn new(provenance: Provenance, probcut: ProbCut) -> Header {
        let squares = CLASSES.iter().map(|class| {
            let names: Vec<String> = class.squares().iter().map(ToString::to_string).collect();
            names.join(" ")
        });
        Header {
            patterns: squares.collect(),
            mobility_pairs: MOBILITY_PAIRS,
            phases: PHASES,
            units_per_disc: Score::PER_DISC,
            factors: FactorShape::OWN,
            provenance,
            probcut,
        }
    }

    /// Is this the shape that this build evaluates?
    fn check(&self) -> Result<(), WeightError> {
        let own = Header::new(Provenance::default(), ProbCut::default());
        let shape = |what: String| Err(WeightError::Shape(what));
        if self.phases != own.phases {
            return shape(format!("{} phases, expected {PHASES}", self.phases));
        }
        if self.units_per_disc != own.units_per_disc {
            let found = self.units_per_disc;
            return shape(format!(
                "{found} units a disc, expected {}",
                Score::PER_DISC
            ));
        }
        if self.mobility_pairs != own.mobility_pairs {
            let found = self.mobility_pairs;
            return shape(format!(
                "{found} pairs of mobilities, expected {MOBILITY_PAIRS}"
            ));
        }
        if self.factors != own.factors {
            let found = &self.factors;
            return shape(format!("{found:?}, expected {:?}", own.factors));
        }
        match own.patterns.iter().find(|p| !self.patterns.contains(p)) {
            Some(pattern) => shape(format!("no pattern {pattern}")),
            None if self.patterns != own.patterns => shape("other patterns".to_owned()),
            None => Ok(()),
        }
    }
}

/// Which configurations share a weight because they mirror each other. Pairs of mobilities
/// share none.
pub struct Packing {
    slots: Vec<u32>,
    len: usize,
    with_factors: usize,
}

impl Packing {
    /// The packing of [`CLASSES`] and the pairs of mobilities.
    pub fn get() -> &'static Packing {
        static PACKING: LazyLock<Packing> = LazyLock::new(Packing::new);
        &PACKING
    }

    fn new() -> Packing {
        let mut slots = Vec::with_capacity(WEIGHTS);
        let (mut len, mut with_factors) = (0, 0);
        for (number, class) in CLASSES.iter().enumerate() {
            if number == CLASSES_WITH_FACTORS {
                with_factors = len as usize;
            }
            let offset = class_offset(number);
            for (index, &first) in class.representatives().iter().enumerate() {
                if first as usize == index {
                    slots.push(len);
                    len += 1;
                } else {
                    slots.push(slots[offset + first as usize]); // smaller, so already there
                }
            }
        }
        slots.extend((len..).take(MOBILITY_PAIRS));
        Packing {
            slots,
            len: len as usize + MOBILITY_PAIRS,
            with_factors,
        }
    }

    /// For each entry of a phase's table the number of its weight.
    pub fn slots(&self) -> &[u32] {
        &self.slots
    }

    /// Distinct weights in one phase.
    #[expect(clippy::len_without_is_empty, reason = "never empty")]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Distinct configurations of the classes with vectors, the first slots.
    pub fn with_factors(&self) -> usize {
        self.with_factors
    }
}

impl Weights {
    /// Weights that judge every board as even.
    pub fn zero() -> Weights {
        Weights {
            provenance: Provenance::default(),
            probcut: ProbCut::default(),
            patterns: vec![0; PHASES * Packing::get().len()],
            biases: vec![0; BIASES],
            factors: vec![[0; FACTORS]; STAGES * packed_rows()],
        }
    }

    /// The weights inside the binary.
    pub fn embedded() -> Weights {
        Weights::from_bytes(EMBEDDED).expect("the embedded weights are good; a test reads them")
    }

    /// The weights of the file at `path`.
    ///
    /// # Errors
    /// If it cannot be read or is no weight file of this shape.
    pub fn load(path: &Path) -> Result<Weights, WeightError> {
        let mut bytes = Vec::new();
        File::open(path)?.take(MAX_FILE).read_to_end(&mut bytes)?;
        Weights::from_bytes(&bytes)
    }

    /// The weights as the bytes of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let header = Header::new(self.provenance.clone(), self.probcut.clone());
        let header =
            serde_json::to_vec(&header).expect("plain strings and numbers always serialise");
        let payload = deflate(&self.planes());
        let mut bytes = Vec::with_capacity(payload.len() + header.len() + 32);
        bytes.extend_from_slice(&MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        for block in [&header, &payload] {
            bytes.extend_from_slice(&(block.len() as u32).to_le_bytes());
            bytes.extend_from_slice(block);
        }
        let checksum = fnv1a(&bytes);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Reads the bytes of a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Weights, WeightError> {
        let mut rest = bytes;
        if take(&mut rest, MAGIC.len()).map_err(|_| WeightError::Magic)? != MAGIC {
            return Err(WeightError::Magic);
        }
        let version = take_u32(&mut rest)?;
        if version != VERSION {
            return Err(WeightError::Version(version));
        }
        let header = take_block(&mut rest)?;
        let payload = take_block(&mut rest)?;
        let hashed = &bytes[..bytes.len() - rest.len()];
        let checksum = take(&mut rest, 8)?;
        if fnv1a(hashed).to_le_bytes() != checksum || !rest.is_empty() {
            return Err(WeightError::Checksum);
        }
        let header: Header = serde_json::from_slice(header)?;
        header.check()?;
        Weights::from_planes(&inflate(payload)?, header)
    }

    fn planes(&self) -> Vec<u8> {
        let stride = Packing::get().len();
        let before = std::iter::repeat_n(&0, stride).chain(&self.patterns);
        let steps = self.patterns.iter().zip(before);
        let folded: Vec<u16> = steps
            .map(|(weight, before)| fold(weight.wrapping_sub(*before)))
            .chain(self.biases.iter().map(|&bias| fold(bias)))
            .collect();
        let low = folded.iter().map(|&x| x as u8);
        let high = folded.iter().map(|&x| (x >> 8) as u8);
        let vectors = self.factors.as_flattened().iter().map(|&x| x as u8);
        low.chain(high).chain(vectors).collect()
    }

    fn from_planes(planes: &[u8], header: Header) -> Result<Weights, WeightError> {
        let stride = Packing::get().len();
        if planes.len() != planes_len() {
            return Err(WeightError::Payload);
        }
        let (halves, vectors) = planes.split_at(steps_len());
        let (low, high) = halves.split_at(halves.len() / 2);
        let mut steps = low
            .iter()
            .zip(high)
            .map(|(&low, &high)| unfold(u16::from_le_bytes([low, high])));
        let mut patterns: Vec<i16> = steps.by_ref().take(PHASES * stride).collect();
        for i in stride..patterns.len() {
            patterns[i] = patterns[i].wrapping_add(patterns[i - stride]);
        }
        Ok(Weights {
            provenance: header.provenance,
            probcut: header.probcut,
            patterns,
            biases: steps.collect(),
            factors: bytemuck::cast_slice(vectors).to_vec(),
        })
    }
}

/// Bytes of the weights and biases.
fn steps_len() -> usize {
    2 * (PHASES * Packing::get().len() + BIASES)
}

/// Bytes of the unpacked payload.
fn planes_len() -> usize {
    steps_len() + STAGES * packed_rows() * FACTORS
}

/// Small steps of either sign to small numbers: 0, -1, 1, -2, .. to 0, 1, 2, 3, ..
const fn fold(step: i16) -> u16 {
    ((step << 1) ^ (step >> 15)) as u16
}

const fn unfold(folded: u16) -> i16 {
    (folded >> 1) as i16 ^ -((folded & 1) as i16)
}

fn deflate(data: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    let written = encoder.write_all(data).and_then(|()| encoder.finish());
    written.expect("writing to memory does not fail")
}

/// Unpacks a payload, which must have exactly the length of the planes.
fn inflate(payload: &[u8]) -> Result<Vec<u8>, WeightError> {
    let len = planes_len();
    let mut planes = Vec::with_capacity(len + 1);
    let mut limited = DeflateDecoder::new(payload).take(len as u64 + 1);
    match limited.read_to_end(&mut planes) {
        Ok(read) if read == len => Ok(planes),
        _ => Err(WeightError::Payload),
    }
}

fn take<'a>(rest: &mut &'a [u8], len: usize) -> Result<&'a [u8], WeightError> {
    let (head, tail) = rest.split_at_checked(len).ok_or(WeightError::Truncated)?;
    *rest = tail;
    Ok(head)
}

fn take_u32(rest: &mut &[u8]) -> Result<u32, WeightError> {
    let bytes = take(rest, 4)?;
    bytes
        .try_into()
        .map(u32::from_le_bytes)
        .map_err(|_| WeightError::Truncated)
}

fn take_block<'a>(rest: &mut &'a [u8]) -> Result<&'a [u8], WeightError> {
    let len = take_u32(rest)?;
    take(rest, len as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sample() -> Weights {
        let mut weights = Weights::zero();
        for (i, weight) in weights.patterns.iter_mut().enumerate().step_by(97) {
            *weight = (i as i64 * 7919 % 65536 - 32768) as i16;
        }
        weights.biases[30] = -300;
        for (i, x) in weights.factors.as_flattened_mut().iter_mut().enumerate() {
            *x = (i % 251) as i8;
        }
        weights.provenance.games = 12;
        weights
    }

    /// The bytes of `bytes` with a checksum that fits them again.
    fn signed(mut bytes: Vec<u8>) -> Vec<u8> {
        bytes.truncate(bytes.len() - 8);
        let checksum = fnv1a(&bytes);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        bytes
    }

    fn error(bytes: &[u8]) -> String {
        let read = Weights::from_bytes(bytes);
        read.map_or_else(|e| e.to_string(), |_| "no error".to_owned())
    }

    #[test]
    fn weights_survive_the_file() {
        let weights = sample();
        let read = Weights::from_bytes(&weights.to_bytes()).expect("a good file");
        assert!(read == weights);
    }

    #[test]
    fn the_embedded_weights_load() {
        assert!(Weights::from_bytes(EMBEDDED).is_ok());
    }

    #[test]
    fn the_probcut_model_survives_the_file() {
        let mut weights = Weights::zero();
        weights.probcut.midgame.mean = [0.1, -0.2, 0.333_333, 1.5e-6, 12.0, 0.7, -1.1, 0.123_456];
        weights.probcut.end.log_sigma[1] = -3.084_567;
        let read = Weights::from_bytes(&weights.to_bytes()).expect("a good file");
        assert_eq!(read.probcut, weights.probcut);
    }

    #[test]
    fn a_header_without_a_probcut_model_has_the_usual_one() {
        let header = Header::new(Provenance::default(), ProbCut::default());
        let mut json = serde_json::to_value(header).expect("plain values");
        json.as_object_mut().expect("an object").remove("probcut");
        let header: Header = serde_json::from_value(json).expect("a good header");
        assert_eq!(header.probcut, ProbCut::default());
    }

    #[test]
    fn a_file_of_something_else_is_refused() {
        assert_eq!(error(b"PNG"), "not a weight file of Emilia");
        assert_eq!(error(b"EMILIAXX........"), "not a weight file of Emilia");
    }

    #[test]
    fn another_version_is_refused() {
        let mut bytes = Weights::zero().to_bytes();
        bytes[8] = 77;
        assert_eq!(
            error(&bytes),
            "weight file of version 77, expected version 3"
        );
    }

    #[test]
    fn a_truncated_file_is_refused_wherever_it_ends() {
        let bytes = Weights::zero().to_bytes();
        for len in [9, 13, 40, bytes.len() / 2, bytes.len() - 1] {
            assert_eq!(error(&bytes[..len]), "the weight file is truncated");
        }
    }

    #[test]
    fn a_changed_or_longer_file_is_refused() {
        let good = Weights::zero().to_bytes();
        let mut changed = good.clone();
        let middle = changed.len() - 100;
        changed[middle] ^= 1;
        let mut longer = good;
        longer.push(0);
        for bytes in [changed, longer] {
            assert_eq!(error(&bytes), "the weight file is damaged: wrong checksum");
        }
    }

    #[test]
    fn another_shape_is_refused() {
        let bytes = Weights::zero().to_bytes();
        let at = bytes
            .windows(5)
            .position(|w| w == b"b2 a1")
            .expect("a class");
        let mut other = bytes.clone();
        other[at + 1] = b'3';
        let message = error(&signed(other));
        assert!(
            message.starts_with("the weight file has another shape: no pattern b2 a1"),
            "{message}"
        );

        let at = bytes
            .windows(11)
            .position(|w| w == b"\"phases\":24")
            .expect("phases");
        let mut other = bytes;
        other[at + 9] = b'3';
        assert_eq!(
            error(&signed(other)),
            "the weight file has another shape: 34 phases, expected 24"
        );
    }

    #[test]
    fn a_header_that_is_not_json_is_refused() {
        let mut bytes = Weights::zero().to_bytes();
        bytes[16] = b'[';
        let message = error(&signed(bytes));
        assert!(
            message.starts_with("the weight file has a broken header"),
            "{message}"
        );
    }

    #[test]
    fn a_payload_of_the_wrong_length_is_refused() {
        for planes in [vec![0; planes_len() - 2], vec![0; planes_len() + 2]] {
            assert!(matches!(
                inflate(&deflate(&planes)),
                Err(WeightError::Payload)
            ));
        }
        assert!(matches!(inflate(b"\xff\xff"), Err(WeightError::Payload)));
    }

    #[test]
    fn phases_cover_the_game_in_order() {
        let phases: Vec<usize> = (0..=60).rev().map(phase).collect();
        assert!(phases.is_sorted());
        assert_eq!((phases[0], phases[60]), (0, PHASES - 1));
        assert_eq!((phase(25), phase(24), phase(23)), (13, 13, 14));
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(mut bytes in prop::collection::vec(any::<u8>(), 0..200), magic: bool) {
            if magic && bytes.len() > 12 {
                bytes[..8].copy_from_slice(&MAGIC);
                bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
            }
            prop_assert!(Weights::from_bytes(&bytes).is_err());
        }

        #[test]
        fn folding_is_reversible(step: i16) {
            prop_assert_eq!(unfold(fold(step)), step);
        }
    }
}
