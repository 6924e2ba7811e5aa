//! The corner cases of the rules: passes, ends, wipe-outs, empties for the
//! winner, boards that no game reaches, and a reference for every move.

use emilia::rules::{Bitboard, Board, Color, Game, Move, Position, Square, Symmetry};

/// The position of eight rows, side to move last.
fn position(text: &str) -> Position {
    text.split_whitespace()
        .collect::<String>()
        .parse()
        .expect("a position")
}

fn square(text: &str) -> Square {
    text.parse().expect("a square")
}

/// Plays a transcript of squares without passes, which `Game` inserts.
fn replay(transcript: &str) -> Game {
    let mut game = Game::new(Position::START);
    for at in (0..transcript.len()).step_by(2) {
        let mv: Move = transcript[at..at + 2].parse().expect("a move");
        game.play(mv).expect("legal");
    }
    game
}

fn passes(game: &Game) -> usize {
    game.moves().iter().filter(|&&mv| mv == Move::Pass).count()
}

/// The position of each ply of a game, the start first.
fn positions(game: &Game) -> Vec<Position> {
    let mut positions = vec![game.start()];
    for &mv in game.moves() {
        positions.extend(positions[positions.len() - 1].play(mv));
    }
    positions
}

/// The games of a kind, of `data/unusual_games.txt`.
fn games_of(kind: &str) -> Vec<Game> {
    let games: Vec<Game> = include_str!("../data/unusual_games.txt")
        .lines()
        .filter(|line| line.split_whitespace().last() == Some(kind) && !line.starts_with('#'))
        .map(|line| replay(line.split_whitespace().next().expect("a transcript")))
        .collect();
    assert!(!games.is_empty(), "{kind}");
    games
}

#[test]
fn unusual_games_end_as_recorded() {
    let file = include_str!("../data/unusual_games.txt");
    let mut count = 0;
    for line in file.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [transcript, cells, passed, score, _kind] = fields[..] else {
            panic!("five fields: {line}");
        };
        let game = replay(transcript);
        let end = game.position();
        assert_eq!(end.to_string()[..64], *cells, "{line}");
        assert_eq!(passes(&game), passed.parse::<usize>().expect("passes"));
        let score: i32 = score.parse().expect("a score");
        assert_eq!(end.result_for_black(), Some(score), "{line}");
        assert_eq!(game.transcript(), transcript);
        let before_the_end = &positions(&game)[..game.moves().len()];
        assert!(
            before_the_end
                .iter()
                .all(|p| p.result_for_black().is_none())
        );
        count += 1;
    }
    assert_eq!(count, 18);
}

#[test]
fn nothing_can_be_played_after_the_end() {
    for game in games_of("over_after_nine_moves") {
        assert_eq!(game.moves().len(), 9);
        let mut after = game.clone();
        assert!(after.play(Move::Pass).is_err(), "not even a pass");
        for square in Square::all() {
            assert!(after.play(square.into()).is_err(), "{square}");
        }
        assert_eq!(after, game, "and the game stays as it was");
    }
}

#[test]
fn a_side_without_discs_has_lost_all_64() {
    for kind in ["over_after_nine_moves", "over_after_ten_moves", "wiped_out"] {
        for game in games_of(kind) {
            let end = game.position();
            assert!(end.board.empty_count() > 0);
            let black_lost = end.discs(Color::Black) == 0;
            assert!(black_lost || end.discs(Color::White) == 0);
            let expected = if black_lost { -64 } else { 64 };
            assert_eq!(end.result_for_black(), Some(expected));
        }
    }
}

#[test]
fn the_empties_can_outweigh_the_discs() {
    let [game] = &games_of("empties_decide_the_score")[..] else {
        panic!("one game")
    };
    let end = game.position();
    let (black, white) = (end.discs(Color::Black), end.discs(Color::White));
    assert_eq!((black.count_ones(), white.count_ones()), (24, 25));
    assert_eq!(end.result_for_black(), Some(24 - 25 - 15));
}

#[test]
fn the_empties_of_a_draw_count_for_neither_side() {
    for game in games_of("draw_with_empties") {
        assert_eq!(game.position().board.empty_count(), 4);
        assert_eq!(game.position().board.final_score(), 0);
        assert_eq!(game.position().board.pass().final_score(), 0);
    }
}

