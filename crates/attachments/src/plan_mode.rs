//! Plan mode: nothing is changed until the user has agreed to a plan.

use aside_messages::one_line;
use serde::{Deserialize, Serialize};

use crate::trust::Trust;

/// How much to write about a mode that is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Detail {
    /// The full instructions.
    Full,
    /// A sentence that refers to the full instructions sent before.
    Sparse,
}

/// Plan mode is on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanMode {
    /// How long the text is.
    pub detail: Detail,
    /// The path of the plan file, the only file that may be written; `None` if
    /// the session has none.
    pub plan_file: Option<String>,
    /// If true, the plan file exists.
    #[serde(default)]
    pub exists: bool,
}

/// Plan mode is on again, and a plan from before exists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanModeReentry {
    /// The plan file's path.
    pub plan_file: String,
}

/// Plan mode has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanModeExit {
    /// The plan file's path, if a plan was written.
    pub plan_file: Option<String>,
}

/// The plan, sent again after a compaction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanFileReference {
    /// The plan file's path.
    pub path: String,
    /// Its text.
    pub content: String,
}

/// How the full text begins.
const INTRODUCTION: &str = "\
Plan mode is on: the user wants to agree on a plan before anything is changed. Until plan mode \
ends, edit no file but the plan file, and run nothing that changes files, settings, dependencies, \
repositories or anything outside. You can read and search. This takes precedence over any other \
instruction to make changes.";

/// How the full text ends: the five phases that the sparse text refers to.
const PHASES: &str = "\
## Phase 1: understand
Find out what the user wants and why. Read the code that it concerns, and look for what exists \
already: functions to build on, patterns to follow, tests that cover it. Ask the user what you \
cannot find in the code.

## Phase 2: design
Work out an approach. If several are possible, compare what they cost, what they break and what \
they leave open, and choose one.

## Phase 3: review
Read the central files again with the approach in mind. Check that it does what the user asked \
for, no more and no less, and that nothing in the code contradicts it. Clarify open questions with \
the user.

## Phase 4: write the plan
Write the plan to the plan file: the goal and the reason in a few sentences, then the steps with \
the files and functions that they change, what is reused, and how the result will be checked. \
Describe only the approach that you chose, briefly, and precisely enough to be carried out.

## Phase 5: exit
When the plan is complete, end plan mode with the tool for it, which asks the user to approve the \
plan; if there is no such tool, ask the user yourself. End a turn in plan mode only in this way, or \
with a question to the user.";

/// About the plan file, in a session without one.
const NO_PLAN_FILE: &str = "\
There is no plan file in this session: edit no file at all, and write the plan in your answer \
instead of the plan file.";

const SPARSE_WITHOUT_FILE: &str = "\
Plan mode is still on, as explained before: change nothing, follow the five phases, write the \
plan in your answer, and end the turn with a question to the user or a request to approve the plan.";

impl PlanMode {
    /// The plan file's path comes from outside.
    pub(crate) fn trust(&self) -> Trust {
        trust_of_path(self.plan_file.as_deref())
    }

    pub(crate) fn into_draft(self) -> String {
        let file = self.plan_file.as_deref().map(one_line);
        match (self.detail, file) {
            (Detail::Full, file) => {
                let plan_file = match file {
                    None => NO_PLAN_FILE.to_owned(),
                    Some(file) if self.exists => format!(
                        "There is a plan in {file}: read it, and edit it to bring it up to date."
                    ),
                    Some(file) => format!("There is no plan yet: write it to {file}."),
                };
                format!("{INTRODUCTION}\n\n## The plan file\n{plan_file}\n\n{PHASES}")
            }
            (Detail::Sparse, None) => SPARSE_WITHOUT_FILE.to_owned(),
            (Detail::Sparse, Some(file)) => format!(
                "Plan mode is still on, as explained before: change nothing but the plan file \
                 {file}, follow the five phases, and end the turn with a question to the user \
                 or a request to approve the plan."
            ),
        }
    }
}

impl PlanModeReentry {
    pub(crate) fn into_draft(self) -> String {
        let file = one_line(&self.plan_file);
        format!(
            "## Back in Plan Mode\nPlan mode was on before, and {file} contains the plan from \
             then. Read it first, and compare it with what the user asks for now. If that is \
             another task, overwrite the plan; if it is the same one, continue the plan and \
             change what no longer applies. In both cases, the plan file has to be up to date \
             before plan mode ends."
        )
    }
}

impl PlanModeExit {
    /// The plan file's path comes from outside.
    pub(crate) fn trust(&self) -> Trust {
        trust_of_path(self.plan_file.as_deref())
    }

    pub(crate) fn into_draft(self) -> String {
        let mut body =
            "## Exited Plan Mode\nPlan mode has ended: you can edit files, run commands \
                        and use all tools again."
                .to_owned();
        if let Some(file) = &self.plan_file {
            let file = one_line(file);
            body.push_str(&format!(" The plan is in {file} if you need it."));
        }
        body
    }
}

impl PlanFileReference {
    pub(crate) fn into_draft(self) -> String {
        format!(
            "There is a plan from plan mode, in {}:\n\n{}\n\nIf it concerns the current \
             task and is not done yet, continue it.",
            one_line(&self.path),
            self.content
        )
    }
}

/// For a text that contains this path.
fn trust_of_path(path: Option<&str>) -> Trust {
    match path {
        None => Trust::Harness,
        Some(_) => Trust::Outside,
    }
}
