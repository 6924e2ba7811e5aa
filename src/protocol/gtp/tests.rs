//! What the grammar reads and refuses, and that nothing makes it panic.

use std::time::Duration;

use proptest::prelude::*;

use super::*;

use crate::engine::{Event, Request, SearchJob};
use crate::protocol::Preferences;
use crate::protocol::conversation::{Conversation, Port, Session};
use crate::rules::{Color, Move};
use crate::search::{Outcome, TimeLimit};
use crate::text::{Line, MAX_LINE};
use grammar::begins;

fn line(text: &str) -> Line {
    Line::from(text)
}

fn numbered(text: &str) -> Numbered {
    match parse(&line(text)) {
        GtpLine::Command(command) => command,
        other => panic!("{text:?} gave {other:?}"),
    }
}

fn command(text: &str) -> Result<GtpCommand, String> {
    numbered(text).command
}

#[test]
fn comments_and_blank_lines_are_nothing() {
    for text in [
        "",
        "  ",
        "\t",
        "# name",
        "#",
        "\u{1}\u{7f}",
        "  # interrupt",
    ] {
        assert_eq!(parse(&line(text)), GtpLine::Nothing, "{text:?}");
    }
    assert_eq!(parse(&line("# interrupt")), GtpLine::Interrupt);
    assert_eq!(command("name # who?"), Ok(GtpCommand::Name));
}

#[test]
fn numbers_before_commands_are_kept_as_written() {
    for (text, id) in [("name", ""), ("7 name", "7"), ("007\tname", "007")] {
        let expected = Numbered {
            id: id.to_owned(),
            command: Ok(GtpCommand::Name),
        };
        assert_eq!(numbered(text), expected, "{text:?}");
    }
    let unknown = numbered("12 dance");
    assert_eq!(
        (unknown.id.as_str(), unknown.command),
        ("12", Err("unknown command".to_owned()))
    );
    assert_eq!(numbered("12").id, "12");
    assert_eq!(numbered("12th").id, "");
}

#[test]
fn colours_and_moves_are_read_in_any_case() {
    let f5: Move = "f5".parse().expect("a square");
    for text in [
        "play b f5",
        "play BLACK F5",
        "play Black f5",
        "  play \t B F5 ",
    ] {
        assert_eq!(
            command(text),
            Ok(GtpCommand::Play(Color::Black, f5)),
            "{text}"
        );
    }
    for text in ["play w pass", "play WHITE PASS", "play w PA"] {
        assert_eq!(
            command(text),
            Ok(GtpCommand::Play(Color::White, Move::Pass)),
            "{text}"
        );
    }
    assert_eq!(command("genmove W"), Ok(GtpCommand::GenMove(Color::White)));
}

#[test]
fn times_are_read_in_whole_seconds_and_in_fractions() {
    let settings = TimeSettings {
        main: Duration::from_secs(300),
        period: Duration::from_millis(500),
        stones: 0,
    };
    let expected = Ok(GtpCommand::TimeSettings(Some(settings)));
    assert_eq!(command("time_settings 300 0.5 0"), expected);
    assert_eq!(
        command("time_settings 0 0 0"),
        Ok(GtpCommand::TimeSettings(None))
    );
    let left = |time, precision| {
        let time = Duration::from_millis(time);
        let left = TimeLeft {
            time,
            stones: 0,
            precision,
        };
        Ok(GtpCommand::TimeLeft(Color::Black, left))
    };
    assert_eq!(
        command("time_left b 299 0"),
        left(299_000, Precision::Rounded)
    );
    assert_eq!(
        command("time_left b 299.5"),
        left(299_500, Precision::Exact)
    );
    assert_eq!(command("time_left b 2,25 0"), left(2_250, Precision::Exact));
    assert_eq!(command("time_left b -1 0"), left(0, Precision::Exact));
}

#[test]
fn errors_are_answered_as_gtp_names_them() {
    for (text, reason) in [
        ("PLAY b f5", "unknown command"),
        ("boardsize 10", "unacceptable size"),
        ("boardsize", "syntax error: expected a size"),
        (
            "play f5",
            "syntax error: expected a colour, then a square a1..h8 or pass",
        ),
        (
            "play b i9",
            "syntax error: expected a colour, then a square a1..h8 or pass",
        ),
        (
            "genmove",
            "syntax error: expected a colour (b, w, black, white)",
        ),
        ("name me", "syntax error: expected nothing more"),
        ("set_game Go", "unsupported game: expected Othello"),
        ("emilia-level 23", "syntax error: expected a level 0..22"),
        ("emilia-depth 0", "syntax error: expected a depth 1..60"),
        (
            "time_settings 1e10 0 0",
            "syntax error: expected three times",
        ),
    ] {
        assert_eq!(command(text), Err(reason.to_owned()), "{text}");
    }
    let long = GtpLine::Command(Numbered {
        id: "7".to_owned(),
        command: Err("syntax error: line of more than 65536 bytes".to_owned()),
    });
    let text = format!("7 name {}", "x".repeat(MAX_LINE));
    assert_eq!(parse(&line(&text)), long);
}

