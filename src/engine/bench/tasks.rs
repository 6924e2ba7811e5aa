//! The fixed searches of the bench.
//!
//! The positions come from games that Emilia played against itself (depth 8, exact from
//! 16 empties, random first plies), those that ended within 8 discs.

use crate::search::{Goal, Selectivity};

/// One search of the bench.
pub(super) struct Task {
    pub(super) position: &'static str,
    pub(super) goal: Goal,
    /// Plies; `None`: to the end of the game.
    pub(super) depth: Option<u32>,
    pub(super) selectivity: Selectivity,
    pub(super) multipv: usize,
}

/// A midgame search as games have it: deep and selective.
const fn play(position: &'static str) -> Task {
    Task {
        position,
        goal: Goal::Play,
        depth: Some(14),
        selectivity: Selectivity::P73,
        multipv: 1,
    }
}

/// A midgame search without selectivity.
const fn full_width(position: &'static str) -> Task {
    Task {
        depth: Some(10),
        selectivity: Selectivity::Full,
        ..play(position)
    }
}

/// A midgame search for the four best moves.
const fn four_lines(position: &'static str) -> Task {
    Task {
        depth: Some(10),
        multipv: 4,
        ..play(position)
    }
}

/// A move of a game that is searched to its end.
const fn to_the_end(position: &'static str) -> Task {
    Task {
        depth: None,
        ..play(position)
    }
}

const fn exact(position: &'static str) -> Task {
    Task {
        goal: Goal::EXACT,
        ..to_the_end(position)
    }
}

const fn wld(position: &'static str) -> Task {
    Task {
        goal: Goal::WLD,
        ..to_the_end(position)
    }
}

/// All searches, in order: through the phases of a game, then the solves with fewer and
/// fewer empties.
pub(super) const TASKS: [Task; 32] = [
    play("---------------------------OX------XO--------------------------- X"),
    play("------------------OOO-----XXOO-----XOXX----OOO------------------ X"),
    play("----------OO------XOXX-----XO-----OOXO------XX------------------ X"),
    full_width("-------------------OOO----XOXO-----XOO----XXXO------------------ X"),
    play("------------X-----OXOX----XXOX-----XOOOO---OOOO----------------- X"),
    play("-------------------OOO----XOOO-----XXOX---XXXXO-----X----------- O"),
    full_width("------------------XO-----XOOX---XXOOX---XXOOX------O------------ O"),
    play("-----------X------XXOO----XXXXX---OOOXO---XXXOOO----XO---------- O"),
    play("--XXO-----XXOO----XXOXX--XXOOXO---OOOX------OX------O----------- O"),
    full_width("------------------OX-----OOXXX---OOXXX---XXOXO----XXOO----XOOO-- O"),
    four_lines("----------------OXXO-O---XXOO---XXXXXX--XXXXXO----XO------------ O"),
    play("----OX----X-XX----XXOXX---XXOXO---OXXOOO--OXOOO----XXO---------- O"),
    play("--XXXX----XXXX----XXOOOO-XXOOXO--XXOOO--X-X-OOO-----O----------- O"),
    full_width("----------------X-OX----XXOXXX--XOXXXX--XXOOXO--X-OOOO---OOOOO-- O"),
    play("----OOO---X-XOO---XXOOOX-XXOOOOX--OXXXOX-OOXXXXX---XXO---------- X"),
    play("----------OXXX---XXOXX---XXXOXO--XOXXOOO-XOOOXOO--OOOOX----O---- O"),
    full_width("----O-----OO----XOOX----XXOXXX--XOXXXX--XXOOXX--X-OOOXX--OOOOOX- O"),
    to_the_end("--XXXX----XXXXX-XXXOOXOOOXOXXOO-OXOXOOO-O-OOOOO-O-OXX-------XX-- O"),
    to_the_end("----OO--XOOOOO--XOOOX---XOXOXX--XOOXOX--XOXOXO--XXOOOXO-XOOOOOOO X"),
    exact("----OOO---XXXOO--OOXOOOXOOOOOXOX-XXOXXXXXXXOOXXX---OXO-----O---- X"),
    exact("-XXXXXX---XXOX---OXXXX-OOOOXOXO--OOOOOXX-OOXOOXX--OOXX-----XXX-- X"),
    exact("--X-----OOXXXXXX-XOOOOOOXXOOXXO--XXOXOOO-XXXOOOO--XOOOO---XO---O O"),
    exact("--XXXX-OO-XXXXO-OOXOOOOOOXOXOOO-OXXOOOO-OXOOOOO-O-OXX-------XX-- X"),
    exact("X-X----OOXXXXXOO-XXOOOOOXXOXXXO--XXOXOOO-XXXOOOO--XOOOO---XO---O O"),
    exact("-XXXXXX---XXOX-X-OXXXXXXOOOXOOOX-OOOOOOX-OOXOOXX--OOXO-----XXXO- X"),
    exact("---XXXXX--XXXOOO-OOXOXOXOOOOXXOXOOOXXXXXXOXXOXXX--OXXX----OOX--- O"),
    wld("----O-----OOXO--XOOXX---XXOOXX--XOOXOX--XOXOXO--XXOOOXO-XOOOOOOO O"),
    wld("----OOO---XXXOO--OOXOOOXOOOOOXOX-XOOXXXXXXXXOXXX--OXXX----OOX--- O"),
    wld("-XXXX---X-XXXX--XXXOXX--XXOOXXX-XOOOOXO-XXOOXOOO--OOOOO--O-O-O-- O"),
    wld("-XXXXXX---XXOX---OXXXXXOOOOXOOOO-OOOOOOX-OOXOOXX--OOXX-----XXX-- X"),
    wld("-XXXX---X-XXXXO-XXXOXO--XXOOOXX-XOOOOXXXXXOOXOOO--OOOOO--O-O-O-- O"),
    wld("--XXXX-OO-XXXXO-OOXOOXOOOXOXOXO-OXXOOXO-OXOOOXO-O-OOXX----O-XX-- X"),
];
