//! How an interrupted match goes on.

use std::ffi::OsString;

/// The command that continues the match of these arguments, for a shell.
pub(super) fn command_to_resume(arguments: impl Iterator<Item = OsString>) -> String {
    let mut words: Vec<String> = arguments
        .map(|word| quoted(&word.to_string_lossy()))
        .collect();
    if !words.iter().any(|word| word == "--resume") {
        words.push("--resume".to_owned());
    }
    words.join(" ")
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_=+./,:@%".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_that_continues_is_one_for_a_shell() {
        let command = |words: &[&str]| command_to_resume(words.iter().map(OsString::from));
        assert_eq!(
            command(&[
                "emilia",
                "match",
                "--engine",
                "a|ugi|./a b",
                "--save",
                "it's"
            ]),
            r"emilia match --engine 'a|ugi|./a b' --save 'it'\''s' --resume"
        );
        assert_eq!(
            command(&["emilia", "match", "--resume", ""]),
            "emilia match --resume ''"
        );
    }
}
