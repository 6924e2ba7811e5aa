//! GGF games: what is read can be written, and the moves are the same when read again.
#![no_main]

use emilia::formats::ggf;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    for game in ggf::parse(bytes).unwrap_or_default() {
        let text = game.to_string();
        let again = ggf::parse_line(&text).expect("a written game is readable");
        assert_eq!(again.len(), 1, "{text}");
        assert_eq!(again[0].game, game.game, "{text}");
    }
    if let Ok(text) = str::from_utf8(bytes) {
        let _ = ggf::parse_move(text);
        let _ = ggf::parse_clock(text);
    }
});
