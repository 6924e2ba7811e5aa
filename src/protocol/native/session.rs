//! A conversation in the native protocol.
//!
//! Each line is parsed and carried out when it is read: errors are reported, positions set and
//! questions answered immediately. Only the static evaluation waits for its turn, because it
//! needs the weights of that moment.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Clock, Go, LAST_OPTIONS, NativeCommand, Query, Setting, VERSION, parse, reply};
use crate::engine::{Event, Patience, Player, Request, SearchJob, Strength};
use crate::eval::Evaluator;
use crate::formats::opening_names;
use crate::human::{MoveShare, Rating, players_model};
use crate::protocol::Preferences;
use crate::protocol::conversation::{self, Dialect, DoneRequest};
use crate::rules::{Bitboard, Board, Color, Game, Position};
use crate::search::{Goal, Limits, Selectivity, TimeLimit};
use crate::text::{Line, TextError};

type Context<'a> = conversation::Context<'a, Native>;

pub(super) struct Native {
    game: Game,
    multipv: usize,
    /// Does `bestmove` name the move to ponder on? Some hosts refuse a line of more than two words.
    shows_ponder: bool,
    shows_wdl: bool,
    selectivity: Selectivity,
    player: Player,
    /// `UCI_Elo`, which counts while `UCI_LimitStrength` is on.
    elo: Rating,
    limits_strength: bool,
    /// Does the host speak UCI, which has options of its own?
    is_uci: bool,
    /// Weights read by `EvalFile`; none: the built-in ones.
    evaluator: Option<Arc<Evaluator>>,
}

/// `eval` for a position.
pub(super) struct Evaluate(Position);

pub(super) enum NativePurpose {
    /// `go`
    Search {
        shows_ponder: bool,
        shows_wdl: bool,
        /// How likely people are to choose each move; empty: it is not shown.
        shares: Vec<MoveShare>,
    },
    /// `perft`, `bench`
    Count,
    /// A setting; its line, and the column of its value.
    Setting { line: Line, column: usize },
}

impl Native {
    pub(super) fn new(preferences: Preferences) -> Native {
        let mut player = preferences.player;
        player.set_strength(Strength::Unchosen);
        Native {
            player,
            game: Game::new(Position::START),
            multipv: 1,
            shows_ponder: false,
            shows_wdl: false,
            elo: Rating::new(reply::UCI_ELO.into()),
            limits_strength: false,
            is_uci: false,
            selectivity: Selectivity::default(),
            evaluator: None,
        }
    }

    fn position(&self) -> Position {
        self.game.position()
    }

    /// Carries out a command. `line` is its text, for errors that the grammar cannot see.
    fn carry_out(
        &mut self,
        command: NativeCommand,
        line: &Line,
        context: &mut Context<'_>,
    ) -> Result<(), TextError> {
        match command {
            NativeCommand::Uci => {
                let identification = reply::identification(&reply::uci_options());
                context.reply(format!("{identification}\nuciok"));
                self.is_uci = true;
            }
            NativeCommand::Ugi => context.reply(format!("{}\nugiok", reply::identification(""))),
            NativeCommand::IsReady => context.reply_when_set("readyok"),
            NativeCommand::NewGame => {
                self.game = Game::new(Position::START);
                context.set(Request::NewGame, setting(line));
            }
            NativeCommand::SetOption(option) => {
                context.stop_endless();
                self.set(option, line, context)?;
            }
            NativeCommand::Position(game) => {
                context.stop_endless();
                self.game = game;
            }
            NativeCommand::Go(go) => self.go(&go, line, context)?,
            NativeCommand::Stop => context.stop_all(),
            NativeCommand::PonderHit => context.ponder_hit(),
            NativeCommand::Quit => context.quit(),
            NativeCommand::Query(query) => {
                context.reply(format!("response {}", self.answer(query)))
            }
            NativeCommand::Draw => {
                let position = self.position();
                let name = opening_names::of_game(&self.game);
                let name = name.map_or_else(String::new, |name| format!("\n{name}"));
                context.reply(format!("{}\n{position}{name}", position.diagram()));
            }
            NativeCommand::Moves => context.reply(reply::legal_moves(self.position().board)),
            NativeCommand::Eval => context.defer(Evaluate(self.position())),
            NativeCommand::Perft(depth) => {
                let board = self.position().board;
                context.count(NativePurpose::Count, |control| Request::Perft {
                    board,
                    depth,
                    control,
                });
            }
            NativeCommand::Bench => {
                context.count(NativePurpose::Count, |control| Request::Bench { control })
            }
            NativeCommand::Help => {
                context.reply(format!("Emilia, protocol {VERSION}\n{}", reply::HELP))
            }
        }
        Ok(())
    }

