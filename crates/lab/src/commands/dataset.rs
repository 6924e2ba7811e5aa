//! `emilia-lab dataset`: labelled samples from games.

use std::collections::HashSet;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::ensure;
use clap::Args;
use rayon::prelude::*;

use crate::training::labels::{self, Judgement};
use crate::training::{Sample, positions, sample};
use emilia::commands::Exit;
use emilia::commands::files::{self, MaybeOutput};
use emilia::commands::progress::Progress;
use emilia::eval::Evaluator;
use emilia::files::UsedFiles;
use emilia::formats::corpus::SourceGame;
use emilia::random::SplitMix64;
use emilia::rules::{Board, Game};
use emilia::search::{SearchOptions, Searcher, Searchers, TableError};

/// Openings are in every game; only later positions show whether games are kept apart.
const OPENING_EMPTIES: u32 = 44;

/// Games that one job of a thread takes.
const GAMES_PER_JOB: usize = 500;

/// Positions that one job of a thread takes.
const POSITIONS_PER_JOB: usize = 2000;

/// The arguments of `emilia-lab dataset`.
#[derive(Args, Debug)]
pub struct Arguments {
    /// Where to write the samples to fit
    #[arg(long, value_name = "FILE")]
    train: PathBuf,
    /// Where to write the samples held out
    #[arg(long, value_name = "FILE")]
    validation: Option<PathBuf>,
    /// Hold out one in N of the games, drawn by the seed; 0 holds out none
    #[arg(long, value_name = "N", default_value_t = 0, requires = "validation")]
    validation_one_of: u64,
    /// Seed of that draw
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Solve positions from this many empties on
    #[arg(long, value_name = "EMPTIES", default_value_t = 12)]
    solve: u32,
    /// Also leave every position of these samples out of the samples to fit, except openings: for
    /// games made from others of which some are held out
    #[arg(long, value_name = "FILE")]
    exclude: Vec<PathBuf>,
    /// Search earlier positions to this depth, and take the mean of what the search and
    /// the game say; 0 does not search
    #[arg(long, value_name = "DEPTH", default_value_t = 0)]
    search: u32,
    /// Search the positions of self-play too, instead of taking the scores that it kept
    #[arg(long, requires = "search")]
    search_again: bool,
    /// Plies before the outcome of a game is known at which the score of a search (of --search, or
    /// kept by self-play) counts as much as the outcome; nearer to it the search counts less
    #[arg(long, value_name = "PLIES", default_value_t = 20.0, value_parser = positive)]
    even: f64,
    /// Weights to search with instead of the embedded ones
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// Add all positions from the start to this ply, searched as --search says
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(..=12))]
    openings: Option<u32>,
    /// Add this many positions of 8 to 16 empties from random games, solved
    #[arg(long, value_name = "N", default_value_t = 0)]
    endgames: usize,
    /// Add this many positions a few plies off the games of --perturb, where one side moves at
    /// random: solved, or searched as --search says
    #[arg(long, value_name = "N", default_value_t = 0, requires = "perturb")]
    perturbed: usize,
    /// Add this many leaves of searches of 6 to 9 plies of positions of the games of --perturb: boards
    /// whose estimate, within 8 discs of what the search asked, decided something; solved, or
    /// searched as --search says
    #[arg(long, value_name = "N", default_value_t = 0, requires = "perturb")]
    leaves: usize,
    /// Games for --perturbed and --leaves, which are not labelled themselves
    #[arg(long, value_name = "FILE")]
    perturb: Vec<PathBuf>,
    /// Weight of each position that is not from games; one from games weighs 1
    #[arg(long, value_name = "WEIGHT", default_value_t = 1.0, value_parser = positive)]
    weight: f64,
    /// Threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = emilia::commands::at_least_one)]
    threads: Option<NonZeroUsize>,
    /// Games: those of `emilia-lab selfplay`, files of any kind that `analyze` reads, or transcripts, one a
    /// line: `moves score`, then nothing or `year theoretical` as of WTHOR
    files: Vec<PathBuf>,
}

fn positive(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| *number > 0.0);
    number.ok_or_else(|| "expected a number above 0".to_owned())
}

