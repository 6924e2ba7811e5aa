//! `emilia batch`: what is needed around `solve` where several machines share the work.

use std::collections::HashSet;
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use serde_json::Value;

use super::files::open;
use super::solve::input::{Reader, Sink, Task};
use crate::batch::cache::Cache;
use crate::batch::estimate::{Model, Sample, fit};
use crate::batch::merge::{MergeError, Merger};
use crate::batch::question::{Bounds, Question};
use crate::batch::split::{Judge, Leaf, Moves, Outlook, Split, is_name};
use crate::eval::Evaluator;
use crate::eval::probcut::Horizon;
use crate::files::{FileKind, UsedFiles};
use crate::rules::{Board, Color, Position, Square};
use crate::search::{Control, Limits, SearchOptions, Searcher};

/// The arguments of `emilia batch`.
#[derive(Args, Debug)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Merge the outputs of the parts of an input (`solve --shard`): complete, in order, and without contradiction
    Merge(Merge),
    /// Add what is proven in some caches (`solve --cache`) to another one
    MergeCaches(MergeCaches),
    /// Begin to split a claim about one position into lines for `solve`
    Split(Begin),
    /// Take the answers to the lines of a split: the claim is settled, or the next lines follow
    Join(Join),
    /// Fit the estimate of nodes to the answers of solves, in JSON; prints src/batch/estimate.json
    Fit(Fit),
}

#[derive(Args, Debug)]
struct Merge {
    /// The input of all parts, as given to `solve`; several times where it had several files
    #[arg(long, value_name = "FILE", required = true)]
    input: Vec<PathBuf>,
    /// As given to `solve`
    #[arg(long, value_name = "N")]
    empties: Option<u32>,
    /// The --side of the runs
    #[arg(long, value_name = "SIDE")]
    side: Option<Color>,
    /// The answers of the parts, each in the order of the input
    #[arg(required = true)]
    outputs: Vec<PathBuf>,
}

#[derive(Args, Debug)]
struct MergeCaches {
    /// The cache that grows; it is made if it does not exist
    #[arg(long, value_name = "FILE")]
    into: PathBuf,
    /// The caches that are added
    #[arg(required = true)]
    caches: Vec<PathBuf>,
}

#[derive(Args, Debug)]
struct Begin {
    /// 64 cells and the side to move, in one argument
    #[arg(allow_hyphen_values = true)]
    position: String,
    /// What is claimed, such as '>=0'
    #[arg(long)]
    claim: Question,
    /// So many lines, or a few more
    #[arg(long, value_name = "N", default_value = "100")]
    to: usize,
    /// Where one move is enough, hand out moves until one of them holds with this probability;
    /// more lines, fewer rounds
    #[arg(long, value_name = "P", default_value = "0", value_parser = probability)]
    certainty: f64,
    /// A new file for the state of the work
    #[arg(long, value_name = "FILE")]
    state: PathBuf,
}

#[derive(Args, Debug)]
struct Join {
    /// The state of the work, which is changed
    #[arg(long, value_name = "FILE")]
    state: PathBuf,
    /// The answers of `solve`, in text or JSON
    answers: Vec<PathBuf>,
}

#[derive(Args, Debug)]
struct Fit {
    /// The bench signature of the solver that gave the answers
    #[arg(long, value_name = "N")]
    signature: u64,
    /// Answers of `solve --json`, one thread a position
    #[arg(required = true)]
    answers: Vec<PathBuf>,
}

fn probability(text: &str) -> Result<f64, String> {
    let parsed = text.parse().ok();
    parsed
        .filter(|probability| (0.0..=1.0).contains(probability))
        .ok_or_else(|| "expected a probability from 0 to 1".to_owned())
}

const STATE: FileKind = FileKind {
    name: "the state of a split",
    is: |head| head.starts_with(b"{\"position\""),
};

/// The exit status where more is to be solved, as of `solve`.
const UNSOLVED: u8 = 3;