    fn answer(&self, query: Query) -> &'static str {
        let result = self.position().result_for_black();
        match query {
            Query::GameOver => truth(result.is_some()),
            Query::Result => reply::query_result(result),
            Query::P1Turn => truth(self.position().side == Color::Black),
        }
    }

    fn set(
        &mut self,
        option: Setting,
        line: &Line,
        context: &mut Context<'_>,
    ) -> Result<(), TextError> {
        let request = match option {
            Setting::Threads(threads) => Request::SetThreads(threads),
            Setting::Hash(megabytes) => Request::SetHash(megabytes),
            Setting::ClearHash => Request::NewGame,
            Setting::EvalFile(path) => Request::SetWeights(path.map(PathBuf::from)),
            Setting::MultiPv(lines) => {
                self.multipv = lines;
                return Ok(());
            }
            Setting::Ponder(shows) => {
                self.shows_ponder = shows;
                return Ok(());
            }
            Setting::ShowWdl(shows) => {
                self.shows_wdl = shows;
                return Ok(());
            }
            Setting::Level(level) => {
                let is_level = matches!(self.player.strength(), Strength::Level(_));
                return self.set_strength(level.map(Strength::Level), is_level, line);
            }
            Setting::Rating(rating) => {
                return self.set_strength(rating.map(Strength::Rating), self.has_rating(), line);
            }
            Setting::Elo(elo) => {
                self.elo = elo;
                let rating = self.limits_strength.then_some(Strength::Rating(elo));
                return self.set_strength(rating, false, line);
            }
            Setting::LimitStrength(limits) => {
                let rating = limits.then_some(Strength::Rating(self.elo));
                let ends = self.limits_strength && self.has_rating();
                self.set_strength(rating, ends, line)?;
                self.limits_strength = limits;
                return Ok(());
            }
            Setting::Selectivity(level) => {
                self.selectivity = level;
                return Ok(());
            }
            Setting::Book(path) => {
                let opened = self.player.set_book(path.as_deref().map(Path::new));
                let column = column_after(line, "value", 1);
                return opened.map_err(|reason| TextError::new(column, reason));
            }
            Setting::BookVariety(hundredths) => {
                self.player.set_book_variety(f64::from(hundredths) / 100.0);
                return Ok(());
            }
            Setting::BookStyle(style) => {
                self.player.set_book_style(style);
                return Ok(());
            }
            Setting::BookSeed(seed) => {
                self.player.set_book_seed(seed);
                return Ok(());
            }
        };
        context.set(request, setting(line));
        Ok(())
    }

    const fn has_rating(&self) -> bool {
        matches!(self.player.strength(), Strength::Rating(_))
    }

    /// Level and rating: the later one counts; `None` ends what is in use, if that is of the same kind.
    fn set_strength(
        &mut self,
        chosen: Option<Strength>,
        is_same_kind: bool,
        line: &Line,
    ) -> Result<(), TextError> {
        if let Some(strength) = chosen {
            let column = column_after(line, "value", 1);
            let checked = strength.check();
            checked.map_err(|error| TextError::new(column, error.to_string()))?;
            self.player.set_strength(strength);
        } else if is_same_kind {
            self.player.set_strength(Strength::Unchosen);
        }
        Ok(())
    }

    /// How likely people of the rating that is set are to choose each move, if several lines are asked for.
    fn shares(&self, board: Board, multipv: usize) -> Vec<MoveShare> {
        let Strength::Rating(rating) = self.player.strength() else {
            return Vec::new();
        };
        // Whoever set the rating has made sure that there is a model.
        match players_model() {
            Ok(model) if multipv > 1 => {
                model.probabilities(board, rating.min(Rating::TOP_OF_PEOPLE), None)
            }
            _ => Vec::new(),
        }
    }

    fn go(&mut self, go: &Go, line: &Line, context: &mut Context<'_>) -> Result<(), TextError> {
        let position = self.position();
        let time = time_limit(go, position, line)?;
        let limits = Limits {
            goal: go.goal,
            depth: go.depth,
            nodes: go.nodes,
            time,
            selectivity: self.selectivity,
            multipv: go.multipv.unwrap_or(self.multipv),
            moves: search_moves(go, position.board, line)?,
            ..Limits::default()
        };
        // Without a level the host's limits alone count.
        let has_level = self.player.strength() != Strength::Unchosen;
        let has_book = self.player.has_book() && !go.is_endless() && !go.ponder;
        let plays = (has_level || has_book) && go.goal == Goal::Play && !go.infinite;
        let patience = if go.is_endless() && !plays {
            Patience::Infinite
        } else if go.ponder {
            Patience::Ponder
        } else {
            Patience::Bounded
        };
        context.stop_endless();
        if let Some(result) = position.result_for_black() {
            context.reply(reply::game_over(result));
        }
        let shares = self.shares(position.board, limits.multipv);
        let job = if plays {
            self.player.choose_within(position.board, limits, patience)
        } else {
            SearchJob::new(position.board, limits, patience)
        };
        if let Some(book) = job.book_text() {
            context.reply(format!("info string book {book}"));
        }
        let purpose = NativePurpose::Search {
            shows_ponder: self.shows_ponder,
            shows_wdl: self.shows_wdl,
            shares,
        };
        context.search(job, purpose);
        Ok(())
    }

    fn evaluate(&self, position: Position) -> String {
        let evaluator = self.evaluator.clone().unwrap_or_else(Evaluator::embedded);
        reply::evaluation(position, evaluator.evaluate(position.board))
    }
}

