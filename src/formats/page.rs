//! Pasted pages: lines of moves among headings, results and names, as one copies them from Othello
//! Quest, eOthello or Board Game Arena.
//!
//! A line that holds nothing but moves and numbers is a part of a game; a line without a move is none. Where no
//! line is of moves alone, sentences with one square each (`anna plays f5 and flips 1 disc`) are the moves.

use super::PlacedGame;
use super::facts;
use super::ggf::GgfGame;
use super::transcript::closing;
use crate::rules::{Color, Game, Move, Position};
use crate::text::TextError;
use crate::text::words::{a_move, narrow, split_digits};

/// Most moves that may be a part of a game that was pasted in pieces, though they are a game by themselves.
const FEW: usize = 2;

/// A word of a line, and at which byte it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Token {
    at: usize,
    word: PageWord,
}

impl Token {
    const fn is_square(&self) -> bool {
        matches!(self.word, PageWord::Move(Move::Place(_)))
    }

    fn is_other(&self) -> bool {
        self.word == PageWord::Other
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum PageWord {
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

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct MoveLine {
    pub(super) number: Option<u32>,
    tokens: Vec<Token>,
}

/// Why a line that begins with the number of a later move is no game.
pub(super) fn missing_moves(number: u32) -> String {
    format!("the moves before number {number} are missing, or do not lead to it")
}

impl MoveLine {
    fn new(tokens: Vec<Token>) -> MoveLine {
        let number = first_number(&tokens);
        MoveLine { number, tokens }
    }

    /// Is it long and without a number, so that it may be a game of its own that has an error?
    pub(super) fn is_doubtful(&self) -> bool {
        self.number.is_none() && !self.is_few()
    }

    fn is_few(&self) -> bool {
        self.tokens.iter().filter(|token| token.is_square()).count() <= FEW
    }

    /// An error at its first word.
    fn error(&self, reason: String) -> TextError {
        let at = self.tokens.first().map_or(0, |token| token.at);
        TextError::new(at + 1, reason)
    }

    fn game(&self) -> Result<Game, TextError> {
        self.continue_game(&Game::new(Position::START))
    }

    fn continue_game(&self, game: &Game) -> Result<Game, TextError> {
        let mut game = game.clone();
        let mut side = None;
        for &Token { at, word } in &self.tokens {
            match word {
                PageWord::Side(color) => side = Some(color),
                PageWord::Move(mv) => play(&mut game, mv, side.take(), at)?,
                PageWord::Number(_) => {}
                PageWord::Other => {
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
    let mover = game.position().mover(mv);
    let is_end = mv == Move::Pass && game.position().board.is_over();
    if let Some(side) = side.filter(|&side| side != mover && !is_end) {
        let reason = format!("{side} plays {mv}, and it is {mover}'s turn");
        return Err(TextError::new(at + 1, reason));
    }
    game.accept(mv)
        .map_err(|error| TextError::new(at + 1, error.to_string()))
}

/// What a line is, which begins at byte `base` of its text.
pub(super) fn line(text: &str, base: usize) -> PageLine {
    let tokens = tokens(text, base);
    let mut squares = tokens.iter().filter(|token| token.is_square());
    let (first, second) = (squares.next(), squares.next());
    let Some(first) = first else {
        return without_squares(tokens);
    };
    let Some(other) = tokens.iter().position(Token::is_other) else {
        return PageLine::Moves(MoveLine::new(tokens));
    };
    if let Some(moves) = behind_label(text, base, &tokens) {
        return PageLine::Moves(moves);
    }
    let unclear = |token: &Token, reason| PageLine::Unclear(TextError::new(token.at + 1, reason));
    // `1. f5 d6 a good reply`, but not `1. f5 d9`
    if first.at < tokens[other].at {
        let is_text = |token: &&Token| {
            let mut words = text[token.at - base..].split(|letter: char| !letter.is_alphanumeric());
            let has_digit = |word: &str| word.contains(|letter: char| letter.is_ascii_digit());
            token.is_other() && !words.next().is_some_and(has_digit)
        };
        return match tokens[other..].iter().find(|token| !is_text(token)) {
            Some(token) => unclear(
                token,
                "a square or a number after other text: is it a move?",
            ),
            None => PageLine::Moves(MoveLine::new(tokens[..other].to_vec())),
        };
    }
    match second {
        None => PageLine::Sentence(*first),
        Some(second) => unclear(second, "two squares in one sentence: which is the move?"),
    }
}

/// The moves of `Moves: f5 d6`, but not of `Opening: f5 d6 c3`.
fn behind_label(text: &str, base: usize, tokens: &[Token]) -> Option<MoveLine> {
    let colon = text.find([':', '：'])?;
    let before = tokens.partition_point(|token| token.at < base + colon);
    let (label, after) = tokens.split_at(before);
    let is_label = label.iter().any(Token::is_other) && !label.iter().any(Token::is_square);
    let is_opening = text[..colon].to_lowercase().contains("opening");
    let has_moves = after.iter().any(Token::is_square) && !after.iter().any(Token::is_other);
    (is_label && !is_opening && has_moves).then(|| MoveLine::new(after.to_vec()))
}

fn without_squares(tokens: Vec<Token>) -> PageLine {
    let has_pass = tokens
        .iter()
        .any(|token| token.word == PageWord::Move(Move::Pass));
    match first_number(&tokens) {
        Some(number) if tokens.len() == 1 => PageLine::Heading(Some(number)),
        // `12. pass`, but not a line of dashes.
        Some(_) if has_pass && !tokens.iter().any(Token::is_other) => {
            PageLine::Moves(MoveLine::new(tokens))
        }
        _ => PageLine::Heading(None),
    }
}

fn first_number(tokens: &[Token]) -> Option<u32> {
    match tokens.first()?.word {
        PageWord::Number(number) => Some(number),
        _ => None,
    }
}

/// Are moves, numbers and remarks in brackets all that there is?
pub(super) fn has_no_words(text: &str) -> bool {
    !tokens(text, 0).iter().any(Token::is_other)
}

/// All words of a line that begins with moves, where other words are errors.
pub(super) fn all_moves(text: &str) -> Option<MoveLine> {
    let tokens = tokens(text, 0);
    let is_begun = tokens.first().is_some_and(|token| !token.is_other());
    (is_begun && tokens.iter().any(Token::is_square)).then(|| MoveLine::new(tokens))
}

/// The words of a line, without what stands in brackets.
fn tokens(line: &str, base: usize) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = line;
    while let Some(letter) = rest.chars().next() {
        let before = &line[..line.len() - rest.len()];
        let at = base + before.len();
        rest = if let Some(end) = closing(letter) {
            rest.split_once(end).map_or("", |(_, after)| after)
        } else if letter == '-' {
            let after = rest.trim_start_matches('-');
            if rest.len() - after.len() == 2 && !before.ends_with(char::is_alphanumeric) {
                let word = PageWord::Move(Move::Pass);
                tokens.push(Token { at, word });
            }
            after
        } else if letter.is_alphanumeric() {
            let after = rest.trim_start_matches(char::is_alphanumeric);
            add_word(&mut tokens, &rest[..rest.len() - after.len()], at);
            after
        } else {
            &rest[letter.len_utf8()..]
        };
    }
    tokens
}

/// Moves that stand together, perhaps behind their number; a number; the name of a side; or another word.
fn add_word(tokens: &mut Vec<Token>, word: &str, at: usize) {
    let plain: String = word.chars().map(narrow).collect();
    let side = match plain.as_str() {
        "黒" => Some(Color::Black),
        "白" => Some(Color::White),
        word => word.parse().ok(),
    };
    if let Some(side) = side {
        let word = PageWord::Side(side);
        return tokens.push(Token { at, word });
    }
    let (digits, mut rest) = split_digits(&plain);
    let mut found = Vec::new();
    if !digits.is_empty() {
        let word = PageWord::Number(digits.parse().unwrap_or(u32::MAX));
        found.push(Token { at, word });
    }
    while !rest.is_empty() {
        let (Ok((after, mv)), true) = (a_move(rest), plain.is_ascii()) else {
            // No part of another word is a move.
            let word = PageWord::Other;
            return tokens.push(Token { at, word });
        };
        // Full-width letters have three bytes.
        let letters = word.char_indices().nth(plain.len() - rest.len());
        found.push(Token {
            at: at + letters.map_or(0, |(offset, _)| offset),
            word: PageWord::Move(mv),
        });
        rest = after;
    }
    tokens.append(&mut found);
}

/// A game that may go on in the next line.
#[derive(Clone, Debug)]
pub(super) struct GameBlock<P> {
    pub(super) place: P,
    pub(super) game: GgfGame,
    /// The lines that it has.
    pub(super) lines: usize,
    /// Has each of them few moves?
    in_pieces: bool,
    /// Is its first number that of a first move, if it has one? In a list of games it is another one.
    from_the_start: bool,
}

impl<P> GameBlock<P> {
    /// The game with the moves of one more line, whose number has to be that of its first move.
    fn continued_by(&self, line: &MoveLine) -> Result<Game, TextError> {
        let game = line.continue_game(&self.game.game)?;
        match line.number {
            Some(number) if !self.is_next(number) => {
                let reason = format!("number {number} does not follow the moves before it");
                Err(line.error(reason))
            }
            _ => Ok(game),
        }
    }

    /// Goes on to the end of `game`, by a line.
    fn add(&mut self, game: Game, is_few: bool) {
        self.game = self.game.clone().with_moves_of(game);
        self.lines += 1;
        self.in_pieces &= is_few;
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
        let numbers = |token: &&Token| matches!(token.word, PageWord::Number(_));
        let is_few = line.is_few();
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
    Begun(Option<GameBlock<P>>),
    /// It cannot be read. The game before it is complete; there is none if the line was a part of it, which is lost.
    Bad(Option<GameBlock<P>>, TextError),
    /// It belongs to a game that is lost.
    Skipped,
}

#[derive(Debug)]
pub(super) struct Joiner<P> {
    pub(super) block: Option<GameBlock<P>>,
    is_lost: bool,
}

impl<P> Default for Joiner<P> {
    fn default() -> Joiner<P> {
        let (block, is_lost) = (None, false);
        Joiner { block, is_lost }
    }
}

impl<P> Joiner<P> {
    /// The game of the lines so far, which no further line continues.
    pub(super) fn end(&mut self) -> Option<GameBlock<P>> {
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
        let is_few = line.is_some_and(MoveLine::is_few);
        let later = number.filter(|&number| number > 1);
        let pieces = self.block.as_ref().filter(|block| block.in_pieces);
        // Several lines of few moves are pieces of one game.
        let is_piece = is_few && pieces.is_some_and(|block| block.lines > 1);
        // The second pair of moves of a game begins none.
        let alone = match line.zip(later) {
            Some((line, number)) if is_few && pieces.is_some() => {
                alone.and(Err(line.error(missing_moves(number))))
            }
            _ => alone,
        };
        let begins = alone.is_ok() && number == Some(1);
        if self.is_lost && !begins && (later.is_some() || is_few) {
            return Joined::Skipped;
        }
        let continued = self.block.as_mut().zip(line).filter(|_| !begins);
        let continued = continued.map(|(block, line)| {
            let may_continue = block.may_have(line, alone.is_ok());
            (block.continued_by(line), may_continue.then_some(block))
        });
        match (continued, alone) {
            (Some((Ok(game), Some(block))), _) => {
                block.add(game, is_few);
                Joined::Continued
            }
            (_, Ok(game)) => {
                self.is_lost = false;
                let next = GameBlock {
                    place,
                    game,
                    lines: 1,
                    in_pieces: is_few,
                    from_the_start: later.is_none(),
                };
                Joined::Begun(self.block.replace(next))
            }
            (Some((Err(error), _)), Err(_)) if later.is_some() || is_piece => {
                (self.block, self.is_lost) = (None, true);
                Joined::Bad(None, error)
            }
            (_, Err(_)) if self.is_lost && line.is_some() => Joined::Skipped,
            (Some((Err(other), _)), Err(error)) if other.column > error.column => {
                Joined::Bad(self.end(), other)
            }
            (_, Err(error)) => Joined::Bad(self.end(), error),
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
    let is_moves = |(.., line): &PlacedLine<'_>| matches!(line, PageLine::Moves(_));
    match lines.iter().any(is_moves) {
        true => lines_of_moves(&lines),
        false => sentences(&lines).into_iter().collect(),
    }
}

/// A line, and the byte at which it begins.
type PlacedLine<'a> = (usize, &'a str, PageLine);

fn lines_of_moves(lines: &[PlacedLine<'_>]) -> Vec<PlacedGame> {
    let mut games = Vec::new();
    let mut joiner = Joiner::default();
    let mut headings = GgfGame::default();
    let mut number = None;
    let add = |games: &mut Vec<_>, block: Option<GameBlock<usize>>| {
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
                let alone = moves
                    .game()
                    .map(|game| headings.clone().with_moves_of(game));
                match joiner.take(*at, Some(&moves), alone) {
                    Joined::Continued | Joined::Skipped => {}
                    Joined::Begun(before) => {
                        headings = GgfGame::default();
                        add(&mut games, before);
                    }
                    Joined::Bad(before, error) => {
                        add(&mut games, before);
                        games.push((at + 1, Err(error)));
                    }
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
    let name = value.split(['(', '[']).next().unwrap_or("");
    let name = || name.trim().to_owned();
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
fn sentences(lines: &[PlacedLine<'_>]) -> Option<PlacedGame> {
    let mut told = Vec::new();
    for (.., line) in lines {
        match line {
            PageLine::Sentence(token) => told.push(*token),
            PageLine::Unclear(error) => return Some((error.column, Err(error.clone()))),
            PageLine::Moves(_) | PageLine::Heading(_) => {}
        }
    }
    let start = told.iter().map(|token| token.at + 1).min()?;
    let backwards = MoveLine::new(told.iter().rev().copied().collect());
    let game = match (MoveLine::new(told).game(), backwards.game()) {
        (Ok(game), Ok(other)) if game != other => Err(TextError::new(
            start,
            "the moves are legal from the first to the last and from the last to the first",
        )),
        (Ok(game), _) | (Err(_), Ok(game)) => Ok(game),
        (Err(error), Err(_)) => Err(error),
    };
    Some((start, game.map(GgfGame::anonymous)))
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
