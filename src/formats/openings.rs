//! Opening lists: one start of a game a line, as a transcript (XOT lists), as a position (OBF lines), or as a
//! position with moves, in any mixture.

use super::line;
use crate::rules::Game;
use crate::text::{ReadError, TextError, read_all};

/// Reads a line; `None` if it is blank or a comment.
///
/// # Errors
/// If the line is neither a transcript nor a position.
pub fn parse_line(line: &str) -> Result<Option<Game>, TextError> {
    Ok(line::parse_line(line, None)?.map(line::Entry::into_game))
}

/// Reads whole text: the games of all lines.
///
/// # Errors
/// At the first line that is neither a transcript nor a position.
pub fn parse(text: &[u8]) -> Result<Vec<Game>, ReadError> {
    read_all(text, parse_line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Position;

    #[test]
    fn transcripts_and_positions_are_distinguished() {
        let game = parse_line("f5d6c3").expect("legal").expect("a game");
        assert_eq!(game.transcript(), "f5d6c3");
        let line = format!("{}; +0; % known", Position::START);
        let game = parse_line(&line).expect("legal").expect("a game");
        assert_eq!(game, Game::new(Position::START));
        let game = parse_line(&format!("{} e6f4", Position::START)).expect("legal");
        assert_eq!(game.expect("a game").transcript(), "e6f4");
        assert_eq!(parse_line("% XOT"), Ok(None));
        assert!(parse_line("a1").is_err());
        assert!(parse_line("5").is_err(), "a number is no opening");
    }
}
