//! Charts as SVG: ratings with their intervals, and the scores of the players during a game.

use std::fmt::{self, Write as _};

use super::standings::{Standing, Standings};
use crate::rules::Color;
use crate::text::is_active;
use crate::tournament::GameRecord;

/// The columns beside the ratings.
const GAMES: f64 = 710.0;
const SCORE: f64 = 775.0;
const BUDGET: f64 = 795.0;

/// Ratings from the best to the worst, each with its 95% interval, its games and its score. What the players
/// could spend stands in the title if it was the same for all, else beside each.
pub fn ratings(standings: &Standings) -> String {
    const LEFT: f64 = 180.0;
    const RIGHT: f64 = 640.0;
    const ROW: f64 = 28.0;
    let players = standings.players();
    let rankings = standings.rankings().into_iter();
    let groups: Vec<Vec<_>> = rankings
        .map(|ranking| ranking.into_iter().map(Some).collect())
        .collect();
    // Between groups that never met is an empty row.
    let rows = groups.join(&None);
    let ends = rows.iter().flatten();
    let ends = ends.flat_map(|(_, r)| [r.low, r.elo, r.high]);
    let ends = ends.filter(|end| end.is_finite());
    let ticks = Ticks::new(ends.clone().fold(-1.0, f64::min), ends.fold(1.0, f64::max));
    // An open end is drawn up to the border.
    let x = |elo: f64| LEFT + (RIGHT - LEFT) * ticks.place(elo).clamp(0.0, 1.0);
    let bottom = 40.0 + ROW * rows.len() as f64;
    let common = common_budget(players);
    let width = if common.is_some() { 800.0 } else { 930.0 };
    let title = title(standings, common.as_deref().unwrap_or_default());
    let mut svg = Svg::open(width, bottom + 40.0, &title);
    for tick in ticks.all() {
        svg.line("grid", (x(tick), 30.0), (x(tick), bottom));
        svg.text("middle", (x(tick), bottom + 18.0), &format!("{tick:+}"));
    }
    let budget = common.is_none().then_some("budget");
    columns(&mut svg, 36.0, ["games", "score"], budget);
    for (row, ranked) in rows.iter().enumerate() {
        let Some((player, rating)) = ranked else {
            continue;
        };
        let y = 50.0 + ROW * row as f64;
        let standing = &players[*player];
        svg.text("end", (LEFT - 12.0, y + 4.0), &standing.name);
        let (low, elo, high) = (x(rating.low), x(rating.elo), x(rating.high));
        svg.line("interval", (low, y), (high, y));
        for (end, x) in [(rating.low, low), (rating.high, high)] {
            if end.is_finite() {
                svg.line("interval", (x, y - 4.0), (x, y + 4.0));
            }
        }
        svg.add(format_args!(
            "<circle class=\"a\" cx=\"{elo:.1}\" cy=\"{y:.1}\" r=\"4\"/>"
        ));
        let games = standing.total.count().to_string();
        let score = format!("{:.1}%", 100.0 * standing.total.rate());
        let budget = common.is_none().then(|| budgets(standing));
        columns(&mut svg, y + 4.0, [&games, &score], budget.as_deref());
    }
    svg.text("middle", ((LEFT + RIGHT) / 2.0, bottom + 34.0), "Elo");
    svg.close()
}

/// A line of the columns beside the ratings.
fn columns(svg: &mut Svg, y: f64, [games, score]: [&str; 2], budget: Option<&str>) {
    svg.text("end", (GAMES, y), games);
    svg.text("end", (SCORE, y), score);
    if let Some(budget) = budget {
        svg.text("start", (BUDGET, y), budget);
    }
}

/// What every player could spend, if it was the same for all.
fn common_budget(players: &[Standing]) -> Option<String> {
    let first = players.first()?;
    let is_same = players.iter().all(|player| player.budgets == first.budgets);
    is_same.then(|| budgets(first))
}

/// What a player could spend, as it was set.
fn budgets(standing: &Standing) -> String {
    Vec::from_iter(standing.budgets.iter().map(String::as_str)).join(", ")
}

/// How many games there were, with which budget if that was the same for all, and how many were forfeited.
fn title(standings: &Standings, budget: &str) -> String {
    let games = standings.games();
    let word = if games == 1 { "game" } else { "games" };
    let comma = if budget.is_empty() { "" } else { ", " };
    let title = format!("Ratings with 95% intervals: {games} {word}{comma}{budget}");
    match standings.forfeits().values().sum::<u64>() {
        0 => title,
        forfeits => format!("{title}; {forfeits} forfeited"),
    }
}

