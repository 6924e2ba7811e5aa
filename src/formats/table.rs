//! Tables with a column of transcripts: CSV and its kin, with or without a line of headings.

use super::BadGame;
use super::facts;
use super::ggf::GgfGame;
use super::transcript::Transcript;
use crate::text::TextError;
use crate::text::words::square;

const DELIMITERS: [char; 4] = ['\t', ',', ';', '|'];

/// Fewest moves by which a column of transcripts is told from one of squares; fewest where another column has squares, such
/// as rounds `F1`, so that it is no line of a page.
const FEWEST: [usize; 2] = [2, 4];

const MOVES: [&str; 7] = [
    "moves",
    "gamemoves",
    "transcript",
    "game",
    "record",
    "kifu",
    "sequence",
];

/// Lines that are looked at.
const SAMPLE: usize = 16;

/// How the lines of a table are read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Layout {
    /// `None`: each line is one field.
    delimiter: Option<char>,
    /// The field of the transcript; the first is 0.
    column: usize,
    pub(super) has_headings: bool,
    /// The fields of the names, the date and the place, where headings tell.
    black: Option<usize>,
    white: Option<usize>,
    date: Option<usize>,
    place: Option<usize>,
}

/// A field without its quotes, and the byte of the line at which it begins.
type Field<'a> = (usize, std::borrow::Cow<'a, str>);

/// How a text is a table, by its first lines; `None`: it is none.
pub(super) fn detect<'a>(lines: impl Iterator<Item = &'a str>) -> Option<Layout> {
    let lines = lines.filter(|line| !line.trim().is_empty());
    let lines: Vec<&str> = lines.take(SAMPLE).collect();
    let mut delimiters = DELIMITERS.map(Some).into_iter().chain([None]);
    delimiters.find_map(|delimiter| with_delimiter(&lines, delimiter))
}

fn with_delimiter(lines: &[&str], delimiter: Option<char>) -> Option<Layout> {
    let first = fields(lines.first()?, delimiter);
    let is_heading = |field: &str| field.trim().is_empty() || !begins_with_square(field);
    let has_headings = first.iter().all(|(_, field)| is_heading(field));
    let rows = &lines[usize::from(has_headings)..];
    let wanted = if delimiter.is_some() { 2 } else { 1 };
    let is_moves = |field: &str| has_headings && MOVES.contains(&plain(field).as_str());
    // Text that is one field has the heading of a column, and no title.
    let is_title = delimiter.is_none() && !is_moves(&first[0].1);
    if first.len() < wanted || rows.is_empty() || is_title {
        return None;
    }
    let rows: Vec<Vec<Field<'_>>> = rows.iter().map(|row| fields(row, delimiter)).collect();
    // A row may be wrong, but not most of them.
    let is_column = |&column: &usize| {
        let is_row =
            |row: &&Vec<Field<'_>>| row.len() == first.len() && begins_with_square(&row[column].1);
        let has_moves =
            |row: &&Vec<Field<'_>>| is_row(row) && is_transcript(&row[column].1, FEWEST[0]);
        rows.iter().any(|row| has_moves(&row))
            && 2 * rows.iter().filter(is_row).count() > rows.len()
    };
    let columns = || (0..first.len()).filter(is_column);
    let headed = |&column: &usize| is_moves(&first[column].1);
    let column = columns().find(headed).or_else(|| columns().next())?;
    let is_long = |row: &Vec<Field<'_>>| {
        let moves = row.get(column);
        moves.is_some_and(|(_, moves)| is_transcript(moves, FEWEST[1]))
    };
    let others = rows.iter().flat_map(|row| row.iter().enumerate());
    let mut others = others.filter(|(at, _)| *at != column);
    if others.any(|(_, (_, field))| is_square(field)) && !rows.iter().any(is_long) {
        return None;
    }
    let named = |names: &[&str]| {
        let is_named =
            |(_, field): &Field<'_>| has_headings && names.contains(&plain(field).as_str());
        first.iter().position(is_named)
    };
    Some(Layout {
        delimiter,
        column,
        has_headings,
        black: named(&["black", "blackname", "blackplayer", "player1"]),
        white: named(&["white", "whitename", "whiteplayer", "player2"]),
        date: named(&["date", "year", "time", "timestamp", "created", "createdat"]),
        place: named(&["tournament", "event", "site", "place"]),
    })
}

/// A heading in small letters, and nothing between its words.
fn plain(heading: &str) -> String {
    heading.trim().to_lowercase().replace(['_', ' '], "")
}

fn is_transcript(field: &str, fewest: usize) -> bool {
    let found: Result<Transcript, _> = field.parse();
    found.is_ok_and(|found| found.game.moves().len() >= fewest)
}

/// Does the field begin as a transcript does? What comes after it may be wrong.
fn begins_with_square(field: &str) -> bool {
    field.trim().is_empty() || square(field.trim_start()).is_ok()
}

fn is_square(field: &str) -> bool {
    matches!(square(field.trim()), Ok(("", _)))
}

