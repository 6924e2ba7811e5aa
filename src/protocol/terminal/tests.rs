//! Whole conversations with the real engine, one ply deep, and what the grammar reads.

use std::collections::VecDeque;

use proptest::prelude::*;

use super::command::{TerminalCommand, help, parse};
use super::*;
use crate::engine::{Level, Player, Strength};
use crate::formats::ggf::GgfGame;

/// A person who types these lines, and leaves.
struct Script {
    lines: VecDeque<String>,
    shown: Vec<String>,
}

impl Console for Script {
    fn read(&mut self, prompt: &Prompt) -> io::Result<Option<Line>> {
        self.shown.push(prompt.text.clone());
        Ok(self.lines.pop_front().map(|line| Line::from(line.as_str())))
    }

    fn print(&mut self, text: &str) -> io::Result<()> {
        self.shown.push(text.to_owned());
        Ok(())
    }

    fn wants_stop(&mut self) -> bool {
        false
    }
}

fn setup() -> Setup {
    Setup {
        game: GgfGame::default(),
        person: None,
        clock: None,
        style: Style::default(),
    }
}

/// What is shown to a person who types these lines.
fn talk(setup: Setup, lines: &[&str]) -> String {
    let mut preferences = Preferences {
        player: Player::new(Strength::Depth(1), 1),
        ..Preferences::default()
    };
    preferences.options.hash_mb = 1;
    let mut script = Script {
        lines: lines.iter().map(|&line| line.to_owned()).collect(),
        shown: Vec::new(),
    };
    let left = serve(setup, preferences, &mut script).expect("it runs");
    assert!(left.is_none(), "{left:?}");
    script.shown.join("\n")
}

fn game(text: &str) -> GgfGame {
    read_game(text).expect("a game")
}

#[test]
fn a_move_is_answered_and_taken_back() {
    let text = talk(setup(), &["f5", "undo", "redo", "undo", "d3"]);
    assert_eq!(text.matches("Emilia plays ").count(), 2, "{text}");
    assert_eq!(text.matches("60 empty").count(), 3, "{text}");
    assert_eq!(text.matches("58 empty").count(), 3, "{text}");
    assert!(
        text.ends_with("black> \nTo continue: emilia play d3c3")
            || text.contains("To continue: emilia play d3")
    );
}

#[test]
fn what_cannot_be_done_says_why() {
    for (line, told) in [
        ("a1", "illegal move a1; legal: d3 c4 f5 e6"),
        ("undo", "there is no move of yours to take back"),
        ("redo", "there is nothing to play again"),
        ("analyze", "there is no move to analyze"),
        ("save game.SGF", "games are saved as GGF"),
        ("load nowhere.ggf", "cannot load nowhere.ggf: "),
        ("level 23", "level must be from 0 to 22"),
        ("rating x", "expected a number from 0 on, found \"x\""),
        ("undo 3", "nothing may stand behind undo"),
        ("f5d6a1", "column 5: illegal move a1"),
        ("hello", "\"hello\" is no move and no word: try help"),
        (
            "\u{1b}[2J",
            "\"\\u{1b}[2J\" is no move and no word: try help",
        ),
    ] {
        let text = talk(setup(), &[line]);
        assert!(text.contains(told), "{line}: {text}");
    }
}

#[test]
fn passes_and_the_end_come_by_themselves() {
    // Black has no move; white turns the only black disc.
    let start = format!("-X{}- X", "O".repeat(61));
    let game = game(&start);
    let text = talk(Setup { game, ..setup() }, &["undo", "go", ""]);
    for told in [
        "black has no move, and passes",
        "Emilia plays a1",
        "white won, 64-0",
        "there is no move of yours to take back",
        "the game is over: undo, or new",
        "Enter shows what went wrong.",
        "white lost 0.0 discs in 0 moves",
    ] {
        assert!(text.contains(told), "{told}: {text}");
    }
}

#[test]
fn the_colours_change_with_go_and_new() {
    let text = talk(setup(), &["go", "new", "new black"]);
    let prompts: Vec<&str> = text.lines().filter(|line| line.ends_with("> ")).collect();
    assert_eq!(
        prompts,
        ["black> ", "white> ", "white> ", "black> "],
        "{text}"
    );
}

#[test]
fn hints_stand_on_their_squares() {
    let text = talk(setup(), &["hint 2"]);
    let is_line = |line: &&str| line.trim_start().starts_with(['+', '-']);
    assert_eq!(text.lines().filter(is_line).count(), 2, "{text}");
    let bar = text.lines().find_map(|line| line.strip_prefix("  score: "));
    let marks = bar.expect("a bar").matches(['#', '-']).count();
    assert!((16..=17).contains(&marks), "{text}");
}

#[test]
fn the_end_of_a_game_is_solved_and_analyzed() {
    let line = "f5d6c3d3c4f4";
    let text = talk(
        Setup {
            game: game(line),
            ..setup()
        },
        &["analyze"],
    );
    assert!(text.contains("  #  move  before   after"), "{text}");
    assert!(
        text.contains("black lost ") && text.contains("white lost "),
        "{text}"
    );
    let start = "XXXXXXXXXXXXOXXXXXXOOOXXXXOOOOXXXXOOOXXXXXXOXXXXX-XXO-XXX-X---XX O";
    let text = talk(
        Setup {
            game: game(start),
            ..setup()
        },
        &["solve"],
    );
    assert!(text.contains("with best play: black won, 50-14"), "{text}");
}

