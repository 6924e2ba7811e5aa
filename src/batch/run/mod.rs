//! A run: the lines of an input, answered on all threads, in a file or on standard output.
//!
//! Three kinds of threads: one reads lines into the queue, workers answer them, and the one that
//! has begun the run writes the answers in the order of the input. What is read ahead is bounded,
//! so an input of any length runs in the same memory. [`SolveRun`] has the steps: open, start, write, finish.

mod answering;
mod check;
mod counted;
mod options;
mod outlook;
mod output;
mod proof;

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};

pub(crate) use counted::Counted;
pub(crate) use options::RunOptions;
pub(crate) use outlook::Outlook;
pub(crate) use output::{Output, note_of};

use answering::{Answering, Answers};
use proof::Prover;

use super::cache::{Cache, RunCache};
use super::input::{Before, Earlier, Feeder, Part, Seen, Task, Wanted};
use super::pool::{self, SolveQueue};
use super::resume::{Done, InputHash, Milestones, Run};
use super::solver::{Solver, Store};
use crate::eval::Evaluator;
use crate::files::{FileKind, OutputFile, UsedFiles};
use crate::proof::make::ProofLimits;
use crate::search::{Counts, SearchOptions};
use crate::threads::{self, Stack};

const STATISTICS: FileKind = FileKind {
    name: "the counts of a run",
    is: |head| head.starts_with(b"{"),
};

/// What went wrong with the input, and what the output had.
type Read = (Vec<anyhow::Error>, Seen);

