//! What the user or the operator chose for every session of a project.

use serde::{Deserialize, Serialize};

use super::DynamicSection;
use crate::name::names;
use crate::outside_text::OutsideText;
use crate::segment::Lifetime;

/// Instructions for one model: the input to the `model_override` section.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelOverride {
    /// The instructions.
    pub text: OutsideText,
}

/// Which language to respond in: the input to the `language` section.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Language {
    /// The language as the user names it, such as `Deutsch` or `Brazilian
    /// Portuguese`.
    pub name: OutsideText,
}

/// The output style that the user chose: the input to the `output_style`
/// section.
///
/// [`CodingInstructions`](crate::CodingInstructions) decides whether it
/// replaces the coding instructions, since that changes the static zone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutputStyle {
    /// The style's name.
    pub name: OutsideText,
    /// The style's text.
    pub instructions: OutsideText,
}

/// The user's wish for brief responses: the input to the `brief` section.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Brief;

impl DynamicSection for ModelOverride {
    const NAME: &'static str = names::MODEL_OVERRIDE;
    const LIFETIME: Lifetime = Lifetime::Project;

    fn render(&self) -> Option<String> {
        Some(self.text.neutralized().into_owned())
    }
}

impl DynamicSection for Language {
    const NAME: &'static str = names::LANGUAGE;
    const LIFETIME: Lifetime = Lifetime::Project;

    fn render(&self) -> Option<String> {
        (!self.name.is_blank()).then(|| {
            format!(
                "# Language\nWrite to the user in this language: {}. The content of the project, such as code, comments, documentation and commit messages, stays in the language of the project; technical terms, names and quotations stay as they are.",
                OutsideText::from(self.name.raw().trim()).one_line()
            )
        })
    }
}

impl DynamicSection for OutputStyle {
    const NAME: &'static str = names::OUTPUT_STYLE;
    const LIFETIME: Lifetime = Lifetime::Project;

    fn render(&self) -> Option<String> {
        (!self.instructions.is_blank()).then(|| {
            format!(
                "# Output style: {}\nThe user chose this style. If it differs from the advice above on tone or length, follow the style.\n\n{}",
                self.name.one_line(),
                self.instructions.neutralized().trim()
            )
        })
    }
}

impl DynamicSection for Brief {
    const NAME: &'static str = names::BRIEF;
    const LIFETIME: Lifetime = Lifetime::Project;

    fn render(&self) -> Option<String> {
        Some(
            "# Brief answers\nThe user asked for brief answers: state the result in one to three sentences. Write nothing while you work, unless you need an answer or are about to do something that cannot be undone. Explain only when asked."
                .to_owned(),
        )
    }
}
