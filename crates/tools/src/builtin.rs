use std::sync::Arc;

use aside_agent::Tool;

use crate::{Glob, Grep, Read, TodoWrite, Workspace};

/// Returns all tools of this crate, sorted by name, for one workspace.
#[must_use]
pub fn builtin_tools(workspace: &Arc<Workspace>, todos: TodoWrite) -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(Glob::new(workspace.clone())),
        Arc::new(Grep::new(workspace.clone())),
        Arc::new(Read::new(workspace.clone())),
        Arc::new(todos),
    ]
}
