//! A conversation with Cassio. Apart from the engine's tables, no state is kept between searches.

use std::convert::Infallible;

use super::grammar::is_command;
use super::{CassioCommand, SearchCommand, parse, reply};
use crate::engine::{Event, Patience, Player, Request, SearchJob};
use crate::protocol::conversation::{self, Dialect, DoneRequest};
use crate::rules::Move;
use crate::search::{Goal, Limits, Selectivity};
use crate::text::Line;

type Context<'a> = conversation::Context<'a, Cassio>;

/// The last line of each answer.
const READY: &str = "ready.";

pub(super) struct Cassio {
    /// It plays from a book, if one was chosen.
    player: Player,
}

/// A `midgame-search` or `endgame-search` that runs.
pub(super) struct Searching {
    search: SearchCommand,
    nodes: u64,
    /// The last result, so that nothing is sent twice.
    printed: Option<Printed>,
}

/// What distinguishes results: depth, selectivity, raw score and best move.
type Printed = (u32, Selectivity, i32, Option<Move>);

impl Cassio {
    pub(super) const fn new(player: Player) -> Cassio {
        Cassio { player }
    }

    /// A search in the middle of the game may be answered by the book.
    fn job(&mut self, search: &SearchCommand) -> SearchJob {
        let (board, limits) = (search.position.board, limits(search));
        if limits.goal == Goal::Play && self.player.has_book() {
            self.player.choose_within(board, limits, Patience::Bounded)
        } else {
            SearchJob::new(board, limits, Patience::Bounded)
        }
    }

    fn carry_out(&mut self, command: CassioCommand, context: &mut Context<'_>) {
        match command {
            CassioCommand::Alive if context.is_busy() => context.reply_now("ok."),
            CassioCommand::Alive => context.reply_now(READY),
            CassioCommand::SearchInfos => context.reply_now(search_infos(context)),
            CassioCommand::Stop if context.is_busy() => context.stop_all(),
            CassioCommand::Stop => context.reply_now(READY),
            // The results of earlier searches may still be useful, so the table is kept.
            CassioCommand::Init | CassioCommand::NewPosition => context.reply(READY),
            CassioCommand::Version => {
                let version = env!("CARGO_PKG_VERSION");
                context.reply(format!("version: Emilia {version}\n{READY}"));
            }
            CassioCommand::EmptyHash => context.set(Request::NewGame, None),
            CassioCommand::Search(search) => {
                let job = self.job(&search);
                let searching = Searching {
                    search,
                    nodes: 0,
                    printed: None,
                };
                context.search(job, Some(Some(searching)));
            }
            CassioCommand::Quit => {
                context.quit();
                context.reply_now("bye bye.");
            }
        }
    }
}

/// `node N, time S` while a search runs.
fn search_infos(context: &Context<'_>) -> String {
    match context.running() {
        Some((Some(Searching { nodes, .. }), time)) => {
            format!("node {nodes}, time {:.3}", time.as_secs_f64())
        }
        _ => READY.to_owned(),
    }
}

/// The limits of a search. It finds the score itself, which answers any window. The window −1..1
/// asks only who wins.
fn limits(search: &SearchCommand) -> Limits {
    let goal = match search.depth {
        Some(_) => Goal::Play,
        None if search.alpha >= -1.0 && search.beta <= 1.0 => Goal::WLD,
        None => Goal::EXACT,
    };
    Limits {
        goal,
        depth: search.depth,
        selectivity: search.precision,
        ..Limits::default()
    }
}

impl Dialect for Cassio {
    /// Every command is parsed when it is read.
    type Command = Infallible;
    /// `None`: `empty-hash`.
    type Purpose = Option<Searching>;

    fn line(&mut self, line: &Line, context: &mut Context<'_>) {
        match parse(line) {
            Ok(command) => self.carry_out(command, context),
            Err(error) => {
                log::error!("ignored line: {error}");
                if is_command(line) {
                    context.reply(READY);
                }
            }
        }
    }

    fn run(&mut self, command: Infallible, _: &mut Context<'_>) {
        match command {}
    }

    fn progress(
        &mut self,
        purpose: &mut Option<Searching>,
        report: Event,
        context: &mut Context<'_>,
    ) {
        let (Some(searching), Event::Info(info)) = (purpose, report) else {
            return;
        };
        searching.nodes = info.nodes;
        let search = &searching.search;
        let best = info.pv.first().copied();
        let news = (info.depth, info.selectivity, info.score.raw(), best);
        if searching.printed.replace(news) != Some(news) {
            context.reply_now(reply::result(search.position, &info));
        }
        // A search to the end of the game ends at 100%, but the host may accept less.
        let is_at_end = info.depth >= search.position.board.empty_count();
        if is_at_end && info.selectivity >= search.precision {
            context.stop_running();
        }
    }

    fn complete(&mut self, _: DoneRequest<Option<Searching>>, context: &mut Context<'_>) {
        context.reply(READY);
    }
}
