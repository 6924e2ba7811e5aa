//! What players of a stated strength find in the positions of a game, and how strong its players look.
//!
//! The model of what people play ([`human`](crate::human)) gives each legal move a share of such players. It wants what a search
//! of a few plies says of all moves, so each position is searched once more, to 8 plies. The same scores say
//! what the moves lose of which the analysis knows nothing; near the end all moves are solved.
//!
//! A move *goes wrong* if it loses two discs or more, the least that two exact scores can differ by.

use super::Verdict;
use super::remarks::{RatingFinding, WRONG};
use super::strength::{ELOS, SideReport};
use crate::host::Instant;
use crate::human::{Model, ModelError, MoveShare, Rating, players_model, search_values};
use crate::rules::{Board, Move, Square};
use crate::score::Score;
use crate::search::{Control, Goal, Info, Limits, Searcher};

/// Plies of the searches of all moves: those of the searches to which the model was fitted.
const DEPTH: u32 = 8;

/// Most empties of positions of which all moves are solved.
const SOLVED: u32 = 14;

/// Players of stated strength, and the model of what they play.
pub struct People {
    model: &'static Model,
    ratings: [Option<Rating>; 2],
}

/// What people have to do with the moves of one game.
#[derive(Clone, PartialEq, Debug)]
pub struct PeopleVerdicts {
    /// For each move; nothing where its side has no rating.
    pub findings: Vec<Option<RatingFinding>>,
    /// What the moves say of the strength of black and white, where a rating was stated.
    pub sides: [Option<SideReport>; 2],
}

/// What is known of the moves of a board, for the side to move.
type Values = Vec<(Square, Score)>;

impl People {
    /// Players of these ratings: black's, white's. A side without one is not judged.
    ///
    /// # Errors
    /// If the embedding program has to lend the model, and has not done so.
    pub fn new(ratings: [Option<Rating>; 2]) -> Result<People, ModelError> {
        let model = players_model()?;
        Ok(People { model, ratings })
    }

    /// What such players find in the positions of a game with these verdicts. After the `deadline` nothing is searched: shares
    /// are those of the model alone, and how hard a position is remains unknown. `None` if `control` stopped it.
    pub fn judge(
        &self,
        searcher: &mut Searcher,
        verdicts: &[Verdict],
        deadline: Option<Instant>,
        control: &Control,
    ) -> Option<PeopleVerdicts> {
        let new = |rating: Option<Rating>| rating.map(|rating| SideReport::new(elo(rating)));
        let mut sides = self.ratings.map(new);
        let mut findings = Vec::with_capacity(verdicts.len());
        for verdict in verdicts {
            if control.is_stopped() {
                return None;
            }
            let side = verdict.side() as usize;
            let (Some(rating), Some(report)) = (self.ratings[side], &mut sides[side]) else {
                findings.push(None);
                continue;
            };
            let is_late = deadline.is_some_and(|deadline| Instant::now() >= deadline);
            let searcher = (!is_late).then_some(&mut *searcher);
            findings.push(Some(
                self.finding(searcher, verdict, rating, report, control),
            ));
        }
        sides.iter_mut().flatten().for_each(SideReport::judge);
        (!control.is_stopped()).then_some(PeopleVerdicts { findings, sides })
    }

    /// What players of this `rating` find in one position; the move is added to what is known of its side.
    fn finding(
        &self,
        mut searcher: Option<&mut Searcher>,
        verdict: &Verdict,
        rating: Rating,
        report: &mut SideReport,
        control: &Control,
    ) -> RatingFinding {
        let board = verdict.position.board;
        if board.legal_moves().count() < 2 {
            return forced(rating, verdict.played);
        }
        let values = searcher
            .as_mut()
            .map(|searcher| search_values(searcher, board, DEPTH, control));
        let shares = |rating| self.model.probabilities(board, rating, values.as_deref());
        let played = |shares: &[MoveShare]| {
            let square = verdict.played.square();
            let share = square.and_then(|square| MoveShare::of(square, shares));
            share.map_or(0.0, f64::from)
        };
        report.add(ELOS.map(|elo| played(&shares(Rating::new(f32::from(elo))))));
        let shares = shares(rating);
        let solved = searcher.and_then(|searcher| solved_values(searcher, board, control));
        let hard = solved
            .as_ref()
            .or(values.as_ref())
            .map(|values| hard(verdict, &shares, values));
        RatingFinding {
            rating: elo(rating),
            share: played(&shares),
            hard,
            shares: shares
                .into_iter()
                .map(|share| (share.square, f64::from(share.probability)))
                .collect(),
        }
    }
}

/// What is found in a position with one move.
fn forced(rating: Rating, played: Move) -> RatingFinding {
    let square = played.square();
    RatingFinding {
        rating: elo(rating),
        share: 1.0,
        hard: Some(0.0),
        shares: square.map(|square| (square, 1.0)).into_iter().collect(),
    }
}

/// The share of players who lose two discs or more. What the played and the best move lose is known; of the others
/// the `values` say it.
fn hard(verdict: &Verdict, shares: &[MoveShare], values: &Values) -> f64 {
    let value = |square: Option<Square>| {
        let found = values.iter().find(|&&(other, _)| Some(other) == square);
        found.map(|&(_, score)| score.to_f64())
    };
    let best = value(verdict.best.square());
    let loss = |square: Square| {
        if verdict.played.square() == Some(square) {
            return verdict.loss();
        }
        // A move without a score is among the worst.
        let Some((best, value)) = best.zip(value(Some(square))) else {
            return WRONG;
        };
        best - value
    };
    let wrong = shares.iter().filter(|share| loss(share.square) >= WRONG);
    wrong.fold(0.0, |sum, share| sum + f64::from(share.probability))
}

/// The exact scores of all moves, if the end is near.
fn solved_values(searcher: &mut Searcher, board: Board, control: &Control) -> Option<Values> {
    if board.empty_count() > SOLVED {
        return None;
    }
    let limits = Limits {
        goal: Goal::EXACT,
        multipv: board.legal_moves().count() as usize,
        warm: true,
        ..Limits::default()
    };
    let outcome = searcher.search(board, &limits, control, &mut |_| {});
    let value = |line: &Info| Some((line.pv.first()?.square()?, line.score));
    Some(outcome.lines.iter().filter_map(value).collect())
}

/// Whole Elo.
fn elo(rating: Rating) -> u16 {
    rating.elo() as u16
}
