//! `emilia proof`: makes proofs of scores, and says what they hold.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use clap::{Args, Subcommand};

use super::Exit;
use super::batch::read_split;
use super::files::thread_pool;
use super::progress::Progress;
use crate::eval::Evaluator;
use crate::files::{OutputFile, UsedFiles};
use crate::proof::make::{self, Made, MakeError, ProofLimits, ProofPlan};
use crate::proof::parts::{ProofMoves, cut, join};
use crate::proof::strategy::{self, Said, Strategy};
use crate::proof::verify::file::{Claim, Header};
use crate::proof::verify::leaf::MOST_EMPTIES;
use crate::proof::verify::walk::Turn;
use crate::proof::{PROOF, draft_of};
use crate::rules::{Move, Position};
use crate::score::{Bounds, Question};
use crate::search::{Control, SearchOptions, Searcher, parse_hash_mb};
use crate::text::values;

/// The arguments of `emilia proof`.
#[derive(Args, Debug)]
pub struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand, Debug)]
enum Task {
    /// Prove a claim about the score of a position, or who wins it
    Make(MakeArguments),
    /// Say what a proof holds about a position
    Show(PositionArguments),
    /// Play the side that a proof is for, from the proof alone
    Play(PlayArguments),
    /// Write the part of a proof that is about a position as a proof of its own
    Cut(CutArguments),
    /// Make one proof of a claim that `batch split` has split: of its tree and the proofs of its leaves
    Join(JoinArguments),
    /// Count a proof's positions by empty squares, and show its longest line
    Stats(FileArguments),
}

#[derive(Args, Debug)]
struct MakeArguments {
    /// 64 cells a1..h1, a2..h8 (X x * B b, O o W w, - . _) and the side to move
    #[arg(allow_hyphen_values = true)]
    position: Position,
    /// `win`, `draw`, `loss`, or about the score of the side to move `>=V`, `<=V`, `>V`, `<V`, `=V` [default: who wins]
    #[arg(long, value_parser = provable)]
    claim: Option<Question>,
    /// Where the proof goes
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    /// Empty squares of the positions that the checker solves itself
    #[arg(long, value_name = "K", default_value_t = make::LEAF_EMPTIES, value_parser = clap::value_parser!(u8).range(0..=i64::from(MOST_EMPTIES)))]
    leaf: u8,
    /// Threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = super::at_least_one)]
    threads: Option<NonZeroUsize>,
    /// Memory of the hash table in MB; and as much again for the moves that the solve finds
    #[arg(long, value_name = "MB", default_value = "256", value_parser = parse_hash_mb)]
    hash: usize,
    /// Memory for positions in MB; more go to temporary files
    #[arg(long, value_name = "MB", default_value = "1024")]
    memory: usize,
    /// Give up after so many nodes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_nodes: Option<u64>,
    /// Give up after so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = values::some_seconds)]
    max_time: Option<Duration>,
}

#[derive(Args, Debug)]
struct FileArguments {
    /// The proof
    file: PathBuf,
    /// Memory for positions in MB while it is read
    #[arg(long, value_name = "MB", default_value = "1024")]
    memory: usize,
}

#[derive(Args, Debug)]
struct PositionArguments {
    #[command(flatten)]
    proof: FileArguments,
    /// 64 cells and the side to move
    #[arg(allow_hyphen_values = true)]
    position: Position,
}

#[derive(Args, Debug)]
#[command(after_help = PLAY_HELP)]
struct PlayArguments {
    #[command(flatten)]
    proof: FileArguments,
    /// Which claim of the file to play for
    #[arg(long, value_name = "N", default_value = "1", value_parser = super::at_least_one)]
    claim: NonZeroUsize,
    /// Print moves only, no boards: for programs
    #[arg(long)]
    plain: bool,
}

const PLAY_HELP: &str = "\
Reads the other side's moves from standard input, one a line (`f5`, or `pass`), and prints its own.";

#[derive(Args, Debug)]
struct CutArguments {
    #[command(flatten)]
    part: PositionArguments,
    /// Where the part goes
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
}

