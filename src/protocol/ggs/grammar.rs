//! The grammar of the server's messages: words with blanks between them. What has no form known here is
//! [`Message::Other`]; a game of which anything is missing is [`Message::Unreadable`], and its session asks for it again.

use std::mem;

use super::kind::clock;
use super::message::{GameId, GameState, MatchNews, MatchRequest, Message};
use crate::formats::ggf::{Annotation, GgfGame, GgfPlayer, date_of_now, parse_move};
use crate::rules::{Game, Move, Position};

/// Rows and columns.
const SIDE: usize = 8;

/// Reads a message: its line, and those behind it without their `|`.
pub fn parse(head: &str, body: &[String]) -> Message {
    let words: Vec<&str> = head.split_whitespace().collect();
    let known = match words[..] {
        ["/os:", ref words @ ..] => service(words, body),
        [":", sign @ ("+" | "-"), "/os", ..] => Some(Message::Service(sign == "+")),
        _ => None,
    };
    let other = || Message::Other([&[head.to_owned()], body].concat().join(" / "));
    known.unwrap_or_else(other)
}

fn service(words: &[&str], body: &[String]) -> Option<Message> {
    Some(match *words {
        ["+", "match", ref news @ ..] => Message::Begins(match_news(news)?),
        ["-", "match", ref news @ ..] => Message::Ends(match_news(news)?),
        ["+", _, "stored"] => Message::Arrived,
        ["+", ref request @ ..] => Message::Request(match_request(request)?),
        ["-", id, ..] => Message::RequestGone(game_id(id)?.number),
        [word @ ("join" | "update"), id, ref kind @ ..] => {
            let (id, kind) = (game_id(id)?, kind.first().unwrap_or(&""));
            let state = game_state(id, word == "join", kind, body);
            state.map_or(Message::Unreadable(id), |state| {
                Message::State(Box::new(state))
            })
        }
        ["end", id, "(", first, "vs.", _, ")", ref end @ ..] => {
            Message::GameEnds(game_id(id)?, first.to_owned(), score(&end.join(" ")))
        }
        [
            what @ ("timeout" | "fatal-timeout" | "trust-violation"),
            id,
            who,
            ..,
        ] => Message::Time(game_id(id)?, what.to_owned(), who.to_owned()),
        ["error", id, ref reason @ ..] => Message::GameError(game_id(id)?, reason.join(" ")),
        ["stored", ..] => Message::Stored(body.iter().filter_map(|row| archived(row)).collect()),
        _ => return None,
    })
}

/// `.9` or `.9.0`
fn game_id(text: &str) -> Option<GameId> {
    let mut numbers = text
        .strip_prefix('.')?
        .split('.')
        .map(|part| part.parse().ok());
    let id = GameId {
        number: numbers.next()??,
        game: numbers.next().map_or(Some(None), |game| game.map(Some))?,
    };
    numbers.next().is_none().then_some(id)
}

fn flag(text: &str) -> Option<char> {
    text.parse().ok().filter(|flag| "RUTS".contains(*flag))
}

fn match_news(words: &[&str]) -> Option<MatchNews> {
    let [id, _, first, _, second, kind, letter, ref end @ ..] = *words else {
        return None;
    };
    Some(MatchNews {
        id: game_id(id)?.number,
        names: [first, second].map(str::to_owned),
        kind: kind.to_owned(),
        flag: flag(letter)?,
        end: end.join(" "),
    })
}

/// `.42590   23 Feb 2001 23:17:39 alice patzer   s8r16:l`
fn archived(row: &str) -> Option<MatchNews> {
    let words: Vec<&str> = row.split_whitespace().collect();
    let [id, .., first, second, kind] = words[..] else {
        return None;
    };
    let kind = kind.split(':').next()?;
    match_news(&[id, "", first, "", second, kind, "S"])
}

