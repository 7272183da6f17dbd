//! Parts of the session's context that change.

use aside_attachments::cadence::{CadenceState, Circumstances, ContextSections};
use aside_attachments::{Attachment, ContextSection, SectionsDelta};
use aside_messages::conversation::{Boundary, Conversation, EntryDraft};
use uuid::Uuid;

type Sections<'a> = &'a [(&'a str, &'a str)];

fn sections(sections: Sections<'_>) -> Vec<ContextSection> {
    let section = |(name, text): &(&str, &str)| ContextSection {
        name: (*name).into(),
        text: (*text).into(),
    };
    sections.iter().map(section).collect()
}

/// What is due of `now`, where the first entries tell `first`; it is told.
fn tell(conversation: &mut Conversation, first: Sections<'_>, now: Sections<'_>) -> String {
    let mut state = CadenceState::new();
    state.extend(conversation.entries());
    let due = state.due(&Circumstances {
        sections: Some(ContextSections {
            first: sections(first),
            now: sections(now),
        }),
        ..Circumstances::default()
    });
    let mut told = Vec::new();
    for attachment in due {
        if let Attachment::SectionsDelta(SectionsDelta { changed, removed }) = &attachment {
            told.extend(changed.iter().map(|it| format!("{}={}", it.name, it.text)));
            told.extend(removed.iter().map(|name| format!("-{name}")));
        }
        for entry in attachment.into_entries() {
            conversation.push(entry);
        }
    }
    told.join(" ")
}

#[test]
fn what_is_as_it_was_told_is_not_told() {
    let mut conversation = Conversation::new(Uuid::nil());
    let first: Sections<'_> = &[("a", "1"), ("b", "1")];
    let steps: [(Sections<'_>, &str); 8] = [
        (first, ""),
        (&[("b", "1"), ("a", "2")], "a=2"),
        (&[("a", "2"), ("b", "1")], ""),
        (&[("b", "1")], "-a"),
        (&[("b", "1")], ""),
        // What the first entries say of it was taken back.
        (first, "a=1"),
        (&[("c", "1")], "c=1 -a -b"),
        (&[], "-c"),
    ];
    for (now, expected) in steps {
        assert_eq!(tell(&mut conversation, first, now), expected, "{now:?}");
    }
}

#[test]
fn after_a_boundary_the_first_entries_count() {
    for boundary in [
        Boundary::Clear,
        Boundary::Compact {
            summary: "s".into(),
        },
    ] {
        let mut conversation = Conversation::new(Uuid::nil());
        assert_eq!(tell(&mut conversation, &[("a", "1")], &[("a", "2")]), "a=2");
        conversation.push(EntryDraft::boundary(boundary));
        assert_eq!(tell(&mut conversation, &[("a", "2")], &[("a", "2")]), "");
        assert_eq!(tell(&mut conversation, &[("a", "2")], &[("a", "1")]), "a=1");
    }
}

#[test]
fn of_a_doubled_name_the_first_counts() {
    let mut conversation = Conversation::new(Uuid::nil());
    let doubled: Sections<'_> = &[("a", "1"), ("a", "2")];
    assert_eq!(tell(&mut conversation, &[], doubled), "a=1");
    assert_eq!(tell(&mut conversation, &[], doubled), "");
}
