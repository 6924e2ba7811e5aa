//! A proof made of others: a part of one, or many as the parts of a larger one.
//!
//! Where the claimant goes is collected on disk: for each number of empty squares a list of each proof, in
//! ascending order. The walk of the new proof asks in the same order, so the lists are merged as it
//! goes on, and memory holds no proof as a whole.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::iter::Peekable;

use super::file::write;
use super::make::{MakeError, claimant, header, own, theirs};
use super::verify::board::Board;
use super::verify::file::{Claim, Failure, Header};
use super::verify::layer::{Entries, merged, read_board, write_board};
use super::verify::scan::{Step, scan};
use super::verify::walk::Turn;
use crate::files::OutputFile;
use crate::rules::{self, Move, Position, Square};

/// Where the claimant goes, from some proofs.
#[derive(Default)]
pub struct ProofMoves {
    /// By the number of empty squares.
    layers: Vec<Layer>,
}

/// Boards with a move each, a list of each proof.
#[derive(Default)]
struct Layer {
    file: Option<BufWriter<File>>,
    /// Where each list ends, in bytes.
    ends: Vec<u64>,
}

/// A board and its move.
type Entry = (Board, u8);

impl ProofMoves {
    /// Adds what the proof in `source` says, if its goal is at least `goal`: for either colour.
    ///
    /// # Errors
    /// If it is no proof, as far as the moves tell, or there is no space. Answers its header.
    pub fn add(
        &mut self,
        source: impl BufRead,
        goal: i32,
        memory: usize,
    ) -> Result<Header, Failure> {
        let header = scan(source, memory, &mut |step| {
            if step.claim().goal() >= goal {
                self.note(step)?;
            }
            Ok(())
        })?;
        self.end_lists()?;
        Ok(header)
    }

    /// Adds to the lists in work.
    fn note(&mut self, step: &Step<'_>) -> io::Result<()> {
        let layer = step.empties as usize;
        if self.layers.len() <= layer {
            self.layers.resize_with(layer + 1, Layer::default);
        }
        let file = match &mut self.layers[layer].file {
            Some(file) => file,
            none => none.insert(BufWriter::new(tempfile::tempfile()?)),
        };
        for (&board, &square) in step.boards.iter().zip(step.moves) {
            write_board(file, board)?;
            file.write_all(&[square])?;
        }
        Ok(())
    }

    /// What comes next belongs to other lists.
    fn end_lists(&mut self) -> io::Result<()> {
        for layer in &mut self.layers {
            if let Some(file) = &mut layer.file {
                layer.ends.push(file.stream_position()?);
            }
        }
        Ok(())
    }

    /// The moves of all proofs in a layer, in ascending order of the boards.
    fn of(&self, empties: u32) -> io::Result<Peekable<Entries<'_, Entry>>> {
        let layer = self.layers.get(empties as usize);
        let file = layer.and_then(|layer| layer.file.as_ref());
        let mut lists: Vec<Entries<'_, Entry>> = Vec::new();
        if let (Some(layer), Some(file)) = (layer, file) {
            let mut next = 0;
            for &end in &layer.ends {
                let mut section = BufReader::new(Section {
                    file: file.get_ref(),
                    next,
                    end,
                });
                let count = (end - next) / ENTRY;
                lists.push(Box::new((0..count).map(move |_| read_entry(&mut section))));
                next = end;
            }
        }
        Ok(merged(lists)?.peekable())
    }
}

/// Bytes of an [`Entry`].
const ENTRY: u64 = 17;

fn read_entry(source: &mut impl Read) -> io::Result<Entry> {
    let (board, mut square) = (read_board(source)?, [0]);
    source.read_exact(&mut square)?;
    Ok((board, square[0]))
}

/// The bytes of a file from `next` to `end`, of which others read, too.
struct Section<'a> {
    file: &'a File,
    next: u64,
    end: u64,
}

impl Read for Section<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut file = self.file;
        file.seek(SeekFrom::Start(self.next))?;
        let count = file.take(self.end - self.next).read(buffer)?;
        self.next += count as u64;
        Ok(count)
    }
}

