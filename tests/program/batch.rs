//! Solving at scale, through the real binary: questions, limits, repeated positions, runs that
//! are killed, parts of an input, and one position over many lines.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::run::{Folder, command, run};

/// White to move, 9 empties: c8 scores -52, b7 scores -58.
const LOST: &str = "XXXXXXXXXXXOOOOXXXXOXXXX-OOXXXXX-OOXXXXX--OXXXXX--XOXXXX-X--XXXX O";

fn solve(arguments: &[&str], input: impl AsRef<[u8]>) -> Output {
    run(&[&["solve", "--hash", "4"], arguments].concat(), input)
}

fn text(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).expect("text")
}

fn error(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).expect("text")
}

fn fields(output: &Output) -> Vec<Vec<&str>> {
    text(output)
        .lines()
        .map(|line| line.split('\t').collect())
        .collect()
}

/// `line result score best` of each answer: the parts that do not depend on threads.
fn results(output: &Output) -> Vec<Vec<&str>> {
    fields(output)
        .into_iter()
        .map(|fields| fields[..3].to_vec())
        .collect()
}

fn endgames(count: usize) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/endgames-12.obf");
    let data = std::fs::read_to_string(path).expect("test data");
    let lines = data.lines().filter(|line| !line.starts_with('%'));
    lines.take(count).map(|line| format!("{line}\n")).collect()
}

#[test]
fn a_line_has_its_own_question_and_name() {
    let input = format!(
        "{LOST}\t>=-52\tone\n{LOST}\t>-52\n{LOST}\t<=-54\ttwo\n{LOST}\twld\n{LOST}\t\tlast one\n{LOST}\t>=3\n"
    );
    let output = solve(&["--memo", "0"], input);
    let lines = fields(&output);
    assert_eq!(lines[0][..2], ["1", "proven"]);
    assert_eq!((lines[0][2], lines[0][8]), (">=-52", "one"));
    assert_eq!(lines[1][..2], ["2", "refuted"]);
    assert_eq!(lines[2][..2], ["3", "refuted"]);
    assert_eq!(lines[2].last(), Some(&"two"));
    assert_eq!(lines[3][..3], ["4", "loss", "-"]);
    assert_eq!(
        (lines[4][1], lines[4][2], lines[4][8]),
        ("loss", "-52", "last one")
    );
    assert_eq!(lines[5][..3], ["6", "error", "70"]);
    assert_eq!(output.status.code(), Some(1));
    for claim in [">=-52", "<=-52", "<-50"] {
        let json = text(&solve(&["--json", "--claim", claim], LOST)).to_owned();
        let answer: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        assert_eq!(answer["result"], "proven", "{json}");
    }
}

#[test]
fn claims_agree_with_the_scores_and_cost_less() {
    let input = endgames(60);
    let exact = solve(&["--memo", "0"], &input);
    let wld = solve(&["--wld", "--memo", "0"], &input);
    let claim = solve(&["--claim", ">=0", "--memo", "0"], &input);
    let nodes = |output: &Output| -> u64 {
        let lines = fields(output);
        lines
            .iter()
            .map(|line| line[5].parse::<u64>().expect("nodes"))
            .sum()
    };
    assert!(nodes(&claim) <= nodes(&wld) && nodes(&wld) < nodes(&exact));
    for (exact, claim) in fields(&exact).iter().zip(fields(&claim)) {
        let score: i32 = exact[2].parse().expect("a score");
        assert_eq!(claim[1] == "proven", score >= 0, "{exact:?} {claim:?}");
    }
    // Whether it is a draw is what `wld` says of draws, and says no more of the others.
    let draw = solve(&["--claim", "=0", "--reference"], &input);
    let equal = solve(&["--claim", "=0", "--memo", "0"], &input);
    for ((wld, equal), by_reference) in fields(&wld).iter().zip(fields(&equal)).zip(fields(&draw)) {
        assert_eq!(equal[1] == "proven", wld[1] == "draw", "{wld:?} {equal:?}");
        assert_eq!(equal[1], by_reference[1]);
    }
    for question in ["--exact", "--wld", "--claim=>=4", "--claim==-6"] {
        let checked = solve(&["--check", question], &input);
        assert_eq!(checked.status.code(), Some(0), "{}", text(&checked));
    }
}

#[test]
fn a_claim_holds_across_a_pass() {
    // Black has to pass, then White takes everything.
    let position = format!("{}OX- X", "O".repeat(61));
    let input: String = ["<=-64", ">=-62", ">0", "<=0", "=-64", "=0", "wld", "exact"]
        .map(|question| format!("{position}\t{question}\n"))
        .concat();
    let output = solve(&["--memo", "0"], input);
    let results: Vec<&str> = fields(&output).iter().map(|line| line[1]).collect();
    let expected = [
        "proven", "refuted", "refuted", "proven", "proven", "refuted", "loss", "loss",
    ];
    assert_eq!(results, expected, "{}", text(&output));
    assert!(fields(&output).iter().all(|line| line[3] == "pass"));
}

/// A random game with at most 4 empties at its end.
fn long_game() -> String {
    use emilia::rules::{Game, Move, Position};
    let play = |seed| {
        let mut random = emilia::random::SplitMix64::new(seed);
        let mut game = Game::new(Position::START);
        while !game.position().board.is_over() {
            let moves: Vec<_> = game.position().board.legal_moves().collect();
            let chosen = random.below(moves.len().max(1) as u64) as usize;
            let mv = moves
                .get(chosen)
                .map_or(Move::Pass, |&square| Move::Place(square));
            game.play(mv).expect("legal");
        }
        game
    };
    let mut games = (0..).map(play);
    let long = games.find(|game| game.position().board.empty_count() <= 4);
    long.expect("most are").transcript()
}

#[test]
fn games_are_solved_at_their_end_or_at_a_number_of_empties() {
    let game = long_game();
    let folder = Folder::new();
    let transcripts = folder.file(
        "games.txt",
        format!("{game}\n# nothing\n\nf5d6\texact\tshort\n"),
    );
    let output = solve(&["--wld", "--empties", "12", &transcripts], "");
    let lines = fields(&output);
    assert_eq!(lines.len(), 2, "{}", text(&output));
    assert!(["win", "draw", "loss"].contains(&lines[0][1]));
    assert!(lines[1][0].ends_with("games.txt:4"), "{}", text(&output));
    assert_eq!(lines[1][1..3], ["error", "1"]);
    let last = solve(&["--wld", "--estimate", &transcripts], "");
    assert!(text(&last).contains("\n58\t1\t"), "{}", text(&last));
    let beyond = "1 lines have more empties than such solves";
    assert!(text(&last).contains(beyond), "{}", text(&last));
}

