//! Hints about memory, which change only the speed. They are here because they need `unsafe`, not
//! because they belong to bitboards.

/// Prefetches the cache line of `slice[index]`, which need not exist; does nothing
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

/// Asks the system to use large pages for the parts of `slice` that were not written to yet: one
/// page fault instead of hundreds, and fewer walks through the page tables. It is only a hint:
/// where the system has no large pages, nothing changes.
pub fn prefer_huge_pages<T>(slice: &[T]) {
    #[cfg(all(target_os = "linux", feature = "program"))]
    {
        /// Bytes of the smallest page; the system needs the start of one.
        const PAGE: usize = 4096;
        let start = slice.as_ptr().cast_mut();
        let skipped = start.cast::<u8>().align_offset(PAGE);
        if let Some(length) = size_of_val(slice).checked_sub(skipped) {
            // SAFETY: all these pages, apart from the end of the last one, lie within `slice`; the size
            // of a page does not change its contents, there or beside it.
            unsafe {
                let page = start.cast::<u8>().wrapping_add(skipped);
                libc::madvise(page.cast(), length, libc::MADV_HUGEPAGE);
            }
        }
    }
    #[cfg(not(all(target_os = "linux", feature = "program")))]
    let _ = slice;
}
