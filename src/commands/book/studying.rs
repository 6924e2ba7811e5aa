//! `emilia book lines`, `repertoire`, `find` and `compare`.

use std::fmt::Write;
use std::path::PathBuf;

use anyhow::{anyhow, ensure};
use clap::Args;
use serde_json::{Value, json};

use super::{BookFile, after_pass, counted, game, ply_of, print, say};
use crate::book::exchange::{json_of, position};
use crate::book::lines::{HeartLine, HeartLines, Turn};
use crate::book::{BookEntry, BookWriter, Certainty, PositionStudy, Tree};
use crate::commands::Exit;
use crate::formats::opening_names;
use crate::human::{MoveShare, Rating, players_model};
use crate::rules::{Bitboard, Board, Color, Move, Square};
use crate::score::Score;
use crate::text::values;

/// The arguments of `emilia book lines`.
#[derive(Args, Debug)]
pub(super) struct Lines {
    #[command(flatten)]
    file: BookFile,
    /// Moves from the start, such as f5d6c3, or a position [default: the start position]
    #[arg(value_name = "MOVES | POSITION")]
    position: Vec<String>,
    /// The side that learns
    #[arg(long, value_name = "COLOR")]
    side: Color,
    /// Discs that a move of the other side may lose
    #[arg(long, value_name = "DISCS", default_value_t = 0.0, allow_negative_numbers = true, value_parser = values::discs)]
    slack: f64,
    /// Rating of the people whose mistakes say which lines are traps
    #[arg(long, value_name = "ELO", default_value = "1500")]
    rating: Rating,
    /// Print at most so many lines
    #[arg(long, value_name = "N", default_value_t = 100)]
    most: usize,
    /// As a line of JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn lines(arguments: &Lines) -> anyhow::Result<Exit> {
    /// No more lines are looked at for the worst traps.
    const SEARCHED: usize = 100_000;
    let position = after_pass(game(&arguments.position.join(" "), None)?.position());
    let (board, tree) = (position.board, arguments.file.load()?);
    let turn = match position.side == arguments.side {
        true => Turn::Own,
        false => Turn::Other,
    };
    let all = HeartLines::best(&tree, board, turn, arguments.slack);
    let mut all = all.ok_or_else(|| anyhow!("the book does not have this position"))?;
    let target = all.target();
    let moves = all.moves(board, turn);
    ensure!(
        !moves.is_empty(),
        "the book does not know the moves that the repertoire allows there: grow it"
    );
    let count = all.count(board, turn);
    let model = players_model()?;
    let holds = |board: Board, moves: Bitboard| {
        let shares = model.probabilities(board, arguments.rating, None);
        let share = |square| MoveShare::of(square, &shares).map_or(0.0, f64::from);
        moves.map(share).sum::<f64>().min(1.0)
    };
    let mut found = all.lines(board, turn, SEARCHED, &holds);
    found.truncate(arguments.most);
    let value = json!({
        "position": position.to_string(), "side": arguments.side.to_string(), "slack": arguments.slack,
        "score": target.to_f64(), "lines": count,
        "moves": moves.iter().map(|(square, score, lines)| json!({
            "move": square.name(), "score": score.to_f64(), "lines": lines,
        })).collect::<Vec<Value>>(),
        "list": found.iter().map(|line| json!({
            "line": text(line), "score": line.score.to_f64(), "wrong": line.wrong,
        })).collect::<Vec<Value>>(),
    });
    let (side, slack) = (arguments.side, arguments.slack);
    let mut shown = format!(
        "{side} holds {target}; lines to know: {count}; discs that a move of the other side may lose: {slack}\n\n\
         move    score  lines\n"
    );
    for (square, score, lines) in moves {
        let _ = writeln!(
            shown,
            "{:4}  {:>7}  {lines:5}",
            square.name(),
            score.to_string()
        );
    }
    shown += "\nwrong    score  line, those first in which people go wrong most\n";
    for line in &found {
        let (wrong, score) = (100.0 * line.wrong, line.score.to_string());
        let _ = writeln!(shown, "{wrong:4.0}%  {score:>7}  {}", text(line));
    }
    print(arguments.json, &value, &shown)?;
    Ok(Exit::SUCCESS)
}

fn text(line: &HeartLine) -> String {
    line.moves.iter().map(|mv| mv.name()).collect()
}