#[test]
fn a_repeated_position_is_solved_once_in_any_symmetry() {
    let data = endgames(200);
    let empties = |line: &&str| line[..64].matches('-').count() == 12;
    let line = data.lines().find(empties).expect("12 empties");
    let (cells, side) = (&line[..64], &line[65..66]);
    let turned: String = cells.chars().rev().collect();
    let input = format!("{cells} {side}\n{turned} {side}\n{cells} {side}\twld\n{cells} {side}\n");
    let output = solve(&["--threads", "1"], &input);
    let lines = fields(&output);
    assert_ne!(lines[0][5], "0");
    assert_eq!((lines[1][2], lines[1][5]), (lines[0][2], "0"));
    assert_eq!(
        (lines[2][1], lines[2][3], lines[2][5]),
        (lines[0][1], lines[0][3], "0")
    );
    assert_eq!((&lines[3][1..4], lines[3][5]), (&lines[0][1..4], "0"));
    let all = solve(&["--threads", "1", "--memo", "0"], &input);
    assert!(
        fields(&all).iter().all(|line| line[5] != "0"),
        "{}",
        text(&all)
    );
}

#[test]
fn a_cache_answers_later_runs_and_weaker_questions() {
    let folder = Folder::new();
    let cache = folder.path("proven.cache");
    let input = endgames(20);
    let first = solve(&["--cache", &cache, "--check"], &input);
    assert_eq!(first.status.code(), Some(0), "{}", error(&first));
    let second = solve(&["--cache", &cache, "--check"], &input);
    assert_eq!(results(&first), results(&second));
    assert_eq!(second.status.code(), Some(0), "{}", text(&second));
    let none_solved = |output: &Output| fields(output).iter().all(|line| line[5] == "0");
    assert!(none_solved(&second), "{}", text(&second));
    let weaker = solve(&["--cache", &cache, "--wld", "--check"], &input);
    assert!(none_solved(&weaker) && weaker.status.code() == Some(0));

    let other = folder.path("other.cache");
    let more = endgames(40);
    assert_eq!(solve(&["--cache", &other], &more).status.code(), Some(0));
    let merged = run(&["batch", "merge-caches", "--into", &cache, &other], "");
    assert_eq!(merged.status.code(), Some(0), "{}", error(&merged));
    assert!(none_solved(&solve(&["--cache", &cache], &more)));
    let text_file = folder.file("text", "no cache");
    let refused = solve(&["--cache", &text_file], LOST);
    assert_eq!(refused.status.code(), Some(1));
}

#[test]
fn limits_leave_positions_unsolved_with_proven_bounds() {
    let input = endgames(40);
    let output = solve(&["--max-nodes", "300", "--threads", "1", "--check"], &input);
    let lines = fields(&output);
    let unsolved: Vec<_> = lines.iter().filter(|line| line[1] == "unsolved").collect();
    assert!(
        !unsolved.is_empty() && unsolved.len() < lines.len(),
        "{}",
        text(&output)
    );
    assert_eq!(output.status.code(), Some(3), "{}", error(&output));
    let folder = Folder::new();
    let answers = folder.file("answers", text(&output));
    let retried = solve(&["--retry", &answers], &input);
    assert_eq!(retried.status.code(), Some(0), "{}", error(&retried));
    assert_eq!(results(&retried), results(&solve(&[], &input)));
    for (before, after) in lines.iter().zip(fields(&retried)) {
        let unchanged = before[..8] == after[..8];
        assert_eq!(unchanged, before[1] != "unsolved", "{before:?}");
    }
    let shifted = input.replacen('\n', "\n\n", 1);
    let refused = solve(&["--retry", &answers], shifted);
    assert!(
        error(&refused).contains("the answer of line 2 stands where that of line 3 is expected"),
        "{}",
        error(&refused)
    );
    let time = solve(
        &["--max-time", "0.000001"],
        "---------------------------OX------XO--------------------------- X",
    );
    assert_eq!(time.status.code(), Some(3), "{}", text(&time));
    for wrong in [
        ["--max-time", "0"],
        ["--max-time", "-1"],
        ["--max-nodes", "0"],
    ] {
        assert_eq!(solve(&wrong, LOST).status.code(), Some(2), "{wrong:?}");
    }
}

#[test]
fn only_answers_to_the_same_questions_are_copied() {
    let folder = Folder::new();
    let input = endgames(20);
    let exact = solve(&["--memo", "0"], &input);
    let answers = |name: &str, output: &Output| folder.file(name, text(output));
    let wld = answers("wld", &solve(&["--wld"], &input));
    let retried = solve(&["--retry", &wld], &input);
    assert_eq!(results(&retried), results(&exact), "{}", error(&retried));
    let copied = solve(&["--wld", "--retry", &wld], &input);
    assert_eq!(text(&copied), std::fs::read_to_string(&wld).expect("there"));
    let claims = answers("claims", &solve(&["--claim=>=2"], &input));
    let retried = solve(&["--claim=>=10", "--retry", &claims], &input);
    for (claim, exact) in fields(&retried).iter().zip(fields(&exact)) {
        let score: i32 = exact[2].parse().expect("a score");
        assert_eq!(claim[1] == "proven", score >= 10, "{claim:?} {exact:?}");
    }
    for (arguments, reason) in [
        (
            ["--wld", "--json", "--retry", &wld],
            "give or leave out --json",
        ),
        (["--wld", "--memo=0", "--retry", "."], "."),
    ] {
        let refused = solve(&arguments, &input);
        assert_eq!(refused.status.code(), Some(1), "{arguments:?}");
        assert!(error(&refused).contains(reason), "{}", error(&refused));
    }
}

