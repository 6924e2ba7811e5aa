//! Proven bounds of positions in a file that outlives the run.
//!
//! The file is a redb database: a table of symmetric boards, each with its bounds and a
//! best move. What was proven since the last commit is lost if the process is killed,
//! about a second of work; what was committed is not. One process at a time
//! has the file open; caches of several processes are merged afterwards ([`Cache::absorb`]).

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use redb::{
    Database, ReadableDatabase, ReadableTable, ReadableTableMetadata, TableDefinition, TableHandle,
};

use super::problem::{Solution, transformed};
use super::solver::Store;
use crate::checksum::checksum;
use crate::faults;
use crate::locks::lock;
use crate::rules::{Board, Color, Move, Position, Square};
use crate::score::Bounds;

/// Player and opponent, and what is known: lower and upper bound, the square of the best move, and a checksum of all.
const TABLE: TableDefinition<'_, [u8; 16], Value> = TableDefinition::new("bounds of scores, 2");

type Value = [u8; 7];

/// In the place of a square: there is no best move, or it is a pass.
const NO_SQUARE: u8 = 64;

/// How long findings wait at most before they are written.
const COMMIT_INTERVAL: Duration = Duration::from_secs(1);

const MAX_PENDING: usize = 20_000;

/// Memory that the database may use to keep parts of the file, in bytes.
const DATABASE_MEMORY: usize = 64 << 20;

/// Why the database does not do something.
enum Failure {
    Database(redb::Error),
    /// What it stumbles over in the file.
    Damaged(String),
    Other(anyhow::Error),
}

impl<E: Into<redb::Error>> From<E> for Failure {
    fn from(error: E) -> Failure {
        Failure::Database(error.into())
    }
}

type Entry = (Bounds, Option<Square>);

pub(crate) struct Cache {
    path: PathBuf,
    /// There until the cache is dropped.
    database: Option<Database>,
    /// Has the database panicked? Then it writes nothing any more.
    is_damaged: AtomicBool,
    state: Mutex<Buffered>,
    /// Held while a commit lasts.
    committing: Mutex<()>,
}

struct Buffered {
    /// What is not yet being written.
    pending: HashMap<Board, Entry>,
    /// What is being written.
    written: HashMap<Board, Entry>,
    last_commit: Instant,
}

impl Cache {
    /// Opens a cache, or makes one.
    pub(crate) fn open(path: &Path) -> anyhow::Result<Cache> {
        let mut builder = Database::builder();
        builder.set_cache_size(DATABASE_MEMORY);
        let is_damaged = AtomicBool::new(false);
        let refused = |reason| Failure::Other(anyhow!("{} {reason}", path.display()));
        let database = guarded(path, &is_damaged, || {
            let database = match builder.create(path) {
                Err(redb::DatabaseError::DatabaseAlreadyOpen) => Err(refused(
                    "is in use: give each process a cache of its own, and merge them afterwards",
                )),
                created => Ok(created?),
            }?;
            let transaction = database.begin_read()?;
            let mut tables = transaction.list_tables()?;
            match tables.any(|table| table.name() != TABLE.name()) {
                true => Err(refused(
                    "is no cache of this version: delete it, or name another file",
                )),
                false => Ok(database),
            }
        })?;
        let cache = Cache {
            path: path.to_owned(),
            database: Some(database),
            is_damaged,
            state: Mutex::new(Buffered {
                pending: HashMap::new(),
                written: HashMap::new(),
                last_commit: Instant::now(),
            }),
            committing: Mutex::default(),
        };
        // The table exists from now on.
        cache.guarded(|| cache.write(&HashMap::new()))?;
        Ok(cache)
    }

    /// What is known of a board, if anything.
    pub(crate) fn recall(&self, board: Board) -> anyhow::Result<Option<Solution>> {
        let (key, symmetry) = board.canonical_with_symmetry();
        let waiting = {
            let state = self.state();
            let found = state.pending.get(&key).or_else(|| state.written.get(&key));
            found.copied()
        };
        let entry = match waiting {
            Some(entry) => Some(entry),
            None => self.guarded(|| self.read(key))?,
        };
        Ok(entry.map(|(bounds, best)| {
            let best = match best {
                Some(square) => Some(Move::Place(square)),
                None => key.must_pass().then_some(Move::Pass),
            };
            let line: Vec<Move> = best.into_iter().collect();
            Solution::proven(bounds, transformed(&line, symmetry.inverse()), 0)
        }))
    }

