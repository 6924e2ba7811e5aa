//! Nothing hangs, nothing is lost, nothing stays behind: faults from outside, through the real binary.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use emilia::random::SplitMix64;

use crate::run::{self, Folder};

const EMILIA: &str = env!("CARGO_BIN_EXE_emilia");

const PROBLEMS: &str = include_str!("../data/endgames-12.obf");

/// What hangs longer has failed. It is long, since the machine may be busy.
const WATCHDOG: Duration = Duration::from_secs(60);

/// The lines of positions of few empties, without their scores.
fn positions(count: usize) -> String {
    let lines = PROBLEMS
        .lines()
        .filter(|line| !line.starts_with(['%', '#']));
    let cells = lines.map(|line| line.split(';').next().expect("a first part").trim());
    cells
        .take(count)
        .map(|cells| format!("{cells}\n"))
        .collect()
}

/// The one of them with the most empty squares.
fn hard_position() -> String {
    let all = positions(usize::MAX);
    let empties = |line: &&str| line.matches('-').count();
    all.lines().max_by_key(empties).expect("one").to_owned()
}

fn emilia(arguments: &[&str]) -> Command {
    let mut command = Command::new(EMILIA);
    command
        .args(arguments)
        .env_remove("RUST_LOG")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Exit status, standard output and standard error. Panics if the program hangs.
fn run(command: &mut Command) -> (i32, String, String) {
    let mut child = command.spawn().expect("started");
    drop(child.stdin.take());
    let number = child.id();
    let (done, is_done) = std::sync::mpsc::channel();
    let waiting = thread::spawn(move || {
        let output = child.wait_with_output();
        let _ = done.send(());
        output
    });
    if is_done.recv_timeout(WATCHDOG).is_err() {
        send_signal(number, "KILL");
        panic!("it hangs");
    }
    let output: Output = waiting.join().expect("no panic").expect("an end");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code().unwrap_or(-1),
        text(&output.stdout),
        text(&output.stderr),
    )
}

fn send_signal(process: u32, signal: &str) {
    let sent = Command::new("kill")
        .args([&format!("-{signal}"), &process.to_string()])
        .status();
    assert!(sent.expect("there is kill").success());
}

