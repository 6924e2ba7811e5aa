//! A conversation in GTP.
//!
//! Inquiries wait in a queue and are answered in their order. One that needs a search
//! holds up those behind it, `quit` among them: a host may send a whole game at once.
//! Between two searches the engine may think on: that search is open, nobody waits
//! for it, and the next one ends it and finds what it left in the transposition table.

use std::collections::VecDeque;
use std::time::Instant;

use super::reply;
use super::{Clocks, Command, Heard, Inquiry, Table, VERSION, parse};
use crate::engine::{Event, Patience, Request, SearchHandle, SearchJob, Strength};
use crate::protocol::{Desk, Flow, FrontEnd, Line, Preferences};
use crate::rules::{Color, Move, Position};
use crate::search::{Limits, Outcome, TimeLimit};

/// The state of one conversation.
pub struct Session {
    table: Table,
    clocks: Clocks,
    strength: Strength,
    ponders: bool,
    /// Inquiries that wait for their turn.
    queue: VecDeque<Inquiry>,
    /// What the engine was asked for and has not answered, in order.
    owed: VecDeque<Owed>,
    input_ended: bool,
}

/// A request to which the engine owes its final event.
enum Owed {
    /// A start or a new game: it needs no answer.
    Silence,
    /// A search that answers an inquiry.
    Search {
        id: String,
        purpose: Purpose,
        handle: SearchHandle,
        started: Instant,
    },
    /// Thinking on the opponent's time, about this reply.
    Ponder {
        handle: SearchHandle,
        expected: Option<Move>,
    },
}

/// What a search is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Purpose {
    /// `genmove`
    Move(Color),
    /// `reg_genmove`
    Advice(Position),
    /// `emilia-hint`
    Hint,
    /// `emilia-gfx_hint`
    DrawnHint,
}

/// What an inquiry comes to at once.
enum Turn {
    /// This answer.
    Answer(String),
    /// A search answers it later.
    Later,
    /// This answer is the last one.
    Last,
}

impl Session {
    /// A conversation with an engine that was just started.
    pub fn new(preferences: Preferences) -> Session {
        Session {
            table: Table::default(),
            clocks: Clocks::default(),
            strength: preferences.strength,
            ponders: preferences.ponders,
            queue: VecDeque::new(),
            owed: VecDeque::from([Owed::Silence]),
            input_ended: false,
        }
    }

    /// Answers what can be answered now.
    fn advance(&mut self, desk: Desk<'_>) -> Flow {
        while !self.is_searching()
            && let Some(Inquiry { id, command }) = self.queue.pop_front()
        {
            match command.and_then(|command| self.obey(&id, command, desk)) {
                Ok(Turn::Later) => {}
                Ok(Turn::Answer(text)) => desk.output.say(reply::answer(&id, Ok(text))),
                Ok(Turn::Last) => {
                    desk.output.say(reply::answer(&id, Ok(String::new())));
                    return Flow::Quit;
                }
                Err(reason) => desk.output.say(reply::answer(&id, Err(reason))),
            }
        }
        if self.input_ended && !self.is_searching() {
            self.stop_pondering();
            Flow::Finish
        } else {
            Flow::Continue
        }
    }

    fn is_searching(&self) -> bool {
        self.owed
            .iter()
            .any(|owed| matches!(owed, Owed::Search { .. }))
    }

