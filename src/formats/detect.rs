//! What a file or a stream holds, by its first bytes: every command asks here, so that all of them read
//! the same text in the same way.

use std::borrow::Cow;
use std::fmt;
use std::path::Path;

use super::{PlacedGame, drawn, ggf, line, page, pgn, sgf, table, wthor};
use crate::rules::Color;
use crate::text::latin1;
use crate::text::words::is_nothing;

/// Bytes of a file that are looked at.
pub const HEAD: usize = 1 << 16;

/// Among so many first bytes of a file that is no text there is a zero.
const BINARY: usize = 64;

/// A kind of text or file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Positions, transcripts or games of GGF, one a line.
    Lines,
    /// Games of GGF over several lines, or many in one long line.
    Ggf,
    /// Games of SGF.
    Sgf,
    /// A WTHOR database.
    Wthor,
    /// Games with headers, `[Black "ann"]`, and numbered moves: PGN, as of PlayOK.
    Pgn,
    /// JSON with moves, as of Othello Quest and of `emilia match --save`.
    Json,
    /// A table with a column of transcripts.
    Table,
    /// A pasted page: games among other lines.
    Page,
    /// Boards that are drawn over eight lines.
    Drawn,
    /// Games that `emilia-lab selfplay` wrote.
    SelfPlay,
    /// Text of which no line can be read.
    Unknown,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Lines => "lines of positions or games",
            Kind::Ggf => "games of GGF",
            Kind::Sgf => "games of SGF",
            Kind::Wthor => "a WTHOR database",
            Kind::Pgn => "games of PGN",
            Kind::Json => "games in JSON",
            Kind::Table => "a table of games",
            Kind::Page => "a page with games",
            Kind::Drawn => "a drawn board",
            Kind::SelfPlay => "games of emilia-lab selfplay",
            Kind::Unknown => "text without a position or a game",
        })
    }
}

/// What a file holds that begins with `head`.
///
/// # Errors
/// If it is no text, and no database of games either: why it cannot be read.
pub fn detect(head: &[u8], path: Option<&Path>) -> Result<Kind, &'static str> {
    if head.starts_with(b"EMILIAGM") {
        return Ok(Kind::SelfPlay);
    }
    if path.is_some_and(wthor::is_database) || wthor::is_header(head) {
        return Ok(Kind::Wthor);
    }
    // Text with a zero byte somewhere is text with an error in that line.
    if head[..head.len().min(BINARY)].contains(&0) || head.starts_with(b"EMILIA") {
        return Err("its bytes are neither text nor a WTHOR database");
    }
    let text = latin1(whole_letters(head));
    Ok(of_text(text.strip_prefix('\u{feff}').unwrap_or(&text)))
}

/// The bytes without a letter of UTF-8 that is cut at their end.
fn whole_letters(head: &[u8]) -> &[u8] {
    match std::str::from_utf8(head) {
        Err(error) if error.error_len().is_none() => &head[..error.valid_up_to()],
        _ => head,
    }
}

fn of_text(text: &str) -> Kind {
    let lines = || text.lines().filter(|line| !is_nothing(line));
    let Some(first) = lines().next() else {
        return Kind::Lines;
    };
    if ggf::is_ggf(first) {
        return of_game(text);
    }
    if is_line(first, None) {
        return Kind::Lines;
    }
    let drawn = drawn::parse(text, None);
    // A list of boards of 64 cells has a side for all, or none.
    let has_side = drawn.iter().any(|(_, game)| game.is_ok());
    if has_side || !drawn.is_empty() && !is_line(first, Some(Color::Black)) {
        return Kind::Drawn;
    }
    if is_json(first, text) {
        return Kind::Json;
    }
    if pgn::is_header(first) {
        return Kind::Pgn;
    }
    if is_line(first, Some(Color::Black)) {
        return Kind::Lines;
    }
    // Something stands before the games: the head of a mail, a title.
    if let Some(at) = sgf::start_of_game(text)
        && let kind = of_game(&text[at..])
        && kind != Kind::Unknown
    {
        return if kind == Kind::Lines { Kind::Ggf } else { kind };
    }
    if lines().any(pgn::is_header) {
        return Kind::Pgn;
    }
    if table::detect(lines()).is_some() {
        return Kind::Table;
    }
    // A line that begins with moves is meant as a game, and so is the whole text.
    let plain = page::without_markup(text);
    let is_begun = page::all_moves(first).is_some() && matches!(plain, Cow::Borrowed(_));
    let has_lines = lines()
        .skip(1)
        .any(|line| is_line(line, Some(Color::Black)));
    if is_begun && has_lines {
        return Kind::Lines;
    }
    let games = page::parse(text);
    let good = games.iter().filter(|(_, game)| game.is_ok()).count();
    let is_clear = good == games.len() && plain.lines().all(page::is_clear);
    if good > 0 && (!is_begun || is_clear) || good == 0 && games.iter().any(is_cut) && !is_begun {
        Kind::Page
    } else if is_begun || has_lines || line::is_begun(first) && !line::is_number(first) {
        Kind::Lines
    } else {
        Kind::Unknown
    }
}