/// The arguments of `emilia book repertoire`.
#[derive(Args, Debug)]
pub(super) struct Repertoire {
    #[command(flatten)]
    file: BookFile,
    /// Moves from the start, such as f5d6c3, or a position
    #[arg(value_name = "MOVES | POSITION")]
    position: Vec<String>,
    /// Play one of these moves there
    #[arg(long, value_name = "MOVE", num_args = 1.., conflicts_with_all = ["forbid", "free"])]
    force: Vec<Move>,
    /// Play none of these moves there, nor what was forbidden before
    #[arg(long, value_name = "MOVE", num_args = 1.., conflicts_with = "free")]
    forbid: Vec<Move>,
    /// Play any move there
    #[arg(long)]
    free: bool,
}

pub(super) fn repertoire(arguments: &Repertoire) -> anyhow::Result<Exit> {
    let is_change = arguments.free || arguments.force.len() + arguments.forbid.len() > 0;
    if is_change {
        return change_repertoire(arguments);
    }
    let tree = arguments.file.load()?;
    let asked = arguments.position.join(" ");
    let boards: Vec<Board> = match asked.is_empty() {
        true => tree.iter().map(|(board, _)| board).collect(),
        false => vec![game(&asked, None)?.position().board],
    };
    let mut shown = String::new();
    for board in boards {
        if let Some(allowed) = tree.allowed(board) {
            let names: Vec<&str> = allowed.map(Square::name).collect();
            let _ = writeln!(shown, "{}\t{}", position(board), names.join(" "));
        }
    }
    let there = if asked.is_empty() { "" } else { " there" };
    ensure!(!shown.is_empty(), "the book has no repertoire{there}");
    print(false, &Value::Null, &shown)?;
    Ok(Exit::SUCCESS)
}

fn change_repertoire(arguments: &Repertoire) -> anyhow::Result<Exit> {
    let board = game(&arguments.position.join(" "), None)?.position().board;
    let legal = board.legal_moves();
    ensure!(
        !board.must_pass(),
        "a pass is the only move there: it needs no repertoire"
    );
    for mv in arguments.force.iter().chain(&arguments.forbid) {
        let is_legal = mv.square().is_some_and(|square| legal.contains(square));
        ensure!(is_legal, "{mv} is no legal move there");
    }
    let mask = |moves: &[Move]| {
        let squares = moves.iter().filter_map(|mv| mv.square());
        squares.fold(0, |all, square| all | square.bit())
    };
    let mut writer = BookWriter::open_existing(&arguments.file.book)?;
    let before = writer.book().allowed(board)?;
    let before = before.filter(|_| !arguments.free).unwrap_or(legal);
    let allowed = match mask(&arguments.force) {
        0 => before.0 & !mask(&arguments.forbid),
        forced => forced,
    };
    ensure!(allowed != 0, "a repertoire needs a move");
    if allowed != legal.0 && writer.get(board)?.is_none() {
        writer.set(board, Some(BookEntry::UNSEARCHED));
    }
    writer.allow(board, Bitboard(allowed));
    writer.commit()?;
    let names: Vec<&str> = Bitboard(allowed).map(Square::name).collect();
    say(format_args!("allowed: {}", names.join(" ")));
    Ok(Exit::SUCCESS)
}

