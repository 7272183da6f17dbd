//! What is due to be told, and what was told of what waited.

use aside_attachments::cadence::{CadenceInputs, Dates, Window};
use aside_attachments::{Attachment, EditedFile};
use aside_messages::conversation::{Conversation, Entry, EntryDraft};
use aside_messages::estimate_tokens;

use crate::read_state::KnownFile;
use crate::resume_state::{Note, ReadNote};
use crate::session::Session;
use crate::state::{McpServer, Plan};

/// A file that somebody else changed, and of which the model is to be told.
#[derive(Debug)]
pub(crate) struct Edit {
    pub(crate) edited: EditedFile,
    pub(crate) draft: EntryDraft,
    /// The file as the model knows it then.
    pub(crate) now: KnownFile,
}

impl Edit {
    pub(crate) fn new(edited: EditedFile, now: KnownFile) -> Option<Self> {
        let drafts = Attachment::EditedTextFile(edited.clone()).into_entries();
        let draft = drafts.into_iter().next()?;
        Some(Self { edited, draft, now })
    }

    fn is_told_by(&self, entry: &Entry) -> bool {
        entry.origin == self.draft.origin && entry.parts == self.draft.parts
    }
}

impl Session {
    /// Takes up what the conversation says of what the model was told.
    pub(crate) fn follow(&mut self, conversation: &Conversation) {
        let new = self.cadence.update(conversation);
        for entry in new {
            let told = self.edits.iter().position(|edit| edit.is_told_by(entry));
            if let Some(told) = told {
                let edit = self.edits.remove(told);
                self.remember(edit.now);
            }
        }
    }

    /// The model has seen a file. One whose name cannot be written down is not
    /// remembered.
    pub(crate) fn remember(&mut self, file: KnownFile) {
        if file.read.path.to_str().is_some() {
            self.note(file.clone(), None);
            self.reads.insert(file);
        }
    }

    /// The model is to be told what became of a file.
    pub(crate) fn will_tell(&mut self, edit: EditedFile, now: KnownFile) {
        self.note(now.clone(), Some(edit.clone()));
        self.edits.extend(Edit::new(edit, now));
    }

    fn note(&mut self, file: KnownFile, edit: Option<EditedFile>) {
        let anew = self.context.anew;
        self.notes.push(Note::Read(ReadNote {
            anew,
            // Known when it is written down.
            entries: 0,
            file,
            edit,
        }));
    }

    /// What is due at the end of the next request.
    pub(crate) fn due(&mut self) -> Vec<EntryDraft> {
        let due = self.cadence.state().due(&self.cadence_inputs());
        // What is not due was told, and does not have to be asked again.
        let is_due = |path: &str| {
            let mut due = due.iter();
            due.any(|it| matches!(it, Attachment::NestedMemory(memory) if memory.path == path))
        };
        self.context.nested.retain(|file| is_due(&file.path));
        self.context.recalled.retain(|it| due.contains(it));
        let edits = self.edits.iter().map(|edit| edit.draft.clone());
        let due = due.into_iter().flat_map(Attachment::into_entries);
        due.chain(edits).collect()
    }

    fn cadence_inputs(&self) -> CadenceInputs {
        let state = &self.config.state;
        let has_tool = |name: &str| self.context.tools.iter().any(|it| it.tool.name == name);
        let instructions = state.mcp_servers.as_ref().map(|servers| {
            let instructions = servers.iter().filter_map(McpServer::instructions);
            instructions.collect()
        });
        let mut inputs = CadenceInputs::default();
        inputs.recalled = self.context.recalled.clone();
        inputs.dates = self.today.map(|today| Dates {
            session: self.context.date.to_string(),
            today: today.to_string(),
        });
        inputs.sections = self.composed.context_sections.clone();
        inputs.plan = state.plan.as_ref().map(Plan::state);
        inputs.auto_mode = state.auto_mode;
        inputs.nested_memory = self.context.nested.clone();
        inputs.skills = state.skills.clone();
        inputs.tools = self.announced_tools();
        inputs.agents = state.agents.clone();
        inputs.mcp_instructions = instructions;
        inputs.todos = has_tool("TodoWrite").then(|| state.todos.clone());
        inputs.tasks = has_tool("TaskCreate").then(|| state.tasks.clone());
        inputs.snip_tool = self.config.lower.tag_ids;
        inputs.automatic_compaction = self.window();
        inputs.current = state.current();
        inputs
    }

    /// The tools that the model does not find at the beginning of the request,
    /// or did not find there at first. `None` where there is no telling of
    /// tools.
    fn announced_tools(&self) -> Option<Vec<String>> {
        let is_first = |name: &String| self.context.first_tools.contains(name);
        let tools = self.context.tools.iter().map(|tool| &tool.tool);
        let announced: Vec<String> = tools
            .filter(|tool| tool.defer_loading == Some(true) || !is_first(&tool.name))
            .map(|tool| tool.name.clone())
            .collect();
        let is_told = self.config.state.mcp_servers.is_some() || self.context.tools_changed;
        (is_told || !announced.is_empty()).then_some(announced)
    }

    fn window(&self) -> Option<Window> {
        let state = &self.config.state;
        let tokens = state
            .context_window
            .filter(|_| state.automatic_compaction)?;
        let prompt = self.composed.frame.prompt();
        let prompt = prompt.segments().map(|it| estimate_tokens(it.text()));
        let tools = self.context.tools.iter().map(|tool| {
            let tool = &tool.tool;
            let schema = tool.input_schema.as_ref().map_or("", |it| it.get());
            estimate_tokens(tool.description.as_deref().unwrap_or_default())
                + estimate_tokens(schema)
        });
        Some(Window {
            tokens,
            max_output_tokens: self.config.max_tokens,
            prefix_tokens: prompt
                .chain(tools)
                .sum::<aside_messages::TokenEstimate>()
                .tokens(),
        })
    }
}
