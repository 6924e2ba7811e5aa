//! The weight file: weights by phase and configuration, with their origin.
//!
//! A sealed container. Its header has the shape, the provenance, the ProbCut model and the biases.
//! Then follows a block for each phase and a block for each stage. Each block can be unpacked
//! without the others, so that a search unpacks only what it needs.
//!
//! A block of a phase: one byte, the number of low bits that are 0 in all its weights; then one
//! deflate stream of the weights of all distinct configurations (mirror images once), without
//! these bits, as 16-bit numbers, all low bytes first and then all high bytes. Weights of both
//! signs are folded onto small positive numbers, because that packs best. Differences between
//! phases would take 9% less, but each phase would need all phases before it.
//!
//! A block of a stage: one deflate stream of the vectors of the factors, one byte a number.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::{LazyLock, OnceLock};

use flate2::write::DeflateEncoder;
use flate2::{Compression, Decompress, FlushDecompress, Status};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::factors::{FACTORS, Row, STAGES, UNIT, packed_rows};
use super::patterns::{
    CLASSES, CLASSES_WITH_FACTORS, CONFIGURATIONS, MOBILITY_PAIRS, WEIGHTS, class_offset,
};
use super::probcut::ProbCut;
use crate::container::{ContainerError, Format, Reader, SealedBlock, Sealer};
#[cfg(feature = "program")]
use crate::files::FileKind;
use crate::score::Score;

mod version3;

/// The weights inside the binary; the library of a tier has none.
static EMBEDDED: &[u8] = cfg_select! {
    tier_library => { &[] }
    _ => { include_bytes!("weights.bin") }
};

/// The weights of the program that loaded this library.
#[cfg(feature = "program")]
static LENT: OnceLock<&[u8]> = OnceLock::new();

/// The weight file inside the binary.
pub(crate) fn embedded_weights() -> &'static [u8] {
    #[cfg(feature = "program")]
    if let Some(file) = LENT.get() {
        return file;
    }
    EMBEDDED
}

/// Uses the weights inside another binary as if they were inside this one.
#[cfg(feature = "program")]
pub(crate) fn lend_weights(file: &'static [u8]) {
    let _ = LENT.set(file);
}

/// Bytes of a weight file that are read: far more than it has.
const MAX_FILE: u64 = 64 << 20;

const FORMAT: Format = Format {
    magic: *b"EMILIAWT",
    version: 4,
    name: "a weight file of Emilia",
};

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
    /// A description of the data.
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
    /// A constant for each number of empties.
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
    Io(#[from] io::Error),
    /// It is a file of something else.
    #[error("not a weight file of Emilia")]
    Magic,
    /// It is of an unknown version, truncated or damaged.
    #[error("the weight file cannot be used: {0}")]
    Broken(ContainerError),
    /// It was made for other patterns or phases.
    #[error("the weight file has another shape: {0}")]
    Shape(String),
    /// A block does not unpack to the weights of its shape.
    #[error("the weight file has a broken payload")]
    Payload,
}

impl From<ContainerError> for WeightError {
    fn from(error: ContainerError) -> WeightError {
        match error {
            ContainerError::Magic(_) => WeightError::Magic,
            ContainerError::Io(error) => WeightError::Io(error),
            other => WeightError::Broken(other),
        }
    }
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
    /// Files of version 3 have them in the payload.
    #[serde(default)]
    biases: Vec<i16>,
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
    fn new(weights: &Weights) -> Header {
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
            provenance: weights.provenance.clone(),
            probcut: weights.probcut.clone(),
            biases: weights.biases.clone(),
        }
    }

    /// Is this the shape of this build?
    fn check(&self) -> Result<(), WeightError> {
        static OWN: LazyLock<Header> = LazyLock::new(|| Header::new(&Weights::empty()));
        let own = &*OWN;
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
    /// For each configuration the smallest of its class that has the same weight.
    representatives: Vec<u16>,
    /// For each configuration its place in the table of its class.
    indices: Vec<u16>,
    len: usize,
    with_factors: usize,
    slots: OnceLock<Vec<u32>>,
}

