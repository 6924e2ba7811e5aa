//! Analyses as JSON, and as one page of HTML that needs nothing else.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::people::PeopleVerdicts;
use super::remarks::{RatingFinding, Remark, remarks};
use super::strength::SideReport;
use super::summary::GameSummary;
use super::table::{moves_text, score_text};
use super::{Gift, Verdict};
use crate::rules::{Game, Position};

/// The page, with places for the shared look and modules, the games, and the summary.
const PAGE: &str = include_str!("page.html");

/// The look that this page shares with that in `web/`, and where it goes.
const LOOK: (&str, &str) = ("LOOK\n", include_str!("page/look.css"));

/// The modules that this page shares with that in `web/`. Each needs only those before it.
const MODULES: [&str; 3] = [
    include_str!("page/dom.js"),
    include_str!("page/board.js"),
    include_str!("page/report.js"),
];

/// Where the modules go.
const SCRIPT: &str = "MODULES\n";

/// Where the games go.
const GAMES: &str = ">GAMES<";

/// Where the summary goes.
const SUMMARY: &str = ">SUMMARY<";

/// A game and its analysis, as JSON has it. Scores are discs for the player who moved.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GameReport {
    /// Where the game was found.
    pub source: String,
    /// The first player.
    pub black: String,
    /// The second player.
    pub white: String,
    /// How it ended, in words.
    pub result: String,
    /// The name of the opening, if the game reached one that has a name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opening: Option<Cow<'static, str>>,
    /// How strong black looks, where a rating was stated for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub black_strength: Option<SideReport>,
    /// How strong white looks, where a rating was stated for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub white_strength: Option<SideReport>,
    /// What there is to say about each move; passes are left out.
    pub moves: Vec<MoveReport>,
}

impl GameReport {
    /// Is it about these moves from this start?
    pub fn is_of(&self, game: &Game) -> bool {
        let positions = game.positions().zip(game.moves());
        let squares = positions.filter(|(_, mv)| mv.square().is_some());
        let played = squares.map(|(position, mv)| (position.to_string(), mv.name()));
        played.eq(self.moves.iter().map(|report| {
            let position = format!("{} {}", report.board, report.side);
            (position, report.played.as_str())
        }))
    }

    /// Notes what players of stated ratings find in the game, on whose moves these are the verdicts.
    pub fn note_people(&mut self, verdicts: &[Verdict], people: &PeopleVerdicts) {
        [self.black_strength, self.white_strength] = people.sides.clone();
        let findings = &people.findings;
        let remarks = remarks(verdicts, findings);
        for ((report, finding), remark) in self.moves.iter_mut().zip(findings).zip(remarks) {
            if let Some(finding) = finding {
                report.note(finding);
            }
            if let Some((remark, text)) = remark {
                report.remark = Some(remark);
                report.remark_text = Some(text.into());
            }
        }
    }
}

/// One move of a [`GameReport`].
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MoveReport {
    number: usize,
    /// `X` or `O`.
    side: char,
    /// The 64 cells before the move.
    board: String,
    played: String,
    before: f64,
    after: f64,
    before_text: String,
    after_text: String,
    pub(super) loss: f64,
    /// Are both scores proven?
    exact: bool,
    /// Who wins, for the player: `win`, `draw`, `loss`, where that is proven.
    #[serde(skip_serializing_if = "Option::is_none")]
    value_before: Option<Cow<'static, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value_after: Option<Cow<'static, str>>,
    best: String,
    /// Best play, with blanks between the moves.
    line: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) gift: Option<Gift>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gift_text: Option<Cow<'static, str>>,
    /// The share of players of the stated rating that plays this move, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) share: Option<f64>,
    /// The share of them that loses two discs or more, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) hard: Option<f64>,
    /// The share of them that plays each legal move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    shares: Option<BTreeMap<String, f64>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    remark: Option<Remark>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    remark_text: Option<Cow<'static, str>>,
}

