//! The state of a tournament as text: table, cross table, and how time was used.

use std::fmt::Write as _;

use super::elo::Estimate;
use super::standings::Standings;

/// Everything, in some paragraphs. `Elo` is against the mean of all; `from` and `to` are its
/// 95% interval.
pub fn full(standings: &Standings) -> String {
    let mut text = table(standings);
    if standings.names().len() == 2 {
        let _ = write!(text, "\n{}", duel(standings));
    } else {
        let _ = write!(text, "\n{}", cross_table(standings));
    }
    let clocks = clock_table(standings);
    if !clocks.is_empty() {
        let _ = write!(text, "\n{clocks}");
    }
    text
}

/// Entrants from the best to the worst.
fn ranking(standings: &Standings) -> Vec<(usize, Estimate)> {
    let mut ranking: Vec<_> = standings.ratings().into_iter().enumerate().collect();
    ranking.sort_by(|a, b| b.1.elo.total_cmp(&a.1.elo));
    ranking
}

/// One line for each entrant.
pub fn table(standings: &Standings) -> String {
    let width = name_width(standings);
    let mut text = format!(
        "{:>4} {:width$} {:>7} {:>7} {:>7} {:>6} {:>6} {:>5} {:>5} {:>5} {:>6} {:>6}  {}\n",
        "rank",
        "name",
        "Elo",
        "from",
        "to",
        "games",
        "score",
        "won",
        "drawn",
        "lost",
        "draws",
        "discs",
        "forfeits"
    );
    for (rank, (entrant, rating)) in (1..).zip(ranking(standings)) {
        let total = standings.total(entrant);
        let (wins, draws, losses) = (total.wins, total.draws, total.losses);
        let games = total.games().max(1) as f64;
        let _ = writeln!(
            text,
            "{rank:>4} {:width$} {:>+7.1} {:>+7.1} {:>+7.1} {:>6} {:>5.1}% {wins:>5} {draws:>5} {losses:>5} {:>5.1}% {:>+6.2}  {}",
            standings.names()[entrant],
            rating.elo,
            rating.low,
            rating.high,
            total.games(),
            100.0 * total.rate(),
            100.0 * draws as f64 / games,
            total.mean_discs(),
            forfeits(standings, entrant),
        );
    }
    text
}

/// `crash 2, time 1`, or a dash if there are none.
fn forfeits(standings: &Standings, entrant: usize) -> String {
    let faults = standings.faults(entrant);
    if faults.is_empty() {
        return "-".to_owned();
    }
    let each = faults
        .iter()
        .map(|(ending, count)| format!("{ending} {count}"));
    each.collect::<Vec<_>>().join(", ")
}

/// Two lines: the first entrant's score against the second's, and what it is worth.
pub fn duel(standings: &Standings) -> String {
    let [first, second] = standings.names() else {
        return String::new();
    };
    let duel = standings.duel(0, 1);
    let elo = duel.pairs.estimate().map_or_else(
        || "not known yet".to_owned(),
        |estimate| estimate.to_string(),
    );
    format!(
        "{first} against {second}: {:.1} of {} ({:.1}%), +{} ={} -{}, {:+.2} discs a game\n\
         Elo {elo}, pairs {:?}\n",
        duel.points(),
        duel.games(),
        100.0 * duel.rate(),
        duel.wins,
        duel.draws,
        duel.losses,
        duel.mean_discs(),
        duel.pairs.0,
    )
}

/// Points of the row's entrant against the column's, of how many games.
fn cross_table(standings: &Standings) -> String {
    let width = name_width(standings);
    let ranking = ranking(standings);
    let mut text = format!("{:>4} {:width$}", "", "points");
    for rank in 1..=ranking.len() {
        let _ = write!(text, " {rank:>13}");
    }
    text.push('\n');
    for (rank, (row, _)) in (1..).zip(&ranking) {
        let _ = write!(text, "{rank:>4} {:width$}", standings.names()[*row]);
        for (column, _) in &ranking {
            let duel = standings.duel(*row, *column);
            let cell = if row == column || duel.games() == 0 {
                "-".to_owned()
            } else {
                format!("{:.1}/{}", duel.points(), duel.games())
            };
            let _ = write!(text, " {cell:>13}");
        }
        text.push('\n');
    }
    for (row, (first, _)) in ranking.iter().enumerate() {
        for (second, _) in &ranking[row + 1..] {
            let pairs = standings.duel(*first, *second).pairs;
            if let Some(estimate) = pairs.estimate() {
                let [first, second] = [first, second].map(|&i| &standings.names()[i]);
                let _ = writeln!(
                    text,
                    "{first} against {second}: Elo {estimate}, pairs {:?}",
                    pairs.0
                );
            }
        }
    }
    text
}

