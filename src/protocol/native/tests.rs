//! What the grammar reads, what it refuses and where, and that nothing makes it panic.

use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::rules::{Move, Position};
use crate::text::{Line, MAX_LINE, TextError};

fn read(text: &str) -> Result<Option<NativeCommand>, TextError> {
    parse(&Line::from(text))
}

fn command(text: &str) -> NativeCommand {
    match read(text) {
        Ok(Some(command)) => command,
        other => panic!("{text:?} gave {other:?}"),
    }
}

/// The column and reason of the error in `text`.
fn error(text: &str) -> (usize, String) {
    match read(text) {
        Err(error) => (error.column, error.reason),
        other => panic!("{text:?} gave {other:?}"),
    }
}

#[test]
fn blank_lines_are_no_commands() {
    for text in ["", " ", "\t \t"] {
        assert_eq!(read(text), Ok(None), "{text:?}");
    }
}

#[test]
fn blanks_and_tabs_may_stand_anywhere() {
    let go = Go {
        depth: Some(7),
        ..Go::default()
    };
    assert_eq!(command("\t go \t depth  7 \t"), NativeCommand::Go(go));
    assert_eq!(command(" isready "), NativeCommand::IsReady);
}

#[test]
fn the_first_player_has_the_clock_of_white_in_uci() {
    let go = command("go wtime 1000 btime 2000 winc 30 binc 40 movestogo 5");
    assert_eq!(
        go,
        command("go p1time 1000 p2time 2000 p1inc 30 p2inc 40 movestogo 5")
    );
    let NativeCommand::Go(go) = go else {
        panic!("{go:?}")
    };
    assert_eq!(
        go.clock(Position::START.side).time,
        Some(Duration::from_secs(1))
    );
}

#[test]
fn a_negative_time_on_a_clock_is_zero() {
    assert_eq!(
        command("go wtime -50 btime 10"),
        command("go wtime 0 btime 10")
    );
    assert_eq!(error("go wtime -x").0, 10);
    assert_eq!(error("go movetime -5").0, 13);
}

#[test]
fn searches_without_limits_have_no_end() {
    let endless = |text: &str| match command(text) {
        NativeCommand::Go(go) => go.is_endless(),
        other => panic!("{other:?}"),
    };
    for text in [
        "go",
        "go infinite",
        "go ponder",
        "go multipv 3",
        "go infinite depth 3",
    ] {
        assert!(endless(text), "{text}");
    }
    for text in [
        "go depth 3",
        "go exact",
        "go wld",
        "go ponder depth 3",
        "go nodes 9",
    ] {
        assert!(!endless(text), "{text}");
    }
}

#[test]
fn option_names_are_read_in_any_case() {
    assert_eq!(
        command("setoption name mULTIpv value 4"),
        NativeCommand::SetOption(Setting::MultiPv(4))
    );
    assert_eq!(
        command("setoption name EvalFile value my weights.bin"),
        NativeCommand::SetOption(Setting::EvalFile(Some("my weights.bin".to_owned())))
    );
    for none in [
        "setoption name EvalFile value <empty>",
        "setoption name EvalFile value",
    ] {
        assert_eq!(
            command(none),
            NativeCommand::SetOption(Setting::EvalFile(None))
        );
    }
}

#[test]
fn passes_may_be_left_out_or_spelled_in_many_ways() {
    // White has no square after black's move; black plays on.
    let start = "position board XO------------------------------------------------------------OX X";
    let moves = |text: &str| match command(&format!("{start} moves {text}")) {
        NativeCommand::Position(game) => game.moves().to_vec(),
        other => panic!("{other:?}"),
    };
    let implied = moves("c1 f8");
    assert_eq!(implied[1], Move::Pass);
    for pass in ["pass", "PASS", "ps", "--", "@@@@", "0000"] {
        assert_eq!(moves(&format!("C1 {pass} f8")), implied, "{pass}");
    }
}

