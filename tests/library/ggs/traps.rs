//! What has misled other clients, each in a conversation of its own. The names are invented.

use std::time::{Duration, Instant};

use emilia::engine::Strength;
use emilia::protocol::ggs::Ended;
use emilia::rules::{Game, Position};

use super::script::{Script, Shown};

const NEWS: &str = "match .5 1720 kitty 1720 emilia 8 R";

/// A script whose match has begun.
fn playing(shown: &Shown<'_>) -> Script {
    let mut script = Script::start(|_| {});
    script.say(&format!("+ {NEWS}"));
    script.say(&shown.join());
    script
}

#[test]
fn colours_are_those_of_the_clock_lines() {
    // Kitty is named first everywhere, and is white.
    let mut shown = Shown::new(".5", '*', "");
    let mut script = playing(&shown);
    let mv = script.expect_move(".5");
    script.say(&shown.play(&mv).update());
    script.expect_silence();
    script.say(&shown.play_first().update());
    script.expect_move(".5");
    script.expect_silence();
    let mut script = playing(&Shown::new(".5", 'O', ""));
    script.expect_silence();
    script.say(&Shown::new(".5", 'O', "f5").update());
    script.expect_move(".5");
}

#[test]
fn the_last_board_of_a_join_is_the_current_one() {
    // On the first board it is black's turn, on the last one white's.
    let script = playing(&Shown::new(".5", '*', "f5 d6 c3"));
    script.expect_silence();
    let script = playing(&Shown::new(".5", 'O', "f5 d6 c3"));
    assert!(
        [
            "d3", "b3", "c4", "f4", "g5", "e6", "f6", "g6", "c5", "c6", "c7", "d7", "e7"
        ]
        .contains(&script.expect_move(".5").as_str())
    );
}

#[test]
fn a_position_is_answered_once_however_often_it_is_shown() {
    let shown = Shown::new(".5", 'O', "f5");
    let mut script = playing(&shown);
    script.expect_move(".5");
    for _ in 0..3 {
        script.say(&shown.update());
        script.say(&shown.join());
    }
    script.expect_silence();
}

#[test]
fn games_of_a_synchro_match_are_kept_apart_and_may_be_shown_late() {
    let mut first = Shown {
        kind: "s8r18",
        ..Shown::new(".9.0", '*', "")
    };
    let mut second = Shown {
        kind: "s8r18",
        ..Shown::new(".9.1", 'O', "")
    };
    let mut script = Script::start(|_| {});
    script.say("+ match .9 2544 emilia 2505 kitty s8r18 R");
    script.say(&second.join());
    script.say(&first.join());
    let mv = script.expect_move(".9.0");
    script.say(&first.play(&mv).update());
    script.expect_silence();
    // The whole of a game may be shown without a move that waits for that of the other game.
    script.say(
        &Shown {
            kind: "s8r18",
            ..Shown::new(".9.0", '*', "")
        }
        .join(),
    );
    script.expect_silence();
    // The other game, and only then is it our turn there.
    script.say(&second.play("d3").update());
    let mv = script.expect_move(".9.1");
    script.say(&second.play(&mv).update());
    script.expect_silence();
    script.say(&first.play_first().update());
    script.expect_move(".9.0");
    script.say("end .9.1 ( emilia vs. kitty ) -12.00");
    let (game, _) = script.saved();
    assert!(
        game.contains("PB[kitty]PW[emilia]") && game.contains("RE[+12"),
        "{game}"
    );
    script.say("end .9.0 ( emilia vs. kitty ) +2.00");
    assert!(script.saved().0.contains("RE[+2"));
    script.say("- match .9 2544 emilia 2505 kitty s8r18 R -5.00  .82720");
    script.note("ends: -5.00");
}

#[test]
fn a_side_without_a_move_says_so() {
    let start: Position = format!("OX{}O X", "-".repeat(61))
        .parse()
        .expect("a position");
    assert!(start.board.must_pass());
    let mut shown = Shown::new(".5", '*', "");
    shown.game = Game::new(start);
    let mut script = playing(&shown);
    assert_eq!(script.expect_move(".5"), "pa");
    script.say(&shown.play("pass").update());
    script.expect_silence();
    script.say(&shown.play("c1").update());
    script.expect_silence();
    script.say(&format!("- {NEWS} +64.00  .82720"));
    assert!(script.saved().0.contains("W[C1/-1.25/0.500]"));
}

