//! Who chooses the moves of a game: one [`Player`] makes every search that depends on how strong
//! it shall be. Its conversation, match or page knows only the position and the clock.

use std::path::Path;

use super::from_book::PlayerBook;
use super::strength::Strength;
use super::{Patience, SearchJob};
use crate::human::{ModelError, Rating};
use crate::random::SplitMix64;
use crate::rules::{Bitboard, Board, Game, Move};
use crate::score::Score;
use crate::search::{Effort, Goal, Limits, Stage, TimeLimit};
use crate::text::values::BookStyle;

/// A player: how strong it is, what its choices among good moves are drawn from, and its opening book.
#[derive(Clone, Debug)]
pub struct Player {
    strength: Strength,
    /// The strength of hints and analyses.
    study: Strength,
    /// One seed for each move.
    seeds: SplitMix64,
    book: PlayerBook,
}

/// What a book says of a position.
#[derive(Clone, PartialEq, Debug)]
pub struct BookHints {
    /// The moves that it knows, the best first.
    pub hints: Vec<BookHint>,
    /// The other moves.
    pub outside: Bitboard,
}

/// What a book says of a move.
#[derive(Clone, PartialEq, Debug)]
pub struct BookHint {
    /// The line that it expects. It begins with the move.
    pub line: Vec<Move>,
    /// The score for the side that plays the move.
    pub score: Score,
    /// Games that were played from there.
    pub games: u64,
    /// The depth of the search, in plies; 0 if it is not known.
    pub depth: u32,
}

/// As strong as the clock allows.
impl Default for Player {
    fn default() -> Player {
        Player::new(Strength::default(), 0)
    }
}

impl Player {
    /// A player of this strength. A level never plays the same game twice, unless it gets the same seed.
    pub const fn new(strength: Strength, seed: u64) -> Player {
        Player {
            strength,
            study: strength.for_study(),
            seeds: SplitMix64::new(seed),
            book: PlayerBook::NONE,
        }
    }

    /// Plays from the opening book of this file from now on; `None`: from none.
    ///
    /// # Errors
    /// If it cannot be read. The player is as it was then.
    pub fn set_book(&mut self, path: Option<&Path>) -> Result<(), String> {
        self.book.open(path)
    }

    /// Moves of the book may cost so many discs in a game, on average.
    pub fn set_book_variety(&mut self, discs: f64) {
        self.book.set_variety(discs);
    }

    /// Which moves of the book are drawn.
    pub fn set_book_style(&mut self, style: BookStyle) {
        self.book.set_style(style);
    }

    /// Draws moves of the book from this seed; 0: another one each time.
    pub fn set_book_seed(&mut self, seed: u64) {
        self.book.set_seed(seed);
    }

    /// What its book says of a position.
    pub fn book_hints(&self, board: Board) -> Option<BookHints> {
        self.book.hints(board)
    }

    /// Takes a game into its book; returns the number of new positions, `None` without a book.
    ///
    /// # Errors
    /// If the book cannot be changed.
    pub fn learn(&mut self, game: &Game) -> Result<Option<usize>, String> {
        self.book.learn(game)
    }

    /// Does it play from a book?
    pub const fn has_book(&self) -> bool {
        self.book.is_chosen()
    }

    /// How strong it is.
    pub const fn strength(&self) -> Strength {
        self.strength
    }

    /// Plays with this strength, which can be played ([`Strength::check`]), from now on; beside a level, hints are the engine's own.
    pub const fn set_strength(&mut self, strength: Strength) {
        self.strength = strength;
        self.study = strength.for_study();
    }

    /// Sets the strength for hosts that know only depths: it plays the level of that number, as long as there is
    /// one, and hints have the depth.
    ///
    /// # Errors
    /// If it cannot be played ([`Strength::check`]). The player is as it was then.
    pub fn set_depth_or_level(&mut self, strength: Strength) -> Result<(), ModelError> {
        let opponent = strength.of_opponent();
        opponent.check()?;
        self.strength = opponent;
        self.study = strength;
        Ok(())
    }

    /// The search for its move, with this clock.
    pub fn choose(&mut self, board: Board, clock: TimeLimit) -> SearchJob {
        let limits = Limits {
            time: clock,
            ..Limits::default()
        };
        self.choose_within(board, limits, Patience::Bounded)
    }

