//! Reading games from files: records of self-play, WTHOR databases, and
//! transcripts with a score.

use std::io::{BufRead, Read};

use thiserror::Error;

use super::labels::Facts;
use super::records::{RecordError, RecordReader};
use super::selfplay::PlayedGame;
use crate::formats::transcript::{self, Transcript};
use crate::formats::wthor::{self, WthorError};
use crate::rules::Game;
use crate::text::{ReadError, read_all};

/// Empties at which the scores of the third column of a transcript, WTHOR's theoretical
/// ones, are exact.
const THEORETICAL_EMPTIES: u32 = 24;

/// A game and the facts that its source has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceGame {
    /// The moves.
    pub game: Game,
    /// Results and scores.
    pub facts: Facts,
    /// The year of a tournament game.
    pub year: Option<u32>,
}

/// Why a file of games cannot be read.
#[derive(Debug, Error)]
pub enum CorpusError {
    /// The file could not be read.
    #[error("cannot read games: {0}")]
    Io(#[from] std::io::Error),
    /// Games as text.
    #[error(transparent)]
    Text(#[from] ReadError),
    /// A WTHOR database.
    #[error(transparent)]
    Wthor(#[from] WthorError),
    /// Self-play.
    #[error(transparent)]
    Records(#[from] RecordError),
}

/// Reads the games of a file: records of self-play, recognised by their first
/// bytes; a WTHOR database if `is_wthor`; otherwise transcripts, one a line, each
/// followed by nothing, its score for black, or that, the year and the theoretical score.
///
/// # Errors
/// If the file cannot be read, or is something else.
pub fn read(mut reader: impl BufRead, is_wthor: bool) -> Result<Vec<SourceGame>, CorpusError> {
    if is_wthor {
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes)?;
        return Ok(from_wthor(&wthor::parse(&bytes)?));
    }
    if reader.fill_buf()?.starts_with(b"EMILIAGM") {
        return Ok(from_records(reader)?);
    }
    let transcripts = read_all(reader, transcript::parse_line)?;
    Ok(transcripts.into_iter().map(from_transcript).collect())
}

fn from_records(reader: impl Read) -> Result<Vec<SourceGame>, RecordError> {
    let mut reader = RecordReader::new(reader)?;
    let mut games = Vec::new();
    while let Some(block) = reader.block()? {
        games.extend(block.games.into_iter().map(from_self_play));
    }
    Ok(games)
}

fn from_self_play(played: PlayedGame) -> SourceGame {
    SourceGame {
        facts: Facts {
            result: played.game.position().result_for_black(),
            known: None,
            random: played.random,
            perfect: played.exact,
            scores: played.scores,
        },
        game: played.game,
        year: None,
    }
}

fn from_wthor(database: &wthor::Database) -> Vec<SourceGame> {
    let game = |played: &wthor::WthorGame| SourceGame {
        game: played.game.clone(),
        facts: Facts {
            result: Some(played.score()),
            known: Some((u32::from(database.empties), played.theoretical_score())),
            ..Facts::default()
        },
        year: Some(u32::from(database.year)),
    };
    database.games.iter().map(game).collect()
}

fn from_transcript(transcript: Transcript) -> SourceGame {
    let mut words = transcript.note.split_ascii_whitespace();
    let year = words.next().and_then(|word| word.parse().ok());
    let theoretical = words.next().and_then(|word| word.parse().ok());
    let tournament = year.zip(theoretical);
    SourceGame {
        game: transcript.game,
        facts: Facts {
            result: transcript.score,
            known: tournament.map(|(_, theoretical)| (THEORETICAL_EMPTIES, theoretical)),
            ..Facts::default()
        },
        year: tournament.map(|(year, _)| year),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transcripts_may_have_scores_and_a_year() {
        let text = "f5d6c3 +18 1977 -4\n# a comment\n\nf5f6 -2\n";
        let games = read(text.as_bytes(), false).expect("two good lines");
        assert_eq!(games.len(), 2);
        assert_eq!(games[0].year, Some(1977));
        assert_eq!(games[0].facts.known, Some((24, -4)));
        assert_eq!(games[0].facts.result, Some(18));
        assert_eq!((games[1].year, games[1].facts.known), (None, None));
    }

    #[test]
    fn other_files_are_errors() {
        assert!(matches!(
            read(&b"EMILIAGMxx"[..], false),
            Err(CorpusError::Records(_))
        ));
        assert!(matches!(
            read(&b"short"[..], true),
            Err(CorpusError::Wthor(_))
        ));
        assert!(matches!(
            read(&b"f5 zz"[..], false),
            Err(CorpusError::Text(_))
        ));
    }
}