    /// Keeps what was found out about a board, beside what is known already.
    pub(crate) fn remember(&self, board: Board, found: &Solution) -> anyhow::Result<()> {
        let (key, symmetry) = board.canonical_with_symmetry();
        let best = found.line.first().and_then(|mv| mv.square());
        let entry = (
            found.bounds,
            best.map(|square| symmetry.apply_square(square)),
        );
        let is_full = {
            let mut state = self.state();
            let known = state.pending.get(&key).copied();
            let joined = self.join(key, known, entry)?;
            state.pending.insert(key, joined);
            state.pending.len() >= MAX_PENDING || state.last_commit.elapsed() >= COMMIT_INTERVAL
        };
        if is_full { self.commit() } else { Ok(()) }
    }

    /// Writes what waits, down to the disk.
    pub(crate) fn commit(&self) -> anyhow::Result<()> {
        // Others go on; they come back here when as much waits again.
        let _committing = lock(&self.committing);
        let entries = {
            let mut state = self.state();
            state.last_commit = Instant::now();
            state.written = std::mem::take(&mut state.pending);
            state.written.clone()
        };
        let done = self.guarded(|| self.write(&entries));
        self.state().written.clear();
        done
    }

    /// Adds what another cache knows. Answers how many boards that has.
    pub(crate) fn absorb(&self, other: &Cache) -> anyhow::Result<u64> {
        other.commit()?;
        other.guarded(|| self.absorb_all(other))
    }

    fn absorb_all(&self, other: &Cache) -> Result<u64, Failure> {
        let mut count = 0;
        let mut entries = HashMap::new();
        let write = |entries: &HashMap<_, _>| {
            let written = self.guarded(|| self.write(entries));
            written.map_err(Failure::Other)
        };
        for item in other.entries()?.iter()? {
            let (key, value) = item?;
            let board = board_of(key.value());
            entries.insert(board, entry_of(board, value.value())?);
            count += 1;
            if entries.len() >= MAX_PENDING {
                write(&entries)?;
                entries.clear();
            }
        }
        write(&entries)?;
        Ok(count)
    }

    pub(crate) fn count(&self) -> anyhow::Result<u64> {
        self.guarded(|| Ok(self.entries()?.len()?))
    }

    fn guarded<T>(&self, work: impl FnOnce() -> Result<T, Failure>) -> anyhow::Result<T> {
        guarded(&self.path, &self.is_damaged, work)
    }

    fn database(&self) -> &Database {
        let database = self.database.as_ref();
        database.expect("it is open until the cache is dropped")
    }

    fn entries(&self) -> Result<redb::ReadOnlyTable<[u8; 16], Value>, Failure> {
        Ok(self.database().begin_read()?.open_table(TABLE)?)
    }

    fn read(&self, board: Board) -> Result<Option<Entry>, Failure> {
        let found = self.entries()?.get(key_of(board))?;
        found
            .map(|value| entry_of(board, value.value()))
            .transpose()
    }

    /// Writes entries, each joined with what is known.
    fn write(&self, entries: &HashMap<Board, Entry>) -> Result<(), Failure> {
        let transaction = self.database().begin_write()?;
        {
            let mut table = transaction.open_table(TABLE)?;
            for (&board, &entry) in entries {
                let key = key_of(board);
                let known = table.get(key)?;
                let known = known.map(|value| entry_of(board, value.value()));
                let known = known.transpose()?;
                let joined = self.join(board, known, entry).map_err(Failure::Other)?;
                if known != Some(joined) {
                    table.insert(key, value_of(board, joined))?;
                }
            }
        }
        Ok(transaction.commit()?)
    }

    /// Both entries together, with the move of the one that says more.
    fn join(&self, board: Board, known: Option<Entry>, found: Entry) -> anyhow::Result<Entry> {
        let Some(known) = known else {
            return Ok(found);
        };
        let bounds = known.0.and(found.0).with_context(|| {
            format!(
                "{}: what is known of {} contradicts what was found: {} and {}",
                self.path.display(),
                text_of(board),
                known.0,
                found.0
            )
        })?;
        // The move that secures the lower bound is the best one known.
        let best = if found.0.lower() > known.0.lower() {
            found.1
        } else {
            known.1.or(found.1)
        };
        Ok((bounds, best))
    }

    fn state(&self) -> MutexGuard<'_, Buffered> {
        lock(&self.state)
    }
}

/// The cache of a run: if it fails, the run stops with the error.
pub(crate) struct RunCache {
    cache: Cache,
    error: OnceLock<anyhow::Error>,
}

impl RunCache {
    pub(crate) const fn new(cache: Cache) -> RunCache {
        let error = OnceLock::new();
        RunCache { cache, error }
    }

    /// Writes what is to be kept, at the end of the run.
    pub(crate) fn finish(&self) -> anyhow::Result<()> {
        if let Some(cache) = self.working() {
            cache.commit().context("cannot finish the cache")?;
        }
        self.error.get().map_or(Ok(()), |error| {
            Err(anyhow!(
                "{error}; nothing more was solved, and --resume goes on"
            ))
        })
    }

