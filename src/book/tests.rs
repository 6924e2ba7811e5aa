//! The store, and the work on whole books.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::exchange::{ExchangeFormat, export, import};
use super::grow::{Again, Rules, deepen};
use super::record::{KEY_BYTES, Key};
use super::*;
use crate::random::SplitMix64;
use crate::rules::{Board, Game, Move, Position};
use crate::score::Score;
use crate::search::Control;

/// Distinct positions of random games, canonical, with random entries.
fn entries(count: usize, seed: u64) -> Tree {
    let mut random = SplitMix64::new(seed);
    let mut tree = Tree::default();
    while tree.len() < count {
        let mut board = Board::START;
        while let Some(square) = random.choose(board.legal_moves())
            && tree.len() < count
        {
            let legal = random.choose(board.legal_moves());
            let score = Score::from_raw(random.below(4000) as i32 - 2000);
            let leaf = legal
                .filter(|_| random.below(4) > 0)
                .map(|square| BookLeaf {
                    square,
                    score: match random.below(2) {
                        0 => score,
                        _ => Score::from_raw(random.below(4000) as i32 - 2000),
                    },
                    certainty: Certainty::Estimate,
                    depth: random.below(30) as u8,
                });
            let counts = GameCounts {
                wins: random.below(3) as u32 * random.below(1 << 20) as u32,
                ..GameCounts::default()
            };
            let entry = BookEntry {
                score,
                depth: 3,
                leaf,
                counts,
                certainty: Certainty::Winner,
            };
            tree.insert(board, entry);
            board = match AfterMove::to(board, square).board() {
                Some(next) => next,
                None => break,
            };
        }
    }
    tree
}

/// The bytes, damaged in one of the ways in which files are.
pub(super) fn damaged(whole: &[u8], random: &mut SplitMix64) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    let length = bytes.len() as u64;
    let at = random.below(length) as usize;
    let span = (1 + random.below(300) as usize).min(bytes.len() - at);
    match random.below(7) {
        0 => bytes.truncate(at),
        1 => bytes[at] ^= 1 << random.below(8),
        2 => (0..20).for_each(|_| bytes[random.below(length) as usize] = random.next_u64() as u8),
        3 => bytes[at..at + span].fill_with(|| random.next_u64() as u8),
        4 => drop(bytes.drain(at..at + span)),
        5 => drop(bytes.splice(at..at, whole[at..at + span].iter().copied())),
        // Blocks, such as a file system has, stand in each other's place.
        _ => {
            let size = if random.below(2) == 0 { 4096 } else { 64 };
            let blocks = (bytes.len() / size) as u64;
            let mut block = || random.below(blocks.max(1)) as usize * size;
            let (one, other) = (block(), block());
            for place in 0..size.min(bytes.len()) {
                bytes.swap(one + place, other + place);
            }
        }
    }
    bytes
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a writable place")
}

fn written(folder: &Path, tree: &Tree) -> PathBuf {
    let path = folder.join("a.book");
    let new = NewBook::create(&path).expect("a writable place");
    tree.clone().write(new).expect("a writable place");
    path
}

fn prune(tree: &mut Tree, root: Board, error: f64) {
    let root = tree.find(root).expect("a position of the book");
    grade::prune(tree, &[root], error);
}

/// What a book holds, in its order.
fn all(book: &Book) -> Vec<(Board, BookEntry)> {
    let mut all = Vec::new();
    let damaged = book.for_each(|board, entry| all.push((board, entry)));
    assert_eq!(damaged.expect("readable"), []);
    all
}

fn sorted(tree: &Tree) -> Vec<(Board, BookEntry)> {
    let mut tree = tree.clone();
    tree.sort();
    tree.iter().map(|(board, entry)| (board, *entry)).collect()
}

#[test]
fn a_book_gives_back_what_was_written_for_all_images_of_a_board() {
    let (folder, tree) = (folder(), entries(3000, 1));
    let book = Book::open(&written(folder.path(), &tree)).expect("a book");
    assert_eq!(all(&book), sorted(&tree));
    for (board, entry) in tree.iter() {
        assert_eq!(book.get(board).expect("readable"), Some(*entry));
        for symmetry in crate::rules::Symmetry::all() {
            let image = board.transform(symmetry);
            let found = book.get(image).expect("readable").expect("known");
            let is_legal = |leaf: BookLeaf| image.legal_moves().contains(leaf.square);
            assert!(found.leaf.is_none_or(is_legal));
            assert_eq!(found.score, entry.score);
        }
    }
    let bytes = fs::metadata(book.path()).expect("a file").len();
    assert!(bytes < 27 * 3000 + 5 * 4096, "{bytes} bytes");
}

#[test]
fn look_ups_find_what_reading_finds_in_blocks_of_both_versions() {
    let folder = folder();
    let first_version = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/version-1.book");
    let mut random = SplitMix64::new(31);
    for path in [written(folder.path(), &entries(3000, 30)), first_version] {
        let book = Book::open(&path).expect("a book");
        let mut known = BTreeMap::new();
        let damaged = book.for_each_key(|key, entry| {
            known.insert(key, entry);
            Ok(())
        });
        assert_eq!(damaged.expect("readable"), []);
        for &key in known.keys() {
            // Keys that are not there share any number of bytes with those around them.
            let others = (0..KEY_BYTES).map(|byte| {
                let other = random.below(256) as Key;
                key ^ other << (8 * byte)
            });
            for wanted in others.chain([key, key - 1, key + 1]) {
                let found = book.get_key(wanted).expect("readable");
                assert_eq!(found, known.get(&wanted).copied(), "{wanted:x}");
            }
        }
    }
}

#[test]
fn changes_are_seen_after_a_commit_and_stay_when_the_file_is_written_anew() {
    let (folder, tree) = (folder(), entries(500, 2));
    let path = folder.path().join("new.book");
    let mut writer = BookWriter::open(&path).expect("a new book");
    for (board, entry) in tree.iter() {
        writer.set(board, Some(*entry));
    }
    assert_eq!(all(&Book::open(&path).expect("a book")), []);
    writer.commit().expect("a writable place");
    assert_eq!(all(&Book::open(&path).expect("a book")), sorted(&tree));
    let (removed, _) = tree.at(7);
    writer.set(removed, None);
    writer.commit().expect("a writable place");
    let expected: Vec<_> = sorted(&tree)
        .into_iter()
        .filter(|(board, _)| *board != removed)
        .collect();
    assert_eq!(all(&Book::open(&path).expect("a book")), expected);
    let reader = Book::open(&path).expect("a book");
    writer.compact().expect("a writable place");
    assert_eq!(all(&Book::open(&path).expect("a book")), expected);
    assert_eq!(all(&reader), expected, "an open book stays as it is");
    assert_eq!(writer.get(removed).expect("readable"), None);
}

