//! A conversation with NBoard.

use std::convert::Infallible;

use super::hints::Gatherer;
use super::{NBoardCommand, Version, parse, reply};
use crate::engine::{Event, Player, Request, Strength};
use crate::formats::ggf::GgfGame;
use crate::formats::opening_names;
use crate::protocol::Preferences;
use crate::protocol::conversation::{self, Dialect, DoneRequest};
use crate::rules::{Bitboard, Game, Move, Position};
use crate::search::{Goal, TimeLimit};
use crate::text::Line;

type Context<'a> = conversation::Context<'a, NBoard>;

/// Plies that a forced move is searched on a clock.
const GLANCE: u32 = 6;

pub(super) struct NBoard {
    version: Version,
    game: GgfGame,
    player: Player,
    /// What a draw is worth to black, in hundredths of a disc.
    contempt: i32,
}

pub(super) enum NBoardPurpose {
    /// `go`; what a draw is worth to the side to move.
    Go { contempt: i32 },
    /// `hint`; what a draw is worth to the side to move, and the lines of an iteration.
    Hint {
        contempt: i32,
        gatherer: Gatherer,
        empties: u32,
        goal: Goal,
    },
    /// `analyze`
    Analysis,
}

impl NBoard {
    pub(super) fn new(preferences: Preferences) -> NBoard {
        let mut player = preferences.player;
        // What cannot be played is left as it is.
        let _ = player.set_depth_or_level(player.strength());
        NBoard {
            version: Version::Two,
            game: GgfGame::new(Game::new(Position::START)),
            player,
            contempt: 0,
        }
    }

    fn position(&self) -> Position {
        self.game.game.position()
    }

    /// What the engine is doing, with the name of the opening if the game has reached one.
    fn status(&self, doing: &str) -> String {
        let name = opening_names::of_game(&self.game.game);
        let name = name.map(|name| format!(" ({name})")).unwrap_or_default();
        format!("status Emilia {doing}{name}")
    }

    fn contempt_of_mover(&self) -> i32 {
        self.position().side.pick(self.contempt, -self.contempt)
    }

    fn carry_out(&mut self, command: NBoardCommand, context: &mut Context<'_>) {
        match command {
            NBoardCommand::Hello(version) => {
                self.version = version;
                context.reply_now("set myname Emilia");
            }
            NBoardCommand::SetDepth(depth) => {
                if let Err(error) = self.player.set_depth_or_level(Strength::Depth(depth)) {
                    log::error!("{error}");
                }
            }
            NBoardCommand::SetGame(game) => self.game = *game,
            NBoardCommand::SetContempt(contempt) => self.contempt = contempt,
            NBoardCommand::Move(mv, note) => {
                if let Err(error) = self.game.play(mv, note) {
                    log::error!("{error}");
                }
            }
            NBoardCommand::Ping(number) => {
                context.drop_all();
                context.reply_now(format!("pong {number}"));
            }
            NBoardCommand::Hint(count) => self.hint(count, context),
            NBoardCommand::Go => self.go(context),
            NBoardCommand::Learn => {
                context.reply("learned");
                context.reply(match self.player.learn(&self.game.game) {
                    Ok(Some(new)) => format!("status New positions in the book: {new}"),
                    Ok(None) => "status Emilia has no book: nothing is kept".to_owned(),
                    Err(reason) => format!("status Nothing is kept: {reason}"),
                });
            }
            NBoardCommand::Analyze => self.analyze(context),
            NBoardCommand::Quit => {
                context.drop_all();
                context.quit();
            }
        }
    }

