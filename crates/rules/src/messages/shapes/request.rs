//! The top level of a request, and its parameters.
//!
//! ```json
//! {"model": "claude-opus-5-5", "max_tokens": 1024, "stream": true,
//!  "thinking": {"type": "adaptive"}, "output_config": {"effort": "medium"},
//!  "tools": [], "system": "You are …", "messages": [{"role": "user", "content": "Hi"}]}
//! ```
//!
//! `model`, `max_tokens` and `messages` are required; every other key has a
//! default.

use super::super::shape::{Key, Kind, Shape, Union, nullable, optional, required, variant};
use super::blocks::MESSAGE;
use super::edits::CONTEXT_MANAGEMENT;
use super::media::TEXT_BLOCKS;
use super::tools::TOOL;
use super::{CACHE_CONTROL, EFFORT, NONE, TEXTS};
use crate::table::{
    BILLING_BETA, BLOCK_BINDING_BETA, COMPACTION_BETA, FALLBACK_CREDIT_BETA, FALLBACKS_BETA,
    MCP_BETA, TASK_BUDGET_BETA, THREAD_BETA,
};

/// The keys of `POST /v1/messages`.
pub(in super::super) const REQUEST: Shape = shape![
    required("model", Kind::Text),
    required("max_tokens", Kind::Integer(0)),
    required("messages", Kind::List(&Kind::Object(&MESSAGE))),
    CACHE_CONTROL,
    nullable(
        "container",
        Kind::Either(&[Kind::Text, Kind::Object(&CONTAINER)])
    ),
    nullable(
        "diagnostics",
        Kind::Object(&shape![nullable("previous_message_id", Kind::Text)])
    ),
    nullable("inference_geo", Kind::Text),
    optional(
        "metadata",
        Kind::Object(&shape![nullable("user_id", Kind::Text)])
    ),
    optional("output_config", Kind::Object(&OUTPUT_CONFIG)),
    optional("service_tier", Kind::Literal(&["auto", "standard_only"])),
    nullable("speed", SPEED),
    optional("stop_sequences", TEXTS),
    optional("stream", Kind::Bool),
    // Null has a separate rule.
    nullable("system", Kind::Either(&[Kind::Text, TEXT_BLOCKS])),
    optional("thinking", Kind::Tagged(&THINKING)),
    optional("tool_choice", Kind::Tagged(&TOOL_CHOICE)),
    optional("tools", Kind::List(&TOOL)),
    nullable("temperature", Kind::Number),
    nullable("top_p", Kind::Number),
    nullable("top_k", Kind::Integer(0)),
    nullable(
        "billing_policy",
        Kind::Object(&shape![
            required("type", Kind::Literal(&["billing_policy"])),
            optional("bill_to", Kind::Literal(&["self", "user_profile"])),
        ])
    )
    .gated(&BILLING_BETA),
    nullable("compaction", Kind::Object(&COMPACTION)).gated(&COMPACTION_BETA),
    nullable("context_management", Kind::Object(&CONTEXT_MANAGEMENT)),
    nullable(
        "fallback_credit_token",
        Kind::Either(&[
            Kind::Text,
            Kind::Object(&shape![
                required("token", Kind::Text),
                optional("mode", Kind::Literal(&["strict", "best_effort"])),
            ])
        ])
    )
    .gated(&FALLBACK_CREDIT_BETA),
    nullable(
        "fallbacks",
        Kind::Either(&[
            Kind::Literal(&["default"]),
            Kind::List(&Kind::Object(&FALLBACK))
        ])
    )
    .gated(&FALLBACKS_BETA),
    optional("mcp_servers", Kind::List(&Kind::Object(&MCP_SERVER))).gated(&MCP_BETA),
    nullable("thread", Kind::Tagged(&THREAD)).gated(&THREAD_BETA),
    // Deprecated for `output_config.format`, which a rule reports.
    nullable("output_format", Kind::Tagged(&FORMAT)),
];

/// Keys in the body on the clouds that are headers on other platforms.
pub(in super::super) const CLOUD_KEYS: &[Key] = &[
    required(
        "anthropic_version",
        Kind::Literal(&["bedrock-2023-05-31", "vertex-2023-10-16"]),
    ),
    optional("anthropic_beta", TEXTS),
];

/// The keys of `POST /v1/messages/count_tokens`.
pub(in super::super) const COUNT_KEYS: &[&str] = &[
    "model",
    "messages",
    "cache_control",
    "output_config",
    "output_format",
    "speed",
    "system",
    "thinking",
    "tool_choice",
    "tools",
    "billing_policy",
    "compaction",
    "context_management",
    "mcp_servers",
];

/// `fast` is the fast mode of some models.
const SPEED: Kind = Kind::Literal(&["standard", "fast"]);