#[test]
fn play_goes_on_after_a_soft_timeout_and_on_a_negative_clock() {
    let mut shown = Shown::new(".5", 'O', "");
    shown.seats = [("emilia", 'O', "-00:03"), ("kitty", '*', "00:10")];
    let mut script = playing(&shown);
    script.say(&shown.play("f5").update());
    let mv = script.expect_move(".5");
    script.say(&shown.play(&mv).update());
    script.say("fatal-timeout .5 emilia (O)");
    script.note("fatal-timeout of emilia");
    script.say(&format!("- {NEWS} +64.00  .82720"));
    assert!(script.saved().0.contains("RE[+64:t]"));
}

#[test]
fn after_a_soft_timeout_it_plays_within_the_extension_and_saves_the_servers_score() {
    let mut shown = Shown::new(".5", 'O', "");
    shown.seats = [("emilia", 'O', "00:01"), ("kitty", '*', "00:10")];
    let mut script = Script::connect(|_| {}, Strength::Unchosen, false);
    script.log_in();
    script.say(&format!("+ {NEWS}"));
    script.say(&shown.join());
    script.say(&shown.play("f5").update());
    let mv = script.expect_move(".5");
    script.say("timeout .5 emilia (O)");
    assert!(script.note("game .5").contains(".5: timeout of emilia"));
    // The extension is added once, and there is no other one.
    shown.seats[0].2 = "00:03";
    script.say(&shown.play(&mv).update());
    script.say(&shown.play_first().update());
    let start = Instant::now();
    script.expect_move(".5");
    assert!(start.elapsed() < Duration::from_secs(3));
    // Whatever the board says: who is late gets -2 at best.
    script.say(&format!("- {NEWS} +2.00  .82720"));
    assert!(script.saved().0.contains("PW[emilia]RE[+2"));
}

#[test]
fn matches_of_others_are_not_ours_whatever_their_number() {
    let mut script = playing(&Shown::new(".5", '*', "f5"));
    let mut others = Shown::new(".6", '*', "");
    others.seats = [("lynx", '*', "01:00"), ("patzer", 'O', "01:00")];
    script.say("+ match .6 2544 lynx 2505 patzer 8 R");
    script.say(&others.join());
    script.say(&others.play("f5").update());
    script.say("- match .6 2544 lynx 2505 patzer 8 R +30.00  .82720");
    script.expect_silence();
    // The number of a match that is over is used again, by others.
    script.say(&format!("- {NEWS} aborted"));
    script.say("+ match .5 2544 lynx 2505 patzer 8 R");
    others.id = ".5";
    script.say(&others.join());
    script.expect_silence();
}

#[test]
fn games_of_others_are_written_where_that_is_wanted() {
    let mut script = Script::start(|settings| settings.observes = true);
    let mut others = Shown::new(".6", '*', "f5");
    others.seats = [("lynx", '*', "01:00"), ("patzer", 'O', "01:00")];
    script.say("+ match .6 2544 lynx 2505 patzer 8 R");
    script.say(&others.join());
    script.say(&others.play("d6").update());
    script.say("- match .6 2544 patzer 2505 lynx 8 R +30.00  .82720");
    let (game, is_ours) = script.saved();
    assert!(
        !is_ours && game.contains("PB[lynx]PW[patzer]RE[-30:s]"),
        "{game}"
    );
    assert!(game.contains("B[F5//1.500]W[D6/-1.25/0.500]"), "{game}");
}

#[test]
fn packets_may_be_split_at_every_byte() {
    let mut script = Script::connect(|_| {}, Strength::Depth(1), false);
    script.is_split = true;
    script.log_in();
    script.say("+   .8 1720.0 kitty    01:00//02:00       8 R 1720.0 emilia");
    script.expect("tell /os accept .8");
    script.say(&format!("+ {NEWS}"));
    script.say(&Shown::new(".5", 'O', "f5").join());
    script.expect_move(".5");
}

