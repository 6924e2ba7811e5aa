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

    /// The bytes of the header.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(self.root.mover.to_le_bytes());
        bytes.extend(self.root.other.to_le_bytes());
        bytes.extend([
            u8::from(!self.black_to_move),
            self.leaf_empties,
            self.claims.len() as u8,
        ]);
        for claimed in &self.claims {
            bytes.extend(match claimed.claim {
                Claim::AtLeast(score) => [b'>', score as i8 as u8],
                Claim::AtMost(score) => [b'<', score as i8 as u8],
            });
            for &(claimant, opponent) in &claimed.layers {
                bytes.extend(claimant.to_le_bytes());
                bytes.extend(opponent.to_le_bytes());
            }
        }
        bytes
    }

    fn read(source: &mut impl Read) -> Result<Header, Failure> {
        let format = |reason: &str| Failure::Format(reason.to_owned());
        if take::<8>(source)? != MAGIC {
            return Err(format(
                "this is no proof of version 1: its first eight bytes differ",
            ));
        }
        let root = Board {
            mover: u64::from_le_bytes(take(source)?),
            other: u64::from_le_bytes(take(source)?),
        };
        if root.mover & root.other != 0 {
            return Err(format("the root has squares with two discs"));
        }
        let [side, leaf_empties, count] = take(source)?;
        if side > 1 {
            return Err(format(
                "the side to move is neither 0 (black) nor 1 (white)",
            ));
        }
        if leaf_empties > MOST_LEAF_EMPTIES {
            return Err(Failure::Format(format!(
                "the leaves have {leaf_empties} empty squares, more than {MOST_LEAF_EMPTIES}"
            )));
        }
        if !(1..=2).contains(&count) {
            return Err(Failure::Format(format!("{count} claims, not one or two")));
        }
        let mut claims = Vec::new();
        for _ in 0..count {
            let [relation, score] = take(source)?;
            let score = i32::from(score as i8);
            let claim = match relation {
                b'>' => Claim::AtLeast(score),
                b'<' => Claim::AtMost(score),
                _ => return Err(format("a claim is neither `>` nor `<`")),
            };
            if score % 2 != 0 || !(-64..=64).contains(&score) {
                return Err(Failure::Format(format!("a claim about {score} discs")));
            }
            let mut layers = Vec::new();
            for _ in 0..Header::layers(root, leaf_empties) {
                let claimant = u64::from_le_bytes(take(source)?);
                layers.push((claimant, u64::from_le_bytes(take(source)?)));
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
    pub fn new(mut source: R) -> Result<ProofReader<R>, Failure> {
        let header = Header::read(&mut source)?;
        let mut crc = Crc::new();
        crc.update(&header.to_bytes());
        Ok(ProofReader {
            header,
            moves: ZlibDecoder::new(source),
            crc,
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
        let format = |reason: &str| Err(Failure::Format(reason.to_owned()));
        if self.moves.read(&mut [0]).map_err(damaged)? != 0 {
            return format("there are more moves than positions of the claimant");
        }
        let mut source = self.moves.into_inner();
        if u32::from_le_bytes(take(&mut source)?) != self.crc.sum() {
            return format("the checksum is wrong: the file is damaged");
        }
        if source.read(&mut [0])? != 0 {
            return format("something follows the checksum");
        }
        Ok(())
    }
}

fn take<const N: usize>(source: &mut impl Read) -> Result<[u8; N], Failure> {
    let mut bytes = [0; N];
    source.read_exact(&mut bytes).map_err(damaged)?;
    Ok(bytes)
}

/// What an error while reading says about the file.
fn damaged(error: io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => Failure::Format("the file ends too early".to_owned()),
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
            Failure::Format(format!("the moves cannot be unpacked: {error}"))
        }
        _ => Failure::Io(error),
    }
}
