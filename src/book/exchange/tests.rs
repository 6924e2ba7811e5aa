//! Files in the layouts of other programs, made and read here from their description alone.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::book::tests::damaged;
use crate::book::{Book, NewBook};
use crate::random::SplitMix64;
use crate::rules::Symmetry;

/// A position as both layouts have it: the side to move first, the smallest of its eight images.
type Key = (u64, u64);

fn key(board: Board) -> Key {
    let images = Symmetry::all().map(|symmetry| board.transform(symmetry));
    let keys = images.map(|board| (board.player, board.opponent));
    keys.min().expect("eight images")
}

fn board((player, opponent): Key) -> Board {
    Board::new(player, opponent).expect("a board")
}

/// What both layouts know of a position.
#[derive(Clone, PartialEq, Eq, Debug)]
struct ExportedRecord {
    /// Wins, draws, losses, lines.
    counts: [u32; 4],
    value: i16,
    /// Lower and upper bound.
    bounds: (i16, i16),
    level: u8,
    /// Moves and scores.
    links: BTreeSet<(u8, i8)>,
    /// Move and score.
    leaf: Option<(u8, i8)>,
}

type Records = BTreeMap<Key, ExportedRecord>;

/// Does a book have passes that lead to no position of it?
#[derive(Clone, Copy, PartialEq, Eq)]
enum LastPasses {
    Kept,
    LeftOut,
}

/// Positions of random games up to different lengths, with all that they lead through, those that must pass included.
fn positions(games: usize, random: &mut SplitMix64) -> BTreeSet<Key> {
    let mut found = BTreeSet::new();
    for game in 0..games {
        let mut board = Board::START;
        for _ in 0..=(game % 61) {
            if board.is_over() {
                break;
            }
            found.insert(key(board));
            board = match random.choose(board.legal_moves()) {
                Some(square) => board.play(square),
                None => board.pass(),
            };
        }
    }
    found
}

/// A consistent book of such positions: random leaves, and what follows from them.
fn records(games: usize, last_passes: LastPasses, seed: u64) -> Records {
    let mut random = SplitMix64::new(seed);
    let mut positions = positions(games, &mut random);
    if last_passes == LastPasses::LeftOut {
        let all = positions.clone();
        positions
            .retain(|&key| !board(key).must_pass() || all.contains(&self::key(board(key).pass())));
    }
    let mut records = Records::new();
    // A position comes behind those that its moves lead to; a pass leaves the empties as they are.
    let mut order: Vec<Key> = positions.iter().copied().collect();
    order.sort_by_key(|&key| (board(key).empty_count(), board(key).must_pass()));
    for key in order {
        let record = record_of(board(key), &positions, &records, &mut random);
        records.insert(key, record);
    }
    records
}

fn record_of(
    board: Board,
    positions: &BTreeSet<Key>,
    records: &Records,
    random: &mut SplitMix64,
) -> ExportedRecord {
    let mut replies: Vec<(u8, Board)> = Vec::new();
    for square in board.legal_moves() {
        replies.push((square.index() as u8, board.play(square)));
    }
    if replies.is_empty() {
        replies.push((PASS, board.pass()));
    }
    let (links, outside): (Vec<_>, Vec<_>) = replies
        .into_iter()
        .partition(|&(_, next)| positions.contains(&key(next)));
    let mut record = ExportedRecord {
        counts: [0; 4],
        value: -64,
        bounds: (-64, -64),
        level: random.below(40) as u8,
        links: BTreeSet::new(),
        leaf: None,
    };
    for (mv, next) in links {
        let child = &records[&key(next)];
        let [wins, draws, losses, lines] = child.counts;
        for (sum, more) in record.counts.iter_mut().zip([losses, draws, wins, lines]) {
            *sum = sum.saturating_add(more);
        }
        record.links.insert((mv, -child.value as i8));
        record.value = record.value.max(-child.value);
        let (lower, upper) = child.bounds;
        let (least, most) = record.bounds;
        record.bounds = (least.max(-upper), most.max(-lower));
        if mv == PASS {
            record.level = child.level;
        }
    }
    if let Some((mv, _)) = random.choose(outside) {
        let value = 2 * random.below(21) as i16 - 20;
        let is_exact = mv != PASS && random.below(3) == 0;
        let error = if is_exact { 0 } else { 2 };
        let (least, most) = record.bounds;
        record.bounds = (least.max(value - error), most.max(value + error));
        record.value = record.value.max(value);
        record.leaf = Some((mv, value as i8));
        record.counts[3] = record.counts[3].saturating_add(1);
        if is_exact {
            record.counts[(1 - value.signum()) as usize] += 1;
        }
    }
    record
}