#[test]
fn both_sides_see_the_same_end() {
    for kind in ["odd_empties", "even_empties", "draw", "no_pass"] {
        for game in games_of(kind) {
            let board = game.position().board;
            assert!(board.is_over() && board.pass().is_over());
            assert!(!board.must_pass() && !board.pass().must_pass());
            assert_eq!(board.final_score(), -board.pass().final_score());
            assert_eq!(board.final_score() % 2, 0, "even with odd empties too");
        }
    }
}

#[test]
fn one_side_can_pass_fourteen_times_in_a_row() {
    let longest = |game: &Game| {
        let run = |(longest, run): (usize, usize), plies: &[Move]| match plies {
            [Move::Pass, _] => (longest.max(run + 1), run + 1),
            _ => (longest, 0),
        };
        // A pass of the same side comes every second ply.
        (0..2)
            .map(|first| game.moves()[first..].chunks(2).fold((0, 0), run).0)
            .max()
    };
    for game in games_of("one_side_passes_on_and_on") {
        assert_eq!(longest(&game), Some(14));
    }
}

#[test]
fn ten_moves_in_a_row_can_be_forced() {
    for game in games_of("ten_forced_moves") {
        let forced = positions(&game)
            .iter()
            .filter(|position| !position.board.is_over() && !position.board.must_pass())
            .map(|position| position.board.legal_moves().count() == 1)
            .fold((0, 0), |(longest, run), forced| {
                let run = if forced { run + 1 } else { 0 };
                (std::cmp::max(longest, run), run)
            });
        assert_eq!(forced.0, 10);
    }
}

#[test]
fn a_move_can_turn_eighteen_discs_in_a_game() {
    for game in games_of("eighteen_flips") {
        let most = positions(&game)
            .iter()
            .flat_map(|p| {
                p.board
                    .legal_moves()
                    .map(|square| p.board.flips(square).count())
            })
            .max();
        assert_eq!(most, Some(18));
    }
}

#[test]
fn a_move_can_turn_nineteen_discs() {
    // From the middle all eight rays have their greatest length; no move turns more discs.
    let star = position(
        "X - - X - - X -
         - O - O - O - -
         - - O O O - - -
         X O O - O O O X
         - - O O O - - -
         - O - O - O - -
         X - - O - - O -
         - - - X - - - X X",
    );
    assert_eq!(star.board.flips(square("d4")).count(), 19);
    let after = star.play(square("d4").into()).expect("legal");
    assert_eq!(after.discs(Color::White), 0);
}

#[test]
fn thirty_five_moves_are_possible() {
    // Perhaps no game reaches it, but lists of moves must hold it. Found by hill climbing.
    let wide = position(
        "- - - - - X O -
         - O O O O X O -
         - X X - - - O -
         - O - - - O - -
         - O X O - O X -
         - O X X X X O -
         - - O - O X O -
         X - - - - - - - X",
    );
    assert_eq!(wide.board.legal_moves().count(), 35);
    for game in games_of("wide_choice") {
        let most = positions(&game)
            .iter()
            .map(|position| position.board.legal_moves().count())
            .max();
        assert_eq!(most, Some(25));
    }
}

#[test]
fn an_empty_board_is_a_draw_that_is_over() {
    let board = Board {
        player: 0,
        opponent: 0,
    };
    assert!(board.is_over() && !board.must_pass());
    assert_eq!(board.final_score(), 0);
}

#[test]
fn discs_of_one_side_only_end_the_game() {
    for (player, score) in [(1, 64), (u64::MAX, 64), (Board::START.player, 64)] {
        let own = Board {
            player,
            opponent: 0,
        };
        assert!(own.is_over());
        assert_eq!(own.final_score(), score);
        assert_eq!(own.pass().final_score(), -score);
    }
}

#[test]
fn discs_that_do_not_touch_end_the_game() {
    let apart = position(
        "X - - - - - - -
         - - - - - - - -
         - - - - - - - -
         - - - - - - - -
         - - - - - - - -
         - - - - - - - -
         - - - - - - - -
         - - - - - - - O O",
    );
    assert!(apart.board.is_over());
    assert_eq!(apart.result_for_black(), Some(0));
}

