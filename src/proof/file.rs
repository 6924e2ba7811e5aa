//! Writing a proof: the moves go to a file of their own first, with which a later run continues.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};

use crate::files::{FileError, FileKind, OutputFile};

use super::verify::file::{Claim, Header, MAGIC};

/// A proof, among the files of a command.
pub const PROOF: FileKind = FileKind {
    name: "a proof",
    is: |head| head.starts_with(&MAGIC),
};

/// The bytes of a header.
pub fn header_bytes(header: &Header) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(header.root.mover.to_le_bytes());
    bytes.extend(header.root.other.to_le_bytes());
    bytes.extend([
        u8::from(!header.black_to_move),
        header.leaf_empties,
        header.claims.len() as u8,
    ]);
    for (index, claim) in header.claims.iter().enumerate() {
        bytes.extend(match *claim {
            Claim::AtLeast(score) => [b'>', score as i8 as u8],
            Claim::AtMost(score) => [b'<', score as i8 as u8],
        });
        for size in header.layers.get(index).into_iter().flatten().flatten() {
            bytes.extend(size.to_le_bytes());
        }
    }
    bytes
}

/// Writes a proof with this header and these moves; answers its size in bytes.
///
/// # Errors
/// If that cannot be read or written.
pub fn write(header: &Header, mut moves: impl BufRead, out: &mut impl Write) -> io::Result<u64> {
    let bytes = header_bytes(header);
    let mut crc = Crc::new();
    crc.update(&bytes);
    out.write_all(&bytes)?;
    let mut packer = ZlibEncoder::new(&mut *out, Compression::best());
    while let part = moves.fill_buf()?
        && !part.is_empty()
    {
        crc.update(part);
        packer.write_all(part)?;
        let used = part.len();
        moves.consume(used);
    }
    packer.try_finish()?;
    let size = bytes.len() as u64 + packer.total_out() + 4;
    packer.finish()?.write_all(&crc.sum().to_le_bytes())?;
    Ok(size)
}

/// The moves of a proof that is being made, in a file beside it: the header without counts,
/// then the moves so far. Every prefix of it is good, so a run that was killed loses nothing.
pub(super) struct Draft {
    path: PathBuf,
    file: BufWriter<File>,
    /// Moves of an earlier run that were not asked for yet.
    kept: BufReader<io::Take<File>>,
    head: usize,
    /// Moves in the file, earlier ones included.
    moves: u64,
}

impl Draft {
    /// The draft of the proof at `path`: the one that is there, if it is of the same claims. `header` has no counts.
    pub(super) fn open(path: &Path, header: &Header) -> io::Result<Draft> {
        let path = beside(path, ".part");
        let head = header_bytes(header);
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => {
                io::Error::other(format!("another run is at work on {}", path.display()))
            }
            TryLockError::Error(error) => error,
        })?;
        let mut found = Vec::new();
        (&mut file)
            .take(head.len() as u64)
            .read_to_end(&mut found)?;
        if found != head {
            if !found.is_empty() && !(PROOF.is)(&found) {
                let name = path.display();
                return Err(io::Error::other(format!(
                    "{name} exists and is not a proof that is being made"
                )));
            }
            file.set_len(0)?;
            file.rewind()?;
            file.write_all(&head)?;
        }
        let length = file.seek(SeekFrom::End(0))?;
        let mut reading = File::open(&path)?;
        reading.seek(SeekFrom::Start(head.len() as u64))?;
        let moves = length - head.len() as u64;
        Ok(Draft {
            path,
            file: BufWriter::new(file),
            kept: BufReader::new(reading.take(moves)),
            head: head.len(),
            moves,
        })
    }

    /// Up to `count` moves that an earlier run has found, in the order of the walk.
    pub(super) fn kept(&mut self, count: usize) -> io::Result<Vec<u8>> {
        let mut moves = Vec::new();
        (&mut self.kept)
            .take(count as u64)
            .read_to_end(&mut moves)?;
        Ok(moves)
    }

    /// Adds moves, and sees that they reach the system.
    pub(super) fn add(&mut self, moves: &[u8]) -> io::Result<()> {
        self.moves += moves.len() as u64;
        self.file.write_all(moves)?;
        self.file.flush()
    }

    /// Writes the proof with this `header` to `output`, and removes the draft. Answers its size in bytes.
    pub(super) fn finish(mut self, output: OutputFile, header: &Header) -> Result<u64, FileError> {
        let mut size = 0;
        output.write(|out| {
            self.file.flush()?;
            let mut moves = File::open(&self.path)?;
            moves.seek(SeekFrom::Start(self.head as u64))?;
            size = write(header, BufReader::new(moves.take(self.moves)), out)?;
            Ok(())
        })?;
        // It is of no use any more, and does no harm.
        let _ = fs::remove_file(&self.path);
        Ok(size)
    }
}

/// The file beside `path` whose name continues with `ending`.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}
