//! Moves as they stand in a book, a chat or a table: squares with numbers, punctuation and line ends between them,
//! and remarks in brackets. Letters may be full-width (`ｆ５`), and passes may be left out.

use super::transcript::dropped;
use crate::rules::{Color, Game, Move, Position};
use crate::text::TextError;
use crate::text::words::{a_move, narrow, split_digits};

/// Most moves that may be a part of a game that was pasted in pieces, though they are a game by themselves.
const FEW: usize = 2;

/// A word of a text, and at which byte it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Token {
    pub(super) at: usize,
    pub(super) word: PageWord,
}

impl Token {
    pub(super) const fn is_square(&self) -> bool {
        matches!(self.word, PageWord::Move(Move::Place(_)))
    }

    pub(super) fn is_other(&self) -> bool {
        self.word == PageWord::Other
    }

    pub(super) const fn is_number(&self) -> bool {
        matches!(self.word, PageWord::Number(_))
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PageWord {
    Move(Move),
    Number(u32),
    Side(Color),
    Other,
}

/// Moves, numbers and names of sides.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct MoveLine {
    pub(super) number: Option<u32>,
    pub(super) tokens: Vec<Token>,
}

/// Why a line that begins with the number of a later move is no game.
pub(super) fn missing_moves(number: u32) -> String {
    format!("the moves before number {number} are missing, or do not lead to it")
}

/// A game as it stands in a book, a chat or a table.
///
/// # Errors
/// If there is a word that is no move, or a move is not legal.
pub(super) fn parse_pasted(text: &str) -> Result<Game, TextError> {
    let line = MoveLine::new(tokens(text, 0));
    let game = line.game()?;
    match game.moves().is_empty() {
        true => Err(TextError::new(1, "there is no move")),
        false => Ok(game),
    }
}

impl MoveLine {
    pub(super) fn new(tokens: Vec<Token>) -> MoveLine {
        let number = first_number(&tokens);
        MoveLine { number, tokens }
    }

    /// Is it long and without a number, so that it may be a game of its own that has an error?
    pub(super) fn is_doubtful(&self) -> bool {
        self.number.is_none() && !self.is_few()
    }

    pub(super) fn is_few(&self) -> bool {
        self.tokens.iter().filter(|token| token.is_square()).count() <= FEW
    }

    /// An error at its first word.
    pub(super) fn error(&self, reason: String) -> TextError {
        let at = self.tokens.first().map_or(0, |token| token.at);
        TextError::new(at + 1, reason)
    }

    pub(super) fn game(&self) -> Result<Game, TextError> {
        let mut game = Game::new(Position::START);
        self.play(&mut game).map(|()| game)
    }

