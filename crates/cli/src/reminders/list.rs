//! `aside reminders list`: a session's reminders, in load order.
//!
//! ```text
//! conversation-length: when messages_gt:80, at most 2 times (builtin)
//! run-tests: every 10 turns (/home/alex/app/.aside/reminders/run-tests.md)
//! ```
//!
//! A faulty file, also of settings, is reported on stderr, or in the JSON, and the
//! exit code is still 0.

use aside_diagnostic::Diagnostic;
use aside_reminder::{ReminderDelivery, ReminderStatus, Schedule};
use aside_text::one_line;
use serde::Serialize;

use crate::Failure;
use crate::arguments::ListReminders;
use crate::common_args;
use crate::output;

/// What `--json` prints.
#[derive(Serialize)]
struct Report<'a> {
    reminders: Vec<Entry<'a>>,
    diagnostics: &'a [Diagnostic],
}

/// A reminder, as `--json` prints it.
#[derive(Serialize)]
struct Entry<'a> {
    /// Its id. A later file with the same id replaces an earlier one.
    id: &'a str,
    /// Its text, without tags.
    content: &'a str,
    /// Its schedule, in the form used by reminder files.
    schedule: &'a Schedule,
    /// How to order several reminders in one request.
    priority: i32,
    /// `builtin`, or its file's path.
    source: String,
    /// False when it cannot fire.
    active: bool,
}

/// Prints a session's reminders as lines or JSON.
pub(super) fn run(arguments: &ListReminders) -> Result<(), Failure> {
    let (config, diagnostics) = common_args::check(&arguments.common)?.session();
    let list = config.reminders.list();
    if arguments.json {
        let reminders = list.iter().map(entry).collect();
        return Ok(output::json(&Report { reminders, diagnostics: &diagnostics })?);
    }
    output::report_all(diagnostics);
    let lines: String = list.iter().map(|it| format!("{}\n", one_line(&line(it)))).collect();
    Ok(output::lines(&lines)?)
}

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

/// Returns a reminder's line, without a newline. Leaves out default values.
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
