//! Where the bytes in a request come from, each with a reason.

use std::path::Path;

use anyhow::Context;
use aside_cache_model::Body;
use aside_cache_split::Layout;
use aside_claudemd::{LoadReason, MemoryFile};
use aside_inspect::{BodySources, DiskSource, Report, report};
use aside_models::{Tokenizer, estimate, find};
use aside_prompt_sections::{Lifetime, SectionCaching, Zone};
use aside_rules::of::tool::mcp_names;
use aside_session::{OnDisk, SectionReport, ToolOrigin};
use aside_text::one_line;

use super::next::Next;

impl Next {
    /// Returns the request to be sent, and its report with the source of each part.
    ///
    /// A file is named by the path in its header: relative to the project in
    /// the layered layout, absolute in the classic one.
    pub(crate) fn report(&self) -> anyhow::Result<(Body, Report)> {
        let request = Body::parse(&self.outgoing.body()).context("failed to read the request")?;
        // Some providers have the model in the address.
        let request = request.with_model(&self.outgoing.model);
        let body = &self.prepared.body;
        let mut sources = BodySources::of(body).with_entries(&self.entries);
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
        let bytes = body.to_vec();
        if request.as_bytes() != bytes {
            // A provider's wire has other bytes around the same texts.
            let own = Body::parse(&bytes).context("failed to read the request")?;
            sources = sources.converted(&own, &request);
        }
        let mut found = report(&request, Some(&sources), None);
        let tokenizer = find(self.session.model()).facts.estimated_tokenizer();
        // Their instructions are in the session context or in its messages.
        for server in self.session.state().mcp_servers.iter().flatten() {
            let text = server.instructions.as_deref().unwrap_or_default();
            let tokens = estimate(text, tokenizer).tokens();
            if tokens > 0 {
                // Tool names contain the server name, spelled in the characters
                // that the API accepts.
                let tool = server.tools.first();
                let name = tool.and_then(|tool| mcp_names(&tool.name));
                let name = name.map_or(&*server.name, |(name, _)| name);
                found = found.with_server_instructions(name, tokens);
            }
        }
        found.on_disk = on_disk(self, tokenizer);
        Ok((request, found))
    }
}

/// Lists the skills, agents, output style and hooks that the session uses with
/// their files, and the tokens that their texts take in the request.
fn on_disk(next: &Next, tokenizer: Tokenizer) -> Vec<DiskSource> {
    let source = |kind, name: &str, path: &Path, text: &str| DiskSource {
        kind,
        name: name.to_owned(),
        file: path.to_string_lossy().into_owned(),
        tokens: Some(estimate(text, tokenizer).tokens()),
        command: None,
    };
    let listed = |kind, name: &str, description: &str, path: &Path| {
        source(kind, name, path, &format!("- {name}: {description}\n"))
    };
    let OnDisk { skills, agents, .. } = next.session.on_disk();
    let skills = skills.iter().map(|it| listed("skill", &it.name, &it.description, &it.path));
    let agents = agents.iter().map(|it| listed("agent", &it.name, &it.description, &it.path));
    let style = next.session.output_style().zip(next.style_file.as_ref());
    let style = style.map(|(style, path)| {
        source("output style", style.name.raw(), path, style.instructions.raw())
    });
    let hooks = next.hooks.iter().map(|hook| DiskSource {
        kind: "hook",
        name: hook.name(),
        file: hook.place.clone(),
        tokens: None,
        command: Some(hook.command.clone()),
    });
    skills.chain(agents).chain(style).chain(hooks).collect()
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
