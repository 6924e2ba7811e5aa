//! `emilia book show`.

use std::fmt::Write;
use std::io::Cursor;

use anyhow::anyhow;
use clap::Args;
use serde_json::{Value, json};

use super::BookFile;
use crate::book::{Book, GameCounts, PositionStudy};
use crate::commands::Exit;
use crate::formats::games::{LineGrouping, Names, Source};
use crate::formats::line::side_hint;
use crate::formats::opening_names;
use crate::rules::{Color, Game, Move, Position};

/// The arguments of `emilia book show`.
#[derive(Args, Debug)]
pub(super) struct Show {
    #[command(flatten)]
    file: BookFile,
    /// Moves from the start, such as f5d6c3, or a position [default: the start position]
    #[arg(value_name = "MOVES | POSITION")]
    position: Vec<String>,
    /// The side to move on a board that does not say it
    #[arg(long, value_name = "COLOR")]
    side: Option<Color>,
    /// As a line of JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Show) -> anyhow::Result<Exit> {
    let game = game(&arguments.position.join(" "), arguments.side)?;
    let book = arguments.file.open()?;
    let position = game.position();
    let name = opening_names::of_game(&game);
    let Some(study) = PositionStudy::of(&book, position.board)? else {
        let path = book.path().display();
        let known = json!({ "position": position.to_string(), "opening": name, "found": false });
        let text = format!(
            "{}{path} does not have this position\n",
            heading(position, name)
        );
        super::print(arguments.json, &known, &text)?;
        return Ok(Exit::FAILURE);
    };
    let (value, text) = described(&book, &study)?;
    let mut object = json!({ "position": position.to_string(), "opening": name, "found": true });
    merge(&mut object, value);
    super::print(
        arguments.json,
        &object,
        &format!("{}{text}", heading(position, name)),
    )?;
    Ok(Exit::SUCCESS)
}

fn merge(object: &mut Value, more: Value) {
    if let (Some(object), Value::Object(more)) = (object.as_object_mut(), more) {
        object.extend(more);
    }
}

fn heading(position: Position, name: Option<&str>) -> String {
    let name = name.map(|name| format!("{name}\n")).unwrap_or_default();
    format!("{}\n{name}", position.diagram())
}

fn game(text: &str, side: Option<Color>) -> anyhow::Result<Game> {
    if text.trim().is_empty() {
        return Ok(Game::new(Position::START));
    }
    let source = Source::whole(Cursor::new(text.to_owned()))?.with_side(side);
    let mut games = source.games(LineGrouping::MayContinue, Names::default());
    let found = games.next();
    let found = found.ok_or_else(|| anyhow!("expected moves or a position"))?;
    let game = found.game.map_err(|error| {
        let hint = side_hint(&error.to_string());
        anyhow!("cannot read {text:?}: {error}{hint}")
    });
    Ok(game?.game)
}

/// The position and its moves, for programs and for people.
fn described(book: &Book, study: &PositionStudy) -> anyhow::Result<(Value, String)> {
    let entry = &study.entry;
    let mut text = format!("score {} {}", entry.score, entry.certainty);
    let games = entry.counts;
    if games.games() > 0 {
        let _ = write!(
            text,
            ", {} games: {} won, {} drawn, {} lost",
            games.games(),
            games.wins,
            games.draws,
            games.losses
        );
    }
    text.push_str("\n\nmove    score  certainty    depth         won-drawn-lost  line\n");
    let mut moves = Vec::new();
    for reply in &study.replies {
        let line = study.line(book, reply.square)?;
        let line: String = line.into_iter().map(Move::name).collect();
        let place = if reply.is_link { "book" } else { "leaf" };
        let depth = reply
            .depth
            .map_or_else(|| "-".to_owned(), |depth| depth.to_string());
        let GameCounts {
            wins,
            draws,
            losses,
            lines,
        } = reply.counts;
        let games = format!("{wins}-{draws}-{losses}");
        let _ = writeln!(
            text,
            "{:4}  {:>7}  {:11}  {depth:>5}  {place}  {games:>15}  {line}",
            reply.square.name(),
            reply.score.to_string(),
            reply.certainty
        );
        moves.push(json!({
            "move": reply.square.name(), "score": reply.score.to_f64(), "certainty": reply.certainty.to_string(),
            "depth": reply.depth, "book": reply.is_link, "wins": wins, "draws": draws, "losses": losses,
            "lines": lines, "line": line,
        }));
    }
    let value = json!({
        "score": entry.score.to_f64(), "certainty": entry.certainty.to_string(), "moves": moves,
        "wins": games.wins, "draws": games.draws, "losses": games.losses, "lines": games.lines,
    });
    Ok((value, text))
}
