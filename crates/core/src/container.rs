//! The sealed container: the layout that weights, games, samples and checkpoints share.
//!
//! All numbers are little-endian. A file is a head and any number of blocks.
//!
//! | bytes | head |
//! |---|---|
//! | 8 | magic: the kind of file |
//! | 4 | version of this kind |
//! | 4 | length of the header |
//! | n | header, JSON |
//! | 8 | checksum of everything above |
//!
//! | bytes | block |
//! |---|---|
//! | 4 | length of the contents |
//! | n | contents |
//! | 8 | checksum of the contents, seeded by the head's checksum plus the block's number |
//!
//! The seed ties a block to its file and its place there. A block is written in one piece, and a
//! partial block is worthless: a file that grows is continued after its last whole block, and the
//! rest is cut off. The header of a file that does not grow tells how many blocks it has. No claimed
//! length is trusted: memory grows with the bytes that are there.

use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::DeflateEncoder;
use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::checksum::{checksum, seeded_checksum};

/// Longest header that is read, in bytes.
const MAX_HEADER: u32 = 1 << 16;

/// Longest contents of a block, in bytes.
pub const MAX_BLOCK: u32 = 1 << 27;

const CHECKSUM: usize = 8;

/// A kind of file and its version.
#[derive(Clone, Copy, Debug)]
pub struct ContainerFormat {
    /// Its first bytes.
    pub magic: [u8; 8],
    /// The version that is written, and read here.
    pub version: u32,
    /// With its article, for messages: "a weight file".
    pub name: &'static str,
}

impl ContainerFormat {
    /// Can a file that begins with `bytes` be of this kind, in any version?
    pub fn matches(&self, bytes: &[u8]) -> bool {
        let length = bytes.len().min(self.magic.len());
        bytes[..length] == self.magic[..length]
    }

    /// The version of a file of this kind that begins with `bytes`; `None` for another kind, and
    /// where the file is too short to tell.
    pub fn version_of(&self, bytes: &[u8]) -> Option<u32> {
        let version = bytes.strip_prefix(&self.magic)?.first_chunk()?;
        Some(u32::from_le_bytes(*version))
    }
}