    pub(crate) fn has_failed(&self) -> bool {
        self.error.get().is_some()
    }

    /// The cache, as long as it works.
    fn working(&self) -> Option<&Cache> {
        (!self.has_failed()).then_some(&self.cache)
    }

    fn fail(&self, error: anyhow::Error) {
        // Only the first error is told: others follow from it.
        let _ = self.error.set(error);
    }
}

impl Store for RunCache {
    fn recall(&self, board: Board) -> Option<Solution> {
        let recalled = self.working()?.recall(board);
        recalled.unwrap_or_else(|error| {
            self.fail(error);
            None
        })
    }

    fn remember(&self, board: Board, found: &Solution) {
        let remembered = self.working().map(|cache| cache.remember(board, found));
        if let Some(Err(error)) = remembered {
            self.fail(error);
        }
    }
}

/// What waits is written at the end; who needs to know whether that succeeds commits before.
impl Drop for Cache {
    fn drop(&mut self) {
        let is_damaged = self.is_damaged.load(Ordering::Relaxed);
        if !is_damaged && let Err(error) = self.commit() {
            log::error!("{error}");
        }
        let database = self.database.take();
        if self.is_damaged.load(Ordering::Relaxed) {
            // Closing it would write to the file.
            std::mem::forget(database);
        } else if let Err(error) = guarded(&self.path, &self.is_damaged, || {
            drop(database);
            Ok(())
        }) {
            log::error!("{error}");
        }
    }
}

/// Does `work`. The database panics where it finds in the file what it did not expect: that is an error
/// of the file, and no fault of the program.
fn guarded<T>(
    path: &Path,
    is_damaged: &AtomicBool,
    work: impl FnOnce() -> Result<T, Failure>,
) -> anyhow::Result<T> {
    let done = faults::caught_quietly(work).map_err(Failure::Damaged);
    let path = path.display();
    done.flatten().map_err(|failure| match failure {
        Failure::Database(error) => anyhow!("cannot use the cache {path}: {error}"),
        Failure::Damaged(reason) => {
            is_damaged.store(true, Ordering::Relaxed);
            anyhow!("the cache {path} is damaged: {reason}; delete it, or take an older copy")
        }
        Failure::Other(error) => error,
    })
}

fn key_of(board: Board) -> [u8; 16] {
    // Big endian: boards that are alike stand near each other.
    ((u128::from(board.player) << 64) | u128::from(board.opponent)).to_be_bytes()
}

fn board_of(key: [u8; 16]) -> Board {
    let both = u128::from_be_bytes(key);
    Board {
        player: (both >> 64) as u64,
        opponent: both as u64,
    }
}

fn text_of(board: Board) -> String {
    let side = Color::Black;
    Position { board, side }.to_string()
}

fn value_of(board: Board, (bounds, best): Entry) -> Value {
    let square = best.map_or(NO_SQUARE, |square| square.index() as u8);
    let known = [bounds.lower() as u8, bounds.upper() as u8, square];
    let [a, b, c, d] = checksum_of(board, known).to_le_bytes();
    let [lower, upper, square] = known;
    [lower, upper, square, a, b, c, d]
}

/// The entry of a board in its bytes, if they are whole.
fn entry_of(board: Board, value: Value) -> Result<Entry, Failure> {
    let [lower, upper, square, sum @ ..] = value;
    let is_whole = checksum_of(board, [lower, upper, square]) == u32::from_le_bytes(sum);
    let bounds = Bounds::new(i32::from(lower as i8), i32::from(upper as i8));
    let bounds = bounds.filter(|_| is_whole).ok_or_else(|| {
        let board = text_of(board);
        Failure::Damaged(format!("its entry of {board} does not fit its checksum"))
    })?;
    Ok((bounds, Square::new(u32::from(square))))
}

