//! Reading games from files: records of self-play, and the games of all kinds of files that
//! [`crate::formats::games`] knows.

use thiserror::Error;

use super::labels::Facts;
use super::records::{RecordError, RecordReader};
use super::selfplay::PlayedGame;
use crate::formats::detect::Kind;
use crate::formats::games::{self, FoundGame, GameError, LineGrouping, Names, Source};
use crate::formats::ggf::End;
use crate::rules::Game;

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
    /// A game cannot be read.
    #[error(transparent)]
    Game(#[from] GameError),
    /// A position without moves.
    #[error("{0}: there are no moves")]
    NoMoves(games::GamePlace),
    /// Self-play.
    #[error(transparent)]
    Records(#[from] RecordError),
}

/// Reads the games of a file: records of self-play, or those of any other kind. A transcript may be
/// followed by its score for black, or that, the year and the theoretical score.
///
/// # Errors
/// If a game cannot be read.
pub fn read(source: Source) -> Result<Vec<SourceGame>, CorpusError> {
    if source.kind() != Kind::SelfPlay {
        let games = source.games(LineGrouping::OneGame, Names::default());
        return games.map(from_found).collect();
    }
    let mut reader = RecordReader::new(source.into_reader())?;
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

fn from_found(found: FoundGame) -> Result<SourceGame, CorpusError> {
    let game = found.game?;
    if game.game.moves().is_empty() && matches!(found.place, games::GamePlace::Line(_)) {
        return Err(CorpusError::NoMoves(found.place));
    }
    let played_out = game.result.filter(|result| result.end == End::Over);
    Ok(SourceGame {
        facts: Facts {
            result: played_out.map(|result| result.score.round() as i32),
            known: found.theoretical,
            ..Facts::default()
        },
        year: games::year(&game).map(u32::from),
        game: game.game,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transcripts_may_have_scores_and_a_year() {
        let text = "f5d6c3 +18 1977 -4\n# a comment\n\nf5f6 -2\n";
        let source = Source::whole(text.as_bytes()).expect("text");
        let games = read(source).expect("two good lines");
        assert_eq!(games.len(), 2);
        assert_eq!(games[0].year, Some(1977));
        assert_eq!(games[0].facts.known, Some((24, -4)));
        assert_eq!(games[0].facts.result, Some(18));
        assert_eq!((games[1].year, games[1].facts.known), (None, None));
    }

    #[test]
    fn other_files_are_errors() {
        let read = |bytes: &'static [u8]| read(Source::whole(bytes).expect("a kind"));
        assert!(matches!(read(b"EMILIAGMxx"), Err(CorpusError::Records(_))));
        assert!(matches!(read(b"f5 zz"), Err(CorpusError::Game(_))));
        let board = b"---------------------------OX------XO--------------------------- X";
        assert!(matches!(read(board), Err(CorpusError::NoMoves(_))));
        assert!(Source::whole(&b"\0\x01\x02"[..]).is_err());
    }
}
