//! Text and files that other programs write and read: problem lines (OBF),
//! transcripts, opening lists, WTHOR databases, GGF and SGF games.
//!
//! Every text grammar is made of the words of [`crate::text`]. Whatever the bytes, reading
//! ends with a value or with an error that names the column, and, for files, the line.

pub mod obf;

pub mod transcript;

pub mod openings;

pub mod ggf;

pub mod sgf;

pub mod wthor;

#[cfg(test)]
mod fuzz;
