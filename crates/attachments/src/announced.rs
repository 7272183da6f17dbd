use std::collections::BTreeMap;

use aside_messages::conversation::Origin;
use aside_messages::wire::RawJson;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// What an attachment announced, or took back: stored beside its text, so
/// that a conversation itself says what the model was told of.
///
/// As JSON: `{"names":{"/p/CLAUDE.md":"<digest>"},"gone":["x"]}`. A digest is
/// a UUID v5 of the text that was announced under the name, or empty where a
/// name is all there is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Announced {
    /// What is there, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) names: BTreeMap<String, String>,
    /// What is there no longer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) gone: Vec<String>,
}

impl Announced {
    /// Things that are nothing but a name.
    pub(crate) fn named<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let names = names.into_iter().map(|name| (name.into(), String::new()));
        Self {
            names: names.collect(),
            gone: Vec::new(),
        }
    }

    /// Things that have a text, which may change.
    pub(crate) fn texts<'a>(texts: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let texts = texts.into_iter();
        let names = texts.map(|(name, text)| (name.into(), digest(text)));
        Self {
            names: names.collect(),
            gone: Vec::new(),
        }
    }

    /// The same, with what is there no longer.
    pub(crate) fn without(self, gone: &[String]) -> Self {
        Self {
            gone: gone.to_vec(),
            ..self
        }
    }

    pub(crate) fn to_detail(&self) -> RawJson {
        serde_json::to_string(self)
            .and_then(|json| RawJson::parse(&json))
            .expect("strings are valid JSON")
    }

    /// What an entry of this origin announced. A detail that is not of this
    /// form announced nothing: what it stood for is announced again.
    pub(crate) fn of(origin: &Origin) -> Self {
        match origin {
            Origin::Attachment {
                detail: Some(detail),
                ..
            } => serde_json::from_str(detail.get()).unwrap_or_default(),
            _ => Self::default(),
        }
    }
}

/// Tells a text from a later one.
pub(crate) fn digest(text: &str) -> String {
    Uuid::new_v5(&Uuid::nil(), text.as_bytes())
        .simple()
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(detail: &str) -> Origin {
        Origin::Attachment {
            kind: "x".into(),
            detail: Some(RawJson::parse(detail).unwrap()),
        }
    }

    #[test]
    fn what_is_stored_is_read_back() {
        let gone = ["c".to_owned()];
        let announced = Announced::texts([("a", "text"), ("b", "")]).without(&gone);
        let detail = announced.to_detail();
        assert_eq!(Announced::of(&origin(detail.get())), announced);
        assert_ne!(announced.names["a"], announced.names["b"]);
        assert_eq!(
            Announced::named(["a"]).to_detail().get(),
            r#"{"names":{"a":""}}"#
        );
    }

    #[test]
    fn what_is_not_understood_announced_nothing() {
        for detail in ["{}", "[]", "1", r#"{"names":3}"#, r#"{"later":1}"#] {
            assert_eq!(Announced::of(&origin(detail)), Announced::default());
        }
        assert_eq!(Announced::of(&Origin::Human), Announced::default());
    }
}
