//! Every version of every primitive against a slow twin that walks an 8x8 array,
//! and the stability primitives against all that can be played.

use proptest::prelude::*;

use super::*;

/// A board as an array, `board[rank][file]`, and how to walk on it.
mod naive {
    use super::Discs;

    #[derive(Clone, Copy, PartialEq, Eq)]
    enum SquareState {
        Empty,
        Own,
        Other,
    }

    type Board = [[SquareState; 8]; 8];

    const DIRECTIONS: [(isize, isize); 8] = [
        (-1, -1),
        (-1, 0),
        (-1, 1),
        (0, -1),
        (0, 1),
        (1, -1),
        (1, 0),
        (1, 1),
    ];

    fn board(discs: Discs) -> Board {
        std::array::from_fn(|rank| {
            std::array::from_fn(|file| {
                let square = 8 * rank + file;
                match (discs.own >> square & 1, discs.other >> square & 1) {
                    (1, _) => SquareState::Own,
                    (_, 1) => SquareState::Other,
                    _ => SquareState::Empty,
                }
            })
        })
    }

    /// The squares from `square` on in one direction, nearest first, up to the border.
    fn walk(square: usize, direction: (isize, isize)) -> impl Iterator<Item = (usize, usize)> {
        let start = ((square / 8) as isize, (square % 8) as isize);
        (1..8).map_while(move |distance| {
            let rank = start.0 + distance * direction.0;
            let file = start.1 + distance * direction.1;
            let on_board = (0..8).contains(&rank) && (0..8).contains(&file);
            on_board.then_some((rank as usize, file as usize))
        })
    }

    pub(super) fn flips(square: usize, discs: Discs) -> u64 {
        let board = board(discs);
        let mut flips = 0;
        for direction in DIRECTIONS {
            let mut run = 0;
            for (rank, file) in walk(square, direction) {
                match board[rank][file] {
                    SquareState::Other => run |= 1 << (8 * rank + file),
                    SquareState::Own => {
                        flips |= run;
                        break;
                    }
                    SquareState::Empty => break,
                }
            }
        }
        flips
    }

    pub(super) fn legal_moves(discs: Discs) -> u64 {
        discs
            .empty_squares()
            .filter(|&square| flips(square, discs) != 0)
            .fold(0, |moves, square| moves | 1 << square)
    }

    pub(super) fn neighbours(square: usize) -> u64 {
        DIRECTIONS
            .iter()
            .filter_map(|&direction| walk(square, direction).next())
            .fold(0, |all, (rank, file)| all | 1 << (8 * rank + file))
    }

    /// Empty squares with an opponent's disc beside them and a square beyond it.
    pub(super) fn potential_moves(discs: Discs) -> u64 {
        let board = board(discs);
        let reaches = |square: usize| {
            DIRECTIONS.iter().any(|&direction| {
                let mut squares = walk(square, direction);
                let first = squares.next().map(|(rank, file)| board[rank][file]);
                first == Some(SquareState::Other) && squares.next().is_some()
            })
        };
        discs
            .empty_squares()
            .filter(|&square| reaches(square))
            .fold(0, |moves, square| moves | 1 << square)
    }

    /// Discs of `own` that stay whatever both sides place, in any order, flips or none.
    pub(super) fn never_turned(discs: Discs) -> u64 {
        let mut stable = discs.own;
        for square in discs.empty_squares() {
            let turned = flips(square, discs);
            stable &= never_turned(Discs {
                own: discs.own | turned | 1 << square,
                other: discs.other & !turned,
            });
            let turned = flips(square, discs.swap());
            stable &= never_turned(Discs {
                own: discs.own & !turned,
                other: discs.other | turned | 1 << square,
            });
        }
        stable
    }
}

/// Two disjoint sets of squares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Discs {
    own: u64,
    other: u64,
}

impl Discs {
    const START: Discs = Discs {
        own: 0x0000_0008_1000_0000,
        other: 0x0000_0010_0800_0000,
    };

    fn swap(self) -> Discs {
        Discs {
            own: self.other,
            other: self.own,
        }
    }

    fn empty_squares(self) -> impl Iterator<Item = usize> {
        (0..64).filter(move |square| (self.own | self.other) >> square & 1 == 0)
    }

    fn play(self, square: usize) -> Discs {
        let turned = naive::flips(square, self);
        Discs {
            own: self.other & !turned,
            other: self.own | turned | 1 << square,
        }
    }
}

