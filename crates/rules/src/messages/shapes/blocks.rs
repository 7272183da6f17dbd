//! Content blocks of messages.
//!
//! The blocks of the assistant include the results of tools that the API runs:
//! a response is sent back as it was received. Blocks that are also in other
//! places (text, images, documents) are in `media`.

use super::super::shape::{
    Kind, Shape, Union, Variant, gated, nullable, optional, required, variant,
};
use super::media::{
    DOCUMENT_VARIANT, IMAGE_VARIANT, SEARCH_RESULT_VARIANT, TEXT_BLOCKS, TEXT_VARIANT,
    TOOL_REFERENCE_VARIANT,
};
use super::results::{
    ADVISOR, BASH_EXECUTION, CODE_EXECUTION, EDITOR_EXECUTION, TOOL_SEARCH, WEB_FETCH, WEB_SEARCH,
};
use super::tools::{MCP_TOOL, TOOL};
use super::{CACHE_CONTROL, EFFORT, NONE};
use crate::table::{
    CLEAR_AT_BETA, FALLBACKS_BETA, INLINE_TOOLS_BETA, MCP_BETA, MESSAGE_EFFORT_BETA,
    TOOL_CHANGES_BETA,
};

/// A message. Two keys belong to system messages only, which the rules about
/// them check.
///
/// ```json
/// {"role": "user", "content": "Hi"}
/// {"role": "system", "clear_at": "next_user_message", "content": [{"type": "text", "text": "…"}]}
/// ```
///
/// `content` is not required here, because system messages may lack it; the
/// rules about content report it for other roles.
pub(in super::super) const MESSAGE: Shape = Shape {
    keys: &[
        required("role", Kind::Literal(&["user", "assistant", "system"])),
        optional("content", Kind::Either(&[Kind::Text, CONTENT])),
        nullable("clear_at", Kind::Literal(&["next_user_message", "never"])).gated(&CLEAR_AT_BETA),
        nullable("output_config", Kind::Object(&MESSAGE_CONFIG)).gated(&MESSAGE_EFFORT_BETA),
    ],
};

/// `{"effort":"low"}`, the effort from the next turn on.
const MESSAGE_CONFIG: Shape = Shape {
    keys: &[nullable("effort", EFFORT)],
};

/// A list of any blocks. Which role may have which block is a rule.
const CONTENT: Kind = Kind::List(&Kind::Tagged(&BLOCKS));

