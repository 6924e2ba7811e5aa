//! The first line of a host decides the protocol: a conversation ends in any of them.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    emilia_fuzz::converse(None, bytes);
});
