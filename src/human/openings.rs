//! What people played in the positions of openings.

use crate::checksum::checksum;
use crate::rules::{Board, Square, Symmetry};

/// How often each move was played in the positions that were seen often, each once up to symmetry.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Openings {
    /// The keys of the positions, in ascending order.
    keys: Vec<u64>,
    /// Where the moves of each position end in `moves`; they begin where those of the position before end.
    ends: Vec<u32>,
    /// Squares of the canonical board, and how often they were played.
    moves: Vec<(Square, u16)>,
}

/// Why numbers are no openings.
type Broken = &'static str;

/// Weight of the model in a mixture: this times its probability of a move is added to how often the move was played.
const PRIOR: f32 = 10.0;

/// The key of a canonical board.
fn key(canonical: Board) -> u64 {
    let (player, opponent) = (
        canonical.player.to_le_bytes(),
        canonical.opponent.to_le_bytes(),
    );
    checksum(&[player, opponent].concat())
}

/// The canonical form of a board, and all symmetries that lead there: several for a board that is symmetric itself.
fn canonical(board: Board) -> (Board, impl Iterator<Item = Symmetry>) {
    let canonical = board.canonical();
    let leads = move |symmetry: &Symmetry| board.transform(*symmetry) == canonical;
    (canonical, Symmetry::all().filter(leads))
}

impl Openings {
    /// The positions in which at least `fewest` moves were counted.
    #[cfg(feature = "program")]
    pub fn new(counted: &CountedMoves, fewest: u32) -> Openings {
        let mut positions: Vec<(u64, &Played)> = counted
            .0
            .iter()
            .filter(|(_, played)| played.iter().map(|&(_, times)| times).sum::<u32>() >= fewest)
            .map(|(&board, played)| (key(board), played))
            .collect();
        positions.sort_by_key(|&(key, _)| key);
        positions.dedup_by_key(|&mut (key, _)| key);
        let mut openings = Openings::default();
        for (key, played) in positions {
            let most = played.iter().map(|&(_, times)| times).max().unwrap_or(1);
            let shrink = |times: u32| match most <= u32::from(u16::MAX) {
                true => times as u16,
                false => (u64::from(times) * u64::from(u16::MAX) / u64::from(most)) as u16,
            };
            let moves = played
                .iter()
                .map(|&(square, times)| (square, shrink(times)));
            openings.moves.extend(moves.filter(|&(_, times)| times > 0));
            openings.keys.push(key);
            openings.ends.push(openings.moves.len() as u32);
        }
        openings
    }

    /// Mixes what was played on `board` into the probabilities of its `moves`.
    pub fn mix(&self, board: Board, moves: impl Iterator<Item = Square>, to: &mut [f32]) {
        let (canonical, mut symmetries) = canonical(board);
        let Ok(at) = self.keys.binary_search(&key(canonical)) else {
            return;
        };
        let first = if at == 0 { 0 } else { self.ends[at - 1] };
        let played = &self.moves[first as usize..self.ends[at] as usize];
        let all: f32 = played.iter().map(|&(_, times)| f32::from(times)).sum();
        let symmetry = symmetries.next().unwrap_or(Symmetry::IDENTITY);
        for (square, share) in moves.zip(to) {
            let square = symmetry.apply_square(square);
            let times = played.iter().find(|&&(played, _)| played == square);
            let times = times.map_or(0.0, |&(_, times)| f32::from(times));
            *share = PRIOR.mul_add(*share, times) / (PRIOR + all);
        }
    }

    /// The numbers as the bytes of a file: keys, numbers of moves, then squares and times.
    #[cfg(feature = "program")]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = (self.keys.len() as u32).to_le_bytes().to_vec();
        bytes.extend(self.keys.iter().flat_map(|key| key.to_le_bytes()));
        let mut begin = 0;
        for &end in &self.ends {
            bytes.push((end - begin) as u8); // at most 33 squares
            begin = end;
        }
        bytes.extend(self.moves.iter().map(|&(square, _)| square.index() as u8));
        let times = self.moves.iter().map(|&(_, times)| times.to_le_bytes());
        bytes.extend(times.flatten());
        bytes
    }

    /// Reads such bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Openings, Broken> {
        const SHORT: Broken = "the openings end too early";
        let (count, rest) = bytes.split_first_chunk().ok_or(SHORT)?;
        let count = u32::from_le_bytes(*count) as usize;
        let (keys, rest) = rest
            .split_at_checked(count.saturating_mul(8))
            .ok_or(SHORT)?;
        let (keys, _) = keys.as_chunks();
        let keys: Vec<u64> = keys.iter().map(|key| u64::from_le_bytes(*key)).collect();
        if !keys.is_sorted_by(|a, b| a < b) {
            return Err("the openings are not in order");
        }
        let (numbers, rest) = rest.split_at_checked(count).ok_or(SHORT)?;
        if numbers.contains(&0) {
            return Err("an opening has no move");
        }
        let mut sum = 0;
        let end = |&number: &u8| {
            sum += u32::from(number);
            sum
        };
        let ends: Vec<u32> = numbers.iter().map(end).collect();
        let (squares, times) = rest.split_at_checked(sum as usize).ok_or(SHORT)?;
        let (times, left) = times.as_chunks();
        if times.len() != squares.len() || !left.is_empty() {
            return Err("the openings have another length");
        }
        let moves = squares.iter().zip(times).map(|(&square, times)| {
            let times = u16::from_le_bytes(*times);
            let square = Square::new(square.into()).filter(|_| times > 0);
            Some((square?, times))
        });
        let moves: Option<Vec<_>> = moves.collect();
        let moves = moves.ok_or("an opening has a wrong move")?;
        Ok(Openings { keys, ends, moves })
    }
}

