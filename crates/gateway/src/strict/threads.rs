//! Conversations that the API keeps for the client (`thread`).
//!
//! ```text
//! request        {"thread": {"type": "create"}, "messages": [A], …}
//! response       {"id": "msg_1", "content": B, …}
//! request        {"thread": {"type": "continue", "previous_message_id": "msg_1"}, "messages": [C], …}
//! judged as      {"thread": {"type": "create"}, "messages": [A, B, C], …}
//! ```

use std::collections::VecDeque;

use aside_json::{Tape, Value};

use super::error::ApiError;
use super::response::Response;

/// How large all kept messages may be.
const MAX_BYTES: usize = 64 << 20;

/// The messages up to each of the latest responses in a thread, as JSON. Above the limit, the
/// oldest ones are removed, so a server that runs for days keeps its size.
#[derive(Clone, Debug, Default)]
pub(super) struct Threads {
    kept: VecDeque<(String, String)>,
    bytes: usize,
}

impl Threads {
    /// Returns the body with the messages of the thread that it continues; `None` if it continues
    /// none.
    ///
    /// # Errors
    /// Refuses a response that is not kept.
    pub(super) fn whole(&self, tape: &Tape<'_>) -> Result<Option<Vec<u8>>, ApiError> {
        let root = tape.root();
        let thread = root.given("thread").filter(|it| it.tag() == "continue");
        let Some(id) = thread.map(|it| it.text_of("previous_message_id").unwrap_or_default())
        else {
            return Ok(None);
        };
        let Some((_, kept)) = self.kept.iter().rfind(|it| it.0 == id) else {
            let text = format!(
                "No usable Thread state was found for previous_message_id {id}. Replay the full \
                 conversation with thread: {{\"type\": \"create\"}} to start a new Thread."
            );
            return Err(ApiError::of_status(404, text).with_code("thread_not_found"));
        };
        let messages = std::iter::once(&**kept).chain(messages(root));
        let messages = format!("\"messages\":[{}]", messages.collect::<Vec<_>>().join(","));
        let members = root.members().filter_map(|(key, value)| match &*key {
            "thread" | "messages" => None,
            _ => tape.text().get(value.member_range()),
        });
        let members = members.chain([r#""thread":{"type":"create"}"#, &*messages]);
        Ok(Some(format!("{{{}}}", members.collect::<Vec<_>>().join(",")).into_bytes()))
    }

    /// Keeps a request with its response, if it is in a thread.
    pub(super) fn push(&mut self, root: Value<'_>, response: &Response) {
        if root.given("thread").is_none() {
            return;
        }
        let answer = format!(r#"{{"role":"assistant","content":{}}}"#, response.content_json());
        let kept = messages(root).chain([&*answer]).collect::<Vec<_>>().join(",");
        self.bytes += kept.len();
        self.kept.push_back((response.id.clone(), kept));
        while self.bytes > MAX_BYTES
            && let Some((_, oldest)) = self.kept.pop_front()
        {
            self.bytes -= oldest.len();
        }
    }
}

fn messages<'t>(root: Value<'t>) -> impl Iterator<Item = &'t str> {
    root.items_of("messages").map(Value::raw)
}
