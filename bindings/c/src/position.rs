//! Positions and games.

use std::ffi::c_char;

use emilia::formats::transcript::Transcript;
use emilia::rules::{Board, Color, Game, Move, ParsePositionError, Position, Square};

use crate::error::{EMILIA_ERROR_ILLEGAL, EmiliaError, Failure, guard, required, text, write};

/// The side to move is black.
pub const EMILIA_BLACK: u8 = 0;
/// The side to move is white.
pub const EMILIA_WHITE: u8 = 1;

/// The move that is a pass.
pub const EMILIA_PASS: u8 = 64;
/// No move: the game is over.
pub const EMILIA_NO_MOVE: u8 = 255;

/// Bytes of a position as text, the final 0 included.
pub const EMILIA_POSITION_TEXT: usize = 67;

/// A board and whose turn it is.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EmiliaPosition {
    /// Squares of the side to move. No square is in both sets.
    pub player: u64,
    /// Squares of the other side.
    pub opponent: u64,
    /// `EMILIA_BLACK` or `EMILIA_WHITE`.
    pub side: u8,
}

impl EmiliaPosition {
    pub(crate) const fn of(position: Position) -> EmiliaPosition {
        EmiliaPosition {
            player: position.board.player,
            opponent: position.board.opponent,
            side: match position.side {
                Color::Black => EMILIA_BLACK,
                Color::White => EMILIA_WHITE,
            },
        }
    }

    pub(crate) fn checked(self) -> Result<Position, Failure> {
        let board = Board::new(self.player, self.opponent).ok_or_else(|| {
            Failure::new(EMILIA_ERROR_ILLEGAL, "a square has discs of both sides")
        })?;
        let side = match self.side {
            EMILIA_BLACK => Color::Black,
            EMILIA_WHITE => Color::White,
            other => {
                return Err(Failure::argument(format!(
                    "the side must be 0 or 1, not {other}"
                )));
            }
        };
        Ok(Position { board, side })
    }
}

/// The position at a pointer.
///
/// # Safety
/// As for [`required`].
pub(crate) unsafe fn position_at(position: *const EmiliaPosition) -> Result<Position, Failure> {
    // SAFETY: the caller says so.
    unsafe { required(position, "position") }?.checked()
}

/// The number of a move.
pub(crate) fn number_of(mv: Option<Move>) -> u8 {
    match mv {
        Some(Move::Place(square)) => square.index() as u8,
        Some(Move::Pass) => EMILIA_PASS,
        None => EMILIA_NO_MOVE,
    }
}

fn move_of(number: u8) -> Option<Move> {
    match number {
        EMILIA_PASS => Some(Move::Pass),
        _ => Square::new(u32::from(number)).map(Move::Place),
    }
}

/// The start of every game.
#[unsafe(no_mangle)]
pub extern "C" fn emilia_position_start() -> EmiliaPosition {
    EmiliaPosition::of(Position::START)
}

/// Reads 64 cells from a1 to h8 (`X` or `*` is black, `O` is white, `-` or `.` is empty) and the side to move.
///
/// # Safety
/// `cells` is a text ended by 0; `position` and `error` may be written, `error` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn emilia_position_parse(
    cells: *const c_char,
    position: *mut EmiliaPosition,
    error: *mut EmiliaError,
) -> i32 {
    // SAFETY: the caller keeps what is said above.
    unsafe {
        guard(error, || {
            let read = text(cells)?.parse().map_err(|error: ParsePositionError| {
                Failure::parse(error.column(), error.to_string())
            })?;
            write(position, EmiliaPosition::of(read), "position")
        })
    }
}

/// Writes a position as 64 cells and the side to move, as `emilia_position_parse` reads it.
///
/// # Safety
/// `position` is a position; `EMILIA_POSITION_TEXT` bytes at `cells`, and `error`, may be written; `error` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn emilia_position_print(
    position: *const EmiliaPosition,
    cells: *mut c_char,
    error: *mut EmiliaError,
) -> i32 {
    // SAFETY: the caller keeps what is said above.
    unsafe {
        guard(error, || {
            let printed = position_at(position)?.to_string();
            let mut bytes = [0; EMILIA_POSITION_TEXT];
            for (to, from) in bytes.iter_mut().zip(printed.bytes()) {
                *to = from as c_char;
            }
            write(cells.cast(), bytes, "cells")
        })
    }
}

