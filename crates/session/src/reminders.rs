//! A session's reminders: the manager from `aside-reminder`, and the state to
//! evaluate their conditions on.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use aside_diagnostic::Diagnostic;
use aside_git_context::{Branch, current_branch};
use aside_messages::conversation::{Conversation, Entry, EntryKind, Origin};
use aside_prompt_sections::SessionDate;
use aside_reminder::{
    Due, Manager, ReminderDelivery, ReminderSource, Tally, TemplateValues, unknown_placeholders,
};

use crate::config::{Git, SessionConfig};
use crate::kinds;
use crate::prepared::Sent;
use crate::session_context::SessionContext;
use crate::session_time::SessionTime;

/// A session's reminders, and the state that they depend on.
#[derive(Debug)]
pub(crate) struct Reminders {
    /// The registered reminders with their counters, shared with the caller.
    pub(crate) manager: Arc<Manager>,
    /// What conditions count in the conversation, such as tool calls.
    tally: Tally,
    /// How many requests were sent.
    turn: Arc<AtomicU64>,
    /// As the caller set it.
    pub(crate) time: SessionTime,
    /// The placeholder values in reminder texts.
    values: TemplateValues,
    /// Where to look for the branch; `None` if the session has no repository.
    repository: Option<PathBuf>,
}

impl Reminders {
    /// Reports unknown placeholders in reminders that code registered.
    pub(crate) fn new(
        config: &SessionConfig,
        context: &SessionContext,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Self {
        let manager = config.reminders.clone();
        for listed in manager.list() {
            let reminder = listed.reminder;
            // Faults in reminder files were reported when the files were read.
            if reminder.source == ReminderSource::Code {
                for name in unknown_placeholders(&reminder.content) {
                    let id = &reminder.id;
                    let message = format!("the reminder {id}: {{{{{name}}}}} stays as written");
                    diagnostics.push(kinds::PLACEHOLDER.diagnostic(message));
                }
            }
        }
        let mut reminders = Self {
            manager,
            tally: Tally::default(),
            turn: Arc::new(AtomicU64::new(config.turn)),
            time: config.time.clone(),
            values: TemplateValues {
                now: config.time.now.clone(),
                date: Some(context.date.to_string()),
                cwd: Some(config.cwd.to_string_lossy().into_owned()),
                branch: None,
                turn: None,
            },
            repository: None,
        };
        reminders.look_at(config, context);
        reminders
    }

    /// Returns how many requests were sent.
    pub(crate) fn turn(&self) -> u64 {
        self.turn.load(Ordering::Relaxed)
    }

    /// Makes persistent reminders that fire once due again if a compaction
    /// removed them from the conversation.
    pub(crate) fn renew(&self, conversation: &Conversation) {
        let entries = conversation.entries();
        let Some(boundary) = entries.iter().rposition(Entry::is_boundary) else {
            return;
        };
        let kept: Vec<_> = entries[boundary..].iter().filter_map(reminder_id).collect();
        for status in self.manager.list() {
            let reminder = status.reminder;
            if reminder.schedule.limit() == Some(1)
                && reminder.delivery == ReminderDelivery::Persistent
                && !kept.contains(&&*reminder.id)
            {
                self.manager.reset(&reminder.id);
            }
        }
    }

    /// Returns true if the conversation has a message without a response.
    pub(crate) fn awaits_answer(&self) -> bool {
        self.tally.awaits_answer()
    }

    /// Sets the time, also as the value for `{{now}}`.
    pub(crate) fn set_time(&mut self, time: SessionTime) {
        self.values.now.clone_from(&time.now);
        self.time = time;
    }

    /// Sets the repository's new state.
    pub(crate) fn look_at(&mut self, config: &SessionConfig, context: &SessionContext) {
        let branch = context.git.as_ref().and_then(|git| git.branch.as_ref());
        let is_read = branch.is_some() || matches!(config.git, Git::Branch);
        self.repository = is_read.then(|| config.cwd.clone());
        self.values.branch = Some(branch.map_or_else(|| "none".to_owned(), branch_name));
    }

    /// Sets the value for `{{date}}`.
    pub(crate) fn set_date(&mut self, today: SessionDate) {
        self.values.date = Some(today.to_string());
    }

    /// Returns the reminders that are due in this conversation's next request,
    /// with their placeholders filled in.
    ///
    /// The list is empty if the conversation has no message without a response.
    /// The result keeps reminders claimed, and releases them if it is dropped.
    /// A condition that panics is reported, and its reminder is not due.
    pub(crate) fn due(
        &mut self,
        conversation: &Conversation,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Sent {
        self.tally.follow(conversation);
        let turn = self.turn();
        let due = if self.tally.awaits_answer() {
            self.manager.due(&self.tally.state(turn, self.time.elapsed))
        } else {
            Vec::new()
        };
        // The process ended before the response: these reminders are in the
        // conversation, and the request is sent again.
        let delivered = delivered_ids(conversation);
        let is_delivered = |due: &Due| delivered.contains(&due.id.as_str());
        let (again, mut due): (Vec<_>, Vec<_>) = due.into_iter().partition(is_delivered);
        self.manager.release(again);
        self.values.turn = Some(turn.to_string());
        if let Some(cwd) = &self.repository
            && due.iter().any(|it| it.content.contains("branch"))
            && let Some(branch) = current_branch(cwd)
        {
            self.values.branch = Some(branch_name(&branch));
        }
        self.values.fill_due(&mut due);
        for fault in self.manager.take_panics() {
            let (id, why) = (&fault.id, &fault.message);
            let message = format!("the reminder {id}: its condition panicked: {why}");
            diagnostics.push(kinds::CONDITION_PANICKED.diagnostic(message));
        }
        Sent::new(self.manager.clone(), due, self.turn.clone())
    }
}

/// Returns the value for `{{branch}}`.
fn branch_name(branch: &Branch) -> String {
    match branch {
        Branch::Named { name } => name.clone(),
        Branch::Detached => "detached HEAD".to_owned(),
    }
}

/// Returns the persistent reminders' ids in a request that has no response yet.
fn delivered_ids(conversation: &Conversation) -> Vec<&str> {
    let is_end = |kind: &EntryKind| {
        kind.is_answer() || matches!(kind, EntryKind::Aborted | EntryKind::Boundary(_))
    };
    let entries = conversation.entries().iter().rev();
    let since = entries.take_while(|entry| !is_end(&entry.kind));
    since.filter_map(reminder_id).collect()
}

fn reminder_id(entry: &Entry) -> Option<&str> {
    match &entry.origin {
        Origin::Reminder { id } => Some(id),
        _ => None,
    }
}