impl Dialect for Native {
    type Command = Evaluate;
    type Purpose = NativePurpose;

    fn line(&mut self, line: &Line, context: &mut Context<'_>) {
        let done = match parse(line) {
            Ok(None) => Ok(()),
            Ok(Some(command)) => self.carry_out(command, line, context),
            Err(error) => Err(error),
        };
        if let Err(mut error) = done {
            if self.is_uci {
                error.reason = error.reason.replace(LAST_OPTIONS, reply::LAST_UCI_OPTIONS);
            }
            context.reply(reply::error(line, &error));
        }
    }

    fn run(&mut self, Evaluate(position): Evaluate, context: &mut Context<'_>) {
        context.reply(self.evaluate(position));
    }

    fn progress(&mut self, purpose: &mut NativePurpose, report: Event, context: &mut Context<'_>) {
        match report {
            Event::Info(info) => {
                let (shares, shows_wdl) = match purpose {
                    NativePurpose::Search {
                        shares, shows_wdl, ..
                    } => (&shares[..], *shows_wdl),
                    _ => (&[][..], false),
                };
                context.reply_now(reply::info(&info, shares, shows_wdl));
            }
            Event::BenchLine(line) => context.reply_now(line.to_string()),
            _ => {}
        }
    }

    fn complete(&mut self, done: DoneRequest<NativePurpose>, context: &mut Context<'_>) {
        match (done.event, done.purpose) {
            (Event::Done(outcome), NativePurpose::Search { shows_ponder, .. }) => {
                let ponder = outcome.ponder.filter(|_| shows_ponder);
                context.reply(reply::best_move(outcome.best, ponder));
            }
            (Event::Weights(Ok(weights)), _) => self.evaluator = Some(weights),
            (Event::Set(Ok(notes)), _) => {
                notes.into_iter().for_each(|note| self.warn(note, context));
            }
            (
                Event::Set(Err(reason)) | Event::Weights(Err(reason)),
                NativePurpose::Setting { line, column },
            ) => context.reply(reply::error(&line, &TextError::new(column, reason))),
            (Event::Perft { depth, nodes, time }, _) => {
                context.reply(reply::perft(depth, nodes, time));
            }
            (Event::Bench(Ok(total)), _) => context.reply(reply::bench(total)),
            (Event::Bench(Err(reason)), _) => self.warn(reason, context),
            _ => {}
        }
    }

    fn warn(&mut self, reason: String, context: &mut Context<'_>) {
        context.reply(format!("info string error {reason}"));
    }
}

const fn truth(value: bool) -> &'static str {
    if value { "true" } else { "false" }
}

/// A setting of this line; its errors point at the value.
fn setting(line: &Line) -> NativePurpose {
    NativePurpose::Setting {
        line: line.clone(),
        column: column_after(line, "value", 1),
    }
}

/// 1-based byte of the `n`th word after `word`; without such a word, of the line's end.
fn column_after(line: &Line, word: &str, n: usize) -> usize {
    let line = line.bytes().trim_ascii_end();
    let words = line.split(|byte| matches!(byte, b' ' | b'\t'));
    let mut words = words.filter(|word| !word.is_empty());
    let start = words.find(|found| *found == word.as_bytes());
    let found = start.and_then(|_| words.nth(n - 1));
    let place = |found: &[u8]| found.as_ptr() as usize - line.as_ptr() as usize;
    found.map_or(line.len(), place) + 1
}

/// The time of the side to move, from the arguments of `go`.
fn time_limit(go: &Go, position: Position, line: &Line) -> Result<TimeLimit, TextError> {
    if let Some(time) = go.movetime {
        return Ok(TimeLimit::Move(time));
    }
    if !go.has_clock() {
        return Ok(TimeLimit::Unlimited);
    }
    let side = position.side;
    let Clock { time, increment } = go.clock(side);
    let Some(remaining) = time else {
        let words = side.pick("wtime or p1time", "btime or p2time");
        let reason = format!("expected {words}, the clock of the side to move");
        let column = line.bytes().trim_ascii_end().len() + 1;
        return Err(TextError::new(column, reason));
    };
    Ok(TimeLimit::Clock {
        remaining,
        increment: increment.unwrap_or_default(),
        moves_to_go: go.moves_to_go,
    })
}

/// The squares of `searchmoves`, if they are all legal.
fn search_moves(go: &Go, board: Board, line: &Line) -> Result<Option<Bitboard>, TextError> {
    let Some(moves) = &go.search_moves else {
        return Ok(None);
    };
    let mut squares = Bitboard::EMPTY;
    for (mv, n) in moves.iter().zip(1..) {
        if !board.moves().any(|legal| legal == *mv) {
            let column = column_after(line, "searchmoves", n);
            let reason = format!("illegal move {mv}");
            return Err(TextError::new(column, reason));
        }
        squares.0 |= mv.square().map_or(0, |square| square.bit());
    }
    Ok((squares != Bitboard::EMPTY).then_some(squares))
}