fn edax(records: &Records, random: &mut SplitMix64) -> Vec<u8> {
    let mut bytes = b"XADEKOOB\x04\x06".to_vec();
    bytes.extend([0xe8, 0x07, 5, 6, 7, 8, 9, 0]);
    for number in [21, 24, 2, 1, 0, records.len() as i32] {
        bytes.extend(number.to_le_bytes());
    }
    for (key, record) in shuffled(records, random) {
        write_key(*key, &mut bytes);
        for count in record.counts {
            bytes.extend(count.to_le_bytes());
        }
        for number in [record.value, record.bounds.0, record.bounds.1] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend([record.links.len() as u8, record.level]);
        let leaf = record.leaf.unwrap_or((65, -127));
        for &(mv, score) in record.links.iter().chain([&leaf]) {
            bytes.extend([score as u8, mv]);
        }
    }
    bytes
}

fn write_key((player, opponent): Key, bytes: &mut Vec<u8>) {
    bytes.extend(player.to_le_bytes());
    bytes.extend(opponent.to_le_bytes());
}

/// The order of a file says nothing.
fn shuffled<'a>(
    records: &'a Records,
    random: &mut SplitMix64,
) -> Vec<(&'a Key, &'a ExportedRecord)> {
    let mut records: Vec<_> = records.iter().collect();
    random.shuffle(&mut records);
    records
}

/// Reads the fields of a file one after the other.
struct FieldReader<'a>(&'a [u8]);

impl FieldReader<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let (taken, rest) = self.0.split_first_chunk().expect("whole records");
        self.0 = rest;
        *taken
    }

    fn byte(&mut self) -> u8 {
        self.take::<1>()[0]
    }

    fn key(&mut self) -> Key {
        let mut number = || u64::from_le_bytes(self.take());
        (number(), number())
    }
}

/// Its records, whose number is that of the header.
fn read_edax(bytes: &[u8]) -> Records {
    let mut fields = FieldReader(bytes);
    assert_eq!(&fields.take::<9>(), b"XADEKOOB\x04");
    let _ = fields.take::<29>();
    let count = u32::from_le_bytes(fields.take()) as usize;
    let mut records = Records::new();
    while !fields.0.is_empty() {
        let key = fields.key();
        let counts = [(); 4].map(|()| u32::from_le_bytes(fields.take()));
        let [value, lower, upper] = [(); 3].map(|()| i16::from_le_bytes(fields.take()));
        let (links, level) = (fields.byte(), fields.byte());
        let mut moves: Vec<(u8, i8)> = Vec::new();
        for _ in 0..=links {
            let score = fields.byte() as i8;
            moves.push((fields.byte(), score));
        }
        let leaf = moves.pop().filter(|&(mv, _)| mv != 65);
        let record = ExportedRecord {
            counts,
            value,
            bounds: (lower, upper),
            level,
            links: moves.into_iter().collect(),
            leaf,
        };
        assert_eq!(key, self::key(board(key)), "canonical");
        assert!(records.insert(key, record).is_none(), "each position once");
    }
    assert_eq!(records.len(), count);
    records
}

/// Only positions with a move, and no links; each with the level of its leaf.
fn egaroucid(records: &Records, random: &mut SplitMix64) -> Vec<u8> {
    let mut bytes = b"DICUORAGE\x03".to_vec();
    bytes.extend((records.len() as i32).to_le_bytes());
    for (key, record) in shuffled(records, random) {
        write_key(*key, &mut bytes);
        bytes.extend([record.value as u8, record.level]);
        bytes.extend(record.counts[3].to_le_bytes());
        let leaf = record
            .leaf
            .map(|(mv, score)| [score as u8, mv, record.level]);
        bytes.extend(leaf.unwrap_or([-126i8 as u8, 65, -1i8 as u8]));
    }
    bytes
}

fn read_egaroucid(bytes: &[u8]) -> Records {
    let mut fields = FieldReader(bytes);
    assert_eq!(&fields.take::<10>(), b"DICUORAGE\x03");
    let count = u32::from_le_bytes(fields.take()) as usize;
    let mut records = Records::new();
    while !fields.0.is_empty() {
        let key = fields.key();
        let (value, level) = (i16::from(fields.byte() as i8), fields.byte());
        let lines = u32::from_le_bytes(fields.take());
        let (score, mv) = (fields.byte() as i8, fields.byte());
        let leaf_level = fields.byte();
        let leaf = (mv != 65).then_some((mv, score));
        assert_eq!(leaf_level, leaf.map_or(255, |_| level));
        let record = ExportedRecord {
            counts: [0, 0, 0, lines],
            value,
            bounds: (0, 0),
            level,
            links: BTreeSet::new(),
            leaf,
        };
        assert_eq!(key, self::key(board(key)), "canonical");
        assert!(records.insert(key, record).is_none(), "each position once");
    }
    assert_eq!(records.len(), count);
    records
}

