//! The model's file: a sealed container with three blocks.
//!
//! The header has the patterns that the rows belong to, and where the model comes from. The blocks are: the distinct rows, as [`Packing`] numbers
//! them, first all weights, then all changes with the rating, one byte each, deflated; the weights of facts and of what a search
//! says, 32-bit floats; the openings, deflated.

use std::io::{self, Read};

use flate2::read::DeflateDecoder;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::candidates::FACTS;
use super::model::{Numbers, ROW_UNIT, Row, SEARCHED};
use super::openings::Openings;
use super::stages::{STAGES, StageWeights};
use crate::container::{ContainerError, ContainerFormat, ContainerReader};
#[cfg(feature = "program")]
use crate::container::{Sealer, deflate};
use crate::eval::patterns::{CLASSES, CONFIGURATIONS, MOBILITY_PAIRS};
use crate::eval::{BIASES, Packing};
#[cfg(feature = "program")]
use crate::files::FileKind;

/// Bytes of a file that are read: more than it has.
pub const MAX_FILE: u64 = 16 << 20;

/// Bytes of the openings that are unpacked: more than there are.
const MAX_OPENINGS: u64 = 16 << 20;

const FORMAT: ContainerFormat = ContainerFormat {
    magic: *b"EMILIAHM",
    version: 1,
    name: "a model of people of Emilia",
};

/// Where a model comes from.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ModelProvenance {
    /// Games that it was fitted to.
    pub games: u64,
    /// Moves that it was fitted to.
    pub moves: u64,
    /// The last year of these games.
    pub until: u16,
    /// Plies of the searches that it was fitted to.
    pub depth: u32,
    /// The seed of the fit.
    pub seed: u64,
    /// The fingerprint of the evaluation by which it saw what moves lose.
    pub evaluation: String,
    /// A description of the data.
    pub data: String,
}

/// Why a file cannot be used as a model.
#[derive(Debug, Error)]
pub enum ModelError {
    /// The file could not be read.
    #[error("cannot read the model of people")]
    Io(#[from] io::Error),
    /// It is a file of something else, of an unknown version, truncated or damaged.
    #[error("the model of people cannot be used")]
    Container(#[from] ContainerError),
    /// It was made for other patterns, or its numbers make no sense.
    #[error("the model of people cannot be used: {0}")]
    Contents(&'static str),
    /// The program has lent no model yet.
    #[error("the model of people is not loaded")]
    Missing,
}

#[derive(Serialize, Deserialize, PartialEq)]
struct Shape {
    patterns: Vec<String>,
    mobility_pairs: usize,
    stages: usize,
    facts: usize,
    searched: usize,
    row_unit: f32,
}

impl Shape {
    fn own() -> Shape {
        let squares = CLASSES.iter().map(|class| {
            let names: Vec<String> = class.squares().iter().map(ToString::to_string).collect();
            names.join(" ")
        });
        Shape {
            patterns: squares.collect(),
            mobility_pairs: MOBILITY_PAIRS,
            stages: STAGES,
            facts: FACTS,
            searched: SEARCHED,
            row_unit: ROW_UNIT,
        }
    }
}

#[derive(Serialize, Deserialize)]
struct ModelHeader {
    shape: Shape,
    provenance: ModelProvenance,
}

/// Rows of configurations, and of mobility pairs.
const ROWS: usize = CONFIGURATIONS + MOBILITY_PAIRS;

/// Distinct rows.
pub fn distinct_rows() -> usize {
    Packing::get().len() - BIASES
}

/// The number of the distinct row of a row.
pub fn distinct_row(row: usize) -> usize {
    let slots = Packing::get().slots();
    let pair = || distinct_rows() - MOBILITY_PAIRS + (row - CONFIGURATIONS);
    slots.get(row).map_or_else(pair, |&slot| slot as usize)
}

/// All rows from the distinct ones.
pub fn all_rows(distinct: &[Row]) -> Vec<Row> {
    (0..ROWS).map(|row| distinct[distinct_row(row)]).collect()
}

impl Numbers {
    /// The kind of file that commands write a model to.
    #[cfg(feature = "program")]
    pub const KIND: FileKind = FileKind {
        name: FORMAT.name,
        is: |head| FORMAT.matches(head),
    };

    /// The bytes of a file.
    #[cfg(feature = "program")]
    pub fn to_bytes(&self) -> Vec<u8> {
        let header = ModelHeader {
            shape: Shape::own(),
            provenance: self.provenance.clone(),
        };
        let (mut sealer, mut bytes) = Sealer::new(&FORMAT, &header);
        let mut distinct = vec![[0; 2]; distinct_rows()];
        for (row, &numbers) in self.rows.iter().enumerate() {
            distinct[distinct_row(row)] = numbers;
        }
        let column = |at: usize| distinct.iter().map(move |row| row[at] as u8);
        let rows: Vec<u8> = column(0).chain(column(1)).collect();
        bytes.extend(sealer.block(&deflate(&rows)));
        let weights = self.facts.numbers().chain(self.searched.numbers());
        let weights: Vec<u8> = weights.flat_map(f32::to_le_bytes).collect();
        bytes.extend(sealer.block(&weights));
        bytes.extend(sealer.block(&deflate(&self.openings.to_bytes())));
        bytes
    }

    /// Reads the bytes of a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Numbers, ModelError> {
        let broken = ModelError::Contents;
        let (mut reader, header) = ContainerReader::new::<ModelHeader>(&FORMAT, bytes)?;
        if header.shape != Shape::own() {
            return Err(broken("it was made for other patterns"));
        }
        let mut block = || reader.block()?.ok_or(broken("a block is missing"));
        let (rows, weights, openings) = (block()?, block()?, block()?);
        if reader.block()?.is_some() {
            return Err(broken("it has a block too many"));
        }
        let count = distinct_rows();
        let rows = inflate(&rows, 2 * count as u64)
            .filter(|rows| rows.len() == 2 * count)
            .ok_or(broken("its rows cannot be unpacked"))?;
        let (levels, slopes) = rows.split_at(count);
        let distinct = levels.iter().zip(slopes);
        let distinct: Vec<Row> = distinct.map(|(&a, &b)| [a as i8, b as i8]).collect();
        let (facts, searched) = weights_of(&weights).ok_or(broken("its weights make no sense"))?;
        let openings = inflate(&openings, MAX_OPENINGS);
        let openings = openings.ok_or(broken("its openings cannot be unpacked"))?;
        Ok(Numbers {
            provenance: header.provenance,
            rows: all_rows(&distinct),
            facts,
            searched,
            openings: Openings::from_bytes(&openings).map_err(broken)?,
        })
    }
}

/// The weights of facts and of what a search says.
fn weights_of(bytes: &[u8]) -> Option<(StageWeights<FACTS>, StageWeights<SEARCHED>)> {
    let (numbers, rest) = bytes.as_chunks();
    let numbers: Vec<f32> = numbers.iter().map(|n| f32::from_le_bytes(*n)).collect();
    let (facts, searched) = numbers.split_at_checked(StageWeights::<FACTS>::LENGTH)?;
    let facts = StageWeights::from_numbers(facts)?;
    let searched = StageWeights::from_numbers(searched)?;
    rest.is_empty().then_some((facts, searched))
}

/// Unpacks at most so many bytes; `None` if there are more, or they are damaged.
fn inflate(packed: &[u8], most: u64) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = DeflateDecoder::new(packed)
        .take(most + 1)
        .read_to_end(&mut bytes);
    read.ok().filter(|&length| length as u64 <= most)?;
    Some(bytes)
}

#[cfg(all(test, feature = "program"))]
mod tests {
    use super::*;
    use crate::container;
    use crate::embedded::MODEL;
    use crate::human::candidates::LOSSES;
    use crate::human::model::tests::busy;
    use proptest::prelude::*;

