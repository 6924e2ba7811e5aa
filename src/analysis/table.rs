//! An analysis as a table for a terminal.

use std::fmt::Write;

use super::page::{GameReport, MoveReport};
use super::remarks::percent;
use super::{Verdict, Worth};
use crate::rules::{Color, Move};

/// Moves of a better line that are shown.
const LINE_MOVES: usize = 6;

/// The table: a line for each move, with a heading. Scores are in discs for the player who moved,
/// before and after the move; exact ones have no decimal. The `reports` on the same moves have two more columns, if players of
/// stated ratings were looked at.
pub fn table(verdicts: &[Verdict], reports: &[MoveReport]) -> String {
    let has_people = reports.iter().any(|report| report.share.is_some());
    let mut text = String::from("  #  move  before   after    loss");
    text.push_str(if has_people {
        "   share  hard  better\n"
    } else {
        "  better\n"
    });
    for (at, verdict) in verdicts.iter().enumerate() {
        let side = verdict.side().letter();
        let loss = match (verdict.loss(), verdict.is_exact()) {
            (0.0, _) => "-".to_owned(),
            (loss, true) => format!("{loss:.0}"),
            (loss, false) => format!("{loss:.1}"),
        };
        let line = format!(
            "{:>3}  {side} {}  {:>6}  {:>6}  {loss:>6}{}  {}",
            verdict.number,
            verdict.played,
            score_text(verdict.before),
            score_text(verdict.after),
            reports
                .get(at)
                .filter(|_| has_people)
                .map_or_else(String::new, people_columns),
            remark(verdict),
        );
        // Without a remark it ends with blanks.
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// The share of players who play the move, and of those who go wrong.
fn people_columns(report: &MoveReport) -> String {
    let [share, hard] = [report.share, report.hard].map(|share| share.map(percent));
    format!(
        "  {:>6}  {:>4}",
        share.unwrap_or_default(),
        hard.unwrap_or_default()
    )
}

/// What is worth saying of a game for players of stated ratings: remarks on moves, and how strong the players look. Nothing
/// without ratings.
pub fn people_text(report: &GameReport) -> String {
    let mut text = String::new();
    let remarks = report.moves.iter().filter_map(MoveReport::remark);
    for (number, played, remark) in remarks {
        let _ = writeln!(text, "{number:>3}. {played}: {remark}");
    }
    let sides = [
        ("black", &report.black_strength),
        ("white", &report.white_strength),
    ];
    for (side, strength) in sides {
        if let Some(strength) = strength {
            let _ = writeln!(text, "{side}: {}", strength.text());
        }
    }
    text
}

/// `+4` if it is exact, `+4.2` if not.
pub fn score_text(worth: Worth) -> String {
    if worth.is_exact {
        format!("{:+}", worth.score.discs())
    } else {
        // No "-0.0".
        format!("{:+.1}", (worth.score.to_f64() * 10.0).round() / 10.0 + 0.0)
    }
}

/// The better line, if there is one, and what was given away.
fn remark(verdict: &Verdict) -> String {
    let is_best = verdict.best == verdict.played;
    let better = (!is_best).then(|| moves_text(&verdict.line));
    let given = verdict.gift().map(|gift| gift.text().to_owned());
    Vec::from_iter(better.into_iter().chain(given)).join("; ")
}

/// The first moves of a line, with blanks between them.
pub fn moves_text(line: &[Move]) -> String {
    let moves = line.iter().take(LINE_MOVES).map(|mv| mv.name());
    Vec::from_iter(moves).join(" ")
}

/// `black won 40-24`, `draw`, or `unfinished`, of a final score for black in discs.
pub fn result_text(black_score: Option<i32>) -> String {
    match black_score {
        None => "unfinished".to_owned(),
        Some(0) => "draw, 32-32".to_owned(),
        Some(score) => {
            let winner = [Color::Black, Color::White][usize::from(score < 0)];
            let winners = 32 + score.abs() / 2;
            format!("{winner} won, {winners}-{}", 64 - winners)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::Score;

    #[test]
    fn scores_have_a_sign_and_exact_ones_no_decimal() {
        let cases = [
            (Worth::exact(4), "+4"),
            (Worth::exact(0), "+0"),
            (Worth::estimate(Score::from_raw(-1)), "+0.0"),
            (Worth::estimate(Score::from_raw(-500)), "-3.9"),
        ];
        for (worth, text) in cases {
            assert_eq!(score_text(worth), text);
        }
    }

    #[test]
    fn results_count_discs() {
        assert_eq!(result_text(Some(-8)), "white won, 36-28");
        assert_eq!(result_text(Some(0)), "draw, 32-32");
        assert_eq!(result_text(None), "unfinished");
    }
}
