//! The whole training, through the real binary, with few games.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use emilia::eval::{BIASES, Packing, Weights, phase, rows};

use crate::files;

/// A folder in which the program runs.
struct Folder(files::Folder);

impl Folder {
    fn new() -> Folder {
        Folder(files::Folder::new())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.root().join(name)
    }

    fn command(&self, words: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_emilia-lab"));
        command.args(words.split(' ')).current_dir(self.0.root());
        command.stderr(Stdio::null());
        command
    }

    /// Runs `emilia-lab` with these arguments, which must succeed, and returns its output.
    fn run(&self, words: &str) -> String {
        let output = self.command(words).output().expect("the binary starts");
        assert!(output.status.success(), "emilia-lab {words}");
        String::from_utf8(output.stdout).expect("text")
    }
}

fn bytes(path: &Path) -> Vec<u8> {
    fs::read(path).expect("a file was written")
}

/// The last number of the line that begins with `word`.
fn figure(text: &str, word: &str) -> f64 {
    let line = text.lines().find(|line| line.starts_with(word));
    let last = line.and_then(|line| line.split_whitespace().last());
    last.and_then(|x| x.parse().ok()).expect(text)
}

const PLAY: &str = "selfplay --depth 1 --exact 8 --seed 5";

#[test]
fn training_from_zero_weights_reduces_the_error() {
    let folder = Folder::new();
    folder.run(&format!("{PLAY} --games 120 games"));
    let counts = folder.run(
        "dataset --train fit --validation held --validation-one-of 4 --solve 8 \
         --endgames 200 --openings 2 --search 1 games",
    );
    let samples: f64 = counts
        .lines()
        .find_map(|line| line.strip_prefix("all\t")?.split('\t').next()?.parse().ok())
        .expect("the number of samples");
    assert!(samples > 2000.0, "{counts}");

    // Errors after one pass and after many, on games that were held out.
    let train = "train --validation held --threads 2";
    let error_after = |passes: &str, output: &str| {
        let fit = folder.run(&format!("{train} --passes {passes} --output {output} fit"));
        figure(&fit, "mean")
    };
    let (first, last) = (error_after("1", "w1"), error_after("25", "w"));
    assert!(last < first, "{first} discs, then {last}");
    assert!(!folder.path("w.checkpoint").exists());

    // And on positions that it was not fitted to, compared with weights of zero.
    let problems = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/data/endgames-12.obf"
    );
    fs::copy(problems, folder.path("problems.obf")).expect("a writable place");
    folder.run("dataset --train none");
    folder.run("train --output w0 none");
    let error = |weights: &str| {
        let text = folder.run(&format!("evaltest --weights {weights} problems.obf"));
        let row = text.lines().nth(1).expect("a row for the file");
        let mae = row.split('\t').nth(1).expect("the second column");
        mae.parse::<f64>().expect("a number of discs")
    };
    assert!(
        error("w") < 0.8 * error("w0"),
        "{} discs against {}",
        error("w"),
        error("w0")
    );
}

#[test]
fn a_killed_fit_is_resumed_to_the_same_weights() {
    let folder = Folder::new();
    folder.run(&format!("{PLAY} --games 12 games"));
    folder.run("dataset --train fit --solve 0 games");
    folder.run("train --output straight fit");
    let child = folder
        .command("train --output w --threads 1 fit")
        .stdout(Stdio::null())
        .spawn()
        .expect("the binary starts");
    let checkpoint = folder.path("w.checkpoint");
    // A stage takes 4.9 MB there.
    let some = || fs::metadata(&checkpoint).is_ok_and(|file| file.len() > 4_900_000);
    files::kill_when(child, some);
    folder.run("train --output w fit");
    assert!(bytes(&folder.path("w")) == bytes(&folder.path("straight")));
}

