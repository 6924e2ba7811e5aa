//! Checkpoints of a fit.
#![no_main]

use emilia_lab::training::fit::checkpoint;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    emilia_fuzz::sealed(bytes, |bytes| {
        let _ = checkpoint::stages(bytes);
    });
});
