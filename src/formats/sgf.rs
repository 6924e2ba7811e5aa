//! SGF, the Smart Game Format, of Othello (`GM[2]`), as Quarry, Edax and GoGui write it:
//! `(;FF[4]GM[2]SZ[8]PB[..]PW[..];B[ef];W[ff]..)`.
//!
//! Squares are two letters, the file and the rank from the top (`ef` is E6), or `E6`; a pass is
//! empty, `tt`, or any spelling of a pass. Of variations the first is read; properties that say
//! nothing about the game are ignored, and so are lower-case letters in the name of a property
//! (`Black[..]`, as in `FF[3]`). `AB`, `AW`, `AE` and `PL` set up another start.
//!
//! GoGui writes no `GM` and counts ranks from below: the count with which all moves are legal is taken. Text
//! outside of the games, such as the head of a mail, is skipped.

use std::borrow::Cow;

use nom::Parser;
use nom::bytes::complete::take_while1;
use nom::character::complete::{char, multispace0};
use nom::combinator::map;
use nom::error::ParseError;
use nom::multi::{many0, many1};
use nom::sequence::{preceded, terminated};

use super::facts;
use super::ggf::{Annotation, GameResult, GgfGame};
use super::{BadGame, PlacedGame};
use crate::rules::{Board, Color, Game, Move, Position, Square};
use crate::text::TextError;
use crate::text::words::{
    Checked, ParseFailure, Parsed, decimal_prefix, expect, failure, finish, whole,
};

/// A property: its name in capitals, and its values.
struct Property<'a> {
    name: Cow<'a, str>,
    values: Vec<Value<'a>>,
}

/// A value without its escapes, and the text from there on.
struct Value<'a> {
    text: String,
    place: &'a str,
}

/// The nodes of a main line, each with its properties.
type Nodes<'a> = Vec<Vec<Property<'a>>>;

/// Brackets within brackets that are followed.
const MAX_DEPTH: usize = 256;

/// All games of a file, each with the column at which it begins, or why it cannot be read: it is not SGF, not Othello on
/// 8 x 8 squares, or a move is not legal. Columns count the bytes from the start of the text.
pub fn parse(text: &str) -> Vec<PlacedGame> {
    let mut games = Vec::new();
    let mut rest = text;
    loop {
        let (between, game) = rest.split_at(start_of_game(rest).unwrap_or(rest.len()));
        if let Some(at) = lost_node(between) {
            let lost: Result<GgfGame, _> =
                finish(text, failure(&rest[at..], "expected a game, (;..)"));
            games.push((
                text.len() - rest.len() + at + 1,
                lost.map_err(BadGame::from),
            ));
        }
        if game.is_empty() {
            return games;
        }
        let found = tree(game);
        rest = match &found {
            Ok((after, _)) => after,
            Err(_) => skip_tree(game),
        };
        let start = text.len() - game.len();
        let found = finish(text, found).map_err(|error| {
            BadGame::of(error, text, |before| {
                first_nodes(&before[start.min(before.len())..])
            })
        });
        games.push((start + 1, found));
    }
}

/// The game of its whole nodes, if it is cut off.
fn first_nodes(text: &str) -> Result<GgfGame, TextError> {
    let nodes = &text[..text.rfind(']').map_or(text.len(), |end| end + 1)];
    let read = |nodes: &str| {
        let closed = nodes.to_owned() + &")".repeat(nodes.matches('(').count());
        finish(&closed, tree(&closed))
    };
    // The last one may be a pass that is wrong.
    read(nodes).or_else(|_| read(&nodes[..nodes.rfind(';').unwrap_or(0)]))
}

/// Where the next `(;` is.
pub(super) fn start_of_game(text: &str) -> Option<usize> {
    let mut brackets = text.match_indices('(').map(|(at, _)| at);
    brackets.find(|&at| text[at + 1..].trim_start().starts_with(';'))
}

/// Where text between games looks like a part of one: `;B[`.
fn lost_node(text: &str) -> Option<usize> {
    let mut marks = text.match_indices(';').map(|(at, _)| at);
    marks.find(|&at| {
        let property = text[at + 1..].trim_start();
        let name = property.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
        name.len() < property.len() && name.starts_with('[')
    })
}