#[test]
fn a_message_needs_no_ready_and_an_answer_comes_behind_one() {
    let mut script = Script::start(|_| {});
    // READY of the central server comes before the answer, or not at all.
    script.raw("READY\r\nREADY\r\n\r\n");
    script
        .raw("/os: +   .8 1720.0 kitty    01:00//02:00       8 R 1720.0 emilia\r\n: something\r\n");
    script.expect("tell /os accept .8");
    let join = Shown::new(".5", 'O', "f5").join().replace('\n', "\r\n");
    script.raw(&format!("/os: + {NEWS}\r\n/os: {join}\r\n"));
    script.expect_move(".5");
}

#[test]
fn after_a_cut_the_stored_match_is_asked_for_and_goes_on() {
    let mut shown = Shown::new(".5", 'O', "f5");
    let mut script = playing(&shown);
    let mv = script.expect_move(".5");
    script.reconnect();
    assert!(script.saved().0.contains("RE[?]"));
    script.note("cut off");
    script.log_in();
    script.say("stored 2 emilia\n|.42589   23 Feb 2001 23:17:39 emilia   lynx     s8r16:l\n|.42590   23 Feb 2001 23:17:39 kitty    emilia   8:l");
    script.note("8 of kitty and emilia is kept by the server as .42590");
    script.expect("tell /os ask .42589");
    script.say("ERR no opponent present for archived match '.42589'.");
    script.expect("tell /os ask .42590");
    script.say("+   .1 1720.0 emilia   01:00//02:00       8 S 1720.0 kitty .42590");
    script.expect_silence();
    // It has another number now, and the move was not kept.
    shown.id = ".7";
    script.say("+ match .7 1720 kitty 1720 emilia 8 S");
    script.say(&shown.join());
    script.say("-   .1 1720.0 emilia   01:00//02:00       8 S 1720.0 kitty .42590");
    assert_eq!(script.expect_move(".7"), mv);
    script.expect_silence();
}

#[test]
fn a_match_that_the_server_has_not_kept_is_reported_as_lost() {
    let mut script = playing(&Shown::new(".5", 'O', "f5"));
    script.expect_move(".5");
    script.reconnect();
    let note = script.note("is lost: ");
    assert!(note.contains("the next try is in 0 s"), "{note}");
    script.log_in();
    script.say("stored 1 emilia\n|.42590   23 Feb 2001 23:17:39 kitty    emilia   s8r16:l");
    script.note("8 of kitty and emilia is lost: the server has not kept it");
}

#[test]
fn an_opponent_who_comes_back_is_asked_to_go_on() {
    let mut script = Script::start(|_| {});
    script.expect_silence();
    script.say("+ kitty stored");
    script.expect("tell /os stored");
}

#[test]
fn the_opponents_request_for_the_stored_match_is_accepted() {
    let mut script = Script::start(|settings| settings.rated = false);
    script.say("+   .1 1720.0 kitty   01:00//02:00       8 S 1720.0 emilia .42590");
    script.expect("tell /os accept .1");
}

#[test]
fn odd_requests_are_declined_with_a_reason() {
    let mut script = Script::start(|settings| {
        settings.seconds = [30, 1800];
        settings.haste = 500;
    });
    for (request, reason) in [
        (
            "kitty 01:00//02:00 10 R 1720.0 emilia",
            "only boards of 8x8",
        ),
        (
            "kitty 01:00//02:00 88 R 1720.0 emilia",
            "only boards of 8x8",
        ),
        ("kitty 01:00//02:00 8a R 1720.0 emilia", "anti"),
        (
            "kitty 01:00//02:00 s8r21 R 1720.0 emilia",
            "s8r21 is not among",
        ),
        ("kitty 01:00//02:00 8kr14 R 1720.0 emilia", "not among"),
        ("kitty 01:00//02:00 zz R 1720.0 emilia", "do not know"),
        ("kitty 01:00//02:00 8 U 1720.0 emilia", "rated"),
        ("kitty 00:05//02:00 8 R 1720.0 emilia", "on the clock"),
        (
            "kitty 01:00//02:00 8 R 1720.0 emilia 45:00//02:00",
            "on the clock",
        ),
    ] {
        // Longer than the pause between two reasons.
        std::thread::sleep(Duration::from_millis(40));
        script.say(&format!("+   .8 1720.0 {request}"));
        script.expect("tell /os decline .8");
        let told = script.line();
        assert!(
            told.starts_with(&format!(
                "tell {} ",
                &request[..request.find(' ').expect("a name")]
            )),
            "{told}"
        );
        assert!(told.contains(reason), "{told}");
    }
    // Of others, to everybody, and what cannot be read.
    for request in [
        "kitty 01:00//02:00 8 R 1720.0 lynx",
        "kitty 01:00//02:00 8 U *      *",
        "kitty 01:00//02:00 8 X 1720.0 emilia",
        "kitty 01:00//02:00 8",
        "kitty never 8 R 1720.0 emilia",
    ] {
        script.say(&format!("+   .8 1720.0 {request}"));
    }
    script.expect_silence();
    script.say("+   .8 1720.0 kitty 01:00//02:00 s8r18 R 1720.0 emilia");
    script.expect("tell /os accept .8");
    script.say(&format!("+ {NEWS}"));
    script.say(&Shown::new(".5", '*', "f5").join());
    script.say("+   .9 1720.0 kitty 01:00//02:00 s8r18 R 1720.0 emilia");
    script.expect("tell /os decline .9");
    script.expect("tell kitty I have no time");
    // What everybody is asked for is passed over in silence.
    script.say("+   .9 1720.0 kitty 01:00//02:00 s8r18 R *      *");
    script.expect_silence();
}

