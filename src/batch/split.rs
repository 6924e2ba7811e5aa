//! One hard claim as many easier ones, for many machines.
//!
//! The tree of the claim: where the side that claims is to move, its best move must
//! do; where the other is, every move must fail. The leaves are the lines to solve, chosen by
//! estimated work and not by depth, so that they are alike. When a best move fails, the next
//! one takes its place. What was found out once is a fact of the state, also for positions
//! that come by another order of moves, so nothing is asked twice.

use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::memo::canonical;
use super::question::{Bounds, Question};
use crate::rules::{Board, Color, Position, Square};

/// With so few empties a position is never split.
const MIN_EMPTIES: u32 = 10;

/// A claim that is being settled. All boards are the canonical ones, as 32 hexadecimal
/// digits: player, opponent.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Split {
    /// The position.
    position: String,
    /// What is claimed of it.
    claim: String,
    /// The estimated nodes of a leaf, at most; beyond, it is split.
    leaf_nodes: f64,
    /// The moves of the boards that were split, the best first.
    split: BTreeMap<String, Vec<String>>,
    /// What was found out.
    known: BTreeMap<String, (i32, i32)>,
}

/// A line to solve.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Leaf {
    /// A canonical board.
    pub board: Board,
    /// What is expected of it.
    pub claim: Question,
    /// Estimated nodes.
    pub nodes: f64,
}

impl Leaf {
    /// The name by which its answer is known.
    pub fn name(&self) -> String {
        name_of(self.board)
    }
}

/// Position, claim and name, tab-separated: what `solve` reads.
impl std::fmt::Display for Leaf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let position = Position {
            board: self.board,
            side: Color::Black,
        };
        write!(f, "{position}\t{}\t{}", self.claim, self.name())
    }
}

/// Why a state cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum SplitError {
    /// The state was damaged or changed by hand.
    #[error("the state holds {0:?}, which makes no sense")]
    Damaged(String),
    /// Two answers exclude each other.
    #[error("{board} was known as {known}, and is now said to be {found}")]
    Contradiction {
        /// A canonical board.
        board: String,
        /// What earlier answers say.
        known: Bounds,
        /// What the new one says.
        found: Bounds,
    },
    /// It is no claim.
    #[error("{0} is no claim: only those such as >=0 can be split")]
    NoClaim(Question),
}

/// What chooses moves and leaves.
pub trait Judge {
    /// The legal moves of `board`, the best first.
    fn order(&mut self, board: Board) -> Vec<Square>;

    /// The estimated nodes of a solve.
    fn nodes(&mut self, board: Board, claim: Question) -> f64;
}

impl Split {
    /// The claim about `position`, not yet split.
    ///
    /// # Errors
    /// If `claim` is no claim.
    pub fn new(position: Position, claim: Question) -> Result<Split, SplitError> {
        if matches!(claim, Question::Exact | Question::Wld) {
            return Err(SplitError::NoClaim(claim));
        }
        Ok(Split {
            position: position.to_string(),
            claim: claim.to_string(),
            leaf_nodes: f64::INFINITY,
            split: BTreeMap::new(),
            known: BTreeMap::new(),
        })
    }

    /// The position and what is claimed of it.
    ///
    /// # Errors
    /// If the state is damaged.
    pub fn root(&self) -> Result<(Position, Question), SplitError> {
        let damaged = |text: &String| SplitError::Damaged(text.clone());
        let position = self.position.parse().map_err(|_| damaged(&self.position))?;
        let claim = self.claim.parse().map_err(|_| damaged(&self.claim))?;
        Ok((position, claim))
    }