#[test]
fn errors_have_a_column_and_a_reason() {
    let cells = "-".repeat(63);
    let cases = [
        ("unknown", 1, "unknown command"),
        ("  unknown", 3, "unknown command"),
        ("stop now", 6, "expected nothing more after stop"),
        ("go deep", 4, "expected depth"),
        ("go depth", 9, "expected a number 1..255"),
        ("go depth  ", 9, "expected a number 1..255"),
        ("go depth x", 10, "expected a number 1..255"),
        ("go depth 256", 10, "expected a number 1..255"),
        ("go nodes 99999999999999999999", 10, "expected a number"),
        ("go depth 3 depth 4", 12, "second depth"),
        ("go wtime 1 p1time 1", 12, "second p1time"),
        ("go exact wld", 10, "second wld"),
        ("go infinite infinite", 13, "second infinite"),
        ("go searchmoves", 15, "expected a move"),
        ("go searchmoves depth", 16, "expected a move"),
        ("position", 9, "expected startpos, board or fen"),
        ("position start", 10, "expected startpos, board or fen"),
        ("position startpos f5", 19, "expected moves"),
        ("position startpos moves f5 x9", 28, "expected a move"),
        ("position startpos moves f5 f5", 28, "illegal move f5"),
        ("position startpos moves pass", 25, "illegal move pass"),
        ("position board", 15, "expected 64 cells, found 0"),
        (
            &format!("position board {cells} X"),
            79,
            "expected 64 cells, found 63",
        ),
        (
            &format!("position fen {cells}- Q"),
            79,
            "expected the side to move",
        ),
        (&format!("position fen {cells}- XX"), 80, "expected a blank"),
        (&format!("position fen {cells}Q X"), 77, "expected a cell"),
        ("setoption", 10, "expected name"),
        ("setoption name", 15, "expected Threads"),
        ("setoption name Depth value 1", 16, "expected Threads"),
        ("setoption name Hash 1", 21, "expected value"),
        (
            "setoption name Hash value",
            26,
            "expected a number 1..268435456",
        ),
        (
            "setoption name Ponder value maybe",
            29,
            "expected true or false",
        ),
        ("setoption name Selectivity value 90", 34, "expected 73, 87"),
        ("query winner", 7, "expected gameover"),
        ("perft 61", 7, "expected a number 0..60"),
        ("go\rstop", 3, "control character 0x0d"),
    ];
    for (text, column, reason) in cases {
        let (at, why) = error(text);
        assert!(why.starts_with(reason), "{text:?}: {why}");
        assert_eq!(at, column, "{text:?}: {why}");
    }
}

#[test]
fn bytes_that_are_not_text_are_shown_as_numbers() {
    let shown = |bytes: &[u8]| {
        let line = Line::from(bytes);
        reply::error(&line, &parse(&line).expect_err("broken"))
    };
    assert_eq!(
        shown(b"stop\xff"),
        r#"info string error column 5: bytes that are not UTF-8 in "stop\xff""#
    );
    assert_eq!(
        shown(b"stop\0\xff"),
        r#"info string error column 5: control character 0x00 in "stop\x00\xff""#
    );
    assert_eq!(
        shown("say \"ü\"".as_bytes()),
        r#"info string error column 1: unknown command (try help) in "say \"ü\"""#
    );
}

#[test]
fn a_line_that_is_too_long_is_an_error() {
    let error = parse(&Line::from(&[b'x'; MAX_LINE + 1][..])).expect_err("too long");
    assert_eq!(error.column, MAX_LINE + 1);
}

proptest! {
    #[test]
    fn any_line_is_a_command_or_an_error_that_can_be_printed(
        start in "(go|position|setoption name|perft|query|stop)? ?(board|startpos|depth|hash value)?",
        rest: Vec<u8>,
    ) {
        check_bytes([start.into_bytes(), rest].concat())?;
    }
}

fn check_bytes(bytes: Vec<u8>) -> Result<(), TestCaseError> {
    let length = bytes.len();
    let line = Line::from(&bytes[..]);
    if let Err(error) = parse(&line) {
        prop_assert!((1..=length + 1).contains(&error.column), "{error}");
        let line = reply::error(&line, &error);
        prop_assert!(!line.contains(char::is_control), "{line:?}");
        let quote = line.split_once('"').map_or("", |(_, quote)| quote);
        prop_assert!(quote.len() <= 81, "{line}");
    }
    Ok(())
}
