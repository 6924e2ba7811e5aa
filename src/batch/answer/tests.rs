//! Answers are written and read again, and fit their own line alone.

use std::time::Duration;

use proptest::prelude::*;

use super::text::{answer_text, parse_score, score_of};
use super::*;
use crate::batch::problem::MoveValue;
use crate::score::Score;

/// White to move, 12 empties: c8 scores -52.
const LOST: &str = "XXXXXXXXXXXOOOOXXXXOXXXX-OOXXXXX-OOXXXXX--OXXXXX--XOXXXX-X--XXXX O";

fn lost() -> Problem {
    let position = LOST.parse().expect("a position");
    Problem::new(position, Question::Exact).numbered(1)
}

fn named(name: &str) -> Problem {
    Problem {
        name: Some(name.into()),
        ..lost()
    }
}

/// Does the answer of this text fit a line that asks `problem`?
fn fits(text: &str, problem: &Problem) -> Result<Option<Question>, AnswerError> {
    let line = InputLine {
        files: &[],
        place: problem.place,
        bytes: &[],
        problem: Some(problem),
    };
    Answer::parse(text)?.fits(&line, None)
}

fn text(question: &str, said: (&str, &str, &str)) -> String {
    answer_text("1", lost().position, question, said)
}

fn json(text: &str) -> String {
    let mut answer = Answer::parse(text).expect(text);
    let question = answer.fits_content(Some(&lost()), &[], None);
    let question = question.expect("it fits").expect("a result");
    answer.position = Some(lost().position);
    answer.asked = Some((question, None));
    answer.text.clear();
    let mut out = Vec::new();
    answer.write(Style::Json, &mut out);
    String::from_utf8(out).expect("text").trim_end().to_owned()
}

#[test]
fn an_answer_fits_its_line_and_no_other() {
    let cases = [
        ("exact", ("loss", "-52", "c8")),
        ("wld", ("loss", "-", "c8")),
        ("wld", ("loss", "<=-2", "c8")),
        (">=0", ("refuted", "<=-2", "c8")),
        ("<=0", ("proven", "<=+0", "-")),
        ("exact", ("unsolved", "-60..+4", "c8")),
    ];
    let start = Problem::new(Position::START, Question::Exact).numbered(1);
    for (question, said) in cases {
        let text = text(question, said);
        let question = question.parse().expect("a question");
        assert_eq!(fits(&text, &lost()), Ok(Some(question)), "{said:?}");
        assert!(matches!(fits(&text, &start), Err(AnswerError::Key(_))));
        let next = fits(&text, &lost().numbered(2));
        assert!(matches!(next, Err(AnswerError::Place { .. })));
        let other = fits(&text, &named("a"));
        assert!(matches!(other, Err(AnswerError::Name { .. })));
    }
}

#[test]
fn a_part_of_an_answer_is_none_and_neither_is_a_changed_one() {
    let text = text("exact", ("loss", "-52", "c8"));
    for (whole, said) in [(text.clone(), "text"), (json(&text), "JSON")] {
        let fits = |text: &str| fits(text, &lost());
        assert_eq!(fits(&whole), Ok(Some(Question::Exact)), "{said}");
        for end in 0..whole.len() {
            assert!(fits(&whole[..end]).is_err(), "{}", &whole[..end]);
        }
        for (from, to) in [
            ("-52", "-50"),
            ("loss", "draw"),
            ("loss", "win"),
            ("c8", "b7"),
            ("exact", "wld"),
            ("XXXXXXXXXXXO", "BXXXXXXXXXXO"),
            ("\"exact\"", "\" exact\""),
        ] {
            let changed = whole.replace(from, to);
            assert!(changed == whole || fits(&changed).is_err(), "{changed}");
        }
    }
}

#[test]
fn what_makes_no_sense_is_refused_even_with_its_key() {
    let cases = [
        ("exact", ("win", "-52", "c8")),
        ("exact", ("loss", "<=-2", "c8")),
        ("exact", ("loss", "-", "c8")),
        ("wld", ("draw", "<=-2", "c8")),
        (">=0", ("proven", "<=-2", "c8")),
        (">=0", ("loss", "-52", "c8")),
        ("exact", ("loss", "-52", "a1")),
        ("exact", ("loss", "-52", "c8 c8")),
    ];
    for (question, said) in cases {
        let fits = fits(&text(question, said), &lost());
        assert!(fits.is_err(), "{question}: {said:?}");
    }
}

