//! The answers of the native protocol, as text.

use std::fmt;
use std::time::Duration;

use super::VERSION;
use super::grammar::MAX_HASH;
use crate::engine::Level;
use crate::engine::bench::Total;
use crate::rules::{Board, Color, Move, Position};
use crate::score::{GameValue, Score};
use crate::search::{Bound, Info, Outcome, Proof, SearchOptions, Selectivity};
use crate::text::{Line, TextError};
use crate::tier;

/// Bytes of the line that an error quotes at most.
const MAX_QUOTE: usize = 80;

/// Bytes of a long line that are quoted before the error.
const LEAD: usize = 30;

/// The answer of `help`.
pub(super) const HELP: &str = "\
uci | ugi                        name and options, then uciok or ugiok
isready                          readyok, also while searching
ucinewgame | uginewgame          forget the last game
setoption name NAME value VALUE  Threads, Hash, MultiPV, Ponder, EvalFile, Selectivity, Level
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

/// The answer of `uci` and `ugi`, without the last line.
pub(super) fn identification() -> String {
    let SearchOptions { threads, hash_mb } = SearchOptions::default();
    let levels: String = Selectivity::ALL
        .iter()
        .map(|level| format!(" var {}", level.percent()))
        .collect();
    let version = env!("CARGO_PKG_VERSION");
    let tier = tier::NAME;
    format!(
        "id name Emilia {version}\n\
         id author the Emilia authors\n\
         id tier {tier}\n\
         option name Threads type spin default {threads} min 1 max 256\n\
         option name Hash type spin default {hash_mb} min 1 max {MAX_HASH}\n\
         option name MultiPV type spin default 1 min 1 max 64\n\
         option name Ponder type check default false\n\
         option name EvalFile type string default <empty>\n\
         option name Selectivity type combo default 73{levels}\n\
         option name Level type spin default 0 min 0 max {}\n\
         info string protocol {VERSION}",
        Level::COUNT
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

/// `perft 6 nodes 8200 time 1`
pub(super) fn perft(depth: u32, nodes: Option<u64>, time: Duration) -> String {
    let time = time.as_millis();
    nodes.map_or_else(
        || "info string perft stopped".to_owned(),
        |nodes| format!("perft {depth} nodes {nodes} time {time}"),
    )
}

/// `signature N, N nodes/s`
pub(super) fn bench(total: Option<Total>) -> String {
    total.map_or_else(
        || "info string bench stopped".to_owned(),
        |total| total.to_string(),
    )
}

/// `info string game over, black wins 40-24`: the empties count for the winner.
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

/// `p1win`, `p2win`, `draw`, or `none` if the game is not over.
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

/// `info string error column N: REASON in "QUOTE"`
pub(super) fn error(line: &Line, error: &TextError) -> String {
    format!(
        "info string error {error} in \"{}\"",
        quote(line.bytes(), error.column)
    )
}

/// At most [`MAX_QUOTE`] bytes that show `line` around `column`, all printable.
fn quote(line: &[u8], column: usize) -> String {
    let (text, is_whole) = printable(line);
    if is_whole {
        return text;
    }
    let mut start = column.saturating_sub(1 + LEAD).min(line.len());
    // Not in the middle of a character.
    while start > 0 && line.get(start).is_some_and(|byte| byte & 0xc0 == 0x80) {
        start -= 1;
    }
    printable(&line[start..]).0
}

/// `bytes` as printable text, as far as [`MAX_QUOTE`] allows, and whether that is all:
/// what cannot be printed becomes `\x00`.
fn printable(bytes: &[u8]) -> (String, bool) {
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        let letters = chunk.valid().chars().map(|letter| match letter {
            '"' | '\\' => format!("\\{letter}"),
            letter if letter.is_control() => numbers(letter.encode_utf8(&mut [0; 4]).as_bytes()),
            letter => letter.to_string(),
        });
        let others = chunk.invalid().iter().map(|&byte| numbers(&[byte]));
        for piece in letters.chain(others) {
            if text.len() + piece.len() > MAX_QUOTE {
                return (text, false);
            }
            text.push_str(&piece);
        }
    }
    (text, true)
}

fn numbers(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("\\x{byte:02x}")).collect()
}
