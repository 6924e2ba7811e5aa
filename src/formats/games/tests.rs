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
        Err(GameError::Text(ReadError::Syntax { line, error })) => Err((line, error.column)),
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
fn games_are_found_in_whatever_people_paste() {
    for (text, expected) in [
        ("<p>It was <b>f5d6c3</b>, a nice one.</p>", "f5d6c3"),
        (
            "<table><tr><td>1</td><td>F5</td>\n<td>D6</td></tr>\n<tr><td>2</td><td>C3</td></tr></table>",
            "f5d6c3",
        ),
        ("<li>f5</li><li>d6</li><li>c3</li>", "f5d6c3"),
        ("f5&nbsp;d6&nbsp;c3", "f5d6c3"),
        ("After f5 d6 c3 the opening is perpendicular.", "f5d6c3"),
        ("https://example.org/game?moves=f5d6c3", "f5d6c3"),
        ("Kifu: F5D6C3", "f5d6c3"),
        ("棋譜：F5D6C3", "f5d6c3"),
        ("moves: [f5, d6, c3]", "f5d6c3"),
        ("['f5', 'd6', 'c3']", "f5d6c3"),
        ("('f5', 'd6', 'c3')", "f5d6c3"),
        ("(37, 43, 34)", "f5d6c5"),
        ("[1] f5 [2] d6 [3] c3", "f5d6c3"),
        ("{'moves': ['f5', 'd6', 'c3'], 'winner': None}", "f5d6c3"),
        ("00:12 f5\n00:15 d6\n1:00:03 c3\n", "f5d6c3"),
        ("2022-10-12 Ann 33-31 Ben: f5d6c3", "f5d6c3"),
        ("> 1. f5 d6\n> 2. c3\nNice game!", "f5d6c3"),
        ("1\tf5\t0:03\n2\td6\t0:05\n3\tc3\t0:01\n", "f5d6c3"),
    ] {
        assert_eq!(read(text), moves(&[expected]), "{text}");
    }
    let two = "The first: f5 d6 c3.\nThe second: f5 f6 e6 f4\n";
    assert_eq!(read(two), moves(&["f5d6c3", "f5f6e6f4"]));
    for text in [
        "Instead of f5 d6, f5 f6 is played",
        "Opening: f5 d6 c3",
        "corners a1 h8 first",
    ] {
        assert!(read(text).iter().all(Result::is_err), "{text}");
    }
}

#[test]
fn names_stand_where_people_write_them() {
    for text in [
        "黒: ann 白: ben\nf5d6c3\n",
        "黒：ann（五段）　白：ben\nf5d6c3\n",
        "Black: ann, White: ben\nf5d6c3\n",
        "ann 33-31 ben : f5d6c3",
        "ann (1789) vs ben (1802)\nf5d6c3\n",
        "ann vs ben f5d6c3",
        "2022-10-12 ann 33 - 31 ben: f5d6c3",
        "[Black: \"ann\"]\n[White: \"ben\"]\n1. f5 d6 2. c3",
    ] {
        let mut found = all(text, LineGrouping::MayContinue);
        assert_eq!(found.len(), 1, "{text}");
        let game = found.remove(0).game.expect(text);
        let names = (game.black.name.as_str(), game.white.name.as_str());
        assert_eq!(
            (names, &*game.game.transcript()),
            (("ann", "ben"), "f5d6c3"),
            "{text}"
        );
    }
    let found = all("ann 33-31 ben : f5d6c3\n", LineGrouping::MayContinue).remove(0);
    let result = found
        .game
        .map(|game| game.result.map(|result| result.score));
    assert_eq!(result.ok(), Some(Some(2.0)));
}

#[test]
fn a_game_with_an_illegal_move_is_read_up_to_it() {
    let ggf = format!("(;GM[Othello]PB[ann]{BOARD}B[F5]W[D6]B[A1]W[C4];)");
    for (text, place) in [
        ("f5d6a1c4", (1, 5)),
        ("1. f5 d6\n2. a1 c4\n3. e3", (2, 4)),
        ("A game\n1. f5 d6\n2. a1 c4\n", (3, 4)),
        ("A game\nf5 d6 a1\n", (2, 7)),
        ("id,moves\n1,f5d6c3\n2,f5d6a1\n", (3, 7)),
        ("[Black \"ann\"]\n1. f5 d6 2. a1 c4", (2, 13)),
        ("(;GM[2]PB[ann];B[fe];W[df](;B[aa];W[dc])(;B[cf]))", (1, 31)),
        (&ggf, (1, ggf.find("A1").expect("a move") + 1)),
        (&ggf.replace("B[F5]", "\nB[F5]"), (2, 13)),
        (
            "{\"black\":\"ann\",\"moves\":[\"f5\",\"d6\",\"a1\",\"c4\"]}",
            (1, 1),
        ),
        ("{\"moves\":\"f5d6a1c4\"}", (1, 1)),
        ("{\"moves\":[37,43,0]}", (1, 1)),
        ("f5 d6 pass c3", (1, 7)),
        ("A game\n1. f5 d6 pass\n2. c3 d3\n", (2, 10)),
        ("(;GM[2]PB[ann];B[fe];W[df];B[];W[dc])", (1, 34)),
        (
            "---------------------------OX------XO--------------------------- X f5d6a1",
            (1, 72),
        ),
    ] {
        let found = all(text, LineGrouping::MayContinue);
        let bad = found.iter().find(|found| found.game.is_err()).expect(text);
        let before = bad.before.as_ref().expect(text);
        assert_eq!(before.game.transcript(), "f5d6", "{text}");
        let name = if text.contains("ann") { "ann" } else { "" };
        assert_eq!(before.black.name, name, "{text}");
        assert!(read(text).contains(&Err(place)), "{text}: {:?}", read(text));
    }
    assert!(
        all("f5 d6 hello", LineGrouping::MayContinue)[0]
            .before
            .is_none()
    );
}

#[test]
fn text_that_is_nothing_is_no_heading() {
    for line in ["XX", "x5d6c3", "OX -"] {
        let found = read(format!("{line}\nf5d6c3\n"));
        assert_eq!(found, [Err((1, 1)), Ok("f5d6c3".to_owned())], "{line}");
    }
}

#[test]
fn warnings_name_the_game() {
    let mut played = Game::new(Position::START);
    while !played.position().board.is_over() {
        let mv = played.position().board.moves().next().expect("a move");
        played.play(mv).expect("legal");
    }
    let score = played.position().result_for_black().expect("over");
    let other = if score > 0 { "0-64" } else { "64-0" };
    let text = format!(
        "[Black \"ann\"]\n1. f5 *\n\n[Result \"{other}\"]\n{} {other}",
        played.transcript()
    );
    let source = Source::whole(Cursor::new(text)).expect("a kind");
    let mut games = source.games(LineGrouping::OneGame, Names::default());
    let result = games
        .by_ref()
        .last()
        .and_then(|found| found.game.ok()?.result);
    assert_eq!(result.map(|result| result.score), Some(score.into()));
    let warnings = games.take_warnings();
    assert!(
        warnings.len() == 1 && warnings[0].starts_with("line 4: the file says "),
        "{warnings:?}"
    );
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
