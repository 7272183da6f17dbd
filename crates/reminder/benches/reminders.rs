//! What a turn costs: to evaluate reminders, against a copy of them; to inject
//! reminders into N messages, against a copy of the messages; and to follow a
//! conversation with N messages. The latter two must not depend on N.
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use aside_messages::conversation::{Conversation, EntryDraft, Origin, Part};
use aside_messages::wire::{ContentBlock, Message, Role};
use aside_reminder::{
    Condition, ConversationState, Due, Expression, Manager, RecentCall, Reminder, Schedule, Tally,
    inject,
};
use uuid::Uuid;

const ROUNDS: usize = 200;

fn main() {
    // `cargo test --all-targets` runs this without `--bench`.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    println!("reminders    evaluate        copy   evaluate/copy   none due");
    for count in [10, 100, 1_000, 10_000] {
        evaluating(count);
    }
    println!("\nmessages       inject        copy     inject/copy     follow");
    for count in [11, 101, 1_001, 10_001] {
        injecting(count);
    }
}

/// Evaluates reminders of every kind; a fifth of them are due in every turn.
fn evaluating(count: usize) {
    let manager = Manager::new();
    for index in 0..count {
        let schedule = match index % 5 {
            0 => Schedule::ALWAYS,
            1 => Schedule::every_turns(u64::MAX),
            2 => Schedule::every(Duration::MAX),
            3 => Schedule::when(Expression::parse("after_tool:Write,Edit").into()),
            _ => Schedule::when(Condition::code(|state| state.turn == u64::MAX)),
        };
        let text = "Keep the change log up to date. ".repeat(5);
        manager.register(Reminder::new(format!("reminder-{index}"), text, schedule));
    }
    let calls = [RecentCall::new("Read", "{}"), RecentCall::new("Bash", "{}")];
    let state =
        |turn| ConversationState { turn, last_tool_calls: &calls, ..ConversationState::default() };
    drop(manager.evaluate(&state(0)));
    let mut turn = 0;
    let evaluate = median(|| {
        turn += 1;
        drop(black_box(manager.evaluate(&state(turn))));
    });
    let list = manager.list();
    let copy = median(|| drop(black_box(list.clone())));
    for listed in &list {
        if listed.reminder.schedule == Schedule::ALWAYS {
            manager.remove(&listed.reminder.id);
        }
    }
    let none = median(|| drop(black_box(manager.evaluate(&state(1)))));
    println!(
        "{count:>9} {evaluate:>11.1?} {copy:>11.1?} {:>15.2} {none:>10.1?}",
        ratio(evaluate, copy)
    );
}

fn injecting(count: usize) {
    let text = "Some words of text. ".repeat(50);
    let messages: Vec<Message> = (0..count)
        .map(|index| {
            let role = [Role::User, Role::Assistant][index % 2].clone();
            Message::new(role, vec![ContentBlock::text(text.as_str())])
        })
        .collect();
    let reminder = Reminder::new("r", "Ask before you delete.", Schedule::ALWAYS);
    let due = [Due::from(&reminder)];
    let inject = median(|| drop(black_box(inject(&messages, &due))));
    let copy = median(|| drop(black_box(messages.clone())));

    let mut conversation = Conversation::new(Uuid::nil());
    for index in 0..count {
        conversation.push(entry(index, &text));
    }
    let mut tally = Tally::default();
    tally.follow(&conversation);
    let mut index = count;
    let follow = median_after(
        &mut (conversation, tally),
        |(conversation, _)| {
            for _ in 0..2 {
                conversation.push(entry(index, &text));
                index += 1;
            }
        },
        |(conversation, tally)| {
            tally.follow(conversation);
            black_box(tally.state(1, Duration::ZERO));
        },
    );
    println!(
        "{count:>8} {inject:>12.1?} {copy:>11.1?} {:>15.5} {follow:>10.1?}",
        ratio(inject, copy)
    );
}

/// Alternates between user and model.
fn entry(index: usize, text: &str) -> EntryDraft {
    if index.is_multiple_of(2) {
        return EntryDraft::human(text);
    }
    let model = Origin::Model { provider: "p".into(), name: "m".into() };
    EntryDraft::message(Role::Assistant, model, vec![Part::tool_use("id", "Read", "{}")])
}

fn ratio(time: Duration, other: Duration) -> f64 {
    time.as_secs_f64() / other.as_secs_f64()
}

fn median(mut what: impl FnMut()) -> Duration {
    median_after(&mut (), |()| (), |()| what())
}

/// Returns the median time of `what`, each time after an untimed `first`.
fn median_after<T>(
    value: &mut T,
    mut first: impl FnMut(&mut T),
    mut what: impl FnMut(&mut T),
) -> Duration {
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            first(value);
            let start = Instant::now();
            what(value);
            start.elapsed()
        })
        .collect();
    times.sort();
    times[times.len() / 2]
}
