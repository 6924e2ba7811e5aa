//! The commands of the native protocol, and their text.

use std::fmt;
use std::time::Duration;

use crate::rules::{Color, Game, Move, Position};
use crate::search::{Goal, Selectivity};

/// One line of the host. What is printed reads back as the same command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// `uci`: name and options, then `uciok`.
    Uci,
    /// `ugi`: name and options, then `ugiok`.
    Ugi,
    /// `isready`: `readyok`, at once.
    IsReady,
    /// `ucinewgame`, `uginewgame`: forget the last game.
    NewGame,
    /// `setoption name .. value ..`
    SetOption(Setting),
    /// `position ..`: the game so far.
    Position(Game),
    /// `go ..`: search.
    Go(Go),
    /// `stop`: answer now.
    Stop,
    /// `ponderhit`: the expected move was played.
    PonderHit,
    /// `quit`: end at once.
    Quit,
    /// `query ..`: a question of a UGI host.
    Query(Query),
    /// `d`: draw the board.
    Draw,
    /// `moves`: list the legal moves.
    Moves,
    /// `eval`: the static evaluation.
    Eval,
    /// `perft N`: count lines of N plies.
    Perft(u32),
    /// `bench`: the signature.
    Bench,
    /// `help`: list the commands.
    Help,
}

/// An option and its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Setting {
    /// Threads that search, at least 1.
    Threads(usize),
    /// Megabytes of the transposition table, at least 1.
    Hash(usize),
    /// Best moves to report, at least 1.
    MultiPv(usize),
    /// Whether `bestmove` names the move to ponder on.
    Ponder(bool),
    /// A weight file; `None` for the built-in weights.
    EvalFile(Option<String>),
    /// The least selective level of a search for a move.
    Selectivity(Selectivity),
}

/// The questions of UGI hosts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Query {
    /// Can neither side move?
    GameOver,
    /// Who won?
    Result,
    /// Is it the first player's turn?
    P1Turn,
}

/// The limits of a search, as the host gave them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Go {
    /// `exact` or `wld`; `Play` if neither.
    pub goal: Goal,
    /// `depth`: plies.
    pub depth: Option<u32>,
    /// `movetime`: time for this move.
    pub movetime: Option<Duration>,
    /// `nodes`.
    pub nodes: Option<u64>,
    /// `infinite`: until `stop`.
    pub infinite: bool,
    /// `ponder`: on the opponent's time, until `ponderhit` or `stop`.
    pub ponder: bool,
    /// `wtime`, `winc`, `p1time`, `p1inc`: the clock of the first player, black.
    pub first: Clock,
    /// `btime`, `binc`, `p2time`, `p2inc`: the clock of the second player, white.
    pub second: Clock,
    /// `movestogo`: own moves until more time is given.
    pub moves_to_go: Option<u32>,
    /// `multipv`: best moves to report, instead of the option.
    pub multipv: Option<usize>,
    /// `searchmoves`: only these.
    pub search_moves: Option<Vec<Move>>,
}

/// One side's clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Clock {
    /// Time left.
    pub time: Option<Duration>,
    /// Added after each move.
    pub increment: Option<Duration>,
}

impl Go {
    /// The clock of the side to move.
    pub const fn clock(&self, side: Color) -> Clock {
        match side {
            Color::Black => self.first,
            Color::White => self.second,
        }
    }

    /// Was a clock given, of either side?
    pub fn has_clock(&self) -> bool {
        self.first != Clock::default() || self.second != Clock::default()
    }

    /// Does nothing but `stop` end this search?
    pub fn is_endless(&self) -> bool {
        let bounded = self.goal != Goal::Play
            || self.depth.is_some()
            || self.movetime.is_some()
            || self.nodes.is_some()
            || self.has_clock();
        self.infinite || !bounded
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Command::Uci => f.write_str("uci"),
            Command::Ugi => f.write_str("ugi"),
            Command::IsReady => f.write_str("isready"),
            Command::NewGame => f.write_str("ucinewgame"),
            Command::SetOption(setting) => write!(f, "setoption {setting}"),
            Command::Position(game) => write_position(f, game),
            Command::Go(go) => write!(f, "go{go}"),
            Command::Stop => f.write_str("stop"),
            Command::PonderHit => f.write_str("ponderhit"),
            Command::Quit => f.write_str("quit"),
            Command::Query(query) => write!(f, "query {query}"),
            Command::Draw => f.write_str("d"),
            Command::Moves => f.write_str("moves"),
            Command::Eval => f.write_str("eval"),
            Command::Perft(depth) => write!(f, "perft {depth}"),
            Command::Bench => f.write_str("bench"),
            Command::Help => f.write_str("help"),
        }
    }
}

fn write_position(f: &mut fmt::Formatter<'_>, game: &Game) -> fmt::Result {
    if game.start() == Position::START {
        f.write_str("position startpos")?;
    } else {
        write!(f, "position board {}", game.start())?;
    }
    write_moves(f, "moves", game.moves())
}

/// ` word f5 d6`, or nothing where there are no moves.
fn write_moves(f: &mut fmt::Formatter<'_>, word: &str, moves: &[Move]) -> fmt::Result {
    if !moves.is_empty() {
        write!(f, " {word}")?;
    }
    moves.iter().try_for_each(|mv| write!(f, " {mv}"))
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Setting::Threads(threads) => write!(f, "name Threads value {threads}"),
            Setting::Hash(megabytes) => write!(f, "name Hash value {megabytes}"),
            Setting::MultiPv(lines) => write!(f, "name MultiPV value {lines}"),
            Setting::Ponder(on) => write!(f, "name Ponder value {on}"),
            Setting::EvalFile(path) => {
                let path = path.as_deref().unwrap_or("<empty>");
                write!(f, "name EvalFile value {path}")
            }
            Setting::Selectivity(level) => {
                write!(f, "name Selectivity value {}", level.percent())
            }
        }
    }
}

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Query::GameOver => "gameover",
            Query::Result => "result",
            Query::P1Turn => "p1turn",
        })
    }
}

/// Each limit with a blank before it.
impl fmt::Display for Go {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.goal {
            // No word of the protocol asks about a claim.
            Goal::Play | Goal::Claim(_) => {}
            Goal::Exact => f.write_str(" exact")?,
            Goal::Wld => f.write_str(" wld")?,
        }
        if self.infinite {
            f.write_str(" infinite")?;
        }
        if self.ponder {
            f.write_str(" ponder")?;
        }
        let milliseconds = |time: Option<Duration>| time.map(|time| time.as_millis());
        let numbers = [
            ("depth", self.depth.map(u128::from)),
            ("movetime", milliseconds(self.movetime)),
            ("nodes", self.nodes.map(u128::from)),
            ("wtime", milliseconds(self.first.time)),
            ("btime", milliseconds(self.second.time)),
            ("winc", milliseconds(self.first.increment)),
            ("binc", milliseconds(self.second.increment)),
            ("movestogo", self.moves_to_go.map(u128::from)),
            ("multipv", self.multipv.map(|lines| lines as u128)),
        ];
        for (word, number) in numbers {
            if let Some(number) = number {
                write!(f, " {word} {number}")?;
            }
        }
        write_moves(
            f,
            "searchmoves",
            self.search_moves.as_deref().unwrap_or(&[]),
        )
    }
}
