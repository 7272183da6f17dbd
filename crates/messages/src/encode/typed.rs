//! A body as a typed request, without parsing.

use super::body::Body;
use super::encoded::Encoded;
use super::marker::{BlockRef, Marker};
use crate::wire::{ContentBlock, Message, RawJson, RedactedThinking, Request, Thinking};

impl Body {
    /// Returns the request as a typed value, with its cache markers. Written by
    /// serde, it has the same bytes. Texts are shared and nothing is parsed:
    /// the work is proportional to the number of blocks.
    #[must_use]
    pub fn to_request(&self) -> Request {
        let parts = self.parts();
        let messages = parts.history.messages().chain(parts.tail);
        let mut request = Request {
            tools: parts.tools.as_tools().to_vec(),
            system: parts.system.as_system().to_vec(),
            messages: messages.map(|it| message(it)).collect(),
            ..Request::clone(parts.parameters)
        };
        for Marker { at, control } in parts.markers {
            let control = control.clone();
            let block = match *at {
                BlockRef::Tool(index) => {
                    request.tools[index].cache_control = Some(control);
                    continue;
                }
                BlockRef::System(index) => &mut request.system[index],
                BlockRef::Message { message, block } => {
                    &mut request.messages[message].content[block]
                }
            };
            match block {
                ContentBlock::Thinking(Thinking { extra, .. })
                | ContentBlock::RedactedThinking(RedactedThinking { extra, .. }) => {
                    extra.0.push(("cache_control".to_owned(), RawJson::of(&control)));
                }
                ContentBlock::Other(block) => block.append_marker(&control),
                block => block.mark(control),
            }
        }
        request
    }
}

fn message(encoded: &Encoded) -> Message {
    let message = encoded.as_message();
    message.expect("the messages of a body are encoded messages").clone()
}
