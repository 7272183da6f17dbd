//! `aside reminders simulate`: which reminders fire in a session that you
//! describe in a file.
//!
//! ```json
//! {"reminders": [{"id": "tests", "content": "Run the tests.",
//!                 "schedule": {"kind": "turn", "turn_interval": 2}}],
//!  "steps": [{"turn": 0}, {}, {}, {"remove": "tests"}, {}]}
//! ```
//!
//! ```json
//! {"fired": [["tests"], [], ["tests"], []]}
//! ```
//!
//! Time, turns and calls come from the file, so you get the same output on
//! every machine. Use it to test reminders, or to compare it to your own
//! schedules when you write a program in another language.

use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use aside_messages::wire::{Message, Request, Role};
use aside_reminder::{
    Condition, ConversationState, Definition, Due, Manager, RecentCall, ReminderDelivery,
    ReminderSource, RepeatedCall, ScheduleKind, inject,
};
use aside_user_files::json;
use serde::Serialize;

use super::simulation::{Simulation, Slips, Step};
use crate::Failure;
use crate::arguments::SimulateReminders;
use crate::common_args;
use crate::input::{self, MIB};
use crate::kinds;
use crate::output;

/// The largest file to read, in bytes.
const MAX_FILE_BYTES: u64 = 64 * MIB;

/// The object to print.
#[derive(Serialize)]
struct Report {
    /// For each step that is a request, the ids that fire, in delivery order.
    fired: Vec<Vec<String>>,
    /// The file's messages with the `inject` reminders; absent without them.
    #[serde(skip_serializing_if = "Option::is_none")]
    messages: Option<Vec<Message>>,
}

/// Simulates the session and prints what fires.
///
/// # Errors
/// When a file cannot be read, this is a usage error. Invalid JSON fails with
/// its line, and an invalid step with its place, such as `steps[2]`; then
/// nothing is printed.
pub(super) fn run(arguments: &SimulateReminders) -> Result<(), Failure> {
    common_args::check(&arguments.common)?;
    let file = arguments.file.display();
    let text = input::text(&arguments.file, MAX_FILE_BYTES).map_err(Failure::usage)?;
    let simulation: Simulation =
        json::read(&text).map_err(|error| anyhow!("failed to simulate {file}:{error}"))?;
    for slip in slips(&text) {
        let place = arguments.file.as_path();
        output::report(&kinds::SIMULATION_KEY.diagnostic(slip).at(place));
    }
    let report = play(simulation).with_context(|| format!("failed to simulate {file}"))?;
    Ok(output::compact_json(&report)?)
}

/// Returns unknown keys in reminders, each with its place.
///
/// The reminder reader ignores them, because files may have keys for other
/// programs; in a simulation they are probably a mistake.
fn slips(text: &str) -> Vec<String> {
    // A fault that prevents reading was already reported.
    let Ok(Slips { reminders, steps }) = json::read(text) else {
        return Vec::new();
    };
    let reminders = reminders
        .into_iter()
        .enumerate()
        .map(|(index, keys)| (format!("reminders[{index}]"), keys));
    let steps = steps.into_iter().enumerate().filter_map(|(index, step)| {
        let place = format!("steps[{index}].register");
        step.register.map(|keys| (place, keys))
    });
    let unknown_keys = reminders.chain(steps).flat_map(|(place, keys)| {
        let unknown_keys =
            keys.iter().map(|key| format!("{place}: unknown key {key:?} is ignored"));
        unknown_keys.collect::<Vec<_>>()
    });
    unknown_keys.collect()
}

/// Registers the reminders, runs the steps in order, and injects into the
/// file's messages, if any.
fn play(simulation: Simulation) -> anyhow::Result<Report> {
    let manager = Manager::new();
    for (index, definition) in simulation.reminders.into_iter().enumerate() {
        register(&manager, definition).with_context(|| format!("reminders[{index}]"))?;
    }
    let mut fired = Vec::new();
    let mut session = Session::default();
    for (index, step) in simulation.steps.into_iter().enumerate() {
        let due = session.step(&manager, step);
        fired.extend(due.with_context(|| format!("steps[{index}]"))?);
    }
    let messages = match (simulation.messages, simulation.inject) {
        (Some(messages), Some(ids)) => Some(injected(&manager, messages.get(), &ids)?),
        (None, None) => None,
        (Some(_), None) => bail!("found messages, expected inject with them"),
        (None, Some(_)) => bail!("found inject, expected messages with it"),
    };
    Ok(Report { fired, messages })
}