/// Can a game be read up to an illegal move?
fn is_cut((_, game): &PlacedGame) -> bool {
    game.as_ref().is_err_and(|bad| bad.before.is_some())
}

/// Is it a line, if `side` moves on boards that do not say it?
fn is_line(line: &str, side: Option<Color>) -> bool {
    line::parse_line(line.trim_end(), side).is_ok_and(|entry| entry.is_some())
}

/// The kind of a text that begins with `(;`, perhaps after a number: GGF names the game as `GM[Othello]`, and its moves
/// are no nodes of their own.
fn of_game(text: &str) -> Kind {
    let game = Opened::of(text);
    let is_ggf = game.is_othello || game.has_board && !game.has_game;
    if !is_ggf || game.has_nodes {
        return match game.has_values {
            true => Kind::Sgf,
            false => Kind::Unknown,
        };
    }
    // The last line may be cut.
    let whole = match text.rfind('\n') {
        Some(end) => &text[..end],
        None if text.len() + 4 < HEAD => text,
        None => return Kind::Ggf,
    };
    let mut games = whole.lines().filter(|line| ggf::is_ggf(line));
    let is_complete = |line: &str| line.contains(";)") || line.contains("; )");
    match games.all(is_complete) {
        true => Kind::Lines,
        false => Kind::Ggf,
    }
}

/// What the first game of a text tells of its kind.
#[derive(Default)]
struct Opened {
    /// `GM[Othello]`, and any `GM`.
    is_othello: bool,
    has_game: bool,
    /// `BO[8 ..]`.
    has_board: bool,
    /// A node behind the first.
    has_nodes: bool,
    has_values: bool,
}

impl Opened {
    fn of(text: &str) -> Opened {
        let mut opened = Opened::default();
        let Some(start) = text.find(';') else {
            return opened;
        };
        let mut rest = &text[start + 1..];
        loop {
            rest = rest.trim_start();
            if let Some(node) = rest.strip_prefix(';') {
                if node.trim_start().starts_with(')') {
                    return opened;
                }
                opened.has_nodes |= !node.trim_start().is_empty();
                rest = node;
                continue;
            }
            let value = rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric());
            let name = &rest[..rest.len() - value.len()];
            let value = value.trim_start().strip_prefix('[');
            let Some((value, after)) = value.and_then(split_value) else {
                return opened;
            };
            opened.has_values = true;
            match name.to_ascii_uppercase().as_str() {
                "GM" | "GAME" => {
                    opened.has_game = true;
                    opened.is_othello |= value.trim().eq_ignore_ascii_case("othello");
                }
                "BO" => opened.has_board |= value.trim_start().starts_with('8'),
                _ => {}
            }
            rest = after;
        }
    }
}

/// A value up to its bracket, and what comes after it. In GGF, a backslash is a letter; in SGF, it takes the next one.
fn split_value(text: &str) -> Option<(&str, &str)> {
    let mut is_escaped = false;
    let is_end = |letter| {
        let is_end = letter == ']' && !is_escaped;
        is_escaped = letter == '\\' && !is_escaped;
        is_end
    };
    let end = text.find(is_end)?;
    Some((&text[..end], &text[end + 1..]))
}

