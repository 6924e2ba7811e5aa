//! Text as Edax writes it, one position a line: 64 cells with X to move, the level, and the best move outside the book with its score.

use std::io::{self, BufRead, Write};

use super::edax::{LAST_LEVEL, level_of};
use super::{ExchangeError, Losses, bad, discs, whole};
use crate::book::entry::{BookEntry, BookLeaf, Certainty, GameCounts};
use crate::book::tree::Tree;
use crate::rules::{Position, Square};

pub(super) fn read(
    reader: &mut impl BufRead,
    tree: &mut Tree,
    losses: &mut Losses,
) -> Result<(), ExchangeError> {
    for (number, line) in (1..).zip(reader.lines()) {
        let line = match line {
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                return Err(bad(number, "it is no text"));
            }
            line => line?,
        };
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        let mut fields = line.split(',').map(str::trim);
        let mut field = |reason| fields.next().ok_or_else(|| bad(number, reason));
        let position = field("expected a board")?.parse::<Position>();
        let board = position
            .map_err(|_| bad(number, "expected 64 cells of X O - and the side to move"))?
            .board;
        let level = field("expected a level")?.parse().ok();
        let level = level.filter(|&level| level <= LAST_LEVEL);
        let depth = level.ok_or_else(|| bad(number, "expected a level 0..60"))?;
        let name = field("expected a move")?;
        let score = field("expected a score")?.parse::<i32>();
        let score = score.map_err(|_| bad(number, "expected a score in discs"))?;
        if board.legal_moves().is_empty() {
            losses.add("positions without a move");
            continue;
        }
        let mut entry = BookEntry {
            depth,
            ..BookEntry::default()
        };
        if name != "--" {
            let square = name.parse::<Square>().ok();
            let square = square.filter(|&square| board.legal_moves().contains(square));
            let square = square.ok_or_else(|| bad(number, "its move is not legal"))?;
            entry = BookEntry::of_leaf(BookLeaf {
                square,
                score: discs(score, number)?,
                certainty: Certainty::Estimate,
                depth,
            });
        }
        tree.merge(board, entry);
    }
    Ok(())
}

pub(super) fn write(tree: &Tree, out: &mut impl Write, losses: &mut Losses) -> io::Result<()> {
    for (board, entry) in tree.iter() {
        if entry.certainty != Certainty::Estimate {
            losses.add("marks of proven scores");
        }
        if entry.counts != GameCounts::default() {
            losses.add("counts of games");
        }
        let level = level_of(entry);
        if entry.leaf.is_some_and(|leaf| leaf.depth != level) {
            losses.add("depths of leaves");
        }
        let position = super::position(board);
        let leaf = entry.leaf.map_or_else(
            || "--,0".to_owned(),
            |leaf| {
                format!(
                    "{},{}",
                    leaf.square.name().to_uppercase(),
                    whole(leaf.score, losses)
                )
            },
        );
        writeln!(out, "{position},{level},{leaf}")?;
    }
    Ok(())
}
