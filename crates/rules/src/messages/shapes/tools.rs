//! Tools: those of the caller, and the versions of the tools that the API
//! defines or runs.
//!
//! ```json
//! {"name": "Read", "description": "Reads a file.", "input_schema": {"type": "object"}}
//! {"type": "web_search_20260318", "name": "web_search", "max_uses": 3}
//! {"type": "mcp_toolset", "mcp_server_name": "git", "default_config": {"defer_loading": true}}
//! ```
//!
//! A tool that the API defines has a fixed name, and no `description` or
//! `input_schema`. A new version is a row of `TOOLS`.

use super::super::shape::{
    Key, Kind, Shape, Union, Variant, gated, nullable, optional, required, variant,
};
use super::media::CITATIONS_CONFIG;
use super::{CACHE_CONTROL, MARKER, NONE, TEXTS};
use crate::table::{ADVISOR_BETA, COMPUTER_BETA, MCP_BETA};

/// The keys of a tool that has a name.
macro_rules! tool {
    ($name:expr $(, $key:expr)* $(,)?) => {
        shape![
            required("name", $name),
            CACHE_CONTROL,
            optional("defer_loading", Kind::Bool),
            optional("strict", Kind::Bool),
            optional("allowed_callers", CALLERS),
            $($key),*
        ]
    };
}

/// The keys of every version of `web_fetch`, and those of later ones.
macro_rules! web_fetch {
    ($($key:expr),* $(,)?) => {
        tool![
            Kind::Literal(&["web_fetch"]),
            ALLOWED,
            BLOCKED,
            MAX_USES,
            nullable("max_content_tokens", Kind::Integer(0)),
            nullable("citations", Kind::Object(&CITATIONS_CONFIG)),
            nullable("url_sources", Kind::Object(&URL_SOURCES)),
            $($key),*
        ]
    };
}

/// The keys of every version of the computer tool, with the size of the screen
/// in pixels.
macro_rules! computer_tool {
    ($($key:expr),* $(,)?) => {
        tool![
            Kind::Literal(&["computer"]),
            required("display_width_px", Kind::Integer(1)),
            required("display_height_px", Kind::Integer(1)),
            nullable("display_number", Kind::Integer(0)),
            EXAMPLES,
            $($key),*
        ]
    };
}

/// Who may call a tool: the model itself, or code in the container.
const CALLERS: Kind = Kind::List(&Kind::Literal(&[
    "direct",
    "code_execution_20250825",
    "code_execution_20260120",
    "code_execution_20260521",
]));

/// An entry of `tools`.
pub(in super::super) const TOOL: Kind = Kind::Tagged(&TOOLS);

