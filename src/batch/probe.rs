//! What the proof of many claims would cost, by random lines through its tree.
//!
//! Where the side that claims is to move, a line follows the move that a search prefers; where the other side is,
//! a random one, and the line then stands for as many as that was unlikely. It ends where the claim is
//! estimated to cost little. The nodes of the solve there, times what it stands for, are on average those of the whole
//! tree (D. E. Knuth, "Estimating the efficiency of backtrack programs", Mathematics of Computation 29(129), 1975).
//! A claim that the solve refutes shows that a move before it was wrong: the line is walked again with the next one.
//!
//! The end of a line is a line for `solve`. Its name says all that its answer has to be counted by, so that the
//! answers are the state of the work. The same walk follows all replies instead of one where a tree is to be whole.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt;
use std::str::FromStr;

use anyhow::{Context, ensure};

use super::split::{board_of, is_enough, name_of};
use crate::checksum::seeded_checksum;
use crate::random::SplitMix64;
use crate::rules::{Bitboard, Board, Color, Position, Square};
use crate::score::Question;

/// Where lines end.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Stop {
    /// Where the claim is estimated to cost so many nodes or fewer.
    Nodes(f64),
    /// At so many empties.
    Empties(u32),
}

/// `1e6` nodes, or `36` empties.
impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Nodes(most) => write!(f, "{most:e}"),
            Stop::Empties(empties) => write!(f, "{empties}"),
        }
    }
}

/// Which replies of the side that does not claim are looked at.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Replies {
    All,
    /// A random one, by this seed: half by chance alone, half in proportion to the estimated nodes to this power.
    One {
        seed: u64,
        bias: f64,
    },
}

/// What leads the lines.
pub(crate) trait Guide {
    /// The best of some legal moves; `None` if there are none.
    fn prefer(&mut self, board: Board, among: Bitboard) -> Option<Square>;

    /// The estimated nodes of a solve.
    fn nodes(&mut self, board: Board, claim: Question) -> f64;
}

/// A canonical board whose side to move need not pass, and what is claimed of it.
type Claim = (Board, Question);

fn claim_of(board: Board, claim: Question) -> Claim {
    match board.must_pass() {
        true => (board.pass().canonical(), claim.opposite()),
        false => (board.canonical(), claim),
    }
}

/// The chances of claims: half the same for all, half in proportion to their estimated nodes to the power of `bias`.
fn chances(claims: &[Claim], bias: f64, guide: &mut impl Guide) -> Vec<f64> {
    let powers = claims.iter();
    let powers: Vec<f64> = powers
        .map(|&(board, claim)| guide.nodes(board, claim).powf(bias))
        .collect();
    let sum: f64 = powers.iter().sum();
    let even = 1.0 / claims.len() as f64;
    powers
        .iter()
        .map(|power| (even + power / sum) / 2.0)
        .collect()
}

/// The number of the chance that `point`, from 0 to 1, falls on, and that chance.
fn at(chances: &[f64], mut point: f64) -> (usize, f64) {
    for (index, &chance) in chances.iter().enumerate() {
        if point < chance {
            return (index, chance);
        }
        point -= chance;
    }
    // Rounding may leave a little behind the last one.
    let last = chances.len() - 1;
    (last, chances[last])
}

/// A number from 0 to 1 that is random, but always the same for this text.
fn point_of(seed: u64, text: &str) -> f64 {
    let random = seeded_checksum(seed, text.as_bytes());
    (random >> 11) as f64 / (1_u64 << 53) as f64
}

/// The tree below a claim, as far as its lines are followed.
struct Tree<'a, G> {
    guide: &'a mut G,
    stop: Stop,
    replies: Replies,
    /// Seed and number of the probe, which its random moves depend on.
    probe: &'a str,
    /// Ends of lines whose claims are false.
    refuted: &'a HashSet<Board>,
    fails: HashMap<Claim, bool>,
}

