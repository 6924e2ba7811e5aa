use std::time::Duration;

use super::*;
use crate::eval::Evaluator;
use crate::formats::transcript::Transcript;
use crate::rules::Symmetry;

/// A game of Emilia at depth 1 against itself.
const GAME: &str = "d3e3f4c3c4d6c6c5b4b5f6b6f2a5d2f5e6d7g5g3f3g4g6f7e7c2c8d8e8h5h6d1h2e2e1h3h4g8f8b8c1g7b1g1b3f1h1g2h7a3a4b2h8c7b7a8a2a1a6a7";

fn game() -> Game {
    let transcript: Transcript = GAME.parse().expect("a legal game");
    transcript.game
}

fn analyzed(effort: Effort) -> Vec<Verdict> {
    verdicts_on(&game(), effort)
}

fn verdicts_on(game: &Game, effort: Effort) -> Vec<Verdict> {
    let mut searcher = Searcher::small(Evaluator::embedded()).expect("memory");
    let control = Control::new();
    let mut judged = Vec::new();
    let mut report = |found| judged.push(found);
    let verdicts = analyze(&mut searcher, game, &effort, &control, &mut report);
    let verdicts = verdicts.expect("it is not stopped");
    assert_eq!(judged.len(), game.moves().len() + 1);
    assert_eq!(judged[judged.len() - 1].worth, verdicts[0].before);
    verdicts
}

const QUICK: Effort = Effort {
    depth: 2,
    exact: 10,
    wld: 12,
    time: None,
};

#[test]
fn scores_do_not_contradict_each_other() {
    let verdicts = analyzed(QUICK);
    assert_eq!(verdicts.len(), 60);
    for pair in verdicts.windows(2) {
        let next = if pair[0].side() == pair[1].side() {
            pair[1].before
        } else {
            pair[1].before.opposite()
        };
        assert_eq!(pair[0].after, next, "move {}", pair[0].number);
    }
    for verdict in &verdicts {
        assert!(verdict.before.score >= verdict.after.score, "{verdict:?}");
        assert_eq!(verdict.line.first(), Some(&verdict.best));
        let is_best = verdict.best == verdict.played;
        assert_eq!(is_best, verdict.loss() == 0.0, "{verdict:?}");
    }
}

#[test]
fn mirror_images_have_one_value() {
    let effort = Effort {
        depth: 8,
        exact: 0,
        ..QUICK
    };
    let losses = |game: &Game| -> Vec<f64> {
        let verdicts = verdicts_on(game, effort);
        verdicts.iter().map(Verdict::loss).collect()
    };
    let opening: Transcript = "f5d6c3d3c4f4c5".parse().expect("a legal game");
    let expected = losses(&opening.game);
    assert_eq!(expected[0], 0.0, "all first moves are equal");
    for symmetry in Symmetry::all() {
        let turned = |mv: &Move| Some(symmetry.apply_square(mv.square()?).into());
        let start = Position::START;
        if start.board.transform(symmetry) == start.board {
            let mut game = Game::new(start);
            for mv in opening.game.moves().iter().filter_map(turned) {
                game.play(mv).expect("legal");
            }
            assert_eq!(losses(&game), expected, "{symmetry:?}");
        }
    }
}

#[test]
fn what_is_exact_agrees_with_the_solver() {
    let mut searcher = Searcher::small(Evaluator::embedded()).expect("memory");
    for verdict in analyzed(QUICK) {
        let empties = verdict.position.board.empty_count();
        assert_eq!(verdict.before.is_exact && empties <= 10, empties <= 10);
        if empties <= 10 {
            let truth = searcher.solve(verdict.position.board);
            assert_eq!(verdict.before, Worth::exact(truth), "{verdict:?}");
        } else if empties <= 12 {
            let truth = searcher.solve(verdict.position.board);
            let value = GameValue::of_discs(truth);
            assert_eq!(verdict.before.value, Some(value), "{verdict:?}");
        }
    }
}

#[test]
fn without_time_all_moves_have_a_verdict() {
    let time = Some(Duration::ZERO);
    assert_eq!(analyzed(Effort { time, ..QUICK }).len(), 60);
}

#[test]
fn a_move_that_gives_away_the_game_is_named() {
    let before = Worth::exact(2);
    for (discs, gift) in [
        (2, None),
        (0, Some(Gift::WinForDraw)),
        (-2, Some(Gift::Win)),
    ] {
        let verdict = Verdict {
            number: 1,
            position: Position::START,
            played: Move::Pass,
            before,
            after: Worth::exact(discs),
            best: Move::Pass,
            line: Vec::new(),
        };
        assert_eq!(verdict.gift(), gift);
    }
}
