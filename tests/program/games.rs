//! Whole games against itself through the real binary, as each host plays them.

use crate::host::{self, Host};
use emilia::rules::{Color, Game, Move, Position};

/// How a GTP host treats passes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Passes {
    /// It knows the rules, and never sends a pass.
    LeftOut,
    /// It knows the rules, and sends every pass.
    Told,
    /// It does not know the rules: it asks for a move, is answered `pass`, and sends that to the other engine.
    Asked,
}

/// An engine that speaks GTP.
struct Gtp(Host);

impl Gtp {
    fn start() -> Gtp {
        Gtp(Host::start(&["gtp", "--depth", "1", "--hash", "1"]))
    }

    /// The answer of a command that has to succeed.
    fn ask(&mut self, command: &str) -> String {
        self.0.write(format!("{command}\n").as_bytes());
        let lines = self.0.read_until(str::is_empty);
        let answer = lines[0]
            .strip_prefix('=')
            .unwrap_or_else(|| panic!("{command}: {lines:?}"));
        answer.trim_start().to_owned()
    }

    /// The move that it chooses.
    fn choose(&mut self, color: Color) -> Move {
        let answer = self.ask(&format!("genmove {color}"));
        answer.parse().unwrap_or_else(|error| panic!("{error}"))
    }
}

/// Plays a game from `opening`, and sends the moves of each engine to the other one.
fn play_over_gtp(opening: &str, passes: Passes) -> Game {
    let mut engines = [Gtp::start(), Gtp::start()];
    let mut game = Game::new(Position::START);
    for engine in &mut engines {
        engine.ask("boardsize 8");
        engine.ask("clear_board");
    }
    for mv in opening.split_whitespace() {
        let color = game.position().side;
        for engine in &mut engines {
            engine.ask(&format!("play {color} {mv}"));
        }
        game.play(mv.parse().expect("a move"))
            .expect("a legal opening");
    }
    while game.position().result_for_black().is_none() {
        let Position { board, side } = game.position();
        if board.must_pass() && passes != Passes::Asked {
            game.play(Move::Pass).expect("a forced pass");
            if passes == Passes::Told {
                for engine in &mut engines {
                    engine.ask(&format!("play {side} pass"));
                }
            }
            continue;
        }
        let mover = usize::from(side == Color::White);
        let mv = engines[mover].choose(side);
        game.play(mv).unwrap_or_else(|error| panic!("{error}"));
        engines[1 - mover].ask(&format!("play {side} {mv}"));
    }
    let result = game.position().result_for_black().expect("the end");
    for engine in &mut engines {
        let score = engine.ask("final_score");
        let expected = match result {
            0 => "0".to_owned(),
            1.. => format!("B+{result}"),
            ..0 => format!("W+{}", -result),
        };
        assert_eq!(score, expected);
        engine.ask("quit");
        assert_eq!(engine.0.exit_code(), 0);
    }
    game
}

/// After these moves black has to pass.
const OPENING_WITH_A_PASS: &str = "d3 c3 f5 d2 d1 e1 b2 c1";

#[test]
fn a_game_over_gtp_ends_well_however_the_host_passes() {
    let games = [Passes::LeftOut, Passes::Told, Passes::Asked]
        .map(|passes| play_over_gtp(OPENING_WITH_A_PASS, passes));
    assert!(games[0].moves().contains(&Move::Pass));
    assert_eq!(games[0], games[1], "the same engine plays the same game");
    assert_eq!(games[0], games[2], "the same engine plays the same game");
}

/// The game after the opening with a pass, the pass not yet played.
fn opening() -> Game {
    let mut game = Game::new(Position::START);
    for mv in OPENING_WITH_A_PASS.split_whitespace() {
        game.play(mv.parse().expect("a move"))
            .expect("a legal opening");
    }
    game
}

#[test]
fn a_game_over_nboard_ends_well_with_every_pass_told() {
    let mut game = opening();
    let mut host = Host::start(&["nboard", "--depth", "1"]);
    let squares: String = game
        .moves()
        .iter()
        .zip(["B", "W"].iter().cycle())
        .map(|(mv, color)| format!("{color}[{mv}]"))
        .collect();
    host.write(format!("nboard 2\nset game (;GM[Othello]TI[1:00]TY[8]{squares};)\n").as_bytes());
    let mut ping = 0;
    while game.position().result_for_black().is_none() {
        ping += 1;
        host.write(format!("ping {ping}\nhint 64\nping {}\ngo\n", -ping).as_bytes());
        host.read_until(|line| line == format!("pong {}", -ping));
        let lines = host.read_until(|line| line.starts_with("=== "));
        let chosen = lines.last().and_then(|line| line.strip_prefix("=== "));
        let chosen = chosen.expect("a move");
        let mv: Move = chosen
            .split('/')
            .next()
            .unwrap_or(chosen)
            .parse()
            .expect("a move");
        game.play(mv)
            .unwrap_or_else(|error| panic!("{error} of {chosen}"));
        host.write(format!("move {chosen}\n").as_bytes());
    }
    assert!(game.moves().contains(&Move::Pass));
    host.write(b"ping 1000\nanalyze\nping 1001\nset depth 1\nanalyze\n");
    host.close_input();
    let lines = host.lines_to_the_end();
    let analysed = host::count(&lines, "analysis ");
    assert!(analysed > game.moves().len(), "{analysed} of {lines:?}");
    assert_eq!(host.exit_code(), 0);
}

#[test]
fn a_game_over_cassio_is_a_search_for_each_move() {
    let mut game = opening();
    let mut host = Host::start(&[]);
    host.write(b"ENGINE-PROTOCOL init\n");
    host.read_until(|line| line == "ready.");
    while game.position().result_for_black().is_none() {
        let search = match game.position().board.empty_count() {
            ..=6 => "endgame-search",
            _ => "midgame-search",
        };
        let depth = if search == "midgame-search" { "1 " } else { "" };
        let position = game.position();
        host.write(format!("ENGINE-PROTOCOL {search} {position} -64 64 {depth}100\n").as_bytes());
        let lines = host.read_until(|line| line == "ready.");
        let result = lines.iter().rev().nth(1).expect("a result");
        let (_, after) = result.split_once(", move ").expect("a move");
        let mv: Move = after[..2].parse().expect("a move");
        game.play(mv)
            .unwrap_or_else(|error| panic!("{error} of {result}"));
    }
    assert!(game.moves().contains(&Move::Pass));
    host.write(b"ENGINE-PROTOCOL quit\n");
    assert_eq!(host.lines_to_the_end(), ["bye bye."]);
    assert_eq!(host.exit_code(), 0);
}
