//! Usage in each vendor's form.
//!
//! OpenAI and Google count the whole input, with cached tokens, unlike the
//! Messages API.

use super::reply::Reply;
use crate::object::{Object, Raw};

pub(super) fn responses(reply: &Reply) -> Raw {
    let object = Object::default()
        .with("input_tokens", reply.usage.input())
        .with("input_tokens_details", cached(reply))
        .with("output_tokens", reply.usage.output)
        .with("output_tokens_details", reasoned(reply));
    object.with("total_tokens", reply.usage.total()).end()
}

pub(super) fn chat(reply: &Reply) -> Raw {
    let object = Object::default()
        .with("prompt_tokens", reply.usage.input())
        .with("completion_tokens", reply.usage.output)
        .with("total_tokens", reply.usage.total())
        .with("prompt_tokens_details", cached(reply));
    object.with("completion_tokens_details", reasoned(reply)).end()
}

/// Thoughts are not among the candidates' tokens.
pub(super) fn gemini(reply: &Reply) -> Raw {
    let (usage, thoughts) = (&reply.usage, reply.reasoning_tokens);
    let positive = |tokens: u64| Some(tokens).filter(|it| *it > 0);
    let object = Object::default()
        .with("promptTokenCount", usage.input())
        .given("cachedContentTokenCount", positive(usage.read))
        .with("candidatesTokenCount", usage.output.saturating_sub(thoughts))
        .given("thoughtsTokenCount", positive(thoughts));
    object.with("totalTokenCount", usage.total()).end()
}

fn cached(reply: &Reply) -> Raw {
    let (written, twelve_hours) = (reply.usage.written(), reply.usage.write_12h);
    let by_lifetime = || {
        Object::default()
            .with("ttl_30m_tokens", written.saturating_sub(twelve_hours))
            .with("ttl_12h_tokens", twelve_hours)
            .end()
    };
    Object::default()
        .with("cached_tokens", reply.usage.read)
        .with("cache_write_tokens", written)
        .given("cache_write_tokens_details", (written > 0).then(by_lifetime))
        .end()
}

fn reasoned(reply: &Reply) -> Raw {
    let tokens = reply.reasoning_tokens;
    Object::default().with("reasoning_tokens", tokens).end()
}
