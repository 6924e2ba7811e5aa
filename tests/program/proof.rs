//! Proofs of scores: made by the engine, checked by the checker, which shares nothing with it.

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use emilia::eval::Evaluator;
use emilia::files::{OutputFile, UsedFiles};
use emilia::oracle::reference;
use emilia::proof::make::{self, ProofLimits, ProofPlan};
use emilia::proof::strategy::{self, Said};
use emilia::proof::verify::board::Board;
use emilia::proof::verify::file::{Claim, Failure, Header, ProofReader};
use emilia::proof::verify::{leaf, verify};
use emilia::proof::{self, PROOF, draft_bytes, header_bytes};
use emilia::random::SplitMix64;
use emilia::rules::{self, Position, Symmetry};
use emilia::score::{Bounds, Question};
use emilia::search::{Control, SearchOptions, Searcher};
use flate2::read::ZlibDecoder;
use proptest::prelude::*;

use crate::run::{self, File, Folder};

const PROBLEMS: &str = include_str!("../data/endgames-12.obf");

/// Position `index` of those with 10 to 12 empties.
fn problem(index: usize) -> Position {
    let lines = PROBLEMS
        .lines()
        .filter(|line| !line.starts_with(['%', '#']));
    let positions = lines.map(|line| {
        let cells = line.split(';').next().expect("a first part");
        cells.trim().parse().expect("a position")
    });
    let mut large = positions.filter(|position: &Position| position.board.empty_count() >= 10);
    large.nth(index).expect("so many problems")
}

/// Bytes of memory for positions.
const MEMORY: usize = 16 << 20;

fn searcher() -> Searcher {
    let options = SearchOptions {
        threads: 1,
        hash_mb: 4,
    };
    Searcher::new(Evaluator::embedded(), options).expect("4 MB")
}

#[test]
fn solves_and_proofs_read_claims_and_limits_alike() {
    let text = problem(0).to_string();
    let positions = File::new(".obf", &text);
    let folder = Folder::new();
    let cases = [
        (["--claim", "win"], true),
        (["--claim", "draw"], true),
        (["--claim", " >=0"], true),
        (["--claim", "exact"], false),
        (["--claim", "wld"], false),
        (["--claim", ">=1"], false),
        (["--max-time", "9"], true),
        (["--max-time", "0"], false),
        (["--max-time", "-1"], false),
        (["--max-nodes", "0"], false),
        (["--hash", "0"], false),
    ];
    for (number, (option, is_read)) in cases.into_iter().enumerate() {
        let output = folder.root().join(number.to_string());
        let output = output.to_str().expect("UTF-8");
        let solve = ["solve", "--threads", "1", positions.name()];
        let make = ["proof", "make", &text, "--threads", "1", "--output", output];
        for command in [&solve[..], &make[..]] {
            let done = run::run(&[command, &option[..]].concat(), "");
            let is_done = done.status.code() != Some(2);
            assert_eq!(is_done, is_read, "{command:?} {option:?}: {done:?}");
        }
    }
}

#[test]
fn a_solve_leaves_little_to_search_for_its_proof() {
    let mut searcher = searcher();
    searcher.note_wins(8).expect("4 MB");
    let position: Position = "--OXX-----OXXX--OOXXXXX-OXXXXXX-OXXXXOOOOOOXOOO-O-OOOO-----XOO-- X"
        .parse()
        .expect("a position of 20 empties");
    let (limits, control, asked) = (ProofLimits::default(), Control::new(), Question::Wld);
    let solved = make::solve(&mut searcher, position.board, asked, limits, &control);
    let (proven, solve_nodes) = solved.expect("no limits");
    let folder = Folder::new();
    let path = folder.root().join("proof");
    let plan = plan(position, &make::claims(asked, proven), 8);
    let output = output(&path);
    let made = make::make(&mut searcher, &plan, output, &control, &mut |_| {});
    let made = made.expect("a proof");
    assert!(
        made.nodes * 10 < solve_nodes,
        "{} of {solve_nodes}",
        made.nodes
    );
    check(&fs::read(&path).expect("the proof")).expect("proven");
}

fn part(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    PathBuf::from(name)
}

/// The bytes of a proof of `claims` about `position`.
fn make(
    position: Position,
    claims: &[Claim],
    leaf_empties: u8,
) -> Result<Vec<u8>, make::MakeError> {
    let folder = Folder::new();
    let path = folder.root().join("proof");
    make_to(&path, &plan(position, claims, leaf_empties))?;
    Ok(fs::read(path).expect("the proof"))
}

fn make_to(path: &Path, plan: &ProofPlan) -> Result<make::Made, make::MakeError> {
    let control = Control::new();
    make::make(&mut searcher(), plan, output(path), &control, &mut |_| {})
}

