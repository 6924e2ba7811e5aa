//! The checker by itself. Emilia's own tests hold it to the rules and the reference solver of the engine.

use std::io::{Read, Write};
use std::process::Command;

use emilia_verify::board::{Board, Square, squares};
use emilia_verify::check::{Report, verify};
use emilia_verify::file::{Claim, Failure};
use emilia_verify::layer::Set;
use emilia_verify::leaf;
use emilia_verify::strategy::{Said, read, verified};
use emilia_verify::walk::Turn;
use flate2::Crc;
use flate2::read::{ZlibDecoder, ZlibEncoder};
use proptest::prelude::*;

const PROOF: &[u8] = include_bytes!("win-36.proof");

/// The bytes of its header: the position, one claim, and the sizes of 29 layers.
const HEADER: usize = 29 + 16 * 29;

/// Bytes of memory for positions.
const MEMORY: usize = 1 << 20;

fn check(bytes: &[u8]) -> Result<Report, Failure> {
    verify(bytes, MEMORY, &mut |_| {})
}

/// The proof with other moves, packed and sealed as if they had always been so.
fn with_moves(change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let (header, rest) = PROOF.split_at(HEADER);
    let mut moves = Vec::new();
    let mut packed = ZlibDecoder::new(&rest[..rest.len() - 4]);
    packed.read_to_end(&mut moves).expect("packed moves");
    change(&mut moves);
    let mut bytes = header.to_vec();
    let mut packer = ZlibEncoder::new(&moves[..], flate2::Compression::best());
    packer.read_to_end(&mut bytes).expect("memory");
    let mut crc = Crc::new();
    crc.update(header);
    crc.update(&moves);
    bytes.extend(crc.sum().to_le_bytes());
    bytes
}

#[test]
fn a_proof_is_accepted() {
    let mut told = Vec::new();
    let report = verify(PROOF, MEMORY, &mut |progress| told.push(progress)).expect("proven");
    assert_eq!(report.header.claims, [Claim::AtLeast(2)]);
    assert_eq!((report.positions(), report.leaves()), (326, 77));
    assert!(told.is_sorted_by_key(|progress| progress.done));
    let last = told.last().expect("progress");
    assert_eq!((last.empties, last.done, last.total), (8, 403, 403));
    assert_eq!(verify(PROOF, 1, &mut |_| {}), Ok(report));
    assert_eq!(check(&with_moves(|_| {})), check(PROOF));
}

#[test]
fn another_move_is_refused() {
    let mut count = 0;
    let _ = with_moves(|moves| count = moves.len());
    assert_eq!(count, 219);
    let report = check(PROOF).expect("proven");
    let mut accepted = 0;
    for at in 0..count {
        for change in [1, 8, 64] {
            match check(&with_moves(|moves| moves[at] ^= change)) {
                Err(Failure::Wrong(_)) => {}
                // A move that holds as well, and leads to as many positions: it is a proof, too.
                Ok(changed) if changed.header == report.header => accepted += 1,
                other => panic!("move {at}: {other:?}"),
            }
        }
    }
    assert!(accepted < 3 * count / 10, "{accepted}");
    assert!(check(&with_moves(|moves| moves.truncate(count - 1))).is_err());
    assert!(check(&with_moves(|moves| moves.push(0))).is_err());
}

#[test]
fn damaged_bytes_are_refused() {
    for length in 0..PROOF.len() {
        assert!(check(&PROOF[..length]).is_err(), "cut to {length}");
    }
    assert!(check(&[PROOF, &[0]].concat()).is_err(), "one byte more");
    for at in 0..PROOF.len() {
        let mut bytes = PROOF.to_vec();
        bytes[at] ^= 0x10;
        assert!(check(&bytes).is_err(), "byte {at}");
    }
}

/// Who plays at random here: a linear congruential generator.
fn next(state: &mut u64) -> u64 {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1);
    *state >> 33
}

#[test]
fn a_proof_wins_every_game() {
    let (report, strategies) = verified(PROOF, MEMORY, &mut |_| {}).expect("proven");
    assert_eq!(read(PROOF, MEMORY).expect("read").0, report.header);
    let strategy = &strategies[0];
    let mut random = 1;
    for _ in 0..300 {
        let (mut board, mut turn) = (report.header.root, strategy.claim.turn());
        let score = loop {
            let moves = board.legal_moves();
            let square = match strategy.look_up(board, turn) {
                Said::Over => break board.final_score(),
                Said::Absent => panic!("{board:?} is not in the proof"),
                Said::Pass => {
                    (board, turn) = (board.passed(), turn.other());
                    continue;
                }
                _ if turn == Turn::Claimant => strategy.choose(board).expect("a move").bit(),
                _ => {
                    let nth = next(&mut random) % u64::from(moves.count_ones());
                    squares(moves).nth(nth as usize).expect("a move")
                }
            };
            assert!(moves & square != 0);
            (board, turn) = (board.after(square, board.flips(square)), turn.other());
        };
        let of_claimant = if turn == Turn::Claimant {
            score
        } else {
            -score
        };
        assert!(of_claimant >= strategy.claim.goal(), "{of_claimant}");
    }
}