/// Why a file cannot be read.
#[derive(Debug, Error)]
pub enum ContainerError {
    /// The system refuses.
    #[error("cannot read it")]
    Io(#[from] io::Error),
    /// It begins with other bytes.
    #[error("not {0}")]
    Magic(&'static str),
    /// It has another layout.
    #[error("{name} of version {found}, expected version {expected}")]
    Version {
        /// "a weight file".
        name: &'static str,
        /// That of the file.
        found: u32,
        /// That of this build.
        expected: u32,
    },
    /// It ends within its head.
    #[error("it ends within its header")]
    ShortHeader,
    /// The bytes of its head were changed, or it is not the header of this kind.
    #[error("its header is damaged")]
    Header,
    /// It ends within this block, counted from 0.
    #[error("it ends within block {0}")]
    Truncated(u64),
    /// The bytes of this block were changed.
    #[error("block {0} is damaged")]
    Damaged(u64),
}

/// Makes the blocks of a file.
#[derive(Clone, Debug)]
pub struct Sealer {
    head: u64,
    blocks: u64,
}

impl Sealer {
    /// Begins a file; also returns the bytes of its head.
    pub fn new(format: &ContainerFormat, header: &impl Serialize) -> (Sealer, Vec<u8>) {
        let header = serde_json::to_vec(header).expect("plain strings and numbers serialise");
        debug_assert!(header.len() <= MAX_HEADER as usize);
        let (version, length) = (format.version.to_le_bytes(), header.len() as u32);
        let mut bytes = [&format.magic[..], &version, &length.to_le_bytes(), &header].concat();
        let head = checksum(&bytes);
        bytes.extend_from_slice(&head.to_le_bytes());
        (Sealer { head, blocks: 0 }, bytes)
    }

    /// The bytes of the next block. The contents are not longer than [`MAX_BLOCK`].
    pub fn block(&mut self, contents: &[u8]) -> Vec<u8> {
        debug_assert!(contents.len() <= MAX_BLOCK as usize);
        let length = (contents.len() as u32).to_le_bytes();
        let checksum = seeded_checksum(self.seed(), contents).to_le_bytes();
        self.blocks += 1;
        [&length, contents, &checksum].concat()
    }

    /// The seed of the next block's checksum.
    fn seed(&self) -> u64 {
        self.head.wrapping_add(self.blocks)
    }
}

/// Reads a file, block after block.
#[derive(Debug)]
pub struct ContainerReader<R> {
    reader: R,
    /// Stands at the next block.
    sealer: Sealer,
    position: u64,
}

impl<R: Read> ContainerReader<R> {
    /// Reads the head; also returns its header.
    ///
    /// # Errors
    /// If it cannot be read, or is not the head of this kind and version.
    pub fn new<H: DeserializeOwned>(
        format: &ContainerFormat,
        mut reader: R,
    ) -> Result<(ContainerReader<R>, H), ContainerError> {
        let mut bytes = read_up_to(&mut reader, 16)?;
        if !format.matches(&bytes) || bytes.is_empty() {
            return Err(ContainerError::Magic(format.name));
        }
        let version = format.version_of(&bytes);
        let found = version.ok_or(ContainerError::ShortHeader)?;
        if found != format.version {
            return Err(ContainerError::Version {
                name: format.name,
                found,
                expected: format.version,
            });
        }
        let length = bytes[12..].first_chunk().map(|x| u32::from_le_bytes(*x));
        let length = length.ok_or(ContainerError::ShortHeader)?;
        if length > MAX_HEADER {
            return Err(ContainerError::Header);
        }
        let rest = read_up_to(&mut reader, length as usize + CHECKSUM)?;
        let (header, found) = split_checksum(&rest, length).ok_or(ContainerError::ShortHeader)?;
        bytes.extend_from_slice(header);
        let head = checksum(&bytes);
        if head != found {
            return Err(ContainerError::Header);
        }
        let parsed = serde_json::from_slice(header).map_err(|_| ContainerError::Header)?;
        let reader = ContainerReader {
            reader,
            sealer: Sealer { head, blocks: 0 },
            position: (bytes.len() + CHECKSUM) as u64,
        };
        Ok((reader, parsed))
    }

    /// The contents of the next block; `None` at the end of the file.
    ///
    /// # Errors
    /// If it cannot be read, is damaged, or the file ends within it.
    pub fn block(&mut self) -> Result<Option<Vec<u8>>, ContainerError> {
        let Some(length) = self.length()? else {
            return Ok(None);
        };
        let mut bytes = read_up_to(&mut self.reader, length as usize + CHECKSUM)?;
        let number = self.sealer.blocks;
        let (contents, found) =
            split_checksum(&bytes, length).ok_or(ContainerError::Truncated(number))?;
        if seeded_checksum(self.sealer.seed(), contents) != found {
            return Err(ContainerError::Damaged(number));
        }
        bytes.truncate(length as usize);
        self.advance(length);
        Ok(Some(bytes))
    }

    fn length(&mut self) -> Result<Option<u32>, ContainerError> {
        let number = self.sealer.blocks;
        let bytes = read_up_to(&mut self.reader, 4)?;
        let length = match bytes.first_chunk() {
            Some(length) => u32::from_le_bytes(*length),
            None if bytes.is_empty() => return Ok(None),
            None => return Err(ContainerError::Truncated(number)),
        };
        if length > MAX_BLOCK {
            return Err(ContainerError::Damaged(number));
        }
        Ok(Some(length))
    }

    fn advance(&mut self, length: u32) {
        self.sealer.blocks += 1;
        self.position += 4 + u64::from(length) + CHECKSUM as u64;
    }

    /// Bytes of the file up to the end of the last block that was read.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// What makes the blocks that follow those that were read.
    pub fn into_sealer(self) -> Sealer {
        self.sealer
    }
}

impl<R: Read + Seek> ContainerReader<R> {
    /// Skips the next block without reading its contents; `false` at the end of the file.
    /// A file that ends within the block is not noticed here.
    ///
    /// # Errors
    /// If the file cannot be read, or there is no block.
    pub fn skip(&mut self) -> Result<bool, ContainerError> {
        let Some(length) = self.length()? else {
            return Ok(false);
        };
        let rest = i64::from(length) + CHECKSUM as i64;
        self.reader.seek_relative(rest)?;
        self.advance(length);
        Ok(true)
    }
}

/// A block in memory, whose checksum is compared only when it is opened.
#[derive(Clone, Copy, Debug)]
pub struct SealedBlock<'a> {
    contents: &'a [u8],
    checksum: u64,
    seed: u64,
    number: u64,
}

impl<'a> SealedBlock<'a> {
    /// The contents.
    ///
    /// # Errors
    /// If they are damaged.
    pub fn open(&self) -> Result<&'a [u8], ContainerError> {
        if seeded_checksum(self.seed, self.contents) == self.checksum {
            Ok(self.contents)
        } else {
            Err(ContainerError::Damaged(self.number))
        }
    }
}