pub(crate) struct SolveRun {
    options: RunOptions,
    start: Instant,
    evaluator: Arc<Evaluator>,
    output: Output,
    /// What the output has already.
    done: Done,
    stats: Option<OutputFile>,
    cache: Option<Arc<RunCache>>,
    answering: Arc<Answering>,
    queue: Arc<SolveQueue<Task, Answers>>,
    milestones: Arc<Milestones>,
    reading: Option<JoinHandle<Result<Read, String>>>,
}

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
    pub(crate) fn open(options: RunOptions) -> anyhow::Result<SolveRun> {
        let start = Instant::now();
        // Before threads take some of the memory: the error names the size that was asked for.
        SearchOptions {
            threads: 1,
            hash_mb: options.plan.hash_mb,
        }
        .check()?;
        let evaluator = Evaluator::embedded();
        let mut used = UsedFiles::reading(options.input.files.iter().chain(&options.retry));
        // It is written as well, and what else is written may not be it.
        options.cache.iter().try_for_each(|path| used.claim(path))?;
        let note = Run::new(&evaluator, options.named.clone());
        let (output, done) = match &options.output {
            None => (Output::standard(&note)?, Done::default()),
            Some(path) => Output::open(path, options.resume, note, &mut used)?,
        };
        let stats = options.stats.as_ref();
        let stats = stats
            .map(|path| used.output(path, STATISTICS))
            .transpose()?;
        let limits = ProofLimits {
            nodes: options.method.max_nodes,
            time: options.method.max_time,
        };
        let prover = options.proof.as_ref();
        let prover = prover.map(|path| Prover::open(path, &mut used, limits, options.resume));
        let prover = prover.transpose()?;
        let cache = options.cache.as_deref().map(Cache::open).transpose()?;
        let cache = cache.map(|cache| Arc::new(RunCache::new(cache)));
        let mut solver = Solver::new(options.method, options.memo_mb, options.plan.deterministic);
        solver.store = cache.clone().map(|cache| cache as Arc<dyn Store>);
        solver.counts = options.counters.then(Mutex::default);
        let answering = Arc::new(Answering {
            solver: Arc::new(solver),
            cache: cache.clone(),
            prover,
            check: options.check,
            format: options.format.clone(),
        });
        Ok(SolveRun {
            queue: Arc::new(SolveQueue::new(options.plan.workers(), options.queue)),
            options,
            start,
            evaluator,
            output,
            done,
            stats,
            cache,
            answering,
            milestones: Arc::default(),
            reading: None,
        })
    }

    fn part(&self) -> Part {
        Part::new(self.options.shard, &self.evaluator, self.done)
    }

    /// How long the run will take, where that can be known: of a retry nobody knows how much is copied; of a pipe,
    /// how much will come.
    pub(crate) fn outlook(&self) -> Option<Outlook> {
        let input = &self.options.input;
        let are_files = || input.files.iter().all(|path| path.is_file());
        let is_known = !input.files.is_empty() && self.options.retry.is_none() && are_files();
        is_known.then(|| Outlook::new(input.clone(), self.part()))
    }

    /// Starts the threads. `watch` sees each line that is to be answered.
    pub(crate) fn start(
        &mut self,
        watch: impl FnMut(&Task) + Send + 'static,
    ) -> anyhow::Result<()> {
        let (output, count) = (self.options.output.as_ref(), self.done.answers);
        let before = output.filter(|_| count > 0);
        let format = &self.options.format;
        let before = before.map(|path| Before::open(path, count, format.style));
        let wanted = Wanted {
            style: format.style,
            moves: self.options.method.all_moves,
            verdict: self.options.check,
            score_bound: format.score_bound,
        };
        let earlier = self.options.retry.as_ref();
        let earlier = earlier.map(|path| Earlier::open(path, wanted));
        let feeder = Feeder {
            queue: Arc::clone(&self.queue),
            tasks: Vec::new(),
            part: self.part(),
            hash: output.map(|_| InputHash::default()),
            milestones: Arc::clone(&self.milestones),
            earlier: earlier.transpose()?,
            before: before.transpose()?,
            files: self.options.input.names(),
            format: format.clone(),
            is_proven: {
                let answering = Arc::clone(&self.answering);
                Box::new(move |problem| {
                    let prover = answering.prover.as_ref();
                    prover.is_none_or(|prover| prover.has(problem))
                })
            },
            watch: Box::new(watch),
            error: None,
        };
        let (queue, input) = (Arc::clone(&self.queue), self.options.input.clone());
        let read = move || queue.guarded(|| feeder.read(&input));
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

    /// Writes the answers as they become ready, until there are no more or no proof can be written or the cache used
    /// any more.
    /// `progress` is called now and then.
    pub(crate) fn write_answers(
        &mut self,
        mut progress: impl FnMut(&Counted),
    ) -> anyhow::Result<Counted> {
        /// Time after which progress is shown even if no answer has come.
        const PATIENCE: Duration = Duration::from_secs(1);
        let mut counted = Counted::default();
        let (mut ready, mut text) = (Vec::new(), Vec::new());
        let mut replaced = BTreeMap::new();
        let mut is_over = false;
        while !is_over {
            is_over = !self.queue.next_answers(&mut ready, PATIENCE);
            is_over |= ready.is_empty() && self.answering.has_failed();
            text.clear();
            let mut count = 0;
            for answers in ready.drain(..) {
                text.extend_from_slice(&answers.text);
                count += answers.count;
                replaced.extend(answers.replaced);
                counted.add(&answers.counted);
                if answers.are_last {
                    is_over = true;
                    break;
                }
            }
            // They come before all others, and the output is written anew for them.
            if !replaced.is_empty() && (count > 0 || is_over) {
                self.output.replace(&std::mem::take(&mut replaced))?;
            }
            if !text.is_empty() {
                self.output.write(&text, count, &self.milestones)?;
            }
            progress(&counted);
        }
        Ok(counted)
    }

    /// Ends a run that has written what it `counted`.
    pub(crate) fn finish(&mut self, counted: Counted) -> anyhow::Result<Summary> {
        self.output.finish()?;
        let (mut errors, mut seen) = (Vec::new(), Seen::default());
        // Where the run has failed, the reader may wait for ever, and nobody waits for it.
        let has_failed = self.answering.has_failed();
        let reading = self.reading.take().filter(|_| !has_failed);
        if let Some(fault) = self.queue.fault() {
            errors.push(anyhow!(
                "a thread of the program has failed: {fault}; what was answered before is written"
            ));
        } else if let Some(Ok(Ok(read))) = reading.map(JoinHandle::join) {
            (errors, seen) = read;
        }
        errors.extend((self.answering.prover.as_ref()).and_then(|prover| prover.finish().err()));
        errors.extend(self.cache.as_ref().and_then(|cache| cache.finish().err()));
        Ok(Summary {
            counted,
            errors,
            counts: self.answering.solver.counts(),
            seen,
        })
    }

    pub(crate) fn write_statistics(self, counted: &Counted) -> anyhow::Result<()> {
        let Some(file) = self.stats else {
            return Ok(());
        };
        let note = Run::new(&self.evaluator, self.options.named);
        let threads = self.options.plan.threads;
        let report = counted::report(counted, &note, threads, self.start.elapsed())?;
        file.write(|out| writeln!(out, "{report}"))?;
        Ok(())
    }
}