/// Sequences of so many plies, where a pass is one.
fn perft(board: Board, plies: u32) -> u64 {
    if plies == 0 {
        return 1;
    }
    let moves = board.legal_moves();
    if moves != 0 {
        return squares(moves)
            .map(|square| perft(board.after(square, board.flips(square)), plies - 1))
            .sum();
    }
    match board.passed().legal_moves() {
        0 => 1,
        _ => perft(board.passed(), plies - 1),
    }
}

#[test]
fn the_rules_count_right() {
    let start = Board {
        mover: 0x0000_0008_1000_0000,
        other: 0x0000_0010_0800_0000,
    };
    for (plies, count) in [(1, 4), (2, 12), (3, 56), (4, 244), (5, 1396), (6, 8200)] {
        assert_eq!(perft(start, plies), count);
    }
}

/// The final score for the side to move, by trying everything.
fn minimax(board: Board) -> i32 {
    let child = |square| -minimax(board.after(square, board.flips(square)));
    let passed = board.passed();
    match squares(board.legal_moves()).map(child).max() {
        Some(score) => score,
        None if passed.legal_moves() == 0 => board.final_score(),
        None => -minimax(passed),
    }
}

proptest! {
    #[test]
    fn the_leaf_solver_is_right(mover: u64, free in proptest::collection::vec(0..64_u32, 0..7)) {
        let free = free.iter().fold(0, |set, square| set | 1_u64 << square);
        let board = Board { mover: mover & !free, other: !(mover | free) };
        let score = minimax(board);
        for goal in [score - 2, score, score + 2] {
            prop_assert_eq!(leaf::reaches(board, goal, &mut 0), goal <= score);
        }
    }

    #[test]
    fn a_move_of_the_smallest_image_is_turned_back(mover: u64, other: u64) {
        let board = Board { mover, other: other & !mover };
        let smallest = board.canonical();
        let child = |board: Board, square: u64| board.after(square, board.flips(square)).canonical();
        for square in squares(smallest.legal_moves()) {
            let here = board.turned_back(Square::of(square)).bit();
            prop_assert!(board.legal_moves() & here != 0);
            prop_assert_eq!(child(board, here), child(smallest, square));
        }
    }

    #[test]
    fn sets_are_sorted_with_any_memory(boards: Vec<(u8, u8)>, memory in 0..4096_usize, share in 1..40_usize) {
        let boards: Vec<Board> = boards
            .iter()
            .map(|&(mover, other)| Board { mover: mover.into(), other: other.into() })
            .collect();
        let mut set = Set::new(memory);
        for share in boards.chunks(share) {
            set.add(share).expect("space");
        }
        let sorted: Result<Vec<Board>, _> = set.sorted().expect("read").collect();
        let mut expected = boards;
        expected.sort_unstable();
        expected.dedup();
        prop_assert_eq!(sorted.expect("read"), expected);
    }

    #[test]
    fn no_bytes_make_it_panic(bytes: Vec<u8>, at in 0..PROOF.len()) {
        let _ = check(&bytes);
        let _ = check(&[&PROOF[..at], &bytes].concat());
    }
}

#[test]
fn it_stands_alone() {
    let manifest = include_str!("../Cargo.toml");
    let tables = manifest.split("\n[").filter(|table| {
        let (name, _) = table.split_once(']').expect("the name of a table");
        name.ends_with("dependencies")
    });
    let entries: String = tables.collect();
    assert!(entries.contains("flate2 = "), "{entries}");
    let foreign = entries.lines().filter(|line| line.contains('='));
    for line in foreign.filter(|line| !line.starts_with("target")) {
        for no in ["emilia", "path", "git", "workspace"] {
            assert!(!line.contains(no), "{line}");
        }
    }
}

#[test]
fn the_program_tells_proofs_from_others() {
    let run = |files: &[&str]| {
        let program = env!("CARGO_BIN_EXE_emilia-verify");
        let output = Command::new(program).args(files).output().expect("started");
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        (output.status.code(), text)
    };
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests");
    let proof = format!("{folder}/win-36.proof");
    let (status, text) = run(&[&proof]);
    let report = check(PROOF).expect("proven");
    assert_eq!((status, text), (Some(0), format!("{proof}: {report}\n")));
    let mut other = tempfile::NamedTempFile::new().expect("a file");
    other
        .write_all(&with_moves(|moves| moves[0] = 0))
        .expect("written");
    let other = other.path().display().to_string();
    let (status, text) = run(&[&other, &proof]);
    assert_eq!(status, Some(1));
    assert!(
        text.contains("a1 is not legal") && text.ends_with(&format!("{report}\n")),
        "{text}"
    );
    assert_eq!(run(&[&proof, folder]).0, Some(2));
    assert_eq!(run(&[]).0, Some(2));
    assert_eq!(run(&["--help"]).0, Some(2));
}