/// An object without `type` is a custom tool. Toolsets have no `name`; their
/// members are configured in `configs`.
pub(in super::super) const TOOLS: Union = Union {
    what: "tool",
    untagged: Some(&CUSTOM),
    is_of_blocks: false,
    variants: &[
        variant("custom", &CUSTOM),
        variant("bash_20250124", &BASH),
        gated("bash_20241022", &BASH, &COMPUTER_BETA),
        gated("text_editor_20241022", &OLD_EDITOR, &COMPUTER_BETA),
        variant("text_editor_20250124", &OLD_EDITOR),
        variant("text_editor_20250429", &tool![EDITOR_NAME, EXAMPLES]),
        variant(
            "text_editor_20250728",
            &tool![
                EDITOR_NAME,
                EXAMPLES,
                nullable("max_characters", Kind::Integer(0))
            ],
        ),
        variant(
            "memory_20250818",
            &tool![Kind::Literal(&["memory"]), EXAMPLES],
        ),
        variant("code_execution_20250522", &CODE_EXECUTION),
        variant("code_execution_20250825", &CODE_EXECUTION),
        variant("code_execution_20260120", &CODE_EXECUTION),
        variant("code_execution_20260521", &CODE_EXECUTION),
        variant("web_search_20250305", &WEB_SEARCH),
        variant("web_search_20260209", &WEB_SEARCH),
        variant(
            "web_search_20260318",
            &tool![
                WEB_SEARCH_NAME,
                ALLOWED,
                BLOCKED,
                MAX_USES,
                USER_LOCATION,
                INCLUSION
            ],
        ),
        variant("web_fetch_20250910", &WEB_FETCH),
        variant("web_fetch_20260209", &WEB_FETCH),
        variant("web_fetch_20260309", &web_fetch![USE_CACHE]),
        variant("web_fetch_20260318", &web_fetch![USE_CACHE, INCLUSION]),
        variant("tool_search_tool_regex", &SEARCH_BY_REGEX),
        variant("tool_search_tool_regex_20251119", &SEARCH_BY_REGEX),
        variant("tool_search_tool_bm25", &SEARCH_BY_WORDS),
        variant("tool_search_tool_bm25_20251119", &SEARCH_BY_WORDS),
        variant(
            "computer_toolset_20260801",
            &shape![
                CACHE_CONTROL,
                nullable("configs", Kind::Object(&COMPUTER_MEMBERS))
            ],
        ),
        variant(
            "browser_toolset_20260801",
            &shape![
                CACHE_CONTROL,
                nullable("configs", Kind::Object(&BROWSER_MEMBERS))
            ],
        ),
        computer("computer_20241022", &COMPUTER),
        computer("computer_20250124", &COMPUTER),
        computer(
            "computer_20251124",
            &computer_tool![optional("enable_zoom", Kind::Bool)],
        ),
        gated(
            "advisor_20260301",
            &tool![
                Kind::Literal(&["advisor"]),
                required("model", Kind::Text),
                MAX_USES,
                nullable("max_tokens", Kind::Integer(0)),
                nullable("caching", Kind::Object(&MARKER)),
            ],
            &ADVISOR_BETA,
        ),
        gated(
            "mcp_toolset",
            &shape![
                required("mcp_server_name", Kind::Text),
                nullable("configs", Kind::Map(&Kind::Object(&MEMBER_OF_MCP))),
                optional("default_config", Kind::Object(&MEMBER_OF_MCP)),
                nullable("tools", Kind::List(&Kind::Object(&MCP_TOOL))),
                CACHE_CONTROL,
            ],
            &MCP_BETA,
        ),
    ],
};

/// `eager_input_streaming` sends the input of a call before it is complete.
const CUSTOM: Shape = tool![
    Kind::Text,
    // Null is equal to an absent key: the default.
    nullable("type", Kind::Literal(&["custom"])),
    // The schema has a separate rule.
    nullable("input_schema", Kind::Any),
    optional("description", Kind::Text),
    EXAMPLES,
    nullable("eager_input_streaming", Kind::Bool),
];
/// Inputs as an example of the schema.
const EXAMPLES: Key = optional("input_examples", Kind::List(&Kind::Open));

/// `{"type":"bash_20250124","name":"bash"}`.
const BASH: Shape = tool![Kind::Literal(&["bash"]), EXAMPLES];
/// Up to the version 20250124, the text editor has another name.
const OLD_EDITOR: Shape = tool![Kind::Literal(&["str_replace_editor"]), EXAMPLES];
/// The name from the version 20250429 on.
const EDITOR_NAME: Kind = Kind::Literal(&["str_replace_based_edit_tool"]);
const CODE_EXECUTION: Shape = tool![Kind::Literal(&["code_execution"])];
const SEARCH_BY_REGEX: Shape = tool![Kind::Literal(&["tool_search_tool_regex"])];
const SEARCH_BY_WORDS: Shape = tool![Kind::Literal(&["tool_search_tool_bm25"])];

const WEB_SEARCH_NAME: Kind = Kind::Literal(&["web_search"]);
const WEB_SEARCH: Shape = tool![WEB_SEARCH_NAME, ALLOWED, BLOCKED, MAX_USES, USER_LOCATION];
/// Domains that a web tool may visit. A tool has these or the blocked ones, not
/// both.
const ALLOWED: Key = nullable("allowed_domains", TEXTS);
const BLOCKED: Key = nullable("blocked_domains", TEXTS);
/// The number of calls in one request after which the tool fails.
const MAX_USES: Key = nullable("max_uses", Kind::Integer(0));
/// Includes the result in the response, or leaves it out.
const INCLUSION: Key = optional("response_inclusion", Kind::Literal(&["full", "excluded"]));
/// The approximate place of the user, for search results.
const USER_LOCATION: Key = nullable(
    "user_location",
    Kind::Object(&shape![
        required("type", Kind::Literal(&["approximate"])),
        nullable("city", Kind::Text),
        nullable("country", Kind::Text),
        nullable("region", Kind::Text),
        nullable("timezone", Kind::Text),
    ]),
);

