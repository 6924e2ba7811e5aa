//! The conversation.

use std::convert::Infallible;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::command::{TerminalCommand, help, parse};
use super::drawing::{Drawing, Style};
use super::{Prompt, Setup};
use crate::analysis::table::{moves_text, result_text, score_text, table};
use crate::analysis::{Verdict, Worth};
use crate::engine::{Event, Patience, Player, Request, SearchJob, Strength};
use crate::files::{FileKind, UsedFiles};
use crate::formats::ggf::{Annotation, GameClock, GgfGame};
use crate::formats::opening_names;
use crate::host::Instant;
use crate::protocol::conversation::{self, Dialect, DoneRequest};
use crate::rules::{Color, Move, Position, Square};
use crate::score::Score;
use crate::search::{Goal, Info, Limits, Outcome, Proof, TimeLimit};
use crate::text::{Line, printable};

type Context<'a> = conversation::Context<'a, Terminal>;

/// Searches that take longer say how far they are.
const SILENT: Duration = Duration::from_secs(1);

/// Empties from which on a solve may take long.
const LONG_SOLVE: u32 = 26;

/// Lines of hints that are listed where no number was asked for.
const LISTED: usize = 4;

pub(super) struct Terminal {
    /// With the clocks of both sides, and the time of each move.
    game: GgfGame,
    /// When the last move was made.
    since: Instant,
    /// What was taken back, the last move first.
    undone: Vec<(Move, Annotation)>,
    person: Color,
    /// Of each new game.
    clock: Option<GameClock>,
    player: Player,
    /// For black, as the last search saw it.
    score: Option<Score>,
    /// Where this was saved last: no other file that is there is overwritten.
    saved: Option<PathBuf>,
    style: Style,
}

pub(super) enum TerminalPurpose {
    /// The engine's move.
    Move,
    /// Hints, and how many of them are listed.
    Hint(usize),
    Solve,
    Analysis,
    /// A new game, which needs no answer.
    NewGame,
}

impl Terminal {
    pub(super) fn new(setup: Setup, player: Player) -> Terminal {
        Terminal {
            person: setup.person.unwrap_or(setup.game.game.position().side),
            game: timed(setup.game, setup.clock),
            clock: setup.clock,
            since: Instant::now(),
            undone: Vec::new(),
            player,
            score: None,
            saved: None,
            style: setup.style,
        }
    }

    /// Two lines of at most 39 columns.
    pub(super) fn greeting(&self) -> String {
        let version = env!("CARGO_PKG_VERSION");
        let person = self.person;
        format!("Emilia {version}, Othello. You play {person}.\nType a move such as f5, or help.")
    }

    fn position(&self) -> Position {
        self.game.game.position()
    }

    pub(super) fn prompt(&self) -> Prompt {
        let position = self.position();
        let text = match position.board.is_over() {
            true => "over> ".to_owned(),
            false => format!("{}> ", position.side),
        };
        let moves = position.board.moves().map(Move::name).collect();
        Prompt { text, moves }
    }

    /// Carries out a command, with what follows from the position if that may be another one.
    fn carry_out(
        &mut self,
        command: TerminalCommand,
        context: &mut Context<'_>,
    ) -> Result<(), String> {
        match command {
            TerminalCommand::Move(mv) => self.play(mv, None)?,
            TerminalCommand::Undo => self.undo()?,
            TerminalCommand::Redo => self.redo()?,
            TerminalCommand::Board => {}
            TerminalCommand::Nothing if self.position().board.is_over() => {
                return self.analyze(context);
            }
            TerminalCommand::Nothing => return Ok(()),
            TerminalCommand::Go => {
                self.check_goes_on()?;
                self.person = self.position().side.opponent();
            }
            TerminalCommand::New(color) => {
                self.person = color.unwrap_or(self.person);
                self.set_up(GgfGame::default());
                context.set(Request::NewGame, TerminalPurpose::NewGame);
            }
            TerminalCommand::Game(game) => {
                let (black, white) = (&game.black.name, &game.white.name);
                if !black.is_empty() || !white.is_empty() {
                    context.reply(printable(&format!("{black} - {white}")).into_owned());
                }
                self.say_continuation(context);
                self.set_up(*game);
                self.person = self.position().side;
            }
            TerminalCommand::Hint(count) => return self.hint(count, context),
            TerminalCommand::Solve => return self.solve(context),
            TerminalCommand::Analyze => return self.analyze(context),
            TerminalCommand::Quit => {
                self.say_continuation(context);
                context.quit();
                return Ok(());
            }
            other => {
                context.reply(self.answer(other)?);
                return Ok(());
            }
        }
        self.turn(context);
        Ok(())
    }

