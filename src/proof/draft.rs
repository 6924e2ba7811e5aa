//! A proof in the making: the claimant's moves so far, in a file beside the proof, with which a later
//! run continues.
//!
//! It is no proof, and begins with other bytes than one. A head says what is to be proven, and is
//! followed by blocks of moves in the order of the walk:
//!
//! | bytes | head | bytes | block |
//! |---|---|---|---|
//! | 8 | `EMDRAFT`, version 1 | 1 | 0xb7 |
//! | n | the proof's header without its magic and counts | 2 | number of moves, not 0 |
//! | 8 | checksum of all this | n | moves, as in a proof |
//! | | | 8 | checksum of the moves, seeded by that of the head plus the block's number |
//!
//! A killed run may leave a part of a block at the end, which is cut off. Everything else that is not
//! as it was written, such as zeros after a power cut, is damage, and no run goes on from there.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::file::{header_bytes, write};
use super::verify::file::{Header, MAGIC};
use crate::checksum::{checksum, seeded_checksum};
use crate::container::read_up_to;
use crate::file_lock;
use crate::files::{FileError, OutputFile};

/// The first bytes of every draft: a name and the version of the form.
const DRAFT_MAGIC: [u8; 8] = *b"EMDRAFT\x01";

/// The first byte of every block.
const MARK: u8 = 0xb7;

/// Bytes of a checksum.
const CHECKSUM: usize = 8;

/// Squares: a move is less.
const SQUARES: u8 = 64;

/// How long moves wait at most before they are safe on the disk.
const SYNC_INTERVAL: Duration = Duration::from_secs(1);

/// Where the draft of the proof at `path` is.
pub fn draft_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    PathBuf::from(name)
}

/// The bytes of the draft of a proof with this `header` that has these moves.
pub fn draft_bytes(header: &Header, moves: &[u8]) -> Vec<u8> {
    let mut bytes = head_of(header);
    let mut blocks = DraftBlocks::after(&bytes);
    for moves in moves.chunks(usize::from(u16::MAX)) {
        bytes.extend(blocks.next(moves));
    }
    bytes
}

/// The head of a draft; what the proof's header counts is not known yet.
fn head_of(header: &Header) -> Vec<u8> {
    let bare = Header {
        layers: Vec::new(),
        ..header.clone()
    };
    let mut bytes = DRAFT_MAGIC.to_vec();
    bytes.extend_from_slice(&header_bytes(&bare)[MAGIC.len()..]);
    bytes.extend(checksum(&bytes).to_le_bytes());
    bytes
}

/// The blocks of a draft, in their order.
struct DraftBlocks {
    /// The seed of the next one's checksum.
    seed: u64,
}

impl DraftBlocks {
    fn after(head: &[u8]) -> DraftBlocks {
        DraftBlocks {
            seed: checksum(head),
        }
    }

    /// The bytes of the next block.
    fn next(&mut self, moves: &[u8]) -> Vec<u8> {
        let count = moves.len() as u16;
        debug_assert!(usize::from(count) == moves.len() && count > 0);
        let mut bytes = vec![MARK];
        bytes.extend(count.to_le_bytes());
        bytes.extend_from_slice(moves);
        bytes.extend(seeded_checksum(self.seed, moves).to_le_bytes());
        self.seed = self.seed.wrapping_add(1);
        bytes
    }

    /// Reads the moves of the next block; `None` where the file ends, also with a part of a block.
    fn read(&mut self, source: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
        let start = read_up_to(source, 3)?;
        let [mark, low, high] = match start[..] {
            [] | [MARK] | [MARK, _] => return Ok(None),
            [mark, low, high] => [mark, low, high],
            _ => return Err(damaged()),
        };
        let count = usize::from(u16::from_le_bytes([low, high]));
        if mark != MARK || count == 0 {
            return Err(damaged());
        }
        let mut moves = read_up_to(source, count + CHECKSUM)?;
        if moves.iter().take(count).any(|&square| square >= SQUARES) {
            return Err(damaged());
        }
        if moves.len() < count + CHECKSUM {
            return Ok(None);
        }
        let sum = moves.split_off(count);
        if sum != seeded_checksum(self.seed, &moves).to_le_bytes() {
            return Err(damaged());
        }
        self.seed = self.seed.wrapping_add(1);
        Ok(Some(moves))
    }
}

fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "damaged")
}

/// The moves of a draft, one after the other.
struct DraftMoves<R> {
    source: R,
    blocks: DraftBlocks,
    block: Vec<u8>,
    /// How many of this block are taken.
    taken: usize,
    /// Moves in blocks that are not read yet.
    left: u64,
}

impl<R: Read> Read for DraftMoves<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.block.len() && self.left > 0 {
            let block = self.blocks.read(&mut self.source)?.ok_or_else(damaged)?;
            let left = self.left.checked_sub(block.len() as u64);
            self.left = left.ok_or_else(damaged)?;
            (self.block, self.taken) = (block, 0);
        }
        let count = (&self.block[self.taken..]).read(buffer)?;
        self.taken += count;
        Ok(count)
    }
}