/// Every content block of a message.
///
/// ```json
/// {"type": "text", "text": "Hi"}
/// {"type": "thinking", "thinking": "", "signature": "EqQB…"}
/// {"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {"path": "a.rs"}}
/// {"type": "tool_result", "tool_use_id": "toolu_1", "content": "fn main() {}"}
/// {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "…"}}
/// {"type": "compaction", "content": "The user wants …", "signature": "EqQB…"}
/// ```
///
/// `thinking` and `redacted_thinking` take no `cache_control`.
pub(in super::super) const BLOCKS: Union = Union {
    what: "content block",
    untagged: None,
    is_of_blocks: true,
    variants: &[
        TEXT_VARIANT,
        IMAGE_VARIANT,
        DOCUMENT_VARIANT,
        SEARCH_RESULT_VARIANT,
        variant(
            "thinking",
            &shape![
                required("thinking", Kind::Text),
                required("signature", Kind::Text)
            ],
        ),
        variant("redacted_thinking", &shape![required("data", Kind::Text)]),
        variant(
            "tool_use",
            &shape![
                required("id", Kind::Text),
                required("name", Kind::Text),
                required("input", Kind::Open),
                optional("caller", CALLER),
                nullable("toolset_name", Kind::Text),
                CACHE_CONTROL,
            ],
        ),
        variant(
            "tool_result",
            &shape![
                required("tool_use_id", Kind::Text),
                optional("content", Kind::Either(&[Kind::Text, RESULT_CONTENT])),
                optional("is_error", Kind::Bool),
                nullable("toolset_name", Kind::Text),
                CACHE_CONTROL,
            ],
        ),
        variant(
            "server_tool_use",
            &shape![
                required("id", Kind::Text),
                required("name", Kind::Literal(SERVER_TOOLS)),
                required("input", Kind::Open),
                optional("caller", CALLER),
                CACHE_CONTROL,
            ],
        ),
        variant("web_search_tool_result", &RESULT_OF_WEB_SEARCH),
        variant("web_fetch_tool_result", &RESULT_OF_WEB_FETCH),
        variant(
            "code_execution_tool_result",
            &Shape {
                keys: &CODE_EXECUTION_RESULT,
            },
        ),
        variant(
            "bash_code_execution_tool_result",
            &Shape {
                keys: &BASH_EXECUTION_RESULT,
            },
        ),
        variant(
            "text_editor_code_execution_tool_result",
            &Shape {
                keys: &EDITOR_EXECUTION_RESULT,
            },
        ),
        variant(
            "tool_search_tool_result",
            &Shape {
                keys: &TOOL_SEARCH_RESULT,
            },
        ),
        variant(
            "container_upload",
            &shape![required("file_id", Kind::Text), CACHE_CONTROL],
        ),
        gated(
            "mcp_tool_use",
            &shape![
                required("id", Kind::Text),
                required("name", Kind::Text),
                required("server_name", Kind::Text),
                required("input", Kind::Open),
                CACHE_CONTROL,
            ],
            &MCP_BETA,
        ),
        gated(
            "mcp_tool_result",
            &shape![
                required("tool_use_id", Kind::Text),
                optional("content", Kind::Either(&[Kind::Text, TEXT_BLOCKS])),
                optional("is_error", Kind::Bool),
                CACHE_CONTROL,
            ],
            &MCP_BETA,
        ),
        // Its beta follows from its signature.
        variant(
            "compaction",
            &shape![
                nullable("content", Kind::Text),
                nullable("signature", Kind::Text),
                nullable("encrypted_content", Kind::Text),
                nullable("tool_changes", Kind::List(&Kind::Tagged(&TOOL_CHANGES))),
                CACHE_CONTROL,
            ],
        ),
        gated("tool_addition", &TOOL_ADDITION, &TOOL_CHANGES_BETA),
        gated("tool_removal", &TOOL_REMOVAL, &TOOL_CHANGES_BETA),
        gated(
            "mcp_tool_listing",
            &shape![
                required("mcp_server_name", Kind::Text),
                required("tools", Kind::List(&Kind::Object(&MCP_TOOL))),
            ],
            &MCP_BETA,
        ),
        gated(
            "fallback",
            &shape![
                required("from", Kind::Object(&FALLBACK_MODEL)),
                required("to", Kind::Object(&FALLBACK_MODEL)),
                optional("trigger", Kind::Any),
            ],
            &FALLBACKS_BETA,
        ),
        variant(
            "advisor_tool_result",
            &Shape {
                keys: &ADVISOR_RESULT,
            },
        ),
    ],
};

/// Blocks that are known only inside of others.
pub(in super::super) const INNER_BLOCKS: Union = Union {
    what: "content block",
    untagged: None,
    is_of_blocks: false,
    variants: &[TOOL_REFERENCE_VARIANT, BROWSER_STATE_VARIANT],
};

/// `{"model":"claude-sonnet-5"}`: the models before and after a fallback.
const FALLBACK_MODEL: Shape = shape![required("model", Kind::Text)];

/// The blocks that a `tool_result` of the caller can have.
const RESULT_CONTENT: Kind = Kind::List(&Kind::Tagged(&Union {
    what: "block of a tool result",
    untagged: None,
    is_of_blocks: true,
    variants: &[
        TEXT_VARIANT,
        IMAGE_VARIANT,
        SEARCH_RESULT_VARIANT,
        DOCUMENT_VARIANT,
        TOOL_REFERENCE_VARIANT,
        BROWSER_STATE_VARIANT,
    ],
}));

/// ```json
/// {"type": "browser_state", "tabs": [{"tab_id": "1", "title": "Docs", "url": "https://…"}]}
/// ```
///
/// The result of a tool of the browser toolset.
const BROWSER_STATE_VARIANT: Variant = variant(
    "browser_state",
    &shape![
        required("tabs", Kind::List(&Kind::Object(&TAB))),
        nullable("state_changes", Kind::List(&Kind::Tagged(&STATE_CHANGES))),
        CACHE_CONTROL,
    ],
);
/// An open tab of the browser.
const TAB: Shape = shape![
    required("tab_id", Kind::Text),
    required("title", Kind::Text),
    required("url", Kind::Text),
    optional("active", Kind::Bool),
];
/// Events since the last state: tabs and downloads.
const STATE_CHANGES: Union = Union {
    what: "browser state change",
    untagged: None,
    is_of_blocks: false,
    variants: &[
        variant("tab_opened", &shape![required("tab_id", Kind::Text)]),
        variant(
            "download_started",
            &shape![
                required("download_id", Kind::Text),
                required("url", Kind::Text)
            ],
        ),
        variant(
            "download_completed",
            &shape![
                required("download_id", Kind::Text),
                required("url", Kind::Text),
                nullable("path", Kind::Text),
                nullable("size_bytes", Kind::Integer(0)),
            ],
        ),
        variant(
            "download_failed",
            &shape![
                required("download_id", Kind::Text),
                required("url", Kind::Text),
                nullable("error", Kind::Text),
            ],
        ),
    ],
};

