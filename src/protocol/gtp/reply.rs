//! The answers, as text.

use super::RulesQuestion;
use crate::engine::Level;
use crate::rules::{Move, Position, Square};
use crate::search::{Info, Outcome, Proof};

/// An answer as it is sent: the sign with the number of the command, the text, and a blank line.
pub(super) fn answer(id: &str, result: Result<String, String>) -> String {
    let (sign, text) = match result {
        Ok(text) => ('=', text),
        Err(text) => ('?', text),
    };
    let gap = if text.is_empty() { "" } else { " " };
    format!("{sign}{id}{gap}{text}\n")
}

/// `D3` or `pass`.
pub(super) fn vertex(mv: Move) -> String {
    match mv {
        Move::Place(square) => format!("{square:#}"),
        Move::Pass => mv.to_string(),
    }
}

pub(super) fn levels() -> String {
    joined(Level::all().map(|level| level.to_string()), "\n")
}

fn joined(parts: impl Iterator<Item = String>, between: &str) -> String {
    parts.collect::<Vec<_>>().join(between)
}

/// `B+6`, `W+2`, or `0` for a draw: the empties count for the winner.
pub(super) fn final_score(position: Position) -> Result<String, String> {
    let result = position.result_for_black();
    match result.ok_or("the game is not over")? {
        0 => Ok("0".to_owned()),
        discs @ 1.. => Ok(format!("B+{discs}")),
        discs => Ok(format!("W+{}", -discs)),
    }
}

/// One line for each of the best moves: `D3 +2.50 depth 12 D3 C5 F6`.
pub(super) fn hints(outcome: &Outcome) -> String {
    joined(outcome.lines.iter().map(hint), "\n")
}

fn hint(line: &Info) -> String {
    let moves: Vec<String> = line.pv.iter().copied().map(vertex).collect();
    let best = moves.first().map_or("pass", String::as_str);
    let depth = line.depth;
    let what = match line.proof {
        Proof::Exact(_) => "exact".to_owned(),
        Proof::Wld(value) => value.name().to_owned(),
        Proof::None => format!("depth {depth} selectivity {}", line.selectivity),
    };
    format!("{best} {} {what} {}", line.score, moves.join(" "))
}

/// The scores of the best moves, as GoGui writes them on its board.
pub(super) fn drawn_hints(outcome: &Outcome) -> String {
    let labels = outcome.lines.iter().filter_map(|line| {
        let square = line.pv.first()?.square()?;
        Some(format!("LABEL {square:#} {:+}", line.score.discs()))
    });
    joined(labels, "\n")
}

/// What GoGui shows in its menu: type, label and command.
pub(super) const ANALYZE_COMMANDS: &str = "\
gfx/Emilia Best Moves/emilia-gfx_hint
string/Emilia Best Lines/emilia-hint
string/Emilia Levels/emilia-levels";

/// The answer of the ruler.
pub(super) fn ruling(question: RulesQuestion, position: Position) -> String {
    match question {
        RulesQuestion::GameId => "Othello".to_owned(),
        RulesQuestion::BoardSize => "8".to_owned(),
        RulesQuestion::Board => upward(position),
        RulesQuestion::LegalMoves => joined(position.board.moves().map(vertex), " "),
        RulesQuestion::SideToMove => position.side.to_string(),
        RulesQuestion::FinalResult => result(position),
    }
}

/// Eight rows of `. X O`, that of rank 8 first: GoGui counts its rows from below.
fn upward(position: Position) -> String {
    let row = |rank: u32| {
        let squares = (0..8).filter_map(|file| Square::at(file, rank));
        let cells = squares.map(|square| format!(" {}", position.cell(square)));
        cells.collect::<String>().replace('-', ".")
    };
    let rows = (0..8).rev().map(|rank| row(rank).replacen(' ', "\n", 1));
    rows.collect()
}

fn result(position: Position) -> String {
    match position.result_for_black() {
        None => "The game is not over.".to_owned(),
        Some(0) => "The game is a draw.".to_owned(),
        Some(discs @ 1..) => format!("Black wins by {discs}."),
        Some(discs) => format!("White wins by {}.", -discs),
    }
}