/// How each entrant spread its time over the game, and the seconds of all its moves beside
/// the CPU time of all its games. Empty if nobody's time is known.
fn clock_table(standings: &Standings) -> String {
    let width = name_width(standings);
    let mut text = format!(
        "{:>4} {:width$} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>9} {:>9} {:>9} {:>10} {:>10}\n",
        "",
        "time by empties",
        "60-51",
        "50-41",
        "40-31",
        "30-21",
        "20-11",
        "10-1",
        "a move",
        "if forced",
        "longest",
        "wall",
        "CPU"
    );
    let header = text.len();
    for (entrant, name) in standings.names().iter().enumerate() {
        let used = standings.clock_use(entrant);
        if used.moves == 0 {
            continue;
        }
        let _ = write!(text, "{:>4} {name:width$}", "");
        for share in used.shares() {
            let _ = write!(text, " {:>5.1}%", 100.0 * share);
        }
        for seconds in [used.mean(), used.mean_forced(), used.longest] {
            let _ = write!(text, " {seconds:>7.3} s");
        }
        let cpu = used.cpu.map(|seconds| format!("{seconds:.1} s"));
        let cpu = cpu.unwrap_or_else(|| "-".to_owned());
        let _ = writeln!(text, " {:>8.1} s {cpu:>10}", used.total());
    }
    if text.len() == header {
        text.clear();
    }
    text
}

fn name_width(standings: &Standings) -> usize {
    let longest = standings.names().iter().map(|name| name.chars().count());
    longest.max().unwrap_or(0).max("time by empties".len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Color;
    use crate::tournament::{Ending, GameRecord};

    fn standings() -> Standings {
        let mut standings = Standings::default();
        let mut games = Vec::new();
        for (first, second) in [("a", "b"), ("b", "c"), ("a", "c")] {
            games.extend([(first, second, 6), (second, first, 2)]);
        }
        for (number, (black, white, score)) in (1..).zip(games) {
            let mut record = GameRecord {
                game: number,
                black: black.to_owned(),
                white: white.to_owned(),
                score,
                ..GameRecord::test("f5d6c3")
            };
            record.moves[0].ms = Some(20.0);
            if number == 6 {
                (record.ending, record.forfeit) = (Ending::Time, Some(Color::White));
            }
            standings.add(&record);
        }
        standings
    }

    #[test]
    fn the_whole_is_there() {
        let text = full(&standings());
        for part in [
            "rank",
            "+0.0",
            "time 1",
            "1.0/2",
            "a against b: Elo",
            "100.0%",
            "0.020 s",
        ] {
            assert!(text.contains(part), "{part} in\n{text}");
        }
    }

    #[test]
    fn the_columns_of_a_table_end_below_each_other() {
        let mut standings = standings();
        let name = "ä name that is longer than the heading of its column".to_owned();
        standings.add(&GameRecord {
            white: name,
            black_cpu_ms: Some(1e6),
            ..GameRecord::test("f5d6")
        });
        let ends = |table: &str, last: &str| {
            let mut lines = table.lines();
            let heading = lines.next().expect("a heading");
            let end = heading[..heading.find(last).expect(last) + last.len()]
                .chars()
                .count();
            for line in lines {
                let cells: Vec<char> = line.chars().collect();
                let (before, after) = (cells[end - 1], cells.get(end).unwrap_or(&' '));
                assert!(before != ' ' && *after == ' ', "{last} in\n{table}");
            }
        };
        for column in ["Elo", "from", "to", "games", "lost", "discs"] {
            ends(&table(&standings), column);
        }
        for column in ["60-51", "10-1", "a move", "longest", "wall", "CPU"] {
            ends(&clock_table(&standings), column);
        }
    }

    #[test]
    fn before_the_first_game_there_is_something_to_show_as_well() {
        let text = full(&Standings::new(vec!["a".to_owned(), "b".to_owned()]));
        assert!(text.contains("not known yet"), "{text}");
        assert!(!text.contains("time by empties"), "{text}");
    }
}
