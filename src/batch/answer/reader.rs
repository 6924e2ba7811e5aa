//! The answers of a file, one after the other, and their join with the lines of an input, in whose order they stand:
//! one is in memory, however many there are.

use std::cmp::Ordering;
use std::io::{self, BufRead, Read};

use anyhow::anyhow;

use super::{Answer, AnswerError, InputLine};
use crate::score::Question;
use crate::text::BYTE_ORDER_MARK;

/// Longest answer that is read, in bytes: a name of the longest line with escapes, and what the answer adds.
const MAX_ANSWER: u64 = 1 << 20;

/// The answers of a file, one after the other.
pub(crate) struct Answers<R> {
    pub(crate) name: String,
    reader: R,
    /// Lines that were read so far.
    pub(crate) number: u64,
    bytes: Vec<u8>,
    /// Has the last line no end? Then it is no answer: it may have been cut anywhere.
    pub(crate) is_cut: bool,
    /// The next answer, if it was read already.
    next: Option<Answer>,
}

impl<R: BufRead> Answers<R> {
    pub(crate) const fn new(name: String, reader: R) -> Answers<R> {
        Answers {
            name,
            reader,
            number: 0,
            bytes: Vec::new(),
            is_cut: false,
            next: None,
        }
    }

    /// The next line, without its end. `None`: there is no more that is whole.
    pub(crate) fn next_line(&mut self) -> io::Result<Option<&str>> {
        self.bytes.clear();
        let mut limited = (&mut self.reader).take(MAX_ANSWER);
        let length = limited.read_until(b'\n', &mut self.bytes);
        let length = length.map_err(|error| {
            io::Error::new(error.kind(), format!("cannot read {}: {error}", self.name))
        })?;
        let bad = |reason: &str| {
            let place = format!("{}, line {}: {reason}", self.name, self.number + 1);
            io::Error::new(io::ErrorKind::InvalidData, place)
        };
        if length as u64 == MAX_ANSWER && self.bytes.last() != Some(&b'\n') {
            return Err(bad("too long for an answer"));
        }
        if self.bytes.pop_if(|last| *last == b'\n').is_none() {
            self.is_cut |= length > 0;
            return Ok(None);
        }
        if self.number == 0 && self.bytes.starts_with(BYTE_ORDER_MARK) {
            self.bytes.drain(..BYTE_ORDER_MARK.len());
        }
        match std::str::from_utf8(&self.bytes) {
            Ok(text) => {
                self.number += 1;
                Ok(Some(text))
            }
            Err(_) => Err(bad("bytes that are no text")),
        }
    }

    /// The next answer.
    pub(crate) fn next_answer(&mut self) -> anyhow::Result<Option<Answer>> {
        self.peek()?;
        Ok(self.next.take())
    }

    /// The next answer, which stays the next one.
    pub(crate) fn peek(&mut self) -> anyhow::Result<Option<&Answer>> {
        if self.next.is_none()
            && let Some(text) = self.next_line()?
        {
            let parsed = Answer::parse(text);
            self.next = Some(parsed.map_err(|reason| self.bad(&reason))?);
        }
        Ok(self.next.as_ref())
    }

    /// The next answer, which has to be that of `line`, and the question that it answers, of which `likely` is tried
    /// first. `may_lack`: it may be that of a later line, and then stays the next one.
    pub(crate) fn take(
        &mut self,
        line: &InputLine<'_>,
        likely: Option<Question>,
        may_lack: bool,
    ) -> anyhow::Result<Option<(Answer, Option<Question>)>> {
        let Some(next) = self.peek()? else {
            return Ok(None);
        };
        if may_lack && next.order(line) == Some(Ordering::Greater) {
            return Ok(None);
        }
        let Some(mut answer) = self.next.take() else {
            return Ok(None);
        };
        match answer.fits(line, likely) {
            Ok(question) => Ok(Some((answer, question))),
            Err(reason) => Err(self.bad(&reason)),
        }
    }

    /// The error of the answer that was read last.
    pub(crate) fn bad(&self, reason: &AnswerError) -> anyhow::Error {
        anyhow!("{}, line {}: {reason}", self.name, self.number)
    }
}