#[test]
fn parts_retry_the_answers_of_the_whole_input_or_their_own() {
    let folder = Folder::new();
    let input = endgames(30);
    let limited = |name: &str, options: &[&str]| {
        let limit = ["--max-nodes", "300", "--memo", "0", "--threads", "1"];
        let output = solve(&[&limit[..], options].concat(), &input);
        assert!(
            matches!(output.status.code(), Some(0 | 3)),
            "{}",
            error(&output)
        );
        folder.file(name, text(&output))
    };
    let whole = limited("whole", &[]);
    let expected = solve(&[], &input);
    let mut retried = 0;
    let mut other = None;
    for shard in ["1/3", "2/3", "3/3"] {
        let own = limited(&shard[..1], &["--shard", shard]);
        for earlier in [&whole, &own] {
            let output = solve(&["--shard", shard, "--retry", earlier], &input);
            assert_eq!(output.status.code(), Some(0), "{}", error(&output));
            let results = results(&output);
            for result in &results {
                let line: usize = result[0].parse().expect("a number");
                assert_eq!(result, &self::results(&expected)[line - 1]);
            }
            retried += results.len();
        }
        if let Some(other) = other.replace(own) {
            let refused = solve(&["--shard", shard, "--retry", &other], &input);
            assert_eq!(refused.status.code(), Some(1));
            let reason = error(&refused);
            assert!(reason.contains("of another input or part"), "{reason}");
        }
    }
    assert_eq!(retried, 60);
}

#[test]
fn deterministic_runs_give_the_same_bytes_with_any_threads_and_in_any_parts() {
    let folder = Folder::new();
    let input = format!(
        "{}{LOST}\nnonsense\n# a note\n{LOST}\twld\tname\n{LOST}\n",
        endgames(50)
    );
    let file = folder.file("input.obf", &input);
    let whole = solve(&["--deterministic", "--threads", "1", &file], "");
    let lines = text(&whole);
    assert_eq!(lines.lines().count(), 54);
    assert_eq!(
        text(&solve(&["--deterministic", "--threads", "3", &file], "")),
        lines
    );
    assert_eq!(
        text(&solve(
            &["--deterministic", "--threads", "2", "--memo", "0", &file],
            ""
        )),
        lines
    );
    let mut work = Vec::new();
    let parts: Vec<String> = (1..=3)
        .map(|part| {
            let shard = format!("{part}/3");
            let estimate = solve(&["--estimate", "--shard", &shard, &file], "");
            let estimate = text(&estimate);
            let all = estimate.lines().find_map(|line| line.strip_prefix("all\t"));
            let nodes = all.and_then(|line| line.split('\t').nth(1));
            work.push(
                nodes
                    .and_then(|nodes| nodes.parse::<f64>().ok())
                    .expect(estimate),
            );
            let output = solve(&["--deterministic", "--shard", &shard, &file], "");
            folder.file(&format!("part{part}"), text(&output))
        })
        .collect();
    // The parts are alike in work, not in lines.
    work.sort_by(f64::total_cmp);
    assert!(work[2] < 1.5 * work[0], "{work:?}");
    let merge = |outputs: &[&str]| {
        run(
            &[&["batch", "merge", "--input", &file], outputs].concat(),
            "",
        )
    };
    let merged = merge(&[&parts[2], &parts[0], &parts[1]]);
    assert_eq!(text(&merged), lines, "{}", error(&merged));
    let incomplete = merge(&[&parts[0], &parts[1]]);
    assert_eq!(incomplete.status.code(), Some(1));
    assert!(
        error(&incomplete).contains("have no answer"),
        "{}",
        error(&incomplete)
    );
    let first = lines.lines().next().expect("a line");
    let changed = first.replace("\tloss\t-", "\twin\t+");
    assert_ne!(changed, first, "the first answer is a loss");
    let wrong = folder.file("wrong", lines.replacen(first, &changed, 1));
    let refused = merge(&[&parts[0], &parts[1], &parts[2], &wrong]);
    let reason = error(&refused);
    assert!(reason.contains("wrong, line 1: the key"), "{reason}");
    for conflict in [["--max-time", "1"], ["--cache", "x"]] {
        let refused = solve(&[&["--deterministic"], &conflict[..]].concat(), LOST);
        assert_eq!(refused.status.code(), Some(2));
    }
}

#[test]
fn unordered_answers_are_complete() {
    let input = endgames(150);
    let ordered = solve(&["--threads", "3"], &input);
    let unordered = solve(&["--threads", "3", "--unordered"], &input);
    let set = |output: &Output| -> BTreeSet<String> {
        let lines = results(output);
        lines.iter().map(|line| line.join(" ")).collect()
    };
    assert_eq!(set(&ordered), set(&unordered));
    let behind = solve(&["--threads", "3", "--max-behind", "1"], &input);
    assert_eq!(results(&ordered), results(&behind));
}

#[test]
fn a_killed_run_is_resumed_to_the_same_bytes() {
    let folder = Folder::new();
    let file = folder.file("input.obf", endgames(200).repeat(4));
    let whole = solve(&["--deterministic", "--memo", "0", &file], "");
    let output = folder.path("answers");
    let arguments = [
        "solve",
        "--hash",
        "4",
        "--deterministic",
        "--memo",
        "0",
        "--output",
        &output,
        "--resume",
        &file,
    ];
    let length = || std::fs::metadata(&output).map_or(0, |metadata| metadata.len());
    for kills in 1..=3 {
        let mut child = command(&arguments).spawn().expect("the binary starts");
        let target = kills * text(&whole).len() as u64 / 5;
        while length() < target && child.try_wait().expect("known").is_none() {
            std::thread::yield_now();
        }
        child.kill().expect("killed");
        child.wait().expect("it ends");
        // As if it had been killed in the middle of a line.
        let file = std::fs::OpenOptions::new().append(true).open(&output);
        file.expect("there")
            .write_all(b"9999\tdr")
            .expect("written");
    }
    let last = run(&arguments, "");
    assert_eq!(last.status.code(), Some(0), "{}", error(&last));
    let answers = std::fs::read_to_string(&output).expect("there");
    assert_eq!(answers, text(&whole));
    let again = run(&arguments, "");
    assert_eq!(again.status.code(), Some(0), "{}", error(&again));
    assert_eq!(
        std::fs::read_to_string(&output).expect("there"),
        text(&whole)
    );
}

