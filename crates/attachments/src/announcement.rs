use std::collections::BTreeMap;

use aside_messages::conversation::Origin;
use aside_messages::wire::RawJson;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// What an entry announces, stored in the `detail` of its origin, so that the
/// conversation alone records what has been announced.
///
/// As JSON: `{"names":{"/p/CLAUDE.md":"<digest>"},"gone":["x"]}`. A digest is a
/// UUID v5 over the text announced under the name, or empty when there is only
/// a name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Announcement {
    /// The digest of each announced text, by name.
    #[serde(rename = "names", skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) added: BTreeMap<String, String>,
    #[serde(rename = "gone", skip_serializing_if = "Vec::is_empty")]
    pub(crate) removed: Vec<String>,
    /// True for instruction files that changed since the session began: they are followed further.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) changed: bool,
}

impl Announcement {
    /// Announces names that have no text.
    pub(crate) fn of_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let names = names.into_iter().map(|name| (name.into(), String::new()));
        Self { added: names.collect(), ..Self::default() }
    }

    /// Announces texts, each under a name.
    pub(crate) fn of_texts<'a>(texts: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let texts = texts.into_iter();
        let digests = texts.map(|(name, text)| (name.into(), digest(text)));
        Self { added: digests.collect(), ..Self::default() }
    }

    pub(crate) fn to_detail(&self) -> RawJson {
        serde_json::to_string(self)
            .and_then(|json| RawJson::parse(&json))
            .expect("strings are valid JSON")
    }

    /// Reads what an entry with this origin announced. A detail in another form
    /// announced nothing, so its content is announced again.
    pub(crate) fn from_origin(origin: &Origin) -> Self {
        match origin {
            Origin::Attachment { detail: Some(detail), .. } => {
                serde_json::from_str(detail.get()).unwrap_or_default()
            }
            _ => Self::default(),
        }
    }
}

/// Returns a digest, to recognize a changed text.
pub(crate) fn digest(text: &str) -> String {
    Uuid::new_v5(&Uuid::nil(), text.as_bytes()).simple().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(detail: &str) -> Origin {
        Origin::Attachment { kind: "x".into(), detail: Some(RawJson::parse(detail).unwrap()) }
    }

    #[test]
    fn a_stored_announcement_is_read_back() {
        let removed = vec!["c".to_owned()];
        let announcement =
            Announcement { removed, ..Announcement::of_texts([("a", "text"), ("b", "")]) };
        let detail = announcement.to_detail();
        assert_eq!(Announcement::from_origin(&origin(detail.get())), announcement);
        assert_ne!(announcement.added["a"], announcement.added["b"]);
        assert_eq!(Announcement::of_names(["a"]).to_detail().get(), r#"{"names":{"a":""}}"#);
    }

    #[test]
    fn a_detail_of_another_form_announces_nothing() {
        for detail in ["{}", "[]", "1", r#"{"names":3}"#, r#"{"later":1}"#] {
            assert_eq!(Announcement::from_origin(&origin(detail)), Announcement::default());
        }
        assert_eq!(Announcement::from_origin(&Origin::Human), Announcement::default());
    }
}
