//! Tournaments through the real binary: engines of every protocol, engines that
//! misbehave, matches that are killed, sequential tests, reports and charts.

use std::collections::HashSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const EMILIA: &str = env!("CARGO_BIN_EXE_emilia");

/// An empty folder within the build folder.
fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("tournament-{name}"));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("a folder");
    path
}

/// A file of two balanced openings in that folder.
fn openings(folder: &Path) -> PathBuf {
    let path = folder.join("openings.txt");
    fs::write(&path, "f5d6c3d3c4f4\nf5f6e6f4\n").expect("writable");
    path
}

fn mock(arguments: &str) -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/engines/mock.sh");
    format!("bash '{}' {arguments}", script.display())
}

/// `emilia match` with these entrants.
fn match_of(folder: &Path, entrants: &[String], arguments: &[&str]) -> Command {
    let mut command = Command::new(EMILIA);
    command.args(["match", "--openings"]).arg(openings(folder));
    for entrant in entrants {
        command.args(["--engine", entrant]);
    }
    command.args(arguments);
    command
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).expect("text")
}

/// The fields of the lines of games.
fn games(text: &str) -> Vec<Vec<&str>> {
    let lines = text.lines().filter(|line| line.contains('\t'));
    lines.map(|line| line.split('\t').collect()).collect()
}

#[test]
fn engines_that_misbehave_lose_by_forfeit_and_the_tournament_continues() {
    let folder = folder("mocks");
    let faults = [
        ("ugi", "crash", "crash"),
        ("ugi", "hang", "hang"),
        ("ugi", "flood", "hang"),
        ("ugi", "garbage", "garbage"),
        ("ugi", "cheat", "illegal"),
        ("ugi", "late", "time"),
        ("gtp", "crash", "crash"),
        ("gtp", "garbage", "garbage"),
        ("gtp", "refuse", "garbage"),
        ("gtp", "resign", "resigned"),
        ("gtp", "cheat", "illegal"),
        ("gtp", "late", "time"),
        ("nboard", "crash", "crash"),
        ("nboard", "hang", "hang"),
        ("nboard", "garbage", "garbage"),
        ("nboard", "cheat", "illegal"),
        ("nboard", "late", "time"),
    ];
    let mut entrants = vec!["good|mobility||depth=1".to_owned()];
    for (protocol, fault, _) in faults {
        let command = mock(&format!("{protocol} {fault}"));
        let settings = "tc=0.2 seconds=decimal";
        entrants.push(format!(
            "{protocol}-{fault}|{protocol}|{command}|{settings}"
        ));
    }
    let count = (2 * faults.len()).to_string();
    let arguments = [
        "--format",
        "gauntlet",
        "--games",
        &count,
        "--concurrency",
        "8",
        "--patience",
        "3",
    ];
    let output = match_of(&folder, &entrants, &arguments)
        .output()
        .expect("started");
    let text = text(&output);
    let games = games(&text);
    assert_eq!(games.len(), 2 * faults.len(), "{text}");
    for game in games {
        let [_, black, white, score, ending, _, note] = game[..] else {
            panic!("{game:?}");
        };
        let (bad, lost) = if black == "good" {
            (white, "+64")
        } else {
            (black, "-64")
        };
        let named = |fault: &&(&str, &str, &str)| format!("{}-{}", fault.0, fault.1) == bad;
        let expected = faults.iter().find(named).expect("an entrant").2;
        assert_eq!((ending, score), (expected, lost), "{game:?}");
        if ending == "time" {
            let (start, end) = ("lost on time: ", " ms over, 0.200 s allowed");
            assert!(note.starts_with(start) && note.ends_with(end), "{note}");
        }
        if ending == "crash" {
            // What the engine wrote to standard error.
            assert!(note.ends_with("cannot open the book"), "{note}");
        }
    }
    assert!(
        text.contains("illegal 2"),
        "the summary counts forfeits: {text}"
    );
}

#[test]
fn an_engine_that_crashed_is_started_again() {
    let folder = folder("again");
    let marker = folder.join("crashed");
    let command = mock(&format!("ugi crash '{}' '{EMILIA}' ugi", marker.display()));
    let entrants = [format!("weak|ugi|{command}"), "m|mobility".to_owned()];
    let output = match_of(&folder, &entrants, &["--each", "depth=1"])
        .output()
        .expect("started");
    let text = text(&output);
    let endings: Vec<&str> = games(&text).iter().map(|game| game[4]).collect();
    assert_eq!(endings, ["crash", "over", "over", "over"], "{text}");
}

