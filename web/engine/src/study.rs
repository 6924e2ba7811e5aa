//! Games of any text, and their analyses, as JSON.

use emilia::analysis::page::{GameReport, MoveReport};
use emilia::analysis::people::People;
use emilia::analysis::table::result_text;
use emilia::analysis::{Judged, analyze};
use emilia::binding::read_games;
use emilia::eval::Evaluator;
use emilia::formats::ggf::GgfGame;
use emilia::formats::line::side_hint;
use emilia::formats::opening_names;
use emilia::formats::transcript::parse_pasted;
use emilia::human::Rating;
use emilia::rules::{Color, Game, Position};
use emilia::search::{Control, Effort, SearchOptions, Searcher};
use serde::Deserialize;
use serde_json::{Value, json};

/// Games of one text that are read; a page shows no more.
const MOST_GAMES: usize = 1000;

/// Errors and warnings of one text that are told.
const MOST_REMARKS: usize = 20;

/// Why there is no analysis.
const STOPPED: &str = "the analysis was stopped";

/// The games of a text or file: its kind, the games, and what cannot be read.
pub(crate) fn games(bytes: Vec<u8>) -> String {
    let mut read = read_games(bytes, MOST_GAMES);
    read.errors.truncate(MOST_REMARKS);
    read.warnings.truncate(MOST_REMARKS);
    let games = read.games.iter();
    let games: Vec<_> = games.map(|(ggf, place)| of_game(ggf, place)).collect();
    let lacks_side = read.errors.iter().any(|error| !side_hint(error).is_empty());
    let found = json!({
        "kind": read.kind,
        "games": games,
        "more": read.more,
        "errors": read.errors,
        "warnings": read.warnings,
        "lacksSide": lacks_side,
    });
    found.to_string()
}

fn of_game(ggf: &GgfGame, place: &str) -> Value {
    json!({
        "black": ggf.black.name,
        "white": ggf.white.name,
        "event": ggf.place,
        "date": ggf.date,
        "place": place,
        "start": ggf.game.start().to_string(),
        "moves": ggf.game.transcript(),
        "result": result_text(ggf.game.position().result_for_black()),
    })
}

/// What is to be analysed, and how hard.
#[derive(Deserialize)]
struct Request {
    /// `startpos`, or 64 cells and the side to move.
    start: String,
    /// A transcript: `f5d6c3`, with or without passes.
    moves: String,
    depth: u32,
    exact: u32,
    wld: u32,
    hash_mb: usize,
    /// What players of this rating, 1 to 3000, find is to be said as well; 0 is none; it needs the model of people.
    rating: Option<u16>,
    #[serde(default)]
    black: String,
    #[serde(default)]
    white: String,
}

impl Request {
    /// Players of the rating, on both sides.
    fn people(&self) -> Result<Option<People>, String> {
        let Some(elo) = self.rating.filter(|&elo| elo > 0) else {
            return Ok(None);
        };
        if elo > Rating::MAX_ELO {
            return Err(format!("expected a number 1 to {}", Rating::MAX_ELO));
        }
        let people = People::new([Some(Rating::new(elo.into())); 2]);
        people.map(Some).map_err(|error| error.to_string())
    }

    fn game(&self) -> Result<Game, String> {
        if self.start == "startpos" {
            return parse_pasted(&self.moves).map_err(|error| error.to_string());
        }
        let start: Position = self.start.parse().map_err(|_| "no such position")?;
        let mut game = Game::new(start);
        for at in (0..self.moves.len()).step_by(2) {
            let name = self.moves.get(at..at + 2).ok_or("no such move")?;
            let name = if name == "--" { "pass" } else { name };
            let mv = name.parse().map_err(|_| "no such move")?;
            game.accept(mv).map_err(|error| error.to_string())?;
        }
        Ok(game)
    }
}

/// Analyses a game. `report` gets `{"judged": ..}` for each position, from the last one, and then `{"report": ..}` or
/// `{"error": ..}`.
pub(crate) fn analysis(request: &[u8], report: &mut dyn FnMut(&str)) {
    let done = match analyzed(request, report) {
        Ok(game) => json!({ "report": game }),
        Err(error) => json!({ "error": error }),
    };
    report(&done.to_string());
}

fn analyzed(request: &[u8], report: &mut dyn FnMut(&str)) -> Result<GameReport, String> {
    let request: Request = serde_json::from_slice(request).map_err(|error| error.to_string())?;
    let game = request.game()?;
    let people = request.people()?;
    let control = Control::new();
    let options = SearchOptions {
        threads: 1,
        hash_mb: request.hash_mb,
    };
    let mut searcher =
        Searcher::new(Evaluator::embedded(), options).map_err(|error| error.to_string())?;
    let effort = Effort {
        depth: request.depth.clamp(1, 60),
        exact: request.exact,
        wld: request.wld,
        time: None,
    };
    let verdicts = analyze(&mut searcher, &game, &effort, &control, &mut |judged| {
        report(&json!({ "judged": of_judged(&judged) }).to_string());
    });
    let verdicts = verdicts.ok_or(STOPPED)?;
    let mut game_report = GameReport {
        source: String::new(),
        result: result_text(game.position().result_for_black()),
        opening: opening_names::of_game(&game).map(Into::into),
        black: request.black,
        white: request.white,
        black_strength: None,
        white_strength: None,
        moves: verdicts.iter().map(MoveReport::from).collect(),
    };
    if let Some(people) = people {
        let found = people.judge(&mut searcher, &verdicts, None, &control);
        game_report.note_people(&verdicts, &found.ok_or(STOPPED)?);
    }
    Ok(game_report)
}

/// A position's score for Black.
fn of_judged(judged: &Judged) -> Value {
    let discs = judged.worth.score.to_f64();
    let black = if judged.side == Color::Black {
        discs
    } else {
        -discs
    };
    json!({ "moves": judged.moves, "black": black, "exact": judged.worth.is_exact })
}
