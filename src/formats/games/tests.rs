use std::io::{self, Cursor, Write};

use super::*;
use crate::formats::ggf::GgfGame;
use crate::rules::{Color, Game, Move, Position};

const BOARD: &str = "BO[8 ---------------------------O*------*O--------------------------- *]";

fn all(bytes: impl Into<Vec<u8>>, lines: LineGrouping) -> Vec<FoundGame> {
    let source = Source::whole(Cursor::new(bytes.into())).expect("a kind");
    source.games(lines, Names::default()).collect()
}

/// The moves of each game, or the line and column of what is wrong.
fn read(bytes: impl Into<Vec<u8>>) -> Vec<Result<String, (u64, usize)>> {
    let result = |found: FoundGame| match found.game {
        Ok(game) => Ok(game.game.transcript()),
        Err(GameError::Text(ReadError::Syntax { line, source })) => Err((line, source.column)),
        Err(error) => panic!("{error}"),
    };
    all(bytes, LineGrouping::MayContinue)
        .into_iter()
        .map(result)
        .collect()
}

fn moves(transcripts: &[&str]) -> Vec<Result<String, (u64, usize)>> {
    transcripts
        .iter()
        .map(|&moves| Ok(moves.to_owned()))
        .collect()
}

#[test]
fn games_of_ggf_have_any_number_of_lines() {
    let rows = BOARD.replace("--------", "-------- \n ");
    let text = format!(
        "3 \n(;GM[Othello]DT[1012015433]\n PB[a]\n{rows}\n B[F5/1.5]\n W[D6];)\n\n\
         # a comment\n(;GM[Othello]TY[0]{BOARD}B[F5]; )(;GM[Othello]PB[x)(;y]{BOARD}B[D3];)"
    );
    assert_eq!(read(text.clone()), moves(&["f5d6", "f5", "d3"]));
    let source = Source::whole(Cursor::new(text.clone())).expect("a kind");
    let mut games = source.games(LineGrouping::OneGame, Names::default());
    assert_eq!(games.by_ref().count(), 3);
    assert!(games.take_warnings().is_empty());
    let fewer = format!("3 (;GM[Othello]{BOARD}B[F5];)(;GM[Othello]{BOARD}B[F5];)");
    for text in [fewer.clone(), fewer.replace("B[F5]", "\nB[F5]")] {
        let source = Source::whole(Cursor::new(text)).expect("a kind");
        let mut games = source.games(LineGrouping::OneGame, Names::default());
        assert_eq!(games.by_ref().count(), 2);
        let warnings = games.take_warnings();
        assert!(
            warnings[0].ends_with("3 games are announced, and there are 2"),
            "{warnings:?}"
        );
    }
    let first = all(text, LineGrouping::OneGame).remove(0);
    assert_eq!(first.place, GamePlace::Line(2));
    assert_eq!(first.game.map(|game| year(&game)).ok(), Some(Some(2002)));
}

#[test]
fn a_game_of_ggf_that_is_cut_off_does_not_take_the_next_one_along() {
    let text = format!(
        "(;GM[Othello]\n{BOARD}B[F5]\nW[D6\n2 (;GM[Othello]{BOARD}\nB[D3];)(;GM[Othello]\nB[A1];)\n(;GM[Othello"
    );
    let found = read(text);
    assert_eq!(found[1], Ok("d3".to_owned()));
    let wrong: Vec<_> = [0, 2, 3]
        .map(|game| found[game].clone().expect_err("wrong").0)
        .to_vec();
    assert_eq!(wrong, [4, 6, 7]);
    assert_eq!(found[2], Err((6, 3)));
}

#[test]
fn many_small_games_may_share_a_long_line() {
    let games = 2000;
    let text = format!(
        "{games} {}",
        format!("(;GM[Othello]{BOARD}B[F5];)").repeat(games)
    );
    assert_eq!(read(text), moves(&vec!["f5"; games]));
}

