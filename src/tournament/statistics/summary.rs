//! The state of a tournament as text: table, cross table, and how time was used.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::elo::{EloEstimate, estimate, normalised, rounded, superiority};
use super::sprt::Sprt;
use super::standings::{Duel, Standing, Standings};
use crate::tournament::GameEnding;

/// The whole state. `Elo` is against the mean of all; `from` and `to` are its
/// 95% interval. The test, if there is one, is shown for each two players.
pub fn full(standings: &Standings, sprt: Option<Sprt>) -> String {
    let mut text = table(standings) + "\n";
    text += &match standings.players() {
        [first, second] => {
            let duel = standings.duel(0, 1);
            let all = &duel.results;
            let [losses, draws, wins] = all.games;
            format!(
                "{} against {}: {:.1} of {} ({:.1}%), +{wins} ={draws} -{losses}, {:+.2} discs a game\n{}",
                first.name,
                second.name,
                all.points(),
                all.count(),
                100.0 * all.rate(),
                rounded(all.mean_discs(), 100.0),
                elo_line(&duel, sprt),
            )
        }
        _ => cross_tables(standings, sprt),
    };
    let mut players = standings.players().iter();
    if players.any(|player| player.clock.moves > 0) {
        text = text + "\n" + &clock_table(standings);
    }
    text
}

/// One line for each player, and a warning where games were forfeited.
pub fn table(standings: &Standings) -> String {
    rows(standings) + &forfeit_warning(standings)
}

/// How often each kind of forfeit occurred.
fn kinds(forfeits: &BTreeMap<GameEnding, u64>) -> String {
    let kinds = forfeits.iter().map(|(ending, n)| format!("{ending} {n}"));
    Vec::from_iter(kinds).join(", ")
}

/// Forfeits say little about playing strength, and the Elo counts them as losses.
fn forfeit_warning(standings: &Standings) -> String {
    let forfeits = standings.forfeits();
    let games: u64 = forfeits.values().sum();
    if games == 0 {
        return String::new();
    }
    let (all, kinds) = (standings.games(), kinds(&forfeits));
    format!(
        "warning: {games} of {all} games were forfeited ({kinds}); the Elo counts them as lost, and says less about play\n"
    )
}

/// One line for each player; a table for each group that has met.
fn rows(standings: &Standings) -> String {
    let rankings = standings.rankings();
    let tables = rankings
        .iter()
        .map(|ranking| group_rows(standings, ranking));
    Vec::from_iter(tables).join("\n")
}

fn group_rows(standings: &Standings, ranking: &[(usize, EloEstimate)]) -> String {
    let width = name_width(standings);
    let mut text = format!(
        "rank {:width$}     Elo    from      to  games  score   won drawn  lost  draws  discs  forfeits\n",
        "name"
    );
    for (rank, &(player, rating)) in (1..).zip(ranking) {
        let Standing {
            name,
            total,
            faults,
            ..
        } = &standings.players()[player];
        let [elo, low, high] = [rating.elo, rating.low, rating.high].map(|end| rounded(end, 10.0));
        let [losses, draws, wins] = total.games;
        let (games, rate) = (total.count(), 100.0 * total.rate());
        let discs = rounded(total.mean_discs(), 100.0);
        let drawn = 100.0 * draws as f64 / games.max(1) as f64;
        let faults = Some(kinds(faults)).filter(|kinds| !kinds.is_empty());
        let faults = faults.unwrap_or_else(|| "-".to_owned());
        let _ = writeln!(
            text,
            "{rank:>4} {name:width$} {elo:>+7.1} {low:>+7.1} {high:>+7.1} {games:>6} {rate:>5.1}% \
             {wins:>5} {draws:>5} {losses:>5} {drawn:>5.1}% {discs:>+6.2}  {faults}"
        );
    }
    text
}

/// The rating difference of two players by all their games, and the state of the test.
fn elo_line(duel: &Duel, sprt: Option<Sprt>) -> String {
    let (outcomes, pairs) = (duel.outcomes(), &duel.pairs);
    let elo = estimate(&outcomes).map(|elo| {
        let normalised = normalised(&outcomes).map(|elo| format!("{:+.1}", rounded(elo, 10.0)));
        let normalised = normalised.unwrap_or_else(|| "-".to_owned());
        let superiority = 100.0 * superiority(&outcomes);
        format!("{elo}, normalised {normalised}, LOS {superiority:.1}%")
    });
    let elo = elo.unwrap_or_else(|| "not known yet".to_owned());
    let test = sprt.map(|sprt| sprt.text(pairs, sprt.decide(pairs)));
    format!(
        "Elo {elo}, pairs {:?}\n{}",
        pairs.0,
        test.unwrap_or_default()
    )
}

/// The cross table of each group that has met.
fn cross_tables(standings: &Standings, sprt: Option<Sprt>) -> String {
    let rankings = standings.rankings().into_iter();
    let rankings = rankings.map(|ranking| Vec::from_iter(ranking.iter().map(|rank| rank.0)));
    let tables = rankings.map(|ranking| cross_table(standings, &ranking, sprt));
    Vec::from_iter(tables).join("\n")
}

