//! The grammar reads every form that the server has, and no bytes make it panic.

use proptest::prelude::*;

use super::message::{GameId, MatchNews, MatchRequest, Message};
use super::*;
use crate::rules::{Color, Move, Position};

fn read(text: &str) -> Message {
    let mut lines = text.lines().map(str::to_owned);
    let head = format!("/os: {}", lines.next().expect("a line"));
    let body: Vec<String> = lines
        .map(|line| line.trim_start_matches('|').to_owned())
        .collect();
    parse(&head, &body)
}

fn request(text: &str) -> MatchRequest {
    match read(text) {
        Message::Request(request) => request,
        other => panic!("{other:?}"),
    }
}

const BOARD: &str = "|
|   A B C D E F G H
| 1 - - - - - - - - 1
| 2 - - - - - - - - 2
| 3 - - - - - - - - 3
| 4 - - - O * - - - 4
| 5 - - - * O - - - 5
| 6 - - - - - - - - 6
| 7 - - - - - - - - 7
| 8 - - - - - - - - 8
|
|* to move";

#[test]
fn requests_have_optional_parts() {
    let plain = request("+   .8 1720.0 alice    01:00//02:00       8b U 1720.0 bob");
    assert_eq!(
        (plain.id, plain.asker.as_str(), plain.asked.as_str()),
        (8, "alice", "bob")
    );
    assert_eq!(
        (plain.kind.as_str(), plain.flag, plain.asked_clock),
        ("8b", 'U', None)
    );
    let open = request("+ .8 1720.0 alice 01:00//02:00 8 R *      *");
    assert_eq!(open.asked, "*");
    let other = request("+ .8 1720.0 alice 01:00//02:00 8 S 1720.0 bob 05:00/00:02/01:00 .42590");
    assert_eq!(
        other.asked_clock.map(|clock| clock.main.as_secs()),
        Some(300)
    );
    let stored = request("+ .8 1720.0 alice 01:00//02:00 8 S 1720.0 bob .42590");
    assert_eq!((stored.flag, stored.asked_clock), ('S', None));
    assert_eq!(
        read("-   .8 1720.0 alice 01:00//02:00 8b U 1720.0 bob"),
        Message::RequestGone(8)
    );
}

#[test]
fn news_of_matches_say_how_they_ended() {
    let begins = read("+ match .9 2544 lynx 2505 kitty s8r20 R");
    let news = |end: &str| MatchNews {
        id: 9,
        names: ["lynx".to_owned(), "kitty".to_owned()],
        kind: "s8r20".to_owned(),
        flag: 'R',
        end: end.to_owned(),
    };
    assert_eq!(begins, Message::Begins(news("")));
    for (end, score) in [
        ("+30.00 .82720", Some(30.0)),
        ("-64.00", Some(-64.0)),
        ("+0.00", Some(0.0)),
        ("kitty left .84058", None),
        ("aborted", None),
    ] {
        let ends = read(&format!("- match .9 2544 lynx 2505 kitty s8r20 R {end}"));
        assert_eq!(
            (ends, grammar::score(end)),
            (Message::Ends(news(end)), score)
        );
    }
    let id = GameId {
        number: 9,
        game: Some(0),
    };
    let end = read("end .9.0 ( lynx vs. kitty ) +12.00");
    assert_eq!(end, Message::GameEnds(id, "lynx".to_owned(), Some(12.0)));
    let left = read("end .9.0 ( lynx vs. kitty ) player lynx left");
    assert_eq!(left, Message::GameEnds(id, "lynx".to_owned(), None));
}

#[test]
fn games_are_read_whole_or_not_at_all() {
    let seats =
        "|alice    (1720.0 *) 00:59,0:0//02:00,0:0\n|bob      (1720.0 O) 01:00,0:0//02:00,0:0";
    let join = format!("join .5 8b K?\n|0 move(s)\n|  0: PASS\n{seats}\n{BOARD}");
    let Message::State(state) = read(&join) else {
        panic!("{join}")
    };
    let record = &state.record;
    assert_eq!(
        (record.game.start(), record.game.position()),
        (Position::START, Position::START)
    );
    let names = [&record.black, &record.white].map(|player| player.name.as_str());
    assert_eq!(names, ["alice", "bob"]);
    let clock = record.black.clock.expect("a clock");
    assert_eq!(clock.main.as_secs(), 59);
    assert!(state.last.is_none() && !state.awaits_bids && record.kind == "8b");

    let after = BOARD
        .replace("| 5 - - - * O - - - 5", "| 5 - - - * * * - - 5")
        .replace("|* to", "|O to");
    let update = format!("update .5 8b K-3.5\n|  1: f5//3.47\n{seats}\n{after}");
    let Message::State(state) = read(&update) else {
        panic!("{update}")
    };
    let (mv, note) = state.last.expect("a move");
    assert_eq!((mv.to_string().as_str(), note.evaluation), ("f5", None));
    assert_eq!(note.time.map(|time| time.as_millis()), Some(3470));
    let position = state.record.game.position();
    assert_eq!(Position::START.play(mv), Some(position));

    let join = format!(
        "join .5 8b K?\n|1 move(s)\n{seats}\n{BOARD}\n|  1: F5/-8.00/1.60\n{seats}\n{after}"
    );
    let Message::State(state) = read(&join) else {
        panic!("{join}")
    };
    let game = &state.record.game;
    assert_eq!(
        (game.start(), game.moves().len(), game.position().side),
        (Position::START, 1, Color::White)
    );
    assert_eq!(state.record.notes[0].evaluation, Some(-8.0));

    let id = GameId {
        number: 5,
        game: None,
    };
    for cut in (16..join.len()).filter(|&cut| join.is_char_boundary(cut)) {
        // The last words may be missing.
        if !join[..cut].ends_with("|O to move") && cut + 1 < join.len() {
            assert_eq!(
                read(&join[..cut]),
                Message::Unreadable(id),
                "{}",
                &join[..cut]
            );
        }
    }
    let wide = join.replace(" - 3", " - - - 3");
    assert_eq!(read(&wide), Message::Unreadable(id));
    assert!(matches!(
        read(&join.replace("b ", "b\t ")),
        Message::Unreadable(_) | Message::State(_)
    ));
    let passed = update.replace("f5//3.47", "PA");
    assert!(
        matches!(read(&passed), Message::State(state) if state.last.is_some_and(|last| last.0 == Move::Pass))
    );
}

