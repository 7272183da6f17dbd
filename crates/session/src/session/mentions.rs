//! `@` mentions in a prompt: files, MCP server resources, sub-agents.
//!
//! ```text
//! @src/main.rs#L10-20     the lines of a file
//! @docs:guide://setup     a resource of the MCP server `docs`
//! @agent-reviewer         the agent type `reviewer`
//! ```

use std::collections::BTreeMap;
use std::sync::Arc;

use aside_attachments::{
    AgentMention, AlreadyReadFile, Attachment, LineRange, Mention, PdfReference, mentions,
};
use aside_diagnostic::Diagnostic;
use aside_messages::conversation::EntryDraft;
use aside_messages::wire::Tool;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::Session;
use crate::file_read::ReadExtent;
use crate::files::{Files, MentionError, Mentioned};
use crate::kinds;
use crate::section_values::SUB_AGENT_TOOLS;
use crate::state::McpServer;

/// How many mentions in a prompt to resolve. A pasted text may have many.
const MAX_MENTIONS: usize = 20;

/// What a mention refers to.
enum Place {
    /// A value in the session's state, for which no file is read.
    Known(Attachment),
    /// A path as written, and its range of lines.
    Path(String, Option<LineRange>),
}

impl Session {
    /// Resolves a prompt's `@` mentions to entries, to append directly after
    /// it. If nothing exists at a path, the mention stays text. If a file
    /// cannot be shown, the mention stays text too, and a diagnostic reports
    /// it, as for faults in the instruction files of its directory.
    ///
    /// If you drop the future, nothing changes.
    ///
    /// At most 20 mentions are resolved. A file that the model has seen whole,
    /// and that has not changed, becomes a note without its text. Files that
    /// were shown count as read: the next request has the instruction files in
    /// their directories.
    pub async fn resolve_mentions(
        &mut self,
        prompt: &str,
        files: Arc<dyn Files>,
    ) -> (Vec<EntryDraft>, Vec<Diagnostic>) {
        let mut found = mentions(prompt);
        let mut diagnostics = Vec::new();
        if found.len() > MAX_MENTIONS {
            let left = found.len() - MAX_MENTIONS;
            let fault =
                format!("{left} more mentions stay text: {MAX_MENTIONS} are looked up at most");
            diagnostics.push(kinds::TOO_MANY_MENTIONS.diagnostic(fault));
            found.truncate(MAX_MENTIONS);
        }
        let is_agent = |it: &Mention| matches!(it, Mention::Agent { .. });
        if self.config.state.agents.is_none() && found.iter().any(is_agent) {
            // A resumed session has not looked at the files yet.
            diagnostics.extend(self.refresh().await);
        }
        let places: Vec<_> = found.into_iter().filter_map(|it| self.place(it)).collect();
        for place in &places {
            if let Place::Known(Attachment::AgentMention(AgentMention {
                agent_type,
                path: Some(_),
            })) = place
            {
                let fault = format!(
                    "@agent-{agent_type}: no tool starts it, so the model is given its file"
                );
                diagnostics.push(kinds::AGENT_WITHOUT_TOOL.diagnostic(fault));
            }
        }
        if places.is_empty() {
            return (Vec::new(), diagnostics);
        }
        let found = tokio::task::spawn_blocking(move || look(places, &*files)).await;
        let mentioned = match found {
            Ok((mentioned, faults)) => {
                let faults = faults.iter();
                diagnostics.extend(faults.map(|fault| kinds::MENTION.diagnostic(fault)));
                mentioned
            }
            Err(error) => {
                diagnostics.push(kinds::FILES.diagnostic(error));
                return (Vec::new(), diagnostics);
            }
        };
        let (mut entries, mut reads) = (Vec::new(), Vec::new());
        for (mut mentioned, lines) in mentioned {
            let attachment = match &mut mentioned.read {
                Some(read) if lines.is_none() && self.delivery.knows(read) => {
                    // Nothing of it is shown here.
                    read.extent = ReadExtent::Part;
                    let path = read.path.to_string_lossy().into_owned();
                    Attachment::AlreadyReadFile(AlreadyReadFile { path })
                }
                _ => self.readable(mentioned.attachment),
            };
            entries.extend(attachment.into_entries());
            reads.extend(mentioned.read);
        }
        diagnostics.extend(self.note_reads(&reads).await);
        (entries, diagnostics)
    }

