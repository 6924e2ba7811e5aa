//! The search thread behind channels: requests go in, events come out.

pub mod bench;
