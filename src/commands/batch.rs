//! `emilia batch`: what is needed around `solve` where several machines share the work.

mod probe;

use std::collections::HashSet;
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::{Args, Subcommand};

use super::Exit;
use super::files::open;
use crate::batch::answer::{Answer, Answers};
use crate::batch::cache::Cache;
use crate::batch::estimate::{Model, Sample, fit};
use crate::batch::input::{PositionReader, Sink, Task};
use crate::batch::merge::{Merger, PartOutput};
use crate::batch::problem::Problem;
use crate::batch::resume::Run;
use crate::batch::run::note_of;
use crate::batch::shard::{Parts, Shard};
use crate::batch::split::{Judge, Leaf, Moves, Outlook, STATE_HEAD, Split, board_of};
use crate::engine::bench;
use crate::eval::Evaluator;
use crate::eval::probcut::Horizon;
use crate::files::{FileKind, UsedFiles};
use crate::rules::{Board, Color, Position};
use crate::score::Question;
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
    /// Estimate what a proof of many claims costs, by random lines through its tree: prints lines for `solve`, and when all
    /// are answered the nodes of the whole
    Probe(probe::Arguments),
    /// Fit the estimate of nodes to the answers of solves by this program, in JSON; prints src/batch/estimate.json
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
    /// Answers of `solve --json`, one thread a position
    #[arg(required = true)]
    answers: Vec<PathBuf>,
}

fn probability(text: &str) -> Result<f64, String> {
    let parsed = text.parse().ok();
    parsed
        .filter(|probability| (0.0..=1.0).contains(probability))
        .ok_or_else(|| "expected a number from 0 to 1".to_owned())
}

const STATE: FileKind = FileKind {
    name: "the state of a split",
    is: |head| head.starts_with(STATE_HEAD.as_bytes()) || head.starts_with(b"{\"position\""),
};

/// Runs the subcommand.
///
/// # Errors
/// If a file cannot be used, or does not fit.
pub fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    match &arguments.command {
        Command::Merge(arguments) => merge(arguments),
        Command::MergeCaches(arguments) => merge_caches(arguments),
        Command::Split(arguments) => begin(arguments),
        Command::Join(arguments) => join(arguments),
        Command::Probe(arguments) => probe::run(arguments),
        Command::Fit(arguments) => fit_model(arguments),
    }
}

/// Asks for the answer of each line.
struct Collector<W> {
    files: Vec<String>,
    merger: Merger<Box<dyn BufRead + Send>>,
    /// To which part each line belongs, where that can be known.
    parts: Option<(Parts, Arc<Evaluator>)>,
    out: W,
    error: Option<anyhow::Error>,
}

impl<W: Write> Sink for Collector<W> {
    fn take(&mut self, line: &[u8], task: Task) -> bool {
        // Another file of the input may follow the one where it ended.
        if self.error.is_some() {
            return false;
        }
        let part = self
            .parts
            .as_mut()
            .map(|(parts, evaluator)| parts.next(task.estimate(evaluator).nodes as u64));
        let line = task.line(line, &self.files);
        let stated = line.question().filter(|_| task.states_question);
        self.error = self.merger.write(&line, stated, part, &mut self.out).err();
        self.error.is_none()
    }
}

fn merge(arguments: &Merge) -> anyhow::Result<Exit> {
    let outputs = arguments.outputs.iter().map(|path| {
        let name = path.display().to_string();
        PartOutput::open(name, open(path)?, shard_of(path))
    });
    let merger = Merger::new(outputs.collect::<anyhow::Result<_>>()?);
    let input = PositionReader {
        files: arguments.input.clone(),
        question: Question::Exact,
        empties: arguments.empties,
        side: arguments.side,
    };
    let mut collector = Collector {
        files: input.names(),
        parts: merger
            .parts()
            .map(|count| (Parts::new(count), Evaluator::embedded())),
        merger,
        out: io::BufWriter::new(io::stdout().lock()),
        error: None,
    };
    let errors = input.read(&mut collector);
    collector.out.flush()?;
    if let Some(error) = collector.error.into_iter().chain(errors).next() {
        return Err(error);
    }
    let seen = collector.merger.finish()?;
    Ok(Exit::of_answers(seen.faults > 0, seen.unsolved))
}

