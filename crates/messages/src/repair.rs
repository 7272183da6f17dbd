//! What lowering repaired, as typed values and as diagnostics.

use std::fmt;

use crate::conversation::EntryId;
use crate::kinds;
use crate::source::Source;
use crate::wire::ReadRepair;

/// A change that lowering made to get the request accepted, reported as a
/// diagnostic.
///
/// Each is reported once per conversation, in the order in which lowering finds
/// them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Repair {
    /// Part of the conversation had a cache marker, which was removed: each
    /// request's markers are chosen again.
    Marker {
        /// The entry's id.
        entry: EntryId,
        /// The part's index in the entry.
        part: usize,
    },
    /// A tool call's input is not a JSON object, because the stream broke off;
    /// it was sent as `{}`.
    ToolInput {
        /// The call's id.
        tool_use_id: String,
        /// The syntax error, or the invalid value.
        found: String,
    },
    /// A tool call's input has half of a surrogate pair, or a key twice.
    InputValue {
        /// The call's id.
        tool_use_id: String,
        /// The repair, by its path in the input.
        repair: ReadRepair,
    },
    /// Thinking was left out, because another model produced it, or because it
    /// has no signature, as at the end of a response that broke off.
    Thinking {
        /// Where the block comes from.
        source: Source,
    },
    /// A result names a tool that is not offered; the reference became text.
    ToolReference {
        /// The id of the call that the result belongs to.
        tool_use_id: String,
        /// The tool's name.
        tool: String,
    },
    /// A note replaces a document that the API does not accept.
    Document {
        /// The part with the document, or with its result.
        source: Source,
    },
    /// The API's own summary was sent as text, or left out if it cannot be read: the
    /// model does not accept the `compaction` block.
    Compaction {
        /// The entry with the block.
        source: Source,
        /// True if the summary can be read.
        is_readable: bool,
    },
    /// A call without a result; a result that reports this was added.
    MissingResult {
        /// The call's id.
        tool_use_id: String,
    },
    /// A result was left out, because no call in the preceding response has its
    /// id or it is a second one.
    StrayResult {
        /// The call id that the result names.
        tool_use_id: String,
    },
    /// A call was left out, because an earlier call has its id or because it is
    /// not in a message by the model.
    StrayCall {
        /// The call's id.
        tool_use_id: String,
    },
    /// A call that the provider had not finished was left out, because the user
    /// continued before the paused response did.
    PendingCall {
        /// The call's id.
        tool_use_id: String,
    },
    /// A failed tool's result held more than text.
    ErrorContent {
        /// The call's id.
        tool_use_id: String,
        /// The types of blocks that were left out.
        left_out: Vec<String>,
    },
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Marker { entry, part } => {
                write!(f, "part {part} of entry {entry}: a cache marker was taken off")
            }
            Self::ToolInput { tool_use_id, found } => write!(
                f,
                "tool call {}: the input is not a JSON object ({}), sent as {{}}",
                tool_use_id.escape_debug(),
                found.escape_debug()
            ),
            Self::InputValue { tool_use_id, repair } => {
                let repair = repair.clone().inside("input");
                write!(f, "tool call {}: {repair}", tool_use_id.escape_debug())
            }
            Self::Thinking { source } => {
                write!(f, "{source}: thinking was left out, which cannot be sent there")
            }
            Self::ToolReference { tool_use_id, tool } => write!(
                f,
                "the result of tool call {}: the tool {} is not offered, its reference became text",
                tool_use_id.escape_debug(),
                tool.escape_debug()
            ),
            Self::Document { source } => {
                write!(
                    f,
                    "{source}: the model takes documents in plain text only, a note replaces this one"
                )
            }
            Self::Compaction { source, is_readable: true } => {
                write!(
                    f,
                    "{source}: the model takes no compaction block, its summary is sent as text"
                )
            }
            Self::Compaction { source, is_readable: false } => write!(
                f,
                "{source}: the model takes no compaction block, and its summary cannot be read: left out"
            ),
            Self::MissingResult { tool_use_id } => write!(
                f,
                "tool call {}: no result, an error result was added",
                tool_use_id.escape_debug()
            ),
            Self::StrayResult { tool_use_id } => write!(
                f,
                "the result of tool call {}: no such call in the answer before it, left out",
                tool_use_id.escape_debug()
            ),
            Self::StrayCall { tool_use_id } => write!(
                f,
                "tool call {}: the id was used before, or the call is not the model's; left out",
                tool_use_id.escape_debug()
            ),
            Self::PendingCall { tool_use_id } => write!(
                f,
                "tool call {}: the API had not finished it when the user continued, left out",
                tool_use_id.escape_debug()
            ),
            Self::ErrorContent { tool_use_id, left_out } => write!(
                f,
                "the result of tool call {}: it failed and can only hold text, left out: {}",
                tool_use_id.escape_debug(),
                left_out.join(", ").escape_debug()
            ),
        }
    }
}

impl From<&Repair> for aside_diagnostic::Diagnostic {
    fn from(diagnostic: &Repair) -> Self {
        let kind = match diagnostic {
            Repair::InputValue { repair, .. } => repair.kind(),
            Repair::Marker { .. } => kinds::MARKER,
            Repair::ToolInput { .. } => kinds::TOOL_INPUT,
            Repair::Thinking { .. } => kinds::THINKING,
            Repair::ToolReference { .. } => kinds::TOOL_REFERENCE,
            Repair::Document { .. } => kinds::DOCUMENT,
            Repair::Compaction { .. } => kinds::COMPACTION_BLOCK,
            Repair::MissingResult { .. } => kinds::MISSING_RESULT,
            Repair::StrayResult { .. } => kinds::STRAY_RESULT,
            Repair::StrayCall { .. } | Repair::PendingCall { .. } => kinds::STRAY_CALL,
            Repair::ErrorContent { .. } => kinds::ERROR_CONTENT,
        };
        kind.diagnostic(diagnostic)
    }
}
