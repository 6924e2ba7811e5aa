//! For tests: conversations with a simulated engine. Every request is answered without a search, at the
//! steps that the caller chooses. Tests and fuzz targets play whole conversations with it, of any
//! bytes and in any order.

use std::time::Duration;

use super::conversation::{Flow, Port, Session, any_outcome};
use super::{Open, Preferences, Protocol};
use crate::engine::{Event, Request};
use crate::rules::{Board, Move};
use crate::score::Score;
use crate::search::{Bound, Info, Outcome, Proof, Selectivity};
use crate::text::{Line, Lines};

/// The replies to a host that sends `input`. After each line the engine takes as many
/// steps as the next number of `steps` (they repeat; without any, it answers at the end).
///
/// # Panics
/// If the conversation hangs: the input has ended, the engine has nothing to do, and the
/// conversation does not end.
pub fn converse(protocol: Option<&Protocol>, input: &[u8], steps: &[u8]) -> Vec<String> {
    let conversation = Open::new(protocol, Preferences::default());
    let mut simulation = SimulatedConversation::new(conversation);
    let mut steps = steps.iter().cycle();
    let mut lines = Lines::new(input);
    while let Ok(Some(line)) = lines.next_line() {
        simulation.line(&line);
        for _ in 0..steps.next().copied().unwrap_or(0) {
            simulation.step();
        }
    }
    simulation.finish()
}

pub(super) struct SimulatedConversation<S> {
    session: S,
    flow: Flow,
    engine: SimulatedEngine,
}

/// An engine that has one request at a time.
#[derive(Default)]
struct SimulatedEngine {
    request: Option<Request>,
    /// Has it reported something about its request?
    has_reported: bool,
    /// The first event reports that it has started.
    has_started: bool,
    replies: Vec<String>,
}

impl Port for SimulatedEngine {
    fn request(&mut self, request: Request) {
        assert!(self.request.is_none() && self.has_started, "one at a time");
        self.request = Some(request);
        self.has_reported = false;
    }

    fn print(&mut self, reply: String) {
        self.replies.push(reply);
    }
}

impl SimulatedEngine {
    /// Its next event, if any: one report, then the answer.
    fn next_event(&mut self) -> Option<Event> {
        if !self.has_started {
            self.has_started = true;
            return Some(Event::Set(Ok(Vec::new())));
        }
        let request = self.request.take()?;
        if let Request::Search(job) = &request {
            let is_silent = job.board().is_over() || self.has_reported;
            if !is_silent {
                self.has_reported = true;
                let info = info(job.board());
                self.request = Some(request);
                return Some(Event::Info(info));
            }
            if job.handle().is_open() {
                self.request = Some(request);
                return None;
            }
        }
        Some(answer(request))
    }
}

impl<S: Session> SimulatedConversation<S> {
    pub(super) fn new(session: S) -> SimulatedConversation<S> {
        SimulatedConversation {
            session,
            flow: Flow::Continue,
            engine: SimulatedEngine::default(),
        }
    }

    pub(super) fn line(&mut self, line: &Line) {
        if self.flow == Flow::Continue {
            self.flow = self.session.line(line, &mut self.engine);
        }
    }

    /// One step of the engine; `false` if it has nothing to do.
    pub(super) fn step(&mut self) -> bool {
        if self.flow != Flow::Continue {
            return false;
        }
        let event = self.engine.next_event();
        event.is_some_and(|event| {
            self.flow = self.session.event(event, &mut self.engine);
            true
        })
    }

    #[cfg(test)]
    pub(super) fn fail(&mut self) {
        if self.flow == Flow::Continue && self.engine.request.take().is_some() {
            let fault = Event::Fault("a test".to_owned());
            self.flow = self.session.event(fault, &mut self.engine);
        }
    }

    /// Ends the input; returns all replies.
    pub(super) fn finish(mut self) -> Vec<String> {
        if self.flow == Flow::Continue {
            self.flow = self.session.end_of_input(&mut self.engine);
        }
        while self.step() {}
        let replies = self.engine.replies;
        assert_ne!(self.flow, Flow::Continue, "hangs after {replies:#?}");
        replies
    }
}

fn answer(request: Request) -> Event {
    match request {
        Request::Search(job) => Event::Done(outcome(job.board())),
        Request::SetThreads(_) | Request::SetHash(_) | Request::NewGame => {
            Event::Set(Ok(Vec::new()))
        }
        Request::SetWeights(_) => Event::Weights(Err("there are no files here".to_owned())),
        Request::Perft { depth, .. } => Event::Perft {
            depth,
            nodes: None,
            time: Duration::ZERO,
        },
        Request::Bench { .. } => Event::Bench(Ok(None)),
        Request::Analyze { .. } => Event::Analyzed(None),
    }
}

