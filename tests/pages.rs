//! The pages of the repository: links and anchors have targets, and lists of files are complete.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::{fs, iter};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

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

/// Folders of what was built or installed; their pages are not ours.
const NOT_OURS: [&str; 4] = ["target", "node_modules", "dist", "scratch"];

/// All pages of the repository.
fn pages() -> Vec<PathBuf> {
    let mut folders = vec![repository().to_owned()];
    let mut pages = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name");
            let name = name.to_string_lossy().into_owned();
            if path.is_dir() && !name.starts_with('.') && !NOT_OURS.contains(&name.as_str()) {
                folders.push(path);
            } else if path.is_file() && name.ends_with(".md") {
                pages.push(path);
            }
        }
    }
    assert!(pages.len() >= 20, "{pages:?}");
    pages
}

/// What a page points to, and what in it can be pointed to.
struct Page {
    path: PathBuf,
    /// The targets of its links and images, as they are written.
    links: Vec<String>,
    /// The anchors of its headings, as forges make them.
    anchors: HashSet<String>,
}

impl Page {
    fn read(path: &Path) -> Page {
        let mut page = Page {
            path: path.to_owned(),
            links: Vec::new(),
            anchors: HashSet::new(),
        };
        let mut heading = None;
        for event in Parser::new_ext(&read(path), Options::ENABLE_TABLES) {
            match event {
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    page.links.push(dest_url.to_string());
                }
                Event::Html(part) | Event::InlineHtml(part) => page.links.extend(targets(&part)),
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::End(TagEnd::Heading(_)) => {
                    page.add_anchor(&heading.take().expect("a heading that began"));
                }
                Event::Text(part) | Event::Code(part) => {
                    if let Some(heading) = &mut heading {
                        heading.push_str(&part);
                    }
                }
                _ => {}
            }
        }
        page
    }

    /// Notes the anchor of a heading. The second heading of one name gets `-1`, the third `-2`.
    fn add_anchor(&mut self, heading: &str) {
        let plain = anchor(heading);
        let numbered = (1..).map(|number| format!("{plain}-{number}"));
        let mut names = iter::once(plain.clone()).chain(numbered);
        let free = names.find(|name| !self.anchors.contains(name));
        self.anchors.extend(free);
    }

    /// Does this link of the page lead to a file, and to a heading of it if it names one?
    /// Links to other hosts are not followed.
    fn leads_somewhere(&self, link: &str) -> bool {
        if link.contains("://") || link.starts_with("mailto:") {
            return true;
        }
        let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
        let target = if file.is_empty() {
            self.path.clone()
        } else {
            self.path.parent().expect("a folder").join(file)
        };
        if anchor.is_empty() {
            return target.exists();
        }
        target.is_file() && Page::read(&target).anchors.contains(anchor)
    }
}

/// The targets that tags of HTML name.
fn targets(html: &str) -> Vec<String> {
    let attributes = ["src=\"", "href=\""];
    let values = attributes
        .iter()
        .flat_map(|attribute| html.split(attribute).skip(1));
    values
        .filter_map(|rest| rest.split_once('"'))
        .map(|(target, _)| target.to_owned())
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

#[test]
fn every_link_has_a_target() {
    let mut links = 0;
    let mut broken = Vec::new();
    for path in pages() {
        let page = Page::read(&path);
        links += page.links.len();
        let lost = page.links.iter().filter(|link| !page.leads_somewhere(link));
        broken.extend(lost.map(|link| format!("{}: {link}", path.display())));
    }
    assert!(broken.is_empty(), "{broken:#?}");
    assert!(links > 100, "only {links} links were found");
}

#[test]
fn headings_of_one_name_have_anchors_of_their_own() {
    let mut page = Page {
        path: PathBuf::new(),
        links: Vec::new(),
        anchors: HashSet::new(),
    };
    for heading in ["Bird's-eye `view`", "Bird's-eye view", "Bird's-eye view"] {
        page.add_anchor(heading);
    }
    let expected = ["birds-eye-view", "birds-eye-view-1", "birds-eye-view-2"];
    assert_eq!(page.anchors, expected.map(str::to_owned).into());
}

/// Has the file a row in this table?
fn assert_listed(file: &Path, prefix: &str, list: &str) {
    let name = file.file_name().and_then(|name| name.to_str());
    let name = name.expect("a name");
    assert!(list.contains(&format!("| `{prefix}{name}` |")), "{name}");
}

#[test]
fn every_script_is_listed() {
    let list = read(&repository().join("scripts/README.md"));
    for (folder, prefix) in [
        ("scripts", ""),
        ("scripts/check", "check/"),
        ("scripts/cluster", "cluster/"),
    ] {
        for script in files(folder, "sh") {
            assert_listed(&script, prefix, &list);
        }
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
            assert_listed(&file, "", &list);
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

/// What is published together has one version.
#[test]
fn every_package_names_the_version() {
    let version = env!("CARGO_PKG_VERSION");
    let toml = format!("\nversion = \"{version}\"\n");
    let json = format!("\n  \"version\": \"{version}\",\n");
    let shell = format!(" version={version}\n");
    let citation = format!("\nversion: {version}\n");
    for (files, expected) in [
        (
            &[
                "Cargo.toml",
                "crates/core/Cargo.toml",
                "crates/lab/Cargo.toml",
                "verify/Cargo.toml",
                "bindings/c/Cargo.toml",
                "bindings/python/Cargo.toml",
                "bindings/python/pyproject.toml",
                "web/engine/Cargo.toml",
                "web/checker/Cargo.toml",
            ][..],
            &toml,
        ),
        (&["web/package.json", "web/engine/package.json"], &json),
        (&["bindings/c/install.sh"], &shell),
        (&["CITATION.cff"], &citation),
    ] {
        for file in files {
            let text = read(&repository().join(file));
            assert!(
                text.contains(expected.as_str()),
                "{file} has no {expected:?}"
            );
        }
    }
}
