//! The next request of a directory, with the sources of its parts. `aside render` prints
//! its bytes, and `aside context` its parts.
//!
//! ```text
//! arguments ─ Invocation ─> SessionPlan ─ prepare ─> Captured, Session ─> Next
//!           ─ aside_providers::outgoing ─> the bytes for the chosen provider
//! ```

use anyhow::Context;
use aside_cache_split::{Explanation, Layout};
use aside_claudemd::{LoadReason, MemoryFile};
use aside_host::ProviderSelection;
use aside_messages::conversation::Entry;
use aside_messages::encode::Body;
use aside_prompt_sections::{Lifetime, SectionCaching, Zone};
use aside_providers::{Outgoing, Provider};
use aside_session::{Git, Persistence, SectionReport, Session, ToolOrigin};
use aside_text::one_line;
use aside_tools::Workspace;
use uuid::Uuid;

use super::before;
use super::captured::Captured;
use super::report::RequestReport;
use super::stateless::{self, Storage};
use crate::Failure;
use crate::arguments::{NextRequest, ToolChoice};
use crate::kinds;
use crate::output;
use crate::provider;
use crate::run;
use crate::session::Invocation;
use crate::session_plan::{Harness, SessionPlan};

/// A request that would be sent next.
pub(crate) struct Next {
    /// The request on the wire of the Messages API.
    pub(crate) body: Body,
    /// The request on the wire of a provider; `None` if none was chosen, by an argument
    /// or a variable.
    pub(crate) outgoing: Option<Outgoing>,
    /// The entries of the conversation.
    pub(crate) entries: Vec<Entry>,
    /// The facts of the request in addition to its bytes.
    pub(crate) report: RequestReport,
    /// The plan of its cache markers.
    pub(crate) explanation: Explanation,
    /// The reason for each section of the system prompt.
    pub(crate) sections: Vec<(String, String)>,
    /// The reason for each instruction file, by its path in the request.
    pub(crate) files: Vec<(String, String)>,
    /// The reason for each tool.
    pub(crate) tools: Vec<(String, String)>,
    /// The id of the session, which some providers get as a cache key; `None` for the
    /// session of another program.
    id: Option<Uuid>,
    /// The provider and its options.
    pub(crate) selection: ProviderSelection,
}

/// Prepares the next request: that of `aside run` by its loop, and that of a caller, which
/// stores `storage` between two calls, without one.
///
/// A request that the first party or the chosen provider would refuse is an error, and
/// conversion losses are reported.
pub(crate) fn next(arguments: &NextRequest, storage: Storage<'_>) -> Result<Next, Failure> {
    let invocation = Invocation::look(&arguments.session)?;
    let harness = match arguments.is_of_caller() {
        true => Harness::Caller,
        false => Harness::Unattended,
    };
    let tools = arguments.tools();
    let plan = SessionPlan::new(&invocation, &arguments.request, harness, &tools)?;
    let selection = plan.selection.clone();
    // A body that is not converted is checked, too.
    provider::check(&selection, &arguments.request)?;
    let id = arguments.id();
    let is_new_prompt = arguments.prompt.is_some() && matches!(tools, ToolChoice::Own);
    let (captured, session) = match (storage, id) {
        (_, Some(id)) if arguments.resume.is_some() || is_new_prompt => {
            run::next_request(arguments, &invocation, plan, id)?
        }
        (Storage::Nothing, id) => new_session(arguments, plan, id.unwrap_or_default())?,
        (Storage::Context(file), _) => {
            stateless::with_context(arguments, (file, Persistence::Context), plan)?
        }
        (Storage::ContextAndMessages(file), _) => {
            stateless::with_context(arguments, (file, Persistence::Conversation), plan)?
        }
        (Storage::Conversation(file), _) => stateless::with_conversation(arguments, file, plan)?,
    };
    let mut next = Next::new(captured, &session, id, selection);
    if let Some(provider) = next.selection.chosen() {
        next.outgoing = Some(next.convert(provider)?);
    }
    Ok(next)
}

