//! `emilia dataset`: labelled samples from games.

use std::collections::HashSet;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use anyhow::{Context, anyhow};
use clap::Args;
use indicatif::ProgressBar;
use rayon::prelude::*;

use super::files;
use crate::eval::{Evaluator, PHASES, phase};
use crate::formats::read_all;
use crate::formats::transcript::{self, Transcript};
use crate::random::SplitMix64;
use crate::rules::Board;
use crate::training::labels::{self, Facts, Judgement};
use crate::training::selfplay::Origin;
use crate::training::solver::Solver;
use crate::training::{Sample, sample};

/// Empties at which the scores of WTHOR's second column are exact.
const WTHOR_EMPTIES: u32 = 24;

/// Openings are in every game; only later positions tell whether games are kept apart.
const OPENING_EMPTIES: u32 = 44;

/// Games that one job of a thread takes.
const GAMES_PER_JOB: usize = 500;

/// The arguments of `emilia dataset`.
#[derive(Args, Debug)]
pub struct Arguments {
    /// Where to write the samples to fit
    #[arg(long, value_name = "FILE")]
    train: PathBuf,
    /// Where to write the samples held out
    #[arg(long, value_name = "FILE")]
    validation: Option<PathBuf>,
    /// Hold out the games of these years, such as 2019-2022
    #[arg(long, value_name = "YEARS", value_parser = years)]
    validation_years: Option<RangeInclusive<u32>>,
    /// Hold out one of N other games, drawn by the seed; 0 holds out none
    #[arg(long, value_name = "N", default_value_t = 0)]
    validation_one_of: u64,
    /// Seed of that draw
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Solve positions from this many empties on
    #[arg(long, value_name = "EMPTIES", default_value_t = 12)]
    solve: u32,
    /// Leave out of the samples to fit every position of these samples as well, openings
    /// aside; for games made from others of which some are held out
    #[arg(long, value_name = "FILE")]
    exclude: Vec<PathBuf>,
    /// Search earlier positions to this depth, and take the mean of what the search and
    /// the game say; 0 does not search
    #[arg(long, value_name = "DEPTH", default_value_t = 0)]
    search: u32,
    /// Weights to search with instead of the embedded ones
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// Threads [default: all cores]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Games, one transcript a line (`.gz` is unpacked): `moves score`, then nothing,
    /// `year theoretical` as of WTHOR, or `random R exact E` as of self-play
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

fn years(text: &str) -> Result<RangeInclusive<u32>, String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    match (first.parse(), last.parse()) {
        (Ok(first), Ok(last)) if first <= last => Ok(first..=last),
        _ => Err("expected a year or two, such as 2019-2022".to_owned()),
    }
}

/// What the note after a game says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Note {
    None,
    Tournament { year: u32, theoretical: i32 },
    SelfPlay(Origin),
}

impl Note {
    fn read(note: &str) -> Note {
        if let Ok(origin) = note.parse() {
            return Note::SelfPlay(origin);
        }
        let mut words = note.split_ascii_whitespace();
        let year = words.next().and_then(|word| word.parse().ok());
        let theoretical = words.next().and_then(|word| word.parse().ok());
        match year.zip(theoretical) {
            Some((year, theoretical)) => Note::Tournament { year, theoretical },
            None => Note::None,
        }
    }

    fn facts(self, result: Option<i32>) -> Facts {
        let plain = Facts {
            result,
            ..Facts::default()
        };
        match self {
            Note::None => plain,
            Note::Tournament { theoretical, .. } => Facts {
                known: Some((WTHOR_EMPTIES, theoretical)),
                ..plain
            },
            Note::SelfPlay(origin) => Facts {
                random: origin.random,
                perfect: origin.exact,
                ..plain
            },
        }
    }
}

/// Reads the games, labels their positions, and writes the two files.
///
/// # Errors
/// If a file cannot be read or written, or a game is not legal.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let games = read_games(&arguments.files)?;
    let (held_out, fitted): (Vec<_>, Vec<_>) = games
        .into_iter()
        .enumerate()
        .partition(|(number, game)| arguments.holds_out(*number as u64, game));
    let bar = files::progress_bar((held_out.len() + fitted.len()) as u64, "games");
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(arguments.threads.map_or(0, NonZeroUsize::get))
        .build()?;
    let labelling = Labelling {
        solve: arguments.solve,
        search: arguments.search,
        evaluator: match &arguments.weights {
            Some(path) => Arc::new(Evaluator::load(path)?),
            None => Evaluator::embedded(),
        },
    };
    let mut excluded = Vec::new();
    for path in &arguments.exclude {
        excluded.append(&mut files::read_samples(path)?);
    }
    let (validation, train) = pool.install(|| -> anyhow::Result<_> {
        let validation = sample::merge(label(&held_out, &labelling, &bar)?);
        let train = sample::merge(label(&fitted, &labelling, &bar)?);
        let train = without(without(train, &validation), &excluded);
        Ok((validation, train))
    })?;
    bar.finish_and_clear();

    files::create(&arguments.train, |file| sample::write(file, &train))?;
    if let Some(path) = &arguments.validation {
        files::create(path, |file| sample::write(file, &validation))?;
    }
    let mut out = io::stdout().lock();
    writeln!(out, "games {} held out {}", fitted.len(), held_out.len())?;
    writeln!(out, "phase\tsamples\tvalidation")?;
    for ((phase, train), validation) in (0..).zip(counts(&train)).zip(counts(&validation)) {
        writeln!(out, "{phase}\t{train}\t{validation}")?;
    }
    writeln!(out, "all\t{}\t{}", train.len(), validation.len())?;
    Ok(ExitCode::SUCCESS)
}

