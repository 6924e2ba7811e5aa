//! Files in the layouts of other programs, made and read here from their description alone.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::book::tests::{after, damaged};
use crate::book::{Book, BookEntry, LeafSearch, LeafSearcher, NewBook};
use crate::random::SplitMix64;
use crate::rules::Symmetry;
use crate::search::Control;

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

/// Positions that break a rule of the layout, by its description.
fn broken(records: &Records) -> Vec<Key> {
    const CENTRE: u64 = 0x0000_0018_1800_0000;
    let is_broken = |&(&key, record): &(&Key, &ExportedRecord)| {
        let board = board(key);
        let child = |mv: u8| match Square::new(mv.into()) {
            Some(square) => self::key(board.play(square)),
            None => self::key(board.pass()),
        };
        let squares = board.legal_moves().map(|square| square.index() as u8);
        let mut legal: BTreeSet<u8> = squares.collect();
        legal.extend(board.must_pass().then_some(PASS));
        let linked: BTreeSet<u8> = record.links.iter().map(|&(mv, _)| mv).collect();
        let link_fits = |&(mv, score): &(u8, i8)| {
            let next = legal.contains(&mv).then(|| records.get(&child(mv)));
            next.flatten()
                .is_some_and(|next| next.value == -i16::from(score))
        };
        let is_missing = |mv: &u8| !linked.contains(mv) && records.contains_key(&child(*mv));
        let leaf_fits = match record.leaf {
            Some((mv, _)) => legal.contains(&mv) && !linked.contains(&mv),
            None => linked == legal,
        };
        let scores = record.links.iter().chain(&record.leaf);
        let best = scores.map(|&(_, score)| i16::from(score)).max();
        let fits = record.links.iter().all(link_fits) && !legal.iter().any(is_missing);
        let fits = fits && leaf_fits && linked.len() == record.links.len();
        !fits || best.is_some_and(|best| best != record.value) || board.empties() & CENTRE != 0
    };
    let found = records.iter().filter(is_broken);
    found.map(|(&key, _)| key).collect()
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
            _ => {
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

#[test]
fn an_export_has_no_position_that_its_reader_would_call_broken() {
    let mut random = SplitMix64::new(9);
    let mut tree = Tree::default();
    for key in positions(40, &mut random) {
        let board = board(key);
        // Of some a move was searched, of some only the score is known, and of some nothing.
        let leaf = random.choose(board.legal_moves()).map(|square| BookLeaf {
            square,
            score: Score::from_raw(random.below(2000) as i32 - 1000),
            certainty: Certainty::Estimate,
            depth: 9,
        });
        if let Some(leaf) = leaf {
            let known = BookEntry::of_leaf(leaf);
            let entries = [known, known.with_leaf(None), BookEntry::UNSEARCHED];
            tree.insert(board, entries[random.below(3) as usize]);
        }
    }
    let exported = |tree: &Tree, format| {
        let mut out = Vec::new();
        export(format, tree, &mut out).expect("written");
        out
    };
    let before = read_edax(&exported(&tree, ExchangeFormat::Edax));
    assert!(broken(&before).len() > 20, "{}", broken(&before).len());
    let mut searcher = LeafSearcher::new(LeafSearch::Depth(1), 1).expect("memory");
    for format in [ExchangeFormat::Edax, ExchangeFormat::Json] {
        let mut tree = tree.clone();
        let completed = complete(format, &mut tree, |board, moves| {
            searcher.best_of(board, moves, &Control::new())
        });
        assert!(completed > 20, "{completed}");
        let out = exported(&tree, format);
        if format == ExchangeFormat::Edax {
            assert_eq!(broken(&read_edax(&out)), []);
        }
        assert_eq!(tree.wrong_scores(), 0);
        assert!(tree.iter().all(|(_, entry)| entry.is_known()));
        for error in [1.0, -1.0] {
            remove_leaves(&mut tree, error);
            let most = |(_, entry): (Board, &BookEntry)| {
                let leaf = entry.leaf?;
                Some(entry.score.to_f64() - leaf.score.to_f64())
            };
            let most = tree.iter().filter_map(most).fold(-1.0, f64::max);
            assert!(most <= error, "{most}");
        }
    }
}

#[test]
fn a_move_that_ends_the_game_is_a_leaf() {
    let mut random = SplitMix64::new(2);
    let last = loop {
        let mut board = Board::START;
        while let Some(square) = random.choose(board.legal_moves())
            && !board.play(square).is_over()
        {
            board = board.play(square);
        }
        if board.legal_moves().count() == 1 {
            break board;
        }
    };
    let square = last.legal_moves().first().expect("a move");
    let discs = -last.play(square).final_score() as i16;
    let record = |board: Board, value, links| {
        let record = ExportedRecord {
            counts: [0; 4],
            value,
            bounds: (value, value),
            level: 60,
            links,
            leaf: None,
        };
        (key(board), record)
    };
    let (canonical, symmetry) = last.canonical_with_symmetry();
    let mv = symmetry.apply_square(square).index() as u8;
    let records = Records::from([
        record(canonical, discs, [(mv, discs as i8)].into()),
        record(last.play(square), -discs, BTreeSet::new()),
    ]);
    let (out, _) = round_trip(ExchangeFormat::Edax, &edax(&records, &mut random));
    let found = read_edax(&out);
    assert_eq!(broken(&found), []);
    assert_eq!(found[&key(last)].leaf, Some((mv, discs as i8)));
}

#[test]
fn a_bad_record_of_egaroucid_costs_only_itself() {
    let mut random = SplitMix64::new(8);
    let mut records = records(20, LastPasses::LeftOut, 7);
    records.retain(|&key, _| !board(key).must_pass());
    let mut bytes = egaroucid(&records, &mut random);
    // A leaf that is no legal move.
    bytes[14 + 25 * 3 + 23] = 27;
    let (tree, losses) = import(ExchangeFormat::Egaroucid, &bytes[..]).expect("a book");
    assert_eq!(tree.len(), records.len() - 1);
    let told = losses.to_string();
    assert!(told.contains("records that make no sense"), "{told}");
    // A file that was cut loses what is not there.
    let cut = &bytes[..14 + 25 * 10 + 7];
    let (tree, losses) = import(ExchangeFormat::Egaroucid, cut).expect("a book");
    assert_eq!(tree.len(), 9);
    let told = losses.to_string();
    for what in [
        "records that are cut off",
        "numbers of positions in the header",
    ] {
        assert!(told.contains(what), "{told}");
    }
    for record in bytes[14..].chunks_mut(25) {
        record[23] = 27;
    }
    let refused = import(ExchangeFormat::Egaroucid, &bytes[..]).expect_err("no book");
    assert_eq!(refused.to_string(), "record 1: its move is not legal");
}

#[test]
fn a_score_without_its_move_is_not_that_of_another_move() {
    // After f5f4 a move that the record does not name is worth 7; the one that leads to a position of the book is worth -3.
    let record = |moves: &str, value: i16| {
        let record = ExportedRecord {
            counts: [0; 4],
            value,
            bounds: (0, 0),
            level: 10,
            links: BTreeSet::new(),
            leaf: None,
        };
        (key(after(moves)), record)
    };
    let records: Records = [record("f5", -7), record("f5f4", 7), record("f5f4e3", 3)].into();
    let bytes = egaroucid(&records, &mut SplitMix64::new(1));
    let (tree, losses) = import(ExchangeFormat::Egaroucid, &bytes[..]).expect("a book");
    let told = losses.to_string();
    assert!(
        told.contains("positions whose best move is not named"),
        "{told}"
    );
    let number = tree.find(after("f5f4")).expect("it is there");
    assert!(tree.is_unsearched(number) && !tree.at(number).1.is_known());
    // The position before it keeps what it is worth.
    let before = tree.get(after("f5")).expect("it is there");
    let leaf = before.leaf.map(|leaf| (leaf.square.name(), leaf.score));
    assert_eq!(before.score, Score::from_discs(-7));
    assert_eq!(leaf, Some(("f4", Score::from_discs(-7))));
    // It goes out again with a search, and its own score.
    let mut tree = tree;
    let mut searcher = LeafSearcher::new(LeafSearch::Depth(4), 1).expect("memory");
    let control = Control::new();
    complete(ExchangeFormat::Egaroucid, &mut tree, |board, moves| {
        searcher.best_of(board, moves, &control)
    });
    assert!(
        tree.get(after("f5f4"))
            .is_some_and(|entry| entry.is_known())
    );
}

#[test]
fn text_without_leaves_has_no_scores() {
    let line = |moves| format!("{},8,--,0\n", super::position(after(moves)));
    let text = line("f5d6") + &line("f5d6c3d3");
    let (tree, _) = import(ExchangeFormat::Text, text.as_bytes()).expect("a book");
    assert_eq!((tree.len(), tree.unsearched()), (2, 2));
    assert!(tree.iter().all(|(_, entry)| !entry.is_known()));
}