/// Writes what the proof in `source` says about `position` as a proof, of those of its claims that need it.
/// Answers its header and its size in bytes; `None` if there is none.
///
/// # Errors
/// If the source is no proof, as far as the moves tell, or a file cannot be written.
pub fn cut(
    source: impl BufRead,
    position: Position,
    output: OutputFile,
    memory: usize,
) -> Result<Option<(Header, u64)>, MakeError> {
    // The positions of a proof are those after a pass.
    let passed = position.play(Move::Pass).unwrap_or(position);
    let sought = own(passed.board).canonical();
    // Of each claim the moves, and whether the position is there.
    let mut found: Vec<(ProofMoves, bool)> = Vec::new();
    let whole = scan(source, memory, &mut |step| {
        found.resize_with(step.index + 1, Default::default);
        let (moves, is_there) = &mut found[step.index];
        let is_claimants = claimant(step.header, step.claim()) == passed.side;
        *is_there |= is_claimants == (step.turn == Turn::Claimant)
            && step.boards.binary_search(&sought).is_ok();
        Ok(moves.note(step)?)
    })?;
    let (mut claims, mut parts) = (Vec::new(), Vec::new());
    for (&claim, (mut moves, is_there)) in whole.claims.iter().zip(found) {
        if is_there {
            moves.end_lists()?;
            parts.push(moves);
            claims.push(match claimant(&whole, claim) == position.side {
                true => Claim::AtLeast(claim.goal()),
                false => Claim::AtMost(-claim.goal()),
            });
        }
    }
    if claims.is_empty() {
        return Ok(None);
    }
    let header = header(position, &claims, whole.leaf_empties);
    join(header, &parts, &|_| None, output, memory).map(Some)
}

/// Writes the proof of all claims of `header`: of each one of `parts` says how the claimant goes on, and
/// near the root `tree`. Answers the whole header and the size in bytes.
///
/// # Errors
/// If neither knows how to go on somewhere, or the file cannot be written.
pub fn join(
    mut header: Header,
    parts: &[ProofMoves],
    tree: &dyn Fn(rules::Board) -> Option<Square>,
    output: OutputFile,
    memory: usize,
) -> Result<(Header, u64), MakeError> {
    debug_assert_eq!(header.claims.len(), parts.len());
    let mut moves = BufWriter::new(tempfile::tempfile()?);
    let mut layers = Vec::new();
    for (index, (&claim, part)) in header.claims.iter().zip(parts).enumerate() {
        let mut layer = None;
        let sizes = header.walk(index, memory, &mut |empties, turn, boards| {
            if turn == Turn::Opponent || header.is_leaf(empties) {
                return Ok(Vec::new());
            }
            if !matches!(layer, Some((current, _)) if current == empties) {
                layer = Some((empties, part.of(empties)?));
            }
            let mut chosen = Vec::with_capacity(boards.len());
            for &board in boards {
                let known = layer.as_mut().map(|(_, list)| find(list, board));
                let named = || tree(theirs(board)).map(|square| square.index() as u8);
                let Some(square) = known.transpose()?.flatten().or_else(named) else {
                    let place = header.place(claim, board, turn);
                    return Err(Failure::Wrong(format!(
                        "no proof says how to go on at {place}"
                    )));
                };
                chosen.push(square);
            }
            moves.write_all(&chosen)?;
            Ok(chosen)
        })?;
        layers.push(sizes);
    }
    header.layers = layers;
    let mut moves = moves.into_inner().map_err(io::Error::from)?;
    moves.rewind()?;
    let mut size = 0;
    output.write(|out| {
        size = write(&header, BufReader::new(moves), out)?;
        Ok(())
    })?;
    Ok((header, size))
}

/// The move at `board`, the next of those that are sought in ascending order.
fn find(list: &mut Peekable<Entries<'_, Entry>>, board: Board) -> io::Result<Option<u8>> {
    while let Some(entry) = list.next_if(|entry| !matches!(entry, Ok((next, _)) if *next > board)) {
        let (found, square) = entry?;
        if found == board {
            return Ok(Some(square));
        }
    }
    Ok(None)
}