#[test]
fn an_option_that_an_engine_does_not_have_ends_the_match() {
    let folder = folder("no-option");
    let entrants = [
        format!("e|ugi|'{EMILIA}' ugi|option.Nope=3"),
        "m|mobility".to_owned(),
    ];
    let output = match_of(&folder, &entrants, &["--each", "depth=1"]).output();
    let output = output.expect("started");
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("it has no option \"Nope\""), "{error}");
}

#[test]
fn an_engine_that_cannot_be_started_again_ends_the_match_and_games_are_kept() {
    let folder = folder("not-again");
    let marker = folder.join("crashed");
    let command = mock(&format!("ugi crash '{}' no-such-program", marker.display()));
    let stem = folder.join("games");
    let arguments = ["--each", "depth=1", "--save", stem.to_str().expect("text")];
    let entrants = [format!("weak|ugi|{command}"), "m|mobility".to_owned()];
    let mut interrupted = match_of(&folder, &entrants, &arguments);
    let output = interrupted.output().expect("started");
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(
        error.contains("engine \"weak\" cannot be started") && error.contains("no-such-program"),
        "{error}"
    );
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(printed.contains("weak against m: 0.0 of 1"), "{printed}");
    assert_eq!(numbers(&folder.join("games.jsonl")), [1]);
    let entrants = [format!("weak|ugi|'{EMILIA}' ugi"), "m|mobility".to_owned()];
    let mut resumed = match_of(&folder, &entrants, &arguments);
    let output = resumed.arg("--resume").output().expect("started");
    assert_eq!(games(&text(&output)).len(), 3);
}

#[test]
fn every_protocol_plays_whole_games() {
    let folder = folder("protocols");
    let entrants = [
        format!("ugi|ugi|'{EMILIA}' ugi|option.Hash=4"),
        format!("uci|uci|'{EMILIA}' uci|option.Hash=4"),
        format!("nboard|nboard|'{EMILIA}' nboard"),
        format!("explicit|gtp|'{EMILIA}' gtp|passes=explicit seconds=decimal"),
        format!("implied|gtp|'{EMILIA}' gtp --depth 1|passes=implied untimed"),
    ];
    let stem = folder.join("games");
    let stem = stem.to_str().expect("text");
    let arguments = [
        "--each",
        "depth=1",
        "--games",
        "20",
        "--concurrency",
        "2",
        "--save",
        stem,
    ];
    let mut command = match_of(&folder, &entrants, &arguments);
    // After these moves black has to pass.
    let line = "d3c3f5d2d1e1b2c1\n";
    fs::write(folder.join("openings.txt"), line).expect("writable");
    let output = command.output().expect("started");
    let text = text(&output);
    let endings: Vec<&str> = games(&text).iter().map(|game| game[4]).collect();
    assert_eq!(endings, ["over"; 20], "{text}");
    let saved = fs::read_to_string(format!("{stem}.jsonl")).expect("saved");
    let has_pass = |line: &str| line.contains("\"pass\"");
    assert!(saved.lines().all(has_pass), "{saved}");
}

#[test]
fn clocks_are_kept_over_every_protocol() {
    let folder = folder("clocks");
    let entrants = [
        format!("ugi|ugi|'{EMILIA}' ugi"),
        format!("nboard|nboard|'{EMILIA}' nboard"),
        format!("gtp|gtp|'{EMILIA}' gtp|seconds=decimal"),
    ];
    let stem = folder.join("games");
    let stem = stem.to_str().expect("text");
    let arguments = [
        "--each",
        "tc=0.4+0.01",
        "--games",
        "6",
        "--concurrency",
        "2",
        "--save",
        stem,
    ];
    // Whether a move is in time depends on the machine; that the match continues does not.
    let mut entrants = entrants.to_vec();
    for entrant in &mut entrants {
        let bars = 3 - entrant.matches('|').count();
        entrant.push_str(&"|".repeat(bars));
        entrant.push_str(" margin=10000");
    }
    let output = match_of(&folder, &entrants, &arguments)
        .output()
        .expect("started");
    let text = text(&output);
    let endings: Vec<&str> = games(&text).iter().map(|game| game[4]).collect();
    assert_eq!(endings, ["over"; 6], "{text}");
    assert!(text.contains("time by empties"), "{text}");
    if cfg!(target_os = "linux") {
        let has_cpu = |line: &&str| line.trim_end().ends_with(" s") && line.contains('%');
        let clocks = text.lines().skip_while(|line| !line.contains("CPU"));
        assert_eq!(clocks.skip(1).filter(has_cpu).count(), 3, "{text}");
    }
    let ggf = fs::read_to_string(format!("{stem}.ggf")).expect("saved");
    assert!(
        ggf.lines().all(|line| line.contains("TI[0:00.4/0:00.01]")),
        "{ggf}"
    );
}

