//! The bytes of an entry: how many bytes of its key of 13 are those of the key before it, and in the same byte how much deeper
//! than the position its leaf was searched; the other bytes of the key; flags; 3 for its score; its leaf with 1 for the move,
//! 2 for the score if that is another one, 1 for the depth where it is not said yet; and its counts if it has some. So it
//! has some 13 bytes where positions are near each other.
//!
//! A row of the board is a number of eight ternary digits, which takes 13 bits: so a board takes 104.

use super::block::{FileBlock, RecordForm};
use super::entry::{BookEntry, BookLeaf, Certainty, GameCounts};
use crate::checksum::checksum;
use crate::rules::{Bitboard, Board, Square};
use crate::score::Score;

/// A packed board: keys sort as their bytes do.
pub(super) type Key = u128;

/// Bytes of a key.
pub(super) const KEY_BYTES: usize = 13;

/// Bits of a row.
const ROW_BITS: u32 = 13;

/// Rows that exist: 3^8.
const ROWS: usize = 6561;

/// The discs of one side in a row, as ternary digits 0 and 1.
const TERNARY: [u16; 256] = ternary();

const fn ternary() -> [u16; 256] {
    let mut numbers = [0; 256];
    let mut discs = 0;
    while discs < 256 {
        let (mut bit, mut power) = (0, 1);
        while bit < 8 {
            if discs >> bit & 1 == 1 {
                numbers[discs] += power;
            }
            power *= 3;
            bit += 1;
        }
        discs += 1;
    }
    numbers
}

/// The board as a number.
pub(super) fn pack(board: Board) -> Key {
    let (player, opponent) = (board.player.to_be_bytes(), board.opponent.to_be_bytes());
    let rows = player.iter().zip(opponent);
    rows.fold(0, |key, (&player, opponent)| {
        let row = TERNARY[usize::from(player)] + 2 * TERNARY[usize::from(opponent)];
        key << ROW_BITS | Key::from(row)
    })
}

/// The board of a number, if it is one.
pub(super) fn unpack(key: Key) -> Option<Board> {
    let (mut player, mut opponent) = (0u64, 0u64);
    for row in (0..8).rev() {
        let mut digits = (key >> (row * ROW_BITS)) as usize & ((1 << ROW_BITS) - 1);
        if digits >= ROWS {
            return None;
        }
        for bit in 0..8 {
            let square = 1 << (8 * row + bit);
            match digits % 3 {
                1 => player |= square,
                2 => opponent |= square,
                _ => {}
            }
            digits /= 3;
        }
    }
    Board::new(player, opponent)
}

/// Keys of games that were counted begin so, as those of no board do: they come behind all positions.
const GAME: Key = ((1 << ROW_BITS) - 1) << (7 * ROW_BITS);

/// Keys of what a repertoire allows begin so: they come before the games.
const RULE: Key = ((1 << ROW_BITS) - 2) << (7 * ROW_BITS);

/// The moves that a repertoire allows in a position, of which the key has a fingerprint: the key and what stands under it.
pub(super) fn rule(position: Key, allowed: Bitboard) -> (Key, BookEntry) {
    let counts = GameCounts {
        wins: allowed.0 as u32,
        draws: (allowed.0 >> 32) as u32,
        ..GameCounts::default()
    };
    let entry = BookEntry {
        counts,
        ..BookEntry::default()
    };
    (rule_key(position), entry)
}

/// The key of what a repertoire says of this position.
pub(super) fn rule_key(position: Key) -> Key {
    let mut bytes = Vec::with_capacity(KEY_BYTES);
    write_key(position, &mut bytes);
    RULE | Key::from(checksum(&bytes))
}

/// The moves that stand under such a key, if it is one. All moves: it says nothing.
pub(super) fn allowed_by(key: Key, entry: &BookEntry) -> Option<Bitboard> {
    let counts = entry.counts;
    let allowed = u64::from(counts.wins) | u64::from(counts.draws) << 32;
    (key == RULE | Key::from(key as u64)).then_some(Bitboard(allowed))
}

/// The key of a game that was counted, of its fingerprint.
pub(super) fn game_key(fingerprint: u64) -> Key {
    GAME | Key::from(fingerprint)
}

/// The fingerprint of the game that has this key, if it is one of a game.
pub(super) fn fingerprint_of(key: Key) -> Option<u64> {
    let fingerprint = key as u64;
    (key == game_key(fingerprint)).then_some(fingerprint)
}

/// How certain a score is, as two bits say it.
const CERTAINTIES: [Certainty; 4] = [
    Certainty::Estimate,
    Certainty::Winner,
    Certainty::Exact,
    Certainty::Unconfirmed,
];

fn certainty(bits: u8) -> Certainty {
    CERTAINTIES[usize::from(bits & 3)]
}