/// Waits until `is_true`.
fn wait_until(what: &str, mut is_true: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_true() {
        assert!(start.elapsed() < WATCHDOG, "not in time: {what}");
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_damaged_cache_is_an_error_of_the_cache() {
    let folder = Folder::new();
    let input = folder.file("input", positions(60));
    let cache = folder.path("cache");
    let options = [
        "solve",
        "--threads",
        "2",
        "--hash",
        "4",
        "--json",
        "--cache",
        &cache,
        &input,
    ];
    assert_eq!(run(&mut emilia(&options)).0, 0);
    let whole = fs::read(&cache).expect("a cache");
    for seed in 0..24 {
        let mut random = SplitMix64::new(seed);
        let mut damaged = whole.clone();
        let at = random.below(whole.len() as u64) as usize;
        match seed % 4 {
            0 => damaged.truncate(at),
            1 => damaged[at..]
                .iter_mut()
                .take(4096)
                .for_each(|byte| *byte = 0),
            _ => {
                for _ in 0..200 {
                    let at = random.below(whole.len() as u64) as usize;
                    damaged[at] ^= 1 << random.below(8);
                }
            }
        }
        fs::write(&cache, damaged).expect("written");
        let (status, _, errors) = run(&mut emilia(&options));
        assert!(!errors.contains("panicked"), "{seed}: {errors}");
        assert!(
            status == 0 || errors.contains(&cache),
            "{seed}: {status} {errors}"
        );
    }
}

#[test]
fn protocols_answer_where_nobody_reads_standard_error() {
    for (protocol, bad, question, answer) in [
        ("nboard", "set depth no", "ping 7", "pong 7"),
        (
            "cassio",
            "ENGINE-PROTOCOL no",
            "ENGINE-PROTOCOL quit",
            "bye bye.",
        ),
    ] {
        let mut child = emilia(&[protocol]).spawn().expect("started");
        let mut input = child.stdin.take().expect("piped");
        let output = BufReader::new(child.stdout.take().expect("piped"));
        // Different lines, more than any pipe holds; nobody takes them from standard error.
        let lines: String = (0..20_000).map(|n| format!("{bad} {n}\n")).collect();
        let question = format!("{lines}{question}\n");
        let writer = thread::spawn(move || {
            let _ = input.write_all(question.as_bytes());
            input
        });
        let (sender, receiver) = std::sync::mpsc::channel();
        thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        let start = Instant::now();
        let is_answered = loop {
            let left = WATCHDOG.saturating_sub(start.elapsed());
            match receiver.recv_timeout(left) {
                Ok(line) if line == answer => break true,
                Ok(_) => {}
                Err(_) => break false,
            }
        };
        if !is_answered {
            let _ = child.kill();
        }
        drop(writer.join().expect("no panic"));
        wait_until("its end", || child.try_wait().expect("a child").is_some());
        assert!(is_answered, "{protocol}");
    }
}

#[test]
fn errors_are_plain_and_those_that_repeat_are_counted() {
    let child = emilia(&["nboard"]).spawn().expect("started");
    let output = run::finish(child, "hint 0\n".repeat(705));
    let errors = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = errors.lines().collect();
    assert!(lines[0].starts_with("error: ignored line: "), "{errors}");
    assert!(lines.len() < 6 && !errors.contains("emilia::"), "{errors}");
    assert!(
        lines.last().expect("one").ends_with("(705 times)"),
        "{errors}"
    );
}

/// A position and a claim that is proven in a moment.
fn proof_arguments<'a>(position: &'a str, output: &'a str) -> Vec<&'a str> {
    let options = [
        "--threads",
        "1",
        "--hash",
        "4",
        "--leaf",
        "0",
        "--output",
        output,
    ];
    [&["proof", "make", position], &options[..]].concat()
}

#[test]
fn a_finished_proof_is_never_destroyed() {
    let folder = Folder::new();
    let position = positions(1).trim().to_owned();
    let proof = folder.path("a.proof");
    let make = proof_arguments(&position, &proof);
    assert_eq!(run(&mut emilia(&make)).0, 0);
    let whole = fs::read(&proof).expect("a proof");
    let (status, _, errors) = run(&mut emilia(&make));
    assert_eq!(status, 1);
    assert!(errors.contains("a.proof: it exists"), "{errors}");

    // As the name of another one's draft, by a copy, a link, and a link to a file that is not there.
    let other = folder.path("b.proof");
    let draft = PathBuf::from(format!("{other}.part"));
    let make = proof_arguments(&position, &other);
    let solve_input = folder.file("position", format!("{position}\n"));
    let solve = [
        "solve",
        "--wld",
        "--threads",
        "1",
        "--hash",
        "4",
        "--proof",
        &other,
        &solve_input,
    ];
    let missing = folder.path("missing");
    for kind in ["copy", "hard link", "link", "dangling link"] {
        match kind {
            "copy" => fs::copy(&proof, &draft).map(drop),
            "hard link" => fs::hard_link(&proof, &draft),
            #[cfg(unix)]
            "link" => std::os::unix::fs::symlink(&proof, &draft),
            #[cfg(unix)]
            "dangling link" => std::os::unix::fs::symlink(&missing, &draft),
            _ => continue,
        }
        .expect("there are links");
        for command in [&make[..], &solve] {
            let (status, out, errors) = run(&mut emilia(command));
            assert_eq!(status, 1, "{kind}");
            assert!((out + &errors).contains("b.proof.part"), "{kind}: {errors}");
            assert!(fs::symlink_metadata(&draft).is_ok(), "{kind}");
            assert!(!Path::new(&missing).exists() && !Path::new(&other).exists());
            assert_eq!(fs::read(&proof).expect("a proof"), whole, "{kind}");
        }
        fs::remove_file(&draft).expect("there");
    }
}

#[test]
fn a_damaged_draft_makes_no_proof() {
    let folder = Folder::new();
    let position = hard_position();
    let proof = folder.path("a.proof");
    let draft = format!("{proof}.part");
    let make = proof_arguments(&position, &proof);
    let stopped = [&make[..], &["--max-nodes", "1"]].concat();
    assert_eq!(run(&mut emilia(&stopped)).0, 3);
    // What a solve left: perhaps no more than a head.
    let whole = fs::read(&draft).unwrap_or_default();
    for extra in [&[0; 64][..], b"x", b"more"] {
        fs::write(&draft, [&whole, extra].concat()).expect("written");
        let (status, _, errors) = run(&mut emilia(&make));
        assert_eq!(status, 1, "{errors}");
        assert!(errors.contains("a.proof.part"), "{errors}");
        assert!(!Path::new(&proof).exists());
    }
}

#[test]
fn outputs_that_are_one_file_are_refused_before_the_work() {
    let folder = Folder::new();
    let input = folder.file("input", positions(1));
    let output = folder.path("q");
    let note = folder.path("q.run");
    let around = folder.path("./q.run");
    let proof = folder.path("p");
    for more in [
        vec!["--stats", &note],
        vec!["--stats", &around],
        vec!["--proof", &note],
        vec!["--cache", &note],
        vec!["--cache", &output],
    ] {
        let all = [
            &["solve", "--wld", "--hash", "4", "--output", &output],
            &more[..],
            &[&input],
        ];
        let (status, out, errors) = run(&mut emilia(&all.concat()));
        assert_eq!((status, out.as_str()), (1, ""), "{more:?}");
        assert!(
            errors.contains("the same file as another output"),
            "{errors}"
        );
        let _ = fs::remove_file(&output);
    }
    let part = folder.path("p.part");
    let (status, _, errors) = run(&mut emilia(&[
        "solve", "--wld", "--hash", "4", "--proof", &proof, "--output", &part, &input,
    ]));
    assert_eq!(status, 1);
    assert!(errors.contains("another output"), "{errors}");
}

#[test]
fn names_that_do_not_fit_into_a_line_are_refused() {
    if cfg!(windows) {
        return; // no file has such a name
    }
    let folder = Folder::new();
    let (one, two) = (
        folder.file("one", positions(1)),
        folder.file("two\nlines", positions(1)),
    );
    let solve = ["solve", "--hash", "4", &one, &two];
    let (status, out, errors) = run(&mut emilia(&solve));
    assert_eq!((status, out.as_str()), (1, ""));
    assert!(
        errors.lines().count() == 1 && errors.contains(r"two\nlines"),
        "{errors}"
    );
    let (status, out, _) = run(emilia(&solve).arg("--json"));
    assert_eq!((status, out.lines().count()), (0, 2), "{out}");
}

#[test]
fn a_proof_that_cannot_be_checked_is_not_called_wrong() {
    let folder = Folder::new();
    let position = hard_position();
    let proof = folder.path("a.proof");
    assert_eq!(run(&mut emilia(&proof_arguments(&position, &proof))).0, 0);
    let missing = folder.path("missing");
    let (status, out, errors) = run(emilia(&["verify", "--memory", "0", &proof])
        .env("TMPDIR", &missing)
        .env("TMP", &missing));
    assert_eq!((status, out.as_str()), (2, ""), "{errors}");
    assert!(
        errors.contains("cannot check") && errors.contains(&missing),
        "{errors}"
    );
    let (status, out, errors) = run(&mut emilia(&["verify", &missing]));
    assert_eq!((status, out.as_str()), (2, ""), "{errors}");
    let letter = folder.file("letter", "a letter of some length, but no proof");
    assert_eq!(run(&mut emilia(&["verify", &letter])).0, 1);
}

#[cfg(target_os = "linux")]
mod processes {
    use super::*;

    /// An engine that starts a child, writes down both numbers, and does as `behaviour` says when it is
    /// asked for a move. It ignores signals and the end of its input.
    fn engine(folder: &Folder, behaviour: &str) -> String {
        let pids = folder.path("pids");
        let script = format!(
            "trap '' INT TERM HUP\n\
             sleep 1000 </dev/null >/dev/null 2>&1 &\n\
             echo $! >>'{pids}'; echo $$ >>'{pids}'\n\
             while read -r line; do case $line in\n\
             ugi) echo ugiok;; isready) echo readyok;; go*) {behaviour};; esac; done\n\
             sleep 1000\n"
        );
        format!("bad|ugi|bash '{}'", folder.file("engine.sh", script))
    }

    /// Those of the engine's processes that run.
    fn running(folder: &Folder) -> Vec<String> {
        let pids = fs::read_to_string(folder.path("pids")).unwrap_or_default();
        let runs = |pid: &&str| {
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            let state = stat.rsplit(") ").next().unwrap_or_default();
            !state.is_empty() && !state.starts_with(['Z', 'X'])
        };
        pids.lines().filter(runs).map(str::to_owned).collect()
    }

    fn match_of(folder: &Folder, engine: &str, more: &[&str]) -> Command {
        let openings = folder.file("openings", "f5d6c3d3c4f4\n");
        let arguments = ["match", "--openings", &openings, "--each", "depth=1"];
        let players = [
            "--engine",
            "a|mobility",
            "--engine",
            "b|mobility",
            "--engine",
            engine,
        ];
        let mut command = emilia(&[&arguments[..], &players, more].concat());
        command.stdin(Stdio::null());
        command
    }

    #[test]
    fn children_of_an_engine_that_has_ended_are_ended() {
        let folder = Folder::new();
        let engine = engine(&folder, "exit 3");
        let (status, out, errors) = run(&mut match_of(&folder, &engine, &[]));
        assert_eq!(status, 0, "{errors}");
        assert!(out.contains("crash"), "{out}");
        assert!(
            fs::read_to_string(folder.path("pids"))
                .expect("started")
                .lines()
                .count()
                > 2
        );
        wait_until("the end of all processes", || running(&folder).is_empty());
    }

    fn read_all(mut pipe: impl Read) -> String {
        let mut text = String::new();
        pipe.read_to_string(&mut text).expect("text");
        text
    }

    /// Is this signal ignored here, and so by the processes that are started (SIGHUP under `nohup`)?
    fn is_ignored(signal: i32) -> bool {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        mask.is_some_and(|mask| mask & (1 << (signal - 1)) != 0)
    }

    #[test]
    fn a_signal_ends_a_match_with_its_table_and_all_engines() {
        let signals = [("INT", 2), ("TERM", 15), ("HUP", 1)];
        for (signal, number) in signals
            .into_iter()
            .filter(|&(_, number)| !is_ignored(number))
        {
            let folder = Folder::new();
            let engine = engine(&folder, "sleep 1000");
            let stem = folder.path("games");
            let play = || match_of(&folder, &engine, &["--save", &stem, "--resume"]);
            let mut child: Child = play().spawn().expect("started");
            let saved = || fs::read_to_string(format!("{stem}.jsonl")).unwrap_or_default();
            // Two games of those who play, then the engine is asked for its first move.
            wait_until("two games", || saved().lines().count() == 2);
            wait_until("the engine", || running(&folder).len() == 2);
            send_signal(child.id(), signal);
            wait_until("its end", || child.try_wait().expect("a child").is_some());
            let status = child.wait().expect("ended");
            assert_eq!(status.code(), Some(128 + number));
            let (out, errors) = (child.stdout.take(), child.stderr.take());
            let (out, errors) = (
                read_all(out.expect("piped")),
                read_all(errors.expect("piped")),
            );
            assert!(out.contains("a against b") && out.contains("rank"), "{out}");
            assert!(errors.contains("interrupted after 2 games"), "{errors}");
            let again = errors.lines().last().expect("one").trim_end();
            assert!(
                again.contains("continue with: ") && again.ends_with("--resume"),
                "{errors}"
            );
            assert_eq!(saved().lines().count(), 2, "no game is lost by a signal");
            wait_until("the end of all processes", || running(&folder).is_empty());
        }
    }

    #[test]
    fn a_resumed_match_says_how_many_games_are_there() {
        let folder = Folder::new();
        let stem = folder.path("games");
        let play = || match_of(&folder, "c|mobility", &["--save", &stem, "--resume"]);
        assert_eq!(run(&mut play()).0, 0);
        let (status, _, errors) = run(&mut play());
        assert_eq!(status, 0);
        assert_eq!(
            errors,
            format!("6 of 6 games are in {stem}.jsonl already\n")
        );
    }

    #[test]
    fn names_do_not_reach_the_terminal_as_they_are() {
        let folder = Folder::new();
        let (status, out, _) = run(&mut match_of(&folder, "c\u{1b}[31m\u{202e}d|mobility", &[]));
        assert_eq!(status, 0);
        assert!(out.contains(r"c\x1b[31m\u{202e}d"), "{out}");
        assert!(!out.contains(['\u{1b}', '\u{202e}']), "{out}");
    }

    #[test]
    fn a_full_disk_is_a_clear_error() {
        let folder = Folder::new();
        let input = folder.file("input", positions(3));
        let full = Path::new("/dev/full");
        for arguments in [
            vec!["solve", "--hash", "4", "--output", "/dev/full", &input],
            vec!["solve", "--hash", "4", "--stats", "/dev/full", &input],
        ] {
            let (status, _, errors) = run(&mut emilia(&arguments));
            assert_eq!(status, 1, "{arguments:?}");
            assert!(errors.starts_with("error: "), "{errors}");
            assert!(
                errors.contains("/dev/full") && errors.contains("No space left"),
                "{errors}"
            );
        }
        let printed = fs::OpenOptions::new()
            .write(true)
            .open(full)
            .expect("a device");
        let (status, _, errors) = run(emilia(&["solve", "--hash", "4", &input]).stdout(printed));
        assert_eq!(status, 1);
        assert!(errors.contains("No space left"), "{errors}");
    }
}