#[derive(Args, Debug)]
struct JoinArguments {
    /// The state of the split, which `batch join` has settled
    #[arg(long, value_name = "FILE")]
    state: PathBuf,
    /// Where the proof goes
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    /// Memory for positions in MB; more go to temporary files
    #[arg(long, value_name = "MB", default_value = "1024")]
    memory: usize,
    /// The proofs that `solve --proof` made of the lines of the split
    #[arg(required = true)]
    parts: Vec<PathBuf>,
}

/// A claim that is not true of every position.
fn provable(text: &str) -> Result<Question, String> {
    let claim = values::claim(text)?;
    match claim.is_answered_by(Bounds::UNKNOWN) {
        true => Err("this is true of every position".to_owned()),
        false => Ok(claim),
    }
}

/// Does what is asked for.
///
/// # Errors
/// If a file cannot be read or written, or is no proof.
pub fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    match &arguments.task {
        Task::Make(arguments) => run_make(arguments),
        Task::Show(arguments) => run_show(arguments),
        Task::Play(arguments) => run_play(arguments),
        Task::Cut(arguments) => run_cut(arguments),
        Task::Join(arguments) => run_join(arguments),
        Task::Stats(arguments) => run_stats(arguments),
    }
}

fn run_make(arguments: &MakeArguments) -> anyhow::Result<Exit> {
    // The search, too, runs on a thread of the pool.
    let pool = thread_pool(arguments.threads)?;
    let options = SearchOptions {
        threads: pool.current_num_threads(),
        hash_mb: arguments.hash,
    };
    let mut searcher = Searcher::new(Evaluator::embedded(), options)?;
    searcher.note_wins(u32::from(arguments.leaf))?;
    let mut used = UsedFiles::default();
    let output = used.new_output(&arguments.output, PROOF)?;
    used.claim(&draft_of(&arguments.output))?;
    let done = pool.install(|| prove(&mut searcher, arguments, output));
    if let Err(error) = &done
        && let Some(MakeError::Unsolved { nodes }) = error.downcast_ref()
    {
        let path = arguments.output.display();
        writeln!(
            io::stdout(),
            "{path}: unsolved: stopped after {nodes} nodes"
        )?;
        return Ok(Exit::UNSOLVED);
    }
    done
}

/// Solves the position and writes the proof, if the claim is true.
fn prove(
    searcher: &mut Searcher,
    arguments: &MakeArguments,
    output: OutputFile,
) -> anyhow::Result<Exit> {
    let position = arguments.position;
    let (asked, control) = (arguments.claim.unwrap_or(Question::Wld), Control::new());
    let limits = ProofLimits {
        nodes: arguments.max_nodes,
        time: arguments.max_time,
    };
    let solved = make::solve(searcher, position.board, asked, limits, &control)?;
    let (proven, solve_nodes) = solved;
    let name = output.path().display().to_string();
    let claims = make::claims(asked, proven);
    if asked.verdict(proven) == Some(false) {
        return refute(&name, position, &claims);
    }
    let shown = Progress::in_words();
    let mut report = |made: make::ProofProgress| {
        let make::ProofProgress {
            empties,
            moves,
            nodes,
            ..
        } = made;
        shown.show(|| format!("{empties} empties, {moves} moves, {nodes} nodes"));
    };
    let plan = ProofPlan {
        position,
        claims,
        leaf_empties: arguments.leaf,
        memory: bytes(arguments.memory),
        limits,
    };
    let made = make::make(searcher, &plan, output, &control, &mut report)?;
    drop(shown);
    let Made {
        header,
        bytes,
        nodes,
    } = made;
    let above = header
        .layers
        .iter()
        .filter_map(|layers| layers.split_last());
    let sizes = above.flat_map(|(_, above)| above);
    let [moves, replies] = sizes.fold([0; 2], |[moves, replies], [claimant, opponent]| {
        [moves + claimant, replies + opponent]
    });
    writeln!(
        io::stdout(),
        "{name}: {} at {position}; positions {}, moves {moves}, bytes {bytes}, nodes {solve_nodes} to solve and {nodes} to prove",
        header.statement(),
        moves + replies,
    )?;
    Ok(Exit::SUCCESS)
}

