//! `emilia analyze`, as its users run it.

use std::fs::{self, File};
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
    let scored = fs::read_to_string(&ggf).expect("read");
    assert!(
        !scored.contains("RE[?]") && scored.contains("]B[D3/"),
        "{scored}"
    );
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

/// The first moves of games, so that they are analysed fast.
fn beginnings() -> String {
    let line = |plies: usize| format!("{}\n", &GAME[..2 * plies]);
    (3..9).map(line).collect()
}

#[test]
fn a_killed_run_is_continued_and_each_game_stands_there_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("out.jsonl");
    let output = path.to_str().expect("UTF-8");
    let threads = ["--threads", "1", "--output", output];
    let whole = run(&threads, &beginnings());
    assert!(whole.status.success(), "{}", text(&whole.stderr));
    assert!(whole.stdout.is_empty());
    let expected = fs::read_to_string(&path).expect("read");
    assert_eq!(expected.lines().count(), 6);
    let again = run(&threads, &beginnings());
    assert!(!again.status.success() && text(&again.stderr).contains("continue it with --resume"));

    // Killed in the middle of the third line.
    let third = expected.match_indices('\n').nth(1).expect("a line").0 + 20;
    fs::write(&path, &expected[..third]).expect("written");
    fs::write(
        format!("{output}.run"),
        fs::read_to_string(format!("{output}.run"))
            .expect("read")
            .replace("\"answers\":6", "\"answers\":0"),
    )
    .expect("written");
    let page = folder.path().join("page.html");
    let page = page.to_str().expect("UTF-8");
    let resumed = ["--resume", "--summary", "--html", page];
    let resumed = run(&[&threads[..], &resumed].concat(), &beginnings());
    assert!(resumed.status.success(), "{}", text(&resumed.stderr));
    assert_eq!(fs::read_to_string(&path).expect("read"), expected);
    // What was there already is summed up and drawn as well.
    assert!(
        text(&resumed.stdout).contains("Black       6"),
        "{}",
        text(&resumed.stdout)
    );
    let page = fs::read_to_string(page).expect("read");
    assert!(page.contains(r#"id="summary">[{"player":"#));
    assert_eq!(
        page.matches(r#""source":"standard input, line "#).count(),
        6
    );

    let reversed = beginnings()
        .lines()
        .rev()
        .map(|line| format!("{line}\n"))
        .collect();
    for (arguments, input, reason) in [
        (&["--time", "9"][..], beginnings(), "--time was - and is 9"),
        (&[], reversed, "the games have changed"),
        (&[], GAME.to_owned(), "it has 6 games, and there are 1"),
    ] {
        let resume = [&threads[..], &["--resume"], arguments].concat();
        let refused = run(&resume, &input);
        let err = text(&refused.stderr);
        assert!(!refused.status.success() && err.contains(reason), "{err}");
    }
    assert_eq!(fs::read_to_string(&path).expect("read"), expected);
    let mut lines: Vec<&str> = expected.split_inclusive('\n').collect();
    lines.swap(2, 4);
    fs::write(&path, lines.concat()).expect("written");
    let refused = run(&[&threads[..], &["--resume"]].concat(), &beginnings());
    let err = text(&refused.stderr);
    assert!(err.contains("its line 3 is about another game"), "{err}");
}

#[test]
fn of_two_writers_the_second_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("out.jsonl");
    let first = File::create(&path).expect("a file");
    first.lock().expect("locked");
    let second = run(&["--output", path.to_str().expect("UTF-8")], &beginnings());
    assert!(!second.status.success());
    let err = text(&second.stderr);
    assert!(err.contains("another process is writing it"), "{err}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_and_no_hang() {
    for arguments in [
        ["--output", "/dev/full"],
        ["--html", "/dev/full"],
        ["--ggf", "/dev/full"],
    ] {
        let full = run(&arguments, &beginnings());
        assert_eq!(full.status.code(), Some(1), "{arguments:?}");
        assert!(
            text(&full.stderr).contains("/dev/full"),
            "{}",
            text(&full.stderr)
        );
    }
}

#[test]
fn games_are_read_as_they_were_pasted() {
    let pasted = "1. d3 e3\n2. f4 c3 (book)\n\nd3e3f4c3\n1 d3 2 e3\n3 f4 4 c3\nd3e3f4 +2\n";
    let read = run(&["--json", "-"], pasted);
    assert!(read.status.success(), "{}", text(&read.stderr));
    let moves = text(&read.stdout).lines().map(|line| {
        let game: serde_json::Value = serde_json::from_str(line).expect("JSON");
        game["moves"].as_array().expect("moves").len()
    });
    assert_eq!(moves.collect::<Vec<_>>(), [4, 4, 4, 3]);
}

#[test]
fn numbers_and_single_moves_make_one_game() {
    for pasted in [
        "1 d3 2 e3 3 f4 4 c3",
        "d3\ne3\nf4\nc3\n",
        "d3 e3\nf4 c3\n",
        "１．ｄ３　ｅ３　２．ｆ４　ｃ３",
    ] {
        let read = run(&["--json"], pasted);
        assert!(read.status.success(), "{}", text(&read.stderr));
        let found = text(&read.stdout);
        assert_eq!(
            (found.lines().count(), found.matches("\"played\"").count()),
            (1, 4),
            "{pasted}"
        );
    }
}

#[test]
fn an_error_names_the_place_in_its_own_line() {
    for (pasted, place) in [
        ("d3e3f4\nc3 e9\n", "line 2: column 4: "),
        ("1) d3-e3, 2) f4-a1\n", "line 1: column 17: illegal move a1"),
        ("+4\n", "line 1: column 1: there is no move"),
    ] {
        let read = run(&["--json"], pasted);
        let err = text(&read.stderr);
        assert!(err.contains(place), "{pasted}: {err}");
    }
}

#[test]
fn a_bad_game_of_a_file_does_not_hide_the_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let sgf = folder.path().join("games.sgf");
    fs::write(&sgf, "(;GM[2];B[d3])(;GM[2];B[a1])(;GM[2];B[c4])").expect("written");
    // Two games of WTHOR; the second begins with an illegal move.
    let wtb = folder.path().join("games.wtb");
    let mut bytes = vec![20, 26, 11, 21, 3, 0, 0, 0, 0, 0, 0xea, 0x07, 8, 0, 24, 0];
    for first in [34, 11, 34] {
        bytes.extend([0, 0, 0, 0, 0, 0, 32, 32, first]);
        bytes.resize(bytes.len() + 59, 0);
    }
    fs::write(&wtb, bytes).expect("written");
    let files = [&sgf, &wtb].map(|path| path.to_str().expect("UTF-8"));
    let read = run(&["--json", files[0], files[1]], "");
    assert_eq!(read.status.code(), Some(1));
    assert_eq!(text(&read.stdout).lines().count(), 4);
    let err = text(&read.stderr);
    assert!(
        err.contains("games.sgf, game 2") && err.contains("move 1 of game 2 is 11"),
        "{err}"
    );
}
