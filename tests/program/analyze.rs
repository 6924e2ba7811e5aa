//! `emilia analyze`, as its users run it.

use std::fs::{self, File};
use std::process::{Command, Output, Stdio};

use crate::run;

/// A whole game of Emilia at depth 1 against itself.
const GAME: &str = "d3e3f4c3c4d6c6c5b4b5f6b6f2a5d2f5e6d7g5g3f3g4g6f7e7c2c8d8e8h5h6d1h2e2e1h3h4g8f8b8c1g7b1g1b3f1h1g2h7a3a4b2h8c7b7a8a2a1a6a7";

const QUICK: &str = "--depth 2 --exact 8 --wld 10 --hash 8";

fn run(arguments: &[&str], input: &str) -> Output {
    let quick: Vec<&str> = QUICK.split(' ').collect();
    run::run(&[&["analyze"], &quick[..], arguments].concat(), input)
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
fn the_opening_is_named_in_text_json_and_page() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = folder.path().join("page.html").display().to_string();
    let lines = run(&["f5d6c3d3c4f4", "--html", &page], "");
    assert!(
        text(&lines.stdout).contains("\nOpening: Tiger\n"),
        "{}",
        text(&lines.stdout)
    );
    let page = fs::read_to_string(page).expect("read");
    assert!(page.contains(r#""opening":"Tiger""#));
    let json = |moves: &str| -> serde_json::Value {
        let run = run(&["--json", moves], "");
        serde_json::from_str(text(&run.stdout)).expect("JSON")
    };
    // The same position by other moves, seen through a symmetry; the name stays when play goes on.
    assert_eq!(json("e6f4c3c4d3d6")["opening"], "Tiger");
    assert_eq!(
        json("f5f4").get("opening").and_then(|name| name.as_str()),
        Some("Parallel")
    );
    assert_eq!(json("f5").get("opening"), None);
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
    assert_eq!(moves, [60, 1, 2]);
    assert_eq!(
        (&games[2]["black"], &games[2]["result"]),
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

#[test]
fn a_board_may_be_an_argument_and_an_error_is_said_once() {
    let cells = start_cells().replace('*', "X");
    let board = format!("{cells} X d3e3");
    let read = run(&["--json", &board], "");
    assert!(read.status.success(), "{}", text(&read.stderr));
    assert_eq!(text(&read.stdout).matches("\"played\"").count(), 2);
    let asked = run(&["--json", &cells], "");
    assert!(text(&asked.stderr).contains("or give --side black or --side white"));
    let cut = run(&["--json", "d3e3a1"], "");
    assert_eq!(cut.status.code(), Some(1));
    assert_eq!(text(&cut.stdout).matches("\"played\"").count(), 2);
    let err = text(&cut.stderr);
    assert_eq!(err.matches("illegal move a1").count(), 1, "{err}");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("games.txt");
    fs::write(&path, "d3e3\nd3e3a1\n").expect("written");
    let opened = Command::new(env!("CARGO_BIN_EXE_emilia"))
        .args(["match", "--opponent", "mobility", "--openings"])
        .arg(&path)
        .output()
        .expect("it starts");
    let err = text(&opened.stderr);
    assert_eq!(err.matches("illegal move a1").count(), 1, "{err}");
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
fn where_nobody_reads_on_files_are_written_and_that_is_no_failure() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = folder.path().join("page.html").display().to_string();
    for arguments in [
        &["--html", &page][..],
        &["--summary", "--html", &page],
        &["--json"],
    ] {
        let _ = fs::remove_file(&page);
        let mut command = Command::new(env!("CARGO_BIN_EXE_emilia"));
        command
            .arg("analyze")
            .args(QUICK.split(' '))
            .args(arguments);
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let child = command.arg(GAME).stdout(writer).stderr(Stdio::piped());
        let output = child.output().expect("it runs");
        assert_eq!(text(&output.stderr), "", "{arguments:?}");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        let page = fs::read_to_string(&page).unwrap_or_default();
        assert_eq!(page.contains("Black"), arguments.contains(&"--html"));
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
        ("d3e3f4\nc3 e9\n", "line 2, column 4: expected a square"),
        ("1) d3-e3, 2) f4-a1\n", "line 1, column 17: illegal move a1"),
        ("+4\n", "line 1, column 1: expected a board"),
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
        err.contains("games.sgf, line 1, column 25") && err.contains("move 1 of game 2 is 11"),
        "{err}"
    );
}

/// A file of this name, what `analyze --json` says of it, and the standard error.
fn analyze_file(name: &str, bytes: &[u8]) -> (Vec<String>, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    fs::write(&path, bytes).expect("written");
    let run = run(&["--json", path.to_str().expect("UTF-8")], "");
    let describe = |line: &str| {
        let game: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let moves = game["moves"].as_array().expect("moves").iter();
        let played: String = moves.filter_map(|mv| mv["played"].as_str()).collect();
        let name = |side: &str| game[side].as_str().unwrap_or_default().to_owned();
        format!("{} {} {played}", name("black"), name("white"))
    };
    let games = text(&run.stdout).lines().map(describe).collect();
    (games, text(&run.stderr).to_owned())
}

#[test]
fn files_of_every_kind_are_read() {
    let ggf = format!(
        "(;GM[Othello]PB[Ann]PW[Ben]TY[0]\nBO[8 {} *]\nB[F5]\nW[D6];)",
        start_cells()
    );
    let utf16: Vec<u8> = ggf.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let sgf =
        "\u{feff}Subject: a game\n\n(;FF[4]GM[2]C[no GM[Othello\\]]PB[Ann]PW[Ben];B[fe];W[df])";
    for (name, bytes) in [
        ("rows.ggf", ggf.clone().into_bytes()),
        ("utf16.ggf", utf16),
        ("mail.sgf", sgf.to_owned().into_bytes()),
        (
            "gogui.sgf",
            b"(;FF[4]SZ[8]\nPB[Ann]PW[Ben]\n;B[fd];W[dc];B[];W[])".to_vec(),
        ),
        (
            "long.sgf",
            b"(;GaMe[2]PlayerBlack[Ann]PlayerWhite[Ben];Black[fe];White[df])".to_vec(),
        ),
        (
            "play.pgn",
            b"[Black \"Ann\"]\r[White \"Ben\"]\r\r1. f5 d6 *\r".to_vec(),
        ),
        ("table.csv", b"black,white,moves\nAnn,Ben,f5d6\n".to_vec()),
        (
            "page.txt",
            b"A game\nBlack: Ann (1500)\nWhite: Ben\n1. F5\nD6\n".to_vec(),
        ),
        (
            "quest.json",
            br#"{"players":[{"name":"Ann"},{"name":"Ben"}],"moves":["f5","d6"]}"#.to_vec(),
        ),
    ] {
        let (games, errors) = analyze_file(name, &bytes);
        assert_eq!(
            (games, errors),
            (vec!["Ann Ben f5d6".to_owned()], String::new()),
            "{name}"
        );
    }
}

#[test]
fn what_is_no_game_of_othello_is_named_in_its_place() {
    let anti = format!("(;GM[Othello]TY[8a]BO[8 {} *]B[F5];)", start_cells());
    for (name, bytes, error) in [
        (
            "anti.ggf",
            anti.as_bytes(),
            "line 1, column 17: anti-Othello",
        ),
        (
            "twice.sgf",
            b"(;GM[2]\n;B[fe];B[df])",
            "line 2, column 10: illegal move d6 of black: it is white's turn; the game is read up to there",
        ),
        (
            "set-up.sgf",
            b"(;GM[2];AB[aa];B[fe])",
            "line 1, column 12: a set-up of some squares",
        ),
        ("nothing.txt", b"hello\nworld\n", "line 1, column 1: "),
        (
            "packed.bz2",
            b"BZh91AY",
            "it is packed with bzip2: unpack it first, as with bunzip2",
        ),
        (
            "binary",
            b"\x7fELF\0\0\0\0",
            "its bytes are neither text nor a WTHOR database",
        ),
        (
            "bad.json",
            b"{\"moves\":[\"f5\",\"f5\"]}",
            "line 1, column 1: illegal move f5 of white, move 2; the game is read up to there",
        ),
    ] {
        let (games, errors) = analyze_file(name, bytes);
        assert_eq!(
            games.len(),
            usize::from(error.ends_with("up to there")),
            "{name}"
        );
        assert!(errors.contains(error), "{name}: {errors}");
    }
}

#[test]
fn years_are_those_of_dates() {
    let game = |date: &str| {
        format!(
            "(;GM[Othello]DT[{date}]PB[{date}]BO[8 {} *]B[F5];)\n",
            start_cells()
        )
    };
    let games = game("1012015433") + &game("2015.01.02") + &game("12015") + &game("2002-03-04");
    let run = run(&["--json", "--year", "2002"], &games);
    let out = text(&run.stdout);
    assert_eq!(out.lines().count(), 2, "{out}");
    assert!(
        out.contains("\"1012015433\"") && out.contains("\"2002-03-04\""),
        "{out}"
    );
}

#[test]
fn a_report_keeps_the_games_beside_a_bad_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("games.txt");
    let games = "[Black \"Ann\"]\n[White \"Ben\"]\n[Result \"38-26\"]\n\n1. f5 d6 38-26\n\n\
        [Black \"Ann\"]\n[White \"Ben\"]\n\n1. a1 *\n";
    fs::write(&path, games).expect("written");
    let report = Command::new(env!("CARGO_BIN_EXE_emilia"))
        .args(["report", "--brief"])
        .arg(&path)
        .output()
        .expect("it starts");
    let (out, err) = (text(&report.stdout), text(&report.stderr));
    assert_eq!(report.status.code(), Some(1), "{err}");
    assert!(
        out.contains("Ann") && err.contains("line 10, column 4: illegal move a1"),
        "{out}{err}"
    );
}

/// The first moves of [`GAME`]: searches of all moves take their time without optimisation.
const OPENING: &str = "d3e3f4c3c4d6c6c5b4b5f6b6";

/// What `analyze --json` says of a game with these arguments.
fn json(game: &str, arguments: &[&str]) -> serde_json::Value {
    let run = run(
        &[&["--json", "--threads", "1", game], arguments].concat(),
        "",
    );
    assert!(run.status.success(), "{}", text(&run.stderr));
    serde_json::from_str(text(&run.stdout)).expect("JSON")
}

#[test]
fn players_of_a_rating_find_moves_with_probabilities() {
    let game = json(GAME, &["--rating", "1500"]);
    for mv in game["moves"].as_array().expect("moves") {
        let shares = mv["shares"].as_object().expect("shares");
        let sum: f64 = shares.values().filter_map(serde_json::Value::as_f64).sum();
        assert!((sum - 1.0).abs() < 0.02, "{mv}");
        let played = mv["played"].as_str().expect("a move");
        assert_eq!(mv["share"], shares[played], "{mv}");
        let hard = mv["hard"].as_f64().expect("it was searched");
        assert!((0.0..=1.0).contains(&hard), "{mv}");
        // A position with one move is not hard; where the played move goes wrong, those who play it do.
        assert!(shares.len() > 1 || hard == 0.0, "{mv}");
        let is_wrong = mv["loss"].as_f64().expect("a loss") >= 2.0;
        assert!(!is_wrong || hard >= mv["share"].as_f64().expect("a share") - 0.002);
        assert_eq!(mv.get("remark").is_some(), mv.get("remark_text").is_some());
    }
    for side in ["black_strength", "white_strength"] {
        let side = &game[side];
        assert_eq!(side["rating"], 1500);
        let moves = side["moves"].as_u64().expect("a count");
        assert!((20..=33).contains(&moves), "{side}");
        assert_eq!(side["likelihood"].as_array().map(Vec::len), Some(37));
    }
    // The rest is what it is without players.
    let mut plain = game;
    let fields = ["share", "hard", "shares", "remark", "remark_text"];
    for mv in plain["moves"].as_array_mut().expect("moves") {
        let mv = mv.as_object_mut().expect("a move");
        fields.iter().for_each(|field| drop(mv.remove(*field)));
    }
    let game = plain.as_object_mut().expect("a game");
    assert!(game.remove("black_strength").is_some() && game.remove("white_strength").is_some());
    assert_eq!(plain, json(GAME, &[]));
}

#[test]
fn each_side_may_have_a_rating_of_its_own() {
    let [all, both, black] = [
        &["--rating", "1500", "--rating-black", "1100"][..],
        &["--rating-black", "1100", "--rating-white", "1500"],
        &["--rating-black", "1100"],
    ]
    .map(|ratings| json(OPENING, ratings));
    assert_eq!(all, both);
    assert_eq!(all["black_strength"]["rating"], 1100);
    assert_eq!(all["white_strength"]["rating"], 1500);
    assert!(black.get("white_strength").is_none());
    for mv in black["moves"].as_array().expect("moves") {
        assert_eq!(mv.get("share").is_some(), mv["side"] == "X");
    }
}

#[test]
fn what_is_no_rating_is_an_error_of_the_command_line() {
    for bad in ["0", "5000", "-1", "strong", "1e3", ""] {
        for option in ["--rating", "--rating-black", "--rating-white"] {
            let refused = run(&[&format!("{option}={bad}"), GAME], "");
            let err = text(&refused.stderr);
            assert_eq!(refused.status.code(), Some(2), "{bad}: {err}");
            assert!(err.contains("expected a rating, 1 to 3000"), "{bad}: {err}");
        }
    }
}

#[test]
fn table_page_and_summary_say_what_players_find() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = folder.path().join("page.html").display().to_string();
    let rating = ["--rating", "1500", "--threads", "1"];
    let table = run(&[&rating[..], &[GAME]].concat(), "");
    let out = text(&table.stdout);
    assert!(out.contains("loss   share  hard  better\n"), "{out}");
    assert!(out.contains("players of 1500"), "{out}");
    assert!(
        out.contains("\nblack: ") && out.contains("\nwhite: "),
        "{out}"
    );
    let summary = ["--summary", "--html", &page];
    let summary = run(&[&rating[..], &summary, &[GAME, OPENING]].concat(), "");
    let out = text(&summary.stdout);
    assert!(
        out.contains("\nBlack: ") && out.contains("\nWhite: "),
        "{out}"
    );
    let page = fs::read_to_string(page).expect("read");
    assert!(page.contains(r#""remark_text":""#) && page.contains(r#""people":""#));
    let plain = run(&["--summary", OPENING], "");
    assert!(!text(&plain.stdout).contains("Black: "));
}

#[test]
fn a_continued_run_has_the_same_players() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("out.jsonl");
    let output = ["--threads", "1", "--output", path.to_str().expect("UTF-8")];
    let asked = |more: &[&str]| run(&[&output[..], more].concat(), &beginnings());
    assert!(asked(&["--rating", "1500"]).status.success());
    let other = asked(&[
        "--resume",
        "--rating-black",
        "1500",
        "--rating-white",
        "1600",
    ]);
    let err = text(&other.stderr);
    assert!(err.contains("--rating-white was 1500 and is 1600"), "{err}");
    assert!(!asked(&["--resume"]).status.success());
    let same = asked(&["--resume", "--rating", "1500", "--summary"]);
    let out = text(&same.stdout);
    assert!(
        out.contains("\nBlack: ") && out.contains("rating: 18"),
        "{out}"
    );
}

#[test]
fn without_time_the_model_alone_speaks() {
    let game = json(OPENING, &["--rating", "1500", "--time", "0"]);
    let moves = game["moves"].as_array().expect("moves");
    assert!(moves.iter().all(|mv| mv.get("share").is_some()));
    assert!(moves.iter().any(|mv| mv.get("hard").is_none()));
}
