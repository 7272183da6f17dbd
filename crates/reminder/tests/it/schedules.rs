//! On which turns each kind of schedule fires.

use std::time::Duration;

use aside_messages::wire::Request;
use aside_reminder::{
    Condition, ConversationState, Expression, Manager, RecentCall, Reminder, RepeatedCall,
    Schedule, ScheduleName,
};

/// A turn, and the session's clock in seconds.
#[derive(Clone, Copy)]
pub(crate) struct Step(pub(crate) u64, pub(crate) u64);

impl Step {
    pub(crate) fn state(self) -> ConversationState<'static> {
        ConversationState {
            turn: self.0,
            elapsed: Duration::from_secs(self.1),
            ..ConversationState::default()
        }
    }
}

pub(crate) fn turns(count: u64) -> Vec<Step> {
    (0..count).map(|turn| Step(turn, 0)).collect()
}

pub(crate) fn reminder(id: &str, schedule: Schedule) -> Reminder {
    Reminder::new(id, format!("content of {id}"), schedule)
}

pub(crate) fn ids(manager: &Manager, state: &ConversationState<'_>) -> Vec<String> {
    manager.evaluate(state).into_iter().map(|due| due.id).collect()
}

/// Checks which ids fire in each step, separated by spaces.
fn check(reminders: &[Reminder], steps: &[Step], expected: &[&str]) {
    let manager = Manager::new();
    for reminder in reminders {
        manager.register(reminder.clone());
    }
    let fired: Vec<_> = steps.iter().map(|step| ids(&manager, &step.state()).join(" ")).collect();
    assert_eq!(fired, expected);
}

#[test]
fn always_fires_every_turn() {
    check(&[reminder("a", Schedule::ALWAYS)], &turns(3), &["a", "a", "a"]);
}

#[test]
fn oneshot_fires_once_whatever_its_limit() {
    for limit in [0, 1, 5] {
        let often = reminder("o", Schedule::ONESHOT.at_most(limit));
        check(&[often], &turns(3), &["o", "", ""]);
    }
}

#[test]
fn turn_fires_on_turn_0_and_every_interval() {
    check(
        &[reminder("t", Schedule::every_turns(3))],
        &turns(8),
        &["t", "", "", "t", "", "", "t", ""],
    );
    // A session resumed on turn 4.
    check(
        &[reminder("t", Schedule::every_turns(3))],
        &[Step(4, 0), Step(5, 0), Step(6, 0)],
        &["", "", "t"],
    );
}

#[test]
fn an_interval_of_no_turns_counts_as_one() {
    check(&[reminder("t", Schedule::every_turns(0))], &turns(2), &["t", "t"]);
}

#[test]
fn timer_fires_at_once_and_then_by_its_interval() {
    check(
        &[reminder("t", Schedule::every(Duration::from_secs(60)))],
        &[Step(0, 7), Step(1, 66), Step(2, 67), Step(3, 126), Step(4, 127)],
        &["t", "", "t", "", "t"],
    );
}

#[test]
fn missed_periods_are_one_fire() {
    check(
        &[reminder("t", Schedule::every(Duration::from_secs(60)))],
        &[Step(0, 0), Step(1, 600), Step(2, 601), Step(3, 660)],
        &["t", "t", "", "t"],
    );
}

#[test]
fn a_clock_that_goes_back_fires_nothing() {
    check(
        &[reminder("t", Schedule::every(Duration::from_secs(60)))],
        &[Step(0, 100), Step(1, 5), Step(2, 160)],
        &["t", "", "t"],
    );
}

#[test]
fn a_condition_fires_when_it_holds() {
    let late = Schedule::when(Expression::parse("turn_gt:1").into());
    check(&[reminder("c", late)], &turns(4), &["", "", "c", "c"]);
    let code = Schedule::when(Condition::code(|state| state.turn == 1));
    check(&[reminder("c", code)], &turns(3), &["", "c", ""]);
    let never = Schedule::when(Expression::parse("on a whim").into());
    check(&[reminder("c", never)], &turns(3), &["", "", ""]);
}

