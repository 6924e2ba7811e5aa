//! Boards that are drawn over eight lines of a text, with or without a frame of letters, numbers and lines, or in one:
//! `X O -`, `B W .`, `● ○ ・`, emoji discs on green squares, or the numbers 1, 2 and 0. Who moves stands in another line
//! (`Black to move`, `黒番`, or a disc alone), and so may moves from there.

use super::ggf::GgfGame;
use super::page::{all_moves, without_markup};
use super::pasted::{Token, side_named};
use super::{BadGame, PlacedGame};
use crate::rules::{Color, Game, ParsePositionError, Position};
use crate::text::TextError;
use crate::text::words::narrow;

const SIZE: usize = 8;

const BARS: [char; 4] = ['|', '│', '┃', '｜'];

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
            '-' | '.' | '_' | '+' | '—' | '・' | '･' | '·' | '•' | '□' | '▢' | '🟩' => {
                Cell::Empty
            }
            'X' | 'x' | 'B' | 'b' | '@' | '#' | '●' | '⚫' | '黒' => Cell::Disc(Color::Black),
            'O' | 'o' | 'W' | 'w' | '○' | '〇' | '◯' | '⚪' | '白' => {
                Cell::Disc(Color::White)
            }
            '*' | '⬛' | '■' => Cell::Perhaps(Color::Black),
            '⬜' => Cell::Perhaps(Color::White),
            _ => return None,
        })
    }
}

/// A line of a board: where it stands, its number, if it has one, and whether it may be a part of the frame.
struct Row {
    start: usize,
    end: usize,
    rank: Option<char>,
    is_rule: bool,
    cells: Vec<Cell>,
}

/// The boards of a text, each with the column at which it begins; `side` moves where the text does not say who does.
pub(super) fn parse(text: &str, side: Option<Color>) -> Vec<PlacedGame> {
    let text = without_markup(text);
    let (mut boards, mut rows, mut others) = (Vec::new(), Vec::new(), Vec::new());
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let found = rows_of(line, start);
        if !found.is_empty() {
            if found.len() == SIZE
                && let Some(side) = side_behind(line)
            {
                others.push((start + line.trim_end().len(), side));
            }
            // What stands beside the board, as on the screens of Edax and Egaroucid.
            let aside = line.trim().rsplit_once("  ").map(|(_, aside)| aside);
            others.extend(
                aside
                    .filter(|aside| has_cue(aside))
                    .map(|aside| (start, aside)),
            );
            rows.extend(found);
        } else {
            others.push((start, line));
            if line.contains(char::is_alphanumeric) {
                boards.append(&mut boards_of(std::mem::take(&mut rows)));
            }
        }
    }
    boards.append(&mut boards_of(rows));
    let starts = boards.iter().map(|board| board[0].start);
    let starts: Vec<usize> = starts.chain([text.len() + 1]).collect();
    let mut games = Vec::new();
    for (number, board) in boards.iter().enumerate() {
        let (start, end) = (board[0].start, board[SIZE - 1].end);
        let between = |from: usize, to: usize| {
            let own = move |&&(at, _): &&(usize, &str)| (from..to).contains(&at);
            others.iter().filter(own)
        };
        let behind: Vec<&(usize, &str)> = between(end, starts[number + 1]).collect();
        // Before each board, if it is said before the first.
        let before = number
            .checked_sub(1)
            .map_or(0, |before| boards[before][SIZE - 1].end);
        let sides = |(_, line): &(usize, &str)| side_of(line);
        let said = match between(0, starts[0]).find_map(sides) {
            Some(_) => between(before, start).filter_map(sides).next_back(),
            None => between(start, starts[number + 1]).find_map(sides),
        };
        let no_side = ParsePositionError::NoSide { column: 1 };
        let game = match said.or(side) {
            Some(side) => continued(position(board, side), &behind),
            None => Err(TextError::new(end, no_side.to_string()).into()),
        };
        games.push((start + 1, game));
    }
    games
}

/// The game from a board, by lines of moves alone.
fn continued(start: Position, lines: &[&(usize, &str)]) -> Result<GgfGame, BadGame> {
    let mut game = Game::new(start);
    for (at, line) in lines {
        let moves = all_moves(line).filter(|moves| !moves.tokens.iter().any(Token::is_other));
        let played = moves.map_or(Ok(()), |moves| moves.play(&mut game));
        if let Err(error) = played {
            return Err(BadGame::after(GgfGame::anonymous(game), error.behind(*at)));
        }
    }
    Ok(GgfGame::anonymous(game))
}

