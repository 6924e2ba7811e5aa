use proptest::prelude::*;

use super::*;
use crate::rules::Position;

const START: &str = "BO[8 ---------------------------O*------*O--------------------------- *]";

fn read(text: &str) -> GgfGame {
    text.parse().expect(text)
}

fn seconds(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds)
}

#[test]
fn the_line_that_nboard_sends_is_read() {
    let text = format!(
        "(;GM[Othello]PC[NBoard]DT[2026-11-21 06:35:07 GMT]PB[a b]PW[]RE[?]TI[5:00]TY[8]{START}\
         B[F5]W[D6/-5.00]B[c3//1.25]W[D3/0,5/1.2];)"
    );
    let ggf = read(&text);
    assert_eq!(ggf.game.transcript(), "f5d6c3d3");
    assert_eq!(
        (ggf.black.name.as_str(), ggf.white.name.as_str()),
        ("a b", "")
    );
    assert_eq!(ggf.result, None);
    let clock = GameClock::new(seconds(300.0), Duration::ZERO);
    assert_eq!(ggf.black.clock, Some(clock));
    let notes: Vec<_> = ggf.notes.iter().map(|n| (n.evaluation, n.time)).collect();
    let expected = [
        (None, None),
        (Some(-5.0), None),
        (None, Some(seconds(1.25))),
        (Some(0.5), Some(seconds(1.2))),
    ];
    assert_eq!(notes, expected);
    assert_eq!(ggf.time_left(Color::Black), Some(seconds(298.75)));
    assert_eq!(ggf.time_left(Color::White), Some(seconds(298.8)));
}

#[test]
fn what_is_written_reads_back() {
    let text = format!(
        "(;GM[Othello]PC[Emilia]PB[a]PW[b]RE[-8:r]RB[1720.5]TB[1:05:00/0:03]TW[0:00.25//1:00]\
         TY[8]{START}B[F5/1.50/0.250]W[D6//2.000]B[C3/-4.25];)"
    );
    let ggf = read(&text);
    assert_eq!(
        ggf.to_string(),
        text.replace("0:00.25//1:00", "0:00.25/0:00/1:00")
    );
    assert_eq!(read(&ggf.to_string()), ggf);
}

#[test]
fn clocks_have_many_forms() {
    let clock = |main, increment, grace| GameClock {
        main: seconds(main),
        increment: seconds(increment),
        grace: seconds(grace),
    };
    for (text, expected) in [
        ("5:00", clock(300.0, 0.0, 120.0)),
        ("30", clock(30.0, 0.0, 120.0)),
        ("15:00//2:00", clock(900.0, 0.0, 120.0)),
        ("15:00/0:10/1:00", clock(900.0, 10.0, 60.0)),
        ("1:02:03", clock(3723.0, 0.0, 120.0)),
        ("2.01:00:00", clock(176_400.0, 0.0, 120.0)),
        ("01:00.5/00:00,25", clock(60.5, 0.25, 120.0)),
        ("5:00,N:1/0:10,N:1/2:00", clock(300.0, 10.0, 120.0)),
        ("5:00/", clock(300.0, 0.0, 120.0)),
    ] {
        assert_eq!(parse_clock(text), Ok(expected), "{text}");
    }
    for text in ["", "x", "1:2:3:4", "5:00/x", "-1"] {
        assert!(parse_clock(text).is_err(), "{text}");
    }
}

#[test]
fn increments_are_added_for_own_moves() {
    let text = format!("(;GM[Othello]TI[1:00/0:05]TY[8]{START}B[F5//2]W[D6//10]B[C3//1];)");
    let ggf = read(&text);
    assert_eq!(ggf.time_left(Color::Black), Some(seconds(67.0)));
    assert_eq!(ggf.time_left(Color::White), Some(seconds(55.0)));
    assert_eq!(
        GgfGame::new(Game::new(Position::START)).time_left(Color::Black),
        None
    );
}

/// White has no move, black then fills the last square.
const STUCK: &str = "BO[8 **************************************************************-O- O]";

#[test]
fn passes_are_read_in_every_spelling_and_may_be_left_out() {
    let board = STUCK.replace("-O- O", "O- O").replace("**]", "*]");
    for pass in [
        "W[PA]",
        "W[pass]",
        "W[p]",
        "W[--]",
        "W[PA/-4.00/0.01]",
        "W[PAS]",
        "",
    ] {
        let ggf = read(&format!("(;GM[Othello]TY[8]{board}{pass}B[H8];)"));
        let moves: Vec<String> = ggf.game.moves().iter().map(Move::to_string).collect();
        assert_eq!(moves, ["pass", "h8"], "{pass}");
        assert_eq!(ggf.notes.len(), 2, "{pass}");
        assert!(ggf.to_string().contains("W[PA"), "{pass}");
    }
    let over = read(&format!("(;GM[Othello]{board}W[PA]B[H8]W[PA]B[PA];)"));
    assert_eq!(
        over.game.moves().len(),
        2,
        "passes after the end say nothing"
    );
}

