//! Reading a proof: the header, then the claimant's moves as they are asked for.
//!
//! The form is that of docs/PROOF.md. Nothing is allocated by a number that the file gives but
//! the header's few hundred bytes.

use std::io::{self, BufRead, Read};

use flate2::Crc;
use flate2::bufread::ZlibDecoder;

use super::board::Board;
use super::walk::{Failure, Question, Turn};

/// The first bytes of every proof: a name and the version of the form.
pub const MAGIC: [u8; 8] = *b"EMPROOF\x01";

/// Most empty squares of a leaf: more would take the leaf solver too long.
pub const MOST_LEAF_EMPTIES: u8 = 16;

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
    pub claims: Vec<Claimed>,
}

/// One claim and the sizes of its layers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claimed {
    /// What is claimed about the root.
    pub claim: Claim,
    /// Positions of the claimant and of the opponent, from the root's empties down to the leaves.
    pub layers: Vec<(u64, u64)>,
}

/// A claim about the final score of the side to move: even, in discs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Claim {
    /// It is at least this.
    AtLeast(i32),
    /// It is at most this.
    AtMost(i32),
}

impl Header {
    /// The question that claim `index` answers.
    pub fn question(&self, claim: Claim) -> Question {
        let (turn, goal) = match claim {
            Claim::AtLeast(score) => (Turn::Claimant, score),
            Claim::AtMost(score) => (Turn::Opponent, -score),
        };
        Question {
            root: self.root,
            black_to_move: self.black_to_move,
            turn,
            goal,
            leaf_empties: u32::from(self.leaf_empties),
        }
    }

    /// Number of layers of each claim.
    pub fn layers(root: Board, leaf_empties: u8) -> usize {
        let empties = root.empties().count_ones();
        empties.saturating_sub(u32::from(leaf_empties)) as usize + 1
    }

    fn read(source: &mut Checked<impl Read>) -> Result<Header, Failure> {
        if source.take::<8>()? != MAGIC {
            return Err(Failure::new(
                "this is no proof of version 1: its first eight bytes differ",
            ));
        }
        let root = Board {
            mover: u64::from_le_bytes(source.take()?),
            other: u64::from_le_bytes(source.take()?),
        };
        if root.mover & root.other != 0 {
            return Err(Failure::new("the root has squares with two discs"));
        }
        let [side, leaf_empties, count] = source.take()?;
        if side > 1 {
            return Err(Failure::new(
                "the side to move is neither 0 (black) nor 1 (white)",
            ));
        }
        if leaf_empties > MOST_LEAF_EMPTIES {
            return Err(Failure::NoProof(format!(
                "the leaves have {leaf_empties} empty squares, more than {MOST_LEAF_EMPTIES}"
            )));
        }
        if !(1..=2).contains(&count) {
            return Err(Failure::NoProof(format!("{count} claims, not one or two")));
        }
        let mut claims = Vec::new();
        for _ in 0..count {
            let [relation, score] = source.take()?;
            let score = i32::from(score as i8);
            let claim = match relation {
                b'>' => Claim::AtLeast(score),
                b'<' => Claim::AtMost(score),
                _ => return Err(Failure::new("a claim is neither `>` nor `<`")),
            };
            if score % 2 != 0 || !(-64..=64).contains(&score) {
                return Err(Failure::NoProof(format!("a claim about {score} discs")));
            }
            let mut layers = Vec::new();
            for _ in 0..Header::layers(root, leaf_empties) {
                let claimant = u64::from_le_bytes(source.take()?);
                layers.push((claimant, u64::from_le_bytes(source.take()?)));
            }
            claims.push(Claimed { claim, layers });
        }
        Ok(Header {
            root,
            black_to_move: side == 0,
            leaf_empties,
            claims,
        })
    }
}

/// Bytes that are read, with the checksum of those that count for it.
struct Checked<R> {
    source: R,
    crc: Crc,
}

impl<R: Read> Checked<R> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], Failure> {
        let mut bytes = [0; N];
        self.source.read_exact(&mut bytes).map_err(damaged)?;
        self.crc.update(&bytes);
        Ok(bytes)
    }
}

/// A proof that is being read.
pub struct ProofReader<R> {
    /// What it says before its moves.
    pub header: Header,
    moves: ZlibDecoder<R>,
    crc: Crc,
}

impl<R: BufRead> ProofReader<R> {
    /// Reads the header.
    ///
    /// # Errors
    /// If there is none.
    pub fn new(source: R) -> Result<ProofReader<R>, Failure> {
        let crc = Crc::new();
        let mut checked = Checked { source, crc };
        Ok(ProofReader {
            header: Header::read(&mut checked)?,
            moves: ZlibDecoder::new(checked.source),
            crc: checked.crc,
        })
    }

    /// The next `count` moves, where `count` is what the checker needs next.
    ///
    /// # Errors
    /// If there are not so many.
    pub fn moves(&mut self, count: usize) -> Result<Vec<u8>, Failure> {
        let mut moves = vec![0; count];
        self.moves.read_exact(&mut moves).map_err(damaged)?;
        self.crc.update(&moves);
        Ok(moves)
    }

    /// Sees that the moves are over, that the checksum is right, and that nothing follows it.
    ///
    /// # Errors
    /// If not.
    pub fn finish(mut self) -> Result<(), Failure> {
        if self.moves.read(&mut [0]).map_err(damaged)? != 0 {
            return Err(Failure::new(
                "there are more moves than positions of the claimant",
            ));
        }
        let mut rest = Vec::new();
        self.moves.into_inner().take(5).read_to_end(&mut rest)?;
        if rest != self.crc.sum().to_le_bytes() {
            return Err(Failure::new(
                "the checksum is wrong, or something follows it: the file is damaged",
            ));
        }
        Ok(())
    }
}

/// What an error while reading says about the file.
fn damaged(error: io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => Failure::new("the file ends too early"),
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
            Failure::NoProof(format!("the moves cannot be unpacked: {error}"))
        }
        _ => Failure::Io(error),
    }
}
