//! `emilia solve`, through the real binary.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};

use serde_json::Value;

use crate::run::{self, File};

/// White to move, 12 empties: c8 scores -52, b7 scores -58.
const LOST: &str = "XXXXXXXXXXXOOOOXXXXOXXXX-OOXXXXX-OOXXXXX--OXXXXX--XOXXXX-X--XXXX O";
/// Neither side can move; black has all discs.
const OVER: &str = "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX- O";

struct Run {
    stdout: String,
    status: ExitStatus,
}

impl Run {
    fn lines(&self) -> Vec<Vec<&str>> {
        let lines = self.stdout.lines();
        lines.map(|line| line.split('\t').collect()).collect()
    }

    fn json(&self) -> Vec<Value> {
        let lines = self.stdout.lines();
        lines
            .map(|line| serde_json::from_str(line).expect(line))
            .collect()
    }
}

fn start(arguments: &[&str]) -> Child {
    // A small table is allocated faster.
    let hash: &[&str] = match arguments.contains(&"--hash") {
        true => &[],
        false => &["--hash", "4"],
    };
    Command::new(env!("CARGO_BIN_EXE_emilia"))
        .arg("solve")
        .args(hash)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary starts")
}

/// Runs `emilia solve` on the whole `input`.
fn solve(arguments: &[&str], input: impl AsRef<[u8]>) -> Run {
    let output = run::finish(start(arguments), input);
    Run {
        stdout: String::from_utf8(output.stdout).expect("text"),
        status: output.status,
    }
}

fn data(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name);
    path.to_str().expect("a plain path").to_owned()
}

/// Positions of `data/endgames-12.obf` with at most this many empties.
fn easy_endgames(empties: usize) -> String {
    let text = std::fs::read_to_string(data("endgames-12.obf")).expect("test data");
    let lines = text.lines().filter(|line| {
        !line.starts_with('%') && line.bytes().take(64).filter(|&c| c == b'-').count() <= empties
    });
    lines.map(|line| format!("{line}\n")).collect()
}

#[test]
fn answers_have_the_order_of_the_lines() {
    let input = format!("{LOST}\n\n% comment\nnonsense\n{OVER}\r\n");
    let run = solve(&["--reference"], &input);
    let lines = run.lines();
    assert_eq!(lines.len(), 3, "{}", run.stdout);
    assert_eq!(lines[0][..4], ["1", "loss", "-52", "c8"]);
    assert!(lines[0][7].starts_with("c8 "), "{}", run.stdout);
    assert_eq!(
        lines[1][..4],
        [
            "4",
            "error",
            "1",
            "expected a board (64 cells and the side to move) or moves, such as f5d6"
        ]
    );
    assert_eq!(lines[2][..4], ["5", "loss", "-64", "-"]);
    assert_eq!(run.status.code(), Some(1));
}

#[test]
fn json_has_the_documented_fields() {
    let run = solve(
        &["--json", "--reference"],
        format!("{LOST}; C8:-52;\nX\n{OVER}\n"),
    );
    let answers = run.json();
    assert_eq!(answers[0]["line"], 1);
    assert_eq!(answers[0]["position"], LOST);
    assert_eq!(answers[0]["mode"], "exact");
    assert_eq!(answers[0]["result"], "loss");
    assert_eq!(answers[0]["score"], -52);
    assert_eq!(answers[0]["best"], "c8");
    assert_eq!(answers[0]["pv"][0], "c8");
    assert!(answers[0]["nodes"].as_u64() > Some(0));
    assert!(answers[0]["time_ms"].is_f64());
    assert_eq!(answers[1]["line"], 2);
    assert_eq!(answers[1]["column"], 2);
    assert!(answers[1]["error"].is_string());
    assert!(answers[1].get("result").is_none());
    assert!(answers[2]["best"].is_null());
    assert_eq!(answers[2]["pv"], Value::Array(Vec::new()));
}

