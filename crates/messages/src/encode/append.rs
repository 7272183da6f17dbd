//! Appending to encoded JSON: a block's or a reminder's bytes are inserted at a
//! measured position, and nothing else is written again.

use std::ops::Range;

use aside_json::{escape, escaped_len};

use super::encoded::Encoded;
use super::measure::Measure;
use super::written::EncodedBlock;
use crate::layer::Layer;
use crate::source::Source;
use crate::wire::{ContentBlock, JoinedReminders, ResultContent, Target};

/// JSON to insert into a message, with its position.
struct Insertion {
    /// The block that it is in, or that it is, by index.
    block: usize,
    /// The byte in the message to insert before.
    at: usize,
    /// The bytes to insert, with the comma or the key before them.
    json: Vec<u8>,
    /// Where in `json` the text begins.
    text: usize,
}

impl Encoded {
    /// Returns a copy of the message with reminders appended at `target`. The
    /// block there becomes volatile. Only the reminders are encoded; the rest
    /// is copied.
    ///
    /// `sources` are the reminders'.
    pub(crate) fn with_reminders(
        &self,
        target: Target,
        reminders: &JoinedReminders,
        sources: impl Iterator<Item = Source>,
    ) -> Self {
        let message = self.as_message().expect("only messages have reminders");
        let insertion = self
            .insertion(target, &message.content, &reminders.text)
            .expect("the target is in the message");
        let mut position = insertion.at + insertion.text;
        let pieces = reminders
            .ranges
            .iter()
            .zip(sources)
            .map(|(range, source)| {
                let start = position;
                position += escaped_len(&reminders.text[range.clone()]);
                (source, start..position)
            })
            .collect();
        let mut message = message.clone();
        target.append(&mut message.content, &reminders.text);
        let (bytes, blocks) = self.insert(&insertion, pieces);
        Self::message_of_bytes(bytes, message, blocks)
    }

    /// Returns `None` if the message does not have the target.
    ///
    /// The position is measured from the block's end, to avoid reading the text
    /// before it.
    fn insertion(&self, target: Target, message: &[ContentBlock], text: &str) -> Option<Insertion> {
        let measure = |block: usize| {
            let end = self.blocks().get(block)?.range.end;
            Some(Measure::new(message.get(block)?, end))
        };
        match target {
            Target::Text { block, content } => {
                let at = measure(block)?.closing_quote(content)?;
                let mut json = Vec::new();
                escape(&mut json, text);
                Some(Insertion { block, at, json, text: 0 })
            }
            Target::NewContent { block } => {
                let at = measure(block)?.content_end();
                let (before, after) = if lacks_content(&message[block]) {
                    (",\"content\":[", "]")
                } else {
                    (",", "")
                };
                Some(Insertion::text_block(block, at, text, before, after))
            }
            Target::NewBlock => {
                let last = self.blocks().last()?;
                let (block, at) = (self.blocks().len(), last.range.end);
                Some(Insertion::text_block(block, at, text, ",", ""))
            }
        }
    }

    /// Returns the new bytes and the blocks with their ranges moved. A reminder
    /// is inserted before the last text's closing quote:
    ///
    /// ```text
    /// {"role":"user","content":[{"type":"text","text":"Hi"}]}
    ///                                                    ^ at
    /// ```
    fn insert(
        &self,
        insertion: &Insertion,
        pieces: Vec<(Source, Range<usize>)>,
    ) -> (Vec<u8>, Vec<EncodedBlock>) {
        let Insertion { block, at, json, .. } = insertion;
        let (before, after) = self.bytes().split_at(*at);
        let mut blocks = self.blocks().to_vec();
        for later in blocks.iter_mut().skip(block + 1) {
            later.shift(json.len());
        }
        match blocks.get_mut(*block) {
            Some(grown) => grown.grow(*at, json.len(), pieces),
            None => blocks.push(EncodedBlock {
                // Without the comma.
                range: at + 1..at + json.len(),
                layer: Layer::Conversation,
                volatile: true,
                turn_scoped: false,
                is_markable: true,
                marker: None,
                owner: pieces.first().map_or(Source::Envelope, |(source, _)| source.clone()),
                pieces,
            }),
        }
        ([before, json, after].concat(), blocks)
    }
}

impl EncodedBlock {
    /// Moves the block and its pieces by the bytes inserted before it.
    fn shift(&mut self, by: usize) {
        let pieces = self.pieces.iter_mut().map(|(_, range)| range);
        for range in pieces.chain([&mut self.range]) {
            *range = range.start + by..range.end + by;
        }
    }