#[test]
fn other_lines_are_named() {
    let error = |text: &str| Answer::parse(text).map(|_| ()).expect_err(text);
    for text in [
        "38",
        "38\twin",
        "1\thello\tx",
        "1\twin\t+77\tc4\t00000000\t1\t0.100\tc4",
        "1\tloss\t-52\tc8\t13244\t0.412\tc8 b7",
        "1\terror\t3\texpected a cell",
        "",
        "\0\0",
    ] {
        assert!(matches!(error(text), AnswerError::Syntax(_)), "{text:?}");
    }
    let keyless = error("{\"line\":1,\"result\":\"win\"}").to_string();
    assert!(keyless.starts_with("expected a key"), "{keyless}");
    assert_eq!(error(&format!("{LOST}; C8:-52;")), AnswerError::Obf);
    assert_eq!(error(OBF_HEAD), AnswerError::Obf);
}

#[test]
fn errors_are_bound_to_the_bytes_of_their_line() {
    let key = Key::of_error(b"nonsense", 1, "expected a cell");
    let text = format!("x:1\terror\t1\texpected a cell\t{key}");
    let fits = |bytes| {
        let line = InputLine {
            files: &["x".to_owned()],
            place: Place {
                file: Some(0),
                line: 1,
            },
            bytes,
            problem: None,
        };
        Answer::parse(&text).expect("an error").fits(&line, None)
    };
    assert_eq!(fits(b"nonsense"), Ok(None));
    assert!(fits(b"nonsens").is_err());
}

#[test]
fn what_stands_before_the_name_has_a_form() {
    let read = |rest: &str, name: Option<&str>| {
        let text = match rest.contains("\tc8:") {
            true => text_of_moves(lost(), "-52", "c8:-52 b7:-58"),
            false => text("exact", ("loss", "-52", "c8")),
        };
        let text = text.trim_end_matches("\tc8:-52 b7:-58");
        let mut answer = Answer::parse(&format!("{text}{rest}")).expect(rest);
        let problem = name.map_or_else(lost, named);
        answer.fits_content(Some(&problem), &[], None).ok()?;
        Some((answer.solution.moves.is_some(), answer.verdict))
    };
    let ok = Some(Verdict::Agrees);
    assert_eq!(read("\tc8:-52 b7:-58", None), Some((true, None)));
    assert_eq!(
        read("\tc8:-52 b7:-58\tok\tq 7", Some("q 7")),
        Some((true, ok.clone()))
    );
    assert!(read("\tmismatch: the known score is +2\tq", Some("q")).is_some());
    assert_eq!(read("\tok", Some("ok")), Some((false, None)), "a name");
    assert_eq!(read("\tok", None), Some((false, ok)));
    let scored = Some("a1:+64");
    assert_eq!(read("\ta1:+64", scored), Some((false, None)), "a name");
    for (rest, name) in [
        ("\tq", None),
        ("\tq 7", Some("q")),
        ("", Some("q")),
        ("\tok\tc8:-52 b7:-58", None),
        ("\ta1:-58", None),
    ] {
        assert_eq!(read(rest, name), None, "{rest:?}");
    }
}

/// An answer to `problem` with a list of moves, bound by its key: a loss by c8, of which this score is said.
fn text_of_moves(problem: Problem, score: &str, moves: &str) -> String {
    let moves = super::text::scored_moves(moves).expect(moves);
    let best = "c8".parse().ok();
    let stated = Some(score).filter(|score| *score != "-");
    let key = Key::of_result(&problem, "loss", stated, best, Some(&moves));
    let moves = super::text::moves_text(&moves);
    format!("1\tloss\t{score}\tc8\t{key}\t90\t0.120\tc8\t{moves}")
}