impl Packing {
    /// The packing of [`CLASSES`] and the pairs of mobilities.
    pub fn get() -> &'static Packing {
        static PACKING: LazyLock<Packing> = LazyLock::new(Packing::new);
        &PACKING
    }

    fn new() -> Packing {
        let mut representatives = Vec::with_capacity(CONFIGURATIONS);
        let mut indices = Vec::with_capacity(CONFIGURATIONS);
        let (mut len, mut with_factors) = (0, 0);
        for (number, class) in CLASSES.iter().enumerate() {
            let of_class = class.representatives();
            let own = of_class
                .iter()
                .zip(0..)
                .filter(|&(&least, index)| least == index);
            len += own.count();
            if number < CLASSES_WITH_FACTORS {
                with_factors = len;
            }
            representatives.extend(of_class);
            indices.extend(class.indices());
        }
        Packing {
            representatives,
            indices,
            len: len + MOBILITY_PAIRS,
            with_factors,
            slots: OnceLock::new(),
        }
    }

    /// Fills `table` with what is stored once for mirror images: first the configurations of the
    /// first `classes` classes, then what has no mirror images.
    pub(super) fn unpack<T: Copy>(
        &self,
        classes: usize,
        mut distinct: impl Iterator<Item = T>,
        table: &mut [T],
    ) {
        let (configurations, rest) = table.split_at_mut(class_offset(classes));
        for (number, class) in CLASSES[..classes].iter().enumerate() {
            let range = class_offset(number)..class_offset(number) + class.configurations();
            let table = &mut configurations[range.clone()];
            let indices = &self.indices[range.clone()];
            for (number, &least) in self.representatives[range].iter().enumerate() {
                let least = usize::from(least);
                // Smaller ones are there already.
                let value = if least == number {
                    distinct.next()
                } else {
                    Some(table[usize::from(indices[least])])
                };
                table[usize::from(indices[number])] =
                    value.expect("a value for each distinct configuration");
            }
        }
        for (entry, value) in rest.iter_mut().zip(distinct) {
            *entry = value;
        }
    }

    /// For each entry of a phase's table the number of its weight.
    pub fn slots(&self) -> &[u32] {
        self.slots.get_or_init(|| {
            let mut slots = vec![0; WEIGHTS];
            self.unpack(CLASSES.len(), 0.., &mut slots);
            slots
        })
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
    /// No weights at all.
    fn empty() -> Weights {
        Weights {
            provenance: Provenance::default(),
            probcut: ProbCut::default(),
            patterns: Vec::new(),
            biases: Vec::new(),
            factors: Vec::new(),
        }
    }

    /// Weights by which every board is worth 0.
    pub fn zero() -> Weights {
        Weights {
            patterns: vec![0; PHASES * Packing::get().len()],
            biases: vec![0; BIASES],
            factors: vec![[0; FACTORS]; STAGES * packed_rows()],
            ..Weights::empty()
        }
    }

    /// The kind of file that commands write weights to.
    #[cfg(feature = "program")]
    pub const KIND: FileKind = FileKind {
        name: FORMAT.name,
        is: |head| FORMAT.matches(head),
    };

    /// The weights inside the binary.
    pub fn embedded() -> Weights {
        Weights::from_bytes(embedded_weights())
            .expect("the embedded weights are good; a test reads them")
    }

    /// The weights of the file at `path`.
    ///
    /// # Errors
    /// If it cannot be read or is no weight file of this shape.
    pub fn load(path: &Path) -> Result<Weights, WeightError> {
        // Opening a pipe would wait for its writer, and a device may have no end.
        if !fs::metadata(path)?.is_file() {
            return Err(io::Error::other("it is not a regular file").into());
        }
        let mut bytes = Vec::new();
        File::open(path)?.take(MAX_FILE).read_to_end(&mut bytes)?;
        Weights::from_bytes(&bytes)
    }

    /// The weights as the bytes of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let (mut sealer, mut bytes) = Sealer::new(&FORMAT, &Header::new(self));
        for phase in self.patterns.chunks_exact(Packing::get().len()) {
            let shift = zero_bits(phase);
            let folded = phase
                .iter()
                .map(|&weight| fold(weight >> shift).to_le_bytes());
            let low = folded.clone().map(|[low, _]| low);
            let planes: Vec<u8> = low.chain(folded.map(|[_, high]| high)).collect();
            let block = [&[shift as u8], &deflate(&planes)[..]].concat();
            bytes.extend(sealer.block(&block));
        }
        for stage in self.factors.chunks_exact(packed_rows()) {
            bytes.extend(sealer.block(&deflate(bytemuck::cast_slice(stage))));
        }
        bytes
    }

    /// Reads the bytes of a file, also of one of version 3.
    ///
    /// # Errors
    /// If they are no weight file of this shape.
    pub fn from_bytes(bytes: &[u8]) -> Result<Weights, WeightError> {
        if FORMAT.version_of(bytes) == Some(version3::VERSION) {
            return version3::read(bytes);
        }
        let packed = PackedWeights::new(bytes)?;
        let mut weights = Weights {
            provenance: packed.provenance.clone(),
            probcut: packed.probcut.clone(),
            biases: packed.biases.to_vec(),
            ..Weights::empty()
        };
        for phase in 0..PHASES {
            weights.patterns.extend(packed.phase(phase)?.iter());
        }
        for stage in 0..STAGES {
            weights.factors.append(&mut packed.stage(stage)?);
        }
        Ok(weights)
    }
}

