//! Lines that enter engines in a tournament.
#![no_main]

use emilia::tournament::Entrant;

libfuzzer_sys::fuzz_target!(|line: &str| {
    let _ = line.parse::<Entrant>();
});
