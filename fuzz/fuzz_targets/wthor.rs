//! WTHOR databases.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = emilia::formats::wthor::parse(bytes);
});
