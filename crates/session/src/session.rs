//! [`Session`]: its three parts and the order in which they run.
//!
//! A request is prepared in this order: `context` decides the prefix,
//! `delivery` the texts at the end, `pipeline` lowers and places the markers.
//! The files next to them are operations on the whole session.

mod cadence_inputs;
mod context;
mod delivery;
mod forms;
mod pipeline;

mod cache_breaker;
mod compaction;
mod file_reads;
mod mentions;
mod price;
mod recovery;
mod refresh;
mod resume;
mod summary;

pub use self::summary::SummaryRange;

use std::sync::Arc;

use aside_claudemd::skills::ReleasedSkills;
use aside_diagnostic::Diagnostic;
use aside_messages::conversation::{
    Conversation, EntryDraft, Origin, Part, PrefixChange, ToolForm,
};
use aside_messages::lower::PrefixReset;
use aside_models::find;
use aside_prompt_sections::{OutputStyle, SessionDate};
use aside_reminder::Snapshot;
use uuid::Uuid;

use self::context::Context;
use self::delivery::{Delivery, rewrites_tools};
use self::pipeline::Pipeline;
use crate::compaction_policy::CompactionPolicy;
use crate::config::{Persistence, PromptMode, SessionConfig};
use crate::delivery_form::{lower_options, tool_limit};
use crate::gather::{Instructions, gather};
use crate::on_disk::OnDisk;
use crate::prepare_error::PrepareError;
use crate::prepared::Prepared;
use crate::prompt_report::PromptReport;
use crate::read_state::ReadState;
use crate::reminders::Reminders;
use crate::resume_state::Note;
use crate::sections::Sections;
use crate::session_context::SessionContext;
use crate::session_time::SessionTime;
use crate::state::{McpServer, SessionState};
use crate::tool_list::ToolUpdate;
use crate::tools::{SessionTool, arrange};

/// A coding agent's session. It gathers its context once and prepares one
/// request after another.
///
/// See the [crate documentation](crate) for an example.
///
/// Methods that take a conversation read it; only [`Prepared::commit`],
/// [`Session::compact`] and the other operations that say so append to it.
/// Store the conversation and the [notes](Session::take_notes) yourself.
#[derive(Debug)]
pub struct Session {
    config: SessionConfig,
    context: Context,
    /// Pending and delivered attachments, reminders and edits.
    delivery: Delivery,
    /// Turns a conversation into bytes.
    pipeline: Pipeline,
    diagnostics: Vec<Diagnostic>,
    /// The tools that are left out, as reported.
    left_out: Vec<Diagnostic>,
    /// Calls that may have changed something, and have no result yet.
    started_calls: Vec<Arc<str>>,
}

impl Session {
    /// Opens a new session. Sections of the system prompt, instruction files
    /// and git are gathered concurrently. Failures are in
    /// [`Session::diagnostics`]: a session opens with an incomplete context
    /// rather than not at all.
    pub async fn open(config: SessionConfig) -> Self {
        let mut diagnostics = Vec::new();
        let tools = arrange(all_tools(&config), tool_limit(&config), &mut diagnostics);
        let disk =
            OnDisk::read(&config, None, Arc::default(), ReleasedSkills::default(), None).await;
        diagnostics.extend_from_slice(&disk.diagnostics);
        let sections = (config.mode == PromptMode::Full)
            .then(|| Sections::new(&config, &tools, &disk, &mut diagnostics));
        let registry = sections.as_ref().map(|it| &it.registry);
        let load = Instructions::Load;
        let found = gather(&config, registry, load, &mut diagnostics).await;
        let gathered = SessionContext::new(&config, tools, found);
        let context = Context::new(&config, gathered, disk, sections, &mut diagnostics);
        Self::from_context(config, context, diagnostics)
    }

    fn from_context(
        config: SessionConfig,
        context: Context,
        mut diagnostics: Vec<Diagnostic>,
    ) -> Self {
        let gathered = context.gathered();
        let reminders = Reminders::new(&config, gathered, &mut diagnostics);
        let family = find(&config.model).facts.estimated_tokenizer();
        Self {
            delivery: Delivery::new(reminders, gathered, family),
            pipeline: Pipeline::new(lower_options(&config, &context.form), &gathered.tools),
            config,
            context,
            left_out: diagnostics.clone(),
            diagnostics,
            started_calls: Vec::new(),
        }
    }

    /// Returns the gathered context, with later changes.
    #[must_use]
    pub fn context(&self) -> &SessionContext {
        self.context.gathered()
    }

