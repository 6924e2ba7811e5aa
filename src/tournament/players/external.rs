//! Players in other processes. This is what all protocols share: a handshake, a new
//! game, a question, and the wait for its answer; a [`Dialect`] has the commands.

use std::time::{Duration, Instant};

use super::process::Process;
use super::{ChosenMove, Player, PlayerFault, PlayerTurn};

/// The commands of a protocol.
pub(super) trait Dialect: Send {
    /// Does the handshake, and sends the settings.
    fn handshake(&mut self, engine: &mut Process) -> Result<(), PlayerFault>;

    /// Announces a new game.
    fn new_game(&mut self, engine: &mut Process) -> Result<(), PlayerFault>;

    /// Sends the position and the clocks. Returns the line that asks for a move.
    fn prepare(
        &mut self,
        engine: &mut Process,
        turn: &PlayerTurn<'_>,
    ) -> Result<String, PlayerFault>;

    /// Takes one line after the question: `None` if the answer is not complete, an error if it
    /// cannot be read.
    fn read(&mut self, line: &str) -> Option<Result<ChosenMove, String>>;
}

/// An engine that speaks this dialect.
struct External {
    process: Process,
    dialect: Box<dyn Dialect>,
}

/// A player in a running process, after its handshake.
pub(super) fn start(
    mut process: Process,
    mut dialect: Box<dyn Dialect>,
) -> Result<Box<dyn Player>, PlayerFault> {
    process.allow(Duration::ZERO);
    dialect.handshake(&mut process)?;
    Ok(Box::new(External { process, dialect }))
}

impl Player for External {
    fn new_game(&mut self, _: u64) -> Result<(), PlayerFault> {
        self.process.allow(Duration::ZERO);
        self.dialect.new_game(&mut self.process)
    }

    fn choose(&mut self, turn: &PlayerTurn<'_>) -> Result<(ChosenMove, Duration), PlayerFault> {
        self.process.allow(Duration::ZERO);
        let question = self.dialect.prepare(&mut self.process, turn)?;
        self.process
            .allow(turn.clock().allowed().unwrap_or_default());
        self.process.send(&question)?;
        let asked = Instant::now();
        let (choice, at) = self.process.wait_for(|line| self.dialect.read(line))?;
        let choice = choice.map_err(PlayerFault::Garbage)?;
        Ok((choice, at.saturating_duration_since(asked)))
    }

    fn cpu_time(&self) -> Option<Duration> {
        self.process.cpu_time()
    }
}