#[test]
fn the_example_of_the_readme_is_true() {
    const MILLISECONDS: usize = 6;
    let page = include_str!("../../README.md");
    let (_, rest) = page.split_once("echo '").expect("an example");
    let (position, rest) = rest.split_once('\'').expect("its end");
    let (command, rest) = rest.split_once('\n').expect("its command");
    let (_, options) = command.split_once("emilia solve").expect("the command");
    let (_, rest) = rest.split_once("```text\n").expect("its answer");
    let shown = rest.lines().next().unwrap_or_default().split('\t');
    let options = options.split_whitespace().chain(["--hash", "256"]);
    let run = solve(&options.collect::<Vec<_>>(), format!("{position}\n"));
    let mut found = run.lines()[0].clone();
    let mut shown: Vec<&str> = shown.collect();
    assert_eq!(shown.len(), found.len(), "{}", run.stdout);
    for line in [&mut shown, &mut found] {
        line.remove(MILLISECONDS);
    }
    assert_eq!(found, shown);
}

#[test]
fn wld_answers_have_no_score() {
    let run = solve(&["--wld", "--json"], LOST);
    let answers = run.json();
    assert_eq!(answers[0]["mode"], "wld");
    assert_eq!(answers[0]["result"], "loss");
    assert!(answers[0].get("score").is_none());
    assert!(run.status.success());
}

#[test]
fn bounds_of_wld_are_true_and_tighter_than_wld() {
    let input = easy_endgames(9);
    let exact = solve(&["--json", "--reference"], &input).json();
    let bounds = solve(&["--wld", "--score-bound", "--json"], &input).json();
    let mut tight = 0;
    for (exact, bound) in exact.iter().zip(&bounds) {
        let score = exact["score"].as_i64().expect("a score");
        let least = bound["at_least"].as_i64();
        let most = bound["at_most"].as_i64();
        assert!(least.is_some() || most.is_some(), "{bound}");
        assert!(least.is_none_or(|least| (0..=score).contains(&least)));
        assert!(most.is_none_or(|most| (score..=0).contains(&most)));
        tight += usize::from(least.or(most).is_some_and(|bound| bound.abs() > 2));
    }
    assert!(tight > 0 && exact.len() == bounds.len());

    let text = solve(&["--wld", "--score-bound"], LOST).stdout;
    assert!(text.starts_with("1\tloss\t<=-"), "{text}");
    assert_eq!(solve(&["--score-bound"], LOST).status.code(), Some(2));
}

#[test]
fn known_scores_are_checked() {
    let right = solve(
        &["--check", "--reference"],
        format!("{LOST}; C8:-52; B7:-58;"),
    );
    assert_eq!(right.lines()[0].last(), Some(&"ok"));
    assert_eq!(right.status.code(), Some(0));
    let wrong = solve(&["--check", "--reference"], format!("{LOST}; C8:-50;"));
    assert!(wrong.stdout.contains("mismatch"), "{}", wrong.stdout);
    assert_eq!(wrong.status.code(), Some(1));
    let wrong_move = solve(
        &["--check", "--reference"],
        format!("{LOST}; B7:-52; C8:-58;"),
    );
    assert!(
        wrong_move.stdout.contains("mismatch"),
        "{}",
        wrong_move.stdout
    );
}

#[test]
fn an_obf_file_is_solved_into_itself() {
    let input = easy_endgames(9);
    let run = solve(&["--obf", "--all-moves", "--reference"], &input);
    let (head, problems) = run.stdout.split_once('\n').expect("a head");
    assert!(head.starts_with('%') && head.contains("no keys"), "{head}");
    assert_eq!(problems, input);
}

#[test]
fn a_thousand_lines_stay_in_order_on_two_threads() {
    let input = format!("{LOST}\nbad\n").repeat(500);
    let run = solve(&["--threads", "2"], &input);
    let lines = run.lines();
    assert_eq!(lines.len(), 1000);
    for (number, line) in (1..).zip(&lines) {
        assert_eq!(line[0], number.to_string());
        assert_eq!(line[1], if number % 2 == 1 { "loss" } else { "error" });
    }
}

