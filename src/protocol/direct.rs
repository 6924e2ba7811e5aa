//! A conversation on one thread, the caller's, for programs that embed the engine and for
//! browsers: a line goes in, and its replies come out while the call lasts.

use std::collections::VecDeque;

use super::conversation::{Flow, Port, Session};
use super::{Open, Preferences, Protocol, native};
use crate::engine::{Event, Request, SearchWorker};
use crate::search::SearchOptions;
use crate::text::Line;

/// A conversation that starts no threads but the helpers that its options ask for. While it
/// searches, [`crate::host::Host::wants_stop`] ends the search.
///
/// ```
/// use std::sync::mpsc::channel;
/// use emilia::protocol::{Direct, Preferences};
///
/// let mut preferences = Preferences::default();
/// preferences.options.hash_mb = 1;
/// let (replies, printed) = channel();
/// let mut engine = Direct::new(None, preferences, move |reply| {
///     let _ = replies.send(reply);
/// });
/// assert!(engine.line("position startpos\n"));
/// assert!(engine.line("go depth 2"));
/// assert!(printed.try_iter().last().is_some_and(|reply| reply.starts_with("bestmove ")));
/// assert!(!engine.line("quit"));
/// ```
pub struct Direct {
    session: Box<dyn Session>,
    worker: Option<SearchWorker>,
    port: RequestQueue,
    /// A search that is over and must not answer before it is stopped.
    held: Option<(Request, Event)>,
    flow: Flow,
}

/// Requests until they are done, and where replies go.
struct RequestQueue {
    requests: VecDeque<Request>,
    print: Box<dyn FnMut(String)>,
}

impl Port for RequestQueue {
    fn request(&mut self, request: Request) {
        self.requests.push_back(request);
    }

    fn print(&mut self, reply: String) {
        (self.print)(reply);
    }
}

impl Direct {
    /// Begins a conversation; `print` gets each reply, of one line or of more with `\n` between
    /// them. Without a `protocol`, the first line that is not blank tells which one it is.
    pub fn new(
        protocol: Option<&Protocol>,
        preferences: Preferences,
        print: impl FnMut(String) + 'static,
    ) -> Direct {
        let options = preferences.options;
        let session = Open::new(protocol, preferences);
        Direct::start(Box::new(session), options, Box::new(print))
    }

    /// Begins a conversation in the native protocol. A program that begins no other one has no code for other protocols.
    pub fn native(preferences: Preferences, print: impl FnMut(String) + 'static) -> Direct {
        let options = preferences.options;
        let session = (native::PROTOCOL.converse)(preferences);
        Direct::start(session, options, Box::new(print))
    }

    fn start(
        session: Box<dyn Session>,
        options: SearchOptions,
        print: Box<dyn FnMut(String)>,
    ) -> Direct {
        let (worker, started) = SearchWorker::start(options);
        let mut direct = Direct {
            session,
            worker,
            port: RequestQueue {
                requests: VecDeque::new(),
                print,
            },
            held: None,
            flow: Flow::Continue,
        };
        direct.flow = direct.session.event(started, &mut direct.port);
        direct
    }

    /// Takes a line of the host, with or without its end, and does all that can be done now.
    /// `false`: the conversation is over, and later lines are not looked at.
    pub fn line(&mut self, line: &str) -> bool {
        if self.flow == Flow::Continue {
            let line = line.trim_end_matches(['\r', '\n']);
            self.flow = self.session.line(&Line::from(line), &mut self.port);
            self.work();
        }
        self.flow == Flow::Continue
    }

    /// Does requests until there are none, or until one has to wait for its stop.
    fn work(&mut self) {
        while self.flow == Flow::Continue
            && let Some(event) = self.next_event()
        {
            self.flow = self.session.event(event, &mut self.port);
        }
    }

    /// Does the next request; `None`: there is nothing to do now.
    fn next_event(&mut self) -> Option<Event> {
        let (request, event) = match self.held.take() {
            Some(held) => held,
            None => {
                let request = self.port.requests.pop_front()?;
                let worker = self.worker.as_mut()?;
                let event = worker.answer(&request, &mut |event| {
                    self.session.event(event, &mut self.port);
                });
                (request, event)
            }
        };
        if let Request::Search(job) = &request
            && job.handle().is_open()
        {
            self.held = Some((request, event));
            return None;
        }
        Some(event)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};
    use std::rc::Rc;

    use super::*;
    use crate::host::{self, Host};

    /// The replies to `lines`; `true`: the conversation continues.
    fn converse(lines: &[&str]) -> (Vec<String>, bool) {
        let mut preferences = Preferences::default();
        preferences.options.hash_mb = 1;
        let replies = Rc::new(RefCell::new(Vec::new()));
        let printed = Rc::clone(&replies);
        let mut direct = Direct::new(None, preferences, move |reply| {
            printed.borrow_mut().push(reply);
        });
        let mut goes_on = true;
        for line in lines {
            goes_on = direct.line(line);
        }
        (replies.take(), goes_on)
    }

    fn best_moves(replies: &[String]) -> usize {
        let best = |reply: &&String| reply.starts_with("bestmove");
        replies.iter().filter(best).count()
    }

    #[test]
    fn each_protocol_is_served() {
        for (lines, expected) in [
            (&["uci", "go depth 1"][..], "bestmove d3"),
            (&["protocol_version"], "= 2\n"),
            (&["nboard 2", "ping 3"], "pong 3"),
        ] {
            let (replies, goes_on) = converse(lines);
            assert!(goes_on, "{lines:?}");
            assert!(
                replies.iter().any(|reply| reply.starts_with(expected)),
                "{lines:?}: {replies:?}"
            );
        }
    }

    #[test]
    fn the_native_protocol_alone_takes_no_other_for_another() {
        let mut preferences = Preferences::default();
        preferences.options.hash_mb = 1;
        let replies = Rc::new(RefCell::new(Vec::new()));
        let printed = Rc::clone(&replies);
        let mut direct = Direct::native(preferences, move |reply| {
            printed.borrow_mut().push(reply);
        });
        assert!(direct.line("protocol_version") && direct.line("go depth 1"));
        let replies = replies.take();
        assert!(replies[0].starts_with("info string error"), "{replies:?}");
        assert_eq!(best_moves(&replies), 1);
    }

    #[test]
    fn an_endless_search_that_is_over_waits_for_its_stop() {
        let nearly_full = format!("position board X{}- X", "O".repeat(62));
        let lines = [nearly_full.as_str(), "go infinite", "stop", "quit"];
        assert_eq!(best_moves(&converse(&lines[..2]).0), 0);
        let (replies, goes_on) = converse(&lines);
        assert_eq!((best_moves(&replies), goes_on), (1, false));
    }

    #[test]
    fn the_host_stops_a_search() {
        thread_local! {
            static WANTS_STOP: Cell<bool> = const { Cell::new(false) };
        }
        host::set(Host {
            now: || 0.0,
            wants_stop: || WANTS_STOP.get(),
        });
        WANTS_STOP.set(true);
        let (replies, _) = converse(&["go infinite"]);
        WANTS_STOP.set(false);
        assert_eq!(best_moves(&replies), 1);
    }
}