/// ```json
/// {"effort": "high", "format": {"type": "json_schema", "schema": {"type": "object"}},
///  "task_budget": {"type": "tokens", "total": 100000, "remaining": 40000}}
/// ```
const OUTPUT_CONFIG: Shape = shape![
    nullable("effort", EFFORT),
    nullable("format", Kind::Tagged(&FORMAT)),
    nullable(
        "task_budget",
        Kind::Object(&shape![
            required("type", Kind::Literal(&["tokens"])),
            required("total", Kind::Integer(0)),
            nullable("remaining", Kind::Integer(0)),
        ])
    )
    .gated(&TASK_BUDGET_BETA),
];

/// The schema itself is not walked.
const FORMAT: Union = union(
    "output format",
    &[variant(
        "json_schema",
        &shape![required("schema", Kind::Open)],
    )],
);

/// A union without an untagged shape that is not one of blocks.
const fn union(what: &'static str, variants: &'static [super::super::shape::Variant]) -> Union {
    Union {
        what,
        variants,
        untagged: None,
        is_of_blocks: false,
    }
}

/// ```json
/// {"type": "adaptive", "display": "summarized",
///  "block_binding": {"prefix_mismatch_behavior": "drop_block"}}
/// ```
///
/// Which modes a model takes is a rule.
pub(in super::super) const THINKING: Union = union(
    "thinking mode",
    &[
        variant("adaptive", &shape![DISPLAY, BINDING]),
        variant(
            "enabled",
            &shape![
                required("budget_tokens", Kind::Integer(0)),
                DISPLAY,
                BINDING
            ],
        ),
        variant("disabled", &NONE),
        variant("between_tools", &NONE),
    ],
);
/// The form in which thinking is returned. `omitted` leaves the text empty and
/// keeps the signature.
const DISPLAY: Key = nullable(
    "display",
    Kind::Literal(&["summarized", "omitted", "updates"]),
);
/// The treatment of thinking that was produced under another prefix: the API
/// refuses the request, or drops the block and every later one.
const BINDING: Key = nullable(
    "block_binding",
    Kind::Object(&shape![nullable(
        "prefix_mismatch_behavior",
        Kind::Literal(&["error", "drop_block"])
    )]),
)
.gated(&BLOCK_BINDING_BETA);

/// True for at most one tool use in a response. The mode `none` does not take
/// it.
const PARALLEL: Key = optional("disable_parallel_tool_use", Kind::Bool);
/// ```json
/// {"type": "tool", "name": "Read", "disable_parallel_tool_use": true}
/// ```
const TOOL_CHOICE: Union = union(
    "tool choice",
    &[
        variant("auto", &shape![PARALLEL]),
        variant("any", &shape![PARALLEL]),
        variant("tool", &shape![required("name", Kind::Text), PARALLEL]),
        variant("none", &NONE),
    ],
);

/// A conversation that the API stores:
/// `{"type":"continue","previous_message_id":"msg_…"}`.
const THREAD: Union = union(
    "thread",
    &[
        variant("create", &NONE),
        variant(
            "continue",
            &shape![required("previous_message_id", Kind::Text)],
        ),
    ],
);

/// A summary on demand: `{"type":"summarize","instructions":"Keep the file
/// names."}`.
const COMPACTION: Shape = shape![
    required("type", Kind::Literal(&["summarize"])),
    nullable("instructions", Kind::Text),
];

/// The container of code execution, in the form with skills; its id alone is a
/// string.
const CONTAINER: Shape = shape![
    nullable("id", Kind::Text),
    nullable(
        "skills",
        Kind::List(&Kind::Object(&shape![
            required("skill_id", Kind::Text),
            required("type", Kind::Literal(&["anthropic", "custom"])),
            optional("version", Kind::Text),
        ]))
    ),
];

/// Another model that may complete the response, with its own parameters.
const FALLBACK: Shape = shape![
    required("model", Kind::Text),
    nullable("max_tokens", Kind::Integer(0)),
    nullable("thinking", Kind::Tagged(&THINKING)),
    nullable("output_config", Kind::Object(&OUTPUT_CONFIG)),
    nullable("speed", SPEED),
];

/// ```json
/// {"type": "url", "name": "git", "url": "https://example.com/mcp"}
/// ```
///
/// `tool_configuration` belongs to the first version of the connector
/// (`mcp-client-2025-04-04`).
const MCP_SERVER: Shape = shape![
    required("type", Kind::Literal(&["url"])),
    required("name", Kind::Text),
    required("url", Kind::Text),
    nullable("authorization_token", Kind::Text),
    nullable(
        "tool_configuration",
        Kind::Object(&shape![
            nullable("allowed_tools", TEXTS),
            nullable("enabled", Kind::Bool),
        ])
    ),
];