/// Adds a reminder, which needs an id and content. An unknown condition is
/// reported, and never holds.
fn register(manager: &Manager, definition: Definition) -> anyhow::Result<()> {
    let id = definition.id().context("expected an id")?.to_owned();
    if definition.content().is_none() {
        bail!("{id:?}: expected content");
    }
    let reminder = definition.into_reminder(&id, "", ReminderSource::Code);
    if let ScheduleKind::Condition(Condition::Expression(expression)) = &reminder.schedule.kind
        && let Some(fault) = expression.fault()
    {
        let message = format!("{id:?}: {fault}");
        output::report(&kinds::SIMULATION_CONDITION.diagnostic(message));
    }
    manager.register(reminder);
    Ok(())
}

/// The session state. When a step leaves out a value, the previous one stays,
/// but the turn goes up by one.
#[derive(Default)]
struct Session {
    /// Which turn to use for the next step that names none.
    turn: u64,
    /// How many messages the latest request has.
    message_count: u64,
    /// How long ago the session began, in milliseconds.
    elapsed_ms: u64,
    /// The last call, and how often it was repeated in a row.
    row: Option<(RecentCall, u64)>,
}

impl Session {
    /// Returns the ids that fire; `None` for a step without a request.
    ///
    /// A step without calls ends the row of equal calls. When a step has
    /// `repeated`, it overrides the count.
    ///
    /// # Errors
    /// Fails when a step registers and removes at once, or registers an invalid
    /// reminder.
    fn step(&mut self, manager: &Manager, step: Step) -> anyhow::Result<Option<Vec<String>>> {
        match (step.register, step.remove) {
            (None, None) => {}
            (Some(definition), None) => {
                register(manager, definition)?;
                return Ok(None);
            }
            (None, Some(id)) => {
                if !manager.remove(&id) {
                    let message = format!("there is no reminder {id:?} to remove");
                    output::report(&kinds::SIMULATION_REMOVE.diagnostic(message));
                }
                return Ok(None);
            }
            (Some(_), Some(_)) => bail!("found register and remove, expected one of them"),
        }
        let calls: Vec<RecentCall> =
            step.last_tool_calls.into_iter().flatten().map(|call| call.0).collect();
        if calls.is_empty() {
            self.row = None;
        }
        for call in &calls {
            let times = match self.row.take() {
                Some((last, times)) if last == *call => times + 1,
                _ => 1,
            };
            self.row = Some((call.clone(), times));
        }
        let row = self.row.as_ref().map(|(call, times)| (&*call.name, *times));
        let given = step.repeated.as_ref().map(|it| (it.tool.as_str(), it.times));
        let turn = step.turn.unwrap_or(self.turn);
        self.turn = turn.saturating_add(1);
        self.message_count = step.message_count.unwrap_or(self.message_count);
        self.elapsed_ms = step.elapsed_ms.unwrap_or(self.elapsed_ms);
        let due = manager.evaluate(&ConversationState {
            turn,
            message_count: self.message_count,
            last_tool_calls: &calls,
            repeated: given.or(row).map(|(tool, times)| RepeatedCall { tool, times }),
            elapsed: Duration::from_millis(self.elapsed_ms),
            messages: None,
        });
        Ok(Some(due.into_iter().map(|due| due.id).collect()))
    }
}

/// Returns the messages with these reminders, regardless of their schedules.
///
/// They are injected as ephemeral reminders. When there is no place to put
/// them, this is a warning.
///
/// # Errors
/// Fails when the messages are invalid, or when an id has no reminder.
fn injected(
    manager: &Manager,
    messages_json: &str,
    ids: &[String],
) -> anyhow::Result<Vec<Message>> {
    let request = format!(r#"{{"model":"","max_tokens":1,"messages":{messages_json}}}"#);
    let messages = Request::parse(request.as_bytes())?.value.messages;
    Message::last_of_user(&serde_json::from_str(messages_json)?).context("messages")?;
    let list = manager.list();
    let due: Vec<Due> = ids
        .iter()
        .map(|id| {
            let listed = list.iter().find(|listed| listed.reminder.id == *id);
            let reminder =
                &listed.ok_or_else(|| anyhow!("inject: there is no reminder {id:?}"))?.reminder;
            let mut due = Due::from(reminder);
            due.delivery = ReminderDelivery::Ephemeral;
            anyhow::Ok(due)
        })
        .collect::<anyhow::Result<_>>()?;
    let injected = inject(&messages, &due);
    if injected.changed.is_none() && !due.is_empty() {
        let has_user = messages.iter().any(|it| it.role == Role::User);
        let why = if has_user {
            "the text to inject is blank"
        } else {
            "there is no message of the user"
        };
        let message = format!("nothing was delivered: {why}");
        output::report(&kinds::NOTHING_DELIVERED.diagnostic(message));
    }
    Ok(injected.to_vec())
}