/// Reads the games, labels their positions, and writes the two files.
///
/// # Errors
/// If a file cannot be read or written, or a game is not legal.
pub fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    ensure!(
        arguments.search > 0
            || arguments.openings.is_none() && arguments.perturbed == 0 && arguments.leaves == 0,
        "--openings, --perturbed and --leaves need --search, with a depth above 0"
    );
    let mut used = UsedFiles::reading(arguments.inputs());
    let train_file = used.output(&arguments.train, sample::KIND)?;
    let validation_file = arguments.validation.as_ref();
    let validation_file = MaybeOutput::open(&mut used, validation_file, sample::KIND)?;
    let games = files::read_games(&arguments.files)?;
    let perturb = arguments.games_to_perturb()?;
    let progress = Progress::new(games.len() as u64, "games", 0);
    let (held_out, fitted): (Vec<_>, Vec<_>) = games
        .into_iter()
        .enumerate()
        .partition(|(number, _)| arguments.holds_out(*number as u64));
    let pool = files::working_pool(arguments.threads)?;
    let evaluator = files::evaluator(arguments.weights.as_deref())?;
    let excluded = super::read_samples(&arguments.exclude)?;
    let labeller = Labeller {
        arguments,
        evaluator,
    };
    let (validation, train) = pool.install(|| -> anyhow::Result<_> {
        let validation = sample::merge(labeller.label(&held_out, &progress)?);
        let mut train = labeller.label(&fitted, &progress)?;
        let positions = arguments.positions(&perturb, &labeller.evaluator)?;
        train.append(&mut labeller.judge_all(&positions)?);
        let train = without(sample::merge(train), &validation);
        Ok((validation, without(train, &excluded)))
    })?;
    drop(progress);

    let train_written = train_file.write(|file| sample::write(file, &train));
    let validation_written = validation_file.write(|file| sample::write(file, &validation));
    print(fitted.len(), held_out.len(), [&train, &validation])?;
    train_written?;
    validation_written?;
    Ok(Exit::SUCCESS)
}

/// The numbers of games and, by phase, of samples, tab-separated.
fn print(fitted: usize, held_out: usize, samples: [&[Sample]; 2]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "games {fitted} held out {held_out}")?;
    writeln!(out, "phase\tsamples\tvalidation")?;
    let [train, validation] = samples.map(sample::counts);
    for (phase, (train, validation)) in train.iter().zip(validation).enumerate() {
        writeln!(out, "{phase}\t{train}\t{validation}")?;
    }
    writeln!(out, "all\t{}\t{}", samples[0].len(), samples[1].len())
}

impl Arguments {
    /// All files that are read.
    fn inputs(&self) -> impl Iterator<Item = &PathBuf> {
        let games = self.files.iter().chain(&self.perturb);
        games.chain(&self.exclude).chain(&self.weights)
    }

    /// The games of `--perturb`, one of which has a move where positions are drawn off them.
    fn games_to_perturb(&self) -> anyhow::Result<Vec<Game>> {
        let games = files::read_games(&self.perturb)?;
        let games: Vec<Game> = games.into_iter().map(|source| source.game).collect();
        ensure!(
            self.perturbed == 0 && self.leaves == 0 || positions::any_move(&games),
            "the files of --perturb hold no game with a move"
        );
        Ok(games)
    }

    /// The positions to fit that are not from the games that are labelled; `games` are those of
    /// `--perturb`.
    fn positions(
        &self,
        games: &[Game],
        evaluator: &Arc<Evaluator>,
    ) -> Result<Vec<Board>, TableError> {
        let mut boards = self.openings.map_or(Vec::new(), positions::openings);
        boards.append(&mut positions::endgames(self.endgames, self.seed));
        let (count, seed) = (self.perturbed, self.seed);
        boards.append(&mut positions::perturbed(games, count, seed, evaluator));
        boards.append(&mut self.leaves(games, evaluator)?);
        Ok(boards)
    }

    /// The leaves of searches.
    fn leaves(&self, games: &[Game], evaluator: &Arc<Evaluator>) -> Result<Vec<Board>, TableError> {
        let mut random = SplitMix64::new(self.seed);
        let jobs = self.leaves.div_ceil(POSITIONS_PER_JOB);
        let seeds: Vec<u64> = (0..jobs).map(|_| random.next_u64()).collect();
        let draw = |&seed: &u64| -> Result<Vec<Board>, TableError> {
            let mut searcher = Searcher::counting(Arc::clone(evaluator), SearchOptions::SMALL)?;
            let count = POSITIONS_PER_JOB;
            Ok(positions::leaves(games, count, seed, &mut searcher))
        };
        let drawn: Result<Vec<_>, _> = seeds.par_iter().map(draw).collect();
        let mut boards = drawn?.concat();
        boards.truncate(self.leaves);
        Ok(boards)
    }

