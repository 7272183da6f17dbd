//! Earlier requests, for the first difference and the cache diagnostics.
//!
//! The history is bounded, so a server that runs for days keeps its size. A
//! request whose predecessor was forgotten is refused without saying where the
//! first difference is.
//!
//! ```text
//! request        {"diagnostics": {"previous_message_id": "msg_1"}, …}
//! response       {"diagnostics": {"cache_miss_reason": {"type": "system_changed",
//!                   "cache_missed_input_tokens": 900}}}
//! ```

use std::borrow::Cow;
use std::collections::{BTreeSet, VecDeque};

use aside_json::Kind;

use super::body::RequestBody;
use super::digest::{Digest, Sum, compact, of_block};
use super::prefix::{Part, Prefix};
use super::request::StrictRequest;
use super::response::{CacheDiagnostics, CacheMissReason, Response, ResponseBlock};
use super::seal::ThinkingSeal;

/// How many requests to keep.
const MAX_REQUESTS: usize = 256;
/// How many parts to keep in all requests.
const MAX_PARTS: usize = 1 << 20;

/// The latest requests with a response.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    /// The requests, oldest first.
    answered: VecDeque<Answered>,
    /// How many parts all of them have.
    parts: usize,
}

/// A request as its response left it.
#[derive(Clone, Debug)]
pub(crate) struct Answered {
    /// Its response's number, from 0, which is also in its thinking's
    /// signatures.
    number: u64,
    /// Its response's id, as in `msg_000000000000000000000001`.
    id: String,
    sections: Sections,
    /// A digest of everything before its response.
    prefix: Digest,
    /// True if its response leaves out the text of its thinking.
    is_thinking_omitted: bool,
    /// Digests of its tools, system blocks, messages and content blocks.
    parts: Vec<Part>,
}

/// The sections that diagnostics compare, in this order.
#[derive(Clone, Debug)]
pub(crate) struct Sections {
    /// The model as the request names it.
    model: String,
    /// `tool_choice`, `thinking`, `context_management`, `output_config`, `output_format` and the
    /// betas.
    parameters: Digest,
    system: Digest,
    tools: Digest,
    /// Entry n is the digest of the first n messages, so one comparison is
    /// enough.
    messages: Vec<Digest>,
}

impl History {
    /// Adds a request, and removes the oldest ones above the limits.
    pub(crate) fn push(
        &mut self,
        number: u64,
        response: &Response,
        sections: Sections,
        prefix: Prefix,
    ) {
        let is_omitted = |block: &ResponseBlock| match block {
            ResponseBlock::Thinking { thinking, .. } => thinking.is_empty(),
            _ => false,
        };
        self.parts += prefix.parts.len();
        self.answered.push_back(Answered {
            number,
            id: response.id.clone(),
            sections,
            prefix: prefix.whole(),
            is_thinking_omitted: response.content.iter().any(is_omitted),
            parts: prefix.parts,
        });
        while self.answered.len() > MAX_REQUESTS || self.parts > MAX_PARTS {
            match self.answered.pop_front() {
                Some(oldest) => self.parts -= oldest.parts.len(),
                None => break,
            }
        }
    }

    /// Returns the parts of the request whose response has this number; `None`
    /// if it was forgotten.
    pub(crate) fn parts(&self, number: u64) -> Option<&[Part]> {
        let mut answered = self.answered.iter();
        let found = answered.find(|it| it.number == number);
        found.map(|it| &*it.parts)
    }

    /// Returns true if the response with this number leaves out the text of its thinking: a text
    /// that a request puts there is ignored.
    pub(crate) fn is_thinking_omitted(&self, number: u64) -> bool {
        let mut answered = self.answered.iter();
        answered.any(|it| it.number == number && it.is_thinking_omitted)
    }

    /// Returns a response's id; `None` if it was forgotten, or if another
    /// server signed with the same number.
    pub(crate) fn id(&self, seal: &ThinkingSeal) -> Option<&str> {
        let is_it = |it: &&Answered| it.number == seal.response && it.prefix == seal.prefix;
        self.answered.iter().find(is_it).map(|it| &*it.id)
    }

    /// Compares a request with the one that it names in `diagnostics`. `missed` is how many tokens
    /// it would have read behind the same prefix.
    ///
    /// `None` if the request has no `diagnostics`, and `Some(None)`, a null on
    /// the wire, if it names no earlier response or if nothing differs. Only
    /// the first section that differs is reported, in the order model,
    /// system, tools, parameters, messages. Changed parameters are
    /// `unavailable`, as in the API.
    pub(crate) fn diagnose(
        &self,
        body: &RequestBody<'_>,
        now: &Sections,
        missed: u64,
    ) -> Option<Option<CacheDiagnostics>> {
        body.parameters.get("diagnostics").filter(|it| it.kind() == Kind::Object)?;
        let Some(id) = named(body) else {
            return Some(None);
        };
        let Some(then) = self.answered.iter().find(|it| it.id == id) else {
            return Some(Some(reason("previous_message_not_found", None)));
        };
        let missed = Some(missed);
        let (then, count) = (&then.sections, then.sections.messages.len());
        let is_continued = now.messages.get(count - 1) == then.messages.last();
        let sections = [
            (now.model != then.model, "model_changed", missed),
            (now.system != then.system, "system_changed", missed),
            (now.tools != then.tools, "tools_changed", missed),
            (now.parameters != then.parameters, "unavailable", None),
            (!is_continued, "messages_changed", missed),
        ];
        let first = sections.into_iter().find(|(is_changed, ..)| *is_changed);
        Some(first.map(|(_, kind, missed)| reason(kind, missed)))
    }
}

/// Returns the id of the response that a request names in `diagnostics`.
pub(crate) fn named<'t>(body: &RequestBody<'t>) -> Option<Cow<'t, str>> {
    body.parameters.get("diagnostics")?.text_of("previous_message_id")
}

/// Returns diagnostics.
fn reason(kind: &'static str, missed: Option<u64>) -> CacheDiagnostics {
    CacheDiagnostics {
        cache_miss_reason: CacheMissReason { kind, cache_missed_input_tokens: missed },
    }
}

impl Sections {
    pub(crate) fn of(body: &RequestBody<'_>, prefix: &Prefix, request: &StrictRequest<'_>) -> Self {
        let sum = |tag, blocks: &[_]| {
            let digests = blocks.iter().copied().map(of_block);
            digests.fold(Sum::new(tag), |sum, it| sum.with(&it)).end()
        };
        let keys =
            ["tool_choice", "thinking", "context_management", "output_config", "output_format"];
        let parameters = keys.iter().fold(Sum::new("parameters"), |sum, key| {
            let value = body.parameters.given(key).map(compact);
            sum.with(&value.unwrap_or_default())
        });
        let betas: BTreeSet<_> = request.betas.iter().collect();
        let parameters = betas.into_iter().fold(parameters, |sum, it| sum.with(it.as_bytes()));
        Self {
            model: body.model.clone().into_owned(),
            parameters: parameters.end(),
            system: sum("system", &body.system),
            tools: sum("tools", &body.tools),
            messages: prefix.messages.clone(),
        }
    }
}
