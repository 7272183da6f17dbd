//! The tool `Snip`, which names messages; the loop removes them from what is
//! sent.

use aside_agent::{Tool, ToolFuture, ToolOutput};
use aside_messages::wire::RawJson;
use serde::Deserialize;

use crate::definitions::SNIP;
use crate::implementations::described::described_by;
use crate::implementations::input;
use crate::refusal::Refusal;

/// How many messages a call may name.
const MAX_IDS: usize = 100;

/// Removes old messages from the context, by the ids that they end with. The
/// session has to give messages ids (`LowerOptions::tag_ids`).
///
/// Input: `ids`, at most 100, with or without `[id:…]` around them. The
/// messages stay in the conversation and are no longer sent. Each call
/// invalidates the prompt cache from the first of them on.
///
/// ```
/// use aside_agent::Tool;
/// use aside_messages::wire::RawJson;
/// use aside_tools::Snip;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let output = Snip.call(&RawJson::parse(r#"{"ids":["[id:x7k2m9]","b41fz0"]}"#)?).await;
/// assert_eq!(output.snipped, ["x7k2m9", "b41fz0"]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Snip;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Input {
    ids: Vec<String>,
}

impl Tool for Snip {
    described_by!(SNIP);

    fn call<'a>(&'a self, input: &'a RawJson) -> ToolFuture<'a> {
        let output = input::read(input).and_then(|input| snip(&input));
        Box::pin(std::future::ready(output.unwrap_or_else(Into::into)))
    }
}

/// Returns the ids in the session's form, without `[id:…]`.
fn snip(input: &Input) -> Result<ToolOutput, Refusal> {
    if input.ids.is_empty() {
        return Err(Refusal::new("ids", "no id is given"));
    }
    if input.ids.len() > MAX_IDS {
        return Err(Refusal::new("ids", format!("more than {MAX_IDS} ids")));
    }
    let tag = |id: &String| {
        let id = id.trim();
        let inner = id.strip_prefix("[id:").and_then(|id| id.strip_suffix(']'));
        inner.unwrap_or(id).to_owned()
    };
    Ok(ToolOutput {
        snipped: input.ids.iter().map(tag).collect(),
        ..ToolOutput::text("The messages are removed.")
    })
}
