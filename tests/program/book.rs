//! The opening book through the real binary: searches by other machines, the built-in book, and a clean end.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::{command, run};

fn text(output: &[u8]) -> String {
    String::from_utf8(output.to_vec()).expect("text")
}

/// What it prints; it has to end well.
fn printed(arguments: &[&str], input: impl AsRef<[u8]>) -> String {
    let output = run(arguments, input);
    let errors = text(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {errors}");
    text(&output.stdout)
}

/// Why it fails.
fn refused(arguments: &[&str], input: impl AsRef<[u8]>) -> String {
    let output = run(arguments, input);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}");
    text(&output.stderr)
}

/// A file in a folder, as an argument.
fn at(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().expect("a plain path").to_owned()
}

fn written(folder: &Path, name: &str, text: &str) -> String {
    let path = at(folder, name);
    std::fs::write(&path, text).expect("a writable place");
    path
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a writable place")
}

fn stats(book: &str) -> serde_json::Value {
    let stats = printed(&["book", "stats", book, "--json"], "");
    serde_json::from_str(&stats).expect("JSON")
}

#[test]
fn a_book_grows_by_the_answers_of_solve() {
    let folder = folder();
    let book = at(folder.path(), "a.book");
    printed(
        &["book", "grow", &book, "--depth", "3", "--positions", "3"],
        "",
    );
    for (round, form) in [&["--json"][..], &[], &["--deterministic"]]
        .iter()
        .cycle()
        .take(9)
        .enumerate()
    {
        let lines = printed(&["book", "jobs", &book, "--count", "8"], "");
        assert!((1..=8).contains(&lines.lines().count()), "{lines}");
        let solve = ["solve", "--hash", "4", "--depth", "4"];
        let answers = printed(&[&solve[..], form].concat(), &lines);
        assert!(answers.contains("estimate"), "{answers}");
        let path = written(folder.path(), &format!("{round}.answers"), &answers);
        printed(&["book", "take", &book, &path], "");
    }
    assert!(
        stats(&book)["positions"].as_u64() > Some(10),
        "{}",
        stats(&book)
    );
    let check = printed(&["book", "check", &book], "");
    assert!(
        check.contains("0 with a score that does not follow"),
        "{check}"
    );
}

#[test]
fn answers_of_other_lines_and_changed_ones_are_not_taken() {
    let folder = folder();
    let book = at(folder.path(), "a.book");
    printed(
        &["book", "grow", &book, "--depth", "3", "--positions", "8"],
        "",
    );
    let before = std::fs::read(&book).expect("a book");
    let lines = printed(&["book", "jobs", &book, "--count", "2"], "");
    let answers = printed(&["solve", "--hash", "4", "--depth", "4"], &lines);
    let (first, second) = answers.trim_end().split_once('\n').expect("two answers");
    let name = |answer: &str| answer.rsplit_once('\t').map(|(_, name)| name.to_owned());
    let swapped = first.replace(
        &name(first).expect("a name"),
        &name(second).expect("a name"),
    );
    let score = first.split('\t').nth(2).expect("a score").to_owned();
    let edited = first.replace(&score, "~+1.234@4");
    let no_name = first.rsplit_once('\t').expect("a name").0.to_owned();
    for bad in [&swapped, &edited, &no_name, "nothing"] {
        let path = written(folder.path(), "bad", &format!("{second}\n{bad}\n"));
        let reason = refused(&["book", "take", &book, &path], "");
        assert!(reason.contains("bad, line 2"), "{reason}");
    }
    assert_eq!(
        std::fs::read(&book).expect("a book"),
        before,
        "none is taken"
    );
}