const WEB_FETCH: Shape = web_fetch![];
const USE_CACHE: Key = optional("use_cache", Kind::Bool);
/// The sources of URLs that the model may fetch, by the place that
/// mentions a URL.
const URL_SOURCES: Shape = shape![
    optional("client_tool_results", SOURCES),
    optional("server_tool_results", SOURCES),
    optional("user_input", SOURCES),
];
/// `{"type":"only","tools":[{"type":"tool_reference","name":"Grep"}]}`.
const SOURCES: Kind = Kind::Tagged(&Union {
    what: "selection of sources",
    untagged: None,
    is_of_blocks: false,
    variants: &[
        variant("all", &NONE),
        variant("none", &NONE),
        variant("only", &SOME_TOOLS),
        variant("except", &SOME_TOOLS),
    ],
});
/// The names of the tools that are included or excluded.
const SOME_TOOLS: Shape = shape![required(
    "tools",
    Kind::List(&Kind::Object(&shape![
        required("type", Kind::Literal(&["tool_reference"])),
        required("name", Kind::Text),
    ]))
)];

const COMPUTER: Shape = computer_tool![];

/// A version of the computer tool, which needs a beta.
const fn computer(tag: &'static str, shape: &'static Shape) -> Variant {
    gated(tag, shape, &COMPUTER_BETA)
}

/// Configures one tool of an MCP server, or all others.
const MEMBER_OF_MCP: Shape = shape![
    optional("defer_loading", Kind::Bool),
    optional("enabled", Kind::Bool),
];
/// A tool as an MCP server lists it.
pub(super) const MCP_TOOL: Shape = shape![
    required("name", Kind::Text),
    required("input_schema", Kind::Open),
    nullable("description", Kind::Text),
];

/// Configures one action of a toolset: `{"enabled":false}`.
const MEMBER: Kind = Kind::Object(&shape![
    nullable("defer_loading", Kind::Bool),
    nullable("enabled", Kind::Bool),
]);
/// The actions of `computer_toolset_20260801`, as keys of `configs`.
const COMPUTER_MEMBERS: Shape = shape![
    nullable("cursor_position", MEMBER),
    nullable("double_click", MEMBER),
    nullable("hold_key", MEMBER),
    nullable("key", MEMBER),
    nullable("left_click", MEMBER),
    nullable("left_click_drag", MEMBER),
    nullable("left_mouse_down", MEMBER),
    nullable("left_mouse_up", MEMBER),
    nullable("middle_click", MEMBER),
    nullable("mouse_move", MEMBER),
    nullable("right_click", MEMBER),
    nullable("screenshot", MEMBER),
    nullable("scroll", MEMBER),
    nullable("triple_click", MEMBER),
    nullable("type", MEMBER),
    nullable("wait", MEMBER),
    nullable("zoom", MEMBER),
];
/// The actions of `browser_toolset_20260801`, as keys of `configs`.
const BROWSER_MEMBERS: Shape = shape![
    nullable("close_tab", MEMBER),
    nullable("double_click", MEMBER),
    nullable("file_upload", MEMBER),
    nullable("find", MEMBER),
    nullable("form_input", MEMBER),
    nullable("get_page_text", MEMBER),
    nullable("hold_key", MEMBER),
    nullable("hover", MEMBER),
    nullable("javascript_exec", MEMBER),
    nullable("key", MEMBER),
    nullable("left_click", MEMBER),
    nullable("left_click_drag", MEMBER),
    nullable("left_mouse_down", MEMBER),
    nullable("left_mouse_up", MEMBER),
    nullable("list_tabs", MEMBER),
    nullable("middle_click", MEMBER),
    nullable("mouse_move", MEMBER),
    nullable("navigate", MEMBER),
    nullable("new_tab", MEMBER),
    nullable("read_console", MEMBER),
    nullable("read_network", MEMBER),
    nullable("read_page", MEMBER),
    nullable("right_click", MEMBER),
    nullable("screenshot", MEMBER),
    nullable("scroll", MEMBER),
    nullable("scroll_to", MEMBER),
    nullable("switch_tab", MEMBER),
    nullable("triple_click", MEMBER),
    nullable("type", MEMBER),
    nullable("wait", MEMBER),
    nullable("zoom", MEMBER),
];
