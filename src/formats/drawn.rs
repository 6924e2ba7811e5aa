//! Boards that are drawn over eight lines of a text, with or without a frame of letters, numbers and lines:
//! `X O -`, `B W .`, `● ○ ・`, emoji discs on green squares, or the numbers 1, 2 and 0. Who moves stands in another line:
//! `Black to move`, `黒番`, or a disc alone.

use super::PlacedGame;
use super::ggf::GgfGame;
use crate::rules::{Color, Game, ParsePositionError, Position};
use crate::text::TextError;
use crate::text::words::narrow;

const SIZE: usize = 8;

/// What stands on a square, as far as its sign tells.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cell {
    Empty,
    Disc(Color),
    /// `⬛` and `*`: a disc where no sign is one for certain, else an empty square.
    Perhaps(Color),
}

impl Cell {
    fn of(sign: char) -> Option<Cell> {
        Some(match sign {
            '-' | '.' | '_' | '+' | '・' | '･' | '·' | '•' | '－' | '—' | '□' | '▢' | '🟩'
            | '🟢' | '０' => Cell::Empty,
            'X' | 'x' | 'B' | 'b' | '@' | '#' | '●' | '⚫' | '🖤' | '黒' | '×' => {
                Cell::Disc(Color::Black)
            }
            'O' | 'o' | 'W' | 'w' | '○' | '〇' | '◯' | '⚪' | '🤍' | '白' => {
                Cell::Disc(Color::White)
            }
            '*' | '⬛' | '■' => Cell::Perhaps(Color::Black),
            '⬜' => Cell::Perhaps(Color::White),
            _ => return None,
        })
    }
}

/// The boards of a text, each with the column at which it begins; `side` moves where the text does not say who does.
pub(super) fn parse(text: &str, side: Option<Color>) -> Vec<PlacedGame> {
    let mut boards = Vec::new();
    let mut sides = Vec::new();
    let (mut rows, mut start, mut at) = (Vec::new(), 0, 0);
    for line in text.split_inclusive('\n') {
        if let Some(row) = row(line) {
            if rows.is_empty() {
                start = at;
            }
            rows.push(row);
        } else if line.contains(char::is_alphanumeric) {
            rows.clear();
        }
        sides.extend(side_of(line).map(|side| (at, side)));
        at += line.len();
        if rows.len() == SIZE {
            boards.push((start, at, rows.concat()));
            rows.clear();
        }
    }
    let ends = boards
        .iter()
        .skip(1)
        .map(|(start, ..)| *start)
        .chain([text.len()]);
    let ends: Vec<usize> = ends.collect();
    let first = boards.first().map(|(start, ..)| *start);
    let mut games = Vec::new();
    for ((start, end, cells), next) in boards.into_iter().zip(ends) {
        let is_own = |&&(at, _): &&(usize, Color)| {
            (end..next).contains(&at) || at < start && first == Some(start)
        };
        let said = sides.iter().find(is_own).map(|&(_, side)| side);
        let no_side = ParsePositionError::NoSide { column: 1 };
        let game = match said.or(side) {
            Some(side) => Ok(GgfGame::anonymous(Game::new(position(&cells, side)))),
            None => Err(TextError::new(end, no_side.to_string()).into()),
        };
        games.push((start + 1, game));
    }
    games
}

fn position(cells: &[Cell], side: Color) -> Position {
    let has_discs = cells.iter().any(|cell| matches!(cell, Cell::Disc(_)));
    let (mut black, mut white) = (0_u64, 0_u64);
    for (square, &cell) in cells.iter().enumerate() {
        match cell {
            Cell::Disc(color) => *color.pick(&mut black, &mut white) |= 1 << square,
            Cell::Perhaps(color) if !has_discs => {
                *color.pick(&mut black, &mut white) |= 1 << square
            }
            Cell::Perhaps(_) | Cell::Empty => {}
        }
    }
    // The black discs of `*` and `O`.
    if has_discs && black == 0 {
        let stars = cells
            .iter()
            .enumerate()
            .filter(|(_, cell)| matches!(cell, Cell::Perhaps(Color::Black)));
        black = stars.fold(0, |set, (square, _)| set | 1 << square);
    }
    Position::of_discs((black, white), side)
}

/// The cells of a line, if it is a row of a board: signs without what is around them, or fields between bars.
fn row(line: &str) -> Option<Vec<Cell>> {
    const BARS: [char; 4] = ['|', '│', '┃', '｜'];
    let words: Vec<&str> = line
        .split(|letter: char| letter.is_whitespace() || ",[]".contains(letter))
        .filter(|word| !word.is_empty())
        .collect();
    if words.len() == SIZE
        && words
            .iter()
            .all(|word| matches!(*word, "0" | "1" | "2" | "-1"))
    {
        let cell = |word: &&str| match *word {
            "0" => Cell::Empty,
            "1" => Cell::Disc(Color::Black),
            _ => Cell::Disc(Color::White),
        };
        return Some(words.iter().map(cell).collect());
    }
    let fields: Vec<&str> = line.trim_end_matches('\n').split(BARS).collect();
    // With bars, an empty square may be a blank.
    let fields = match fields.len() {
        SIZE => &fields[..],
        10 => &fields[1..9],
        _ => &[],
    };
    if !fields.is_empty() {
        let cell = |field: &&str| match signs(field).as_slice() {
            [] => Some(Cell::Empty),
            [sign] => Cell::of(*sign),
            _ => None,
        };
        return fields.iter().map(cell).collect();
    }
    let signs: Vec<char> = signs(line)
        .into_iter()
        .filter(|sign| !BARS.contains(sign))
        .collect();
    let is_rank = |sign: &char| ('1'..='8').contains(sign);
    let cells = match signs.len() {
        SIZE => &signs[..],
        9 if is_rank(&signs[0]) => &signs[1..],
        9 if is_rank(&signs[8]) => &signs[..8],
        10 if is_rank(&signs[0]) && signs[0] == signs[9] => &signs[1..9],
        _ => return None,
    };
    cells.iter().map(|&sign| Cell::of(sign)).collect()
}