/// The position after random legal moves, as many as there are choices or fewer.
fn playout(choices: &[usize]) -> Discs {
    let mut discs = Discs::START;
    for choice in choices {
        if naive::legal_moves(discs) == 0 {
            discs = discs.swap();
        }
        let moves = naive::legal_moves(discs);
        let squares: Vec<usize> = (0..64).filter(|square| moves >> square & 1 != 0).collect();
        if squares.is_empty() {
            break;
        }
        discs = discs.play(squares[choice % squares.len()]);
    }
    discs
}

/// Positions of games, and discs at random squares: sparse, dense and nearly full.
fn any_discs() -> impl Strategy<Value = Discs> {
    let from_games =
        prop::collection::vec(any::<usize>(), 0..=60).prop_map(|choices| playout(&choices));
    let strewn = any::<[u64; 2]>().prop_map(|[own, other]| Discs {
        own: own & !other,
        other,
    });
    prop_oneof![from_games, strewn, nearly_full()]
}

/// Discs on about seven squares of eight.
fn nearly_full() -> impl Strategy<Value = Discs> {
    any::<[u64; 4]>().prop_map(|[own, a, b, c]| {
        let occupied = a | b | c;
        Discs {
            own: own & occupied,
            other: !own & occupied,
        }
    })
}

/// Discs on all squares but those of the list.
fn full_but_for(own: u64, empties: &[usize]) -> Discs {
    let occupied = empties
        .iter()
        .fold(u64::MAX, |all, square| all & !(1 << square));
    Discs {
        own: own & occupied,
        other: !own & occupied,
    }
}

/// The versions of one primitive that this build can run, the portable one first.
macro_rules! versions {
    ($primitive:ident($($argument:expr),*)) => {{
        #[allow(unused_mut, reason = "a portable build has one version")]
        let mut results = vec![portable::$primitive($($argument),*)];
        #[cfg(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "bmi2"))]
        // SAFETY: the build's target has these features.
        results.push(unsafe { avx2::$primitive($($argument),*) });
        results.push(super::$primitive($($argument),*));
        results
    }};
}

/// Fails unless each version of a primitive gives `expected`.
macro_rules! assert_versions {
    ($primitive:ident($($argument:expr),*), $expected:expr) => {
        for (version, result) in versions!($primitive($($argument),*)).into_iter().enumerate() {
            prop_assert_eq!(result, $expected, "{} version {}", stringify!($primitive), version);
        }
    };
}

proptest! {
    #[test]
    fn legal_moves_are_those_of_the_twin(discs in any_discs()) {
        assert_versions!(legal_moves(discs.own, discs.other), naive::legal_moves(discs));
    }

    #[test]
    fn flips_are_those_of_the_twin_on_every_square(discs in any_discs()) {
        for square in 0..64 {
            let expected = naive::flips(square, discs);
            assert_versions!(flips(square, discs.own, discs.other), expected);
        }
    }

    #[test]
    fn the_last_flips_are_counted(own: u64, square in 0usize..64) {
        let discs = full_but_for(own, &[square]);
        let expected = naive::flips(square, discs).count_ones();
        assert_versions!(count_last_flip(square, discs.own), expected);
    }

    #[test]
    fn potential_moves_are_those_of_the_twin(discs in any_discs()) {
        let expected = naive::potential_moves(discs);
        prop_assert_eq!(potential_moves(discs.own, discs.other), expected);
        prop_assert_eq!(legal_moves(discs.own, discs.other) & !expected, 0);
    }

    #[test]
    fn versions_of_stability_agree(discs in any_discs()) {
        let edges = portable::stable_edges(discs.own, discs.other);
        assert_versions!(stable_edges(discs.own, discs.other), edges);
        let stable = portable::stable_discs(discs.own, discs.other);
        assert_versions!(stable_discs(discs.own, discs.other), stable);
        prop_assert_eq!(edges & !stable, 0, "edges are part of the whole");
        prop_assert_eq!(stable & !discs.own, 0, "only own discs");
        prop_assert!(corner_stability(discs.own) <= edges.count_ones());
    }

    /// The last squares often lie together near a corner, where stability is decided.
    #[test]
    fn stable_discs_never_turn(
        own: u64,
        crowd in any::<[u64; 2]>(),
        corner in prop::sample::select(vec![0usize, 7, 56, 63]),
        near in prop::collection::vec((0usize..4, 0usize..4), 1..=3),
        far in 0usize..64,
    ) {
        let mut empties: Vec<usize> = near.iter().map(|(rank, file)| corner ^ (8 * rank + file)).collect();
        empties.push(far);
        for own in [own, own | crowd[0] | crowd[1], own & crowd[0]] {
            let discs = full_but_for(own, &empties);
            let truth = naive::never_turned(discs);
            let stable = stable_discs(discs.own, discs.other);
            prop_assert_eq!(stable & !truth, 0, "{:?}", discs);
        }
    }

    /// One edge, the rest of the board full: exhaustive play agrees with the table.
    #[test]
    fn edge_stability_is_exact_on_an_edge(own: u8, empties in prop::collection::vec(0usize..8, 0..=4)) {
        let edge = full_but_for(u64::from(own), &empties);
        let truth = naive::never_turned(edge) & 0xff;
        let mirrored = |set: u64| set.swap_bytes();
        prop_assert_eq!(stable_edges(edge.own, edge.other) & 0xff, truth);
        prop_assert_eq!(
            stable_edges(mirrored(edge.own), mirrored(edge.other)) >> 56,
            truth
        );
    }
}

