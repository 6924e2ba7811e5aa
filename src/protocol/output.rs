//! The writer: it owns the output, and flushes each line.

use std::io::{self, ErrorKind, Write};
use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};

use crate::threads::{self, Stack};

/// How long a host that asked to quit may take to read the last replies.
const PATIENCE: Duration = Duration::from_millis(500);

/// The writing thread.
#[derive(Debug)]
pub(super) struct ReplyWriter {
    thread: JoinHandle<io::Result<()>>,
    /// Disconnected once nothing more is written.
    pub(super) closed: Receiver<()>,
}

/// Starts the thread, which prints replies of one line, or of more with `\n` between them. Sending never blocks,
/// even if the host does not read. It ends when every sender is dropped and all is written, or when writing fails.
pub(super) fn start(
    mut output: impl Write + Send + 'static,
) -> io::Result<(Sender<String>, ReplyWriter)> {
    let (lines, queue) = unbounded::<String>();
    let (open, closed) = bounded(0);
    let write = move || {
        let _open: Sender<()> = open;
        for line in queue {
            writeln!(output, "{line}")?;
            output.flush()?;
        }
        Ok(())
    };
    let thread = threads::spawn("writer", Stack::Small, write)?;
    Ok((lines, ReplyWriter { thread, closed }))
}

impl ReplyWriter {
    /// Waits until all is written, but not for ever.
    pub(super) fn hurry(self) -> io::Result<()> {
        if self.closed.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
            log::warn!("nobody reads the output: the last lines are lost");
            return Ok(());
        }
        self.finish()
    }

    /// Waits until all is written. That the reader has closed the pipe is no error.
    pub(super) fn finish(self) -> io::Result<()> {
        match self.thread.join() {
            Ok(Err(error)) if error.kind() != ErrorKind::BrokenPipe => Err(error),
            Ok(_) => Ok(()),
            Err(_) => Err(io::Error::other("the writer panicked")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An output that fails with one kind of error.
    struct Failing(ErrorKind);

    impl Write for Failing {
        fn write(&mut self, _bytes: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn result_of(output: impl Write + Send + 'static) -> io::Result<()> {
        let (output, writer) = start(output)?;
        output.send("readyok".to_owned()).expect("a writer");
        drop(output);
        writer.finish()
    }

    #[test]
    fn a_closed_pipe_is_no_error() {
        assert!(result_of(Failing(ErrorKind::BrokenPipe)).is_ok());
        assert!(result_of(Failing(ErrorKind::StorageFull)).is_err());
    }
}
