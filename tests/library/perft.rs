//! Leaf counts against published tables, under both conventions: a pass is a
//! ply, or a pass is free.

use emilia::rules::{Board, PassRule, Position, perft, perft_plain};

/// Lines of 1, 2, .. plies from the start, a pass counted as a ply.
/// Source: A. Bik's table, confirmed by several engines.
const PASS_IS_A_PLY: [u64; 11] = counts([3_005_288, 24_571_284, 212_258_800]);

/// The same with free passes, which make a difference from nine plies on.
const PASS_IS_FREE: [u64; 11] = counts([3_005_320, 24_571_420, 212_260_880]);

const fn counts([nine, ten, eleven]: [u64; 3]) -> [u64; 11] {
    [
        4, 12, 56, 244, 1_396, 8_200, 55_092, 390_216, nine, ten, eleven,
    ]
}

fn check_start(rule: PassRule, expected: &[u64]) {
    for (depth, &lines) in (1..).zip(expected) {
        assert_eq!(perft(Board::START, depth, rule), lines, "{rule:?} {depth}");
    }
}

#[test]
fn the_start_position_has_the_published_counts() {
    check_start(PassRule::IsAPly, &PASS_IS_A_PLY);
}

#[test]
fn the_start_position_has_the_published_counts_with_free_passes() {
    check_start(PassRule::IsFree, &PASS_IS_FREE);
}

#[test]
fn walking_every_line_counts_the_same() {
    for (rule, expected) in [
        (PassRule::IsAPly, PASS_IS_A_PLY),
        (PassRule::IsFree, PASS_IS_FREE),
    ] {
        for depth in 0..=9 {
            let lines = if depth == 0 { 1 } else { expected[depth - 1] };
            assert_eq!(perft_plain(Board::START, depth as u32, rule), lines);
        }
    }
}

/// One line of the file: `board side; A depth:lines ..; B depth:lines ..`.
fn check_line(line: &str) {
    let mut parts = line.split("; ");
    let position: Position = parts
        .next()
        .expect("a position")
        .parse()
        .expect("well formed");
    for part in parts {
        let (convention, counts) = part.split_once(' ').expect("counts");
        let rule = match convention {
            "A" => PassRule::IsAPly,
            "B" => PassRule::IsFree,
            other => panic!("convention {other:?}"),
        };
        for count in counts.split_whitespace() {
            let (depth, lines) = count.split_once(':').expect("depth:lines");
            let depth: u32 = depth.parse().expect("a depth");
            let lines: u64 = lines.parse().expect("a count");
            assert_eq!(perft(position.board, depth, rule), lines, "{line}, {depth}");
            assert_eq!(
                perft_plain(position.board, depth, rule),
                lines,
                "{line}, {depth}"
            );
        }
    }
}

fn known_positions() -> Vec<&'static str> {
    let file = include_str!("../data/perft_positions.txt");
    file.lines().filter(|line| !line.starts_with('#')).collect()
}

#[test]
fn positions_with_passes_and_ends_have_the_known_counts() {
    assert_eq!(known_positions().len(), 17);
    known_positions().into_iter().for_each(check_line);
}

/// Deep enough for passes among the plies whose boards are merged, and not yet at the end.
#[test]
fn merging_boards_changes_nothing() {
    let boards = known_positions().into_iter().map(|line| {
        let position = line.split(';').next().expect("a position");
        position.parse::<Position>().expect("well formed").board
    });
    for board in boards.filter(|board| board.empty_count() <= 20) {
        for rule in [PassRule::IsAPly, PassRule::IsFree] {
            let lines = perft_plain(board, 7, rule);
            assert_eq!(perft(board, 7, rule), lines, "{board:?} {rule:?}");
        }
    }
}

/// Published counts of games that end before depth 10 as leaves, and without them.
#[test]
fn the_shortest_games_end_after_nine_plies() {
    let leaves_that_ended = 24_571_284 - 24_571_056;
    assert_eq!(games_over_within(Board::START, 8), 0);
    assert_eq!(games_over_within(Board::START, 9), leaves_that_ended);
}

/// Lines from `board` whose game is over after at most `plies` plies.
fn games_over_within(board: Board, plies: u32) -> u64 {
    if board.is_over() {
        return 1;
    }
    if plies == 0 {
        return 0;
    }
    if board.must_pass() {
        return games_over_within(board.pass(), plies - 1);
    }
    board
        .legal_moves()
        .map(|square| games_over_within(board.play(square), plies - 1))
        .sum()
}
