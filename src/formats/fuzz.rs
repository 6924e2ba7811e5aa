//! Any bytes, and valid files with some bytes changed, in every reader of this module:
//! each returns a value or an error with its place.

use std::io::Cursor;

use proptest::prelude::*;

use super::games::{GameError, LineGrouping, Names, Source};
use super::ggf::GgfGame;
use super::{drawn, ggf, obf, openings, page, pgn, sgf, transcript, wthor};
use crate::text::ReadError;

/// A few lines of each format.
const TEXTS: [&str; 20] = [
    "% problems\n\
     ---------------------------OX------XO--------------------------- X; F5:+0; d3:-2; % new\n\
     XXXXXXXXXXXOOOOXXXXOXXXX-OOXXXXX-OOXXXXX--OXXXXX--XOXXXX-X--XXXX O; -52;\r\n",
    "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX- O",
    "# games\nf5d6c3d3c4 +4 1977\n1. F5 d6 2. c3 -- 0\n",
    "(;GM[Othello]PC[NBoard]PB[a]PW[b]RE[-8:r]TI[5:00/0:03/2:00]TY[8]\
     BO[8 ---------------------------O*------*O--------------------------- *]\
     B[F5/1.50/0.25]W[D6//2]B[c3/-4,25];)\n",
    "2 (;GM[Othello]B[F5];)(;GM[Othello]TY[s8r20]B[d3]W[PA];)",
    "3 (;GM[Othello]DT[1012015433]\n PB[a]TY[0]\nBO[8 ---------------------------\nO*------*O\n--------------------------- *]\n\
     B[F5]\n;)\n# x\n(;GM[Othello]B[d3\n(;GM[Othello]B[d3];)",
    "From: a\n\n(;FF[4]GM[2]SZ[8]PB[a]RE[B+6];B[fe];W[df]C[\\]](;B[c3];W[])(;B[aa]))\n(;AB[aa:bb]AW[dd]PL[W]AE[hh];W[aa])",
    "(;FF[4]SZ[8]\nDT[2020]\n;B[fd];W[dc];B[];W[])",
    "[Event \"x\"]\n[Black \"a\"]\n[Result \"38-26\"]\n\n1. f5 d6 {a} (1... f4) 2. c3 -- $1 *\n[White \"b\"]\n1. f5 1-0\n",
    "eOthello\nBlack: a (1)\n1. F5 D6\n2. C3 D3\nResult: 33-31\n1. d3\n",
    "Move 1 :\na plays f5 and flips 1 disc(s)\nb plays d6\n",
    "id,black,moves\n1,\"a,b\",f5d6c3\n2,c,f5f6\n",
    "{\"players\":[{\"name\":\"a\"},{\"name\":\"b\"}],\"position\":{\"moves\":[{\"m\":\"f5\"},{\"m\":\"-\"}]}}\n{\"moves\":[37,43]}\n",
    "[{\"moves\":\"f5d6\",\n\"result\":\"B+R\",\"start\":\"x\"}, {\"kifu\":[\"f5\",null]}]",
    "\u{feff}f5 d6\r\nc3 d3\r\r1. f5\n2. d6\n",
    "１．ｆ５　Ｄ６\n２．ｃ３（定石）\n",
    "<p>a &amp; b<br>f5 d6</p>\n<td>c3</td> 2022-10-12 a 33 - 31 b: f5 d6\n黒：a（x）　白：b\nf5d6",
    "{'moves': ['f5', 'd6', None], 'a': True}\n[37, 43, 64]\n",
    "  a b c d e f g h\n1 - - - - - - - - 1\n--------\n--------\n---OX---\n---XO---\n--------\n--------\n--------\nX to move\nf5 d6\n",
    "・・・・・・・・\n🟩🟩🟩🟩🟩🟩🟩🟩\n--------\n│ │ │ │○│●│ │ │ │\n...●○...\n0 0 0 1 2 0 0 0\n--------\n--------  x\n黒番\n",
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
            Err(ReadError::Syntax {
                line,
                error: source,
            }) => {
                let length = lines[line as usize - 1].len();
                prop_assert!((1..=length + 1).contains(&source.column), "{source}");
                prop_assert!(!source.reason.is_empty());
            }
        }
    }
    let _ = wthor::parse(bytes);
    check_texts(bytes)?;
    check_games(bytes)
}

/// Readers of whole texts name bytes of the text.
fn check_texts(bytes: &[u8]) -> Result<(), TestCaseError> {
    let text = String::from_utf8_lossy(bytes);
    let drawn = drawn::parse(&text, None);
    for games in [
        sgf::parse(&text),
        pgn::parse(&text),
        page::parse(&text),
        drawn,
    ] {
        prop_assert!(games.len() <= text.len());
        for (column, game) in games {
            prop_assert!((1..=text.len() + 1).contains(&column));
            if let Err(bad) = game {
                let error = bad.error;
                prop_assert!((1..=text.len() + 1).contains(&error.column), "{error}");
            }
        }
    }
    Ok(())
}

/// Whatever a file is taken for, its games can be written and read again, and its errors have a place.
fn check_games(bytes: &[u8]) -> Result<(), TestCaseError> {
    for lines in [LineGrouping::OneGame, LineGrouping::MayContinue] {
        let Ok(source) = Source::whole(Cursor::new(bytes.to_vec())) else {
            continue;
        };
        let (mut found, kind) = (0, source.kind());
        for game in source.games(lines, Names::default()) {
            found += 1;
            match game.game {
                Ok(game) => {
                    let again = game.to_string().parse::<GgfGame>();
                    prop_assert_eq!(again.map(|again| again.game), Ok(game.game));
                }
                Err(GameError::Text(ReadError::Syntax {
                    line,
                    error: source,
                })) => {
                    let ends = bytes
                        .iter()
                        .filter(|byte| matches!(byte, b'\n' | b'\r'))
                        .count();
                    prop_assert!(
                        (1..=ends as u64 + 1).contains(&line),
                        "line {line} of {kind}"
                    );
                    prop_assert!(
                        (1..=3 * bytes.len() + 1).contains(&source.column),
                        "{source}"
                    );
                }
                Err(_) => {}
            }
        }
        prop_assert!(found <= bytes.len() + 1);
    }
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
