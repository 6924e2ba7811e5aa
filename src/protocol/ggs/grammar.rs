//! The grammar of the server's messages. What has no form known here is
//! [`Message::Other`]; a game of which anything is missing is [`Message::Unreadable`], and its session asks for it again.

use std::mem;

use nom::Parser;
use nom::branch::alt;
use nom::bytes::complete::{is_not, tag};
use nom::character::complete::{char, one_of, u32};
use nom::combinator::{map, map_opt, opt, recognize, value, verify};
use nom::multi::{count, many1};
use nom::sequence::{delimited, preceded, terminated};

use super::kind::clock;
use super::message::{GameId, GameState, MatchNews, MatchRequest, Message};
use crate::formats::ggf::{Annotation, GgfGame, GgfPlayer, date_of_now, parse_move};
use crate::rules::{Color, Game, Move, Position};
use crate::text::words::{Parsed, blank, blanks, decimal_prefix, end, keyword, whole, word};

/// Rows and columns.
const SIDE: usize = 8;

/// Reads a message: its line, and those behind it without their `|`.
pub fn parse(head: &str, body: &[String]) -> Message {
    let other = || Message::Other([&[head.to_owned()], body].concat().join(" / "));
    whole(head, |input| message(input, body)).unwrap_or_else(other)
}

fn message<'a>(input: &'a str, body: &[String]) -> Parsed<'a, Message> {
    let sign = terminated(one_of("+-"), blank);
    let comes = (keyword(":"), sign, keyword("/os"));
    let known = alt((
        preceded(keyword("/os:"), |input| service(input, body)),
        map(comes, |(_, sign, _)| Message::Service(sign == '+')),
    ));
    terminated(known, rest).parse(input)
}

fn service<'a>(input: &'a str, body: &[String]) -> Parsed<'a, Message> {
    let state = |name, is_join| {
        let parts = (preceded(keyword(name), game_id), opt(word));
        map(parts, move |(id, kind)| {
            let state = game_state(id, is_join, kind.unwrap_or(""), body);
            let state = state.map(|state| Message::State(Box::new(state)));
            state.unwrap_or(Message::Unreadable(id))
        })
    };
    let time = |name: &'static str| {
        let parts = (preceded(keyword(name), game_id), owned);
        map(parts, move |(id, who)| {
            Message::Time(id, name.to_owned(), who)
        })
    };
    let error = preceded(keyword("error"), (game_id, rest));
    let rows = || body.iter().filter_map(|row| whole(row, archived)).collect();
    alt((
        preceded(keyword("+"), added),
        preceded(keyword("-"), removed),
        state("join", true),
        state("update", false),
        preceded(keyword("end"), game_ends),
        time("timeout"),
        time("fatal-timeout"),
        time("trust-violation"),
        map(error, |(id, reason)| Message::GameError(id, reason)),
        map(keyword("stored"), |_| Message::Stored(rows())),
    ))
    .parse(input)
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

fn added(input: &str) -> Parsed<'_, Message> {
    alt((
        map(preceded(keyword("match"), match_news), Message::Begins),
        map(request, Message::Request),
        map((word, tag("stored")), |_| Message::Arrived),
    ))
    .parse(input)
}

fn removed(input: &str) -> Parsed<'_, Message> {
    alt((
        map(preceded(keyword("match"), match_news), Message::Ends),
        map(number, Message::RequestGone),
    ))
    .parse(input)
}

fn flag(input: &str) -> Parsed<'_, char> {
    terminated(one_of("RUTS"), alt((blank, end))).parse(input)
}

fn match_news(input: &str) -> Parsed<'_, MatchNews> {
    let parts = (number, word, owned, word, owned, owned, flag, rest);
    map(parts, |(id, _, first, _, second, kind, flag, end)| {
        let names = [first, second];
        MatchNews {
            id,
            names,
            kind,
            flag,
            end,
        }
    })
    .parse(input)
}

/// `.42590   23 Feb 2001 23:17:39 alice patzer   s8r16:l`
fn archived(input: &str) -> Parsed<'_, MatchNews> {
    let date = count(word, 4);
    let parts = (number, date, owned, owned, is_not(": \t"), rest);
    map(parts, |(id, _, first, second, kind, _)| MatchNews {
        id,
        names: [first, second],
        kind: kind.to_owned(),
        flag: 'S',
        end: String::new(),
    })
    .parse(input)
}

fn request(input: &str) -> Parsed<'_, MatchRequest> {
    let clock = || map_opt(word, clock);
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
fn game_ends(input: &str) -> Parsed<'_, Message> {
    let names = delimited(keyword("("), owned, (keyword("vs."), word, keyword(")")));
    let parts = (game_id, names, rest);
    map(parts, |(id, first, end)| {
        Message::GameEnds(id, first, score(&end))
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
    /// A player, and its colour if that is given.
    Player(Option<Color>, Box<GgfPlayer>),
    /// The cells of a row, of 8 columns or not.
    Row(String),
    Side(Color),
}

/// `None` if something is missing.
fn game_state(id: GameId, is_join: bool, kind: &str, body: &[String]) -> Option<GameState> {
    let (mut moves, mut players) = (Vec::new(), Vec::new());
    let (mut boards, mut rows) = (Vec::new(), Vec::new());
    let mut expected = (!is_join).then_some(1);
    let lines = body.iter().map(|line| line.trim_end());
    for line in lines.filter_map(|line| whole(line, body_line)) {
        match line {
            BodyLine::Moves(count) => expected = Some(count),
            BodyLine::Move(mv, note) => moves.push((mv, note)),
            BodyLine::Player(color, player) => players.push((color, *player)),
            BodyLine::Row(cells) => rows.push(cells),
            BodyLine::Side(side) => boards.push(board(&mem::take(&mut rows), side)?),
        }
    }
    // A join with moves has a board before and a board behind them; the last one is the position now.
    let all_boards = if is_join && !moves.is_empty() { 2 } else { 1 };
    let is_whole = rows.is_empty() && expected == Some(moves.len());
    if !is_whole || boards.len() != all_boards || players.len() != 2 * all_boards {
        return None;
    }
    let (color, second) = players.pop()?;
    let (other, first) = players.pop()?;
    let (black, white) = match (other, color) {
        (Some(Color::Black), Some(Color::White)) | (None, None) => (first, second),
        (Some(Color::White), Some(Color::Black)) => (second, first),
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
        record: with_moves(record, if is_join { &moves } else { &[] }, position),
        last: last.filter(|_| !is_join),
        awaits_bids: color.is_none(),
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
        player,
        map(row, BodyLine::Row),
        map(terminated(color, tag(" to move")), BodyLine::Side),
    ))
    .parse(input)
}

/// ` 12: h3/-8.00/1.60`; number 0 is no move.
fn a_move(input: &str) -> Parsed<'_, (Move, Annotation)> {
    let number = verify(u32, |&number| number > 0);
    let a_move = map_opt(word, |text: &str| parse_move(text).ok());
    preceded((blanks, number, char(':'), blanks), a_move).parse(input)
}

/// `alice    (1720.0 *) 00:59,0:0//02:00,0:0`
fn player(input: &str) -> Parsed<'_, BodyLine> {
    let color = alt((map(color, Some), value(None, char('?'))));
    let rating = map(terminated(decimal_prefix, blank), Some);
    let inside = delimited(char('('), (rating, color), (char(')'), blanks));
    let clock = map(map_opt(word, clock), Some);
    map((owned, inside, clock), |(name, (rating, color), clock)| {
        let player = GgfPlayer {
            name,
            rating,
            clock,
        };
        BodyLine::Player(color, Box::new(player))
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