fn plan(position: Position, claims: &[Claim], leaf_empties: u8) -> ProofPlan {
    ProofPlan {
        position,
        claims: claims.to_vec(),
        leaf_empties,
        memory: MEMORY,
        limits: ProofLimits::default(),
    }
}

fn output(path: &Path) -> OutputFile {
    let output = UsedFiles::default().output(path, PROOF);
    output.expect("a file that can be written")
}

fn check(bytes: &[u8]) -> Result<(Header, u64), Failure> {
    verify_with(bytes, MEMORY)
}

fn verify_with(bytes: &[u8], memory: usize) -> Result<(Header, u64), Failure> {
    verify(bytes, memory, &mut |_| {}).map(|report| (report.header, report.nodes))
}

/// A proof taken apart, to be changed and put together again as if it had always been so.
#[derive(Clone)]
struct Parts {
    header: Header,
    moves: Vec<u8>,
}

impl Parts {
    fn of(bytes: &[u8]) -> Parts {
        let header = ProofReader::new(bytes).expect("a header").header;
        let packed = &bytes[header_bytes(&header).len()..bytes.len() - 4];
        let mut moves = Vec::new();
        ZlibDecoder::new(packed)
            .read_to_end(&mut moves)
            .expect("packed moves");
        Parts { header, moves }
    }

    /// The bytes, with compression and checksum as they should be.
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        proof::write(&self.header, &self.moves[..], &mut bytes).expect("memory");
        bytes
    }
}

