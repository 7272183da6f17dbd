use std::fmt;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

use aside_messages::wire::{self, ContentBlock, RawJson};
use aside_models::UsageSum;
use aside_session::FileRead;

/// A tool that the model can call.
///
/// It may be called many times concurrently. When you drop a call's future, the
/// call ends as soon as possible.
pub trait Tool: fmt::Debug + Send + Sync {
    /// Returns the name by which the model calls it: `[a-zA-Z0-9_-]{1,64}`.
    fn name(&self) -> &str;

    /// Returns its description for the model.
    fn description(&self) -> &str;

    /// Returns the JSON Schema for its input, an object.
    fn input_schema(&self) -> RawJson;

    /// Calls the tool with a JSON object, exactly as the model wrote it. A
    /// faulty input, like every other failure, is reported to the model.
    fn call<'a>(&'a self, input: &'a RawJson) -> ToolFuture<'a>;

    /// Returns the file that a call would read or change, if it is about one.
    /// Calls in a response run concurrently, except that those for the same file
    /// run in order if one of them changes it.
    fn file(&self, _input: &RawJson) -> Option<FileUse> {
        None
    }

    /// Returns true if an interrupted call may run again: it changes nothing, or the same again.
    /// Any other call is not run twice: the model gets an error that says that it may have taken
    /// effect. By default, this is false.
    fn is_repeatable(&self) -> bool {
        false
    }

    /// Returns the definition for the request.
    fn definition(&self) -> wire::Tool {
        wire::Tool::new(self.name(), self.description(), self.input_schema())
    }
}

/// The file that a call is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileUse {
    /// Its absolute path, the same for every spelling of it.
    pub path: PathBuf,
    /// False if the call only reads it.
    pub is_changed: bool,
}

/// A call to a [`Tool`].
pub type ToolFuture<'a> = Pin<Box<dyn Future<Output = ToolOutput> + Send + 'a>>;

/// What a call returns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolOutput {
    /// What the model gets: text, images, documents.
    pub content: Vec<ContentBlock>,
    /// True if the call failed; the content says why.
    pub is_error: bool,
    /// The files whose text is in the content.
    pub read: Vec<FileRead>,
    /// Tags of messages to stop sending
    /// ([`EntryId::tag`](aside_messages::conversation::EntryId::tag)). If one
    /// of them cannot be removed, none is, and the model gets an error.
    pub snipped: Vec<String>,
    /// What the call's own requests used, to add to the
    /// [`RunReport`](crate::RunReport); `None` if it sent none.
    pub delegated: Option<UsageSum>,
}

impl ToolOutput {
    /// Creates an output with a text.
    #[must_use]
    pub fn text(text: impl Into<Arc<str>>) -> Self {
        Self { content: vec![ContentBlock::text(text)], ..Self::default() }
    }

    /// Creates a failed call's output, with the reason.
    #[must_use]
    pub fn error(why: impl Into<Arc<str>>) -> Self {
        Self { is_error: true, ..Self::text(why) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns its input.
    #[derive(Debug)]
    struct Echo;

    impl Tool for Echo {
        fn name(&self) -> &str {
            "Echo"
        }

        fn description(&self) -> &str {
            "Says it again."
        }

        fn input_schema(&self) -> RawJson {
            RawJson::parse(r#"{"type":"object"}"#).unwrap()
        }

        fn call<'a>(&'a self, input: &'a RawJson) -> ToolFuture<'a> {
            Box::pin(async move { ToolOutput::text(input.get()) })
        }
    }

    #[tokio::test]
    async fn a_tool_is_an_object() {
        let tool: Box<dyn Tool> = Box::new(Echo);
        let definition = serde_json::to_string(&tool.definition()).unwrap();
        assert_eq!(
            definition,
            r#"{"name":"Echo","description":"Says it again.","input_schema":{"type":"object"}}"#
        );
        let output = tool.call(&RawJson::parse("{ }").unwrap()).await;
        assert_eq!(output, ToolOutput::text("{ }"));
    }
}
