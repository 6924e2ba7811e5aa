//! GGF, the Generic Game Format of the GGS server and of NBoard: one game in one line,
//! `(;GM[Othello]PC[..]PB[..]PW[..]RE[?]TI[5:00]TY[8]BO[8 .. *]B[F5/1.00/0.5]W[D6]..;)`.
//!
//! Moves are `SQUARE/EVAL/SECONDS`, both numbers of which may be missing; passes are
//! moves (`PA`). Tags of no meaning here are skipped.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use nom::Parser;
use nom::branch::alt;
use nom::bytes::complete::{tag, tag_no_case, take_until, take_while, take_while1};
use nom::character::complete::{char, digit1, multispace0, one_of};
use nom::combinator::{all_consuming, map_opt, opt, recognize, value, verify};
use nom::multi::many0;
use nom::sequence::{delimited, preceded, terminated};

use super::SyntaxError;
use super::syntax::{Parsed, expect, failure, finish, square};
use crate::rules::{Board, Color, Game, Move, Position};

/// Longest time that is read, in seconds: about 31 years.
const MAX_SECONDS: f64 = 1e9;

/// A game with what was noted about it.
#[derive(Clone, PartialEq, Debug)]
pub struct GgfGame {
    /// `PC`: where it was played.
    pub place: String,
    /// `DT`: when.
    pub date: String,
    /// `PB`: who plays black.
    pub black: String,
    /// `PW`: who plays white.
    pub white: String,
    /// `RE`: the result as it was written, `?` while there is none.
    pub result: String,
    /// `TB` or `TI`: black's clock at the start.
    pub black_clock: Option<GgfClock>,
    /// `TW` or `TI`: white's.
    pub white_clock: Option<GgfClock>,
    /// The start and the moves.
    pub game: Game,
    /// What was noted about each of the game's moves.
    pub notes: Vec<MoveNote>,
}

/// What may stand behind a move.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct MoveNote {
    /// In discs for the side that moved.
    pub eval: Option<f64>,
    /// Time that it took.
    pub time: Option<Duration>,
}

/// A clock at the start of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct GgfClock {
    /// For the game.
    pub main: Duration,
    /// Added after each move.
    pub increment: Duration,
    /// Given once, when all is used up; the game is lost then, but may be played on.
    pub grace: Duration,
}

impl GgfGame {
    /// A game without notes.
    pub fn new(game: Game) -> GgfGame {
        let notes = vec![MoveNote::default(); game.moves().len()];
        GgfGame {
            place: String::new(),
            date: String::new(),
            black: String::new(),
            white: String::new(),
            result: "?".to_owned(),
            black_clock: None,
            white_clock: None,
            game,
            notes,
        }
    }

    /// Plays one more move.
    ///
    /// # Errors
    /// If it is not legal, not even after an implied pass; nothing changes then.
    pub fn play(&mut self, mv: Move, note: MoveNote) -> Result<(), crate::rules::IllegalMove> {
        self.game.play(mv)?;
        // A pass that was left out has no note.
        self.notes
            .resize(self.game.moves().len() - 1, MoveNote::default());
        self.notes.push(note);
        Ok(())
    }

    /// Time left to `color`, if it has a clock: the increments of its moves are added,
    /// and what they took is gone.
    pub fn time_left(&self, color: Color) -> Option<Duration> {
        let clock = self.clock(color)?;
        let mut side = self.game.start().side;
        let mut left = clock.main;
        for note in &self.notes {
            if side == color {
                left = (left + clock.increment).saturating_sub(note.time.unwrap_or_default());
            }
            side = side.opponent();
        }
        Some(left)
    }

    /// The clock of `color` at the start.
    pub const fn clock(&self, color: Color) -> Option<GgfClock> {
        match color {
            Color::Black => self.black_clock,
            Color::White => self.white_clock,
        }
    }
}

