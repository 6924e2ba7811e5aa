//! Talk: what hosts say and what they are answered.

use std::io::{self, Read, Write};

/// The kind of host on the other side of the pipe.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Host {
    /// Not known yet: the first line tells.
    Recognise,
    /// The native protocol of PROTOCOL.md.
    Native,
}

/// Speaks with `host` over `input` and `output` until it quits or the input ends.
///
/// # Errors
/// If the output cannot be written.
pub fn serve(
    _host: Host,
    _input: impl Read + Send + 'static,
    _output: impl Write + Send + 'static,
) -> io::Result<()> {
    Ok(())
}