fn outcome(board: Board) -> Outcome {
    let line = (!board.is_over()).then(|| info(board));
    Outcome {
        lines: line.into_iter().collect(),
        complete: true,
        ..any_outcome(board)
    }
}

/// The first legal move, at depth 1.
fn info(board: Board) -> Info {
    let best = board.moves().next().unwrap_or(Move::Pass);
    Info {
        depth: 1,
        selectivity: Selectivity::default(),
        multipv: 1,
        score: Score::from_discs(0),
        unrounded: Score::from_discs(0),
        minimax: Score::from_discs(0),
        bound: Bound::Exact,
        proof: Proof::None,
        nodes: 0,
        time: Duration::ZERO,
        hashfull: 0,
        pv: vec![best],
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::protocol::{cassio, gtp, native, nboard};

    const NATIVE: &[&str] = &[
        "uci",
        "isready",
        "ucinewgame",
        "setoption name MultiPV value 2",
        "setoption name Hash value 1",
        "setoption name EvalFile value none",
        "position startpos moves f5 d6 c3",
        "position board XXXXXXXXXXXXOXXXXXXOOOXXXXOOOOXXXXOOOXXXXXXOXXXXX-XXO-XXX-X---XX O moves d8",
        "go",
        "go depth 3",
        "go infinite",
        "go ponder depth 3",
        "go exact searchmoves f5",
        "go wtime 1000 btime 1000",
        "stop",
        "ponderhit",
        "query result",
        "d",
        "moves",
        "perft 3",
        "bench",
        "help",
    ];

    const GTP: &[&str] = &[
        "1 name",
        "list_commands",
        "boardsize 8",
        "clear_board",
        "komi 6.5",
        "time_settings 300 5 0",
        "time_left b 10.5 0",
        "play b f5",
        "play w pass",
        "2 genmove b",
        "genmove w",
        "reg_genmove b",
        "undo",
        "showboard",
        "final_score",
        "emilia-level 3",
        "emilia-ponder on",
        "emilia-hint 3",
        "emilia-gfx_hint",
        "# interrupt",
        "gogui-rules_board",
    ];

    const NBOARD: &[&str] = &[
        "nboard 2",
        "set depth 3",
        "set contempt -20",
        "set game (;GM[Othello]PB[]PW[]RE[?]TI[5:00]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]B[F5//2];)",
        "move F5/1.00/0.5",
        "move PA",
        "D6",
        "ping 1",
        "hint 4",
        "go",
        "learn",
        "analyze",
    ];

    const CASSIO: &[&str] = &[
        "",
        "ENGINE-PROTOCOL init",
        "ENGINE-PROTOCOL get-version",
        "ENGINE-PROTOCOL new-position",
        "ENGINE-PROTOCOL empty-hash",
        "ENGINE-PROTOCOL midgame-search ---------------------------OX------XO---------------------------X -64.0 64.0 8 73",
        "ENGINE-PROTOCOL endgame-search XXXXXXXXXXXXOXXXXXXOOOXXXXOOOOXXXXOOOXXXXXXOXXXXX-XXO-XXX-X---XXO -1 +1 100",
        "ENGINE-PROTOCOL stop",
        "ENGINE-PROTOCOL get-search-infos",
    ];

    const QUITS: [&str; 2] = ["quit", "ENGINE-PROTOCOL quit"];

    /// Lines of one protocol, and how the engine steps between them.
    fn lines(known: &'static [&str]) -> impl Strategy<Value = (Vec<&'static str>, Vec<u8>)> {
        let lines = prop::collection::vec(prop::sample::select(known), 0..30);
        (lines, prop::collection::vec(0..3u8, 1..8))
    }

    fn replies(protocol: &Protocol, lines: &[&str], steps: &[u8]) -> Vec<String> {
        let input: String = lines.iter().map(|line| format!("{line}\n")).collect();
        converse(Some(protocol), input.as_bytes(), steps)
    }

    fn count(replies: &[String], wanted: impl Fn(&str) -> bool) -> usize {
        replies.iter().filter(|reply| wanted(reply)).count()
    }

    proptest! {
        #[test]
        fn every_go_has_one_best_move((lines, steps) in lines(NATIVE)) {
            let replies = replies(&native::PROTOCOL, &lines, &steps);
            let best_moves = count(&replies, |reply| reply.starts_with("bestmove "));
            let errors = count(&replies, |reply| {
                reply.starts_with("info string error") && reply.contains("in \"go ")
            });
            let asked = lines.iter().filter(|line| line.starts_with("go")).count();
            prop_assert_eq!(best_moves + errors, asked, "{:#?}", replies);
            let ready = count(&replies, |reply| reply == "readyok");
            let asked = lines.iter().filter(|&&line| line == "isready").count();
            prop_assert_eq!(ready, asked, "{:#?}", replies);
        }

        #[test]
        fn every_gtp_command_has_one_answer_in_its_place((lines, steps) in lines(GTP)) {
            let numbered: Vec<String> = lines
                .iter()
                .filter(|line| !line.starts_with('#'))
                .zip(1..)
                .map(|(line, number)| format!("{number} {}", line.trim_start_matches(['1', '2', ' '])))
                .collect();
            let lines: Vec<&str> = numbered.iter().map(String::as_str).collect();
            let replies = replies(&gtp::PROTOCOL, &lines, &steps);
            prop_assert_eq!(replies.len(), lines.len(), "{:#?}", replies);
            for (reply, number) in replies.iter().zip(1..) {
                let sign = reply.split([' ', '\n']).next().unwrap_or_default();
                prop_assert!(sign == format!("={number}") || sign == format!("?{number}"), "{reply}");
            }
        }

        #[test]
        fn every_ping_has_its_pong_and_nothing_older_behind_it((lines, steps) in lines(NBOARD)) {
            let replies = replies(&nboard::PROTOCOL, &lines, &steps);
            let pongs = count(&replies, |reply| reply.starts_with("pong"));
            let pings = lines.iter().filter(|line| line.starts_with("ping")).count();
            prop_assert_eq!(pongs, pings);
            let last = lines.iter().rposition(|line| line.starts_with("ping"));
            let after = lines.iter().skip(last.map_or(0, |at| at + 1));
            let asked = after.filter(|&&line| line == "go" || line == "learn").count();
            let last = replies.iter().rposition(|reply| reply.starts_with("pong"));
            let after = &replies[last.map_or(0, |at| at + 1)..];
            let answered = count(after, |reply| {
                reply.starts_with("===") || reply == "learned" || reply == "status The game is over"
            });
            prop_assert!(answered >= asked, "{:#?}", replies);
        }

        #[test]
        fn every_command_of_cassio_ends_with_ready((lines, steps) in lines(CASSIO)) {
            let replies = replies(&cassio::PROTOCOL, &lines, &steps);
            let ready = count(&replies, |reply| reply.ends_with("ready."));
            let ok = count(&replies, |reply| reply == "ok." || reply.starts_with("node "));
            // A `stop` shares the last line of the search that it ends.
            let stops = lines.iter().filter(|line| line.ends_with("stop")).count();
            let answers = ready + ok;
            prop_assert!((lines.len() - stops..=lines.len()).contains(&answers), "{:#?}", replies);
        }

        #[test]
        fn quit_ends_every_conversation(
            (lines, steps) in prop_oneof![lines(NATIVE), lines(GTP), lines(NBOARD), lines(CASSIO)],
        ) {
            let protocols = [&native::PROTOCOL, &gtp::PROTOCOL, &nboard::PROTOCOL, &cassio::PROTOCOL];
            for protocol in protocols {
                let lines: Vec<&str> = lines.iter().copied().chain(QUITS).collect();
                replies(protocol, &lines, &steps);
            }
        }

        /// Valid lines with some bytes replaced, cut out or put in.
        #[test]
        fn broken_lines_leave_the_conversation_alive(
            (lines, steps) in prop_oneof![lines(NATIVE), lines(GTP), lines(NBOARD), lines(CASSIO)],
            edits in prop::collection::vec(
                (any::<prop::sample::Index>(), 0..4usize, prop::collection::vec(any::<u8>(), 0..3)),
                0..6,
            ),
        ) {
            let mut input = lines.join("\n").into_bytes();
            for (at, cut, junk) in edits {
                let start = at.index(input.len() + 1);
                let end = (start + cut).min(input.len());
                input.splice(start..end, junk);
            }
            for protocol in super::super::PROTOCOLS {
                converse(Some(protocol), &input, &steps);
            }
            converse(None, &input, &steps);
        }

        #[test]
        fn any_bytes_leave_the_conversation_alive(input: Vec<u8>, steps: Vec<u8>) {
            for protocol in super::super::PROTOCOLS {
                converse(Some(protocol), &input, &steps);
            }
            converse(None, &input, &steps);
        }
    }
}