/// Does the text begin as JSON does, rather than as a header of PGN or a board?
fn is_json(first: &str, text: &str) -> bool {
    let first = first.trim_start();
    let start = text.find(first).unwrap_or(0);
    let mut letters = text[start..].chars();
    let bracket = letters.next();
    let inside = letters.as_str().trim_start();
    match (bracket, inside.chars().next()) {
        (Some('{'), Some('"' | '\'' | '}')) => true,
        (Some('['), Some('{' | '[' | '"' | '\'' | ']')) => true,
        (Some('('), Some('"' | '\'')) => true,
        (Some('[' | '('), Some('0'..='9' | '-')) => {
            let number = inside.trim_start_matches(|c: char| c.is_ascii_digit() || c == '-');
            let after = number.trim_start();
            // `[1] f5` is a move with its number.
            after.starts_with(',')
                || after
                    .strip_prefix(']')
                    .is_some_and(|rest| rest.trim().is_empty())
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOARD: &str = "BO[8 ---------------------------O*------*O--------------------------- *]";

    fn kind(text: &str) -> Kind {
        detect(text.as_bytes(), None).expect(text)
    }

    #[test]
    fn texts_are_told_apart() {
        let cells = "-".repeat(27) + "OX------XO" + &"-".repeat(27);
        for (text, expected) in [
            ("f5d6c3\nf5f6\n".to_owned(), Kind::Lines),
            (
                "\u{feff}% a comment\n\n1. f5 d6 2. c3 d3\n".to_owned(),
                Kind::Lines,
            ),
            (format!("{cells} X\n"), Kind::Lines),
            (String::new(), Kind::Lines),
            (
                format!("(;GM[Othello]{BOARD}B[F5];)\n(;GM[Othello]B[F5];)\n"),
                Kind::Lines,
            ),
            (format!("2 (;GM[Othello]{BOARD}B[F5];)"), Kind::Lines),
            (
                format!("(;GM[Othello]PB[a]\nPW[b]{BOARD}\nB[F5]\n;)\n"),
                Kind::Ggf,
            ),
            (
                format!("Games of today\n(;GM[Othello]{BOARD}B[F5];)\n"),
                Kind::Ggf,
            ),
            ("(;FF[4]GM[2];B[fe])".to_owned(), Kind::Sgf),
            ("From: me\n\n(;FF[4]GM[2];B[fe])".to_owned(), Kind::Sgf),
            (
                "(;FF[4]GM[2]C[(;GM[Othello\\] GM[Othello]);B[fe])".to_owned(),
                Kind::Sgf,
            ),
            ("(;FF[4]SZ[8]\nPB[a]\n;B[fd])".to_owned(), Kind::Sgf),
            ("[Event \"?\"]\n1. f5".to_owned(), Kind::Pgn),
            ("id,moves\n1,f5d6c3\n".to_owned(), Kind::Table),
            ("Othello Quest\nf5d6c3\n".to_owned(), Kind::Page),
            ("{\"moves\":\"f5\"}".to_owned(), Kind::Json),
            ("[\n  {\"moves\": 1}]".to_owned(), Kind::Json),
            ("[37,43]".to_owned(), Kind::Json),
            ("['f5', 'd6']".to_owned(), Kind::Json),
            ("('f5', 'd6')".to_owned(), Kind::Json),
            ("[1] f5 [2] d6".to_owned(), Kind::Page),
            ("hello\nworld\n".to_owned(), Kind::Unknown),
            ("f5f5\n".to_owned(), Kind::Lines),
            ("f5 hello\n".to_owned(), Kind::Lines),
            ("XX\nf5d6c3\n".to_owned(), Kind::Page),
            ("A game\nf5d6a1\n".to_owned(), Kind::Page),
            ("ｆ５ Ｄ６（定石）\n".to_owned(), Kind::Page),
            ("f5f5\nf5d6\n".to_owned(), Kind::Lines),
        ] {
            assert_eq!(kind(&text), expected, "{text}");
        }
        let long = format!("(;GM[Othello]{BOARD}B[F5];)").repeat(1000);
        assert_eq!(kind(&long[..HEAD]), Kind::Ggf);
    }

    #[test]
    fn bytes_that_are_no_text_are_named() {
        let mut header = vec![20, 26, 11, 21, 1, 0, 0, 0, 0, 0, 0xea, 0x07, 8, 0, 24, 0];
        header.resize(84, 0);
        assert_eq!(detect(&header, None), Ok(Kind::Wthor));
        assert_eq!(
            detect(b"short", Some(Path::new("WTH_2001.wtb.gz"))),
            Ok(Kind::Wthor)
        );
        assert_eq!(detect(b"EMILIAGM\x02", None), Ok(Kind::SelfPlay));
        assert!(detect(b"\x7fELF\0\0\0", None).is_err());
    }
}
