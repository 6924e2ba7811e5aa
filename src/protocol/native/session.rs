//! A conversation in the native protocol.
//!
//! Each line is understood against the state that the lines before it left, at the
//! moment it is read: an error is found, a position set, a question's answer written
//! there and then. What is left to do, answers included, becomes a [`Step`], and the
//! steps are taken in the order of the lines. Only `stop`, `ponderhit`, `isready`
//! and `quit` act at once.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::reply::{self, InfoLine, PonderWords};
use super::{Clock, Command, CommandError, Go, Query, Setting, VERSION, parse};
use crate::engine::{Event, Patience, Request, SearchHandle, SearchJob};
use crate::eval::Evaluator;
use crate::protocol::{Desk, Flow, FrontEnd, Line};
use crate::rules::{Bitboard, Board, Color, Game, Move, Position};
use crate::search::{Control, Limits, Outcome, Selectivity, TimeLimit};

/// The state of one conversation.
pub struct Session {
    game: Game,
    multipv: usize,
    ponder_words: PonderWords,
    selectivity: Selectivity,
    /// Weights read by `EvalFile`; none: the built-in ones.
    evaluator: Option<Arc<Evaluator>>,
    steps: VecDeque<Step>,
    running: Option<Work>,
    input_ended: bool,
}

/// What a line left to do.
enum Step {
    /// Give an answer that is known.
    Say(String),
    /// Give the static evaluation, with the weights in use by then.
    Evaluate(Position),
    /// Send a request to the engine and wait until it is done.
    Work(Request, Work),
}

/// A request with the engine, as the session sees it.
enum Work {
    /// The engine starts.
    Start,
    /// A search of `go`.
    Search {
        handle: SearchHandle,
        position: Position,
        ponder_words: PonderWords,
    },
    /// `perft` or `bench`.
    Count { control: Control },
    /// A setting that takes effect in the engine; what to say if it fails, but for the reason.
    Setting { line: Vec<u8>, column: usize },
}

impl Work {
    /// Does it go on for ever if nobody stops it?
    fn is_open(&self) -> bool {
        matches!(self, Work::Search { handle, .. } if handle.is_open())
    }

    /// Is it done in a moment, so that `isready` may wait for it?
    const fn is_brief(&self) -> bool {
        matches!(self, Work::Start | Work::Setting { .. })
    }

    fn stop(&self) {
        match self {
            Work::Search { handle, .. } => handle.stop(),
            Work::Count { control } => control.stop(),
            Work::Start | Work::Setting { .. } => {}
        }
    }
}

impl Default for Session {
    fn default() -> Session {
        Session::new()
    }
}

impl Session {
    /// A conversation with an engine that was just started.
    pub fn new() -> Session {
        Session {
            game: Game::new(Position::START),
            multipv: 1,
            ponder_words: PonderWords::Hidden,
            selectivity: Selectivity::default(),
            evaluator: None,
            steps: VecDeque::new(),
            running: Some(Work::Start),
            input_ended: false,
        }
    }

    fn position(&self) -> Position {
        self.game.position()
    }

