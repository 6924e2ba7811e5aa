//! The game of a host, for hosts that send passes and for hosts that do not.
//!
//! | a host sends | for the side to move | for the other side |
//! |---|---|---|
//! | a square | is played if legal | is played if legal and the side to move has to pass: that pass was not sent |
//! | `pass` | is played if there is no square | means nothing if it has no square: that pass was played already |
//!
//! A pass that is not sent is inserted when the other side moves.

use thiserror::Error;

use crate::rules::{Board, Color, Game, Move, Position};

/// Why a move is not played, as GTP names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum Refusal {
    /// The rules do not allow it.
    #[error("illegal move")]
    IllegalMove,
    /// It is the other side's turn.
    #[error("wrong color")]
    WrongColor,
}

/// A game, and what each `play` and `genmove` has added to it.
#[derive(Clone, Debug)]
pub struct HostGame {
    game: Game,
    /// The number of moves before each of them.
    turns: Vec<usize>,
}

impl From<Refusal> for String {
    fn from(refusal: Refusal) -> String {
        refusal.to_string()
    }
}

impl Default for HostGame {
    fn default() -> HostGame {
        HostGame {
            game: Game::new(Position::START),
            turns: Vec::new(),
        }
    }
}

impl HostGame {
    /// The position after the last move.
    pub const fn position(&self) -> Position {
        self.game.position()
    }

    /// The board as `color` sees it, if it is to move now, or after a pass of the other side.
    ///
    /// # Errors
    /// If the other side has to move.
    pub fn board_for(&self, color: Color) -> Result<Board, Refusal> {
        let Position { board, side } = self.game.position();
        if side == color {
            Ok(board)
        } else if board.legal_moves().is_empty() {
            Ok(board.pass())
        } else {
            Err(Refusal::WrongColor)
        }
    }

    /// Plays a move that the host has sent, or that was chosen for `color`.
    ///
    /// # Errors
    /// If it is not legal; the game is not changed then.
    pub fn play(&mut self, color: Color, mv: Move) -> Result<(), Refusal> {
        let before = self.game.moves().len();
        match mv {
            Move::Place(square) => {
                if !self.board_for(color)?.legal_moves().contains(square) {
                    return Err(Refusal::IllegalMove);
                }
                // `Game` inserts the pass of the other side.
                self.accept(mv)?;
            }
            Move::Pass => self.pass(color)?,
        }
        self.turns.push(before);
        Ok(())
    }

    fn pass(&mut self, color: Color) -> Result<(), Refusal> {
        let Position { board, side } = self.game.position();
        let is_turn = side == color;
        let own = if is_turn { board } else { board.pass() };
        match own.legal_moves().is_empty() {
            true if is_turn => self.accept(Move::Pass),
            true => Ok(()),
            false if is_turn => Err(Refusal::IllegalMove),
            false => Err(Refusal::WrongColor),
        }
    }

    fn accept(&mut self, mv: Move) -> Result<(), Refusal> {
        self.game.accept(mv).map_err(|_| Refusal::IllegalMove)
    }

    /// Takes back the last turn, with the pass that it implied. `false` at the start.
    pub fn undo(&mut self) -> bool {
        let before = self.turns.pop();
        while before.is_some_and(|before| self.game.moves().len() > before) {
            self.game.undo();
        }
        before.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Color::{Black, White};

    fn host_game(position: &str) -> HostGame {
        HostGame {
            game: Game::new(position.parse().expect("a position")),
            turns: Vec::new(),
        }
    }

    fn mv(text: &str) -> Move {
        text.parse().expect("a move")
    }

    /// After black's c1 white has no square; then black's f8 ends the game.
    fn before_a_pass() -> HostGame {
        let mut game = host_game(&format!("XO{}OX X", "-".repeat(60)));
        game.play(Black, mv("c1")).expect("legal");
        game
    }

    #[test]
    fn a_pass_may_be_left_out() {
        let mut game = before_a_pass();
        assert_eq!(
            game.board_for(Black)
                .map(|board| board.legal_moves().is_empty()),
            Ok(false)
        );
        game.play(Black, mv("f8")).expect("white has to pass");
        assert_eq!(game.game.moves(), [mv("c1"), Move::Pass, mv("f8")]);
        assert!(game.undo());
        assert_eq!(game.game.moves(), [mv("c1")], "the pass goes with the move");
    }

    #[test]
    fn a_pass_may_be_sent() {
        let mut game = before_a_pass();
        game.play(White, Move::Pass).expect("white has to pass");
        assert_eq!(game.play(White, Move::Pass), Ok(()), "sent twice");
        assert_eq!(game.game.moves(), [mv("c1"), Move::Pass]);
        game.play(Black, mv("f8")).expect("legal");
        for color in [Black, White] {
            assert_eq!(game.play(color, Move::Pass), Ok(()), "at the end");
        }
        for length in [3, 3, 2, 2, 1, 0] {
            assert!(game.undo());
            assert_eq!(game.game.moves().len(), length);
        }
        assert!(!game.undo());
    }

    #[test]
    fn no_side_moves_twice_or_passes_with_a_legal_move() {
        let mut game = HostGame::default();
        assert_eq!(game.play(White, mv("f5")), Err(Refusal::WrongColor));
        assert_eq!(game.play(Black, mv("a1")), Err(Refusal::IllegalMove));
        assert_eq!(game.play(Black, Move::Pass), Err(Refusal::IllegalMove));
        assert_eq!(game.play(White, Move::Pass), Err(Refusal::WrongColor));
        assert_eq!(game.position(), Position::START);
        assert!(!game.undo());
    }
}
