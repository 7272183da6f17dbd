//! Earlier requests, for the first difference and the cache diagnostics.
//!
//! The history is bounded, so a server that runs for days keeps its size. A
//! request whose predecessor was forgotten is refused without the position of
//! the first difference.

use std::collections::VecDeque;

use super::body::RequestBody;
use super::digest::{Digest, Sum, compact, of_block};
use super::prefix::{Part, Prefix};
use super::response::{CacheDiagnostics, CacheMissReason, ResponseUsage};

/// The requests that are kept, and the parts in all of them together.
const MAX_REQUESTS: usize = 256;
const MAX_PARTS: usize = 1 << 20;

/// The latest requests with a response.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    answered: VecDeque<Answered>,
    parts: usize,
}

/// A request as its response left it.
#[derive(Clone, Debug)]
pub(crate) struct Answered {
    number: u64,
    id: String,
    sections: Sections,
    parts: Vec<Part>,
}

/// The sections that diagnostics compare, in this order.
#[derive(Clone, Debug)]
pub(crate) struct Sections {
    model: String,
    parameters: Digest,
    system: Digest,
    tools: Digest,
    messages: Vec<Digest>,
}

impl History {
    /// Adds a request, and removes the oldest ones above the limits.
    pub(crate) fn push(&mut self, number: u64, id: &str, sections: Sections, prefix: Prefix) {
        let parts = prefix.into_parts();
        self.parts += parts.len();
        self.answered.push_back(Answered {
            number,
            id: id.to_owned(),
            sections,
            parts,
        });
        while self.answered.len() > MAX_REQUESTS || self.parts > MAX_PARTS {
            match self.answered.pop_front() {
                Some(oldest) => self.parts -= oldest.parts.len(),
                None => break,
            }
        }
    }

    /// Returns the parts of the request with this number of its response.
    pub(crate) fn parts(&self, number: u64) -> Option<&[Part]> {
        let mut answered = self.answered.iter();
        let found = answered.find(|it| it.number == number);
        found.map(|it| &*it.parts)
    }

    /// Compares a request with the one that it names in `diagnostics`. Returns
    /// `None` if it names none.
    pub(crate) fn diagnose(
        &self,
        body: &RequestBody<'_>,
        now: &Sections,
        usage: &ResponseUsage,
    ) -> Option<Option<CacheDiagnostics>> {
        let asked = body.parameters.object("diagnostics")?;
        let Some(id) = asked.text("previous_message_id") else {
            return Some(None);
        };
        let Some(then) = self.answered.iter().find(|it| it.id == id) else {
            return Some(reason("previous_message_not_found", None));
        };
        let missed = Some(usage.total_input() - usage.cache_read_input_tokens);
        let (then, count) = (&then.sections, then.sections.messages.len());
        let is_continued = now.messages.get(count - 1) == then.messages.last();
        Some(if now.model != then.model {
            reason("model_changed", missed)
        } else if now.parameters != then.parameters {
            reason("unavailable", None)
        } else if now.system != then.system {
            reason("system_changed", missed)
        } else if now.tools != then.tools {
            reason("tools_changed", missed)
        } else if !is_continued {
            reason("messages_changed", missed)
        } else {
            None
        })
    }
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "null is the other case of the wire"
)]
fn reason(kind: &'static str, missed: Option<u64>) -> Option<CacheDiagnostics> {
    Some(CacheDiagnostics {
        cache_miss_reason: CacheMissReason {
            kind,
            cache_missed_input_tokens: missed,
        },
    })
}

impl Sections {
    /// Computes the digests of the sections.
    pub(crate) fn of(body: &RequestBody<'_>, prefix: &Prefix) -> Self {
        let sum = |tag, blocks: &[_]| {
            let digests = blocks.iter().map(of_block);
            digests.fold(Sum::new(tag), |sum, it| sum.with(&it)).end()
        };
        let keys = [
            "tool_choice",
            "thinking",
            "context_management",
            "output_config",
        ];
        let parameters = keys.iter().fold(Sum::new("parameters"), |sum, key| {
            let value = body.parameters.get(key).map(|raw| compact(raw.get()));
            sum.with(&value.unwrap_or_default())
        });
        Self {
            model: body.model.clone(),
            parameters: parameters.end(),
            system: sum("system", &body.system),
            tools: sum("tools", &body.tools),
            messages: prefix.messages().to_vec(),
        }
    }
}
