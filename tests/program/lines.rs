//! What `emilia solve` and its kin read, through the real binary: every form of a line, files of games, and errors
//! where a line is none.

use std::process::{Command, Stdio};

use serde_json::Value;

use crate::run::{File, run as emilia};

/// White to move, 9 empties.
const LOST: &str = "XXXXXXXXXXXOOOOXXXXOXXXX-OOXXXXX-OOXXXXX--OXXXXX--XOXXXX-X--XXXX O";
/// White has no disc, and it is over.
const OVER: &str = "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX- O";

/// The answers of `solve` in JSON, with so few nodes that open positions cost nothing.
fn solve(arguments: &[&str], input: impl AsRef<[u8]>) -> Vec<Value> {
    let fixed = [
        "solve",
        "--json",
        "--hash",
        "1",
        "--threads",
        "1",
        "--max-nodes",
        "1000",
    ];
    let output = emilia(&[&fixed[..], arguments].concat(), input);
    let text = String::from_utf8(output.stdout).expect("text");
    text.lines()
        .map(|line| serde_json::from_str(line).expect(line))
        .collect()
}

/// Lines, and the positions or the columns of the errors that answer them.
fn found(answers: &[Value]) -> Vec<(u64, String)> {
    let text = |answer: &Value| match answer["position"].as_str() {
        Some(position) => position.to_owned(),
        None => format!("error {}", answer["column"]),
    };
    answers
        .iter()
        .map(|answer| (answer["line"].as_u64().expect("a line"), text(answer)))
        .collect()
}

#[test]
fn a_number_is_never_the_start_position() {
    let input = format!(
        "5\n12 34\n1.\n8/8/8/3pP3/3Pp3/8/8 w\n40 {LOST}\n1) {LOST}\n7\t{LOST}\twld\tq7\n40\n8\t9\n"
    );
    let answers = solve(&[], &input);
    let errors = [(1, 2), (2, 4), (3, 3), (4, 20), (8, 3), (9, 3)];
    for (line, column) in errors {
        let expected = (line, format!("error {column}"));
        assert!(
            found(&answers).contains(&expected),
            "{expected:?} in {answers:?}"
        );
    }
    for line in [5, 6, 7] {
        assert_eq!(found(&answers)[line - 1], (line as u64, LOST.to_owned()));
    }
    assert_eq!(
        (&answers[6]["name"], &answers[6]["mode"]),
        (&"q7".into(), &"wld".into())
    );
}

#[test]
fn boards_of_hosts_and_moves_behind_boards_are_read() {
    let start = "---------------------------OX------XO--------------------------- X";
    let after = "---------------------------OX------XXX-------------------------- O";
    let rows: Vec<&str> = (0..8).map(|row| &start[8 * row..][..8]).collect();
    let ggs = rows.join(" ").replace('X', "*");
    for (line, expected) in [
        ("8/8/8/3pP3/3Pp3/8/8/8[PPpp] w 0 1".to_owned(), start),
        (
            "8/8/8/3pP3/3Pp3/8/8/8 w - - 0 1 moves P@f4".to_owned(),
            after,
        ),
        ("P@f4".to_owned(), after),
        (format!("[8 {ggs} *]"), start),
        (format!("[8 {ggs} *] f5"), after),
        (format!("{start} f5"), after),
        (format!("{} Black; % x", &start[..64]), start),
        ("f5 3".to_owned(), after),
    ] {
        let answers = solve(&[], format!("{line}\n"));
        assert_eq!(found(&answers), [(1, expected.to_owned())], "{line}");
    }
}

#[test]
fn a_board_without_a_side_asks_for_it() {
    let input = format!("{}\n3 {}\n{LOST}\n", &OVER[..64], &OVER[..64]);
    let answers = solve(&[], &input);
    assert!(
        answers[0]["error"]
            .as_str()
            .expect("an error")
            .contains("--side"),
        "{answers:?}"
    );
    assert_eq!(
        found(&answers)[..2],
        [(1, "error 65".into()), (2, "error 67".into())]
    );
    for (side, letter) in [("black", "X"), ("white", "O"), ("o", "O"), ("*", "X")] {
        let answers = solve(&["--side", side], &input);
        let board = format!("{} {letter}", &OVER[..64]);
        let expected = [(1, board.clone()), (2, board), (3, LOST.to_owned())];
        assert_eq!(found(&answers), expected, "{side}");
    }
    let wrong = emilia(&["solve", "--side", "green"], "");
    assert_eq!(wrong.status.code(), Some(2));
    let short = format!("{} X\n", &LOST[..63]);
    let answers = solve(&["--side", "white"], &short);
    assert_eq!(
        found(&answers),
        [(1, "error 64".into())],
        "the side is no cell"
    );
}

#[test]
fn a_dry_run_says_what_was_found_and_solves_nothing() {
    let start = "---------------------------OX------XO--------------------------- X";
    let input = format!("{LOST}\n5\nf5\nc4\n{start}\n{}\n", &LOST[..64]);
    let file = File::new("dry.txt", &input);
    let output = emilia(&["solve", "--dry-run", file.name()], "");
    let text = String::from_utf8(output.stdout).expect("text");
    let name = file.name();
    for part in [
        &format!("{name}\tlines of positions or games\t6\t2\n"),
        "boards\t2\n",
        "transcripts\t2\n",
        "to move\tblack (X) 1, white (O) 3\n",
        "9\t1\n",
        "59\t2\n",
        "60\t1\n",
        "repeated\t1 ",
        "hopeless\t3 ",
        &format!("the first {name}:3\n"),
        "errors\t2\n",
        &format!("{name}:2: column 2: expected a board"),
        &format!("{name}:6: column 65: expected the side"),
    ] {
        assert!(text.contains(part), "{part:?} in {text}");
    }
    assert_eq!(output.status.code(), Some(1));
    let good = emilia(&["solve", "--dry-run"], format!("{LOST}\n"));
    assert_eq!(good.status.code(), Some(0));
    let many = emilia(&["solve", "--dry-run"], "5\n".repeat(30));
    let text = String::from_utf8(many.stdout).expect("text");
    assert!(
        text.contains("errors\t30, the first 20:\n1: column 2"),
        "{text}"
    );
    assert_eq!(
        text.lines().filter(|line| line.contains("column")).count(),
        20
    );
}

