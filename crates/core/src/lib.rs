//! The core of Emilia: rules, evaluation and search.

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