fn certainty_bits(certainty: Certainty) -> u8 {
    CERTAINTIES
        .iter()
        .position(|&one| one == certainty)
        .unwrap_or(0) as u8
}

const LEAF_SHIFT: u8 = 2;
const HAS_LEAF: u8 = 1 << 4;
const HAS_COUNTS: u8 = 1 << 5;
const IS_REMOVED: u8 = 1 << 6;
/// The leaf has the score of the position, which then stands once.
const SAME_SCORE: u8 = 1 << 7;
const LEAF_OF_SAME_SCORE: u8 = HAS_LEAF | SAME_SCORE;

/// Bits of the first byte for the key; those above are for the depth of the leaf.
const SHARED_BITS: u32 = 4;

/// The depth of the leaf stands behind its score.
const OWN_DEPTH: u8 = (1 << (8 - SHARED_BITS)) - 1;

/// How much deeper than the position its leaf was searched, if there is one and that is little, else [`OWN_DEPTH`].
fn deeper(entry: &BookEntry) -> u8 {
    let deeper = entry
        .leaf
        .and_then(|leaf| leaf.depth.checked_sub(entry.depth));
    deeper.map_or(OWN_DEPTH, |plies| plies.min(OWN_DEPTH))
}

/// The bytes of a key: they sort as keys do.
type KeyBytes = [u8; KEY_BYTES];

fn key_bytes(key: Key) -> KeyBytes {
    let bytes = key.to_be_bytes();
    std::array::from_fn(|at| bytes[16 - KEY_BYTES + at])
}

fn key_of(bytes: &KeyBytes) -> Key {
    let mut whole = [0; 16];
    whole[16 - KEY_BYTES..].copy_from_slice(bytes);
    Key::from_be_bytes(whole)
}

/// Appends a key.
pub(super) fn write_key(key: Key, out: &mut Vec<u8>) {
    out.extend(key_bytes(key));
}

/// The key in front of `bytes`.
pub(super) fn read_key(bytes: &[u8]) -> Option<Key> {
    bytes.first_chunk().map(key_of)
}

/// Appends the record of an entry; `None` says that the position was removed. `before` is the key of the record before it in
/// the block; of the first it is 0.
pub(super) fn write(before: Key, key: Key, entry: Option<&BookEntry>, out: &mut Vec<u8>) {
    let (before, key) = (key_bytes(before), key_bytes(key));
    let equal = before.iter().zip(key).take_while(|(a, b)| *a == b);
    let shared = equal.count();
    let deeper = entry.map_or(OWN_DEPTH, deeper);
    out.push(shared as u8 | deeper << SHARED_BITS);
    out.extend(&key[shared..]);
    let Some(entry) = entry else {
        return out.push(IS_REMOVED);
    };
    let has_counts = entry.counts != GameCounts::default();
    let leaf = entry.leaf;
    let has_score = |leaf: BookLeaf| leaf.score != entry.score;
    let leaf_flags = leaf.map_or(0, |leaf| {
        let same = if has_score(leaf) { 0 } else { SAME_SCORE };
        HAS_LEAF | same | certainty_bits(leaf.certainty) << LEAF_SHIFT
    });
    let counts_flag = if has_counts { HAS_COUNTS } else { 0 };
    out.push(certainty_bits(entry.certainty) | leaf_flags | counts_flag);
    write_score(entry.score, out);
    out.push(entry.depth);
    if let Some(leaf) = leaf {
        out.push(leaf.square.index() as u8);
        if has_score(leaf) {
            write_score(leaf.score, out);
        }
        if deeper == OWN_DEPTH {
            out.push(leaf.depth);
        }
    }
    if has_counts {
        let counts = entry.counts;
        for count in [counts.wins, counts.draws, counts.losses, counts.lines] {
            write_number(count, out);
        }
    }
}

fn write_score(score: Score, out: &mut Vec<u8>) {
    // A score fits: it is at most 64 * 128 units.
    out.extend((score.raw() as i16).to_le_bytes());
}

/// Seven bits a byte, the low ones first (LEB128).
fn write_number(mut number: u32, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Reads records one after the other.
pub(super) struct Records<'a> {
    bytes: &'a [u8],
    left: usize,
    form: RecordForm,
    /// The key that was read last.
    key: KeyBytes,
    /// How much deeper the leaf behind it was searched, or [`OWN_DEPTH`].
    deeper: u8,
}

