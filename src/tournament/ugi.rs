//! The tournament as a UGI or UCI host.

use std::time::{Duration, Instant};

use nom::Parser;
use nom::bytes::complete::{tag, take_till1};
use nom::character::complete::{i64, space1};
use nom::sequence::preceded;

use super::process::Process;
use super::{Action, Budget, Choice, Fault, PassStyle, Player, Protocol, Settings, Turn};
use crate::rules::{Game, Move, Position};

/// An engine that speaks UGI or UCI.
pub(super) struct Ugi {
    process: Process,
    protocol: Protocol,
    passes: PassStyle,
    patience: Duration,
}

impl Ugi {
    /// Starts the engine and sets its options. `patience` is the longest time without
    /// an answer, beside the time for thinking.
    pub(super) fn start(
        protocol: Protocol,
        command: &[String],
        settings: &Settings,
        patience: Duration,
    ) -> Result<Ugi, Fault> {
        let mut engine = Ugi {
            process: Process::start(command, settings.dir.as_deref())?,
            protocol,
            passes: settings.passes,
            patience,
        };
        let (greeting, answer) = match protocol {
            Protocol::Uci => ("uci", "uciok"),
            _ => ("ugi", "ugiok"),
        };
        engine.ask(greeting, answer)?;
        for line in &settings.init {
            engine.process.send(line)?;
        }
        for (name, value) in &settings.options {
            let line = format!("setoption name {name} value {value}");
            engine.process.send(&line)?;
        }
        Ok(engine)
    }

    /// Sends a line, and waits for the answer, a line of its own.
    fn ask(&mut self, line: &str, answer: &str) -> Result<(), Fault> {
        let deadline = self.process.send(line)? + self.patience;
        self.process
            .wait_for(deadline, |text| (text.trim() == answer).then_some(()))
            .map(|_| ())
    }
}

impl Player for Ugi {
    fn new_game(&mut self) -> Result<(), Fault> {
        self.process.send(match self.protocol {
            Protocol::Uci => "ucinewgame",
            _ => "uginewgame",
        })?;
        self.ask("isready", "readyok")
    }

    fn choose(&mut self, turn: &Turn<'_>) -> Result<Choice, Fault> {
        self.process.send(&position_line(turn.game, self.passes))?;
        self.ask("isready", "readyok")?;
        let started = self.process.send(&go_line(turn, self.protocol))?;
        let allowed = turn.clock().allowed().unwrap_or_default();
        let deadline: Instant = started + allowed + self.patience;
        let mut told = Told::default();
        let (word, at) = self.process.wait_for(deadline, |line| {
            told.note(line);
            best_move(line)
        })?;
        let mv = word
            .parse()
            .map_err(|_| Fault::Garbage(format!("bestmove {word}")))?;
        Ok(Choice {
            action: Action::Play(mv),
            time: at.saturating_duration_since(started),
            score: told.score,
            depth: told.depth,
        })
    }
}

/// What the engine tells about its first line of play while it thinks.
#[derive(Default)]
struct Told {
    score: Option<f64>,
    depth: Option<u32>,
}

impl Told {
    fn note(&mut self, line: &str) {
        let mut words = line.split_whitespace();
        if words.next() != Some("info") {
            return;
        }
        let value_after = |key: &str| {
            let mut words = line.split_whitespace().skip_while(|&word| word != key);
            words.nth(1)
        };
        let is_other_line = value_after("multipv").is_some_and(|rank| rank != "1");
        if is_other_line || line.contains("info string") {
            return;
        }
        let cp = line.find(" score cp ").map(|at| &line[at..]);
        if let Some(Ok((_, hundredths))) = cp.map(score_cp) {
            self.score = Some(hundredths as f64 / 100.0);
            self.depth = value_after("depth").and_then(|depth| depth.parse().ok());
        }
    }
}

fn score_cp(input: &str) -> nom::IResult<&str, i64> {
    preceded(tag(" score cp "), i64).parse(input)
}

/// The move of a `bestmove` line, with whatever follows it.
fn best_move(line: &str) -> Option<String> {
    let word = take_till1(char::is_whitespace);
    let mut parser = preceded(
        (tag::<_, _, nom::error::Error<&str>>("bestmove"), space1),
        word,
    );
    let (_, word) = parser.parse(line.trim_start()).ok()?;
    Some(word.to_owned())
}

/// The `position` line of a game.
fn position_line(game: &Game, passes: PassStyle) -> String {
    let mut line = if game.start() == Position::START {
        "position startpos".to_owned()
    } else {
        format!("position fen {}", game.start())
    };
    let sent = |mv: &&Move| **mv != Move::Pass || passes == PassStyle::Explicit;
    let moves: Vec<String> = game
        .moves()
        .iter()
        .filter(sent)
        .map(Move::to_string)
        .collect();
    if !moves.is_empty() {
        line.push_str(&format!(" moves {}", moves.join(" ")));
    }
    line
}

/// The `go` line of a turn. UCI's white is the first player, here black.
fn go_line(turn: &Turn<'_>, protocol: Protocol) -> String {
    match turn.clock().budget() {
        Budget::Depth(depth) => format!("go depth {depth}"),
        Budget::Nodes(nodes) => format!("go nodes {nodes}"),
        Budget::MoveTime(time) => format!("go movetime {}", time.as_millis()),
        Budget::Clock { .. } => {
            let (first, second) = match protocol {
                Protocol::Uci => ("w", "b"),
                _ => ("p1", "p2"),
            };
            let increment = |budget| match budget {
                Budget::Clock { increment, .. } => increment.as_millis(),
                _ => 0,
            };
            format!(
                "go {first}time {} {second}time {} {first}inc {} {second}inc {}",
                turn.black.remaining().as_millis(),
                turn.white.remaining().as_millis(),
                increment(turn.black.budget()),
                increment(turn.white.budget()),
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::Clock;

    fn game(moves: &str) -> Game {
        let transcript: crate::formats::transcript::Transcript = moves.parse().expect(moves);
        transcript.game
    }

    fn turn<'a>(game: &'a Game, budget: &str) -> Turn<'a> {
        let clock = Clock::new(budget.parse().expect(budget));
        Turn {
            game,
            records: &[],
            black: clock,
            white: clock,
        }
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
        let line = |budget, protocol| go_line(&turn(&game, budget), protocol);
        assert_eq!(line("depth=8", Protocol::Ugi), "go depth 8");
        assert_eq!(line("nodes=1000", Protocol::Uci), "go nodes 1000");
        assert_eq!(line("st=0.25", Protocol::Ugi), "go movetime 250");
        assert_eq!(
            line("tc=60+0.5", Protocol::Ugi),
            "go p1time 60000 p2time 60000 p1inc 500 p2inc 500"
        );
        assert_eq!(
            line("tc=60", Protocol::Uci),
            "go wtime 60000 btime 60000 winc 0 binc 0"
        );
    }

    #[test]
    fn the_answer_and_what_came_before_it_are_read() {
        let mut told = Told::default();
        told.note("info depth 7 seldepth 9 multipv 1 score cp -150 nodes 12 pv f5");
        told.note("info depth 7 multipv 2 score cp -900 nodes 12 pv d3");
        told.note("info string error score cp 5");
        told.note("score cp 77");
        assert_eq!((told.score, told.depth), (Some(-1.5), Some(7)));
        assert_eq!(best_move("bestmove f5"), Some("f5".to_owned()));
        assert_eq!(best_move(" bestmove d3 ponder c5"), Some("d3".to_owned()));
        assert_eq!(best_move("bestmoves f5"), None);
    }
}
