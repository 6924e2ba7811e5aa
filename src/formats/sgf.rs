//! SGF, the Smart Game Format, of Othello (`GM[2]`), as Quarry and Edax write it:
//! `(;FF[4]GM[2]SZ[8]PB[..]PW[..];B[ef];W[ff]..)`.
//!
//! Squares are two letters, the file and the rank from the top (`ef` is E6), or `E6`; a pass is
//! empty, `tt`, or any spelling of a pass. Of variations the first is read; properties that say
//! nothing about the game are ignored. `AB`, `AW` and `PL` set up another start.

use nom::Parser;
use nom::bytes::complete::take_while1;
use nom::character::complete::{char, multispace0};
use nom::combinator::opt;
use nom::multi::{many0, many1};
use nom::sequence::terminated;

use crate::rules::{Board, Color, Game, Move, Position, Square};
use crate::text::TextError;
use crate::text::words::{Parsed, expect, failure, finish};

/// A game and its players.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SgfGame {
    /// `PB`: the first player.
    pub black: String,
    /// `PW`: the second player.
    pub white: String,
    /// `DT`: when it was played.
    pub date: String,
    /// The moves, with every pass in its place.
    pub game: Game,
}

/// A property: its name and its values, each with the text from there on.
type Property<'a> = (&'a str, Vec<(String, &'a str)>);

/// Is this text SGF, rather than GGF, which also begins with `(;`?
pub fn is_sgf(text: &str) -> bool {
    let mut letters = text.chars().filter(|letter| !letter.is_whitespace());
    let begins = letters.by_ref().take(2).eq("(;".chars());
    begins && !text.contains("GM[Othello]")
}

/// Brackets within brackets that are followed.
const MAX_DEPTH: usize = 256;

/// All games of a file, each with the column at which it begins, or why it cannot be read: it is not SGF, not Othello on
/// 8 x 8 squares, or a move is not legal. Columns count the bytes from the start of the text.
pub fn parse(text: &str) -> Vec<(usize, Result<SgfGame, TextError>)> {
    let mut games = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let column = text.len() - rest.len() + 1;
        if !rest.starts_with('(') {
            games.push((
                column,
                finish(text, failure(rest, "expected a game, (;..)")),
            ));
            rest = rest.find("(;").map_or("", |start| &rest[start..]);
            continue;
        }
        let game = tree(rest);
        let after = match &game {
            Ok((after, _)) => after,
            Err(_) => skip_tree(rest),
        };
        games.push((column, finish(text, game)));
        rest = after.trim_start();
    }
    games
}

/// What comes after the brackets that `input` begins with.
fn skip_tree(input: &str) -> &str {
    let (mut depth, mut in_value) = (0_usize, false);
    let mut letters = input.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' if in_value => {
                letters.next();
            }
            ']' => in_value = false,
            _ if in_value => {}
            '[' => in_value = true,
            '(' => depth += 1,
            ')' if depth <= 1 => return &input[at + 1..],
            ')' => depth -= 1,
            _ => {}
        }
    }
    ""
}

/// `( node.. tree.. )`: the nodes of the main line become a game.
fn tree(input: &str) -> Parsed<'_, SgfGame> {
    let (rest, nodes) = branch(input, MAX_DEPTH)?;
    let game = replay(input, &nodes)?.1;
    Ok((rest, game))
}

/// The properties of a branch's main line.
fn branch(input: &str, depth: usize) -> Parsed<'_, Vec<Property<'_>>> {
    if depth == 0 {
        return failure(input, "too many variations within variations");
    }
    let (mut rest, _) = terminated(char('('), multispace0).parse(input)?;
    let mut properties = Vec::new();
    while let (after, Some(_)) = opt(terminated(char(';'), multispace0)).parse(rest)? {
        let (after, node) = many0(property).parse(after)?;
        properties.extend(node);
        rest = after;
    }
    let mut is_first = true;
    let variation = |input| branch(input, depth - 1);
    while let (after, Some(variation)) = opt(terminated(variation, multispace0)).parse(rest)? {
        if is_first {
            properties.extend(variation);
        }
        is_first = false;
        rest = after;
    }
    let (rest, _) = expect("expected ;, ( or )", char(')'))(rest)?;
    Ok((rest, properties))
}

fn property(input: &str) -> Parsed<'_, Property<'_>> {
    let name = take_while1(|letter: char| letter.is_ascii_alphanumeric());
    let (rest, name) = terminated(name, multispace0).parse(input)?;
    let (rest, values) = many1(terminated(value, multispace0)).parse(rest)?;
    Ok((rest, (name, values)))
}

/// A value in its brackets, with the text from there on.
fn value(input: &str) -> Parsed<'_, (String, &str)> {
    let (from_value, _) = char('[').parse(input)?;
    let (rest, value) = terminated(text, expect("expected ]", char(']'))).parse(from_value)?;
    Ok((rest, (value, from_value)))
}

/// Everything up to `]`; a backslash takes the next letter as it is.
fn text(input: &str) -> Parsed<'_, String> {
    let mut text = String::new();
    let mut letters = input.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            ']' => return Ok((&input[at..], text)),
            '\\' => text.extend(letters.next().map(|(_, letter)| letter)),
            letter => text.push(letter),
        }
    }
    failure(&input[input.len()..], "expected ]")
}

