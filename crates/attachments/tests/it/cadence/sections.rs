//! Changes to the session context.

use aside_attachments::cadence::{CadenceState, ContextSections};
use aside_attachments::{Attachment, ContextSection, SectionsDelta};
use aside_messages::conversation::{Boundary, Conversation, EntryDraft};
use uuid::Uuid;

use super::inputs;

type Sections<'a> = &'a [(&'a str, &'a str)];

fn sections(sections: Sections<'_>) -> Vec<ContextSection> {
    let section =
        |(name, text): &(&str, &str)| ContextSection { name: (*name).into(), text: (*text).into() };
    sections.iter().map(section).collect()
}

fn send(conversation: &mut Conversation, first: Sections<'_>, now: Sections<'_>) -> String {
    let mut state = CadenceState::new();
    state.extend(conversation.entries());
    let sections = ContextSections { first: sections(first), now: sections(now) };
    let due = state.due(&inputs(|it| it.sections = Some(sections)));
    let mut sent = Vec::new();
    for attachment in due {
        if let Attachment::SectionsDelta(SectionsDelta { changed, removed }) = &attachment {
            sent.extend(changed.iter().map(|it| format!("{}={}", it.name, it.text)));
            sent.extend(removed.iter().map(|name| format!("-{name}")));
        }
        for entry in attachment.into_entries() {
            conversation.push(entry);
        }
    }
    sent.join(" ")
}

#[test]
fn only_changes_are_sent() {
    let mut conversation = Conversation::new(Uuid::nil());
    let first: Sections<'_> = &[("a", "1"), ("b", "1")];
    let steps: [(Sections<'_>, &str); 8] = [
        (first, ""),
        (&[("b", "1"), ("a", "2")], "a=2"),
        (&[("a", "2"), ("b", "1")], ""),
        (&[("b", "1")], "-a"),
        (&[("b", "1")], ""),
        // Its removal was sent, so the first entries no longer count.
        (first, "a=1"),
        (&[("c", "1")], "c=1 -a -b"),
        (&[], "-c"),
    ];
    for (now, expected) in steps {
        assert_eq!(send(&mut conversation, first, now), expected, "{now:?}");
    }
}

#[test]
fn after_a_boundary_the_first_entries_count_again() {
    for boundary in [Boundary::Clear, Boundary::Compact { summary: "s".into() }] {
        let mut conversation = Conversation::new(Uuid::nil());
        assert_eq!(send(&mut conversation, &[("a", "1")], &[("a", "2")]), "a=2");
        conversation.push(EntryDraft::boundary(boundary));
        assert_eq!(send(&mut conversation, &[("a", "2")], &[("a", "2")]), "");
        assert_eq!(send(&mut conversation, &[("a", "2")], &[("a", "1")]), "a=1");
    }
}

#[test]
fn the_first_section_of_a_name_counts() {
    let mut conversation = Conversation::new(Uuid::nil());
    let doubled: Sections<'_> = &[("a", "1"), ("a", "2")];
    assert_eq!(send(&mut conversation, &[], doubled), "a=1");
    assert_eq!(send(&mut conversation, &[], doubled), "");
}
