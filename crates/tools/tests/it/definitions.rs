//! Definitions without their tools.

use std::sync::Arc;

use aside_tools::{OwnTools, Snip, TodoWrite, Workspace, builtin_tools};

#[test]
fn the_definitions_are_those_of_the_tools() {
    let workspace = Arc::new(Workspace::new("/nowhere", [""; 0]));
    let mut tools = builtin_tools(&workspace, TodoWrite::default());
    tools.push(Arc::new(Snip));
    let of_tools: Vec<_> = tools.iter().map(|tool| tool.definition()).collect();
    let own = OwnTools { snip: true, ..OwnTools::default() };
    let defined: Vec<_> = own.definitions().into_iter().map(|it| it.tool).collect();
    assert_eq!(defined, of_tools);
}