#[test]
fn results_are_read() {
    let result = |text: &str| read(&format!("(;GM[Othello]RE[{text}];)")).result;
    let is = |score, end| Some(GameResult { score, end });
    assert_eq!(result("+12"), is(12.0, End::Over));
    assert_eq!(result("-8.000"), is(-8.0, End::Over));
    assert_eq!(result("-8:r"), is(-8.0, End::Resigned));
    assert_eq!(result("64.0:t"), is(64.0, End::Timeout));
    assert_eq!(result("0:l"), is(0.0, End::Left));
    assert_eq!(result("?"), None);
}

#[test]
fn boards_have_many_letters() {
    let expected = read(&format!("(;GM[Othello]{START};)")).game;
    let cells = &START["BO[8 ".len()..START.len() - " *]".len()];
    let digits = cells.replace('O', "0").replace('*', "x");
    let dots = cells.replace('-', " _").replace('O', "o");
    for board in [format!("BO[8 {digits} X]"), format!("BO[8{dots}*]")] {
        let game = read(&format!(" (; GM[Othello]\n {board} ;)\n")).game;
        assert_eq!(game, expected, "{board}");
    }
}

#[test]
fn a_line_may_hold_a_match() {
    let game = format!("(;GM[Othello]{START}B[F5];)");
    assert_eq!(
        parse_line(&format!("1 {game}")).map(|games| games.len()),
        Ok(1)
    );
    assert_eq!(
        parse_line(&format!("2 {game}{game}\r")).map(|games| games.len()),
        Ok(2)
    );
    assert_eq!(parse_line(" "), Ok(Vec::new()));
    assert_eq!(parse_line("# games"), Ok(Vec::new()));
}

#[test]
fn errors_name_the_column() {
    for (text, column) in [
        ("", 1),
        ("(;GM[Go];)", 6),
        ("(;PB[me];)", 9),
        ("(;GM[Othello]TY[10];)", 17),
        ("(;GM[Othello]B[A1];)", 16),
        ("(;GM[Othello]W[F5];)", 16),
        ("(;GM[Othello]B[F5]B[D6];)", 21),
        ("(;GM[Othello]BO[8 --?];)", 21),
        ("(;GM[Othello]BO[10 --];)", 17),
        ("(;GM[Othello]B[F5]", 19),
        ("(;GM[Othello]B[F5", 18),
        ("(;GM[Othello];) x", 17),
    ] {
        let read = text.parse::<GgfGame>().map_err(|error| error.column);
        assert_eq!(read, Err(column), "{text}");
    }
}

#[test]
fn moves_of_hosts_are_read() {
    let read = |text: &str| {
        let (mv, note) = parse_move(text).expect(text);
        (mv.to_string(), note.evaluation, note.time)
    };
    assert_eq!(
        read("F5/1.00/0.5"),
        ("f5".to_owned(), Some(1.0), Some(seconds(0.5)))
    );
    assert_eq!(
        read("f5 0.00 0.5"),
        ("f5".to_owned(), Some(0.0), Some(seconds(0.5)))
    );
    assert_eq!(
        read("H8//1.03"),
        ("h8".to_owned(), None, Some(seconds(1.03)))
    );
    assert_eq!(read("PA"), ("pass".to_owned(), None, None));
    assert_eq!(
        read("c3/nan/-1"),
        ("c3".to_owned(), None, Some(Duration::ZERO))
    );
    assert_eq!(read("c3/1e-2"), ("c3".to_owned(), Some(0.01), None));
    assert_eq!(parse_move("x5").map_err(|error| error.column), Err(1));
}

#[test]
fn names_cannot_break_out_of_their_brackets() {
    let mut ggf = GgfGame::new(Game::new(Position::START));
    ggf.black.name = "a]B[f5\n".to_owned();
    assert_eq!(read(&ggf.to_string()).black.name, "a)B(f5");
}

proptest! {
    #[test]
    fn any_move_and_clock_is_read_or_refused(text in "[a-hA-HpP0-9:./, -]{0,14}") {
        let _ = parse_move(&text);
        let _ = parse_clock(&text);
    }
}

#[test]
fn what_follows_a_move_is_its_evaluation_or_an_error() {
    const START: &str = "(;GM[Othello]PC[a]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]";
    let read = |moves: &str| parse_line(&format!("{START}{moves};)"));
    for good in [
        "B[F5]W[D6]",
        "B[F5/1.5]W[d6//0.2]",
        "B[ F5 ]W[D6/-2/1.25]",
        "B[F5/]W[D6/book]",
    ] {
        let games = read(good).expect(good);
        assert_eq!(games[0].game.transcript(), "f5d6", "{good}");
    }
    for bad in [
        "B[F5/W[D6]",
        "B[F5 D6]",
        "B[F5D6]",
        "B[F5]W[D6 C3/1/2]",
        "B[F5]W[D66]",
        "B[F5]W[D6x/1]",
        "B[F5:2]",
    ] {
        assert!(read(bad).is_err(), "{bad}");
    }
    let random = "(;GM[Othello]TY[8r20]B[F5];)";
    assert!(
        parse_line(random)
            .expect_err("no BO")
            .reason
            .contains("random position")
    );
}
