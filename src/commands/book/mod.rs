//! `emilia book`: the opening book, made, studied and exchanged.

mod cluster;
mod exchange;
mod growing;
mod keeping;
mod show;
mod stats;
mod studying;

use std::io::Cursor;
use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail, ensure};
use clap::{Args, Subcommand};

use super::Exit;
use crate::book::{BUILTIN, Book, BookError, Tree};
use crate::files::UsedFiles;
use crate::formats::games::{LineGrouping, Names, Source};
use crate::rules::{Board, Color, Game, Position};
use crate::text::counted;

/// The arguments of `emilia book`.
#[derive(Args, Debug)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Add the positions that would most change what to play, and search them; it may be ended and continued at any time
    Grow(growing::Grow),
    /// Print the searches that grow would do next, as lines for emilia solve --depth on other machines
    Jobs(cluster::Jobs),
    /// Take the answers to such lines into the book
    Take(cluster::Take),
    /// Show what the book says of a position
    Show(show::Show),
    /// The least number of lines to know by heart with which a side holds a score, and the lines
    Lines(studying::Lines),
    /// Force or forbid moves, which playing, growth and lines obey; without a change, print what is forced and forbidden
    Repertoire(studying::Repertoire),
    /// Print the positions with a name, score, certainty or ply
    Find(studying::Find),
    /// Print the positions on which two books disagree; the status is 1 if they do
    Compare(studying::Compare),
    /// Count positions and proven leaves by ply, and grade the book
    Stats(stats::Stats),
    /// Check that a book is whole and consistent
    Check(stats::Check),
    /// Take the positions of games into a book, and count the games
    Learn(keeping::Learn),
    /// Search the leaves again that were searched less deeply
    Deepen(growing::Deepen),
    /// Write a smaller book: what is below a position, without what only bad moves reach
    #[command(visible_alias = "subtree")]
    Prune(keeping::Prune),
    /// Write a book of all positions of several ones
    Merge(keeping::Merge),
    /// Save what can be read of a damaged book into a new one
    Repair(keeping::Repair),
    /// Read a book of another program
    Import(exchange::Import),
    /// Write a book for another program
    Export(exchange::Export),
}

/// Does what is asked.
///
/// # Errors
/// If a file cannot be read or written, or a search fails.
pub fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    match &arguments.command {
        Command::Grow(arguments) => growing::grow(arguments),
        Command::Jobs(arguments) => cluster::jobs(arguments),
        Command::Take(arguments) => cluster::take(arguments),
        Command::Show(arguments) => show::run(arguments),
        Command::Lines(arguments) => studying::lines(arguments),
        Command::Repertoire(arguments) => studying::repertoire(arguments),
        Command::Find(arguments) => studying::find(arguments),
        Command::Compare(arguments) => studying::compare(arguments),
        Command::Stats(arguments) => stats::stats(arguments),
        Command::Check(arguments) => stats::check(arguments),
        Command::Learn(arguments) => keeping::learn(arguments),
        Command::Deepen(arguments) => growing::deepen(arguments),
        Command::Prune(arguments) => keeping::prune(arguments),
        Command::Merge(arguments) => keeping::merge(arguments),
        Command::Repair(arguments) => keeping::repair(arguments),
        Command::Import(arguments) => exchange::import(arguments),
        Command::Export(arguments) => exchange::export(arguments),
    }
}

/// A book that is given.
#[derive(Args, Debug)]
struct BookFile {
    /// The book
    #[arg(value_name = "BOOK")]
    book: PathBuf,
}

impl BookFile {
    fn open(&self) -> anyhow::Result<Book> {
        Ok(Book::open(&self.book)?)
    }

    fn load(&self) -> anyhow::Result<Tree> {
        Ok(Tree::load(&self.open()?)?)
    }
}

/// Moves from the start, or a board, of a command line.
fn game(text: &str, side: Option<Color>) -> anyhow::Result<Game> {
    if text.trim().is_empty() {
        return Ok(Game::new(Position::START));
    }
    let source = Source::whole(Cursor::new(text.to_owned()))?.with_side(side);
    let mut games = source.games(LineGrouping::MayContinue, Names::default());
    let found = games.next();
    let found = found.ok_or_else(|| anyhow!("expected moves or a position"))?;
    let game = found.game;
    let game = game.map_err(|error| anyhow!("cannot read {text:?}: {error}"))?;
    Ok(game.game)
}

/// The position where a move is to be played: no position of a book must pass.
fn after_pass(position: Position) -> Position {
    if !position.board.must_pass() {
        return position;
    }
    Position {
        board: position.board.pass(),
        side: position.side.opponent(),
    }
}

/// The position to which they lead, where a move is to be played, and the side that plays it.
fn root(text: &str) -> anyhow::Result<(Board, Color)> {
    let Position { board, side } = after_pass(game(text, None)?.position());
    ensure!(
        !board.legal_moves().is_empty(),
        "the game is over after {text:?}"
    );
    Ok((board, side))
}

/// A book that is written is none of the inputs, and must not exist: so no work of days is lost.
fn check_new<P: AsRef<Path>>(
    path: &Path,
    inputs: impl IntoIterator<Item = P>,
) -> anyhow::Result<()> {
    ensure!(path != Path::new(BUILTIN), BookError::Builtin);
    Ok(UsedFiles::reading(inputs).claim_new(path)?)
}

/// The number of plies before a board, no pass counted.
fn ply_of(board: Board) -> u32 {
    60u32.saturating_sub(board.empty_count())
}

/// Says on standard error what was done.
fn say(text: impl std::fmt::Display) {
    use std::io::Write;
    // It may be closed.
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Prints a value as a line of JSON, or as text.
fn print(is_json: bool, value: &serde_json::Value, text: &str) -> anyhow::Result<()> {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    if is_json {
        writeln!(out, "{value}")?;
    } else {
        write!(out, "{text}")?;
    }
    out.flush()?;
    if text.is_empty() && !is_json {
        bail!("there is nothing to print");
    }
    Ok(())
}
