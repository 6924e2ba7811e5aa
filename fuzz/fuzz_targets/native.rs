//! The native protocol: a conversation ends, whatever the host sends and whenever the engine answers.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    emilia_fuzz::converse(Some(&emilia::protocol::native::PROTOCOL), bytes);
});