/// The numbers of the games in a file of JSON lines.
fn numbers(path: &Path) -> Vec<u64> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let number = |line: &str| {
        let digits = line.strip_prefix("{\"game\":").expect("a game");
        digits[..digits.find(',').expect("more")]
            .parse()
            .expect("a number")
    };
    let complete = text.rfind('\n').map_or(0, |at| at + 1);
    text[..complete].lines().map(number).collect()
}

#[test]
fn a_killed_match_is_resumed_without_losing_or_repeating_a_game() {
    let folder = folder("kill");
    let stem = folder.join("games");
    let saved = folder.join("games.jsonl");
    let entrants = [
        "a|mobility||depth=2".to_owned(),
        "b|mobility||depth=1".to_owned(),
    ];
    let stem = stem.to_str().expect("text");
    let arguments = [
        "--games",
        "300",
        "--concurrency",
        "3",
        "--save",
        stem,
        "--resume",
    ];
    let mut kept = Vec::new();
    for wanted in [5, 40] {
        let mut command = match_of(&folder, &entrants, &arguments);
        let mut child = command.stdout(Stdio::null()).spawn().expect("started");
        let deadline = Instant::now() + Duration::from_secs(60);
        while numbers(&saved).len() < wanted && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(1));
        }
        child.kill().expect("killed");
        child.wait().expect("ended");
        let now = numbers(&saved);
        assert!((wanted..300).contains(&now.len()), "{} games", now.len());
        assert_eq!(now[..kept.len()], kept, "earlier games are still there");
        kept = now;
    }
    let output = match_of(&folder, &entrants, &arguments)
        .output()
        .expect("started");
    let text = text(&output);
    let all = numbers(&saved);
    assert_eq!(all[..kept.len()], kept);
    assert_eq!(
        games(&text).len(),
        300 - kept.len(),
        "only the rest is played"
    );
    assert_eq!(all.len(), 300);
    assert_eq!(
        all.iter().copied().collect::<HashSet<_>>(),
        (1..=300).collect()
    );
    assert!(
        text.contains("of 300 ("),
        "the summary counts all games: {text}"
    );
    let ggf = fs::read_to_string(folder.join("games.ggf")).expect("saved");
    assert_eq!(ggf.lines().count(), 300);
}

#[test]
fn saved_games_of_another_match_are_not_overwritten_or_mixed() {
    let folder = folder("other");
    let stem = folder.join("games");
    let stem = stem.to_str().expect("text");
    let entrants = ["a|mobility".to_owned(), "b|mobility".to_owned()];
    let play = |arguments: &[&str]| {
        let mut all = vec!["--save", stem];
        all.extend(arguments);
        match_of(&folder, &entrants, &all)
            .output()
            .expect("started")
    };
    assert!(
        play(&["--games", "2", "--each", "depth=1"])
            .status
            .success()
    );
    let again = play(&["--games", "2", "--each", "depth=1"]);
    assert_eq!(again.status.code(), Some(1), "there are games already");
    let error = String::from_utf8_lossy(&again.stderr);
    assert!(
        error.contains("games.jsonl has games already: add --resume"),
        "{error}"
    );
    let slower = play(&["--games", "4", "--each", "depth=2", "--resume"]);
    let error = String::from_utf8_lossy(&slower.stderr);
    assert!(
        error.contains("game 1 was played by other engines"),
        "{error}"
    );
    let longer = play(&["--games", "4", "--each", "depth=1", "--resume"]);
    assert_eq!(games(&text(&longer)).len(), 2);
}

