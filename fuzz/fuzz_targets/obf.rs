//! Problem lines: what is read can be written, and read again.
#![no_main]

use emilia::formats::obf;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = obf::parse(bytes);
    if let Ok(line) = str::from_utf8(bytes) {
        let _ = obf::parse_script_line(line);
        if let Ok(Some(problem)) = obf::parse_line(line) {
            let again = obf::parse_line(&problem.to_string());
            assert_eq!(again, Ok(Some(problem)));
        }
    }
});