/// A weight file in memory, of which parts are unpacked as they are needed.
#[derive(Clone, Debug)]
pub(super) struct PackedWeights<'a> {
    pub(super) provenance: Provenance,
    pub(super) probcut: ProbCut,
    pub(super) biases: [i16; BIASES],
    /// Those of the phases, then those of the stages.
    blocks: Vec<SealedBlock<'a>>,
}

impl PackedWeights<'static> {
    /// The weights inside the binary.
    pub(super) fn embedded() -> PackedWeights<'static> {
        PackedWeights::new(embedded_weights())
            .expect("the embedded weights are good; a test reads them")
    }
}

impl<'a> PackedWeights<'a> {
    fn new(bytes: &'a [u8]) -> Result<PackedWeights<'a>, WeightError> {
        let (mut reader, header) = Reader::new::<Header>(&FORMAT, bytes)?;
        header.check()?;
        let mut blocks = Vec::with_capacity(PHASES + STAGES);
        while let Some(block) = reader.sealed_block()? {
            blocks.push(block);
        }
        let biases = header.biases.try_into();
        Ok(PackedWeights {
            provenance: header.provenance,
            probcut: header.probcut,
            biases: biases.map_err(|_| WeightError::Shape("other biases".to_owned()))?,
            blocks: match blocks.len() {
                count if count == PHASES + STAGES => blocks,
                count => return Err(WeightError::Shape(format!("{count} blocks"))),
            },
        })
    }

    /// The weights of a phase.
    pub(super) fn phase(&self, phase: usize) -> Result<PhaseWeights, WeightError> {
        let (&shift, packed) = match self.blocks[phase].open()?.split_first() {
            Some(split) if *split.0 < 16 => split,
            _ => return Err(WeightError::Payload),
        };
        let mut planes = vec![0; 2 * Packing::get().len()];
        inflate(packed, &mut planes)?;
        Ok(PhaseWeights { shift, planes })
    }

    /// The vectors of a stage, [`packed_rows`] of them.
    pub(super) fn stage(&self, stage: usize) -> Result<Vec<Row>, WeightError> {
        let mut rows = vec![[0; FACTORS]; packed_rows()];
        let packed = self.blocks[PHASES + stage].open()?;
        inflate(packed, bytemuck::cast_slice_mut(&mut rows))?;
        Ok(rows)
    }
}

/// The weights of one phase as its block has them.
pub(super) struct PhaseWeights {
    shift: u8,
    /// All low bytes, then all high bytes.
    planes: Vec<u8>,
}

impl PhaseWeights {
    /// One weight for each slot of [`Packing`].
    pub(super) fn iter(&self) -> impl Iterator<Item = i16> {
        let (low, high) = self.planes.split_at(self.planes.len() / 2);
        let folded = low.iter().zip(high);
        folded.map(|(&low, &high)| unfold(u16::from_le_bytes([low, high])) << self.shift)
    }
}

/// The number of low bits that are 0 in all weights, 15 at most.
fn zero_bits(weights: &[i16]) -> u32 {
    let bits = weights.iter().fold(0, |bits, weight| bits | weight);
    bits.trailing_zeros().min(15)
}

/// Maps numbers of both signs to positive ones: 0, -1, 1, -2, .. to 0, 1, 2, 3, ..
const fn fold(weight: i16) -> u16 {
    ((weight << 1) ^ (weight >> 15)) as u16
}

const fn unfold(folded: u16) -> i16 {
    (folded >> 1) as i16 ^ -((folded & 1) as i16)
}

fn deflate(data: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    let written = encoder.write_all(data).and_then(|()| encoder.finish());
    written.expect("writing to memory does not fail")
}

/// Unpacks what must be exactly as long as `bytes`.
fn inflate(packed: &[u8], bytes: &mut [u8]) -> Result<(), WeightError> {
    // In one call, which needs no window beside the output.
    let mut stream = Decompress::new(false);
    let status = stream.decompress(packed, bytes, FlushDecompress::Finish);
    let lengths = (stream.total_in(), stream.total_out());
    match status {
        Ok(Status::StreamEnd) if lengths == (packed.len() as u64, bytes.len() as u64) => Ok(()),
        _ => Err(WeightError::Payload),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::container;
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

    /// `bytes` with correct checksums.
    fn signed(mut bytes: Vec<u8>) -> Vec<u8> {
        container::reseal(&mut bytes);
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
    fn a_header_without_a_probcut_model_has_the_default_one() {
        let header = Header::new(&Weights::empty());
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
            "the weight file cannot be used: a weight file of Emilia of version 77, expected version 4"
        );
    }

    #[test]
    fn a_broken_file_is_refused() {
        let good = Weights::zero().to_bytes();
        let cut = |length: usize| error(&good[..length]);
        let broken = "the weight file cannot be used: it ends within ";
        assert_eq!(cut(13), format!("{broken}its header"));
        assert_eq!(cut(good.len() - 1), format!("{broken}block 27"));
        assert!(cut(good.len() / 2).starts_with(broken));
        let mut changed = good.clone();
        let middle = changed.len() - 100;
        changed[middle] ^= 1;
        assert_eq!(
            error(&changed),
            "the weight file cannot be used: block 27 is damaged"
        );
        let (mut sealer, mut bytes) = Sealer::new(&FORMAT, &Header::new(&Weights::zero()));
        bytes.extend(sealer.block(b"one block"));
        assert_eq!(error(&bytes), "the weight file has another shape: 1 blocks");
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
    fn a_block_of_the_wrong_length_is_refused() {
        let planes = |length: usize| inflate(&deflate(&vec![0; length]), &mut [0; 100]);
        assert!(planes(100).is_ok());
        for length in [0, 99, 101, 5000] {
            assert!(matches!(planes(length), Err(WeightError::Payload)));
        }
        let garbage = inflate(b"\xff\xff", &mut [0; 2]);
        assert!(matches!(garbage, Err(WeightError::Payload)));
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
                bytes[..8].copy_from_slice(&FORMAT.magic);
                bytes[8] = 3 + bytes[8] % 2;
                bytes[9..12].fill(0);
            }
            prop_assert!(Weights::from_bytes(&bytes).is_err());
        }

        #[test]
        fn a_changed_head_is_noticed_unless_its_checksum_is_corrected(
            at: prop::sample::Index,
            change in 1..=255_u8,
        ) {
            static GOOD: LazyLock<Vec<u8>> = LazyLock::new(|| Weights::zero().to_bytes());
            let mut bytes = GOOD.clone();
            let head = Sealer::new(&FORMAT, &Header::new(&Weights::zero())).1.len();
            bytes[at.index(head)] ^= change;
            prop_assert!(PackedWeights::new(&bytes).is_err());
            container::reseal(&mut bytes);
            let _ = PackedWeights::new(&bytes);
        }

        #[test]
        fn folding_is_reversible(step: i16) {
            prop_assert_eq!(unfold(fold(step)), step);
        }
    }
}
