//! A conversation with Cassio.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::{Command, Depth, Order, parse, reply};
use crate::engine::{Event, Patience, Request, SearchHandle, SearchJob};
use crate::protocol::{Desk, Flow, FrontEnd, Line};
use crate::search::{Goal, Info, Limits, Selectivity};

/// The last line of each answer.
const READY: &str = "ready.";

/// The state of one conversation.
pub struct Session {
    tasks: VecDeque<Task>,
    /// What the engine was asked for and has not answered, in order.
    owed: VecDeque<Owed>,
    input_ended: bool,
}

/// Something to do in its turn, each ended by [`READY`].
enum Task {
    /// Say these lines.
    Say(Option<String>),
    /// Forget everything.
    Forget,
    /// Search.
    Search(Order),
}

/// A request to which the engine owes its final event.
enum Owed {
    /// A start: it needs no answer.
    Silence,
    /// Forgetting.
    Forget,
    /// A search.
    Search {
        order: Order,
        handle: SearchHandle,
        started: Instant,
        nodes: u64,
        /// The last result, to say nothing twice.
        told: Option<Told>,
    },
}

/// What makes a result a new one.
type Told = (u32, Selectivity, i32, Option<crate::rules::Move>);

impl Default for Session {
    fn default() -> Session {
        Session::new()
    }
}

impl Session {
    /// A conversation with an engine that was just started.
    pub fn new() -> Session {
        Session {
            tasks: VecDeque::new(),
            owed: VecDeque::from([Owed::Silence]),
            input_ended: false,
        }
    }

    fn obey(&mut self, command: Command, desk: Desk<'_>) {
        match command {
            Command::Alive if self.is_busy() => desk.output.say("ok."),
            Command::Alive => desk.output.say(READY),
            Command::SearchInfos => desk.output.say(self.search_infos()),
            Command::Stop => self.stop(desk),
            Command::Init => self.tasks.push_back(Task::Say(None)),
            Command::Version => {
                let version = format!("version: Emilia {}", env!("CARGO_PKG_VERSION"));
                self.tasks.push_back(Task::Say(Some(version)));
            }
            // What earlier searches found may serve still: the table is no burden.
            Command::NewPosition => self.tasks.push_back(Task::Say(None)),
            Command::EmptyHash => self.tasks.push_back(Task::Forget),
            Command::Search(order) => self.tasks.push_back(Task::Search(order)),
            Command::Quit => {} // seen by `line`
        }
    }

    /// Does anything run or wait?
    fn is_busy(&self) -> bool {
        self.is_working() || !self.tasks.is_empty()
    }

    fn is_working(&self) -> bool {
        let silent = |owed: &Owed| matches!(owed, Owed::Silence);
        !self.owed.iter().all(silent)
    }

    /// `node N, time S` while a search runs.
    fn search_infos(&self) -> String {
        let running = self.owed.iter().find_map(|owed| match owed {
            Owed::Search { started, nodes, .. } => Some((*nodes, started.elapsed())),
            Owed::Silence | Owed::Forget => None,
        });
        running.map_or_else(
            || READY.to_owned(),
            |(nodes, time): (u64, Duration)| {
                format!("node {nodes}, time {:.3}", time.as_secs_f64())
            },
        )
    }

    /// Ends the running search, whose `ready.` follows; those that wait are not begun.
    fn stop(&mut self, desk: Desk<'_>) {
        if !self.is_busy() {
            desk.output.say(READY);
            return;
        }
        for task in &mut self.tasks {
            if matches!(task, Task::Search(_)) {
                *task = Task::Say(None);
            }
        }
        self.stop_search();
    }

    fn stop_search(&self) {
        for owed in &self.owed {
            if let Owed::Search { handle, .. } = owed {
                handle.stop();
            }
        }
    }

    /// Does the tasks that need not wait.
    fn advance(&mut self, desk: Desk<'_>) -> Flow {
        while !self.is_working()
            && let Some(task) = self.tasks.pop_front()
        {
            match task {
                Task::Say(text) => {
                    if let Some(text) = text {
                        desk.output.say(text);
                    }
                    desk.output.say(READY);
                }
                Task::Forget => {
                    self.owed.push_back(Owed::Forget);
                    desk.engine.send(Request::NewGame);
                }
                Task::Search(order) => {
                    let board = order.position.board;
                    let (job, handle) = SearchJob::new(board, limits(&order), Patience::Bounded);
                    self.owed.push_back(Owed::Search {
                        order,
                        handle,
                        started: Instant::now(),
                        nodes: 0,
                        told: None,
                    });
                    desk.engine.send(Request::Search(job));
                }
            }
        }
        if self.input_ended && !self.is_busy() {
            Flow::Finish
        } else {
            Flow::Continue
        }
    }

    /// A line of the running search.
    fn hear(&mut self, info: &Info, desk: Desk<'_>) {
        let Some(Owed::Search {
            order,
            handle,
            nodes,
            told,
            ..
        }) = self.owed.front_mut()
        else {
            return;
        };
        *nodes = info.nodes;
        let news = (
            info.depth,
            info.selectivity,
            info.score.raw(),
            info.pv.first().copied(),
        );
        if *told != Some(news) {
            *told = Some(news);
            desk.output.say(reply::result(order.position, info));
        }
        // A search to the end of the game climbs to certainty: this much may be enough.
        let at_end = info.depth >= order.position.board.empty_count();
        if at_end && info.selectivity >= order.precision {
            handle.stop();
        }
    }

    /// The engine did the first thing that it owed.
    fn complete(&mut self, desk: Desk<'_>) {
        match self.owed.pop_front() {
            Some(Owed::Search { .. } | Owed::Forget) => desk.output.say(READY),
            Some(Owed::Silence) | None => {}
        }
    }
}

/// The limits of a search. Emilia finds the score itself, in whatever window: that
/// answers any window. Only who wins is asked for with the window −1..1.
fn limits(order: &Order) -> Limits {
    let (goal, depth) = match order.depth {
        Depth::Plies(plies) => (Goal::Play, Some(plies)),
        Depth::End if order.alpha >= -1.0 && order.beta <= 1.0 => (Goal::Wld, None),
        Depth::End => (Goal::Exact, None),
    };
    Limits {
        goal,
        depth,
        selectivity: order.precision,
        ..Limits::default()
    }
}

impl FrontEnd for Session {
    fn line(&mut self, line: &Line, desk: Desk<'_>) -> Flow {
        match parse(line) {
            Ok(Command::Quit) => {
                self.stop_search();
                desk.output.say("bye bye.");
                return Flow::Quit;
            }
            Ok(command) => self.obey(command, desk),
            Err((reason, is_awaited)) => {
                log::error!("ignored line: {reason}");
                if is_awaited {
                    self.tasks.push_back(Task::Say(None));
                }
            }
        }
        self.advance(desk)
    }

    fn event(&mut self, event: Event, desk: Desk<'_>) -> Flow {
        match event {
            Event::Info(info) => self.hear(&info, desk),
            Event::BenchLine(_) => {}
            Event::Fault(reason) => {
                log::error!("internal fault: {reason}");
                self.complete(desk);
            }
            _ => self.complete(desk),
        }
        self.advance(desk)
    }

    fn end_of_input(&mut self, desk: Desk<'_>) -> Flow {
        self.input_ended = true;
        self.advance(desk)
    }
}