/// The shortest line that reads back as the same game. In the texts, `]` and line ends become blanks.
impl fmt::Display for GgfGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(;GM[Othello]")?;
        for (name, text) in [
            ("PC", &self.place),
            ("DT", &self.date),
            ("PB", &self.black),
            ("PW", &self.white),
            ("RE", &self.result),
        ] {
            write!(
                f,
                "{name}[{}]",
                text.replace(|c: char| c == ']' || c.is_control(), " ")
            )?;
        }
        match (self.black_clock, self.white_clock) {
            (Some(black), Some(white)) if black == white => write!(f, "TI[{black}]")?,
            (black, white) => {
                for (name, clock) in [("TB", black), ("TW", white)] {
                    if let Some(clock) = clock {
                        write!(f, "{name}[{clock}]")?;
                    }
                }
            }
        }
        write!(f, "TY[8]BO[8 {}]", board_text(self.game.start()))?;
        let mut side = self.game.start().side;
        for (mv, note) in self.game.moves().iter().zip(&self.notes) {
            let name = if side == Color::Black { 'B' } else { 'W' };
            write!(f, "{name}[{}{note}]", move_text(*mv))?;
            side = side.opponent();
        }
        f.write_str(";)")
    }
}

/// `F5` or `PA`.
pub fn move_text(mv: Move) -> String {
    match mv {
        Move::Place(square) => format!("{square:#}"),
        Move::Pass => "PA".to_owned(),
    }
}

/// The cells with `*` for black and `O` for white, and the side to move.
fn board_text(position: Position) -> String {
    position.to_string().replace('X', "*")
}

/// `/1.00/0.500`, `//0.500`, `/1.00` or nothing.
impl fmt::Display for MoveNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.eval, self.time) {
            (None, None) => Ok(()),
            (Some(eval), None) => write!(f, "/{eval:.2}"),
            (None, Some(time)) => write!(f, "//{:.3}", time.as_secs_f64()),
            (Some(eval), Some(time)) => write!(f, "/{eval:.2}/{:.3}", time.as_secs_f64()),
        }
    }
}

/// `5:00`, or `5:00/0:02/2:00` where there is an increment or a grace.
impl fmt::Display for GgfClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&time_text(self.main))?;
        if !self.increment.is_zero() || !self.grace.is_zero() {
            write!(
                f,
                "/{}/{}",
                time_text(self.increment),
                time_text(self.grace)
            )?;
        }
        Ok(())
    }
}

/// `M:SS`, with a fraction where there is one.
fn time_text(time: Duration) -> String {
    let (minutes, seconds) = (time.as_secs() / 60, time.as_secs() % 60);
    match time.subsec_millis() {
        0 => format!("{minutes}:{seconds:02}"),
        fraction => format!("{minutes}:{seconds:02}.{fraction:03}"),
    }
}

impl FromStr for GgfGame {
    type Err = SyntaxError;

    fn from_str(line: &str) -> Result<GgfGame, SyntaxError> {
        finish(line, game(line))
    }
}

/// The first game in `input`; what comes after it, such as a second game, is left alone.
fn game(input: &str) -> Parsed<'_, GgfGame> {
    let number = opt((digit1, multispace0));
    let start = (multispace0, number, tag("(;"));
    let (mut input, _) = expect("expected a game (;GM[Othello]..;)", start)(input)?;
    let mut tags = Tags::default();
    loop {
        (input, _) = multispace0(input)?;
        if let (_, Some(_)) = opt(tag(";)")).parse(input)? {
            return tags.game(input);
        }
        let name = take_while1(|c: char| c.is_ascii_alphabetic());
        let (content, name) = expect(
            "expected a tag such as PB[..], or the end ;)",
            terminated(name, char('[')),
        )(input)?;
        let (after, text) =
            expect("a [ without its ]", terminated(take_until("]"), char(']')))(content)?;
        // What is in the tag ends where the tag does, also for the columns of errors.
        tags.take(&name.to_ascii_uppercase(), content, text)?;
        input = after;
    }
}

/// What the tags before and among the moves said.
#[derive(Default)]
struct Tags {
    texts: [String; 4],
    result: Option<String>,
    both: Option<GgfClock>,
    black: Option<GgfClock>,
    white: Option<GgfClock>,
    is_othello: bool,
    played: Option<GgfGame>,
}

