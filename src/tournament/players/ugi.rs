//! The tournament as a UGI or UCI host.

use super::external::Dialect;
use super::process::Process;
use super::{
    Action, Budget, ChosenMove, EngineProtocol, PassStyle, PlayerClock, PlayerFault, PlayerTurn,
    Settings,
};
use crate::rules::{Game, Move, Position};

/// UGI or UCI.
pub(super) struct Ugi {
    /// `ugi` or `uci`.
    name: &'static str,
    passes: PassStyle,
    /// Lines that follow the handshake.
    init: Vec<String>,
    /// Options by name, sent after them.
    options: Vec<(String, String)>,
    thoughts: Thoughts,
}

impl Ugi {
    pub(super) fn new(protocol: EngineProtocol, settings: &Settings) -> Ugi {
        Ugi {
            name: match protocol {
                EngineProtocol::Uci => "uci",
                _ => "ugi",
            },
            passes: settings.passes,
            init: settings.init.clone(),
            options: settings.options.clone(),
            thoughts: Thoughts::default(),
        }
    }
}

impl Dialect for Ugi {
    fn handshake(&mut self, engine: &mut Process) -> Result<(), PlayerFault> {
        let (name, end) = (self.name, format!("{}ok", self.name));
        let mut known = Vec::new();
        engine.ask(name, |line| {
            known.extend(option_name(line).map(str::to_lowercase));
            (line.trim() == end).then_some(())
        })?;
        for line in &self.init {
            engine.send(line)?;
        }
        for (name, value) in &self.options {
            if !known.is_empty() && !known.contains(&name.to_lowercase()) {
                let reason = format!("it has no option {name:?}; init=.. sends any line");
                return Err(PlayerFault::Garbage(reason));
            }
            engine.send(&format!("setoption name {name} value {value}"))?;
        }
        engine.expect("isready", "readyok")
    }

    fn new_game(&mut self, engine: &mut Process) -> Result<(), PlayerFault> {
        engine.send(&format!("{}newgame", self.name))?;
        engine.expect("isready", "readyok")
    }

    fn prepare(
        &mut self,
        engine: &mut Process,
        turn: &PlayerTurn<'_>,
    ) -> Result<String, PlayerFault> {
        self.thoughts = Thoughts::default();
        engine.send(&position_line(turn.game, self.passes))?;
        engine.expect("isready", "readyok")?;
        Ok(go_line(turn, self.name))
    }

    fn read(&mut self, line: &str) -> Option<Result<ChosenMove, String>> {
        self.thoughts.note(line);
        let word = best_move(line)?;
        let choice = |mv| ChosenMove {
            action: Action::Play(mv),
            score: self.thoughts.score,
            depth: self.thoughts.depth,
        };
        Some(word.parse().map(choice).map_err(|_| line.to_owned()))
    }
}

/// The name in `option name Own Book type check default false`.
fn option_name(line: &str) -> Option<&str> {
    let name = line.trim().strip_prefix("option name ")?;
    Some(name.split(" type ").next().unwrap_or(name).trim())
}

/// What the engine sends about its best line of play while it thinks.
#[derive(Default)]
struct Thoughts {
    score: Option<f64>,
    depth: Option<u32>,
}

impl Thoughts {
    fn note(&mut self, line: &str) {
        let words = || line.split_whitespace();
        let value_after = |key: &str| words().skip_while(|&word| word != key).nth(1);
        let is_info = words().next() == Some("info") && words().nth(1) != Some("string");
        let is_best_line = value_after("multipv").is_none_or(|rank| rank == "1");
        if !is_info || !is_best_line || value_after("score") != Some("cp") {
            return;
        }
        if let Some(Ok(hundredths)) = value_after("cp").map(str::parse::<i32>) {
            self.score = Some(f64::from(hundredths) / 100.0);
            self.depth = value_after("depth").and_then(|depth| depth.parse().ok());
        }
    }
}

