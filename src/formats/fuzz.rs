//! Any bytes, and valid files with some bytes changed, in every reader of this module:
//! each returns a value or an error with its place.

use proptest::prelude::*;

use super::{ggf, obf, openings, transcript, wthor};
use crate::text::ReadError;

/// A few lines of each format.
const TEXTS: [&str; 5] = [
    "% problems\n\
     ---------------------------OX------XO--------------------------- X; F5:+0; d3:-2; % new\n\
     XXXXXXXXXXXOOOOXXXXOXXXX-OOXXXXX-OOXXXXX--OXXXXX--XOXXXX-X--XXXX O; -52;\r\n",
    "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX- O",
    "# games\nf5d6c3d3c4 +4 1977\n1. F5 d6 2. c3 -- 0\n",
    "(;GM[Othello]PC[NBoard]PB[a]PW[b]RE[-8:r]TI[5:00/0:03/2:00]TY[8]\
     BO[8 ---------------------------O*------*O--------------------------- *]\
     B[F5/1.50/0.25]W[D6//2]B[c3/-4,25];)\n",
    "2 (;GM[Othello]B[F5];)(;GM[Othello]TY[s8r20]B[d3]W[PA];)",
];

/// A database of one game.
fn database() -> Vec<u8> {
    let mut bytes = vec![20, 26, 11, 21, 1, 0, 0, 0, 0, 0, 0xea, 0x07, 8, 0, 24, 0];
    bytes.extend([7, 0, 1, 2, 3, 0, 40, 31, 65, 46, 33]);
    bytes.resize(16 + 68, 0);
    bytes
}

/// Replaces, removes or inserts some bytes.
fn any_edits() -> impl Strategy<Value = Vec<(prop::sample::Index, usize, Vec<u8>)>> {
    let junk = prop::collection::vec(any::<u8>(), 0..4);
    prop::collection::vec((any::<prop::sample::Index>(), 0..4usize, junk), 0..5)
}

fn edited(mut bytes: Vec<u8>, edits: Vec<(prop::sample::Index, usize, Vec<u8>)>) -> Vec<u8> {
    for (at, cut, junk) in edits {
        let start = at.index(bytes.len() + 1);
        let end = (start + cut).min(bytes.len());
        bytes.splice(start..end, junk);
    }
    bytes
}

/// Reads `bytes` in every format.
fn check(bytes: &[u8]) -> Result<(), TestCaseError> {
    let results = [
        obf::parse(bytes).map(|found| found.len()),
        transcript::parse(bytes).map(|found| found.len()),
        openings::parse(bytes).map(|found| found.len()),
        ggf::parse(bytes).map(|found| found.len()),
    ];
    let lines: Vec<&[u8]> = bytes.split(|&byte| byte == b'\n').collect();
    for result in results {
        match result {
            Ok(found) => prop_assert!(found <= bytes.len()),
            Err(ReadError::Io(error)) => prop_assert!(false, "{error}"),
            Err(ReadError::Syntax { line, source }) => {
                let length = lines[line as usize - 1].len();
                prop_assert!((1..=length + 1).contains(&source.column), "{source}");
                prop_assert!(!source.reason.is_empty());
            }
        }
    }
    let _ = wthor::parse(bytes);
    Ok(())
}

#[test]
fn the_samples_are_read() {
    assert_eq!(obf::parse(TEXTS[0].as_bytes()).expect("OBF").len(), 2);
    assert_eq!(
        openings::parse(TEXTS[1].as_bytes()).expect("a board").len(),
        1
    );
    let games = transcript::parse(b"f5d6c3d3c4 +4 1977\n").expect("a game");
    assert_eq!(games[0].score, Some(4));
    assert_eq!(ggf::parse(TEXTS[3].as_bytes()).expect("GGF").len(), 1);
    assert_eq!(wthor::parse(&database()).expect("WTHOR").games.len(), 1);
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
        check(&bytes)?;
    }

    #[test]
    fn broken_text_is_read_or_refused(
        text in prop::sample::select(TEXTS.to_vec()),
        edits in any_edits(),
    ) {
        check(&edited(text.as_bytes().to_vec(), edits))?;
    }

    #[test]
    fn broken_databases_are_read_or_refused(edits in any_edits()) {
        check(&edited(database(), edits))?;
    }
}
