//! Text of others on a terminal and in tables: names of players and files, and what engines say.

use std::borrow::Cow;
use std::fmt::Write;

/// The text with all that does more than stand there written as an escape: control characters, which
/// move the cursor, change colours or begin a line; the ends of lines and paragraphs of Unicode; and
/// the marks that reverse the direction of what follows.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_active) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for letter in text.chars() {
        if !is_active(letter) {
            shown.push(letter);
        } else if let '\t' | '\n' | '\r' = letter {
            shown.extend(letter.escape_default());
        } else {
            // Writing into memory does not fail.
            let _ = match u8::try_from(letter) {
                Ok(byte) => write!(shown, "\\x{byte:02x}"),
                Err(_) => write!(shown, "\\u{{{:x}}}", u32::from(letter)),
            };
        }
    }
    Cow::Owned(shown)
}

/// Does the character do more than stand there?
pub fn is_active(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            '\u{2028}' | '\u{2029}' | '\u{200e}' | '\u{200f}' | '\u{061c}'
                | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_acts_is_escaped() {
        for plain in ["", "Emilia 1.0", "Zoë \u{5b}日本 \\n 'x' \"y\"", "a\u{a0}b"] {
            assert!(matches!(printable(plain), Cow::Borrowed(same) if same == plain));
        }
        for (text, shown) in [
            ("a\nb\tc\r", r"a\nb\tc\r"),
            ("\u{1b}[31mred\u{7f}", r"\x1b[31mred\x7f"),
            ("\u{9b}2J\0", r"\x9b2J\x00"),
            ("gpj\u{202e}.exe\u{2066}", r"gpj\u{202e}.exe\u{2066}"),
            ("one\u{2028}two", r"one\u{2028}two"),
        ] {
            assert_eq!(printable(text), shown);
        }
    }
}
