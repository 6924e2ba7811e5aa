//! Fixed searches whose node count is the signature of the search's behaviour.

use std::fmt;
use std::time::Duration;

use crate::eval::Evaluator;
use crate::rules::Position;
use crate::search::{Control, Goal, Limits, SearchOptions, Searcher, TableError};

/// One thread, so that the node count is always the same.
const OPTIONS: SearchOptions = SearchOptions {
    threads: 1,
    hash_mb: 64,
};

/// Plies that the searches for a move go.
const PLAY_DEPTH: u32 = 11;

/// Openings and midgames of games that Emilia played against itself, to search for a move.
const PLAY: [&str; 11] = [
    "-----------O-------OO------OX------OXX----O--X------------------ X",
    "--------------------XO----XXX-----XXXO---X-OOO--------O--------- X",
    "--------XXXO------OOXX----OOX-----OOOX----XO-O------------------ X",
    "----------------X-XXOO--XXXOO---XXXXO----OOOOO-----OX----------- X",
    "------------XO---XO-XO---OOOXOO--OOXOOOO--OOXOX---X-X----------- X",
    "----------OOO------OOOO---XXXOO--XXXOXX---XOOXXX--OOOX------OX-- X",
    "------------XX--O-XXXX-X-OXOOXX--OOXOXX-OOOOOOOO--O-OO-----OOO-- X",
    "--X--O----OXO----XXOXXO--XOXXXOO-XOOXXOO-XOOOXOO--OOOOX------O-- X",
    "X-O--O--OXOXOX--OOXO----OOOXXX--OOXXXX--OOOOXOOOXXOOOO-----OOO-- X",
    "------------OX-----XO-----XXO-----XXOO----X-OOO----O------------ X",
    "------------------X-O-----XOOO----OOXOOO--XXXXOO----XX-O---XXX-- X",
];

/// Ends of such games, 14 to 16 empties, to solve to the disc.
const EXACT: [&str; 6] = [
    "--OO-X--X-OOO--XXXOXOOOXXOXOOXOXXXOOOXOXXXOXOOOX--OOXOO---OOOOO- X",
    "----XXX--X-OOX--XX-OOOX-XXOXXOXXXXXXXOXXXXOXXXXXXOXOOX--XXXXXX-- O",
    "XXX-OOO-O-XXXO--OXXXXXXXOOXOOXX-OOOXXOX-OOOOOOO---XXXX----XXXX-- X",
    "----XXX----OOO-XOOOOOOX-OOOOXXX-OOXXOXXOOOOOOOOOOOXXOO-OOOOOOO-- X",
    "----OX--X--XX---XXXXOOOOXXXXOOOOXOXOOOOOXXXXOOO-XOOOO---XOOOOOOO O",
    "--OOO-X--XXXOX-OXXXXXOOO-XOXXXOOXXOOOOOO-XOOOXOX--OOXO----OOOO-- X",
];

/// Ends of such games, 16 to 18 empties, to solve for win, draw or loss.
const WLD: [&str; 6] = [
    "--X--O--O-XXOO---OXOOOXX-OOXOOXXOOXOXOXX-OOOOXXX-OXOOXXX--XXXXX- X",
    "-----O-X----XOX---XXXXOO--XXXXOOXXXXXOXOXXXXXOXO-OOOOXXOO-OOOOXO O",
    "----OX----OOOX--OOOXO---OOXXOOX-OXXOOOOOXXOOXOO--OOOOOO-O-OOOOOO X",
    "---OO--O---OOO-O-XXOXOOO-XXOOOOOXXOXXXXX-XOOOOOX--OOOOOX--OOOOXX X",
    "XXXXXXX--OOXXXX--OOXOXXO-OOXXXOO--OXXOOO---XOXOO-OXXXX-O-XXX---- O",
    "-----X-----XXXOXO-XXOOOX-OXXOXOXOOOOXOOX-OOXXXOX--XXXXXX--XXXX-X X",
];

/// All searches, in order.
fn tasks() -> impl Iterator<Item = (&'static str, Goal)> {
    let play = PLAY.into_iter().map(|text| (text, Goal::Play));
    let exact = EXACT.into_iter().map(|text| (text, Goal::Exact));
    let wld = WLD.into_iter().map(|text| (text, Goal::Wld));
    play.chain(exact).chain(wld)
}

/// How one search of the bench went.
#[derive(Clone, Debug)]
pub struct Line {
    number: usize,
    goal: Goal,
    nodes: u64,
    time: Duration,
}

/// `position 1 play nodes 24441 time 3`, the time in milliseconds.
impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let goal = match self.goal {
            Goal::Play => "play",
            Goal::Exact => "exact",
            Goal::Wld => "wld",
        };
        let Line { number, nodes, .. } = self;
        let time = self.time.as_millis();
        write!(f, "position {number} {goal} nodes {nodes} time {time}")
    }
}

/// All searches of the bench together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Total {
    /// Nodes visited: the signature.
    pub nodes: u64,
    /// Time of the searches alone.
    pub time: Duration,
}

/// `signature N, M nodes/s`.
impl fmt::Display for Total {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let speed = self.nodes as f64 / self.time.as_secs_f64().max(1e-9);
        write!(f, "signature {}, {speed:.0} nodes/s", self.nodes)
    }
}

/// Searches every task with one thread and a fresh table; `report` sees each result.
/// `None` if `control` stopped it.
///
/// # Errors
/// If the table's memory cannot be had.
pub fn run(control: &Control, report: &mut dyn FnMut(&Line)) -> Result<Option<Total>, TableError> {
    let mut searcher = Searcher::new(Evaluator::embedded(), OPTIONS)?;
    let mut total = Total {
        nodes: 0,
        time: Duration::ZERO,
    };
    for (number, (text, goal)) in (1..).zip(tasks()) {
        let position: Position = text.parse().expect("the bench's own positions");
        let limits = Limits {
            goal,
            depth: (goal == Goal::Play).then_some(PLAY_DEPTH),
            ..Limits::default()
        };
        searcher.forget();
        let outcome = searcher.search(position.board, &limits, control, &mut |_| {});
        if control.is_stopped() {
            return Ok(None);
        }
        total.nodes += outcome.nodes;
        total.time += outcome.time;
        report(&Line {
            number,
            goal,
            nodes: outcome.nodes,
            time: outcome.time,
        });
    }
    Ok(Some(total))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_of_the_bench_can_be_read_and_played() {
        for (text, _) in tasks() {
            let position: Position = text.parse().expect(text);
            assert!(!position.board.legal_moves().is_empty(), "{text}");
        }
    }

    #[test]
    fn a_stopped_bench_has_no_total() {
        let control = Control::new();
        control.stop();
        assert_eq!(run(&control, &mut |_| {}), Ok(None));
    }
}
