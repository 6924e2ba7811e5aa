//! `solve --proof`: a proof of each answer, made when the position was just solved.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::Context;
use rayon::ThreadPoolBuilder;

use crate::batch::problem::{Place, Problem};
use crate::files::{OutputFile, UsedFiles};
use crate::locks::lock;
use crate::proof::make::{self, LEAF_EMPTIES, MakeError, ProofLimits, ProofPlan};
use crate::proof::{PROOF, draft_of};
use crate::score::Bounds;
use crate::search::{Control, Searcher};
use crate::threads::Stack;

/// Bytes of memory for the positions of a proof; more go to temporary files.
const MEMORY: usize = 256 << 20;

/// Makes the proofs of a run.
pub(crate) struct Prover {
    target: Target,
    limits: ProofLimits,
}

/// Where proofs go.
enum Target {
    /// Only one position: to this file, once.
    File(Mutex<Option<OutputFile>>),
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
            Target::File(Mutex::new(Some(output)))
        };
        Ok(Prover { target, limits })
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
        let claims = make::claims(problem.question, proven);
        if claims.is_empty() {
            return Err("nothing to prove: this is true of every position".to_owned());
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
        let pool = pool.map_err(|error| error.to_string())?;
        let made = pool.install(|| make::make(searcher, &plan, output, control, &mut |_| {}));
        match made {
            Ok(_) => Ok(true),
            Err(MakeError::Unsolved { .. }) => Ok(false),
            Err(error) => Err(format!("no proof: {error}")),
        }
    }

    /// The file of the proof for a line.
    fn output(&self, place: Place) -> Result<OutputFile, String> {
        match &self.target {
            Target::Folder(folder) => {
                let path = folder.join(name_of(place));
                let output = UsedFiles::default().output(&path, PROOF);
                output.map_err(|error| error.to_string())
            }
            Target::File(file) => {
                let mut file = lock(file);
                let none =
                    "no proof: its file is that of another position; --proof FOLDER/ takes many";
                file.take().ok_or_else(|| none.to_owned())
            }
        }
    }
}

/// `LINE.proof`, or `FILE-LINE.proof` by the numbers of file and line where there are more files than one.
fn name_of(place: Place) -> String {
    match place.file {
        None | Some(0) => format!("{}.proof", place.line),
        Some(file) => format!("{}-{}.proof", file + 1, place.line),
    }
}
