//! A run: the lines of an input, answered on all threads, in a file or on standard output.
//!
//! Three kinds of threads: one reads lines into the queue, workers answer them, and the one that
//! has begun the run writes the answers in the order of the input. What is read ahead is bounded,
//! so an input of any length runs in the same memory. [`SolveRun`] has the steps: open, start, write, finish.

mod answering;
mod check;
mod counted;
mod outlook;
mod output;
mod proof;
mod written;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};

pub(crate) use counted::Counted;
pub(crate) use outlook::Outlook;
pub(crate) use output::{Output, note_of};
pub(crate) use written::Style;

use answering::{Answering, Answers};
use output::{OBF, UNORDERED};
use proof::Prover;
use written::Format;

use super::answer::OBF_HEAD;
use super::cache::{Cache, RunCache};
use super::input::{
    Before, Earlier, Feeder, Job, Order, Part, Reader, Seen, Task, Wanted, names_of,
};
use super::pool::{self, Plan, SolveQueue};
use super::queue::QueueOptions;
use super::resume::{Done, InputHash, Milestones, Run};
use super::shard::Shard;
use super::solver::{Method, Solver, Store};
use crate::eval::Evaluator;
use crate::files::{FileKind, OutputFile, UsedFiles};
use crate::proof::make::{Effort, LEAF_EMPTIES};
use crate::search::{Counts, SearchOptions};
use crate::threads::{self, Stack};

const STATISTICS: FileKind = FileKind {
    name: "the counts of a run",
    is: |head| head.starts_with(b"{"),
};

/// What a run is to do.
#[derive(Debug)]
pub(crate) struct RunOptions {
    /// The files of the input; none: standard input.
    pub(crate) files: Vec<PathBuf>,
    /// How they are read.
    pub(crate) reader: Reader,
    /// The part of the lines that is answered.
    pub(crate) shard: Option<Shard>,
    /// The threads and the memory of their tables.
    pub(crate) plan: Plan,
    /// Megabytes for what is remembered.
    pub(crate) memo_mb: usize,
    /// How positions are solved.
    pub(crate) method: Method,
    /// Compare answers with what their lines know.
    pub(crate) check: bool,
    /// Also the bound of a proof of who wins.
    pub(crate) score_bound: bool,
    /// Count what the searches do.
    pub(crate) counters: bool,
    /// Answers as they come.
    pub(crate) unordered: bool,
    /// Answers that may wait behind a slow one.
    pub(crate) max_behind: usize,
    pub(crate) style: Style,
    /// Where the answers go; `None`: standard output.
    pub(crate) output: Option<PathBuf>,
    /// Continue the output.
    pub(crate) resume: bool,
    /// Earlier answers, which are copied.
    pub(crate) retry: Option<PathBuf>,
    pub(crate) cache: Option<PathBuf>,
    /// Where proofs go.
    pub(crate) proof: Option<PathBuf>,
    /// Where the counts go.
    pub(crate) stats: Option<PathBuf>,
}

impl RunOptions {
    /// Can the output of such a run be continued?
    fn check_resume(&self) -> anyhow::Result<()> {
        if !self.resume || !self.unordered {
            return Ok(());
        }
        // Which lines have an answer is known by their numbers alone.
        if self.style == Style::Obf {
            bail!(
                "answers that are not in order cannot be continued in OBF, which has no numbers of lines"
            );
        }
        let is_twice = |(number, file)| self.files[..number].contains(file);
        if self.files.iter().enumerate().any(is_twice) {
            bail!("answers that are not in order cannot be continued where a file is named twice");
        }
        Ok(())
    }