#[test]
fn many_small_changes_do_not_make_a_large_file() {
    let (folder, tree) = (folder(), entries(100, 9));
    let path = written(folder.path(), &tree);
    let mut writer = BookWriter::open(&path).expect("a book");
    let (board, entry) = tree.at(0);
    for number in 0..2 * store::MAX_JOURNAL_BLOCKS {
        let depth = number as u8;
        writer.set(board, Some(BookEntry { depth, ..*entry }));
        writer.commit().expect("a writable place");
        let length = fs::metadata(&path).expect("a file").len();
        assert!(
            length <= (store::MAX_JOURNAL_BLOCKS + 6) * 4096,
            "{length} bytes"
        );
    }
    let changed = Book::open(&path).expect("a book").get(board);
    let depth = (2 * store::MAX_JOURNAL_BLOCKS - 1) as u8;
    assert_eq!(
        changed.expect("readable"),
        Some(BookEntry { depth, ..*entry })
    );
}

#[test]
fn a_large_commit_is_a_new_file_without_a_journal() {
    let (folder, tree) = (folder(), entries(20_000, 10));
    let path = folder.path().join("a.book");
    let mut writer = BookWriter::open(&path).expect("a new book");
    for (board, entry) in tree.iter() {
        writer.set(board, Some(*entry));
    }
    writer.commit().expect("a writable place");
    let book = Book::open(&path).expect("a book");
    assert!(book.changes.is_empty(), "there is no journal");
    assert_eq!(all(&book), sorted(&tree));
}

#[test]
fn what_stands_behind_the_longest_journal_is_not_read() {
    let (folder, tree) = (folder(), entries(100, 11));
    let path = written(folder.path(), &tree);
    let file = fs::OpenOptions::new().write(true).open(&path);
    // A hole of 4 terabytes takes no room.
    if file.and_then(|file| file.set_len(1 << 42)).is_err() {
        return;
    }
    assert_eq!(all(&Book::open(&path).expect("a book")), sorted(&tree));
    let mut writer = BookWriter::open(&path).expect("a book");
    writer.set(Board::START, Some(BookEntry::default()));
    writer.commit().expect("a writable place");
    assert!(fs::metadata(&path).expect("a file").len() < 1 << 20);
}

#[test]
fn a_book_is_whole_where_the_writing_of_the_new_file_ended_anywhere() {
    let (folder, tree) = (folder(), entries(500, 12));
    let path = written(folder.path(), &tree);
    let mut writer = BookWriter::open(&path).expect("a book");
    writer.set(Board::START, Some(BookEntry::default()));
    writer.commit().expect("a writable place");
    let before = all(&Book::open(&path).expect("a book"));
    for count in [0, 1, 300, 500] {
        let mut new = NewBook::create(&path).expect("a writable place");
        for (board, entry) in before.iter().take(count) {
            new.push(*board, *entry).expect("a writable place");
        }
        // As where a second signal ends the process: nothing is cleaned up.
        std::mem::forget(new);
        assert_eq!(all(&Book::open(&path).expect("a book")), before);
    }
    writer.compact().expect("a writable place");
    assert_eq!(all(&Book::open(&path).expect("a book")), before);
}

#[test]
fn a_second_writer_is_refused_and_readers_are_not() {
    let (folder, tree) = (folder(), entries(50, 3));
    let path = written(folder.path(), &tree);
    let mut writer = BookWriter::open(&path).expect("a book");
    for _ in 0..2 {
        let second = BookWriter::open(&path).expect_err("locked");
        assert!(matches!(second, BookError::InUse(_)), "{second}");
        assert!(Book::open(&path).is_ok());
        writer.set(Board::START, Some(BookEntry::default()));
        writer.commit().expect("a writable place");
        // The new file is locked too.
        writer.compact().expect("a writable place");
    }
    drop(writer);
    assert!(BookWriter::open(&path).is_ok());
}

#[test]
fn a_commit_that_was_cut_short_anywhere_is_left_out() {
    let (folder, tree) = (folder(), entries(400, 4));
    let path = written(folder.path(), &tree);
    let before = fs::read(&path).expect("a file");
    let mut writer = BookWriter::open(&path).expect("a book");
    for (board, entry) in entries(600, 5).iter() {
        writer.set(board, Some(*entry));
    }
    writer.commit().expect("a writable place");
    let after = all(writer.book());
    drop(writer);
    let whole = fs::read(&path).expect("a file");
    let mut random = SplitMix64::new(6);
    for _ in 0..50 {
        let cut = before.len() as u64 + random.below((whole.len() - before.len()) as u64);
        fs::write(&path, &whole[..cut as usize]).expect("a writable place");
        assert_eq!(
            all(&Book::open(&path).expect("a book")),
            sorted(&tree),
            "{cut}"
        );
        let mut writer = BookWriter::open(&path).expect("a book");
        for (board, entry) in &after {
            writer.set(*board, Some(*entry));
        }
        writer.commit().expect("a writable place");
        assert_eq!(all(&Book::open(&path).expect("a book")), after, "{cut}");
    }
}

#[test]
fn damage_costs_at_most_its_block_and_never_gives_wrong_entries() {
    let (folder, tree) = (folder(), entries(800, 7));
    let path = written(folder.path(), &tree);
    let whole = fs::read(&path).expect("a file");
    let mut random = SplitMix64::new(8);
    for number in 0..2000 {
        let bytes = damaged(&whole, &mut random);
        fs::write(&path, &bytes).expect("a writable place");
        let book = match Book::open(&path) {
            Ok(book) => book,
            Err(BookError::NotABook(_)) if bytes.len() < 2 * 4096 => continue,
            // Both headers are damaged.
            Err(error) => {
                assert!(error.to_string().contains("(bytes 0 to"), "{error}");
                assert!(bytes[..4096] != whole[..4096], "{error}");
                continue;
            }
        };
        let mut found = 0;
        let damaged = book.for_each(|board, entry| {
            assert_eq!(tree.get(board), Some(entry));
            found += 1;
        });
        let damaged = damaged.expect("readable");
        assert!(found == tree.len() || !damaged.is_empty(), "{number}");
        let is_cut = bytes.len() < whole.len();
        assert!(
            is_cut || found + 300 * damaged.len() >= tree.len(),
            "{number}"
        );
        // A writer would destroy what it cannot read, so it changes nothing.
        let whole_again = damaged.is_empty() && found == tree.len();
        assert_eq!(BookWriter::open(&path).is_ok(), whole_again, "{number}");
        assert!(fs::read(&path).expect("a file") == bytes, "{number}");
        if number % 8 == 0 {
            let rescued = rescue(&path).expect("readable");
            assert!(rescued.tree.len() >= found, "{number}");
            let is_known = |(board, _)| tree.find(board).is_some();
            assert!(rescued.tree.iter().all(is_known), "{number}");
        }
        let (board, entry) = tree.at(random.below(800) as usize);
        match book.get(board) {
            Ok(found) => assert_eq!(found, Some(*entry)),
            Err(error) => assert!(error.to_string().contains("block"), "{error}"),
        }
    }
}

