//! Counters, reservations and concurrent use.

use std::sync::{Arc, Barrier, OnceLock, Weak};
use std::time::Duration;

use aside_reminder::{
    Condition, ConversationState, Due, Manager, Moment, Reminder, Schedule, Snapshot,
};
use proptest::prelude::*;

use crate::schedules::{Step, ids, reminder};

fn manager(reminders: &[Reminder]) -> Manager {
    let manager = Manager::new();
    for reminder in reminders {
        manager.register(reminder.clone());
    }
    manager
}

fn now(turn: u64) -> ConversationState<'static> {
    Step(turn, turn).state()
}

const NOTHING: [&str; 0] = [];

#[test]
fn a_reserved_reminder_is_not_due_until_it_is_released() {
    let manager = manager(&[reminder("o", Schedule::ONESHOT)]);
    let due = manager.due(&now(0));
    assert_eq!(manager.due(&now(0)), []);
    manager.release(due);
    let due = manager.due(&now(0));
    assert_eq!(due.len(), 1);
    manager.commit(due);
    assert_eq!(manager.due(&now(0)), []);
    assert_eq!(manager.list()[0].fires, 1);
}

#[test]
fn a_reservation_counts_for_timers_and_cooldowns() {
    let cooldown = Schedule { cooldown_turns: 5, ..Schedule::ALWAYS };
    for schedule in [Schedule::every(Duration::from_secs(60)), cooldown] {
        let manager = manager(&[reminder("r", schedule)]);
        let due = manager.due(&now(0));
        assert_eq!(manager.due(&now(1)), []);
        manager.release(due);
        assert_eq!(ids(&manager, &now(1)), ["r"]);
    }
}

#[test]
fn an_evaluated_reminder_is_counted_once() {
    let manager = manager(&[reminder("a", Schedule::ALWAYS.at_most(2))]);
    let due = manager.evaluate(&now(0));
    manager.commit(due);
    assert_eq!(manager.list()[0].fires, 1);
    let by_hand = Due::from(&reminder("a", Schedule::ALWAYS));
    manager.commit(vec![by_hand]);
    assert_eq!(manager.list()[0].fires, 1);
}

#[test]
fn a_replaced_reminder_keeps_its_place_and_counters() {
    let manager = manager(&[
        reminder("o", Schedule::ONESHOT),
        reminder("t", Schedule::every(Duration::from_secs(60))),
    ]);
    assert_eq!(ids(&manager, &Step(0, 10).state()), ["o", "t"]);
    manager.register(reminder("o", Schedule::ONESHOT));
    manager.register(reminder("t", Schedule::every(Duration::from_secs(30))));
    assert_eq!(ids(&manager, &Step(1, 39).state()), NOTHING);
    assert_eq!(ids(&manager, &Step(2, 40).state()), ["t"]);
    manager.register(reminder("o", Schedule::ALWAYS));
    assert_eq!(ids(&manager, &Step(3, 70).state()), ["o", "t"]);
    assert_eq!(manager.list()[0].fires, 2);
}

#[test]
fn a_removed_reminder_is_registered_again_with_its_counters() {
    let manager = manager(&[reminder("a", Schedule::ALWAYS.at_most(2))]);
    assert_eq!(ids(&manager, &now(0)), ["a"]);
    assert!(manager.remove("a"));
    assert!(!manager.remove("b"));
    assert_eq!(ids(&manager, &now(1)), NOTHING);
    assert!(!manager.list()[0].active);
    manager.register(reminder("a", Schedule::ALWAYS.at_most(2)));
    assert_eq!(ids(&manager, &now(2)), ["a"]);
    assert_eq!(ids(&manager, &now(3)), NOTHING);
}