/// The part of the input that an output is of, if the note beside it says so.
fn shard_of(output: &Path) -> Option<Shard> {
    let note = std::fs::read(note_of(output)).ok()?;
    let run: Run = serde_json::from_slice(&note).ok()?;
    run.options.get("shard")?.parse().ok()
}

fn merge_caches(arguments: &MergeCaches) -> anyhow::Result<Exit> {
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
    Ok(Exit::SUCCESS)
}

/// What a look at the moves of a board may cost, as a part of the solve that it may save.
const JUDGE_SHARE: f64 = 1.0 / 64.0;

/// The least and the most nodes of such a look.
const JUDGE_NODES: (f64, f64) = (2e5, 1e7);

fn judge() -> anyhow::Result<Searcher> {
    let options = SearchOptions {
        threads: 1,
        hash_mb: 64,
    };
    Ok(Searcher::new(Evaluator::embedded(), options)?)
}

/// Judges moves by a search that costs little beside the solve, and leaves by the estimate.
impl Judge for Searcher {
    fn moves(&mut self, board: Board) -> Moves {
        let nodes = JUDGE_SHARE * self.nodes(board, Question::Wld);
        let limits = Limits {
            nodes: Some(nodes.clamp(JUDGE_NODES.0, JUDGE_NODES.1) as u64),
            multipv: 64,
            ..Limits::default()
        };
        // The scores must not depend on what was searched before: rounds go on in other processes.
        self.forget();
        let outcome = self.search(board, &limits, &Control::new(), &mut |_| {});
        let depth = outcome.lines.iter().map(|line| line.depth).min();
        let found = outcome.lines.iter().filter_map(|line| {
            let square = line.pv.first()?.square()?;
            Some((square.to_string(), line.score.to_f64()))
        });
        let mut scores: Vec<(String, f64)> = found.collect();
        // A move that the search had no time for is the last to be tried.
        for mv in board.legal_moves().into_iter().map(|mv| mv.to_string()) {
            if scores.iter().all(|(found, _)| *found != mv) {
                scores.push((mv, -64.0));
            }
        }
        let probcut = self.evaluator().probcut();
        Moves {
            scores,
            sigma: probcut.sigma(board.empty_count(), depth.unwrap_or(0), Horizon::End),
        }
    }

    fn nodes(&mut self, board: Board, claim: Question) -> f64 {
        Model::embedded().nodes(self.evaluator(), board, claim)
    }
}

fn begin(arguments: &Begin) -> anyhow::Result<Exit> {
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
    let leaves = split.split_to(arguments.to, &mut judge()?)?;
    save(&split, &arguments.state, &[])?;
    show(&split, &leaves)
}

fn join(arguments: &Join) -> anyhow::Result<Exit> {
    let mut split = read_split(&arguments.state)?;
    let (names, mut unsolved) = (split.names()?, HashSet::new());
    for path in &arguments.answers {
        let is_cut = read_answers(path, |answer| {
            learn(&mut split, &names, answer, &mut unsolved)
        })?;
        if is_cut {
            let name = path.display();
            log::warn!("{name}: the last line has no end, and counts for nothing");
        }
    }
    let leaves = split.next_round(&unsolved, &mut judge()?)?;
    save(&split, &arguments.state, &arguments.answers)?;
    show(&split, &leaves)
}

/// Reads the state of a split.
pub(super) fn read_split(path: &Path) -> anyhow::Result<Split> {
    let name = path.display();
    let state = std::fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
    Split::parse(&state).with_context(|| format!("{name} is no state of a split, or damaged"))
}