    /// Returns skills, agents and changed instruction files, as last read.
    #[must_use]
    pub fn on_disk(&self) -> &OnDisk {
        &self.context.disk
    }

    /// Returns the configured style of answers.
    #[must_use]
    pub fn output_style(&self) -> Option<&OutputStyle> {
        self.config.output_style.as_ref()
    }

    /// Returns the diagnostics from opening or resuming the session.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Adds diagnostics to those from opening the session.
    pub(crate) fn add_diagnostics(&mut self, diagnostics: Vec<Diagnostic>) {
        self.diagnostics.extend(diagnostics);
    }

    /// Returns the system prompt, section by section, and the rule that chose
    /// it.
    #[must_use]
    pub fn prompt(&self) -> &PromptReport {
        let facts = find(&self.config.model).facts;
        self.context.prompt_report(facts.estimated_tokenizer())
    }

    /// Returns when and how the loop compacts the conversation.
    #[must_use]
    pub fn compaction(&self) -> Option<&CompactionPolicy> {
        self.config.compaction.as_ref()
    }

    /// Returns the model, in the provider's spelling.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.config.model
    }

    /// Creates a conversation, with the entries before the first user message.
    #[must_use]
    pub fn begin(&self, id: Uuid) -> Conversation {
        let mut conversation = Conversation::new(id);
        for entry in &self.context.composed.first_entries {
            conversation.push(entry.clone());
        }
        conversation
    }

    /// Returns how many requests were sent, including those before a resume.
    #[must_use]
    pub fn turn(&self) -> u64 {
        self.delivery.turn()
    }

    /// Returns the time, as you set it last.
    #[must_use]
    pub fn time(&self) -> &SessionTime {
        &self.delivery.reminders.time
    }

    /// Returns how often each reminder has fired. Store this with every request
    /// that you send.
    #[must_use]
    pub fn reminder_counters(&self) -> Snapshot {
        self.delivery.reminders.manager.snapshot()
    }

    /// Returns the files that the model has seen since the conversation last
    /// started.
    #[must_use]
    pub fn reads(&self) -> &ReadState {
        &self.delivery.reads
    }

    /// Returns the notes to store before the entries that were appended since
    /// the last call. [`Session::resume`] reads them.
    pub fn take_notes(&mut self, conversation: &Conversation) -> Vec<Note> {
        self.delivery.follow(conversation);
        let entries = conversation.entries().len() as u64;
        let context = self.context.take_note().into_iter();
        context.chain(self.delivery.take_notes(entries)).collect()
    }

    /// Returns true if this call has [started](Self::start_calls) and not [ended](Self::end_call),
    /// in this process or in one whose session this one resumes. It may have changed something, so
    /// do not run it again.
    #[must_use]
    pub fn has_started(&self, id: &str) -> bool {
        self.started_calls.iter().any(|started| **started == *id)
    }

    /// Marks calls that may change something as started. Call this after you have stored their
    /// [note](Note::Started), and before you run them.
    pub fn start_calls(&mut self, ids: impl IntoIterator<Item = Arc<str>>) {
        for id in ids {
            if !self.has_started(&id) {
                self.started_calls.push(id);
            }
        }
    }

    /// Marks a call as ended: its result is in the conversation.
    pub fn end_call(&mut self, id: &str) {
        self.started_calls.retain(|started| **started != *id);
    }

    /// Sets the time. It stays until the next call.
    pub fn set_time(&mut self, time: SessionTime) {
        self.delivery.reminders.set_time(time);
    }

    /// Sets the date. If the model knows another date, the next request
    /// delivers this one at its end.
    pub fn set_date(&mut self, today: SessionDate) {
        self.delivery.set_date(today);
    }

    /// Returns the state that was set last.
    #[must_use]
    pub fn state(&self) -> &SessionState {
        &self.config.state
    }

    /// Sets the state. The next request delivers what differs from the state
    /// that the model knows. Returns a diagnostic for each tool that is left
    /// out and was not before.
    pub fn set_state(&mut self, mut state: SessionState) -> Vec<Diagnostic> {
        self.context().keep_modes(&mut state);
        self.context.record_modes(&state);
        self.config.state = state;
        self.change_tools()
    }

    /// Replaces the program's tools; MCP servers' tools are in the
    /// [state](Session::state). Returns a diagnostic for each tool that is left
    /// out and was not before.
    ///
    /// If the model binds its thinking to the prefix and accepts system
    /// messages, a new tool is appended to the list and a system message adds
    /// it, and a system message removes a missing tool; the cached prefix
    /// remains valid. A tool with another definition is used from the next user
    /// turn on. At that point, and on all other models at once, the list is
    /// written again, which invalidates the whole cache.
    pub fn set_tools(&mut self, tools: Vec<SessionTool>) -> Vec<Diagnostic> {
        self.config.tools = tools;
        self.change_tools()
    }

    /// Adds tools to the program's, except those whose names are already
    /// offered. Returns a diagnostic for each tool that is left out and was not
    /// before.
    pub fn add_tools(&mut self, tools: Vec<SessionTool>) -> Vec<Diagnostic> {
        let offered = all_tools(&self.config);
        let is_new = |tool: &SessionTool| offered.iter().all(|it| it.tool.name != tool.tool.name);
        let before = self.config.tools.len();
        self.config.tools.extend(tools.into_iter().filter(is_new));
        if self.config.tools.len() == before { Vec::new() } else { self.change_tools() }
    }

    fn change_tools(&mut self) -> Vec<Diagnostic> {
        let mut left_out = Vec::new();
        let tools = arrange(all_tools(&self.config), tool_limit(&self.config), &mut left_out);
        let turn = self.delivery.turn();
        // A list that the next request writes again anyway has no changes, and
        // changes that are not stored would be lost.
        let mut changes = self.pipeline.changes(turn).into_iter();
        let is_stored = self.config.persistence == Persistence::Conversation;
        let form = if !is_stored || changes.any(|change| rewrites_tools(&change)) {
            ToolForm::Replaced
        } else {
            self.context.form.tools
        };
        let update = self.context.set_tools(tools, form, turn);
        if update != ToolUpdate::Unchanged {
            self.pipeline.set_tools(&self.context.gathered().tools);
        }
        if update == ToolUpdate::Rewritten {
            self.reset(PrefixReset::Tools);
        }
        self.context.set_section_values(&self.config);
        let known = std::mem::replace(&mut self.left_out, left_out.clone());
        left_out.retain(|it| !known.contains(it));
        left_out
    }

    /// Writes the tool list again if a tool's definition has changed since the
    /// last user turn.
    fn renew_tools(&mut self, conversation: &Conversation) {
        if self.context.gathered().next_tools.is_some() && is_new_turn(conversation) {
            self.rewrite_tools();
            self.reset(PrefixReset::Tools);
        }
    }

    fn rewrite_tools(&mut self) {
        if self.context.sort_tools(self.delivery.turn()) {
            self.pipeline.set_tools(&self.context.gathered().tools);
        }
    }

    /// Records that the prefix was reset. This is reported until a request with the change has been
    /// sent.
    fn reset(&mut self, reset: PrefixReset) {
        self.record(EntryDraft::prefix_change(PrefixChange::from_start(reset)));
    }

    /// Records an entry with the next request.
    fn record(&mut self, entry: EntryDraft) {
        self.pipeline.record(self.delivery.turn(), entry);
    }

    /// Prepares the next request. The conversation is only read. Effects on the
    /// session apply when you [commit](Prepared::commit) the request.
    ///
    /// # Errors
    ///
    /// The conversation's last message is not the user's, or the API would
    /// refuse your own cache markers.
    pub fn prepare(&mut self, conversation: &Conversation) -> Result<Prepared, PrepareError> {
        let mut diagnostics = Vec::new();
        self.delivery.follow(conversation);
        self.follow_signatures(conversation);
        self.renew_tools(conversation);
        let turn = self.delivery.turn();
        let (config, context) = (&self.config, &mut self.context);
        let delivery = &mut self.delivery;
        let changes = self.pipeline.changes(turn);
        let sent = delivery.due(conversation, config, context, changes, &mut diagnostics);
        let pipeline = &mut self.pipeline;
        let since = pipeline.since_previous(turn, delivery.reminders.time.since_epoch);
        pipeline.prepare(conversation, config, context, sent, since, diagnostics)
    }
}

/// Returns true if the user sent a message since the last response.
fn is_new_turn(conversation: &Conversation) -> bool {
    let entries = conversation.entries().iter().rev();
    let mut since = entries.take_while(|entry| !entry.kind.is_answer());
    since.any(|entry| {
        let has_text = entry.parts.iter().any(|part| matches!(part, Part::Text(_)));
        entry.origin == Origin::Human && has_text
    })
}

/// Returns the program's tools, then the MCP servers'.
fn all_tools(config: &SessionConfig) -> Vec<SessionTool> {
    let servers = config.state.servers().iter();
    let of_servers = servers.flat_map(McpServer::session_tools);
    config.tools.iter().cloned().chain(of_servers).collect()
}
