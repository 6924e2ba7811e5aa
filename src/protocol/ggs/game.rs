//! A game on the server: its record, its clock, and whether we are to move.

use std::time::Duration;

use super::message::{GameId, GameState};
use crate::formats::ggf::{self, Annotation, End, GameResult, GgfGame, GgfPlayer};
use crate::host::Instant;
use crate::rules::{Color, Game, Move, Position};
use crate::search::TimeLimit;

/// The server shows whole seconds: a clock that differs by more is another one.
const SECOND: Duration = Duration::from_secs(1);

/// Kept of every clock, as far as it has so much: what nobody has measured.
const RESERVE: Duration = Duration::from_secs(1);

/// Commands about one position that are refused before no other one is sent.
const MAX_ERRORS: u32 = 3;

/// A game that is played or watched.
#[derive(Clone, Debug)]
pub(super) struct ServerGame {
    pub(super) id: GameId,
    pub(super) record: GgfGame,
    /// Do we play?
    pub(super) is_ours: bool,
    /// Our colour; `None` until the bids for the komi are there.
    color: Option<Color>,
    /// What our clock showed at the time of `since`, finer than the server shows it.
    left: Duration,
    increment: Duration,
    /// When the server showed the position.
    pub(super) since: Instant,
    /// The position for which a move or a bid was sent, and when: no other one is.
    sent: Option<(Position, Instant)>,
    /// How long the server took to show our last move.
    pub(super) echo: Option<Duration>,
    /// The server has refused what was sent, and not shown the position since.
    is_refused: bool,
    errors: u32,
    /// Our last score, in discs.
    pub(super) score: f64,
    /// Has a player lost on time?
    is_lost_on_time: bool,
}

/// Time that nobody thinks. A single slow move is remembered for a while.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Needs {
    /// From a move to its echo.
    pub(super) lag: Duration,
    /// From a position to its move, without the search.
    pub(super) overhead: Duration,
}

impl ServerGame {
    /// The game as it is shown.
    pub(super) fn shown(state: &GameState, me: &str) -> ServerGame {
        let mut record = record(state);
        let player = |at: usize| GgfPlayer {
            name: state.seats[at].name.clone(),
            rating: Some(state.seats[at].rating),
            clock: Some(state.seats[at].clock),
        };
        let black = usize::from(state.seats[0].color == Some(Color::White));
        (record.black, record.white) = (player(black), player(1 - black));
        let is_me = |name: &str| name.eq_ignore_ascii_case(me);
        let seat = state.seats.iter().find(|seat| is_me(&seat.name));
        let clock = seat.map(|seat| seat.clock);
        ServerGame {
            id: state.id,
            record,
            is_ours: seat.is_some(),
            color: seat.and_then(|seat| seat.color),
            left: clock.map_or(Duration::ZERO, |clock| clock.main),
            increment: clock.map_or(Duration::ZERO, |clock| clock.increment),
            since: Instant::now(),
            sent: None,
            echo: None,
            is_refused: false,
            errors: 0,
            score: 0.0,
            is_lost_on_time: false,
        }
    }

    /// This game, which was shown as a whole, after it was `before`. What was sent is not sent again, unless it was
    /// refused.
    pub(super) fn after(mut self, before: &ServerGame) -> ServerGame {
        if (self.position(), self.color) == (before.position(), before.color) {
            (self.left, self.since) = (before.left, before.since);
            self.errors = before.errors;
        }
        self.sent = before.sent.filter(|_| !before.is_refused);
        self.score = before.score;
        self
    }

    /// The game after an `update`, in which it is `new` and has this last move. `false`: the record does not lead there.
    pub(super) fn updated(
        self,
        new: ServerGame,
        last: &[(Move, Annotation)],
    ) -> (ServerGame, bool) {
        if new.position() == self.position() {
            return (ServerGame { echo: None, ..self }, true);
        }
        let mut next = ServerGame {
            sent: self.sent,
            score: self.score,
            is_lost_on_time: self.is_lost_on_time,
            ..new
        };
        let mut left = self.left;
        if self.color == Some(self.position().side) {
            let used = last.first().and_then(|(_, note)| note.time);
            left = left.saturating_sub(used.unwrap_or_default()) + self.increment;
            next.echo = self.sent.map(|(_, when)| when.elapsed());
        }
        if left.abs_diff(next.left) <= SECOND {
            next.left = left;
        }
        let mut record = self.record;
        let is_played = last.iter().all(|&(mv, note)| record.play(mv, note).is_ok());
        let is_next = is_played && record.game.position() == next.position();
        if is_next {
            next.record = record;
        }
        (next, is_next)
    }

    pub(super) fn position(&self) -> Position {
        self.record.game.position()
    }

    /// Are the colours given by bids that are still to come?
    pub(super) const fn awaits_bid(&self) -> bool {
        self.is_ours && self.color.is_none()
    }

    /// Do we owe a move or a bid?
    pub(super) fn is_due(&self) -> bool {
        let position = self.position();
        let is_turn = self.awaits_bid() || self.color == Some(position.side);
        let is_sent = self.sent.is_some_and(|(sent, _)| sent == position);
        let may_send = !is_sent && !self.is_refused && self.errors < MAX_ERRORS;
        self.is_ours && is_turn && may_send && !position.board.is_over()
    }

    /// Do we owe a move or a bid for this position?
    pub(super) fn owes(&self, position: Position) -> bool {
        self.is_due() && self.position() == position
    }

    /// What our clock shows now.
    pub(super) fn left(&self) -> Duration {
        match self.is_due() {
            true => self.left.saturating_sub(self.since.elapsed()),
            false => self.left,
        }
    }

    /// The time for a move, where no clock of another match shows less than `least`, and as many matches go on at once
    /// as `share`. What the network needs is kept once, what this machine needs for each move to come.
    pub(super) fn limit(&self, needs: Needs, least: Duration, share: u32) -> TimeLimit {
        let left = self.left().min(least);
        let moves = self.position().board.empty_count() / 2 + 1;
        let reserve = RESERVE + 2 * needs.lag + needs.overhead * moves;
        let reserve = reserve.min(left / 2);
        TimeLimit::Clock {
            remaining: (left - reserve) / share.max(1),
            increment: self.increment / share.max(1),
            moves_to_go: None,
        }
    }

    /// A move or a bid for the position was sent.
    pub(super) fn note_sent(&mut self) {
        self.sent = Some((self.position(), Instant::now()));
    }

    /// The server refused it.
    pub(super) const fn note_error(&mut self) {
        self.is_refused = true;
        self.errors += 1;
    }

    pub(super) const fn note_lost_on_time(&mut self) {
        self.is_lost_on_time = true;
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

/// The moves of a game that is shown; of one that they do not lead to, the position alone.
fn record(state: &GameState) -> GgfGame {
    let starting_at = |start| GgfGame {
        place: "GGS/os".to_owned(),
        date: ggf::date_of_now(),
        kind: state.kind.clone(),
        ..GgfGame::new(Game::new(start))
    };
    let mut record = starting_at(state.start);
    let mut moves = state.moves.iter();
    let is_played = moves.all(|&(mv, note)| record.play(mv, note).is_ok());
    match is_played && record.game.position() == state.position {
        true => record,
        false => starting_at(state.position),
    }
}
