//! A game on the server: its record, its clocks, and whether we are to move.

use std::time::Duration;

use super::message::{GameId, GameState};
use crate::formats::ggf::{End, GameResult, GgfGame, GgfPlayer};
use crate::host::Instant;
use crate::rules::{Color, Game, Position};
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
    /// Our colour, once there is one.
    color: Option<Color>,
    /// What our clock shows, finer than the server does, at the time of `since`.
    left: Duration,
    increment: Duration,
    /// When the server showed the position.
    pub(super) since: Instant,
    /// The position for which a move or a bid was sent, and when: no other one is.
    sent: Option<(Position, Instant)>,
    /// How long the server took to show our last move.
    pub(super) echo: Option<Duration>,
    /// Did the server refuse what was sent?
    is_refused: bool,
    errors: u32,
    /// Our last score, in discs.
    pub(super) score: f64,
    /// Whose time was up for good.
    pub(super) flagged: Option<Color>,
}

impl ServerGame {
    /// The game of a `join`.
    pub(super) fn join(state: &GameState, me: &str) -> ServerGame {
        let mut record = record(state);
        let [first, second] = &state.seats;
        let first_clocks = state.first_clocks.iter().zip(&state.seats);
        for (&clock, seat) in first_clocks {
            let player = GgfPlayer {
                name: seat.name.clone(),
                rating: Some(seat.rating),
                clock: Some(clock),
            };
            match seat.color {
                Some(Color::White) => record.white = player,
                _ if seat == second && first.color.is_none() => record.white = player,
                _ => record.black = player,
            }
        }
        let seat = state
            .seats
            .iter()
            .find(|seat| seat.name.eq_ignore_ascii_case(me));
        ServerGame {
            id: state.id,
            record,
            is_ours: seat.is_some(),
            color: seat.and_then(|seat| seat.color),
            left: seat.map_or(Duration::ZERO, |seat| seat.clock.main),
            increment: seat.map_or(Duration::ZERO, |seat| seat.clock.increment),
            since: Instant::now(),
            sent: None,
            echo: None,
            is_refused: false,
            errors: 0,
            score: 0.0,
            flagged: None,
        }
    }

    /// Takes another `join` of the same game. What was sent before is not sent again.
    pub(super) fn rejoin(&mut self, state: &GameState, me: &str) {
        let new = ServerGame::join(state, me);
        let is_same = new.position() == self.position() && new.color == self.color;
        let (left, since) = if is_same {
            (self.left, self.since)
        } else {
            (new.left, new.since)
        };
        *self = ServerGame {
            sent: self.sent.filter(|_| is_same && !self.is_refused),
            errors: if is_same { self.errors } else { 0 },
            left,
            since,
            flagged: self.flagged,
            score: self.score,
            ..new
        };
    }

    /// Takes an `update`. `false`: the record does not lead to its position.
    pub(super) fn update(&mut self, state: &GameState, me: &str) -> bool {
        if state.position == self.position() {
            return true;
        }
        let [(mv, note), ..] = state.moves[..] else {
            return false;
        };
        let mut record = self.record.clone();
        let is_next = record.play(mv, note).is_ok() && record.game.position() == state.position;
        if !is_next {
            // What the server shows is what is played on.
            record = record_from(&self.record, Game::new(state.position));
        }
        if self.color == Some(self.position().side) {
            self.left = self.left.saturating_sub(note.time.unwrap_or_default()) + self.increment;
            self.echo = self.sent.map(|(_, when)| when.elapsed());
        }
        self.record = record;
        (self.errors, self.is_refused) = (0, false);
        self.since = Instant::now();
        let seat = state
            .seats
            .iter()
            .find(|seat| seat.name.eq_ignore_ascii_case(me));
        if let Some(seat) = seat {
            self.color = seat.color;
            if self.left.abs_diff(seat.clock.main) > SECOND {
                self.left = seat.clock.main;
            }
        }
        is_next
    }

    pub(super) fn position(&self) -> Position {
        self.record.game.position()
    }

    /// Are the colours given by bids that are still to come?
    pub(super) fn awaits_bid(&self) -> bool {
        self.is_ours && self.color.is_none()
    }

    /// Do we owe a move or a bid?
    pub(super) fn is_due(&self) -> bool {
        let position = self.position();
        let is_turn = self.awaits_bid() || self.color == Some(position.side);
        let may_send = !self.has_sent() && self.errors < MAX_ERRORS;
        self.is_ours && is_turn && may_send && !position.board.is_over()
    }

    /// What our clock shows now.
    pub(super) fn left(&self) -> Duration {
        let used = if self.is_due() {
            self.since.elapsed()
        } else {
            Duration::ZERO
        };
        self.left.saturating_sub(used)
    }

    /// The time for a move, where one way there and back takes `lag`. As many matches go on at once as `share`, and
    /// no clock of another one shows less than `least`.
    pub(super) fn limit(&self, lag: Duration, least: Duration, share: u32) -> TimeLimit {
        let left = self.left().min(least);
        let reserve = (RESERVE + 2 * lag).min(left / 4);
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

    /// The server refused what was sent: once it has shown the same position again, something may be sent again.
    pub(super) const fn note_error(&mut self) {
        self.is_refused = true;
        self.errors += 1;
    }

    fn has_sent(&self) -> bool {
        self.sent
            .is_some_and(|(position, _)| position == self.position())
    }

    /// The record with the result: a score for `first`, one of the players.
    pub(super) fn ended(mut self, first: &str, score: Option<f64>) -> GgfGame {
        let is_black = self.record.black.name.eq_ignore_ascii_case(first);
        self.record.result = score.map(|score| GameResult {
            score: if is_black { score } else { -score },
            end: match self.flagged {
                _ if self.position().board.is_over() => End::Over,
                Some(_) => End::Timeout,
                None if score.abs() >= 64.0 => End::Resigned,
                None => End::Agreed,
            },
        });
        self.record
    }
}

/// The record of a `join`; of one that is not consistent, the position alone.
fn record(state: &GameState) -> GgfGame {
    let like = GgfGame {
        place: "GGS/os".to_owned(),
        date: crate::formats::ggf::date_of_now(),
        kind: state.kind.clone(),
        ..GgfGame::default()
    };
    let mut record = record_from(&like, Game::new(state.start));
    let mut moves = state.moves.iter();
    let is_played = moves.all(|&(mv, note)| record.play(mv, note).is_ok());
    if is_played && record.game.position() == state.position {
        return record;
    }
    record_from(&like, Game::new(state.position))
}

/// Another game with the same players.
fn record_from(like: &GgfGame, game: Game) -> GgfGame {
    let new = GgfGame::new(game);
    GgfGame {
        game: new.game,
        notes: new.notes,
        ..like.clone()
    }
}