/// Plays the properties of a main line.
fn replay<'a>(input: &'a str, properties: &[Property<'a>]) -> Parsed<'a, SgfGame> {
    let mut found = SgfGame {
        black: String::new(),
        white: String::new(),
        date: String::new(),
        game: Game::new(Position::START),
    };
    let mut discs = [0, 0];
    let mut side = Color::Black;
    for (name, values) in properties {
        let (value, place) = &values[0];
        let trimmed = value.trim();
        match *name {
            "GM" if trimmed != "2" => return failure(place, "not a game of Othello, GM[2]"),
            "SZ" if trimmed != "8" => return failure(place, "not a board of 8 x 8 squares"),
            "PB" => found.black = trimmed.to_owned(),
            "PW" => found.white = trimmed.to_owned(),
            "DT" => found.date = trimmed.to_owned(),
            "PL" => {
                let is_white = trimmed.starts_with(['W', 'w', '2']);
                side = if is_white { Color::White } else { Color::Black };
            }
            "AB" | "AW" => {
                for (value, place) in values {
                    let Some(square) = square(value.trim()) else {
                        return failure(place, "expected a square");
                    };
                    discs[usize::from(*name == "AW")] |= square.bit();
                }
            }
            "B" | "W" => {
                if found.game.moves().is_empty() && discs != [0, 0] {
                    match set_up(discs, side) {
                        Some(start) => found.game = Game::new(start),
                        None => return failure(place, "two discs stand on one square"),
                    }
                }
                discs = [0, 0];
                let is_pass = matches!(trimmed, "" | "tt") || trimmed.parse() == Ok(Move::Pass);
                let mv = if is_pass {
                    Some(Move::Pass)
                } else {
                    square(trimmed).map(Move::Place)
                };
                let Some(mv) = mv else {
                    return failure(place, "expected a square or a pass");
                };
                if found.game.play(mv).is_err() {
                    return failure(place, format!("illegal move {mv}"));
                }
            }
            _ => {}
        }
    }
    Ok((input, found))
}

/// `ef`, the file and the rank from the top, or `E6`.
fn square(text: &str) -> Option<Square> {
    let index = |letter: u8| {
        (b'a'..=b'h')
            .contains(&letter)
            .then(|| u32::from(letter - b'a'))
    };
    match text.as_bytes() {
        &[file, rank] if rank.is_ascii_alphabetic() => Square::new(index(rank)? * 8 + index(file)?),
        _ => text.parse().ok(),
    }
}

fn set_up([black, white]: [u64; 2], side: Color) -> Option<Position> {
    let board = match side {
        Color::Black => Board::new(black, white),
        Color::White => Board::new(white, black),
    };
    board.map(|board| Position { board, side })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<SgfGame> {
        let games = parse(text).into_iter();
        games.map(|(_, game)| game.expect("a game")).collect()
    }

    #[test]
    fn a_bad_game_does_not_spoil_those_after_it() {
        let text = "(;GM[2]C[\\])(;];B[a1](;W[b2]))\n(;GM[2];B[d3]) junk (;GM[2];B[c4]";
        let games = parse(text);
        let found: Vec<_> = games.iter().map(|(at, game)| (*at, game.is_ok())).collect();
        assert_eq!(found, [(1, false), (32, true), (47, false), (52, false)]);
        let deep = "(;".repeat(100_000);
        assert!(parse(&deep)[0].1.is_err());
    }

    #[test]
    fn games_are_read_in_both_spellings_of_squares() {
        let text = "(;FF[4]GM[2]SZ[8]PB[A \\] B]PW[C];B[fe];W[df]\n;B[c3](;W[d3])(;W[c4]))\n(;GM[2];B[d3];W[C3])";
        let games = read(text);
        assert_eq!(
            (games[0].black.as_str(), games[0].white.as_str()),
            ("A ] B", "C")
        );
        let transcripts: Vec<_> = games.iter().map(|game| game.game.transcript()).collect();
        assert_eq!(transcripts, ["f5d6c3d3", "d3c3"]);
    }

    #[test]
    fn a_start_position_can_be_set_up() {
        let games = read("(;GM[2]AB[e4][d5]AW[d4][e5]PL[W];W[e3])");
        assert_eq!(games[0].game.start().side, Color::White);
        assert_eq!(games[0].game.moves().len(), 1);
    }

    #[test]
    fn errors_name_their_place() {
        for (text, column) in [
            ("(;GM[1])", 6),
            ("(;GM[2];B[a1])", 11),
            ("(;GM[2];B[zz])", 11),
            ("(;GM[2]", 8),
            ("(;GM[2];B[", 11),
            ("junk", 1),
        ] {
            let error = parse(text).remove(0).1.expect_err(text);
            assert_eq!(error.column, column, "{text}: {error}");
        }
    }

    #[test]
    fn ggf_is_something_else() {
        assert!(
            is_sgf("\n(;FF[4]GM[2])") && !is_sgf("(;GM[Othello]PC[NBoard])") && !is_sgf("f5d6")
        );
    }
}