#[test]
fn reset_clears_the_counters() {
    let manager = manager(&[reminder("a", Schedule::ONESHOT), reminder("b", Schedule::ONESHOT)]);
    assert_eq!(ids(&manager, &now(0)), ["a", "b"]);
    assert!(manager.reset("b"));
    assert!(!manager.reset("c"));
    assert_eq!(ids(&manager, &now(1)), ["b"]);
    manager.reset_all();
    assert_eq!(ids(&manager, &now(2)), ["a", "b"]);
}

#[test]
fn the_list_has_the_counters() {
    let manager =
        manager(&[reminder("o", Schedule::ONESHOT), reminder("t", Schedule::every_turns(4))]);
    assert_eq!(ids(&manager, &Step(2, 3).state()), ["o"]);
    let list = manager.list();
    let moment = Moment { turn: 2, elapsed_ms: 3_000 };
    assert_eq!((list[0].fires, list[0].last_fire), (1, Some(moment)));
    assert_eq!((list[1].fires, list[1].last_fire), (0, None));
    // A oneshot that has fired is no longer active.
    assert_eq!((list[0].active, list[1].active), (false, true));
}

#[test]
fn counters_are_restored_from_json_before_their_reminders() {
    let reminders =
        [reminder("o", Schedule::ONESHOT), reminder("t", Schedule::every(Duration::from_secs(60)))];
    let first = manager(&reminders);
    assert_eq!(ids(&first, &Step(0, 5).state()), ["o", "t"]);
    let json = serde_json::to_string(&first.snapshot()).unwrap();
    assert_eq!(
        json,
        r#"{"reminders":[{"id":"o","fires":1,"last_fire":{"turn":0,"elapsed_ms":5000}},{"id":"t","fires":1,"last_fire":{"turn":0,"elapsed_ms":5000}}]}"#
    );
    let snapshot: Snapshot = serde_json::from_str(&json).unwrap();
    let resumed = Manager::new();
    resumed.restore(snapshot.clone());
    assert_eq!(resumed.snapshot(), snapshot);
    for reminder in reminders {
        resumed.register(reminder);
    }
    assert_eq!(resumed.snapshot(), snapshot);
    assert_eq!(ids(&resumed, &Step(1, 64).state()), NOTHING);
    assert_eq!(ids(&resumed, &Step(2, 65).state()), ["t"]);
}