impl Tags {
    /// Takes the tag `name` with the content `text`, at which `at` begins.
    fn take<'a>(
        &mut self,
        name: &str,
        at: &'a str,
        text: &'a str,
    ) -> Result<(), nom::Err<super::syntax::Failure<'a>>> {
        let refuse = |reason: &'static str| failure::<()>(at, reason).map(|_| ());
        match name {
            "GM" if !text.trim().eq_ignore_ascii_case("othello") => {
                return refuse("expected the game Othello");
            }
            "GM" => self.is_othello = true,
            "PC" => self.texts[0] = text.to_owned(),
            "DT" => self.texts[1] = text.to_owned(),
            "PB" => self.texts[2] = text.to_owned(),
            "PW" => self.texts[3] = text.to_owned(),
            "RE" => self.result = Some(text.to_owned()),
            "TY" if !is_standard(text) => return refuse("expected a game on 8 x 8 squares"),
            "TI" | "TB" | "TW" => {
                let Ok((_, clock)) = all_consuming(clock).parse(text) else {
                    return refuse("expected a clock such as 15:00/0:02/2:00");
                };
                match name {
                    "TI" => self.both = Some(clock),
                    "TB" => self.black = Some(clock),
                    _ => self.white = Some(clock),
                }
            }
            "BO" => {
                let Ok((_, start)) = all_consuming(board).parse(text) else {
                    return refuse("expected 8, 64 cells (* O -) and the side to move");
                };
                if self
                    .played
                    .replace(GgfGame::new(Game::new(start)))
                    .is_some()
                {
                    return refuse("second board");
                }
            }
            "B" | "W" => {
                let color = if name == "B" {
                    Color::Black
                } else {
                    Color::White
                };
                let Ok((_, (mv, note))) = all_consuming(noted_move).parse(text) else {
                    return refuse("expected a move such as F5/1.00/0.5");
                };
                let start = || GgfGame::new(Game::new(Position::START));
                let played = self.played.get_or_insert_with(start);
                if !is_turn(played.game.position(), color, mv) || played.play(mv, note).is_err() {
                    return refuse("illegal move");
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn game(self, at: &str) -> Parsed<'_, GgfGame> {
        if !self.is_othello {
            return failure(at, "expected GM[Othello] before the end");
        }
        let game = self
            .played
            .unwrap_or_else(|| GgfGame::new(Game::new(Position::START)));
        let [place, date, black, white] = self.texts;
        let game = GgfGame {
            place,
            date,
            black,
            white,
            result: self.result.unwrap_or_else(|| "?".to_owned()),
            black_clock: self.black.or(self.both),
            white_clock: self.white.or(self.both),
            ..game
        };
        Ok(("", game))
    }
}

/// Is it this side's turn, or becomes it by a pass that was left out?
fn is_turn(position: Position, color: Color, mv: Move) -> bool {
    position.side == color || mv != Move::Pass && position.board.must_pass()
}

/// `8`, `s8`, `8k`, `s8r20`: eight by eight, whatever else.
fn is_standard(text: &str) -> bool {
    let number = text.trim().trim_start_matches(['s', 'S']);
    let digits: String = number.chars().take_while(char::is_ascii_digit).collect();
    digits == "8"
}

/// `8 ------..--- *`
fn board(input: &str) -> Parsed<'_, Position> {
    let (input, _) = (multispace0, char('8'), multispace0).parse(input)?;
    let cell = |letters| terminated(one_of(letters), multispace0);
    let (mut input, mut sets) = (input, [0u64; 2]);
    for index in 0..64 {
        let (rest, found) = cell("*xXoO0-._").parse(input)?;
        input = rest;
        match found {
            '*' | 'x' | 'X' => sets[0] |= 1 << index,
            'o' | 'O' | '0' => sets[1] |= 1 << index,
            _ => {}
        }
    }
    let (input, side) = cell("*xXoO0").parse(input)?;
    let [black, white] = sets;
    let (side, player, opponent) = match side {
        '*' | 'x' | 'X' => (Color::Black, black, white),
        _ => (Color::White, white, black),
    };
    let position = Position {
        board: Board { player, opponent },
        side,
    };
    Ok((input, position))
}

/// `main[/increment[/grace]]`, of which any may be empty. A grace that is not told is
/// taken for none: it gives no time to play in. GGS puts a number of moves behind a comma.
fn clock(input: &str) -> Parsed<'_, GgfClock> {
    let time = || terminated(opt(time), opt((char(','), digit1)));
    let part = || opt(preceded(char('/'), time()));
    let (input, main) = time().parse(input)?;
    let (input, increment) = part().parse(input)?;
    let (input, grace) = part().parse(input)?;
    let clock = GgfClock {
        main: main.unwrap_or_default(),
        increment: increment.flatten().unwrap_or_default(),
        grace: grace.flatten().unwrap_or_default(),
    };
    Ok((input, clock))
}

