//! Emilia as a WebAssembly module. A host, such as `worker.mjs` beside this, gives these imports
//! and calls two functions: see there.

use std::cell::RefCell;

use emilia::engine::{Player, Strength};
use emilia::host::{self, Host};
use emilia::protocol::{Direct, Preferences};

/// Megabytes of the transposition table, until the host sets another size.
const HASH_MB: usize = 16;

mod imports {
    #[link(wasm_import_module = "host")]
    unsafe extern "C" {
        /// Takes one reply: UTF-8, of one line or of more with `\n` between them.
        pub(super) fn print(bytes: *const u8, length: usize);
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
    static LINE: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

fn start() -> Direct {
    host::set(Host {
        now: || imports::now(),
        wants_stop: || imports::wants_stop() != 0,
    });
    let mut preferences = Preferences::default();
    preferences.options.hash_mb = HASH_MB;
    // No two games of a level are the same.
    preferences.player = Player::new(Strength::default(), imports::random().to_bits());
    Direct::new(None, preferences, |reply| {
        // SAFETY: the bytes live until the call returns, and the host only reads them.
        unsafe { imports::print(reply.as_ptr(), reply.len()) };
    })
}

/// Where the host writes the next line, of at most `length` bytes.
#[unsafe(no_mangle)]
pub extern "C" fn line_buffer(length: usize) -> *mut u8 {
    LINE.with_borrow_mut(|line| {
        line.resize(length, 0);
        line.as_mut_ptr()
    })
}

/// Takes the line in the buffer. 0: the conversation is over.
#[unsafe(no_mangle)]
pub extern "C" fn take_line() -> u32 {
    let line = LINE.take();
    let line = String::from_utf8_lossy(&line);
    ENGINE.with_borrow_mut(|engine| engine.get_or_insert_with(start).line(&line).into())
}
