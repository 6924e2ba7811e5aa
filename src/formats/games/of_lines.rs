//! Games of lines: transcripts, positions with moves, lines of GGF, and games that were pasted in pieces.

use std::io::BufRead;

use super::{AllFound, FoundGame, GameError, GamePlace, LineGrouping, Warnings, in_steps};
use crate::formats::BadGame;
use crate::formats::ggf::{self, GameResult, GgfGame};
use crate::formats::line::{self, Entry};
use crate::formats::page::{self, Joined, Joiner};
use crate::formats::transcript;
use crate::rules::{Color, Game};
use crate::text::words::is_nothing;
use crate::text::{self, TextError, latin1, latin1_error};

/// Empties from which on the third column of a transcript, WTHOR's theoretical score, is exact.
const THEORETICAL_EMPTIES: u32 = 24;

pub(super) struct LineGames {
    lines: text::Lines<Box<dyn BufRead>>,
    /// `None`: lines are not joined.
    joiner: Option<Joiner<u64>>,
    /// See [`super::Source::with_side`].
    side: Option<Color>,
    warnings: Warnings,
}

impl LineGames {
    pub(super) fn of(
        reader: Box<dyn BufRead>,
        lines: LineGrouping,
        side: Option<Color>,
        warnings: Warnings,
    ) -> AllFound {
        let mut games = LineGames {
            lines: text::Lines::new(reader),
            side,
            warnings,
            joiner: (lines == LineGrouping::MayContinue).then(Joiner::default),
        };
        in_steps(move |found| games.step(found))
    }

    fn step(&mut self, found: &mut Vec<FoundGame>) -> Result<bool, GameError> {
        let Some(line) = self.lines.next_line()? else {
            self.end(found);
            return Ok(false);
        };
        let number = line.number;
        if line.whole().is_err() && ggf::is_ggf(&latin1(line.bytes())) {
            self.end(found);
        }
        match line.whole() {
            Ok(bytes) => {
                let text = latin1(bytes);
                let read = self.line(number, &text, found).err();
                found.extend(read.map(|bad| {
                    let error = latin1_error(bytes, &text, bad.error);
                    FoundGame::bad(number, BadGame { error, ..bad })
                }));
            }
            Err(error) => found.push(FoundGame::bad(number, error.into())),
        }
        Ok(true)
    }

    fn end(&mut self, found: &mut Vec<FoundGame>) {
        add(found, self.joiner.as_mut().and_then(Joiner::end));
    }

    fn line(&mut self, number: u64, line: &str, found: &mut Vec<FoundGame>) -> Result<(), BadGame> {
        if is_nothing(line) {
            if line.trim().is_empty() {
                self.end(found);
            }
            return Ok(());
        }
        if ggf::is_ggf(line) {
            self.end(found);
            let read = ggf::parse_counted(line);
            let (count, games) = read.map_err(|error| ggf::bad(error, line))?;
            if let Some(warning) = ggf::miscounted(count, games.len()) {
                self.warnings.add(format!("line {number}: {warning}"));
            }
            let games = games.into_iter().map(Ok);
            found.extend(games.map(|game| FoundGame::new(GamePlace::Line(number), game)));
            return Ok(());
        }
        let side = self.side;
        let Some(joiner) = &mut self.joiner else {
            let (game, theoretical) = of_line(line, side).map_err(|error| {
                let read = |before: &str| of_line(before, side).map(|(game, _)| game);
                BadGame::of(error, line, read)
            })?;
            found.push(FoundGame {
                theoretical,
                ..FoundGame::new(GamePlace::Line(number), Ok(game))
            });
            return Ok(());
        };
        let moves = page::all_moves(line);
        let read = |text: &str| pasted(text, side);
        let alone = read(line).map_err(|error| BadGame::of(error, line, read));
        match joiner.take(number, moves.as_ref(), alone) {
            Joined::Continued if moves.is_some_and(|line| line.is_doubtful()) => {
                self.warnings.add(format!("line {number} is no game by itself, and is read as a part of the game before it"));
            }
            Joined::Continued => log::info!("line {number} continues the game before it"),
            Joined::Begun(before) => add(found, before),
            Joined::Bad(before, bad) => {
                add(found, before);
                return Err(bad);
            }
            Joined::Skipped => log::info!("line {number} belongs to a game that cannot be read"),
        }
        Ok(())
    }
}

fn add(found: &mut Vec<FoundGame>, block: Option<page::GameBlock<u64>>) {
    found.extend(block.map(|block| FoundGame::new(GamePlace::Line(block.place), Ok(block.game))));
}

/// The game of a line, and the theoretical score behind it: a transcript, perhaps with score, year and
/// theoretical score, or a position, perhaps with moves.
fn of_line(text: &str, side: Option<Color>) -> Result<(GgfGame, Option<(u32, i32)>), TextError> {
    let nothing = || TextError::new(1, "the line holds no game");
    let found = match line::parse_line(text, side)?.ok_or_else(nothing)? {
        Entry::Board(_, problem) => {
            return Ok((GgfGame::anonymous(Game::new(problem.position)), None));
        }
        Entry::Continued(_, found) | Entry::Game(found) => found,
    };
    let mut words = found.note.split_ascii_whitespace();
    let year: Option<u16> = words.next().and_then(|word| word.parse().ok());
    let theoretical: Option<i32> = words.next().and_then(|word| word.parse().ok());
    let mut game = GgfGame::anonymous(found.game);
    if let Some(score) = found.score.filter(|score| score.abs() <= 64) {
        game.result = Some(GameResult::over(score.into()));
    }
    let both = year.zip(theoretical);
    if let Some((year, _)) = both {
        game.date = year.to_string();
    }
    Ok((game, both.map(|(_, score)| (THEORETICAL_EMPTIES, score))))
}

/// The game of a line by itself, in the form of [`of_line`] or as people paste moves.
pub(super) fn pasted(line: &str, side: Option<Color>) -> Result<GgfGame, TextError> {
    let error = match of_line(line, side) {
        Ok((game, _)) => return Ok(game),
        Err(error) => error,
    };
    match transcript::parse_pasted(line) {
        Ok(game) => Ok(GgfGame::anonymous(game)),
        Err(other) if other.column > error.column => Err(other),
        Err(_) => Err(error),
    }
}