#[test]
fn a_block_that_is_doubled_or_lost_or_moved_costs_at_most_itself() {
    let (folder, tree) = (folder(), entries(2000, 13));
    let path = written(folder.path(), &tree);
    let whole = fs::read(&path).expect("a file");
    let block = |number: usize| number * 4096..(number + 1) * 4096;
    let rescued = |bytes: &[u8]| {
        fs::write(&path, bytes).expect("a writable place");
        rescue(&path).expect("readable")
    };
    let mut doubled = whole.clone();
    doubled.splice(block(3).end..block(3).end, whole[block(3)].iter().copied());
    let mut shifted = whole.clone();
    shifted.splice(5000..5000, *b"EMBK, and 15 more");
    let mut swapped = whole.clone();
    swapped[block(2)].copy_from_slice(&whole[block(5)]);
    swapped[block(5)].copy_from_slice(&whole[block(2)]);
    for bytes in [&doubled, &shifted, &swapped] {
        let found = rescued(bytes);
        assert_eq!((found.tree.len(), found.lost), (tree.len(), Vec::new()));
        assert!(found.moved > 0);
    }
    let mut cut = whole.clone();
    cut.drain(block(4));
    // Without a header, too.
    let mut headless = cut.clone();
    headless[..2 * 4096].fill(7);
    for bytes in [&cut, &headless] {
        let found = rescued(bytes);
        let lost: Vec<u64> = found.lost.iter().map(|damage| damage.block).collect();
        assert_eq!(lost, [4]);
        assert!(found.tree.len() + 300 >= tree.len());
        assert_eq!(found.tree.wrong_scores(), 0);
    }
}

#[test]
fn counts_of_a_header_are_not_believed() {
    let (folder, tree) = (folder(), entries(100, 14));
    let path = written(folder.path(), &tree);
    let whole = fs::read(&path).expect("a file");
    for (data_blocks, index_blocks) in [(1 << 28, 1 << 20), (1, 1 << 40), (u64::MAX, u64::MAX)] {
        let header = store::BookHeader {
            data_blocks,
            index_blocks,
        };
        let mut bytes = whole.clone();
        for number in 0..2 {
            bytes.splice(
                number * 4096..(number + 1) * 4096,
                header.seal(number as u64),
            );
        }
        fs::write(&path, &bytes).expect("a writable place");
        let refused = BookWriter::open(&path).expect_err("it is damaged");
        assert!(refused.to_string().contains("damaged"), "{refused}");
        assert!(fs::read(&path).expect("a file") == bytes);
        assert_eq!(rescue(&path).expect("readable").tree.len(), tree.len());
    }
}

#[test]
fn other_files_are_no_books() {
    let folder = folder();
    let path = folder.path().join("x");
    for bytes in [&b"XADEKOOB, and more"[..], b"EMBK", &[0; 9000]] {
        fs::write(&path, bytes).expect("a writable place");
        assert!(Book::open(&path).is_err());
        assert!(BookWriter::open(&path).is_err());
        assert_eq!(fs::read(&path).expect("a file"), bytes, "it is not touched");
    }
    assert!(Book::open(&folder.path().join("none")).is_err());
}

#[test]
fn what_cannot_be_written_is_an_error() {
    let folder = folder();
    let nowhere = folder.path().join("no folder").join("a.book");
    assert!(NewBook::create(&nowhere).is_err());
    assert!(BookWriter::open(&nowhere).is_err());
    assert!(BookWriter::open(folder.path()).is_err(), "a folder");
}

#[cfg(unix)]
#[test]
fn a_read_only_book_is_read_and_not_written() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, tree) = (folder(), entries(50, 3));
    let path = written(folder.path(), &tree);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).expect("ours");
    assert_eq!(all(&Book::open(&path).expect("a book")), sorted(&tree));
    // For the superuser nothing is read-only.
    let is_refused = fs::OpenOptions::new().write(true).open(&path).is_err();
    assert_eq!(BookWriter::open(&path).is_err(), is_refused);
}

#[test]
fn positions_of_games_are_not_played_before_they_are_searched() {
    let folder = folder();
    let path = folder.path().join("a");
    grown(&path, 10, 1);
    let game = "f5f6e6f4e3".parse::<crate::formats::transcript::Transcript>();
    let game = game.expect("a game").game;
    let mut writer = BookWriter::open(&path).expect("a book");
    let before = PositionStudy::of(writer.book(), Board::START).expect("readable");
    let (_, new) = learn_game(&mut writer, &game).expect("readable");
    assert!(new > 0);
    writer.commit().expect("a writable place");
    assert_eq!(
        PositionStudy::of(writer.book(), Board::START).expect("readable"),
        before
    );
    let mut tree = Tree::load(writer.book()).expect("readable");
    assert_eq!(tree.negamax(), [0; 0], "they have no influence");
    drop(tree);
    let last = game.position().board;
    assert!(
        PositionStudy::of(writer.book(), last)
            .expect("readable")
            .is_none()
    );
    let (rules, control) = (rules(0, 1), Control::new());
    let again = None;
    let grown = deepen(&mut writer, &rules, again, &control, &mut |_| {});
    assert!(grown.expect("a search").searches >= new);
    assert!(
        PositionStudy::of(writer.book(), last)
            .expect("readable")
            .is_some()
    );
    // Who lost knows what else there was to play.
    let tree = Tree::load(writer.book()).expect("readable");
    for position in game.positions() {
        let entry = tree.get(position.board).expect("a position of the game");
        let others = tree.outside(position.board);
        assert_eq!(entry.leaf.is_none(), others.is_empty());
    }
}

#[test]
fn a_game_that_leads_into_the_book_is_no_fault_before_it_is_searched() {
    let folder = folder();
    let path = folder.path().join("a");
    let game = "f5d6c3d3c4f4f6".parse::<crate::formats::transcript::Transcript>();
    let game = game.expect("a game").game;
    let mut writer = BookWriter::open(&path).expect("a book");
    // Of a game's positions every second one is known.
    for position in game.positions().step_by(2) {
        let leaf = BookLeaf {
            square: position.board.legal_moves().first().expect("a move"),
            score: Score::from_discs(3),
            certainty: Certainty::Estimate,
            depth: 4,
        };
        writer.set(position.board, Some(BookEntry::of_leaf(leaf)));
    }
    learn_game(&mut writer, &game).expect("readable");
    writer.commit().expect("a writable place");
    let tree = Tree::load(writer.book()).expect("readable");
    assert_eq!(tree.wrong_scores(), 0);
    assert!(tree.unsearched() > 0);
}

fn rules(positions: usize, threads: usize) -> Rules {
    Rules {
        search: LeafSearch::Depth(1),
        positions: Some(positions),
        threads: threads.try_into().expect("at least one"),
        hash_mb: 1,
        ..Rules::default()
    }
}

fn grown(path: &Path, positions: usize, threads: usize) -> Vec<(Board, BookEntry)> {
    let mut writer = BookWriter::open(path).expect("a book");
    let rules = rules(positions, threads);
    let played = PlayedGames::default();
    grow(&mut writer, &rules, &played, &Control::new(), &mut |_| {}).expect("a search");
    all(writer.book())
}

#[test]
fn a_book_grows_from_nothing_the_same_way_and_goes_on_where_it_ended() {
    let folder = folder();
    let (one, two) = (folder.path().join("1"), folder.path().join("2"));
    let first = grown(&one, 20, 1);
    assert_eq!(first, grown(&two, 20, 1));
    assert_eq!(first.len(), 20);
    let more = grown(&one, 30, 2);
    assert_eq!(more.len(), 30);
    let book = Book::open(&one).expect("a book");
    let mut tree = Tree::load(&book).expect("readable");
    assert_eq!(tree.negamax(), [0; 0], "scores are at the root");
    let study = PositionStudy::of(&book, Board::START)
        .expect("readable")
        .expect("known");
    assert_eq!(study.replies.len(), 4);
    assert!(study.replies.iter().all(|reply| reply.is_link));
    assert_eq!(study.entry.score, study.replies[0].score);
    let mut player = BookPlayer::new(std::sync::Arc::new(book), BookManner::default(), 1);
    let chosen = player.choose(Board::START).expect("a move");
    assert_eq!(chosen.score, study.entry.score);
    assert!(chosen.outside.is_empty() && chosen.line.len() > 1);
}

