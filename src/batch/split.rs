//! One hard claim as many easier ones, for many machines.
//!
//! The claim is expected to be true or false: a shallow search has a score for each move, and
//! minimax over the tree takes them to the root. The lines to solve are the leaves of the tree that
//! settle the claim if all comes out as expected. To show it true, one move is enough where the side
//! that claims is to move, and every move of the other side must be answered; to show it false, the
//! sides change places. Leaves are chosen by estimated work and not by depth, so that they are alike.
//!
//! An answer that was not expected changes what is expected above it, perhaps of the whole claim. Where
//! a move has failed, two others are tried at once, then four: so rounds are few. What was found out once is
//! a fact of the state, also for positions that come by another order of moves, so nothing is asked twice.

use std::collections::{BTreeMap, HashMap, HashSet};

use anyhow::{Context, anyhow, ensure};
use serde::{Deserialize, Serialize};

use crate::checksum::checksum;
use crate::rules::{Board, Color, Position, Square};
use crate::score::{Bounds, Question};

/// How a state file begins, and what stands between its checksum and the rest.
pub(crate) const STATE_HEAD: &str = "{\"checksum\":\"";
const STATE_MIDDLE: &str = "\",\"state\":";

/// With so few empties a position is never split.
const MIN_EMPTIES: u32 = 10;

/// A claim that is being settled. All boards are the canonical ones, as 32 hexadecimal
/// digits: player, opponent.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Split {
    position: String,
    claim: String,
    /// The estimated nodes of a leaf, at most; beyond, it is split.
    leaf_nodes: f64,
    /// Where one move is enough, moves are handed out until one of them holds with this probability.
    certainty: f64,
    /// The moves of the boards that were split.
    split: BTreeMap<String, Moves>,
    known: BTreeMap<String, (i32, i32)>,
}

/// The legal moves of a board, and what a shallow search says of them.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Moves {
    /// Each with its score in discs, for the side that moves; the best first.
    pub(crate) scores: Vec<(String, f64)>,
    /// Standard deviation of the true scores from these.
    pub(crate) sigma: f64,
}

impl Moves {
    /// The probability that a claim is true of the position in which this was the score of a move.
    fn chance(&self, score: f64, claim: Question) -> f64 {
        let beyond = match claim {
            Question::AtLeast(discs) => score - (f64::from(discs) - 1.0),
            Question::AtMost(discs) => f64::from(discs) + 1.0 - score,
            Question::Exact | Question::Wld | Question::Equal(_) => 0.0,
        };
        // The logistic function is close to the normal distribution.
        1.0 / (1.0 + (-1.7 * beyond / self.sigma).exp())
    }
}

/// What is known or expected of a claim.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Outlook {
    /// It is true, or it is not.
    Settled(bool),
    /// It is true with this probability.
    Open(f64),
}

/// The claims of a tree that were looked at.
type Outlooks = HashMap<(Board, Question), Outlook>;

/// A line to solve.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Leaf {
    /// A canonical board.
    pub(crate) board: Board,
    /// What is expected of it.
    pub(crate) claim: Question,
    pub(crate) nodes: f64,
}