/// `[[[d.]h:]m:]s`, the seconds with a fraction or not.
fn time(input: &str) -> Parsed<'_, Duration> {
    let whole = || map_opt(digit1, |digits: &str| digits.parse::<f64>().ok());
    let (input, days) = opt(verify(terminated(whole(), char('.')), |_| {
        input.contains(':')
    }))
    .parse(input)
    .unwrap_or((input, None));
    let (input, parts) = many0(terminated(whole(), char(':'))).parse(input)?;
    let (input, seconds) = decimal(input)?;
    let total = parts.iter().fold(0.0, |sum, part| 60.0 * (sum + part)) + seconds;
    match duration(days.unwrap_or(0.0) * 86_400.0 + total) {
        Some(time) if parts.len() <= 2 => Ok((input, time)),
        _ => failure(input, "no time of day"),
    }
}

fn duration(seconds: f64) -> Option<Duration> {
    (0.0..=MAX_SECONDS)
        .contains(&seconds)
        .then(|| Duration::from_secs_f64(seconds))
}

/// A decimal number, with a point or a comma.
fn decimal(input: &str) -> Parsed<'_, f64> {
    let digits = || take_while(|c: char| c.is_ascii_digit());
    let number = recognize((opt(one_of("+-")), digits(), opt((one_of(".,"), digits()))));
    let exponent = (one_of("eE"), opt(one_of("+-")), digit1);
    let text = recognize((number, opt(exponent)));
    let finite = |text: &str| {
        text.replace(',', ".")
            .parse()
            .ok()
            .filter(|n: &f64| n.is_finite())
    };
    map_opt(text, finite).parse(input)
}

/// Reads `MOVE[/EVAL[/SECONDS]]`, as it stands in a game and in NBoard's `move` command.
///
/// # Errors
/// If it is something else.
pub fn parse_noted_move(text: &str) -> Result<(Move, MoveNote), SyntaxError> {
    let whole = all_consuming(delimited(multispace0, noted_move, multispace0));
    let expected = "expected a move such as F5/1.00/0.5";
    finish(text, expect(expected, whole)(text))
}

fn noted_move(input: &str) -> Parsed<'_, (Move, MoveNote)> {
    let (input, _) = multispace0(input)?;
    let (input, mv) = alt((square.map(Move::from), value(Move::Pass, pass))).parse(input)?;
    let field = || {
        opt(preceded(
            char('/'),
            delimited(multispace0, opt(decimal), multispace0),
        ))
    };
    let (input, eval) = field().parse(input)?;
    let (input, time) = field().parse(input)?;
    let note = MoveNote {
        eval: eval.flatten(),
        time: time
            .flatten()
            .and_then(|seconds| duration(seconds.max(0.0))),
    };
    Ok((input, (mv, note)))
}

