//! The section about tools, which depends on what the product ships.

use crate::product::{BuiltinTool, BuiltinTools, StaticInputs};

/// Names only tools that the product ships, since the model would call any tool
/// that it reads of.
pub(super) fn text(inputs: &StaticInputs) -> Option<String> {
    let lines: Vec<String> = [
        shell(inputs.tools),
        search(inputs.tools),
        edit(inputs.tools),
        list(inputs.tools),
        Some(TOGETHER.to_owned()),
        Some(FAILURE.to_owned()),
    ]
    .into_iter()
    .flatten()
    .collect();
    Some(format!("# Using your tools\n\n- {}", lines.join("\n- ")))
}

/// For every set of tools.
const TOGETHER: &str = "Make independent calls together, in one message. If a call needs the result of another, wait for that result; never fill in a value that you have not seen yet.";
/// For every set of tools.
const FAILURE: &str = "When a call fails, read its message and change the call accordingly; do not repeat it unchanged.";

/// A shell can do the work of most other tools, so a choice has to be explained
/// only if there is one.
fn shell(tools: BuiltinTools) -> Option<String> {
    if !tools.contains(BuiltinTool::Bash) {
        return None;
    }
    let files = names(
        tools,
        &[
            BuiltinTool::Read,
            BuiltinTool::Edit,
            BuiltinTool::Write,
            BuiltinTool::Glob,
            BuiltinTool::Grep,
        ],
    );
    Some(match files {
        Some(files) => format!(
            "Work on files with {files} rather than with commands in Bash: such a call shows what it affects, and the user's settings can allow it by itself. Use Bash for what needs a shell, such as builds, tests and version control."
        ),
        None => "Keep commands in Bash short enough that the user can understand them before allowing them.".to_owned(),
    })
}

/// `None` without a tool that searches.
fn search(tools: BuiltinTools) -> Option<String> {
    let search = names(tools, &[BuiltinTool::Glob, BuiltinTool::Grep])?;
    Some(format!(
        "Find the place with {search} before you read, and read enough around it to understand it."
    ))
}

/// Advises to read before editing, if there are tools for both.
fn edit(tools: BuiltinTools) -> Option<String> {
    let edit = names(tools, &[BuiltinTool::Edit, BuiltinTool::Write])?;
    tools.contains(BuiltinTool::Read).then(|| {
        format!("Use Read on an existing file before you change it with {edit}; what you remember of it may be out of date.")
    })
}

/// Advises on the task list, if there is a tool for it.
fn list(tools: BuiltinTools) -> Option<String> {
    tools.contains(BuiltinTool::TodoWrite).then(|| {
        "Keep the steps of longer work in a list with TodoWrite. The user follows your progress in it, so update it when a step starts and when it ends, not later.".to_owned()
    })
}

/// Lists the wanted tools that the product ships, as in "Read, Glob or Grep".
fn names(tools: BuiltinTools, wanted: &[BuiltinTool]) -> Option<String> {
    let names: Vec<&str> =
        wanted.iter().filter(|&&tool| tools.contains(tool)).map(|tool| tool.as_str()).collect();
    let (last, others) = names.split_last()?;
    Some(match others {
        [] => (*last).to_owned(),
        _ => format!("{} or {last}", others.join(", ")),
    })
}
