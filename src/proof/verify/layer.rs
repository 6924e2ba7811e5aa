//! Sets of boards too large for the memory: collected in any order, given out sorted and once.
//!
//! What does not fit is sorted, written to a temporary file as one run, and the runs are merged
//! when the set is read. The files have no name, so they vanish with the process.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::PathBuf;

use rayon::slice::ParallelSliceMut;

use super::board::Board;

/// Memory and disk that a walk may use.
#[derive(Clone, Debug)]
pub struct Room {
    /// Bytes of memory for boards.
    pub memory: usize,
    /// Where runs go that do not fit.
    pub scratch: PathBuf,
}

impl Room {
    /// So many megabytes, the rest in the system's place for temporary files.
    pub fn megabytes(megabytes: usize) -> Room {
        Room {
            memory: megabytes.saturating_mul(1 << 20),
            scratch: std::env::temp_dir(),
        }
    }
}

/// A set that is being collected.
pub struct Collector<'r> {
    room: &'r Room,
    /// Most boards held in memory. Four sets exist at a time: both sides' boards of one layer
    /// and of the next.
    most: usize,
    held: Vec<Board>,
    /// How many of `held`, the first ones, are already in order and once.
    sorted: usize,
    runs: Vec<Run>,
}

impl<'r> Collector<'r> {
    /// An empty set.
    pub fn new(room: &'r Room) -> Collector<'r> {
        Collector {
            room,
            most: (room.memory / size_of::<Board>() / 4).max(16),
            held: Vec::new(),
            sorted: 0,
            runs: Vec::new(),
        }
    }

    /// Adds boards.
    ///
    /// # Errors
    /// If a run cannot be written.
    pub fn add(&mut self, boards: &[Board]) -> io::Result<()> {
        for part in boards.chunks(self.most) {
            if self.held.len() + part.len() > self.most {
                self.sort();
                if self.held.len() + part.len() > self.most / 2 {
                    self.spill()?;
                }
            }
            self.held.extend_from_slice(part);
        }
        Ok(())
    }

    fn sort(&mut self) {
        if self.sorted < self.held.len() {
            self.held.par_sort_unstable();
            self.held.dedup();
            self.sorted = self.held.len();
        }
    }

    /// Writes what is held to disk, as one run.
    fn spill(&mut self) -> io::Result<()> {
        let mut writer =
            BufWriter::with_capacity(1 << 16, tempfile::tempfile_in(&self.room.scratch)?);
        for board in self.held.drain(..) {
            writer.write_all(&board.mover.to_le_bytes())?;
            writer.write_all(&board.other.to_le_bytes())?;
        }
        self.sorted = 0;
        let mut file = writer.into_inner().map_err(io::Error::from)?;
        file.rewind()?;
        self.runs
            .push(Run::Disk(BufReader::with_capacity(1 << 16, file)));
        Ok(())
    }

    /// The set, ready to be read.
    ///
    /// # Errors
    /// If a run cannot be read.
    pub fn finish(mut self) -> io::Result<Layer> {
        self.sort();
        self.runs.push(Run::Memory(self.held.into_iter()));
        let mut heads = BinaryHeap::new();
        for (index, run) in self.runs.iter_mut().enumerate() {
            if let Some(board) = run.next()? {
                heads.push(Reverse((board, index)));
            }
        }
        Ok(Layer {
            runs: self.runs,
            heads,
            last: None,
        })
    }
}

/// A set that is being read.
pub struct Layer {
    runs: Vec<Run>,
    /// The next board of each run that has one.
    heads: BinaryHeap<Reverse<(Board, usize)>>,
    /// The last board given out.
    last: Option<Board>,
}

impl Layer {
    /// The next boards, at most `most`, in ascending order and once; none at the end.
    ///
    /// # Errors
    /// If a run cannot be read.
    pub fn next(&mut self, most: usize) -> io::Result<Vec<Board>> {
        let mut boards: Vec<Board> = Vec::new();
        while boards.len() < most
            && let Some(mut head) = self.heads.peek_mut()
        {
            let Reverse((board, index)) = *head;
            match self.runs[index].next()? {
                Some(next) => *head = Reverse((next, index)),
                None => drop(PeekMut::pop(head)),
            }
            // Several runs may have the same board.
            if self.last != Some(board) {
                self.last = Some(board);
                boards.push(board);
            }
        }
        Ok(boards)
    }
}

/// Boards in ascending order.
enum Run {
    Memory(std::vec::IntoIter<Board>),
    Disk(BufReader<File>),
}

impl Run {
    fn next(&mut self) -> io::Result<Option<Board>> {
        match self {
            Run::Memory(boards) => Ok(boards.next()),
            Run::Disk(file) => {
                let mut bytes = [0; 16];
                match file.read_exact(&mut bytes) {
                    Ok(()) => {}
                    Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
                    Err(error) => return Err(error),
                }
                let both = u128::from_le_bytes(bytes);
                Ok(Some(Board {
                    mover: both as u64,
                    other: (both >> 64) as u64,
                }))
            }
        }
    }
}