impl<G: Guide> Tree<'_, G> {
    fn is_end(&mut self, (board, claim): Claim) -> bool {
        board.is_over()
            || match self.stop {
                Stop::Nodes(most) => self.guide.nodes(board, claim) <= most,
                Stop::Empties(empties) => board.empty_count() <= empties,
            }
    }

    /// Is it known that a claim is false, or that its lines lead to none that may be true?
    fn fails(&mut self, claim: Claim) -> bool {
        if self.is_end(claim) {
            return self.refuted.contains(&claim.0);
        }
        if let Some(&fails) = self.fails.get(&claim) {
            return fails;
        }
        let fails = self.below(claim).is_none();
        self.fails.insert(claim, fails);
        fails
    }

    /// The claims that one rests on, each with how often it counts; `None` if it fails.
    fn below(&mut self, (board, claim): Claim) -> Option<Vec<(Claim, f64)>> {
        let mut left = board.legal_moves();
        let after = |square| claim_of(board.play(square), claim.opposite());
        if is_enough(claim) {
            while let Some(square) = self.guide.prefer(board, left) {
                if !self.fails(after(square)) {
                    return Some(vec![(after(square), 1.0)]);
                }
                left = Bitboard(left.0 & !square.bit());
            }
            return None;
        }
        let all: Vec<Claim> = left.into_iter().map(after).collect();
        let replies = match self.replies {
            Replies::All => all.into_iter().map(|reply| (reply, 1.0)).collect(),
            Replies::One { seed, bias } => {
                let chances = chances(&all, bias, self.guide);
                let text = format!("{} {}", self.probe, name_of(board));
                let (index, chance) = at(&chances, point_of(seed, &text));
                vec![(all[index], chance.recip())]
            }
        };
        let fails = replies.iter().any(|&(reply, _)| self.fails(reply));
        (!fails).then_some(replies)
    }

    /// The ends of the lines below a claim, each with how often it counts; none if the claim fails.
    fn ends(&mut self, (board, claim): Claim) -> Vec<(Claim, f64)> {
        // The boards with the most empties first: by then all ways to a board are known.
        let key = |(board, claim): Claim| (Reverse(board.empty_count()), board, is_enough(claim));
        let mut open = BTreeMap::from([(key((board, claim)), (claim, 1.0))]);
        let mut ends = Vec::new();
        while let Some(((_, board, _), (claim, count))) = open.pop_first() {
            if self.is_end((board, claim)) {
                ends.push(((board, claim), count));
                continue;
            }
            for (below, factor) in self.below((board, claim)).unwrap_or_default() {
                open.entry(key(below)).or_insert((below.1, 0.0)).1 += count * factor;
            }
        }
        ends
    }
}

/// How an end is known: the probe, where it stops, how often it counts, and its board.
#[derive(Clone, PartialEq, Debug)]
struct Name {
    probe: String,
    stops: Vec<String>,
    weight: f64,
    board: Board,
}

/// `1.17/500 1e7,1e6 5.3e4 BOARD`.
impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (stops, board) = (self.stops.join(","), name_of(self.board));
        write!(f, "{} {stops} {:.5e} {board}", self.probe, self.weight)
    }
}

impl FromStr for Name {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Name> {
        let fields: Vec<&str> = text.split(' ').collect();
        let read = || {
            let [probe, stops, weight, board] = fields[..] else {
                return None;
            };
            Some(Name {
                probe: probe.to_owned(),
                stops: stops.split(',').map(str::to_owned).collect(),
                weight: weight.parse().ok()?,
                board: board_of(board)?,
            })
        };
        read().with_context(|| format!("{text:?} is not the name of a line of probes"))
    }
}

/// A line to solve.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct End {
    name: Name,
    claim: Question,
}

/// Position, claim and name, tab-separated: what `solve` reads.
impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let position = position_of(self.name.board);
        write!(f, "{position}\t{}\t{}", self.claim, self.name)
    }
}

fn position_of(board: Board) -> Position {
    Position {
        board,
        side: Color::Black,
    }
}

/// A probe: a line from one of the claims.
struct Line {
    /// `1.17/500`: seed, number, and how many there are.
    name: String,
    root: Claim,
    /// Of the claim among all.
    chance: f64,
    /// A number from 0 to 1: the line is solved where its share is larger.
    keep: f64,
}

/// `count` random lines from claims, spread evenly over these, or one from each.
fn lines_from(
    roots: &[Claim],
    count: usize,
    replies: Replies,
    guide: &mut impl Guide,
) -> Vec<Line> {
    let roots = roots.iter().map(|&(board, claim)| claim_of(board, claim));
    let roots: Vec<Claim> = roots.collect();
    let Replies::One { seed, bias } = replies else {
        let line = |(index, &root)| Line {
            name: format!("all.{index}/{}", roots.len()),
            root,
            chance: 1.0,
            keep: 0.0,
        };
        return roots.iter().enumerate().map(line).collect();
    };
    let chances = chances(&roots, bias, guide);
    let line = |index| {
        let part = index as f64 + point_of(seed, &format!("root {index}"));
        let (root, chance) = at(&chances, part / count as f64);
        Line {
            name: format!("{seed}.{index}/{count}"),
            root: roots[root],
            chance,
            keep: point_of(seed, &format!("keep {index}")),
        }
    };
    (0..count).map(line).collect()
}

