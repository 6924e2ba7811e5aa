//! Tiers of CPU: what `EMILIA_TIER` demands is what runs, or an error.

use std::process::{Command, Output};

use emilia::tier::{NAME, Tier};

/// `emilia --version` under a demand.
fn version(wanted: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_emilia"))
        .arg("--version")
        .env("EMILIA_TIER", wanted)
        .output()
        .expect("the program starts")
}

#[test]
fn a_build_says_its_tier_and_runs_when_that_is_demanded() {
    let output = version(&Tier::OWN.to_string());
    let expected = format!("emilia {} ({NAME})\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
    assert!(output.status.success());
}

#[test]
fn a_tier_that_is_not_there_is_an_error() {
    let others = Tier::FASTEST_FIRST.map(|tier| tier.to_string());
    let others = others.iter().filter(|tier| **tier != Tier::OWN.to_string());
    for wanted in others.map(String::as_str).chain(["", "V3", "avx2"]) {
        let output = version(wanted);
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(message.starts_with("error: EMILIA_TIER: "), "{message}");
        assert!(message.contains(wanted), "{message}");
        assert_eq!(output.status.code(), Some(2), "{wanted}");
        assert!(output.stdout.is_empty(), "{wanted}");
    }
}