/// The boards of rows that stand together, without a frame that looks like one.
fn boards_of(mut rows: Vec<Row>) -> Vec<Vec<Row>> {
    let is_rule = |row: Option<&Row>| row.is_some_and(|row| row.is_rule);
    let (first, last) = (is_rule(rows.first()), is_rule(rows.last()));
    match rows.len() % SIZE {
        1 if first => drop(rows.remove(0)),
        1 if last => drop(rows.pop()),
        2 if first && last => drop((rows.remove(0), rows.pop())),
        _ => {}
    }
    let mut boards = Vec::new();
    while rows.len() >= SIZE && rows.len().is_multiple_of(SIZE) {
        let rest = rows.split_off(SIZE);
        boards.push(std::mem::replace(&mut rows, rest));
    }
    boards
}

fn position(rows: &[Row], side: Color) -> Position {
    let ends = rows[0].rank.zip(rows[SIZE - 1].rank);
    let is_upward = ends.is_some_and(|(first, last)| first > last);
    let rows = rows.iter().enumerate();
    let cells = rows.flat_map(|(number, row)| {
        let rank = if is_upward { SIZE - 1 - number } else { number };
        (SIZE * rank..).zip(row.cells.iter().copied())
    });
    let cells: Vec<(usize, Cell)> = cells.collect();
    let discs = |wanted: Cell| {
        let found = cells.iter().filter(|&&(_, cell)| cell == wanted);
        found.fold(0_u64, |set, (square, _)| set | 1 << square)
    };
    let [certain, perhaps] = [Cell::Disc, Cell::Perhaps]
        .map(|cell| [Color::Black, Color::White].map(|color| discs(cell(color))));
    let (black, white) = match certain {
        [0, 0] => (perhaps[0], perhaps[1]),
        // The black discs of `*` and `O`.
        [0, white] => (perhaps[0], white),
        [black, white] => (black, white),
    };
    Position::of_discs((black, white), side)
}

/// The rows of a line: one, all of them, or none.
fn rows_of(line: &str, start: usize) -> Vec<Row> {
    let found = numbers(line)
        .or_else(|| fields(line))
        .or_else(|| cells(line));
    // Something may stand beside the board.
    let found = found.or_else(|| cells(line.trim_start().split_once("  ")?.0));
    let (rank, cells) = found.unwrap_or_default();
    let is_rule = line
        .chars()
        .all(|letter| letter.is_whitespace() || "-—=+:".contains(letter) || BARS.contains(&letter));
    let end = start + line.trim_end().len();
    let row = |cells: &[Cell]| {
        let cells = cells.to_vec();
        Row {
            start,
            end,
            rank,
            is_rule,
            cells,
        }
    };
    cells.chunks(SIZE).map(row).collect()
}

/// The number of a row, and its cells.
type Cells = (Option<char>, Vec<Cell>);

/// Eight numbers.
fn numbers(line: &str) -> Option<Cells> {
    let words = line.split(|letter: char| letter.is_whitespace() || ",[]".contains(letter));
    let words = words.filter(|word| !word.is_empty());
    let cell = |word| match word {
        "0" => Some(Cell::Empty),
        "1" => Some(Cell::Disc(Color::Black)),
        "2" | "-1" => Some(Cell::Disc(Color::White)),
        _ => None,
    };
    let cells: Vec<Cell> = words.map(cell).collect::<Option<_>>()?;
    (cells.len() == SIZE).then_some((None, cells))
}

/// Eight fields between bars, where an empty square may be a blank.
fn fields(line: &str) -> Option<Cells> {
    let fields: Vec<&str> = line.trim_end_matches('\n').split(BARS).collect();
    let fields = match fields.len() {
        SIZE => &fields[..],
        10 => &fields[1..9],
        _ => return None,
    };
    let cell = |field: &&str| match signs(field).as_slice() {
        [] => Some(Cell::Empty),
        [sign] => Cell::of(*sign),
        _ => None,
    };
    Some((None, fields.iter().map(cell).collect::<Option<_>>()?))
}

/// The signs of one row, perhaps with its number, or those of all rows.
fn cells(line: &str) -> Option<Cells> {
    let signs = signs(line);
    // Programs count from 0 as well.
    let is_rank = |sign: &char| ('0'..='8').contains(sign);
    let (rank, cells) = match signs.as_slice() {
        cells if matches!(cells.len(), SIZE | 64) => (None, cells),
        [rank, cells @ ..] if cells.len() == SIZE && is_rank(rank) => (Some(*rank), cells),
        [cells @ .., rank] if cells.len() == SIZE && is_rank(rank) => (Some(*rank), cells),
        [rank, cells @ .., last] if cells.len() == SIZE && rank == last => (Some(*rank), cells),
        [cells @ .., _] if cells.len() == 64 && side_behind(line).is_some() => (None, cells),
        _ => return None,
    };
    Some((
        rank,
        cells
            .iter()
            .map(|&sign| Cell::of(sign))
            .collect::<Option<_>>()?,
    ))
}