#[test]
fn threads_share_a_limit() {
    let manager = manager(&[reminder("a", Schedule::ALWAYS.at_most(10))]);
    let start = Barrier::new(64);
    let fired: usize = std::thread::scope(|scope| {
        let evaluate = || {
            start.wait();
            manager.evaluate(&now(0)).len()
        };
        let threads: Vec<_> = (0..64).map(|_| scope.spawn(evaluate)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(fired, 10);
    assert_eq!(manager.list()[0].fires, 10);
}

#[test]
fn a_panic_of_a_condition_is_false_and_reported() {
    let schedule = Schedule::when(Condition::code(|state| {
        assert!(state.turn > 0, "too early");
        true
    }));
    let manager = manager(&[reminder("p", schedule), reminder("a", Schedule::ALWAYS)]);
    assert_eq!(ids(&manager, &now(0)), ["a"]);
    let panics = manager.take_panics();
    assert_eq!((panics[0].id.as_str(), panics.len()), ("p", 1));
    assert_eq!(panics[0].message, "too early");
    assert_eq!(manager.take_panics(), []);
    // The condition is evaluated again.
    assert_eq!(ids(&manager, &now(1)), ["p", "a"]);
}

#[test]
fn the_number_of_kept_panics_is_limited() {
    let panics = || Schedule::when(Condition::code(|_| panic!("again")));
    let manager = manager(&[reminder("p", panics())]);
    for turn in 0..100 {
        assert_eq!(ids(&manager, &now(turn)), NOTHING);
    }
    assert_eq!(manager.take_panics().len(), 64);
}

#[test]
fn a_condition_may_call_the_manager() {
    static MANAGER: OnceLock<Weak<Manager>> = OnceLock::new();
    let manager = Arc::new(Manager::new());
    MANAGER.set(Arc::downgrade(&manager)).unwrap();
    let recursive = Schedule::when(Condition::code(|state| {
        let manager = MANAGER.get().unwrap().upgrade().unwrap();
        if state.turn == 0 {
            manager.register(reminder("new", Schedule::ONESHOT));
            manager.remove("old");
            let inner = ConversationState { turn: 1, ..*state };
            assert_eq!(ids(&manager, &inner), ["new"]);
            return true;
        }
        false
    }));
    manager.register(reminder("c", recursive));
    manager.register(reminder("old", Schedule::ALWAYS));
    assert_eq!(ids(&manager, &now(0)), ["c"]);
    assert_eq!(manager.take_panics(), []);
}

#[test]
fn a_result_counts_only_for_the_condition_that_returned_it() {
    static MANAGER: OnceLock<Weak<Manager>> = OnceLock::new();
    let manager = Arc::new(Manager::new());
    MANAGER.set(Arc::downgrade(&manager)).unwrap();
    // It returns true, but another condition, which returns false, replaces it.
    let first = Schedule::when(Condition::code(|_| {
        let no = Schedule::when(Condition::code(|_| false));
        let manager = MANAGER.get().unwrap().upgrade().unwrap();
        manager.register(reminder("c", no));
        true
    }));
    manager.register(reminder("c", first));
    assert_eq!(ids(&manager, &now(0)), NOTHING);
}

fn schedule() -> impl Strategy<Value = Schedule> {
    let kind = prop_oneof![
        Just(Schedule::ALWAYS),
        Just(Schedule::ONESHOT),
        (0..4u64).prop_map(Schedule::every_turns),
        (0..90u64).prop_map(|seconds| Schedule::every(Duration::from_secs(seconds))),
    ];
    (kind, 0..4u32, 0..3u64).prop_map(|(schedule, max_fires, cooldown_turns)| Schedule {
        max_fires,
        cooldown_turns,
        ..schedule
    })
}

proptest! {
    /// A session resumed at any turn fires the same reminders as an
    /// uninterrupted one.
    #[test]
    fn restoring_a_snapshot_is_the_identity(
        schedules in prop::collection::vec(schedule(), 1..8),
        clock in prop::collection::vec(0..60u64, 12),
        resumed_at in 0..12usize,
    ) {
        let reminders: Vec<_> = schedules
            .into_iter()
            .enumerate()
            .map(|(index, schedule)| reminder(&index.to_string(), schedule))
            .collect();
        let steps: Vec<_> = (0..)
            .zip(&clock)
            .scan(0, |elapsed, (turn, passed)| {
                *elapsed += passed;
                Some(Step(turn, *elapsed))
            })
            .collect();
        let whole = manager(&reminders);
        for step in &steps[..resumed_at] {
            let _ = whole.evaluate(&step.state());
        }
        let snapshot = whole.snapshot();
        whole.restore(snapshot.clone());
        prop_assert_eq!(whole.snapshot(), snapshot.clone());
        let resumed = manager(&reminders);
        resumed.restore(snapshot);
        for step in &steps[resumed_at..] {
            prop_assert_eq!(ids(&resumed, &step.state()), ids(&whole, &step.state()));
        }
        prop_assert_eq!(resumed.list(), whole.list());
    }

    #[test]
    fn the_limit_holds_for_any_commits_and_releases(limit in 1..5u32, settled in prop::collection::vec(any::<bool>(), 20)) {
        let manager = manager(&[reminder("a", Schedule::ALWAYS.at_most(limit))]);
        let mut open = Vec::new();
        for (turn, commits) in (0..).zip(settled) {
            open.push(manager.due(&now(turn)));
            if turn % 2 == 1 {
                let due = open.remove(0);
                if commits { manager.commit(due) } else { manager.release(due) }
            }
            let reserved: usize = open.iter().map(Vec::len).sum();
            prop_assert!(manager.list()[0].fires as usize + reserved <= limit as usize);
        }
    }
}
