//! `emilia book jobs` and `take`: the searches that a book wants, by other machines.

use std::io::{BufReader, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhow::{Context, anyhow, ensure};
use clap::Args;

use super::growing::{Preferences, left, played};
use super::{BookFile, counted, say};
use crate::batch::answer::{Answer, Answers, asked, parse_asked};
use crate::batch::problem::{Problem, Solution};
use crate::book::jobs::{self, BookJob};
use crate::book::{BookLeaf, BookWriter, Certainty, Tree};
use crate::commands::files::open;
use crate::commands::{Exit, at_least_one};
use crate::rules::{Color, Move, Position};
use crate::score::{Question, Score};

/// The arguments of `emilia book jobs`.
#[derive(Args, Debug)]
pub(super) struct Jobs {
    #[command(flatten)]
    file: BookFile,
    /// Lines, each with one search
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    count: NonZeroUsize,
    #[command(flatten)]
    preferences: Preferences,
}

pub(super) fn jobs(arguments: &Jobs) -> anyhow::Result<Exit> {
    let games = arguments.preferences.games()?;
    let mut tree = arguments.file.load()?;
    let played = played(&tree, games);
    let expansion = arguments.preferences.expansion()?;
    let jobs = jobs::jobs(&mut tree, &expansion, &played, arguments.count.get());
    if jobs.is_empty() {
        say("0 searches: the book has all that is wanted of it");
    }
    let mut out = std::io::stdout().lock();
    for job in jobs {
        let problem = problem_of(job);
        let (position, asked) = (problem.position, asked(problem.question, problem.moves));
        // The name comes back with the answer, and says what it is about.
        writeln!(out, "{position}\t{asked}\t{position} {asked}")?;
    }
    out.flush()?;
    Ok(Exit::SUCCESS)
}

/// A search as the question of a line.
fn problem_of(job: BookJob) -> Problem {
    let position = Position {
        board: job.board,
        side: Color::Black,
    };
    let only = Some(job.moves).filter(|&moves| moves != job.board.legal_moves());
    Problem::new(position, Question::Exact).about(only)
}

/// The arguments of `emilia book take`.
#[derive(Args, Debug)]
pub(super) struct Take {
    #[command(flatten)]
    file: BookFile,
    /// The answers of `emilia solve --depth N` to lines of `emilia book jobs`, as text or JSON
    #[arg(value_name = "ANSWERS", required = true)]
    answers: Vec<PathBuf>,
}

pub(super) fn take(arguments: &Take) -> anyhow::Result<Exit> {
    let (mut results, mut without) = (Vec::new(), 0);
    for path in &arguments.answers {
        let name = path.display().to_string();
        let mut answers = Answers::new(name, BufReader::new(open(path)?));
        while let Some(mut answer) = answers.next_answer()? {
            let read = result(&mut answer);
            let found =
                read.with_context(|| format!("{}, line {}", answers.name, answers.number))?;
            without += usize::from(found.is_none());
            results.extend(found);
        }
        if answers.is_cut {
            log::warn!("{}: the last line is cut off, and left out", answers.name);
        }
    }
    let mut writer = BookWriter::open_existing(&arguments.file.book)?;
    let taken = jobs::take(&mut writer, &results)?;
    writer.compact()?;
    let tree = Tree::load(writer.book())?;
    let of = results.len();
    say(format_args!(
        "{taken} of {} taken: {}{}",
        counted(of, "result"),
        counted(tree.len(), "position"),
        left(tree.unsearched())
    ));
    let unused = of - taken;
    if unused + without > 0 {
        log::warn!(
            "left out: {}, which the book knows better or cannot use any more, and {} without a result",
            counted(unused, "result"),
            counted(without, "answer")
        );
    }
    Ok(Exit::SUCCESS)
}

/// What an answer says, which has to fit what its name says that it is about. `None`: it has no result.
fn result(answer: &mut Answer) -> anyhow::Result<Option<(BookJob, BookLeaf)>> {
    let name = answer.last_field().map(str::to_owned);
    let asked = name.as_deref().and_then(|name| {
        let (position, asked) = name.split_at_checked(POSITION_LENGTH)?;
        let position: Position = position.parse().ok()?;
        let asked = parse_asked(asked.strip_prefix(' ')?, position.board).ok()?;
        Some((position, asked))
    });
    let (position, (question, only)) =
        asked.ok_or_else(|| anyhow!("this is no answer to a line of emilia book jobs"))?;
    let problem = Problem {
        name: name.map(Into::into),
        ..Problem::new(position, Question::Exact).about(only)
    };
    let found = answer.fits_content(Some(&problem), &[], Some(question))?;
    answer.check_question(found, Some(Question::Exact))?;
    let job = BookJob {
        board: position.board,
        moves: only.unwrap_or(position.board.legal_moves()),
    };
    let leaf = leaf(answer, position);
    let is_asked = leaf.is_none_or(|leaf| job.moves.contains(leaf.square));
    ensure!(
        is_asked,
        "the best move is none of those that were asked about"
    );
    Ok(leaf.map(|leaf| (job, leaf)))
}

/// Characters of a position: its cells, a space, and the side to move.
const POSITION_LENGTH: usize = 66;

fn leaf(answer: &Answer, position: Position) -> Option<BookLeaf> {
    let Solution {
        bounds, estimate, ..
    } = answer.solution;
    let Some(Move::Place(square)) = answer.solution.best() else {
        return None;
    };
    if !answer.says_score {
        return None;
    }
    let (score, depth) = match estimate {
        Some(estimate) => estimate,
        None => (
            Score::from_discs(bounds.score()?),
            position.board.empty_count(),
        ),
    };
    Some(BookLeaf {
        square,
        score,
        certainty: Certainty::of_bounds(bounds),
        depth: depth as u8,
    })
}
