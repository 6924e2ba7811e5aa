//! The commands of the native protocol.

use std::time::Duration;

use crate::engine::Level;
use crate::human::Rating;
use crate::rules::{Color, Game, Move};
use crate::search::{Goal, Selectivity};
use crate::text::values::BookStyle;

/// One line of the host.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NativeCommand {
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
    /// Play as a level does; `None`: as strongly as possible.
    Level(Option<Level>),
    /// Play as people of a rating do; `None`: as strongly as possible.
    Rating(Option<Rating>),
    /// The rating of `LimitStrength`.
    Elo(Rating),
    /// Play as people of the rating of `Elo` do; `false` ends that.
    LimitStrength(bool),
    /// Whether `info` says who wins, as `wdl`, where that is proven.
    ShowWdl(bool),
    /// Forget the results of earlier searches.
    ClearHash,
    /// The least selective level of a search for a move.
    Selectivity(Selectivity),
    /// The file of an opening book to play from; `None`: play from none.
    Book(Option<String>),
    /// Hundredths of a disc that moves of the book may cost in a game, on average.
    BookVariety(u32),
    /// Which moves of the book are drawn.
    BookStyle(BookStyle),
    /// What moves of the book are drawn from; 0: another one each time.
    BookSeed(u64),
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
    pub fn clock(&self, side: Color) -> Clock {
        side.pick(self.first, self.second)
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