#[test]
fn a_growth_that_is_stopped_searches_nothing_more() {
    let folder = folder();
    let mut writer = BookWriter::open(&folder.path().join("a")).expect("a book");
    let control = Control::new();
    control.stop();
    let played = PlayedGames::default();
    let grown = grow(&mut writer, &rules(20, 1), &played, &control, &mut |_| {});
    assert_eq!(grown.expect("no search").searches, 0);
    let again = Some(Again::ALL);
    let grown = deepen(&mut writer, &rules(20, 1), again, &control, &mut |_| {});
    assert_eq!(grown.expect("no search").searches, 0);
}

#[test]
fn only_what_good_lines_reach_is_deepened_where_that_is_asked_for() {
    let folder = folder();
    let mut writer = BookWriter::open(&folder.path().join("a")).expect("a book");
    let played = PlayedGames::default();
    let rules = |depth| Rules {
        search: LeafSearch::Depth(depth),
        ..rules(60, 1)
    };
    grow(
        &mut writer,
        &rules(2),
        &played,
        &Control::new(),
        &mut |_| {},
    )
    .expect("a search");
    let again = Some(Again {
        error: 1.0,
        ..Again::ALL
    });
    deepen(&mut writer, &rules(4), again, &Control::new(), &mut |_| {}).expect("a search");
    let tree = Tree::load(writer.book()).expect("readable");
    let depths = tree
        .iter()
        .filter_map(|(_, entry)| entry.leaf)
        .map(|leaf| leaf.depth);
    let (deep, others): (Vec<u8>, Vec<u8>) = depths.partition(|&depth| depth >= 4);
    assert!(
        deep.len() > 3 && others.len() > 3,
        "{} {}",
        deep.len(),
        others.len()
    );
    assert_eq!(tree.wrong_scores(), 0);
}

#[test]
fn late_positions_and_those_of_near_moves_alone_are_deepened_where_that_is_asked_for() {
    let folder = folder();
    let path = folder.path().join("a");
    let control = Control::new();
    let depth = |depth| Rules {
        search: LeafSearch::Depth(depth),
        ..rules(60, 1)
    };
    let mut writer = BookWriter::open(&path).expect("a book");
    let played = PlayedGames::default();
    grow(&mut writer, &depth(2), &played, &control, &mut |_| {}).expect("a search");
    let before = Tree::load(writer.book()).expect("readable");
    let again = Again {
        min_ply: 4,
        close: 0.5,
        ..Again::ALL
    };
    deepen(&mut writer, &depth(4), Some(again), &control, &mut |_| {}).expect("a search");
    let after = Tree::load(writer.book()).expect("readable");
    let mut short = LeafSearcher::new(LeafSearch::Depth(2), 1).expect("memory");
    let mut counts = [0; 2];
    for (board, entry) in before.iter() {
        let study = PositionStudy::of_tree(&before, board).expect("known");
        let in_book = study
            .replies
            .get(1)
            .map(|second| study.replies[0].score.to_f64() - second.score.to_f64());
        let is_close = [in_book, short.gap(board, &control)]
            .into_iter()
            .any(|gap| gap.is_some_and(|gap| gap <= 0.5));
        let is_wanted = is_close && board.empty_count() <= 56 && entry.leaf.is_some();
        let is_deep = after
            .get(board)
            .and_then(|entry| entry.leaf)
            .is_some_and(|leaf| leaf.depth >= 4);
        assert_eq!(is_deep, is_wanted, "{board:?}");
        counts[usize::from(is_deep)] += 1;
    }
    assert!(counts.iter().all(|&count| count > 5), "{counts:?}");
    // The same again has nothing to do.
    let entries = |tree: &Tree| {
        tree.iter()
            .map(|(board, entry)| (board, *entry))
            .collect::<Vec<_>>()
    };
    deepen(&mut writer, &depth(4), Some(again), &control, &mut |_| {}).expect("a search");
    let same = Tree::load(writer.book()).expect("readable");
    assert_eq!(entries(&same), entries(&after));
}

#[test]
fn all_that_is_in_a_book_is_deepened_also_below_other_positions_than_the_start() {
    let folder = folder();
    let path = folder.path().join("a");
    grown(&path, 20, 1);
    let root = after("f5d6c3d3c4f4c5b3c2e3");
    let mut writer = BookWriter::open(&path).expect("a book");
    let expansion = Expansion {
        root,
        ..Expansion::default()
    };
    let below = Rules {
        expansion,
        ..rules(40, 1)
    };
    let played = PlayedGames::default();
    grow(&mut writer, &below, &played, &Control::new(), &mut |_| {}).expect("a search");
    let deeper = Rules {
        search: LeafSearch::Depth(5),
        ..rules(40, 1)
    };
    for error in [1.0, f64::INFINITY] {
        let again = Again {
            error,
            ..Again::ALL
        };
        let grown = deepen(
            &mut writer,
            &deeper,
            Some(again),
            &Control::new(),
            &mut |_| {},
        );
        assert!(grown.expect("a search").searches > 0);
        let entry = writer.book().get(root).expect("readable").expect("known");
        let depth = entry.leaf.map(|leaf| leaf.depth);
        assert!(depth.is_none_or(|depth| depth >= 5), "{depth:?}");
    }
    let shallow = all(writer.book())
        .into_iter()
        .filter_map(|(_, entry)| entry.leaf);
    let shallow = shallow.filter(|leaf| leaf.depth < 5 && leaf.certainty != Certainty::Exact);
    assert_eq!(shallow.count(), 0);
}

#[test]
fn the_smallest_searches_find_a_move() {
    let folder = folder();
    let mut writer = BookWriter::open(&folder.path().join("a")).expect("a book");
    let rules = Rules {
        search: LeafSearch::Nodes(1),
        ..rules(10, 1)
    };
    let played = PlayedGames::default();
    let grown = grow(&mut writer, &rules, &played, &Control::new(), &mut |_| {});
    assert_eq!(grown.expect("moves").positions, 10);
}

#[test]
fn leaves_keep_the_fraction_of_their_scores() {
    let folder = folder();
    let path = folder.path().join("a");
    let mut writer = BookWriter::open(&path).expect("a book");
    let rules = Rules {
        search: LeafSearch::Depth(6),
        ..rules(20, 1)
    };
    let played = PlayedGames::default();
    grow(&mut writer, &rules, &played, &Control::new(), &mut |_| {}).expect("a search");
    let whole = |entry: &BookEntry| entry.score.raw() % Score::PER_DISC == 0;
    let entries = all(&Book::open(&path).expect("a book"));
    assert!(entries.iter().any(|(_, entry)| !whole(entry)));
    let is_proven = |entry: &BookEntry| entry.certainty == Certainty::Exact;
    assert!(
        entries
            .iter()
            .all(|(_, entry)| !is_proven(entry) || whole(entry))
    );
}