#[test]
fn a_list_of_moves_has_all_of_them_and_the_answer_is_the_best() {
    let wld = Problem {
        question: Question::Wld,
        ..lost()
    };
    let only = lost().about(
        "c8".parse()
            .ok()
            .map(|c8: crate::rules::Square| Bitboard(c8.bit())),
    );
    let is_taken = |problem: &Problem, score, moves| {
        let text = text_of_moves(problem.clone(), score, moves);
        let mut answer = Answer::parse(&text).expect(moves);
        let taken = answer.fits_content(Some(problem), &[], None).is_ok();
        let stated = Some(score).filter(|score| *score != "-");
        let key = Key::of_result(problem, "loss", stated, "c8".parse().ok(), None);
        let unbound = text.replace(&answer.key.to_string(), &key.to_string());
        let refused = fits(&unbound, problem);
        assert!(matches!(refused, Err(AnswerError::UnboundMoves(_))));
        taken
    };
    for (problem, score, moves, expected) in [
        (&lost(), "-52", "c8:-52 b7:-58", true),
        (&lost(), "-52", "c8:-52 b7:-52", true),
        (&lost(), "-52", "c8:-52", false),
        (&lost(), "-52", "b7:-52", false),
        (&lost(), "-52", "-", false),
        (&lost(), "-52", "c8:-52 b7:-50", false),
        (&lost(), "-52", "c8:-54 b7:-52", false),
        (&lost(), "-52", "c8:-54 b7:-58", false),
        (&lost(), "-52", "c8:-52 b7:-58 a1:-60", false),
        (&lost(), "-52", "c8:-52 c8:-52", false),
        (&lost(), "-52", "c8:loss b7:loss", false),
        (&only, "-52", "c8:-52", true),
        (&only, "-52", "c8:-52 b7:-58", false),
        (&wld, "-", "c8:loss b7:loss", true),
        (&wld, "-", "c8:loss", false),
        (&wld, "-", "c8:loss b7:draw", false),
        (&wld, "-", "c8:-52 b7:-58", false),
    ] {
        assert_eq!(is_taken(problem, score, moves), expected, "{moves}");
    }
}

#[test]
fn scores_are_read_as_they_are_printed_and_no_others() {
    for raw in -8192..=8192 {
        let solution = Solution {
            estimate: Some((Score::from_raw(raw), 18)),
            ..Solution::proven(Bounds::at_most(-2), Vec::new(), 0)
        };
        let text = score_of(&solution).to_string();
        assert_eq!(
            parse_score(&text),
            Some((solution.estimate, solution.bounds))
        );
    }
    for bad in [
        "",
        "~",
        "~1",
        "~+1.0@",
        "~+65.000@4",
        "~+1.000@99",
        "~+1.000@9 >=3",
    ] {
        assert_eq!(parse_score(bad), None, "{bad:?}");
    }
}

#[test]
fn a_question_may_be_about_some_moves() {
    let board = Position::START.board;
    for text in ["exact of d3 f5", "wld", ">=2 of c4"] {
        let (question, moves) = parse_asked(text, board).expect(text);
        assert_eq!(asked(question, moves).to_string(), text);
    }
    for bad in [
        "exact of a1",
        "exact of d3 d3",
        "exact of",
        "exact of d3  f5",
    ] {
        assert!(parse_asked(bad, board).is_err(), "{bad:?}");
    }
}

/// A position, a line of play from it, and some of its moves.
fn play() -> impl Strategy<Value = (Position, Vec<Move>, Option<Bitboard>)> {
    let choices = (
        0..50_usize,
        prop::collection::vec(any::<prop::sample::Index>(), 56),
    );
    (choices, 0..6_usize, any::<Option<u64>>()).prop_map(|((before, choices), length, only)| {
        let (mut start, mut line) = (Position::START, Vec::new());
        for (number, choice) in choices.into_iter().enumerate() {
            let at = line
                .iter()
                .fold(start, |at, &mv| at.play(mv).expect("legal"));
            let moves: Vec<Move> = at.board.legal_moves().into_iter().map(Move::from).collect();
            let mv = match moves.is_empty() {
                true => Move::Pass,
                false => *choice.get(&moves),
            };
            match at.play(mv) {
                Some(next) if number < before => start = next,
                Some(_) if line.len() < length => line.push(mv),
                _ => break,
            }
        }
        // The best move is one of those.
        let only = only.map(|only| Bitboard(only & start.board.legal_moves().0));
        let has_best = |only: &Bitboard| match line.first().and_then(|mv| mv.square()) {
            Some(best) => only.contains(best),
            None => only.0 != 0 && line.is_empty(),
        };
        let only = only.filter(has_best);
        (start, line, only)
    })
}

