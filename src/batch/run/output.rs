//! Where the answers go: standard output, or a file that a killed run can continue.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufRead, StdoutLock, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use crate::batch::answer::OBF_HEAD;
use crate::batch::resume::{Done, Milestones, OBF, Run, whole_lines};
use crate::files::{FileKind, GrowingFile, UsedFiles};

/// Time between two notes of how far the run is.
const NOTE_INTERVAL: Duration = Duration::from_secs(1);

/// Answers in any form: their first bytes do not tell.
const ANSWERS: FileKind = FileKind {
    name: "answers",
    is: |head| !head.contains(&0),
};

const RUN: FileKind = FileKind {
    name: "the note of a run",
    is: |head| head.starts_with(b"{\"program\":\"emilia"),
};

/// Where the answers go.
pub(crate) enum Output {
    Standard(StdoutLock<'static>),
    File(Box<OutputFile>),
}

/// A file of answers, and the note beside it.
pub(crate) struct OutputFile {
    file: GrowingFile,
    /// A device or a pipe has none: nobody can continue it.
    note: Option<PathBuf>,
    run: Run,
    /// Answers in the file.
    answers: u64,
    last_note: Instant,
}

impl Output {
    /// Opens `path`, where a run may go on if `resume` says so. Returns how far
    /// the run was.
    pub(crate) fn open(
        path: &Path,
        resume: bool,
        mut run: Run,
        used: &mut UsedFiles,
    ) -> anyhow::Result<(Output, Done)> {
        let mut file = used.growing(path, ANSWERS)?;
        let note = file.is_regular().then(|| note_of(path));
        note.iter().try_for_each(|note| used.claim(note))?;
        let name = path.display();
        let mut done = Done::default();
        match &note {
            None if resume => bail!("{name} cannot be continued: it is a device or a pipe"),
            Some(note) if !file.is_empty()? => {
                if !resume {
                    bail!("{name} exists: continue it with --resume, or name another file");
                }
                done = continue_with(&mut file, note, &run)
                    .with_context(|| format!("{name} cannot be continued"))?;
                run.progress = done.noted;
            }
            _ => {}
        }
        let output = OutputFile {
            file,
            note,
            run,
            answers: done.answers,
            last_note: Instant::now(),
        };
        output.write_note()?;
        let run = output.run.clone();
        let mut output = Output::File(Box::new(output));
        if done.answers == 0 {
            output.begin(&run)?;
        }
        Ok((output, done))
    }

    /// Standard output.
    pub(crate) fn standard(run: &Run) -> anyhow::Result<Output> {
        let mut output = Output::Standard(io::stdout().lock());
        output.begin(run)?;
        Ok(output)
    }

    /// Writes the line that stands before all answers, where there is one.
    fn begin(&mut self, run: &Run) -> anyhow::Result<()> {
        match heads(run) {
            0 => Ok(()),
            _ => self.write(
                format!("{OBF_HEAD}\n").as_bytes(),
                0,
                &Milestones::default(),
            ),
        }
    }

    /// Writes lines of answers. `milestones` tell of the input so far.
    pub(crate) fn write(
        &mut self,
        text: &[u8],
        answers: u64,
        milestones: &Milestones,
    ) -> anyhow::Result<()> {
        match self {
            Output::Standard(out) => {
                out.write_all(text)?;
                out.flush()?;
            }
            Output::File(output) => {
                output.file.append(text)?;
                output.answers += answers;
                if let Some(progress) = milestones.reached(output.answers) {
                    output.run.progress = progress;
                    if output.last_note.elapsed() >= NOTE_INTERVAL {
                        output.last_note = Instant::now();
                        output.write_note()?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Puts lines in the places of earlier answers, by their numbers; the first is 1.
    pub(crate) fn replace(&mut self, lines: &BTreeMap<u64, Vec<u8>>) -> anyhow::Result<()> {
        let Output::File(output) = self else {
            return Ok(());
        };
        let first = 1 - heads(&output.run);
        output.file.rewrite(|before, out| {
            let mut before = io::BufReader::new(before);
            let mut line = Vec::new();
            for number in first.. {
                line.clear();
                if before.read_until(b'\n', &mut line)? == 0 {
                    break;
                }
                out.write_all(lines.get(&number).unwrap_or(&line))?;
            }
            Ok(())
        })?;
        Ok(())
    }

    /// Notes how far the run is at its end.
    pub(crate) fn finish(&mut self) -> anyhow::Result<()> {
        match self {
            Output::Standard(_) => Ok(()),
            Output::File(output) => output.write_note(),
        }
    }
}

impl OutputFile {
    fn write_note(&self) -> anyhow::Result<()> {
        let Some(path) = &self.note else {
            return Ok(());
        };
        let text = serde_json::to_vec(&self.run)?;
        let note = UsedFiles::default().output(path, RUN)?;
        note.write(|out| out.write_all(&text))?;
        Ok(())
    }
}

/// Cuts the output of an earlier run down to its whole lines, and says what they answer.
fn continue_with(file: &mut GrowingFile, note: &Path, run: &Run) -> anyhow::Result<Done> {
    let name = note.display();
    let text = fs::read(note).with_context(|| format!("cannot read {name}"))?;
    let before: Run =
        serde_json::from_slice(&text).with_context(|| format!("{name} is damaged"))?;
    run.can_continue(&before).map_err(anyhow::Error::msg)?;
    let (lines, bytes) = whole_lines(io::BufReader::new(file.reader()?))?;
    let answers = lines.saturating_sub(heads(run));
    if answers < before.progress.answers {
        bail!("answers were taken out of it");
    }
    file.truncate(if answers > 0 { bytes } else { 0 })?;
    Ok(Done {
        answers,
        noted: before.progress,
    })
}

/// Lines before the first answer.
fn heads(run: &Run) -> u64 {
    u64::from(run.options.contains_key(OBF))
}

/// Beside `FILE` stands `FILE.run`.
pub(crate) fn note_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".run");
    PathBuf::from(name)
}
