//! The container of files of games of version 1, which are only read.
//!
//! After magic and version: the length of the header and the header (JSON), the FNV-1a hash of all
//! that; then blocks. A block is the number of its first game (64 bits), its games and the bytes of
//! its stream (32 bits each), the stream, and the FNV-1a hash of all that.

use std::io::{self, Read};

use super::{FORMAT, RecordHeader};
use crate::checksum::fnv1a;
use crate::container::ContainerError;

pub(super) const VERSION: u32 = 1;

/// Longest header that is read, in bytes.
const MAX_HEADER: u32 = 1 << 16;

/// Longest block that is read, in bytes of the file.
const MAX_BLOCK: u32 = 1 << 26;

/// Reads a file, block after block.
pub(super) struct OldReader<R> {
    reader: R,
    blocks: u64,
    position: u64,
}

impl<R: Read> OldReader<R> {
    /// Reads the header after `start`, the magic and the version.
    pub(super) fn new(
        start: Vec<u8>,
        reader: R,
    ) -> Result<(OldReader<R>, RecordHeader), ContainerError> {
        let mut reader = OldReader {
            reader,
            blocks: 0,
            position: 0,
        };
        let cut = |_| ContainerError::ShortHeader;
        let bytes = reader.part(start, 4).map_err(cut)?;
        let length = u32_at(&bytes, FORMAT.magic.len() + 4);
        if length > MAX_HEADER {
            return Err(ContainerError::Header);
        }
        let bytes = reader.part(bytes, length as usize).map_err(cut)?;
        if !reader.is_sealed(&bytes)? {
            return Err(ContainerError::Header);
        }
        let header = serde_json::from_slice(&bytes[FORMAT.magic.len() + 8..]);
        Ok((reader, header.map_err(|_| ContainerError::Header)?))
    }

    /// Bytes of the file up to the end of the last block that was read.
    pub(super) fn position(&self) -> u64 {
        self.position
    }

    /// The next block, as the contents of a block of a sealed container: without the length of
    /// the stream.
    pub(super) fn block(&mut self) -> Result<Option<Vec<u8>>, ContainerError> {
        let bytes = match self.part(Vec::new(), 16) {
            Ok(bytes) => bytes,
            Err(ContainerError::ShortHeader) => return Ok(None),
            Err(error) => return Err(error),
        };
        let length = u32_at(&bytes, 12);
        if length > MAX_BLOCK {
            return Err(ContainerError::Damaged(self.blocks));
        }
        let mut bytes = self.part(bytes, length as usize)?;
        if !self.is_sealed(&bytes)? {
            return Err(ContainerError::Damaged(self.blocks));
        }
        self.blocks += 1;
        bytes.drain(12..16);
        Ok(Some(bytes))
    }

    /// `bytes` and `length` more.
    fn part(&mut self, mut bytes: Vec<u8>, length: usize) -> Result<Vec<u8>, ContainerError> {
        let before = bytes.len();
        let mut limited = self.reader.by_ref().take(length as u64);
        limited.read_to_end(&mut bytes)?;
        match bytes.len() {
            0 => Err(ContainerError::ShortHeader), // the end of the file
            all if all == before + length => Ok(bytes),
            _ => Err(ContainerError::Truncated(self.blocks)),
        }
    }

    /// Is what follows `bytes` their hash?
    fn is_sealed(&mut self, bytes: &[u8]) -> Result<bool, ContainerError> {
        let mut hash = [0; 8];
        self.reader
            .read_exact(&mut hash)
            .map_err(|error| match error.kind() {
                io::ErrorKind::UnexpectedEof => ContainerError::Truncated(self.blocks),
                _ => error.into(),
            })?;
        self.position += bytes.len() as u64 + 8;
        Ok(u64::from_le_bytes(hash) == fnv1a(bytes))
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes[at..]
        .first_chunk()
        .map_or(0, |field| u32::from_le_bytes(*field))
}
