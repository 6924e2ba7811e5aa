//! A player of limited skill, who errs as people do and not at random.
//!
//! A weak one looks a ply or two ahead and likes discs and edges more than they are worth; a better
//! one knows more of what the trained evaluation knows, looks further, and counts more of the end out. What
//! it sees a little worse than the best move it may play as well: by how much is bounded, and which of
//! these moves it plays is drawn from a seed, so that no two games are the same and no move is one
//! that the same player would call a blunder.

use std::fmt;

use crate::eval::{Evaluator, LIMIT};
use crate::host::Instant;
use crate::random::SplitMix64;
use crate::rules::{Bitboard, Board, Move, Square};
use crate::score::{Bounds, Score};
use crate::search::{Bound, Control, Info, Limits, Outcome, Proof, Searcher, Selectivity};

/// What a player sees.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Skill {
    /// Plies that it looks ahead in the middle of the game, at least 1.
    pub(super) depth: u32,
    /// Empties from which on it counts the game out.
    pub(super) solves: u32,
    /// What it believes in where it does not know better.
    pub(super) belief: Belief,
    /// How much it knows: sixteenths of its judgement that are the trained evaluation's.
    pub(super) knowledge: i32,
    /// It may play a move that looks less than this worse than the best one, in 1/128 disc.
    pub(super) blur: i32,
}

/// `looks 2 plies ahead, counts out the last 3 squares, ..`
impl fmt::Display for Skill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Skill { depth, solves, .. } = self;
        let plies = if *depth == 1 { "ply" } else { "plies" };
        let squares = if *solves == 1 { "square" } else { "squares" };
        write!(f, "looks {depth} {plies} ahead, counts out the last ")?;
        if *solves > 1 {
            write!(f, "{solves} ")?;
        }
        write!(f, "{squares}, {}", self.manner())
    }
}

impl Skill {
    /// What it goes by.
    const fn manner(&self) -> &'static str {
        let [disc, _, _, risk, mobility] = self.belief;
        match self.knowledge {
            ALL => "knows all that the engine knows",
            8.. => "knows much of what the engine knows",
            1.. => "wants corners and moves, and knows a little more",
            _ if disc == 0 => "wants corners and moves",
            _ if mobility > 0 => "wants corners, edges, moves and discs",
            _ if risk < 0 => "wants discs, edges and corners, and fears for corners",
            _ => "wants discs, edges and corners",
        }
    }
}

/// What people believe that things are worth, in 1/128 disc: a disc; a disc on an edge, corners included; a
/// corner; a disc on a square beside an empty corner, usually negative; a legal move.
pub(super) type Belief = [i32; 5];

/// All of a player's knowledge is the evaluation's.
pub(super) const ALL: i32 = 16;

/// Lines that a player compares who searches as the engine does.
const LINES: usize = 4;

/// Until so many empties the moves of such a player vary.
const VARIES: u32 = 40;

/// Beyond every judgement.
const INFINITE: i32 = 1 << 20;

/// What a won game counts besides its score: more than any estimate, also those of beliefs, which are
/// not bounded by the board.
const WON: i32 = 512 * Score::PER_DISC;

const EDGES: u64 = 0xff81_8181_8181_81ff;

/// Each corner with the three squares beside it.
const BESIDE: [(u64, u64); 4] = [
    (1, 0x0302),
    (1 << 7, 0xc040),
    (1 << 56, 0x0203 << 48),
    (1 << 63, 0x40c0 << 48),
];

/// A player in one search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Person {
    /// What it sees.
    pub(super) skill: Skill,
    /// What its choices among good moves are drawn from.
    pub(super) seed: u64,
}

impl Person {
    /// Its move. `limits` are those of the search for it.
    pub(super) fn choose(
        &self,
        searcher: &mut Searcher,
        board: Board,
        limits: &Limits,
        control: &Control,
    ) -> Outcome {
        let has_choice = board.legal_moves().count() > 1;
        if has_choice && self.skill.knowledge < ALL {
            self.judge(searcher, board)
        } else {
            self.search(searcher, board, limits, control)
        }
    }

    /// By the engine's search; in the first half of the game one of the moves that look about as good.
    fn search(
        &self,
        searcher: &mut Searcher,
        board: Board,
        limits: &Limits,
        control: &Control,
    ) -> Outcome {
        let varies = self.skill.blur > 0 && board.empty_count() > VARIES;
        let limits = Limits {
            multipv: if varies { LINES } else { 1 },
            ..limits.clone()
        };
        let mut outcome = searcher.search(board, &limits, control, &mut |_| {});
        let scores = outcome.lines.iter().map(|line| line.score.raw());
        if let Some(chosen) = self.draw(&scores.collect::<Vec<_>>()) {
            let line = outcome.lines.swap_remove(chosen);
            outcome.best = line.pv.first().copied().or(outcome.best);
            outcome.ponder = line.pv.get(1).copied();
            outcome.lines = vec![Info { multipv: 1, ..line }];
        }
        outcome
    }

