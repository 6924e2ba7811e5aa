//! The board as a person sees it, in 39 columns: in colours, or as plain letters.

use crate::rules::{Color, Position, Square};
use crate::score::Score;

/// How boards are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Style {
    /// With the colours of terminals; otherwise in letters alone.
    pub has_colors: bool,
    /// With round discs, where the terminal shows Unicode.
    pub has_discs: bool,
    /// In fewer than 60 columns, of which 39 are enough.
    pub is_narrow: bool,
}

/// What is drawn.
pub(super) struct Drawing<'a> {
    pub(super) position: Position,
    /// The square of the last move.
    pub(super) last: Option<Square>,
    /// What is written on empty squares, three letters at most.
    pub(super) notes: &'a [(Square, String)],
    /// What stands beside the ranks, with a disc of 3 columns or without, in at most 12 columns.
    pub(super) beside: [(Option<Color>, String); 8],
    /// For black.
    pub(super) score: Option<Score>,
}

/// Columns of the bar of the score.
const BAR: usize = 16;

/// Colours of 256: of the squares, of the square of the last move, and of what stands on them.
mod palette {
    pub(super) const GREENS: [u8; 2] = [28, 22];
    pub(super) const LAST: u8 = 34;
    pub(super) const BLACK: u8 = 16;
    pub(super) const WHITE: u8 = 231;
    pub(super) const MARK: u8 = 250;
    pub(super) const NOTE: u8 = 226;
}

impl Style {
    /// Three columns of one colour on another.
    fn paint(self, text: &str, back: u8, front: u8) -> String {
        match self.has_colors {
            true => format!("\x1b[48;5;{back};38;5;{front}m{text}\x1b[0m"),
            false => text.to_owned(),
        }
    }

    fn disc(self, color: Color, is_last: bool, back: u8) -> String {
        let letter = if self.has_discs {
            '●'
        } else {
            color.letter()
        };
        let text = match is_last && !self.has_colors {
            true => format!("({letter})"),
            false => format!(" {letter} "),
        };
        self.paint(&text, back, color.pick(palette::BLACK, palette::WHITE))
    }
}

impl Drawing<'_> {
    /// The text, in some lines.
    pub(super) fn text(&self, style: Style) -> String {
        let mut text = String::from("   a  b  c  d  e  f  g  h\n");
        for rank in 0..8 {
            let squares = Square::all().filter(|square| square.rank() == rank);
            let cells: String = squares.map(|square| self.cell(square, style)).collect();
            let (disc, beside) = &self.beside[rank as usize];
            let disc = disc.map(|color| style.disc(color, false, palette::GREENS[0]));
            let disc = disc.unwrap_or_default();
            let line = format!("{} {cells} {disc}{beside}", rank + 1);
            text.push_str(line.trim_end());
            text.push('\n');
        }
        if let Some(score) = self.score {
            text.push_str(&bar(score, style));
        }
        text.trim_end().to_owned()
    }

    fn cell(&self, square: Square, style: Style) -> String {
        let is_last = self.last == Some(square);
        let shade = (square.file() + square.rank()) % 2;
        let back = match is_last {
            true => palette::LAST,
            false => palette::GREENS[shade as usize],
        };
        let color = [Color::Black, Color::White];
        let color = color
            .into_iter()
            .find(|&color| self.position.discs(color) & square.bit() != 0);
        if let Some(color) = color {
            return style.disc(color, is_last, back);
        }
        let note = self.notes.iter().find(|(at, _)| *at == square);
        if let Some((_, note)) = note {
            return style.paint(&format!("{note:^3}"), back, palette::NOTE);
        }
        let is_legal = self.position.board.legal_moves().contains(square);
        let mark = match (is_legal, style.has_colors) {
            (true, _) => " . ",
            (false, true) => "   ",
            (false, false) => " - ",
        };
        style.paint(mark, back, palette::MARK)
    }
}

/// Who is ahead: a bar of both colours, and the score in words.
fn bar(score: Score, style: Style) -> String {
    /// Discs by which 73 hundredths of the bar are black.
    const SCALE: f64 = 8.0;
    let discs = score.to_f64();
    let ahead = match discs.round() {
        0.0 => "even".to_owned(),
        0.0.. => format!("black {discs:+.0}"),
        _ => format!("white {:+.0}", -discs),
    };
    let black = (BAR as f64 / (1.0 + (-discs / SCALE).exp())).round() as usize;
    if !style.has_colors {
        let (black, white) = ("#".repeat(black), "-".repeat(BAR - black));
        return format!("  score: {ahead:9}  {black}{white}");
    }
    let part = |length: usize, color| style.paint(&" ".repeat(length), color, color);
    let parts = part(black, palette::BLACK) + &part(BAR - black, palette::WHITE);
    format!("  {parts}  {ahead}")
}
