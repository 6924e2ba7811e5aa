//! How the search scales, measured on simulated cores: pinned to the node.

use std::fs;

use emilia::engine::bench::{Simulated, Task, run_simulated};
use emilia::score::Question;
use emilia::search::Control;

/// Few and short searches.
fn tasks(kind: &str) -> Vec<Task> {
    match kind {
        "midgame" => Simulated::Midgame(Some(8)).of_bench(),
        // Deep enough that threads without work search ahead.
        "deeper" => Simulated::Midgame(Some(14)).of_bench()[..3].to_vec(),
        "solve" => {
            let of_bench = Simulated::Solves(None).of_bench().into_iter();
            let positions = of_bench.map(|(position, _)| position);
            let short = positions.filter(|position| position.board.empty_count() <= 18);
            Simulated::Solves(Some(Question::Exact)).of(short)
        }
        _ => panic!("{kind} is not searched"),
    }
}

/// The searches of one line of the pinned figures, such as `midgame 8`.
fn measure(kind: &str, threads: &str) -> String {
    let threads = threads.parse().expect("a number of threads");
    let control = Control::new();
    let total = run_simulated(&tasks(kind), threads, &control, &mut |_| {});
    let total = total.expect("memory").expect("threads");
    format!("{kind} {threads}: {total}")
}

#[test]
fn the_search_scales_as_pinned_and_repeats() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/simulated.txt");
    let pinned = fs::read_to_string(path).expect("the pinned figures");
    let measured: Vec<String> = pinned
        .lines()
        .map(|line| {
            let (search, _) = line.split_once(':').expect("a figure");
            let (kind, threads) = search.split_once(' ').expect("kind and threads");
            measure(kind, threads)
        })
        .collect();
    assert_eq!(measured.join("\n"), pinned.trim_end());
    assert_eq!(measure("midgame", "16"), measured[1]);
}