#[test]
fn hopeless_lines_are_named_once_and_counted() {
    let limits = ["solve", "--hash", "1", "--threads", "1"];
    let output = emilia(&[&limits[..], &["--max-nodes", "1"]].concat(), "f5\nf5d6\n");
    assert!(output.stderr.is_empty(), "a limit ends them");
    // Without a limit it would work on for ever: its input breaks off.
    let mut child = Command::new(env!("CARGO_BIN_EXE_emilia"))
        .args(limits)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    use std::io::{BufRead, BufReader, Write};
    let mut stdin = child.stdin.take().expect("piped");
    stdin
        .write_all(format!("{LOST}\nf5\nf5d6\n").as_bytes())
        .expect("written");
    drop(stdin);
    let mut stderr = BufReader::new(child.stderr.take().expect("piped"));
    let (mut first, mut second) = (String::new(), String::new());
    stderr.read_line(&mut first).expect("a warning");
    stderr.read_line(&mut second).expect("a count");
    child.kill().expect("killed");
    child.wait().expect("ended");
    assert!(
        first.starts_with("warning: line 2 has 59 empty squares"),
        "{first}"
    );
    assert!(
        second.starts_with("warning: 2 lines have more than 40"),
        "{second}"
    );
}

#[test]
fn files_of_games_have_an_answer_a_game() {
    let after = "---------------------------OX------XXX-------------------------- O";
    let pgn = "[Black \"ann\"]\n[White \"ben\"]\n\n1. f5 *\n\n[Black \"eve\"]\n\n1. a1 *\n";
    let sgf = "(;FF[4]GM[2]PB[ann]\n;B[fe])\n(;FF[4]GM[2];B[fe])(;FF[4]GM[2];B[fe])\n";
    let ggf = "(;GM[Othello]PB[a]\nPW[b]TY[8]\nBO[8 ---------------------------O*------*O--------------------------- *]\nB[F5]\n;)\n";
    for (name, text, expected) in [
        ("a.pgn", pgn, vec![(1, after), (6, "error 4")]),
        ("a.sgf", sgf, vec![(1, after), (3, "error 1")]),
        ("a.ggf", ggf, vec![(1, after)]),
    ] {
        let file = File::new(name, text);
        let answers = solve(&[file.name()], "");
        let expected: Vec<(u64, String)> = expected
            .into_iter()
            .map(|(line, text)| (line, text.to_owned()))
            .collect();
        assert_eq!(found(&answers), expected, "{name}");
    }
}

#[test]
fn lines_may_have_latin_1_in_names_and_comments() {
    let mut input = format!("{LOST} % B").into_bytes();
    input.extend_from_slice(b"\xf6\xe9\n");
    input.extend_from_slice(format!("{LOST}\t\tM").as_bytes());
    input.extend_from_slice(b"\xfcller\n\xfc\xfc f5\n");
    let answers = solve(&[], &input);
    let expected = [
        (1, LOST.to_owned()),
        (2, LOST.to_owned()),
        (3, "error 1".to_owned()),
    ];
    assert_eq!(found(&answers), expected);
    assert_eq!(answers[1]["name"], "Müller");
}

#[test]
fn a_bad_game_of_a_database_is_one_error() {
    let mut bytes = vec![20, 26, 11, 21, 3, 0, 0, 0, 0, 0, 0xea, 0x07, 8, 0, 24, 0];
    for first in [56, 11, 56] {
        let mut game = vec![0, 0, 1, 0, 2, 0, 33, 33, first, 64];
        // The second one has an illegal move.
        game[9] = 0;
        game.resize(68, 0);
        bytes.extend(game);
    }
    let file = File::new("a.wtb", &bytes);
    let answers = solve(&[file.name()], "");
    let found = found(&answers);
    let is_error = |text: &String| text.starts_with("error");
    let errors: Vec<bool> = found.iter().map(|(_, text)| is_error(text)).collect();
    assert_eq!(errors, [false, true, false], "{found:?}");
    assert_eq!(
        found.iter().map(|(line, _)| *line).collect::<Vec<_>>(),
        [1, 2, 3]
    );
}

#[test]
fn openings_without_a_move_are_refused() {
    let file = File::new("openings.txt", "f5d6c3\n5\n");
    let output = emilia(
        &[
            "match",
            "--games",
            "2",
            "--openings",
            file.name(),
            "--a",
            "level 1",
            "--b",
            "level 1",
        ],
        "",
    );
    let text = String::from_utf8(output.stderr).expect("text");
    assert_ne!(output.status.code(), Some(0), "{text}");
    let output = emilia(&["positions", "--games", file.name(), "--count", "1"], "");
    let text = String::from_utf8(output.stderr).expect("text");
    assert!(
        text.contains("line 2, column 2: expected a board"),
        "{text}"
    );
    assert_eq!(output.status.code(), Some(1));
}
