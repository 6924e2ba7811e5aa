//! JSON with moves: games of Othello Quest, of `emilia match --save`, and others like them.
//!
//! An object with a list or a text of moves is a game, wherever it stands. Names, date and result are
//! looked for in it and in the objects around it.

use std::mem;

use serde_json::{Map, Value};

use super::BadGame;
use super::facts;
use super::ggf::{GameResult, GgfGame};
use super::transcript::parse_pasted;
use crate::rules::{Color, Game, Move, Position, Square};
use crate::text::TextError;

/// Names of the moves of a game, the likeliest first.
const MOVES: [&str; 9] = [
    "moves",
    "moveList",
    "move_list",
    "movelist",
    "transcript",
    "kifu",
    "record",
    "history",
    "game",
];

/// Names of the square in a move that is an object.
const SQUARES: [&str; 9] = [
    "move", "m", "square", "sq", "pos", "position", "coord", "played", "name",
];

const ENDS: [&str; 6] = ["resign", "resigned", "timeout", "time", "abort", "end"];

/// What is known of a game beside its moves.
#[derive(Clone, Default)]
struct GameFacts {
    known: GgfGame,
    start: Option<Result<Position, String>>,
    /// Why it is no game of Othello.
    other: Option<String>,
}

/// What Python prints for lists, tuples and dictionaries, as JSON.
pub(super) fn of_python(bytes: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.replace('\'', "\"").replace("None", "null");
    let text = text.replace('(', "[").replace(')', "]");
    text.replace("True", "true")
        .replace("False", "false")
        .into_bytes()
}

pub(super) fn games(value: &Value) -> Vec<Result<GgfGame, BadGame>> {
    let mut games = Vec::new();
    // The moves alone.
    if holds_moves(value) && value != &Value::Array(Vec::new()) {
        games.push(game(value, &GameFacts::default()));
    } else {
        collect(value, &GameFacts::default(), &mut games);
    }
    games
}

fn collect(value: &Value, around: &GameFacts, games: &mut Vec<Result<GgfGame, BadGame>>) {
    match value {
        Value::Array(entries) => {
            for entry in entries {
                collect(entry, around, games);
            }
        }
        Value::Object(fields) => {
            let mut facts = around.with(fields);
            let mut named = MOVES.iter().filter_map(|name| fields.get(*name));
            if let Some(moves) = named.find(|moves| holds_moves(moves)) {
                // A board beside them is one of the game, or the game begins there.
                let shows = |given: &Position| {
                    let read = game(moves, &facts);
                    read.is_ok_and(|read| read.game.positions().any(|one| one == *given))
                };
                let given = board(fields).filter(|given| !shows(given));
                facts.start = facts.start.or(given.map(Ok));
                return games.push(game(moves, &facts));
            }
            if let Some(start) = board(fields) {
                let game = facts.known.clone().with_moves_of(Game::new(start));
                return games.push(Ok(game));
            }
            for field in fields.values() {
                collect(field, &facts, games);
            }
        }
        _ => {}
    }
}

/// A board alone, as `solve --json` and `puzzles show --json` print it; the side may stand beside it.
fn board(fields: &Map<String, Value>) -> Option<Position> {
    let cells = first_of(fields, &["board", "position"])?.as_str()?;
    let side = first_of(fields, &["turn", "side"]).and_then(Value::as_str);
    let with_side = side.and_then(|side| format!("{cells} {side}").parse().ok());
    cells.parse().ok().or(with_side)
}

/// May this be the moves of a game? What is wrong with them is said later.
fn holds_moves(value: &Value) -> bool {
    match value {
        Value::Array(entries) => entries.iter().all(is_move),
        Value::String(_) => true,
        _ => false,
    }
}

fn is_move(value: &Value) -> bool {
    match value {
        Value::String(text) => text.len() <= 12,
        Value::Number(_) | Value::Null => true,
        Value::Object(fields) => square_of(fields).is_some() && board(fields).is_none(),
        Value::Array(_) | Value::Bool(_) => false,
    }
}

fn square_of(fields: &Map<String, Value>) -> Option<&Value> {
    let found = first_of(fields, &SQUARES);
    found.filter(|value| matches!(value, Value::String(_) | Value::Number(_) | Value::Null))
}