#[test]
fn a_sequential_test_ends_a_match_that_is_decided() {
    let folder = folder("sprt");
    let entrants = [
        "strong|internal||depth=3".to_owned(),
        "weak|mobility||depth=1".to_owned(),
    ];
    let arguments = ["--games", "2000", "--sprt", "elo0=0", "elo1=200"];
    let output = match_of(&folder, &entrants, &arguments)
        .output()
        .expect("started");
    let text = text(&output);
    assert!(text.contains("H1 accepted"), "{text}");
    assert!(games(&text).len() < 2000);
    let three = [entrants.to_vec(), vec!["m|mobility".to_owned()]].concat();
    let refused = match_of(&folder, &three, &arguments)
        .output()
        .expect("started");
    assert_eq!(refused.status.code(), Some(1));
}

#[test]
fn results_are_rated_and_drawn() {
    let folder = folder("report");
    let stem = folder.join("games");
    let stem = stem.to_str().expect("text");
    let entrants = ["a", "b", "c"].map(|name| format!("{name}|mobility||depth=1"));
    let ratings = folder.join("ratings.svg");
    let svg = ratings.to_str().expect("text");
    let arguments = ["--save", stem, "--svg", svg];
    let output = match_of(&folder, &entrants, &arguments)
        .output()
        .expect("started");
    let summary = text(&output);
    assert!(
        fs::read_to_string(&ratings)
            .expect("drawn")
            .contains("<circle")
    );
    let graph = folder.join("game.svg");
    let report = |arguments: &[&str]| {
        let mut command = Command::new(EMILIA);
        command
            .arg("report")
            .args(arguments)
            .output()
            .expect("started")
    };
    let json_lines = format!("{stem}.jsonl");
    let drawn = ["--game", "2", "--graph", graph.to_str().expect("text")];
    let printed = text(&report(&[&[json_lines.as_str()], &drawn[..]].concat()));
    assert!(summary.ends_with(&printed), "{summary}\n{printed}");
    assert!(
        fs::read_to_string(&graph)
            .expect("drawn")
            .contains("Game 2")
    );
    let from_ggf = text(&report(&[&format!("{stem}.ggf"), "--brief"]));
    assert_eq!(from_ggf.lines().count(), 4, "{from_ggf}");
    assert_eq!(report(&["no-such-file"]).status.code(), Some(1));

    // Neither inputs nor other files are replaced by drawings.
    let before = fs::read(&json_lines).expect("saved");
    let copy = format!("{stem}-copy.jsonl");
    fs::write(&copy, &before).expect("writable");
    for arguments in [
        ["--svg", &json_lines, &copy],
        ["--svg", &json_lines, &json_lines],
        ["--graph", &copy, &json_lines],
    ] {
        let refused = report(&arguments);
        assert_eq!(refused.status.code(), Some(1), "{refused:?}");
        assert_eq!(refused.stdout, b"", "{refused:?}");
    }
    for file in [&json_lines, &copy] {
        assert_eq!(fs::read(file).expect("still there"), before);
    }
    let mut unwritable = match_of(&folder, &entrants, &["--svg", "no-such-folder/ratings.svg"]);
    let output = unwritable.output().expect("started");
    assert_eq!(
        (output.status.code(), &output.stdout[..]),
        (Some(1), &b""[..])
    );
}

#[test]
fn a_report_keeps_apart_what_does_not_belong_together() {
    let folder = folder("apart");
    let play = |four: &str, other: &str| {
        let stem = folder.join(other);
        let stem = stem.to_str().expect("text");
        let entrants = [
            format!("four|mobility||depth={four}"),
            format!("{other}|mobility||depth=2"),
        ];
        text(
            &match_of(&folder, &entrants, &["--save", stem])
                .output()
                .expect("started"),
        );
        format!("{stem}.jsonl")
    };
    let (one, two) = (play("1", "x"), play("3", "y"));
    let report = |arguments: &[&str]| {
        let mut command = Command::new(EMILIA);
        text(
            &command
                .arg("report")
                .args(arguments)
                .output()
                .expect("started"),
        )
    };
    let alone = report(&[&one]);
    assert_eq!(report(&[&one, &one]), alone, "a file counts once");
    let ggf = one.replace(".jsonl", ".ggf");
    for both in [[&one, &ggf], [&ggf, &one]] {
        assert_eq!(
            report(&both.map(String::as_str)),
            alone,
            "a game counts once"
        );
    }
    assert!(
        alone.contains(", LOS ") && alone.contains(", normalised "),
        "{alone}"
    );
    // Four at two depths is two players, who never met.
    let both = report(&["--sprt", "elo0=0 elo1=400", &one, &two]);
    let tables = both.matches("rank name").count();
    assert_eq!(tables, 2, "{both}");
    for part in [
        " four depth=1 ",
        " four depth=3 ",
        "SPRT elo0=0 elo1=400 alpha=0.05 beta=0.05: LLR ",
    ] {
        assert!(both.contains(part), "{part} in\n{both}");
    }
}