#[test]
fn with_together_answers_are_the_same_in_the_same_order() {
    let endgames = std::fs::read_to_string(data("endgames-17.obf")).expect("test data");
    let input = format!("{endgames}bad\n");
    let found = |options: &[&str]| -> Vec<(Value, Value)> {
        let run = solve(&[&["--json"], options].concat(), &input);
        assert_eq!(
            run.status.code(),
            Some(1),
            "for the last line, with {options:?}"
        );
        let answers = run.json();
        let what = |answer: &Value| (answer["line"].clone(), answer["score"].clone());
        answers.iter().map(what).collect()
    };
    let each = found(&["--threads", "1"]);
    assert_eq!(each.len(), 31);
    for threads in ["1", "2", "3"] {
        assert_eq!(found(&["--together", "--threads", threads]), each);
    }
}

#[test]
fn an_answer_comes_before_the_input_ends() {
    let mut child = start(&["--threads", "2"]);
    let mut stdin = child.stdin.take().expect("piped");
    let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
    for number in 1..=3 {
        writeln!(stdin, "{LOST}").expect("written");
        stdin.flush().expect("flushed");
        let mut answer = String::new();
        stdout.read_line(&mut answer).expect("an answer");
        assert!(
            answer.starts_with(&format!("{number}\tloss\t-52")),
            "{answer}"
        );
    }
    drop(stdin);
    assert!(child.wait().expect("ends").success());
}

#[test]
fn a_closed_pipe_is_no_failure() {
    let mut child = start(&["--threads", "1"]);
    let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
    let mut stdin = child.stdin.take().expect("piped");
    let writer = std::thread::spawn(move || {
        let lines = format!("{OVER}\n").repeat(1000);
        while stdin.write_all(lines.as_bytes()).is_ok() {}
    });
    let mut first = String::new();
    stdout.read_line(&mut first).expect("an answer");
    drop(stdout);
    assert_eq!(child.wait().expect("ends").code(), Some(0));
    writer.join().expect("the writer ends with the process");
}

#[test]
fn all_moves_of_who_wins_have_results() {
    let input = format!("{}{LOST}\n{OVER}\n", easy_endgames(8));
    let moves = |arguments: &[&str]| -> Vec<Value> {
        let run = solve(&[&["--json", "--all-moves"], arguments].concat(), &input);
        assert_eq!(run.status.code(), Some(0), "{arguments:?}");
        let answers = run.json().into_iter();
        answers.map(|answer| answer["moves"].clone()).collect()
    };
    let sorted = |moves: &Value, result: &dyn Fn(&Value) -> String| {
        let moves = moves.as_array().expect("moves").iter();
        let mut named: Vec<(String, String)> = moves
            .map(|mv| (mv["move"].to_string(), result(mv)))
            .collect();
        named.sort();
        named
    };
    let of_score = |mv: &Value| match mv["score"].as_i64().expect("a score") {
        ..0 => "\"loss\"".to_owned(),
        0 => "\"draw\"".to_owned(),
        1.. => "\"win\"".to_owned(),
    };
    let of_result = |mv: &Value| mv["result"].to_string();
    let exact = moves(&["--exact"]);
    for arguments in [&["--wld"][..], &["--wld", "--reference"]] {
        for (wld, exact) in moves(arguments).iter().zip(&exact) {
            assert_eq!(
                sorted(wld, &of_result),
                sorted(exact, &of_score),
                "{arguments:?}"
            );
        }
    }
    let run = solve(
        &["--wld", "--all-moves", "--check"],
        format!("{LOST}; c8:-52;\n"),
    );
    let line = &run.lines()[0];
    assert!(line[8].contains("c8:loss"), "{line:?}");
    assert_eq!(line[9], "ok");
}