    /// The best moves with growing depth; then, near the end, who wins.
    fn hint(&self, count: usize, context: &mut Context<'_>) {
        let position = self.position();
        if position.board.is_over() {
            return context.reply("status The game is over");
        }
        let known = self.player.book_hints(position.board);
        let moves = known.as_ref().map(|known| known.outside);
        for hint in known.iter().flat_map(|known| &known.hints).take(count) {
            context.reply(reply::book(hint));
        }
        if moves.is_some_and(Bitboard::is_empty) {
            return context.reply(self.status("is waiting"));
        }
        let moves_left = moves.unwrap_or(position.board.legal_moves()).len();
        let count = count.min(moves_left).max(1);
        let empties = position.board.empty_count();
        let purpose = |goal| NBoardPurpose::Hint {
            contempt: self.contempt_of_mover(),
            gatherer: Gatherer::new(count),
            empties,
            goal,
        };
        context.reply(self.status("is thinking"));
        let mut hints = self.player.hints(position.board, count);
        hints.limits.moves = moves;
        context.search(hints, purpose(Goal::Play));
        if let Some(mut winner) = self.player.winner_after_hints(position.board, count) {
            winner.limits.moves = moves;
            context.reply(self.status("looks for the winner"));
            context.search(winner, purpose(Goal::WLD));
        }
        context.reply(self.status("is waiting"));
    }

    /// A move for a game: a forced one at once.
    fn go(&mut self, context: &mut Context<'_>) {
        let board = self.position().board;
        if board.is_over() {
            return context.reply("status The game is over");
        }
        let contempt = self.contempt_of_mover();
        let mut job = self.player.choose(board, self.time());
        // On a clock, a forced move gets a short search for its score.
        if board.legal_moves().len() <= 1 && matches!(job.limits.time, TimeLimit::Clock { .. }) {
            job.limits.depth = Some(job.limits.depth.unwrap_or(GLANCE).min(GLANCE));
        }
        context.reply(self.status("is thinking"));
        context.search(job, NBoardPurpose::Go { contempt });
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

    /// Judges all positions of the game, from its end to its start.
    fn analyze(&self, context: &mut Context<'_>) {
        context.reply(self.status("is analyzing"));
        context.count(NBoardPurpose::Analysis, |control| Request::Analyze {
            game: Box::new(self.game.game.clone()),
            effort: self.player.effort(),
            control,
        });
        context.reply(self.status("is waiting"));
    }
}

impl Dialect for NBoard {
    /// Every command is parsed when it is read.
    type Command = Infallible;
    type Purpose = NBoardPurpose;

    fn line(&mut self, line: &Line, context: &mut Context<'_>) {
        match parse(line) {
            Ok(None) => {}
            Ok(Some(command)) => self.carry_out(command, context),
            Err(error) => log::error!("ignored line: {error}"),
        }
    }

    fn run(&mut self, command: Infallible, _: &mut Context<'_>) {
        match command {}
    }

    fn progress(&mut self, purpose: &mut NBoardPurpose, report: Event, context: &mut Context<'_>) {
        let (contempt, gatherer, empties, goal, info) = match (purpose, report) {
            (NBoardPurpose::Analysis, Event::Judged(judged)) => {
                return context.reply_now(reply::analysis(&judged));
            }
            (
                NBoardPurpose::Hint {
                    contempt,
                    gatherer,
                    empties,
                    goal,
                },
                Event::Info(info),
            ) => (contempt, gatherer, empties, goal, info),
            _ => return,
        };
        // A search for the winner reports only its result.
        if *goal == Goal::WLD && info.depth < *empties {
            return;
        }
        let Some(lines) = gatherer.add(&info) else {
            return;
        };
        for line in &lines {
            let eval = reply::eval(line, *contempt);
            context.reply_now(reply::search(line, eval, *empties));
        }
        context.reply_now(reply::node_stats(info.nodes, info.time));
    }

    fn complete(&mut self, done: DoneRequest<NBoardPurpose>, context: &mut Context<'_>) {
        let Event::Done(outcome) = done.event else {
            return;
        };
        context.reply(reply::node_stats(outcome.nodes, outcome.time));
        if let NBoardPurpose::Go { contempt } = done.purpose {
            let best = outcome.best.unwrap_or(Move::Pass);
            let line = outcome.lines.first();
            let eval = line.map(|line| reply::eval(line, contempt));
            context.reply(reply::chosen(best, eval, done.elapsed));
        }
    }
}
