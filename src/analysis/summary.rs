//! Many games at once: how each player did, by phase of the game.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Serialize;

use super::page::{GameReport, MoveReport};
use super::remarks::{COMMON, HARD, WRONG};
use super::strength::SideReport;
use crate::text::printable;

/// A move that loses this many discs or more is a blunder.
const BLUNDER: f64 = 6.0;

/// The phases: their names, and the most empties before a move that belongs to each.
const PHASES: [(&str, u32); 3] = [("opening", 60), ("midgame", 40), ("endgame", 20)];

/// Sums over moves.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct MoveTally {
    /// Moves that were not forced.
    pub moves: u32,
    /// Discs that they lost in all.
    pub loss: f64,
    /// Those that lost six discs or more.
    pub blunders: u32,
    /// Those that gave away a won or drawn game, for certain.
    pub gifts: u32,
    /// Those that lost nothing.
    pub best: u32,
}

impl MoveTally {
    fn add(&mut self, mv: &MoveReport) {
        self.moves += 1;
        self.loss += mv.loss;
        self.blunders += u32::from(mv.loss >= BLUNDER);
        self.gifts += u32::from(mv.gift.is_some());
        self.best += u32::from(mv.loss == 0.0);
    }

    fn plus(self, other: &MoveTally) -> MoveTally {
        MoveTally {
            moves: self.moves + other.moves,
            loss: self.loss + other.loss,
            blunders: self.blunders + other.blunders,
            gifts: self.gifts + other.gifts,
            best: self.best + other.best,
        }
    }
}

/// One player's moves as players of the stated ratings find them.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
struct PeopleTally {
    /// The moves of all games.
    strength: Option<SideReport>,
    /// Hard positions, and those in which the player lost less than two discs.
    hard: u32,
    found: u32,
    /// Moves that lost two discs or more, and those of them that many make.
    wrong: u32,
    common: u32,
}

impl PeopleTally {
    fn add(&mut self, mv: &MoveReport) {
        let is_wrong = mv.loss >= WRONG;
        let is_hard = mv.hard.is_some_and(|hard| hard >= HARD);
        self.hard += u32::from(is_hard);
        self.found += u32::from(is_hard && !is_wrong);
        self.wrong += u32::from(is_wrong);
        self.common += u32::from(is_wrong && mv.share.is_some_and(|share| share >= COMMON));
    }

    fn join(&mut self, game: &SideReport) {
        match &mut self.strength {
            Some(strength) => strength.join(game),
            None => self.strength = Some(game.clone()),
        }
    }

    /// A sentence; nothing where no rating was stated.
    fn text(&self) -> Option<String> {
        let mut strength = self.strength.clone()?;
        strength.judge();
        let mut text = strength.text();
        if self.hard > 0 {
            let _ = write!(
                text,
                "; did not go wrong in {} of {} hard positions",
                self.found, self.hard
            );
        }
        if self.wrong > 0 {
            let (common, wrong) = (self.common, self.wrong);
            let _ = write!(
                text,
                "; {common} of {wrong} moves that lost two discs or more are common mistakes"
            );
        }
        Some(text)
    }
}

/// One player's games.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct PlayerGames {
    /// How many.
    pub games: u32,
    /// In how many a won or drawn game was given away, for certain.
    pub thrown_away: u32,
    /// By phase: opening, midgame, endgame.
    pub phases: [MoveTally; PHASES.len()],
    people: PeopleTally,
}

/// All players of some games.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct GameSummary {
    players: BTreeMap<String, PlayerGames>,
}

/// One player of a summary, as the page draws it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PlayerRow<'s> {
    player: &'s str,
    games: u32,
    /// Mean loss of a move, by phase.
    phases: Vec<(&'static str, f64)>,
    /// Mean loss of a move.
    all: f64,
    /// Share of the moves that lost nothing.
    best: f64,
    blunders: u32,
    thrown_away: u32,
    /// What players of the stated ratings would have done.
    #[serde(skip_serializing_if = "Option::is_none")]
    people: Option<String>,
}

impl GameSummary {
    /// Adds a game.
    pub fn add(&mut self, game: &GameReport) {
        let names = [&game.black, &game.white];
        // Who plays both sides has played one game.
        let is_alone = game.black == game.white;
        for name in names.into_iter().skip(usize::from(is_alone)) {
            self.players.entry(name.clone()).or_default().games += 1;
        }
        let mut has_thrown = [false; 2];
        for mv in &game.moves {
            let Some(position) = mv.position() else {
                continue;
            };
            let side = position.side as usize;
            has_thrown[side] |= mv.gift.is_some();
            if position.board.legal_moves().count() < 2 {
                continue;
            }
            let empties = position.board.empty_count();
            let phase = PHASES.iter().rposition(|&(_, most)| empties <= most);
            if let (Some(games), Some(phase)) = (self.players.get_mut(names[side]), phase) {
                games.phases[phase].add(mv);
                games.people.add(mv);
            }
        }
        if is_alone {
            has_thrown = [has_thrown[0] || has_thrown[1], false];
        }
        let strengths = [&game.black_strength, &game.white_strength];
        for ((name, has_thrown), strength) in names.into_iter().zip(has_thrown).zip(strengths) {
            let games = self.players.entry(name.clone()).or_default();
            games.thrown_away += u32::from(has_thrown);
            if let Some(strength) = strength {
                games.people.join(strength);
            }
        }
    }

    /// The players, the one who lost fewest discs a move first.
    pub fn rows(&self) -> Vec<PlayerRow<'_>> {
        let rows = self.players.iter().map(|(player, games)| {
            let phases = PHASES.iter().zip(&games.phases);
            let all = games
                .phases
                .iter()
                .fold(MoveTally::default(), MoveTally::plus);
            PlayerRow {
                player,
                games: games.games,
                phases: phases
                    .map(|(phase, tally)| (phase.0, mean(tally)))
                    .collect(),
                all: mean(&all),
                best: f64::from(all.best) / f64::from(all.moves.max(1)),
                blunders: all.blunders,
                thrown_away: games.thrown_away,
                people: games.people.text(),
            }
        });
        let mut rows: Vec<PlayerRow<'_>> = rows.collect();
        rows.sort_by(|a, b| a.all.total_cmp(&b.all));
        rows
    }

    /// The rows as a table.
    pub fn table(&self) -> String {
        let rows = self.rows();
        let names: Vec<_> = rows.iter().map(|row| printable(row.player)).collect();
        let width = names.iter().map(|name| name.chars().count()).max();
        let width = width.unwrap_or(0).max("player".len());
        let mut text = format!("{:width$}  games", "player");
        for (name, _) in PHASES {
            let _ = write!(text, "  {name}");
        }
        text.push_str("   all  best  blunders  thrown away\n");
        for (row, name) in rows.iter().zip(&names) {
            let _ = write!(text, "{name:width$}  {:>5}", row.games);
            for (phase, mean) in &row.phases {
                let _ = write!(text, "  {mean:>0$.2}", phase.len());
            }
            let _ = writeln!(
                text,
                "  {:>4.2}  {:>3.0}%  {:>8}  {:>11}",
                row.all,
                100.0 * row.best,
                row.blunders,
                row.thrown_away
            );
        }
        for (row, name) in rows.iter().zip(&names) {
            if let Some(people) = &row.people {
                let _ = writeln!(text, "{name}: {people}");
            }
        }
        text
    }
}

/// Discs lost a move.
fn mean(tally: &MoveTally) -> f64 {
    tally.loss / f64::from(tally.moves.max(1))
}