impl Leaf {
    /// The name by which its answer is known.
    pub(crate) fn name(&self) -> String {
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

/// What chooses moves and leaves.
pub(crate) trait Judge {
    /// The legal moves of `board` and their scores.
    fn moves(&mut self, board: Board) -> Moves;

    /// The estimated nodes of a solve.
    fn nodes(&mut self, board: Board, claim: Question) -> f64;
}

impl Split {
    /// The claim about `position`, not yet split; for `certainty` see [`Split`].
    pub(crate) fn new(
        position: Position,
        claim: Question,
        certainty: f64,
    ) -> anyhow::Result<Split> {
        ensure!(
            matches!(claim, Question::AtLeast(_) | Question::AtMost(_)),
            "{claim} is no claim: only those such as >=0 can be split"
        );
        Ok(Split {
            position: position.to_string(),
            claim: claim.to_string(),
            leaf_nodes: f64::INFINITY,
            certainty,
            split: BTreeMap::new(),
            known: BTreeMap::new(),
        })
    }

    /// Reads what [`Split::to_text`] has written.
    pub(crate) fn parse(text: &str) -> anyhow::Result<Split> {
        // Before there was a checksum, the rest was all.
        let Some(rest) = text.strip_prefix(STATE_HEAD) else {
            return Ok(serde_json::from_str(text)?);
        };
        let parts = rest.split_once(STATE_MIDDLE);
        let (sum, split) = parts.context("it is cut short")?;
        let split = split.strip_suffix('}').context("it is cut short")?;
        ensure!(sum == checksum_of(split), "its checksum does not fit");
        Ok(serde_json::from_str(split)?)
    }

    /// The text of a state file: the checksum of the rest, and the rest, in JSON.
    pub(crate) fn to_text(&self) -> serde_json::Result<String> {
        let split = serde_json::to_string(self)?;
        let sum = checksum_of(&split);
        Ok(format!("{STATE_HEAD}{sum}{STATE_MIDDLE}{split}}}"))
    }

    /// The position and what is claimed of it.
    pub(crate) fn root(&self) -> anyhow::Result<(Position, Question)> {
        let (position, claim) = (self.position.parse().ok(), self.claim.parse().ok());
        Ok((
            position.ok_or_else(|| damaged(&self.position))?,
            claim.ok_or_else(|| damaged(&self.claim))?,
        ))
    }

    /// Splits the hardest leaves until there are `count`, and remembers how hard they are then.
    pub(crate) fn split_to(
        &mut self,
        count: usize,
        judge: &mut impl Judge,
    ) -> anyhow::Result<Vec<Leaf>> {
        let leaves = self.split_while(judge, |_, leaves| {
            let missing = count.saturating_sub(leaves.len());
            // Many at a time while many are missing: each look at the tree costs its size.
            leaves[..missing.div_ceil(16).min(leaves.len())].to_vec()
        })?;
        self.leaf_nodes = leaves.first().map_or(self.leaf_nodes, |leaf| leaf.nodes);
        Ok(leaves)
    }

    /// The lines that are still needed, the hardest first: those of the round before that
    /// have no answer, and what the answers have made necessary. Those that are harder than the first
    /// ones were, and those in `unsolved`, are split. None: the claim is settled.
    pub(crate) fn next_round(
        &mut self,
        unsolved: &HashSet<String>,
        judge: &mut impl Judge,
    ) -> anyhow::Result<Vec<Leaf>> {
        self.split_while(judge, |split, leaves| {
            let mut hard = leaves.to_vec();
            hard.retain(|leaf| leaf.nodes > split.leaf_nodes || unsolved.contains(&leaf.name()));
            hard
        })
    }

    /// Splits the leaves that `choose` finds, again and again, until none of them can be split.
    fn split_while(
        &mut self,
        judge: &mut impl Judge,
        choose: impl Fn(&Split, &[Leaf]) -> Vec<Leaf>,
    ) -> anyhow::Result<Vec<Leaf>> {
        loop {
            let leaves = self.leaves(judge)?;
            let mut chosen = choose(self, &leaves);
            chosen.retain(|leaf| leaf.board.empty_count() > MIN_EMPTIES);
            if chosen.is_empty() {
                return Ok(leaves);
            }
            for Leaf { board, .. } in chosen {
                self.split.insert(name_of(board), judge.moves(board));
            }
        }
    }

    /// Is the claim true, as far as that is known?
    pub(crate) fn outlook(&self) -> anyhow::Result<Outlook> {
        let (position, claim) = self.root()?;
        self.look(position.board, claim, EVEN, &mut HashMap::new())
    }

    /// The position and what is true of it: the claim, or its opposite. `None` while that is not known.
    pub(crate) fn settled(&self) -> anyhow::Result<Option<(Position, Question)>> {
        let (position, claim) = self.root()?;
        let Outlook::Settled(holds) = self.outlook()? else {
            return Ok(None);
        };
        let truth = match holds {
            true => Some(claim),
            false => claim.negation(),
        };
        Ok(truth.map(|truth| (position, truth)))
    }

    /// The move by which the side to move at `board` reaches a score of `goal`, if the board was split and
    /// the answers tell.
    pub(crate) fn move_for(&self, board: Board, goal: i32) -> anyhow::Result<Option<Square>> {
        let (smallest, symmetry) = board.canonical_with_symmetry();
        let Some(moves) = self.split.get(&name_of(smallest)) else {
            return Ok(None);
        };
        let claim = Question::AtLeast(goal).opposite();
        let mut outlooks = HashMap::new();
        for (mv, _) in &moves.scores {
            let square = legal(smallest, mv)?;
            let child = smallest.play(square);
            if self.look(child, claim, EVEN, &mut outlooks)? == Outlook::Settled(true) {
                return Ok(Some(symmetry.inverse().apply_square(square)));
            }
        }
        Ok(None)
    }

    /// Notes what was found out about a board, by the name of its leaf.
    pub(crate) fn learn(&mut self, name: &str, found: Bounds) -> anyhow::Result<()> {
        let board = board_of(name).ok_or_else(|| damaged(name))?;
        let known = self.bounds(board)?;
        let joined = known.and(found).with_context(|| {
            format!("{name} was known as {known}, and is now said to be {found}")
        })?;
        self.known
            .insert(name_of(board), (joined.lower(), joined.upper()));
        Ok(())
    }

    /// The boards of its tree, by the names of their leaves: it asks of no others.
    pub(crate) fn names(&self) -> anyhow::Result<HashSet<String>> {
        let leaf = |board: Board| match board.must_pass() {
            true => name_of(board.pass()),
            false => name_of(board),
        };
        let (position, _) = self.root()?;
        let mut names = HashSet::from([leaf(position.board)]);
        for (name, moves) in &self.split {
            let board = board_of(name).ok_or_else(|| damaged(name))?;
            let children = children(board, moves)?;
            names.extend(children.into_iter().map(|(child, _)| leaf(child)));
        }
        Ok(names)
    }

    /// Positions that were split, and positions of which something was found out.
    pub(crate) fn size(&self) -> (usize, usize) {
        (self.split.len(), self.known.len())
    }

    fn bounds(&self, board: Board) -> anyhow::Result<Bounds> {
        let name = name_of(board);
        match self.known.get(&name) {
            None => Ok(Bounds::UNKNOWN),
            Some(&(lower, upper)) => Bounds::new(lower, upper).ok_or_else(|| damaged(&name)),
        }
    }

    /// The open leaves, each once, the hardest first.
    fn leaves(&self, judge: &mut impl Judge) -> anyhow::Result<Vec<Leaf>> {
        let (position, claim) = self.root()?;
        let mut outlooks = HashMap::new();
        let outlook = self.look(position.board, claim, EVEN, &mut outlooks)?;
        let Outlook::Open(chance) = outlook else {
            return Ok(Vec::new());
        };
        let mut collector = Collector {
            split: self,
            aim: chance >= EVEN,
            outlooks,
            seen: HashSet::new(),
            open: HashSet::new(),
        };
        collector.collect(position.board, claim)?;
        let open = collector.open.into_iter();
        let mut leaves: Vec<Leaf> = open
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

    /// What is known or expected of a claim; `chance` is what its leaf is expected to be.
    fn look(
        &self,
        board: Board,
        claim: Question,
        chance: f64,
        outlooks: &mut Outlooks,
    ) -> anyhow::Result<Outlook> {
        if board.is_over() {
            let verdict = claim.verdict(Bounds::exactly(board.final_score()));
            return Ok(verdict.map_or(Outlook::Open(chance), Outlook::Settled));
        }
        if board.legal_moves().is_empty() {
            return self.look(board.pass(), claim.opposite(), chance, outlooks);
        }
        let board = board.canonical();
        if let Some(&outlook) = outlooks.get(&(board, claim)) {
            return Ok(outlook);
        }
        let outlook = if let Some(known) = claim.verdict(self.bounds(board)?) {
            Outlook::Settled(known)
        } else if let Some(moves) = self.split.get(&name_of(board)) {
            let enough = is_enough(claim);
            let mut expected = None;
            let mut is_settled = false;
            for (child, score) in children(board, moves)? {
                let chance = moves.chance(score, claim);
                match self.look(child, claim.opposite(), chance, outlooks)? {
                    Outlook::Settled(verdict) => is_settled |= verdict == enough,
                    Outlook::Open(chance) => {
                        let best = if enough { f64::max } else { f64::min };
                        expected = Some(expected.map_or(chance, |expected| best(expected, chance)));
                    }
                }
            }
            match expected {
                _ if is_settled => Outlook::Settled(enough),
                None => Outlook::Settled(!enough),
                Some(chance) => Outlook::Open(chance),
            }
        } else {
            Outlook::Open(chance)
        };
        outlooks.insert((board, claim), outlook);
        Ok(outlook)
    }
}

/// Finds the leaves that show an open claim to be what it is expected to be.
struct Collector<'s> {
    split: &'s Split,
    /// What it is expected to be.
    aim: bool,
    outlooks: Outlooks,
    seen: HashSet<(Board, Question)>,
    open: HashSet<(Board, Question)>,
}

impl Collector<'_> {
    /// Adds the leaves below a claim.
    fn collect(&mut self, board: Board, claim: Question) -> anyhow::Result<()> {
        if board.legal_moves().is_empty() {
            return self.collect(board.pass(), claim.opposite());
        }
        let board = board.canonical();
        if !self.seen.insert((board, claim)) {
            return Ok(());
        }
        let Some(moves) = self.split.split.get(&name_of(board)) else {
            self.open.insert((board, claim));
            return Ok(());
        };
        for child in self.wanted(claim, children(board, moves)?)? {
            self.collect(child, claim.opposite())?;
        }
        Ok(())
    }

    /// The boards after moves that have to be looked at: all of them, but where one is enough those that are most
    /// likely to be it.
    fn wanted(
        &mut self,
        claim: Question,
        children: Vec<(Board, f64)>,
    ) -> anyhow::Result<Vec<Board>> {
        let mut candidates = Vec::new();
        let mut failed = 0;
        for (child, _) in children {
            let looked = (self.split).look(child, claim.opposite(), EVEN, &mut self.outlooks)?;
            match looked {
                Outlook::Settled(_) => failed += 1,
                Outlook::Open(chance) => candidates.push((child, chance)),
            }
        }
        if is_enough(claim) == self.aim {
            let towards = |chance: f64| if self.aim { chance } else { 1.0 - chance };
            candidates.sort_by(|a, b| towards(b.1).total_cmp(&towards(a.1)));
            let mut none_holds = 1.0;
            let mut count = 0;
            candidates.retain(|&(_, chance)| {
                let is_wanted = count <= failed || 1.0 - none_holds < self.split.certainty;
                count += 1;
                none_holds *= 1.0 - towards(chance);
                is_wanted
            });
        }
        Ok(candidates.into_iter().map(|(child, _)| child).collect())
    }
}

/// The probability of what nothing is known about.
const EVEN: f64 = 0.5;

/// What one move is enough for: to make the claim true for the side that claims to reach a
/// score, to make it false for the side that is said not to reach one.
pub(super) const fn is_enough(claim: Question) -> bool {
    matches!(claim, Question::AtLeast(_))
}

fn checksum_of(text: &str) -> String {
    format!("{:016x}", checksum(text.as_bytes()))
}

/// The error of a state that was damaged or changed by hand.
fn damaged(text: &str) -> anyhow::Error {
    anyhow!("the state holds {text:?}, which makes no sense")
}

/// The square of a move, which must be legal.
fn legal(board: Board, mv: &str) -> anyhow::Result<Square> {
    let square = mv.parse().ok();
    let legal = square.filter(|&square| board.legal_moves().contains(square));
    legal.ok_or_else(|| damaged(mv))
}

/// The boards after the moves, with the scores of the moves.
fn children(board: Board, moves: &Moves) -> anyhow::Result<Vec<(Board, f64)>> {
    let child = |(mv, score): &(String, f64)| Ok((board.play(legal(board, mv)?), *score));
    let children: anyhow::Result<Vec<_>> = moves.scores.iter().map(child).collect();
    let children = children?;
    let different: HashSet<&String> = moves.scores.iter().map(|(mv, _)| mv).collect();
    // Without all moves nothing is refuted.
    let all = board.legal_moves().count() as usize;
    ensure!(
        [different.len(), children.len()] == [all; 2],
        damaged(&name_of(board))
    );
    Ok(children)
}

pub(super) fn name_of(board: Board) -> String {
    let board = board.canonical();
    format!("{:016x}{:016x}", board.player, board.opponent)
}

/// The canonical board of the leaf of this name, if it is one.
pub(crate) fn board_of(name: &str) -> Option<Board> {
    let both = u128::from_str_radix(name, 16)
        .ok()
        .filter(|_| name.len() == 32)?;
    let board = Board::new((both >> 64) as u64, both as u64)?;
    (board.canonical() == board).then_some(board)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::reference;

    /// Black to move, 11 empties.
    const POSITION: &str = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOOXX X";

    /// Has scores without sense: the tree must not rely on them.
    struct Naive {
        slope: f64,
    }

    impl Judge for Naive {
        fn moves(&mut self, board: Board) -> Moves {
            let numbered = board.legal_moves().zip(0..);
            let scores =
                numbered.map(|(mv, number)| (mv.to_string(), self.slope * f64::from(number)));
            Moves {
                scores: scores.collect(),
                sigma: 4.0,
            }
        }

        fn nodes(&mut self, board: Board, _: Question) -> f64 {
            f64::from(board.empty_count()).exp2()
        }
    }

    /// The verdict, the lines solved, and the rounds.
    fn settle(
        position: Position,
        claim: Question,
        certainty: f64,
        judge: &mut impl Judge,
    ) -> (bool, usize, usize) {
        let mut split = Split::new(position, claim, certainty).expect("a claim");
        let mut leaves = split.split_to(8, judge).expect("sound");
        let mut solved = HashSet::new();
        for rounds in 0..100 {
            if let Outlook::Settled(verdict) = split.outlook().expect("sound") {
                return (verdict, solved.len(), rounds);
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
            let text = split.to_text().expect("plain data");
            split = Split::parse(&text).expect("what was written");
            leaves = split.next_round(&HashSet::new(), judge).expect("sound");
        }
        panic!("{position} {claim}: no end");
    }

    #[test]
    fn a_claim_is_settled_in_rounds_and_nothing_is_asked_twice() {
        let position: Position = POSITION.parse().expect("a position");
        let score = reference::solve(position.board).score;
        for discs in [score - 2, score, score + 2, 0] {
            for (slope, certainty) in [(-2.0, 0.0), (2.0, 0.0), (2.0, 0.9), (0.0, 1.0)] {
                let mut judge = Naive { slope };
                let mut settle = |claim| settle(position, claim, certainty, &mut judge);
                let (verdict, solved, _) = settle(Question::AtLeast(discs));
                assert_eq!(verdict, score >= discs, "{discs}");
                assert!(solved > 0);
                let (verdict, _, _) = settle(Question::AtMost(discs));
                assert_eq!(verdict, score <= discs, "{discs}");
            }
        }
    }

    /// Knows all scores.
    struct Perfect;

    impl Judge for Perfect {
        fn moves(&mut self, board: Board) -> Moves {
            let score = |mv: Square| f64::from(-reference::solve(board.play(mv)).score);
            let moves = board.legal_moves();
            Moves {
                scores: moves.map(|mv| (mv.to_string(), score(mv))).collect(),
                sigma: 1.0,
            }
        }

        fn nodes(&mut self, board: Board, _: Question) -> f64 {
            f64::from(board.empty_count()).exp2()
        }
    }

    #[test]
    fn one_round_is_enough_where_all_comes_out_as_expected() {
        let position: Position = POSITION.parse().expect("a position");
        let score = reference::solve(position.board).score;
        for discs in [score - 2, score, score + 2] {
            for claim in [Question::AtLeast(discs), Question::AtMost(discs)] {
                let (verdict, _, rounds) = settle(position, claim, 0.0, &mut Perfect);
                assert_eq!(Some(verdict), claim.verdict(Bounds::exactly(score)));
                assert_eq!(rounds, 1, "{claim}");
            }
        }
    }

    /// Sees the side that begins win everything, whatever it plays.
    struct Wrong;

    impl Judge for Wrong {
        fn moves(&mut self, board: Board) -> Moves {
            let score = if board.empty_count() % 2 == 1 {
                64.0
            } else {
                -64.0
            };
            Moves {
                scores: board
                    .legal_moves()
                    .map(|mv| (mv.to_string(), score))
                    .collect(),
                sigma: 1.0,
            }
        }

        fn nodes(&mut self, board: Board, _: Question) -> f64 {
            f64::from(board.empty_count()).exp2()
        }
    }

    #[test]
    fn rounds_are_few_where_a_claim_is_not_what_was_expected() {
        let position: Position = POSITION.parse().expect("a position");
        let moves = position.board.legal_moves().count() as usize;
        let (verdict, solved, rounds) = settle(position, Question::AtLeast(64), 0.0, &mut Wrong);
        assert!(!verdict && solved >= moves);
        assert!(rounds <= 8, "{rounds} rounds");
    }

    #[test]
    fn a_position_is_split_to_as_many_lines_as_are_wanted() {
        let mut judge = Naive { slope: -1.0 };
        let mut split = Split::new(Position::START, Question::AtMost(0), 0.0).expect("a claim");
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
            board_of(fields[2]).is_some() && fields[1].parse() == Ok(leaves[1].claim),
            "{line}"
        );
    }

    #[test]
    fn a_contradiction_and_a_damaged_state_are_errors() {
        let mut split = Split::new(Position::START, Question::AtLeast(0), 0.0).expect("a claim");
        let name = name_of(Board::START);
        split.learn(&name, Bounds::at_least(0)).expect("new");
        let error = split
            .learn(&name, Bounds::at_most(-2))
            .expect_err("it was known");
        assert!(error.to_string().contains("was known as >=+0"), "{error}");
        assert_eq!(split.outlook().expect("whole"), Outlook::Settled(true));
        let text = split.to_text().expect("plain data");
        for (place, digit) in (0..text.len()).flat_map(|place| [(place, "0"), (place, "~")]) {
            let mut changed = text.clone();
            changed.replace_range(place..=place, digit);
            assert!(
                changed == text || Split::parse(&changed).is_err(),
                "{changed}"
            );
            assert!(Split::parse(&text[..place]).is_err());
        }
        split.position = "nonsense".to_owned();
        let error = split.outlook().expect_err("damaged").to_string();
        assert_eq!(error, "the state holds \"nonsense\", which makes no sense");
        assert!(split.learn("zz", Bounds::UNKNOWN).is_err());
        assert!(Split::new(Position::START, Question::Wld, 0.0).is_err());
    }
}
