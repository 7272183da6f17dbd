//! The incremental state equals a full scan, for any conversation.

use aside_attachments::cadence::{
    CadenceInputs, CadenceState, ContextSections, Dates, PlanState, Window,
};
use aside_attachments::{Attachment, QueuedCommand, QueuedOrigin};
use aside_attachments::{AutoMode, ContextSection, Detail, NestedMemory, SectionsDelta, Skill};
use aside_messages::conversation::{
    Boundary, Conversation, Entry, EntryDraft, EntryKind, Origin, Part,
};
use aside_messages::wire::Role;
use proptest::collection::vec;
use proptest::prelude::*;
use uuid::Uuid;

use crate::cadence::{inputs, read_back};
use crate::examples::examples;

fn model(parts: Vec<Part>) -> EntryDraft {
    let model = Origin::Model { provider: "p".into(), name: "m".into() };
    EntryDraft::message(Role::Assistant, model, parts)
}

fn entry() -> impl Strategy<Value = EntryDraft> {
    let examples = examples().into_iter().map(|(_, attachment)| attachment).chain([up_again()]);
    let drafts: Vec<EntryDraft> = examples.flat_map(Attachment::into_entries).collect();
    let attachment = prop::sample::select(drafts);
    let call = prop_oneof![Just("TodoWrite"), Just("TaskUpdate"), Just("Read")]
        .prop_map(|tool| model(vec![Part::tool_use("1", tool, r#"{"todos":[]}"#)]));
    let result = vec![Part::tool_result("1", "word ".repeat(300))];
    let queued = QueuedCommand::new("x", QueuedOrigin::Human).into_entry();
    let summary = "s".into();
    prop_oneof![
        6 => Just(model(vec![Part::text("word")])),
        2 => call,
        4 => Just(EntryDraft::human("word")),
        2 => Just(EntryDraft::message(Role::User, Origin::Human, result)),
        1 => Just(queued),
        6 => attachment,
        1 => Just(EntryDraft::boundary(Boundary::Compact { summary })),
        1 => Just(EntryDraft::boundary(Boundary::Clear)),
        1 => Just(EntryDraft::aborted()),
        1 => Just(EntryDraft::snip(vec![])),
    ]
}

fn deployment(text: &str) -> ContextSection {
    ContextSection { name: "deployment".into(), text: text.into() }
}

fn up_again() -> Attachment {
    Attachment::SectionsDelta(SectionsDelta {
        changed: vec![deployment("Up again.")],
        removed: vec![],
    })
}

fn conversation(drafts: &[EntryDraft]) -> Conversation {
    let mut conversation = Conversation::new(Uuid::nil());
    for draft in drafts {
        conversation.push(draft.clone());
    }
    conversation
}

fn everything() -> CadenceInputs {
    inputs(|it| {
        it.dates = Some(Dates { session: "2026-01-31".into(), today: "2026-02-01".into() });
        it.sections = Some(ContextSections { first: vec![], now: vec![deployment("Up again.")] });
        it.plan = Some(PlanState { is_on: true, file: Some("/p".into()), exists: true });
        it.auto_mode = Some(true);
        it.nested_memory = vec![NestedMemory {
            path: "/shop/web/CLAUDE.md".into(),
            content: "Use tabs.".into(),
            before: None,
            is_unused: false,
        }];
        it.skills = Some(vec![Skill {
            name: "release".into(),
            description: "Makes a release of the crate.".into(),
            path: None,
        }]);
        it.tools = Some(vec!["mcp__docs__search".into()]);
        it.agents = Some(vec![]);
        it.mcp_instructions = Some(vec![]);
        it.todos = Some(vec![]);
        it.tasks = Some(vec![]);
        it.snip_tool = true;
        it.automatic_compaction =
            Some(Window { tokens: 1_000_000, max_output_tokens: 0, prefix_tokens: 249_990 });
        // `recalled` and `current` have their tests in `delivered`.
    })
}

/// Answers the cadence's questions by a scan of the whole conversation.
struct Scan<'a> {
    /// Newest first.
    since_boundary: Vec<&'a Entry>,
    /// Newest first.
    since_clear: Vec<&'a Entry>,
}

impl<'a> Scan<'a> {
    fn new(entries: &'a [Entry]) -> Self {
        let is_clear = |it: &&Entry| it.kind == EntryKind::Boundary(Boundary::Clear);
        let is_boundary = |it: &&Entry| matches!(it.kind, EntryKind::Boundary(_));
        // A snip does not end a response.
        let is_snip = |it: &&Entry| matches!(it.kind, EntryKind::Snip { .. });
        let newest_first = || entries.iter().rev().filter(move |it| !is_snip(it));
        Self {
            since_boundary: newest_first().take_while(|it| !is_boundary(it)).collect(),
            since_clear: newest_first().take_while(|it| !is_clear(it)).collect(),
        }
    }

    /// Counts the responses back to the newest entry with `is_end`.
    fn responses_until(&self, is_end: impl Fn(&Entry) -> bool) -> usize {
        let mut responses = 0;
        for (index, entry) in self.since_clear.iter().enumerate() {
            if is_end(entry) {
                break;
            }
            // A run's first entry counts for the run. The run with the end does
            // not count.
            let before = self.since_clear.get(index + 1);
            let begins = is_response(entry) && !before.is_some_and(|it| is_response(it));
            responses += usize::from(begins);
        }
        responses
    }

    fn list_is_due(&self, tools: &[&str], kind: &str) -> bool {
        let is_call =
            |part: &Part| matches!(part, Part::ToolUse(call) if tools.contains(&&*call.name));
        let calls = |it: &Entry| is_response(it) && it.parts.iter().any(is_call);
        self.responses_until(|it| calls(it) || is_kind(it, kind)) >= 10
    }

    fn last_announced(&self, kind: &str, text: &str) -> bool {
        let last = self.since_boundary.iter().find(|it| is_kind(it, kind));
        let holds = |part: &Part| matches!(part, Part::Reminder { body } if body.contains(text));
        last.is_some_and(|it| it.parts.iter().any(holds))
    }

    /// Returns how many reminders were sent since the mode was entered, and how
    /// many user turns passed since the last one.
    fn mode(&self, kind: &str, exit: &str) -> (usize, usize) {
        let in_mode = || self.since_boundary.iter().take_while(|it| !is_kind(it, exit));
        let reminders = in_mode().filter(|it| is_kind(it, kind)).count();
        let mut turns = 0;
        let mut in_user_turn = false;
        let since: Vec<_> = in_mode().take_while(|it| !is_kind(it, kind)).collect();
        // The last reminder may be within a user turn.
        let before = &self.since_boundary[since.len()..];
        let before = before
            .iter()
            .find(|it| is_response(it) || it.kind == EntryKind::Aborted || is_user_text(it));
        if before.is_some_and(|it| is_user_text(it)) {
            in_user_turn = true;
        }
        for entry in since.iter().rev() {
            if is_response(entry) || entry.kind == EntryKind::Aborted {
                in_user_turn = false;
            } else if is_user_text(entry) && !in_user_turn {
                in_user_turn = true;
                turns += 1;
            }
        }
        (reminders, turns)
    }
}

fn is_response(entry: &Entry) -> bool {
    entry.kind == EntryKind::Message { role: Role::Assistant }
}

fn is_user_text(entry: &Entry) -> bool {
    let is_text = |part: &Part| matches!(part, Part::Text(_));
    entry.origin == Origin::Human && entry.parts.iter().any(is_text)
}

fn is_kind(entry: &Entry, wanted: &str) -> bool {
    matches!(&entry.origin, Origin::Attachment { kind, .. } if kind == wanted)
}

fn is_due(due: &[Attachment], kind: &str) -> bool {
    due.iter().any(|it| it.kind() == kind)
}

/// Checks that the state makes the same due as a scan.
fn agrees(state: &CadenceState, entries: &[Entry]) -> Result<(), TestCaseError> {
    let scan = Scan::new(entries);
    let due = state.due(&everything());
    let todos = scan.list_is_due(&["TodoWrite"], "todo_reminder");
    prop_assert_eq!(is_due(&due, "todo_reminder"), todos);
    let tasks = scan.list_is_due(&["TaskCreate", "TaskUpdate"], "task_reminder");
    prop_assert_eq!(is_due(&due, "task_reminder"), tasks);
    let date = scan.last_announced("date_change", "2026-02-01");
    prop_assert_eq!(is_due(&due, "date_change"), !date);
    let memory = scan.last_announced("nested_memory", "Use tabs.");
    prop_assert_eq!(is_due(&due, "nested_memory"), !memory);
    let skills = scan.last_announced("skill_listing", "- release: Makes a release of the crate.");
    prop_assert_eq!(is_due(&due, "skill_listing"), !skills);
    // The example announces the same section with another text.
    let section = scan.last_announced("sections_delta", "Up again.");
    prop_assert_eq!(is_due(&due, "sections_delta"), !section);
    let (reminders, turns) = scan.mode("auto_mode", "auto_mode_exit");
    let detail = due.iter().find_map(|it| match it {
        Attachment::AutoMode(AutoMode { detail }) => Some(*detail),
        _ => None,
    });
    let is_full = reminders.is_multiple_of(5);
    let expected = if is_full { Detail::Full } else { Detail::Sparse };
    prop_assert_eq!(detail, (reminders == 0 || turns >= 5).then_some(expected));
    Ok(())
}

proptest! {
    #[test]
    fn the_incremental_state_equals_a_full_scan(drafts in vec(entry(), 0..60), cuts in vec(0..60_usize, 0..6)) {
        let conversation = conversation(&drafts);
        let entries = conversation.entries();
        let mut whole = CadenceState::new();
        whole.extend(entries);
        agrees(&whole, entries)?;

        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(entries.len())).collect();
        cuts.sort_unstable();
        let mut state = CadenceState::new();
        let mut seen = 0;
        for cut in cuts.into_iter().chain([entries.len()]) {
            state.extend(&entries[seen..cut]);
            seen = cut;
            let mut resumed = CadenceState::new();
            resumed.extend(&entries[..cut]);
            prop_assert_eq!(&state, &resumed);
            agrees(&state, &entries[..cut])?;
        }
        prop_assert_eq!(&state, &whole);
        let mut from_disk = CadenceState::new();
        from_disk.extend(read_back(&conversation).entries());
        prop_assert_eq!(&from_disk, &whole);
        prop_assert_eq!(state.due(&everything()), whole.due(&everything()));
    }
}

/// A seeded fault: the law above fails for a state that misses an entry.
#[test]
fn a_missed_entry_breaks_the_law() {
    let reminder = |json: &str| {
        let attachment: Attachment = serde_json::from_str(json).unwrap();
        attachment.into_entries().remove(0)
    };
    let date = reminder(r#"{"type":"date_change","date":"2026-02-01"}"#);
    let mode = reminder(r#"{"type":"auto_mode","detail":"full"}"#);
    let section = up_again().into_entries().remove(0);
    let mut responses = vec![];
    for _ in 0..10 {
        responses.extend([EntryDraft::human("word"), model(vec![Part::text("word")])]);
    }
    for (drafts, missed) in [(vec![date], 0), (vec![mode], 0), (vec![section], 0), (responses, 19)]
    {
        let conversation = conversation(&drafts);
        let entries = conversation.entries();
        let mut state = CadenceState::new();
        state.extend(entries);
        assert!(agrees(&state, entries).is_ok());
        let mut broken = CadenceState::new();
        broken.extend(&entries[..missed]);
        broken.extend(&entries[missed + 1..]);
        assert!(agrees(&broken, entries).is_err());
    }
}