#[test]
fn clocks_run_are_saved_and_taken_back() {
    let clock = crate::formats::ggf::parse_clock("100:00").ok();
    let text = talk(Setup { clock, ..setup() }, &["f5", "undo"]);
    let clocks = text.matches("100:00").count() + text.matches(" 99:59").count();
    assert_eq!(clocks, 6, "{text}");
    let plain = talk(setup(), &["f5"]);
    assert!(!plain.contains(":00"), "{plain}");
}

#[test]
fn a_game_that_is_loaded_keeps_what_its_file_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let name = |file: &str| folder.path().join(file).display().to_string();
    let written = "(;GM[Othello]PC[here]PB[ann]PW[bob]TI[01:00]TY[8]RE[+64:r]BO[8 -------- -------- -------- \
        ---O*--- ---*O--- -------- -------- -------- *]B[f5//1.50]W[d6//2.25];)";
    std::fs::write(name("a.ggf"), written).expect("a file");
    let [load, quoted] = [
        format!("load {}", name("a.ggf")),
        format!("load '{}' 1", name("a.ggf")),
    ];
    let text = talk(
        setup(),
        &[
            "f5",
            &load,
            &format!("save {}", name("b.ggf")),
            "undo",
            "redo",
            &format!("save \"{}\"", name("a b.ggf")),
            "c3",
            &format!("save {}", name("c.ggf")),
            &quoted,
            &format!("save {}/new/", folder.path().display()),
        ],
    );
    // What was played before can be gone back to.
    assert!(text.contains("To continue: emilia play f5"), "{text}");
    assert!(
        text.contains("ann - bob") && text.contains("0:58"),
        "{text}"
    );
    assert!(
        text.contains("is a directory") && !folder.path().join("new").exists(),
        "{text}"
    );
    let read = |file: &str| std::fs::read_to_string(name(file)).expect("it was saved");
    assert_eq!(read("b.ggf"), read("a b.ggf"));
    let saved = read("b.ggf");
    for part in [
        "PC[here]",
        "PB[ann]",
        "PW[bob]",
        ":r]",
        "B[f5//1.5",
        "W[d6//2.25",
    ] {
        assert!(
            saved.to_lowercase().contains(&part.to_lowercase()),
            "{part}: {saved}"
        );
    }
    assert!(!read("c.ggf").contains("64:r"), "it went on");
}

#[test]
fn who_has_no_time_left_is_told() {
    let clock = crate::formats::ggf::parse_clock("0:00").ok();
    let text = talk(Setup { clock, ..setup() }, &["f5"]);
    assert!(text.contains("time over"), "{text}");
}

#[test]
fn every_line_fits_into_39_columns() {
    let mut narrow = setup();
    narrow.game = game("f5d6c3d3c4");
    narrow.person = Some(Color::Black);
    narrow.style.is_narrow = true;
    narrow.clock = crate::formats::ggf::parse_clock("100:00").ok();
    let text = talk(
        narrow,
        &[
            "hint",
            "level 22",
            "board",
            "rating 1500",
            "board",
            "help",
            "book",
            "analyze",
        ],
    );
    for line in text.lines().filter(|line| {
        !line.starts_with("Emilia plays level") && !line.starts_with("Emilia plays rating")
    }) {
        assert!(
            line.chars().count() <= 39 || line.starts_with("To continue"),
            "{line}"
        );
    }
    assert!(help().lines().all(|line| line.chars().count() <= 39));
}

#[test]
fn colours_change_nothing_but_colours() {
    let style = Style {
        has_colors: true,
        ..Style::default()
    };
    let drawn = |style| talk(Setup { style, ..setup() }, &["f5"]);
    let mut plain = String::new();
    let colored = drawn(style);
    for (number, part) in colored.split("\x1b[").enumerate() {
        plain.push_str(if number == 0 {
            part
        } else {
            part.split_once('m').expect("a colour").1
        });
    }
    let letters = |text: &str| text.chars().filter(|letter| "XO".contains(*letter)).count();
    assert_eq!(letters(&plain), letters(&drawn(Style::default())));
}

#[test]
fn words_are_read() {
    let strength = |strength| TerminalCommand::Strength(Some(strength));
    let level = Level::new(8).map(Strength::Level).expect("a level");
    for (text, expected) in [
        (" F5 ", TerminalCommand::Move("f5".parse().expect("a move"))),
        ("Undo", TerminalCommand::Undo),
        ("hint", TerminalCommand::Hint(None)),
        ("hint 3", TerminalCommand::Hint(Some(3))),
        ("level 8", strength(level)),
        ("level 0", strength(Strength::Unchosen)),
        ("new white", TerminalCommand::New(Some(Color::White))),
        ("book off", TerminalCommand::ChooseBook(None)),
        (
            "save my game.ggf",
            TerminalCommand::Save("my game.ggf".into()),
        ),
        ("analyse", TerminalCommand::Analyze),
    ] {
        assert_eq!(parse(text), Ok(expected), "{text}");
    }
    for text in [
        "c4.", "c4!?", "-c4", "3. c4", "B:c4", "play c4", "Ｃ４", "(c4)",
    ] {
        let mv = "c4".parse().expect("a move");
        assert_eq!(parse(text), Ok(TerminalCommand::Move(mv)), "{text}");
    }
    assert_eq!(parse("  "), Ok(TerminalCommand::Nothing));
    let pasted = parse("1. f5 d6 2. c3");
    let expected = GgfGame {
        place: String::new(),
        ..game("f5d6c3")
    };
    assert_eq!(pasted, Ok(TerminalCommand::Game(Box::new(expected))));
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "\\PC{0,40}") {
        let _ = parse(&text);
    }
}
