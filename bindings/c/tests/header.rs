//! `emilia.h` is what cbindgen makes of the sources.

use std::path::Path;

/// Set this variable to write the header.
const WRITE: &str = "EMILIA_WRITE_HEADER";

#[test]
fn the_header_is_current() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let made = cbindgen::generate(folder).expect("the sources are read");
    let mut text = Vec::new();
    made.write(&mut text);
    let path = folder.join("emilia.h");
    if std::env::var_os(WRITE).is_some() {
        std::fs::write(&path, &text).expect("the header is written");
    }
    let committed = std::fs::read(&path).unwrap_or_default();
    assert!(
        committed == text,
        "emilia.h is not what cbindgen makes: run {WRITE}=1 cargo test --test header"
    );
}