#[test]
fn a_request_to_everybody_is_accepted_by_the_same_rules() {
    let mut script = Script::start(|_| {});
    script.say("+   .7 1720.0 kitty 01:00//02:00 10 R *      *");
    script.say("+   .8 1720.0 kitty 01:00//02:00 s8r18 R *      *");
    script.expect("tell /os accept .8");
    script.say("+   .9 1720.0 emilia 01:00//02:00 s8r18 R *      *");
    script.expect_silence();
}

#[test]
fn a_flood_of_requests_makes_no_flood_of_tells() {
    let mut script = Script::start(|settings| settings.haste = 0);
    for _ in 0..50 {
        script.say("+   .8 1720.0 kitty 01:00//02:00 10 R 1720.0 emilia");
    }
    let said: Vec<String> = (0..51).map(|_| script.line()).collect();
    script.expect_silence();
    let declined = said
        .iter()
        .filter(|line| line.starts_with("tell /os decline"))
        .count();
    let told = said
        .iter()
        .filter(|line| line.starts_with("tell kitty"))
        .count();
    assert_eq!((declined, told), (50, 1));
}

#[test]
fn a_board_of_another_size_is_adjourned() {
    let mut script = Script::start(|_| {});
    script.say("+ match .5 1720 kitty 1720 emilia 10 R");
    script.expect("tell /os break .5");
}

#[test]
fn komi_is_bid_for_and_then_played() {
    let mut shown = Shown::new(".5", '?', "");
    shown.kind = "8k";
    shown.seats = [("emilia", '?', "01:00"), ("kitty", '?', "01:00")];
    let mut script = Script::start(|_| {});
    script.say("+ match .5 1720 kitty 1720 emilia 8k R");
    script.say(&shown.join());
    let bid = script.expect("tell /os play .5 ");
    let parts: Vec<&str> = bid.split('/').collect();
    let score: f64 = parts[1].parse().expect("a score");
    assert!(
        score != 0.0
            && parts[1]
                .split('.')
                .nth(1)
                .is_some_and(|cents| cents.len() == 2),
        "{bid}"
    );
    script.expect_silence();
    // Kitty bids more and has moved.
    shown.seats = [("emilia", 'O', "00:59"), ("kitty", '*', "00:58")];
    script.say(&shown.play("f5").join().replace("K?", "K+1.2"));
    script.expect_move(".5");
    script.expect_silence();
}

#[test]
fn a_refused_move_is_followed_by_one_for_the_position_that_is_shown_then() {
    let shown = Shown::new(".5", 'O', "f5");
    let mut script = playing(&shown);
    for _ in 0..3 {
        script.expect_move(".5");
        script.say("error .5 illegal move");
        script.expect("tell /os moves .5");
        script.say(&shown.join());
    }
    // Enough of that.
    script.expect_silence();
}