fn checkers_board(player: u64, opponent: u64) -> (rules::Board, Board) {
    let other = opponent & !player;
    let board = rules::Board {
        player,
        opponent: other,
    };
    (
        board,
        Board {
            mover: player,
            other,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn the_checkers_rules_are_the_rules(player: u64, opponent: u64) {
        let (board, own) = checkers_board(player, opponent);
        prop_assert_eq!(own.empties(), board.empties());
        prop_assert_eq!(own.legal_moves(), board.legal_moves().0);
        prop_assert_eq!(own.final_score(), board.final_score());
        for square in rules::Square::all().filter(|square| board.empties() & square.bit() != 0) {
            let flips = own.flips(square.bit());
            prop_assert_eq!(flips, board.flips(square).0);
            if flips != 0 {
                let child = board.play(square);
                let expected = Board { mover: child.player, other: child.opponent };
                prop_assert_eq!(own.after(square.bit(), flips), expected);
            }
        }
        let passed = board.pass();
        prop_assert_eq!(own.passed(), Board { mover: passed.player, other: passed.opponent });
    }

    #[test]
    fn all_eight_boards_have_one_smallest(player: u64, opponent: u64) {
        let (board, own) = checkers_board(player, opponent);
        let smallest = board.canonical();
        let expected = Board { mover: smallest.player, other: smallest.opponent };
        for symmetry in Symmetry::all() {
            let image = board.transform(symmetry);
            let image = Board { mover: image.player, other: image.opponent };
            prop_assert_eq!(image.canonical(), expected);
        }
        prop_assert_eq!(own.canonical(), expected);
    }
}

#[test]
fn the_leaf_solver_agrees_with_the_reference_solver() {
    for index in 0..40 {
        let mut position = problem(index);
        let mut random = SplitMix64::new(index as u64);
        while position.board.empty_count() > 8 && !position.board.is_over() {
            let square = random.choose(position.board.legal_moves());
            let mv = square.map_or(rules::Move::Pass, rules::Move::Place);
            position = position.play(mv).expect("legal");
        }
        let board = position.board;
        let own = Board {
            mover: board.player,
            other: board.opponent,
        };
        let score = reference::solve(board).score;
        for goal in (-64..=64).step_by(2) {
            assert_eq!(
                leaf::reaches(own, goal, &mut 0),
                score >= goal,
                "{position} {goal}"
            );
        }
    }
}

#[test]
fn true_claims_are_proven_and_false_ones_are_not() {
    for (index, leaf_empties) in [
        (0, 5),
        (1, 6),
        (2, 7),
        (3, 0),
        (4, 9),
        (5, 12),
        (6, 16),
        (7, 8),
    ] {
        let position = problem(index);
        let score = reference::solve(position.board).score;
        for (claim, is_true) in [
            (Claim::AtLeast(score), true),
            (Claim::AtMost(score), true),
            (Claim::AtLeast(score - 4), true),
            (Claim::AtLeast(score + 2), false),
            (Claim::AtMost(score - 2), false),
        ] {
            let made = make(position, &[claim], leaf_empties);
            if is_true {
                let (header, _) = check(&made.expect("a proof")).expect("proven");
                assert_eq!(header.claims, [claim]);
            } else if let Ok(bytes) = made {
                // A root of few empties needs no engine: the checker alone finds out.
                let refused = check(&bytes).expect_err("not proven");
                assert!(refused.to_string().starts_with("at the leaf"), "{refused}");
            }
        }
    }
}

#[test]
fn one_file_proves_a_score_by_two_claims() {
    let position = problem(8);
    let score = reference::solve(position.board).score;
    let claims = [Claim::AtLeast(score), Claim::AtMost(score)];
    let proof = make(position, &claims, 6).expect("a proof");
    let (header, nodes) = check(&proof).expect("proven");
    assert_eq!((&header.claims[..], header.layers.len()), (&claims[..], 2));
    assert!(nodes > 0);
}

#[test]
fn little_memory_gives_the_same_proof() {
    let position = problem(9);
    let score = reference::solve(position.board).score;
    let bytes = make(position, &[Claim::AtLeast(score)], 5).expect("a proof");
    // Never fewer than 16 boards a set: all else goes to disk.
    let with_little = verify_with(&bytes, 1);
    assert_eq!(with_little, check(&bytes));
    assert!(with_little.is_ok());
}

#[test]
fn a_killed_run_goes_on() {
    let position = problem(10);
    let score = reference::solve(position.board).score;
    let claims = [Claim::AtMost(score), Claim::AtLeast(score)];
    let whole = make(position, &claims, 6).expect("a proof");
    let parts = Parts::of(&whole);
    for kept in [0, 1, parts.moves.len() / 2, parts.moves.len()] {
        let folder = Folder::new();
        let path = folder.root().join("proof");
        let draft = draft_bytes(&parts.header, &parts.moves[..kept]);
        fs::write(part(&path), draft).expect("written");
        let made = make_to(&path, &plan(position, &claims, 6));
        let made = made.expect("a proof");
        assert!(kept < parts.moves.len() || made.nodes == 0, "{kept}");
        check(&fs::read(&path).expect("the proof")).expect("proven");
        assert!(!part(&path).exists());
    }
}

/// How many proofs are changed, and how often each: many with `EMILIA_MUTATIONS=1` in the environment.
fn mutations() -> (usize, usize) {
    match std::env::var_os("EMILIA_MUTATIONS") {
        Some(_) => (20, 1000),
        None => (4, 150),
    }
}

/// The proofs that are changed below.
fn samples(count: usize) -> Vec<Vec<u8>> {
    let proofs = (11..11 + count).map(|index| {
        let position = problem(index);
        let score = reference::solve(position.board).score;
        let claims = if index % 2 == 0 {
            vec![Claim::AtLeast(score), Claim::AtMost(score)]
        } else {
            vec![Claim::AtMost(score)]
        };
        make(position, &claims, 6).expect("a proof")
    });
    proofs.collect()
}

/// Is a changed proof still one? By the reference solver, which knows the score.
fn still_holds(header: &Header) -> bool {
    let board = rules::Board {
        player: header.root.mover,
        opponent: header.root.other,
    };
    let score = reference::solve(board).score;
    let proven = Bounds::exactly(score);
    let is_true =
        |claim: &Claim| emilia::proof::make::question(*claim).verdict(proven) == Some(true);
    header.claims.iter().all(is_true)
}

#[test]
fn changed_moves_counts_roots_and_claims_are_refused() {
    let mut random = SplitMix64::new(12);
    let (mut refused, mut accepted) = (0, 0);
    let (count, rounds) = mutations();
    for bytes in samples(count) {
        let whole = Parts::of(&bytes);
        for round in 0..rounds {
            let mut parts = whole.clone();
            let at = random.below(parts.moves.len() as u64) as usize;
            let claim = random.below(parts.header.claims.len() as u64) as usize;
            let layer = random.below(parts.header.layers[claim].len() as u64) as usize;
            let count = &mut parts.header.layers[claim][layer];
            match round % 10 {
                0 | 1 => parts.moves[at] = random.below(64) as u8,
                2 => parts.moves[at] = random.below(256) as u8,
                3 => drop(parts.moves.remove(at)),
                4 => parts.moves.insert(at, parts.moves[at]),
                5 => parts.moves.insert(at, random.below(64) as u8),
                6 => count[0] = count[0].wrapping_add(random.below(5)).wrapping_sub(2),
                7 => count[1] = random.next_u64(),
                8 => {
                    parts.header.claims[claim] = match parts.header.claims[claim] {
                        Claim::AtLeast(score) => Claim::AtLeast(score + 2),
                        Claim::AtMost(score) => Claim::AtMost(score - 2),
                    }
                }
                _ => {
                    let square = 1_u64 << random.below(64);
                    let root = &mut parts.header.root;
                    (root.mover, root.other) = (root.mover ^ square, root.other & !square);
                }
            }
            let changed = parts.bytes();
            if changed == whole.bytes() {
                continue;
            }
            match check(&changed) {
                Err(_) => refused += 1,
                // Another winning move whose positions happen to be in the proof as well.
                Ok((header, _)) => {
                    assert!(
                        still_holds(&header),
                        "mutation {round} of kind {}",
                        round % 10
                    );
                    accepted += 1;
                }
            }
        }
    }
    let counts = format!("{refused} refused, {accepted} accepted that are proofs all the same");
    let _ = writeln!(std::io::stderr(), "{counts}");
    assert!(refused > count * rounds / 2 && accepted < refused / 20);
}

#[test]
fn changed_and_missing_bytes_are_refused() {
    let mut random = SplitMix64::new(13);
    for bytes in samples(4) {
        for length in 0..bytes.len().min(600) {
            assert!(check(&bytes[..length]).is_err(), "cut to {length}");
        }
        assert!(check(&bytes[..bytes.len() - 1]).is_err());
        assert!(
            check(&[&bytes[..], &[0]].concat()).is_err(),
            "one byte more"
        );
        for _ in 0..300 {
            let mut changed = bytes.clone();
            let at = random.below(bytes.len() as u64) as usize;
            changed[at] ^= 1 << random.below(8);
            if let Ok((header, _)) = check(&changed) {
                // The colour of the root and unused bits of the packing change nothing that is claimed.
                assert_eq!(
                    Parts::of(&changed).moves,
                    Parts::of(&bytes).moves,
                    "byte {at}"
                );
                assert!(still_holds(&header));
            }
        }
    }
}

#[test]
fn files_that_promise_too_much_end_in_an_error() {
    let start = Board {
        mover: rules::Board::START.player,
        other: rules::Board::START.opponent,
    };
    let header = Header {
        root: start,
        black_to_move: true,
        leaf_empties: 5,
        claims: vec![Claim::AtLeast(-62)],
        layers: vec![vec![[u64::MAX; 2]; 56]],
    };
    // Sixteen megabytes of the same move, a few kilobytes packed.
    let bomb = Parts {
        header: header.clone(),
        moves: vec![19; 1 << 24],
    };
    assert!(check(&bomb.bytes()).is_err());
    let many = Header {
        claims: vec![header.claims[0]; 2],
        layers: vec![header.layers[0].clone(); 2],
        leaf_empties: 16,
        ..header
    };
    assert!(check(&header_bytes(&many)).is_err());
    let message = check(b"").expect_err("nothing").to_string();
    assert_eq!(message, "the file ends too early");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_bytes_make_the_checker_panic(bytes: Vec<u8>, with_head: bool, empties in 0..20_u32) {
        let bytes = if with_head {
            // A root that is nearly full, so that a check gets far.
            let full = (1_u64 << (63 - empties)) - 1;
            let root = Board { mover: full & 0x5a5a_96f1_3c0f_77ab, other: full & !0x5a5a_96f1_3c0f_77ab };
            let layers = vec![vec![[1, 1]; Header::layers_of(root, 3)]];
            let header = Header { root, black_to_move: true, leaf_empties: 3, claims: vec![Claim::AtLeast(0)], layers };
            Parts { header, moves: bytes }.bytes()
        } else {
            bytes
        };
        let _ = check(&bytes);
    }
}

#[test]
fn a_proof_in_memory_wins_every_game_that_it_says_it_wins() {
    let position = problem(15);
    let score = reference::solve(position.board).score;
    let bytes = make(position, &[Claim::AtLeast(score)], 6).expect("a proof");
    let (_, strategies) = strategy::read(&bytes[..], MEMORY).expect("a proof");
    let strategy = &strategies[0];
    for seed in 0..200 {
        let mut random = SplitMix64::new(seed);
        let mut now = position;
        while !now.board.is_over() {
            let mv = match strategy.look_up(now) {
                Said::Pass => rules::Move::Pass,
                Said::Absent => panic!("the proof loses its way at {now}"),
                _ if now.side == strategy.claimant => {
                    strategy.choose(now.board).expect("a move").into()
                }
                _ => {
                    let moves = now.board.legal_moves();
                    let nth = random.below(u64::from(moves.count())) as usize;
                    moves.into_iter().nth(nth).expect("a move").into()
                }
            };
            now = now.play(mv).expect("legal");
        }
        let black = now.result_for_black().expect("over");
        let ours = if strategy.claimant == rules::Color::Black {
            black
        } else {
            -black
        };
        assert!(ours >= score, "{ours} discs in place of {score}");
    }
}

/// Runs `emilia` with these arguments and input: exit status and standard output.
fn emilia(arguments: &[&str], input: &str) -> (i32, String) {
    run(
        Command::new(env!("CARGO_BIN_EXE_emilia")).args(arguments),
        input,
    )
}

fn run(command: &mut Command, input: &str) -> (i32, String) {
    let command = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let output = run::finish(command.spawn().expect("started"), input);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.code().unwrap_or(-1), text)
}

#[test]
fn the_commands_make_check_cut_and_play_a_proof() {
    let folder = Folder::new();
    let (whole, cut) = (folder.path("whole.proof"), folder.path("cut.proof"));
    let (file, cut_file) = (&*whole, &*cut);
    let position = problem(20);
    let text = position.to_string();
    let score = reference::solve(position.board).score;
    let common = [
        "--hash",
        "16",
        "--threads",
        "2",
        "--leaf",
        "7",
        "--output",
        file,
    ];

    let claim = format!(">={}", score + 2);
    let (status, said) = emilia(
        &[&["proof", "make", &text, "--claim", &claim][..], &common].concat(),
        "",
    );
    assert_eq!(status, 1);
    let offered = format!("{file}: refuted: score >= {:+} is false\n", score + 2);
    assert!(
        said.starts_with(&offered) && said.contains(&format!("--claim '<={score}'")),
        "{said}"
    );

    let claim = format!("={score}");
    let (status, said) = emilia(
        &[
            &[
                "proof",
                "make",
                &text,
                "--claim",
                &claim,
                "--max-nodes",
                "1",
            ][..],
            &common,
        ]
        .concat(),
        "",
    );
    assert_eq!((status, said.contains(": unsolved: ")), (3, true), "{said}");
    let (status, said) = emilia(
        &[&["proof", "make", &text, "--claim", &claim][..], &common].concat(),
        "",
    );
    assert_eq!(status, 0, "{said}");

    let (status, said) = emilia(&["verify", file], "");
    let expected = format!("{file}: proven: score >= {score:+} and score <= {score:+} at {text}; ");
    assert_eq!((status, said.starts_with(&expected)), (0, true), "{said}");
    assert_eq!(emilia(&["verify"], "").0, 2);
    assert_eq!(emilia(&["verify", "no such file"], "").0, 2);
    assert_eq!(emilia(&["verify", "Cargo.toml"], "").0, 1);

    let (status, said) = emilia(&["proof", "stats", file], "");
    assert!(
        status == 0 && said.contains("the longest resistance"),
        "{said}"
    );
    let (status, said) = emilia(&["proof", "show", file, &text], "");
    assert!(status == 0 && said.lines().count() == 2, "{said}");

    // The first move that the proof answers leads to a part of it.
    let (_, strategies) =
        strategy::read(&fs::read(&whole).expect("the proof")[..], MEMORY).expect("a proof");
    let first = strategies[0].choose(position.board).expect("a move");
    let after = position.play(first.into()).expect("legal").to_string();
    let (status, said) = emilia(&["proof", "cut", file, &after, "--output", cut_file], "");
    assert_eq!(status, 0, "{said}");
    assert_eq!(emilia(&["verify", cut_file], "").0, 0);
    assert_eq!(
        emilia(&["proof", "cut", cut_file, &text, "--output", file], "").0,
        1,
        "too high up"
    );

    let all_squares: String = rules::Square::all()
        .map(|square| format!("{square}\n"))
        .collect();
    let (status, said) = emilia(&["proof", "play", file, "--plain"], &all_squares.repeat(20));
    assert!(status == 0 && said.contains("the game is over"), "{said}");
}

/// `>=2`.
fn short(claim: Claim) -> String {
    match claim {
        Claim::AtLeast(score) => format!(">={score}"),
        Claim::AtMost(score) => format!("<={score}"),
    }
}

#[test]
fn solve_proves_each_answer_in_a_file_of_its_line() {
    let folder = Folder::new();
    let position = problem(21);
    let score = reference::solve(position.board).score;
    let both = vec![Claim::AtLeast(score), Claim::AtMost(score)];
    let who_wins = match score {
        1.. => vec![Claim::AtLeast(2)],
        0 => vec![Claim::AtLeast(0), Claim::AtMost(0)],
        _ => vec![Claim::AtMost(-2)],
    };
    let questions = [
        ("wld".to_owned(), who_wins),
        ("exact".to_owned(), both),
        (short(Claim::AtLeast(score)), vec![Claim::AtLeast(score)]),
        // It is false, so the opposite is proven.
        (short(Claim::AtLeast(score + 2)), vec![Claim::AtMost(score)]),
        (short(Claim::AtMost(score - 2)), vec![Claim::AtLeast(score)]),
    ];
    let input: String = questions
        .iter()
        .map(|(question, _)| format!("{position}\t{question}\n"))
        .collect();
    let proofs = folder.path("proofs/");
    let options = [
        "solve",
        "--threads",
        "2",
        "--hash",
        "16",
        "--proof",
        &proofs,
    ];
    let (status, said) = emilia(&options, &input);
    assert_eq!((status, said.lines().count()), (0, 5), "{said}");
    for (line, (question, claims)) in (1..).zip(questions) {
        let proof = fs::read(folder.path(&format!("proofs/{line}.proof"))).expect("a proof");
        let (header, _) = check(&proof).expect("proven");
        assert_eq!(header.claims, claims, "{question}");
        assert_eq!(header.root.mover, position.board.player);
    }

    // One file is for one position.
    let one = folder.path("one.proof");
    let input = format!("{position}\n{position}\n");
    let options = [
        "solve",
        "--wld",
        "--threads",
        "1",
        "--hash",
        "16",
        "--proof",
        &one,
    ];
    let (status, said) = emilia(&options, &input);
    let results: Vec<&str> = said
        .lines()
        .filter_map(|line| line.split('\t').nth(1))
        .collect();
    assert_eq!((status, results[1]), (1, results[0]), "{said}");
    check(&fs::read(&one).expect("a proof")).expect("proven");

    // A resumed run keeps the proof of one line, and says that the others have none.
    let (answers, lines) = (folder.path("kept"), folder.path("lines"));
    fs::write(&lines, format!("{}\n", problem(0))).expect("written");
    let kept = folder.path("kept.proof");
    let files = ["--output", &answers, "--proof", &kept, &lines];
    let run = |more: &[&str]| emilia(&[&["solve", "--wld"], more, &files].concat(), "").0;
    assert_eq!(run(&[]), 0);
    let proof = fs::read(&kept).expect("a proof");
    fs::write(&lines, format!("{}\n{}\n", problem(0), problem(1))).expect("written");
    for _ in 0..2 {
        assert_eq!(run(&["--resume"]), 1);
        assert_eq!(fs::read(&kept).expect("a proof"), proof);
    }
    // What is asked about some moves is not said of the position.
    let some = format!(
        "{}\texact of {}\n",
        problem(0),
        problem(0).board.moves().next().expect("a move")
    );
    let (status, _) = emilia(&["solve", "--proof", &folder.path("some.proof")], &some);
    assert_eq!(status, 1);

    // Nothing is solved where no proof can be written.
    for bad in ["missing/one.proof", "one.proof/"] {
        let bad = folder.path(bad);
        let (status, said) = emilia(&["solve", "--wld", "--proof", &bad], &input);
        assert_eq!((status, said.as_str()), (1, ""), "{bad}");
    }
    let foreign = folder.path("foreign");
    fs::write(&foreign, "a letter").expect("written");
    let (status, said) = emilia(&["solve", "--wld", "--proof", &foreign], &input);
    assert_eq!((status, said.as_str()), (1, ""));
    assert_eq!(fs::read(&foreign).expect("still there"), b"a letter");
}

#[test]
fn a_killed_run_continues_with_its_answers_and_their_proofs() {
    let folder = Folder::new();
    let input: String = (0..6)
        .map(|index| format!("{}\n", problem(index)))
        .collect();
    let positions = folder.path("positions");
    fs::write(&positions, input).expect("written");
    let (answers, proofs) = (folder.path("answers"), folder.path("proofs/"));
    let run = |more: &[&str]| {
        let solve = [
            "solve",
            "--wld",
            "--deterministic",
            "--hash",
            "4",
            "--output",
            &answers,
        ];
        let all = [&solve[..], &["--proof", &proofs], more, &[&positions]].concat();
        let (status, _) = emilia(&all, "");
        assert_eq!(status, 0);
        let proof = |line: usize| fs::read(format!("{proofs}{line}.proof")).expect("a proof");
        let answers = fs::read_to_string(&answers).expect("answers");
        (answers, (1..=6).map(proof).collect::<Vec<_>>())
    };
    let whole = run(&[]);
    for proof in &whole.1 {
        check(proof).expect("proven");
    }
    // Killed when it was at work on the fourth proof: three answers, and a part of a line.
    let three: usize = whole.0.lines().take(3).map(|line| line.len() + 1).sum();
    fs::write(&answers, &whole.0[..three + 2]).expect("written");
    let note = fs::read_to_string(format!("{answers}.run")).expect("a note");
    let (before, _) = note.split_once("\"progress\"").expect("the progress");
    let nothing = "\"progress\":{\"answers\":0,\"input\":0}}";
    fs::write(format!("{answers}.run"), format!("{before}{nothing}")).expect("written");
    for line in 4..=5 {
        fs::remove_file(format!("{proofs}{line}.proof")).expect("there");
    }
    // A proof that is damaged is made again.
    let mut sixth = whole.1[5].clone();
    *sixth.last_mut().expect("a checksum") ^= 1;
    fs::write(format!("{proofs}6.proof"), sixth).expect("written");
    let fourth = Parts::of(&whole.1[3]);
    let draft = draft_bytes(&fourth.header, &fourth.moves[..fourth.moves.len() / 2]);
    fs::write(format!("{proofs}4.proof.part"), draft).expect("written");
    let resumed = run(&["--resume"]);
    assert_eq!((&resumed.0, &resumed.1[..3]), (&whole.0, &whole.1[..3]));
    for proof in &resumed.1 {
        check(proof).expect("proven");
    }
    assert!(!Path::new(&format!("{proofs}4.proof.part")).exists());
    // Without proofs it is another run.
    let other = [
        "solve",
        "--wld",
        "--deterministic",
        "--hash",
        "4",
        "--output",
        &answers,
    ];
    let (status, _) = emilia(&[&other[..], &["--resume", &positions]].concat(), "");
    assert_eq!(status, 1);
}

#[cfg(unix)]
#[test]
fn a_full_disk_stops_a_run_with_proofs_and_costs_no_result() {
    let folder = Folder::new();
    let positions: Vec<String> = (0..6).map(|index| problem(index).to_string()).collect();
    let input = folder.path("positions");
    fs::write(&input, positions.join("\n")).expect("written");
    let (answers, proofs) = (folder.path("answers"), folder.path("proofs/"));
    fs::create_dir(&proofs).expect("a folder");
    let options = [
        "solve",
        "--wld",
        "--deterministic",
        "--threads=1",
        "--hash=4",
    ];
    let whole = emilia(&[&options[..], &[&input]].concat(), "").1;
    let lines: Vec<String> = whole.lines().map(|line| format!("{line}\n")).collect();
    let resume = |expected: (i32, &str), what: &str| {
        let files = ["--resume", "--output", &answers, "--proof", &proofs, &input];
        let (status, _) = emilia(&[&options[..], &files].concat(), "");
        let said = fs::read_to_string(&answers).expect("answers");
        assert_eq!((status, said.as_str()), expected, "{what}");
    };
    let second = format!("{proofs}2.proof");
    std::os::unix::fs::symlink("/dev/full", &second).expect("a link");
    resume((1, &lines[..2].concat()), "the disk is full");
    resume((1, &lines[..2].concat()), "and still is");
    fs::remove_file(&second).expect("there");
    resume((0, &whole), "there is room");

    // As earlier versions answered where there was no room.
    let failed = |line: usize| {
        let reason = "no proof: No space left on device";
        let mut key = flate2::Crc::new();
        key.update(format!("{}\terror\t-\t{reason}", positions[line]).as_bytes());
        format!("{}\terror\t-\t{reason}\t{:08x}\n", line + 1, key.sum())
    };
    let mut faults = lines.clone();
    (faults[1], faults[4]) = (failed(1), failed(4));
    let faults = faults.concat();
    let merge = |outputs: &[&str]| {
        let merge = ["batch", "merge", "--input", &input];
        emilia(&[&merge[..], outputs].concat(), "")
    };
    fs::write(&answers, &faults).expect("written");
    assert_eq!(merge(&[&answers]), (1, faults));
    let results = folder.path("results");
    fs::write(&results, &whole).expect("written");
    assert_eq!(merge(&[&answers, &results]), (0, whole.clone()));
    fs::remove_file(format!("{proofs}6.proof")).expect("there");
    resume(
        (0, &whole),
        "what failed is asked again, and what is not proven",
    );
    for line in 1..=6 {
        check(&fs::read(format!("{proofs}{line}.proof")).expect("a proof")).expect("proven");
    }
}

#[test]
fn the_proofs_of_a_split_become_one() {
    let folder = Folder::new();
    let mut large = (0..).map(problem);
    let is_split = |position: &Position| position.board.empty_count() == 12;
    let position = large.find(is_split).expect("12 empties");
    let score = reference::solve(position.board).score;
    let (state, whole) = (folder.path("state"), folder.path("whole.proof"));
    // A claim that is true, and one that is false.
    for (claim, proven) in [
        (Claim::AtLeast(score), Claim::AtLeast(score)),
        (Claim::AtLeast(score + 2), Claim::AtMost(score)),
    ] {
        let _ = fs::remove_file(&state);
        let (root, claim) = (position.to_string(), short(claim));
        let split = [
            "batch", "split", &root, "--claim", &claim, "--to", "6", "--state", &state,
        ];
        let (mut status, mut lines) = emilia(&split, "");
        let mut parts = Vec::new();
        while status == 3 {
            assert_eq!(
                emilia(
                    &[
                        "proof", "join", "--state", &state, "--output", &whole, &state
                    ],
                    ""
                )
                .0,
                3
            );
            let name = format!("round-{}/", parts.len());
            let proofs = folder.path(&name);
            let answers = folder.path("answers");
            let solve = [
                "solve",
                "--threads",
                "1",
                "--hash",
                "16",
                "--proof",
                &proofs,
            ];
            let (solved, said) = emilia(&solve, &lines);
            assert_eq!(solved, 0, "{said}");
            fs::write(&answers, said).expect("written");
            let made = fs::read_dir(&proofs).expect("proofs");
            parts.extend(made.map(|file| {
                file.expect("a file")
                    .path()
                    .to_str()
                    .expect("text")
                    .to_owned()
            }));
            (status, lines) = emilia(&["batch", "join", "--state", &state, &answers], "");
        }
        assert!(status == 0 && parts.len() > 2, "{lines}");
        let join = ["proof", "join", "--state", &state, "--output", &whole];
        let all: Vec<&str> = join
            .into_iter()
            .chain(parts.iter().map(String::as_str))
            .collect();
        let (status, said) = emilia(&all, "");
        assert_eq!(status, 0, "{said}");
        let (header, _) = check(&fs::read(&whole).expect("a proof")).expect("proven");
        assert_eq!(header.claims, [proven]);
        assert_eq!(
            (header.root.mover, header.root.other),
            (position.board.player, position.board.opponent)
        );
        // Without one of the parts it is none.
        fs::remove_file(&whole).expect("there");
        for missing in 0..parts.len() {
            let mut fewer = all.clone();
            fewer.remove(join.len() + missing);
            if emilia(&fewer, "").0 == 0 {
                check(&fs::read(&whole).expect("a proof")).expect("proven without it");
            }
        }
    }
}

#[test]
fn a_match_is_played_by_a_proof() {
    let folder = Folder::new();
    let position = problem(23);
    let score = reference::solve(position.board).score;
    let claims = [Claim::AtLeast(score), Claim::AtMost(score)];
    let (proof, openings) = (folder.path("a.proof"), folder.path("openings"));
    fs::write(&proof, make(position, &claims, 5).expect("a proof")).expect("written");
    fs::write(&openings, format!("{position}\n")).expect("written");
    let prover = format!("prover|internal||nodes=1 hash=1 proof={proof}");
    let play = |prover: &str| {
        let engines = ["--engine", prover, "--engine", "m|mobility"];
        let of_match = ["match", "--openings", &openings, "--each", "depth=4"];
        emilia(&[&of_match[..], &engines].concat(), "")
    };
    let (status, said) = play(&prover);
    assert_eq!(status, 0, "{said}");
    let games: Vec<Vec<&str>> = said
        .lines()
        .map(|line| line.split('\t').collect())
        .collect();
    let games: Vec<_> = games.into_iter().filter(|game| game.len() > 4).collect();
    assert_eq!(games.len(), 2, "{said}");
    for game in games {
        let black: i32 = game[3].parse().expect("a score for black");
        let of_mover = if position.side == rules::Color::Black {
            black
        } else {
            -black
        };
        let prover_moves_first = (game[1] == "prover") == (position.side == rules::Color::Black);
        let holds = if prover_moves_first {
            of_mover >= score
        } else {
            of_mover <= score
        };
        assert!(holds, "{score}: {game:?}");
    }
    let missing = format!("prover|internal||proof={}", folder.path("missing"));
    let (status, said) = play(&missing);
    assert_eq!(status, 1, "{said}");
}

#[test]
fn both_checkers_agree() {
    let python = Command::new("python3").arg("--version").output();
    if !python.is_ok_and(|output| output.status.success()) {
        return;
    }
    let mut random = SplitMix64::new(17);
    for (index, leaf_empties) in [(17, 4), (18, 6)] {
        let position = problem(index);
        let score = reference::solve(position.board).score;
        let claims = [Claim::AtLeast(score), Claim::AtMost(score)];
        let whole = Parts::of(&make(position, &claims, leaf_empties).expect("a proof"));
        let mut files = vec![whole.bytes(), whole.bytes()[..60].to_vec()];
        for round in 0..4 {
            let mut parts = whole.clone();
            let at = random.below(parts.moves.len() as u64) as usize;
            match round {
                0 => parts.moves[at] ^= 1,
                1 => drop(parts.moves.remove(at)),
                2 => parts.moves.push(0),
                _ => parts.header.layers[0][1][1] += 1,
            }
            files.push(parts.bytes());
        }
        for bytes in files {
            let file = File::new(".proof", &bytes);
            let mut command = Command::new("python3");
            let script = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/check/verify_proof.py");
            let (status, said) = run(command.arg(script).arg(file.name()), "");
            assert_eq!(status == 0, check(&bytes).is_ok(), "{said}");
        }
    }
}