#[test]
fn names_in_latin1_stay_readable_and_columns_are_those_of_the_file() {
    let text = b"(;GM[Othello]PB[B\xe9n\xe9]B[F5]W[A1];)\n(;GM[Othello]PB[B\xe9n\xe9]B[F5];)\n";
    assert_eq!(read(text), [Err((1, 29)), Ok("f5".to_owned())]);
    let game = all(text, LineGrouping::OneGame)
        .remove(1)
        .game
        .expect("a game");
    assert_eq!(game.black.name, "Béné");
    let text = b"(;GM[2]PB[B\xe9n\xe9]\n;B[fe]C[\xfc];W[aa])";
    assert_eq!(read(text), [Err((2, 14))]);
}

#[test]
fn lines_are_joined_only_where_people_paste_them() {
    let text = "1. f5 d6\n2. c3 d3\n\nf5d6c3d3c4\nf5f6e6\ne6f4c3c4d3\n";
    assert_eq!(
        read(text),
        moves(&["f5d6c3d3", "f5d6c3d3c4", "f5f6e6", "e6f4c3c4d3"])
    );
    let alone = all(text, LineGrouping::OneGame);
    assert_eq!(alone.iter().filter(|found| found.game.is_err()).count(), 1);
    // Two moves that could go on with the game before them, but are a game of their own.
    assert_eq!(read("f5d6c3d3c4\ne6f4\n"), moves(&["f5d6c3d3c4", "e6f4"]));
    assert_eq!(read("f5 d6\nc3 d3\nc4\n"), moves(&["f5d6c3d3c4"]));
}

#[test]
fn lines_may_have_scores_and_positions() {
    let text =
        "f5d6 +4 1999 -2\n---------------------------OX------XO--------------------------- X e6\n";
    let found = all(text, LineGrouping::OneGame);
    assert_eq!(found[0].theoretical, Some((24, -2)));
    let game = found[0].game.as_ref().expect("a game");
    assert_eq!(
        (year(game), game.result.map(|result| result.score)),
        (Some(1999), Some(4.0))
    );
    assert_eq!(
        found[1]
            .game
            .as_ref()
            .map(|game| game.game.transcript())
            .ok(),
        Some("e6".to_owned())
    );
}

#[test]
fn text_without_a_game_is_one_error() {
    assert_eq!(read("hello\nworld\n").len(), 1);
    assert_eq!(read("% x\n\nf5d6a1\n"), [Err((3, 5))]);
    let found = all("# notes\nhello\nworld\n", LineGrouping::OneGame)
        .remove(0)
        .game
        .expect_err("no game");
    let text = found.to_string();
    assert!(
        text.starts_with("line 2, column 1: ") && text.ends_with("no other line holds a game"),
        "{text}"
    );
    assert!(read("").is_empty());
}

#[test]
fn rows_of_a_table_are_games() {
    let text = "\u{feff}id,black,moves\n1,Ann,f5d6c3\n\n2,Ben,f5f5\n3,Eve\n";
    assert_eq!(
        read(text),
        [Ok("f5d6c3".to_owned()), Err((4, 9)), Err((5, 6))]
    );
}

#[test]
fn json_is_read_by_line_or_whole() {
    let lines =
        "{\"moves\":\"f5d6\"}\n\n{\"moves\":\"f5f5\"}\n{\"a\":1}\n{oops\n{\"moves\":[\"d3\"]}\n";
    let wrong = |line, column| Err((line, column));
    assert_eq!(
        read(lines),
        [
            Ok("f5d6".to_owned()),
            wrong(3, 1),
            wrong(4, 1),
            wrong(5, 2),
            Ok("d3".to_owned())
        ]
    );
    assert_eq!(
        read("[\n{\"moves\":\n\"f5d6\"},\n{\"moves\":[19]}]\n"),
        moves(&["f5d6", "d3"])
    );
    assert_eq!(read("{\n\"moves\": [\n\"f5\",]}"), [Err((3, 6))]);
}

