//! Analyses as JSON, and as one page of HTML that needs nothing else.

use serde::Serialize;

use super::table::{moves_text, score_text};
use super::{Gift, Verdict};

/// The page, with a place for the games.
const PAGE: &str = include_str!("page.html");

/// Where the games go.
const PLACE: &str = ">GAMES<";

/// A game and its analysis, as JSON has it. Scores are discs for the player who moved.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct GameReport {
    /// Where the game was found.
    pub source: String,
    /// The first player.
    pub black: String,
    /// The second player.
    pub white: String,
    /// How it ended, in words.
    pub result: String,
    /// What there is to say about each move; passes are left out.
    pub moves: Vec<MoveReport>,
}

/// One move of a [`GameReport`].
#[derive(Clone, PartialEq, Debug, Serialize)]
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
    loss: f64,
    /// Are both scores proven?
    exact: bool,
    /// Who wins, for the player: `win`, `draw`, `loss`, where that is proven.
    #[serde(skip_serializing_if = "Option::is_none")]
    value_before: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value_after: Option<&'static str>,
    best: String,
    /// Best play, with blanks between the moves.
    line: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    gift: Option<Gift>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gift_text: Option<&'static str>,
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
            value_before: verdict.before.value.map(|value| value.name()),
            value_after: verdict.after.value.map(|value| value.name()),
            best: verdict.best.to_string(),
            line: moves_text(&verdict.line),
            gift: verdict.gift(),
            gift_text: verdict.gift().map(Gift::text),
        }
    }
}

/// To two decimals.
fn cents(discs: f64) -> f64 {
    (discs * 100.0).round() / 100.0
}

/// The page for these games.
///
/// # Errors
/// If a number cannot be written as JSON: never.
pub fn page(games: &[GameReport]) -> serde_json::Result<String> {
    // Inside of a script element nothing may look like its end.
    let json = serde_json::to_string(games)?.replace('<', "\\u003c");
    Ok(PAGE.replacen(PLACE, &format!(">{json}<"), 1))
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
            moves: Vec::new(),
        };
        let page = page(&[game]).expect("JSON");
        assert!(page.contains("\\u003c/script>") && !page.contains(PLACE));
        let links = page.matches("http").count();
        assert_eq!(links, page.matches("http://www.w3.org/2000/svg").count());
        assert!(!page.contains("src=") && !page.contains("href="));
    }
}
