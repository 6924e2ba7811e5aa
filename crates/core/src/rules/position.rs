//! A board with the colour of the side to move, and its text form.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Bitboard, Board, Move, Square};

/// The two sides; black moves first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Color {
    /// First player, `X` in text.
    Black,
    /// Second player, `O` in text.
    White,
}

impl Color {
    /// The other side.
    pub const fn opponent(self) -> Color {
        match self {
            Color::Black => Color::White,
            Color::White => Color::Black,
        }
    }

    /// What belongs to this side, of what belongs to black and to white.
    pub fn pick<T>(self, black: T, white: T) -> T {
        match self {
            Color::Black => black,
            Color::White => white,
        }
    }

    /// `X` or `O`.
    pub fn letter(self) -> char {
        self.pick('X', 'O')
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.pick("black", "white"))
    }
}

/// A word that is no side.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("expected black (b, x, *) or white (w, o), found {0:?}")]
pub struct ParseColorError(String);

/// Reads the word or a letter of the discs, in any case.
impl FromStr for Color {
    type Err = ParseColorError;

    fn from_str(text: &str) -> Result<Color, ParseColorError> {
        match side_at(text) {
            Some((color, length)) if length == text.len() => Ok(color),
            _ => Err(ParseColorError(text.to_owned())),
        }
    }
}

/// A board and whose turn it is.
///
/// Its text is 64 cells of `X O -` from a1 to h8, and the side to move; other usual letters are read too.
///
/// ```
/// use emilia_core::rules::{Color, Move, Position};
///
/// let text = "---------------------------OX------XO--------------------------- X";
/// let position: Position = text.parse()?;
/// assert_eq!(position, Position::START);
/// assert_eq!(position.board.legal_moves().count(), 4);
///
/// let after = position.play("f5".parse()?).expect("legal");
/// assert_eq!(after.side, Color::White);
/// assert_eq!(after.to_string(), "---------------------------OX------XXX-------------------------- O");
/// assert!(after.play(Move::Pass).is_none());
///
/// let error = "---X".parse::<Position>().expect_err("too short");
/// assert_eq!(error.to_string(), "expected 64 cells, found 4");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    /// The discs, seen by the side to move.
    pub board: Board,
    /// The side to move.
    pub side: Color,
}

impl Position {
    /// The start of every game.
    pub const START: Position = Position {
        board: Board::START,
        side: Color::Black,
    };

    /// Discs of one colour, as bits.
    pub const fn discs(self, color: Color) -> u64 {
        if self.side as u8 == color as u8 {
            self.board.player
        } else {
            self.board.opponent
        }
    }

    /// The side that would make this move, legal or not: behind a pass that was left out, the other one.
    pub fn mover(self, mv: Move) -> Color {
        match mv != Move::Pass && self.board.must_pass() {
            true => self.side.opponent(),
            false => self.side,
        }
    }

    /// The position after `mv`, or `None` if it is not legal. A pass is legal
    /// only where the side to move has no square and its opponent has one.
    pub fn play(self, mv: Move) -> Option<Position> {
        let board = match mv {
            Move::Place(square) if self.board.legal_moves().contains(square) => {
                self.board.play(square)
            }
            Move::Pass if self.board.must_pass() => self.board.pass(),
            _ => return None,
        };
        Some(Position {
            board,
            side: self.side.opponent(),
        })
    }

    /// The final score for black, if the game is over: even, −64..=64 discs.
    pub fn result_for_black(self) -> Option<i32> {
        let score = self.board.is_over().then(|| self.board.final_score())?;
        Some(self.side.pick(score, -score))
    }

    /// Eight rows with ranks and files, and a line that says whose turn it is.
    pub fn diagram(self) -> String {
        let mut text = String::from("  a b c d e f g h\n");
        let legal = self.board.legal_moves();
        for square in Square::all() {
            if square.file() == 0 {
                text.push_str(&format!("{} ", square.rank() + 1));
            }
            let cell = match self.cell(square) {
                '-' if legal.contains(square) => '.',
                other => other,
            };
            text.push(cell);
            text.push(if square.file() == 7 { '\n' } else { ' ' });
        }
        let black = self.discs(Color::Black).count_ones();
        let white = self.discs(Color::White).count_ones();
        text.push_str(&format!(
            "{} to move, X {black}, O {white}, . legal",
            self.side.letter()
        ));
        text
    }