    /// Obeys a command. `line` is its text, for errors that the grammar cannot see.
    fn obey(&mut self, command: Command, line: &Line, desk: Desk<'_>) -> Result<(), CommandError> {
        match command {
            Command::Uci => self.say(format!("{}\nuciok", reply::identification())),
            Command::Ugi => self.say(format!("{}\nugiok", reply::identification())),
            Command::IsReady => self.answer_ready(desk),
            Command::NewGame => {
                self.end_open_searches();
                self.game = Game::new(Position::START);
                self.work(Request::NewGame, setting(line));
            }
            Command::SetOption(option) => {
                self.end_open_searches();
                self.set(option, line);
            }
            Command::Position(game) => {
                self.end_open_searches();
                self.game = game;
            }
            Command::Go(go) => {
                let (job, handle) = self.search_job(&go, line)?;
                self.end_open_searches();
                let work = Work::Search {
                    handle,
                    position: self.position(),
                    ponder_words: self.ponder_words,
                };
                self.work(Request::Search(job), work);
            }
            Command::Stop => self.all_work().for_each(Work::stop),
            Command::PonderHit => self.ponder_hit(),
            Command::Quit => {} // seen by `line`
            Command::Query(query) => self.say(format!("response {}", self.answer(query))),
            Command::Draw => {
                let position = self.position();
                self.say(format!("{}\n{position}", position.diagram()));
            }
            Command::Moves => self.say(reply::legal_moves(self.position().board)),
            Command::Eval => self.steps.push_back(Step::Evaluate(self.position())),
            Command::Perft(depth) => {
                self.end_open_searches();
                let control = Control::new();
                let request = Request::Perft {
                    board: self.position().board,
                    depth,
                    control: control.clone(),
                };
                self.work(request, Work::Count { control });
            }
            Command::Bench => {
                self.end_open_searches();
                let control = Control::new();
                let request = Request::Bench {
                    control: control.clone(),
                };
                self.work(request, Work::Count { control });
            }
            Command::Help => self.say(format!("Emilia, protocol {VERSION}\n{}", reply::HELP)),
        }
        Ok(())
    }

    fn say(&mut self, text: String) {
        self.steps.push_back(Step::Say(text));
    }

    fn work(&mut self, request: Request, work: Work) {
        self.steps.push_back(Step::Work(request, work));
    }

    /// All work that runs or waits.
    fn all_work(&self) -> impl Iterator<Item = &Work> {
        let waiting = self.steps.iter().filter_map(|step| match step {
            Step::Work(_, work) => Some(work),
            Step::Say(_) | Step::Evaluate(_) => None,
        });
        self.running.iter().chain(waiting)
    }

    /// What comes next shall not wait for ever.
    fn end_open_searches(&self) {
        let open = self.all_work().filter(|work| work.is_open());
        open.for_each(Work::stop);
    }

    fn ponder_hit(&self) {
        for work in self.all_work() {
            if let Work::Search { handle, .. } = work {
                handle.ponderhit();
            }
        }
    }

    /// At once, also while searching; only the engine's start and settings asked for before
    /// it, which take a moment, come first.
    fn answer_ready(&mut self, desk: Desk<'_>) {
        if self.running.as_ref().is_some_and(Work::is_brief) {
            let long = |step: &Step| matches!(step, Step::Work(_, work) if !work.is_brief());
            let at = self.steps.iter().position(long).unwrap_or(self.steps.len());
            self.steps.insert(at, Step::Say("readyok".to_owned()));
        } else {
            desk.output.say("readyok");
        }
    }