impl<'a> ContainerReader<&'a [u8]> {
    /// The next block, as it lies in memory; `None` at the end.
    ///
    /// # Errors
    /// If the bytes end within it.
    pub fn sealed_block(&mut self) -> Result<Option<SealedBlock<'a>>, ContainerError> {
        let Some(length) = self.length()? else {
            return Ok(None);
        };
        let number = self.sealer.blocks;
        let (contents, checksum) =
            split_checksum(self.reader, length).ok_or(ContainerError::Truncated(number))?;
        let seed = self.sealer.seed();
        self.reader = &self.reader[contents.len() + CHECKSUM..];
        self.advance(length);
        Ok(Some(SealedBlock {
            contents,
            checksum,
            seed,
            number,
        }))
    }
}

/// The first `length` of `bytes` and the checksum after them; `None` if there are fewer.
fn split_checksum(bytes: &[u8], length: u32) -> Option<(&[u8], u64)> {
    let (contents, rest) = bytes.split_at_checked(length as usize)?;
    Some((contents, u64::from_le_bytes(*rest.first_chunk()?)))
}

/// The first `most` bytes of a regular file, all if it has fewer.
pub fn read_file(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    // Opening a pipe would wait for its writer, and a device may have no end.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Packs the contents of a block, as small as it goes.
pub fn deflate(data: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    let written = encoder.write_all(data).and_then(|()| encoder.finish());
    written.expect("writing to memory does not fail")
}

/// The next `length` bytes, fewer only at the end.
pub fn read_up_to(reader: &mut impl Read, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(length as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Gives the head and all blocks of `bytes` the right checksums, as far as their lengths lead:
/// for tests and fuzz targets that want to get past them.
pub fn reseal(bytes: &mut [u8]) {
    let mut at = 12;
    let mut sealer = None;
    while let Some(length) = bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        let start = at + 4;
        let end = start + u32::from_le_bytes(*length) as usize;
        let Some((sealed, field)) = bytes.split_at_mut_checked(end) else {
            return;
        };
        let sum = match &sealer {
            None => checksum(sealed),
            Some(sealer) => seeded_checksum(Sealer::seed(sealer), &sealed[start..]),
        };
        let Some(field) = field.first_chunk_mut() else {
            return;
        };
        *field = sum.to_le_bytes();
        let (head, blocks) = sealer.map_or((sum, 0), |sealer| (sealer.head, sealer.blocks + 1));
        sealer = Some(Sealer { head, blocks });
        at = end + CHECKSUM;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FORMAT: ContainerFormat = ContainerFormat {
        magic: *b"EMILIAxx",
        version: 7,
        name: "a test",
    };

    fn file(blocks: &[&[u8]]) -> Vec<u8> {
        let (mut sealer, mut bytes) = Sealer::new(&FORMAT, &"a header");
        for block in blocks {
            bytes.extend(sealer.block(block));
        }
        bytes
    }

    type Contents = (String, Vec<Vec<u8>>);

    /// All of a file, read in each of the ways there are, which must agree.
    fn read(bytes: &[u8]) -> Result<Contents, ContainerError> {
        let (mut reader, header) = ContainerReader::new::<String>(&FORMAT, bytes)?;
        let (mut in_memory, _) = ContainerReader::new::<String>(&FORMAT, bytes)?;
        let (mut skipping, _) = ContainerReader::new::<String>(&FORMAT, io::Cursor::new(bytes))?;
        let mut blocks = Vec::new();
        loop {
            let block = reader.block();
            let sealed = in_memory.sealed_block();
            match &block {
                Ok(block) => {
                    let sealed = sealed.expect("a whole block");
                    let opened = sealed.map(|sealed| sealed.open().expect("good").to_vec());
                    assert_eq!(*block, opened);
                    assert_eq!(skipping.skip().expect("readable"), block.is_some());
                    assert_eq!(skipping.position(), reader.position());
                }
                Err(_) => {
                    let opened = sealed.map(|sealed| sealed.map(|sealed| sealed.open()));
                    assert!(!matches!(opened, Ok(None | Some(Ok(_)))));
                }
            }
            match block? {
                Some(block) => blocks.push(block),
                None => break,
            }
        }
        assert_eq!(reader.position(), bytes.len() as u64);
        Ok((header, blocks))
    }

    fn error(bytes: &[u8]) -> String {
        read(bytes).expect_err("a broken file").to_string()
    }

    #[test]
    fn what_is_written_is_read() {
        let blocks: [&[u8]; 3] = [b"one", b"", &[0; 5000]];
        let (header, read) = read(&file(&blocks)).expect("a good file");
        assert_eq!((header.as_str(), read.len()), ("a header", 3));
        assert!(read.iter().eq(blocks));
    }

    #[test]
    fn errors_say_what_is_wrong() {
        let good = file(&[b"one", b"two"]);
        assert_eq!(error(b""), "not a test");
        assert_eq!(error(b"EMILIAyy........"), "not a test");
        let mut other = good.clone();
        other[8] = 77;
        assert_eq!(error(&other), "a test of version 77, expected version 7");
        assert_eq!(error(&good[..20]), "it ends within its header");
        assert_eq!(error(&good[..good.len() - 1]), "it ends within block 1");
        let mut damaged = good.clone();
        damaged[18] ^= 1;
        assert_eq!(error(&damaged), "its header is damaged");
        let mut damaged = good.clone();
        damaged[good.len() - 9] ^= 1;
        assert_eq!(error(&damaged), "block 1 is damaged");
    }

    #[test]
    fn a_block_is_good_only_in_its_place() {
        let (mut sealer, head) = Sealer::new(&FORMAT, &"a header");
        let [first, second] = [sealer.block(b"one"), sealer.block(b"two")];
        assert!(read(&[&head[..], &first, &second].concat()).is_ok());
        assert_eq!(
            error(&[&head[..], &second, &first].concat()),
            "block 0 is damaged"
        );
        assert_eq!(
            error(&[&head[..], &first, &first].concat()),
            "block 1 is damaged"
        );
    }

    #[test]
    fn a_claimed_length_takes_no_memory() {
        let mut bytes = file(&[b"one"]);
        let at = bytes.len() - 3 - CHECKSUM - 4;
        bytes[at..at + 4].copy_from_slice(&MAX_BLOCK.to_le_bytes());
        assert_eq!(error(&bytes), "it ends within block 0");
        bytes[at..at + 4].copy_from_slice(&(MAX_BLOCK + 1).to_le_bytes());
        assert_eq!(error(&bytes), "block 0 is damaged");
    }

    #[test]
    fn a_file_cut_anywhere_continues_after_its_last_whole_block() {
        let good = file(&[b"one", b"two", b"three"]);
        let head = file(&[]).len();
        for end in 0..good.len() {
            let Ok((mut reader, _)) = ContainerReader::new::<String>(&FORMAT, &good[..end]) else {
                assert!(end < head);
                continue;
            };
            let mut whole: [&[u8]; 3] = [b"one", b"two", b"three"];
            let mut count = 0;
            while let Ok(Some(block)) = reader.block() {
                assert_eq!(block, whole[count]);
                count += 1;
            }
            let mut mended = good[..reader.position() as usize].to_vec();
            let mut sealer = reader.into_sealer();
            whole[count..]
                .iter_mut()
                .for_each(|block| mended.extend(sealer.block(block)));
            assert_eq!(mended, good);
        }
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(mut bytes in prop::collection::vec(any::<u8>(), 0..300), magic: bool) {
            if magic && bytes.len() > 12 {
                bytes[..8].copy_from_slice(&FORMAT.magic);
                bytes[8..12].copy_from_slice(&FORMAT.version.to_le_bytes());
            }
            prop_assert!(read(&bytes).is_err());
        }

        #[test]
        fn a_changed_byte_is_noticed_unless_the_checksums_are_made_right(at: prop::sample::Index, change in 1..=255_u8) {
            let mut bytes = file(&[b"one", b"two"]);
            let at = at.index(bytes.len());
            bytes[at] ^= change;
            prop_assert!(read(&bytes).is_err());
            reseal(&mut bytes);
            let _ = read(&bytes);
        }
    }
}
