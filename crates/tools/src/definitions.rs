//! Tool definitions: the one place for their names, descriptions and schemas, which needs no
//! implementation.

use aside_messages::wire::{RawJson, Tool};
use aside_session::{SessionTool, ToolOrigin};

/// What every request says about a tool.
pub(crate) struct Definition {
    pub(crate) name: &'static str,
    description: &'static str,
    input_schema: &'static str,
}

macro_rules! definition {
    ($name:literal, $file:literal) => {
        Definition {
            name: $name,
            description: include_str!(concat!("definitions/", $file, ".md")),
            input_schema: include_str!(concat!("definitions/", $file, ".json")),
        }
    };
}

pub(crate) const GLOB: Definition = definition!("Glob", "glob");
pub(crate) const GREP: Definition = definition!("Grep", "grep");
pub(crate) const READ: Definition = definition!("Read", "read");
pub(crate) const TODO_WRITE: Definition = definition!("TodoWrite", "todo_write");
pub(crate) const SNIP: Definition = definition!("Snip", "snip");
pub(crate) const EDIT: Definition = definition!("Edit", "edit");
pub(crate) const WRITE: Definition = definition!("Write", "write");
const WORKER: Definition = definition!("Agent", "worker");

impl Definition {
    pub(crate) fn description(&self) -> &'static str {
        self.description.trim_ascii_end()
    }

    pub(crate) fn input_schema(&self) -> RawJson {
        RawJson::parse(self.input_schema.trim()).expect("the schema is JSON")
    }

    fn of_session(&self, name: &str) -> SessionTool {
        SessionTool {
            origin: ToolOrigin::Builtin,
            tool: Tool::new(name, self.description(), self.input_schema()),
        }
    }
}

/// The tools that `aside run` offers to the model.
///
/// ```
/// use aside_tools::OwnTools;
///
/// let tools = OwnTools { worker: Some("Agent"), ..OwnTools::default() };
/// let names: Vec<_> = tools.definitions().into_iter().map(|it| it.tool.name).collect();
/// assert_eq!(names, ["Glob", "Grep", "Read", "TodoWrite", "Agent"]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OwnTools<'a> {
    /// Adds `Edit` and `Write`.
    pub edits: bool,
    /// Adds `Snip`, for a session that gives messages ids (`LowerOptions::tag_ids`).
    pub snip: bool,
    /// Adds the tool that starts a worker, under this name.
    pub worker: Option<&'a str>,
}

impl OwnTools<'_> {
    /// Returns the definitions for a request: the tools that read, the to-do list, then the added
    /// ones.
    #[must_use]
    pub fn definitions(&self) -> Vec<SessionTool> {
        let edits = [EDIT, WRITE].into_iter().filter(|_| self.edits);
        let own = [GLOB, GREP, READ, TODO_WRITE].into_iter().chain(edits);
        let own = own.chain(self.snip.then_some(SNIP)).map(|it| it.of_session(it.name));
        own.chain(self.worker.map(worker_definition)).collect()
    }
}

/// Returns the definition for `Snip`, which removes messages by id.
#[must_use]
pub fn snip_definition() -> SessionTool {
    SNIP.of_session(SNIP.name)
}

/// Returns the definition for the tool that starts a worker, under this name. A call has one input,
/// the worker's `prompt`.
#[must_use]
pub fn worker_definition(name: &str) -> SessionTool {
    WORKER.of_session(name)
}
