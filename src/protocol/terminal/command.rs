//! The words for people, and their grammar.

use std::env;
use std::fs;
use std::io::{self, Cursor};
use std::path::{Path, PathBuf};

use crate::engine::Strength;
use crate::formats::games::{LineGrouping, Names, Source};
use crate::formats::ggf::GgfGame;
use crate::formats::line;
use crate::rules::{Color, Move};
use crate::text::words::narrow;

/// What a person typed.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum TerminalCommand {
    /// A blank line: the analysis of a game that is over.
    Nothing,
    /// A move of whoever is to move.
    Move(Move),
    /// Back to where the person was to move.
    Undo,
    /// What was taken back is played again.
    Redo,
    /// The engine moves, and the person has the other side from now on.
    Go,
    /// The best moves; `None`: all.
    Hint(Option<usize>),
    /// How strong to play; `None`: as before.
    Strength(Option<Strength>),
    /// Another game; the person's colour is kept unless it is given.
    New(Option<Color>),
    Board,
    Solve,
    Analyze,
    /// What the opening book knows.
    Book,
    /// Play from this book; `None`: from none.
    ChooseBook(Option<PathBuf>),
    Save(PathBuf),
    /// A game that was pasted or stands in a file.
    Game(Box<GgfGame>),
    Help,
    Quit,
}

/// The words, what may follow them, and what they do, in at most 39 columns.
const HELP: [(&str, &str, &str); 15] = [
    ("undo", "", "back to your last move"),
    ("redo", "", "forward again"),
    ("go", "", "Emilia moves for you"),
    ("hint", " [N]", "the best moves"),
    ("level", " N", "1 to 22, 0 is strongest"),
    ("rating", " N", "1 to 3000; average: 1500"),
    ("new", " [white]", "another game"),
    ("board", "", "draws the board"),
    ("solve", "", "who wins, by how much"),
    ("analyze", "", "what went wrong"),
    ("book", " [on|off]", "what the book knows"),
    ("save", " FILE", "keeps the game"),
    ("load", " FILE [N]", "the Nth game of any file"),
    ("help", "", "this list"),
    ("quit", "", "or Ctrl+D"),
];

/// The words, for an editor that completes them.
pub fn words() -> impl Iterator<Item = &'static str> {
    HELP.iter().map(|&(word, ..)| word)
}

/// The list of words.
pub(super) fn help() -> String {
    let mut text = "f5             a move\n".to_owned();
    for (word, arguments, meaning) in HELP {
        let usage = format!("{word}{arguments}");
        text.push_str(&format!("{usage:14} {meaning}\n"));
    }
    text + "A pasted game or board is set up.\nCtrl+C ends a search, then leaves."
}

