//! A conversation in GTP.
//!
//! Commands are carried out in their order, since a `genmove` changes the game. Between
//! two searches the engine may ponder, and no command waits for that search. A `genmove` for
//! the same board continues it, unless a level or a depth is in use; any other search ends it.

use super::reply;
use super::{Clocks, Command, HostGame, Numbered, Parsed, VERSION, parse};
use crate::engine::{Event, Patience, Request, SearchHandle, Strength};
use crate::host::Instant;
use crate::protocol::Preferences;
use crate::protocol::conversation::{self, Dialect, Done};
use crate::random::SplitMix64;
use crate::rules::{Board, Color, Move};
use crate::search::{Limits, Outcome, TimeLimit};
use crate::text::Line;

type Context<'a> = conversation::Context<'a, Gtp>;

/// The state of one conversation.
pub(super) struct Gtp {
    game: HostGame,
    clocks: Clocks,
    strength: Strength,
    /// The seeds of searches.
    seeds: SplitMix64,
    ponders: bool,
    /// Does the engine ponder, and on which reply of the opponent?
    pondering: Option<(SearchHandle, Option<Move>)>,
}

/// What a request is for.
pub(super) enum Purpose {
    /// A new game, which needs no answer.
    NewGame,
    /// The answer to the command of this number.
    Search { id: String, answers: Answers },
}