fn first_of<'a>(fields: &'a Map<String, Value>, names: &[&str]) -> Option<&'a Value> {
    names.iter().find_map(|name| fields.get(*name))
}

impl GameFacts {
    /// These, and what an object says.
    fn with(&self, fields: &Map<String, Value>) -> GameFacts {
        let mut facts = self.clone();
        for (key, value) in fields {
            facts.take(&key.to_ascii_lowercase().replace('_', ""), value);
        }
        if fields.contains_key("ending")
            && let Some(score) = fields.get("score")
        {
            facts.known.result = number(score).map(GameResult::over);
        }
        facts
    }

    fn take(&mut self, key: &str, value: &Value) {
        let text = text(value);
        let known = &mut self.known;
        let (black, white) = (&mut known.black.name, &mut known.white.name);
        match key {
            "black" | "blackname" | "blackplayer" => {
                *black = name(value).unwrap_or(mem::take(black))
            }
            "white" | "whitename" | "whiteplayer" => {
                *white = name(value).unwrap_or(mem::take(white))
            }
            "players" => {
                if let Some([first, second]) = value.as_array().map(Vec::as_slice) {
                    *black = name(first).unwrap_or_default();
                    *white = name(second).unwrap_or_default();
                }
            }
            "date" | "created" | "createdat" | "timestamp" | "year" if known.date.is_empty() => {
                known.date = facts::date(&text);
            }
            "tournament" | "event" | "site" => known.place = text,
            "result" => {
                known.result = match value {
                    Value::Number(_) => number(value).map(GameResult::over),
                    _ => facts::result(&text),
                };
            }
            "start" | "startposition" | "fen" if !text.is_empty() => {
                let wrong = |_| format!("the start position {text:?} cannot be read");
                self.start = Some(text.parse::<Position>().map_err(wrong));
            }
            "initialsetup" | "setup" => {
                let is_list = value.as_array().is_some_and(|entries| !entries.is_empty());
                if is_list || !text.is_empty() {
                    self.other = Some(format!("a start position in {key:?} is not read"));
                }
            }
            "gtype" | "gametype" | "variant" => {
                let kind = text.to_ascii_lowercase();
                let is_othello = kind.contains("reversi") || kind.contains("othello");
                if kind.contains("anti") || (key == "gtype" && !kind.is_empty() && !is_othello) {
                    self.other = Some(format!("a game of {text:?}, not of Othello"));
                }
            }
            "size" | "boardsize" if number(value).is_some_and(|size| size != 8.0) => {
                self.other = Some(format!("a board of size {text}, not 8"));
            }
            _ => {}
        }
    }
}

fn number(value: &Value) -> Option<f64> {
    value.as_f64().filter(|number| number.abs() <= 64.0)
}

/// A text or a number as text, else nothing.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    }
}

fn name(value: &Value) -> Option<String> {
    let found = match value {
        Value::Object(fields) => first_of(fields, &["name", "id", "user", "username"]),
        _ => Some(value),
    };
    found.map(text).filter(|name| !name.is_empty())
}

fn game(moves: &Value, facts: &GameFacts) -> Result<GgfGame, BadGame> {
    // Values of JSON have no place.
    let error = |reason: String| TextError::new(1, reason);
    let refuse = |reason: String| BadGame::from(error(reason));
    if let Some(other) = &facts.other {
        return Err(refuse(other.clone()));
    }
    let start = facts.start.clone().transpose().map_err(refuse)?;
    let start = start.unwrap_or(Position::START);
    let (played, wrong) = match moves {
        Value::Array(entries) => from_entries(entries, start),
        Value::String(text) if start == Position::START => {
            let bad = |error: TextError| {
                BadGame::of(error, text, |text| {
                    parse_pasted(text).map(GgfGame::anonymous)
                })
            };
            match parse_pasted(text).map_err(bad) {
                Ok(game) => (game, None),
                Err(bad) => {
                    let before = bad.before.unwrap_or_default();
                    (
                        before.game,
                        Some(format!(
                            "{}, at column {} of the moves",
                            bad.error.reason, bad.error.column
                        )),
                    )
                }
            }
        }
        _ => {
            let reason = "moves as text from another start position are not read";
            return Err(refuse(reason.to_owned()));
        }
    };
    let is_empty = played.moves().is_empty();
    let game = facts.known.clone().with_moves_of(played);
    match wrong {
        Some(reason) => Err(BadGame::after(game, error(reason))),
        None if is_empty => Err(refuse("there is no move".to_owned())),
        None => Ok(game),
    }
}

