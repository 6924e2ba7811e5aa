//! Pasted pages: lines of moves among headings, results and names, as one copies them from Othello
//! Quest, eOthello or Board Game Arena.
//!
//! A line that holds nothing but moves and numbers is a part of a game; a line without a move is none. Where no
//! line is of moves alone, sentences with one square each (`anna plays f5 and flips 1 disc`) are the moves.

use super::PlacedGame;
use super::facts;
use super::ggf::{Annotation, GgfGame};
use super::transcript::closing;
use crate::rules::{Color, Game, Move, Position};
use crate::text::TextError;
use crate::text::words::{a_move, narrow};

/// So many moves or fewer may be a part of a game that was pasted in pieces, though they are a game by themselves.
const FEW: usize = 2;

/// A word of a line, and at which byte it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Token {
    at: usize,
    word: Word,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Word {
    Move(Move),
    Number(u32),
    Side(Color),
    Other,
}

/// What a line of a page is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum PageLine {
    /// Moves with numbers, and nothing else of importance.
    Moves(MoveLine),
    /// A text with one square.
    Sentence(Token),
    /// Nothing about moves; a number alone may be that of the next line.
    Heading(Option<u32>),
    /// Moves that cannot be told from other text.
    Unclear(TextError),
}

/// The moves of a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct MoveLine {
    /// The number before the first move.
    pub(super) number: Option<u32>,
    tokens: Vec<Token>,
}

/// Why a line that begins with the number of a later move is no game.
pub(super) fn missing_moves(number: u32) -> String {
    format!("the moves before number {number} are missing, or do not lead to it")
}

impl MoveLine {
    /// Is it long and without a number, so that it may be a game of its own that has an error?
    pub(super) fn is_doubtful(&self) -> bool {
        self.number.is_none() && self.squares() > FEW
    }

    fn squares(&self) -> usize {
        let is_square = |token: &&Token| matches!(token.word, Word::Move(Move::Place(_)));
        self.tokens.iter().filter(is_square).count()
    }

    /// Plays the moves after those of `game`.
    fn continue_game(&self, game: &Game) -> Result<Game, TextError> {
        let mut game = game.clone();
        let mut side = None;
        for &Token { at, word } in &self.tokens {
            match word {
                Word::Side(color) => side = Some(color),
                Word::Move(mv) => play(&mut game, mv, side.take(), at)?,
                Word::Number(_) => {}
                Word::Other => {
                    let reason = "expected a square a1..h8 or a pass";
                    return Err(TextError::new(at + 1, reason));
                }
            }
        }
        Ok(game)
    }
}

/// Plays a move that stands at byte `at`, of the side that the text names, if it does.
fn play(game: &mut Game, mv: Move, side: Option<Color>, at: usize) -> Result<(), TextError> {
    let position = game.position();
    if mv == Move::Pass && position.board.is_over() {
        return Ok(());
    }
    let mover = position.mover(mv);
    if let Some(side) = side.filter(|&side| side != mover) {
        let reason = format!("{side} plays {mv}, and it is {mover}'s turn");
        return Err(TextError::new(at + 1, reason));
    }
    game.play(mv)
        .map_err(|error| TextError::new(at + 1, error.to_string()))
}