/// The command that a search answers.
#[derive(Clone, Copy)]
pub(super) enum Answers {
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
            strength: preferences.strength,
            seeds: SplitMix64::new(preferences.seed),
            ponders: preferences.ponders,
            pondering: None,
        }
    }

    /// Carries out a command; an error is answered after a `?`.
    fn carry_out(&mut self, id: &str, command: Command, context: &mut Context<'_>) -> Answer {
        let text = match command {
            Command::ProtocolVersion => VERSION.to_string(),
            Command::Name => "Emilia".to_owned(),
            Command::Version => env!("CARGO_PKG_VERSION").to_owned(),
            Command::KnownCommand(name) => Command::NAMES.contains(&name.as_str()).to_string(),
            Command::ListCommands => Command::NAMES.join("\n"),
            Command::ListGames => "Othello".to_owned(),
            Command::SetGame | Command::Komi | Command::Interrupt | Command::Quit => String::new(),
            Command::BoardSize | Command::ClearBoard => {
                self.stop_pondering();
                self.game = HostGame::default();
                self.clocks.restart();
                context.set(Request::NewGame, Purpose::NewGame);
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
                self.game.play(color, mv)?;
                self.compare_reply(mv);
                String::new()
            }
            Command::GenMove(color) => return self.choose(id, color, context),
            Command::RegGenMove(color) => return self.advise(id, color, context),
            Command::Undo => {
                self.stop_pondering();
                if !self.game.undo() {
                    return Err("cannot undo".to_owned());
                }
                String::new()
            }
            Command::ShowBoard => format!("\n{}", self.game.position().diagram()),
            Command::FinalScore => reply::final_score(self.game.position())?,
            Command::Levels => reply::levels(),
            Command::Level(None) => self.strength.to_string(),
            Command::Level(Some(level)) => self.set_strength(Strength::Level(level)),
            Command::Depth(depth) => self.set_strength(Strength::Depth(depth)),
            Command::MoveTime(time) => self.set_strength(Strength::MoveTime(time)),
            Command::Ponder(ponders) => {
                self.ponders = ponders;
                if !ponders {
                    self.stop_pondering();
                }
                String::new()
            }
            Command::Hint(count) => return Ok(self.hint(id, count, Answers::Hint, context)),
            Command::DrawHint => return Ok(self.hint(id, 64, Answers::DrawHint, context)),
            Command::AnalyzeCommands => reply::ANALYZE_COMMANDS.to_owned(),
            Command::Rules(question) => reply::ruling(question, self.game.position()),
        };
        Ok(Some(text))
    }

    fn set_strength(&mut self, strength: Strength) -> String {
        self.strength = strength;
        strength.to_string()
    }

    /// `genmove`: a forced move at once, another one by a search.
    fn choose(&mut self, id: &str, color: Color, context: &mut Context<'_>) -> Answer {
        let board = self.game.board_for(color)?;
        let mut legal = board.legal_moves();
        let forced = match (legal.next(), legal.next()) {
            (None, _) => Move::Pass,
            (Some(only), None) => Move::Place(only),
            (Some(_), Some(_)) => {
                let empties = board.empty_count();
                let time = self.clocks.limit(color, empties);
                let limits = self.strength.limits(empties, time);
                let answers = Answers::GenMove(color, Instant::now());
                return Ok(self.search(id, answers, board, limits, context));
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
        let limits = self.untimed(board);
        Ok(self.search(id, Answers::RegGenMove, board, limits, context))
    }

    fn hint(
        &mut self,
        id: &str,
        count: usize,
        answers: Answers,
        context: &mut Context<'_>,
    ) -> Option<String> {
        let board = self.game.position().board;
        if board.is_over() {
            return Some(String::new());
        }
        // Hints are for study: those of a weak level would be of no use.
        let strength = match self.strength {
            Strength::Level(_) => Strength::Unchosen,
            chosen => chosen,
        };
        let limits = Limits {
            multipv: count,
            ..strength.limits(board.empty_count(), TimeLimit::Unlimited)
        };
        self.search(id, answers, board, limits, context)
    }

    fn untimed(&self, board: Board) -> Limits {
        let empties = board.empty_count();
        self.strength.limits(empties, TimeLimit::Unlimited)
    }

    fn search(
        &mut self,
        id: &str,
        answers: Answers,
        board: Board,
        limits: Limits,
        context: &mut Context<'_>,
    ) -> Option<String> {
        let id = id.to_owned();
        let purpose = Purpose::Search { id, answers };
        let person = match answers {
            Answers::GenMove(..) | Answers::RegGenMove => {
                self.strength.person(self.seeds.next_u64())
            }
            Answers::Hint | Answers::DrawHint => None,
        };
        let time = limits.time;
        let as_pondered = Limits {
            time,
            ..Limits::default()
        };
        let continued = if limits == as_pondered && person.is_none() {
            context.continue_pondering(board, time, purpose)
        } else {
            Err(purpose)
        };
        let Err(purpose) = continued else {
            self.pondering = None;
            return None;
        };
        self.stop_pondering();
        context.choose(board, limits, Patience::Bounded, person, purpose);
        None
    }

    /// Ponders on the position after the expected reply.
    fn ponder(&mut self, expected: Option<Move>, context: &mut Context<'_>) {
        self.stop_pondering();
        let position = self.game.position();
        let expected = expected.filter(|&mv| position.play(mv).is_some());
        let after = expected
            .and_then(|mv| position.play(mv))
            .unwrap_or(position);
        if !self.ponders || !context.is_idle() || after.board.is_over() {
            return;
        }
        let handle = context.search(after.board, Limits::default(), Patience::Ponder, None);
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

    /// The answer of a search.
    fn answer(&mut self, answers: Answers, outcome: &Outcome) -> Result<String, String> {
        let best = outcome.best.unwrap_or(Move::Pass);
        match answers {
            Answers::GenMove(color, asked) => {
                self.clocks.spend(color, asked.elapsed());
                self.game.play(color, best)?;
                Ok(reply::vertex(best))
            }
            Answers::RegGenMove => Ok(reply::vertex(best)),
            Answers::Hint => Ok(reply::hints(outcome)),
            Answers::DrawHint => Ok(reply::drawn_hints(outcome)),
        }
    }
}

impl Dialect for Gtp {
    type Command = Numbered;
    type Purpose = Purpose;

    fn line(&mut self, line: &Line, context: &mut Context<'_>) {
        match parse(line) {
            Parsed::Nothing => {}
            Parsed::Interrupt => context.stop_all(),
            Parsed::Command(command) => context.defer(command),
        }
    }

    fn run(&mut self, Numbered { id, command }: Numbered, context: &mut Context<'_>) {
        let is_last = command == Ok(Command::Quit);
        let answer = command.and_then(|command| self.carry_out(&id, command, context));
        if let Some(answer) = answer.transpose() {
            context.reply(reply::answer(&id, answer));
        }
        if is_last {
            context.quit();
        }
    }

    fn progress(&mut self, _: &mut Purpose, _: Event, _: &mut Context<'_>) {}

    fn complete(&mut self, done: Done<Purpose>, context: &mut Context<'_>) {
        let Purpose::Search { id, answers } = done.purpose else {
            return;
        };
        let Event::Done(outcome) = done.event else {
            return;
        };
        let answer = self.answer(answers, &outcome);
        context.reply(reply::answer(&id, answer));
        if matches!(answers, Answers::GenMove(..)) {
            self.ponder(outcome.ponder, context);
        }
    }
}