/// The moves of a position, and how often each was played.
#[cfg(feature = "program")]
type Played = Vec<(Square, u32)>;

/// What was played, while it is counted: by canonical board.
#[cfg(feature = "program")]
#[derive(Default)]
pub struct CountedMoves(std::collections::HashMap<Board, Played>);

#[cfg(feature = "program")]
impl CountedMoves {
    /// Counts a move. On a symmetric board its mirror images are counted as well.
    pub fn add(&mut self, board: Board, square: Square) {
        let (canonical, symmetries) = canonical(board);
        let played = self.0.entry(canonical).or_default();
        for symmetry in symmetries {
            let square = symmetry.apply_square(square);
            match played.iter_mut().find(|(known, _)| *known == square) {
                Some((_, times)) => *times += 1,
                None => played.push((square, 1)),
            }
        }
    }

    /// How often a move was counted.
    pub fn times(&self, board: Board, square: Square) -> u32 {
        let (canonical, mut symmetries) = canonical(board);
        let square = symmetries
            .next()
            .map(|symmetry| symmetry.apply_square(square));
        let played = self.0.get(&canonical).into_iter().flatten();
        let mut times = played.filter(|&&(known, _)| Some(known) == square);
        times.next().map_or(0, |&(_, times)| times)
    }
}

#[cfg(all(test, feature = "program"))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn square(name: &str) -> Square {
        let mv: crate::rules::Move = name.parse().expect("a move");
        mv.square().expect("a square")
    }

    /// What is played at the start, and twice `d6` after `f5`.
    fn some() -> Openings {
        let mut counted = CountedMoves::default();
        counted.add(Board::START, square("f5"));
        let next = Board::START.play(square("f5"));
        counted.add(next, square("d6"));
        counted.add(next, square("d6"));
        counted.add(next, square("f4"));
        Openings::new(&counted, 3)
    }

    fn shares(board: Board) -> Vec<f32> {
        let count = board.legal_moves().count();
        let mut shares = vec![1.0 / count as f32; count as usize];
        some().mix(board, board.legal_moves(), &mut shares);
        shares
    }

    #[test]
    fn moves_have_the_shares_that_were_played() {
        let shares_after = |name| shares(Board::START.play(square(name)));
        // d6, f4, f6
        assert_eq!(some().keys.len(), 2);
        let expected = [2.0, 1.0, 0.0].map(|times| (times + PRIOR / 3.0) / (PRIOR + 3.0));
        let mut found = shares_after("f5");
        found.sort_by(|a, b| b.total_cmp(a));
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6);
        }
        let mut mirrored = shares_after("c4");
        mirrored.sort_by(|a, b| b.total_cmp(a));
        assert_eq!(mirrored, found);
    }

    #[test]
    fn symmetric_moves_have_equal_shares() {
        assert_eq!(shares(Board::START), [0.25; 4]);
    }

    #[test]
    fn openings_survive_their_bytes_and_no_others_do() {
        let bytes = some().to_bytes();
        assert_eq!(Openings::from_bytes(&bytes), Ok(some()));
        for length in 0..bytes.len() {
            assert!(Openings::from_bytes(&bytes[..length]).is_err(), "{length}");
        }
        let longer = [&bytes[..], &[0, 0]].concat();
        assert!(Openings::from_bytes(&longer).is_err());
        let mut unordered = bytes.clone();
        unordered[4..20].rotate_left(8);
        assert!(Openings::from_bytes(&unordered).is_err());
        let mut wrong = bytes;
        wrong[22] = 64; // a square
        assert!(Openings::from_bytes(&wrong).is_err());
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            let _ = Openings::from_bytes(&bytes);
        }
    }
}