    /// Plays its moves, up to the first error.
    pub(super) fn play(&self, game: &mut Game) -> Result<(), TextError> {
        let mut side = None;
        for &Token { at, word } in &self.tokens {
            let played = match word {
                PageWord::Side(color) => {
                    side = Some(color);
                    Ok(())
                }
                PageWord::Move(mv) => play(game, mv, side.take()),
                PageWord::Number(_) => Ok(()),
                PageWord::Other => Err("expected a square a1..h8 or a pass".to_owned()),
            };
            played.map_err(|reason| TextError::new(at + 1, reason))?;
        }
        Ok(())
    }
}

/// Plays a move, of the side that the text names, if it does.
fn play(game: &mut Game, mv: Move, side: Option<Color>) -> Result<(), String> {
    let mover = game.position().mover(mv);
    let is_end = mv == Move::Pass && game.position().board.is_over();
    if let Some(side) = side.filter(|&side| side != mover && !is_end) {
        return Err(format!("illegal move {mv} of {side}: it is {mover}'s turn"));
    }
    game.accept(mv).map_err(|error| error.to_string())
}

pub(super) fn first_number(tokens: &[Token]) -> Option<u32> {
    match tokens.first()?.word {
        PageWord::Number(number) => Some(number),
        _ => None,
    }
}

/// The words of a text, without what stands in brackets; where no square stands outside of them, `[f5, d6]` is a list.
/// The text begins at byte `base`.
pub(super) fn tokens(text: &str, base: usize) -> Vec<Token> {
    let tokens = tokens_outside(text, base, "([{（［｛");
    match tokens.iter().any(Token::is_square) || !text.contains('[') {
        true => tokens,
        false => tokens_outside(text, base, "({（｛"),
    }
}

fn tokens_outside(text: &str, base: usize, brackets: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = text;
    // `Black wins by resignation`: what follows a result says how it came about.
    let mut is_over = false;
    while let Some(letter) = rest.chars().next() {
        let before = &text[..text.len() - rest.len()];
        let at = base + before.len();
        rest = if brackets.contains(letter) {
            let closed = rest.split_once(|other| is_closing(letter, other));
            let word = PageWord::Other;
            closed.map_or_else(
                || {
                    tokens.push(Token { at, word });
                    ""
                },
                |(_, after)| after,
            )
        } else if letter == '-' {
            let after = rest.trim_start_matches('-');
            if rest.len() - after.len() == 2 && !before.ends_with(char::is_alphanumeric) {
                let word = PageWord::Move(Move::Pass);
                tokens.push(Token { at, word });
            }
            after
        } else if let Ok((after, square)) = dropped(rest) {
            let word = PageWord::Move(Move::Place(square));
            tokens.push(Token { at, word });
            after
        } else if let Some(after) = behind_clock(rest) {
            after
        } else if letter.is_alphanumeric() {
            let after = rest.trim_start_matches(char::is_alphanumeric);
            is_over = add_word(&mut tokens, &rest[..rest.len() - after.len()], at, is_over);
            after
        } else {
            &rest[letter.len_utf8()..]
        };
    }
    tokens
}

/// What follows a time of the clock, `0:03` or `12:00:05`, which is no number of a move.
fn behind_clock(text: &str) -> Option<&str> {
    let (hours, rest) = split_digits(text);
    let (minutes, rest) = split_digits(rest.strip_prefix(':')?);
    let is_clock = !hours.is_empty() && minutes.len() == 2;
    is_clock.then(|| behind_clock(&text[hours.len() + 1..]).unwrap_or(rest))
}

/// Does `closing` end a remark that `opening` begins?
fn is_closing(opening: char, closing: char) -> bool {
    let pair = [narrow(opening), narrow(closing)];
    matches!(pair, ['(', ')'] | ['[', ']'] | ['{', '}'])
}

/// The side that a word or a letter names.
pub(super) fn side_named(word: &str) -> Option<Color> {
    const BLACK: [&str; 7] = ["黒", "先手", "黑", "흑", "noir", "schwarz", "черные"];
    const WHITE: [&str; 7] = ["白", "後手", "白方", "백", "blanc", "weiß", "белые"];
    let word = word.to_lowercase();
    let among = |words: [&str; 7]| words.contains(&word.as_str());
    match (among(BLACK), among(WHITE)) {
        (true, _) => Some(Color::Black),
        (_, true) => Some(Color::White),
        _ => word.parse().ok(),
    }
}

/// Does the word say how a game ended: `draw`, or `wins` (`r` of `B+R`) behind the name of a side, which is taken away?
fn is_result(word: &str, tokens: &mut Vec<Token>) -> bool {
    const ALONE: [&str; 9] = [
        "draw",
        "drawn",
        "tie",
        "jigo",
        "½",
        "引き分け",
        "ничья",
        "resign",
        "timeout",
    ];
    const BEHIND_SIDE: [&str; 15] = [
        "wins", "won", "win", "gewinnt", "gagne", "gana", "resigns", "resigned", "resign", "r",
        "time", "timeout", "t", "forfeit", "f",
    ];
    let word = word.to_lowercase();
    let is_behind_side = matches!(
        tokens.last().map(|token| token.word),
        Some(PageWord::Side(_))
    );
    let is_win = is_behind_side && BEHIND_SIDE.contains(&&*word);
    if is_win {
        tokens.pop();
    }
    let with_side = word
        .strip_suffix("勝ち")
        .or_else(|| word.strip_suffix('勝'));
    let names_winner =
        with_side.is_some_and(|side| side_named(side.trim_end_matches('の')).is_some());
    is_win || names_winner || ALONE.contains(&&*word)
}

/// Moves that stand together, perhaps behind their number; a number; the name of a side; or another word, which is left
/// out behind a result. Does a result stand here, or before it without a move since?
fn add_word(tokens: &mut Vec<Token>, word: &str, at: usize, is_over: bool) -> bool {
    let plain: String = word.chars().map(narrow).collect();
    if let Some(side) = side_named(&plain) {
        let word = PageWord::Side(side);
        tokens.push(Token { at, word });
        return is_over;
    }
    if is_result(&plain, tokens) {
        return true;
    }
    let (digits, mut rest) = split_digits(&plain);
    let mut found = Vec::new();
    if !digits.is_empty() {
        let word = PageWord::Number(digits.parse().unwrap_or(u32::MAX));
        found.push(Token { at, word });
    }
    while !rest.is_empty() {
        // Full-width letters have three bytes.
        let letters = word.char_indices().nth(plain.len() - rest.len());
        let at = at + letters.map_or(0, |(offset, _)| offset);
        let (Ok((after, mv)), true) = (a_move(rest), plain.is_ascii()) else {
            // No part of another word is a move.
            let word = PageWord::Other;
            let other = (!is_over).then_some(Token { at, word });
            tokens.extend(other);
            return is_over;
        };
        let word = PageWord::Move(mv);
        found.push(Token { at, word });
        rest = after;
    }
    let is_over = is_over && !found.iter().any(Token::is_square);
    tokens.append(&mut found);
    is_over
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_may_be_pasted_from_anywhere() {
        for text in [
            "1. f5 d6\n2. c3 d3\n3. c4",
            "1 F5 2 D6 3 C3 4 D3 5 C4",
            "1) f5-d6, 2) c3-d3 (+0.5 [book]), 3) c4; 33:31",
            "f5 d6 | c3 d3 |\r\nc4 +2",
            "１．ｆ５　Ｄ６　２．ｃ３（定石）ｄ３　c4",
            "f5d6\nc3d3\nc4",
            "['f5', 'd6', 'c3', 'd3', 'c4']",
            "[f5; d6; c3; d3; c4]",
            "f5d6c3d3c4 Black wins 40-24",
            "f5d6c3d3c4, white won by 2",
            "f5d6c3d3c4 draw 32:32",
            "f5d6c3d3c4 黒の勝ち 40-24",
            "f5d6c3d3c4 Black wins by resignation",
            "f5d6c3d3c4 white resigned (lost on time)",
            "f5d6c3d3c4 B+R",
            "f5d6c3d3c4 w+time",
            "f5d6c3d3c4 Tie",
            "f5d6c3d3c4 draw by agreement, 32-32",
            "f5d6c3d3c4 ½-½",
            "f5d6c3d3c4 Schwarz gewinnt",
        ] {
            let game = parse_pasted(text).expect(text);
            assert_eq!(game.transcript(), "f5d6c3d3c4", "{text}");
        }
        for (text, column) in [
            ("f5 d6 hello", 7),
            ("f5 d6 wins", 7),
            ("f5 d6 draw c3 hello", 15),
            ("f5 d6 by resignation", 7),
            ("f5\na1", 4),
            ("", 1),
            ("12 - 34", 1),
            ("f5 (d6", 4),
            ("ｆ５ｄ９", 7),
            ("f5 pass d6", 4),
            ("f5 -- d6", 4),
        ] {
            let read = parse_pasted(text).map_err(|error| error.column);
            assert_eq!(read, Err(column), "{text}");
        }
        let dropped = parse_pasted("1. P@e3 P@f3").map(|game| game.transcript());
        assert_eq!(dropped, Ok("e6f6".to_owned()));
    }
}
