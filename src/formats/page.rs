//! Pasted pages: lines of moves among headings, results and names, as one copies them from Othello
//! Quest, eOthello or Board Game Arena, from a forum, or out of HTML.
//!
//! A line that holds nothing but moves and numbers is a part of a game; a line without a move is none. Of other
//! text in a line, what stands before its moves may name the players. Where no line is of moves alone, sentences
//! with one square each (`anna plays f5 and flips 1 disc`) are the moves.

use std::borrow::Cow;

use super::facts;
use super::ggf::GgfGame;
use super::pasted::{MoveLine, PageWord, Token, first_number, missing_moves, side_named, tokens};
use super::{BadGame, PlacedGame};
use crate::rules::{Color, Game, Move, Position};
use crate::text::TextError;

/// What a line of a page is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum PageLine {
    /// Moves with numbers, and nothing else of importance.
    Moves(MoveLine),
    /// A text with one square.
    Sentence(Token),
    /// Nothing about moves; a number alone may be that of the next line.
    Heading(Option<u32>),
    /// Moves that cannot be told from other text, which need not be about a game.
    Unclear(TextError),
    /// Text that is meant as moves or a board, and cannot be read.
    Wrong(TextError),
}

/// What a line is, which begins at byte `base` of its text.
pub(super) fn line(text: &str, base: usize) -> PageLine {
    let tokens = tokens(text, base);
    if !tokens.iter().any(Token::is_square) {
        return without_squares(text, base, tokens);
    }
    if !tokens.iter().any(Token::is_other) {
        return PageLine::Moves(MoveLine::new(tokens));
    }
    let runs = tokens.split(Token::is_other);
    let mut runs = runs.filter(|run| run.iter().any(Token::is_square));
    let (Some(run), next) = (runs.next(), runs.next()) else {
        return PageLine::Heading(None);
    };
    let error = |token: &Token, reason| TextError::new(token.at + 1, reason);
    let is_first = tokens.first() == run.first();
    // `1. f5 d6 a good reply`, but not `1. f5 d9`
    let behind = run.last().map_or(0, |last| last.at);
    let has_digit = |token: &&Token| {
        let mut words = text[token.at - base..].split(|letter: char| !letter.is_alphanumeric());
        let word = words.next().unwrap_or("");
        token.at > behind && word.contains(|letter: char| letter.is_ascii_digit())
    };
    let doubtful = tokens.iter().find(has_digit);
    let mut squares = run.iter().filter(|token| token.is_square());
    let (Some(first), second) = (
        squares.next(),
        squares
            .next()
            .or(next.and_then(|run| run.iter().find(|token| token.is_square()))),
    ) else {
        return PageLine::Heading(None);
    };
    match (doubtful, second) {
        (Some(token), _) if is_first => {
            let reason = "a square or a number after other text: is it a move?";
            PageLine::Wrong(error(token, reason))
        }
        (None, _) if is_first => PageLine::Moves(MoveLine::new(run.to_vec())),
        (_, None) => PageLine::Sentence(*first),
        (_, Some(second)) => match behind_text(text, base, run).filter(|_| next.is_none()) {
            Some(line) => line,
            None => PageLine::Unclear(error(
                second,
                "two squares in one sentence: which is the move?",
            )),
        },
    }
}

/// The moves of `Moves: f5 d6`, or of a sentence from the start of a game, but not of `Opening: f5 d6 c3`.
fn behind_text(text: &str, base: usize, run: &[Token]) -> Option<PageLine> {
    let first = run.iter().position(Token::is_square)?;
    let label = &text[..run[first].at - base];
    let colon = label.rfind([':', '：']);
    if label.to_lowercase().contains("opening") {
        return colon.map(|_| PageLine::Heading(None));
    }
    // A number of the label is none of a move.
    let begins = colon.map_or(run[first].at, |colon| base + colon);
    let moves = run.iter().filter(|token| token.at >= begins).copied();
    let moves = MoveLine::new(moves.collect());
    let is_game = !moves.is_few() && moves.game().is_ok();
    (colon.is_some() || is_game).then_some(PageLine::Moves(moves))
}

