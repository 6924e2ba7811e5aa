//! The core of Emilia: the rules of Othello, the judgement of a board, and the search.
//!
//! A board and limits go in, a move with its score, or a proof of the result, comes out. Nothing here prints or talks
//! to people: files of games, protocols, books and commands are in the crate `emilia`, which stands on this one and
//! shows its [`rules`], [`score`], [`eval`] and [`search`] to programs that embed it.
//!
//! The core uses no other crate of Emilia. Of files it knows the weights inside it and the sealed [`container`]; it
//! has no dependency on a terminal or on C code, and `unsafe` is in [`simd`] alone. The modules below stand in layers;
//! each uses only those above it: vector code and the machine first, then small helpers, then the game. `oracle` shares
//! nothing with `eval` and `search`: they are checked by it.
//!
//! Begin with [`rules::Board`] and [`score::Score`]; then read [`search`], whose first page names its files in order,
//! and in it `midgame`, the search of one node. `cargo test -p emilia-core` tests this crate alone.

#[doc(hidden)]
pub mod simd;

pub mod host;

#[doc(hidden)]
pub mod tier;

#[doc(hidden)]
pub mod faults;

#[doc(hidden)]
pub mod locks;

#[doc(hidden)]
pub mod lazy;

#[doc(hidden)]
pub mod reserve;

#[doc(hidden)]
pub mod threads;

#[doc(hidden)]
pub mod random;

#[doc(hidden)]
pub mod linear;

#[doc(hidden)]
pub mod checksum;

#[doc(hidden)]
pub mod file_kind;

#[doc(hidden)]
pub mod embedded;

#[doc(hidden)]
pub mod container;

pub mod score;

pub mod rules;

#[doc(hidden)]
pub mod oracle;

pub mod eval;

pub mod search;
