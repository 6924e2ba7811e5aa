//! Emilia as a WebAssembly module. A host, such as `worker.mjs` beside this, gives the imports, lends the weights and
//! calls these functions: see there. What a host gives, it writes into the buffer first.

mod book;
mod solve;
mod study;

use std::cell::RefCell;

use emilia::engine::{Player, Strength};
use emilia::eval::lend_part;
use emilia::host::{self, Host};
use emilia::human::lend_model;
use emilia::protocol::{Direct, Preferences};

/// Megabytes of the transposition table, until the host sets another size.
const HASH_MB: usize = 16;

mod imports {
    #[link(wasm_import_module = "host")]
    unsafe extern "C" {
        /// Takes one reply: UTF-8, of one line or of more with `\n` between them.
        pub(super) fn print(bytes: *const u8, length: usize);
        /// Takes one answer of `take_games`, `take_analysis` or `take_question`: JSON.
        pub(super) fn answer(bytes: *const u8, length: usize);
        /// Milliseconds since some moment in the past.
        pub(super) safe fn now() -> f64;
        /// A number from 0 to 1, another each time.
        pub(super) safe fn random() -> f64;
        /// Shall the search end? 0: no.
        pub(super) safe fn wants_stop() -> u32;
    }
}

thread_local! {
    static ENGINE: RefCell<Option<Direct>> = const { RefCell::new(None) };
    static SOLVER: RefCell<solve::Solver> = RefCell::default();
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

fn set_host() {
    host::set(Host {
        now: || imports::now(),
        wants_stop: || imports::wants_stop() != 0,
    });
}

fn start() -> Direct {
    set_host();
    let mut preferences = Preferences::default();
    preferences.options.hash_mb = HASH_MB;
    // No two games of a level are the same.
    preferences.player = Player::new(Strength::default(), imports::random().to_bits());
    Direct::native(preferences, |reply| {
        // SAFETY: the bytes live until the call returns, and the host only reads them.
        unsafe { imports::print(reply.as_ptr(), reply.len()) };
    })
}

/// Gives the host an answer.
fn answer(json: &str) {
    // SAFETY: the bytes live until the call returns, and the host only reads them.
    unsafe { imports::answer(json.as_ptr(), json.len()) };
}

/// Where the host writes `length` bytes for the next call.
#[unsafe(no_mangle)]
pub extern "C" fn buffer(length: usize) -> *mut u8 {
    BUFFER.with_borrow_mut(|bytes| {
        bytes.resize(length, 0);
        bytes.as_mut_ptr()
    })
}

/// Takes the part of the weight file in the buffer. The number of stages that can be used from now on; 0: the parts are
/// no weights.
#[unsafe(no_mangle)]
pub extern "C" fn take_weights() -> u32 {
    lend_part(&BUFFER.take()).map_or(0, |stages| stages as u32)
}

/// Takes the model of people in the buffer, after the first part of the weights; levels need it. 0: it is no model that
/// fits these weights.
#[unsafe(no_mangle)]
pub extern "C" fn take_model() -> u32 {
    lend_model(&BUFFER.take()).is_ok().into()
}

/// Takes the opening book in the buffer. 0: it is none.
#[unsafe(no_mangle)]
pub extern "C" fn take_book() -> u32 {
    book::take(BUFFER.take()).into()
}

/// Says what the book, if there is one, and people know of the position in the buffer, a `book::Request`; it needs the
/// model of people. One answer.
#[unsafe(no_mangle)]
pub extern "C" fn take_look() {
    answer(&book::look(&BUFFER.take()));
}

/// Takes the line in the buffer. 0: the conversation is over.
#[unsafe(no_mangle)]
pub extern "C" fn take_line() -> u32 {
    let line = BUFFER.take();
    let line = String::from_utf8_lossy(&line);
    ENGINE.with_borrow_mut(|engine| engine.get_or_insert_with(start).line(&line).into())
}

/// Reads the text or file in the buffer, of any kind that `emilia analyze` reads. One answer. It needs no weights.
#[unsafe(no_mangle)]
pub extern "C" fn take_games() {
    answer(&study::games(BUFFER.take()));
}

/// Analyses the game in the buffer, a `study::Request`. An answer for each position, and a last one for the game.
#[unsafe(no_mangle)]
pub extern "C" fn take_analysis() {
    set_host();
    study::analysis(&BUFFER.take(), &mut answer);
}

/// Proves the answer to the question in the buffer, a `solve::Request`. An answer now and then while it searches, and a
/// last one.
#[unsafe(no_mangle)]
pub extern "C" fn take_question() {
    set_host();
    SOLVER.with_borrow_mut(|solver| solver.answer(&BUFFER.take(), &mut answer));
}