/// An open draft, which is locked.
pub(super) struct Draft {
    path: PathBuf,
    /// Stands at its end.
    file: File,
    head: Vec<u8>,
    /// The blocks that follow those in the file.
    blocks: DraftBlocks,
    /// Moves in the file, those of an earlier run included.
    moves: u64,
    /// Moves of an earlier run that were not asked for yet.
    kept: DraftMoves<BufReader<File>>,
    last_sync: Instant,
}

impl Draft {
    /// The draft of the proof at `path`: the one that is there, if it is of the same claims, or a new one.
    pub(super) fn open(path: &Path, header: &Header) -> io::Result<Draft> {
        let path = draft_of(path);
        Draft::open_at(&path, header).map_err(|error| named(&path, error))
    }

    fn open_at(path: &Path, header: &Header) -> io::Result<Draft> {
        let mut file = open_locked(path)?;
        let head = head_of(header);
        begin(&mut file, &head)?;
        let (blocks, moves) = scan(&mut file, &head)?;
        let kept = moves_in(path, &head, moves)?;
        Ok(Draft {
            path: path.to_owned(),
            file,
            head,
            blocks,
            moves,
            kept,
            last_sync: Instant::now(),
        })
    }

    /// Up to `count` moves that an earlier run has found, in the order of the walk.
    pub(super) fn kept(&mut self, count: usize) -> io::Result<Vec<u8>> {
        read_up_to(&mut self.kept, count).map_err(|error| named(&self.path, error))
    }

    /// Adds moves, and sees that they reach the disk within about a second.
    pub(super) fn add(&mut self, moves: &[u8]) -> io::Result<()> {
        let before = self.file.stream_position()?;
        for moves in moves.chunks(usize::from(u16::MAX)) {
            let block = self.blocks.next(moves);
            if let Err(error) = self.file.write_all(&block) {
                // A part of the moves is of no use.
                let _ = self.file.set_len(before);
                return Err(named(&self.path, error));
            }
        }
        self.moves += moves.len() as u64;
        if self.last_sync.elapsed() >= SYNC_INTERVAL {
            self.last_sync = Instant::now();
            self.file
                .sync_data()
                .map_err(|error| named(&self.path, error))?;
        }
        Ok(())
    }

    /// Writes the proof with this `header` to `output`, and removes the draft. Answers its size in bytes.
    pub(super) fn finish(mut self, output: OutputFile, header: &Header) -> Result<u64, FileError> {
        let mut size = 0;
        output.write(|out| {
            if !self.kept(1)?.is_empty() {
                let more = "it has more moves than the proof needs: delete it";
                return Err(named(&self.path, io::Error::other(more)));
            }
            let moves = moves_in(&self.path, &self.head, self.moves)?;
            size = write(header, BufReader::new(moves), out)?;
            Ok(())
        })?;
        // It is of no use any more, and does no harm.
        let _ = fs::remove_file(&self.path);
        Ok(size)
    }
}

/// A run that is stopped leaves its draft behind.
impl Drop for Draft {
    fn drop(&mut self) {
        let _ = self.file.sync_data();
    }
}

/// An error that says of which file.
fn named(path: &Path, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// Opens a draft, or makes an empty one. What a link leads to is not the draft of this proof.
fn open_locked(path: &Path) -> io::Result<File> {
    if fs::symlink_metadata(path).is_ok_and(|found| !found.is_file()) {
        return Err(io::Error::other(format!(
            "it is a link or no file, and a proof in the making cannot be written there{WAY_OUT}"
        )));
    }
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    // It may have become a link in between.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        rustix::fs::OFlags::NOFOLLOW.bits() as i32,
    );
    let file = options.open(path)?;
    match file_lock::lock(&file, path) {
        true => Ok(file),
        false => Err(io::Error::other("another run is at work on it")),
    }
}

/// What to do about a file that is refused.
const WAY_OUT: &str = ": remove it, or name another output";

/// Sees that the file begins with `head`: a new one gets it.
fn begin(file: &mut File, head: &[u8]) -> io::Result<()> {
    let found = read_up_to(file, head.len())?;
    if found == head {
        return Ok(());
    }
    if !head.starts_with(&found) {
        let what = match found.starts_with(&DRAFT_MAGIC) {
            true => "it is the draft of another proof, or damaged",
            false => "it exists and is not a proof in the making",
        };
        return Err(io::Error::other(format!("{what}{WAY_OUT}")));
    }
    // Nothing, or what a run has left that was killed at its first step.
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(head)?;
    file.sync_all()
}

/// Reads all blocks, and cuts off a part of one at the end. Answers what makes the next block, and the
/// number of moves; the file then stands at its end.
fn scan(file: &mut File, head: &[u8]) -> io::Result<(DraftBlocks, u64)> {
    let mut blocks = DraftBlocks::after(head);
    let (mut moves, mut end) = (0, head.len() as u64);
    file.seek(SeekFrom::Start(end))?;
    let mut reader = BufReader::new(&mut *file);
    loop {
        match blocks.read(&mut reader) {
            Ok(Some(block)) => {
                moves += block.len() as u64;
                end += (3 + block.len() + CHECKSUM) as u64;
            }
            Ok(None) => break,
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                return Err(io::Error::other(format!(
                    "it is damaged after {moves} moves: remove it, and the proof is made from its start"
                )));
            }
            Err(error) => return Err(error),
        }
    }
    file.set_len(end)?;
    file.seek(SeekFrom::Start(end))?;
    Ok((blocks, moves))
}

