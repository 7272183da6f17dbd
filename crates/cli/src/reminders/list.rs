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
use aside_reminder::{
    Condition, Diagnostic, ReminderDelivery, ReminderStatus, Schedule, ScheduleKind,
    format_duration,
};
use aside_text::one_line;
use serde::Serialize;

use super::loader;
use crate::Failure;
use crate::arguments::ListReminders;
use crate::count::count;
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
    output::print([lines.as_bytes()])?;
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
    let mut line = format!("{}: {}", reminder.id, when(&reminder.schedule));
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

/// Returns a schedule as a phrase, such as `every 5 turns, at most 2 times`.
fn when(schedule: &Schedule) -> String {
    let mut when = match &schedule.kind {
        ScheduleKind::Always | ScheduleKind::Turn { interval: 0 | 1 } => "every turn".to_owned(),
        ScheduleKind::Turn { interval } => format!("every {interval} turns"),
        ScheduleKind::Timer { interval } => format!("every {}", format_duration(*interval)),
        ScheduleKind::Oneshot => return "once".to_owned(),
        ScheduleKind::Condition(Condition::Expression(expression)) => format!("when {expression}"),
        _ => "on a condition".to_owned(),
    };
    if schedule.max_fires > 0 {
        let times = count(schedule.max_fires.into(), "time", "times");
        when.push_str(&format!(", at most {times}"));
    }
    if schedule.cooldown_turns > 0 {
        let turns = count(schedule.cooldown_turns, "turn", "turns");
        when.push_str(&format!(", at least {turns} apart"));
    }
    when
}