    /// Splits the hardest leaves until there are `count`, and remembers how hard they are then.
    ///
    /// # Errors
    /// If the state is damaged.
    pub fn split_to(
        &mut self,
        count: usize,
        judge: &mut impl Judge,
    ) -> Result<Vec<Leaf>, SplitError> {
        loop {
            let leaves = self.leaves(judge)?;
            let missing = count.saturating_sub(leaves.len());
            // Many at a time while many are missing: each look at the tree costs its size.
            let hardest = leaves.iter().take(missing.div_ceil(16));
            let splittable: Vec<Board> = hardest
                .map(|leaf| leaf.board)
                .filter(|board| board.empty_count() > MIN_EMPTIES)
                .collect();
            if splittable.is_empty() {
                self.leaf_nodes = leaves.first().map_or(self.leaf_nodes, |leaf| leaf.nodes);
                return Ok(leaves);
            }
            for board in splittable {
                self.split_board(board, judge);
            }
        }
    }

    /// The lines that are still needed, the hardest first: those of the round before that
    /// have no answer, and what the answers have made necessary. Those that are harder than the first
    /// ones were, and those in `unsolved`, are split. None: the claim is settled.
    ///
    /// # Errors
    /// If the state is damaged.
    pub fn next_round(
        &mut self,
        unsolved: &HashSet<String>,
        judge: &mut impl Judge,
    ) -> Result<Vec<Leaf>, SplitError> {
        loop {
            let leaves = self.leaves(judge)?;
            let too_hard = leaves.iter().find(|leaf| {
                let is_hard = leaf.nodes > self.leaf_nodes || unsolved.contains(&leaf.name());
                is_hard && leaf.board.empty_count() > MIN_EMPTIES
            });
            match too_hard.map(|leaf| leaf.board) {
                Some(board) => self.split_board(board, judge),
                None => return Ok(leaves),
            }
        }
    }

    /// Is the claim true, as far as that is known?
    ///
    /// # Errors
    /// If the state is damaged.
    pub fn verdict(&self) -> Result<Option<bool>, SplitError> {
        let (position, claim) = self.root()?;
        self.walk(position.board, claim, &mut HashSet::new())
    }

    /// The position and what is true of it: the claim, or its opposite. `None` while that is not known.
    ///
    /// # Errors
    /// If the state is damaged.
    pub fn settled(&self) -> Result<Option<(Position, Question)>, SplitError> {
        let (position, claim) = self.root()?;
        let verdict = self.verdict()?;
        Ok(verdict.map(|holds| match claim {
            Question::AtLeast(discs) if !holds => (position, Question::AtMost(discs - 2)),
            Question::AtMost(discs) if !holds => (position, Question::AtLeast(discs + 2)),
            claim => (position, claim),
        }))
    }

    /// The move by which the side to move at `board` reaches a score of `goal`, if the board was split and
    /// the answers tell.
    ///
    /// # Errors
    /// If the state is damaged.
    pub fn move_for(&self, board: Board, goal: i32) -> Result<Option<Square>, SplitError> {
        let (smallest, symmetry) = canonical(board);
        for mv in self.split.get(&name_of(smallest)).into_iter().flatten() {
            let square = legal(smallest, mv)?;
            let claim = Question::AtLeast(goal).opposite();
            let child = smallest.play(square);
            if self.walk(child, claim, &mut HashSet::new())? == Some(true) {
                return Ok(Some(symmetry.inverse().apply_square(square)));
            }
        }
        Ok(None)
    }

    /// Notes what was found out about a board, by the name of its leaf.
    ///
    /// # Errors
    /// If the name is none, or the bounds contradict what is known.
    pub fn learn(&mut self, name: &str, found: Bounds) -> Result<(), SplitError> {
        let board = board_of(name).ok_or_else(|| SplitError::Damaged(name.to_owned()))?;
        let known = self.bounds(board)?;
        let joined = known.and(found).ok_or_else(|| SplitError::Contradiction {
            board: name.to_owned(),
            known,
            found,
        })?;
        self.known
            .insert(name_of(board), (joined.lower(), joined.upper()));
        Ok(())
    }

    /// Positions that were split, and positions of which something was found out.
    pub fn size(&self) -> (usize, usize) {
        (self.split.len(), self.known.len())
    }

