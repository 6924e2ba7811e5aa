//! Games between people, from files of all kinds.

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use clap::Args;

use crate::people::choices::{self, PeopleGame};
use crate::people::ratings::{RatedGame, Ratings};
use emilia::commands::files;
use emilia::formats::detect::Kind;
use emilia::formats::games::{LineGrouping, Names, Source};
use emilia::formats::wthor;

/// The games that are given.
#[derive(Args, Debug)]
pub(super) struct GameFiles {
    /// The list of players of WTHOR files, WTH.JOU: names with an author in brackets are programs, whose games are not used
    #[arg(long, value_name = "FILE")]
    players: Option<PathBuf>,
    /// Files of games of any kind (WTHOR, PGN, GGF, transcripts, ..), packed with gzip or not
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

impl GameFiles {
    /// All files.
    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> {
        let files = self.files.iter().map(PathBuf::as_path);
        files.chain(self.players.as_deref())
    }

    /// The games between people. What cannot be read is named in the log.
    pub(super) fn read(&self) -> anyhow::Result<Vec<PeopleGame>> {
        let players = files::names(self.players.as_deref(), wthor::parse_players)?;
        let mut people = Vec::new();
        for path in &self.files {
            let source = Source::open(path);
            let source = source.with_context(|| format!("cannot read {}", path.display()))?;
            ensure!(
                source.kind() != Kind::Wthor || self.players.is_some(),
                "{} is a file of WTHOR: --players tells people from programs",
                path.display()
            );
            let names = Names {
                players: players.clone(),
                tournaments: Vec::new(),
            };
            let mut games = source.games(LineGrouping::OneGame, names);
            let read = choices::between_people(&mut games, |place, error| {
                log::warn!("{}, {place}: {error}", path.display());
            });
            people.extend(read);
        }
        Ok(people)
    }
}

/// The ratings of the players of these games.
pub(super) fn ratings(games: &[PeopleGame]) -> Ratings {
    let results: Vec<RatedGame> = games.iter().filter_map(PeopleGame::result).collect();
    let ratings = Ratings::new(&results);
    log::info!(
        "{} players are rated by {} games",
        ratings.players(),
        results.len()
    );
    ratings
}
