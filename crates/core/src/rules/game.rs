//! A game: a start position and the moves from there.

use thiserror::Error;

use super::{Move, Position, Square};

/// A start position and legal moves from it, passes included.
///
/// ```
/// use emilia_core::rules::{Game, Position};
///
/// let mut game = Game::new(Position::START);
/// for text in ["f5", "d6", "c3"] {
///     game.play(text.parse()?)?;
/// }
/// assert!(game.play("a1".parse()?).is_err());
/// assert_eq!(game.transcript(), "f5d6c3");
/// assert!(!game.position().board.is_over());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Game {
    start: Position,
    moves: Vec<Move>,
    position: Position,
}

/// A move that the position does not allow.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("illegal move {mv}")]
pub struct IllegalMove {
    /// The illegal move.
    pub mv: Move,
}

impl Game {
    /// A game that begins at `start`.
    pub const fn new(start: Position) -> Game {
        Game {
            start,
            moves: Vec::new(),
            position: start,
        }
    }

    /// Where the game began.
    pub const fn start(&self) -> Position {
        self.start
    }

    /// All moves so far, passes included.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The position after the last move.
    pub const fn position(&self) -> Position {
        self.position
    }

    /// All positions so far, the first and the last included.
    pub fn positions(&self) -> impl Iterator<Item = Position> {
        let mut moves = self.moves.iter();
        std::iter::successors(Some(self.start), move |position| {
            position.play(*moves.next()?)
        })
    }

    /// Plays `mv`. A pass that was left out before it is inserted.
    ///
    /// # Errors
    /// If the move is not legal, even after an implied pass; the game is not changed then.
    pub fn play(&mut self, mv: Move) -> Result<(), IllegalMove> {
        if let Some(next) = self.position.play(mv) {
            self.moves.push(mv);
            self.position = next;
            return Ok(());
        }
        let passed = self.position.play(Move::Pass);
        let next = passed.and_then(|passed| passed.play(mv));
        let next = next.ok_or(IllegalMove { mv })?;
        self.moves.extend([Move::Pass, mv]);
        self.position = next;
        Ok(())
    }

    /// Plays a move as hosts send it: some pass until the board is full or both sides have passed. A pass
    /// where neither side can move is no move of the game, and changes nothing.
    ///
    /// # Errors
    /// As for [`Game::play`].
    pub fn accept(&mut self, mv: Move) -> Result<(), IllegalMove> {
        if mv == Move::Pass && self.position.board.is_over() {
            return Ok(());
        }
        self.play(mv)
    }

    /// Takes back the last move. Returns it, or `None` at the start.
    pub fn undo(&mut self) -> Option<Move> {
        let last = self.moves.pop()?;
        let mut position = self.start;
        for &mv in &self.moves {
            position = position.play(mv)?;
        }
        self.position = position;
        Some(last)
    }

    /// The squares played, without passes: `f5d6c3`.
    pub fn transcript(&self) -> String {
        let squares = self.moves.iter().filter_map(|mv| mv.square());
        squares.map(Square::name).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn undo_goes_back_to_the_start() {
        let mut game = Game::new(Position::START);
        for text in ["f5", "d6", "c3"] {
            game.play(text.parse().expect("a move")).expect("legal");
        }
        assert_eq!(game.transcript(), "f5d6c3");
        while game.undo().is_some() {}
        assert_eq!(game.position(), Position::START);
    }

    #[test]
    fn a_pass_after_the_end_is_accepted_and_no_move() {
        let start = format!("XO{} X", "-".repeat(62));
        let mut game = Game::new(start.parse().expect("a position"));
        game.accept("c1".parse().expect("a move")).expect("legal");
        let over = game.clone();
        for _ in 0..3 {
            assert_eq!(game.accept(Move::Pass), Ok(()));
            assert_eq!(game, over);
        }
        assert!(game.accept("d1".parse().expect("a move")).is_err());
        let mut begun = Game::new(Position::START);
        assert!(
            begun.accept(Move::Pass).is_err(),
            "black can move at the start"
        );
    }

    #[test]
    fn an_illegal_move_does_not_change_the_game() {
        let mut game = Game::new(Position::START);
        let error = game.play("a1".parse().expect("a move"));
        assert!(error.is_err());
        assert_eq!(game, Game::new(Position::START));
    }
}