#[test]
fn a_run_is_resumed_only_with_the_same_input_and_options() {
    let folder = Folder::new();
    let file = folder.file("input.obf", endgames(30));
    let output = folder.path("answers");
    let resume = |more: &[&str]| solve(&[&["--output", &output, "--resume"], more].concat(), "");
    assert_eq!(resume(&["--wld", &file]).status.code(), Some(0));
    let refused = |output: Output, reason: &str| {
        assert_eq!(output.status.code(), Some(1), "{reason}");
        assert!(error(&output).contains(reason), "{}", error(&output));
    };
    refused(
        resume(&[&file]),
        "the question (--exact, --wld or --claim) was wld and is exact",
    );
    refused(
        resume(&["--wld", "--json", &file]),
        "--json was - and is yes",
    );
    refused(solve(&["--output", &output, "--wld", &file], ""), "exists");
    let other: String = endgames(31)
        .lines()
        .skip(1)
        .map(|line| format!("{line}\n"))
        .collect();
    let other = folder.file("other.obf", other);
    refused(resume(&["--wld", &other]), "answers, line 1: the key");
    let short = folder.file("short.obf", endgames(10));
    refused(
        resume(&["--wld", &short]),
        "more answers than the input has lines",
    );
    refused(
        solve(&["--output", &file, "--wld", &file], ""),
        "uses the same file as input",
    );
    let longer = folder.file("longer.obf", endgames(40));
    assert_eq!(resume(&["--wld", &longer]).status.code(), Some(0));
    let answers = std::fs::read_to_string(&output).expect("there");
    assert_eq!(answers.lines().count(), 40, "what was added is answered");
}

#[test]
fn a_run_without_order_is_not_continued() {
    let folder = Folder::new();
    let output = folder.path("answers");
    let resume = ["--output", &output, "--resume"];
    let unordered = solve(&[&resume[..], &["--unordered"]].concat(), LOST);
    assert_eq!(unordered.status.code(), Some(2), "{}", error(&unordered));
    let input = folder.file("input", LOST);
    let written = solve(&["--unordered", "--output", &output, &input], "");
    assert_eq!(written.status.code(), Some(0), "{}", error(&written));
    let ordered = solve(&[&resume[..], &[&input]].concat(), "");
    assert_eq!(ordered.status.code(), Some(1));
    assert!(error(&ordered).contains("--unordered was yes and is -"));
}

#[cfg(unix)]
#[test]
fn devices_and_pipes_are_written_directly() {
    for (device, answers) in [("/dev/null", ""), ("/dev/stdout", "1\tloss\t-52\tc8\t")] {
        let output = solve(&["--output", device], LOST);
        assert_eq!(output.status.code(), Some(0), "{}", error(&output));
        assert!(
            text(&output).starts_with(answers) && text(&output).is_empty() == answers.is_empty()
        );
        let resumed = solve(&["--output", device, "--resume"], LOST);
        assert_eq!(resumed.status.code(), Some(1), "{device}");
        assert!(
            error(&resumed).contains("it is a device or a pipe"),
            "{}",
            error(&resumed)
        );
    }
    let full = solve(&["--output", "/dev/full"], LOST);
    assert_eq!(full.status.code(), Some(1));
    assert!(error(&full).contains("/dev/full"), "{}", error(&full));
}

/// Lines of every kind that is read.
const KINDS: [&str; 9] = [
    LOST,
    "---------------------------OX------XO--------------------------- X",
    "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX- O; +64; % over",
    "bbbbbbbbbbbWWWW****o***X._ooxxxx-OOXXXXX--OXXXXX--XOXXXX-X--XXXX w; C8:-52; B7:-58; % known\t",
    "XXXXXXXXXXXOOOOXXXXOXXXX-OOXXXXX-OOXXXXX--OXXXXX--XOXXXX-X--XXXX O\t>=0\ta name",
    "f5d6c3d3c4f4f6f3e6e7\twld",
    "1. f5 d6 2. c3 d3 3. c4",
    "(;GM[Othello]PC[a]PB[b]PW[c]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]B[F5]W[D6];)\texact",
    "# a note",
];

/// Has such a line an answer?
fn has_answer(line: &[u8]) -> bool {
    // A comment may have bytes that are no UTF-8.
    let text = String::from_utf8_lossy(line);
    let text = &*text;
    let end = text.find('%').unwrap_or(text.len());
    let field = text[..end].split('\t').next().unwrap_or_default();
    let field = if field.len() < end { field } else { text };
    let field = field.trim_start_matches([' ', '\t']);
    !field.is_empty() && !field.starts_with(['#', '%'])
}

#[test]
fn each_line_whatever_its_bytes_has_one_answer_or_one_error_in_its_place() {
    let mut random = emilia::random::SplitMix64::new(20);
    let (mut input, mut expected) = (Vec::new(), Vec::new());
    for number in 1..=3000_u64 {
        let kind = random.choose(KINDS).expect("some kinds");
        let mut line = kind.as_bytes().to_vec();
        for _ in 0..random.below(4) {
            let place = random.below(line.len() as u64 + 1) as usize;
            match random.below(4) {
                0 => line.insert(place, random.next_u64() as u8),
                1 => line.truncate(place),
                2 => line.insert(place, b"\t %#;XO-\r:0"[random.below(11) as usize]),
                _ if place < line.len() => drop(line.remove(place)),
                _ => line.extend_from_slice(&line.clone()),
            }
        }
        line.retain(|&byte| byte != b'\n');
        if has_answer(line.strip_suffix(b"\r").unwrap_or(&line)) {
            expected.push(number);
        }
        input.extend_from_slice(&line);
        input.push(b'\n');
    }
    let output = solve(&["--wld", "--empties", "12", "--max-nodes", "300"], &input);
    let answers = String::from_utf8_lossy(&output.stdout);
    let answers = answers
        .lines()
        .map(|line| line.split('\t').collect::<Vec<_>>());
    let answers: Vec<Vec<&str>> = answers.collect();
    let numbers: Vec<u64> = answers
        .iter()
        .map(|fields| fields[0].parse().expect("a number"))
        .collect();
    assert_eq!(numbers, expected);
    assert!(answers.iter().any(|fields| fields[1] == "loss"));
    assert_eq!(output.status.code(), Some(1), "{}", error(&output));
    assert_eq!(error(&output), "");
}

