//! Conversations that the API keeps for the client (`thread`).
//!
//! ```text
//! request        {"thread": {"type": "create"}, "tools": T, "messages": [A], …}
//! response       {"id": "msg_1", "content": B, …}
//! request        {"thread": {"type": "continue", "previous_message_id": "msg_1"}, "messages": [C], …}
//! judged as      {"thread": {"type": "create"}, "tools": T, "messages": [A, B, C], …}
//! ```

use std::borrow::Cow;
use std::collections::VecDeque;

use aside_json::{Tape, Value};

use super::error::ApiError;
use super::response::Response;

/// How large all kept conversations may be.
const MAX_BYTES: usize = 64 << 20;

/// The members that a thread keeps from the request that creates it.
const CREATE_ONLY: [&str; 2] = ["tools", "system"];

/// The conversation up to each of the latest responses in a thread. Above the limit, the oldest
/// ones are removed, so a server that runs for days keeps its size.
#[derive(Clone, Debug, Default)]
pub(super) struct Threads {
    kept: VecDeque<Kept>,
    bytes: usize,
}

/// A conversation up to a response, as JSON.
#[derive(Clone, Debug)]
struct Kept {
    /// The response's id.
    id: String,
    /// The `tools` and `system`, as members.
    members: Vec<String>,
    /// The messages, separated by commas.
    messages: String,
    /// Whether a request with a response has continued it.
    is_continued: bool,
}

impl Kept {
    fn bytes(&self) -> usize {
        self.members.iter().map(String::len).sum::<usize>() + self.messages.len()
    }
}

impl Threads {
    /// Returns true if no conversation is kept.
    #[cfg(feature = "servers")]
    pub(super) fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Returns the body with the tools, the system prompt and the messages of the thread that it
    /// continues; `None` if it continues none, or repeats what the thread keeps.
    ///
    /// # Errors
    /// Refuses a response that is not kept, or that another request has continued.
    pub(super) fn whole(&self, tape: &Tape<'_>) -> Result<Option<Vec<u8>>, ApiError> {
        let root = tape.root();
        let Some(id) = continued(root) else {
            return Ok(None);
        };
        let Some(kept) = self.kept.iter().rfind(|it| it.id == id) else {
            let text = format!(
                "No usable Thread state was found for previous_message_id {id}. Replay the full \
                 conversation with thread: {{\"type\": \"create\"}} to start a new Thread."
            );
            return Err(ApiError::of_status(404, text).with_code("thread_not_found"));
        };
        if kept.is_continued {
            let text = format!(
                "The response {id} has already been continued, and each response can be continued \
                 only once. Continue from the Thread's most recent response id."
            );
            return Err(ApiError::invalid(text).with_code("thread_already_continued"));
        }
        // The rule `thread-fields` refuses the request as it was sent.
        if CREATE_ONLY.iter().any(|key| root.given(key).is_some()) {
            return Ok(None);
        }
        let new = messages(root);
        let messages = std::iter::once(&*kept.messages).chain(new).collect::<Vec<_>>().join(",");
        let messages = format!("\"messages\":[{messages}]");
        let members = root.members().filter_map(|(key, value)| match &*key {
            "thread" | "messages" => None,
            key if CREATE_ONLY.contains(&key) => None,
            _ => tape.text().get(value.member_range()),
        });
        let kept = kept.members.iter().map(|it| &**it);
        let members = members.chain(kept).chain([r#""thread":{"type":"create"}"#, &*messages]);
        Ok(Some(format!("{{{}}}", members.collect::<Vec<_>>().join(",")).into_bytes()))
    }

    /// Marks the response that a request continues, which no other request can continue.
    pub(super) fn finish(&mut self, root: Value<'_>) {
        let id = continued(root);
        let kept = self.kept.iter_mut().rfind(|it| Some(&*it.id) == id.as_deref());
        if let Some(kept) = kept {
            kept.is_continued = true;
            self.bytes -= kept.bytes();
            (kept.members, kept.messages) = Default::default();
            self.bytes += kept.bytes();
        }
    }

    /// Keeps a request with its response, if it is in a thread.
    pub(super) fn push(&mut self, root: Value<'_>, response: &Response) {
        if root.given("thread").is_none() {
            return;
        }
        let answer = format!(r#"{{"role":"assistant","content":{}}}"#, response.content_json());
        let members = CREATE_ONLY
            .iter()
            .filter_map(|key| Some(format!("\"{key}\":{}", root.given(key)?.raw())));
        let kept = Kept {
            id: response.id.clone(),
            members: members.collect(),
            messages: messages(root).chain([&*answer]).collect::<Vec<_>>().join(","),
            is_continued: false,
        };
        self.bytes += kept.bytes();
        self.kept.push_back(kept);
        while self.bytes > MAX_BYTES
            && let Some(oldest) = self.kept.pop_front()
        {
            self.bytes -= oldest.bytes();
        }
    }
}

/// Returns the id of the response that a request continues.
fn continued(root: Value<'_>) -> Option<Cow<'_, str>> {
    let thread = root.given("thread").filter(|it| it.tag() == "continue")?;
    Some(thread.text_of("previous_message_id").unwrap_or_default())
}

fn messages<'t>(root: Value<'t>) -> impl Iterator<Item = &'t str> {
    root.items_of("messages").map(Value::raw)
}