fn without_squares(text: &str, base: usize, tokens: Vec<Token>) -> PageLine {
    let has_pass = tokens
        .iter()
        .any(|token| token.word == PageWord::Move(Move::Pass));
    match first_number(&tokens) {
        Some(number) if tokens.len() == 1 => PageLine::Heading(Some(number)),
        // `12. pass`, but not a line of dashes.
        Some(_) if has_pass && !tokens.iter().any(Token::is_other) => {
            PageLine::Moves(MoveLine::new(tokens))
        }
        _ if is_misspelt(text.trim()) => {
            let reason = "expected a board (64 cells and the side to move) or moves, such as f5d6";
            PageLine::Wrong(TextError::new(base + 1, reason))
        }
        _ => PageLine::Heading(None),
    }
}

/// Are these some cells, or is it a word of pairs such as `x5d6`? That is no heading.
fn is_misspelt(text: &str) -> bool {
    /// A single disc may be the side to move.
    const FEWEST: usize = 2;
    let is_cells = text.chars().all(|letter| "XxOo*-._ \t".contains(letter));
    let discs = text.chars().filter(|letter| letter.is_ascii_alphabetic());
    let is_pair = |pair: &[u8]| pair[0].is_ascii_alphabetic() && pair[1].is_ascii_digit();
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let is_moves =
        rest.is_empty() && pairs.len() >= FEWEST && pairs.iter().all(|pair| is_pair(pair));
    is_moves || is_cells && discs.count() >= FEWEST
}

/// Is this moves, numbers and remarks in brackets, or text without a move?
pub(super) fn is_clear(text: &str) -> bool {
    let tokens = tokens(text, 0);
    !tokens.iter().any(Token::is_other)
        || !tokens
            .iter()
            .any(|token| token.is_square() || token.is_number())
}

/// All words of a line that begins with moves, where other words are errors.
pub(super) fn all_moves(text: &str) -> Option<MoveLine> {
    let tokens = tokens(text, 0);
    let first = tokens
        .iter()
        .find(|token| token.is_square() || token.is_other());
    first
        .is_some_and(Token::is_square)
        .then(|| MoveLine::new(tokens))
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
    /// The game with the moves of one more line, whose number has to be that of its first move, up to the first error.
    fn continued_by(&self, line: &MoveLine) -> (Game, Result<(), TextError>) {
        let mut game = self.game.game.clone();
        let wrong = line.number.filter(|&number| !self.is_next(number));
        let played = line.play(&mut game).and_then(|()| match wrong {
            Some(number) => {
                let reason = format!("number {number} does not follow the moves before it");
                Err(line.error(reason))
            }
            None => Ok(()),
        });
        (game, played)
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
        let is_few = line.is_few();
        match line.number {
            _ if !is_game => true,
            Some(_) => is_few || line.tokens.iter().filter(|token| token.is_number()).count() > 1,
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
    /// It cannot be read. The game before it is complete; there is none if the line was a part of it, which ends there.
    Bad(Option<GameBlock<P>>, BadGame),
    /// It belongs to a game that could not be read to its end.
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
        alone: Result<GgfGame, BadGame>,
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
                alone.and(Err(line.error(missing_moves(number)).into()))
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
            let (game, played) = block.continued_by(line);
            (game, played, may_continue.then_some(block))
        });
        match (continued, alone) {
            (Some((game, Ok(()), Some(block))), _) => {
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
            (Some((game, Err(error), _)), Err(_)) if later.is_some() || is_piece => {
                let block = self.block.take().map(|block| block.game);
                self.is_lost = true;
                Joined::Bad(
                    None,
                    BadGame::after(block.unwrap_or_default().with_moves_of(game), error),
                )
            }
            (_, Err(_)) if self.is_lost && line.is_some() => Joined::Skipped,
            (Some((_, Err(other), _)), Err(bad)) if other.column > bad.error.column => {
                Joined::Bad(self.end(), other.into())
            }
            (_, Err(bad)) => {
                let before = self.end();
                // Its later lines have numbers.
                self.is_lost = number == Some(1) && bad.before.is_some();
                Joined::Bad(before, bad)
            }
        }
    }
}