fn match_request(words: &[&str]) -> Option<MatchRequest> {
    let [id, _, asker, time, kind, letter, _, asked, ref rest @ ..] = *words else {
        return None;
    };
    Some(MatchRequest {
        id: game_id(id)?.number,
        asker: asker.to_owned(),
        clock: clock(time)?,
        kind: kind.to_owned(),
        flag: flag(letter)?,
        asked: asked.to_owned(),
        asked_clock: rest.first().and_then(|text| clock(text)),
    })
}

/// The score at the start of how a match or a game ended.
pub(super) fn score(end: &str) -> Option<f64> {
    let score = end.split(' ').next()?.parse().ok();
    score.filter(|score: &f64| score.is_finite())
}

/// `None` if something is missing.
fn game_state(id: GameId, is_join: bool, kind: &str, body: &[String]) -> Option<GameState> {
    let (mut moves, mut players) = (Vec::new(), Vec::new());
    let (mut boards, mut rows) = (Vec::new(), Vec::new());
    let mut expected = (!is_join).then_some(1);
    for line in body {
        let words = line.split(|c: char| c.is_whitespace() || "()".contains(c));
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        match words[..] {
            // `12 move(s)`
            [count, "move", "s"] => expected = count.parse().ok(),
            // Number 0 is no move.
            ["0:", ..] => {}
            [number, a_move] if number.ends_with(':') => moves.push(parse_move(a_move).ok()?),
            // `alice (1720.0 *) 00:59,0:0//02:00,0:0`
            [name, rating, letter @ ("*" | "O" | "?"), time] => {
                let (rating, clock) = (Some(score(rating)?), Some(clock(time)?));
                let name = name.to_owned();
                players.push((
                    letter,
                    GgfPlayer {
                        name,
                        rating,
                        clock,
                    },
                ));
            }
            [letter, "to", "move"] => boards.push(board(&mem::take(&mut rows), letter)?),
            // A row between its numbers, of 8 columns or not.
            [_, ref cells @ .., _] if is_row(cells) => rows.push(cells.concat()),
            _ => {}
        }
    }
    // A join with moves has a board before and a board behind them; the last one is the position now.
    let all_boards = if is_join && !moves.is_empty() { 2 } else { 1 };
    let is_whole = rows.is_empty() && expected == Some(moves.len());
    if !is_whole || boards.len() != all_boards || players.len() != 2 * all_boards {
        return None;
    }
    let (letter, second) = players.pop()?;
    let (other, first) = players.pop()?;
    let (black, white) = match [other, letter] {
        ["*", "O"] | ["?", "?"] => (first, second),
        ["O", "*"] => (second, first),
        _ => return None,
    };
    let record = GgfGame {
        place: "GGS/os".to_owned(),
        date: date_of_now(),
        kind: kind.to_owned(),
        black,
        white,
        ..GgfGame::new(Game::new(boards[0]))
    };
    let (position, last) = (boards.pop()?, moves.last().copied());
    Some(GameState {
        id,
        record: with_moves(
            record,
            &moves[..if is_join { moves.len() } else { 0 }],
            position,
        ),
        last: last.filter(|_| !is_join),
        awaits_bids: letter == "?",
    })
}

/// The game after these moves; of moves that do not lead to this position, the position alone.
pub(super) fn with_moves(
    before: GgfGame,
    moves: &[(Move, Annotation)],
    position: Position,
) -> GgfGame {
    let mut after = before.clone();
    // An illegal one leads elsewhere.
    let _ = moves
        .iter()
        .try_for_each(|&(mv, note)| after.play(mv, note));
    match after.game.position() == position {
        true => after,
        false => GgfGame {
            game: Game::new(position),
            notes: Vec::new(),
            ..before
        },
    }
}

fn is_row(cells: &[&str]) -> bool {
    !cells.is_empty() && cells.iter().all(|cell| ["-", "*", "O"].contains(cell))
}

/// `None` if it is not 8 x 8.
fn board(rows: &[String], letter: &str) -> Option<Position> {
    let is_square = rows.len() == SIDE && rows.iter().all(|row| row.len() == SIDE);
    let text = format!("{} {letter}", rows.concat());
    is_square.then(|| text.parse().ok())?
}
