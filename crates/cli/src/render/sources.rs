//! Where the bytes in a request come from, each with a reason.

use anyhow::Context;
use aside_cache_model::Body;
use aside_cache_split::Layout;
use aside_claudemd::{LoadReason, MemoryFile};
use aside_inspect::BodySources;
use aside_prompt_sections::{Lifetime, SectionCaching, Zone};
use aside_session::{SectionReport, ToolOrigin};
use aside_text::one_line;

use super::next::Next;

impl Next {
    /// Returns the request to be sent.
    pub(crate) fn to_body(&self) -> anyhow::Result<Body> {
        Body::parse(&self.bytes()).context("failed to read the request")
    }

    /// Returns where the bytes to be sent come from. `request` has to be
    /// `Next::to_body`.
    ///
    /// A file is named by the path in its header: relative to the project in
    /// the layered layout, absolute in the classic one.
    pub(crate) fn sources(&self, request: &Body) -> anyhow::Result<BodySources> {
        let own = &self.request;
        let mut sources = BodySources::of(&own.body).with_entries(&own.entries);
        for section in &self.session.prompt().sections {
            sources = sources.with_section(&section.name, why_section(section));
        }
        let context = self.session.context();
        if let Some(memory) = &context.memory {
            for file in memory.files() {
                let path = match context.layout {
                    Layout::Layered => memory.shown_path(file),
                    Layout::Classic => file.path.to_string_lossy().into_owned(),
                };
                sources = sources.with_file(one_line(&path), why_file(file));
            }
        }
        for tool in &context.tools {
            let why = match tool.origin {
                ToolOrigin::Mcp => "a tool of an MCP server",
                _ => "a tool of the session",
            };
            sources = sources.with_tool(&tool.tool.name, why);
        }
        if self.outgoing.is_none() {
            return Ok(sources);
        }
        // A provider's wire has other bytes around the same texts.
        let own = own.body.to_vec();
        let own = Body::parse(&own).context("failed to read the request")?;
        Ok(sources.converted(&own, request))
    }
}

/// Returns the reason for a section: its zone, and its lifetime or why it is
/// computed for every request.
fn why_section(section: &SectionReport) -> String {
    let zone = match section.zone {
        Some(Zone::Static) => "static zone",
        Some(Zone::Dynamic) => "dynamic zone",
        None => "before the prompt",
    };
    let lifetime = match section.lifetime {
        Lifetime::Project => "the same in every session of a project",
        Lifetime::Session => "the same for a session",
    };
    match &section.caching {
        SectionCaching::Uncached { reason } => {
            format!("{zone}, computed for every request: {}", one_line(reason))
        }
        SectionCaching::Static | SectionCaching::Cached => format!("{zone}, {lifetime}"),
    }
}

/// Returns the reason for an instruction file:
/// `project instructions, imported by /home/alex/app/CLAUDE.md`.
fn why_file(file: &MemoryFile) -> String {
    let why = match file.reason {
        LoadReason::SessionStart => "a file that every session starts with".to_owned(),
        LoadReason::Include => match &file.parent {
            Some(parent) => format!("imported by {}", one_line(&parent.to_string_lossy())),
            None => "imported".to_owned(),
        },
        LoadReason::NestedTraversal => "a file in or below its directory was touched".to_owned(),
        LoadReason::PathGlobMatch => "a path that its rule matches was touched".to_owned(),
        LoadReason::Compact => "read again after a compaction".to_owned(),
        _ => "changed since it was given".to_owned(),
    };
    let kind = file.kind.as_str().replace('_', " ");
    match file.differs_from_disk {
        true => format!("{kind} instructions, {why}; the text differs from the file"),
        false => format!("{kind} instructions, {why}"),
    }
}
