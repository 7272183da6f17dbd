//! What a session costs with a reminder in every request, by form of delivery.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use aside_cache_model::{Body, CacheModel, CacheRules, Usage};
use aside_claudemd::{Dirs, Loader};
use aside_messages::conversation::{EntryDraft, Origin, Part};
use aside_messages::wire::Role;
use aside_prompt_sections::OsKind;
use aside_reminder::{Manager, Reminder, ReminderDelivery, Schedule};
use aside_session::{Git, Session, SessionConfig};
use uuid::Uuid;

use crate::support::run;

const REQUESTS: usize = 60;
/// What a cache read costs, relative to plain input.
const READ_PRICES: [f64; 3] = [0.1, 0.05, 0.025];
const WRITE_PRICE: f64 = 1.25;

/// Returns the usage in a session where every third response ends a turn.
fn usage(cwd: &Path, model: &str, reminder: Option<ReminderDelivery>) -> Usage {
    let memory = Loader::new(Dirs::default());
    let date = "2026-01-31".parse().unwrap();
    let manager = Manager::new();
    if let Some(delivery) = reminder {
        let text = "Run the tests before you say that something works. ".repeat(8);
        manager.register(Reminder { delivery, ..Reminder::new("tests", text, Schedule::ALWAYS) });
    }
    let config = SessionConfig {
        git: Git::Skip,
        model: model.to_owned(),
        reminders: Arc::new(manager),
        ..SessionConfig::new(cwd.to_owned(), OsKind::Linux, memory, date)
    };
    let mut session = run(Session::open(config));
    let mut conversation = session.begin(Uuid::nil());
    conversation.push(EntryDraft::human("Explain the build"));
    let mut cache = CacheModel::new(CacheRules::anthropic());
    let mut usage = Usage::default();
    for number in 0..REQUESTS {
        let mut prepared = session.prepare(&conversation).unwrap();
        let request = Body::parse(&prepared.body.to_vec()).unwrap();
        let at = Duration::from_secs(20 * number as u64);
        usage += cache.send(&request, at).usage;
        prepared.commit(&mut conversation);
        let origin = Origin::Model { provider: "p".into(), name: model.to_owned() };
        let id = format!("toolu_{number}");
        let (answer, next) = if number % 3 == 2 {
            let text = format!("Answer {number}. ").repeat(40);
            (Part::text(text), Part::text(format!("Question {number}?")))
        } else {
            let result = format!("Line {number} of a file. ").repeat(60);
            (Part::tool_use(id.clone(), "Read", "{}"), Part::tool_result(id, result))
        };
        conversation.push(EntryDraft::message(Role::Assistant, origin, vec![answer]));
        conversation.push(EntryDraft::message(Role::User, Origin::Human, vec![next]));
    }
    usage
}

/// Returns the cost in plain input tokens.
fn cost(usage: Usage, read: f64) -> f64 {
    usage.uncached as f64 + usage.written() as f64 * WRITE_PRICE + usage.read as f64 * read
}

#[test]
#[expect(clippy::print_stdout, reason = "the table is the result")]
fn a_reminder_in_every_request_by_form_of_delivery() {
    let directory = tempfile::tempdir().unwrap();
    let of = |model: &str, reminder| usage(directory.path(), model, reminder);
    let rows = [
        ("clear_at", of("claude-sonnet-5-5", Some(ReminderDelivery::Ephemeral))),
        ("persistent", of("claude-sonnet-5-5", Some(ReminderDelivery::Persistent))),
        ("tail", of("claude-sonnet-5", Some(ReminderDelivery::Ephemeral))),
    ];
    let without = of("claude-sonnet-5-5", None);
    println!("the cost of the reminder in {REQUESTS} requests, in tokens of plain input");
    println!("{:>12} {:>8} {:>8} {:>8}", "read price", 0.1, 0.05, 0.025);
    for (name, usage) in rows {
        let costs = READ_PRICES.map(|read| cost(usage, read) - cost(without, read));
        println!("{name:>12} {:>8.0} {:>8.0} {:>8.0}", costs[0], costs[1], costs[2]);
        assert!(costs.iter().all(|cost| *cost > 0.0), "{name}: {costs:?}");
        // In every form, most of a session is read from the cache.
        assert!(usage.read * 10 > usage.input() * 8, "{name}: {usage:?}");
    }
}