/// Any beginning of `PASS` in any case, or `--`.
fn pass(input: &str) -> Parsed<'_, &str> {
    alt((
        tag_no_case("pass"),
        tag_no_case("pas"),
        tag_no_case("pa"),
        tag_no_case("p"),
        tag("--"),
    ))
    .parse(input)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const START: &str = "---------------------------O*------*O---------------------------";

    fn read(line: &str) -> GgfGame {
        line.parse()
            .unwrap_or_else(|error| panic!("{line}: {error}"))
    }

    fn error(line: &str) -> (usize, String) {
        let error = line.parse::<GgfGame>().expect_err(line);
        (error.column, error.reason)
    }

    const fn seconds(n: u64) -> Duration {
        Duration::from_secs(n)
    }

    #[test]
    fn what_nboard_sends_is_read() {
        let line = format!(
            "(;GM[Othello]PC[NBoard]DT[2026-11-21 06:35:07 GMT]PB[Ann]PW[Emilia]RE[?]TI[5:00]TY[8]BO[8 {START} *]\
             B[F5//1.25]W[D6/-5.00]B[c3/0.5/2,5];)"
        );
        let game = read(&line);
        assert_eq!(
            (game.black.as_str(), game.white.as_str()),
            ("Ann", "Emilia")
        );
        assert_eq!(game.game.transcript(), "f5d6c3");
        assert_eq!(game.notes[1].eval, Some(-5.0));
        assert_eq!(
            game.time_left(Color::Black),
            Some(Duration::from_millis(296_250))
        );
        assert_eq!(game.time_left(Color::White), Some(seconds(300)));
    }

    #[test]
    fn clocks_are_read_in_every_form() {
        let clock = |main, increment, grace| GgfClock {
            main: seconds(main),
            increment: seconds(increment),
            grace: seconds(grace),
        };
        for (text, expected) in [
            ("5:00", clock(300, 0, 0)),
            ("15:00//2:00", clock(900, 0, 120)),
            ("15:00/0:02/02:00", clock(900, 2, 120)),
            ("1:00:00", clock(3600, 0, 0)),
            ("1.00:00:05", clock(86_405, 0, 0)),
            ("30/5", clock(30, 5, 0)),
            ("", clock(0, 0, 0)),
        ] {
            let game = read(&format!("(;GM[Othello]TI[{text}];)"));
            assert_eq!(game.black_clock, Some(expected), "{text:?}");
        }
        let game = read("(;GM[Othello]TB[1:00]TW[2:00/0:01];)");
        assert_eq!(game.black_clock, Some(clock(60, 0, 0)));
        assert_eq!(game.white_clock, Some(clock(120, 1, 0)));
        assert_eq!(
            read("(;GM[Othello]TI[4.5];)").black_clock.map(|c| c.main),
            Some(Duration::from_millis(4500))
        );
    }

    #[test]
    fn passes_are_moves_of_any_spelling_and_may_be_left_out() {
        let board = format!("XO{}OX", "-".repeat(60));
        for pass in ["W[PA]", "W[pass]", "W[p]", "W[--/0.0/1]", ""] {
            let game = read(&format!("(;GM[Othello]BO[8 {board} *]B[c1]{pass}B[f8/1];)"));
            assert_eq!(game.game.moves().len(), 3, "{pass}");
            assert_eq!(game.notes.len(), 3, "{pass}");
            assert_eq!(game.notes[2].eval, Some(1.0), "{pass}");
        }
    }

    #[test]
    fn zero_is_white_on_a_board() {
        let game = read(&format!(
            "1 (;GM[Othello]BO[8 {} *];)",
            START.replace('O', "0")
        ));
        assert_eq!(game.game.start(), Position::START);
    }

    #[test]
    fn errors_name_the_column() {
        assert_eq!(error("hello").0, 1);
        assert_eq!(
            error("(;GM[Go];)"),
            (6, "expected the game Othello".to_owned())
        );
        assert_eq!(
            error("(;GM[Othello]B[A1];)"),
            (16, "illegal move".to_owned())
        );
        assert_eq!(error("(;GM[Othello]W[F5];)").1, "illegal move");
        assert_eq!(
            error("(;GM[Othello]TY[10];)").1,
            "expected a game on 8 x 8 squares"
        );
        assert_eq!(
            error("(;GM[Othello]TI[x:y];)").1,
            "expected a clock such as 15:00/0:02/2:00"
        );
        assert_eq!(error("(;GM[Othello]PB[me").1, "a [ without its ]");
        assert_eq!(
            error("(;GM[Othello]").1,
            "expected a tag such as PB[..], or the end ;)"
        );
        assert_eq!(error("(;PB[me];)").1, "expected GM[Othello] before the end");
    }

    #[test]
    fn games_are_written_as_they_are_read() {
        let line = format!(
            "(;GM[Othello]PC[here]DT[now]PB[a]PW[b]RE[+12]TB[5:00/0:02/2:00]TW[4:00]TY[8]BO[8 {START} *]\
             B[F5/1.00/0.500]W[D6/-2.50]B[C3//1.250]W[D3];)"
        );
        assert_eq!(read(&line).to_string(), line);
        let mut bad_name = GgfGame::new(Game::new(Position::START));
        bad_name.black = "]\n".to_owned();
        assert_eq!(read(&bad_name.to_string()).black, "  ");
    }

    proptest! {
        #[test]
        fn any_text_is_a_game_or_an_error(line in "(\\(;GM\\[Othello\\])?((B|W|BO|TI|TB|RE|TY)\\[[^\\]]{0,12}\\])*\\PC{0,9}") {
            if let Err(error) = line.parse::<GgfGame>() {
                prop_assert!((1..=line.len() + 1).contains(&error.column), "{error} in {line:?}");
            }
        }

        #[test]
        fn any_move_text_is_a_move_or_an_error(text in "([a-h][1-8]|PA)?/?\\PC{0,12}") {
            if let Err(error) = parse_noted_move(&text) {
                prop_assert!((1..=text.len() + 1).contains(&error.column), "{error} in {text:?}");
            }
        }
    }
}
