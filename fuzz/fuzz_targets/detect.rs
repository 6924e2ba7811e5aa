//! The first line of a host tells its protocol: a conversation ends, whichever it is.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    emilia_fuzz::converse(None, bytes);
});
