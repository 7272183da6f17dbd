//! Edits of the context.

use super::super::shape::{Kind, Shape, Union, gated, nullable, optional, required, variant};
use super::super::table::{CLEAR_THINKING_BETA, EDITING_BETA, THRESHOLD_BETA};
use super::{NONE, TEXTS};

pub(super) const CONTEXT_MANAGEMENT: Shape = Shape {
    keys: &[optional("edits", Kind::List(&Kind::Tagged(&EDITS)))],
};

const EDITS: Union = Union {
    what: "context edit",
    untagged: None,
    is_of_blocks: false,
    variants: &[
        gated(
            "clear_tool_uses_20250919",
            &Shape {
                keys: &[
                    optional("trigger", Kind::Tagged(&TRIGGERS)),
                    optional("keep", Kind::Tagged(&TOOL_USES)),
                    nullable("clear_at_least", Kind::Tagged(&INPUT_TOKENS)),
                    nullable("exclude_tools", TEXTS),
                    nullable("clear_tool_inputs", Kind::Either(&[Kind::Bool, TEXTS])),
                ],
            },
            &EDITING_BETA,
        ),
        gated(
            "clear_thinking_20251015",
            &Shape {
                keys: &[optional(
                    "keep",
                    Kind::Either(&[Kind::Literal(&["all"]), Kind::Tagged(&TURNS)]),
                )],
            },
            &CLEAR_THINKING_BETA,
        ),
        gated(
            "compact_20260112",
            &Shape {
                keys: &[
                    nullable("trigger", Kind::Tagged(&INPUT_TOKENS)),
                    optional("pause_after_compaction", Kind::Bool),
                    nullable("instructions", Kind::Text),
                ],
            },
            &THRESHOLD_BETA,
        ),
    ],
};

const VALUE: Shape = Shape {
    keys: &[required("value", Kind::Integer(0))],
};

const INPUT_TOKENS: Union = Union {
    what: "number of tokens",
    untagged: None,
    is_of_blocks: false,
    variants: &[variant("input_tokens", &VALUE)],
};

const TOOL_USES: Union = Union {
    what: "number of tool uses",
    untagged: None,
    is_of_blocks: false,
    variants: &[variant("tool_uses", &VALUE)],
};

const TRIGGERS: Union = Union {
    what: "trigger",
    untagged: None,
    is_of_blocks: false,
    variants: &[
        variant("input_tokens", &VALUE),
        variant("tool_uses", &VALUE),
    ],
};

const TURNS: Union = Union {
    what: "number of turns",
    untagged: None,
    is_of_blocks: false,
    variants: &[variant("thinking_turns", &VALUE), variant("all", &NONE)],
};
