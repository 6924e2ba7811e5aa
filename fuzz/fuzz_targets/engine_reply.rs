//! The answers of engines in a tournament, line by line, in each of their protocols.
#![no_main]

use emilia::tournament::Protocol;
use emilia::tournament::players::read_choices;

libfuzzer_sys::fuzz_target!(|text: &str| {
    for protocol in [
        Protocol::Uci,
        Protocol::Ugi,
        Protocol::NBoard,
        Protocol::Gtp,
    ] {
        let _ = read_choices(protocol, text.lines());
    }
});