    /// The letter of a square: `X`, `O` or `-`.
    pub const fn cell(self, square: Square) -> char {
        if self.discs(Color::Black) & square.bit() != 0 {
            'X'
        } else if self.discs(Color::White) & square.bit() != 0 {
            'O'
        } else {
            '-'
        }
    }
}

/// The 64 cells a1..h8 of `X O -`, a blank, and the side to move.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = [b'-'; 66];
        for (color, letter) in [(Color::Black, b'X'), (Color::White, b'O')] {
            for square in Bitboard(self.discs(color)) {
                text[square.index()] = letter;
            }
        }
        text[64] = b' ';
        text[65] = self.side.letter() as u8;
        f.write_str(str::from_utf8(&text).unwrap_or_default())
    }
}

/// Why a text is not a position. Columns are bytes, the first is 1.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ParsePositionError {
    /// A character that is no cell, where a cell was expected.
    #[error("expected a cell (X O -), found {found:?}")]
    BadCell {
        /// 1-based byte.
        column: usize,
        /// The character there.
        found: char,
    },
    /// The text ends too early.
    #[error("expected 64 cells, found {found}")]
    TooFewCells {
        /// 1-based byte at which the text ends.
        column: usize,
        /// Cells that were there.
        found: usize,
    },
    /// No `X` or `O` after the cells.
    #[error("expected the side to move (X or O)")]
    NoSide {
        /// 1-based byte.
        column: usize,
    },
    /// The side to move stands before the cells.
    #[error("the side to move stands after the 64 cells")]
    SideFirst {
        /// 1-based byte.
        column: usize,
    },
    /// Something after the side to move.
    #[error("expected the end after the side to move")]
    TrailingText {
        /// 1-based byte.
        column: usize,
    },
}

impl ParsePositionError {
    /// 1-based byte of the first error.
    pub const fn column(&self) -> usize {
        match *self {
            ParsePositionError::BadCell { column, .. }
            | ParsePositionError::TooFewCells { column, .. }
            | ParsePositionError::NoSide { column }
            | ParsePositionError::SideFirst { column }
            | ParsePositionError::TrailingText { column } => column,
        }
    }
}

/// What a letter of a board means: one of the constants below, or 0, nothing.
struct Cell;

impl Cell {
    const EMPTY: u8 = 4;
    const BLACK: u8 = 4 | 1;
    const WHITE: u8 = 4 | 2;
    /// It stands between cells.
    const BLANK: u8 = 8;

    /// By letter.
    const MEANINGS: [u8; 256] = {
        let mut meanings = [0; 256];
        let mut letter = 0;
        while letter < 256 {
            meanings[letter] = match letter as u8 {
                b'X' | b'x' | b'*' | b'B' | b'b' => Cell::BLACK,
                b'O' | b'o' | b'W' | b'w' => Cell::WHITE,
                b'-' | b'.' | b'_' => Cell::EMPTY,
                b' ' | b'\t' => Cell::BLANK,
                _ => 0,
            };
            letter += 1;
        }
        meanings
    };
}

/// The discs of both colours on a board, as bits: black, then white.
pub type Discs = (u64, u64);

/// Reads 64 cells without anything between them, as nearly all boards are written.
fn plain_cells(cells: &[u8; 64]) -> Option<Discs> {
    let (mut black, mut white, mut all) = (0, 0, Cell::EMPTY);
    for (index, &letter) in cells.iter().enumerate() {
        let cell = Cell::MEANINGS[usize::from(letter)];
        black |= u64::from(cell & 1) << index;
        white |= u64::from(cell >> 1 & 1) << index;
        all &= cell;
    }
    (all != 0).then_some((black, white))
}

