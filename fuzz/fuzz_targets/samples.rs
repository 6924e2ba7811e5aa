//! Files of samples.
#![no_main]

use emilia_lab::training::sample;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    emilia_fuzz::sealed(bytes, |bytes| {
        let _ = sample::from_bytes(bytes);
    });
});