    /// Is game `number` for validation?
    fn holds_out(&self, number: u64) -> bool {
        let draw = SplitMix64::new(self.seed ^ number.rotate_left(32)).next_u64();
        self.validation_one_of != 0 && draw.is_multiple_of(self.validation_one_of)
    }
}

/// Gives positions their scores.
struct Labeller<'a> {
    arguments: &'a Arguments,
    evaluator: Arc<Evaluator>,
}

impl Labeller<'_> {
    /// What `board` is worth for the side to move, in discs: solved near the end, otherwise
    /// searched.
    fn value(&self, solver: &mut Searcher, board: Board) -> f64 {
        match board.empty_count() {
            0..=16 => f64::from(solver.solve(board)),
            _ => solver.estimate(board, self.arguments.search),
        }
    }

    /// `kept` is the score of the search behind the move that was played, where it is known.
    fn judge(&self, solver: &mut Searcher, board: Board, kept: Option<i8>) -> Judgement {
        let search = self.arguments.search;
        match kept.filter(|_| !self.arguments.search_again) {
            _ if board.empty_count() <= self.arguments.solve => {
                Judgement::Exact(solver.solve(board))
            }
            Some(score) => Judgement::Estimate(f64::from(score)),
            None if search > 0 => Judgement::Estimate(solver.estimate(board, search)),
            None => Judgement::Unknown,
        }
    }

    /// Samples of `boards`, each worth what a solve or a search says.
    fn judge_all(&self, boards: &[Board]) -> Result<Vec<Sample>, TableError> {
        let judge = |boards: &[Board]| {
            let mut solver = Searcher::small(Arc::clone(&self.evaluator))?;
            let sample = |&board: &Board| Sample {
                board,
                score: self.value(&mut solver, board) as f32,
                weight: self.arguments.weight as f32,
            };
            Ok(boards.iter().map(sample).collect())
        };
        let judged: Result<Vec<Vec<_>>, _> =
            boards.par_chunks(POSITIONS_PER_JOB).map(judge).collect();
        Ok(judged?.concat())
    }

    /// The samples of `games`.
    fn label(
        &self,
        games: &[(usize, SourceGame)],
        progress: &Progress,
    ) -> Result<Vec<Sample>, TableError> {
        let solvers = Searchers::new(Arc::clone(&self.evaluator));
        let samples_of = |job: &[(usize, SourceGame)], solver: &mut Searcher| {
            let mut samples = Vec::new();
            for (_, SourceGame { game, facts }) in job {
                let judge = |board, kept| self.judge(solver, board, kept);
                samples.extend(labels::samples(game, facts, self.arguments.even, judge));
                progress.step();
            }
            samples
        };
        let jobs = games.par_chunks(GAMES_PER_JOB);
        let labelled: Result<Vec<_>, _> = jobs
            .map(|job| solvers.with(|solver| samples_of(job, solver)))
            .collect();
        Ok(labelled?.concat())
    }
}

/// `samples` without the positions that are also in `others`, except openings.
fn without(mut samples: Vec<Sample>, others: &[Sample]) -> Vec<Sample> {
    let late = |sample: &&Sample| sample.board.empty_count() <= OPENING_EMPTIES;
    let seen: HashSet<Board> = others.iter().filter(late).map(|s| s.board).collect();
    samples.retain(|sample| !seen.contains(&sample.board));
    samples
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn kept_scores_count_unless_boards_are_searched_again() {
        #[derive(clap::Parser)]
        struct Command {
            #[command(flatten)]
            arguments: Arguments,
        }
        let mut searcher = Searcher::small(Evaluator::embedded()).expect("memory");
        let mut judge = |words: &str, kept| {
            let words = format!("dataset --train x --solve 0 --search 1 {words}");
            let command = <Command as clap::Parser>::parse_from(words.split_whitespace());
            let labeller = Labeller {
                arguments: &command.arguments,
                evaluator: Evaluator::embedded(),
            };
            labeller.judge(&mut searcher, Board::START, kept)
        };
        let searched = judge("", None);
        assert_eq!(judge("", Some(64)), Judgement::Estimate(64.0));
        assert_eq!(judge("--search-again", Some(64)), searched);
    }
}
