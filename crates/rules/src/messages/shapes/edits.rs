//! Edits of the context, `context_management`.
//!
//! ```json
//! {"edits": [{"type": "clear_tool_uses_20250919",
//!   "trigger": {"type": "input_tokens", "value": 100000},
//!   "keep": {"type": "tool_uses", "value": 3},
//!   "clear_at_least": {"type": "input_tokens", "value": 5000},
//!   "exclude_tools": ["web_search"], "clear_tool_inputs": false}]}
//! ```
//!
//! Every key of an edit is optional. The defaults of this one are the trigger
//! and the number to keep above (documented).

use super::super::shape::{Kind, Shape, Union, gated, nullable, optional, required, variant};
use super::{NONE, TEXTS};
use crate::table::{CLEAR_THINKING_BETA, EDITING_BETA, THRESHOLD_BETA};

/// An empty list edits nothing.
pub(super) const CONTEXT_MANAGEMENT: Shape = Shape {
    keys: &[optional("edits", Kind::List(&Kind::Tagged(&EDITS)))],
};

/// Three edits, each with its own beta: tool uses are cleared with that of
/// context management or of compaction by threshold, thinking with the former,
/// and a compaction needs the latter.
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

/// `{"type":"input_tokens","value":50000}`, with the type as the unit.
const VALUE: Shape = Shape {
    keys: &[required("value", Kind::Integer(0))],
};

/// A number of tokens of the prompt.
const INPUT_TOKENS: Union = Union {
    what: "number of tokens",
    untagged: None,
    is_of_blocks: false,
    variants: &[variant("input_tokens", &VALUE)],
};

/// A number of tool uses: the newest ones that an edit keeps.
const TOOL_USES: Union = Union {
    what: "number of tool uses",
    untagged: None,
    is_of_blocks: false,
    variants: &[variant("tool_uses", &VALUE)],
};

/// When the edit is applied: at a number of tokens of the prompt, or of tool
/// uses in it.
const TRIGGERS: Union = Union {
    what: "trigger",
    untagged: None,
    is_of_blocks: false,
    variants: &[
        variant("input_tokens", &VALUE),
        variant("tool_uses", &VALUE),
    ],
};

/// `{"type":"all"}` is the same as the string `"all"`.
const TURNS: Union = Union {
    what: "number of turns",
    untagged: None,
    is_of_blocks: false,
    variants: &[variant("thinking_turns", &VALUE), variant("all", &NONE)],
};