#[test]
fn a_split_claim_has_the_result_of_one_solve() {
    let folder = Folder::new();
    let claims = [
        (">=-52", "proven"),
        (">=-50", "refuted"),
        ("<=-52", "proven"),
    ];
    for ((claim, expected), number) in claims.into_iter().zip(0..) {
        let state = folder.path(&format!("state{number}"));
        let begin = run(
            &[
                "batch", "split", LOST, "--claim", claim, "--to", "6", "--state", &state,
            ],
            "",
        );
        assert_eq!(begin.status.code(), Some(3), "{}", error(&begin));
        let mut lines = text(&begin).to_owned();
        for round in 0..20 {
            let first = lines.lines().next().expect("a line").to_owned();
            if first.ends_with("solved") {
                break;
            }
            assert!(round < 19, "{claim}: no end");
            let json: &[&str] = if round % 2 == 0 { &["--json"] } else { &[] };
            let answers = folder.file("answers", text(&solve(json, &lines)));
            let next = run(&["batch", "join", "--state", &state, &answers], "");
            assert!(
                matches!(next.status.code(), Some(0 | 3)),
                "{}",
                error(&next)
            );
            lines = text(&next).to_owned();
        }
        assert!(lines.contains(&format!("\t{claim}\t{expected}")), "{lines}");
    }
    let again = run(
        &[
            "batch",
            "split",
            LOST,
            "--claim",
            ">=0",
            "--state",
            &folder.path("state0"),
        ],
        "",
    );
    assert_eq!(again.status.code(), Some(1));
    assert!(error(&again).contains("exists"), "{}", error(&again));
}

/// A script of this repository that uses the binary under test.
#[cfg(unix)]
fn script(name: &str, arguments: &[&str]) -> Command {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("scripts")
        .join(name);
    let mut script = Command::new(path);
    script
        .args(arguments)
        .env("EMILIA", env!("CARGO_BIN_EXE_emilia"))
        .stdin(Stdio::null());
    script
}

#[cfg(unix)]
#[test]
fn jobs_of_an_array_that_are_killed_and_run_again_answer_as_one_run() {
    let folder = Folder::new();
    let input = folder.file("input.obf", endgames(60));
    let answers = folder.path("answers");
    std::fs::create_dir(&answers).expect("a folder");
    let options = ["--wld", "--deterministic", "--memo", "0"];
    let job = |part: &str| {
        let arguments = [env!("CARGO_BIN_EXE_emilia"), &input, &answers, "2"];
        let mut job = script(
            "cluster/slurm-solve.sbatch",
            &[&arguments[..], &options[..]].concat(),
        );
        job.env("SLURM_ARRAY_TASK_ID", part)
            .env("SLURM_CPUS_PER_TASK", "1")
            .env("SLURM_MEM_PER_NODE", "280");
        let output = job.output().expect("bash");
        assert!(output.status.success(), "{}", error(&output));
    };
    job("1");
    job("2");
    // As if a node had failed: the end of the output is gone, in the middle of a line.
    let path = folder.path("answers/2.txt");
    let whole = std::fs::read_to_string(&path).expect("answers");
    let kept = whole.find('\n').expect("a line") + 5;
    std::fs::write(&path, &whole[..kept]).expect("written");
    let note = folder.path("answers/2.txt.run");
    let noted = std::fs::read_to_string(&note).expect("a note");
    let (before, _) = noted.split_once("\"progress\"").expect("the progress");
    let progress = "\"progress\":{\"answers\":0,\"input\":0}}";
    std::fs::write(&note, format!("{before}{progress}")).expect("written");
    job("2");
    let parts = [folder.path("answers/1.txt"), folder.path("answers/2.txt")];
    let merged = run(
        &["batch", "merge", "--input", &input, &parts[0], &parts[1]],
        "",
    );
    let single = run(
        &[&["solve"], &options[..], &["--hash", "18", &input]].concat(),
        "",
    );
    assert_eq!(text(&merged), text(&single), "{}", error(&merged));
}

#[cfg(unix)]
#[test]
fn a_script_settles_a_claim_in_rounds_and_goes_on_where_it_stopped() {
    /// Black to move, 11 empties: h7 scores +38.
    const POSITION: &str = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOOXX X";
    let folder = Folder::new();
    let work = folder.path("work");
    let proof = folder.path("whole.proof");
    let arguments = [
        "--claim", ">=40", "--lines", "6", "--folder", &work, "--proof", &proof, POSITION, "--",
        "--hash", "4",
    ];
    let first = script("cluster/split-rounds.sh", &arguments).output();
    let first = first.expect("bash");
    assert!(first.status.success(), "{}", error(&first));
    assert!(text(&first).contains(">=40\trefuted"), "{}", text(&first));
    // As if it had been killed before the answers of the first round were joined.
    for name in ["1.answers", "2.lines"] {
        std::fs::remove_file(format!("{work}/{name}")).expect("there");
    }
    let again = script("cluster/split-rounds.sh", &arguments)
        .output()
        .expect("bash");
    assert!(again.status.success(), "{}", error(&again));
    assert!(text(&again).contains(">=40\trefuted"), "{}", text(&again));
    let verified = run(&["verify", &proof], "");
    let proven = text(&verified).contains("proven: score <= +38");
    assert!(verified.status.success() && proven, "{}", text(&verified));
}

#[cfg(unix)]
#[test]
fn probes_are_repeated_to_the_node_and_take_answers_to_their_own_lines_alone() {
    /// Black to move, 11 empties: h7 scores +38.
    const POSITION: &str = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOOXX X";
    let folder = Folder::new();
    let claims = folder.file("claims", format!("{POSITION}\t>=38\n{LOST}\t<=-50\n"));
    let work = folder.path("work");
    let options = [
        "--limit",
        "100",
        "--empties",
        "7",
        "--depth",
        "1",
        "--count",
        "30",
    ];
    let folder_of = ["--folder", &work, "--hash", "4", &claims];
    let rounds = |more: &[&str]| {
        let arguments = [&folder_of, &options[..], more].concat();
        let output = script("cluster/probe-rounds.sh", &arguments).output();
        let output = output.expect("bash");
        assert!(output.status.success(), "{}", error(&output));
        text(&output).to_owned()
    };
    let first = rounds(&[]);
    let heads: Vec<&str> = first
        .lines()
        .filter_map(|line| line.split('\t').next())
        .collect();
    assert_eq!(heads, ["stop", "1e2", "7"], "{first}");
    // As if it had been killed before the first answers were whole.
    let answers = format!("{work}/1.answers");
    let whole = std::fs::read_to_string(&answers).expect("there");
    for name in ["1.answers", "2.lines"] {
        std::fs::remove_file(format!("{work}/{name}")).expect("there");
    }
    assert_eq!(rounds(&[]), first);
    let lines: Vec<&str> = whole.lines().collect();
    let name = |line: &str| line.rsplit('\t').next().expect("a name").to_owned();
    let board = |line: &str| name(line).split(' ').next_back().map(str::to_owned);
    let other = lines.iter().find(|line| board(line) != board(lines[0]));
    let other = other.expect("another board");
    let twice = format!("{whole}{}\n", lines[0]);
    let swapped = lines[0].replace(&name(lines[0]), &name(other)) + "\n";
    for (wrong, reason) in [(twice, "answered twice"), (swapped, "the key")] {
        let wrong = folder.file("wrong", wrong);
        let arguments = [
            &["batch", "probe", "--answers", &wrong],
            &options[..],
            &[&claims],
        ]
        .concat();
        let refused = run(&arguments, "");
        assert_eq!(refused.status.code(), Some(1), "{}", text(&refused));
        assert!(error(&refused).contains(reason), "{}", error(&refused));
    }
    let unclaimed = folder.file("unclaimed", format!("{POSITION}\texact\n"));
    let refused = run(
        &[&["batch", "probe"], &options[..], &[&unclaimed]].concat(),
        "",
    );
    assert!(
        error(&refused).contains("line 1: expected a claim"),
        "{}",
        error(&refused)
    );
}

