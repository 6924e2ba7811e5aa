//! The program as its users run it: as a child process, with files, pipes and signals.

mod analyze;
mod batch;
mod book;
mod book_use;
mod faults;
mod files;
mod games;
mod ggs;
mod host;
mod lines;
mod matches;
mod play;
mod proof;
mod protocol;
mod puzzles;
mod run;
mod solve;
mod starved;
mod tier;
mod tournament;
