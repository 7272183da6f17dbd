//! `aside reminders list`: the reminders of a session, in the order of loading.
//!
//! ```text
//! conversation-length: when messages_gt:80, at most 2 times (builtin)
//! run-tests: every 10 turns (/home/alex/app/.aside/reminders/run-tests.md)
//! ```
//!
//! A file with a fault is reported on stderr, or in the JSON, and does not change the
//! exit code 0.

use aside_host::reminder_manager;
use aside_reminder::{Diagnostic, ReminderDelivery, ReminderStatus, Schedule};
use aside_text::one_line;
use serde::Serialize;

use super::loader;
use crate::Failure;
use crate::arguments::ListReminders;
use crate::output;

/// The output of `--json`.
#[derive(Serialize)]
struct Report<'a> {
    /// The reminders that were loaded.
    reminders: Vec<Entry<'a>>,
    /// The faults of their files.
    diagnostics: &'a [Diagnostic],
}

/// A reminder, as `--json` has it.
#[derive(Serialize)]
struct Entry<'a> {
    /// Its id. A later file replaces an earlier one with the same id.
    id: &'a str,
    /// Its text, without tags.
    content: &'a str,
    /// Its schedule, in the form of a reminder file.
    schedule: &'a Schedule,
    /// The order of several reminders in one request.
    priority: i32,
    /// `builtin`, or the path of its file.
    source: String,
    /// False if it cannot fire.
    active: bool,
}

/// Prints the reminders of a session as lines or JSON.
pub(super) fn run(arguments: &ListReminders) -> Result<(), Failure> {
    let loaded = loader(&arguments.common)?.load();
    let list = reminder_manager(&loaded).list();
    if arguments.json {
        let report = Report {
            reminders: list.iter().map(entry).collect(),
            diagnostics: &loaded.diagnostics,
        };
        output::json(&report)?;
        return Ok(());
    }
    output::report_all(loaded.diagnostics);
    let lines: String = list
        .iter()
        .map(|it| format!("{}\n", one_line(&line(it))))
        .collect();
    output::lines(&lines)?;
    Ok(())
}

/// Returns a reminder in the form of the output.
fn entry(listed: &ReminderStatus) -> Entry<'_> {
    let reminder = &listed.reminder;
    Entry {
        id: &reminder.id,
        content: &reminder.content,
        schedule: &reminder.schedule,
        priority: reminder.priority,
        source: reminder.source.to_string(),
        active: listed.active,
    }
}

/// Returns the line of a reminder, without a newline. Values that are the default are
/// omitted.
fn line(listed: &ReminderStatus) -> String {
    let reminder = &listed.reminder;
    let mut line = format!("{}: {}", reminder.id, reminder.schedule);
    if reminder.priority != 0 {
        line.push_str(&format!(", priority {}", reminder.priority));
    }
    if reminder.delivery == ReminderDelivery::Persistent {
        line.push_str(", persistent");
    }
    if !listed.active {
        line.push_str(", switched off");
    }
    line + &format!(" ({})", reminder.source)
}