#[test]
fn an_estimate_is_marked_and_only_where_no_proof_is_affordable() {
    let start = "---------------------------OX------XO--------------------------- X";
    let lost = "XXXXXXXXXXXOOOOXXXXOXXXX-OOXXXXX-OOXXXXX--OXXXXX--XOXXXX-X--XXXX O";
    let lines = format!("{start}\n{lost}\n{start}\texact of d3\n{start}\twld\n");
    let solve = |more: &[&str]| {
        printed(
            &[&["solve", "--hash", "4", "--depth", "5"], more].concat(),
            &lines,
        )
    };
    let answers = solve(&[]);
    let fields: Vec<Vec<&str>> = answers
        .lines()
        .map(|line| line.split('\t').collect())
        .collect();
    let words: Vec<&str> = fields.iter().map(|fields| fields[1]).collect();
    assert_eq!(words, ["estimate", "loss", "estimate", "estimate"]);
    assert!(
        fields[0][2].starts_with('~') && fields[0][2].ends_with("@5"),
        "{answers}"
    );
    assert_eq!((fields[1][2], fields[2][3]), ("-52", "d3"));
    let json = solve(&["--json"]);
    let first = json.lines().next().expect("an answer");
    let first: serde_json::Value = serde_json::from_str(first).expect("JSON");
    assert_eq!(
        (&first["result"], &first["depth"]),
        (&"estimate".into(), &5.into())
    );
    assert!(
        first["estimate"].is_number() && first["score"].is_null(),
        "{first}"
    );
    let third = json.lines().nth(2).expect("an answer");
    assert!(third.contains(r#""mode":"exact of d3""#), "{third}");
}

#[test]
fn estimates_are_continued_and_merged_and_bound_to_their_lines() {
    let folder = folder();
    let start = "---------------------------OX------XO--------------------------- X";
    let lines = format!("{start}\n{start}\texact of d3 c4\n{start}\texact of f5\n");
    let input = written(folder.path(), "lines", &lines);
    let output = at(folder.path(), "answers");
    let solve = [
        "solve",
        "--hash",
        "4",
        "--deterministic",
        "--output",
        &output,
    ];
    let depth = |depth, more: &[&str]| {
        run(
            &[&solve[..], &["--depth", depth], more, &[&input]].concat(),
            "",
        )
    };
    assert!(depth("4", &[]).status.success());
    let whole = std::fs::read_to_string(&output).expect("answers");
    let other = text(&depth("5", &["--resume"]).stderr);
    assert!(other.contains("--depth was 4 and is 5"), "{other}");
    assert!(depth("4", &["--resume"]).status.success());
    assert_eq!(std::fs::read_to_string(&output).expect("answers"), whole);
    assert_eq!(
        printed(&["batch", "merge", "--input", &input, &output], ""),
        whole
    );
    // The same answer at a line about other moves.
    let mut answers: Vec<String> = whole.lines().map(str::to_owned).collect();
    answers[2] = answers[1].replacen('2', "3", 1);
    std::fs::write(&output, answers.join("\n") + "\n").expect("a writable place");
    let reason = refused(&["batch", "merge", "--input", &input, &output], "");
    assert!(reason.contains("does not fit"), "{reason}");
    for (moves, column) in [("d3 d3", 80), ("a1", 77), ("", 73)] {
        let answer = text(&run(&["solve"], format!("{start}\texact of {moves}\n")).stdout);
        assert!(answer.contains(&format!("error\t{column}\t")), "{answer}");
    }
}

#[test]
fn the_built_in_book_is_there_without_a_file() {
    let shown = printed(&["book", "show", "builtin", "--json"], "");
    assert!(shown.contains(r#""move""#), "{shown}");
    assert!(stats("builtin")["positions"].as_u64() > Some(1));
    printed(&["book", "check", "builtin"], "");
    let reason = refused(&["book", "grow", "builtin", "--positions", "9"], "");
    assert!(
        reason.contains("the built-in book cannot be changed"),
        "{reason}"
    );
    let played = printed(
        &["gtp", "--book", "builtin", "--depth", "1"],
        "genmove b\nquit\n",
    );
    assert!(played.starts_with("= "), "{played}");
    let chosen = "setoption name Book value builtin\nposition startpos\ngo depth 1\nquit\n";
    let played = printed(&["uci"], chosen);
    assert!(played.contains("info string book "), "{played}");
    assert!(!PathBuf::from("builtin").exists());
}

#[cfg(unix)]
#[test]
fn a_signal_ends_the_growth_and_keeps_what_was_found() {
    let folder = folder();
    let book = at(folder.path(), "a.book");
    let mut child = command(&["book", "grow", &book, "--depth", "4"]);
    let mut child = child.spawn().expect("the binary starts");
    let length = || std::fs::metadata(&book).map_or(0, |found| found.len());
    while length() <= 4 * 4096 && child.try_wait().expect("a child").is_none() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let kill = Command::new("kill")
        .args(["-TERM", &child.id().to_string()])
        .status();
    assert!(kill.expect("it is there").success());
    let status = child.wait().expect("it ends");
    assert_eq!(status.code(), Some(128 + 15));
    assert!(stats(&book)["positions"].as_u64() > Some(20));
    let check = printed(&["book", "check", &book], "");
    assert!(
        check.contains("0 with a score that does not follow"),
        "{check}"
    );
    let leftovers = std::fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(leftovers, 1);
}

#[cfg(unix)]
#[test]
fn an_early_signal_leaves_what_the_last_line_says() {
    for wait in [20, 40, 80, 160, 320] {
        let folder = folder();
        let book = at(folder.path(), "a.book");
        let mut grow = command(&["book", "grow", &book, "--depth", "30"]);
        let child = grow.spawn().expect("the binary starts");
        std::thread::sleep(std::time::Duration::from_millis(wait));
        let kill = Command::new("kill")
            .args(["-TERM", &child.id().to_string()])
            .status();
        assert!(kill.expect("it is there").success());
        let output = child.wait_with_output().expect("it ends");
        if !Path::new(&book).exists() {
            continue;
        }
        let last = text(&output.stderr);
        let positions = &stats(&book)["positions"];
        let said = format!("{positions} position");
        let is_said = last.lines().any(|line| line.starts_with(&said));
        assert!(is_said, "{wait} ms: {positions}: {last}");
    }
}

/// What it says on standard error, with the status.
fn said(arguments: &[&str]) -> (Option<i32>, String) {
    let output = run(arguments, "");
    (output.status.code(), text(&output.stderr))
}

#[test]
fn writers_refuse_a_damaged_book_and_repair_saves_the_rest() {
    let folder = folder();
    let at = |name| at(folder.path(), name);
    let (book, out) = (at("a.book"), at("out.book"));
    let games = written(folder.path(), "games", "f5d6c3d3c4f4f6\n");
    printed(
        &["book", "grow", &book, "--depth", "1", "--positions", "300"],
        "",
    );
    let whole = std::fs::read(&book).expect("a book");
    let mut doubled = whole.clone();
    doubled.splice(8192..8192, whole[8192..12288].iter().copied());
    let mut headless = whole.clone();
    headless[..8192].fill(0);
    headless[..8].copy_from_slice(&whole[..8]);
    for damaged in [&doubled, &whole[..13_000].to_vec(), &headless] {
        std::fs::write(&book, damaged).expect("a writable place");
        for more in [&["grow"][..], &["deepen"], &["learn"], &["take"]] {
            let games = Some(games.as_str()).filter(|_| more == ["learn"]);
            let empty = written(folder.path(), "empty", "");
            let file = games.or(Some(&empty)).filter(|_| more[0] > "l");
            let (status, reason) = said(&[&["book"], more, &[&book], file.as_slice()].concat());
            assert_eq!(status, Some(1), "{more:?}: {reason}");
            assert!(reason.contains("`emilia book repair "), "{reason}");
            assert!(
                std::fs::read(&book).expect("a book") == *damaged,
                "{more:?}"
            );
        }
        let (status, last) = said(&["book", "repair", &book, &out]);
        assert_eq!(status, Some(0), "{last}");
        assert_eq!(
            last.starts_with("300 positions saved"),
            damaged.len() >= whole.len(),
            "{last}"
        );
        printed(&["book", "check", &out], "");
        std::fs::remove_file(&out).expect("it is there");
        // What is written from it would be the smaller book without a word.
        for command in [
            &["merge", &out, &book][..],
            &["prune", &book, &out, "--error", "2"],
            &["export", "--format", "csv", &book, &out],
            &["compare", &book, "builtin"],
        ] {
            let (status, reason) = said(&[&["book"], command].concat());
            assert_eq!(status, Some(1), "{command:?}: {reason}");
            assert!(reason.contains("`emilia book repair "), "{reason}");
            assert_eq!(reason.matches("is damaged").count(), 1, "{reason}");
            assert!(!std::path::Path::new(&out).exists());
        }
    }
}

#[test]
fn a_book_command_ends_with_a_line_that_says_what_was_done() {
    let folder = folder();
    let at = |name| at(folder.path(), name);
    let [a, b, merged, pruned] = ["a", "b", "merged", "pruned"].map(at);
    let games = "e6f4e3f6g5d6e7f5c5\nf5d6c5f6e7f4g5e6e3\nf5d6c3\n";
    let games = written(folder.path(), "games", games);
    let grow = |book, positions| ["grow", book, "--positions", positions, "--depth"];
    for (command, expected) in [
        (
            &[&grow(&a, "40")[..], &["2"]].concat()[..],
            "40 positions, ",
        ),
        (
            &[&grow(&a, "40")[..], &["2"]].concat(),
            "40 positions, 0 searches; ",
        ),
        (&[&grow(&b, "60")[..], &["1"]].concat(), "60 positions, "),
        (&["merge", &merged, &a, &b], " positions of 2 books"),
        (&["prune", &a, &pruned, "--error", "0"], " of 40 positions"),
        (
            &["learn", &a, &games, "--depth", "1"],
            "1 game counted, 1 left out: counted before, 1 without a count: not finished",
        ),
        (
            &["learn", &a, &games, "--depth", "1"],
            "0 new positions, 0 games counted, 2 left out",
        ),
    ] {
        let (status, last) = said(&[&["book"], command].concat());
        assert_eq!(status, Some(0), "{last}");
        let last = last.lines().last().unwrap_or_default();
        assert!(last.contains(expected), "{command:?}: {last}");
    }
    let mixed = written(folder.path(), "mixed", "f5d6c3\nf5a1\n");
    let (status, told) = said(&["book", "learn", &a, &mixed, "--depth", "1"]);
    assert_eq!(status, Some(1), "{told}");
    assert!(told.contains("mixed: line 2"), "{told}");
    assert!(told.contains("1 left out: cannot be read"), "{told}");
    let counted = run(&["book", "stats", &a, "--games", &mixed], "");
    assert_eq!(counted.status.code(), Some(1));
    assert!(text(&counted.stdout).contains("of 1 game it covers 3.00 plies"));
    let check = |more: &[&str]| {
        let output = run(&[&["book", "check"], more].concat(), "");
        output.status.code()
    };
    assert_eq!(check(&[&a, "--complete"]), Some(0));
    assert_eq!(check(&[&merged, "--complete"]), Some(0));
    // A text that does not say what the best of the other moves is.
    let [all, bare] = ["all", "bare"].map(at);
    let format = ["--format", "text"];
    let export = [&["book", "export"], &format[..], &[&merged, &all]].concat();
    assert_eq!(said(&export).0, Some(0));
    let all = std::fs::read_to_string(&all).expect("readable");
    let lines = all.lines().filter(|line| !line.contains(",--,"));
    let first = lines.max_by_key(|line| line.matches('-').count());
    let first = first.expect("a position with a leaf");
    let cells = first.split(',').next().expect("a board");
    let all = all.replace(first, &format!("{cells},2,--,0"));
    let all = written(folder.path(), "text", &all);
    let (_, told) = said(&[&["book", "import"], &format[..], &[&all, &bare]].concat());
    assert!(told.contains("; moves of "), "{told}");
    assert_eq!(check(&[&bare]), Some(0));
    assert_eq!(check(&[&bare, "--complete"]), Some(1));
    let found = printed(&["book", "find", &bare, "--unsearched"], "");
    let position = found.split('\t').next().unwrap_or_default();
    let shown = printed(&["book", "show", &bare, position], "");
    assert!(
        shown.contains("its other moves are not searched"),
        "{shown}"
    );
    printed(&["book", "deepen", &bare, "--depth", "1"], "");
    assert_eq!(check(&[&bare, "--complete"]), Some(0));
}

#[test]
fn a_book_of_one_opening_is_grown_and_studied() {
    let folder = folder();
    let at = |name| at(folder.path(), name);
    let [book, part, out] = ["a.book", "part.book", "out"].map(at);
    let [pass_book, none] = ["pass.book", "none"].map(at);
    let empty = written(folder.path(), "empty", "");
    let pass = "e6f6c4e7e8d8g7f8";
    let lines = |more: &[&'static str]| [&["lines", &pass_book, pass, "--side"][..], more].concat();
    let root = "f5d6c3d3c4";
    let grow = [
        "grow",
        &book,
        "--root",
        root,
        "--depth",
        "2",
        "--hash",
        "1",
        "--max-ply",
        "9",
    ];
    let until = [&grow[..], &["--until-error", "6"]].concat();
    for (arguments, status, expected) in [
        (&until[..], 0, "the root is worth"),
        (&until, 0, ", 0 searches; "),
        (&[&until[..], &["--error", "1"]].concat(), 2, "--error"),
        (
            &["subtree", &book, &part, "--root", "f5d6c3d3c4f4"],
            0,
            " positions",
        ),
        (
            &["subtree", &book, &out, "--root", "f5d6c4"],
            1,
            "not in the book",
        ),
        (
            &["lines", &book, root, "--side", "black", "--slack", "2"],
            0,
            "black holds ",
        ),
        (
            &["lines", &book, root, "--side", "white", "--json"],
            0,
            "\"lines\":",
        ),
        (
            &["lines", &book, "f5f4", "--side", "white"],
            1,
            "does not have this position",
        ),
        (
            &["show", &book, root, "--grades", "--rating", "1800"],
            0,
            "people",
        ),
        (
            &["find", &book, "--name", "tiger", "--ply", "5"],
            0,
            "Tiger",
        ),
        (&["find", &book, "--least", "60", "--json"], 1, ""),
        (&["compare", &book, &part], 0, "0 of "),
        (
            &["compare", &book, "builtin", "--error", "0", "--json"],
            1,
            "\"scores\":",
        ),
        (
            &["stats", &book, "--sample", "4", "--depth", "3"],
            0,
            "mean off",
        ),
        (&["find", &book, "--unsearched"], 1, ""),
        (
            &["show", &book, root, "--side", "black"],
            1,
            "white is to move there",
        ),
        (&[&grow[..9], &["3"]].concat(), 1, "--max-ply is 3"),
        (
            &["prune", &book, &out],
            2,
            "<--error <DISCS>|--root <MOVES | POSITION>>",
        ),
        (&["repair", &book, &book], 1, "the same file as input"),
        (&["merge", &book, &part, &book], 1, "the same file as input"),
        (&["repertoire", &book], 1, "no repertoire"),
        (
            &["repertoire", &book, root, "--force", "a1"],
            1,
            "a1 is no legal move",
        ),
        (
            &["repertoire", &book, root, "--force", "f4"],
            0,
            "allowed: f4",
        ),
        (&["show", &book, root], 0, "the repertoire allows f4"),
        (&["repertoire", &book], 0, "X\t"),
        (
            &[
                "export", "--format", "edax", "--leaves", "none", &book, &out,
            ],
            1,
            "--leaves best",
        ),
        (
            &["export", "--format", "csv", &book, &out],
            0,
            "positions of the repertoire: 1",
        ),
        (
            &[
                "grow",
                &pass_book,
                "--root",
                pass,
                "--depth",
                "2",
                "--positions",
                "5",
            ],
            0,
            "the root is worth -",
        ),
        (&["show", &pass_book, pass], 0, "score +"),
        (&lines(&["white"]), 0, "white holds +"),
        (&lines(&["black", "--slack", "-1"]), 2, "0 to 64"),
        (
            &["repertoire", &pass_book, pass, "--force", "pass"],
            1,
            "needs no repertoire",
        ),
        (
            &["repertoire", &pass_book, root, "--forbid", "f4"],
            0,
            "allowed: ",
        ),
        (
            &["merge", &at("merged"), &book, &pass_book],
            0,
            "differ in 1, where the first book decides",
        ),
        (
            &["show", &at("merged"), root],
            0,
            "the repertoire allows f4\n",
        ),
        (&["merge", "builtin", &book], 1, "cannot be changed"),
        (
            &["find", &book, "--certainty", "foo"],
            2,
            "expected estimate, wld, exact or unconfirmed",
        ),
        (&["find", &book, "--certainty", "Estimate"], 0, "estimate"),
        (
            &["import", "--format", "text", &empty, &none],
            1,
            "has no position",
        ),
        (
            &["repertoire", &none, root, "--force", "f4"],
            1,
            "cannot open",
        ),
        (&["deepen", &none], 1, "cannot open"),
        (&["deepen", &empty], 1, "is no book"),
        (
            &["import", "--format", "json", &out, &at("b")],
            1,
            "only written",
        ),
    ] {
        let output = run(&[&["book"], arguments].concat(), "");
        let said = text(&output.stdout) + &text(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{arguments:?}: {said}");
        assert!(said.contains(expected), "{arguments:?}: {said}");
    }
    assert!(!Path::new(&none).exists() && !Path::new("builtin").exists());
    let rows = std::fs::read_to_string(&out).expect("rows");
    assert!(rows.lines().count() > 10, "{rows}");
    assert!(rows.starts_with("position,score,"), "{rows}");
}

#[test]
fn a_book_of_version_1_is_read_and_continued() {
    let folder = folder();
    let book = at(folder.path(), "old.book");
    let old = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/version-1.book");
    std::fs::copy(old, &book).expect("a file");
    let rows = printed(&["book", "show", &book], "");
    assert!(rows.contains("f5"), "{rows}");
    // The journal of a book of version 1 then has records of today.
    printed(
        &["book", "grow", &book, "--depth", "2", "--positions", "60"],
        "",
    );
    let new = at(folder.path(), "new.book");
    printed(&["book", "merge", &new, &book], "");
    printed(&["book", "check", &book, "--complete"], "");
    let all = |book: &str| {
        let out = at(folder.path(), "out.json");
        printed(&["book", "export", "--format", "json", book, &out], "");
        let text = std::fs::read_to_string(&out).expect("text");
        std::fs::remove_file(&out).expect("a file");
        text
    };
    assert_eq!(all(&book).lines().count(), 60);
    assert!(all(&book) == all(&new));
}
