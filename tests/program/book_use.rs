//! Opening books, as hosts, matches and people use them, through the real binary.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use emilia::book::{Book, BookEntry, BookLeaf, BookWriter, Certainty, GameCounts};
use emilia::formats::transcript::Transcript;
use emilia::rules::Board;
use emilia::score::Score;

use crate::host::{self, Host};
use crate::run;

/// The board after these moves from the start.
fn board(moves: &str) -> Board {
    let transcript = moves.parse::<Transcript>().expect("moves");
    transcript.game.position().board
}

/// What the book of these tests knows: lines, and what the last move of each is worth for its side.
const LINES: [(&str, f64); 6] = [
    ("f5", 3.0),
    ("f5d6", 3.0),
    ("f5f4", 2.5),
    ("f5f6", 2.5),
    ("f5d6c3", 3.0),
    ("f5d6c3d3", 3.0),
];

/// Makes the book.
fn book(folder: &Path) -> PathBuf {
    let path = folder.join("a.book");
    let mut writer = BookWriter::open(&path).expect("a writable place");
    let entry = |score: f64, board: Board| {
        let leaf = BookLeaf {
            square: board.legal_moves().last().expect("a move"),
            score: Score::from_raw((score * f64::from(Score::PER_DISC)) as i32),
            certainty: Certainty::Estimate,
            depth: 20,
        };
        BookEntry {
            counts: GameCounts {
                wins: 3,
                ..GameCounts::default()
            },
            ..BookEntry::of_leaf(leaf)
        }
    };
    writer.set(Board::START, Some(entry(3.0, Board::START)));
    for (moves, score) in LINES {
        let board = board(moves);
        writer.set(board, Some(entry(-score, board)));
    }
    writer.commit().expect("a writable place");
    path
}

/// A folder, and in it the book.
fn with_book() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = book(folder.path());
    let path = path.to_str().expect("a plain path").to_owned();
    (folder, path)
}

/// All that the engine answers to these lines.
fn answers(arguments: &[&str], lines: &str) -> Vec<String> {
    let mut host = Host::start(arguments);
    host.write(lines.as_bytes());
    host.close_input();
    let answers = host.lines_to_the_end();
    assert_eq!(host.exit_code(), 0, "{answers:?}");
    answers
}

/// The second words of the answers that begin with `start`.
fn second_words(answers: &[String], start: &str) -> Vec<String> {
    let found = answers.iter().filter(|line| line.starts_with(start));
    let words = found.filter_map(|line| line.split_whitespace().nth(1));
    words.map(str::to_owned).collect()
}