/// What a line is, which begins at byte `base` of its text.
pub(super) fn line(text: &str, base: usize) -> PageLine {
    let tokens = tokens(text, base);
    let is_move = |token: &Token| matches!(token.word, Word::Move(Move::Place(_)));
    let is_other = |token: &&Token| token.word == Word::Other;
    let squares = tokens.iter().filter(|token| is_move(token)).count();
    if squares == 0 {
        return without_squares(tokens);
    }
    let Some(other) = tokens.iter().position(|token| token.word == Word::Other) else {
        return moves(tokens);
    };
    // `Moves: f5 d6`, but not the name of the opening.
    if let Some(colon) = text.find([':', '：']) {
        let label = &text[..colon];
        let (before, after): (Vec<Token>, Vec<Token>) =
            tokens.iter().partition(|token| token.at < base + colon);
        let is_label = !before.iter().any(is_move) && before.iter().any(|token| is_other(&token));
        let is_opening = label.to_lowercase().contains("opening");
        if is_label
            && !is_opening
            && after.iter().any(is_move)
            && !after.iter().any(|token| is_other(&token))
        {
            return moves(after);
        }
    }
    // `1. f5 d6 a good reply`, but not `1. f5 d9`
    if tokens[..other].iter().any(is_move) {
        let (before, after) = tokens.split_at(other);
        let is_text = |token: &&Token| {
            let word = text[token.at - base..].split(|letter: char| !letter.is_alphanumeric());
            let word = word.into_iter().next().unwrap_or("");
            token.word == Word::Other && !word.contains(|letter: char| letter.is_ascii_digit())
        };
        return match after.iter().find(|token| !is_text(token)) {
            Some(token) => {
                let reason = "a square or a number after other text: is it a move?";
                PageLine::Unclear(TextError::new(token.at + 1, reason))
            }
            None => moves(before.to_vec()),
        };
    }
    match squares {
        1 => PageLine::Sentence(
            *tokens
                .iter()
                .find(|token| is_move(token))
                .unwrap_or(&tokens[0]),
        ),
        _ => {
            let second = tokens.iter().filter(|token| is_move(token)).nth(1);
            let at = second.map_or(base, |token| token.at);
            PageLine::Unclear(TextError::new(
                at + 1,
                "two squares in one sentence: which is the move?",
            ))
        }
    }
}

fn without_squares(tokens: Vec<Token>) -> PageLine {
    let numbers = |token: &Token| matches!(token.word, Word::Number(_));
    match &tokens[..] {
        [
            Token {
                word: Word::Number(number),
                ..
            },
        ] => PageLine::Heading(Some(*number)),
        // `12. pass`, but not a line of dashes.
        [first, rest @ ..]
            if numbers(first)
                && rest
                    .iter()
                    .any(|token| token.word == Word::Move(Move::Pass))
                && !rest.iter().any(|token| token.word == Word::Other) =>
        {
            moves(tokens)
        }
        _ => PageLine::Heading(None),
    }
}

/// Are moves, numbers and remarks in brackets all that there is?
pub(super) fn has_no_words(text: &str) -> bool {
    tokens(text, 0)
        .iter()
        .all(|token| token.word != Word::Other)
}

/// All words of a line that begins with moves, where other words are errors.
pub(super) fn all_moves(text: &str) -> Option<MoveLine> {
    let tokens = tokens(text, 0);
    let is_move = |token: &Token| matches!(token.word, Word::Move(Move::Place(_)));
    let is_begun = tokens
        .first()
        .is_some_and(|token| token.word != Word::Other);
    match moves(tokens) {
        PageLine::Moves(line) if is_begun && line.tokens.iter().any(is_move) => Some(line),
        _ => None,
    }
}

fn moves(tokens: Vec<Token>) -> PageLine {
    let number = match tokens.first() {
        Some(Token {
            word: Word::Number(number),
            ..
        }) => Some(*number),
        _ => None,
    };
    PageLine::Moves(MoveLine { number, tokens })
}

/// The words of a line, without what stands in brackets.
fn tokens(line: &str, base: usize) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = line;
    while let Some(letter) = rest.chars().next() {
        let at = line.len() - rest.len();
        if let Some(end) = closing(letter) {
            rest = rest.find(end).map_or("", |end| &rest[end..]);
            rest = rest
                .chars()
                .next()
                .map_or("", |letter| &rest[letter.len_utf8()..]);
            continue;
        }
        if letter == '-' {
            let dashes = rest.len() - rest.trim_start_matches('-').len();
            let is_alone = line[..at]
                .chars()
                .next_back()
                .is_none_or(|before| !before.is_alphanumeric());
            if dashes == 2 && is_alone {
                tokens.push(Token {
                    at: base + at,
                    word: Word::Move(Move::Pass),
                });
            }
            rest = &rest[dashes..];
            continue;
        }
        let end = rest
            .find(|letter: char| !letter.is_alphanumeric())
            .unwrap_or(rest.len());
        if end == 0 {
            rest = &rest[letter.len_utf8()..];
            continue;
        }
        add_word(&mut tokens, &rest[..end], base + at);
        rest = &rest[end..];
    }
    tokens
}

