//! The games that are to be analysed, from files of all kinds, pasted text and standard input. What cannot be
//! read is reported, and the others stay.

use std::io::{self, Cursor};
use std::path::Path;

use anyhow::{Context, anyhow};

use super::Arguments;
use crate::commands::files;
use crate::formats::games::{self, LineGrouping, Names, Source};
use crate::formats::ggf::GgfGame;
use crate::formats::line::side_hint;
use crate::formats::wthor;
use crate::logging;

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

    /// Reads a file, if there is one of this name, else the text itself.
    fn read_one(&mut self, name: &str) {
        let path = Path::new(name);
        let is_file = path.exists();
        let source = match is_file {
            true => Source::open(path),
            false => Source::whole(Cursor::new(name.to_owned())),
        };
        let place = match is_file {
            true => name.to_owned(),
            false => format!("neither a file nor a transcript: {name:?}"),
        };
        match source.with_context(|| format!("cannot read {name}")) {
            Ok(source) => self.read_source(&place, source),
            Err(error) => self.bad.push(error),
        }
    }

    fn read_source(&mut self, name: &str, source: Source) {
        let source = source.with_side(self.arguments.side);
        let mut games = source.games(LineGrouping::MayContinue, self.names.clone());
        for found in games.by_ref() {
            let place = format!("{name}, {}", found.place);
            match found.game {
                Ok(game) if game.game.moves().is_empty() => {
                    self.bad
                        .push(anyhow!("in {place}: there is no move to analyse"));
                }
                Ok(game) => self.add(place, game),
                Err(error) => {
                    let hint = side_hint(&error.to_string());
                    let read = found.before.as_ref().map_or_else(String::new, |before| {
                        format!(
                            "; the {} moves before it are read",
                            before.game.moves().len()
                        )
                    });
                    self.bad.push(anyhow!("in {name}, {error}{hint}{read}"));
                    if let Some(before) = found.before {
                        self.add(place, before);
                    }
                }
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
