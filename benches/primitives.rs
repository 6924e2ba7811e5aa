//! Times of the hot primitives: the version chosen for the build's target, and the portable one.
//!
//! A sample runs a primitive over 1024 positions of random games, each with one
//! of its empty squares; divan's item rate is calls per second. Calls do not
//! depend on each other: this measures throughput, not latency.

use std::hint::black_box;

use divan::{Bencher, counter::ItemsCount};
use emilia::eval::{Evaluator, Features};
use emilia::random::SplitMix64;
use emilia::rules::{Bitboard, Board, PassRule, perft, perft_plain};
use emilia::simd;

/// Calls in a sample.
const POSITIONS: usize = 1024;

fn main() {
    divan::main();
}

/// A position and one of its empty squares, a1 where none is left.
#[derive(Clone, Copy)]
struct Sample {
    board: Board,
    square: usize,
}

/// Positions of 4 to 60 discs from games of random moves, the same in each run.
fn samples() -> Vec<Sample> {
    let mut random = SplitMix64::new(1);
    let mut samples = Vec::with_capacity(POSITIONS);
    while samples.len() < POSITIONS {
        let mut board = Board::START;
        let plies = random.below(57);
        for _ in 0..plies {
            if board.must_pass() {
                board = board.pass();
            }
            let Some(square) = random.choose(board.legal_moves()) else {
                break;
            };
            board = board.play(square);
        }
        let square = random.choose(Bitboard(board.empties()));
        samples.push(Sample {
            board,
            square: square.map_or(0, |square| square.index()),
        });
    }
    samples
}

/// Times `primitive` over all samples.
fn time<T>(bencher: Bencher, primitive: impl Fn(&Sample) -> T) {
    let samples = samples();
    bencher.counter(ItemsCount::new(POSITIONS)).bench_local(|| {
        for sample in &samples {
            black_box(primitive(black_box(sample)));
        }
    });
}

/// A module of benches for one version of the primitives.
macro_rules! version {
    ($module:ident, $version:path) => {
        mod $module {
            use super::*;
            use $version as version;

            #[divan::bench]
            fn legal_moves(bencher: Bencher) {
                time(bencher, |s| {
                    version::legal_moves(s.board.player, s.board.opponent)
                });
            }

            #[divan::bench]
            fn flips(bencher: Bencher) {
                time(bencher, |s| {
                    version::flips(s.square, s.board.player, s.board.opponent)
                });
            }

            #[divan::bench]
            fn count_last_flip(bencher: Bencher) {
                time(bencher, |s| {
                    version::count_last_flip(s.square, s.board.player)
                });
            }

            #[divan::bench]
            fn stable_edges(bencher: Bencher) {
                time(bencher, |s| {
                    version::stable_edges(s.board.player, s.board.opponent)
                });
            }

            #[divan::bench]
            fn stable_discs(bencher: Bencher) {
                time(bencher, |s| {
                    version::stable_discs(s.board.player, s.board.opponent)
                });
            }
        }
    };
}

version!(fastest, emilia::simd);
version!(portable, emilia::simd::portable);

#[divan::bench]
fn potential_moves(bencher: Bencher) {
    time(bencher, |s| {
        simd::potential_moves(s.board.player, s.board.opponent)
    });
}

#[divan::bench]
fn corner_stability(bencher: Bencher) {
    time(bencher, |s| simd::corner_stability(s.board.player));
}

/// Eleven plies from the start, every line walked.
#[divan::bench(sample_count = 3)]
fn perft_11_plain() -> u64 {
    perft_plain(black_box(Board::START), 11, PassRule::IsAPly)
}

/// Eleven plies from the start.
#[divan::bench(sample_count = 3)]
fn perft_11() -> u64 {
    perft(black_box(Board::START), 11, PassRule::IsAPly)
}

/// The evaluation of one board: its sum alone, and what a move adds to it.
mod evaluation {
    use super::*;

    /// A board as in the search.
    struct Node {
        board: Board,
        features: Features,
    }

    fn nodes() -> Vec<Node> {
        let node = |sample: Sample| Node {
            board: sample.board,
            features: Features::of(sample.board),
        };
        samples().into_iter().map(node).collect()
    }

    #[divan::bench]
    fn evaluate(bencher: Bencher) {
        let (evaluator, nodes) = (Evaluator::embedded(), nodes());
        bencher.counter(ItemsCount::new(POSITIONS)).bench_local(|| {
            for node in &nodes {
                black_box(evaluator.evaluate_features(node.board, black_box(&node.features)));
            }
        });
    }

    #[divan::bench]
    fn play(bencher: Bencher) {
        let move_of = |node: Node| {
            let square = node.board.legal_moves().next()?;
            Some((node.features, square, node.board.flips(square).0))
        };
        let moves: Vec<_> = nodes().into_iter().filter_map(move_of).collect();
        bencher
            .counter(ItemsCount::new(moves.len()))
            .bench_local(|| {
                for (features, square, flips) in &moves {
                    black_box(black_box(features).play(*square, *flips));
                }
            });
    }

    #[divan::bench]
    fn load() -> Evaluator {
        Evaluator::from_bytes(include_bytes!("../crates/core/src/eval/weights.bin"))
            .expect("good weights")
    }
}