#[test]
fn a_condition_sees_the_whole_state() {
    let calls = [RecentCall::new("Edit", "{}")];
    let state = ConversationState {
        message_count: 81,
        last_tool_calls: &calls,
        repeated: Some(RepeatedCall { tool: "Edit", times: 3 }),
        ..ConversationState::default()
    };
    for text in ["after_tool:Edit,Write", "messages_gt:80", "repeated_tool:3"] {
        let manager = Manager::new();
        let schedule = Schedule::when(Expression::parse(text).into());
        manager.register(reminder("c", schedule));
        assert_eq!(ids(&manager, &ConversationState::default()), [""; 0], "{text}");
        assert_eq!(ids(&manager, &state), ["c"], "{text}");
    }
    // Code sees every field.
    let body = r#"{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"go"}]}"#;
    let messages = Request::parse(body.as_bytes()).unwrap().value.messages;
    let state = ConversationState {
        turn: 4,
        elapsed: Duration::from_secs(9),
        messages: Some(&messages),
        ..state
    };
    let manager = Manager::new();
    let whole = Condition::code(|state| {
        let names = state.last_tool_calls.iter().map(|call| call.name.as_ref());
        let is_sent = state.messages.is_some_and(|it| it.len() == 1);
        (state.turn, state.message_count, state.elapsed) == (4, 81, Duration::from_secs(9))
            && names.eq(["Edit"])
            && is_sent
    });
    manager.register(reminder("c", Schedule::when(whole)));
    assert_eq!(ids(&manager, &state), ["c"]);
}

#[test]
fn max_fires_holds_for_every_kind() {
    let always_true = Schedule::when(Condition::code(|_| true));
    for schedule in [
        Schedule::ALWAYS,
        Schedule::every_turns(1),
        Schedule::every(Duration::ZERO),
        Schedule::when(Expression::Always.into()),
        always_true,
    ] {
        let reminder = reminder("a", schedule.at_most(2));
        check(&[reminder], &turns(4), &["a", "a", "", ""]);
    }
}

#[test]
fn a_cooldown_counts_in_turns() {
    let schedule = Schedule { cooldown_turns: 3, ..Schedule::ALWAYS };
    check(&[reminder("a", schedule)], &turns(7), &["a", "", "", "a", "", "", "a"]);
}

#[test]
fn an_inactive_or_blank_reminder_never_fires() {
    let off = Reminder { active: false, ..reminder("off", Schedule::ALWAYS) };
    let blank = Reminder::new("blank", " \n", Schedule::ALWAYS);
    check(&[off, blank], &turns(2), &["", ""]);
}

#[test]
fn higher_priority_comes_later_and_ties_keep_their_order() {
    let priorities = [5, 0, -1, 0, i32::MIN, i32::MAX];
    let reminders: Vec<_> = (0..30)
        .map(|index| Reminder {
            priority: priorities[index % priorities.len()],
            ..reminder(&index.to_string(), Schedule::ALWAYS)
        })
        .collect();
    check(
        &reminders,
        &turns(1),
        &["4 10 16 22 28 2 8 14 20 26 1 3 7 9 13 15 19 21 25 27 0 6 12 18 24 5 11 17 23 29"],
    );
}

#[test]
fn a_name_is_a_schedule_with_the_defaults_of_its_kind() {
    for name in ScheduleName::ALL {
        let mapping = format!(r#"{{"kind":"{name}"}}"#);
        let schedule: Schedule = serde_json::from_str(&mapping).unwrap();
        assert_eq!(Schedule::from(name), schedule, "{name}");
        let word: ScheduleName = serde_json::from_str(&format!("{:?}", name.as_str())).unwrap();
        assert_eq!(word, name);
    }
}

/// Zero and the longest wait have no spelling of their own.
#[test]
fn a_schedule_made_in_code_is_read_as_one_that_fires_alike() {
    let read = |schedule: &Schedule| -> Schedule {
        let json = serde_json::to_string(schedule).unwrap();
        serde_json::from_str(&json).unwrap_or_else(|error| panic!("{json}: {error}"))
    };
    let longest = Duration::from_nanos(i64::MAX.unsigned_abs());
    let repeated = |times| Schedule::when(Expression::RepeatedTool(times).into());
    for (schedule, expected) in [
        (Schedule::every_turns(0), Schedule::every_turns(1)),
        (Schedule::every_turns(u64::MAX), Schedule::every_turns(u64::MAX)),
        (Schedule::every(Duration::ZERO), Schedule::every(Duration::ZERO)),
        (Schedule::every(longest), Schedule::every(longest)),
        (Schedule::every(Duration::MAX), Schedule::every(longest)),
        (repeated(0), repeated(1)),
        (repeated(u64::MAX), repeated(u64::MAX)),
    ] {
        assert_eq!(read(&schedule), expected);
        assert_eq!(read(&expected), expected);
    }
}
