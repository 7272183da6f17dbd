use std::ops::ControlFlow;
use std::sync::Arc;

use aside_agent::{Tool, ToolFuture, ToolOutput};
use aside_messages::wire::RawJson;
use serde::Deserialize;

use crate::effort::{self, Effort};
use crate::ignored::{Ignored, IgnoredFiles};
use crate::input;
use crate::pattern::Pattern;
use crate::refusal::Refusal;
use crate::walk::{self, Missed};
use crate::workspace::Workspace;

/// The maximum number of paths in a result.
const MAX_SHOWN_PATHS: usize = 500;

/// Finds files by their names.
#[derive(Clone, Debug)]
pub struct Glob {
    workspace: Arc<Workspace>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Input {
    pattern: String,
    path: Option<String>,
    #[serde(default)]
    ignored: IgnoredFiles,
}

impl Glob {
    /// Creates the tool for a workspace.
    #[must_use]
    pub fn new(workspace: Arc<Workspace>) -> Self {
        Self { workspace }
    }
}

impl Tool for Glob {
    fn name(&self) -> &'static str {
        "Glob"
    }

    fn description(&self) -> &'static str {
        include_str!("glob/description.md").trim_ascii_end()
    }

    fn input_schema(&self) -> RawJson {
        input::schema(include_str!("glob/schema.json"))
    }

    fn call<'a>(&'a self, input: &'a RawJson) -> ToolFuture<'a> {
        effort::call(&self.workspace, input, find)
    }
}

fn find(workspace: &Workspace, input: &Input, effort: &Effort) -> Result<ToolOutput, Refusal> {
    let given = input.path.as_deref().unwrap_or(".");
    let base = workspace.place(given)?;
    if !base.resolved.is_dir() {
        return Err(Refusal::new(given, "not a directory"));
    }
    let pattern = Pattern::parse(&input.pattern, &base.path)?;
    let mut paths = Vec::new();
    let mut count = 0;
    let missed = walk::files(
        workspace,
        &base,
        Ignored::at(&base, input.ignored),
        effort,
        |found| {
            if pattern.matches(&found.below) {
                count += 1;
                if paths.len() < MAX_SHOWN_PATHS && found.is_still_there() {
                    paths.push(workspace.shown(&found.place.path));
                }
            }
            ControlFlow::Continue(())
        },
    );
    Ok(ToolOutput::text(report(&paths, count, missed)))
}

fn report(paths: &[String], count: usize, missed: Missed) -> String {
    let mut lines = paths.to_vec();
    if paths.is_empty() {
        lines.push("(No file matches.)".to_owned());
    }
    if count > paths.len() {
        let more = count - paths.len();
        lines.push(format!(
            "({more} more files match: ask for something narrower.)"
        ));
    }
    lines.extend(missed.note());
    lines.join("\n")
}
