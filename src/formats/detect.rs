//! What a file or a stream holds, by its first bytes: every command asks here, so that all of them read
//! the same text in the same way.

use std::fmt;
use std::path::Path;

use super::{ggf, obf, openings, wthor};

/// Bytes of a file that are looked at.
pub const HEAD: usize = 1 << 16;

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
    /// Text of which no line can be read: each line is an error, or the whole text is one.
    Unknown,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Lines => "lines",
            Kind::Ggf => "GGF",
            Kind::Sgf => "SGF",
            Kind::Wthor => "a WTHOR database",
            Kind::Pgn => "PGN",
            Kind::Json => "JSON",
            Kind::Table => "a table",
            Kind::Page => "a page",
            Kind::Unknown => "text of no known kind",
        })
    }
}

/// What a file holds that begins with `head`, or why it cannot be read.
///
/// # Errors
/// If it is no text, and no database of games either.
pub fn detect(head: &[u8], path: Option<&Path>) -> Result<Kind, &'static str> {
    if path.is_some_and(wthor::is_database) {
        return Ok(Kind::Wthor);
    }
    let text = String::from_utf8_lossy(head);
    let _ = (
        ggf::is_ggf(&text),
        obf::parse_line(""),
        openings::parse_line(""),
    );
    Ok(if super::sgf::is_sgf(&text) {
        Kind::Sgf
    } else {
        Kind::Lines
    })
}