/// With what chance each of some costs is looked at, so that about `count` are: in proportion, but 1 at most.
fn shares_of(costs: &[f64], count: usize) -> Vec<f64> {
    let shares = |scale: f64| costs.iter().map(move |cost| (cost * scale).min(1.0));
    let (mut low, mut high) = (
        0.0,
        costs.iter().copied().fold(f64::INFINITY, f64::min).recip(),
    );
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        match shares(middle).sum::<f64>() > count as f64 {
            true => high = middle,
            false => low = middle,
        }
    }
    shares(high).collect()
}

/// What the answers say of one probe with one stop.
#[derive(Clone, Default, Debug)]
struct Found {
    refuted: HashSet<Board>,
    /// Boards that were solved, or given up.
    others: HashSet<Board>,
    unsolved: u64,
    solved: u64,
    /// Nodes of the solves, and of what they stand for.
    nodes: f64,
    weighted: f64,
    /// Ends of the whole tree.
    ends: f64,
}

/// The answers so far.
#[derive(Default, Debug)]
pub(crate) struct Probes {
    /// By stop and probe.
    found: BTreeMap<String, BTreeMap<String, Found>>,
}

impl Probes {
    /// The position that an answer of this name is about.
    pub(crate) fn position(name: &str) -> anyhow::Result<Position> {
        Ok(position_of(name.parse::<Name>()?.board))
    }

    /// Takes an answer: is its claim true, and what did that take?
    pub(crate) fn learn(
        &mut self,
        name: &str,
        holds: Option<bool>,
        nodes: u64,
    ) -> anyhow::Result<()> {
        let name: Name = name.parse()?;
        for stop in &name.stops {
            let probes = self.found.entry(stop.clone()).or_default();
            let found = probes.entry(name.probe.clone()).or_default();
            let boards = match holds {
                Some(false) => &mut found.refuted,
                _ => &mut found.others,
            };
            ensure!(boards.insert(name.board), "{name} is answered twice");
            found.unsolved += u64::from(holds.is_none());
            found.solved += 1;
            found.nodes += nodes as f64;
            found.weighted += name.weight * nodes as f64;
            found.ends += name.weight;
        }
        Ok(())
    }

    /// The ends that are still to be solved of `count` probes of some claims, or of all their trees. `solved`: of
    /// about so many probes alone, those that are most of the cost.
    pub(crate) fn open(
        &self,
        roots: &[Claim],
        (count, solved): (usize, Option<usize>),
        stops: &[Stop],
        replies: Replies,
        guide: &mut impl Guide,
    ) -> anyhow::Result<Vec<End>> {
        ensure!(!roots.is_empty(), "there are no claims");
        let probes = lines_from(roots, count, replies, guide);
        let mut shares = Vec::new();
        for &stop in stops {
            let walked = Probes::default();
            let mut costs = Vec::new();
            for probe in probes.iter().filter(|_| solved.is_some()) {
                let ends = walked.open_ends(probe, stop, replies, guide)?;
                let cost = ends.iter();
                costs.push(
                    cost.map(|&((board, claim), times)| times * guide.nodes(board, claim))
                        .sum(),
                );
            }
            shares.push(solved.map_or_else(
                || vec![1.0; probes.len()],
                |solved| shares_of(&costs, solved),
            ));
        }
        let mut open: Vec<End> = Vec::new();
        for (index, probe) in probes.iter().enumerate() {
            let first = open.len();
            for (&stop, shares) in stops.iter().zip(&shares) {
                if probe.keep >= shares[index] {
                    continue;
                }
                for (claim, times) in self.open_ends(probe, stop, replies, guide)? {
                    let (weight, stop) = (times / shares[index], stop.to_string());
                    let same = open[first..].iter_mut().find(|end| {
                        end.name.board == claim.0 && end.name.weight.to_bits() == weight.to_bits()
                    });
                    if let Some(end) = same {
                        end.name.stops.push(stop);
                        continue;
                    }
                    let name = Name {
                        probe: probe.name.clone(),
                        stops: vec![stop],
                        weight,
                        board: claim.0,
                    };
                    open.push(End {
                        name,
                        claim: claim.1,
                    });
                }
            }
        }
        Ok(open)
    }

