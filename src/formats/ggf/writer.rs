//! Writing GGF as NBoard reads it.

use std::fmt;
use std::time::Duration;

use super::{Annotation, DEFAULT_GRACE, End, GameClock, GameResult, GgfGame};
use crate::rules::Move;
use crate::text::is_active;

/// One line that NBoard reads. Square brackets in names become round ones.
impl fmt::Display for GgfGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "(;GM[Othello]PC[{}]", Text(&self.place))?;
        if !self.date.is_empty() {
            write!(f, "DT[{}]", Text(&self.date))?;
        }
        let (black, white) = (&self.black, &self.white);
        write!(f, "PB[{}]PW[{}]", Text(&black.name), Text(&white.name))?;
        match self.result {
            Some(result) => write!(f, "RE[{result}]")?,
            None => f.write_str("RE[?]")?,
        }
        for (name, player) in [("RB", black), ("RW", white)] {
            if let Some(rating) = player.rating {
                write!(f, "{name}[{rating}]")?;
            }
        }
        match (black.clock, white.clock) {
            (Some(black), Some(white)) if black == white => write!(f, "TI[{black}]")?,
            (black, white) => {
                for (name, clock) in [("TB", black), ("TW", white)] {
                    if let Some(clock) = clock {
                        write!(f, "{name}[{clock}]")?;
                    }
                }
            }
        }
        // Cells of `* O -`, a blank, and the side to move.
        let start = self.game.start().to_string().replace('X', "*");
        write!(f, "TY[{}]BO[8 {start}]", Text(&self.kind))?;
        let moves = self.game.moves().iter().zip(&self.notes);
        for (color, (mv, note)) in self.movers().into_iter().zip(moves) {
            let letter = color.pick('B', 'W');
            write!(f, "{letter}[{}{note}]", move_text(*mv))?;
        }
        f.write_str(";)")
    }
}

/// `F5` or `PA`.
pub fn move_text(mv: Move) -> String {
    match mv {
        Move::Place(square) => format!("{square:#}"),
        Move::Pass => "PA".to_owned(),
    }
}

/// Text inside of brackets, on one line.
struct Text<'a>(&'a str);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let clean = self.0.chars().map(|c| match c {
            '[' => '(',
            ']' => ')',
            c if is_active(c) => ' ',
            c => c,
        });
        f.write_str(&clean.collect::<String>())
    }
}

/// Nothing, `/EVALUATION`, `//SECONDS` or `/EVALUATION/SECONDS`.
impl fmt::Display for Annotation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(evaluation) = self.evaluation {
            write!(f, "/{evaluation:.2}")?;
        }
        if let Some(time) = self.time {
            let bars = if self.evaluation.is_none() { "//" } else { "/" };
            write!(f, "{bars}{:.3}", time.as_secs_f64())?;
        }
        Ok(())
    }
}

/// `+12`, `-8:r`, `0`.
impl fmt::Display for GameResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plus = if self.score > 0.0 { "+" } else { "" };
        let end = match self.end {
            End::Over => "",
            End::Resigned => ":r",
            End::Timeout => ":t",
            End::Left => ":l",
            End::Agreed => ":s",
        };
        write!(f, "{plus}{}{end}", self.score)
    }
}

/// `5:00`, `5:00/0:03`, `15:00/0:00/1:00`, with hours where there are some.
impl fmt::Display for GameClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&time_text(self.main))?;
        if !self.increment.is_zero() || self.grace != DEFAULT_GRACE {
            write!(f, "/{}", time_text(self.increment))?;
        }
        if self.grace != DEFAULT_GRACE {
            write!(f, "/{}", time_text(self.grace))?;
        }
        Ok(())
    }
}

/// `[h:]m:ss[.fraction]`, to the millisecond.
fn time_text(time: Duration) -> String {
    let (all, ms) = (time.as_secs(), time.subsec_millis());
    let (hours, minutes, seconds) = (all / 3600, all / 60 % 60, all % 60);
    let mut text = match hours {
        0 => format!("{minutes}:{seconds:02}"),
        _ => format!("{hours}:{minutes:02}:{seconds:02}"),
    };
    if ms > 0 {
        text.push_str(format!(".{ms:03}").trim_end_matches('0'));
    }
    text
}
