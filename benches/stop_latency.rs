//! How soon `stop` is answered: the time from writing it to reading `bestmove`.
//!
//! Drives the real binary over its native protocol, as a host does, through searches
//! in the opening and in the middle game and through exact and win/loss/draw solves
//! of a position with 31 empties (or of a line of an OBF file), with 1 and 2 threads
//! or as many as are asked for, and with 1 and 4 lines of play. Each is stopped after a random time. Prints a
//! Markdown table of milliseconds, and each answer that came later than promised.
//!
//! ```sh
//! cargo bench --bench stop_latency -- --stops 1000
//! cargo bench --bench stop_latency -- --threads 64 --stops 1000
//! cargo bench --bench stop_latency -- --obf ffo/fforum-40-59.obf --line 16
//! ```

use std::io::{self, BufRead, BufReader, Write};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use clap::Parser;
use crossbeam_channel::{Receiver, unbounded};
use emilia::formats::obf;
use emilia::random::SplitMix64;
use emilia::text::{self, Lines};

/// The latency that PROTOCOL.md guarantees.
const PROMISE: Duration = Duration::from_millis(20);

/// The shortest and the longest time between `go` and `stop`, in microseconds.
const THINKING: RangeInclusive<u32> = 1_000..=60_000;

/// How long the engine may be silent before it counts as hung.
const WATCHDOG: Duration = Duration::from_secs(10);

/// A game of Emilia against itself at depth 11. Its first plies are the opening; 20 plies
/// on it is the middle game, and at its end the 31 empties take minutes to solve.
const GAME: &str = "f5 d6 c3 d3 c4 f4 c5 b3 c2 e6 b4 f3 e3 e2 g4 d2 g3 b6 f1 e1 f6 d1 f2 a3 a4 b5 \
                    a2 g1 d7";

/// Plies of [`GAME`] after which the opening and the middle game are searched.
const PLIES: (usize, usize) = (6, 20);

/// Latency of `stop`, by the kind of search
#[derive(Parser, Debug)]
struct Arguments {
    /// Stops in all
    #[arg(long, default_value_t = 1000)]
    stops: usize,
    /// Seed of the thinking times
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Numbers of threads, with commas between them
    #[arg(
        long,
        value_name = "N,..",
        value_delimiter = ',',
        default_value = "1,2"
    )]
    threads: Vec<usize>,
    /// Solve a position of this OBF file, instead of the built-in one
    #[arg(long, value_name = "FILE")]
    obf: Option<PathBuf>,
    /// The line of the position in the file, from 1
    #[arg(long, default_value_t = 1, requires = "obf")]
    line: usize,
    /// Given by `cargo bench`; without it, each kind of search is only tried once
    #[arg(long, hide = true)]
    bench: bool,
}

/// A kind of search.
struct Kind {
    name: &'static str,
    /// `position ..`
    position: String,
    /// `go ..`
    go: &'static str,
}

/// How a kind of search is run.
#[derive(Clone, Copy)]
struct Setting {
    threads: usize,
    lines: usize,
}

/// The settings for each of these numbers of threads.
fn settings(threads: &[usize]) -> Vec<Setting> {
    let with_lines = |&threads: &usize| [1, 4].map(|lines| Setting { threads, lines });
    threads.iter().flat_map(with_lines).collect()
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let kinds = kinds(&arguments)?;
    let settings = settings(&arguments.threads);
    let cells = kinds.len() * settings.len();
    let stops = if arguments.bench {
        arguments.stops
    } else {
        cells
    };
    let mut thinking = SplitMix64::new(arguments.seed);

    let mut out = io::stdout().lock();
    writeln!(
        out,
        "| search | threads | MultiPV | stops | p50 ms | p99 ms | max ms |"
    )?;
    writeln!(out, "|---|---|---|---|---|---|---|")?;
    let mut all = Vec::new();
    let mut late = Vec::new();
    for (at, (kind, setting)) in kinds
        .iter()
        .flat_map(|kind| settings.iter().map(move |&setting| (kind, setting)))
        .enumerate()
    {
        let mut engine = Engine::start()?;
        engine.set(setting)?;
        // The share of this cell when the stops are distributed evenly.
        let count = stops * (at + 1) / cells - stops * at / cells;
        let mut latencies = Vec::with_capacity(count);
        for _ in 0..count {
            let time = Duration::from_micros(thinking.within(THINKING).into());
            let latency = engine.stop_after(kind, time)?;
            if latency > PROMISE {
                late.push(format!(
                    "{} {} threads {} MultiPV {}: {:.1} ms, stopped after {:.1} ms",
                    kind.name,
                    kind.go,
                    setting.threads,
                    setting.lines,
                    milliseconds(latency),
                    milliseconds(time),
                ));
            }
            latencies.push(latency);
        }
        engine.quit()?;
        all.extend_from_slice(&latencies);
        let Setting { threads, lines } = setting;
        let summary = Summary::of(&mut latencies);
        writeln!(out, "| {} | {threads} | {lines} | {summary} |", kind.name)?;
    }
    writeln!(out, "| all | | | {} |", Summary::of(&mut all))?;
    for line in late {
        writeln!(out, "late: {line}")?;
    }
    Ok(())
}