#[test]
fn books_of_other_programs_are_equal_after_a_round_trip() {
    let folder = folder();
    let path = folder.path().join("a");
    grown(&path, 40, 1);
    let mut tree = Tree::load(&Book::open(&path).expect("a book")).expect("readable");
    // Fractions of a disc, which these formats round.
    for number in 0..tree.len() {
        if let Some(leaf) = &mut tree.entry_mut(number).leaf {
            leaf.score = Score::from_raw(leaf.score.raw() + number as i32 % Score::PER_DISC);
        }
    }
    tree.negamax();
    for format in [
        ExchangeFormat::Edax,
        ExchangeFormat::Egaroucid,
        ExchangeFormat::Text,
    ] {
        let mut bytes = Vec::new();
        let losses = export(format, &tree, &mut bytes).expect("written");
        assert!(losses.iter().any(|(what, _)| what.contains("fractions")));
        let (mut read, _) = import(format, &bytes[..]).expect("readable");
        read.sort();
        let boards = |tree: &Tree| {
            sorted(tree)
                .into_iter()
                .map(|(board, _)| board)
                .collect::<Vec<_>>()
        };
        assert_eq!(boards(&read), boards(&tree));
        for (board, entry) in tree.iter() {
            let again = read.get(board).expect("known");
            assert_eq!(again.score.discs(), entry.score.discs(), "{format:?}");
            let leaf = |entry: BookEntry| entry.leaf.map(|leaf| (leaf.square, leaf.score.discs()));
            assert_eq!(leaf(again), leaf(*entry));
        }
        let mut once = Vec::new();
        export(format, &read, &mut once).expect("written");
        let (mut read, _) = import(format, &once[..]).expect("readable");
        read.sort();
        let mut twice = Vec::new();
        export(format, &read, &mut twice).expect("written");
        assert!(once == twice, "{format:?}");
        for cut in [0, 5, 20, 50, bytes.len() - 1] {
            let cut = import(format, &bytes[..cut.min(bytes.len())]);
            let is_told = match (format, cut) {
                (_, Err(_)) | (ExchangeFormat::Text, _) => true,
                (ExchangeFormat::Egaroucid, Ok((_, losses))) => {
                    losses.to_string().contains("cut off")
                }
                _ => false,
            };
            assert!(is_told, "{format:?}");
        }
    }
}

#[test]
fn an_edax_book_has_its_documented_layout() {
    let mut tree = Tree::default();
    let leaf = BookLeaf {
        square: "d3".parse().expect("a square"),
        score: Score::from_discs(-1),
        certainty: Certainty::Estimate,
        depth: 21,
    };
    tree.insert(Board::START, BookEntry::of_leaf(leaf));
    let mut bytes = Vec::new();
    export(ExchangeFormat::Edax, &tree, &mut bytes).expect("written");
    assert_eq!(bytes.len(), 42 + 42);
    assert_eq!(&bytes[..9], b"XADEKOOB\x04");
    assert_eq!(bytes[18..22], 21i32.to_le_bytes());
    assert_eq!(bytes[38..42], 1i32.to_le_bytes());
    assert_eq!(bytes[42..50], 0x0000_0008_1000_0000u64.to_le_bytes());
    assert_eq!(bytes[50..58], 0x0000_0010_0800_0000u64.to_le_bytes());
    assert_eq!(bytes[74..76], (-1i16).to_le_bytes());
    assert_eq!(bytes[80..], [0, 21, 0xff, 19]);
    let mut bytes = Vec::new();
    export(ExchangeFormat::Egaroucid, &tree, &mut bytes).expect("written");
    assert_eq!(&bytes[..14], b"DICUORAGE\x03\x01\0\0\0");
    assert_eq!(bytes[14 + 16..], [0xff, 21, 0, 0, 0, 0, 0xff, 19, 21]);
}

#[test]
fn what_other_programs_call_proven_is_kept_and_not_believed() {
    let mut random = SplitMix64::new(3);
    let mut board = Board::START;
    while board.empty_count() > 8 {
        let square = random.choose(board.legal_moves());
        board = match square.map(|square| AfterMove::to(board, square)) {
            Some(reply) => reply.board().unwrap_or(Board::START),
            None => Board::START,
        };
    }
    let wrong = BookLeaf {
        square: board.legal_moves().first().expect("a move"),
        score: Score::from_discs(64),
        certainty: Certainty::Exact,
        depth: 60,
    };
    let mut tree = Tree::default();
    tree.insert(board, BookEntry::of_leaf(wrong));
    tree.sort();
    let exported = |tree: &Tree| {
        let mut bytes = Vec::new();
        export(ExchangeFormat::Edax, tree, &mut bytes).expect("written");
        bytes
    };
    let bytes = exported(&tree);
    let (read, _) = import(ExchangeFormat::Edax, &bytes[..]).expect("readable");
    assert!(exported(&read) == bytes, "the mark is kept");
    let entry = read.get(board).expect("known");
    assert_eq!(entry.certainty, Certainty::Estimate);
    let certainty = |entry: BookEntry| entry.leaf.map(|leaf| leaf.certainty);
    assert_eq!(certainty(entry), Some(Certainty::Unconfirmed));
    assert_eq!(grade::grade(&read, &read.roots()).proven, 0);
    let folder = folder();
    let path = written(folder.path(), &read);
    let mut writer = BookWriter::open(&path).expect("a book");
    assert_eq!(certainty(all(writer.book())[0].1), certainty(entry));
    let rules = Rules {
        search: LeafSearch::Depth(8),
        ..rules(0, 1)
    };
    let again = Some(Again::ALL);
    deepen(&mut writer, &rules, again, &Control::new(), &mut |_| {}).expect("a search");
    let solved = writer.get(board).expect("readable").expect("known");
    assert_eq!(solved.certainty, Certainty::Exact);
    assert!(solved.score < Score::from_discs(64));
}

#[test]
fn a_game_counts_once() {
    let folder = folder();
    let path = folder.path().join("a");
    let read = |moves: &str| {
        let game = moves.parse::<crate::formats::transcript::Transcript>();
        game.expect("a game").game
    };
    // The shortest games there are; the second is a mirror image of the first.
    let games = ["e6f4e3f6g5d6e7f5c5", "f5d6c5f6e7f4g5e6e3"].map(read);
    let mut writer = BookWriter::open(&path).expect("a book");
    for (round, expected) in [LearnedGame::Counted, LearnedGame::Known]
        .iter()
        .enumerate()
    {
        for game in &games[..=round] {
            let (learned, _) = learn_game(&mut writer, game).expect("readable");
            assert_eq!(learned, *expected);
        }
        writer.commit().expect("a writable place");
        writer.compact().expect("a writable place");
    }
    // It is remembered by all that is made of the book.
    let mut merged = Tree::default();
    merged.merge_all(Tree::load(writer.book()).expect("readable"));
    drop(writer);
    for tree in [merged, rescue(&path).expect("readable").tree] {
        let mut writer = BookWriter::open(&written(folder.path(), &tree)).expect("a book");
        let (learned, _) = learn_game(&mut writer, &games[0]).expect("readable");
        assert_eq!(learned, LearnedGame::Known);
        let start = writer.get(Board::START).expect("readable").expect("known");
        assert_eq!(start.counts.games(), 1);
    }
}

