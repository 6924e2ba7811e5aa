//! The moves of a game as one number: about 22 bytes.
//!
//! Each move is a digit, its number among the legal moves, in the base of how many there are;
//! forced moves and passes take no space. The digits are collected, the first lowest, into
//! words of 64 bits, as many in each as fit.

use crate::rules::{Board, Game, Move, Position, Square};

/// Bytes of a word.
const WORD: usize = u64::BITS as usize / 8;

/// The moves of `game`, which must begin at the start position and be over.
pub(super) fn pack(game: &Game) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(3 * WORD);
    let mut word = Word::default();
    for (position, mv) in game.positions().zip(game.moves()) {
        if let Some(square) = mv.square() {
            let legal = position.board.legal_moves();
            let base = u64::from(legal.count());
            let digit = legal.take_while(|&other| other != square).count() as u64;
            if !word.push(digit, base) {
                bytes.extend_from_slice(&word.value.to_le_bytes());
                word = Word::default();
                word.push(digit, base);
            }
        }
    }
    bytes.extend_from_slice(&word.value.to_le_bytes()[..word.len()]);
    bytes
}

/// The game whose moves are `bytes`; `None` if they are those of no game.
pub(super) fn unpack(bytes: &[u8]) -> Option<Game> {
    let mut game = Game::new(Position::START);
    let (mut word, mut rest) = next_word(bytes);
    while let Some((board, base)) = choice(game.position().board) {
        let mut digit = word.pop(base);
        if digit.is_none() && word.value == 0 {
            (word, rest) = next_word(rest);
            digit = word.pop(base);
        }
        game.play(Move::Place(square(board, digit?)?)).ok()?;
    }
    // A game does not end with a pass.
    let whole = word.value == 0 && rest.is_empty() && !game.position().board.must_pass();
    (whole && pack(&game) == bytes).then_some(game)
}

/// The board on which a move is to be chosen, after a pass if there must be one,
/// and from how many; `None` where the game is over.
fn choice(board: Board) -> Option<(Board, u64)> {
    let board = if board.must_pass() {
        board.pass()
    } else {
        board
    };
    let moves = u64::from(board.legal_moves().count());
    (moves > 0).then_some((board, moves))
}

fn square(board: Board, digit: u64) -> Option<Square> {
    board.legal_moves().nth(usize::try_from(digit).ok()?)
}

/// Digits in 64 bits.
struct Word {
    value: u64,
    /// The product of the bases so far.
    scale: u64,
}

impl Default for Word {
    fn default() -> Word {
        Word { value: 0, scale: 1 }
    }
}

impl Word {
    /// Adds `digit`, unless its `base` no longer fits.
    fn push(&mut self, digit: u64, base: u64) -> bool {
        let Some(scale) = self.scale.checked_mul(base) else {
            return false;
        };
        self.value += digit * self.scale;
        self.scale = scale;
        true
    }

    /// Removes the next digit; `None` where its `base` did not fit.
    fn pop(&mut self, base: u64) -> Option<u64> {
        self.scale = self.scale.checked_mul(base)?;
        let digit = self.value % base;
        self.value /= base;
        Some(digit)
    }

    /// Bytes that hold every value of these bases.
    fn len(&self) -> usize {
        let bits = u64::BITS - (self.scale - 1).leading_zeros();
        bits.div_ceil(8) as usize
    }
}

/// The first word of `bytes`, filled up with zeros, and what comes after it.
fn next_word(bytes: &[u8]) -> (Word, &[u8]) {
    let (head, rest) = bytes.split_at(bytes.len().min(WORD));
    let digits = head.iter().rev();
    let value = digits.fold(0, |value, &byte| value << 8 | u64::from(byte));
    (Word { value, scale: 1 }, rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    fn random_game(seed: u64) -> Game {
        let mut random = SplitMix64::new(seed);
        let mut game = Game::new(Position::START);
        while let Some((board, moves)) = choice(game.position().board) {
            let square = square(board, random.below(moves)).expect("one of the legal moves");
            game.play(Move::Place(square)).expect("legal");
        }
        game
    }

    #[test]
    fn games_survive_packing_in_about_22_bytes() {
        let mut bytes = 0;
        for seed in 0..200 {
            let game = random_game(seed);
            let packed = pack(&game);
            bytes += packed.len();
            assert_eq!(unpack(&packed), Some(game), "seed {seed}");
        }
        assert!((20 * 200..24 * 200).contains(&bytes), "{bytes} bytes");
    }

    #[test]
    fn other_bytes_are_no_game() {
        let packed = pack(&random_game(1));
        assert_eq!(unpack(&packed[..packed.len() - 1]), None);
        assert_eq!(unpack(&[&packed[..], &[0]].concat()), None);
        assert_eq!(unpack(&[0xff; 40]), None);
        let mut random = SplitMix64::new(5);
        for _ in 0..2000 {
            let bytes: Vec<u8> = (0..24).map(|_| random.next_u64() as u8).collect();
            assert!(unpack(&bytes).is_none_or(|game| pack(&game) == bytes));
        }
    }
}