/// The moves up to the first that is wrong, and what is wrong with it.
type Played = (Game, Option<String>);

fn from_entries(entries: &[Value], start: Position) -> Played {
    let is_number = |entry: &&Value| match entry {
        Value::Object(fields) => square_of(fields).is_some_and(Value::is_number),
        entry => entry.is_number(),
    };
    if entries.iter().any(|entry| is_number(&entry)) {
        return from_numbers(entries, start);
    }
    play(start, entries, |value| {
        let text = text(value);
        match text.to_ascii_lowercase().as_str() {
            "" | "-" => Some(Some(Move::Pass)),
            word if ENDS.contains(&word) => Some(None),
            _ => text.parse().ok().map(Some),
        }
    })
}

/// Squares as numbers: a1 is 0, b1 is 1 and 64 a pass, as pgx and OpenSpiel have them, or a1 is 11 and b1 is 12, whichever is legal.
fn from_numbers(entries: &[Value], start: Position) -> Played {
    let coded = |decode: fn(u32) -> Option<Move>| {
        play(start, entries, |value| match value {
            Value::Null => Some(Some(Move::Pass)),
            Value::Number(number) if number.as_i64() == Some(-1) => Some(Some(Move::Pass)),
            value => decode(u32::try_from(value.as_u64()?).ok()?).map(Some),
        })
    };
    let from_zero = coded(|number| match number {
        64 => Some(Move::Pass),
        _ => Square::new(number).map(Move::Place),
    });
    let of_digits = coded(|number| Square::of_digits(number).map(Move::Place));
    match (from_zero, of_digits) {
        ((game, None), (_, None)) => {
            let reason = "the numbers are legal moves both with a1 as 0 and as 11";
            (Game::new(game.start()), Some(reason.to_owned()))
        }
        (found @ (_, None), _) | (_, found @ (_, None)) => found,
        ((game, one), (other, another)) => match game.moves().len() < other.moves().len() {
            true => (other, another),
            false => (game, one),
        },
    }
}

/// Plays the entries. `read` says what a square is: `Some(None)` ends the game.
fn play(
    start: Position,
    entries: &[Value],
    read: impl Fn(&Value) -> Option<Option<Move>>,
) -> Played {
    let mut game = Game::new(start);
    for (number, value) in (1..).zip(entries) {
        let square = match value {
            Value::Object(fields) => square_of(fields),
            value => Some(value),
        };
        let Some(mv) = square.and_then(&read) else {
            return (game, Some(format!("move {number} cannot be read: {value}")));
        };
        let Some(mv) = mv else {
            if number < entries.len() {
                return (
                    game,
                    Some(format!("there are moves after the end at move {number}")),
                );
            }
            break;
        };
        let position = game.position();
        if mv == Move::Pass && position.board.is_over() {
            continue;
        }
        let (mover, side) = (position.mover(mv), side_of(value));
        if side.is_some_and(|side| side != mover) || game.play(mv).is_err() {
            let side = side.unwrap_or(mover);
            return (
                game,
                Some(format!("illegal move {mv} of {side}, move {number}")),
            );
        }
    }
    (game, None)
}