    /// Does what is asked for; the error is what a `?` says.
    fn obey(&mut self, id: &str, command: Command, desk: Desk<'_>) -> Result<Turn, String> {
        let text = match command {
            Command::ProtocolVersion => VERSION.to_string(),
            Command::Name => "Emilia".to_owned(),
            Command::Version => env!("CARGO_PKG_VERSION").to_owned(),
            Command::KnownCommand(name) => Command::NAMES.contains(&name.as_str()).to_string(),
            Command::ListCommands => reply::commands(),
            Command::ListGames => "Othello".to_owned(),
            Command::SetGame | Command::Komi | Command::Interrupt => String::new(),
            Command::Quit => {
                self.stop_pondering();
                return Ok(Turn::Last);
            }
            Command::BoardSize | Command::ClearBoard => {
                self.begin_game(desk);
                String::new()
            }
            Command::TimeSettings(settings) => {
                self.clocks = Clocks::new(settings);
                String::new()
            }
            Command::TimeLeft(color, left) => {
                self.clocks.tell(color, left);
                String::new()
            }
            Command::Play(color, mv) => {
                self.table
                    .play(color, mv)
                    .map_err(|refusal| refusal.name().to_owned())?;
                self.see_reply(mv);
                String::new()
            }
            Command::GenMove(color) => return self.choose(id, color, desk),
            Command::RegGenMove(color) => return self.advise(id, color, desk),
            Command::Undo => {
                self.stop_pondering();
                if !self.table.undo() {
                    return Err("cannot undo".to_owned());
                }
                String::new()
            }
            Command::ShowBoard => format!("\n{}", self.table.position().diagram()),
            Command::FinalScore => reply::final_score(self.table.position())?,
            Command::Levels => reply::levels(),
            Command::Level(None) => self.strength.to_string(),
            Command::Level(Some(level)) => self.strengthen(Strength::Level(level)),
            Command::Depth(depth) => self.strengthen(Strength::Depth(depth)),
            Command::MoveTime(time) => self.strengthen(Strength::MoveTime(time)),
            Command::Ponder(ponders) => {
                self.ponders = ponders;
                if !ponders {
                    self.stop_pondering();
                }
                String::new()
            }
            Command::Hint(count) => return Ok(self.hint(id, count, Purpose::Hint, desk)),
            Command::DrawHint => return Ok(self.hint(id, 64, Purpose::DrawnHint, desk)),
            Command::AnalyzeCommands => reply::ANALYZE_COMMANDS.to_owned(),
            Command::Rules(question) => reply::ruling(question, self.table.position()),
        };
        Ok(Turn::Answer(text))
    }

    fn strengthen(&mut self, strength: Strength) -> String {
        self.strength = strength;
        strength.to_string()
    }

    fn begin_game(&mut self, desk: Desk<'_>) {
        self.stop_pondering();
        self.table = Table::default();
        self.clocks.restart();
        self.owed.push_back(Owed::Silence);
        desk.engine.send(Request::NewGame);
    }

    /// `genmove`: a forced move at once, another one by a search.
    fn choose(&mut self, id: &str, color: Color, desk: Desk<'_>) -> Result<Turn, String> {
        let board = self
            .table
            .board_for(color)
            .map_err(|refusal| refusal.name().to_owned())?;
        let mut legal = board.legal_moves();
        let forced = match (legal.next(), legal.next()) {
            (None, _) => Move::Pass,
            (Some(only), None) => Move::Place(only),
            (Some(_), Some(_)) => {
                let limits = self
                    .strength
                    .limits(board.empty_count(), self.clocks.limit(color));
                let job = SearchJob::new(board, limits, Patience::Bounded);
                self.search(id, Purpose::Move(color), job, desk);
                return Ok(Turn::Later);
            }
        };
        self.make(color, forced)?;
        self.ponder(None, desk);
        Ok(Turn::Answer(reply::vertex(forced)))
    }

    fn make(&mut self, color: Color, mv: Move) -> Result<(), String> {
        self.table
            .play(color, mv)
            .map_err(|refusal| refusal.name().to_owned())
    }

    /// `reg_genmove`: the clocks do not count.
    fn advise(&mut self, id: &str, color: Color, desk: Desk<'_>) -> Result<Turn, String> {
        let board = self
            .table
            .board_for(color)
            .map_err(|refusal| refusal.name().to_owned())?;
        if board.legal_moves().is_empty() {
            return Ok(Turn::Answer(reply::vertex(Move::Pass)));
        }
        let limits = self
            .strength
            .limits(board.empty_count(), TimeLimit::Unlimited);
        let job = SearchJob::new(board, limits, Patience::Bounded);
        self.search(
            id,
            Purpose::Advice(Position { board, side: color }),
            job,
            desk,
        );
        Ok(Turn::Later)
    }

