//! Questions about some moves of a position: what several workers share of a solve.

use emilia::eval::Evaluator;
use emilia::rules::{Bitboard, Move, Position};
use emilia::score::Question;
use emilia::search::{Control, Goal, Info, Limits, SearchOptions, Searcher};
use serde::Deserialize;
use serde_json::{Value, json};

/// What is asked.
#[derive(Deserialize)]
struct Request {
    /// 64 cells and the side to move.
    position: String,
    /// `exact`, `wld`, or a claim such as `>=4`, for the side to move.
    question: String,
    /// The moves, of which the best is asked about.
    moves: Vec<String>,
    hash_mb: usize,
}

/// A searcher that keeps its table: the next question is about the same position.
#[derive(Default)]
pub(crate) struct Solver(Option<Searcher>);

impl Solver {
    /// Answers a question. `report` gets `{"seen": ..}` while it searches, then `{"proven": ..}` or `{"error": ..}`.
    pub(crate) fn answer(&mut self, request: &[u8], report: &mut dyn FnMut(&str)) {
        let done = match self.proven(request, report) {
            Ok(proven) => json!({ "proven": proven }),
            Err(error) => json!({ "error": error }),
        };
        report(&done.to_string());
    }

    fn proven(&mut self, request: &[u8], report: &mut dyn FnMut(&str)) -> Result<Value, String> {
        let request: Request =
            serde_json::from_slice(request).map_err(|error| error.to_string())?;
        let position: Position = request.position.parse().map_err(|_| "no such position")?;
        let question: Question = request.question.parse().map_err(|_| "no such question")?;
        let limits = Limits {
            goal: Goal::Solve(question),
            moves: Some(squares(&request.moves)?),
            warm: true,
            ..Limits::default()
        };
        let searcher = self.searcher(request.hash_mb)?;
        let outcome = searcher.search(position.board, &limits, &Control::new(), &mut |info| {
            report(&json!({ "seen": of_info(info) }).to_string());
        });
        if !outcome.complete {
            return Err("the search was stopped".to_owned());
        }
        let line = outcome.lines.first().map_or(&[][..], |info| &info.pv);
        Ok(json!({
            "lower": outcome.proven.lower(),
            "upper": outcome.proven.upper(),
            "nodes": outcome.nodes,
            "pv": names(line),
        }))
    }

    fn searcher(&mut self, hash_mb: usize) -> Result<&mut Searcher, String> {
        if self.0.is_none() {
            let options = SearchOptions {
                threads: 1,
                hash_mb,
            };
            let made = Searcher::new(Evaluator::embedded(), options);
            self.0 = Some(made.map_err(|error| error.to_string())?);
        }
        self.0.as_mut().ok_or_else(|| "no memory".to_owned())
    }
}

fn squares(names: &[String]) -> Result<Bitboard, String> {
    let mut squares = Bitboard::EMPTY;
    for name in names {
        let square = name.parse::<Move>().ok().and_then(Move::square);
        let square = square.ok_or_else(|| format!("no such move: {name}"))?;
        squares.0 |= square.bit();
    }
    Ok(squares)
}

fn names(line: &[Move]) -> Vec<String> {
    line.iter().map(ToString::to_string).collect()
}

fn of_info(info: &Info) -> Value {
    json!({
        "depth": info.depth,
        "score": info.score.to_f64(),
        "nodes": info.nodes,
        "pv": names(&info.pv),
    })
}
