//! The grammar of the server's messages. Lines that say nothing about a game are passed over; a game of which anything
//! is missing is [`ServiceMessage::Unreadable`], and its session asks for it again.

use nom::Parser;
use nom::branch::alt;
use nom::bytes::complete::tag;
use nom::character::complete::{char, one_of, u32};
use nom::combinator::{map, map_opt, opt, recognize, value, verify};
use nom::multi::{count, many1};
use nom::sequence::{delimited, preceded, terminated};

use super::kind;
use super::message::{
    GameId, GameState, MatchNews, MatchRequest, Message, Seat, ServiceMessage, StoredMatch,
};
use crate::formats::ggf::{self, Annotation, GameClock};
use crate::rules::{Color, Move, Position};
use crate::text::TextError;
use crate::text::words::{
    Parsed, blank, blanks, decimal_prefix, end, expect, finish, keyword, whole, word,
};

/// Rows and columns.
const SIDE: usize = 8;

/// Adjourned matches that the server keeps of a player.
const MAX_STORED: usize = 64;

/// Reads a message: its line, and those behind it without their `|`.
///
/// # Errors
/// If the service says something that has no form known here.
pub fn parse(head: &str, body: &[String]) -> Result<Message, TextError> {
    let head = head.trim_end();
    match head.split_once(' ') {
        Some(("/os:", text)) => finish(head, service(text, body)).map(Message::Service),
        Some((":", text)) => Ok(Message::Central(text.trim_start().to_owned())),
        _ => {
            let lines = std::iter::once(head).chain(body.iter().map(String::as_str));
            Ok(Message::Tell(lines.collect::<Vec<_>>().join(" / ")))
        }
    }
}

fn service<'a>(input: &'a str, body: &[String]) -> Parsed<'a, ServiceMessage> {
    let (arguments, name) = preceded(blanks, word).parse(input)?;
    match name {
        "+" => expect("expected a request, a match or a player", added).parse(arguments),
        "-" => expect("expected a request, a match or a player", removed).parse(arguments),
        "join" | "update" => state(arguments, name == "join", body),
        "end" => game_ends(arguments),
        "timeout" | "fatal-timeout" => {
            map((game_id, word), |(id, name_of)| ServiceMessage::Timeout {
                id,
                name: name_of.to_owned(),
                is_fatal: name == "fatal-timeout",
            })
            .parse(arguments)
        }
        "trust-violation" => map((game_id, word), |(id, name)| {
            ServiceMessage::TrustViolation(id, name.to_owned())
        })
        .parse(arguments),
        "error" => map((game_id, text), |(id, reason)| {
            ServiceMessage::GameError(id, reason)
        })
        .parse(arguments),
        "ERR" => map(text, ServiceMessage::Error).parse(arguments),
        "stored" => {
            let stored = body.iter().filter_map(|line| whole(line, stored));
            let stored = stored.take(MAX_STORED).collect();
            Ok(("", ServiceMessage::Stored(stored)))
        }
        _ => map(text, ServiceMessage::Other).parse(input),
    }
}

/// All that is left.
fn text(input: &str) -> Parsed<'_, String> {
    Ok(("", input.trim().to_owned()))
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

fn owned(input: &str) -> Parsed<'_, String> {
    map(word, str::to_owned).parse(input)
}

fn added(input: &str) -> Parsed<'_, ServiceMessage> {
    alt((
        map(
            preceded(keyword("match"), match_news),
            ServiceMessage::Begins,
        ),
        map(request, ServiceMessage::Request),
        map(
            terminated(owned, (tag("stored"), blanks, end)),
            ServiceMessage::Arrived,
        ),
        map(
            verify(text, |text: &String| !text.starts_with('.')),
            ServiceMessage::Other,
        ),
    ))
    .parse(input)
}

fn removed(input: &str) -> Parsed<'_, ServiceMessage> {
    alt((
        map(preceded(keyword("match"), match_news), ServiceMessage::Ends),
        map(terminated(number, text), ServiceMessage::RequestGone),
        map(text, ServiceMessage::Other),
    ))
    .parse(input)
}

fn match_news(input: &str) -> Parsed<'_, MatchNews> {
    let parts = (number, word, owned, word, owned, owned, flag, text);
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

fn flag(input: &str) -> Parsed<'_, char> {
    terminated(one_of("RUTS"), alt((blank, end))).parse(input)
}

fn request(input: &str) -> Parsed<'_, MatchRequest> {
    let clock = || map(word, kind::clock);
    let parts = (
        number,
        word,
        owned,
        clock(),
        owned,
        flag,
        word,
        owned,
        opt(clock()),
        text,
    );
    map(
        parts,
        |(id, _, asker, clock, kind, flag, _, asked, asked_clock, _)| MatchRequest {
            id,
            asker,
            clock,
            kind,
            flag,
            asked,
            asked_clock: asked_clock.flatten(),
        },
    )
    .parse(input)
}

/// `.9.0 ( lynx vs. kitty ) +12.00`
fn game_ends(input: &str) -> Parsed<'_, ServiceMessage> {
    let names = delimited(
        (char('('), blanks),
        (owned, keyword("vs."), word),
        (char(')'), blanks),
    );
    map((game_id, names, text), |(id, (first, _, _), end)| {
        ServiceMessage::GameEnds(id, first, score(&end))
    })
    .parse(input)
}

