//! The model of people, fitted and measured through the real binary, with few games.

use std::fmt::Write;
use std::process::{Command, Output, Stdio};

use emilia::random::SplitMix64;
use emilia::rules::{Bitboard, Color, Game, Move, Position};

use crate::files::File;

/// So many games as PGN: ann looks for corners and for few discs, ben plays anything.
fn games(seed: u64, number: usize, year: u16) -> String {
    let mut random = SplitMix64::new(seed);
    let mut text = String::new();
    for _ in 0..number {
        let mut game = Game::new(Position::START);
        while !game.position().board.is_over() {
            let position = game.position();
            let board = position.board;
            let chosen = match position.side {
                Color::Black => board.legal_moves().max_by_key(|sq| {
                    (
                        sq.bit() & Bitboard::CORNERS.0,
                        64 - board.flips(*sq).count(),
                    )
                }),
                Color::White => random.choose(board.legal_moves()),
            };
            let mv = chosen.map_or(Move::Pass, Move::Place);
            game.play(mv).expect("legal");
        }
        let score = game.position().result_for_black().expect("over");
        let (black, white) = (32 + score / 2, 32 - score / 2);
        let transcript = game.transcript();
        writeln!(
            text,
            "[Black \"ann\"]\n[White \"ben\"]\n[Date \"{year}.05.01\"]\n[Result \"{black}-{white}\"]\n\n{transcript}\n"
        )
        .expect("memory");
    }
    text
}

fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_emilia-lab"));
    command.arg("human").args(arguments).stdin(Stdio::null());
    command.output().expect("the binary starts")
}

/// What a run that succeeds prints.
fn stdout(arguments: &[&str]) -> String {
    let output = run(arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {errors}");
    String::from_utf8(output.stdout).expect("text")
}

/// What a run that fails says.
fn error(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(
        !output.status.success() && output.stdout.is_empty(),
        "{arguments:?}"
    );
    String::from_utf8(output.stderr).expect("text")
}

#[test]
fn a_model_is_fitted_and_measured() {
    let early = File::new("people-early.pgn", games(1, 40, 2016));
    let late = File::new("people-late.pgn", games(2, 6, 2019));
    let [one, two] = ["one", "two"].map(|name| File::new(&format!("{name}.people"), b""));
    let fit = |model: &File, threads: &str| {
        let options = [
            "fit",
            "--until",
            "2017",
            "--depth",
            "2",
            "--threads",
            threads,
            "--output",
        ];
        stdout(&[&options[..], &[model.name(), early.name(), late.name()]].concat())
    };
    let said = fit(&one, "1");
    assert!(said.starts_with("games 40 moves "), "{said}");
    fit(&two, "2");
    let bytes = |file: &File| std::fs::read(file.name()).expect("written");
    assert!(bytes(&one) == bytes(&two), "with any number of threads");

    let said = stdout(&[
        "test",
        "--model",
        one.name(),
        "--from",
        "2018",
        "--depths",
        "1,2",
        "--games",
        "3",
        early.name(),
        late.name(),
    ]);
    let hits = |method: &str| -> f64 {
        let line = said
            .lines()
            .find(|line| line.starts_with(&format!("{method}\tall\t")));
        let field = line.and_then(|line| line.split('\t').nth(3)).expect(&said);
        field.trim_end_matches('%').parse().expect(&said)
    };
    assert!(hits("model") > 1.2 * hits("chance"), "{said}");
    for method in ["frequencies", "model, sample", "model and search 2"] {
        hits(method);
    }
    assert!(said.contains("\nplayers\tmodel "), "{said}");
    let only = stdout(&["only", "--from", "2016", early.name()]);
    let moves = only.lines().skip(1).map(|line| line.split('\t').next());
    let moves: Vec<u32> = moves.map(|n| n.unwrap().parse().expect(&only)).collect();
    assert!(
        moves.len() == 10 && moves.iter().sum::<u32>() > 10,
        "{only}"
    );
    let rated = stdout(&["ratings", early.name()]);
    let elo = rated.lines().map(|line| line.rsplit('\t').next());
    assert!(elo.clone().count() > 0, "{rated}");
    assert!(
        elo.flatten().all(|elo| elo.parse::<u16>().is_ok()),
        "{rated}"
    );
    assert!(
        said.contains(", moves\tstated\tplayed\tdifference\n"),
        "{said}"
    );
}

#[test]
fn what_cannot_be_used_is_an_error() {
    let nameless = File::new("people-nameless.txt", "f5d6c3d3c4 +2\n");
    let empty = File::new("people-none", b"");
    let name = nameless.name();
    let nobody = error(&["fit", "--output", empty.name(), name]);
    assert!(nobody.contains("there is nothing to fit"), "{nobody}");
    let itself = error(&["fit", "--output", name, name]);
    assert!(itself.contains("cannot write"), "{itself}");
    let unrated = error(&["test", name]);
    assert!(
        unrated.contains("players without a rating need --rating"),
        "{unrated}"
    );
    assert!(stdout(&["test", "--rating", "1500", name]).contains("model\tall\t4\t"));
    let other = error(&["test", "--model", name, name]);
    assert!(other.contains("not a model of people of Emilia"), "{other}");
    let mut bytes = vec![20, 26, 11, 21, 1, 0, 0, 0, 0, 0, 0xea, 0x07, 8, 0, 24, 0];
    bytes.extend([7, 0, 1, 2, 3, 0, 40, 31, 65, 46, 33]);
    bytes.resize(16 + 68, 0);
    let wthor = File::new("people.wtb", bytes);
    let anonymous = error(&["test", wthor.name()]);
    assert!(
        anonymous.contains("--players tells people from programs"),
        "{anonymous}"
    );
}
