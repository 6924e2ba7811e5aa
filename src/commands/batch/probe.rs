//! `emilia batch probe`.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Context, anyhow, bail};
use clap::{ArgGroup, Args};

use super::{judge, read_answers};
use crate::batch::input::{PositionReader, Sink, Task};
use crate::batch::probe::{Guide, Probes, Replies, Stop};
use crate::batch::problem::Problem;
use crate::batch::split::Judge;
use crate::commands::Exit;
use crate::rules::{Bitboard, Board, Square};
use crate::score::Question;
use crate::search::{Control, Limits, Searcher};

#[derive(Args, Debug)]
#[command(group = ArgGroup::new("stop").required(true).multiple(true))]
pub(super) struct Arguments {
    /// End lines where a claim is estimated to cost so many nodes or fewer; several times to compare
    #[arg(long, value_name = "NODES", group = "stop", value_parser = nodes)]
    limit: Vec<f64>,
    /// End lines at so many empties
    #[arg(long, value_name = "N", group = "stop")]
    empties: Vec<u32>,
    /// Lines through the trees of the claims, spread evenly over these as they stand
    #[arg(long, value_name = "N", default_value = "100")]
    count: usize,
    /// Solve about so many of these alone, those that are most of the cost
    #[arg(long, value_name = "N", conflicts_with = "whole")]
    solve: Option<usize>,
    /// Seed of the random moves: other seeds, other lines
    #[arg(long, value_name = "SEED", default_value = "1")]
    seed: u64,
    /// Choose claims and replies half in proportion to their estimated nodes to this power; 0: by chance alone
    #[arg(long, value_name = "POWER", default_value = "0.5", value_parser = super::probability)]
    bias: f64,
    /// All lines, not random ones
    #[arg(long)]
    whole: bool,
    /// The side that claims plays what a search of so many plies prefers
    #[arg(long, value_name = "N", default_value = "12")]
    depth: u32,
    /// Answers of `solve` to the lines so far; those of other seeds count in what is printed at the end
    #[arg(long, value_name = "FILE")]
    answers: Vec<PathBuf>,
    /// Positions with claims in their second fields, as for `solve`
    #[arg(required = true)]
    claims: Vec<PathBuf>,
}

fn nodes(text: &str) -> Result<f64, String> {
    let nodes = text
        .parse()
        .ok()
        .filter(|nodes: &f64| *nodes >= 1.0 && nodes.is_finite());
    nodes.ok_or_else(|| "expected a number of nodes, such as 1e6".to_owned())
}

/// Prefers moves by a search that is the same in every run.
struct Adviser {
    searcher: Searcher,
    depth: u32,
    /// What was asked before.
    known: HashMap<(Board, Bitboard), Option<Square>>,
}

impl Guide for Adviser {
    fn prefer(&mut self, board: Board, among: Bitboard) -> Option<Square> {
        if among.count() <= 1 {
            return among.first();
        }
        let (searcher, limits) = (
            &mut self.searcher,
            Limits {
                depth: Some(self.depth),
                moves: Some(among),
                ..Limits::default()
            },
        );
        *self.known.entry((board, among)).or_insert_with(|| {
            searcher.forget();
            let outcome = searcher.search(board, &limits, &Control::new(), &mut |_| {});
            outcome.lines.first()?.pv.first()?.square()
        })
    }

    fn nodes(&mut self, board: Board, claim: Question) -> f64 {
        self.searcher.nodes(board, claim)
    }
}

/// The claims of an input.
#[derive(Default)]
struct Claims {
    claims: Vec<(Board, Question)>,
    error: Option<anyhow::Error>,
}

impl Sink for Claims {
    fn take(&mut self, _: &[u8], task: Task) -> bool {
        let place = task.place_text(&[]);
        let claim = match task.problem {
            Err(error) => Err(anyhow!("line {place}: {error}")),
            Ok(Problem {
                position,
                question,
                moves: None,
                ..
            }) if matches!(question, Question::AtLeast(_) | Question::AtMost(_)) => {
                Ok((position.board, question))
            }
            Ok(_) => Err(anyhow!(
                "line {place}: expected a claim such as >=0 in its second field"
            )),
        };
        match claim {
            Ok(claim) => self.claims.push(claim),
            Err(error) => self.error = Some(error),
        }
        self.error.is_none()
    }
}

/// Prints the lines that are to be solved, or what the probes say.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let mut claims = Claims::default();
    let input = PositionReader {
        files: arguments.claims.clone(),
        question: Question::Exact,
        empties: None,
        side: None,
    };
    let errors = input.read(&mut claims);
    if let Some(error) = claims.error.into_iter().chain(errors).next() {
        return Err(error);
    }
    let mut probes = Probes::default();
    for path in &arguments.answers {
        read_answers(path, |answer| {
            let name = answer
                .last_field()
                .context("an answer without a name")?
                .to_owned();
            let problem = Problem {
                name: Some(name.as_str().into()),
                ..Problem::new(Probes::position(&name)?, Question::Exact)
            };
            if answer.is_error() {
                bail!("an error is no answer: {}", answer.text);
            }
            let claim = answer.fits_content(Some(&problem), &[], None)?;
            let verdict = claim.and_then(|claim| claim.verdict(answer.solution.bounds));
            probes.learn(&name, verdict, answer.solution.nodes)
        })?;
    }
    let replies = match arguments.whole {
        true => Replies::All,
        false => Replies::One {
            seed: arguments.seed,
            bias: arguments.bias,
        },
    };
    let mut adviser = Adviser {
        searcher: judge()?,
        depth: arguments.depth,
        known: HashMap::new(),
    };
    let stops = arguments.limit.iter().map(|&nodes| Stop::Nodes(nodes));
    let stops: Vec<Stop> = stops
        .chain(
            arguments
                .empties
                .iter()
                .map(|&empties| Stop::Empties(empties)),
        )
        .collect();
    let open = probes.open(
        &claims.claims,
        (arguments.count, arguments.solve),
        &stops,
        replies,
        &mut adviser,
    )?;
    let mut out = io::BufWriter::new(io::stdout().lock());
    for end in &open {
        writeln!(out, "{end}")?;
    }
    if open.is_empty() {
        write!(out, "{}", probes.summary()?)?;
    }
    out.flush()?;
    Ok(if open.is_empty() {
        Exit::SUCCESS
    } else {
        Exit::UNSOLVED
    })
}