/// Moves that stand together, perhaps behind their number; a number; the name of a side; or another word.
fn add_word(tokens: &mut Vec<Token>, word: &str, at: usize) {
    let plain: String = word.chars().map(narrow).collect();
    // The byte of each letter, as full-width ones have three.
    let offsets: Vec<usize> = word.char_indices().map(|(offset, _)| at + offset).collect();
    let offset = |rest: &str| offsets.get(plain.len() - rest.len()).copied().unwrap_or(at);
    let squares = plain.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let digits = &plain[..plain.len() - squares.len()];
    let mut found = Vec::new();
    if !digits.is_empty() {
        let number = digits.parse().unwrap_or(u32::MAX);
        found.push(Token {
            at,
            word: Word::Number(number),
        });
    }
    let side = match plain.to_ascii_lowercase().as_str() {
        "black" | "b" | "x" | "黒" => Some(Color::Black),
        "white" | "w" | "o" | "白" => Some(Color::White),
        _ => None,
    };
    if let Some(side) = side {
        found.push(Token {
            at,
            word: Word::Side(side),
        });
        return tokens.append(&mut found);
    }
    let mut rest = squares;
    while !rest.is_empty() {
        match a_move(rest) {
            Ok((after, mv)) if plain.is_ascii() => {
                found.push(Token {
                    at: offset(rest),
                    word: Word::Move(mv),
                });
                rest = after;
            }
            _ => {
                // No part of another word is a move.
                tokens.push(Token {
                    at,
                    word: Word::Other,
                });
                return;
            }
        }
    }
    tokens.append(&mut found);
}

/// A game that may go on in the next line.
#[derive(Clone, Debug)]
pub(super) struct Block<P> {
    /// Where it begins.
    pub(super) place: P,
    pub(super) game: GgfGame,
    /// The lines that it has.
    pub(super) lines: usize,
    /// Has each of them few moves?
    in_pieces: bool,
    /// Is its first number that of a first move, if it has one? In a list of games it is another one.
    from_the_start: bool,
}

impl<P> Block<P> {
    /// The game with the moves of one more line, whose number has to be that of its first move.
    fn continued_by(&self, line: &MoveLine) -> Result<Game, TextError> {
        let game = line.continue_game(&self.game.game)?;
        match line.number {
            Some(number) if !self.is_next(number) => {
                let at = line.tokens.first().map_or(0, |token| token.at);
                let reason = format!("number {number} does not follow the moves before it");
                Err(TextError::new(at + 1, reason))
            }
            _ => Ok(game),
        }
    }

    /// Is this the number of the next move, or of the next pair of moves? Passes may have been counted or not.
    fn is_next(&self, number: u32) -> bool {
        let moves = self.game.game.moves();
        let squares = moves.iter().filter(|mv| mv.square().is_some()).count();
        let mut counts = [moves.len(), squares].into_iter();
        let number = number as usize;
        self.from_the_start && counts.any(|count| number == count / 2 + 1 || number == count + 1)
    }

    /// May the line belong to this game, though it may be one by itself?
    fn may_have(&self, line: &MoveLine, is_game: bool) -> bool {
        let numbers = |token: &&Token| matches!(token.word, Word::Number(_));
        let is_few = line.squares() <= FEW;
        match line.number {
            _ if !is_game => true,
            Some(_) => is_few || line.tokens.iter().filter(numbers).count() > 1,
            None => is_few && self.in_pieces,
        }
    }
}