#[test]
fn self_play_is_the_same_with_any_threads_and_after_a_resume() {
    let folder = Folder::new();
    folder.run(&format!("{PLAY} --games 600 --threads 1 straight"));
    let child = folder
        .command(&format!("{PLAY} --games 600 --threads 2 killed"))
        .spawn()
        .expect("the binary starts");
    let killed = folder.path("killed");
    let begun = || fs::metadata(&killed).is_ok_and(|file| file.len() > 5_000);
    files::kill_when(child, begun);
    let mut cut = bytes(&killed);
    cut.truncate(cut.len() - 7); // within the last block
    fs::write(&killed, cut).expect("a writable place");

    folder.run(&format!("{PLAY} --games 600 --threads 2 killed"));
    assert!(bytes(&killed) == bytes(&folder.path("straight")));
    assert!(
        folder
            .run("games --count killed straight")
            .starts_with("games 1200 distinct ")
    );
    folder.run("games --pack packed --drop-scores killed");
    let lines = folder.run("games killed");
    let packed = folder.run("games packed");
    assert!(packed.lines().count() > 500);
    assert!(packed.lines().all(|game| lines.contains(game)));

    let other = folder
        .command("selfplay --games 700 --seed 6 killed")
        .status();
    assert!(!other.expect("the binary starts").success(), "another seed");
}

#[test]
fn positions_off_games_are_the_same_with_one_thread_and_two() {
    let folder = Folder::new();
    folder.run(&format!("{PLAY} --games 12 games"));
    let samples = |threads: u32| {
        folder.run(&format!(
            "dataset --train fit --perturb games --perturbed 2500 --leaves 2500 --search 1 --threads {threads}"
        ));
        bytes(&folder.path("fit"))
    };
    assert!(samples(1) == samples(2));
    let alone = "dataset --train new --perturb games --leaves 10";
    assert!(refused(&folder, alone).contains("--leaves need --search"));
    fs::write(folder.path("empty"), "# no game\n").expect("a writable place");
    for drawn in ["--perturbed", "--leaves"] {
        let words = format!("dataset --train new --perturb empty {drawn} 10 --search 1");
        assert!(refused(&folder, &words).contains("--perturb hold no game"));
        assert!(!folder.path("new").exists());
    }
}

/// The standard error of `emilia-lab` with these arguments, which must fail; it may print only results.
fn refused(folder: &Folder, words: &str) -> String {
    let output = folder.command(words).stderr(Stdio::piped()).output();
    let output = output.expect("the binary starts");
    assert!(!output.status.success(), "emilia-lab {words}");
    String::from_utf8(output.stderr).expect("text")
}

#[test]
fn no_output_destroys_an_input_or_another_file() {
    let folder = Folder::new();
    folder.run(&format!("{PLAY} --games 12 games"));
    folder.run("dataset --train fit --solve 0 games");
    fs::write(folder.path("letter"), "dear reader").expect("a writable place");
    fs::create_dir(folder.path("folder")).expect("a writable place");
    let names = ["games", "fit", "letter"];
    let before = names.map(|name| bytes(&folder.path(name)));
    let input = "uses the same file as input";
    let other = "it exists and is not";
    for (words, reason) in [
        ("games --pack games games", input),
        ("games --pack ./games games", input),
        ("games --pack letter games", other),
        ("dataset --train games games", input),
        ("dataset --train fit --exclude fit games", input),
        (
            "dataset --train new --validation new games",
            "another output",
        ),
        ("dataset --train letter games", other),
        ("train --output fit fit", input),
        ("train --output letter fit", other),
        ("train --output folder fit", "is a directory"),
        ("train --output missing/w fit", "No such file"),
        ("train --output fit --from fit games", input),
        ("train --output w --from letter fit", "not a weight file"),
        ("tune --output games games", input),
        ("tune --output folder games", "is a directory"),
        ("tune --pairs letter games", other),
        (&format!("{PLAY} --games 20 fit"), other),
        (
            &format!("{PLAY} --games 20 --openings letter letter"),
            "letter",
        ),
    ] {
        let error = refused(&folder, words);
        assert!(error.contains(reason), "emilia-lab {words}: {error}");
        assert!(
            names.map(|name| bytes(&folder.path(name))) == before,
            "emilia-lab {words}"
        );
    }
    let entries = fs::read_dir(folder.0.root()).expect("a folder");
    assert_eq!(entries.count(), names.len() + 1, "nothing is left behind");
}

