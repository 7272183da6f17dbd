//! Records of the proxy as scripts.
//!
//! A recorded session can be replayed for an agent whose requests differ from
//! the recorded ones, since responses are matched by their order only.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::script::{Script, ScriptError};

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    response: Option<Response<'a>>,
}

#[derive(Deserialize)]
struct Response<'a> {
    #[serde(borrow)]
    content: &'a RawValue,
    stop_reason: Option<String>,
}

impl Script {
    /// Reads a cassette of `aside run --replay`, or a record of the proxy: its
    /// answers, in order.
    ///
    /// # Errors
    /// Returns the reason if the file is neither.
    pub fn replay(text: &str) -> Result<Self, ScriptError> {
        #[derive(Deserialize)]
        struct Recorded {
            #[serde(rename = "body")]
            _body: serde::de::IgnoredAny,
        }
        let first = text.lines().find(|line| !line.trim().is_empty());
        let is_record = first.is_some_and(|it| serde_json::from_str::<Recorded>(it).is_ok());
        if !is_record {
            return Self::parse(text);
        }
        let lines = text.lines().filter_map(|line| {
            let line: Line<'_> = serde_json::from_str(line).ok()?;
            let response = line.response?;
            Some((response.content.get().to_owned(), response.stop_reason))
        });
        Ok(Self::recorded(lines.collect()))
    }
}
