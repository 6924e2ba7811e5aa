//! The commands, and their names.

use super::{TimeLeft, TimeSettings};
use crate::engine::Strength;
use crate::rules::{Color, Move};

/// A command of a host.
#[derive(Clone, PartialEq, Debug)]
pub enum GtpCommand {
    /// `protocol_version`
    ProtocolVersion,
    /// `name`
    Name,
    /// `version`
    Version,
    /// `known_command NAME`
    KnownCommand(String),
    /// `list_commands`
    ListCommands,
    /// `list_games`
    ListGames,
    /// `set_game Othello`
    SetGame,
    /// `quit`
    Quit,
    /// `boardsize 8`: also starts a game.
    BoardSize,
    /// `clear_board`: starts a game.
    ClearBoard,
    /// `komi N`: has no meaning in Othello.
    Komi,
    /// `time_settings MAIN PERIOD STONES`; none: there is no clock.
    TimeSettings(Option<TimeSettings>),
    /// `time_left COLOR TIME [STONES]`
    TimeLeft(Color, TimeLeft),
    /// `play COLOR MOVE`
    Play(Color, Move),
    /// `genmove COLOR`: choose a move and play it.
    GenMove(Color),
    /// `reg_genmove COLOR`: choose a move, but do not play it.
    RegGenMove(Color),
    /// `undo`: take back the last `play` or `genmove`.
    Undo,
    /// `showboard`
    ShowBoard,
    /// `final_score`
    FinalScore,
    /// `emilia-levels`: list the levels.
    Levels,
    /// `emilia-level [N]`, `set_level N`, `emilia-rating ELO`, `emilia-depth N`, `emilia-move_time SECONDS`: choose
    /// a strength, or show the chosen one.
    Strength(Option<Strength>),
    /// `emilia-ponder on|off`: think on the opponent's time.
    Ponder(bool),
    /// `emilia-hint [N]`: the best moves and their scores.
    Hint(usize),
    /// `emilia-gfx_hint`: the same as GoGui draws it.
    DrawHint,
    /// `gogui-analyze_commands`
    AnalyzeCommands,
    /// `gogui-interrupt`: `# interrupt` lines are accepted.
    Interrupt,
    /// `gogui-rules_..`: the rules of the game, for a host that has none.
    Rules(RulesQuestion),
}

/// What GoGui asks a program that knows the rules (its ruler).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RulesQuestion {
    /// `gogui-rules_game_id`
    GameId,
    /// `gogui-rules_board`
    Board,
    /// `gogui-rules_board_size`
    BoardSize,
    /// `gogui-rules_legal_moves`
    LegalMoves,
    /// `gogui-rules_side_to_move`
    SideToMove,
    /// `gogui-rules_final_result`
    FinalResult,
}
