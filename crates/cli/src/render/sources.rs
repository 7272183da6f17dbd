//! Where the bytes in a request come from, each with a reason.

use anyhow::Context;
use aside_cache_model::Body;
use aside_cache_split::Layout;
use aside_claudemd::{LoadReason, MemoryFile};
use aside_inspect::{BodySources, Report, report};
use aside_models::{estimate, find};
use aside_prompt_sections::{Lifetime, SectionCaching, Zone};
use aside_rules::of::tool::mcp_names;
use aside_session::{SectionReport, ToolOrigin};
use aside_text::one_line;

use super::next::Next;
use super::on_disk;

impl Next {
    /// Returns the request to be sent, and its report with the source of each part.
    ///
    /// A file is named by the path in its header: relative to the project in
    /// the layered layout, absolute in the classic one.
    pub(crate) fn report(&self) -> anyhow::Result<(Body, Report)> {
        let request = Body::parse(&self.outgoing.body()).context("failed to read the request")?;
        // Some providers have the model in the address.
        let request = request.with_model(&self.outgoing.model);
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
                sources = sources.with_file(one_line(&path), &file.text, why_file(file));
            }
        }
        for tool in &context.tools {
            let why = match tool.origin {
                ToolOrigin::Mcp => "a tool of an MCP server",
                _ => "a tool of the session",
            };
            sources = sources.with_tool(&tool.tool.name, why);
        }
        let bytes = own.body.to_vec();
        if request.as_bytes() != bytes {
            // A provider's wire has other bytes around the same texts.
            let own = Body::parse(&bytes).context("failed to read the request")?;
            sources = sources.converted(&own, &request);
        }
        let mut found = with_instructions(report(&request, Some(&sources), None), self);
        found.on_disk = on_disk::sources(self);
        Ok((request, found))
    }
}

/// Adds the tokens for each MCP server's instructions, which are in the session
/// context or in its messages.
fn with_instructions(report: Report, next: &Next) -> Report {
    let family = find(next.session.model()).facts.estimated_tokenizer();
    let servers = next.session.state().mcp_servers.iter().flatten();
    servers.fold(report, |report, server| {
        let text = server.instructions.as_deref().unwrap_or_default();
        match estimate(text, family).tokens() {
            0 => report,
            // Tool names contain the server name, spelled in the characters
            // that the API accepts.
            tokens => {
                let tool = server.tools.first();
                let name = tool.and_then(|tool| mcp_names(&tool.name));
                report.with_server_instructions(name.map_or(&server.name, |(name, _)| name), tokens)
            }
        }
    })
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
    if file.differs_from_disk {
        format!("{kind} instructions, {why}; the text differs from the file")
    } else {
        format!("{kind} instructions, {why}")
    }
}