/// The scores that each player sent while the game was played, in discs for black, and the
/// result. Bars below show the time of each move.
pub fn game(record: &GameRecord) -> String {
    let (black, white) = (&record.black, &record.white);
    let (number, score, ending) = (record.game, record.score, record.ending);
    let title =
        format!("Game {number}: {black} (black) against {white} (white), {score:+} {ending}");
    let mut svg = Svg::open(700.0, TIME_BOTTOM + 40.0, &title);
    let plies = record.moves.len().max(60);
    let x = |ply: usize| LEFT + (RIGHT - LEFT) * (ply + 1) as f64 / plies as f64;
    draw_scores(&mut svg, record, x);
    let longest = draw_times(&mut svg, record, x) / 1000.0;
    for ply in (10..=plies).step_by(10) {
        svg.text("middle", (x(ply - 1), TIME_BOTTOM + 16.0), &ply.to_string());
    }
    let legend = format!(
        "discs for black by {black} (solid) and {white} (dashed); below, time by move, longest {longest:.2} s"
    );
    svg.text("start", (LEFT, TIME_BOTTOM + 34.0), &legend);
    svg.close()
}

/// The borders of the scores of a game, and of the times below them.
const LEFT: f64 = 60.0;
const RIGHT: f64 = 660.0;
const TOP: f64 = 50.0;
const BOTTOM: f64 = 290.0;
const TIME_BOTTOM: f64 = 380.0;

/// How the two players are drawn, the first player first.
const CLASSES: [&str; 2] = ["a", "b"];

/// The lines of the scores; `x` is the place of each ply.
fn draw_scores(svg: &mut Svg, record: &GameRecord, x: impl Fn(usize) -> f64) {
    let positions = record.positions();
    let seen = [(Color::Black, 1.0), (Color::White, -1.0)].map(|(color, sign)| {
        let moves = record.moves.iter().zip(&positions).enumerate();
        let own = moves.filter(|(_, (_, position))| position.side == color);
        Vec::from_iter(own.filter_map(|(ply, (mv, _))| Some((ply, sign * mv.score?))))
    });
    let all = || seen.iter().flatten().map(|(_, score)| *score);
    let result = f64::from(record.score);
    let low = all().fold(result.min(-4.0), f64::min);
    let ticks = Ticks::new(low, all().fold(result.max(4.0), f64::max));
    let y = |score: f64| BOTTOM - (BOTTOM - TOP) * ticks.place(score);
    for tick in ticks.all() {
        svg.line("grid", (LEFT, y(tick)), (RIGHT, y(tick)));
        svg.text("end", (LEFT - 8.0, y(tick) + 4.0), &format!("{tick:+}"));
    }
    svg.line("result", (LEFT, y(result)), (RIGHT, y(result)));
    for (class, scores) in CLASSES.iter().zip(&seen) {
        let point = |&(ply, score): &(usize, f64)| format!("{:.1},{:.1}", x(ply), y(score));
        let points = Vec::from_iter(scores.iter().map(point)).join(" ");
        svg.add(format_args!(
            "<polyline class=\"{class}\" points=\"{points}\"/>"
        ));
    }
}

/// The bars of the times; returns the longest one, in milliseconds.
fn draw_times(svg: &mut Svg, record: &GameRecord, x: impl Fn(usize) -> f64) -> f64 {
    let times = record.moves.iter().filter_map(|mv| mv.ms);
    let longest = times.fold(1.0, f64::max);
    for (ply, (mv, position)) in record.moves.iter().zip(record.positions()).enumerate() {
        let height = (TIME_BOTTOM - BOTTOM - 30.0) * mv.ms.unwrap_or(0.0) / longest;
        let class = CLASSES[position.side as usize];
        let (left, top) = (x(ply) - 3.0, TIME_BOTTOM - height);
        svg.add(format_args!(
            "<rect class=\"{class}\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"6\" height=\"{height:.1}\"/>"
        ));
    }
    longest
}

/// Round numbers over a range.
struct Ticks {
    low: f64,
    step: f64,
    steps: u32,
}