fn emilia(arguments: &[&str]) -> Output {
    host::command(arguments).output().expect("it starts")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

#[test]
fn the_native_protocol_plays_the_book_and_leaves_it_as_if_there_were_none() {
    let (_folder, path) = with_book();
    let lines = format!(
        "setoption name Book value {path}\nposition startpos moves f5\ngo depth 6\n\
         position startpos moves f5 d6\ngo depth 12\nposition startpos moves f5 d6 c3 d3\ngo depth 6\n\
         setoption name Book value none\nposition startpos moves f5\ngo depth 6\n"
    );
    let answers = answers(&[], &lines);
    let said = |start: &str| host::count(&answers, start);
    assert_eq!(said("info string error"), 0, "{answers:?}");
    assert_eq!(said("info string book "), 2, "{answers:?}");
    assert!(answers[0].starts_with("info string book d6 score +3.00 estimate depth 20, "));
    assert!(answers[1].starts_with("info depth 20 ") && answers[1].contains(" score cp 300 "));
    let best = second_words(&answers, "bestmove");
    assert_eq!(
        (best.len(), &best[..2]),
        (4, &["d6".into(), "c3".into()][..])
    );
    // Where the book ends, and without it, depths are searched one after the other.
    assert_eq!(said("info depth 6 "), 2, "{answers:?}");
}

#[test]
fn variety_draws_among_good_moves_and_a_seed_repeats_it() {
    let (_folder, path) = with_book();
    let played = |variety: &str, seed: u32| {
        let lines = format!(
            "setoption name BookVariety value {variety}\nsetoption name BookSeed value {seed}\n\
             setoption name Book value {path}\nposition startpos moves f5\n{}",
            "go depth 2\n".repeat(12)
        );
        second_words(&answers(&[], &lines), "bestmove")
    };
    let first = played("0.5", 7);
    assert_eq!(first.len(), 12);
    let distinct = first.iter().collect::<std::collections::BTreeSet<_>>();
    assert_eq!(distinct.len(), 3, "{first:?}");
    assert_eq!(played("0.5", 7), first);
    assert_ne!(played("0.5", 8), first);
    for few in ["0", "0.05", "1\nsetoption name BookStyle value best"] {
        assert_eq!(played(few, 7), ["d6"; 12], "{few}");
    }
}

#[test]
fn a_level_plays_as_people_do_and_not_from_the_book() {
    let (_folder, path) = with_book();
    let named = format!("setoption name Book value {path}\nposition startpos moves f5\n");
    let of = |more: &str| {
        let answers = answers(&[], &format!("{named}{more}go depth 2\n"));
        host::count(&answers, "info string book")
    };
    for level in ["Level value 3", "Rating value 1900"] {
        assert_eq!(of(&format!("setoption name {level}\n")), 0, "{level}");
    }
    assert_eq!(of(""), 1);
    assert_eq!(of("setoption name Rating value 2000\n"), 1);
    let arguments = ["gtp", "--level", "3", "--seed", "1", "--hash", "1"];
    let move_of = |more: &[&str]| {
        let arguments = [&arguments[..], more].concat();
        second_words(&answers(&arguments, "play b f5\ngenmove w\n"), "= ")
    };
    assert_eq!(move_of(&["--book", &path]), move_of(&[]));
}

#[test]
fn gtp_plays_the_book_and_repeats_what_a_seed_draws() {
    let (_folder, path) = with_book();
    let played = |seed: &str| {
        let options = "--depth 3 --book-variety 0.5 --book-seed".split(' ');
        let arguments: Vec<&str> = ["gtp", "--book", &path]
            .into_iter()
            .chain(options)
            .collect();
        let lines = "clear_board\nplay b f5\ngenmove w\n".repeat(12);
        second_words(&answers(&[&arguments[..], &[seed]].concat(), &lines), "= ")
    };
    let first = played("1");
    assert!(
        first.len() == 12 && first.iter().any(|mv| *mv != first[0]),
        "{first:?}"
    );
    assert_eq!(played("1"), first);
    let refused = emilia(&["gtp", "--book", "no such book"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("cannot open no such book"));
    let alone = emilia(&["gtp", "--book-variety", "1"]);
    assert_eq!(alone.status.code(), Some(2), "of what book?");
}

const GAME: &str = "nboard 2\nset depth 2\nset game (;GM[Othello]TY[8]B[F5];)\n";

#[test]
fn nboard_shows_moves_of_the_book_beside_those_that_are_searched() {
    let (_folder, path) = with_book();
    let two = format!("{GAME}move D6\nhint 3\nset depth 20\ngo\n");
    let answers = answers(&["nboard", "--book", &path], &two);
    let known: Vec<_> = answers
        .iter()
        .filter(|line| line.starts_with("book "))
        .collect();
    assert_eq!(known.len(), 1, "{answers:?}");
    assert!(
        known[0].starts_with("book C3D3") && known[0].ends_with(" 3.00 3 20"),
        "{known:?}"
    );
    let searched = second_words(&answers, "search ");
    assert!(!searched.is_empty() && searched.iter().all(|line| !line.starts_with("C3")));
    assert!(
        answers.iter().any(|line| line.starts_with("=== C3/3.00/")),
        "{answers:?}"
    );
    let without = self::answers(&["nboard"], &two);
    assert_eq!(host::count(&without, "book "), 0);
    assert!(
        second_words(&without, "search ")
            .iter()
            .any(|line| line.starts_with("C3"))
    );
}

#[test]
fn what_nboard_learns_is_kept_in_the_book() {
    let (_folder, path) = with_book();
    let game = format!("{GAME}move D6\nmove C4\nmove D3\nlearn\n");
    let without = answers(&["nboard"], &game);
    assert!(without.contains(&"learned".to_owned()));
    assert!(without.contains(&"status Emilia has no book: nothing is kept".to_owned()));
    for new in [2, 0] {
        let answers = answers(&["nboard", "--book", &path], &game);
        let status = format!("status New positions in the book: {new}");
        assert!(answers.contains(&status), "{answers:?}");
    }
    let book = Book::open(Path::new(&path)).expect("a book");
    let learned = book.get(board("f5d6c4d3")).expect("readable");
    assert_eq!(learned, Some(BookEntry::UNSEARCHED));
    // It is not played before it is searched, and the other moves still are.
    let hints = answers(
        &["nboard", "--book", &path],
        &format!("{GAME}move D6\nhint 5\n"),
    );
    assert_eq!(host::count(&hints, "book "), 1, "{hints:?}");
}

#[test]
fn cassio_gets_the_move_of_the_book() {
    let (_folder, path) = with_book();
    let position = "---------------------------OX------XXX--------------------------O";
    let search = format!("ENGINE-PROTOCOL midgame-search {position} -64.0 64.0 4 73\n");
    let answers = answers(&["cassio", "--book", &path], &search);
    assert_eq!(answers.len(), 2, "{answers:?}");
    assert!(
        answers[0].contains(", depth 20, ") && answers[0].contains("W+3.00"),
        "{answers:?}"
    );
    assert_eq!(answers[1], "ready.");
    let without = self::answers(&["cassio"], &search);
    assert_eq!(without.len(), 5, "four iterations: {without:?}");
}

#[test]
fn a_match_is_played_from_the_book() {
    let (folder, path) = with_book();
    let openings = folder.path().join("openings");
    fs::write(&openings, "f5\n").expect("written");
    let saved = folder.path().join("games");
    let entry = |name: &str, book: &str| format!("{name}|internal||hash=1{book}");
    let known = format!(" book={path} book-variety=0 book-seed=1");
    let run = emilia(&[
        "match",
        "--openings",
        openings.to_str().expect("plain"),
        "--engine",
        &entry("with", &known),
        "--engine",
        &entry("without", ""),
        "--each",
        "depth=1",
        "--games",
        "2",
        "--save",
        saved.to_str().expect("plain"),
    ]);
    assert!(run.status.success(), "{}", text(&run.stderr));
    let games = fs::read_to_string(saved.with_extension("jsonl")).expect("saved");
    assert_eq!(games.lines().count(), 2, "{games}");
    for game in games.lines() {
        let game: serde_json::Value = serde_json::from_str(game).expect("JSON");
        let is_white = game["white"] == "with";
        // Behind the move of the opening.
        let first = game["moves"][1]["depth"].as_u64();
        assert_eq!(first == Some(20), is_white, "{game}");
    }
}

/// The number of positions of a book that is whole. Scores may wait for the next search to be taken to the root.
fn positions(path: &Path) -> usize {
    let book = Book::open(path).expect("a book");
    let mut positions = 0;
    let damaged = book.for_each(|_, _| positions += 1).expect("readable");
    assert_eq!(damaged, []);
    positions
}

#[test]
fn a_book_that_grows_is_killed_and_loses_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.book");
    let name = path.to_str().expect("plain");
    let grow = [
        "book",
        "grow",
        name,
        "--depth",
        "2",
        "--threads",
        "2",
        "--hash",
        "1",
    ];
    let mut before = 0;
    for _ in 0..4 {
        let child = host::command(&grow)
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        let size = || fs::metadata(&path).map_or(0, |file| file.len());
        let begun = size();
        let start = std::time::Instant::now();
        run::kill_when(child, || {
            size() > begun + 4096 || start.elapsed().as_secs() >= 20
        });
        let now = positions(&path);
        assert!(now >= before, "{now} after {before}");
        before = now;
    }
    assert!(before > 0);
    let more = (before + 10).to_string();
    let done = emilia(&[&grow[..], &["--positions", &more]].concat());
    assert!(done.status.success(), "{}", text(&done.stderr));
    let checked = emilia(&["book", "check", name]);
    assert!(checked.status.success(), "{}", text(&checked.stdout));
}

#[test]
fn a_second_writer_is_an_error_and_a_reader_is_none() {
    let (_folder, path) = with_book();
    let writer = BookWriter::open(Path::new(&path)).expect("a book");
    for command in [
        &["book", "grow", &path, "--positions", "20"][..],
        &["book", "deepen", &path],
    ] {
        let refused = emilia(command);
        assert_eq!(refused.status.code(), Some(1));
        assert!(text(&refused.stderr).contains("another process is changing"));
    }
    assert!(emilia(&["book", "show", &path]).status.success());
    let learned = answers(&["nboard", "--book", &path], &format!("{GAME}learn\n"));
    assert!(
        learned
            .iter()
            .any(|line| line.starts_with("status Nothing is kept: another process"))
    );
    drop(writer);
}

/// A book in a place where files may have so many blocks of 1024 bytes, `ulimit -f`.
#[cfg(target_os = "linux")]
fn emilia_where_files_are_short(blocks: u32, arguments: &[&str]) -> Output {
    let limited = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"");
    Command::new("bash")
        .args(["-c", &limited, "bash", env!("CARGO_BIN_EXE_emilia")])
        .args(arguments)
        .env("RUST_LOG", "off")
        .output()
        .expect("bash")
}

