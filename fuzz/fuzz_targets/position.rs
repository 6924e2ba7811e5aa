//! Positions, moves and transcripts of moves: what is read can be written, and read again.
#![no_main]

use emilia::rules::{Move, Position};

libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Ok(position) = text.parse::<Position>() {
        assert_eq!(position.to_string().parse(), Ok(position));
    }
    if let Ok(mv) = text.parse::<Move>() {
        assert_eq!(mv.to_string().parse(), Ok(mv));
    }
});
