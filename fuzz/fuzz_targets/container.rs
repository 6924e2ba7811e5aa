//! The sealed container: reading, reading in memory and skipping its blocks must agree.
#![no_main]

use std::io::Cursor;

use emilia::container::ContainerReader;
use emilia_fuzz::{CONTAINER, sealed};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    sealed(bytes, |bytes| {
        let Ok((mut reader, _)) = ContainerReader::new::<String>(&CONTAINER, bytes) else {
            return;
        };
        let (mut in_memory, _) =
            ContainerReader::new::<String>(&CONTAINER, bytes).expect("the same");
        let (mut skipping, _) =
            ContainerReader::new::<String>(&CONTAINER, Cursor::new(bytes)).expect("the same");
        while let Ok(Some(block)) = reader.block() {
            let sealed = in_memory.sealed_block().expect("whole").expect("a block");
            assert_eq!(sealed.open().expect("good"), block);
            assert!(skipping.skip().expect("readable"));
            assert_eq!(skipping.position(), reader.position());
        }
        assert!(reader.position() <= bytes.len() as u64);
    });
});
