//! Writes the first inputs of every fuzz target: `seeds CORPUS TESTS`, the folder of the
//! corpora and the folder `tests` of the repository.

use std::fs;
use std::path::Path;

use emilia::checksum::checksum;
use emilia::container::{self, Sealer};
use emilia::eval::rows::STAGES;
use emilia::eval::{PHASES, Weights};
use emilia::files::UsedFiles;
use emilia::formats::records::{PlayOptions, PlayedGame, RecordHeader, RecordWriter};
use emilia::oracle::reference;
use emilia::proof::verify::file::{Claim, ProofReader};
use emilia::proof::{self, PROOF, make, parts};
use emilia::random::SplitMix64;
use emilia::rules::{Board, Game, Position};
use emilia::tournament::GameRecord;
use emilia_fuzz::{CONTAINER, STEPS};
use emilia_lab::training::fit::{Checkpoint, FitOptions};
use emilia_lab::training::sample::{self, Sample};

type Error = Box<dyn std::error::Error>;

fn main() -> Result<(), Error> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [corpus, tests] = &arguments[..] else {
        return Err("usage: seeds CORPUS TESTS".into());
    };
    let (corpus, tests) = (Path::new(corpus), Path::new(tests));
    let add = |target: &str, bytes: &[u8]| -> Result<(), Error> {
        let folder = corpus.join(target);
        fs::create_dir_all(&folder)?;
        Ok(fs::write(
            folder.join(format!("{:016x}", checksum(bytes))),
            bytes,
        )?)
    };

    for (target, line) in texts() {
        add(target, line.as_bytes())?;
    }
    for (file, target, most) in FILES {
        let text = fs::read_to_string(tests.join("data").join(file))?;
        for line in text.lines().take(most) {
            add(target, line.as_bytes())?;
        }
    }
    for entry in fs::read_dir(tests.join("transcripts"))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let known = ["gtp", "nboard", "cassio"];
        let target = known.into_iter().find(|known| name.starts_with(known));
        let conversation = conversation(&fs::read(&path)?);
        add(target.unwrap_or("native"), &conversation)?;
        add("detect", &conversation)?;
    }
    add("wthor", &database())?;
    add("container", &blocks())?;
    add("weights", &weights())?;
    add("games", &games()?)?;
    add("samples", &samples()?)?;
    add("checkpoint", &checkpoint(corpus)?)?;
    add("proof", &proof(corpus)?)
}

/// Files of `tests/data`, the target that reads them, and how many of their lines are enough.
const FILES: [(&str, &str, usize); 6] = [
    ("endgames-12.obf", "obf", 20),
    ("endgames-17.obf", "obf", 20),
    ("openings-8ply.txt", "transcript", 20),
    ("unusual_games.txt", "transcript", 20),
    ("openings-8ply.txt", "position", 3),
    ("perft_positions.txt", "position", 20),
];

/// Lines of the formats without a file in `tests/data`.
fn texts() -> Vec<(&'static str, String)> {
    let mut texts: Vec<(&str, String)> = vec![
        (
            "ggf",
            "(;GM[Othello]PC[NBoard]DT[2026]PB[a]PW[b]RE[-8:r]TI[5:00/0:03/2:00]TY[8]\
             BO[8 ---------------------------O*------*O--------------------------- *]\
             B[F5/1.50/0.25]W[D6//2]B[c3/-4,25];)"
                .to_owned(),
        ),
        (
            "ggf",
            "2 (;GM[Othello]B[F5];)(;GM[Othello]TY[s8r20]B[d3]W[PA];)".to_owned(),
        ),
        ("obf", "-- % new\n".to_owned()),
        ("transcript", "1. F5 d6 2. c3 -- 0".to_owned()),
        ("position", Position::START.to_string()),
        ("position", "f5".to_owned()),
    ];
    for line in [
        "old|uci|./emilia native --threads 1|tc=60+0.5 name:Hash=64 margin=50",
        "GRhino|gtp|gtp-rhino -p -l 5|untimed passes=implied init=\"komi 0\"",
        "Edax|nboard|\"/opt/my engines/edax\" -nboard|depth=8 dir=/opt",
        "new|internal||st=0.1 threads=2 hash=64",
        "mobility|mobility",
    ] {
        texts.push(("entrant", line.to_owned()));
    }
    for text in [
        "info depth 9 multipv 1 score cp -150 pv f5\nbestmove f5 ponder d6",
        "=7 F5\n\n? illegal move\n\n= resign\n\n",
        "status thinking\n=== F5/-1.50/0.25\npong 1",
    ] {
        texts.push(("engine_reply", text.to_owned()));
    }
    let record = r#"{"game":1,"opening":1,"black":"a","white":"b","black_budget":"tc=60+0.5","white_budget":"depth=8","date":"2026-11-22 00:00:00 GMT","start":"---------------------------OX------XO--------------------------- X","moves":[{"move":"f5"},{"move":"d6","score":1.5,"ms":20.0}],"score":-64,"ending":"time","forfeit":"black","note":"late"}"#;
    texts.push(("record", record.to_owned()));
    debug_assert!(serde_json::from_str::<GameRecord>(record).is_ok());
    texts
}

