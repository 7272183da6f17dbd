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
use crate::output;

/// The output of `--json`.
#[derive(Serialize)]
struct Report<'a> {
    reminders: Vec<Entry<'a>>,
    diagnostics: &'a [Diagnostic],
}

#[derive(Serialize)]
struct Entry<'a> {
    id: &'a str,
    content: &'a str,
    schedule: &'a Schedule,
    priority: i32,
    source: String,
    active: bool,
}

pub(super) fn run(arguments: &ListReminders) -> Result<(), Failure> {
    let loaded = loader(&arguments.common)?.load();
    let list = reminder_manager(&loaded).list();
    if arguments.json {
        let report = Report {
            reminders: list.iter().map(entry).collect(),
            diagnostics: &loaded.diagnostics,
        };
        let mut json = serde_json::to_string_pretty(&report)?;
        json.push('\n');
        output::print([json.as_bytes()])?;
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
        when.push_str(&format!(", {} times at most", schedule.max_fires));
    }
    if schedule.cooldown_turns > 0 {
        when.push_str(&format!(", {} turns apart", schedule.cooldown_turns));
    }
    when
}
