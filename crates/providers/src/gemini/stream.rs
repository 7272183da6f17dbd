//! Reads streams from Gemini.
//!
//! Every event is a chunk with whole parts, and no event marks the end: the stream is complete once
//! it has a finish reason. The usage may come later, so `finish` emits the end.

mod received;

use serde_json::value::RawValue;

use aside_models::usage::Gemini;

use super::seal::SEAL;
use crate::blocks::Blocks;
use crate::error_body::ErrorBody;
use crate::event::{End, Event};
use crate::names::Names;
use crate::read::filled;
use crate::read_events::ReadEvents;
use crate::stop_reason::StopReason;
use crate::stream_error::{StreamError, StreamErrorKind, parse};
use crate::usage::ReportedUsage;

use self::received::{Candidate, Chunk, Part};

#[derive(Debug, Default)]
pub(crate) struct Reader {
    blocks: Blocks,
    /// The last finish reason.
    finish: Option<StopReason>,
    /// The reported usage: some servers report parts of it in later chunks.
    usage: Gemini,
}

impl Reader {
    /// Creates a reader for the response to one request, whose `names` it needs.
    pub(crate) fn new(names: Names) -> Self {
        Self { blocks: Blocks::new(names), ..Self::default() }
    }
}

impl ReadEvents for Reader {
    /// Returns true once the message start was emitted.
    fn has_begun(&self) -> bool {
        self.blocks.has_begun()
    }

    /// Reads the `data` in one event. `[DONE]` is ignored.
    ///
    /// # Errors
    ///
    /// When the data is malformed, is a provider error (also inside an array, when the stream was
    /// not requested as events), or has a finish reason without a response, such as
    /// `MALFORMED_FUNCTION_CALL`.
    fn event(&mut self, json: &str, out: &mut Vec<Event>) -> Result<(), StreamError> {
        // A stream that was not requested as events is one array.
        if json.trim_start().starts_with('[') {
            if let Some(error) = ErrorBody::in_json(json) {
                return Err(StreamError::new(StreamErrorKind::Provider(error)));
            }
            let chunks: Vec<&RawValue> = parse(json)?;
            return chunks.into_iter().try_for_each(|chunk| self.chunk(chunk.get(), out));
        }
        // Some proxies end it as OpenAI does.
        if json.trim() == "[DONE]" {
            return Ok(());
        }
        self.chunk(json, out)
    }

    /// Closes the blocks and emits the end.
    ///
    /// # Errors
    ///
    /// When no finish reason has arrived: the stream ended early.
    fn finish(&mut self, out: &mut Vec<Event>) -> Result<(), StreamError> {
        let Some(reason) = self.finish.take() else {
            return Err(StreamError::new(StreamErrorKind::Ended));
        };
        let usage = ReportedUsage::from(aside_models::Usage::from(&self.usage));
        let stop_reason = Some(reason);
        self.blocks.finish(End { stop_reason, usage, ..End::default() }, out);
        Ok(())
    }
}

impl Reader {
    /// Reads a chunk, which is an object.
    fn chunk(&mut self, json: &str, out: &mut Vec<Event>) -> Result<(), StreamError> {
        let chunk: Chunk<'_> = parse(json)?;
        if let Some(error) = chunk.error.filter(|error| error.get() != "null") {
            return Err(StreamError::of_provider(Some(error), json));
        }
        self.blocks.introduce(filled(&chunk.response_id), filled(&chunk.model_version), out);
        self.usage.update(chunk.usage_metadata.unwrap_or_default());
        if chunk.prompt_feedback.is_some_and(|it| filled(&it.block_reason).is_some()) {
            self.finish = Some(StopReason::Refusal);
        }
        let candidates = chunk.candidates.unwrap_or_default();
        if !candidates.is_empty() {
            self.blocks.begin_answer(out);
        }
        for candidate in candidates {
            // One candidate is requested, so ignore others.
            if candidate.index.unwrap_or(0) == 0 {
                self.candidate(candidate, out)?;
            }
        }
        Ok(())
    }

    /// Adds a candidate's parts and records its finish reason. An unknown reason becomes
    /// `StopReason::Other`; `FINISH_REASON_UNSPECIFIED` is none.
    fn candidate(
        &mut self,
        candidate: Candidate<'_>,
        out: &mut Vec<Event>,
    ) -> Result<(), StreamError> {
        let parts = candidate.content.and_then(|content| content.parts);
        for part in parts.into_iter().flatten() {
            self.part(part, out)?;
        }
        let Some(reason) = filled(&candidate.finish_reason) else {
            return Ok(());
        };
        self.finish = Some(match reason {
            "STOP" => StopReason::EndTurn,
            "MAX_TOKENS" => StopReason::MaxTokens,
            "SAFETY"
            | "RECITATION"
            | "LANGUAGE"
            | "BLOCKLIST"
            | "PROHIBITED_CONTENT"
            | "SPII"
            | "MODEL_ARMOR"
            | "IMAGE_SAFETY"
            | "IMAGE_PROHIBITED_CONTENT"
            | "IMAGE_RECITATION"
            | "ESCALATION"
            | "PUP_LIMITED_DISABLED" => StopReason::Refusal,
            // The model's output could not be parsed, so there is no response.
            "MALFORMED_FUNCTION_CALL"
            | "UNEXPECTED_TOOL_CALL"
            | "MALFORMED_RESPONSE"
            | "MISSING_THOUGHT_SIGNATURE"
            | "TOO_MANY_TOOL_CALLS" => {
                return Err(StreamError::new(StreamErrorKind::Provider(ErrorBody {
                    kind: Some(reason.to_owned()),
                    message: filled(&candidate.finish_message).unwrap_or_default().to_owned(),
                    ..ErrorBody::default()
                })));
            }
            "FINISH_REASON_UNSPECIFIED" => return Ok(()),
            _ => StopReason::Other(reason.to_owned()),
        });
        Ok(())
    }

    /// Adds a part. A signature stays with its part: a thought's goes in its block, any other
    /// part's in a sealed block before it, and when a part has no content, in a thinking block of
    /// its own.
    ///
    /// ```text
    /// {"functionCall":…,"thoughtSignature":"S"} → redacted_thinking "gemini:S", tool_use
    /// {"text":"","thoughtSignature":"S"}        → thinking "" with the signature "gemini:S"
    /// ```
    fn part(&mut self, part: Part<'_>, out: &mut Vec<Event>) -> Result<(), StreamError> {
        let seal = filled(&part.thought_signature).map(|seal| format!("{SEAL}{seal}"));
        let text = part.text.unwrap_or_default().0;
        if part.thought == Some(true) && part.function_call.is_none() {
            self.blocks.thinking(text, out)?;
            return match seal {
                Some(seal) => self.blocks.sign(&seal, out),
                None => Ok(()),
            };
        }
        match (seal, text.is_empty(), &part.function_call) {
            (Some(seal), true, None) => return self.blocks.signed(&seal, out),
            (Some(seal), ..) => self.blocks.sealed(&seal, out)?,
            (None, ..) => {}
        }
        self.blocks.text(text, out)?;
        if part.thought_signature.is_some() {
            self.blocks.end();
        }
        if let Some(call) = &part.function_call {
            let name = filled(&call.name)
                .ok_or_else(|| StreamError::malformed("expected the name of a called function"))?;
            let key = self.blocks.call(filled(&call.id), name, out)?;
            let input = call.args.map(RawValue::get).filter(|args| args.starts_with('{'));
            self.blocks.input(key, input.unwrap_or("{}"), out)?;
        }
        Ok(())
    }
}