#[test]
fn merged_books_count_each_game_once() {
    let folder = folder();
    let mut random = SplitMix64::new(1);
    let games = [0; 3].map(|_| {
        let mut game = Game::new(Position::START);
        while !game.position().board.is_over() {
            let square = random.choose(game.position().board.legal_moves());
            let played = game.play(square.map_or(Move::Pass, Move::Place));
            played.expect("a legal move");
        }
        game
    });
    let book = |learned: std::ops::Range<usize>| {
        let path = folder.path().join(format!("{learned:?}"));
        let mut writer = BookWriter::open(&path).expect("a book");
        for game in &games[learned] {
            learn_game(&mut writer, game).expect("readable");
        }
        writer.commit().expect("a writable place");
        Tree::load(writer.book()).expect("readable")
    };
    let all = book(0..3);
    for (one, other, counted, miscounted) in [
        (book(0..1), book(1..3), 3, 0),
        (book(0..2), book(0..3), 3, 0),
        (Tree::default(), book(0..2), 2, 0),
        (book(0..2), book(1..3), 2, 1),
    ] {
        let mut merged = one.clone();
        assert_eq!(merged.merge_all(other).miscounted, miscounted);
        let start = merged.get(Board::START).expect("known");
        assert_eq!(start.counts.games(), counted);
        for (board, entry) in merged.iter().filter(|_| counted == 3) {
            assert_eq!(Some(entry.counts), all.get(board).map(|entry| entry.counts));
        }
    }
}

#[test]
fn pruning_keeps_what_good_moves_reach_and_its_scores() {
    let folder = folder();
    let path = folder.path().join("a");
    grown(&path, 60, 1);
    let tree = Tree::load(&Book::open(&path).expect("a book")).expect("readable");
    let mut pruned = tree.clone();
    prune(&mut pruned, Board::START, 0.0);
    assert!(pruned.len() < tree.len() && !pruned.is_empty());
    let score = |tree: &Tree| tree.get(Board::START).map(|entry| entry.score);
    assert_eq!(score(&pruned), score(&tree));
}

/// A leaf of an estimate at this depth.
fn leaf(square: &str, discs: i32, depth: u8) -> BookLeaf {
    BookLeaf {
        square: square.parse().expect("a square"),
        score: Score::from_discs(discs),
        certainty: Certainty::Estimate,
        depth,
    }
}

pub(super) fn after(moves: &str) -> Board {
    let transcript = moves.parse::<crate::formats::transcript::Transcript>();
    transcript.expect("moves").game.position().board
}

#[test]
fn what_is_cut_off_keeps_its_depth_and_what_was_not_searched_stays_so() {
    for (own, left) in [
        (Some(leaf("f6", -30, 20)), Some(leaf("f4", -20, 24))),
        (Some(leaf("f6", -8, 20)), Some(leaf("f6", -8, 20))),
        (None, None),
    ] {
        let mut tree = Tree::default();
        let searched = |leaf| BookEntry {
            depth: 10,
            ..BookEntry::of_leaf(leaf)
        };
        let unsearched = BookEntry {
            depth: 10,
            ..BookEntry::default()
        };
        tree.insert(after("f5"), own.map_or(unsearched, searched));
        tree.insert(after("f5d6"), searched(leaf("c4", -9, 24)));
        tree.insert(after("f5f4"), searched(leaf("e3", 20, 24)));
        tree.negamax();
        prune(&mut tree, after("f5"), 3.0);
        assert_eq!(tree.len(), 2);
        assert_eq!(tree.unsearched(), usize::from(own.is_none()));
        assert_eq!(tree.get(after("f5")).and_then(|entry| entry.leaf), left);
    }
}

#[test]
fn a_leaf_that_another_book_has_as_a_position_gives_way_to_the_next_one() {
    let (mut one, mut other) = (Tree::default(), Tree::default());
    one.insert(after("f5"), BookEntry::of_leaf(leaf("f6", -3, 10)));
    one.insert(after("f5d6"), BookEntry::of_leaf(leaf("c4", 2, 10)));
    other.insert(after("f5"), BookEntry::of_leaf(leaf("d6", -2, 20)));
    for (first, second) in [(&one, &other), (&other, &one)] {
        let mut merged = first.clone();
        merged.merge_all(second.clone());
        merged.negamax();
        assert_eq!((merged.unsearched(), merged.wrong_scores()), (0, 0));
        let found = merged.get(after("f5")).and_then(|entry| entry.leaf);
        assert_eq!(found, Some(leaf("f6", -3, 10)));
    }
}

#[test]
fn positions_of_games_come_first_and_their_moves_are_searched() {
    let folder = folder();
    let path = folder.path().join("a");
    let mut writer = BookWriter::open(&path).expect("a book");
    // No good line has these moves.
    let game = "f5f4f3f6d6g4h3".parse::<crate::formats::transcript::Transcript>();
    let game = game.expect("a game").game;
    let mut played = PlayedGames::default();
    assert_eq!(played.halvings(Board::START), None);
    assert!((0..8).all(|_| played.add(&game)));
    assert_eq!(played.halvings(Board::START), Some(0.0));
    let rules = rules(12, 1);
    grow(&mut writer, &rules, &played, &Control::new(), &mut |_| {}).expect("a search");
    let book = writer.book();
    for position in game.positions() {
        let found = book.get(position.board).expect("readable");
        assert!(found.expect("a position of the game").is_known());
    }
    assert_eq!(all(book).len(), 12);
    let mut tree = Tree::load(book).expect("readable");
    assert_eq!(tree.negamax(), [0; 0], "scores are at the root");
    assert_eq!(tree.unsearched(), 0, "all moves are searched");
}

#[test]
fn no_position_is_left_unsearched_where_growth_ends_by_itself() {
    let folder = folder();
    let path = folder.path().join("a");
    let played = PlayedGames::default();
    for (positions, time) in [
        (40, None),
        (90, None),
        (usize::MAX, Some(0)),
        (usize::MAX, Some(300)),
    ] {
        let mut writer = BookWriter::open(&path).expect("a book");
        let rules = Rules {
            time: time.map(std::time::Duration::from_millis),
            ..rules(positions, 1)
        };
        let mut run = || {
            let grown = grow(&mut writer, &rules, &played, &Control::new(), &mut |_| {});
            assert_eq!(grown.expect("a search").unsearched, 0);
            writer.compact().expect("a writable place");
            let tree = Tree::load(writer.book()).expect("readable");
            assert_eq!((tree.unsearched(), tree.wrong_scores()), (0, 0));
            sorted(&tree)
        };
        let first = run();
        if time.is_none() {
            assert_eq!(run(), first, "the same command changes nothing");
        }
    }
}

#[test]
fn a_line_may_give_up_only_so_much_in_all() {
    let folder = folder();
    let path = folder.path().join("a");
    let mut writer = BookWriter::open(&path).expect("a book");
    let expansion = Expansion {
        max_error: 0.5,
        ..Expansion::default()
    };
    let rules = Rules {
        search: LeafSearch::Depth(4),
        expansion,
        ..rules(60, 1)
    };
    let played = PlayedGames::default();
    grow(&mut writer, &rules, &played, &Control::new(), &mut |_| {}).expect("a search");
    let tree = Tree::load(writer.book()).expect("readable");
    let mut pruned = tree.clone();
    prune(&mut pruned, Board::START, 3.0);
    let (kept, of) = (pruned.len(), tree.len());
    assert!(kept > of / 2, "{kept} of {of}: scores move, but not far");
}