    /// The search for its move, of a host that may set limits of its own.
    pub fn choose_within(
        &mut self,
        board: Board,
        mut host: Limits,
        patience: Patience,
    ) -> SearchJob {
        let is_free = host.goal == Goal::Play && host.moves.is_none() && host.multipv <= 1;
        // Who plays as people do plays openings as they do, and not as a book.
        let rating = self.strength.rating();
        let is_above = rating.is_none_or(|rating| rating > Rating::TOP_OF_PEOPLE);
        let is_free = is_free && is_above && patience == Patience::Bounded;
        let book = is_free.then(|| self.book.choose(board));
        host.moves = host.moves.or(self.book.allowed(board).filter(|_| is_free));
        let limits = self.strength.limits(board.empty_count(), host);
        let person = self.strength.person(self.seeds.next_u64());
        let job = SearchJob::new(board, limits, patience).chosen_by(person);
        job.with_book(book.flatten())
    }

    /// The search on the opponent's time.
    pub fn ponder(&self, board: Board) -> SearchJob {
        SearchJob::new(board, Limits::default(), Patience::Ponder)
    }

    /// The search for the best `count` moves and their scores.
    pub fn hints(&self, board: Board, count: usize) -> SearchJob {
        let host = Limits {
            multipv: count,
            ..Limits::default()
        };
        let limits = self.study.limits(board.empty_count(), host);
        SearchJob::new(board, limits, Patience::Bounded)
    }

    /// The search for the winner that follows the hints just before they are exact, as in an
    /// analysis of the game.
    pub fn winner_after_hints(&self, board: Board, count: usize) -> Option<SearchJob> {
        let hints = self.hints(board, count).limits;
        let stage = self.effort().stage(board.empty_count());
        let is_asked = hints.depth.is_some() && stage == Stage::Wld;
        let limits = Limits {
            goal: Goal::WLD,
            depth: None,
            warm: true,
            ..hints
        };
        is_asked.then(|| SearchJob::new(board, limits, Patience::Bounded))
    }

    /// How hard it looks at the games that the host has analysed.
    pub fn effort(&self) -> Effort {
        self.study.effort()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Level;

    fn level(number: u8) -> Strength {
        Strength::Level(Level::new(number).expect("a level"))
    }

    /// A board with so many empties.
    fn board(empties: usize) -> Board {
        let text = format!("{}{} X", "X".repeat(64 - empties), "-".repeat(empties));
        text.parse::<crate::rules::Position>()
            .expect("well formed")
            .board
    }

    fn persons(player: &mut Player) -> Vec<String> {
        let mut person = || player.choose(Board::START, TimeLimit::Unlimited).person;
        (0..3).map(|_| format!("{:?}", person())).collect()
    }

    #[test]
    fn each_move_has_a_seed_of_its_own_and_hints_take_none() {
        let mut player = Player::new(level(3), 7);
        player.hints(Board::START, 1);
        let first = persons(&mut player);
        assert!(first[0] != first[1] && first[1] != first[2]);
        assert_eq!(persons(&mut Player::new(level(3), 7)), first);
        assert_ne!(persons(&mut player), first);
        assert_ne!(persons(&mut Player::new(level(3), 8)), first);
    }

    #[test]
    fn beside_a_level_hints_are_the_engines_own() {
        let usual = Player::default().hints(Board::START, 4).limits;
        let player = Player::new(level(3), 0);
        assert_eq!(player.hints(Board::START, 4).limits, usual);
        assert!(player.hints(Board::START, 4).person.is_none());
        let player = Player::new(Strength::Depth(5), 0);
        assert_eq!(player.hints(Board::START, 4).limits.depth, Some(5));
    }

    #[test]
    fn where_hosts_know_only_depths_it_plays_levels() {
        let mut player = Player::default();
        let set = player.set_depth_or_level(Strength::Depth(5));
        assert!(set.is_ok());
        assert_eq!(player.strength(), level(5));
        assert_eq!(player.hints(Board::START, 1).limits.depth, Some(5));
        assert_eq!(player.effort().depth, 5);
    }

    #[test]
    fn the_winner_follows_the_hints_just_before_they_are_exact() {
        let player = Player::new(Strength::Depth(4), 0);
        let asked = |empties| player.winner_after_hints(board(empties), 2);
        for (empties, is_asked) in [(8, false), (9, true), (10, true), (11, false)] {
            assert_eq!(asked(empties).is_some(), is_asked, "{empties}");
        }
        let limits = asked(9).expect("a search").limits;
        assert_eq!((limits.goal, limits.depth), (Goal::WLD, None));
        assert!(limits.warm && limits.multipv == 2);
    }

    #[test]
    fn only_the_engine_at_its_best_continues_to_think() {
        let clock = TimeLimit::Move(std::time::Duration::from_secs(1));
        let continues = |mut player: Player| {
            let job = player.choose(Board::START, clock);
            job.is_bounded_by_time_alone()
        };
        assert!(continues(Player::default()));
        assert!(!continues(Player::new(level(3), 0)));
        assert!(!continues(Player::new(Strength::Depth(5), 0)));
    }
}
