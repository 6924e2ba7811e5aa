//! The games that are to be analysed, from files of all kinds, pasted text and standard input. What cannot be
//! read is reported, and the others stay.

use std::io::{self, Read};
use std::path::Path;

use anyhow::Context;

use super::Arguments;
use crate::commands::files;
use crate::formats::ggf::GgfGame;
use crate::formats::{ggf, sgf, transcript, wthor};
use crate::rules::Game;
use crate::text::words::narrow;
use crate::text::{Lines, TextError};

/// A line of so many moves or fewer continues the game of the line before it, if it can.
const FEW: usize = 2;

/// A game and what its file says about it.
pub(super) struct Found {
    /// Where it stands; empty for a transcript of the command line.
    pub(super) source: String,
    pub(super) game: GgfGame,
}

/// Reads games.
pub(super) struct Reader<'a> {
    arguments: &'a Arguments,
    players: Vec<String>,
    tournaments: Vec<String>,
    pub(super) games: Vec<Found>,
    /// Games that were not asked for.
    pub(super) others: usize,
    /// What cannot be read.
    pub(super) bad: Vec<anyhow::Error>,
}

/// Lines that make one game so far.
struct Pasted {
    source: String,
    text: String,
    game: Game,
}

impl Reader<'_> {
    /// Reads all games that the arguments name.
    ///
    /// # Errors
    /// If the list of players or standard input cannot be read.
    pub(super) fn read(arguments: &Arguments) -> anyhow::Result<Reader<'_>> {
        let mut reader = Reader {
            arguments,
            players: names(arguments.players.as_deref(), wthor::parse_players)?,
            tournaments: names(arguments.tournaments.as_deref(), wthor::parse_tournaments)?,
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
        let mut bytes = Vec::new();
        let read = io::stdin().lock().read_to_end(&mut bytes);
        read.context("cannot read standard input")?;
        self.read_text("standard input", &bytes);
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
        match bytes_of(path) {
            Err(error) => self.bad.push(error),
            Ok(bytes) if wthor::is_database(path) => self.read_wthor(name, &bytes),
            Ok(bytes) => self.read_text(name, &bytes),
        }
    }

    fn read_wthor(&mut self, name: &str, bytes: &[u8]) {
        let (database, games) = match wthor::parse_each(bytes).with_context(|| format!("in {name}"))
        {
            Ok(found) => found,
            Err(error) => return self.bad.push(error),
        };
        for (number, found) in (1..).zip(games) {
            let source = format!("{name}, game {number}");
            match found {
                Ok(found) => {
                    let mut game = GgfGame::new(found.game);
                    game.black.name = name_of(&self.players, found.black, "player");
                    game.white.name = name_of(&self.players, found.white, "player");
                    game.place = name_of(&self.tournaments, found.tournament, "tournament");
                    game.date = database.year.to_string();
                    self.add(source, game);
                }
                Err(error) => self
                    .bad
                    .push(anyhow::Error::new(error).context(format!("in {name}"))),
            }
        }
    }

    /// Reads SGF, or lines of GGF and transcripts.
    fn read_text(&mut self, name: &str, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes);
        if sgf::is_sgf(&text) {
            for (number, (_, found)) in (1..).zip(sgf::parse(&text)) {
                let source = format!("{name}, game {number}");
                match found.with_context(|| format!("in {source}")) {
                    Ok(found) => {
                        let mut game = GgfGame::new(found.game);
                        game.black.name = found.black;
                        game.white.name = found.white;
                        game.date = found.date;
                        self.add(source, game);
                    }
                    Err(error) => self.bad.push(error),
                }
            }
            return;
        }
        let mut pasted = None;
        let mut lines = Lines::new(bytes);
        // Bytes in memory can always be read.
        while let Ok(Some(line)) = lines.next_line() {
            let source = format!("{name}, line {}", line.number);
            let read = line
                .text()
                .and_then(|text| self.read_line(&source, text, &mut pasted));
            if let Err(error) = read.with_context(|| format!("in {source}")) {
                self.bad.push(error);
            }
        }
        self.end_pasted(&mut pasted);
    }

    /// Reads a line, which may continue a game that was pasted as several lines.
    fn read_line(
        &mut self,
        source: &str,
        line: &str,
        pasted: &mut Option<Pasted>,
    ) -> Result<(), TextError> {
        if line.trim().is_empty() {
            self.end_pasted(pasted);
            return Ok(());
        }
        if ggf::is_ggf(line) {
            self.end_pasted(pasted);
            for game in ggf::parse_line(line)? {
                self.add(source.to_owned(), game);
            }
            return Ok(());
        }
        if transcript::parse_line(line) == Ok(None) {
            return Ok(());
        }
        let mut alone = transcript_of(line);
        let may_continue = match &alone {
            Ok(game) => game.moves().len() <= FEW || is_later_number(line),
            Err(_) => true,
        };
        if may_continue && let Some(before) = pasted {
            let text = format!("{}\n{line}", before.text);
            match transcript::parse_pasted(&text) {
                Ok(game) => {
                    (before.text, before.game) = (text, game);
                    return Ok(());
                }
                Err(mut error) => {
                    error.column = error.column.saturating_sub(before.text.len() + 1);
                    alone = alone.map_err(|other| further(other, error));
                }
            }
        }
        self.end_pasted(pasted);
        *pasted = Some(Pasted {
            source: source.to_owned(),
            text: line.to_owned(),
            game: alone?,
        });
        Ok(())
    }

    fn end_pasted(&mut self, pasted: &mut Option<Pasted>) {
        if let Some(Pasted { source, game, .. }) = pasted.take() {
            self.add(source, GgfGame::new(game));
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
            && year.is_none_or(|wanted| game.date.contains(&wanted.to_string()))
        {
            self.games.push(Found { source, game });
        } else {
            self.others += 1;
        }
    }
}

/// The names of a list of WTHOR, if it is given.
fn names(
    path: Option<&Path>,
    parse: fn(&[u8]) -> Result<Vec<String>, wthor::WthorError>,
) -> anyhow::Result<Vec<String>> {
    let Some(path) = path else {
        return Ok(Vec::new());
    };
    parse(&bytes_of(path)?).with_context(|| format!("in {}", path.display()))
}

/// The name of this number, or what it is of and the number.
fn name_of(names: &[String], number: u16, kind: &str) -> String {
    let name = names.get(usize::from(number));
    name.map_or_else(|| format!("{kind} {number}"), Clone::clone)
}

fn bytes_of(path: &Path) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = files::open(path)?.read_to_end(&mut bytes);
    read.with_context(|| format!("cannot read {}", path.display()))?;
    Ok(bytes)
}

/// A transcript in one line, or pasted from anywhere.
fn transcript_of(text: &str) -> Result<Game, TextError> {
    match text.parse::<transcript::Transcript>() {
        Ok(found) if !found.game.moves().is_empty() => Ok(found.game),
        // Only a number, which may be that of a move.
        Ok(_) => transcript::parse_pasted(text),
        Err(error) => transcript::parse_pasted(text).map_err(|other| further(error, other)),
    }
}

/// The error of the reader that came further.
fn further(error: TextError, other: TextError) -> TextError {
    if other.column > error.column {
        other
    } else {
        error
    }
}

/// Does the line begin with a number of a move other than the first?
fn is_later_number(line: &str) -> bool {
    let letters = line.trim_start().chars().map(narrow);
    let number: String = letters.take_while(char::is_ascii_digit).collect();
    number.parse().is_ok_and(|number: u32| number > 1)
}
