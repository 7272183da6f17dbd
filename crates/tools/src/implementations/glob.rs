//! The tool `Glob`: a walk below a directory, filtered by a [`Pattern`].
//!
//! A path is listed only if it still resolves to the file that the walk found:
//! a directory that is exchanged for a link during the walk names no file
//! outside the workspace.

use aside_agent::ToolOutput;
use serde::Deserialize;
use std::ops::ControlFlow;

use crate::definitions::GLOB;
use crate::implementations::described::workspace_tool;
use crate::implementations::effort::Effort;
use crate::implementations::ignored::{Ignored, IgnoredFiles};
use crate::implementations::pattern::Pattern;
use crate::implementations::walk::{self, Missed};
use crate::refusal::Refusal;
use crate::workspace::Workspace;

const MAX_SHOWN_PATHS: usize = 500;

workspace_tool! {
    /// Finds files by name.
    ///
    /// Input: `pattern` (a glob), `path` (a directory, by default the working
    /// directory), `ignored` (`skip` or `include`, by default `skip`). Result: at
    /// most 500 paths, one per line, in alphabetical order, relative to the working
    /// directory if they are below it. A note follows when more files match, or
    /// when part of the tree was not visited.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use aside_agent::Tool;
    /// use aside_messages::wire::RawJson;
    /// use aside_tools::{Glob, Workspace};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let directory = tempfile::tempdir()?;
    /// # let cwd = directory.path();
    /// # std::fs::create_dir(cwd.join("src"))?;
    /// # for name in ["a.md", "src/main.rs", "src/lib.rs"] { std::fs::write(cwd.join(name), "")?; }
    /// let glob = Glob::new(Arc::new(Workspace::new(cwd, [""; 0])));
    /// let output = glob.call(&RawJson::parse(r#"{"pattern":"*.rs"}"#)?).await;
    /// assert!(serde_json::to_string(&output.content)?.contains(r"src/lib.rs\nsrc/main.rs"));
    /// # Ok(())
    /// # }
    /// ```
    pub struct Glob(GLOB, find);
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Input {
    pattern: String,
    path: Option<String>,
    #[serde(default)]
    ignored: IgnoredFiles,
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
    let missed =
        walk::files(workspace, &base, Ignored::at(&base, input.ignored), effort, |found| {
            if pattern.matches(&found.below) {
                count += 1;
                if paths.len() < MAX_SHOWN_PATHS && found.is_still_there() {
                    paths.push(workspace.shown(&found.place.path));
                }
            }
            ControlFlow::Continue(())
        });
    Ok(ToolOutput::text(report(&paths, count, missed)))
}

/// The paths, then the notes.
fn report(paths: &[String], count: usize, missed: Missed) -> String {
    let mut lines = paths.to_vec();
    if paths.is_empty() {
        lines.push("(No file matches.)".to_owned());
    }
    if count > paths.len() {
        let more = count - paths.len();
        lines.push(format!("({more} more files match: ask for something narrower.)"));
    }
    lines.extend(missed.note());
    lines.join("\n")
}