    /// Carries out a command that is done at once, and leaves the position alone.
    fn answer(&mut self, command: TerminalCommand) -> Result<String, String> {
        Ok(match command {
            TerminalCommand::Strength(chosen) => {
                if let Some(strength) = chosen {
                    strength.check().map_err(|error| error.to_string())?;
                    self.player.set_strength(strength);
                }
                format!("Emilia plays {}", self.player.strength())
            }
            TerminalCommand::Book => self.book_text()?,
            TerminalCommand::ChooseBook(path) => {
                self.player.set_book(path.as_deref())?;
                match path {
                    Some(path) => format!("Emilia plays from the book {}", path.display()),
                    None => "Emilia plays without a book".to_owned(),
                }
            }
            TerminalCommand::Save(path) => {
                self.save(&path)?;
                let saved = format!("saved: {}", path.display());
                self.saved = Some(path);
                saved
            }
            _ => help(),
        })
    }

    fn check_goes_on(&self) -> Result<(), String> {
        match self.position().board.is_over() {
            true => Err("the game is over: undo, or new".to_owned()),
            false => Ok(()),
        }
    }

    /// The clocks of a game that was loaded go on.
    fn set_up(&mut self, game: GgfGame) {
        self.game = timed(game, self.clock);
        self.since = Instant::now();
        self.undone.clear();
        self.score = None;
    }

    fn play(&mut self, mv: Move, evaluation: Option<f64>) -> Result<(), String> {
        self.check_goes_on()?;
        let time = Some(self.since.elapsed());
        let board = self.position().board;
        let played = self.game.play(mv, Annotation { evaluation, time });
        played.map_err(|error| {
            let moves: Vec<&str> = board.moves().map(Move::name).collect();
            format!("{error}; legal: {}", moves.join(" "))
        })?;
        self.game.result = None;
        self.undone.clear();
        self.since = Instant::now();
        Ok(())
    }

    /// Is the person to move, by its own choice?
    fn is_persons(&self, position: Position) -> bool {
        position.side == self.person && !position.board.legal_moves().is_empty()
    }

    fn undo(&mut self) -> Result<(), String> {
        let mut positions: Vec<Position> = self.game.game.positions().collect();
        positions.pop();
        let own = positions
            .into_iter()
            .rposition(|position| self.is_persons(position));
        let own = own.ok_or("there is no move of yours to take back")?;
        while self.game.game.moves().len() > own {
            let note = self.game.notes.pop().unwrap_or_default();
            self.undone
                .extend(self.game.game.undo().map(|mv| (mv, note)));
        }
        Ok(())
    }

    fn redo(&mut self) -> Result<(), String> {
        if self.undone.is_empty() {
            return Err("there is nothing to play again".to_owned());
        }
        while let Some((mv, note)) = self.undone.pop() {
            let played = self.game.play(mv, note);
            played.map_err(|error| error.to_string())?;
            if self.is_persons(self.position()) {
                break;
            }
        }
        Ok(())
    }

