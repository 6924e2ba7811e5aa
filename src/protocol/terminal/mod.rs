//! A conversation with a person: moves and a few words are typed, and the board is drawn after each turn.
//!
//! It is one more dialect of the `conversation` under all protocols. What is particular: a line is asked for only when
//! everything before it is done, by a [`Console`], which is a terminal with an editor of lines or a pipe.

mod command;
mod drawing;
mod session;
#[cfg(test)]
mod tests;

use std::io;
use std::time::Duration;

use crossbeam_channel::{RecvError, RecvTimeoutError};

use super::conversation::{Conversation, Flow, Port, Session};
use super::native::NativeCommand;
use super::{Preferences, cassio, native, nboard};
use crate::engine::{Engine, Request};
use crate::formats::ggf::{GameClock, GgfGame};
use crate::rules::Color;
use crate::text::Line;

pub use command::{read_game, words};
pub use drawing::Style;

/// How often it is looked whether the person wants a search to end.
const POLL: Duration = Duration::from_millis(50);

/// Where a person types and reads.
pub trait Console {
    /// Asks for a line; `None`: there will be no more.
    ///
    /// # Errors
    /// If it cannot be read.
    fn read(&mut self, prompt: &Prompt) -> io::Result<Option<Line>>;

    /// Shows a text of one line or more. One that begins with `\r` is for the moment, and the next one replaces it.
    ///
    /// # Errors
    /// If it cannot be written.
    fn print(&mut self, text: &str) -> io::Result<()>;

    /// Has the person asked, since the last call, that a search ends?
    fn wants_stop(&mut self) -> bool;
}

/// What stands before a line that is typed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Prompt {
    /// Whose turn it is, and a blank.
    pub text: String,
    /// The legal moves.
    pub moves: Vec<&'static str>,
}

/// How a conversation begins.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The game so far.
    pub game: GgfGame,
    /// The person's colour; `None`: that of the side to move.
    pub person: Option<Color>,
    /// The clock of either side.
    pub clock: Option<GameClock>,
    /// How boards are drawn.
    pub style: Style,
}

/// Plays with a person until it leaves. `Some`: its first line begins this protocol instead.
///
/// # Errors
/// If a thread cannot be started or has failed, or the console fails.
pub fn serve(
    setup: Setup,
    preferences: Preferences,
    console: &mut dyn Console,
) -> io::Result<Option<Line>> {
    let engine = Engine::start(preferences.options)?;
    let table = session::Terminal::new(setup, preferences.player);
    let greeting = table.greeting();
    let mut conversation = Conversation::new(table);
    let mut port = Wire {
        engine: &engine,
        console,
        printed: Ok(()),
    };
    port.print(greeting);
    let lost = |_| io::Error::other("the search thread has ended");
    conversation.event(engine.events().recv().map_err(lost)?, &mut port);
    let mut flow = conversation.line(&Line::from("board"), &mut port);
    let mut is_first = true;
    while flow == Flow::Continue {
        std::mem::replace(&mut port.printed, Ok(()))?;
        if conversation.act(&mut port, |_, context| context.is_busy()) {
            flow = match engine.events().recv_timeout(POLL) {
                Ok(event) => conversation.event(event, &mut port),
                Err(RecvTimeoutError::Timeout) => flow,
                Err(_) => return Err(lost(RecvError)),
            };
            if port.console.wants_stop() {
                conversation.act(&mut port, |_, context| context.stop_all());
            }
            continue;
        }
        let prompt = conversation.act(&mut port, |terminal, _| terminal.prompt());
        let line = port.console.read(&prompt)?;
        // What was pressed before the line was there does not end what follows from it.
        port.console.wants_stop();
        let line = line.unwrap_or_else(|| Line::from("quit"));
        if std::mem::take(&mut is_first) && begins_protocol(&line) {
            return Ok(Some(line));
        }
        flow = conversation.line(&line, &mut port);
    }
    port.printed.map(|()| None)
}

/// Is this the first line of a host, and no word for people?
fn begins_protocol(line: &Line) -> bool {
    let native = native::parse(line).ok().flatten();
    matches!(native, Some(NativeCommand::Uci | NativeCommand::Ugi))
        || (nboard::PROTOCOL.begins)(line)
        || (cassio::PROTOCOL.begins)(line)
}

struct Wire<'a> {
    engine: &'a Engine,
    console: &'a mut dyn Console,
    printed: io::Result<()>,
}

impl Port for Wire<'_> {
    fn request(&mut self, request: Request) {
        self.engine.send(request);
    }

    fn print(&mut self, reply: String) {
        if self.printed.is_ok() {
            self.printed = self.console.print(&reply);
        }
    }
}
