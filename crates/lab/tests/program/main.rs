//! The program as its users run it: as a child process, with files and signals.

#[path = "../../../../tests/program/files.rs"]
mod files;
mod human;
mod training;