/// The arguments of `emilia book find`.
#[derive(Args, Debug)]
pub(super) struct Find {
    #[command(flatten)]
    file: BookFile,
    /// Positions of openings whose name has this in it
    #[arg(long, value_name = "TEXT")]
    name: Option<String>,
    /// Positions worth at least so many discs for the side to move
    #[arg(long, value_name = "DISCS", allow_negative_numbers = true, value_parser = values::score)]
    least: Option<f64>,
    /// Positions worth at most so many discs for the side to move
    #[arg(long, value_name = "DISCS", allow_negative_numbers = true, value_parser = values::score)]
    most: Option<f64>,
    /// Positions whose score is estimate, wld or exact, or whose leaf is unconfirmed
    #[arg(long, value_name = "CERTAINTY")]
    certainty: Option<Certainty>,
    /// Positions after so many plies
    #[arg(long, value_name = "PLIES")]
    ply: Option<u32>,
    /// Positions of which some moves are not searched
    #[arg(long)]
    unsearched: bool,
    /// As lines of JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn find(arguments: &Find) -> anyhow::Result<Exit> {
    let tree = arguments.file.load()?;
    let wanted_name = arguments.name.as_deref().map(str::to_lowercase);
    let mut shown = String::new();
    for (number, (board, entry)) in tree.iter().enumerate() {
        let is_known = entry.is_known();
        let (score, certainty) = (entry.score.to_f64(), entry.certainty);
        let name = opening_names::of_board(board);
        let has_name =
            |wanted: &String| name.is_some_and(|name| name.to_lowercase().contains(wanted));
        let leaf = entry.leaf.map(|leaf| leaf.certainty);
        let is_so = |wanted| {
            wanted == certainty || (wanted == Certainty::Unconfirmed && leaf == Some(wanted))
        };
        let is_wanted = match arguments.unsearched {
            true => tree.is_unsearched(number),
            false => is_known,
        };
        let asks_score =
            arguments.least.or(arguments.most).is_some() || arguments.certainty.is_some();
        let is_wanted = is_wanted
            && (is_known || !asks_score)
            && wanted_name.as_ref().is_none_or(has_name)
            && arguments.least.is_none_or(|least| score >= least)
            && arguments.most.is_none_or(|most| score <= most)
            && arguments.certainty.is_none_or(is_so)
            && arguments.ply.is_none_or(|ply| ply_of(board) == ply);
        if !is_wanted {
            continue;
        }
        let _ = if arguments.json {
            writeln!(shown, "{}", json_of(&tree, board, entry))
        } else {
            let name = name.map_or_else(String::new, |name| format!("\t{name}"));
            let known = match is_known {
                true => format!("{}\t{certainty}", entry.score),
                false => "-\t-".to_owned(),
            };
            writeln!(shown, "{}\t{known}{name}", position(board))
        };
    }
    let is_found = !shown.is_empty();
    if is_found {
        print(false, &Value::Null, &shown)?;
    }
    Ok(Exit::failed_if(!is_found))
}

/// The arguments of `emilia book compare`.
#[derive(Args, Debug)]
pub(super) struct Compare {
    /// A book
    #[arg(value_name = "A")]
    one: PathBuf,
    /// Another one
    #[arg(value_name = "B")]
    other: PathBuf,
    /// Discs by which scores may differ
    #[arg(long, value_name = "DISCS", default_value_t = 1.0, allow_negative_numbers = true, value_parser = values::discs)]
    error: f64,
    /// As lines of JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn compare(arguments: &Compare) -> anyhow::Result<Exit> {
    let (one, other) = (
        Tree::load_whole(&arguments.one)?,
        Tree::load_whole(&arguments.other)?,
    );
    let mut shown = String::new();
    let (mut both, mut differ) = (0, 0);
    for (board, entry) in one.iter().filter(|(_, entry)| entry.is_known()) {
        let Some(found) = other.get(board).filter(BookEntry::is_known) else {
            continue;
        };
        both += 1;
        let scores = [entry.score, found.score];
        if (scores[0].to_f64() - scores[1].to_f64()).abs() <= arguments.error {
            continue;
        }
        differ += 1;
        let moves = [best(&one, board), best(&other, board)];
        let _ = if arguments.json {
            let value = json!({
                "position": position(board).to_string(), "scores": scores.map(Score::to_f64), "moves": moves,
            });
            writeln!(shown, "{value}")
        } else {
            let [a, b] = moves.map(|mv| mv.unwrap_or("-"));
            writeln!(
                shown,
                "{}\n{a} {} in {}, {b} {} in {}\n",
                position(board).diagram(),
                scores[0],
                arguments.one.display(),
                scores[1],
                arguments.other.display()
            )
        };
    }
    if differ > 0 {
        print(false, &Value::Null, &shown)?;
    }
    let error = arguments.error;
    say(format_args!(
        "{differ} of {} that both books have differ by more than {error} discs; the books have {} and {}",
        counted(both, "position"),
        one.len(),
        other.len()
    ));
    Ok(Exit::failed_if(differ > 0))
}

/// The move that a book takes for the best.
fn best(tree: &Tree, board: Board) -> Option<&'static str> {
    let study = PositionStudy::of_tree(tree, board)?;
    study.replies.first().map(|reply| reply.square.name())
}
