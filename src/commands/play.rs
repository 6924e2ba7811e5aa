//! `emilia play`, and `emilia` in a terminal: games against a person, and a board to study on. With a terminal on both
//! ends lines are edited, completed and kept; otherwise the same words are read line by line.

use std::env;
use std::io::{self, Cursor, IsTerminal, Read, StdinLock, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use rustyline::completion::{Completer, FilenameCompleter, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::MemHistory;
use rustyline::validate::Validator;
use rustyline::{CompletionType, Config, Editor, Helper};
use signal_hook::consts::SIGINT;

use super::Exit;
use super::serve::{self, Playing, Start};
use crate::formats::ggf::{GameClock, GgfGame, parse_clock};
use crate::protocol::terminal::{self, Console, Prompt, Setup, Style, read_game};
use crate::rules::Color;
use crate::text::{Line, Lines};

/// The arguments of `emilia play`.
#[derive(Args, Debug)]
pub struct Arguments {
    /// Where to begin: moves, a position, or a file of games [default: the start]
    #[arg(value_name = "GAME | POSITION | FILE")]
    game: Vec<String>,
    /// You play black [default: the side to move]
    #[arg(long, conflicts_with = "white")]
    black: bool,
    /// You play white
    #[arg(long)]
    white: bool,
    /// The clock of each side: 5:00, or with an increment 5:00/0:03
    #[arg(long, value_name = "TIME", value_parser = clock)]
    time: Option<GameClock>,
    /// Letters alone, as for screen readers; so it is where NO_COLOR is set, TERM is dumb, or the console that of Windows
    #[arg(long)]
    plain: bool,
    #[command(flatten)]
    playing: Playing,
}

impl Arguments {
    fn person(&self) -> Option<Color> {
        let black = self.black.then_some(Color::Black);
        black.or(self.white.then_some(Color::White))
    }

    fn style(&self, columns: Option<usize>) -> Style {
        /// Columns that lines of play need.
        const WIDE: usize = 60;
        let is_terminal = columns.is_some();
        let is_set = |name| env::var(name).is_ok_and(|value| !value.is_empty());
        let is_plain = self.plain || is_dumb() || is_set("NO_COLOR") || cfg!(windows);
        let mut locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter();
        let locale = locale.find_map(|name| env::var(name).ok().filter(|value| !value.is_empty()));
        let locale = locale.unwrap_or_default().to_uppercase();
        Style {
            has_colors: is_terminal && !is_plain,
            has_discs: is_terminal && !is_plain && locale.replace('-', "").ends_with("UTF8"),
            is_narrow: columns.is_some_and(|columns| columns < WIDE),
        }
    }
}

/// Has the terminal no cursor that can be moved?
fn is_dumb() -> bool {
    env::var("TERM").is_ok_and(|term| term == "dumb")
}

/// Are there a person and a screen?
pub fn has_terminal() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// Plays with a person; or serves the host whose first line this was.
///
/// # Errors
/// If the game or the book cannot be read, or the engine or the terminal fails.
pub fn run(arguments: Arguments) -> anyhow::Result<Exit> {
    let text = arguments.game.join(" ");
    let game = match text.trim() {
        "" => GgfGame::default(),
        text => read_game(text).map_err(anyhow::Error::msg)?,
    };
    let mut screen = has_terminal().then(Screen::new).transpose()?;
    let style = arguments.style(screen.as_mut().map(Screen::columns));
    let setup = Setup {
        game,
        person: arguments.person(),
        clock: arguments.time,
        style,
    };
    let preferences = Start::from(arguments.playing).preferences()?;
    let first = match &mut screen {
        Some(screen) => {
            screen.has_colors = style.has_colors;
            terminal::serve(setup, preferences.clone(), screen)?
        }
        None => {
            let mut pipe = Pipe(Lines::new(io::stdin().lock()));
            terminal::serve(setup, preferences.clone(), &mut pipe)?
        }
    };
    let Some(first) = first else {
        return Ok(Exit::SUCCESS);
    };
    let first = [first.bytes(), b"\n"].concat();
    serve::talk(None, preferences, Cursor::new(first).chain(io::stdin()))
}

fn clock(text: &str) -> Result<GameClock, String> {
    let clock = parse_clock(text).map_err(|error| error.to_string())?;
    match clock.main.is_zero() {
        true => Err("expected some time".to_owned()),
        false => Ok(clock),
    }
}

/// Lines as they come.
struct Pipe(Lines<StdinLock<'static>>);

impl Console for Pipe {
    fn read(&mut self, _: &Prompt) -> io::Result<Option<Line>> {
        self.0.next_line()
    }

    fn print(&mut self, text: &str) -> io::Result<()> {
        if text.starts_with('\r') {
            return Ok(());
        }
        let mut out = io::stdout().lock();
        writeln!(out, "{text}")?;
        out.flush()
    }

    fn wants_stop(&mut self) -> bool {
        false
    }
}

/// A terminal with an editor of lines.
struct Screen {
    editor: Editor<Words, MemHistory>,
    has_colors: bool,
    /// Has Ctrl+C been pressed while nothing was edited?
    interrupted: Arc<AtomicBool>,
    /// Is a line asked for that is not edited? Ctrl+C then leaves.
    is_asked: Arc<AtomicBool>,
    /// Does the last line stand there for the moment?
    is_transient: bool,
}

impl Screen {
    fn new() -> anyhow::Result<Screen> {
        let config = Config::builder()
            .auto_add_history(true)
            .completion_type(CompletionType::List)
            .build();
        let history = MemHistory::with_config(&config);
        let mut editor = Editor::with_history(config, history)?;
        editor.set_helper(Some(Words::default()));
        let interrupted = Arc::new(AtomicBool::new(false));
        signal_hook::flag::register(SIGINT, Arc::clone(&interrupted))?;
        let is_asked = Arc::new(AtomicBool::new(false));
        signal_hook::flag::register_conditional_shutdown(SIGINT, 0, Arc::clone(&is_asked))?;
        Ok(Screen {
            editor,
            has_colors: false,
            interrupted,
            is_asked,
            is_transient: false,
        })
    }

    /// Takes away what stood there for the moment.
    fn clear(&mut self, out: &mut impl Write) -> io::Result<()> {
        if std::mem::take(&mut self.is_transient) {
            out.write_all(b"\r\x1b[K")?;
        }
        Ok(())
    }

    fn columns(&mut self) -> usize {
        self.editor
            .dimensions()
            .map_or(80, |(columns, _)| columns.into())
    }
}

impl Console for Screen {
    fn read(&mut self, prompt: &Prompt) -> io::Result<Option<Line>> {
        if let Some(words) = self.editor.helper_mut() {
            words.moves.clone_from(&prompt.moves);
        }
        // Where lines are not edited, Ctrl+C is a signal here too.
        self.is_asked.store(is_dumb(), Ordering::Relaxed);
        let line = self.editor.readline(&prompt.text);
        self.is_asked.store(false, Ordering::Relaxed);
        match line {
            Ok(line) => Ok(Some(Line::from(line.as_str()))),
            Err(ReadlineError::Eof | ReadlineError::Interrupted) => Ok(None),
            Err(ReadlineError::Io(error)) => Err(error),
            Err(error) => Err(io::Error::other(error)),
        }
    }

    fn print(&mut self, text: &str) -> io::Result<()> {
        let columns = self.columns();
        let mut out = io::stdout().lock();
        match text.strip_prefix('\r') {
            Some(text) if self.has_colors => {
                let short: String = text.chars().take(columns.saturating_sub(1)).collect();
                write!(out, "\r\x1b[K{short}")?;
                self.is_transient = true;
            }
            Some(_) => {}
            None => {
                self.clear(&mut out)?;
                for line in text.lines() {
                    writeln!(out, "{}", wrapped(line, columns))?;
                }
            }
        }
        out.flush()
    }

    fn wants_stop(&mut self) -> bool {
        self.interrupted.swap(false, Ordering::Relaxed)
    }
}

/// A line of at most so many columns, broken at blanks; one with colours has them by itself, and one with moves that are to
/// be copied is left to the terminal.
fn wrapped(line: &str, columns: usize) -> String {
    let is_long = |word: &str| 2 * word.len() > columns;
    if line.contains('\x1b') || line.chars().count() <= columns || line.split(' ').any(is_long) {
        return line.to_owned();
    }
    /// Blanks before what is continued.
    const INDENT: &str = "    ";
    let end = line
        .char_indices()
        .nth(columns)
        .map_or(line.len(), |(at, _)| at);
    let blank = line[..=end.min(line.len() - 1)]
        .rfind(' ')
        .filter(|&at| at > INDENT.len());
    let at = blank.unwrap_or(end);
    let (first, rest) = line.split_at(at);
    let rest = format!("{INDENT}{}", rest.trim_start());
    format!(
        "{}\n{}",
        first.trim_end(),
        wrapped(&rest, columns.max(2 * INDENT.len()))
    )
}

/// What can be completed: words and legal moves, behind `save` and `load` names of files.
#[derive(Default)]
struct Words {
    moves: Vec<&'static str>,
    files: FilenameCompleter,
}

impl Completer for Words {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        at: usize,
        context: &rustyline::Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        let start = line[..at].trim_start();
        if ["save ", "load "]
            .iter()
            .any(|word| start.starts_with(word))
        {
            return self.files.complete(line, at, context);
        }
        let known = terminal::words().chain(self.moves.iter().copied());
        let pair = |word: &str| Pair {
            display: word.to_owned(),
            replacement: word.to_owned(),
        };
        let fits = known.filter(|word| word.starts_with(&start.to_lowercase()));
        Ok((at - start.len(), fits.map(pair).collect()))
    }
}

impl Helper for Words {}
impl Highlighter for Words {}
impl Validator for Words {}
impl Hinter for Words {
    type Hint = String;
}
