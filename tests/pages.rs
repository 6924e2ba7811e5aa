//! The pages of the repository: links have targets, and lists of files are complete.

use std::fs;
use std::path::{Path, PathBuf};

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The files of a folder of the repository with this extension.
fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(repository().join(folder)).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .collect()
}

fn pages() -> Vec<PathBuf> {
    let folders = ["", "docs", "scripts", "tests/data", "data/games", "verify"];
    let pages: Vec<PathBuf> = folders
        .iter()
        .flat_map(|folder| files(folder, "md"))
        .collect();
    assert!(pages.len() >= 6, "{pages:?}");
    pages
}

/// The targets of Markdown links in `page`, except those in blocks of code.
fn links(page: &str) -> Vec<&str> {
    let outside_code = page.split("```").step_by(2);
    outside_code
        .flat_map(|text| text.split("](").skip(1))
        .filter_map(|rest| rest.split_once(')'))
        .map(|(target, _)| target)
        .collect()
}

/// The anchor of a heading, as forges make them.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().to_lowercase();
    let kept = kept.chars().filter_map(|c| match c {
        ' ' => Some('-'),
        '-' | '_' => Some(c),
        c if c.is_alphanumeric() => Some(c),
        _ => None,
    });
    kept.collect()
}

fn has_anchor(page: &str, wanted: &str) -> bool {
    page.lines()
        .filter(|line| line.starts_with('#'))
        .any(|line| anchor(line.trim_start_matches('#')) == wanted)
}

#[test]
fn every_link_has_a_target() {
    for path in pages() {
        let page = read(&path);
        for link in links(&page)
            .into_iter()
            .filter(|link| !link.contains("://"))
        {
            let (file, part) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() {
                path.clone()
            } else {
                path.parent().expect("a folder").join(file)
            };
            assert!(target.exists(), "{link} in {}", path.display());
            let found = part.is_empty() || has_anchor(&read(&target), part);
            assert!(found, "{link} in {}", path.display());
        }
    }
}

/// Has the file a row in this table?
fn assert_listed(file: &Path, list: &str) {
    let name = file.file_name().and_then(|name| name.to_str());
    let name = name.expect("a name");
    assert!(list.contains(&format!("| `{name}` |")), "{name}");
}

#[test]
fn every_script_is_listed() {
    let list = read(&repository().join("scripts/README.md"));
    for script in files("scripts", "sh") {
        assert_listed(&script, &list);
    }
}

#[test]
fn every_data_file_is_listed() {
    for (folder, extension) in [
        ("tests/data", "obf"),
        ("tests/data", "txt"),
        ("data/games", "games"),
    ] {
        let list = read(&repository().join(folder).join("README.md"));
        for file in files(folder, extension) {
            assert_listed(&file, &list);
        }
    }
}

#[test]
fn pages_quote_the_pinned_signature() {
    let pinned = read(&repository().join("tests/data/signature.txt"));
    let pinned = pinned.trim_end();
    assert!(pinned.bytes().all(|byte| byte.is_ascii_digit()), "{pinned}");
    let mut quotes = 0;
    for path in pages() {
        if path.ends_with("CHANGELOG.md") {
            continue;
        }
        for line in read(&path).lines() {
            let words = line.split("ignature").skip(1);
            let digits = |word: &str| word.chars().filter(char::is_ascii_digit).count() == 8;
            let quoted = words.flat_map(|rest| rest.split(|c: char| !c.is_ascii_digit()));
            for number in quoted.filter(|word| digits(word) && !word.starts_with("2026")) {
                assert_eq!(number, pinned, "{}: {line}", path.display());
                quotes += 1;
            }
        }
    }
    assert!(quotes > 0, "no page quotes the signature");
}