/// Runs the subcommand.
///
/// # Errors
/// If a file cannot be used, or does not fit.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    match &arguments.command {
        Command::Merge(arguments) => merge(arguments),
        Command::MergeCaches(arguments) => merge_caches(arguments),
        Command::Split(arguments) => begin(arguments),
        Command::Join(arguments) => join(arguments),
        Command::Fit(arguments) => fit_model(arguments),
    }
}

/// Asks for the answer of each line.
struct Collector<'a, W> {
    files: &'a [PathBuf],
    merger: Merger<Box<dyn BufRead>>,
    out: W,
    error: Option<MergeError>,
}

impl<W: Write> Sink for Collector<'_, W> {
    fn take(&mut self, _: &[u8], task: Task) -> bool {
        if self.error.is_some() {
            return false;
        }
        let file = task.place.file.and_then(|number| self.files.get(number));
        let name = file.map(|path| path.display().to_string());
        let written = self
            .merger
            .write(name.as_deref(), task.place.line, &mut self.out);
        self.error = written.err();
        self.error.is_none()
    }

    fn flush(&mut self) {}
}

fn merge(arguments: &Merge) -> anyhow::Result<ExitCode> {
    let outputs = arguments
        .outputs
        .iter()
        .map(|path| Ok((path.display().to_string(), open(path)?)));
    let outputs = outputs.collect::<anyhow::Result<Vec<_>>>()?;
    let mut collector = Collector {
        files: &arguments.input,
        merger: Merger::new(outputs)?,
        out: io::BufWriter::new(io::stdout().lock()),
        error: None,
    };
    let reader = Reader {
        question: Question::Exact,
        empties: arguments.empties,
        side: arguments.side,
    };
    let errors = reader.read(&arguments.input, &mut collector);
    collector.out.flush()?;
    if let Some(error) = collector.error {
        return Err(error.into());
    }
    if let Some(error) = errors.into_iter().next() {
        return Err(error);
    }
    let (_, unsolved) = collector.merger.finish()?;
    Ok(if unsolved > 0 {
        ExitCode::from(UNSOLVED)
    } else {
        ExitCode::SUCCESS
    })
}

fn merge_caches(arguments: &MergeCaches) -> anyhow::Result<ExitCode> {
    let into = Cache::open(&arguments.into)?;
    let mut out = io::stdout().lock();
    for path in &arguments.caches {
        if !path.is_file() {
            bail!("{} is no cache", path.display());
        }
        let count = into.absorb(&Cache::open(path)?)?;
        writeln!(out, "{}\t{count} positions", path.display())?;
    }
    writeln!(
        out,
        "{}\t{} positions",
        arguments.into.display(),
        into.count()?
    )?;
    Ok(ExitCode::SUCCESS)
}

/// Judges moves by a search that costs little beside the solve, and leaves by the estimate.
struct Engine {
    searcher: Searcher,
}

/// What a look at the moves of a board may cost, as a part of the solve that it may save.
const JUDGE_SHARE: f64 = 1.0 / 64.0;

/// The least and the most nodes of such a look.
const JUDGE_NODES: (f64, f64) = (2e5, 1e7);

impl Engine {
    fn new() -> anyhow::Result<Engine> {
        let options = SearchOptions {
            threads: 1,
            hash_mb: 64,
        };
        let searcher = Searcher::new(Evaluator::embedded(), options)?;
        Ok(Engine { searcher })
    }
}

