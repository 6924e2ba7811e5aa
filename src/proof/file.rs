//! Writing a proof.

use std::io::{self, BufRead, Write};

use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};

use super::verify::file::{Claim, Header, MAGIC};
use crate::files::FileKind;

/// A proof, among the files of a command.
pub const PROOF: FileKind = FileKind {
    name: "a proof",
    is: |head| head.starts_with(&MAGIC),
};

/// The bytes of a header.
pub fn header_bytes(header: &Header) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(header.root.mover.to_le_bytes());
    bytes.extend(header.root.other.to_le_bytes());
    bytes.extend([
        u8::from(!header.black_to_move),
        header.leaf_empties,
        header.claims.len() as u8,
    ]);
    for (index, claim) in header.claims.iter().enumerate() {
        bytes.extend(match *claim {
            Claim::AtLeast(score) => [b'>', score as i8 as u8],
            Claim::AtMost(score) => [b'<', score as i8 as u8],
        });
        for size in header.layers.get(index).into_iter().flatten().flatten() {
            bytes.extend(size.to_le_bytes());
        }
    }
    bytes
}

/// Writes a proof with this header and these moves; answers its size in bytes.
///
/// # Errors
/// If that cannot be read or written.
pub fn write(header: &Header, mut moves: impl BufRead, out: &mut impl Write) -> io::Result<u64> {
    let bytes = header_bytes(header);
    let mut crc = Crc::new();
    crc.update(&bytes);
    out.write_all(&bytes)?;
    let mut packer = ZlibEncoder::new(&mut *out, Compression::best());
    while let part = moves.fill_buf()?
        && !part.is_empty()
    {
        crc.update(part);
        packer.write_all(part)?;
        let used = part.len();
        moves.consume(used);
    }
    packer.try_finish()?;
    let size = bytes.len() as u64 + packer.total_out() + 4;
    packer.finish()?.write_all(&crc.sum().to_le_bytes())?;
    Ok(size)
}
