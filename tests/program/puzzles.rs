//! Puzzles: made, checked by the second solver, shown.

use crate::run::{Folder, run};

#[test]
fn puzzles_are_made_checked_and_shown() {
    let folder = Folder::new();
    let file = folder.path("puzzles.bin");
    let make = [
        "puzzles", "make", "--games", "12", "--seed", "1", "--output", &file,
    ];
    let made = run(&make, "");
    assert!(made.status.success(), "{made:?}");
    let bytes = std::fs::read(&file).expect("written");
    // The same seed, the same puzzles, in a new file.
    assert_eq!(run(&make, "").status.code(), Some(1));
    std::fs::remove_file(&file).expect("written");
    assert!(run(&make, "").status.success());
    assert_eq!(std::fs::read(&file).expect("written"), bytes);

    let checked = run(&["puzzles", "check", &file], "");
    assert!(checked.status.success(), "{checked:?}");
    assert_eq!(checked.stdout, made.stdout);
    let shown = run(&["puzzles", "show", &file, "--json"], "");
    let shown = String::from_utf8(shown.stdout).expect("text");
    let count = shown.lines().count();
    assert!(String::from_utf8_lossy(&made.stdout).starts_with(&format!("{count} puzzles:")));
    for line in shown.lines() {
        let puzzle: serde_json::Value = serde_json::from_str(line).expect("JSON");
        assert!(
            puzzle["board"]
                .as_str()
                .is_some_and(|board| board.ends_with(" X"))
        );
    }

    // A byte that is wrong, a file that is cut short, and one of another kind.
    let mut wrong = bytes.clone();
    wrong[9 + 17] ^= 2;
    let wrong = folder.file("wrong.bin", wrong);
    let cut = folder.file("cut.bin", &bytes[..bytes.len() - 1]);
    let other = folder.file("other.bin", "f5d6");
    for (file, reason) in [
        (wrong, "is damaged"),
        (cut, "it ends within"),
        (other.clone(), "not a file of puzzles"),
    ] {
        let checked = run(&["puzzles", "check", &file], "");
        assert_eq!(checked.status.code(), Some(1));
        assert!(
            String::from_utf8_lossy(&checked.stderr).contains(reason),
            "{checked:?}"
        );
    }
    let refused = run(&["puzzles", "make", "--games", "1", "--output", &other], "");
    assert_eq!(refused.status.code(), Some(1));
}
