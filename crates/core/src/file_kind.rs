//! Kinds of files.

/// A kind of file, known by its first bytes.
#[derive(Clone, Copy, Debug)]
pub struct FileKind {
    /// With its article, for messages: "an SVG drawing".
    pub name: &'static str,
    /// Can a file that begins with these bytes be of this kind? They are 1 to [`FileKind::HEAD`]
    /// bytes: an empty file is of every kind.
    pub is: fn(&[u8]) -> bool,
}

impl FileKind {
    /// Bytes at the start of a file that tell its kind.
    pub const HEAD: usize = 512;

    /// Games.
    pub const GGF: FileKind = FileKind {
        name: "a file of GGF games",
        is: |head| head.trim_ascii_start().starts_with(b"(;GM"),
    };

    /// A drawing.
    pub const SVG: FileKind = FileKind {
        name: "an SVG drawing",
        is: |head| head.starts_with(b"<svg") || head.starts_with(b"<?xml"),
    };
}