/// Imported into a book of Emilia, and exported from there.
fn round_trip(format: ExchangeFormat, bytes: &[u8]) -> (Vec<u8>, Losses) {
    let (tree, losses) = import(format, bytes).expect("a book");
    let folder = tempfile::tempdir().expect("a writable place");
    let path = folder.path().join("a.book");
    let new = NewBook::create(&path).expect("a writable place");
    tree.write(new).expect("a writable place");
    let book = Book::open(&path).expect("a book");
    let mut out = Vec::new();
    let tree = Tree::load(&book).expect("readable");
    export(format, &tree, &mut out).expect("written");
    (out, losses)
}

#[test]
fn a_book_of_edax_is_equal_after_a_round_trip() {
    let records = records(600, LastPasses::Kept, 1);
    let must_pass = |(key, _): &(&Key, &ExportedRecord)| board(**key).must_pass();
    let passes: Vec<_> = records.iter().filter(must_pass).collect();
    assert!(passes.iter().any(|(_, record)| record.leaf.is_some()));
    assert!(passes.iter().any(|(_, record)| !record.links.is_empty()));
    let (out, losses) = round_trip(
        ExchangeFormat::Edax,
        &edax(&records, &mut SplitMix64::new(2)),
    );
    let scores = losses.iter().find(|(what, _)| what.contains("scores"));
    assert_eq!(scores, None, "{losses}");
    let mut found = read_edax(&out);
    // How far estimates are off is a guess of the program that writes the file.
    for (key, record) in &records {
        if let Some(found) = found.get_mut(key) {
            found.bounds = record.bounds;
        }
    }
    assert_eq!(found.len(), records.len());
    for (key, record) in &records {
        assert_eq!(found.get(key), Some(record), "{:?}", board(*key));
    }
}

#[test]
fn a_book_of_egaroucid_is_equal_after_a_round_trip() {
    let mut records = records(600, LastPasses::LeftOut, 3);
    records.retain(|&key, _| !board(key).must_pass());
    let alone = |record: ExportedRecord| ExportedRecord {
        counts: [0, 0, 0, record.counts[3]],
        bounds: (0, 0),
        links: BTreeSet::new(),
        ..record
    };
    let records: Records = records
        .into_iter()
        .map(|(key, record)| (key, alone(record)))
        .collect();
    let (out, losses) = round_trip(
        ExchangeFormat::Egaroucid,
        &egaroucid(&records, &mut SplitMix64::new(4)),
    );
    assert!(losses.is_empty(), "{losses}");
    assert_eq!(read_egaroucid(&out), records);
}

#[test]
fn what_no_book_of_another_program_says_is_an_error() {
    let board = crate::rules::Position::START;
    for (rest, reason) in [
        ("5,F5,-2147483648", "record 1: a score is beyond 64 discs"),
        ("61,F5,0", "record 1: expected a level 0..60"),
        ("5,A1,0", "record 1: its move is not legal"),
    ] {
        let line = format!("{board},{rest}\n");
        let error = import(ExchangeFormat::Text, line.as_bytes()).expect_err(rest);
        assert_eq!(error.to_string(), reason);
    }
    for format in [ExchangeFormat::Edax, ExchangeFormat::Egaroucid] {
        let error = import(format, &b"f5d6"[..]).expect_err("no book");
        assert!(error.to_string().starts_with("it is no book of"), "{error}");
    }
}

#[test]
fn damaged_books_of_other_programs_are_refused_or_make_sense() {
    let mut random = SplitMix64::new(5);
    let records = records(12, LastPasses::Kept, 6);
    let mut read = 0;
    for format in [
        ExchangeFormat::Edax,
        ExchangeFormat::Egaroucid,
        ExchangeFormat::Text,
    ] {
        let bytes = match format {
            ExchangeFormat::Edax => edax(&records, &mut random),
            ExchangeFormat::Egaroucid => egaroucid(&records, &mut random),
            ExchangeFormat::Text => {
                let (tree, _) =
                    import(ExchangeFormat::Edax, &edax(&records, &mut random)[..]).expect("a book");
                let mut bytes = Vec::new();
                export(ExchangeFormat::Text, &tree, &mut bytes).expect("written");
                bytes
            }
        };
        for _ in 0..2000 {
            let Ok((tree, _)) = import(format, &damaged(&bytes, &mut random)[..]) else {
                continue;
            };
            read += 1;
            for (board, entry) in tree.iter() {
                let legal = board.legal_moves();
                assert!(!legal.is_empty() && entry.score.to_f64().abs() <= 64.0);
                assert!(entry.leaf.is_none_or(|leaf| legal.contains(leaf.square)));
            }
            for other in [
                ExchangeFormat::Edax,
                ExchangeFormat::Egaroucid,
                ExchangeFormat::Text,
            ] {
                export(other, &tree, &mut std::io::sink()).expect("written");
            }
        }
    }
    assert!(read > 100, "{read}");
}