    /// By its own judgement.
    fn judge(&self, searcher: &Searcher, board: Board) -> Outcome {
        let start = Instant::now();
        let mut look = Look {
            skill: &self.skill,
            evaluator: searcher.evaluator(),
            nodes: 0,
        };
        let depth = match board.empty_count() {
            empties if empties <= self.skill.solves => empties,
            _ => self.skill.depth,
        };
        let moves: Vec<Square> = board.legal_moves().collect();
        let mut best = -INFINITE;
        let mut values = Vec::with_capacity(moves.len());
        for &square in &moves {
            // What is worse than this is not played.
            let alpha = (best - self.skill.blur).max(-INFINITE);
            let value = -look.search(board.play(square), depth - 1, -INFINITE, -alpha);
            best = best.max(value);
            values.push(value);
        }
        let chosen = self.draw(&values).unwrap_or_default();
        let line = Info {
            depth,
            selectivity: Selectivity::Full,
            multipv: 1,
            score: reported(values[chosen]),
            unrounded: reported(values[chosen]),
            minimax: reported(values[chosen]),
            bound: Bound::Exact,
            proof: Proof::None,
            nodes: look.nodes,
            time: start.elapsed(),
            hashfull: 0,
            pv: vec![Move::Place(moves[chosen])],
        };
        Outcome::of(vec![line], true, Bounds::UNKNOWN)
    }

    /// The number of a move whose value is less than the blur below the best one; the closer, the
    /// likelier.
    fn draw(&self, values: &[i32]) -> Option<usize> {
        let mut random = SplitMix64::new(self.seed);
        let blur = self.skill.blur.max(1) as u64;
        let blurred = values.iter().map(|value| value + random.below(blur) as i32);
        let (chosen, _) = blurred.enumerate().max_by_key(|&(_, value)| value)?;
        Some(chosen)
    }
}

/// The score of a value of [`Look`]: the final score where the look went to the end of the game, else an
/// estimate.
fn reported(value: i32) -> Score {
    Score::from_raw(if value.abs() > WON {
        value - WON * value.signum()
    } else {
        value.clamp(-LIMIT, LIMIT)
    })
}

/// A player's look ahead: alpha-beta to its depth.
struct Look<'a> {
    skill: &'a Skill,
    evaluator: &'a Evaluator,
    nodes: u64,
}

impl Look<'_> {
    fn search(&mut self, board: Board, depth: u32, alpha: i32, beta: i32) -> i32 {
        self.nodes += 1;
        let moves = board.legal_moves();
        if moves.is_empty() {
            let passed = board.pass();
            if passed.legal_moves().is_empty() {
                let discs = board.final_score();
                return Score::PER_DISC * discs + WON * discs.signum();
            }
            return -self.search(passed, depth, -beta, -alpha);
        }
        if depth == 0 {
            return self.evaluate(board);
        }
        let mut best = -INFINITE;
        for square in moves {
            let value = -self.search(board.play(square), depth - 1, -beta, -alpha.max(best));
            best = best.max(value);
            if best >= beta {
                break;
            }
        }
        best
    }

    /// For the side to move.
    fn evaluate(&self, board: Board) -> i32 {
        let known = self.skill.knowledge;
        let worths = self.skill.belief.iter().zip(advantages(board));
        let believed = worths.map(|(worth, count)| worth * count).sum();
        if known == 0 {
            return believed;
        }
        let learned = self.evaluator.evaluate(board).raw();
        (believed * (ALL - known) + learned * known) / ALL
    }
}

