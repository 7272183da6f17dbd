//! Digests of what the model has been sent.

use std::collections::{BTreeMap, BTreeSet};

use aside_messages::conversation::{Entry, EntryDraft, Origin, Part};
use uuid::Uuid;

use crate::attachment::{Attachment, Kind};
use crate::cadence_class::CadenceClass;

/// The texts sent since the last boundary, in kinds with the cadence class
/// [`Latest`](CadenceClass::Latest) or [`Once`](CadenceClass::Once).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Delivered {
    /// The last text's digest, by kind: only another text is due.
    latest: BTreeMap<Kind, Uuid>,
    /// All texts, each due once.
    once: BTreeSet<(Kind, Uuid)>,
}

impl Delivered {
    pub(super) fn record(&mut self, entry: &Entry) {
        let Some(kind) = kind(&entry.origin) else {
            return;
        };
        let digest = digest(&entry.parts);
        match kind.cadence() {
            CadenceClass::Latest => {
                self.latest.insert(kind, digest);
            }
            CadenceClass::Once => {
                self.once.insert((kind, digest));
            }
            _ => {}
        }
    }

    /// Returns the attachments that the model has not been sent, without
    /// duplicates. It always includes attachments in other cadence classes.
    pub(super) fn undelivered(&self, attachments: &[Attachment]) -> Vec<Attachment> {
        let mut seen = BTreeSet::new();
        let mut is_new = |draft: &EntryDraft| {
            let Some(kind) = kind(&draft.origin) else {
                return true;
            };
            let digest = digest(&draft.parts);
            seen.insert((kind, digest)) && !self.contains(kind, digest)
        };
        let is_undelivered =
            |it: &&Attachment| (*it).clone().into_entries().iter().any(&mut is_new);
        attachments.iter().filter(is_undelivered).cloned().collect()
    }

    /// Returns true if the model has this text, by the kind's class.
    fn contains(&self, kind: Kind, digest: Uuid) -> bool {
        self.latest.get(&kind) == Some(&digest) || self.once.contains(&(kind, digest))
    }
}

/// Returns the entry's kind if its texts are recorded.
fn kind(origin: &Origin) -> Option<Kind> {
    let kind = match origin {
        // The origin of a hook's entry does not name its kind. Both kinds have
        // the same class, and share this one's record.
        Origin::Hook { .. } => Kind::HookAdditionalContext,
        Origin::Attachment { kind, .. } => Kind::from_name(kind)?,
        _ => return None,
    };
    matches!(kind.cadence(), CadenceClass::Latest | CadenceClass::Once).then_some(kind)
}

/// Hashes the reminders. Other parts, such as images, always come with a text.
fn digest(parts: &[Part]) -> Uuid {
    let mut digest = Uuid::nil();
    for part in parts {
        if let Part::Reminder { body } = part {
            digest = Uuid::new_v5(&digest, body.as_bytes());
        }
    }
    digest
}