#[test]
fn statistics_count_the_run() {
    let folder = Folder::new();
    let stats = folder.path("stats.json");
    let output = solve(
        &["--stats", &stats, "--wld", "--threads", "2"],
        endgames(50),
    );
    assert_eq!(output.status.code(), Some(0), "{}", error(&output));
    let report = std::fs::read_to_string(&stats).expect("written");
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    assert_eq!(report["answers"], 50);
    assert_eq!(report["options"]["question"], "wld");
    let nodes: u64 = fields(&output)
        .iter()
        .map(|line| line[5].parse::<u64>().expect("nodes"))
        .sum();
    assert_eq!(report["nodes"], nodes);
    assert_eq!(report["weights"].as_str().map(str::len), Some(16));
}

/// Reads what `batch merge` prints, with its exit status and errors.
fn merge(input: &str, outputs: &[&str]) -> Output {
    run(
        &[&["batch", "merge", "--input", input], outputs].concat(),
        "",
    )
}

fn lines_of(text: &str) -> Vec<String> {
    text.lines().map(|line| format!("{line}\n")).collect()
}

/// The first line takes the place of the last.
fn rotated(input: &str) -> String {
    let mut lines = lines_of(input);
    lines.rotate_left(1);
    lines.concat()
}

#[test]
fn answers_to_a_rotated_or_reversed_input_are_refused_everywhere() {
    let folder = Folder::new();
    let input = endgames(20);
    let mut reversed = lines_of(&input);
    reversed.reverse();
    let file = folder.file("input", &input);
    for json in [&[][..], &["--json"]] {
        for other in [rotated(&input), reversed.concat()] {
            let answers = folder.file("answers", text(&solve(json, &other)));
            let merged = merge(&file, &[&answers]);
            assert_eq!(merged.status.code(), Some(1));
            assert!(
                error(&merged).contains("answers, line 1: the key"),
                "{}",
                error(&merged)
            );
            let retried = solve(&[json, &["--retry", &answers]].concat(), &input);
            assert_eq!((retried.status.code(), text(&retried)), (Some(1), ""));
            let other = folder.file("other", other);
            let output = folder.path("output");
            let run = |file: &str, more: &[&str]| {
                solve(&[json, &["--output", &output, file], more].concat(), "")
            };
            assert_eq!(run(&file, &[]).status.code(), Some(0));
            let whole = std::fs::read(&output).expect("there");
            let refused = run(&other, &["--resume"]);
            assert_eq!(refused.status.code(), Some(1));
            assert!(
                error(&refused).contains("cannot be continued"),
                "{}",
                error(&refused)
            );
            assert_eq!(std::fs::read(&output).expect("there"), whole);
            assert_eq!(run(&file, &["--resume"]).status.code(), Some(0));
            std::fs::remove_file(&output).expect("there");
            std::fs::remove_file(format!("{output}.run")).expect("there");
        }
    }
}

#[test]
fn a_resumed_run_refuses_an_input_or_an_output_that_was_changed() {
    let folder = Folder::new();
    let input = endgames(24);
    let file = folder.file("input", &input);
    for options in [&[][..], &["--json"], &["--obf"]] {
        let output = folder.path("output");
        let resume = |file: &str| {
            solve(
                &[options, &["--output", &output, "--resume", file]].concat(),
                "",
            )
        };
        assert_eq!(resume(&file).status.code(), Some(0));
        let whole = std::fs::read_to_string(&output).expect("there");
        let note = std::fs::read(format!("{output}.run")).expect("a note");
        let refused = |file: &str, what: &str| {
            let before = std::fs::read(&output).expect("there");
            let refused = resume(file);
            assert_eq!(refused.status.code(), Some(1), "{what} with {options:?}");
            let reason = error(&refused);
            let texts = ["cannot be continued", "is not answers"];
            let is_refused = texts.iter().any(|text| reason.contains(text));
            assert!(is_refused, "{what}: {reason}");
            assert_eq!(std::fs::read(&output).expect("there"), before, "{what}");
            std::fs::write(format!("{output}.run"), &note).expect("written");
        };
        let lines = lines_of(&input);
        let mut swapped = lines.clone();
        swapped.swap(9, 10);
        let commented = format!("# a comment\n{input}");
        for (name, text) in [("swapped", swapped.concat()), ("commented", commented)] {
            refused(&folder.file(name, text), name);
        }
        let answers = lines_of(&whole);
        let without = [&answers[..10], &answers[11..]].concat().concat();
        let zeros = format!(
            "{}{}\n{}",
            answers[..4].concat(),
            "\0".repeat(3000),
            answers[4..].concat()
        );
        let changed = whole
            .replacen("\t+", "\t-", 1)
            .replacen(":+", ":-", 1)
            .replacen("win", "loss", 1);
        let twice = [&answers[..11], &answers[10..23]].concat().concat();
        for (what, text) in [
            ("a line less", without),
            ("zeros", zeros),
            ("a line twice", twice),
        ] {
            std::fs::write(&output, text).expect("written");
            refused(&file, what);
        }
        if options != ["--obf"] {
            std::fs::write(&output, changed).expect("written");
            refused(&file, "another score");
        }
        std::fs::write(&output, &whole).expect("written");
        assert_eq!(resume(&file).status.code(), Some(0), "{options:?}");
        std::fs::remove_file(&output).expect("there");
        std::fs::remove_file(format!("{output}.run")).expect("there");
    }
}