/// How many more than the opponent the side to move has of each thing that a [`Belief`] is about.
fn advantages(board: Board) -> [i32; 5] {
    let corners = BESIDE.iter();
    let empty = corners.filter(|(corner, _)| board.empties() & corner != 0);
    let beside = empty.fold(0, |all, (_, squares)| all | squares);
    let things = |board: Board| {
        let discs = |squares: u64| (board.player & squares).count_ones() as i32;
        let moves = board.legal_moves().count() as i32;
        [
            discs(!0),
            discs(EDGES),
            discs(Bitboard::CORNERS.0),
            discs(beside),
            moves,
        ]
    };
    let (own, other) = (things(board), things(board.pass()));
    std::array::from_fn(|thing| own[thing] - other[thing])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Level, Strength};
    use crate::rules::{Game, Position};
    use crate::search::Goal;

    fn level(number: u8) -> Strength {
        Strength::Level(Level::new(number).expect("a level"))
    }

    fn choose(searcher: &mut Searcher, level: Strength, board: Board, seed: u64) -> Outcome {
        let limits = level.limits(board.empty_count(), Limits::default());
        let person = level.person(seed).expect("a level is a person");
        person.choose(searcher, board, &limits, &Control::new())
    }

    /// The first plies of a game of a level against itself.
    fn game(searcher: &mut Searcher, level: Strength, seed: u64, plies: usize) -> String {
        let mut seeds = SplitMix64::new(seed);
        let mut game = Game::new(Position::START);
        while game.moves().len() < plies && !game.position().board.is_over() {
            let outcome = choose(searcher, level, game.position().board, seeds.next_u64());
            game.play(outcome.best.expect("a move"))
                .expect("a legal move");
        }
        game.transcript()
    }

    #[test]
    fn a_seed_repeats_its_game_and_others_play_others() {
        let mut searcher = Searcher::small(Evaluator::embedded()).expect("memory");
        for number in [1, 5, 9, 16] {
            let level = level(number);
            let games: Vec<String> = (0..6)
                .map(|seed| game(&mut searcher, level, seed, 20))
                .collect();
            let different: std::collections::BTreeSet<&String> = games.iter().collect();
            assert_eq!(different.len(), games.len(), "level {number}");
            if number < 16 {
                assert_eq!(game(&mut searcher, level, 0, 20), games[0]);
            }
        }
    }

    #[test]
    fn every_level_plays_whole_games() {
        let mut searcher = Searcher::small(Evaluator::embedded()).expect("memory");
        for number in 1..=14 {
            let game = game(&mut searcher, level(number), 1, 100);
            assert!(game.len() > 20, "level {number}: {game}");
        }
    }

    #[test]
    fn even_a_beginner_takes_a_corner_and_wins_at_once() {
        let mut searcher = Searcher::small(Evaluator::embedded()).expect("memory");
        let corner = "-OX------------------------OX------XO--------------------------- X";
        let wipe_out = "-OX------------------------------------------------------------- X";
        for text in [corner, wipe_out] {
            let board = text.parse::<Position>().expect("well formed").board;
            for number in 1..=9 {
                for seed in 0..20 {
                    let outcome = choose(&mut searcher, level(number), board, seed);
                    assert_eq!(
                        outcome.best,
                        Some(Move::Place(Square::wrapping(0))),
                        "level {number}"
                    );
                }
            }
        }
    }

    /// The final score of a move, by the engine.
    fn worth(searcher: &mut Searcher, position: Position, mv: Move) -> Score {
        let after = position.play(mv).expect("a legal move").board;
        if after.is_over() {
            return Score::from_discs(-after.final_score());
        }
        let exact = Limits {
            goal: Goal::EXACT,
            ..Limits::default()
        };
        let outcome = searcher.search(after, &exact, &Control::new(), &mut |_| {});
        -outcome.lines[0].score
    }

    #[test]
    fn a_counted_end_is_reported_as_what_it_is_worth() {
        let mut searcher = Searcher::small(Evaluator::embedded()).expect("memory");
        let mut counted = 0;
        for (number, seed) in (1..=14).zip(1..) {
            let mut game = Game::new(Position::START);
            while !game.position().board.is_over() {
                let position = game.position();
                let outcome = choose(&mut searcher, level(number), position.board, seed);
                let best = outcome.best.expect("a move");
                let line = &outcome.lines[0];
                if line.depth >= position.board.empty_count() {
                    let true_score = worth(&mut searcher, position, best);
                    assert_eq!(line.score, true_score, "level {number}: {position}");
                    counted += 1;
                } else {
                    assert!(line.score < Score::MAX, "level {number}: {position}");
                }
                game.play(best).expect("a legal move");
            }
        }
        assert!(counted >= 14);
    }

    #[test]
    fn an_estimate_is_no_final_score() {
        let discs = |discs| discs * Score::PER_DISC;
        assert_eq!(reported(WON + discs(28)), Score::from_discs(28));
        assert_eq!(reported(-WON - discs(2)), Score::from_discs(-2));
        assert_eq!(reported(discs(100)), Score::from_raw(LIMIT));
        assert_eq!(reported(discs(-3)), Score::from_discs(-3));
    }

    #[test]
    fn a_move_that_looks_much_worse_is_never_played() {
        let person = level(4).person(0).expect("a person");
        let blur = person.skill.blur;
        for seed in 0..1000 {
            let values = [0, -blur, 10 - blur, -blur - 1];
            let chosen = Person { seed, ..person }.draw(&values).expect("a move");
            assert!([0, 2].contains(&chosen));
        }
    }
}
