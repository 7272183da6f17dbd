//! What changes in a memory during a session.

use aside_diagnostic::Diagnostic;
use serde::{Deserialize, Serialize};

use crate::Skipped;
use crate::links::given::GivenFiles;
use crate::read::FileId;
use crate::reported::Reported;
use crate::rules::header::PathRule;

/// A session's state: the files that the model has, the rules that wait, and the reports.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Session {
    pub(crate) given: GivenFiles,
    pub(crate) skipped: Reported<Skipped>,
    pub(crate) diagnostics: Reported<Diagnostic>,
    /// The rules that wait for a path, by precedence.
    pub(crate) rules: Vec<PathRule>,
    /// Which files these rules are in.
    pub(crate) rule_ids: Reported<FileId>,
}
