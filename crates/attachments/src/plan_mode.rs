//! Planning first, and changing nothing until the plan is agreed on.

use aside_messages::conversation::EntryDraft;
use aside_messages::one_line;
use serde::{Deserialize, Serialize};

use crate::draft::reminder;

/// How much is said of a mode that is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Detail {
    /// Everything.
    Full,
    /// A sentence, for a model that was told everything before.
    Sparse,
}

/// Plan mode is on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanMode {
    /// How much is said of it.
    pub detail: Detail,
    /// The file for the plan, the one that may be written.
    pub plan_file: String,
    /// Whether that file is there.
    pub exists: bool,
}

/// Plan mode is on again, and there is a plan from before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanModeReentry {
    /// The file with the plan.
    pub plan_file: String,
}

/// Plan mode is off again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanModeExit {
    /// The file with the plan, if one was written.
    pub plan_file: Option<String>,
}

/// A plan from before the conversation was compacted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanFileReference {
    /// The file.
    pub path: String,
    /// The plan.
    pub content: String,
}

const INTRODUCTION: &str = "\
Plan mode is on: the user wants to agree on a plan before anything is changed. Until plan mode \
ends, edit no file but the plan file, and run nothing that changes files, settings, dependencies, \
repositories or anything outside. Reading and searching are welcome. This goes before any other \
instruction to make changes.";

const PHASES: &str = "\
## Phase 1: understand
Find out what the user wants and why. Read the code that it concerns, and look for what is there \
already: functions to build on, patterns to follow, tests that cover it. Ask the user what the \
code cannot tell you.

## Phase 2: design
Work out an approach. Where several would do, compare them by what they cost, what they break and \
what they leave open, and choose one.

## Phase 3: review
Read the central files once more with the approach in mind. Check that it does what the user \
asked for, no more and no less, and that nothing in the code contradicts it. Settle open questions \
with the user.

## Phase 4: write the plan
Write the plan to the plan file: what is to be done and why in a few sentences, then the steps \
with the files and functions they touch, what is reused, and how the result will be checked. Only \
the approach that you chose, short enough to be read at once, precise enough to be carried out.

## Phase 5: exit
When the plan stands, end plan mode with the tool that is offered for it, which asks the user to \
agree; where there is none, ask them yourself. End a turn in plan mode only with that, or with a \
question to the user.";

impl PlanMode {
    pub(crate) fn entry(self, kind: &str) -> EntryDraft {
        let file = one_line(&self.plan_file);
        let body = match self.detail {
            Detail::Full => {
                let plan_file = if self.exists {
                    format!(
                        "There is a plan in {file}: read it, and bring it up to date by editing it."
                    )
                } else {
                    format!("There is no plan yet: write it to {file}.")
                };
                format!("{INTRODUCTION}\n\n## The plan file\n{plan_file}\n\n{PHASES}")
            }
            Detail::Sparse => format!(
                "Plan mode is still on, as explained before: change nothing but the plan file \
                 {file}, follow the five phases, and end the turn by asking the user a question \
                 or to agree to the plan."
            ),
        };
        reminder(kind, body)
    }
}

impl PlanModeReentry {
    pub(crate) fn entry(self, kind: &str) -> EntryDraft {
        let file = one_line(&self.plan_file);
        let body = format!(
            "## Back in Plan Mode\nPlan mode was on before, and {file} holds the plan of that \
             time. Read it first, and hold it against what the user asks for now. If that is \
             another task, overwrite the plan; if it is the same one, go on with the plan and \
             change what no longer holds. Either way, the plan file has to be up to date before \
             plan mode ends."
        );
        reminder(kind, body)
    }
}

impl PlanModeExit {
    pub(crate) fn entry(self, kind: &str) -> EntryDraft {
        let mut body =
            "## Exited Plan Mode\nPlan mode has ended: you can edit files, run commands \
                        and use all tools again."
                .to_owned();
        if let Some(file) = &self.plan_file {
            let file = one_line(file);
            body.push_str(&format!(" The plan is in {file}, should you need it."));
        }
        reminder(kind, body)
    }
}

impl PlanFileReference {
    pub(crate) fn entry(self, kind: &str) -> EntryDraft {
        let body = format!(
            "There is a plan from plan mode, in {}:\n\n{}\n\nIf it concerns the work at hand and \
             is not done yet, go on with it.",
            one_line(&self.path),
            self.content
        );
        reminder(kind, body)
    }
}