/// What a line of moves means for the games.
#[derive(Debug)]
pub(super) enum Joined<P> {
    /// It continues the game of the lines before it.
    Continued,
    /// It begins a game, so that the one before it is complete.
    Begun(Option<Block<P>>),
    /// It cannot be read; the game before it is complete.
    Bad(Option<Block<P>>, TextError),
    /// It cannot be read, and is a part of the game before it, which is lost.
    Lost(TextError),
    /// It belongs to a game that is lost.
    Skipped,
}

/// Joins lines to games.
#[derive(Debug)]
pub(super) struct Joiner<P> {
    pub(super) block: Option<Block<P>>,
    is_lost: bool,
}

impl<P> Joiner<P> {
    pub(super) const fn new() -> Joiner<P> {
        Joiner {
            block: None,
            is_lost: false,
        }
    }

    /// The game of the lines so far, which no further line continues.
    pub(super) fn end(&mut self) -> Option<Block<P>> {
        self.is_lost = false;
        self.block.take()
    }

    /// Takes a line, which is `alone` by itself.
    pub(super) fn take(
        &mut self,
        place: P,
        line: Option<&MoveLine>,
        alone: Result<GgfGame, TextError>,
    ) -> Joined<P> {
        let number = line.and_then(|line| line.number);
        let is_few = line.is_some_and(|line| line.squares() <= FEW);
        let is_later = number.is_some_and(|number| number > 1);
        // Several lines of few moves are pieces of one game.
        let has_pieces = |block: &Block<P>| block.in_pieces && block.lines > 1;
        let is_piece = is_few && self.block.as_ref().is_some_and(has_pieces);
        // The second pair of moves of a game begins none.
        let alone = match number.filter(|_| is_later && is_few) {
            Some(number) if self.block.as_ref().is_some_and(|block| block.in_pieces) => {
                let first = line.and_then(|line| line.tokens.first());
                let column = first.map_or(1, |token| token.at + 1);
                alone.and(Err(TextError::new(column, missing_moves(number))))
            }
            _ => alone,
        };
        let begins = alone.is_ok() && number == Some(1);
        if self.is_lost && !begins && (is_later || is_few) {
            return Joined::Skipped;
        }
        let (continued, may_continue) = match (&self.block, line) {
            (Some(block), Some(line)) if !begins => (
                Some(block.continued_by(line)),
                block.may_have(line, alone.is_ok()),
            ),
            _ => (None, false),
        };
        match (continued, alone) {
            (Some(Ok(game)), _) if may_continue => {
                if let Some(block) = &mut self.block {
                    block.game = GgfGame {
                        notes: vec![Annotation::default(); game.moves().len()],
                        game,
                        ..block.game.clone()
                    };
                    block.lines += 1;
                    block.in_pieces &= is_few;
                }
                Joined::Continued
            }
            (_, Ok(game)) => {
                self.is_lost = false;
                let next = Block {
                    place,
                    game,
                    lines: 1,
                    in_pieces: is_few,
                    from_the_start: number.is_none_or(|number| number <= 1),
                };
                Joined::Begun(self.block.replace(next))
            }
            (Some(Err(error)), Err(_)) if is_later || is_piece => {
                self.block = None;
                self.is_lost = true;
                Joined::Lost(error)
            }
            (_, Err(_)) if self.is_lost && line.is_some() => Joined::Skipped,
            (continued, Err(error)) => {
                let error = match continued {
                    Some(Err(other)) if other.column > error.column => other,
                    _ => error,
                };
                Joined::Bad(self.end(), error)
            }
        }
    }
}

/// The games of a page, each with the column at which it begins, or why it cannot be read; columns count the bytes from
/// the start of the text. None, if there is no move.
pub fn parse(text: &str) -> Vec<PlacedGame> {
    let mut at = 0;
    let mut lines = Vec::new();
    for piece in text.split_inclusive('\n') {
        lines.push((at, piece.trim_end(), line(piece.trim_end(), at)));
        at += piece.len();
    }
    if lines
        .iter()
        .any(|(.., line)| matches!(line, PageLine::Moves(_)))
    {
        return lines_of_moves(&lines);
    }
    sentences(&lines).into_iter().collect()
}

/// A line, and the byte at which it begins.
type Placed<'a> = (usize, &'a str, PageLine);

