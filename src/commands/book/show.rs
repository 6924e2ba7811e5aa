//! `emilia book show`.

use std::fmt::Write;

use anyhow::{anyhow, ensure};
use clap::Args;
use serde_json::{Value, json};

use super::{BookFile, after_pass, counted, game};
use crate::book::grade::{Grade, grade};
use crate::book::{AfterMove, Book, BookReply, GameCounts, PositionStudy, Tree};
use crate::commands::Exit;
use crate::formats::line::side_hint;
use crate::formats::opening_names;
use crate::human::{MoveShare, Rating, players_model};
use crate::rules::{Board, Color, Move, Position, Square};

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
    /// Rating of the people whose share of each move is shown
    #[arg(long, value_name = "ELO", default_value = "1500")]
    rating: Rating,
    /// Grade what follows each move, which reads the whole book
    #[arg(long)]
    grades: bool,
    /// As a line of JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Show) -> anyhow::Result<Exit> {
    let game = game(&arguments.position.join(" "), arguments.side);
    let game = game.map_err(|error| anyhow!("{error}{}", side_hint(&error.to_string())))?;
    let side = game.position().side;
    ensure!(
        arguments.side.is_none_or(|asked| asked == side),
        "{side} is to move there"
    );
    let book = arguments.file.open()?;
    let position = after_pass(game.position());
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
    let (value, text) = described(arguments, &book, &study)?;
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

/// The position and its moves, for programs and for people.
fn described(
    arguments: &Show,
    book: &Book,
    study: &PositionStudy,
) -> anyhow::Result<(Value, String)> {
    let entry = &study.entry;
    let mut text = format!("score {} {}", entry.score, entry.certainty);
    if !study.is_searched() {
        text += ", its other moves are not searched";
    }
    let games = entry.counts;
    if games.games() > 0 {
        let _ = write!(
            text,
            ", {}: {} won, {} drawn, {} lost",
            counted(games.games() as usize, "game"),
            games.wins,
            games.draws,
            games.losses
        );
    }
    let _ = write!(
        text,
        "\n\nmove    score  certainty    depth         won-drawn-lost  people {} line\n",
        if arguments.grades { " grade " } else { "" }
    );
    let shares = players_model()?.probabilities(study.board, arguments.rating, None);
    let tree = arguments.grades.then(|| Tree::load(book)).transpose()?;
    let mut moves = Vec::new();
    for reply in &study.replies {
        let (line, depth) = study.line(book, reply)?;
        let line: String = line.into_iter().map(Move::name).collect();
        let place = if reply.is_link { "book" } else { "leaf" };
        let shown = depth.map_or_else(|| "-".to_owned(), |depth| depth.to_string());
        let GameCounts {
            wins,
            draws,
            losses,
            lines,
        } = reply.counts;
        let games = format!("{wins}-{draws}-{losses}");
        let share = MoveShare::of(reply.square, &shares).unwrap_or(0.0);
        let next = study.board.play(reply.square);
        let name = opening_names::of_board(next);
        let grade = tree
            .as_ref()
            .map(|tree| grade_of_move(tree, study.board, reply));
        let grade_shown = grade.map_or_else(String::new, |grade| format!("     {grade}  "));
        let name_shown = name.map_or_else(String::new, |name| format!("  {name}"));
        let _ = writeln!(
            text,
            "{:4}  {:>7}  {:11}  {shown:>5}  {place}  {games:>15}  {:5.1}% {grade_shown} {line}{name_shown}",
            reply.square.name(),
            reply.score.to_string(),
            reply.certainty,
            100.0 * share,
        );
        moves.push(json!({
            "move": reply.square.name(), "score": reply.score.to_f64(), "certainty": reply.certainty.to_string(),
            "depth": depth, "book": reply.is_link, "wins": wins, "draws": draws, "losses": losses,
            "lines": lines, "people": share, "opening": name, "grade": grade, "line": line,
        }));
    }
    if let Some(allowed) = book.allowed(study.board)? {
        let allowed: Vec<&str> = allowed.map(Square::name).collect();
        let _ = writeln!(text, "the repertoire allows {}", allowed.join(" "));
    }
    let value = json!({
        "score": entry.score.to_f64(), "certainty": entry.certainty.to_string(), "searched": study.is_searched(), "moves": moves,
        "wins": games.wins, "draws": games.draws, "losses": games.losses, "lines": games.lines,
    });
    Ok((value, text))
}

/// The grade of what follows a move.
fn grade_of_move(tree: &Tree, board: Board, reply: &BookReply) -> char {
    let next = AfterMove::to(board, reply.square).board();
    match next
        .filter(|_| reply.is_link)
        .and_then(|next| tree.find(next))
    {
        Some(number) => grade(tree, &[number]).letter,
        None => Grade::of_ends([reply.certainty]).letter,
    }
}
