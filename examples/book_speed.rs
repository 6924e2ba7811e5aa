//! Makes a book of synthetic positions and measures it: the time to open it, the memory that 1,000 look-ups need, and
//! look-ups a second when the file is in the cache of the system.
//!
//! `cargo run --release --example book_speed -- FILE [POSITIONS]`; by default 10 million positions. An existing book is
//! measured as it is. Run it twice: the memory of the run that makes the book is that of the making.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use emilia::book::{AfterMove, Book, BookEntry, BookLeaf, Certainty, NewBook, Tree};
use emilia::rules::{Board, Square};
use emilia::score::Score;

/// Look-ups that are measured.
const LOOK_UPS: usize = 1_000_000;

/// A generator of numbers that are random enough (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % bound
    }

    fn square(&mut self, board: Board) -> Option<Square> {
        let mut moves = board.legal_moves();
        let count = moves.len();
        (count > 0).then(|| moves.nth(self.below(count)))?
    }
}

/// Calls `visit` with positions of random games until it returns `false`.
fn walk(seed: u64, mut visit: impl FnMut(Board, &mut Random) -> bool) {
    let mut random = Random(seed);
    loop {
        let mut board = Board::START;
        while let Some(square) = random.square(board) {
            if !visit(board, &mut random) {
                return;
            }
            match AfterMove::to(board, square).board() {
                Some(next) => board = next,
                None => break,
            }
        }
    }
}

fn make(path: &Path, positions: usize) -> Result<(), Box<dyn Error>> {
    let mut tree = Tree::default();
    walk(1, |board, random| {
        if let Some(square) = random.square(board) {
            let score = Score::from_raw(random.below(2000) as i32 - 1000);
            let (certainty, depth) = (Certainty::Estimate, 20);
            tree.insert(
                board,
                BookEntry::of_leaf(BookLeaf {
                    square,
                    score,
                    certainty,
                    depth,
                }),
            );
        }
        tree.len() < positions
    });
    tree.write(NewBook::create(path)?)?;
    Ok(())
}

/// Resident memory in megabytes, where the system tells it.
fn memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    line.unwrap_or("memory is not known").to_owned()
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let path = arguments.next().ok_or("expected the name of a book")?;
    let path = Path::new(&path);
    let positions = arguments
        .next()
        .and_then(|text| text.to_str()?.parse().ok());
    if !path.exists() {
        make(path, positions.unwrap_or(10_000_000))?;
    }
    let start = Instant::now();
    let book = Book::open(path)?;
    let opened = start.elapsed();
    let mut boards = Vec::with_capacity(LOOK_UPS);
    walk(2, |board, _| {
        boards.push(board);
        boards.len() < LOOK_UPS
    });
    let mut found = 0;
    let mut look_up = |boards: &[Board]| -> Result<(), Box<dyn Error>> {
        for &board in boards {
            found += usize::from(book.get(board)?.is_some());
        }
        Ok(())
    };
    let before = memory();
    look_up(&boards[..1000])?;
    let after = memory();
    look_up(&boards)?;
    let start = Instant::now();
    look_up(&boards)?;
    let speed = LOOK_UPS as f64 / start.elapsed().as_secs_f64();
    let mut out = std::io::stdout().lock();
    use std::io::Write;
    writeln!(out, "opened in {:.1} ms", opened.as_secs_f64() * 1e3)?;
    writeln!(
        out,
        "before 1,000 look-ups {before}, after them {after}, the boards to look up included"
    )?;
    writeln!(out, "{speed:.0} look-ups a second, {found} found")?;
    Ok(())
}
