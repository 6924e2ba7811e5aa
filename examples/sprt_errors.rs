//! How often the sequential test errs, by simulated matches:
//! `cargo run --release --example sprt_errors [MATCHES [elo0=0 elo1=5 ..]]`.
//!
//! In each row the players' true difference is that of one hypothesis or lies between
//! them; the shares of H1 at `elo0` and of H0 at `elo1` have to be 5% or less.

use std::env;
use std::io::{self, Write};

use emilia::tournament::sprt::{Sprt, simulation};

/// Shares of a pair's outcomes between equals, from 0 to 2 points: drawish and decisive.
const EQUALS: [(&str, [f64; 5]); 2] = [
    ("drawish", [0.03, 0.07, 0.80, 0.07, 0.03]),
    ("decisive", [0.15, 0.10, 0.50, 0.10, 0.15]),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = env::args().skip(1);
    let matches: u64 = arguments.next().as_deref().unwrap_or("10000").parse()?;
    let sprt: Sprt = arguments.collect::<Vec<_>>().join(" ").parse()?;
    let mut out = io::stdout().lock();
    writeln!(out, "{matches} matches a row, {sprt}")?;
    writeln!(out, "pairs\ttrue Elo\tH0\tH1\tmean pairs")?;
    for (name, equals) in EQUALS {
        for elo in [sprt.elo0, (sprt.elo0 + sprt.elo1) / 2.0, sprt.elo1] {
            let tally = simulation::run(sprt, elo, equals, matches, 1);
            let share = |count| 100.0 * count as f64 / matches as f64;
            writeln!(
                out,
                "{name}\t{elo}\t{:.2}%\t{:.2}%\t{}",
                share(tally.h0),
                share(tally.h1),
                tally.pairs / matches.max(1)
            )?;
        }
    }
    Ok(())
}
