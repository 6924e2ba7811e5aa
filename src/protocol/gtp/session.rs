//! A conversation in GTP.
//!
//! Commands are carried out in their order, since a `genmove` changes the game. Between
//! two searches the engine may ponder, and no command waits for that search. A `genmove` for
//! the same board continues it, unless a level or a depth is in use; any other search ends it.

use super::reply;
use super::{Clocks, GtpCommand, GtpLine, HostGame, Numbered, VERSION, parse};
use crate::engine::{Event, Player, Request, SearchHandle, SearchJob};
use crate::host::Instant;
use crate::protocol::Preferences;
use crate::protocol::conversation::{self, Dialect, DoneRequest};
use crate::rules::{Color, Move};
use crate::search::{Outcome, TimeLimit};
use crate::text::Line;

type Context<'a> = conversation::Context<'a, Gtp>;

pub(super) struct Gtp {
    game: HostGame,
    clocks: Clocks,
    player: Player,
    ponders: bool,
    /// Does the engine ponder, and on which reply of the opponent?
    pondering: Option<(SearchHandle, Option<Move>)>,
}

pub(super) enum GtpPurpose {
    /// A new game, which needs no answer.
    NewGame,
    /// The answer to the command of this number.
    Search { id: String, answers: GtpAnswer },
}

#[derive(Clone, Copy)]
pub(super) enum GtpAnswer {
    /// `genmove`, and when it was asked.
    GenMove(Color, Instant),
    /// `reg_genmove`
    RegGenMove,
    /// `emilia-hint`
    Hint,
    /// `emilia-gfx_hint`
    DrawHint,
}

/// The result of a command: its answer, or `None` if a search answers it later.
type Answer = Result<Option<String>, String>;

impl Gtp {
    pub(super) fn new(preferences: Preferences) -> Gtp {
        Gtp {
            game: HostGame::default(),
            clocks: Clocks::default(),
            player: preferences.player,
            ponders: preferences.ponders,
            pondering: None,
        }
    }

    /// Carries out a command; an error is answered after a `?`.
    fn carry_out(&mut self, id: &str, command: GtpCommand, context: &mut Context<'_>) -> Answer {
        let mut text = String::new();
        match command {
            GtpCommand::ProtocolVersion => text = VERSION.to_string(),
            GtpCommand::Name => text = "Emilia".to_owned(),
            GtpCommand::Version => text = env!("CARGO_PKG_VERSION").to_owned(),
            GtpCommand::KnownCommand(name) => {
                text = GtpCommand::names().any(|known| known == name).to_string();
            }
            GtpCommand::ListCommands => text = GtpCommand::names().collect::<Vec<_>>().join("\n"),
            GtpCommand::ListGames => text = "Othello".to_owned(),
            GtpCommand::SetGame | GtpCommand::Komi | GtpCommand::Interrupt | GtpCommand::Quit => {}
            GtpCommand::BoardSize | GtpCommand::ClearBoard => {
                self.stop_pondering();
                self.game = HostGame::default();
                self.clocks.restart();
                context.set(Request::NewGame, GtpPurpose::NewGame);
            }
            GtpCommand::TimeSettings(settings) => self.clocks = Clocks::new(settings),
            GtpCommand::TimeLeft(color, left) => self.clocks.tell(color, left),
            GtpCommand::Play(color, mv) => {
                self.game.play(color, mv)?;
                self.compare_reply(mv);
            }
            GtpCommand::GenMove(color) => return self.choose(id, color, context),
            GtpCommand::RegGenMove(color) => return self.advise(id, color, context),
            GtpCommand::Undo => {
                self.stop_pondering();
                if !self.game.undo() {
                    return Err("cannot undo".to_owned());
                }
            }
            GtpCommand::ShowBoard => text = format!("\n{}", self.game.position().diagram()),
            GtpCommand::FinalScore => text = reply::final_score(self.game.position())?,
            GtpCommand::Levels => text = reply::levels(),
            GtpCommand::Strength(chosen) => {
                let strength = chosen.unwrap_or(self.player.strength());
                strength.check().map_err(|error| error.to_string())?;
                self.player.set_strength(strength);
                text = self.player.strength().to_string();
            }
            GtpCommand::Ponder(ponders) => {
                self.ponders = ponders;
                if !ponders {
                    self.stop_pondering();
                }
            }
            GtpCommand::Hint(count) => return Ok(self.hint(id, count, GtpAnswer::Hint, context)),
            GtpCommand::DrawHint => return Ok(self.hint(id, 64, GtpAnswer::DrawHint, context)),
            GtpCommand::AnalyzeCommands => text = reply::ANALYZE_COMMANDS.to_owned(),
            GtpCommand::Rules(question) => text = reply::ruling(question, self.game.position()),
        }
        Ok(Some(text))
    }

