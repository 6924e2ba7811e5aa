//! `emilia analyze`, as its users run it.

use std::fs;
use std::process::{Command, Output, Stdio};

mod program;

/// A whole game of Emilia at depth 1 against itself.
const GAME: &str = "d3e3f4c3c4d6c6c5b4b5f6b6f2a5d2f5e6d7g5g3f3g4g6f7e7c2c8d8e8h5h6d1h2e2e1h3h4g8f8b8c1g7b1g1b3f1h1g2h7a3a4b2h8c7b7a8a2a1a6a7";

const QUICK: &str = "--depth 2 --exact 8 --wld 10 --hash 8";

fn run(arguments: &[&str], input: &str) -> Output {
    let child = Command::new(env!("CARGO_BIN_EXE_emilia"))
        .arg("analyze")
        .args(QUICK.split(' '))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    program::finish(child, input)
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

#[test]
fn a_transcript_becomes_a_table() {
    let run = run(&[GAME], "");
    assert!(run.status.success(), "{}", text(&run.stderr));
    let out = text(&run.stdout);
    assert_eq!(
        out.lines()
            .filter(|line| line.contains("  X ") || line.contains("  O "))
            .count(),
        60
    );
    assert!(out.starts_with("Black - White: "), "{out}");
}

#[test]
fn games_that_make_no_sense_are_named_and_the_others_analysed() {
    let input = format!(
        "{GAME}\nf5f5\n\n(;GM[Othello]PB[A]PW[B]TY[8]BO[8 {} *]B[F5]W[D6];)\n",
        start_cells()
    );
    let run = run(&["--json"], &input);
    assert_eq!(run.status.code(), Some(1));
    let err = text(&run.stderr);
    assert!(
        err.contains("standard input, line 2") && err.contains("column 3"),
        "{err}"
    );
    let games: Vec<serde_json::Value> = text(&run.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let moves: Vec<_> = games
        .iter()
        .map(|game| game["moves"].as_array().expect("moves").len())
        .collect();
    assert_eq!(moves, [60, 2]);
    assert_eq!(
        (&games[1]["black"], &games[1]["result"]),
        (&"A".into(), &"unfinished".into())
    );
    let last = &games[0]["moves"][59];
    assert_eq!((&last["exact"], &last["loss"]), (&true.into(), &0.0.into()));
}

fn start_cells() -> String {
    format!("{}O*{}*O{}", "-".repeat(27), "-".repeat(6), "-".repeat(27))
}

#[test]
fn files_are_written_whole_and_no_other_file_is_touched() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (page, ggf, other) = (path("page.html"), path("games.ggf"), path("other.txt"));
    fs::write(&other, "important").expect("written");
    let refused = run(&["--html", &other, GAME], "");
    assert_eq!(refused.status.code(), Some(1));
    assert!(refused.stdout.is_empty() && text(&refused.stderr).contains("not an HTML page"));
    assert_eq!(fs::read_to_string(&other).expect("read"), "important");

    let written = run(&["--summary", "--html", &page, "--ggf", &ggf, GAME], "");
    assert!(written.status.success(), "{}", text(&written.stderr));
    assert!(text(&written.stdout).starts_with("player  games"));
    let page = fs::read_to_string(page).expect("read");
    assert!(page.contains(r#""number":60"#) && page.ends_with("</html>\n"));
    // The file can be analysed again.
    let again = run(&["--json", &ggf], "");
    assert!(again.status.success(), "{}", text(&again.stderr));
}

#[test]
fn neither_a_file_nor_a_transcript_is_an_error() {
    let run = run(&["no-such-file"], "");
    assert_eq!(run.status.code(), Some(1));
    let err = text(&run.stderr);
    assert!(
        err.contains("neither a file nor a transcript") && err.contains("there is no game"),
        "{err}"
    );
}
