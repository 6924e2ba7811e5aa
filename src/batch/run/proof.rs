//! `solve --proof`: a proof of each answer, made when the position was just solved.

use std::error::Error;
use std::fs::{self, File};
use std::io::{BufReader, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, anyhow};
use rayon::ThreadPoolBuilder;

use crate::batch::problem::{Place, Problem};
use crate::files::{OutputFile, UsedFiles};
use crate::locks::lock;
use crate::proof::make::{self, LEAF_EMPTIES, Made, MakeError, ProofLimits, ProofPlan};
use crate::proof::verify::file::{Failure, ProofReader};
use crate::proof::{PROOF, draft_of};
use crate::rules::Color;
use crate::score::Bounds;
use crate::search::{Control, Searcher};
use crate::threads::Stack;

/// Bytes of memory for the positions of a proof; more go to temporary files.
const MEMORY: usize = 256 << 20;

/// Makes the proofs of a run.
pub(crate) struct Prover {
    target: Target,
    limits: ProofLimits,
    /// Do proofs stay that a killed run has made?
    resume: bool,
    unproven: Mutex<Unproven>,
    /// Can nothing be written any more?
    has_failed: AtomicBool,
}

/// The results whose proofs could not be kept.
#[derive(Default)]
struct Unproven {
    count: u64,
    /// Which the first was, and why.
    first: Option<(String, String)>,
}

/// Where proofs go.
enum Target {
    /// Only one position: to this file, once. None where it has its proof.
    File(PathBuf, Mutex<Option<OutputFile>>),
    /// One file a line.
    Folder(PathBuf),
}

impl Prover {
    /// Proofs go to `path`: into it if it is a folder or ends as one, which is then made. A single one may be
    /// there already where the run is resumed.
    pub(crate) fn open(
        path: &Path,
        used: &mut UsedFiles,
        limits: ProofLimits,
        resume: bool,
    ) -> anyhow::Result<Prover> {
        let ends_as_folder = path.as_os_str().as_encoded_bytes().ends_with(b"/");
        let target = if path.is_dir() || ends_as_folder {
            let cannot = || format!("cannot write into the folder {}", path.display());
            fs::create_dir_all(path).with_context(cannot)?;
            // Whether it can be written is known before the work begins.
            tempfile::tempfile_in(path).with_context(cannot)?;
            Target::Folder(path.to_owned())
        } else {
            let output = match resume {
                true => used.output(path, PROOF),
                false => used.new_output(path, PROOF),
            };
            let output = output?;
            used.claim(&draft_of(path))?;
            let is_made = fs::metadata(path).is_ok_and(|found| found.is_file() && found.len() > 0);
            let output = Some(output).filter(|_| !is_made);
            Target::File(path.to_owned(), Mutex::new(output))
        };
        Ok(Prover {
            target,
            limits,
            resume,
            unproven: Mutex::default(),
            has_failed: AtomicBool::new(false),
        })
    }

