//! What happens to tool results as a conversation grows.

use serde::{Deserialize, Serialize};

use super::DynamicSection;
use crate::name::names;
use crate::segment::Lifetime;

/// Older tool results are cleared: the input to the `function_result_clearing`
/// section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FunctionResultClearing {
    /// How many of the latest results always stay.
    pub kept: u32,
}

/// A request to write down what matters in tool results: the input to the
/// `summarise_tool_results` section.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SummariseToolResults;

impl DynamicSection for FunctionResultClearing {
    const NAME: &'static str = names::FUNCTION_RESULT_CLEARING;
    const LIFETIME: Lifetime = Lifetime::Project;

    fn render(&self) -> Option<String> {
        let stay = match self.kept {
            0 => "None is certain to stay.".to_owned(),
            1 => "The latest one always stays.".to_owned(),
            kept => format!("The {kept} latest ones always stay."),
        };
        Some(format!(
            "# Clearing of tool results\nTo make room, older tool results are removed from this conversation. {stay} A call whose result was removed did take place; repeat it if you need the result."
        ))
    }
}

impl DynamicSection for SummariseToolResults {
    const NAME: &'static str = names::SUMMARISE_TOOL_RESULTS;
    const LIFETIME: Lifetime = Lifetime::Project;

    fn render(&self) -> Option<String> {
        Some(
            "# Notes on tool results\nA tool result may be removed before you need it again. If a result contains something that matters later, such as a path, a figure, an error or a signature, write it down in your next message."
                .to_owned(),
        )
    }
}
