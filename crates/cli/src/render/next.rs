//! A directory's next request, with the source of each part. `aside render`
//! prints its bytes, and `aside context` its parts.
//!
//! ```text
//! arguments ─ session::look ─> machine, settings ─ SessionPlan::new ─> configuration
//!           ─ open, prepare ─> Prepared, Session ─> Next
//!           ─ aside_providers::outgoing ─> the bytes for the chosen provider
//! ```

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use aside_agent::ToolServers;
use aside_host::{Hook, Invocation, ProviderSelection};
use aside_messages::conversation::{Conversation, Entry, EntryDraft};
use aside_providers::Outgoing;
use aside_session::{Prepared, Session};
use aside_tools::Workspace;

use super::caller::{self, Append, Storage, Stored, Unwritten};
use crate::Failure;
use crate::arguments::{NextRequest, ToolChoice};
use crate::interrupt;
use crate::output;
use crate::provider;
use crate::run;
use crate::session_plan::{Harness, SessionPlan};

/// A request to be sent next.
pub(crate) struct Next {
    /// The request on the Messages API wire.
    pub(crate) prepared: Prepared,
    /// The conversation's entries with those that the request appends, to find
    /// where bytes come from.
    pub(super) entries: Vec<Entry>,
    /// What the caller stores before the response.
    pub(super) append: Append,
    /// The request on the provider's wire, as it is sent.
    pub(crate) outgoing: Outgoing,
    /// The session, whose context has the reason for each part.
    pub(crate) session: Session,
    pub(crate) selection: ProviderSelection,
    /// Hooks in the settings. They are never run.
    pub(crate) hooks: Arc<Vec<Hook>>,
    /// The output style's file.
    pub(crate) style_file: Option<PathBuf>,
    unwritten: Option<Unwritten>,
}

impl Next {
    /// Prepares the next request, with tools from MCP servers.
    ///
    /// # Errors
    /// Fails when the first party or the chosen provider would refuse the
    /// request.
    pub(crate) fn prepare(
        arguments: &NextRequest,
        storage: Storage<'_>,
        invocation: &Invocation,
        servers: Option<Arc<dyn ToolServers>>,
    ) -> Result<Self, Failure> {
        let (id, tools) = (arguments.id(), arguments.tools());
        let harness = match id {
            Some(_) => Harness::Unattended,
            None => Harness::Caller,
        };
        let mut plan = SessionPlan::new(invocation, &arguments.request, harness, &tools)?;
        let selection = plan.selection.clone();
        let is_new_prompt = arguments.prompt.is_some() && matches!(tools, ToolChoice::Own);
        let (mut prepared, mut session, conversation, stored) = match id {
            Some(id) if arguments.resume.is_some() || is_new_prompt => {
                let (prepared, session, conversation) =
                    run::next_request(arguments, invocation, plan, id, servers)?;
                (prepared, session, conversation, None)
            }
            _ => {
                if let Some(servers) = &servers {
                    plan.config.state.mcp_servers = Some(servers.offer().servers);
                }
                without_loop(arguments, storage, plan)?
            }
        };
        let appended = prepared.appended();
        let entries = [conversation.entries(), &appended].concat();
        let mut append = Append::Entries(appended);
        let unwritten = match stored {
            Some(stored) => stored.end(&mut append, &mut prepared, &mut session, conversation)?,
            None => None,
        };
        let options = selection.options(id.map(|id| id.to_string()));
        let provider = selection.provider();
        let outgoing = aside_providers::outgoing(&prepared.body, provider, &options)
            .with_context(|| provider::refused(provider))?;
        output::report_all(&outgoing.losses);
        Ok(Self {
            prepared,
            entries,
            append,
            outgoing,
            session,
            selection,
            hooks: invocation.settings.hooks.clone(),
            style_file: invocation.style_file(),
            unwritten,
        })
    }

    /// Stores what a caller's next call needs, once the request is printed.
    pub(crate) fn store(self) -> anyhow::Result<()> {
        self.unwritten.map_or(Ok(()), Unwritten::write)
    }
}

/// Opens the session and prepares its next request: a caller's, which keeps
/// `storage` between two calls, or a new session's first one.
fn without_loop(
    arguments: &NextRequest,
    storage: Storage<'_>,
    plan: SessionPlan,
) -> Result<(Prepared, Session, Conversation, Option<Stored>), Failure> {
    let workspace = Workspace::new(&plan.config.cwd, &plan.config.additional_directories);
    let (mut session, mut conversation, stored) = match arguments.id() {
        Some(id) => {
            let session = plan.open()?;
            let conversation = session.begin(id);
            (session, conversation, None)
        }
        None => {
            let (session, conversation, stored) = caller::begin(arguments, storage, plan)?;
            (session, conversation, Some(stored))
        }
    };
    if let Some(prompt) = &arguments.prompt {
        conversation.push(EntryDraft::human(prompt.as_str()));
        let mentions = session.resolve_mentions(prompt, Arc::new(workspace));
        let (entries, faults) = interrupt::block_on(mentions)?;
        output::report_all(faults);
        if !entries.is_empty() {
            // As for a turn of the loop: what is next to the files that were mentioned counts, too.
            output::report_all(interrupt::block_on(session.refresh())?);
        }
        for entry in entries {
            conversation.push(entry);
        }
    }
    let mut prepared = session.prepare(&conversation).context("failed to prepare a request")?;
    output::report_all(std::mem::take(&mut prepared.diagnostics));
    Ok((prepared, session, conversation, stored))
}
