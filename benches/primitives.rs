//! Times of the hot primitives.

fn main() {
    divan::main();
}