#[test]
fn one_file_is_written_by_one_self_play() {
    let folder = Folder::new();
    let endless = format!("{PLAY} --threads 1 --games 1000000 games");
    let mut child = folder.command(&endless).spawn().expect("the binary starts");
    let games = folder.path("games");
    while !fs::metadata(&games).is_ok_and(|file| file.len() > 0) {
        sleep(Duration::from_millis(2));
    }
    let error = refused(&folder, &endless);
    let _ = child.kill();
    let _ = child.wait();
    assert!(
        error.contains("games: another process is writing it"),
        "{error}"
    );
    folder.run("games --count games");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_a_clear_error() {
    let error = refused(&Folder::new(), &format!("{PLAY} --games 1 /dev/full"));
    assert!(error.starts_with("error: "), "{error}");
    assert!(
        error.contains("/dev/full") && error.contains("No space left"),
        "{error}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_result_is_printed_where_it_cannot_be_written() {
    let folder = Folder::new();
    folder.run(&format!("{PLAY} --games 40 games"));
    for (words, last) in [
        (
            "tune --positions 4 --depth 4 --solve 14 --output /dev/full games",
            "sigma of static",
        ),
        ("dataset --train /dev/full --solve 0 games", "all\t"),
    ] {
        let output = folder.command(words).output().expect("the binary starts");
        let text = String::from_utf8(output.stdout).expect("text");
        assert!(!output.status.success(), "{words}");
        assert!(
            text.lines()
                .last()
                .is_some_and(|line| line.starts_with(last)),
            "{text}"
        );
    }
}

#[test]
fn tune_stores_its_model_in_the_weight_file() {
    let folder = Folder::new();
    folder.run(&format!("{PLAY} --games 60 games"));
    let tune = "tune --positions 8 --depth 4 --solve 14";
    let report = folder.run(&format!("{tune} --output tuned --pairs pairs games"));
    let sigma = figure(&report, "sigma of static");
    assert!((1.0..=20.0).contains(&sigma), "{report}");
    assert!(bytes(&folder.path("pairs")).len() > 500);

    // The same seed gives the same model with any number of threads; another seed another one.
    assert!(folder.run(&format!("{tune} --threads 1 games")) == report);
    assert!(folder.run(&format!("{tune} --seed 2 games")) != report);

    let embedded = Weights::embedded();
    let only_scaled = folder.run(&format!("{tune} --only-scale --output scaled games"));
    assert_eq!(only_scaled, "scaled 1.0000\n");
    assert!(Weights::load(&folder.path("scaled")).expect("a good file") == embedded);

    let tuned = Weights::load(&folder.path("tuned")).expect("a good file");
    assert!(tuned.model.probcut != embedded.model.probcut);

    // No search of these boards ends where the scale is measured.
    assert!(report.starts_with("scaled 1.0000\n"), "{report}");
    // The weights of these numbers of empties are shifted by what the report says; nothing else has changed.
    let shifts = report
        .lines()
        .find_map(|line| line.strip_prefix("shifted "));
    let shifts = shifts.expect("a line with the shifts").split(' ');
    let mut restored = tuned;
    for (empties, shift) in (8..=60).zip(shifts.clone()) {
        let end = (rows::stage(phase(empties)) + 1) * Packing::get().len();
        let bias = end - BIASES + empties as usize;
        let (before, after) = (embedded.rows[bias], restored.rows[bias]);
        assert_eq!(before[..rows::FACTORS], after[..rows::FACTORS]);
        let (named, discs) = shift.split_once(':').expect("empties and discs");
        assert_eq!(named, empties.to_string());
        let discs: f64 = discs.parse().expect("a number");
        let units = f64::from(rows::weight(&after) - rows::weight(&before));
        let shifted = restored.model.scale.factor() * units / 128.0;
        assert!(
            (shifted - discs).abs() < 0.03,
            "{empties}: {shifted} {discs}"
        );
        restored.rows[bias] = before;
    }
    assert_eq!(shifts.count(), 53);
    restored.model.probcut = embedded.model.probcut.clone();
    assert!(restored == embedded);
}

#[test]
fn tune_counts_wrong_cuts_on_other_games() {
    let folder = Folder::new();
    folder.run(&format!("{PLAY} --games 40 games"));
    let output = folder
        .command("tune --check --positions 3 --seed 1 games")
        .output();
    let output = output.expect("the binary starts");
    let table = String::from_utf8(output.stdout).expect("text");
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines.len(), 11, "{table}");
    assert!(lines[1].starts_with("search\t73%\t3\t6\t"), "{table}");
    assert!(lines[6].starts_with("end\t73%\t3\t6\t"), "{table}");
    let all_hold = !table.contains("\tno");
    assert_eq!(output.status.success(), all_hold, "{table}");

    let nothing = folder.command("tune no-such-file").status();
    assert!(!nothing.expect("the binary starts").success());
}