/// The move of a `bestmove` line; the rest of it is ignored.
fn best_move(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace();
    let is_answer = words.next() == Some("bestmove");
    words.next().filter(|_| is_answer)
}

/// The `position` line of a game.
fn position_line(game: &Game, passes: PassStyle) -> String {
    let mut line = if game.start() == Position::START {
        "position startpos".to_owned()
    } else {
        format!("position fen {}", game.start())
    };
    let sent = |mv: &&Move| **mv != Move::Pass || passes == PassStyle::Explicit;
    for (i, mv) in game.moves().iter().filter(sent).enumerate() {
        line.push_str(if i == 0 { " moves " } else { " " });
        line.push_str(mv.name());
    }
    line
}

/// The `go` line of a turn. UCI's white is the first player, here black.
fn go_line(turn: &PlayerTurn<'_>, protocol: &str) -> String {
    match turn.clock().budget() {
        Budget::Untimed => "go".to_owned(),
        Budget::Depth(depth) => format!("go depth {depth}"),
        Budget::Nodes(nodes) => format!("go nodes {nodes}"),
        Budget::MoveTime(time) => format!("go movetime {}", time.as_millis()),
        Budget::Clock { .. } => {
            let (first, second) = match protocol {
                "uci" => ("w", "b"),
                _ => ("p1", "p2"),
            };
            let increment = |clock: PlayerClock| clock.budget().increment().unwrap_or_default();
            let [black, white] = turn.clocks.map(|clock| clock.remaining().as_millis());
            let [black_inc, white_inc] = turn.clocks.map(|clock| increment(clock).as_millis());
            format!(
                "go {first}time {black} {second}time {white} \
                 {first}inc {black_inc} {second}inc {white_inc}"
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::PlayerClock;

    fn game(moves: &str) -> Game {
        let mut game = Game::new(Position::START);
        for mv in moves.as_bytes().chunks(2) {
            let mv = std::str::from_utf8(mv).expect("ASCII");
            game.play(mv.parse().expect("a move")).expect("legal");
        }
        game
    }

    #[test]
    fn positions_are_the_start_and_the_moves() {
        let line = |moves| position_line(&game(moves), PassStyle::Explicit);
        assert_eq!(line(""), "position startpos");
        assert_eq!(line("f5d6"), "position startpos moves f5 d6");
        let later = Game::new(game("f5").position());
        let expected = format!("position fen {}", later.start());
        assert_eq!(position_line(&later, PassStyle::Implied), expected);
    }

    #[test]
    fn budgets_become_limits() {
        let game = game("");
        for (budget, protocol, expected) in [
            ("depth=8", "ugi", "depth 8"),
            ("nodes=1000", "uci", "nodes 1000"),
            ("st=0.25", "ugi", "movetime 250"),
            (
                "tc=9+1",
                "ugi",
                "p1time 9000 p2time 9000 p1inc 1000 p2inc 1000",
            ),
            ("tc=60", "uci", "wtime 60000 btime 60000 winc 0 binc 0"),
        ] {
            let clock = PlayerClock::new(budget.parse().expect(budget));
            let turn = PlayerTurn {
                game: &game,
                records: &[],
                clocks: [clock; 2],
            };
            assert_eq!(go_line(&turn, protocol), format!("go {expected}"));
        }
    }

    #[test]
    fn the_answer_and_the_reports_before_it_are_read() {
        let mut thoughts = Thoughts::default();
        thoughts.note("info depth 7 seldepth 9 multipv 1 score cp -150 nodes 12 pv f5");
        thoughts.note("info depth 7 multipv 2 score cp -900 nodes 12 pv d3");
        thoughts.note("info string error score cp 5");
        thoughts.note("score cp 77");
        assert_eq!((thoughts.score, thoughts.depth), (Some(-1.5), Some(7)));
        assert_eq!(best_move("bestmove f5"), Some("f5"));
        assert_eq!(best_move(" bestmove d3 ponder c5"), Some("d3"));
        assert_eq!(best_move("bestmoves f5"), None);
    }
}