/// Prepares the request of a session that begins now, and of which nothing is stored,
/// without a loop: it has no prompt, or tools that another program runs.
///
/// With `--messages`, the next call does not know what this one adds. So the parts that
/// would differ from call to call are left out: the git status, the date and attachments;
/// reminders are not joined with the results of tools.
fn new_session(
    arguments: &NextRequest,
    mut plan: SessionPlan,
    id: Uuid,
) -> Result<(Captured, Session), Failure> {
    // Usage errors are reported before git runs and files are read.
    let before = before::read(arguments, plan.selection.provider()).map_err(Failure::usage)?;
    let config = &mut plan.config;
    let is_stateless = arguments.messages.is_some();
    if is_stateless {
        // The next call does not know what this one adds.
        config.persistence = Persistence::Nothing;
        config.git = Git::Skip;
        config.lower.smoosh_reminders = false;
        config.turn = before.answers();
    }
    let workspace = Workspace::new(&config.cwd, &config.additional_directories);
    let mut session = plan.open()?;
    if is_stateless {
        report_changeable(&session);
    }
    let mut conversation = before.begin(&session, id).map_err(Failure::usage)?;
    session.adopt(&conversation);
    stateless::prompt(arguments, &mut session, &mut conversation, workspace)?;
    let prepared = stateless::prepare(&mut session, &conversation)?;
    let mut captured = Captured::of(&prepared, conversation.entries().to_vec());
    if is_stateless {
        captured.report = captured.report.with_messages(Vec::new());
    }
    Ok((captured, session))
}

/// Reports that a request without a context has instruction files: the next call reads
/// them again.
fn report_changeable(session: &Session) {
    let context = session.context();
    let has_files = context
        .memory
        .as_ref()
        .is_some_and(|it| !it.files().is_empty());
    if has_files {
        let message = "the next call reads the instruction files again: if one has changed, \
                       everything after it is missed in the cache; --context FILE keeps them";
        output::report(&kinds::CONTEXT_NOT_KEPT.diagnostic(message));
    }
}

impl Next {
    /// Returns a request with the reasons for its parts, which has not been converted.
    fn new(
        captured: Captured,
        session: &Session,
        id: Option<Uuid>,
        selection: ProviderSelection,
    ) -> Self {
        let Captured {
            body,
            report,
            explanation,
            entries,
        } = captured;
        let mut next = Self {
            body,
            outgoing: None,
            entries,
            report,
            explanation,
            sections: Vec::new(),
            files: Vec::new(),
            tools: Vec::new(),
            id,
            selection,
        };
        next.describe(session);
        next
    }

    /// Converts the request to the wire of a provider, and reports the losses. It fails
    /// if the provider would refuse it.
    pub(crate) fn convert(&self, provider: Provider) -> Result<Outgoing, Failure> {
        let options = self.selection.options(self.id.map(|id| id.to_string()));
        let outgoing = aside_providers::outgoing(&self.body, provider, &options)
            .with_context(|| provider::refused(provider))?;
        output::report_all(&outgoing.losses);
        Ok(outgoing)
    }

    /// Returns the bytes that would be sent.
    ///
    /// They are those of the provider if one is chosen, else those of the Messages API.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        match &self.outgoing {
            Some(outgoing) => outgoing.body(),
            None => self.body.to_vec(),
        }
    }

    /// Collects the reason for each section, instruction file and tool of the session.
    ///
    /// A file is named by the path that its header in the request has: relative to the
    /// project in the layered layout, absolute in the classic one.
    fn describe(&mut self, session: &Session) {
        let sections = session.prompt().sections.iter();
        self.sections = sections
            .map(|it| (it.name.clone(), why_section(it)))
            .collect();
        let context = session.context();
        let memory = context.memory.iter();
        let files = memory.flat_map(|memory| memory.files().iter().map(move |it| (memory, it)));
        self.files = files
            .map(|(memory, file)| {
                let path = match context.layout {
                    Layout::Layered => memory.shown_path(file),
                    Layout::Classic => file.path.to_string_lossy().into_owned(),
                };
                (one_line(&path).into_owned(), why_file(file))
            })
            .collect();
        let tools = context.tools.iter().map(|it| {
            let why = match it.origin {
                ToolOrigin::Mcp => "a tool of an MCP server",
                _ => "a tool of the session",
            };
            (it.tool.name.clone(), why.to_owned())
        });
        self.tools = tools.collect();
    }
}

/// Returns the reason for a section: its zone, and its lifetime or why it is computed for
/// every request.
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

/// Returns the reason for an instruction file: `project instructions, imported by
/// /home/alex/app/CLAUDE.md`.
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
