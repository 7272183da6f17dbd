//! The contents of results of tools that the API runs.
//!
//! Each is sent back as it was received. A failed tool has an object with an
//! error code in the place of the result:
//!
//! ```json
//! {"type": "code_execution_tool_result", "tool_use_id": "srvtoolu_1",
//!  "content": {"type": "code_execution_tool_result_error", "error_code": "unavailable"}}
//! ```

use super::super::shape::{Kind, Shape, Union, Variant, nullable, required, variant};
use super::media::{DOCUMENT, TOOL_REFERENCE};

/// The codes are not compared: they grow with the tools.
const ERROR: Shape = shape![required("error_code", Kind::Text)];
/// An error that may have a text next to its code.
const ERROR_WITH_MESSAGE: Shape = shape![
    required("error_code", Kind::Text),
    nullable("error_message", Kind::Text),
];

/// A union without an untagged shape that is not one of blocks.
const fn union(what: &'static str, variants: &'static [Variant]) -> Union {
    Union {
        what,
        variants,
        untagged: None,
        is_of_blocks: false,
    }
}

/// A list of pages, or one error. `encrypted_content` has to be sent back, so
/// that the model can cite the page.
///
/// ```json
/// [{"type": "web_search_result", "url": "https://…", "title": "…", "encrypted_content": "Eo8C…"}]
/// ```
pub(super) const WEB_SEARCH: Kind = Kind::Either(&[
    Kind::List(&Kind::Tagged(&union(
        "web search result",
        &[variant(
            "web_search_result",
            &shape![
                required("encrypted_content", Kind::Text),
                required("title", Kind::Text),
                required("url", Kind::Text),
                nullable("page_age", Kind::Text),
            ],
        )],
    ))),
    Kind::Tagged(&union(
        "web search error",
        &[variant("web_search_tool_result_error", &ERROR)],
    )),
]);

/// ```json
/// {"type": "web_fetch_result", "url": "https://…", "content": {"type": "document", "source": {}}}
/// ```
pub(super) const WEB_FETCH: Kind = Kind::Tagged(&union(
    "web fetch result",
    &[
        variant("web_fetch_tool_result_error", &ERROR),
        variant(
            "web_fetch_result",
            &shape![
                required(
                    "content",
                    Kind::Tagged(&union("document", &[variant("document", &DOCUMENT)]))
                ),
                required("url", Kind::Text),
                nullable("retrieved_at", Kind::Text),
            ],
        ),
    ],
));

/// A file that the code wrote, by its id in the Files API.
const CODE_OUTPUT: Union = union(
    "code execution output",
    &[variant(
        "code_execution_output",
        &shape![required("file_id", Kind::Text)],
    )],
);
/// A file that the command wrote, by its id in the Files API.
const BASH_OUTPUT: Union = union(
    "bash output",
    &[variant(
        "bash_code_execution_output",
        &shape![required("file_id", Kind::Text)],
    )],
);

/// ```json
/// {"type": "code_execution_result", "stdout": "4\n", "stderr": "", "content": [],
///  "return_code": 0}
/// ```
///
/// `encrypted_code_execution_result` has its standard output in a form that
/// only the API reads.
pub(super) const CODE_EXECUTION: Kind = Kind::Tagged(&union(
    "code execution result",
    &[
        variant("code_execution_tool_result_error", &ERROR),
        variant(
            "code_execution_result",
            &shape![
                required("content", Kind::List(&Kind::Tagged(&CODE_OUTPUT))),
                required("return_code", Kind::Integer(i64::MIN)),
                required("stderr", Kind::Text),
                required("stdout", Kind::Text),
                // In no type of the SDK, but sent by the API and taken back.
                nullable("abort_reason", Kind::Text),
            ],
        ),
        variant(
            "encrypted_code_execution_result",
            &shape![
                required("content", Kind::List(&Kind::Tagged(&CODE_OUTPUT))),
                required("encrypted_stdout", Kind::Text),
                required("return_code", Kind::Integer(i64::MIN)),
                required("stderr", Kind::Text),
            ],
        ),
    ],
));

/// The same as the result of code execution, with a type of its own.
pub(super) const BASH_EXECUTION: Kind = Kind::Tagged(&union(
    "bash result",
    &[
        variant("bash_code_execution_tool_result_error", &ERROR),
        variant(
            "bash_code_execution_result",
            &shape![
                required("content", Kind::List(&Kind::Tagged(&BASH_OUTPUT))),
                required("return_code", Kind::Integer(i64::MIN)),
                required("stderr", Kind::Text),
                required("stdout", Kind::Text),
            ],
        ),
    ],
));

/// The result of a view, of a created file, or of a replacement.
pub(super) const EDITOR_EXECUTION: Kind = Kind::Tagged(&union(
    "text editor result",
    &[
        variant(
            "text_editor_code_execution_tool_result_error",
            &ERROR_WITH_MESSAGE,
        ),
        variant(
            "text_editor_code_execution_view_result",
            &shape![
                required("content", Kind::Text),
                required("file_type", Kind::Literal(&["text", "image", "pdf"])),
                nullable("num_lines", Kind::Integer(0)),
                nullable("start_line", Kind::Integer(0)),
                nullable("total_lines", Kind::Integer(0)),
            ],
        ),
        variant(
            "text_editor_code_execution_create_result",
            &shape![required("is_file_update", Kind::Bool)],
        ),
        variant(
            "text_editor_code_execution_str_replace_result",
            &shape![
                nullable("lines", super::TEXTS),
                nullable("new_lines", Kind::Integer(0)),
                nullable("new_start", Kind::Integer(0)),
                nullable("old_lines", Kind::Integer(0)),
                nullable("old_start", Kind::Integer(0)),
            ],
        ),
    ],
));

/// ```json
/// {"type": "tool_search_tool_search_result",
///  "tool_references": [{"type": "tool_reference", "tool_name": "Grep"}]}
/// ```
pub(super) const TOOL_SEARCH: Kind = Kind::Tagged(&union(
    "tool search result",
    &[
        variant("tool_search_tool_result_error", &ERROR_WITH_MESSAGE),
        variant(
            "tool_search_tool_search_result",
            &shape![required(
                "tool_references",
                Kind::List(&Kind::Tagged(&union(
                    "tool reference",
                    &[variant("tool_reference", &TOOL_REFERENCE)]
                )))
            )],
        ),
    ],
));

/// The advice as text, or in a form that only the API reads.
pub(super) const ADVISOR: Kind = Kind::Tagged(&union(
    "advisor result",
    &[
        variant("advisor_tool_result_error", &ERROR),
        variant(
            "advisor_result",
            &shape![
                required("text", Kind::Text),
                nullable("stop_reason", Kind::Text)
            ],
        ),
        variant(
            "advisor_redacted_result",
            &shape![
                required("encrypted_content", Kind::Text),
                nullable("stop_reason", Kind::Text)
            ],
        ),
    ],
));
