//! The grammar of the server's messages. Lines that say nothing about a game are passed over; a game of which anything
//! is missing is [`ServiceMessage::Unreadable`], and its session asks for it again.

use std::mem;

use nom::Parser;
use nom::branch::alt;
use nom::bytes::complete::tag;
use nom::character::complete::{char, one_of, u32};
use nom::combinator::{map, map_opt, opt, recognize, value, verify};
use nom::multi::many1;
use nom::sequence::{delimited, preceded, terminated};

use super::kind;
use super::message::{GameId, GameState, MatchNews, MatchRequest, Message, Seat, ServiceMessage};
use crate::formats::ggf::{self, Annotation};
use crate::rules::{Color, Move, Position};
use crate::text::TextError;
use crate::text::words::{
    Parsed, blank, blanks, decimal_prefix, end, finish, keyword, whole, word,
};

/// Rows and columns.
const SIDE: usize = 8;

/// Reads a message: its line, and those behind it without their `|`.
///
/// # Errors
/// If the service says something that has no form known here.
pub fn parse(head: &str, body: &[String]) -> Result<Message, TextError> {
    match head.split_once(' ') {
        Some(("/os:", text)) => finish(head, service(text.trim(), body)).map(Message::Service),
        Some((":", text)) => Ok(Message::Central(text.trim().to_owned())),
        _ => Ok(Message::Tell(
            [&[head.to_owned()], body].concat().join(" / "),
        )),
    }
}

fn service<'a>(input: &'a str, body: &[String]) -> Parsed<'a, ServiceMessage> {
    let time = |name| {
        let parts = (preceded(keyword(name), game_id), owned);
        map(parts, move |(id, who)| ServiceMessage::Time(id, name, who))
    };
    let error = preceded(keyword("error"), (game_id, rest));
    let known = alt((
        preceded(keyword("+"), added),
        preceded(keyword("-"), removed),
        map(preceded(keyword("join"), (game_id, word)), |(id, kind)| {
            state(id, true, kind, body)
        }),
        map(
            preceded(keyword("update"), (game_id, word)),
            |(id, kind)| state(id, false, kind, body),
        ),
        preceded(keyword("end"), game_ends),
        time("timeout"),
        time("fatal-timeout"),
        time("trust-violation"),
        map(error, |(id, reason)| ServiceMessage::GameError(id, reason)),
    ));
    let other = map(rest, ServiceMessage::Other);
    alt((terminated(known, rest), other)).parse(input)
}

/// All that is left.
fn rest(input: &str) -> Parsed<'_, String> {
    Ok(("", input.to_owned()))
}

fn owned(input: &str) -> Parsed<'_, String> {
    map(word, str::to_owned).parse(input)
}

/// `.9` or `.9.0`, and the blanks behind it.
fn game_id(input: &str) -> Parsed<'_, GameId> {
    let part = || preceded(char('.'), u32);
    let id = map((part(), opt(part())), |(number, game)| GameId {
        number,
        game,
    });
    terminated(id, alt((blank, end))).parse(input)
}

/// `.8`, and the blanks behind it.
fn number(input: &str) -> Parsed<'_, u32> {
    map_opt(game_id, |id| id.game.is_none().then_some(id.number)).parse(input)
}

fn added(input: &str) -> Parsed<'_, ServiceMessage> {
    let arrived = terminated(owned, (tag("stored"), end));
    alt((
        map(
            preceded(keyword("match"), match_news),
            ServiceMessage::Begins,
        ),
        map(request, ServiceMessage::Request),
        map(arrived, ServiceMessage::Arrived),
    ))
    .parse(input)
}

fn removed(input: &str) -> Parsed<'_, ServiceMessage> {
    alt((
        map(preceded(keyword("match"), match_news), ServiceMessage::Ends),
        map(number, ServiceMessage::RequestGone),
    ))
    .parse(input)
}

fn flag(input: &str) -> Parsed<'_, char> {
    terminated(one_of("RUTS"), alt((blank, end))).parse(input)
}

fn match_news(input: &str) -> Parsed<'_, MatchNews> {
    let parts = (number, word, owned, word, owned, owned, flag, rest);
    map(parts, |(id, _, first, _, second, kind, flag, end)| {
        MatchNews {
            id,
            names: [first, second],
            kind,
            flag,
            end,
        }
    })
    .parse(input)
}

fn request(input: &str) -> Parsed<'_, MatchRequest> {
    let clock = || map_opt(word, kind::clock);
    let asks = (word, owned, clock(), owned, flag);
    let parts = (number, asks, word, owned, opt(clock()));
    map(
        parts,
        |(id, (_, asker, clock, kind, flag), _, asked, asked_clock)| MatchRequest {
            id,
            asker,
            clock,
            kind,
            flag,
            asked,
            asked_clock,
        },
    )
    .parse(input)
}

