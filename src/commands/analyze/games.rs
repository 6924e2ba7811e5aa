//! The games that are to be analysed, from files of all kinds, pasted text and standard input. What cannot be
//! read is reported, and the others stay.

use std::io;
use std::path::Path;

use anyhow::{Context, anyhow};

use super::Arguments;
use crate::commands::files;
use crate::formats::games::{self, LineGrouping, Names, Source};
use crate::formats::ggf::GgfGame;
use crate::formats::{transcript, wthor};
use crate::logging;
use crate::rules::Game;
use crate::text::TextError;

/// A game and what its file says about it.
pub(super) struct NamedGame {
    /// Where it stands; empty for a transcript of the command line.
    pub(super) source: String,
    pub(super) game: GgfGame,
}

/// Reads games.
pub(super) struct GameReader<'a> {
    arguments: &'a Arguments,
    names: Names,
    pub(super) games: Vec<NamedGame>,
    /// Games that were not asked for.
    pub(super) others: usize,
    /// What cannot be read.
    pub(super) bad: Vec<anyhow::Error>,
}

impl GameReader<'_> {
    /// Reads all games that the arguments name.
    pub(super) fn read(arguments: &Arguments) -> anyhow::Result<GameReader<'_>> {
        let mut reader = GameReader {
            arguments,
            names: Names {
                players: files::names(arguments.players.as_deref(), wthor::parse_players)?,
                tournaments: files::names(
                    arguments.tournaments.as_deref(),
                    wthor::parse_tournaments,
                )?,
            },
            games: Vec::new(),
            others: 0,
            bad: Vec::new(),
        };
        for name in &arguments.games {
            if name == "-" {
                reader.read_standard_input()?;
            } else {
                reader.read_one(name);
            }
        }
        if arguments.games.is_empty() {
            reader.read_standard_input()?;
        }
        Ok(reader)
    }

    fn read_standard_input(&mut self) -> anyhow::Result<()> {
        let source = Source::whole(io::stdin()).context("cannot read standard input")?;
        self.read_source("standard input", source);
        Ok(())
    }

    /// Reads a file, if there is one of this name, else a transcript.
    fn read_one(&mut self, name: &str) {
        let path = Path::new(name);
        if !path.exists() {
            let game = transcript_of(name);
            match game.with_context(|| format!("neither a file nor a transcript: {name:?}")) {
                Ok(game) => self.add(String::new(), GgfGame::new(game)),
                Err(error) => self.bad.push(error),
            }
            return;
        }
        match Source::open(path).with_context(|| format!("cannot read {name}")) {
            Ok(source) => self.read_source(name, source),
            Err(error) => self.bad.push(error),
        }
    }

    fn read_source(&mut self, name: &str, source: Source) {
        let mut games = source.games(LineGrouping::MayContinue, self.names.clone());
        for found in games.by_ref() {
            match found.game {
                Ok(game) if game.game.moves().is_empty() => {
                    let place = found.place;
                    self.bad
                        .push(anyhow!("in {name}, {place}: there is no move to analyse"));
                }
                Ok(game) => self.add(format!("{name}, {}", found.place), game),
                Err(error) => self.bad.push(anyhow!("in {name}, {error}")),
            }
        }
        for warning in games.take_warnings() {
            logging::warning(&format!("in {name}, {warning}"));
        }
    }

    /// Keeps a game if it is one of those asked for.
    fn add(&mut self, source: String, game: GgfGame) {
        let Arguments {
            player,
            tournament,
            year,
            ..
        } = self.arguments;
        let has = |wanted: &Option<String>, names: &[&String]| {
            let contains = |wanted: &String| {
                let wanted = wanted.to_lowercase();
                names
                    .iter()
                    .any(|name| name.to_lowercase().contains(&wanted))
            };
            wanted.as_ref().is_none_or(contains)
        };
        if has(player, &[&game.black.name, &game.white.name])
            && has(tournament, &[&game.place])
            && year.is_none_or(|wanted| games::year(&game) == Some(wanted))
        {
            self.games.push(NamedGame { source, game });
        } else {
            self.others += 1;
        }
    }
}

/// A transcript in one line, or pasted from anywhere.
fn transcript_of(text: &str) -> Result<Game, TextError> {
    match text.parse::<transcript::Transcript>() {
        Ok(found) if !found.game.moves().is_empty() => Ok(found.game),
        // Only a number, which may be that of a move.
        Ok(_) => transcript::parse_pasted(text),
        // Of the two errors, that of the reader that came further.
        Err(error) => {
            transcript::parse_pasted(text).map_err(|other| match other.column > error.column {
                true => other,
                false => error,
            })
        }
    }
}
