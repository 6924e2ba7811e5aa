//! The fixed searches of the bench.
//!
//! The positions come from games that Emilia played against itself (depth 8, exact from
//! 16 empties, random first plies), those that ended within 8 discs.

use crate::rules::Position;
use crate::search::{Goal, Limits, Selectivity};

/// How a position is searched.
#[derive(Clone, Copy)]
enum TaskKind {
    /// As in the midgame of games: deep and selective.
    Play,
    /// Without selectivity.
    FullWidth,
    /// For the four best moves.
    FourLines,
    /// As a move of a game that is searched to its end.
    ToTheEnd,
    /// For the final score.
    Exact,
    /// For who wins.
    Wld,
}

use TaskKind::{Exact, FourLines, FullWidth, Play, ToTheEnd, Wld};

impl TaskKind {
    const fn on(self, position: &'static str) -> (TaskKind, &'static str) {
        (self, position)
    }

    fn limits(self) -> Limits {
        let (goal, depth, selectivity, multipv) = match self {
            Play => (Goal::Play, Some(14), Selectivity::P73, 1),
            FullWidth => (Goal::Play, Some(10), Selectivity::Full, 1),
            FourLines => (Goal::Play, Some(10), Selectivity::P73, 4),
            ToTheEnd => (Goal::Play, None, Selectivity::P73, 1),
            Exact => (Goal::EXACT, None, Selectivity::P73, 1),
            Wld => (Goal::WLD, None, Selectivity::P73, 1),
        };
        Limits {
            goal,
            depth,
            selectivity,
            multipv,
            ..Limits::default()
        }
    }
}

/// All searches, in order: through the phases of a game, then the solves with fewer and
/// fewer empties.
pub(super) fn tasks() -> impl Iterator<Item = Task> {
    let position = |text: &str| text.parse().expect("the bench's own positions");
    TASKS
        .into_iter()
        .map(move |(kind, text)| (position(text), kind.limits()))
}

/// One search of the bench.
pub type Task = (Position, Limits);

const TASKS: [(TaskKind, &str); 32] = [
    Play.on("---------------------------OX------XO--------------------------- X"),
    Play.on("------------------OOO-----XXOO-----XOXX----OOO------------------ X"),
    Play.on("----------OO------XOXX-----XO-----OOXO------XX------------------ X"),
    FullWidth.on("-------------------OOO----XOXO-----XOO----XXXO------------------ X"),
    Play.on("------------X-----OXOX----XXOX-----XOOOO---OOOO----------------- X"),
    Play.on("-------------------OOO----XOOO-----XXOX---XXXXO-----X----------- O"),
    FullWidth.on("------------------XO-----XOOX---XXOOX---XXOOX------O------------ O"),
    Play.on("-----------X------XXOO----XXXXX---OOOXO---XXXOOO----XO---------- O"),
    Play.on("--XXO-----XXOO----XXOXX--XXOOXO---OOOX------OX------O----------- O"),
    FullWidth.on("------------------OX-----OOXXX---OOXXX---XXOXO----XXOO----XOOO-- O"),
    FourLines.on("----------------OXXO-O---XXOO---XXXXXX--XXXXXO----XO------------ O"),
    Play.on("----OX----X-XX----XXOXX---XXOXO---OXXOOO--OXOOO----XXO---------- O"),
    Play.on("--XXXX----XXXX----XXOOOO-XXOOXO--XXOOO--X-X-OOO-----O----------- O"),
    FullWidth.on("----------------X-OX----XXOXXX--XOXXXX--XXOOXO--X-OOOO---OOOOO-- O"),
    Play.on("----OOO---X-XOO---XXOOOX-XXOOOOX--OXXXOX-OOXXXXX---XXO---------- X"),
    Play.on("----------OXXX---XXOXX---XXXOXO--XOXXOOO-XOOOXOO--OOOOX----O---- O"),
    FullWidth.on("----O-----OO----XOOX----XXOXXX--XOXXXX--XXOOXX--X-OOOXX--OOOOOX- O"),
    ToTheEnd.on("--XXXX----XXXXX-XXXOOXOOOXOXXOO-OXOXOOO-O-OOOOO-O-OXX-------XX-- O"),
    ToTheEnd.on("----OO--XOOOOO--XOOOX---XOXOXX--XOOXOX--XOXOXO--XXOOOXO-XOOOOOOO X"),
    Exact.on("----OOO---XXXOO--OOXOOOXOOOOOXOX-XXOXXXXXXXOOXXX---OXO-----O---- X"),
    Exact.on("-XXXXXX---XXOX---OXXXX-OOOOXOXO--OOOOOXX-OOXOOXX--OOXX-----XXX-- X"),
    Exact.on("--X-----OOXXXXXX-XOOOOOOXXOOXXO--XXOXOOO-XXXOOOO--XOOOO---XO---O O"),
    Exact.on("--XXXX-OO-XXXXO-OOXOOOOOOXOXOOO-OXXOOOO-OXOOOOO-O-OXX-------XX-- X"),
    Exact.on("X-X----OOXXXXXOO-XXOOOOOXXOXXXO--XXOXOOO-XXXOOOO--XOOOO---XO---O O"),
    Exact.on("-XXXXXX---XXOX-X-OXXXXXXOOOXOOOX-OOOOOOX-OOXOOXX--OOXO-----XXXO- X"),
    Exact.on("---XXXXX--XXXOOO-OOXOXOXOOOOXXOXOOOXXXXXXOXXOXXX--OXXX----OOX--- O"),
    Wld.on("----O-----OOXO--XOOXX---XXOOXX--XOOXOX--XOXOXO--XXOOOXO-XOOOOOOO O"),
    Wld.on("----OOO---XXXOO--OOXOOOXOOOOOXOX-XOOXXXXXXXXOXXX--OXXX----OOX--- O"),
    Wld.on("-XXXX---X-XXXX--XXXOXX--XXOOXXX-XOOOOXO-XXOOXOOO--OOOOO--O-O-O-- O"),
    Wld.on("-XXXXXX---XXOX---OXXXXXOOOOXOOOO-OOOOOOX-OOXOOXX--OOXX-----XXX-- X"),
    Wld.on("-XXXX---X-XXXXO-XXXOXO--XXOOOXX-XOOOOXXXXXOOXOOO--OOOOO--O-O-O-- O"),
    Wld.on("--XXXX-OO-XXXXO-OOXOOXOOOXOXOXO-OXXOOXO-OXOOOXO-O-OOXX----O-XX-- X"),
];
