//! A recorded request: a body with the headers that it was sent with.

use std::borrow::Cow;
use std::collections::BTreeMap;

use aside_messages::{ApiVersion, Rules};
use serde::Deserialize;
use serde_json::value::RawValue;

/// A recorded request.
pub(super) struct Recording<'a> {
    body: Cow<'a, [u8]>,
    version: Option<ApiVersion>,
    betas: Vec<String>,
}

#[derive(Deserialize)]
struct Outer<'a> {
    #[serde(borrow)]
    request: Option<Inner<'a>>,
}

#[derive(Deserialize)]
struct Inner<'a> {
    #[serde(borrow)]
    headers: BTreeMap<Cow<'a, str>, Header>,
    #[serde(borrow)]
    body: &'a RawValue,
}

/// A header with one value, or with several.
struct Header(Vec<String>);

impl<'de> Deserialize<'de> for Header {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <Box<RawValue>>::deserialize(deserializer)?;
        let one = serde_json::from_str::<String>(raw.get()).map(|it| vec![it]);
        let values = one.or_else(|_| serde_json::from_str(raw.get()));
        values.map(Self).map_err(serde::de::Error::custom)
    }
}

/// Reads a recording; `None` for anything else, such as a body by itself.
pub(super) fn read(text: &[u8]) -> Option<Recording<'_>> {
    let outer = serde_json::from_slice::<Outer<'_>>(text).ok();
    let inner = outer.and_then(|outer| outer.request);
    let inner = inner.or_else(|| serde_json::from_slice(text).ok())?;
    // A body that is text was not parsed by the recorder.
    let body = match serde_json::from_str::<String>(inner.body.get()) {
        Ok(text) => Cow::Owned(text.into_bytes()),
        Err(_) => Cow::Borrowed(inner.body.get().as_bytes()),
    };
    let header = |name: &str| {
        let found = inner.headers.iter();
        let mut found = found.filter(move |(key, _)| key.eq_ignore_ascii_case(name));
        found.next().map(|(_, Header(values))| values.join(","))
    };
    let betas = header("anthropic-beta").unwrap_or_default();
    let betas = betas.split(',').map(str::trim);
    Some(Recording {
        body,
        version: header("anthropic-version").and_then(|it| ApiVersion::from_name(&it)),
        betas: betas.filter(|it| !it.is_empty()).map(Into::into).collect(),
    })
}

impl Recording<'_> {
    pub(super) fn body(&self) -> &[u8] {
        &self.body
    }

    /// Returns what the arguments say, and the headers where they say nothing.
    pub(super) fn rules(&self, given: &Rules) -> Rules {
        let mut rules = given.clone();
        rules.version = rules.version.or(self.version);
        rules.betas = rules.betas.or_else(|| Some(self.betas.clone()));
        rules
    }
}