#[test]
fn databases_name_the_players() {
    let mut bytes = vec![20, 26, 11, 13, 2, 0, 0, 0, 0, 0, 0xdf, 0x07, 8, 0, 24, 0];
    for moves in [[65, 46, 33], [65, 65, 0]] {
        bytes.extend([0, 0, 1, 0, 9, 0, 40, 31]);
        bytes.extend(moves);
        bytes.resize(bytes.len() + 57, 0);
    }
    let names = Names {
        players: vec!["a".into(), "b".into()],
        tournaments: vec!["cup".into()],
    };
    let source = Source::whole(Cursor::new(bytes)).expect("a database");
    assert_eq!(source.kind(), Kind::Wthor);
    let found: Vec<FoundGame> = source.games(LineGrouping::OneGame, names).collect();
    let game = found[0].game.as_ref().expect("a game");
    assert_eq!(
        (game.black.name.as_str(), game.white.name.as_str()),
        ("b", "player 9")
    );
    assert_eq!((game.place.as_str(), game.date.as_str()), ("cup", "2015"));
    assert_eq!(
        (found[0].theoretical, found[0].place),
        (Some((24, -2)), GamePlace::Game(1))
    );
    assert!(matches!(
        &found[1].game,
        Err(GameError::Wthor(error)) if error.to_string().contains("of game 2 is")
    ));
}

#[test]
fn a_stream_is_not_waited_for_longer_than_its_first_line() {
    /// One line is there, and then nobody writes any more.
    struct Slow(u8);

    impl Read for Slow {
        fn read(&mut self, mut buffer: &mut [u8]) -> io::Result<usize> {
            self.0 += 1;
            assert_eq!(self.0, 1, "it would wait");
            buffer.write(b"f5d6c3\n")
        }
    }
    let source = Source::stream(Slow(0)).expect("a line");
    assert_eq!(source.kind(), Kind::Lines);
}

#[test]
fn what_is_written_is_read_again() {
    let game = all(
        "[Black \"a [b]\"]\n[Result \"W+R\"]\n\n1. f5 d6 *\n",
        LineGrouping::OneGame,
    )
    .remove(0);
    let game = game.game.expect("a game");
    let again: GgfGame = game.to_string().parse().expect("GGF");
    assert_eq!((again.game, again.result), (game.game, game.result));
}

#[test]
fn a_move_behind_a_pass_that_was_left_out_has_its_own_colour() {
    // Both sides play their first square until one has to pass, and one move more.
    let mut game = Game::new(Position::START);
    while let Some(square) = game.position().board.legal_moves().first() {
        game.play(square.into()).expect("legal");
    }
    let passing = game.position().side;
    let after = game.position().play(Move::Pass).expect("a forced pass");
    let last = after.board.legal_moves().first().expect("a move");
    let letter = |color| if color == Color::Black { 'B' } else { 'W' };
    let write = |color| {
        let moves = game.positions().zip(game.moves());
        let moves = moves.map(|(position, mv)| (position.side, mv.square().expect("no pass")));
        let (mut sgf, mut ggf) = (String::from("(;GM[2]"), String::from("(;GM[Othello]TY[8]"));
        for (color, square) in moves.chain([(color, last)]) {
            let (color, name) = (letter(color), square.name());
            let row = char::from(name.as_bytes()[1] - b'1' + b'a');
            sgf += &format!(";{color}[{}{row}]", &name[..1]);
            ggf += &format!("{color}[{name}]");
        }
        [sgf + ")", ggf + ";)"]
    };
    let read = |text: &str| {
        let found = all(text, LineGrouping::OneGame).into_iter().next();
        found.expect("one game").game
    };
    for text in write(passing.opponent()) {
        assert!(read(&text).is_ok(), "{text}");
    }
    for text in write(passing) {
        let error = read(&text).expect_err("the other colour").to_string();
        assert!(error.contains(last.name()), "{error}");
    }
}
