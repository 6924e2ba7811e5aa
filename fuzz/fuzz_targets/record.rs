//! A line of the games that a tournament saves: everything that can be done with it ends, too.
#![no_main]

use emilia::tournament::GameRecord;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(record) = serde_json::from_slice::<GameRecord>(bytes) {
        let _ = record.positions();
        if let Some(ggf) = record.to_ggf() {
            let _ = GameRecord::from_ggf(&ggf, record.game);
            let _ = ggf.to_string();
        }
    }
});
