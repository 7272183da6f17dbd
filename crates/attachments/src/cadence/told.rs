//! What the model was told in these very words.

use std::collections::{BTreeMap, BTreeSet};

use aside_messages::conversation::{Entry, EntryDraft, Origin, Part};
use uuid::Uuid;

use crate::attachment::Attachment;

/// The kinds of which there is one at a time: what comes takes the place of
/// what was.
const ONE_AT_A_TIME: &[&str] = &[
    "selected_lines_in_ide",
    "opened_file_in_ide",
    "diagnostics",
    "output_style",
    "critical_system_reminder",
    "relevant_memories",
    "team_context",
    "token_usage",
    "budget_usd",
];

/// The kinds of which there are many.
const MANY: &[&str] = &[
    "file",
    "compact_file_reference",
    "plan_file_reference",
    "invoked_skills",
    "skill_discovery",
    "task_status",
    "mcp_resource",
    "async_hook_response",
];

/// The name under which the words of hooks are kept.
const HOOK: &str = "hook";

/// Digests of what was told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Told {
    last: BTreeMap<&'static str, Uuid>,
    all: BTreeSet<(&'static str, Uuid)>,
}

impl Told {
    pub(super) fn take_up(&mut self, entry: &Entry) {
        let Some(kind) = kind(&entry.origin) else {
            return;
        };
        let digest = digest(&entry.parts);
        if ONE_AT_A_TIME.contains(&kind) {
            self.last.insert(kind, digest);
        } else {
            self.all.insert((kind, digest));
        }
    }

    /// Those that the model has not been told, each once.
    pub(super) fn untold(&self, attachments: &[Attachment]) -> Vec<Attachment> {
        let mut now = BTreeSet::new();
        let mut is_new = |draft: &EntryDraft| {
            let Some(kind) = kind(&draft.origin) else {
                return true;
            };
            let digest = digest(&draft.parts);
            now.insert((kind, digest)) && !self.knows(kind, digest)
        };
        let is_untold = |it: &&Attachment| (*it).clone().into_entries().iter().any(&mut is_new);
        attachments.iter().filter(is_untold).cloned().collect()
    }

    fn knows(&self, kind: &'static str, digest: Uuid) -> bool {
        self.last.get(kind) == Some(&digest) || self.all.contains(&(kind, digest))
    }
}

/// The kind, if it is one that is remembered here.
fn kind(origin: &Origin) -> Option<&'static str> {
    let kind = match origin {
        Origin::Hook { .. } => return Some(HOOK),
        Origin::Attachment { kind, .. } => kind,
        _ => return None,
    };
    let mut kinds = ONE_AT_A_TIME.iter().chain(MANY);
    kinds.find(|known| *known == kind).copied()
}

/// Of the words. What stands beside them, such as an image, goes with them.
fn digest(parts: &[Part]) -> Uuid {
    let mut digest = Uuid::nil();
    for part in parts {
        if let Part::Reminder { body } = part {
            digest = Uuid::new_v5(&digest, body.as_bytes());
        }
    }
    digest
}
