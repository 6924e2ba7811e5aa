//! Proofs: the bytes as a file, and the bytes as the header and the unpacked moves of one. What the
//! checker accepts is true, by the reference solver.
#![no_main]

use emilia::oracle::reference;
use emilia::proof::verify::file::ProofReader;
use emilia::proof::{self, make, strategy, verify::verify};
use emilia::rules::Board;
use emilia::score::Bounds;

/// Bytes of memory for positions.
const MEMORY: usize = 1 << 20;

/// More empty squares would take the solvers longer than a fuzzer waits.
const MOST_EMPTIES: u32 = 9;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(reader) = ProofReader::new(bytes) else {
        return;
    };
    let header = reader.header;
    let root = header.root;
    if root.empties().count_ones() > MOST_EMPTIES {
        return;
    }
    let moves = &bytes[proof::header_bytes(&header).len()..];
    let mut packed = Vec::new();
    proof::write(&header, moves, &mut packed).expect("memory");
    for bytes in [bytes, &packed] {
        let is_read = strategy::read(bytes, MEMORY).is_ok();
        if let Ok(report) = verify(bytes, MEMORY, &mut |_| {}) {
            assert!(is_read, "a proof is read");
            let board = Board::new(root.mover, root.other).expect("disjoint");
            let proven = Bounds::exactly(reference::solve(board).score);
            for claim in report.header.claims {
                let holds = make::question(claim).verdict(proven);
                assert_eq!(holds, Some(true), "{claim:?}");
            }
        }
    }
});