/// The boards of all lines from here along which each side gives up at most so many discs, by all of them one by one.
fn lines_within(tree: &Tree, board: Board, lost: [f64; 2], most: f64, found: &mut Vec<Board>) {
    let entry = tree.get(board).expect("it is in the book");
    found.push(board.canonical());
    if entry.certainty == Certainty::Exact || board.empty_count() <= 52 {
        return;
    }
    let links: Vec<_> = tree.links(board).collect();
    if let Some(leaf) = entry.leaf.filter(|leaf| leaf.certainty != Certainty::Exact) {
        let loss = entry.score.to_f64() - leaf.score.to_f64();
        assert!(lost[0] + loss > most, "{board:?} lacks {}", leaf.square);
    }
    for (_, reply, link) in links {
        let loss = entry.score.to_f64() - reply.own(tree.at(link).1.score).to_f64();
        let own = lost[0] + loss;
        if own <= most && reply.changes_sides() {
            let next = reply.board().expect("it goes on");
            lines_within(tree, next, [lost[1], own], most, found);
        }
    }
}

#[test]
fn growth_below_a_root_ends_when_all_good_lines_are_there() {
    let folder = folder();
    let path = folder.path().join("a");
    let mut writer = BookWriter::open(&path).expect("a book");
    let root = after("f5d6c3");
    let expansion = Expansion {
        root,
        least_empties: 52,
        until_error: Some(4.0),
        ..Expansion::default()
    };
    let rules = Rules {
        search: LeafSearch::Depth(3),
        expansion,
        positions: None,
        ..rules(0, 1)
    };
    let played = PlayedGames::default();
    grow(&mut writer, &rules, &played, &Control::new(), &mut |_| {}).expect("a search");
    let tree = Tree::load(writer.book()).expect("readable");
    assert_eq!((tree.unsearched(), tree.wrong_scores()), (0, 0));
    let mut found = Vec::new();
    lines_within(&tree, root, [0.0; 2], 4.0, &mut found);
    assert!(found.len() > 10, "{}", found.len());
    // All of it is below the root.
    let mut below = tree.clone();
    prune(&mut below, root, 128.0);
    assert_eq!(below.len(), tree.len());
    assert!(tree.iter().all(|(board, _)| board.empty_count() >= 52));
    let next = tree.links(root).next().expect("a move").1.board();
    prune(&mut below, next.expect("it goes on"), 128.0);
    assert!((1..tree.len()).contains(&below.len()));
    assert_eq!(below.wrong_scores(), 0);
}

#[test]
fn the_built_in_book_is_whole_and_small_and_cannot_be_changed() {
    const MOST_BYTES: usize = 2_000_000;
    assert!(include_bytes!("builtin.book").len() <= MOST_BYTES);
    let path = Path::new(BUILTIN);
    let book = Book::open(path).expect("a book");
    assert!(book.damaged().is_empty());
    let mut tree = Tree::default();
    for (board, entry) in all(&book) {
        assert_eq!(board, board.canonical());
        let legal = board.legal_moves();
        assert!(!legal.is_empty() && entry.is_known());
        assert!(entry.leaf.is_none_or(|leaf| legal.contains(leaf.square)));
        assert_eq!(entry.counts, GameCounts::default(), "of no games");
        tree.insert(board, entry);
    }
    assert_eq!(tree.negamax(), [0; 0], "scores follow from their moves");
    for (board, entry) in tree.iter() {
        assert_eq!(book.get(board).expect("readable"), Some(*entry));
        let others = tree.outside(board);
        assert_eq!(entry.leaf.is_none(), others.is_empty(), "{board:?}");
    }
    let study = PositionStudy::of(&book, Board::START).expect("readable");
    assert!(study.is_some_and(|study| study.replies[0].is_link));
    let refused = BookWriter::open(path).expect_err("it is part of the program");
    assert!(matches!(refused, BookError::Builtin), "{refused}");
}

/// A job and what a search found, as another machine would send it.
fn answered(job: jobs::BookJob) -> (jobs::BookJob, BookLeaf) {
    let mut searcher = LeafSearcher::new(LeafSearch::Depth(1), 1).expect("memory");
    let leaf = searcher.best_of(job.board, job.moves, &Control::new());
    (job, leaf.expect("a move"))
}

#[test]
fn other_machines_find_what_growing_finds() {
    let folder = folder();
    let path = folder.path().join("a");
    let mut writer = BookWriter::open(&path).expect("a book");
    let (expansion, played) = (Expansion::default(), PlayedGames::default());
    let mut rounds = 0;
    while Tree::load(writer.book()).expect("readable").len() < 40 {
        let mut tree = Tree::load(writer.book()).expect("readable");
        let wanted = jobs::jobs(&mut tree, &expansion, &played, 8);
        assert!((1..=8).contains(&wanted.len()));
        let results: Vec<_> = wanted.into_iter().map(answered).collect();
        let taken = jobs::take(&mut writer, &results).expect("a writable place");
        assert_eq!(taken, results.len());
        rounds += 1;
        assert!(rounds < 50, "it grows");
        // Once more they say nothing new, or are of another book.
        jobs::take(&mut writer, &results).expect("a writable place");
    }
    let mut tree = Tree::load(writer.book()).expect("readable");
    assert_eq!(tree.negamax(), [0; 0], "scores are at the root");
}

/// The fewest lines, by making each choice of the side that learns in turn: sets of lines as text.
fn slow_lines(tree: &Tree, board: Board, own: bool, target: Score, slack: f64) -> Vec<String> {
    let Some(entry) = tree.get(board) else {
        return vec![String::new()];
    };
    let mut moves: Vec<(String, AfterMove, Score)> = Vec::new();
    for square in board.legal_moves() {
        let reply = AfterMove::to(board, square);
        let link = reply.board().and_then(|next| tree.get(next));
        let link = link
            .filter(BookEntry::is_known)
            .map(|link| reply.own(link.score));
        let leaf = entry.leaf.filter(|leaf| leaf.square == square);
        if let Some(score) = link.or(leaf.map(|leaf| leaf.score)) {
            moves.push((square.to_string(), reply, score));
        }
    }
    let best = moves.iter().map(|(.., score)| *score).max();
    let Some(best) = best else {
        return vec![String::new()];
    };
    let is_kept = |score: Score| match own {
        true => score >= target,
        false => best.to_f64() - score.to_f64() <= slack,
    };
    let mut sets = Vec::new();
    let mut seen = Vec::new();
    for (name, reply, score) in moves {
        let next = reply.board();
        let image = next.map(Board::canonical);
        if !is_kept(score) || !own && image.is_some() && seen.contains(&image) {
            continue;
        }
        seen.push(image);
        let goes_on_own = own != reply.changes_sides();
        let rest = next.map_or(vec![String::new()], |next| {
            slow_lines(tree, next, goes_on_own, target, slack)
        });
        sets.push(
            rest.iter()
                .map(|rest| format!("{name}{rest}"))
                .collect::<Vec<_>>(),
        );
    }
    match own {
        true => sets.into_iter().min_by_key(Vec::len).expect("one holds it"),
        false => sets.concat(),
    }
}

