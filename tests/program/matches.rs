//! `emilia match`, through the real binary.

use std::path::PathBuf;
use std::process::{Command, Output};

/// Two balanced starts: a transcript and a position.
const OPENINGS: &str = "% openings\n\
    f5d6c3d3c4f4\n\
    ---------------------------OX------XXX-------------------------- O\n";

/// A file of openings in the build's own folder.
fn openings(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, OPENINGS).expect("writable");
    path
}

fn play(test: &str, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_emilia"))
        .arg("match")
        .arg("--openings")
        .arg(openings(test))
        .args(arguments)
        .output()
        .expect("the binary starts")
}

/// The lines of the games, split at tabs.
fn games(output: &Output) -> Vec<Vec<String>> {
    let text = String::from_utf8(output.stdout.clone()).expect("text");
    let games = text.lines().filter(|line| line.contains('\t'));
    games
        .map(|line| line.split('\t').map(str::to_owned).collect())
        .collect()
}

fn endings(output: &Output) -> Vec<String> {
    games(output)
        .into_iter()
        .map(|game| game[4].clone())
        .collect()
}

#[test]
fn each_opening_is_played_with_both_colours() {
    let arguments = ["--opponent", "mobility", "--each", "depth=1"];
    let output = play("both-colours", &arguments);
    assert!(output.status.success(), "{output:?}");
    let black: Vec<String> = games(&output).iter().map(|game| game[1].clone()).collect();
    assert_eq!(black, ["emilia", "mobility", "emilia", "mobility"]);
    assert_eq!(endings(&output), ["over"; 4]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("emilia against mobility"), "{text}");
    assert!(text.contains("Elo"), "{text}");
}

#[test]
fn another_process_plays_over_ugi() {
    let command = format!("{} ugi", env!("CARGO_BIN_EXE_emilia"));
    let entry = format!("other|ugi|{command}|option.Hash=1");
    let arguments = [
        "--engine",
        "m|mobility",
        "--engine",
        &entry,
        "--each",
        "depth=1",
    ];
    let output = play("process", &arguments);
    assert_eq!(endings(&output), ["over"; 4], "{output:?}");
}

#[test]
fn an_engine_that_cannot_be_started_ends_the_match_before_its_first_game() {
    for (name, command, reason) in [
        ("missing", "../old/emilia ugi", "../old/emilia: "),
        ("ends", "true", "it ended after \"ugi\", exit status: 0"),
        ("silent", "cat", "no answer to \"ugi\" in time"),
    ] {
        let test = format!("start-{name}");
        let stem = openings(&test).with_extension("games");
        let saved = stem.with_extension("games.jsonl");
        let _ = std::fs::remove_file(&saved);
        let entry = format!("bad|ugi|{command}");
        let stem = stem.to_str().expect("text");
        let mut arguments = vec!["--engine", &entry, "--engine", "m|mobility"];
        arguments.extend(["--patience", "1", "--save", stem]);
        for again in [&[][..], &["--resume"]] {
            arguments.extend(again);
            let output = play(&test, &arguments);
            assert_eq!(output.status.code(), Some(1), "{output:?}");
            assert_eq!(output.stdout, b"", "{output:?}");
            let error = String::from_utf8_lossy(&output.stderr);
            let expected = format!("error: engine \"bad\" cannot be started: {reason}");
            assert!(error.starts_with(&expected), "{error}");
            assert_eq!(
                std::fs::read(&saved).expect("begun"),
                b"",
                "no game is saved"
            );
        }
    }
}

#[test]
fn a_budget_without_a_command_in_the_protocol_is_refused() {
    for (entry, budget, words) in [
        ("e|nboard|no-such-program", "st=1", "depth, tc or untimed"),
        (
            "e|gtp|no-such-program",
            "nodes=5",
            "depth, st, tc or untimed",
        ),
        ("e|ugi|no-such-program", "untimed", "depth, nodes, st or tc"),
        ("e|internal", "untimed", "depth, nodes, st or tc"),
    ] {
        let arguments = [
            "--engine",
            entry,
            "--engine",
            "m|mobility",
            "--each",
            budget,
        ];
        let output = play("budget", &arguments);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let error = String::from_utf8_lossy(&output.stderr);
        let expected =
            format!("error: engine \"e\": its protocol has no command for {budget}: use {words}\n");
        assert_eq!(error, expected);
    }
}

#[test]
fn a_file_of_engines_is_read_and_its_errors_name_the_line() {
    let file = |name: &str, text: &str| {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::write(&path, text).expect("writable");
        path.to_str().expect("text").to_owned()
    };
    let good = file("engines.txt", "# two players\n\nm|mobility\r\nn|mobility\n");
    let output = play("list", &["--engines", &good]);
    assert_eq!(endings(&output), ["over"; 4], "{output:?}");

    let bad = file("bad-engines.txt", "m|mobility\n# next\nx|chess|./x\n");
    let output = play("bad-list", &["--engines", &bad]);
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8_lossy(&output.stderr);
    let expected = format!("error: cannot read {bad}: line 3, column 3: expected uci, ugi,");
    assert!(error.starts_with(&expected), "{error}");
}

/// What a person easily gives instead of the games.
#[test]
fn a_drawing_is_no_file_of_games() {
    let stem = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("drawn");
    for extension in ["jsonl", "ggf"] {
        let _ = std::fs::remove_file(stem.with_extension(extension));
    }
    let drawing = stem.with_extension("svg");
    let [stem, drawing] = [&stem, &drawing].map(|path| path.to_str().expect("text"));
    let arguments = ["--opponent", "mobility", "--each", "depth=1"];
    let output = play(
        "drawn-openings",
        &[&arguments[..], &["--save", stem, "--svg", drawing]].concat(),
    );
    assert!(output.status.success(), "{output:?}");
    let output = Command::new(env!("CARGO_BIN_EXE_emilia"))
        .args(["report", drawing])
        .output()
        .expect("the binary starts");
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("is a drawing and has no games"), "{error}");
    assert!(error.contains("FILE.jsonl or FILE.ggf"), "{error}");
}

#[test]
fn no_thread_is_too_few() {
    for arguments in [
        &["analyze", "--threads", "0", "f5"][..],
        &["solve", "--threads", "0"],
        &["verify", "--threads", "0", "x"],
        &["match", "--concurrency", "0", "--openings", "x"],
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_emilia"))
            .args(arguments)
            .output()
            .expect("the binary starts");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let error = String::from_utf8_lossy(&output.stderr);
        let reason = "expected a whole number, 1 or more";
        assert!(error.contains(reason), "{arguments:?}: {error}");
    }
}

#[test]
fn a_match_needs_two_engines_and_an_opening() {
    let alone = play("alone", &["--engine", "m|mobility"]);
    assert_eq!(alone.status.code(), Some(1));
    let twice = ["--engine", "m|mobility", "--engine", "m|internal"];
    assert_eq!(play("twice", &twice).status.code(), Some(1));
    let unreadable = play("usage", &["--engine", "m|chess"]);
    assert_eq!(unreadable.status.code(), Some(2));
}
