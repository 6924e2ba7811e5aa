//! Dates and results, in the forms in which files of games write them.

use std::time::{Duration, SystemTime};

use super::ggf::{End, GameResult, GgfGame};
use crate::text::words::{decimal_prefix, whole};

/// Discs of a game that was given up: all.
const ALL: f64 = 64.0;

/// A date for people: seconds since 1970, as GGS writes them, or milliseconds become `2002-01-26 03:23:53 GMT`;
/// everything else stays as it is.
pub(super) fn date(text: &str) -> String {
    let text = text.trim();
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    match (text.len(), text.parse::<u64>()) {
        (9 | 10, Ok(seconds)) if is_number => from_seconds(seconds),
        (12 | 13, Ok(milliseconds)) if is_number => from_seconds(milliseconds / 1000),
        _ => text.to_owned(),
    }
}

fn from_seconds(seconds: u64) -> String {
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
    let text = humantime::format_rfc3339_seconds(time).to_string();
    text.replace('T', " ").replace('Z', " GMT")
}

/// The year of a date in any form: four digits alone, or the first four of eight.
pub(super) fn year(date: &str) -> Option<u16> {
    let date = self::date(date);
    let numbers = date.split(|letter: char| !letter.is_ascii_digit());
    let years = numbers.filter_map(|digits| match digits.len() {
        4 | 8 => digits[..4].parse().ok(),
        _ => None,
    });
    years.into_iter().find(|year| (1900..2200).contains(year))
}

/// A result: `B+6`, `W+R`, `0`, `Draw`, `38-26` (discs of black, then of white), `1-0`, `+12`, `-8:r`. `None`: it says nothing.
pub(super) fn result(text: &str) -> Option<GameResult> {
    let text = text.trim();
    let lower = text.to_ascii_lowercase();
    let is = |score, end| Some(GameResult { score, end });
    if matches!(lower.as_str(), "draw" | "jigo" | "tie" | "1/2-1/2" | "½-½") {
        return is(0.0, End::Over);
    }
    for (name, sign) in [("black", 1.0), ("white", -1.0), ("b", 1.0), ("w", -1.0)] {
        let Some(margin) = lower
            .strip_prefix(name)
            .and_then(|rest| rest.trim().strip_prefix('+'))
        else {
            continue;
        };
        return match margin.trim() {
            "r" | "resign" => is(sign * ALL, End::Resigned),
            "t" | "time" => is(sign * ALL, End::Timeout),
            "f" | "forfeit" => is(sign * ALL, End::Left),
            margin => whole(margin, decimal_prefix)
                .filter(|discs| (0.0..=ALL).contains(discs))
                .and_then(|discs| is(sign * discs, End::Over)),
        };
    }
    let discs = |text: &str| text.trim().parse::<u8>().ok().filter(|&discs| discs <= 64);
    let pair = text.split_once(['-', '–', ':']);
    if let Some((black, white)) = pair.and_then(|(b, w)| Some((discs(b)?, discs(w)?))) {
        return match (black, white) {
            // Won, but nobody says by how much.
            (1, 0) => is(ALL, End::Resigned),
            (0, 1) => is(-ALL, End::Resigned),
            _ if black + white > 64 => None,
            _ => is(f64::from(black) - f64::from(white), End::Over),
        };
    }
    whole(text, decimal_prefix)
        .filter(|discs| (-ALL..=ALL).contains(discs))
        .and_then(|discs| is(discs, End::Over))
}

/// A game that was played out has the result of its board: the empty squares are the winner's. Says it, if its file has
/// another winner.
pub(super) fn settle(game: &mut GgfGame) -> Option<String> {
    let score = f64::from(game.game.position().result_for_black()?);
    let stated = (game.result).filter(|result| !matches!(result.end, End::Over | End::Resigned));
    let before = game
        .result
        .replace(stated.unwrap_or(GameResult::over(score)))?;
    let is_doubtful = before.score * score < 0.0 || (before.score == 0.0) != (score == 0.0);
    (stated.is_none() && is_doubtful).then(|| {
        format!("the file says {before} of a game that ends with {score:+} discs for black")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_in_seconds_are_dates() {
        assert_eq!(date("1012015433"), "2002-01-26 03:23:53 GMT");
        assert_eq!(date("951782400"), "2000-02-29 00:00:00 GMT");
        assert_eq!(date("1709251199000"), "2024-02-29 23:59:59 GMT");
        for text in ["2002-01-26", "20020126", "2015", "", "12 May", "?"] {
            assert_eq!(date(text), text);
        }
    }

    #[test]
    fn years_are_no_substrings() {
        for (date, expected) in [
            ("1012015433", Some(2002)),
            ("2013-12-23 16:43:43 GMT", Some(2013)),
            ("20150102", Some(2015)),
            ("03.04.1998", Some(1998)),
            ("2021.01.01", Some(2021)),
            ("12015", None),
            ("??", None),
        ] {
            assert_eq!(year(date), expected, "{date}");
        }
    }

    #[test]
    fn results_have_many_forms() {
        for (text, score, end) in [
            ("B+6", 6.0, End::Over),
            ("W+12.5", -12.5, End::Over),
            ("White+R", -64.0, End::Resigned),
            ("b+time", 64.0, End::Timeout),
            ("38-26", 12.0, End::Over),
            ("26 : 38", -12.0, End::Over),
            ("0-1", -64.0, End::Resigned),
            ("1/2-1/2", 0.0, End::Over),
            ("0", 0.0, End::Over),
            ("+4", 4.0, End::Over),
            ("-4", -4.0, End::Over),
        ] {
            assert_eq!(result(text), Some(GameResult { score, end }), "{text}");
        }
        for text in ["", "*", "?", "Void", "B+", "200-3", "40-30", "X+3"] {
            assert_eq!(result(text), None, "{text}");
        }
    }
}