/// The score at the start of how a match or a game ended.
pub(super) fn score(end: &str) -> Option<f64> {
    let first = end.split(' ').next()?;
    whole(first, decimal_prefix).filter(|score| score.abs() <= 192.0)
}

/// `.42590   23 Feb 2001 23:17:39 a patzer   s8r16:l`
fn stored(input: &str) -> Parsed<'_, StoredMatch> {
    let kind = map(word, |word: &str| {
        word.split(':').next().unwrap_or("").to_owned()
    });
    let parts = (
        preceded(blanks, number),
        count(word, 4),
        owned,
        owned,
        kind,
        text,
    );
    map(parts, |(id, _, first, second, kind, _)| StoredMatch {
        id,
        names: [first, second],
        kind,
    })
    .parse(input)
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

fn state<'a>(input: &'a str, is_join: bool, body: &[String]) -> Parsed<'a, ServiceMessage> {
    let (rest, id) = expect("expected a game such as .9.0", game_id)(input)?;
    let kind = word(rest).map_or("", |(_, kind)| kind);
    let state = game_state(id, is_join, kind, body);
    let unreadable = ServiceMessage::Unreadable(id);
    Ok((
        "",
        state.map_or(unreadable, |state| ServiceMessage::State(Box::new(state))),
    ))
}

/// `None` if something is missing.
fn game_state(id: GameId, is_join: bool, kind: &str, body: &[String]) -> Option<GameState> {
    let (mut moves, mut seats, mut boards, mut rows) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut said = None;
    for line in body
        .iter()
        .filter_map(|line| whole(line.trim_end(), body_line))
    {
        match line {
            BodyLine::Moves(count) => said = Some(count),
            BodyLine::Move(mv, note) => moves.push((mv, note)),
            BodyLine::Seat(seat) => seats.push(seat),
            BodyLine::Row(cells) => rows.push(cells),
            BodyLine::Side(side) => boards.push(board(&std::mem::take(&mut rows), side)?),
        }
    }
    let are_whole = rows.is_empty() && seats.len() == 2 * boards.len();
    let expected = if is_join { said? } else { 1 };
    let expected_boards = if is_join && expected > 0 { 2 } else { 1 };
    let is_complete = moves.len() == expected && boards.len() == expected_boards;
    let first_clocks = seats.iter().take(2).map(|seat: &Seat| seat.clock).collect();
    let (second, first) = (seats.pop()?, seats.pop()?);
    let are_opposite = first.color.map(Color::opponent) == second.color;
    (are_whole && is_complete && are_opposite).then_some(GameState {
        id,
        is_join,
        kind: kind.to_owned(),
        start: *boards.first()?,
        moves,
        first_clocks,
        seats: [first, second],
        position: *boards.last()?,
    })
}

/// `None` if it is not 8 x 8.
fn board(rows: &[String], side: Color) -> Option<Position> {
    let is_square = rows.len() == SIDE && rows.iter().all(|row| row.len() == SIDE);
    let text = format!("{} {}", rows.concat(), side.letter());
    is_square.then(|| text.parse().ok())?
}

fn body_line(input: &str) -> Parsed<'_, BodyLine> {
    let moves = terminated(preceded(blanks, u32), (blanks, tag("move(s)")));
    alt((
        map(moves, |count| BodyLine::Moves(count as usize)),
        map(a_move, |(mv, note)| BodyLine::Move(mv, note)),
        map(seat, BodyLine::Seat),
        map(row, BodyLine::Row),
        map(terminated(color, (blanks, tag("to move"))), BodyLine::Side),
    ))
    .parse(input)
}

/// ` 12: h3/-8.00/1.60`; number 0 is no move.
fn a_move(input: &str) -> Parsed<'_, (Move, Annotation)> {
    let (rest, number) = delimited(blanks, u32, (char(':'), blanks)).parse(input)?;
    let a_move = map_opt(word, |text: &str| ggf::parse_move(text).ok());
    verify(a_move, |_| number > 0).parse(rest)
}

/// `alice    (1720.0 *) 00:59,0:0//02:00,0:0`
fn seat(input: &str) -> Parsed<'_, Seat> {
    let color = alt((map(color, Some), value(None, char('?'))));
    let rating = delimited((char('('), blanks), decimal_prefix, blank);
    let clock = map_opt(word, kind::clock);
    let parts = (
        owned,
        rating,
        terminated(color, (blanks, char(')'), blanks)),
        clock,
    );
    map(
        parts,
        |(name, rating, color, clock): (String, f64, Option<Color>, GameClock)| Seat {
            name,
            rating,
            color,
            clock,
        },
    )
    .parse(input)
}

/// ` 1 - - * O - - - - 1`
fn row(input: &str) -> Parsed<'_, String> {
    let cell = || preceded(blanks, one_of("-*O"));
    let cells = recognize(many1(cell()));
    let row = delimited((blanks, u32), cells, (blanks, u32, blanks));
    map(row, |cells: &str| cells.split_whitespace().collect()).parse(input)
}

fn color(input: &str) -> Parsed<'_, Color> {
    alt((
        value(Color::Black, char('*')),
        value(Color::White, char('O')),
    ))
    .parse(input)
}
