//! The answers of the native protocol, as text.

use std::fmt;

use super::VERSION;
use super::grammar::MAX_HASH;
use crate::rules::{Board, Color, Move, Position};
use crate::score::Score;
use crate::search::{Bound, GameValue, Info, Outcome, Proof, SearchOptions, Selectivity};

/// What `help` answers.
pub(super) const HELP: &str = "\
uci | ugi                        name and options, then uciok or ugiok
isready                          readyok, also while searching
ucinewgame | uginewgame          forget the last game
setoption name NAME value VALUE  Threads, Hash, MultiPV, Ponder, EvalFile, Selectivity
position startpos [moves f5 ..]  the game so far; passes may be left out
position board CELLS SIDE [..]   64 cells of X O - from a1 to h8, then X or O to move
go [LIMIT ..]                    depth N, movetime MS, nodes N, wtime MS, btime MS, winc MS, binc MS,
                                 movestogo N, exact, wld, multipv N, searchmoves f5 .., infinite, ponder
stop | ponderhit                 answer now | the expected move was played
query gameover | result | p1turn
d | moves | eval                 the board | the legal moves | the static evaluation
perft N                          lines of N plies
bench                            the signature and the speed
quit                             end at once";

/// What `uci` and `ugi` answer, but for the last line.
pub(super) fn identification() -> String {
    let SearchOptions { threads, hash_mb } = SearchOptions::default();
    let levels: String = Selectivity::ALL
        .iter()
        .map(|level| format!(" var {}", level.percent()))
        .collect();
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "id name Emilia {version}\n\
         id author the Emilia authors\n\
         option name Threads type spin default {threads} min 1 max 256\n\
         option name Hash type spin default {hash_mb} min 1 max {MAX_HASH}\n\
         option name MultiPV type spin default 1 min 1 max 64\n\
         option name Ponder type check default false\n\
         option name EvalFile type string default <empty>\n\
         option name Selectivity type combo default 73{levels}\n\
         info string protocol {VERSION}"
    )
}

/// An `info` line.
pub(super) struct InfoLine<'a>(pub &'a Info);

impl fmt::Display for InfoLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let info = self.0;
        write!(f, "info depth {}", info.depth)?;
        if info.selectivity != Selectivity::Full {
            write!(f, " selectivity {}", info.selectivity)?;
        }
        write!(f, " multipv {} score {}", info.multipv, ScoreWords(info))?;
        let seconds = info.time.as_secs_f64().max(1e-6);
        let speed = (info.nodes as f64 / seconds) as u64;
        let time = info.time.as_millis();
        let Info {
            nodes, hashfull, ..
        } = info;
        write!(
            f,
            " nodes {nodes} nps {speed} hashfull {hashfull} time {time}"
        )?;
        if !info.pv.is_empty() {
            f.write_str(" pv")?;
        }
        info.pv.iter().try_for_each(|mv| write!(f, " {mv}"))
    }
}

/// `cp N [lowerbound | upperbound] [exact D | wld win | draw | loss]`
struct ScoreWords<'a>(&'a Info);

impl fmt::Display for ScoreWords<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.proof {
            Proof::Exact(discs) => write!(f, "cp {} exact {discs}", 100 * discs),
            Proof::Wld(GameValue::Win) => f.write_str("cp 200 lowerbound wld win"),
            Proof::Wld(GameValue::Draw) => f.write_str("cp 0 wld draw"),
            Proof::Wld(GameValue::Loss) => f.write_str("cp -200 upperbound wld loss"),
            Proof::None => {
                write!(f, "cp {}", self.0.score.centidiscs())?;
                f.write_str(match self.0.bound {
                    Bound::Exact => "",
                    Bound::Lower => " lowerbound",
                    Bound::Upper => " upperbound",
                })
            }
        }
    }
}

/// Does `bestmove` name the move to ponder on? Only where the option is on: some hosts
/// refuse a line of more than two words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PonderWords {
    Shown,
    Hidden,
}

/// `bestmove f5`, `bestmove f5 ponder d6`, `bestmove pass` or `bestmove none`.
pub(super) fn best_move(outcome: &Outcome, words: PonderWords) -> String {
    let best = outcome
        .best
        .map_or_else(|| "none".to_owned(), |mv| mv.to_string());
    match outcome.ponder {
        Some(reply) if words == PonderWords::Shown => format!("bestmove {best} ponder {reply}"),
        _ => format!("bestmove {best}"),
    }
}

/// `info string game over, black wins 40-24`: the empties are the winner's.
pub(super) fn game_over(result_for_black: i32) -> String {
    let winner = match result_for_black {
        0 => return "info string game over, draw 32-32".to_owned(),
        1.. => Color::Black,
        ..0 => Color::White,
    };
    let discs = (64 + result_for_black.abs()) / 2;
    format!(
        "info string game over, {winner} wins {discs}-{}",
        64 - discs
    )
}

/// `p1win`, `p2win`, `draw`, or `none` while the game goes on.
pub(super) const fn query_result(result_for_black: Option<i32>) -> &'static str {
    match result_for_black {
        None => "none",
        Some(0) => "draw",
        Some(1..) => "p1win",
        Some(..0) => "p2win",
    }
}

/// `moves d3 c4 f5 e6`, `moves pass` or `moves none`.
pub(super) fn legal_moves(board: Board) -> String {
    let squares = board.legal_moves().map(Move::Place);
    let pass = board.must_pass().then_some(Move::Pass);
    let moves: Vec<String> = squares.chain(pass).map(|mv| mv.to_string()).collect();
    if moves.is_empty() {
        "moves none".to_owned()
    } else {
        format!("moves {}", moves.join(" "))
    }
}

/// `eval cp -25`, or `eval cp 1600 exact 16` where the game is over.
pub(super) fn evaluation(position: Position, score: Score) -> String {
    if position.board.is_over() {
        let discs = position.board.final_score();
        return format!("eval cp {} exact {discs}", 100 * discs);
    }
    format!("eval cp {}", score.centidiscs())
}
