//! Weight files.
#![no_main]

use emilia::eval::Weights;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    emilia_fuzz::sealed(bytes, |bytes| {
        let _ = Weights::from_bytes(bytes);
    });
});
