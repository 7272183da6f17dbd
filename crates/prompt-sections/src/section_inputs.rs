//! Inputs for the sections that a harness fills.

use std::future;

use serde::{Deserialize, Serialize};

use crate::dynamic_zone::{
    Attendance, Brief, DynamicSection, FunctionResultClearing, ModelOverride, Scratchpad,
    SummariseToolResults, TokenBudget,
};
use crate::error::SectionError;
use crate::outside_text::OutsideText;
use crate::registry::Registry;

/// Declares the inputs. A row has the section's name, the type, an example and
/// the section's value.
macro_rules! inputs {
    ($($(#[$doc:meta])* $name:ident: $input:ty = $example:expr, $value:expr;)+) => {
        /// What only the harness knows for the sections in the default system
        /// prompt. A section without its input is omitted.
        ///
        /// The texts are computed when the session opens, and again after a
        /// compaction or a clear.
        ///
        /// A minor version may add fields: end yours with `..Default::default()`.
        #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(default, deny_unknown_fields)]
        pub struct SectionInputs {
            /// Whether the user is present to answer.
            pub attendance: Option<Attendance>,
            /// The tools that are switched off in this session, by name.
            pub missing_tools: Vec<String>,
            $($(#[$doc])* pub $name: $input,)+
        }

        impl SectionInputs {
            /// The sections that need no other value than their input, which
            /// has the section's name.
            pub const SECTIONS: [&str; [$(stringify!($name)),+].len()] = [$(stringify!($name)),+];

            /// Returns the sections of [`Self::SECTIONS`] that these inputs fill.
            pub fn given(&self) -> impl Iterator<Item = &'static str> + use<> {
                let unset = Self::default();
                let given = [$((stringify!($name), self.$name != unset.$name)),+];
                given.into_iter().filter_map(|(name, is_given)| is_given.then_some(name))
            }

            /// Returns inputs that fill every section, for examples and tests.
            #[must_use]
            pub fn example() -> Self {
                Self {
                    attendance: Some(Attendance::Unattended),
                    missing_tools: vec!["WebSearch".to_owned()],
                    $($name: $example,)+
                }
            }
        }

        impl Registry {
            /// Sets the values for [`SectionInputs::SECTIONS`]. `inputs` is
            /// called each time that a section is computed.
            ///
            /// # Errors
            ///
            /// A static section has one of these names.
            pub fn provide_inputs(
                &mut self,
                inputs: impl Fn() -> SectionInputs + Clone + Send + Sync + 'static,
            ) -> Result<(), SectionError> {
                $(provide(self, inputs.clone(), |inputs| $value(inputs.$name))?;)+
                Ok(())
            }
        }
    };
}

inputs! {
    /// Instructions for the model in use, such as how to avoid one of its
    /// habits.
    model_override: Option<String> = Some("One sentence.".to_owned()),
        |text| filled(text).map(|text| ModelOverride { text });
    /// The absolute path of the session's directory for temporary files.
    scratchpad: Option<String> = Some("/scratch".to_owned()),
        |path| filled(path).map(|path| Scratchpad { path });
    /// How many of the latest tool results stay, if the harness clears older
    /// ones.
    function_result_clearing: Option<FunctionResultClearing> =
        Some(FunctionResultClearing { kept: 3 }), |clearing| clearing;
    /// Whether to ask the model to write down what matters in tool results.
    summarise_tool_results: bool = true, |is_set: bool| is_set.then_some(SummariseToolResults);
    /// How many output tokens the task may use.
    token_budget: Option<u64> = Some(1),
        |tokens: Option<u64>| tokens.map(|tokens| TokenBudget { tokens });
    /// Whether the user asked for brief responses.
    brief: bool = true, |is_set: bool| is_set.then_some(Brief);
}

/// Registers one section. Its value is read when the section is computed.
fn provide<T: DynamicSection>(
    registry: &mut Registry,
    inputs: impl Fn() -> SectionInputs + Send + Sync + 'static,
    value: fn(SectionInputs) -> Option<T>,
) -> Result<(), SectionError> {
    registry.provide_with(move || future::ready(Ok(value(inputs()))))
}

/// White space counts as no text.
fn filled(text: Option<String>) -> Option<OutsideText> {
    let text = text.map(|text| OutsideText::from(text.as_str()));
    text.filter(|text| !text.is_blank())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::product::{ASIDE, BuiltinTools, CodingInstructions, StaticInputs};

    #[test]
    fn an_input_has_the_name_of_a_default_section() {
        let mut registry = Registry::standard(StaticInputs {
            product: &ASIDE,
            tools: BuiltinTools::NONE,
            coding: CodingInstructions::Included,
        });
        let names = |registry: &Registry| {
            let sections = registry.list().into_iter().map(|section| section.name);
            sections.collect::<Vec<_>>()
        };
        let before = names(&registry);
        registry.provide_inputs(SectionInputs::example).unwrap();
        assert_eq!(names(&registry), before);
        for name in SectionInputs::SECTIONS {
            assert!(before.iter().any(|section| section == name), "{name}");
        }
    }
}