    /// Makes room for bytes with these sources.
    fn grow(&mut self, at: usize, by: usize, pieces: Vec<(Source, Range<usize>)>) {
        self.volatile = true;
        self.range.end += by;
        let after = self.pieces.partition_point(|(_, range)| range.start < at);
        for (_, range) in &mut self.pieces[after..] {
            *range = range.start + by..range.end + by;
        }
        self.pieces.splice(after..after, pieces);
    }
}

impl Insertion {
    /// `before` and `after` are the JSON around the block: a comma, or the key
    /// and the brackets of a missing content.
    fn text_block(block: usize, at: usize, text: &str, before: &str, after: &str) -> Self {
        let start = format!("{before}{{\"type\":\"text\",\"text\":\"");
        let at_text = start.len();
        let mut json = start.into_bytes();
        escape(&mut json, text);
        json.extend_from_slice(b"\"}");
        json.extend_from_slice(after.as_bytes());
        Self { block, at, json, text: at_text }
    }
}

/// Returns true for a tool result written without the key `content`.
fn lacks_content(block: &ContentBlock) -> bool {
    matches!(block, ContentBlock::ToolResult(result) if result.content == ResultContent::default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Message, append_reminders};

    /// Appends reminders to a message's bytes, and compares these with the
    /// bytes of a message that had them from the start.
    #[track_caller]
    fn check(content: &str) {
        let bodies = ["one \"é\"", "two"];
        let json = format!(r#"{{"role":"user","content":{content}}}"#);
        let message = Message::parse(json.as_bytes()).expect("valid JSON").value;
        let target = Target::find(message.content.iter(), |_, _| true);
        let source = |id: &str| Source::Reminder { id: id.into() };
        let appended = Encoded::message(message.clone(), Vec::new()).with_reminders(
            target,
            &target.join(bodies.iter()),
            bodies.iter().map(|body| source(body)),
        );
        let mut expected = message.clone();
        append_reminders(&mut expected, &bodies);
        let expected = Encoded::message(expected, Vec::new());
        let text = |encoded: &Encoded| String::from_utf8(encoded.bytes().to_vec()).expect("UTF-8");
        assert_eq!(text(&appended), text(&expected));
        assert_eq!(appended.as_message(), expected.as_message());
        let ranges = |encoded: &Encoded| -> Vec<_> {
            encoded.blocks().iter().map(|it| it.range.clone()).collect()
        };
        assert_eq!(ranges(&appended), ranges(&expected));
        for (body, reminder) in bodies.iter().zip([r#"one \"é\""#, "two"]) {
            let of_body = (0..appended.bytes().len())
                .filter(|at| *appended.source_at(*at) == source(body))
                .map(|at| appended.bytes()[at])
                .collect();
            let of_body = String::from_utf8(of_body).expect("UTF-8");
            let expected = format!("<system-reminder>\\n{reminder}\\n</system-reminder>");
            // A new block is the first reminder's, braces included.
            assert!(of_body.contains(&expected), "{of_body}");
        }
    }

    #[test]
    fn reminders_are_inserted_where_they_are_encoded() {
        check(r#"[{"type":"text","text":"a\n"}]"#);
        check(
            r#"[{"type":"text","text":"a","citations":["\""],"x":"y"},{"type":"image","source":{"type":"url","url":"u"}}]"#,
        );
        check(r#"[{"type":"tool_result","tool_use_id":"1","content":"out"}]"#);
        check(r#"[{"type":"tool_result","tool_use_id":"1"}]"#);
        check(r#"[{"type":"tool_result","tool_use_id":"\n","is_error":true,"x":1}]"#);
        let image = r#"{"type":"image","source":{"type":"url","url":"u"}}"#;
        let text = r#"{"type":"text","text":"t\t","citations":[]}"#;
        let reference = r#"{"type":"tool_reference","tool_name":"t"}"#;
        for content in [image, &format!("{image},{text}"), &format!("{text},{image},{image}")] {
            for rest in ["", r#","is_error":false"#, r#","x":"y""#] {
                let result = format!(
                    r#"{{"type":"tool_result","tool_use_id":"1","content":[{content}]{rest}}}"#
                );
                check(&format!("[{result}]"));
                check(&format!("[{image},{result},{image}]"));
            }
        }
        check(&format!(r#"[{image}]"#));
        check(&format!(r#"[{{"type":"tool_result","tool_use_id":"1","content":[{reference}]}}]"#));
    }
}
