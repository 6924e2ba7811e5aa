//! A game on the server: its record, its clock, and whether we are to move.

use std::time::Duration;

use super::grammar::with_moves;
use super::message::{GameId, GameState};
use crate::formats::ggf::{End, GameClock, GameResult, GgfGame};
use crate::host::Instant;
use crate::rules::{Color, Position};
use crate::search::TimeLimit;

/// Kept of every clock, as far as it has so much: the server shows whole seconds, and there is what nobody has measured.
const RESERVE: Duration = Duration::from_secs(1);

/// Commands about one position that are refused before no other one is sent.
const MAX_ERRORS: u32 = 3;

/// A game that is played or watched.
pub(super) struct ServerGame {
    pub(super) id: GameId,
    pub(super) record: GgfGame,
    pub(super) awaits_bids: bool,
    /// Our colour; `None`: others play. While bids are awaited, any.
    color: Option<Color>,
    /// What our clock showed at the time of `since`.
    clock: GameClock,
    /// When the server first showed the position.
    pub(super) since: Instant,
    /// The position for which a move or a bid was sent last, and when. It may be shown again, as a half of a synchro step.
    sent: Option<(Position, Instant)>,
    /// The server has refused what was sent, and not shown the position since.
    is_refused: bool,
    /// How often an answer to the position was refused.
    errors: u32,
    /// Our last score, in discs.
    pub(super) score: f64,
    /// Has a player lost on time?
    pub(super) is_lost_on_time: bool,
}

/// Time that nobody thinks. A single slow move is remembered for a while.
#[derive(Clone, Copy, Default)]
pub(super) struct Needs {
    /// From a move to its echo.
    pub(super) lag: Duration,
    /// From a position to its move, without the search.
    pub(super) overhead: Duration,
}

impl ServerGame {
    /// The game as it is shown, which was shown as `before` until now. `false`: not all of its moves are known.
    pub(super) fn shown(
        state: GameState,
        me: &str,
        before: Option<ServerGame>,
    ) -> (ServerGame, bool) {
        let is_me = |color: &Color| state.record.player(*color).name.eq_ignore_ascii_case(me);
        let color = [Color::Black, Color::White].into_iter().find(is_me);
        let clock = state.record.player(color.unwrap_or(Color::Black)).clock;
        let position = state.record.game.position();
        let record = match (&before, state.last) {
            (Some(before), Some(last)) => {
                // An update may be shown again.
                let is_new = before.position() != position;
                with_moves(
                    before.record.clone(),
                    &[last][..usize::from(is_new)],
                    position,
                )
            }
            _ => state.record,
        };
        let is_whole = state.last.is_none() || !record.game.moves().is_empty();
        let mut game = ServerGame {
            id: state.id,
            record,
            awaits_bids: state.awaits_bids,
            color,
            clock: clock.unwrap_or(GameClock::new(Duration::ZERO, Duration::ZERO)),
            since: Instant::now(),
            sent: None,
            is_refused: false,
            errors: 0,
            score: 0.0,
            is_lost_on_time: false,
        };
        if let Some(before) = before {
            (game.score, game.is_lost_on_time) = (before.score, before.is_lost_on_time);
            if (before.position(), before.awaits_bids) == (position, game.awaits_bids) {
                (game.clock, game.since) = (before.clock, before.since);
                game.errors = before.errors;
            }
            game.sent = before.sent.filter(|_| !before.is_refused);
        }
        (game, is_whole)
    }

    pub(super) fn position(&self) -> Position {
        self.record.game.position()
    }

    /// Do we play?
    pub(super) const fn is_ours(&self) -> bool {
        self.color.is_some()
    }

    /// Do we owe a move or a bid?
    pub(super) fn is_due(&self) -> bool {
        let position = self.position();
        let is_turn = self.awaits_bids || self.color == Some(position.side);
        let may_send = self.sent_ago().is_none() && !self.is_refused && self.errors < MAX_ERRORS;
        self.is_ours() && is_turn && may_send && !position.board.is_over()
    }

    /// Do we owe a move or a bid for this position?
    pub(super) fn owes(&self, position: Position) -> bool {
        self.is_due() && self.position() == position
    }

    /// What our clock shows now.
    pub(super) fn left(&self) -> Duration {
        match self.is_due() {
            true => self.clock.main.saturating_sub(self.since.elapsed()),
            false => self.clock.main,
        }
    }

    /// The time for a move, where no clock of another match shows less than `least`, and as many matches go on at once
    /// as `share`. What the network needs is kept once, what this machine needs for each move to come.
    pub(super) fn limit(&self, needs: Needs, least: Duration, share: u32) -> TimeLimit {
        let left = self.left().min(least);
        let moves = self.position().board.empty_count() / 2 + 1;
        let rest = left - (RESERVE + 2 * needs.lag).min(left / 2);
        // A slow machine may need more than there is.
        let rest = rest - (needs.overhead * moves).min(rest * 7 / 8);
        TimeLimit::Clock {
            remaining: rest / share,
            increment: self.clock.increment / share,
            moves_to_go: None,
        }
    }

    /// A move or a bid for the position was sent.
    pub(super) fn note_sent(&mut self) {
        self.sent = Some((self.position(), Instant::now()));
    }

    /// How long ago that was.
    pub(super) fn sent_ago(&self) -> Option<Duration> {
        let sent = self.sent.filter(|(sent, _)| *sent == self.position());
        sent.map(|(_, when)| when.elapsed())
    }

    /// The server refused it.
    pub(super) const fn note_error(&mut self) {
        self.is_refused = true;
        self.errors += 1;
    }

    /// The record with the result: a score for `first`, one of the players.
    pub(super) fn ended(mut self, first: &str, score: Option<f64>) -> GgfGame {
        let is_black = self.record.black.name.eq_ignore_ascii_case(first);
        self.record.result = score.map(|score| GameResult {
            score: if is_black { score } else { -score },
            end: match self.position().board.is_over() {
                true => End::Over,
                false if self.is_lost_on_time => End::Timeout,
                false if score.abs() >= 64.0 => End::Resigned,
                false => End::Agreed,
            },
        });
        self.record
    }
}
