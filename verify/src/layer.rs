//! Sets of boards too large for the memory: collected in any order, read sorted and once.
//!
//! What does not fit is sorted and written to a temporary file, and the files are merged when
//! the set is read. They have no name, so they vanish with the process. In a module of WebAssembly,
//! which has no disk, what does not fit is an error.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::iter;

use rayon::slice::ParallelSliceMut;

use super::board::Board;

/// A set that is being collected.
pub struct Set {
    /// Most boards held in memory.
    most: usize,
    held: Vec<Board>,
    /// What did not fit: boards in order, and how many.
    files: Vec<(File, usize)>,
}

impl Set {
    /// An empty set that takes so many bytes of memory.
    pub fn new(memory: usize) -> Set {
        Set {
            // A vector may have twice the room that it needs.
            most: (memory / size_of::<Board>() / 2).max(16),
            held: Vec::new(),
            files: Vec::new(),
        }
    }

    /// Adds boards.
    pub fn add(&mut self, boards: &[Board]) -> io::Result<()> {
        self.held.extend_from_slice(boards);
        if self.held.len() < self.most {
            return Ok(());
        }
        self.sort();
        if self.held.len() < self.most / 2 {
            return Ok(());
        }
        let file = spill(&self.held)?;
        self.files.push((file, self.held.len()));
        self.held.clear();
        Ok(())
    }

    fn sort(&mut self) {
        self.held.par_sort_unstable();
        self.held.dedup();
    }

    /// The boards in ascending order, each once.
    pub fn sorted(mut self) -> io::Result<Entries<'static, Board>> {
        self.sort();
        let mut runs: Vec<Entries<'_, Board>> = vec![Box::new(self.held.into_iter().map(Ok))];
        for (file, count) in self.files {
            let mut file = BufReader::with_capacity(1 << 16, file);
            runs.push(Box::new((0..count).map(move |_| read_board(&mut file))));
        }
        merged(runs)
    }
}

/// A temporary file of these boards.
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
fn spill(boards: &[Board]) -> io::Result<File> {
    use std::io::{BufWriter, Seek};

    let write = || {
        let mut writer = BufWriter::with_capacity(1 << 16, tempfile::tempfile()?);
        for &board in boards {
            write_board(&mut writer, board)?;
        }
        let mut file = writer.into_inner().map_err(io::Error::from)?;
        file.rewind()?;
        Ok(file)
    };
    write().map_err(|error: io::Error| {
        let folder = std::env::temp_dir();
        let folder = folder.display();
        let reason = format!("cannot write a temporary file in {folder}: {error}");
        io::Error::new(error.kind(), reason)
    })
}

/// An error: a module of WebAssembly has no disk.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
fn spill(_: &[Board]) -> io::Result<File> {
    let reason = "the positions need more memory than is allowed, and there is no disk for them";
    Err(io::Error::new(io::ErrorKind::Unsupported, reason))
}

/// What is read one after the other.
pub type Entries<'a, T> = Box<dyn Iterator<Item = io::Result<T>> + 'a>;

/// The entries of `runs`, each of which is in ascending order, as one such run, each once.
pub fn merged<'a, T: Ord + Copy + 'a>(mut runs: Vec<Entries<'a, T>>) -> io::Result<Entries<'a, T>> {
    // The next entry of each run that has one.
    let mut heads = BinaryHeap::new();
    for (index, run) in runs.iter_mut().enumerate() {
        if let Some(entry) = run.next().transpose()? {
            heads.push(Reverse((entry, index)));
        }
    }
    let mut last = None;
    Ok(Box::new(iter::from_fn(move || {
        loop {
            let Reverse((entry, index)) = heads.pop()?;
            match runs[index].next().transpose() {
                Ok(next) => heads.extend(next.map(|next| Reverse((next, index)))),
                Err(error) => return Some(Err(error)),
            }
            // Several runs may have the same one.
            if last.replace(entry) != Some(entry) {
                return Some(Ok(entry));
            }
        }
    })))
}

/// Writes the 16 bytes of a board.
pub fn write_board(out: &mut impl Write, board: Board) -> io::Result<()> {
    out.write_all(&board.mover.to_le_bytes())?;
    out.write_all(&board.other.to_le_bytes())
}

/// Reads them.
pub fn read_board(source: &mut impl Read) -> io::Result<Board> {
    let (mut mover, mut other) = ([0; 8], [0; 8]);
    source.read_exact(&mut mover)?;
    source.read_exact(&mut other)?;
    Ok(Board {
        mover: u64::from_le_bytes(mover),
        other: u64::from_le_bytes(other),
    })
}
