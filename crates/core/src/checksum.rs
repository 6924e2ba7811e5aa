//! The checksums of the files that Emilia writes.

use twox_hash::XxHash3_64;

/// The checksum of all files: XXH3, 64 bits (Y. Collet, xxHash specification 0.8).
pub fn checksum(bytes: &[u8]) -> u64 {
    XxHash3_64::oneshot(bytes)
}

/// The checksum with a seed: equal bytes with different seeds have different checksums.
pub fn seeded_checksum(seed: u64, bytes: &[u8]) -> u64 {
    XxHash3_64::oneshot_with_seed(seed, bytes)
}

/// FNV-1a, 64 bits (Fowler, Noll and Vo; RFC 9923): of files of older versions.
pub fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hashes_are_the_published_ones() {
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"foobar"), 0x8594_4171_f739_67e8);
        assert_eq!(checksum(b""), 0x2d06_8005_38d3_94c2);
        assert_eq!(seeded_checksum(0, b"foobar"), checksum(b"foobar"));
        assert_ne!(seeded_checksum(1, b"foobar"), checksum(b"foobar"));
    }
}