/// The games of a page, each with the column at which it begins, or why it cannot be read; columns count the bytes from
/// the start of the text. None, if there is no move.
pub fn parse(text: &str) -> Vec<PlacedGame> {
    let text = without_markup(text);
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

/// HTML as plain text of the same length: tags and entities are blanks, and a block begins a line.
pub(super) fn without_markup(text: &str) -> Cow<'_, str> {
    const BLOCKS: [&str; 12] = [
        "br", "dd", "div", "dt", "h1", "h2", "h3", "hr", "li", "p", "table", "tr",
    ];
    if !text.contains("</") && !text.contains("<br") && !text.contains("&nbsp;") {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['<', '&']) {
        let (before, mark) = rest.split_at(at);
        plain.push_str(before);
        let name = mark[1..].trim_start_matches('/');
        let length = name.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '#');
        let name = &name[..length.unwrap_or(name.len())];
        let is_tag = mark.starts_with('<')
            && mark[1..].starts_with(|c: char| c.is_alphabetic() || "/!".contains(c));
        let end = match is_tag {
            true => mark.find('>'),
            false => Some(1 + name.len())
                .filter(|&end| mark.starts_with('&') && mark[end..].starts_with(';')),
        };
        let length = end.map_or(1, |end| end + 1);
        match end {
            Some(_) => {
                let is_block = is_tag && BLOCKS.contains(&name.to_ascii_lowercase().as_str());
                plain.push(if is_block { '\n' } else { ' ' });
                plain.extend(mark[1..length].chars().flat_map(|letter| {
                    let blank = if letter == '\n' { '\n' } else { ' ' };
                    std::iter::repeat_n(blank, letter.len_utf8())
                }));
            }
            None => plain.push_str(&mark[..1]),
        }
        rest = &mark[length..];
    }
    plain.push_str(rest);
    Cow::Owned(plain)
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
            PageLine::Sentence(_) | PageLine::Unclear(_) => {}
            PageLine::Wrong(error) => {
                add(&mut games, joiner.end());
                games.push((at + 1, Err(error.clone().into())));
            }
            PageLine::Moves(moves) => {
                let first = moves.tokens.first().map_or(0, |token| token.at - at);
                heading(&text[..first], None, &mut headings);
                let moves = MoveLine {
                    number: moves.number.or(number.take()),
                    ..moves.clone()
                };
                let mut game = Game::new(Position::START);
                let played = moves.play(&mut game);
                let game = headings.clone().with_moves_of(game);
                let alone = match played {
                    Ok(()) => Ok(game),
                    Err(error) => Err(BadGame::after(game, error)),
                };
                match joiner.take(*at, Some(&moves), alone) {
                    Joined::Continued | Joined::Skipped => {}
                    Joined::Begun(before) => {
                        headings = GgfGame::default();
                        add(&mut games, before);
                    }
                    Joined::Bad(before, bad) => {
                        headings = GgfGame::default();
                        add(&mut games, before);
                        games.push((at + 1, Err(bad)));
                    }
                }
            }
        }
    }
    add(&mut games, joiner.end());
    games
}