#[test]
fn other_messages_are_told_apart() {
    let id = |number, game| GameId { number, game };
    for (text, expected) in [
        (
            "timeout .9 lynx (*)",
            Message::Time(id(9, None), "timeout".to_owned(), "lynx".to_owned()),
        ),
        (
            "fatal-timeout .9.1 lynx (*)",
            Message::Time(
                id(9, Some(1)),
                "fatal-timeout".to_owned(),
                "lynx".to_owned(),
            ),
        ),
        (
            "trust-violation .56 bob (*) delta= 4 + 0.7 secs",
            Message::Time(id(56, None), "trust-violation".to_owned(), "bob".to_owned()),
        ),
        (
            "error .25 illegal move",
            Message::GameError(id(25, None), "illegal move".to_owned()),
        ),
        (
            "ERR user 'bob' not found.",
            Message::Other("/os: ERR user 'bob' not found.".to_owned()),
        ),
        ("+ bob stored", Message::Arrived),
        (
            "stored 2 me\n|.42590   23 Feb 2001 23:17:39 a patzer   s8r16:l\n|(nothing else)",
            Message::Stored(vec![MatchNews {
                id: 42_590,
                names: ["a".to_owned(), "patzer".to_owned()],
                kind: "s8r16".to_owned(),
                flag: 'S',
                end: String::new(),
            }]),
        ),
    ] {
        assert_eq!(read(text), expected);
    }
    for text in [
        "undo .24 bob is asking",
        "match 2/2",
        "who 3 8",
        ".5 A 1720 bob: good game",
        "+ bob",
        "- bob",
        "finger n",
    ] {
        assert!(matches!(read(text), Message::Other(_)), "{text}");
    }
    for (text, is_there) in [(": + /os 1", true), (": - /os 1", false)] {
        assert_eq!(parse(text, &[]), Message::Service(is_there));
    }
    let tell = parse("alice: /os: join", &["|quit".to_owned()]);
    let expected = "alice: /os: join / |quit";
    assert_eq!(tell, Message::Other(expected.to_owned()));
}

#[test]
fn moves_are_written_as_the_server_reads_them() {
    let game = |letters: [char; 2]| {
        let seat = |name: &str, color| format!("|{name} (1720.0 {color}) 00:59//02:00");
        let [first, second] = letters;
        let seats = [seat("alice", first), seat("bob", second)].join("\n");
        let join = format!("join .9.1 s8r4 K?\n|0 move(s)\n{seats}\n{BOARD}");
        let Message::State(state) = read(&join) else {
            panic!("{join}")
        };
        game::ServerGame::shown(*state, "ALICE", None).0
    };
    for (mv, score, letters, expected) in [
        ("F5", 1.256, ['*', 'O'], "f5/1.26/0.01"),
        ("pass", -0.001, ['O', '*'], "pa/0.00/0.01"),
        ("c4", 0.0, ['?', '?'], "c4/0.01/0.01"),
        ("c4", -640.0, ['?', '?'], "c4/-99.00/0.01"),
    ] {
        let mut game = game(letters);
        game.score = score;
        let line = reply::play(&game, mv.parse().expect("a move"));
        assert_eq!(line, format!("tell /os play .9.1 {expected}"));
    }
}

proptest! {
    #[test]
    fn any_lines_are_a_message(head in "\\PC{0,60}", body in prop::collection::vec("\\PC{0,40}", 0..6)) {
        let _ = parse(&head, &body);
        let _ = parse(&format!("/os: {head}"), &body);
    }

    #[test]
    fn near_misses_are_a_message(
        word in "(join|update|end|timeout|error|stored|ERR|\\+|-|\\+ match|- match) ",
        head in "[.0-9a-zA-Z*()/:,+ -]{0,60}",
        body in prop::collection::vec("[.0-9a-zA-Z*()/:,+ -]{0,40}", 0..24),
    ) {
        let _ = parse(&format!("/os: {word}{head}"), &body);
    }
}