#[test]
fn a_full_board_is_over() {
    let full = position(
        "X X X X X X X X
         X X X X X X X X
         X X X X X X X X
         X X X X X X X X
         O O O O O O O O
         O O O O O O O O
         O O O O O O O O
         O O O O O O O X O",
    );
    assert_eq!(full.board.empties(), 0);
    assert_eq!(full.result_for_black(), Some(2));
    assert_eq!(full.board.final_score(), -2, "white is to move");
}

#[test]
fn only_the_side_not_to_move_may_play_the_last_square() {
    let last = position(
        "- O O O O O O X
         O X X X X X X O
         O X X X X X X O
         O X X X X X X O
         O X X X X X X O
         O X X X X X X O
         O X X X X X X O
         O O O O O O O X O",
    );
    // White flanks nothing from a1, black the first row.
    assert!(last.board.must_pass());
    assert_eq!(last.play(square("a1").into()), None);
    let passed = last.play(Move::Pass).expect("legal");
    assert_eq!(passed.play(Move::Pass), None, "black has a move");
    let end = passed.play(square("a1").into()).expect("legal");
    assert_eq!(end.result_for_black(), Some(45 - 19));
}

#[test]
fn a_move_turns_only_discs_that_it_flanks_itself() {
    // d1 turns c1 and b1; the white discs behind the turned ones stay.
    let row = position(
        "X O O - - - - -
         - O - - - - - -
         - O - - - - - -
         - X - - - - - -
         - - - - - - - -
         - - - - - - - -
         - - - - - - - -
         - - - - - - - - X",
    );
    let after = row.play(square("d1").into()).expect("legal");
    assert_eq!(
        after.to_string(),
        position(
            "X X X X - - - -
             - O - - - - - -
             - O - - - - - -
             - X - - - - - -
             - - - - - - - -
             - - - - - - - -
             - - - - - - - -
             - - - - - - - - O"
        )
        .to_string()
    );
}

#[test]
fn runs_do_not_wrap_around_the_edges() {
    // h1 and a2 are neighbours by number only, as are h2 and a3.
    let wrapped = position(
        "- - - - - - X O
         O - - - - - - -
         - - - - - - - -
         - - - - - - - -
         - - - - - - - -
         - - - - - - - -
         - - - - - - - X
         O - - - - - - - X",
    );
    assert_eq!(wrapped.board.legal_moves(), Bitboard::EMPTY);
    let white: Vec<Square> = wrapped.board.pass().legal_moves().collect();
    assert_eq!(white, [square("f1")]);
}

#[test]
fn occupied_squares_cannot_be_played() {
    for square in Square::all() {
        let occupied = Board::START.empties() & square.bit() == 0;
        if occupied {
            assert_eq!(Board::START.flips(square), Bitboard::EMPTY);
            assert_eq!(Position::START.play(square.into()), None);
        }
    }
}

/// Each line: a position, then every legal move with the board after it, or
/// `pass`, or `over`. Both generators that made it walk an array of cells.
#[test]
fn moves_and_boards_match_the_reference() {
    let file = include_str!("../data/movegen_reference.txt");
    assert_eq!(file.lines().count(), 641);
    file.lines().for_each(check_reference);
}

fn check_reference(line: &str) {
    let mut fields = line
        .split(';')
        .map(str::trim)
        .filter(|field| !field.is_empty());
    let position: Position = fields
        .next()
        .expect("a position")
        .parse()
        .expect("well formed");
    let mut moves = Bitboard::EMPTY;
    for field in fields {
        let Some((mv, after)) = field.split_once('=') else {
            assert_eq!(position.board.must_pass(), field == "pass", "{line}");
            assert_eq!(position.board.is_over(), field == "over", "{line}");
            continue;
        };
        let played = position.play(mv.parse().expect("a move")).expect("legal");
        assert_eq!(played.to_string()[..64], *after, "{line}, {mv}");
        assert_eq!(played.side, position.side.opponent());
        moves.0 |= square(mv).bit();
    }
    assert_eq!(position.board.legal_moves(), moves, "{line}");
    check_symmetries(position.board);
}

/// Mirror, then play, is play, then mirror.
fn check_symmetries(board: Board) {
    for symmetry in Symmetry::all() {
        let image = board.transform(symmetry);
        let moves = board.legal_moves();
        assert_eq!(image.legal_moves().0, symmetry.apply(moves.0));
        for square in moves {
            let there = image.play(symmetry.apply_square(square));
            assert_eq!(there, board.play(square).transform(symmetry));
        }
    }
}