impl Arguments {
    /// Is game `number` for validation?
    fn holds_out(&self, number: u64, game: &Transcript) -> bool {
        if let (Some(years), Note::Tournament { year, .. }) =
            (&self.validation_years, Note::read(&game.note))
        {
            return years.contains(&year);
        }
        let draw = SplitMix64::new(self.seed ^ number.rotate_left(32)).next_u64();
        self.validation_one_of != 0 && draw.is_multiple_of(self.validation_one_of)
    }
}

fn read_games(paths: &[PathBuf]) -> anyhow::Result<Vec<Transcript>> {
    let mut games = Vec::new();
    for path in paths {
        let read = read_all(files::open(path)?, transcript::parse_line);
        games.extend(read.with_context(|| format!("cannot read {}", path.display()))?);
    }
    Ok(games)
}

/// How positions get their scores.
struct Labelling {
    /// Empties from which on they are solved.
    solve: u32,
    /// Depth to which the others are searched; 0: not at all.
    search: u32,
    evaluator: Arc<Evaluator>,
}

impl Labelling {
    fn judge(&self, solver: &mut Solver, board: Board) -> Judgement {
        if board.empty_count() <= self.solve {
            Judgement::Exact(solver.solve(board))
        } else if self.search > 0 {
            Judgement::Estimate(solver.estimate(board, self.search))
        } else {
            Judgement::Unknown
        }
    }
}

/// The samples of `games`.
fn label(
    games: &[(usize, Transcript)],
    labelling: &Labelling,
    bar: &ProgressBar,
) -> anyhow::Result<Vec<Sample>> {
    let idle: Mutex<Vec<Solver>> = Mutex::default();
    let lost = || anyhow!("a labelling thread failed");
    let labelled: anyhow::Result<Vec<Vec<Sample>>> = games
        .par_chunks(GAMES_PER_JOB)
        .map(|job| {
            let waiting = idle.lock().map_err(|_| lost())?.pop();
            let mut solver = match waiting {
                Some(solver) => solver,
                None => Solver::new(Arc::clone(&labelling.evaluator))?,
            };
            let mut samples = Vec::new();
            for (_, Transcript { game, score, note }) in job {
                let facts = Note::read(note).facts(*score);
                samples.extend(labels::samples(game, &facts, |board| {
                    labelling.judge(&mut solver, board)
                }));
                bar.inc(1);
            }
            idle.lock().map_err(|_| lost())?.push(solver);
            Ok(samples)
        })
        .collect();
    Ok(labelled?.concat())
}

/// `samples` without the positions that also stand in `others`, openings aside.
fn without(mut samples: Vec<Sample>, others: &[Sample]) -> Vec<Sample> {
    let late = |sample: &&Sample| sample.board.empty_count() <= OPENING_EMPTIES;
    let seen: HashSet<Board> = others.iter().filter(late).map(|s| s.board).collect();
    samples.retain(|sample| !seen.contains(&sample.board));
    samples
}

/// Samples in each phase.
fn counts(samples: &[Sample]) -> [usize; PHASES] {
    let mut counts = [0; PHASES];
    for sample in samples {
        counts[phase(sample.board.empty_count())] += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_say_where_a_game_comes_from() {
        let wthor = Note::Tournament {
            year: 1977,
            theoretical: 18,
        };
        assert_eq!(Note::read("1977 +18"), wthor);
        assert_eq!(Note::read(""), Note::None);
        assert!(matches!(Note::read("random 3 exact 14"), Note::SelfPlay(_)));
    }

    #[test]
    fn excluded_positions_are_left_out_but_for_openings() {
        let late = Board::new(0xffff_ffff, 0xff_0000_0000).expect("disjoint");
        let sample = |board| Sample {
            board,
            score: 0.0,
            weight: 1.0,
        };
        let samples = vec![sample(Board::START), sample(late)];
        let kept = without(samples.clone(), &samples);
        assert_eq!(kept, [sample(Board::START)]);
    }

    #[test]
    fn years_are_one_or_a_range() {
        assert_eq!(years("2019-2022"), Ok(2019..=2022));
        assert_eq!(years("2019"), Ok(2019..=2019));
        assert!(years("2022-2019").is_err());
    }
}
