//! What the grammar reads and refuses, and that nothing makes it panic.

use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::formats::ggf::Annotation;
use crate::rules::Move;
use crate::text::{Line, MAX_LINE, TextError};
use grammar::begins;

fn read(text: &str) -> Result<Option<NBoardCommand>, TextError> {
    parse(&Line::from(text))
}

fn command(text: &str) -> NBoardCommand {
    match read(text) {
        Ok(Some(command)) => command,
        other => panic!("{text:?} gave {other:?}"),
    }
}

#[test]
fn both_versions_begin_a_conversation() {
    assert_eq!(command("nboard 1"), NBoardCommand::Hello(Version::One));
    assert_eq!(command("nboard 2\r"), NBoardCommand::Hello(Version::Two));
    for text in ["nboard", "nboard 0", "nboard two", "Nboard 2", "ping 1", ""] {
        assert!(!begins(&Line::from(text)), "{text}");
    }
}

#[test]
fn moves_have_notes_or_none_and_in_version_1_no_word() {
    let f5: Move = "f5".parse().expect("a square");
    let with = |evaluation, millis: Option<u64>| {
        let time = millis.map(Duration::from_millis);
        NBoardCommand::Move(f5, Annotation { evaluation, time })
    };
    assert_eq!(command("move F5"), with(None, None));
    assert_eq!(command("move F5/1.00"), with(Some(1.0), None));
    assert_eq!(command("move F5//1.03"), with(None, Some(1030)));
    assert_eq!(command("move F5/1,50/0,5"), with(Some(1.5), Some(500)));
    assert_eq!(command("F5"), with(None, None));
    for text in ["move PA", "PA", "move pass/-64.00"] {
        assert!(
            matches!(command(text), NBoardCommand::Move(Move::Pass, _)),
            "{text}"
        );
    }
}

#[test]
fn settings_and_requests_are_read() {
    assert_eq!(command("set depth 12"), NBoardCommand::SetDepth(12));
    assert_eq!(command("set depth 99"), NBoardCommand::SetDepth(60));
    assert_eq!(
        command("set contempt -100"),
        NBoardCommand::SetContempt(-100)
    );
    assert_eq!(command("hint 4"), NBoardCommand::Hint(4));
    assert_eq!(command("hint 1000"), NBoardCommand::Hint(64));
    assert_eq!(command("ping -3"), NBoardCommand::Ping(-3));
    let game = "set game (;GM[Othello]TY[8]B[F5]W[D6];)";
    assert!(
        matches!(command(game), NBoardCommand::SetGame(game) if game.game.transcript() == "f5d6")
    );
}

#[test]
fn what_is_not_understood_has_a_reason() {
    for text in [
        "dance",
        "go now",
        "move",
        "move A9",
        "ping",
        "ping x",
        "hint 0",
        "hint",
        "set",
        "set depth",
        "set depth 0",
        "set myname x",
        "set game (;GM[Go];)",
        "set game",
        "nboard x",
    ] {
        assert!(
            read(text).is_err_and(|error| !error.reason.is_empty()),
            "{text}"
        );
    }
    assert!(parse(&Line::from(&[b'1'; MAX_LINE + 1][..])).is_err());
}

proptest! {
    #[test]
    fn any_text_after_a_word_is_read_or_refused(text in "(set game \\(;|set depth|move|ping|hint|nboard) ?\\PC{0,20}") {
        if let Err(error) = read(&text) {
            prop_assert!((1..=text.len() + 1).contains(&error.column), "{error}");
        }
    }
}
