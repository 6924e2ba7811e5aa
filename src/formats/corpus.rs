//! What games to learn from are read from: records of self-play, and all kinds of files that
//! [`games`] knows.

use thiserror::Error;

use super::detect::Kind;
use super::games::{self, FoundGame, GameError, LineGrouping, Names, Source};
use super::ggf::End;
use super::records::{PlayedGame, RecordError, RecordReader};
use crate::rules::Game;

/// A game and the facts that its source has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceGame {
    /// The moves.
    pub game: Game,
    /// Results and scores.
    pub facts: Facts,
}

/// The facts of a game besides its moves, by its source.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Facts {
    /// The result for black of an unfinished game.
    pub result: Option<i32>,
    /// The true score for black, in discs, at this number of empties.
    pub known: Option<(u32, i32)>,
    /// Plies at the start that were not played to win; their positions are left out.
    pub random: usize,
    /// Empties from which on both sides played perfectly.
    pub perfect: u32,
    /// The known scores of searches of the positions from ply `random` on, in discs for the
    /// side to move.
    pub scores: Vec<i8>,
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

/// Reads the games of a file: records of self-play, or those of any other kind, each or why it cannot be read. A transcript
/// may be followed by its score for black, or that, the year and the theoretical score.
///
/// # Errors
/// If a record of self-play cannot be read.
pub fn read(source: Source) -> Result<Vec<Result<SourceGame, CorpusError>>, CorpusError> {
    if source.kind() != Kind::SelfPlay {
        let games = source.games(LineGrouping::OneGame, Names::default());
        return Ok(games.map(from_found).collect());
    }
    let mut reader = RecordReader::new(source.into_reader())?;
    let mut games = Vec::new();
    while let Some(block) = reader.block()? {
        games.extend(block.games.into_iter().map(from_self_play).map(Ok));
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
        game: game.game,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transcripts_may_have_scores() {
        let text = "f5d6c3 +18 1977 -4\n# a comment\n\nf5f6 -2\n";
        let source = Source::whole(text.as_bytes()).expect("text");
        let games: Result<Vec<_>, _> = read(source).expect("text").into_iter().collect();
        let games = games.expect("two good lines");
        assert_eq!(games.len(), 2);
        assert_eq!(games[0].facts.known, Some((24, -4)));
        assert_eq!(games[0].facts.result, Some(18));
        assert_eq!(games[1].facts.known, None);
    }

    #[test]
    fn other_files_are_errors() {
        let read = |bytes: &'static [u8]| {
            let games = read(Source::whole(bytes).expect("a kind"))?;
            games.into_iter().collect::<Result<Vec<_>, _>>()
        };
        assert!(matches!(read(b"EMILIAGMxx"), Err(CorpusError::Records(_))));
        assert!(matches!(read(b"f5 zz"), Err(CorpusError::Game(_))));
        let board = b"---------------------------OX------XO--------------------------- X";
        assert!(matches!(read(board), Err(CorpusError::NoMoves(_))));
        assert!(Source::whole(&b"\0\x01\x02"[..]).is_err());
    }
}