impl Judge for Engine {
    fn moves(&mut self, board: Board) -> Moves {
        let nodes = JUDGE_SHARE * self.nodes(board, Question::Wld);
        let limits = Limits {
            nodes: Some(nodes.clamp(JUDGE_NODES.0, JUDGE_NODES.1) as u64),
            multipv: 64,
            ..Limits::default()
        };
        // The scores must not depend on what was searched before: rounds go on in other processes.
        self.searcher.forget();
        let outcome = self
            .searcher
            .search(board, &limits, &Control::new(), &mut |_| {});
        let depth = outcome.lines.iter().map(|line| line.depth).min();
        let found = outcome.lines.iter().filter_map(|line| {
            let square = line.pv.first()?.square()?;
            Some((square, line.score.to_f64()))
        });
        let mut moves: Vec<(Square, f64)> = found.collect();
        // A move that the search had no time for is the last to be tried.
        for mv in board.legal_moves() {
            if moves.iter().all(|&(found, _)| found != mv) {
                moves.push((mv, -64.0));
            }
        }
        let probcut = self.searcher.evaluator().probcut();
        let scores = moves
            .into_iter()
            .map(|(mv, score)| (mv.to_string(), score))
            .collect();
        Moves {
            scores,
            sigma: probcut.sigma(board.empty_count(), depth.unwrap_or(0), Horizon::End),
        }
    }

    fn nodes(&mut self, board: Board, claim: Question) -> f64 {
        Model::embedded().nodes(self.searcher.evaluator(), board, claim)
    }
}

fn begin(arguments: &Begin) -> anyhow::Result<ExitCode> {
    let position: Position = arguments
        .position
        .parse()
        .context("cannot read the position")?;
    let mut split = Split::new(position, arguments.claim, arguments.certainty)?;
    if arguments.state.exists() {
        bail!(
            "{} exists: continue it with `emilia batch join`",
            arguments.state.display()
        );
    }
    let leaves = split.split_to(arguments.to, &mut Engine::new()?)?;
    save(&split, &arguments.state, &[])?;
    show(&split, &leaves)
}

fn join(arguments: &Join) -> anyhow::Result<ExitCode> {
    let state = std::fs::read(&arguments.state)
        .with_context(|| format!("cannot read {}", arguments.state.display()))?;
    let mut split: Split = serde_json::from_slice(&state)
        .with_context(|| format!("{} is no state of a split", arguments.state.display()))?;
    let mut unsolved = HashSet::new();
    for path in &arguments.answers {
        for (line, number) in open(path)?.lines().zip(1..) {
            let line = line.with_context(|| format!("cannot read {}", path.display()))?;
            let learned = learn(&mut split, &line, &mut unsolved);
            learned.with_context(|| format!("{}, line {number}", path.display()))?;
        }
    }
    let leaves = split.next_round(&unsolved, &mut Engine::new()?)?;
    save(&split, &arguments.state, &arguments.answers)?;
    show(&split, &leaves)
}

/// Takes an answer of `solve`.
fn learn(split: &mut Split, line: &str, unsolved: &mut HashSet<String>) -> anyhow::Result<()> {
    let answer = AnswerLine::read(line)?;
    if answer.result == "error" {
        bail!("an error is no answer: {line}");
    }
    if answer.result == "unsolved" {
        unsolved.insert(answer.name.clone());
    }
    split.learn(&answer.name, answer.bounds)?;
    Ok(())
}

/// What an answer of `solve` says.
struct AnswerLine {
    name: String,
    result: String,
    bounds: Bounds,
}

impl AnswerLine {
    fn read(line: &str) -> anyhow::Result<AnswerLine> {
        let no_name = || format!("not the answer to a line of a split: {line:?}");
        if let Ok(Value::Object(fields)) = serde_json::from_str(line) {
            let word = |name: &str| fields.get(name).and_then(Value::as_str).map(str::to_owned);
            let discs = |name: &str| fields.get(name).and_then(Value::as_i64).map(|n| n as i32);
            let lower = discs("score").or(discs("at_least")).unwrap_or(-64);
            let upper = discs("score").or(discs("at_most")).unwrap_or(64);
            let name = word("name").filter(|name| is_name(name));
            return Ok(AnswerLine {
                name: name.with_context(no_name)?,
                result: word("result").unwrap_or_else(|| "error".to_owned()),
                bounds: Bounds::new(lower, upper).context("the bounds make no sense")?,
            });
        }
        let fields: Vec<&str> = line.split('\t').collect();
        let (Some(result), Some(score), Some(name)) = (fields.get(1), fields.get(2), fields.last())
        else {
            bail!(no_name());
        };
        if !is_name(name) {
            bail!(no_name());
        }
        Ok(AnswerLine {
            name: (*name).to_owned(),
            result: (*result).to_owned(),
            bounds: if *result == "error" {
                Bounds::UNKNOWN
            } else {
                score.parse()?
            },
        })
    }
}