    /// What follows from the position: a pass, the end, the engine's move, or the board for the person's.
    fn turn(&mut self, context: &mut Context<'_>) {
        let position = self.position();
        let pass = Annotation::default();
        if position.board.must_pass() && self.game.play(Move::Pass, pass).is_ok() {
            context.reply(format!("{} has no move, and passes", position.side));
        }
        let position = self.position();
        if !position.board.is_over() && position.side != self.person {
            let time = self.time(position.side);
            let job = self.player.choose(position.board, time);
            context.search(job, TerminalPurpose::Move);
            return;
        }
        context.reply(self.drawing(&[]));
        if let Some(result) = position.result_for_black() {
            let result = result_text(Some(result));
            context.reply(format!("{result}.\nEnter shows what went wrong."));
        }
    }

    fn time(&self, side: Color) -> TimeLimit {
        let clock = self.game.player(side).clock.zip(self.game.time_left(side));
        clock.map_or(TimeLimit::Unlimited, |(set, remaining)| TimeLimit::Clock {
            remaining,
            increment: set.increment,
            moves_to_go: None,
        })
    }

    /// `14:59`, or that the time is over: people play on.
    fn clock_text(&self, side: Color) -> String {
        match self.game.time_left(side) {
            Some(Duration::ZERO) => "   time over".to_owned(),
            Some(left) => format!("{:>9}:{:02}", left.as_secs() / 60, left.as_secs() % 60),
            None => String::new(),
        }
    }

    fn drawing(&self, notes: &[(Square, String)]) -> String {
        let position = self.position();
        let count = |color: Color| {
            let name = if color == self.person {
                "you"
            } else {
                "Emilia"
            };
            let discs = position.discs(color).count_ones();
            (Some(color), format!("{name:6}{discs:>3}"))
        };
        let words = |text: String| (None, text);
        let last = self
            .game
            .game
            .moves()
            .iter()
            .rev()
            .find_map(|mv| mv.square());
        let beside = [
            count(Color::Black),
            words(self.clock_text(Color::Black)),
            count(Color::White),
            words(self.clock_text(Color::White)),
            words(String::new()),
            words(format!(" {}", strength_text(self.player.strength()))),
            words(last.map_or_else(String::new, |last| format!(" last {last}"))),
            words(format!(" {} empty", position.board.empty_count())),
        ];
        let drawing = Drawing {
            position,
            last,
            notes,
            beside,
            score: self.score,
        };
        drawing.text(self.style)
    }

    fn hint(&self, count: Option<usize>, context: &mut Context<'_>) -> Result<(), String> {
        self.check_goes_on()?;
        let board = self.position().board;
        let job = self.player.hints(board, count.unwrap_or(64).min(64));
        context.search(job, TerminalPurpose::Hint(count.unwrap_or(LISTED)));
        Ok(())
    }

    fn solve(&self, context: &mut Context<'_>) -> Result<(), String> {
        self.check_goes_on()?;
        let board = self.position().board;
        let empties = board.empty_count();
        if empties > LONG_SOLVE {
            context.reply(format!("{empties} empty squares take long; Ctrl+C ends it"));
        }
        let limits = Limits {
            goal: Goal::EXACT,
            ..Limits::default()
        };
        let job = SearchJob::new(board, limits, Patience::Bounded);
        context.search(job, TerminalPurpose::Solve);
        Ok(())
    }

    fn analyze(&self, context: &mut Context<'_>) -> Result<(), String> {
        if self.game.game.moves().is_empty() {
            return Err("there is no move to analyze".to_owned());
        }
        context.count(TerminalPurpose::Analysis, |control| Request::Analyze {
            game: Box::new(self.game.game.clone()),
            effort: self.player.effort(),
            control,
        });
        Ok(())
    }

    /// What the book that is chosen, or the one inside the program, knows of the position.
    fn book_text(&self) -> Result<String, String> {
        let mut reader = self.player.clone();
        if !reader.has_book() {
            reader.set_book(Some(Path::new("builtin")))?;
        }
        let board = self.position().board;
        let hints = reader.book_hints(board).map(|found| found.hints);
        let hints = hints.filter(|hints| !hints.is_empty());
        let hints = hints.ok_or("the book does not know this position")?;
        let mut text = opening_names::of_game(&self.game.game)
            .unwrap_or("the book")
            .to_owned();
        for hint in hints {
            let (score, line) = (hint.score.to_f64(), moves_text(&hint.line));
            text.push_str(&format!("\n{score:+6.1}  {line}"));
        }
        if !self.player.has_book() {
            text.push_str("\nbook on: Emilia plays from it");
        }
        Ok(text)
    }