/// Reads 64 cells, and says how many bytes they took.
fn cells(text: &str) -> Result<(Discs, usize), ParsePositionError> {
    if let Some(discs) = text.as_bytes().first_chunk().and_then(plain_cells) {
        return Ok((discs, 64));
    }
    let (mut black, mut white, mut cells) = (0, 0, 0);
    for (at, letter) in text.bytes().enumerate() {
        match Cell::MEANINGS[usize::from(letter)] {
            Cell::BLANK => continue,
            Cell::BLACK => black |= 1 << cells,
            Cell::WHITE => white |= 1 << cells,
            Cell::EMPTY => {}
            _ => {
                let found = text[at..].chars().next().unwrap_or_default();
                let column = at + 1;
                return Err(ParsePositionError::BadCell { column, found });
            }
        }
        cells += 1;
        if cells == 64 {
            check_groups(&text[..=at])?;
            return Ok(((black, white), at + 1));
        }
    }
    Err(ParsePositionError::TooFewCells {
        column: text.len() + 1,
        found: cells,
    })
}

/// The blank-separated groups of cells, each with the byte at which it begins.
fn groups(cells: &str) -> impl Iterator<Item = (usize, &str)> {
    let place = |group: &&str| group.as_ptr() as usize - cells.as_ptr() as usize;
    let groups = cells.split([' ', '\t']).filter(|group| !group.is_empty());
    groups.map(move |group| (place(&group), group))
}

/// Refuses 64 cells one of which is the side to move: `X` before 64 others, or after 63.
fn check_groups(cells: &str) -> Result<(), ParsePositionError> {
    let mut groups = groups(cells);
    let (Some((_, first)), Some((at, second)), None) =
        (groups.next(), groups.next(), groups.next())
    else {
        return Ok(());
    };
    match (first.len(), second.len()) {
        (1, _) if !"-._".contains(first) => Err(ParsePositionError::SideFirst { column: 1 }),
        (found, 1) => Err(ParsePositionError::TooFewCells { column: at, found }),
        _ => Ok(()),
    }
}

/// The side to move at the start of a text, and how many bytes it takes: a letter or a word.
fn side_at(text: &str) -> Option<(Color, usize)> {
    let bytes = text.as_bytes();
    let color = match Cell::MEANINGS[usize::from(*bytes.first()?)] {
        Cell::BLACK => Color::Black,
        Cell::WHITE => Color::White,
        _ => return None,
    };
    let is_move = matches!(bytes, [b'B' | b'b', b'1'..=b'8', ..]);
    let word = bytes.get(..5);
    let is_word = word.is_some_and(|word| {
        word.eq_ignore_ascii_case(b"black") || word.eq_ignore_ascii_case(b"white")
    });
    let length = if is_word { 5 } else { 1 };
    (!is_move).then_some((color, length))
}

impl Position {
    /// Reads a position from the start of `text`, and returns how many bytes it took.
    ///
    /// Cells are black `X x * B b`, white `O o W w`, empty `- . _`; blanks between
    /// them are skipped. The side to move follows: a letter of its discs, or `black` or `white`.
    pub fn parse_prefix(text: &str) -> Result<(Position, usize), ParsePositionError> {
        Position::parse_prefix_or(text, None)
    }

    /// Parses as [`Position::parse_prefix`], of a text that need not say who moves: then it is `side`. Such cells stand together or in
    /// groups of the same length, so that the side to move is never taken for a cell.
    pub fn parse_prefix_or(
        text: &str,
        side: Option<Color>,
    ) -> Result<(Position, usize), ParsePositionError> {
        let (discs, length) = cells(text)?;
        let is_blank = |&letter: &u8| Cell::MEANINGS[usize::from(letter)] == Cell::BLANK;
        let blanks = text.as_bytes()[length..]
            .iter()
            .take_while(|letter| is_blank(letter));
        let at = length + blanks.count();
        if let Some((side, taken)) = side_at(&text[at..]) {
            return Ok((Position::of_discs(discs, side), at + taken));
        }
        let no_side = ParsePositionError::NoSide { column: at + 1 };
        let side = side.ok_or(no_side)?;
        let mut lengths = groups(&text[..length]).map(|(_, group)| group.len());
        let first = lengths.next();
        if lengths.any(|other| Some(other) != first) {
            let (column, found) = (length, 63);
            return Err(ParsePositionError::TooFewCells { column, found });
        }
        if let Some(found) = text[length..].chars().next().filter(|c| "-._".contains(*c)) {
            let column = length + 1;
            return Err(ParsePositionError::BadCell { column, found });
        }
        Ok((Position::of_discs(discs, side), length))
    }