#[test]
fn any_bytes_get_an_answer() {
    let mut input = b"\xff\xfd\n".to_vec();
    input.extend_from_slice("-".repeat(1 << 20).as_bytes());
    input.extend_from_slice(format!("\n{}\n\0\n{OVER}", &OVER[1..]).as_bytes());
    let run = solve(&[], &input);
    let results: Vec<&str> = run.lines().iter().map(|line| line[1]).collect();
    assert_eq!(results, ["error", "error", "error", "error", "loss"]);
    assert_eq!(run.status.code(), Some(1));
}

#[test]
fn a_missing_file_is_reported_once_and_the_others_are_solved() {
    let files = ["no such file", &data("endgames-12.obf"), "nor this"];
    let output = Command::new(env!("CARGO_BIN_EXE_emilia"))
        .args(["solve", "--reference"])
        .args(files)
        .env("RUST_LOG", "off")
        .output()
        .expect("the binary starts");
    let stdout = String::from_utf8(output.stdout).expect("text");
    assert_eq!(stdout.lines().count(), 200);
    assert_eq!(output.status.code(), Some(1));
    let stderr = String::from_utf8(output.stderr).expect("text");
    let errors: Vec<&str> = stderr.lines().collect();
    assert_eq!(errors.len(), 2, "{stderr}");
    assert!(
        errors[0].starts_with("error: cannot open no such file: "),
        "{stderr}"
    );
    assert!(
        errors[1].starts_with("error: cannot open nor this: "),
        "{stderr}"
    );
}

#[test]
fn only_scores_or_a_comment_follow_the_side() {
    let cells = &LOST[..64];
    let input = format!(
        "{cells} O junk\n{cells} Ojunk\n{cells} O\0\n{} O\n{cells} O % why\n{cells} O; -52;\n",
        &cells[1..]
    );
    let run = solve(&["--reference"], &input);
    let lines = run.lines();
    let junk = "expected scores after ';', moves, or a comment after '%'";
    for (line, column) in [(0, "68"), (1, "67"), (2, "67")] {
        assert_eq!(lines[line][1..4], ["error", column, junk], "{}", run.stdout);
    }
    let few = ["4", "error", "64", "expected 64 cells, found 63"];
    assert_eq!(lines[3][..4], few);
    for line in &lines[4..] {
        assert_eq!(line[1..3], ["loss", "-52"], "{}", run.stdout);
    }
    let script = File::new("a.script", &input);
    let run = solve(&["--reference", script.name()], "");
    let results: Vec<&str> = run.lines().iter().map(|line| line[1]).collect();
    assert_eq!(results, ["loss", "loss", "loss", "error", "loss", "loss"]);
}

#[test]
fn errors_name_the_file_and_its_line() {
    let files = ["a.obf", "b.obf"].map(|name| File::new(name, format!("% \n{LOST}\nX\n")));
    let [first, second] = [files[0].name(), files[1].name()];
    let run = solve(&["--reference", first, second], "");
    let places: Vec<&str> = run.lines().iter().map(|line| line[0]).collect();
    let place = |file: &str, line: u32| format!("{file}:{line}");
    let expected = [
        place(first, 2),
        place(first, 3),
        place(second, 2),
        place(second, 3),
    ];
    assert_eq!(places, expected);
    let run = solve(&["--reference", first], "");
    let places: Vec<&str> = run.lines().iter().map(|line| line[0]).collect();
    assert_eq!(places, ["2", &place(first, 3)]);
    let answers = solve(&["--reference", "--json", second], "").json();
    assert_eq!(answers[1]["file"], second);
    assert_eq!(answers[1]["line"], 3);
}

#[test]
fn bad_usage_has_status_2() {
    for arguments in [
        &["--threads", "0"][..],
        &["--hash", "0"],
        &["--wld", "--exact"],
        &["--together", "--reference"],
        &["--no-such-option"],
    ] {
        assert_eq!(solve(arguments, "").status.code(), Some(2), "{arguments:?}");
    }
}
