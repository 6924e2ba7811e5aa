//! The program as its users run it: as a child process, with files and signals.

mod human;
mod run;
mod training;