/// The kinds of search, the last two of the position to solve.
fn kinds(arguments: &Arguments) -> anyhow::Result<[Kind; 4]> {
    let start = |plies: usize| {
        let moves: Vec<&str> = GAME.split_whitespace().take(plies).collect();
        format!("position startpos moves {}", moves.join(" "))
    };
    let hard = match &arguments.obf {
        Some(path) => format!("position board {}", position(path, arguments.line)?),
        None => start(usize::MAX),
    };
    Ok([
        Kind {
            name: "opening",
            position: start(PLIES.0),
            go: "go infinite",
        },
        Kind {
            name: "middle game",
            position: start(PLIES.1),
            go: "go infinite",
        },
        Kind {
            name: "exact",
            position: hard.clone(),
            go: "go exact",
        },
        Kind {
            name: "win/loss/draw",
            position: hard,
            go: "go wld",
        },
    ])
}

/// The position in a line of an OBF file, as `position board` reads it.
fn position(path: &Path, line: usize) -> anyhow::Result<String> {
    let file = text::open(path).with_context(|| format!("cannot open {}", path.display()))?;
    let mut lines = Lines::new(file);
    for _ in 1..line {
        lines.next_line()?;
    }
    let found = lines
        .next_line()?
        .with_context(|| format!("there is no line {line}"))?;
    let problem = found.text().and_then(obf::parse_line)?;
    Ok(problem
        .with_context(|| format!("no position in line {line}"))?
        .position
        .to_string())
}

/// The engine and its pipes.
struct Engine {
    child: Child,
    input: ChildStdin,
    /// Its answers, with the moment at which each was read.
    answers: Receiver<(Instant, String)>,
}

impl Engine {
    fn start() -> anyhow::Result<Engine> {
        let mut child = Command::new(env!("CARGO_BIN_EXE_emilia"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let input = child.stdin.take().context("no pipe to the engine")?;
        let output = child.stdout.take().context("no pipe from the engine")?;
        let (sender, answers) = unbounded();
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send((Instant::now(), line)).is_err() {
                    return;
                }
            }
        });
        Ok(Engine {
            child,
            input,
            answers,
        })
    }

    fn send(&mut self, line: &str) -> io::Result<()> {
        self.input.write_all(format!("{line}\n").as_bytes())
    }

    /// Waits for the answer that begins with `word`; when was it read?
    fn wait_for(&self, word: &str) -> anyhow::Result<Instant> {
        loop {
            let (time, line) = self
                .answers
                .recv_timeout(WATCHDOG)
                .with_context(|| format!("no {word}"))?;
            if line.starts_with("info string error") {
                bail!("the engine says {line}");
            }
            if line.split_whitespace().next() == Some(word) {
                return Ok(time);
            }
        }
    }

    fn set(&mut self, setting: Setting) -> io::Result<()> {
        self.send(&format!("setoption name Threads value {}", setting.threads))?;
        self.send(&format!("setoption name MultiPV value {}", setting.lines))
    }

    /// From `stop`, `thinking` after the `go` of `kind`, to its `bestmove`.
    fn stop_after(&mut self, kind: &Kind, thinking: Duration) -> anyhow::Result<Duration> {
        self.send("ucinewgame")?;
        self.send(&kind.position)?;
        self.send("isready")?;
        self.wait_for("readyok")?;
        self.send(kind.go)?;
        thread::sleep(thinking);
        let stopped = Instant::now();
        self.send("stop")?;
        let answered = self.wait_for("bestmove")?;
        answered
            .checked_duration_since(stopped)
            .with_context(|| format!("{} ended before its stop: take a harder position", kind.go))
    }

    fn quit(mut self) -> anyhow::Result<()> {
        self.send("quit")?;
        self.child.wait()?;
        Ok(())
    }
}

/// `stops | p50 | p99 | max`
struct Summary {
    count: usize,
    median: Duration,
    p99: Duration,
    max: Duration,
}

impl Summary {
    /// Sorts `times`; of none, all is zero.
    fn of(times: &mut [Duration]) -> Summary {
        times.sort_unstable();
        // The least time that so many percent do not exceed.
        let percentile = |percent: usize| {
            let rank = (times.len() * percent).div_ceil(100).max(1);
            times.get(rank - 1).copied().unwrap_or_default()
        };
        Summary {
            count: times.len(),
            median: percentile(50),
            p99: percentile(99),
            max: percentile(100),
        }
    }
}

impl std::fmt::Display for Summary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [median, p99, max] = [self.median, self.p99, self.max].map(milliseconds);
        write!(f, "{} | {median:.2} | {p99:.2} | {max:.2}", self.count)
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