/// What comes after the brackets that `input` begins with.
fn skip_tree(input: &str) -> &str {
    let (mut depth, mut in_value) = (0_usize, false);
    let mut letters = input.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if in_value => _ = letters.next(),
            ']' => in_value = false,
            _ if in_value => {}
            '[' => in_value = true,
            '(' => depth += 1,
            ')' if depth <= 1 => break,
            ')' => depth -= 1,
            _ => {}
        }
    }
    letters.as_str()
}

/// `( node.. tree.. )`: the nodes of the main line become a game.
fn tree(input: &str) -> Parsed<'_, GgfGame> {
    let (rest, nodes) = branch(input, MAX_DEPTH)?;
    Ok((rest, game(input, &nodes)?))
}

/// The nodes of a branch's main line.
fn branch(input: &str, depth: usize) -> Parsed<'_, Nodes<'_>> {
    if depth == 0 {
        return failure(input, "too many variations within variations");
    }
    let node = preceded((char(';'), multispace0), many0(property));
    let variation = terminated(|input| branch(input, depth - 1), multispace0);
    let mut parts = (char('('), multispace0, many0(node), many0(variation));
    let (rest, (_, _, mut nodes, variations)) = parts.parse(input)?;
    nodes.extend(variations.into_iter().next().unwrap_or_default());
    let (rest, _) = expect("expected ;, ( or )", char(')'))(rest)?;
    Ok((rest, nodes))
}

fn property(input: &str) -> Parsed<'_, Property<'_>> {
    let name = take_while1(|letter: char| letter.is_ascii_alphanumeric());
    let (rest, name) = terminated(name, multispace0).parse(input)?;
    let name = capitals(name);
    let (rest, values) = match &*name {
        "C" => map(terminated(comment, multispace0), |comment| vec![comment]).parse(rest)?,
        _ => many1(terminated(value, multispace0)).parse(rest)?,
    };
    Ok((rest, Property { name, values }))
}

/// The capitals of a name, or the whole name in capitals if it has none.
fn capitals(name: &str) -> Cow<'_, str> {
    let is_small = |letter: char| letter.is_ascii_lowercase();
    if !name.contains(is_small) {
        Cow::Borrowed(name)
    } else if name.contains(|letter: char| letter.is_ascii_uppercase()) {
        Cow::Owned(name.replace(is_small, ""))
    } else {
        Cow::Owned(name.to_ascii_uppercase())
    }
}

/// The value of a comment. Where brackets in it lack their backslash, a `)` may be left behind it: it ends no game
/// if a node follows.
fn comment(input: &str) -> Parsed<'_, Value<'_>> {
    let (rest, comment) = value(input)?;
    match rest.strip_prefix(')') {
        Some(after) if lost_node(after.trim_start()) == Some(0) => Ok((after, comment)),
        _ => Ok((rest, comment)),
    }
}

fn value(input: &str) -> Parsed<'_, Value<'_>> {
    let (place, _) = char('[').parse(input)?;
    let mut text = String::new();
    let mut letters = place.chars();
    while let Some(letter) = letters.next() {
        match letter {
            ']' => return Ok((letters.as_str(), Value { text, place })),
            // It takes the next letter as it is.
            '\\' => text.extend(letters.next()),
            letter => text.push(letter),
        }
    }
    failure(letters.as_str(), "expected ]")
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
enum Ranks {
    #[default]
    FromAbove,
    FromBelow,
}

/// The game of a main line. The standard counts ranks from above; where no `GM` promises it, they may be counted
/// as in Go, from below, if only so all moves are legal.
fn game<'a>(input: &'a str, nodes: &Nodes<'a>) -> Checked<'a, GgfGame> {
    let above = replay(input, nodes, Ranks::FromAbove);
    if nodes.iter().flatten().any(|property| property.name == "GM") {
        return above;
    }
    match (above, replay(input, nodes, Ranks::FromBelow)) {
        (Ok(above), Ok(below)) if above.game != below.game => {
            let reason =
                "ranks may be counted from above or from below: GM[2] would say from above";
            failure(input, reason)
        }
        (Ok(above), _) => Ok(above),
        (Err(_), Ok(below)) => {
            log::info!("ranks of SGF are counted from below, as GoGui writes them");
            Ok(below)
        }
        (Err(above), Err(below)) => Err(further(above, below)),
    }
}

fn further<'a>(
    one: nom::Err<ParseFailure<'a>>,
    other: nom::Err<ParseFailure<'a>>,
) -> nom::Err<ParseFailure<'a>> {
    use nom::Err::{Error, Failure};
    match (one, other) {
        (Error(one) | Failure(one), Error(other) | Failure(other)) => {
            Failure(ParseError::or(other, one))
        }
        (one, _) => one,
    }
}