/// Reads a transcript, `f5d6c3`; passes may be left out. `position` becomes the position after it. The moves, passes included, are written to
/// `moves` as far as its `capacity` goes, and `count` becomes their number; `moves` and `count` may be NULL.
///
/// # Safety
/// `transcript` is a text ended by 0; `capacity` bytes at `moves`, if it is not NULL, and the others may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn emilia_game_parse(
    transcript: *const c_char,
    position: *mut EmiliaPosition,
    moves: *mut u8,
    capacity: usize,
    count: *mut usize,
    error: *mut EmiliaError,
) -> i32 {
    // SAFETY: the caller keeps what is said above.
    unsafe {
        guard(error, || {
            let game = read_game(text(transcript)?)?;
            if !moves.is_null() {
                for (index, &mv) in game.moves().iter().take(capacity).enumerate() {
                    moves.add(index).write(number_of(Some(mv)));
                }
            }
            if !count.is_null() {
                count.write(game.moves().len());
            }
            write(position, EmiliaPosition::of(game.position()), "position")
        })
    }
}

/// The game of a transcript; no moves are a game as well.
pub(crate) fn read_game(text: &str) -> Result<Game, Failure> {
    if text.trim().is_empty() {
        return Ok(Game::new(Position::START));
    }
    let read = text.parse::<Transcript>();
    Ok(read
        .map_err(|error| Failure::parse(error.column, error.reason))?
        .game)
}

/// The squares that the side to move may play; 0 where it must pass, where the game is over, and where a square has two discs.
///
/// # Safety
/// `position` is NULL or a position.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn emilia_legal_moves(position: *const EmiliaPosition) -> u64 {
    // SAFETY: the caller keeps what is said above.
    let position = unsafe { position_at(position) };
    position.map_or(0, |position| position.board.legal_moves().0)
}

/// Can neither side move?
///
/// # Safety
/// `position` is NULL or a position.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn emilia_is_over(position: *const EmiliaPosition) -> bool {
    // SAFETY: the caller keeps what is said above.
    let position = unsafe { position_at(position) };
    position.is_ok_and(|position| position.board.is_over())
}

/// The score of a finished game in discs for the side to move, -64 to 64; the empty squares are the winner's. Of other positions it is what
/// they would have if they were finished.
///
/// # Safety
/// `position` is NULL or a position.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn emilia_final_score(position: *const EmiliaPosition) -> i32 {
    // SAFETY: the caller keeps what is said above.
    let position = unsafe { position_at(position) };
    position.map_or(0, |position| position.board.final_score())
}

/// Plays a move, a square or `EMILIA_PASS`: `position` becomes the position after it. A pass is legal only where there is no other move and the
/// game is not over. A move that is not legal changes nothing.
///
/// # Safety
/// `position` is a position and may be written, as may `error`, which may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn emilia_play(
    position: *mut EmiliaPosition,
    move_: u8,
    error: *mut EmiliaError,
) -> i32 {
    // SAFETY: the caller keeps what is said above.
    unsafe {
        guard(error, || {
            let before = position_at(position)?;
            let illegal = || {
                Failure::new(
                    EMILIA_ERROR_ILLEGAL,
                    format!("illegal move {move_} in {before}"),
                )
            };
            let next = move_of(move_)
                .and_then(|mv| before.play(mv))
                .ok_or_else(illegal)?;
            write(position, EmiliaPosition::of(next), "position")
        })
    }
}

/// Reads a move, `f5` or `pass`.
///
/// # Safety
/// `name` is a text ended by 0; `move_` and `error` may be written; `error` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn emilia_move_parse(
    name: *const c_char,
    move_: *mut u8,
    error: *mut EmiliaError,
) -> i32 {
    // SAFETY: the caller keeps what is said above.
    unsafe {
        guard(error, || {
            let name = text(name)?;
            let read = name
                .parse()
                .map_err(|error: emilia::rules::ParseMoveError| {
                    Failure::parse(1, error.to_string())
                })?;
            write(move_, number_of(Some(read)), "move_")
        })
    }
}

/// Writes the name of a move: `f5`, `pass`, or nothing for what is no move.
///
/// # Safety
/// 5 bytes at `name` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn emilia_move_name(move_: u8, name: *mut c_char) {
    let mut bytes = [0; 5];
    let printed = move_of(move_).map_or("", Move::name);
    for (to, from) in bytes.iter_mut().zip(printed.bytes()) {
        *to = from as c_char;
    }
    // SAFETY: the caller keeps what is said above. A NULL is told to nobody, as this cannot fail otherwise.
    let _ = unsafe { write(name.cast(), bytes, "name") };
}
