//! Files of played games, of both versions.
#![no_main]

use emilia::formats::records::RecordReader;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    emilia_fuzz::sealed(bytes, |bytes| {
        let Ok(mut reader) = RecordReader::new(bytes) else {
            return;
        };
        while let Ok(Some(_)) = reader.block() {}
        assert!(reader.position() <= bytes.len() as u64);
    });
});
