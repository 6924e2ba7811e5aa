//! Whole sessions with the real binary: the transcripts, and what they cannot express.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use crate::host::{self, Host, Transcript};

/// Transcripts replayed at the same time.
const AT_ONCE: usize = 4;

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn transcripts() -> Vec<PathBuf> {
    let folder = repository().join("tests/transcripts");
    let entries = fs::read_dir(folder).expect("the folder of transcripts");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a file").path()).collect();
    paths.sort();
    paths
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The error of a replay of the transcript at `path`, if there is one.
fn failure(path: &Path) -> Option<String> {
    let result = Transcript::parse(&read(path)).and_then(|transcript| transcript.replay());
    result.err().map(|why| format!("{}: {why}", path.display()))
}

#[test]
fn every_transcript_is_answered_as_written() {
    let paths = transcripts();
    let failures: Vec<String> = thread::scope(|scope| {
        let shares: Vec<_> = paths
            .chunks(paths.len().div_ceil(AT_ONCE))
            .map(|share| scope.spawn(|| share.iter().filter_map(|path| failure(path)).collect()))
            .collect();
        let failures = shares.into_iter().map(|share| share.join());
        failures
            .flat_map(|list: thread::Result<Vec<String>>| list.expect("a replay does not panic"))
            .collect()
    });
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

/// PROTOCOL.md quotes a transcript in a code block below a comment with its path.
#[test]
fn the_protocol_page_quotes_the_transcripts() {
    let page = read(&repository().join("PROTOCOL.md"));
    let mut quoted = 0;
    for (at, mark) in page.match_indices("<!-- tests/transcripts/") {
        let path_at = at + mark.len() - "tests/transcripts/".len();
        let (before, after) = page[path_at..]
            .split_once(" -->\n")
            .expect("the comment ends");
        let block = after
            .strip_prefix("```text\n")
            .and_then(|block| block.split_once("```\n"))
            .unwrap_or_else(|| panic!("{before} is followed by a block"));
        let file = read(&repository().join(before));
        assert_eq!(block.0, file, "{before}");
        quoted += 1;
    }
    assert!(quoted > 0, "no transcript is quoted");
}

/// Each row of the table of errors names its transcript `error-*.txt`, and each of those has a row.
#[test]
fn every_error_of_the_protocol_page_has_its_transcript() {
    let page = read(&repository().join("PROTOCOL.md"));
    let rows: BTreeSet<String> = page
        .lines()
        .filter(|line| line.starts_with('|'))
        .filter_map(|line| line.split_once("](tests/transcripts/error-"))
        .filter_map(|(_, rest)| rest.split_once(')'))
        .map(|(name, _)| format!("error-{name}"))
        .collect();
    let files: BTreeSet<String> = transcripts()
        .iter()
        .filter_map(|path| path.file_name()?.to_str().map(str::to_owned))
        .filter(|name| name.starts_with("error-"))
        .collect();
    assert_eq!(rows, files);
    assert!(!rows.is_empty());
}

#[test]
fn commands_from_a_pipe_are_all_answered() {
    let mut host = Host::start(&[]);
    host.write(b"position startpos moves f5\ngo depth 4");
    host.close_input();
    let lines = host.lines_to_the_end();
    assert!(
        lines
            .last()
            .is_some_and(|line| line.starts_with("bestmove ")),
        "{lines:?}"
    );
    assert_eq!(host::count(&lines, "bestmove"), 1);
    assert_eq!(host.exit_code(), 0);
}

#[test]
fn every_go_has_one_best_move_however_it_ends() {
    let mut host = Host::start(&[]);
    let mut expected = 0;
    for go in [
        "go depth 2",
        "go infinite",
        "go ponder depth 2",
        "go nodes 500",
        "go movetime 5",
        "go exact",
        "go",
    ] {
        host.write(format!("position startpos\n{go}\nstop\nstop\nponderhit\n").as_bytes());
        expected += 1;
    }
    host.write(b"go infinite\nposition startpos moves f5\ngo depth 1\ngo ponder\nsetoption name MultiPV value 2\ngo infinite\n");
    expected += 4;
    host.close_input();
    let lines = host.lines_to_the_end();
    assert_eq!(host::count(&lines, "bestmove "), expected, "{lines:#?}");
    assert_eq!(host.exit_code(), 0);
}

#[test]
fn lines_wait_for_a_bounded_search() {
    let mut host = Host::start(&[]);
    host.write(b"go depth 5\nposition startpos moves f5\nquery p1turn\n");
    host.close_input();
    let lines = host.lines_to_the_end();
    let found = |text: &str| lines.iter().position(|line| line.starts_with(text));
    assert!(found("bestmove") < found("response false"), "{lines:#?}");
}

#[test]
fn quitting_in_a_search_gives_no_answer() {
    // Neither search ends by itself during the test: one has no end, one needs hours.
    // A second `go` ends an endless search, which may answer before `quit` is read.
    for (go, rest, allowed) in [
        ("go infinite", "quit", 0),
        ("go depth 60", "quit", 0),
        ("go depth 60", "position startpos\ngo depth 60\nquit", 0),
        ("go infinite", "position startpos\ngo depth 60\nquit", 1),
    ] {
        let mut host = Host::start(&[]);
        host.write(format!("{go}\n").as_bytes());
        host.read_until(|line| line.starts_with("info depth"));
        host.write(format!("{rest}\n").as_bytes());
        let lines = host.lines_to_the_end();
        let answers = lines
            .iter()
            .filter(|line| line.starts_with("bestmove"))
            .count();
        assert!(answers <= allowed, "after {go}, {rest}: {lines:?}");
        assert_eq!(host.exit_code(), 0, "after {go}, {rest}");
    }
}

#[test]
fn a_host_that_closes_the_pipe_is_no_error() {
    for last in ["go depth 6\n", "quit\n", "go infinite\nisready\nstop\n"] {
        let mut child = host::command(&[])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the engine starts");
        drop(child.stdout.take());
        let mut input = child.stdin.take().expect("its input");
        // The engine may have ended already: then this write fails, which is no error.
        let _ = input.write_all(format!("uci\nisready\n{last}").as_bytes());
        drop(input);
        assert_eq!(host::exit_code(child), 0, "after {last:?}");
    }
}

/// Starts a search that takes hours, and returns the engine with its pipes.
#[cfg(unix)]
fn deep_search(arguments: &[&str], lines: &str) -> std::process::Child {
    let mut child = host::command(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the engine starts");
    let input = child.stdin.as_mut().expect("its input");
    input.write_all(lines.as_bytes()).expect("the engine reads");
    thread::sleep(Duration::from_secs(2));
    child
}

/// A window that is closed ends its engine in every protocol, however deep the engine searches. The
/// searches write nothing for minutes, so that the engine has to notice by itself.
#[test]
#[cfg(unix)]
fn a_host_that_is_gone_ends_a_deep_search() {
    for (arguments, lines) in [
        (&["nboard"][..], "nboard 2\nset depth 60\nhint 4\n"),
        (&["nboard"], "nboard 2\nset depth 60\nanalyze\n"),
        (&["gtp", "--depth", "60"], "genmove b\n"),
        (&["gtp", "--depth", "60"], "emilia-hint\n"),
        (&[], "go depth 60\n"),
        (&[], "go infinite\n"),
    ] {
        let mut child = deep_search(arguments, lines);
        let start = Instant::now();
        drop(child.stdin.take());
        drop(child.stdout.take());
        assert_eq!(host::exit_code(child), 0, "after {lines:?}");
        let time = start.elapsed();
        assert!(time < Duration::from_secs(5), "{time:?} after {lines:?}");
    }
}

/// A pipe ends the input, and still reads the answers: what has a limit is done.
#[test]
fn a_search_with_a_limit_is_finished_after_the_end_of_input() {
    for (arguments, lines, answer) in [
        (
            &["nboard"][..],
            "nboard 2\nset depth 11\nhint 1\n",
            "search ",
        ),
        (&["gtp", "--depth", "11"], "genmove b\n", "= "),
        (&[], "go movetime 700\n", "bestmove "),
    ] {
        let mut host = Host::start(arguments);
        host.write(lines.as_bytes());
        host.close_input();
        let answers = host.lines_to_the_end();
        assert!(host::count(&answers, answer) > 0, "{lines:?}: {answers:?}");
        assert_eq!(host.exit_code(), 0, "after {lines:?}");
    }
}

#[test]
fn no_bytes_end_the_engine() {
    let mut host = Host::start(&[]);
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut noise = Vec::new();
    for _ in 0..200_000 {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        noise.push((state >> 56) as u8);
    }
    host.write(&noise);
    host.write(b"\nposition startpos moves f5 f6\nquery p1turn\n");
    host.close_input();
    let lines = host.lines_to_the_end();
    let (last, errors) = lines.split_last().expect("answers");
    assert_eq!(last, "response true");
    assert!(errors.len() > 100);
    for error in errors {
        assert!(error.starts_with("info string error column "), "{error}");
    }
    assert_eq!(host.exit_code(), 0);
}

#[test]
fn a_table_that_cannot_be_allocated_is_an_error() {
    for protocol in ["gtp", "nboard", "cassio"] {
        let output = host::command(&[protocol, "--hash", "268435456"])
            .stdin(Stdio::null())
            .output()
            .expect("the engine starts");
        assert_eq!(output.status.code(), Some(1), "{protocol}");
        let stderr = String::from_utf8(output.stderr).expect("text");
        let expected = "error: cannot allocate 268435456 MB for the hash table\n";
        assert_eq!(stderr, expected, "{protocol}");
    }
}