fn side_of(entry: &Value) -> Option<Color> {
    let side = first_of(entry.as_object()?, &["side", "color", "colour"])?;
    match text(side).to_ascii_lowercase().as_str() {
        "x" | "b" | "black" => Some(Color::Black),
        "o" | "w" | "white" => Some(Color::White),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<Result<String, String>> {
        let value = serde_json::from_str(text).expect(text);
        let games = games(&value).into_iter();
        games
            .map(|game| match game {
                Ok(game) => Ok(game.game.transcript()),
                Err(bad) => Err(bad.error.reason),
            })
            .collect()
    }

    #[test]
    fn moves_are_found_where_they_stand() {
        for text in [
            r#"{"moves":"f5d6c3"}"#,
            r#"{"moves":["f5","D6","c3"]}"#,
            r#"["F5","d6","c3"]"#,
            r#"[{"moves":["f5","d6","c3","resign"]}]"#,
            r#"{"_id":"x","gtype":"reversi","position":{"size":8,"moves":[{"m":"f5","t":12},{"m":"d6","t":3},{"m":"c3"}]}}"#,
            r#"{"game":7,"start":"---------------------------OX------XO--------------------------- X","moves":[{"move":"f5"},{"move":"d6"},{"move":"c3"}],"score":0,"ending":"over"}"#,
            r#"{"moves":[37,43,18]}"#,
            r#"{"moves":[56,64,33]}"#,
            r#"{"moves":[{"side":"X","played":"f5"},{"side":"O","played":"d6"},{"side":"X","played":"c3"}]}"#,
        ] {
            assert_eq!(read(text), [Ok("f5d6c3".to_owned())], "{text}");
        }
        assert_eq!(read(r#"{"games":[{"moves":"f5"},{"kifu":"d3"}]}"#).len(), 2);
    }

    #[test]
    fn a_board_alone_is_a_game_without_moves() {
        let start = Position::START.to_string();
        let cells = &start[..64];
        for text in [
            format!(r#"{{"board":"{start}","kind":"win","line":["f5"]}}"#),
            format!(r#"[{{"position":"{start}","score":0}}]"#),
            format!(r#"{{"board":"{cells}","turn":"X"}}"#),
            format!(r#"{{"a":{{"board":"{cells}","side":"black"}}}}"#),
        ] {
            assert_eq!(read(&text), [Ok(String::new())], "{text}");
        }
        assert_eq!(read(&format!(r#"{{"board":"{cells}"}}"#)), []);
        // Beside moves it is where they begin, unless they lead there.
        let after = Position::START
            .play("f5".parse().expect("a move"))
            .expect("legal");
        let beside = |moves| read(&format!(r#"{{"board":"{after}","moves":{moves}}}"#));
        assert_eq!(beside(r#"["f5","d6"]"#), [Ok("f5d6".to_owned())]);
        assert_eq!(beside(r#"["f6","e6"]"#), [Ok("f6e6".to_owned())]);
        assert!(beside(r#""f6e6""#)[0].is_err());
    }

    #[test]
    fn a_pass_among_numbers_is_64() {
        // Both sides play their first square until one has to pass, and one move more.
        let mut game = Game::new(Position::START);
        while !game.position().board.must_pass() {
            let square = game.position().board.legal_moves().first();
            game.play(square.expect("a move").into()).expect("legal");
        }
        game.play(Move::Pass).expect("forced");
        let square = game.position().board.legal_moves().first();
        game.play(square.expect("a move").into()).expect("legal");
        let number = |mv: &Move| mv.square().map_or(64, Square::index).to_string();
        let numbers: Vec<String> = game.moves().iter().map(number).collect();
        let text = format!("{{\"moves\":[{}]}}", numbers.join(","));
        assert_eq!(read(&text), [Ok(game.transcript())], "{text}");
        assert!(read("[37,64,43]")[0].is_err(), "nobody has to pass");
    }

    #[test]
    fn names_stand_beside_or_above_the_moves() {
        let text = r#"{"players":[{"name":"anna","oldR":1700.5},{"name":"ben"}],"created":"2019-05-01T10:00:00Z","position":{"moves":[{"m":"f5"}]}}"#;
        let value = serde_json::from_str(text).expect(text);
        let game = games(&value).remove(0).expect("a game");
        assert_eq!(
            (game.black.name.as_str(), game.white.name.as_str()),
            ("anna", "ben")
        );
        assert_eq!(game.date, "2019-05-01T10:00:00Z");
    }

    #[test]
    fn what_is_no_game_of_othello_is_refused() {
        for text in [
            r#"{"moves":["f5","f5"]}"#,
            r#"{"moves":["f5","hello"]}"#,
            r#"{"moves":[]}"#,
            r#"{"moves":[{"side":"O","move":"f5"}]}"#,
            r#"{"gtype":"go9","position":{"moves":[{"m":"f5"}]}}"#,
            r#"{"position":{"size":10,"moves":[{"m":"f5"}]}}"#,
            r#"{"start":"what","moves":["f5"]}"#,
            r#"{"moves":["f5","resign","d6"]}"#,
            r#"{"moves":[99]}"#,
        ] {
            let games = read(text);
            assert!(games.len() == 1 && games[0].is_err(), "{text}: {games:?}");
        }
        assert_eq!(read(r#"{"a":[1,{"b":null}]}"#), []);
    }
}
