//! Hints about memory, to the CPU and to the compiler, which change only the speed. They are here
//! because they need `unsafe`, not because they belong to bitboards.

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
    #[cfg(target_arch = "aarch64")]
    {
        let address = slice.as_ptr().wrapping_add(index);
        // SAFETY: a prefetch of any address is only a hint: it cannot fault.
        unsafe {
            std::arch::asm!(
                "prfm pldl1keep, [{}]",
                in(reg) address,
                options(nostack, preserves_flags, readonly)
            );
        }
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = (slice, index);
}

/// Returns `table`. On ARM it is a hint: the table's address gets a register of its own, and what
/// follows is loaded later. A load there has no room for the offset of a table within a larger one;
/// the compiler would add it to each index.
#[inline(always)]
pub fn based<T>(table: &T) -> &T {
    #[cfg(target_arch = "aarch64")]
    {
        let mut address: *const T = table;
        // SAFETY: there is no instruction; the address is still that of `table`.
        unsafe {
            std::arch::asm!("/* {} */", inout(reg) address, options(nostack, preserves_flags));
            &*address
        }
    }
    #[cfg(not(target_arch = "aarch64"))]
    table
}

/// Asks the system to use large pages for the parts of `slice` that were not written to yet: one
/// page fault instead of hundreds, and fewer walks through the page tables. It is only a hint:
/// where the system has no large pages, nothing changes.
pub fn prefer_huge_pages<T>(slice: &[T]) {
    #[cfg(all(target_os = "linux", feature = "program"))]
    {
        use rustix::mm::{Advice, madvise};

        /// Bytes of the smallest page; the system needs the start of one.
        const PAGE: usize = 4096;
        let start = slice.as_ptr().cast_mut();
        let skipped = start.cast::<u8>().align_offset(PAGE);
        if let Some(length) = size_of_val(slice).checked_sub(skipped) {
            // SAFETY: all these pages, apart from the end of the last one, lie within `slice`; the size
            // of a page does not change its contents, there or beside it.
            unsafe {
                let page = start.cast::<u8>().wrapping_add(skipped);
                let _ = madvise(page.cast(), length, Advice::LinuxHugepage);
            }
        }
    }
    #[cfg(not(all(target_os = "linux", feature = "program")))]
    let _ = slice;
}
