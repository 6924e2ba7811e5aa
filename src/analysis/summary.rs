//! Many games at once: how each player did, by phase of the game.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Serialize;

use super::Verdict;

/// A move that loses this many discs or more is a blunder.
const BLUNDER: f64 = 6.0;

/// The phases: their names, and the most empties before a move that belongs to each.
const PHASES: [(&str, u32); 3] = [("opening", 60), ("midgame", 40), ("endgame", 20)];

/// Sums over moves.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct Tally {
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

impl Tally {
    fn add(&mut self, verdict: &Verdict) {
        self.moves += 1;
        self.loss += verdict.loss();
        self.blunders += u32::from(verdict.loss() >= BLUNDER);
        self.gifts += u32::from(verdict.gift().is_some());
        self.best += u32::from(verdict.loss() == 0.0);
    }

    fn plus(self, other: &Tally) -> Tally {
        Tally {
            moves: self.moves + other.moves,
            loss: self.loss + other.loss,
            blunders: self.blunders + other.blunders,
            gifts: self.gifts + other.gifts,
            best: self.best + other.best,
        }
    }
}

/// One player's games.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct Games {
    /// How many.
    pub games: u32,
    /// By phase: opening, midgame, endgame.
    pub phases: [Tally; PHASES.len()],
}

/// All players of some games.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Summary {
    players: BTreeMap<String, Games>,
}

impl Summary {
    /// Adds a game; the names are those of black and white.
    pub fn add(&mut self, names: [&str; 2], verdicts: &[Verdict]) {
        for name in names {
            self.players.entry(name.to_owned()).or_default().games += 1;
        }
        for verdict in verdicts {
            let name = names[verdict.side() as usize];
            let board = verdict.position.board;
            if board.legal_moves().count() < 2 {
                continue;
            }
            let empties = board.empty_count();
            let phase = PHASES.iter().rposition(|&(_, most)| empties <= most);
            if let (Some(games), Some(phase)) = (self.players.get_mut(name), phase) {
                games.phases[phase].add(verdict);
            }
        }
    }

    /// A table, the player who lost fewest discs a move first.
    pub fn table(&self) -> String {
        let mut players: Vec<(&String, &Games, Tally)> = self
            .players
            .iter()
            .map(|(name, games)| {
                let all = games.phases.iter().fold(Tally::default(), Tally::plus);
                (name, games, all)
            })
            .collect();
        players.sort_by(|a, b| mean(&a.2).total_cmp(&mean(&b.2)));
        let width = players.iter().map(|player| player.0.chars().count()).max();
        let width = width.unwrap_or(0).max("player".len());
        let mut text = format!("{:width$}  games", "player");
        for (name, _) in PHASES {
            let _ = write!(text, "  {name}");
        }
        text.push_str("   all  best  blunders  given away\n");
        for (name, games, all) in players {
            let _ = write!(text, "{name:width$}  {:>5}", games.games);
            for (tally, (phase, _)) in games.phases.iter().zip(PHASES) {
                let _ = write!(text, "  {:>1$.2}", mean(tally), phase.len());
            }
            let best = 100.0 * f64::from(all.best) / f64::from(all.moves.max(1));
            let _ = writeln!(
                text,
                "  {:>4.2}  {best:>3.0}%  {:>8}  {:>10}",
                mean(&all),
                all.blunders,
                all.gifts
            );
        }
        text
    }
}

/// Discs lost a move.
fn mean(tally: &Tally) -> f64 {
    tally.loss / f64::from(tally.moves.max(1))
}
