//! JSON objects with their members in wire order.

use serde::Serialize;
use serde_json::value::RawValue;

/// A JSON value as text.
pub(crate) type Raw = Box<RawValue>;

/// An object under construction: its text so far, which may follow on another text.
#[derive(Debug, Default)]
pub(crate) struct Object(Vec<u8>);

impl Object {
    /// Continues an object that has members, such as `{"a":1`.
    #[cfg(feature = "servers")]
    pub(crate) fn after(begun: Vec<u8>) -> Self {
        Self(begun)
    }

    /// Adds a member. The key needs no escapes.
    pub(crate) fn with(mut self, key: &str, value: impl Serialize) -> Self {
        let separator = if self.0.is_empty() { "{" } else { "," };
        self.0.extend_from_slice(format!("{separator}\"{key}\":").as_bytes());
        serde_json::to_writer(&mut self.0, &value).expect("the value is JSON");
        self
    }

    /// Adds a member that may be absent.
    pub(crate) fn given(self, key: &str, value: Option<impl Serialize>) -> Self {
        match value {
            Some(value) => self.with(key, value),
            None => self,
        }
    }

    pub(crate) fn into_bytes(mut self) -> Vec<u8> {
        self.0.extend_from_slice(if self.0.is_empty() { b"{}" } else { b"}" });
        self.0
    }

    pub(crate) fn into_json(self) -> String {
        String::from_utf8(self.into_bytes()).expect("JSON is UTF-8")
    }

    pub(crate) fn end(self) -> Raw {
        RawValue::from_string(self.into_json()).expect("the members are JSON")
    }
}

/// Writes a server-sent event. Its data has its name as `type`.
pub(crate) fn event(name: &str, members: impl FnOnce(Object) -> Object) -> String {
    let data = members(Object::default().with("type", name)).into_json();
    format!("event: {name}\ndata: {data}\n\n")
}
