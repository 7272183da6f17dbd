use serde::Deserialize;

use crate::read::{Text, filled};
use crate::responses::reasoning::Reasoning;

/// An item as a server writes it.
#[derive(Default, Deserialize)]
pub(in crate::responses) struct ReceivedItem<'a> {
    #[serde(borrow, default, rename = "type")]
    pub(super) kind: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(in crate::responses) id: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) call_id: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) name: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) arguments: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) input: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) phase: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) content: Option<Vec<ReceivedPart<'a>>>,
    #[serde(borrow, default)]
    pub(super) summary: Option<Vec<ReceivedPart<'a>>>,
    #[serde(borrow, default)]
    pub(super) encrypted_content: Option<Text<'a>>,
}

#[derive(Deserialize)]
pub(super) struct ReceivedPart<'a> {
    #[serde(borrow, default)]
    pub(super) text: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) refusal: Option<Text<'a>>,
}

impl ReceivedItem<'_> {
    pub(super) fn reasoning(&self) -> Reasoning {
        fn texts<'a>(parts: &'a Option<Vec<ReceivedPart<'_>>>) -> impl Iterator<Item = &'a str> {
            let parts = parts.iter().flatten();
            parts.map(|part| filled(&part.text).unwrap_or_default())
        }
        Reasoning::new(
            filled(&self.id),
            texts(&self.summary),
            texts(&self.content),
            filled(&self.encrypted_content),
        )
    }
}