fn replay<'a>(input: &'a str, nodes: &Nodes<'a>, ranks: Ranks) -> Checked<'a, GgfGame> {
    let mut reading = SgfReading {
        ranks,
        ..SgfReading::default()
    };
    for (number, node) in nodes.iter().enumerate() {
        reading.take_node(node, number == 0)?;
    }
    reading.finish(input)
}

/// A main line that is being read.
#[derive(Default)]
struct SgfReading {
    ranks: Ranks,
    found: GgfGame,
    result: Option<GameResult>,
    /// The board that was set up, before the first move.
    board: Option<SetUp>,
    /// The side that moves first, where that is said.
    side: Option<Color>,
    has_moves: bool,
    /// Passes at the end that are not legal.
    passes: usize,
    /// Are there nodes that say neither a move nor a set-up?
    has_other_nodes: bool,
}

#[derive(Clone, Copy, Default)]
struct SetUp {
    black: u64,
    white: u64,
    /// All squares that were named.
    named: u64,
}

/// The four squares that have discs at the start of a game.
const CENTRE: u64 = Board::START.player | Board::START.opponent;

impl SgfReading {
    fn take_node<'a>(&mut self, node: &[Property<'a>], is_root: bool) -> Checked<'a, ()> {
        let sets_up = |property: &&Property<'_>| matches!(&*property.name, "AB" | "AW" | "AE");
        let set_up: Vec<&Property<'a>> = node.iter().filter(sets_up).collect();
        if let Some(first) = set_up.first() {
            self.set_up(&set_up, first.values[0].place, is_root)?;
        }
        let plays = |property: &Property<'_>| matches!(&*property.name, "B" | "W");
        self.has_other_nodes |= !is_root && set_up.is_empty() && !node.iter().any(plays);
        for property in node {
            self.take(property)?;
        }
        Ok(())
    }

    fn take<'a>(&mut self, property: &Property<'a>) -> Checked<'a, ()> {
        let Value { text, place } = &property.values[0];
        let text = text.trim();
        let found = &mut self.found;
        match &*property.name {
            "GM" if text != "2" && !text.eq_ignore_ascii_case("othello") => {
                return failure(place, "not a game of Othello, GM[2]");
            }
            "SZ" if text != "8" && text != "8:8" => {
                return failure(place, "not a board of 8 x 8 squares");
            }
            "HA" if text != "0" => {
                return failure(place, "a handicap without its discs: expected AB and AW");
            }
            "PB" => found.black.name = text.to_owned(),
            "PW" => found.white.name = text.to_owned(),
            "BR" => found.black.rating = whole(text, decimal_prefix),
            "WR" => found.white.rating = whole(text, decimal_prefix),
            "DT" => found.date = facts::date(text),
            "PC" => found.place = text.to_owned(),
            "EV" if found.place.is_empty() => found.place = text.to_owned(),
            "RE" => self.result = facts::result(text),
            "PL" => return self.side_to_move(text, place),
            "B" => return self.play(Color::Black, property),
            "W" => return self.play(Color::White, property),
            _ => {}
        }
        Ok(())
    }

    fn side_to_move<'a>(&mut self, text: &str, place: &'a str) -> Checked<'a, ()> {
        let side = match text.bytes().next() {
            Some(b'B' | b'b' | b'1') => Color::Black,
            Some(b'W' | b'w' | b'2') => Color::White,
            _ => return failure(place, "expected the side to move, B or W"),
        };
        if self.has_moves && self.found.game.position().side != side {
            let reason = "the side to move is changed after a move: that is not read";
            return failure(place, reason);
        }
        self.side = Some(side);
        Ok(())
    }

    fn set_up<'a>(
        &mut self,
        properties: &[&Property<'a>],
        place: &'a str,
        is_root: bool,
    ) -> Checked<'a, ()> {
        if self.has_moves {
            return failure(place, "the board is changed after a move: that is not read");
        }
        let mut new = SetUp::default();
        for property in properties {
            for value in &property.values {
                let Some(squares) = self.squares(value.text.trim()) else {
                    return failure(value.place, "expected a square, or two such as aa:cc");
                };
                if new.named & squares != 0 {
                    return failure(value.place, "a square is set up twice");
                }
                new.named |= squares;
                match &*property.name {
                    "AB" => new.black |= squares,
                    "AW" => new.white |= squares,
                    _ => {}
                }
            }
        }
        // Without a set-up in the root, nobody knows whether the discs of the start are there.
        let is_whole = is_root && new.black | new.white != 0 || new.named & CENTRE == CENTRE;
        let before = match self.board {
            Some(board) => board,
            None if is_whole => SetUp::default(),
            None => {
                let reason = "a set-up of some squares alone is not read: it has to name the four in the centre too";
                return failure(place, reason);
            }
        };
        self.board = Some(SetUp {
            black: before.black & !new.named | new.black,
            white: before.white & !new.named | new.white,
            named: before.named | new.named,
        });
        Ok(())
    }

    /// `fe`, `F5`, or the corners of a rectangle, `aa:cc`.
    fn squares(&self, text: &str) -> Option<u64> {
        let Some((one, other)) = text.split_once(':') else {
            return Some(self.square(text)?.bit());
        };
        let (one, other) = (self.square(one.trim())?, self.square(other.trim())?);
        let between = |at: u32, a: u32, b: u32| (a.min(b)..=a.max(b)).contains(&at);
        let inside = |square: &Square| {
            between(square.file(), one.file(), other.file())
                && between(square.rank(), one.rank(), other.rank())
        };
        let bits = Square::all().filter(inside).map(Square::bit);
        Some(bits.fold(0, |set, bit| set | bit))
    }

    /// Two letters, the file and the rank, or `E6`.
    fn square(&self, text: &str) -> Option<Square> {
        let index = |letter: u8| letter.to_ascii_lowercase().checked_sub(b'a').map(u32::from);
        match text.as_bytes() {
            &[file, rank] if rank.is_ascii_alphabetic() => {
                let rank = match self.ranks {
                    Ranks::FromAbove => index(rank)?,
                    Ranks::FromBelow => 7_u32.checked_sub(index(rank)?)?,
                };
                Square::at(index(file)?, rank)
            }
            _ => text.parse().ok(),
        }
    }

    /// The first move decides what has not been said: who begins.
    fn begin(&mut self, first: Color) -> bool {
        let side = self.side.unwrap_or(first);
        let Board { player, opponent } = Board::START;
        let discs = self.board.map(|board| (board.black, board.white));
        let discs = discs.unwrap_or((player, opponent));
        let is_board = discs.0 & discs.1 == 0;
        if is_board {
            self.found.game = Game::new(Position::of_discs(discs, side));
        }
        is_board
    }

    fn play<'a>(&mut self, color: Color, property: &Property<'a>) -> Checked<'a, ()> {
        let Value { text, place } = &property.values[0];
        if let Some(second) = property.values.get(1) {
            return failure(second.place, "expected one move");
        }
        let text = text.trim();
        let is_pass = matches!(text, "" | "tt") || text.parse() == Ok(Move::Pass);
        let square = || self.square(text).map(Move::Place);
        let Some(mv) = is_pass.then_some(Move::Pass).or_else(square) else {
            return failure(place, "expected a square or a pass");
        };
        if !std::mem::replace(&mut self.has_moves, true) && !self.begin(color) {
            return failure(place, "two discs stand on one square");
        }
        let position = self.found.game.position();
        let is_forced = position.board.must_pass() && position.side == color && self.passes == 0;
        if is_pass && !is_forced {
            // Two at the end only say that the game has ended.
            self.passes += 1;
            if self.passes > 2 && !position.board.is_over() {
                return failure(place, format!("illegal move pass of {color}"));
            }
            return Ok(());
        }
        if self.passes > 0 {
            let reason = format!("illegal move {mv} of {color} after a pass that is not legal");
            return failure(place, reason);
        }
        let mover = position.mover(mv);
        if mover != color {
            let reason = format!("illegal move {mv} of {color}: it is {mover}'s turn");
            return failure(place, reason);
        }
        if self.found.play(mv, Annotation::default()).is_err() {
            return failure(place, format!("illegal move {mv} of {color}"));
        }
        Ok(())
    }

    fn finish(mut self, input: &str) -> Checked<'_, GgfGame> {
        let is_position = self.board.is_some() && !self.has_other_nodes;
        if !(self.has_moves || is_position && self.begin(Color::Black)) {
            return failure(input, "there is no move");
        }
        let game = &self.found.game;
        let is_second = game.moves().last() == Some(&Move::Pass);
        if self.passes == 1 && !is_second && !game.position().board.is_over() {
            return failure(input, "the game ends with a pass that is not legal");
        }
        self.found.result = self.result;
        Ok(self.found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Bitboard;

    fn read(text: &str) -> Vec<GgfGame> {
        let games = parse(text).into_iter();
        games.map(|(_, game)| game.expect(text)).collect()
    }

    fn error(text: &str) -> TextError {
        parse(text).remove(0).1.expect_err(text).error
    }

    #[test]
    fn a_bad_game_does_not_spoil_those_after_it() {
        let text = "(;GM[2]C[\\])(;];B[a1](;W[b2]))\n(;GM[2];B[d3]) ;W[c3]) (;GM[2];B[c4]";
        let games = parse(text);
        let found: Vec<_> = games.iter().map(|(at, game)| (*at, game.is_ok())).collect();
        assert_eq!(found, [(1, false), (32, true), (47, false), (55, false)]);
        let deep = "(;".repeat(100_000);
        assert!(parse(&deep)[0].1.is_err());
    }

    #[test]
    fn games_are_read_in_both_spellings_of_squares() {
        let text = "(;FF[4]GM[2]SZ[8]PB[A \\] B]PW[C];B[fe];W[df]\n;B[c3](;W[d3])(;W[c4]))\n(;GM[2];B[d3];W[C3])";
        let games = read(text);
        assert_eq!(
            (games[0].black.name.as_str(), games[0].white.name.as_str()),
            ("A ] B", "C")
        );
        let transcripts: Vec<_> = games.iter().map(|game| game.game.transcript()).collect();
        assert_eq!(transcripts, ["f5d6c3d3", "d3c3"]);
    }

    #[test]
    fn text_outside_of_games_is_skipped() {
        let text =
            "From: me (see below)\nSubject: games\n\n(;GM[2];B[fe])\n-- and:\n( ;GM[2];B[dc])\n";
        let games = read(text);
        let transcripts: Vec<_> = games.iter().map(|game| game.game.transcript()).collect();
        assert_eq!(transcripts, ["f5", "d3"]);
    }

    #[test]
    fn comments_may_have_brackets() {
        let text = "(;FF[4]GM[2]C[was (;GM[Othello\\] or GM[Othello]);B[fe]C[;W[a1\\]])";
        assert_eq!(read(text)[0].game.transcript(), "f5");
    }

    #[test]
    fn names_of_properties_may_be_long() {
        let game = &read(
            "(;FileFormat[3]GaMe[2]PlayerBlack[a]PlayerWhite[b]SiZe[8]REsult[B+6];Black[fe];White[df]C[;B[a1\\]])",
        )[0];
        assert_eq!(game.game.transcript(), "f5d6");
        assert_eq!(
            (game.black.name.as_str(), game.white.name.as_str()),
            ("a", "b")
        );
        assert_eq!(game.result.map(|result| result.score), Some(6.0));
    }

    #[test]
    fn a_start_position_can_be_set_up() {
        let games = read("(;GM[2]AB[e4][d5]AW[d4][e5]PL[W];W[e3])");
        assert_eq!(games[0].game.start().side, Color::White);
        assert_eq!(games[0].game.moves().len(), 1);
        let game = &read("(;GM[2]AB[aa:hc][ah]AW[gh:bh];B[hh])").remove(0).game;
        assert_eq!(game.start().discs(Color::Black).count_ones(), 25);
        assert_eq!(game.start().discs(Color::White).count_ones(), 6);
        // The discs of the root are changed before the first move.
        let text = "(;GM[2]AB[aa][da][ca]AW[ba][ea];AE[ca];W[ca])";
        let game = &read(text).remove(0).game;
        assert_eq!(
            (game.start().side, game.transcript().as_str()),
            (Color::White, "c1")
        );
        let position = &read("(;GM[2]AB[e4][d5]AW[d4][e5])").remove(0).game;
        assert_eq!(position.start(), Position::START);
    }

    #[test]
    fn colours_are_not_ignored() {
        let game = &read("(;FF[4]GM[2]AB[aa][da]AW[ba][ea];W[ca])")
            .remove(0)
            .game;
        assert_eq!(game.start().side, Color::White);
        assert_eq!(game.position().result_for_black(), None);
        let found = error("(;FF[4]GM[2];B[fe];B[df])");
        assert_eq!(found.column, 22);
        assert_eq!(found.reason, "illegal move d6 of black: it is white's turn");
        assert!(parse("(;GM[2];B[fe];W[])")[0].1.is_err(), "white can move");
    }

    #[test]
    fn games_of_gogui_are_read() {
        let text = "(;FF[4]AP[gogui-twogtp:1.5.1]SZ[8]\nPB[a]DT[2026-11-27]RE[B+6]\nC[x [y\\]\n]\n;B[fd];W[dc];B[cf];W[df];B[];W[])";
        assert_eq!(read(text)[0].game.transcript(), "f5d6c3d3");
        // e4 from above, e5 from below.
        let both = "(;SZ[8]AB[cd][ce]AW[dd][de];B[ed])";
        assert!(error(both).reason.contains("from above or from below"));
        assert!(
            error("(;SZ[8];B[fd];W[dd])").reason.contains("illegal"),
            "neither"
        );
        assert!(
            error("(;GM[2]SZ[8];B[fd])").reason.contains("illegal"),
            "GM[2]: from above"
        );
        assert!(parse("(;FF[4]SZ[19];B[fe])")[0].1.is_err());
    }

    #[test]
    fn passes_are_read_and_may_be_left_out() {
        // Black fills b1 after white has passed.
        let set_up = "(;GM[2]AB[c1:h1]AW[b1]PL[W]AB[a3:h8]";
        for pass in [";W[]", ";W[tt]", ";W[pass]", ""] {
            let text = format!("{set_up}{pass};B[a1])");
            let game = &read(&text).remove(0).game;
            assert_eq!(game.moves().len(), 2, "{pass}");
        }
    }

    #[test]
    fn errors_name_their_place() {
        for (text, column) in [
            ("(;GM[1])", 6),
            ("(;GM[2];B[a1])", 11),
            ("(;GM[2];B[zz])", 11),
            ("(;GM[2];B[fe][df])", 15),
            ("(;GM[2]", 8),
            ("(;GM[2];B[", 11),
            ("(;GM[2];C[no move])", 1),
            ("(;GM[2])", 1),
            ("(;FF[4]GM[2]SZ[8];AB[aa];B[fe])", 22),
            ("(;GM[2];B[fe];AW[aa];W[df])", 18),
            ("(;GM[2];B[fe];PL[B];B[df])", 18),
            ("(;GM[2]PL[?];B[fe])", 11),
            ("(;GM[2]AE[dd];B[fe])", 11),
            ("(;GM[2]AB[aa]AW[aa];B[fe])", 17),
        ] {
            let found = error(text);
            assert_eq!(found.column, column, "{text}: {found}");
        }
        assert!(parse("junk").is_empty());
    }

    #[test]
    fn squares_of_rectangles_are_all_named() {
        let reading = SgfReading::default();
        let squares = reading.squares("cc:aa").map(Bitboard);
        let names: Vec<String> = squares
            .expect("squares")
            .map(|square| square.to_string())
            .collect();
        assert_eq!(
            names,
            ["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"]
        );
    }
}