#[test]
fn the_four_edges_follow_one_table() {
    // One edge pattern on each side of an otherwise empty board, without corners.
    for own in 0..64u64 {
        for other in (0..64u64).filter(|other| own & other == 0) {
            let row = |bits: u64| bits << 1;
            let column = |bits: u64| {
                (0..6)
                    .map(|i| (bits >> i & 1) << (8 * (i + 1)))
                    .sum::<u64>()
            };
            let expected = stable_edges(row(own), row(other)) >> 1 & 63;
            let bottom = stable_edges(row(own) << 56, row(other) << 56);
            let left = stable_edges(column(own), column(other));
            let right = stable_edges(column(own) << 7, column(other) << 7);
            assert_eq!(bottom, row(expected) << 56);
            assert_eq!(left, column(expected));
            assert_eq!(right, column(expected) << 7);
        }
    }
}

#[test]
fn a_full_board_is_stable() {
    let own = 0x1234_5678_9abc_def0;
    assert_eq!(stable_discs(own, !own), own);
    assert_eq!(stable_edges(own, !own), own & 0xff81_8181_8181_81ff);
}

#[test]
fn stability_grows_from_a_corner() {
    // X X X - - - - -
    // X X - - - - - -
    // X - - - - - - -
    let own = 0x0000_0000_0001_0307;
    assert_eq!(stable_discs(own, 0), own);
    assert_eq!(corner_stability(own), 3);
    // Without the corner no disc is stable.
    assert_eq!(stable_discs(own & !1, 0), 0);
    assert_eq!(corner_stability(own & !1), 0);
}

#[test]
fn a_run_on_an_edge_that_cannot_be_flanked_is_stable() {
    // A full edge of both colours cannot change.
    assert_eq!(stable_edges(0b0011_1100, 0b1100_0011), 0b0011_1100);
    // Flanked on one side, open on the other: it can turn.
    assert_eq!(stable_edges(0b0011_1100, 0b0000_0011), 0);
}

#[test]
fn corners_count_with_the_squares_beside_them() {
    assert_eq!(corner_stability(u64::MAX), 12);
    assert_eq!(corner_stability(0x8100_0000_0000_0081), 4);
    // h1 with g1 and h2, but a2 belongs to another corner.
    assert_eq!(corner_stability(1 << 7 | 1 << 6 | 1 << 15 | 1 << 8), 3);
    // a8 with a7 and b8.
    assert_eq!(corner_stability(1 << 56 | 1 << 48 | 1 << 57 | 1 << 55), 3);
}

#[test]
fn neighbours_equal_those_of_the_slow_twin() {
    for square in 0..64 {
        assert_eq!(neighbours(square), naive::neighbours(square));
    }
}

#[test]
fn a_prefetch_may_point_anywhere() {
    let table = [0u64; 8];
    for index in [0, 7, 8, usize::MAX / 16, usize::MAX] {
        hints::prefetch(&table, index);
    }
}

#[test]
fn hints_to_the_compiler_change_no_value() {
    let table = [1u64, 2, 3];
    assert!(std::ptr::eq(hints::based(&table), &table));
}

#[test]
fn large_pages_keep_the_contents() {
    for length in [0, 1, 600, 300_000] {
        let numbers: Vec<u64> = (1..=length).collect();
        hints::prefer_huge_pages(&numbers);
        hints::prefer_huge_pages(&numbers[numbers.len() / 2..]);
        assert!((1..=length).eq(numbers.iter().copied()), "{length}");
    }
}
