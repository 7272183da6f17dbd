//! A directory's next request, with the source of each part. `aside render`
//! prints its bytes, and `aside context` its parts.
//!
//! ```text
//! arguments ─ Invocation ─> SessionPlan ─ prepare ─> Captured, Session ─> Next
//!           ─ aside_providers::outgoing ─> the bytes for the chosen provider
//! ```

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use aside_agent::ToolServers;
use aside_host::{Hook, ProviderSelection};
use aside_providers::{Outgoing, Provider};
use aside_session::Session;
use uuid::Uuid;

use super::caller::{self, Storage};
use super::captured::Captured;
use crate::Failure;
use crate::arguments::{NextRequest, ToolChoice};
use crate::output;
use crate::provider;
use crate::run;
use crate::session::Invocation;
use crate::session_plan::{Harness, SessionPlan};

/// A request to be sent next.
pub(crate) struct Next {
    /// The request on the Messages API wire.
    pub(crate) request: Captured,
    /// The request on a provider's wire; `None` unless an argument or a
    /// variable chooses one.
    pub(crate) outgoing: Option<Outgoing>,
    /// The session, whose context has the reason for each part.
    pub(crate) session: Session,
    /// The session id, which some providers get as a cache key; `None` for
    /// another program's session.
    id: Option<Uuid>,
    pub(crate) selection: ProviderSelection,
    /// Hooks in the settings. They are never run.
    pub(crate) hooks: Arc<Vec<Hook>>,
    /// The output style's file.
    pub(crate) style_file: Option<PathBuf>,
}

/// Prepares the next request, with tools from MCP servers. For `aside run` its
/// loop does this; for a caller, which keeps `storage` between two calls, there
/// is no loop.
///
/// Fails when the first party or the chosen provider would refuse the request,
/// and reports conversion losses.
pub(crate) fn next(
    arguments: &NextRequest,
    storage: Storage<'_>,
    invocation: &Invocation,
    servers: Option<Arc<dyn ToolServers>>,
) -> Result<Next, Failure> {
    let harness = match arguments.is_of_caller() {
        true => Harness::Caller,
        false => Harness::Unattended,
    };
    let tools = arguments.tools();
    let mut plan = SessionPlan::new(invocation, &arguments.request, harness, &tools)?;
    let selection = plan.selection.clone();
    // Check a body even when it is not converted.
    provider::check(&selection, &arguments.request)?;
    let id = arguments.id();
    let is_new_prompt = arguments.prompt.is_some() && matches!(tools, ToolChoice::Own);
    let (request, session) = match (storage, id) {
        (_, Some(id)) if arguments.resume.is_some() || is_new_prompt => {
            run::next_request(arguments, invocation, plan, id, servers)?
        }
        (storage, id) => {
            if let Some(servers) = &servers {
                plan.config.state.mcp_servers = Some(servers.offer().servers);
            }
            caller::request(arguments, storage, plan, id.unwrap_or_default())?
        }
    };
    let mut next = Next {
        request,
        outgoing: None,
        session,
        id,
        selection,
        hooks: invocation.hooks().clone(),
        style_file: invocation.style_file(),
    };
    if let Some(provider) = next.selection.chosen() {
        next.outgoing = Some(next.convert(provider)?);
    }
    Ok(next)
}

impl Next {
    /// Converts the request to a provider's wire, and reports the losses. Fails
    /// when the provider would refuse it.
    pub(crate) fn convert(&self, provider: Provider) -> Result<Outgoing, Failure> {
        let options = self.selection.options(self.id.map(|id| id.to_string()));
        let outgoing = aside_providers::outgoing(&self.request.body, provider, &options)
            .with_context(|| provider::refused(provider))?;
        output::report_all(&outgoing.losses);
        Ok(outgoing)
    }

    /// Returns the bytes to be sent: for the provider when one is chosen, else
    /// for the Messages API.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        match &self.outgoing {
            Some(outgoing) => outgoing.body(),
            None => self.request.body.to_vec(),
        }
    }
}