/// `{"type":"direct"}` for a call by the model, or the code execution that made
/// the call: `{"type":"code_execution_20260120","tool_id":"srvtoolu_1"}`.
const CALLER: Kind = Kind::Tagged(&Union {
    what: "caller",
    untagged: None,
    is_of_blocks: false,
    variants: &[
        variant("direct", &NONE),
        variant(
            "code_execution_20250825",
            &shape![required("tool_id", Kind::Text)],
        ),
        variant(
            "code_execution_20260120",
            &shape![required("tool_id", Kind::Text)],
        ),
    ],
});

/// Names of tools in a `server_tool_use`, which the API runs.
const SERVER_TOOLS: &[&str] = &[
    "web_search",
    "web_fetch",
    "code_execution",
    "bash_code_execution",
    "text_editor_code_execution",
    "tool_search_tool_regex",
    "tool_search_tool_bm25",
    "advisor",
];

/// The keys of the result of a tool that the API runs.
type Keys = [super::super::shape::Key; 3];

/// Returns `tool_use_id`, `content` and `cache_control`, the keys of every such
/// result.
const fn result_of(content: Kind) -> Keys {
    [
        required("tool_use_id", Kind::Text),
        required("content", content),
        CACHE_CONTROL,
    ]
}

/// The keys of the results of the other tools that the API runs; they have no
/// `caller`.
const CODE_EXECUTION_RESULT: Keys = result_of(CODE_EXECUTION);
const BASH_EXECUTION_RESULT: Keys = result_of(BASH_EXECUTION);
const EDITOR_EXECUTION_RESULT: Keys = result_of(EDITOR_EXECUTION);
const TOOL_SEARCH_RESULT: Keys = result_of(TOOL_SEARCH);
const ADVISOR_RESULT: Keys = result_of(ADVISOR);
/// ```json
/// {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
/// ```
const RESULT_OF_WEB_SEARCH: Shape = shape![
    required("tool_use_id", Kind::Text),
    required("content", WEB_SEARCH),
    optional("caller", CALLER),
    CACHE_CONTROL,
];
/// ```json
/// {"type": "web_fetch_tool_result", "tool_use_id": "srvtoolu_2",
///  "content": {"type": "web_fetch_tool_result_error", "error_code": "url_not_accessible"}}
/// ```
const RESULT_OF_WEB_FETCH: Shape = shape![
    required("tool_use_id", Kind::Text),
    required("content", WEB_FETCH),
    optional("caller", CALLER),
    CACHE_CONTROL,
];

/// The tool changes in a compaction block.
const TOOL_CHANGES: Union = Union {
    what: "tool change",
    untagged: None,
    is_of_blocks: true,
    variants: &[
        variant("tool_addition", &TOOL_ADDITION),
        variant("tool_removal", &TOOL_REMOVAL),
    ],
};
/// `{"type":"tool_addition","tool":{"type":"tool_reference","name":"Grep"}}`.
const TOOL_ADDITION: Shape = shape![required("tool", Kind::Tagged(&ADDED)), CACHE_CONTROL];
/// `{"type":"tool_removal","tool":{"type":"tool_reference","name":"Grep"}}`.
const TOOL_REMOVAL: Shape = shape![required("tool", Kind::Tagged(&REMOVED)), CACHE_CONTROL];

/// A tool of `tools`.
const BY_NAME: Variant = variant("tool_reference", &shape![required("name", Kind::Text)]);
/// One tool of an MCP server.
const BY_MCP_NAME: Variant = variant(
    "mcp_tool_reference",
    &shape![
        required("server_name", Kind::Text),
        required("name", Kind::Text)
    ],
);
/// All tools of an MCP server.
const BY_MCP_SERVER: Variant = variant(
    "mcp_toolset_reference",
    &shape![required("server_name", Kind::Text)],
);
/// A removal has the same references, without the definition.
const ADDED: Union = Union {
    what: "reference to a tool",
    untagged: None,
    is_of_blocks: false,
    variants: &[
        BY_NAME,
        BY_MCP_NAME,
        BY_MCP_SERVER,
        gated(
            "tool_definition",
            &shape![required("definition", TOOL)],
            &INLINE_TOOLS_BETA,
        ),
    ],
};
/// A definition cannot be removed, only a tool by its name.
const REMOVED: Union = Union {
    what: "reference to a tool",
    untagged: None,
    is_of_blocks: false,
    variants: &[BY_NAME, BY_MCP_NAME, BY_MCP_SERVER],
};
