//! The weight file: the rows of each stage, with their origin.
//!
//! A sealed container. Its header has the shape, the provenance and the ProbCut model.
//! Then follows a block for each stage, which can be unpacked without the others, so that a search
//! unpacks only what it needs: one deflate stream of the distinct rows, one byte a number, all first
//! numbers, then all second ones and so on.

use std::io;
use std::path::Path;
#[cfg(feature = "lent-weights")]
use std::sync::Mutex;

use flate2::{Decompress, FlushDecompress, Status};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::packing::Packing;
use super::patterns::{CLASSES, MOBILITY_PAIRS};
use super::phases::{BIASES, phase};
use super::probcut::ProbCut;
use super::rows::{ADDED, FACTORS, LENGTH, ROWS, Row, STAGES, UNIT, shifted, stage};
use super::scale::Scale;
use crate::container::{
    ContainerError, ContainerFormat, ContainerReader, SealedBlock, Sealer, deflate, read_file,
};
use crate::embedded::WEIGHTS;
use crate::file_kind::FileKind;
use crate::lazy::Lazy;
#[cfg(feature = "lent-weights")]
use crate::locks::lock;
use crate::score::Score;
use crate::simd::hints;
use crate::threads;

/// Why those inside the binary are not checked when they are used.
pub(super) const EMBEDDED_ARE_GOOD: &str = "the embedded weights are good; a test reads them";

/// What a program that lends its weights has to do.
#[cfg(feature = "lent-weights")]
const LENT_IN_TIME: &str = "weights are lent before a search needs them";

/// The parts of the weight file that the program has lent so far.
#[cfg(feature = "lent-weights")]
static PARTS: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// Lends the next part of a weight file, of whole blocks; the first part has the head of the file too. The number
/// of stages that can be used from now on: of what `Evaluator::embedded` searches, no board may have fewer empties than they do.
///
/// # Errors
/// If the parts are no weight file of this shape. They are forgotten then.
#[cfg(feature = "lent-weights")]
pub fn lend_part(part: &[u8]) -> Result<usize, WeightError> {
    let mut file = lock(&PARTS);
    file.extend_from_slice(part);
    let stages = PackedWeights::begun(&file).and_then(|packed| {
        packed
            .blocks
            .iter()
            .try_for_each(|block| block.open().map(drop))?;
        Ok(packed.blocks.len())
    });
    if stages.is_err() {
        file.clear();
    }
    stages
}

/// Bytes of a weight file that are read: far more than it has.
const MAX_FILE: u64 = 64 << 20;

const FORMAT: ContainerFormat = ContainerFormat {
    magic: *b"EMILIAWT",
    version: 5,
    name: "a weight file of Emilia",
};

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

/// What belongs to rows: where they come from, and how estimates by them are read.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Model {
    /// Where they come from.
    pub provenance: Provenance,
    /// How far estimates by them lie from what deeper searches find.
    #[serde(default)]
    pub probcut: ProbCut,
    /// What the sum of rows is multiplied with.
    #[serde(default)]
    pub scale: Scale,
}

/// The rows of an evaluation, mirror images stored once, and their model.
#[derive(Clone, PartialEq, Debug)]
pub struct Weights {
    /// What belongs to the rows.
    pub model: Model,
    /// For each stage the distinct rows, as [`Packing`] numbers them.
    pub rows: Vec<Row>,
}

/// Why a weight file cannot be used.
#[derive(Debug, Error)]
pub enum WeightError {
    /// The file could not be read.
    #[error("cannot read the weight file: {0}")]
    Io(io::Error),
    /// It is a file of something else.
    #[error("not a weight file of Emilia")]
    Magic,
    /// It is of an unknown version, truncated or damaged.
    #[error("the weight file cannot be used: {0}")]
    Broken(ContainerError),
    /// It was made for other patterns or stages.
    #[error("the weight file has another shape: {0}")]
    Shape(String),
    /// A block does not unpack to the weights of its shape.
    #[error("the weight file has a broken payload")]
    Payload,
}

impl From<io::Error> for WeightError {
    fn from(error: io::Error) -> WeightError {
        WeightError::Io(error)
    }
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
struct WeightHeader {
    patterns: Vec<String>,
    mobility_pairs: usize,
    units_per_disc: i32,
    rows: RowShape,
    #[serde(flatten)]
    model: Model,
}

/// What rows are for, and what is in them.
#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct RowShape {
    stages: usize,
    added: usize,
    subtracted: usize,
    unit: f32,
}