/// Points of the row's player against the column's, and the number of games; then each duel.
fn cross_table(standings: &Standings, ranking: &[usize], sprt: Option<Sprt>) -> String {
    let width = name_width(standings);
    let name = |player: usize| &standings.players()[player].name;
    let mut text = format!("{:>4} {:width$}", "", "points");
    for rank in 1..=ranking.len() {
        let _ = write!(text, " {rank:>13}");
    }
    for (rank, &row) in (1..).zip(ranking) {
        let _ = write!(text, "\n{rank:>4} {:width$}", name(row));
        for &column in ranking {
            let results = standings.duel(row, column).results;
            let cell = match results.count() {
                0 => "-".to_owned(),
                games => format!("{:.1}/{games}", results.points()),
            };
            let _ = write!(text, " {cell:>13}");
        }
    }
    text.push('\n');
    for (rank, &first) in ranking.iter().enumerate() {
        for &second in &ranking[rank + 1..] {
            let duel = standings.duel(first, second);
            if duel.results.count() > 0 {
                let (first, second) = (name(first), name(second));
                let _ = write!(text, "{first} against {second}: {}", elo_line(&duel, sprt));
            }
        }
    }
    text
}

/// How each player distributed its time over the game, the seconds of all its moves, and the CPU
/// time of all its games.
fn clock_table(standings: &Standings) -> String {
    let width = name_width(standings);
    let mut text = format!(
        "     {:width$}  60-51  50-41  40-31  30-21  20-11   10-1    a move if forced   longest       wall        CPU\n",
        "time by empties"
    );
    for Standing { name, clock, .. } in standings.players() {
        if clock.moves == 0 {
            continue;
        }
        let _ = write!(text, "     {name:width$}");
        for share in clock.shares() {
            let _ = write!(text, " {:>5.1}%", 100.0 * share);
        }
        for seconds in [clock.mean(), clock.mean_forced(), clock.longest] {
            let _ = write!(text, " {seconds:>7.3} s");
        }
        let cpu = clock.cpu.map(|seconds| format!("{seconds:.1} s"));
        let cpu = cpu.unwrap_or_else(|| "-".to_owned());
        let _ = writeln!(text, " {:>8.1} s {cpu:>10}", clock.total());
    }
    text
}

fn name_width(standings: &Standings) -> usize {
    let players = standings.players().iter();
    let longest = players.map(|player| player.name.chars().count()).max();
    longest.unwrap_or(0).max("time by empties".len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Color;
    use crate::tournament::{GameEnding, GameRecord};

    fn standings() -> Standings {
        let mut standings = Standings::default();
        let games = "ab ba bc cb ac ca".split(' ').zip([6, 2, 6, 2, 6, 2]);
        for (game, (players, score)) in (1..).zip(games) {
            let (black, white) = players.split_at(1);
            let mut record = GameRecord {
                game,
                score,
                ..GameRecord::test_between(black, white)
            };
            record.moves[0].ms = Some(20.0);
            if game == 6 {
                (record.ending, record.forfeit) = (GameEnding::Time, Some(Color::White));
            }
            standings.add(&record);
        }
        standings
    }

    #[test]
    fn all_parts_are_shown() {
        let text = full(&standings(), None);
        let parts = "rank|+0.0|time 1|1.0/2|a against b: Elo|100.0%|0.020 s|warning: 1 of 6 games were forfeited (time 1)";
        for part in parts.split('|') {
            assert!(text.contains(part), "{part} in\n{text}");
        }
        assert!(table(&standings()).contains("warning"));
        let mut fair = Standings::default();
        fair.add(&GameRecord::test("f5d6"));
        assert!(
            !full(&fair, None).contains("warning"),
            "no game was forfeited"
        );
    }

    #[test]
    fn the_columns_of_a_table_are_aligned() {
        let mut standings = standings();
        let name = "ä name that is longer than the heading of its column";
        standings.add(&GameRecord {
            black_cpu_ms: Some(1e6),
            ..GameRecord::test_between("black", name)
        });
        let ends = |table: &str, last: &str| {
            let mut lines = table.lines();
            let heading = lines.next().expect("a heading");
            let end = heading[..heading.find(last).expect(last) + last.len()]
                .chars()
                .count();
            for line in lines.filter(|line| !line.is_empty()) {
                let cells: Vec<char> = line.chars().collect();
                let (before, after) = (cells[end - 1], cells.get(end).unwrap_or(&' '));
                assert!(before != ' ' && *after == ' ', "{last} in\n{table}");
            }
        };
        for column in ["Elo", "from", "to", "games", "lost", "discs"] {
            ends(&rows(&standings), column);
        }
        for column in ["60-51", "10-1", "a move", "longest", "wall", "CPU"] {
            ends(&clock_table(&standings), column);
        }
    }

    #[test]
    fn the_state_before_the_first_game_is_shown() {
        let text = full(&Standings::new(["a".to_owned(), "b".to_owned()]), None);
        assert!(text.contains("not known yet"), "{text}");
        assert!(!text.contains("time by empties"), "{text}");
    }
}