#[test]
fn what_cannot_be_read_of_a_game_is_asked_for() {
    for broken in [
        "update .5 8 K?\n|  2: d6",
        "update .5 d6//1.00",
        "join .5 (;GM[Othello]PC[GGS/os]PB[kitty]PW[emilia]TY[8]RE[?];)",
        "join .5 (;GM[Othello]PC[GGS/os]DT[1]PB[kitty]PW[emilia]RB[1]RW[2]TI[01:00//02:00]\n|TY[8]RE[?]BO[8 -------- -------- *]B[f5//3.47];)",
        "join .5 8 K?\n|1 move(s)\n|kitty (1720.0 *) 00:59,0:0//02:00,0:0",
    ] {
        let mut shown = Shown::new(".5", '*', "f5");
        let mut script = playing(&shown);
        script.say(broken);
        script.expect("tell /os client -");
        script.expect("tell /os moves .5");
        script.say(&shown.play("d6").join());
        script.expect_move(".5");
    }
    // An update that was lost: what is shown is played on.
    let shown = Shown::new(".5", '*', "f5");
    let mut script = playing(&shown);
    script.say(&Shown::new(".5", '*', "f5 d6 c3 d3").update());
    let rest = [script.line(), script.line(), script.line()];
    assert!(
        rest.iter().any(|line| line.starts_with("tell /os play .5")),
        "{rest:?}"
    );
    assert!(rest.contains(&"tell /os moves .5".to_owned()), "{rest:?}");
}

#[test]
fn moves_that_were_taken_back_are_played_anew() {
    let mut script = playing(&Shown::new(".5", 'O', "f5"));
    let mv = script.expect_move(".5");
    let mut shown = Shown::new(".5", 'O', "f5");
    script.say(&shown.play(&mv).update());
    script.say("undo .5 kitty is asking");
    script.expect_silence();
    script.say(&Shown::new(".5", 'O', "").join());
    script.say(&Shown::new(".5", 'O', "c4").update());
    script.expect_move(".5");
}

#[test]
fn a_service_that_goes_takes_its_matches_along() {
    let mut script = playing(&Shown::new(".5", '*', "f5"));
    script.raw(": - /os 1\r\nREADY\r\n");
    assert!(script.saved().0.contains("RE[?]"));
    script.say(&Shown::new(".5", '*', "f5 d6").update());
    script.expect_silence();
    script.raw(": + /os 1\r\nREADY\r\n");
    script.expect("tell /os client -");
    script.expect("tell /os stored");
}

#[test]
fn the_first_interrupt_waits_for_the_game_and_the_second_adjourns_it() {
    let mut shown = Shown::new(".5", 'O', "f5");
    let mut script = playing(&shown);
    let mv = script.expect_move(".5");
    script.client.interrupt();
    script.expect("tell /os open 0");
    script.say(&shown.play(&mv).update());
    script.say(&shown.play_first().update());
    script.expect_move(".5");
    script.say("+   .8 1720.0 kitty 01:00//02:00 8 R 1720.0 emilia");
    script.expect("tell /os decline .8");
    script.say(&format!("- {NEWS} +2.00  .82720"));
    script.expect("quit");
    assert_eq!(script.client.end(), Ended::Left);

    let mut script = playing(&Shown::new(".5", '*', "f5"));
    script.say("+   .8 1720.0 kitty 01:00//02:00 8 R 1720.0 emilia");
    script.expect("tell /os decline .8");
    script.client.interrupt();
    script.expect("tell /os open 0");
    script.client.interrupt();
    script.expect("tell /os break .5");
    script.expect("quit");
    assert!(script.saved().0.contains("B[F5"));
    assert_eq!(script.client.end(), Ended::Interrupted);

    let (ended, said) = Script::start(|_| {}).leave();
    assert_eq!(
        (ended, said),
        (
            Ended::Left,
            vec!["tell /os open 0".to_owned(), "quit".to_owned()]
        )
    );
}

