//! Transcripts and lists of openings.
#![no_main]

use emilia::formats::{openings, transcript};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = transcript::parse(bytes);
    let _ = openings::parse(bytes);
});