    fn hint(&mut self, id: &str, count: usize, purpose: Purpose, desk: Desk<'_>) -> Turn {
        let board = self.table.position().board;
        if board.is_over() {
            return Turn::Answer(String::new());
        }
        let limits = Limits {
            multipv: count,
            ..self
                .strength
                .limits(board.empty_count(), TimeLimit::Unlimited)
        };
        self.search(
            id,
            purpose,
            SearchJob::new(board, limits, Patience::Bounded),
            desk,
        );
        Turn::Later
    }

    fn search(
        &mut self,
        id: &str,
        purpose: Purpose,
        (job, handle): (SearchJob, SearchHandle),
        desk: Desk<'_>,
    ) {
        self.stop_pondering();
        self.owed.push_back(Owed::Search {
            id: id.to_owned(),
            purpose,
            handle,
            started: Instant::now(),
        });
        desk.engine.send(Request::Search(job));
    }

    /// Thinks about the position after the expected reply, until something else is to do.
    fn ponder(&mut self, expected: Option<Move>, desk: Desk<'_>) {
        self.stop_pondering();
        let position = self.table.position();
        let expected = expected.filter(|&mv| position.play(mv).is_some());
        let after = expected
            .and_then(|mv| position.play(mv))
            .unwrap_or(position);
        if !self.ponders || !self.queue.is_empty() || self.input_ended || after.board.is_over() {
            return;
        }
        let (job, handle) = SearchJob::new(after.board, Limits::default(), Patience::Infinite);
        self.owed.push_back(Owed::Ponder { handle, expected });
        desk.engine.send(Request::Search(job));
    }

    /// The opponent moved: if otherwise than expected, the thoughts about that are in vain.
    fn see_reply(&self, reply: Move) {
        for owed in &self.owed {
            if let Owed::Ponder { handle, expected } = owed
                && expected.is_some_and(|expected| expected != reply)
            {
                handle.stop();
            }
        }
    }

    fn stop_pondering(&self) {
        for owed in &self.owed {
            if let Owed::Ponder { handle, .. } = owed {
                handle.stop();
            }
        }
    }

    fn interrupt(&self) {
        for owed in &self.owed {
            if let Owed::Search { handle, .. } = owed {
                handle.stop();
            }
        }
    }

    /// The engine did the first thing that it owed. `None`: a fault kept it from that.
    fn complete(&mut self, outcome: Option<&Outcome>, desk: Desk<'_>) {
        let Some(Owed::Search {
            id,
            purpose,
            started,
            ..
        }) = self.owed.pop_front()
        else {
            return;
        };
        let result = match purpose {
            Purpose::Move(color) => {
                self.clocks.spend(color, started.elapsed());
                let chosen = self.chosen(color, outcome);
                let made = self.make(color, chosen).map(|()| reply::vertex(chosen));
                self.ponder(outcome.and_then(|outcome| outcome.ponder), desk);
                made
            }
            Purpose::Advice(position) => {
                let best = outcome.and_then(|outcome| outcome.best);
                Ok(reply::vertex(best.unwrap_or_else(|| any_move(position))))
            }
            Purpose::Hint => Ok(outcome.map(reply::hints).unwrap_or_default()),
            Purpose::DrawnHint => Ok(outcome.map(reply::drawn_hints).unwrap_or_default()),
        };
        desk.output.say(reply::answer(&id, result));
    }

    /// The move that the search found, or, after a fault, any legal one.
    fn chosen(&self, color: Color, outcome: Option<&Outcome>) -> Move {
        let position = self.table.position();
        let board = self.table.board_for(color).unwrap_or(position.board);
        outcome
            .and_then(|outcome| outcome.best)
            .unwrap_or_else(|| any_move(Position { board, side: color }))
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
            Heard::Nothing => {}
            Heard::Interrupt => self.interrupt(),
            Heard::Inquiry(inquiry) => self.queue.push_back(inquiry),
        }
        self.advance(desk)
    }

    fn event(&mut self, event: Event, desk: Desk<'_>) -> Flow {
        match event {
            Event::Info(_) | Event::BenchLine(_) => {}
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