fn bounds() -> impl Strategy<Value = Bounds> {
    let discs = || (-32..=32).prop_map(|half: i32| 2 * half);
    let pair = (discs(), discs());
    pair.prop_filter_map("a range", |(one, other)| {
        Bounds::new(one.min(other), one.max(other))
    })
}

fn word() -> impl Strategy<Value = Option<String>> {
    prop::option::of("[!-~]([ -~]{0,9}[!-~])?")
}

prop_compose! {
    /// What a run may have found about a problem, and said of it.
    fn solved()(
        (position, line, moves) in play(),
        question in prop::sample::select(Question::all().collect::<Vec<_>>()),
        bounds in bounds(),
        estimate in prop::option::of((-8192..=8192, 1..=40_u32)),
        (all_moves, lacks_proof) in any::<(bool, bool)>(),
        (failed, name, verdict) in (word(), word(), word()),
        (nodes, micros) in (any::<u64>(), 0..1_u64 << 40),
        number in 1..1_000_000_u64,
    ) -> (Problem, Solution, Option<Verdict>) {
        let value = |mv| match question {
            Question::Wld => (mv, MoveValue::Result(GameValue::of_discs(bounds.lower()))),
            _ => (mv, MoveValue::Score(bounds.lower())),
        };
        let status = match question.is_answered_by(bounds) && !lacks_proof {
            true => Status::Solved,
            false => Status::Unsolved,
        };
        let asked = Problem::new(position, question).about(moves);
        // The best move is known.
        let all_moves = all_moves && (status == Status::Unsolved || !line.is_empty());
        let found = Solution {
            status,
            estimate: estimate.map(|(raw, depth)| (Score::from_raw(raw), depth)),
            moves: all_moves.then(|| asked.asked_moves().map(value).collect()),
            time: Duration::from_micros(micros),
            ..Solution::proven(bounds, line, nodes)
        };
        let problem = Problem {
            name: name.map(Into::into),
            ..asked.numbered(number)
        };
        match failed {
            Some(reason) if lacks_proof => (problem, Solution::unknown(Status::Failed(reason)), None),
            _ => (problem, found, verdict.map(Verdict::Mismatch)),
        }
    }
}

proptest! {
    #[test]
    fn what_is_written_reads_back_and_fits_its_line(
        (problem, solution, verdict) in solved(),
        (is_json, times, score_bound) in any::<(bool, bool, bool)>(),
    ) {
        let style = if is_json { Style::Json } else { Style::Text };
        let format = Format { style, files: Vec::new(), score_bound, times };
        let answer = Answer::new(&format, problem.clone(), solution, verdict);
        let mut out = Vec::new();
        answer.write(style, &mut out);
        let text = String::from_utf8(out).expect("text");
        let mut read = Answer::parse(text.trim_end_matches('\n')).expect("it reads back");
        let line = InputLine { files: &[], place: problem.place, bytes: &[], problem: Some(&problem) };
        let fits = read.fits(&line, Some(problem.question));
        prop_assert_eq!(fits, Ok((!answer.is_error()).then_some(problem.question)), "{}", text);
        let (position, asked) = (answer.position, answer.asked);
        let (position, asked) = if is_json { (position, asked) } else { (None, None) };
        let (text, says_time) = (read.text.clone(), answer.says_time);
        let mut expected = Answer { position, asked, text, ..answer };
        if !says_time {
            expected.solution.time = Duration::ZERO;
        }
        prop_assert_eq!(read, expected);
    }

    #[test]
    fn any_text_is_read_or_refused(text in ".{0,200}") {
        let _ = Answer::parse(&text);
    }
}