/// The lines of the host in a transcript.
fn conversation(transcript: &[u8]) -> Vec<u8> {
    let mut bytes = vec![1; STEPS];
    for line in transcript.split(|&byte| byte == b'\n') {
        if let Some(sent) = line.strip_prefix(b"> ") {
            bytes.extend_from_slice(sent);
            bytes.push(b'\n');
        }
    }
    bytes
}

/// A WTHOR database of one game.
fn database() -> Vec<u8> {
    let mut bytes = vec![20, 26, 11, 21, 1, 0, 0, 0, 0, 0, 0xea, 0x07, 8, 0, 24, 0];
    bytes.extend([7, 0, 1, 2, 3, 0, 40, 31, 65, 46, 33]);
    bytes.resize(16 + 68, 0);
    bytes
}

/// A container of two blocks.
fn blocks() -> Vec<u8> {
    let (mut sealer, mut bytes) = Sealer::new(&CONTAINER, &"a header");
    bytes.extend(sealer.block(b"one"));
    bytes.extend(sealer.block(b""));
    bytes
}

/// A weight file whose blocks are all empty, and so refused at once: unpacking whole ones takes so
/// long that hardly any input would be tried.
fn weights() -> Vec<u8> {
    let mut bytes = Weights::zero().to_bytes();
    let header = bytes[12..]
        .first_chunk()
        .map_or(0, |x| u32::from_le_bytes(*x));
    bytes.truncate(16 + header as usize + 8);
    for _ in 0..PHASES + STAGES {
        bytes.extend([3, 0, 0, 0]);
        bytes.extend([0, 0x03, 0x00]); // a shift of 0, and an empty deflate stream
        bytes.extend([0; 8]);
    }
    container::reseal(&mut bytes);
    bytes
}

/// A file of two games of random moves.
fn games() -> Result<Vec<u8>, Error> {
    let header = RecordHeader {
        seed: 1,
        options: PlayOptions {
            depth: 1,
            exact: 6,
            min_random: 60,
            max_random: 60,
        },
        weights: String::new(),
        openings: String::new(),
        version: String::new(),
        rules: 1,
        packed: false,
    };
    let (mut writer, mut bytes) = RecordWriter::new(&header);
    let games = [random_game(1), random_game(2)];
    bytes.extend(writer.block(0, &games)?);
    Ok(bytes)
}

fn random_game(seed: u64) -> PlayedGame {
    let mut random = SplitMix64::new(seed);
    let mut game = Game::new(Position::START);
    while !game.position().board.is_over() {
        let squares: Vec<_> = game.position().board.legal_moves().into_iter().collect();
        let mv = match squares.len() {
            0 => emilia::rules::Move::Pass,
            count => emilia::rules::Move::Place(squares[random.below(count as u64) as usize]),
        };
        game.play(mv).expect("legal");
    }
    PlayedGame {
        random: game.moves().len() - 1,
        exact: 0,
        scores: vec![3],
        game,
    }
}

fn samples() -> Result<Vec<u8>, Error> {
    let sample = Sample {
        board: Board::START,
        score: 2.5,
        weight: 1.0,
    };
    let mut bytes = Vec::new();
    sample::write(&mut bytes, &[sample])?;
    Ok(bytes)
}

/// A checkpoint without stages: one of them is larger than a fuzzer's inputs.
fn checkpoint(folder: &Path) -> Result<Vec<u8>, Error> {
    let path = folder.join("checkpoint.tmp");
    let file = UsedFiles::default().growing(&path, Checkpoint::KIND)?;
    drop(Checkpoint::open(file, 1, &FitOptions::default())?);
    let bytes = fs::read(&path)?;
    fs::remove_file(&path)?;
    Ok(bytes)
}

/// A proof with its moves unpacked.
fn proof(folder: &Path) -> Result<Vec<u8>, Error> {
    const POSITION: &str = "XXXXXXXXXXXOOOOXXXXOXXXX-OOXXXXX-OOXXXXX--OXXXXX--XOXXXX-X--XXXX O";
    let position: Position = POSITION.parse()?;
    let score = reference::solve(position.board).score;
    let best = |board: Board| {
        let mut moves = board.legal_moves();
        moves.find(|&square| reference::solve(board.play(square)).score <= -score)
    };
    let path = folder.join("proof.tmp");
    let output = UsedFiles::default().output(&path, PROOF)?;
    let header = make::header(position, &[Claim::AtLeast(score)], 2);
    let parts = [parts::ProofMoves::default()];
    parts::join(header, &parts, &best, output, 1 << 20)?;
    let packed = fs::read(&path)?;
    fs::remove_file(&path)?;
    let mut reader = ProofReader::new(&packed[..])?;
    let mut bytes = proof::header_bytes(&reader.header);
    let (_, above) = reader.header.layers[0]
        .split_last()
        .unwrap_or((&[0; 2], &[]));
    let moves: u64 = above.iter().map(|size| size[0]).sum();
    bytes.extend(reader.moves(moves as usize)?);
    Ok(bytes)
}
