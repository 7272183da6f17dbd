//! A response in its wire's form.

use aside_models::Wire;

use super::events::Frames;
use super::reply::Reply;
use super::{chat, gemini, responses};

impl Reply {
    /// Returns the response as one JSON value.
    pub(crate) fn to_json(&self) -> String {
        match self.wire {
            Wire::Responses => responses::whole(self),
            Wire::ChatCompletions => chat::whole(self),
            _ => gemini::whole(self),
        }
        .to_string()
    }

    /// Returns the response as a stream.
    pub(crate) fn frames(&self) -> Frames {
        match self.wire {
            Wire::Responses => responses::events(self),
            Wire::ChatCompletions => chat::events(self),
            _ => gemini::events(self),
        }
    }
}
