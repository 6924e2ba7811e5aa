//! Reading a proof: the header, then the claimant's moves as they are asked for.
//!
//! The form is that of `FORMAT.md`. Nothing is allocated by a number that the file gives but
//! the header's few hundred bytes.

use std::fmt;
use std::io::{self, BufRead, Read};

use flate2::bufread::ZlibDecoder;
use flate2::{Crc, CrcReader};
use thiserror::Error;

use super::board::Board;
use super::leaf;
use super::walk::Turn;

/// The first bytes of every proof: a name and the version of the form.
pub const MAGIC: [u8; 8] = *b"EMPROOF\x01";

/// What a file says before its moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Header {
    /// The position that the claims are about, seen by the side to move.
    pub root: Board,
    /// Is that side black?
    pub black_to_move: bool,
    /// Empty squares of the leaves.
    pub leaf_empties: u8,
    /// One or two claims.
    pub claims: Vec<Claim>,
    /// For each claim the sizes of the layers, from the root's empties down to the leaves: positions
    /// of the claimant and of the opponent.
    pub layers: Vec<Vec<[u64; 2]>>,
}

/// A claim about the final score of the side to move at the root: even, in discs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Claim {
    /// It is at least this.
    AtLeast(i32),
    /// It is at most this.
    AtMost(i32),
}

impl Claim {
    /// Whose turn it is at the root.
    pub const fn turn(self) -> Turn {
        match self {
            Claim::AtLeast(_) => Turn::Claimant,
            Claim::AtMost(_) => Turn::Opponent,
        }
    }

    /// The score that the claimant reaches, for itself.
    pub const fn goal(self) -> i32 {
        match self {
            Claim::AtLeast(score) => score,
            Claim::AtMost(score) => -score,
        }
    }

    /// The claim that is true where this one is false.
    pub const fn opposite(self) -> Claim {
        match self {
            Claim::AtLeast(score) => Claim::AtMost(score - 2),
            Claim::AtMost(score) => Claim::AtLeast(score + 2),
        }
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Claim::AtLeast(score) => write!(f, "score >= {score:+}"),
            Claim::AtMost(score) => write!(f, "score <= {score:+}"),
        }
    }
}

/// Why a check came to no good end.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Failure {
    /// It is no proof: why, and where.
    #[error("{0}")]
    Wrong(String),
    /// The system refused to read or to write something, so that nobody knows.
    #[error("{0}")]
    System(String),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Failure::Wrong("the file ends too early".to_owned()),
            io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
                Failure::Wrong(format!("the moves cannot be unpacked: {error}"))
            }
            _ => Failure::System(error.to_string()),
        }
    }
}

/// An error if something is not as it must be.
pub(super) fn check(holds: bool, reason: &str) -> Result<(), Failure> {
    match holds {
        true => Ok(()),
        false => Err(Failure::Wrong(reason.to_owned())),
    }
}

impl Header {
    /// All claims: `score >= +2 and score <= +2`.
    pub fn statement(&self) -> String {
        let claims: Vec<String> = self.claims.iter().map(Claim::to_string).collect();
        claims.join(" and ")
    }

    /// Number of layers of each claim.
    pub fn layers_of(root: Board, leaf_empties: u8) -> usize {
        let empties = root.empties().count_ones();
        empties.saturating_sub(u32::from(leaf_empties)) as usize + 1
    }

    /// Are positions of so many empty squares played out by the checker?
    pub fn is_leaf(&self, empties: u32) -> bool {
        empties <= u32::from(self.leaf_empties)
    }

    /// Positions of all claims and layers, leaves among them, as the file says.
    pub fn positions(&self) -> u64 {
        let sizes = self.layers.iter().flatten().flatten();
        sizes.fold(0, |sum, size| sum.saturating_add(*size))
    }

    fn read(source: &mut impl Read) -> Result<Header, Failure> {
        let no_magic = "this is no proof of version 1: its first eight bytes differ";
        check(take(source)? == MAGIC, no_magic)?;
        let root = Board {
            mover: u64::from_le_bytes(take(source)?),
            other: u64::from_le_bytes(take(source)?),
        };
        let two = "the root has squares with two discs";
        check(root.mover & root.other == 0, two)?;
        let [side, leaf_empties, count] = take(source)?;
        check(side <= 1, "the side to move is neither 0 (black) nor 1")?;
        check(
            leaf_empties <= leaf::MOST_EMPTIES,
            "the leaves are too large",
        )?;
        check(count == 1 || count == 2, "it has not one or two claims")?;
        let (mut claims, mut layers) = (Vec::new(), Vec::new());
        for _ in 0..count {
            let [relation, score] = take(source)?;
            let score = i32::from(score as i8);
            claims.push(match relation {
                b'>' => Claim::AtLeast(score),
                b'<' => Claim::AtMost(score),
                _ => return Err(Failure::Wrong("a claim is neither `>` nor `<`".to_owned())),
            });
            let is_score = score % 2 == 0 && score.abs() <= 64;
            check(is_score, "a claim is about no possible score")?;
            let mut sizes = Vec::new();
            for _ in 0..Header::layers_of(root, leaf_empties) {
                let claimants = u64::from_le_bytes(take(source)?);
                sizes.push([claimants, u64::from_le_bytes(take(source)?)]);
            }
            layers.push(sizes);
        }
        Ok(Header {
            root,
            black_to_move: side == 0,
            leaf_empties,
            claims,
            layers,
        })
    }
}

fn take<const N: usize>(source: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    source.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// A proof that is being read.
pub struct ProofReader<R: BufRead> {
    /// What it says before its moves.
    pub header: Header,
    /// The checksum of the header.
    crc: Crc,
    moves: CrcReader<ZlibDecoder<R>>,
}

impl<R: BufRead> ProofReader<R> {
    /// Reads the header.
    pub fn new(source: R) -> Result<ProofReader<R>, Failure> {
        let mut source = CrcReader::new(source);
        let header = Header::read(&mut source)?;
        let mut crc = Crc::new();
        crc.combine(source.crc());
        let moves = CrcReader::new(ZlibDecoder::new(source.into_inner()));
        Ok(ProofReader { header, crc, moves })
    }

    /// The next `count` moves, where `count` is what the checker needs next.
    pub fn moves(&mut self, count: usize) -> Result<Vec<u8>, Failure> {
        let mut moves = vec![0; count];
        self.moves.read_exact(&mut moves)?;
        Ok(moves)
    }

    /// Reads the moves that are left, and checks the file's checksum: that it is whole, not that it is a proof.
    pub fn is_whole(mut self) -> bool {
        io::copy(&mut self.moves, &mut io::sink()).is_ok() && self.finish().is_ok()
    }

    /// Checks that the moves are over, that the checksum is right, and that nothing follows it.
    pub fn finish(mut self) -> Result<(), Failure> {
        let is_over = self.moves.read(&mut [0])? == 0;
        check(
            is_over,
            "there are more moves than positions of the claimant",
        )?;
        self.crc.combine(self.moves.crc());
        let mut rest = Vec::new();
        let source = self.moves.into_inner().into_inner();
        source.take(5).read_to_end(&mut rest)?;
        let is_right = rest == self.crc.sum().to_le_bytes();
        check(
            is_right,
            "the checksum is wrong, or something follows it: the file is damaged",
        )
    }
}