#[test]
fn gtp_engines_get_no_start_positions() {
    let folder = folder("set-up");
    let entrants = [format!("g|gtp|'{EMILIA}' gtp"), "m|mobility".to_owned()];
    let mut command = match_of(&folder, &entrants, &[]);
    let position = "---------------------------OX------XXX-------------------------- O\n";
    fs::write(folder.join("openings.txt"), position).expect("writable");
    let output = command.output().expect("started");
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("cannot set up a position"), "{error}");
}

#[test]
fn openings_end_when_the_pipe_is_closed() {
    let words = "openings --count 10000 --plies 8 --depth 1 --limit 64";
    let mut child = Command::new(EMILIA)
        .args(words.split(' '))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary starts");
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    let opening = lines.nth(3).expect("a line").expect("text");
    assert_eq!(opening.len(), 16, "{opening}");
    drop(lines);
    assert!(child.wait().expect("a child").success());
}

#[test]
fn openings_are_made_and_those_kept_are_balanced() {
    let arguments = [
        "openings", "--count", "5", "--plies", "4", "--depth", "2", "--limit", "4",
    ];
    let make = |threads| {
        let mut command = Command::new(EMILIA);
        let output = command
            .args(arguments)
            .args(["--threads", threads])
            .output();
        text(&output.expect("started"))
    };
    let made = make("1");
    assert_eq!(
        made.lines().filter(|line| !line.starts_with('%')).count(),
        5
    );
    assert_eq!(made, make("3"), "the threads change nothing");

    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/openings-8ply.txt");
    let file = emilia::text::open(&path).expect("kept");
    let lines = emilia::text::read_all(file, emilia::formats::openings::parse_line);
    let lines = lines.expect("legal lines");
    assert_eq!(lines.len(), 1000);
    assert!(lines.iter().all(|game| game.moves().len() == 8));
    let boards = lines.iter().map(|game| game.position().board.canonical());
    assert_eq!(boards.collect::<HashSet<_>>().len(), 1000, "no two alike");
}

/// A script of this repository that runs this binary.
fn script(name: &str, arguments: &[&str]) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("scripts")
        .join(name);
    let mut command = Command::new("bash");
    let output = command
        .arg(path)
        .args(arguments)
        .env("EMILIA", EMILIA)
        .output();
    text(&output.expect("started"))
}

#[test]
fn scripts_play_two_games_and_rate_them() {
    let folder = folder("scripts");
    let list = folder.join("engines.txt");
    let lines = "# two engines\n\na|mobility\nb|internal||hash=4\n";
    fs::write(&list, lines).expect("writable");
    let path = |name: &str| folder.join(name).to_str().expect("text").to_owned();
    let [list, out] = [path("engines.txt"), path("games")];
    let arguments = ["--each", "depth=1", "--games", "2", "--out", &out, &list];
    let played = script("tournament.sh", &arguments);
    assert_eq!(games(&played).len(), 2, "{played}");
    let again = script("tournament.sh", &arguments);
    assert_eq!(games(&again).len(), 0, "both games are there: {again}");
    assert!(folder.join("games.svg").exists());

    let table = script(
        "elo.sh",
        &[&format!("{out}.jsonl"), "--svg", &path("ratings.svg")],
    );
    assert!(
        table.contains("rank") && table.lines().count() == 3,
        "{table}"
    );
    assert!(folder.join("ratings.svg").exists());

    let tested = script(
        "sprt.sh",
        &[
            "--new",
            EMILIA,
            "--old",
            EMILIA,
            "--each",
            "depth=1",
            "--hash",
            "4",
            "--games",
            "2",
            "--out",
            &path("sprt"),
        ],
    );
    assert_eq!(games(&tested).len(), 2, "{tested}");
    assert!(tested.contains("SPRT elo0=0 elo1=5"), "{tested}");
    for name in ["tournament.sh", "sprt.sh", "elo.sh"] {
        assert!(script(name, &["--help"]).starts_with("Usage:"), "{name}");
    }
}
