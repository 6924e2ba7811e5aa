//! Hints to the memory, which change nothing but how long things take. They are here because
//! they need `unsafe`, not because they have to do with bitboards.

/// Asks for the cache line of `slice[index]`, which need not exist; does nothing
/// on targets without such an instruction.
#[inline]
pub fn prefetch<T>(slice: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let address = slice.as_ptr().wrapping_add(index);
        // SAFETY: SSE is part of x86-64, and a prefetch of any address is only a hint: it cannot fault.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (slice, index);
}

/// Asks the system to keep in large pages what of `slice` was not written to yet: one page fault
/// instead of hundreds, and fewer walks through the page tables. It is only a hint:
/// where the system has none, or cannot be asked, nothing changes.
pub fn prefer_huge_pages<T>(slice: &[T]) {
    #[cfg(all(target_os = "linux", feature = "program"))]
    {
        /// Bytes of the smallest page; the system wants the start of one.
        const PAGE: usize = 4096;
        let start = slice.as_ptr().cast_mut();
        let skipped = start.cast::<u8>().align_offset(PAGE);
        if let Some(length) = size_of_val(slice).checked_sub(skipped) {
            // SAFETY: the pages that are named, but for a part of the last one, lie within `slice`; which
            // size they have changes nothing about what they hold, there or beside it.
            unsafe {
                let page = start.cast::<u8>().wrapping_add(skipped);
                libc::madvise(page.cast(), length, libc::MADV_HUGEPAGE);
            }
        }
    }
    #[cfg(not(all(target_os = "linux", feature = "program")))]
    let _ = slice;
}
