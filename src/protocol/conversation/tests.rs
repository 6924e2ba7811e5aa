//! The rules of order, in a protocol of a few words.

use proptest::prelude::*;

use super::*;
use crate::engine::Patience;
use crate::protocol::testing::SimulatedConversation;
use crate::search::Limits;

fn start(patience: Patience) -> SearchJob {
    SearchJob::new(Board::START, Limits::default(), patience)
}

/// Each line is a word; the result of a request is `done N` with the number of its line.
#[derive(Default)]
struct ToyDialect;

impl Dialect for ToyDialect {
    type Command = u64;
    type Purpose = u64;

    fn line(&mut self, line: &Line, context: &mut Context<'_, ToyDialect>) {
        let number = line.number;
        let mut search = |patience| {
            context.search(start(patience), number);
        };
        match line.text().expect("text") {
            "go" => search(Patience::Bounded),
            "endless" => search(Patience::Infinite),
            "ponder" => search(Patience::Ponder),
            "think" => {
                context.search(start(Patience::Infinite), None);
            }
            "wait" => {
                context.search(start(Patience::Ponder), None);
            }
            "continue" => {
                let job = start(Patience::Bounded);
                if let Err(number) = context.continue_pondering(&job, number) {
                    context.search(job, number);
                }
            }
            "set" => context.set(Request::NewGame, number),
            "say" => context.reply(format!("said {number}")),
            "now" => context.reply_now(format!("now {number}")),
            "ready" => context.reply_when_set(format!("ready {number}")),
            "later" => context.defer(number),
            "stop" => context.stop_all(),
            "hit" => context.ponder_hit(),
            "drop" => context.drop_all(),
            "quit" => context.quit(),
            other => panic!("{other}"),
        }
    }

    /// Says two things, with a search between them.
    fn run(&mut self, number: u64, context: &mut Context<'_, ToyDialect>) {
        context.reply(format!("begun {number}"));
        context.search(start(Patience::Bounded), number);
        context.reply(format!("ended {number}"));
    }

    fn complete(&mut self, done: DoneRequest<u64>, context: &mut Context<'_, ToyDialect>) {
        context.reply(format!("done {}", done.purpose));
    }

    fn warn(&mut self, reason: String, context: &mut Context<'_, ToyDialect>) {
        context.reply(reason);
    }
}

fn lines(words: &str) -> Vec<Line> {
    let text = words.replace(' ', "\n");
    let mut lines = crate::text::Lines::new(text.as_bytes());
    std::iter::from_fn(|| lines.next_line().expect("memory")).collect()
}

fn simulation() -> SimulatedConversation<Conversation<ToyDialect>> {
    SimulatedConversation::new(Conversation::new(ToyDialect))
}

/// The replies to `words`; at a `.` the engine does all that it can.
fn replies(words: &str) -> String {
    let mut simulation = simulation();
    for (line, word) in lines(words).iter().zip(words.split(' ')) {
        match word {
            "." => while simulation.step() {},
            _ => simulation.line(line),
        }
    }
    simulation.finish().join(", ")
}

#[test]
fn everything_is_done_in_the_order_of_the_lines() {
    assert_eq!(
        replies("say go say go say"),
        "said 1, done 2, said 3, done 4, said 5"
    );
    assert_eq!(
        replies("go later say"),
        "done 1, begun 2, done 2, ended 2, said 3"
    );
    assert_eq!(replies("set say go"), "done 1, said 2, done 3");
}

#[test]
fn no_reply_waits_for_a_search_without_an_end_and_the_next_request_ends_it() {
    assert_eq!(replies(". endless say . go"), "said 3, done 2, done 5");
    assert_eq!(replies(". endless go say"), "done 2, done 3, said 4");
    assert_eq!(
        replies(". think say later"),
        "said 3, begun 4, done 4, ended 4"
    );
}

#[test]
fn the_end_of_input_ends_searches_without_an_end() {
    assert_eq!(replies("endless"), "done 1");
    assert_eq!(replies("ponder endless"), "done 1, done 2");
    assert_eq!(replies("think"), "");
}

