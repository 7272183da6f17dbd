//! Attachments that are sent once per text, or whenever their text changes.

use aside_attachments::cadence::{CadenceInputs, CadenceTracker};
use aside_attachments::{
    Attachment, CompactFileReference, HookAdditionalContext, OpenedFile, TaskState, TaskStatus,
};
use aside_messages::conversation::{Boundary, Conversation, EntryDraft};
use uuid::Uuid;

/// A session that sends all due attachments.
struct Session {
    conversation: Conversation,
    tracker: CadenceTracker,
}

impl Session {
    fn new() -> Self {
        Self { conversation: Conversation::new(Uuid::nil()), tracker: CadenceTracker::default() }
    }

    fn due(&mut self, inputs: &CadenceInputs) -> Vec<Attachment> {
        self.tracker.update(&self.conversation);
        let mut whole = CadenceTracker::default();
        whole.update(&self.conversation);
        assert_eq!(whole.state(), self.tracker.state());
        self.tracker.state().due(inputs)
    }

    /// Returns how many attachments were due.
    fn send(&mut self, inputs: &CadenceInputs) -> usize {
        let due = self.due(inputs);
        assert_eq!(self.due(inputs), due, "`due` changes nothing");
        let entries = due.iter().cloned().flat_map(Attachment::into_entries);
        for entry in entries {
            self.conversation.push(entry);
        }
        due.len()
    }
}

#[test]
fn a_fork_at_the_same_position_and_id_starts_over() {
    let mut session = Session::new();
    session.conversation.push(EntryDraft::human("a"));
    let kept = session.conversation.entries().to_vec();
    assert_eq!(session.send(&opened("one")), 1);
    session.tracker.update(&session.conversation);
    // A rewind to the first entry: the other branch has an entry with the same
    // id.
    let mut fork = Conversation::from_entries(Uuid::nil(), kept).unwrap();
    fork.push(EntryDraft::human("b"));
    assert_eq!(fork.entries()[1].id, session.conversation.entries()[1].id);
    session.conversation = fork;
    assert_eq!(session.send(&opened("one")), 1, "the branch lacks it");
}

fn current(attachments: Vec<Attachment>) -> CadenceInputs {
    let mut inputs = CadenceInputs::default();
    inputs.current = attachments;
    inputs
}

fn opened(path: &str) -> CadenceInputs {
    let path = path.to_owned();
    current(vec![Attachment::OpenedFileInIde(OpenedFile { path })])
}

fn stopped(id: &str) -> Attachment {
    Attachment::TaskStatus(TaskStatus {
        id: id.to_owned(),
        description: "build".to_owned(),
        status: TaskState::Stopped,
    })
}

#[test]
fn the_latest_text_of_a_kind_is_not_sent_again() {
    let mut session = Session::new();
    let sent = ["a", "a", "b", "a", "a"].map(|path| session.send(&opened(path)));
    assert_eq!(sent, [1, 0, 1, 1, 0]);
}

#[test]
fn each_text_of_a_kind_is_sent_once() {
    let mut session = Session::new();
    let both = current(vec![stopped("1"), stopped("2"), stopped("1")]);
    assert_eq!(session.send(&current(vec![stopped("2")])), 1);
    assert_eq!(session.send(&both), 1);
    assert_eq!(session.send(&both), 0);
}

#[test]
fn hook_output_is_sent_once_and_empty_output_never() {
    let hook = |text: &str| {
        Attachment::HookAdditionalContext(HookAdditionalContext {
            hook: "lint".to_owned(),
            texts: vec![text.to_owned()],
        })
    };
    let mut session = Session::new();
    assert_eq!(session.send(&current(vec![hook("x"), hook(" ")])), 1);
    assert_eq!(session.send(&current(vec![hook("x"), hook("y")])), 1);
}

#[test]
fn a_compaction_makes_everything_due_again() {
    let mut session = Session::new();
    let reference = CompactFileReference { path: "/a".into() };
    let mut inputs = opened("a");
    inputs.recalled = vec![Attachment::CompactFileReference(reference)];
    assert_eq!(session.send(&inputs), 2);
    assert_eq!(session.send(&inputs), 0);
    let summary = "The build was fixed.".into();
    let boundary = Boundary::Compact { summary };
    session.conversation.push(EntryDraft::boundary(boundary));
    assert_eq!(session.send(&inputs), 2);
}