/// The low half of the checksum of a board and what is known of it.
fn checksum_of(board: Board, known: [u8; 3]) -> u32 {
    checksum(&[&key_of(board)[..], &known].concat()) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;
    use crate::rules::Symmetry;

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().expect("a writable place")
    }

    fn found(bounds: Bounds, best: &str) -> Solution {
        Solution::proven(bounds, vec![best.parse().expect("a move")], 9)
    }

    fn board() -> Board {
        Board::START.play("f5".parse().expect("a square"))
    }

    fn recall(cache: &Cache, board: Board) -> Solution {
        cache.recall(board).expect("readable").expect("known")
    }

    #[test]
    fn what_was_proven_is_there_in_the_next_run_for_all_symmetric_boards() {
        let folder = folder();
        let path = folder.path().join("cache");
        let cache = Cache::open(&path).expect("a new file");
        assert!(cache.recall(board()).expect("readable").is_none());
        cache
            .remember(board(), &found(Bounds::at_least(2), "d6"))
            .expect("written");
        cache
            .remember(board(), &found(Bounds::at_most(2), "f6"))
            .expect("written");
        drop(cache);
        let cache = Cache::open(&path).expect("it was closed");
        for symmetry in Symmetry::all() {
            let found = recall(&cache, board().transform(symmetry));
            assert_eq!(found.bounds, Bounds::exactly(2));
            let best = found.line[0].square().expect("a square");
            let expected = symmetry.apply_square("d6".parse().expect("a square"));
            assert_eq!(best, expected, "the move that wins two discs");
        }
        assert_eq!(cache.count().expect("readable"), 1);
    }

    #[test]
    fn a_contradiction_is_an_error() {
        let folder = folder();
        let path = folder.path().join("cache");
        let cache = Cache::open(&path).expect("a new file");
        cache
            .remember(board(), &found(Bounds::at_least(2), "d6"))
            .expect("written");
        cache.commit().expect("written");
        cache
            .remember(board(), &found(Bounds::at_most(0), "d6"))
            .expect("it waits");
        let error = cache.commit().expect_err("a contradiction").to_string();
        assert!(error.contains(">=+2 and <=+0"), "{error}");
    }

    #[test]
    fn one_process_has_the_file_and_other_files_are_refused() {
        let folder = folder();
        let path = folder.path().join("cache");
        let cache = Cache::open(&path).expect("a new file");
        let error = Cache::open(&path)
            .map(drop)
            .expect_err("it is open")
            .to_string();
        assert!(error.contains("is in use"), "{error}");
        drop(cache);
        std::fs::write(&path, "some text that is no database").expect("written");
        assert!(Cache::open(&path).is_err());
        let text = std::fs::read_to_string(&path).expect("still there");
        assert_eq!(text, "some text that is no database");
    }

    /// Writes an entry past the checks.
    fn write_raw<const N: usize>(path: &Path, name: &str, board: Board, value: [u8; N]) {
        let database = Database::create(path).expect("a file");
        let transaction = database.begin_write().expect("writable");
        let definition: TableDefinition<'_, [u8; 16], [u8; N]> = TableDefinition::new(name);
        let mut table = transaction.open_table(definition).expect("a table");
        table.insert(key_of(board), value).expect("inserted");
        drop(table);
        transaction.commit().expect("written");
    }

    #[test]
    fn a_cache_of_another_version_is_one_error() {
        let folder = folder();
        let path = folder.path().join("cache");
        write_raw(&path, "bounds of scores, 1", board(), [2, 2, 0]);
        let opened = Cache::open(&path).map(drop);
        let error = opened.expect_err("no checksums").to_string();
        assert!(error.contains("no cache of this version"), "{error}");
    }

    #[test]
    fn an_entry_that_was_changed_is_an_error_and_no_answer() {
        let board = board().canonical();
        let value = value_of(board, (Bounds::exactly(2), None));
        for (place, change) in (0..value.len()).flat_map(|place| [(place, 1), (place, 128)]) {
            // A damaged cache stays open: closing it would write.
            let folder = folder();
            let path = folder.path().join("cache");
            let mut changed = value;
            changed[place] ^= change;
            write_raw(&path, "bounds of scores, 2", board, changed);
            let cache = Cache::open(&path).expect("a cache");
            let error = cache.recall(board).expect_err("changed").to_string();
            assert!(error.contains("is damaged: its entry of"), "{error}");
        }
    }

    #[test]
    fn caches_are_merged() {
        let folder = folder();
        let (one, other) = (folder.path().join("one"), folder.path().join("other"));
        let (cache, second) = (
            Cache::open(&one).expect("new"),
            Cache::open(&other).expect("new"),
        );
        let mut random = SplitMix64::new(8);
        for _ in 0..500 {
            let player = random.next_u64();
            let board = Board::new(player, random.next_u64() & !player).expect("disjoint");
            second
                .remember(board, &found(Bounds::exactly(4), "a1"))
                .expect("written");
        }
        second
            .remember(board(), &found(Bounds::at_most(6), "d6"))
            .expect("written");
        cache
            .remember(board(), &found(Bounds::at_least(6), "d6"))
            .expect("written");
        cache.commit().expect("written");
        assert_eq!(cache.absorb(&second).expect("merged"), 501);
        assert_eq!(cache.count().expect("readable"), 501);
        assert_eq!(recall(&cache, board()).bounds, Bounds::exactly(6));
    }
}
