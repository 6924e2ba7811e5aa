//! The games that are to be analysed, from files of all kinds, pasted text and standard input. What cannot be
//! read is reported, and the others stay.

use std::io::{self, Cursor};
use std::path::Path;

use anyhow::{Context, anyhow};

use super::Arguments;
use crate::commands::files;
use crate::formats::detect::Kind;
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
        files::say_what_is_awaited("games, such as f5d6c3");
        let source = Source::whole(io::stdin()).context("cannot read standard input")?;
        self.read_source("in standard input", Some("standard input"), source);
        Ok(())
    }

    /// Reads a file, if there is one of this name, else the text itself.
    fn read_one(&mut self, name: &str) {
        let name = name.trim_start();
        let path = Path::new(name);
        let file = path.exists().then_some(name);
        let source = match file {
            Some(_) => Source::open(path),
            None => Source::whole(Cursor::new(name.to_owned())),
        };
        let source = match source.with_context(|| format!("cannot read {name}")) {
            Ok(source) => source,
            Err(error) => return self.bad.push(error),
        };
        let place = match file {
            Some(file) => format!("in {file}"),
            None if source.kind() == Kind::Unknown => {
                format!("neither a file nor a transcript: {name:?}")
            }
            None => format!("in {name:?}"),
        };
        self.read_source(&place, file, source);
    }

    /// Reads the games of a source; `place` is what errors begin with.
    fn read_source(&mut self, place: &str, name: Option<&str>, source: Source) {
        let source = source.with_side(self.arguments.side);
        let mut games = source.games(LineGrouping::MayContinue, self.names.clone());
        for found in games.by_ref() {
            let at = found.place;
            let source = name.map_or_else(String::new, |name| format!("{name}, {at}"));
            let error = match found.game {
                Ok(game) if !game.game.moves().is_empty() => {
                    self.add(source, game);
                    continue;
                }
                Ok(_) => format!("{at}: there is no move to analyse"),
                Err(error) => error.to_string(),
            };
            let hint = side_hint(&error);
            let up_to = match found.before {
                Some(_) => "; the game is read up to there",
                None => "",
            };
            self.bad.push(anyhow!("{place}, {error}{hint}{up_to}"));
            if let Some(before) = found.before {
                self.add(source, before);
            }
        }
        for warning in games.take_warnings() {
            logging::warning(&format!("{place}, {warning}"));
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
