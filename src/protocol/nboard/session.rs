//! A conversation with NBoard.

use std::collections::VecDeque;
use std::time::Instant;

use super::hints::Gatherer;
use super::{Command, Version, parse, reply};
use crate::engine::{Event, Patience, Request, SearchHandle, SearchJob, Strength, solved_at};
use crate::formats::ggf::GgfGame;
use crate::protocol::{Desk, Flow, FrontEnd, Line, Preferences};
use crate::rules::{Game, Move, Position};
use crate::score::Score;
use crate::search::{Goal, Info, Limits, Outcome, TimeLimit};

/// More empties than can be solved exactly, at which the winner can still be found out.
const WLD_AHEAD: u32 = 2;

/// Plies that a forced move is searched on a clock.
const GLANCE: u32 = 6;

/// The state of one conversation.
pub struct Session {
    version: Version,
    game: GgfGame,
    strength: Strength,
    /// What a draw is worth to black, in hundredths of a disc.
    contempt: i32,
    /// Tasks that wait for the one before them.
    tasks: VecDeque<Task>,
    /// What the engine was asked for and has not answered, in order.
    owed: VecDeque<Owed>,
    input_ended: bool,
}

/// Something to do, with all that it needs to know.
enum Task {
    /// Say a line in its turn.
    Say(String),
    /// A search.
    Search(Box<Search>),
}

/// A search and what its result is for.
struct Search {
    position: Position,
    limits: Limits,
    purpose: Purpose,
    /// What is said before it.
    status: &'static str,
}

/// What a search is for.
enum Purpose {
    /// `go`
    Go { contempt: i32 },
    /// `hint`
    Hint { contempt: i32, gatherer: Gatherer },
    /// One position of `analyze`, after so many moves.
    Analysis { moves: usize },
}

/// A request to which the engine owes its final event.
enum Owed {
    /// The start: it needs no answer.
    Silence,
    /// A search whose result is wanted.
    Search {
        search: Box<Search>,
        handle: SearchHandle,
        started: Instant,
    },
    /// A search that a `ping` ended.
    Forgotten,
}

impl Session {
    /// A conversation with an engine that was just started.
    pub fn new(preferences: Preferences) -> Session {
        Session {
            version: Version::Two,
            game: GgfGame::new(Game::new(Position::START)),
            strength: preferences.strength,
            contempt: 0,
            tasks: VecDeque::new(),
            owed: VecDeque::from([Owed::Silence]),
            input_ended: false,
        }
    }

    fn position(&self) -> Position {
        self.game.game.position()
    }

    fn obey(&mut self, command: Command, desk: Desk<'_>) {
        match command {
            Command::Hello(version) => {
                self.version = version;
                desk.output.say("set myname Emilia");
            }
            Command::SetDepth(depth) => self.strength = Strength::Depth(depth),
            Command::SetGame(game) => self.game = *game,
            Command::SetContempt(contempt) => self.contempt = contempt,
            Command::Move(mv, note) => {
                if let Err(error) = self.game.play(mv, note) {
                    log::error!("{error}");
                }
            }
            Command::Ping(number) => {
                self.drop_everything();
                desk.output.say(format!("pong {number}"));
            }
            Command::Hint(count) => self.hint(count),
            Command::Go => self.go(),
            Command::Learn => self.say("learned".to_owned()),
            Command::Analyze => self.analyze(),
            Command::Quit => {} // seen by `line`
        }
    }

    fn say(&mut self, text: String) {
        self.tasks.push_back(Task::Say(text));
    }

    fn search(
        &mut self,
        position: Position,
        limits: Limits,
        purpose: Purpose,
        status: &'static str,
    ) {
        self.tasks.push_back(Task::Search(Box::new(Search {
            position,
            limits,
            purpose,
            status,
        })));
    }

    /// Everything that was asked for is not wanted any more.
    fn drop_everything(&mut self) {
        self.tasks.clear();
        for owed in &mut self.owed {
            if let Owed::Search { handle, .. } = owed {
                handle.stop();
                *owed = Owed::Forgotten;
            }
        }
    }

    /// The best moves, as the depth grows; then, near the end, who wins.
    fn hint(&mut self, count: usize) {
        let position = self.position();
        if position.board.is_over() {
            return self.say("status The game is over".to_owned());
        }
        let count = count.min(position.board.legal_moves().len()).max(1);
        let contempt = reply::contempt_of(position.side, self.contempt);
        let purpose = || Purpose::Hint {
            contempt,
            gatherer: Gatherer::new(count),
        };
        let empties = position.board.empty_count();
        let limits = Limits {
            multipv: count,
            ..self.strength.limits(empties, TimeLimit::Unlimited)
        };
        let depth = self
            .strength
            .depth(TimeLimit::Unlimited)
            .unwrap_or_default();
        let decides = limits.depth.is_some() && empties <= solved_at(depth) + WLD_AHEAD;
        self.search(position, limits.clone(), purpose(), "Emilia is thinking");
        if decides {
            let limits = Limits {
                goal: Goal::Wld,
                depth: None,
                ..limits
            };
            self.search(position, limits, purpose(), "Emilia looks for the winner");
        }
        self.say("status Emilia is waiting".to_owned());
    }

    /// A move for a game: a forced one at once.
    fn go(&mut self) {
        let position = self.position();
        let board = position.board;
        if board.is_over() {
            return self.say("status The game is over".to_owned());
        }
        let contempt = reply::contempt_of(position.side, self.contempt);
        let limits = self.strength.limits(board.empty_count(), self.time());
        let limits = match (board.legal_moves().len(), limits.time) {
            // On a clock, a forced move is worth a glance for its score.
            (0 | 1, TimeLimit::Clock { .. }) => Limits {
                depth: Some(limits.depth.unwrap_or(GLANCE).min(GLANCE)),
                ..limits
            },
            _ => limits,
        };
        self.search(
            position,
            limits,
            Purpose::Go { contempt },
            "Emilia is thinking",
        );
    }