#[test]
fn every_listed_command_is_known() {
    let arguments = [
        "", " 8", " b", " b f5", " Othello", " on", " b 1", " 1 0 0", " name",
    ];
    for name in GtpCommand::names() {
        let read = arguments
            .iter()
            .any(|rest| command(&format!("{name}{rest}")).is_ok());
        assert!(read, "{name}");
    }
}

#[test]
fn a_conversation_in_gtp_is_recognised() {
    for text in [
        "# hello",
        "list_commands",
        "1 name",
        "7 dance",
        "protocol_version",
        "play b f5",
    ] {
        assert!(begins(&line(text)), "{text}");
    }
    for text in [
        "uci",
        "ugi",
        "quit",
        "isready",
        "position startpos",
        "nboard 2",
        "",
        "7",
        "dance",
    ] {
        assert!(!begins(&line(text)), "{text}");
    }
}

proptest! {
    #[test]
    fn reasons_fit_into_an_answer(text in "[0-9]{0,3} ?(play|genmove|time_left|boardsize|emilia-hint)? ?\\PC{0,20}") {
        if let GtpLine::Command(Numbered { id, command: Err(reason) }) = parse(&line(&text)) {
            prop_assert!(!reason.contains('\n') && !reason.is_empty(), "{reason:?}");
            prop_assert!(id.bytes().all(|byte| byte.is_ascii_digit()), "{id:?}");
        }
    }
}

/// What a conversation has asked the engine and told the host.
#[derive(Default)]
struct Wire {
    searches: Vec<SearchJob>,
    replies: Vec<String>,
}

impl Port for Wire {
    fn request(&mut self, request: Request) {
        if let Request::Search(job) = request {
            self.searches.push(job);
        }
    }

    fn print(&mut self, reply: String) {
        self.replies.push(reply);
    }
}

/// The end of a search that found a move and expects a reply.
fn found(best: &str, expected: &str) -> Event {
    Event::Done(Outcome {
        best: best.parse().ok(),
        ponder: expected.parse().ok(),
        lines: Vec::new(),
        nodes: 0,
        time: Duration::ZERO,
        complete: false,
        proven: crate::score::Bounds::UNKNOWN,
    })
}

#[test]
fn the_search_on_the_opponents_time_continues_after_the_expected_reply() {
    let preferences = Preferences {
        ponders: true,
        ..Preferences::default()
    };
    let mut session = Conversation::new(session::Gtp::new(preferences));
    let mut wire = Wire::default();
    session.event(Event::Set(Ok(Vec::new())), &mut wire);
    session.line(&line("time_settings 60 0 0"), &mut wire);
    session.line(&line("genmove b"), &mut wire);
    session.event(found("f5", "d6"), &mut wire);
    for text in ["play w d6", "time_left b 50 0"] {
        session.line(&line(text), &mut wire);
    }
    let pondered = |wire: &Wire| wire.searches[1].handle().ponders();
    assert!(pondered(&wire));
    session.line(&line("genmove b"), &mut wire);
    let control = wire.searches[1].handle().control();
    assert!(!pondered(&wire) && !control.is_stopped());
    let Some(TimeLimit::Clock { remaining, .. }) = control.time_at_hit() else {
        panic!("no clock");
    };
    assert!((49..=50).contains(&remaining.as_secs()), "{remaining:?}");
    assert_eq!(wire.searches.len(), 2, "no other search");
    session.event(found("c3", "d3"), &mut wire);
    assert_eq!(wire.searches.len(), 3, "it ponders again");

    session.line(&line("play w f4"), &mut wire);
    assert!(wire.searches[2].handle().control().is_stopped());
    session.line(&line("genmove b"), &mut wire);
    session.event(found("d3", "c4"), &mut wire);
    assert_eq!(wire.searches.len(), 4, "a search of its own");
    session.event(found("c5", "b4"), &mut wire);
    let moves: Vec<&str> = wire.replies.iter().map(|reply| reply.trim()).collect();
    let expected = ["=", "= F5", "=", "=", "= C3", "=", "= C5"];
    assert_eq!(moves, expected);
}