    /// Those of one probe with one stop, each with how often it counts.
    fn open_ends(
        &self,
        probe: &Line,
        stop: Stop,
        replies: Replies,
        guide: &mut impl Guide,
    ) -> anyhow::Result<Vec<(Claim, f64)>> {
        let none = Found::default();
        let probes = self.found.get(&stop.to_string());
        let found = probes.and_then(|probes| probes.get(&probe.name));
        let found = found.unwrap_or(&none);
        if replies != Replies::All && !found.others.is_empty() {
            return Ok(Vec::new());
        }
        let mut tree = Tree {
            guide,
            stop,
            replies,
            probe: probe.name.split('/').next().unwrap_or_default(),
            refuted: &found.refuted,
            fails: HashMap::new(),
        };
        let ends = tree.ends(probe.root);
        let (board, claim) = probe.root;
        ensure!(
            !ends.is_empty(),
            "{}: {claim} is refuted",
            position_of(board)
        );
        let open = ends.into_iter();
        let open = open.filter(|((board, _), _)| !found.others.contains(board));
        Ok(open
            .map(|(claim, times)| (claim, times / probe.chance))
            .collect())
    }

    /// What the probes say, a line for each stop.
    pub(crate) fn summary(&self) -> anyhow::Result<String> {
        let mut text = String::from(
            "stop\tprobes\tnodes\t95%\tends\t95%\tsolved\tnodes solved\trefuted\tunsolved\tlargest\n",
        );
        for (stop, probes) in &self.found {
            let runs: BTreeSet<(&str, usize)> =
                probes.keys().filter_map(|name| run_of(name)).collect();
            let is_sample = runs.iter().all(|(run, _)| *run != "all");
            ensure!(
                is_sample || runs.len() == 1,
                "answers of whole trees and of probes do not add up"
            );
            // Probes that were not to be solved count as well, as nothing.
            let total = runs
                .iter()
                .map(|(_, count)| count)
                .sum::<usize>()
                .max(probes.len());
            let of = |value: fn(&Found) -> f64| -> Vec<f64> {
                let mut values: Vec<f64> = probes.values().map(value).collect();
                values.resize(total, 0.0);
                values
            };
            let count = |value: fn(&Found) -> u64| -> u64 { probes.values().map(value).sum() };
            let weighted = of(|found| found.weighted);
            let largest = weighted.iter().copied().fold(0.0, f64::max);
            let share = largest / weighted.iter().sum::<f64>();
            text += &format!(
                "{stop}\t{total}\t{}\t{}\t{}\t{:.4e}\t{}\t{}\t{share:.3}\n",
                Mean(&weighted, is_sample),
                Mean(&of(|found| found.ends), is_sample),
                count(|found| found.solved),
                of(|found| found.nodes).iter().sum::<f64>(),
                count(|found| found.refuted.len() as u64),
                count(|found| found.unsolved),
            );
        }
        Ok(text)
    }
}

/// Of the name of a probe its seed, and how many probes there are of that.
fn run_of(name: &str) -> Option<(&str, usize)> {
    let (run, rest) = name.split_once('.')?;
    let (_, count) = rest.split_once('/')?;
    Some((run, count.parse().ok()?))
}

/// The mean of a sample and its 95% interval by the bootstrap (B. Efron, 1979), or the sum of what is all.
struct Mean<'a>(&'a [f64], bool);