    /// The clock of the side to move, in version 2.
    fn time(&self) -> TimeLimit {
        let side = self.position().side;
        match (self.game.time_left(side), self.game.player(side).clock) {
            (Some(remaining), Some(clock)) if self.version >= Version::Two => TimeLimit::Clock {
                remaining,
                increment: clock.increment,
                moves_to_go: None,
            },
            _ => TimeLimit::Unlimited,
        }
    }

    /// Searches the positions of the game from its end to its start: what was found
    /// about the later ones helps with the earlier ones.
    fn analyze(&mut self) {
        let mut position = self.game.game.start();
        let mut positions = vec![position];
        for &mv in self.game.game.moves() {
            position = position.play(mv).unwrap_or(position);
            positions.push(position);
        }
        for (moves, position) in positions.into_iter().enumerate().rev() {
            if position.board.is_over() {
                let score = Score::from_discs(position.board.final_score());
                self.say(reply::analysis(moves, score));
            } else {
                let empties = position.board.empty_count();
                let limits = self.strength.limits(empties, TimeLimit::Unlimited);
                self.search(
                    position,
                    limits,
                    Purpose::Analysis { moves },
                    "Emilia is analyzing",
                );
            }
        }
        self.say("status Emilia is waiting".to_owned());
    }

    fn is_searching(&self) -> bool {
        self.owed
            .iter()
            .any(|owed| matches!(owed, Owed::Search { .. }))
    }

    /// Does the tasks that need not wait.
    fn advance(&mut self, desk: Desk<'_>) -> Flow {
        while !self.is_searching()
            && let Some(task) = self.tasks.pop_front()
        {
            match task {
                Task::Say(text) => desk.output.say(text),
                Task::Search(search) => {
                    desk.output.say(format!("status {}", search.status));
                    let (board, limits) = (search.position.board, search.limits.clone());
                    let (job, handle) = SearchJob::new(board, limits, Patience::Bounded);
                    self.owed.push_back(Owed::Search {
                        search,
                        handle,
                        started: Instant::now(),
                    });
                    desk.engine.send(Request::Search(job));
                }
            }
        }
        if self.input_ended && !self.is_searching() {
            Flow::Finish
        } else {
            Flow::Continue
        }
    }

    /// A line of the running search.
    fn hear(&mut self, info: &Info, desk: Desk<'_>) {
        let Some(Owed::Search { search, .. }) = self.owed.front_mut() else {
            return;
        };
        let Purpose::Hint { contempt, gatherer } = &mut search.purpose else {
            return;
        };
        let decides = search.limits.goal == Goal::Wld;
        let empties = search.position.board.empty_count();
        // On the way to the winner only the end is news.
        if decides && info.depth < empties {
            return;
        }
        let Some(lines) = gatherer.add(info) else {
            return;
        };
        for line in &lines {
            let eval = reply::eval(line, *contempt);
            desk.output.say(reply::search(line, eval, empties));
        }
        desk.output.say(reply::node_stats(info.nodes, info.time));
    }

    /// The engine did the first thing that it owed. `None`: a fault kept it from that.
    fn complete(&mut self, outcome: Option<&Outcome>, desk: Desk<'_>) {
        let Some(Owed::Search {
            search, started, ..
        }) = self.owed.pop_front()
        else {
            return;
        };
        if let Some(outcome) = outcome {
            desk.output
                .say(reply::node_stats(outcome.nodes, outcome.time));
        }
        let line = outcome.and_then(|outcome| outcome.lines.first());
        match search.purpose {
            Purpose::Hint { .. } => {}
            Purpose::Go { contempt } => {
                let best = outcome.and_then(|outcome| outcome.best);
                let best = best.unwrap_or_else(|| any_move(search.position));
                let eval = line.map(|line| reply::eval(line, contempt));
                desk.output
                    .say(reply::chosen(best, eval, started.elapsed()));
            }
            Purpose::Analysis { moves } => {
                if let Some(line) = line {
                    desk.output.say(reply::analysis(moves, line.score));
                }
            }
        }
    }
}

/// Some legal move.
fn any_move(position: Position) -> Move {
    let first = position.board.legal_moves().first();
    first.map_or(Move::Pass, Move::Place)
}

impl FrontEnd for Session {
    fn line(&mut self, line: &Line, desk: Desk<'_>) -> Flow {
        match parse(line) {
            Ok(None) => {}
            Ok(Some(Command::Quit)) => {
                self.drop_everything();
                return Flow::Quit;
            }
            Ok(Some(command)) => self.obey(command, desk),
            Err(reason) => log::error!("ignored line: {reason}"),
        }
        self.advance(desk)
    }

    fn event(&mut self, event: Event, desk: Desk<'_>) -> Flow {
        match event {
            Event::Info(info) => self.hear(&info, desk),
            Event::BenchLine(_) => {}
            Event::Done(outcome) => self.complete(Some(&outcome), desk),
            Event::Fault(reason) => {
                log::error!("internal fault: {reason}");
                self.complete(None, desk);
            }
            _ => {
                self.owed.pop_front();
            }
        }
        self.advance(desk)
    }

    fn end_of_input(&mut self, desk: Desk<'_>) -> Flow {
        self.input_ended = true;
        self.advance(desk)
    }
}
