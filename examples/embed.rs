//! The engine inside another program: a position from text, moves, a search, a solve.
//!
//! `cargo run --release --no-default-features --example embed`

#![expect(clippy::print_stdout, reason = "a program for a terminal")]

use std::error::Error;

use emilia::eval::Evaluator;
use emilia::rules::{Move, Position};
use emilia::search::{Control, Goal, Limits, SearchOptions, Searcher};

fn main() -> Result<(), Box<dyn Error>> {
    let mut searcher = Searcher::new(Evaluator::embedded(), SearchOptions::default())?;

    let start: Position =
        "---------------------------OX------XO--------------------------- X".parse()?;
    let position = start.play("f5".parse()?).ok_or("illegal")?;
    println!("{}", position.diagram());
    let estimate = searcher.evaluator().evaluate(position.board);
    println!("{estimate} discs for the side to move, without a search");

    let limits = Limits {
        depth: Some(12),
        ..Limits::default()
    };
    let outcome = searcher.search(position.board, &limits, &Control::new(), &mut |info| {
        println!("depth {}: {} discs", info.depth, info.score);
    });
    let best = outcome.best.map_or("none", Move::name);
    println!("best: {best}, {} nodes", outcome.nodes);

    let endgame: Position =
        "-XXXXXX---XXXX-X--XXXOOX--XXOXXX-OOOXOXXXOOXXXXX-OOOXX---OOOOOO- O".parse()?;
    let limits = Limits {
        goal: Goal::EXACT,
        ..Limits::default()
    };
    let outcome = searcher.search(endgame.board, &limits, &Control::new(), &mut |_| {});
    println!("exact: {}, {} nodes", outcome.proven, outcome.nodes);
    Ok(())
}