    /// What the answers of the run depend on.
    fn note(&self, evaluator: &Evaluator) -> Run {
        let question = self.reader.question;
        let flag = |is_on: bool| is_on.then(|| "yes".to_owned());
        let hash = self.plan.deterministic.then_some(self.plan.hash_mb);
        let options = [
            ("question", Some(question.to_string())),
            ("score-bound", flag(self.score_bound)),
            ("deterministic", flag(self.plan.deterministic)),
            ("json", flag(self.style == Style::Json)),
            (OBF, flag(self.style == Style::Obf)),
            ("all-moves", flag(self.method.all_moves)),
            ("check", flag(self.check)),
            ("reference", flag(self.method.reference)),
            ("retry", flag(self.retry.is_some())),
            (UNORDERED, flag(self.unordered)),
            ("proof", flag(self.proof.is_some())),
            ("hash", hash.map(|megabytes| megabytes.to_string())),
            (
                "max-nodes",
                self.method.max_nodes.map(|nodes| nodes.to_string()),
            ),
            (
                "max-time",
                self.method
                    .max_time
                    .map(|time| time.as_secs_f64().to_string()),
            ),
            ("shard", self.shard.map(|shard| shard.to_string())),
            (
                "empties",
                self.reader.empties.map(|empties| empties.to_string()),
            ),
            ("side", self.reader.side.map(|side| side.to_string())),
        ];
        let options = options
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), value?)));
        Run::new(evaluator, options.collect::<BTreeMap<_, _>>())
    }

    /// How the answers stand in the output.
    const fn order(&self) -> Order {
        match (self.style, self.unordered) {
            (Style::Obf, _) => Order::Obf,
            (_, true) => Order::Any,
            _ => Order::Input,
        }
    }

    /// What a copied answer has to have.
    fn wanted(&self) -> Wanted {
        Wanted {
            json: self.style == Style::Json,
            moves: self.method.all_moves,
            verdict: self.check,
            score_bound: self.score_bound,
        }
    }

    fn open_output(
        &self,
        evaluator: &Evaluator,
        used: &mut UsedFiles,
    ) -> anyhow::Result<(Output, Done)> {
        let (mut output, done) = match &self.output {
            None => (Output::Standard(io::stdout().lock()), Done::default()),
            Some(path) => {
                self.check_resume()?;
                Output::open(path, self.resume, self.note(evaluator), used, &self.files)?
            }
        };
        if self.style == Style::Obf && done.answers == 0 {
            output.begin(OBF_HEAD)?;
        }
        Ok((output, done))
    }

    fn open_prover(&self, used: &mut UsedFiles) -> anyhow::Result<Option<Prover>> {
        let effort = Effort {
            nodes: self.method.max_nodes,
            time: self.method.max_time,
        };
        let path = self.proof.as_ref();
        path.map(|path| Prover::open(path, used, effort, self.resume))
            .transpose()
    }

    fn solver(&self, cache: Option<Arc<RunCache>>) -> Solver {
        let method = Method {
            noted_wins: self.proof.is_some().then_some(u32::from(LEAF_EMPTIES)),
            ..self.method
        };
        let mut solver = Solver::new(method, self.memo_mb, self.plan.deterministic);
        solver.store = cache.map(|cache| cache as Arc<dyn Store>);
        solver.counts = self.counters.then(Mutex::default);
        solver
    }
}

/// What went wrong with the input, and what the output had.
type Read = (Vec<anyhow::Error>, Seen);

/// A run, see the module.
pub(crate) struct SolveRun {
    options: RunOptions,
    start: Instant,
    evaluator: Arc<Evaluator>,
    output: Output,
    /// What the output has already.
    done: Arc<Done>,
    stats: Option<OutputFile>,
    cache: Option<Arc<RunCache>>,
    answering: Arc<Answering>,
    queue: Arc<SolveQueue<Job, Answers>>,
    milestones: Arc<Milestones>,
    reading: Option<JoinHandle<Result<Read, String>>>,
}

/// What a run has come to.
pub(crate) struct Summary {
    pub(crate) counted: Counted,
    pub(crate) errors: Vec<anyhow::Error>,
    /// What the searches counted, where they did.
    pub(crate) counts: Option<Counts>,
    /// What the output had before.
    seen: Seen,
}

impl Summary {
    /// Was something wrong with the input, or with a result?
    pub(crate) fn has_faults(&self) -> bool {
        !self.errors.is_empty() || self.counted.has_faults() || self.seen.faults > 0
    }

    /// Lines of the whole output that have no result within their limits.
    pub(crate) fn unsolved(&self) -> u64 {
        self.counted.unsolved() + self.seen.unsolved
    }
}

impl SolveRun {
    /// Opens all files but the input.
    ///
    /// # Errors
    /// If one cannot be used, or there is no memory for the hash tables.
    pub(crate) fn open(options: RunOptions) -> anyhow::Result<SolveRun> {
        let start = Instant::now();
        // Before threads take some of the memory: the error names the size that was asked for.
        SearchOptions {
            threads: 1,
            hash_mb: options.plan.hash_mb,
        }
        .check()?;
        let evaluator = Evaluator::embedded();
        let mut used = UsedFiles::reading(options.files.iter().chain(&options.retry));
        // It is written as well, and what else is written may not be it.
        options.cache.iter().try_for_each(|path| used.claim(path))?;
        let (output, done) = options.open_output(&evaluator, &mut used)?;
        let stats = options.stats.as_ref();
        let stats = stats
            .map(|path| used.output(path, STATISTICS))
            .transpose()?;
        let prover = options.open_prover(&mut used)?;
        let cache = options.cache.as_deref().map(Cache::open).transpose()?;
        let cache = cache.map(|cache| Arc::new(RunCache::new(cache)));
        let answering = Arc::new(Answering {
            solver: Arc::new(options.solver(cache.clone())),
            prover,
            check: options.check,
            format: Format {
                style: options.style,
                files: names_of(&options.files),
                score_bound: options.score_bound,
                times: !options.plan.deterministic,
            },
        });
        let queue = QueueOptions {
            ordered: !options.unordered,
            max_behind: options.max_behind,
            sharing: !options.plan.deterministic && !options.method.reference,
        };
        Ok(SolveRun {
            queue: Arc::new(SolveQueue::new(options.plan.workers(), queue)),
            options,
            start,
            evaluator,
            output,
            done: Arc::new(done),
            stats,
            cache,
            answering,
            milestones: Arc::default(),
            reading: None,
        })
    }