/// `.9.0 ( lynx vs. kitty ) +12.00`
fn game_ends(input: &str) -> Parsed<'_, ServiceMessage> {
    let names = delimited(keyword("("), owned, (keyword("vs."), word, keyword(")")));
    let parts = (game_id, names, rest);
    map(parts, |(id, first, end)| {
        ServiceMessage::GameEnds(id, first, score(&end))
    })
    .parse(input)
}

/// The score at the start of how a match or a game ended.
pub(super) fn score(end: &str) -> Option<f64> {
    whole(end.split(' ').next()?, decimal_prefix)
}

/// A line of a game.
enum BodyLine {
    Moves(usize),
    Move(Move, Annotation),
    Seat(Seat),
    /// The cells of a row, of 8 columns or not.
    Row(String),
    Side(Color),
}

fn state(id: GameId, is_join: bool, kind: &str, body: &[String]) -> ServiceMessage {
    match game_state(id, is_join, kind, body) {
        Some(state) => ServiceMessage::State(Box::new(state)),
        None => ServiceMessage::Unreadable(id),
    }
}

/// `None` if something is missing.
fn game_state(id: GameId, is_join: bool, kind: &str, body: &[String]) -> Option<GameState> {
    let (mut moves, mut seats) = (Vec::new(), Vec::new());
    let (mut boards, mut rows) = (Vec::new(), Vec::new());
    let mut expected = (!is_join).then_some(1);
    for line in body
        .iter()
        .filter_map(|line| whole(line.trim_end(), body_line))
    {
        match line {
            BodyLine::Moves(count) => expected = Some(count),
            BodyLine::Move(mv, note) => moves.push((mv, note)),
            BodyLine::Seat(seat) => seats.push(seat),
            BodyLine::Row(cells) => rows.push(cells),
            BodyLine::Side(side) => boards.push(board(&mem::take(&mut rows), side)?),
        }
    }
    // A join with moves has a board before and a board behind them.
    let all_boards = if is_join && !moves.is_empty() { 2 } else { 1 };
    let is_whole = rows.is_empty() && expected == Some(moves.len());
    if !is_whole || boards.len() != all_boards || seats.len() != 2 * all_boards {
        return None;
    }
    let seats = [seats.swap_remove(seats.len() - 2), seats.pop()?];
    let [first, second] = &seats;
    (first.color.map(Color::opponent) == second.color).then_some(GameState {
        id,
        is_join,
        kind: kind.to_owned(),
        start: boards[0],
        moves,
        position: boards.pop()?,
        seats,
    })
}

/// `None` if it is not 8 x 8.
fn board(rows: &[String], side: Color) -> Option<Position> {
    let is_square = rows.len() == SIDE && rows.iter().all(|row| row.len() == SIDE);
    let text = format!("{} {}", rows.concat(), side.letter());
    is_square.then(|| text.parse().ok())?
}

fn body_line(input: &str) -> Parsed<'_, BodyLine> {
    let moves = delimited(blanks, u32, (blanks, tag("move(s)")));
    alt((
        map(moves, |count| BodyLine::Moves(count as usize)),
        map(a_move, |(mv, note)| BodyLine::Move(mv, note)),
        map(seat, BodyLine::Seat),
        map(row, BodyLine::Row),
        map(terminated(color, tag(" to move")), BodyLine::Side),
    ))
    .parse(input)
}

/// ` 12: h3/-8.00/1.60`; number 0 is no move.
fn a_move(input: &str) -> Parsed<'_, (Move, Annotation)> {
    let number = verify(u32, |&number| number > 0);
    let a_move = map_opt(word, |text: &str| ggf::parse_move(text).ok());
    preceded((blanks, number, char(':'), blanks), a_move).parse(input)
}

/// `alice    (1720.0 *) 00:59,0:0//02:00,0:0`
fn seat(input: &str) -> Parsed<'_, Seat> {
    let color = alt((map(color, Some), value(None, char('?'))));
    let rating = terminated(decimal_prefix, blank);
    let inside = delimited(char('('), (rating, color), (char(')'), blanks));
    let parts = (owned, inside, map_opt(word, kind::clock));
    map(parts, |(name, (rating, color), clock)| Seat {
        name,
        rating,
        color,
        clock,
    })
    .parse(input)
}

/// ` 1 - - * O - - - - 1`
fn row(input: &str) -> Parsed<'_, String> {
    let cells = recognize(many1(preceded(blanks, one_of("-*O"))));
    let row = delimited((blanks, u32), cells, (blanks, u32));
    map(row, |cells: &str| cells.split_whitespace().collect()).parse(input)
}

fn color(input: &str) -> Parsed<'_, Color> {
    let black = value(Color::Black, char('*'));
    alt((black, value(Color::White, char('O')))).parse(input)
}