fn save(split: &Split, path: &Path, inputs: &[PathBuf]) -> anyhow::Result<()> {
    let text = serde_json::to_vec(split)?;
    let file = UsedFiles::reading(inputs).output(path, STATE)?;
    file.write(|out| out.write_all(&text))?;
    Ok(())
}

/// Prints what is to be solved, or what is settled.
fn show(split: &Split, leaves: &[Leaf]) -> anyhow::Result<ExitCode> {
    let (position, claim) = split.root()?;
    let mut out = io::BufWriter::new(io::stdout().lock());
    let chance = match split.outlook()? {
        Outlook::Open(chance) => chance,
        Outlook::Settled(verdict) => {
            let (boards, known) = split.size();
            let verdict = if verdict { "proven" } else { "refuted" };
            writeln!(
                out,
                "# {position}\t{claim}\t{verdict}: {boards} boards split, {known} solved"
            )?;
            out.flush()?;
            return Ok(ExitCode::SUCCESS);
        }
    };
    let nodes: f64 = leaves.iter().map(|leaf| leaf.nodes).sum();
    writeln!(
        out,
        "# {position}\t{claim}\t{} lines, about {nodes:.2e} nodes, true with probability {chance:.2}",
        leaves.len()
    )?;
    for leaf in leaves {
        writeln!(out, "{leaf}")?;
    }
    out.flush()?;
    Ok(ExitCode::from(UNSOLVED))
}

fn fit_model(arguments: &Fit) -> anyhow::Result<ExitCode> {
    let mut samples: Vec<Sample> = Vec::new();
    for path in &arguments.answers {
        for (line, number) in open(path)?.lines().zip(1..) {
            let line = line.with_context(|| format!("cannot read {}", path.display()))?;
            let sample = sample(&line);
            samples.extend(sample.with_context(|| format!("{}, line {number}", path.display()))?);
        }
    }
    let evaluator = Evaluator::embedded();
    let curve = |name: &str, is_kind: fn(Question) -> bool| {
        let kind = samples.iter().filter(|sample| is_kind(sample.question));
        let kind: Vec<Sample> = kind.copied().collect();
        fit(&evaluator, &kind).with_context(|| format!("too few answers to {name} questions"))
    };
    let model = Model {
        signature: arguments.signature,
        exact: curve("exact", |question| question == Question::Exact)?,
        wld: curve("wld", |question| question == Question::Wld)?,
        claim: curve("claim", |question| {
            !matches!(question, Question::Exact | Question::Wld)
        })?,
    };
    let mut out = io::stdout().lock();
    serde_json::to_writer_pretty(&mut out, &model)?;
    writeln!(out)?;
    Ok(ExitCode::SUCCESS)
}

/// What an answer tells of the nodes of a solve; nothing if it was not one.
fn sample(line: &str) -> anyhow::Result<Option<Sample>> {
    let answer: Value = serde_json::from_str(line).context("expected JSON")?;
    let word = |name: &str| answer.get(name).and_then(Value::as_str);
    let (Some(position), Some(question), Some(nodes)) = (
        word("position"),
        word("mode"),
        answer.get("nodes").and_then(Value::as_u64),
    ) else {
        return Ok(None);
    };
    if word("result") == Some("unsolved") {
        return Ok(None);
    }
    let position: Position = position.parse().context("the position")?;
    Ok(Some(Sample {
        board: position.board,
        question: question.parse()?,
        nodes,
    }))
}