    fn save(&self, path: &Path) -> Result<(), String> {
        let ending = path.extension().and_then(|ending| ending.to_str());
        let ending = ending.unwrap_or_default().to_lowercase();
        if ["sgf", "pgn", "wtb", "json", "html"].contains(&&*ending) {
            return Err("games are saved as GGF: name the file x.ggf".to_owned());
        }
        let mut game = self.game.clone();
        let engine = format!("Emilia {}", strength_text(self.player.strength()));
        let (person, engine) = ("You".to_owned(), engine);
        let names = match self.person {
            Color::Black => [person, engine],
            Color::White => [engine, person],
        };
        for (player, name) in [&mut game.black, &mut game.white].into_iter().zip(names) {
            if player.name.is_empty() {
                player.name = name;
            }
        }
        // It is that of the whole game.
        game.result = game.result.filter(|_| self.undone.is_empty());
        game.result = game.outcome();
        let mut files = UsedFiles::reading::<&Path>([]);
        let file = match self.saved.as_deref() == Some(path) {
            true => files.output(path, FileKind::GGF),
            false => files.new_output(path, FileKind::GGF),
        };
        let written = file.and_then(|file| file.write(|out| writeln!(out, "{game}")));
        written.map_err(|error| crate::faults::with_causes(&error))
    }

    /// A game that is not over can be continued.
    fn say_continuation(&self, context: &mut Context<'_>) {
        let moves = self.game.game.transcript();
        let is_whole = self.game.game.start() == Position::START && !moves.is_empty();
        if is_whole && !self.position().board.is_over() {
            context.reply(format!("To continue: emilia play {moves}"));
        }
    }

    /// The engine has chosen its move.
    fn take_move(&mut self, outcome: &Outcome, context: &mut Context<'_>) {
        let side = self.position().side;
        let Some(best) = outcome.best else {
            return;
        };
        let score = outcome.lines.first().map(|line| line.unrounded.to_f64());
        if let Err(error) = self.play(best, score) {
            return context.reply(error);
        }
        self.note_score(outcome, side);
        context.reply(format!("Emilia plays {best}"));
        self.turn(context);
    }

    fn note_score(&mut self, outcome: &Outcome, side: Color) {
        let score = outcome.lines.first().map(|line| line.score);
        self.score = score.map(|score| side.pick(score, -score)).or(self.score);
    }

    fn show_hints(&mut self, outcome: &Outcome, listed: usize, context: &mut Context<'_>) {
        self.note_score(outcome, self.position().side);
        let first = |line: &Info| line.pv.first().and_then(|mv| mv.square());
        let note = |line: &Info| Some((first(line)?, format!("{:+}", line.score.discs())));
        let notes: Vec<(Square, String)> = outcome.lines.iter().filter_map(note).collect();
        context.reply(self.drawing(&notes));
        for line in outcome.lines.iter().take(listed) {
            context.reply(line_text(line));
        }
    }

    fn show_solution(&mut self, outcome: &Outcome, context: &mut Context<'_>) {
        let side = self.position().side;
        context.reply(match outcome.proven.score() {
            Some(score) => {
                let for_black = side.pick(score, -score);
                self.score = Some(Score::from_discs(for_black));
                format!("with best play: {}", result_text(Some(for_black)))
            }
            None => "not solved; so far it seems:".to_owned(),
        });
        if let Some(line) = outcome.lines.first() {
            context.reply(line_text(line));
        }
    }
}

impl Dialect for Terminal {
    /// Every command is parsed when it is read.
    type Command = Infallible;
    type Purpose = TerminalPurpose;