    fn bounds(&self, board: Board) -> Result<Bounds, SplitError> {
        let name = name_of(board);
        match self.known.get(&name) {
            None => Ok(Bounds::UNKNOWN),
            Some(&(lower, upper)) => Bounds::new(lower, upper).ok_or(SplitError::Damaged(name)),
        }
    }

    fn split_board(&mut self, board: Board, judge: &mut impl Judge) {
        let moves = judge.order(board);
        let names = moves.iter().map(ToString::to_string).collect();
        self.split.insert(name_of(board), names);
    }

    /// The open leaves, each once, the hardest first.
    fn leaves(&self, judge: &mut impl Judge) -> Result<Vec<Leaf>, SplitError> {
        let (position, claim) = self.root()?;
        let mut open = HashSet::new();
        self.walk(position.board, claim, &mut open)?;
        let mut leaves: Vec<Leaf> = open
            .into_iter()
            .map(|(board, claim)| Leaf {
                board,
                claim,
                nodes: judge.nodes(board, claim),
            })
            .collect();
        leaves.sort_by(|a, b| {
            let by_name = || a.board.cmp(&b.board);
            b.nodes.total_cmp(&a.nodes).then_with(by_name)
        });
        Ok(leaves)
    }

    /// Is the claim true? If that is not known, the leaves that would tell are added to `open`.
    fn walk(
        &self,
        board: Board,
        claim: Question,
        open: &mut HashSet<(Board, Question)>,
    ) -> Result<Option<bool>, SplitError> {
        if board.is_over() {
            return Ok(claim.verdict(Bounds::exactly(board.final_score())));
        }
        if board.legal_moves().is_empty() {
            return self.walk(board.pass(), claim.opposite(), open);
        }
        let (board, _) = canonical(board);
        if let Some(known) = claim.verdict(self.bounds(board)?) {
            return Ok(Some(known));
        }
        let Some(moves) = self.split.get(&name_of(board)) else {
            open.insert((board, claim));
            return Ok(None);
        };
        let mut below = HashSet::new();
        // One move is enough for who claims to reach a score; all moves must fail for who
        // claims that it is out of reach.
        let enough = matches!(claim, Question::AtLeast(_));
        let mut all_known = true;
        for mv in moves {
            let square = legal(board, mv)?;
            match self.walk(board.play(square), claim.opposite(), &mut below)? {
                Some(verdict) if verdict == enough => return Ok(Some(enough)),
                Some(_) => {}
                None => {
                    all_known = false;
                    if enough {
                        // The next moves have their turn if this one fails.
                        break;
                    }
                }
            }
        }
        if all_known {
            return Ok(Some(!enough));
        }
        open.extend(below);
        Ok(None)
    }
}

/// The legal move of this name.
fn legal(board: Board, name: &str) -> Result<Square, SplitError> {
    let square = name.parse::<Square>().ok();
    let legal = square.filter(|&square| board.legal_moves().contains(square));
    legal.ok_or_else(|| SplitError::Damaged(name.to_owned()))
}

fn name_of(board: Board) -> String {
    let (board, _) = canonical(board);
    format!("{:016x}{:016x}", board.player, board.opponent)
}

fn board_of(name: &str) -> Option<Board> {
    let both = u128::from_str_radix(name, 16)
        .ok()
        .filter(|_| name.len() == 32)?;
    let board = Board::new((both >> 64) as u64, both as u64)?;
    (canonical(board).0 == board).then_some(board)
}