impl Ticks {
    /// At least two and at most about ten steps of 1, 2 or 5 times a power of ten.
    fn new(low: f64, high: f64) -> Ticks {
        let range = (high - low).clamp(1.0, 1e6);
        let mut steps = (0..7).flat_map(|power| [1.0, 2.0, 5.0].map(|n| n * 10f64.powi(power)));
        let step = steps.find(|step| range / step <= 8.0).unwrap_or(1e6);
        let low = (low / step).floor() * step;
        let steps = ((high - low) / step).ceil().clamp(1.0, 1e4) as u32;
        Ticks { low, step, steps }
    }

    fn all(&self) -> impl Iterator<Item = f64> {
        let (low, step) = (self.low, self.step);
        (0..=self.steps).map(move |i| low + step * f64::from(i))
    }

    /// The place of `value`, 0..=1.
    fn place(&self, value: f64) -> f64 {
        (value - self.low) / (self.step * f64::from(self.steps))
    }
}

/// A drawing, as text.
struct Svg(String);

impl Svg {
    fn open(width: f64, height: f64, title: &str) -> Svg {
        let mut svg = Svg(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
             width=\"{width}\" height=\"{height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
             <style>.grid {{ stroke: #ddd }} .interval {{ stroke: #1f5c99; stroke-width: 2 }} \
             .result {{ stroke: #b03030; stroke-dasharray: 2 3 }} polyline {{ fill: none; \
             stroke-width: 2 }} .a {{ fill: #1f5c99; stroke: #1f5c99 }} .b {{ fill: #d98a1f; \
             stroke: #d98a1f }} polyline.a, polyline.b {{ fill: none }} polyline.b \
             {{ stroke-dasharray: 6 3 }}</style>\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n"
        ));
        svg.text("start", (12.0, 20.0), title);
        svg
    }

    fn add(&mut self, element: fmt::Arguments<'_>) {
        let _ = writeln!(self.0, "{element}");
    }

    fn line(&mut self, class: &str, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
        self.add(format_args!(
            "<line class=\"{class}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>"
        ));
    }

    fn text(&mut self, anchor: &str, (x, y): (f64, f64), text: &str) {
        let text = escaped(text);
        self.add(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>"
        ));
    }

    fn close(self) -> String {
        self.0 + "</svg>\n"
    }
}

/// Text without the characters that have a meaning in XML.
fn escaped(text: &str) -> String {
    let clean = text.replace(is_active, " ");
    let clean = clean.replace('&', "&amp;").replace('<', "&lt;");
    clean.replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> GameRecord {
        let mut record = GameRecord::test("f5d6c3d3c4");
        record.black = "<a & b>".to_owned();
        record.game = 1;
        record.score = -12;
        for (mv, score) in record.moves.iter_mut().zip([2.0, 6.0, -40.5]) {
            mv.score = Some(score);
        }
        record.moves[2].ms = Some(300.0);
        record
    }

    /// Every number is finite, every tag is closed, and names are escaped.
    fn check(svg: &str) {
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        assert!(svg.contains("&lt;a &amp; b&gt;"), "{svg}");
        assert!(!svg.contains("<a"), "{svg}");
    }

    #[test]
    fn a_game_is_drawn() {
        let svg = game(&record());
        check(&svg);
        assert_eq!(svg.matches("<polyline").count(), 2);
    }

    #[test]
    fn ratings_are_drawn() {
        let mut standings = Standings::default();
        standings.add(&record());
        let svg = ratings(&standings);
        check(&svg);
        assert_eq!(svg.matches("<circle").count(), 2);
        assert!(svg.contains("1 game, depth=1"), "{svg}");
        assert!(svg.contains(">100.0%<") && svg.contains(">0.0%<"), "{svg}");
        let other = GameRecord {
            game: 2,
            black_budget: "tc=60+0.5".to_owned(),
            ..record()
        };
        standings.add(&other);
        let svg = ratings(&standings);
        assert!(svg.contains(">depth=1, tc=60+0.5<"), "{svg}");
    }

    #[test]
    fn ticks_are_few_and_round_and_span_the_range() {
        for (low, high) in [(-1.0, 1.0), (-4.0, 64.0), (-833.0, 17.0), (0.0, 5.5)] {
            let ticks = Ticks::new(low, high);
            let all: Vec<f64> = ticks.all().collect();
            assert!((2..=11).contains(&all.len()), "{all:?}");
            let is_wide = all[0] <= low && all[all.len() - 1] >= high;
            assert!(is_wide, "{all:?}");
        }
    }
}