#[test]
fn stop_ends_running_and_waiting_requests_and_all_are_answered() {
    let answered = "done 2, done 3, done 4, said 7";
    assert_eq!(replies(". endless ponder endless stop . say"), answered);
    assert_eq!(replies(". ponder . hit . say"), "done 2, said 6");
}

#[test]
fn a_search_on_the_opponents_time_is_continued_or_ended_by_the_next_one() {
    assert_eq!(replies(". wait say continue say"), "said 3, done 4, said 5");
    assert_eq!(replies(". wait go continue"), "done 3, done 4");
    assert_eq!(replies(". wait . stop continue"), "done 5");
}

#[test]
fn ready_waits_only_for_settings() {
    assert_eq!(replies("ready"), "ready 1");
    assert_eq!(replies(". go ready"), "ready 3, done 2");
    assert_eq!(
        replies("set ready go ready"),
        "done 1, ready 2, ready 4, done 3"
    );
    assert_eq!(replies(". go set ready"), "ready 4, done 2, done 3");
}

#[test]
fn dropped_requests_are_not_answered() {
    assert_eq!(
        replies(". go say go drop now say go"),
        "now 6, said 7, done 8"
    );
    assert_eq!(replies(". endless . drop say"), "said 5");
}

#[test]
fn quit_drops_requests_but_not_replies() {
    assert_eq!(replies(". go say go quit"), "said 3");
    assert_eq!(replies("go quit say go"), "");
    assert_eq!(replies(". endless stop go quit"), "");
}

#[test]
fn what_was_stopped_is_answered_before_quit() {
    assert_eq!(replies("endless go stop quit say"), "done 1, done 2");
    assert_eq!(
        replies(". set ponder say stop quit"),
        "done 2, done 3, said 4"
    );
}

#[test]
fn a_fault_is_reported_and_the_request_is_answered() {
    let mut simulation = simulation();
    for line in &lines("go set say") {
        simulation.line(line);
    }
    simulation.step();
    simulation.fail();
    simulation.fail();
    let fault = "internal fault: \"a test\"";
    let expected = [fault, "done 1", fault, "done 2", "said 3"];
    assert_eq!(simulation.finish(), expected);
}

proptest! {
    /// For any lines and any timing of the engine, each request has one result.
    #[test]
    fn every_request_has_one_result(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "go", "endless", "ponder", "think", "wait", "continue", "set", "say", "now", "ready",
                "later", "stop", "hit", ".", "..",
            ]),
            0..40,
        ),
        end in prop::option::of(prop::sample::select(vec!["drop", "quit"])),
    ) {
        let words: Vec<&str> = words.into_iter().chain(end).collect();
        let mut simulation = simulation();
        for (line, word) in lines(&words.join(" ")).iter().zip(&words) {
            match *word {
                "." => _ = simulation.step(),
                ".." => while simulation.step() {},
                _ => simulation.line(line),
            }
        }
        let replies = simulation.finish();
        for (word, number) in words.iter().zip(1..) {
            let expected: &[&str] = match *word {
                "go" | "endless" | "ponder" | "continue" | "set" => &["done"],
                "later" => &["begun", "done", "ended"],
                "say" => &["said"],
                "now" => &["now"],
                "ready" => &["ready"],
                _ => &[],
            };
            for &reply in expected {
                let wanted = format!("{reply} {number}");
                let found = replies.iter().filter(|&reply| *reply == wanted).count();
                let is_certain = end.is_none() || reply == "now";
                prop_assert!(found <= 1, "{wanted} in {replies:?}");
                prop_assert!(found == 1 || !is_certain, "no {wanted} in {replies:?}");
            }
        }
        let numbers = |kind: &str| -> Vec<u64> {
            let of_kind = replies.iter().filter_map(|reply| reply.strip_prefix(kind));
            of_kind.filter_map(|number| number.parse().ok()).collect()
        };
        for kind in ["done ", "said ", "begun ", "ended "] {
            prop_assert!(numbers(kind).is_sorted(), "{kind} in {replies:?}");
        }
    }
}