impl RowShape {
    const OWN: RowShape = RowShape {
        stages: STAGES,
        added: ADDED,
        subtracted: FACTORS - ADDED,
        unit: UNIT,
    };
}

impl WeightHeader {
    fn new(model: Model) -> WeightHeader {
        let squares = CLASSES.iter().map(|class| {
            let names: Vec<String> = class.squares().iter().map(ToString::to_string).collect();
            names.join(" ")
        });
        WeightHeader {
            patterns: squares.collect(),
            mobility_pairs: MOBILITY_PAIRS,
            units_per_disc: Score::PER_DISC,
            rows: RowShape::OWN,
            model,
        }
    }

    /// Is this the shape of this build?
    fn check(&self) -> Result<(), WeightError> {
        static OWN: Lazy<WeightHeader> = Lazy::new(|| WeightHeader::new(Model::default()));
        let own = &*OWN;
        let (units, pairs, rows) = (self.units_per_disc, self.mobility_pairs, &self.rows);
        let missing = own.patterns.iter().find(|p| !self.patterns.contains(p));
        Err(WeightError::Shape(if units != own.units_per_disc {
            format!("{units} units a disc, expected {}", own.units_per_disc)
        } else if pairs != own.mobility_pairs {
            format!("{pairs} pairs of mobilities, expected {MOBILITY_PAIRS}")
        } else if let Some(pattern) = missing {
            format!("no pattern {pattern}")
        } else if self.patterns != own.patterns {
            "other patterns".to_owned()
        } else if *rows != own.rows {
            format!("{rows:?}, expected {:?}", own.rows)
        } else {
            return Ok(());
        }))
    }
}

impl Weights {
    /// Weights by which every board is worth 0.
    pub fn zero() -> Weights {
        Weights {
            model: Model::default(),
            rows: vec![[0; LENGTH]; STAGES * Packing::get().len()],
        }
    }

    /// The kind of file that commands write weights to.
    pub const KIND: FileKind = FileKind {
        name: FORMAT.name,
        is: |head| FORMAT.matches(head),
    };

    /// The weights inside the binary.
    pub fn embedded() -> Weights {
        Weights::from_bytes(WEIGHTS.bytes()).expect(EMBEDDED_ARE_GOOD)
    }

    /// The weights of the file at `path`.
    ///
    /// # Errors
    /// If it cannot be read or is no weight file of this shape.
    pub fn load(path: &Path) -> Result<Weights, WeightError> {
        Weights::from_bytes(&read_file(path, MAX_FILE)?)
    }

    /// Adds so many `discs` to the estimates of boards with this number of `empties`, 0..=60.
    pub fn shift(&mut self, empties: u32, discs: f64) {
        let end = (stage(phase(empties)) + 1) * Packing::get().len();
        let bias = end - BIASES + empties as usize;
        self.rows[bias] = shifted(&self.rows[bias], discs / self.model.scale.factor());
    }

    /// The weights as the bytes of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let (mut sealer, mut bytes) = Sealer::new(&FORMAT, &WeightHeader::new(self.model.clone()));
        for stage in self.rows.chunks_exact(Packing::get().len()) {
            let column = |at: usize| stage.iter().map(move |row| row[at] as u8);
            let columns: Vec<u8> = (0..LENGTH).flat_map(column).collect();
            bytes.extend(sealer.block(&deflate(&columns)));
        }
        bytes
    }

    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// If they are no weight file of this shape.
    pub fn from_bytes(bytes: &[u8]) -> Result<Weights, WeightError> {
        let packed = PackedWeights::new(bytes)?;
        let mut rows = Vec::new();
        for stage in 0..STAGES {
            rows.append(&mut packed.stage(stage)?);
        }
        let model = packed.model;
        Ok(Weights { model, rows })
    }
}

/// A weight file in memory, of which parts are unpacked as they are needed.
#[derive(Clone, Debug)]
pub(super) struct PackedWeights<'a> {
    pub(super) model: Model,
    /// One for each stage.
    blocks: Vec<SealedBlock<'a>>,
}