/// Is this the name of a leaf?
pub fn is_name(text: &str) -> bool {
    board_of(text).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::reference;

    /// Black to move, 11 empties.
    const POSITION: &str = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOOXX X";

    /// Orders moves as they come, or backwards: the tree must not rely on it.
    struct Naive {
        backwards: bool,
        asked: Vec<Board>,
    }

    impl Judge for Naive {
        fn order(&mut self, board: Board) -> Vec<Square> {
            self.asked.push(board);
            let mut moves: Vec<Square> = board.legal_moves().collect();
            if self.backwards {
                moves.reverse();
            }
            moves
        }

        fn nodes(&mut self, board: Board, _: Question) -> f64 {
            f64::from(board.empty_count()).exp2()
        }
    }

    fn settle(position: Position, claim: Question, backwards: bool) -> (bool, usize) {
        let mut judge = Naive {
            backwards,
            asked: Vec::new(),
        };
        let mut split = Split::new(position, claim).expect("a claim");
        let mut leaves = split.split_to(8, &mut judge).expect("sound");
        let mut solved = HashSet::new();
        for _ in 0..100 {
            if let Some(verdict) = split.verdict().expect("sound") {
                return (verdict, solved.len());
            }
            assert!(!leaves.is_empty());
            for leaf in &leaves {
                assert!(solved.insert(leaf.name()), "{leaf} was asked twice");
                let score = reference::solve(leaf.board).score;
                let bounds = match leaf.claim.verdict(Bounds::exactly(score)) {
                    Some(verdict) if verdict == matches!(leaf.claim, Question::AtLeast(_)) => {
                        Bounds::at_least(score)
                    }
                    _ => Bounds::at_most(score),
                };
                split.learn(&leaf.name(), bounds).expect("no contradiction");
            }
            // As if it were another process.
            let text = serde_json::to_string(&split).expect("plain data");
            split = serde_json::from_str(&text).expect("what was written");
            leaves = split
                .next_round(&HashSet::new(), &mut judge)
                .expect("sound");
        }
        panic!("{position} {claim}: no end");
    }

    #[test]
    fn a_claim_is_settled_in_rounds_and_nothing_is_asked_twice() {
        let position: Position = POSITION.parse().expect("a position");
        let score = reference::solve(position.board).score;
        for discs in [score - 2, score, score + 2, 0] {
            for backwards in [false, true] {
                let (verdict, solved) = settle(position, Question::AtLeast(discs), backwards);
                assert_eq!(verdict, score >= discs, "{discs}");
                assert!(solved > 0);
                let (verdict, _) = settle(position, Question::AtMost(discs), backwards);
                assert_eq!(verdict, score <= discs, "{discs}");
            }
        }
    }

    #[test]
    fn a_position_is_split_to_as_many_lines_as_are_wanted() {
        let mut judge = Naive {
            backwards: false,
            asked: Vec::new(),
        };
        let mut split = Split::new(Position::START, Question::AtMost(0)).expect("a claim");
        let leaves = split.split_to(50, &mut judge).expect("sound");
        assert!((50..60).contains(&leaves.len()), "{}", leaves.len());
        let again = split
            .next_round(&HashSet::new(), &mut judge)
            .expect("sound");
        assert_eq!(again, leaves, "what has no answer is asked again as it was");
        let unsolved = HashSet::from([leaves[0].name()]);
        let finer = split.next_round(&unsolved, &mut judge).expect("sound");
        assert!(!finer.contains(&leaves[0]) && finer.contains(&leaves[1]));
        let line = leaves[1].to_string();
        let fields: Vec<&str> = line.split('\t').collect();
        assert!(
            is_name(fields[2]) && fields[1].parse() == Ok(leaves[1].claim),
            "{line}"
        );
    }

    #[test]
    fn a_contradiction_and_a_damaged_state_are_errors() {
        let mut split = Split::new(Position::START, Question::AtLeast(0)).expect("a claim");
        let name = name_of(Board::START);
        split.learn(&name, Bounds::at_least(0)).expect("new");
        let error = split
            .learn(&name, Bounds::at_most(-2))
            .expect_err("it was known");
        assert!(error.to_string().contains("was known as >=+0"), "{error}");
        assert_eq!(split.verdict(), Ok(Some(true)));
        split.position = "nonsense".to_owned();
        assert_eq!(
            split.verdict(),
            Err(SplitError::Damaged("nonsense".to_owned()))
        );
        assert!(split.learn("zz", Bounds::UNKNOWN).is_err());
        assert!(Split::new(Position::START, Question::Wld).is_err());
    }
}
