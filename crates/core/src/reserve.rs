//! Memory that stays free: what may be refused is taken only while a reserve is left for the
//! many small things that cannot be.
//!
//! A program that gives its last memory to a table or to a thread ends at the next string that
//! it writes. So tables and threads are allocated beside a block that is freed afterwards.

use std::hint::black_box;

/// Bytes that stay free: the weights of all phases are unpacked within them, and lines written.
/// WebAssembly never gives memory back.
const BYTES: usize = if cfg!(target_family = "wasm") {
    0
} else {
    80 << 20
};

/// Memory that is held until this is dropped. Its pages are never touched, so that it costs
/// address space only.
pub struct Reserve(Vec<u8>);

impl Reserve {
    /// Holds the reserve. `None`: so much memory is not free.
    pub fn hold() -> Option<Reserve> {
        Reserve::of(BYTES)
    }

    /// Holds the reserve where it and `bytes` more are free.
    ///
    /// Both are asked for as one block. When glibc frees a block of less than 32 MB, it takes the
    /// next one of that size from the heap, which has to be cleared where new pages would not.
    pub fn hold_beside(bytes: usize) -> Option<Reserve> {
        Reserve::of(BYTES.checked_add(bytes)?)?;
        Reserve::hold()
    }

    fn of(bytes: usize) -> Option<Reserve> {
        let mut block = Vec::new();
        block.try_reserve_exact(bytes).ok()?;
        Some(Reserve(block))
    }
}

impl Drop for Reserve {
    fn drop(&mut self) {
        // The compiler may remove an allocation that is not used.
        black_box(self.0.as_ptr());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_reserve() {
        assert!(Reserve::hold().is_some());
        assert!(Reserve::hold_beside(1).is_some());
        assert!(Reserve::hold_beside(isize::MAX as usize).is_none());
    }
}