#[cfg(target_os = "linux")]
#[test]
fn where_no_more_can_be_written_the_book_stays_whole_and_an_error_says_so() {
    let (folder, path) = with_book();
    let before = fs::read(&path).expect("a book");
    let grow = [
        "book",
        "grow",
        &path,
        "--depth",
        "2",
        "--hash",
        "1",
        "--positions",
        "20000",
    ];
    let full = emilia_where_files_are_short(before.len() as u32 / 1024 + 8, &grow);
    assert_eq!(full.status.code(), Some(1), "{}", text(&full.stderr));
    assert!(
        text(&full.stderr).contains("cannot write"),
        "{}",
        text(&full.stderr)
    );
    assert!(positions(Path::new(&path)) >= LINES.len());
    let out = folder.path().join("out").display().to_string();
    for command in [
        &["book", "export", "--format", "edax", &path, &out][..],
        &["book", "merge", &out, &path],
    ] {
        let full = emilia_where_files_are_short(0, command);
        assert_eq!(full.status.code(), Some(1), "{command:?}");
        assert!(!Path::new(&out).exists(), "{command:?}");
    }
}

#[test]
fn people_see_moves_with_scores_counts_and_lines() {
    let (_folder, path) = with_book();
    let shown = emilia(&["book", "show", &path, "f5d6"]);
    let out = text(&shown.stdout);
    assert!(
        shown.status.success() && out.contains("Perpendicular\n"),
        "{out}"
    );
    assert!(out.contains("c3d3"), "{out}");
    let json = emilia(&["book", "show", "--json", &path, "f5", "d6"]);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
    assert_eq!(json["opening"], "Perpendicular");
    let best = &json["moves"][0];
    assert_eq!((&best["move"], &best["score"]), (&"c3".into(), &3.0.into()));
    assert_eq!(best["certainty"], "estimate");
    let unknown = emilia(&["book", "show", &path, "f5f6e6"]);
    assert_eq!(unknown.status.code(), Some(1));
}