    fn answer(&self, query: Query) -> &'static str {
        let result = self.position().result_for_black();
        let first = self.position().side == Color::Black;
        match query {
            Query::GameOver => truth(result.is_some()),
            Query::Result => reply::query_result(result),
            Query::P1Turn => truth(first),
        }
    }

    fn set(&mut self, option: Setting, line: &Line) {
        let request = match option {
            Setting::Threads(threads) => Request::SetThreads(threads),
            Setting::Hash(megabytes) => Request::SetHash(megabytes),
            Setting::EvalFile(path) => Request::SetWeights(path.map(PathBuf::from)),
            Setting::MultiPv(lines) => {
                self.multipv = lines;
                return;
            }
            Setting::Ponder(true) => {
                self.ponder_words = PonderWords::Shown;
                return;
            }
            Setting::Ponder(false) => {
                self.ponder_words = PonderWords::Hidden;
                return;
            }
            Setting::Selectivity(level) => {
                self.selectivity = level;
                return;
            }
        };
        self.work(request, setting(line));
    }

    /// The search that `go` asks for in the position of the moment.
    fn search_job(&self, go: &Go, line: &Line) -> Result<(SearchJob, SearchHandle), CommandError> {
        let position = self.position();
        let limits = Limits {
            goal: go.goal,
            depth: go.depth,
            nodes: go.nodes,
            time: time_limit(go, position, line)?,
            selectivity: self.selectivity,
            multipv: go.multipv.unwrap_or(self.multipv),
            moves: search_moves(go, position.board, line)?,
        };
        let patience = if go.is_endless() {
            Patience::Infinite
        } else if go.ponder {
            Patience::Ponder
        } else {
            Patience::Bounded
        };
        Ok(SearchJob::new(position.board, limits, patience))
    }

    /// Takes the steps that may be taken now.
    fn advance(&mut self, desk: Desk<'_>) -> Flow {
        while let Some(step) = self.next_step() {
            match step {
                Step::Say(text) => desk.output.say(text),
                Step::Evaluate(position) => desk.output.say(self.evaluate(position)),
                Step::Work(request, work) => {
                    if let Work::Search { position, .. } = &work
                        && let Some(result) = position.result_for_black()
                    {
                        desk.output.say(reply::game_over(result));
                    }
                    self.running = Some(work);
                    desk.engine.send(request);
                }
            }
        }
        if self.input_ended && self.running.is_none() {
            Flow::Finish
        } else {
            Flow::Continue
        }
    }

    /// The first step, if it need not wait for the work that runs. Answers need not wait
    /// for a search that goes on for ever.
    fn next_step(&mut self) -> Option<Step> {
        let free = match (&self.running, self.steps.front()?) {
            (None, _) => true,
            (Some(running), Step::Say(_) | Step::Evaluate(_)) => running.is_open(),
            (Some(_), Step::Work(..)) => false,
        };
        if free { self.steps.pop_front() } else { None }
    }

    fn evaluate(&self, position: Position) -> String {
        let score = match &self.evaluator {
            Some(weights) => weights.evaluate(position.board),
            None => Evaluator::embedded().evaluate(position.board),
        };
        reply::evaluation(position, score)
    }

    /// The engine did what was asked.
    fn complete(&mut self, event: Event, desk: Desk<'_>) {
        let output = desk.output;
        let work = self.running.take();
        match (event, work) {
            (Event::Done(outcome), Some(Work::Search { ponder_words, .. })) => {
                output.say(reply::best_move(&outcome, ponder_words));
            }
            (Event::Weights(Ok(weights)), _) => self.evaluator = Some(weights),
            (Event::Set(Ok(notes)), _) => notes
                .iter()
                .for_each(|note| output.say(format!("info string error {note}"))),
            (
                Event::Set(Err(reason)) | Event::Weights(Err(reason)),
                Some(Work::Setting { line, column }),
            ) => output.say(error_line(&CommandError::new(&line, column, reason))),
            (Event::Perft { depth, nodes, time }, _) => {
                let time = time.as_millis();
                output.say(nodes.map_or_else(
                    || "info string perft stopped".to_owned(),
                    |nodes| format!("perft {depth} nodes {nodes} time {time}"),
                ));
            }
            (Event::Bench(Ok(total)), _) => output.say(total.map_or_else(
                || "info string bench stopped".to_owned(),
                |total| total.to_string(),
            )),
            (Event::Set(Err(reason)) | Event::Bench(Err(reason)), _) => {
                output.say(format!("info string error {reason}"));
            }
            (Event::Fault(reason), work) => {
                output.say(format!("info string error internal fault: {reason:?}"));
                if let Some(Work::Search { position, .. }) = work {
                    output.say(reply::best_move(
                        &emergency(position.board),
                        PonderWords::Hidden,
                    ));
                }
            }
            _ => {}
        }
    }
}

impl FrontEnd for Session {
    fn line(&mut self, line: &Line, desk: Desk<'_>) -> Flow {
        match parse(line) {
            Ok(None) => {}
            Ok(Some(Command::Quit)) => {
                // The work is dropped, the answers before it are not.
                for step in self.steps.drain(..) {
                    if let Step::Say(text) = step {
                        desk.output.say(text);
                    }
                }
                self.all_work().for_each(Work::stop);
                return Flow::Quit;
            }
            Ok(Some(command)) => {
                if let Err(error) = self.obey(command, line, desk) {
                    self.say(error_line(&error));
                }
            }
            Err(error) => self.say(error_line(&error)),
        }
        self.advance(desk)
    }

