//! Few threads and little memory: the engine works with what it has, and reports that.
#![cfg(target_os = "linux")]

use std::process::{Command, Output, Stdio};

use crate::run;

/// Kilobytes of address space: enough for the program, not for 256 threads.
const ADDRESS_SPACE: u32 = 900_000;

/// Runs the program with little memory; one that hangs is ended by a signal.
fn run(arguments: &str, input: &str) -> Output {
    let child = Command::new("bash")
        .arg("-c")
        .arg(format!(
            "ulimit -v {ADDRESS_SPACE}; exec timeout 100 \"$0\" {arguments}"
        ))
        .arg(env!("CARGO_BIN_EXE_emilia"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("bash");
    run::finish(child, input)
}

#[test]
fn whatever_searches_uses_the_threads_that_can_be_started() {
    let openings = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/openings-8ply.txt");
    let problem = "-XXXXXX---XXXX-X--XXXOOX--XXOXXX-OOOXOXXXOOXXXXX-OOOXX---OOOOOO- O\n";
    let problems = problem.repeat(3);
    let cases = [
        (
            "uci",
            "setoption name Threads value 256\ngo depth 5\n",
            "bestmove d3",
        ),
        ("gtp --threads 256 --depth 4", "genmove b\nquit\n", "= D3"),
        (
            "nboard --threads 256",
            "nboard 2\nset depth 4\ngo\n",
            "=== ",
        ),
        ("solve --threads 256 --wld --together", problem, "1\tloss"),
        ("solve --threads 256 --wld", &problems, "3\tloss"),
        (
            &format!(
                "match --engine 'a|internal||depth=2 threads=256' --engine 'b|mobility||depth=2' \
                 --games 2 --openings {openings}"
            ),
            "",
            "a against b",
        ),
    ];
    for (arguments, input, expected) in cases {
        let run = run(arguments, input);
        let (out, err) = (&run.stdout, &run.stderr);
        let (out, err) = (String::from_utf8_lossy(out), String::from_utf8_lossy(err));
        assert!(run.status.success(), "{arguments}: {} {err}", run.status);
        assert!(out.contains(expected), "{arguments}: {out}{err}");
        // Workers that find nothing left to solve may end before the next ones start.
        let may_start_all = arguments == "solve --threads 256 --wld";
        assert!(
            err.contains("of 256") || may_start_all,
            "{arguments}: {err}"
        );
        assert!(!err.contains("panicked"), "{arguments}: {err}");
        if arguments == "uci" {
            assert!(out.contains("info string error only "), "{out}");
        }
    }
}

#[test]
fn a_table_that_cannot_be_allocated_is_an_error() {
    // A line that is no position would be answered before the table is missed.
    for (arguments, input) in [
        ("gtp --hash 1000", "quit\n"),
        ("nboard --hash 1000", "quit\n"),
        ("solve --hash 1000", ""),
    ] {
        let run = run(arguments, input);
        let err = String::from_utf8_lossy(&run.stderr);
        assert_eq!(run.status.code(), Some(1), "{arguments}: {err}");
        assert!(err.contains("cannot allocate"), "{arguments}: {err}");
        assert!(run.stdout.is_empty(), "{arguments}");
    }
}
