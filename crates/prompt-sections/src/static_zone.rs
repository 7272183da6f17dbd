//! Aside's own texts for the static zone.
//!
//! The texts are the `.md` files next to this one. They cannot depend on a
//! session: a section gets `StaticInputs` only.

mod using_tools;

use crate::name::names;
use crate::product::{CodingInstructions, StaticInputs};
use crate::section::{Section, static_section};

pub(crate) fn sections() -> [Section; 7] {
    [
        static_section(names::INTRO, intro),
        static_section(names::SYSTEM_RULES, |it| {
            fill(include_str!("static_zone/system_rules.md"), it)
        }),
        static_section(names::DOING_TASKS, doing_tasks),
        static_section(names::ACTIONS, |it| fill(include_str!("static_zone/actions.md"), it)),
        static_section(names::USING_TOOLS, using_tools::text),
        static_section(names::TONE_AND_STYLE, |it| {
            fill(include_str!("static_zone/tone_and_style.md"), it)
        }),
        static_section(names::OUTPUT_EFFICIENCY, |it| {
            fill(include_str!("static_zone/output_efficiency.md"), it)
        }),
    ]
}

/// Refers to the output style if that replaces the instructions for coding.
fn intro(inputs: &StaticInputs) -> Option<String> {
    fill(
        match inputs.coding {
            CodingInstructions::Included => include_str!("static_zone/intro.md"),
            CodingInstructions::Replaced => include_str!("static_zone/intro_replaced.md"),
        },
        inputs,
    )
}

/// Absent if an output style replaces the instructions for coding.
fn doing_tasks(inputs: &StaticInputs) -> Option<String> {
    match inputs.coding {
        CodingInstructions::Included => fill(include_str!("static_zone/doing_tasks.md"), inputs),
        CodingInstructions::Replaced => None,
    }
}

/// Fills in `{product}`, and trims white space at the end.
fn fill(text: &str, inputs: &StaticInputs) -> Option<String> {
    Some(text.trim_end().replace("{product}", inputs.product.name))
}
