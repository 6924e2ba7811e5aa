//! The answers of engines in a tournament, line by line, in each of their protocols.
#![no_main]

use emilia::tournament::EngineProtocol;
use emilia::tournament::players::read_choices;

libfuzzer_sys::fuzz_target!(|text: &str| {
    for protocol in [
        EngineProtocol::Uci,
        EngineProtocol::Ugi,
        EngineProtocol::NBoard,
        EngineProtocol::Gtp,
    ] {
        let _ = read_choices(protocol, text.lines());
    }
});