/// Says which claim is false, as these are true.
fn refute(name: &str, position: Position, truth: &[Claim]) -> anyhow::Result<Exit> {
    let Some(&truth) = truth.first() else {
        bail!("{name}: what is asked is false, and nothing is true instead");
    };
    let (said, opposite) = (truth.opposite(), make::question(truth));
    writeln!(
        io::stdout(),
        "{name}: refuted: {said} is false\n\
         the opposite can be proven: emilia proof make '{position}' --claim '{opposite}' --output FILE"
    )?;
    Ok(Exit::FAILURE)
}

fn read(arguments: &FileArguments) -> anyhow::Result<(Header, Vec<Strategy>)> {
    let source = open_proof(&arguments.file)?;
    let name = || format!("in {}", arguments.file.display());
    strategy::read(source, bytes(arguments.memory)).with_context(name)
}

fn open_proof(path: &Path) -> anyhow::Result<BufReader<File>> {
    let file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
    Ok(BufReader::new(file))
}

const fn bytes(megabytes: usize) -> usize {
    megabytes.saturating_mul(1 << 20)
}

fn run_show(arguments: &PositionArguments) -> anyhow::Result<Exit> {
    let (_, strategies) = read(&arguments.proof)?;
    let mut out = io::stdout().lock();
    let position = arguments.position;
    let mut status = Exit::FAILURE;
    for strategy in &strategies {
        let said = strategy.look_up(position);
        if said != Said::Absent {
            status = Exit::SUCCESS;
        }
        let (claim, side) = (strategy.claim, strategy.claimant);
        let said = said_text(strategy, position, said);
        writeln!(out, "{claim}, which {side} proves: {said}")?;
    }
    Ok(status)
}

fn said_text(strategy: &Strategy, position: Position, said: Said) -> String {
    match said {
        Said::Move(square) => format!("{} plays {square}", position.side),
        Said::Reply => {
            let answers = position.board.legal_moves().map(|square| {
                let after = position.play(square.into());
                let ours = after.filter(|&after| strategy.turn(after) == Turn::Claimant);
                let answer = ours.and_then(|after| strategy.choose(after.board));
                answer.map_or(square.to_string(), |answer| format!("{square} {answer}"))
            });
            let answers = answers.collect::<Vec<_>>().join(", ");
            format!("{} may play, and is answered: {answers}", position.side)
        }
        Said::Pass => format!("{} must pass", position.side),
        Said::Leaf => {
            let mut nodes = 0;
            let holds = strategy.holds_at_leaf(position.board, strategy.turn(position), &mut nodes);
            let holds = if holds { "holds" } else { "does not hold" };
            format!("a leaf; the claim {holds}, by {nodes} nodes")
        }
        Said::Over => format!("the game is over, {:+}", position.board.final_score()),
        Said::Absent => "the proof does not need this position".to_owned(),
    }
}

fn run_cut(arguments: &CutArguments) -> anyhow::Result<Exit> {
    let PositionArguments { proof, position } = &arguments.part;
    let output = UsedFiles::reading([&proof.file]).output(&arguments.output, PROOF)?;
    let (source, memory) = (open_proof(&proof.file)?, bytes(proof.memory));
    let Some((part, bytes)) = cut(source, *position, output, memory)? else {
        bail!("the proof does not need this position");
    };
    say_written(&arguments.output, &part, *position, bytes)
}

/// Says what a proof about a position holds that was made of others.
fn say_written(
    path: &Path,
    header: &Header,
    position: Position,
    bytes: u64,
) -> anyhow::Result<Exit> {
    let (path, claims) = (path.display(), header.statement());
    writeln!(
        io::stdout(),
        "{path}: {claims} at {position}; bytes {bytes}"
    )?;
    Ok(Exit::SUCCESS)
}