#[test]
fn lines_by_heart_are_as_few_as_a_slow_count_finds() {
    use super::lines::{HeartLines, Turn};
    let mut several = 0;
    for seed in 0..10 {
        let folder = folder();
        let path = folder.path().join("a");
        let mut writer = BookWriter::open(&path).expect("a book");
        let expansion = Expansion {
            weight: 0.2,
            ..Expansion::default()
        };
        let rules = Rules {
            search: LeafSearch::Nodes(20 + 10 * seed),
            expansion,
            ..rules(20 + 6 * seed as usize, 1)
        };
        let played = PlayedGames::default();
        grow(&mut writer, &rules, &played, &Control::new(), &mut |_| {}).expect("a search");
        let tree = Tree::load(writer.book()).expect("readable");
        for (turn, own) in [(Turn::Own, true), (Turn::Other, false)] {
            for slack in [0.0, 2.0, 64.0] {
                let score = turn.own(tree.get(Board::START).expect("known").score);
                let slow = slow_lines(&tree, Board::START, own, score, slack);
                let mut lines = HeartLines::new(&tree, score, slack);
                assert_eq!(lines.count(Board::START, turn), slow.len() as u64);
                let found = lines.lines(Board::START, turn, usize::MAX, &|_, _| 0.5);
                assert_eq!(found.len(), slow.len());
                assert!(found.is_sorted_by(|a, b| a.wrong >= b.wrong));
                several += usize::from(slow.len() > 2);
            }
        }
    }
    assert!(several > 10, "{several}");
}

#[test]
fn a_repertoire_is_kept_and_obeyed() {
    use super::lines::{HeartLines, Turn};
    let folder = folder();
    let path = folder.path().join("a");
    let after_f5 = Board::START.play("f5".parse().expect("a square"));
    let f4: crate::rules::Square = "f4".parse().expect("a square");
    let mut writer = BookWriter::open(&path).expect("a book");
    writer.allow(after_f5, f4.into());
    writer.commit().expect("a writable place");
    let played = PlayedGames::default();
    grow(
        &mut writer,
        &rules(30, 1),
        &played,
        &Control::new(),
        &mut |_| {},
    )
    .expect("a search");
    writer.compact().expect("a writable place");
    drop(writer);
    let tree = Tree::load(&Book::open(&path).expect("a book")).expect("readable");
    // It grows only where the forced move leads to.
    let next = after_f5.play(f4);
    let below = |root: Board| {
        let mut below = tree.clone();
        prune(&mut below, root, 128.0);
        below.len()
    };
    assert_eq!(below(next), tree.len() - 2);
    let mut lines = HeartLines::new(&tree, Score::MIN, 64.0);
    let found = lines.lines(after_f5, Turn::Own, 9, &|_, _| 1.0);
    assert!(found.iter().all(|line| line.moves[0].square() == Some(f4)));
    // What is held follows from the forced move, also from the position before it.
    let of_f4 = -tree.get(next).expect("known").score;
    assert!(of_f4 < tree.get(after_f5).expect("known").score);
    for (board, turn) in [(after_f5, Turn::Own), (Board::START, Turn::Other)] {
        let mut lines = HeartLines::best(&tree, board, turn, 0.0).expect("known");
        assert_eq!(lines.target(), of_f4);
        let moves = lines.moves(board, turn);
        assert!(moves.iter().all(|&(_, score, _)| score == of_f4));
        assert_eq!(turn == Turn::Own, moves.len() == 1 && moves[0].0 == f4);
    }
    // What it allows is no bad move where only bad moves are left out.
    let mut pruned = tree.clone();
    prune(&mut pruned, Board::START, 0.0);
    assert!(pruned.find(next).is_some());
    // It stays in all that is made of the book, and for all images of the board.
    let mut merged = Tree::default();
    merged.merge_all(tree.clone());
    for tree in [merged, rescue(&path).expect("readable").tree] {
        let path = written(folder.path(), &tree);
        let book = std::sync::Arc::new(Book::open(&path).expect("a book"));
        for symmetry in crate::rules::Symmetry::all() {
            let image = after_f5.transform(symmetry);
            let forced = symmetry.apply_square(f4);
            assert_eq!(book.allowed(image).expect("readable"), Some(forced.into()));
            let mut player = BookPlayer::new(book.clone(), BookManner::default(), 1);
            let chosen = player.choose(image).expect("a move").line[0];
            assert_eq!(chosen.square(), Some(forced));
        }
        let mut writer = BookWriter::open(&path).expect("a book");
        writer.allow(after_f5, after_f5.legal_moves());
        writer.commit().expect("a writable place");
        assert_eq!(writer.book().allowed(after_f5).expect("readable"), None);
    }
}

/// The entropy in bits of the first 8 plies against an opponent that always plays the same, up to symmetry, and what the
/// moves of the book cost a game on average.
fn variety(manner: BookManner, games: u32) -> (f64, f64) {
    let book = std::sync::Arc::new(Book::open(Path::new(BUILTIN)).expect("a book"));
    let mut searcher = LeafSearcher::new(LeafSearch::Depth(4), 1).expect("memory");
    let mut replies = std::collections::HashMap::new();
    let mut reply = move |board: Board| {
        *replies.entry(board).or_insert_with(|| {
            let found = searcher.best_of(board, board.legal_moves(), &Control::new());
            found.expect("a move").square
        })
    };
    let mut counts = std::collections::HashMap::new();
    let mut cost = 0.0;
    for game in 0..games {
        let mut player = BookPlayer::new(book.clone(), manner, game.into());
        let (mut board, mut early) = (Board::START, Vec::new());
        for ply in 0..24 {
            let own = (ply % 2 == game % 2).then(|| player.choose(board));
            let Some(square) = (match own {
                Some(Some(chosen)) => {
                    cost += chosen.best.to_f64() - chosen.score.to_f64();
                    chosen.line[0].square()
                }
                Some(None) if ply >= 8 => None,
                _ => Some(reply(board)),
            }) else {
                break;
            };
            board = board.play(square);
            if ply < 8 {
                early.push(board.canonical());
            }
        }
        *counts.entry((game % 2, early)).or_insert(0u32) += 1;
    }
    let share = |&count: &u32| f64::from(count) / f64::from(games);
    let bits = counts
        .values()
        .map(|count| -share(count) * share(count).log2());
    (bits.sum(), cost / f64::from(games))
}

#[test]
fn variety_is_wide_for_one_disc_a_game() {
    use crate::text::values::BookStyle;
    for (discs, style, least, most) in [
        (0.0, BookStyle::Wide, 1.0, 0.0),
        (1.0, BookStyle::Best, 1.0, 0.0),
        (1.0, BookStyle::Wide, 3.0, 1.0),
        (1.0, BookStyle::People, 2.4, 1.0),
    ] {
        let manner = BookManner {
            variety: discs,
            style,
        };
        let (bits, cost) = variety(manner, 100);
        let found = format!("{style:?}: {bits:.2} bits, {cost:.2} discs");
        assert!(bits >= least && cost <= most, "{found}");
    }
}