    fn part(&self) -> Part {
        Part::new(self.options.shard, &self.evaluator, &self.done)
    }

    /// How long the run will take, where that can be known: of a retry nobody knows how much is copied; of a pipe,
    /// how much will come.
    pub(crate) fn outlook(&self) -> Option<Outlook> {
        let RunOptions {
            files,
            retry,
            reader,
            ..
        } = &self.options;
        let are_files = || files.iter().all(|path| path.is_file());
        let is_known = !files.is_empty() && retry.is_none() && are_files();
        is_known.then(|| Outlook::new(reader, files, self.part()))
    }

    /// Starts the threads. `watch` sees each line that is to be answered.
    ///
    /// # Errors
    /// If there is no memory, or no thread, or an earlier output cannot be read.
    pub(crate) fn start(
        &mut self,
        watch: impl FnMut(&Task) + Send + 'static,
    ) -> anyhow::Result<()> {
        let (output, count) = (self.options.output.as_ref(), self.done.answers);
        let before = output.filter(|_| count > 0);
        let before = before.map(|path| Before::open(path, count, self.options.order()));
        let earlier = self.options.retry.as_ref();
        let earlier = earlier.map(|path| Earlier::open(path, self.options.wanted()));
        let feeder = Feeder {
            queue: Arc::clone(&self.queue),
            jobs: Vec::new(),
            part: self.part(),
            hash: output.map(|_| InputHash::default()),
            milestones: Arc::clone(&self.milestones),
            earlier: earlier.transpose()?,
            before: before.transpose()?,
            files: names_of(&self.options.files),
            watch: Box::new(watch),
            error: None,
        };
        let (queue, files) = (Arc::clone(&self.queue), self.options.files.clone());
        let reader = self.options.reader.clone();
        let read = move || queue.guarded(|| feeder.read(&reader, &files));
        let reading = threads::spawn("input", Stack::Small, read);
        self.reading = Some(reading.context("cannot start a thread")?);
        // After the reader: they take all threads that there are.
        let (solver, answering) = (&self.answering.solver, Arc::clone(&self.answering));
        let answer = move |searcher: &mut _, jobs, control: &_| {
            answering.answer_all(searcher, jobs, control)
        };
        pool::start_solvers(&self.queue, solver, &self.options.plan, answer)?;
        Ok(())
    }

    /// Writes the answers as they become ready. `progress` is called now and then.
    ///
    /// # Errors
    /// If they cannot be written.
    pub(crate) fn write_answers(
        &mut self,
        mut progress: impl FnMut(&Counted),
    ) -> anyhow::Result<Counted> {
        /// Time after which progress is shown even if no answer has come.
        const PATIENCE: Duration = Duration::from_secs(1);
        let mut counted = Counted::default();
        let (mut ready, mut text) = (Vec::new(), Vec::new());
        while self.queue.next_answers(&mut ready, PATIENCE) {
            text.clear();
            let before = counted.answers();
            for answers in ready.drain(..) {
                text.extend_from_slice(&answers.text);
                counted.add(&answers.counted);
            }
            if !text.is_empty() {
                let count = counted.answers() - before;
                self.output.write(&text, count, &self.milestones)?;
            }
            progress(&counted);
        }
        Ok(counted)
    }

    /// Ends a run that has written what it `counted`.
    ///
    /// # Errors
    /// If its end cannot be noted.
    pub(crate) fn finish(&mut self, counted: Counted) -> anyhow::Result<Summary> {
        self.output.finish()?;
        let (mut errors, mut seen) = (Vec::new(), Seen::default());
        let reading = self.reading.take();
        if let Some(fault) = self.queue.fault() {
            // The reader may wait for ever, and nobody waits for it.
            errors.push(anyhow!(
                "a thread of the program has failed: {fault}; what was answered before is written"
            ));
        } else if let Some(Ok(Ok(read))) = reading.map(JoinHandle::join) {
            (errors, seen) = read;
        }
        errors.extend(self.cache.as_ref().and_then(|cache| cache.finish().err()));
        Ok(Summary {
            counted,
            errors,
            counts: self.answering.solver.counts(),
            seen,
        })
    }

    /// Writes the counts, where they are wanted.
    ///
    /// # Errors
    /// If they cannot be written.
    pub(crate) fn write_statistics(self, counted: &Counted) -> anyhow::Result<()> {
        let Some(file) = self.stats else {
            return Ok(());
        };
        let note = self.options.note(&self.evaluator);
        let report = counted::report(
            counted,
            &note,
            self.options.plan.threads,
            self.start.elapsed(),
        )?;
        file.write(|out| writeln!(out, "{report}"))?;
        Ok(())
    }
}