/// The side to move behind 64 cells of one line. Lines of plain letters have a reader of their own.
fn side_behind(line: &str) -> Option<&str> {
    let line = line.trim_end();
    let (at, _) = line.char_indices().next_back()?;
    (signs(line).len() == 65 && !line.is_ascii()).then_some(&line[at..])
}

/// The letters of a text without blanks, bars and quotes, and what only says how a sign is shown.
fn signs(text: &str) -> Vec<char> {
    const OTHERS: &str = "\u{fe0e}\u{fe0f}\u{200b}\u{20e3}\"'`,>[]";
    let is_shown = |&letter: &char| {
        !letter.is_whitespace() && !OTHERS.contains(letter) && !BARS.contains(&letter)
    };
    text.chars().map(narrow).filter(is_shown).collect()
}

/// Has a text a word for the side to move?
fn has_cue(text: &str) -> bool {
    const CUES: [&str; 9] = [
        "to move", "to play", "turn", "next", "player", "side", "番", "手", "先",
    ];
    let lower = text.to_lowercase();
    CUES.iter().any(|cue| lower.contains(cue)) && !lower.contains("last")
}

/// The side that a line says is to move: it says no more than that, or has a word for it.
fn side_of(line: &str) -> Option<Color> {
    let lower = line.to_lowercase();
    let is_mark = |letter: char| letter.is_whitespace() || "|:;,.'’()=\"\u{fe0f}".contains(letter);
    let mut sides = lower.split(is_mark).filter(|word| !word.is_empty());
    let color = |word: &str| {
        let sign = word.chars().next()?;
        let is_sign = !sign.is_ascii() || word.len() == 1;
        let cell = Cell::of(narrow(sign)).filter(|_| is_sign);
        match cell {
            Some(Cell::Disc(color) | Cell::Perhaps(color)) => Some(color),
            _ => side_named(word),
        }
    };
    match has_cue(&lower) {
        true => sides.find_map(color),
        false => sides
            .next()
            .and_then(color)
            .filter(|_| sides.next().is_none()),
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
            (["X", "O", "."], "player: X"),
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
        let upward: String = (1..=8)
            .rev()
            .zip(drawn(["O", "X", "-"]))
            .map(|(rank, row)| format!("{rank} {row}\n"))
            .collect();
        assert_eq!(read(&(upward + "X to move")), [Ok(Position::START)]);
        let table = "|-|-|-|-|-|-|-|-|\n".to_owned()
            + &drawn(["X", "O", " "])
                .iter()
                .map(|row| {
                    let cells: Vec<String> = row.chars().map(String::from).collect();
                    format!("|{}|\n", cells.join("|"))
                })
                .collect::<String>();
        assert_eq!(read(&(table + "X to move")), [Ok(Position::START)]);
        // As on the screens of Edax and Egaroucid, and where rows have numbers from 0.
        let aside = |from: usize, side: &str| -> String {
            let row = |(rank, row): (usize, String)| {
                let cells: Vec<String> = row.chars().map(String::from).collect();
                let aside = if rank == from + 2 {
                    side
                } else {
                    "ply  1 (60 empties)"
                };
                format!("{rank} {}   {aside}\n", cells.join(" "))
            };
            (from..).zip(drawn(["X", "O", "."])).map(row).collect()
        };
        for text in [aside(1, "BLACK to move"), aside(0, "  Black's turn (*)")] {
            assert_eq!(read(&text), [Ok(Position::START)], "{text}");
        }
        let keycaps = drawn(["⚫", "⚪", "🟩"]).join(" 1\u{fe0f}\u{20e3}\n");
        assert_eq!(read(&(keycaps + "\n⚫")), [Ok(Position::START)]);
        let line = drawn(["●", "○", "・"]).concat();
        assert_eq!(
            read(&format!("{line}\nBlack to move")),
            [Ok(Position::START)]
        );
        assert_eq!(read(&format!("{line} ●")), [Ok(Position::START)]);
        let cells = |row: &String| {
            let cells = row.chars().map(|cell| format!("<td>{cell}</td>"));
            format!("<tr>{}</tr>\n", cells.collect::<String>())
        };
        let html: String = drawn(["X", "O", "."]).iter().map(cells).collect();
        assert_eq!(read(&(html + "Black to move")), [Ok(Position::START)]);
        let moved = format!(
            "{}\nX to move\nf5 d6\nc3\n",
            drawn(["X", "O", "-"]).join("\n")
        );
        let game = parse(&moved, None).remove(0).1.expect("a game");
        assert_eq!(game.game.transcript(), "f5d6c3");
        let two = [("Black", "1 "), ("White", "2 ")].map(|(side, rank)| {
            let rows = drawn(["X", "O", "."]).join("  *\n");
            format!("Position {rank}: {side} to move\n{rows}  a remark\n\n")
        });
        let passed = Position {
            board: Position::START.board.pass(),
            ..white
        };
        assert_eq!(read(&two.concat()), [Ok(Position::START), Ok(passed)]);
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