    fn line(&mut self, line: &Line, context: &mut Context<'_>) {
        let text = line.text().map_err(|error| error.to_string());
        let done = text.and_then(parse);
        let done = done.and_then(|command| self.carry_out(command, context));
        if let Err(error) = done {
            context.reply(printable(&error).into_owned());
        }
    }

    fn run(&mut self, command: Infallible, _: &mut Context<'_>) {
        match command {}
    }

    fn progress(&mut self, _: &mut TerminalPurpose, report: Event, context: &mut Context<'_>) {
        match report {
            Event::Info(info) if info.time >= SILENT && info.multipv == 1 => {
                let (depth, text) = (info.depth, line_text(&info));
                context.reply_now(format!("\r{depth} plies: {text}"));
            }
            Event::Judged(judged) => {
                context.reply_now(format!("\r{} moves to look at", judged.moves));
            }
            _ => {}
        }
    }

    fn complete(&mut self, done: DoneRequest<TerminalPurpose>, context: &mut Context<'_>) {
        match (done.event, done.purpose) {
            (Event::Done(outcome), TerminalPurpose::Move) => self.take_move(&outcome, context),
            (Event::Done(outcome), TerminalPurpose::Hint(listed)) => {
                self.show_hints(&outcome, listed, context);
            }
            (Event::Done(outcome), TerminalPurpose::Solve) => self.show_solution(&outcome, context),
            (Event::Analyzed(verdicts), _) => context.reply(match verdicts {
                Some(verdicts) => analysis_text(&verdicts, self.style),
                None => "the analysis was ended".to_owned(),
            }),
            _ => {}
        }
    }

    fn warn(&mut self, reason: String, context: &mut Context<'_>) {
        context.reply(format!("note: {reason}"));
    }
}

/// The game, with these clocks where it has none.
fn timed(mut game: GgfGame, clock: Option<GameClock>) -> GgfGame {
    for player in [&mut game.black, &mut game.white] {
        player.clock = player.clock.or(clock);
    }
    game
}

/// The moves that lost most, in the table of `emilia analyze`, and what each side lost in all.
fn analysis_text(verdicts: &[Verdict], style: Style) -> String {
    /// Discs that a move must lose.
    const LEAST: f64 = 0.5;
    /// Moves that fit on a screen.
    const MOST: usize = 15;
    let is_worse = |verdict: &&Verdict| verdict.loss() >= LEAST;
    let mut worse: Vec<Verdict> = verdicts.iter().filter(is_worse).cloned().collect();
    let totals = [Color::Black, Color::White].map(|side| {
        let own = worse.iter().filter(|verdict| verdict.side() == side);
        let (moves, lost) = own.fold((0, 0.0), |(n, sum), one| (n + 1, sum + one.loss()));
        format!("{side} lost {lost:.1} discs in {moves} moves")
    });
    worse.sort_by(|a, b| b.loss().total_cmp(&a.loss()));
    worse.truncate(MOST);
    worse.sort_by_key(|verdict| verdict.number);
    if !style.is_narrow {
        return table(&worse, &[]) + &totals.join("\n");
    }
    worse
        .iter_mut()
        .for_each(|verdict| verdict.line.truncate(1));
    table(&worse, &[]).replacen("better", "best", 1) + &totals.join("\n")
}

/// ` +1.0  f4 c5 e6`
fn line_text(line: &Info) -> String {
    let worth = match line.proof {
        Proof::Exact(discs) => Worth::exact(discs),
        _ => Worth::estimate(line.score),
    };
    format!("{:>5}  {}", score_text(worth), moves_text(&line.pv))
}

/// The strength in 11 letters.
fn strength_text(strength: Strength) -> String {
    match strength {
        Strength::Unchosen => "strongest".to_owned(),
        Strength::MoveTime(time) => format!("{} s a move", time.as_secs_f64()),
        _ => {
            let text = strength.to_string();
            let end = text.find([':', ',']).unwrap_or(text.len());
            text[..end].to_owned()
        }
    }
}
