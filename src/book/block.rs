//! Blocks: the file of a book is a row of them, each with a checksum.

use crate::checksum::seeded_checksum;

/// Bytes of a block.
pub(super) const BLOCK: usize = 4096;

/// Bytes in front of what a block holds.
const HEAD: usize = 16;

/// Bytes that a block holds.
pub(super) const ROOM: usize = BLOCK - HEAD;

/// Each block begins with these bytes, so a book does too.
pub(super) const MAGIC: [u8; 4] = *b"EMBK";

/// What a block holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum BlockKind {
    /// What the file is.
    Header = b'h',
    /// Entries in the order of their keys.
    Data = b'd',
    /// The first keys of blocks of entries.
    Index = b'i',
    /// Changes of entries.
    Journal = b'j',
    /// The last changes of a commit.
    Commit = b'c',
}

/// How records stand in a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum RecordForm {
    /// Each with its whole key, as version 1 wrote them.
    Plain = 0,
    /// Without the bytes that a key has in common with the one before it.
    Packed = 1,
}

/// A block that was read and is whole.
pub(super) struct FileBlock<'a> {
    pub(super) kind: u8,
    pub(super) form: RecordForm,
    /// Records, keys, or the version in a header.
    pub(super) count: usize,
    pub(super) payload: &'a [u8],
}

/// Makes a block; what does not fit is an error of the caller. Its number is its place in the file.
pub(super) fn seal(number: u64, kind: BlockKind, count: usize, payload: &[u8]) -> Vec<u8> {
    debug_assert!(payload.len() <= ROOM);
    let mut block = Vec::with_capacity(BLOCK);
    block.extend(MAGIC);
    block.push(kind as u8);
    block.push(RecordForm::Packed as u8);
    block.extend((count as u16).to_le_bytes());
    block.extend([0; 8]);
    block.extend(payload);
    block.resize(BLOCK, 0);
    let sum = sum(number, &block);
    block[8..HEAD].copy_from_slice(&sum.to_le_bytes());
    block
}

/// The block, if its checksum is right.
pub(super) fn open(number: u64, bytes: &[u8]) -> Option<FileBlock<'_>> {
    if bytes.len() != BLOCK || bytes[..4] != MAGIC {
        return None;
    }
    let form = match bytes[5] {
        0 => RecordForm::Plain,
        1 => RecordForm::Packed,
        _ => return None,
    };
    let stored = u64::from_le_bytes(bytes[8..HEAD].try_into().ok()?);
    (stored == sum(number, bytes)).then(|| FileBlock {
        kind: bytes[4],
        form,
        count: usize::from(u16::from_le_bytes([bytes[6], bytes[7]])),
        payload: &bytes[HEAD..],
    })
}

/// A block that stands elsewhere in the file has another sum.
fn sum(number: u64, block: &[u8]) -> u64 {
    let mut head = [0; 8];
    head.copy_from_slice(&block[..8]);
    let seed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ u64::from_le_bytes(head);
    seeded_checksum(seed, &block[HEAD..])
}
