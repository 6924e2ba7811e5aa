//! Opening lists: one start of a game a line, as a transcript (XOT lists) or as a
//! position (OBF lines), in any mixture.

use super::{obf, transcript};
use crate::rules::Game;
use crate::text::{ReadError, TextError, read_all};

/// Reads a line; `None` if it is blank or a comment.
///
/// # Errors
/// If the line is neither a transcript nor a position.
pub fn parse_line(line: &str) -> Result<Option<Game>, TextError> {
    if is_board(line) {
        let problem = obf::parse_line(line)?;
        return Ok(problem.map(|problem| Game::new(problem.position)));
    }
    Ok(transcript::parse_line(line)?.map(|transcript| transcript.game))
}

/// Reads whole text: the games of all lines.
///
/// # Errors
/// At the first line that is neither a transcript nor a position.
pub fn parse(text: &[u8]) -> Result<Vec<Game>, ReadError> {
    read_all(text, parse_line)
}

/// Does the line begin with cells rather than with a move?
fn is_board(line: &str) -> bool {
    let mut letters = line.trim_start().chars();
    match letters.next() {
        Some('-' | '.' | '_' | '*' | 'X' | 'x' | 'O' | 'o' | 'W' | 'w') => true,
        // A black disc or the file of a first move.
        Some('B' | 'b') => !letters.next().is_some_and(|c| c.is_ascii_digit()),
        _ => false,
    }
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
        assert_eq!(parse_line("% XOT"), Ok(None));
        assert!(parse_line("a1").is_err());
    }
}