/// Takes what a heading says: `Black: anna (1500)` and `Date: ..` of the next game, perhaps several in a line, `Result: ..`
/// of the one before, `anna vs ben` and `anna 33-31 ben` of the next.
fn heading(text: &str, mut before: Option<&mut GgfGame>, next: &mut GgfGame) {
    let mut labels = labels(text).peekable();
    if labels.peek().is_none() {
        return pairing(text, next);
    }
    while let Some((_, label, at)) = labels.next() {
        let end = labels.peek().map_or(text.len(), |&(start, ..)| start);
        let value = text[at..end].trim();
        match (side_named(label), label.to_lowercase().as_str()) {
            (Some(Color::Black), _) => next.black.name = name(value),
            (Some(Color::White), _) => next.white.name = name(value),
            (None, "date") => next.date = facts::date(value),
            _ => {
                if let Some(game) = &mut before {
                    game.result = facts::result(value);
                }
            }
        }
    }
}
/// The labels of a line that are known, each with its byte, and that of the value behind it.
fn labels(text: &str) -> impl Iterator<Item = (usize, &str, usize)> {
    const OTHERS: [&str; 3] = ["date", "result", "score"];
    text.char_indices().filter_map(|(at, letter)| {
        let is_colon = matches!(letter, ':' | '：');
        let before = text[..at].trim_end();
        let word = before.trim_end_matches(|letter: char| letter.is_alphanumeric());
        let label = &before[word.len()..];
        let is_other = OTHERS.contains(&label.to_lowercase().as_str());
        let is_known = is_colon && (is_other || label.len() > 1 && side_named(label).is_some());
        is_known.then_some((word.len(), label, at + letter.len_utf8()))
    })
}

/// A name without what stands behind it in brackets, and without marks.
fn name(value: &str) -> String {
    let name = value.split(['(', '[', '（', '［']).next().unwrap_or("");
    name.trim_matches(|letter: char| letter.is_whitespace() || ",;:/|".contains(letter))
        .to_owned()
}

/// Is this `33-31`?
fn is_discs(word: &str) -> bool {
    word.contains(['-', ':'])
        && word
            .split(['-', ':'])
            .all(|discs| discs.parse::<u8>().is_ok_and(|discs| discs <= 64))
}

/// The names of `anna (1789) vs ben (1802)`, and of `anna 33-31 ben:` with the result.
fn pairing(text: &str, next: &mut GgfGame) {
    // Discs may have blanks around their mark.
    let narrow = text.replace(" - ", "-");
    let has_discs = |text: &str| text.split_whitespace().any(is_discs);
    let text = if has_discs(&narrow) && !has_discs(text) {
        &narrow
    } else {
        text
    };
    let words = text.split_whitespace();
    let offset = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
    let pair = words.map(|word| (word, facts::result(word).filter(|_| is_discs(word))));
    let mut pairs = pair.filter(|(word, result)| {
        result.is_some() || matches!(word.to_lowercase().as_str(), "vs" | "vs." | "v" | "対")
    });
    let (Some((word, result)), None) = (pairs.next(), pairs.next()) else {
        return;
    };
    let at = offset(word);
    let (first, others) = text.trim_start().split_once(' ').unwrap_or_default();
    let dated =
        facts::year(first).and_then(|_| others.get(..at.checked_sub(text.len() - others.len())?));
    if dated.is_some() {
        next.date = facts::date(first);
    }
    let black = name(dated.unwrap_or(&text[..at]));
    let white = name(&text[at + word.len()..]);
    if !black.is_empty() && !white.is_empty() {
        (next.black.name, next.white.name) = (black, white);
        next.result = result;
    }
}

/// The one game that is told in sentences, the first move first or, as in a log, last.
fn sentences(lines: &[PlacedLine<'_>]) -> Option<PlacedGame> {
    let mut told = Vec::new();
    for (.., line) in lines {
        match line {
            PageLine::Sentence(token) => told.push(*token),
            PageLine::Unclear(error) | PageLine::Wrong(error) => {
                return Some((error.column, Err(error.clone().into())));
            }
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
    let game = game.map(GgfGame::anonymous);
    Some((start, game.map_err(BadGame::from)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<Result<String, usize>> {
        let games = parse(text).into_iter();
        games
            .map(|(_, game)| {
                game.map(|game| game.game.transcript())
                    .map_err(|bad| bad.error.column)
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
