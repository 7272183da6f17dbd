//! Which exchanges are of one session.

use std::collections::VecDeque;

use super::super::exchange::Finished;
use crate::object::Object;
use crate::strict::body::RequestBody;
use crate::strict::digest::{Digest, Sum, of_block, of_envelope};

/// Sessions that are kept for comparison.
const MAX_SESSIONS: usize = 256;

/// The sessions so far, the one used last at the end.
#[derive(Debug, Default)]
pub(crate) struct Sessions {
    known: VecDeque<Session>,
    count: u64,
}

#[derive(Debug)]
struct Session {
    name: String,
    path: String,
    /// The tools, and the system prompt.
    context: (Digest, Digest),
    messages: Vec<Digest>,
    /// The ids of the calls of the last response.
    calls: Vec<String>,
}

impl Sessions {
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Returns the session that a request continues, or a new one: the latest
    /// whose last calls it answers, else the one with the longest common
    /// prefix of messages and the same tools or system prompt.
    pub(crate) fn assign(&mut self, finished: &Finished, body: Option<&RequestBody<'_>>) -> String {
        let context = body.map(context).unwrap_or_default();
        let messages = body.map(messages).unwrap_or_default();
        let text = String::from_utf8_lossy(&finished.body);
        let answers = |session: &&mut Session| {
            session.path == finished.path
                && session
                    .calls
                    .iter()
                    .any(|id| text.contains(&format!("\"{id}\"")))
        };
        let mut continued = self
            .known
            .iter_mut()
            .rev()
            .find(answers)
            .map(|it| it.name.clone());
        if continued.is_none() {
            let shared = self.known.iter().filter(|it| {
                it.path == finished.path && (it.context.0 == context.0 || it.context.1 == context.1)
            });
            let shared = shared.map(|it| (common(&it.messages, &messages), it));
            let best = shared.filter(|(common, _)| *common > 0 || messages.is_empty());
            continued = best
                .max_by_key(|(common, _)| *common)
                .map(|(_, it)| it.name.clone());
        }
        let name = continued.unwrap_or_else(|| {
            self.count += 1;
            format!("{}-{:04}", finished.at.as_secs(), self.count)
        });
        self.known.retain(|it| it.name != name);
        self.known.push_back(Session {
            name: name.clone(),
            path: finished.path.clone(),
            context,
            messages,
            calls: calls(finished),
        });
        if self.known.len() > MAX_SESSIONS {
            self.known.pop_front();
        }
        name
    }
}

fn common(a: &[Digest], b: &[Digest]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

fn context(body: &RequestBody<'_>) -> (Digest, Digest) {
    let sum = |blocks: &[_]| {
        let digests = blocks.iter().map(of_block);
        digests
            .fold(Sum::new("section"), |sum, it| sum.with(&it))
            .end()
    };
    (sum(&body.tools), sum(&body.system))
}

fn messages(body: &RequestBody<'_>) -> Vec<Digest> {
    let digest = |message: &crate::strict::body::Message<'_>| {
        let sum = Sum::new("message").with(&of_envelope(message));
        let blocks = message.content.iter().map(of_block);
        blocks.fold(sum, |sum, it| sum.with(&it)).end()
    };
    body.messages.iter().map(digest).collect()
}

fn calls(finished: &Finished) -> Vec<String> {
    let content = finished.observed.content.iter().flatten();
    let blocks = content.filter_map(|block| Object::parse(block.get()));
    let calls = blocks.filter(|it| it.text("type").as_deref() == Some("tool_use"));
    calls.filter_map(|it| it.text("id")).collect()
}