/// Hands over the answers of a file. Is its last line cut off?
fn read_answers(
    path: &Path,
    mut take: impl FnMut(&mut Answer) -> anyhow::Result<()>,
) -> anyhow::Result<bool> {
    let mut answers = Answers::new(path.display().to_string(), open(path)?);
    while let Some(mut answer) = answers.next_answer()? {
        let place = || format!("{}, line {}", answers.name, answers.number);
        take(&mut answer).with_context(place)?;
    }
    Ok(answers.is_cut)
}

/// Takes an answer of `solve`, which is known by the name of its line: the board.
fn learn(
    split: &mut Split,
    names: &HashSet<String>,
    answer: &mut Answer,
    unsolved: &mut HashSet<String>,
) -> anyhow::Result<()> {
    let name = answer.last_field();
    let name = name.and_then(|name| Some((name.to_owned(), board_of(name)?)));
    let (name, board) = name.context("not the answer to a line of a split")?;
    if !names.contains(&name) {
        bail!("the answer to a line of another split: {name} is no board of this one");
    }
    if answer.is_error() {
        bail!("an error is no answer: {}", answer.text);
    }
    let position = Position {
        board,
        side: Color::Black,
    };
    let problem = Problem {
        name: Some(name.as_str().into()),
        ..Problem::new(position, Question::Exact)
    };
    answer.fits_content(Some(&problem), &[], None)?;
    split.learn(&name, answer.solution.bounds)?;
    if !answer.is_solved() {
        unsolved.insert(name);
    }
    Ok(())
}

fn save(split: &Split, path: &Path, inputs: &[PathBuf]) -> anyhow::Result<()> {
    let text = split.to_text()?;
    let file = UsedFiles::reading(inputs).output(path, STATE)?;
    file.write(|out| out.write_all(text.as_bytes()))?;
    Ok(())
}

/// Prints what is to be solved, or what is settled.
fn show(split: &Split, leaves: &[Leaf]) -> anyhow::Result<Exit> {
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
            return Ok(Exit::SUCCESS);
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
    Ok(Exit::UNSOLVED)
}

fn fit_model(arguments: &Fit) -> anyhow::Result<Exit> {
    let mut samples: Vec<Sample> = Vec::new();
    for path in &arguments.answers {
        read_answers(path, |answer| {
            samples.extend(sample(answer)?);
            Ok(())
        })?;
    }
    let evaluator = Evaluator::embedded();
    let curve = |name: &str, is_kind: fn(Question) -> bool| {
        let kind = samples.iter().filter(|sample| is_kind(sample.question));
        let kind: Vec<Sample> = kind.copied().collect();
        fit(&evaluator, &kind).with_context(|| format!("too few answers to {name} questions"))
    };
    let model = Model {
        signature: signature()?,
        exact: curve("exact", |question| question == Question::Exact)?,
        wld: curve("wld", |question| {
            matches!(question, Question::Wld | Question::Equal(_))
        })?,
        claim: curve("claim", |question| {
            matches!(question, Question::AtLeast(_) | Question::AtMost(_))
        })?,
    };
    let mut out = io::stdout().lock();
    serde_json::to_writer_pretty(&mut out, &model).map_err(io::Error::from)?;
    writeln!(out)?;
    Ok(Exit::SUCCESS)
}

/// The bench signature of this solver, which gave the answers.
fn signature() -> anyhow::Result<u64> {
    let total = bench::run(&mut bench::searcher(false)?, &Control::new(), &mut |_| {});
    Ok(total.context("nobody stops the bench")?.nodes)
}

/// What an answer tells of the nodes of a solve; nothing if it was not one.
fn sample(answer: &mut Answer) -> anyhow::Result<Option<Sample>> {
    if !answer.is_solved() {
        return Ok(None);
    }
    let stated = answer.position.zip(answer.asked);
    let (position, (question, moves)) = stated.context("expected JSON")?;
    let problem = Problem {
        name: answer.last_field().map(Into::into),
        ..Problem::new(position, question).about(moves)
    };
    answer.fits_content(Some(&problem), &[], None)?;
    Ok(Some(Sample {
        board: position.board,
        question,
        nodes: answer.solution.nodes,
    }))
}
