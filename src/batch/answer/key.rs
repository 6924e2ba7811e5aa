//! What binds an answer to its line: a checksum of the position, the question, the result, the score or its bounds,
//! the best move, and the scores of all moves where they are listed. So an answer that was changed, or that stands at another line than its own, is found out by
//! whoever has the line. It finds mistakes, not forgers: anybody can compute it.
//!
//! The key is the CRC-32 (that of zlib) of `POSITION QUESTION RESULT SCORE BEST`, and of `MOVES` behind them if there
//! are some, with tabs between them, each as the text form has it, in 8 hexadecimal digits. The key of an error is that of `LINE error COLUMN REASON`, where LINE is
//! the line of the input; of a fault of the solver, the position and `-`.

use std::fmt;
use std::fmt::Write as _;
use std::str::FromStr;

use crc32fast::Hasher;

use super::text::{asked, moves_text};
use crate::batch::problem::{MoveValue, Problem};
use crate::rules::{Move, Position};

/// What binds an answer to its line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Key(u32);

impl Key {
    /// The key of a result. `score` is what is said of the score, `None` where only who wins is.
    pub(crate) fn of_result(
        problem: &Problem,
        result: &str,
        score: Option<impl fmt::Display>,
        best: Option<Move>,
        moves: Option<&[(Move, MoveValue)]>,
    ) -> Key {
        let mut text = String::with_capacity(96);
        let best = best.map_or("-", Move::name);
        // Text in memory cannot fail.
        let asked = asked(problem.question, problem.moves);
        let _ = write!(text, "{}\t{asked}\t{result}\t", problem.position);
        let _ = match score {
            Some(score) => write!(text, "{score}\t{best}"),
            None => write!(text, "-\t{best}"),
        };
        if let Some(moves) = moves {
            text.push('\t');
            text.push_str(&moves_text(moves));
        }
        Key::of_bytes([text.as_bytes()])
    }

    /// The key of an error in the line `line`.
    pub(crate) fn of_error(line: &[u8], column: usize, reason: &str) -> Key {
        let error = format!("\terror\t{column}\t{reason}");
        Key::of_bytes([line, error.as_bytes()])
    }

    /// The key where the solver failed at a position.
    pub(crate) fn of_fault(position: Position, reason: &str) -> Key {
        Key::of_bytes([format!("{position}\terror\t-\t{reason}").as_bytes()])
    }

    fn of_bytes<const N: usize>(parts: [&[u8]; N]) -> Key {
        let mut crc = Hasher::new();
        parts.iter().for_each(|part| crc.update(part));
        Key(crc.finalize())
    }
}

/// 8 hexadecimal digits.
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}", self.0)
    }
}

impl FromStr for Key {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Key, &'static str> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let has_digits = text.len() == 8 && text.bytes().all(is_digit);
        let value = u32::from_str_radix(text, 16).ok().filter(|_| has_digits);
        value
            .map(Key)
            .ok_or("expected a key of 8 hexadecimal digits")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::{Bounds, Question};

    #[test]
    fn the_key_is_the_checksum_that_others_compute() {
        // Python: zlib.crc32(b"..position.. X\texact\tdraw\t+0\tf5")
        let start = Position::START;
        let square = "f5".parse().ok();
        let key = Key::of_result(
            &Problem::new(start, Question::Exact),
            "draw",
            Some(Bounds::exactly(0)),
            square,
            None,
        );
        assert_eq!(key.to_string(), "62a847b1");
        assert_eq!(key.to_string().parse(), Ok(key));
        assert!("12345".parse::<Key>().is_err() && "1234567G".parse::<Key>().is_err());
    }
}