    /// Fits a reference to a PDF to the Read tool that is offered.
    fn readable(&self, attachment: Attachment) -> Attachment {
        match attachment {
            Attachment::PdfReference(reference) => {
                let mut tools = self.context().offered_tools().map(|offered| &offered.tool);
                let by_pages = tools.any(|tool| tool.name == "Read" && takes(tool, "pages"));
                Attachment::PdfReference(PdfReference { by_pages, ..reference })
            }
            other => other,
        }
    }

    /// Returns what a mention refers to: if there is no such server or agent,
    /// the file of this name. `None` for an unknown resource of a server, whose
    /// mention stays text.
    fn place(&self, mention: Mention) -> Option<Place> {
        match &mention {
            Mention::Resource { server, uri } => {
                let mut servers = self.config.state.servers().iter();
                if let Some(server) = servers.find(|it| it.name == *server) {
                    let resource = McpServer::resource(server, uri)?;
                    return Some(Place::Known(Attachment::McpResource(resource)));
                }
            }
            Mention::Agent { agent_type } => {
                let state = &self.config.state;
                let on_disk = || self.on_disk().announced_agents(false);
                let agents = state.agents.clone().or_else(on_disk);
                if agents.iter().flatten().any(|it| it.agent_type == *agent_type) {
                    let (agent_type, path) = (agent_type.clone(), self.agent_file(agent_type));
                    let mention = AgentMention { agent_type, path };
                    return Some(Place::Known(Attachment::AgentMention(mention)));
                }
            }
            _ => {}
        }
        match mention.into_file() {
            Mention::Path { path, lines } => Some(Place::Path(path, lines)),
            _ => None,
        }
    }

    /// Returns the path to an agent's definition if no tool starts this agent. The tool for the
    /// workers of a coordinator starts no agent from a file.
    fn agent_file(&self, agent_type: &str) -> Option<String> {
        let worker_tool = self.context().worker_tool();
        let mut tools = self.context().offered_tools().map(|offered| offered.tool.name.as_str());
        if tools.any(|name| SUB_AGENT_TOOLS.contains(&name) && Some(name) != worker_tool) {
            return None;
        }
        let agent = self.on_disk().agents.iter().find(|it| it.name == agent_type)?;
        Some(agent.path.to_string_lossy().into_owned())
    }
}

/// Returns true if a tool's input schema has this key.
fn takes(tool: &Tool, key: &str) -> bool {
    #[derive(Deserialize)]
    struct Schema {
        properties: BTreeMap<String, IgnoredAny>,
    }
    let schema = tool.input_schema.as_ref().map_or("", |it| it.get());
    let schema: Result<Schema, _> = serde_json::from_str(schema);
    schema.is_ok_and(|schema| schema.properties.contains_key(key))
}

/// What a mention refers to, with its range of lines.
type Found = (Mentioned, Option<LineRange>);

/// Reads what mentions refer to. Returns what exists, and an error for each
/// that cannot be shown.
///
/// This blocks on the file system, so it runs off the runtime.
fn look(places: Vec<Place>, files: &dyn Files) -> (Vec<Found>, Vec<MentionError>) {
    let (mut found, mut faults) = (Vec::<Found>::new(), Vec::new());
    for place in places {
        let (mentioned, lines) = match place {
            Place::Known(attachment) => (Mentioned { attachment, read: None }, None),
            Place::Path(path, lines) => match files.mentioned(&path, lines) {
                Ok(Some(mentioned)) => (mentioned, lines),
                Ok(None) => continue,
                Err(fault) => {
                    faults.push(fault);
                    continue;
                }
            },
        };
        // A path has several spellings, such as `a` and `./a`.
        if found.iter().all(|it| it.0.attachment != mentioned.attachment) {
            found.push((mentioned, lines));
        }
    }
    (found, faults)
}
