//! Files that only some wires take: documents other than PDF, and files at an address.
//!
//! ```text
//! {"type":"base64","media_type":"text/csv","data":"YSxi"}    {"type":"text","media_type":"text/plain","data":"a,b"}
//! {"type":"base64","media_type":"audio/wav","data":"UklG"}   left out, on the Messages API
//! {"type":"url","url":"gs://bucket/a.pdf"}                   left out, but on Gemini's wire
//! {"type":"url","url":"https://example.com/a.pdf"}           left out, if the provider takes no address
//! ```

use aside_messages::history::NO_CONTENT;
use aside_messages::wire::{ContentBlock, Document, MediaSource, Message, ResultContent, Role};
use aside_models::Wire;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::capabilities::Capabilities;
use crate::gemini::is_googles;
use crate::loss::{ConversionLoss, Reason};
use crate::result_text::is_other_file;
use crate::sources::{Sources, retain};

/// Reads text in base64, unless the wire takes it as a file, and leaves out what the provider would
/// refuse or cannot get. An address in the Messages API's own form stays: it is yours to correct.
pub(super) fn files(
    messages: &mut [Message],
    sources: &mut Sources,
    wire: Wire,
    capabilities: &Capabilities,
    losses: &mut Vec<ConversionLoss>,
) {
    let takes_file = |it: &Document| match wire {
        Wire::GenerateContent => capabilities.documents,
        Wire::Responses => capabilities.documents && it.title.is_some(),
        _ => false,
    };
    let read = |block: &mut ContentBlock| {
        if let ContentBlock::Document(document) = block
            && !takes_file(document)
            && let Some(text) = text(&document.source)
        {
            let media_type = "text/plain".to_owned();
            document.source = MediaSource::Text { media_type, data: text.into() };
        }
    };
    let is_foreign = sources.wire != Wire::Messages;
    let lost = |block: &ContentBlock| {
        let (source, taken) = match block {
            ContentBlock::Document(it) if is_other_file(it) && wire == Wire::Messages => {
                return Some(Reason::OtherFile);
            }
            ContentBlock::Document(it) => (&it.source, capabilities.document_sources),
            ContentBlock::Image(it) => (&it.source, capabilities.image_sources),
            _ => return None,
        };
        match source {
            MediaSource::Url { url } if is_googles(url) && wire != Wire::GenerateContent => {
                Some(Reason::GoogleFile)
            }
            MediaSource::Url { .. } if is_foreign && !taken.url => Some(Reason::NoAddress),
            _ => None,
        }
    };
    for (index, message) in messages.iter_mut().enumerate() {
        for (place, block) in message.content.iter_mut().enumerate() {
            read(block);
            let ContentBlock::ToolResult(result) = block else { continue };
            let ResultContent::Blocks(blocks) = &mut result.content else { continue };
            blocks.iter_mut().for_each(read);
            let (mut inner, before) = (0.., blocks.len());
            blocks.retain(|block| {
                let inner = inner.next().unwrap_or_default();
                let path = format!("messages[{index}].content[{place}].content[{inner}]");
                let lost = lost(block);
                losses.extend(lost.map(|reason| reason.at(sources.path(&path))));
                lost.is_none()
            });
            if blocks.len() < before {
                let path = sources.path(&format!("messages[{index}].content[{place}]"));
                sources.outputs.remove(&path);
            }
        }
    }
    retain(messages, &mut sources.messages, |_, block, path| {
        let lost = lost(block);
        losses.extend(lost.map(|reason| reason.at(path)));
        lost.is_none()
    });
    for message in messages {
        if message.role == Role::User && message.content.is_empty() {
            message.content.push(ContentBlock::text(NO_CONTENT));
        }
    }
}

/// Returns the text of a text file in base64.
fn text(source: &MediaSource) -> Option<String> {
    let MediaSource::Base64 { media_type, data } = source else {
        return None;
    };
    let bytes = media_type.starts_with("text/").then(|| STANDARD.decode(&**data).ok());
    String::from_utf8(bytes.flatten()?).ok()
}
