//! Functions that the fuzz targets share.

use emilia::container::{self, ContainerFormat};
use emilia::protocol::{Protocol, testing};

/// A kind of file that only the fuzz target of containers knows.
pub const CONTAINER: ContainerFormat = ContainerFormat {
    magic: *b"EMILIAxx",
    version: 1,
    name: "a file for fuzzing",
};

/// Bytes of the input of [`converse`] that are not sent by the host.
pub const STEPS: usize = 4;

/// Plays a conversation. The first bytes are the steps that the engine takes after each
/// line, modulo 4; the rest is what the host sends.
pub fn converse(protocol: Option<&Protocol>, bytes: &[u8]) {
    let (steps, input) = bytes.split_at(STEPS.min(bytes.len()));
    let steps: Vec<u8> = steps.iter().map(|step| step % 4).collect();
    testing::converse(protocol, input, &steps);
}

/// Reads `bytes` as they are, and with correct checksums: otherwise hardly any changed file would be
/// read beyond its first checksum.
pub fn sealed(bytes: &[u8], read: impl Fn(&[u8])) {
    read(bytes);
    let mut bytes = bytes.to_vec();
    container::reseal(&mut bytes);
    read(&bytes);
}