/// The moves in a draft, which has so many.
fn moves_in(path: &Path, head: &[u8], moves: u64) -> io::Result<DraftMoves<BufReader<File>>> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(head.len() as u64))?;
    Ok(DraftMoves {
        source: BufReader::new(file),
        blocks: DraftBlocks::after(head),
        block: Vec::new(),
        taken: 0,
        left: moves,
    })
}

#[cfg(test)]
mod tests {
    use super::super::verify::board::Board;
    use super::super::verify::file::Claim;
    use super::*;

    fn header() -> Header {
        Header {
            root: Board {
                mover: 0x0000_0008_1000_0000,
                other: 0x0000_0010_0800_0000,
            },
            black_to_move: true,
            leaf_empties: 8,
            claims: vec![Claim::AtLeast(2)],
            layers: Vec::new(),
        }
    }

    /// A folder of its own, removed at the end.
    fn in_folder(test: impl FnOnce(&Path)) {
        let folder = tempfile::tempdir().expect("a folder");
        test(&folder.path().join("x.proof"));
    }

    /// All moves that a run would go on with.
    fn kept(path: &Path, header: &Header) -> io::Result<Vec<u8>> {
        Draft::open(path, header)?.kept(usize::MAX >> 1)
    }

    fn error(path: &Path) -> String {
        kept(path, &header()).expect_err("refused").to_string()
    }

    #[test]
    fn moves_are_kept_and_a_part_of_a_block_is_cut_off() {
        in_folder(|path| {
            let mut draft = Draft::open(path, &header()).expect("a new one");
            draft.add(&[1, 2, 3]).expect("written");
            draft.add(&[4, 5]).expect("written");
            drop(draft);
            let whole = fs::read(draft_of(path)).expect("a draft");
            let head = head_of(&header()).len();
            for cut in 0..=whole.len() {
                fs::write(draft_of(path), &whole[..cut]).expect("written");
                let expected: &[u8] = match cut.saturating_sub(head) {
                    0..14 => &[],
                    14..27 => &[1, 2, 3],
                    _ => &[1, 2, 3, 4, 5],
                };
                assert_eq!(kept(path, &header()).expect("good"), expected, "cut {cut}");
                let mut draft = Draft::open(path, &header()).expect("good");
                draft.add(&[9]).expect("written");
                drop(draft);
                let longer = [expected, &[9]].concat();
                assert_eq!(kept(path, &header()).expect("good"), longer, "cut {cut}");
            }
        });
    }

    #[test]
    fn extra_and_changed_bytes_are_refused_by_name() {
        in_folder(|path| {
            let name = draft_of(path).display().to_string();
            let whole = draft_bytes(&header(), &[7; 40]);
            for extra in [&[0][..], b"x", &[0; 100], &[7; 40], &[MARK, 0, 0], &whole] {
                fs::write(draft_of(path), [&whole, extra].concat()).expect("written");
                let error = error(path);
                assert!(
                    error.starts_with(&name) && error.contains("damaged after 40 moves"),
                    "{error}"
                );
            }
            for at in 0..whole.len() {
                for change in [1, 0x80, whole[at]] {
                    let mut changed = whole.clone();
                    changed[at] ^= change;
                    if changed == whole {
                        continue;
                    }
                    fs::write(draft_of(path), &changed).expect("written");
                    // A count may say that there is more to come: then nothing of it is taken.
                    let moves = kept(path, &header());
                    assert!(
                        moves.is_err() || moves.is_ok_and(|moves| moves.is_empty()),
                        "{at}"
                    );
                }
            }
        });
    }

    #[test]
    fn what_is_no_draft_of_this_proof_stays_as_it_is() {
        in_folder(|path| {
            let draft = draft_of(path);
            let proof = header_bytes(&header());
            let other = Header {
                claims: vec![Claim::AtMost(-2)],
                ..header()
            };
            for bytes in [
                proof,
                draft_bytes(&other, &[1]),
                b"a letter".to_vec(),
                vec![0; 99],
            ] {
                fs::write(&draft, &bytes).expect("written");
                assert!(error(path).contains("name another output"));
                assert_eq!(fs::read(&draft).expect("still there"), bytes);
            }
        });
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        in_folder(|path| {
            let target = path.with_file_name("target");
            std::os::unix::fs::symlink(&target, draft_of(path)).expect("links");
            assert!(error(path).contains("a link"));
            assert!(!target.exists());
            fs::write(&target, "").expect("written");
            assert!(error(path).contains("a link"));
            assert!(OpenOptions::new().write(true).open(&target).is_ok());
        });
    }
}