/// The fields of a line. In quotes, a delimiter is a letter as any other, and two quotes are one.
fn fields(line: &str, delimiter: Option<char>) -> Vec<Field<'_>> {
    let Some(delimiter) = delimiter else {
        return vec![(0, line.into())];
    };
    let mut fields = Vec::new();
    let mut at = 0;
    loop {
        let rest = &line[at..];
        let (field, length): (Field<'_>, usize) = match rest.strip_prefix('"') {
            Some(quoted) => {
                let end = closing_quote(quoted);
                let text = match &quoted[..end] {
                    text if text.contains('"') => text.replace("\"\"", "\"").into(),
                    text => text.into(),
                };
                let after = quoted.get(end + 1..).unwrap_or("");
                let junk = after.find(delimiter).unwrap_or(after.len());
                ((at + 1, text), rest.len() - after.len() + junk)
            }
            None => {
                let end = rest.find(delimiter).unwrap_or(rest.len());
                ((at, rest[..end].into()), end)
            }
        };
        fields.push(field);
        at += length;
        if at >= line.len() {
            return fields;
        }
        at += delimiter.len_utf8();
    }
}

/// Where the quote is that ends a field, or the end of the line.
fn closing_quote(text: &str) -> usize {
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        if letter == '"' && letters.next_if(|&(_, next)| next == '"').is_none() {
            return at;
        }
    }
    text.len()
}

impl Layout {
    /// The game of a row, or why its moves cannot be read.
    pub(super) fn game(&self, line: &str) -> Result<GgfGame, BadGame> {
        let fields = fields(line, self.delimiter);
        let reason = || format!("expected moves in field {}", self.column + 1);
        let missing = || TextError::new(line.len() + 1, reason());
        let (at, moves) = fields.get(self.column).ok_or_else(missing)?;
        let text = |field: Option<usize>| {
            let field = field.and_then(|field| fields.get(field));
            field.map_or_else(String::new, |(_, field)| field.trim().to_owned())
        };
        let mut game = GgfGame::default();
        game.black.name = text(self.black);
        game.white.name = text(self.white);
        game.date = facts::date(&text(self.date));
        game.place = text(self.place);
        let read = |moves: &str| {
            let found: Transcript = moves.parse()?;
            Ok::<_, TextError>(game.clone().with_moves_of(found.game))
        };
        read(moves).map_err(|error| {
            let bad = BadGame::of(error, moves, read);
            let error = bad.error.behind(*at);
            BadGame { error, ..bad }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(text: &str) -> Option<Layout> {
        detect(text.lines())
    }

    #[test]
    fn the_column_of_transcripts_is_found() {
        for (text, column, has_headings) in [
            (
                "id,winner,moves\n1,1,f5d6c3d3c4\n2,-1,f5f6e6f4e3\n",
                2,
                true,
            ),
            ("1;f5d6c3d3c4;x\n2;f5f6e6f4e3;y\n", 1, false),
            ("f5d6c3\t+4\nf5f6e6\t-2\n", 0, false),
            ("a|b\n\"f5d6c3\"|\"x|\"\"y\"\n", 0, true),
            ("moves\nf5d6c3\nf5f6\n", 0, true),
            ("round,Game_Moves\nF1,F5D6C3D3\nF2,F5D6\n", 1, true),
            ("d3;f5d6c3d3c4\nf5;f5f6\n", 1, false),
        ] {
            let found = layout(text).expect(text);
            assert_eq!(
                (found.column, found.has_headings),
                (column, has_headings),
                "{text}"
            );
        }
        for text in [
            "",
            "f5d6c3\nf5f6\n",
            "1. f5, d6\n2. c3, d3\n",
            "#\tBlack\tWhite\n1\tF5\tD6\n",
            "a,b\n1,2\n",
            "XX\nf5d6c3\n",
            "f5,d6\nc3,d3c4\n",
        ] {
            assert_eq!(layout(text), None, "{text}");
        }
    }

    #[test]
    fn rows_are_games() {
        let table =
            layout("date,black,white,event,moves\n2015,Ann,Ben,Cup,f5d6\n").expect("a table");
        let game = table
            .game("2016,\"Ann, B\",Ben,Cup,f5d6c3")
            .expect("a game");
        assert_eq!(
            (
                game.black.name.as_str(),
                game.white.name.as_str(),
                game.date.as_str()
            ),
            ("Ann, B", "Ben", "2016")
        );
        assert_eq!(game.game.transcript(), "f5d6c3");
        let column = |row: &str| table.game(row).map_err(|bad| bad.error.column);
        assert_eq!(column("2016,a,b,c,f5f5"), Err(14));
        assert_eq!(column("2016,a"), Err(7));
        assert_eq!(column("2016,a,b,c,"), Err(12));
    }

    #[test]
    fn a_row_with_a_typo_is_an_error_wherever_it_stands() {
        for rows in [
            "1,f5d6c3d9c4\n2,f5d6c3\n",
            "1,f5d9\n2,f5x6\n3,f5d\n4,f5d6c3\n5,f5d6\n",
        ] {
            let text = format!("id,moves\n{rows}");
            let layout = layout(&text).expect(rows);
            let bad = rows.lines().filter(|row| layout.game(row).is_err()).count();
            assert_eq!(
                bad,
                rows.lines().count()
                    - rows.matches("f5d6c3\n").count()
                    - rows.matches(",f5d6\n").count()
            );
        }
        let other = layout("opening,moves\nf5d6,f5d6c3d3c4\n");
        assert!(other.is_none_or(|layout| layout.column == 1));
    }
}