/// What belongs to the rows of the weights inside the binary.
#[cfg(not(feature = "lent-weights"))]
pub(super) fn embedded_model() -> Model {
    PackedWeights::embedded().model
}

/// Unpacks stages of the weights inside the binary.
#[cfg(not(feature = "lent-weights"))]
pub(super) fn embedded_stages() -> impl Fn(usize) -> Vec<Row> {
    let packed = PackedWeights::embedded();
    move |stage| packed.stage(stage).expect(EMBEDDED_ARE_GOOD)
}

/// What belongs to the rows of the lent weights.
#[cfg(feature = "lent-weights")]
pub(super) fn embedded_model() -> Model {
    let file = lock(&PARTS);
    PackedWeights::begun(&file).expect(LENT_IN_TIME).model
}

/// Unpacks stages of the lent weights.
#[cfg(feature = "lent-weights")]
pub(super) fn embedded_stages() -> impl Fn(usize) -> Vec<Row> {
    |stage| {
        let file = lock(&PARTS);
        let packed = PackedWeights::begun(&file).expect(LENT_IN_TIME);
        assert!(stage < packed.blocks.len(), "{LENT_IN_TIME}");
        packed.stage(stage).expect(EMBEDDED_ARE_GOOD)
    }
}

#[cfg(not(feature = "lent-weights"))]
impl PackedWeights<'static> {
    /// The weights inside the binary.
    fn embedded() -> PackedWeights<'static> {
        PackedWeights::new(WEIGHTS.bytes()).expect(EMBEDDED_ARE_GOOD)
    }
}

