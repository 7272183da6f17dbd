use std::sync::Arc;

use aside_agent::Tool;

use super::{Edit, Glob, Grep, Read, TodoWrite, Write};
use crate::Workspace;

/// Returns the tools that change nothing, sorted by name, for one workspace.
///
/// This leaves out [`Snip`](crate::Snip), for sessions that give messages ids,
/// and [`Edit`](crate::Edit) and [`Write`](crate::Write), for which the user
/// has to allow changes.
///
/// ```
/// use std::path::Path;
/// use std::sync::Arc;
///
/// use aside_tools::{TodoWrite, Workspace, builtin_tools};
///
/// let workspace = Arc::new(Workspace::new("/home/mia/shop", [Path::new("/usr/share/doc")]));
/// let tools = builtin_tools(&workspace, TodoWrite::default());
/// let names: Vec<_> = tools.iter().map(|tool| tool.name()).collect();
/// assert_eq!(names, ["Glob", "Grep", "Read", "TodoWrite"]);
/// ```
#[must_use]
pub fn builtin_tools(workspace: &Arc<Workspace>, todos: TodoWrite) -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(Glob::new(workspace.clone())),
        Arc::new(Grep::new(workspace.clone())),
        Arc::new(Read::new(workspace.clone())),
        Arc::new(todos),
    ]
}

/// Returns the tools that change files, `Edit` and `Write`.
#[must_use]
pub fn edit_tools(workspace: &Arc<Workspace>) -> [Arc<dyn Tool>; 2] {
    [Arc::new(Edit::new(workspace.clone())), Arc::new(Write::new(workspace.clone()))]
}