fn run_join(arguments: &JoinArguments) -> anyhow::Result<Exit> {
    let inputs = arguments.parts.iter().chain([&arguments.state]);
    let output = UsedFiles::reading(inputs).output(&arguments.output, PROOF)?;
    let memory = bytes(arguments.memory);
    let name = arguments.state.display();
    let split = read_split(&arguments.state)?;
    let (position, claim) = match split.settled()? {
        Some((position, Question::AtLeast(score))) => (position, Claim::AtLeast(score)),
        Some((position, Question::AtMost(score))) => (position, Claim::AtMost(score)),
        _ => {
            let how = "continue it with `emilia batch join`";
            writeln!(io::stdout(), "{name}: unsolved: {how}")?;
            return Ok(Exit::UNSOLVED);
        }
    };
    let (mut parts, mut leaf_empties) = (ProofMoves::default(), 0);
    for path in &arguments.parts {
        let header = parts.add(open_proof(path)?, claim.goal(), memory);
        let header = header.with_context(|| format!("in {}", path.display()))?;
        leaf_empties = leaf_empties.max(header.leaf_empties);
    }
    // A damaged state names no moves.
    let tree = |board| split.move_for(board, claim.goal()).ok().flatten();
    let header = make::header(position, &[claim], leaf_empties);
    let (header, bytes) = join(header, &[parts], &tree, output, memory)?;
    say_written(&arguments.output, &header, position, bytes)
}

fn run_stats(arguments: &FileArguments) -> anyhow::Result<Exit> {
    let (header, strategies) = read(arguments)?;
    let mut out = io::stdout().lock();
    let root = make::root(&header);
    let bytes = fs::metadata(&arguments.file)?.len();
    let mut positions = 0;
    for (layers, strategy) in header.layers.iter().zip(&strategies) {
        writeln!(out, "{} at {root}", strategy.claim)?;
        writeln!(out, "empties  claimant's  opponent's")?;
        for (index, &[claimant, opponent]) in layers.iter().enumerate() {
            let empties = root.board.empty_count() as usize - index;
            let is_last = index + 1 == layers.len();
            let what = if is_last { "  leaves" } else { "" };
            writeln!(out, "{empties:7} {claimant:11} {opponent:11}{what}")?;
            positions += if is_last { 0 } else { claimant + opponent };
        }
        let (line, lines) = strategy.longest_line(root);
        let line = line.iter().map(Move::to_string).collect::<Vec<_>>();
        let line = line.join(" ");
        writeln!(out, "lines {lines}, the longest resistance {line}")?;
    }
    let each = bytes as f64 / (positions as f64).max(1.0);
    writeln!(
        out,
        "positions {positions}, bytes {bytes}, {each:.2} a position"
    )?;
    Ok(Exit::SUCCESS)
}

fn run_play(arguments: &PlayArguments) -> anyhow::Result<Exit> {
    let (header, strategies) = read(&arguments.proof)?;
    let Some(strategy) = strategies.get(arguments.claim.get() - 1) else {
        bail!("the proof has {} claims", strategies.len());
    };
    let mut position = make::root(&header);
    let mut out = io::stdout().lock();
    let mut lines = io::stdin().lock().lines();
    if !arguments.plain {
        let side = strategy.claimant;
        writeln!(out, "{} at the start; I play {side}", strategy.claim)?;
    }
    while !position.board.is_over() {
        let ours = position.side == strategy.claimant;
        let next = if position.board.must_pass() {
            Move::Pass
        } else if ours {
            let Some(square) = strategy.choose(position.board) else {
                bail!("the proof does not say how to go on at {position}");
            };
            Move::Place(square)
        } else {
            if !arguments.plain {
                writeln!(out, "{}", position.diagram())?;
            }
            out.flush()?;
            let Some(line) = lines.next() else {
                return Ok(Exit::SUCCESS);
            };
            match line?.trim().parse::<Move>() {
                Ok(mv) if position.play(mv).is_some() => mv,
                other => {
                    let refused = other.map(|mv| format!("{mv} is not legal"));
                    writeln!(out, "{}", refused.unwrap_or_else(|error| error.to_string()))?;
                    continue;
                }
            }
        };
        if ours || next == Move::Pass {
            writeln!(out, "{} {next}", position.side.letter())?;
        }
        let Some(after) = position.play(next) else {
            bail!("{next} is not legal at {position}");
        };
        position = after;
    }
    if let Some(score) = position.result_for_black() {
        writeln!(out, "the game is over: black {score:+}")?;
    }
    Ok(Exit::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_true_of_every_position_is_not_proven() {
        assert_eq!(provable(">=-62"), Ok(Question::AtLeast(-62)));
        for text in [">=-64", "<=64", "wld"] {
            assert!(provable(text).is_err(), "{text}");
        }
    }
}