/// Reads a line.
///
/// # Errors
/// What is wrong with it.
pub(super) fn parse(text: &str) -> Result<TerminalCommand, String> {
    let text = text.trim();
    let (name, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let (name, rest) = (name.to_lowercase(), rest.trim());
    Ok(match (name.as_str(), rest) {
        ("", _) => TerminalCommand::Nothing,
        ("undo", "") => TerminalCommand::Undo,
        ("redo", "") => TerminalCommand::Redo,
        ("go", "") => TerminalCommand::Go,
        ("board", "") => TerminalCommand::Board,
        ("solve", "") => TerminalCommand::Solve,
        ("analyze" | "analyse", "") => TerminalCommand::Analyze,
        ("help" | "?", "") => TerminalCommand::Help,
        ("quit" | "exit", "") => TerminalCommand::Quit,
        ("hint", "") => TerminalCommand::Hint(None),
        ("hint", _) => TerminalCommand::Hint(Some(number(rest, 1)? as usize)),
        ("level" | "rating", "") => TerminalCommand::Strength(None),
        ("level", _) => TerminalCommand::Strength(Some(Strength::chosen(number(rest, 0)?, 0)?)),
        ("rating", _) => TerminalCommand::Strength(Some(Strength::chosen(0, number(rest, 0)?)?)),
        ("new", "") => TerminalCommand::New(None),
        ("new", _) => {
            let color = rest.parse::<Color>().map_err(|error| error.to_string())?;
            TerminalCommand::New(Some(color))
        }
        ("book", "") => TerminalCommand::Book,
        ("book", "off") => TerminalCommand::ChooseBook(None),
        ("book", "on") => TerminalCommand::ChooseBook(Some("builtin".into())),
        ("book", path) => TerminalCommand::ChooseBook(Some(unescaped(path).into())),
        ("save" | "load", "") => return Err(format!("{name} which file?")),
        ("save", path) => TerminalCommand::Save(unescaped(path).into()),
        ("load", path) => load(path)?,
        _ if words().any(|word| word == name) => {
            return Err(format!("nothing may stand behind {name}"));
        }
        _ => moves(text)?,
    })
}

/// A number of at least `least`.
fn number(text: &str, least: u32) -> Result<u32, String> {
    let known = text.parse().ok().filter(|&number| number >= least);
    known.ok_or_else(|| format!("expected a number from {least} on, found {text:?}"))
}

/// A move, or a whole game or board that was pasted.
fn moves(text: &str) -> Result<TerminalCommand, String> {
    if let Some(mv) = a_move(text) {
        return Ok(TerminalCommand::Move(mv));
    }
    match game_of(pasted(text), 1) {
        Ok(game) => Ok(TerminalCommand::Game(Box::new(game))),
        Err(error) if line::is_begun(text) => Err(error),
        Err(_) => Err(format!("{text:?} is no move and no word: try help")),
    }
}

/// A move alone, as `c4!`, `3. c4` or `B:c4` have it too.
fn a_move(text: &str) -> Option<Move> {
    let plain: String = text.chars().map(narrow).collect();
    let words = plain.split(|letter: char| !letter.is_alphanumeric());
    let is_before = |word: &&str| {
        word.is_empty()
            || word.parse::<u32>().is_ok()
            || word.parse::<Color>().is_ok()
            || ["play", "move"].contains(word)
    };
    let mut words = words.skip_while(is_before);
    let found = words.next()?.parse().ok();
    found.filter(|_| words.all(str::is_empty))
}

/// A name of a file as people write it in a shell: `my\ game.ggf`, `"my game.ggf"`, `~/game.ggf`.
fn unescaped(text: &str) -> String {
    let quoted = ['"', '\''].into_iter().find_map(|quote| {
        let inner = text.strip_prefix(quote)?.strip_suffix(quote)?;
        (!inner.contains(quote)).then(|| inner.to_owned())
    });
    let text = quoted.unwrap_or_else(|| text.replace("\\ ", " "));
    let home = text.strip_prefix("~/").zip(env::home_dir());
    let file = home.map(|(name, home)| home.join(name).display().to_string());
    file.unwrap_or(text)
}

fn pasted(text: &str) -> io::Result<Source> {
    Source::whole(Cursor::new(text.to_owned()))
}

/// A file of games. Nobody waits here for what a pipe may say.
fn open(path: &str) -> io::Result<Source> {
    match fs::metadata(path) {
        Ok(found) if !found.is_file() => Err(io::Error::other("it is no file of games")),
        _ => Source::open(Path::new(path)),
    }
}

/// `FILE`, or `FILE N`: the game of that number.
fn load(text: &str) -> Result<TerminalCommand, String> {
    let whole = unescaped(text);
    let numbered = text
        .rsplit_once(' ')
        .filter(|_| !Path::new(&whole).exists());
    let numbered =
        numbered.and_then(|(path, number)| Some((unescaped(path.trim()), number.parse().ok()?)));
    let (path, number) = numbered.unwrap_or((whole, 1));
    let game = game_of(open(&path), number);
    let game = game.map_err(|error| format!("cannot load {path}: {error}"))?;
    Ok(TerminalCommand::Game(Box::new(game)))
}

/// The game of a file, if there is one of this name, else of the text itself.
///
/// # Errors
/// Why it cannot be read.
pub fn read_game(text: &str) -> Result<GgfGame, String> {
    let text = text.trim();
    let source = match Path::new(text).exists() {
        true => open(text),
        false => pasted(text),
    };
    game_of(source, 1).map_err(|error| format!("cannot read {text:?}: {error}"))
}

/// The game of this number; the first is 1.
fn game_of(source: io::Result<Source>, number: usize) -> Result<GgfGame, String> {
    let source = source.map_err(|error| error.to_string())?;
    let mut games = source.games(LineGrouping::MayContinue, Names::default());
    let found = number.checked_sub(1).and_then(|before| games.nth(before));
    let found = found.ok_or_else(|| format!("there is no game {number}"))?;
    found.game.map_err(|error| error.to_string())
}