#[test]
fn a_cut_file_of_answers_has_no_answer_in_its_last_line() {
    let folder = Folder::new();
    let input = endgames(3);
    let file = folder.file("input", &input);
    for json in [&[][..], &["--json"]] {
        let whole = text(&solve(&[&["--deterministic"], json].concat(), &input)).to_owned();
        let last = whole.trim_end().rfind('\n').expect("several lines") + 1;
        for end in (last..whole.len()).step_by(7).chain([whole.len() - 1]) {
            let answers = folder.file("answers", &whole[..end]);
            let merged = merge(&file, &[&answers]);
            assert_eq!(merged.status.code(), Some(1), "{end}");
            assert!(
                error(&merged).contains("line 3 of the input has no answer"),
                "{}",
                error(&merged)
            );
            let retried = solve(
                &[&["--deterministic", "--retry", &answers], json].concat(),
                &input,
            );
            assert_eq!(text(&retried), whole, "it is solved again");
        }
        // Cut before the line of play, and then continued by something that ends the line.
        let play = match json {
            [] => last + whole[last..].rfind('\t').expect("a line of play"),
            _ => whole.len() - 2,
        };
        for end in (last + 1..=play).step_by(5) {
            let answers = folder.file("answers", format!("{}\n", &whole[..end]));
            let merged = merge(&file, &[&answers]);
            assert!(
                error(&merged).contains("answers, line 3: "),
                "{}",
                error(&merged)
            );
            let retried = solve(&[&["--retry", &answers], json].concat(), &input);
            assert_eq!(retried.status.code(), Some(1));
        }
    }
}

#[test]
fn answers_in_obf_or_without_a_key_are_refused() {
    let folder = Folder::new();
    let input = endgames(3);
    let file = folder.file("input", &input);
    let obf = folder.file("obf", text(&solve(&["--obf"], &input)));
    let old = folder.file("old", "1\twin\t+2\tc4\t13244\t0.412\tc4 d3\n");
    let state = folder.path("state");
    let begin = [
        "batch", "split", LOST, "--claim", ">=0", "--to", "2", "--state", &state,
    ];
    assert_eq!(run(&begin, "").status.code(), Some(3));
    for (answers, reason) in [(&obf, "OBF have no keys"), (&old, "expected a key")] {
        for refused in [
            merge(&file, &[answers]),
            solve(&["--retry", answers], &input),
            run(&["batch", "join", "--state", &state, answers], ""),
        ] {
            assert_eq!(refused.status.code(), Some(1));
            let named = error(&refused).contains(&format!("{answers}, line 1: "));
            assert!(
                named && error(&refused).contains(reason),
                "{}",
                error(&refused)
            );
        }
    }
    let output = folder.path("output");
    let resume = || solve(&["--output", &output, "--resume", &file], "");
    assert_eq!(resume().status.code(), Some(0));
    let note = format!("{output}.run");
    let text = std::fs::read_to_string(&note).expect("a note");
    std::fs::write(&note, text.replace(",\"form\":2", ",\"form\":1")).expect("written");
    let refused = resume();
    assert!(
        error(&refused).contains("the form of answers was 1 and is 2"),
        "{}",
        error(&refused)
    );
}

#[test]
fn an_answer_is_joined_to_its_own_board_alone() {
    /// Black to move, 11 empties: h7 scores +38.
    const POSITION: &str = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOOXX X";
    let folder = Folder::new();
    let state = folder.path("state");
    let begin = [
        "batch", "split", POSITION, "--claim", ">=40", "--to", "6", "--state", &state,
    ];
    let begin = run(&begin, "");
    let lines = text(&begin).to_owned();
    for json in [&[][..], &["--json"]] {
        let answers = text(&solve(json, &lines)).to_owned();
        let names: Vec<&str> = lines
            .lines()
            .filter_map(|line| line.split('\t').nth(2))
            .collect();
        let names: Vec<&str> = names.into_iter().filter(|name| name.len() == 32).collect();
        let swapped = answers
            .replace(names[0], "?")
            .replace(names[1], names[0])
            .replace('?', names[1]);
        let flipped = match answers.contains("proven") {
            true => answers.replacen("proven", "refuted", 1),
            false => answers.replacen("refuted", "proven", 1),
        };
        let name = emilia::rules::Position::START.board.canonical();
        let name = format!("{:016x}{:016x}", name.player, name.opponent);
        let foreign = format!("{}\twld\t{name}\n", KINDS[1]);
        let foreign = text(&solve(&[&["--max-nodes=9"], json].concat(), foreign)).to_owned();
        for (wrong, reason) in [
            (swapped, "the key"),
            (flipped, "the key"),
            (foreign, "of another split"),
        ] {
            let file = folder.file("wrong", &wrong);
            let before = std::fs::read(&state).expect("there");
            let refused = run(&["batch", "join", "--state", &state, &file], "");
            assert_eq!(refused.status.code(), Some(1), "{wrong}");
            assert!(error(&refused).contains(reason), "{}", error(&refused));
            assert_eq!(std::fs::read(&state).expect("there"), before);
        }
    }
}

#[test]
fn parts_that_lack_answers_are_named() {
    let folder = Folder::new();
    let input = folder.file("input", endgames(30));
    let part = |number: u32| {
        let output = folder.path(&format!("part{number}"));
        let shard = format!("{number}/3");
        solve(&["--shard", &shard, "--output", &output, &input], "");
        output
    };
    let parts = [part(1), part(2)];
    let answers = std::fs::read_to_string(&parts[1]).expect("there");
    let kept = lines_of(&answers)[..2].concat();
    std::fs::write(&parts[1], kept).expect("written");
    let missing = merge(&input, &[&parts[0], &parts[1]]);
    assert_eq!(missing.status.code(), Some(1));
    let reason = error(&missing);
    assert!(
        reason.contains(" lines of the input have no answer, the first is line "),
        "{reason}"
    );
    assert!(
        reason.contains("part 2/3 lacks ") && reason.contains("part2 ends with"),
        "{reason}"
    );
    assert!(
        reason.contains("part 3/3 lacks ") && reason.contains("no output was given"),
        "{reason}"
    );
    assert!(!reason.contains("part 1/3"), "{reason}");
    assert!(!reason.contains("\\n"), "{reason}");
    // Which part it is of is seen by its answers.
    std::fs::remove_file(format!("{}.run", parts[1])).expect("there");
    let missing = merge(&input, &[&parts[0], &parts[1]]);
    let reason = error(&missing);
    for part in ["part 2/3 lacks ", "part2 ends with", "part 3/3 lacks "] {
        assert!(reason.contains(part), "{reason}");
    }
}

