//! `generateContent`, as one object and as a stream of objects.

use super::events::{Frames, Transfer, data};
use super::reply::{Reply, ReplyBlock};
use super::usage;
use crate::object::{Object, Raw};
use crate::strict::pieces;

pub(super) fn whole(reply: &Reply) -> Raw {
    let blocks = reply.blocks.iter();
    let parts: Vec<Raw> = blocks.flat_map(|it| parts(reply, it, |text| vec![text])).collect();
    generated(reply, &parts, Some(finish_reason(&reply.stop)))
}

/// Returns a stream's objects, as events or as an array's elements. A call is
/// never divided.
pub(super) fn events(reply: &Reply) -> Frames {
    let split = |text| pieces(text).collect();
    let divided = reply.blocks.iter().flat_map(|it| parts(reply, it, split));
    let mut objects: Vec<Raw> = divided.map(|part| generated(reply, &[part], None)).collect();
    let end = Object::default().with("text", "").end();
    objects.push(generated(reply, &[end], Some(finish_reason(&reply.stop))));
    if reply.transfer != Transfer::Array {
        let frames = objects.iter().map(data).collect();
        return Frames { frames, tail: 1 };
    }
    let begins = std::iter::once("[").chain(std::iter::repeat(",\r\n"));
    let elements = begins.zip(&objects).map(|(begin, it)| format!("{begin}{it}"));
    Frames { frames: elements.chain(["]".to_owned()]).collect(), tail: 2 }
}

/// Returns a block's parts: one for each text that `split` makes from its own.
fn parts<'a>(reply: &Reply, block: &'a ReplyBlock, split: fn(&'a str) -> Vec<&'a str>) -> Vec<Raw> {
    let texts = |text: &'a str, thought: Option<bool>| -> Vec<Raw> {
        let part = |text| Object::default().with("text", text).given("thought", thought);
        split(text).into_iter().map(|text| part(text).end()).collect()
    };
    match block {
        ReplyBlock::Text { text, .. } => texts(text, None),
        ReplyBlock::Reasoning { text, .. } if !reply.shown.has_text || text.is_empty() => {
            Vec::new()
        }
        ReplyBlock::Reasoning { text, .. } => texts(text, Some(true)),
        ReplyBlock::Search { .. } => Vec::new(),
        ReplyBlock::Call { call_id, name, input, seal, .. } => {
            let call = Object::default().with("id", call_id).with("name", name);
            let part = Object::default().with("functionCall", call.with("args", input).end());
            vec![part.given("thoughtSignature", seal.as_ref()).end()]
        }
    }
}

fn generated(reply: &Reply, parts: &[Raw], finish_reason: Option<&str>) -> Raw {
    let content = Object::default().with("parts", parts).with("role", "model");
    let content = content.end();
    let candidates = (0..reply.choices).map(|index| {
        let candidate = Object::default().with("content", &content);
        let candidate = candidate.given("finishReason", finish_reason);
        candidate.with("index", index).end()
    });
    Object::default()
        .with("candidates", candidates.collect::<Vec<_>>())
        .with("usageMetadata", usage::gemini(reply))
        .with("modelVersion", &reply.model)
        .with("responseId", &reply.id)
        .end()
}

fn finish_reason(stop: &str) -> &'static str {
    match stop {
        "max_tokens" | "model_context_window_exceeded" => "MAX_TOKENS",
        "refusal" => "SAFETY",
        _ => "STOP",
    }
}