fn new_game() -> GgfGame {
    GgfGame::anonymous(Game::new(Position::START))
}

fn lines_of_moves(lines: &[Placed<'_>]) -> Vec<PlacedGame> {
    let mut games = Vec::new();
    let mut joiner = Joiner::new();
    let mut headings = new_game();
    let mut number = None;
    let add = |games: &mut Vec<_>, block: Option<Block<usize>>| {
        games.extend(block.map(|block| (block.place + 1, Ok(block.game))));
    };
    for (at, text, line) in lines {
        match line {
            PageLine::Heading(alone) => {
                number = alone.or(number.filter(|_| text.trim().is_empty()));
                let complete = joiner.block.as_mut().map(|block| &mut block.game);
                heading(text, complete, &mut headings);
            }
            PageLine::Sentence(_) => {}
            PageLine::Unclear(error) => {
                // Text about a game is no error; text behind moves may be.
                if error.reason.starts_with("a square") {
                    add(&mut games, joiner.end());
                    games.push((at + 1, Err(error.clone())));
                }
            }
            PageLine::Moves(moves) => {
                let moves = MoveLine {
                    number: moves.number.or(number.take()),
                    ..moves.clone()
                };
                let alone = moves.continue_game(&Game::new(Position::START));
                let alone = alone.map(|game| GgfGame {
                    notes: vec![Annotation::default(); game.moves().len()],
                    game,
                    ..headings.clone()
                });
                match joiner.take(*at, Some(&moves), alone) {
                    Joined::Continued | Joined::Skipped => {}
                    Joined::Begun(before) => {
                        headings = new_game();
                        add(&mut games, before);
                    }
                    Joined::Bad(before, error) => {
                        add(&mut games, before);
                        games.push((at + 1, Err(error)));
                    }
                    Joined::Lost(error) => games.push((at + 1, Err(error))),
                }
            }
        }
    }
    add(&mut games, joiner.end());
    games
}

/// Takes what a heading says: `Black: anna (1500)`, `Date: ..` of the next game, `Result: ..` of the one before.
fn heading(text: &str, before: Option<&mut GgfGame>, next: &mut GgfGame) {
    let Some((label, value)) = text.split_once([':', '：']) else {
        return;
    };
    let value = value.trim();
    let name = || {
        value
            .split(['(', '['])
            .next()
            .unwrap_or("")
            .trim()
            .to_owned()
    };
    match label.trim().to_lowercase().as_str() {
        "black" | "黒" => next.black.name = name(),
        "white" | "白" => next.white.name = name(),
        "date" => next.date = facts::date(value),
        "result" | "score" => {
            if let Some(game) = before {
                facts::set_result(game, facts::result(value));
            }
        }
        _ => {}
    }
}

/// The one game that is told in sentences, the first move first or, as in a log, last.
fn sentences(lines: &[Placed<'_>]) -> Option<PlacedGame> {
    let mut told = Vec::new();
    for (.., line) in lines {
        match line {
            PageLine::Sentence(token) => told.push(*token),
            PageLine::Unclear(error) => return Some((error.column, Err(error.clone()))),
            PageLine::Moves(_) | PageLine::Heading(_) => {}
        }
    }
    let start = told.iter().map(|token| token.at + 1).min()?;
    let play = |tokens: Vec<Token>| {
        MoveLine {
            number: None,
            tokens,
        }
        .continue_game(&Game::new(Position::START))
    };
    let backwards = play(told.iter().rev().copied().collect());
    let game = match (play(told), backwards) {
        (Ok(game), Ok(other)) if game != other => Err(TextError::new(
            start,
            "the moves are legal from the first to the last and from the last to the first",
        )),
        (Ok(game), _) | (Err(_), Ok(game)) => Ok(game),
        (Err(error), Err(_)) => Err(error),
    };
    Some((
        start,
        game.map(|game| GgfGame {
            notes: vec![Annotation::default(); game.moves().len()],
            game,
            ..new_game()
        }),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<Result<String, usize>> {
        let games = parse(text).into_iter();
        games
            .map(|(_, game)| {
                game.map(|game| game.game.transcript())
                    .map_err(|error| error.column)
            })
            .collect()
    }

    fn one(text: &str) -> GgfGame {
        let mut games = parse(text);
        assert_eq!(games.len(), 1, "{text}: {games:?}");
        games.remove(0).1.expect(text)
    }

    #[test]
    fn pages_of_hosts_are_read_without_their_headings() {
        let eothello = one(
            "eOthello game 12345\nBlack: anna (1500)\nWhite: ben (1498)\n1. F5 D6\n2. C3 D3\n\n3. C4 F4\nResult: 33-31\n",
        );
        assert_eq!(eothello.game.transcript(), "f5d6c3d3c4f4");
        assert_eq!(
            (eothello.black.name.as_str(), eothello.white.name.as_str()),
            ("anna", "ben")
        );
        assert_eq!(eothello.result.map(|result| result.score), Some(2.0));
        for (page, moves) in [
            (
                "Othello Quest\nanna (1789) vs ben (1802)\nf5d6c3d3c4f4\nblack +12\n",
                "f5d6c3d3c4f4",
            ),
            (
                "Move 1 :\nanna plays f5 and flips 1 disc(s)\nMove 2 :\nben plays d6 and flips 1 disc(s)\n",
                "f5d6",
            ),
            ("12:01 ben plays d6\n12:00 anna plays f5\n", "f5d6"),
            ("#\tBlack\tWhite\n1\tF5\tD6\n2\tC3\tD3\n", "f5d6c3d3"),
            ("Moves\n1\nF5\n2\nD6\n3\nC3\n", "f5d6c3"),
            ("棋譜\n１．ｆ５ ｄ６\n２．ｃ３（定石）\n", "f5d6c3"),
            ("My game\nMoves: f5 d6 c3\nd3 c4\n", "f5d6c3d3c4"),
            ("anna: f5\nben: d6\nanna: c3\n", "f5d6c3"),
            (
                "A game\n1. f5 (0:03) d6 (0:05)\n2. c3 a good move\n",
                "f5d6c3",
            ),
            ("A game\nBlack F5 White D6\n", "f5d6"),
        ] {
            assert_eq!(one(page).game.transcript(), moves, "{page}");
        }
    }

    #[test]
    fn games_are_never_joined() {
        // A list with numbers; 3 would be the next pair of moves.
        let games = read("Games\n1 f5d6c3\n2 e6d6c6f6\n3 c4c3d3e3\n");
        let expected = ["f5d6c3", "e6d6c6f6", "c4c3d3e3"];
        assert_eq!(games, expected.map(|moves| Ok(moves.to_owned())));
        let games = read("Games\n1. f5 d6\n2. c3 d3\n1. f5 f6\n2. e6 f4\n\nf5d6c3d3c4\nf5f6e6f4\n");
        let expected = ["f5d6c3d3", "f5f6e6f4", "f5d6c3d3c4", "f5f6e6f4"];
        assert_eq!(games, expected.map(|moves| Ok(moves.to_owned())));
    }

    #[test]
    fn what_is_no_game_is_an_error_in_its_place() {
        assert_eq!(
            read("Title\n1. f5 d6\n2. a1 d3\n3. c4\n"),
            [Err(19)],
            "the game is lost"
        );
        assert_eq!(read("anna plays f5\nben plays f5\n"), [Err(25)]);
        assert_eq!(read("anna plays f5, flips e5\n"), [Err(22)]);
        assert_eq!(read("Title\nf5 d6 then c3\n"), [Err(18)]);
        assert_eq!(read("Title\n1. f5 d9\n"), [Err(13)]);
        assert_eq!(read("Title\n1. f5 d6\n7. c3 d3\n"), [Err(16)]);
        assert_eq!(read("Title\nBlack F5 Black D6\n"), [Err(22)]);
        assert_eq!(read("Title\nnothing here\n12 34\n--\n"), []);
    }
}
