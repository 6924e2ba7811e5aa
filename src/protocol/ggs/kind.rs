//! Kinds of matches, `s8r20`, and clocks, `05:00//02:00`, in the server's words.

use std::collections::BTreeMap;

use nom::Parser;
use nom::branch::alt;
use nom::character::complete::{char, one_of, u32};
use nom::combinator::{map, opt};
use nom::multi::many0;
use nom::sequence::preceded;
use serde::Deserialize;

use crate::formats::ggf::{self, GameClock};
use crate::text::words::{Parsed, whole};

/// A kind of match, or the kinds that are wanted: `s8r14-20` has a random start of 14 to 20 discs.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct MatchKind {
    /// Two games at once, with the colours exchanged.
    is_synchro: bool,
    /// Squares of a side; 88 is the board of 10 without its corners.
    size: u32,
    /// `k`: the players bid for the side to move. `a`: the fewer discs win. `b`, `w`: the colour of who asks. `r`: a random
    /// start of at least and at most so many discs.
    options: BTreeMap<char, (u32, u32)>,
}

impl TryFrom<String> for MatchKind {
    type Error = String;

    fn try_from(text: String) -> Result<MatchKind, String> {
        let read = whole(&text.to_ascii_lowercase(), kind);
        // A start has from 4 discs to a full board.
        let is_start = |&(least, most): &(u32, u32)| least >= 4 && least <= most && most <= 64;
        let read = read.filter(|kind| kind.options.get(&'r').is_none_or(is_start));
        read.ok_or_else(|| format!("expected a type such as 8, s8r20 or s8r14-20, found {text:?}"))
    }
}

impl MatchKind {
    /// Why it is never played.
    pub fn refusal(&self) -> Option<&'static str> {
        match self.size {
            _ if self.options.contains_key(&'a') => Some("anti-Othello is not played"),
            8 => None,
            _ => Some("only boards of 8x8 are played"),
        }
    }

    /// Is this one of the kinds that are wanted? One without a colour is wanted with any.
    pub fn covers(&self, kind: &MatchKind) -> bool {
        let is_wanted = |(letter, &(from, to)): (&char, &(u32, u32))| match self.options.get(letter)
        {
            Some(&(least, most)) => least <= from && to <= most,
            None => matches!(letter, 'b' | 'w'),
        };
        let mut own = self.options.keys();
        (self.is_synchro, self.size) == (kind.is_synchro, kind.size)
            && kind.options.iter().all(is_wanted)
            && own.all(|letter| kind.options.contains_key(letter))
    }
}

/// Can a match of this kind, in the server's words, be played?
pub(super) fn is_played(kind: &str) -> bool {
    let kind = MatchKind::try_from(kind.to_owned());
    kind.is_ok_and(|kind| kind.refusal().is_none())
}

/// Of a text in lower case.
fn kind(input: &str) -> Parsed<'_, MatchKind> {
    let discs = preceded(char('r'), (u32, opt(preceded(char('-'), u32))));
    let discs = map(discs, |(least, most)| ('r', (least, most.unwrap_or(least))));
    let plain = map(one_of("kabw"), |letter| (letter, (0, 0)));
    let parts = (opt(char('s')), u32, many0(alt((discs, plain))));
    map(parts, |(synchro, size, options)| MatchKind {
        is_synchro: synchro.is_some(),
        size,
        options: options.into_iter().collect(),
    })
    .parse(input)
}

/// Reads `left,moves/increment,moves/extension,moves`: a time below zero is none, and numbers of moves are left out.
pub(super) fn clock(text: &str) -> Option<GameClock> {
    let plain = text.split('/').map(|part| match part.split(',').next() {
        Some(time) if !time.starts_with('-') => time,
        _ => "0",
    });
    let plain: Vec<&str> = plain.collect();
    ggf::parse_clock(&plain.join("/")).ok()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn read(text: &str) -> MatchKind {
        MatchKind::try_from(text.to_owned()).expect(text)
    }

    #[test]
    fn options_stand_in_any_order_and_case() {
        assert_eq!(read("8kr14"), read("8R14K"));
        assert_eq!(read("S8r20").options[&'r'], (20, 20));
        assert!(read("88").refusal().is_some() && read("8a").refusal().is_some());
        assert!(read("s8r14").refusal().is_none());
        for wrong in [
            "",
            "s",
            "x8",
            "8r",
            "8z",
            "8 ",
            "99999999999",
            "8r4-",
            "8r99",
            "8r0",
            "8r20-14",
            "é",
        ] {
            assert!(MatchKind::try_from(wrong.to_owned()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn wanted_kinds_cover_others() {
        for (wanted, found, covers) in [
            ("8", "8", true),
            ("8", "8b", true),
            ("8b", "8w", false),
            ("8", "8k", false),
            ("s8r14-20", "s8r14", true),
            ("s8r14-20", "s8r21", false),
            ("s8r14-20", "8r14", false),
            ("8", "8r14", false),
        ] {
            assert_eq!(
                read(wanted).covers(&read(found)),
                covers,
                "{wanted} {found}"
            );
        }
    }

    #[test]
    fn clocks_are_read_in_both_forms() {
        let times = |text| {
            clock(text).map(|clock| [clock.main, clock.increment, clock.grace].map(|t| t.as_secs()))
        };
        for (text, expected) in [
            ("01:00//02:00", [60, 0, 120]),
            ("00:59,0:0//02:00,0:0", [59, 0, 120]),
            ("05:00,N/00:10,N2/00:30", [300, 10, 30]),
            ("-00:03,1:0/00:05,0:1/00:00,0:0", [0, 5, 0]),
            ("1.02:03:04//", [93_784, 0, 120]),
        ] {
            assert_eq!(times(text), Some(expected), "{text}");
        }
        assert_eq!(
            clock("5").map(|clock| clock.main),
            Some(Duration::from_secs(5))
        );
        for wrong in ["", "x", "1:2:3:4", "//"] {
            assert_eq!(times(wrong), None, "{wrong}");
        }
    }
}