/// The letters of a text without blanks, quotes, and what only says how a sign is shown.
fn signs(text: &str) -> Vec<char> {
    let is_shown = |letter: &char| {
        !letter.is_whitespace() && !"\u{fe0e}\u{fe0f}\u{200b}\"'`,>".contains(*letter)
    };
    text.chars().map(narrow).filter(is_shown).collect()
}

/// The side that a line says is to move: it says no more than that, or has a word for it.
fn side_of(line: &str) -> Option<Color> {
    const CUES: [&str; 7] = ["to move", "to play", "turn", "next", "番", "手", "先"];
    let lower = line.to_lowercase();
    let is_said = CUES.iter().any(|cue| lower.contains(cue)) && !lower.contains("last");
    let mut sides = lower
        .split(|letter: char| letter.is_whitespace() || "|:;,.'’()".contains(letter))
        .filter(|word| !word.is_empty());
    let color = |word: &str| {
        let first = word.chars().next()?;
        match Cell::of(narrow(first)) {
            Some(Cell::Disc(color) | Cell::Perhaps(color))
                if word.chars().count() == 1 || !first.is_ascii() =>
            {
                Some(color)
            }
            _ => word.parse().ok(),
        }
    };
    match is_said {
        true => sides.find_map(color),
        false => sides
            .next()
            .and_then(color)
            .filter(|_| sides.next().is_none() && row(line).is_none()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The start position, drawn with these signs for black, white and empty.
    fn drawn([black, white, empty]: [&str; 3]) -> Vec<String> {
        let text = Position::START.to_string();
        let sign = |cell: char| match cell {
            'X' => black,
            'O' => white,
            _ => empty,
        };
        let rows = (0..SIZE).map(|row| text[8 * row..][..8].chars().map(sign).collect());
        rows.collect()
    }

    fn read(text: &str) -> Vec<Result<Position, usize>> {
        let games = parse(text, None).into_iter();
        let position = |game: GgfGame| game.game.position();
        games
            .map(|(_, game)| game.map(position).map_err(|bad| bad.error.column))
            .collect()
    }

    #[test]
    fn boards_are_read_however_they_are_drawn() {
        let white = Position {
            side: Color::White,
            ..Position::START
        };
        let framed = |rows: Vec<String>| -> String {
            let row = |(rank, row): (usize, &String)| {
                let cells: Vec<String> = row.chars().map(String::from).collect();
                format!("{rank} {} {rank}\n", cells.join(" "))
            };
            "  a b c d e f g h\n".to_owned() + &(1..).zip(&rows).map(row).collect::<String>()
        };
        for (signs, side) in [
            (["X", "O", "-"], "X to move, X 2, O 2, . legal"),
            (["*", "O", "."], "*"),
            (["B", "W", "_"], "Black to play"),
            (["●", "○", "・"], "黒番"),
            (["⚫", "⚪", "🟩"], "⚫ to move"),
            (["⚫\u{fe0f}", "⚪\u{fe0f}", "⬜"], "Next: black"),
            (["⬛", "⬜", "🟩"], "Black's turn"),
            (["@", "o", "·"], "Turn: black"),
        ] {
            let rows = drawn(signs);
            let plain = format!("{}\n{side}\n", rows.join("\n"));
            assert_eq!(read(&plain), [Ok(Position::START)], "{plain}");
            let before = format!("{side}\n\n{}\n", framed(rows));
            assert_eq!(read(&before), [Ok(Position::START)], "{before}");
        }
        let bars: String = drawn(["X", "O", " "])
            .iter()
            .map(|row| {
                let cells: Vec<String> = row.chars().map(|cell| format!(" {cell} ")).collect();
                format!("+---+---+---+---+---+---+---+---+\n|{}|\n", cells.join("|"))
            })
            .collect();
        assert_eq!(read(&(bars + "X to move")), [Ok(Position::START)]);
        let numbers = drawn(["1 ", "2 ", "0 "]).join("\n");
        assert_eq!(read(&(numbers + "\nblack")), [Ok(Position::START)]);
        let two = format!(
            "{}\nX\n\n{}\nWhite to move\n",
            drawn(["X", "O", "-"]).join("\n"),
            drawn(["O", "X", "-"]).join("\n")
        );
        assert_eq!(read(&two), [Ok(Position::START), Ok(white)]);
    }

    #[test]
    fn who_moves_has_to_be_said() {
        let text = drawn(["X", "O", "-"]).join("\n");
        assert_eq!(read(&text), [Err(71)]);
        assert_eq!(parse(&text, Some(Color::Black)).len(), 1);
        assert!(parse(&text, Some(Color::Black))[0].1.is_ok());
        assert_eq!(read(&text.replacen('-', "", 1)), [], "63 cells");
        assert_eq!(read("Score: Black 2, White 2\n"), []);
    }
}
