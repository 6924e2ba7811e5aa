//! The `emilia` binary: see [`emilia::cli`].

fn main() {}
