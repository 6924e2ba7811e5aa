//! Where the answers go: standard output, or a file that a killed run can go on with.

use std::fs;
use std::io::{self, StdoutLock, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use crate::batch::resume::{Milestones, Progress, Run, WholeLines};
use crate::files::{FileKind, GrowingFile, UsedFiles};

/// Time between two notes of how far the run is.
const NOTE_INTERVAL: Duration = Duration::from_secs(1);

/// Answers in any form: their first bytes do not tell.
const ANSWERS: FileKind = FileKind {
    name: "answers",
    is: |head| !head.contains(&0),
};

/// See [`Run`].
const RUN: FileKind = FileKind {
    name: "the note of a run",
    is: |head| head.starts_with(b"{\"program\":\"emilia"),
};

/// Where the answers go.
pub(super) enum Output {
    Standard(StdoutLock<'static>),
    File(Box<OutputFile>),
}

/// A file of answers, and the note beside it.
pub(super) struct OutputFile {
    file: GrowingFile,
    note: PathBuf,
    run: Run,
    /// Answers in the file.
    answers: u64,
    last_note: Instant,
}

impl Output {
    /// Opens `path`, where a run may go on if `resume` says so. Returns how far the run was.
    ///
    /// # Errors
    /// If the file cannot be written, exists already, or was made by a run that cannot go on.
    pub(super) fn open(
        path: &Path,
        resume: bool,
        mut run: Run,
        inputs: &[PathBuf],
    ) -> anyhow::Result<(Output, Done)> {
        let mut used = UsedFiles::reading(inputs);
        let mut file = used.growing(path, ANSWERS)?;
        let note = note_of(path);
        let name = path.display();
        let mut done = Done::default();
        if !file.is_empty()? {
            if !resume {
                bail!("{name} exists: go on with it by --resume, or name another file");
            }
            let text = fs::read(&note).with_context(|| {
                format!(
                    "{name} cannot be gone on with: cannot read {}",
                    note.display()
                )
            })?;
            let before: Run = serde_json::from_slice(&text)
                .with_context(|| format!("{} is damaged", note.display()))?;
            if let Err(change) = run.can_continue(&before) {
                bail!("{name} cannot be gone on with: {change}");
            }
            let whole = WholeLines::count(io::BufReader::new(file.reader()?))?;
            if whole.lines < before.progress.answers {
                bail!("{name} cannot be gone on with: answers were taken out of it");
            }
            file.truncate(whole.bytes)?;
            run.progress = before.progress;
            done = Done {
                answers: whole.lines,
                noted: before.progress,
            };
        }
        let output = OutputFile {
            file,
            note,
            run,
            answers: done.answers,
            last_note: Instant::now(),
        };
        output.write_note()?;
        Ok((Output::File(Box::new(output)), done))
    }

    /// Writes lines of answers. `milestones` tell of the input so far.
    ///
    /// # Errors
    /// If they cannot be written.
    pub(super) fn write(
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

    /// Notes how far the run is at its end.
    ///
    /// # Errors
    /// If that cannot be written.
    pub(super) fn finish(&mut self) -> anyhow::Result<()> {
        match self {
            Output::Standard(_) => Ok(()),
            Output::File(output) => output.write_note(),
        }
    }
}

impl OutputFile {
    fn write_note(&self) -> anyhow::Result<()> {
        let text = serde_json::to_vec(&self.run)?;
        let note = UsedFiles::default().output(&self.note, RUN)?;
        note.write(|out| out.write_all(&text))?;
        Ok(())
    }
}

/// How far an earlier run was.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Done {
    /// Answers that are there already.
    pub(super) answers: u64,
    /// The last note.
    pub(super) noted: Progress,
}

/// Beside `FILE` stands `FILE.run`.
fn note_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".run");
    PathBuf::from(name)
}