    /// `genmove`: a forced move at once, another one by a search.
    fn choose(&mut self, id: &str, color: Color, context: &mut Context<'_>) -> Answer {
        let board = self.game.board_for(color)?;
        let mut legal = board.legal_moves();
        let forced = match (legal.next(), legal.next()) {
            (None, _) => Move::Pass,
            (Some(only), None) => Move::Place(only),
            (Some(_), Some(_)) => {
                let time = self.clocks.limit(color, board.empty_count());
                let job = self.player.choose(board, time);
                let answers = GtpAnswer::GenMove(color, Instant::now());
                return Ok(self.search(id, answers, job, context));
            }
        };
        self.game.play(color, forced)?;
        context.reply(reply::answer(id, Ok(reply::vertex(forced))));
        self.ponder(None, context);
        Ok(None)
    }

    /// `reg_genmove`: the clocks do not count.
    fn advise(&mut self, id: &str, color: Color, context: &mut Context<'_>) -> Answer {
        let board = self.game.board_for(color)?;
        if board.legal_moves().is_empty() {
            return Ok(Some(reply::vertex(Move::Pass)));
        }
        let job = self.player.choose(board, TimeLimit::Unlimited);
        Ok(self.search(id, GtpAnswer::RegGenMove, job, context))
    }

    fn hint(
        &mut self,
        id: &str,
        count: usize,
        answers: GtpAnswer,
        context: &mut Context<'_>,
    ) -> Option<String> {
        let board = self.game.position().board;
        if board.is_over() {
            return Some(String::new());
        }
        let job = self.player.hints(board, count);
        self.search(id, answers, job, context)
    }

    fn search(
        &mut self,
        id: &str,
        answers: GtpAnswer,
        job: SearchJob,
        context: &mut Context<'_>,
    ) -> Option<String> {
        let id = id.to_owned();
        let purpose = GtpPurpose::Search { id, answers };
        match context.continue_pondering(&job, purpose) {
            Ok(()) => self.pondering = None,
            Err(purpose) => {
                self.stop_pondering();
                context.search(job, purpose);
            }
        }
        None
    }

    /// Ponders on the position after the expected reply.
    fn ponder(&mut self, expected: Option<Move>, context: &mut Context<'_>) {
        self.stop_pondering();
        let position = self.game.position();
        let reply = expected.and_then(|mv| Some((mv, position.play(mv)?)));
        let (expected, after) = reply.unzip();
        let after = after.unwrap_or(position);
        if !self.ponders || !context.is_idle() || after.board.is_over() {
            return;
        }
        let handle = context.search(self.player.ponder(after.board), None);
        self.pondering = Some((handle, expected));
    }

    /// The opponent moved: if this is not the expected move, pondering ends.
    fn compare_reply(&mut self, reply: Move) {
        if let Some((_, expected)) = self.pondering
            && expected != Some(reply)
        {
            self.stop_pondering();
        }
    }

    fn stop_pondering(&mut self) {
        if let Some((handle, _)) = self.pondering.take() {
            handle.stop();
        }
    }

    fn answer(&mut self, answers: GtpAnswer, outcome: &Outcome) -> Result<String, String> {
        let best = outcome.best.unwrap_or(Move::Pass);
        match answers {
            GtpAnswer::GenMove(color, asked) => {
                self.clocks.spend(color, asked.elapsed());
                self.game.play(color, best)?;
                Ok(reply::vertex(best))
            }
            GtpAnswer::RegGenMove => Ok(reply::vertex(best)),
            GtpAnswer::Hint => Ok(reply::hints(outcome)),
            GtpAnswer::DrawHint => Ok(reply::drawn_hints(outcome)),
        }
    }
}

impl Dialect for Gtp {
    type Command = Numbered;
    type Purpose = GtpPurpose;

    fn line(&mut self, line: &Line, context: &mut Context<'_>) {
        match parse(line) {
            GtpLine::Nothing => {}
            GtpLine::Interrupt => context.stop_all(),
            GtpLine::Command(command) => context.defer(command),
        }
    }

    fn run(&mut self, Numbered { id, command }: Numbered, context: &mut Context<'_>) {
        let is_last = command == Ok(GtpCommand::Quit);
        let answer = command.and_then(|command| self.carry_out(&id, command, context));
        if let Some(answer) = answer.transpose() {
            context.reply(reply::answer(&id, answer));
        }
        if is_last {
            context.quit();
        }
    }

    fn progress(&mut self, _: &mut GtpPurpose, _: Event, _: &mut Context<'_>) {}

    fn complete(&mut self, done: DoneRequest<GtpPurpose>, context: &mut Context<'_>) {
        let (GtpPurpose::Search { id, answers }, Event::Done(outcome)) = (done.purpose, done.event)
        else {
            return;
        };
        let answer = self.answer(answers, &outcome);
        context.reply(reply::answer(&id, answer));
        if matches!(answers, GtpAnswer::GenMove(..)) {
            self.ponder(outcome.ponder, context);
        }
    }
}