impl<'a> Records<'a> {
    /// Reads the records of a block.
    pub(super) const fn of(block: &FileBlock<'a>) -> Records<'a> {
        Records {
            bytes: block.payload,
            left: block.count,
            form: block.form,
            key: [0; KEY_BYTES],
            deeper: OWN_DEPTH,
        }
    }

    /// The key of the first record.
    pub(super) fn first_key(mut self) -> Option<Key> {
        self.read_key()?;
        Some(key_of(&self.key))
    }

    /// Looks for a key among records that are sorted. `Err`: they are damaged.
    ///
    /// Keys are not put together: of the key before, which is smaller than the one wanted, it is enough to know how many bytes
    /// they have in common. A key that shares more than these with the one before is smaller too, one that shares fewer is larger.
    pub(super) fn find(mut self, key: Key) -> Result<Option<BookEntry>, ()> {
        let wanted = key_bytes(key);
        // The key before the first is 0.
        let mut common = wanted.iter().take_while(|&&byte| byte == 0).count();
        while self.left > 0 {
            let own = self.own_key().ok_or(())?;
            let shared = KEY_BYTES - own.len();
            if self.form == RecordForm::Plain {
                common = 0;
            }
            if shared < common {
                break;
            }
            if shared == common {
                let rest = &wanted[shared..];
                let equal = own.iter().zip(rest).take_while(|(a, b)| a == b).count();
                match own.get(equal) {
                    None => return self.entry().ok_or(()),
                    Some(&byte) if byte > rest[equal] => break,
                    Some(_) => common += equal,
                }
            }
            self.pass_over().ok_or(())?;
        }
        Ok(None)
    }

    fn read_key(&mut self) -> Option<()> {
        let own = self.own_key()?;
        self.key[KEY_BYTES - own.len()..].copy_from_slice(own);
        Some(())
    }

    /// The bytes of the next key that are not those of the key before.
    fn own_key(&mut self) -> Option<&'a [u8]> {
        let shared = match self.form {
            RecordForm::Plain => 0,
            RecordForm::Packed => {
                let [first] = self.take()?;
                self.deeper = first >> SHARED_BITS;
                usize::from(first & ((1 << SHARED_BITS) - 1))
            }
        };
        let length = KEY_BYTES.checked_sub(shared)?;
        let (own, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        Some(own)
    }

    /// Passes over what stands behind a key.
    fn pass_over(&mut self) -> Option<()> {
        let [flags] = self.take()?;
        let length = match flags & (IS_REMOVED | HAS_LEAF | SAME_SCORE) {
            0 | SAME_SCORE => 3,
            HAS_LEAF => 3 + 1 + 2,
            LEAF_OF_SAME_SCORE => 3 + 1,
            _ => 0,
        };
        if self.deeper == OWN_DEPTH && length > 3 {
            self.bytes = self.bytes.get(1..)?;
        }
        self.bytes = self.bytes.get(length..)?;
        if flags & HAS_COUNTS != 0 {
            for _ in 0..4 {
                self.number()?;
            }
        }
        self.left -= 1;
        Some(())
    }

    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.bytes.split_first_chunk()?;
        self.bytes = rest;
        Some(*taken)
    }

    fn score(&mut self) -> Option<Score> {
        let raw = i16::from_le_bytes(self.take()?);
        Some(Score::from_raw(i32::from(raw)))
    }

    fn number(&mut self) -> Option<u32> {
        let mut number = 0u64;
        for shift in (0..35).step_by(7) {
            let [byte] = self.take()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return u32::try_from(number).ok();
            }
        }
        None
    }

    /// What stands behind a key; `Some(None)`: the position was removed.
    fn entry(&mut self) -> Option<Option<BookEntry>> {
        let [flags] = self.take()?;
        self.left -= 1;
        if flags & IS_REMOVED != 0 {
            return Some(None);
        }
        let mut entry = BookEntry {
            certainty: certainty(flags),
            score: self.score()?,
            depth: self.take::<1>()?[0],
            ..BookEntry::default()
        };
        if flags & HAS_LEAF != 0 {
            entry.leaf = Some(BookLeaf {
                square: Square::new(u32::from(self.take::<1>()?[0]))?,
                score: if flags & SAME_SCORE == 0 {
                    self.score()?
                } else {
                    entry.score
                },
                certainty: certainty(flags >> LEAF_SHIFT),
                depth: match self.deeper {
                    OWN_DEPTH => self.take::<1>()?[0],
                    deeper => entry.depth.checked_add(deeper)?,
                },
            });
        }
        if flags & HAS_COUNTS != 0 {
            entry.counts = GameCounts {
                wins: self.number()?,
                draws: self.number()?,
                losses: self.number()?,
                lines: self.number()?,
            };
        }
        Some(Some(entry))
    }
}

/// The records; `None` instead of one that is damaged, which is then the last.
impl Iterator for Records<'_> {
    type Item = Option<(Key, Option<BookEntry>)>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.left == 0 {
            return None;
        }
        let record = self
            .read_key()
            .and_then(|()| Some((key_of(&self.key), self.entry()?)));
        if record.is_none() {
            self.left = 0;
        }
        Some(record)
    }
}