#[test]
fn a_resumed_run_has_the_exit_status_of_all_its_answers() {
    let folder = Folder::new();
    let known = folder.file("known", format!("{LOST}; +64\n"));
    let bad = folder.file("bad", format!("{LOST}\ngarbage\n"));
    let start = folder.file("start", format!("{}\n", KINDS[1]));
    for (options, status) in [
        (vec!["--check", &known], 1),
        (vec![&bad], 1),
        (vec!["--max-nodes", "100", &start], 3),
    ] {
        let output = folder.path("answers");
        for _ in 0..2 {
            let arguments = [&["--output", &output, "--resume"], &options[..]].concat();
            assert_eq!(
                solve(&arguments, "").status.code(),
                Some(status),
                "{options:?}"
            );
        }
        std::fs::remove_file(&output).expect("there");
        std::fs::remove_file(format!("{output}.run")).expect("there");
    }
}

#[test]
fn only_answers_that_have_all_that_is_asked_for_are_copied() {
    let folder = Folder::new();
    let input = format!("{LOST}; +64\n");
    let plain = folder.file("plain", text(&solve(&[], &input)));
    for (options, status) in [(&["--all-moves"][..], 0), (&["--check"], 1)] {
        let expected = solve(options, &input);
        let retried = solve(&[options, &["--retry", &plain]].concat(), &input);
        let fields = |output: &Output| text(output).split('\t').count();
        assert_eq!(fields(&retried), fields(&expected), "{options:?}");
        assert_eq!(retried.status.code(), Some(status), "{options:?}");
    }
}

#[test]
fn a_list_of_moves_that_was_changed_is_refused_everywhere() {
    let folder = Folder::new();
    let input = folder.file("input", format!("{LOST}\n"));
    let (answers, output) = (folder.path("answers"), folder.path("output"));
    for (options, changes) in [
        (
            &["--exact"][..],
            [("b7:-58", "b7:-60"), (" b7:-58", ""), ("c8:-52", "c8:-54")],
        ),
        (
            &["--wld"],
            [("b7:loss", "b7:draw"), (" b7:loss", ""), ("c8:", "a1:")],
        ),
        (
            &["--json"],
            [
                ("-58}", "-60}"),
                (",{\"move\":\"b7\",\"score\":-58}", ""),
                ("{\"move\":\"b7\"", "{\"move\":\"c8\""),
            ],
        ),
    ] {
        let options = [options, &["--all-moves", "--deterministic", &input]].concat();
        let solve_with = |more: &[&str]| solve(&[&options[..], more].concat(), "");
        let whole = text(&solve_with(&[])).to_owned();
        let written = solve_with(&["--output", &output]);
        assert_eq!(written.status.code(), Some(0));
        for (from, to) in changes {
            let changed = whole.replacen(from, to, 1);
            assert_ne!(changed, whole, "{from}");
            folder.file("answers", &changed);
            folder.file("output", &changed);
            for refused in [
                merge(&input, &[&answers]),
                solve_with(&["--retry", &answers]),
                solve_with(&["--output", &output, "--resume"]),
            ] {
                let reason = error(&refused);
                assert_eq!(refused.status.code(), Some(1), "{changed}");
                assert!(reason.contains(", line 1: the key"), "{reason}");
            }
            assert_eq!(std::fs::read_to_string(&output).expect("there"), changed);
        }
        folder.file("answers", &whole);
        folder.file("output", &whole);
        assert_eq!(text(&merge(&input, &[&answers])), whole);
        assert_eq!(text(&solve_with(&["--retry", &answers])), whole);
        let resumed = solve_with(&["--output", &output, "--resume"]);
        assert_eq!(resumed.status.code(), Some(0), "{}", error(&resumed));
        std::fs::remove_file(&output).expect("there");
        std::fs::remove_file(format!("{output}.run")).expect("there");
    }
}

#[test]
fn answers_are_read_in_the_encodings_of_all_systems() {
    let folder = Folder::new();
    let input = endgames(3);
    let file = folder.file("input", &input);
    for json in [&[][..], &["--json"]] {
        let options = [&["--deterministic"], json].concat();
        let whole = text(&solve(&options, &input)).to_owned();
        let utf16 = format!("\u{feff}{whole}");
        let utf16: Vec<u8> = utf16.encode_utf16().flat_map(u16::to_le_bytes).collect();
        for bytes in [
            format!("\u{feff}{whole}").into_bytes(),
            whole.replace('\n', "\r\n").into_bytes(),
            utf16,
        ] {
            let answers = folder.file("answers", bytes);
            assert_eq!(text(&merge(&file, &[&answers])), whole);
            let retried = solve(&[&options[..], &["--retry", &answers]].concat(), &input);
            assert_eq!(text(&retried), whole, "{}", error(&retried));
        }
    }
}

#[test]
fn a_file_may_be_spelled_in_another_way_when_its_answers_are_merged() {
    let folder = Folder::new();
    let input = folder.file("input", format!("{LOST}\ngarbage\n"));
    let other = input.replace("/input", "/./input");
    for json in [&[][..], &["--json"]] {
        let answers = text(&solve(&[json, &[&input]].concat(), "")).to_owned();
        let merged = merge(&other, &[&folder.file("answers", &answers)]);
        assert_eq!(text(&merged), answers, "{}", error(&merged));
        let read = format!("{input}:1\t{}", &answers[2..]);
        let foreign = match json {
            [] => read.replace("/input:1", "/a:1"),
            _ => answers.replace("/input\"", "/a\""),
        };
        let refused = merge(&other, &[&folder.file("answers", foreign)]);
        let reason = error(&refused);
        assert!(reason.contains("/a:1 stands where"), "{reason}");
    }
}

#[test]
fn a_merge_ends_at_the_first_bad_answer_whatever_files_follow() {
    let folder = Folder::new();
    let first = folder.file("first", format!("{LOST}\n{LOST}\twld\n"));
    let second = folder.file("second", format!("{LOST}\n{LOST}\n"));
    let whole = text(&solve(&[&first, &second], "")).to_owned();
    let merge = |answers: &str| {
        let answers = folder.file("answers", answers);
        run(
            &[
                "batch", "merge", "--input", &first, "--input", &second, &answers,
            ],
            "",
        )
    };
    assert_eq!(text(&merge(&whole)), whole);
    let refused = merge(&whole.replacen("-52", "-50", 1));
    assert!(
        error(&refused).contains("answers, line 1: the key"),
        "{}",
        error(&refused)
    );
}