impl From<&Verdict> for MoveReport {
    fn from(verdict: &Verdict) -> MoveReport {
        let board: String = verdict.position.to_string().chars().take(64).collect();
        MoveReport {
            number: verdict.number,
            side: verdict.side().letter(),
            board,
            played: verdict.played.to_string(),
            before: cents(verdict.before.score.to_f64()),
            after: cents(verdict.after.score.to_f64()),
            before_text: score_text(verdict.before),
            after_text: score_text(verdict.after),
            loss: cents(verdict.loss()),
            exact: verdict.is_exact(),
            value_before: verdict.before.value.map(|value| value.name().into()),
            value_after: verdict.after.value.map(|value| value.name().into()),
            best: verdict.best.to_string(),
            line: moves_text(&verdict.line),
            gift: verdict.gift(),
            gift_text: verdict.gift().map(|gift| gift.text().into()),
            share: None,
            hard: None,
            shares: None,
            remark: None,
            remark_text: None,
        }
    }
}

impl MoveReport {
    /// The position before the move, if the report is one of ours.
    pub(super) fn position(&self) -> Option<Position> {
        format!("{} {}", self.board, self.side).parse().ok()
    }

    /// Notes what players of the stated rating find in the position.
    fn note(&mut self, finding: &RatingFinding) {
        self.share = Some(thousandths(finding.share));
        self.hard = finding.hard.map(thousandths);
        let shares = finding.shares.iter();
        let shares = shares.map(|&(square, share)| (square.name().to_owned(), thousandths(share)));
        self.shares = Some(shares.collect());
    }

    /// The number of the move and what is worth saying of it, if there is something.
    pub fn remark(&self) -> Option<(usize, &str, &str)> {
        let text = self.remark_text.as_deref()?;
        Some((self.number, &self.played, text))
    }

    /// The score after the move, for the player, in discs.
    pub const fn after(&self) -> f64 {
        self.after
    }
}

/// To three decimals.
fn thousandths(share: f64) -> f64 {
    (share * 1000.0).round() / 1000.0
}

/// To two decimals.
fn cents(discs: f64) -> f64 {
    (discs * 100.0).round() / 100.0
}

/// The page for these games, with a summary or without one.
///
/// # Errors
/// If a number cannot be written as JSON: never.
pub fn page(games: &[GameReport], summary: Option<&GameSummary>) -> serde_json::Result<String> {
    let summary = summary.map(GameSummary::rows);
    let page = PAGE
        .replacen(LOOK.0, LOOK.1, 1)
        .replacen(SCRIPT, &script(), 1)
        .replacen(SUMMARY, &format!(">{}<", json(&summary)?), 1);
    Ok(page.replacen(GAMES, &format!(">{}<", json(&games)?), 1))
}

/// The modules as one script: one after the other, nothing is to be imported.
fn script() -> String {
    let lines = MODULES.iter().flat_map(|module| module.lines());
    let own = lines.filter(|line| !line.starts_with("import "));
    own.map(|line| format!("{}\n", line.strip_prefix("export ").unwrap_or(line)))
        .collect()
}

/// Inside of a script element nothing may look like its end.
fn json(value: &impl Serialize) -> serde_json::Result<String> {
    Ok(serde_json::to_string(value)?.replace('<', "\\u003c"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_needs_nothing_from_elsewhere() {
        let game = GameReport {
            source: "</script><b>".to_owned(),
            black: "A".to_owned(),
            white: "B".to_owned(),
            result: "unfinished".to_owned(),
            opening: None,
            black_strength: None,
            white_strength: None,
            moves: Vec::new(),
        };
        let page = page(&[game], Some(&GameSummary::default())).expect("JSON");
        assert!(page.contains("\\u003c/script>"));
        assert!(!page.contains(GAMES) && !page.contains(SUMMARY));
        assert!(!page.contains("LOOK\n") && !page.contains("MODULES\n"));
        let words = |line: &str| line.starts_with("import ") || line.starts_with("export ");
        assert!(!page.lines().any(words));
        let links = page.matches("http").count();
        assert_eq!(links, page.matches("http://www.w3.org/2000/svg").count());
        assert!(!page.contains("src=") && !page.contains("href="));
    }
}
