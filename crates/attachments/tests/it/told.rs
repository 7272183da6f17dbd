//! What is told once, and what is told whenever it changes.

use aside_attachments::cadence::{Circumstances, Follower};
use aside_attachments::{
    Attachment, CompactFileReference, HookAdditionalContext, OpenedFile, TaskState, TaskStatus,
};
use aside_messages::conversation::{Boundary, Conversation, EntryDraft};
use uuid::Uuid;

/// A session that sends what is due.
struct Session {
    conversation: Conversation,
    follower: Follower,
}

impl Session {
    fn new() -> Self {
        Self {
            conversation: Conversation::new(Uuid::nil()),
            follower: Follower::default(),
        }
    }

    fn due(&mut self, now: &Circumstances) -> Vec<Attachment> {
        self.follower.follow(&self.conversation);
        let mut whole = Follower::default();
        whole.follow(&self.conversation);
        assert_eq!(whole.state(), self.follower.state());
        self.follower.state().due(now)
    }

    /// How many attachments were due.
    fn send(&mut self, now: &Circumstances) -> usize {
        let due = self.due(now);
        assert_eq!(self.due(now), due, "asking changes nothing");
        let entries = due.iter().cloned().flat_map(Attachment::into_entries);
        for entry in entries {
            self.conversation.push(entry);
        }
        due.len()
    }
}

fn current(attachments: Vec<Attachment>) -> Circumstances {
    Circumstances {
        current: attachments,
        ..Circumstances::default()
    }
}

fn opened(path: &str) -> Circumstances {
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
fn what_there_is_one_of_is_told_when_it_changes() {
    let mut session = Session::new();
    let told = ["a", "a", "b", "a", "a"].map(|path| session.send(&opened(path)));
    assert_eq!(told, [1, 0, 1, 1, 0]);
}

#[test]
fn what_there_are_many_of_is_told_once_each() {
    let mut session = Session::new();
    let both = current(vec![stopped("1"), stopped("2"), stopped("1")]);
    assert_eq!(session.send(&current(vec![stopped("2")])), 1);
    assert_eq!(session.send(&both), 1);
    assert_eq!(session.send(&both), 0);
}

#[test]
fn a_hook_is_told_once_and_nothing_is_no_reason() {
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
fn a_boundary_takes_away_what_was_told() {
    let mut session = Session::new();
    let reference = CompactFileReference { path: "/a".into() };
    let now = Circumstances {
        recalled: vec![Attachment::CompactFileReference(reference)],
        ..opened("a")
    };
    assert_eq!(session.send(&now), 2);
    assert_eq!(session.send(&now), 0);
    let summary = "They went on.".into();
    let boundary = Boundary::Compact { summary };
    session.conversation.push(EntryDraft::boundary(boundary));
    assert_eq!(session.send(&now), 2);
}
