//! The answers of the native protocol, as text.

use std::time::Duration;

use super::VERSION;
use super::grammar::MAX_HASH;
use crate::engine::Level;
use crate::engine::bench::BenchTotal;
use crate::human::{MoveShare, Rating};
use crate::rules::{Board, Color, Move, Position};
use crate::score::{GameValue, Score};
use crate::search::{Bound, Info, Proof, SearchOptions, Selectivity};
use crate::text::{Line, TextError};
use crate::tier;

/// Bytes of the line that an error quotes at most.
const MAX_QUOTE: usize = 80;

/// Bytes of a long line that are quoted before the error.
const LEAD: usize = 30;

pub(super) const HELP: &str = "\
uci | ugi                        name and options, then uciok or ugiok
isready                          readyok, also while searching
ucinewgame | uginewgame          forget the last game
setoption name NAME value VALUE  Threads, Hash, MultiPV, Ponder, EvalFile, Selectivity, Level,
                                 Rating, Book, BookVariety, BookStyle, BookSeed
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

/// The largest seed of a book: hosts may read a spin as 32 bits.
const MAX_SEED: u32 = i32::MAX as u32;

/// The rating of `UCI_Elo` at the start: an average tournament player.
pub(super) const UCI_ELO: u16 = 1500;

/// How the list of options ends for hosts of UCI.
pub(super) const LAST_UCI_OPTIONS: &str =
    "BookStyle, BookSeed, UCI_LimitStrength, UCI_Elo, UCI_ShowWDL or Clear Hash";

/// The options that hosts of UCI alone know.
pub(super) fn uci_options() -> String {
    format!(
        "option name UCI_LimitStrength type check default false\n\
         option name UCI_Elo type spin default {UCI_ELO} min 1 max {}\n\
         option name UCI_ShowWDL type check default false\n\
         option name Clear Hash type button\n",
        Rating::MAX_ELO
    )
}

/// The answer of `uci` and `ugi`, without the last line; `options` are more lines of it.
pub(super) fn identification(options: &str) -> String {
    let SearchOptions { threads, hash_mb } = SearchOptions::default();
    let levels = Selectivity::ALL.iter();
    let levels: String = levels
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
         option name Rating type spin default 0 min 0 max {}\n\
         option name Book type string default none\n\
         option name BookVariety type string default 0\n\
         option name BookStyle type combo default wide var best var people var wide\n\
         option name BookSeed type spin default 0 min 0 max {MAX_SEED}\n\
         {options}info string protocol {VERSION}",
        Level::COUNT,
        Rating::MAX_ELO
    )
}

/// An `info` line, with the share of its move, if there is one, and with `wdl`, if that is asked for and proven.
pub(super) fn info(info: &Info, shares: &[MoveShare], shows_wdl: bool) -> String {
    let selectivity = match info.selectivity {
        Selectivity::Full => String::new(),
        level => format!(" selectivity {level}"),
    };
    let speed = (info.nodes as f64 / info.time.as_secs_f64().max(1e-6)) as u64;
    let moves: String = info.pv.iter().map(|mv| format!(" {mv}")).collect();
    let (depth, line, score) = (info.depth, info.multipv, score(info));
    let (nodes, full, time) = (info.nodes, info.hashfull, info.time.as_millis());
    let square = info.pv.first().and_then(|mv| mv.square());
    let share = square.and_then(|square| MoveShare::of(square, shares));
    let share = share.map_or_else(String::new, |share| format!(" share {share:.3}"));
    let pv = if moves.is_empty() { "" } else { " pv" };
    let value = info.proof.bounds().value().filter(|_| shows_wdl);
    let wdl = value.map_or("", wdl);
    format!(
        "info depth {depth}{selectivity} multipv {line} score {score}{wdl} \
         nodes {nodes} nps {speed} hashfull {full} time {time}{share}{pv}{moves}"
    )
}

/// `cp N [lowerbound | upperbound] [exact D | wld win | draw | loss]`
fn score(info: &Info) -> String {
    match (info.proof, info.bound) {
        (Proof::Exact(discs), _) => format!("cp {} exact {discs}", 100 * discs),
        (Proof::Wld(GameValue::Win), _) => "cp 200 lowerbound wld win".to_owned(),
        (Proof::Wld(GameValue::Draw), _) => "cp 0 wld draw".to_owned(),
        (Proof::Wld(GameValue::Loss), _) => "cp -200 upperbound wld loss".to_owned(),
        (Proof::None, Bound::Exact) => format!("cp {}", info.score.centidiscs()),
        (Proof::None, Bound::Lower) => format!("cp {} lowerbound", info.score.centidiscs()),
        (Proof::None, Bound::Upper) => format!("cp {} upperbound", info.score.centidiscs()),
    }
}

/// Thousandths of wins, draws and losses.
const fn wdl(value: GameValue) -> &'static str {
    match value {
        GameValue::Win => " wdl 1000 0 0",
        GameValue::Draw => " wdl 0 1000 0",
        GameValue::Loss => " wdl 0 0 1000",
    }
}

/// `bestmove f5`, `bestmove f5 ponder d6`, `bestmove pass` or `bestmove none`.
pub(super) fn best_move(best: Option<Move>, ponder: Option<Move>) -> String {
    let best = best.map_or("none", Move::name);
    let ponder = ponder.map(|reply| format!(" ponder {reply}"));
    format!("bestmove {best}{}", ponder.unwrap_or_default())
}

/// `perft 6 nodes 8200 time 1`
pub(super) fn perft(depth: u32, nodes: Option<u64>, time: Duration) -> String {
    let counted = nodes.map(|n| format!("perft {depth} nodes {n} time {}", time.as_millis()));
    counted.unwrap_or_else(|| "info string perft stopped".to_owned())
}

/// `signature N, N nodes/s`
pub(super) fn bench(total: Option<BenchTotal>) -> String {
    let total = total.map(|total| total.to_string());
    total.unwrap_or_else(|| "info string bench stopped".to_owned())
}

/// `info string game over, black wins 40-24`: the empties count for the winner.
pub(super) fn game_over(result_for_black: i32) -> String {
    let winner = match result_for_black {
        0 => return "info string game over, draw 32-32".to_owned(),
        1.. => Color::Black,
        ..0 => Color::White,
    };
    let discs = (64 + result_for_black.abs()) / 2;
    let others = 64 - discs;
    format!("info string game over, {winner} wins {discs}-{others}")
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
    let moves: Vec<&str> = board.moves().map(Move::name).collect();
    match moves.is_empty() {
        true => "moves none".to_owned(),
        false => format!("moves {}", moves.join(" ")),
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
    let quote = quote(line.bytes(), error.column);
    format!("info string error {error} in \"{quote}\"")
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