    /// The position of these discs, which stand on different squares.
    pub fn of_discs((black, white): Discs, side: Color) -> Position {
        let (player, opponent) = side.pick((black, white), (white, black));
        let board = Board { player, opponent };
        Position { board, side }
    }
}

impl FromStr for Position {
    type Err = ParsePositionError;

    fn from_str(text: &str) -> Result<Position, ParsePositionError> {
        let (position, used) = Position::parse_prefix(text)?;
        match text[used..].find(|c: char| c != ' ' && c != '\t') {
            None => Ok(position),
            Some(at) => Err(ParsePositionError::TrailingText {
                column: used + at + 1,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "---------------------------OX------XO--------------------------- X";

    #[test]
    fn the_start_position_prints_and_reads_back() {
        assert_eq!(Position::START.to_string(), START);
        assert_eq!(START.parse(), Ok(Position::START));
    }

    #[test]
    fn other_letters_and_blanks_are_read() {
        let text = START.replace('X', "*").replace('O', "w").replace('-', ". ");
        assert_eq!(text.parse(), Ok(Position::START));
    }

    #[test]
    fn errors_name_the_column() {
        let column = |text: &str| text.parse::<Position>().map_err(|error| error.column());
        assert_eq!(column(&START[..63]), Err(64));
        assert_eq!(column(&START[..64]), Err(65));
        assert_eq!(column(&START.replacen('O', "Q", 1)), Err(28));
        assert_eq!(column(&format!("{START} X")), Err(68));
    }

    #[test]
    fn the_side_may_be_a_word() {
        let cells = &START[..64];
        for (side, taken) in [
            ("black", 5),
            ("BLACK;", 5),
            ("Black f5", 5),
            ("b", 1),
            ("*;", 1),
        ] {
            let read = Position::parse_prefix(&format!("{cells} {side}"));
            assert_eq!(read, Ok((Position::START, 65 + taken)), "{side}");
        }
        for side in ["White", "white", "W", "w", "o"] {
            let (read, _) = Position::parse_prefix(&format!("{cells}{side}")).expect(side);
            assert_eq!(read.side, Color::White, "{side}");
        }
        let no_side = Position::parse_prefix(&format!("{cells} b4"));
        assert_eq!(no_side, Err(ParsePositionError::NoSide { column: 66 }));
    }

    #[test]
    fn the_side_is_never_taken_for_a_cell() {
        let cells = &START[..64];
        let full = "X".repeat(64);
        let column = |text: &str| {
            let read = Position::parse_prefix_or(text, Some(Color::Black));
            read.map_err(|error| (error.column(), error.to_string()))
        };
        assert_eq!(column(cells), Ok((Position::START, 64)));
        let rows: Vec<&str> = (0..8).map(|row| &cells[8 * row..][..8]).collect();
        assert_eq!(column(&rows.join(" ")), Ok((Position::START, 71)));
        let few = |column| Err((column, "expected 64 cells, found 63".to_owned()));
        assert_eq!(column(&format!("{} X", &cells[1..])), few(64));
        assert_eq!(column(&format!("{} X", &rows.join(" ")[1..])), few(72));
        let first = "the side to move stands after the 64 cells".to_owned();
        assert_eq!(column(&format!("X {full}")), Err((1, first)));
        assert_eq!(
            column(&format!("{cells}-")).map_err(|error| error.0),
            Err(65)
        );
        assert!(Position::parse_prefix(&format!("O {full}")).is_err());
    }

    #[test]
    fn a_pass_is_legal_only_without_moves() {
        assert_eq!(Position::START.play(Move::Pass), None);
        let stuck: Position = format!("{}XO- X", "X".repeat(61))
            .parse()
            .expect("well formed");
        assert!(
            stuck.play(Move::Pass).is_none(),
            "white cannot move either: {stuck}"
        );
    }
}