    fn error(bytes: &[u8]) -> String {
        let read = Numbers::from_bytes(bytes);
        read.map_or_else(|error| error.to_string(), |_| "no error".to_owned())
    }

    /// A file of these blocks.
    fn file(shape: Shape, blocks: &[&[u8]]) -> Vec<u8> {
        let header = ModelHeader {
            shape,
            provenance: ModelProvenance::default(),
        };
        let (mut sealer, mut bytes) = Sealer::new(&FORMAT, &header);
        for block in blocks {
            bytes.extend(sealer.block(block));
        }
        bytes
    }

    #[test]
    fn a_model_survives_its_file() {
        let numbers = busy();
        assert_eq!(Numbers::from_bytes(&numbers.to_bytes()).ok(), Some(numbers));
    }

    #[test]
    fn the_embedded_model_loads_and_is_small() {
        let file = MODEL.bytes();
        assert!(Numbers::from_bytes(file).is_ok());
        assert!(file.len() <= 1 << 20, "{} bytes", file.len());
    }

    #[test]
    fn contents_are_checked() {
        let rows = deflate(&vec![0; 2 * distinct_rows()]);
        let weights = vec![0; 4 * STAGES * 2 * (FACTS + 1 + LOSSES)];
        let openings = deflate(&Openings::default().to_bytes());
        let of = |blocks: &[&[u8]]| error(&file(Shape::own(), blocks));
        assert_eq!(of(&[&rows, &weights, &openings]), "no error");
        let refused = |blocks: &[&[u8]], reason: &str| {
            let expected = format!("the model of people cannot be used: {reason}");
            assert_eq!(of(blocks), expected);
        };
        refused(&[&rows, &weights], "a block is missing");
        refused(
            &[&rows, &weights, &openings, b""],
            "it has a block too many",
        );
        for short in [&deflate(&[0; 9])[..], b"\xff\xff", b""] {
            refused(&[short, &weights, &openings], "its rows cannot be unpacked");
        }
        let longer = deflate(&vec![0; 2 * distinct_rows() + 1]);
        refused(
            &[&longer, &weights, &openings],
            "its rows cannot be unpacked",
        );
        let mut infinite = weights.clone();
        infinite[..4].copy_from_slice(&f32::INFINITY.to_le_bytes());
        for bad in [&infinite[..], &weights[4..], &weights[1..]] {
            refused(&[&rows, bad, &openings], "its weights make no sense");
        }
        let bad = deflate(b"abc");
        refused(&[&rows, &weights, &bad], "the openings end too early");
        let shape = Shape {
            stages: 1,
            ..Shape::own()
        };
        let other = error(&file(shape, &[&rows, &weights, &openings]));
        assert_eq!(
            other,
            "the model of people cannot be used: it was made for other patterns"
        );
        assert_eq!(error(b"PNG"), "the model of people cannot be used");
    }

    #[test]
    fn a_damaged_file_is_refused() {
        let good = busy().to_bytes();
        for length in [0, 13, good.len() / 2, good.len() - 1] {
            assert!(Numbers::from_bytes(&good[..length]).is_err(), "{length}");
        }
        let mut changed = good;
        let middle = changed.len() - 100;
        changed[middle] ^= 1;
        assert!(Numbers::from_bytes(&changed).is_err());
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(mut bytes in prop::collection::vec(any::<u8>(), 12..200)) {
            bytes[..8].copy_from_slice(&FORMAT.magic);
            bytes[8..12].copy_from_slice(&1_u32.to_le_bytes());
            container::reseal(&mut bytes);
            prop_assert!(Numbers::from_bytes(&bytes).is_err());
        }
    }
}