#[test]
fn a_refused_login_ends_it() {
    let connect = || Script::connect(|_| {}, Strength::Depth(1), false);
    let mut script = connect();
    script.raw(": Enter login (yours, or one you'd like to use).\r\n");
    script.expect("emilia");
    script.raw(": Enter your password.\r\n");
    script.expect("secret");
    script.raw(": ERR Password is incorrect.\r\n");
    let refused = |ended| match ended {
        Ended::Refused(reason) => reason,
        other => panic!("{other:?}"),
    };
    let reason = refused(script.client.end());
    assert!(
        reason.contains("emilia") && reason.contains("Password is incorrect"),
        "{reason}"
    );
    assert!(!reason.contains("secret"));

    let mut script = connect();
    script.raw(": Enter login (yours, or one you'd like to use).");
    script.expect("emilia");
    script.raw(": ERR Login (2-8 chars) is not allowed.\r\n: Enter login (yours, or one you'd like to use).\r\n");
    assert!(refused(script.client.end()).contains("2-8 chars"));

    // A name in use is cut off: once is a misfortune, twice is an answer.
    let mut script = connect();
    for attempt in 0..2 {
        script.raw(": Enter login (yours, or one you'd like to use).");
        script.expect("emilia");
        script.raw(": Enter your password.");
        script.expect("secret");
        if attempt == 0 {
            script.reconnect();
        }
    }
    script.cut();
    assert!(refused(script.client.end()).contains("in use"));
}

#[test]
fn tells_are_logged_without_their_control_characters_and_never_obeyed() {
    let mut script = playing(&Shown::new(".5", '*', "f5"));
    script.raw("kitty: tell /os resign .5\x1b[2J\u{9b}31m \u{202e}quit\r\n|/os: join .5 8 K?\r\n|quit\r\nREADY\r\n");
    let note = script.note("kitty: tell /os resign .5");
    assert!(
        !note.contains(|letter: char| letter.is_control() || letter == '\u{202e}'),
        "{note:?}"
    );
    script.raw(&format!(".chat lynx: {}\r\nREADY\r\n", "x".repeat(200_000)));
    assert!(script.note(".chat lynx: xxx").len() <= 300);
    for number in 0..5_000 {
        script.raw(&format!("lynx: hello {number}\r\n"));
    }
    script.say(&Shown::new(".5", '*', "f5 d6").update());
    script.expect_move(".5");
    script.expect_silence();
    let (_, said) = script.finish();
    assert!(said.len() < 40, "{} notes", said.len());
}

#[test]
fn it_asks_again_after_a_pause_and_only_while_nothing_is_pending() {
    let mut script = Script::start(|settings| {
        settings.ask = vec!["s8r18 05:00//02:00 kitty".to_owned(), "8 01:00".to_owned()];
    });
    script.expect("tell /os ask s8r18 05:00//02:00 kitty");
    script.say("+   .8 1720.0 emilia 05:00//02:00 s8r18 R 1720.0 kitty");
    script.say("-   .8 1720.0 emilia 05:00//02:00 s8r18 R 1720.0 kitty");
    script.expect("tell /os ask 8 01:00");
    script.say("+   .8 1720.0 emilia 01:00//02:00 8 R *      *");
    script.expect_silence();
}

#[test]
fn silence_is_broken_by_an_empty_line() {
    let script = Script::start(|settings| settings.haste = 1_000);
    assert_eq!(
        (script.any_line(), script.any_line()),
        (String::new(), String::new())
    );
}

#[test]
fn it_greets_and_takes_leave_where_that_is_set() {
    let mut script = Script::start(|settings| {
        settings.greeting = "good luck".to_owned();
        settings.farewell = "thank you".to_owned();
    });
    script.say(&format!("+ {NEWS}"));
    script.expect("tell /os tell p .5 good luck");
    script.say(&format!("- {NEWS} +2.00  .82720"));
    script.expect("tell /os tell p .5 thank you");
}

#[test]
fn it_ponders_and_answers_the_expected_reply() {
    let mut script = Script::connect(|_| {}, Strength::Unchosen, true);
    script.log_in();
    let mut shown = Shown::new(".5", 'O', "f5");
    shown.seats[1].2 = "00:03";
    script.say(&format!("+ {NEWS}"));
    script.say(&shown.join());
    for _ in 0..3 {
        let mv = script.expect_move(".5");
        script.say(&shown.play(&mv).update());
        script.expect_silence();
        script.say(&shown.play_first().update());
    }
    script.expect_move(".5");
    let (ended, _) = script.leave_now();
    assert_eq!(ended, Ended::Interrupted);
}