impl fmt::Display for Mean<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Mean(values, is_sample) = *self;
        let count = values.len() as f64;
        let sum: f64 = values.iter().sum();
        if !is_sample {
            return write!(f, "{sum:.4e}\t-");
        }
        /// Samples of the sample.
        const SAMPLES: usize = 2000;
        let mut random = SplitMix64::new(0);
        let mut drawn = || values[random.below(values.len() as u64) as usize];
        let mut means: Vec<f64> = (0..SAMPLES)
            .map(|_| values.iter().map(|_| drawn()).sum::<f64>() / count)
            .collect();
        means.sort_by(f64::total_cmp);
        let (low, high) = (means[SAMPLES / 40], means[SAMPLES - 1 - SAMPLES / 40]);
        write!(f, "{:.4e}\t{low:.3e}..{high:.3e}", sum / count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::reference;

    /// Black to move, 11 empties.
    const POSITION: &str = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOOXX X";

    /// Prefers moves without sense.
    struct Naive;

    impl Guide for Naive {
        fn prefer(&mut self, _: Board, among: Bitboard) -> Option<Square> {
            among.first()
        }

        fn nodes(&mut self, board: Board, _: Question) -> f64 {
            3_f64.powi(board.empty_count() as i32) * f64::from(1 + board.legal_moves().count())
        }
    }

    fn board() -> Board {
        let position: Position = POSITION.parse().expect("a position");
        position.board
    }

    /// Solves lines until none is left; each takes `nodes`. Returns the answers, and how many rounds there were.
    fn settle(
        (root, stop, replies): (Claim, Stop, Replies),
        count: (usize, Option<usize>),
        solve: impl Fn(Board, Question) -> bool,
    ) -> anyhow::Result<(Probes, usize)> {
        let mut probes = Probes::default();
        for round in 0.. {
            let open = probes.open(&[root], count, &[stop], replies, &mut Naive)?;
            if open.is_empty() {
                return Ok((probes, round));
            }
            for End { name, claim } in open {
                let nodes = u64::from(name.board.empty_count());
                probes.learn(&name.to_string(), Some(solve(name.board, claim)), nodes)?;
            }
        }
        unreachable!("rounds have no end")
    }

    fn is_true(board: Board, claim: Question) -> bool {
        let score = crate::score::Bounds::exactly(reference::solve(board).score);
        claim.verdict(score).expect("decided")
    }

    fn sum(probes: &Probes, value: fn(&Found) -> f64) -> f64 {
        let found = probes.found.values().flat_map(BTreeMap::values);
        found.map(value).sum()
    }

    #[test]
    fn probes_are_right_on_average() {
        for stop in [Stop::Empties(8), Stop::Nodes(1e5)] {
            let root = (board(), Question::AtMost(0));
            let (whole, _) =
                settle((root, stop, Replies::All), (1, None), |_, _| true).expect("settled");
            for (bias, solved) in [(0.0, None), (0.5, None), (1.0, None), (0.5, Some(3000))] {
                let replies = Replies::One { seed: 5, bias };
                let count = (4000, solved);
                let (probes, _) =
                    settle((root, stop, replies), count, |_, _| true).expect("settled");
                for value in [|found: &Found| found.weighted, |found: &Found| found.ends] {
                    let ratio = sum(&probes, value) / 4000.0 / sum(&whole, value);
                    assert!((0.9..1.1).contains(&ratio), "{stop} {bias}: {ratio}");
                }
            }
        }
    }

    #[test]
    fn a_whole_tree_is_a_proof_and_false_claims_have_none() {
        let score = reference::solve(board()).score;
        let whole = |claim| {
            settle(
                ((board(), claim), Stop::Empties(8), Replies::All),
                (1, None),
                is_true,
            )
        };
        for claim in [Question::AtLeast(score), Question::AtMost(score)] {
            let (probes, rounds) = whole(claim).expect("settled");
            let refuted = sum(&probes, |found| found.refuted.len() as f64);
            assert!(
                rounds > 1 && refuted > 0.0,
                "{claim}: {rounds} rounds, {refuted} refuted"
            );
        }
        let error = whole(Question::AtLeast(score + 2)).expect_err("false");
        assert!(error.to_string().ends_with("is refuted"), "{error}");
    }

    #[test]
    fn lines_depend_on_the_seed_and_on_their_own_answers_alone() {
        let stops = [Stop::Empties(9), Stop::Empties(7)];
        let (seed, bias) = (3, 0.5);
        let open = |probes: &Probes, seed, stops: &[Stop]| {
            let replies = Replies::One { seed, bias };
            let root = (board(), Question::AtLeast(-64));
            let open = probes
                .open(&[root], (20, None), stops, replies, &mut Naive)
                .expect("open");
            open.iter().map(End::to_string).collect::<Vec<_>>()
        };
        let mut probes = Probes::default();
        let all = open(&probes, seed, &stops);
        assert_eq!(all, open(&probes, seed, &stops));
        assert_ne!(all, open(&probes, seed + 1, &stops));
        let named = |line: &String| line.rsplit('\t').next().expect("a name").to_owned();
        for line in all.iter().take(7) {
            probes.learn(&named(line), Some(true), 1).expect("learned");
        }
        assert_eq!(all[7..], open(&probes, seed, &stops));
        assert!(
            probes.learn(&named(&all[0]), Some(true), 1).is_err(),
            "twice"
        );
        assert!(Probes::position("1.0 9 1 nothing").is_err());
    }
}
