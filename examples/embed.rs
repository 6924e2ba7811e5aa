//! The engine inside another program: a position from text, moves, a search, a solve.
//!
//! `cargo run --release --no-default-features --example embed`

#![expect(clippy::print_stdout, reason = "a program for a terminal")]

use std::error::Error;

use emilia::eval::Evaluator;
use emilia::rules::Position;
use emilia::search::{Control, Goal, Limits, SearchOptions, Searcher};

fn main() -> Result<(), Box<dyn Error>> {
    let options = SearchOptions {
        threads: 1,
        hash_mb: 16,
    };
    let mut searcher = Searcher::new(Evaluator::embedded(), options)?;

    let start: Position =
        "---------------------------OX------XO--------------------------- X".parse()?;
    println!(
        "{}moves: {:?}",
        start.diagram(),
        start.board.legal_moves().collect::<Vec<_>>()
    );
    println!(
        "static: {} discs",
        searcher.evaluator().evaluate(start.board).discs()
    );

    let limits = Limits {
        depth: Some(12),
        ..Limits::default()
    };
    let outcome = searcher.search(start.board, &limits, &Control::new(), &mut |info| {
        println!("depth {}: {} discs", info.depth, info.score.discs());
    });
    println!("best: {:?}, {} nodes", outcome.best, outcome.nodes);

    let endgame: Position =
        "-XXXXXX---XXXX-X--XXXOOX--XXOXXX-OOOXOXXXOOXXXXX-OOOXX---OOOOOO- O".parse()?;
    let limits = Limits {
        goal: Goal::Exact,
        ..Limits::default()
    };
    let outcome = searcher.search(endgame.board, &limits, &Control::new(), &mut |_| {});
    println!("exact: {:?}, {} nodes", outcome.proven, outcome.nodes);
    Ok(())
}