    /// Can no more proofs be written, as on a full disk?
    pub(super) fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::Relaxed)
    }

    /// Is the whole proof there of what a line asks, and not that of another position?
    pub(super) fn has(&self, problem: &Problem) -> bool {
        let file = File::open(self.path(problem.place)).ok();
        let proof = file.and_then(|file| ProofReader::new(BufReader::new(file)).ok());
        proof.is_some_and(|proof| {
            let (header, position) = (&proof.header, problem.position);
            let is_same = header.root == make::own(position.board)
                && header.black_to_move == (position.side == Color::Black);
            let proven = make::proven(&header.claims);
            let claims = proven.map(|proven| make::claims(problem.question, proven));
            is_same && claims.is_some_and(|claims| !claims.is_empty()) && proof.is_whole()
        })
    }

    fn path(&self, place: Place) -> PathBuf {
        match &self.target {
            Target::File(path, _) => path.clone(),
            Target::Folder(folder) => folder.join(name_of(place)),
        }
    }

    /// The result of this line stands, but has no proof.
    pub(super) fn note_unproven(&self, place: Place, reason: String) {
        let mut unproven = lock(&self.unproven);
        unproven.count += 1;
        (unproven.first).get_or_insert_with(|| (name_of(place), reason));
    }

    /// Fails if a result has no proof.
    pub(super) fn finish(&self) -> anyhow::Result<()> {
        let Unproven { count, first } = &*lock(&self.unproven);
        let Some((name, reason)) = first else {
            return Ok(());
        };
        let end = match self.has_failed() {
            true => "; nothing more was solved, and --resume goes on",
            false => "",
        };
        Err(anyhow!(
            "of {count} results there is no proof, the first is {name}: {reason}{end}"
        ))
    }

    /// Proves what is known of the position of a line, the answer to its question, that `searcher` has just solved.
    /// `false`: a limit was reached, and a later run continues the proof.
    pub(crate) fn prove(
        &self,
        searcher: &mut Searcher,
        problem: &Problem,
        proven: Bounds,
        control: &Control,
    ) -> Result<bool, String> {
        if self.resume && self.has(problem) {
            return Ok(true);
        }
        match self.make(searcher, problem, proven, control) {
            Ok(_) => Ok(true),
            Err(MakeError::Unsolved { .. }) => Ok(false),
            Err(error) => {
                if is_of_the_system(&error) {
                    self.has_failed.store(true, Ordering::Relaxed);
                }
                Err(format!("{:#}", anyhow!(error)))
            }
        }
    }

    fn make(
        &self,
        searcher: &mut Searcher,
        problem: &Problem,
        proven: Bounds,
        control: &Control,
    ) -> Result<Made, MakeError> {
        if problem.moves.is_some() {
            let reason = "a proof is about all moves of a position, and this line asks about some";
            return Err(Failure::Wrong(reason.to_owned()).into());
        }
        let claims = make::claims(problem.question, proven);
        if claims.is_empty() {
            let reason = "nothing to prove: this is true of every position".to_owned();
            return Err(Failure::Wrong(reason).into());
        }
        let output = self.output(problem.place)?;
        let plan = ProofPlan {
            position: problem.position,
            claims,
            leaf_empties: LEAF_EMPTIES,
            memory: MEMORY,
            limits: self.limits,
        };
        // A pool of its own: in a common one, a thread that waits for its proof would begin another one.
        let pool = ThreadPoolBuilder::new()
            .num_threads(searcher.options().threads)
            .stack_size(Stack::Search.bytes())
            .build();
        let pool = pool.map_err(|error| Failure::System(error.to_string()))?;
        pool.install(|| make::make(searcher, &plan, output, control, &mut |_| {}))
    }

    /// The file of the proof for a line.
    fn output(&self, place: Place) -> Result<OutputFile, MakeError> {
        match &self.target {
            Target::Folder(_) => Ok(UsedFiles::default().output(&self.path(place), PROOF)?),
            Target::File(_, file) => lock(file).take().ok_or_else(|| {
                let reason = "its file is that of another position; --proof FOLDER/ takes many";
                Failure::Wrong(reason.to_owned()).into()
            }),
        }
    }
}

/// Will other proofs fail as well? Not where a file is in the way of this one.
fn is_of_the_system(error: &MakeError) -> bool {
    match error {
        MakeError::File(error) => error.source().is_some(),
        MakeError::Io(error) => error.kind() != ErrorKind::Other,
        MakeError::Failed(Failure::System(_)) => true,
        MakeError::Failed(_) | MakeError::Unsolved { .. } => false,
    }
}

/// `LINE.proof`, or `FILE-LINE.proof` by the numbers of file and line where there are more files than one.
fn name_of(place: Place) -> String {
    match place.file {
        None | Some(0) => format!("{}.proof", place.line),
        Some(file) => format!("{}-{}.proof", file + 1, place.line),
    }
}