impl<'a> PackedWeights<'a> {
    fn new(bytes: &'a [u8]) -> Result<PackedWeights<'a>, WeightError> {
        let packed = PackedWeights::begun(bytes)?;
        if packed.blocks.len() != STAGES {
            let blocks = packed.blocks.len();
            return Err(WeightError::Shape(format!("{blocks} blocks")));
        }
        Ok(packed)
    }

    /// A file of which the last blocks may be missing.
    fn begun(bytes: &'a [u8]) -> Result<PackedWeights<'a>, WeightError> {
        let (mut reader, header) = ContainerReader::new::<WeightHeader>(&FORMAT, bytes)?;
        header.check()?;
        let mut blocks = Vec::with_capacity(STAGES);
        while let Some(block) = reader.sealed_block()? {
            blocks.push(block);
        }
        let model = header.model;
        Ok(PackedWeights { model, blocks })
    }

    /// The distinct rows of a stage.
    pub(super) fn stage(&self, stage: usize) -> Result<Vec<Row>, WeightError> {
        let length = || LENGTH * Packing::get().len();
        let columns = inflate(self.blocks[stage].open()?, LENGTH * ROWS, length)?;
        let count = columns.len() / LENGTH;
        let mut rows = vec![[0; LENGTH]; count];
        hints::prefer_huge_pages(&rows);
        // The rows of a part stay in the first-level cache.
        for (part, rows) in rows.chunks_mut(PART).enumerate() {
            for (at, column) in columns.chunks_exact(count).enumerate() {
                for (row, &number) in rows.iter_mut().zip(&column[part * PART..]) {
                    row[at] = number as i8;
                }
            }
        }
        Ok(rows)
    }
}

/// Rows that are put together at a time.
const PART: usize = 256;

/// Unpacks what must be exactly as long as `length` says, which takes its time and is asked meanwhile on
/// another thread; `most` bytes or fewer.
fn inflate(
    packed: &[u8],
    most: usize,
    length: impl FnOnce() -> usize + Send,
) -> Result<Vec<u8>, WeightError> {
    let unpack = || {
        let mut bytes = vec![0; most];
        hints::prefer_huge_pages(&bytes);
        // In one call, which needs no window beside the output.
        let mut stream = Decompress::new(false);
        let status = stream.decompress(packed, &mut bytes, FlushDecompress::Finish);
        bytes.truncate(stream.total_out() as usize);
        let is_whole = stream.total_in() == packed.len() as u64;
        (is_whole && matches!(status, Ok(Status::StreamEnd))).then_some(bytes)
    };
    let (bytes, length) = threads::both("length", unpack, length);
    bytes
        .filter(|bytes| bytes.len() == length)
        .ok_or(WeightError::Payload)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::container;
    use proptest::prelude::*;

    fn sample() -> Weights {
        let mut weights = Weights::zero();
        for (i, x) in weights.rows.as_flattened_mut().iter_mut().enumerate() {
            *x = (i % 251) as i8;
        }
        weights.model.provenance.games = 12;
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
        assert!(Weights::from_bytes(WEIGHTS.bytes()).is_ok());
    }

    #[test]
    fn the_probcut_model_survives_the_file() {
        let mut weights = Weights::zero();
        weights.model.probcut.midgame.mean =
            [0.1, -0.2, 0.333_333, 1.5e-6, 12.0, 0.7, -1.1, 0.123_456];
        weights.model.probcut.end.log_sigma[1] = -3.084_567;
        let read = Weights::from_bytes(&weights.to_bytes()).expect("a good file");
        assert_eq!(read.model, weights.model);
    }

    #[test]
    fn the_scale_survives_the_file() {
        let scale = Scale::new(1.04);
        let mut weights = Weights::zero();
        weights.model.scale = scale;
        let read = Weights::from_bytes(&weights.to_bytes()).expect("a good file");
        assert_eq!(read.model.scale, scale);
    }

    #[test]
    fn a_header_without_a_probcut_model_and_a_scale_has_the_default_ones() {
        let header = WeightHeader::new(Model::default());
        let mut json = serde_json::to_value(header).expect("plain values");
        for name in ["probcut", "scale"] {
            json.as_object_mut().expect("an object").remove(name);
        }
        let header: WeightHeader = serde_json::from_value(json).expect("a good header");
        assert_eq!(header.model, Model::default());
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
            "the weight file cannot be used: a weight file of Emilia of version 77, expected version 5"
        );
    }

    #[test]
    fn a_broken_file_is_refused() {
        let good = Weights::zero().to_bytes();
        let cut = |length: usize| error(&good[..length]);
        let broken = "the weight file cannot be used: it ends within ";
        assert_eq!(cut(13), format!("{broken}its header"));
        assert_eq!(cut(good.len() - 1), format!("{broken}block 2"));
        assert!(cut(good.len() / 2).starts_with(broken));
        let mut changed = good.clone();
        let middle = changed.len() - 100;
        changed[middle] ^= 1;
        assert_eq!(
            error(&changed),
            "the weight file cannot be used: block 2 is damaged"
        );
        let (mut sealer, mut bytes) = Sealer::new(&FORMAT, &WeightHeader::new(Model::default()));
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
            .windows(10)
            .position(|w| w == b"\"stages\":3")
            .expect("stages");
        let mut other = bytes;
        other[at + 9] = b'4';
        let message = error(&signed(other));
        let expected = "the weight file has another shape: RowShape { stages: 4,";
        assert!(message.starts_with(expected), "{message}");
    }

    #[test]
    fn a_block_of_the_wrong_length_is_refused() {
        let planes = |length: usize| inflate(&deflate(&vec![0; length]), 200, || 100);
        assert!(planes(100).is_ok());
        for length in [0, 99, 101, 5000] {
            assert!(matches!(planes(length), Err(WeightError::Payload)));
        }
        let garbage = inflate(b"\xff\xff", 2, || 2);
        assert!(matches!(garbage, Err(WeightError::Payload)));
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(mut bytes in prop::collection::vec(any::<u8>(), 0..200), magic: bool) {
            if magic && bytes.len() > 12 {
                bytes[..8].copy_from_slice(&FORMAT.magic);
                bytes[8] = 5;
                bytes[9..12].fill(0);
            }
            prop_assert!(Weights::from_bytes(&bytes).is_err());
        }

        #[test]
        fn a_changed_head_is_noticed_unless_its_checksum_is_corrected(
            at: prop::sample::Index,
            change in 1..=255_u8,
        ) {
            static GOOD: Lazy<Vec<u8>> = Lazy::new(|| Weights::zero().to_bytes());
            let mut bytes = GOOD.clone();
            let head = Sealer::new(&FORMAT, &WeightHeader::new(Model::default())).1.len();
            bytes[at.index(head)] ^= change;
            prop_assert!(PackedWeights::new(&bytes).is_err());
            container::reseal(&mut bytes);
            let _ = PackedWeights::new(&bytes);
        }
    }
}