    fn event(&mut self, event: Event, desk: Desk<'_>) -> Flow {
        match event {
            Event::Info(info) => desk.output.say(InfoLine(&info)),
            Event::BenchLine(line) => desk.output.say(line),
            last => self.complete(last, desk),
        }
        self.advance(desk)
    }

    fn end_of_input(&mut self, desk: Desk<'_>) -> Flow {
        self.input_ended = true;
        self.end_open_searches();
        self.advance(desk)
    }
}

const fn truth(value: bool) -> &'static str {
    if value { "true" } else { "false" }
}

fn error_line(error: &CommandError) -> String {
    format!("info string error {error}")
}

/// A setting of this line; its errors point at the value.
fn setting(line: &Line) -> Work {
    Work::Setting {
        line: bytes(line).to_vec(),
        column: column_after(line, "value", 1),
    }
}

fn bytes(line: &Line) -> &[u8] {
    match line {
        Line::Bytes(bytes) | Line::TooLong(bytes) => bytes,
    }
}

/// 1-based byte of the `n`th word after `word`; without such a word, of the line's end.
fn column_after(line: &Line, word: &str, n: usize) -> usize {
    let line = bytes(line).trim_ascii_end();
    let is_blank = |&byte: &u8| byte == b' ' || byte == b'\t';
    let starts =
        (0..line.len()).filter(|&at| !is_blank(&line[at]) && (at == 0 || is_blank(&line[at - 1])));
    starts
        .skip_while(|&at| {
            let rest = &line[at..];
            let end = rest.iter().position(is_blank).unwrap_or(rest.len());
            &rest[..end] != word.as_bytes()
        })
        .nth(n)
        .unwrap_or(line.len())
        + 1
}

/// The time that `go` gives to the side to move.
fn time_limit(go: &Go, position: Position, line: &Line) -> Result<TimeLimit, CommandError> {
    if let Some(time) = go.movetime {
        return Ok(TimeLimit::Move(time));
    }
    if !go.has_clock() {
        return Ok(TimeLimit::Unlimited);
    }
    let side = position.side;
    let Clock { time, increment } = go.clock(side);
    let Some(remaining) = time else {
        let words = match side {
            Color::Black => "wtime or p1time",
            Color::White => "btime or p2time",
        };
        let reason = format!("expected {words}, the clock of {side}, who is to move");
        let column = bytes(line).trim_ascii_end().len() + 1;
        return Err(CommandError::new(bytes(line), column, reason));
    };
    Ok(TimeLimit::Clock {
        remaining,
        increment: increment.unwrap_or_default(),
        moves_to_go: go.moves_to_go,
    })
}

/// The squares of `searchmoves`, if they are all legal.
fn search_moves(go: &Go, board: Board, line: &Line) -> Result<Option<Bitboard>, CommandError> {
    let Some(moves) = &go.search_moves else {
        return Ok(None);
    };
    let mut squares = Bitboard::EMPTY;
    for (mv, n) in moves.iter().zip(1..) {
        let legal = match mv {
            Move::Place(square) => board.legal_moves().contains(*square),
            Move::Pass => board.must_pass(),
        };
        if !legal {
            let column = column_after(line, "searchmoves", n);
            let reason = format!("illegal move {mv}");
            return Err(CommandError::new(bytes(line), column, reason));
        }
        squares.0 |= mv.square().map_or(0, |square| square.bit());
    }
    Ok((squares != Bitboard::EMPTY).then_some(squares))
}

/// Some legal answer, where the search itself failed.
fn emergency(board: Board) -> Outcome {
    let pass = board.must_pass().then_some(Move::Pass);
    Outcome {
        best: board.legal_moves().first().map(Move::Place).or(pass),
        ponder: None,
        lines: Vec::new(),
        nodes: 0,
        time: Duration::ZERO,
        complete: false,
        proven: (-64, 64),
    }
}
